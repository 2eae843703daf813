//! The protocol over standard input and output.
//!
//! Knows how a session begins, breaks and ends here: a line that means nothing is passed over, a closed
//! input ends the process within a second. Refuses to know what is served.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{Lifetime, Server};
use crate::error::{Code, Error, Result};
use crate::tools::TOOLS;
use crate::workspace::Workspaces;

/// How long calls may go on after the input closed: a script that pipes its requests in and closes
/// gets the answers of quick ones.
const GRACE: Duration = Duration::from_millis(500);

/// How long stopped calls have to notice it and to say so.
const WIND_DOWN: Duration = Duration::from_millis(300);

/// How many calls may run at the same time; more wait.
const MAX_CALLS: usize = 32;

/// Serves the tools until the input closes or the process is asked to end; takes standard input and
/// output for itself. `repo` is where the repository was said to be; without it the client's root and
/// then `cwd` count.
///
/// # Errors
/// `io` where the runtime can't be started. A client that breaks off is no error.
pub fn serve(workspaces: Workspaces, repo: Option<PathBuf>, cwd: Option<PathBuf>) -> Result<()> {
    // Everything that takes time runs on threads of its own; one thread is enough for the messages.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(MAX_CALLS)
        .enable_all()
        .build()
        .map_err(|error| {
            Error::new(
                Code::Io,
                "the server could not be started",
                "check the limits on open files and threads, then start it again",
            )
            .because(error)
        })?;
    let server = Server::new(TOOLS, Arc::new(workspaces), repo, cwd);
    runtime.block_on(async {
        let (input, output) = rmcp::transport::io::stdio_pipes();
        session(server, input, output, asked_to_end()).await;
    });
    // Calls that did not notice in time end with the process.
    runtime.shutdown_background();
    Ok(())
}

/// Runs one session to its end: the input closes, `stop` is done, or the client breaks off.
pub(super) async fn session<R, W>(
    server: Server,
    input: R,
    output: W,
    stop: impl Future<Output = ()>,
) where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lifetime = server.lifetime.clone();
    let line = Line {
        inner: AsyncRwTransport::new_server(input, output),
        is_open: false,
        closing: lifetime.closing.clone(),
    };
    let talk = async {
        match server.serve(line).await {
            Ok(running) => match running.waiting().await {
                Ok(reason) => tracing::debug!(?reason, "session ended"),
                Err(error) => tracing::error!(%error, "session broke off"),
            },
            // A client that only looked and left.
            Err(error) => tracing::debug!(%error, "session ended in its handshake"),
        }
    };
    tokio::select! {
        () = talk => {}
        () = end(&lifetime, stop) => {}
    }
}

/// Ends what runs, in the order of [`Lifetime`].
async fn end(lifetime: &Lifetime, stop: impl Future<Output = ()>) {
    tokio::select! {
        () = stop => lifetime.closing.cancel(),
        () = lifetime.closing.cancelled() => tokio::time::sleep(GRACE).await,
    }
    lifetime.stopping.cancel();
    tokio::time::sleep(WIND_DOWN).await;
}

/// Is done when the process is asked to end by a signal.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let asked = (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
        );
        if let (Ok(mut interrupt), Ok(mut terminate)) = asked {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_ok() {
        return;
    }
    // Without a handler the system's own way of ending a process is in force.
    std::future::pending::<()>().await;
}

/// A transport that tells when its input closed, and that keeps what may not open a session from
/// ending one: the library gives up on anything but a request there.
struct Line<T> {
    inner: T,
    is_open: bool,
    closing: CancellationToken,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Line<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = std::result::Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.closing.cancel();
                return None;
            };
            if !self.is_open {
                let JsonRpcMessage::Request(request) = &message else {
                    tracing::debug!("passed over a message before the handshake");
                    continue;
                };
                self.is_open = opens_session(&request.request);
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> std::result::Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Returns whether the library takes a session as begun with this request: with `initialize`, or with
/// the first one that brings all that it needs.
fn opens_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28)
                .is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

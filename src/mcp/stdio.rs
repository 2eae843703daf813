//! The protocol over standard input and output.
//!
//! Knows how a session begins, breaks and ends here: a closed input ends the process within a second.
//! Refuses to know what is served.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};

use super::ending::{self, GRACE, Lifetime, WIND_DOWN};
use super::lines::Lines;
use super::{Server, Shared};
use crate::error::Result;
use crate::tools::TOOLS;
use crate::workspace::Workspaces;

/// Serves the tools until the input closes or the process is asked to end; takes standard input and
/// output for itself. `repo` is where the repository was said to be; without it the client's root and
/// then `cwd` count.
///
/// # Errors
/// `io` where the runtime can't be started. A client that breaks off is no error.
pub fn serve(workspaces: Workspaces, repo: Option<PathBuf>, cwd: Option<PathBuf>) -> Result<()> {
    let shared = Shared::new(TOOLS, workspaces, Lifetime::default());
    let server = Server::new(Arc::new(shared), repo, cwd);
    ending::run(async {
        let (input, output) = rmcp::transport::io::stdio_pipes();
        session(server, input, output, ending::asked_to_end()).await;
        Ok(())
    })
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
    let lifetime = server.shared.lifetime.clone();
    let (lines, written) = Lines::new(input, output, lifetime.closing.clone());
    let talk = async {
        match server.serve(lines).await {
            Ok(running) => match running.waiting().await {
                Ok(reason) => tracing::debug!(?reason, "session ended"),
                Err(error) => tracing::error!(%error, "session broke off"),
            },
            // A client that only looked and left.
            Err(error) => tracing::debug!(%error, "session ended in its handshake"),
        }
    };
    tokio::select! {
        // The last answers are still on their way.
        () = talk => drop(tokio::time::timeout(WIND_DOWN, written).await),
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

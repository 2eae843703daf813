//! The protocol over standard input and output.
//!
//! Knows how a session begins, breaks and ends here: a closed input ends the process within a second.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};

use super::ending::{self, GRACE, Lifetime, WIND_DOWN};
use super::idle_reexec::{Handover, IdleReexec};
use super::roots::ClientRoots;
use super::session::Session;
use super::stdio_transport::StdioTransport;
use super::{Server, Shared, input};
use crate::error::Result;
use crate::tools::ToolSpec;
use crate::workspace::Workspaces;

/// Serves the tools until the input closes or the process is asked to end; takes standard input and
/// output for itself. `repo` is where the repository was said to be; without it the client's root and
/// then `cwd` count.
///
/// # Errors
/// `io` where the runtime can't be started. A client that breaks off is no error.
pub fn serve(
    tools: Vec<ToolSpec>,
    workspaces: Workspaces,
    repo: Option<PathBuf>,
    cwd: Option<PathBuf>,
) -> Result<()> {
    let state = Arc::<Session>::default();
    let told = Arc::clone(&state);
    let workspaces = workspaces.telling(Arc::new(move || told.work()));
    let shared = Arc::new(Shared::new(tools, workspaces, Lifetime::default()));
    let mut server = Server::new(Arc::clone(&shared), repo, cwd);
    let handover = Handover::left();
    let is_first = handover.is_none();
    if let Some(handover) = handover {
        for message in &handover.opening {
            state.note(message);
        }
        server.roots = ClientRoots::told(handover.root);
        take_over(&shared, handover.work_trees);
    }
    let roots = server.roots.clone();
    let ended = Arc::clone(&shared);
    let outcome = ending::run(async {
        let (input, gate) = input::standard();
        let (_, output) = rmcp::transport::io::stdio_pipes();
        let reexec =
            gate.map(|gate| IdleReexec::new(shared, Arc::clone(&state), roots, gate, is_first));
        let renewed = async {
            match reexec {
                Some(reexec) => reexec.watch().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = session(server, state, input, output, ending::asked_to_end()) => {}
            never = renewed => match never {},
        }
        Ok(())
    });
    ended.workspaces.flush_usage();
    outcome
}

/// Watches over the work trees of the server whose place this one takes.
fn take_over(shared: &Arc<Shared>, work_trees: Vec<PathBuf>) {
    if work_trees.is_empty() {
        return;
    }
    let shared = Arc::clone(shared);
    let work = move || {
        for work_tree in work_trees {
            if let Err(error) = shared.workspaces.take_over(&work_tree) {
                tracing::info!(%error, "a work tree is not watched any more");
            }
        }
    };
    let spawned = std::thread::Builder::new()
        .name("take-over".to_owned())
        .spawn(work);
    if let Err(error) = spawned {
        tracing::info!(%error, "the work trees are not watched before they are asked about");
    }
}

/// Runs one session to its end: the input closes, `stop` is done, or the client breaks off. Messages that `state` has
/// noted already are not answered again.
pub(super) async fn session<R, W>(
    server: Server,
    state: Arc<Session>,
    input: R,
    output: W,
    stop: impl Future<Output = ()>,
) where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lifetime = server.shared.lifetime.clone();
    let (lines, written) = StdioTransport::new(input, output, state, lifetime.closing.clone());
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

/// Ends running calls and the session, in the order of [`Lifetime`].
async fn end(lifetime: &Lifetime, stop: impl Future<Output = ()>) {
    tokio::select! {
        () = stop => lifetime.closing.cancel(),
        () = lifetime.closing.cancelled() => tokio::time::sleep(GRACE).await,
    }
    lifetime.stopping.cancel();
    tokio::time::sleep(WIND_DOWN).await;
}

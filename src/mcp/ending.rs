//! How a server begins and ends, for every transport.

use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::error::{Code, Error, Result};

/// How long calls may go on after the client left or the process was asked to end: a script that pipes its
/// requests in and closes gets the answers of quick ones.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// How long stopped calls have to notice it and to say so.
pub(super) const WIND_DOWN: Duration = Duration::from_millis(300);

/// How many calls may run at the same time; more wait.
const MAX_RUNNING: usize = 32;

/// The two steps in which serving ends.
#[derive(Clone, Default)]
pub(super) struct Lifetime {
    /// Clients say and hear nothing more, except the answers that are under way.
    pub(super) closing: CancellationToken,
    /// Cancelled when running calls have to stop.
    pub(super) stopping: CancellationToken,
}

/// Runs a server to its end.
///
/// # Errors
/// `io` where the runtime can't be started, and the error that `serving` ends with.
pub(super) fn run(serving: impl Future<Output = Result<()>>) -> Result<()> {
    // Everything that takes time runs on threads of its own; one thread is enough for the messages.
    let runtime: Runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(MAX_RUNNING)
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
    let outcome = runtime.block_on(serving);
    // Calls that did not notice in time end with the process.
    runtime.shutdown_background();
    outcome
}

/// Is done when the process is asked to end by a signal.
pub(super) async fn asked_to_end() {
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

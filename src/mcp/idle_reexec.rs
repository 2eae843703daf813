//! Re-executes an idle server in its own process, to give back the memory that work took and that the allocator keeps.
//! The process, its input, output and session go on; no client notices.
//!
//! Before that it closes what waits for the next question and gives back what is free (`release_free_memory`, `release_program`): with one
//! allocator for Rust, SQLite and the parsers that is enough where the repository is not large.

use std::cell::Cell;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ClientJsonRpcMessage;
use serde::{Deserialize, Serialize};

use super::input::InputGate;
use super::roots::ClientRoots;
use super::session::Session;
use super::{MAX_CALLS, Shared};
use crate::machine;

/// The environment variable that hands the session to the next program.
const VARIABLE: &str = "CODELENS_TAKES_OVER";

/// How long it has to be quiet after work that took much, such as a first build.
const SOON: Duration = Duration::from_secs(5);

/// How long otherwise: whoever asks a cold server waits some milliseconds more.
const LATER: Duration = Duration::from_secs(15);

/// How long a program that took over works at its beginning.
const BEGINNING: Duration = Duration::from_secs(1);

/// Which part of the bound has to be memory of its own for that to be worth it.
const OWN: u64 = 8;

/// The longest state that is handed over, in bytes. The operating system takes twice that.
const MAX_BYTES: usize = 64 << 10;

/// The state that a server hands to the next program.
#[derive(Deserialize, Serialize)]
pub(super) struct Handover {
    /// The messages with which the client opened the session.
    pub(super) opening: Vec<ClientJsonRpcMessage>,
    /// The client's root, if it told one.
    pub(super) root: Option<PathBuf>,
    /// The work trees that it asked about.
    pub(super) work_trees: Vec<PathBuf>,
}

impl Handover {
    /// Returns the state that the earlier program handed over; `None` for the first.
    pub(super) fn left() -> Option<Self> {
        let text = std::env::var(VARIABLE).ok()?;
        let handover = serde_json::from_str(&text);
        handover
            .inspect_err(|error| tracing::warn!(%error, "{VARIABLE} means nothing"))
            .ok()
    }
}

/// Who watches over the memory of a server.
pub(super) struct IdleReexec {
    shared: Arc<Shared>,
    session: Arc<Session>,
    roots: ClientRoots,
    gate: InputGate,
    is_first: bool,
    has_failed: Cell<bool>,
}

impl IdleReexec {
    /// Of a server whose standard input has this gate; it `is_first` where it took over from no other.
    pub(super) fn new(
        shared: Arc<Shared>,
        session: Arc<Session>,
        roots: ClientRoots,
        gate: InputGate,
        is_first: bool,
    ) -> Self {
        Self {
            shared,
            session,
            roots,
            gate,
            is_first,
            has_failed: Cell::new(false),
        }
    }

    /// Begins the server anew as often as it is due. While nothing happens, nothing is done.
    pub(super) async fn watch(&self) -> Infallible {
        if !self.is_first && self.limit() > 0 {
            tokio::time::sleep(BEGINNING).await;
            machine::release_program();
        }
        while self.limit() > 0 {
            self.session.news().await;
            while let Some(wait) = self.next_look() {
                tokio::time::sleep(wait).await;
            }
        }
        std::future::pending().await
    }

    fn limit(&self) -> u64 {
        self.shared.workspaces.config().idle_memory_mb * 1_000_000
    }

    /// Returns when to look again; `None` where there is nothing to be done before something happens.
    fn next_look(&self) -> Option<Duration> {
        let quiet = self.session.quiet();
        if let Some(wait) = SOON.checked_sub(quiet) {
            return Some(wait + Duration::from_millis(1));
        }
        if !self.is_at_rest() {
            return Some(SOON);
        }
        self.shared.workspaces.close_what_waits();
        machine::release_free_memory();
        machine::release_program();
        let memory = machine::memory()?;
        // Pages of the program, which processes share, come back as soon as it is asked.
        let is_worth_it = memory.resident > self.limit() && memory.anonymous > self.limit() / OWN;
        if !is_worth_it || !self.session.has_worked() || self.has_failed.get() {
            return None;
        }
        let is_much = self.is_first && memory.resident > 2 * self.limit();
        if !is_much && let Some(wait) = LATER.checked_sub(quiet) {
            return Some(wait + Duration::from_millis(1));
        }
        self.reexec();
        None
    }

    fn is_at_rest(&self) -> bool {
        !self.shared.lifetime.closing.is_cancelled()
            && !self.roots.is_asking()
            && self.shared.room.available_permits() == MAX_CALLS
            && self.shared.workspaces.is_at_rest()
    }

    /// Returns where it can't be done now.
    fn reexec(&self) {
        // From here on all input of the client is left for the next program.
        let Ok(n_read) = self.gate.try_lock() else {
            return;
        };
        if !self.session.is_done_with(*n_read) {
            return;
        }
        let handover = Handover {
            opening: self.session.opening(),
            root: self.roots.known(),
            work_trees: self.shared.workspaces.work_trees(),
        };
        // A path that is not UTF-8 can't be told.
        let text = match serde_json::to_string(&handover) {
            Ok(text) if text.len() <= MAX_BYTES => text,
            _ => return,
        };
        tracing::info!("nothing to do: beginning anew");
        #[cfg(unix)]
        {
            let error = machine::reexec(VARIABLE, &text);
            tracing::warn!(%error, "the server could not begin anew, and goes on");
            self.has_failed.set(true);
        }
    }
}

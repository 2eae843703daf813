//! The tools over the Model Context Protocol.
//!
//! Knows the protocol library, and nobody else does. Below this room everything blocks, so every call runs on a thread of
//! its own.

mod call;
mod definitions;
mod ending;
mod handler;
mod history;
pub mod http;
mod idle_reexec;
mod input;
mod logs;
mod message;
mod prompts;
pub mod replay;
mod resources;
mod roots;
mod session;
pub mod stdio;
mod stdio_transport;
#[cfg(test)]
mod tests;
mod uri;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{Extensions, Tool};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::error::Result;
use crate::tools::{Call, ToolSpec};
use crate::workspace::Workspaces;
use call::CallRunner;
use ending::Lifetime;
use history::{Asked, CallHistory, Caller};
use logs::LogLevel;
use roots::ClientRoots;

/// The most calls of all sessions that run or wait; more are told to come later.
const MAX_CALLS: usize = 256;

/// State that all sessions of a process share.
struct Shared {
    tools: Vec<ToolSpec>,
    workspaces: Workspaces,
    lifetime: Lifetime,
    definitions: OnceLock<Vec<Tool>>,
    room: Semaphore,
    history: CallHistory,
    n_sessions: AtomicU64,
}

impl Shared {
    fn new(tools: Vec<ToolSpec>, workspaces: Workspaces, lifetime: Lifetime) -> Self {
        Self {
            tools,
            workspaces,
            lifetime,
            definitions: OnceLock::new(),
            room: Semaphore::new(MAX_CALLS),
            history: CallHistory::default(),
            n_sessions: AtomicU64::default(),
        }
    }

    /// Notes a call that ended in the history, and counts it.
    fn note(&self, caller: &Caller<'_>, asked: Asked, outcome: &Result<Value>, took: Duration) {
        let counted = self.history.note(caller, asked, outcome, took);
        self.workspaces.count_call(&counted);
    }

    fn definitions(&self) -> &[Tool] {
        self.definitions
            .get_or_init(|| self.tools.iter().map(definitions::definition).collect())
    }
}

/// The server for one client, over any transport.
struct Server {
    shared: Arc<Shared>,
    repo: Option<PathBuf>,
    cwd: Option<PathBuf>,
    roots: ClientRoots,
    level: LogLevel,
    /// The session, as the history of calls names it.
    session: String,
}

impl Server {
    /// Returns a server for one client. `repo` is where the repository was said to be at the start; only
    /// without it do the client's roots and then `cwd` count.
    fn new(shared: Arc<Shared>, repo: Option<PathBuf>, cwd: Option<PathBuf>) -> Self {
        let n = shared.n_sessions.fetch_add(1, Ordering::Relaxed) + 1;
        Self {
            shared,
            repo,
            cwd,
            roots: ClientRoots::default(),
            level: LogLevel::default(),
            session: format!("mcp-{n}"),
        }
    }

    /// Returns the paths where a call looks for its repository. A path given at the start, or by the address of the
    /// server, stands alone: a mistyped path must not be answered from another repository.
    async fn places(&self, extensions: &Extensions) -> Vec<PathBuf> {
        if let Some(repo) = &self.repo {
            return vec![repo.clone()];
        }
        let head = extensions.get::<hyper::http::request::Parts>();
        let name = head.and_then(|head| http::repository(head.uri.path()));
        if let (Some(name), Some(served)) = (name, self.shared.workspaces.served()) {
            return served
                .by_name(name)
                .map(PathBuf::from)
                .into_iter()
                .collect();
        }
        let root = self.roots.current().await;
        root.into_iter().chain(self.cwd.clone()).collect()
    }

    /// Runs `work` for a request, off the thread of the messages, and tells the client's log of it.
    async fn run<T: Send + 'static>(
        &self,
        name: &'static str,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Call<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let begun = Instant::now();
        let running = CallRunner {
            name,
            places: self.places(&context.extensions).await,
            shared: Arc::clone(&self.shared),
            client: client_of(context),
        };
        let outcome = running.finish(Some(context), work).await;
        let error = outcome.as_ref().err();
        self.level.tell(context, name, begun.elapsed(), error).await;
        outcome
    }
}

/// The client of a request, as it calls itself.
fn client_of(context: &RequestContext<RoleServer>) -> Option<String> {
    let client = context.peer.peer_info()?;
    Some(client.client_info.name.clone())
}

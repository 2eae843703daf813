//! The tools over the Model Context Protocol.
//!
//! Knows the protocol library and the asynchronous runtime, and nobody else does: below this room
//! everything blocks, so every call runs on a thread of its own. Refuses to know what a tool does and
//! how an answer looks on a terminal.

mod call;
mod roots;
pub mod stdio;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::tools::ToolSpec;
use crate::workspace::Workspaces;
use roots::Roots;

/// What is said of each tool in the instructions, in the order of use; a tool that is not served is
/// not spoken of.
const ADVICE: &[(&str, &str)] = &[
    (
        "cl_search",
        "find code by words, identifiers or intent; prefer it to grep for \"where is\" and \"how does\" questions",
    ),
    (
        "cl_explore",
        "first orientation in an unknown area: search grouped by file, with its neighbours",
    ),
    (
        "cl_map",
        "outline of a file or directory; without a path, the files that matter most",
    ),
    (
        "cl_expand",
        "exact current source of a handle or line range; use it instead of reading whole files",
    ),
    (
        "cl_related",
        "what a file imports, is imported by, calls or is tested by",
    ),
    ("cl_impact", "callers and tests to check before a change"),
    (
        "cl_current",
        "branch, commit and state of the index; builds nothing",
    ),
    (
        "cl_refresh",
        "build the index fully; needed only for a first build of a large repository",
    ),
];

const HOW_TO_READ: &str = "Every answer about code says `freshness`: `fresh` = proved equal to the \
files on disk during this call; `partial` = `pendingFiles` files are not brought up yet; `unknown` = \
not proved. Anything marked `stale: true` must be read with cl_expand before you rely on it. Handles \
(`sym_…`, `chk_…`, `rel:path`) stay valid across edits and branches.";

const HOW_IT_WORKS: &str = "Indexes follow git by themselves: after an edit, commit, checkout or new \
worktree just ask again. Pass `repo` when you work in several repositories. Errors carry `hint`: the \
exact next step. Nothing here changes your files.";

/// The tools as a server of the protocol, whatever carries its messages.
struct Server {
    tools: &'static [ToolSpec],
    workspaces: Arc<Workspaces>,
    repo: Option<PathBuf>,
    cwd: Option<PathBuf>,
    roots: Roots,
    definitions: OnceLock<Vec<Tool>>,
    lifetime: Lifetime,
}

/// The two steps in which a session ends.
#[derive(Clone, Default)]
struct Lifetime {
    /// The client says and hears nothing more, except the answers that are under way.
    closing: CancellationToken,
    /// What still runs has to stop.
    stopping: CancellationToken,
}

impl Server {
    /// Returns a server of `tools`. `repo` is where the repository was said to be at the start; only
    /// without it do the client's roots and then `cwd` count.
    fn new(
        tools: &'static [ToolSpec],
        workspaces: Arc<Workspaces>,
        repo: Option<PathBuf>,
        cwd: Option<PathBuf>,
    ) -> Self {
        Self {
            tools,
            workspaces,
            repo,
            cwd,
            roots: Roots::default(),
            definitions: OnceLock::new(),
            lifetime: Lifetime::default(),
        }
    }

    /// Returns where a call looks for its repository. What was said at the start stands alone: a
    /// mistyped place must not be answered from another repository.
    async fn places(&self) -> Vec<PathBuf> {
        if let Some(repo) = &self.repo {
            return vec![repo.clone()];
        }
        let root = self.roots.current().await;
        root.into_iter().chain(self.cwd.clone()).collect()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("codelens", env!("CARGO_PKG_VERSION")).with_title("CodeLens"),
            )
            .with_instructions(instructions(self.tools))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self
            .definitions
            .get_or_init(|| self.tools.iter().map(definition).collect());
        Ok(ListToolsResult::with_all_items(tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == request.name) else {
            let known: Vec<_> = self.tools.iter().map(|tool| tool.name).collect();
            return Err(ErrorData::invalid_params(
                format!(
                    "unknown tool `{}`; the tools are {}",
                    request.name,
                    known.join(", ")
                ),
                None,
            ));
        };
        let input = Value::Object(request.arguments.unwrap_or_default());
        let running = call::Running {
            tool,
            input,
            places: self.places().await,
            workspaces: Arc::clone(&self.workspaces),
            lifetime: self.lifetime.clone(),
        };
        Ok(running.finish(&context).await.into())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.roots.ask(context.peer);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.roots.ask(context.peer);
    }
}

fn definition(tool: &ToolSpec) -> Tool {
    Tool::new(tool.name, tool.about, Arc::new((tool.input_schema)()))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new((tool.output_schema)()))
        .with_annotations(
            // Every tool may be called again with the same input: a second drop, save or prune
            // changes nothing that the first did not.
            ToolAnnotations::new()
                .read_only(tool.read_only)
                .destructive(tool.destructive)
                .idempotent(true)
                .open_world(false),
        )
}

/// Returns what an agent is told once: under 400 tokens, the most useful first, because some clients
/// show only the first 500 characters.
fn instructions(tools: &[ToolSpec]) -> String {
    let is_served = |name: &str| tools.iter().any(|tool| tool.name == name);
    let mut text = String::from(
        "CodeLens: search and structure of this git repository, always for the branch and the edits \
         that are on disk now. Use cl_search to find code, cl_map for outlines, cl_expand to read. \
         Every answer says `freshness`; results marked `stale` must be read with cl_expand.\n\n",
    );
    for (name, advice) in ADVICE.iter().filter(|(name, _)| is_served(name)) {
        text.push_str("- ");
        text.push_str(name);
        text.push_str(": ");
        text.push_str(advice);
        text.push('\n');
    }
    text.push('\n');
    text.push_str(HOW_TO_READ);
    text.push(' ');
    text.push_str(HOW_IT_WORKS);
    text
}

//! The configuration files of agents: adds and removes the entry that starts this server.
//!
//! Knows for each client where its servers are listed, under which key and in which format. An edit is one entry, or
//! one fenced block of Markdown; everything around it keeps its bytes. Before a file is touched, its bytes are kept in
//! the data directory, so that removing the entry restores them.

mod config_paths;
mod disk;
mod edit;
mod journal;
mod json_text;
mod managed_block;
mod setup;
mod toml_text;

use serde_json::{Value, json};

pub use config_paths::{Machine, System};
pub use disk::Problem;
pub use managed_block::GUIDE;
pub use setup::{Act, EntryRemoval, FileEffect, Job, install, uninstall};

/// The name of the entry in every client.
pub const ENTRY: &str = "codelens";

/// The owner of the configuration: the user or the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigScope {
    /// The user's, for every repository.
    User,
    /// The configuration in the repository, committed with it.
    Project,
}

impl ConfigScope {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// JSON, with comments and trailing commas where the client takes them.
    Json,
    /// TOML.
    Toml,
    /// Markdown with a fenced block.
    Markdown,
}

/// The shape of an entry: how the command and its arguments are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryShape {
    /// `command` and `args`.
    Plain,
    /// The same, and `type` in front.
    Typed,
    /// `type` `local`, and one list of words.
    Words,
}

/// An entry: its fields, in the order in which people write them.
type ClientEntry = Vec<(&'static str, Value)>;

/// An agent that speaks the protocol.
#[derive(Debug)]
pub struct Client {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How its file is written.
    pub format: FileFormat,
    /// The keys that lead to its servers.
    keys: &'static [&'static str],
    shape: EntryShape,
    /// Names of the client's programs, where it has a command.
    programs: &'static [&'static str],
    /// A hint for the user after the client was set up.
    pub hint: &'static str,
}

/// All known clients, by their own documentation (read in November 2026; the page is named with each).
pub const CLIENTS: &[Client] = &[
    // code.claude.com/docs/en/mcp: `.mcp.json` and `~/.claude.json`, `mcpServers`, `type` `stdio`.
    Client {
        id: "claude-code",
        name: "Claude Code",
        format: FileFormat::Json,
        keys: &["mcpServers"],
        shape: EntryShape::Typed,
        programs: &["claude"],
        hint: "start a new session; `/mcp` shows it",
    },
    // modelcontextprotocol.io/docs/develop/connect-local-servers: `claude_desktop_config.json`, `mcpServers`.
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        format: FileFormat::Json,
        keys: &["mcpServers"],
        shape: EntryShape::Plain,
        programs: &[],
        hint: "quit and start it again; it has no working directory: install with --repo PATH, or name `repo` in the question",
    },
    // cursor.com/docs/context/mcp: `.cursor/mcp.json` and `~/.cursor/mcp.json`, `mcpServers`.
    Client {
        id: "cursor",
        name: "Cursor",
        format: FileFormat::Json,
        keys: &["mcpServers"],
        shape: EntryShape::Plain,
        programs: &["cursor", "cursor-agent"],
        hint: "switch it on under Settings, MCP, if it is off",
    },
    // code.visualstudio.com/docs/copilot/reference/mcp-configuration: `mcp.json`, `servers`, `type` is required.
    Client {
        id: "vscode",
        name: "VS Code",
        format: FileFormat::Json,
        keys: &["servers"],
        shape: EntryShape::Typed,
        programs: &["code"],
        hint: "`MCP: List Servers` in the command palette starts it",
    },
    // developers.openai.com/codex/mcp: `~/.codex/config.toml`, and `.codex/config.toml` in trusted projects.
    Client {
        id: "codex",
        name: "Codex CLI",
        format: FileFormat::Toml,
        keys: &["mcp_servers"],
        shape: EntryShape::Plain,
        programs: &["codex"],
        hint: "start a new session; `/mcp` shows it",
    },
    // geminicli.com/docs/tools/mcp-server: `settings.json` in `~/.gemini` or `.gemini`, `mcpServers`.
    Client {
        id: "gemini",
        name: "Gemini CLI",
        format: FileFormat::Json,
        keys: &["mcpServers"],
        shape: EntryShape::Plain,
        programs: &["gemini"],
        hint: "start a new session; `/mcp` shows it",
    },
    // opencode.ai/docs/mcp-servers: `opencode.json` or `opencode.jsonc`, `mcp`, `type` `local`. Version 2 reads this shape, and
    // one with `servers` in between, which is kept where it is in use.
    Client {
        id: "opencode",
        name: "opencode",
        format: FileFormat::Json,
        keys: &["mcp"],
        shape: EntryShape::Words,
        programs: &["opencode"],
        hint: "start a new session; `opencode mcp list` shows it",
    },
    // docs.windsurf.com/windsurf/cascade/mcp: `~/.codeium/windsurf/mcp_config.json`, `mcpServers`; nothing in a project.
    Client {
        id: "windsurf",
        name: "Windsurf",
        format: FileFormat::Json,
        keys: &["mcpServers"],
        shape: EntryShape::Plain,
        programs: &["windsurf"],
        hint: "press refresh in Cascade's list of servers",
    },
    // zed.dev/docs/ai/mcp: `settings.json`, `context_servers`.
    Client {
        id: "zed",
        name: "Zed",
        format: FileFormat::Json,
        keys: &["context_servers"],
        shape: EntryShape::Plain,
        programs: &["zed", "zeditor"],
        hint: "the agent panel's settings show it",
    },
];

impl Client {
    /// Returns the client of a name on the command line.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// Returns its entry for a server that these words start.
    fn entry(&self, words: &[String]) -> ClientEntry {
        let (command, args) = words
            .split_first()
            .map_or(("", words), |(first, rest)| (first.as_str(), rest));
        let plain = [("command", json!(command)), ("args", json!(args))];
        match self.shape {
            EntryShape::Plain => plain.into(),
            EntryShape::Typed => [("type", json!("stdio"))]
                .into_iter()
                .chain(plain)
                .collect(),
            EntryShape::Words => vec![
                ("type", json!("local")),
                ("command", json!(words)),
                ("enabled", json!(true)),
            ],
        }
    }

    /// Returns a file that holds its entry alone, for whoever wants to write it by hand.
    pub fn example(&self, words: &[String]) -> String {
        edit::add(self.format, "", self.keys, &self.entry(words))
            .expect("an empty file takes an entry")
    }
}

//! The entries that `install` writes into the files of agents, and `uninstall`, which leaves each file as it was.

mod bytes;
mod foreign_entries;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Cli, Fixture};

/// An account with files of clients in it, and a repository.
struct Account {
    cli: Cli,
    dir: tempfile::TempDir,
    repo: crate::support::Repo,
}

impl Account {
    /// The files are given from the user's directory.
    fn with(files: &[(&str, &str)]) -> Self {
        let repo = Fixture::parse("//- /a.ts\nexport const a = 1;\n//- commit one\n").build();
        let dir = tempfile::tempdir().unwrap();
        let mut cli = Cli::new(repo.path());
        cli.set("HOME", dir.path().to_str().unwrap());
        cli.set("PATH", "");
        let account = Self { cli, dir, repo };
        for (path, text) in files {
            let file = account.path(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        account
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Does what the arguments say and returns client and act of each file.
    fn acts(&self, args: &[&str]) -> Vec<(String, String)> {
        let value = self.cli.json(args);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let files = value["files"].as_array().unwrap().iter();
        files
            .map(|file| (text(&file["client"]), text(&file["act"])))
            .collect()
    }

    fn act(&self, args: &[&str]) -> String {
        let acts = self.acts(args);
        assert_eq!(acts.len(), 1, "{acts:?}");
        acts.into_iter().next().unwrap().1
    }
}

/// Everything below a directory: bytes of files, targets of links, and directories.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if let Ok(target) = fs::read_link(&path) {
                found.insert(name, target.as_os_str().as_encoded_bytes().to_vec());
            } else if path.is_dir() {
                found.insert(name + "/", Vec::new());
                directories.push(path);
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

const ALL: [&str; 9] = [
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "codex",
    "gemini",
    "opencode",
    "windsurf",
    "zed",
];

/// Where each client keeps its servers on this system, and how it names their group.
fn places() -> [(&'static str, String, &'static str); 9] {
    let settings = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".config"
    };
    [
        ("claude-code", ".claude.json".to_owned(), "mcpServers"),
        (
            "claude-desktop",
            format!("{settings}/Claude/claude_desktop_config.json"),
            "mcpServers",
        ),
        ("cursor", ".cursor/mcp.json".to_owned(), "mcpServers"),
        (
            "vscode",
            format!("{settings}/Code/User/mcp.json"),
            "servers",
        ),
        ("codex", ".codex/config.toml".to_owned(), "mcp_servers"),
        ("gemini", ".gemini/settings.json".to_owned(), "mcpServers"),
        (
            "opencode",
            ".config/opencode/opencode.json".to_owned(),
            "mcp",
        ),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json".to_owned(),
            "mcpServers",
        ),
        (
            "zed",
            ".config/zed/settings.json".to_owned(),
            "context_servers",
        ),
    ]
}

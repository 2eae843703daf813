//! The built program from outside: exit codes, streams, and a session over standard input and output.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) use crate::support::Session;

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}"#;

/// A data directory and a git repository with one commit.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let place = Self { dir };
        place.make_repo();
        place
    }

    pub(crate) fn repo(&self) -> std::path::PathBuf {
        self.dir.path().join("repo")
    }

    pub(crate) fn command(&self, arguments: &[&str], cwd: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_codelens"));
        command
            .args(arguments)
            .current_dir(cwd)
            .env("CODELENS_HOME", self.dir.path().join("home"))
            .env_remove("CODELENS_REPO")
            .env_remove("CODELENS_LOG")
            .env_remove("CLICOLOR_FORCE");
        command
    }

    /// Makes the repository, with one commit.
    fn make_repo(&self) {
        let repo = self.repo();
        std::fs::create_dir_all(&repo).unwrap();
        std::fs::write(repo.join("a.ts"), "export function open() {}\n").unwrap();
        for line in [
            "init -q -b main",
            "add .",
            "-c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q -m base",
        ] {
            let status = Command::new("git")
                .args(line.split(' '))
                .current_dir(&repo)
                .status();
            assert!(status.unwrap().success(), "git {line}");
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments, &self.repo()).output().unwrap()
    }

    /// Starts a server and speaks `initialize` to it.
    pub(crate) fn serve(&self) -> Session {
        let mut session = self.serve_silently();
        let hello = session.ask(
            0,
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(hello["result"]["serverInfo"]["name"], "codelens");
        session.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        session
    }

    fn serve_silently(&self) -> Session {
        Session::silent(self.command(&["serve"], &self.repo()))
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[cfg(unix)]
#[test]
fn a_repository_that_was_made_again_at_its_place_is_served() {
    let place = Place::new();
    let mut session = place.serve();
    let find = json!({"name": "cl_search", "arguments": {"query": "open"}});
    let before = session.ask(1, "tools/call", &find);
    assert_eq!(before["result"]["structuredContent"]["freshness"], "fresh");
    std::fs::remove_dir_all(place.repo()).unwrap();
    let gone = session.ask(2, "tools/call", &find);
    assert_eq!(gone["result"]["isError"], true, "{gone}");
    place.make_repo();
    let after = session.ask(3, "tools/call", &find);
    let found = &after["result"]["structuredContent"];
    assert_eq!(found["freshness"], "fresh", "{after}");
    assert_eq!(found["results"][0]["path"], "a.ts", "{after}");
    session.close();
}

#[test]
fn both_faces_return_the_same_value() {
    let place = Place::new();
    let printed = place.run(&["current", "--json"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    assert_eq!(text(&printed.stderr), "");
    let line = text(&printed.stdout);
    assert_eq!(line.find('\n'), Some(line.len() - 1), "one line: {line:?}");
    let mut session = place.serve();
    let called = session.ask(1, "tools/call", &json!({"name": "cl_current"}));
    let result = &called["result"];
    let printed: Value = serde_json::from_str(line).unwrap();
    assert_eq!(result["structuredContent"], printed);
    assert_eq!(result["content"][0]["text"], line.trim_end());
    let (elapsed, rest, code) = session.close();
    assert!(elapsed < Duration::from_secs(1));
    assert_eq!((rest.as_str(), code), ("", Some(0)));
}

#[test]
fn people_read_lines_and_no_colours_in_a_pipe() {
    let place = Place::new();
    let printed = place.run(&["current"]);
    let shown = text(&printed.stdout);
    assert!(
        shown.contains("branch") && shown.contains("main"),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}') && !shown.contains('{'), "{shown}");
    let printed = place.run(&["current", "--color", "always"]);
    assert!(text(&printed.stdout).contains('\u{1b}'));
    let forced = place
        .command(&["current"], &place.repo())
        .env("CLICOLOR_FORCE", "1")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    assert!(text(&forced.stdout).contains('\u{1b}'));
    let doctor = place.run(&["doctor"]);
    assert!(doctor.status.success(), "{}", text(&doctor.stderr));
    let shown = text(&doctor.stdout);
    assert!(shown.contains('✓') || shown.contains('✗'), "{shown}");
}

#[test]
fn wrong_usage_is_told_apart_from_errors() {
    let place = Place::new();
    let refused = place.run(&["curent"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(text(&refused.stdout), "");
    assert!(text(&refused.stderr).contains("current"), "did you mean");
    assert_eq!(place.run(&["current", "--nope"]).status.code(), Some(2));
    assert_eq!(place.run(&[]).status.code(), Some(2));
    let broken = place
        .command(&["current", "--json"], &place.repo())
        .env("CODELENS_HOME", "relative")
        .output()
        .unwrap();
    assert_eq!(broken.status.code(), Some(1));
    assert_eq!(text(&broken.stdout), "");
    let error: Value = serde_json::from_slice(&broken.stderr).unwrap();
    assert_eq!(error["error"]["code"], "invalid_argument");
    let broken = place
        .command(&["current"], &place.repo())
        .env("CODELENS_HOME", "relative")
        .output()
        .unwrap();
    let said = text(&broken.stderr);
    assert!(
        said.starts_with("error: ") && said.contains("\nhint: "),
        "{said}"
    );
}

#[test]
fn help_teaches_and_the_version_is_told() {
    let place = Place::new();
    let help = place.run(&["--help"]);
    assert!(help.status.success());
    let shown = text(&help.stdout);
    for word in ["Examples:", "codelens search", "codelens refresh", "serve"] {
        assert!(shown.contains(word), "{word}");
    }
    let version = place.run(&["--version"]);
    let shown = text(&version.stdout);
    let expected = concat!("codelens ", env!("CARGO_PKG_VERSION"));
    assert!(shown.starts_with(expected), "{shown}");
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(&["completions", shell]);
        assert!(text(&script.stdout).contains("codelens"), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    let mut child = place
        .command(&["completions", "zsh"], &place.repo())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(text(&ended.stderr), "");
    assert_eq!(ended.status.code(), Some(0));
}

#[test]
fn the_repository_can_be_named() {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let named = place
        .command(&["--repo", "repo", "current", "--json"], place.dir.path())
        .output()
        .unwrap();
    let value: Value = serde_json::from_slice(&named.stdout).unwrap();
    assert!(value["repo"].as_str().unwrap().ends_with("repo"), "{value}");
    let by_environment = place
        .command(&["current", "--json"], elsewhere.path())
        .env("CODELENS_REPO", place.repo())
        .output()
        .unwrap();
    let same: Value = serde_json::from_slice(&by_environment.stdout).unwrap();
    assert_eq!(same["repo"], value["repo"]);
}

#[test]
fn a_session_survives_what_a_client_may_do() {
    let place = Place::new();
    let mut session = place.serve();
    for line in ["not json", "{", "[]", "{\"jsonrpc\":\"2.0\",\"id\":1.5}"] {
        session.line(line);
    }
    let refused = session.ask(1, "tools/call", &json!({"name": "cl_nothing"}));
    assert_eq!(refused["error"]["code"], -32602);
    let wrong = json!({"name": "cl_current", "arguments": {"branchh": 1}});
    let refused = session.ask(2, "tools/call", &wrong);
    let error = &refused["result"]["structuredContent"]["error"];
    assert_eq!(refused["result"]["isError"], true);
    assert_eq!(error["code"], "invalid_argument");
    let listed = session.ask(3, "tools/list", &json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(name.starts_with("cl_"), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{name}");
        assert!(!tool["description"].as_str().unwrap().is_empty(), "{name}");
    }
    assert_eq!(session.close().2, Some(0));
}

#[test]
fn a_client_without_handshake_is_served() {
    let place = Place::new();
    let mut session = place.serve_silently();
    let meta: Value = serde_json::from_str(META).unwrap();
    let found = session.ask(1, "server/discover", &json!({"_meta": meta}));
    assert!(found["result"]["supportedVersions"].is_array(), "{found}");
    let params = json!({"name": "cl_current", "_meta": meta});
    let called = session.ask(2, "tools/call", &params);
    assert_eq!(called["result"]["structuredContent"]["branch"], "main");
    assert_eq!(session.close().2, Some(0));
}

#[test]
fn the_handshake_needs_no_repository() {
    let place = Place::new();
    let empty = tempfile::tempdir().unwrap();
    let mut session = Session::silent(place.command(&["serve"], empty.path()));
    let hello = session.ask(
        0,
        "initialize",
        &json!({"protocolVersion": "2024-11-05", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}),
    );
    assert_eq!(hello["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(session.close().2, Some(0));
}

#[cfg(unix)]
#[test]
fn a_server_that_is_asked_to_end_does_so_cleanly() {
    for signal in ["-TERM", "-INT"] {
        let mut session = Place::new().serve();
        let id = session.child.id().to_string();
        let begun = Instant::now();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(session.child.wait().unwrap().code(), Some(0), "{signal}");
        assert!(begun.elapsed() < Duration::from_secs(1), "{signal}");
    }
}

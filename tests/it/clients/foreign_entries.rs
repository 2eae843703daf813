//! Entries of others in the agents' files, broken files, the repository, the guide.

use std::fs;

use serde_json::Value;

use super::{Account, tree};

#[test]
fn of_a_file_that_was_edited_meanwhile_the_entry_alone_goes() {
    let codex = "model = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
    let account = Account::with(&[
        (
            ".cursor/mcp.json",
            "{\n  // mine\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
        ),
        (".gemini/settings.json", "{\"theme\":\"dark\"}"),
        (".codex/config.toml", codex),
    ]);
    account.acts(&["install"]);
    let edit = |path: &str, from: &str, to: &str| {
        let text = account.read(path);
        assert!(text.contains(from), "{text}");
        fs::write(account.path(path), text.replacen(from, to, 1)).unwrap();
    };
    edit(
        ".cursor/mcp.json",
        "\"command\": \"x\"",
        "\"command\": \"y\"",
    );
    // As a client does that writes its whole file anew.
    let value: Value = serde_json::from_str(&account.read(".gemini/settings.json")).unwrap();
    fs::write(account.path(".gemini/settings.json"), format!("{value:#}")).unwrap();
    edit(".gemini/settings.json", "\"dark\"", "\"light\"");
    edit(".codex/config.toml", "[\"serve\"]", "[\"serve\", \"-v\"]");
    edit(".codex/config.toml", "model = \"o\"", "model = \"p\"");
    fs::write(
        account.path(".codex/config.toml"),
        account.read(".codex/config.toml")
            + "startup_timeout_sec = 9\n\n# below\n[tools]\nweb = true\n",
    )
    .unwrap();
    let acts = account.acts(&["uninstall"]);
    assert!(acts.iter().all(|(_, act)| act == "removed"), "{acts:?}");
    assert_eq!(
        account.read(".cursor/mcp.json"),
        "{\n  // mine\n  \"mcpServers\": {\n    \"other\": {\"command\": \"y\"}\n  }\n}\n"
    );
    let value: Value = serde_json::from_str(&account.read(".gemini/settings.json")).unwrap();
    assert_eq!(value, serde_json::json!({"theme": "light"}));
    assert_eq!(
        account.read(".codex/config.toml"),
        codex.replace("\"o\"", "\"p\"") + "\n# below\n[tools]\nweb = true\n"
    );
}

#[test]
fn an_entry_of_somebody_else_is_left_alone_and_comes_back() {
    let own = "{\"mcpServers\": {\"codelens\": {\"command\": \"mine\"}}}";
    let account = Account::with(&[(".cursor/mcp.json", own)]);
    assert_eq!(account.act(&["install"]), "foreign");
    assert_eq!(account.read(".cursor/mcp.json"), own);
    assert_eq!(account.acts(&["uninstall"]), []);
    assert_eq!(account.act(&["install", "--force"]), "updated");
    assert_ne!(account.read(".cursor/mcp.json"), own);
    assert_eq!(account.act(&["uninstall"]), "restored");
    assert_eq!(account.read(".cursor/mcp.json"), own);
}

#[test]
fn another_command_takes_the_place_of_the_first_and_leaves_no_trace() {
    let account = Account::with(&[(".cursor/mcp.json", "{ }")]);
    account.act(&["install"]);
    let words = [
        "--command",
        "npx",
        "--command",
        "-y",
        "--command",
        "codelens",
    ];
    assert_eq!(
        account.act(&[&["install"], words.as_slice()].concat()),
        "updated"
    );
    let value: Value = serde_json::from_str(&account.read(".cursor/mcp.json")).unwrap();
    assert_eq!(
        value["mcpServers"]["codelens"]["args"],
        serde_json::json!(["-y", "codelens", "serve"])
    );
    account.act(&["uninstall"]);
    assert_eq!(account.read(".cursor/mcp.json"), "{ }");
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_and_told() {
    for (path, text, part) in [
        (".cursor/mcp.json", "{\"a\": ", "not valid JSON"),
        (".cursor/mcp.json", "[1]", "not an object"),
        (
            ".cursor/mcp.json",
            "{\"mcpServers\": []}",
            "`mcpServers` is not an object",
        ),
        (".codex/config.toml", "a = ", "not valid TOML"),
    ] {
        let account = Account::with(&[(path, text), (".gemini/settings.json", "{}")]);
        let ran = account.cli.run(&["install"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stdout.contains(part), "{ran:?}");
        assert_eq!(account.read(path), text);
        assert!(
            account.read(".gemini/settings.json").contains("codelens"),
            "the others are set up"
        );
    }
}

#[test]
fn the_repository_is_written_only_when_asked_and_never_left_by_a_link() {
    let account = Account::with(&[
        (".cursor/x", ""),
        (".codex/x", ""),
        (".codeium/windsurf/x", ""),
        ("victim", "keep"),
    ]);
    let root = account.repo.path();
    let git = || {
        account
            .repo
            .git(&["status", "--porcelain", "--untracked-files=all"])
    };
    account.acts(&["install"]);
    assert_eq!(git(), "");
    let acts = account.acts(&["install", "--scope", "project"]);
    assert_eq!(
        acts.len(),
        2,
        "Windsurf has no file in a repository: {acts:?}"
    );
    assert_eq!(git(), "?? .codex/config.toml\n?? .cursor/mcp.json");
    assert!(
        account
            .repo
            .read(".codex/config.toml")
            .contains("command = \"codelens\""),
        "no path of this machine"
    );
    account.acts(&["uninstall", "--scope", "project"]);
    assert_eq!(git(), "");
    assert!(!root.join(".cursor").exists());
    assert!(
        account.read(".cursor/mcp.json").contains("codelens"),
        "the user's stays"
    );
    std::os::unix::fs::symlink(account.path("victim"), root.join(".mcp.json")).unwrap();
    let ran = account
        .cli
        .run(&["install", "--scope", "project", "--client", "claude-code"]);
    assert!(
        ran.code == 1 && ran.stdout.contains("leads out of the repository"),
        "{ran:?}"
    );
    assert_eq!(account.read("victim"), "keep");
}

#[test]
fn the_guide_is_added_only_when_asked() {
    let account = Account::with(&[(".cursor/mcp.json", "{}")]);
    account.repo.write("CLAUDE.md", "# Rules\r\n\r\nBe kind.");
    account.acts(&["install"]);
    assert!(!account.repo.read("CLAUDE.md").contains("codelens"));
    let guides = ["install", "--guide", "CLAUDE.md", "--guide", "AGENTS.md"];
    assert_eq!(account.acts(&guides).len(), 2);
    assert!(account.repo.read("AGENTS.md").contains("cl_impact"));
    assert!(
        account
            .repo
            .read("CLAUDE.md")
            .starts_with("# Rules\r\n\r\nBe kind.\r\n\r\n<!-- codelens:begin")
    );
    assert!(
        account
            .acts(&guides)
            .iter()
            .all(|(_, act)| act == "unchanged")
    );
    let text = account.repo.read("AGENTS.md");
    account
        .repo
        .write("AGENTS.md", format!("# Mine\n\n{text}\nMore.\n"));
    account.acts(&["uninstall", "--scope", "project"]);
    assert_eq!(account.repo.read("CLAUDE.md"), "# Rules\r\n\r\nBe kind.");
    assert_eq!(account.repo.read("AGENTS.md"), "# Mine\n\nMore.\n");
    assert!(account.read(".cursor/mcp.json").contains("codelens"));
}

#[test]
fn what_is_not_known_is_printed() {
    let account = Account::with(&[]);
    let before = tree(account.dir.path());
    let value: Value =
        serde_json::from_str(&account.cli.run(&["install", "--print"]).stdout).unwrap();
    assert_eq!(
        value["mcpServers"]["codelens"]["args"],
        serde_json::json!(["serve"])
    );
    let shown = account
        .cli
        .run(&["install", "--print", "--client", "codex"])
        .stdout;
    assert!(shown.contains("[mcp_servers.codelens]"), "{shown}");
    let said = account.cli.fails(&["install"], 1);
    assert!(
        said.contains("no supported agent was found") && said.contains("--print"),
        "{said}"
    );
    assert_eq!(tree(account.dir.path()), before);
}

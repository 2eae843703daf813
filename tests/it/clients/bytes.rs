//! Every file is again what it was, byte for byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use super::{ALL, Account, places, tree};

/// Files as people leave them, with `GROUP` for the client's own key.
const JSONS: [&str; 12] = [
    "",
    "\n",
    "{}",
    "{}\n",
    "{\"GROUP\":{}}",
    "{\"GROUP\":{\"other\":{\"command\":\"x\",\"args\":[\"-y\"]}},\"theme\":\"dark\"}",
    "{\n  // mine\n  \"GROUP\": {\n    \"other\": { \"command\": \"x\", }, // kept\n    /* and this */\n  },\n  \"z\": 1, \"a\": [1,\n2],\n}\n",
    "{\r\n\t\"theme\": \"dark\",\r\n\t\"GROUP\": {\r\n\t\t\"other\": {\"command\": \"x\"}\r\n\t}\r\n}\r\n",
    "\u{feff}{\n    \"ä\": \"ü €\",\n    \"GROUP\": {\n    }\n}",
    "// first\n{\n  \"deep\": {\"GROUP\": {\"codelens\": 1}},\n  \"n\": 1.50e3\n}\n// last",
    "{\n  \"GROUP\": {\n    \"other\": {\"command\": \"x\"}\n    // at the end, no comma\n  }\n}",
    "{\n\n\n}",
];

const TOMLS: [&str; 8] = [
    "",
    "model = \"o\" # mine\n",
    "model = \"o\"",
    "# top\r\nmodel = \"o\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"x\"\r\nargs = [ \"-y\" ,]\r\n# end",
    "[mcp_servers]\nother = { command = \"x\" }\n\n[profiles.a]\nmodel = '''\n[mcp_servers.codelens]\n'''\n",
    "mcp_servers = { other = { command = \"x\" } } # one line\nz = 1\n",
    "mcp_servers.other.command = \"x\"\nd = 1979-05-27T07:32:00Z\n",
    "a = 1\r\n[mcp_servers.other]\ncommand = \"mixed\"\r\n",
];

#[test]
fn what_was_there_is_there_again_byte_for_byte() {
    let rounds = JSONS.len();
    for round in 0..rounds {
        let files = places().map(|(client, path, group)| {
            let text = match client {
                "codex" => TOMLS[round % TOMLS.len()].to_owned(),
                _ => JSONS[round].replace("GROUP", group),
            };
            (path, text)
        });
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let account = Account::with(&files);
        let before = tree(account.dir.path());

        let planned = account.acts(&["install", "--dry-run"]);
        assert_eq!(
            planned,
            ALL.map(|client| (client.to_owned(), "added".to_owned())),
            "round {round}"
        );
        assert_eq!(tree(account.dir.path()), before, "a dry run writes nothing");

        assert_eq!(account.acts(&["install"]), planned);
        let with = tree(account.dir.path());
        for (path, text) in &files {
            let now = account.read(path);
            assert!(now.contains("codelens") && now != *text, "{path}: {now}");
            let lines = |text: &str| text.matches('\n').count() - text.matches("\r\n").count();
            if text.contains("\r\n") {
                assert_eq!(lines(&now), lines(text), "the ends of lines stay: {now:?}");
            }
            for part in [
                "// mine",
                "// kept",
                "/* and this */",
                "\"n\": 1.50e3",
                "args = [ \"-y\" ,]",
                "# one line",
            ] {
                assert_eq!(
                    now.contains(part),
                    text.contains(part),
                    "{path}: {part} in {now}"
                );
            }
        }
        let again = account.acts(&["install"]);
        assert!(again.iter().all(|(_, act)| act == "unchanged"), "{again:?}");
        assert_eq!(
            tree(account.dir.path()),
            with,
            "a second time changes nothing"
        );

        account.cli.json(&["refresh"]);
        assert_eq!(account.cli.json(&["search", "a"])["count"], 1);
        let removed = account.acts(&["uninstall"]);
        assert_eq!(removed.len(), 9);
        assert!(
            removed.iter().all(|(_, act)| act == "restored"),
            "{removed:?}"
        );
        assert_eq!(tree(account.dir.path()), before, "round {round}");
        assert_eq!(account.acts(&["uninstall"]), []);
        assert!(
            !account.cli.home().join("clients").exists(),
            "no backup is left behind"
        );
    }
}

#[test]
fn missing_files_and_directories_come_and_go() {
    let account = Account::with(&[]);
    let named: Vec<&str> = ALL.iter().flat_map(|client| ["--client", client]).collect();
    let before = tree(account.dir.path());
    let acts = account.acts(&[&["install"], named.as_slice()].concat());
    assert!(acts.iter().all(|(_, act)| act == "added"), "{acts:?}");
    for (client, path, group) in places() {
        let text = account.read(&path);
        if client == "codex" {
            assert!(
                text.starts_with("[mcp_servers.codelens]\ncommand = \"/"),
                "{text}"
            );
        } else {
            let value: Value = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{path}: {error}: {text}"));
            assert!(value[group]["codelens"].is_object(), "{text}");
        }
    }
    assert!(
        account
            .acts(&["uninstall"])
            .iter()
            .all(|(_, act)| act == "restored")
    );
    assert_eq!(tree(account.dir.path()), before);
}

#[test]
fn the_entry_starts_the_server() {
    let account = Account::with(&[(".cursor/mcp.json", "{}")]);
    let place = account.repo.path();
    account.act(&[
        "install",
        "--client",
        "cursor",
        "--repo",
        place.to_str().unwrap(),
    ]);
    let written: Value = serde_json::from_str(&account.read(".cursor/mcp.json")).unwrap();
    let entry = &written["mcpServers"]["codelens"];
    let args: Vec<&str> = entry["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arg| arg.as_str().unwrap())
        .collect();
    assert_eq!(args, ["serve", "--repo", place.to_str().unwrap()]);
    let ran = std::process::Command::new(entry["command"].as_str().unwrap())
        .args(args)
        .current_dir("/")
        .env("CODELENS_HOME", account.cli.home())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
}

#[test]
fn links_stay_links() {
    let account = Account::with(&[("dotfiles/mcp.json", "{\n  \"mcpServers\": {}\n}\n")]);
    fs::create_dir_all(account.path(".cursor")).unwrap();
    fs::create_dir_all(account.path(".gemini")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/mcp.json", account.path(".cursor/mcp.json")).unwrap();
    // A link to what is not there yet.
    std::os::unix::fs::symlink(
        "../dotfiles/new/settings.json",
        account.path(".gemini/settings.json"),
    )
    .unwrap();
    let before = tree(account.dir.path());
    account.acts(&["install", "--client", "cursor", "--client", "gemini"]);
    assert!(
        account.path(".cursor/mcp.json").is_symlink()
            && account.path(".gemini/settings.json").is_symlink()
    );
    assert!(account.read("dotfiles/mcp.json").contains("codelens"));
    assert!(
        account
            .read("dotfiles/new/settings.json")
            .contains("codelens")
    );
    account.acts(&["uninstall"]);
    assert_eq!(tree(account.dir.path()), before);
}

#[test]
fn permissions_stay_and_backups_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let account = Account::with(&[(".cursor/mcp.json", "{\"key\": \"secret\"}")]);
    let file = account.path(".cursor/mcp.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let value = account.cli.json(&["install", "--client", "cursor"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o640);
    let backup = PathBuf::from(value["files"][0]["backup"].as_str().unwrap());
    assert_eq!(
        fs::read_to_string(&backup).unwrap(),
        "{\"key\": \"secret\"}"
    );
    assert_eq!(mode(&backup), 0o600);
    assert_eq!(mode(backup.parent().unwrap()), 0o700);
}

//! Remotes: which stores are taken, and how they are kept.

use serde_json::json;

use crate::support::Cli;

/// A command line with a file of settings.
fn with_file(text: &str) -> (tempfile::TempDir, Cli) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("codelens.toml");
    if !text.is_empty() {
        std::fs::write(&file, text).unwrap();
    }
    let mut cli = Cli::new(dir.path());
    cli.set("CODELENS_CONFIG", file.to_str().unwrap());
    (dir, cli)
}

#[test]
fn remotes_are_kept_in_the_file_of_the_user() {
    let before = "# mine\nbudget_ms = 900 # quick\n\n[remote]\npull = \"auto\"\n";
    let (dir, cli) = with_file(before);
    let text = || std::fs::read_to_string(dir.path().join("codelens.toml")).unwrap();
    assert_eq!(cli.json(&["remote", "list"]), json!({"remotes": []}));
    let added = cli.json(&["remote", "add", "team", "s3://bucket/indexes"]);
    assert_eq!(added["added"], true);
    let again = cli.json(&["remote", "add", "team", "s3://bucket/indexes"]);
    assert_eq!(again["added"], false, "the same again is no fault");
    cli.json(&["remote", "add", "disk", "file:///srv/code%20lens"]);
    assert!(text().starts_with(before), "{}", text());
    assert_eq!(
        cli.json(&["remote", "list"])["remotes"],
        json!([
            {"name": "disk", "url": "file:///srv/code%20lens"},
            {"name": "team", "url": "s3://bucket/indexes"},
        ])
    );
    let shown = cli.json(&["config", "show"]);
    let settings = shown["settings"].as_array().unwrap();
    let pull = settings.iter().find(|it| it["name"] == "remote.pull");
    assert_eq!(pull.unwrap()["value"], "auto");
    let said = cli.fails(&["remote", "add", "team", "s3://other"], 1);
    assert!(said.contains("another address"), "{said}");
    cli.json(&["remote", "remove", "disk"]);
    cli.json(&["remote", "remove", "team"]);
    assert_eq!(text().trim_end(), before.trim_end());
    let said = cli.fails(&["remote", "remove", "team"], 1);
    assert!(said.contains("no remote `team`"), "{said}");
}

#[test]
fn an_address_with_a_credential_is_refused_and_not_repeated() {
    let (dir, cli) = with_file("");
    for (url, part) in [
        ("s3://key:hunter2@bucket/x", "user name or password"),
        ("https://hunter2@host/x", "user name or password"),
        ("az://container/x?sig=hunter2", "behind `?`"),
        ("http://example.com/hunter2", "encrypted"),
        ("ftp://host/hunter2", "scheme"),
        ("hunter2", "no address"),
        ("", "no address"),
    ] {
        let said = cli.fails(&["remote", "add", "team", url], 1);
        assert!(said.contains(part), "{url}: {said}");
        assert!(!said.contains("hunter2"), "{url}: {said}");
    }
    for name in ["", "a b", "pull", "../x", "-x"] {
        let said = cli.run(&["remote", "add", "--", name, "s3://bucket"]);
        assert_ne!(said.code, 0, "{name}");
    }
    assert!(
        !dir.path().join("codelens.toml").exists(),
        "nothing is written"
    );
    // One that was written by hand is not shown either.
    let by_hand = "[remote.team]\nurl = \"https://user:hunter2@host/x\"\n";
    let (_dir, cli) = with_file(by_hand);
    for args in [
        &["remote", "list"][..],
        &["remote", "list", "--json"],
        &["config", "show"],
    ] {
        let ran = cli.run(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let all = ran.stdout + &ran.stderr;
        assert!(!all.contains("hunter2"), "{all}");
    }
}

#[test]
fn a_file_in_another_form_is_left_as_it_is() {
    for text in [
        "remote = 7\n",
        "[remote.team]\nurl = 's3://a'\nextra = 1\n",
        "x =",
    ] {
        let (dir, cli) = with_file(text);
        let ran = cli.run(&["remote", "add", "disk", "file:///srv/x"]);
        assert_eq!(ran.code, 1, "{text}: {ran:?}");
        let now = std::fs::read_to_string(dir.path().join("codelens.toml")).unwrap();
        assert_eq!(now, text);
    }
    // Inline tables are edited like others.
    let (_dir, cli) = with_file("remote = { team = { url = 's3://a' } }\n");
    let ran = cli.run(&["remote", "remove", "team"]);
    assert!(ran.code == 1 && ran.stderr.contains("by hand"), "{ran:?}");
}

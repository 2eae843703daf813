//! Messages name the path, name or value that they are about, in the words of the face that they are read on.

use serde_json::json;

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture};

const ONE: &str = "//- /a.ts\nexport const a = 1;\n//- commit one\n";

#[test]
fn an_error_names_its_subject() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    let outside = tempfile::tempdir().unwrap();
    let place = outside.path().join("elsewhere");
    std::fs::create_dir(&place).unwrap();
    let settings = place.join("ours.toml");
    std::fs::write(&settings, "budget_ms = 5\nspeed = 1\n").unwrap();
    let mut misled = Cli::new(repo.path());
    misled.set("CODELENS_CONFIG", settings.to_str().unwrap());
    let told = misled.fails(&["search", "a"], 1);
    assert!(
        told.contains("ours.toml, line 2: there is no setting `speed`"),
        "{told}"
    );
    let place = place.to_str().unwrap();
    let missing = format!("{place}/gone");
    let broken = format!("{place}/vendor.zip");
    std::fs::write(&broken, b"PK\x03\x04garbage").unwrap();
    for (line, part) in [
        (
            &["search", "a", "--repo", place][..],
            "`elsewhere` is not inside a git work tree",
        ),
        (
            &["search", "a", "--repo", &missing],
            "no file or directory `gone`",
        ),
        (
            &["prune", "--repo", place],
            "the whole data directory is pruned",
        ),
        (
            &["search", "a", "--repo", "archive:nope"],
            "no archive `nope`",
        ),
        (&["archive", "remove", "nope"], "no archive `nope`"),
        (&["archive", "add", &missing], "`gone` can't be read"),
        (&["archive", "add", &broken], "`vendor.zip` is damaged"),
        (
            &["archive", "add", &broken, "--name", "a/b"],
            "`a/b` is no name of an archive",
        ),
        (
            &["drop", "--branch", "gone"],
            "no index of the branch `gone`",
        ),
        (&["drop", "--index-id", "idx_0"], "no index `idx_0`"),
        (
            &["search", "a", "--ref", "a..b"],
            "`--ref`: `a..b` names several commits",
        ),
        (
            &["drop", "--ref", "nope"],
            "`--ref`: no branch, tag or commit is named `nope`",
        ),
        (
            &["changes", "nope"],
            "`BASE`: no branch, tag or commit is named `nope`",
        ),
        (&["tests", "--symbol="], "`--symbol` is empty"),
        (
            &["map", "--ref="],
            "`--ref`: the name of the commit is empty",
        ),
    ] {
        let told = cli.fails(line, 1);
        assert!(told.contains(part), "{line:?}: {told}");
    }
}

#[test]
fn head_of_a_repository_without_commits_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let ran = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(dir.path())
        .status();
    assert!(ran.unwrap().success());
    let cli = Cli::new(dir.path());
    for line in [
        &["search", "a", "--ref", "HEAD"][..],
        &["current", "--ref", "HEAD"],
        &["changes", "HEAD"],
    ] {
        let told = cli.fails(line, 1);
        assert!(
            told.contains("nothing is committed yet, so that `HEAD` is no commit"),
            "{line:?}: {told}"
        );
    }
}

#[test]
fn a_context_is_removed_by_the_name_that_other_commands_have() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    for verb in ["remove", "rm"] {
        cli.json(&["save", "login", "--path", "a.ts"]);
        assert_eq!(cli.json(&["context", verb, "login"])["removed"], "login");
    }
}

#[test]
fn changes_of_a_work_tree_are_those_of_a_work_tree() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    let shown = cli.run(&["changes", "HEAD"]).stdout;
    assert!(shown.starts_with("HEAD → work tree\n"), "{shown}");
    assert_eq!(cli.json(&["changes", "HEAD"])["head"]["name"], "worktree");
}

#[test]
fn a_runner_without_tests_of_its_own_is_told_how_to_see_them() {
    let repo = Fixture::parse(
        "//- /a.ts\nexport const a = 1;\n//- /a.test.ts\nimport { a } from './a';\ntest('a', () => a);\n//- commit one\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let told = cli.run(&["tests", "a.ts", "--run-format", "pytest"]).stderr;
    assert!(told.contains("not for pytest"), "{told}");
    assert!(told.contains("without --run-format"), "{told}");
}

#[test]
fn long_names_and_values_are_cut() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    let mut session = Session::of(cli.command(&["serve"]));
    let long = "a".repeat(100_000);
    for (id, arguments) in (10..).zip([
        json!({"query": "a", &*long: 1}),
        json!({"query": "a", "match": long}),
        json!({"query": "a", "limit": long}),
    ]) {
        let call = json!({"name": "cl_search", "arguments": arguments});
        let reply = session.ask(id, "tools/call", &call);
        let told = reply.to_string();
        assert!(told.contains("invalid_argument"), "{}", &told[..400]);
        assert!(told.len() < 4_000, "{} bytes", told.len());
    }
    let call = json!({"name": "cl_search", "arguments": [1]});
    let told = session.ask(20, "tools/call", &call).to_string();
    assert!(told.contains("`arguments` an object"), "{told}");
}

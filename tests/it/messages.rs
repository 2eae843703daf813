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
            &*format!("`{place}` is not inside a git work tree (--repo)"),
        ),
        (
            &["search", "a", "--repo", &missing],
            &*format!("there is no directory `{missing}` (--repo)"),
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
            &["search", "a", "--ref", "../shop"],
            "`../shop` is a search or a path",
        ),
        (&["expand", "--handle", "foo"], "or `rel:PATH`"),
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
fn the_end_of_a_path_is_taken_for_the_file_and_not_for_a_name() {
    let repo =
        Fixture::parse("//- /lib/core/scheduler.ts\nexport const a = 1;\n//- commit one\n").build();
    let cli = Cli::new(repo.path());
    for line in [
        &["impact", "scheduler.ts"][..],
        &["impact", "core/scheduler.ts"],
        &["expand", "--symbol", "scheduler.ts"],
        &["tests", "--symbol", "scheduler.ts"],
    ] {
        let told = cli.fails(line, 1);
        assert!(
            told.contains("no definition is named `")
                && told.contains("it may be a file: pass it as `")
                && told.contains(" lib/core/scheduler.ts"),
            "{line:?}: {told}"
        );
    }
}

#[test]
fn binary_files_are_said_to_be_read_by_no_tool() {
    let repo = Fixture::parse(ONE).build();
    repo.write("x.png", "\0\x01");
    repo.write("yarn.lock", "a@1:\n");
    let cli = Cli::new(repo.path());
    let told = cli.fails(&["map", "x.png"], 1);
    assert!(
        told.contains("`x.png` is not indexed: binary") && told.contains("no tool here reads them"),
        "{told}"
    );
    let told = cli.fails(&["map", "yarn.lock"], 1);
    assert!(told.contains("not indexed: lock file"), "{told}");
    let note = "Binary files are indexed by their names alone; no tool here reads them.";
    let related = cli.json(&["related", "x.png"]);
    assert_eq!(related["analysed"]["note"], note, "{related}");
    let search = cli.json(&["search", "word", "--path", "x.png"]);
    assert!(search["note"].as_str().unwrap().contains(note), "{search}");
    let search = cli.json(&["search", "word", "--path", "yarn.lock"]);
    assert!(
        search["note"]
            .as_str()
            .unwrap()
            .contains("`match: literal`"),
        "{search}"
    );
}

#[test]
fn a_place_without_a_repository_is_named_as_it_was_written() {
    let outside = tempfile::tempdir().unwrap();
    let cli = Cli::new(outside.path());
    let told = cli.fails(&["search", "a"], 1);
    assert!(
        told.contains("the working directory is not inside a git work tree"),
        "{told}"
    );
    let told = cli.fails(&["runs", "--repo", "gone", "--id", "1"], 1);
    assert!(!told.contains("gone"), "a command about none: {told}");
    let told = cli.fails(&["search", "a", "--repo", "gone/here"], 1);
    assert!(
        told.contains("there is no directory `gone/here` (--repo)"),
        "{told}"
    );
    // A client is told the place that it gave, and no place of the machine.
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    let mut session = Session::of(cli.command(&["serve"]));
    let arguments = json!({"query": "a", "repo": "gone/here"});
    let call = json!({"name": "cl_search", "arguments": arguments});
    let told = session.ask(2, "tools/call", &call).to_string();
    assert!(told.contains("there is no directory `gone/here`"), "{told}");
    let told = session.ask(3, "nope", &json!({})).to_string();
    assert!(told.contains("unknown method `nope`"), "{told}");
}

#[test]
fn an_empty_repository_is_said_to_be_empty() {
    let dir = tempfile::tempdir().unwrap();
    let ran = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(dir.path())
        .status();
    assert!(ran.unwrap().success());
    let cli = Cli::new(dir.path());
    for line in [&["tree"][..], &["list-files"]] {
        let ran = cli.run(line);
        let told = ran.stdout + &ran.stderr;
        assert!(
            told.contains("No file of the repository is in the index."),
            "{line:?}: {told}"
        );
    }
    let told = cli.run(&["explore", "--targets", "."]);
    let told = told.stdout + &told.stderr;
    assert!(
        told.contains("no file of the repository is in the index"),
        "{told}"
    );
}

#[test]
fn records_about_a_name_that_nothing_has_are_told_apart() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    cli.json(&[
        "save", "--kind", "note", "--path", "a.ts", "--notes", "slow",
    ]);
    let told = cli.json(&["load", "--about", "src/gone.ts"]);
    assert_eq!(
        told["note"],
        "No file or definition is named `src/gone.ts`, and no saved record is about it (1 in all)."
    );
    repo.write("b.ts", "export const b = 1;\n");
    let told = cli.json(&["load", "--about", "b.ts"]);
    assert_eq!(
        told["note"],
        "No saved record is about this code (1 in all)."
    );
    let told = cli.fails(
        &[
            "save",
            "--kind",
            "document",
            "--url",
            "http://a.b/c",
            "--path",
            "a.ts",
        ],
        1,
    );
    assert!(told.contains("`--document docs/spec.md`"), "{told}");
}

#[test]
fn an_outline_of_a_file_says_how_to_see_the_rest() {
    let repo = Fixture::parse(
        "//- /a.ts\nexport const a = 1;\nfunction one() {}\nfunction two() {}\n//- commit one\n",
    )
    .build();
    let shown = Cli::new(repo.path()).run(&["map"]).stdout;
    assert!(
        shown.contains("Left out: 2 unexported definitions; `--all` lists them."),
        "{shown}"
    );
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

//! The command line's own output for people and scripts, besides the tools: lines, pages, manuals, hints, and the live view.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Cli, Fixture, Repo};

const TWO: &str = "//- /src/queue.ts\nexport function queueJob() { return 1; }\n//- /src/app.ts\nimport { queueJob } from './queue';\nexport const go = () => queueJob();\n//- commit one\n";

fn repo() -> (Repo, Cli) {
    let repo = Fixture::parse(TWO).build();
    let cli = Cli::new(repo.path());
    // However busy the machine is, the first question finds all of it.
    cli.json(&["refresh"]);
    (repo, cli)
}

#[test]
fn lines_hold_what_the_value_holds() {
    let (_repo, cli) = repo();
    let whole = cli.json(&["search", "queue"]);
    let ran = cli.run(&["search", "queue", "--jsonl"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (rest, items) = lines.split_last().unwrap();
    assert_eq!(items.len(), whole["results"].as_array().unwrap().len());
    assert!(items.iter().all(|item| item["list"] == "results"));
    assert_eq!(items[0]["handle"], whole["results"][0]["handle"]);
    assert_eq!(rest["query"], "queue");
    assert!(rest.get("results").is_none());
}

#[test]
fn a_mistyped_path_is_answered_with_the_one_that_was_meant() {
    let (_repo, cli) = repo();
    let said = cli.fails(&["map", "src/qeue.ts"], 1);
    assert!(said.contains("did you mean `src/queue.ts`?"), "{said}");
    let said = cli.fails(&["related", "queue.ts"], 1);
    assert!(said.contains("did you mean `src/queue.ts`?"), "{said}");
    let said = cli.run(&["impact", "queueJbo"]).stdout;
    assert!(
        said.contains("Did you mean") && said.contains("queueJob"),
        "{said}"
    );
    let said = cli.fails(&["serach", "x"], 2);
    assert!(said.contains("'search'"), "{said}");
}

#[test]
fn errors_name_the_arguments_of_their_command() {
    let (_repo, cli) = repo();
    let long = "x".repeat(70_000);
    for (args, parts) in [
        (
            &["serve", "--root", "/no/such"][..],
            &["`/no/such`", "pass `--root`"][..],
        ),
        (
            &["serve", "--http", "0", "--repo", "/no/such"],
            &["pass `--repo`"],
        ),
        (&["changes", "nope"], &["error: `BASE`: no branch"]),
        (
            &["changes", "--head", "nope"],
            &["error: `--head`: no branch"],
        ),
        (&["tests", "nope"], &["error: `BASE`", "by its path"]),
        (
            &["impact"],
            &[
                "`SYMBOL`, `--handle`, `--path`, `--changes` and `--base`",
                "or a `--base`\n",
            ],
        ),
        (
            &["impact", "src/app.ts"],
            &["it is a file: pass it as `--path`"],
        ),
        (
            &["impact", "sym_0123456789abcdef"],
            &["pass it as `--handle`"],
        ),
        (
            &["impact", "S:99"],
            &["handle `S:99`", "`codelens search` (`--json`"],
        ),
        (&["related", "S:99"], &["handle `S:99`"]),
        (
            &["related", "queueJob"],
            &["a definition has this name", "src/queue.ts:1"],
        ),
        (
            &["related", "queueJbo"],
            &["no file or directory `queueJbo`"],
        ),
        (&["definition", ""], &["`SYMBOL` is empty"]),
        (&["expand", "--symbol", ""], &["`--symbol` is empty"]),
        (
            &["expand", "src/app.ts:99"],
            &["has 2 lines, and no line 99", "`--start-line`"],
        ),
        (&["save", "x"], &["pass `--handle` or `--path`, `--notes`"]),
        (
            &["note", "add", "hello"],
            &["it needs `--handle` or `--path`"],
        ),
        (&["load", &long], &["nothing is saved under"]),
        (
            &["search", "queue", "--language", &long],
            &["no indexed file is in"],
        ),
        (
            &["context", "import", "nope.json"],
            &["nope.json` cannot be read: No such file"],
        ),
        (
            &[
                "install",
                "--dry-run",
                "--client",
                "cursor",
                "--repo",
                "/no/such",
            ],
            &["`/no/such`", "pass `--repo`"],
        ),
    ] {
        let said = cli.fails(args, 1);
        for part in parts {
            assert!(said.contains(part), "{args:?}: {said}");
        }
        assert!(said.len() < 1_500, "{args:?}");
    }
    let said = cli.fails(&["search", "queue", "--limit", "x"], 2);
    assert!(said.contains("it is no whole number"), "{said}");
    // Faces of other clients keep the names of the fields.
    let said = cli.fails(&["changes", "nope", "--json"], 1);
    assert!(said.contains("field `base`: no branch"), "{said}");
}

#[test]
fn answers_name_no_field_of_json() {
    let repo = Fixture::parse("//- /src/a.ts\nexport function same() {}\n//- /src/b.ts\nexport function same() {}\nexport function path() {}\n//- commit one\n").build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let said = cli.run(&["impact", "same"]).stdout;
    assert!(said.contains("pass `--path`, or the `--handle`"), "{said}");
    let said = cli.run(&["impact", "same", "--path", "src/c.ts"]).stdout;
    assert!(said.contains("Other files define it."), "{said}");
    let said = cli
        .run(&["definition", "path", "--path", "src/a.ts"])
        .stdout;
    assert!(said.contains("is named `path`"), "{said}");
}

#[test]
fn a_definition_is_printed_with_its_place() {
    let (_repo, cli) = repo();
    let source = "export function queueJob() { return 1; }\n";
    let printed = cli.run(&["definition", "queueJob"]).stdout;
    assert_eq!(printed, format!("src/queue.ts:1-1 of 1\n{source}"));
    // Source that is asked for as such is exact.
    assert_eq!(cli.run(&["expand", "--symbol", "queueJob"]).stdout, source);
}

#[test]
fn a_headline_is_the_signature_of_the_definition_that_the_hit_is_named_by() {
    let source = "//- /src/options.ts\nexport interface HostOptions {\n  insertNode(parent: string): void;\n  removeNode(child: string): void;\n}\n//- commit one\n";
    let repo = Fixture::parse(source).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let found = cli.json(&["search", "removeNode", "--snippet", "headline"]);
    let hit = &found["results"][0];
    assert_eq!(hit["symbol"], "HostOptions.removeNode", "{hit}");
    let preview = hit["preview"].as_str().unwrap();
    assert!(preview.starts_with("removeNode(child"), "{preview}");
}

#[test]
fn tests_of_a_change_are_counted_as_those_of_its_definition() {
    let source = "//- /src/queue.ts\nexport function queueJob() { return 1; }\nexport function flush() { return 2; }\n\
        //- /test/queue.test.ts\nimport { queueJob } from '../src/queue';\ntest('queues', () => { queueJob(); });\n\
        //- /test/flush.test.ts\nimport { flush } from '../src/queue';\ntest('flushes', () => { flush(); });\n//- commit one\n";
    let repo = Fixture::parse(source).build();
    let cli = Cli::new(repo.path());
    let paths = |args: &[&str]| -> Vec<String> {
        let printed = cli.run(args).stdout;
        printed.lines().map(str::to_owned).collect()
    };
    assert_eq!(
        paths(&["tests", "--symbol", "queueJob"]),
        ["test/queue.test.ts"]
    );
    let of_file = paths(&["tests", "src/queue.ts"]);
    assert_eq!(of_file.len(), 2, "{of_file:?}");
    repo.write(
        "src/queue.ts",
        "export function queueJob() { return 3; }\nexport function flush() { return 2; }\n",
    );
    let said = cli.run(&["changes", "HEAD"]).stdout;
    let counted =
        "1 test file reaches what changed; 1 more uses other exports of the changed files.";
    assert!(said.contains(counted), "{said}");
    assert_eq!(paths(&["tests", "HEAD"]).len(), 2);
}

#[test]
fn an_export_names_the_things_that_it_counts() {
    let (_repo, cli) = repo();
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("index");
    let said = |format| {
        let args = [
            "export",
            "--format",
            format,
            "--output",
            file.to_str().unwrap(),
        ];
        cli.run(&args).stdout
    };
    // The import and the call; in SCIP the imported name as well.
    assert!(said("jsonl").contains(" 2 files, 2 definitions, 2 lines of edges and imports"));
    assert!(said("scip").contains(" 2 files of code, 2 definitions, 3 uses"));
}

#[test]
fn manuals_and_help_come_from_the_same_words() {
    let (repo, cli) = repo();
    let page = cli.run(&["man"]).stdout;
    assert!(
        page.contains(".TH") && page.contains("Exit codes"),
        "{page}"
    );
    let dir = repo.dir.path().join("man1");
    std::fs::create_dir(&dir).unwrap();
    assert_eq!(cli.run(&["man", "--dir", dir.to_str().unwrap()]).code, 0);
    let search = std::fs::read_to_string(dir.join("codelens-search.1")).unwrap();
    assert!(search.contains("Examples"), "{search}");
    assert!(dir.join("codelens-bundle-export.1").exists() && dir.join("codelens.1").exists());
    let said = cli.fails(&["man", "--dir", "/no/such/place"], 1);
    assert!(said.contains("can't be written"), "{said}");
    let help = cli.run(&["--help"]).stdout;
    assert!(help.contains("Exit codes: 0 done; 1 an error"), "{help}");
}

#[test]
fn a_page_is_written_outside_of_the_work_tree() {
    let (repo, cli) = repo();
    let value = cli.json(&["view"]);
    let file = value["file"].as_str().unwrap();
    assert!(file.starts_with(cli.home().to_str().unwrap()), "{file}");
    let page = std::fs::read_to_string(file).unwrap();
    assert!(
        page.contains("\"src/queue.ts\"") && page.contains("\"imports\",\"resolved\""),
        "{page}"
    );
    assert_eq!(
        cli.json(&["view"])["file"],
        file,
        "the next one takes its place"
    );
    assert_eq!(repo.git(&["status", "--porcelain", "--ignored"]), "");
    let page = cli
        .run(&["view", "--symbol", "queueJob", "--output", "-"])
        .stdout;
    assert!(
        page.starts_with("<!doctype html>") && page.contains("\"mode\":\"impact\""),
        "{page}"
    );
    let said = cli.fails(&["view", "--editor", "javascript:alert({path})"], 1);
    assert!(said.contains("no editor"), "{said}");
    let said = cli.fails(&["view", "nowhere"], 1);
    assert!(said.contains("no file or directory `nowhere`"), "{said}");
}

#[test]
fn the_live_view_follows_edits_and_branches_until_it_is_interrupted() {
    let (repo, cli) = repo();
    let mut watching = cli
        .command(&["watch", "--jsonl", "--interval-ms", "100"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (sender, lines) = std::sync::mpsc::channel();
    let stdout = BufReader::new(watching.stdout.take().unwrap());
    std::thread::spawn(move || {
        stdout
            .lines()
            .all(|line| sender.send(line.unwrap()).is_ok())
    });
    let until = |what: &str, holds: &dyn Fn(&Value) -> bool| -> Value {
        loop {
            let line = lines.recv_timeout(Duration::from_secs(30));
            let line = line.unwrap_or_else(|_| panic!("it waits for {what} in vain"));
            let event: Value = serde_json::from_str(&line).unwrap();
            if holds(&event) {
                return event;
            }
        }
    };
    let first = until("the start", &|event| event["event"] == "start");
    assert_eq!(first["branch"], "main");
    repo.write("src/queue.ts", "export function queueJob() { return 2; }\n");
    let event = until("the edit", &|event| {
        event["changed"] != serde_json::json!([])
    });
    assert_eq!(event["changed"], serde_json::json!(["src/queue.ts"]));
    repo.write("src/new.ts", "export const n = 1;\n");
    until("the new file", &|event| {
        event["added"] == serde_json::json!(["src/new.ts"])
    });
    std::fs::remove_file(repo.path().join("src/new.ts")).unwrap();
    until("its removal", &|event| {
        event["removed"] == serde_json::json!(["src/new.ts"])
    });
    repo.git(&["switch", "--quiet", "--create", "fix"]);
    until("the branch", &|event| {
        event["event"] == "checkout" && event["branch"] == "fix"
    });
    let id = watching.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(watching.wait().unwrap().code(), Some(130));
}

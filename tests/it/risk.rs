//! The risk of a change: files that are usually changed too, definitions without tests, reviewers.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

const PAIR: &str = "\
//- /CODEOWNERS
/src/price.ts @prices
//- /vitest.config.ts
export default { test: { include: ['test/**/*.spec.ts'] } };
//- /src/price.ts
export function price(): number {
  return base() + 1;
}
function base(): number {
  return 1;
}
export function alone(): number {
  return 2;
}
export class Box {
  open(): number {
    return 3;
  }
  shut(): number {
    return 4;
  }
}
//- /src/tax.ts
export const tax = 1;
//- /src/other.ts
export const other = 1;
//- /test/price.spec.ts
import { price } from '../src/price';

test('price', () => {
  price();
  (globalThis as any).box.open();
});
//- commit base
";

/// `src/price.ts` changes seven times, six times with `src/tax.ts` and four times with `src/other.ts`.
fn pair() -> (Repo, Cli) {
    let repo = Fixture::parse(PAIR).build();
    for n in 0..6 {
        add(&repo, "src/price.ts", &format!("// {n}\n"));
        if n > 0 {
            add(&repo, "src/tax.ts", &format!("// {n}\n"));
        }
        if n > 2 {
            add(&repo, "src/other.ts", &format!("// {n}\n"));
        }
        commit(&repo, if n == 1 { "fix: rounding" } else { "more" });
    }
    let cli = Cli::new(repo.path());
    (repo, cli)
}

fn add(repo: &Repo, path: &str, text: &str) {
    repo.write(path, repo.read(path) + text);
}

fn commit(repo: &Repo, subject: &str) {
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", subject]);
}

fn risk(cli: &Cli, arguments: &[&str]) -> Value {
    let mut all = vec!["impact", "--risk"];
    all.extend(arguments);
    cli.json(&all)["risk"].clone()
}

#[test]
fn files_that_are_usually_changed_too_are_missing_from_a_change() {
    let (repo, cli) = pair();
    // Of a definition there is no change that could miss one.
    let value = risk(&cli, &["price"]);
    assert!(value["missingCoChange"].is_null(), "{value}");
    let file = &value["files"][0];
    assert_eq!(
        file["coChange"][0],
        json!({"path": "src/tax.ts", "together": 6, "of": 7})
    );
    assert_eq!(
        (&file["commits"], &file["commits90"]),
        (&json!(7), &json!(7))
    );
    assert_eq!(file["fixes"]["count"], 1);
    assert_eq!(file["fixes"]["subjects"], json!(["fix: rounding"]));
    assert_eq!(file["churn"], 83, "{file}");
    assert_eq!(value["history"]["commits"], 7);
    assert_eq!(value["history"]["complete"], true);
    assert_eq!(value["blast"], json!({"files": 0, "tests": 1}));

    repo.write(
        "src/price.ts",
        repo.read("src/price.ts").replace("+ 1", "+ 2"),
    );
    let value = risk(&cli, &["--changes"]);
    assert_eq!(
        value["missingCoChange"],
        json!([{"path": "src/tax.ts", "with": "src/price.ts", "together": 6, "of": 7}]),
        "four common commits are too few for the other one"
    );
    let printed = cli.run(&["impact", "--changes", "--risk"]).stdout;
    for part in [
        "Usually changed too",
        "src/tax.ts in 6 of 7 commits of src/price.ts",
        "7 commits (7 in the 90 days before the last one, 1 fix); more commits than 83 % of the files",
        "@prices (CODEOWNERS)",
        "Figures of the whole history (7 commits).",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    // Once they went apart, nobody has to be reminded.
    repo.git(&["stash", "--quiet"]);
    add(&repo, "src/price.ts", "// alone\n");
    commit(&repo, "alone");
    repo.git(&["stash", "pop", "--quiet"]);
    assert_eq!(risk(&cli, &["--changes"])["missingCoChange"], json!([]));
    repo.git(&["stash", "--quiet"]);
    repo.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    repo.git(&["stash", "pop", "--quiet"]);
    add(&repo, "src/tax.ts", "export const more = 1;\n");
    let value = risk(&cli, &["--changes"]);
    assert_eq!(value["missingCoChange"], json!([]));
    // Below a path alone: the whole change counts for what is missing.
    let value = risk(&cli, &["--changes", "--path", "src/price.ts"]);
    assert_eq!(value["filesTotal"], 1, "{value}");
    assert_eq!(value["missingCoChange"], json!([]));
}

#[test]
fn a_branch_is_compared_with_where_it_left_its_base() {
    let (repo, cli) = pair();
    repo.git(&["branch", "start"]);
    repo.git(&["checkout", "--quiet", "-b", "work"]);
    repo.write(
        "src/price.ts",
        repo.read("src/price.ts").replace("+ 1", "+ 2"),
    );
    commit(&repo, "work");
    add(&repo, "src/other.ts", "export const extra = 1;\n");
    let value = cli.json(&["impact", "--base", "start", "--risk"]);
    assert_eq!(value["changeSet"]["from"], "merge base with start");
    assert_eq!(value["changeSet"]["filesTotal"], 2);
    let targets: Vec<&str> = value["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["symbol"].as_str().unwrap())
        .collect();
    assert_eq!(targets, ["extra", "price"]);
    // The commit on the branch is the change itself, and no evidence.
    let missing = &value["risk"]["missingCoChange"][0];
    assert_eq!(
        (&missing["path"], &missing["of"]),
        (&json!("src/tax.ts"), &json!(7)),
        "{value}"
    );
    // A definition that the branch removed, and something still names.
    repo.write(
        "src/price.ts",
        repo.read("src/price.ts")
            .replace("function base()", "function basis()"),
    );
    commit(&repo, "rename");
    let value = cli.json(&["impact", "--base", "start"]);
    assert_eq!(
        value["changeSet"]["removed"][0]["symbol"], "base",
        "{value}"
    );
    assert!(value["risk"].is_null());
}

#[test]
fn a_definition_is_untested_only_where_no_open_use_can_be_a_test() {
    let (_repo, cli) = pair();
    let gaps = risk(&cli, &["--path", "src/price.ts"])["testGaps"].clone();
    let wanted = json!([
        {"symbol": "alone", "path": "src/price.ts", "line": 7, "state": "untested"},
        // A test calls `open` of it is not known which value.
        {"symbol": "Box.open", "path": "src/price.ts", "line": 11, "state": "unknown"},
        {"symbol": "Box.shut", "path": "src/price.ts", "line": 14, "state": "untested"},
    ]);
    assert_eq!(gaps, wanted);
    // `base` is reached through `price`.
    assert_eq!(risk(&cli, &["base"])["testGaps"], json!([]));
}

#[test]
fn a_test_that_is_known_by_its_name_leaves_the_question_open() {
    let repo = Fixture::parse(
        "\
//- /src/a.ts
export function lonely(): number {
  return 1;
}
//- /src/a.spec.ts
import './set-up';
it('works', () => {});
//- commit base
",
    )
    .build();
    let cli = Cli::new(repo.path());
    assert_eq!(risk(&cli, &["lonely"])["testGaps"][0]["state"], "unknown");
}

#[test]
fn reviewers_are_those_of_the_repository_then_the_authors() {
    let (repo, mut cli) = pair();
    let value = risk(&cli, &["price"]);
    assert_eq!(
        value["reviewers"][0],
        json!({"name": "@prices", "basis": "codeowners"})
    );
    assert_eq!(value["reviewers"][1]["basis"], "commits");
    assert_eq!(value["reviewers"][1]["share"], 1.0);
    cli.set("CODELENS_OWNERS", "off");
    let value = risk(&cli, &["price"]);
    assert!(
        value["reviewers"].is_null() && value["files"][0]["owners"].is_null(),
        "{value}"
    );
    assert!(!value.to_string().contains("@prices"));
    drop(repo);
}

#[test]
fn signals_are_those_of_the_files_of_the_change() {
    let repo = Fixture::parse(
        "\
//- /src/run.ts
import { exec } from 'child_process';

export function run(dir: string): void {
  exec(`ls ${dir}`);
}
//- /src/calm.ts
export function calm(code: string): unknown {
  return eval(code);
}
//- /src/run.spec.ts
import { run } from './run';

test('run', () => {
  eval(run as any);
});
//- commit base
",
    )
    .build();
    let cli = Cli::new(repo.path());
    let value = risk(&cli, &["run"]);
    let wanted =
        json!([{"kind": "shell", "path": "src/run.ts", "line": 4, "text": "exec(`ls ${dir}`);"}]);
    assert_eq!(value["signals"], wanted);
    assert!(
        cli.run(&["impact", "run", "--risk"])
            .stdout
            .contains("src/run.ts:4 shell: exec")
    );
    assert_eq!(risk(&cli, &["calm"])["signals"][0]["kind"], "eval");
    // A file with a key in it is looked through, and the key is not shown.
    let key = format!("ghp_{}", "a1B2".repeat(9));
    repo.write(
        "src/calm.ts",
        format!(
            "export function calm(code: string): unknown {{\n  return eval(code + '{key}');\n}}\n"
        ),
    );
    let signals = risk(&cli, &["calm"])["signals"].clone();
    assert_eq!(signals[0]["kind"], "eval", "{signals}");
    assert!(!signals.to_string().contains("a1B2"), "{signals}");
}

#[test]
fn wrong_inputs_are_refused_with_the_next_step() {
    let (repo, cli) = pair();
    let mut session = Session::of(cli.command(&["serve"]));
    let long = "x".repeat(5_000);
    for (id, (arguments, part)) in (1..).zip([
        (
            json!({"base": "nowhere"}),
            "no branch, tag or commit is named `nowhere`",
        ),
        (json!({"base": long}), "field `base`"),
        (json!({"base": 7}), "field `base`"),
        (json!({"base": "--all"}), "field `base`"),
        (json!({"base": ""}), "none of `symbol`"),
        (
            json!({"base": "HEAD", "changes": true}),
            "exclude one another",
        ),
        (
            json!({"base": "HEAD", "symbol": "price"}),
            "more than one of",
        ),
        (
            json!({"base": "HEAD", "ref": "HEAD"}),
            "exclude one another",
        ),
        (json!({"symbol": "price", "risk": "much"}), "field `risk`"),
    ]) {
        let reply = session.ask(
            id,
            "tools/call",
            &json!({"name": "cl_impact", "arguments": arguments}),
        );
        let error = reply["result"]["structuredContent"]["error"].clone();
        assert_eq!(error["code"], "invalid_argument", "{arguments}: {reply}");
        assert!(
            error["message"].as_str().unwrap().contains(part),
            "{part}: {error}"
        );
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{error}");
    }
    drop(repo);
}

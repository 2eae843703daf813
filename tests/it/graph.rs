//! Answers of the graph tools on a small repository.

use serde_json::{Value, json};

use crate::support::{Cli, Fixture, Repo};

/// A library with a barrel, two tests by import and by name, and a file of the same name in another place.
const LIBRARY: &str = "\
//- /package.json
{ \"name\": \"library\" }
//- /src/queue.ts
export class Queue {
  push(job: string) { return this.check(job) }
  private check(job: string) { return job.length > 0 }
}
export function drain(queue: Queue) {
  return queue.push('last')
}
//- /src/index.ts
export * from './queue'
//- /src/worker.ts
import { drain, Queue } from './index'
export function work() {
  const queue = new Queue()
  queue.push('one')
  return drain(queue)
}
//- /src/main.ts
import { work } from './worker'
export function main() { return work() }
//- /src/queue.test.ts
import { Queue } from './queue'
it('pushes', () => { new Queue().push('x') })
//- /test/worker.js
require('child_process').fork('worker')
//- /other/worker.ts
export const other = 1
//- commit base
";

pub(crate) fn library() -> (Repo, Cli) {
    let repo = Fixture::parse(LIBRARY).build();
    let cli = Cli::new(repo.path());
    (repo, cli)
}

/// Returns `path edge direction hops provenance` of each result.
fn lines(answer: &Value) -> Vec<String> {
    let result = |it: &Value| {
        let text = |key: &str| {
            let own = it[key].as_str();
            own.or_else(|| answer["defaults"][key].as_str())
                .unwrap_or("-")
                .to_owned()
        };
        let name = it["symbol"]
            .as_str()
            .map_or(String::new(), |name| format!("#{name}"));
        let via = it["via"]
            .as_str()
            .map_or(String::new(), |via| format!(" via {via}"));
        format!(
            "{}{name} {} {} {} {}{via}",
            text("path"),
            text("edgeType"),
            text("direction"),
            it["hops"].as_u64().unwrap_or(1),
            text("provenance")
        )
    };
    answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(result)
        .collect()
}

#[test]
fn related_names_each_kind_of_edge() {
    let (_repo, cli) = library();
    let ask = |types: &str, more: &[&str]| {
        let args = [&["related", "src/queue.ts", "--types", types], more].concat();
        lines(&cli.json(&args))
    };
    assert_eq!(
        ask("imported_by", &["--depth", "2"]),
        [
            "src/index.ts imported_by in 1 resolved",
            "src/queue.test.ts imported_by in 1 resolved",
            "src/worker.ts imported_by in 2 resolved via src/index.ts"
        ]
    );
    assert_eq!(
        ask("imports", &["--direction", "in", "--depth", "1"]),
        [
            "src/index.ts imports in 1 resolved",
            "src/queue.test.ts imports in 1 resolved"
        ]
    );
    // Through the barrel, to what is really called.
    assert!(
        ask("calls", &["--direction", "in"])
            .contains(&"src/worker.ts calls in 1 resolved".to_owned())
    );
    assert_eq!(ask("tests", &[]), ["src/queue.test.ts tests in 1 resolved"]);
    assert_eq!(
        ask("defines", &[]),
        [
            "src/queue.ts#Queue defines out 1 resolved",
            "src/queue.ts#drain defines out 1 resolved"
        ]
    );
    assert_eq!(
        ask("belongs_to", &[]),
        ["package.json belongs_to out 1 resolved"]
    );
    let cut = cli.json(&["related", "src/queue.ts", "-n", "2"]);
    assert_eq!(cut["results"].as_array().unwrap().len(), 2);
    assert_eq!(cut["truncated"], true);
    assert!(cut["total"].as_u64().unwrap() > 2);
}

#[test]
fn a_test_is_known_by_its_name_where_nothing_leads_there() {
    let (_repo, cli) = library();
    let tests = |path: &str| lines(&cli.json(&["related", path, "--types", "tests"]));
    assert_eq!(
        tests("src/queue.ts"),
        ["src/queue.test.ts tests in 1 resolved"]
    );
    // `test/worker.js` may be that of `other/worker.ts`.
    assert_eq!(tests("other/worker.ts"), [""; 0]);
    assert_eq!(
        tests("src/worker.ts"),
        ["test/worker.js tests in 1 path-heuristic"]
    );
    assert_eq!(
        tests("test/worker.js"),
        ["src/worker.ts tests out 1 path-heuristic"]
    );
    let impact = cli.json(&["impact", "work"]);
    assert_eq!(impact["affectedTests"][0]["path"], "test/worker.js");
    assert_eq!(impact["affectedTests"][0]["provenance"], "path-heuristic");
    let summary = impact["summary"].as_str().unwrap();
    assert!(summary.ends_with("1 test file only by name."), "{summary}");
    let without = cli.json(&["impact", "work", "--include-tests", "false"]);
    assert_eq!(without["affectedTests"], json!([]));
}

#[test]
fn a_test_that_reaches_the_file_through_a_barrel_is_one_of_the_file_and_of_no_definition_that_it_does_not_use()
 {
    let repo = Fixture::parse(
        "\
//- /src/worker.ts
export function open() { return 1 }
export function close() { return 2 }
//- /src/index.ts
export * from './worker'
//- /test/worker.test.ts
import { close } from '../src/index'
test('closes', () => { close() })
//- commit base
",
    )
    .build();
    let cli = Cli::new(repo.path());
    let impact = cli.json(&["impact", "open"]);
    assert_eq!(impact["affectedTests"], json!([]), "its uses are bound");
    let handle = impact["target"]["handle"].as_str().unwrap();
    assert_eq!(
        lines(&cli.json(&["related", handle, "--types", "tests"])),
        ["test/worker.test.ts tests in 1 path-heuristic"]
    );
    let used = cli.json(&["impact", "close"]);
    assert_eq!(used["affectedTests"].as_array().unwrap().len(), 1, "{used}");
    assert_eq!(used["affectedTests"][0]["basis"], json!(null));
}

#[test]
fn a_module_that_is_reached_without_a_statement_is_not_imported() {
    let repo = Fixture::parse(
        "\
//- /app/__init__.py
from . import db
//- /app/db.py
def open():
    pass
//- /main.py
import app
def run():
    app.db.open()
//- commit base
",
    )
    .build();
    let cli = Cli::new(repo.path());
    let imports = ["--types", "imports", "--direction", "out", "--depth", "1"];
    assert_eq!(
        lines(&cli.json(&[&["related", "main.py"][..], &imports].concat())),
        ["app/__init__.py imports out 1 resolved"]
    );
    let answer = cli.json(&["explore", "--targets", "main.py", "--include", "metrics"]);
    assert_eq!(answer["cards"][0]["metrics"]["dependencies"], 1, "{answer}");
}

#[test]
fn a_handle_asks_about_its_definition_alone() {
    let (_repo, cli) = library();
    let drain = cli.json(&["impact", "drain"])["target"]["handle"].clone();
    let handle = drain.as_str().unwrap();
    let callers = &["--types", "calls", "--direction", "in", "--depth", "2"][..];
    let answer = cli.json(&[&["related", handle], callers].concat());
    assert_eq!(answer["symbol"], "drain");
    assert_eq!(
        lines(&answer),
        [
            "src/worker.ts#work calls in 1 resolved",
            "src/main.ts#main calls in 2 resolved via src/worker.ts#work"
        ]
    );
    // The line is that of the use, as in `impact`.
    assert_eq!(answer["results"][0]["line"], 5);
    let out = cli.json(&[
        "related",
        handle,
        "--types",
        "calls",
        "--direction",
        "out",
        "--depth",
        "1",
    ]);
    assert_eq!(lines(&out), ["src/queue.ts#Queue.push calls out 1 member"]);
    // What a search hands out works as well.
    let hit = cli.json(&["search", "drain"])["results"][0]["handle"].clone();
    let of_hit = cli.json(&[&["related", hit.as_str().unwrap()], callers].concat());
    assert_eq!(lines(&of_hit), lines(&answer));
    let impact = cli.json(&["impact", "--handle", hit.as_str().unwrap()]);
    assert_eq!(impact["target"]["symbol"], "drain");
}

#[test]
fn impact_says_what_is_meant_and_guesses_nothing() {
    let (repo, cli) = library();
    let answer = cli.json(&["impact", "drian"]);
    assert_eq!(answer["target"], json!(null));
    assert_eq!(answer["didYouMean"][0]["symbol"], "drain");
    assert_eq!(
        answer["summary"],
        "No definition is named `drian`. The word `drian` occurs in no indexed file."
    );
    repo.write(
        "min.js",
        format!("f({});function deep() {{}}\n", "1,".repeat(100_000)),
    );
    let answer = cli.json(&["impact", "deep"]);
    assert_eq!(
        answer["summary"],
        "No definition is named `deep`. The word `deep` occurs in no text that is indexed; 1 file holds text that is not (secrets, lock files, generated or large files: `cl_stats` counts them)."
    );
    let answer = cli.json(&["impact", "drain", "--path", "src/main.ts"]);
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.contains("in `src/main.ts`. Other files define it"),
        "{summary}"
    );
    assert_eq!(answer["didYouMean"][0]["path"], "src/queue.ts");
    let handle = cli.json(&["search", "drain"])["results"][0]["handle"].clone();
    let handle = handle.as_str().unwrap();
    let error = cli.fails(&["impact", handle], 1);
    assert!(error.contains(&format!("`--handle` {handle}")), "{error}");
    repo.write("src/other.ts", "export function drain() {}\n");
    let answer = cli.json(&["impact", "drain"]);
    assert_eq!(answer["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(answer["callers"], json!([]));
    let callees = cli.json(&["impact", "work"])["callees"].clone();
    let push = callees
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["symbol"] == "Queue.push")
        .unwrap();
    assert_eq!(
        (&push["path"], &push["line"]),
        (&json!("src/queue.ts"), &json!(2))
    );
}

#[test]
fn a_name_is_asked_for_as_it_is_written() {
    let (repo, cli) = library();
    repo.write(
        "src/hidden.ts",
        "export class Hidden {\n  #turn() {}\n  open() { this.#turn() }\n  turn() {}\n}\n\
         export namespace Hidden { export const depth = 1 }\n\
         export const made = () => new Hidden()\n",
    );
    let callers = |name: &str| {
        let answer = cli.json(&["impact", name, "--depth", "1"]);
        let of = |key: &str| answer["target"][key].as_str().unwrap().to_owned();
        let callers = answer["callers"].as_array().unwrap();
        let names: Vec<String> = callers.iter().map(|it| it["symbol"].to_string()).collect();
        (of("symbol"), of("kind"), names.join(" "))
    };
    let turned = |kind: &str, name: &str, by: &str| (name.into(), kind.into(), by.to_owned());
    for name in ["Hidden.#turn", "Hidden##turn", "#turn"] {
        let wanted = turned("method", "Hidden.#turn", "\"Hidden.open\"");
        assert_eq!(callers(name), wanted, "{name}");
    }
    for name in ["Hidden#turn", "Hidden.turn", "Hidden.prototype.turn"] {
        let wanted = turned("method", "Hidden.turn", "");
        assert_eq!(callers(name), wanted, "{name}");
    }
    // A namespace that is merged with a class is no other thing of its name.
    assert_eq!(callers("Hidden"), turned("class", "Hidden", "\"made\""));
}

#[test]
fn a_function_that_only_owns_a_method_is_not_around_it() {
    let (repo, cli) = library();
    repo.write(
        "src/view.js",
        "function base(path) { return path }\nmodule.exports = View;\nfunction View(name) { this.name = name }\n\
         View.prototype.lookup = function lookup() { return base(this.name) };\n\
         function outer() { function inner() { return base(1) }\n  return inner }\n",
    );
    repo.write(
        "src/app.js",
        "const View = require('./view');\nfunction configure(app) { app.view = View }\n",
    );
    repo.write("src/last.js", "const view = require('./view');\n");
    let answer = cli.json(&["impact", "base", "--path", "src/view.js", "--depth", "2"]);
    let names: Vec<&str> = answer["callers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["symbol"].as_str().unwrap())
        .collect();
    // A change inside `inner` is one for the callers of `outer`; who hands `View` on calls no `lookup`.
    assert_eq!(names, ["View.lookup", "outer.inner", "outer"], "{answer}");
}

#[test]
fn an_unbound_use_makes_nothing_safe() {
    let (repo, cli) = library();
    repo.write(
        "src/loose.ts",
        "export function idle() {}\nexport const use = (x: any) => x.idle()\n",
    );
    let answer = cli.json(&["impact", "idle"]);
    assert_eq!(answer["callers"], json!([]));
    assert_eq!(answer["completeness"]["unresolvedSites"], 1);
    assert!(answer["summary"].as_str().unwrap().starts_with("Unknown: "));
    assert_eq!(answer["unresolved"][0]["line"], 2);
    assert_eq!(
        answer["unresolved"][0]["text"],
        "export const use = (x: any) => x.idle()"
    );
}

#[test]
fn changes_are_the_definitions_whose_lines_changed() {
    let (repo, cli) = library();
    let text = repo.read("src/queue.ts");
    repo.write("src/queue.ts", text.replace("'last'", "'very last'"));
    let answer = cli.json(&["impact", "--changes"]);
    assert_eq!(answer["target"]["symbol"], "drain");
    repo.write(
        "src/queue.ts",
        text.replace("job.length > 0", "job.length > 1"),
    );
    let answer = cli.json(&["impact", "--changes"]);
    assert_eq!(answer["target"]["symbol"], "Queue.check");
    assert_eq!(answer["callers"][0]["symbol"], "Queue.push");
    // Lines above move the others and change nothing in them.
    repo.write("src/queue.ts", format!("// new\n\n{text}"));
    let answer = cli.json(&["impact", "--changes"]);
    assert_eq!(answer["callers"], json!([]));
    assert_eq!(answer["summary"], "No changed definitions.");
    repo.write(
        "src/queue.ts",
        text.replace(
            "  private check(job: string) { return job.length > 0 }\n",
            "",
        ),
    );
    let answer = cli.json(&["impact", "--changes"]);
    assert_eq!(answer["target"]["symbol"], "Queue");
    let removed = &answer["changeSet"]["removed"][0];
    assert_eq!(
        (&removed["symbol"], &removed["change"]),
        (&json!("Queue.check"), &json!("removed"))
    );
    assert_eq!(
        removed["stillNamedAt"][0]["text"],
        "push(job: string) { return this.check(job) }"
    );
    repo.write("src/queue.ts", text);
    repo.write(
        "src/new.ts",
        "export function one() {}\nexport function two() {}\n",
    );
    let targets = cli.json(&["impact", "--changes"])["targets"].clone();
    let names: Vec<&Value> = targets
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["symbol"])
        .collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn a_path_in_the_place_of_a_name_is_told_as_one() {
    let (_repo, cli) = library();
    for path in ["src/queue.ts", "./src/queue.ts"] {
        let said = cli.fails(&["impact", path], 1);
        assert!(said.contains("`--path` src/queue.ts"), "{said}");
    }
    let answer = cli.json(&["impact", "src/nothing.ts"]);
    assert_eq!(answer["target"], json!(null));
}

#[test]
fn a_name_is_found_as_it_is_written_behind_hundreds_that_are_not() {
    let mut files: Vec<String> = (0..300)
        .map(|n| format!("//- /src/a{n:03}.ts\nexport function setup() {{ return {n} }}\n"))
        .collect();
    files.push("//- /src/z.ts\nexport const SETUP = 1\n//- commit base\n".to_owned());
    let repo = Fixture::parse(&files.concat()).build();
    let cli = Cli::new(repo.path());
    cli.run(&["refresh"]);
    let found = cli.json(&["search", "SETUP", "--limit", "3"]);
    assert_eq!(found["results"][0]["path"], "src/z.ts", "{found}");
    let found = cli.json(&["search", "setup", "--limit", "3"]);
    assert_eq!(found["results"][0]["path"], "src/a000.ts", "{found}");
}

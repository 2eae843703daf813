//! `cl_related` with `to`, and `cl_map` of a function: the chains between two places, the names inside one.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

const QUEUE: &str = "\
//- /package.json
{\"name\": \"q\"}
//- /vitest.config.ts
export default { test: { include: ['src/**/*.spec.ts'] } };
//- /src/ids.ts
export function getId(job: string) {
  return job.length;
}
//- /src/queue.ts
import { getId } from './ids';
export function find(id: number) {
  return getId(String(id));
}
export function queueJob(job: string, { deep }: { deep: boolean }) {
  const jobId = find(1);
  if (deep) {
    let lastJob: string = job;
  }
  return jobId;
}
export class Rows {
  open() {}
}
//- /src/main.ts
import { queueJob } from './queue';
export function main() {
  queueJob('a', { deep: true });
}
//- /src/queue.spec.ts
import { queueJob } from './queue';
it('queues', () => {
  queueJob('a', { deep: true });
});
//- /src/other.ts
import { getId } from './ids';
export function other() {
  return getId('x');
}
//- commit one
";

fn repo() -> (Repo, Cli) {
    let repo = Fixture::parse(QUEUE).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

/// Returns a chain as `symbol:line`.
fn chain(steps: &Value) -> Vec<String> {
    let step = |it: &Value| {
        let name = it["symbol"].as_str().or(it["path"].as_str()).unwrap();
        format!("{name}:{}", it["line"])
    };
    steps.as_array().unwrap().iter().map(step).collect()
}

#[test]
fn one_place_leads_to_another() {
    let (_repo, cli) = repo();
    let found = cli.json(&["related", "main", "--to", "getId"]);
    assert_eq!(found["reachable"], true, "{found}");
    assert_eq!(
        chain(&found["paths"][0]),
        ["main:3", "queueJob:6", "find:3", "getId:1"]
    );
    assert_eq!(found["paths"][0][0]["edgeType"], "calls");
    let said = cli.run(&["related", "main", "--to", "getId"]).stdout;
    assert!(
        said.starts_with("src/main.ts:3 main calls\nsrc/queue.ts:6 queueJob calls\n"),
        "{said}"
    );
    let back = cli.json(&["related", "src/ids.ts", "--to", "src/main.ts"]);
    assert_eq!(
        (&back["reachable"], &back["direction"]),
        (&json!(true), &json!("in"))
    );
    assert_eq!(
        chain(&back["paths"][0]),
        ["src/main.ts:null", "src/queue.ts:null", "src/ids.ts:null"]
    );
    let none = cli.json(&["related", "find", "--to", "other"]);
    assert_eq!(none["reachable"], false);
    assert_eq!(none["common"][0]["symbol"], "getId");
    assert!(
        none["note"].as_str().unwrap().contains("No chain"),
        "{none}"
    );
    let near = cli.json(&["related", "main", "--to", "getId", "--depth", "2"]);
    assert_eq!(near["reachable"], false);
}

#[test]
fn a_place_that_is_none_is_told() {
    let (_repo, cli) = repo();
    let mut session = Session::of(cli.command(&["serve"]));
    for (id, (to, said)) in [
        (json!(""), "is empty"),
        (json!(7), "`to`"),
        (json!("nowhere"), "is named `nowhere`"),
        (json!("src/none.ts"), "no file"),
        (json!("main"), "same place"),
        (json!("x".repeat(100_000)), "named"),
    ]
    .into_iter()
    .enumerate()
    {
        let input = json!({"path": "main", "to": to});
        let params = json!({"name": "cl_related", "arguments": input});
        let answer = session.ask(id as u64 + 1, "tools/call", &params);
        let text = answer.to_string();
        assert!(
            text.contains("error") && text.contains(said),
            "{said}: {text}"
        );
        assert!(text.len() < 4_000, "{said}");
    }
}

#[test]
fn the_names_in_a_function_are_listed() {
    let (_repo, cli) = repo();
    let found = cli.json(&["symbols", "queueJob"]);
    let handle = found["symbols"][0]["handle"].as_str().unwrap().to_owned();
    let names = cli.json(&["map", &handle]);
    let text =
        |it: &Value| format!("{} {}:{}", it["kind"], it["name"], it["startLine"]).replace('"', "");
    let listed: Vec<String> = names["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    assert_eq!(
        listed,
        [
            "parameter job:5",
            "parameter deep:5",
            "variable jobId:6",
            "variable lastJob:8"
        ]
    );
    assert_eq!(names["symbols"][0]["type"], "string");
    let shown = cli.run(&["map", &handle]).stdout;
    assert!(
        shown.starts_with("src/queue.ts:5  parameter job: string\n"),
        "{shown}"
    );
    assert_eq!(names["symbols"][3]["scope"], 7);
    let rows = cli.json(&["symbols", "Rows", "--kind", "class"]);
    let handle = rows["symbols"][0]["handle"].as_str().unwrap().to_owned();
    let members = cli.json(&["map", &handle]);
    assert_eq!(members["symbols"][0]["name"], "Rows.open");
    assert_eq!(members["symbols"][0]["parent"], "Rows");
}

#[test]
fn names_that_are_not_read_are_not_called_none() {
    let text = "//- /a.rb\ndef find_row(key)\n  row = key\nend\n//- /a.c\nint find_cell(int key) {\n  int cell = key;\n  return cell;\n}\n//- commit one\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let handle = |name: &str| {
        let found = cli.json(&["symbols", name]);
        found["symbols"][0]["handle"].as_str().unwrap().to_owned()
    };
    let said = cli.fails(&["map", &handle("find_row")], 1);
    assert!(said.contains("(ruby) are not read"), "{said}");
    let names = cli.json(&["map", &handle("find_cell")]);
    assert_eq!(names["total"], 2, "{names}");
}

#[test]
fn a_test_has_the_command_of_its_runner() {
    let (_repo, cli) = repo();
    let found = cli.json(&["impact", "queueJob"]);
    assert_eq!(
        found["affectedTests"][0]["run"], "npx vitest run src/queue.spec.ts",
        "{found}"
    );
}

#[test]
fn methods_beside_a_function_of_their_name_are_said() {
    let repo = Fixture::parse(
        "//- /a.ts\nexport function open() {}\nexport class Store {\n  open() {}\n}\nexport function close() {}\n//- /b.ts\nexport class Door {\n  close() {}\n}\n//- commit one\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let said = "The file also has the method `Store.open`, whose uses are not among these.";
    let summary = |args: &[&str]| {
        let found = cli.json(&[&["impact"], args].concat());
        found["summary"].as_str().unwrap().to_owned()
    };
    for args in [&["open", "--path", "a.ts"][..], &["open"]] {
        let summary = summary(args);
        assert!(summary.contains(said), "{summary}");
    }
    // A method that is asked for by its full name is one answer, and so is a function whose namesake is elsewhere.
    for args in [&["Store.open"][..], &["close", "--path", "a.ts"]] {
        let summary = summary(args);
        assert!(!summary.contains("The file also has"), "{summary}");
    }
    let text = cli.run(&["impact", "open", "--path", "a.ts"]).stdout;
    assert!(text.contains(said), "{text}");
}

#[test]
fn a_name_of_several_definitions_has_candidates() {
    let repo = Fixture::parse(
        "//- /a.ts\nexport function open() {}\nexport class Store {\n  #open() {}\n}\n//- /b.ts\nexport function open() {}\n//- /c.ts\nimport { open } from './b';\nexport function main() { open(); }\n//- commit one\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    for args in [["main", "--to", "open"], ["open", "--to", "main"]] {
        let found = cli.json(&[&["related"], &args[..]].concat());
        let candidates = found["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), 2, "{found}");
        assert!(candidates.iter().all(|it| it["handle"].is_string()));
        assert!(
            found["reachable"].is_null(),
            "nothing was looked for: {found}"
        );
        let field = if args[0] == "open" { "path" } else { "to" };
        let note = found["note"].as_str().unwrap();
        assert!(note.contains(&format!("`{field}`")), "{note}");
        let said = cli.run(&[&["related"], &args[..]].concat()).stdout;
        assert!(said.contains("a.ts:1") && said.contains("b.ts:1"), "{said}");
    }
    let chosen = cli.json(&["related", "main", "--to", "b.ts#open"]);
    assert_eq!(chosen["reachable"], true, "{chosen}");
    // `path#name` means the same to every tool.
    let card = |target: &str| cli.json(&["explore", "--targets", target])["cards"][0].clone();
    assert_eq!(card("b.ts#open")["path"], "b.ts");
    assert!(!card("src/none.ts#open")["error"].is_null());
    let said = cli.fails(&["related", "main", "--to", "src/none.ts#open"], 1);
    assert!(said.contains("src/none.ts"), "{said}");
    assert_eq!(card("Store.#open")["path"], "a.ts");
}

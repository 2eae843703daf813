//! Packs and cards of `cl_explore`: they fit their budget, tear nothing, and say what is left out.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

const BUDGETS: [&str; 6] = ["300", "500", "1000", "2000", "4000", "12000"];

fn fixture(name: &str) -> (Repo, Cli) {
    let repo = Fixture::load(name).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn lines(part: &Value) -> (usize, usize) {
    let (first, last) = text(part, "lines").split_once('-').unwrap();
    (first.parse().unwrap(), last.parse().unwrap())
}

/// Returns the lines of a file as `sed -n` prints them.
fn exact(repo: &Repo, part: &Value) -> String {
    let (first, last) = lines(part);
    let file = repo.read(text(part, "path"));
    let all: Vec<&str> = file.split_inclusive('\n').collect();
    all[first - 1..last].concat()
}

/// Checks one pack against the tree.
fn check(repo: &Repo, answer: &Value, printed: &str, budget: u64) {
    let n_tokens = printed.trim_end().len().div_ceil(4) as u64;
    assert!(
        n_tokens <= budget,
        "{n_tokens} tokens of {budget}: {printed}"
    );
    assert_eq!(answer["tokens"], n_tokens);
    let parts = list(answer, "parts");
    let of_parts: u64 = parts
        .iter()
        .map(|part| part["tokens"].as_u64().unwrap())
        .sum();
    assert_eq!(of_parts + answer["overhead"].as_u64().unwrap(), n_tokens);
    for (at, part) in parts.iter().enumerate() {
        if let Some(source) = part["text"].as_str() {
            assert_eq!(source, exact(repo, part));
            assert_eq!(part["tokens"], source.len().div_ceil(4) as u64);
        }
        let (first, last) = lines(part);
        for other in &parts[at + 1..] {
            let (from, to) = lines(other);
            let is_apart = other["path"] != part["path"] || to < first || last < from;
            assert!(is_apart, "twice: {part} {other}");
        }
    }
    let sentences = list(answer, "brief");
    assert!(sentences.len() <= 6);
    let mut rest = answer.clone();
    rest.as_object_mut().unwrap().remove("brief");
    let rest = rest.to_string();
    for sentence in sentences.iter().filter_map(Value::as_str) {
        assert!(sentence.len() <= 160, "{sentence}");
        let names = sentence.split('`').skip(1).step_by(2);
        let numbers = sentence.split(|c: char| !c.is_ascii_digit());
        for fact in names.chain(numbers.filter(|n| !n.is_empty())) {
            assert!(
                rest.contains(fact),
                "`{fact}` of `{sentence}` is in no field"
            );
        }
    }
}

/// Returns the places of the definitions in parts and of the omitted ones.
fn places(answer: &Value) -> BTreeSet<(String, String)> {
    let both = list(answer, "parts").iter().chain(list(answer, "omitted"));
    both.flat_map(|it| {
        let further = list(it, "also").iter().filter_map(Value::as_str);
        let handles = std::iter::once(text(it, "handle")).chain(further);
        handles.map(|handle| (text(it, "path").to_owned(), handle.to_owned()))
    })
    .collect()
}

/// Returns how many definitions are in parts or omitted.
fn n_definitions(answer: &Value) -> u64 {
    let parts = list(answer, "parts").iter();
    let in_parts: usize = parts.map(|part| 1 + list(part, "also").len()).sum();
    in_parts as u64 + answer["omittedTotal"].as_u64().unwrap()
}

#[test]
fn pack_fits() {
    let include = "source,callers,callees,tests,imports";
    for name in ["shop", "kiosk", "ledger"] {
        let (repo, cli) = fixture(name);
        for question in [
            "place an order",
            "price",
            "Store",
            "add",
            "money of a cart",
            "nothing like this xyzzy",
        ] {
            let mut all: BTreeSet<(String, String)> = BTreeSet::new();
            let mut n_all = None;
            for budget in BUDGETS {
                let args = [
                    "explore",
                    question,
                    "--include",
                    include,
                    "--budget",
                    budget,
                    "--json",
                ];
                let ran = cli.run(&args);
                assert_eq!(ran.code, 0, "{ran:?}");
                assert_eq!(ran.stdout, cli.run(&args).stdout, "the same bytes twice");
                let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
                check(&repo, &answer, &ran.stdout, budget.parse().unwrap());
                let n = n_definitions(&answer);
                assert_eq!(*n_all.get_or_insert(n), n, "{question} within {budget}");
                let found = places(&answer);
                if answer["truncated"].is_null() {
                    assert!(found.is_superset(&all), "{question} within {budget}");
                }
                all.extend(found);
            }
            let args = [
                "explore",
                question,
                "--include",
                include,
                "--budget",
                "12000",
            ];
            assert_eq!(places(&cli.json(&args)), all, "{question}");
        }
    }
}

#[test]
fn cards_fit() {
    let (repo, cli) = fixture("shop");
    for budget in BUDGETS {
        let args = [
            "explore",
            "--targets",
            "addMoney",
            ".",
            "packages/catalog",
            "packages/*/src/*.ts",
            "README.md",
            "nowhere",
            "ProductStore",
            "packages/catalog/src/money.ts",
            "--include",
            "source,callers,callees,tests,imports",
            "--budget",
            budget,
            "--json",
        ];
        let ran = cli.run(&args);
        assert_eq!(ran.code, 0, "{ran:?}");
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        check(&repo, &answer, &ran.stdout, budget.parse().unwrap());
        assert!(!list(&answer, "cards").is_empty());
    }
}

const QUEUE: &str = "\
//- /src/queue.ts
import { sort, type Job } from './sort';

/** Keeps jobs in order. */
export class Queue {
  private jobs: Job[] = [];

  /** Adds a job. */
  push(job: Job): void {
    this.jobs.push(job);
    sort(this.jobs);
  }

  flush(): void {
    this.jobs = [];
  }
}
//- /src/sort.ts
/** A thing to do. */
export interface Job {
  id: number;
}

/** Puts jobs in order. */
export function sort(jobs: Job[]): Job[] {
  return jobs.sort((a, b) => a.id - b.id);
}

export function unrelated(): void {}
//- /src/app.ts
import { Queue } from './queue';

export function start(): void {
  const queue = new Queue();
  queue.push({ id: 1 });
}
//- /test/queue.test.ts
import { Queue } from '../src/queue';

describe('queue', () => {
  it('pushes', () => {
    const queue = new Queue();
    queue.push({ id: 2 });
  });
});
//- commit base
";

fn queue() -> (Repo, Cli) {
    let repo = Fixture::parse(QUEUE).build();
    let cli = Cli::new(repo.path());
    (repo, cli)
}

/// Returns the roles of the parts with their definitions or tests.
fn roles(answer: &Value) -> Vec<(&str, &str)> {
    let name = |part| match text(part, "symbol") {
        "" => text(part, "test"),
        symbol => symbol,
    };
    let parts = list(answer, "parts").iter();
    parts.map(|part| (text(part, "role"), name(part))).collect()
}

#[test]
fn what_stands_around_a_definition_comes_when_it_is_asked_for() {
    let (_repo, cli) = queue();
    let asked =
        |include: &str| cli.json(&["explore", "--targets", "Queue.push", "--include", include]);
    let source = asked("source");
    assert_eq!(roles(&source)[0], ("target", "Queue.push"));
    assert!(roles(&source).contains(&("container", "Queue")), "{source}");
    let header = list(&source, "parts")
        .iter()
        .find(|it| it["role"] == "container")
        .unwrap();
    assert_eq!(
        header["text"],
        "/** Keeps jobs in order. */\nexport class Queue {\n"
    );
    assert_eq!(
        (&header["truncated"], &header["members"]),
        (&json!(true), &json!(["jobs", "push", "flush"]))
    );
    for (include, wanted) in [
        ("callees", ("callee", "sort")),
        ("callers", ("caller", "start")),
        ("tests", ("test", "pushes")),
        ("imports", ("import", "Job")),
    ] {
        let with = asked(&format!("source,{include}"));
        assert!(
            roles(&with).contains(&wanted),
            "{include}: {:?}",
            roles(&with)
        );
        let is_of = |it: &&Value| it["role"] == wanted.0;
        let part = list(&with, "parts").iter().find(is_of).unwrap();
        assert_eq!(
            part["because"],
            list(&with, "parts")[0]["handle"],
            "{include}"
        );
        assert!(part["provenance"].is_string());
        assert!(
            !roles(&source).iter().any(|it| it.0 == wanted.0),
            "{include}"
        );
    }
    assert!(!roles(&asked("source,callees,imports")).contains(&("callee", "unrelated")));
}

#[test]
fn without_source_a_pack_names_its_parts() {
    let (_repo, cli) = queue();
    let answer = cli.json(&["explore", "sort", "--include", "callers"]);
    assert_eq!(roles(&answer)[0], ("hit", "sort"));
    assert!(
        roles(&answer).contains(&("caller", "Queue.push")),
        "{answer}"
    );
    assert!(
        list(&answer, "parts")
            .iter()
            .all(|part| part["text"].is_null() && part["tokens"] == 0)
    );
    // On a card, where a target was named.
    let card =
        cli.json(&["explore", "--targets", "sort", "--include", "callers"])["cards"][0].clone();
    assert_eq!(card["callers"], json!(["src/queue.ts:10 Queue.push"]));
}

#[test]
fn without_include_the_answer_is_short() {
    let (_repo, cli) = queue();
    let answer = cli.json(&["explore", "flush xyzzy jobs"]);
    assert!(!list(&answer, "files").is_empty() && answer["parts"].is_null());
    assert_eq!(answer["missing"], json!(["xyzzy"]));
    assert_eq!(
        answer["brief"],
        json!([
            "First: `Queue` in src/queue.ts:4.",
            "No result holds: xyzzy."
        ])
    );
}

#[test]
fn a_target_that_is_none_is_the_matter_of_its_card() {
    let (_repo, cli) = queue();
    let answer = cli.json(&[
        "explore",
        "--targets",
        "Queue",
        "pushh",
        "src/sort.ts",
        "src",
        "src/*.ts",
        ".",
        "nowhere/at.ts",
        "/etc/passwd",
        "",
        "sym_0123456789abcdef",
        "src/queue.ts:9",
        "src/sort.ts#sort",
        "push()",
    ]);
    let cards = list(&answer, "cards");
    let codes: Vec<&str> = cards
        .iter()
        .map(|card| text(&card["error"], "code"))
        .collect();
    let none = "";
    assert_eq!(
        codes,
        [
            none,
            "invalid_argument",
            none,
            none,
            none,
            none,
            "path_not_found",
            "outside_repo",
            "invalid_argument",
            "unknown_handle",
            none,
            none,
            none,
        ]
    );
    assert_eq!(cards[1]["candidates"][0]["symbol"], "Queue.push");
    assert_eq!(cards[0]["doc"], "Keeps jobs in order.");
    assert_eq!(cards[2]["kind"], "file");
    assert_eq!(cards[3]["counts"], json!({"files": 3}));
    assert_eq!(cards[5]["counts"], json!({"files": 4}));
    for at in [10, 12] {
        assert_eq!(cards[at]["symbol"], "Queue.push");
    }
    assert_eq!(cards[11]["symbol"], "sort");
}

#[test]
fn a_card_says_what_the_single_tools_say() {
    let (_repo, cli) = fixture("shop");
    for name in ["addMoney", "ProductStore", "Money", "formatMoney"] {
        let answer = cli.json(&["explore", "--targets", name]);
        let card = &answer["cards"][0];
        let impact = cli.json(&["impact", name]);
        let target = &impact["target"];
        for key in ["handle", "path", "symbol", "kind", "signature"] {
            assert_eq!(card[key], target[key], "{name}: {key}");
        }
        let n = |key: &str| impact[key].as_u64().unwrap_or(0);
        assert_eq!(card["counts"]["callers"], n("totalCallers") - n("indirect"));
        let tests = list(&impact, "affectedTests").iter();
        let bound = tests
            .filter(|it| it["basis"] != "mention" && it["role"].is_null())
            .count();
        assert_eq!(card["counts"]["tests"], bound as u64, "{name}");
        assert_eq!(
            card["counts"]["dependents"],
            list(&impact, "affectedFiles").len() as u64
        );
        assert_eq!(
            card["counts"]["callees"],
            list(&impact, "callees").len() as u64
        );
    }
}

#[test]
fn the_body_of_a_target_and_its_surroundings_come_once() {
    let (repo, cli) = queue();
    let answer = cli.json(&[
        "explore",
        "--targets",
        "Queue.push",
        "sort",
        "--include",
        "source,callees",
    ]);
    let found = roles(&answer);
    assert_eq!(found[..2], [("target", "Queue.push"), ("target", "sort")]);
    assert_eq!(
        found.iter().filter(|it| it.1 == "sort").count(),
        1,
        "{found:?}"
    );
    let file = cli.json(&["explore", "--targets", "src/sort.ts", "--include", "source"]);
    assert_eq!(
        roles(&file),
        [
            ("target", "Job"),
            ("target", "sort"),
            ("target", "unrelated")
        ]
    );
    let directory = cli.json(&["explore", "--targets", "src", "--include", "source"]);
    assert!(roles(&directory).contains(&("target", "start")));
    for part in list(&directory, "parts") {
        assert_eq!(text(part, "text"), exact(&repo, part));
    }
}

#[test]
fn inputs_that_are_none_are_told() {
    let (repo, cli) = queue();
    let mut session = Session::of(cli.command(&["serve", "--repo", repo.path().to_str().unwrap()]));
    let mut id = 10;
    let mut call = |arguments: Value| {
        id += 1;
        let reply = session.ask(
            id,
            "tools/call",
            &json!({"name": "cl_explore", "arguments": arguments}),
        );
        reply["result"]["structuredContent"].clone()
    };
    for (arguments, part) in [
        (json!({}), "exactly one of `query` and `targets`"),
        (
            json!({"query": "a", "targets": ["a"]}),
            "exactly one of `query` and `targets`",
        ),
        (
            json!({"query": "a", "include": ["people"]}),
            "not the string `people`",
        ),
        (json!({"query": "a", "include": 7}), "field `include`"),
        (json!({"query": "a", "include": [7]}), "field `include[0]`"),
        (json!({"query": "a", "budget": "much"}), "field `budget`"),
        (json!({"query": "a", "budget": [1]}), "field `budget`"),
        (json!({"targets": 7}), "field `targets`"),
        (json!({"targets": [{}]}), "field `targets[0]`"),
        (
            json!({"targets": vec!["x"; 21]}),
            "`targets` has 21 entries",
        ),
        (
            json!({"query": "a", "include": ["source"], "cursor": "x"}),
            "a pack has no pages",
        ),
    ] {
        let error = call(arguments.clone())["error"].clone();
        assert_eq!(error["code"], "invalid_argument", "{arguments}");
        assert!(
            text(&error, "message").contains(part),
            "{arguments}: {error}"
        );
    }
    for (arguments, budget) in [
        (
            json!({"query": "queue", "include": "source, callers"}),
            4_000,
        ),
        (
            json!({"query": "queue", "include": ["source"], "budget": 1}),
            300,
        ),
        (
            json!({"query": "queue", "include": ["source"], "budget": "900"}),
            900,
        ),
        (
            json!({"query": "queue", "include": ["source"], "budget": 1e12}),
            12_000,
        ),
        (json!({"targets": "Queue"}), 4_000),
        (json!({"targets": ["x".repeat(60_000)]}), 4_000),
        (
            json!({"targets": vec!["*"; 20], "include": ["source"], "budget": 300}),
            300,
        ),
        (
            json!({"query": "queue ".repeat(9_000), "include": ["source"], "budget": 300}),
            300,
        ),
    ] {
        let answer = call(arguments);
        assert_eq!(answer["budget"], budget, "{answer}");
        assert!(answer["tokens"].as_u64().unwrap() <= budget, "{answer}");
    }
    // Nothing asked for, nothing packed.
    assert!(call(json!({"query": "queue", "include": []}))["files"].is_array());
}

#[test]
fn a_pack_is_printed_for_people_and_as_markdown() {
    let (_repo, cli) = queue();
    let shown = cli
        .run(&["explore", "sort", "--include", "source,callers"])
        .stdout;
    assert!(
        shown.contains("src/sort.ts:1 sort  hit, and 2 more here\n    /** A thing to do. */"),
        "{shown}"
    );
    assert!(shown.contains("    /** Puts jobs in order. */"), "{shown}");
    assert!(
        shown.contains("src/queue.ts:7 Queue.push  caller"),
        "{shown}"
    );
    let markdown = cli.run(&["explore", "sort", "--markdown"]).stdout;
    assert!(markdown.starts_with("# sort\n"), "{markdown}");
    assert!(
        markdown.contains("## sort (src/sort.ts:1-11)\n\n```ts\n/** A thing to do. */\n"),
        "{markdown}"
    );
    let card = cli
        .run(&["explore", "--targets", "sort", "--include", "callers"])
        .stdout;
    assert!(
        card.contains("sort  src/sort.ts:7") && card.contains("caller: src/queue.ts:10 Queue.push"),
        "{card}"
    );
}

const WALK: &str = "\
//- /src/walk.ts
/** Walks a tree of nodes. */
export function walk(nodes: string[]): string[] {
  const found: string[] = [];
LINES
  function visitLeaf(node: string): void {
LEAF  }
LINES
  nodes.forEach(visitLeaf);
  return found;
}
//- commit base
";

#[test]
fn a_long_definition_goes_in_whole_where_there_is_room() {
    let line = "  found.push('something that makes it long');\n";
    let repo = Fixture::parse(
        &WALK
            .replace("LINES\n", &line.repeat(80))
            .replace("LEAF", &"    found.push('leaf ' + node);\n".repeat(20)),
    )
    .build();
    let cli = Cli::new(repo.path());
    let asked = |budget: &str| {
        let args = [
            "explore",
            "visit leaf",
            "--include",
            "source",
            "--budget",
            budget,
        ];
        let ran = cli.run(&[&args[..], &["--json"]].concat());
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        check(&repo, &answer, &ran.stdout, budget.parse().unwrap());
        answer
    };
    // The function inside is all that fits, then the whole is there and stands for it.
    let small = asked("600");
    let symbols = |answer: &Value| -> Vec<String> {
        let parts = list(answer, "parts").iter();
        parts.map(|part| text(part, "symbol").to_owned()).collect()
    };
    assert!(
        symbols(&small).contains(&"walk.visitLeaf".to_owned()),
        "{small}"
    );
    let large = asked("8000");
    assert_eq!(list(&large, "parts").len(), 1, "{large}");
    assert_eq!(list(&large, "parts")[0]["lines"], "1-188");
    assert_eq!(n_definitions(&small), n_definitions(&large));
    assert_eq!(places(&small), places(&large));
}

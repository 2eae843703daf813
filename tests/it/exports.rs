//! `codelens export`: the index as SCIP and as lines of JSON, read back by the formats' own readers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use protobuf::Message as _;
use scip::types::{Index, SymbolRole};
use serde_json::Value;

use crate::support::{Cli, Fixture, Repo};

const FILES: &[(&str, &str)] = &[
    (
        "src/queue.ts",
        "/** Takes jobs. */\nexport interface Sink {\n  take(job: string): void\n}\n\nexport class Queue implements Sink {\n  constructor(readonly name: string) {}\n  take(job: string): void {\n    push(job)\n  }\n}\n\nexport function push(job: string) {}\nexport function over(a: string): void\nexport function over(a: number): void\nexport function over(a: any) {}\n",
    ),
    (
        "src/main.ts",
        "import { Queue, push as add } from './queue'\n\nconst queue = new Queue('a')\nqueue.take('x')\nadd('y')\n",
    ),
    (
        "jobs.py",
        "class Job:\n    \"\"\"A job.\"\"\"\n\n    def run(self):\n        return helper()\n\n\ndef helper():\n    return 1\n",
    ),
    ("notes.md", "# Notes\n"),
];

fn repo() -> Repo {
    let mut text = String::new();
    for (path, content) in FILES {
        for part in ["//- /", path, "\n", content] {
            text.push_str(part);
        }
    }
    Fixture::parse(&(text + "//- commit one\n")).build()
}

fn read(file: &Path) -> Index {
    Index::parse_from_bytes(&std::fs::read(file).unwrap()).expect("it is an index of SCIP")
}

/// The text at the range of each occurrence with the symbol and whether it is its definition.
fn occurrences(index: &Index, path: &str) -> BTreeSet<(String, String, bool)> {
    let text = FILES.iter().find(|(name, _)| *name == path).unwrap().1;
    let lines: Vec<&str> = text.lines().collect();
    let document = index.documents.iter().find(|it| it.relative_path == path);
    let document = document.unwrap_or_else(|| panic!("{path} has no document"));
    let occurrences = document.occurrences.iter().map(|it| {
        let at = |n: usize| usize::try_from(it.range[n]).unwrap();
        assert_eq!(it.range.len(), 3, "names stand on one line");
        let name = lines[at(0)][at(1)..at(2)].to_owned();
        let last = it.symbol.rsplit("`/").next().unwrap().to_owned();
        let is_definition = it.symbol_roles & SymbolRole::Definition as i32 != 0;
        (name, last, is_definition)
    });
    occurrences.collect()
}

#[test]
fn scip_has_definitions_and_uses_at_their_places() {
    let repo = repo();
    let cli = Cli::new(repo.path());
    let file = cli.home().with_file_name("index.scip");
    let told = cli.json(&["export", "--format", "scip", "-o", file.to_str().unwrap()]);
    assert_eq!(told["files"], 3, "{told}");
    assert_eq!(told["leftOut"], 0, "{told}");
    let index = read(&file);
    assert_eq!(told["bytes"], std::fs::metadata(&file).unwrap().len());
    assert!(index.metadata.project_root.starts_with("file:///"));

    let of_main = occurrences(&index, "src/main.ts");
    for (name, symbol, is_definition) in [
        ("", "", true),
        ("'./queue'", "", false),
        ("Queue", "Queue#", false),
        ("Queue", "Queue#constructor().", false),
        ("take", "Queue#take().", false),
        ("add", "push().", false),
        ("push", "push().", false),
        ("queue", "queue.", true),
    ] {
        let wanted = (name.to_owned(), symbol.to_owned(), is_definition);
        assert!(of_main.contains(&wanted), "{wanted:?} in {of_main:#?}");
    }
    let of_jobs = occurrences(&index, "jobs.py");
    assert!(of_jobs.contains(&("helper".to_owned(), "helper().".to_owned(), false)));

    let document = index
        .documents
        .iter()
        .find(|it| it.relative_path == "src/queue.ts");
    let symbols: BTreeMap<&str, _> = document
        .unwrap()
        .symbols
        .iter()
        .map(|it| (it.symbol.rsplit("`/").next().unwrap(), it))
        .collect();
    assert_eq!(symbols["Sink#"].documentation, ["Takes jobs."]);
    let related = |name: &str| -> Vec<(String, bool)> {
        let related = symbols[name].relationships.iter();
        let brief = related.map(|it| {
            assert!(it.is_implementation);
            (
                it.symbol.rsplit("`/").next().unwrap().to_owned(),
                it.is_reference,
            )
        });
        brief.collect()
    };
    assert_eq!(related("Queue#"), [("Sink#".to_owned(), false)]);
    assert_eq!(
        related("Queue#take()."),
        [("Sink#take().".to_owned(), true)]
    );
    for document in &index.documents {
        for symbol in document
            .symbols
            .iter()
            .map(|it| &it.symbol)
            .chain(document.occurrences.iter().map(|it| &it.symbol))
        {
            let parsed =
                scip::symbol::parse_symbol(symbol).expect("each symbol follows the grammar");
            assert_eq!(parsed.scheme, "codelens");
        }
    }
}

#[test]
fn an_export_of_a_commit_equals_that_of_its_checkout() {
    let repo = repo();
    let cli = Cli::new(repo.path());
    let at = |name: &str| cli.home().with_file_name(name);
    let (before, commit, again) = (at("before"), at("commit"), at("again"));
    cli.json(&["export", "--format", "scip", "-o", before.to_str().unwrap()]);
    cli.json(&["export", "--format", "scip", "-o", again.to_str().unwrap()]);
    repo.write("src/queue.ts", "export const gone = 1\n");
    let told = cli.json(&[
        "export",
        "--format",
        "scip",
        "--ref",
        "HEAD",
        "-o",
        commit.to_str().unwrap(),
    ]);
    assert_eq!(told["headSha"], repo.git(&["rev-parse", "HEAD"]).trim());
    let before = std::fs::read(&before).unwrap();
    assert!(
        before == std::fs::read(&again).unwrap(),
        "it is made the same again"
    );
    assert!(
        before == std::fs::read(&commit).unwrap(),
        "the work tree's edits are not in it"
    );
    cli.json(&["export", "--format", "scip", "-o", again.to_str().unwrap()]);
    assert!(before != std::fs::read(&again).unwrap(), "here they are");
}

#[test]
fn lines_of_json_lead_from_one_to_the_other() {
    let repo = repo();
    let cli = Cli::new(repo.path());
    let file = cli.home().with_file_name("index.jsonl");
    let told = cli.json(&["export", "--format", "jsonl", "-o", file.to_str().unwrap()]);
    let lines = std::fs::read_to_string(&file).unwrap();
    let elsewhere = Cli::new(repo.path());
    elsewhere.json(&["export", "--format", "jsonl", "-o", file.to_str().unwrap()]);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        lines,
        "another index gives the same"
    );
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &'static str| lines.iter().filter(move |it| it["type"] == kind);
    assert_eq!(of("index").count(), 1);
    assert_eq!(lines[0]["headSha"], told["headSha"]);
    assert_eq!(of("file").count(), 4, "documents are files too");
    assert_eq!(told["symbols"], of("symbol").count());
    let named: BTreeMap<&str, &Value> = of("symbol")
        .map(|it| (it["id"].as_str().unwrap(), it))
        .collect();
    let called: BTreeSet<(Option<&str>, &str)> = of("edge")
        .filter(|it| it["kind"] == "calls")
        .map(|it| {
            let from = it["from"]
                .as_str()
                .map(|id| named[id]["qualifiedName"].as_str().unwrap());
            (
                from,
                named[it["to"].as_str().unwrap()]["qualifiedName"]
                    .as_str()
                    .unwrap(),
            )
        })
        .collect();
    assert!(called.contains(&(Some("Queue.take"), "push")), "{called:?}");
    assert!(called.contains(&(Some("Job.run"), "helper")), "{called:?}");
    let import = of("import").next().unwrap();
    assert_eq!(
        (&import["path"], &import["target"]),
        (&"src/main.ts".into(), &"src/queue.ts".into())
    );
}

#[test]
fn an_export_that_can_not_be_made_says_why_and_leaves_nothing() {
    let repo = repo();
    let cli = Cli::new(repo.path());
    let home = cli.home();
    let dir = home.parent().unwrap();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    for (args, code, part) in [
        (vec!["export", "--format", "scip"], 2, "--output"),
        (
            vec!["export", "--format", "xml", "-o", "x"],
            2,
            "scip, jsonl",
        ),
        (vec!["export", "-o", "x"], 2, "--format"),
        (
            vec![
                "export",
                "--format",
                "scip",
                "--ref",
                "man",
                "-o",
                &path("a"),
            ],
            1,
            "did you mean `main`",
        ),
        (
            vec!["export", "--format", "scip", "--ref", "", "-o", &path("a")],
            1,
            "the name of the commit is empty",
        ),
        (
            vec!["export", "--format", "scip", "-o", dir.to_str().unwrap()],
            1,
            "is a directory",
        ),
        (
            vec!["export", "--format", "jsonl", "-o", &path("none/a")],
            1,
            "can't be written",
        ),
    ] {
        let said = cli.fails(&args, code);
        assert!(said.contains(part), "{args:?}: {said}");
    }
    let left: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(left, ["data"]);
}

//! The files around the results of a question, and graphs as text and drawings.

use insta::assert_snapshot;
use serde_json::Value;

use crate::graph::library;
use crate::support::{Cli, Fixture};

#[test]
fn explore_groups_by_file_and_pages_without_repetition() {
    let (repo, cli) = library();
    for n in 0..9 {
        let functions: Vec<String> = (0..6)
            .map(|m| format!("export function gather{n}{m}() {{ return 'gather' }}\n\n"))
            .collect();
        let functions = functions.concat();
        repo.write(&format!("src/m{n}.ts"), functions);
    }
    let mut seen: Vec<String> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec![
            "explore",
            "gather",
            "-n",
            "6",
            "--max-files",
            "4",
            "--max-results-per-file",
            "2",
        ];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = cli.json(&args);
        let files = page["files"].as_array().unwrap();
        assert!(files.len() <= 4);
        let n: usize = files
            .iter()
            .map(|file| file["results"].as_array().unwrap().len())
            .sum();
        assert!(n <= 6 && page["count"] == n);
        for file in files {
            let results = file["results"].as_array().unwrap();
            assert!((1..=2).contains(&results.len()));
            if file["path"].as_str().unwrap().starts_with("src/m") {
                assert_eq!(
                    results.last().unwrap()["collapsed"],
                    6 - results.len(),
                    "{file}"
                );
            }
            seen.push(file["path"].as_str().unwrap().to_owned());
        }
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    let mut unique = seen.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), seen.len());
    assert_eq!(unique.len(), 9);
    let around = cli.json(&["explore", "drain", "--max-files", "1"]);
    assert_eq!(around["files"][0]["path"], "src/queue.ts");
    let near: Vec<&Value> = around["related"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["path"])
        .collect();
    assert_eq!(near, ["src/worker.ts", "src/queue.test.ts", "src/index.ts"]);
}

#[test]
fn impact_is_a_tree_on_a_terminal() {
    let (_repo, cli) = library();
    assert_snapshot!(cli.run(&["impact", "Queue.push"]).stdout, @"
    src/queue.ts:2  Queue.push  method

    3 direct callers. Affects 3 files and 1 test file (2 steps).

    Callers
    ├─ src/queue.ts:6  drain  member
    └─ src/worker.ts:4  work  member

    Further files (1 indirect caller)
    └─ src/main.ts  member

    Tests
    └─ src/queue.test.ts:2  pushes  member

    It uses
    └─ src/queue.ts:3  Queue.check  member
    ");
    assert_snapshot!(cli.run(&["related", "src/queue.ts", "--types", "imported_by,calls,tests", "--depth", "2"]).stdout, @"
    Called by
    ├─ src/worker.ts
    │  └─ src/main.ts
    └─ src/queue.test.ts

    Imported by
    ├─ src/index.ts
    │  └─ src/worker.ts
    └─ src/queue.test.ts

    Tests
    └─ src/queue.test.ts
    ");
}

#[test]
fn a_drawing_is_whole_whatever_things_are_called() {
    let repo = Fixture::parse(
        "//- /src/a \"b\" [c] #1; <x>|`y`.ts\nexport function odd() {}\nexport const $end = () => odd()\n//- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let path = "src/a \"b\" [c] #1; <x>|`y`.ts";
    for args in [
        &["impact", "odd"][..],
        &["related", path, "--types", "defines"],
    ] {
        let dot = cli.run(&[args, &["--dot"]].concat());
        assert_eq!((dot.code, dot.stderr.as_str()), (0, ""));
        let text = dot.stdout;
        assert!(
            text.starts_with("digraph codelens {\n") && text.ends_with("}\n"),
            "{text}"
        );
        // Outside of quoted strings nothing of the repository's is left.
        let mut bare = String::new();
        let mut is_quoted = false;
        let mut characters = text.chars();
        while let Some(c) = characters.next() {
            match c {
                '\\' if is_quoted => drop(characters.next()),
                '"' => is_quoted = !is_quoted,
                _ if !is_quoted => bare.push(c),
                _ => {}
            }
        }
        assert!(!is_quoted, "{text}");
        assert!(!bare.contains(['#', '`', '|', '<']), "{bare}");
        assert_eq!(
            bare.matches(['{', '[']).count(),
            bare.matches(['}', ']']).count()
        );
        let mermaid = cli.run(&[args, &["--mermaid"]].concat()).stdout;
        for line in mermaid.lines().skip(1).filter(|line| line.contains('[')) {
            let label = line.split('"').nth(1).unwrap();
            assert_eq!(line.matches('"').count(), 2, "{line}");
            assert!(
                !label
                    .replace("<br>", "")
                    .contains(['<', '>', '[', '`', '|']),
                "{line}"
            );
        }
    }
    let both = cli.run(&["impact", "odd", "--dot", "--json"]);
    assert_eq!((both.code, both.stdout.as_str()), (2, ""));
    assert_eq!(cli.run(&["--json", "impact", "odd", "--mermaid"]).code, 2);
    repo.write("src/b.ts", "export function odd() {}\n");
    let error = cli.fails(&["impact", "odd", "--dot"], 1);
    assert!(error.contains("2 definitions have this name"), "{error}");
}

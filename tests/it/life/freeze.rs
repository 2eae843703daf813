//! Indexes that nobody asked for a while: small on the disk, and the same when they are asked again.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Cli, Fixture, Repo, walk};

const BRANCHES: [&str; 5] = ["b1", "b2", "b3", "b4", "b5"];

/// A repository whose index has some MiB.
fn large() -> Repo {
    let repo = Fixture::parse("//- /a.ts\nexport function a() {}\n//- commit one\n").build();
    for file in 0..60 {
        let function = |n: u64| {
            let name = format!("work{file}x{n}");
            let words = blake3::hash(name.as_bytes()).to_hex();
            format!(
                "/** Handles {words}. */\nexport function {name}(input: string) {{\n  return '{words}' + input;\n}}\n"
            )
        };
        let text: String = (0..60).map(function).collect();
        repo.write(&format!("src/f{file}.ts"), text);
    }
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "--quiet", "-m", "two"]);
    repo
}

/// Makes a branch with a file of its own from the one that is checked out, and its index.
fn new_branch(repo: &Repo, cli: &Cli, name: &str) {
    repo.git(&["switch", "--quiet", "-c", name]);
    repo.write("src/own.ts", format!("export function own_{name}() {{}}\n"));
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "--quiet", "-m", name]);
    cli.json(&["refresh"]);
}

fn frozen(cli: &Cli) -> Vec<String> {
    let stats = cli.json(&["stats"]);
    let indexes = stats["indexes"].as_array().unwrap().iter();
    let frozen = indexes.filter(|index| index["frozen"] == true);
    let mut names: Vec<String> = frozen
        .map(|index| index["branch"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

fn frozen_files(cli: &Cli) -> Vec<PathBuf> {
    let mut files = walk(&cli.home());
    files.retain(|path| path.extension().is_some_and(|end| end == "frozen"));
    files
}

/// Everything that an index holds, but for what it was made from.
fn exported(cli: &Cli) -> String {
    let target = cli.home().parent().unwrap().join("export.jsonl");
    drop(std::fs::remove_file(&target));
    let ran = cli.run(&[
        "export",
        "--format",
        "jsonl",
        "--output",
        target.to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    std::fs::read_to_string(&target).unwrap()
}

#[test]
fn indexes_that_nobody_asks_are_frozen_and_wake_as_they_were() {
    let repo = large();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let mut before = Vec::new();
    for name in BRANCHES {
        new_branch(&repo, &cli, name);
        before.push(exported(&cli));
    }
    // Three are awake: the one that is checked out, and the two before it. One is frozen whenever an index is made.
    assert_eq!(frozen(&cli), ["b1", "b2", "main"]);
    let stats = cli.json(&["stats"]);
    let bytes = |branch: &str| {
        let indexes = stats["indexes"].as_array().unwrap().iter();
        let mut found = indexes.filter(|index| index["branch"] == branch);
        found.next().unwrap()["bytes"].as_u64().unwrap()
    };
    assert!(bytes("b5") > 1 << 20);
    assert!(bytes("b1") * 4 < bytes("b5"), "{stats}");
    assert!(cli.run(&["stats"]).stdout.contains("frozen"));
    for (name, before) in BRANCHES.iter().zip(&before) {
        repo.git(&["switch", "--quiet", name]);
        let found = cli.json(&["search", &format!("own_{name}")]);
        assert_eq!(found["freshness"], "fresh");
        assert_eq!(found["results"][0]["path"], "src/own.ts", "{found}");
        assert!(!frozen(&cli).contains(&(*name).to_owned()));
        assert!(exported(&cli) == *before, "{name}");
    }
    let doctor = cli.run(&["doctor"]);
    assert_eq!(doctor.code, 0, "{doctor:?}");
}

#[test]
fn none_is_frozen_where_the_user_says_so() {
    let repo = large();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_FREEZE_AFTER_HOURS", "0");
    for name in BRANCHES {
        new_branch(&repo, &cli, name);
    }
    assert!(frozen(&cli).is_empty() && frozen_files(&cli).is_empty());
}

#[test]
fn a_frozen_index_that_is_damaged_is_made_anew() {
    let repo = large();
    let cli = Cli::new(repo.path());
    for name in BRANCHES {
        new_branch(&repo, &cli, name);
    }
    for path in frozen_files(&cli) {
        std::fs::write(path, "no index").unwrap();
    }
    repo.git(&["switch", "--quiet", "b1"]);
    let found: Value = cli.json(&["search", "own_b1"]);
    assert_eq!(found["results"][0]["path"], "src/own.ts", "{found}");
    assert_eq!(found["freshness"], "fresh");
    let mut left = frozen_files(&cli);
    left.retain(|path| std::fs::read(path).unwrap() == b"no index");
    assert_eq!(left.len(), 1, "that of b2, which nobody asked: {left:?}");
}

#[test]
fn questions_about_a_commit_wake_its_index() {
    let repo = large();
    let cli = Cli::new(repo.path());
    let first = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    cli.json(&["search", "work1x1", "--ref", &first]);
    cli.json(&["refresh"]);
    let lock = walk(&cli.home())
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "open"));
    for path in lock {
        let old = std::time::SystemTime::now() - std::time::Duration::from_hours(3);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(old).unwrap();
    }
    new_branch(&repo, &cli, "b1");
    assert_eq!(
        frozen_files(&cli).len(),
        1,
        "the one that was used longest ago"
    );
    let found = cli.json(&["search", "work1x1", "--ref", &first]);
    assert_eq!(found["results"][0]["path"], "src/f1.ts", "{found}");
}

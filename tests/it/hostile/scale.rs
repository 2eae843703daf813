//! More of everything than anyone has: files in a directory, directories in directories, branches.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::calls::{call, every_tool, run};
use super::corpus::{is_full, scaled};
use crate::support::{Cli, Repo};

/// Builds the index with all the time it needs, and prints its cost.
#[expect(
    clippy::print_stdout,
    reason = "the run in full is made for its figures"
)]
fn built(cli: &Cli, what: &str) -> Value {
    let begun = std::time::Instant::now();
    let said = run(cli, &["refresh", "--json"], Duration::from_hours(1));
    assert_eq!(said.code, 0, "{}", String::from_utf8_lossy(&said.stderr));
    if is_full() {
        println!(
            "{what}: {:?}, {} MiB",
            begun.elapsed(),
            said.peak_bytes >> 20
        );
    }
    assert!(said.peak_bytes < 300 << 20, "{} MiB", said.peak_bytes >> 20);
    serde_json::from_slice(&said.stdout).unwrap()
}

#[test]
fn a_directory_may_have_any_number_of_files() {
    let repo = Repo::new(Vec::new());
    let n_files = scaled(3_000, 1_000_000);
    let folder = repo.path().join("many");
    std::fs::create_dir(&folder).unwrap();
    for n in 0..n_files {
        std::fs::write(
            folder.join(format!("f{n}.ts")),
            format!("export const a{n} = {n}\n"),
        )
        .unwrap();
    }
    let cli = Cli::new(repo.path());
    let answer = built(&cli, "files in one directory");
    assert_eq!(answer["totalFiles"], json!(n_files), "{answer}");
    if !is_full() {
        every_tool(&cli, &["many/f1.ts"]);
    }
    let found = call(&cli, &["search", "a77"]);
    assert!(is_full() || found["freshness"] == "fresh", "{found}");
}

#[test]
fn a_tree_may_have_any_number_of_files() {
    let repo = Repo::new(Vec::new());
    let n_files = scaled(2_000, 100_000);
    for n in 0..n_files {
        let (next, folder) = ((n + 1) % n_files, |n: usize| {
            format!("p{}/d{}", n % 40, n % 400)
        });
        let text = format!(
            "import {{ g{next} }} from '../../{}/f{next}'\nexport function g{n}() {{ return g{next}() }}\n",
            folder(next)
        );
        repo.write(&format!("{}/f{n}.ts", folder(n)), text);
    }
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "all"]);
    let cli = Cli::new(repo.path());
    let answer = built(&cli, "files in a tree");
    assert_eq!(
        (&answer["totalFiles"], &answer["status"]),
        (&json!(n_files), &json!("ready"))
    );
    let impact = call(&cli, &["impact", "g7"]);
    assert!(
        impact["callers"]
            .as_array()
            .is_some_and(|callers| !callers.is_empty()),
        "{impact}"
    );
}

#[test]
fn a_directory_may_lie_at_any_depth() {
    let repo = Repo::new(Vec::new());
    // Deeper than a path may be long for the system, which has to be made step by step.
    let depth = scaled(300, 1_500);
    let script = format!(
        "i=0; while [ $i -lt {depth} ]; do mkdir d && cd d || break; i=$((i+1)); done; echo 'export const deep = 1' > a.ts"
    );
    let status = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(repo.path())
        .status()
        .unwrap();
    assert!(status.success());
    repo.write("a.ts", "export const alpha = 1\n");
    let cli = Cli::new(repo.path());
    let answer = every_tool(&cli, &["a.ts", &format!("{}a.ts", "d/".repeat(depth))]);
    assert_eq!(answer["totalFiles"], 2, "{answer}");
}

#[test]
fn ten_thousand_branches_are_no_burden() {
    let mut repo = Repo::new(Vec::new());
    repo.then("//- /a.ts\nexport function alpha() {}\n//- commit one\n");
    let id = repo.commit("one").to_owned();
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for n in 0..10_000 {
        let _ = writeln!(packed, "{id} refs/heads/b{n:05}");
    }
    std::fs::write(repo.path().join(".git/packed-refs"), packed).unwrap();
    let cli = Cli::new(repo.path());
    every_tool(&cli, &["a.ts"]);
    repo.git(&["checkout", "--quiet", "b07777"]);
    let found = call(&cli, &["search", "alpha"]);
    assert_eq!(found["freshness"], "fresh", "{found}");
    assert_eq!(call(&cli, &["current"])["branch"], "b07777");
}

//! Files with any content, any name and of any kind, through every tool.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::calls::{Stop, call, every_tool, outside};
use super::corpus::{self, Content};
use crate::support::{Cli, Repo};

fn made(contents: &[Content]) -> (Repo, Cli) {
    let repo = Repo::new(Vec::new());
    corpus::write(&repo.path(), contents);
    let cli = Cli::new(repo.path());
    (repo, cli)
}

/// Returns the reasons of a corpus with their counts, as an answer has them.
fn reasons(contents: &[Content]) -> Value {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, _, reason) in contents {
        if let Some(reason) = reason {
            *counts.entry(reason).or_default() += 1;
        }
    }
    json!(counts)
}

fn is_taken_in(contents: &[Content]) {
    let (_repo, cli) = made(contents);
    let paths: Vec<&str> = contents.iter().map(|(name, ..)| *name).collect();
    let answer = every_tool(&cli, &paths[..paths.len().min(12)]);
    assert_eq!(answer["status"], "ready", "{answer}");
    assert_eq!(answer["totalFiles"], json!(contents.len()), "{answer}");
    assert_eq!(answer["skippedByReason"], reasons(contents), "{answer}");
    let map = call(&cli, &["map", "--limit", "200"]);
    assert_eq!(map["freshness"], "fresh", "{map}");
}

#[test]
fn nesting_without_sense_is_taken_in() {
    is_taken_in(&corpus::nested());
}

#[test]
fn lines_and_names_without_end_are_taken_in() {
    is_taken_in(&corpus::long());
}

#[test]
fn routes_and_requests_without_sense_are_taken_in() {
    is_taken_in(&corpus::endpoints());
}

#[test]
fn bytes_that_are_no_plain_text_are_taken_in() {
    let contents = corpus::encoded();
    is_taken_in(&contents);
    // A name is found however its letters are put together, and both files stay themselves.
    let (_repo, cli) = made(&contents);
    for name in ["caf\u{e9}", "cafe\u{301}"] {
        let found = call(&cli, &["search", name]);
        assert_eq!(found["freshness"], "fresh");
    }
}

#[test]
fn configuration_that_means_nothing_is_taken_in() {
    is_taken_in(&corpus::configured());
}

#[test]
fn names_of_every_kind_are_kept_or_counted() {
    let repo = Repo::new(Vec::new());
    corpus::write_names(&repo.path().join("names"));
    let cli = Cli::new(repo.path());
    let texts: Vec<String> = corpus::names()
        .into_iter()
        .filter_map(|name| String::from_utf8(name).ok())
        .collect();
    let paths: Vec<String> = texts.iter().map(|name| format!("names/{name}")).collect();
    let some: Vec<&str> = paths.iter().map(String::as_str).step_by(5).collect();
    let answer = every_tool(&cli, &some);
    assert_eq!(
        answer["skippedByReason"],
        json!({"nonUtf8Name": 2}),
        "{answer}"
    );
    assert_eq!(answer["totalFiles"], json!(paths.len()), "{answer}");
    // What may be in the others is said where nothing was found.
    let impact = call(&cli, &["impact", "alpha0", "--path", &paths[0]]);
    let summary = impact["summary"].as_str().unwrap_or_default();
    assert!(
        summary.ends_with("Not read: 2 files whose names are not UTF-8."),
        "{impact}"
    );
    assert_eq!(impact["completeness"]["skippedFiles"], 2, "{impact}");
    let lines = call(&cli, &["grep", "alpha"]);
    assert_eq!(lines["unsearched"]["nonUtf8Name"], 2, "{lines}");
    for path in &paths {
        let expanded = call(&cli, &["expand", "--", path]);
        let content = expanded["content"].as_str().unwrap_or_default();
        assert!(
            content.starts_with("export const alpha"),
            "{path:?}: {expanded}"
        );
        let mapped = call(&cli, &["map", "--", path]);
        assert_eq!(mapped["fileCount"], 1, "{path:?}: {mapped}");
    }
}

#[test]
fn links_and_special_files_are_counted_and_never_followed() {
    let repo = Repo::new(Vec::new());
    let outside = outside(&repo);
    let (n_links, n_specials) = corpus::write_specials(&repo.path().join("odd"), &outside);
    repo.write("a.ts", "export function alpha() {}\n");
    std::fs::hard_link(repo.path().join("a.ts"), repo.path().join("hard.ts")).unwrap();
    let cli = Cli::new(repo.path());
    let paths = [
        "odd/loop-a",
        "odd/self",
        "odd/here/here/here",
        "odd/up/a.ts",
        "odd/out/secret.ts",
        "odd/out.ts",
        "odd/root/etc/passwd",
        "odd/passwd.ts",
        "odd/environ.ts",
        "odd/zero.ts",
        "odd/config.ts",
        "odd/pipe.ts",
        "odd/null.ts",
        "odd/socket.ts",
        "odd",
        ".git/config",
        "odd/up/.git/HEAD",
        "../outside/secret.ts",
        "odd/../../outside/secret.ts",
        "hard.ts",
    ];
    let answer = every_tool(&cli, &paths);
    assert_eq!(
        answer["skippedByReason"],
        json!({"symlink": n_links, "special": n_specials}),
        "{answer}"
    );
    assert_eq!(answer["totalFiles"], 2, "{answer}");
    for path in &paths[4..14] {
        let code = call(&cli, &["expand", path])["error"]["code"].clone();
        assert!(
            code == "outside_repo" || code == "path_not_found",
            "{path}: {code}"
        );
    }
    assert_eq!(
        call(&cli, &["expand", "odd/up/a.ts"])["path"],
        "odd/up/a.ts"
    );
}

#[test]
fn what_cannot_be_read_is_counted() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::new(Vec::new());
    repo.write("a.ts", "export function alpha() {}\n");
    repo.write("closed.ts", "export function closed() {}\n");
    repo.write("closed/a.ts", "export function hidden() {}\n");
    repo.write("listed/a.ts", "export function listed() {}\n");
    let close = |path: &str, mode| {
        let to = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(repo.path().join(path), to).unwrap();
    };
    close("closed.ts", 0);
    close("closed", 0);
    // Its names may be read, and no more.
    close("listed", 0o444);
    // Whoever may read everything has nothing to count.
    let reads_all = std::fs::read(repo.path().join("closed.ts")).is_ok();
    let cli = Cli::new(repo.path());
    let answer = every_tool(&cli, &["a.ts", "closed.ts", "closed/a.ts"]);
    close("closed", 0o755);
    close("listed", 0o755);
    if reads_all {
        assert_eq!(answer["totalFiles"], 4, "{answer}");
        return;
    }
    assert_eq!(answer["skippedByReason"]["unreadable"], 3, "{answer}");
    let map = || call(&cli, &["map"]);
    let known = map();
    assert_eq!(
        (&known["freshness"], &known["fileCount"]),
        (&json!("fresh"), &json!(3))
    );
    // What is known of a directory stays when it is closed, and is not said to be so.
    for (dir, mode) in [("closed", 0), ("listed", 0o444)] {
        close(dir, mode);
        let found = map();
        close(dir, 0o755);
        assert_eq!(found["freshness"], "unknown", "{dir}: {found}");
        assert_eq!(found["fileCount"], 3, "{dir}: {found}");
    }
}

#[test]
fn files_that_grow_shrink_and_vanish_while_they_are_read_end_in_the_truth() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let repo = Repo::new(Vec::new());
    let text = "export function alpha() { return 1 }\n".repeat(2_000);
    for n in 0..20 {
        repo.write(&format!("f{n}.ts"), &text);
    }
    let cli = Cli::new(repo.path());
    let (stop, root) = (AtomicBool::new(false), repo.path());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0_usize.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let path = root.join(format!("f{}.ts", n % 20));
                match n % 3 {
                    0 => drop(std::fs::remove_file(&path)),
                    1 => std::fs::write(&path, &text[..n % text.len()]).unwrap(),
                    _ => std::fs::write(&path, text.repeat(2)).unwrap(),
                }
            }
        });
        let _stop = Stop(&stop);
        for _ in 0..4 {
            let found = call(&cli, &["search", "alpha"]);
            assert_ne!(found["freshness"], Value::Null, "{found}");
            call(&cli, &["expand", "f1.ts"]);
        }
    });
    let built = call(&cli, &["refresh"]);
    assert_eq!(built["status"], "ready", "{built}");
    let n_files = std::fs::read_dir(repo.path()).unwrap().count() - 1;
    assert_eq!(built["totalFiles"], json!(n_files));
    assert_eq!(call(&cli, &["search", "alpha"])["freshness"], "fresh");
}

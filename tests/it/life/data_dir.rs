//! The data directory as a whole: housekeeping without a command, lists, and the keys of caches.

use super::prune::{BASE, branches, date_log, two_branches};
use crate::support::{Cli, Fixture, walk};

#[test]
fn housekeeping_runs_by_itself_and_can_be_switched_off() {
    let mut repo = Fixture::parse(BASE).build();
    let mut cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    for n in 0..6 {
        repo.then(&format!(
            "//- /a.ts\nexport function a{n}() {{}}\n//- commit c{n}\n"
        ));
        date_log(&repo);
        cli.json(&["search", "function"]);
    }
    assert_eq!(
        branches(&cli),
        ["main"; 3],
        "a new index makes room for itself"
    );
    repo.then("//- checkout feature\n");
    date_log(&repo);
    cli.json(&["refresh"]);
    repo.then("//- checkout main\n")
        .git(&["branch", "--quiet", "-D", "feature"]);
    date_log(&repo);
    cli.json(&["refresh"]);
    assert_eq!(
        branches(&cli).len(),
        4,
        "nothing is new, and the hour is not over"
    );
    let stamp = cli.home().join("housekeeping");
    let past = std::time::SystemTime::now() - std::time::Duration::from_hours(2);
    let touch = || {
        std::fs::File::options()
            .write(true)
            .open(&stamp)
            .unwrap()
            .set_modified(past)
            .unwrap();
    };
    touch();
    cli.set("CODELENS_HOUSEKEEPING", "off");
    cli.json(&["refresh"]);
    assert_eq!(branches(&cli).len(), 4);
    cli.set("CODELENS_HOUSEKEEPING", "on");
    cli.json(&["refresh"]);
    assert_eq!(branches(&cli), ["main"; 3]);
}

#[test]
fn every_repository_is_listed_with_what_would_go() {
    let (repo, mut cli) = two_branches();
    repo.git(&["branch", "--quiet", "-D", "feature"]);
    cli.json(&["save", "work", "--notes", "n"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let list = cli.go(elsewhere.path()).json(&["list"]);
    let found = &list["repositories"][0];
    assert_eq!(
        (&found["state"], &found["indexes"]),
        (&"here".into(), &2.into()),
        "{list}"
    );
    assert_eq!(
        (&found["prunable"], &found["contexts"]),
        (&1.into(), &1.into())
    );
    assert!(found["prunableBytes"].as_u64() < found["bytes"].as_u64());
}

#[test]
fn the_name_of_a_cache_tells_branches_and_commits_apart() {
    let (repo, cli) = two_branches();
    let here = cli.json(&["cache", "key"]);
    let same = cli.json(&["cache", "key", "--branch", "main"]);
    assert_eq!(here, same);
    let other = cli.json(&["cache", "key", "--branch", "fix/x"]);
    assert_ne!(here["key"], other["key"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert!(
        here["key"]
            .as_str()
            .unwrap()
            .ends_with(&format!("-main-{head}"))
    );
    // A branch starts from its own, then from the commit that it left, then from the default branch.
    let keys = other["restoreKeys"].as_array().unwrap();
    assert_eq!(keys.len(), 4, "{other}");
    assert_eq!(keys[1], here["key"], "the merge base");
    for (longer, shorter) in [(1, 2), (2, 3)] {
        assert!(
            keys[longer]
                .as_str()
                .unwrap()
                .starts_with(keys[shorter].as_str().unwrap())
        );
    }
}

#[test]
fn the_doctor_finds_what_is_wrong_with_the_data_directory() {
    let (repo, mut cli) = two_branches();
    let wrong = |cli: &Cli| -> Vec<String> {
        let ran = cli.run(&["doctor", "--json"]);
        let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let checks = value["checks"].as_array().unwrap().iter();
        let failed = checks.filter(|check| check["ok"] == false);
        failed
            .map(|check| check["name"].as_str().unwrap().to_owned())
            .collect()
    };
    cli.json(&["save", "work", "--notes", "n"]);
    assert_eq!(wrong(&cli), Vec::<String>::new());
    let strange = cli.home().join("notes.txt");
    std::fs::write(&strange, "mine").unwrap();
    assert_eq!(wrong(&cli), ["unknown files"]);
    std::fs::remove_file(&strange).unwrap();
    let files = walk(&cli.home());
    let contexts = files
        .iter()
        .find(|path| path.ends_with("contexts.db"))
        .unwrap();
    let saved = std::fs::read(contexts).unwrap();
    std::fs::write(contexts, vec![1; 9_000]).unwrap();
    assert_eq!(wrong(&cli), ["memory"]);
    repo.git(&["branch", "--quiet", "-D", "feature"]);
    assert_eq!(
        cli.json(&["prune"])["total"],
        0,
        "what is pinned is not known"
    );
    std::fs::write(contexts, saved).unwrap();
    assert_eq!(cli.json(&["prune"])["total"], 1);
    let orphan = contexts.with_file_name(format!("idx_{}.{}.db", "0".repeat(32), "0".repeat(12)));
    std::fs::write(&orphan, "half").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    let file = std::fs::File::options().write(true).open(&orphan).unwrap();
    file.set_modified(old).unwrap();
    assert_eq!(wrong(&cli), ["leftover files"]);
    cli.json(&["prune"]);
    assert!(!orphan.exists());
    let other = Fixture::parse(BASE).build();
    cli.go(other.path()).json(&["refresh"]);
    std::fs::rename(repo.path(), repo.dir.path().join("away")).unwrap();
    assert_eq!(wrong(&cli), ["repositories"]);
}

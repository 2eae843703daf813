//! The kept repository against one that is opened anew.

use std::os::unix::fs::symlink;
use std::time::Duration;

use crate::git::{KeptRepo, Repo};

use super::{Fixture, make_fifo};

/// Returns the state and rules of a repository that an answer rests on, as text.
fn stated(repo: &Repo) -> String {
    let state = repo.repo_state();
    let rules = repo.rules_digest();
    let branches = repo.branches().ok();
    let bare = (repo.is_bare(), repo.work_dir(), repo.git_dir());
    format!("{state:?} {rules:?} {branches:?} {bare:?}")
}

/// Ages git's packed references: one that was just written is never trusted.
fn settle(f: &Fixture) {
    let packed = f.root.join(".git/packed-refs");
    if packed.exists() {
        std::thread::sleep(Duration::from_millis(2_100));
    }
}

/// Does one thing to a repository that is kept; returns whether the kept one was used thereafter, after comparing it with one that
/// is opened anew.
fn is_used_after(f: &Fixture, change: impl Fn(&Fixture)) -> bool {
    let kept = KeptRepo::default();
    kept.open(&f.root).unwrap();
    let opened = kept.opened_at().expect("it is kept");
    kept.open(&f.root).unwrap();
    assert_eq!(kept.opened_at(), Some(opened), "nothing changed");
    change(f);
    let repo = kept.open(&f.root).unwrap();
    assert_eq!(stated(&repo), stated(&Repo::discover(&f.root).unwrap()));
    let head = repo.snapshot().unwrap().head.unwrap();
    assert_eq!(head.as_str(), f.git(&["rev-parse", "HEAD"]).trim());
    kept.opened_at() == Some(opened)
}

#[test]
fn a_kept_repository_is_the_one_that_would_be_opened() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    f.git(&["branch", "other"]);
    // Files, commits and branches are read by each call.
    assert!(is_used_after(&f, |f| {
        f.write("a", "2").write("b", "1");
    }));
    assert!(is_used_after(&f, |f| {
        f.commit_all();
    }));
    assert!(is_used_after(&f, |f| {
        f.git(&["branch", "third"]);
    }));
    assert!(is_used_after(&f, |f| {
        f.git(&["update-ref", "refs/heads/main", "refs/heads/other"]);
    }));
    // Settings, and all else that opening reads.
    assert!(!is_used_after(&f, |f| {
        f.git(&["switch", "-q", "other"]);
    }));
    assert!(!is_used_after(&f, |f| {
        f.git(&["switch", "-q", "--detach"]);
    }));
    assert!(!is_used_after(&f, |f| {
        f.git(&["config", "core.ignoreCase", "true"]);
    }));
    assert!(!is_used_after(&f, |f| {
        f.git(&["pack-refs", "--all"]);
    }));
    settle(&f);
    assert!(!is_used_after(&f, |f| {
        f.git(&["switch", "-q", "main"]);
    }));
    assert!(!is_used_after(&f, |f| {
        f.git(&["branch", "-D", "third"]);
    }));
}

#[test]
fn a_repository_with_replaced_objects_or_new_references_is_not_kept() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    f.write("a", "2").commit_all();
    let kept = KeptRepo::default();
    kept.open(&f.root).unwrap();
    f.git(&["replace", "HEAD", "HEAD~"]);
    let repo = kept.open(&f.root).unwrap();
    assert_eq!(stated(&repo), stated(&f.repo()));
    assert_eq!(kept.opened_at(), None);
    f.git(&["replace", "-d", "HEAD"]);
    f.git(&["pack-refs", "--all"]);
    kept.open(&f.root).unwrap();
    assert_eq!(kept.opened_at(), None);
}

#[test]
fn another_repository_at_the_same_place_is_opened() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    let copy = f.beside("copy");
    let kept = KeptRepo::default();
    kept.open(&f.root).unwrap();
    let opened = kept.opened_at();
    f.git(&["clone", "-q", ".", copy.to_str().unwrap()]);
    std::fs::rename(f.root.join(".git"), f.beside("old")).unwrap();
    std::fs::rename(copy.join(".git"), f.root.join(".git")).unwrap();
    let repo = kept.open(&f.root).unwrap();
    assert_eq!(stated(&repo), stated(&f.repo()));
    assert_ne!(kept.opened_at(), opened);
    // The directory itself.
    settle(&f);
    kept.open(&f.root).unwrap();
    let opened = kept.opened_at();
    std::fs::rename(&f.root, f.beside("gone")).unwrap();
    std::fs::create_dir(&f.root).unwrap();
    std::fs::rename(f.beside("gone/.git"), f.root.join(".git")).unwrap();
    let repo = kept.open(&f.root).unwrap();
    assert_eq!(stated(&repo), stated(&f.repo()));
    assert_ne!(kept.opened_at(), opened);
    // No repository any more.
    std::fs::rename(f.root.join(".git"), f.beside("old2")).unwrap();
    assert!(kept.open(&f.root).is_err());
    assert_eq!(kept.opened_at(), None);
}

#[test]
fn a_head_that_is_no_plain_file_is_read_by_the_library() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    let head = f.root.join(".git/HEAD");
    std::fs::remove_file(&head).unwrap();
    symlink("refs/heads/main", &head).unwrap();
    let kept = KeptRepo::default();
    for _ in 0..2 {
        let snapshot = kept.open(&f.root).unwrap().snapshot().unwrap();
        assert_eq!(
            snapshot,
            Repo::discover(&f.root).unwrap().snapshot().unwrap()
        );
    }
    std::fs::remove_file(&head).unwrap();
    std::fs::write(&head, "ref: refs/heads/link\n").unwrap();
    f.git(&["symbolic-ref", "refs/heads/link", "refs/heads/main"]);
    for _ in 0..2 {
        let snapshot = kept.open(&f.root).unwrap().snapshot().unwrap();
        assert_eq!(
            snapshot,
            Repo::discover(&f.root).unwrap().snapshot().unwrap()
        );
    }
}

#[test]
fn a_tag_in_the_place_of_a_commit_is_followed_in_each_call() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    f.git(&["tag", "-a", "-m", "x", "v1"]);
    let tag = f.git(&["rev-parse", "v1"]);
    std::fs::write(f.root.join(".git/HEAD"), format!("{}\n", tag.trim())).unwrap();
    let commit = f.git(&["rev-parse", "v1^{commit}"]);
    let kept = KeptRepo::default();
    for _ in 0..3 {
        let head = kept.open(&f.root).unwrap().snapshot().unwrap().head;
        assert_eq!(head.unwrap().as_str(), commit.trim());
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_never_waited_for() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    for name in [
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "shallow",
        "refs/heads/main",
    ] {
        let kept = KeptRepo::default();
        kept.open(&f.root).unwrap();
        let path = f.root.join(".git").join(name);
        let old = f.beside("old");
        let is_there = std::fs::rename(&path, &old).is_ok();
        make_fifo(&path);
        let asked = kept.open(&f.root).and_then(|repo| repo.repo_state());
        assert!(asked.is_err(), "{name}");
        std::fs::remove_file(&path).unwrap();
        if is_there {
            std::fs::rename(&old, &path).unwrap();
        }
    }
}

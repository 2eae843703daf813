//! Discovery, identity, `HEAD`, and its motion.

use std::path::Path;

use crate::git::{GitError, Repo};
use crate::model::{Branch, CommitId, Snapshot};

use super::{Fixture, command};

#[test]
fn head_is_unborn_then_named_then_detached() {
    let f = Fixture::new();
    let repo = f.repo();
    let named = |name: &str, head: Option<CommitId>| Snapshot {
        branch: Branch::Named(name.into()),
        head,
    };
    assert_eq!(repo.snapshot().unwrap(), named("main", None));
    f.write("a", "1").commit_all();
    let id = CommitId::new(f.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(repo.snapshot().unwrap(), named("main", id.clone()));
    f.git(&["switch", "-q", "-c", "feat/x"]);
    assert_eq!(repo.snapshot().unwrap(), named("feat/x", id.clone()));
    f.git(&["pack-refs", "--all"]);
    assert_eq!(repo.snapshot().unwrap(), named("feat/x", id.clone()));
    f.git(&["switch", "-q", "--detach"]);
    let snapshot = repo.snapshot().unwrap();
    assert_eq!((snapshot.branch, snapshot.head), (Branch::Detached, id));
}

#[test]
fn an_open_repository_sees_commits_made_later() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    let repo = f.repo();
    for n in 0..5 {
        f.write("a", &n.to_string()).commit_all();
        f.git(&["pack-refs", "--all"]);
        let id = f.git(&["rev-parse", "HEAD"]);
        let head = repo.snapshot().unwrap().head.unwrap();
        assert_eq!(head.as_str(), id.trim());
    }
}

#[test]
fn motion_is_equal_only_while_nothing_moves() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    let repo = f.repo();
    let first = repo.repo_state().unwrap();
    assert!(!first.locked);
    assert_eq!(repo.repo_state().unwrap(), first);
    f.write("a", "2");
    assert_eq!(repo.repo_state().unwrap(), first);
    f.git(&["add", "a"]);
    let staged = repo.repo_state().unwrap();
    assert_ne!(staged, first);
    f.git(&["commit", "-q", "-m", "y"]);
    assert_ne!(repo.repo_state().unwrap(), staged);
    f.write(".git/index.lock", "");
    assert!(repo.repo_state().unwrap().locked);
}

#[test]
fn a_merge_with_conflicts_is_in_progress() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    assert!(!f.repo().in_progress());
    f.git(&["switch", "-q", "-c", "b"]);
    f.write("a", "2").commit_all();
    f.git(&["switch", "-q", "main"]);
    f.write("a", "3").commit_all();
    f.try_git(&["merge", "b"]);
    assert!(f.repo().in_progress());
}

#[test]
fn every_place_in_a_work_tree_leads_to_its_root() {
    let f = Fixture::new();
    f.write("a/b/c.ts", "1");
    for start in ["", "a", "a/b", "a/b/c.ts", ".git", ".git/refs"] {
        let repo = Repo::discover(&f.root.join(start)).unwrap();
        assert_eq!(repo.work_dir(), f.root, "{start}");
        assert_eq!(repo.worktree_id(), "main");
    }
}

#[test]
fn a_linked_work_tree_is_another_one_of_the_same_repository() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    let linked = f.beside("linked");
    f.git(&["worktree", "add", "-q", "-b", "x", linked.to_str().unwrap()]);
    let (main, other) = (f.repo(), Repo::discover(&linked).unwrap());
    assert_eq!(main.repo_id(), other.repo_id());
    assert_eq!(main.repo_id().len(), 32);
    assert_eq!(main.common_dir(), other.common_dir());
    assert_eq!(other.worktree_id(), "worktrees/linked");
    assert_eq!(other.work_dir(), linked);
    assert_eq!(other.snapshot().unwrap().branch.name(), Some("x"));
    assert_ne!(main.repo_state().unwrap(), other.repo_state().unwrap());
}

#[test]
fn what_cannot_be_opened_says_why() {
    let f = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    let found = Repo::discover(outside.path());
    assert!(matches!(found, Err(GitError::NotARepository { .. })));
    let missing = Repo::discover(Path::new("/nonexistent/x"));
    assert!(matches!(missing, Err(GitError::NotARepository { .. })));

    f.git(&["init", "-q", "--bare", "-b", "main", "bare.git"]);
    let bare = Repo::discover(&f.root.join("bare.git")).unwrap();
    assert!(bare.is_bare() && bare.source().is_commit());
    assert_eq!(bare.snapshot().unwrap().head, None);
    assert_eq!(bare.checked_out().unwrap().branch.name(), Some("main"));

    f.write("gone/.git", "gitdir: /nonexistent/y\n");
    let broken = Repo::discover(&f.root.join("gone"));
    assert!(matches!(broken, Err(GitError::BrokenLink { .. })));

    f.write("empty/.git/x", "");
    let passed_by = Repo::discover(&f.root.join("empty")).unwrap();
    assert_eq!(passed_by.work_dir(), f.root);
}

#[test]
fn clones_of_one_remote_are_one_family() {
    let f = Fixture::new();
    f.git(&["remote", "add", "origin", "git@Example.com:a/b.git"]);
    let first = f.repo().clone_family().unwrap();
    f.git(&["remote", "set-url", "origin", "https://example.com/a/b"]);
    assert_eq!(f.repo().clone_family().unwrap(), first);
    f.git(&["remote", "set-url", "origin", "https://example.com/a/c"]);
    assert_ne!(f.repo().clone_family().unwrap(), first);
}

#[test]
fn without_a_remote_the_first_commit_makes_the_family() {
    let f = Fixture::new();
    assert_eq!(f.repo().clone_family(), None);
    f.write("a", "1").commit_all();
    let first = f.repo().clone_family().unwrap();
    f.write("a", "2").commit_all();
    assert_eq!(f.repo().clone_family().unwrap(), first);

    let shallow = f.beside("shallow");
    let url = format!("file://{}", f.root.display());
    let target = shallow.to_str().unwrap();
    f.git(&["clone", "-q", "--depth=1", &url, target]);
    command(&shallow)
        .args(["remote", "remove", "origin"])
        .status()
        .unwrap();
    assert_eq!(Repo::discover(&shallow).unwrap().clone_family(), None);
}

#[test]
fn tree_distance_counts_files_up_to_the_cap() {
    let f = Fixture::new();
    f.write("a/x", "1")
        .write("a/y", "1")
        .write("b", "1")
        .commit_all();
    let id = || CommitId::new(f.git(&["rev-parse", "HEAD"]).trim()).unwrap();
    let first = id();
    f.write("a/x", "2").write("c/d/e", "2");
    std::fs::remove_file(f.root.join("b")).unwrap();
    f.commit_all();
    let (repo, second) = (f.repo(), id());
    assert_eq!(repo.tree_distance(&first, &second, 100), Some(3));
    assert_eq!(repo.tree_distance(&second, &first, 100), Some(3));
    assert_eq!(repo.tree_distance(&first, &second, 2), Some(2));
    assert_eq!(repo.tree_distance(&first, &first, 100), Some(0));
    let absent = CommitId::new(&"1".repeat(40)).unwrap();
    assert_eq!(repo.tree_distance(&first, &absent, 100), None);
}

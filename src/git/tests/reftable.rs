//! References in tables, made and changed by git.

use crate::git::{Branches, GitError, Repo};
use crate::model::Branch;

use super::{Fixture, command, unlimited};

/// A repository with references in tables and one commit on `main`; `None`, with a word, where git is too old.
fn fixture(extra: &[&str]) -> Option<Fixture> {
    let dir = tempfile::tempdir().unwrap();
    let probe = command(dir.path())
        .args(["init", "-q", "--ref-format=reftable"])
        .output()
        .unwrap();
    if !probe.status.success() {
        eprintln!("skipped: this git can't make a repository with references in tables (2.45 can)");
        return None;
    }
    let mut init = vec!["init", "-q", "-b", "main", "--ref-format=reftable"];
    init.extend(extra);
    let f = Fixture::with(&init);
    f.write("a", "1").write("d/b", "1").commit_all();
    Some(f)
}

/// Checks `HEAD` and branches against git.
#[track_caller]
fn check_refs(f: &Fixture, root: &std::path::Path) {
    let git = |args: &[&str]| {
        let output = command(root).args(args).output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap().trim().to_owned(),
        )
    };
    let repo = Repo::discover(root).unwrap();
    let snapshot = repo.snapshot().unwrap();
    let (is_symbolic, name) = git(&["symbolic-ref", "-q", "--short", "HEAD"]);
    let branch = if is_symbolic {
        Branch::Named(name)
    } else {
        Branch::Detached
    };
    assert_eq!(snapshot.branch, branch);
    let (has_commit, id) = git(&["rev-parse", "-q", "--verify", "HEAD"]);
    let head = snapshot.head.map(|head| head.to_string());
    assert_eq!(head, has_commit.then_some(id));

    let Branches { local, .. } = repo.branches().unwrap();
    let ours: Vec<String> = local
        .iter()
        .map(|(name, tip)| format!("{tip} refs/heads/{name}"))
        .collect();
    let theirs = f.git(&[
        "for-each-ref",
        "--format=%(objectname) %(refname)",
        "refs/heads",
    ]);
    assert_eq!(ours, theirs.lines().collect::<Vec<_>>());
}

#[test]
fn head_and_branches_follow_every_command_of_git() {
    let Some(f) = fixture(&[]) else { return };
    check_refs(&f, &f.root);
    f.check();
    for args in [
        &["branch", "feature/one"][..],
        &["checkout", "-q", "-b", "two"],
        &["commit", "-q", "--allow-empty", "-m", "y"],
        &["pack-refs"],
        &["checkout", "-q", "--detach", "main"],
        &["branch", "-D", "feature/one"],
        &["branch", "-m", "two", "three"],
        &["checkout", "-q", "three"],
        &["reset", "-q", "--hard", "HEAD~1"],
        &["pack-refs", "--all"],
        &["checkout", "-q", "--orphan", "unborn"],
    ] {
        f.git(args);
        check_refs(&f, &f.root);
    }
    let f = fixture(&[]).unwrap();
    f.write("a", "2").write("new", "1");
    f.check();
    f.git(&["add", "a"]);
    f.check();
    assert_eq!(f.dirty(), ["a", "new"]);
    let path = crate::model::RepoPath::new("a").unwrap();
    assert_eq!(f.repo().committed(&path, 10), Some(b"1".to_vec()));
    assert!(f.repo().clone_family().is_some());
    assert_eq!(f.repo().scan(&unlimited()).unwrap().files.len(), 3);
}

#[test]
fn revisions_mean_what_they_mean_to_git() {
    let Some(f) = fixture(&[]) else { return };
    f.write("a", "2").commit_all();
    f.git(&["tag", "light", "HEAD~1"]);
    f.git(&["tag", "-a", "-m", "x", "heavy", "HEAD~1"]);
    f.git(&["branch", "side", "HEAD~1"]);
    f.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    f.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
    ]);
    let names = [
        "HEAD",
        "@",
        "main",
        "side",
        "light",
        "heavy",
        "origin",
        "origin/main",
    ];
    let more = [
        "main~1",
        "HEAD^",
        "refs/heads/side",
        "heads/side",
        "tags/heavy^{commit}",
    ];
    for name in names.into_iter().chain(more) {
        let commit = f.git(&["rev-parse", &format!("{name}^{{commit}}")]);
        let ours = f.repo().commit_named(name).ok().map(|id| id.to_string());
        assert_eq!(ours.as_deref(), Some(commit.trim()), "{name}");
    }
    assert_eq!(f.repo().commit_named("absent").ok(), None);
    let branches = f.repo().branches().unwrap();
    assert_eq!(branches.default.as_deref(), Some("main"));
    assert_eq!(branches.remote["main"].len(), 1);
    assert!(!branches.remote.contains_key("HEAD"));
}

#[test]
fn linked_work_trees_have_a_head_of_their_own() {
    let Some(f) = fixture(&[]) else { return };
    let linked = f.beside("linked");
    f.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "side",
        linked.to_str().unwrap(),
    ]);
    check_refs(&f, &f.root);
    check_refs(&f, &linked);
    let run = |args: &[&str]| assert!(command(&linked).args(args).status().unwrap().success());
    run(&["commit", "-q", "--allow-empty", "-m", "y"]);
    check_refs(&f, &linked);
    run(&["checkout", "-q", "--detach"]);
    check_refs(&f, &linked);
    let checkouts = f.repo().checkouts(0).unwrap();
    let heads: Vec<(&str, Branch)> = checkouts
        .iter()
        .map(|tree| {
            (
                tree.worktree_id.as_str(),
                tree.snapshot.clone().unwrap().branch,
            )
        })
        .collect();
    let main = Branch::Named("main".into());
    assert_eq!(
        heads,
        [("main", main), ("worktrees/linked", Branch::Detached)]
    );
}

#[test]
fn thousands_of_references_fill_several_blocks() {
    for hash in ["--object-format=sha1", "--object-format=sha256"] {
        let Some(f) = fixture(&[hash]) else { return };
        let id = f.git(&["rev-parse", "HEAD"]);
        let input: Vec<String> = (0..3_000)
            .map(|n| format!("create refs/heads/team-{}/branch-{n} {id}", n % 7))
            .collect();
        f.write("input", &input.concat());
        let file = std::fs::File::open(f.root.join("input")).unwrap();
        let status = command(&f.root)
            .args(["update-ref", "--stdin"])
            .stdin(file)
            .status()
            .unwrap();
        assert!(status.success());
        check_refs(&f, &f.root);
        f.git(&["branch", "-D", "team-3/branch-3"]);
        check_refs(&f, &f.root);
        f.git(&["pack-refs", "--all"]);
        check_refs(&f, &f.root);
    }
}

#[test]
fn an_interrupted_pick_is_in_progress() {
    let Some(f) = fixture(&[]) else { return };
    f.git(&["checkout", "-q", "-b", "side"]);
    f.write("a", "side").commit_all();
    f.git(&["checkout", "-q", "main"]);
    f.write("a", "main").commit_all();
    assert!(!f.repo().in_progress());
    f.try_git(&["cherry-pick", "side"]);
    assert!(f.repo().in_progress());
}

#[test]
fn a_damaged_table_is_an_error_and_no_missing_reference() {
    let Some(f) = fixture(&[]) else { return };
    f.git(&["pack-refs", "--all"]);
    let dir = f.root.join(".git/reftable");
    let list = std::fs::read_to_string(dir.join("tables.list")).unwrap();
    let table = dir.join(list.lines().next_back().unwrap());
    let is_refused = || {
        let repo = f.repo();
        let head = repo.snapshot();
        assert!(matches!(head, Err(GitError::Head { .. })), "{head:?}");
        assert!(repo.branches().is_err());
        assert_eq!(repo.commit_named("main").ok(), None);
    };
    let sound = std::fs::read(&table).unwrap();
    let other = dir.join("other.ref");
    for length in [0, 10, 24, 100, sound.len() - 1] {
        std::fs::write(&other, &sound[..length]).unwrap();
        std::fs::write(dir.join("tables.list"), "other.ref\n").unwrap();
        is_refused();
    }
    for list in ["absent.ref\n", "../config\n", "/etc/passwd\n", "\0\n", "\n"] {
        std::fs::write(dir.join("tables.list"), list).unwrap();
        is_refused();
    }
    std::fs::remove_file(dir.join("tables.list")).unwrap();
    is_refused();
}

//! Dirty files against `git status`, and that nothing configured is run.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{Fixture, unlimited};

#[test]
fn every_kind_of_change_is_seen_as_git_sees_it() {
    let f = Fixture::new();
    for name in [
        "clean",
        "modified",
        "deleted",
        "staged",
        "staged_then_reverted",
        "removed",
        "old_name",
        "to_link",
        "mode",
        "both",
        "dir/a",
        "dir/b",
    ] {
        f.write(name, &format!("content of {name}\n"));
    }
    symlink("clean", f.root.join("link")).unwrap();
    f.commit_all();
    f.check();
    assert!(f.dirty().is_empty());
    f.write("modified", "x")
        .write("staged", "x")
        .write("both", "x");
    f.write("staged_then_reverted", "x").write("added", "x");
    f.git(&["add", "staged", "added", "both", "staged_then_reverted"]);
    f.write("both", "y");
    f.write("staged_then_reverted", "content of staged_then_reverted\n");
    std::fs::remove_file(f.root.join("deleted")).unwrap();
    f.git(&["rm", "-q", "removed"]);
    f.git(&["mv", "old_name", "new_name"]);
    f.git(&["rm", "-q", "--cached", "dir/a"]);
    std::fs::remove_file(f.root.join("to_link")).unwrap();
    symlink("clean", f.root.join("to_link")).unwrap();
    std::fs::remove_file(f.root.join("link")).unwrap();
    f.write("link", "now a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(f.root.join("mode"), executable).unwrap();
    f.write("untracked/deep/file", "x");
    symlink("nowhere", f.root.join("untracked/link")).unwrap();
    f.check();
    assert!(f.dirty().iter().any(|name| name == "old_name"));
    assert!(!f.dirty().iter().any(|name| name == "clean"));
}

#[test]
fn what_git_wrote_of_the_staged_tree_is_used_for_the_tree_of_head_alone() {
    let f = Fixture::new();
    f.write("a", "1").write("dir/b", "1").write("dir/c", "1");
    f.commit_all();
    f.write("dir/b", "2").commit_all();
    let steps: [&[&str]; 9] = [
        &["reset", "-q", "--soft", "HEAD~1"],
        &["write-tree"],
        &["commit", "-q", "-m", "again"],
        &["rm", "-q", "--cached", "dir/c"],
        &["write-tree"],
        &["read-tree", "HEAD"],
        &["update-index", "-q", "--refresh"],
        &["checkout", "-q", "--orphan", "new"],
        &["read-tree", "--empty"],
    ];
    for step in steps {
        f.git(step);
        f.check();
        f.write("dir/c", "1");
        f.check();
    }
    f.git(&["read-tree", "main"]);
    f.write("new", "1").git(&["add", "-N", "new"]);
    f.check();
    f.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    f.check();
    assert_eq!(f.dirty(), ["new"]);
}

#[test]
fn a_file_touched_or_rewritten_with_the_same_bytes_is_clean() {
    let f = Fixture::new();
    f.write("a", "same").write("b", "1234").commit_all();
    f.write("a", "same");
    f.check();
    assert!(f.dirty().is_empty());
    // Same length, within the same second as the commit: only the content tells.
    f.write("b", "4321");
    f.check();
    assert_eq!(f.dirty(), ["b"]);
}

#[test]
fn line_ends_are_compared_as_git_converts_them() {
    let f = Fixture::new();
    f.write(
        ".gitattributes",
        "*.txt text\n*.u16 text working-tree-encoding=UTF-16LE\n",
    );
    f.write("a.txt", "x\ny\n")
        .write("b.txt", "x\n")
        .commit_all();
    f.write("a.txt", "x\r\ny\r\n");
    f.check();
    f.git(&["config", "core.autocrlf", "true"]);
    f.write("c", "x\n").commit_all();
    f.write("c", "x\r\n");
    f.check();
}

#[test]
fn sparse_checkout_hides_what_is_gone_and_shows_what_is_there() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let f = Fixture::new();
        for name in ["in/a", "out/b", "out/deep/c", "out/.gitignore", "top"] {
            f.write(name, "1");
        }
        f.write("out/.gitignore", "*.log\n").write("other/d", "1");
        f.write("other/ignored.log", "1");
        f.git(&["add", "-f", "other/ignored.log"]);
        f.commit_all();
        f.git(&["sparse-checkout", "init", "--cone", index]);
        f.git(&["sparse-checkout", "set", "in", index]);
        f.check();
        assert_eq!(f.found(), ["in/a", "top"], "{index}");
        f.write("out/b", "changed")
            .write("out/new", "1")
            .write("out/x.log", "1");
        f.write("in/a", "changed").write("other/ignored.log", "1");
        f.write(".gitignore", "ignored.log\n");
        f.check();
        assert!(f.dirty().iter().any(|name| name == "out/b"), "{index}");
        assert!(f.found().iter().any(|name| name == "other/ignored.log"));
    }
}

#[test]
fn nothing_that_a_repository_configures_is_run() {
    let f = Fixture::new();
    let marker = f.beside("marker");
    let script = f.beside("run.sh");
    let text = format!("#!/bin/sh\necho ran >> {}\ncat\n", marker.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    f.write(
        ".gitattributes",
        "*.bin filter=evil diff=evil\n*.p filter=proc\n",
    );
    f.write("a.bin", "1")
        .write("b.bin", "1")
        .write("c.p", "1")
        .write("d", "1");
    f.commit_all();
    let command = script.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "core.hooksPath",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.proc.process",
        "diff.evil.command",
        "diff.evil.textconv",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "credential.helper",
        "diff.external",
        "core.gitProxy",
    ] {
        f.git(&["config", key, command]);
    }
    f.git(&["config", "filter.evil.required", "true"]);
    f.git(&[
        "config",
        "core.hooksPath",
        f.beside("hooks").to_str().unwrap(),
    ]);
    std::fs::create_dir(f.beside("hooks")).unwrap();
    for hook in [
        "post-index-change",
        "post-checkout",
        "reference-transaction",
    ] {
        std::fs::copy(&script, f.beside("hooks").join(hook)).unwrap();
    }
    drop(std::fs::remove_file(&marker));
    // The same bytes in a new file: with a driver, the stat alone decides.
    std::fs::remove_file(f.root.join("a.bin")).unwrap();
    f.write("a.bin", "1")
        .write("c.p", "22")
        .write("d", "2")
        .write("new.bin", "1");
    let dirty = f.dirty();
    let scan = f.scan();
    let mut attributes = f.repo().attributes(&scan).unwrap();
    assert!(!attributes.is_generated(&super::path("a.bin")));
    f.repo().snapshot().unwrap();
    f.repo().clone_family();
    assert!(!marker.exists(), "something was run");
    assert!(dirty.iter().any(|name| name == "a.bin"), "{dirty:?}");
    assert!(dirty.iter().any(|name| name == "c.p"));
    assert_eq!(scan.files.len(), 6);
}

#[test]
fn a_file_with_a_driver_is_clean_while_its_stat_is_old() {
    let f = Fixture::new();
    f.write(".gitattributes", "*.bin filter=f\n")
        .write("a.bin", "1");
    f.git(&["config", "filter.f.clean", "tr 1 2"]);
    f.git(&["config", "filter.f.smudge", "tr 2 1"]);
    // Written before the staging area by more than a tick of the clock.
    let earlier = std::time::SystemTime::now() - std::time::Duration::from_secs(10);
    let file = std::fs::File::options()
        .write(true)
        .open(f.root.join("a.bin"))
        .unwrap();
    file.set_modified(earlier).unwrap();
    drop(file);
    f.commit_all();
    f.check();
    assert!(f.dirty().is_empty());
    f.write("a.bin", "2");
    assert_eq!(f.dirty(), ["a.bin"]);
}

#[test]
fn bits_of_the_staging_area_hide_no_difference() {
    let f = Fixture::new();
    for name in [
        "skip",
        "skip_gone",
        "skip_same",
        "assume",
        "assume_gone",
        "assume_same",
    ] {
        f.write(name, "1");
    }
    f.commit_all();
    f.git(&[
        "update-index",
        "--skip-worktree",
        "skip",
        "skip_gone",
        "skip_same",
    ]);
    f.git(&[
        "update-index",
        "--assume-unchanged",
        "assume",
        "assume_gone",
        "assume_same",
    ]);
    assert!(f.dirty().is_empty());
    f.write("skip", "2").write("assume", "2");
    std::fs::remove_file(f.root.join("skip_gone")).unwrap();
    std::fs::remove_file(f.root.join("assume_gone")).unwrap();
    assert!(f.dirty_by_git().is_empty());
    assert!(
        f.repo()
            .dirty_to_git(&unlimited())
            .unwrap()
            .paths
            .is_empty()
    );
    // What a sparse checkout leaves out is not deleted.
    assert_eq!(f.dirty(), ["assume", "assume_gone", "skip"]);
    f.git(&["config", "core.sparseCheckout", "true"]);
    f.git(&["config", "sparse.expectFilesOutsideOfPatterns", "true"]);
    assert_eq!(f.dirty(), ["assume", "assume_gone", "skip"]);
}

#[test]
fn a_submodule_at_another_commit_has_moved() {
    let f = Fixture::new();
    let in_module = |args: &[&str]| {
        let identity = ["-C", "vendor", "-c", "user.name=a", "-c", "user.email=a@b"];
        f.git(&[&identity, args].concat())
    };
    let moved = || {
        let moved = f.repo().moved_submodules().unwrap();
        moved.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    f.write("a", "1");
    f.git(&["init", "-q", "vendor"]);
    in_module(&["commit", "-q", "--allow-empty", "-m", "1"]);
    assert!(moved().is_empty());
    f.git(&["add", "vendor"]);
    assert_eq!(moved(), ["vendor"]);
    f.commit_all();
    assert!(moved().is_empty());
    // Changes inside of it are its own.
    f.write("vendor/b", "1");
    assert!(moved().is_empty());
    in_module(&["commit", "-q", "--allow-empty", "-m", "2"]);
    assert_eq!(moved(), ["vendor"]);
    f.git(&["add", "vendor"]);
    assert_eq!(moved(), ["vendor"]);
    std::fs::remove_dir_all(f.root.join("vendor")).unwrap();
    f.git(&["reset", "-q", "--hard"]);
    std::fs::create_dir_all(f.root.join("vendor")).unwrap();
    assert!(moved().is_empty());
}

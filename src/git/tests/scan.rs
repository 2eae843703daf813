//! Members against `git ls-files`.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use crate::git::IgnoreSource;
use crate::model::SkipReason;

use super::{Fixture, path, spent};

fn skipped(f: &Fixture, reason: SkipReason) -> u64 {
    f.scan().skipped.get(&reason).copied().unwrap_or(0)
}

#[test]
fn an_empty_repository_has_no_files() {
    let f = Fixture::new();
    f.check();
    assert!(f.found().is_empty());
    f.write("a", "1").write("d/b", "1");
    f.check();
    assert_eq!(f.found(), ["a", "d/b"]);
}

#[test]
fn ignore_rules_of_all_levels_apply_to_untracked_files_alone() {
    let f = Fixture::new();
    f.write(
        ".gitignore",
        "*.log\n!keep.log\n/build/\n/only/*\n!/only/this\n**/deep/*.tmp\n\\#x\n",
    )
    .write("sub/.gitignore", "!b.log\n*.txt\n/rooted\n")
    .write(".git/info/exclude", "excluded\n")
    .write("tracked.log", "1");
    f.git(&["add", "-f", "tracked.log"]);
    f.commit_all();
    for name in [
        "a.log",
        "keep.log",
        "build/x",
        "sub/build/x",
        "only/that",
        "only/this",
        "only/d/e",
        "x/deep/a.tmp",
        "x/deep/y/a.tmp",
        "#x",
        "sub/a.log",
        "sub/b.log",
        "sub/c.txt",
        "sub/rooted",
        "sub/sub/rooted",
        "excluded",
        "sub/excluded",
        "c.txt",
    ] {
        f.write(name, "1");
    }
    f.write("build/tracked", "1");
    f.git(&["add", "-f", "build/tracked"]);
    f.write("build/deep/tracked", "1")
        .write("build/deep/not", "1");
    f.git(&["add", "-f", "build/deep/tracked"]);
    f.check();
    let found = f.found();
    for name in [
        "tracked.log",
        "build/tracked",
        "build/deep/tracked",
        "sub/b.log",
    ] {
        assert!(found.iter().any(|found| found == name), "{name}");
    }
    let repo = f.repo();
    let ignored = |name, is_dir| repo.ignored_by(&path(name), is_dir).unwrap();
    assert_eq!(ignored("a.log", false), Some(IgnoreSource::Git));
    assert_eq!(ignored("tracked.log", false), None);
    assert_eq!(ignored("build/deep/not", false), Some(IgnoreSource::Git));
    assert_eq!(ignored("build/deep/tracked", false), None);
    assert_eq!(ignored("sub/b.log", false), None);
    assert_eq!(
        ignored("sub/absent/excluded", false),
        Some(IgnoreSource::Git)
    );
    assert_eq!(ignored("keep.log", false), None);
}

#[test]
fn an_uncommitted_ignore_rule_and_a_byte_order_mark_are_seen() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    f.write("b", "1")
        .write("c", "1")
        .write(".gitignore", "\u{feff}b\r\nc \n");
    f.check();
}

#[test]
fn the_case_of_rules_follows_the_configuration() {
    let f = Fixture::new();
    f.write(".gitignore", "*.LOG\n")
        .write("a.log", "1")
        .write("b.LOG", "1");
    f.check();
    f.git(&["config", "core.ignoreCase", "true"]);
    f.check();
    assert_eq!(f.found(), [".gitignore"]);
}

#[test]
fn a_configured_excludes_file_applies() {
    let f = Fixture::new();
    let excludes = f.beside("excludes");
    std::fs::write(&excludes, "*.bak\n").unwrap();
    f.git(&["config", "core.excludesFile", excludes.to_str().unwrap()]);
    f.write("a.bak", "1").write("a", "1");
    f.check();
    assert_eq!(f.found(), ["a"]);
}

#[test]
fn deleted_and_replaced_files_are_seen_as_they_are_on_disk() {
    let f = Fixture::new();
    for name in ["gone", "dir/gone", "to_dir", "to_file/x", "stays"] {
        f.write(name, "1");
    }
    f.commit_all();
    for name in ["gone", "dir/gone", "to_dir"] {
        std::fs::remove_file(f.root.join(name)).unwrap();
    }
    std::fs::remove_dir_all(f.root.join("to_file")).unwrap();
    f.write("to_dir/new", "1").write("to_file", "1");
    f.check();
    assert_eq!(f.found(), ["stays", "to_dir/new", "to_file"]);
}

#[test]
fn links_are_counted_and_never_followed() {
    let f = Fixture::new();
    let outside = f.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a"), "1").unwrap();
    f.write("dir/a", "1").write("real/b", "1");
    symlink("a", f.root.join("dir/tracked_link")).unwrap();
    f.commit_all();
    symlink(&outside, f.root.join("untracked_link")).unwrap();
    f.check();
    assert_eq!(skipped(&f, SkipReason::Symlink), 2);
    // A tracked directory turns into a link to one that holds the same names.
    std::fs::remove_dir_all(f.root.join("dir")).unwrap();
    symlink(&outside, f.root.join("dir")).unwrap();
    f.check();
    assert_eq!(f.found(), ["real/b"]);
    assert_eq!(skipped(&f, SkipReason::Symlink), 2);
}

#[test]
fn names_of_all_kinds_are_kept_and_others_counted() {
    let f = Fixture::new();
    for name in [
        "a b/c d",
        "new\nline",
        "ünï/日本",
        "-dash",
        "\"q\"",
        "back\\slash",
        "tab\t",
    ] {
        f.write(name, "1");
    }
    f.git(&["add", "-A", "--", "a b", "ünï"]);
    f.check();
    assert_eq!(f.found().len(), 7);
    let name = std::ffi::OsStr::from_bytes(b"bad\xff");
    std::fs::write(f.root.join(name), "1").unwrap();
    assert_eq!(f.found().len(), 7);
    assert_eq!(skipped(&f, SkipReason::NonUtf8Name), 1);
}

#[test]
fn a_repository_around_tracked_files_is_no_boundary() {
    let f = Fixture::new();
    f.write("nest/a.ts", "1").write("nest/deep/b.ts", "1");
    f.write("beside/c.ts", "1");
    f.commit_all();
    f.git(&["init", "-q", "nest"]);
    f.check();
    f.write("nest/a.ts", "2").write("nest/untracked.ts", "1");
    f.check();
    assert!(f.found().contains(&"nest/deep/b.ts".to_owned()));
    f.git(&["rm", "-q", "-r", "--cached", "nest"]);
    f.check();
    assert_eq!(f.found(), ["beside/c.ts"]);
    assert_eq!(skipped(&f, SkipReason::NestedRepository), 1);
}

#[test]
fn submodules_and_nested_repositories_are_boundaries() {
    let other = Fixture::new();
    other.write("inner", "1").commit_all();
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    let url = other.root.to_str().unwrap();
    f.git(&["submodule", "--quiet", "add", url, "libs/sub"]);
    f.commit_all();
    f.write("libs/sub/untracked", "1");
    f.git(&["clone", "-q", url, "nested"]);
    f.git(&["worktree", "add", "-q", "trees/linked"]);
    f.write("plain.git/HEAD", "ref: refs/heads/x");
    f.check();
    assert_eq!(f.found(), [".gitmodules", "a", "plain.git/HEAD"]);
    assert_eq!(skipped(&f, SkipReason::NestedRepository), 3);
    let inner = crate::git::Repo::discover(&f.root.join("libs/sub")).unwrap();
    assert_eq!(inner.work_dir(), f.root.join("libs/sub"));
    assert_eq!(inner.worktree_id(), "main");
}

#[test]
fn bits_of_the_staging_area_hide_nothing() {
    let f = Fixture::new();
    for name in ["skip", "assume", "skip_gone", "plain"] {
        f.write(name, "1");
    }
    f.commit_all();
    f.git(&["update-index", "--skip-worktree", "skip", "skip_gone"]);
    f.git(&["update-index", "--assume-unchanged", "assume"]);
    f.write("skip", "changed").write("assume", "changed");
    std::fs::remove_file(f.root.join("skip_gone")).unwrap();
    f.write("intent", "1");
    f.git(&["add", "-N", "intent"]);
    assert_eq!(f.members_by_git(), ["assume", "intent", "plain", "skip"]);
    assert_eq!(f.found(), f.members_by_git());
}

#[test]
fn conflicted_files_are_listed_once() {
    let f = Fixture::new();
    f.write("a", "1")
        .write("b", "1")
        .write("c", "1")
        .commit_all();
    f.git(&["switch", "-q", "-c", "x"]);
    f.write("a", "2")
        .write("b", "2")
        .write("new", "2")
        .commit_all();
    f.git(&["switch", "-q", "main"]);
    f.write("a", "3").write("new", "3");
    std::fs::remove_file(f.root.join("b")).unwrap();
    f.commit_all();
    f.try_git(&["merge", "x"]);
    f.check();
    assert_eq!(f.found(), ["a", "b", "c", "new"]);
}

#[test]
fn our_own_ignore_files_take_tracked_files_away() {
    let f = Fixture::new();
    f.write(
        ".codelensignore",
        "vendor/\n*.gen.ts\n!sub/keep.gen.ts\n!a.log\n",
    )
    .write(".gitignore", "*.log\n")
    .write("sub/.codelensignore", "/here\n");
    for name in [
        "vendor/x.ts",
        "a.gen.ts",
        "sub/keep.gen.ts",
        "sub/b.gen.ts",
        "sub/here",
        "here",
        "a.log",
    ] {
        f.write(name, "1");
    }
    f.commit_all();
    let expected = [
        ".codelensignore",
        ".gitignore",
        "here",
        "sub/.codelensignore",
        "sub/keep.gen.ts",
    ];
    assert_eq!(f.found(), expected);
    let repo = f.repo();
    let ignored = |name| repo.ignored_by(&path(name), false).unwrap();
    assert_eq!(ignored("vendor/x.ts"), Some(IgnoreSource::CodeLens));
    assert_eq!(ignored("sub/here"), Some(IgnoreSource::CodeLens));
    assert_eq!(ignored("sub/keep.gen.ts"), None);
    assert_eq!(ignored("a.log"), Some(IgnoreSource::Git));
}

#[test]
fn a_spent_budget_says_that_the_list_is_not_complete() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    assert!(!f.repo().scan(&spent()).unwrap().complete);
    assert!(!f.repo().dirty(&spent()).unwrap().complete);
}

#[test]
fn special_files_are_counted() {
    let f = Fixture::new();
    f.write("a", "1").write("b", "1").commit_all();
    std::fs::remove_file(f.root.join("b")).unwrap();
    super::make_fifo(&f.root.join("b"));
    super::make_fifo(&f.root.join("c"));
    f.check();
    assert_eq!(skipped(&f, SkipReason::Special), 2);
}

#[test]
fn a_large_tree_is_walked_by_several_threads_to_the_same_end() {
    let f = Fixture::new();
    f.write(".gitignore", "*.skip\n");
    for n in 0..1_500 {
        let (a, b) = (n % 7, n % 31);
        f.write(&format!("d{a}/e{b}/f{n}"), "1");
    }
    f.commit_all();
    for n in 0..100 {
        f.write(&format!("d{}/new{n}", n % 9), "1");
        f.write(&format!("d{}/new{n}.skip", n % 9), "1");
    }
    f.check();
}

#[test]
fn a_git_directory_inside_the_work_tree_is_not_entered() {
    let f = Fixture::with(&["init", "-q", "-b", "main", "--separate-git-dir=meta"]);
    f.write("a", "1");
    assert_eq!(f.found(), ["a"]);
}

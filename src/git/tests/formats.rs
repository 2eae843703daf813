//! Repositories of unusual formats.

use crate::git::{GitError, Repo};

use super::{Fixture, command, unlimited};

#[test]
fn sha256_repositories_work() {
    let f = Fixture::with(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    f.write("a/b", "1").write("c", "1").commit_all();
    f.write("c", "2").write("new", "1");
    f.check();
    assert_eq!(f.dirty(), ["c", "new"]);
    assert_eq!(
        f.repo().snapshot().unwrap().head.unwrap().as_str().len(),
        64
    );
    assert!(f.repo().clone_family().is_some());
}

#[test]
fn references_in_an_unknown_format_are_refused_with_a_hint() {
    let f = Fixture::new();
    f.git(&["config", "core.repositoryFormatVersion", "1"]);
    f.git(&["config", "extensions.refStorage", "files"]);
    assert!(Repo::discover(&f.root).is_ok());
    let config = f.root.join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("= files", "= sqlite")).unwrap();
    let Err(error) = Repo::discover(&f.root) else {
        panic!("opened");
    };
    assert!(matches!(error, GitError::Unsupported { .. }), "{error:?}");
    assert_eq!(error.hint(), Some("git refs migrate --ref-format=files"));
}

#[test]
fn shallow_and_partial_clones_work() {
    let f = Fixture::new();
    f.git(&["config", "uploadpack.allowFilter", "true"]);
    f.write("a", "1").write("d/b", "1").commit_all();
    f.write("a", "2").commit_all();
    let url = format!("file://{}", f.root.display());
    for (name, option) in [
        ("shallow", "--depth=1"),
        ("blobless", "--filter=blob:none"),
        ("treeless", "--filter=tree:0"),
    ] {
        let target = f.beside(name);
        f.git(&["clone", "-q", option, &url, target.to_str().unwrap()]);
        std::fs::write(target.join("new"), "1").unwrap();
        std::fs::write(target.join("a"), "3").unwrap();
        let repo = Repo::discover(&target).unwrap();
        let dirty = repo.dirty(&unlimited()).unwrap();
        let names: Vec<&str> = dirty.paths.iter().map(AsRef::as_ref).collect();
        assert_eq!(names, ["a", "new"], "{name}");
        assert_eq!(repo.scan(&unlimited()).unwrap().files.len(), 3, "{name}");
        assert_eq!(repo.snapshot().unwrap(), f.repo().snapshot().unwrap());
    }
}

#[test]
fn split_and_compact_staging_areas_are_read() {
    let f = Fixture::new();
    f.write("a", "1").write("d/b", "1").commit_all();
    f.git(&["update-index", "--split-index"]);
    f.write("c", "1");
    f.git(&["add", "c"]);
    f.check();
    f.git(&["update-index", "--no-split-index", "--index-version", "4"]);
    f.git(&["update-index", "--untracked-cache"]);
    f.write("d/new", "1");
    f.check();
    f.git(&["config", "index.skipHash", "true"]);
    f.git(&["add", "-A"]);
    f.check();
}

#[test]
fn a_missing_staging_area_is_an_empty_one() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    std::fs::remove_file(f.root.join(".git/index")).unwrap();
    f.check();
    assert_eq!(f.found(), ["a"]);
}

#[test]
fn a_damaged_staging_area_is_an_error() {
    let f = Fixture::new();
    f.write("a", "1").commit_all();
    f.write(".git/index", "DIRCnonsense");
    let scanned = f.repo().scan(&unlimited());
    assert!(matches!(scanned, Err(GitError::Staging { .. })));
}

#[test]
fn a_linked_work_tree_with_its_own_configuration_works() {
    let f = Fixture::new();
    f.write("a", "1")
        .write(".gitignore", "*.log\n")
        .commit_all();
    f.git(&["config", "extensions.worktreeConfig", "true"]);
    let linked = f.beside("linked");
    f.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let run = |args: &[&str]| command(&linked).args(args).status().unwrap();
    assert!(run(&["config", "--worktree", "core.autocrlf", "true"]).success());
    std::fs::write(linked.join("x.log"), "1").unwrap();
    std::fs::write(linked.join("a"), "1\n").unwrap();
    f.write(".git/info/exclude", "excluded\n");
    std::fs::write(linked.join("excluded"), "1").unwrap();
    let repo = Repo::discover(&linked).unwrap();
    let names: Vec<String> = repo
        .dirty(&unlimited())
        .unwrap()
        .paths
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["a"]);
    assert_eq!(repo.scan(&unlimited()).unwrap().files.len(), 2);
}

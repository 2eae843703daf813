//! The files of a commit against those of a checkout, and trees that git would not write.

use super::{Fixture, unlimited};
use crate::git::commit_tree::CommitTree;
use crate::git::{NoCommit, ReadError, Repo, TreeEntry};
use crate::model::RepoPath;

fn at(f: &Fixture, name: &str) -> Repo {
    let repo = f.repo();
    let commit = repo.commit_named(name).unwrap();
    repo.at_commit(&commit).unwrap()
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

#[test]
fn a_commit_has_the_files_of_its_checkout() {
    let f = Fixture::new();
    f.write(".gitattributes", "*.x linguist-generated\n")
        .write("a/b/c.ts", "c")
        .write("a/.codelensignore", "gone.ts\n")
        .write("a/gone.ts", "gone")
        .write("skip/.gitattributes", "")
        .write(".codelensignore", "skip/\n")
        .commit_all();
    let (here, there) = (f.scan(), at(&f, "HEAD").scan(&unlimited()).unwrap());
    let paths = |scan: &crate::git::Scan| -> Vec<String> {
        scan.files
            .iter()
            .map(|file| file.path.to_string())
            .collect()
    };
    assert_eq!(paths(&here), paths(&there));
    assert_eq!(
        (here.attributes, here.skipped, here.complete),
        (there.attributes, there.skipped, there.complete)
    );
    let repo = at(&f, "HEAD");
    let source = repo.source();
    for file in &there.files {
        let read = source.read(&file.path, 99).unwrap();
        assert_eq!(source.blob_id(&read.bytes), file.blob);
        assert_eq!(
            source.size_of(file.blob.unwrap()),
            Some(read.bytes.len() as u64)
        );
        assert_eq!(
            f.repo().source().read(&file.path, 99).unwrap().bytes,
            read.bytes
        );
    }
    let too_large = source.read(&path("a/b/c.ts"), 0);
    assert!(matches!(too_large, Err(ReadError::TooLarge { size: 1 })));
    assert!(matches!(
        source.read(&path("a/b"), 9),
        Err(ReadError::NotAFile)
    ));
    assert!(matches!(
        source.read(&path("a/x"), 9),
        Err(ReadError::Missing)
    ));
    assert!(matches!(
        source.read(&path("a/b/c.ts/d"), 9),
        Err(ReadError::Missing)
    ));
    assert!(matches!(
        source.resolve(&path(".git/config")),
        Err(ReadError::Outside)
    ));
    assert_eq!(source.entry(&path("a/b")), Some(TreeEntry::Directory));
}

/// Stores an object as it is, whatever git thinks of it, and returns its name.
fn store(f: &Fixture, kind: &str, bytes: &[u8]) -> String {
    let draft = f.beside("draft");
    std::fs::write(&draft, bytes).unwrap();
    let draft = draft.to_str().unwrap();
    let made = f.git(&["hash-object", "-w", "-t", kind, "--literally", draft]);
    made.trim().to_owned()
}

fn entry(mode: &str, name: &[u8], id: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
    let id: Vec<u8> = (0..id.len()).step_by(2).map(digits).collect();
    [mode.as_bytes(), b" ", name, b"\0", &id].concat()
}

#[test]
fn trees_that_git_would_not_write_lead_nowhere() {
    let f = Fixture::new();
    f.write("a.ts", "a").commit_all();
    let blob = f.git(&["rev-parse", "HEAD:a.ts"]).trim().to_owned();
    let inner = store(&f, "tree", &entry("100644", b"config", &blob));
    let tree = [
        entry("100644", b"../up.ts", &blob),
        entry("100644", b"..", &blob),
        entry("100644", b".", &blob),
        entry("100644", b"", &blob),
        entry("100644", b"a/b.ts", &blob),
        entry("100644", b"\xff.ts", &blob),
        entry("100644", b"twice.ts", &blob),
        entry("100644", b"twice.ts", &blob),
        entry("40000", b".git", &inner),
        entry("40000", b".GIT", &inner),
        entry("40000", b"is-a-blob", &blob),
        entry("100644", b"is-a-tree", &inner),
        entry("100644", b"long", &blob),
        entry("100644", b"z.ts", &blob),
    ]
    .concat();
    let commit_of = |tree: &str| {
        let made = f.git(&["commit-tree", tree, "-m", "x"]);
        made.trim().to_owned()
    };
    let odd = store(&f, "tree", &tree);
    let commit = commit_of(&odd);
    // Not a directory: nothing is known of what is in it.
    assert!(at(&f, &commit).scan(&unlimited()).is_err());
    let without = entry("40000", b"is-a-blob", &blob);
    let at_it = tree.windows(without.len()).position(|part| part == without);
    let at_it = at_it.unwrap();
    let fine = [&tree[..at_it], &tree[at_it + without.len()..]].concat();
    let commit = commit_of(&store(&f, "tree", &fine));
    let repo = at(&f, &commit);
    let scan = repo.scan(&unlimited()).unwrap();
    let found: Vec<&str> = scan.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(found, ["is-a-tree", "long", "twice.ts", "z.ts"]);
    assert!(repo.source().read(&path("is-a-tree"), 99).is_err());
    assert!(repo.source().read(&path("is-a-tree/config"), 99).is_err());
    let empty = commit_of(&store(&f, "tree", b""));
    assert!(at(&f, &empty).scan(&unlimited()).unwrap().files.is_empty());
    let cut = store(&f, "tree", &tree[..tree.len() - 7]);
    let cut = at(&f, &commit_of(&cut)).scan(&unlimited());
    assert!(cut.is_err(), "an entry without its end: {cut:?}");
}

#[test]
fn a_tree_without_end_is_refused() {
    let f = Fixture::new();
    f.write("a.ts", "a").commit_all();
    let mut tree = f.git(&["rev-parse", "HEAD^{tree}"]).trim().to_owned();
    for _ in 0..9 {
        let entries: Vec<u8> = (0..10)
            .flat_map(|n| entry("40000", format!("d{n}").as_bytes(), &tree))
            .collect();
        tree = store(&f, "tree", &entries);
    }
    let commit = f.git(&["commit-tree", &tree, "-m", "x"]);
    let repo = at(&f, commit.trim());
    let tree = CommitTree::open(&repo.inner, repo.source().commit().cloned()).unwrap();
    let rules = repo.rules().unwrap();
    let scan = tree.scan_at_most(500, repo.source(), &rules, &unlimited());
    assert!(scan.is_err());
}

#[test]
fn names_that_are_no_one_commit_say_why() {
    let f = Fixture::new();
    f.write("a.ts", "a").commit_all();
    f.git(&["tag", "-a", "-m", "x", "v1"]);
    f.git(&["branch", "feat/x"]);
    let repo = f.repo();
    let head = repo.commit_named("HEAD").unwrap();
    for name in ["main", "v1", "refs/heads/main", "feat/x", "@", "main@{0}"] {
        assert_eq!(repo.commit_named(name), Ok(head.clone()), "{name}");
    }
    for (name, why) in [
        ("", NoCommit::NoName),
        ("-x", NoCommit::NoName),
        ("a\nb", NoCommit::NoName),
        ("main..v1", NoCommit::Range),
        ("main^@", NoCommit::Range),
        (":a.ts", NoCommit::Search),
        ("main^{/x}", NoCommit::Search),
        ("main^{tree}", NoCommit::OtherObject),
        ("main~1", NoCommit::Unknown),
        ("gone", NoCommit::Unknown),
    ] {
        assert_eq!(repo.commit_named(name), Err(why), "{name:?}");
    }
    let names = repo.reference_names().unwrap();
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["feat/x", "main", "v1"]
    );
}

//! The index of a commit, made from its blobs, against the index of a clean checkout of it.

use std::path::{Path, PathBuf};

use super::{Bench, assert_same, rebuilt};
use crate::support::{Fixture, Repo};

/// How many commits of a named repository are compared unless `CODELENS_COMMITS_MAX` says otherwise.
const COMMITS: usize = 30;

/// Compares commits, the oldest first: each index starts from the one before. Returns how many files were read.
fn compare(place: &Path, commits: &[String], scratch: &Path) -> u64 {
    let checkout = scratch.join("checkout");
    git(
        place,
        &[
            "clone",
            "-q",
            "--shared",
            "--no-checkout",
            ".",
            &checkout.to_string_lossy(),
        ],
    );
    let bench = Bench::new(60_000);
    let mut n_read = 0;
    for (at, commit) in commits.iter().enumerate() {
        git(
            &checkout,
            &["checkout", "-q", "--force", "--detach", commit],
        );
        let (n, dump) = bench.refreshed_at(place, commit);
        n_read += n;
        let when = format!("commit {commit}, {at} after the first");
        assert_same(&dump, &rebuilt(&checkout), &when);
    }
    n_read
}

fn history(place: &Path) -> Vec<String> {
    let listed = git(place, &["rev-list", "--reverse", "--all"]);
    listed.lines().map(str::to_owned).collect()
}

fn git(place: &Path, args: &[&str]) -> String {
    super::replay::git(place, args)
}

#[test]
fn commit_equals_checkout_on_every_commit_of_the_fixtures() {
    for name in ["shop", "ledger", "kiosk", "attic"] {
        let repo = Fixture::load(name).build();
        let scratch = tempfile::tempdir().unwrap();
        compare(&repo.path(), &history(&repo.path()), scratch.path());
    }
}

/// Compares commits of the repository that `CODELENS_COMMITS_REPO` names: every `CODELENS_COMMITS_EVERY`th along first
/// parents.
#[test]
fn commit_equals_checkout_along_a_real_history() {
    let Some(place) = std::env::var_os("CODELENS_COMMITS_REPO").map(PathBuf::from) else {
        return;
    };
    let number = |name: &str, usual| std::env::var(name).map_or(usual, |n| n.parse().unwrap());
    let max = number("CODELENS_COMMITS_MAX", COMMITS);
    let every = number("CODELENS_COMMITS_EVERY", 100);
    let listed = git(&place, &["rev-list", "--first-parent", "HEAD"]);
    let mut commits: Vec<String> = listed
        .lines()
        .step_by(every)
        .take(max)
        .map(str::to_owned)
        .collect();
    commits.reverse();
    let scratch = tempfile::tempdir().unwrap();
    let n_read = compare(&place, &commits, scratch.path());
    eprintln!("{} commits, {n_read} files read", commits.len());
}

/// A repository with one of each thing that a tree may hold beside plain files.
fn curious() -> Repo {
    let repo = Fixture::parse(
        "//- /src/a.ts\nimport { b } from './b';\nexport function a() { return b(); }\n\
         //- /src/b.ts\nexport function b() { return 1; }\n\
         //- /gen/out.ts\nexport const made = 1;\n\
         //- /gen/hand.ts\nexport const written = 1;\n\
         //- /.gitattributes\ngen/** linguist-generated\n*.bin binary\n*.psd filter=lfs -text\n\
         //- /gen/.gitattributes\nhand.ts -linguist-generated\n\
         //- /.codelensignore\nhidden/\n*.skip\n\
         //- /hidden/x.ts\nexport const hidden = 1;\n\
         //- /src/.codelensignore\n!kept.skip\n\
         //- /src/kept.skip\nkept\n\
         //- /src/.gitignore\nignored.ts\n\
         //- /src/ignored.ts\nexport const tracked = 1;\n\
         //- /.env\nTOKEN=1\n\
         //- /package-lock.json\n{}\n\
         //- /art.psd\nversion https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n\
         //- /run.py\ndef main():\n    return helper()\n\ndef helper():\n    return 2\n\
         //- /empty.ts\n\
         //- /.codelens.toml\nexclude = [\"*.tmp\"]\n\
         //- /junk.tmp\nexport const junk = 1\n",
    )
    .build();
    repo.write("data.bin", [0_u8, 1, 2, 0]);
    repo.write("huge.txt", "x".repeat(3 << 20));
    repo.write("min.js", format!("var a={};", "1+".repeat(60_000) + "1"));
    repo.git(&["add", "-A", "-f"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("src/a.ts", repo.path().join("link.ts")).unwrap();
        std::os::unix::fs::symlink("src", repo.path().join("linked")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", repo.path().join("out")).unwrap();
        repo.git(&["add", "link.ts", "linked", "out"]);
    }
    repo.git(&["update-index", "--chmod=+x", "run.py"]);
    let sub = format!("160000,{},vendor/sub", "1".repeat(40));
    repo.git(&["update-index", "--add", "--cacheinfo", &sub]);
    repo.git(&["commit", "-q", "-m", "one of each"]);
    repo
}

#[test]
fn commit_equals_checkout_whatever_a_tree_holds() {
    let mut repo = curious();
    repo.then(
        "//- remove /.codelensignore\n//- /.gitattributes\nsrc/** linguist-generated\n//- rename /src/b.ts /src/c.ts\n",
    );
    repo.git(&["add", "-A", "-f"]);
    repo.git(&["commit", "-q", "-m", "other rules"]);
    let scratch = tempfile::tempdir().unwrap();
    let commits = history(&repo.path());
    assert_eq!(commits.len(), 2);
    compare(&repo.path(), &commits, scratch.path());
    let back: Vec<String> = commits.iter().rev().cloned().collect();
    let scratch = tempfile::tempdir().unwrap();
    compare(&repo.path(), &back, scratch.path());
}

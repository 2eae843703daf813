//! `rebuild_equals_reconcile` over a real history: its commits one after the other, the index that was carried along compared
//! with one built from nothing after every one.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Bench, assert_same, rebuilt};
use crate::support::Fixture;

/// How many commits are played unless `CODELENS_REPLAY_COMMITS` says otherwise.
const COMMITS: usize = 300;

/// Plays the last commits of the repository that `CODELENS_REPLAY_REPO` names (which stays as it is), else
/// those of a fixture.
#[test]
fn rebuild_equals_reconcile_over_consecutive_commits() {
    let named = std::env::var_os("CODELENS_REPLAY_REPO").map(PathBuf::from);
    let fixture = named.is_none().then(|| Fixture::load("shop").build());
    let source = named.unwrap_or_else(|| fixture.as_ref().map(crate::support::Repo::path).unwrap());
    let n = std::env::var("CODELENS_REPLAY_COMMITS").map_or(COMMITS, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("clone");
    git(
        &source,
        &[
            "clone",
            "--quiet",
            "--shared",
            "--no-checkout",
            ".",
            &place.to_string_lossy(),
        ],
    );
    let last = format!("--max-count={n}");
    let listed = git(&place, &["rev-list", "--first-parent", &last, "HEAD"]);
    let commits: Vec<&str> = listed.lines().rev().collect();
    assert!(commits.len() >= 2, "a history to play");
    let bench = Bench::new(60_000);
    let mut n_read = 0;
    for (at, commit) in commits.iter().enumerate() {
        git(
            &place,
            &["checkout", "--quiet", "--force", "--detach", commit],
        );
        let (n, dump) = bench.refreshed(&place);
        n_read += if at == 0 { 0 } else { n };
        let when = format!("commit {commit}, {at} after the first");
        assert_same(&dump, &rebuilt(&place), &when);
    }
    let files = git(&place, &["ls-files"]).lines().count() as u64;
    assert!(
        n_read < files * commits.len() as u64,
        "nothing was carried along"
    );
}

pub(super) fn git(place: &Path, args: &[&str]) -> String {
    let ran = Command::new("git")
        .arg("-C")
        .arg(place)
        .args(["-c", "advice.detachedHead=false"])
        .args(args)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "git {args:?}: {error}");
    String::from_utf8(ran.stdout).unwrap()
}

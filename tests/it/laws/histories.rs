//! `rebuild_equals_reconcile` over random histories: after any steps, the index that was carried along equals one built from
//! nothing, row for row and answer for answer, and its files are those that git and the ignore rules leave.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::git_steps::{GROUNDS, ground, linked, switch};
use super::steps::step;
use crate::support::Dice;
use codelens::model::FreshnessState;

use super::{Bench, assert_same, number, on_each_core, rebuilt};
use crate::support::Repo;

/// Random steps in an ordinary run; `CODELENS_HISTORY_STEPS` asks for more, `CODELENS_HISTORY_SEED` for
/// another walk.
const STEPS: usize = 2_000;

/// Steps after which a new repository is begun.
const STEPS_A_REPOSITORY: usize = 50;

/// Every so many steps the tools' answers are compared too.
const STEPS_AN_ANSWER: usize = 5;

/// Every so many steps the branch is switched while questions are answered.
const STEPS_A_SWITCH: usize = 10;

#[test]
fn rebuild_equals_reconcile() {
    let seed = number("CODELENS_HISTORY_SEED", 7);
    let rounds = number("CODELENS_HISTORY_STEPS", STEPS).div_ceil(STEPS_A_REPOSITORY);
    on_each_core(rounds, |round| walk(seed + round, STEPS_A_REPOSITORY));
}

fn walk(seed: usize, steps: usize) {
    let mut dice = Dice::new(seed as u64);
    let kind = GROUNDS[seed % GROUNDS.len()];
    let repo = ground(kind);
    let bench = Bench::new(60_000);
    bench.refreshed(&repo.path());
    let mut done = Vec::new();
    let mut before = bench.dump(&repo.path());
    for n in 0..steps {
        let (mut said, mut head_before) = (Vec::new(), None);
        if n % STEPS_A_SWITCH == STEPS_A_SWITCH - 1 {
            head_before = head(&repo.path());
            let (what, answers) = answers_during(&bench, &repo, || switch(&repo, &mut dice));
            done.push(what);
            said = answers;
        } else {
            done.push(step(&repo, &mut dice, n));
        }
        let tail = done[done.len().saturating_sub(6)..].join("\n  ");
        let when = format!("{kind}, seed {seed}, step {n}, after\n  {tail}\n");
        // Every second time the query itself has to bring the index up.
        let dump = if dice.below(2) == 0 {
            bench.refreshed(&repo.path()).1
        } else {
            bench.dump(&repo.path())
        };
        let fresh = Bench::new(60_000);
        assert_same(&dump, &fresh.refreshed(&repo.path()).1, &when);
        // Git sets `HEAD` last, after it let go of the staging area: for a moment the new files are really there
        // under the old commit, as `git read-tree -u` leaves them for good.
        let is_true = |(head, answer): &&(Option<String>, String)| {
            let (files, commits) = parts(answer);
            let is_on_the_way = files == parts(&dump).0 && commits == parts(&before).1;
            *answer == before || is_on_the_way && *head == head_before
        };
        for (_, answer) in said.iter().filter(|said| !is_true(said)) {
            assert_same(
                answer,
                &dump,
                &format!("said to be fresh meanwhile, {when}"),
            );
        }
        before.clone_from(&dump);
        assert_eq!(indexed(&dump), wanted(&repo), "{when}");
        if n % STEPS_AN_ANSWER == 0 {
            let (found, wanted) = (bench.answers(&repo.path()), fresh.answers(&repo.path()));
            assert_eq!(found, wanted, "{when}");
        }
        let linked = linked(&repo, n);
        if n % 3 == 0 && linked.is_dir() {
            let (_, dump) = bench.refreshed(&linked);
            assert_same(&dump, &rebuilt(&linked), &format!("linked, {when}"));
        }
    }
}

/// Returns the rows of a dump that come from the work tree, and those that come from commits.
fn parts(dump: &str) -> (Vec<&str>, Vec<&str>) {
    let of_commits = ["commit\t", "touch\t", "message\t"];
    dump.lines()
        .partition(|line| !of_commits.iter().any(|kind| line.starts_with(kind)))
}

/// Returns the content of git's `HEAD` file.
fn head(root: &Path) -> Option<String> {
    std::fs::read_to_string(root.join(".git/HEAD")).ok()
}

/// Asks without end while something is done; returns its result, and the rows behind each answer that
/// was said to be fresh, with the `HEAD` that there was when it was asked.
fn answers_during(
    bench: &Bench,
    repo: &Repo,
    act: impl FnOnce() -> String,
) -> (String, Vec<(Option<String>, String)>) {
    let (is_done, root) = (AtomicBool::new(false), repo.path());
    let workspace = bench.at(&root);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut said = Vec::new();
            while !is_done.load(Ordering::Acquire) {
                let head = head(&root);
                let answer = workspace.query(&Arc::default(), |view| {
                    let is_fresh = view.freshness.state == FreshnessState::Fresh;
                    Ok(is_fresh.then(|| view.read.dump()).transpose()?)
                });
                said.extend(answer.unwrap().map(|dump| (head, dump)));
            }
            said
        });
        let what = act();
        is_done.store(true, Ordering::Release);
        (what, asking.join().unwrap())
    })
}

/// Paths of the file rows of a dump.
fn indexed(dump: &str) -> BTreeSet<String> {
    dump.lines()
        .filter_map(|line| line.strip_prefix("file\t\""))
        .filter_map(|line| line.split_once("\"\t"))
        .map(|(path, _)| path.to_owned())
        .collect()
}

/// Returns the files that git calls tracked, or untracked and not ignored, less those that `.codelensignore` takes away.
fn wanted(repo: &Repo) -> BTreeSet<String> {
    let listed = repo.git(&["ls-files", "-co", "--exclude-standard", "--deduplicate"]);
    let hidden = if repo.path().join(".codelensignore").is_file() {
        let from = "--exclude-from=.codelensignore";
        let tracked = repo.git(&["ls-files", "-ci", from]);
        let untracked = repo.git(&["ls-files", "-oi", from]);
        format!("{tracked}\n{untracked}")
    } else {
        String::new()
    };
    let hidden: BTreeSet<&str> = hidden.lines().collect();
    listed
        .lines()
        .filter(|path| !path.is_empty() && !hidden.contains(path))
        .filter(|path| is_plain_file(&repo.path(), path))
        .map(str::to_owned)
        .collect()
}

/// Whether a path leads to a regular file through no link.
fn is_plain_file(root: &Path, path: &str) -> bool {
    let mut at = root.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let Ok(meta) = std::fs::symlink_metadata(&at) else {
            return false;
        };
        let fits = if parts.peek().is_some() {
            meta.is_dir()
        } else {
            meta.is_file()
        };
        if !fits {
            return false;
        }
    }
    true
}

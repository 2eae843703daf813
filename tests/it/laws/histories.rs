//! Law 1 over random histories: after any steps, the index that was carried along equals one built from
//! nothing, row for row, and its files are those that git and the ignore rules leave.

use std::collections::BTreeSet;

use super::steps::{Dice, step};
use super::{Bench, assert_same, rebuilt};
use crate::support::{Fixture, Repo};

/// Random steps in an ordinary run; `CODELENS_HISTORY_STEPS` asks for more, `CODELENS_HISTORY_SEED` for
/// another walk.
const STEPS: usize = 240;

/// Steps after which a new repository is begun.
const STEPS_A_REPOSITORY: usize = 40;

#[test]
fn rebuild_equals_reconcile() {
    let number = |name: &str, or: usize| {
        std::env::var(name).map_or(or, |text| text.parse().expect("a whole number"))
    };
    let seed = number("CODELENS_HISTORY_SEED", 7);
    let steps = number("CODELENS_HISTORY_STEPS", STEPS);
    for round in 0..steps.div_ceil(STEPS_A_REPOSITORY) {
        walk(seed + round, STEPS_A_REPOSITORY.min(steps));
    }
}

fn walk(seed: usize, steps: usize) {
    let mut dice = Dice::new(seed as u64);
    let repo = Fixture::parse(
        "//- /src/f1.ts\nexport const a1 = 1;\n//- /package.json\n{\"name\":\"walk\"}\n//- commit base\n//- git branch b0\n",
    )
    .build();
    let bench = Bench::new(60_000);
    bench.refreshed(&repo.path());
    let mut done = Vec::new();
    for n in 0..steps {
        done.push(step(&repo, &mut dice, n));
        let tail = done[done.len().saturating_sub(6)..].join("\n  ");
        let when = format!("seed {seed}, step {n}, after\n  {tail}\n");
        // Every second time the query itself has to bring the index up.
        let dump = if dice.below(2) == 0 {
            bench.refreshed(&repo.path()).1
        } else {
            bench.dump(&repo.path())
        };
        assert_same(&dump, &rebuilt(&repo.path()), &when);
        assert_eq!(indexed(&dump), wanted(&repo), "{when}");
    }
}

/// Paths of the file rows of a dump.
fn indexed(dump: &str) -> BTreeSet<String> {
    dump.lines()
        .filter_map(|line| line.strip_prefix("file\t\""))
        .filter_map(|line| line.split_once("\"\t"))
        .map(|(path, _)| path.to_owned())
        .collect()
}

/// What git calls tracked or untracked and not ignored, less what `.codelensignore` takes away.
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
        .filter(|path| repo.path().join(path).is_file())
        .map(str::to_owned)
        .collect()
}

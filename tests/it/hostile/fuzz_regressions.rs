//! Findings of fuzzing, each as its smallest case.

use crate::laws::{Bench, assert_same, rebuilt};
use crate::support::Repo;

/// Checks that the index which follows a repository from one state to the next is the one that is built from nothing.
fn follows(states: &[&str]) {
    let mut repo = Repo::new(Vec::new());
    let bench = Bench::new(60_000);
    for (n, state) in states.iter().enumerate() {
        repo.then(state);
        let (_, dump) = bench.refreshed(&repo.path());
        assert_same(&dump, &rebuilt(&repo.path()), &format!("state {n}"));
    }
}

#[test]
fn a_file_that_says_nothing_any_more_leaves_no_unbound_names() {
    follows(&[
        "//- /a.ts\nwork(1); new Other()\n//- /b.ts\nexport const b = 1\n",
        "//- /a.ts\nexport {}\n",
        "//- /a.ts\nwork(1)\n",
        "//- /a.ts\n// nothing\n",
    ]);
}

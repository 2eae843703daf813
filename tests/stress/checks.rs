//! Checks that go on after a failure, and say at the end how many passed.

use std::fmt::{Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Failures that are printed with the value that was seen; of later ones only the name is.
const MAX_SHOWN: usize = 30;

/// The checks of one test; threads share them.
pub(crate) struct Checks {
    test: &'static str,
    /// The start of all that is left to chance.
    pub(crate) seed: usize,
    begun: Instant,
    n_passed: AtomicUsize,
    n_failed: AtomicUsize,
}

impl Checks {
    /// Begins a test with the seed of `CODELENS_STRESS_SEED`, else with this one.
    pub(crate) fn new(test: &'static str, seed: usize) -> Self {
        Self {
            test,
            seed: setting("SEED", seed),
            begun: Instant::now(),
            n_passed: AtomicUsize::new(0),
            n_failed: AtomicUsize::new(0),
        }
    }

    /// Notes one check; `seen` is printed if it does not hold.
    pub(crate) fn that(&self, what: impl Display, holds: bool, seen: impl Debug) -> bool {
        let count = if holds {
            &self.n_passed
        } else {
            &self.n_failed
        };
        let before = count.fetch_add(1, Ordering::Relaxed);
        if !holds {
            eprintln!("FAILED: {what}");
            if before < MAX_SHOWN {
                let seen: String = format!("{seen:?}").chars().take(1200).collect();
                eprintln!("        seen: {seen}");
            }
        }
        holds
    }

    /// Does a part, and notes a panic in it as a failure. Returns its result if it went through.
    pub(crate) fn part<T>(&self, name: &str, part: impl FnOnce() -> T) -> Option<T> {
        let result = catch_unwind(AssertUnwindSafe(part)).ok();
        self.that(format!("{name} goes through"), result.is_some(), ());
        result
    }

    /// Prints the sum; panics unless everything held and something was checked.
    pub(crate) fn end(&self) {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let (passed, failed) = (count(&self.n_passed), count(&self.n_failed));
        let sum = format!(
            "{}: {passed} passed, {failed} failed, CODELENS_STRESS_SEED={}, {:.1} s",
            self.test,
            self.seed,
            self.begun.elapsed().as_secs_f64()
        );
        eprintln!("{sum}");
        assert!(passed > 0 && failed == 0, "{sum}");
    }
}

/// Returns the whole number that `CODELENS_STRESS_{name}` holds, else `or`.
pub(crate) fn setting(name: &str, or: usize) -> usize {
    crate::support::number(&format!("CODELENS_STRESS_{name}"), or)
}

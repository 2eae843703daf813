//! How often and how wide something is tried.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the whole number that a variable holds, else `or`.
pub(crate) fn number(name: &str, or: usize) -> usize {
    std::env::var(name).map_or(or, |text| text.parse().expect("a whole number"))
}

/// Walks each of so many rounds, as many at once as there are cores.
pub(crate) fn on_each_core(rounds: usize, walk: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let round = next.fetch_add(1, Ordering::Relaxed);
                    if round >= rounds {
                        break;
                    }
                    walk(round);
                }
            });
        }
    });
}

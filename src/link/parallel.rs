//! Threads that work off a batch of files in slices, each with a reader of its own on the same generation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cache::FactsCache;
use super::edges::{self, Links};
use crate::model::Budget;
use crate::store::{Index, Read, StoreError};

/// Files that a thread takes at a time: neighbours rest on the same files.
const SLICE_FILES: usize = 8;

/// Edges and unbound names that may wait for a transaction; a batch ends there.
const BATCH_ROWS: usize = 100_000;

/// How many threads there are at most.
const MAX_THREADS: usize = 8;

/// How many facts all threads keep together. A fact takes some 200 bytes.
const MAX_KEPT: usize = 250_000;

/// The work on one batch.
struct Work<'a> {
    slices: Slices<'a, i64>,
    budget: &'a Budget,
    n_rows: AtomicUsize,
    done: Mutex<Vec<(i64, Links)>>,
}

/// Binds the names of `files`, in their order, up to where the budget ends or the result becomes too large; at
/// least of the first ones. The caller holds the write lock.
pub(super) fn bind(
    index: &Index,
    files: &[i64],
    budget: &Budget,
) -> Result<Vec<(i64, Links)>, StoreError> {
    let work = Work {
        slices: Slices::of(files, SLICE_FILES),
        budget,
        n_rows: AtomicUsize::new(0),
        done: Mutex::default(),
    };
    let n_threads = work.slices.n_threads();
    let max_kept = MAX_KEPT / n_threads;
    on_threads(index, n_threads, |read| work.run(read, max_kept))?;
    let mut done = work.done.into_inner().expect("no thread panicked");
    done.sort_unstable_by_key(|(file, _)| *file);
    Ok(done)
}

/// Pieces of work of which each thread takes some neighbours at a time.
pub(super) struct Slices<'a, T> {
    all: &'a [T],
    size: usize,
    next: AtomicUsize,
}

impl<'a, T> Slices<'a, T> {
    pub(super) fn of(all: &'a [T], size: usize) -> Self {
        let next = AtomicUsize::new(0);
        Self { all, size, next }
    }

    /// Returns how many threads have something to do; at least one.
    pub(super) fn n_threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let n_slices = self.all.len().div_ceil(self.size);
        n_slices.min(cores).clamp(1, MAX_THREADS)
    }

    /// Takes the next ones, until none are left or `is_over` says that it is enough. The first are always taken:
    /// whoever calls again and again gets to the end.
    pub(super) fn next(&self, is_over: impl Fn() -> bool) -> Option<&'a [T]> {
        let from = self.next.fetch_add(self.size, Ordering::Relaxed);
        if from >= self.all.len() || from > 0 && is_over() {
            return None;
        }
        Some(&self.all[from..self.all.len().min(from + self.size)])
    }
}

/// Runs `part` on up to `n_threads` threads, each with a reader on the same generation. `part` takes its work from a shared
/// list: a single thread works off all of it.
pub(super) fn on_threads(
    index: &Index,
    n_threads: usize,
    part: impl Fn(&Read<'_>) -> Result<(), StoreError> + Sync,
) -> Result<(), StoreError> {
    let own = index.read()?;
    let generation = own.meta().generation;
    std::thread::scope(|scope| {
        let mut others = Vec::new();
        for _ in 1..n_threads {
            let Ok(reader) = index.reader() else {
                // With fewer threads it takes longer, no more.
                break;
            };
            let part = &part;
            others.push(scope.spawn(move || {
                let read = reader.read()?;
                // Of another generation nothing may be said; the rest does the work then.
                if read.meta().generation == generation {
                    part(&read)?;
                }
                Ok::<_, StoreError>(())
            }));
        }
        part(&own)?;
        for other in others {
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    })
}

impl Work<'_> {
    fn run(&self, read: &Read<'_>, max_kept: usize) -> Result<(), StoreError> {
        let cache = FactsCache::new(read, max_kept);
        let is_over = || self.budget.is_spent() || self.n_rows.load(Ordering::Relaxed) > BATCH_ROWS;
        while let Some(slice) = self.slices.next(is_over) {
            for file in slice {
                let links = edges::of_file(&cache, *file)?;
                let n_rows = links.edges.len() + links.unbound.len();
                self.n_rows.fetch_add(n_rows, Ordering::Relaxed);
                self.done
                    .lock()
                    .expect("no thread panicked")
                    .push((*file, links));
            }
        }
        Ok(())
    }
}

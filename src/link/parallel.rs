//! Threads that work off a batch of files in slices, each with a reader of its own on the same generation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cache::FactsCache;
use super::edges::{self, Links};
use crate::model::{Budget, FileId};
use crate::store::{Index, Read, StoreError};

/// Files that a thread takes at a time: neighbours rest on the same files.
const SLICE_FILES: usize = 8;

/// Edges and unbound names that may wait for a transaction; a batch ends there. A row takes some 60 bytes.
const BATCH_ROWS: usize = 100_000;

/// The same where no question waits: each batch reads anew the files that it rests on.
const LARGE_BATCH_ROWS: usize = 150_000;

/// How many threads there are at most.
const MAX_THREADS: usize = 8;

/// How many facts all threads keep together. A fact takes some 200 bytes. Few in unit tests, which so see files dropped and
/// loaded again.
const MAX_KEPT: usize = if cfg!(test) { 1_000 } else { 120_000 };

/// The work on one batch.
struct Work<'a> {
    slices: Slices<'a, FileId>,
    budget: &'a Budget,
    n_rows: AtomicUsize,
    max_rows: usize,
    done: Mutex<Vec<(FileId, Links)>>,
}

/// Binds the names of `files`, in their order, up to where the budget ends or the result becomes too large; at
/// least of the first ones. The caller holds the write lock.
pub(super) fn bind(
    index: &Index,
    files: &[FileId],
    budget: &Budget,
) -> Result<Vec<(FileId, Links)>, StoreError> {
    let work = Work {
        slices: Slices::of(files, SLICE_FILES),
        budget,
        n_rows: AtomicUsize::new(0),
        max_rows: if budget.remaining().is_none() {
            LARGE_BATCH_ROWS
        } else {
            BATCH_ROWS
        },
        done: Mutex::default(),
    };
    let n_threads = work.slices.n_threads();
    let max_kept = MAX_KEPT / n_threads;
    on_threads(index, n_threads, |thread, read| {
        work.run(thread, read, max_kept)
    })?;
    let mut done = work.done.into_inner().expect("no thread panicked");
    done.sort_unstable_by_key(|(file, _)| *file);
    Ok(done)
}

/// Pieces of work of which each thread takes some neighbours at a time. Each has a part of its own, whose files rest on
/// much the same files, and helps the others when it is through.
pub(super) struct Slices<'a, T> {
    all: &'a [T],
    size: usize,
    n_threads: usize,
    /// The next place in each thread's part.
    next: Vec<AtomicUsize>,
}

impl<'a, T> Slices<'a, T> {
    pub(super) fn of(all: &'a [T], size: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let n_slices = all.len().div_ceil(size);
        let n_threads = n_slices.min(cores).clamp(1, MAX_THREADS);
        let mut slices = Self {
            all,
            size,
            n_threads,
            next: Vec::new(),
        };
        slices.next = (0..n_threads)
            .map(|part| AtomicUsize::new(slices.start(part)))
            .collect();
        slices
    }

    /// Returns how many threads have something to do; at least one.
    pub(super) fn n_threads(&self) -> usize {
        self.n_threads
    }

    /// Returns where a part begins, and the one before it ends.
    fn start(&self, part: usize) -> usize {
        self.all.len() * part / self.n_threads
    }

    /// Takes the next ones for a thread, by its number from 0, until none are left or `is_over` says that it is enough.
    /// The first of all are always taken: whoever calls again and again gets to the end.
    pub(super) fn next(&self, thread: usize, is_over: impl Fn() -> bool) -> Option<&'a [T]> {
        for other in 0..self.n_threads {
            let part = (thread + other) % self.n_threads;
            let end = self.start(part + 1);
            let from = self.next[part].fetch_add(self.size, Ordering::Relaxed);
            if from >= end {
                continue;
            }
            let is_first = from == 0;
            return (is_first || !is_over()).then(|| &self.all[from..end.min(from + self.size)]);
        }
        None
    }
}

/// Runs `part` on up to `n_threads` threads, each with its number and a reader on the same generation. `part` takes its
/// work from a shared list: a single thread works off all of it.
pub(super) fn on_threads(
    index: &Index,
    n_threads: usize,
    part: impl Fn(usize, &Read<'_>) -> Result<(), StoreError> + Sync,
) -> Result<(), StoreError> {
    let own = index.read()?;
    let generation = own.meta().generation;
    std::thread::scope(|scope| {
        let mut others = Vec::new();
        for thread in 1..n_threads {
            let Ok(reader) = index.reader() else {
                // With fewer threads it takes longer, no more.
                break;
            };
            let part = &part;
            let work = move || {
                let read = reader.read()?;
                // Of another generation nothing may be said; the rest does the work then.
                if read.meta().generation == generation {
                    part(thread, &read)?;
                }
                Ok::<_, StoreError>(())
            };
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Ok(other) => others.push(other),
                Err(_) => break,
            }
        }
        part(0, &own)?;
        for other in others {
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    })
}

impl Work<'_> {
    fn run(&self, thread: usize, read: &Read<'_>, max_kept: usize) -> Result<(), StoreError> {
        let cache = FactsCache::new(read, max_kept);
        let is_over =
            || self.budget.is_spent() || self.n_rows.load(Ordering::Relaxed) > self.max_rows;
        while let Some(slice) = self.slices.next(thread, is_over) {
            for (n, file) in slice.iter().enumerate() {
                // One that includes a thousand others takes as long as a slice of others. What is left is linked another time.
                if n > 0 && is_over() {
                    break;
                }
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

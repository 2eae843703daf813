//! Every line of the files on the disk that a pattern matches, as `grep` finds them.
//!
//! The files are read in the call that asks: no line is missed because an index is behind, and what was not looked
//! through is counted by reason. Ranking by words is `search`'s.

mod file;
mod pattern;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use file::{MAX_PREVIEW_BYTES, MatchedLine};
pub use pattern::{LinePattern, MAX_CHARACTERS, PatternError, Syntax};

use crate::model::{Budget, RepoPath, SkipReason};
pub use crate::syntax::SourceRegion;
use file::FileMatches;

/// Threads that search.
const MAX_THREADS: usize = 8;

/// The text of files as they are now, from many threads at once.
pub trait LineSource: Sync {
    /// Reads a file. A file that is reduced in an index (generated, minified, a lock file) is read whole.
    ///
    /// # Errors
    /// The reason for which its text is not there to be searched; `None` where the file is gone.
    fn read(&self, file: &Searched) -> Result<Bytes, Option<SkipReason>>;

    /// Returns the text of some bytes as it is shown: as long as they are, with secrets masked.
    fn decode(&self, bytes: &[u8]) -> String;
}

/// The bytes of a file.
#[derive(Clone, Debug)]
pub struct Bytes {
    /// All of them.
    pub bytes: Vec<u8>,
    /// Why an index has a part of the text alone; `None` where it has all.
    pub skip: Option<SkipReason>,
}

/// A file that is to be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Where it is.
    pub path: RepoPath,
    /// Whether an attribute marks it as generated.
    pub has_generated_attribute: bool,
    /// Whether the caller named it: lock files and minified files are searched only then.
    pub is_named: bool,
    /// The reason for leaving its text out, where that is known without reading: `Some(None)` for a whole text.
    pub skip: Option<Option<SkipReason>>,
}

/// The pattern, and how much of each match is shown.
#[derive(Debug)]
pub struct LineQuery<'a> {
    /// The pattern.
    pub pattern: &'a LinePattern,
    /// Where the first byte of a match lies; `None`: anywhere.
    pub scope: Option<SourceRegion>,
    /// Lines that are shown before and behind each match.
    pub n_context: usize,
    /// Lines that are shown, at most.
    pub limit: usize,
    /// Bytes of text that are shown of one file, at most.
    pub max_bytes: usize,
    /// Path and line of the last line of the page before.
    pub after: Option<(&'a str, u32)>,
    /// Ends the search.
    pub budget: &'a Budget,
}

/// Why files were not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unsearched {
    /// Their text is not there to be searched, or only where they are named.
    Skipped(SkipReason),
    /// They hold matches, and no grammar tells in which scope.
    NoGrammar,
    /// The time was up.
    Budget,
}

impl Unsearched {
    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skipped(reason) => reason.as_str(),
            Self::NoGrammar => "noGrammar",
            Self::Budget => "budget",
        }
    }
}

/// The lines that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMatches {
    /// The lines of the page, by path, then by line.
    pub lines: Vec<MatchedLine>,
    /// How many lines match in all files that were searched.
    pub total: u64,
    /// Whether more lines come behind those of the page.
    pub has_more: bool,
    /// How many files were searched.
    pub n_files: u64,
    /// How many files were not, by reason.
    pub unsearched: BTreeMap<Unsearched, u64>,
}

impl LineMatches {
    /// Returns whether `total` is known to count every matching line of the files whose text is there.
    pub fn is_complete(&self) -> bool {
        let gaps = [Unsearched::Budget, Unsearched::NoGrammar];
        gaps.iter().all(|gap| !self.unsearched.contains_key(gap))
    }
}

/// Searches files, which are sorted by path. Costs the reading of all of them, on all cores; parsing only of files with a
/// match, where a scope is asked for.
pub fn search(files: &[Searched], source: &dyn LineSource, search: &LineQuery<'_>) -> LineMatches {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(MatchesByFile::new(files.len()));
    let run = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(at) else { return };
            if search.budget.is_spent() {
                return;
            }
            let limit = lock(&done).n_to_show(search.limit);
            let reading = file::search(file, source, search, limit);
            lock(&done).add(at, reading);
        }
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..n_threads.min(MAX_THREADS).min(files.len()) {
            let builder = std::thread::Builder::new().name("lines".to_owned());
            // Without another thread this one does it all.
            drop(builder.spawn_scoped(scope, run));
        }
        run();
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.found(search.limit)
}

fn lock(done: &Mutex<MatchesByFile>) -> MutexGuard<'_, MatchesByFile> {
    done.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The matches so far, a place for each file.
struct MatchesByFile {
    readings: Vec<Option<FileMatches>>,
    /// How many files from the first on are done, and how many lines to show they have.
    n_first: usize,
    n_shown: usize,
}

impl MatchesByFile {
    fn new(n_files: usize) -> Self {
        Self {
            readings: (0..n_files).map(|_| None).collect(),
            n_first: 0,
            n_shown: 0,
        }
    }

    /// Returns how many lines of a further file may still be on the page.
    fn n_to_show(&self, limit: usize) -> usize {
        limit.saturating_sub(self.n_shown)
    }

    fn add(&mut self, at: usize, reading: FileMatches) {
        self.readings[at] = Some(reading);
        while let Some(Some(reading)) = self.readings.get(self.n_first) {
            self.n_first += 1;
            self.n_shown += reading.lines.len();
        }
    }

    fn found(self, limit: usize) -> LineMatches {
        let mut found = LineMatches::default();
        let mut n_behind = 0;
        let mut is_full = false;
        for reading in self.readings {
            let Some(reading) = reading else {
                is_full = true;
                *found.unsearched.entry(Unsearched::Budget).or_default() += 1;
                continue;
            };
            if let Some(reason) = reading.unsearched {
                *found.unsearched.entry(reason).or_default() += 1;
            }
            found.n_files += u64::from(reading.is_searched);
            found.total += reading.n_lines;
            n_behind += reading.n_behind;
            if !is_full {
                let n_free = limit - found.lines.len();
                found.lines.extend(reading.lines.into_iter().take(n_free));
                // Nothing stands behind a line that was left out.
                is_full = found.lines.len() as u64 != n_behind;
            }
        }
        found.has_more = n_behind > found.lines.len() as u64;
        found
    }
}

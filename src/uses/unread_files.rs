//! Files of code that hold the name of a definition and whose uses are not in the index, or not all: those that are left out or reduced (too
//! large, in UTF-16, minified, not checked out), and those where the name stands in what could not be read: syntax errors, and in C# arguments by
//! name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Uses;
use super::files_with_name::MAX_READ_BYTES;
use crate::error::{Error, Result};
use crate::model::{ContentId, Family, RepoPath, SkipReason};
use crate::store::{FileSummary, token};
use crate::syntax::{OccurrenceRole, by_id, by_path, occurrences_of, starts};

/// Reasons for which the uses of a file are not read.
const REASONS: [SkipReason; 5] = [
    SkipReason::TooLarge,
    SkipReason::Binary,
    SkipReason::Unreadable,
    SkipReason::Minified,
    SkipReason::MissingBlob,
];

/// Files that are not in the index and are read for one name; beyond them each counts.
const MAX_LEFT_OUT: usize = 2_000;

/// Files of which it is kept whether they have syntax errors: some megabytes at most.
const MAX_KNOWN: usize = 50_000;

/// Whether files have syntax errors, by their bytes, the version of their facts and their language.
static KNOWN: Mutex<BTreeMap<(ContentId, u32, &str), bool>> = Mutex::new(BTreeMap::new());

/// Bytes of files with syntax errors that are parsed for one name; beyond them each that holds the word counts.
const MAX_PARSED_BYTES: usize = 512 << 10;

impl Uses<'_> {
    /// Returns the files of code that may use a definition in `home` and hold its name where uses are not read, by path. Reads the files that are
    /// left out, and parses those with syntax errors that hold the word.
    pub fn unread_naming(&self, name: &str, home: &RepoPath) -> Result<Vec<RepoPath>> {
        let mut found = Vec::new();
        let left_out = self.left_out_code()?.iter();
        for (n, path) in left_out.filter(|it| is_of_family(it, home)).enumerate() {
            if n >= MAX_LEFT_OUT || self.sources.holds(path, name) != Some(false) {
                found.push(path.clone());
            }
        }
        let norm = token::normal_form(name);
        if !(2..=token::MAX_WORD_BYTES).contains(&norm.len()) {
            return Ok(found);
        }
        let (mut n_read, mut n_parsed) = (0, 0);
        for file in self.files_with_word(&norm)?.iter() {
            if !is_of_family(&file.path, home) {
                continue;
            }
            let has_errors = self.has_errors(file)?;
            let has_gaps = by_path(&file.path).family() == Some(Family::CSharp);
            if !(has_errors || has_gaps && n_parsed < MAX_PARSED_BYTES / 4) {
                continue;
            }
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let text = (n_read < MAX_READ_BYTES)
                .then(|| self.sources.read(&file.path, file.content))
                .flatten();
            let Some((text, language)) = text.zip(by_id(&file.language)) else {
                found.push(file.path.clone());
                continue;
            };
            n_read += text.len();
            if starts(&text, name).next().is_none() {
                continue;
            }
            n_parsed += text.len();
            if n_parsed > MAX_PARSED_BYTES {
                found.extend(has_errors.then(|| file.path.clone()));
                continue;
            }
            let places = occurrences_of(language, &text, &[name], &self.budget);
            let places = places.ok_or_else(Error::cancelled)?.places;
            let is_open = |role: OccurrenceRole| {
                role == OccurrenceRole::Unknown || has_gaps && role == OccurrenceRole::Key
            };
            if places.iter().any(|it| is_open(it.role)) {
                found.push(file.path.clone());
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Returns the files of code whose uses are not read as the file is left out or reduced.
    fn left_out_code(&self) -> Result<&[RepoPath]> {
        if let Some(known) = self.left_out.get() {
            return Ok(known);
        }
        let rows = self.read.file_rows()?;
        let reduced = rows.iter().filter(|it| {
            let is_built = it.skip == Some(SkipReason::Minified) && is_script(&it.path);
            it.skip.is_some_and(|it| REASONS.contains(&it)) && !is_built
        });
        let reduced = reduced.map(|it| it.path.clone());
        let not_checked_out = self.sources.not_checked_out();
        let all = reduced.chain(not_checked_out.iter().cloned());
        let code = all.filter(|it| by_path(it).family().is_some()).collect();
        Ok(self.left_out.get_or_init(|| code))
    }

    /// Whether the parser met code in a file that it could not read. Costs decoding its facts once in a process.
    pub(super) fn has_errors(&self, file: &FileSummary) -> Result<bool> {
        let Some(language) = by_id(&file.language) else {
            return Ok(false);
        };
        let key = (file.content, file.facts_version, language.id);
        let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Ok(*known);
        }
        let has = self.read.facts(file.id)?.is_some_and(|it| it.has_errors);
        let mut known = lock();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, has);
        Ok(has)
    }
}

/// Whether a file is a plain script: a minified one was built, and calls nothing of the sources that are here.
fn is_script(path: &RepoPath) -> bool {
    matches!(path.extension(), Some("js" | "cjs" | "mjs"))
}

/// Whether code of a file may name a definition in `home`: both are of one family of languages.
fn is_of_family(path: &RepoPath, home: &RepoPath) -> bool {
    let family = by_path(home).family();
    family.is_some() && by_path(path).family() == family
}

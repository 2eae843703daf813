//! Files of code that hold the name of a definition and whose uses are not in the index, or not all: those that are left out or reduced (too
//! large, in UTF-16, minified, not checked out), and those where the name stands in what could not be read: syntax errors, and in C# arguments by
//! name.

use super::Uses;
use super::files_with_name::MAX_READ_BYTES;
use crate::error::{Error, Result};
use crate::model::{Family, FileId, RepoPath, SkipReason};
use crate::store::token;
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
        for file in self.read.files_with_word(&norm)? {
            if !is_of_family(&file.path, home) {
                continue;
            }
            let has_errors = self.has_errors(file.id)?;
            let has_gaps = by_path(&file.path).family() == Some(Family::CSharp);
            if !(has_errors || has_gaps && n_parsed < MAX_PARSED_BYTES) {
                continue;
            }
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let text = (n_read < MAX_READ_BYTES)
                .then(|| self.sources.read(&file.path, file.content))
                .flatten();
            let Some((text, language)) = text.zip(by_id(&file.language)) else {
                found.push(file.path);
                continue;
            };
            n_read += text.len();
            if starts(&text, name).next().is_none() {
                continue;
            }
            n_parsed += text.len();
            if n_parsed > MAX_PARSED_BYTES {
                found.extend(Some(file.path).filter(|_| has_errors));
                continue;
            }
            let places = occurrences_of(language, &text, &[name], &self.budget);
            let places = places.ok_or_else(Error::cancelled)?.places;
            let is_open = |role: OccurrenceRole| {
                role == OccurrenceRole::Unknown || has_gaps && role == OccurrenceRole::Key
            };
            if places.iter().any(|it| is_open(it.role)) {
                found.push(file.path);
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
        let mut all = Vec::new();
        for reason in REASONS {
            let paths = self.read.skipped_for(reason)?.into_iter();
            all.extend(paths.filter(|it| by_path(it).family().is_some()));
        }
        let absent = self.sources.not_checked_out().into_iter();
        all.extend(absent.filter(|it| by_path(it).family().is_some()));
        Ok(self.left_out.get_or_init(|| all))
    }

    /// Whether the parser met code in a file that it could not read.
    fn has_errors(&self, file: FileId) -> Result<bool> {
        if let Some(known) = self.with_errors.borrow().get(&file) {
            return Ok(*known);
        }
        let has = self.read.facts(file)?.is_some_and(|it| it.has_errors);
        self.with_errors.borrow_mut().insert(file, has);
        Ok(has)
    }
}

/// Whether code of a file may name a definition in `home`: both are of one family of languages.
fn is_of_family(path: &RepoPath, home: &RepoPath) -> bool {
    let family = by_path(home).family();
    family.is_some() && by_path(path).family() == family
}

//! Records that are bound to the places of an answer: counted, and named where that was asked for.
//!
//! One indexed look-up an answer, and none where nothing was ever saved.

use super::super::View;
use super::RecordSubjects;
use super::judge::Judge;
use crate::error::Result;
use crate::lifecycle::verdict::Verdict;
use crate::model::RepoPath;
use crate::store::{RecordKind, RecordStore, SavedRecord};

/// Records that are looked at for one answer.
const MAX_BOUND: usize = 200;

/// A record that is bound to code of this index.
#[derive(Clone, Debug)]
pub struct BoundRecord {
    /// The record.
    pub record: SavedRecord,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Its places now: paths, and lines where it is not about the whole file.
    pub places: Vec<(RepoPath, Option<(u32, u32)>)>,
}

/// The records of an answer that may speak: those of this machine and approved ones that are not stale.
#[derive(Clone, Debug, Default)]
pub struct BoundRecords {
    records: Vec<BoundRecord>,
}

impl BoundRecord {
    fn is_at(&self, path: &str, lines: Option<(u32, u32)>, with_file: bool) -> bool {
        self.places.iter().any(|(own, at)| {
            own.as_str() == path
                && match (at, lines) {
                    (Some(at), Some(lines)) => at.0 <= lines.1 && lines.0 <= at.1,
                    (None, Some(_)) => with_file,
                    (_, None) => true,
                }
        })
    }

    /// Whether it counts as a note: contexts are lists to go on with, marks are words.
    pub fn is_note(&self) -> bool {
        !matches!(self.record.kind, RecordKind::Context | RecordKind::Mark)
    }
}

impl BoundRecords {
    /// Returns how many notes are bound to lines of a file, or with `with_file` to the file as a whole; without lines all of the
    /// file's.
    pub fn count(&self, path: &str, lines: Option<(u32, u32)>, with_file: bool) -> u64 {
        let notes = self.records.iter().filter(|bound| bound.is_note());
        let here = notes.filter(|bound| bound.is_at(path, lines, with_file));
        here.count() as u64
    }

    /// Returns the words that a file, or lines of it, were marked with.
    pub fn marks(&self, path: &str, lines: Option<(u32, u32)>) -> Vec<String> {
        let marks = self.records.iter();
        let marks = marks.filter(|bound| bound.record.kind == RecordKind::Mark);
        let mut words: Vec<String> = marks
            .filter(|bound| {
                let of_file = bound
                    .places
                    .iter()
                    .any(|(own, at)| own.as_str() == path && at.is_none());
                if lines.is_some() {
                    bound.is_at(path, lines, false)
                } else {
                    of_file
                }
            })
            .map(|bound| bound.record.title.clone())
            .collect();
        words.sort();
        words.dedup();
        words
    }

    /// Returns the records at some places, in their order: those that hold before those to be checked, the newest first.
    pub fn at<'a>(
        &'a self,
        places: &'a [(String, Option<(u32, u32)>)],
    ) -> impl Iterator<Item = &'a BoundRecord> {
        let is_here = |bound: &&BoundRecord| {
            let mut places = places.iter();
            places.any(|(path, lines)| bound.is_at(path, *lines, true))
        };
        self.records.iter().filter(is_here)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl View<'_> {
    /// Returns the records that are bound to files or symbols, judged on the work tree. A memory that can't be read is
    /// taken for an empty one: the question is answered all the same, and `codelens doctor` says it.
    ///
    /// # Errors
    /// Those of the index.
    pub fn records_about<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p str>,
        symbols: impl IntoIterator<Item = &'p str>,
    ) -> Result<BoundRecords> {
        let store = match self.existing_records() {
            Ok(Some(store)) => store,
            Ok(None) => return Ok(BoundRecords::default()),
            Err(error) => {
                tracing::warn!(%error, "the saved records are left out");
                return Ok(BoundRecords::default());
            }
        };
        let mut places = RecordSubjects::default();
        for path in paths {
            // A whole file that was moved is known by its bytes.
            if let Some(row) = self.read.file(path)? {
                places.contents.push(row.content.to_string());
            }
            places.paths.push(path.to_owned());
        }
        places
            .symbols
            .extend(symbols.into_iter().map(str::to_owned));
        let bound = self.bound(&store, &places).unwrap_or_else(|error| {
            tracing::warn!(%error, "the saved records are left out");
            Vec::new()
        });
        Ok(BoundRecords { records: bound })
    }

    /// Returns the documents that belong to the repository as a whole.
    ///
    /// # Errors
    /// Those of the index.
    pub fn documents_of_project(&self) -> Result<Vec<BoundRecord>> {
        let Ok(Some(store)) = self.existing_records() else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for record in store.all(Some(RecordKind::Document))? {
            if record.n_items == 0 && record.approved && record.superseded_by.is_none() {
                found.push(BoundRecord {
                    record,
                    verdict: Verdict::Unanchored,
                    places: Vec::new(),
                });
            }
        }
        Ok(found)
    }

    fn bound(&self, store: &RecordStore, places: &RecordSubjects) -> Result<Vec<BoundRecord>> {
        let judge = Judge::new(self, store);
        let mut found = Vec::new();
        for id in store.about(places, MAX_BOUND)? {
            let Some(record) = store.with_id(id)? else {
                continue;
            };
            if record.kind == RecordKind::Context || !judge.is_approved(&record)? {
                continue;
            }
            let (verdict, items) = judge.verdict(&record, &store.items(id)?);
            if verdict == Verdict::Stale {
                continue;
            }
            let places = items
                .into_iter()
                .map(|item| (item.found.path, item.found.lines));
            found.push(BoundRecord {
                places: places.collect(),
                record,
                verdict,
            });
        }
        found.sort_by(|a, b| {
            (a.verdict.cmp(&b.verdict))
                .then(b.record.updated_ms.cmp(&a.record.updated_ms))
                .then(a.record.id.cmp(&b.record.id))
        });
        Ok(found)
    }
}

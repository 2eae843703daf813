//! Memory: saves records about code and finds them again on any branch, each with a verdict on the work tree.

mod bound;
mod documents;
mod items;
mod judge;
mod recall;
mod save;
mod test_runs;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) use documents::has_copy;

pub use bound::{BoundRecord, BoundRecords};
pub use documents::AttachedText;
pub use items::{ItemToSave, Loaded, wanted};
pub use judge::JudgedRecord;
pub use recall::{RecallRequest, Recollections};
pub use save::{DocumentToSave, Quarantined, RecordToSave, SavedOutcome};
pub use test_runs::{FinishedTest, RecordTestRun};

use super::{Question, View, Workspace};
use crate::error::{Code, Error, Result};
use crate::lifecycle::portable;
use crate::model::{Freshness, RecordId, secret};
use crate::reconcile::seed;
use crate::store::memory::{RecordSubjects, WrittenBy};
use crate::store::{RecordKind, RecordStore, RepoHome, SavedItem, SavedRecord, StoreError};

/// The most items of a record.
const MAX_ITEMS: usize = 200;

/// The longest text of a record, in characters.
const MAX_TEXT: usize = 4_000;

/// The longest name, in bytes.
const MAX_NAME: usize = 200;

/// Who makes a call, as records note it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Author<'a> {
    /// A person at a terminal, or a program.
    pub by: WrittenBy,
    /// The program, as it calls itself.
    pub client: Option<&'a str>,
}

impl Workspace {
    /// Returns a context with its items where they are now, judged like any record, how current the index was in which moved
    /// items were looked for, and its generation.
    ///
    /// # Errors
    /// `invalid_argument` for a name that nothing was saved under, with those that there are.
    pub fn load_context<'q>(
        self: &Arc<Self>,
        name: &str,
        question: impl Into<Question<'q>>,
    ) -> Result<(JudgedRecord, Freshness, u64)> {
        let (context, _) = self.saved_record(name, Some(RecordKind::Context))?;
        self.query(question, |view| {
            let judged = view.judged(&context)?;
            if view.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let generation = view.read.meta().generation;
            Ok((judged, view.freshness.clone(), generation))
        })
    }

    /// Returns a record by its name or `uid`, with its items as they were saved. Without a kind, a context goes before others
    /// of the same name.
    ///
    /// # Errors
    /// `invalid_argument` for a name that nothing was saved under, with those that there are.
    pub fn saved_record(
        &self,
        name: &str,
        kind: Option<RecordKind>,
    ) -> Result<(SavedRecord, Vec<SavedItem>)> {
        let Some(store) = self.existing_records()? else {
            return Err(unknown(name, &[]));
        };
        let mut named = store.by_name(name)?.into_iter();
        match named.find(|record| kind.is_none_or(|kind| record.kind == kind)) {
            Some(record) => {
                let items = store.items(record.id)?;
                Ok((record, items))
            }
            None => Err(unknown(name, &store.all(kind)?)),
        }
    }

    /// Returns whether anything was ever saved in the repository.
    pub fn has_records(&self) -> Result<bool> {
        Ok(crate::store::memory::path(&self.repo_home()?).is_file())
    }

    /// Returns how many records of each kind there are, those of none left out; of a memory that can't be read none.
    pub fn record_counts(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        if let Ok(Some(store)) = self.existing_records() {
            for kind in RecordKind::ALL {
                let n = store.count(Some(kind)).unwrap_or_default();
                if n > 0 {
                    counts.insert(kind.as_str(), n);
                }
            }
        }
        counts
    }

    /// Returns whether something was saved under a name or `uid`.
    pub fn has_record(&self, name: &str, kind: RecordKind) -> Result<bool> {
        let Some(store) = self.existing_records()? else {
            return Ok(false);
        };
        let named = store.by_name(name)?;
        Ok(named.iter().any(|record| record.kind == kind))
    }

    /// Returns every record of the repository, or those of a kind: the named ones by name, then by age.
    pub fn saved_records(&self, kind: Option<RecordKind>) -> Result<Vec<SavedRecord>> {
        match self.existing_records()? {
            Some(store) => Ok(store.all(kind)?),
            None => Ok(Vec::new()),
        }
    }

    /// Gives a context another name.
    ///
    /// # Errors
    /// `invalid_argument` where there is none of that name, or the other one is taken.
    pub fn rename_context(&self, from: &str, to: &str) -> Result<()> {
        check_name(to)?;
        let (context, _) = self.saved_record(from, Some(RecordKind::Context))?;
        if !self.records()?.rename(context.id, to)? {
            return Err(Error::invalid(
                format!("`{}` is taken", to.escape_debug()),
                "choose another name, or remove that one with `codelens context remove`",
            ));
        }
        Ok(())
    }

    /// Removes a record.
    ///
    /// # Errors
    /// `invalid_argument` where there is none of that name.
    pub fn remove_record(&self, name: &str, kind: Option<RecordKind>) -> Result<SavedRecord> {
        let (record, _) = self.saved_record(name, kind)?;
        self.records()?.remove(record.id)?;
        Ok(record)
    }

    /// Notes that a person answers for an imported record.
    ///
    /// # Errors
    /// `invalid_argument` where there is none of that name.
    pub fn approve_record(&self, name: &str) -> Result<SavedRecord> {
        let (record, _) = self.saved_record(name, None)?;
        self.records()?.approve(record.id)?;
        Ok(record)
    }

    /// Notes that a record came in the place of another.
    ///
    /// # Errors
    /// `invalid_argument` where there is none of that name, or both are one.
    pub fn supersede_record(&self, old: &str, new: &str) -> Result<()> {
        let (old, _) = self.saved_record(old, None)?;
        let (new, _) = self.saved_record(new, None)?;
        if old.id == new.id || !self.records()?.supersede(old.id, new.id)? {
            return Err(Error::invalid(
                "a record can't come in its own place",
                "name another record with --supersedes",
            ));
        }
        Ok(())
    }

    /// Returns records as text that another repository or machine imports: those of the names, or all of a kind, or all.
    /// Who wrote them, and whether they were approved or verified here, is not in it.
    pub fn export_records(&self, names: &[String], kind: Option<RecordKind>) -> Result<String> {
        let mut chosen = Vec::new();
        if names.is_empty() {
            for record in self.saved_records(kind)? {
                chosen.push(self.saved_record(&record.uid, None)?);
            }
        }
        for name in names {
            chosen.push(self.saved_record(name, kind)?);
        }
        let everyone = self.saved_records(None)?;
        let fixed = |id: RecordId| {
            let failure = everyone.iter().find(|record| record.id == id);
            failure.map(|failure| failure.uid.clone())
        };
        Ok(portable::write(&chosen, fixed))
    }

    /// Imports exported records, all or none. Contexts of the same name are replaced; another record that is here already, and was
    /// not imported before, stays as it is. Imported records are not approved. Returns those that were saved.
    pub fn import_records(&self, text: &str) -> Result<Vec<SavedRecord>> {
        let read = portable::read(text, MAX_ITEMS).map_err(|what| {
            Error::invalid(
                format!("this is no export of records: {what}"),
                "pass what `codelens note export` or `codelens context export` wrote",
            )
        })?;
        for (record, ..) in &read {
            if record.kind == RecordKind::Context || record.name.is_some() {
                check_name(record.name.as_deref().unwrap_or_default())?;
            }
            let text = record.text.as_deref().unwrap_or_default();
            check_secrets(&[text, &record.title])?;
        }
        let mut store = self.records()?;
        let Some(saved) = store.save_imported(&read)? else {
            return Err(full());
        };
        let mut records = Vec::new();
        for id in saved {
            records.extend(store.with_id(id)?);
        }
        Ok(records)
    }

    pub(super) fn existing_records(&self) -> Result<Option<RecordStore>> {
        RecordStore::open_existing(&self.repo_home()?).map_err(store_error)
    }

    pub(super) fn records(&self) -> Result<RecordStore> {
        RecordStore::open(&self.prepared_home()?).map_err(store_error)
    }

    /// Returns the repository's part of the data directory, which need not be there.
    fn repo_home(&self) -> Result<RepoHome> {
        Ok(self.home.repo(&self.repo()?.repo_id()))
    }

    /// Returns the repository's part of the data directory, which is made where it is missing.
    fn prepared_home(&self) -> Result<RepoHome> {
        let repo = self.repo()?;
        let home = self.home.repo(&repo.repo_id());
        seed::prepare(&repo, &home)?;
        Ok(home)
    }
}

/// Turns a fault of the saved records into an error: they are never built anew.
fn store_error(error: StoreError) -> Error {
    let (code, message, hint) = match &error {
        StoreError::Version { found, wanted, .. } => (
            Code::NewerSchema,
            format!("the saved records have version {found}, this version knows {wanted}"),
            "update codelens",
        ),
        // Without its cause, by which damage of the index is known.
        _ if error.is_corrupt() => {
            tracing::warn!(%error, "the saved records can't be read");
            return damaged();
        }
        _ => return error.into(),
    };
    Error::new(code, message, hint).because(error)
}

fn damaged() -> Error {
    Error::new(
        Code::Io,
        "the saved records are damaged",
        "cl_doctor names the file: put a copy in its place, or save again, which moves it aside and begins anew",
    )
}

/// Tells damage of the saved records apart from that of the index, which is built anew.
fn of_records_or_index(error: Error, store: &RecordStore) -> Error {
    let cause = std::error::Error::source(&error).and_then(|it| it.downcast_ref::<StoreError>());
    if cause.is_some_and(StoreError::is_corrupt) && !matches!(store.damage(), Ok(None)) {
        tracing::warn!(%error, "the saved records can't be read");
        return damaged();
    }
    error
}

fn full() -> Error {
    Error::new(
        Code::Refused,
        format!(
            "this repository has {} saved records, the most there may be, and none is superseded",
            crate::store::memory::MAX_RECORDS
        ),
        "`codelens note list` lists them; `codelens note remove ID` makes room",
    )
}

fn check_name(name: &str) -> Result<()> {
    let is_fine = !name.trim().is_empty()
        && name.trim() == name
        && name.len() <= MAX_NAME
        && !name.chars().any(char::is_control);
    if is_fine {
        return Ok(());
    }
    Err(Error::invalid(
        format!(
            "a name has 1 to {MAX_NAME} bytes, no control characters and no spaces at its ends"
        ),
        "choose a short name for what the items are about, for example `login-flow`",
    ))
}

fn check_secrets(texts: &[&str]) -> Result<()> {
    if texts
        .iter()
        .all(|text| secret::find(text.as_bytes()).is_empty())
    {
        return Ok(());
    }
    Err(Error::invalid(
        "a token or a private key is in the text; nothing was saved",
        "take it out, or write its first characters alone",
    ))
}

/// Names of records that an error offers.
const MAX_OFFERED: usize = 20;

/// Returns the error for a name that none of the `known` records has.
fn unknown(name: &str, known: &[SavedRecord]) -> Error {
    // An imported name says nothing unasked, either.
    let names: Vec<String> = known
        .iter()
        .filter(|record| record.approved)
        .map(|record| format!("`{}`", record.name.as_ref().unwrap_or(&record.uid)))
        .collect();
    let hint = if names.is_empty() {
        "no record that could be meant is saved: `codelens note list` lists them all, cl_save (`codelens save NAME …`) saves one"
            .to_owned()
    } else {
        let more = if names.len() > MAX_OFFERED {
            " and others"
        } else {
            ""
        };
        let shown = &names[..names.len().min(MAX_OFFERED)];
        format!("saved are {}{more}", shown.join(", "))
    };
    Error::invalid(
        format!(
            "nothing is saved under the name `{}`",
            crate::workspace::cut_argument(name)
        ),
        hint,
    )
}

impl View<'_> {
    /// Opens the memory for reading; `None` where nothing was ever saved.
    pub(super) fn existing_records(&self) -> Result<Option<RecordStore>> {
        RecordStore::open_existing(&self.home).map_err(store_error)
    }
}

/// Returns the places of items, by which records about the same code are looked up.
fn places_of<'a>(items: impl IntoIterator<Item = &'a SavedItem>) -> RecordSubjects {
    let mut places = RecordSubjects::default();
    for item in items {
        places.paths.push(item.path.clone());
        places
            .symbols
            .extend(item.symbol.as_ref().map(|(name, _)| name.clone()));
    }
    places
}

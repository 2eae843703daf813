//! Saving a record: its form is checked, its code is anchored, and records that say the same are named.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use super::super::disk::Disk;
use super::super::view::why_absent;
use super::super::{Question, Workspace, now_ms};
use super::{
    Author, ItemToSave, MAX_ITEMS, MAX_TEXT, check_name, check_secrets, full, items, places_of,
    store_error, unknown,
};
use crate::error::{Error, Result};
use crate::lifecycle::portable;
use crate::machine;
use crate::model::indexing_rules::is_secret_name;
use crate::model::{RecordId, RepoPath, SkipReason};
use crate::search::recall::RecallQuery;
use crate::store::memory::{self, DocumentLink, DocumentLocation, NamedTest};
use crate::store::token::words;
use crate::store::{RecordKind, RecordStore, RepoHome, SavedItem, SavedRecord, StoreError};

/// The longest title, in characters.
const MAX_TITLE: usize = 120;

/// The longest command of a test, in characters.
const MAX_COMMAND: usize = 500;

/// The longest address, relation or locator, in bytes.
const MAX_ADDRESS: usize = 2_000;

/// The longest word of a mark, in characters.
const MAX_MARK: usize = 40;

/// Records that are named because they say the same.
const MAX_SIMILAR: usize = 3;

/// The share of words that two texts have in common where they say the same.
const ALIKE: f64 = 0.4;

/// The share of a failure that another one holds where both are the same.
const SAME_FAILURE: f64 = 0.8;

/// A record to save.
#[derive(Clone, Debug)]
pub struct RecordToSave<'a> {
    /// Its kind.
    pub kind: RecordKind,
    /// Its name; one of the same kind and name is replaced.
    pub name: Option<&'a str>,
    /// Its text.
    pub notes: Option<&'a str>,
    /// The code that it is about.
    pub items: &'a [ItemToSave],
    /// The name or `uid` of the failure that it repairs.
    pub fixes: Option<&'a str>,
    /// The test that shows it.
    pub test: Option<NamedTest>,
    /// The document that it is about.
    pub document: Option<DocumentToSave>,
    /// Whether its index is kept.
    pub pinned: bool,
    /// Who saves it.
    pub author: Author<'a>,
}

/// A document to save a link to.
#[derive(Clone, Debug)]
pub struct DocumentToSave {
    /// Where it is.
    pub place: DocumentLocation,
    /// Its title.
    pub title: Option<String>,
    /// Its relation to the code.
    pub relation: Option<String>,
    /// The place in it.
    pub locator: Option<String>,
}

/// A record that was saved.
#[derive(Clone, Debug)]
pub struct SavedOutcome {
    /// The record.
    pub record: SavedRecord,
    /// Records about the same code that say much the same.
    pub similar: Vec<SavedRecord>,
    /// The damaged file that was moved aside, where there was one.
    pub quarantined: Option<Quarantined>,
}

/// A damaged file of records that was moved aside, in the repository's part of the data directory.
#[derive(Clone, Debug)]
pub struct Quarantined {
    /// Its name now.
    pub name: String,
    /// Records that could be read; an export of them lies beside it, under its name and `.json`.
    pub n_readable: usize,
}

impl Workspace {
    /// Saves a record, all of it or nothing. A damaged memory is moved aside and begun anew.
    ///
    /// # Errors
    /// `unknown_handle`, `path_not_found`, `outside_repo` or `not_indexed` for an invalid item; `invalid_argument` for
    /// a record whose fields don't fit its kind, are too long, or hold a token; `refused` where the memory is full.
    pub fn save_record<'q>(
        self: &Arc<Self>,
        wanted: &RecordToSave<'_>,
        question: impl Into<Question<'q>>,
    ) -> Result<SavedOutcome> {
        check(wanted)?;
        let (mut record, items) = self.query(question, |view| {
            let disk = Disk::of(view);
            if let Some(DocumentLocation::Path(path)) = document_place(wanted) {
                let path = RepoPath::new(path).ok_or_else(|| super::super::outside(path))?;
                if is_secret_name(&path) {
                    return Err(view.left_out(&path, SkipReason::Secret));
                }
                if !matches!(view.repo.source().stat(&path), Ok(Some(_))) {
                    return Err(why_absent(view.repo, &path));
                }
            }
            let items = wanted
                .items
                .iter()
                .map(|wanted| items::saved(view, &disk, wanted))
                .collect::<Result<Vec<_>>>()?;
            let snapshot = view.repo.snapshot()?;
            let mut record = of_request(wanted);
            view.index_id.clone_into(&mut record.index_id);
            record.branch = snapshot.branch.name().map(str::to_owned);
            record.tree = snapshot
                .head
                .as_ref()
                .and_then(|head| view.repo.root_tree(head));
            record.head_sha = snapshot.head.as_ref().map(ToString::to_string);
            Ok((record, items))
        })?;
        let home = self.prepared_home()?;
        let mut quarantined = None;
        loop {
            let saved = RecordStore::open(&home).and_then(|mut store| {
                // A page that this save does not meet would be lost to every reader.
                store.check()?;
                // A failure that can't be found is told after the damage.
                let saved = match wanted.fixes.map(|name| failure(&store, name)).transpose() {
                    Ok(fixes) => {
                        record.fixes = fixes;
                        store.save(&record, &items)?.ok_or_else(full)
                    }
                    Err(error) => Err(error),
                };
                Ok((store, saved))
            });
            match saved {
                Ok((store, saved)) => {
                    let record = saved?;
                    let similar = similar(&store, &record, &items)?;
                    return Ok(SavedOutcome {
                        record,
                        similar,
                        quarantined,
                    });
                }
                Err(error) if error.is_corrupt() && quarantined.is_none() => {
                    quarantined = Some(quarantine(&home, error)?);
                }
                Err(error) => return Err(store_error(error)),
            }
        }
    }
}

/// Moves damaged records aside, with an export of those that can be read.
fn quarantine(home: &RepoHome, error: StoreError) -> Result<Quarantined> {
    let Ok(name) = RecordStore::quarantine(home, now_ms()) else {
        return Err(store_error(error));
    };
    tracing::warn!(file = %name, "the saved records were damaged and are kept under another name");
    let readable = memory::readable(&home.dir().join(&name));
    // An import takes all or nothing: a record whose own row was damaged would spoil the rest.
    let is_whole = |it: &(SavedRecord, Vec<SavedItem>)| {
        let text = portable::write(std::slice::from_ref(it), |_| None);
        portable::read(&text, MAX_ITEMS).is_ok()
    };
    let readable: Vec<_> = readable.into_iter().filter(is_whole).collect();
    let mut n_readable = readable.len();
    if n_readable > 0 {
        let fixed = |id| {
            let failure = readable.iter().find(|(record, _)| record.id == id);
            failure.map(|(failure, _)| failure.uid.clone())
        };
        let text = portable::write(&readable, fixed);
        let path = home.dir().join(format!("{name}.json"));
        if let Err(error) = write_private(&path, &text) {
            tracing::warn!(%error, "the records that could be read were not exported");
            n_readable = 0;
        }
    }
    Ok(Quarantined { name, n_readable })
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    machine::create_private(path)?.write_all(text.as_bytes())
}

fn document_place<'a>(wanted: &'a RecordToSave<'_>) -> Option<&'a DocumentLocation> {
    wanted.document.as_ref().map(|document| &document.place)
}

fn failure(store: &RecordStore, name: &str) -> Result<RecordId> {
    let named = store.by_name(name)?;
    let failure = named.iter().find(|it| it.kind == RecordKind::Failure);
    if let Some(failure) = failure {
        return Ok(failure.id);
    }
    if let Some(other) = named.first() {
        return Err(Error::invalid(
            format!("`fixes` names a {}, and no failure", other.kind.as_str()),
            "save the failure first (`kind: \"failure\"`), then pass its `id`",
        ));
    }
    Err(unknown(name, &store.all(Some(RecordKind::Failure))?))
}

/// Checks the fields of a record against its kind.
fn check(wanted: &RecordToSave<'_>) -> Result<()> {
    let kind = wanted.kind;
    let invalid = |message: String, hint: &str| Err(Error::invalid(message, hint));
    match wanted.name {
        Some(name) => check_name(name)?,
        None if kind == RecordKind::Context => {
            return invalid(
                "a context needs a `name`".to_owned(),
                "pass the `name` to load it by, or another `kind`, for example \"note\"",
            );
        }
        None => {}
    }
    let notes = wanted.notes.unwrap_or_default();
    if notes.chars().nth(MAX_TEXT).is_some() {
        return invalid(
            format!("`notes` is longer than {MAX_TEXT} characters"),
            "shorten it, or save it as a file and save that file's path",
        );
    }
    if wanted.items.len() > MAX_ITEMS {
        return invalid(
            format!(
                "{} items are more than the {MAX_ITEMS} that a record may have",
                wanted.items.len()
            ),
            "save them under several names",
        );
    }
    let word = kind.as_str();
    let has_notes = !notes.trim().is_empty();
    let has_items = !wanted.items.is_empty();
    let foreign = [
        (wanted.fixes.is_some() && kind != RecordKind::Fix, "fixes"),
        (
            wanted.document.is_some() && kind != RecordKind::Document,
            "document",
        ),
        (
            wanted.test.is_some() && matches!(kind, RecordKind::Mark | RecordKind::Document),
            "test",
        ),
    ];
    if let Some((_, field)) = foreign.iter().find(|(is_foreign, _)| *is_foreign) {
        return invalid(
            format!("a {word} has no `{field}`"),
            "leave it out, or pass the `kind` that has it",
        );
    }
    match kind {
        RecordKind::Context if !has_notes && !has_items => {
            return invalid(
                "there is nothing to save".to_owned(),
                "pass `items`, `notes`, or both",
            );
        }
        RecordKind::Note | RecordKind::Mark if !has_items => {
            return invalid(
                format!("a {word} is about code: it needs `items`"),
                "pass the handles or paths that it is about",
            );
        }
        RecordKind::Note | RecordKind::Failure | RecordKind::Fix if !has_notes => {
            return invalid(
                format!("a {word} needs `notes`"),
                "say in a few lines what was found; of a failure the message, and what was tried",
            );
        }
        RecordKind::Mark
            if !has_notes
                || notes.trim().contains(char::is_whitespace)
                || notes.chars().nth(MAX_MARK).is_some() =>
        {
            return invalid(
                "a mark is one word, and this is none or several".to_owned(),
                "pass one word of at most 40 characters, for example `generated`",
            );
        }
        RecordKind::Document if wanted.document.is_none() => {
            return invalid(
                "it is not said where the document is".to_owned(),
                "pass a file of the repository (`document: PATH`), or an https address (`url`)",
            );
        }
        _ => {}
    }
    check_test_and_document(wanted)
}

fn check_test_and_document(wanted: &RecordToSave<'_>) -> Result<()> {
    let command = wanted
        .test
        .as_ref()
        .map_or("", |test| test.command.as_str());
    if command.chars().nth(MAX_COMMAND).is_some() {
        return Err(Error::invalid(
            format!("the command of `test` is longer than {MAX_COMMAND} characters"),
            "name the script or the one test",
        ));
    }
    if wanted.test.is_some() && command.trim().is_empty() {
        return Err(Error::invalid(
            "`test` has no `command`",
            "pass the command that shows it, for example `npm test -- login`",
        ));
    }
    let mut texts = vec![
        wanted.notes.unwrap_or_default(),
        wanted.name.unwrap_or_default(),
        command,
    ];
    if let Some(document) = &wanted.document {
        if let DocumentLocation::Address(address) = &document.place {
            check_address(address)?;
        }
        let more = [&document.title, &document.relation, &document.locator];
        let more = more.into_iter().flatten();
        for text in more {
            if text.len() > MAX_ADDRESS || text.chars().any(char::is_control) {
                return Err(Error::invalid(
                    "a field of `document` is too long, or has control characters",
                    "`title`, `relation` and `locator` are short words",
                ));
            }
            texts.push(text);
        }
        match &document.place {
            DocumentLocation::Address(text)
            | DocumentLocation::Path(text)
            | DocumentLocation::Copy(_, text) => texts.push(text),
        }
    }
    check_secrets(&texts)
}

fn check_address(address: &str) -> Result<()> {
    let host = address.strip_prefix("https://").unwrap_or_default();
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    let is_fine = host.starts_with(|c: char| c.is_alphanumeric() || c == '[')
        && address.len() <= MAX_ADDRESS
        && address.chars().all(is_plain)
        && !host.split('/').next().unwrap_or_default().contains('@');
    if is_fine {
        return Ok(());
    }
    Err(Error::invalid(
        "`url` is no https address",
        "pass an address that begins with https:// and holds no user name, or a file of the repository: `document: {\"path\": \"docs/spec.md\"}`",
    ))
}

fn of_request(wanted: &RecordToSave<'_>) -> SavedRecord {
    let mut record = SavedRecord::new(wanted.kind, now_ms());
    record.name = wanted.name.map(str::to_owned);
    record.text = wanted
        .notes
        .filter(|notes| !notes.is_empty())
        .map(str::to_owned);
    let document = wanted.document.as_ref();
    let first = wanted.notes.and_then(|notes| {
        let mut lines = notes.lines().map(str::trim);
        lines.find(|line| !line.is_empty())
    });
    let of_document = document.map(|document| match (&document.title, &document.place) {
        (Some(title), _) => title.as_str(),
        (None, DocumentLocation::Path(path)) => path.rsplit('/').next().unwrap_or(path),
        (None, DocumentLocation::Address(text) | DocumentLocation::Copy(_, text)) => text,
    });
    let title = match wanted.kind {
        RecordKind::Context => wanted.name,
        _ => of_document.or(first),
    };
    record.title = short(title.or(wanted.name).unwrap_or_default());
    record.by = wanted.author.by;
    record.client = wanted.author.client.map(short);
    record.test.clone_from(&wanted.test);
    record.document = document.map(|document| DocumentLink {
        place: document.place.clone(),
        relation: document.relation.clone(),
        locator: document.locator.clone(),
    });
    record.pinned = wanted.pinned;
    record
}

fn short(text: &str) -> String {
    text.chars().take(MAX_TITLE).collect()
}

/// Returns records of the same kind about the same code whose words are much the same; of a failure those that hold most of it.
fn similar(
    store: &RecordStore,
    record: &SavedRecord,
    items: &[SavedItem],
) -> Result<Vec<SavedRecord>> {
    let own = words_of(record);
    let mut ids: Vec<RecordId> = Vec::new();
    if !items.is_empty() {
        let handles: BTreeSet<&str> = items.iter().map(|item| item.handle.as_str()).collect();
        for id in store.about(&places_of(items), 100)? {
            let others = store.items(id)?;
            if others
                .iter()
                .any(|item| handles.contains(item.handle.as_str()))
            {
                ids.push(id);
            }
        }
    }
    let mut failures = Vec::new();
    if record.kind == RecordKind::Failure {
        let query = RecallQuery::parse(record.text.as_deref().unwrap_or_default());
        let n_records = store.count(None)?;
        let (found, _) = query.recall(n_records, 20, |word| store.holding(word))?;
        let same = found.iter().filter(|it| it.score >= SAME_FAILURE);
        failures.extend(same.map(|it| it.id));
    }
    let mut found = Vec::new();
    for id in failures.iter().chain(&ids) {
        let Some(other) = store.with_id(*id)? else {
            continue;
        };
        let is_known = found.iter().any(|known: &SavedRecord| known.id == other.id);
        let is_alike = || failures.contains(id) || likeness(&own, &words_of(&other)) >= ALIKE;
        // Nobody asked for what others wrote.
        let is_own = other.approved && other.kind == record.kind && other.id != record.id;
        if is_own && !is_known && is_alike() {
            found.push(other);
        }
        if found.len() == MAX_SIMILAR {
            break;
        }
    }
    Ok(found)
}

fn words_of(record: &SavedRecord) -> BTreeSet<String> {
    let text = format!(
        "{} {}",
        record.title,
        record.text.as_deref().unwrap_or_default()
    );
    let words = words(&text).into_iter();
    words.map(|word| word.norm).collect()
}

/// Returns the share of the shorter text's words that the longer one has.
fn likeness(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let fewer = a.len().min(b.len()).max(1);
    #[expect(clippy::cast_precision_loss, reason = "some hundred words")]
    let share = a.intersection(b).count() as f64 / fewer as f64;
    share
}

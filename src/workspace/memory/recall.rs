//! Finding records again: by name, by the code that they are about, by words, by kind.

use std::sync::Arc;

use super::super::names::{dotted, is_named};
use super::super::{Question, View, Workspace, main_dir};
use super::judge::{Judge, JudgedRecord};
use super::{ItemToSave, items, of_records_or_index, unknown};
use crate::error::{Error, Result};
use crate::lifecycle::verdict::Verdict;
use crate::model::sanitize::one_line;
use crate::model::{Freshness, RecordId, RepoPath};
use crate::search::recall::{RecallQuery, Recalled};
use crate::store::memory::RecordSubjects;
use crate::store::{RecordKind, RecordStore, RepoHome, SavedRecord, SymbolRow};

/// Records that are judged for one answer.
const MAX_JUDGED: usize = 200;

/// Records of other clones that are offered, and clones that are looked into.
const MAX_OFFERED: usize = 5;
const MAX_CLONES: usize = 8;

/// A question for records; at least one field is set.
#[derive(Clone, Debug, Default)]
pub struct RecallRequest<'a> {
    /// A name or `uid`.
    pub name: Option<&'a str>,
    /// Code that they are about; a path may be a directory.
    pub about: Option<ItemToSave>,
    /// Words that they hold.
    pub query: Option<&'a str>,
    /// Their kind.
    pub kind: Option<RecordKind>,
    /// How many at most.
    pub limit: usize,
}

/// The records that were found.
#[derive(Clone, Debug)]
pub struct Recollections {
    /// The first of them, a fix behind its failure.
    pub records: Vec<JudgedRecord>,
    /// How many there are.
    pub total: u64,
    /// Records of other clones of the repository that may help, each with the name of its clone. They are not this
    /// repository's: nothing says them unasked, and they are not counted.
    pub offered: Vec<(String, JudgedRecord)>,
    /// Whether none was found for a name that no file, directory or definition has.
    pub is_about_nothing: bool,
    /// How current the index was in which moved items were looked for.
    pub freshness: Freshness,
    /// Its generation.
    pub generation: u64,
}

/// The code that records are looked for around.
struct Vicinity {
    path: RepoPath,
    symbol: Option<String>,
    /// The definitions of the file, and its bytes: a record may know it by another path.
    names: Vec<String>,
    content: Option<String>,
}

impl Workspace {
    /// Returns records by what is known of them, each judged on the work tree. Stale ones are among them where they are
    /// asked for by name, or nothing else is found.
    ///
    /// # Errors
    /// `invalid_argument` for a name that nothing was saved under, `unknown_handle` for `about`.
    pub fn recall<'q>(
        self: &Arc<Self>,
        request: &RecallRequest<'_>,
        question: impl Into<Question<'q>>,
    ) -> Result<Recollections> {
        self.query(question, |view| {
            let own = view.existing_records()?;
            let found = match (&own, request.name) {
                (Some(store), _) => {
                    find(view, store, request).map_err(|error| of_records_or_index(error, store))
                }
                (None, Some(name)) => Err(unknown(name, &[])),
                (None, None) => Ok((Vec::new(), 0)),
            };
            let n_found = found.as_ref().map_or(0, |(records, _)| records.len());
            let offered = offered(view, own.as_ref(), request, request.limit - n_found)?;
            let found = match found {
                Err(_) if !offered.is_empty() => (Vec::new(), 0),
                found => found?,
            };
            if view.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let is_empty = found.0.is_empty() && offered.is_empty();
            Ok(Recollections {
                is_about_nothing: is_empty && names_nothing(view, request.about.as_ref())?,
                records: found.0,
                total: found.1,
                offered,
                freshness: view.freshness.clone(),
                generation: view.read.meta().generation,
            })
        })
    }
}

/// Returns the records of other clones of the repository that answer a question by words or place, at most `n`, or the one of an
/// `uid`. Those that do not hold here are left out, and so are those that were imported there.
fn offered(
    view: &View<'_>,
    own: Option<&RecordStore>,
    request: &RecallRequest<'_>,
    n: usize,
) -> Result<Vec<(String, JudgedRecord)>> {
    let is_by_uid = request.name.is_some_and(|name| name.starts_with("mem_"));
    let asks = is_by_uid || request.query.is_some() || request.about.is_some();
    let n = n.min(MAX_OFFERED);
    let mut offered: Vec<(String, JudgedRecord)> = Vec::new();
    if !asks || n == 0 || (request.name.is_some() && !is_by_uid) {
        return Ok(offered);
    }
    for home in view.home.clones().into_iter().take(MAX_CLONES) {
        // A clone whose memory can't be read has nothing to offer.
        let Ok(Some(store)) = RecordStore::open_existing(&home) else {
            continue;
        };
        let Ok((found, _)) = find(view, &store, request) else {
            continue;
        };
        let from = clone_name(&home);
        for record in found {
            let uid = record.record.uid.as_str();
            let is_known = match own {
                Some(own) => !own.by_name(uid)?.is_empty(),
                None => false,
            };
            let is_twice = offered.iter().any(|(_, it)| it.record.uid == uid);
            let is_stale = record.verdict == Verdict::Stale && !is_by_uid;
            if record.approved && !is_known && !is_twice && !is_stale {
                offered.push((from.clone(), record));
            }
        }
    }
    offered.sort_by_key(|(_, record)| record.verdict);
    offered.truncate(n);
    Ok(offered)
}

/// Returns the name of a clone's directory.
fn clone_name(home: &RepoHome) -> String {
    let common_dir = home.common_dir().unwrap_or_default();
    let place = main_dir(&common_dir);
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    one_line(&name).into_owned()
}

fn find(
    view: &View<'_>,
    store: &RecordStore,
    request: &RecallRequest<'_>,
) -> Result<(Vec<JudgedRecord>, u64)> {
    let vicinity = match &request.about {
        Some(about) => Some(vicinity(view, about)?),
        None => None,
    };
    let (candidates, n_more) = candidates(store, request, vicinity.as_ref())?;
    let judge = Judge::new(view, store);
    let mut judged: Vec<(usize, JudgedRecord)> = Vec::new();
    for (record, recalled) in candidates {
        let words = recalled.as_ref().map_or(&[][..], |it| &it.words);
        let mut found = judge.judge(&record, words)?;
        found.score = recalled.as_ref().map(|it| it.score);
        let distance = match &vicinity {
            None => 0,
            // Its code may be elsewhere now.
            Some(vicinity) => match distance(&found, vicinity) {
                Some(distance) => distance,
                None => continue,
            },
        };
        judged.push((distance, found));
    }
    let is_stale = |it: &(usize, JudgedRecord)| it.1.verdict == Verdict::Stale;
    let mut total = judged.len() as u64 + n_more;
    if request.name.is_none() && !judged.iter().all(is_stale) {
        let n_judged = judged.len();
        judged.retain(|it| !is_stale(it));
        total -= (n_judged - judged.len()) as u64;
    }
    judged.sort_by(|(near_a, a), (near_b, b)| {
        let score = |it: &JudgedRecord| it.score.unwrap_or_default();
        (a.verdict.cmp(&b.verdict))
            .then(score(b).total_cmp(&score(a)))
            .then(near_a.cmp(near_b))
            .then(b.record.updated_ms.cmp(&a.record.updated_ms))
            .then(a.record.id.cmp(&b.record.id))
    });
    let judged = judged.into_iter().map(|(_, found)| found).collect();
    Ok((with_fixes(&judge, judged, request.limit)?, total))
}

/// Returns the first records, the newest fix of each failure right behind it.
fn with_fixes(
    judge: &Judge<'_>,
    judged: Vec<JudgedRecord>,
    limit: usize,
) -> Result<Vec<JudgedRecord>> {
    let mut listed: Vec<JudgedRecord> = Vec::new();
    let mut rest: Vec<JudgedRecord> = judged;
    while listed.len() < limit && !rest.is_empty() {
        let next = rest.remove(0);
        let fix = next.fixed_by.first().cloned();
        listed.push(next);
        let Some(fix) = fix.filter(|_| listed.len() < limit) else {
            continue;
        };
        let is_fix = |it: &JudgedRecord| it.record.id == fix.id;
        if let Some(at) = rest.iter().position(is_fix) {
            listed.push(rest.remove(at));
        } else if !listed.iter().any(is_fix) {
            listed.push(judge.judge(&fix, &[])?);
        }
    }
    Ok(listed)
}

/// A record, with the way it was found by words.
type RecordByWords = (SavedRecord, Option<Recalled>);

/// Returns the records that may be meant, the likeliest first, with the way each was found by words, and how many more there
/// are.
fn candidates(
    store: &RecordStore,
    request: &RecallRequest<'_>,
    vicinity: Option<&Vicinity>,
) -> Result<(Vec<RecordByWords>, u64)> {
    let is_of_kind = |record: &SavedRecord| request.kind.is_none_or(|kind| record.kind == kind);
    if let Some(name) = request.name {
        let mut named = store.by_name(name)?;
        named.retain(is_of_kind);
        if named.is_empty() {
            return Err(unknown(name, &store.all(request.kind)?));
        }
        return Ok((named.into_iter().map(|record| (record, None)).collect(), 0));
    }
    let nearby = vicinity.map(|vicinity| near(store, vicinity)).transpose()?;
    let mut found = Vec::new();
    if let Some(text) = request.query {
        let query = RecallQuery::parse(text);
        let n_records = store.count(None)?;
        let (recalled, _) = query.recall(n_records, usize::MAX, |word| store.holding(word))?;
        for recalled in recalled {
            let is_near = nearby.as_ref().is_none_or(|ids| ids.contains(&recalled.id));
            if let Some(record) = store.with_id(recalled.id)?.filter(is_of_kind)
                && is_near
            {
                found.push((record, Some(recalled)));
            }
        }
    } else if let Some(ids) = nearby {
        for id in ids {
            found.extend(store.with_id(id)?.filter(is_of_kind).map(|it| (it, None)));
        }
    } else {
        let mut all = store.all(request.kind)?;
        all.sort_by(|a, b| b.updated_ms.cmp(&a.updated_ms).then(a.id.cmp(&b.id)));
        found.extend(all.into_iter().map(|record| (record, None)));
    }
    let n_more = found.len().saturating_sub(MAX_JUDGED) as u64;
    found.truncate(MAX_JUDGED);
    Ok((found, n_more))
}

fn near(store: &RecordStore, vicinity: &Vicinity) -> Result<Vec<RecordId>> {
    let places = RecordSubjects {
        paths: vec![vicinity.path.to_string()],
        symbols: vicinity
            .symbol
            .iter()
            .chain(&vicinity.names)
            .cloned()
            .collect(),
        contents: vicinity.content.iter().cloned().collect(),
    };
    let mut ids = store.about(&places, MAX_JUDGED)?;
    let directory = directory(vicinity.path.as_str());
    for below in [vicinity.path.as_str(), directory] {
        if !below.is_empty() {
            ids.extend(store.below(below, MAX_JUDGED)?);
        }
    }
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(*id));
    Ok(ids)
}

fn vicinity(view: &View<'_>, about: &ItemToSave) -> Result<Vicinity> {
    let of = |path: RepoPath, symbol: Option<String>| -> Result<Vicinity> {
        let row = view.read.file(path.as_str())?;
        let names = match &row {
            Some(row) => view.read.symbols_of(row.id)?,
            None => Vec::new(),
        };
        Ok(Vicinity {
            path,
            symbol,
            names: names.into_iter().map(|it| it.qualified_name).collect(),
            content: row.map(|row| row.content.to_string()),
        })
    };
    match about {
        ItemToSave::File(path) => match definition_named(view, path)? {
            Some(named) => of(named.path, Some(named.qualified_name)),
            None => of(path.clone(), None),
        },
        ItemToSave::Code(handle) => {
            let Some((path, symbol)) = items::place_of(view, *handle)? else {
                return Err(items::unknown_handle(
                    *handle,
                    "search again, or pass the path of its file",
                ));
            };
            of(path, symbol)
        }
    }
}

/// Whether neither a file, a directory nor a definition has the name that records are looked for by.
fn names_nothing(view: &View<'_>, about: Option<&ItemToSave>) -> Result<bool> {
    let Some(ItemToSave::File(path)) = about else {
        return Ok(false);
    };
    let below = view.read.files_under(path.as_str())?;
    if below.iter().next().is_some() || view.read.has_file(path.as_str())? {
        return Ok(false);
    }
    let wanted = dotted(path.as_str());
    let named = view.symbols_like(&wanted)?;
    Ok(!named.iter().any(|it| is_named(it, &wanted)))
}

/// Returns the definition that a word names where it is no path: `Jsoup.connect`; `None` where nothing has the name.
///
/// # Errors
/// `invalid_argument` where several definitions have it.
fn definition_named(view: &View<'_>, word: &RepoPath) -> Result<Option<SymbolRow>> {
    let is_there = view.read.has_file(word.as_str())?
        || view
            .read
            .files_under(word.as_str())?
            .iter()
            .next()
            .is_some();
    if word.as_str().contains('/') || is_there {
        return Ok(None);
    }
    let wanted = dotted(word.as_str());
    let mut named = view.symbols_like(&wanted)?;
    named.retain(|it| is_named(it, &wanted));
    named.dedup_by(|a, b| (&a.path, &a.qualified_name) == (&b.path, &b.qualified_name));
    if named.len() > 1 {
        let places: Vec<String> = named
            .iter()
            .take(5)
            .map(|it| format!("{} ({})", it.handle, it.path))
            .collect();
        return Err(Error::invalid(
            format!("{} definitions are named `{word}`", named.len()),
            format!("pass the handle of one: {}", places.join(", ")),
        ));
    }
    Ok(named.pop())
}

/// Returns how far a record's code is: 0 for the same symbol, 1 for the file or directory itself, 2 for the same directory;
/// `None` for code that is elsewhere.
fn distance(found: &JudgedRecord, vicinity: &Vicinity) -> Option<usize> {
    let path = vicinity.path.as_str();
    let of_item = |item: &super::Loaded| {
        let own = item.found.path.as_str();
        let is_symbol = vicinity.symbol.is_some() && item.found.symbol == vicinity.symbol;
        let is_below = own
            .strip_prefix(path)
            .is_some_and(|rest| rest.starts_with('/'));
        if own == path && is_symbol {
            Some(0)
        } else if own == path || is_below {
            Some(1)
        } else if directory(own) == directory(path) {
            Some(2)
        } else {
            None
        }
    };
    found.items.iter().filter_map(of_item).min()
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

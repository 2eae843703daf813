//! The lists of an answer about changes: files, definitions, broken uses.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::gather::Gathered;
use super::reach::ChangesReach;
use super::{AnswerPart, ChangesQuestion};
use crate::error::Result;
use crate::model::sanitize::one_line;
use crate::model::{Handle, HandleKind, RepoPath, Symbol, handles};
use crate::tools::answer::Cursor;
use crate::tools::impact::{are, count};
use crate::uses::{BrokenReason, BrokenUse, ChangeKind, ChangedFile, Difference, SymbolChange};
use crate::workspace::{DifferingFile, View, n_changed_lines};

/// Bytes of a definition's text.
const MAX_SOURCE_BYTES: usize = 2_000;

/// Pairs of files that are compared to find renamed ones.
const MAX_PAIRS: usize = 10_000;

/// The share of lines that a renamed file keeps, in percent.
const MIN_ALIKE_PERCENT: usize = 60;

/// A file that differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComparedFileOutput {
    pub(crate) path: String,
    /// Where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    /// added, modified, deleted or renamed.
    pub(crate) status: &'static str,
    /// Lines; absent for binary files, and where the mode, the line ends or the target of a symbolic link differ alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) added: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted: Option<u32>,
}

/// A definition that differs.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeOutput {
    /// That of the base for a removed definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) handle: Option<String>,
    pub(crate) path: String,
    pub(crate) symbol: String,
    /// `reexport` for a name that is passed on from another module.
    pub(crate) kind: &'static str,
    /// added, removed, moved, renamed, signature or body.
    pub(crate) change: &'static str,
    pub(crate) exported: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    pub(crate) from: Option<FromOutput>,
    pub(crate) line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    /// Users at the head: definitions, and files outside of them, each once; of a removed one those left. Absent where outlined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) callers: Option<u64>,
    /// Test files that reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
}

/// A definition as it was.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FromOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    /// Where that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exported: Option<bool>,
    /// For moved and renamed: same content, or the share of tokens that both have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<String>,
}

/// A use that the changes break.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrokenOutput {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) text: String,
    /// The definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    pub(crate) uses: UsedOutput,
    pub(crate) provenance: &'static str,
    /// Further lines of this file that the import leaves without a meaning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<u32>,
}

/// The definition that a broken use means.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UsedOutput {
    pub(crate) path: String,
    /// Empty for a module as a whole.
    pub(crate) symbol: String,
    /// removed, renamed, moved, unexported, signature.
    pub(crate) change: &'static str,
    /// Where it is now, or how the use disagrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<String>,
}

/// An entry of the list of changes.
#[derive(Clone, Debug)]
pub(super) struct ChangeEntry {
    class: u32,
    path: RepoPath,
    line: u32,
    what: ChangeRef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeRef {
    /// An index into the changes of the difference.
    Symbol(usize),
    /// An index into its re-exports.
    ReExport(usize),
}

impl ChangeEntry {
    /// Returns the key that pages go by.
    pub(super) fn key(&self) -> (u32, &RepoPath, u32) {
        (self.class, &self.path, self.line)
    }

    /// Returns the cursor behind the entry.
    pub(super) fn cursor(&self) -> Cursor {
        Cursor {
            score: self.class,
            path: self.path.to_string(),
            line: self.line,
        }
    }

    /// Returns the change of a definition.
    pub(super) fn change(&self) -> Option<usize> {
        match self.what {
            ChangeRef::Symbol(at) => Some(at),
            ChangeRef::ReExport(_) => None,
        }
    }
}

/// The changes in the order in which they are listed.
pub(super) struct ListedChanges {
    pub(super) all: Vec<ChangeEntry>,
    counts: BTreeMap<&'static str, u64>,
    /// Names that files pass on from others: those that came, and those that went.
    n_re_exports: (u64, u64),
    n_files: u64,
}

impl ListedChanges {
    /// Orders the changes: what other modules see first, then the rest, then bodies alone, tests last; each by path and line.
    #[expect(clippy::unnecessary_wraps, reason = "reads best as it is")]
    pub(super) fn of(
        view: &View<'_>,
        asked: &ChangesQuestion<'_>,
        gathered: &Gathered,
    ) -> Result<Self> {
        let difference = &gathered.difference;
        let mut all = Vec::new();
        let mut counts = BTreeMap::new();
        let elsewhere = difference.declared_elsewhere();
        for (at, change) in difference.changes.iter().enumerate() {
            if elsewhere.contains(&at) {
                continue;
            }
            let new = difference.new_of(change);
            let Some((file, symbol)) = new.or_else(|| difference.old(change)) else {
                continue;
            };
            let old_path = difference.old(change).map(|(file, _)| file.path.as_str());
            let is_wanted = asked.is_wanted(file.path.as_str())
                || old_path.is_some_and(|path| asked.is_wanted(path));
            let is_listed = change.kind != ChangeKind::Body || asked.has(AnswerPart::Body);
            if !is_wanted {
                continue;
            }
            *counts.entry(word(change.kind)).or_default() += 1;
            if !is_listed {
                continue;
            }
            let is_exported = symbol.exported || change.kind == ChangeKind::Unexported;
            let class = match change.kind {
                _ if view.roles.of(&file.path).is_of_tests() => 3,
                ChangeKind::Body => 2,
                _ if is_exported => 0,
                _ => 1,
            };
            all.push(ChangeEntry {
                class,
                path: file.path.clone(),
                line: symbol.name_line,
                what: ChangeRef::Symbol(at),
            });
        }
        let mut n_re_exports = (0, 0);
        for (at, export) in difference.re_exports.iter().enumerate() {
            let path = &difference.files[export.file].path;
            if asked.is_wanted(path.as_str()) {
                n_re_exports.0 += u64::from(export.is_added);
                n_re_exports.1 += u64::from(!export.is_added);
                all.push(ChangeEntry {
                    class: 0,
                    path: path.clone(),
                    line: export.line,
                    what: ChangeRef::ReExport(at),
                });
            }
        }
        all.sort_by(|a, b| a.key().cmp(&b.key()));
        let files = asked.comparison.files.iter();
        let listed = asked.comparison.listed.iter().map(|it| &it.path);
        let n_files = files
            .map(|file| &file.path)
            .chain(listed)
            .filter(|path| asked.is_wanted(path.as_str()))
            .count();
        Ok(Self {
            all,
            counts,
            n_re_exports,
            n_files: n_files as u64,
        })
    }

    /// Returns the entries behind a cursor.
    pub(super) fn after(&self, cursor: Option<&Cursor>) -> Vec<&ChangeEntry> {
        let is_behind = |entry: &&ChangeEntry| {
            cursor.is_none_or(|last| {
                let key = (entry.class, entry.path.as_str(), entry.line);
                key > (last.score, last.path.as_str(), last.line)
            })
        };
        self.all.iter().filter(is_behind).collect()
    }

    /// Returns the finding in a sentence or two.
    #[expect(
        clippy::format_push_string,
        reason = "the text is short, and reads in order"
    )]
    pub(super) fn summary(&self, gathered: &Gathered, n_broken: u64) -> String {
        if self.n_files == 0 {
            return "No file differs.".to_owned();
        }
        let total: u64 = self.counts.values().sum();
        let order = ["removed", "renamed", "moved", "signature", "added", "body"];
        let parts: Vec<String> = order
            .iter()
            .filter_map(|word| Some(format!("{} {word}", self.counts.get(word)?)))
            .collect();
        let parts = if parts.is_empty() {
            String::new()
        } else {
            format!(" ({})", parts.join(", "))
        };
        let mut said = format!(
            "{} and {} changed{parts}{}.",
            count(self.n_files, "file"),
            count(total, "definition"),
            re_exports(self.n_re_exports),
        );
        said += &match n_broken {
            0 => " No broken use was found".to_owned(),
            1 => " 1 use is broken".to_owned(),
            n => format!(" {n} uses are broken"),
        };
        said += &match gathered.broken.n_unresolved {
            0 => ".".to_owned(),
            n => format!(
                "; {} of the removed names {} unresolved.",
                count(n, if n_broken == 0 { "use" } else { "more use" }),
                are(n)
            ),
        };
        if gathered.n_outlined > 0 {
            said += &format!(
                " Uses of the definitions in {} of outlined languages are not known.",
                count(gathered.n_outlined, "file")
            );
        }
        if let (n, Some(file)) = &gathered.in_unfollowed {
            said += &format!(
                " Files whose uses of code are not known hold {} ({}).",
                match n {
                    1 => "the word of 1 definition that is gone".to_owned(),
                    n => format!("the words of {n} definitions that are gone"),
                },
                one_line(file.as_str())
            );
        }
        if gathered.n_possible_losses > 0 {
            said += &format!(
                " Not compared: {} of code, generated, minified or left out.",
                count(gathered.n_possible_losses, "changed file")
            );
        }
        said += &unread_sentence(gathered);
        said
    }
}

/// Says how many names files pass on newly and no longer; empty for none.
fn re_exports((n_added, n_removed): (u64, u64)) -> String {
    match (n_added, n_removed) {
        (0, 0) => String::new(),
        (n, 0) => format!(", {} added", count(n, "re-export")),
        (0, n) => format!(", {} removed", count(n, "re-export")),
        (n, m) => format!(", {} added and {m} removed", count(n, "re-export")),
    }
}

/// Says which files have syntax errors, and how many definitions these may hide; empty where none has.
fn unread_sentence(gathered: &Gathered) -> String {
    let files = match gathered.with_errors.as_slice() {
        [] => return String::new(),
        [path] => format!("{path} has syntax errors"),
        paths => format!("{} changed files have syntax errors", paths.len()),
    };
    match gathered.n_hidden {
        0 => format!(" {files}: definitions may be hidden by them."),
        n => format!(
            " {files}: {} found there and may be as before.",
            match n {
                1 => "1 definition is not".to_owned(),
                n => format!("{n} definitions are not"),
            }
        ),
    }
}

/// Returns the word for a kind of change on the wire; what others can use now, or no longer, has another signature.
pub(super) fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Moved => "moved",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Exported | ChangeKind::Unexported | ChangeKind::Signature => "signature",
        ChangeKind::Body => "body",
    }
}

fn handle(file: &ChangedFile, of_new: bool, at: u32) -> Option<String> {
    let side = if of_new { &file.new } else { &file.old };
    let hashes = handles::symbol_handles(&file.path, &side.facts.symbols);
    let hash = *hashes.get(at as usize)?;
    let kind = HandleKind::Symbol;
    Some(Handle { kind, hash }.to_string())
}

/// Converts a change to its output form.
pub(super) fn change(
    view: &View<'_>,
    asked: &ChangesQuestion<'_>,
    gathered: &Gathered,
    entry: &ChangeEntry,
    reach: &ChangesReach,
) -> Result<ChangeOutput> {
    let difference = &gathered.difference;
    let at = match entry.what {
        ChangeRef::Symbol(at) => at,
        ChangeRef::ReExport(at) => {
            let export = &difference.re_exports[at];
            return Ok(ChangeOutput {
                handle: None,
                path: entry.path.to_string(),
                symbol: one_line(&export.name).into_owned(),
                kind: "reexport",
                change: if export.is_added { "added" } else { "removed" },
                exported: true,
                from: None,
                line: export.line,
                signature: Some(format!("from '{}'", one_line(&export.specifier))),
                callers: None,
                tests: None,
                source: None,
            });
        }
    };
    let change = &difference.changes[at];
    let (old, new) = (difference.old(change), difference.new_of(change));
    let (file, symbol) = new.or(old).expect("a change has one side at least");
    let place = change.new.as_ref().or(change.old.as_ref());
    let ordinal = place.map_or(0, |place| place.symbols[0]);
    // A count of uses that nobody looked for would say that there are none.
    let are_uses_known = !difference.is_outlined(change);
    Ok(ChangeOutput {
        handle: handle(file, new.is_some(), ordinal),
        path: file.path.to_string(),
        symbol: symbol.qualified_name.clone(),
        kind: symbol.kind.as_str(),
        change: word(change.kind),
        exported: symbol.exported && (change.kind != ChangeKind::Unexported),
        from: from(difference, change),
        line: symbol.name_line,
        signature: Some(one_line(&symbol.signature).into_owned()),
        callers: (are_uses_known && asked.has(AnswerPart::Callers)).then(|| reach.callers(at)),
        tests: (are_uses_known && asked.has(AnswerPart::Tests))
            .then(|| reach.tests_of(view, at))
            .transpose()?,
        source: asked
            .has(AnswerPart::Source)
            .then(|| source(file, new.is_some(), symbol)),
    })
}

fn from(difference: &Difference, change: &SymbolChange) -> Option<FromOutput> {
    let ((old_file, old), (file, new)) = (difference.old(change)?, difference.new_of(change)?);
    let (old_name, new_name) = difference.names(change)?;
    let is_elsewhere = matches!(change.kind, ChangeKind::Moved | ChangeKind::Renamed);
    let is_exported = old.exported;
    let from = FromOutput {
        path: (old_file.path != file.path).then(|| old_file.path.to_string()),
        symbol: (old_name != new_name).then_some(old_name),
        line: is_elsewhere.then_some(old.name_line),
        signature: (old.signature != new.signature).then(|| one_line(&old.signature).into_owned()),
        exported: (is_exported != new.exported).then_some(is_exported),
        evidence: is_elsewhere.then(|| match change.alike_percent {
            100 => "same content".to_owned(),
            n => format!("{n} % of the tokens"),
        }),
    };
    let is_empty = from.signature.is_none() && from.exported.is_none() && !is_elsewhere;
    (!is_empty).then_some(from)
}

fn source(file: &ChangedFile, of_new: bool, symbol: &Symbol) -> String {
    let side = if of_new { &file.new } else { &file.old };
    let (from, to) = (
        symbol.span.start_byte as usize,
        symbol.span.end_byte as usize,
    );
    let text = side.text.get(from..to).unwrap_or_default();
    if text.len() <= MAX_SOURCE_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_SOURCE_BYTES);
    format!("{}…", &text[..end])
}

/// Converts the broken uses to their output form: names that one import takes from a module that is gone are one entry.
#[expect(
    clippy::format_push_string,
    reason = "the text is short, and reads in order"
)]
pub(super) fn broken(
    view: &View<'_>,
    asked: &ChangesQuestion<'_>,
    gathered: &Gathered,
    found: &[BrokenUse],
) -> Result<Vec<BrokenOutput>> {
    let difference = &gathered.difference;
    let mut all: Vec<BrokenOutput> = Vec::new();
    let mut modules: HashMap<(&RepoPath, u32), usize> = HashMap::new();
    let has_lost_module = found.iter().any(|it| it.reason == BrokenReason::NoModule);
    let moved = has_lost_module.then(|| moved_files(&asked.comparison.files));
    let moved = moved.unwrap_or_default();
    for one in found {
        if one.is_through || !asked.is_wanted(one.home.as_str()) {
            continue;
        }
        if let Some(line) = one.module_line {
            match modules.get(&(&one.path, line)) {
                Some(known) => {
                    let known = &mut all[*known];
                    known.also.extend(one.also.iter().map(|it| it.0));
                    known.also.sort_unstable();
                    known.also.dedup();
                    if !known.uses.symbol.is_empty() && !one.symbol.is_empty() {
                        known.uses.symbol += &format!(", {}", one.symbol);
                    }
                    continue;
                }
                None => drop(modules.insert((&one.path, line), all.len())),
            }
        }
        let mut entry = broken_output(view, difference, one)?;
        let to = moved.get(&one.home);
        if let Some(to) = to.filter(|_| one.reason == BrokenReason::NoModule) {
            entry.uses.change = "moved";
            entry.uses.now = Some(to.to_string());
        }
        all.push(entry);
    }
    all.sort_by(|a, b| (&a.path, a.line, &a.uses.symbol).cmp(&(&b.path, b.line, &b.uses.symbol)));
    Ok(all)
}

/// Converts a broken use to its output form.
pub(super) fn broken_output(
    view: &View<'_>,
    difference: &Difference,
    one: &BrokenUse,
) -> Result<BrokenOutput> {
    let change = one.change.map(|at| &difference.changes[at]);
    let now = change.and_then(|change| difference.new_of(change));
    let is_elsewhere =
        change.is_some_and(|it| matches!(it.kind, ChangeKind::Moved | ChangeKind::Renamed));
    let (word, now) = match one.reason {
        BrokenReason::TooFewArguments { given, required } => (
            "signature",
            Some(format!(
                "passes {given} of {}",
                count(required.into(), "argument")
            )),
        ),
        BrokenReason::TooManyArguments { given, most } => (
            "signature",
            Some(format!(
                "passes {given} and may pass {}",
                count(most.into(), "argument")
            )),
        ),
        BrokenReason::UnknownKeyword => (
            "signature",
            Some("passes a name that no parameter has now".to_owned()),
        ),
        BrokenReason::Refused(refusal) => ("signature", Some(refusal.to_string())),
        BrokenReason::NotOffered => ("unexported", None),
        BrokenReason::NoModule => ("removed", None),
        BrokenReason::Undeclared => ("removed", Some("declared by no `mod` now".to_owned())),
        BrokenReason::Conditional => {
            let now = "is declared under another `#[cfg(…)]` now";
            ("signature", Some(now.to_owned()))
        }
        BrokenReason::Gone => {
            let word = match change.map(|it| it.kind) {
                Some(ChangeKind::Renamed) => "renamed",
                Some(ChangeKind::Moved) => "moved",
                Some(ChangeKind::Unexported) => "unexported",
                _ => "removed",
            };
            let names = change.and_then(|it| difference.names(it));
            let now = now.zip(names).filter(|_| is_elsewhere);
            (
                word,
                now.map(|((file, _), (_, name))| format!("{}#{name}", file.path)),
            )
        }
    };
    let line = one.module_line.unwrap_or(one.line);
    let symbols = match view.read.file(one.path.as_str())? {
        Some(file) => view.read.symbols_of(file.id)?,
        None => Vec::new(),
    };
    let around = symbols
        .iter()
        .filter(|it| it.span.start_line <= line && line <= it.span.end_line)
        .min_by_key(|it| it.span.end_byte - it.span.start_byte);
    let mut also: Vec<u32> = one.also.iter().map(|it| it.0).collect();
    if line != one.line && one.module_line.is_none() {
        also.push(one.line);
    }
    also.sort_unstable();
    also.dedup();
    Ok(BrokenOutput {
        path: one.path.to_string(),
        line,
        text: one_line(&one.text).into_owned(),
        symbol: around.map(|it| it.qualified_name.clone()),
        uses: UsedOutput {
            path: one.home.to_string(),
            symbol: one.symbol.clone(),
            change: word,
            now,
        },
        provenance: one.provenance.as_str(),
        also,
    })
}

/// Converts the files to their output form, a renamed one once.
pub(super) fn files(asked: &ChangesQuestion<'_>) -> Vec<ComparedFileOutput> {
    let all = &asked.comparison.files;
    let renamed = renamed(all);
    let sources: HashSet<usize> = renamed.values().copied().collect();
    let mut files = Vec::new();
    for (at, file) in all.iter().enumerate() {
        if !asked.is_wanted(file.path.as_str()) || sources.contains(&at) {
            continue;
        }
        let from = renamed.get(&at).map(|from| &all[*from]);
        let old = from.map_or(&file.old, |from| &from.old);
        let text = |version: &Option<crate::workspace::FileVersion>| match version {
            None => Some(std::sync::Arc::from("")),
            Some(version) => version.text.clone(),
        };
        let lines = text(old)
            .zip(text(&file.new))
            .map(|(old, new)| n_changed_lines(&old, &new));
        files.push(ComparedFileOutput {
            path: file.path.to_string(),
            from: from.map(|from| from.path.to_string()),
            status: match (&file.old, &file.new) {
                _ if from.is_some() => "renamed",
                (None, _) => "added",
                (_, None) => "deleted",
                _ => "modified",
            },
            added: lines.map(|it| it.0),
            deleted: lines.map(|it| it.1),
        });
    }
    for file in &asked.comparison.listed {
        if asked.is_wanted(file.path.as_str()) {
            files.push(ComparedFileOutput {
                path: file.path.to_string(),
                from: None,
                status: match file.is_there {
                    (false, _) => "added",
                    (_, false) => "deleted",
                    _ => "modified",
                },
                added: None,
                deleted: None,
            });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Returns where each deleted file is now that was moved.
fn moved_files(all: &[DifferingFile]) -> HashMap<&RepoPath, &RepoPath> {
    let pairs = renamed(all).into_iter();
    pairs
        .map(|(new, old)| (&all[old].path, &all[new].path))
        .collect()
}

/// Finds for each added file the deleted one that it was: the same bytes, else most lines; each deleted one once.
fn renamed(all: &[DifferingFile]) -> HashMap<usize, usize> {
    let places = |is_wanted: fn(&DifferingFile) -> bool| -> Vec<usize> {
        (0..all.len()).filter(|at| is_wanted(&all[*at])).collect()
    };
    let deleted = places(|file| file.new.is_none());
    let added = places(|file| file.old.is_none());
    let mut pairs = Vec::new();
    let is_compared = deleted.len().saturating_mul(added.len()) <= MAX_PAIRS;
    let lines = |text: &Option<std::sync::Arc<str>>| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for line in text.iter().flat_map(|text| text.lines()).map(str::trim) {
            if !line.is_empty() {
                *counts.entry(line.to_owned()).or_default() += 1;
            }
        }
        counts
    };
    let version = |at: usize, of_new: bool| {
        let file = &all[at];
        if of_new {
            file.new.as_ref()
        } else {
            file.old.as_ref()
        }
    };
    let old_lines: Vec<_> = deleted
        .iter()
        .map(|at| {
            lines(
                &version(*at, false)
                    .and_then(|it| it.text.clone())
                    .filter(|_| is_compared),
            )
        })
        .collect();
    for new_at in &added {
        let Some(new) = version(*new_at, true) else {
            continue;
        };
        let new_lines = lines(&new.text.clone().filter(|_| is_compared));
        for (n, at) in deleted.iter().enumerate() {
            let Some(old) = version(*at, false) else {
                continue;
            };
            let alike = if old.content.is_some() && old.content == new.content {
                100
            } else {
                alike_percent(&old_lines[n], &new_lines).min(99)
            };
            let is_empty = new.text.as_deref().is_some_and(str::is_empty);
            if alike >= MIN_ALIKE_PERCENT && !is_empty {
                let is_other_name = all[*at].path.file_name() != all[*new_at].path.file_name();
                pairs.push((100 - alike, is_other_name, *at, *new_at));
            }
        }
    }
    pairs.sort_unstable();
    let mut found = HashMap::new();
    let mut taken = HashSet::new();
    for (_, _, at, new_at) in pairs {
        if !found.contains_key(&new_at) && taken.insert(at) {
            found.insert(new_at, at);
        }
    }
    found
}

#[expect(clippy::manual_checked_ops, reason = "reads best as it is")]
fn alike_percent(one: &HashMap<String, usize>, other: &HashMap<String, usize>) -> usize {
    let total: usize = one.values().chain(other.values()).sum();
    let shared: usize = one
        .iter()
        .map(|(line, n)| (*n).min(other.get(line).copied().unwrap_or(0)))
        .sum();
    if total == 0 { 0 } else { 200 * shared / total }
}

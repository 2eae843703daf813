//! The lists of `cl_map`: files with their sizes, directories with their counts, definitions by kind and name.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Cursor, MAX_LIST_BYTES, is_zero, truncate_to_bytes};
use super::hits;
use super::map::{MapInput, SymbolOutput, whole_of};
use super::notes;
use super::number::clamp;
use crate::error::{Error, Result};
use crate::model::{FileId, RepoPath, SymbolId, SymbolKind};
use crate::search::PathFilter;
use crate::uses::LocalName;
use crate::workspace::{FileSummary, SymbolRow, View};

/// Files of a page whose caller names no limit; definitions likewise.
const DEFAULT_LIMIT: usize = 100;

/// Most entries of a page.
pub(super) const MAX_LIMIT: usize = 1_000;

/// Most levels of a tree.
const MAX_DEPTH: usize = 20;

/// The longest part of a name that is looked for, in characters.
const MAX_NAME: usize = 200;

/// A file in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedFile {
    pub(crate) path: String,
    pub(crate) language: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
    pub(crate) lines: u32,
    /// Why an index has none of its text, or a part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
    /// Saved records about the file or code in it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) notes: u64,
    /// Words that it was marked with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) marks: Vec<String>,
}

/// A directory of a tree, before those in it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchOutput {
    pub(crate) path: String,
    /// Files at any depth.
    pub(crate) files: u64,
    pub(crate) lines: u64,
    /// Of them without text in the index.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) skipped: u64,
}

/// The files of one language.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LanguageOutput {
    pub(crate) language: String,
    pub(crate) files: u64,
    pub(crate) lines: u64,
}

/// A definition in a list, with its file; or a name that a function binds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedSymbol {
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) symbol: SymbolOutput,
    /// The definition that it is a member of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    /// Of a parameter or variable, its type as written.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) written_type: Option<String>,
    /// Of a name in a function, the first line of the block that holds it, where that is not the function's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

impl ListedSymbol {
    /// Returns a definition as it is listed.
    pub(super) fn of(view: &View<'_>, row: &SymbolRow) -> Self {
        let owner = row.qualified_name.strip_suffix(row.name.as_str());
        let owner = owner.and_then(|owner| owner.strip_suffix('.'));
        Self {
            path: row.path.to_string(),
            symbol: whole_of(row, true),
            parent: owner.filter(|_| row.parent.is_some()).map(str::to_owned),
            written_type: None,
            scope: None,
            stale: view.is_stale(row.path.as_str()),
        }
    }

    /// Returns a name that a function of a file binds.
    pub(super) fn of_local(path: &RepoPath, local: LocalName) -> Self {
        Self {
            path: path.to_string(),
            symbol: SymbolOutput::of_local(&local),
            parent: None,
            written_type: local.written_type,
            scope: local.scope,
            stale: false,
        }
    }
}

/// The files that `path` and `language` leave.
pub(super) struct FileSelection {
    pub(super) all: Vec<FileSummary>,
    sizes: HashMap<FileId, u64>,
}

/// A page of a list.
pub(super) struct ListPage<T> {
    pub(super) entries: Vec<T>,
    pub(super) total: u64,
    pub(super) next_cursor: Option<String>,
}

impl FileSelection {
    /// Returns the files that the paths and the language of an input leave, by path.
    ///
    /// # Errors
    /// Those of filters that leave none.
    pub(super) fn of(view: &View<'_>, input: &MapInput) -> Result<Self> {
        hits::check_language(view, input.language.as_deref())?;
        let filter = PathFilter::new(&input.path);
        let is_wanted = |file: &FileSummary| {
            let language = input.language.as_ref();
            filter.has(file.path.as_str())
                && language.is_none_or(|wanted| wanted.eq_ignore_ascii_case(&file.language))
                && !view.is_gone(&file.path)
        };
        let mut all = view.read.all_summaries()?;
        all.retain(is_wanted);
        if all.is_empty() && !input.path.is_empty() {
            return Err(hits::no_file_left(&input.path));
        }
        let rows = view.read.file_rows()?;
        let size = |row: &crate::workspace::FileRow| Some((row.id, row.stat?.stat.size_bytes));
        Ok(Self {
            all,
            sizes: rows.iter().filter_map(size).collect(),
        })
    }

    /// Returns a page of the files.
    pub(super) fn page(&self, view: &View<'_>, input: &MapInput) -> Result<ListPage<ListedFile>> {
        let list = |file: &FileSummary| ListedFile {
            path: file.path.to_string(),
            language: file.language.clone(),
            bytes: self.sizes.get(&file.id).copied(),
            lines: file.n_lines,
            skipped: file
                .skip
                .map(super::super::model::freshness::SkipReason::as_str),
            stale: view.is_stale(file.path.as_str()),
            notes: 0,
            marks: Vec::new(),
        };
        let key = |file: &FileSummary| (file.path.to_string(), 0);
        let mut page = page(view, input, &self.all, key, |file| Ok(list(file)))?;
        let places = page.entries.iter().map(|file| (file.path.as_str(), None));
        let bound = notes::bound(view, false, places)?;
        for file in page.entries.iter_mut().filter(|_| !bound.is_empty()) {
            file.notes = bound.count(&file.path, None, true);
            file.marks = bound.marks(&file.path, None);
        }
        Ok(page)
    }

    /// Returns the directories down to a depth, each before those in it, and whether some were left out.
    pub(super) fn tree(&self, input: &MapInput) -> (Vec<BranchOutput>, bool) {
        let depth = clamp(input.depth, 2, 1..=MAX_DEPTH);
        let mut branches: BTreeMap<Vec<&str>, (u64, u64, u64)> = BTreeMap::new();
        for file in &self.all {
            let parts: Vec<&str> = file.path.as_str().split('/').collect();
            let n_directories = parts.len() - 1;
            for level in 0..=n_directories.min(depth) {
                let counts = branches.entry(parts[..level].to_vec()).or_default();
                counts.0 += 1;
                counts.1 += u64::from(file.n_lines);
                counts.2 += u64::from(file.skip.is_some_and(|skip| !skip.keeps_text()));
            }
        }
        let mut tree: Vec<BranchOutput> = branches
            .into_iter()
            .map(|(parts, (files, lines, skipped))| BranchOutput {
                path: if parts.is_empty() {
                    ".".to_owned()
                } else {
                    parts.join("/")
                },
                files,
                lines,
                skipped,
            })
            .collect();
        let n_all = tree.len();
        tree.truncate(MAX_LIMIT);
        truncate_to_bytes(&mut tree, MAX_LIST_BYTES - 4_000);
        let is_cut = tree.len() < n_all;
        (tree, is_cut)
    }

    /// Returns the languages, those of most files first.
    pub(super) fn languages(&self) -> Vec<LanguageOutput> {
        let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for file in &self.all {
            let (files, lines) = counts.entry(&file.language).or_default();
            *files += 1;
            *lines += u64::from(file.n_lines);
        }
        let mut languages: Vec<LanguageOutput> = counts
            .into_iter()
            .map(|(language, (files, lines))| LanguageOutput {
                language: language.to_owned(),
                files,
                lines,
            })
            .collect();
        languages.sort_by(|a, b| {
            b.files
                .cmp(&a.files)
                .then_with(|| a.language.cmp(&b.language))
        });
        languages
    }

    /// Returns a page of the definitions of the kinds and names that an input asks for, by path, then by line.
    pub(super) fn symbols(
        &self,
        view: &View<'_>,
        input: &MapInput,
    ) -> Result<ListPage<ListedSymbol>> {
        let kinds = kinds(&input.kind)?;
        let part = name_part(input)?;
        let places: HashMap<FileId, usize> = self
            .all
            .iter()
            .enumerate()
            .map(|(at, file)| (file.id, at))
            .collect();
        let found = view.read.symbols_that(|file, name, kind| {
            places.contains_key(&file)
                && (kinds.is_empty() || kinds.contains(&kind))
                && (part.is_empty() || name.to_lowercase().contains(&part))
        })?;
        let mut found: Vec<(usize, u32, SymbolId)> = found
            .into_iter()
            .map(|(file, ordinal, id)| (places[&file], ordinal, id))
            .collect();
        found.sort_unstable();
        let key = |(at, ordinal, _): &(usize, u32, SymbolId)| {
            (self.all[*at].path.to_string(), *ordinal + 1)
        };
        let list = |(_, _, id): &(usize, u32, SymbolId)| {
            let row = view.read.symbol_by_id(*id)?;
            let row = row.ok_or_else(|| super::unknown_handle("sym"))?;
            Ok(ListedSymbol::of(view, &row))
        };
        let mut page = page(view, input, &found, key, list)?;
        let places = page.entries.iter();
        let places = places.map(|it| (it.path.as_str(), Some(it.symbol.name())));
        let bound = notes::bound(view, false, places)?;
        for entry in page.entries.iter_mut().filter(|_| !bound.is_empty()) {
            let lines = entry.symbol.lines();
            entry.symbol.notes = bound.count(&entry.path, Some(lines), false);
        }
        Ok(page)
    }
}

/// Returns a page of a list that is sorted by a key: path and number.
fn page<T, U: Serialize>(
    view: &View<'_>,
    input: &MapInput,
    all: &[T],
    key: impl Fn(&T) -> (String, u32),
    list: impl Fn(&T) -> Result<U>,
) -> Result<ListPage<U>> {
    let asked = format!(
        "{:?}",
        (
            "map",
            &input.path,
            input.view,
            &input.kind,
            &input.name,
            &input.language
        )
    );
    let after = match &input.cursor {
        Some(text) => Some(Cursor::decode(text, &asked, view.index_id)?),
        None => None,
    };
    let limit = clamp(input.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT);
    let rest: Vec<&T> = all
        .iter()
        .filter(|one| {
            let after = after.as_ref();
            after.is_none_or(|after| key(one) > (after.path.clone(), after.line))
        })
        .collect();
    let mut entries: Vec<U> = rest
        .iter()
        .take(limit)
        .map(|one| list(one))
        .collect::<Result<_>>()?;
    truncate_to_bytes(&mut entries, MAX_LIST_BYTES);
    let last = rest.get(entries.len().wrapping_sub(1));
    let next_cursor = last.filter(|_| entries.len() < rest.len()).map(|last| {
        let (path, line) = key(last);
        let cursor = Cursor {
            score: 0,
            path,
            line,
        };
        cursor.encode(&asked, view.index_id)
    });
    Ok(ListPage {
        total: all.len() as u64,
        entries,
        next_cursor,
    })
}

/// Names that other tools give to kinds.
const OTHER_KINDS: &[(&str, SymbolKind)] = &[
    ("struct", SymbolKind::Class),
    ("trait", SymbolKind::Interface),
    ("const", SymbolKind::Constant),
    ("var", SymbolKind::Variable),
    ("mod", SymbolKind::Namespace),
    ("type_alias", SymbolKind::Type),
    ("typealias", SymbolKind::Type),
    ("enum_member", SymbolKind::EnumMember),
];

/// Reads the kinds of an input.
///
/// # Errors
/// `invalid_argument` for a kind that there is not, with those there are.
fn kinds(names: &[String]) -> Result<Vec<SymbolKind>> {
    let kind = |name: &String| {
        let name = name.trim();
        let mut all = SymbolKind::ALL.iter().copied();
        let own = all.find(|kind| kind.as_str().eq_ignore_ascii_case(name));
        let other = || {
            let mut others = OTHER_KINDS.iter();
            let found = others.find(|(other, _)| other.eq_ignore_ascii_case(name))?;
            Some(found.1)
        };
        own.or_else(other).ok_or_else(|| {
            let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
            Error::invalid(
                format!(
                    "no kind of definition is `{}`",
                    hits::cut_text(name).escape_debug()
                ),
                format!("the kinds are {}", known.join(", ")),
            )
        })
    };
    names.iter().map(kind).collect()
}

/// Returns the part of a name that is looked for, in lower case.
fn name_part(input: &MapInput) -> Result<String> {
    let part = input.name.as_deref().unwrap_or_default().trim();
    if part.chars().count() > MAX_NAME {
        return Err(Error::invalid(
            format!("`name` is longer than {MAX_NAME} characters"),
            "pass a part of the name",
        ));
    }
    Ok(part.to_lowercase())
}

//! Targets as callers write them: a path, a directory, a glob, a name, a handle, or the repository.

use super::pack_item::PackItem;
use super::source::SourceReader;
use crate::error::{Code, Error, Result};
use crate::model::{Handle, RepoPath};
use crate::search::{self, Filters};
use crate::tools::impact::is_one;
use crate::tools::named_object::{
    NamedObject, by_handle, definitions_named, innermost_at, near_names, path_and_line,
    path_and_name,
};
use crate::tools::normalize_input::plain_name;
use crate::workspace::{SymbolRow, cut_argument, outside};

/// Files that a glob stands for.
const MAX_GLOB_FILES: usize = 20;

/// Definitions that a directory stands for.
const MAX_OF_DIRECTORY: usize = 40;

/// Names that are offered.
const MAX_CANDIDATES: usize = 10;

/// A target.
pub(super) enum PackTarget {
    /// A definition, with all that is declared as the same.
    Symbol(Vec<SymbolRow>),
    File(RepoPath),
    /// A directory, a glob or the repository.
    Files {
        paths: Vec<RepoPath>,
        n_files: u64,
    },
    /// Several definitions have the name.
    Ambiguous(Vec<SymbolRow>),
    /// Nothing has it; definitions with names like it.
    Unknown(Error, Vec<SymbolRow>),
}

/// Returns the definitions or files that a text names. A target that names nothing is no error of the call.
pub(super) fn find(source: &SourceReader<'_>, text: &str) -> Result<PackTarget> {
    match try_find(source, text) {
        Ok(found) => Ok(found),
        Err(error) if matches!(error.code, Code::Cancelled | Code::Io | Code::Internal) => {
            Err(error)
        }
        Err(error) => Ok(PackTarget::Unknown(error, Vec::new())),
    }
}

fn try_find(source: &SourceReader<'_>, text: &str) -> Result<PackTarget> {
    let view = source.view;
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::invalid(
            "the target is empty",
            "give a path, a directory, a glob, a name or a handle",
        ));
    }
    if text.starts_with("rel:") || Handle::parse(text).is_some() {
        return Ok(match by_handle(view, text)? {
            NamedObject::Symbol(symbol) => PackTarget::Symbol(vec![*symbol]),
            NamedObject::File(path) => PackTarget::File(path),
        });
    }
    let is_whole = matches!(text, "." | "./" | "/");
    if is_whole || text.contains(['*', '?', '{', '[']) {
        let filters = Filters {
            paths: if is_whole {
                Vec::new()
            } else {
                vec![text.to_owned()]
            },
            ..Filters::default()
        };
        let paths = search::matching_files(view.read, &filters)?;
        if !paths.is_empty() || text.contains(['/', '*', '?', '{']) {
            let max = if is_whole { usize::MAX } else { MAX_GLOB_FILES };
            return files(source, paths, max, text);
        }
    }
    if let Some(path) = RepoPath::normalise(text) {
        if view.read.has_file(path.as_str())? {
            return Ok(PackTarget::File(path));
        }
        let below = view.read.files_under(path.as_str())?;
        let paths: Vec<RepoPath> = below.iter().map(|file| file.path.clone()).collect();
        if !paths.is_empty() {
            return files(source, paths, usize::MAX, text);
        }
    }
    if let Some(symbol) = at_line(source, text)? {
        return Ok(PackTarget::Symbol(vec![symbol]));
    }
    by_name(source, text)
}

/// Returns the innermost definition around `path:line`.
fn at_line(source: &SourceReader<'_>, text: &str) -> Result<Option<SymbolRow>> {
    let Some((path, line)) = path_and_line(text) else {
        return Ok(None);
    };
    Ok(innermost_at(&source.symbols(&path)?, line).cloned())
}

/// Returns the definition of `name` or of `path#name`.
fn by_name(source: &SourceReader<'_>, text: &str) -> Result<PackTarget> {
    let view = source.view;
    let (path, name) = path_and_name(view, text)?;
    let name = plain_name(name);
    if let Some(found) = definitions_named(view, name, path.as_ref())? {
        return Ok(if is_one(&found) {
            PackTarget::Symbol(found)
        } else {
            PackTarget::Ambiguous(found)
        });
    }
    let looks_like_path = text.contains('/');
    if looks_like_path && std::path::Path::new(text).is_absolute() {
        return Err(outside(text));
    }
    if looks_like_path && let Some(path) = RepoPath::normalise(text) {
        return Err(view.why_absent(&path));
    } else if looks_like_path {
        return Err(outside(text));
    }
    let mut near = near_names(view, name, path.as_ref())?;
    near.truncate(MAX_CANDIDATES);
    let error = Error::invalid(
        format!(
            "no definition, file or directory is named `{}`",
            cut_argument(text)
        ),
        "use cl_search to find it by words",
    );
    Ok(PackTarget::Unknown(error, near))
}

fn files(
    source: &SourceReader<'_>,
    mut paths: Vec<RepoPath>,
    max: usize,
    text: &str,
) -> Result<PackTarget> {
    paths.retain(|path| !source.view.is_gone(path));
    if paths.is_empty() {
        return Err(Error::new(
            Code::PathNotFound,
            format!(
                "no indexed file is below or matches `{}`",
                cut_argument(text)
            ),
            "paths are relative to the root of the repository; `codelens map` (cl_map) lists files",
        ));
    }
    let n_files = paths.len() as u64;
    paths.truncate(max);
    Ok(PackTarget::Files { paths, n_files })
}

impl PackTarget {
    /// Returns the one file that it is or is in.
    pub(super) fn path(&self) -> Option<&RepoPath> {
        match self {
            Self::Symbol(found) => found.first().map(|symbol| &symbol.path),
            Self::File(path) => Some(path),
            Self::Files { .. } | Self::Ambiguous(_) | Self::Unknown(..) => None,
        }
    }

    /// Returns the definition that the target is.
    pub(super) fn symbol(&self) -> Option<&SymbolRow> {
        match self {
            Self::Symbol(found) => found.first(),
            _ => None,
        }
    }

    /// Returns the code that the target stands for: a definition, those of a file, the exported ones of a directory.
    pub(super) fn items(&self, source: &SourceReader<'_>) -> Result<Vec<PackItem>> {
        match self {
            Self::Symbol(found) => found
                .iter()
                .map(|it| PackItem::of_symbol(source, it))
                .collect(),
            Self::File(path) => of_file(source, path),
            Self::Files { paths, .. } => of_files(source, paths),
            Self::Ambiguous(_) | Self::Unknown(..) => Ok(Vec::new()),
        }
    }
}

/// Returns the definitions of a file that are in no other; its chunks where it has none.
fn of_file(source: &SourceReader<'_>, path: &RepoPath) -> Result<Vec<PackItem>> {
    let view = source.view;
    let symbols = source.symbols(path)?;
    let top: Vec<&SymbolRow> = symbols.iter().filter(|it| it.parent.is_none()).collect();
    let is_document = top
        .iter()
        .any(|it| it.kind == crate::model::SymbolKind::Heading);
    if !top.is_empty() && !is_document {
        return top
            .into_iter()
            .map(|it| PackItem::of_symbol(source, it))
            .collect();
    }
    let Some(file) = view.read.file(path.as_str())? else {
        return Ok(Vec::new());
    };
    let mut items = Vec::new();
    for row in view.read.chunks_of(&[file.id])? {
        if let Some(chunk) = view.read.chunk(row)? {
            items.push(PackItem::of_chunk(source, &chunk)?);
        }
    }
    items.sort_by_key(|item| item.lines);
    Ok(items)
}

/// Returns the exported definitions of files, those first that most other files import.
fn of_files(source: &SourceReader<'_>, paths: &[RepoPath]) -> Result<Vec<PackItem>> {
    let view = source.view;
    let importers = view.read.importer_counts()?;
    let mut ranked = Vec::new();
    for path in paths {
        let Some(file) = view.read.file(path.as_str())? else {
            continue;
        };
        if let Some(n) = importers.get(&file.id) {
            ranked.push((view.roles.of(path), std::cmp::Reverse(*n), path));
        }
    }
    ranked.sort();
    let mut items = Vec::new();
    for (_, _, path) in ranked {
        let symbols = source.symbols(path)?;
        let exported = symbols
            .iter()
            .filter(|it| it.exported && it.parent.is_none());
        for symbol in exported {
            if items.len() >= MAX_OF_DIRECTORY {
                return Ok(items);
            }
            items.push(PackItem::of_symbol(source, symbol)?);
        }
    }
    Ok(items)
}

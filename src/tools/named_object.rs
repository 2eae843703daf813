//! The definitions and files that a caller's text may mean: a name, `path#name`, `path:line` or a handle.

use std::collections::BTreeSet;

use super::module_names::{component_named, in_module_named};
use crate::error::{Code, Error, Result};
use crate::model::path::is_at_or_below;
use crate::model::{Family, Handle, HandleKind, RepoPath, SymbolFlags, SymbolKind};
use crate::workspace::{
    SymbolRow, View, cut_argument, dotted, family_of, is_named, last_name, normal_form, outside,
};

/// Declarations of one name that are looked at.
const MAX_DECLARATIONS: usize = 64;

/// Files that a part of a path may mean, in an error.
const MAX_NEAR_FILES: usize = 3;

/// The object that a caller named.
pub(super) enum NamedObject {
    /// A definition.
    Symbol(Box<SymbolRow>),
    /// A file.
    File(RepoPath),
}

/// Returns the indexed file of a path that a caller named.
pub(super) fn by_path(view: &View<'_>, text: &str) -> Result<RepoPath> {
    let path = RepoPath::normalise(text).ok_or_else(|| outside(text))?;
    match view.read.file(path.as_str())? {
        Some(_) => Ok(path),
        None => Err(view.why_absent(&path)),
    }
}

/// Returns the object of a handle: a chunk stands for the definition it belongs to, else for its file.
pub(super) fn by_handle(view: &View<'_>, text: &str) -> Result<NamedObject> {
    let unknown = || super::unknown_handle(text);
    if let Some(path) = text.strip_prefix("rel:") {
        return by_path(view, path).map(NamedObject::File);
    }
    let handle = Handle::parse(text).ok_or_else(unknown)?;
    if handle.kind == HandleKind::Symbol {
        let found = view.read.symbol_by_handle(handle)?;
        return found
            .map(|symbol| NamedObject::Symbol(Box::new(symbol)))
            .ok_or_else(unknown);
    }
    let chunk = view.read.chunk_by_handle(handle)?;
    let chunk = chunk.ok_or_else(unknown)?;
    if let (Some(owner), Some(file)) = (&chunk.symbol, view.read.file(chunk.path.as_str())?) {
        let is_owner = |symbol: &SymbolRow| {
            (&symbol.qualified_name, symbol.kind, symbol.span.start_line)
                == (&owner.qualified_name, owner.kind, owner.start_line)
        };
        let all = view.read.symbols_of(file.id)?;
        if let Some(symbol) = all.into_iter().find(is_owner) {
            return Ok(NamedObject::Symbol(Box::new(symbol)));
        }
    }
    Ok(NamedObject::File(chunk.path))
}

/// Reads `path#name` as a file or directory and a name. Where nothing that is there stands before the `#`, the whole is a name
/// (`Store.#open`).
///
/// # Errors
/// `path_not_found` and `outside_repo` for a path with `/` that is not there.
pub(super) fn path_and_name<'a>(
    view: &View<'_>,
    text: &'a str,
) -> Result<(Option<RepoPath>, &'a str)> {
    let Some((before, name)) = text.rsplit_once('#').filter(|(_, name)| !name.is_empty()) else {
        return Ok((None, text));
    };
    let is_path = before.contains('/');
    let Some(path) = RepoPath::normalise(before) else {
        return if is_path {
            Err(outside(before))
        } else {
            Ok((None, text))
        };
    };
    let is_there = view.read.has_file(path.as_str())?
        || view
            .read
            .files_under(path.as_str())?
            .iter()
            .next()
            .is_some();
    match (is_there, is_path) {
        (true, _) => Ok((Some(path), name)),
        (false, true) => Err(view.why_absent(&path)),
        (false, false) => Ok((None, text)),
    }
}

/// Returns the definitions of a name: those that are exactly it, else those whose qualified name ends with it. `None`
/// where there is none.
///
/// # Errors
/// `index_busy` where there is none and the index is not complete; `invalid_argument` for the path of a file or the end of one and for a
/// handle, which are passed in fields of their own; `unknown_handle` for a text of a handle's form.
pub(super) fn definitions_named(
    view: &View<'_>,
    name: &str,
    path: Option<&RepoPath>,
) -> Result<Option<Vec<SymbolRow>>> {
    let alike = view.symbols_like(name)?;
    let is_here = |symbol: &SymbolRow| {
        path.is_none_or(|path| is_at_or_below(symbol.path.as_str(), path.as_str()))
    };
    let wanted = dotted(name);
    let mut found: Vec<SymbolRow> = alike
        .iter()
        .filter(|symbol| is_named(symbol, &wanted) && is_here(symbol))
        .cloned()
        .collect();
    prefer_definitions(view, &mut found, &alike)?;
    if found.iter().any(|symbol| symbol.qualified_name == wanted) {
        found.retain(|symbol| symbol.qualified_name == wanted);
    }
    // A component has a capital first; `users` of a store is not asked together with each page of that name.
    if found.is_empty() || wanted.starts_with(char::is_uppercase) {
        let components = component_named(view, &wanted)?;
        found.extend(components.into_iter().filter(is_here));
    }
    if found.is_empty() {
        found = in_module_named(&alike, &wanted);
        found.retain(is_here);
    }
    if found.is_empty() {
        check_name(view, name)?;
        return Ok(None);
    }
    leave_out_hidden(&mut found);
    // A snapshot of a test repeats what a source defines.
    let is_asked = path.is_some_and(is_snapshot);
    if !is_asked && found.iter().any(|it| !is_snapshot(&it.path)) {
        found.retain(|it| !is_snapshot(&it.path));
    }
    // The likeliest first: code before its tests and declarations, exported before not, a class before the namespace that
    // is merged with it.
    found.sort_by_key(|symbol| {
        let is_declaration = symbol.path.as_str().contains(".d.");
        let order = (
            view.roles.of(&symbol.path),
            is_declaration,
            !symbol.exported,
        );
        (order, merges(symbol.kind))
    });
    Ok(Some(found))
}

/// Whether a file is a snapshot that a test runner wrote: `__snapshots__/index.snapshot.d.ts`.
pub(super) fn is_snapshot(path: &RepoPath) -> bool {
    let mut parts = path.as_str().split('/');
    parts.any(|it| it == "__snapshots__")
}

/// Returns the file and the first line of `path:line` and `path:line-line`; `None` for a text of any other form.
pub(super) fn path_and_line(text: &str) -> Option<(RepoPath, u32)> {
    let (path, lines) = text.rsplit_once(':')?;
    let first = lines.split('-').next().unwrap_or_default();
    Some((RepoPath::normalise(path)?, first.parse().ok()?))
}

/// Returns the innermost definition on a line.
pub(super) fn innermost_at(symbols: &[SymbolRow], line: u32) -> Option<&SymbolRow> {
    let holds = |it: &&SymbolRow| (it.span.start_line..=it.span.end_line).contains(&line);
    let n_lines = |it: &&SymbolRow| it.span.end_line - it.span.start_line;
    symbols.iter().filter(holds).min_by_key(n_lines)
}

/// Returns the definition of a declaration, where it has one: the uses of `int open(void);` are those of `open`.
pub(super) fn definition_behind(view: &View<'_>, symbol: SymbolRow) -> Result<Vec<SymbolRow>> {
    let alike = view.symbols_like(&symbol.qualified_name)?;
    let mut found = vec![symbol];
    prefer_definitions(view, &mut found, &alike)?;
    Ok(found)
}

/// Puts definitions in the place of their declarations, in languages that have both: `int open(void);` in a header. Of several
/// definitions none is put there where declarations alone were found: each may be that of a platform. The declaration stands beside several
/// where uses lead to it, since none of them has these. In C a definition in the file of the declaration is the only one that it means.
fn prefer_definitions(
    view: &View<'_>,
    found: &mut Vec<SymbolRow>,
    alike: &[SymbolRow],
) -> Result<()> {
    let has_declarations = |symbol: &SymbolRow| family_of(symbol.path.as_str()) == Some(Family::C);
    if !found.iter().any(has_declarations) {
        return Ok(());
    }
    let mut definitions = Vec::new();
    let mut declarations = BTreeSet::new();
    let mut functions_of_c = BTreeSet::new();
    for symbol in alike
        .iter()
        .filter(|it| has_declarations(it))
        .take(MAX_DECLARATIONS)
    {
        let file = view.read.file(symbol.path.as_str())?;
        let facts = match file {
            Some(file) => view.read.declared_facts(file.id)?,
            None => None,
        };
        let flags = facts.and_then(|it| Some(it.symbols.get(symbol.ordinal as usize)?.flags));
        if flags.is_some_and(|it| it.contains(SymbolFlags::C_LINKAGE)) {
            functions_of_c.insert(symbol.id);
        }
        if flags.is_some_and(|it| it.contains(SymbolFlags::DECLARATION_ONLY)) {
            declarations.insert(symbol.id);
        } else {
            definitions.push(symbol.clone());
        }
    }
    let mut all: Vec<SymbolRow> = Vec::new();
    let is_declared_alone = found.iter().all(|it| declarations.contains(&it.id));
    for symbol in found.drain(..) {
        let is_same = |it: &&SymbolRow| it.qualified_name == symbol.qualified_name;
        let mut behind: Vec<SymbolRow> = Vec::new();
        if declarations.contains(&symbol.id) {
            let is_here = |it: &&SymbolRow| it.path == symbol.path;
            let same = || definitions.iter().filter(is_same);
            if !symbol.exported || functions_of_c.contains(&symbol.id) {
                behind.extend(same().filter(is_here).cloned());
            }
            if behind.is_empty() {
                behind.extend(same().filter(|it| it.exported).cloned());
                if behind.is_empty() || is_declared_alone && behind.len() > 1 {
                    behind = vec![symbol];
                } else if behind.len() > 1 && !view.read.edges_into(symbol.id)?.is_empty() {
                    behind.push(symbol);
                }
            }
        } else {
            behind.push(symbol);
        }
        for one in behind {
            if all.iter().all(|it| it.id != one.id) {
                all.push(one);
            }
        }
    }
    *found = all;
    Ok(())
}

/// Leaves out definitions whose name means another one of the same class first: a field beside a method of its name, and a
/// constructor that bears the name of its class (of C++, `Block` in `block.h` with `Block::Block` in `block.cc`). A handle names them.
fn leave_out_hidden(found: &mut Vec<SymbolRow>) {
    let is_at = |one: &SymbolRow, other: &SymbolRow| {
        one.path == other.path && one.qualified_name == other.qualified_name
    };
    let hides = |symbol: &SymbolRow, other: &SymbolRow| match (symbol.kind, other.kind) {
        (SymbolKind::Field, SymbolKind::Method) => is_at(symbol, other),
        (SymbolKind::Constructor, SymbolKind::Class | SymbolKind::Enum) => {
            let owner = symbol.qualified_name.rsplit_once('.');
            let bears_its_name = other.qualified_name == symbol.name
                || other.qualified_name.ends_with(&format!(".{}", symbol.name));
            bears_its_name && owner.is_some_and(|(owner, _)| owner == other.qualified_name)
        }
        _ => false,
    };
    let all = found.clone();
    found.retain(|symbol| !all.iter().any(|other| hides(symbol, other)));
}

/// Returns the definitions whose names are like one that none has: of the same name elsewhere, else of the nearest names.
pub(super) fn near_names(
    view: &View<'_>,
    name: &str,
    path: Option<&RepoPath>,
) -> Result<Vec<SymbolRow>> {
    let alike = view.symbols_like(name)?;
    let wanted = dotted(name);
    let elsewhere: Vec<SymbolRow> = alike
        .iter()
        .filter(|symbol| path.is_some() && is_named(symbol, &wanted))
        .cloned()
        .collect();
    let mut near = if elsewhere.is_empty() {
        alike
    } else {
        elsewhere
    };
    if near.is_empty() {
        for other in crate::search::nearest_names(view.read, &normal_form(&last_name(name)))? {
            near.extend(view.read.symbols_named(&other)?);
        }
    }
    near.dedup_by(|a, b| (&a.path, &a.qualified_name) == (&b.path, &b.qualified_name));
    let last = last_name(name);
    near.sort_by_cached_key(|it| (it.name != last, view.roles.of(&it.path), !it.exported));
    Ok(near)
}

/// Whether a declaration of this kind can stand beside a value of the same name and mean the same name.
pub(super) fn merges(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Interface | SymbolKind::Type | SymbolKind::Namespace
    )
}

/// Fails for a name that is a path, the end of one or a handle, and for one that has no last part (`Store::`).
fn check_name(view: &View<'_>, name: &str) -> Result<()> {
    let shown = cut_argument(name);
    if last_name(name).is_empty() && view.read.counts()?.files == 0 {
        return Err(Error::new(
            Code::NotIndexed,
            "no file of the repository is in the index",
            "cl_doctor (`codelens doctor`) says which files are left out; an empty repository has none",
        ));
    }
    if last_name(name).is_empty() {
        return Err(Error::invalid(
            format!("`{shown}` ends without a name"),
            "pass a whole name: `Store`, `Store.open`, `store::open`",
        ));
    }
    if let Some(file) = RepoPath::normalise(name)
        && view.read.has_file(file.as_str())?
    {
        return Err(Error::invalid(
            format!("no definition is named `{shown}`"),
            format!("it is a file: pass it as `path` {file}"),
        ));
    }
    let files = files_ending_in(view, name)?;
    if !files.is_empty() {
        return Err(Error::invalid(
            format!("no definition is named `{shown}`"),
            format!("it may be a file: pass it as `path` {}", files.join(" or ")),
        ));
    }
    if let Some(directory) = RepoPath::normalise(name).filter(|it| it.as_str().contains('/'))
        && let Some(first) = view.read.files_under(directory.as_str())?.iter().next()
    {
        return Err(Error::invalid(
            format!("no definition is named `{shown}`"),
            format!(
                "it is a directory: pass a file of it as `path`, e.g. {}",
                first.path
            ),
        ));
    }
    if Handle::parse(name).is_some() {
        return Err(Error::invalid(
            format!("no definition is named `{shown}`"),
            format!("it is a handle: pass it as `handle` {shown}"),
        ));
    }
    if super::is_like_handle(name) {
        return Err(super::unknown_handle(name));
    }
    Ok(())
}

/// Returns the indexed files whose path ends in a text that may be the end of one (`scheduler.ts`, `src/scheduler.ts`), at most
/// [`MAX_NEAR_FILES`] by path.
fn files_ending_in(view: &View<'_>, text: &str) -> Result<Vec<String>> {
    let Some(end) = RepoPath::normalise(text).filter(|_| text.contains(['.', '/'])) else {
        return Ok(Vec::new());
    };
    let ending = format!("/{end}");
    let files = view.read.files_under("")?;
    let fitting = files
        .iter()
        .filter(|file| file.path.as_str().ends_with(&ending));
    let paths = fitting.map(|file| cut_argument(file.path.as_str()));
    Ok(paths.take(MAX_NEAR_FILES).collect())
}

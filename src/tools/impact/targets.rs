//! The definitions that a question about a change means: by name, handle, file, or changes.

use std::collections::BTreeSet;

use super::ImpactQuestion;
use super::changed_lines;
use crate::error::{Error, Result};
use crate::model::path::is_at_or_below;
use crate::model::{Family, RepoPath, SymbolKind};
use crate::tools::named_object::{
    NamedObject, by_handle, definition_behind, definitions_named, innermost_at, merges,
    path_and_line, path_and_name,
};
use crate::tools::normalize_input::plain_name;
use crate::tools::places::uses;
use crate::workspace::{SymbolRow, View, family_of};

/// Methods of the same name that an answer names at most.
const MAX_NAMESAKES: usize = 3;

/// The outcome of the look-up.
pub(super) enum Targets<'a> {
    /// The definitions; none where a file or a change has none.
    Found(Vec<SymbolRow>),
    /// The parts of one type, that which is asked about first.
    Parts(Vec<SymbolRow>),
    /// A name that no definition has.
    Unknown(&'a str),
}

/// Finds the definitions that are asked about.
pub(super) fn find<'a>(view: &View<'_>, asked: &ImpactQuestion<'a>) -> Result<Targets<'a>> {
    let input = asked.input;
    if let Some(text) = &input.handle {
        return match by_handle(view, text)? {
            NamedObject::Symbol(symbol) => with_parts(view, definition_behind(view, *symbol)?),
            NamedObject::File(path) => Ok(Targets::Found(of_file(view, &path)?)),
        };
    }
    if let Some(name) = &input.symbol {
        if let Some(at_line) = definition_at(view, name)? {
            return with_parts(view, definition_behind(view, at_line)?);
        }
        let (own_path, name) = match asked.path {
            Some(_) => (None, name.as_str()),
            None => path_and_name(view, name)?,
        };
        let name = plain_name(name);
        let path = asked.path.or(own_path.as_ref());
        if let Some(found) = definitions_named(view, name, path)? {
            return with_parts(view, found);
        }
        if let Some((plain, n_params)) = generic(name)
            && let Some(mut found) = definitions_named(view, plain, path)?
        {
            found.retain(|it| n_type_params(it) == n_params);
            if !found.is_empty() {
                return with_parts(view, found);
            }
        }
        return Ok(Targets::Unknown(name));
    }
    if let (Some(path), false) = (asked.path, input.asks_changes()) {
        return Ok(Targets::Found(of_file(view, path)?));
    }
    let mut found = Vec::new();
    for change in asked.changes {
        let path = change.path.as_str();
        let is_asked = asked
            .path
            .is_none_or(|asked| is_at_or_below(path, asked.as_str()));
        let file = view.read.file(path)?;
        if let (true, Some(file)) = (is_asked, file) {
            let all = view.read.symbols_of(file.id)?;
            found.extend(match &change.lines {
                // Lines are those of the disk, which the index has not seen yet.
                Some(lines) if !view.is_stale(path) => changed_lines::definitions(all, lines),
                _ => all,
            });
        }
    }
    Ok(Targets::Found(found))
}

/// Says which methods beside a function have its name, for the plain name means them as well: of `fn is_set` and `impl Flag { fn is_set }`,
/// `is_set` asks about the function. Those of other files are named where the function has no callers. Empty where there are none.
pub(super) fn namesakes(
    view: &View<'_>,
    asked: &ImpactQuestion<'_>,
    found: &[SymbolRow],
    has_callers: bool,
) -> Result<String> {
    let (Some(name), [target, ..]) = (&asked.input.symbol, found) else {
        return Ok(String::new());
    };
    if target.parent.is_some() || target.qualified_name != plain_name(name) {
        return Ok(String::new());
    }
    let alike = view.symbols_like(&target.name)?;
    let methods = alike.iter().filter(|it| {
        it.kind == SymbolKind::Method
            && it.name == target.name
            && it.qualified_name != target.qualified_name
    });
    let is_beside = |it: &&SymbolRow| it.path == target.path;
    let (own, others): (Vec<&SymbolRow>, Vec<&SymbolRow>) = methods.partition(is_beside);
    if has_callers && own.is_empty() || alike.is_empty() {
        return Ok(String::new());
    }
    let (place, methods) = if own.is_empty() {
        ("Other files have", others)
    } else {
        ("The file also has", own)
    };
    let names: BTreeSet<&str> = methods
        .iter()
        .map(|it| it.qualified_name.as_str())
        .collect();
    let shown = names.iter().take(MAX_NAMESAKES);
    let shown: Vec<String> = shown.map(|it| format!("`{it}`")).collect();
    let shown = shown.join(", ");
    Ok(
        match (names.len(), names.len().saturating_sub(MAX_NAMESAKES)) {
            (0, _) => String::new(),
            (1, _) => format!(" {place} the method {shown}, whose uses are not among these."),
            (_, 0) => format!(" {place} the methods {shown}, whose uses are not among these."),
            (_, n_more) => format!(
                " {place} the methods {shown} and {n_more} more, whose uses are not among these."
            ),
        },
    )
}

/// Returns the innermost definition around `path:line`; `None` for a text of any other form.
///
/// # Errors
/// `invalid_argument` where no definition is around the line.
fn definition_at(view: &View<'_>, text: &str) -> Result<Option<SymbolRow>> {
    let Some((path, line)) = path_and_line(text.trim()) else {
        return Ok(None);
    };
    let Some(file) = view.read.file(path.as_str())? else {
        return Ok(None);
    };
    view.note_chain_start(path.as_str());
    let symbols = view.read.symbols_of(file.id)?;
    let innermost = innermost_at(&symbols, line).cloned();
    innermost.map(Some).ok_or_else(|| {
        Error::invalid(
            format!("no definition is around line {line} of {path}"),
            format!("pass the file as `path` {path} for all of its definitions"),
        )
    })
}

/// Completes a type that is declared in parts by the others; of several types one part of each is left.
fn with_parts<'a>(view: &View<'_>, found: Vec<SymbolRow>) -> Result<Targets<'a>> {
    let may_have_parts = |it: &SymbolRow| {
        matches!(it.kind, SymbolKind::Class | SymbolKind::Interface)
            && it.signature.contains("partial ")
    };
    if !found.iter().any(may_have_parts) {
        return Ok(Targets::Found(found));
    }
    let uses = uses(view);
    let mut groups: Vec<Vec<SymbolRow>> = Vec::new();
    for row in found {
        if groups.iter().flatten().any(|it| it.id == row.id) {
            continue;
        }
        let mut parts = Vec::new();
        if may_have_parts(&row) {
            parts = uses.other_parts(&row)?;
            parts.retain(|it| !view.is_gone(&it.path));
        }
        parts.insert(0, row);
        groups.push(parts);
    }
    if groups.len() == 1 {
        return Ok(Targets::Parts(groups.remove(0)));
    }
    let first = groups.into_iter().map(|mut parts| parts.swap_remove(0));
    Ok(Targets::Found(first.collect()))
}

/// Splits `Result<A, B>` into its name and the number of its type parameters.
fn generic(name: &str) -> Option<(&str, usize)> {
    let (plain, params) = name.strip_suffix('>')?.split_once('<')?;
    (!plain.is_empty()).then(|| (plain, params.split(',').count()))
}

/// The number of type parameters of a definition, as its signature has them.
fn n_type_params(row: &SymbolRow) -> usize {
    let head = format!("{}<", row.name);
    let params = row.signature.split_once(&head);
    let params = params.and_then(|it| it.1.split('>').next());
    params.map_or(0, |it| it.split(',').count())
}

fn of_file(view: &View<'_>, path: &RepoPath) -> Result<Vec<SymbolRow>> {
    match view.read.file(path.as_str())? {
        Some(file) => Ok(view.read.symbols_of(file.id)?),
        None => Err(view.why_absent(path)),
    }
}

/// Whether these are one file, or two that only differ in directory and extension: `include/store.h` and `src/store.cc`.
fn are_header_and_source(paths: &BTreeSet<&RepoPath>) -> bool {
    let stems: BTreeSet<_> = paths
        .iter()
        .map(|it| it.file_name().rsplit_once('.'))
        .collect();
    let names: BTreeSet<_> = stems.iter().flatten().map(|(name, _)| name).collect();
    paths.len() <= 2 && stems.len() == paths.len() && names.len() == 1
}

/// Returns the words of a signature of C without those that say how a function is linked: `inline int now(void)` has the
/// words of `int now(void)`.
fn without_specifiers(signature: &str) -> impl Iterator<Item = &str> {
    let is_specifier = |word: &&str| matches!(*word, "static" | "inline" | "extern");
    signature
        .split_whitespace()
        .filter(move |it| !is_specifier(it))
}

/// Whether these are one definition to whoever names it: the getter and the setter of one property, the
/// overloads of one method, a class, function or constant with the types and namespaces of its name.
pub(in crate::tools) fn is_one(targets: &[SymbolRow]) -> bool {
    let [first, rest @ ..] = targets else {
        return true;
    };
    let is_of_c = |symbol: &SymbolRow| family_of(symbol.path.as_str()) == Some(Family::C);
    let is_member = |symbol: &SymbolRow| {
        matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property)
            && (symbol.parent.is_some() || is_of_c(symbol))
    };
    // A method of C++ stands in its class or outside it: one overload in `store.h`, the other in `store.cc`.
    let paths: BTreeSet<&RepoPath> = targets.iter().map(|it| &it.path).collect();
    let has_same_place = |other: &SymbolRow| {
        (&first.path, first.parent) == (&other.path, other.parent)
            || is_of_c(other) && is_member(first) && are_header_and_source(&paths)
    };
    let is_same =
        |other: &SymbolRow| first.qualified_name == other.qualified_name && has_same_place(other);
    // A condition chooses: `#ifdef A` / `int now(void) {` / `#else` / `inline int now(void) {`, and of Rust
    // `#[cfg(unix)] fn now()` beside `#[cfg(windows)] fn now()`; without conditions the names would collide.
    let is_chosen = |other: &SymbolRow| {
        let is_macro = |it: &SymbolRow| it.signature.starts_with("#define ");
        let is_same = without_specifiers(&other.signature).eq(without_specifiers(&first.signature))
            || is_macro(other) && is_macro(first);
        match family_of(other.path.as_str()) {
            Some(Family::C) => is_same,
            Some(Family::Rust) => other.parent.is_none() && other.kind == first.kind,
            _ => false,
        }
    };
    let n_values = targets.iter().filter(|it| !merges(it.kind)).count();
    rest.iter().all(is_same)
        && (n_values < 2 || targets.iter().all(is_member) || targets.iter().all(is_chosen))
}

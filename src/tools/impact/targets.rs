//! The definitions that a question about a change means: by name, handle, file, or changes.

use super::ImpactQuestion;
use super::changed_lines;
use crate::error::Result;
use crate::model::path::is_at_or_below;
use crate::model::{RepoPath, SymbolKind};
use crate::tools::normalize_input::plain_name;
use crate::tools::places::{
    NamedObject, by_handle, definition_behind, merges, named, path_and_name,
};
use crate::workspace::{SymbolRow, View};

/// The outcome of the look-up.
pub(super) enum Targets<'a> {
    /// The definitions; none where a file or a change has none.
    Found(Vec<SymbolRow>),
    /// A name that no definition has.
    Unknown(&'a str),
}

/// Finds the definitions that are asked about.
pub(super) fn find<'a>(view: &View<'_>, asked: &ImpactQuestion<'a>) -> Result<Targets<'a>> {
    let input = asked.input;
    if let Some(text) = &input.handle {
        return Ok(Targets::Found(match by_handle(view, text)? {
            NamedObject::Symbol(symbol) => definition_behind(view, *symbol)?,
            NamedObject::File(path) => of_file(view, &path)?,
        }));
    }
    if let Some(name) = &input.symbol {
        let (own_path, name) = match asked.path {
            Some(_) => (None, name.as_str()),
            None => path_and_name(view, name)?,
        };
        let name = plain_name(name);
        let found = named(view, name, asked.path.or(own_path.as_ref()))?;
        return Ok(found.map_or(Targets::Unknown(name), Targets::Found));
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

fn of_file(view: &View<'_>, path: &RepoPath) -> Result<Vec<SymbolRow>> {
    match view.read.file(path.as_str())? {
        Some(file) => Ok(view.read.symbols_of(file.id)?),
        None => Err(view.why_absent(path)),
    }
}

/// Whether these are one definition to whoever names it: the getter and the setter of one property, the
/// overloads of one method, a class, function or constant with the types and namespaces of its name.
pub(in crate::tools) fn is_one(targets: &[SymbolRow]) -> bool {
    let [first, rest @ ..] = targets else {
        return true;
    };
    let is_member = |symbol: &SymbolRow| {
        matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property) && symbol.parent.is_some()
    };
    let is_same = |other: &SymbolRow| {
        (&first.path, first.parent, &first.qualified_name)
            == (&other.path, other.parent, &other.qualified_name)
    };
    let n_values = targets.iter().filter(|it| !merges(it.kind)).count();
    rest.iter().all(is_same) && (n_values < 2 || targets.iter().all(is_member))
}

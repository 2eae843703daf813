//! `cl_map` of one definition: the names that a function binds, or the members of a class.

use super::answer::{FreshnessFields, MAX_LIST_BYTES, n_within_bytes};
use super::map::{MapInput, MapOutput};
use super::map_lists::{ListedSymbol, MAX_LIMIT};
use super::named_object::{NamedObject, by_handle};
use super::number::clamp;
use super::places::uses;
use crate::error::{Error, Result};
use crate::model::SymbolKind;
use crate::uses::FunctionLocals;
use crate::workspace::{View, language_of};

/// Names of an answer whose caller names no limit.
const DEFAULT_LIMIT: usize = 100;

/// Answers with the names in the definition of a handle, by line.
///
/// # Errors
/// `unknown_handle`; `invalid_argument` for a chunk that belongs to no definition.
pub(super) fn answer(view: &View<'_>, handle: &str, input: &MapInput) -> Result<MapOutput> {
    let NamedObject::Symbol(symbol) = by_handle(view, handle)? else {
        return Err(Error::invalid(
            "the handle is of a part of a file that belongs to no definition",
            "pass the file as `path`",
        ));
    };
    let mut freshness_fields = FreshnessFields::of(view);
    let path = &symbol.path;
    let is_frame = matches!(
        symbol.kind,
        SymbolKind::Class
            | SymbolKind::Interface
            | SymbolKind::Type
            | SymbolKind::Enum
            | SymbolKind::Namespace
            | SymbolKind::Module
            | SymbolKind::Heading
    );
    let found = if is_frame {
        FunctionLocals::NoFunction
    } else {
        uses(view).locals(&symbol)?
    };
    let names = match found {
        FunctionLocals::Found(locals) => {
            let locals = locals.into_iter();
            locals
                .map(|local| ListedSymbol::of_local(path, local))
                .collect()
        }
        FunctionLocals::NoFunction => members(view, &symbol)?,
        FunctionLocals::NotRead => {
            let language = language_of(path).id;
            return Err(Error::invalid(
                format!("the names inside this function ({language}) are not read"),
                "read the function: expand its handle",
            ));
        }
        FunctionLocals::OutOfTime => {
            return Err(Error::invalid(
                "there was no time to read the function",
                "ask again, with more time",
            ));
        }
        FunctionLocals::Moved => {
            freshness_fields.mark_moved();
            Vec::new()
        }
    };
    let mut output = MapOutput::of_names(view, names, freshness_fields);
    output.cut(|names| {
        let limit = clamp(input.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT);
        names.truncate(limit);
        names.truncate(n_within_bytes(names, MAX_LIST_BYTES));
    });
    Ok(output)
}

/// Returns the definitions inside a definition that is no function.
fn members(view: &View<'_>, symbol: &crate::workspace::SymbolRow) -> Result<Vec<ListedSymbol>> {
    let Some(file) = view.read.file(symbol.path.as_str())? else {
        return Ok(Vec::new());
    };
    let all = view.read.symbols_of(file.id)?;
    let inner = all
        .iter()
        .filter(|it| it.id != symbol.id && symbol.span.contains(&it.span));
    Ok(inner.map(|it| ListedSymbol::of(view, it)).collect())
}

//! The definitions that implement an interface or a method of one: they have to change with it.
//!
//! Types that name the interface they implement (`class Disk implements Store`) are among its callers; here are those that
//! satisfy it without a word, as in Go.

use super::ImpactOutput;
use crate::error::Result;
use crate::graph::impact::WalkStart;
use crate::model::{Provenance, SymbolKind};
use crate::tools::answer::truncate_to_bytes;
use crate::uses::Uses;
use crate::workspace::{SymbolRow, View};

/// Adds them as `path:line name`, as many as take `max_bytes`, and returns how many there are and whether there may be more. `starts` are the target and the
/// definitions that stand for it where code runs, and whether there may be more of these.
pub(super) fn add(
    view: &View<'_>,
    uses: &Uses<'_>,
    target: &SymbolRow,
    (starts, are_starts_cut): (&[WalkStart], bool),
    max_bytes: usize,
    output: &mut ImpactOutput,
) -> Result<(usize, bool)> {
    let (rows, is_cut) = match target.kind {
        SymbolKind::Interface => uses.satisfying_types(target)?,
        SymbolKind::Method if is_of_interface(view, target)? => {
            (implementing(view, starts)?, are_starts_cut)
        }
        _ => return Ok((0, false)),
    };
    output.truncated |= is_cut;
    let mut all: Vec<(&str, u32, &str)> = rows
        .iter()
        .filter(|row| !view.is_gone(&row.path))
        .map(|row| {
            (
                row.path.as_str(),
                row.name_line,
                row.qualified_name.as_str(),
            )
        })
        .collect();
    all.sort_unstable();
    let mut list: Vec<String> = all
        .iter()
        .map(|(path, line, name)| format!("{path}:{line} {name}"))
        .collect();
    truncate_to_bytes(&mut list, max_bytes);
    output.truncated |= list.len() < all.len();
    output.implemented_by = list;
    Ok((all.len(), is_cut))
}

/// Returns the methods among `starts` that run where a method of an interface is called; those of other interfaces run nothing.
fn implementing(view: &View<'_>, starts: &[WalkStart]) -> Result<Vec<SymbolRow>> {
    let mut rows = Vec::new();
    let starts = starts.iter().filter(|it| it.class == Provenance::Dispatch);
    for start in starts {
        if let Some(row) = view.read.symbol_by_id(start.definition)?
            && !is_of_interface(view, &row)?
        {
            rows.push(row);
        }
    }
    Ok(rows)
}

fn is_of_interface(view: &View<'_>, row: &SymbolRow) -> Result<bool> {
    let (Some(parent), Some(file)) = (row.parent, view.read.file(row.path.as_str())?) else {
        return Ok(false);
    };
    let ids = view.read.symbol_ids(file.id)?;
    let kind = match ids.get(parent as usize) {
        Some(parent) => view.read.kind_of(*parent)?,
        None => None,
    };
    Ok(kind == Some(SymbolKind::Interface))
}

//! Fields and variables that a function is assigned to: calls of them may run it, as `server.handle()` after `server.handle = open`.
//!
//! The assignments are facts of the files that name the function; which field or variable each means is found when it is asked.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::cache::FactsCache;
use super::file::LinkedFile;
use super::linker::Linker;
use super::lookup::UseMeaning;
use super::name_binder::DefinitionId;
use crate::ir::{Binding, Expr, ExprId, Reference, ReferenceKind, SymbolIdx, Target};
use crate::model::{EdgeKind, FileId, SymbolKind};
use crate::store::{Read, StoreError};

/// Files with uses of one function that are looked through.
const MAX_FILES: usize = 300;

/// Returns the fields and variables that a function is assigned to, and whether there may be more.
pub(super) fn assigned_to(
    read: &Read<'_>,
    cache: &FactsCache<'_>,
    file: &LinkedFile,
    function: SymbolIdx,
) -> Result<(BTreeSet<DefinitionId>, bool), StoreError> {
    let mut found = BTreeSet::new();
    let Some(row) = file.ids.get(function as usize) else {
        return Ok((found, false));
    };
    let edges = read.edges_into(*row)?.into_iter();
    let named = edges.filter(|edge| edge.kind == EdgeKind::References);
    let files: BTreeSet<FileId> = named.map(|edge| edge.src_file).collect();
    let wanted = file.definition(function);
    let name = &file.symbol(function).name;
    for at in files.iter().take(MAX_FILES) {
        let Some(loaded) = cache.get(*at) else {
            continue;
        };
        let linker = Linker::new(cache, Rc::clone(&loaded));
        for binding in &loaded.facts.bindings {
            if let Some((to, value)) = binding.assignment(&loaded.facts.exprs)
                && last_name(&loaded, value) == Some(name)
                && is_definition(&linker, &loaded, value, wanted)
            {
                found.extend(slot(&linker, &loaded, binding, to));
            }
        }
    }
    Ok((found, files.len() > MAX_FILES))
}

fn last_name(file: &LinkedFile, expr: ExprId) -> Option<&str> {
    match file.expr(expr) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => {
            Some(file.facts.exprs.name_of(*name))
        }
        _ => None,
    }
}

fn is_definition(
    linker: &Linker<'_, '_>,
    file: &Rc<LinkedFile>,
    value: ExprId,
    wanted: DefinitionId,
) -> bool {
    linker.refuel();
    let value = linker.infer(file, value, None);
    value.and_then(|it| it.definition()) == Some(wanted)
}

/// Returns the field or variable that an assignment means.
fn slot(
    linker: &Linker<'_, '_>,
    file: &LinkedFile,
    binding: &Binding,
    to: ExprId,
) -> Option<DefinitionId> {
    let (name, target) = match file.expr(to) {
        Expr::Name { name, .. } => (*name, Target::Lexical),
        Expr::Member { object, name } => {
            let target = Target::Member {
                receiver: *object,
                is_inferred: true,
            };
            (*name, target)
        }
        _ => return None,
    };
    let used = Reference {
        name,
        target,
        kind: ReferenceKind::Value,
        symbol: binding.owner,
        line: 0,
        count: 1,
    };
    let UseMeaning::Bound(bound) = linker.bind(&used) else {
        return None;
    };
    let (module, at) = bound.to;
    let there = linker.cache.get(module)?;
    let is_slot = matches!(
        there.symbol(at).kind,
        SymbolKind::Field | SymbolKind::Variable
    );
    is_slot.then(|| there.definition(at))
}

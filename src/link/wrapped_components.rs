//! Components that are handed to a call whose result stands for them: uses of `Row` in `const Row = memo(PlainRow)` and of the default
//! import in `export default connect(select)(Page)` run `PlainRow` and `Page`.
//!
//! The calls are facts of the files that name the component; they are found when it is asked.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::cache::FactsCache;
use super::file::LinkedFile;
use super::linker::Linker;
use super::name_binder::DefinitionId;
use crate::ir::{Expr, ExprId, SymbolIdx};
use crate::model::{FileId, SymbolKind};
use crate::store::{Read, StoreError};

/// Files with uses of one component that are looked through.
const MAX_FILES: usize = 100;

/// Wrappers around wrappers of one component.
const MAX_WRAPPERS: usize = 16;

/// Calls inside of calls that are looked through: `withRouter(observer(Page))`.
const MAX_CALLS: usize = 4;

/// The name of a default export without a name of its own.
const DEFAULT: &str = "default";

/// Returns the constants and default exports that hold the result of a call which is given a component, or one of these itself, and
/// whether there may be more. A component is a function or class whose name begins with a capital letter.
pub(super) fn wrappers_of(
    read: &Read<'_>,
    cache: &FactsCache<'_>,
    file: &LinkedFile,
    component: SymbolIdx,
) -> Result<(BTreeSet<DefinitionId>, bool), StoreError> {
    let mut found = BTreeSet::new();
    let symbol = file.symbol(component);
    let is_component = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Class)
        && symbol.parent.is_none()
        && names_component(&symbol.name);
    if !is_component {
        return Ok((found, false));
    }
    let mut is_cut = false;
    let mut open = vec![file.definition(component)];
    while let Some(wanted) = open.pop() {
        let Some(row) = read.symbol_ids(wanted.0)?.get(wanted.1 as usize).copied() else {
            continue;
        };
        let edges = read.edges_into(row)?.into_iter();
        let files: BTreeSet<FileId> = edges.map(|edge| edge.src_file).collect();
        is_cut |= files.len() > MAX_FILES;
        for at in files.into_iter().take(MAX_FILES) {
            let Some(loaded) = cache.get(at) else {
                continue;
            };
            let linker = Linker::new(cache, Rc::clone(&loaded));
            for wrapper in holders(&loaded) {
                let value = loaded.top_value(&loaded.symbol(wrapper).name);
                if value.is_some_and(|value| is_given(&linker, &loaded, value, wanted, 0))
                    && found.insert(loaded.definition(wrapper))
                {
                    open.push(loaded.definition(wrapper));
                }
            }
        }
        if found.len() > MAX_WRAPPERS {
            return Ok((found, true));
        }
    }
    Ok((found, is_cut))
}

/// Returns the constants and the default export of a file that may hold a component.
fn holders(file: &LinkedFile) -> Vec<SymbolIdx> {
    let all = (0..).zip(&file.facts.symbols);
    let holders = all.filter(|(_, it)| {
        let is_value = matches!(it.kind, SymbolKind::Constant | SymbolKind::Variable)
            || it.kind == SymbolKind::Module && it.name == DEFAULT;
        is_value && it.parent.is_none() && names_component(&it.name)
    });
    holders.map(|(at, _)| at).collect()
}

fn names_component(name: &str) -> bool {
    name == DEFAULT || name.starts_with(char::is_uppercase)
}

/// Whether a value is the result of a call that is given a definition.
fn is_given(
    linker: &Linker<'_, '_>,
    file: &Rc<LinkedFile>,
    value: ExprId,
    wanted: DefinitionId,
    depth: usize,
) -> bool {
    let Expr::Call { args, .. } = file.expr(value) else {
        return false;
    };
    args.iter().any(|arg| match file.expr(*arg) {
        Expr::Name { .. } | Expr::Member { .. } => {
            linker.refuel();
            let found = linker.infer(file, *arg, None);
            found.and_then(|it| it.definition()) == Some(wanted)
        }
        Expr::Call { .. } => depth < MAX_CALLS && is_given(linker, file, *arg, wanted, depth + 1),
        _ => false,
    })
}

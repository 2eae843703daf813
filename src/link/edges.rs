//! Binds the uses of one file and counts them by definition: the edges of the file. `lookup` binds one use.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cache::FactsCache;
use super::file::LinkedFile;
use super::linker::Linker;
use super::lookup::{BoundUse, UseMeaning};
use super::rules;
use super::unit_imports::UnitImports;
use crate::ir::{Expr, ExprId, NameId, Reference, ReferenceKind, SymbolIdx, Target};
use crate::model::hash::HashSet;
use crate::model::{EdgeKind, FileId, ModuleId, Provenance, SymbolId, SymbolKind};
use crate::store::{EdgeRow, StoreError, UnboundForm, UnboundRow};

/// The result of linking one file.
#[derive(Default)]
pub(super) struct Links {
    pub(super) edges: Vec<EdgeRow>,
    pub(super) unbound: Vec<UnboundRow>,
    /// The interfaces that it depends on: files, with the buckets of names that were looked up.
    pub(super) dependencies: Vec<(ModuleId, u64)>,
    /// The files behind imports of units, each with the place of the import.
    pub(super) import_files: Vec<(u32, FileId)>,
}

/// An edge from a definition, or the file's top level, to another.
type Edge = (Option<SymbolId>, SymbolId, EdgeKind, Provenance);

/// Binds the uses of a file. Uses of a definition within itself are left out.
pub(super) fn of_file(cache: &FactsCache<'_>, file: FileId) -> Result<Links, StoreError> {
    // Without a class that names it markup is text.
    let is_text =
        |own: &LinkedFile| own.facts.is_template && cache.template_owners(file.into()).is_empty();
    let (mut links, dependencies) = cache.link(file, |own| match own {
        Some(own) if !is_text(&own) => bind_uses(cache, &own),
        _ => Links::default(),
    })?;
    links.dependencies = dependencies;
    Ok(links)
}

/// Binds the uses of a file of which the facts are loaded; without its dependencies.
#[expect(
    clippy::too_many_lines,
    reason = "one pass, whose steps are read in order"
)]
fn bind_uses(cache: &FactsCache<'_>, own: &Rc<LinkedFile>) -> Links {
    let mut edges: BTreeMap<Edge, (u32, u32)> = BTreeMap::new();
    let mut unbound: BTreeMap<(String, UnboundForm), (u32, u32)> = BTreeMap::new();
    let linker = Linker::new(cache, Rc::clone(own));
    let assigned = assigned_members(own);
    let mut units = UnitImports::of(cache, own);
    for used in &own.facts.references {
        if used.kind == ReferenceKind::Listed {
            continue;
        }
        let is_call = matches!(
            used.kind,
            ReferenceKind::Call
                | ReferenceKind::New
                | ReferenceKind::Jsx
                | ReferenceKind::Decorator
        );
        // The root of a chain is a use of its own where no scope of the file binds it, and a member of an object that
        // is no definition is a use of the object.
        if let Some(root) = linker
            .auto_root(used)
            .or_else(|| linker.object_imported_from(used))
            && let Some(dst) = row_of(cache, root.to)
        {
            let src = attributed_owner(own, used.symbol);
            let src = src.and_then(|at| own.ids.get(at as usize).copied());
            let key = (src, dst, EdgeKind::References, root.provenance);
            let edge = edges.entry(key).or_insert((0, used.line));
            add(edge, used.count, used.line);
        }
        let (one, several);
        let bound: &[BoundUse] = match linker.bind(used) {
            UseMeaning::Bound(bound) => {
                one = bound;
                std::slice::from_ref(&one)
            }
            UseMeaning::OfUnion(all) => {
                several = all;
                &several
            }
            UseMeaning::External
            | UseMeaning::KeywordArgument
            | UseMeaning::FieldOfUnnamedStruct => continue,
            UseMeaning::Unknown => &[],
        };
        if bound.is_empty() && used.kind == ReferenceKind::Quoted {
            continue;
        }
        if bound.is_empty() {
            let mut form = qualifier_of(own, used);
            form.set(UnboundForm::CALL, is_call);
            // The name of a type, where which of those of the repository it means is not known.
            let is_type = used.kind == ReferenceKind::Type && linker.rules().has_partial_types;
            if !form.is_empty() || is_type {
                let key = (own.facts.name(used).to_owned(), form);
                add(
                    unbound.entry(key).or_insert((0, used.line)),
                    used.count,
                    used.line,
                );
            }
            continue;
        }
        for bound in bound {
            let (target, at) = bound.to;
            units.note(own, used, target);
            if target == own.file && used.symbol == Some(at) {
                continue;
            }
            let is_defining = used
                .symbol
                .is_some_and(|it| assigned.contains(&(it, used.name)));
            let count = used.count - u32::from(is_defining && used.kind == ReferenceKind::Value);
            if count == 0 {
                continue;
            }
            let Some(dst) = row_of(cache, bound.to) else {
                continue;
            };
            // `typeof f` in a signature is erased: it makes the file depend on `f`, not who calls its owner.
            let is_erased = used.kind.is_of_type() && !linker.is_type(target, at);
            let src = attributed_owner(own, used.symbol)
                .filter(|_| !is_erased)
                .and_then(|at| own.ids.get(at as usize).copied());
            let kind = if is_call {
                EdgeKind::Calls
            } else {
                EdgeKind::References
            };
            let key = (src, dst, kind, bound.provenance);
            add(edges.entry(key).or_insert((0, used.line)), count, used.line);
        }
    }
    for bridge in linker.bridges() {
        let Some(dst) = row_of(cache, bridge.to) else {
            continue;
        };
        let src = attributed_owner(own, bridge.from);
        let src = src.and_then(|at| own.ids.get(at as usize).copied());
        if src != Some(dst) {
            let key = (src, dst, EdgeKind::Calls, Provenance::Bridge);
            add(edges.entry(key).or_insert((0, bridge.line)), 1, bridge.line);
        }
    }
    let mut import_files = units.files(cache, own);
    if linker.rules().has_module_tree {
        import_files.extend(linker.files_of_paths());
        import_files.sort_unstable();
        import_files.dedup();
    }
    Links {
        import_files,
        edges: edges
            .into_iter()
            .map(|((src, dst, kind, provenance), (count, line))| EdgeRow {
                src_file: own.file.file(),
                src,
                dst,
                kind,
                provenance,
                count,
                line,
            })
            .collect(),
        unbound: unbound
            .into_iter()
            .map(|((name, form), (count, line))| UnboundRow {
                name,
                form,
                count,
                line,
            })
            .collect(),
        dependencies: Vec::new(),
    }
}

/// Returns the form of a use by the thing before its name: a member, the last name of a path (`Store::open` of Rust), or neither.
fn qualifier_of(own: &LinkedFile, used: &Reference) -> UnboundForm {
    let rules = rules::of(own);
    match used.target {
        Target::Member {
            is_inferred: false, ..
        } if rules.is_rust() => UnboundForm::PATH,
        Target::Member { .. } | Target::Markup(_) => UnboundForm::MEMBER,
        // The method of a value of which nothing is known.
        Target::Unknown if rules.is_rust() => UnboundForm::MEMBER,
        // The code of a rule has the scopes of each call around: `helper()` may be that of another module.
        Target::Lexical if rules.is_rust() && is_in_macro(own, used) => UnboundForm::PATH,
        Target::Value(value) if rules.is_c() && is_call_of_member(own, value) => {
            UnboundForm::MEMBER
        }
        _ => UnboundForm::empty(),
    }
}

/// Whether a use stands in a rule of a macro.
fn is_in_macro(own: &LinkedFile, used: &Reference) -> bool {
    let symbol = used.symbol.map(|at| &own.facts.symbols[at as usize]);
    symbol.is_some_and(|it| it.kind == SymbolKind::Macro)
}

/// Whether an expression is the callee of `store->open()`.
fn is_call_of_member(own: &LinkedFile, value: ExprId) -> bool {
    let Expr::Callee { call } = own.expr(value) else {
        return false;
    };
    match own.expr(*call) {
        Expr::Call { callee, .. } => matches!(own.expr(*callee), Expr::Member { .. }),
        _ => false,
    }
}

/// Returns the row of a definition.
fn row_of(cache: &FactsCache<'_>, (file, at): (ModuleId, u32)) -> Option<SymbolId> {
    cache.get(file)?.ids.get(at as usize).copied()
}

/// Returns the members that assignments define, with the names of the functions that they are given to: `open.later` and `open` in
/// `open.later = () => …`, which is no use of `open`.
fn assigned_members(own: &LinkedFile) -> HashSet<(SymbolIdx, NameId)> {
    let mut found = HashSet::default();
    if !rules::of(own).is_ecmascript() {
        return found;
    }
    for used in &own.facts.references {
        let Some(symbol) = used.symbol else { continue };
        let Target::Member { receiver, .. } = used.target else {
            continue;
        };
        let defined = own.symbol(symbol);
        let is_target = used.kind == ReferenceKind::Value
            && defined.kind == SymbolKind::Method
            && own.facts.name(used) == defined.name;
        let is_of_function = |it: u32| own.symbol(it).kind == SymbolKind::Function;
        if is_target
            && defined.parent.is_some_and(is_of_function)
            && let Some(name) = root_of_chain(own, receiver)
        {
            found.insert((symbol, name));
        }
    }
    found
}

/// Returns the name that a chain of names begins with.
fn root_of_chain(own: &LinkedFile, expr: ExprId) -> Option<NameId> {
    match own.expr(expr) {
        Expr::Name { name, .. } => Some(*name),
        Expr::Member { object, .. } => root_of_chain(own, *object),
        _ => None,
    }
}

/// The definition to which a use is attributed. A callback assigned to a member of an object that is no definition
/// (`options.done = () => …`) cannot be found by its callers, so that its uses count for the definition around it.
fn attributed_owner(file: &LinkedFile, symbol: Option<u32>) -> Option<u32> {
    let mut at = symbol;
    while let Some(here) = at {
        let symbol = file.symbol(here);
        let is_given = matches!(
            symbol.kind,
            SymbolKind::Method | SymbolKind::Class | SymbolKind::Property
        );
        let in_literal = symbol
            .parent
            .is_some_and(|parent| file.names_object(parent));
        if !is_given || in_literal || file.object_around(here).is_none() {
            return at;
        }
        at = symbol.parent;
    }
    None
}

fn add(known: &mut (u32, u32), count: u32, line: u32) {
    known.0 += count;
    known.1 = known.1.min(line);
}

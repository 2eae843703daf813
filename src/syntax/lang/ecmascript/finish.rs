//! The facts of the file, made of the records of the walk: exported symbols, references without local names, bindings.

use super::angular::InlineTemplate;
use super::builder::FileBuilder;
use super::expr_builder::Start;
use super::names::plain_receiver;
use super::pending::PendingReference;
use super::resolve_locals::LocalResolver;
use crate::ir::{
    AMBIENT_UNIT, Binding, Export, ExportKind, Expr, ExprArena, ExprId, FileFacts, Import,
    ImportKind, Reference, ReferenceKind, Target,
};
use crate::model::Symbol;
use crate::model::hash::{HashMap, HashSet};
use crate::syntax::chunk::SymbolOutline;
use crate::syntax::scope::Lookup;

/// The facts of one script, with the comments above its symbols, which chunks include.
#[derive(Debug, Default)]
pub(in crate::syntax) struct LoweredScript {
    /// The facts.
    pub(in crate::syntax) facts: FileFacts,
    /// For each symbol the byte at which the comments above it begin.
    pub(in crate::syntax) leads: Vec<u32>,
    /// Each use by the first byte of its name, in source order; empty unless it was asked for.
    pub(in crate::syntax) positions: Vec<UsePosition>,
    /// The names that the script binds for the whole file, imports among them, sorted; empty unless they were asked for.
    pub(in crate::syntax) names: Vec<String>,
    /// Templates of Angular inside strings, in source order.
    pub(in crate::syntax) templates: Vec<InlineTemplate>,
}

impl LoweredScript {
    /// Returns its symbols for cutting it into chunks.
    pub(in crate::syntax) fn outline(&self) -> SymbolOutline<'_> {
        SymbolOutline {
            symbols: &self.facts.symbols,
            leads: &self.leads,
        }
    }

    /// Returns the facts of a script that costs too much to parse.
    pub(super) fn unreadable() -> Self {
        let mut script = Self::default();
        script.facts.has_errors = true;
        script
    }
}

/// The place of one use. [`Reference`] counts uses that are equal; this tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) struct UsePosition {
    /// First byte of the name.
    pub(in crate::syntax) start: u32,
    /// The binding that the file alone tells.
    pub(in crate::syntax) used: PositionedUse,
}

/// The role of one use of a name among the facts of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) enum PositionedUse {
    /// One of the uses of this reference, an index into [`FileFacts::references`].
    Of(u32),
    /// A local scope binds it: `job` inside `function run(job) { job() }`.
    Local,
    /// No scope of the file binds it and facts leave it out: `window` in `window.open()`.
    Global,
}

impl LoweredScript {
    /// Puts symbols in the order of their first byte, the wider first, and parents before members.
    pub(in crate::syntax) fn sort(&mut self) {
        let symbols = &self.facts.symbols;
        let key = |at: usize| (symbols[at].span.start_byte, at);
        if (1..symbols.len()).all(|at| key(at - 1) <= key(at)) {
            return;
        }
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        order.sort_by_key(|&at| key(at));
        let mut place = vec![0_u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = u32::try_from(new).unwrap_or(u32::MAX);
        }
        let (mut sorted, mut leads) = (
            Vec::with_capacity(order.len()),
            Vec::with_capacity(order.len()),
        );
        let symbols = std::mem::take(&mut self.facts.symbols).into_iter();
        let mut symbols: Vec<Option<Symbol>> = symbols.map(Some).collect();
        for (new, &old) in order.iter().enumerate() {
            let Some(mut symbol) = symbols[old].take() else {
                continue;
            };
            // A parent that begins after its member is none to an outline.
            symbol.parent = symbol
                .parent
                .map(|parent| place[parent as usize])
                .filter(|&parent| (parent as usize) < new);
            sorted.push(symbol);
            leads.push(self.leads[old]);
        }
        self.renumber(|symbol| place[symbol as usize]);
        self.facts.symbols = sorted;
        self.leads = leads;
    }

    /// Gives references, bindings and expressions the new numbers of their symbols.
    pub(in crate::syntax) fn renumber(&mut self, new: impl Fn(u32) -> u32) {
        for reference in &mut self.facts.references {
            reference.symbol = reference.symbol.map(&new);
            if let Target::Symbol(symbol) = &mut reference.target {
                *symbol = new(*symbol);
            }
        }
        for binding in &mut self.facts.bindings {
            binding.owner = binding.owner.map(&new);
        }
        self.facts.exprs.renumber(new);
    }
}

/// Ends the pass.
pub(super) fn finish(mut b: FileBuilder<'_>, has_errors: bool) -> LoweredScript {
    b.scopes.leave(0);
    b.scopes.close();
    mark_exported(&mut b);
    export_members_of_module(&mut b);
    offer_to_all(&mut b);
    let variables = variables(&b);
    b.imports.sort_by_key(|import| import.line);
    b.imports.push(Import {
        specifier: AMBIENT_UNIT.to_owned(),
        kind: ImportKind::Scope,
        type_only: false,
        line: 1,
        names: Vec::new(),
    });
    let mut positions = Vec::new();
    let (references, bindings, exprs) = references(&mut b, &mut positions);
    // `{ retries }` names a variable and a member: the one that is known without a type counts.
    positions.sort_by_key(|position| {
        let rank = match position.used {
            PositionedUse::Of(at) => match references[at as usize].target {
                Target::Member { .. } => 1,
                _ => 0,
            },
            PositionedUse::Local | PositionedUse::Global => 2,
        };
        (position.start, rank)
    });
    positions.dedup_by_key(|position| position.start);
    let (mut symbols, leads): (Vec<_>, Vec<_>) = b
        .symbols
        .into_iter()
        .map(|draft| (draft.symbol, draft.lead))
        .unzip();
    let names = if b.keeps_names {
        b.scopes.names_of_file()
    } else {
        Vec::new()
    };
    let mut script = LoweredScript {
        names,
        facts: FileFacts {
            symbols: Vec::new(),
            imports: b.imports,
            exports: b.exports,
            references,
            bindings,
            exprs,
            variables,
            has_errors,
            ..FileFacts::default()
        },
        leads,
        positions,
        templates: Vec::new(),
    };
    script.facts.symbols.append(&mut symbols);
    script.facts.exports.sort_by_key(|export| export.line);
    script.sort();
    script
}

/// Returns the names of the top level that are no definitions and no imports.
fn variables(b: &FileBuilder<'_>) -> Vec<String> {
    let mut variables = b.scopes.variables_of_file();
    let imports = b.imports.iter().flat_map(|import| &import.names);
    let imported: HashSet<&str> = imports.map(|name| name.local.as_str()).collect();
    variables.retain(|name| !imported.contains(name));
    variables.sort_unstable();
    variables.into_iter().map(str::to_owned).collect()
}

fn mark_exported(b: &mut FileBuilder<'_>) {
    for at in 0..b.symbols.len() {
        let draft = &b.symbols[at];
        let exported = match draft.symbol.parent {
            _ if draft.private => false,
            Some(parent) if draft.member => b.symbols[parent as usize].symbol.exported,
            Some(_) => false,
            None if draft.member => {
                // The object is defined further down, or nowhere in this file.
                let root = draft.symbol.qualified_name.split('.').next();
                root.is_some_and(|root| b.exported_names.contains(root))
            }
            None => draft.symbol.exported || b.exported_names.contains(&draft.symbol.name),
        };
        b.symbols[at].symbol.exported = exported;
    }
}

/// Offers all files what a script declares for them, and what a module declares in `global`.
fn offer_to_all(b: &mut FileBuilder<'_>) {
    let is_of_file = |it: &Export| b.scopes.lookup(&it.local, 0) == Lookup::FileScope;
    let offered = std::mem::take(&mut b.offered_to_all).into_iter();
    let mut offered: Vec<Export> = offered
        .filter(|(export, in_global)| *in_global || !b.is_module && is_of_file(export))
        .map(|(export, _)| export)
        .collect();
    // A value says more than the type of its name: both are found from there.
    offered.sort_by_key(|export| export.type_only);
    let mut seen = HashSet::default();
    offered.retain(|export| seen.insert(export.name.clone()));
    b.exports.append(&mut offered);
}

/// Members given to the object that the module is (`module.exports = app; app.use = …`) are names that
/// the module offers.
fn export_members_of_module(b: &mut FileBuilder<'_>) {
    let whole: std::collections::HashSet<&str> = b
        .exports
        .iter()
        .filter(|export| export.kind == ExportKind::Assignment && export.specifier.is_empty())
        .map(|export| export.local.as_str())
        .collect();
    if whole.is_empty() {
        return;
    }
    let mut offered = Vec::new();
    for draft in &b.symbols {
        let symbol = &draft.symbol;
        let Some((object, name)) = symbol.qualified_name.split_once('.') else {
            continue;
        };
        let given = draft.member && symbol.exported && whole.contains(object);
        let by_assignment = symbol.parent.is_none_or(|parent| {
            !b.symbols[parent as usize]
                .symbol
                .span
                .contains(&symbol.span)
        });
        if given && by_assignment && name == symbol.name {
            offered.push(Export {
                kind: ExportKind::Local,
                name: name.to_owned(),
                local: symbol.qualified_name.clone(),
                specifier: String::new(),
                type_only: false,
                line: symbol.span.start_line,
            });
        }
    }
    b.exports.append(&mut offered);
}

/// The references of the file, each once with a count, the bindings of its symbols, and the expressions of both.
fn references(
    b: &mut FileBuilder<'_>,
    positions: &mut Vec<UsePosition>,
) -> (Vec<Reference>, Vec<Binding>, ExprArena) {
    let mut uses = std::mem::take(&mut b.references);
    uses.sort_by_key(|used| used.line);
    let mut resolver = LocalResolver::new(b);
    let given = assigned_names(b);
    let mut references: Vec<Reference> = Vec::new();
    let mut known = HashMap::default();
    known.reserve(uses.len() / 2);
    for used in &uses {
        let used = &store_subscription(b, *used);
        let kept = target_of_use(b, used, &given, &mut resolver);
        let Some(target) = kept else {
            if b.keeps_positions {
                positions.push(unrecorded_use(b, used));
            }
            continue;
        };
        let key = (used.name, target, used.kind, used.symbol);
        let at = *known.entry(key).or_insert(references.len());
        if b.keeps_positions {
            positions.push(UsePosition {
                start: used.start,
                used: PositionedUse::Of(u32::try_from(at).unwrap_or(u32::MAX)),
            });
        }
        if let Some(reference) = references.get_mut(at) {
            reference.count += 1;
            continue;
        }
        references.push(Reference {
            name: resolver.exprs.arena.name(used.name),
            target,
            kind: used.kind,
            symbol: used.symbol,
            line: used.line,
            count: 1,
        });
    }
    let (bindings, exprs) = resolver.finish();
    (references, bindings, exprs)
}

/// Returns a use of `$a` as the use of `a` where the file binds only that.
fn store_subscription<'a>(b: &FileBuilder<'a>, used: PendingReference<'a>) -> PendingReference<'a> {
    if !b.has_stores || b.scopes.lookup(used.name, used.scope) != Lookup::Unresolved {
        return used;
    }
    let store = used.of_store();
    let store = store.filter(|it| b.scopes.lookup(it.name, 0) == Lookup::FileScope);
    store.unwrap_or(used)
}

/// Returns the position of a use that is no reference.
fn unrecorded_use<'a>(b: &FileBuilder<'a>, used: &PendingReference<'a>) -> UsePosition {
    let used_by = match b.scopes.lookup(used.name, used.scope) {
        Lookup::Unresolved => PositionedUse::Global,
        _ => PositionedUse::Local,
    };
    UsePosition {
        start: used.start,
        used: used_by,
    }
}

/// Names that are assigned to an object, `exports.open = …`, `target.open = …`: a bare `open` means something of the
/// runtime's instead.
fn assigned_names<'b>(b: &'b FileBuilder<'_>) -> HashSet<&'b str> {
    let exports = b.exports.iter();
    let exported = exports.filter(|it| it.kind == ExportKind::Local && it.local.is_empty());
    let symbols = b.symbols.iter().map(|draft| &draft.symbol);
    let members = symbols.filter(|it| it.parent.is_none() && it.qualified_name != it.name);
    let exported = exported.map(|export| export.name.as_str());
    exported.chain(members.map(|it| it.name.as_str())).collect()
}

/// The look-up that a reference needs; `None` for one that is left out.
fn target_of_use<'a>(
    b: &FileBuilder<'a>,
    used: &PendingReference<'a>,
    given: &HashSet<&str>,
    resolver: &mut LocalResolver<'_, 'a>,
) -> Option<Target> {
    if used.receiver.is_empty() {
        let is_by_comment = used.kind.is_of_type() && b.doc_definitions.contains(used.name);
        return Some(match b.scopes.lookup(used.name, used.scope) {
            Lookup::Unresolved if used.root => return None,
            Lookup::FileScope if is_by_comment && !b.top_level.contains_key(used.name) => {
                return None;
            }
            Lookup::Unresolved if given.contains(used.name) => Target::Unknown,
            Lookup::Unresolved | Lookup::FileScope => Target::Lexical,
            Lookup::NestedSymbol(symbol) => Target::Symbol(symbol),
            Lookup::Local(scope) => Target::Value(followed(used, scope, resolver)?),
        });
    }
    if used.receiver == "?" {
        let found = used
            .receiver_binding
            .and_then(|binding| resolver.resolve(binding, 0));
        return Some(Target::Member {
            receiver: found.unwrap_or_else(|| resolver.exprs.unknown()),
            is_inferred: true,
        });
    }
    let chain = plain_receiver(used.receiver);
    let mut names = chain.split('.').filter(|name| !name.is_empty());
    let root = names.next().unwrap_or_default();
    let (first, is_inferred) = match b.scopes.lookup(root, used.scope) {
        Lookup::Unresolved | Lookup::FileScope => (resolver.name(root, used.symbol), false),
        Lookup::NestedSymbol(symbol) => (resolver.exprs.add(Expr::Symbol(symbol)), false),
        Lookup::Local(scope) => match resolver.local(root, scope, 0) {
            Some(local) => (local, true),
            None => (resolver.exprs.unknown(), true),
        },
    };
    Some(Target::Member {
        receiver: names.fold(first, |object, name| resolver.exprs.member(object, name)),
        is_inferred,
    })
}

/// The value of a local name that is called or constructed, where it comes from outside the function, and of one that a pattern takes out of
/// a module: `const { open } = await import('./db'); return open`.
fn followed<'a>(
    used: &PendingReference<'a>,
    scope: u32,
    resolver: &mut LocalResolver<'_, 'a>,
) -> Option<ExprId> {
    let runs = !used.root && used.kind != ReferenceKind::Value && !used.kind.is_of_type();
    if !runs {
        let names = &resolver.builder.module_names;
        let is_of_module = used.kind != ReferenceKind::Type && names.contains(&(used.name, scope));
        let found = is_of_module.then(|| resolver.local(used.name, scope, 0));
        let is_export = |it: &ExprId| matches!(resolver.exprs.get(*it), Expr::Imported { .. });
        return found.flatten().filter(is_export);
    }
    let found = resolver.local(used.name, scope, 0)?;
    // `open` of `const { open } = store`, whatever `store` is an instance of.
    let is_member = matches!(resolver.exprs.get(found), Expr::Member { .. });
    match resolver.exprs.start(found) {
        Start::Value => Some(found),
        Start::New | Start::Type if is_member => Some(found),
        _ => None,
    }
}

//! What can be said only when the whole file was seen: who is exported, which uses are local.
//!
//! Refuses to look at the syntax tree.

use super::angular::InlineTemplate;
use super::exprs::Start;
use super::settle::Hints;
use super::uses::{Use, plain_receiver};
use super::walk::Walk;
use crate::ir::{
    Binding, Export, ExportKind, Expr, ExprArena, ExprId, FileFacts, Reference, ReferenceKind,
    Target,
};
use crate::model::hash::{HashMap, HashSet};
use crate::syntax::chunk::Outline;
use crate::syntax::scope::Binder;

/// The facts of one script, with what cutting it into chunks needs beside them.
#[derive(Debug, Default)]
pub(in crate::syntax) struct Script {
    /// What the script says.
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

impl Script {
    /// Returns its symbols for cutting it into chunks.
    pub(in crate::syntax) fn outline(&self) -> Outline<'_> {
        Outline {
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

/// What one use of a name is to the facts of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) enum PositionedUse {
    /// One of the uses of this reference, an index into [`FileFacts::references`].
    Of(u32),
    /// A local scope binds it: `job` inside `function run(job) { job() }`.
    Local,
    /// No scope of the file binds it and facts leave it out: `window` in `window.open()`.
    Global,
}

impl<'a> Walk<'a> {
    /// Ends the pass.
    pub(super) fn finish(mut self, has_errors: bool) -> Script {
        self.scopes.leave(0);
        self.scopes.close();
        self.mark_exported();
        self.offer_members();
        let variables = self.variables();
        self.imports.sort_by_key(|import| import.line);
        let mut positions = Vec::new();
        let (references, bindings, exprs) = self.references(&mut positions);
        positions.sort_unstable_by_key(|position| position.start);
        let (mut symbols, leads): (Vec<_>, Vec<_>) = self
            .drafts
            .into_iter()
            .map(|draft| (draft.symbol, draft.lead))
            .unzip();
        let names = if self.keeps_names {
            self.scopes.names_of_file()
        } else {
            Vec::new()
        };
        let mut script = Script {
            names,
            facts: FileFacts {
                symbols: Vec::new(),
                imports: self.imports,
                exports: self.exports,
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
    fn variables(&self) -> Vec<String> {
        let mut variables = self.scopes.variables_of_file();
        let imports = self.imports.iter().flat_map(|import| &import.names);
        let imported: HashSet<&str> = imports.map(|name| name.local.as_str()).collect();
        variables.retain(|name| !imported.contains(name));
        variables.sort_unstable();
        variables.into_iter().map(str::to_owned).collect()
    }

    fn mark_exported(&mut self) {
        for at in 0..self.drafts.len() {
            let draft = &self.drafts[at];
            let exported = match draft.symbol.parent {
                _ if draft.private => false,
                Some(parent) if draft.member => self.drafts[parent as usize].symbol.exported,
                Some(_) => false,
                None if draft.member => {
                    // The object is defined further down, or nowhere in this file.
                    let root = draft.symbol.qualified_name.split('.').next();
                    root.is_some_and(|root| self.offered.contains(root))
                }
                None => draft.symbol.exported || self.offered.contains(&draft.symbol.name),
            };
            self.drafts[at].symbol.exported = exported;
        }
    }

    /// Members given to the object that the module is (`module.exports = app; app.use = …`) are names that
    /// the module offers.
    fn offer_members(&mut self) {
        let whole: std::collections::HashSet<&str> = self
            .exports
            .iter()
            .filter(|export| export.kind == ExportKind::Assignment && export.specifier.is_empty())
            .map(|export| export.local.as_str())
            .collect();
        if whole.is_empty() {
            return;
        }
        let mut offered = Vec::new();
        for draft in &self.drafts {
            let symbol = &draft.symbol;
            let Some((object, name)) = symbol.qualified_name.split_once('.') else {
                continue;
            };
            let given = draft.member && symbol.exported && whole.contains(object);
            let by_assignment = symbol.parent.is_none_or(|parent| {
                !self.drafts[parent as usize]
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
        self.exports.append(&mut offered);
    }

    /// Returns the uses that are kept, each once, what the file and its symbols hold, and the expressions of both.
    fn references(
        &mut self,
        positions: &mut Vec<UsePosition>,
    ) -> (Vec<Reference>, Vec<Binding>, ExprArena) {
        let mut uses = std::mem::take(&mut self.uses);
        uses.sort_by_key(|used| used.line);
        let mut hints = Hints::new(self);
        let given = self.given();
        let mut references: Vec<Reference> = Vec::new();
        let mut known = HashMap::default();
        known.reserve(uses.len() / 2);
        for used in &uses {
            let used = &self.subscribed(*used);
            let kept = self.kept(used, &given, &mut hints);
            let Some(target) = kept else {
                if self.keeps_positions {
                    positions.push(self.left_out(used));
                }
                continue;
            };
            let key = (used.name, target, used.kind, used.symbol);
            let at = *known.entry(key).or_insert(references.len());
            if self.keeps_positions {
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
                name: hints.exprs.arena.name(used.name),
                target,
                kind: used.kind,
                symbol: used.symbol,
                line: used.line,
                count: 1,
            });
        }
        let (bindings, exprs) = hints.finish();
        (references, bindings, exprs)
    }

    /// Returns a use of `$a` as the use of `a` where the file binds only that.
    fn subscribed(&self, used: Use<'a>) -> Use<'a> {
        if !self.has_stores || self.scopes.binder(used.name, used.scope) != Binder::Nobody {
            return used;
        }
        let store = used.of_store();
        let store = store.filter(|it| self.scopes.binder(it.name, 0) == Binder::Top);
        store.unwrap_or(used)
    }

    /// Returns the position of a use that is no reference.
    fn left_out(&self, used: &Use<'a>) -> UsePosition {
        let used_by = match self.scopes.binder(used.name, used.scope) {
            Binder::Nobody => PositionedUse::Global,
            _ => PositionedUse::Local,
        };
        UsePosition {
            start: used.start,
            used: used_by,
        }
    }

    /// Returns the names of what is given to an object (`exports.open = …`, `target.open = …`): alone they are not
    /// that, but something of the run time's.
    fn given(&self) -> HashSet<&str> {
        let exports = self.exports.iter();
        let exported = exports.filter(|it| it.kind == ExportKind::Local && it.local.is_empty());
        let symbols = self.drafts.iter().map(|draft| &draft.symbol);
        let members = symbols.filter(|it| it.parent.is_none() && it.qualified_name != it.name);
        let exported = exported.map(|export| export.name.as_str());
        exported.chain(members.map(|it| it.name.as_str())).collect()
    }

    /// Returns what a name that is to be kept is looked up in; `None` for one that is left out.
    fn kept(
        &self,
        used: &Use<'a>,
        given: &HashSet<&str>,
        hints: &mut Hints<'_, 'a>,
    ) -> Option<Target> {
        if used.receiver.is_empty() {
            return Some(match self.scopes.binder(used.name, used.scope) {
                Binder::Nobody if used.root => return None,
                Binder::Nobody if given.contains(used.name) => Target::Unknown,
                Binder::Nobody | Binder::Top => Target::Lexical,
                Binder::Inner(symbol) => Target::Symbol(symbol),
                Binder::Local(scope) => Target::Value(Self::followed(used, scope, hints)?),
            });
        }
        if used.receiver == "?" {
            let found = used.hint.and_then(|raw| hints.settle(raw, 0));
            return Some(Target::Member {
                receiver: found.unwrap_or_else(|| hints.exprs.unknown()),
                is_inferred: true,
            });
        }
        let chain = plain_receiver(used.receiver);
        let mut names = chain.split('.').filter(|name| !name.is_empty());
        let root = names.next().unwrap_or_default();
        let (first, is_inferred) = match self.scopes.binder(root, used.scope) {
            Binder::Nobody | Binder::Top => (hints.name(root, used.symbol), false),
            Binder::Inner(symbol) => (hints.exprs.add(Expr::Symbol(symbol)), false),
            Binder::Local(scope) => match hints.local(root, scope, 0) {
                Some(local) => (local, true),
                None => (hints.exprs.unknown(), true),
            },
        };
        Some(Target::Member {
            receiver: names.fold(first, |object, name| hints.exprs.member(object, name)),
            is_inferred,
        })
    }

    /// Returns what a local name holds that is called or made and has a value from elsewhere.
    fn followed(used: &Use<'a>, scope: u32, hints: &mut Hints<'_, 'a>) -> Option<ExprId> {
        let runs = !used.root && !matches!(used.kind, ReferenceKind::Value | ReferenceKind::Type);
        let found = runs.then(|| hints.local(used.name, scope, 0)).flatten()?;
        (hints.exprs.start(found) == Start::Value).then_some(found)
    }
}

impl Script {
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
        for (new, &old) in order.iter().enumerate() {
            let mut symbol = symbols[old].clone();
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

//! Both states of a difference, to bind names in; a file in them; and the places that mean nothing after the change.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::broken_use::Refusal;
use super::changed_file::place_of;
use super::difference::{Difference, SymbolChange};
use super::modifiers::is_typescript;
use super::undeclared_modules::UndeclaredModules;
use crate::error::Result;
use crate::graph::changes::ChangeKind;
use crate::ir::{
    Export, ExportKind, Expr, ExprId, FileFacts, Import, ImportKind, Reference, Target,
};
use crate::link::is_standard_method;
use crate::link::name_binder::{DefinitionId, FileMeanings, Meaning, NameBinder};
use crate::link::overlay::OverlayFileIds;
use crate::model::{
    Family, FileId, ModuleId, Provenance, RepoPath, Symbol, SymbolFlags, SymbolKind,
};
use crate::store::ImportTarget;
use crate::syntax::{Language, UseKind};

/// Both states of a difference, to bind names in.
pub(super) struct BeforeAfter<'a> {
    pub(super) difference: &'a Difference,
    pub(super) overlay_ids: Vec<OverlayFileIds>,
    pub(super) before: NameBinder<'a>,
    pub(super) now: NameBinder<'a>,
    /// The declarations that are gone, with their change.
    pub(super) gone: HashMap<DefinitionId, usize>,
    pub(super) targets_before: HashMap<FileId, Vec<ImportTarget>>,
    pub(super) undeclared: UndeclaredModules,
}

/// One file of the new state, bound among the earlier files and among the present ones.
pub(super) struct BoundFile<'a> {
    pub(super) path: &'a RepoPath,
    pub(super) language: &'static Language,
    /// Its id in the new state.
    pub(super) id: FileId,
    pub(super) text: &'a str,
    pub(super) facts: &'a FileFacts,
    pub(super) before: FileMeanings,
    pub(super) now: FileMeanings,
    /// Where its imports lead now.
    pub(super) targets: Vec<Option<ImportTarget>>,
    /// Its place in the difference, where its own definitions are looked for.
    pub(super) changed: Option<usize>,
    /// Names that an import bound to a definition that is gone, by its change, and that nothing in the file binds now.
    pub(super) lost_names: Vec<(String, usize)>,
}

/// The places that are found, by file and loss.
#[derive(Default)]
pub(super) struct LossesByFile {
    pub(super) places: BTreeMap<(RepoPath, Loss), Vec<BrokenPlace>>,
    /// Re-exports that are broken themselves: file and name.
    pub(super) exports: HashSet<(ModuleId, String)>,
}

impl LossesByFile {
    pub(super) fn add(&mut self, path: &RepoPath, loss: &Loss, place: BrokenPlace) {
        let key = (path.clone(), loss.clone());
        self.places.entry(key).or_default().push(place);
    }

    /// Adds what a file exports of a name that it lost, with `is_passed_on` the name itself: `import { open } from './db'`, `export { open }`.
    pub(super) fn pass_on(&mut self, bound: &BoundFile<'_>, local: &str, is_passed_on: bool) {
        let exports = bound.facts.exports.iter();
        let names = exports.filter(|it| it.specifier.is_empty() && it.local == local);
        let names = names.map(|it| it.name.as_str());
        let names = names.chain(is_passed_on.then_some(local));
        let names = names.map(|name| (bound.id.into(), name.to_owned()));
        self.exports.extend(names);
    }
}

/// A place in a file where a name means nothing now.
pub(super) struct BrokenPlace {
    pub(super) start: u32,
    pub(super) line: u32,
    pub(super) kind: Option<UseKind>,
    pub(super) provenance: Provenance,
    pub(super) module_line: Option<u32>,
    /// The file and the name there that an import, or a member of a module, takes.
    pub(super) from: Option<(ModuleId, String)>,
}

impl BrokenPlace {
    /// A resolved import or export.
    pub(super) fn at(start: u32, line: u32) -> Self {
        Self {
            start,
            line,
            kind: None,
            provenance: Provenance::Resolved,
            module_line: None,
            from: None,
        }
    }
}

/// A reference that means nothing now.
pub(super) struct LostReference {
    pub(super) loss: Loss,
    pub(super) provenance: Provenance,
    /// Of a member of a module, the file and the name that it is asked for.
    pub(super) from: Option<(ModuleId, String)>,
    /// Whether one type of a union lost the member, and others have it.
    pub(super) is_of_union: bool,
}

/// The meaning that a broken place lost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Loss {
    /// A declaration that is gone, by its change.
    Change(usize),
    /// A member that is gone, by its change, which an external base may have: it may have overridden that.
    Inherited(usize),
    /// A member that is gone, by its change, of which the use may be none: the code may have narrowed a union to a type that has it, or
    /// a cast says that an object is of the type.
    Uncertain(usize),
    /// A definition that its importer no longer gets: file and symbol.
    Definition(DefinitionId),
    /// A definition that its importer no longer gets, unless the file that it imports offers one of the name that is not seen: from outside, or in
    /// code that could not be read.
    MayBeOutside(DefinitionId),
    /// A module, by its file.
    Module(ModuleId),
    /// A module of Rust that nothing declares any more, by its file.
    Undeclared(FileId),
    /// A module of Rust that is declared under another condition than before, by its file: the use may be under that too.
    Conditional(FileId),
    /// A file that is there, and that the import of a moved file does not reach from its new place.
    OutOfReach(FileId),
    /// A definition that no longer permits the use, by its change.
    Refused(usize, Refusal),
}

impl BeforeAfter<'_> {
    /// Returns the definitions that a file of the difference, by its place there, used by their names alone before.
    pub(super) fn named_alone_before(&self, file: usize) -> Result<HashSet<DefinitionId>> {
        let facts = &self.difference.files[file].old.facts;
        let meanings = self
            .before
            .of_file(self.overlay_ids[file].earlier)?
            .references;
        let uses = facts.references.iter().zip(meanings);
        let alone = uses.filter(|(used, _)| is_bare(facts, used));
        Ok(alone
            .filter_map(|(_, meaning)| meaning.definition())
            .collect())
    }

    /// Whether the definition that a change took away is one of `all`, in the old state.
    pub(super) fn is_among(&self, all: &HashSet<DefinitionId>, change: &SymbolChange) -> bool {
        change.old.as_ref().is_some_and(|place| {
            let file = self.overlay_ids[place.file].earlier;
            place
                .symbols
                .iter()
                .any(|symbol| all.contains(&(file, *symbol)))
        })
    }

    /// Whether the names of a file's import and export lists mean something else; `earlier_id` is its id among the earlier files.
    pub(super) fn lists_differ(&self, id: FileId, earlier_id: FileId) -> Result<bool> {
        let (before, now) = (self.before.lists_of(earlier_id)?, self.now.lists_of(id)?);
        Ok((before.imports, before.exports) != (now.imports, now.exports))
    }

    /// Whether a name means something outside the repository for want of a definition in it. A bare one, though nothing new is
    /// imported: a type of C# is looked for in all namespaces that the file uses. A method of Rust, which is looked for in the
    /// pointer around its receiver too, `Arc<Store>`: one that the standard library doesn't have. Not what a module passes on.
    pub(super) fn is_only_external(&self, bound: &BoundFile<'_>, reference: usize) -> bool {
        let used = &bound.facts.references[reference];
        if bound.now.references.get(reference) != Some(&Meaning::External) {
            return false;
        }
        if !is_bare(bound.facts, used) {
            return bound.facts.family == Family::Rust
                && !is_standard_method(bound.facts.name(used))
                && self.now.module_of_receiver(bound.id, reference).is_none();
        }
        // The module that it is imported from passes on an external one of the name now.
        let name = bound.facts.name(used);
        let imports = bound.facts.imports.iter().enumerate();
        let imports = imports.zip(&bound.now.imports);
        let mut imported = imports
            .flat_map(|((at, import), now)| (import.names.iter().zip(now)).map(move |it| (at, it)));
        let is_passed_on = |at: usize| self.module_gone(bound, at) != Some(true);
        if imported.any(|(at, (it, now))| {
            it.local == name && *now == Meaning::External && is_passed_on(at)
        }) {
            return false;
        }
        bound.changed.is_none_or(|at| {
            let file = &self.difference.files[at];
            // The names of macros and crates are looked up like imports in Rust, without anybody writing one.
            let is_rust = bound.facts.family == Family::Rust;
            let written = |import: &&Import| !(is_rust && import.kind == ImportKind::Scope);
            let mut before = file.old.facts.imports.iter().filter(written);
            let mut now = file.new.facts.imports.iter().filter(written);
            let is_same = |before: &Import| {
                let now = now.next();
                now.is_some_and(|now| now.names == before.names && is_same_path(before, now))
            };
            before.all(is_same) && now.next().is_none()
        })
    }

    /// Whether a path leads to a name of the file itself, `super::open` in an inline module of it: of a file that changed, the text before is not what
    /// it is bound in.
    pub(super) fn is_in_own_module(&self, bound: &BoundFile<'_>, reference: usize) -> bool {
        if bound.facts.family != Family::Rust {
            return false;
        }
        let module = self.now.module_of_path(bound.id, reference);
        let module = module.or_else(|| self.now.module_of_receiver(bound.id, reference));
        module == Some(bound.id.into())
    }

    /// Returns the change that took a definition away: its own, else that of what it was named through.
    pub(super) fn change_of_gone(&self, (file, ordinal): DefinitionId) -> Option<usize> {
        if let Some(own) = self.gone.get(&(file, ordinal)) {
            return Some(*own);
        }
        let facts = self.before.facts(file)?;
        let mut owners = owners_named_with(&facts.symbols, ordinal);
        owners.find_map(|owner| self.gone.get(&(file, owner)).copied())
    }

    /// Whether a reference meant a member that is gone, and means one of something external now: `text.Cut()` without its extension
    /// method, or that of a function which returns an external value now. Not of a module, which may pass an external one on.
    pub(super) fn is_member_outside(
        &self,
        bound: &BoundFile<'_>,
        reference: usize,
        definition: DefinitionId,
    ) -> bool {
        bound.now.references.get(reference) == Some(&Meaning::External)
            && self.change_of_gone(definition).is_some()
            && !is_bare(bound.facts, &bound.facts.references[reference])
            && self.now.module_of_receiver(bound.id, reference).is_none()
    }

    /// Returns the loss of a name that an import took from a changed file before, and that the file may still offer: from outside, as it has
    /// `export * from 'redux'`, or in code that could not be read.
    pub(super) fn loss_to_outside(
        &self,
        target: Option<ImportTarget>,
        name: &str,
        (before, now): (Meaning, Meaning),
    ) -> Option<Loss> {
        let is_open = now == Meaning::External || is_unbound(now);
        let Some(ImportTarget::File(file)) = target.filter(|_| is_open) else {
            return None;
        };
        let at = self.overlay_ids.iter().position(|it| it.earlier == file)?;
        let changed = &self.difference.files[at];
        let facts = &changed.new.facts;
        let is_named = facts.exports.iter().any(|it| it.name == name)
            || facts.imports.iter().any(|import| {
                let mut names = import.names.iter();
                names.any(|it| it.local == name)
            });
        // Definitions that syntax errors hide are counted as such.
        let is_hidden = changed.has_new_errors() || self.difference.hidden.contains(&at);
        if is_named || is_hidden {
            return None;
        }
        let definition = before.definition()?;
        let gone = self.change_of_gone(definition).map(Loss::Inherited);
        Some(gone.unwrap_or(Loss::MayBeOutside(definition)))
    }

    /// Whether a changed file exports a name no longer, and nothing that it exports as a whole may have it: of CommonJS modules that
    /// is not known otherwise.
    pub(super) fn no_longer_exports(&self, file: FileId, name: &str) -> bool {
        let at = self.overlay_ids.iter().position(|it| it.earlier == file);
        let Some(file) = at.map(|at| &self.difference.files[at]) else {
            return false;
        };
        let has = |facts: &FileFacts| facts.exports.iter().any(|it| it.name == name);
        // An object literal that the module is has the exports that are listed, unless it takes others in.
        let is_literal = |it: &Export| it.local.is_empty() && it.specifier.is_empty();
        let may_add = ["...", "Object.assign(", "exports["];
        let is_open = may_add.iter().any(|it| file.new.text.contains(it));
        let is_whole = |it: &Export| match it.kind {
            ExportKind::Star => true,
            ExportKind::Assignment => is_open || !is_literal(it),
            _ => false,
        };
        let (old, new) = (&file.old.facts, &file.new.facts);
        let passes_all_on = |facts: &FileFacts| {
            let mut exports = facts.exports.iter();
            exports.any(|it| it.kind == ExportKind::Star)
        };
        if old.family == Family::Python {
            let is_empty = name != "*" && new.symbols.is_empty() && new.imports.is_empty();
            return is_empty && new.variables.is_empty() && !new.has_errors && file.new.is_there;
        }
        (has(old) || passes_all_on(old))
            && !has(new)
            && !new.has_errors
            && !new.exports.iter().any(is_whole)
            && (!new.exports.is_empty() || is_typescript(&file.path) && file.new.is_there)
    }

    /// Whether a reference takes a name of a module that exports it no longer: `require('./store').open`.
    pub(super) fn is_taken_from_module(&self, bound: &BoundFile<'_>, reference: usize) -> bool {
        let module = self.now.module_of_receiver(bound.id, reference);
        let name = bound.facts.name(&bound.facts.references[reference]);
        module.is_some_and(|it| self.no_longer_exports(it.file(), name))
    }

    /// Returns the class around a member that is gone, as it is, and the classes that it is built on; none of a member of something else.
    pub(super) fn class_of_member(&self, change: usize) -> Result<Vec<DefinitionId>> {
        let difference = self.difference;
        let change = &difference.changes[change];
        let (Some(place), Some((file, symbol))) = (&change.old, difference.old(change)) else {
            return Ok(Vec::new());
        };
        let owner = symbol.parent.map(|at| &file.old.facts.symbols[at as usize]);
        let Some(owner) = owner.filter(|it| it.kind == SymbolKind::Class) else {
            return Ok(Vec::new());
        };
        match place_of(&file.new.facts.symbols, owner) {
            Some(at) => Ok(self
                .now
                .class_and_bases((self.overlay_ids[place.file].earlier, at))?),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the qualified names of a type of a changed file and of the types built on it, which had its members.
    pub(super) fn class_and_heirs(
        &self,
        bound: &BoundFile<'_>,
        owner: &str,
    ) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::from([owner.to_owned()]);
        let symbols = bound.facts.symbols.iter().zip(0..);
        for (_, at) in symbols.filter(|(it, _)| it.qualified_name == owner) {
            let (heirs, _) = self.now.subclasses((bound.id, at))?;
            for ((file, at), _) in heirs {
                let facts = self.now.facts(file);
                let heir = facts.as_ref().and_then(|it| it.symbols.get(at as usize));
                names.extend(heir.map(|it| it.qualified_name.clone()));
            }
        }
        Ok(names)
    }

    /// Whether none of these classes declares a member. In TypeScript `this.open = first` declares none either, and a definition that is
    /// found for `open` is that of its value.
    pub(super) fn lack_member(&self, classes: &[DefinitionId], name: &str) -> bool {
        let declares = |(file, at): &DefinitionId| {
            let facts = self.now.facts(*file);
            facts.is_none_or(|facts| {
                let mut members = facts.symbols.iter();
                members.any(|it| it.parent == Some(*at) && it.name == name)
            })
        };
        !classes.is_empty() && !classes.iter().any(declares)
    }

    /// Returns the loss of a use of a definition that is gone, which means `now`. One that was renamed was the class's own.
    pub(super) fn lost_change(&self, change: usize, now: Meaning) -> Loss {
        let is_removed = self.difference.changes[change].kind == ChangeKind::Removed;
        match now {
            Meaning::Inherited if is_removed => Loss::Inherited(change),
            _ => Loss::Change(change),
        }
    }
}

/// Returns the definitions around one whose going takes its name from it too, innermost first: namespaces, by whose names it is reached, and the
/// class of an extension method, which no use of it names.
fn owners_named_with(symbols: &[Symbol], ordinal: u32) -> impl Iterator<Item = u32> {
    let owner = |at: u32| {
        let symbol = symbols.get(at as usize)?;
        let owner = symbol.parent?;
        let is_namespace = symbols.get(owner as usize)?.kind == SymbolKind::Namespace;
        (is_namespace || symbol.flags.contains(SymbolFlags::EXTENSION)).then_some(owner)
    };
    std::iter::successors(owner(ordinal), move |at| owner(*at))
}

/// Returns the names of the definitions that are named through one that is gone, by the facts of its file: they are no changes of their own.
pub(super) fn names_within(facts: &FileFacts, change: &SymbolChange) -> Vec<String> {
    let gone = change.old.iter().flat_map(|place| &place.symbols);
    let gone: HashSet<u32> = gone.copied().collect();
    let symbols = facts.symbols.iter().zip(0..);
    let within = symbols.filter(|(_, at)| {
        owners_named_with(&facts.symbols, *at).any(|owner| gone.contains(&owner))
    });
    within.map(|(it, _)| it.name.clone()).collect()
}

/// Whether a use is a name alone: `helper` in `helper(2)`, where in some languages the arguments choose among overloads.
pub(super) fn is_bare(facts: &FileFacts, used: &Reference) -> bool {
    match used.target {
        Target::Lexical => true,
        Target::Value(value) => is_bare_name(facts, value),
        _ => false,
    }
}

fn is_bare_name(facts: &FileFacts, value: ExprId) -> bool {
    match facts.exprs.get(value) {
        // `java.util.List` of Java is one name.
        Expr::Name { name, .. } => {
            facts.family != Family::Java || !facts.exprs.name_of(*name).contains('.')
        }
        Expr::Callee { call: inner }
        | Expr::Call { callee: inner, .. }
        | Expr::Construct { class: inner }
        | Expr::Specialized { base: inner, .. } => is_bare_name(facts, *inner),
        // A name that `use Mode::*` of the function may bring into scope as well.
        Expr::Fallback { other, .. } if facts.family == Family::Rust => is_bare_name(facts, *other),
        // A label of Java's `switch`, `case LIMIT:`, is a constant of an enum or one in scope.
        Expr::Union(parts) if facts.family == Family::Java => {
            parts.iter().any(|it| is_bare_name(facts, *it))
        }
        _ => false,
    }
}

pub(super) fn is_unbound(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Unbound | Meaning::KeywordArgument | Meaning::Dangling(_)
    )
}

/// Returns the first byte of a line (from 1) that is no white space.
pub(super) fn start_of_line(text: &str, line: u32) -> u32 {
    let before = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1) as usize);
    let start: usize = before.map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    let indent = rest.len() - rest.trim_start().len();
    u32::try_from((start + indent).min(text.len())).unwrap_or(u32::MAX)
}

/// Whether an import is written as before: without the type that `use Stat::A` led into, its path begins with a crate of that name.
fn is_same_path(before: &Import, now: &Import) -> bool {
    let (before, now) = (before.specifier.as_str(), now.specifier.as_str());
    let rest = before.strip_prefix("self::").unwrap_or(before);
    before == now || rest.len() < before.len() && rest.ends_with(now)
}

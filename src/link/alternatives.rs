//! Definitions that are there in place of one: in builds for other platforms, in other branches, later in the same scope.
//!
//! Of use to the relation of `dispatch`: whoever uses one of them may use the others.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::dispatch::{DispatchLookup, DispatchRelations, definition_id, is_class};
use super::file::LinkedFile;
use super::linker::Linker;
use super::rules::{self, MemberOrder};
use crate::ir::SymbolIdx;
use crate::model::path::parent;
use crate::model::{Provenance, RepoPath, Symbol, SymbolFlags, SymbolKind};
use crate::store::StoreError;

/// Definitions of one name that are compared.
const MAX_NAMESAKES: usize = 200;

/// Files that include one whose other includes are read.
const MAX_INCLUDERS: usize = 64;

impl DispatchLookup<'_, '_> {
    /// Adds the definitions of the name in other files of the unit, where builds take either.
    pub(super) fn alternatives(
        &self,
        file: &LinkedFile,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let symbol = file.symbol(at);
        if symbol.parent.is_some() || file.units.is_empty() || is_repeatable(&symbol.name) {
            return Ok(());
        }
        let read = self.binder.read;
        let Some(own_path) = read.path_of(file.file.file())? else {
            return Ok(());
        };
        let own_name = file.facts.unit_member_name(at as usize);
        let is_left_out = read.is_left_out_of_units(file.file.file())?;
        for row in self.symbols_named(&symbol.name)? {
            let is_near = parent(row.path.as_str()) == parent(own_path.as_str());
            if !is_near || row.path == own_path || row.kind != symbol.kind {
                continue;
            }
            let Some(other) = self.file_of(&row)? else {
                continue;
            };
            let is_same = other.units.iter().any(|unit| file.units.contains(unit))
                && other.facts.unit_member_name(row.ordinal as usize) == own_name
                && other.symbol(row.ordinal).qualified_name == symbol.qualified_name;
            if is_same && (is_left_out || read.is_left_out_of_units(other.file.file())?) {
                all.add(other.definition(row.ordinal), Provenance::Alternative);
            }
        }
        Ok(())
    }

    /// Adds the definitions of a name in files that another file includes beside this one, `#include "ae_epoll.c"` and `#include
    /// "ae_kqueue.c"`: a compiler refuses both, so that a condition chooses. The same goes for definitions in one file.
    pub(super) fn included_beside(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let symbol = file.symbol(at);
        let is_declared = symbol.flags.contains(SymbolFlags::DECLARATION_ONLY);
        if is_declared || is_of_specialization(file, at) {
            return Ok(());
        }
        let read = self.binder.read;
        let Some(own_path) = read.path_of(file.file.file())? else {
            return Ok(());
        };
        let mut beside: Option<BTreeSet<RepoPath>> = None;
        for row in self.symbols_named(&symbol.name)?.iter().take(MAX_NAMESAKES) {
            let is_own = row.path == own_path;
            if row.kind != symbol.kind || is_own && row.ordinal == at {
                continue;
            }
            let Some(other) = self.file_of(row)? else {
                continue;
            };
            let second = other.symbol(row.ordinal);
            let is_same = second.qualified_name == symbol.qualified_name
                && !second.flags.contains(SymbolFlags::DECLARATION_ONLY)
                && !is_of_specialization(&other, row.ordinal)
                && (symbol.parent.is_none() || have_one_signature(symbol, second))
                && other.facts.owner(row.ordinal as usize).is_none()
                && file.facts.owner(at as usize).is_none()
                && !self
                    .linker
                    .differ_in_types((file.file, at), (other.file, row.ordinal));
            if !is_same {
                continue;
            }
            if !is_own {
                if beside.is_none() {
                    beside = Some(self.files_included_beside(&own_path)?);
                }
                if !beside.as_ref().is_some_and(|it| it.contains(&row.path)) {
                    continue;
                }
            }
            let definition = other.definition(row.ordinal);
            all.add(definition, Provenance::Alternative);
            if !is_own {
                all.from_other_files.insert(definition);
            }
        }
        Ok(())
    }

    /// Adds to a macro the functions that its file has in another branch, and to such a function the macro: `int now(void);` beside
    /// `#define now() 0`.
    pub(super) fn macros_and_functions(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let symbol = file.symbol(at);
        for function in file.functions_beside(at) {
            let function = self.linker.definition_of((file.file, function));
            all.add(definition_id(function), Provenance::Alternative);
        }
        if symbol.kind != SymbolKind::Function || symbol.parent.is_some() {
            return Ok(());
        }
        for row in self.symbols_named(&symbol.name)?.iter().take(MAX_NAMESAKES) {
            if !matches!(row.kind, SymbolKind::Macro | SymbolKind::Constant) {
                continue;
            }
            let Some(other) = self.file_of(row)? else {
                continue;
            };
            let linker = Linker::new(self.linker.cache, Rc::clone(&other));
            let mut functions = other.functions_beside(row.ordinal);
            let is_beside = functions.any(|it| {
                let own = (other.file, it);
                own == (file.file, at) || linker.definition_of(own) == (file.file, at)
            });
            if is_beside {
                all.add(other.definition(row.ordinal), Provenance::Alternative);
            }
        }
        Ok(())
    }

    /// Returns the files that a file includes which includes `path` as well.
    fn files_included_beside(&self, path: &RepoPath) -> Result<BTreeSet<RepoPath>, StoreError> {
        let read = self.binder.read;
        let mut beside = BTreeSet::new();
        let includers = read.importers_of(path.as_str())?;
        for includer in includers.iter().take(MAX_INCLUDERS) {
            beside.extend(read.imports_of(includer.as_str())?);
        }
        Ok(beside)
    }

    /// Adds the definitions of a name beside one, where a language allows several under exclusive conditions alone, `#[cfg(unix)]`
    /// and `#[cfg(windows)]` of Rust, or the one that runs last counts, as in Python.
    pub(super) fn exclusive_definitions(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) {
        let rules = rules::of(file);
        let one = file.symbol(at);
        if rules.may_redefine {
            add_redefinitions(file, at, all);
        }
        if rules.members != MemberOrder::Implementations {
            return;
        }
        let is_open = one.parent.is_none_or(|parent| {
            let kind = file.symbol(parent).kind;
            kind.is_function() || matches!(kind, SymbolKind::Namespace | SymbolKind::Interface)
        });
        // A macro may be defined again.
        if !is_open || one.kind == SymbolKind::Macro {
            return;
        }
        let cache = self.linker.cache;
        for other in file.overloads(at) {
            let second = file.symbol(*other);
            // `impl Row<A>` and `impl Row<B>` may each have a method of the name.
            let is_same_method = || {
                let owner = |at: SymbolIdx| file.facts.owner(at as usize);
                owner(at) == owner(*other)
                    && self.trait_of(file, at) == self.trait_of(file, *other)
                    && cache.signature_of(file, at) == cache.signature_of(file, *other)
            };
            if *other != at
                && second.kind == one.kind
                && second.qualified_name == one.qualified_name
                && (one.kind != SymbolKind::Method || is_same_method())
            {
                all.add(file.definition(*other), Provenance::Alternative);
            }
        }
    }
}

/// Whether two members are declared alike, which a class permits under exclusive conditions alone: `at() const` is no twin of `at()`.
fn have_one_signature(one: &Symbol, other: &Symbol) -> bool {
    let words = |it: &Symbol| it.signature.split_whitespace().collect::<String>();
    words(one) == words(other)
}

/// Whether a definition is a member of a template for certain arguments, `struct Traits<Row>`, which stands beside the general one in any
/// build.
fn is_of_specialization(file: &LinkedFile, at: SymbolIdx) -> bool {
    let Some(class) = file.symbol(at).parent.map(|parent| file.symbol(parent)) else {
        return false;
    };
    let rest = class.signature.split_once(&*class.name).map(|it| it.1);
    rest.is_some_and(|rest| rest.trim_start().starts_with('<'))
}

/// Whether a name may be defined any number of times in a package.
fn is_repeatable(name: &str) -> bool {
    matches!(name, "init" | "_")
}

/// Adds the functions and classes that a module or class defines by the name of one, in another branch or in its place.
fn add_redefinitions(file: &LinkedFile, at: SymbolIdx, all: &mut DispatchRelations) {
    let one = file.symbol(at);
    let is_open = one.parent.is_none_or(|parent| is_class(file, parent));
    if !is_open || one.name == "_" {
        return;
    }
    let overloads = file.overloads(at).iter();
    for other in overloads.filter(|other| **other != at) {
        if file.symbol(*other).qualified_name == one.qualified_name {
            all.add(file.definition(*other), Provenance::Alternative);
        }
    }
}

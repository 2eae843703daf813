//! Interfaces of Go and the types that satisfy them without saying so: which methods a call of an interface's method may run, and of
//! which interfaces a method is a part.
//!
//! Whether one type satisfies one interface is the matter of `method_sets`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::dispatch::{
    DerivedClasses, DispatchLookup, DispatchRelations, MAX_CANDIDATES, definition_id, module_of,
};
use super::file::LinkedFile;
use super::method_sets::Required;
use super::name_binder::{DefinitionId, NameBinder};
use super::rules::{self, MemberOrder};
use crate::ir::SymbolIdx;
use crate::model::{FileId, ModuleId, Provenance, SymbolKind};
use crate::store::{StoreError, SymbolRow};

/// Types that embed one, directly or not, that are compared with an interface.
const MAX_EMBEDDING: usize = 50;

/// Pairs of a type and an interface that are compared for one method.
const MAX_PAIRS: usize = 3_000;

/// Types with their methods that an interface asks for, in its order; `None` for one of an embedded external type.
type SatisfyingTypes = BTreeMap<DefinitionId, Vec<Option<(ModuleId, SymbolIdx)>>>;

/// A method that an interface declares, by its file and its place there.
type MethodOfInterface = (Rc<LinkedFile>, SymbolIdx);

/// Methods of interfaces, by file and qualified name: `Store.Open`.
pub type InterfaceMethods = BTreeSet<(FileId, String)>;

/// Methods that a state of an interface asks for beside those that it has now.
#[derive(Clone, Copy, Debug, Default)]
pub struct OtherMethods<'a> {
    /// Names of its methods that are not asked for.
    pub without: &'a [&'a str],
    /// Names of methods that it has not, or of other signatures.
    pub also: &'a [&'a str],
}

impl NameBinder<'_> {
    /// Returns the types that satisfy an interface without saying so, in Go, and whether there may be more. A type that satisfies it by
    /// embedding alone is left out: it declares no method of it.
    pub fn satisfying_types(
        &self,
        interface: DefinitionId,
    ) -> Result<(Vec<DefinitionId>, bool), StoreError> {
        self.types_with_methods_of(interface, OtherMethods::default())
    }

    /// Returns the types that have the methods of an interface as it was or may be, as [`satisfying_types`](Self::satisfying_types)
    /// does: with `Close` instead of `Shut` those of `interface { Open(); Close() }`, which is `interface { Open(); Shut() }` now.
    pub fn types_with_methods_of(
        &self,
        interface: DefinitionId,
        other: OtherMethods<'_>,
    ) -> Result<(Vec<DefinitionId>, bool), StoreError> {
        let found = self.of_go(interface, |lookup, file| {
            lookup.linker.refuel();
            let required = lookup.linker.required(file, interface.1);
            let mut required = required.unwrap_or_default();
            required.retain(|it| !other.without.contains(&it.name.as_str()));
            required.extend(other.also.iter().map(|name| Required::of_name(name)));
            if required.is_empty() {
                return Ok((Vec::new(), false));
            }
            let (types, is_cut) = lookup.satisfying_types(&required, None)?;
            Ok((types.into_keys().collect(), is_cut))
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the types of Go that embed one, directly or not, and whether there may be more.
    pub fn embedding_types(
        &self,
        type_: DefinitionId,
    ) -> Result<(Vec<DefinitionId>, bool), StoreError> {
        let found = self.of_go(type_, |lookup, _| lookup.embedding_types(type_))?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the methods of a name of the interfaces that a type satisfies, and whether there may be more.
    pub fn satisfied_interfaces(
        &self,
        type_: DefinitionId,
        method: &str,
    ) -> Result<(InterfaceMethods, bool), StoreError> {
        let found = self.of_go(type_, |lookup, _| {
            let (interfaces, is_cut) = lookup.interfaces_with(method)?;
            let satisfied = interfaces.into_iter().filter(|(file, at)| {
                let interface = file.symbol(*at).parent;
                lookup.linker.refuel();
                interface.is_some_and(|it| {
                    let required = lookup.linker.required(file, it);
                    let type_ = module_of(type_);
                    required.is_some_and(|it| lookup.linker.satisfying(type_, &it).is_some())
                })
            });
            let name = |(file, at): MethodOfInterface| {
                (file.file.file(), file.symbol(at).qualified_name.clone())
            };
            Ok((satisfied.map(name).collect(), is_cut))
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Asks about a definition of Go; `None` in other languages.
    fn of_go<T>(
        &self,
        of: DefinitionId,
        ask: impl FnOnce(&DispatchLookup<'_, '_>, &Rc<LinkedFile>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let found = self.with_lookup(of, |lookup, file| {
            let is_go = rules::of(file).members == MemberOrder::Embedding;
            is_go.then(|| ask(lookup, file)).transpose()
        })?;
        Ok(found.flatten())
    }
}

impl DispatchLookup<'_, '_> {
    /// Adds the methods of interfaces that a type's method implements, or the methods of types that implement an interface's.
    pub(super) fn by_method_sets(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let symbol = file.symbol(at);
        match symbol.parent {
            Some(interface) => self.implementations(file, interface, &symbol.name, all),
            None => match self.owner(file, at) {
                Some(type_) => self.interfaces(type_, file.definition(at), &symbol.name, all),
                None => Ok(()),
            },
        }
    }

    /// Adds the methods of the interfaces that a method is a part of: those that its type satisfies, or one that embeds that, to which
    /// it is promoted.
    fn interfaces(
        &self,
        type_: DefinitionId,
        method: DefinitionId,
        name: &str,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let (interfaces, is_cut) = self.interfaces_with(name)?;
        all.is_cut |= is_cut;
        if interfaces.is_empty() {
            return Ok(());
        }
        let (embedding, is_cut) = self.embedding_types(type_)?;
        all.is_cut |= is_cut;
        let mut n_pairs = 0;
        for (file, at) in interfaces {
            let Some(interface) = file.symbol(at).parent else {
                continue;
            };
            let Some((required, place)) = self.required_with(&file, interface, name) else {
                continue;
            };
            for one in std::iter::once(type_).chain(embedding.iter().copied()) {
                n_pairs += 1;
                if n_pairs > MAX_PAIRS {
                    all.is_cut = true;
                    return Ok(());
                }
                let found = self.linker.satisfying(module_of(one), &required);
                if found.and_then(|it| *it.get(place)?).map(definition_id) == Some(method) {
                    all.add(file.definition(at), Provenance::Dispatch);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns the methods that an interface asks for, and the place of one among them.
    fn required_with(
        &self,
        file: &Rc<LinkedFile>,
        interface: SymbolIdx,
        name: &str,
    ) -> Option<(Vec<Required>, usize)> {
        self.linker.refuel();
        let required = self.linker.required(file, interface)?;
        let place = required.iter().position(|it| it.name == name)?;
        Some((required, place))
    }

    /// Returns the methods of a name that interfaces of Go declare, and whether there may be more.
    fn interfaces_with(&self, name: &str) -> Result<(Vec<MethodOfInterface>, bool), StoreError> {
        let mut rows = self.symbols_named(name)?;
        rows.retain(|row| row.kind == SymbolKind::Method && row.parent.is_some());
        let is_cut = rows.len() > MAX_CANDIDATES;
        rows.truncate(MAX_CANDIDATES);
        let paths: BTreeSet<_> = rows.into_iter().map(|row| row.path).collect();
        let mut all = Vec::new();
        for path in paths {
            let row = self.binder.read.file(path.as_str())?;
            let file = row.and_then(|row| self.linker.cache.get(row.id));
            let Some(file) = file.filter(|it| rules::of(it).members == MemberOrder::Embedding)
            else {
                continue;
            };
            // In another state of the file they have other places.
            for (at, symbol) in (0..).zip(&file.facts.symbols) {
                let is_of_interface = symbol
                    .parent
                    .is_some_and(|it| file.symbol(it).kind == SymbolKind::Interface);
                if symbol.kind == SymbolKind::Method && symbol.name == name && is_of_interface {
                    all.push((Rc::clone(&file), at));
                }
            }
        }
        Ok((all, is_cut))
    }

    /// Returns the types that embed one, directly or not, and whether there may be more.
    fn embedding_types(
        &self,
        type_: DefinitionId,
    ) -> Result<(Vec<DefinitionId>, bool), StoreError> {
        let (mut below, is_cut) = self.classes_below(type_, &mut DerivedClasses::default())?;
        let is_interface = |at: &DefinitionId| {
            let file = self.linker.cache.get(at.0);
            file.is_some_and(|it| it.symbol(at.1).kind == SymbolKind::Interface)
        };
        below.retain(|it| !is_interface(it));
        let is_cut = is_cut || below.len() > MAX_EMBEDDING;
        below.truncate(MAX_EMBEDDING);
        Ok((below, is_cut))
    }

    fn implementations(
        &self,
        file: &Rc<LinkedFile>,
        interface: SymbolIdx,
        name: &str,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let Some((required, place)) = self.required_with(file, interface, name) else {
            return Ok(());
        };
        let (types, is_cut) = self.satisfying_types(&required, Some(place))?;
        all.is_cut |= is_cut;
        for (_, methods) in types {
            if let Some((module, at)) = methods[place] {
                all.add((module.file(), at), Provenance::Dispatch);
            }
        }
        Ok(())
    }

    /// Returns the types that have all methods of an interface, each with these, and whether there may be more. They are looked for
    /// among those that declare the method at `place` and those that embed one of these, or among those that declare any of them, or
    /// where these are many the one with the rarest name. A type that embeds one of a dependency, which may have any method, has to
    /// declare it, or the rarest, itself.
    fn satisfying_types(
        &self,
        required: &[Required],
        place: Option<usize>,
    ) -> Result<(SatisfyingTypes, bool), StoreError> {
        let declared = |name: &str| {
            let rows = self.symbols_named(name)?.into_iter();
            let has_no_parent =
                |row: &SymbolRow| row.kind == SymbolKind::Method && row.parent.is_none();
            Ok::<Vec<SymbolRow>, StoreError>(rows.filter(has_no_parent).collect())
        };
        let mut rows = Vec::new();
        let mut rarest = (0, Vec::new());
        for (at, wanted) in required.iter().enumerate() {
            if place.is_some_and(|place| place != at) {
                continue;
            }
            let others = declared(&wanted.name)?;
            if rarest.1.is_empty() || !others.is_empty() && others.len() < rarest.1.len() {
                rarest = (at, others.clone());
            }
            rows.extend(others);
        }
        // The types that declare the method with the rarest name are most of them: others have it by embedding.
        let mut is_cut = rows.len() > MAX_CANDIDATES;
        if is_cut {
            rows = rarest.1;
            for wanted in required {
                let others = declared(&wanted.name)?;
                if !others.is_empty() && others.len() < rows.len() {
                    rows = others;
                }
            }
        }
        let evidence = place.unwrap_or(rarest.0);
        let mut found = SatisfyingTypes::new();
        let mut tried = BTreeSet::new();
        let mut n_pairs = 0;
        for row in rows.iter().take(MAX_CANDIDATES) {
            let Some(other) = self.file_of(row)? else {
                continue;
            };
            if rules::of(&other).members != MemberOrder::Embedding {
                continue;
            }
            let Some(type_) = self.owner(&other, row.ordinal) else {
                continue;
            };
            if !tried.insert(type_) {
                continue;
            }
            if let Some(methods) = self.linker.satisfying(module_of(type_), required) {
                if methods[evidence].is_some() || self.linker.has_known_methods(module_of(type_)) {
                    found.insert(type_, methods);
                }
                continue;
            }
            if place.is_none() && !is_cut {
                continue;
            }
            let method = other.definition(row.ordinal);
            let (embedding, is_more) = self.embedding_types(type_)?;
            is_cut |= is_more;
            for one in embedding {
                n_pairs += 1;
                if n_pairs > MAX_PAIRS {
                    return Ok((found, true));
                }
                let methods = self.linker.satisfying(module_of(one), required);
                if let Some(methods) = methods
                    && methods
                        .iter()
                        .flatten()
                        .any(|it| definition_id(*it) == method)
                {
                    found.insert(one, methods);
                }
            }
        }
        Ok((found, is_cut || rows.len() > MAX_CANDIDATES))
    }
}

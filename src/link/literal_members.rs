//! Methods of object literals that have a type: `open` in `const noop: Store = { open() {} }` runs where code calls `Store.open`.
//!
//! The type of the literal is a fact of each of its methods. The relation is looked up when it is asked for; see `dispatch`.

use std::rc::Rc;

use super::dispatch::{DispatchLookup, DispatchRelations, MAX_CANDIDATES, is_class};
use super::file::LinkedFile;
use super::linker::Linker;
use super::name_binder::DefinitionId;
use super::rules;
use super::types::Type;
use crate::ir::{BaseKind, Slot, SymbolIdx};
use crate::model::{Provenance, SymbolKind};
use crate::store::StoreError;

impl DispatchLookup<'_, '_> {
    /// Adds the members of types that a method of an object literal implements, or the methods of literals that implement a member of a
    /// type.
    pub(super) fn by_literals(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let name = &file.symbol(at).name;
        if is_in_literal(file, at) {
            for member in self.declared_members(file, at) {
                all.add(member, Provenance::Dispatch);
                for above in self.members_above(member, name) {
                    all.add(above, Provenance::Dispatch);
                }
            }
            return Ok(());
        }
        if !file.symbol(at).parent.is_some_and(|it| is_class(file, it)) {
            return Ok(());
        }
        let own = file.definition(at);
        let mut n = 0;
        for row in self.symbols_named(name)? {
            if row.kind != SymbolKind::Method {
                continue;
            }
            n += 1;
            if n > MAX_CANDIDATES {
                all.is_cut = true;
                return Ok(());
            }
            let Some(other) = self.file_of(&row)? else {
                continue;
            };
            if !rules::of(&other).is_ecmascript() || !is_in_literal(&other, row.ordinal) {
                continue;
            }
            let declared = self.declared_members(&other, row.ordinal).into_iter();
            let mut related =
                declared.flat_map(|it| std::iter::once(it).chain(self.members_above(it, name)));
            if related.any(|it| it == own) {
                all.add(other.definition(row.ordinal), Provenance::Dispatch);
            }
        }
        Ok(())
    }

    /// Returns the members that the key of a method means in the type of the literal around it.
    fn declared_members(&self, file: &Rc<LinkedFile>, at: SymbolIdx) -> Vec<DefinitionId> {
        let Some(type_) = file.value(at, Slot::Base(BaseKind::Implements)) else {
            return Vec::new();
        };
        let linker = Linker::new(self.linker.cache, Rc::clone(file));
        let object = linker.infer(file, type_, None).map(Type::instance);
        let found = object.and_then(|it| linker.member(&it, &file.symbol(at).name));
        let found = match found {
            Some(Type::Union(all)) => all.to_vec(),
            found => found.into_iter().collect(),
        };
        let is_definition = |it: &&Type| matches!(it, Type::Definition(_));
        let found = found
            .iter()
            .filter(is_definition)
            .filter_map(Type::definition);
        found.filter(|it| self.is_of_type(*it)).collect()
    }

    /// Whether a definition is a member of a type.
    fn is_of_type(&self, (file, at): DefinitionId) -> bool {
        let file = self.linker.cache.get(file);
        file.is_some_and(|it| it.symbol(at).parent.is_some_and(|of| is_class(&it, of)))
    }

    /// Returns the members of a name in the types that the type around a member is built on.
    fn members_above(&self, (in_file, at): DefinitionId, name: &str) -> Vec<DefinitionId> {
        let Some(file) = self.linker.cache.get(in_file) else {
            return Vec::new();
        };
        let Some(type_) = file.symbol(at).parent else {
            return Vec::new();
        };
        let above = self.classes_above((in_file, type_)).into_iter();
        let members = above.filter_map(|(in_file, type_)| {
            let file = self.linker.cache.get(in_file)?;
            let members = file.members(type_, name).to_vec().into_iter();
            Some(members.map(move |it| (in_file, it)))
        });
        members.flatten().collect()
    }
}

/// Whether a definition is a method of an object that is no class.
fn is_in_literal(file: &LinkedFile, at: SymbolIdx) -> bool {
    let symbol = file.symbol(at);
    let is_of_class = symbol.parent.is_some_and(|it| is_class(file, it));
    symbol.kind == SymbolKind::Method && !is_of_class
}

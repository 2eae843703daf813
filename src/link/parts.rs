//! Parts of types in several files, and methods that are called as members of their first argument.

use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::LinkedFile;
use super::linker::Linker;
use super::rules;
use super::types::Type;
use crate::ir::{Slot, SymbolIdx, extension_name};
use crate::model::{ModuleId, SymbolFlags, SymbolKind};

/// Files in which parts of one type are looked for.
const MAX_PARTS: usize = 64;

/// Extension methods of one name that are compared.
const MAX_EXTENSIONS: usize = 64;

/// Definitions, by file and symbol.
pub(super) type Definitions = Rc<[(ModuleId, SymbolIdx)]>;

impl Linker<'_, '_> {
    /// The other parts of a type that is declared in parts: those in other files, sorted; `None` for a type that is not.
    pub(super) fn parts(&self, loaded: &LinkedFile, at: SymbolIdx) -> Option<Definitions> {
        if !rules::of(loaded).has_partial_types || !loaded.is_partial(at) {
            return None;
        }
        let key = (loaded.file, at);
        if let Some(known) = self.parts_of_types.borrow().get(&key) {
            return Some(Rc::clone(known));
        }
        let mut all = Vec::new();
        let name = self.name_in_unit(loaded, at);
        for unit in &loaded.units {
            for found in exports::all_in_unit(self.cache, *unit, &name) {
                if let Def::Symbol(file, part) = found
                    && file != loaded.file
                    && all.len() < MAX_PARTS
                    && !all.contains(&(file, part))
                {
                    all.push((file, part));
                }
            }
        }
        let all: Definitions = all.into();
        let kept = Rc::clone(&all);
        self.parts_of_types.borrow_mut().insert(key, kept);
        Some(all)
    }

    /// The name of a type with those of the types around it, as its unit offers it.
    #[expect(clippy::unused_self, reason = "reads as `parts` does")]
    fn name_in_unit(&self, loaded: &LinkedFile, at: SymbolIdx) -> String {
        let mut name = loaded.lookup_name(at).into_owned();
        let mut around = loaded.symbol(at).parent;
        while let Some(parent) = around {
            name = format!("{}.{name}", loaded.lookup_name(parent));
            around = loaded.symbol(parent).parent;
        }
        name
    }

    /// The part that stands for a type: the first of all.
    pub(super) fn first_part(&self, (file, at): (ModuleId, SymbolIdx)) -> (ModuleId, SymbolIdx) {
        let Some(loaded) = self.cache.get(file) else {
            return (file, at);
        };
        let first = loaded.overloads(at).first().copied().unwrap_or(at);
        let is_partial = loaded.is_partial(at);
        let own = (file, if is_partial { first } else { at });
        let parts = self.parts(&loaded, at);
        let others = parts.iter().flat_map(|it| it.iter().copied());
        others.fold(own, std::cmp::min)
    }

    /// The value of a field, a property or a member of an enumeration; anything else as it is. `None` where its type is not known.
    pub(super) fn held_value(&self, found: &Type) -> Option<Type> {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return Some(found.clone());
        };
        let loaded = self.cache.get(*file)?;
        if self.is_held(found) {
            self.declared_type(&loaded, *at, None)
        } else {
            Some(found.clone())
        }
    }

    /// Whether it is a field, a property or a member of an enumeration.
    pub(super) fn is_held(&self, found: &Type) -> bool {
        use SymbolKind::{EnumMember, Field, Property};
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return false;
        };
        let kind = self.kind(*file, *at);
        matches!(kind, Some(Property | Field | EnumMember))
    }

    /// The static method that a member of a value means: the nearest unit with one that takes the value decides.
    pub(super) fn extension(
        &self,
        file: &Rc<LinkedFile>,
        object: &Type,
        name: &str,
    ) -> Option<Type> {
        let first = *self.extensions_for(file, object, name).first()?;
        Some(Type::Definition(Def::Symbol(first.0, first.1)))
    }

    /// The static methods that take a value as their first argument, of the nearest unit that has some.
    pub(super) fn extensions_for(
        &self,
        file: &Rc<LinkedFile>,
        object: &Type,
        name: &str,
    ) -> Vec<(ModuleId, SymbolIdx)> {
        let Some(method) = name.strip_suffix("()") else {
            return Vec::new();
        };
        let Some(object) = &self.held_value(object) else {
            return Vec::new();
        };
        if matches!(object, Type::Definition(_)) {
            return Vec::new();
        }
        let key = extension_name(method);
        for unit in file.units.iter().chain(&file.imports.wildcards) {
            let mut all = Vec::new();
            for found in exports::all_in_unit(self.cache, *unit, &key) {
                let Def::Symbol(there, at) = found else {
                    continue;
                };
                let Some(loaded) = self.cache.get(there) else {
                    continue;
                };
                for at in loaded.overloads(at) {
                    let is_extension = loaded.symbol(*at).flags.contains(SymbolFlags::EXTENSION);
                    if is_extension
                        && all.len() < MAX_EXTENSIONS
                        && self.takes_first(&loaded, *at, object)
                    {
                        all.push((there, *at));
                    }
                }
            }
            if !all.is_empty() {
                return all;
            }
        }
        Vec::new()
    }

    /// Whether a method takes a value as its first argument.
    fn takes_first(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx, object: &Type) -> bool {
        let param = loaded.value(at, Slot::Param(0));
        let param = param.and_then(|param| self.infer(loaded, param, None));
        self.receives(object, param.as_ref())
    }

    /// Whether a definition is called as a member of a value: the value is its first argument.
    pub(super) fn is_extension_call(&self, callee: &Type, object: Option<&Type>) -> bool {
        let is_value = object.is_some_and(|it| match it {
            Type::Definition(Def::Symbol(file, at)) => {
                !self.is_type(*file, *at) && self.kind(*file, *at) != Some(SymbolKind::Method)
            }
            it => !matches!(it, Type::Definition(_)),
        });
        self.rules().has_extension_methods
            && is_value
            && matches!(callee, Type::Definition(Def::Symbol(file, at))
            if self.cache.get(*file).is_some_and(|loaded| {
                loaded.symbol(*at).kind == SymbolKind::Method
                    && loaded.symbol(*at).flags.contains(SymbolFlags::EXTENSION)
            }))
    }
}

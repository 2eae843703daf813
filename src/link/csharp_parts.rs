//! Partial types of C#, whose parts stand in several files, and its extension methods, which are called as members of their
//! first argument: `builder.AddShop()` for `static void AddShop(this Builder builder)`.

use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::LinkedFile;
use super::linker::Linker;
use super::rules;
use super::types::{ExternalType, Type};
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
                    && self.is_of_one_project(loaded, file)
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

    /// Whether two files are compiled together, as far as that is known.
    fn is_of_one_project(&self, one: &LinkedFile, other: ModuleId) -> bool {
        let other = self.cache.get(other);
        let project = |file: &LinkedFile| file.imports.projects.first().copied();
        match (project(one), other.and_then(|it| project(&it))) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        }
    }

    /// All parts of a type, itself among them: in its own file and in others.
    pub(super) fn all_parts(
        &self,
        (file, at): (ModuleId, SymbolIdx),
    ) -> Vec<(ModuleId, SymbolIdx)> {
        let mut all = vec![(file, at)];
        let Some(loaded) = self.cache.get(file).filter(|it| it.is_partial(at)) else {
            return all;
        };
        let others = self.parts(&loaded, at);
        let heads = others.iter().flat_map(|it| it.iter().copied());
        for (there, at) in std::iter::once((file, at)).chain(heads) {
            // A file may have several parts.
            let Some(loaded) = self.cache.get(there) else {
                continue;
            };
            for part in loaded.overloads(at) {
                if loaded.is_partial(*part) && !all.contains(&(there, *part)) {
                    all.push((there, *part));
                }
            }
        }
        all
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

    /// The extension method that a member of a value means whose type is external or not known, by its name alone: where one class
    /// that the file sees has one. [`Type::unknown`] where it may be one of several, `None` where there is none.
    pub(super) fn extension_by_name(
        &self,
        file: &Rc<LinkedFile>,
        object: Option<&Type>,
        name: &str,
    ) -> Option<Type> {
        let method = name.strip_suffix("()")?;
        if !matches!(object, None | Some(Type::External | Type::ExternalType(_))) {
            return None;
        }
        // The first one, with its class.
        let mut found: Option<(Option<SymbolIdx>, (ModuleId, SymbolIdx))> = None;
        let mut is_open = false;
        for (there, at) in self.visible_extensions(file, method).iter() {
            let Some(loaded) = self.cache.get(*there) else {
                continue;
            };
            let param = loaded.value(*at, Slot::Param(0));
            let param = param.and_then(|param| self.infer(&loaded, param, None));
            match may_receive(object, param.as_ref()) {
                Reception::Never => continue,
                Reception::Doubtful => is_open = true,
                Reception::Likely => {}
            }
            let class = loaded.symbol(*at).parent;
            match found {
                None => found = Some((class, (*there, *at))),
                Some((known, (file, _))) => is_open |= (known, file) != (class, *there),
            }
        }
        let (_, (there, at)) = found?;
        let is_usual =
            object.is_some_and(Type::is_external) && ExternalType::is_usual_method(method);
        if is_open || is_usual {
            return Some(Type::unknown());
        }
        Some(Type::Definition(Def::Symbol(there, at)))
    }

    /// The extension methods of a name in all units that the file sees.
    fn visible_extensions(&self, file: &Rc<LinkedFile>, method: &str) -> Definitions {
        let is_own = file.file == self.file.file;
        if is_own && let Some(known) = self.named_extensions.borrow().get(method) {
            return Rc::clone(known);
        }
        let key = extension_name(method);
        let mut all = Vec::new();
        for unit in file.units.iter().chain(&file.imports.wildcards) {
            self.add_extensions(file, *unit, &key, &mut all);
        }
        let all: Definitions = all.into();
        if is_own {
            let kept = (method.to_owned(), Rc::clone(&all));
            self.named_extensions.borrow_mut().insert(kept.0, kept.1);
        }
        all
    }

    /// Adds the extension methods that a unit has under a key, of projects that the file sees.
    fn add_extensions(
        &self,
        file: &LinkedFile,
        unit: ModuleId,
        key: &str,
        all: &mut Vec<(ModuleId, SymbolIdx)>,
    ) {
        for found in exports::all_in_unit(self.cache, unit, key) {
            let Def::Symbol(there, at) = found else {
                continue;
            };
            if exports::distance_of_project(self.cache, file, found).is_none() {
                continue;
            }
            let Some(loaded) = self.cache.get(there) else {
                continue;
            };
            for at in loaded.overloads(at) {
                let is_extension = loaded.symbol(*at).flags.contains(SymbolFlags::EXTENSION);
                if is_extension && all.len() < MAX_EXTENSIONS && !all.contains(&(there, *at)) {
                    all.push((there, *at));
                }
            }
        }
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
            self.add_extensions(file, *unit, &key, &mut all);
            all.retain(|(there, at)| {
                let loaded = self.cache.get(*there);
                loaded.is_some_and(|loaded| self.takes_first(&loaded, *at, object))
            });
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

/// Whether a value of an external type, or of an unknown one, may be the first argument of an extension method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reception {
    Never,
    Doubtful,
    Likely,
}

fn may_receive(object: Option<&Type>, param: Option<&Type>) -> Reception {
    let (Some(object), Some(param)) = (object, param) else {
        return Reception::Likely;
    };
    match (object, param) {
        (Type::ExternalType(object), Type::ExternalType(param)) => {
            if object.may_be(param) {
                Reception::Likely
            } else if object.is_well_known() || param.is_well_known() {
                Reception::Never
            } else {
                Reception::Doubtful
            }
        }
        // An external value is none of a type of the repository.
        (Type::External, param) if param.symbol().is_none() => Reception::Likely,
        _ => Reception::Never,
    }
}

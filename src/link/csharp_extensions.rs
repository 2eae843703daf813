//! Extension methods of C#, which are called as members of their first argument: `builder.AddShop()` for
//! `static void AddShop(this Builder builder)`.

use std::rc::Rc;

use super::cache::Def;
use super::csharp_parts::Definitions;
use super::dotnet_bases::{ImplicitConversion, has_own_method};
use super::exports;
use super::file::LinkedFile;
use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::{Slot, SymbolIdx, extension_name};
use crate::model::{ModuleId, SymbolFlags, SymbolKind};

/// Extension methods of one name that are compared.
const MAX_EXTENSIONS: usize = 64;

impl Linker<'_, '_> {
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
        if object.is_some_and(|it| !is_outside(it)) {
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
            match is_hidden(object, param.as_ref(), method) {
                Some(true) => continue,
                Some(false) => {}
                None => is_open = true,
            }
            match reception_of(object, param.as_ref()) {
                ImplicitConversion::Never => continue,
                ImplicitConversion::Doubtful => is_open = true,
                ImplicitConversion::Likely => {}
            }
            let class = loaded.symbol(*at).parent;
            match found {
                None => found = Some((class, (*there, *at))),
                Some((known, (file, _))) => is_open |= (known, file) != (class, *there),
            }
        }
        let (_, (there, at)) = found?;
        let is_usual = object.is_some() && ExternalType::is_usual_method(method);
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
        self.add_static_extensions(file, method, &mut all);
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

    /// Adds the extension methods of the classes that a file takes static members of: `using static Acme.Texts;`.
    fn add_static_extensions(
        &self,
        file: &LinkedFile,
        method: &str,
        all: &mut Vec<(ModuleId, SymbolIdx)>,
    ) {
        for at in &file.imports.static_members {
            let class = file.facts.imports[*at as usize].names.first();
            let class = class.filter(|it| it.local == "*");
            let (Some(class), Some(target)) = (class, file.target(*at)) else {
                continue;
            };
            let Some(Def::Symbol(there, at)) =
                exports::imported(self.cache, target, &class.imported)
            else {
                continue;
            };
            let Some(loaded) = self.cache.get(there) else {
                continue;
            };
            for at in loaded.members(at, &format!("{method}()")) {
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
        let Some(object) = &self.member_value_type(object) else {
            return Vec::new();
        };
        if matches!(object, Type::Definition(_)) {
            return Vec::new();
        }
        let key = extension_name(method);
        let taking = |mut all: Vec<(ModuleId, SymbolIdx)>| {
            all.retain(|(there, at)| {
                let loaded = self.cache.get(*there);
                loaded.is_some_and(|loaded| self.takes_first((&loaded, *at), object, method))
            });
            all
        };
        for unit in file.units.iter().chain(&file.imports.wildcards) {
            let mut all = Vec::new();
            self.add_extensions(file, *unit, &key, &mut all);
            let all = taking(all);
            if !all.is_empty() {
                return all;
            }
        }
        let mut all = Vec::new();
        self.add_static_extensions(file, method, &mut all);
        taking(all)
    }

    /// Whether a method takes a value as its first argument, where the call names `method`.
    fn takes_first(
        &self,
        (loaded, at): (&Rc<LinkedFile>, SymbolIdx),
        object: &Type,
        method: &str,
    ) -> bool {
        let param = loaded.value(at, Slot::Param(0));
        let param = param.and_then(|param| self.infer(loaded, param, None));
        self.receives(object, param.as_ref())
            && is_hidden(Some(object), param.as_ref(), method) == Some(false)
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

/// Returns whether a value of an external type, or of an unknown one, may be the first argument of an extension method.
fn reception_of(object: Option<&Type>, param: Option<&Type>) -> ImplicitConversion {
    let (Some(object), Some(param)) = (object, param) else {
        return ImplicitConversion::Likely;
    };
    match (object, param) {
        // `(name ?? other).Cut()`
        (Type::Union(all), _) => {
            let each = all.iter().map(|one| reception_of(Some(one), Some(param)));
            let each: Vec<ImplicitConversion> = each.collect();
            if each.iter().all(|it| *it == ImplicitConversion::Never) {
                ImplicitConversion::Never
            } else if each.contains(&ImplicitConversion::Likely) {
                ImplicitConversion::Likely
            } else {
                ImplicitConversion::Doubtful
            }
        }
        (_, Type::Union(all)) => {
            let mut each = all.iter().map(|one| reception_of(Some(object), Some(one)));
            if each.any(|it| it == ImplicitConversion::Never) {
                ImplicitConversion::Never
            } else {
                ImplicitConversion::Doubtful
            }
        }
        (Type::ExternalType(object), Type::ExternalType(param)) => object.converts_to(param),
        (Type::ExternalType(_), Type::External) => ImplicitConversion::Doubtful,
        // An external value is none of a type of the repository.
        (Type::External, param) if param.symbol().is_none() => ImplicitConversion::Likely,
        _ => ImplicitConversion::Never,
    }
}

/// Whether a value has a method of its own that hides an extension method which is written for one of its interfaces: `text.Split(',')` is
/// none for `ReadOnlySpan<char>`. `None` where it may have one.
fn is_hidden(object: Option<&Type>, param: Option<&Type>, method: &str) -> Option<bool> {
    match (object, param) {
        (Some(Type::ExternalType(object)), Some(Type::ExternalType(param)))
            if object.name != param.name =>
        {
            has_own_method(object, method)
        }
        _ => Some(false),
    }
}

/// Whether a value is of an external type, or of one of several.
fn is_outside(object: &Type) -> bool {
    match object {
        Type::External | Type::ExternalType(_) => true,
        Type::Union(all) => !all.is_empty() && all.iter().all(is_outside),
        _ => false,
    }
}

//! Methods that a trait of Rust gives to types from outside of the repository: `text.is_blank()` where `StrExt` is implemented
//! for `str`.
//!
//! Only traits count that are in scope in the file, by an import or because it declares them. Of a value from outside whose type has
//! no name here, the one trait in scope that has the method and is implemented for types from outside is meant. Extension
//! methods of C# are in `parts`.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::linker::Linker;
use super::path_names::{Named, Wanted};
use super::types::Type;
use crate::ir::{BaseKind, ImportKind, Slot, SymbolIdx};
use crate::model::{ModuleId, SymbolKind};

/// Traits in scope of one file that are known.
const MAX_TRAITS: usize = 500;

impl Linker<'_, '_> {
    /// The method that a trait in scope gives a type from outside by its name, or one without a name.
    pub(super) fn by_extension(&self, type_name: Option<&str>, method: &str) -> Option<Type> {
        let traits = self.traits_in_scope();
        if traits.is_empty() {
            return None;
        }
        let key = (type_name.unwrap_or_default().to_owned(), method.to_owned());
        if let Some(known) = self.extensions.borrow().get(&key) {
            return known.clone();
        }
        let mut found = None;
        for (file, at) in traits.iter() {
            let Some(loaded) = self.cache.get(*file) else {
                continue;
            };
            let Some(declared) = loaded.members(*at, method).first().copied() else {
                continue;
            };
            let Some(meant) = self.implementation_of(&loaded, *at, declared, type_name, method)
            else {
                continue;
            };
            if found.replace(meant).is_some() {
                found = None;
                break;
            }
        }
        if self.has_fuel() {
            self.extensions.borrow_mut().insert(key, found.clone());
        }
        found
    }

    /// The method of the `impl` block for a type from outside; that of the trait where several may be meant.
    fn implementation_of(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        declared: SymbolIdx,
        type_name: Option<&str>,
        method: &str,
    ) -> Option<Type> {
        let own = Some((loaded.file, at));
        let is_of_trait = |candidate: SymbolIdx| {
            let base = loaded.value(candidate, Slot::Base(BaseKind::Implements));
            let base = base.and_then(|it| self.infer(loaded, it, None));
            base.and_then(|it| it.symbol()) == own
        };
        if let Some(name) = type_name {
            let names = match name {
                "String" => [name, "str"],
                "Vec" => [name, "[]"],
                "PathBuf" => [name, "Path"],
                _ => [name, name],
            };
            let blocks = names.iter().map(|name| name.trim_start_matches("::"));
            for name in blocks {
                for there in [format!("{name}.{method}"), format!("::{name}.{method}")] {
                    let all = loaded.top_level(&there).iter().copied();
                    let mut fitting = all.filter(|it| is_of_trait(*it));
                    if let Some(found) = fitting.next() {
                        return Some(Type::Definition(Def::Symbol(loaded.file, found)));
                    }
                }
            }
            return None;
        }
        let mut outer = Vec::new();
        for named in &loaded.facts.owners {
            if loaded.facts.symbols[named.symbol as usize].name == method
                && is_of_trait(named.symbol)
            {
                let owner = self.infer(loaded, named.owner, None)?;
                if owner.is_external() {
                    outer.push(named.symbol);
                }
            }
        }
        let found = match outer.as_slice() {
            [] => return None,
            [one] => loaded
                .symbol(*one)
                .name
                .as_str()
                .eq(method)
                .then_some(*one)?,
            _ => declared,
        };
        Some(Type::Definition(Def::Symbol(loaded.file, found)))
    }

    /// The traits of the repository whose methods the file can call.
    fn traits_in_scope(&self) -> Rc<[(ModuleId, SymbolIdx)]> {
        if let Some(known) = &*self.traits_in_scope.borrow() {
            return Rc::clone(known);
        }
        // A look-up on the way finds none.
        *self.traits_in_scope.borrow_mut() = Some(Rc::default());
        let own = &self.file;
        let mut all: Vec<(ModuleId, SymbolIdx)> = Vec::new();
        let mut add = |file: &LinkedFile, at: SymbolIdx| {
            let key = (file.file, at);
            if file.symbol(at).kind == SymbolKind::Interface
                && !all.contains(&key)
                && all.len() < MAX_TRAITS
            {
                all.push(key);
            }
        };
        for at in own.interfaces() {
            add(own, at);
        }
        for (at, import) in (0_u32..).zip(&own.facts.imports) {
            let is_use = matches!(import.kind, ImportKind::Static | ImportKind::ReExport);
            let Some(target) = own.target(at).filter(|_| is_use) else {
                continue;
            };
            for name in &import.names {
                if name.imported == "*" && !import.specifier.starts_with("mod ") {
                    if let Some(loaded) = self.cache.get(target) {
                        for at in loaded.interfaces() {
                            add(&loaded, at);
                        }
                    }
                    continue;
                }
                if !name.imported.starts_with(char::is_uppercase) {
                    continue;
                }
                let module = Type::Definition(Def::Module(target));
                let found = self.in_definition(&module, &name.imported, Wanted::Last);
                if let Named::Found(Type::Definition(Def::Symbol(file, at))) = found
                    && let Some(loaded) = self.cache.get(file)
                {
                    add(&loaded, at);
                }
            }
        }
        let all: Rc<[(ModuleId, SymbolIdx)]> = all.into();
        *self.traits_in_scope.borrow_mut() = Some(Rc::clone(&all));
        all
    }
}

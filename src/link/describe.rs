//! Types in words: `List<Item>`, `Item[]`, `() => Item`.
//!
//! For `uses`, which tells by the words or the classes of a receiver whether a use changes its meaning. Values without a
//! definition have no name.

use super::cache::{Def, FactsCache};
use super::linker::Linker;
use super::types::Type;
use crate::ir::{ContainerKind, ExprId};
use crate::model::ModuleId;

/// Types inside types that are written out.
const MAX_DEPTH: usize = 8;

impl Linker<'_, '_> {
    /// The type of an expression, in words; `None` where it is unknown.
    pub(super) fn described(&self, expr: ExprId) -> Option<String> {
        self.refuel();
        let found = self.infer(&self.file, expr, None)?;
        if found == Type::unknown() {
            return None;
        }
        Some(self.in_words(&found, 0))
    }

    /// Returns the module that an expression is: `store` behind `import * as store from './store'`.
    pub(super) fn module_of(&self, expr: ExprId) -> Option<ModuleId> {
        self.refuel();
        match self.infer(&self.file, expr, None)? {
            Type::Definition(Def::Module(file)) => Some(file),
            _ => None,
        }
    }

    /// The type of the value of an expression, in words: `Store` of `app.store`, where `described` has the field; `None` where it is unknown.
    pub(super) fn described_value(&self, expr: ExprId) -> Option<String> {
        self.refuel();
        let found = self.infer(&self.file, expr, None)?;
        let found = match &found {
            Type::Union(all) => Type::Union(all.iter().map(|one| self.value_type(one)).collect()),
            one => self.value_type(one),
        };
        (found != Type::unknown()).then(|| self.in_words(&found, 0))
    }

    /// Returns the qualified names of the definitions that an expression is or may be a value of, through the pointers of Rust: both of
    /// `Store | Disk`, the constant and its class of `const store = new Store()`. None of a union with an external type, which the
    /// code may have narrowed it to.
    pub(super) fn classes_of(&self, expr: ExprId) -> Vec<String> {
        self.refuel();
        let Some(found) = self.infer(&self.file, expr, None) else {
            return Vec::new();
        };
        let all = match &found {
            Type::Union(all) => &all[..],
            one => std::slice::from_ref(one),
        };
        let values: Vec<Type> = all.iter().map(|one| self.value_type(one)).collect();
        if all.len() > 1 && values.iter().any(Type::is_external) {
            return Vec::new();
        }
        let of_each = all.iter().chain(&values);
        let mut names: Vec<String> = of_each.filter_map(|it| self.class_of_type(it)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the qualified name of the definition that a type is, through the pointers of Rust.
    pub(super) fn class_of_type(&self, found: &Type) -> Option<String> {
        let mut found = found.clone();
        for _ in 0..MAX_DEPTH {
            found = match found {
                Type::ExternalType(of) if self.rules().is_rust() && of.is_transparent() => {
                    of.arg(0)?
                }
                Type::Definition(def @ Def::Symbol(..))
                | Type::Instance(def)
                | Type::Specialized(def, _) => return Some(name(self.cache, def)),
                _ => return None,
            };
        }
        None
    }

    fn in_words(&self, found: &Type, depth: usize) -> String {
        if depth > MAX_DEPTH {
            return "…".to_owned();
        }
        let inner = |one: &Type| self.in_words(one, depth + 1);
        match found {
            Type::Definition(Def::Module(_)) => "module".to_owned(),
            Type::Definition(def) => format!("typeof {}", name(self.cache, *def)),
            Type::Instance(def) => name(self.cache, *def),
            Type::Specialized(def, given) => {
                let given = given.types.iter().map(|one| {
                    let file = self.cache.get(given.file)?;
                    self.infer(&file, *one, given.this.as_ref())
                });
                let given = given.map(|one| one.as_ref().map_or("?".to_owned(), inner));
                let given: Vec<String> = given.collect();
                format!("{}<{}>", name(self.cache, *def), given.join(", "))
            }
            Type::Container(ContainerKind::Sequence, element) => format!("{}[]", inner(element)),
            Type::Container(ContainerKind::Stream, element) => {
                format!("stream of {}", inner(element))
            }
            Type::Container(ContainerKind::Map, element) => format!("map of {}", inner(element)),
            Type::Container(ContainerKind::IndexSignature, element) => {
                format!("{{ [key]: {} }}", inner(element))
            }
            Type::Tuple(items) => {
                let items = items.iter();
                let items: Vec<String> = items
                    .map(|one| one.as_ref().map_or("?".to_owned(), inner))
                    .collect();
                format!("[{}]", items.join(", "))
            }
            Type::ExternalType(of) => of.to_string(),
            Type::ExternalMethod(of, name) => format!("{of}.{name}"),
            Type::External => "external".to_owned(),
            Type::Callable(result) => format!("() => {}", inner(result)),
            Type::Accessor(def, _) => format!("accessor of {}", name(self.cache, *def)),
            Type::AnonymousObject(..) => "{ … }".to_owned(),
            Type::Union(all) if all.is_empty() => "?".to_owned(),
            Type::Union(all) => {
                let all: Vec<String> = all.iter().map(inner).collect();
                all.join(" | ")
            }
        }
    }
}

fn name(cache: &FactsCache<'_>, def: Def) -> String {
    match def {
        Def::Module(_) => "module".to_owned(),
        Def::Symbol(file, at) => cache.get(file).map_or_else(
            || "?".to_owned(),
            |loaded| loaded.symbol(at).qualified_name.clone(),
        ),
    }
}

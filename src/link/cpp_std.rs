//! Pointers, smart ones, and containers of the standard library of C++: what they point to or hold.
//!
//! `std::unique_ptr<Store>` points to a `Store`, one element of `std::map<Key, Row>` is a pair; of other members the
//! result is external.

use std::rc::Rc;

use super::file::Access;
use super::linker::Linker;
use super::types::{ExternalType, Type, each};
use crate::model::BuiltinSet;

/// Methods that give an element.
static ELEMENTS: BuiltinSet = BuiltinSet::new(
    "C++: methods that give an element",
    "get front back at top value load value_or emplace_back",
);

/// Methods that give an iterator.
static ITERATORS: BuiltinSet = BuiltinSet::new(
    "C++: methods that give an iterator",
    "begin end cbegin cend rbegin rend find lower_bound upper_bound erase",
);

/// Methods that give an iterator; those of sets and maps a pair of it and whether something was inserted.
static INSERTERS: BuiltinSet = BuiltinSet::new(
    "C++: methods that insert",
    "insert emplace try_emplace insert_or_assign",
);

impl Linker<'_, '_> {
    /// Returns the type that a value points to: `*object`, `object->`.
    pub(super) fn pointed(&self, object: &Type) -> Option<Type> {
        self.step()?;
        match object {
            Type::Container(_, element) => Some((**element).clone()),
            Type::Union(all) => each(all, |one| self.pointed(one)),
            Type::External => Some(Type::External),
            Type::ExternalType(of) => Some(held(of)),
            _ => {
                for operator in ["operator->", "operator*"] {
                    if let Some(method) = self.declared(object, Access::Name(operator))
                        && !method.is_external()
                    {
                        let given = self.return_type(&method, Some(object), None)?;
                        return match given {
                            Type::Container(_, element) => Some((*element).clone()),
                            given => Some(given),
                        };
                    }
                }
                // A pointer whose declaration says so only by a name for its type.
                Some(self.behind_alias(object).unwrap_or_else(|| object.clone()))
            }
        }
    }

    /// Returns the type behind a name for a pointer type: `typedef struct store *store_t`.
    fn behind_alias(&self, object: &Type) -> Option<Type> {
        let (file, at) = object.symbol()?;
        let loaded = self.cache.get(file)?;
        if loaded.symbol(at).kind != crate::model::SymbolKind::Type {
            return None;
        }
        let base = loaded.bases(at).next()?;
        let _inside = self.descend()?;
        let base = self.infer(&loaded, base, None)?;
        (base != *object).then(|| self.pointed(&base))?
    }

    /// Returns the type of `object[i]`.
    pub(super) fn indexed(&self, object: &Type) -> Option<Type> {
        self.step()?;
        match object {
            Type::Container(_, element) => Some((**element).clone()),
            Type::Union(all) => each(all, |one| self.indexed(one)),
            Type::External => Some(Type::External),
            Type::ExternalType(of) => Some(held(of)),
            _ => match self.declared(object, Access::Name("operator[]")) {
                Some(method) if !method.is_external() => {
                    self.return_type(&method, Some(object), None)
                }
                _ => self.pointed(object),
            },
        }
    }

    /// One element of what a loop goes through.
    pub(super) fn looped(&self, object: &Type) -> Option<Type> {
        self.step()?;
        match object {
            Type::Container(_, element) => Some((**element).clone()),
            Type::Union(all) => each(all, |one| self.looped(one)),
            Type::External => Some(Type::External),
            Type::ExternalType(of) => Some(element(of)),
            _ => {
                if let Some(method) = self.declared(object, Access::Name("begin")) {
                    let iterator = self.return_type(&method, Some(object), None)?;
                    return self.pointed(&iterator);
                }
                let (file, at) = object.symbol()?;
                let loaded = self.cache.get(file)?;
                let base = loaded.bases(at).next()?;
                let _inside = self.descend()?;
                let base = self.infer(&loaded, base, None)?;
                (base != *object).then(|| self.looped(&base))?
            }
        }
    }

    /// The member of a value of the standard library.
    pub(super) fn pointer_member(of: &Rc<ExternalType>, name: &str) -> Type {
        match name {
            "first" => written_arg(of, 0),
            "second" => written_arg(of, 1),
            _ => Type::ExternalMethod(Rc::clone(of), name.into()),
        }
    }

    /// The result of a method of the standard library.
    pub(super) fn pointer_result(of: &Rc<ExternalType>, method: &str) -> Type {
        if ELEMENTS.has(method) {
            // `get` of a smart pointer gives a plain one.
            return held(of);
        }
        let iterator = || match element(of) {
            Type::External => Type::External,
            one => ExternalType::with("iterator", [Some(one)]),
        };
        if ITERATORS.has(method) {
            return iterator();
        }
        if INSERTERS.has(method) {
            let is_unique = of.name.ends_with("map") || of.name.ends_with("set");
            return if is_unique {
                ExternalType::with("pair", [Some(iterator()), Some(Type::External)])
            } else {
                iterator()
            };
        }
        if method == "lock" {
            return Type::ExternalType(Rc::clone(of));
        }
        Type::External
    }
}

/// Whether it maps keys to values.
fn is_map(of: &ExternalType) -> bool {
    of.name.ends_with("map")
}

/// Returns the type behind a pointer, and the value that a container gives for an index or a key.
fn held(of: &ExternalType) -> Type {
    written_arg(of, usize::from(is_map(of)))
}

/// Returns a type argument: external where none is written, unknown where its name is not found: `std::shared_ptr<Store>` of a file that only
/// declares `class Store;`.
fn written_arg(of: &ExternalType, at: usize) -> Type {
    match of.args.get(at) {
        Some(arg) => arg.clone().unwrap_or_else(Type::unknown),
        None => Type::External,
    }
}

/// Returns the type of each step of a loop over a container: of a map a pair.
fn element(of: &ExternalType) -> Type {
    if is_map(of) {
        return Type::ExternalType(Rc::new(ExternalType {
            name: "pair".into(),
            module: None,
            args: Rc::clone(&of.args),
        }));
    }
    written_arg(of, 0)
}

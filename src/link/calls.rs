//! Calls: the result type of a callee, and the type of its parameters for callbacks.
//!
//! Selects no overload (see `overloads`): a parameter has a type where all overloads agree on it; those of callbacks are united.

use std::rc::Rc;

use super::cache::Def;
use super::csharp_delegates::LAMBDA;
use super::file::Access;
use super::generics::is_variable;
use super::java_std::has_usual_result;
use super::linker::Linker;
use super::rules::{self, LanguageRules, MemberOrder};
use super::types::{ExternalType, Substitution, Type, each};
use crate::ir::{PathId, Slot};
use crate::model::{SymbolFlags, SymbolKind};

impl Linker<'_, '_> {
    /// The type that calling `callee` returns, a member of `object`, with the arguments `call`; the union over
    /// overloads.
    pub(super) fn return_type(
        &self,
        callee: &Type,
        object: Option<&Type>,
        call: Option<Rc<Substitution>>,
    ) -> Option<Type> {
        let outer = self.call.replace(call);
        let found = self.result(callee, object);
        self.call.replace(outer);
        found
    }

    fn result(&self, callee: &Type, object: Option<&Type>) -> Option<Type> {
        self.step()?;
        match callee {
            Type::Callable(result) => return Some((**result).clone()),
            Type::Accessor(_, result) => return result.as_deref().cloned(),
            Type::Union(all) => return each(all, |one| self.result(one, object)),
            Type::External if self.rules().is_rust() => return self.rust_external_result(),
            // `static T Pick<T>(T value)` of a package gives what it is given.
            Type::External if self.rules().is_csharp() && self.has_own_argument() => return None,
            Type::External => return Some(Type::External),
            Type::ExternalMethod(of, method) => return self.external_method_result(of, method),
            Type::ExternalType(of) if self.rules().is_rust() => {
                return self.function_result(of);
            }
            // A value, or a function object: `std::function<Store()>`.
            Type::ExternalType(_) if self.rules().is_c() => return Some(callee.clone()),
            Type::ExternalType(of) if self.rules().is_csharp() => {
                return of.delegate_result();
            }
            Type::ExternalType(of) if self.rules().has_overloads && has_usual_result(&of.name) => {
                return self.imported_result(of).or(Some(Type::External));
            }
            Type::ExternalType(_) => return None,
            _ => {}
        }
        let (file, at) = callee.symbol()?;
        let object = match callee {
            Type::Specialized(..) => Some(callee),
            _ => object,
        };
        let loaded = self.cache.get(file)?;
        let rules = rules::of(&loaded);
        let is_conversion = rules.members == MemberOrder::Embedding && !callee.is_instance();
        if is_conversion && loaded.symbol(at).kind.is_type() {
            return Some(self.of_conversion(callee));
        }
        if loaded.symbol(at).kind == SymbolKind::Macro {
            // Of several rules the one that takes as many arguments.
            let n_args = self.call().map_or(0, |call| call.args.len());
            let rule = loaded.below(PathId::EMPTY, Slot::Param(u8::try_from(n_args).ok()?))?;
            let path = loaded.below(rule, Slot::Return);
            let value = loaded.values(Some(at), path).next()?;
            return self.infer(&loaded, value, None);
        }
        if rules.members == MemberOrder::Implementations
            && loaded.symbol(at).kind == SymbolKind::EnumMember
        {
            let parent = loaded.symbol(at).parent?;
            return Some(Type::Instance(Def::Symbol(file, parent)));
        }
        if loaded.symbol(at).kind == SymbolKind::Class {
            if rules.constructs_by_call && !callee.is_instance() {
                return Some(callee.clone().instance());
            }
            if let Some(method) = rules.instance_call_method {
                let method = self.declared(callee, Access::Name(method))?;
                return self.result(&method, Some(callee));
            }
        }
        if loaded.symbol(at).flags.contains(SymbolFlags::ACCESSOR) {
            // It was read before it was called.
            let held = self.declared_type(&loaded, at, object)?;
            return (held != *callee).then(|| self.result(&held, None))?;
        }
        let is_accessor = rules.is_java();
        if is_accessor && loaded.symbol(at).kind == SymbolKind::Field {
            // The accessor of a record, or one that is written for an annotation.
            return self.declared_type(&loaded, at, object);
        }
        // Of several heads, which one is meant depends on what they are given.
        let own = [at];
        let heads = if rules.has_overloads || rules.has_includes {
            &own
        } else {
            loaded.overloads(at)
        };
        let heads = heads.iter();
        let mut returned = heads
            .filter_map(|at| loaded.value(*at, Slot::Return))
            .peekable();
        if returned.peek().is_some() {
            let results = returned.filter_map(|value| self.infer(&loaded, value, object));
            return results.reduce(Type::or);
        }
        if let Some(path) = loaded.below(PathId::EMPTY, Slot::Return)
            && let Some(literal) = self.in_object(file, Some(at), path, callee)
        {
            return Some(literal);
        }
        let held = match loaded.symbol(at).kind {
            // A name for the type of a function.
            SymbolKind::Type | SymbolKind::Class
                if names_callable(rules, callee, loaded.symbol(at).kind) =>
            {
                self.infer(&loaded, loaded.bases(at).next()?, object)?
                    .instance()
            }
            kind if kind.is_type() => return None,
            _ => self.declared_type(&loaded, at, object)?,
        };
        (held != callee.unspecialized()).then(|| self.result(&held, None))?
    }

    /// Whether an argument of the call that is being evaluated is, or holds, a value of the repository, which an external generic
    /// function may return: `pick(&row)`. A function that is handed over counts by its result.
    pub(super) fn has_own_argument(&self) -> bool {
        let n_args = self.call().map_or(0, |call| call.args.len());
        (0..n_args).any(|at| {
            let given = u8::try_from(at).ok().and_then(|at| self.argument(at));
            given.is_some_and(|it| self.holds_own(&it))
        })
    }

    /// Whether a value is of a type of the repository or holds one that is.
    fn holds_own(&self, value: &Type) -> bool {
        if self.step().is_none() {
            return false;
        }
        let any = |all: &[Option<Type>]| all.iter().flatten().any(|it| self.holds_own(it));
        match value {
            Type::ExternalType(of) if &*of.name == LAMBDA => {
                let result = of.args.last().and_then(Option::as_ref);
                result.is_some_and(|it| self.holds_own(it))
            }
            Type::ExternalType(of) => any(&of.args),
            Type::Tuple(items) => any(items),
            Type::Union(all) => all.iter().any(|it| self.holds_own(it)),
            Type::Container(_, one) | Type::Callable(one) => self.holds_own(one),
            Type::Accessor(_, result) => result.as_deref().is_some_and(|it| self.holds_own(it)),
            Type::Instance(_) | Type::Specialized(..) | Type::AnonymousObject(..) => true,
            Type::Definition(Def::Symbol(file, at)) => match self.kind(*file, *at) {
                // A struct without fields is its own value.
                Some(SymbolKind::EnumMember | SymbolKind::Class) => true,
                Some(kind) if is_variable(kind) => {
                    let held = self.value(value.clone());
                    held.is_some_and(|held| held != *value && self.holds_own(&held))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The result of a method of an external type, by the tables of the language.
    fn external_method_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        match self.rules() {
            rules if rules.is_rust() => self.standard_result(of, method),
            rules if rules.is_c() => Some(Self::pointer_result(of, method)),
            rules if rules.is_csharp() => self.dotnet_result(of, method),
            rules if rules.is_go() => Some(Self::external_generic_result(of, method)),
            _ => self.external_result(of, method),
        }
    }

    /// The value that a conversion to a type of Go makes: a `List[Item]` of `List[Item](all)`.
    fn of_conversion(&self, type_: &Type) -> Type {
        let call = self.call().filter(|call| !call.types.is_empty());
        match (type_, call) {
            (Type::Definition(def), Some(call)) => Type::Specialized(*def, call),
            _ => type_.clone().instance(),
        }
    }

    /// The type of parameter `index` of a function or a constructor, a member of `object`.
    pub(super) fn parameter(
        &self,
        callee: &Type,
        index: u8,
        object: Option<&Type>,
    ) -> Option<Type> {
        self.step()?;
        match callee {
            Type::Union(all) => {
                return agreed(all.iter().map(|one| self.parameter(one, index, object)));
            }
            Type::AnonymousObject(file, owner, path) => {
                let loaded = self.cache.get(*file)?;
                let path = loaded.below(*path, Slot::Param(index))?;
                return self.in_object(*file, *owner, path, object.unwrap_or(callee));
            }
            Type::External if self.rules().is_rust() => {
                return Self::rust_external_parameter(index);
            }
            Type::ExternalType(of) if self.rules().is_csharp() => {
                return of.delegate_parameter(usize::from(index));
            }
            Type::ExternalType(of) => return of.parameter(usize::from(index)),
            Type::ExternalMethod(of, method) if self.rules().is_rust() => {
                return Some(self.standard_callback(of, method, index));
            }
            Type::ExternalMethod(of, method) if self.rules().is_csharp() => {
                return self.dotnet_callback(of, method, index);
            }
            Type::ExternalMethod(of, method) => return self.external_callback(of, method),
            _ => {}
        }
        let (file, at) = callee.symbol()?;
        let object = match callee {
            Type::Specialized(..) => Some(callee),
            _ => object,
        };
        let loaded = self.cache.get(file)?;
        let rules = rules::of(&loaded);
        let kind = loaded.symbol(at).kind;
        let is_type = matches!(kind, SymbolKind::Interface | SymbolKind::Type);
        if kind == SymbolKind::Class {
            if rules.has_overloads
                && let Some(component) = loaded.value(at, Slot::Param(index))
            {
                // That of a record.
                return self.infer(&loaded, component, object);
            }
            let made = matches!(callee, Type::Definition(_)).then(|| callee.clone().instance())?;
            let found = self.declared(&made, Access::Name(rules.constructor))?;
            let is_own = matches!(found, Type::Definition(Def::Symbol(file, at))
                if self.kind(file, at) == Some(SymbolKind::Constructor));
            return is_own
                .then(|| self.parameter(&found, index, object))
                .flatten();
        }
        if is_type && !callee.is_instance() {
            return None;
        }
        if rules.has_method_values {
            let found = self.callback_parameter(&loaded, at, index, object.unwrap_or(callee));
            if found.is_some() || is_type || kind.is_function() {
                return found;
            }
        }
        if let Some(path) = loaded.below(PathId::EMPTY, Slot::Param(index)) {
            // One that was chosen by its arguments stands for itself.
            let is_chosen = rules.has_overloads && kind == SymbolKind::Method;
            let heads = loaded
                .overloads(at)
                .iter()
                .filter(|it| loaded.symbol(**it).kind == kind && (!is_chosen || **it == at));
            let heads: Vec<Option<Type>> = heads
                .map(|head| self.in_object(file, Some(*head), path, object.unwrap_or(callee)))
                .collect();
            if heads.iter().any(Option::is_some) {
                let heads: Option<Vec<Type>> = heads.into_iter().collect();
                let heads = heads?;
                let is_function = |head: &Type| matches!(head, Type::AnonymousObject(..));
                // Overloads that take callbacks may agree on the parameters of these.
                return if heads.iter().any(is_function) {
                    heads.into_iter().reduce(Type::or)
                } else {
                    agreed(heads.into_iter().map(Some))
                };
            }
        }
        if is_type {
            // A name for another type; an interface may have signatures beside those of what it is built on.
            let is_another = kind == SymbolKind::Type || rules.has_overloads;
            let mut bases = loaded.bases(at).filter(|_| is_another);
            let (base, None) = (bases.next()?, bases.next()) else {
                return None;
            };
            let base = self.infer(&loaded, base, None)?.instance();
            return (base != callee.unspecialized())
                .then(|| self.parameter(&base, index, object))
                .flatten();
        }
        let held = self.declared_type(&loaded, at, object)?;
        (held != *callee)
            .then(|| self.parameter(&held, index, None))
            .flatten()
    }
}

/// Whether calling it calls the target of a type alias: `handle()` where `handle` is a `type Handler func() error`.
fn names_callable(rules: &LanguageRules, callee: &Type, kind: SymbolKind) -> bool {
    kind == SymbolKind::Type || rules.members == MemberOrder::Embedding && callee.is_instance()
}

/// The type that all of several have.
fn agreed(mut all: impl Iterator<Item = Option<Type>>) -> Option<Type> {
    let first = all.next()??;
    all.all(|one| one.as_ref() == Some(&first)).then_some(first)
}

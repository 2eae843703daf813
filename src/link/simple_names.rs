//! Names without a receiver where a method is a value and a type has its arity in its name: `Open` may be a field, a method or a
//! type, ``Open`0`` a type alone, `Open()` a method or a field that holds a function.
//!
//! Members are found by `enclosing`, names of units by `exports`.

use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::{SymbolIdx, split_generic_name};
use crate::model::SymbolKind;

/// The meaning of a name, and the object that it is a member of.
type NamedMember = (Type, Option<Type>);

impl Linker<'_, '_> {
    /// Returns the meaning of a name without a receiver.
    pub(super) fn simple_name(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> Option<NamedMember> {
        self.step()?;
        if let Some((_, offered)) = split_generic_name(name) {
            let found = self.type_around(file, scope, offered);
            let found = found.or_else(|| self.certain_external_name(file, name));
            return Some((found?, None));
        }
        let is_inside = |found: &NamedMember| !found.0.is_external();
        if let Some(plain) = name.strip_suffix("()") {
            let local = local_function(file, scope, plain);
            if local.is_some() {
                return Some((local?, None));
            }
            let method = self.in_scope(file, scope, name);
            if method.as_ref().is_some_and(is_inside) {
                return method;
            }
            let value = self.in_scope(file, scope, plain).filter(is_inside);
            return value.or(method);
        }
        let own = local_function(file, scope, name).map(|found| (found, None));
        own.or_else(|| self.in_scope(file, scope, name).filter(is_inside))
            .or_else(|| {
                let method = self.in_scope(file, scope, &format!("{name}()"));
                method.filter(is_inside)
            })
            .or_else(|| {
                let found = exports::top(self.cache, file, name).map(Type::Definition);
                Some((
                    found.or_else(|| self.certain_external_name(file, name))?,
                    None,
                ))
            })
    }

    /// Returns the type that a name means: one in a type around or in a base of that, else one of a unit.
    fn type_around(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> Option<Type> {
        let mut at = scope;
        while let Some(symbol) = at {
            let around = file.symbol(symbol);
            if around.kind.is_type() {
                let definition = Type::Definition(Def::Symbol(file.file, symbol));
                if file.lookup_name(symbol) == name {
                    return Some(definition);
                }
                let key = (file.file, symbol);
                if !self.open_scopes.borrow().contains(&key) {
                    self.open_scopes.borrow_mut().push(key);
                    let found = self.declared(&definition.instance(), Access::Name(name));
                    self.open_scopes.borrow_mut().pop();
                    if let Some(found) = found.filter(|it| self.is_type_name(it)) {
                        return Some(found);
                    }
                }
            }
            at = around.parent;
        }
        let taken = self.statically_imported(file, name).map(|it| it.0);
        taken
            .filter(|it| self.is_type_name(it))
            .or_else(|| exports::top(self.cache, file, name).map(Type::Definition))
    }

    fn is_type_name(&self, found: &Type) -> bool {
        matches!(found, Type::Definition(Def::Symbol(file, at))
            if self.kind(*file, *at).is_some_and(SymbolKind::is_type))
    }

    /// Returns the member of an object, else the method of a visible unit that takes the object as its first argument. A member that
    /// an external type may have gives way to such a method. `object` is `None` for a value of an unknown type; `is_type` is whether
    /// it is the name of an external type.
    pub(super) fn member_or_extension(
        &self,
        file: &Rc<LinkedFile>,
        object: Option<&Type>,
        name: &str,
        is_type: bool,
    ) -> Option<Type> {
        let Some(object) = object else {
            return self.extension_by_name(file, None, name);
        };
        let found = self.member_or_method(object, name);
        if found.as_ref().is_some_and(|it| !it.is_external()) {
            return found;
        }
        if let Some(plain) = name.strip_suffix("()")
            && let Some(value) = self.called_value(object, plain)
        {
            return Some(value);
        }
        self.extension(file, object, name)
            .or_else(|| {
                let held = self.member_value_type(object).filter(|_| !is_type);
                self.extension_by_name(file, Some(&held?), name)
            })
            .or(found)
    }

    /// The field or property of an object that holds a function: `job.Done` in `job.Done(1)`.
    fn called_value(&self, object: &Type, name: &str) -> Option<Type> {
        let found = self.declared(object, Access::Name(name))?;
        let is_function = || {
            let held = self.member_value_type(&found)?;
            let by_name = matches!(&held, Type::ExternalType(of) if of.is_delegate_by_name());
            Some(by_name || self.is_delegate(&held))
        };
        (self.is_value_member(&found) && is_function() == Some(true)).then_some(found)
    }

    /// Returns the member of an object by its name alone: a field, else a method that is a value.
    pub(super) fn member_or_method(&self, object: &Type, name: &str) -> Option<Type> {
        let found = self.member(object, name);
        if name.ends_with("()") || found.as_ref().is_some_and(|it| !it.is_external()) {
            return found;
        }
        let method = self.member(object, &format!("{name}()"));
        let found = method.filter(|it| !it.is_external()).or(found);
        found.or_else(|| self.member_of_nullable(object, name))
    }

    /// The member that a value of a struct has where it may be missing: `at.Value` of `Time? at`. Facts write the type without its sign.
    fn member_of_nullable(&self, object: &Type, name: &str) -> Option<Type> {
        let held = self.member_value_type(object).filter(Type::is_instance);
        match name {
            "Value" => held,
            "HasValue" => held.map(|_| ExternalType::plain("bool")),
            _ => None,
        }
    }
}

/// Returns the function inside of a member around, or of the statements of the file.
fn local_function(file: &Rc<LinkedFile>, scope: Option<SymbolIdx>, name: &str) -> Option<Type> {
    let is_function = |at: &&SymbolIdx| file.symbol(**at).kind == SymbolKind::Function;
    let mut at = scope;
    while let Some(symbol) = at {
        if file.symbol(symbol).kind.is_type() {
            return None;
        }
        if let Some(found) = file.members(symbol, name).iter().find(is_function) {
            return Some(Type::Definition(Def::Symbol(file.file, *found)));
        }
        at = file.symbol(symbol).parent;
    }
    let found = file.top_level(name).iter().find(is_function)?;
    Some(Type::Definition(Def::Symbol(file.file, *found)))
}

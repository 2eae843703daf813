//! What lies behind a call, an index or any name: what functions return, what holders hold.
//!
//! Refuses to know what a member of one name is.

use std::rc::Rc;

use super::binding::{Binder, is_type};
use super::generic::Given;
use super::library::Def;
use super::value::Value;
use crate::model::SymbolKind;

impl Binder<'_, '_> {
    /// Returns what calling a value gives, `on` being what it is a member of and `call` what it is given.
    pub(super) fn called(
        &self,
        value: &Value,
        on: Option<&Value>,
        call: Option<Rc<Given>>,
    ) -> Option<Value> {
        let outer = self.call.replace(call);
        let found = self.result(value, on);
        self.call.replace(outer);
        found
    }

    fn result(&self, value: &Value, on: Option<&Value>) -> Option<Value> {
        self.step()?;
        let (file, at) = match value {
            Value::Giver(given) => return Some((**given).clone()),
            Value::Any(all) => return each(all, |one| self.result(one, on)),
            Value::Thing(Def::Symbol(file, at))
            | Value::Instance(Def::Symbol(file, at))
            | Value::Generic(Def::Symbol(file, at), _) => (*file, *at),
            _ => return None,
        };
        let on = match value {
            Value::Generic(..) => Some(value),
            _ => on,
        };
        let loaded = self.library.get(file)?;
        // Of several heads, which one is meant depends on what they are given.
        let heads = loaded.same(at).iter();
        let mut returned = heads
            .filter_map(|at| loaded.hints(Some(*at), "return").next())
            .peekable();
        if returned.peek().is_some() {
            let values = returned.filter_map(|hint| self.hinted(&loaded, hint, on));
            return values.reduce(Value::or);
        }
        if let Some(literal) = self.in_literal(file, Some(at), "return", value) {
            return Some(literal);
        }
        let held = match loaded.symbol(at).kind {
            // A name for the type of a function.
            SymbolKind::Type => self
                .hinted(&loaded, loaded.bases(at).next()?, on)?
                .instance(),
            kind if is_type(kind) => return None,
            _ => self.held(&loaded, at, on)?,
        };
        (held != value.plain()).then(|| self.result(&held, None))?
    }

    /// Returns one of what a value holds.
    pub(super) fn element(&self, value: &Value) -> Option<Value> {
        self.step()?;
        let (file, at) = match value {
            Value::Holder(held) | Value::Keyed(held) => return Some((**held).clone()),
            Value::Any(all) => return each(all, |one| self.element(one)),
            Value::Thing(Def::Symbol(file, at))
            | Value::Instance(Def::Symbol(file, at))
            | Value::Generic(Def::Symbol(file, at), _) => (*file, *at),
            _ => return None,
        };
        let loaded = self.library.get(file)?;
        for base in loaded.bases(at) {
            let found = self
                .hinted(&loaded, base, Some(value))
                .filter(|base| base != value)
                .and_then(|base| self.element(&base));
            if found.is_some() {
                return found;
            }
        }
        let held = self.held(&loaded, at, None);
        match held.filter(|held| held != value) {
            Some(held) => self.element(&held),
            None => self.each_of(value),
        }
    }

    /// Returns what something of a type hands to a function, one by one: `forEach(cb: (one: T) => void)`.
    fn each_of(&self, value: &Value) -> Option<Value> {
        let each = value
            .is_instance()
            .then(|| self.declared(value, "forEach"))??;
        let given = self.parameter(&each, "(0)", Some(value))?;
        self.parameter(&given, "(0)", Some(value))
    }

    /// Returns what a value holds by any name. What is built on something unknown may have the name from there.
    pub(super) fn keyed(&self, value: &Value) -> Option<Value> {
        self.step()?;
        let (file, at) = match value {
            Value::Keyed(held) => return Some((**held).clone()),
            Value::Any(all) => return each(all, |one| self.keyed(one)),
            Value::Thing(Def::Symbol(file, at))
            | Value::Instance(Def::Symbol(file, at))
            | Value::Generic(Def::Symbol(file, at), _) => (*file, *at),
            _ => return None,
        };
        let loaded = self.library.get(file)?;
        let mut found = None;
        if value.is_instance() {
            for base in loaded.same(at).iter().flat_map(|at| loaded.bases(*at)) {
                let base = self.hinted(&loaded, base, Some(value))?.instance();
                if base != value.plain() {
                    found = found.or(self.keyed(&base));
                }
            }
        }
        found.or_else(|| {
            let held = self.held(&loaded, at, None)?;
            (held != *value).then(|| self.keyed(&held)).flatten()
        })
    }
}

/// Does the same to each of several values: what comes of any of them.
pub(super) fn each(all: &[Value], then: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    all.iter().filter_map(then).reduce(Value::or)
}

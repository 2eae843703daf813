//! What a function is given, by what is written about its parameters.
//!
//! Refuses to pick one of several signatures: what they do not agree on is unknown.

use super::binding::Binder;
use super::library::Def;
use super::value::Value;
use crate::model::SymbolKind;

impl Binder<'_, '_> {
    /// Returns a parameter (`(0)`, `(1)`, …) of what can be called or made, `on` being what it was asked of.
    pub(super) fn parameter(&self, value: &Value, step: &str, on: Option<&Value>) -> Option<Value> {
        self.step()?;
        let (file, at) = match value {
            Value::Any(all) => return agreed(all.iter().map(|one| self.parameter(one, step, on))),
            Value::Literal(file, owner, path) => {
                let path = format!("{path}.{step}");
                return self.in_literal(*file, *owner, &path, on.unwrap_or(value));
            }
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
        let kind = loaded.symbol(at).kind;
        let is_type = matches!(kind, SymbolKind::Interface | SymbolKind::Type);
        if kind == SymbolKind::Class {
            let made = matches!(value, Value::Thing(_)).then(|| value.clone().instance())?;
            let found = self.declared(&made, "constructor")?;
            let is_own = matches!(found, Value::Thing(Def::Symbol(file, at))
                if self.kind(file, at) == Some(SymbolKind::Constructor));
            return is_own.then(|| self.parameter(&found, step, on)).flatten();
        }
        if is_type && !value.is_instance() {
            return None;
        }
        let heads = loaded
            .same(at)
            .iter()
            .filter(|it| loaded.symbol(**it).kind == kind);
        let heads: Vec<Option<Value>> = heads
            .map(|head| self.in_literal(file, Some(*head), step, on.unwrap_or(value)))
            .collect();
        if heads.iter().any(Option::is_some) {
            let heads: Option<Vec<Value>> = heads.into_iter().collect();
            let heads = heads?;
            let is_function = |head: &Value| matches!(head, Value::Literal(..));
            // Functions may agree on what they are given.
            return if heads.iter().any(is_function) {
                heads.into_iter().reduce(Value::or)
            } else {
                agreed(heads.into_iter().map(Some))
            };
        }
        if is_type {
            // A name for another type; an interface may have signatures beside those of what it is built on.
            let mut bases = loaded.bases(at).filter(|_| kind == SymbolKind::Type);
            let (base, None) = (bases.next()?, bases.next()) else {
                return None;
            };
            let base = self.hinted(&loaded, base, None)?.instance();
            return (base != value.plain())
                .then(|| self.parameter(&base, step, on))
                .flatten();
        }
        let held = self.held(&loaded, at, on)?;
        (held != *value)
            .then(|| self.parameter(&held, step, None))
            .flatten()
    }
}

/// What all of several are.
fn agreed(mut all: impl Iterator<Item = Option<Value>>) -> Option<Value> {
    let first = all.next()??;
    all.all(|one| one.as_ref() == Some(&first)).then_some(first)
}

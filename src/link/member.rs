//! What lies behind a dot, a call or an index: members of classes, objects, modules and what they are built
//! on; what functions return.
//!
//! Refuses to know where a chain begins.

use std::rc::Rc;

use super::binding::{Binder, is_type};
use super::exports;
use super::facts::Loaded;
use super::generic::{apart, head};
use super::held::each;
use super::library::Def;
use super::value::{Value, function_member, of_holder};
use crate::model::{
    ARGUMENT, ExportKind, Hint, HintKind, OWN_TYPE_PARAMETER, SymbolKind, TYPE_PARAMETER,
};

/// A hint with its file, and what its definition was asked of.
type Context<'a> = ((&'a Loaded, &'a Hint), Option<&'a Value>);

impl Binder<'_, '_> {
    /// Follows steps from a value: names of members, `()` and `[]`.
    pub(super) fn follow<'s>(
        &self,
        value: Value,
        steps: impl Iterator<Item = &'s str>,
    ) -> Option<Value> {
        self.traced(value, None, steps, None)
            .map(|(value, _)| value)
    }

    /// As `follow`, of what is a member of `before`; also returns what stands before the last member. What calls are given
    /// is meant in the `context`.
    fn traced<'s>(
        &self,
        mut value: Value,
        mut before: Option<Value>,
        steps: impl Iterator<Item = &'s str>,
        context: Option<Context<'_>>,
    ) -> Option<(Value, Option<Value>)> {
        for step in steps.filter(|step| !step.is_empty()) {
            if let Some(held) = self.generic(&value, &['<', TYPE_PARAMETER], before.as_ref()) {
                (value, before) = (held, None);
            }
            match step {
                "()" => value = self.called(&value, before.take().as_ref(), None)?,
                "[]" => {
                    value = self.element(&value)?;
                    before = None;
                }
                step if step.starts_with('[') => {
                    let keyed = self.member(&value, step);
                    value = keyed.or_else(|| self.element(&value))?;
                    before = None;
                }
                step if step.starts_with('(') && !is_parameter(step) => {
                    let given = step.trim_start_matches('(').trim_end_matches(')');
                    let call = context.map(|(at, this)| self.given(given, at, this));
                    value = self.called(&value, before.take().as_ref(), call)?;
                }
                step if step.starts_with('(') => {
                    value = self.parameter(&value, step, before.as_ref())?;
                }
                "{}" => {
                    value = self.made(value)?;
                    before = None;
                }
                name => {
                    let next = self.member(&value, name)?;
                    before = Some(std::mem::replace(&mut value, next));
                }
            }
        }
        // What a type parameter stands for is known here alone.
        if before.is_some()
            && let Some(held) = self.generic(&value, &[TYPE_PARAMETER], before.as_ref())
        {
            return Some((held, None));
        }
        Some((value, before))
    }

    /// Evaluates what is written about a name. `this` is what the function was called on.
    pub(super) fn hinted(
        &self,
        file: &Rc<Loaded>,
        hint: &Hint,
        this: Option<&Value>,
    ) -> Option<Value> {
        let mut all = apart(&hint.of, " | ");
        let first = all.next()?;
        let first = self.origin(file, hint, (hint.kind, first), this);
        let others = all.filter_map(|one| {
            let (kind, of) = one.split_once(' ')?;
            let kind = HintKind::ALL.iter().find(|it| it.as_str() == kind)?;
            self.origin(file, hint, (*kind, of), this)
        });
        first.into_iter().chain(others).reduce(Value::or)
    }

    /// Evaluates one of the things that a hint names.
    fn origin(
        &self,
        file: &Rc<Loaded>,
        hint: &Hint,
        (kind, of): (HintKind, &str),
        this: Option<&Value>,
    ) -> Option<Value> {
        self.step()?;
        if kind == HintKind::Import {
            let (what, specifier) = of.split_once(" from ")?;
            let (name, steps) = what.split_once(':').unwrap_or((what, ""));
            let target = file.target_of(specifier)?;
            let start = exports::imported(self.library, target, name)
                .map(Value::Thing)
                .or_else(|| self.literal_of(target, name))?;
            return self.follow(start, steps.split('.'));
        }
        let (chain, given, steps) = head(of);
        let context = Some(((&**file, hint), this));
        let mut names = chain.split('.');
        let first = names.next()?;
        let start = match hint.root {
            Some(root) => Value::Thing(Def::Symbol(file.file, root)),
            None if first.starts_with(TYPE_PARAMETER) => {
                self.type_parameter(file, hint, first, this)?
            }
            None if first.starts_with(OWN_TYPE_PARAMETER) => {
                self.own_type_parameter(file, hint, first)?
            }
            None if first.starts_with(ARGUMENT) => {
                let given = self.argument(first)?;
                if kind == HintKind::New && !self.is_class(&given) {
                    return None;
                }
                given
            }
            None => self.first(file, hint.symbol, first, this)?,
        };
        let (named, before) = self.traced(start, None, names, None)?;
        let made = |named| Some(self.with_given(self.made(named)?, given, (file, hint), this));
        let value = match kind {
            HintKind::Type | HintKind::New => made(named)?,
            HintKind::Element => Value::Holder(Rc::new(made(named)?)),
            HintKind::Keyed => Value::Keyed(Rc::new(made(named)?)),
            HintKind::Gives => Value::Giver(Rc::new(made(named)?)),
            HintKind::Call => self.called(&named, before.as_ref(), None)?,
            HintKind::Value | HintKind::Base | HintKind::Import => {
                let steps = steps.split('.');
                return self
                    .traced(named, before, steps, context)
                    .map(|(value, _)| value);
            }
        };
        self.traced(value, None, steps.split('.'), context)
            .map(|(value, _)| value)
    }

    /// Whether a value is a class, by its own name.
    fn is_class(&self, value: &Value) -> bool {
        matches!(value, Value::Thing(Def::Symbol(file, at))
            if self.kind(*file, *at) == Some(SymbolKind::Class))
    }

    /// Returns an instance of a type or class, through names for it.
    fn made(&self, named: Value) -> Option<Value> {
        let Value::Thing(Def::Symbol(file, at)) = named else {
            return match named {
                Value::Any(all) => each(&all, |one| self.made(one.clone())),
                named => Some(named.instance()),
            };
        };
        let loaded = self.library.get(file)?;
        let symbol = loaded.symbol(at);
        // A constant that names a class.
        if matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            && let Some(hint) = loaded.hints(symbol.parent, &symbol.name).next()
            && (hint.kind == HintKind::Import
                || hint.kind == HintKind::Value && !hint.of.ends_with(')'))
            && let Some(held) = self.hinted(&loaded, hint, None)
        {
            return Some(held.instance());
        }
        Some(named.instance())
    }

    /// Returns the member of a value: one that is declared, else what it holds by any name.
    pub(super) fn member(&self, value: &Value, name: &str) -> Option<Value> {
        self.declared(value, name).or_else(|| self.keyed(value))
    }

    /// Returns the member that a value has by a name of its own.
    pub(super) fn declared(&self, value: &Value, name: &str) -> Option<Value> {
        self.step()?;
        match value {
            Value::Holder(held) | Value::Keyed(held) => of_holder(held, name),
            Value::Giver(_) => matches!(name, "call" | "apply").then(|| value.clone()),
            Value::Any(all) => each(all, |one| self.declared(one, name)),
            Value::Literal(file, owner, path) => self
                .in_literal(*file, *owner, &format!("{path}.{name}"), value)
                .or_else(|| self.under_literal(*file, *owner, path, name)),
            Value::Thing(Def::Module(file))
            | Value::Instance(Def::Module(file))
            | Value::Generic(Def::Module(file), _) => exports::resolve(self.library, *file, name)
                .map(Value::Thing)
                .or_else(|| self.literal_of(*file, name)),
            Value::Thing(Def::Symbol(file, at))
            | Value::Instance(Def::Symbol(file, at))
            | Value::Generic(Def::Symbol(file, at), _) => {
                let loaded = self.library.get(*file)?;
                self.in_symbol(&loaded, *at, name, value)
                    .or_else(|| function_member(&loaded, *at, name, value))
                    .or_else(|| self.beside(&loaded, *at, name, value))
            }
        }
    }

    /// What a module offers beside the definition that it is: `module.exports = A; module.exports.b = …`.
    fn beside(&self, loaded: &Rc<Loaded>, at: u32, name: &str, value: &Value) -> Option<Value> {
        let own = &loaded.symbol(at).name;
        let is_whole = matches!(value, Value::Thing(_))
            && loaded.symbol(at).parent.is_none()
            && loaded
                .other_exports()
                .any(|export| export.kind == ExportKind::Assignment && export.local == *own);
        (is_whole && name != "default")
            .then(|| exports::resolve(self.library, loaded.file, name))?
            .map(Value::Thing)
    }

    /// The member of what a literal type is made of beside its own members.
    fn under_literal(
        &self,
        file: i64,
        owner: Option<u32>,
        path: &str,
        name: &str,
    ) -> Option<Value> {
        let loaded = self.library.get(file)?;
        let base = loaded
            .hints(owner, path)
            .find(|it| it.kind == HintKind::Base)?;
        let base = self.hinted(&loaded, base, None)?;
        self.member(&base.instance(), name)
    }

    pub(super) fn in_literal(
        &self,
        file: i64,
        owner: Option<u32>,
        path: &str,
        this: &Value,
    ) -> Option<Value> {
        let loaded = self.library.get(file)?;
        let defined = match owner {
            _ if !path.contains('.') => &[],
            Some(owner) => loaded.members(owner, path),
            None => loaded.tops(path),
        };
        if let Some(at) = defined.first() {
            // Two names of one function may have literals with such a member.
            let is_only = defined.len() == 1 || !owner.is_some_and(|at| is_scope(&loaded, at));
            return is_only.then_some(Value::Thing(Def::Symbol(file, *at)));
        }
        if let Some(hint) = loaded.hints(owner, path).next() {
            return self.hinted(&loaded, hint, Some(this));
        }
        loaded
            .is_literal(owner, path)
            .then(|| Value::Literal(file, owner, path.into()))
    }

    /// Returns the member of a definition: its own, then of what it is built on, then of what it holds.
    fn in_symbol(&self, loaded: &Rc<Loaded>, at: u32, name: &str, this: &Value) -> Option<Value> {
        let all = loaded.same(at);
        for at in all {
            let is_scope = is_scope(loaded, *at);
            // What is defined inside a function is not a member of it.
            let own = loaded.members(*at, name).iter();
            let mut own = own.filter(|n| !is_scope || loaded.is_member_of_function(**n));
            let found = if this.is_instance() {
                own.find(|n| !loaded.symbol(**n).is_static())
            } else {
                let first = own.clone().next();
                own.find(|n| loaded.symbol(**n).is_static()).or(first)
            };
            if let Some(found) = found {
                return Some(Value::Thing(Def::Symbol(loaded.file, *found)));
            }
        }
        for at in all {
            if let Some(found) = self.in_literal(loaded.file, Some(*at), name, this) {
                let declared = self.declared_by_base(loaded, *at, name, this);
                return declared.or(Some(found));
            }
        }
        for at in all {
            for base in loaded.bases(*at) {
                let base = self.hinted(loaded, base, None);
                let base = base.map(|base| {
                    if this.is_instance() {
                        base.instance()
                    } else {
                        base
                    }
                });
                let found = base
                    .filter(|base| *base != this.plain())
                    .and_then(|base| self.declared(&base, name));
                if found.is_some() {
                    return found;
                }
            }
        }
        let held = self.held(loaded, at, None)?;
        (held != *this)
            .then(|| self.declared(&held, name))
            .flatten()
    }

    /// The field of a class's base of which something is known: what the class assigns to it is only one of the things
    /// that it may be.
    fn declared_by_base(
        &self,
        loaded: &Rc<Loaded>,
        at: u32,
        name: &str,
        this: &Value,
    ) -> Option<Value> {
        if loaded.symbol(at).kind != SymbolKind::Class {
            return None;
        }
        let base = self.hinted(loaded, loaded.bases(at).next()?, None)?;
        let base = base.instance();
        let found = (base != this.plain()).then(|| self.declared(&base, name))??;
        let Value::Thing(Def::Symbol(file, field)) = found else {
            return None;
        };
        let there = self.library.get(file)?;
        let is_field = matches!(
            there.symbol(field).kind,
            SymbolKind::Field | SymbolKind::Property
        );
        (is_field && self.held(&there, field, None).is_some()).then_some(found)
    }

    /// Returns what a variable, a field or a getter holds.
    pub(super) fn held(&self, loaded: &Rc<Loaded>, at: u32, this: Option<&Value>) -> Option<Value> {
        let symbol = loaded.symbol(at);
        if is_type(symbol.kind) {
            return None;
        }
        let hint = loaded.hints(symbol.parent, loaded.path(at)).next()?;
        self.hinted(loaded, hint, this)
    }
}

/// Whether a step is one to a parameter: `(0)`.
fn is_parameter(step: &str) -> bool {
    step.trim_start_matches('(')
        .starts_with(|c: char| c.is_ascii_digit())
}

/// Whether names are defined inside a definition that are no members of it.
fn is_scope(loaded: &Loaded, at: u32) -> bool {
    let kind = loaded.symbol(at).kind;
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

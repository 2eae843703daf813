//! Types that are given to others: what `T` is in a member of a `List<Item>`.
//!
//! Refuses to guess what a type is given where that is not written.

use std::rc::Rc;

use super::binding::Binder;
use super::facts::Loaded;
use super::library::Def;
use super::value::Value;
use crate::model::{ARGUMENT, Hint, HintKind, OWN_TYPE_PARAMETER, SymbolKind, TYPE_PARAMETER};

/// The types that one was given, where that is written: they are looked up when they are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    file: i64,
    /// The definition in which it is written.
    symbol: Option<u32>,
    /// As in [`Hint::of`], between the brackets.
    written: Box<str>,
    /// What the definition was asked of.
    this: Option<Value>,
    /// What the call gave in which it is written.
    call: Option<Rc<Given>>,
}

impl Given {
    /// Returns the types and the values that a call gives.
    fn parts(&self) -> (&str, &str) {
        match head(&self.written) {
            ("", Some(types), values) => (types, values),
            _ => ("", &self.written),
        }
    }
}

impl Binder<'_, '_> {
    /// Returns an instance with the types that are `given` to its own in a hint.
    pub(super) fn with_given(
        &self,
        made: Value,
        given: Option<&str>,
        (file, hint): (&Loaded, &Hint),
        this: Option<&Value>,
    ) -> Value {
        match (made, given) {
            (Value::Instance(def), Some(given)) => {
                Value::Generic(def, self.given(given, (file, hint), this))
            }
            (made, _) => made,
        }
    }

    /// Returns what is given in a hint, to a type or to a call.
    pub(super) fn given(
        &self,
        written: &str,
        (file, hint): (&Loaded, &Hint),
        this: Option<&Value>,
    ) -> Rc<Given> {
        Rc::new(Given {
            file: file.file,
            symbol: hint.symbol,
            written: written.into(),
            this: this.cloned(),
            call: self.call(),
        })
    }

    /// Returns what a type parameter (`^0`) of the function that a hint speaks of stands for, by what the call gives, else
    /// by what bounds it.
    pub(super) fn own_type_parameter(
        &self,
        file: &Rc<Loaded>,
        hint: &Hint,
        name: &str,
    ) -> Option<Value> {
        self.step()?;
        if let Some(call) = self.call()
            && let Some(found) = self.nth(&call, call.parts().0, name, OWN_TYPE_PARAMETER)
        {
            return Some(found);
        }
        let by = |name: &str| {
            let hint = file.hints(hint.symbol, name).next()?;
            self.hinted(file, hint, None)
        };
        by(name).or_else(|| by(&format!("{name}=")))
    }

    /// What the call gives whose result is looked for.
    fn call(&self) -> Option<Rc<Given>> {
        self.call.borrow().clone()
    }

    /// Returns what the call gives by the name of an argument (`&0`).
    pub(super) fn argument(&self, name: &str) -> Option<Value> {
        self.step()?;
        let call = self.call()?;
        self.nth(&call, call.parts().1, name, ARGUMENT)
    }

    /// Returns what a type parameter (`%0`) of the type around a hint stands for, by what `this` was given, else by
    /// what is written about it. A function that is given to another is given what the caller says, or nothing is known.
    pub(super) fn type_parameter(
        &self,
        file: &Rc<Loaded>,
        hint: &Hint,
        name: &str,
        this: Option<&Value>,
    ) -> Option<Value> {
        self.step()?;
        let mut owner = hint.symbol?;
        while !is_generic(file.symbol(owner).kind) {
            owner = file.symbol(owner).parent?;
        }
        let given = this.and_then(|this| self.given_to(this, (file.file, owner), name));
        // What is nobody's member may have been given anything.
        let is_given = this.is_none() || given.is_some();
        given.flatten().or_else(|| {
            let is_inner = hint.name.starts_with('(') && hint.name.contains('.');
            let all = if is_inner { &[] } else { file.same(owner) };
            let by = |name: &str| {
                let hint = all.iter().find_map(|at| file.hints(Some(*at), name).next());
                self.hinted(file, hint?, None)
            };
            let standard = || by(&format!("{name}="));
            (!is_given).then(standard).flatten().or_else(|| by(name))
        })
    }

    /// Returns what a value gives to a type that its own is, or is built on, where it gives anything in that place: that
    /// may be unknown.
    fn given_to(&self, value: &Value, owner: (i64, u32), name: &str) -> Option<Option<Value>> {
        self.step()?;
        let (file, at) = match value {
            Value::Any(all) => {
                let each = all.iter().filter_map(|one| self.given_to(one, owner, name));
                return each.reduce(|one, other| match (one, other) {
                    (Some(one), Some(other)) => Some(one.or(other)),
                    (one, other) => one.or(other),
                });
            }
            Value::Instance(Def::Symbol(file, at)) | Value::Generic(Def::Symbol(file, at), _) => {
                (*file, *at)
            }
            _ => return None,
        };
        let loaded = self.library.get(file)?;
        if file == owner.0 && loaded.same(at).contains(&owner.1) {
            let Value::Generic(_, given) = value else {
                return None;
            };
            let at: usize = name.strip_prefix(TYPE_PARAMETER)?.parse().ok()?;
            let is_given = apart(&given.written, ",").nth(at).is_some();
            return is_given.then(|| self.nth(given, &given.written, name, TYPE_PARAMETER));
        }
        let all = loaded.same(at).iter();
        let mut bases = all.flat_map(|at| loaded.bases(*at));
        bases.find_map(|base| {
            let made = self.hinted(&loaded, base, Some(value))?.instance();
            let (_, given, _) = head(apart(&base.of, " | ").next()?);
            let made = self.with_given(made, given, (&loaded, base), Some(value));
            (made.plain() != value.plain()).then(|| self.given_to(&made, owner, name))?
        })
    }

    /// Evaluates one of the things that were given, where the name says which after a mark.
    fn nth(&self, given: &Given, all: &str, name: &str, mark: char) -> Option<Value> {
        let at: usize = name.strip_prefix(mark)?.parse().ok()?;
        let written = apart(all, ",").nth(at).filter(|it| !it.is_empty())?;
        let outer = self.call.replace(given.call.clone());
        let found = self.evaluated(given, written);
        self.call.replace(outer);
        found
    }

    fn evaluated(&self, given: &Given, written: &str) -> Option<Value> {
        let file = self.library.get(given.file)?;
        let all = apart(written, " | ").filter_map(|one| {
            let (kind, of) = one.split_once(' ').unwrap_or(("type", one));
            let kind = HintKind::ALL.iter().find(|it| it.as_str() == kind)?;
            let hint = Hint {
                symbol: given.symbol,
                name: String::new(),
                local: false,
                kind: *kind,
                // A dot would end a step.
                of: of.replace('/', "."),
                root: None,
            };
            self.hinted(&file, &hint, given.this.as_ref())
        });
        all.reduce(Value::or)
    }

    /// Returns what a field or a variable holds whose type has one of the marks, that of types that are given or that of
    /// a type parameter; `on` is what it is a member of.
    pub(super) fn generic(
        &self,
        value: &Value,
        marks: &[char],
        on: Option<&Value>,
    ) -> Option<Value> {
        let Value::Thing(Def::Symbol(file, at)) = value else {
            return None;
        };
        let loaded = self.library.get(*file)?;
        let symbol = loaded.symbol(*at);
        if !is_variable(symbol.kind) {
            return None;
        }
        let hint = loaded.hints(symbol.parent, loaded.path(*at)).next()?;
        let has_mark = hint.of.contains(marks);
        has_mark.then(|| self.hinted(&loaded, hint, on))?
    }
}

/// Splits what is written about a name into its chain, the types that this is given, if any, and the steps from there.
pub(super) fn head(of: &str) -> (&str, Option<&str>, &str) {
    let end = of.find([':', '<']).unwrap_or(of.len());
    let (chain, rest) = of.split_at(end);
    let Some(inside) = rest.strip_prefix('<') else {
        return (chain, None, rest.trim_start_matches(':'));
    };
    let mut depth = 1_usize;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (
                chain,
                Some(&inside[..at]),
                inside[at + 1..].trim_start_matches(':'),
            );
        }
    }
    (chain, None, "")
}

/// Splits at a mark that stands in no brackets.
pub(super) fn apart<'t>(text: &'t str, mark: &'static str) -> impl Iterator<Item = &'t str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let all = rest?;
        let mut depth = 0_usize;
        for (at, byte) in all.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth = depth.saturating_sub(1),
                _ if depth == 0 && all.as_bytes()[at..].starts_with(mark.as_bytes()) => {
                    rest = Some(&all[at + mark.len()..]);
                    return Some(&all[..at]);
                }
                _ => {}
            }
        }
        rest = None;
        Some(all)
    })
}

/// Whether it may have type parameters that are those of all its members.
fn is_generic(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Interface, Type};
    matches!(kind, Class | Interface | Type)
}

/// Whether it may hold different things.
fn is_variable(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Constant | Field | Property | Variable)
}

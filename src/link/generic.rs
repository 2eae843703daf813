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

/// What a type is given in one place.
enum Argument {
    /// This.
    Known(Value),
    /// Something that is not known.
    Unknown,
    /// Nothing.
    None,
}

impl Argument {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => Self::Known(one.or(other)),
            (Self::Known(one), _) | (_, Self::Known(one)) => Self::Known(one),
            (Self::None, other) => other,
            (one, _) => one,
        }
    }
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
        let given = match this {
            Some(this) => self.given_to(this, (file.file, owner), name),
            // What is nobody's member may have been given anything.
            None => Argument::Unknown,
        };
        let is_given = !matches!(given, Argument::None);
        let known = match given {
            Argument::Known(known) => Some(known),
            _ => None,
        };
        known.or_else(|| {
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

    /// Returns what a value gives to a type that its own is, or is built on.
    fn given_to(&self, value: &Value, owner: (i64, u32), name: &str) -> Argument {
        let (file, at) = match value {
            Value::Any(all) => {
                let each = all.iter().map(|one| self.given_to(one, owner, name));
                return each.fold(Argument::None, Argument::or);
            }
            Value::Instance(Def::Symbol(file, at)) | Value::Generic(Def::Symbol(file, at), _) => {
                (*file, *at)
            }
            _ => return Argument::None,
        };
        let (Some(()), Some(loaded)) = (self.step(), self.library.get(file)) else {
            return Argument::Unknown;
        };
        if file == owner.0 && loaded.same(at).contains(&owner.1) {
            return match value {
                Value::Generic(_, given) => self.argument_of(given, name),
                _ => Argument::None,
            };
        }
        let all = loaded.same(at).iter();
        for base in all.flat_map(|at| loaded.bases(*at)) {
            let made = self.hinted(&loaded, base, Some(value)).map(Value::instance);
            let first = apart(&base.of, " | ").next();
            if let (Some(made), Some(first)) = (made, first) {
                let made = self.with_given(made, head(first).1, (&loaded, base), Some(value));
                if made.plain() != value.plain() {
                    let found = self.given_to(&made, owner, name);
                    if !matches!(found, Argument::None) {
                        return found;
                    }
                }
            }
        }
        Argument::None
    }

    /// Returns what stands in the place that a type parameter's name says.
    fn argument_of(&self, given: &Given, name: &str) -> Argument {
        let at = name.strip_prefix(TYPE_PARAMETER).map(str::parse::<usize>);
        let Some(Ok(at)) = at else {
            return Argument::None;
        };
        if apart(&given.written, ",").nth(at).is_none() {
            return Argument::None;
        }
        let found = self.nth(given, &given.written, name, TYPE_PARAMETER);
        found.map_or(Argument::Unknown, Argument::Known)
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

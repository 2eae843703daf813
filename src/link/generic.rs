//! Types that are given to others: what `T` is in a member of a `List<Item>`.
//!
//! Refuses to guess what a type is given where that is not written.

use std::rc::Rc;

use super::binding::Binder;
use super::facts::Loaded;
use super::library::Def;
use super::value::Value;
use crate::model::{Hint, HintKind, SymbolKind, TYPE_PARAMETER};

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
}

impl Binder<'_, '_> {
    /// Returns an instance with the types that are `given` to its own in a hint.
    pub(super) fn with_given(
        made: Value,
        given: &str,
        (file, hint): (&Loaded, &Hint),
        this: Option<&Value>,
    ) -> Value {
        match made {
            Value::Instance(def) if !given.is_empty() => Value::Generic(
                def,
                Rc::new(Given {
                    file: file.file,
                    symbol: hint.symbol,
                    written: given.into(),
                    this: this.cloned(),
                }),
            ),
            made => made,
        }
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
        let given = this.and_then(|this| self.argument(this, (file.file, owner), name));
        given.or_else(|| {
            let is_inner = hint.name.starts_with('(') && hint.name.contains('.');
            let all = if is_inner { &[] } else { file.same(owner) };
            let standard = all.iter().find_map(|at| file.hints(Some(*at), name).next());
            self.hinted(file, standard?, None)
        })
    }

    /// Returns what a value gives to a type that its own is, or is built on.
    fn argument(&self, value: &Value, owner: (i64, u32), name: &str) -> Option<Value> {
        self.step()?;
        let (file, at) = match value {
            Value::Any(all) => {
                let each = all.iter().filter_map(|one| self.argument(one, owner, name));
                return each.reduce(Value::or);
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
            return self.written(given, name);
        }
        let all = loaded.same(at).iter();
        let mut bases = all.flat_map(|at| loaded.bases(*at));
        bases.find_map(|base| {
            let made = self.hinted(&loaded, base, Some(value))?.instance();
            let (_, given, _) = head(apart(&base.of, " | ").next()?);
            let made = Self::with_given(made, given, (&loaded, base), Some(value));
            (made.plain() != value.plain()).then(|| self.argument(&made, owner, name))?
        })
    }

    /// Evaluates one of the types that were given.
    fn written(&self, given: &Given, name: &str) -> Option<Value> {
        let at: usize = name.strip_prefix(TYPE_PARAMETER)?.parse().ok()?;
        let written = apart(&given.written, ",").nth(at)?;
        let file = self.library.get(given.file)?;
        let all = apart(written, " | ").filter_map(|one| {
            let (kind, of) = one.split_once(' ').unwrap_or(("type", one));
            let kind = HintKind::ALL.iter().find(|it| it.as_str() == kind)?;
            let hint = Hint {
                symbol: given.symbol,
                name: String::new(),
                local: false,
                kind: *kind,
                of: of.to_owned(),
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

/// Splits what is written about a name into its chain, the types that this is given, and the steps from there.
pub(super) fn head(of: &str) -> (&str, &str, &str) {
    let end = of.find([':', '<']).unwrap_or(of.len());
    let (chain, rest) = of.split_at(end);
    let Some(inside) = rest.strip_prefix('<') else {
        return (chain, "", rest.trim_start_matches(':'));
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
                &inside[..at],
                inside[at + 1..].trim_start_matches(':'),
            );
        }
    }
    (chain, "", "")
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

//! Where the value of an expression comes from.
//!
//! Knows calls, members, elements, casts and the operators that pick one of two values. Refuses to know
//! what a name is bound to: that is settled when the whole file was seen.

use std::borrow::Cow;

use tree_sitter::Node;

use super::kinds::Kind;
use super::types::{is_holder, of_type};
use super::uses::{is_chain, plain_receiver};
use super::walk::Walk;
use crate::ir::ImportKind;

/// Steps from an expression to the name it begins with.
const ORIGIN_DEPTH: usize = 64;

/// Calls that return what they are given, or as many of the same.
const HANDS_ON: &[&str] = &[
    "Object.freeze",
    "Object.values",
    "Array.from",
    "Promise.all",
    "Promise.resolve",
];

/// How to read the chain of an [`Origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum HintKind {
    /// An instance of a type: an annotation, `as T`, a `JSDoc` type.
    Type,
    /// An instance of a class: `= new T(…)`.
    New,
    /// What a function returns: `= f(…)`, awaited or not.
    Call,
    /// The same value: `= g`, `= a.b`.
    Value,
    /// Something that holds instances of a type: `T[]`, `Set<T>`, `Map<K, T>`.
    Element,
    /// What it is built on, whose members are its own where it has none: `extends`, `implements`.
    Base,
    /// What another module offers: `await import('m')`, `require('m')` in a function, `import('m').T`.
    Import,
    /// Something whose members are instances of a type, whatever their names: `Record<K, T>`.
    Keyed,
    /// A function that returns an instance of a type: `() => T`.
    Gives,
}

impl HintKind {
    /// Every kind with its word.
    pub(super) const ALL: [(Self, &str); 9] = [
        (Self::Type, "type"),
        (Self::New, "new"),
        (Self::Call, "call"),
        (Self::Value, "value"),
        (Self::Element, "element"),
        (Self::Base, "base"),
        (Self::Import, "import"),
        (Self::Keyed, "keyed"),
        (Self::Gives, "gives"),
    ];

    /// Returns the word for it inside a step.
    pub(super) fn as_str(self) -> &'static str {
        let found = Self::ALL.iter().find(|it| it.0 == self);
        found.map_or("", |it| it.1)
    }
}

/// Begins the name of a type parameter of a class, an interface or an alias: `%0` is its first.
pub(super) const TYPE_PARAMETER: char = '%';
/// Begins the name of a type parameter of a function: `^0` is its first.
pub(super) const OWN_TYPE_PARAMETER: char = '^';
/// Begins the name of what a call gives: `&0` is its first argument.
pub(super) const ARGUMENT: char = '&';

/// Longest chain with its steps.
pub(super) const ORIGIN_BYTES: usize = 480;
/// Things that one value may be.
const ALTERNATIVES: usize = 8;

/// Where a value comes from: a chain of names, and steps from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin<'a> {
    /// How to read the chain.
    pub(super) kind: HintKind,
    /// `chain` or `chain:step.step`.
    pub(super) of: Cow<'a, str>,
    /// The other module of an import.
    pub(super) module: Option<&'a str>,
    /// The definition in which the chain's first name is an object literal or a type that is written out.
    pub(super) inside: Option<u32>,
    /// The types that the chain's own is given, `None` for one of which nothing is known.
    pub(super) given: Vec<Option<Origin<'a>>>,
    /// What it may be instead; these have no others themselves.
    pub(super) others: Vec<Origin<'a>>,
}

impl<'a> Origin<'a> {
    /// Returns an origin without steps.
    pub(super) fn new(kind: HintKind, of: impl Into<Cow<'a, str>>) -> Self {
        Self {
            kind,
            of: of.into(),
            module: None,
            inside: None,
            given: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Returns what another module offers.
    pub(super) fn import(name: &'a str, module: &'a str) -> Self {
        Self {
            module: Some(module),
            ..Self::new(HintKind::Import, name)
        }
    }

    /// Returns the literal that `path` leads to in a definition.
    pub(super) fn literal(inside: u32, path: &str) -> Self {
        Self {
            inside: Some(inside),
            // The first name is that of the definition.
            ..Self::new(HintKind::Value, format!(".{path}"))
        }
    }

    /// Returns whether there are steps.
    pub(super) fn has_steps(&self) -> bool {
        self.of.contains(':')
    }

    /// Returns whether it is one thing of this kind, without steps.
    pub(super) fn is_plain(&self, kind: HintKind) -> bool {
        self.kind == kind && !self.has_steps() && self.others.is_empty()
    }

    /// Returns what is either this or the other.
    pub(super) fn or(mut self, mut other: Self) -> Self {
        let more = std::mem::take(&mut other.others);
        for one in std::iter::once(other).chain(more) {
            let is_known = self.alternatives().any(|known| *known == one)
                || (self.kind, &self.of, self.module, self.inside, &self.given)
                    == (one.kind, &one.of, one.module, one.inside, &one.given);
            if !is_known && self.others.len() + 1 < ALTERNATIVES {
                self.others.push(one);
            }
        }
        self
    }

    /// Returns the other things that it may be.
    pub(super) fn alternatives(&self) -> impl Iterator<Item = &Self> {
        self.others.iter()
    }

    /// Returns each thing that it may be, alone.
    pub(super) fn apart(mut self) -> impl Iterator<Item = Self> {
        let others = std::mem::take(&mut self.others);
        std::iter::once(self).chain(others)
    }

    /// Returns the same with each step by a key (`[key]`) that is no constant as one to an element (`[]`).
    pub(super) fn with_keys(&self, is_constant: impl Fn(&str) -> bool) -> Cow<'_, Self> {
        let Some((chain, steps)) = self.of.split_once(':').filter(|it| it.1.contains('[')) else {
            return Cow::Borrowed(self);
        };
        let plain = Self {
            of: Cow::Owned(chain.to_owned()),
            others: Vec::new(),
            ..self.clone()
        };
        Cow::Owned(steps.split('.').fold(plain, |found, step| {
            found.then(match key_of(step) {
                Some(key) if !is_constant(key) => "[]",
                _ => step,
            })
        }))
    }

    /// Returns the same with one kind read as another.
    pub(super) fn turned(mut self, from: HintKind, to: HintKind) -> Self {
        for one in
            std::iter::once(&mut self.kind).chain(self.others.iter_mut().map(|o| &mut o.kind))
        {
            if *one == from {
                *one = to;
            }
        }
        self.given.clear();
        self
    }

    /// Returns where a member, an element (`[]`), a result (`()`), a parameter (`(0)`) or an instance (`{}`) of this comes from.
    pub(super) fn then(mut self, step: &str) -> Self {
        self.others = std::mem::take(&mut self.others)
            .into_iter()
            .map(|other| other.then(step))
            .collect();
        let is_name = !step.starts_with(['[', '(', '{']);
        if self.has_steps() {
            self.of = format!("{}.{step}", self.of).into();
            return self;
        }
        match self.kind {
            HintKind::Element | HintKind::Keyed if step == "[]" => self.kind = HintKind::Type,
            HintKind::Gives if step == "()" => self.kind = HintKind::Type,
            HintKind::Value if step == "()" => self.kind = HintKind::Call,
            HintKind::Value if step == "{}" => self.kind = HintKind::New,
            HintKind::Value if is_name => self.of = format!("{}.{step}", self.of).into(),
            HintKind::Import if self.of == "*" && is_name => self.of = step.to_owned().into(),
            _ => self.of = format!("{}:{step}", self.of).into(),
        }
        self
    }

    /// Returns the chain and its steps as they are stored.
    pub(super) fn text(&self) -> String {
        let mut text = match self.module {
            Some(module) => format!("{} from {module}", self.of),
            None => self.with_given(),
        };
        for other in &self.others {
            text.push_str(" | ");
            text.push_str(other.kind.as_str());
            text.push(' ');
            text.push_str(&other.text());
        }
        text
    }
}

/// Returns the key of a step or of a member that is named by one: `key` of `[key]`.
pub(super) fn key_of(step: &str) -> Option<&str> {
    step.strip_prefix('[').and_then(|it| it.strip_suffix(']'))
}

impl<'a> Walk<'a> {
    /// Returns where a value comes from; `None` where that is no name.
    pub(super) fn origin(&self, value: Node<'_>) -> Option<Origin<'a>> {
        self.origin_at(value, 0)
    }

    fn origin_at(&self, node: Node<'_>, depth: usize) -> Option<Origin<'a>> {
        if depth > ORIGIN_DEPTH {
            return None;
        }
        let depth = depth + 1;
        let fields = &self.grammar.fields;
        let field = |id: u16| node.child_by_field_id(id);
        match self.grammar.kind(node) {
            Kind::Identifier | Kind::This => Some(Origin::new(HintKind::Value, self.text(node))),
            Kind::MemberExpression => {
                let text = self.text(node);
                if is_chain(text) {
                    return Some(Origin::new(HintKind::Value, plain(text)));
                }
                let property = field(fields.property)?;
                let object = self.origin_at(node.child(0)?, depth)?;
                Some(object.then(self.text(property)))
            }
            Kind::Subscript => {
                let object = self.origin_at(node.child(0)?, depth)?;
                let index = node.named_child(1)?;
                match self.literal(index) {
                    Some(name) if is_chain(name) && !name.contains('.') => Some(object.then(name)),
                    Some(_) => None,
                    // A constant may be the key of one member: that is seen when all names are.
                    None if self.grammar.kind(index) == Kind::Identifier => {
                        Some(object.then(&format!("[{}]", self.text(index))))
                    }
                    None => Some(object.then("[]")),
                }
            }
            Kind::CallExpression => {
                if let Some((kind, module, _)) = self.module_call(node) {
                    let is_value = matches!(kind, ImportKind::Require | ImportKind::Dynamic);
                    return is_value.then(|| Origin::import("*", module));
                }
                let callee = node.child(0)?;
                if HANDS_ON.contains(&self.text(callee)) {
                    let arguments = field(fields.arguments)?;
                    return self.origin_at(arguments.named_child(0)?, depth);
                }
                let given = self.given_to_call(node);
                Some(self.origin_at(callee, depth)?.then(&given))
            }
            Kind::NewExpression => {
                let class = field(fields.constructor)?;
                let text = self.text(class);
                // `new Map<K, V>()` is what the type says, where no class of that name was seen.
                if let Some(given) = field(fields.type_arguments)
                    && is_holder(text)
                    && self.scopes.number(text).is_none()
                {
                    return of_type(self.between(class.start_byte(), given.end_byte()));
                }
                if is_chain(text) {
                    let made = Origin::new(HintKind::New, plain(text));
                    return Some(made.taking(self.given_to(class, field(fields.type_arguments))));
                }
                Some(self.origin_at(class, depth)?.then("{}"))
            }
            Kind::Parenthesized => {
                if self.grammar.untyped
                    && let Some(written) = self.jsdoc_tag(node.start_byte(), "@type")
                {
                    return of_type(written);
                }
                self.origin_at(node.named_child(0)?, depth)
            }
            Kind::AwaitExpression | Kind::NonNull => self.origin_at(node.named_child(0)?, depth),
            Kind::AsExpression => match node.named_child(1) {
                Some(written) => of_type(self.text(written)),
                // `as const`
                None => self.origin_at(node.named_child(0)?, depth),
            },
            Kind::TypeAssertion => of_type(self.text(node.named_child(0)?.named_child(0)?)),
            Kind::Satisfies => self
                .origin_at(node.named_child(0)?, depth)
                .or_else(|| of_type(self.text(node.named_child(1)?))),
            Kind::Assignment => self.origin_at(field(fields.right)?, depth),
            Kind::Binary => {
                let operator = self.text(field(fields.operator)?);
                let (left, right) = (field(fields.left)?, field(fields.right)?);
                match operator {
                    "||" | "??" => self.either(left, right, true, depth),
                    "&&" => self.origin_at(right, depth),
                    _ => None,
                }
            }
            Kind::Ternary => {
                let count = u32::try_from(node.named_child_count()).ok()?;
                let (yes, no) = (
                    node.named_child(count.checked_sub(2)?)?,
                    node.named_child(count.checked_sub(1)?)?,
                );
                self.narrowed(node, yes)
                    .or_else(|| self.either(yes, no, false, depth))
            }
            _ => None,
        }
    }

    /// One of two values: what both are, the one beside nothing, or the second where that is `made` when
    /// the first is missing.
    fn either(
        &self,
        left: Node<'_>,
        right: Node<'_>,
        made: bool,
        depth: usize,
    ) -> Option<Origin<'a>> {
        let (one, other) = (self.origin_at(left, depth), self.origin_at(right, depth));
        match (one, other) {
            (_, Some(new)) if made && new.is_plain(HintKind::New) => Some(new),
            (Some(one), Some(other)) => Some(one.or(other)),
            (Some(one), None) if self.is_stand_in(right) => Some(one),
            (None, Some(other)) if self.is_stand_in(left) => Some(other),
            _ => None,
        }
    }

    /// `a instanceof A ? a : …`: both are an `A`.
    fn narrowed(&self, ternary: Node<'_>, yes: Node<'_>) -> Option<Origin<'a>> {
        let test = self.text(ternary.named_child(0)?);
        let (value, class) = test.split_once(" instanceof ")?;
        let class = class.trim();
        (value.trim() == self.text(yes) && is_chain(class))
            .then(|| Origin::new(HintKind::Type, class))
    }

    /// Returns whether a value is none: `null`, `undefined`, `void 0`.
    pub(super) fn is_nothing(&self, node: Node<'_>) -> bool {
        matches!(self.grammar.kind(node), Kind::Null | Kind::Undefined)
            || matches!(self.text(node), "void 0" | "false")
    }

    /// Returns whether a value stands in for one that is missing.
    fn is_stand_in(&self, node: Node<'_>) -> bool {
        self.is_nothing(node) || matches!(self.text(node), "{}" | "[]")
    }
}

fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(['?', '!']) {
        plain_receiver(text).into()
    } else {
        text.into()
    }
}

//! What a function or an object is expected to be where it stands: by the type of the variable, the field, the
//! result or the parameter that it is given to.
//!
//! Refuses to know what the name of a type stands for, and to pick one of several signatures.

use tree_sitter::Node;

use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::uses::is_chain;
use super::walk::{Frame, Walk};
use crate::ir::{ExprId, PathId, Slot};

/// Functions in the parameters of functions that are looked at.
const FUNCTION_DEPTH: usize = 3;
/// Parameters of one function that are looked at.
const PARAMETERS: usize = 16;

/// What is expected.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// What this says.
    Of(ExprId),
    /// A function with these parameters.
    Function(Vec<Option<ExprId>>),
}

impl<'a> Walk<'a> {
    /// Returns what a written type expects; `None` for one of several functions.
    pub(super) fn expectation(&mut self, written: Node<'_>) -> Option<Expected> {
        if let Some(function) = self.function_type(written) {
            let parameters = self.parameters(function).into_iter().map(|one| {
                let written = one.child_by_field_id(self.grammar.fields.type_)?;
                self.plain_type(written).filter(|_| !self.is_rest(one))
            });
            return Some(Expected::Function(parameters.collect()));
        }
        self.plain_type(written).map(Expected::Of)
    }

    /// Returns what a type says that no function is part of.
    fn plain_type(&mut self, written: Node<'_>) -> Option<ExprId> {
        let has_function = self.text(written).contains("=>");
        (!has_function).then(|| self.of_type(written)).flatten()
    }

    /// Returns the one function that a type is, but for nothing; one with type parameters is none.
    fn function_type<'t>(&self, written: Node<'t>) -> Option<Node<'t>> {
        let mut at = written;
        for _ in 0..FUNCTION_DEPTH * 2 {
            if self.grammar.kind(at) == Kind::FunctionType {
                let given = at.child_by_field_id(self.grammar.fields.type_parameters);
                return given.is_none().then_some(at);
            }
            let mut cursor = at.walk();
            let mut parts = at.named_children(&mut cursor).filter(|part| {
                !matches!(self.text(*part), "null" | "undefined" | "void")
                    && self.grammar.kind(*part) != Kind::Comment
            });
            let (part, None) = (parts.next()?, parts.next()) else {
                return None;
            };
            if !matches!(
                self.grammar.kind(at),
                Kind::TypeAnnotation | Kind::UnionType | Kind::ParenthesizedType
            ) {
                return None;
            }
            at = part;
        }
        None
    }

    /// Returns the parameters of a function or its type, without `this`.
    pub(super) fn parameters<'t>(&self, function: Node<'t>) -> Vec<Node<'t>> {
        let fields = &self.grammar.fields;
        if let Some(only) = function.child_by_field_id(fields.parameter) {
            return vec![only];
        }
        let Some(all) = function.child_by_field_id(fields.parameters) else {
            return Vec::new();
        };
        let is_this = |one: &Node<'_>| {
            let pattern = one.child_by_field_id(fields.pattern);
            pattern.is_some_and(|pattern| self.grammar.kind(pattern) == Kind::This)
        };
        let mut cursor = all.walk();
        all.named_children(&mut cursor)
            .filter(|one| self.grammar.kind(*one) != Kind::Comment && !is_this(one))
            .take(PARAMETERS)
            .collect()
    }

    fn is_rest(&self, parameter: Node<'_>) -> bool {
        let pattern = parameter.child_by_field_id(self.grammar.fields.pattern);
        self.grammar.kind(pattern.unwrap_or(parameter)) == Kind::RestPattern
    }

    /// Records the types of a function's parameters, by which those of functions are known that it is given.
    pub(super) fn signature_hints(&mut self, node: Node<'_>, symbol: u32, frame: &Frame) {
        // Of several heads the last one is not for callers.
        let is_one = !self.drafts[symbol as usize].overloaded;
        let given = node.child_by_field_id(self.grammar.fields.type_parameters);
        let is_type = self.grammar.kind(node) == Kind::CallSignature && given.is_some();
        if is_one && !is_type && !self.grammar.untyped {
            self.parameter_hints(node, Some(symbol), PathId::EMPTY, frame);
        }
    }

    /// `{ a: (b: B) => void }`: records the parameters of a member of a type that is written out.
    pub(super) fn member_parameters(&mut self, member: Node<'_>, owner: &Owner<'_>, frame: &Frame) {
        let Owner::Member(symbol, path) = *owner else {
            return;
        };
        let fields = &self.grammar.fields;
        let written = member.child_by_field_id(fields.type_);
        let is_generic = member.child_by_field_id(fields.type_parameters).is_some();
        let function = match self.grammar.kind(member) {
            Kind::MethodSignature => (!is_generic).then_some(member),
            _ => written.and_then(|written| self.function_type(written)),
        };
        if let Some(function) = function {
            self.parameter_hints(function, symbol, path, frame);
        }
    }

    fn parameter_hints(
        &mut self,
        node: Node<'_>,
        symbol: Option<u32>,
        before: PathId,
        frame: &Frame,
    ) {
        let is_defined = node.child_by_field_id(self.grammar.fields.body).is_some();
        for (at, one) in (0_u8..).zip(self.parameters(node)) {
            let written = one.child_by_field_id(self.grammar.fields.type_);
            if let Some(written) = written.filter(|_| !self.is_rest(one)) {
                let path = self.exprs.arena.path(before, Slot::Param(at));
                self.part_hints(written, symbol, path, is_defined, frame);
            }
        }
    }

    /// Records the type of a parameter, or of a member of one whose type is written out. What a function that
    /// `is_defined` calls its own members is for itself; those that it is given as functions are for callers.
    fn part_hints(
        &mut self,
        written: Node<'_>,
        symbol: Option<u32>,
        path: PathId,
        is_defined: bool,
        frame: &Frame,
    ) {
        let slots = self.exprs.arena.slots(path);
        if let Some(function) = self.function_type(written) {
            let is_parameter = |slot: &&Slot| matches!(slot, Slot::Param(_));
            if slots.iter().filter(is_parameter).count() <= FUNCTION_DEPTH {
                self.parameter_hints(function, symbol, path, frame);
            }
        } else if self.is_only_literal_type(Some(written)) {
            if slots.len() > FUNCTION_DEPTH + 1 {
                return;
            }
            for (key, member) in self.literal_members(written) {
                let key = self.slot(key);
                let path = self.exprs.arena.path(path, key);
                let inside = member.child_by_field_id(self.grammar.fields.type_);
                if self.grammar.kind(member) == Kind::MethodSignature {
                    self.parameter_hints(member, symbol, path, frame);
                } else if let Some(inside) = inside
                    && (!is_defined || self.plain_type(inside).is_none())
                {
                    self.part_hints(inside, symbol, path, is_defined, frame);
                }
            }
        } else if let Some(found) = self.plain_type(written)
            && (slots.len() > 1 || !self.exprs.is_sequence(found))
        {
            let owner = Owner::Member(symbol, path);
            self.hint(owner, Some(found), Rank::Written, frame);
        }
    }

    /// Returns the members of a type that is written out, those with plain names.
    fn literal_members<'t>(&self, written: Node<'t>) -> Vec<(&'a str, Node<'t>)> {
        let parts = written.named_child(0).map(|inside| self.parts_of(inside));
        let mut members = Vec::new();
        for part in parts.unwrap_or_default() {
            let mut cursor = part.walk();
            members.extend(part.named_children(&mut cursor).filter_map(|member| {
                let key = member.child_by_field_id(self.grammar.fields.name)?;
                let key = self.text(key);
                (is_chain(key) && !key.contains('.')).then_some((key, member))
            }));
        }
        members.truncate(PARAMETERS);
        members
    }

    /// Records the parameters of the one function that a type, an interface or a member is.
    pub(super) fn callable(&mut self, written: Option<Node<'_>>, symbol: u32, frame: &Frame) {
        let Some(written) = written else { return };
        if let Some(function) = self.function_type(written) {
            return self.signature_hints(function, symbol, frame);
        }
        let mut cursor = written.walk();
        let mut signatures = written
            .named_children(&mut cursor)
            .filter(|one| self.grammar.kind(*one) == Kind::CallSignature);
        if let (Some(one), None) = (signatures.next(), signatures.next()) {
            self.declared_result(one, Some(symbol), frame);
        }
    }

    /// Keeps what a value is expected to be until it is entered.
    pub(super) fn expect(&mut self, value: Node<'_>, expected: &Expected) {
        let mut value = value;
        while self.grammar.kind(value) == Kind::Parenthesized {
            let Some(inner) = value.named_child(0) else {
                return;
            };
            value = inner;
        }
        if self.is_open(value) {
            self.expected.insert(value.id(), expected.clone());
        }
    }

    /// `const a: A = …`
    pub(super) fn expect_written(&mut self, written: Option<Node<'_>>, value: Option<Node<'_>>) {
        if let (Some(written), Some(value)) = (written, value)
            && self.is_open(value)
            && let Some(expected) = self.expectation(written)
        {
            self.expect(value, &expected);
        }
    }

    /// `… as A`, `… satisfies A`
    pub(super) fn expect_cast(&mut self, node: Node<'_>) {
        self.expect_written(node.named_child(1), node.named_child(0));
    }

    /// Whether what is expected of a value tells anything: of a function that takes something, of an object that
    /// has functions.
    fn is_open(&self, value: Node<'_>) -> bool {
        match self.grammar.kind(value) {
            Kind::Parenthesized => true,
            Kind::Object => {
                let mut cursor = value.walk();
                value.named_children(&mut cursor).any(|member| {
                    let inner = member.child_by_field_id(self.grammar.fields.value);
                    let kind = self.grammar.kind(inner.unwrap_or(member));
                    kind.is_function_value()
                        || matches!(kind, Kind::MethodDefinition | Kind::Object)
                })
            }
            kind if kind.is_function_value() || kind == Kind::MethodDefinition => {
                let parameters = self.parameters(value);
                parameters.iter().any(|one| self.is_untyped(*one))
            }
            _ => false,
        }
    }

    fn is_untyped(&self, parameter: Node<'_>) -> bool {
        let written = parameter.child_by_field_id(self.grammar.fields.type_);
        written.is_none() && !self.is_rest(parameter)
    }

    /// `f(a => …)`, `new F({ a() {} })`: what is given is what the parameters are.
    pub(super) fn expect_arguments(&mut self, call: Node<'_>) {
        let fields = self.grammar.fields;
        let Some(arguments) = call.child_by_field_id(fields.arguments) else {
            return;
        };
        if self.grammar.kind(arguments) != Kind::Arguments {
            return;
        }
        let mut called = None;
        let mut at = 0;
        let mut cursor = arguments.walk();
        for one in arguments.named_children(&mut cursor) {
            match self.grammar.kind(one) {
                Kind::Comment => continue,
                Kind::Spread => return,
                _ if at == PARAMETERS => return,
                _ => at += 1,
            }
            if !self.is_open(one) || self.expected.contains_key(&one.id()) {
                continue;
            }
            // Most calls are given nothing of which anything is expected.
            let Some(callee) = called.get_or_insert_with(|| self.callee(call)) else {
                return;
            };
            let index = u8::try_from(at - 1).unwrap_or(u8::MAX);
            let expected = Expected::Of(self.exprs.parameter(*callee, index));
            self.expect(one, &expected);
        }
    }

    /// Returns what is called or made; `None` where that says nothing about the arguments.
    fn callee(&mut self, call: Node<'_>) -> Option<ExprId> {
        let fields = &self.grammar.fields;
        let function = call.child_by_field_id(fields.function);
        let callee = function.or_else(|| call.child_by_field_id(fields.constructor))?;
        // `f.call(this, a => …)` has its arguments elsewhere.
        let member = callee.child_by_field_id(fields.property);
        let is_moved = member.is_some_and(|it| matches!(self.text(it), "call" | "apply" | "bind"));
        (!is_moved).then(|| self.origin(callee))?
    }

    /// An object that is expected to be something: so are its members.
    pub(super) fn expect_members(&mut self, object: Node<'_>) {
        let Some(Expected::Of(origin)) = self.expected.remove(&object.id()) else {
            return;
        };
        let fields = &self.grammar.fields;
        let mut cursor = object.walk();
        let members: Vec<Node<'_>> = object.named_children(&mut cursor).collect();
        for member in members {
            let (key, value) = match self.grammar.kind(member) {
                Kind::Pair => (
                    member.child_by_field_id(fields.key),
                    member.child_by_field_id(fields.value),
                ),
                Kind::MethodDefinition => (member.child_by_field_id(fields.name), Some(member)),
                _ => continue,
            };
            if let (Some(key), Some(value)) = (key.and_then(|key| self.key(key)), value)
                && is_chain(&key)
                && !key.contains('.')
                && self.is_open(value)
            {
                let member = self.exprs.member(origin, &key);
                self.expect(value, &Expected::Of(member));
            }
        }
    }

    /// A function of which something is expected: its parameters that have no type of their own. `around` is what is
    /// true outside.
    pub(super) fn take_expected(&mut self, node: Node<'_>, scope: u32, around: &Frame) {
        let Some(expected) = self.expected.remove(&node.id()) else {
            return;
        };
        for (at, one) in (0_u8..).zip(self.parameters(node)) {
            if self.is_rest(one) {
                return;
            }
            let fields = &self.grammar.fields;
            let target = match self.grammar.kind(one) {
                Kind::RequiredParameter | Kind::OptionalParameter => {
                    one.child_by_field_id(fields.pattern)
                }
                Kind::AssignmentPattern => one.child_by_field_id(fields.left),
                _ => Some(one),
            };
            let found = match &expected {
                Expected::Of(function) => Some(self.exprs.parameter(*function, at)),
                Expected::Function(parameters) => {
                    parameters.get(usize::from(at)).copied().flatten()
                }
            };
            if let Some(target) = target.filter(|_| self.is_untyped(one))
                && found.is_some()
            {
                self.bound(target, Some((found, Rank::Assigned)), scope, around);
            }
        }
    }
}

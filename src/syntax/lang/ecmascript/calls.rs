//! What a call gives to the function it calls, and what that makes of it: `wrap(new A())` of `wrap<T>(a: T): T`.
//!
//! Refuses to know which function is called.

use tree_sitter::Node;

use super::exprs::Exprs;
use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::types::GIVEN;
use super::uses::is_chain;
use super::walk::{Frame, Walk};
use crate::ir::{ContainerKind, Expr, ExprId, PathId, Slot};

impl Walk<'_> {
    /// Returns the types and the arguments that a call gives, those that have a name: types, new instances, and names that
    /// begin as those of classes do.
    pub(super) fn given_to_call(&mut self, call: Node<'_>) -> (Vec<ExprId>, Vec<ExprId>) {
        let fields = self.grammar.fields;
        let mut types = match call.child_by_field_id(fields.type_arguments) {
            Some(types) => self.types().given(types, 0),
            None => Vec::new(),
        };
        let mut args = match call.child_by_field_id(fields.arguments) {
            Some(arguments) => self.values_given(arguments),
            None => Vec::new(),
        };
        for one in &mut types {
            if !self.exprs.is_instance(*one) {
                *one = self.exprs.unknown();
            }
        }
        for all in [&mut types, &mut args] {
            while all.last().is_some_and(|one| self.exprs.is_unknown(*one)) {
                all.pop();
            }
        }
        (types, args)
    }

    fn values_given(&mut self, arguments: Node<'_>) -> Vec<ExprId> {
        let mut cursor = arguments.walk();
        let all = arguments.named_children(&mut cursor);
        let all = all.filter(|one| self.grammar.kind(*one) != Kind::Comment);
        let all = all.take_while(|one| self.grammar.kind(*one) != Kind::Spread);
        let all: Vec<Node<'_>> = all.take(GIVEN).collect();
        all.into_iter()
            .map(|one| {
                let found = match self.grammar.kind(one) {
                    Kind::NewExpression => self.origin(one),
                    Kind::Identifier | Kind::MemberExpression if is_class(self.text(one)) => {
                        self.origin(one)
                    }
                    _ => None,
                };
                let exprs = &self.exprs;
                let found = found.filter(|it| exprs.is_new(*it) || exprs.is_chain(*it));
                found.unwrap_or_else(|| self.exprs.unknown())
            })
            .collect()
    }

    /// Records what the type parameters of a function stand for in what it returns, by what it is given.
    pub(super) fn own_type_parameters(&mut self, node: Node<'_>, symbol: u32, frame: &Frame) {
        let fields = self.grammar.fields;
        let field = |id: u16| node.child_by_field_id(id);
        let (Some(all), Some(returned)) =
            (field(fields.type_parameters), field(fields.return_type))
        else {
            return;
        };
        let returned = self.text(returned);
        let mut cursor = all.walk();
        let all: Vec<_> = all
            .named_children(&mut cursor)
            .filter(|one| self.grammar.kind(*one) == Kind::TypeParameter)
            .take(GIVEN)
            .filter_map(|one| {
                let name = self.text(one.child_by_field_id(fields.name)?);
                Some((name, one.child_by_field_id(fields.constraint)))
            })
            .collect();
        for (at, (name, bound)) in (0_u8..).zip(all) {
            if !names(returned, name) {
                continue;
            }
            self.hint(
                Owner::Own(name, frame.scope, at),
                None,
                Rank::Written,
                frame,
            );
            let mut known = vec![];
            if let Some(bound) = bound {
                known.push((Slot::TypeParamDefault(at), self.of_type(bound)));
            }
            if let Some(found) = self.inferred(node, name) {
                known.push((Slot::TypeParamBound(at), Some(found)));
            }
            for (slot, found) in known {
                let path = self.exprs.arena.path(PathId::EMPTY, slot);
                self.hint(
                    Owner::Member(Some(symbol), path),
                    found,
                    Rank::Written,
                    frame,
                );
            }
        }
    }

    /// Returns what a type parameter stands for by the first argument whose type says so.
    fn inferred(&mut self, node: Node<'_>, name: &str) -> Option<ExprId> {
        let all = self.parameters(node).into_iter().take(GIVEN);
        (0_u8..).zip(all).find_map(|(index, one)| {
            let written = one.child_by_field_id(self.grammar.fields.type_)?;
            let argument = self.exprs.add(Expr::Argument { index });
            let inside = written.named_child(0)?;
            if self.grammar.kind(inside) == Kind::ConstructorType {
                let made = inside.child_by_field_id(self.grammar.fields.type_)?;
                return (self.text(made) == name).then(|| self.exprs.construct(argument));
            }
            let found = self.of_type(written)?;
            let all = self.exprs.apart(found);
            all.into_iter()
                .find_map(|one| given_by(&mut self.exprs, argument, one, name))
        })
    }
}

/// Returns what an argument says of what a type parameter stands for, where its type is that or makes it.
fn given_by(exprs: &mut Exprs, argument: ExprId, written: ExprId, name: &str) -> Option<ExprId> {
    let is_it = |exprs: &Exprs, of: ExprId| matches!(exprs.get(of), Expr::Name { name: it, .. } if exprs.arena.name_of(*it) == name);
    let is_one = |exprs: &Exprs, one: ExprId| matches!(exprs.get(one), Expr::Instance { of } if is_it(exprs, *of));
    match *exprs.get(written) {
        Expr::Instance { of } if is_it(exprs, of) => Some(argument),
        Expr::Container {
            kind: ContainerKind::Sequence,
            element,
        } if is_one(exprs, element) => Some(exprs.element(argument)),
        Expr::Callable { result } if is_one(exprs, result) => Some(exprs.call(argument, &[], &[])),
        // A type that is given the class itself: `Type<T>`.
        Expr::Instance { of } => {
            let given = exprs.generic(of).1.iter();
            let is_given = given.clone().any(|one| is_one(exprs, *one));
            is_given.then(|| exprs.construct(argument))
        }
        _ => None,
    }
}

/// Whether a name or the last one of a chain begins as that of a class.
fn is_class(text: &str) -> bool {
    let last = text.rsplit('.').next().unwrap_or(text);
    is_chain(text) && last.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Whether a text has a word.
fn names(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.split(|c: char| !is_part(c)).any(|it| it == word)
}

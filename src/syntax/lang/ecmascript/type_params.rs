//! Type parameters: `T` in `class List<T>`, and what calls of `wrap<T>(a: T): T` make of it.

use tree_sitter::Node;

use super::builder::{FileBuilder, SymbolBuilder};
use super::expr_builder::ExprBuilder;
use super::frame::Frame;
use super::kinds::Kind;
use super::lower_type::{GIVEN, lower_type};
use super::pending::{BindingSource, ValueOwner};
use super::signatures;
use crate::ir::{ContainerKind, Expr, ExprId, PathId, Slot};
use crate::model::SymbolKind;

/// Binds the type parameters that the return type of a function names to the arguments that tell them: `wrap(new A())`
/// of `wrap<T>(a: T): T` returns an `A`.
pub(super) fn infer_from_arguments(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    symbol: u32,
    frame: &Frame,
) {
    let fields = b.grammar.fields;
    let field = |id: u16| node.child_by_field_id(id);
    let (Some(all), Some(returned)) = (field(fields.type_parameters), field(fields.return_type))
    else {
        return;
    };
    let returned = b.text(returned);
    let mut cursor = all.walk();
    let all: Vec<_> = all
        .named_children(&mut cursor)
        .filter(|one| b.grammar.kind(*one) == Kind::TypeParameter)
        .take(GIVEN)
        .filter_map(|one| {
            let name = b.text(one.child_by_field_id(fields.name)?);
            Some((name, one.child_by_field_id(fields.constraint)))
        })
        .collect();
    for (at, (name, bound)) in (0_u8..).zip(all) {
        if !names(returned, name) {
            continue;
        }
        b.annotate(ValueOwner::TypeParam(name, frame.scope, at), None, frame);
        let mut known = vec![];
        if let Some(bound) = bound {
            known.push((Slot::TypeParamDefault(at), lower_type(b, bound)));
        }
        if let Some(found) = inferred(b, node, name) {
            known.push((Slot::TypeParamBound(at), Some(found)));
        }
        for (slot, found) in known {
            let path = b.exprs.arena.path(PathId::EMPTY, slot);
            b.add_binding(
                ValueOwner::Member(Some(symbol), path),
                found,
                BindingSource::Annotation,
                frame,
            );
        }
    }
}

/// The expression for a type parameter by the first argument whose type tells it.
fn inferred(b: &mut FileBuilder<'_>, node: Node<'_>, name: &str) -> Option<ExprId> {
    let all = signatures::parameters_of(b, node).into_iter().take(GIVEN);
    (0_u8..).zip(all).find_map(|(index, one)| {
        let written = one.child_by_field_id(b.grammar.fields.type_)?;
        let argument = b.exprs.add(Expr::Argument { index });
        let inside = written.named_child(0)?;
        if b.grammar.kind(inside) == Kind::ConstructorType {
            let made = inside.child_by_field_id(b.grammar.fields.type_)?;
            return (b.text(made) == name).then(|| b.exprs.construct(argument));
        }
        let found = lower_type(b, written)?;
        let all = b.exprs.apart(found);
        all.into_iter()
            .find_map(|one| given_by(&mut b.exprs, argument, one, name))
    })
}

/// `T extends A = B` of a class, an interface or an alias: bound to the type parameter itself, which type arguments
/// replace; of a function: bound to its bound.
pub(super) fn type_parameter(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let fields = b.grammar.fields;
    let field = |id: u16| node.child_by_field_id(id);
    let Some(name) = field(fields.name) else {
        return;
    };
    let bound = field(fields.constraint).map(|it| lower_type(b, it));
    let standard = field(fields.value).map(|it| lower_type(b, it));
    let owner = ValueOwner::Binding(b.text(name), frame.scope);
    let Some((symbol, at)) = place_of_type_parameter(b, node, frame) else {
        if let Some(bound) = bound {
            b.annotate(owner, bound, frame);
        }
        return;
    };
    let own = b.exprs.add(Expr::TypeParam {
        owner: symbol,
        index: at,
        has_bound: true,
    });
    let own = b.exprs.instance(own);
    b.annotate(owner, Some(own), frame);
    let bounds = (Slot::TypeParamBound(at), bound.flatten());
    let standards = (Slot::TypeParamDefault(at), standard.flatten());
    for (slot, found) in [bounds, standards] {
        if found.is_some() {
            let path = b.exprs.arena.path(PathId::EMPTY, slot);
            b.add_binding(
                ValueOwner::Member(Some(symbol), path),
                found,
                BindingSource::Annotation,
                frame,
            );
        }
    }
}

/// Returns the type that a type parameter belongs to, and its place there; `None` for that of a function and of a
/// class without a name.
fn place_of_type_parameter(
    b: &FileBuilder<'_>,
    node: Node<'_>,
    frame: &Frame,
) -> Option<(u32, u8)> {
    let all = node.parent()?;
    let owner = all.parent()?;
    let symbol = frame.symbol?;
    let name = owner.child_by_field_id(b.grammar.fields.name)?;
    let draft = &b.symbols[symbol as usize].symbol;
    if !is_generic(draft.kind) || draft.name != b.text(name) {
        return None;
    }
    let mut cursor = all.walk();
    let mut parameters = all
        .named_children(&mut cursor)
        .filter(|one| b.grammar.kind(*one) == Kind::TypeParameter);
    let at = parameters.position(|one| one.id() == node.id())?;
    let at = u8::try_from(at).ok().filter(|_| at < GIVEN)?;
    Some((symbol, at))
}

/// The expression for a type parameter `name` by an argument of type `written`: the argument for `T`, an element of it
/// for `T[]`, its result for `() => T`.
fn given_by(
    exprs: &mut ExprBuilder,
    argument: ExprId,
    written: ExprId,
    name: &str,
) -> Option<ExprId> {
    let is_it = |exprs: &ExprBuilder, of: ExprId| matches!(exprs.get(of), Expr::Name { name: it, .. } if exprs.arena.name_of(*it) == name);
    let is_one = |exprs: &ExprBuilder, one: ExprId| matches!(exprs.get(one), Expr::Instance { of } if is_it(exprs, *of));
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

/// Whether a text has a word.
fn names(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.split(|c: char| !is_part(c)).any(|it| it == word)
}

/// Returns the type around a definition, or itself where it is one.
pub(super) fn type_around(symbols: &[SymbolBuilder], symbol: Option<u32>) -> Option<u32> {
    let mut at = symbol;
    while let Some(symbol) = at {
        let found = &symbols[symbol as usize].symbol;
        if is_generic(found.kind) {
            break;
        }
        at = found.parent;
    }
    at
}

/// Whether it may have type parameters that are those of all its members.
fn is_generic(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Interface, Type};
    matches!(kind, Class | Interface | Type)
}

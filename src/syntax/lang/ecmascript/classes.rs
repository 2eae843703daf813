//! Classes, and the bases of classes, interfaces and aliases: `extends A implements B`.

use tree_sitter::Node;

use super::builder::{DefinitionForm, FileBuilder};
use super::expr_builder::Start;
use super::frame::{AssignmentTarget, Frame, line_of};
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::lower_type::{self, lower_type};
use super::pending::ValueOwner;
use super::{nodes, object_types};
use crate::ir::{BaseKind, ExprId, PathId, Slot};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;

/// `class C {}`, as a statement or as a value.
pub(super) fn class(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
    let own = nodes::name_of(b, node);
    let is_value = frame.kind == Kind::ClassExpression;
    if let AssignmentTarget::Value(enclosing) = frame.target
        && is_value
    {
        // `const C = class {}`: the name's symbol is the class.
        b.enclosing[enclosing as usize].members = true;
        frame.enclosing = enclosing;
        b.open_scope(frame, ScopeKind::Block);
        if let Some((name, _)) = own {
            b.scopes.bind(name, frame.scope, frame.symbol.is_some());
            b.scopes.bound_symbol(frame.symbol.unwrap_or(u32::MAX));
        }
        if let Some(symbol) = frame.symbol {
            class_bases(b, node, symbol, frame);
        }
        return;
    }
    let (name, line) = match own {
        Some(own) => own,
        None if !is_value => ("default", line_of(node)),
        None => {
            b.open_scope(frame, ScopeKind::Block);
            b.scopes.bind("this", frame.scope, false);
            return;
        }
    };
    let context = b.context_of(node, if is_value { frame } else { parent });
    let scope = frame.scope;
    if !is_value {
        b.scopes.bind(name, scope, true);
    }
    let mut definition = DefinitionForm::new(name, SymbolKind::Class, line, frame.enclosing);
    definition.signature = nodes::signature_of(b, node);
    let defined = b.define(definition, &context, frame);
    if let Some(symbol) = defined {
        b.enclosing[frame.enclosing as usize].members = true;
        if !is_value {
            b.scopes.bound_symbol(symbol);
        }
        b.export_definition(&context, scope, name, false);
    }
    b.open_scope(frame, ScopeKind::Block);
    if is_value {
        b.scopes.bind(name, frame.scope, defined.is_some());
    }
    if let Some(symbol) = defined {
        if is_value {
            b.scopes.bound_symbol(symbol);
        }
        class_bases(b, node, symbol, frame);
    }
}

/// `extends A implements B`, `interface I extends A`
pub(super) fn class_bases(b: &mut FileBuilder<'_>, node: Node<'_>, symbol: u32, frame: &Frame) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match b.grammar.kind(child) {
            Kind::ClassHeritage | Kind::ExtendsTypeClause => {
                heritage(b, child, symbol, frame);
            }
            _ => {}
        }
    }
}

fn heritage(b: &mut FileBuilder<'_>, node: Node<'_>, symbol: u32, frame: &Frame) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match b.grammar.kind(child) {
            Kind::ExtendsClause => {
                let fields = b.grammar.fields;
                let value = child.child_by_field_id(fields.value).unwrap_or(child);
                let given = child.child_by_field_id(fields.type_arguments);
                base(b, value, given, BaseKind::Extends, symbol, frame);
            }
            Kind::ImplementsClause => {
                let mut inner = child.walk();
                for one in child.named_children(&mut inner) {
                    base(b, one, None, BaseKind::Implements, symbol, frame);
                }
            }
            Kind::Comment | Kind::TypeArguments => {}
            _ => base(b, child, None, BaseKind::Extends, symbol, frame),
        }
    }
}

fn base(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    given: Option<Node<'_>>,
    kind: BaseKind,
    symbol: u32,
    frame: &Frame,
) {
    for part in object_types::intersection_parts(b, node) {
        let found = match lower_expr(b, part) {
            Some(found) if b.exprs.start(found) == Start::Value => {
                let given =
                    given.map_or_else(Vec::new, |given| lower_type::types(b).given(given, 0));
                let given = if b.exprs.is_chain(found) {
                    given
                } else {
                    Vec::new()
                };
                Some(b.exprs.specialized(found, &given))
            }
            _ => lower_type(b, part),
        };
        add_base(b, found, kind, Some(symbol), frame);
    }
}

/// Adds a base to a symbol; nothing where the base has no name.
pub(super) fn add_base(
    b: &mut FileBuilder<'_>,
    found: Option<ExprId>,
    kind: BaseKind,
    symbol: Option<u32>,
    frame: &Frame,
) {
    let Some(found) = found else { return };
    let found = b.exprs.bases(found);
    let path = b.exprs.arena.path(PathId::EMPTY, Slot::Base(kind));
    let owner = ValueOwner::Member(symbol, path);
    b.annotate(owner, Some(found), frame);
}

/// `type T = A & B`
pub(super) fn alias_bases(b: &mut FileBuilder<'_>, node: Node<'_>, symbol: u32, frame: &Frame) {
    let Some(value) = node.child_by_field_id(b.grammar.fields.value) else {
        return;
    };
    for part in object_types::intersection_parts(b, value) {
        let found = lower_type(b, part);
        add_base(b, found, BaseKind::Extends, Some(symbol), frame);
    }
}

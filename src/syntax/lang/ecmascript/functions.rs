//! Functions: their scope, their parameters by context, and the values that they return.

use tree_sitter::Node;

use super::builder::{DefinitionForm, FileBuilder};
use super::frame::{AssignmentTarget, Frame, line_of};
use super::kinds::Kind;
use super::lower_expr::lower_expr;
use super::lower_type::lower_type;
use super::pending::{BindingSource, ReturnContext, ValueOwner};
use super::{contextual_types, jsdoc, nodes, object_literals, signatures, type_params};
use crate::ir::{PathId, Slot};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;

/// `function f() {}`, `function f();`
pub(super) fn function_declaration(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    let (name, line) = nodes::name_of(b, node).unwrap_or(("default", line_of(node)));
    let context = b.context_of(node, parent);
    b.scopes.bind(name, frame.scope, true);
    let overload = frame.kind == Kind::FunctionSignature && !context.ambient;
    let n_before = b.symbols.len();
    let mut definition = DefinitionForm::new(name, SymbolKind::Function, line, frame.enclosing);
    definition.signature = nodes::signature_of(b, node);
    definition.overload = overload;
    let scope = frame.scope;
    let defined = b.define(definition, &context, frame);
    if let Some(symbol) = defined {
        b.scopes.bound_symbol(symbol);
    }
    // An implementation takes the place of its overloads, and their export is its own.
    if b.symbols.len() > n_before && !is_repeated_overload(b, n_before, overload) {
        b.export_definition(&context, scope, name, false);
    }
    b.open_scope(frame, ScopeKind::Function);
    enter_function(b, node, defined, frame);
}

fn is_repeated_overload(b: &FileBuilder<'_>, index: usize, overload: bool) -> bool {
    overload
        && index > 0
        && b.symbols[index - 1].overload
        && b.symbols[index - 1].symbol.qualified_name == b.symbols[index].symbol.qualified_name
}

/// A function as a value: its symbol is that of the name it is bound to, if any.
pub(super) fn function_value(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    let own = match frame.kind {
        Kind::ArrowFunction => None,
        _ => nodes::name_of(b, node),
    };
    let outside = *frame;
    let mut symbol = b.bodies.remove(&node.id());
    b.open_scope(frame, ScopeKind::Function);
    if let Some((name, line)) = own {
        let returned = outside.target == AssignmentTarget::Returned && outside.symbol.is_some();
        if returned {
            let context = b.context_of(
                node,
                &Frame {
                    context: 0,
                    ..*parent
                },
            );
            let kind = SymbolKind::Function;
            let mut definition = DefinitionForm::new(name, kind, line, outside.enclosing);
            definition.signature = nodes::signature_of(b, node);
            symbol = b.define(definition, &context, frame).or(symbol);
        }
        b.scopes.bind(name, frame.scope, symbol.is_some());
        if let Some(symbol) = symbol {
            b.scopes.bound_symbol(symbol);
        }
    }
    if frame.kind != Kind::ArrowFunction && has_own_this(b, node, symbol, parent) {
        b.scopes.bind("this", frame.scope, false);
    }
    contextual_types::bind_contextual_parameters(b, node, frame.scope, &outside);
    enter_function(b, node, symbol, frame);
}

/// Returns whether `this` in a function is something that only who calls it knows.
fn has_own_this(b: &FileBuilder<'_>, node: Node<'_>, symbol: Option<u32>, parent: &Frame) -> bool {
    let rest = b.between(node.end_byte(), (node.end_byte() + 40).min(b.source.len()));
    let given = rest.trim_start_matches([',', ' ', '\n', '\t']);
    let bound = given.starts_with("this") || given.starts_with(".bind(this");
    symbol.is_none()
        && !bound
        && matches!(
            parent.kind,
            Kind::Arguments | Kind::Pair | Kind::ReturnStatement
        )
}

/// Enters a function. `symbol` is its own or that of the name it is bound to; `frame` is already that of its inside.
pub(super) fn enter_function(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    symbol: Option<u32>,
    frame: &mut Frame,
) {
    let owner = symbol.map(|at| {
        let draft = &b.symbols[at as usize].symbol;
        let arena = &mut b.exprs.arena;
        let (owner, slot) = if draft.kind == SymbolKind::Property {
            (draft.parent, Slot::Member(arena.name(&draft.name)))
        } else {
            (Some(at), Slot::Return)
        };
        ValueOwner::Member(owner, arena.path(PathId::EMPTY, slot))
    });
    let mut owner = owner.filter(|_| !is_setter(b, node, symbol));
    if b.grammar.untyped {
        let start = symbol.map_or(node.start_byte(), |at| {
            b.symbols[at as usize].symbol.span.start_byte as usize
        });
        jsdoc::function_doc(b, node, start, &mut owner, frame);
    }
    let takes = |kind| {
        use SymbolKind::{Constructor, Function, Method};
        matches!(kind, Constructor | Function | Method)
    };
    if let Some(symbol) = symbol
        && takes(b.symbols[symbol as usize].symbol.kind)
    {
        signatures::bind_parameters(b, node, symbol, frame);
        type_params::infer_from_arguments(b, node, symbol, frame);
    }
    let written = node.child_by_field_id(b.grammar.fields.return_type);
    let expected = written.and_then(|written| contextual_types::contextual_type(b, written));
    if let Some(written) = written
        && let Some(owner) = owner.take()
    {
        let expr = lower_type(b, written);
        b.annotate(owner, expr, frame);
    }
    if frame.kind == Kind::ArrowFunction
        && let Some(body) = node.child_by_field_id(b.grammar.fields.body)
        && b.grammar.kind(body) != Kind::StatementBlock
    {
        if let Some(expected) = &expected {
            contextual_types::expect(b, body, expected);
        }
        if let Some(owner) = &owner {
            bind_return(b, body, owner.clone(), frame);
        }
    }
    let generates = match frame.kind {
        Kind::GeneratorFunction | Kind::GeneratorDeclaration => true,
        Kind::MethodDefinition => {
            let name = node.child_by_field_id(b.grammar.fields.name);
            name.is_some_and(|name| nodes::head(b, node, name.start_byte()).contains('*'))
        }
        _ => false,
    };
    let context = if generates {
        ReturnContext {
            yielded: expected.map(|it| contextual_types::element_of(b, &it)),
            ..ReturnContext::default()
        }
    } else {
        ReturnContext {
            owner,
            expected,
            yielded: None,
        }
    };
    b.returns.push(context);
    frame.function = u32::try_from(b.returns.len() - 1).unwrap_or(0);
}

fn is_setter(b: &FileBuilder<'_>, node: Node<'_>, symbol: Option<u32>) -> bool {
    symbol.is_some_and(|at| {
        b.symbols[at as usize].symbol.kind == SymbolKind::Property
            && nodes::head(b, node, node.end_byte())
                .split(|c: char| c.is_whitespace() || c == '(')
                .take_while(|word| !matches!(*word, "get"))
                .take(4)
                .any(|word| word == "set")
    })
}

/// `yield a`, but not `yield* all`.
pub(super) fn yield_expression(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let returns = b.returns.get(frame.function as usize);
    let yielded = returns.and_then(|it| it.yielded.clone());
    let delegates = node.child(1).is_some_and(|it| b.text(it) == "*");
    if let (Some(expected), Some(value)) = (yielded, node.named_child(0))
        && !delegates
    {
        contextual_types::expect(b, value, &expected);
    }
}

/// `return a`
pub(super) fn return_statement(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &Frame) {
    let Some(returns) = b.returns.get(frame.function as usize).cloned() else {
        return;
    };
    if let (Some(expected), Some(value)) = (returns.expected, node.named_child(0)) {
        contextual_types::expect(b, value, &expected);
    }
    let Some(owner) = returns.owner else {
        return;
    };
    let Some(value) = node
        .named_child(0)
        .filter(|value| !nodes::is_absent(b, *value))
    else {
        return;
    };
    bind_return(b, value, owner, frame);
}

/// Binds the return value of a function.
fn bind_return<'a>(b: &mut FileBuilder<'a>, value: Node<'_>, owner: ValueOwner<'a>, frame: &Frame) {
    if let (Some(object), ValueOwner::Member(Some(symbol), path)) =
        (nodes::object_literal(b, value), &owner)
    {
        object_literals::returned_object(b, object, *symbol, *path, frame);
    } else {
        let expr = lower_expr(b, value);
        b.add_binding(owner, expr, BindingSource::Initializer, frame);
    }
}

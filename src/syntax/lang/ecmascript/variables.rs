//! Variables: `const`, `let`, `var`, with the names that a pattern defines and the modules that `require` binds.

use tree_sitter::Node;

use super::builder::{DeclarationContext, DefinitionForm, FileBuilder};
use super::frame::{AssignmentTarget, Frame, IdentifierRole, line_of};
use super::initializers::{self, Initializer};
use super::kinds::Kind;
use super::{bindings, commonjs, contextual_types, nodes, object_literals, object_types, patterns};
use crate::ir::{ImportKind, ImportedName};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature;

/// `const a = 1, b = 2;`: the statement around its declarators.
pub(super) fn variable_declaration(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    let mut context = b.context_of(node, parent);
    let keyword = node.child(0).map(|word| b.text(word));
    context.constant = keyword == Some("const") || frame.kind == Kind::UsingDeclaration;
    let mut n_declarators = 0;
    for at in 0..node.named_child_count().min(8) {
        let child = u32::try_from(at).ok().and_then(|at| node.named_child(at));
        n_declarators +=
            usize::from(child.is_some_and(|c| b.grammar.kind(c) == Kind::VariableDeclarator));
    }
    context.shared = n_declarators > 1;
    frame.role = match frame.kind {
        Kind::VariableDeclaration => IdentifierRole::BindVar,
        _ => IdentifierRole::Bind,
    };
    frame.context = b.push_context(context);
}

/// `a = 1` in a declaration.
pub(super) fn declarator(
    b: &mut FileBuilder<'_>,
    node: Node<'_>,
    frame: &mut Frame,
    parent: &Frame,
) {
    frame.role = parent.role;
    let fields = b.grammar.fields;
    let Some(name_node) = node.child_by_field_id(fields.name) else {
        return;
    };
    let value = node.child_by_field_id(fields.value);
    let initializer = value.map_or(Initializer::Other, |value| initializers::classify(b, value));
    let target = if parent.role == IdentifierRole::BindVar {
        b.scopes.hoisted(frame.scope)
    } else {
        frame.scope
    };
    let top = b.scopes.kind(target) == ScopeKind::Top;
    let context = b.context_of(node, parent);
    let is_name = b.grammar.kind(name_node) == Kind::Identifier;
    let written = node.child_by_field_id(fields.type_);
    let is_local = is_name && !top;
    let is_literal_type = is_local && object_types::is_only_object_type(b, written);
    let is_literal = is_literal_type
        || is_local
            && written.is_none()
            && value.is_some_and(|it| nodes::object_literal(b, it).is_some());
    if !(is_literal || top && matches!(initializer, Initializer::Module(m) if is_require(b, m))) {
        let start = if context.shared {
            node.start_byte()
        } else {
            context.span.start_byte as usize
        };
        let found = bindings::evidence(b, written, value, start);
        bindings::bind_target(b, name_node, found, target, parent);
    }
    contextual_types::expect_annotation(b, written, value);
    if let Initializer::Module(module) = initializer {
        let is_require = bind_module(b, module, (name_node, is_name), top);
        if is_require || !is_name {
            if is_name {
                b.scopes.bind(b.text(name_node), target, false);
            }
            if !(context.exported && top) {
                return;
            }
        }
    }
    if !is_name {
        if top {
            pattern_definitions(b, name_node, &context, frame);
        }
        return;
    }
    let name = b.text(name_node);
    let (kind, body) = symbol_kind(b, initializer, top, context.constant);
    let is_symbol = top || body.is_some();
    b.scopes.bind(name, target, is_symbol);
    if !is_symbol {
        let own = if is_literal {
            object_literals::local_object(b, name, target, frame)
        } else {
            None
        };
        if let Initializer::Object(_) = initializer {
            let enclosing = own.unwrap_or_else(|| b.nest_under(frame.enclosing, name));
            b.enclosing[enclosing as usize].members = false;
            frame.target = AssignmentTarget::Value(enclosing);
        } else if is_literal_type {
            frame.target = own.map_or(AssignmentTarget::None, AssignmentTarget::Within);
        }
        return;
    }
    let keyword = if context.constant {
        "const "
    } else if parent.role == IdentifierRole::BindVar {
        "var "
    } else {
        "let "
    };
    let mut definition = DefinitionForm::new(name, kind, line_of(name_node), frame.enclosing);
    definition.signature = match (body, value) {
        (Some(body), Some(_)) => {
            let head = b.between(node.start_byte(), nodes::body_start(b, body));
            signature::of_head(&format!("{keyword}{head}"))
        }
        _ => initializers::value_signature(b, node, &name_node, keyword),
    };
    let scope = frame.scope;
    if let Some(symbol) = b.define(definition, &context, frame) {
        b.scopes.bound_symbol(symbol);
        initializers::own_body(b, initializer, symbol);
        b.export_definition(&context, scope, name, false);
        frame.target = AssignmentTarget::Value(frame.enclosing);
    }
    if let Initializer::Assignment(chain) = initializer {
        commonjs::declared_chain(b, chain, name);
    }
}

fn is_require(b: &FileBuilder<'_>, module: Node<'_>) -> bool {
    let call = match b.grammar.kind(module) {
        Kind::MemberExpression => module.child(0).unwrap_or(module),
        _ => module,
    };
    matches!(nodes::module_call(b, call), Some((ImportKind::Require, ..)))
}

fn symbol_kind<'t>(
    b: &FileBuilder<'_>,
    initializer: Initializer<'t>,
    top: bool,
    constant: bool,
) -> (SymbolKind, Option<Node<'t>>) {
    match initializer {
        Initializer::Function(body) => (SymbolKind::Function, Some(body)),
        Initializer::Class(body) => (SymbolKind::Class, Some(body)),
        Initializer::Wrapped(body) if top || initializers::is_known_wrapper(b, body) => {
            (SymbolKind::Function, Some(body))
        }
        _ if constant => (SymbolKind::Constant, None),
        _ => (SymbolKind::Variable, None),
    }
}

/// Adds a symbol for each name of a top-level pattern. The uses in its value belong to none of them.
fn pattern_definitions(
    b: &mut FileBuilder<'_>,
    pattern: Node<'_>,
    context: &DeclarationContext,
    frame: &Frame,
) {
    let kind = if context.constant {
        SymbolKind::Constant
    } else {
        SymbolKind::Variable
    };
    let enclosing = frame.enclosing;
    let scope = frame.scope;
    for (_, local) in patterns::pattern_names(b, pattern) {
        let mut definition = DefinitionForm::new(b.text(local), kind, line_of(local), enclosing);
        let text = b.between(
            context.span.start_byte as usize,
            context.span.end_byte as usize,
        );
        definition.signature = signature::of_value(text, None);
        let mut inside = *frame;
        b.define(definition, context, &mut inside);
        b.export_definition(context, scope, b.text(local), false);
    }
}

/// Adds the import of `const … = require('m')` with its names. Returns whether it is a `require`: its name is the
/// module, not a symbol.
fn bind_module(
    b: &mut FileBuilder<'_>,
    module: Node<'_>,
    (name_node, is_name): (Node<'_>, bool),
    top: bool,
) -> bool {
    let (call, member) = match b.grammar.kind(module) {
        Kind::MemberExpression => (
            module.child(0).unwrap_or(module),
            module
                .child_by_field_id(b.grammar.fields.property)
                .map(|p| b.text(p)),
        ),
        _ => (module, None),
    };
    let Some((kind, specifier, line)) = nodes::module_call(b, call) else {
        return false;
    };
    let named = |imported: &str, local: &str| ImportedName {
        imported: imported.to_owned(),
        // Uses of a local name are resolved by its binding, not by the import.
        local: if top { local } else { "" }.to_owned(),
        type_only: false,
    };
    let is_require = kind == ImportKind::Require;
    let names = match (is_name, member) {
        (true, Some(member)) => vec![named(member, b.text(name_node))],
        (true, None) if is_require => vec![named("*", b.text(name_node))],
        (false, None) => patterns::pattern_names(b, name_node)
            .into_iter()
            .filter(|(key, _)| !key.is_empty())
            .map(|(key, local)| named(key, b.text(local)))
            .collect(),
        _ => Vec::new(),
    };
    b.bound_call = Some(call.id());
    b.add_import(specifier, kind, line, names);
    is_require
}

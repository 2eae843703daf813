//! One pass over a syntax tree, without recursion: each node goes to the functions for its form, then its children follow.

use tree_sitter::{Node, TreeCursor};

use super::builder::FileBuilder;
use super::frame::{AssignmentTarget, Frame, IdentifierRole};
use super::kinds::Kind;
use super::{
    assignments, bindings, classes, commonjs, contextual_types, declarations, exports, functions,
    identifier_role, imports, jsdoc, jsx, member_uses, members, nodes, object_exports,
    object_types, parameters, patterns, references, type_params, variables,
};
use crate::ir::{ImportKind, ReferenceKind};
use crate::model::Budget;
use crate::syntax::scope::ScopeKind;

/// Levels of a tree that are looked at; below them nothing is extracted.
const MAX_DEPTH: usize = 2_000;

/// Nodes that are looked at; beyond them nothing is extracted.
const MAX_NODES: usize = 4_000_000;

/// Nodes between two looks at the budget.
const NODES_PER_CHECK: usize = 4_096;

/// A call: perhaps an import, perhaps a definition in CommonJS's manner.
fn call_expression(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
    if b.bound_call == Some(node.id()) {
        b.bound_call = None;
    } else if let Some((mut kind, specifier, line)) = nodes::module_call(b, node) {
        if kind == ImportKind::Dynamic && imports::is_in_type(b, node, frame) {
            kind = ImportKind::TypeQuery;
        }
        b.add_import(specifier, kind, line, Vec::new());
    } else if let Some((specifier, line)) = nodes::mocked_module(b, node) {
        b.add_import(specifier, ImportKind::Mock, line, Vec::new());
    }
    contextual_types::callback_parameters(b, node);
    contextual_types::expect_arguments(b, node);
    if parent.kind == Kind::ExpressionStatement {
        assignments::inherits_call(b, node, parent);
        object_exports::defining_call(b, node, frame, parent);
    } else if frame.target == AssignmentTarget::Exports {
        frame.target = AssignmentTarget::None;
    }
}

/// Visits the tree. Returns false where the budget ended.
pub(super) fn traverse(b: &mut FileBuilder<'_>, root: Node<'_>, budget: &Budget) -> bool {
    let mut cursor = root.walk();
    let top = Frame::top();
    let mut parent = top;
    let mut n_nodes = 0_usize;
    loop {
        n_nodes += 1;
        if n_nodes.is_multiple_of(NODES_PER_CHECK) && budget.is_spent() {
            return false;
        }
        let node = cursor.node();
        let kind = b.grammar.kind(node);
        if kind != Kind::Token {
            let (frame, descend) = enter(b, kind, node, &cursor, &parent);
            let deeper = descend && b.frames.len() < MAX_DEPTH && n_nodes < MAX_NODES;
            if deeper && cursor.goto_first_child() {
                b.frames.push(parent);
                parent = frame;
                continue;
            }
            leave(b, &frame);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            leave(b, &parent);
            parent = b.frames.pop().unwrap_or(top);
        }
    }
}

fn leave(b: &mut FileBuilder<'_>, frame: &Frame) {
    if frame.opens {
        b.scopes.leave(frame.scope);
    }
}

/// Enters one node. Returns its frame and whether to look inside.
fn enter(
    b: &mut FileBuilder<'_>,
    kind: Kind,
    node: Node<'_>,
    cursor: &TreeCursor<'_>,
    parent: &Frame,
) -> (Frame, bool) {
    let (role, target) = identifier_role::role_and_target(b, parent, kind, cursor);
    let mut frame = Frame {
        kind,
        role,
        target,
        context: 0,
        opens: false,
        ..*parent
    };
    let descend = role != IdentifierRole::Skip && dispatch(b, node, &mut frame, parent);
    (frame, descend)
}

fn dispatch(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, parent: &Frame) -> bool {
    if b.grammar.untyped && parent.kind == Kind::FormalParameters {
        parameters::untyped_parameter(b, node, parent);
    }
    if frame.target != AssignmentTarget::None && frame.kind.is_type() {
        frame.target = object_types::target_in_type(b, node, frame, parent);
    }
    match frame.kind {
        Kind::Other | Kind::Token | Kind::Program => {}
        Kind::Comment => return jsdoc::comment(b, node, frame),
        Kind::Identifier | Kind::TypeIdentifier | Kind::Shorthand | Kind::ShorthandPattern => {
            return references::identifier(b, node, frame);
        }
        Kind::MemberExpression | Kind::NestedIdentifier | Kind::NestedTypeIdentifier => {
            return references::member_chain(b, node, frame);
        }
        Kind::LookupType => member_uses::indexed_type(b, node, frame),
        Kind::TypeAnnotation
        | Kind::TypeArguments
        | Kind::TypeQuery
        | Kind::Constraint
        | Kind::DefaultType => frame.in_type = true,
        Kind::CallExpression => call_expression(b, node, frame, parent),
        Kind::NewExpression => contextual_types::expect_arguments(b, node),
        Kind::AsExpression | Kind::Satisfies => contextual_types::expect_cast(b, node),
        Kind::FunctionDeclaration | Kind::GeneratorDeclaration | Kind::FunctionSignature => {
            functions::function_declaration(b, node, frame, parent);
        }
        Kind::FunctionExpression | Kind::GeneratorFunction | Kind::ArrowFunction => {
            functions::function_value(b, node, frame, parent);
        }
        Kind::ClassDeclaration | Kind::AbstractClass | Kind::ClassExpression => {
            classes::class(b, node, frame, parent);
        }
        Kind::Interface | Kind::TypeAlias | Kind::EnumDeclaration => {
            declarations::type_definition(b, node, frame, parent);
        }
        Kind::InternalModule | Kind::Module => declarations::namespace(b, node, frame, parent),
        Kind::AmbientDeclaration => declarations::ambient(b, node, frame, parent),
        Kind::MethodDefinition
        | Kind::MethodSignature
        | Kind::AbstractMethodSignature
        | Kind::PublicField
        | Kind::FieldDefinition
        | Kind::PropertySignature
        | Kind::EnumAssignment
        | Kind::Pair => members::member(b, node, frame, parent),
        Kind::PropertyIdentifier | Kind::Str => return members::enum_member_name(b, node, parent),
        Kind::Object => {
            contextual_types::expect_members(b, node, frame);
            // Its members stand under the name that it is the value of.
            frame.target = frame.target.of_members();
        }
        Kind::Array => contextual_types::expect_elements(b, node),
        Kind::JsxOpening | Kind::JsxSelfClosing => jsx::element(b, node, frame),
        Kind::RequiredParameter | Kind::OptionalParameter => {
            parameters::parameter(b, node, frame, parent);
            contextual_types::expect_default(b, node);
            parameters::parameter_property(b, node, parent);
        }
        Kind::TypeParameter => type_params::type_parameter(b, node, frame),
        Kind::ReturnStatement => functions::return_statement(b, node, frame),
        Kind::Yield => functions::yield_expression(b, node, frame),
        Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
            variables::variable_declaration(b, node, frame, parent);
        }
        Kind::VariableDeclarator => variables::declarator(b, node, frame, parent),
        Kind::ExpressionStatement => frame.context = b.enter_context(node, parent),
        Kind::Assignment => {
            contextual_types::expect_assigned(b, node);
            commonjs::assignment(b, node, frame, parent);
        }
        Kind::AugmentedAssignment => assignments::logical_assignment(b, node, frame),
        Kind::ObjectAssignmentPattern => patterns::member_default(b, node, frame),
        Kind::ImportStatement => {
            b.is_module |= frame.scope == 0;
            return imports::import_statement(b, node, frame);
        }
        Kind::ImportAlias => imports::import_alias(b, node, frame, parent),
        Kind::ExportStatement => {
            b.is_module |= frame.scope == 0;
            return exports::export_statement(b, node, frame);
        }
        Kind::Spread if matches!(parent.target, AssignmentTarget::Members(_)) => {
            members::spread_member(b, node, parent);
        }
        Kind::Spread if parent.target == AssignmentTarget::ExportMembers => {
            object_exports::export_spread(b, node);
        }
        Kind::Decorator if parent.kind == Kind::ClassBody => members::member_decorator(b, node),
        _ => open_block(b, node, frame, parent),
    }
    true
}

/// Opens the scope of a node that has one and defines nothing.
fn open_block(b: &mut FileBuilder<'_>, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
    match frame.kind {
        // The block of a function shares the scope of its parameters, that of a namespace is its own.
        Kind::StatementBlock if !parent.opens => b.open_scope(frame, ScopeKind::Block),
        Kind::ForIn => {
            b.open_scope(frame, ScopeKind::Block);
            let keyword = node.child_by_field_id(b.grammar.fields.kind);
            frame.role = match keyword.map(|k| b.text(k)) {
                None => IdentifierRole::Use(ReferenceKind::Value),
                Some("var") => IdentifierRole::BindVar,
                Some(_) => IdentifierRole::Bind,
            };
            match frame.role {
                IdentifierRole::Bind => bindings::for_of(b, node, frame.scope, frame),
                IdentifierRole::BindVar => {
                    let scope = b.scopes.hoisted(frame.scope);
                    bindings::for_of(b, node, scope, frame);
                }
                _ => {}
            }
        }
        Kind::For
        | Kind::CatchClause
        | Kind::SwitchBody
        | Kind::ConditionalType
        | Kind::FunctionType
        | Kind::ConstructorType
        | Kind::CallSignature
        | Kind::ConstructSignature => b.open_scope(frame, ScopeKind::Block),
        Kind::IndexSignature => {
            b.open_scope(frame, ScopeKind::Block);
            members::index_signature(b, node, frame, parent);
        }
        Kind::StaticBlock => b.open_scope(frame, ScopeKind::Function),
        _ => {}
    }
}

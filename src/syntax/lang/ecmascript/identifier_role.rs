//! The role of a child in its parent: a binding, a callee, a name that the parent took already.

use tree_sitter::TreeCursor;

use super::builder::FileBuilder;
use super::frame::IdentifierRole::{self, Bind, Label, Root, Skip, Use};
use super::frame::{AssignmentTarget, Frame};
use super::kinds::Kind;
use crate::ir::ReferenceKind::{Call, Decorator, Heritage, Jsx, New, TypeQuery, Value};

/// The role of the node under `cursor` in its parent, and the name that it is the value of.
pub(super) fn role_and_target(
    b: &FileBuilder<'_>,
    parent: &Frame,
    kind: Kind,
    cursor: &TreeCursor<'_>,
) -> (IdentifierRole, AssignmentTarget) {
    let role = match kind {
        Kind::Other | Kind::Comment => Use(Value),
        _ => role(b, parent, kind, cursor),
    };
    (role, target(parent))
}

#[allow(clippy::too_many_lines, reason = "one table, a row for each parent")]
fn role(
    b: &FileBuilder<'_>,
    parent: &Frame,
    kind: Kind,
    cursor: &TreeCursor<'_>,
) -> IdentifierRole {
    let fields = &b.grammar.fields;
    let is = |field: u16| cursor.field_id().is_some_and(|id| id.get() == field);
    let is_name = matches!(kind, Kind::Identifier | Kind::TypeIdentifier);
    match parent.kind {
        // The names of a pattern have its role; defaults and computed keys are values.
        Kind::FormalParameters => Bind,
        Kind::PairPattern if kind == Kind::ComputedName || is(fields.key) => Use(Value),
        Kind::ArrayPattern | Kind::ObjectPattern | Kind::RestPattern | Kind::PairPattern => {
            parent.role
        }
        Kind::AssignmentPattern | Kind::ObjectAssignmentPattern if is(fields.left) => parent.role,
        Kind::RequiredParameter | Kind::OptionalParameter
            if is(fields.pattern) || is(fields.name) =>
        {
            parent.role
        }
        Kind::TupleType if matches!(kind, Kind::RequiredParameter | Kind::OptionalParameter) => {
            // The labels of a tuple name nothing, but their types are uses.
            Label
        }
        Kind::VariableDeclarator if is(fields.name) => {
            if kind == Kind::Identifier {
                Skip
            } else {
                parent.role
            }
        }
        Kind::ForIn if parent.role != Use(Value) && is(fields.left) => parent.role,
        Kind::CatchClause if is(fields.parameter) => Bind,
        Kind::ArrowFunction if kind == Kind::Identifier && is(fields.parameter) => Bind,
        Kind::TypeParameter | Kind::InferType if kind == Kind::TypeIdentifier => Bind,
        Kind::MappedTypeClause if kind == Kind::TypeIdentifier && is(fields.name) => Bind,
        Kind::TypeAlias if kind == Kind::TypeIdentifier && is(fields.name) => Skip,
        // Names that the parent's definition has taken.
        Kind::FunctionDeclaration
        | Kind::FunctionExpression
        | Kind::GeneratorFunction
        | Kind::GeneratorDeclaration
        | Kind::FunctionSignature
        | Kind::ClassDeclaration
        | Kind::AbstractClass
        | Kind::ClassExpression
        | Kind::Interface
        | Kind::EnumDeclaration
        | Kind::IndexSignature
        | Kind::TypePredicate
        | Kind::Asserts
            if is_name && (parent.kind != Kind::IndexSignature || is(fields.name)) =>
        {
            if parent.kind == Kind::TypePredicate && kind == Kind::TypeIdentifier {
                Use(Value)
            } else {
                Skip
            }
        }
        Kind::InternalModule | Kind::Module
            if is_name || matches!(kind, Kind::NestedIdentifier | Kind::Str) =>
        {
            Skip
        }
        Kind::JsxNamespaceName => Skip,
        _ if kind == Kind::JsxClosing => Skip,
        Kind::JsxOpening | Kind::JsxSelfClosing
            if matches!(
                kind,
                Kind::Identifier | Kind::MemberExpression | Kind::NestedIdentifier
            ) =>
        {
            Use(Jsx)
        }
        // The callee stands before the arguments.
        Kind::CallExpression | Kind::NewExpression | Kind::Instantiation => match kind {
            Kind::Arguments | Kind::TypeArguments => Use(Value),
            Kind::TemplateString if is(fields.arguments) => Use(Value),
            _ if parent.kind == Kind::NewExpression => Use(New),
            _ if parent.kind == Kind::Instantiation => parent.role,
            _ if parent.role == Use(Decorator) => Use(Decorator),
            _ => Use(Call),
        },
        // `await f<T>(x)` is parsed as `(await f)<T>(x)`, and `!f<T>(x)` likewise.
        Kind::AwaitExpression | Kind::Unary if parent.role == Use(Call) && is_callee(b, cursor) => {
            parent.role
        }
        Kind::Decorator => Use(Decorator),
        Kind::TypeQuery => Use(TypeQuery),
        Kind::ExtendsClause | Kind::ImplementsClause | Kind::ExtendsTypeClause
            if kind != Kind::TypeArguments =>
        {
            Use(Heritage)
        }
        Kind::ClassHeritage => Use(Heritage),
        Kind::GenericType | Kind::TypeAssertion if kind != Kind::TypeArguments => parent.role,
        Kind::MemberExpression if kind == Kind::Identifier => Root,
        Kind::Parenthesized | Kind::NonNull | Kind::AsExpression | Kind::Satisfies => parent.role,
        _ => Use(Value),
    }
}

/// Whether the parent of a node is what a call calls, with no parentheses around it.
fn is_callee(b: &FileBuilder<'_>, cursor: &TreeCursor<'_>) -> bool {
    let parent = cursor.node().parent();
    let around = parent.and_then(|it| it.parent());
    around.is_some_and(|it| b.grammar.kind(it) == Kind::CallExpression)
}

/// The target of a child, as far as the parent hands its own on.
fn target(parent: &Frame) -> AssignmentTarget {
    match (parent.kind, parent.target) {
        (Kind::ReturnStatement | Kind::ArrowFunction, _)
        | (Kind::Parenthesized, AssignmentTarget::Returned) => AssignmentTarget::Returned,
        (_, AssignmentTarget::None | AssignmentTarget::Returned) => AssignmentTarget::None,
        (
            Kind::VariableDeclarator
            | Kind::Pair
            | Kind::Assignment
            | Kind::Parenthesized
            | Kind::AsExpression
            | Kind::Satisfies
            | Kind::TypeAssertion
            | Kind::NonNull
            | Kind::CallExpression
            | Kind::Arguments
            | Kind::ExportStatement
            | Kind::PublicField
            | Kind::FieldDefinition
            | Kind::TypeAlias
            | Kind::Interface
            | Kind::ExtendsTypeClause
            | Kind::IntersectionType
            | Kind::UnionType
            | Kind::ParenthesizedType
            | Kind::GenericType
            | Kind::TypeArguments
            | Kind::PropertySignature
            | Kind::RequiredParameter
            | Kind::OptionalParameter
            | Kind::TypeAnnotation
            | Kind::Object,
            target,
        ) => target,
        _ => AssignmentTarget::None,
    }
}

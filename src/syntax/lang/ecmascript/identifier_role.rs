//! The role of a child in its parent: a binding, a callee, a name that the parent took already.

use tree_sitter::TreeCursor;

use super::builder::FileBuilder;
use super::frame::{AssignmentTarget, Frame, IdentifierRole};
use super::kinds::Kind;

/// The role of the node under `cursor` in its parent, and the name that it is the value of.
pub(super) fn role_and_target(
    b: &FileBuilder<'_>,
    parent: &Frame,
    kind: Kind,
    cursor: &TreeCursor<'_>,
) -> (IdentifierRole, AssignmentTarget) {
    let role = match kind {
        Kind::Other | Kind::Comment => IdentifierRole::Value,
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
        Kind::FormalParameters => IdentifierRole::Bind,
        Kind::PairPattern if kind == Kind::ComputedName || is(fields.key) => IdentifierRole::Value,
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
            IdentifierRole::Label
        }
        Kind::VariableDeclarator if is(fields.name) => {
            if kind == Kind::Identifier {
                IdentifierRole::Skip
            } else {
                parent.role
            }
        }
        Kind::ForIn if parent.role != IdentifierRole::Value && is(fields.left) => parent.role,
        Kind::CatchClause if is(fields.parameter) => IdentifierRole::Bind,
        Kind::ArrowFunction if kind == Kind::Identifier && is(fields.parameter) => {
            IdentifierRole::Bind
        }
        Kind::TypeParameter | Kind::InferType if kind == Kind::TypeIdentifier => {
            IdentifierRole::Bind
        }
        Kind::MappedTypeClause if kind == Kind::TypeIdentifier && is(fields.name) => {
            IdentifierRole::Bind
        }
        Kind::TypeAlias if kind == Kind::TypeIdentifier && is(fields.name) => IdentifierRole::Skip,
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
                IdentifierRole::Value
            } else {
                IdentifierRole::Skip
            }
        }
        Kind::InternalModule | Kind::Module
            if is_name || matches!(kind, Kind::NestedIdentifier | Kind::Str) =>
        {
            IdentifierRole::Skip
        }
        Kind::JsxNamespaceName => IdentifierRole::Skip,
        _ if kind == Kind::JsxClosing => IdentifierRole::Skip,
        Kind::JsxOpening | Kind::JsxSelfClosing
            if matches!(
                kind,
                Kind::Identifier | Kind::MemberExpression | Kind::NestedIdentifier
            ) =>
        {
            IdentifierRole::Jsx
        }
        // The callee stands before the arguments.
        Kind::CallExpression | Kind::NewExpression | Kind::Instantiation => match kind {
            Kind::Arguments | Kind::TypeArguments => IdentifierRole::Value,
            Kind::TemplateString if is(fields.arguments) => IdentifierRole::Value,
            _ if parent.kind == Kind::NewExpression => IdentifierRole::New,
            _ if parent.kind == Kind::Instantiation => parent.role,
            _ if parent.role == IdentifierRole::Decorator => IdentifierRole::Decorator,
            _ => IdentifierRole::Callee,
        },
        Kind::Decorator => IdentifierRole::Decorator,
        Kind::TypeQuery => IdentifierRole::TypeQuery,
        Kind::ExtendsClause | Kind::ImplementsClause | Kind::ExtendsTypeClause
            if kind != Kind::TypeArguments =>
        {
            IdentifierRole::Heritage
        }
        Kind::ClassHeritage => IdentifierRole::Heritage,
        Kind::GenericType | Kind::TypeAssertion if kind != Kind::TypeArguments => parent.role,
        Kind::MemberExpression if kind == Kind::Identifier => IdentifierRole::Root,
        Kind::Parenthesized | Kind::NonNull | Kind::AsExpression | Kind::Satisfies => parent.role,
        _ => IdentifierRole::Value,
    }
}

/// The target of a child, as far as the parent hands its own on.
fn target(parent: &Frame) -> AssignmentTarget {
    match (parent.kind, parent.target) {
        (Kind::ReturnStatement, _) | (Kind::Parenthesized, AssignmentTarget::Returned) => {
            AssignmentTarget::Returned
        }
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

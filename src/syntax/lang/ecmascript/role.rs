//! What a child is to its parent: a use, a binding, a callee, a name that was dealt with.
//!
//! Knows the grammar's shapes. Refuses to know what follows from them.

use tree_sitter::TreeCursor;

use super::kinds::Kind;
use super::walk::{Frame, Walk};

/// What a name is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A value that is used.
    Value,
    /// What is called.
    Callee,
    /// What is constructed.
    New,
    /// What decorates.
    Decorator,
    /// What is extended or implemented.
    Heritage,
    /// What `typeof` asks for in a type.
    TypeQuery,
    /// An element's name.
    Jsx,
    /// What a chain of members begins with.
    Root,
    /// A name that is bound here.
    Bind,
    /// A name that is bound in the function around.
    BindVar,
    /// A label, which names nothing.
    Label,
    /// Dealt with by the parent, with all inside.
    Skip,
}

/// Whose value a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nobody's that has a name.
    None,
    /// That of a name: its members stand under this naming.
    Value(u32),
    /// That of a name, as a type that is written out: the types of its members are known under this naming, but they
    /// are no definitions.
    Within(u32),
    /// The node is an object, and its members stand under this naming.
    Members(u32),
    /// That of `module.exports`: its members are exports.
    Exports,
    /// The node is such an object.
    ExportMembers,
    /// It is returned: a function's own name is worth having.
    Returned,
}

impl Place {
    /// Returns whose the members of an object are.
    pub(super) fn of_members(self) -> Self {
        match self {
            Self::Value(naming) => Self::Members(naming),
            Self::Exports => Self::ExportMembers,
            _ => Self::None,
        }
    }
}

impl Walk<'_> {
    /// Returns what the node under `cursor` is to its parent.
    pub(super) fn role(
        &self,
        parent: &Frame,
        kind: Kind,
        cursor: &TreeCursor<'_>,
    ) -> (Mode, Place) {
        let mode = match kind {
            Kind::Other | Kind::Comment => Mode::Value,
            _ => self.mode(parent, kind, cursor),
        };
        (mode, place(parent))
    }

    #[allow(clippy::too_many_lines, reason = "one table, a row for each parent")]
    fn mode(&self, parent: &Frame, kind: Kind, cursor: &TreeCursor<'_>) -> Mode {
        let fields = &self.grammar.fields;
        let is = |field: u16| cursor.field_id().is_some_and(|id| id.get() == field);
        let is_name = matches!(kind, Kind::Identifier | Kind::TypeIdentifier);
        match parent.kind {
            // Patterns hand on what they are; defaults and computed keys are values.
            Kind::FormalParameters => Mode::Bind,
            Kind::PairPattern if kind == Kind::ComputedName || is(fields.key) => Mode::Value,
            Kind::ArrayPattern | Kind::ObjectPattern | Kind::RestPattern | Kind::PairPattern => {
                parent.mode
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern if is(fields.left) => {
                parent.mode
            }
            Kind::RequiredParameter | Kind::OptionalParameter
                if is(fields.pattern) || is(fields.name) =>
            {
                parent.mode
            }
            Kind::TupleType
                if matches!(kind, Kind::RequiredParameter | Kind::OptionalParameter) =>
            {
                // The labels of a tuple name nothing, but their types are uses.
                Mode::Label
            }
            Kind::VariableDeclarator if is(fields.name) => {
                if kind == Kind::Identifier {
                    Mode::Skip
                } else {
                    parent.mode
                }
            }
            Kind::ForIn if parent.mode != Mode::Value && is(fields.left) => parent.mode,
            Kind::CatchClause if is(fields.parameter) => Mode::Bind,
            Kind::ArrowFunction if kind == Kind::Identifier && is(fields.parameter) => Mode::Bind,
            Kind::TypeParameter | Kind::InferType if kind == Kind::TypeIdentifier => Mode::Bind,
            Kind::MappedTypeClause if kind == Kind::TypeIdentifier && is(fields.name) => Mode::Bind,
            Kind::TypeAlias if kind == Kind::TypeIdentifier && is(fields.name) => Mode::Skip,
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
                    Mode::Value
                } else {
                    Mode::Skip
                }
            }
            Kind::InternalModule | Kind::Module
                if is_name || matches!(kind, Kind::NestedIdentifier | Kind::Str) =>
            {
                Mode::Skip
            }
            Kind::JsxNamespaceName => Mode::Skip,
            _ if kind == Kind::JsxClosing => Mode::Skip,
            Kind::JsxOpening | Kind::JsxSelfClosing
                if matches!(
                    kind,
                    Kind::Identifier | Kind::MemberExpression | Kind::NestedIdentifier
                ) =>
            {
                Mode::Jsx
            }
            // What stands before arguments.
            Kind::CallExpression | Kind::NewExpression | Kind::Instantiation => match kind {
                Kind::Arguments | Kind::TypeArguments => Mode::Value,
                Kind::TemplateString if is(fields.arguments) => Mode::Value,
                _ if parent.kind == Kind::NewExpression => Mode::New,
                _ if parent.kind == Kind::Instantiation => parent.mode,
                _ if parent.mode == Mode::Decorator => Mode::Decorator,
                _ => Mode::Callee,
            },
            Kind::Decorator => Mode::Decorator,
            Kind::TypeQuery => Mode::TypeQuery,
            Kind::ExtendsClause | Kind::ImplementsClause | Kind::ExtendsTypeClause
                if kind != Kind::TypeArguments =>
            {
                Mode::Heritage
            }
            Kind::ClassHeritage => Mode::Heritage,
            Kind::GenericType | Kind::TypeAssertion if kind != Kind::TypeArguments => parent.mode,
            Kind::MemberExpression if kind == Kind::Identifier => Mode::Root,
            Kind::Parenthesized | Kind::NonNull | Kind::AsExpression | Kind::Satisfies => {
                parent.mode
            }
            _ => Mode::Value,
        }
    }
}

/// Returns whose value a child is, as far as the parent hands it on.
fn place(parent: &Frame) -> Place {
    match (parent.kind, parent.place) {
        (Kind::ReturnStatement, _) | (Kind::Parenthesized, Place::Returned) => Place::Returned,
        (_, Place::None | Place::Returned) => Place::None,
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
            place,
        ) => place,
        _ => Place::None,
    }
}

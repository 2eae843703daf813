//! The node kinds of the ECMAScript grammars that the walk acts on, as one dense enumeration.
//!
//! Three grammars (TypeScript, TSX, JavaScript) spell the same notion differently.

use std::sync::OnceLock;

/// Which grammar reads a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) enum Dialect {
    /// TypeScript without JSX.
    TypeScript = 0,
    /// TypeScript with JSX.
    Tsx = 1,
    /// JavaScript with JSX.
    JavaScript = 2,
}

macro_rules! node_kinds {
    ($($variant:ident $text:literal,)*) => {
        /// The kind of a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::syntax) enum Kind {
            /// Nothing to act on; its children may be.
            Other,
            /// A keyword or a mark: nothing to act on, nothing inside.
            Token,
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        fn kind_of(name: &str) -> Kind {
            match name { $($text => Kind::$variant,)* _ => Kind::Other }
        }
    };
}

node_kinds! {
    AbstractClass "abstract_class_declaration",
    AbstractMethodSignature "abstract_method_signature",
    AddingTypeAnnotation "adding_type_annotation",
    AmbientDeclaration "ambient_declaration",
    Arguments "arguments",
    Array "array",
    ArrayPattern "array_pattern",
    ArrayType "array_type",
    ArrowFunction "arrow_function",
    AsExpression "as_expression",
    Asserts "asserts",
    Assignment "assignment_expression",
    AugmentedAssignment "augmented_assignment_expression",
    AssignmentPattern "assignment_pattern",
    AwaitExpression "await_expression",
    Binary "binary_expression",
    CallExpression "call_expression",
    CallSignature "call_signature",
    CatchClause "catch_clause",
    ClassExpression "class",
    ClassBody "class_body",
    ClassDeclaration "class_declaration",
    ClassHeritage "class_heritage",
    StaticBlock "class_static_block",
    Comment "comment",
    ComputedName "computed_property_name",
    ConditionalType "conditional_type",
    ConstructSignature "construct_signature",
    ConstructorType "constructor_type",
    Constraint "constraint",
    Decorator "decorator",
    DefaultType "default_type",
    EnumAssignment "enum_assignment",
    EnumBody "enum_body",
    EnumDeclaration "enum_declaration",
    ExportClause "export_clause",
    ExportSpecifier "export_specifier",
    ExportStatement "export_statement",
    ExpressionStatement "expression_statement",
    ExtendsClause "extends_clause",
    ExtendsTypeClause "extends_type_clause",
    FieldDefinition "field_definition",
    ForIn "for_in_statement",
    For "for_statement",
    FormalParameters "formal_parameters",
    FunctionDeclaration "function_declaration",
    FunctionExpression "function_expression",
    FunctionSignature "function_signature",
    FunctionType "function_type",
    GeneratorFunction "generator_function",
    GeneratorDeclaration "generator_function_declaration",
    GenericType "generic_type",
    Identifier "identifier",
    ImplementsClause "implements_clause",
    ImportKeyword "import",
    ImportAlias "import_alias",
    ImportClause "import_clause",
    ImportRequire "import_require_clause",
    ImportSpecifier "import_specifier",
    ImportStatement "import_statement",
    IndexSignature "index_signature",
    InferType "infer_type",
    Instantiation "instantiation_expression",
    InterfaceBody "interface_body",
    Interface "interface_declaration",
    InternalModule "internal_module",
    IntersectionType "intersection_type",
    JsxAttribute "jsx_attribute",
    JsxClosing "jsx_closing_element",
    JsxNamespaceName "jsx_namespace_name",
    JsxOpening "jsx_opening_element",
    JsxSelfClosing "jsx_self_closing_element",
    LexicalDeclaration "lexical_declaration",
    LookupType "lookup_type",
    MappedTypeClause "mapped_type_clause",
    MaybeType "flow_maybe_type",
    MemberExpression "member_expression",
    MethodDefinition "method_definition",
    MethodSignature "method_signature",
    Module "module",
    NamedImports "named_imports",
    NamespaceExport "namespace_export",
    NamespaceImport "namespace_import",
    NestedIdentifier "nested_identifier",
    NestedTypeIdentifier "nested_type_identifier",
    NewExpression "new_expression",
    NonNull "non_null_expression",
    Null "null",
    Object "object",
    ObjectAssignmentPattern "object_assignment_pattern",
    ObjectPattern "object_pattern",
    ObjectType "object_type",
    OmittingTypeAnnotation "omitting_type_annotation",
    OptingTypeAnnotation "opting_type_annotation",
    OptionalParameter "optional_parameter",
    Pair "pair",
    PairPattern "pair_pattern",
    ParenthesizedType "parenthesized_type",
    Parenthesized "parenthesized_expression",
    PrivateIdentifier "private_property_identifier",
    Program "program",
    PropertyIdentifier "property_identifier",
    PropertySignature "property_signature",
    PublicField "public_field_definition",
    ReadonlyType "readonly_type",
    RequiredParameter "required_parameter",
    RestPattern "rest_pattern",
    ReturnStatement "return_statement",
    Satisfies "satisfies_expression",
    Shorthand "shorthand_property_identifier",
    ShorthandPattern "shorthand_property_identifier_pattern",
    Spread "spread_element",
    StatementBlock "statement_block",
    Subscript "subscript_expression",
    Str "string",
    SwitchBody "switch_body",
    TemplateString "template_string",
    Ternary "ternary_expression",
    This "this",
    ThisType "this_type",
    TupleType "tuple_type",
    TypeAnnotation "type_annotation",
    TypeAlias "type_alias_declaration",
    TypeArguments "type_arguments",
    TypeAssertion "type_assertion",
    TypeIdentifier "type_identifier",
    TypeParameter "type_parameter",
    TypePredicate "type_predicate",
    TypeQuery "type_query",
    Undefined "undefined",
    Unary "unary_expression",
    UnionType "union_type",
    UsingDeclaration "using_declaration",
    VariableDeclaration "variable_declaration",
    VariableDeclarator "variable_declarator",
    Yield "yield_expression",
}

impl Kind {
    /// Returns whether members of a type may stand in the node, or it holds a type that has some.
    pub(in crate::syntax) fn is_type(self) -> bool {
        matches!(
            self,
            Kind::ObjectType
                | Kind::IntersectionType
                | Kind::UnionType
                | Kind::ParenthesizedType
                | Kind::GenericType
                | Kind::TypeArguments
                | Kind::TypeAnnotation
                | Kind::ExtendsTypeClause
        )
    }

    /// Returns whether the node is a function that has a value (no signature, no type).
    pub(in crate::syntax) fn is_function_value(self) -> bool {
        matches!(
            self,
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction
        )
    }
}

macro_rules! fields {
    ($($name:ident $text:literal,)*) => {
        /// Numbers of the fields that the walk asks for; 0 where a grammar has no such field.
        #[derive(Clone, Copy, Debug)]
        pub(in crate::syntax) struct Fields { $(#[doc = concat!("`", $text, "`")] pub(in crate::syntax) $name: u16,)* }

        impl Fields {
            fn of(language: &tree_sitter::Language) -> Self {
                let id = |name: &str| language.field_id_for_name(name).map_or(0, u16::from);
                Self { $($name: id($text),)* }
            }
        }
    };
}

fields! {
    alias "alias",
    alternative "alternative",
    arguments "arguments",
    body "body",
    consequence "consequence",
    constraint "constraint",
    constructor "constructor",
    declaration "declaration",
    function "function",
    key "key",
    kind "kind",
    left "left",
    name "name",
    operator "operator",
    parameter "parameter",
    pattern "pattern",
    parameters "parameters",
    property "property",
    return_type "return_type",
    right "right",
    source "source",
    type_ "type",
    type_arguments "type_arguments",
    type_parameters "type_parameters",
    value "value",
}

/// A grammar with its table from node kind to [`Kind`].
pub(in crate::syntax) struct Grammar {
    /// The library's own handle.
    pub(in crate::syntax) language: tree_sitter::Language,
    /// Fields of this grammar.
    pub(in crate::syntax) fields: Fields,
    /// Whether types stand in comments.
    pub(in crate::syntax) untyped: bool,
    table: Box<[Kind]>,
}

impl Grammar {
    /// Returns the grammar of a dialect. Builds its table (about 50 µs) on first use.
    pub(in crate::syntax) fn of(dialect: Dialect) -> &'static Grammar {
        static ALL: [OnceLock<Grammar>; 3] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
        ALL[dialect as usize].get_or_init(|| {
            let language: tree_sitter::Language = match dialect {
                Dialect::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
                Dialect::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
                Dialect::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            };
            let n_kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
            let table = (0..n_kinds)
                .map(|id| match language.node_kind_for_id(id) {
                    Some(name) if language.node_kind_is_named(id) => kind_of(name),
                    Some(_) if language.node_kind_is_visible(id) => Kind::Token,
                    _ => Kind::Other,
                })
                .collect();
            Grammar {
                fields: Fields::of(&language),
                untyped: dialect == Dialect::JavaScript,
                language,
                table,
            }
        })
    }

    /// Returns the kind of a node. Errors have a number outside the table and are [`Kind::Other`].
    pub(in crate::syntax) fn kind(&self, node: tree_sitter::Node<'_>) -> Kind {
        self.table
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or(Kind::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Grammar, Kind};

    #[test]
    fn every_grammar_spells_the_kinds_that_all_share() {
        for dialect in [Dialect::TypeScript, Dialect::Tsx, Dialect::JavaScript] {
            let grammar = Grammar::of(dialect);
            for kind in [
                Kind::Identifier,
                Kind::CallExpression,
                Kind::MethodDefinition,
                Kind::ImportStatement,
                Kind::FunctionExpression,
                Kind::ClassExpression,
            ] {
                assert!(grammar.table.contains(&kind), "{dialect:?} {kind:?}");
            }
            assert!(grammar.fields.name != 0 && grammar.fields.body != 0);
        }
    }
}

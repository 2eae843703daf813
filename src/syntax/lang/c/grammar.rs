//! The node kinds and fields of the grammars of C and C++ that lowering acts on. The second is built on the first, so that
//! both share their names; the numbers differ.

use std::sync::OnceLock;

use tree_sitter::Node;

use crate::syntax::lang::node_table::{self, fields, node_kinds};

node_kinds! {
    AbstractArrayDeclarator "abstract_array_declarator",
    AbstractFunctionDeclarator "abstract_function_declarator",
    AbstractPointerDeclarator "abstract_pointer_declarator",
    AccessSpecifier "access_specifier",
    AliasDeclaration "alias_declaration",
    ArgumentList "argument_list",
    ArrayDeclarator "array_declarator",
    AssignmentExpression "assignment_expression",
    BaseClassClause "base_class_clause",
    BinaryExpression "binary_expression",
    CallExpression "call_expression",
    CastExpression "cast_expression",
    CatchClause "catch_clause",
    CharLiteral "char_literal",
    ClassSpecifier "class_specifier",
    Comment "comment",
    CompoundLiteral "compound_literal_expression",
    CompoundStatement "compound_statement",
    ConditionClause "condition_clause",
    ConditionalExpression "conditional_expression",
    Declaration "declaration",
    DeclarationList "declaration_list",
    Decltype "decltype",
    DefaultMethodClause "default_method_clause",
    DeleteMethodClause "delete_method_clause",
    DependentName "dependent_name",
    DependentType "dependent_type",
    DestructorName "destructor_name",
    EnumSpecifier "enum_specifier",
    Enumerator "enumerator",
    False "false",
    FieldDeclaration "field_declaration",
    FieldDesignator "field_designator",
    FieldExpression "field_expression",
    FieldIdentifier "field_identifier",
    FieldInitializer "field_initializer",
    FieldInitializerList "field_initializer_list",
    ForRangeLoop "for_range_loop",
    ForStatement "for_statement",
    FriendDeclaration "friend_declaration",
    FunctionDeclarator "function_declarator",
    FunctionDefinition "function_definition",
    Identifier "identifier",
    IfStatement "if_statement",
    InitDeclarator "init_declarator",
    InitializerList "initializer_list",
    LambdaExpression "lambda_expression",
    LinkageSpecification "linkage_specification",
    NamespaceAlias "namespace_alias_definition",
    NamespaceDefinition "namespace_definition",
    NamespaceIdentifier "namespace_identifier",
    NewExpression "new_expression",
    Null "null",
    NumberLiteral "number_literal",
    OperatorCast "operator_cast",
    OperatorName "operator_name",
    OptionalParameter "optional_parameter_declaration",
    OptionalTypeParameter "optional_type_parameter_declaration",
    ParameterDeclaration "parameter_declaration",
    ParameterList "parameter_list",
    ParenthesizedDeclarator "parenthesized_declarator",
    ParenthesizedExpression "parenthesized_expression",
    PlaceholderType "placeholder_type_specifier",
    PointerDeclarator "pointer_declarator",
    PointerExpression "pointer_expression",
    PreprocArg "preproc_arg",
    PreprocDef "preproc_def",
    PreprocElif "preproc_elif",
    PreprocElifdef "preproc_elifdef",
    PreprocElse "preproc_else",
    PreprocFunctionDef "preproc_function_def",
    PreprocIf "preproc_if",
    PreprocIfdef "preproc_ifdef",
    PreprocInclude "preproc_include",
    PreprocParams "preproc_params",
    PrimitiveType "primitive_type",
    PureVirtualClause "pure_virtual_clause",
    QualifiedIdentifier "qualified_identifier",
    RawString "raw_string_literal",
    ReferenceDeclarator "reference_declarator",
    SizedType "sized_type_specifier",
    StorageClass "storage_class_specifier",
    StringLiteral "string_literal",
    ConcatenatedString "concatenated_string",
    StructSpecifier "struct_specifier",
    StructuredBinding "structured_binding_declarator",
    SubscriptExpression "subscript_expression",
    SwitchStatement "switch_statement",
    TemplateArgumentList "template_argument_list",
    TemplateDeclaration "template_declaration",
    TemplateFunction "template_function",
    TemplateMethod "template_method",
    TemplateType "template_type",
    This "this",
    TrailingReturnType "trailing_return_type",
    True "true",
    TypeDefinition "type_definition",
    TypeDescriptor "type_descriptor",
    MacroType "macro_type_specifier",
    TypeIdentifier "type_identifier",
    TypeParameter "type_parameter_declaration",
    UnaryExpression "unary_expression",
    UnionSpecifier "union_specifier",
    UsingDeclaration "using_declaration",
    VariadicParameter "variadic_parameter",
    VariadicParameterDeclaration "variadic_parameter_declaration",
    VariadicTypeParameter "variadic_type_parameter_declaration",
    WhileStatement "while_statement",
}

impl Kind {
    /// Returns whether the node defines or names a type by a keyword.
    pub(super) fn is_specifier(self) -> bool {
        matches!(
            self,
            Self::ClassSpecifier
                | Self::StructSpecifier
                | Self::UnionSpecifier
                | Self::EnumSpecifier
        )
    }

    /// Returns whether the node writes a type.
    pub(super) fn is_type(self) -> bool {
        self.is_specifier()
            || matches!(
                self,
                Self::PrimitiveType
                    | Self::SizedType
                    | Self::TypeIdentifier
                    | Self::TemplateType
                    | Self::TypeDescriptor
                    | Self::MacroType
                    | Self::PlaceholderType
                    | Self::Decltype
                    | Self::DependentType
            )
    }
}

fields! {
    alternative "alternative",
    argument "argument",
    arguments "arguments",
    body "body",
    captures "captures",
    condition "condition",
    consequence "consequence",
    declarator "declarator",
    default_type "default_type",
    default_value "default_value",
    field "field",
    function "function",
    initializer "initializer",
    left "left",
    name "name",
    operator "operator",
    parameters "parameters",
    path "path",
    right "right",
    scope "scope",
    size "size",
    type_ "type",
    value "value",
}

/// A grammar of the family.
pub(super) type Grammar = node_table::NumberedGrammar<Kind, Fields>;

/// Returns the grammar of C; numbers its kinds on first use.
pub(super) fn c() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_c::LANGUAGE.into()))
}

/// Returns the grammar of C++.
pub(super) fn cpp() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_cpp::LANGUAGE.into()))
}

/// Returns the grammar that read a node.
pub(super) fn of(node: Node<'_>) -> &'static Grammar {
    if *node.language() == c().language {
        c()
    } else {
        cpp()
    }
}

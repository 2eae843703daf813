//! The node kinds and fields of the C# grammar that lowering acts on.

use std::sync::OnceLock;

use crate::syntax::lang::node_table::{self, fields, node_kinds};

node_kinds! {
    AccessorDeclaration "accessor_declaration",
    AccessorList "accessor_list",
    AliasQualifiedName "alias_qualified_name",
    AnonymousMethod "anonymous_method_expression",
    AnonymousObject "anonymous_object_creation_expression",
    Argument "argument",
    ArgumentList "argument_list",
    ArrayCreation "array_creation_expression",
    ArrayType "array_type",
    Arrow "arrow_expression_clause",
    As "as_expression",
    Assignment "assignment_expression",
    Attribute "attribute",
    AttributeArgument "attribute_argument",
    AttributeArguments "attribute_argument_list",
    AttributeList "attribute_list",
    Await "await_expression",
    Base "base",
    BaseList "base_list",
    Binary "binary_expression",
    Block "block",
    Boolean "boolean_literal",
    BracketedParameters "bracketed_parameter_list",
    Break "break_statement",
    Cast "cast_expression",
    CatchClause "catch_clause",
    CatchDeclaration "catch_declaration",
    Character "character_literal",
    Checked "checked_expression",
    ClassDeclaration "class_declaration",
    Comment "comment",
    Conditional "conditional_expression",
    ConditionalAccess "conditional_access_expression",
    ConstantPattern "constant_pattern",
    Constructor "constructor_declaration",
    ConstructorInitializer "constructor_initializer",
    Continue "continue_statement",
    ConversionOperator "conversion_operator_declaration",
    DeclarationExpression "declaration_expression",
    DeclarationList "declaration_list",
    DeclarationPattern "declaration_pattern",
    Default "default_expression",
    DelegateDeclaration "delegate_declaration",
    Destructor "destructor_declaration",
    Discard "discard",
    ElementAccess "element_access_expression",
    ElementBinding "element_binding_expression",
    EnumDeclaration "enum_declaration",
    EnumMember "enum_member_declaration",
    EnumMembers "enum_member_declaration_list",
    EventDeclaration "event_declaration",
    EventField "event_field_declaration",
    ExplicitInterface "explicit_interface_specifier",
    ExternAlias "extern_alias_directive",
    FieldDeclaration "field_declaration",
    FileNamespace "file_scoped_namespace_declaration",
    Fixed "fixed_statement",
    For "for_statement",
    Foreach "foreach_statement",
    FromClause "from_clause",
    FunctionPointerType "function_pointer_type",
    GenericName "generic_name",
    GlobalAttribute "global_attribute",
    GlobalStatement "global_statement",
    Goto "goto_statement",
    GroupClause "group_clause",
    Identifier "identifier",
    ImplicitArray "implicit_array_creation_expression",
    ImplicitNew "implicit_object_creation_expression",
    ImplicitParameter "implicit_parameter",
    ImplicitType "implicit_type",
    Indexer "indexer_declaration",
    Initializer "initializer_expression",
    Integer "integer_literal",
    InterfaceDeclaration "interface_declaration",
    InterpolatedString "interpolated_string_expression",
    Invocation "invocation_expression",
    Is "is_expression",
    IsPattern "is_pattern_expression",
    JoinClause "join_clause",
    JoinInto "join_into_clause",
    Labeled "labeled_statement",
    Lambda "lambda_expression",
    LetClause "let_clause",
    ListPattern "list_pattern",
    LocalFunction "local_function_statement",
    Lock "lock_statement",
    MemberAccess "member_access_expression",
    MemberBinding "member_binding_expression",
    MethodDeclaration "method_declaration",
    Modifier "modifier",
    Namespace "namespace_declaration",
    New "object_creation_expression",
    Null "null_literal",
    NullableType "nullable_type",
    Operator "operator_declaration",
    Parameter "parameter",
    ParameterList "parameter_list",
    Parenthesized "parenthesized_expression",
    ParenthesizedDesignation "parenthesized_variable_designation",
    PointerType "pointer_type",
    PositionalPattern "positional_pattern_clause",
    PostfixUnary "postfix_unary_expression",
    PredefinedType "predefined_type",
    PrefixUnary "prefix_unary_expression",
    PreprocElif "preproc_elif",
    PreprocElse "preproc_else",
    PreprocIf "preproc_if",
    PrimaryBase "primary_constructor_base_type",
    PropertyDeclaration "property_declaration",
    PropertyPattern "property_pattern_clause",
    QualifiedName "qualified_name",
    Query "query_expression",
    RawString "raw_string_literal",
    Real "real_literal",
    RecordDeclaration "record_declaration",
    RecursivePattern "recursive_pattern",
    Ref "ref_expression",
    RefType "ref_type",
    Return "return_statement",
    ScopedType "scoped_type",
    SelectClause "select_clause",
    SizeOf "sizeof_expression",
    Str "string_literal",
    StructDeclaration "struct_declaration",
    Subpattern "subpattern",
    SwitchArm "switch_expression_arm",
    SwitchExpression "switch_expression",
    SwitchSection "switch_section",
    SwitchStatement "switch_statement",
    This "this",
    Throw "throw_expression",
    TupleElement "tuple_element",
    TupleExpression "tuple_expression",
    TuplePattern "tuple_pattern",
    TupleType "tuple_type",
    TypeArguments "type_argument_list",
    TypeConstraint "type_parameter_constraint",
    TypeConstraints "type_parameter_constraints_clause",
    TypeOf "typeof_expression",
    TypeParameter "type_parameter",
    TypeParameters "type_parameter_list",
    TypePattern "type_pattern",
    Unary "unary_expression",
    UsingDirective "using_directive",
    UsingStatement "using_statement",
    VarPattern "var_pattern",
    VariableDeclaration "variable_declaration",
    VariableDeclarator "variable_declarator",
    VerbatimString "verbatim_string_literal",
    While "while_statement",
    With "with_expression",
    WithInitializer "with_initializer",
    Yield "yield_statement",
}

impl Kind {
    /// Whether the node declares a class, a struct, an interface, a record, an enumeration or a delegate.
    pub(super) fn is_type_declaration(self) -> bool {
        matches!(
            self,
            Kind::ClassDeclaration
                | Kind::StructDeclaration
                | Kind::InterfaceDeclaration
                | Kind::RecordDeclaration
                | Kind::EnumDeclaration
                | Kind::DelegateDeclaration
        )
    }

    /// Whether the node is a type and can be no expression.
    pub(super) fn is_type_only(self) -> bool {
        matches!(
            self,
            Kind::PredefinedType
                | Kind::AliasQualifiedName
                | Kind::NullableType
                | Kind::ArrayType
                | Kind::PointerType
                | Kind::QualifiedName
                | Kind::RefType
                | Kind::ScopedType
                | Kind::TupleType
                | Kind::FunctionPointerType
                | Kind::ImplicitType
        )
    }

    /// Whether the node is a function without a name.
    pub(super) fn is_lambda(self) -> bool {
        matches!(self, Kind::Lambda | Kind::AnonymousMethod)
    }
}

fields! {
    accessors "accessors",
    alias "alias",
    alternative "alternative",
    arguments "arguments",
    body "body",
    condition "condition",
    consequence "consequence",
    expression "expression",
    function "function",
    initializer "initializer",
    left "left",
    name "name",
    operator "operator",
    parameters "parameters",
    pattern "pattern",
    qualifier "qualifier",
    returns "returns",
    right "right",
    type_ "type",
    value "value",
}

/// The grammar of C#.
pub(super) type Grammar = node_table::NumberedGrammar<Kind, Fields>;

/// Returns the grammar; numbers its kinds on first use.
pub(super) fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_c_sharp::LANGUAGE.into()))
}

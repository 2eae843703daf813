//! The node kinds and fields of the Go grammar that lowering acts on.

use std::sync::OnceLock;

use crate::syntax::lang::node_table::{self, fields, node_kinds};

node_kinds! {
    ArrayType "array_type",
    AssignmentStatement "assignment_statement",
    BinaryExpression "binary_expression",
    BlankIdentifier "blank_identifier",
    Block "block",
    CallExpression "call_expression",
    ChannelType "channel_type",
    Comment "comment",
    CommunicationCase "communication_case",
    CompositeLiteral "composite_literal",
    ConstDeclaration "const_declaration",
    ConstSpec "const_spec",
    DefaultCase "default_case",
    Dot "dot",
    ExpressionCase "expression_case",
    ExpressionList "expression_list",
    ExpressionSwitch "expression_switch_statement",
    FieldDeclaration "field_declaration",
    FieldDeclarationList "field_declaration_list",
    ForStatement "for_statement",
    FuncLiteral "func_literal",
    FunctionDeclaration "function_declaration",
    FunctionType "function_type",
    GenericType "generic_type",
    Identifier "identifier",
    IfStatement "if_statement",
    ImplicitLengthArrayType "implicit_length_array_type",
    ImportDeclaration "import_declaration",
    ImportSpec "import_spec",
    IndexExpression "index_expression",
    InterfaceType "interface_type",
    InterpretedString "interpreted_string_literal",
    KeyedElement "keyed_element",
    LabelName "label_name",
    LiteralElement "literal_element",
    LiteralValue "literal_value",
    MapType "map_type",
    MethodDeclaration "method_declaration",
    MethodElem "method_elem",
    NegatedType "negated_type",
    PackageClause "package_clause",
    PackageIdentifier "package_identifier",
    ParameterDeclaration "parameter_declaration",
    ParameterList "parameter_list",
    ParenthesizedExpression "parenthesized_expression",
    ParenthesizedType "parenthesized_type",
    PointerType "pointer_type",
    QualifiedType "qualified_type",
    RangeClause "range_clause",
    RawString "raw_string_literal",
    ReceiveStatement "receive_statement",
    SelectorExpression "selector_expression",
    ShortVarDeclaration "short_var_declaration",
    SliceExpression "slice_expression",
    SliceType "slice_type",
    StructType "struct_type",
    TypeAlias "type_alias",
    TypeArguments "type_arguments",
    TypeAssertion "type_assertion_expression",
    TypeCase "type_case",
    TypeConstraint "type_constraint",
    TypeConversion "type_conversion_expression",
    TypeDeclaration "type_declaration",
    TypeElem "type_elem",
    TypeIdentifier "type_identifier",
    TypeInstantiation "type_instantiation_expression",
    TypeParameterDeclaration "type_parameter_declaration",
    TypeParameterList "type_parameter_list",
    TypeSpec "type_spec",
    TypeSwitch "type_switch_statement",
    UnaryExpression "unary_expression",
    VarDeclaration "var_declaration",
    VarSpec "var_spec",
    VariadicArgument "variadic_argument",
    VariadicParameter "variadic_parameter_declaration",
}

impl Kind {
    /// Returns whether the node writes a type.
    pub(super) fn is_type(self) -> bool {
        matches!(
            self,
            Kind::ArrayType
                | Kind::ChannelType
                | Kind::FunctionType
                | Kind::GenericType
                | Kind::ImplicitLengthArrayType
                | Kind::InterfaceType
                | Kind::MapType
                | Kind::NegatedType
                | Kind::ParenthesizedType
                | Kind::PointerType
                | Kind::QualifiedType
                | Kind::SliceType
                | Kind::StructType
                | Kind::TypeConstraint
                | Kind::TypeElem
                | Kind::TypeIdentifier
        )
    }
}

fields! {
    alias "alias",
    arguments "arguments",
    body "body",
    element "element",
    field "field",
    function "function",
    index "index",
    initializer "initializer",
    key "key",
    left "left",
    name "name",
    operand "operand",
    package "package",
    parameters "parameters",
    path "path",
    receiver "receiver",
    result "result",
    right "right",
    type_ "type",
    type_arguments "type_arguments",
    type_parameters "type_parameters",
    value "value",
}

/// The grammar of Go.
pub(super) type Grammar = node_table::NumberedGrammar<Kind, Fields>;

/// Returns the grammar; numbers its kinds on first use.
pub(super) fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_go::LANGUAGE.into()))
}

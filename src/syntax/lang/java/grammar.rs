//! The node kinds and fields of the Java grammar that lowering acts on.

use std::sync::OnceLock;

use crate::syntax::lang::node_table::{self, fields, node_kinds};

node_kinds! {
    Annotation "annotation",
    AnnotatedType "annotated_type",
    AnnotationBody "annotation_type_body",
    AnnotationDeclaration "annotation_type_declaration",
    AnnotationElement "annotation_type_element_declaration",
    ArgumentList "argument_list",
    ArrayAccess "array_access",
    ArrayCreation "array_creation_expression",
    ArrayInitializer "array_initializer",
    ArrayType "array_type",
    Assignment "assignment_expression",
    Asterisk "asterisk",
    Binary "binary_expression",
    BinaryInteger "binary_integer_literal",
    Block "block",
    BlockComment "block_comment",
    BooleanType "boolean_type",
    Break "break_statement",
    Cast "cast_expression",
    CatchClause "catch_clause",
    CatchParameter "catch_formal_parameter",
    CatchType "catch_type",
    Character "character_literal",
    ClassBody "class_body",
    ClassDeclaration "class_declaration",
    ClassLiteral "class_literal",
    CompactConstructor "compact_constructor_declaration",
    ConstantDeclaration "constant_declaration",
    Constructor "constructor_declaration",
    ConstructorBody "constructor_body",
    Continue "continue_statement",
    DecimalFloat "decimal_floating_point_literal",
    DecimalInteger "decimal_integer_literal",
    Dimensions "dimensions",
    ElementValuePair "element_value_pair",
    EnhancedFor "enhanced_for_statement",
    EnumBody "enum_body",
    EnumBodyDeclarations "enum_body_declarations",
    EnumConstant "enum_constant",
    EnumDeclaration "enum_declaration",
    ExpressionStatement "expression_statement",
    ExplicitConstructorCall "explicit_constructor_invocation",
    ExtendsInterfaces "extends_interfaces",
    False "false",
    FieldAccess "field_access",
    FieldDeclaration "field_declaration",
    FloatingPointType "floating_point_type",
    ForStatement "for_statement",
    FormalParameter "formal_parameter",
    FormalParameters "formal_parameters",
    GenericType "generic_type",
    Guard "guard",
    HexFloat "hex_floating_point_literal",
    HexInteger "hex_integer_literal",
    Identifier "identifier",
    IfStatement "if_statement",
    Import "import_declaration",
    InferredParameters "inferred_parameters",
    InstanceOf "instanceof_expression",
    IntegralType "integral_type",
    InterfaceBody "interface_body",
    InterfaceDeclaration "interface_declaration",
    Labeled "labeled_statement",
    Lambda "lambda_expression",
    LineComment "line_comment",
    LocalVariable "local_variable_declaration",
    MarkerAnnotation "marker_annotation",
    MethodDeclaration "method_declaration",
    MethodInvocation "method_invocation",
    MethodReference "method_reference",
    Modifiers "modifiers",
    Module "module_declaration",
    ModuleBody "module_body",
    ModuleDirective "module_directive",
    ModuleExports "exports_module_directive",
    ModuleOpens "opens_module_directive",
    ModuleProvides "provides_module_directive",
    ModuleRequires "requires_module_directive",
    ModuleUses "uses_module_directive",
    New "object_creation_expression",
    Null "null_literal",
    OctalInteger "octal_integer_literal",
    Package "package_declaration",
    Parenthesized "parenthesized_expression",
    Permits "permits",
    RecordDeclaration "record_declaration",
    RecordPattern "record_pattern",
    RecordPatternBody "record_pattern_body",
    RecordPatternComponent "record_pattern_component",
    Resource "resource",
    ReturnStatement "return_statement",
    ScopedIdentifier "scoped_identifier",
    ScopedType "scoped_type_identifier",
    SpreadParameter "spread_parameter",
    StaticInitializer "static_initializer",
    Str "string_literal",
    Super "super",
    SuperInterfaces "super_interfaces",
    Superclass "superclass",
    SwitchBlock "switch_block",
    SwitchExpression "switch_expression",
    SwitchGroup "switch_block_statement_group",
    SwitchLabel "switch_label",
    SwitchRule "switch_rule",
    Ternary "ternary_expression",
    This "this",
    Throw "throw_statement",
    Throws "throws",
    True "true",
    TypeArguments "type_arguments",
    TypeBound "type_bound",
    TypeIdentifier "type_identifier",
    TypeList "type_list",
    TypeParameter "type_parameter",
    TypeParameters "type_parameters",
    TypePattern "type_pattern",
    Unary "unary_expression",
    Update "update_expression",
    VariableDeclarator "variable_declarator",
    VoidType "void_type",
    WhileStatement "while_statement",
    Wildcard "wildcard",
    Yield "yield_statement",
}

impl Kind {
    /// Returns whether the node declares a class, an interface, an enumeration, a record or an annotation.
    pub(super) fn is_type_declaration(self) -> bool {
        matches!(
            self,
            Kind::ClassDeclaration
                | Kind::InterfaceDeclaration
                | Kind::EnumDeclaration
                | Kind::RecordDeclaration
                | Kind::AnnotationDeclaration
        )
    }

    /// Returns whether the node is a type.
    pub(super) fn is_type(self) -> bool {
        matches!(
            self,
            Kind::TypeIdentifier
                | Kind::ScopedType
                | Kind::GenericType
                | Kind::ArrayType
                | Kind::AnnotatedType
                | Kind::IntegralType
                | Kind::FloatingPointType
                | Kind::BooleanType
                | Kind::VoidType
        )
    }
}

fields! {
    alternative "alternative",
    arguments "arguments",
    array "array",
    body "body",
    condition "condition",
    consequence "consequence",
    constructor "constructor",
    dimensions "dimensions",
    element "element",
    field "field",
    left "left",
    name "name",
    object "object",
    operator "operator",
    parameters "parameters",
    pattern "pattern",
    right "right",
    type_ "type",
    type_arguments "type_arguments",
    type_parameters "type_parameters",
    value "value",
}

/// The grammar of Java.
pub(super) type Grammar = node_table::NumberedGrammar<Kind, Fields>;

/// Returns the grammar; numbers its kinds on first use.
pub(super) fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_java::LANGUAGE.into()))
}

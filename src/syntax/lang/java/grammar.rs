//! The node kinds and fields of the Java grammar that lowering acts on.

use std::sync::OnceLock;

use tree_sitter::{Language, Node};

macro_rules! node_kinds {
    ($($variant:ident $text:literal,)*) => {
        /// The kind of a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            /// A node whose children alone matter.
            Other,
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        fn kind_of(name: &str) -> Kind {
            match name { $($text => Kind::$variant,)* _ => Kind::Other }
        }
    };
}

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

macro_rules! fields {
    ($($name:ident $text:literal,)*) => {
        /// The numbers of the fields that lowering reads; 0 for a field that the grammar lacks.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Fields { $(#[doc = concat!("`", $text, "`")] pub(super) $name: u16,)* }

        impl Fields {
            fn of(language: &Language) -> Self {
                let id = |name: &str| language.field_id_for_name(name).map_or(0, u16::from);
                Self { $($name: id($text),)* }
            }
        }
    };
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
pub(super) struct Grammar {
    /// The library's own handle.
    pub(super) language: Language,
    /// The fields.
    pub(super) fields: Fields,
    table: Box<[Kind]>,
}

impl Grammar {
    /// Returns the grammar; builds its table on first use.
    pub(super) fn get() -> &'static Self {
        static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
        GRAMMAR.get_or_init(|| {
            let language: Language = tree_sitter_java::LANGUAGE.into();
            let n_kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
            let table = (0..n_kinds)
                .map(|id| match language.node_kind_for_id(id) {
                    Some(name) if language.node_kind_is_named(id) => kind_of(name),
                    _ => Kind::Other,
                })
                .collect();
            Self {
                fields: Fields::of(&language),
                language,
                table,
            }
        })
    }

    /// Returns the kind of a node; [`Kind::Other`] for an error.
    pub(super) fn kind(&self, node: Node<'_>) -> Kind {
        self.table
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or(Kind::Other)
    }
}

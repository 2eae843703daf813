//! The node kinds and fields of the Python grammar that lowering acts on.

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
    AliasedImport "aliased_import",
    ArgumentList "argument_list",
    AsPattern "as_pattern",
    AsPatternTarget "as_pattern_target",
    AssertStatement "assert_statement",
    Assignment "assignment",
    Attribute "attribute",
    AugmentedAssignment "augmented_assignment",
    Await "await",
    BinaryOperator "binary_operator",
    Block "block",
    BooleanOperator "boolean_operator",
    Break "break_statement",
    Call "call",
    CaseClause "case_clause",
    CasePattern "case_pattern",
    ClassDefinition "class_definition",
    ClassPattern "class_pattern",
    Comment "comment",
    ConditionalExpression "conditional_expression",
    Continue "continue_statement",
    DecoratedDefinition "decorated_definition",
    Decorator "decorator",
    DefaultParameter "default_parameter",
    DeleteStatement "delete_statement",
    Dictionary "dictionary",
    DictionaryComprehension "dictionary_comprehension",
    DictionarySplat "dictionary_splat",
    DictionarySplatPattern "dictionary_splat_pattern",
    DottedName "dotted_name",
    ElifClause "elif_clause",
    ExceptClause "except_clause",
    ExpressionList "expression_list",
    ExpressionStatement "expression_statement",
    ForInClause "for_in_clause",
    ForStatement "for_statement",
    FunctionDefinition "function_definition",
    FutureImport "future_import_statement",
    GeneratorExpression "generator_expression",
    GlobalStatement "global_statement",
    Identifier "identifier",
    IfClause "if_clause",
    IfStatement "if_statement",
    ImportFrom "import_from_statement",
    ImportStatement "import_statement",
    KeywordArgument "keyword_argument",
    KeywordPattern "keyword_pattern",
    KeywordSeparator "keyword_separator",
    Lambda "lambda",
    List "list",
    ListComprehension "list_comprehension",
    ListPattern "list_pattern",
    ListSplat "list_splat",
    ListSplatPattern "list_splat_pattern",
    MatchStatement "match_statement",
    NamedExpression "named_expression",
    NonlocalStatement "nonlocal_statement",
    NotOperator "not_operator",
    Pair "pair",
    Parenthesized "parenthesized_expression",
    PatternList "pattern_list",
    Raise "raise_statement",
    RelativeImport "relative_import",
    ReturnStatement "return_statement",
    Set "set",
    SetComprehension "set_comprehension",
    SplatPattern "splat_pattern",
    Str "string",
    StringContent "string_content",
    Interpolation "interpolation",
    Subscript "subscript",
    Tuple "tuple",
    TuplePattern "tuple_pattern",
    Type "type",
    TypeAlias "type_alias_statement",
    TypedDefaultParameter "typed_default_parameter",
    TypedParameter "typed_parameter",
    WhileStatement "while_statement",
    WildcardImport "wildcard_import",
    WithItem "with_item",
    Yield "yield",
}

impl Kind {
    /// Returns whether the node is a comprehension or a generator expression.
    pub(super) fn is_comprehension(self) -> bool {
        matches!(
            self,
            Kind::ListComprehension
                | Kind::SetComprehension
                | Kind::DictionaryComprehension
                | Kind::GeneratorExpression
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
    alias "alias",
    arguments "arguments",
    attribute "attribute",
    body "body",
    condition "condition",
    consequence "consequence",
    definition "definition",
    function "function",
    left "left",
    module_name "module_name",
    name "name",
    object "object",
    parameters "parameters",
    return_type "return_type",
    right "right",
    subject "subject",
    subscript "subscript",
    superclasses "superclasses",
    type_ "type",
    type_parameters "type_parameters",
    value "value",
}

/// The grammar of Python.
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
            let language: Language = tree_sitter_python::LANGUAGE.into();
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

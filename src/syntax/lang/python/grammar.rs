//! The node kinds and fields of the Python grammar that lowering acts on.

use std::sync::OnceLock;

use crate::syntax::lang::node_table::{self, fields, node_kinds};

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
pub(super) type Grammar = node_table::NumberedGrammar<Kind, Fields>;

/// Returns the grammar; numbers its kinds on first use.
pub(super) fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_python::LANGUAGE.into()))
}

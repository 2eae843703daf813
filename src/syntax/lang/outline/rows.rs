//! The rows: one for each language.
//!
//! A new language is a row here, a line in `languages!` of the module above and one in the table of all languages.

use super::row::When::{Has, Is, Lacks, Not};
use super::row::{DocNode, ImportRule, OutlineRow, Section, When, plain_row, rule, scope};
use crate::model::SymbolKind::{
    Class, Constant, Constructor, Enum, EnumMember, Field, Function, Interface, Macro, Method,
    Namespace, Property, Type, Variable,
};

pub(super) static BASH: OutlineRow = OutlineRow {
    rules: &[
        rule("function_definition", Function, "name"),
        rule(
            "declaration_command",
            Constant,
            "*=variable_assignment/name=variable_name",
        )
        .when(&[Is(
            "=readonly|export|declare|typeset",
            &["readonly", "export", "declare", "typeset"],
        )])
        .once(),
        rule("variable_assignment", Variable, "name=variable_name")
            .when(&[Has("..=program")])
            .once(),
    ],
    line_comments: &["#"],
    hiding: &[],
    ..plain_row(|| tree_sitter_bash::LANGUAGE.into())
};

pub(super) static DART: OutlineRow = OutlineRow {
    rules: &[
        rule("class_declaration", Class, "name, =identifier"),
        rule("mixin_declaration", Class, "name, =identifier"),
        rule("extension_declaration", Namespace, "name"),
        scope("extension_declaration", "class"),
        rule("extension_type_declaration", Class, "name=identifier, name=extension_type_name/=identifier"),
        rule("enum_declaration", Enum, "name"),
        rule("enum_entry", EnumMember, "name"),
        rule("type_alias", Type, "=type_identifier"),
        rule("function_declaration", Function, "signature/name"),
        rule("local_function_declaration", Function, "=function_signature/name"),
        rule("getter_declaration", Property, "signature/name"),
        rule("setter_declaration", Property, "signature/name"),
        rule("external_function_declaration", Function, "=function_signature/name"),
        rule("method_declaration", Constructor, "signature/=constructor_signature|factory_constructor_signature|constant_constructor_signature/*name=identifier").last().outer("..=member_declaration"),
        rule("method_declaration", Property, "signature/=getter_signature|setter_signature/name").outer("..=member_declaration"),
        rule("method_declaration", Method, "signature/=operator_signature/operator").outer("..=member_declaration"),
        rule("method_declaration", Method, "signature/=function_signature/name").outer("..=member_declaration"),
        rule("declaration", Constructor, "=constructor_signature|factory_constructor_signature|constant_constructor_signature|redirecting_factory_constructor_signature/*name=identifier").last().outer("..=member_declaration"),
        rule("declaration", Property, "=getter_signature|setter_signature/name").outer("..=member_declaration"),
        rule("declaration", Method, "=operator_signature/operator").outer("..=member_declaration"),
        rule("declaration", Method, "=function_signature/name").outer("..=member_declaration"),
        rule("declaration", Field, "=static_final_declaration_list/*=static_final_declaration/name, =initialized_identifier_list/*=initialized_identifier/name").outer("..=member_declaration"),
        rule("top_level_variable_declaration", Constant, "=static_final_declaration_list/*=static_final_declaration/name"),
        rule("top_level_variable_declaration", Variable, "=initialized_identifier_list/*=initialized_identifier/name"),
    ],
    comments: &["comment", "documentation_comment"],
    bodies: &["function_body", "class_body", "enum_body", "extension_body"],
    local: &["function_expression"],
    annotations: &["annotation"],
    hiding: &[],
    hidden_prefix: "_",
    imports: &[ImportRule {
        node: "uri",
        when: &[],
        path: "=string_literal/=string_literal_single_quotes|string_literal_double_quotes/=template_chars_single_single|template_chars_double_single",
        is_behind_directory: false,
        extension: ".dart",
        must_have: true,
    }],
    ..plain_row(|| tree_sitter_dart::LANGUAGE.into())
};

/// The function that the arguments of `def` and the like name.
const ELIXIR_HEAD: &str =
    "=arguments/=call/target, =arguments/=identifier, =arguments/=binary_operator/operator";

/// The same with a guard: `def open(a) when is_list(a)`.
const ELIXIR_GUARDED: &str = "=arguments/=binary_operator/left=call/target, \
    =arguments/=binary_operator/left=identifier, =arguments/=binary_operator/left=binary_operator/operator";

const ELIXIR_FUNCTIONS: &[&str] = &["def", "defp", "defdelegate", "defn", "defnp"];
const ELIXIR_MACROS: &[&str] = &["defmacro", "defmacrop", "defguard", "defguardp"];
const ELIXIR_GUARD: &str = "=arguments/=binary_operator/operator";

/// The name in `@type t(a) :: …` and `@callback init(opts) :: …`.
const ELIXIR_SPEC: &str = "operand/=arguments/=binary_operator/left=call/target, \
    operand/=arguments/=binary_operator/left=identifier, \
    operand/=arguments/=binary_operator/left=binary_operator/left=call/target";

pub(super) static ELIXIR: OutlineRow = OutlineRow {
    rules: &[
        rule("call", Namespace, "=arguments/=alias").when(&[Is("target", &["defmodule"])]),
        rule("call", Interface, "=arguments/=alias").when(&[Is("target", &["defprotocol"])]),
        scope("call", "=arguments/=alias").when(&[Is("target", &["defimpl"])]),
        rule("call", Macro, ELIXIR_GUARDED)
            .when(&[Is("target", ELIXIR_MACROS), Is(ELIXIR_GUARD, &["when"])])
            .merged(),
        rule("call", Macro, ELIXIR_HEAD)
            .when(&[Is("target", ELIXIR_MACROS)])
            .merged(),
        rule("call", Function, ELIXIR_GUARDED)
            .when(&[Is("target", ELIXIR_FUNCTIONS), Is(ELIXIR_GUARD, &["when"])])
            .merged(),
        rule("call", Function, ELIXIR_HEAD)
            .when(&[Is("target", ELIXIR_FUNCTIONS)])
            .merged(),
        rule("unary_operator", Type, ELIXIR_SPEC)
            .when(&[Is("operand/target", &["type", "typep", "opaque"])]),
        rule("unary_operator", Method, ELIXIR_SPEC)
            .when(&[Is("operand/target", &["callback", "macrocallback"])]),
    ],
    line_comments: &["#"],
    bodies: &["do_block", "keywords"],
    local: &["anonymous_function"],
    hiding: &["defp", "defmacrop", "defguardp", "typep", "defnp"],
    doc_node: Some(DocNode {
        node: "unary_operator",
        word: "operand/target",
        next: &["doc", "typedoc"],
        around: &["moduledoc"],
        text: "operand/=arguments/=string|sigil/*=quoted_content",
    }),
    ..plain_row(|| tree_sitter_elixir::LANGUAGE.into())
};

pub(super) static GRAPHQL: OutlineRow = OutlineRow {
    rules: &[
        rule("object_type_definition", Class, "=name").doc("=description"),
        rule("interface_type_definition", Interface, "=name").doc("=description"),
        rule("input_object_type_definition", Class, "=name").doc("=description"),
        rule("union_type_definition", Type, "=name").doc("=description"),
        rule("scalar_type_definition", Type, "=name").doc("=description"),
        rule("enum_type_definition", Enum, "=name").doc("=description"),
        rule("enum_value_definition", EnumMember, "=enum_value").doc("=description"),
        rule("field_definition", Field, "=name").doc("=description"),
        rule("input_value_definition", Field, "=name")
            .when(&[Has("..=input_fields_definition")])
            .doc("=description"),
        rule("directive_definition", Function, "=name").doc("=description"),
        scope("object_type_extension", "=name"),
        scope("interface_type_extension", "=name"),
        scope("input_object_type_extension", "=name"),
        scope("enum_type_extension", "=name"),
        rule("operation_definition", Function, "=name"),
        rule("fragment_definition", Function, "=fragment_name"),
    ],
    line_comments: &["#"],
    bodies: &[
        "fields_definition",
        "input_fields_definition",
        "enum_values_definition",
        "selection_set",
    ],
    annotations: &["description"],
    hiding: &[],
    ..plain_row(|| tree_sitter_graphql::LANGUAGE.into())
};

const HCL_LABELS: &str = "*=string_lit/=template_literal";

pub(super) static HCL: OutlineRow = OutlineRow {
    rules: &[
        rule("block", Class, HCL_LABELS)
            .when(&[Is("=identifier", &["resource"])])
            .joined(),
        rule("block", Class, HCL_LABELS)
            .when(&[Is("=identifier", &["data"])])
            .joined()
            .prefix("data"),
        rule("block", Namespace, HCL_LABELS)
            .when(&[Is("=identifier", &["module"])])
            .joined()
            .prefix("module"),
        rule("block", Variable, HCL_LABELS)
            .when(&[Is("=identifier", &["variable"])])
            .joined()
            .prefix("var"),
        rule("block", Property, HCL_LABELS)
            .when(&[Is("=identifier", &["output"])])
            .joined()
            .prefix("output"),
        // Blocks inside of others are settings.
        rule("block", Class, HCL_LABELS)
            .when(&[Has("../..=config_file")])
            .joined(),
        rule("attribute", Constant, "=identifier")
            .when(&[Is("../..=block/=identifier", &["locals"])])
            .prefix("local"),
        rule("attribute", Variable, "=identifier").when(&[Has("../..=config_file")]),
    ],
    line_comments: &["#", "//"],
    bodies: &["block_start"],
    hiding: &[],
    ..plain_row(|| tree_sitter_hcl::LANGUAGE.into())
};

pub(super) static KOTLIN: OutlineRow = OutlineRow {
    blanked: &["actual", "expect"],
    rules: &[
        rule("class_declaration", Interface, "name, =identifier").when(&[Has("=interface")]),
        rule("class_declaration", Enum, "name, =identifier")
            .when(&[Is("=modifiers/=class_modifier", &["enum"])]),
        rule("class_declaration", Enum, "name, =identifier").when(&[Has("=enum_class_body")]),
        rule("class_declaration", Class, "name, =identifier"),
        rule("object_declaration", Class, "name, =identifier"),
        rule("companion_object", Class, "name, =identifier"),
        scope("companion_object", "=companion").silent(),
        rule("enum_entry", EnumMember, "=identifier"),
        rule("function_declaration", Function, "name, =identifier")
            .member(Method)
            .owner("=user_type|nullable_type|parenthesized_type")
            .when(&[Has("=.")]),
        rule("function_declaration", Function, "name, =identifier").member(Method),
        rule("secondary_constructor", Constructor, "=constructor"),
        rule("class_parameter", Field, "=identifier").when(&[Has("=val|var")]),
        rule(
            "property_declaration",
            Constant,
            "=variable_declaration/=identifier",
        )
        .member(Field)
        .owner("=user_type|nullable_type")
        .when(&[Has("=."), Has("=val")]),
        rule(
            "property_declaration",
            Constant,
            "=variable_declaration/=identifier",
        )
        .member(Field)
        .when(&[Has("=val")]),
        rule(
            "property_declaration",
            Variable,
            "=variable_declaration/=identifier",
        )
        .member(Field),
        rule("type_alias", Type, "type, =identifier"),
    ],
    bodies: &["class_body", "enum_class_body", "function_body", "block"],
    local: &[
        "lambda_literal",
        "anonymous_initializer",
        "anonymous_function",
        "getter",
        "setter",
    ],
    annotations: &["annotation"],
    ..plain_row(|| tree_sitter_kotlin_ng::LANGUAGE.into())
};

pub(super) static LUA: OutlineRow = OutlineRow {
    rules: &[
        rule(
            "function_declaration",
            Method,
            "name=method_index_expression",
        ),
        rule("function_declaration", Function, "name"),
        rule("assignment_statement", Function, "=variable_list/name")
            .when(&[Has("=expression_list/value=function_definition")])
            .outer("..=variable_declaration"),
        // A module under another name is no definition.
        rule("assignment_statement", Variable, "=variable_list/*name")
            .when(&[
                Has("../..=chunk, ..=chunk"),
                Lacks("=variable_list/name=bracket_index_expression"),
                Not(
                    "=expression_list/value=function_call/name=identifier",
                    &["require"],
                ),
            ])
            .outer("..=variable_declaration")
            .once(),
        rule("field", Method, "name=identifier").when(&[Has("value=function_definition")]),
    ],
    line_comments: &["--"],
    bodies: &["block", "end"],
    hiding: &["local"],
    ..plain_row(|| tree_sitter_lua::LANGUAGE.into())
};

/// `require __DIR__ . '/a.php'`; other paths are looked for in several directories.
const PHP_IMPORT: ImportRule = ImportRule {
    node: "",
    when: &[Is("=binary_expression/left=name", &["__DIR__"])],
    path: "=binary_expression/right=string|encapsed_string/=string_content",
    is_behind_directory: true,
    extension: ".php",
    must_have: true,
};

pub(super) static PHP: OutlineRow = OutlineRow {
    rules: &[
        rule("namespace_definition", Namespace, "name").when(&[Has("body")]),
        rule("class_declaration", Class, "name"),
        rule("interface_declaration", Interface, "name"),
        rule("trait_declaration", Class, "name"),
        rule("enum_declaration", Enum, "name"),
        rule("enum_case", EnumMember, "name"),
        rule("method_declaration", Constructor, "name").when(&[Is("name", &["__construct"])]),
        rule("method_declaration", Method, "name"),
        rule("function_definition", Function, "name"),
        rule("const_declaration", Constant, "*=const_element/=name"),
        rule("property_declaration", Field, "*=property_element/name"),
        rule("property_promotion_parameter", Field, "name").lifted(),
        rule(
            "function_call_expression",
            Constant,
            "arguments/=argument/=string|encapsed_string/=string_content",
        )
        .when(&[Is("function", &["define"])])
        .outer("..=expression_statement"),
    ],
    line_comments: &["//", "#"],
    bodies: &[
        "declaration_list",
        "enum_declaration_list",
        "compound_statement",
    ],
    local: &["anonymous_function", "arrow_function", "anonymous_class"],
    annotations: &["attribute_list"],
    hiding: &["private", "protected"],
    imports: &[
        ImportRule {
            node: "require_expression",
            ..PHP_IMPORT
        },
        ImportRule {
            node: "require_once_expression",
            ..PHP_IMPORT
        },
        ImportRule {
            node: "include_expression",
            ..PHP_IMPORT
        },
        ImportRule {
            node: "include_once_expression",
            ..PHP_IMPORT
        },
    ],
    ..plain_row(|| tree_sitter_php::LANGUAGE_PHP.into())
};

pub(super) static PROTOBUF: OutlineRow = OutlineRow {
    rules: &[
        rule("message", Class, "=message_name"),
        rule("field", Field, "=identifier"),
        rule("map_field", Field, "=identifier"),
        rule("oneof", Field, "=identifier"),
        rule("oneof_field", Field, "=identifier").lifted(),
        rule("enum", Enum, "=enum_name"),
        rule("enum_field", EnumMember, "=identifier"),
        rule("service", Interface, "=service_name"),
        rule("rpc", Method, "=rpc_name"),
        scope("extend", "=full_ident"),
    ],
    bodies: &["message_body", "enum_body", "{"],
    hiding: &[],
    ..plain_row(|| tree_sitter_proto::LANGUAGE.into())
};

pub(super) static RUBY: OutlineRow = OutlineRow {
    rules: &[
        rule("module", Namespace, "name"),
        rule("class", Class, "name"),
        rule("method", Function, "name")
            .when(&[Lacks("..=argument_list")])
            .member(Method),
        rule("method", Method, "name").outer("..=argument_list/..=call"),
        rule("singleton_method", Method, "name"),
        scope("singleton_class", "value=self").silent(),
        rule("alias", Method, "name"),
        rule("assignment", Constant, "left=constant|scope_resolution"),
        rule("call", Property, "arguments/*=simple_symbol").when(&[Is(
            "method",
            &[
                "attr_reader",
                "attr_writer",
                "attr_accessor",
                "cattr_accessor",
                "mattr_accessor",
            ],
        )]),
        rule("call", Method, "arguments/=simple_symbol").when(&[Is(
            "method",
            &["define_method", "alias_method", "delegate", "scope"],
        )]),
    ],
    line_comments: &["#"],
    bodies: &["body_statement", "end"],
    hiding: &["private", "protected", "private_class_method"],
    section: Some(Section {
        node: "identifier",
        parent: "body_statement",
        hides: &["private", "protected"],
        shows: &["public"],
    }),
    imports: &[ImportRule {
        node: "call",
        when: &[Is("method", &["require_relative"]), Lacks("receiver")],
        path: "arguments/=string/=string_content",
        is_behind_directory: false,
        extension: ".rb",
        must_have: false,
    }],
    ..plain_row(|| tree_sitter_ruby::LANGUAGE.into())
};

/// The type that an extension or a nameless `given` is for: `List` of `extension (xs: List[Int])`.
const SCALA_RECEIVER: &str = "parameters/=parameter/type=generic_type/type=stable_type_identifier/=type_identifier, \
    parameters/=parameter/type=generic_type/type, \
    parameters/=parameter/type=stable_type_identifier/=type_identifier, \
    parameters/=parameter/type=type_identifier";

/// The same behind a clause of context: `extension (using Show)(x: Int)`.
const SCALA_LATE_RECEIVER: &str = "*parameters/=parameter/type=generic_type/type, \
    *parameters/=parameter/type=stable_type_identifier/=type_identifier, \
    *parameters/=parameter/type=type_identifier";

/// The names that `val` and `var` bind: `val a, b = 1`, `val (a, b) = pair`, `val Some(a) = found`.
const SCALA_BOUND: &str = "pattern=identifier|operator_identifier, pattern=identifiers/*=identifier, \
    pattern=tuple_pattern/*=identifier, pattern=case_class_pattern/*pattern=identifier, \
    pattern=infix_pattern/*=identifier, pattern=capture_pattern/name";

/// The members of a `given`.
const SCALA_MEMBERS: &str = "body=with_template_body|template_body";

/// Members that a type lists in braces define nothing: `def close(file: { def close(): Unit })`.
const SCALA_DEFINED: &[When] = &[Lacks("..=structural_type")];

pub(super) static SCALA: OutlineRow = OutlineRow {
    rules: &[
        rule("package_object", Namespace, "name"),
        rule("class_definition", Class, "name"),
        rule("object_definition", Class, "name"),
        rule("trait_definition", Interface, "name"),
        rule("enum_definition", Enum, "name"),
        rule(
            "enum_case_definitions",
            EnumMember,
            "*=simple_enum_case|full_enum_case/name",
        ),
        rule("class_parameter", Field, "name").when(&[Has("=val|var")]),
        rule("class_parameter", Field, "name").when(&[
            Has("..=class_parameters/..=class_definition/=case"),
            Lacks("..=class_parameters/=implicit|using"),
        ]),
        rule("function_definition", Constructor, "name").when(&[Is("name", &["this"])]),
        rule("function_definition", Function, "name").member(Method),
        rule("function_declaration", Function, "name")
            .member(Method)
            .when(SCALA_DEFINED),
        rule("val_definition", Constant, SCALA_BOUND).member(Field),
        rule("val_declaration", Constant, "*name")
            .member(Field)
            .when(SCALA_DEFINED),
        rule("var_definition", Variable, SCALA_BOUND).member(Field),
        rule("var_declaration", Variable, "*name")
            .member(Field)
            .when(SCALA_DEFINED),
        rule("type_definition", Type, "name").when(SCALA_DEFINED),
        rule("given_definition", Class, "name").when(&[Has(SCALA_MEMBERS)]),
        rule("given_definition", Constant, "name").member(Field),
        scope(
            "given_definition",
            "return_type=generic_type/type, return_type=type_identifier",
        )
        .when(&[Has(SCALA_MEMBERS)]),
        scope("extension_definition", SCALA_RECEIVER).when(&[Lacks("parameters/=using")]),
        scope("extension_definition", SCALA_LATE_RECEIVER).last(),
    ],
    bodies: &["template_body", "with_template_body"],
    local: &[
        "block",
        "indented_block",
        "case_clause",
        "instance_expression",
        "lambda_expression",
    ],
    annotations: &["annotation"],
    hiding: &["private", "protected"],
    has_plain_names: true,
    ..plain_row(|| tree_sitter_scala::LANGUAGE.into())
};

pub(super) static SWIFT: OutlineRow = OutlineRow {
    rules: &[
        scope("class_declaration", "name").when(&[Is("declaration_kind", &["extension"])]),
        rule("class_declaration", Enum, "name").when(&[Is("declaration_kind", &["enum"])]),
        rule("class_declaration", Class, "name"),
        rule("protocol_declaration", Interface, "name"),
        rule("typealias_declaration", Type, "name"),
        rule("associatedtype_declaration", Type, "name"),
        rule("enum_entry", EnumMember, "*name=simple_identifier"),
        rule("function_declaration", Function, "name").member(Method),
        rule("protocol_function_declaration", Method, "name"),
        rule(
            "protocol_property_declaration",
            Property,
            "name/bound_identifier",
        ),
        rule("init_declaration", Constructor, "name, =init"),
        rule("deinit_declaration", Method, "=deinit"),
        rule("subscript_declaration", Method, "=subscript"),
        rule("property_declaration", Constant, "*name/bound_identifier")
            .member(Field)
            .when(&[Is("=value_binding_pattern/mutability", &["let"])]),
        rule("property_declaration", Variable, "*name/bound_identifier").member(Field),
        rule("macro_declaration", Macro, "=simple_identifier"),
    ],
    comments: &["comment", "multiline_comment"],
    bodies: &[
        "class_body",
        "enum_class_body",
        "protocol_body",
        "function_body",
        "computed_property",
        "willset_didset_block",
    ],
    local: &["lambda_literal"],
    annotations: &["attribute"],
    hiding: &["private", "fileprivate"],
    ..plain_row(|| tree_sitter_swift::LANGUAGE.into())
};

pub(super) static ZIG: OutlineRow = OutlineRow {
    rules: &[
        rule("function_declaration", Function, "name").member(Method),
        rule("variable_declaration", Class, "=identifier")
            .when(&[Has("=struct_declaration|opaque_declaration")]),
        rule("variable_declaration", Class, "=identifier").when(&[Has("=union_declaration")]),
        rule("variable_declaration", Enum, "=identifier")
            .when(&[Has("=enum_declaration|error_set_declaration")]),
        // A module under another name is no definition, but what a file offers: `pub const http = @import("http.zig")`.
        rule("variable_declaration", Constant, "=identifier").when(&[
            Has("=const"),
            Not(
                "=builtin_function/=builtin_identifier",
                &["@import", "@cImport", "@This"],
            ),
        ]),
        rule("variable_declaration", Constant, "=identifier").when(&[Has("=const"), Has("=pub")]),
        rule("variable_declaration", Variable, "=identifier").when(&[Has("=var")]),
        rule("container_field", EnumMember, "name")
            .when(&[Has("..=enum_declaration")])
            .open(),
        rule("container_field", Field, "name").open(),
        rule(
            "test_declaration",
            Function,
            "=string/=string_content, =identifier",
        ),
    ],
    bodies: &["{", "block"],
    hiding: &[],
    showing: &["pub"],
    imports: &[ImportRule {
        node: "builtin_function",
        when: &[Is("=builtin_identifier", &["@import"])],
        path: "=arguments/=string/=string_content",
        is_behind_directory: false,
        extension: ".zig",
        must_have: true,
    }],
    ..plain_row(|| tree_sitter_zig::LANGUAGE.into())
};

//! C#.

use super::{Implicit, LanguageRules, MemberOrder};
use crate::ir::INDEXER;

pub(super) static RULES: LanguageRules = LanguageRules {
    implicit_imports: &[Implicit::OwnUnit],
    has_named_owners: false,
    has_module_tree: false,
    has_includes: false,
    proves_external: true,
    predeclared: PREDECLARED,
    members: MemberOrder::DepthFirst,
    constructs_by_call: false,
    instance_call_method: None,
    foreach_callback_method: None,
    descriptor_method: None,
    index_method: Some(INDEXER),
    iterator_methods: &["GetEnumerator()", "Current"],
    context_enter_methods: &[],
    instances_have_static_members: true,
    first_resolved_import_binds: true,
    package_file: None,
    stars_bind: false,
    container_members: &[],
    members_in_scope: true,
    has_overloads: true,
    // Those of `object`.
    root_members: &[
        "Equals()",
        "Finalize()",
        "GetHashCode()",
        "GetType()",
        "MemberwiseClone()",
        "ReferenceEquals()",
        "ToString()",
        // Of enumerations and delegates.
        "CompareTo()",
        "HasFlag()",
        "Invoke()",
    ],
    constructor: "<init>()",
    one_definition_in_unit: false,
    has_method_values: true,
    has_partial_types: true,
    has_extension_methods: true,
    function_calls: &[],
    function_binds: &[],
};

/// Types that have words of their own in the language, and the words by which values of unknown types are told apart.
const PREDECLARED: &[&str] = &[
    "Boolean", "Byte", "Char", "Decimal", "Double", "Int16", "Int32", "Int64", "SByte", "Single",
    "Type", "UInt16", "UInt32", "UInt64", "bool", "byte", "char", "decimal", "double", "float",
    "int", "lambda", "long", "null", "object", "sbyte", "short", "string", "uint", "ulong",
    "ushort",
];

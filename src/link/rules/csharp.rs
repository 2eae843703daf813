//! C#.

use super::{Implicit, LanguageRules};
use crate::ir::INDEXER;

pub(super) static RULES: LanguageRules = LanguageRules {
    implicit_imports: &[Implicit::OwnUnit],
    proves_external: true,
    predeclared: PREDECLARED,
    index_method: Some(INDEXER),
    iterator_methods: &["GetEnumerator()", "Current"],
    instances_have_static_members: true,
    first_resolved_import_binds: true,
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
    has_method_values: true,
    has_partial_types: true,
    has_extension_methods: true,
    ..LanguageRules::PLAIN
};

/// Types that have words of their own in the language, and the words by which values of unknown types are told apart.
const PREDECLARED: &[&str] = &[
    "Boolean", "Byte", "Char", "Decimal", "Double", "Int16", "Int32", "Int64", "SByte", "Single",
    "Type", "UInt16", "UInt32", "UInt64", "bool", "byte", "char", "decimal", "double", "float",
    "int", "lambda", "long", "null", "object", "sbyte", "short", "string", "uint", "ulong",
    "ushort",
];

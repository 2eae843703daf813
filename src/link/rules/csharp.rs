//! C#.

use super::{Implicit, LanguageRules};
use crate::ir::INDEXER;
use crate::model::{BuiltinSet, Family};

pub(super) static RULES: LanguageRules = LanguageRules {
    family: Family::CSharp,
    implicit_imports: &[Implicit::OwnUnit],
    proves_external: true,
    predeclared: &PREDECLARED,
    index_method: Some(INDEXER),
    iterator_methods: &["GetEnumerator()", "Current"],
    instances_have_static_members: true,
    first_resolved_import_binds: true,
    members_in_scope: true,
    has_overloads: true,
    root_members: &ROOT_MEMBERS,
    constructor: "<init>()",
    counts_type_params: true,
    has_method_values: true,
    has_partial_types: true,
    has_extension_methods: true,
    ..LanguageRules::PLAIN
};

/// Members of `object`, of enumerations and of delegates.
static ROOT_MEMBERS: BuiltinSet = BuiltinSet::new(
    "C#: members of every class",
    "Equals() Finalize() GetHashCode() GetType() MemberwiseClone() ReferenceEquals() ToString() CompareTo() \
     HasFlag() Invoke()",
);

/// Types that have words of their own in the language, and the words by which values of unknown types are told apart. Types of
/// `System` are external like all that a file does not define.
static PREDECLARED: BuiltinSet = BuiltinSet::new(
    "C#: predeclared",
    "bool byte char decimal double float int lambda long null object sbyte short string uint ulong ushort",
);

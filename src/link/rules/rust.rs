//! Rust.

use super::{LanguageRules, MemberOrder};
use crate::model::{BuiltinSet, Family};

pub(super) static RULES: LanguageRules = LanguageRules {
    family: Family::Rust,
    has_named_owners: true,
    has_module_tree: true,
    proves_external: true,
    predeclared: &PREDECLARED,
    members: MemberOrder::Implementations,
    constructs_by_call: true,
    instances_have_static_members: true,
    first_resolved_import_binds: true,
    constructor: "new",
    ..LanguageRules::PLAIN
};

/// Primitive types, and the prelude of the standard library.
static PREDECLARED: BuiltinSet = BuiltinSet::new(
    "Rust: predeclared",
    "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 AsMut AsRef AsyncFn AsyncFnMut \
     AsyncFnOnce Box Clone Copy Debug Default DoubleEndedIterator Drop Eq ExactSizeIterator Extend Fn FnMut \
     FnOnce From FromIterator Hash Into IntoIterator Iterator Option Ord PartialEq PartialOrd Result \
     Send Sized String Sync ToOwned ToString TryFrom TryInto Unpin Vec drop Future IntoFuture align_of \
     align_of_val size_of size_of_val",
);

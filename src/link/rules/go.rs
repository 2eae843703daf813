//! Go.

use super::{Implicit, LanguageRules, MemberOrder};
use crate::model::{BuiltinSet, Family};

pub(super) static RULES: LanguageRules = LanguageRules {
    family: Family::Go,
    implicit_imports: &[Implicit::OwnUnit],
    has_named_owners: true,
    has_build_constraints: true,
    proves_external: true,
    predeclared: &PREDECLARED,
    members: MemberOrder::Embedding,
    constructs_by_call: true,
    stars_bind: true,
    ..LanguageRules::PLAIN
};

/// Types and functions of the language.
static PREDECLARED: BuiltinSet = BuiltinSet::new(
    "Go: predeclared",
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string \
     uint uint8 uint16 uint32 uint64 uintptr append cap clear close complex copy delete imag len make max min \
     new panic print println real recover",
);

//! TypeScript and JavaScript.

use super::ContainerMember::{Element, SameContainer};
use super::LanguageRules;

pub(super) static RULES: LanguageRules = LanguageRules {
    foreach_callback_method: Some("forEach"),
    container_members: &[
        ("filter", SameContainer),
        ("slice", SameContainer),
        ("concat", SameContainer),
        ("reverse", SameContainer),
        ("sort", SameContainer),
        ("values", SameContainer),
        ("splice", SameContainer),
        ("toSorted", SameContainer),
        ("toReversed", SameContainer),
        ("toSpliced", SameContainer),
        ("copyWithin", SameContainer),
        ("fill", SameContainer),
        ("flat", SameContainer),
        ("add", SameContainer),
        ("find", Element),
        ("findLast", Element),
        ("at", Element),
        ("pop", Element),
        ("shift", Element),
        ("get", Element),
        ("next", Element),
        ("deref", Element),
    ],
    function_calls: &["call", "apply"],
    function_binds: &["bind"],
    ..LanguageRules::PLAIN
};

//! TypeScript and JavaScript.

use super::ContainerMember::{Element, SameContainer};
use super::LanguageRules;

pub(super) static RULES: LanguageRules = LanguageRules {
    call_method: None,
    each_method: Some("forEach"),
    has_linearization: false,
    descriptor_method: None,
    index_method: None,
    iteration: &[],
    entering: &[],
    stars_bind: false,
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
    members_in_scope: false,
    has_overloads: false,
    is_closed: false,
    function_calls: &["call", "apply"],
    function_binds: &["bind"],
};

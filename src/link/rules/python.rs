//! Python.

use super::ContainerMember::{Element, Pairs, SameContainer};
use super::LanguageRules;

pub(super) static RULES: LanguageRules = LanguageRules {
    call_method: Some("__call__"),
    each_method: None,
    has_linearization: true,
    descriptor_method: Some("__get__"),
    index_method: Some("__getitem__"),
    iteration: &["__iter__", "__next__"],
    entering: &["__enter__", "__aenter__"],
    stars_bind: true,
    container_members: &[
        ("copy", SameContainer),
        ("values", SameContainer),
        ("union", SameContainer),
        ("intersection", SameContainer),
        ("difference", SameContainer),
        ("items", Pairs),
        ("get", Element),
        ("pop", Element),
        ("popleft", Element),
        ("setdefault", Element),
        ("__getitem__", Element),
        ("__next__", Element),
    ],
    members_in_scope: false,
    has_overloads: false,
    is_closed: false,
    function_calls: &["__call__"],
    function_binds: &[],
};

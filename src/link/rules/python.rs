//! Python.

use super::ContainerMember::{Element, Pairs, SameContainer};
use super::{Implicit, LanguageRules, MemberOrder};

pub(super) static RULES: LanguageRules = LanguageRules {
    implicit_imports: &[Implicit::Providers],
    members: MemberOrder::Linearization,
    constructs_by_call: true,
    instance_call_method: Some("__call__"),
    descriptor_method: Some("__get__"),
    index_method: Some("__getitem__"),
    iterator_methods: &["__iter__", "__next__"],
    context_enter_methods: &["__enter__", "__aenter__"],
    instances_have_static_members: true,
    first_resolved_import_binds: true,
    package_file: Some("__init__.py"),
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
    function_calls: &["__call__"],
    ..LanguageRules::PLAIN
};

//! Python.

use super::ContainerMember::{Element, Pairs, SameContainer};
use super::{Implicit, LanguageRules, MemberOrder};

pub(super) static RULES: LanguageRules = LanguageRules {
    implicit_imports: &[Implicit::Providers],
    has_named_owners: false,
    has_module_tree: false,
    proves_external: false,
    predeclared: &[],
    members: MemberOrder::Linearization,
    constructs_by_call: true,
    instance_call_method: Some("__call__"),
    foreach_callback_method: None,
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
    members_in_scope: false,
    has_overloads: false,
    root_members: &[],
    constructor: "constructor",
    function_calls: &["__call__"],
    function_binds: &[],
};

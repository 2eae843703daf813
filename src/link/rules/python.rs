//! Python.

use super::ContainerMember::{Element, Pairs, SameContainer};
use super::{ContainerMember, Implicit, LanguageRules, MemberOrder};
use crate::model::BuiltinTable;
use crate::model::Family;

pub(super) static RULES: LanguageRules = LanguageRules {
    family: Family::Python,
    implicit_imports: &[Implicit::Providers],
    members: MemberOrder::Linearization,
    fields_override: true,
    may_redefine: true,
    has_external_proxies: true,
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
    container_members: &CONTAINER_MEMBERS,
    function_calls: &["__call__"],
    class_names_methods: true,
    ..LanguageRules::PLAIN
};

static CONTAINER_MEMBERS: BuiltinTable<ContainerMember> = BuiltinTable::new(
    "Python: members of containers",
    &[
        (SameContainer, "copy values union intersection difference"),
        (Pairs, "items"),
        (Element, "get pop popleft setdefault __getitem__ __next__"),
    ],
);

//! Languages that are outlined: no use of a name is known in them, so nothing is looked up.

use super::{LanguageRules, MemberOrder};

pub(super) static RULES: LanguageRules = LanguageRules {
    implicit_imports: &[],
    has_named_owners: false,
    has_module_tree: false,
    has_includes: false,
    proves_external: false,
    predeclared: &[],
    members: MemberOrder::DepthFirst,
    constructs_by_call: false,
    instance_call_method: None,
    foreach_callback_method: None,
    descriptor_method: None,
    index_method: None,
    iterator_methods: &[],
    context_enter_methods: &[],
    instances_have_static_members: false,
    first_resolved_import_binds: false,
    package_file: None,
    stars_bind: false,
    container_members: &[],
    members_in_scope: false,
    has_overloads: false,
    root_members: &[],
    constructor: "constructor",
    has_method_values: false,
    has_partial_types: false,
    has_extension_methods: false,
    function_calls: &[],
    function_binds: &[],
};

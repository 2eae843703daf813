//! Java.

use super::ContainerMember::SameContainer;
use super::LanguageRules;

pub(super) static RULES: LanguageRules = LanguageRules {
    constructs_by_call: false,
    instance_call_method: None,
    foreach_callback_method: None,
    has_linearization: false,
    descriptor_method: None,
    index_method: None,
    iterator_methods: &["iterator()", "next()"],
    context_enter_methods: &[],
    instances_have_static_members: true,
    first_resolved_import_binds: false,
    package_file: None,
    stars_bind: false,
    // Those of arrays.
    container_members: &[("clone()", SameContainer)],
    function_calls: &[],
    function_binds: &[],
};

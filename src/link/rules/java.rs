//! Java.

use super::ContainerMember::SameContainer;
use super::LanguageRules;

pub(super) static RULES: LanguageRules = LanguageRules {
    call_method: None,
    each_method: None,
    has_linearization: false,
    descriptor_method: None,
    index_method: None,
    iteration: &["iterator()", "next()"],
    entering: &[],
    stars_bind: false,
    // Those of arrays.
    container_members: &[("clone()", SameContainer)],
    members_in_scope: true,
    has_overloads: true,
    is_closed: true,
    function_calls: &[],
    function_binds: &[],
};

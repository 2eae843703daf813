//! TypeScript and JavaScript.

use super::ContainerMember::{Element, SameContainer};
use super::{ContainerMember, LanguageRules};
use crate::model::BuiltinTable;
use crate::model::Family;

pub(super) static RULES: LanguageRules = LanguageRules {
    family: Family::Ecmascript,
    fields_override: true,
    foreach_callback_method: Some("forEach"),
    container_members: &CONTAINER_MEMBERS,
    function_calls: &["call", "apply"],
    function_binds: &["bind"],
    ..LanguageRules::PLAIN
};

static CONTAINER_MEMBERS: BuiltinTable<ContainerMember> = BuiltinTable::new(
    "TypeScript: members of containers",
    &[
        (
            SameContainer,
            "filter slice concat reverse sort values splice toSorted toReversed toSpliced copyWithin fill flat \
             add",
        ),
        (Element, "find findLast at pop shift get next deref"),
    ],
);

//! What differs between languages when names are resolved: a table for each family, which the linker asks.

mod ecmascript;
mod java;
mod python;

use super::file::Loaded;
use crate::ir::Family;

/// What a member of a container gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerMember {
    /// A container of the same elements: `filter`.
    SameContainer,
    /// One of its elements: `find`.
    Element,
    /// A container of pairs, each a key and an element: `items`.
    Pairs,
}

/// How one family of languages resolves names.
pub(super) struct LanguageRules {
    /// The method that calling an instance calls; also says that calling a class makes an instance: `__call__` in Python.
    pub(super) call_method: Option<&'static str>,
    /// The method whose first parameter is a function that is given each element: `forEach`.
    pub(super) each_method: Option<&'static str>,
    /// Whether the bases of a class are looked through by its linearization; else one after another, each with its own.
    pub(super) has_linearization: bool,
    /// The method that gives what reading an attribute of a class gives, of what the attribute holds: `__get__`.
    pub(super) descriptor_method: Option<&'static str>,
    /// The method that indexing an instance calls: `__getitem__`.
    pub(super) index_method: Option<&'static str>,
    /// Methods that iterating an instance calls, in the order in which they are looked for: what the last one gives is an
    /// element.
    pub(super) iteration: &'static [&'static str],
    /// Methods whose result is what `with` binds.
    pub(super) entering: &'static [&'static str],
    /// Whether what is passed on by a star is a name of the file as well, and names for the module alone are not passed on.
    pub(super) stars_bind: bool,
    /// What the members of containers give.
    pub(super) container_members: &'static [(&'static str, ContainerMember)],
    /// Whether the members of the classes around are names of the code in them.
    pub(super) members_in_scope: bool,
    /// Whether methods share no names with fields and types, and several of one name are told apart by their arguments.
    pub(super) has_overloads: bool,
    /// Whether every name is declared in the file, its package or an import, so that the rest is outside of the
    /// repository.
    pub(super) is_closed: bool,
    /// Members of a function that call it.
    pub(super) function_calls: &'static [&'static str],
    /// Members of a function that make a function that calls it.
    pub(super) function_binds: &'static [&'static str],
}

impl LanguageRules {
    /// Returns what a member of a container gives.
    pub(super) fn container_member(&self, name: &str) -> Option<ContainerMember> {
        let found = self.container_members.iter().find(|it| it.0 == name);
        found.map(|it| it.1)
    }
}

/// Returns the rules of the language of a file.
pub(super) fn of(file: &Loaded) -> &'static LanguageRules {
    of_family(file.facts.family)
}

/// Returns the rules of a family of languages.
pub(super) fn of_family(family: Family) -> &'static LanguageRules {
    match family {
        Family::Ecmascript => &ecmascript::RULES,
        Family::Python => &python::RULES,
        Family::Java => &java::RULES,
    }
}

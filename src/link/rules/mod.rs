//! The differences between languages in resolving names: one table for each family, which the linker asks.

mod c;
mod csharp;
mod ecmascript;
mod go;
mod java;
mod python;
mod rust;

use super::file::LinkedFile;
use crate::ir::INJECTED;
use crate::model::{BuiltinSet, BuiltinTable, Family};

/// The type of a member of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerMember {
    /// A container of the same elements: `filter`.
    SameContainer,
    /// One of its elements: `find`.
    Element,
    /// A container of pairs, each a key and an element: `items`.
    Pairs,
}

/// A module whose names are visible without an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Implicit {
    /// The unit of the file: the other files of its package.
    OwnUnit,
    /// The modules that the file binds under [`INJECTED`], for definitions that are injected into
    /// parameters by their name: fixtures of `conftest.py`.
    Providers,
}

/// The order in which members are looked for in the bases of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberOrder {
    /// One base after another, each with its own.
    DepthFirst,
    /// The C3 linearization.
    Linearization,
    /// By depth; a member of two bases of one depth is ambiguous: embedded fields.
    Embedding,
    /// The `impl` blocks of a type wherever they stand, then those of its traits, then the type it dereferences to.
    Implementations,
}

/// How one family of languages resolves names.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a difference between languages, independent of the others"
)]
pub(super) struct LanguageRules {
    /// The family itself, for typing rules and types of a standard library that no other one has: [`Self::is_rust`]. A difference that
    /// several families may share is a field of its own.
    family: Family,
    /// The modules that every file sees without an import, the nearest first.
    pub(super) implicit_imports: &'static [Implicit],
    /// Whether files say for which platforms they are built, so that of several definitions one is meant that is built together
    /// with the use.
    pub(super) has_build_constraints: bool,
    /// Whether members may be declared outside of their type, in any file of its unit: `func (s *Store) Open()`.
    pub(super) has_named_owners: bool,
    /// Whether a unit has one definition of a name: of two files that define it neither is meant. Elsewhere the first is.
    pub(super) one_definition_in_unit: bool,
    /// Whether names are found along paths through a tree of modules: `crate::db::Store`.
    pub(super) has_module_tree: bool,
    /// Whether an include takes all names of a file, so that a name is looked up in all that is included, and a declaration
    /// may have its definition in a file that nobody includes.
    pub(super) has_includes: bool,
    /// Whether a class may have an attribute in place of the one that its base has, so that code of the base reads it:
    /// `name = "b"` below `name = "a"`.
    pub(super) fields_override: bool,
    /// Whether a scope may define a function or a class again, under another condition or in place of the first: `else: def open()`.
    pub(super) may_redefine: bool,
    /// Whether a value that an external package exports may be one of the repository, so that its members are not
    /// proven to be external: `current_user.name`. Those of the package itself are, `sys.path`.
    pub(super) has_external_proxies: bool,
    /// Whether a name imported from an external package, and each of its members, is proven external.
    pub(super) proves_external: bool,
    /// Types and functions that the language itself defines.
    pub(super) predeclared: &'static BuiltinSet,
    /// The method resolution order.
    pub(super) members: MemberOrder,
    /// Whether a type that is called gives an instance of it: `Store()` in Python, the conversion `Store(a)` in Go.
    pub(super) constructs_by_call: bool,
    /// The method that calling an instance runs: `store()` → `Store.__call__`.
    pub(super) instance_call_method: Option<&'static str>,
    /// The method whose callback takes each element, so that its parameter has the element type: `forEach`.
    pub(super) foreach_callback_method: Option<&'static str>,
    /// The descriptor getter called when an instance attribute is read: `__get__`.
    pub(super) descriptor_method: Option<&'static str>,
    /// The method that indexing an instance calls: `__getitem__`.
    pub(super) index_method: Option<&'static str>,
    /// The iterator protocol: each method is called on the result of the one before, the last one returns an element
    /// (`__iter__`, `__next__`).
    pub(super) iterator_methods: &'static [&'static str],
    /// Methods whose result `with` binds, the first that the object has: `with open(p) as f` → `__enter__`.
    pub(super) context_enter_methods: &'static [&'static str],
    /// Whether an instance has the static members of its class: `self.from_path` in Python.
    pub(super) instances_have_static_members: bool,
    /// Which of several imports of one name binds it: the first that resolves to a file of the repository
    /// (`try: import fast as json` / `except ImportError: import json`), else the last.
    pub(super) first_resolved_import_binds: bool,
    /// The file of a package that re-exports its imports on purpose, `__init__.py`; from every other module only the names
    /// of its `__all__` are meant to be imported. `None` where each export is a statement.
    pub(super) package_file: Option<&'static str>,
    /// Whether a star import binds the names in the file as well, `from m import *` (without `_private` ones) and Go's
    /// `import . "m"`, where `export * from` only passes them on.
    pub(super) stars_bind: bool,
    /// Members of containers, with their types: `filter`, `pop`.
    pub(super) container_members: &'static BuiltinTable<ContainerMember>,
    /// Whether the members of the classes around code are names in it, without a receiver: `open()` for `this.open()`.
    pub(super) members_in_scope: bool,
    /// Whether methods share no names with fields and types, and several of one name are told apart by the arguments of a
    /// call. A method is then looked up by its name with parentheses: `open()`.
    pub(super) has_overloads: bool,
    /// The members of the class that every other is built on.
    pub(super) root_members: &'static BuiltinSet,
    /// Whether a method that code names through a class, `Base.save(self)`, is that of the class, whatever the object.
    pub(super) class_names_methods: bool,
    /// The name by which the constructors of a class are looked up.
    pub(super) constructor: &'static str,
    /// Whether types and methods of one name are told apart by the number of their type parameters: `List` and `List<T>` are two.
    pub(super) counts_type_params: bool,
    /// Whether `Open` alone may name a method as a value, and a field that holds a function is called by the field's name.
    pub(super) has_method_values: bool,
    /// Whether a type may have parts in several files of its unit, and a file types of several units.
    pub(super) has_partial_types: bool,
    /// Whether a static method may be called as a member of its first argument, where its unit is visible.
    pub(super) has_extension_methods: bool,
    /// Members of a function that call it.
    pub(super) function_calls: &'static [&'static str],
    /// Members of a function that make a function that calls it.
    pub(super) function_binds: &'static [&'static str],
}

static NO_NAMES: BuiltinSet = BuiltinSet::new("no names", "");

static NO_MEMBERS: BuiltinTable<ContainerMember> = BuiltinTable::new("no members", &[]);

static OUTLINE: LanguageRules = LanguageRules::PLAIN;

impl LanguageRules {
    /// The rules of a language that has nothing of its own: those of outlined languages, and of others where they don't say otherwise.
    const PLAIN: Self = Self {
        family: Family::Outline,
        implicit_imports: &[],
        has_named_owners: false,
        has_build_constraints: false,
        one_definition_in_unit: false,
        has_module_tree: false,
        has_includes: false,
        fields_override: false,
        may_redefine: false,
        has_external_proxies: false,
        proves_external: false,
        predeclared: &NO_NAMES,
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
        container_members: &NO_MEMBERS,
        members_in_scope: false,
        has_overloads: false,
        root_members: &NO_NAMES,
        class_names_methods: false,
        constructor: "constructor",
        counts_type_params: false,
        has_method_values: false,
        has_partial_types: false,
        has_extension_methods: false,
        function_calls: &[],
        function_binds: &[],
    };

    /// Whether the language is C or C++.
    pub(super) fn is_c(&self) -> bool {
        self.family == Family::C
    }

    /// Whether the language is C#.
    pub(super) fn is_csharp(&self) -> bool {
        self.family == Family::CSharp
    }

    /// Whether the language is TypeScript or JavaScript.
    pub(super) fn is_ecmascript(&self) -> bool {
        self.family == Family::Ecmascript
    }

    /// Whether the language is Go.
    pub(super) fn is_go(&self) -> bool {
        self.family == Family::Go
    }

    /// Whether the language is Java.
    pub(super) fn is_java(&self) -> bool {
        self.family == Family::Java
    }

    /// Whether the language is Rust.
    pub(super) fn is_rust(&self) -> bool {
        self.family == Family::Rust
    }

    /// Whether a value may be found by names alone, without knowing a type: then its provenance is `resolved`, not `member`.
    pub(super) fn is_plain_known(&self) -> bool {
        self.has_overloads || self.has_module_tree || self.has_includes
    }

    /// Whether a name is one by which a definition is injected into a parameter: `@client`.
    pub(super) fn is_injected(&self, name: &str) -> bool {
        name.starts_with(INJECTED) && self.implicit_imports.contains(&Implicit::Providers)
    }

    /// Returns the kind of a container's member.
    pub(super) fn container_member(&self, name: &str) -> Option<ContainerMember> {
        self.container_members.get(name).copied()
    }
}

/// Returns the rules of the language of a file.
pub(super) fn of(file: &LinkedFile) -> &'static LanguageRules {
    of_family(file.facts.family)
}

/// Returns the rules of a family of languages.
pub(super) fn of_family(family: Family) -> &'static LanguageRules {
    match family {
        Family::Ecmascript => &ecmascript::RULES,
        Family::Python => &python::RULES,
        Family::Go => &go::RULES,
        Family::Java => &java::RULES,
        Family::Rust => &rust::RULES,
        Family::C => &c::RULES,
        Family::Outline => &OUTLINE,
        Family::CSharp => &csharp::RULES,
    }
}

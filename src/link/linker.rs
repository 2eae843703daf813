//! The state of linking one file: its facts, those of other files, and the memos of the evaluator.
//!
//! Its methods stand by idea: `lookup` binds a reference, `infer` evaluates an expression, `members`, `calls`, `overloads`
//! and `generics` evaluate the steps of one, `describe` prints a type. Rules of one language stand in files that are named after
//! it (`rust_paths`, `csharp_delegates`), and in `method_sets` (interfaces of Go, which are satisfied without being named).

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use super::angular_names::Usable;
use super::cache::FactsCache;
use super::csharp_parts::Definitions;
use super::file::LinkedFile;
use super::path_names::{NameLookup, SymbolKey, Traits, Wanted};
use super::rules::{self, LanguageRules};
use super::types::{Substitution, Type};
use crate::ir::{ExprId, SymbolIdx};
use crate::model::ModuleId;
use crate::model::hash::HashMap;

/// Definitions that a file sees through its includes, by file and name.
type IncludedNames = HashMap<(ModuleId, String), Rc<[SymbolKey]>>;

/// How many look-ups one use may take: chains that go in circles end here.
const FUEL: u32 = 800;

/// Further look-ups that the parameters of overloads may take in all: of many overloads with many parameters each has its types read.
const OVERLOAD_FUEL: u32 = 10 * FUEL;

/// How deep one expression may lead into others: a definition by itself ends here and leaves steps for the others of a
/// union.
const MAX_DEPTH: u32 = 100;

/// Binds the uses of one file.
pub(super) struct Linker<'a, 'b> {
    pub(super) cache: &'a FactsCache<'b>,
    /// The file whose uses are bound.
    pub(super) file: Rc<LinkedFile>,
    fuel: Cell<u32>,
    overload_fuel: Cell<u32>,
    depth: Cell<u32>,
    /// Whether the arguments of the call that was evaluated last do not decide between several overloads.
    pub(super) is_undecided: Cell<bool>,
    /// Whether a member was taken for one of an external base, since the question began: no declaration of
    /// the member was seen.
    pub(super) by_external_base: Cell<bool>,
    /// The type arguments and arguments of the call that is being evaluated.
    pub(super) call: RefCell<Option<Rc<Substitution>>>,
    /// Directives and pipes of the template that was asked for last.
    pub(super) usable: RefCell<Option<UsableIn>>,
    /// The classes whose members are looked through for a bare name, by file and symbol: the bases of such a class are
    /// no member of it.
    pub(super) open_scopes: RefCell<Vec<(ModuleId, SymbolIdx)>>,
    /// The types whose bases are looked through for a type argument, each with the type that declares the parameter. The base of
    /// an inner class may name a parameter of the class around: `class Keys extends AbstractSet<K>`.
    pub(super) open_type_args: RefCell<Vec<(SymbolKey, SymbolKey)>>,
    /// Memo of [`Self::linearization`], by class.
    pub(super) linearizations: RefCell<HashMap<(ModuleId, SymbolIdx), Linearization>>,
    /// Memo of [`Self::in_module`], by module and name.
    pub(super) named_in_modules: RefCell<HashMap<NameInModule, NameLookup>>,
    /// The names of modules that are being looked up: one that is met again has nothing of its own.
    pub(super) open_modules: RefCell<Vec<NameInModule>>,
    /// Whether the look-up met a name of [`Self::open_modules`], so that its result depends on one that is not
    /// finished.
    pub(super) hit_cycle: Cell<bool>,
    /// Memo of [`Self::infer`] for calls and members of the file itself, where types are declared: chains are long there.
    pub(super) inferred: RefCell<HashMap<ExprId, InferredExpr>>,
    /// Memo of the methods of types, by type and name.
    pub(super) methods: RefCell<HashMap<(ModuleId, SymbolIdx, String), Option<Type>>>,
    /// Memo of [`Self::by_extension`], by type and method.
    pub(super) extensions: RefCell<HashMap<(String, String), Option<Type>>>,
    /// The traits whose methods the file can call, once asked.
    pub(super) traits_in_scope: RefCell<Option<TraitsInScope>>,
    /// Memo of [`Self::parts`], by type.
    pub(super) parts_of_types: RefCell<HashMap<(ModuleId, SymbolIdx), Definitions>>,
    /// Memo of [`Self::visible_extensions`], by method.
    pub(super) named_extensions: RefCell<HashMap<String, Definitions>>,
    /// Memo of [`Self::traits`], by type.
    pub(super) traits: RefCell<HashMap<(ModuleId, SymbolIdx), Traits>>,
    /// The files that [`Self::included`] went through.
    pub(super) held_files: RefCell<HashMap<ModuleId, Rc<LinkedFile>>>,
    /// Memo of [`Self::included`], by file.
    pub(super) included_files: RefCell<HashMap<ModuleId, Rc<[Rc<LinkedFile>]>>>,
    /// Memo of [`Self::visible`], by file and name.
    pub(super) included_names: RefCell<IncludedNames>,
    /// Memo of [`Self::macro_namespaces`], by file.
    pub(super) macro_namespaces: RefCell<HashMap<ModuleId, Rc<[String]>>>,
    /// Memo of [`Self::fragment_owners`], by file.
    pub(super) fragment_owners: RefCell<HashMap<ModuleId, Rc<[ModuleId]>>>,
    /// Whether the file is one of C++ by its name.
    pub(super) is_of_cpp: OnceCell<bool>,
    /// Memo of [`Self::definition_of`].
    pub(super) definitions: RefCell<HashMap<SymbolKey, SymbolKey>>,
}

/// The type of an expression, and the object that it is a member of, with what its evaluation noted.
#[derive(Clone)]
pub(super) struct InferredExpr {
    pub(super) found: (Type, Option<Type>),
    pub(super) is_undecided: bool,
    pub(super) by_external_base: bool,
}

/// Traits by file and symbol.
type TraitsInScope = Rc<[(ModuleId, SymbolIdx)]>;

/// A name of a module, an inline one or a file.
type NameInModule = (ModuleId, Option<SymbolIdx>, String, Wanted);

/// A class and all that it is built on, by file and symbol, in the order in which members are looked for.
pub(super) type Linearization = Rc<[(ModuleId, SymbolIdx)]>;

/// A template, by its file and class, with the directives and pipes that it can use.
type UsableIn = ((ModuleId, Option<SymbolIdx>), Rc<[Usable]>);

impl<'a, 'b> Linker<'a, 'b> {
    pub(super) fn new(cache: &'a FactsCache<'b>, file: Rc<LinkedFile>) -> Self {
        Self {
            cache,
            file,
            fuel: Cell::new(FUEL),
            overload_fuel: Cell::new(OVERLOAD_FUEL),
            depth: Cell::new(0),
            is_undecided: Cell::new(false),
            by_external_base: Cell::new(false),
            call: RefCell::new(None),
            usable: RefCell::new(None),
            open_scopes: RefCell::default(),
            open_type_args: RefCell::default(),
            linearizations: RefCell::default(),
            named_in_modules: RefCell::default(),
            open_modules: RefCell::default(),
            hit_cycle: Cell::new(false),
            inferred: RefCell::default(),
            methods: RefCell::default(),
            extensions: RefCell::default(),
            traits_in_scope: RefCell::default(),
            parts_of_types: RefCell::default(),
            named_extensions: RefCell::default(),
            traits: RefCell::default(),
            held_files: RefCell::default(),
            included_files: RefCell::default(),
            included_names: RefCell::default(),
            macro_namespaces: RefCell::default(),
            fragment_owners: RefCell::default(),
            is_of_cpp: OnceCell::new(),
            definitions: RefCell::default(),
        }
    }

    /// Begins another question.
    pub(super) fn refuel(&self) {
        self.fuel.set(FUEL);
        self.overload_fuel.set(OVERLOAD_FUEL);
        self.by_external_base.set(false);
    }

    /// Marks a member as one that only an external base can have: `flag.parse()` where
    /// `trait Flag: serde::Serialize` does not declare it.
    pub(super) fn of_external_base(&self, found: Option<Type>) -> Option<Type> {
        if found.is_some() {
            self.by_external_base.set(true);
        }
        found
    }

    /// Takes one step; `None` when there were enough.
    pub(super) fn step(&self) -> Option<()> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        Some(())
    }

    /// Compares one of several overloads with a call; its steps are not those of the question, as long as there are others for it.
    pub(super) fn of_overload<T>(&self, compare: impl FnOnce() -> T) -> T {
        let before = self.fuel.get();
        let found = compare();
        let taken = before.saturating_sub(self.fuel.get());
        if let Some(left) = self.overload_fuel.get().checked_sub(taken) {
            self.overload_fuel.set(left);
            self.fuel.set(before);
        }
        found
    }

    /// Whether there are steps left: without, a name that was not found may be there.
    pub(super) fn has_fuel(&self) -> bool {
        self.fuel.get() > 0 && self.depth.get() < MAX_DEPTH
    }

    /// Enters an expression, which is left when the guard is dropped; `None` where that is too deep.
    pub(super) fn descend(&self) -> Option<Descent<'_>> {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        Some(Descent(&self.depth))
    }

    /// The rules of the language whose uses are bound.
    pub(super) fn rules(&self) -> &'static LanguageRules {
        rules::of(&self.file)
    }
}

/// Counts an expression that is being evaluated, until it is dropped.
pub(super) struct Descent<'a>(&'a Cell<u32>);

impl Drop for Descent<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

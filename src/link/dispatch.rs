//! Overrides, implementations, overloads and platform variants that a call may dispatch to.
//!
//! An edge leads to the declared method alone; the callers of an implementation are found by this lookup. It is
//! computed when it is asked for, from the rows of one generation, so that no edit can make it stale.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::assigned_functions::assigned_to;
use super::cache::{Def, FactsCache};
use super::file::LinkedFile;
use super::linker::Linker;
use super::name_binder::{DefinitionId, NameBinder};
use super::overloads::n_params;
use super::rules::{self, MemberOrder};
use super::types::Type;
use super::wrapped_components::wrappers_of;
use crate::ir::{BaseKind, ExprId, PathId, Slot, SymbolIdx};
use crate::model::hash::HashMap;
use crate::model::{EdgeKind, FileId, ModuleId, Provenance, SymbolFlags, SymbolKind};
use crate::store::token::normal_form;
use crate::store::{StoreError, SymbolRow};

/// Maximum number of base or derived classes that are visited.
const MAX_CLASSES: usize = 512;

/// Files that are read to look for one lookup.
const MAX_FILES: usize = 300;

/// Methods of one name that are compared with an interface, and interfaces with a method.
pub(super) const MAX_CANDIDATES: usize = 300;

/// Parts of a type that are followed together.
const MAX_PARTS: usize = 48;

/// Methods that classes below cannot override, or that run by making an instance.
const NOT_DISPATCHED: &[&str] = &["__init__", "__new__", "__init_subclass__"];

/// A class of a file with its base classes.
type DerivedClass = (SymbolIdx, Vec<DefinitionId>);

/// Memo of the derived classes of files, with their bases.
pub(super) type DerivedClasses = HashMap<FileId, Rc<[DerivedClass]>>;

/// The definitions that are related to some others by dispatch, in either direction: for `Base.save` the overriding `Row.save`, for
/// `Row.save` the overridden `Base.save`. Their users may run the others too.
#[derive(Clone, Debug, Default)]
pub struct DispatchRelations {
    /// Each with the provenance of an edge to it, when it is taken as an edge to the other.
    pub related: BTreeMap<DefinitionId, Provenance>,
    /// Those of which only uses through objects may run another one: `Base.save(self)` of Python runs that method alone.
    pub by_objects: BTreeSet<DefinitionId>,
    /// Those of which only uses in other files than their own may mean another one: a file that is included has its own definition.
    pub from_other_files: BTreeSet<DefinitionId>,
    /// Whether a bound on files, classes or candidates ended the search.
    pub is_cut: bool,
    pub(super) derived: DerivedClasses,
}

impl DispatchRelations {
    pub(super) fn add(&mut self, definition: DefinitionId, provenance: Provenance) {
        let known = self.related.entry(definition).or_insert(provenance);
        *known = (*known).min(provenance);
    }
}

/// A method of a class that is built on another one, where no class above has a method of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaselessMethod {
    /// The method.
    pub method: DefinitionId,
    /// Whether its class lacks a method that is required.
    pub lacks_required: bool,
    /// Whether its class is also built on something that is not known, which may have the method.
    pub has_external_base: bool,
    /// Whether the language refuses it: a method in an `impl` block of a trait that has none of its name.
    pub is_refused: bool,
}

impl NameBinder<'_> {
    /// Returns the methods of a name in classes that are built on `class`, which has none of that name, and whether there may be
    /// more. `required` are methods that a class built on it has to have. Empty where types satisfy interfaces without saying so.
    pub fn methods_without_base(
        &self,
        class: DefinitionId,
        name: &str,
        required: &[&str],
    ) -> Result<(Vec<BaselessMethod>, bool), StoreError> {
        self.cache.checked(|| {
            let mut found = Vec::new();
            let mut is_cut = false;
            if let Some(file) = self.cache.get(class.0)
                && file.facts.symbols.len() > class.1 as usize
            {
                let lookup = DispatchLookup {
                    binder: self,
                    linker: Linker::new(&self.cache, Rc::clone(&file)),
                };
                match rules::of(&file).members {
                    MemberOrder::Embedding => {}
                    MemberOrder::Implementations => {
                        is_cut = lookup.methods_in_impls(class, name, &mut found)?;
                    }
                    _ => {
                        is_cut = lookup.methods_in_subclasses(class, name, required, &mut found)?;
                    }
                }
            }
            Ok((found, is_cut))
        })
    }

    /// Returns a type with the other parts of it, where it is declared in parts: `partial class`; the definition itself first.
    pub fn parts_of(&self, type_: DefinitionId) -> Result<Vec<DefinitionId>, StoreError> {
        self.cache.checked(|| {
            let mut parts = vec![type_];
            if let Some(file) = self.cache.get(type_.0)
                && rules::of(&file).has_partial_types
                && file.facts.symbols.len() > type_.1 as usize
            {
                let linker = Linker::new(&self.cache, file);
                parts = parts_of(&linker, type_);
            }
            Ok(parts)
        })
    }

    /// Adds the definitions whose users may run a definition too.
    pub fn add_dispatch_relations(
        &self,
        of: DefinitionId,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        self.cache.checked(|| {
            if let Some(file) = self.cache.get(of.0)
                && file.facts.symbols.len() > of.1 as usize
            {
                let lookup = DispatchLookup {
                    binder: self,
                    linker: Linker::new(&self.cache, Rc::clone(&file)),
                };
                lookup.alternatives(&file, of.1, all)?;
                lookup.exclusive_definitions(&file, of.1, all);
                lookup.in_twins(&file, of.1, all);
                if rules::of(&file).has_includes {
                    lookup.counterparts(&file, of.1, all)?;
                    lookup.included_beside(&file, of.1, all)?;
                    lookup.macros_and_functions(&file, of.1, all)?;
                }
                if may_be_dispatched(&file, of.1) && is_dispatched(&self.cache, &file, of.1) {
                    match rules::of(&file).members {
                        MemberOrder::Embedding => lookup.by_method_sets(&file, of.1, all)?,
                        MemberOrder::Implementations => lookup.by_traits(&file, of.1, all)?,
                        _ if rules::of(&file).has_includes => {
                            lookup.by_declarations(&file, of.1, all)?;
                        }
                        _ => lookup.by_classes(&file, of.1, all)?,
                    }
                }
                if rules::of(&file).members == MemberOrder::Embedding
                    && matches!(
                        file.symbol(of.1).kind,
                        SymbolKind::Function | SymbolKind::Method
                    )
                {
                    let (slots, is_cut) = assigned_to(self.read, &self.cache, &file, of.1)?;
                    all.is_cut |= is_cut;
                    for slot in slots {
                        all.add(slot, Provenance::Dispatch);
                    }
                }
                if rules::of(&file).is_ecmascript() {
                    if may_be_dispatched(&file, of.1) {
                        lookup.by_literals(&file, of.1, all)?;
                    }
                    let (wrappers, is_cut) = wrappers_of(self.read, &self.cache, &file, of.1)?;
                    all.is_cut |= is_cut;
                    for wrapper in wrappers {
                        all.add(wrapper, Provenance::Dispatch);
                    }
                }
                add_overloads(&file, of.1, all);
                all.related.remove(&of);
            }
            Ok(())
        })
    }
}

/// The look-up of the definitions that dispatch relates to one.
pub(super) struct DispatchLookup<'a, 'b> {
    pub(super) binder: &'a NameBinder<'b>,
    pub(super) linker: Linker<'a, 'b>,
}

impl DispatchLookup<'_, '_> {
    /// Adds the methods of classes above and below that a method overrides, or that override it.
    fn by_classes(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let Some(class) = file.symbol(at).parent.filter(|it| is_class(file, *it)) else {
            return Ok(());
        };
        let own = file.definition(class);
        // Another part of a partial method.
        let mut above = self.other_parts(own);
        above.extend(self.classes_above(own));
        let (below, is_cut) = self.classes_below(own, &mut all.derived)?;
        all.is_cut |= is_cut;
        let name = file.lookup_name(at);
        let kind = file.symbol(at).kind;
        let plain = &file.symbol(at).name;
        let explicit_name = |type_name: &str| format!("{type_name}.{plain}");
        let interface = file.explicit_interface(at);
        let own_type = &file.symbol(class).name;
        let n_above = above.len();
        for (n, (in_file, class)) in above.into_iter().chain(below).enumerate() {
            // The lower of both classes says what type parameters stand for.
            let object = if n < n_above { own } else { (in_file, class) };
            let object = Type::Instance(Def::Symbol(object.0.into(), object.1));
            let Some(other) = self.linker.cache.get(in_file) else {
                continue;
            };
            let fitting = |in_file: &Rc<LinkedFile>, of: SymbolIdx, name: &str| {
                let mut methods = in_file.members(of, name).to_vec();
                let fields_override = rules::of(in_file).fields_override;
                methods.retain(|method| {
                    (in_file.symbol(*method).kind == kind
                        || fields_override && may_be_dispatched(in_file, *method))
                        && is_dispatched(self.linker.cache, in_file, *method)
                        && self.may_override((in_file, *method), (file, at), &object)
                });
                methods
            };
            let other_type = &other.symbol(class).name;
            let found = if n < n_above {
                // An explicit implementation, `void IStore.Open()`, is that of one interface; beside it a method of the name alone is none.
                let is_another = match interface {
                    Some(interface) => interface != other_type,
                    None => !fitting(file, own.1, &explicit_name(other_type)).is_empty(),
                };
                if is_another {
                    continue;
                }
                fitting(&other, class, &name)
            } else if interface.is_some() {
                continue;
            } else {
                let explicit = fitting(&other, class, &explicit_name(own_type));
                if explicit.is_empty() {
                    fitting(&other, class, &name)
                } else {
                    explicit
                }
            };
            for method in found {
                all.add((in_file, method), Provenance::Dispatch);
                let takes_object = !other
                    .symbol(method)
                    .flags
                    .intersects(SymbolFlags::STATIC | SymbolFlags::CLASS_RECEIVER);
                if rules::of(&other).class_names_methods && takes_object {
                    all.by_objects.insert((in_file, method));
                }
            }
        }
        Ok(())
    }

    /// Adds the methods of a name in classes below one, of which no class above has a method of that name. Returns whether
    /// there may be more.
    fn methods_in_subclasses(
        &self,
        class: DefinitionId,
        name: &str,
        required: &[&str],
        found: &mut Vec<BaselessMethod>,
    ) -> Result<bool, StoreError> {
        let (below, is_cut) = self.classes_below(class, &mut DerivedClasses::default())?;
        let parts = self.other_parts(class);
        let own_name = self.linker.cache.get(class.0);
        let own_name = own_name.map_or_else(String::new, |it| it.symbol(class.1).name.clone());
        let has = |at: &DefinitionId, name: &str| {
            let file = self.linker.cache.get(at.0);
            file.is_some_and(|file| !methods(&file, at.1, name).is_empty())
        };
        for at in below {
            let Some(file) = self.linker.cache.get(at.0) else {
                continue;
            };
            // `string IStore.Name` of an interface that has no `Name` any more.
            let explicit = format!("{own_name}.{name}");
            for method in file.members(at.1, &explicit) {
                if may_be_dispatched(&file, *method) && file.explicit_interface(*method).is_some() {
                    found.push(BaselessMethod {
                        method: (at.0, *method),
                        lacks_required: false,
                        has_external_base: false,
                        is_refused: true,
                    });
                }
            }
            let mut above = self.classes_above(at);
            above.extend(self.other_parts(at));
            above.retain(|it| !parts.contains(it));
            if above.iter().any(|it| has(it, name)) {
                continue;
            }
            let is_class = file.symbol(at.1).kind == SymbolKind::Class;
            // An abstract class has to declare the methods of interfaces that it leaves to others.
            let is_interface = |it: &DefinitionId| self.is_interface(*it);
            let rules = rules::of(&file);
            let declares_all = (rules.is_csharp() || rules.is_ecmascript())
                && is_interface(&class)
                && self.bases(&file, at.1).iter().any(is_interface);
            let has_all = is_class && (declares_all || !self.is_abstract(&file, at.1));
            above.push(at);
            let has_external_base = above.iter().any(|it| self.has_external_base(*it));
            let offering = |name: &str| above.iter().any(|it| *it != class && has(it, name));
            let lacks_required = has_all && required.iter().any(|name| !offering(name));
            for method in methods(&file, at.1, name) {
                if may_be_dispatched(&file, method) {
                    found.push(BaselessMethod {
                        method: (at.0, method),
                        lacks_required,
                        has_external_base,
                        is_refused: false,
                    });
                }
            }
        }
        Ok(is_cut)
    }

    /// Adds the methods of a name in `impl` blocks of a trait. Returns whether there may be more.
    fn methods_in_impls(
        &self,
        of: DefinitionId,
        name: &str,
        found: &mut Vec<BaselessMethod>,
    ) -> Result<bool, StoreError> {
        let rows = self.symbols_named(name)?;
        for row in rows.iter().take(MAX_CANDIDATES) {
            let file = self.file_of(row)?;
            let file = file.filter(|it| rules::of(it).members == MemberOrder::Implementations);
            let Some(file) = file.filter(|_| row.kind == SymbolKind::Method) else {
                continue;
            };
            if self.trait_of(&file, row.ordinal) == Some(of) {
                found.push(BaselessMethod {
                    method: file.definition(row.ordinal),
                    lacks_required: false,
                    has_external_base: false,
                    is_refused: true,
                });
            }
        }
        Ok(rows.len() > MAX_CANDIDATES)
    }

    /// The types that a type is built on, at any height.
    pub(super) fn classes_above(&self, class: DefinitionId) -> Vec<DefinitionId> {
        self.above(class, |file, at| self.bases(file, at))
    }

    /// Those of the types above whose members a type has.
    pub(super) fn member_classes_above(&self, class: DefinitionId) -> Vec<DefinitionId> {
        self.above(class, |file, at| {
            self.defined(file, at, file.member_bases(at))
        })
    }

    fn above(
        &self,
        class: DefinitionId,
        bases: impl Fn(&Rc<LinkedFile>, SymbolIdx) -> Vec<DefinitionId>,
    ) -> Vec<DefinitionId> {
        let mut seen = self.parts(class);
        let n_own = seen.len();
        let mut next = 0;
        while let Some(&(in_file, class)) = seen.get(next) {
            next += 1;
            let Some(file) = self.linker.cache.get(in_file) else {
                continue;
            };
            for base in bases(&file, class) {
                if !seen.contains(&base) && seen.len() < MAX_CLASSES {
                    seen.extend(self.parts(base));
                }
            }
        }
        seen.split_off(n_own)
    }

    /// A type with its other parts, where it is declared in parts; itself first. One of very many parts is taken by itself: each is
    /// compared with each.
    pub(super) fn parts(&self, type_: DefinitionId) -> Vec<DefinitionId> {
        let parts = parts_of(&self.linker, type_);
        if parts.len() > MAX_PARTS {
            return vec![type_];
        }
        parts
    }

    fn other_parts(&self, type_: DefinitionId) -> Vec<DefinitionId> {
        self.parts(type_).split_off(1)
    }

    /// Returns the classes that are built on one, and whether there may be more.
    pub(super) fn classes_below(
        &self,
        class: DefinitionId,
        memo: &mut DerivedClasses,
    ) -> Result<(Vec<DefinitionId>, bool), StoreError> {
        let mut seen = self.parts(class);
        let n_own = seen.len();
        let mut n_files = 0;
        let mut next = 0;
        while let Some(&(in_file, class)) = seen.get(next) {
            next += 1;
            let Some(file) = self.linker.cache.get(in_file) else {
                continue;
            };
            let is_interface = file.symbol(class).kind == SymbolKind::Interface;
            for at in self.files_built_on(&file, class, is_interface)? {
                n_files += 1;
                if n_files > MAX_FILES || seen.len() > MAX_CLASSES {
                    return Ok((seen.split_off(n_own), true));
                }
                let Some(other) = self.linker.cache.get(at) else {
                    continue;
                };
                let known = memo.entry(at).or_insert_with(|| {
                    let classes = built(&other).into_iter();
                    classes
                        .map(|class| (class, self.bases(&other, class)))
                        .filter(|(_, bases)| !bases.is_empty())
                        .collect()
                });
                for (below, bases) in known.iter() {
                    if bases.contains(&(in_file, class)) && !seen.contains(&(at, *below)) {
                        let parts = self.parts((at, *below));
                        seen.extend(parts);
                    }
                }
            }
        }
        Ok((seen.split_off(n_own), false))
    }

    /// Returns the files that may have a class that is built on another: those in which a class names it, and where an interface is
    /// made an instance of, which makes a class without a name.
    fn files_built_on(
        &self,
        file: &LinkedFile,
        class: SymbolIdx,
        is_interface: bool,
    ) -> Result<BTreeSet<FileId>, StoreError> {
        let read = self.binder.read;
        let mut files = BTreeSet::from([file.file.file()]);
        let Some(row) = file.ids.get(class as usize) else {
            return Ok(files);
        };
        let is_abstract = is_interface || self.is_abstract(file, class);
        for edge in read.edges_into(*row)? {
            if files.contains(&edge.src_file) {
                continue;
            }
            let is_made = is_abstract && edge.kind == EdgeKind::Calls;
            let by_class = || match edge.src {
                Some(src) => read
                    .kind_of(src)
                    .map(|kind| kind.is_some_and(SymbolKind::is_type)),
                None => Ok(true),
            };
            if is_made || by_class()? {
                files.insert(edge.src_file);
            }
        }
        Ok(files)
    }

    /// Whether the signature of a class says that it is abstract.
    pub(super) fn is_abstract(&self, file: &LinkedFile, class: SymbolIdx) -> bool {
        let signature = self.linker.cache.signature_of(file, class);
        signature.is_some_and(|it| it.contains("abstract "))
    }

    fn is_interface(&self, type_: DefinitionId) -> bool {
        let file = self.linker.cache.get(type_.0);
        file.is_some_and(|file| file.symbol(type_.1).kind == SymbolKind::Interface)
    }

    /// Whether a class has a base that the repository does not define, as far as it is known.
    pub(super) fn has_external_base(&self, class: DefinitionId) -> bool {
        let file = self.linker.cache.get(class.0);
        file.is_some_and(|file| file.bases(class.1).count() > self.bases(&file, class.1).len())
    }

    pub(super) fn bases(&self, file: &Rc<LinkedFile>, class: SymbolIdx) -> Vec<DefinitionId> {
        self.defined(file, class, file.bases(class))
    }

    /// Returns the types among the bases of a class that the repository defines.
    fn defined(
        &self,
        file: &Rc<LinkedFile>,
        class: SymbolIdx,
        bases: impl Iterator<Item = ExprId>,
    ) -> Vec<DefinitionId> {
        let found = bases.filter_map(|base| {
            self.linker.refuel();
            self.linker.infer(file, base, None)?.definition()
        });
        found
            .filter(|base| *base != file.definition(class))
            .collect()
    }

    /// Whether two methods of one name can override one another: by their parameters, where methods of one name are told apart by these.
    /// `object` is an instance of the lower class.
    fn may_override(
        &self,
        one: (&Rc<LinkedFile>, SymbolIdx),
        other: (&Rc<LinkedFile>, SymbolIdx),
        object: &Type,
    ) -> bool {
        let is_static = |(file, at): (&Rc<LinkedFile>, SymbolIdx)| file.symbol(at).is_static();
        if is_static(one) != is_static(other) {
            return false;
        }
        if !rules::of(one.0).has_overloads {
            return true;
        }
        !is_static(one) && self.has_same_parameters(one, other, object)
    }

    /// Whether two methods of one name are the same by their parameters, where methods of one name are told apart by these.
    pub(super) fn has_same_parameters(
        &self,
        one: (&Rc<LinkedFile>, SymbolIdx),
        other: (&Rc<LinkedFile>, SymbolIdx),
        object: &Type,
    ) -> bool {
        if !rules::of(one.0).has_overloads {
            return true;
        }
        let n = n_params(one.0, one.1);
        n == n_params(other.0, other.1)
            && (0..n).all(|index| {
                let type_of = |(file, at): (&Rc<LinkedFile>, SymbolIdx)| {
                    self.linker.refuel();
                    let slot = Slot::Param(u8::try_from(index).ok()?);
                    self.linker.infer(file, file.value(at, slot)?, Some(object))
                };
                match (type_of(one), type_of(other)) {
                    (Some(one), Some(other)) => is_alike(&one, &other),
                    // A type parameter stands for no primitive type.
                    (Some(one), None) | (None, Some(one)) => !is_primitive(&one),
                    (None, None) => true,
                }
            })
    }

    /// Adds the method of the trait that an `impl` block's method implements, or the methods of `impl` blocks that implement a
    /// trait's.
    fn by_traits(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) -> Result<(), StoreError> {
        let name = &file.symbol(at).name;
        if let Some((in_file, of)) = self.trait_of(file, at) {
            if let Some(there) = self.linker.cache.get(in_file) {
                for method in there.members(of, name) {
                    all.add((in_file, *method), Provenance::Dispatch);
                }
            }
            return Ok(());
        }
        let is_trait = |at: &SymbolIdx| file.symbol(*at).kind == SymbolKind::Interface;
        let Some(of) = file.symbol(at).parent.filter(is_trait) else {
            return Ok(());
        };
        let mut n = 0;
        for row in self.symbols_named(name)? {
            if row.kind != SymbolKind::Method || row.path.extension() != Some("rs") {
                continue;
            }
            n += 1;
            if n > MAX_CANDIDATES {
                all.is_cut = true;
                return Ok(());
            }
            let Some(other) = self.file_of(&row)? else {
                continue;
            };
            if self.trait_of(&other, row.ordinal) == Some(file.definition(of)) {
                all.add(other.definition(row.ordinal), Provenance::Dispatch);
            }
        }
        Ok(())
    }

    /// Returns the trait that the `impl` block around a method implements.
    pub(super) fn trait_of(
        &self,
        file: &Rc<LinkedFile>,
        method: SymbolIdx,
    ) -> Option<DefinitionId> {
        let of = file.value(method, Slot::Base(BaseKind::Implements))?;
        self.linker.refuel();
        let of = self.linker.infer(file, of, None)?.definition()?;
        let there = self.linker.cache.get(of.0)?;
        (there.symbol(of.1).kind == SymbolKind::Interface).then_some(of)
    }

    /// Returns the type that a method is declared for.
    pub(super) fn owner(&self, file: &Rc<LinkedFile>, method: SymbolIdx) -> Option<DefinitionId> {
        let owner = file.facts.owner(method as usize)?;
        self.linker.refuel();
        let owner = self.linker.infer(file, owner, None)?.definition()?;
        let there = self.linker.cache.get(owner.0)?;
        there.symbol(owner.1).kind.is_type().then_some(owner)
    }

    /// Returns the symbols of a name, in its case.
    pub(super) fn symbols_named(&self, name: &str) -> Result<Vec<SymbolRow>, StoreError> {
        let mut rows = self.binder.read.symbols_named(&normal_form(name))?;
        rows.retain(|row| row.name == name);
        Ok(rows)
    }

    pub(super) fn file_of(&self, row: &SymbolRow) -> Result<Option<Rc<LinkedFile>>, StoreError> {
        let file = self.binder.read.file(row.path.as_str())?;
        let loaded = file.and_then(|file| self.linker.cache.get(file.id));
        Ok(loaded.filter(|it| it.facts.symbols.len() > row.ordinal as usize))
    }
}

/// Returns a definition as the linker names it.
pub(super) fn module_of((file, at): DefinitionId) -> (ModuleId, SymbolIdx) {
    (file.into(), at)
}

/// Returns a definition as the index names it.
pub(super) fn definition_id((module, at): (ModuleId, SymbolIdx)) -> DefinitionId {
    (module.file(), at)
}

/// Returns all parts of a type, itself first.
fn parts_of(linker: &Linker<'_, '_>, type_: DefinitionId) -> Vec<DefinitionId> {
    let parts = linker.all_parts(module_of(type_));
    parts.into_iter().map(definition_id).collect()
}

/// Adds the other overloads of a method: a call whose arguments do not decide may mean each of them.
fn add_overloads(file: &LinkedFile, at: SymbolIdx, all: &mut DispatchRelations) {
    if !rules::of(file).has_overloads || file.symbol(at).kind != SymbolKind::Method {
        return;
    }
    let n = n_params(file, at);
    for other in file.overloads(at) {
        let takes_any = |at| file.symbol(at).flags.contains(SymbolFlags::VARIADIC);
        if *other != at && (n_params(file, *other) == n || takes_any(*other) || takes_any(at)) {
            all.add(file.definition(*other), Provenance::Overload);
        }
    }
}

/// Returns the definitions that are built on something.
fn built(file: &LinkedFile) -> BTreeSet<SymbolIdx> {
    let is_base = |path: PathId| {
        let last = file.facts.exprs.last(path);
        last.is_some_and(|(before, slot)| before == PathId::EMPTY && matches!(slot, Slot::Base(_)))
    };
    let bindings = file.facts.bindings.iter();
    let built = bindings.filter(|binding| is_base(binding.path));
    let mut built: BTreeSet<SymbolIdx> = built.filter_map(|binding| binding.owner).collect();
    if rules::of(file).is_ecmascript() {
        // A method of an object literal has the type of that.
        built.retain(|at| file.symbol(*at).kind != SymbolKind::Method);
    }
    built
}

pub(super) fn is_class(file: &LinkedFile, at: SymbolIdx) -> bool {
    let kind = file.symbol(at).kind;
    kind.is_type() || kind == SymbolKind::EnumMember
}

/// Whether code may use another member in place of one: a method, in C# also a property, an indexer or an event, in some languages
/// each attribute.
pub(super) fn may_be_dispatched(file: &LinkedFile, at: SymbolIdx) -> bool {
    let rules = rules::of(file);
    let symbol = file.symbol(at);
    // The class is named where a static one is read, unless its instances have it too.
    let is_read_of_objects = !symbol.is_static() || rules.instances_have_static_members;
    match symbol.kind {
        SymbolKind::Method => true,
        SymbolKind::Property if rules.has_partial_types => true,
        SymbolKind::Property | SymbolKind::Field => rules.fields_override && is_read_of_objects,
        _ => false,
    }
}

/// Returns the members of a class that are looked up as methods of a name.
pub(super) fn methods(file: &LinkedFile, class: SymbolIdx, name: &str) -> Vec<SymbolIdx> {
    if rules::of(file).has_partial_types {
        // Of a property too, which no method shares its name with.
        let mut all = file.members(class, &format!("{name}()")).to_vec();
        all.extend(file.members(class, name));
        all
    } else if rules::of(file).has_overloads {
        file.members(class, &format!("{name}()")).to_vec()
    } else {
        file.members(class, name).to_vec()
    }
}

/// Whether calls of a method may run another one of its name: it is neither private nor a constructor.
fn is_dispatched(cache: &FactsCache<'_>, file: &LinkedFile, at: SymbolIdx) -> bool {
    let symbol = file.symbol(at);
    let name = symbol.name.as_str();
    let is_mangled = name.starts_with("__") && !name.ends_with("__");
    let signature = cache.signature_of(file, at).unwrap_or_default();
    let mut head = signature.split('(').next().unwrap_or("").split(' ');
    !is_mangled
        && !name.starts_with('#')
        && !NOT_DISPATCHED.contains(&name)
        && !head.any(|word| word == "private")
}

fn is_primitive(one: &Type) -> bool {
    matches!(one, Type::ExternalType(of) if of.name.starts_with(char::is_lowercase))
}

/// Whether two parameters may have the same type, whatever type arguments the classes have.
fn is_alike(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::External, _) | (_, Type::External) => true,
        (Type::ExternalType(one), Type::ExternalType(other)) => one.name == other.name,
        (Type::Container(_, one), Type::Container(_, other)) => is_alike(one, other),
        _ => one.unspecialized().instance() == other.unspecialized().instance(),
    }
}

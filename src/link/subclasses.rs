//! Classes that extend or implement another one, as far as a change of their base concerns them: whether they still have all
//! that it requires, and the methods by which they override its own.

use std::rc::Rc;

use super::cache::Def;
use super::dispatch::{DerivedClasses, DispatchLookup, is_class, may_be_dispatched, methods};
use super::file::LinkedFile;
use super::linker::Linker;
use super::name_binder::{DefinitionId, NameBinder};
use super::rules::{self, MemberOrder};
use super::types::Type;
use crate::model::{ModuleId, SymbolFlags, SymbolKind};
use crate::store::StoreError;

/// A class that extends or implements a base, directly or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Subclass {
    /// The class.
    pub class: DefinitionId,
    /// Whether it names the base itself.
    pub is_direct: bool,
    /// Whether it is an interface.
    pub is_interface: bool,
    /// Whether objects of it can be made: it is neither an interface nor abstract.
    pub is_concrete: bool,
    /// Whether it names an interface that is the base or is built on it.
    pub by_interface: bool,
    /// Whether it names an abstract class that is the base or is built on it.
    pub by_abstract_class: bool,
    /// Whether it is also built on something that is not known, which may have any member.
    pub has_external_base: bool,
    /// Whether it, or a class between it and the base, has the member.
    pub has_member: bool,
    /// Whether a class below it has that member.
    pub subclass_has_member: bool,
}

impl NameBinder<'_> {
    /// Returns the subclasses of the class around a member, with whether each has that member too, and whether there may be more. Empty
    /// where types satisfy interfaces without saying so.
    pub fn subclasses_with_member(
        &self,
        member: DefinitionId,
    ) -> Result<(Vec<Subclass>, bool), StoreError> {
        let found = self.with_lookup(member, |lookup, file| match rules::of(file).members {
            MemberOrder::Embedding | MemberOrder::Implementations => Ok((Vec::new(), false)),
            _ => lookup.subclasses_with_member(file, member.1),
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the subclasses of a class, each with whether it names that one itself, and whether there may be more.
    pub fn subclasses(
        &self,
        class: DefinitionId,
    ) -> Result<(Vec<(DefinitionId, bool)>, bool), StoreError> {
        let found = self.with_lookup(class, |lookup, file| match rules::of(file).members {
            MemberOrder::Embedding | MemberOrder::Implementations => Ok((Vec::new(), false)),
            _ => {
                let (below, is_cut) =
                    lookup.classes_below(class, &mut DerivedClasses::default())?;
                let own = lookup.parts(class);
                let each = below
                    .into_iter()
                    .map(|at| (at, lookup.is_direct_subclass(at, &own)));
                Ok((each.collect(), is_cut))
            }
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Returns a class and those whose members it has.
    pub fn class_and_bases(&self, class: DefinitionId) -> Result<Vec<DefinitionId>, StoreError> {
        let found = self.with_lookup(class, |lookup, _| {
            let mut all = lookup.parts(class);
            all.push(class);
            all.extend(lookup.member_classes_above(class));
            Ok(all)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the members of a name that the types declare which a class is built on.
    pub fn members_of_bases(
        &self,
        class: DefinitionId,
        name: &str,
    ) -> Result<Vec<DefinitionId>, StoreError> {
        let found = self.with_lookup(class, |lookup, _| {
            let mut members = Vec::new();
            for base in lookup.classes_above(class) {
                if let Some(file) = self.cache.get(base.0) {
                    let mut own = methods(&file, base.1, name);
                    own.extend(file.members(base.1, name));
                    own.sort_unstable();
                    own.dedup();
                    members.extend(own.into_iter().map(|at| file.definition(at)));
                }
            }
            Ok(members)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Returns the methods of classes below that override a method, and whether there may be more.
    pub fn overriding_methods(
        &self,
        method: DefinitionId,
    ) -> Result<(Vec<DefinitionId>, bool), StoreError> {
        let found = self.with_lookup(method, |lookup, file| {
            lookup.overriding_methods(file, method.1)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Looks up definitions that dispatch relates to one by `look_up`; `None` where its file has none at that place.
    pub(super) fn with_lookup<T>(
        &self,
        of: DefinitionId,
        look_up: impl FnOnce(&DispatchLookup<'_, '_>, &Rc<LinkedFile>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.cache.checked(|| {
            let file = self.cache.get(of.0);
            let file = file.filter(|it| it.facts.symbols.len() > of.1 as usize);
            let found = file.map(|file| {
                let lookup = DispatchLookup {
                    binder: self,
                    linker: Linker::new(&self.cache, Rc::clone(&file)),
                };
                look_up(&lookup, &file)
            });
            found.transpose()
        })
    }
}

impl DispatchLookup<'_, '_> {
    fn subclasses_with_member(
        &self,
        home: &Rc<LinkedFile>,
        member: u32,
    ) -> Result<(Vec<Subclass>, bool), StoreError> {
        let Some(class) = home.symbol(member).parent.filter(|it| is_class(home, *it)) else {
            return Ok((Vec::new(), false));
        };
        let name = &home.symbol(member).name;
        let explicit = format!("{}.{name}", home.symbol(class).name);
        let class = home.definition(class);
        let (below, is_cut) = self.classes_below(class, &mut DerivedClasses::default())?;
        let own = self.parts(class);
        let has = |at: &DefinitionId| {
            let Some(file) = self.linker.cache.get(at.0) else {
                return false;
            };
            let object = Type::Instance(Def::Symbol(ModuleId::from(at.0), at.1));
            let is_it = |other: &u32| {
                // A field stands for the accessor that is made of it.
                file.symbol(*other).kind != home.symbol(member).kind
                    || self.has_same_parameters((&file, *other), (home, member), &object)
            };
            let mut all = methods(&file, at.1, name);
            if home.symbol(member).kind != SymbolKind::Method {
                all.extend(file.members(at.1, name));
            }
            all.iter().any(is_it) || !file.members(at.1, &explicit).is_empty()
        };
        let mut subclasses = Vec::new();
        for at in &below {
            let Some(file) = self.linker.cache.get(at.0) else {
                continue;
            };
            let mut around = self.member_classes_above(*at);
            around.extend(self.parts(*at));
            around.retain(|it| !own.contains(it));
            let symbol = file.symbol(at.1);
            let (is_interface, is_abstract) = self.is_interface_or_abstract(*at);
            let mut named = self.bases(&file, at.1);
            named.retain(|it| own.contains(it) || below.contains(it));
            let forms = named.iter().map(|it| self.is_interface_or_abstract(*it));
            let forms: Vec<(bool, bool)> = forms.collect();
            subclasses.push(Subclass {
                class: *at,
                is_direct: self.is_direct_subclass(*at, &own),
                is_interface,
                is_concrete: !is_interface && !is_abstract,
                by_interface: forms.iter().any(|it| it.0),
                by_abstract_class: forms.iter().any(|it| !it.0 && it.1),
                has_external_base: around.iter().any(|it| self.has_external_base(*it)),
                has_member: around.iter().any(has)
                    || symbol.flags.contains(SymbolFlags::ANY_MEMBER),
                subclass_has_member: false,
            });
        }
        // A class between two others may leave the member to those below.
        let complete: Vec<DefinitionId> = below.iter().copied().filter(|at| has(at)).collect();
        let completed: Vec<DefinitionId> = complete
            .iter()
            .flat_map(|at| self.classes_above(*at))
            .collect();
        for subclass in &mut subclasses {
            subclass.subclass_has_member = completed.contains(&subclass.class);
        }
        Ok((subclasses, is_cut))
    }

    /// Whether a type is an interface, and whether it is said to be abstract.
    fn is_interface_or_abstract(&self, class: DefinitionId) -> (bool, bool) {
        let Some(file) = self.linker.cache.get(class.0) else {
            return (false, false);
        };
        let is_abstract = self.is_abstract(&file, class.1);
        let is_interface = file.symbol(class.1).kind == SymbolKind::Interface;
        (is_interface, is_abstract)
    }

    fn is_direct_subclass(&self, class: DefinitionId, bases: &[DefinitionId]) -> bool {
        let file = self.linker.cache.get(class.0);
        let named = file
            .map(|file| self.bases(&file, class.1))
            .unwrap_or_default();
        named.iter().any(|it| bases.contains(it))
    }

    fn overriding_methods(
        &self,
        file: &Rc<LinkedFile>,
        at: u32,
    ) -> Result<(Vec<DefinitionId>, bool), StoreError> {
        let class = file.symbol(at).parent.filter(|it| is_class(file, *it));
        let Some(class) = class.filter(|_| may_be_dispatched(file, at)) else {
            return Ok((Vec::new(), false));
        };
        let own = file.definition(class);
        let (below, is_cut) = self.classes_below(own, &mut DerivedClasses::default())?;
        let name = &file.symbol(at).name;
        let mut found = Vec::new();
        for (in_file, class) in below {
            let Some(other) = self.linker.cache.get(in_file) else {
                continue;
            };
            let object = Type::Instance(Def::Symbol(ModuleId::from(in_file), class));
            for method in methods(&other, class, name) {
                let overrides = !other.symbol(method).is_static()
                    && other.symbol(method).kind == file.symbol(at).kind
                    && self.has_same_parameters((&other, method), (file, at), &object);
                if overrides {
                    found.push((in_file, method));
                }
            }
        }
        Ok((found, is_cut))
    }
}

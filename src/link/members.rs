//! Members and elements: `object.name`, `object[index]`, iteration, for classes, objects, modules, and their bases.
//!
//! `lookup` binds the root of a chain.

use std::rc::Rc;

use super::cache::Def;
use super::csharp_parts::BasesApart;
use super::exports;
use super::file::{Access, LinkedFile};
use super::linker::{Linearization, Linker};
use super::lookup::receiver_of;
use super::path_names::{NameLookup, Wanted};
use super::rules::{self, ContainerMember, LanguageRules, MemberOrder};
use super::rust_std;
use super::types::{ExternalType, Type, each};
use crate::ir::{BaseKind, ContainerKind, ExportKind, PathId, Slot, SymbolIdx};
use crate::model::{ModuleId, SymbolFlags, SymbolKind};

/// The part of a container that is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contained {
    Element,
    Key,
}

impl Contained {
    fn of(self, kind: ContainerKind, element: &Type) -> Option<Type> {
        match (kind, self, element) {
            (ContainerKind::Map, Self::Element, Type::Tuple(pair)) => pair.get(1)?.clone(),
            (ContainerKind::Map, Self::Key, Type::Tuple(pair)) => pair.first()?.clone(),
            (ContainerKind::Sequence, Self::Key, _) => Some(Type::External),
            _ => Some(element.clone()),
        }
    }
}

/// Maximum embedding depth and number of embedded types (Go field promotion).
const MAX_EMBEDDED_DEPTH: usize = 16;
const MAX_EMBEDDED: usize = 256;

/// Variables that are followed to the type of one value.
const MAX_VALUES: usize = 8;

/// A part of a type, in its file.
type TypePart = (Rc<LinkedFile>, SymbolIdx);

/// Whether an external base is known to lack a member.
fn is_lacking(file: &LinkedFile, base: &Type, access: Access<'_>) -> bool {
    let rules = rules::of(file);
    match (base, access.name()) {
        (Type::ExternalType(of), Some(name)) if rules.is_java() => of.lacks(name),
        _ => false,
    }
}

impl Linker<'_, '_> {
    /// The member `name` of an object: a declared one, else one by an index signature.
    pub(super) fn member(&self, object: &Type, name: &str) -> Option<Type> {
        self.declared(object, Access::Name(name))
            .or_else(|| self.any_member(object))
    }

    /// Returns the member that something has by a name of its own.
    #[expect(clippy::match_same_arms, reason = "each arm is a case of its own")]
    pub(super) fn declared(&self, object: &Type, access: Access<'_>) -> Option<Type> {
        self.step()?;
        match object {
            Type::Container(_, element) if self.rules().is_c() => self.declared(element, access),
            Type::Container(_, element) if self.rules().is_csharp() => {
                let array = ExternalType::with("Array", [Some((**element).clone())]);
                self.declared(&array, access)
            }
            Type::Container(_, element) => {
                let rules = self.rules();
                let found = container_member(rules, element, access.name()?);
                found.or_else(|| rules.has_overloads.then_some(Type::External))
            }
            Type::Tuple(items) if self.rules().is_rust() => {
                items.get(access.name()?.parse::<usize>().ok()?)?.clone()
            }
            Type::Tuple(_) => None,
            Type::External if self.rules().is_rust() => {
                let method = access.name()?.strip_suffix("()");
                let found = method.and_then(|method| self.by_extension(None, method));
                let is_same = found.is_none() && method.is_some_and(rust_std::keeps_type);
                Some(if is_same {
                    Type::Callable(Rc::new(Type::External))
                } else {
                    found.unwrap_or(Type::External)
                })
            }
            Type::External if self.rules().has_method_values => {
                // `sp.GetRequiredService<Store>()`: what it gives may be written.
                let method = access.name().and_then(|name| name.strip_suffix("()"));
                Some(method.map_or(Type::External, ExternalType::method_of_some))
            }
            Type::External => Some(Type::External),
            Type::ExternalType(of) if self.rules().is_rust() => {
                self.standard_member(of, access.name()?)
            }
            Type::ExternalType(of) if self.rules().is_c() => {
                Some(Self::pointer_member(of, access.name()?))
            }
            Type::ExternalType(of) if self.rules().is_csharp() => of.dotnet_member(access.name()?),
            Type::ExternalType(of) if self.rules().is_go() => {
                Some(Type::ExternalMethod(Rc::clone(of), access.name()?.into()))
            }
            Type::ExternalType(of) => Some(of.member(access.name()?)),
            Type::ExternalMethod(..) | Type::Accessor(..) => None,
            Type::Callable(_) => {
                let is_call = self.rules().function_calls.contains(&access.name()?);
                is_call.then(|| object.clone())
            }
            Type::Union(all) => {
                let found = each(all, |one| self.declared(one, access))?;
                if found.is_external() && all.iter().any(|one| one.symbol().is_some()) {
                    // `T: Flag + Serialize`
                    return self.of_external_base(Some(found));
                }
                Some(found)
            }
            Type::AnonymousObject(file, owner, path) => {
                let loaded = self.cache.get(*file)?;
                loaded
                    .member_path(*path, access)
                    .and_then(|path| self.in_object(*file, *owner, path, object))
                    .or_else(|| self.in_base_of_object(&loaded, *owner, *path, access))
            }
            Type::Definition(Def::Module(file))
            | Type::Instance(Def::Module(file))
            | Type::Specialized(Def::Module(file), _) => {
                let name = access.name()?;
                if self.rules().has_module_tree {
                    let (bare, wanted) = Wanted::of(name);
                    return match self.in_definition(object, bare, wanted) {
                        NameLookup::Found(found) => Some(found),
                        _ if wanted == Wanted::Macro => {
                            self.macro_of_crate(&self.file, object, bare)
                        }
                        _ => None,
                    };
                }
                exports::resolve_for(self.cache, &self.file, *file, name)
                    .map(Type::Definition)
                    .or_else(|| self.documented_type(*file, name))
                    .or_else(|| {
                        let is_external = exports::is_of_package(self.cache, *file, name);
                        is_external.then_some(Type::External)
                    })
            }
            Type::Definition(Def::Symbol(file, at))
            | Type::Instance(Def::Symbol(file, at))
            | Type::Specialized(Def::Symbol(file, at), _) => {
                let loaded = self.cache.get(*file)?;
                if rules::of(&loaded).members == MemberOrder::Implementations {
                    return self.implemented(&loaded, *at, access, object);
                }
                let found = self.in_symbol(&loaded, *at, access, object);
                found.or_else(|| {
                    let name = access.name()?;
                    function_member(&loaded, *at, name, object)
                        .or_else(|| self.commonjs_extra_export(&loaded, *at, name, object))
                })
            }
        }
    }

    /// An export beside the assigned value: `b` of `module.exports = A; module.exports.b = …`.
    fn commonjs_extra_export(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        name: &str,
        object: &Type,
    ) -> Option<Type> {
        let own = &loaded.symbol(at).name;
        let is_whole = matches!(object, Type::Definition(_))
            && loaded.symbol(at).parent.is_none()
            && loaded
                .other_exports()
                .any(|export| export.kind == ExportKind::Assignment && export.local == *own);
        if !is_whole || name == "default" {
            return None;
        }
        let found = exports::resolve(self.cache, loaded.file, name);
        found.map(Type::Definition).or_else(|| {
            exports::is_of_package(self.cache, loaded.file, name).then_some(Type::External)
        })
    }

    /// The member of an object's bases, beside its own members.
    fn in_base_of_object(
        &self,
        loaded: &Rc<LinkedFile>,
        owner: Option<SymbolIdx>,
        path: PathId,
        access: Access<'_>,
    ) -> Option<Type> {
        let path = loaded.below(path, Slot::Base(BaseKind::Extends))?;
        let base = loaded.values(owner, Some(path)).next()?;
        let base = self.infer(loaded, base, None)?.instance();
        self.declared(&base, access)
            .or_else(|| self.any_member(&base))
    }

    /// The definition, value or object at a path of an owner.
    pub(super) fn in_object(
        &self,
        file: ModuleId,
        owner: Option<SymbolIdx>,
        path: PathId,
        this: &Type,
    ) -> Option<Type> {
        let loaded = self.cache.get(file)?;
        let is_nested = loaded.facts.exprs.last(path)?.0 != PathId::EMPTY;
        let defined = if is_nested {
            loaded.defined(owner, path)
        } else {
            &[]
        };
        if let Some(at) = defined.first() {
            // Two functions of one name may have object literals with such a member.
            let is_only = defined.len() == 1 || !owner.is_some_and(|at| is_scope(&loaded, at));
            return is_only.then_some(Type::Definition(Def::Symbol(file, *at)));
        }
        if let Some(value) = loaded.values(owner, Some(path)).next() {
            return self.infer(&loaded, value, Some(this));
        }
        loaded
            .is_object(owner, path)
            .then_some(Type::AnonymousObject(file, owner, path))
    }

    /// The member of a definition: its own, then that of its bases, then that of its value.
    fn in_symbol(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        access: Access<'_>,
        this: &Type,
    ) -> Option<Type> {
        if rules::of(loaded).has_overloads
            && loaded.symbol(at).kind == SymbolKind::EnumMember
            && !this.is_instance()
        {
            // Its type is the enumeration; what its own body says is not seen from outside.
            let held = self.declared_type(loaded, at, None)?;
            return self.declared(&held, access);
        }
        let all = loaded.overloads(at);
        if let Access::Name(name) = access {
            for at in all {
                let found = Self::own_member(loaded, *at, name, this);
                if found.is_some() {
                    return found;
                }
            }
            let found = self.member_elsewhere(loaded, at, name);
            if found.is_some() {
                return found;
            }
        }
        if let Some(path) = loaded.member_path(PathId::EMPTY, access) {
            for at in all {
                if let Some(found) = self.in_object(loaded.file, Some(*at), path, this) {
                    if rules::of(loaded).has_overloads {
                        return Some(found);
                    }
                    let declared = self.declared_by_base(loaded, *at, access, this);
                    return declared.or(Some(found));
                }
            }
        }
        match rules::of(loaded).members {
            MemberOrder::Linearization if loaded.symbol(at).kind == SymbolKind::Class => {
                return self.inherited(loaded.file, at, access, this);
            }
            MemberOrder::Embedding if loaded.symbol(at).kind.is_type() => {
                return self.promoted_member(loaded, at, access, this);
            }
            _ => {}
        }
        let (found, elsewhere) = self.in_other_parts(loaded, at, access, this)?;
        if found.is_some() {
            return found;
        }
        let own = all.iter().map(|at| (loaded, *at));
        let heads = own.chain(elsewhere.iter().map(|(file, at)| (file, *at)));
        let mut external = None;
        for (loaded, at) in heads {
            let infer_base = |base| {
                if !this.is_instance() {
                    self.infer(loaded, base, None)
                } else if rules::of(loaded).has_overloads {
                    // `class Nodes<T> extends ArrayList<T>`: what an external base gives is said here.
                    self.base_with_arguments(loaded, base, this)
                } else {
                    self.infer(loaded, base, None).map(Type::instance)
                }
            };
            let of_base = |base: Type| {
                let is_itself = base.unspecialized() == this.unspecialized();
                let may_have = !is_itself && !is_lacking(loaded, &base, access);
                may_have.then(|| self.declared(&base, access)).flatten()
            };
            let mut apart = BasesApart::default();
            let mut bases = loaded.member_bases(at).map(infer_base);
            while let Some(base) = bases.next() {
                let base = self.unless_apart(loaded, at, base, &mut apart);
                match base.and_then(of_base) {
                    // Another base may have it in the repository.
                    Some(found) if found.is_external() => external = external.or(Some(found)),
                    Some(found) if rules::of(loaded).has_overloads => {
                        let others = bases.flatten().filter_map(of_base);
                        return Some(self.most_specific(found, others));
                    }
                    Some(found) => return Some(found),
                    None => {}
                }
            }
            for base in apart.after(external.is_some()) {
                match of_base(base) {
                    Some(found) if found.is_external() => external = external.or(Some(found)),
                    Some(found) => return Some(found),
                    None => {}
                }
            }
        }
        if external.is_some() {
            return self.of_external_base(external);
        }
        if loaded.symbol(at).kind.is_type()
            && let Some(name) = access.name()
            && rules::of(loaded).root_members.has(name)
        {
            let method = name.strip_suffix("()");
            let method = method.filter(|_| rules::of(loaded).is_java());
            return Some(method.map_or(Type::External, ExternalType::method_of_some));
        }
        let held = self.declared_type(loaded, at, None)?;
        (held != *this)
            .then(|| self.declared(&held, access))
            .flatten()
    }

    /// Returns the member that another part of a type has, or else those of its parts that have bases.
    fn in_other_parts(
        &self,
        loaded: &LinkedFile,
        at: SymbolIdx,
        access: Access<'_>,
        this: &Type,
    ) -> Option<(Option<Type>, Vec<TypePart>)> {
        let mut with_bases = Vec::new();
        let parts = self.parts(loaded, at);
        for part in parts.iter().flat_map(|it| it.iter()) {
            let lacks = |name| !self.cache.may_have_member(*part, name);
            let has_bases = self.cache.may_have_bases(*part);
            if !has_bases && access.name().is_some_and(lacks) {
                continue;
            }
            let there = self.cache.get(part.0)?;
            let found = self.own_of_type(&there, part.1, access, this);
            if found.is_some() {
                return Some((found, Vec::new()));
            }
            if has_bases {
                with_bases.push((there, part.1));
            }
        }
        Some((None, with_bases))
    }

    /// Of the members that several bases have, returns the one of an interface that is built on those of the others; else the first. A
    /// member of a class comes before all of interfaces.
    fn most_specific(&self, first: Type, others: impl Iterator<Item = Type>) -> Type {
        let interface_of = |found: &Type| {
            let Type::Definition(Def::Symbol(file, at)) = found else {
                return None;
            };
            let owner = self.cache.get(*file)?.symbol(*at).parent?;
            let is_interface = self.kind(*file, owner) == Some(SymbolKind::Interface);
            is_interface.then_some(Type::Instance(Def::Symbol(*file, owner)))
        };
        let Some(mut owner) = interface_of(&first) else {
            return first;
        };
        let mut best = first;
        for other in others {
            let above = interface_of(&other).filter(|it| *it != owner);
            if let Some(below) = above
                && self.subclass_fit(&below, &owner).is_some()
            {
                (owner, best) = (below, other);
            }
        }
        best
    }

    /// Finds a promoted member: that of the least embedding depth, `None` where two types of one depth have it.
    fn promoted_member(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        access: Access<'_>,
        this: &Type,
    ) -> Option<Type> {
        let mut seen = vec![(loaded.file, at)];
        let mut level = vec![(Rc::clone(loaded), at, this.clone())];
        let mut external: Option<Type> = None;
        for _ in 0..MAX_EMBEDDED_DEPTH {
            let mut below = Vec::new();
            let mut found: Option<Type> = None;
            for (file, at, this) in &level {
                for base in file.bases(*at) {
                    let base = self.infer(file, base, Some(this)).map(Type::instance);
                    let Some((in_file, type_)) = base.as_ref().and_then(Type::symbol) else {
                        let base = base.filter(Type::is_external);
                        // One with type arguments may return these.
                        external = match (external, base) {
                            (None | Some(Type::External), Some(base)) => Some(base),
                            (external, _) => external,
                        };
                        continue;
                    };
                    if seen.contains(&(in_file, type_)) || seen.len() > MAX_EMBEDDED {
                        continue;
                    }
                    seen.push((in_file, type_));
                    let (Some(base), Some(there)) = (base, self.cache.get(in_file)) else {
                        continue;
                    };
                    if let Some(own) = self.own_of_type(&there, type_, access, &base) {
                        if found.is_some_and(|found| found != own) {
                            return None;
                        }
                        found = Some(own);
                    }
                    below.push((there, type_, base));
                }
            }
            if found.is_some() || below.is_empty() {
                if found.is_some() {
                    return found;
                }
                // An embedded type of another package may have it, if the name is exported.
                let is_exported = |name: &str| !name.starts_with(char::is_lowercase);
                let external = external.filter(|_| access.name().is_none_or(is_exported))?;
                return self.of_external_base(self.declared(&external, access));
            }
            level = below;
        }
        None
    }

    /// Returns the member that is declared in a type itself, or for it in another file.
    fn own_of_type(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        access: Access<'_>,
        this: &Type,
    ) -> Option<Type> {
        if let Access::Name(name) = access {
            let own = Self::own_member(loaded, at, name, this);
            let found = own.or_else(|| self.member_elsewhere(loaded, at, name));
            if found.is_some() {
                return found;
            }
        }
        let path = loaded.member_path(PathId::EMPTY, access)?;
        self.in_object(loaded.file, Some(at), path, this)
    }

    /// Returns the member of a type that is declared outside of it, in any file of its unit.
    fn member_elsewhere(&self, loaded: &LinkedFile, at: SymbolIdx, name: &str) -> Option<Type> {
        let symbol = loaded.symbol(at);
        if !rules::of(loaded).has_named_owners || symbol.parent.is_some() || !symbol.kind.is_type()
        {
            return None;
        }
        let found = exports::member_elsewhere(self.cache, loaded, &symbol.name, name);
        found.map(Type::Definition)
    }

    /// Returns the member of the first class that has it, in the method resolution order of the language.
    fn inherited(
        &self,
        file: ModuleId,
        class: SymbolIdx,
        access: Access<'_>,
        this: &Type,
    ) -> Option<Type> {
        let order = self.linearization(file, class);
        order.iter().skip(1).find_map(|(file, class)| {
            let loaded = self.cache.get(*file)?;
            let own = access
                .name()
                .and_then(|name| Self::own_member(&loaded, *class, name, this));
            own.or_else(|| {
                let path = loaded.member_path(PathId::EMPTY, access)?;
                self.in_object(*file, Some(*class), path, this)
            })
        })
    }

    /// Returns a class and all that it is built on, each before its bases and these in their order: the C3 linearization
    /// (Barrett et al., "A Monotonic Superclass Linearization for Dylan"), or where there is none each base with its own
    /// one after another. Bases that are not known are left out.
    pub(super) fn linearization(&self, file: ModuleId, class: SymbolIdx) -> Linearization {
        let key = (file, class);
        if let Some(known) = self.linearizations.borrow().get(&key) {
            return Rc::clone(known);
        }
        let keep = |order: Vec<(ModuleId, SymbolIdx)>| {
            let order: Linearization = order.into();
            let kept = Rc::clone(&order);
            self.linearizations.borrow_mut().insert(key, kept);
            order
        };
        // A class that is built on itself ends here.
        keep(vec![key]);
        let Some(loaded) = self.cache.get(file) else {
            return keep(vec![key]);
        };
        let bases = loaded.bases(class);
        let bases = bases.filter_map(|base| self.infer(&loaded, base, None)?.symbol());
        let bases: Vec<(ModuleId, SymbolIdx)> = bases.filter(|base| *base != key).collect();
        let orders = bases.iter().map(|base| self.linearization(base.0, base.1));
        let mut lists: Vec<Vec<(ModuleId, SymbolIdx)>> =
            orders.map(|order| order.to_vec()).collect();
        lists.push(bases);
        let mut order = vec![key];
        merge(lists, &mut order);
        keep(order)
    }

    fn own_member(loaded: &Rc<LinkedFile>, at: SymbolIdx, name: &str, this: &Type) -> Option<Type> {
        let is_scope = is_scope(loaded, at);
        // A local definition of a function is no member of it.
        let own = loaded.members(at, name).iter();
        let mut own = own.filter(|n| !is_scope || loaded.is_member_of_function(**n));
        let found = if !this.is_instance() {
            let first = own.clone().next();
            own.find(|n| loaded.symbol(**n).is_static()).or(first)
        } else if rules::of(loaded).instances_have_static_members {
            own.next()
        } else {
            own.find(|n| !loaded.symbol(**n).is_static())
        };
        found.map(|at| Type::Definition(Def::Symbol(loaded.file, *at)))
    }

    /// The field as a base declares it: a value that the class assigns to it is only one of those that it may hold.
    fn declared_by_base(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        access: Access<'_>,
        this: &Type,
    ) -> Option<Type> {
        if loaded.symbol(at).kind != SymbolKind::Class {
            return None;
        }
        let base = self.infer(loaded, loaded.member_bases(at).next()?, None)?;
        let base = base.instance();
        let found = (base != this.unspecialized()).then(|| self.declared(&base, access))??;
        let Type::Definition(Def::Symbol(file, field)) = found else {
            return None;
        };
        let there = self.cache.get(file)?;
        let is_field = matches!(
            there.symbol(field).kind,
            SymbolKind::Field | SymbolKind::Property
        );
        (is_field && self.declared_type(&there, field, None).is_some()).then_some(found)
    }

    /// The declared type of a variable, a field or a getter.
    pub(super) fn declared_type(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        this: Option<&Type>,
    ) -> Option<Type> {
        let symbol = loaded.symbol(at);
        if symbol.kind.is_type() {
            return None;
        }
        let value = loaded.values(symbol.parent, Some(loaded.path(at))).next();
        let read = || {
            let is_read = symbol.flags.contains(SymbolFlags::ACCESSOR);
            is_read.then(|| loaded.value(at, Slot::Return)).flatten()
        };
        let held = self.infer(loaded, value.or_else(read)?, this)?;
        Some(self.read_by_descriptor(loaded, at, &held).unwrap_or(held))
    }

    /// Follows a variable, a field or a getter to the type of its value.
    pub(super) fn value_type(&self, found: &Type) -> Type {
        let mut found = found.clone();
        for _ in 0..MAX_VALUES {
            let Type::Definition(Def::Symbol(file, at)) = found else {
                break;
            };
            let held = self.cache.get(file);
            let held = held.and_then(|loaded| self.declared_type(&loaded, at, None));
            match held {
                Some(held) if held != found => found = held,
                _ => break,
            }
        }
        found
    }

    /// The value of a field, a property or a member of an enumeration; anything else as it is. `None` where its type is not known.
    pub(super) fn member_value_type(&self, found: &Type) -> Option<Type> {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return Some(found.clone());
        };
        let loaded = self.cache.get(*file)?;
        if self.is_value_member(found) {
            self.declared_type(&loaded, *at, None)
        } else {
            Some(found.clone())
        }
    }

    /// Whether it is a field, a property or a member of an enumeration.
    pub(super) fn is_value_member(&self, found: &Type) -> bool {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return false;
        };
        let kind = self.kind(*file, *at);
        matches!(
            kind,
            Some(SymbolKind::Property | SymbolKind::Field | SymbolKind::EnumMember)
        )
    }

    /// The result of the descriptor protocol, `__get__`, where the class of an attribute's value has it.
    fn read_by_descriptor(&self, loaded: &LinkedFile, at: SymbolIdx, held: &Type) -> Option<Type> {
        let method = rules::of(loaded).descriptor_method?;
        let symbol = loaded.symbol(at);
        let is_attribute = symbol.kind == SymbolKind::Field && held.is_instance();
        let method = is_attribute.then(|| self.declared(held, Access::Name(method)))??;
        self.return_type(&method, Some(held), None)
    }

    /// The member of the first base that has it, of the class around a scope.
    pub(super) fn member_of_base(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> Option<(Type, Type)> {
        let receiver = receiver_of(file, scope)?;
        let (_, class) = receiver.symbol()?;
        let path = file.below(PathId::EMPTY, Slot::Base(BaseKind::Extends));
        file.values(Some(class), path).find_map(|base| {
            let base = self.infer(file, base, None)?;
            let base = if receiver.is_instance() {
                base.instance()
            } else {
                base
            };
            Some((self.member(&base, name)?, base))
        })
    }

    /// Returns one of the elements of something that is iterated or indexed.
    pub(super) fn element(&self, object: &Type) -> Option<Type> {
        self.contained(object, Contained::Element)
    }

    /// Returns the first variable of a loop: a key, a position, a sent value; in C++ and C# the element.
    pub(super) fn key(&self, object: &Type) -> Option<Type> {
        self.contained(object, Contained::Key)
    }

    fn contained(&self, object: &Type, part: Contained) -> Option<Type> {
        self.step()?;
        if self.rules().members == MemberOrder::Implementations {
            return self.implemented_element(object);
        }
        if self.rules().is_c() {
            return match part {
                Contained::Element => self.indexed(object),
                Contained::Key => self.looped(object),
            };
        }
        let (file, at) = match object {
            Type::Container(kind, element) => return part.of(*kind, element),
            Type::Tuple(items) => return items.iter().flatten().cloned().reduce(Type::or),
            Type::Union(all) => return each(all, |one| self.contained(one, part)),
            Type::External => return Some(Type::External),
            Type::ExternalType(_) if self.rules().is_go() => return Some(Type::unknown()),
            Type::ExternalType(of) if part == Contained::Key => return of.looped(),
            Type::ExternalType(of) => return of.element(),
            _ => object.symbol()?,
        };
        let loaded = self.cache.get(file)?;
        let is_class = loaded.symbol(at).kind == SymbolKind::Class && !object.is_instance();
        if is_class && rules::of(&loaded).constructs_by_call {
            // `Stack[int]` is the class.
            return Some(object.clone());
        }
        for base in loaded.member_bases(at) {
            let found = self
                .infer(&loaded, base, Some(object))
                .filter(|base| base != object)
                .and_then(|base| self.contained(&base, part));
            if found.is_some() {
                return found;
            }
        }
        let held = self.declared_type(&loaded, at, None);
        match held.filter(|held| held != object) {
            Some(held) => self.contained(&held, part),
            None if part == Contained::Key && !self.rules().is_csharp() => None,
            None => self.iterated(object, rules::of(&loaded)),
        }
    }

    /// One element of an instance, by the iteration protocol of its language: `__iter__` and `__next__` in Python, the
    /// callback of `forEach` in JavaScript. Rust is in `rust_impls`, C++ in `cpp_std`, C# in `dotnet_std`.
    fn iterated(&self, object: &Type, rules: &LanguageRules) -> Option<Type> {
        if !object.is_instance() {
            // `Stack[int]()` makes a `Stack`.
            return rules.constructs_by_call.then(|| object.clone());
        }
        if let Some(method) = rules.index_method
            && let Some(method) = self.declared(object, Access::Name(method))
        {
            if let Type::Definition(Def::Symbol(file, at)) = method
                && self.kind(file, at) == Some(SymbolKind::Property)
            {
                return self.declared_type(&self.cache.get(file)?, at, Some(object));
            }
            if let Some(found) = self.return_type(&method, Some(object), None) {
                return Some(found);
            }
        }
        if let Some(method) = rules.foreach_callback_method {
            // `forEach(cb: (one: T) => void)`
            let each = self.declared(object, Access::Name(method))?;
            let given = self.parameter(&each, 0, Some(object))?;
            return self.parameter(&given, 0, Some(object));
        }
        let (last, before) = rules.iterator_methods.split_last()?;
        let mut iterator = object.clone();
        for method in before {
            let method = self.declared(&iterator, Access::Name(method))?;
            iterator = self.return_type(&method, Some(&iterator), None)?;
        }
        if let Type::Container(_, element) = &iterator {
            return Some((**element).clone());
        }
        let method = self.declared(&iterator, Access::Name(last))?;
        self.return_type(&method, Some(&iterator), None)
    }

    /// The item at an index, for destructuring by position.
    pub(super) fn item(&self, object: &Type, index: usize) -> Option<Type> {
        match object {
            Type::Tuple(items) => items.get(index)?.clone(),
            Type::Union(all) => each(all, |one| self.item(one, index)),
            Type::ExternalType(of) if self.rules().is_c() => Some(
                of.args
                    .get(index)
                    .cloned()
                    .flatten()
                    .unwrap_or(Type::External),
            ),
            _ if self.rules().is_rust() => match self.unaliased(object) {
                Type::Tuple(items) => items.get(index)?.clone(),
                found => found.is_external().then_some(Type::External),
            },
            Type::ExternalType(of) if self.rules().is_csharp() => of.arg(index),
            _ if self.rules().is_csharp() => None,
            _ => self.element(object),
        }
    }

    /// The value that `with` binds.
    pub(super) fn entered(&self, object: &Type) -> Option<Type> {
        if self.rules().is_c() {
            return self.pointed(object);
        }
        match object {
            Type::Container(_, element) => return Some((**element).clone()),
            Type::Union(all) => return each(all, |one| self.entered(one)),
            _ => {}
        }
        let methods = self.rules().context_enter_methods.iter();
        let mut found = methods.filter_map(|method| self.declared(object, Access::Name(method)));
        match found.next() {
            Some(method) => self.return_type(&method, Some(object), None),
            None => Some(object.clone()),
        }
    }

    /// A member by an index signature: its own, or that of a base. `None` too where the type of a base is not known: that base
    /// may have the member.
    pub(super) fn any_member(&self, object: &Type) -> Option<Type> {
        self.step()?;
        let (file, at) = match object {
            Type::Container(ContainerKind::IndexSignature, element) => {
                return Some((**element).clone());
            }
            Type::Union(all) => return each(all, |one| self.any_member(one)),
            _ => object.symbol()?,
        };
        let loaded = self.cache.get(file)?;
        let mut found = None;
        if object.is_instance() {
            for base in loaded
                .overloads(at)
                .iter()
                .flat_map(|at| loaded.member_bases(*at))
            {
                let base = self.infer(&loaded, base, Some(object))?.instance();
                if base != object.unspecialized() {
                    found = found.or(self.any_member(&base));
                }
            }
        }
        found.or_else(|| {
            let held = self.declared_type(&loaded, at, None)?;
            (held != *object).then(|| self.any_member(&held)).flatten()
        })
    }
}

/// Appends the classes of several lists: always the first head that is in no other list's tail, else the first head.
fn merge(mut lists: Vec<Vec<(ModuleId, SymbolIdx)>>, order: &mut Vec<(ModuleId, SymbolIdx)>) {
    loop {
        lists.retain(|list| !list.is_empty());
        let Some(first) = lists.first() else {
            return;
        };
        let is_free = |head: &(ModuleId, SymbolIdx)| !lists.iter().any(|it| it[1..].contains(head));
        let mut heads = lists.iter().map(|list| list[0]);
        let next = heads.find(is_free).unwrap_or(first[0]);
        if !order.contains(&next) {
            order.push(next);
        }
        for list in &mut lists {
            list.retain(|class| *class != next);
        }
    }
}

/// The type of a member of a container.
fn container_member(rules: &LanguageRules, element: &Rc<Type>, name: &str) -> Option<Type> {
    Some(match rules.container_member(name)? {
        ContainerMember::SameContainer => Type::Callable(Rc::new(Type::Container(
            ContainerKind::Sequence,
            Rc::clone(element),
        ))),
        ContainerMember::Element => Type::Callable(Rc::clone(element)),
        ContainerMember::Pairs => {
            let pair = Type::Tuple([None, Some((**element).clone())].into());
            let pairs = Type::Container(ContainerKind::Sequence, Rc::new(pair));
            Type::Callable(Rc::new(pairs))
        }
    })
}

/// `f.call` and `f.apply` call `f`; `f.bind` returns a function that calls it.
fn function_member(
    loaded: &LinkedFile,
    at: SymbolIdx,
    name: &str,
    function: &Type,
) -> Option<Type> {
    if !matches!(
        loaded.symbol(at).kind,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constant
    ) {
        return None;
    }
    let rules = rules::of(loaded);
    if rules.function_calls.contains(&name) {
        return Some(function.clone());
    }
    let binds = rules.function_binds.contains(&name);
    binds.then(|| Type::Callable(Rc::new(function.clone())))
}

/// Whether names are defined inside a definition that are no members of it.
fn is_scope(loaded: &LinkedFile, at: SymbolIdx) -> bool {
    let kind = loaded.symbol(at).kind;
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

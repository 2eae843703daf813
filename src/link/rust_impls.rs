//! Members of types of Rust, whose `impl` blocks stand anywhere: fields, methods, those of traits, those of the type that a
//! type dereferences to.
//!
//! The blocks of a type are those of its own file and of the files of a unit that is named by it; each is compared with the
//! type by the meaning of its name there.

use std::rc::Rc;

use super::cache::Def;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::path_names::{NameLookup, Traits, Wanted, payload};
use super::rust_paths::Module;
use super::rust_std;
use super::types::{ExternalType, Type, each};
use crate::ir::{BaseKind, Expr, PathId, Slot, SymbolIdx};
use crate::model::{BuiltinSet, SymbolKind};

/// Names for types behind each other.
const MAX_ALIASES: usize = 8;

/// Methods of one name that are compared with a type.
const MAX_CANDIDATES: usize = 200;

/// Methods that most types have by the standard library, and that give the same type.
static SAME_TYPE: BuiltinSet = BuiltinSet::new(
    "Rust: methods of most types that give the same",
    "as_mut() as_ref() await() borrow() borrow_mut() by_ref() clone() cloned() into() into_iter() to_owned() +() \
     min() max()",
);

/// Methods of traits of the standard library that are often derived.
static DERIVED: BuiltinSet = BuiltinSet::new(
    "Rust: methods that are derived",
    "cmp() eq() fmt() hash() ne() partial_cmp() to_string() try_into() type_id() lt() le() gt() ge()",
);

/// Whether most types may have a method by traits of the standard library: `clone()`, `fmt()`.
pub(super) fn is_common(name: &str) -> bool {
    SAME_TYPE.has(name) || DERIVED.has(name)
}

impl Linker<'_, '_> {
    /// The member of a definition.
    pub(super) fn implemented(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        access: Access<'_>,
        this: &Type,
    ) -> Option<Type> {
        let name = access.name()?;
        match loaded.symbol(at).kind {
            SymbolKind::Namespace => {
                let module = Module {
                    file: Rc::clone(loaded),
                    inline: Some(at),
                };
                let (bare, wanted) = Wanted::of(name);
                match self.in_module(&module, bare, wanted) {
                    NameLookup::Found(found) => Some(found),
                    _ => None,
                }
            }
            SymbolKind::Type => {
                let held = self.unaliased(this);
                (held != *this).then(|| self.declared(&held, access))?
            }
            SymbolKind::EnumMember => {
                if let Some(value) = loaded.value_named(at, access) {
                    return self.infer(loaded, value, Some(this));
                }
                let parent = loaded.symbol(at).parent?;
                let parent = Type::Instance(Def::Symbol(loaded.file, parent));
                self.declared(&parent, access)
            }
            SymbolKind::Class | SymbolKind::Enum | SymbolKind::Interface => {
                self.of_type(loaded, at, name, this)
            }
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => None,
            _ => {
                let held = self.declared_type(loaded, at, None)?;
                (held != *this).then(|| self.declared(&held, access))?
            }
        }
    }

    /// The type that a name for it stands for, with the type arguments that the name is given.
    pub(super) fn unaliased(&self, found: &Type) -> Type {
        let mut found = found.clone();
        for _ in 0..MAX_ALIASES {
            let Some((file, at)) = found.symbol() else {
                break;
            };
            let Some(loaded) = self.cache.get(file) else {
                break;
            };
            if loaded.symbol(at).kind != SymbolKind::Type {
                break;
            }
            let Some(value) = loaded.bases(at).next() else {
                break;
            };
            let is_instance = found.is_instance();
            match self.infer(&loaded, value, Some(&found)) {
                Some(held) if held != found => {
                    found = match held {
                        Type::Instance(def) | Type::Specialized(def, _) if !is_instance => {
                            Type::Definition(def)
                        }
                        held => held,
                    }
                }
                _ => break,
            }
        }
        found
    }

    fn of_type(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        name: &str,
        this: &Type,
    ) -> Option<Type> {
        let (bare, _) = Wanted::of(name);
        if let Some((variant, place)) = payload(bare) {
            return self.part_of(loaded, at, variant, place, this);
        }
        let is_value = this.is_instance();
        let is_call = name.ends_with("()");
        // A type parameter is a value of its bound: `L::EMPTY` of `L: Store` is a constant of the trait.
        let is_trait = loaded.symbol(at).kind == SymbolKind::Interface;
        if is_value
            && !is_call
            && !is_trait
            && let Some(found) = self.field(loaded, at, bare, this)
        {
            return Some(found);
        }
        if is_trait {
            return self.of_trait(loaded, at, bare, is_call, this);
        }
        if let Some(found) = self.method(loaded, at, bare) {
            return Some(found);
        }
        if !is_call && let Some(found) = loaded.members(at, bare).first() {
            return Some(Type::Definition(Def::Symbol(loaded.file, *found)));
        }
        if !is_call && let Some(found) = self.associated(loaded, at, bare, this) {
            return Some(found);
        }
        let mut external = None;
        for of in self.traits(loaded, at).iter() {
            let found = match of {
                Type::ExternalType(of) => self.of_outer_trait(loaded, at, of, name, this),
                of => self.declared(of, Access::Name(name)),
            };
            match found {
                Some(found) if found.is_external() => external = external.or(Some(found)),
                // What a trait says of every type is said of this one below.
                Some(Type::Callable(_)) | None => {}
                Some(found) => return Some(found),
            }
        }
        if external.is_some() {
            return self.of_external_base(external);
        }
        if let Some(target) = self.associated(loaded, at, "Target", this)
            && target != *this
            && let Some(found) = self.declared(&target, Access::Name(name))
        {
            return Some(found);
        }
        let made = || Some(Type::Callable(Rc::new(this.clone().instance())));
        match name {
            "[]()" => {
                let index = self.method(loaded, at, "index")?;
                Some(Type::Callable(Rc::new(self.return_type(
                    &index,
                    Some(this),
                    None,
                )?)))
            }
            "default()" => made(),
            _ if is_value && SAME_TYPE.has(name) => made(),
            _ if DERIVED.has(name) => Some(Type::External),
            _ => None,
        }
    }

    /// The part of a value that a pattern takes: place `0` of `Some(x)`.
    fn part_of(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        variant: &str,
        place: &str,
        this: &Type,
    ) -> Option<Type> {
        let owner = if loaded.symbol(at).name == variant {
            at
        } else {
            *loaded.members(at, variant).first()?
        };
        let value = loaded.value_named(owner, Access::Name(place))?;
        self.infer(loaded, value, Some(this))
    }

    fn field(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        name: &str,
        this: &Type,
    ) -> Option<Type> {
        if let Some(value) = loaded.value_named(at, Access::Name(name)) {
            return self.infer(loaded, value, Some(this));
        }
        let target = self.associated(loaded, at, "Target", this)?;
        (target != *this).then(|| self.declared(&target, Access::Name(name)))?
    }

    /// The method of a trait, or of those that it is built on.
    fn of_trait(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        name: &str,
        is_call: bool,
        this: &Type,
    ) -> Option<Type> {
        if let Some(found) = loaded.members(at, name).first() {
            return Some(Type::Definition(Def::Symbol(loaded.file, *found)));
        }
        if !is_call && let Some(value) = loaded.value_named(at, Access::Name(name)) {
            return self.infer(loaded, value, Some(this));
        }
        // `impl dyn Trait { … }`
        if let Some(found) = self.method(loaded, at, name) {
            return Some(found);
        }
        let asked = if is_call {
            format!("{name}()")
        } else {
            name.to_owned()
        };
        let mut external = None;
        for base in loaded.bases(at) {
            let base = self.infer(loaded, base, Some(this));
            let found = base
                .filter(|base| base.unspecialized() != this.unspecialized())
                .and_then(|base| self.declared(&base, Access::Name(&asked)));
            match found {
                Some(found) if found.is_external() => external = external.or(Some(found)),
                Some(found) => return Some(found),
                None => {}
            }
        }
        if external.is_none() && this.is_instance() && SAME_TYPE.has(&asked) {
            return Some(Type::Callable(Rc::new(this.clone())));
        }
        self.of_external_base(external)
    }

    /// The files with `impl` blocks of a type: its own, and those of its unit.
    pub(super) fn files_of(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx) -> Vec<Rc<LinkedFile>> {
        let mut files = vec![Rc::clone(loaded)];
        let unit = loaded.import(&format!("impl {}", loaded.symbol(at).name));
        if let Some(unit) = unit.and_then(|it| it.0).and_then(|it| self.cache.get(it)) {
            let others = unit.files_of_unit().iter();
            files.extend(others.filter_map(|file| self.cache.get(*file)));
        }
        files
    }

    /// The method, or the constant, that an `impl` block of a type has: of one without a trait before all others.
    fn method(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx, name: &str) -> Option<Type> {
        let symbol = loaded.symbol(at);
        if symbol
            .parent
            .is_some_and(|parent| loaded.symbol(parent).kind != SymbolKind::Namespace)
        {
            // A type of a function has its methods inside.
            let own = loaded.members(at, name).first()?;
            return Some(Type::Definition(Def::Symbol(loaded.file, *own)));
        }
        let key = (loaded.file, at, name.to_owned());
        if let Some(known) = self.methods.borrow().get(&key) {
            return known.clone();
        }
        let found = self.search_method(loaded, at, name);
        if self.has_fuel() {
            self.methods.borrow_mut().insert(key, found.clone());
        }
        found
    }

    fn search_method(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx, name: &str) -> Option<Type> {
        let there = format!("{}.{name}", loaded.symbol(at).name);
        let mut of_trait: Option<(Type, Option<Type>)> = None;
        let mut is_ambiguous = false;
        // Those of one trait with several arguments give alike: `TryFrom<u8>` and `TryFrom<u16>`.
        let mut is_of_one_trait = true;
        let mut all = Vec::new();
        let mut n_compared = 0;
        for file in self.files_of(loaded, at) {
            for candidate in file.top_level(&there) {
                n_compared += 1;
                if n_compared > MAX_CANDIDATES {
                    return None;
                }
                let Some(owner) = file.facts.owner(*candidate as usize) else {
                    continue;
                };
                let of = self.infer(&file, owner, None).map(|it| self.unaliased(&it));
                if of.and_then(|it| it.symbol()) != Some((loaded.file, at)) {
                    continue;
                }
                let found = Type::Definition(Def::Symbol(file.file, *candidate));
                let Some(of) = file.value(*candidate, Slot::Base(BaseKind::Implements)) else {
                    return Some(found);
                };
                let of = self.infer(&file, of, None).map(|it| it.unspecialized());
                match &of_trait {
                    None => {
                        all.push(found.clone());
                        of_trait = Some((found, of));
                    }
                    // Which of several traits is meant depends on the arguments.
                    Some((_, first)) => {
                        all.push(found);
                        is_of_one_trait &= is_same_trait(first.as_ref(), of.as_ref());
                        is_ambiguous |= *first != of;
                    }
                }
            }
        }
        if is_ambiguous {
            return is_of_one_trait.then(|| Type::Union(all.into()));
        }
        of_trait.map(|(found, _)| found)
    }

    /// A type that the `impl` blocks of another say: `type Item = Entry;`.
    fn associated(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        name: &str,
        this: &Type,
    ) -> Option<Type> {
        if let Some(value) = loaded.value_named(at, Access::Name(name))
            && loaded.symbol(at).parent.is_some()
        {
            return self.infer(loaded, value, Some(this));
        }
        let there = format!("{}::{name}", loaded.symbol(at).name);
        for file in self.files_of(loaded, at) {
            let path = file.member_path(PathId::EMPTY, Access::Name(&there));
            if path.is_none() {
                file.record_name(&there);
            }
            if let Some(value) = file.values(None, path).next() {
                return self.infer(&file, value, Some(this));
            }
        }
        None
    }

    /// The traits that a type implements, as values of them.
    pub(super) fn traits(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx) -> Traits {
        let key = (loaded.file, at);
        if let Some(known) = self.traits.borrow().get(&key) {
            return Rc::clone(known);
        }
        // A trait that is implemented by way of itself ends here.
        self.traits.borrow_mut().insert(key, Rc::default());
        let mut found = Vec::new();
        for base in loaded.bases(at) {
            found.extend(self.infer(loaded, base, None));
        }
        let name = &loaded.symbol(at).name;
        for file in self.files_of(loaded, at) {
            let path = file.member_path(PathId::EMPTY, Access::Name(name));
            let path = path.and_then(|it| file.below(it, Slot::Base(BaseKind::Implements)));
            if path.is_none() {
                file.record_name(name);
            }
            let pairs: Vec<_> = file.values(None, path).collect();
            for pair in pairs {
                let Expr::Tuple(pair) = file.expr(pair) else {
                    continue;
                };
                let [of, base] = &**pair else { continue };
                let of = self.infer(&file, *of, None).map(|it| self.unaliased(&it));
                if of.and_then(|it| it.symbol()) == Some(key)
                    && let Some(base) = self.infer(&file, *base, None)
                    && !found.contains(&base)
                {
                    found.push(base);
                }
            }
        }
        let found: Traits = found.into();
        if self.has_fuel() {
            self.traits.borrow_mut().insert(key, Rc::clone(&found));
        } else {
            self.traits.borrow_mut().remove(&key);
        }
        found
    }

    /// The member that a trait of the standard library gives a type: `map` of an `Iterator`.
    fn of_outer_trait(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        of: &Rc<ExternalType>,
        name: &str,
        this: &Type,
    ) -> Option<Type> {
        let method = name.strip_suffix("()")?;
        let part = match &*of.name {
            "Iterator" | "DoubleEndedIterator" | "ExactSizeIterator" => "Item",
            "Future" => "Output",
            _ => return None,
        };
        rust_std::is_known(method).then_some(())?;
        let item = self.associated(loaded, at, part, this);
        let of = ExternalType {
            name: if part == "Item" {
                "Iterator".into()
            } else {
                Rc::clone(&of.name)
            },
            module: None,
            args: Rc::from([item]),
        };
        Some(Type::ExternalMethod(Rc::new(of), method.into()))
    }

    /// One element of a value that a loop goes through.
    pub(super) fn implemented_element(&self, object: &Type) -> Option<Type> {
        self.step()?;
        let object = self.unaliased(object);
        match &object {
            Type::Union(all) => return each(all, |one| self.implemented_element(one)),
            Type::External => return Some(Type::External),
            Type::ExternalType(of) => return self.standard_element(of),
            Type::Tuple(_) => return None,
            _ => {}
        }
        let (file, at) = object.symbol()?;
        let loaded = self.cache.get(file)?;
        if let Some(item) = self.associated(&loaded, at, "Item", &object) {
            return Some(item);
        }
        for method in ["into_iter()", "iter()"] {
            if let Some(Type::Definition(found)) = self.declared(&object, Access::Name(method)) {
                let found = Type::Definition(found);
                let given = self.return_type(&found, Some(&object), None)?;
                return (given != object).then(|| self.implemented_element(&given))?;
            }
        }
        for base in loaded.bases(at) {
            let base = self.infer(&loaded, base, Some(&object))?;
            if base != object
                && let Some(found) = self.implemented_element(&base)
            {
                return Some(found);
            }
        }
        let target = self.associated(&loaded, at, "Target", &object)?;
        (target != object).then(|| self.implemented_element(&target))?
    }
}

/// Whether two bases are one trait, whatever its type arguments are.
fn is_same_trait(one: Option<&Type>, other: Option<&Type>) -> bool {
    match (one, other) {
        (Some(Type::ExternalType(one)), Some(Type::ExternalType(other))) => one.name == other.name,
        (Some(one), Some(other)) => one.symbol().is_some() && one.symbol() == other.symbol(),
        _ => false,
    }
}

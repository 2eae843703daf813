//! Names of C and C++: those of the classes and namespaces around, of the file and of all that it includes; and the
//! definition behind a declaration.
//!
//! A name with the names before it is one name with dots, that of a type begins with `type `. Which of several functions
//! of one name takes the arguments is decided by `cpp_overloads`.

use std::rc::Rc;

use super::cache::Def;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::macro_namespaces::is_within;
use super::path_names::SymbolKey;
use super::types::{ExternalType, Type};
use crate::ir::{Expr, ExprId, PathId, Slot, SymbolIdx};
use crate::model::hash::HashSet;
use crate::model::{BuiltinSet, ModuleId, Symbol, SymbolFlags, SymbolKind};

/// How many files one file is looked at to include, with those that they include.
const MAX_INCLUDED: usize = 4_000;

/// How many files that include one for its text are asked for a name.
const MAX_INCLUDERS: usize = 32;

/// Definitions of one name that are compared.
const MAX_CANDIDATES: usize = 256;

/// Names for names behind each other: `namespace fs = std::filesystem`.
const MAX_ALIASES: usize = 4;

/// A name and what it is a member of.
type ScopedName = (Type, Option<Type>);

/// Prefix of the names of types in the facts.
const TYPE: &str = "type ";

/// Prefix of the names in conditions before preprocessing, where macros alone are seen.
pub(super) const MACRO: &str = "macro ";

impl Linker<'_, '_> {
    /// Returns the file and all that it includes, the nearest first. They are held until the file is linked: each of its names goes through
    /// all of them, and they may be more than the cache keeps.
    fn included(&self, file: ModuleId) -> Rc<[Rc<LinkedFile>]> {
        if let Some(known) = self.included_files.borrow().get(&file) {
            for held in known.iter() {
                self.cache.record_held(held);
            }
            return Rc::clone(known);
        }
        let mut open = vec![file];
        let mut seen: HashSet<ModuleId> = HashSet::default();
        seen.insert(file);
        let mut all = Vec::new();
        let mut next = 0;
        while let Some(at) = open.get(next).copied() {
            next += 1;
            let Some(loaded) = self.held(at) else {
                continue;
            };
            for target in loaded.included_files() {
                if open.len() < MAX_INCLUDED && seen.insert(*target) {
                    open.push(*target);
                }
            }
            all.push(loaded);
        }
        let all: Rc<[Rc<LinkedFile>]> = all.into();
        self.included_files
            .borrow_mut()
            .insert(file, Rc::clone(&all));
        all
    }

    /// Whether a file is another one or includes it.
    pub(super) fn includes(&self, file: ModuleId, included: ModuleId) -> bool {
        self.included(file).iter().any(|it| it.file == included)
    }

    /// Returns the facts of a file, which are held from then on.
    fn held(&self, file: ModuleId) -> Option<Rc<LinkedFile>> {
        if let Some(held) = self.held_files.borrow().get(&file) {
            self.cache.record_held(held);
            return Some(Rc::clone(held));
        }
        let loaded = self.cache.get(file)?;
        let mut held = self.held_files.borrow_mut();
        held.insert(file, Rc::clone(&loaded));
        Some(loaded)
    }

    /// Returns the definitions and declarations of a name at the top level of a file and of all that it includes.
    pub(super) fn visible(&self, file: ModuleId, name: &str) -> Rc<[SymbolKey]> {
        let key = (file, name.to_owned());
        if let Some(known) = self.included_names.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        for loaded in self.included(file).iter() {
            let here = loaded.top_level(name).iter();
            found.extend(here.map(|symbol| (loaded.file, *symbol)));
            if found.len() >= MAX_CANDIDATES {
                break;
            }
        }
        let found: Rc<[SymbolKey]> = found.into();
        self.included_names
            .borrow_mut()
            .insert(key, Rc::clone(&found));
        found
    }

    /// Returns the definitions and declarations of a name that a file which is included for its text has from its includers: those that all
    /// of these see which see any.
    fn visible_to_includers(&self, file: ModuleId, name: &str) -> Rc<[SymbolKey]> {
        let owners = self.fragment_owners(file);
        let seen = owners.iter().map(|owner| self.visible(*owner, name));
        let mut seen = seen.filter(|it| !it.is_empty());
        let Some(first) = seen.next() else {
            return Rc::new([]);
        };
        seen.fold(first, |all, other| {
            let shared = all.iter().filter(|it| other.contains(it));
            shared.copied().collect()
        })
    }

    /// Returns the files that include a file for its text.
    fn fragment_owners(&self, file: ModuleId) -> Rc<[ModuleId]> {
        if let Some(known) = self.fragment_owners.borrow().get(&file) {
            return Rc::clone(known);
        }
        let owners = self.cache.fragment_owners(file);
        let owners = owners.into_iter().take(MAX_INCLUDERS);
        let owners: Rc<[ModuleId]> = owners.map(ModuleId::from).collect();
        self.fragment_owners
            .borrow_mut()
            .insert(file, Rc::clone(&owners));
        owners
    }

    /// Returns the meaning of a name in a scope, with what it is a member of.
    pub(super) fn included_name(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> Option<ScopedName> {
        self.step()?;
        if let Some(name) = name.strip_prefix(MACRO) {
            return Some((self.visible_macro(file, name)?, None));
        }
        let (path, wants_type) = match name.strip_prefix(TYPE) {
            Some(path) => (path, true),
            None => (name, false),
        };
        if let Some(name) = path.strip_prefix('.') {
            // `::open(path)`: no class and no namespace around is asked.
            return Some((self.of_namespaces(file, None, name, wants_type)?, None));
        }
        let first = path.split('.').next().unwrap_or(path);
        if matches!(first, "std" | "__gnu_cxx" | "__builtin") {
            return Some((external(path, wants_type), None));
        }
        if wants_type && PRIMITIVES.has(path) {
            return Some((ExternalType::plain(path), None));
        }
        let mut external = None;
        if !path.contains('.') {
            match self.member_around(file, scope, path, wants_type) {
                Some(found) if !found.0.is_external() => return Some(found),
                found => external = found,
            }
        }
        let found = self.of_namespaces(file, scope, path, wants_type);
        if let Some(found) = found {
            return Some((found, None));
        }
        if let Some((before, last)) = path.rsplit_once('.') {
            let _inside = self.descend()?;
            let (owner, _) = self.included_name(file, scope, &format!("{TYPE}{before}"))?;
            let object = owner.clone();
            let found = self.declared(&object, Access::Name(last))?;
            return Some((found, Some(owner.instance())));
        }
        if wants_type && STANDARD_TYPES.has(path) {
            return Some((ExternalType::plain(path), None));
        }
        // What an external base has, it may have.
        external
    }

    /// Returns the qualified name of the class by which a path names its member: `Mode` of `Mode::fast`, also of one that it lacks.
    pub(super) fn class_of_path(&self, value: ExprId) -> Option<String> {
        self.refuel();
        let facts = &self.file.facts;
        let (name, scope) = match facts.exprs.get(value) {
            Expr::Name { name, scope } => (facts.exprs.name_of(*name), *scope),
            Expr::Callee { call: inner }
            | Expr::Call { callee: inner, .. }
            | Expr::Construct { class: inner }
            | Expr::Specialized { base: inner, .. } => return self.class_of_path(*inner),
            _ => return None,
        };
        let (before, _) = name.strip_prefix(TYPE).unwrap_or(name).rsplit_once('.')?;
        let (class, _) = self.included_name(&self.file, scope, &format!("{TYPE}{before}"))?;
        self.class_of_type(&class)
    }

    /// The member of the innermost class around a scope that has it.
    fn member_around(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
        wants_type: bool,
    ) -> Option<ScopedName> {
        let mut external = None;
        let mut at = scope.map(|symbol| (Rc::clone(file), symbol));
        let mut n_seen = 0;
        while let Some((in_file, symbol)) = at {
            n_seen += 1;
            if n_seen > 32 {
                break;
            }
            let around = in_file.symbol(symbol);
            let parent = around.parent.map(|parent| (Rc::clone(&in_file), parent));
            if around.kind.is_type() {
                if around.name == name && around.kind == SymbolKind::Class {
                    return Some((Type::Definition(Def::Symbol(in_file.file, symbol)), None));
                }
                let key = (in_file.file, symbol);
                if self.open_scopes.borrow().contains(&key) {
                    // Its own members are known without its bases.
                    let own = in_file.members(symbol, name).first();
                    let own = own.map(|own| Type::Definition(Def::Symbol(in_file.file, *own)));
                    if let Some(own) = own.filter(|own| self.is_wanted(own, wants_type)) {
                        return Some((own, None));
                    }
                } else {
                    let receiver = Type::Instance(Def::Symbol(in_file.file, symbol));
                    self.open_scopes.borrow_mut().push(key);
                    let found = self.declared(&receiver, Access::Name(name));
                    self.open_scopes.borrow_mut().pop();
                    match found {
                        Some(found) if found.is_external() && !wants_type => {
                            external = external.or(Some((found, Some(receiver))));
                        }
                        Some(found) if self.is_wanted(&found, wants_type) => {
                            return Some((found, Some(receiver)));
                        }
                        _ => {}
                    }
                }
                at = parent.or_else(|| self.class_of_outline(&in_file, symbol));
                continue;
            }
            let owner = in_file.facts.owner(symbol as usize);
            at = match owner {
                Some(owner) if parent.is_none() => {
                    let key = (in_file.file, symbol);
                    if self.open_scopes.borrow().contains(&key) {
                        None
                    } else {
                        self.open_scopes.borrow_mut().push(key);
                        let found = self.infer(&in_file, owner, None);
                        self.open_scopes.borrow_mut().pop();
                        found
                            .and_then(|found| found.symbol())
                            .and_then(|(file, class)| Some((self.cache.get(file)?, class)))
                    }
                }
                _ => parent,
            };
        }
        external
    }

    /// Returns the class around one that is defined outside of it: `Info` of `class Info::Walker {`.
    fn class_of_outline(
        &self,
        file: &Rc<LinkedFile>,
        class: SymbolIdx,
    ) -> Option<(Rc<LinkedFile>, SymbolIdx)> {
        let (around, _) = file.symbol(class).qualified_name.rsplit_once('.')?;
        let found = self.in_spaces(file, &[String::new()], around, true)?;
        let (in_file, at) = found.symbol()?;
        let in_file = self.cache.get(in_file)?;
        (in_file.symbol(at).kind == SymbolKind::Class).then_some((in_file, at))
    }

    fn is_wanted(&self, found: &Type, wants_type: bool) -> bool {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return !wants_type;
        };
        match self.kind(*file, *at) {
            None | Some(SymbolKind::Constructor) => false,
            Some(kind) => !wants_type || kind.is_type(),
        }
    }

    /// The meaning of a name by the namespaces around a scope and those whose names are used here.
    fn of_namespaces(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        path: &str,
        wants_type: bool,
    ) -> Option<Type> {
        let mut spaces = namespaces_around(file, scope);
        for opened in self.macro_namespaces(file).iter() {
            let inner: Vec<String> = spaces.iter().map(|space| within(opened, space)).collect();
            spaces.extend(
                inner
                    .into_iter()
                    .map(|it| it.trim_end_matches('.').to_owned()),
            );
        }
        let mut path = path.to_owned();
        for _ in 0..MAX_ALIASES {
            if let Some(found) = self.in_spaces(file, &spaces, &path, wants_type) {
                return Some(found);
            }
            // `using ns::open;`, `namespace fs = std::filesystem;`
            let (first, rest) = match path.split_once('.') {
                Some((first, rest)) => (first, Some(rest)),
                None => (path.as_str(), None),
            };
            let Some(target) = self.used_name(file.file, first) else {
                break;
            };
            path = match rest {
                Some(rest) => format!("{target}.{rest}"),
                None => target,
            };
            if path == "std" || path.starts_with("std.") {
                return Some(external(&path, wants_type));
            }
            spaces.push(String::new());
        }
        None
    }

    /// Returns the definitions of a name that a file sees.
    fn seen_by(&self, file: &LinkedFile, name: &str) -> Rc<[SymbolKey]> {
        let mut found = self.visible(file.file, name);
        if found.is_empty() && file.file != self.file.file {
            // A header may use what its includers have included before.
            found = self.visible(self.file.file, name);
        }
        if found.is_empty() {
            found = self.visible_to_includers(file.file, name);
        }
        found
    }

    /// Returns the macro of a name that a file sees.
    fn visible_macro(&self, file: &LinkedFile, name: &str) -> Option<Type> {
        let all = self.seen_by(file, name);
        let mut macros = all.iter().filter(|(file, at)| {
            let loaded = self.cache.get(*file);
            loaded.is_some_and(|it| it.symbol(*at).flags.contains(SymbolFlags::MACRO))
        });
        let (file, at) = macros.next()?;
        Some(Type::Definition(Def::Symbol(*file, *at)))
    }

    fn in_spaces(
        &self,
        file: &Rc<LinkedFile>,
        spaces: &[String],
        path: &str,
        wants_type: bool,
    ) -> Option<Type> {
        let last = path.rsplit('.').next().unwrap_or(path);
        let candidates = self.seen_by(file, last);
        if candidates.is_empty() {
            return None;
        }
        let names: Vec<String> = spaces.iter().map(|space| within(space, path)).collect();
        let mut used: Option<Vec<String>> = None;
        let mut best: Option<((usize, u8, bool, bool), SymbolKey)> = None;
        for (in_file, at) in candidates.iter() {
            let Some(loaded) = self.cache.get(*in_file) else {
                continue;
            };
            let symbol = loaded.symbol(*at);
            // `TEST(RE2, Extract)` is no `RE2::Extract`.
            let is_test = symbol.flags.contains(SymbolFlags::TEST);
            if is_test || loaded.facts.owner(*at as usize).is_some() {
                continue;
            }
            let Some(rank) = kind_rank(symbol, wants_type) else {
                continue;
            };
            // Members of an enumeration are those of the scope around it as well.
            let in_scope = loaded.facts.seen_around(*at as usize);
            let around = in_scope.map(|of| loaded.symbol(of).qualified_name.as_str());
            let in_scope = around.map(|of| match of.rsplit_once('.') {
                Some((space, _)) => within(space, last),
                None => last.to_owned(),
            });
            let is_called =
                |name: &String| *name == symbol.qualified_name || Some(name) == in_scope.as_ref();
            let own = names.iter().position(is_called);
            let own = own.or_else(|| {
                let spaces = self.macro_namespaces(&loaded);
                let is_within = |name: &String| is_within(name, &symbol.qualified_name, &spaces);
                let is_named = !spaces.is_empty() && symbol.kind != SymbolKind::Macro;
                is_named.then(|| names.iter().position(is_within)).flatten()
            });
            let space = match own {
                Some(space) => space,
                None if symbol.kind == SymbolKind::Macro => names.len(),
                None if symbol.qualified_name == last => continue,
                None => {
                    let used = used.get_or_insert_with(|| {
                        let spaces = self.used_namespaces(file.file);
                        spaces.iter().map(|space| within(space, path)).collect()
                    });
                    match used.iter().position(is_called) {
                        Some(space) => names.len() + space,
                        None => continue,
                    }
                }
            };
            // Of a macro and a function in branches of one file the first counts.
            let is_replaced = loaded.functions_beside(*at).any(|it| it < *at);
            let is_declaration = symbol.flags.contains(SymbolFlags::DECLARATION_ONLY);
            let key = (space, rank, is_replaced, is_declaration);
            if best.as_ref().is_none_or(|(known, _)| key < *known) {
                best = Some((key, (*in_file, *at)));
            }
        }
        best.map(|(_, (file, at))| Type::Definition(Def::Symbol(file, at)))
    }

    /// The name behind `using ns::name;` or `namespace name = ns;`, in a file or what it includes.
    fn used_name(&self, file: ModuleId, name: &str) -> Option<String> {
        self.included(file).iter().find_map(|loaded| {
            let is_test = |at: &SymbolIdx| loaded.symbol(*at).flags.contains(SymbolFlags::TEST);
            if !loaded.top_level(name).iter().all(is_test) {
                return None;
            }
            let value = loaded.top_value(name)?;
            match loaded.expr(value) {
                Expr::Name { name, .. } => Some(loaded.facts.exprs.name_of(*name).to_owned()),
                _ => None,
            }
        })
    }

    /// The namespaces all of whose names a file uses: `using namespace ns;`.
    fn used_namespaces(&self, file: ModuleId) -> Vec<String> {
        let mut all = Vec::new();
        for loaded in self.included(file).iter() {
            let Some(path) = loaded.below(PathId::EMPTY, Slot::All) else {
                continue;
            };
            for value in loaded.values(None, Some(path)) {
                if let Expr::Name { name, .. } = loaded.expr(value) {
                    let name = loaded.facts.exprs.name_of(*name);
                    let is_known = name.starts_with(MACRO) || all.iter().any(|it| it == name);
                    if !is_known && all.len() < 64 {
                        all.push(name.to_owned());
                    }
                }
            }
        }
        all
    }
}

/// Returns the namespaces around a scope, the innermost first; the last one is that of the whole program.
fn namespaces_around(file: &LinkedFile, scope: Option<SymbolIdx>) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(mut at) = scope {
        for _ in 0..64 {
            if file.symbol(at).kind.is_type() {
                all.push(file.symbol(at).qualified_name.clone());
            }
            match file.symbol(at).parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        let mut rest = file.symbol(at).qualified_name.as_str();
        while let Some((before, _)) = rest.rsplit_once('.') {
            all.push(before.to_owned());
            rest = before;
        }
    }
    all.push(String::new());
    all
}

fn within(space: &str, path: &str) -> String {
    if space.is_empty() {
        return path.to_owned();
    }
    format!("{space}.{path}")
}

/// How well a definition is what a name asks for: less is better; `None` where it is not.
fn kind_rank(symbol: &Symbol, wants_type: bool) -> Option<u8> {
    use SymbolKind::{Class, Enum, Type};
    match (wants_type, symbol.kind) {
        (true, Type) | (false, Class | Enum | Type) => Some(1),
        (true, Class | Enum) | (false, _) => Some(0),
        // `ENABLE_IF(x)` where a type is expected.
        (true, _) => symbol.flags.contains(SymbolFlags::MACRO).then_some(2),
    }
}

fn external(path: &str, wants_type: bool) -> Type {
    if wants_type {
        ExternalType::plain(path)
    } else {
        Type::External
    }
}

static PRIMITIVES: BuiltinSet = BuiltinSet::new(
    "C: primitive types",
    "bool char double float int null void size_t ssize_t ptrdiff_t wchar_t \
     char8_t char16_t char32_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t \
     uintptr_t _Bool nullptr_t",
);

/// Types of the standard library that code names without `std::`.
static STANDARD_TYPES: BuiltinSet = BuiltinSet::new(
    "C: types of the standard library",
    "string vector map set unordered_map unordered_set multimap list deque pair tuple unique_ptr shared_ptr \
     weak_ptr optional function array queue stack thread mutex ostream istream ostringstream stringstream \
     string_view FILE DIR time_t pid_t off_t mode_t pthread_t pthread_mutex_t va_list",
);

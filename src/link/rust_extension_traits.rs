//! Methods that a trait of Rust gives to external types: `text.is_blank()` where `StrExt` is implemented
//! for `str`.
//!
//! Only traits count that are in scope in the file, by an import or because it declares them. Of an external value whose type has
//! no name here, the one trait in scope that has the method and is implemented for external types is meant. Where several
//! traits may be meant, or the standard library or an imported trait of another crate has such a method too, nothing is
//! known. Extension methods of C# are in `csharp_extensions`.

use std::rc::Rc;

use super::cache::Def;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::path_names::{NameLookup, Wanted};
use super::rust_impls::is_common;
use super::rust_std;
use super::types::Type;
use crate::ir::{BLANKET_IMPLS, BaseKind, Expr, ExprId, ImportKind, PathId, Slot, SymbolIdx};
use crate::model::{BuiltinSet, ModuleId, SymbolKind};

/// Traits in scope of one file that are known.
const MAX_TRAITS: usize = 500;

/// Modules whose globs are followed: `use crate::prelude::*`.
const MAX_GLOBS: usize = 16;

/// Methods of traits that other crates give to types that are not theirs.
static EXTERNAL_TRAIT_METHODS: BuiltinSet = BuiltinSet::new(
    "Rust: methods of traits of other crates",
    "Context.context Context.with_context WrapErr.wrap_err WrapErr.wrap_err_with ResultExt.context ResultExt.with_context \
     OptionExt.context OptionExt.with_context",
);

impl Linker<'_, '_> {
    /// The method that a trait in scope gives an external type by its name, or one without a name; unknown where other traits
    /// may be meant.
    pub(super) fn by_extension(&self, type_name: Option<&str>, method: &str) -> Option<Type> {
        let traits = self.traits_in_scope();
        if traits.is_empty() {
            return None;
        }
        let key = (type_name.unwrap_or_default().to_owned(), method.to_owned());
        if let Some(known) = self.extensions.borrow().get(&key) {
            return known.clone();
        }
        let mut found = None;
        for (file, at) in traits.iter() {
            let Some(loaded) = self.cache.get(*file) else {
                continue;
            };
            let Some(declared) = loaded.members(*at, method).first().copied() else {
                continue;
            };
            let Some(meant) = self.implementation_of(&loaded, *at, declared, type_name, method)
            else {
                continue;
            };
            if found.replace(meant).is_some() {
                found = Some(Type::unknown());
                break;
            }
        }
        if found.is_some() && self.may_be_of_external_trait(type_name, method) {
            found = Some(Type::unknown());
        }
        if self.has_fuel() {
            self.extensions.borrow_mut().insert(key, found.clone());
        }
        found
    }

    /// The method of the `impl` block for an external type; that of the trait where several may be meant.
    fn implementation_of(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        declared: SymbolIdx,
        type_name: Option<&str>,
        method: &str,
    ) -> Option<Type> {
        let own = Some((loaded.file, at));
        let is_of_trait = |candidate: SymbolIdx| {
            let base = loaded.value(candidate, Slot::Base(BaseKind::Implements));
            let base = base.and_then(|it| self.infer(loaded, it, None));
            base.and_then(|it| it.symbol()) == own
        };
        if let Some(name) = type_name {
            let names = match name {
                "String" => [name, "str"],
                "Vec" => [name, "[]"],
                "PathBuf" => [name, "Path"],
                _ => [name, name],
            };
            let blocks = names.iter().map(|name| name.trim_start_matches("::"));
            for name in blocks {
                for there in [format!("{name}.{method}"), format!("::{name}.{method}")] {
                    let all = loaded.top_level(&there).iter().copied();
                    let mut fitting = all.filter(|it| is_of_trait(*it));
                    if let Some(found) = fitting.next() {
                        return Some(Type::Definition(Def::Symbol(loaded.file, found)));
                    }
                }
            }
            // `impl<T> Tap for T`
            let blanket = loaded.facts.owners.iter().find(|it| {
                loaded.facts.symbols[it.symbol as usize].name == method
                    && is_of_trait(it.symbol)
                    && matches!(loaded.expr(it.owner), Expr::Union(_))
                    && self.is_for_external_types(loaded, it.owner)
            });
            let found = match blanket {
                Some(found) => found.symbol,
                None if self.has_external_blanket(loaded, at) => declared,
                None => return None,
            };
            loaded.symbol(found);
            return Some(Type::Definition(Def::Symbol(loaded.file, found)));
        }
        let mut external = Vec::new();
        for named in &loaded.facts.owners {
            if loaded.facts.symbols[named.symbol as usize].name == method
                && is_of_trait(named.symbol)
                && self.is_for_external_types(loaded, named.owner)
            {
                external.push(named.symbol);
            }
        }
        let found = match external.as_slice() {
            [] if self.has_external_blanket(loaded, at) => declared,
            [] => return None,
            // The name of the method was asked for above.
            [one] => *one,
            _ => declared,
        };
        Some(Type::Definition(Def::Symbol(loaded.file, found)))
    }

    /// Whether the file of a trait implements it for all types that have some external bounds, or none:
    /// `impl<I: Iterator> IteratorExt for I {}`. Its methods may have their code in the trait alone.
    fn has_external_blanket(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx) -> bool {
        let path = loaded.member_path(PathId::EMPTY, Access::Name(BLANKET_IMPLS));
        let path = path.and_then(|it| loaded.below(it, Slot::Base(BaseKind::Implements)));
        if path.is_none() {
            loaded.record_name(BLANKET_IMPLS);
        }
        let own = Some((loaded.file, at));
        let pairs: Vec<_> = loaded.values(None, path).collect();
        pairs.into_iter().any(|pair| {
            let Expr::Tuple(pair) = loaded.expr(pair) else {
                return false;
            };
            let [bounds, of] = &**pair else { return false };
            let of = self.infer(loaded, *of, None);
            of.and_then(|it| it.symbol()) == own && self.is_for_external_types(loaded, *bounds)
        })
    }

    /// Whether an `impl` block is for external types: for one of them, or for every type that has no bound or is bound to traits
    /// that are external.
    fn is_for_external_types(&self, loaded: &Rc<LinkedFile>, owner: ExprId) -> bool {
        let is_external = |of: ExprId| {
            let found = self.infer(loaded, of, None);
            found.is_some_and(|it| it.is_external())
        };
        match loaded.expr(owner) {
            // A tuple or a function.
            Expr::Unknown => true,
            Expr::Union(bounds) => bounds.iter().all(|it| is_external(*it)),
            _ => is_external(owner),
        }
    }

    /// Whether a method of an external type may be another one than that of the repository: one of the standard library, where
    /// the type has no name, or one of a trait of another crate that the file imports.
    fn may_be_of_external_trait(&self, type_name: Option<&str>, method: &str) -> bool {
        if type_name.is_none() && (rust_std::is_known(method) || is_common(&format!("{method}()")))
        {
            return true;
        }
        let imports = (0_u32..).zip(&self.file.facts.imports);
        imports
            .filter(|(at, _)| self.file.target(*at).is_none())
            .flat_map(|(_, import)| &import.names)
            .any(|name| EXTERNAL_TRAIT_METHODS.has(&format!("{}.{method}", name.imported)))
    }

    /// The traits of the repository whose methods the file can call.
    fn traits_in_scope(&self) -> Rc<[(ModuleId, SymbolIdx)]> {
        if let Some(known) = &*self.traits_in_scope.borrow() {
            return Rc::clone(known);
        }
        // A look-up on the way finds none.
        *self.traits_in_scope.borrow_mut() = Some(Rc::default());
        let mut found = FoundTraits::default();
        let own = Rc::clone(&self.file);
        found.add_all(&own);
        self.add_imported_traits(&own, false, &mut found);
        let all: Rc<[(ModuleId, SymbolIdx)]> = found.all.into();
        *self.traits_in_scope.borrow_mut() = Some(Rc::clone(&all));
        all
    }

    /// Adds the traits that the imports of a file name, or of another one its re-exports: `pub use ext::*` of a prelude.
    fn add_imported_traits(
        &self,
        file: &Rc<LinkedFile>,
        is_prelude: bool,
        found: &mut FoundTraits,
    ) {
        for (at, import) in (0_u32..).zip(&file.facts.imports) {
            let is_use = match import.kind {
                ImportKind::Static => !is_prelude,
                ImportKind::ReExport => true,
                _ => false,
            };
            let Some(target) = file.target(at).filter(|_| is_use) else {
                continue;
            };
            for name in &import.names {
                if name.imported == "*" && !import.specifier.starts_with("mod ") {
                    let is_new = !found.globs.contains(&target) && found.globs.len() < MAX_GLOBS;
                    let loaded = self.cache.get(target).filter(|_| is_new);
                    if let Some(loaded) = loaded {
                        found.globs.push(target);
                        if target != self.file.file {
                            // Whatever it offers may be a trait.
                            loaded.record_all_names();
                        }
                        found.add_all(&loaded);
                        self.add_imported_traits(&loaded, true, found);
                    }
                    continue;
                }
                if !name.imported.starts_with(char::is_uppercase) {
                    continue;
                }
                let module = Type::Definition(Def::Module(target));
                let named = self.in_definition(&module, &name.imported, Wanted::Last);
                if let NameLookup::Found(Type::Definition(Def::Symbol(file, at))) = named
                    && let Some(loaded) = self.cache.get(file)
                {
                    found.add(&loaded, at);
                }
            }
        }
    }
}

/// Traits in scope, each by its file and symbol, with the modules that globs took.
#[derive(Default)]
struct FoundTraits {
    all: Vec<(ModuleId, SymbolIdx)>,
    globs: Vec<ModuleId>,
}

impl FoundTraits {
    fn add(&mut self, file: &LinkedFile, at: SymbolIdx) {
        let key = (file.file, at);
        if file.symbol(at).kind == SymbolKind::Interface
            && !self.all.contains(&key)
            && self.all.len() < MAX_TRAITS
        {
            self.all.push(key);
        }
    }

    fn add_all(&mut self, file: &LinkedFile) {
        for at in file.interfaces() {
            self.add(file, at);
        }
    }
}

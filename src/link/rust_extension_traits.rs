//! Methods that a trait of Rust gives to external types: `text.is_blank()` where `StrExt` is implemented
//! for `str`.
//!
//! Only traits count that are in scope in the file, by an import or because it declares them. A trait is implemented in its own
//! file or in any other one; of several types of one name the path tells which is meant. Of an external value whose type has
//! no name here, the one trait in scope that has the method and is implemented for external types is meant. Where several
//! traits may be meant, or the standard library or an imported trait of another crate has such a method too, nothing is
//! known. Extension methods of C# are in `csharp_extensions`.

use std::borrow::Cow;
use std::rc::Rc;

use super::cache::Def;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::path_names::{NameLookup, SymbolKey, Wanted};
use super::rust_impls::is_common;
use super::rust_std;
use super::types::{ExternalType, Type};
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
    /// The method that a trait in scope gives an external type, or one without a name; unknown where other traits may be meant.
    pub(super) fn by_extension(&self, of: Option<&ExternalType>, method: &str) -> Option<Type> {
        let traits = self.traits_in_scope();
        if traits.is_empty() {
            return None;
        }
        let path = of.map(ExternalType::path).unwrap_or_default();
        let key = (path.into_owned(), method.to_owned());
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
            let Some(meant) = self.implementation_of(&loaded, *at, declared, of, method) else {
                continue;
            };
            if found.replace(meant).is_some() {
                found = Some(Type::unknown());
                break;
            }
        }
        if found.is_some() && self.may_be_of_external_trait(of, method) {
            found = Some(Type::unknown());
        }
        if self.has_fuel() {
            self.extensions.borrow_mut().insert(key, found.clone());
        }
        found
    }

    /// The method of the `impl` block for an external type; that of the trait where the block has none, or several may be meant.
    fn implementation_of(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        declared: SymbolIdx,
        of: Option<&ExternalType>,
        method: &str,
    ) -> Option<Type> {
        let own = (loaded.file, at);
        let files = self.files_with_impls(loaded, at);
        let declared = (loaded.file, declared);
        let (file, at) = match of {
            Some(of) => self.method_for(&files, own, of, method, declared)?,
            None => self.method_for_unnamed(&files, own, method, declared)?,
        };
        // A new body is another result.
        self.cache.get(file)?.symbol(at);
        Some(Type::Definition(Def::Symbol(file, at)))
    }

    /// The files with `impl` blocks of a trait for types that they do not declare, behind its own.
    fn files_with_impls(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx) -> Vec<Rc<LinkedFile>> {
        let mut files = vec![Rc::clone(loaded)];
        let unit = loaded.import(&format!("impls {}", loaded.symbol(at).name));
        if let Some(unit) = unit.and_then(|it| it.0).and_then(|it| self.cache.get(it)) {
            let others = unit.files_of_unit().iter();
            let others = others.filter(|file| **file != loaded.file);
            files.extend(others.filter_map(|file| self.cache.get(*file)));
        }
        files
    }

    /// The method of a trait that a value of a named external type has.
    fn method_for(
        &self,
        files: &[Rc<LinkedFile>],
        own: SymbolKey,
        of: &ExternalType,
        method: &str,
        declared: SymbolKey,
    ) -> Option<SymbolKey> {
        let dereferenced = match &*of.name {
            "String" => "str",
            "Vec" => "[]",
            "PathBuf" => "Path",
            _ => "",
        };
        let names = [&*of.name, dereferenced].into_iter();
        for name in names.map(|it| it.trim_start_matches("::")) {
            let blocks = self.blocks_for(files, own, name);
            let methods = self.methods_for(files, own, name, method);
            let found = match blocks.as_slice() {
                [] => methods.first().map(|it| it.1),
                [_] => Some(methods.first().map_or(declared, |it| it.1)),
                _ => Some(match meant_path(&blocks, of) {
                    Some(path) => {
                        let mut own = methods.iter().filter(|it| it.0 == path);
                        own.next().map_or(declared, |it| it.1)
                    }
                    None => declared,
                }),
            };
            if found.is_some() {
                return found;
            }
        }
        // `impl<T> Tap for T`
        let blanket = files.iter().find_map(|file| {
            let found = file.facts.owners.iter().find(|it| {
                file.facts.symbols[it.symbol as usize].name == method
                    && self.is_of_trait(file, it.symbol, own)
                    && matches!(file.expr(it.owner), Expr::Union(_))
                    && self.is_for_external_types(file, it.owner)
            });
            Some((file.file, found?.symbol))
        });
        blanket.or_else(|| {
            let mut files = files.iter();
            files
                .any(|file| self.has_external_blanket(file, own))
                .then_some(declared)
        })
    }

    /// The method of a trait that an external value has whose type has no name here.
    fn method_for_unnamed(
        &self,
        files: &[Rc<LinkedFile>],
        own: SymbolKey,
        method: &str,
        declared: SymbolKey,
    ) -> Option<SymbolKey> {
        let mut methods = Vec::new();
        let mut n_blocks = 0;
        for file in files {
            for named in &file.facts.owners {
                if file.facts.symbols[named.symbol as usize].name == method
                    && self.is_of_trait(file, named.symbol, own)
                    && self.is_for_external_types(file, named.owner)
                {
                    methods.push((file.file, named.symbol));
                }
            }
            if file.file != self.file.file {
                // Whatever type it has a block for may be meant.
                file.record_all_names();
            }
            n_blocks += self.n_external_blocks(file, own);
        }
        match methods.as_slice() {
            [] if n_blocks == 0 => None,
            [one] if n_blocks < 2 => Some(*one),
            _ => Some(declared),
        }
    }

    /// The paths of the external types of a name that blocks of a trait are for.
    fn blocks_for(&self, files: &[Rc<LinkedFile>], own: SymbolKey, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        for file in files {
            let path = file.member_path(PathId::EMPTY, Access::Name(name));
            let path = path.and_then(|it| file.below(it, Slot::Base(BaseKind::Implements)));
            if path.is_none() {
                file.record_name(name);
            }
            let pairs: Vec<_> = file.values(None, path).collect();
            for pair in pairs {
                if let Expr::Tuple(pair) = file.expr(pair)
                    && let [of, base] = **pair
                    && self.names(file, base, own)
                    && let Some(path) = self.external_path(file, of)
                {
                    found.push(path);
                }
            }
        }
        found
    }

    /// The methods that such blocks have, each with the path of its type.
    fn methods_for(
        &self,
        files: &[Rc<LinkedFile>],
        own: SymbolKey,
        name: &str,
        method: &str,
    ) -> Vec<(String, SymbolKey)> {
        let mut found = Vec::new();
        for file in files {
            for there in [format!("{name}.{method}"), format!("::{name}.{method}")] {
                for candidate in file.top_level(&there) {
                    if let Some(owner) = file.facts.owner(*candidate as usize)
                        && self.is_of_trait(file, *candidate, own)
                        && let Some(path) = self.external_path(file, owner)
                    {
                        found.push((path, (file.file, *candidate)));
                    }
                }
            }
        }
        found
    }

    /// How many `impl` blocks of a trait a file has for external types.
    fn n_external_blocks(&self, file: &Rc<LinkedFile>, own: SymbolKey) -> usize {
        let exprs = &file.facts.exprs;
        let blocks = file.facts.bindings.iter().filter(|it| {
            let last = exprs.last(it.path).map(|it| it.1);
            it.owner.is_none() && last == Some(Slot::Base(BaseKind::Implements))
        });
        let blocks = blocks.filter(|it| match file.expr(it.value) {
            Expr::Tuple(pair) => match **pair {
                [of, base] => self.names(file, base, own) && self.is_for_external_types(file, of),
                _ => false,
            },
            _ => false,
        });
        blocks.count()
    }

    /// Whether a method is that of an `impl` block of a trait.
    fn is_of_trait(&self, file: &Rc<LinkedFile>, method: SymbolIdx, own: SymbolKey) -> bool {
        let base = file.value(method, Slot::Base(BaseKind::Implements));
        base.is_some_and(|it| self.names(file, it, own))
    }

    /// Whether an expression names a definition.
    fn names(&self, file: &Rc<LinkedFile>, expr: ExprId, own: SymbolKey) -> bool {
        let found = self.infer(file, expr, None);
        found.and_then(|it| it.symbol()) == Some(own)
    }

    /// The path of an external type, as far as the file says it.
    fn external_path(&self, file: &Rc<LinkedFile>, of: ExprId) -> Option<String> {
        match self.infer(file, of, None)? {
            Type::ExternalType(of) => Some(of.path().into_owned()),
            _ => None,
        }
    }

    /// Whether a file implements a trait for all types that have some external bounds, or none:
    /// `impl<I: Iterator> IteratorExt for I {}`. Its methods may have their code in the trait alone.
    fn has_external_blanket(&self, file: &Rc<LinkedFile>, own: SymbolKey) -> bool {
        let path = file.member_path(PathId::EMPTY, Access::Name(BLANKET_IMPLS));
        let path = path.and_then(|it| file.below(it, Slot::Base(BaseKind::Implements)));
        if path.is_none() {
            file.record_name(BLANKET_IMPLS);
        }
        let pairs: Vec<_> = file.values(None, path).collect();
        pairs.into_iter().any(|pair| {
            let Expr::Tuple(pair) = file.expr(pair) else {
                return false;
            };
            let [bounds, of] = &**pair else { return false };
            self.names(file, *of, own) && self.is_for_external_types(file, *bounds)
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
    fn may_be_of_external_trait(&self, of: Option<&ExternalType>, method: &str) -> bool {
        if of.is_none() && (rust_std::is_known(method) || is_common(&format!("{method}()"))) {
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

/// Of the types of one name that blocks are for, the path of the one that a value is of: by its whole path, else by its crate. `None`
/// where several may be meant.
fn meant_path<'b>(blocks: &'b [String], of: &ExternalType) -> Option<&'b str> {
    let own = of.path();
    let same = blocks.iter().filter(|it| of_std(it) == of_std(&own));
    let mut same: Vec<&String> = same.collect();
    if same.is_empty() && of.module.is_some() {
        let crate_of = |path: &str| of_std(path).split("::").next().map(str::to_owned);
        let of_crate = blocks.iter().filter(|it| crate_of(it) == crate_of(&own));
        same.extend(of_crate);
    }
    match same.as_slice() {
        [one] => Some(one.as_str()),
        _ => None,
    }
}

/// A path with `std` for the crates that it passes on.
fn of_std(path: &str) -> Cow<'_, str> {
    match path.split_once("::") {
        Some(("core" | "alloc", rest)) => Cow::Owned(format!("std::{rest}")),
        _ => Cow::Borrowed(path),
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

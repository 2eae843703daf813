//! Paths of Rust, `crate::db::Store`: names in a tree of modules. Looked for are definitions, modules of other files, `use`,
//! globs, crates, in this order.
//!
//! A name tells the kind wanted of it: `store::` goes on, `log!` is a macro, anything else is the last of a path. Globs and
//! re-exports may lead in circles, which are cut.

use std::rc::Rc;

use super::cache::Def;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::path_names::{NameLookup, Wanted};
use super::rules;
use super::types::{ExternalType, Type};
use crate::ir::{Expr, ExprId, ImportKind, PathId, Slot, SymbolIdx};
use crate::model::{FileId, ModuleId, SymbolKind};

/// Globs that are looked through for one name, one behind another.
const MAX_GLOBS: usize = 40;

/// A module: a file, or an inline module of one.
#[derive(Clone)]
pub(super) struct Module {
    pub(super) file: Rc<LinkedFile>,
    pub(super) inline: Option<SymbolIdx>,
}

impl Module {
    /// The module around a scope.
    pub(super) fn enclosing(file: &Rc<LinkedFile>, scope: Option<SymbolIdx>) -> Self {
        let mut at = scope;
        while let Some(symbol) = at {
            let found = file.symbol(symbol);
            if found.kind == SymbolKind::Namespace {
                break;
            }
            at = found.parent;
        }
        Self {
            file: Rc::clone(file),
            inline: at,
        }
    }

    fn as_type(&self) -> Type {
        Type::Definition(match self.inline {
            Some(at) => Def::Symbol(self.file.file, at),
            None => Def::Module(self.file.file),
        })
    }

    /// The name by which the file knows a module of it that another file holds.
    fn local_of(&self, name: &str) -> String {
        match self.inline {
            Some(at) => format!("{}.{name}", self.file.symbol(at).qualified_name),
            None => name.to_owned(),
        }
    }
}

impl Linker<'_, '_> {
    /// Evaluates a name that is written in a scope.
    pub(super) fn in_tree(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> Option<Type> {
        self.step()?;
        if let Some(crate_path) = name.strip_prefix("::") {
            return Some(ExternalType::plain(crate_path));
        }
        let module = Module::enclosing(file, scope);
        match name {
            "self::" => return Some(module.as_type()),
            "super::" => return self.module_around(&module),
            "crate::" => return Some(Type::Definition(Def::Module(file.import("crate")?.0?))),
            _ => {}
        }
        let (bare, wanted) = Wanted::of(name);
        match self.in_module(&module, bare, wanted) {
            NameLookup::Found(found) => return Some(found),
            // A `use` binds the name, so that a macro that no file defines is no external one.
            NameLookup::Unknown if wanted == Wanted::Macro => {
                return self.macro_named(file, bare).filter(|it| !it.is_external());
            }
            _ if wanted == Wanted::Macro => return self.macro_named(file, bare),
            NameLookup::Unknown => return None,
            NameLookup::Absent => {}
        }
        if let Some(found) = crate_named(file, bare) {
            return Some(found);
        }
        let is_known = rules::of(file).predeclared.has(bare);
        is_known.then(|| ExternalType::plain(bare))
    }

    fn module_around(&self, module: &Module) -> Option<Type> {
        self.step()?;
        if let Some(at) = module.inline {
            let parent = module.file.symbol(at).parent;
            return Some(Module::enclosing(&module.file, parent).as_type());
        }
        let (target, _) = module.file.import("super")?;
        let target = target?;
        // It may be declared in an inline module of that file.
        let around = self.cache.get(target)?;
        let declared = around.declares(module.file.file);
        let inline = declared.and_then(|local| {
            around.import(local)?;
            let (path, _) = local.rsplit_once('.')?;
            around.namespace(path)
        });
        let module = Module {
            file: around,
            inline,
        };
        Some(module.as_type())
    }

    /// A macro by its name alone: those of one file are seen in the modules behind it, and others by the root of their crate.
    pub(super) fn macro_named(&self, file: &LinkedFile, name: &str) -> Option<Type> {
        let (unit, _) = file.import(&format!("macro {name}"))?;
        let Some(unit) = unit else {
            return Some(Type::External);
        };
        let found = self.macros_of(unit, name)?;
        let own = file.import("crate").and_then(|it| it.0);
        let near: Vec<&(Option<ModuleId>, Type)> = found.iter().filter(|it| it.0 == own).collect();
        match (near.as_slice(), found.as_slice()) {
            ([one], _) => Some(one.1.clone()),
            ([], [one]) => Some(one.1.clone()),
            _ => None,
        }
    }

    /// A macro that a path in `file` takes from a module, e.g. `crate::log!` or `use shop::log;`: an exported macro belongs to the root of
    /// its crate, wherever it stands.
    pub(super) fn macro_of_crate(
        &self,
        file: &LinkedFile,
        object: &Type,
        name: &str,
    ) -> Option<Type> {
        let Type::Definition(Def::Module(module)) = object else {
            return None;
        };
        let root = self.cache.get(*module)?.import("crate")?.0?;
        if file.import("crate").and_then(|it| it.0) == Some(root)
            && let Some(own) = own_macro(file, name)
        {
            return Some(own);
        }
        let (unit, _) = file.import(&format!("macro {name}"))?;
        let found = self.macros_of(unit?, name)?;
        let mut found = found.into_iter().filter(|it| it.0 == Some(root));
        let one = found.next()?.1;
        found.next().is_none().then_some(one)
    }

    /// Returns the macros of a name with the roots of their crates, the first of each file.
    fn macros_of(&self, unit: ModuleId, name: &str) -> Option<Vec<(Option<ModuleId>, Type)>> {
        let unit = self.cache.get(unit)?;
        let mut found = Vec::new();
        for other in unit.files_of_unit() {
            let Some(loaded) = self.cache.get(*other) else {
                continue;
            };
            if let Some(own) = own_macro(&loaded, name) {
                let root = loaded.import("crate").and_then(|it| it.0);
                found.push((root, own));
            }
        }
        Some(found)
    }

    /// Evaluates a name of a module.
    pub(super) fn in_module(&self, module: &Module, name: &str, wanted: Wanted) -> NameLookup {
        if self.step().is_none() {
            return NameLookup::Unknown;
        }
        let key = (module.file.file, module.inline, name.to_owned(), wanted);
        if let Some(known) = self.named_in_modules.borrow().get(&key) {
            return known.clone();
        }
        let mut open = self.open_modules.borrow_mut();
        if open.contains(&key) || open.len() > MAX_GLOBS {
            self.hit_cycle.set(true);
            return NameLookup::Absent;
        }
        open.push(key.clone());
        let is_outermost = open.len() == 1;
        drop(open);
        let outer_hit_cycle = self.hit_cycle.replace(false);
        let found = self.search_module(module, name, wanted);
        self.open_modules.borrow_mut().pop();
        let is_whole =
            is_outermost || !self.hit_cycle.get() || matches!(found, NameLookup::Found(_));
        if is_whole && self.has_fuel() {
            self.named_in_modules
                .borrow_mut()
                .insert(key, found.clone());
        }
        if is_outermost {
            self.hit_cycle.set(false);
        } else {
            self.hit_cycle.set(outer_hit_cycle || self.hit_cycle.get());
        }
        found
    }

    fn search_module(&self, module: &Module, name: &str, wanted: Wanted) -> NameLookup {
        let file = &module.file;
        let defined = match module.inline {
            Some(at) => file.members(at, name),
            None => file.top_level(name),
        };
        let ranked = defined.iter().filter(|at| {
            // A method of a local type is no name of the module.
            file.facts.symbols[**at as usize].parent == module.inline
        });
        let ranked = ranked.filter_map(|at| Some((wanted.rank(file.symbol(*at).kind)?, *at)));
        let best = ranked.min();
        if let Some((0, at)) = best {
            return NameLookup::Found(Type::Definition(Def::Symbol(file.file, at)));
        }
        let mut declared = None;
        if wanted != Wanted::Macro
            && let Some((target, "*")) = file.import(&module.local_of(name))
        {
            declared = Some(match target {
                Some(target) => NameLookup::Found(Type::Definition(Def::Module(target))),
                None => NameLookup::Unknown,
            });
        }
        // `pub use table::table;` beside `mod table;`: the last name of a path is the function.
        if wanted == Wanted::Qualifier
            && let Some(declared) = declared
        {
            return declared;
        }
        if let Some((_, at)) = best {
            return NameLookup::Found(Type::Definition(Def::Symbol(file.file, at)));
        }
        let path = file.member_path(PathId::EMPTY, Access::Name(name));
        let mut is_bound = false;
        if path.is_some() {
            let values: Vec<ExprId> = file.values(module.inline, path).collect();
            // A constant is bound to its type by the same name.
            let is_constant = defined.iter().any(|at| {
                let kind = file.symbol(*at).kind;
                matches!(kind, SymbolKind::Constant | SymbolKind::Variable)
            });
            for value in values {
                if is_constant {
                    break;
                }
                is_bound = true;
                match self.at_path(file, value, wanted) {
                    // Another `use` may name a function of that name.
                    Some(found) if wanted == Wanted::Last && self.is_module(&found) => {
                        declared.get_or_insert(NameLookup::Found(found));
                    }
                    Some(found) => return NameLookup::Found(found),
                    None => {}
                }
            }
        } else {
            file.record_name(name);
        }
        if let Some(declared) = declared {
            return declared;
        }
        if is_bound && wanted == Wanted::Last {
            return NameLookup::Unknown;
        }
        let globs: Vec<ExprId> = file
            .values(module.inline, file.below(PathId::EMPTY, Slot::All))
            .collect();
        for glob in globs {
            if let Some(object) = self.infer(file, glob, None)
                && !object.is_external()
                && let NameLookup::Found(found) = self.in_definition(&object, name, wanted)
            {
                return NameLookup::Found(found);
            }
        }
        if is_bound {
            return NameLookup::Unknown;
        }
        NameLookup::Absent
    }

    /// Whether a definition is a module.
    fn is_module(&self, found: &Type) -> bool {
        match found {
            Type::Definition(Def::Module(_)) => true,
            Type::Definition(Def::Symbol(file, at)) => {
                self.kind(*file, *at) == Some(SymbolKind::Namespace)
            }
            _ => false,
        }
    }

    /// Evaluates the path of a `use` declaration, whose last name may mean several things.
    fn at_path(&self, file: &Rc<LinkedFile>, path: ExprId, wanted: Wanted) -> Option<Type> {
        match file.expr(path) {
            Expr::Member { object, name } => {
                let object = self.infer(file, *object, None)?;
                let (bare, written) = Wanted::of(file.facts.exprs.name_of(*name));
                if bare == "super" && written == Wanted::Qualifier {
                    return self.infer(file, path, None);
                }
                let found = self.in_definition(&object, bare, wanted).known();
                found.or_else(|| {
                    let is_macro = wanted == Wanted::Macro;
                    is_macro.then(|| self.macro_of_crate(file, &object, bare))?
                })
            }
            Expr::Name { name, .. } => {
                let (bare, _) = Wanted::of(file.facts.exprs.name_of(*name));
                match bare {
                    "self" | "super" | "crate" => self.infer(file, path, None),
                    _ if wanted == Wanted::Macro => None,
                    bare => crate_named(file, bare),
                }
            }
            _ => self.infer(file, path, None),
        }
    }

    /// Evaluates a name below a module, an enum or a type.
    pub(super) fn in_definition(&self, object: &Type, name: &str, wanted: Wanted) -> NameLookup {
        match object {
            Type::Definition(Def::Module(file)) => {
                let Some(loaded) = self.cache.get(*file) else {
                    return NameLookup::Unknown;
                };
                let module = Module {
                    file: loaded,
                    inline: None,
                };
                if name == "super" && wanted == Wanted::Qualifier {
                    let around = self.module_around(&module);
                    return around.map_or(NameLookup::Unknown, NameLookup::Found);
                }
                let found = self.in_module(&module, name, wanted);
                if matches!(found, NameLookup::Absent) {
                    return match self.in_other_root(&module, name, wanted) {
                        NameLookup::Absent => self.in_twin(&module, name, wanted),
                        found => found,
                    };
                }
                found
            }
            Type::Definition(Def::Symbol(file, at)) => {
                let Some(loaded) = self.cache.get(*file) else {
                    return NameLookup::Unknown;
                };
                match loaded.symbol(*at).kind {
                    SymbolKind::Namespace => {
                        let module = Module {
                            file: loaded,
                            inline: Some(*at),
                        };
                        if name == "super" && wanted == Wanted::Qualifier {
                            let around = self.module_around(&module);
                            return around.map_or(NameLookup::Unknown, NameLookup::Found);
                        }
                        self.in_module(&module, name, wanted)
                    }
                    SymbolKind::Enum if wanted != Wanted::Macro => {
                        match loaded.members(*at, name).first() {
                            Some(at) => {
                                NameLookup::Found(Type::Definition(Def::Symbol(*file, *at)))
                            }
                            None => NameLookup::Absent,
                        }
                    }
                    _ if wanted == Wanted::Macro => NameLookup::Absent,
                    _ => match self.declared(object, Access::Name(name)) {
                        Some(found) => NameLookup::Found(found),
                        None => NameLookup::Absent,
                    },
                }
            }
            object if object.is_external() => {
                NameLookup::Found(ExternalType::item_of(object, name))
            }
            _ => NameLookup::Absent,
        }
    }

    /// Returns the files of the modules that the `use` declarations of the file name by way of re-exports, each with the place
    /// of the import: the path alone leads to the file that passes the module on.
    pub(super) fn files_of_paths(&self) -> Vec<(u32, FileId)> {
        let own = Rc::clone(&self.file);
        let mut found = Vec::new();
        for (at, import) in (0_u32..).zip(&own.facts.imports) {
            let is_use = matches!(import.kind, ImportKind::Static | ImportKind::ReExport);
            let Some(target) = own.target(at).filter(|_| is_use) else {
                continue;
            };
            if import.specifier.starts_with("mod ") {
                continue;
            }
            self.refuel();
            let is_glob = import.names.iter().any(|name| name.imported == "*");
            let file = self.file_of_path(&own, &import.specifier, is_glob);
            if let Some(file) = file.filter(|file| *file != target && *file != own.file) {
                found.push((at, file.file()));
            }
        }
        found
    }

    /// Evaluates the path of an import as its file writes it, `self::db::open`: that of a `use` in a function or an inline module
    /// binds no name of the file.
    pub(super) fn at_written_path(&self, own: &Rc<LinkedFile>, path: &str) -> Option<Type> {
        self.refuel();
        let names: Vec<&str> = path.split("::").collect();
        let (first, rest) = names.split_first()?;
        let (last, between) = rest.split_last()?;
        let mut object = self.in_tree(own, None, &format!("{first}::"))?;
        for name in between {
            object = self
                .in_definition(&object, name, Wanted::Qualifier)
                .known()?;
        }
        let found = self.in_definition(&object, last, Wanted::Last).known();
        found
            .or_else(|| self.in_definition(&object, last, Wanted::Macro).known())
            .or_else(|| self.macro_of_crate(own, &object, last))
    }

    fn file_of_path(&self, own: &Rc<LinkedFile>, path: &str, is_glob: bool) -> Option<ModuleId> {
        let names: Vec<&str> = path.split("::").collect();
        let (first, rest) = names.split_first()?;
        let mut object = self.in_tree(own, None, &format!("{first}::"))?;
        for (at, name) in rest.iter().enumerate() {
            let is_last = at + 1 == rest.len() && !is_glob;
            match self.in_definition(&object, name, Wanted::Qualifier) {
                NameLookup::Found(found) => {
                    let is_module = matches!(found, Type::Definition(Def::Module(_)));
                    if is_last && !is_module {
                        break;
                    }
                    object = found;
                }
                _ if is_last => break,
                _ => return None,
            }
        }
        match object {
            Type::Definition(Def::Module(file) | Def::Symbol(file, _)) => Some(file),
            _ => None,
        }
    }

    /// Evaluates a name of the program beside a library: `crate::` in a file that both may have as a module means either.
    fn in_other_root(&self, module: &Module, name: &str, wanted: Wanted) -> NameLookup {
        let own = self.file.import("crate").and_then(|it| it.0);
        if own != Some(module.file.file) {
            return NameLookup::Absent;
        }
        let other = self.file.import("crate of a program").and_then(|it| it.0);
        let Some(other) = other.and_then(|root| self.cache.get(root)) else {
            return NameLookup::Absent;
        };
        let module = Module {
            file: other,
            inline: None,
        };
        self.in_module(&module, name, wanted)
    }
}

/// Returns the first macro of a name that a file defines outside of its functions and modules.
fn own_macro(file: &LinkedFile, name: &str) -> Option<Type> {
    let all = file.top_level(name).iter();
    let mut macros = all.filter(|at| file.symbol(**at).kind == SymbolKind::Macro);
    let at = *macros.next()?;
    Some(Type::Definition(Def::Symbol(file.file, at)))
}

/// A crate that paths of a file may begin with.
fn crate_named(file: &LinkedFile, name: &str) -> Option<Type> {
    let (target, _) = file.import(&format!("::{name}"))?;
    Some(match target {
        Some(root) => Type::Definition(Def::Module(root)),
        None => ExternalType::plain(name),
    })
}

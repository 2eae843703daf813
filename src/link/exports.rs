//! Resolves a name that is imported from a module: through lists, re-exports, stars, namespaces and CommonJS forms, to
//! any depth, with cycles cut.

use super::cache::{Def, FactsCache};
use super::file::LinkedFile;
use super::rules::{self, Implicit};
use crate::ir::{Export, ExportKind, INJECTED, SymbolIdx, injected_name, member_name};
use crate::model::ModuleId;
use crate::model::hash::HashSet;
use crate::resolve::LEFT_OUT_RANK;

/// How many modules one look-up goes through: behind the barrel of a large package there are a thousand.
const MAX_MODULES: usize = 10_000;
/// How many modules pass a name on before it is found: the stack is as deep.
const MAX_DEPTH: usize = 200;

/// Resolves the export `name` of a module: `default`, `*` for the module itself, or a name.
pub(super) fn resolve(cache: &FactsCache<'_>, file: ModuleId, name: &str) -> Option<Def> {
    cache.memoized(file, name, || ExportSearch::new(cache).export(file, name))
}

/// As [`resolve`], for a use in `file`: where that is left out of the usual build, and several files of a unit define the name,
/// the one that is built together with it.
pub(super) fn resolve_for(
    cache: &FactsCache<'_>,
    file: &LinkedFile,
    target: ModuleId,
    name: &str,
) -> Option<Def> {
    let found = resolve(cache, target, name)?;
    let Def::Symbol(in_file, _) = found else {
        return Some(found);
    };
    if !rules::of(file).has_build_constraints || in_file == file.file || target.unit().is_none() {
        return Some(found);
    }
    let is_left_out = file.units.iter().any(|unit| {
        let unit = cache.get(*unit);
        unit.and_then(|unit| unit.rank(file.file)) >= Some(LEFT_OUT_RANK)
    });
    if !is_left_out || cache.are_built_together(file.file, in_file) {
        return Some(found);
    }
    let unit = cache.get(target)?;
    unit.record_name(name);
    let others = cache.stars_with(&unit, name).into_iter();
    let mut fitting = others
        .filter(|other| *other != in_file && cache.are_built_together(file.file, *other))
        .filter_map(|other| resolve(cache, other, name));
    fitting.next().or(Some(found))
}

/// As [`resolve_for`]; of definitions in several projects the one in the file's own, else that in the nearest of those that it sees,
/// public ones first. Of several that are internal to other projects none: which of these the file is a friend of is not known.
fn resolve_in_unit(
    cache: &FactsCache<'_>,
    file: &LinkedFile,
    unit: ModuleId,
    name: &str,
) -> Option<Def> {
    let found = resolve_for(cache, file, unit, name)?;
    let Some(project) = file.imports.projects.first() else {
        return Some(found);
    };
    if distance_of_project(cache, file, found) == Some(0) {
        return Some(found);
    }
    // All files of a project see the same.
    let key = format!("{name} of {project:?}");
    cache.memoized(unit, &key, || {
        let all = all_in_unit(cache, unit, name).into_iter();
        let visible = all.filter_map(|def| Some((distance_of_project(cache, file, def)?, def)));
        let mut visible: Vec<(usize, Def)> = visible.collect();
        visible.sort_by_key(|it| it.0);
        let (distance, first) = *visible.first()?;
        let is_public = |def: Def| match def {
            Def::Symbol(there, at) => {
                let loaded = cache.get(there);
                loaded.is_some_and(|it| it.symbol(at).exported)
            }
            Def::Module(_) => true,
        };
        if distance == 0 || visible.iter().all(|it| it.0 == distance) {
            return Some(first);
        }
        let mut public = visible.iter().filter(|it| is_public(it.1));
        public.next().map(|it| it.1)
    })
}

/// How far the project of a definition is from that of a file; `None` where the file does not see it.
pub(super) fn distance_of_project(
    cache: &FactsCache<'_>,
    file: &LinkedFile,
    found: Def,
) -> Option<usize> {
    let (Def::Symbol(there, _) | Def::Module(there)) = found;
    let own = &file.imports.projects;
    if there == file.file || own.is_empty() {
        return Some(0);
    }
    let loaded = cache.get(there)?;
    let Some(project) = loaded.imports.projects.first() else {
        // A file beside the projects may belong to each.
        return Some(1);
    };
    let further = || file.imports.sees_all_projects.then_some(own.len());
    own.iter().position(|it| it == project).or_else(further)
}

/// The definition that a CommonJS module is: `codes` of `module.exports = codes`.
pub(super) fn assigned(cache: &FactsCache<'_>, file: ModuleId) -> Option<(ModuleId, SymbolIdx)> {
    match ExportSearch::new(cache).module(file)? {
        Def::Module(_) => None,
        Def::Symbol(file, at) => Some((file, at)),
    }
}

/// Resolves a name of the top level: a definition of the file, or an import.
pub(super) fn top(cache: &FactsCache<'_>, file: &LinkedFile, name: &str) -> Option<Def> {
    if rules::of(file).is_injected(name) {
        return resolve(cache, file.file, name);
    }
    let found = ExportSearch::new(cache).top(file, name);
    found.or_else(|| {
        if file.import(name).is_some() {
            return None;
        }
        let mut implicit = rules::of(file).implicit_imports.iter();
        implicit
            .find_map(|implicit| match implicit {
                Implicit::OwnUnit => {
                    let mut units = file.units.iter();
                    units.find_map(|unit| resolve_in_unit(cache, file, *unit, name))
                }
                Implicit::Providers => None,
            })
            .or_else(|| {
                let mut wildcards = file.imports.wildcards.iter();
                wildcards.find_map(|unit| {
                    if file.imports.projects.is_empty() {
                        resolve(cache, *unit, name)
                    } else {
                        resolve_in_unit(cache, file, *unit, name)
                    }
                })
            })
    })
}

/// Returns the member of a type that is declared outside of it, in any file of the units of `file`, which has the type.
pub(super) fn member_elsewhere(
    cache: &FactsCache<'_>,
    file: &LinkedFile,
    owner: &str,
    name: &str,
) -> Option<Def> {
    let name = member_name(owner, name);
    let mut units = file.units.iter();
    units.find_map(|unit| resolve_for(cache, file, *unit, &name))
}

/// Returns the definitions that the files of a unit offer by a name.
pub(super) fn all_in_unit(cache: &FactsCache<'_>, unit: ModuleId, name: &str) -> Vec<Def> {
    let Some(loaded) = cache.get(unit) else {
        return Vec::new();
    };
    loaded.record_name(name);
    let files = cache.stars_with(&loaded, name).into_iter();
    let found = files.filter_map(|target| {
        let file = cache.get(target)?;
        Some(ExportSearch::new(cache).all_in_namespace(&file, unit, name))
    });
    found.flatten().collect()
}

/// Resolves an imported name. `*` is the module object, or the value of `module.exports =` if there is one.
pub(super) fn imported(cache: &FactsCache<'_>, file: ModuleId, name: &str) -> Option<Def> {
    if name == "*" {
        ExportSearch::new(cache).module(file)
    } else {
        resolve(cache, file, name)
    }
}

struct ExportSearch<'a, 'b> {
    cache: &'a FactsCache<'b>,
    seen: SeenExports,
    depth: usize,
}

/// Whether a module offers a name of an external package: `exports.Router = Router` behind
/// `const Router = require('router')`. Of TypeScript and JavaScript alone; a relative specifier leads nowhere else.
pub(super) fn is_of_package(cache: &FactsCache<'_>, file: ModuleId, name: &str) -> bool {
    let Some(loaded) = cache.get(file) else {
        return false;
    };
    let is_package = |specifier: &str| !specifier.is_empty() && !specifier.starts_with(['.', '/']);
    let mut exports = loaded.exports(name);
    rules::of(&loaded).is_ecmascript()
        && exports.any(|export| match export.kind {
            ExportKind::Local => {
                let root = export.local.split('.').next().unwrap_or_default();
                matches!(loaded.import(root), Some((None, _)))
                    && loaded.import_specifier(root).is_some_and(is_package)
            }
            ExportKind::From | ExportKind::Namespace => {
                is_package(&export.specifier) && loaded.target_of(&export.specifier).is_none()
            }
            ExportKind::Star | ExportKind::Assignment => false,
        })
}

/// The names that were looked for so far, each with its module.
#[derive(Default)]
struct SeenExports {
    /// The names, of which one search has few.
    names: Vec<Box<str>>,
    /// Modules, each with the place of a name: a list while there are few.
    few: Vec<(ModuleId, usize)>,
    many: HashSet<(ModuleId, usize)>,
}

impl SeenExports {
    /// How many are kept as a list.
    const FEW: usize = 16;

    fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }

    /// Returns whether it is new.
    fn insert(&mut self, file: ModuleId, name: &str) -> bool {
        let known = self.names.iter().position(|it| **it == *name);
        let at = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        let key = (file, at);
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() < Self::FEW {
            self.few.push(key);
            return true;
        }
        self.many.insert(key)
    }
}

impl<'a, 'b> ExportSearch<'a, 'b> {
    fn new(cache: &'a FactsCache<'b>) -> Self {
        Self {
            cache,
            seen: SeenExports::default(),
            depth: 0,
        }
    }

    fn export(&mut self, file: ModuleId, name: &str) -> Option<Def> {
        if self.depth > MAX_DEPTH || self.seen.len() > MAX_MODULES {
            return None;
        }
        if !self.seen.insert(file, name) {
            return None;
        }
        self.depth += 1;
        let found = self.exported(file, name);
        self.depth -= 1;
        found
    }

    fn exported(&mut self, file: ModuleId, name: &str) -> Option<Def> {
        if let Some(plain) = name.strip_prefix(INJECTED) {
            let loaded = self.cache.get(file)?;
            if rules::of(&loaded).is_injected(name) {
                return self.injected(&loaded, plain);
            }
        }
        if !self.cache.may_export(file, name) {
            return None;
        }
        let loaded = self.cache.get(file)?;
        if name == "*" {
            return Some(Def::Module(file));
        }
        for export in loaded.exports(name) {
            let found = match export.kind {
                ExportKind::Local => self.local(&loaded, export),
                ExportKind::From => loaded
                    .target_of(&export.specifier)
                    .and_then(|target| self.export(target, &export.local)),
                ExportKind::Namespace => loaded.target_of(&export.specifier).map(Def::Module),
                ExportKind::Star | ExportKind::Assignment => None,
            };
            if found.is_some() {
                return found;
            }
        }
        if name != "default" {
            // `module.exports = app` exports the members of `app`.
            let others = || loaded.other_exports();
            for export in others().filter(|e| e.kind == ExportKind::Assignment) {
                let found = self.assigned(&loaded, export).and_then(|def| match def {
                    Def::Module(target) => self.export(target, name),
                    Def::Symbol(file, at) => self.member(file, at, name),
                });
                if found.is_some() {
                    return found;
                }
            }
            let stars = self.cache.stars_with(&loaded, name);
            for (at, target) in stars.iter().enumerate() {
                let found = self.through_star(&loaded, *target, name);
                if found.is_some() {
                    let is_ambiguous = self.is_ambiguous(&loaded, *target, &stars[at + 1..], name);
                    return found.filter(|_| !is_ambiguous);
                }
            }
            let (target, imported) = loaded.commented_import(name)?;
            return self.imported(target, imported);
        }
        // The default export of a CommonJS module is the assigned value, else the module itself.
        let assigned = loaded
            .other_exports()
            .find(|e| e.kind == ExportKind::Assignment);
        match assigned {
            Some(export) => self.assigned(&loaded, export).or(Some(Def::Module(file))),
            None => loaded.is_common_js().then_some(Def::Module(file)),
        }
    }

    /// Whether another file of a unit defines a name with as much right as `target`, where the language has no order among
    /// them.
    fn is_ambiguous(
        &mut self,
        unit: &LinkedFile,
        target: ModuleId,
        others: &[ModuleId],
        name: &str,
    ) -> bool {
        let Some(rank) = unit.rank(target) else {
            return false;
        };
        let has_one_definition = |file: &LinkedFile| rules::of(file).one_definition_in_unit;
        if !self
            .cache
            .get(target)
            .is_some_and(|it| has_one_definition(&it))
        {
            return false;
        }
        let mut others = others.iter().filter(|it| unit.rank(**it) == Some(rank));
        others.any(|other| self.export(*other, name).is_some())
    }

    /// Resolves a name that is injected into parameters: a definition of the file that is offered for it, one that the
    /// file imports, then those of its providers.
    fn injected(&mut self, file: &LinkedFile, plain: &str) -> Option<Def> {
        let name = injected_name(plain);
        if let Some(at) = file.injectable(&name) {
            return Some(Def::Symbol(file.file, at));
        }
        if let Some((Some(target), imported)) = file.import(plain) {
            let found = self.export(target, &injected_name(imported));
            if found.is_some() {
                return found;
            }
        }
        for target in &file.stars {
            let takes = |from: &LinkedFile| from.is_starred(plain);
            if self.cache.get(*target).is_some_and(|it| takes(&it)) {
                let found = self.export(*target, &name);
                if found.is_some() {
                    return found;
                }
            }
        }
        let mut providers = file.providers().into_iter();
        providers.find_map(|target| self.export(target, &name))
    }

    fn local(&mut self, file: &LinkedFile, export: &Export) -> Option<Def> {
        let own = || defined(file, &export.name);
        if export.local.is_empty() {
            // `exports.x = …` makes a definition that binds nothing in the file itself, where `x` may be an import.
            return own().or_else(|| self.top(file, &export.name));
        }
        if export.local == "default" {
            return defined(file, "default");
        }
        let mut parts = export.local.split('.');
        let first = parts.next()?;
        let mut found = self.top(file, first).or_else(own);
        for part in parts {
            found = match found? {
                Def::Module(target) => self.export(target, part),
                Def::Symbol(file, at) => self.member(file, at, part),
            };
        }
        found
    }

    fn assigned(&mut self, file: &LinkedFile, export: &Export) -> Option<Def> {
        if !export.specifier.is_empty() {
            let target = file.target_of(&export.specifier)?;
            return self.module(target);
        }
        (!export.local.is_empty())
            .then(|| self.local(file, export))
            .flatten()
    }

    /// The result of `require`: the assigned value, else the module.
    fn module(&mut self, file: ModuleId) -> Option<Def> {
        if !self.seen.insert(file, "export=") {
            return None;
        }
        let loaded = self.cache.get(file)?;
        let export = loaded
            .other_exports()
            .find(|e| e.kind == ExportKind::Assignment);
        export
            .and_then(|export| self.assigned(&loaded, export))
            .or(Some(Def::Module(file)))
    }

    fn top(&mut self, file: &LinkedFile, name: &str) -> Option<Def> {
        let submodule = || file.submodule(name).map(Def::Module);
        if let Some((target, imported)) = file.import(name) {
            let found = target.and_then(|target| self.imported(target, imported));
            // `try: from fast import A / except ImportError: pass` after `class A`.
            return found.or_else(submodule).or_else(|| defined(file, name));
        }
        let found = defined(file, name).or_else(submodule);
        if found.is_some() || !rules::of(file).stars_bind {
            return found;
        }
        // `from module import *` binds the names here, too.
        let mut targets = self.cache.stars_with(file, name).into_iter();
        targets.find_map(|target| self.through_star(file, target, name))
    }

    /// Resolves a name through `export * from`.
    fn through_star(&mut self, from: &LinkedFile, target: ModuleId, name: &str) -> Option<Def> {
        if rules::of(from).stars_bind && !self.cache.get(target)?.is_starred(name) {
            return None;
        }
        if from.file.unit().is_some()
            && self.cache.may_export(target, name)
            && let Some(loaded) = self.cache.get(target)
            && rules::of(&loaded).has_partial_types
        {
            return self.in_namespace(&loaded, from.file, name);
        }
        self.export(target, name)
    }

    /// Resolves a name of a file that has parts of several namespaces: in one of them by its exports there, in the unit of those
    /// that use its `global using` directives by these.
    fn in_namespace(&mut self, file: &LinkedFile, unit: ModuleId, name: &str) -> Option<Def> {
        let Some(namespace) = file.namespace_of(unit) else {
            let mut targets = self.cache.stars_with(file, name).into_iter();
            return targets.find_map(|target| self.export(target, name));
        };
        exports_in(file, namespace, name).find_map(|export| self.local(file, export))
    }

    /// As [`Self::in_namespace`], of all definitions: two static classes of one file may have extension methods of one name.
    fn all_in_namespace(&mut self, file: &LinkedFile, unit: ModuleId, name: &str) -> Vec<Def> {
        let Some(namespace) = file.namespace_of(unit) else {
            return self.in_namespace(file, unit, name).into_iter().collect();
        };
        exports_in(file, namespace, name)
            .filter_map(|export| self.local(file, export))
            .collect()
    }

    fn imported(&mut self, file: ModuleId, name: &str) -> Option<Def> {
        if name == "*" {
            self.module(file)
        } else {
            self.export(file, name)
        }
    }

    fn member(&mut self, file: ModuleId, at: u32, name: &str) -> Option<Def> {
        let loaded = self.cache.get(file)?;
        loaded
            .members(at, name)
            .first()
            .map(|at| Def::Symbol(file, *at))
    }
}

/// The definition of a name at the top level of the file itself.
fn defined(file: &LinkedFile, name: &str) -> Option<Def> {
    let first = file.top_level(name).first();
    first.map(|at| Def::Symbol(file.file, *at))
}

/// The exports of a name that a file has in a namespace.
fn exports_in<'a>(
    file: &'a LinkedFile,
    namespace: &'a str,
    name: &'a str,
) -> impl Iterator<Item = &'a Export> {
    file.exports(name).filter(move |it| {
        it.kind == ExportKind::Local && (it.specifier.is_empty() || it.specifier == namespace)
    })
}

//! Partial types of C#, whose parts stand in several files: `partial class Shop`.

use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::LinkedFile;
use super::linker::Linker;
use super::rules;
use super::types::Type;
use crate::ir::SymbolIdx;
use crate::model::{ModuleId, SymbolKind};

/// Files in which parts of one type are looked for.
const MAX_PARTS: usize = 64;

/// Definitions, by file and symbol.
pub(super) type Definitions = Rc<[(ModuleId, SymbolIdx)]>;

/// The bases of a class of C# that declare members which the class has to have itself.
#[derive(Default)]
pub(super) struct BasesApart {
    interfaces: Vec<Type>,
    /// External interfaces, by their names.
    outside: Vec<Type>,
    /// Whether the class may have further members: by an unknown base, or by parts that are generated.
    may_inherit: bool,
}

impl BasesApart {
    /// Returns the bases that are asked for a member which the others lack: those that tell what a member is that an external base may have,
    /// and those of which nothing is known.
    pub(super) fn after(self, has_external: bool) -> impl Iterator<Item = Type> {
        let is_asked = has_external || self.may_inherit;
        let interfaces = self.interfaces.into_iter().filter(move |_| is_asked);
        interfaces.chain(self.outside)
    }
}

/// The project that a file is compiled in, where that is known.
fn project_of(file: &LinkedFile) -> Option<ModuleId> {
    file.imports.projects.first().copied()
}

impl Linker<'_, '_> {
    /// The other parts of a type that is declared in parts: those in other files, sorted; `None` for a type that is not.
    pub(super) fn parts(&self, loaded: &LinkedFile, at: SymbolIdx) -> Option<Definitions> {
        if !rules::of(loaded).has_partial_types || !loaded.is_partial(at) {
            return None;
        }
        let key = (loaded.file, at);
        if let Some(known) = self.parts_of_types.borrow().get(&key) {
            return Some(Rc::clone(known));
        }
        let all = self.all_of_unit(key);
        let others = all.iter().filter(|it| it.0 != loaded.file);
        let others: Definitions = others.take(MAX_PARTS).copied().collect();
        let mut known = self.parts_of_types.borrow_mut();
        known.insert(key, Rc::clone(&others));
        Some(others)
    }

    /// Returns a base of a type, unless it is one whose members the type has not: a class of C# has no member that an interface declares
    /// for it.
    pub(super) fn unless_apart(
        &self,
        loaded: &LinkedFile,
        at: SymbolIdx,
        base: Option<Type>,
        apart: &mut BasesApart,
    ) -> Option<Type> {
        let is_class = loaded.symbol(at).kind == SymbolKind::Class;
        if !rules::of(loaded).is_csharp() || !is_class {
            return base;
        }
        apart.may_inherit |= base.is_none() || loaded.is_partial(at);
        let base = base?;
        let is_interface = |(file, of)| self.kind(file, of) == Some(SymbolKind::Interface);
        if matches!(&base, Type::ExternalType(of) if of.is_interface()) {
            apart.outside.push(base);
            return None;
        }
        if base.symbol().is_some_and(is_interface) {
            apart.interfaces.push(base);
            return None;
        }
        Some(base)
    }

    /// All parts of a type in the order of its unit, those of its own file among them.
    fn all_of_unit(&self, key: (ModuleId, SymbolIdx)) -> Definitions {
        // The parts of a file with two namespaces are those of both.
        let mut is_one_project = true;
        let mut is_found_now = false;
        let all = self.cache.definitions_of(key, || {
            is_found_now = true;
            let mut all = Vec::new();
            let Some(loaded) = self.cache.get(key.0) else {
                return all;
            };
            let own_project = project_of(&loaded);
            is_one_project = own_project.is_some() && loaded.units.len() == 1;
            let name = self.name_in_unit(&loaded, key.1);
            for unit in &loaded.units {
                for found in exports::all_in_unit(self.cache, *unit, &name) {
                    let Def::Symbol(file, part) = found else {
                        continue;
                    };
                    let Some(there) = self.cache.get(file) else {
                        continue;
                    };
                    let project = project_of(&there);
                    // Compiled together, as far as that is known.
                    if own_project.is_some() && project.is_some() && own_project != project {
                        continue;
                    }
                    is_one_project &= project.is_some();
                    // A file may have several parts.
                    for part in there.overloads(part) {
                        let part = (file, *part);
                        if there.is_partial(part.1)
                            && all.len() <= MAX_PARTS
                            && !all.contains(&part)
                        {
                            all.push(part);
                        }
                    }
                }
            }
            all
        });
        if is_found_now && is_one_project {
            // Each of them has the others: a type in a hundred parts is asked for those of each.
            self.cache.share_definitions(key, &all);
        }
        all
    }

    /// All parts of a type, itself among them: in its own file and in others.
    pub(super) fn all_parts(
        &self,
        (file, at): (ModuleId, SymbolIdx),
    ) -> Vec<(ModuleId, SymbolIdx)> {
        let mut all = vec![(file, at)];
        let Some(loaded) = self.cache.get(file).filter(|it| it.is_partial(at)) else {
            return all;
        };
        let own = loaded.overloads(at).iter();
        let own = own.filter(|part| **part != at && loaded.is_partial(**part));
        all.extend(own.map(|part| (file, *part)));
        let others = self.parts(&loaded, at);
        all.extend(others.iter().flat_map(|it| it.iter().copied()));
        all
    }

    /// The name of a type with those of the types around it, as its unit offers it.
    #[expect(clippy::unused_self, reason = "reads as `parts` does")]
    fn name_in_unit(&self, loaded: &LinkedFile, at: SymbolIdx) -> String {
        let mut name = loaded.lookup_name(at).into_owned();
        let mut around = loaded.symbol(at).parent;
        while let Some(parent) = around {
            name = format!("{}.{name}", loaded.lookup_name(parent));
            around = loaded.symbol(parent).parent;
        }
        name
    }

    /// The part that stands for a type: the first of all.
    pub(super) fn first_part(&self, (file, at): (ModuleId, SymbolIdx)) -> (ModuleId, SymbolIdx) {
        let Some(loaded) = self.cache.get(file) else {
            return (file, at);
        };
        let first = loaded.overloads(at).first().copied().unwrap_or(at);
        let is_partial = loaded.is_partial(at);
        let own = (file, if is_partial { first } else { at });
        let parts = self.parts(&loaded, at);
        let others = parts.iter().flat_map(|it| it.iter().copied());
        others.fold(own, std::cmp::min)
    }
}

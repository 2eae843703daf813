//! Partial types of C#, whose parts stand in several files: `partial class Shop`.

use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::LinkedFile;
use super::linker::Linker;
use super::rules;
use crate::ir::SymbolIdx;
use crate::model::ModuleId;

/// Files in which parts of one type are looked for.
const MAX_PARTS: usize = 64;

/// Definitions, by file and symbol.
pub(super) type Definitions = Rc<[(ModuleId, SymbolIdx)]>;

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
        let mut all = Vec::new();
        let name = self.name_in_unit(loaded, at);
        for unit in &loaded.units {
            for found in exports::all_in_unit(self.cache, *unit, &name) {
                if let Def::Symbol(file, part) = found
                    && file != loaded.file
                    && all.len() < MAX_PARTS
                    && !all.contains(&(file, part))
                    && self.is_of_one_project(loaded, file)
                {
                    all.push((file, part));
                }
            }
        }
        let all: Definitions = all.into();
        let kept = Rc::clone(&all);
        self.parts_of_types.borrow_mut().insert(key, kept);
        Some(all)
    }

    /// Whether two files are compiled together, as far as that is known.
    fn is_of_one_project(&self, one: &LinkedFile, other: ModuleId) -> bool {
        let other = self.cache.get(other);
        let project = |file: &LinkedFile| file.imports.projects.first().copied();
        match (project(one), other.and_then(|it| project(&it))) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        }
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
        let others = self.parts(&loaded, at);
        let heads = others.iter().flat_map(|it| it.iter().copied());
        for (there, at) in std::iter::once((file, at)).chain(heads) {
            // A file may have several parts.
            let Some(loaded) = self.cache.get(there) else {
                continue;
            };
            for part in loaded.overloads(at) {
                if loaded.is_partial(*part) && !all.contains(&(there, *part)) {
                    all.push((there, *part));
                }
            }
        }
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

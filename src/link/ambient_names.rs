//! Names that declarations of TypeScript give to all files: `declare const VERSION: string`.

use std::cmp::Reverse;

use super::cache::{Def, FactsCache};
use super::exports;
use super::file::LinkedFile;
use crate::ir::{AMBIENT_UNIT, ambient_export};
use crate::model::{ModuleId, RepoPath, Symbol, SymbolKind};

impl FactsCache<'_> {
    /// Returns the definition that a name means which the file does not bind and a declaration offers to all files; of several that of the
    /// nearest file, since each project has its own.
    pub(super) fn ambient(&self, file: &LinkedFile, name: &str) -> Option<Def> {
        let imports = (0_u32..).zip(&file.facts.imports);
        let mut units = imports.filter(|(_, it)| it.specifier == AMBIENT_UNIT);
        let unit = file.target(units.next()?.0)?;
        let key = format!("ambient {name}");
        self.memoized(file.file, &key, || self.nearest_ambient(file, unit, name))
    }

    fn nearest_ambient(&self, file: &LinkedFile, unit: ModuleId, name: &str) -> Option<Def> {
        let unit = self.get(unit)?;
        let name = ambient_export(name);
        unit.record_name(&name);
        let offering = self.stars_with(&unit, &name);
        let resolved = |it: &ModuleId| exports::resolve(self, *it, &name);
        let mut found: Vec<(ModuleId, Def)> = offering
            .iter()
            .filter_map(|it| Some((*it, resolved(it)?)))
            .collect();
        if found.len() < 2 {
            return found.pop().map(|it| it.1);
        }
        let own = self.path_of(file.file)?;
        let nearness = |of: ModuleId| {
            let other = self.path_of(of);
            let other = other.as_ref().map_or("", RepoPath::as_str);
            let shared = own.as_str().split('/').zip(other.split('/'));
            let n_shared = shared.take_while(|(own, other)| own == other).count();
            (n_shared, Reverse(other.split('/').count()))
        };
        // The first of equal ones, by path: `max_by_key` takes the last.
        found.reverse();
        let nearest = found.into_iter().max_by_key(|it| nearness(it.0));
        nearest.map(|it| it.1)
    }

    /// Whether a definition is a type alone, and its file has no value of the name.
    pub(super) fn is_type_alone(&self, def: Def) -> bool {
        let Def::Symbol(file, at) = def else {
            return false;
        };
        let Some(loaded) = self.get(file) else {
            return false;
        };
        let is_type = |it: &Symbol| matches!(it.kind, SymbolKind::Interface | SymbolKind::Type);
        let symbol = loaded.symbol(at);
        let mut namesakes = loaded.facts.symbols.iter();
        is_type(symbol)
            && namesakes.all(|it| it.qualified_name != symbol.qualified_name || is_type(it))
    }
}

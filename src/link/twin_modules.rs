//! Modules of one name in different files, of which a build takes one: `#[cfg(unix)] #[path = "unix.rs"] mod imp;` beside
//! `#[cfg(windows)] #[path = "windows.rs"] mod imp;`.

use std::rc::Rc;

use super::dispatch::{DispatchLookup, DispatchRelations};
use super::file::LinkedFile;
use super::linker::Linker;
use super::path_names::{NameLookup, Wanted};
use super::rules::{self, MemberOrder};
use super::rust_paths::Module;
use crate::ir::SymbolIdx;
use crate::model::{ModuleId, Provenance, SymbolKind};

impl Linker<'_, '_> {
    /// The files of the other modules that are declared under the name of one, in the same module.
    pub(super) fn twins(&self, file: &LinkedFile) -> Vec<ModuleId> {
        let around = file.import("super").and_then(|it| it.0);
        let Some(around) = around.and_then(|it| self.cache.get(it)) else {
            return Vec::new();
        };
        let Some(local) = around.declares(file.file) else {
            return Vec::new();
        };
        // Whoever declares another one changes what is found here.
        let _ = around.import(local);
        let imports = around.facts.imports.iter().zip(0_u32..);
        let same = imports.filter(|(import, _)| {
            let name = import.names.first().map(|it| it.local.as_str());
            import.specifier.starts_with("mod ") && name == Some(local)
        });
        let targets = same.filter_map(|(_, at)| around.target(at));
        targets.filter(|it| *it != file.file).collect()
    }

    /// Evaluates a name that a module lacks in those that stand for it in other builds.
    pub(super) fn in_twin(&self, module: &Module, name: &str, wanted: Wanted) -> NameLookup {
        if module.inline.is_some() {
            return NameLookup::Absent;
        }
        for twin in self.twins(&module.file) {
            let Some(file) = self.cache.get(twin) else {
                continue;
            };
            let twin = Module { file, inline: None };
            let found = self.in_module(&twin, name, wanted);
            if !matches!(found, NameLookup::Absent) {
                return found;
            }
        }
        NameLookup::Absent
    }
}

impl DispatchLookup<'_, '_> {
    /// Adds the definitions of the name in the modules that other builds take.
    pub(super) fn in_twins(
        &self,
        file: &Rc<LinkedFile>,
        at: SymbolIdx,
        all: &mut DispatchRelations,
    ) {
        if rules::of(file).members != MemberOrder::Implementations {
            return;
        }
        let one = file.symbol(at);
        self.linker.refuel();
        for twin in self.linker.twins(file) {
            let Some(other) = self.linker.cache.get(twin) else {
                continue;
            };
            let symbols = other.facts.symbols.iter().zip(0_u32..);
            let same = symbols
                .filter(|(it, _)| it.kind == one.kind && it.qualified_name == one.qualified_name);
            let same: Vec<SymbolIdx> = same.map(|it| it.1).collect();
            // Of methods that several traits give one type neither is known to be it.
            if let ([only], _) | ([only, ..], false) =
                (same.as_slice(), one.kind == SymbolKind::Method)
            {
                all.add(other.definition(*only), Provenance::Alternative);
            }
        }
    }
}

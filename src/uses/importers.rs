//! The ways in which a definition leaves its file: who imports it, who re-exports it, which packages offer it.

use std::collections::BTreeSet;

use super::Uses;
use super::modifiers::is_typescript;
use crate::error::Result;
use crate::ir::{ExportKind, FileFacts, ImportKind};
use crate::link::entries::entries;
use crate::link::name_binder::{
    DefinitionId, FileMeanings, Meaning, NameBinder, is_meant_to_export,
};
use crate::model::{Family, FileId, Provenance, RepoPath, SymbolKind};
use crate::store::{FileSummary, SymbolRow, token};

/// Files whose lists are read for one definition.
const MAX_FILES: usize = 1_000;

/// Files that may pass a name on with all others, which are looked at for their statement.
const MAX_STARS: u32 = 200;

/// Files that pass a name on, of which the packages are looked at.
const MAX_PASSING: u32 = 2_000;

/// How a definition leaves its file.
#[derive(Clone, Debug, Default)]
pub struct Exposure {
    /// Files that import it by name, with the line of the import, by path.
    pub importers: Vec<(RepoPath, u32)>,
    /// Files that re-export it, by name or with all others, with the line of the export, by path.
    pub reexporters: Vec<(RepoPath, u32)>,
    /// Specifiers of the package entries that export it, as an importer writes them: `@vue/shared`.
    pub packages: Vec<String>,
    /// Whether there were more files than are read.
    pub is_cut: bool,
}

impl Uses<'_> {
    /// Finds how definitions that are one to whoever uses them leave their file. Reads the facts of each file that holds
    /// the name: about 0.2 ms a file.
    pub fn exposure(&self, targets: &[SymbolRow]) -> Result<Exposure> {
        let mut exposure = Exposure::default();
        let is_offered = |target: &&SymbolRow| target.exported && !is_only_member(target);
        let Some(first) = targets.iter().find(is_offered) else {
            return Ok(exposure);
        };
        let Some(own) = self.read.file(first.path.as_str())? else {
            return Ok(exposure);
        };
        let wanted: Vec<DefinitionId> = targets.iter().map(|it| (own.id, it.ordinal)).collect();
        let is_it = |meaning: &Meaning| meaning.definition().is_some_and(|it| wanted.contains(&it));
        let binder = self.binder();
        let files = self.files_with_word(&token::normal_form(&first.name))?;
        exposure.is_cut = files.len() > MAX_FILES;
        let mut passing = BTreeSet::from([own.id]);
        let mut names = BTreeSet::from([first.name.clone(), "default".to_owned()]);
        loop {
            let n_names = names.len();
            for file in files.iter().take(MAX_FILES) {
                let is_own = file.id == own.id;
                if add_lists(binder, (file, is_own), is_it, &mut names, &mut exposure)? {
                    passing.insert(file.id);
                }
            }
            // A name that it is passed on by may be imported in a file that was looked at before.
            if names.len() == n_names {
                break;
            }
            exposure.importers.clear();
            exposure.reexporters.clear();
        }
        self.add_stars(binder, (own.id, &first.name), is_it, &mut exposure)?;
        exposure.packages = self.packages(binder, &passing, &names, &wanted)?;
        Ok(exposure)
    }

    /// Adds the files that re-export a definition of `own` without its name, `export * from './db'`, `from .db import *`.
    fn add_stars(
        &self,
        binder: &NameBinder<'_>,
        (own, name): (FileId, &str),
        is_it: impl Fn(&Meaning) -> bool,
        exposure: &mut Exposure,
    ) -> Result<()> {
        let passing = self.read.reexporters(own, MAX_STARS)?;
        exposure.is_cut |= passing.len() == MAX_STARS as usize;
        for file in passing.into_iter().filter(|it| *it != own) {
            let (Some(path), Some(facts)) = (self.read.path_of(file)?, binder.facts(file)) else {
                continue;
            };
            let has = |file: FileId| {
                let found = binder.exported(file, name);
                found.is_some_and(|it| is_it(&Meaning::Definition(it, Provenance::Resolved)))
            };
            if !has(file) {
                continue;
            }
            let mut stars = facts
                .exports
                .iter()
                .filter(|it| it.kind == ExportKind::Star);
            let star = stars.find(|it| binder.star_target(file, &it.specifier).is_some_and(has));
            let is_known = exposure.reexporters.iter().any(|it| it.0 == path);
            let is_meant = matches!(facts.family, Family::Ecmascript | Family::Python) && !is_known;
            if let Some(star) = star.filter(|_| is_meant)
                && is_meant_to_export(&path, &facts, name)
            {
                exposure.reexporters.push((path, star.line));
            }
        }
        exposure.reexporters.sort();
        Ok(())
    }

    /// Returns the package entries that export one of `wanted` under one of `names`, of the packages whose files pass names
    /// of `files` on.
    fn packages(
        &self,
        binder: &NameBinder<'_>,
        files: &BTreeSet<FileId>,
        names: &BTreeSet<String>,
        wanted: &[DefinitionId],
    ) -> Result<Vec<String>> {
        let mut passing = BTreeSet::new();
        for file in files {
            passing.extend(self.read.reexporters(*file, MAX_PASSING)?);
        }
        let mut paths = Vec::with_capacity(passing.len());
        for file in &passing {
            paths.extend(self.read.path_of(*file)?);
        }
        let mut found = Vec::new();
        for (specifier, entry) in entries(self.read, &paths)? {
            let exports = |name: &String| {
                let exported = binder.exported(entry, name);
                exported.is_some_and(|it| wanted.contains(&it))
            };
            if passing.contains(&entry) && names.iter().any(exports) {
                found.push(specifier);
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// Whether a definition is a member that no import of TypeScript takes by its name. One that JavaScript puts on `module.exports` may be taken.
fn is_only_member(symbol: &SymbolRow) -> bool {
    let is_member = matches!(
        symbol.kind,
        SymbolKind::Method | SymbolKind::Property | SymbolKind::Field | SymbolKind::EnumMember
    );
    symbol.parent.is_some() && is_member && is_typescript(&symbol.path)
}

/// Adds what the lists of one file import and export of a definition by one of its names, and to these the names by which they pass it on. Returns
/// whether it is re-exported there.
fn add_lists(
    binder: &NameBinder<'_>,
    (file, is_own): (&FileSummary, bool),
    is_it: impl Fn(&Meaning) -> bool,
    names: &mut BTreeSet<String>,
    exposure: &mut Exposure,
) -> Result<bool> {
    // All names of a module are imported as `*` or without one.
    let lists = binder.lists_naming(file.id, |name| {
        matches!(name, "" | "*") || names.contains(name)
    })?;
    let Some(facts) = binder.facts(file.id) else {
        return Ok(false);
    };
    if !is_own && let Some(at) = first_import(&facts, &lists, &is_it) {
        let line = facts.imports[at].line;
        exposure.importers.push((file.path.clone(), line));
    }
    let mut is_passed_on = false;
    for (export, meaning) in facts.exports.iter().zip(&lists.exports) {
        if !is_it(meaning) || !is_meant_to_export(&file.path, &facts, &export.name) {
            continue;
        }
        names.insert(export.name.clone());
        if !is_own && !is_passed_on {
            exposure.reexporters.push((file.path.clone(), export.line));
            is_passed_on = true;
        }
    }
    Ok(is_passed_on)
}

/// Returns the place of the first import that binds one of the wanted definitions, re-exports apart.
fn first_import(
    facts: &FileFacts,
    lists: &FileMeanings,
    is_it: impl Fn(&Meaning) -> bool,
) -> Option<usize> {
    let imports = facts.imports.iter().zip(&lists.imports);
    let mut imports = imports
        .map(|(import, names)| import.kind != ImportKind::ReExport && names.iter().any(&is_it));
    imports.position(|binds| binds)
}

//! Places of the names of definitions that are gone of which nothing is known: in code that no frontend reads, in imports that lead nowhere.
//!
//! The index has no row of such a place. Uses that it has as unresolved are counted in `broken`.

use std::collections::{BTreeSet, HashSet};

use super::Uses;
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses, last_name};
use super::difference::Difference;
use super::name_occurrences::OccurrenceMeaning;
use super::unbound_uses::may_name;
use crate::error::{Error, Result};
use crate::model::{Provenance, RepoPath};

/// Definitions whose names are looked for.
const MAX_NAMES: usize = 16;

/// Bytes of files that are read for one name: some 80 ms.
const MAX_BYTES: usize = 256 << 10;

impl Uses<'_> {
    /// Adds to the doubtful uses the places of unknown meaning that the names of definitions which are gone still have. Looks for them only
    /// where all else is known: an answer that is not complete says so already. Reads and parses the files that hold the names.
    pub(super) fn add_unknown_places(
        &self,
        difference: &Difference,
        found: &mut BrokenUses,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<()> {
        let mut names = HashSet::new();
        let mut known: BTreeSet<(RepoPath, u32)> = BTreeSet::new();
        for one in found.all.iter().chain(&found.doubtful) {
            let lines = one.lines().into_iter();
            known.extend(lines.map(|(line, ..)| (one.path.clone(), line)));
        }
        for (at, change) in difference.changes.iter().enumerate() {
            let old = difference.old(change).filter(|it| is_wanted(&it.0.path));
            let Some((file, symbol)) = old.filter(|_| change.is_gone()) else {
                continue;
            };
            let name = last_name(&symbol.name);
            if names.len() == MAX_NAMES || !names.insert(name) {
                continue;
            }
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let rows = self.read.unbound_places(name)?.into_iter();
            let mut told: HashSet<RepoPath> = rows.map(|row| row.path).collect();
            // What an import brings in is broken with it.
            let of_it = found.all.iter().filter(|one| one.change == Some(at));
            let imports = of_it.filter(|one| one.kind.is_none());
            told.extend(imports.map(|one| one.path.clone()));
            let places = self.occurrences_within(name, &[], MAX_BYTES)?.all;
            for place in places {
                let is_unknown = place.meaning == OccurrenceMeaning::Unbound
                    && place.is_in_code
                    && may_name(&place.path, &file.path)
                    && !told.contains(&place.path);
                if !is_unknown || !known.insert((place.path.clone(), place.line)) {
                    continue;
                }
                // Files with syntax errors are told as a whole.
                let row = self.read.file(place.path.as_str())?;
                if row.is_none_or(|row| self.has_errors(&row).unwrap_or(true)) {
                    continue;
                }
                found.doubtful.push(BrokenUse {
                    path: place.path,
                    line: place.line,
                    text: place.text,
                    kind: None,
                    also: Vec::new(),
                    home: file.path.clone(),
                    symbol: symbol.qualified_name.clone(),
                    change: Some(at),
                    reason: BrokenReason::Gone,
                    provenance: Provenance::Name,
                    module_line: None,
                    is_through: false,
                });
                found.n_unresolved += 1;
            }
        }
        found.sort();
        Ok(())
    }
}

//! Definitions that are gone and that code may call without their name: code outside of the repository, the language, `Error` of Go, or what
//! knows a base or an interface that is not defined here, `Dispose`; and code that knows an interface which their type fits.

use std::collections::HashSet;

use super::Uses;
use super::changed_file::ChangedFile;
use super::difference::{DefinitionPlace, Difference};
use super::implicit_callers::{BasesAsked, is_private_member, keep_calling};
use super::unchecked_uses::UncheckedUses;
use crate::error::Result;
use crate::graph::changes::ChangeKind;
use crate::model::{RepoPath, Symbol, SymbolFlags, SymbolKind};
use crate::syntax;

/// A definition that is gone, with its file and its place before.
type GoneDefinition<'a> = (&'a ChangedFile, &'a Symbol, &'a DefinitionPlace);

impl Uses<'_> {
    /// Returns how many changes there are whose uses are not compared with them; `is_wanted` chooses among the files. Costs a look-up of the bases
    /// of each method that is gone, and of the members of its name.
    pub fn unchecked_uses(
        &self,
        difference: &Difference,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<UncheckedUses> {
        let (mut n_called_outside, mut n_through_interfaces) = (0, 0);
        for gone in gone_for_good(difference, is_wanted) {
            n_called_outside += u64::from(self.is_called_outside(gone)?);
            n_through_interfaces += u64::from(self.is_used_through_interface(gone)?);
        }
        Ok(UncheckedUses {
            n_called_outside,
            n_through_interfaces,
            ..difference.unchecked_uses(is_wanted)
        })
    }

    fn is_called_outside(&self, (file, symbol, place): GoneDefinition<'_>) -> Result<bool> {
        if !symbol.kind.is_function() {
            return Ok(false);
        }
        let facts = &file.old.facts;
        if syntax::called_by_name(&file.path, symbol).is_some() {
            return Ok(true);
        }
        if symbol.kind != SymbolKind::Method || is_private_member(facts, symbol) {
            return Ok(false);
        }
        let (at, home) = (place.symbols[0], (&file.path, None));
        let mut bases = self.external_bases(facts, at, home, BasesAsked::Calling)?;
        keep_calling(facts, at, &file.old.text, true, &mut bases);
        Ok(!bases.is_empty())
    }

    fn is_used_through_interface(&self, (file, symbol, _): GoneDefinition<'_>) -> Result<bool> {
        // The fields of a type are like those of many others.
        if symbol.kind != SymbolKind::Method {
            return Ok(false);
        }
        let home = (&file.path, None);
        let fitting = self.fitting_interfaces(&file.old.facts, symbol, home)?;
        Ok(!fitting.is_empty())
    }
}

/// Returns the definitions that are gone and whose name no other file has now, without tests; `is_wanted` chooses among the files.
fn gone_for_good<'a>(
    difference: &'a Difference,
    is_wanted: &dyn Fn(&RepoPath) -> bool,
) -> Vec<GoneDefinition<'a>> {
    // What another file has now under its name is called there.
    let all = difference.changes.iter();
    let added = all.filter(|it| it.kind == ChangeKind::Added);
    let added: HashSet<&str> = added
        .filter_map(|it| Some(difference.new_of(it)?.1.qualified_name.as_str()))
        .collect();
    let gone = difference
        .gone()
        .filter(|it| matches!(it.kind, ChangeKind::Removed | ChangeKind::Renamed));
    let places = gone.filter_map(|it| {
        let (file, symbol) = difference.old(it)?;
        Some((file, symbol, it.old.as_ref()?))
    });
    places
        .filter(|(file, symbol, _)| {
            !symbol.flags.contains(SymbolFlags::TEST)
                && !added.contains(symbol.qualified_name.as_str())
                && is_wanted(&file.path)
        })
        .collect()
}

//! Definitions that are gone and that code outside of the repository may call: the language, `Error` of Go, or what knows a base or an interface
//! that is not defined here, `Dispose`.

use std::collections::HashSet;

use super::Uses;
use super::difference::Difference;
use super::implicit_callers::{BasesAsked, is_private_member, keep_calling};
use super::unchecked_uses::UncheckedUses;
use crate::error::Result;
use crate::graph::changes::ChangeKind;
use crate::model::{RepoPath, SymbolFlags, SymbolKind};
use crate::syntax;

impl Uses<'_> {
    /// Returns how many changes there are whose uses are not compared with them; `is_wanted` chooses among the files.
    pub fn unchecked_uses(
        &self,
        difference: &Difference,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<UncheckedUses> {
        Ok(UncheckedUses {
            n_called_outside: self.n_called_outside(difference, is_wanted)?,
            ..difference.unchecked_uses(is_wanted)
        })
    }

    /// Returns how many definitions that are gone may be called from outside; `is_wanted` chooses among the files. Costs a look-up of the bases
    /// of each method that is gone.
    fn n_called_outside(
        &self,
        difference: &Difference,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<u64> {
        let mut n_called = 0;
        // What another file has now under its name is called there.
        let all = difference.changes.iter();
        let added = all.filter(|it| it.kind == ChangeKind::Added);
        let added: HashSet<&str> = added
            .filter_map(|it| Some(difference.new_of(it)?.1.qualified_name.as_str()))
            .collect();
        let gone = difference
            .gone()
            .filter(|it| matches!(it.kind, ChangeKind::Removed | ChangeKind::Renamed));
        for change in gone {
            let (Some((file, symbol)), Some(place)) = (difference.old(change), &change.old) else {
                continue;
            };
            let is_test = symbol.flags.contains(SymbolFlags::TEST);
            let is_elsewhere = added.contains(symbol.qualified_name.as_str());
            let is_function = symbol.kind.is_function();
            if is_test || is_elsewhere || !is_function || !is_wanted(&file.path) {
                continue;
            }
            let facts = &file.old.facts;
            let is_by_name = syntax::called_by_name(&file.path, symbol).is_some();
            let is_method = symbol.kind == SymbolKind::Method && !is_private_member(facts, symbol);
            let is_through_base = || -> Result<bool> {
                let (at, home) = (place.symbols[0], (&file.path, None));
                let mut bases = self.external_bases(facts, at, home, BasesAsked::Calling)?;
                keep_calling(facts, at, &file.old.text, true, &mut bases);
                Ok(!bases.is_empty())
            };
            n_called += u64::from(is_by_name || is_method && is_through_base()?);
        }
        Ok(n_called)
    }
}

//! Definitions that are gone and that code outside of the repository may call: the language, `Error` of Go, or what knows a base or an interface
//! that is not defined here, `Dispose`.

use std::collections::HashSet;

use super::Uses;
use super::difference::Difference;
use super::implicit_callers::{BasesAsked, bases_of, is_called_through, is_private_member};
use crate::error::Result;
use crate::graph::changes::ChangeKind;
use crate::model::{Family, RepoPath, SymbolFlags, SymbolKind};
use crate::syntax;

impl Uses<'_> {
    /// Returns how many definitions that are gone may be called from outside; `is_wanted` chooses among the files. Costs a look-up of the bases
    /// of each method that is gone.
    pub fn n_called_outside(
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
                if facts.family == Family::Rust {
                    // A method of one trait is called through no other one that the trait is built on.
                    let own = bases_of(facts, at, BasesAsked::Calling);
                    bases.retain(|base| own.contains(base));
                }
                let text = file.old.text.as_ref();
                Ok(bases
                    .iter()
                    .any(|base| is_called_through(facts, symbol, base, text)))
            };
            n_called += u64::from(is_by_name || is_method && is_through_base()?);
        }
        Ok(n_called)
    }
}

//! Imports that a moved file took along and that lead nowhere from its new place: `from .util import size` in another package.

use std::collections::BTreeSet;

use super::Uses;
use super::before_after::{
    BeforeAfter, BrokenPlace, Loss, LossesByFile, is_unbound, start_of_line,
};
use super::broken_use::BrokenUses;
use super::difference::Difference;
use super::removed_modules::is_bound_beside;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::ir::ImportKind;
use crate::link::name_binder::Meaning;
use crate::store::ImportTarget;

impl Difference {
    /// Returns the files between which definitions were moved, each pair by its places in the old and the new state.
    pub(super) fn files_of_moved(&self) -> BTreeSet<(usize, usize)> {
        let all = self.changes.iter();
        let moved = all.filter(|it| it.kind == ChangeKind::Moved);
        moved
            .filter_map(|it| Some((it.old.as_ref()?.file, it.new.as_ref()?.file)))
            .collect()
    }

    /// Returns the files that were moved, each by its places in the old and the new state: those whose definitions another file has now, and
    /// those of equal text, as a file without definitions is.
    pub(super) fn moved_files(&self) -> BTreeSet<(usize, usize)> {
        let mut pairs = self.files_of_moved();
        let gone = |at: &usize| self.files[*at].old.is_there && !self.files[*at].new.is_there;
        let came = |at: &usize| self.files[*at].new.is_there && !self.files[*at].old.is_there;
        let all = 0..self.files.len();
        for to in all.clone().filter(came) {
            let text = &self.files[to].new.text;
            let is_same = |from: &usize| gone(from) && self.files[*from].old.text == *text;
            pairs.extend(all.clone().find(is_same).map(|from| (from, to)));
        }
        pairs.retain(|(from, to)| gone(from) && came(to));
        pairs
    }
}

impl Uses<'_> {
    /// Adds the imports of moved files that led to a file before and lead nowhere now.
    pub(super) fn add_imports_of_moved(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let difference = states.difference;
        for (from, to) in difference.moved_files() {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let (old, new) = (&difference.files[from], &difference.files[to]);
            let Some(row) = self.read.file(new.path.as_str())? else {
                continue;
            };
            let now = self.read.imports(row.id)?;
            let earlier = states.overlay_ids[from].earlier;
            let before = states.targets_before.get(&earlier);
            let before = before.map_or(&[] as &[ImportTarget], Vec::as_slice);
            let (old_imports, imports) = (&old.old.facts.imports, &new.new.facts.imports);
            let meanings_before = states.before.lists_of(earlier)?.imports;
            let meanings_now = states.now.lists_of(row.id)?.imports;
            let mut seen = BTreeSet::new();
            for (at, import) in imports.iter().enumerate() {
                let is_written = match import.kind {
                    ImportKind::Implied | ImportKind::Scope => false,
                    // `from . import util`, where the package itself has no `util`.
                    ImportKind::Submodule => !is_bound_beside(imports, &meanings_now, import),
                    _ => true,
                };
                let mut same = old_imports.iter().zip(before).enumerate();
                let same = same.find(|(_, (it, _))| {
                    (&it.specifier, it.kind) == (&import.specifier, import.kind)
                });
                let Some((old_at, (old_import, led))) = same.filter(|_| is_written) else {
                    continue;
                };
                let target = now.get(at).and_then(|it| it.target);
                let is_led = matches!(target, Some(ImportTarget::File(_) | ImportTarget::Unit(_)));
                let is_missing = target == Some(ImportTarget::Missing)
                    || import.kind == ImportKind::Submodule && !is_led;
                let loss = match led {
                    ImportTarget::File(file) if is_missing => Some(Loss::OutOfReach(*file)),
                    _ => {
                        let names = import.names.iter().enumerate();
                        let mut lost = names.filter_map(|(n, name)| {
                            let mut olds = old_import.names.iter();
                            let old_n = olds.position(|it| it.imported == name.imported)?;
                            let was = meanings_before.get(old_at)?.get(old_n)?;
                            let is = meanings_now.get(at)?.get(n)?;
                            loss_of(*was, *is)
                        });
                        lost.next()
                    }
                };
                let Some(loss) = loss.filter(|_| seen.insert(import.line)) else {
                    continue;
                };
                let start = start_of_line(&new.new.text, import.line);
                let place = BrokenPlace::at(start, import.line);
                let text = (&new.path, &*new.new.text);
                let none = LossesByFile::default();
                found
                    .all
                    .extend(self.entries(states, text, &loss, vec![place], &none)?);
            }
        }
        Ok(())
    }
}

/// Returns the loss of a name that an import of a moved file took before, and takes from nowhere now.
fn loss_of(was: Meaning, is: Meaning) -> Option<Loss> {
    match was {
        Meaning::Definition(definition, _) if is_unbound(is) => Some(Loss::Definition(definition)),
        Meaning::Module(module) if is_unbound(is) => Some(Loss::OutOfReach(module.file())),
        _ => None,
    }
}

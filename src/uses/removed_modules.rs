//! Modules and packages that no file of the repository has any more, whose imports lead out of it now.

use super::before_after::{BeforeAfter, BoundFile, Loss};
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::model::{Family, FileId};
use crate::store::ImportTarget;

impl Loss {
    /// The loss of an imported name whose module may be gone; see [`BeforeAfter::module_gone`]. A module that may be installed is none.
    pub(super) fn with_module(self, module_gone: Option<bool>) -> Option<Self> {
        match self {
            it if module_gone != Some(false) => Some(it),
            Self::Change(change) => Some(Self::Inherited(change)),
            _ => None,
        }
    }
}

impl BeforeAfter<'_> {
    /// Whether an import names a module or package that no file has any more, and whether that is proved: `import shop.db.Store;` without
    /// the last file of `shop.db` is, as the name of a package begins with that of its project. `import util` without `util.py` is
    /// not: a package of that name may be installed.
    pub(super) fn module_gone(&self, bound: &BoundFile<'_>, import: usize) -> Option<bool> {
        let earlier_id = bound
            .changed
            .map_or(bound.id, |at| self.overlay_ids[at].current);
        let before = *self.targets_before.get(&earlier_id)?.get(import)?;
        let now = bound.targets.get(import).copied().flatten()?;
        let family = bound.facts.family;
        match (before, now) {
            _ if family == Family::Rust => None,
            (ImportTarget::File(_) | ImportTarget::Unit(_), ImportTarget::External) => {
                Some(family == Family::Java)
            }
            (ImportTarget::Unit(_), ImportTarget::Missing) => Some(true),
            _ => None,
        }
    }

    /// Whether a use meant a definition that is gone, and now leads out of the repository as its module is gone too. `Some(false)` where
    /// an external package may have it.
    pub(super) fn lost_with_module(
        &self,
        bound: &BoundFile<'_>,
        definition: DefinitionId,
        now: Meaning,
    ) -> Option<bool> {
        if now != Meaning::External || !self.gone.contains_key(&definition) {
            return None;
        }
        let imports = 0..bound.facts.imports.len();
        imports.filter_map(|at| self.module_gone(bound, at)).min()
    }

    /// Returns the first earlier file of a package of Java.
    pub(super) fn file_of_package(&self, package: &str) -> Option<FileId> {
        let mut files = self.difference.files.iter().zip(&self.overlay_ids);
        let found =
            files.find(|(it, _)| it.old.facts.units.first().is_some_and(|it| it == package));
        found.map(|(_, ids)| ids.earlier)
    }
}

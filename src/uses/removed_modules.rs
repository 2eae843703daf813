//! Modules and packages that no file of the repository has any more, whose imports lead out of it now.

use super::before_after::{
    BeforeAfter, BoundFile, BrokenPlace, Loss, LossesByFile, is_unbound, start_of_line,
};
use crate::ir::{Import, ImportKind};
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

/// Whether something is missing where an import of a kind leads nowhere.
pub(super) fn has_to_lead(kind: ImportKind) -> bool {
    !matches!(
        kind,
        ImportKind::Submodule
            | ImportKind::Implied
            | ImportKind::Scope
            | ImportKind::Fragment
            | ImportKind::RequireResolve
    )
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

    /// Adds a name of an import statement that stood for a module and stands for nothing now, `store` of `from db import store` without
    /// `db/store.py`; returns false of any other import.
    pub(super) fn add_lost_submodule(
        &self,
        bound: &BoundFile<'_>,
        import: usize,
        (before, now): (Option<ImportTarget>, Option<ImportTarget>),
        losses: &mut LossesByFile,
    ) -> bool {
        let (Some(ImportTarget::File(file)), imports) = (before, &bound.facts.imports) else {
            return false;
        };
        let is_led = matches!(now, Some(ImportTarget::File(_) | ImportTarget::Unit(_)));
        let is_submodule = imports[import].kind == ImportKind::Submodule;
        let is_lost = is_submodule && !is_led && !self.is_there(file);
        if !is_lost || is_bound_beside(imports, &bound.now.imports, &imports[import]) {
            return false;
        }
        let line = imports[import].line;
        let place = BrokenPlace::at(start_of_line(bound.text, line), line);
        losses.add(bound.path, &Loss::Module(file.into()), place);
        true
    }

    /// Whether an earlier file is there in the new state.
    fn is_there(&self, file: FileId) -> bool {
        let at = self.overlay_ids.iter().position(|it| it.earlier == file);
        at.is_none_or(|at| self.difference.files[at].new.is_there)
    }

    /// Returns the first earlier file of a package of Java.
    pub(super) fn file_of_package(&self, package: &str) -> Option<FileId> {
        let mut files = self.difference.files.iter().zip(&self.overlay_ids);
        let found =
            files.find(|(it, _)| it.old.facts.units.first().is_some_and(|it| it == package));
        found.map(|(_, ids)| ids.earlier)
    }
}

/// Returns the meaning that a name of an import or export list lost: it had one among the earlier files and has none
/// now.
pub(super) fn loss_of(
    states: &BeforeAfter<'_>,
    (before, now): (Meaning, Meaning),
    is_missing: bool,
) -> Option<Loss> {
    if !is_unbound(now) {
        return None;
    }
    let is_provable = is_missing || matches!(now, Meaning::Dangling(_));
    match before {
        Meaning::Definition(definition, _) => match states.change_of_gone(definition) {
            Some(change) => Some(Loss::Change(change)),
            None => is_provable.then_some(Loss::Definition(definition)),
        },
        Meaning::Module(file) => is_provable.then_some(Loss::Module(file)),
        _ => None,
    }
}

/// Whether a name of an import statement, which may be a module for which `submodule` stands, means something else.
pub(super) fn is_bound_beside(
    imports: &[Import],
    meanings: &[Vec<Meaning>],
    submodule: &Import,
) -> bool {
    let names = submodule.names.first().map(|it| &it.local);
    let beside = imports
        .iter()
        .zip(meanings)
        .filter(|(it, _)| it.line == submodule.line && it.kind != ImportKind::Submodule);
    let mut all = beside.flat_map(|(it, meanings)| it.names.iter().zip(meanings));
    all.any(|(name, meaning)| Some(&name.local) == names && !is_unbound(*meaning))
}

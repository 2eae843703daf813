//! The dependencies of a linked file: the files in which names were looked up, and which names, as buckets of their
//! interface fingerprints.
//!
//! By these rows the store finds the files to link again when an interface changes: see `Writer::queue_dependents`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::file::LinkedFile;
use crate::model::ModuleId;
use crate::model::hash::HashSet;
use crate::store::interface::RESIDUAL;

/// A file, with the buckets of the names that were looked up in it.
pub(super) type FileDependency = (ModuleId, u64);

/// Records the look-ups in other files while one file is linked.
#[derive(Default)]
pub(super) struct DependencyRecorder {
    /// Files whose facts were asked for, each with its own mask of names; `None` for one without facts.
    loaded: RefCell<BTreeMap<ModuleId, Option<Rc<LinkedFile>>>>,
    /// Files that were looked up without their facts, by the names that they export or by a memo.
    not_loaded: RefCell<BTreeMap<ModuleId, u64>>,
}

impl DependencyRecorder {
    /// Records that the facts of a file were asked for. The file then records the names that are looked up in it.
    pub(super) fn record_load(&self, file: ModuleId, loaded: Option<&Rc<LinkedFile>>) {
        if let Some(loaded) = loaded {
            if loaded.name_mask.get().is_some() {
                return;
            }
            loaded.name_mask.set(Some(0));
        }
        self.loaded.borrow_mut().insert(file, loaded.cloned());
    }

    /// Records look-ups in files that need not be loaded for them.
    pub(super) fn record(&self, dependencies: &[FileDependency]) {
        let mut not_loaded = self.not_loaded.borrow_mut();
        for (file, mask) in dependencies {
            *not_loaded.entry(*file).or_default() |= mask;
        }
    }

    /// Takes the look-ups so far, by file.
    pub(super) fn take(&self) -> BTreeMap<ModuleId, u64> {
        let mut masks = self.not_loaded.take();
        for (file, loaded) in self.loaded.take() {
            let mask = loaded.and_then(|loaded| loaded.name_mask.take());
            *masks.entry(file).or_default() |= mask.unwrap_or(0);
        }
        masks
    }

    /// Runs `search` and returns its result with its look-ups alone; those before it stay recorded.
    pub(super) fn apart<T>(&self, search: impl FnOnce() -> T) -> (T, BTreeMap<ModuleId, u64>) {
        let loaded = self.loaded.take();
        let cells = || loaded.values().flatten().map(|loaded| &loaded.name_mask);
        let masks: Vec<Option<u64>> = cells().map(Cell::take).collect();
        let not_loaded = self.not_loaded.take();
        let found = search();
        let own = self.take();
        for (cell, mask) in cells().zip(masks) {
            cell.set(mask);
        }
        self.loaded.replace(loaded);
        self.not_loaded.replace(not_loaded);
        (found, own)
    }
}

/// Drops dependencies that are implied by a barrel: a file that barrel `b` re-exports with `export *` need not be
/// recorded when it was read for a subset of `b`'s buckets. A change of such a file queues the dependents of `b` as
/// well (`Writer::queue_dependents`), and a barrel that stops to re-export it changes in a bucket that was read.
/// Behind the barrels of a large repository there are hundreds of files for each that imports from them.
///
/// `loaded` returns the files that are known.
pub(super) fn without_implied<'a>(
    masks: &BTreeMap<ModuleId, u64>,
    loaded: impl Fn(ModuleId) -> Option<&'a LinkedFile>,
) -> Vec<FileDependency> {
    if masks.len() <= 1 {
        return masks.iter().map(|(file, mask)| (*file, *mask)).collect();
    }
    let implied_by = |file: ModuleId| -> Vec<ModuleId> {
        let mask = masks
            .get(&file)
            .copied()
            .filter(|mask| mask & RESIDUAL != 0);
        let (Some(mask), Some(loaded)) = (mask, loaded(file)) else {
            return Vec::new();
        };
        let is_implied = |star: ModuleId, inner: u64| star != file && inner & !mask == 0;
        // A package has hundreds of files, of which a look-up needs one or two.
        if loaded.stars.len() > masks.len() {
            let all = masks.iter();
            all.filter(|(star, inner)| is_implied(**star, **inner) && loaded.passes_on(**star))
                .map(|(star, _)| *star)
                .collect()
        } else {
            let stars = loaded.stars.iter().copied();
            stars
                .filter(|star| {
                    masks
                        .get(star)
                        .is_some_and(|inner| is_implied(*star, *inner))
                })
                .collect()
        }
    };
    let inner: HashSet<ModuleId> = masks.keys().flat_map(|file| implied_by(*file)).collect();
    let (inside, outside): (Vec<ModuleId>, Vec<ModuleId>) =
        masks.keys().partition(|file| inner.contains(file));
    let mut reached: HashSet<ModuleId> = HashSet::default();
    let mut noted = Vec::new();
    // Of files that only pass each other on, the first one stands for all.
    for file in outside.into_iter().chain(inside) {
        if !reached.insert(file) {
            continue;
        }
        noted.push((file, masks[&file]));
        let mut open = vec![file];
        while let Some(file) = open.pop() {
            let implied = implied_by(file).into_iter();
            open.extend(implied.filter(|star| reached.insert(*star)));
        }
    }
    noted
}

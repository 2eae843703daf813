//! The dependencies of a linked file: the files in which names were looked up, and which names, as buckets of their
//! interface fingerprints.
//!
//! By these rows the store finds the files to link again when an interface changes: see `Writer::queue_dependents`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::file::{LinkedFile, NameMask};
use crate::model::ModuleId;
use crate::model::hash::{HashMap, HashSet};
use crate::store::interface::RESIDUAL;

/// A file, with the buckets of the names that were looked up in it.
pub(super) type FileDependency = (ModuleId, u64);

/// A file whose facts were asked for.
#[derive(Default)]
struct LoadedFile {
    /// One of each time that it was loaded, with what was recorded in it before: who has the file in hand goes on with that copy when the
    /// cache drops it. None of a file without facts.
    masks: Vec<(Rc<NameMask>, (u64, u64))>,
    /// The file itself, if it re-exports others: by these the dependencies on them are left out.
    barrel: Option<Rc<LinkedFile>>,
}

/// The look-ups for one file, or for one exported name.
pub(super) struct Lookups {
    /// The buckets of the names that were looked up, by file.
    pub(super) masks: BTreeMap<ModuleId, u64>,
    /// The loaded files among them that re-export others.
    pub(super) barrels: HashMap<ModuleId, Rc<LinkedFile>>,
}

/// Records the look-ups in other files while one file is linked.
#[derive(Default)]
pub(super) struct DependencyRecorder {
    /// Files whose facts were asked for.
    loaded: RefCell<BTreeMap<ModuleId, LoadedFile>>,
    /// Files that were looked up without their facts, by the names that they export or by a memo.
    not_loaded: RefCell<BTreeMap<ModuleId, u64>>,
    /// The number of the search that is running, and of the last one that began: one in another is told apart without a look at the files
    /// of that one.
    running: Rc<Cell<u64>>,
    last: Cell<u64>,
}

impl DependencyRecorder {
    /// Records that the facts of a file were asked for. The file then records the names that are looked up in it.
    pub(super) fn record_load(&self, file: ModuleId, loaded: Option<&Rc<LinkedFile>>) {
        let mut all = self.loaded.borrow_mut();
        let Some(loaded) = loaded else {
            all.entry(file).or_default();
            return;
        };
        let Some(before) = loaded.name_mask.begin(&self.running) else {
            return;
        };
        let recorded = all.entry(file).or_default();
        recorded.masks.push((Rc::clone(&loaded.name_mask), before));
        recorded.barrel = (!loaded.stars.is_empty()).then(|| Rc::clone(loaded));
    }

    /// Records look-ups in files that need not be loaded for them.
    pub(super) fn record(&self, dependencies: &[FileDependency]) {
        let mut not_loaded = self.not_loaded.borrow_mut();
        for (file, mask) in dependencies {
            *not_loaded.entry(*file).or_default() |= mask;
        }
    }

    /// Takes the look-ups so far; those of the next file follow.
    pub(super) fn take(&self) -> Lookups {
        let mut masks = self.not_loaded.take();
        let mut barrels = HashMap::default();
        for (file, loaded) in self.loaded.take() {
            let mask = masks.entry(file).or_default();
            for (recorded, before) in loaded.masks {
                *mask |= recorded.buckets();
                recorded.restore(before);
            }
            if let Some(barrel) = loaded.barrel {
                barrels.insert(file, barrel);
            }
        }
        self.begin();
        Lookups { masks, barrels }
    }

    /// Runs `search` and returns its result with its look-ups alone; those before it stay recorded. Costs what it looks up.
    pub(super) fn apart<T>(&self, search: impl FnOnce() -> T) -> (T, Lookups) {
        let outer = self.running.get();
        let (loaded, not_loaded) = (self.loaded.take(), self.not_loaded.take());
        self.begin();
        let found = search();
        let own = self.take();
        self.running.set(outer);
        self.loaded.replace(loaded);
        self.not_loaded.replace(not_loaded);
        (found, own)
    }

    fn begin(&self) {
        self.last.set(self.last.get() + 1);
        self.running.set(self.last.get());
    }
}

/// Drops dependencies that are implied by a barrel: a file that barrel `b` re-exports with `export *` need not be
/// recorded when it was read for a subset of `b`'s buckets. A change of such a file queues the dependents of `b` as
/// well (`Writer::queue_dependents`), and a barrel that stops to re-export it changes in a bucket that was read.
/// Behind the barrels of a large repository there are hundreds of files for each that imports from them.
///
/// `cached` returns the files that are known beside those that were loaded for it.
pub(super) fn without_implied<'a>(
    lookups: &'a Lookups,
    cached: impl Fn(ModuleId) -> Option<&'a LinkedFile>,
) -> Vec<FileDependency> {
    let Lookups { masks, barrels } = lookups;
    let loaded = |file: ModuleId| barrels.get(&file).map(Rc::as_ref).or_else(|| cached(file));
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
            all.filter(|(star, inner)| {
                is_implied(**star, **inner) && loaded.reexports_all_of(**star)
            })
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

//! Seeds of a walk to users: definitions with their dispatch targets, so that users of an override count for the
//! method it overrides.

use super::Uses;
use crate::error::Result;
use crate::graph::impact::WalkStart;
use crate::link::dispatch::DispatchTargets;
use crate::store::SymbolRow;

/// Maximum number of definitions whose dispatch targets are looked up in one query.
const MAX_TARGETS: usize = 100;

impl Uses<'_> {
    /// Returns the seeds of a walk to the users of some definitions: these, then the methods that they override or that override
    /// them, the overloads that share their calls, and what stands for them in builds for other platforms. Also returns
    /// whether there may be more.
    pub fn seeds(&self, targets: &[SymbolRow]) -> Result<(Vec<WalkStart>, bool)> {
        let mut seeds = WalkStart::of(targets.iter().map(|target| target.id));
        let targets_of = self.bindings();
        let mut all = DispatchTargets::default();
        all.is_cut |= targets.len() > MAX_TARGETS;
        for target in targets.iter().take(MAX_TARGETS) {
            if self.budget.is_cancelled() {
                all.is_cut = true;
                break;
            }
            if let Some(file) = self.read.file(target.path.as_str())? {
                targets_of.add_dispatch_targets((file.id, target.ordinal), &mut all)?;
            }
        }
        for ((file, at), class) in all.found {
            let ids = self.read.symbol_ids(file)?;
            let Some(row) = ids.get(at as usize) else {
                continue;
            };
            if seeds.iter().all(|seed| seed.definition != *row) {
                seeds.push(WalkStart {
                    definition: *row,
                    class,
                });
            }
        }
        Ok((seeds, all.is_cut))
    }
}

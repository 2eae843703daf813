//! Starts of a walk to users: definitions with those that dispatch relates to them, so that users of an override count for the
//! method it overrides; and the same for users on the way.

use super::Uses;
use crate::error::Result;
use crate::graph::impact::WalkStart;
use crate::link::dispatch::DispatchRelations;
use crate::link::name_binder::DefinitionId;
use crate::model::{Family, Provenance, SymbolId, SymbolKind};
use crate::store::{StoreResult, SymbolRow};
use crate::syntax;

/// Maximum number of definitions of which one query looks up those that dispatch relates to them.
const MAX_TARGETS: usize = 100;

/// The same for the users on the way, where a walk goes on from them.
const MAX_USERS: usize = 300;

impl<'r> Uses<'r> {
    /// Returns the starts of a walk to the users of some definitions: these, then the methods that they override or that override
    /// them, the overloads that share their calls, and what stands for them in builds for other platforms. Also returns
    /// whether there may be more.
    pub fn walk_starts(&self, targets: &[SymbolRow]) -> Result<(Vec<WalkStart>, bool)> {
        let mut starts = WalkStart::of(targets.iter().map(|target| target.id));
        let all = self.dispatch_relations(targets)?;
        for start in self.target_starts(&all)? {
            if starts
                .iter()
                .all(|known| known.definition != start.definition)
            {
                starts.push(start);
            }
        }
        Ok((starts, all.is_cut))
    }

    /// Returns the definitions whose users may use one of `targets` in their place.
    pub(super) fn dispatch_relations(&self, targets: &[SymbolRow]) -> Result<DispatchRelations> {
        let binder = self.binder();
        let mut all = DispatchRelations::default();
        all.is_cut |= targets.len() > MAX_TARGETS;
        for target in targets.iter().take(MAX_TARGETS) {
            if self.budget.is_cancelled() {
                all.is_cut = true;
                break;
            }
            if let Some(file) = self.read.file(target.path.as_str())? {
                binder.add_dispatch_relations((file.id, target.ordinal), &mut all)?;
            }
        }
        Ok(all)
    }

    /// Whether a definition that another one may stand for, by `provenance`, holds a function, so that only who calls it is a user: a
    /// field or a variable of Go that a function is assigned to. One of another build is used as the other is.
    pub(super) fn holds_function(
        &self,
        (file, _): DefinitionId,
        row: SymbolId,
        provenance: Provenance,
    ) -> StoreResult<bool> {
        if provenance == Provenance::Alternative {
            return Ok(false);
        }
        let kind = self.read.kind_of(row)?;
        if !matches!(kind, Some(SymbolKind::Field | SymbolKind::Variable)) {
            return Ok(false);
        }
        let path = self.read.path_of(file)?;
        Ok(path.is_some_and(|path| syntax::by_path(&path).family() == Some(Family::Go)))
    }

    /// Returns the other parts of a type that is declared in parts.
    pub fn other_parts(&self, type_: &SymbolRow) -> Result<Vec<SymbolRow>> {
        let Some(file) = self.read.file(type_.path.as_str())? else {
            return Ok(Vec::new());
        };
        let parts = self.binder().parts_of((file.id, type_.ordinal))?;
        let mut rows = Vec::new();
        for (file, at) in parts.into_iter().skip(1) {
            if let Some(row) = self.read.symbol_ids(file)?.get(at as usize) {
                rows.extend(self.read.symbol_by_id(*row)?);
            }
        }
        Ok(rows)
    }

    /// Returns the types that satisfy an interface without saying so, and whether there may be more.
    pub fn satisfying_types(&self, interface: &SymbolRow) -> Result<(Vec<SymbolRow>, bool)> {
        let Some(file) = self.read.file(interface.path.as_str())? else {
            return Ok((Vec::new(), false));
        };
        let place = (file.id, interface.ordinal);
        let (types, is_cut) = self.binder().satisfying_types(place)?;
        let mut rows = Vec::new();
        for (file, at) in types {
            if let Some(row) = self.read.symbol_ids(file)?.get(at as usize) {
                rows.extend(self.read.symbol_by_id(*row)?);
            }
        }
        Ok((rows, is_cut))
    }

    /// Returns the definitions that dispatch relates to those that a walk reaches: whoever calls `Store.open` may run the `open` of a class
    /// that is built on `Store`, and so be a user of what that uses.
    pub fn dispatch_on_the_way(&self) -> UserDispatch<'_, 'r> {
        UserDispatch {
            uses: self,
            known: DispatchRelations::default(),
            n_asked: 0,
        }
    }

    fn target_starts(&self, all: &DispatchRelations) -> StoreResult<Vec<WalkStart>> {
        let mut starts = Vec::new();
        for (&(file, at), &class) in &all.related {
            let ids = self.read.symbol_ids(file)?;
            let Some(row) = ids.get(at as usize) else {
                continue;
            };
            starts.push(WalkStart {
                definition: *row,
                class,
                // Code that reads a field or assigns to it runs no function that it holds.
                by_calls: self.holds_function((file, at), *row, class)?,
                by_objects: all.by_objects.contains(&(file, at)),
                except_in: all.from_other_files.contains(&(file, at)).then_some(file),
            });
        }
        Ok(starts)
    }
}

/// The look-up of definitions that dispatch relates to the users that a walk reaches.
pub struct UserDispatch<'a, 'r> {
    uses: &'a Uses<'r>,
    known: DispatchRelations,
    n_asked: usize,
}

impl UserDispatch<'_, '_> {
    /// Returns the definitions that dispatch relates to a method, by its row; none of other definitions, and none after the first 300 that were asked for.
    pub fn of(&mut self, definition: SymbolId) -> StoreResult<Vec<WalkStart>> {
        let Some(place) = self.uses.read.method_row(definition)? else {
            return Ok(Vec::new());
        };
        self.n_asked += 1;
        if self.n_asked > MAX_USERS || self.uses.budget.is_cancelled() {
            self.known.is_cut = true;
            return Ok(Vec::new());
        }
        self.known.related.clear();
        self.uses
            .binder()
            .add_dispatch_relations(place, &mut self.known)?;
        self.uses.target_starts(&self.known)
    }

    /// Whether a bound on targets or users ended the search.
    pub fn is_cut(&self) -> bool {
        self.known.is_cut
    }
}

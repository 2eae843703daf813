//! Members that a type had from one that is gone: `directive.modifiers` where `interface OnDirective extends Directive`, and
//! `Directive` was removed or can't be imported any more.

use super::Uses;
use super::broken::{BoundFile, Worlds};
use crate::error::Result;
use crate::link::use_targets::DefinitionRow;
use crate::model::FileId;

/// The types of the receivers of one file's references before and now, in words; described when they are first asked for.
#[derive(Default)]
pub(super) struct Receivers {
    of_states: Option<[Vec<Option<String>>; 2]>,
}

impl Uses<'_> {
    /// Returns the change of the type around a member that a reference meant, where that type is gone and the receiver is of
    /// a type built on it, which is still there. Of a receiver whose own type is gone no compiler knows anything, and the
    /// name of the type is the broken use. TypeScript alone: there each such member is an error.
    pub(super) fn gone_base(
        &self,
        worlds: &Worlds<'_>,
        bound: &BoundFile<'_>,
        number: FileId,
        (reference, definition): (usize, DefinitionRow),
        receivers: &mut Receivers,
    ) -> Result<Option<usize>> {
        if !self.is_typed(bound.id)? {
            return Ok(None);
        }
        let (file, ordinal) = definition;
        let Some(facts) = worlds.before.facts(file) else {
            return Ok(None);
        };
        let owner_of = |at: u32| facts.symbols.get(at as usize).and_then(|it| it.parent);
        let mut owners = std::iter::successors(owner_of(ordinal), |at| owner_of(*at));
        let Some(change) = owners.find_map(|at| worlds.gone.get(&(file, at)).copied()) else {
            return Ok(None);
        };
        let [before, now] = match &mut receivers.of_states {
            Some(known) => known,
            none => none.insert([
                worlds.before.receivers_of(number)?,
                worlds.now.receivers_of(bound.id)?,
            ]),
        };
        let type_of = |all: &[Option<String>]| all.get(reference).cloned().flatten();
        let (was, is) = (type_of(before), type_of(now));
        Ok((is.is_some() && was == is).then_some(change))
    }
}

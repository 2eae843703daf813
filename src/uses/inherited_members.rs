//! Members that a type had from one that is gone: `directive.modifiers` where `interface OnDirective extends Directive`, and
//! `Directive` was removed or can't be imported any more.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Uses;
use super::before_after::{BeforeAfter, BoundFile};
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses};
use super::difference::Difference;
use super::implicit_callers::BasesAsked;
use crate::error::Result;
use crate::graph::changes::ChangeKind;
use crate::link::name_binder::DefinitionId;
use crate::model::{FileId, Provenance, Symbol, SymbolFlags, SymbolKind};
use crate::store::token;

/// The types of the receivers of one file's references before and now, in words; described when they are first asked for.
#[derive(Default)]
pub(super) struct Receivers {
    of_states: Option<[Vec<Option<String>>; 2]>,
}

impl Receivers {
    /// Returns the type of the receiver of a reference, where it is the same in both states.
    pub(super) fn unchanged(
        &mut self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        earlier_id: FileId,
        reference: usize,
    ) -> Result<Option<String>> {
        let [before, now] = match &mut self.of_states {
            Some(known) => known,
            none => none.insert([
                states.before.value_types_of_receivers(earlier_id)?,
                states.now.value_types_of_receivers(bound.id)?,
            ]),
        };
        let type_of = |all: &[Option<String>]| all.get(reference).cloned().flatten();
        let (was, is) = (type_of(before), type_of(now));
        Ok(is.filter(|is| was.as_ref() == Some(is)))
    }
}

impl Uses<'_> {
    /// Moves the uses of removed members of classes that are built on an external one, where `error.message` may mean that
    /// of `Error`, and of types of which any name is a member, to the unresolved ones.
    pub(super) fn leave_out_doubtful(
        &self,
        difference: &Difference,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let mut is_doubtful: HashMap<usize, bool> = HashMap::new();
        for change in found.all.iter().filter_map(|one| one.change) {
            if let Entry::Vacant(entry) = is_doubtful.entry(change) {
                entry.insert(self.may_still_be_a_member(difference, change)?);
            }
        }
        let of_each = std::mem::take(&mut found.all).into_iter();
        let (doubtful, all): (Vec<BrokenUse>, Vec<BrokenUse>) = of_each.partition(|one| {
            let is_through_type =
                one.provenance == Provenance::Member && one.reason == BrokenReason::Gone;
            let change = one.change.filter(|_| is_through_type);
            change.is_some_and(|change| is_doubtful[&change])
        });
        found.all = all;
        found.doubtful.extend(doubtful);
        Ok(())
    }

    /// Whether the name of a member that is gone may be one all the same: of an external class, or as any name is.
    fn may_still_be_a_member(&self, difference: &Difference, change: usize) -> Result<bool> {
        let change = &difference.changes[change];
        let (Some(place), Some((file, symbol))) = (&change.old, difference.old(change)) else {
            return Ok(false);
        };
        let Some(owner) = symbol.parent else {
            return Ok(false);
        };
        let owner = file.old.facts.symbols.get(owner as usize);
        let is_open = |owner: &Symbol| {
            owner.flags.contains(SymbolFlags::ANY_MEMBER)
                || is_computed(&file.new.facts.symbols, &owner.qualified_name)
        };
        if owner.is_some_and(is_open) {
            return Ok(true);
        }
        let (facts, member) = (&file.old.facts, place.symbols[0]);
        let (home, asked) = ((&file.path, None), BasesAsked::GivingMembers);
        let above = self.bases_above(facts, member, &symbol.name, home, asked)?;
        if above.takes_any_name {
            return Ok(true);
        }
        // One that was renamed was the class's own.
        Ok(change.kind == ChangeKind::Removed
            && !(above.external_bases.is_empty()
                && self.external_bases(facts, member, home, asked)?.is_empty()))
    }

    /// Returns the change of the type around a member that a reference meant, where that type is gone and the receiver is of
    /// a type built on it, which is still there. Of a receiver whose own type is gone no compiler knows anything, and the
    /// name of the type is the broken use. TypeScript alone: there each such member is an error.
    pub(super) fn gone_base(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        earlier_id: FileId,
        (reference, definition): (usize, DefinitionId),
        receivers: &mut Receivers,
    ) -> Result<Option<usize>> {
        if !self.is_typed(bound.id)? {
            return Ok(None);
        }
        let (file, ordinal) = definition;
        let Some(facts) = states.before.facts(file) else {
            return Ok(None);
        };
        let owner_of = |at: u32| facts.symbols.get(at as usize).and_then(|it| it.parent);
        let mut owners = std::iter::successors(owner_of(ordinal), |at| owner_of(*at));
        let Some(change) = owners.find_map(|at| states.gone.get(&(file, at)).copied()) else {
            return Ok(None);
        };
        let Some(is) = receivers.unchanged(states, bound, earlier_id, reference)? else {
            return Ok(None);
        };
        Ok((!self.is_alias(&is)?).then_some(change))
    }

    /// Whether a type in words is an alias: `type Options = Parsing & Gone` is of any type without one of its parts, so that no
    /// member of it is an error.
    fn is_alias(&self, described: &str) -> Result<bool> {
        let name = described.split('<').next().unwrap_or(described);
        let named = self.read.symbols_named(&token::normal_form(name))?;
        Ok(named
            .iter()
            .any(|it| it.name == name && it.kind == SymbolKind::Type))
    }
}

/// Whether a type is the result of other types now, whose members are not listed: `type Message = z.infer<typeof schema>`.
fn is_computed(symbols: &[Symbol], qualified_name: &str) -> bool {
    let is_it = |it: &Symbol| it.qualified_name == qualified_name && it.kind == SymbolKind::Type;
    let at = symbols.iter().position(is_it);
    at.is_some_and(|at| {
        let mut members = symbols.iter();
        !members.any(|it| it.parent.is_some_and(|parent| parent as usize == at))
    })
}

//! Members that one type of a union lost: `event.id` where `type Event = Opened | Closed` and `Closed` has no `id` any more.
//! TypeScript alone, where a member of a union is one of each of its types.

use std::collections::HashMap;

use super::Uses;
use super::before_after::{BeforeAfter, BoundFile, Loss, LostReference};
use super::broken_use::last_name;
use super::changed_file::place_of;
use super::narrowing::{WrittenReceiver, has_parameter, may_be_narrowed};
use crate::error::Result;
use crate::link::name_binder::DefinitionId;
use crate::link::union_parts::UnionPart;
use crate::model::{Family, Provenance, SymbolKind};
use crate::store::token;

impl Uses<'_> {
    /// Adds the references to members of a union that one of its types lost.
    pub(super) fn add_lost_by_part(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        references: &mut HashMap<u32, LostReference>,
    ) -> Result<()> {
        if bound.facts.family != Family::Ecmascript || !self.is_typed(bound.id)? {
            return Ok(());
        }
        let gone: Vec<&str> = states.gone_members().collect();
        if gone.is_empty() {
            return Ok(());
        }
        let facts = bound.facts;
        let is_wanted = |n: usize| {
            let at = u32::try_from(n).unwrap_or(u32::MAX);
            gone.contains(&facts.name(&facts.references[n])) && !references.contains_key(&at)
        };
        let of_each = states.now.union_parts(bound.id, is_wanted)?;
        for (n, parts) in of_each.iter().enumerate() {
            let name = facts.name(&facts.references[n]);
            if let Some(change) = Self::change_of_part(states, parts, name)? {
                let lost = LostReference {
                    loss: Loss::Change(change),
                    provenance: Provenance::Member,
                    from: None,
                    is_of_union: true,
                };
                references.insert(u32::try_from(n).unwrap_or(u32::MAX), lost);
            }
        }
        Ok(())
    }

    /// Returns the change that took a member from one of the types of a union; `None` where all have it, or one had none before.
    fn change_of_part(
        states: &BeforeAfter<'_>,
        parts: &[UnionPart],
        name: &str,
    ) -> Result<Option<usize>> {
        let mut change = None;
        for part in parts.iter().filter(|it| !it.has_member) {
            let Some(type_) = part.definition.and_then(|it| states.definition_before(it)) else {
                return Ok(None);
            };
            let member = states.before.member_of(type_, name)?;
            let Some(lost) = member.and_then(|it| states.gone.get(&it)) else {
                return Ok(None);
            };
            change = Some(*lost);
        }
        Ok(change)
    }

    /// Whether the code may have narrowed the union of a receiver before the place where one of its members is named.
    pub(super) fn may_be_narrowed(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        reference: u32,
        start: u32,
    ) -> Result<bool> {
        let facts = bound.facts;
        let Some(used) = facts.references.get(reference as usize) else {
            return Ok(true);
        };
        let path = match WrittenReceiver::before(bound.text, start as usize) {
            WrittenReceiver::Path(path) => path,
            WrittenReceiver::Result => return Ok(false),
            WrittenReceiver::Other => return Ok(true),
        };
        let from = self.start_of_scope(bound, used.symbol, (path[0], start as usize))?;
        let Some(before) = bound.text.get(from..start as usize) else {
            return Ok(true);
        };
        let name = facts.name(used);
        let tells_apart = |member: &str| {
            member != name
                && states
                    .now
                    .tells_parts_apart(bound.id, reference as usize, member)
        };
        let mut error = None;
        let narrows = |callee: &str| match self.is_type_guard(callee) {
            Ok(is_guard) => is_guard,
            Err(found) => {
                error = Some(found);
                true
            }
        };
        let is_narrowed = may_be_narrowed(before, &path, tells_apart, narrows);
        error.map_or(Ok(is_narrowed), Err)
    }

    /// Returns the start of the function around a use that has a variable as its parameter, else that of the outermost one.
    fn start_of_scope(
        &self,
        bound: &BoundFile<'_>,
        symbol: Option<u32>,
        (variable, use_at): (&str, usize),
    ) -> Result<usize> {
        let symbols = &bound.facts.symbols;
        let around = std::iter::successors(symbol, |at| symbols[*at as usize].parent);
        let mut start = 0;
        for at in around.take_while(|at| !is_class(symbols[*at as usize].kind)) {
            start = self.start_of_symbol(bound, at)?;
            let text = bound.text.get(start..use_at).unwrap_or_default();
            if has_parameter(text, variable) {
                break;
            }
        }
        Ok(start)
    }

    fn start_of_symbol(&self, bound: &BoundFile<'_>, at: u32) -> Result<usize> {
        if bound.changed.is_some() {
            return Ok(bound.facts.symbols[at as usize].span.start_byte as usize);
        }
        // The facts that the index keeps are without places.
        let rows = self.read.symbols_of(bound.id)?;
        let row = rows.iter().find(|it| it.ordinal == at);
        let start = row.map(|it| it.span.start_byte);
        Ok(start.unwrap_or_default() as usize)
    }

    /// Whether a function may tell by its result which type its argument is of: `isOpen(event)`.
    fn is_type_guard(&self, callee: &str) -> Result<bool> {
        let is_named_so = ["is", "has", "assert", "invariant"];
        if is_named_so.iter().any(|it| callee.starts_with(it)) {
            return Ok(true);
        }
        let named = self.read.symbols_named(&token::normal_form(callee))?;
        let mut named = named.iter().filter(|it| last_name(&it.name) == callee);
        Ok(named.any(|it| it.signature.contains(" is ") || it.signature.contains("asserts ")))
    }
}

impl BeforeAfter<'_> {
    /// Returns the names of the members that are gone.
    pub(super) fn gone_members(&self) -> impl Iterator<Item = &str> {
        let members = self
            .difference
            .gone()
            .filter(|it| self.difference.was_member(it));
        members.filter_map(|it| Some(last_name(&self.difference.old(it)?.1.name)))
    }

    /// Returns a definition of the new state as it was; `None` where it was not there.
    pub(super) fn definition_before(&self, definition: DefinitionId) -> Option<DefinitionId> {
        let (file, at) = definition;
        let mut changed = self.difference.files.iter().zip(&self.overlay_ids);
        let Some((changed, _)) = changed.find(|(_, ids)| ids.earlier == file) else {
            return Some(definition);
        };
        let now = changed.new.facts.symbols.get(at as usize)?;
        Some((file, place_of(&changed.old.facts.symbols, now)?))
    }
}

fn is_class(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Class | SymbolKind::Module)
}

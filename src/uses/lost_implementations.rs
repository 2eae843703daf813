//! Types that lost a member which one of their bases requires: `class Disk implements Store` after `Disk.open` was renamed, while
//! `Store` still has `open`.
//!
//! Members that a base requires newly are the matter of `new_requirements`.

use std::collections::BTreeSet;

use super::Uses;
use super::before_after::BeforeAfter;
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses, ChangedMember, Refusal};
use super::changed_file::{ChangedFile, FileSide, place_of};
use super::difference::SymbolChange;
use super::modifiers::DeclaredModifiers;
use super::new_requirements::is_demanded;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::link::name_binder::DefinitionId;
use crate::model::{Family, FileId, Symbol, SymbolKind};

/// A member that is gone from a type which is still there, or that takes other arguments.
struct LostMember<'d> {
    /// Its change, an index into the difference.
    change: usize,
    home: &'d ChangedFile,
    member: &'d Symbol,
    /// The type as it is.
    type_: DefinitionId,
}

/// A member of a base that types which are built on that one have to have.
struct RequiredMember {
    id: DefinitionId,
    family: Family,
    is_of_interface: bool,
}

impl Uses<'_> {
    /// Adds the types that have to have a member that a change took from them.
    pub(super) fn add_lost_implementations(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        for (at, change) in states.difference.changes.iter().enumerate() {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            if let Some(lost) = self.lost_member(states, at, change)? {
                self.add_unmet_of(states, &lost, found)?;
            }
        }
        Ok(())
    }

    fn lost_member<'d>(
        &self,
        states: &BeforeAfter<'d>,
        at: usize,
        change: &'d SymbolChange,
    ) -> Result<Option<LostMember<'d>>> {
        let is_lost = matches!(
            change.kind,
            ChangeKind::Removed | ChangeKind::Renamed | ChangeKind::Signature
        );
        let Some((home, member)) = states.difference.old(change).filter(|_| is_lost) else {
            return Ok(None);
        };
        let old = &home.old.facts;
        let owner = member.parent.and_then(|it| old.symbols.get(it as usize));
        let Some(owner) = owner.filter(|_| is_required_by_name(old.family, member.kind)) else {
            return Ok(None);
        };
        let type_ = place_of(&home.new.facts.symbols, owner);
        let row = self.read.file(home.path.as_str())?;
        let (Some(type_), Some(row)) = (type_, row) else {
            return Ok(None);
        };
        Ok(Some(LostMember {
            change: at,
            home,
            member,
            type_: (row.id, type_),
        }))
    }

    fn add_unmet_of(
        &self,
        states: &BeforeAfter<'_>,
        lost: &LostMember<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let required = self.required_of(states, lost, found)?;
        if required.is_empty() {
            return Ok(());
        }
        let (below, is_cut) = self.binder().subclasses(lost.type_)?;
        found.is_cut |= is_cut;
        let mut concerned: BTreeSet<DefinitionId> = below.into_iter().map(|it| it.0).collect();
        concerned.insert(lost.type_);
        let mut lacking: BTreeSet<(DefinitionId, bool)> = BTreeSet::new();
        for one in required {
            let (types, is_cut) = self.binder().subclasses_with_member(one.id)?;
            found.is_cut |= is_cut;
            let types = types.into_iter().filter(|it| {
                concerned.contains(&it.class)
                    && !it.has_member
                    && is_demanded(one.family, one.is_of_interface, it)
            });
            lacking.extend(types.map(|it| (it.class, it.has_external_base)));
        }
        let member = ChangedMember {
            change: lost.change,
            home: &lost.home.path,
            name: &lost.member.qualified_name,
        };
        let reason = BrokenReason::Refused(Refusal::Lacking);
        for (type_, is_doubtful) in lacking {
            let Some(it) = self.declaration(type_)? else {
                found.is_cut = true;
                continue;
            };
            let entry = BrokenUse::of_implementation(member, it.path.clone(), it.line(), reason);
            found.add(entry, !is_doubtful);
        }
        Ok(())
    }

    /// Returns the members of the name that the bases of a type require.
    fn required_of(
        &self,
        states: &BeforeAfter<'_>,
        lost: &LostMember<'_>,
        found: &mut BrokenUses,
    ) -> Result<Vec<RequiredMember>> {
        let mut required = Vec::new();
        let members = self
            .binder()
            .members_of_bases(lost.type_, &lost.member.name)?;
        for id in members {
            let Some(path) = self.read.path_of(id.0)? else {
                continue;
            };
            let mut changed = states.difference.files.iter();
            let stored;
            let side = if let Some(file) = changed.find(|it| it.path == path) {
                &file.new
            } else {
                let Some(side) = self.side_of(id.0)? else {
                    found.is_cut = true;
                    continue;
                };
                stored = side;
                &stored
            };
            let Some(member) = side.facts.symbols.get(id.1 as usize) else {
                continue;
            };
            let modifiers = DeclaredModifiers::of(&path, side, member);
            let owner = member
                .parent
                .and_then(|it| side.facts.symbols.get(it as usize));
            if modifiers.is_some_and(|it| it.is_required) {
                required.push(RequiredMember {
                    id,
                    family: side.facts.family,
                    is_of_interface: owner.is_some_and(|it| it.kind == SymbolKind::Interface),
                });
            }
        }
        Ok(required)
    }

    /// Returns a file of the index as a state.
    fn side_of(&self, file: FileId) -> Result<Option<FileSide>> {
        let path = self.read.path_of(file)?;
        let facts = self.read.facts_with_places(file)?;
        let text = path.map(|it| self.text_of(&it)).transpose()?.flatten();
        Ok(facts.zip(text).map(|(facts, text)| FileSide {
            text,
            facts,
            is_there: true,
            code: None,
        }))
    }
}

/// Whether a base can require a member of a kind.
fn is_required_by_name(family: Family, kind: SymbolKind) -> bool {
    match kind {
        SymbolKind::Method | SymbolKind::Property => true,
        // A field of TypeScript stands for a property of an interface.
        SymbolKind::Field => family == Family::Ecmascript,
        _ => false,
    }
}

//! Uses of extension methods of C# that are gone: `text.Cut()` names a member of an external type, of which nothing is known, once no class
//! has `static string Cut(this string text)` any more. The types of the receivers tell them.

use std::collections::{BTreeSet, HashSet};

use super::before_after::{BeforeAfter, BoundFile, is_bare, is_unbound};
use super::difference::SymbolChange;
use super::inherited_members::Receivers;
use crate::error::Result;
use crate::link::is_usual_dotnet_method;
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::model::{FileId, Symbol, SymbolFlags};

/// The members of values that a changed file named before, and those that it names now.
pub(super) struct MemberUses {
    /// Each with its meaning and the type of its receiver, in words.
    before: Vec<(Meaning, Option<String>)>,
    /// The types of the receivers of all references, by their places.
    now: Vec<Option<String>>,
}

/// Whether no other method is known to be meant by the name of an extension method that is gone: .NET has none of that name.
fn is_distinct_extension(symbol: &Symbol) -> bool {
    symbol.flags.contains(SymbolFlags::EXTENSION) && !is_usual_dotnet_method(&symbol.name)
}

impl Receivers {
    /// Whether a use of an extension method that is gone is broken, now that it means a member of an external type: its receiver is
    /// of the same type as before, e.g. a `string`.
    pub(super) fn lack_extension(
        &mut self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        earlier_id: FileId,
        (reference, (file, ordinal)): (usize, DefinitionId),
    ) -> Result<bool> {
        let facts = states.before.facts(file);
        let symbol = facts
            .as_ref()
            .and_then(|it| it.symbols.get(ordinal as usize));
        let is_extension = symbol.is_some_and(is_distinct_extension);
        let mut receiver = || self.unchanged(states, bound, earlier_id, reference);
        Ok(is_extension && receiver()?.is_some())
    }
}

impl MemberUses {
    /// Returns the uses of a changed file, by its place in the difference.
    pub(super) fn of(states: &BeforeAfter<'_>, bound: &BoundFile<'_>, file: usize) -> Result<Self> {
        let earlier = states.overlay_ids[file].earlier;
        let facts = &states.difference.files[file].old.facts;
        let meanings = states.before.of_file(earlier)?.references;
        let receivers = states.before.value_types_of_receivers(earlier)?;
        let uses = facts
            .references
            .iter()
            .zip(meanings.into_iter().zip(receivers));
        let members = uses.filter(|(used, _)| !is_bare(facts, used));
        Ok(Self {
            before: members.map(|it| it.1).collect(),
            now: states.now.value_types_of_receivers(bound.id)?,
        })
    }

    /// Returns the references of the file, by their places, that name an extension method which is gone, on a value of a type for which
    /// the file called it before: in the file of the method itself no import binds it. Also returns whether they are proved to.
    pub(super) fn of_gone_extension(
        &self,
        states: &BeforeAfter<'_>,
        bound: &BoundFile<'_>,
        (change, symbol): (&SymbolChange, &Symbol),
    ) -> (HashSet<u32>, bool) {
        let was_meant = |meaning: &Meaning| {
            let definition = meaning.definition();
            definition.is_some_and(|it| states.is_among(&HashSet::from([it]), change))
        };
        let uses = self.before.iter().filter(|(meaning, _)| was_meant(meaning));
        let receivers: BTreeSet<&str> = uses.filter_map(|(_, it)| it.as_deref()).collect();
        let is_lost = |meaning: &Meaning| {
            is_unbound(*meaning) || matches!(meaning, Meaning::External | Meaning::Inherited)
        };
        let all = bound.facts.references.iter().enumerate();
        let found = all.filter(|(n, used)| {
            let receiver = self.now.get(*n).and_then(Option::as_deref);
            bound.facts.name(used) == symbol.name
                && receiver.is_some_and(|it| receivers.contains(it))
                && bound.now.references.get(*n).is_some_and(is_lost)
        });
        let found = found.filter_map(|(n, _)| u32::try_from(n).ok()).collect();
        (found, is_distinct_extension(symbol))
    }
}

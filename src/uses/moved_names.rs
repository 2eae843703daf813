//! Names that a moved file no longer sees: `Row` of its old package or namespace, which it used without an import.

use std::collections::{BTreeSet, HashMap};

use super::Uses;
use super::before_after::{BeforeAfter, BrokenPlace, Loss, LossesByFile, is_bare, is_unbound};
use super::broken_use::BrokenUses;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::ir::{FileFacts, Import};
use crate::link::name_binder::{DefinitionId, Meaning};
use crate::model::{Family, Provenance};
use crate::syntax;

impl Uses<'_> {
    /// Adds the uses in moved files of names that their old package had.
    pub(super) fn add_names_lost_by_moves(
        &self,
        states: &BeforeAfter<'_>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let difference = states.difference;
        let moved = difference
            .changes
            .iter()
            .filter(|it| it.kind == ChangeKind::Moved);
        let pairs = moved.filter_map(|it| Some((it.old.as_ref()?.file, it.new.as_ref()?.file)));
        let pairs: BTreeSet<(usize, usize)> = pairs.collect();
        for (from, to) in pairs {
            let (old, new) = (
                &difference.files[from].old.facts,
                &difference.files[to].new.facts,
            );
            let is_of_unit = matches!(new.family, Family::Java | Family::CSharp);
            if is_of_unit && from != to && old.units != new.units {
                self.add_left_behind_by(states, (from, to), found)?;
            }
        }
        Ok(())
    }

    fn add_left_behind_by(
        &self,
        states: &BeforeAfter<'_>,
        (from, to): (usize, usize),
        found: &mut BrokenUses,
    ) -> Result<()> {
        let (was, is) = (&states.difference.files[from], &states.difference.files[to]);
        let (old, new) = (&was.old.facts, &is.new.facts);
        let own = states.overlay_ids[from].earlier;
        let mut known: HashMap<&str, DefinitionId> = HashMap::new();
        let meanings = states.before.of_file(own)?.references;
        for (used, meaning) in old.references.iter().zip(meanings) {
            if let (Some(definition), true) = (meaning.definition(), is_bare(old, used))
                && definition.0 != own
                && !states.gone.contains_key(&definition)
            {
                known.insert(old.name(used), definition);
            }
        }
        let Some(row) = self.read.file(is.path.as_str())? else {
            return Ok(());
        };
        let meanings = states.now.of_file(row.id)?.references;
        let lost = |reference: u32| {
            let used = new.references.get(reference as usize)?;
            let meaning = *meanings.get(reference as usize)?;
            let definition = known.get(new.name(used))?;
            let is_lost = (is_unbound(meaning) || meaning == Meaning::External)
                && is_bare(new, used)
                && !imports(new, new.name(used));
            is_lost.then_some(*definition)
        };
        if !(0..u32::try_from(new.references.len()).unwrap_or(u32::MAX))
            .any(|at| lost(at).is_some())
        {
            return Ok(());
        }
        let language = syntax::by_path(&is.path);
        let uses = syntax::occurrences_of(language, &is.new.text, &[], &self.budget);
        let mut places: HashMap<DefinitionId, Vec<BrokenPlace>> = HashMap::new();
        for (start, line, reference, kind) in uses.ok_or_else(Error::cancelled)?.uses {
            if let Some(definition) = lost(reference) {
                places.entry(definition).or_default().push(BrokenPlace {
                    kind: Some(kind),
                    provenance: Provenance::Resolved,
                    ..BrokenPlace::at(start, line)
                });
            }
        }
        let list = if may_bring_names(old, new) {
            &mut found.doubtful
        } else {
            &mut found.all
        };
        let none = LossesByFile::default();
        for (definition, places) in places {
            let file = (&is.path, &*is.new.text);
            let loss = Loss::Definition(definition);
            list.extend(self.entries(states, file, &loss, places, &none)?);
        }
        Ok(())
    }
}

/// Whether an import of a file binds a name.
pub(super) fn imports(facts: &FileFacts, name: &str) -> bool {
    let mut names = facts.imports.iter().flat_map(|it| &it.names);
    names.any(|it| it.local == name)
}

/// Whether a file imports something as a whole that may have any name: in Java by a wildcard, in C# by a using directive
/// that the old one did not have.
pub(super) fn may_bring_names(old: &FileFacts, new: &FileFacts) -> bool {
    let is_whole = |it: &&Import| it.names.is_empty() || it.names.iter().any(|it| it.local == "*");
    let specifiers = |facts: &FileFacts| -> BTreeSet<String> {
        let all = facts.imports.iter().filter(is_whole);
        all.map(|it| it.specifier.clone()).collect()
    };
    let (before, now) = (specifiers(old), specifiers(new));
    if new.family == Family::Java {
        return new.exports.is_empty() || now.iter().any(|it| !is_own(new, it));
    }
    now.iter()
        .any(|it| !before.contains(it) && !is_own(new, it))
}

/// Whether a module is the unit of a file itself, or one around it.
fn is_own(facts: &FileFacts, specifier: &str) -> bool {
    facts
        .units
        .iter()
        .any(|unit| unit == specifier || unit.starts_with(&format!("{specifier}.")))
}

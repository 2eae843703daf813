//! Uses that a change breaks: of definitions that it removed, renamed, moved away from their import or no longer exports. And, each in a
//! file of its own: calls with another number of arguments than the changed signature takes (`arguments`), methods that override what is
//! gone (`overrides`), assertions of Go (`go_assertions`), uses that a definition no longer permits (`restrictions`), names that a file no
//! longer sees (`unseen_names`), types that lack a new member (`new_requirements`) or lost a required one (`lost_implementations`).
//!
//! The uses of the new state are bound twice: among all other files as they are, and among them as they were. A use is
//! broken where only the earlier files bind it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::Uses;
use super::before_after::{BeforeAfter, BoundFile, BrokenPlace, Loss, LossesByFile, is_unbound};
use super::broken_use::{BrokenReason, BrokenUse, BrokenUses, attribute_name, last_name};
use super::difference::Difference;
use super::files_to_bind::{DoubtfulNames, Gone};
use super::modifiers::is_typescript;
use super::name_occurrences::line_text_at;
use super::unbound_uses::{may_mean, n_beside};
use crate::error::{Error, Result};
use crate::ir::Target;
use crate::link::name_binder::{Meaning, NameBinder, Overlay};
use crate::link::overlay::{OverlayFile, overlay};
use crate::model::{Family, FileId, ModuleId, RepoPath, SymbolKind};
use crate::store::{ImportTarget, Read};
use crate::syntax;

/// Names whose uses are looked for.
pub(super) const MAX_NAMES: usize = 2_000;

/// Fields of Python whose name is looked for among the keywords of calls.
pub(super) const MAX_FIELDS: usize = 20;

/// Files behind `export *` of one that is imported.
const MAX_BARRELS: usize = 200;

impl Uses<'_> {
    /// Finds the broken uses of a difference whose new state is that of the index. Binds the uses of the files that the
    /// change may reach; `earlier`, an index that is proved to be of the old state, tells more of them apart than words do.
    /// Uses of definitions whose file `is_wanted` does not choose are neither listed nor counted.
    pub fn broken(
        &self,
        difference: &Difference,
        earlier: Option<&Read<'_>>,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<BrokenUses> {
        let states = self.states(difference)?;
        let mut found = BrokenUses {
            is_cut: difference.is_cut,
            ..BrokenUses::default()
        };
        let gone = Gone::of(difference);
        let files = self.files_to_bind(&states, &gone, earlier, &mut found)?;
        let doubtful = DoubtfulNames::of(self.read, gone)?;
        let gone_members: HashSet<&str> = states.gone_members().collect();
        let mut losses = LossesByFile::default();
        let mut sources = HashMap::new();
        for (path, to_bind) in files {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let id = to_bind.id;
            let changed = difference.file(&path).map(|it| it.0);
            let earlier_id = changed.map_or(id, |at| states.overlay_ids[at].current);
            if !to_bind.has_uses && !states.lists_differ(id, earlier_id)? {
                continue;
            }
            let Some(file) = self.read.file(path.as_str())? else {
                continue;
            };
            let text = match changed {
                Some(at) => Some(Arc::clone(&difference.files[at].new.text)),
                None => self.sources.read(&path, file.content),
            };
            let (Some(text), Some(language)) = (text, syntax::by_id(&file.language)) else {
                found.is_cut = true;
                continue;
            };
            let stored;
            let facts = match changed {
                Some(at) => &difference.files[at].new.facts,
                None => match self.read.facts(id)? {
                    Some(facts) => {
                        stored = facts;
                        &stored
                    }
                    None => continue,
                },
            };
            // A name that is known to have a meaning now has lost none.
            let doubtful = doubtful.in_file(self.read, id, facts)?;
            let binds_all = states.undeclared.has_conditional();
            let mut now = states.now.of_names(id, |n| binds_all || doubtful.has(n))?;
            states.now.leave_out_declarations(&mut now);
            let is_typed = is_typescript(&path);
            let is_open = |n: usize| {
                binds_all
                    || doubtful.has(n)
                        && now.references.get(n).is_some_and(|it| {
                            is_unbound(*it)
                                || matches!(
                                    it,
                                    Meaning::Inherited | Meaning::External | Meaning::Text
                                )
                                || is_typed
                                    && gone_members.contains(facts.name(&facts.references[n]))
                        })
            };
            let before = states.before.of_names(earlier_id, is_open)?;
            let bound = BoundFile {
                path: &path,
                language,
                id,
                text: &text,
                facts,
                before,
                now,
                targets: self
                    .read
                    .imports(id)?
                    .iter()
                    .map(|row| row.target)
                    .collect(),
                changed,
                lost_names: Vec::new(),
            };
            if bound.before.references.len() != bound.now.references.len() {
                // The index is of other bytes than the text.
                found.is_cut = true;
                continue;
            }
            found.n_unknown_before += n_unknown_before(&bound, &gone_members);
            self.collect_losses(&states, &bound, earlier_id, &mut losses)?;
            sources.insert(path, text);
        }
        self.add_losses(&states, losses, &sources, &mut found)?;
        self.add_calls(&states, &mut found)?;
        self.add_overrides(&states, &mut found)?;
        self.add_assertions(&states, &mut found)?;
        self.add_restricted_uses(&states, &mut found)?;
        self.add_unseen_names(&states, &mut found)?;
        self.add_imports_of_moved(&states, &mut found)?;
        self.add_types_lacking_members(&states, &mut found)?;
        self.add_lost_implementations(&states, &mut found)?;
        doubt_unread(difference, &mut found);
        self.doubt_suppressed(difference, &mut found)?;
        self.only_wanted(difference, found, is_wanted)
    }

    /// Adds the places that lost their meaning as entries; `sources` are the texts of their files.
    fn add_losses(
        &self,
        states: &BeforeAfter<'_>,
        mut losses: LossesByFile,
        sources: &HashMap<RepoPath, Arc<str>>,
        found: &mut BrokenUses,
    ) -> Result<()> {
        for ((path, loss), places) in std::mem::take(&mut losses.places) {
            let text = sources.get(&path).cloned().unwrap_or_default();
            let file = (&path, &*text);
            let list = match loss {
                Loss::Inherited(_)
                | Loss::Uncertain(_)
                | Loss::Conditional(_)
                | Loss::MayBeOutside(_) => &mut found.doubtful,
                _ => &mut found.all,
            };
            list.extend(self.entries(states, file, &loss, places, &losses)?);
        }
        Ok(())
    }

    /// Returns the uses of definitions whose file is wanted, in order, those that are not proved apart and counted.
    fn only_wanted(
        &self,
        difference: &Difference,
        mut found: BrokenUses,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<BrokenUses> {
        found.all.retain(|one| is_wanted(&one.home));
        found.doubtful.retain(|one| is_wanted(&one.home));
        self.leave_out_doubtful(difference, &mut found)?;
        found.sort();
        let of_each = found.doubtful.iter().map(BrokenUse::n_lines);
        found.n_unresolved = of_each.sum::<u64>()
            + found.n_unknown_before
            + self.n_unresolved(difference, &found, is_wanted)?;
        if found.n_unresolved == 0 {
            self.add_unknown_places(difference, &mut found, is_wanted)?;
        }
        Ok(found)
    }

    fn states<'w>(&'w self, difference: &'w Difference) -> Result<BeforeAfter<'w>> {
        let earlier = difference.files.iter().map(|file| OverlayFile {
            path: file.path.clone(),
            base: file.old.is_there.then(|| file.old.facts.clone()),
            present: file.new.is_there.then(|| file.new.facts.clone()),
        });
        let (overlay, overlay_ids) = overlay(self.read, earlier.collect())?;
        let mut gone = HashMap::new();
        for (at, change) in difference.changes.iter().enumerate() {
            if let (true, Some(place)) = (change.is_gone(), &change.old) {
                for symbol in &place.symbols {
                    gone.insert((overlay_ids[place.file].earlier, *symbol), at);
                }
            }
        }
        let of_files = overlay.files.iter();
        let mut targets: HashMap<FileId, Vec<ImportTarget>> = of_files
            .map(|(id, (_, targets))| (*id, targets.clone()))
            .collect();
        targets.extend(overlay.targets.iter().map(|(id, it)| (*id, it.clone())));
        let undeclared = self.undeclared_modules(difference, &overlay_ids, &targets)?;
        let before = NameBinder::new(self.read, overlay);
        // Who was led from a declaration to its definition is led nowhere without it.
        let declarations: Vec<_> = gone.iter().map(|(row, at)| (*row, *at)).collect();
        for (declaration, at) in declarations {
            if let Some(definition) = before.definition_of_declaration(declaration)? {
                gone.entry(definition).or_insert(at);
            }
        }
        Ok(BeforeAfter {
            difference,
            overlay_ids,
            before,
            now: NameBinder::new(self.read, Overlay::default()),
            gone,
            targets_before: targets,
            undeclared,
        })
    }

    /// Returns the broken places of one definition in one file as entries: one for an import with all that it binds, else one
    /// for each line.
    pub(super) fn entries(
        &self,
        states: &BeforeAfter<'_>,
        (path, text): (&RepoPath, &str),
        loss: &Loss,
        mut places: Vec<BrokenPlace>,
        losses: &LossesByFile,
    ) -> Result<Vec<BrokenUse>> {
        let (home, symbol, change, reason) = match loss {
            Loss::Change(at) | Loss::Inherited(at) | Loss::Uncertain(at) | Loss::Refused(at, _) => {
                let difference = states.difference;
                let change = &difference.changes[*at];
                let side = difference.old(change).or_else(|| difference.new_of(change));
                let Some((file, symbol)) = side else {
                    return Ok(Vec::new());
                };
                let name = symbol.qualified_name.clone();
                let reason = match loss {
                    Loss::Refused(_, refusal) => BrokenReason::Refused(*refusal),
                    _ => BrokenReason::Gone,
                };
                (file.path.clone(), name, Some(*at), reason)
            }
            Loss::Definition((file, ordinal)) | Loss::MayBeOutside((file, ordinal)) => {
                let facts = states.before.facts(*file);
                let symbol = facts
                    .as_ref()
                    .and_then(|it| it.symbols.get(*ordinal as usize));
                let (Some(home), Some(symbol)) = (self.path_before(states, *file)?, symbol) else {
                    return Ok(Vec::new());
                };
                (
                    home,
                    symbol.qualified_name.clone(),
                    None,
                    BrokenReason::NotOffered,
                )
            }
            Loss::Undeclared(file) | Loss::Conditional(file) | Loss::OutOfReach(file) => {
                let Some(home) = self.path_before(states, *file)? else {
                    return Ok(Vec::new());
                };
                let reason = match loss {
                    Loss::Undeclared(_) => BrokenReason::Undeclared,
                    Loss::Conditional(_) => BrokenReason::Conditional,
                    _ => BrokenReason::NotOffered,
                };
                (home, String::new(), None, reason)
            }
            Loss::Module(module) => {
                let Some(home) = self.path_before(states, module.file())? else {
                    return Ok(Vec::new());
                };
                (home, String::new(), None, BrokenReason::NoModule)
            }
        };
        let mut is_passed_on = HashMap::new();
        for from in places.iter().filter_map(|place| place.from.as_ref()) {
            if !is_passed_on.contains_key(from) {
                let is_lost = Self::is_lost_behind(states, from, losses);
                is_passed_on.insert(from.clone(), is_lost);
            }
        }
        let is_through = |place: &BrokenPlace| {
            let mut from = place.from.iter();
            from.any(|it| is_passed_on.get(it) == Some(&true))
        };
        // Imports first, of those the ones that are broken themselves.
        places.sort_by_key(|place| (place.kind.is_some(), is_through(place), place.start));
        places.dedup_by_key(|place| place.start);
        let entry = |place: &BrokenPlace| BrokenUse {
            path: path.clone(),
            line: place.line,
            text: line_text_at(text, place.start as usize),
            kind: place.kind,
            also: Vec::new(),
            home: home.clone(),
            symbol: symbol.clone(),
            change,
            reason,
            provenance: place.provenance,
            module_line: place.module_line,
            is_through: is_through(place),
        };
        let mut all: Vec<BrokenUse> = Vec::new();
        let has_import = places.first().is_some_and(|place| place.kind.is_none());
        for place in &places {
            let is_same_line = all.last().is_some_and(|last| last.line == place.line);
            match all.first_mut() {
                Some(first) if place.kind.is_some() && has_import => {
                    let is_known = first.line == place.line
                        || first.also.iter().any(|(line, ..)| *line == place.line);
                    if !is_known {
                        let text = line_text_at(text, place.start as usize);
                        first.also.push((place.line, text, place.kind));
                    }
                }
                // A statement that imports and exports is one line.
                _ if is_same_line => {}
                _ => all.push(entry(place)),
            }
        }
        Ok(all)
    }

    /// Whether the name that a file is asked for is lost in a re-export of that file, or of one that it passes on as a whole.
    fn is_lost_behind(
        states: &BeforeAfter<'_>,
        from: &(ModuleId, String),
        losses: &LossesByFile,
    ) -> bool {
        let (mut open, mut seen) = (vec![from.0], HashSet::new());
        while let Some(file) = open.pop() {
            if !seen.insert(file) || seen.len() > MAX_BARRELS {
                continue;
            }
            let names = [from.1.as_str(), "*"];
            let mut lost = names.map(|it| (file, it.to_owned())).into_iter();
            if lost.any(|it| losses.exports.contains(&it)) {
                return true;
            }
            open.extend(states.now.star_reexports(file));
        }
        false
    }

    /// Returns the path of a file of the old state.
    pub(super) fn path_before(
        &self,
        states: &BeforeAfter<'_>,
        file: FileId,
    ) -> Result<Option<RepoPath>> {
        let at = states.overlay_ids.iter().position(|it| it.earlier == file);
        Ok(match at {
            Some(at) => Some(states.difference.files[at].path.clone()),
            None => self.read.path_of(file)?,
        })
    }

    /// Returns how many uses of the names of definitions that are gone are unresolved in the index, those that are
    /// listed apart.
    fn n_unresolved(
        &self,
        difference: &Difference,
        found: &BrokenUses,
        is_wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<u64> {
        let mut names: BTreeMap<(&str, bool), BTreeSet<&RepoPath>> = BTreeMap::new();
        let mut fields: BTreeSet<&str> = BTreeSet::new();
        let mut n_unresolved = 0;
        for change in difference.gone() {
            let old = difference.old(change).filter(|it| is_wanted(&it.0.path));
            if let Some((file, symbol)) = old {
                n_unresolved += self.n_unbound_tags(&file.path, symbol)?;
                let name = (last_name(&symbol.name), difference.was_member(change));
                names.entry(name).or_default().insert(&file.path);
                if let Some(short) = attribute_name(&file.path, name.0) {
                    let of_name = names.entry((short, name.1)).or_default();
                    of_name.insert(&file.path);
                }
                if is_field_of_python(&file.path, symbol.kind) {
                    fields.insert(name.0);
                }
            }
        }
        let mut listed: HashMap<(&RepoPath, &str), BTreeSet<u32>> = HashMap::new();
        for one in found.all.iter().chain(&found.doubtful) {
            let name = last_name(&one.symbol);
            let lines = one.lines().into_iter().map(|it| it.0);
            if let Some(short) = attribute_name(&one.home, name) {
                let of_name = listed.entry((&one.path, short)).or_default();
                of_name.extend(lines.clone());
            }
            listed.entry((&one.path, name)).or_default().extend(lines);
        }
        let none = BTreeSet::new();
        for ((name, is_member), homes) in names.into_iter().take(MAX_NAMES) {
            let mut places = self.read.unbound_places(name)?;
            places.retain(|it| homes.iter().any(|home| may_mean(it, is_member, home)));
            for of_file in places.chunk_by(|one, other| one.path == other.path) {
                let known = listed.get(&(&of_file[0].path, name)).unwrap_or(&none);
                n_unresolved += n_beside(of_file, known);
            }
        }
        // Those that are not looked for may have some.
        n_unresolved += fields.len().saturating_sub(MAX_FIELDS) as u64;
        for name in fields.into_iter().take(MAX_FIELDS) {
            let (lines, n_more) = self.lines_of_keywords(name)?;
            let is_listed = |(path, line): &&(RepoPath, u32)| {
                let of_file = listed.get(&(path, name));
                of_file.is_some_and(|it| it.contains(line))
            };
            n_unresolved += n_more + lines.iter().filter(|it| !is_listed(it)).count() as u64;
        }
        Ok(n_unresolved)
    }
}

/// Whether a definition is a field of a class of Python, which calls may name as a keyword: `Row.objects.filter(size=1)`.
pub(super) fn is_field_of_python(path: &RepoPath, kind: SymbolKind) -> bool {
    let is_field = matches!(kind, SymbolKind::Field | SymbolKind::Property);
    is_field && syntax::by_path(path).family() == Some(Family::Python)
}

/// Returns how many members of a file have the name of one that is gone, are something from outside now, and were of unknown meaning before.
fn n_unknown_before(bound: &BoundFile<'_>, gone_members: &HashSet<&str>) -> u64 {
    let facts = bound.facts;
    let meanings = bound.before.references.iter().zip(&bound.now.references);
    let unknown = facts
        .references
        .iter()
        .zip(meanings)
        .filter(|(used, (before, now))| {
            is_unbound(**before)
                && **now == Meaning::External
                && matches!(used.target, Target::Member { .. })
                && gone_members.contains(facts.name(used))
        });
    unknown.count() as u64
}

/// Takes uses that no longer agree with their definition for unresolved ones where either stands in a file with new syntax errors,
/// whose signatures and members may be read in part.
fn doubt_unread(difference: &Difference, found: &mut BrokenUses) {
    let is_unread = |path: &RepoPath| {
        let file = difference.file(path);
        file.is_some_and(|(_, it)| it.has_new_errors())
    };
    let is_doubtful = |one: &BrokenUse| {
        let is_compared = matches!(
            one.reason,
            BrokenReason::TooFewArguments { .. }
                | BrokenReason::TooManyArguments { .. }
                | BrokenReason::Refused(_)
        );
        is_compared && (is_unread(&one.path) || is_unread(&one.home))
    };
    let (doubtful, all) = std::mem::take(&mut found.all)
        .into_iter()
        .partition(is_doubtful);
    found.all = all;
    found.doubtful.extend::<Vec<_>>(doubtful);
}

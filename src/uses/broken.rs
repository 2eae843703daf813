//! Uses that a change breaks: of definitions that it removed, renamed, moved away from their import or stopped to offer,
//! and calls that pass fewer arguments than the changed signature requires.
//!
//! The uses of the new state are bound twice: among all other files as they are, and among them as they were. A use is
//! broken where only the earlier files bind it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::Uses;
use super::difference::Difference;
use super::files_to_bind::{DoubtfulNames, Gone};
use super::inherited::Receivers;
use super::mentions::line_at;
use super::unbound::may_name;
use crate::error::{Error, Result};
use crate::graph::changes::ChangeKind;
use crate::ir::{ExportKind, FileFacts, ImportKind, Target};
use crate::link::earlier_overlay::{EarlierFile, OverlayFileIds, overlay};
use crate::link::use_targets::{DefinitionRow, FileTargets, Meaning, Overlay, UseTargets};
use crate::model::{FileId, ModuleId, Provenance, RepoPath};
use crate::store::{ImportTarget, Read};
use crate::syntax::{self, Language, Occurrence, OccurrenceRole, Occurrences, UseKind};

/// Names whose uses are looked for.
pub(super) const MAX_NAMES: usize = 2_000;

/// Files behind `export *` of one that is imported.
const MAX_BARRELS: usize = 200;

/// Uses of one definition in one file that mean nothing now, or no longer agree with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The file of the uses.
    pub path: RepoPath,
    /// The first line: the import, where there is one.
    pub line: u32,
    /// That line, without its indentation.
    pub text: String,
    /// How the definition is used there; `None` in an import or an export.
    pub kind: Option<UseKind>,
    /// Further lines of the file that the broken import leaves without a meaning, with how each uses it.
    pub also: Vec<(u32, String, Option<UseKind>)>,
    /// The file of the definition or module, before the change.
    pub home: RepoPath,
    /// Its qualified name; empty for a module as a whole.
    pub symbol: String,
    /// The change that breaks the uses, an index into [`Difference::changes`]; `None` where the definition itself is as it was.
    pub change: Option<usize>,
    /// Why they are broken.
    pub reason: BrokenReason,
    /// How the first use is known.
    pub provenance: Provenance,
    /// Line of an import whose module is gone, which all names of it share.
    pub module_line: Option<u32>,
    /// Whether the name comes through another file's re-export, which is broken itself.
    pub is_through: bool,
}

/// Why a use is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenReason {
    /// The definition is gone from where it was.
    Gone,
    /// The definition is there, and the file that the use imports it from no longer offers it.
    NotOffered,
    /// The file that the use imports is gone.
    NoModule,
    /// The call passes fewer arguments than the new signature requires.
    TooFewArguments {
        /// Arguments that it passes.
        given: u32,
        /// Arguments that it has to pass.
        required: u32,
    },
}

impl Broken {
    /// Returns all lines, with their text and how each uses the definition.
    pub fn lines(&self) -> Vec<(u32, String, Option<UseKind>)> {
        let mut all = vec![(self.line, self.text.clone(), self.kind)];
        all.extend(self.also.iter().cloned());
        all
    }
}

/// The broken uses of a difference.
#[derive(Clone, Debug, Default)]
pub struct BrokenUses {
    /// The uses, by path and line.
    pub all: Vec<Broken>,
    /// Uses of members that are gone, by path and line, of which a base from outside the repository may have one of the name:
    /// not proved to be broken.
    pub doubtful: Vec<Broken>,
    /// Uses of the names of definitions that are gone whose meaning is not known, `doubtful` among them: they may be broken too.
    pub n_unresolved: u64,
    /// Whether there were more names or files than are looked at.
    pub is_cut: bool,
}

/// Both states of a difference, to bind names in.
pub(super) struct Worlds<'a> {
    pub(super) difference: &'a Difference,
    pub(super) numbers: Vec<OverlayFileIds>,
    pub(super) before: UseTargets<'a>,
    pub(super) now: UseTargets<'a>,
    /// The declarations that are gone, with their change.
    pub(super) gone: HashMap<DefinitionRow, usize>,
    pub(super) targets_before: HashMap<FileId, Vec<ImportTarget>>,
}

/// One file of the new state, bound in both worlds.
pub(super) struct BoundFile<'a> {
    pub(super) path: &'a RepoPath,
    pub(super) language: &'static Language,
    /// Its number in the new state.
    pub(super) id: FileId,
    pub(super) text: &'a str,
    pub(super) facts: &'a FileFacts,
    pub(super) before: FileTargets,
    pub(super) now: FileTargets,
    /// Where its imports lead now.
    pub(super) targets: Vec<Option<ImportTarget>>,
    /// Its place in the difference, where its own definitions are looked for.
    pub(super) changed: Option<usize>,
    /// Names that an import bound to a definition that is gone, by its change, and that nothing in the file binds now.
    pub(super) lost_names: Vec<(String, usize)>,
}

/// The places that are found, by file and loss.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) spots: BTreeMap<(RepoPath, Lost), Vec<Spot>>,
    /// Re-exports that are broken themselves: file and name.
    exports: HashSet<(ModuleId, String)>,
}

/// A place in a file that is broken.
pub(super) struct Spot {
    start: u32,
    line: u32,
    kind: Option<UseKind>,
    provenance: Provenance,
    module_line: Option<u32>,
    /// The file and the name there that an import, or a member of a module, takes.
    from: Option<(ModuleId, String)>,
}

/// A name of an import or export list that means nothing now.
struct DanglingName {
    lost: Lost,
    module_line: Option<u32>,
    from: Option<(ModuleId, String)>,
}

/// A reference that means nothing now.
struct LostReference {
    lost: Lost,
    provenance: Provenance,
    /// Of a member of a module, the file and the name that it is asked for.
    from: Option<(ModuleId, String)>,
}

/// The meaning that a broken place lost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lost {
    /// A declaration that is gone, by its change.
    Change(usize),
    /// A member that is gone, by its change, which a base from outside the repository may have: it may have overridden that.
    Inherited(usize),
    /// A definition that its importer no longer gets: file and symbol.
    Definition(DefinitionRow),
    /// A module, by its file.
    Module(ModuleId),
}

impl Worlds<'_> {
    /// Whether the names of a file's import and export lists mean something else; `number` is its number in the earlier state.
    fn lists_differ(&self, id: FileId, number: FileId) -> Result<bool> {
        let (before, now) = (self.before.lists_of(number)?, self.now.lists_of(id)?);
        Ok((before.imports, before.exports) != (now.imports, now.exports))
    }

    /// Returns the loss of a use of a definition that is gone, which means `now`. One that was renamed was the class's own.
    fn lost_change(&self, change: usize, now: Meaning) -> Lost {
        let is_removed = self.difference.changes[change].kind == ChangeKind::Removed;
        match now {
            Meaning::Inherited if is_removed => Lost::Inherited(change),
            _ => Lost::Change(change),
        }
    }
}

impl Uses<'_> {
    /// Finds the broken uses of a difference whose new state is that of the index. Binds the uses of the files that the
    /// change may reach; `earlier`, an index that is proved to be of the old state, tells more of them apart than words do.
    pub fn broken(
        &self,
        difference: &Difference,
        earlier: Option<&Read<'_>>,
    ) -> Result<BrokenUses> {
        let worlds = self.worlds(difference)?;
        let mut found = BrokenUses {
            is_cut: difference.is_cut,
            ..BrokenUses::default()
        };
        let gone = Gone::of(difference);
        let files = self.files_to_bind(&worlds, &gone, earlier, &mut found)?;
        let doubtful = DoubtfulNames::of(self.read, gone)?;
        let mut losses = Losses::default();
        let mut sources = HashMap::new();
        for (path, to_bind) in files {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let id = to_bind.id;
            let changed = difference.file(&path).map(|it| it.0);
            let number = changed.map_or(id, |at| worlds.numbers[at].current);
            if !to_bind.has_uses && !worlds.lists_differ(id, number)? {
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
            let now = worlds.now.of_names(id, |n| doubtful.has(n))?;
            let is_open = |n: usize| {
                doubtful.has(n)
                    && now
                        .references
                        .get(n)
                        .is_some_and(|it| is_unbound(*it) || *it == Meaning::Inherited)
            };
            let before = worlds.before.of_names(number, is_open)?;
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
            self.of_bound(&worlds, &bound, number, &mut losses)?;
            sources.insert(path, text);
        }
        for ((path, lost), spots) in std::mem::take(&mut losses.spots) {
            let text = sources.get(&path).cloned().unwrap_or_default();
            let file = (&path, &*text);
            let list = match lost {
                Lost::Inherited(_) => &mut found.doubtful,
                _ => &mut found.all,
            };
            list.extend(self.entries(&worlds, file, &lost, spots, &losses)?);
        }
        self.add_calls(&worlds, &mut found)?;
        self.add_overrides(&worlds, &mut found)?;
        self.leave_out_doubtful(difference, &mut found)?;
        for list in [&mut found.all, &mut found.doubtful] {
            list.sort_by(|a, b| {
                (&a.path, a.line, &a.symbol, &a.home).cmp(&(&b.path, b.line, &b.symbol, &b.home))
            });
        }
        let of_each = found.doubtful.iter().map(|one| 1 + one.also.len() as u64);
        found.n_unresolved = of_each.sum::<u64>() + self.n_unresolved(difference, &found)?;
        Ok(found)
    }

    fn worlds<'w>(&'w self, difference: &'w Difference) -> Result<Worlds<'w>> {
        let earlier = difference.files.iter().map(|file| EarlierFile {
            path: file.path.clone(),
            facts: file.old.is_there.then(|| file.old.facts.clone()),
            now: file.new.is_there.then(|| file.new.facts.clone()),
        });
        let (overlay, numbers) = overlay(self.read, earlier.collect())?;
        let mut gone = HashMap::new();
        for (at, change) in difference.changes.iter().enumerate() {
            if let (true, Some(place)) = (change.is_gone(), &change.old) {
                for symbol in &place.symbols {
                    gone.insert((numbers[place.file].earlier, *symbol), at);
                }
            }
        }
        let of_files = overlay.files.iter();
        let mut targets: HashMap<FileId, Vec<ImportTarget>> = of_files
            .map(|(id, (_, targets))| (*id, targets.clone()))
            .collect();
        targets.extend(overlay.targets.iter().map(|(id, it)| (*id, it.clone())));
        Ok(Worlds {
            difference,
            numbers,
            before: UseTargets::new(self.read, overlay),
            now: UseTargets::new(self.read, Overlay::default()),
            gone,
            targets_before: targets,
        })
    }

    /// Adds the broken places of one file; `number` is its number in the earlier state.
    #[expect(
        clippy::too_many_lines,
        reason = "one pass, whose steps are read in order"
    )]
    pub(super) fn of_bound(
        &self,
        worlds: &Worlds<'_>,
        bound: &BoundFile<'_>,
        number: FileId,
        losses: &mut Losses,
    ) -> Result<()> {
        let (facts, path) = (bound.facts, bound.path);
        let lost = &mut losses.spots;
        // Names of import and export lists by their words, to be found in the text.
        let mut lists: BTreeMap<String, HashMap<OccurrenceRole, DanglingName>> = BTreeMap::new();
        // Definitions that are as they were, and that an import no longer gets.
        let mut not_offered: HashSet<DefinitionRow> = HashSet::new();
        let before_targets = worlds.targets_before.get(&number);
        for (at, import) in facts.imports.iter().enumerate() {
            let target_now = bound.targets.get(at).copied().flatten();
            let target_before = match before_targets {
                Some(targets) => targets.get(at).copied(),
                None => target_now,
            };
            let is_missing = matches!(target_before, Some(ImportTarget::File(_)))
                && target_now == Some(ImportTarget::Missing)
                && !matches!(
                    import.kind,
                    ImportKind::Submodule
                        | ImportKind::Implied
                        | ImportKind::Scope
                        | ImportKind::RequireResolve
                );
            let module_line = is_missing.then_some(import.line);
            let mut has_lost = false;
            for (n, name) in import.names.iter().enumerate() {
                let meaning = |bindings: &FileTargets| {
                    bindings
                        .imports
                        .get(at)
                        .and_then(|names| names.get(n))
                        .copied()
                };
                let (Some(before), Some(mut now)) = (meaning(&bound.before), meaning(&bound.now))
                else {
                    continue;
                };
                if let (Meaning::Definition(..), Meaning::Module(module), "default") =
                    (before, now, name.imported.as_str())
                    && self.is_typed(module.file())?
                {
                    // The module itself stands in for its default in CommonJS alone.
                    now = Meaning::Dangling(module);
                }
                let Some(it) = lost_by(worlds, before, now, is_missing) else {
                    continue;
                };
                has_lost = true;
                let from = match target_now {
                    Some(ImportTarget::File(target)) => {
                        Some((target.into(), name.imported.clone()))
                    }
                    _ => None,
                };
                if let Lost::Definition(definition) = it {
                    not_offered.insert(definition);
                }
                if import.kind == ImportKind::ReExport {
                    continue;
                }
                let role = OccurrenceRole::Import {
                    import: u32::try_from(at).unwrap_or(u32::MAX),
                    name: u32::try_from(n).unwrap_or(u32::MAX),
                };
                let word = match name.imported.as_str() {
                    "default" | "*" => &name.local,
                    word => word,
                };
                let listed = DanglingName {
                    lost: it,
                    module_line,
                    from,
                };
                lists
                    .entry(word.to_owned())
                    .or_default()
                    .insert(role, listed);
            }
            if let (true, false, Some(ImportTarget::File(target))) =
                (is_missing, has_lost, target_before)
            {
                let spot = Spot {
                    start: start_of_line(bound.text, import.line),
                    line: import.line,
                    kind: None,
                    provenance: Provenance::Resolved,
                    module_line,
                    from: None,
                };
                lost.entry((path.clone(), Lost::Module(target.into())))
                    .or_default()
                    .push(spot);
            }
        }
        for (at, export) in facts.exports.iter().enumerate() {
            let meaning = |bindings: &FileTargets| bindings.exports.get(at).copied();
            let (Some(before), Some(now)) = (meaning(&bound.before), meaning(&bound.now)) else {
                continue;
            };
            if export.specifier.is_empty() || export.kind == ExportKind::Star {
                continue;
            }
            let Some(it) = lost_by(worlds, before, now, false) else {
                continue;
            };
            losses
                .exports
                .insert((bound.id.into(), export.name.clone()));
            let from = Self::target_of(bound, &export.specifier);
            let from = from.map(|target| (target.into(), export.local.clone()));
            let role = OccurrenceRole::Export {
                export: u32::try_from(at).unwrap_or(u32::MAX),
            };
            let word = if matches!(export.local.as_str(), "" | "default" | "*") {
                &export.name
            } else {
                &export.local
            };
            let listed = DanglingName {
                lost: it,
                module_line: None,
                from,
            };
            lists.entry(word.clone()).or_default().insert(role, listed);
        }
        let mut references: HashMap<u32, LostReference> = HashMap::new();
        let mut receivers = Receivers::default();
        let meanings = bound.before.references.iter().zip(&bound.now.references);
        for (n, (before, now)) in meanings.enumerate() {
            let is_inherited = *now == Meaning::Inherited;
            let (Meaning::Definition(definition, provenance), true) =
                (before, is_unbound(*now) || is_inherited)
            else {
                continue;
            };
            let it = match worlds.gone.get(definition) {
                Some(change) => worlds.lost_change(*change, *now),
                None if not_offered.contains(definition) => Lost::Definition(*definition),
                None => {
                    let used = (n, *definition);
                    match self.gone_base(worlds, bound, number, used, &mut receivers)? {
                        Some(change) => Lost::Change(change),
                        None => continue,
                    }
                }
            };
            let module = worlds.now.module_of_receiver(bound.id, n);
            let name = facts.name(&facts.references[n]);
            let used = LostReference {
                lost: it,
                provenance: *provenance,
                from: module.map(|module| (module, name.to_owned())),
            };
            references.insert(u32::try_from(n).unwrap_or(u32::MAX), used);
        }
        let mut own = self.own_gone(worlds, bound)?;
        let lost_names = bound.lost_names.iter();
        own.extend(lost_names.map(|(name, change)| ((name.clone(), *change), None)));
        if references.is_empty() && lists.is_empty() && own.is_empty() {
            return Ok(());
        }
        let mut words: BTreeSet<&str> = lists.keys().map(String::as_str).collect();
        words.extend(own.keys().map(|(word, _)| word.as_str()));
        let words: Vec<&str> = words.into_iter().collect();
        let found = syntax::occurrences_of(bound.language, bound.text, &words, &self.budget);
        let found = found.ok_or_else(Error::cancelled)?;
        for (start, line, reference, kind) in &found.uses {
            if let Some(used) = references.get(reference) {
                let spot = Spot {
                    start: *start,
                    line: *line,
                    kind: Some(*kind),
                    provenance: used.provenance,
                    module_line: None,
                    from: used.from.clone(),
                };
                lost.entry((path.clone(), used.lost.clone()))
                    .or_default()
                    .push(spot);
            }
        }
        for place in &found.places {
            let roles = lists.get(words[place.word]);
            if let Some(listed) = roles.and_then(|roles| roles.get(&place.role)) {
                let spot = Spot {
                    start: place.start_byte,
                    line: place.line,
                    kind: None,
                    provenance: Provenance::Resolved,
                    module_line: listed.module_line,
                    from: listed.from.clone(),
                };
                let key = (path.clone(), listed.lost.clone());
                lost.entry(key).or_default().push(spot);
            }
        }
        add_own(worlds, bound, &own, (&words, &found), lost);
        Ok(())
    }

    /// Returns the definitions of a changed file that are gone from it, by name: uses in the file itself have no import that
    /// could bind them. Beside each the references that are of its owner, where it is a member.
    #[expect(clippy::unused_self, reason = "asked like its neighbours")]
    #[expect(
        clippy::type_complexity,
        reason = "named where it is made, and used here alone"
    )]
    fn own_gone(
        &self,
        worlds: &Worlds<'_>,
        bound: &BoundFile<'_>,
    ) -> Result<HashMap<(String, usize), Option<HashSet<u32>>>> {
        let mut own = HashMap::new();
        let Some(at) = bound.changed else {
            return Ok(own);
        };
        let file = &worlds.difference.files[at];
        let is_typed = is_typescript(bound.path);
        let mut receivers = None;
        for (change_at, change) in worlds.difference.changes.iter().enumerate() {
            let is_own = change.old.as_ref().is_some_and(|place| place.file == at);
            if !is_own || !change.is_gone() || change.kind == ChangeKind::Unexported {
                continue;
            }
            let Some((_, symbol)) = worlds.difference.old(change) else {
                continue;
            };
            let name = last_name(&symbol.name).to_owned();
            let Some((owner, _)) = symbol.qualified_name.rsplit_once('.') else {
                own.insert((name, change_at), None);
                continue;
            };
            if receivers.is_none() {
                receivers = Some(worlds.now.receivers_of(bound.id)?);
            }
            let of_class = format!("typeof {owner}");
            // An assignment in a method tells the value of a member and declares none in TypeScript.
            let is_lost = |meaning: Meaning| {
                let is_value = || {
                    let (in_file, ordinal) = meaning.definition()?;
                    let facts = worlds.now.facts(in_file)?;
                    Some(facts.symbols.get(ordinal as usize)?.name != name)
                };
                is_unbound(meaning)
                    || meaning == Meaning::Inherited
                    || is_typed && is_value() == Some(true)
            };
            let all = receivers.iter().flatten().enumerate();
            let fits = all.filter(|(n, receiver)| {
                let is_of_owner = receiver
                    .as_deref()
                    .is_some_and(|it| it == owner || it == of_class);
                let used = file.new.facts.references.get(*n);
                is_of_owner
                    && used.is_some_and(|used| file.new.facts.name(used) == name)
                    && bound.now.references.get(*n).is_some_and(|it| is_lost(*it))
            });
            let fits: HashSet<u32> = fits.filter_map(|(n, _)| u32::try_from(n).ok()).collect();
            if !fits.is_empty() {
                own.insert((name, change_at), Some(fits));
            }
        }
        Ok(own)
    }

    /// Returns the broken places of one definition in one file as entries: one for an import with all that it binds, else one
    /// for each line.
    pub(super) fn entries(
        &self,
        worlds: &Worlds<'_>,
        (path, text): (&RepoPath, &str),
        lost: &Lost,
        mut spots: Vec<Spot>,
        losses: &Losses,
    ) -> Result<Vec<Broken>> {
        let (home, symbol, change, reason) = match lost {
            Lost::Change(at) | Lost::Inherited(at) => {
                let change = &worlds.difference.changes[*at];
                let Some((file, symbol)) = worlds.difference.old(change) else {
                    return Ok(Vec::new());
                };
                let name = symbol.qualified_name.clone();
                (file.path.clone(), name, Some(*at), BrokenReason::Gone)
            }
            Lost::Definition((file, ordinal)) => {
                let facts = worlds.before.facts(*file);
                let symbol = facts
                    .as_ref()
                    .and_then(|it| it.symbols.get(*ordinal as usize));
                let (Some(home), Some(symbol)) = (self.path_before(worlds, *file)?, symbol) else {
                    return Ok(Vec::new());
                };
                (
                    home,
                    symbol.qualified_name.clone(),
                    None,
                    BrokenReason::NotOffered,
                )
            }
            Lost::Module(module) => {
                let Some(home) = self.path_before(worlds, module.file())? else {
                    return Ok(Vec::new());
                };
                (home, String::new(), None, BrokenReason::NoModule)
            }
        };
        let mut is_passed_on = HashMap::new();
        for from in spots.iter().filter_map(|spot| spot.from.as_ref()) {
            if !is_passed_on.contains_key(from) {
                let is_lost = Self::is_lost_behind(worlds, from, losses);
                is_passed_on.insert(from.clone(), is_lost);
            }
        }
        let is_through = |spot: &Spot| {
            let mut from = spot.from.iter();
            from.any(|it| is_passed_on.get(it) == Some(&true))
        };
        // Imports first, of those the ones that are broken themselves.
        spots.sort_by_key(|spot| (spot.kind.is_some(), is_through(spot), spot.start));
        spots.dedup_by_key(|spot| spot.start);
        let entry = |spot: &Spot| Broken {
            path: path.clone(),
            line: spot.line,
            text: line_at(text, spot.start as usize),
            kind: spot.kind,
            also: Vec::new(),
            home: home.clone(),
            symbol: symbol.clone(),
            change,
            reason,
            provenance: spot.provenance,
            module_line: spot.module_line,
            is_through: is_through(spot),
        };
        let mut all: Vec<Broken> = Vec::new();
        let has_import = spots.first().is_some_and(|spot| spot.kind.is_none());
        for spot in &spots {
            let is_same_line = all.last().is_some_and(|last| last.line == spot.line);
            match all.first_mut() {
                Some(first) if spot.kind.is_some() && has_import => {
                    let is_known = first.line == spot.line
                        || first.also.iter().any(|(line, ..)| *line == spot.line);
                    if !is_known {
                        let text = line_at(text, spot.start as usize);
                        first.also.push((spot.line, text, spot.kind));
                    }
                }
                // A statement that imports and exports is one line.
                _ if is_same_line => {}
                _ => all.push(entry(spot)),
            }
        }
        Ok(all)
    }

    /// Returns the file that a module as written leads to.
    fn target_of(bound: &BoundFile<'_>, specifier: &str) -> Option<FileId> {
        let mut imports = bound.facts.imports.iter().zip(&bound.targets);
        let found = imports.find(|(import, _)| import.specifier == specifier);
        match found?.1 {
            Some(ImportTarget::File(target)) => Some(*target),
            _ => None,
        }
    }

    /// Whether the name that a file is asked for is lost in a re-export of that file, or of one that it passes on as a whole.
    fn is_lost_behind(worlds: &Worlds<'_>, from: &(ModuleId, String), losses: &Losses) -> bool {
        let (mut open, mut seen) = (vec![from.0], HashSet::new());
        while let Some(file) = open.pop() {
            if !seen.insert(file) || seen.len() > MAX_BARRELS {
                continue;
            }
            if losses.exports.contains(&(file, from.1.clone())) {
                return true;
            }
            open.extend(worlds.now.star_reexports(file));
        }
        false
    }

    fn path_before(&self, worlds: &Worlds<'_>, file: FileId) -> Result<Option<RepoPath>> {
        let at = worlds.numbers.iter().position(|it| it.earlier == file);
        Ok(match at {
            Some(at) => Some(worlds.difference.files[at].path.clone()),
            None => self.read.path_of(file)?,
        })
    }

    /// Whether a file is of TypeScript, whose modules export by statements alone.
    pub(super) fn is_typed(&self, file: FileId) -> Result<bool> {
        let path = self.read.path_of(file)?;
        Ok(path.is_some_and(|path| is_typescript(&path)))
    }

    /// Returns how many uses of the names of definitions that are gone have no known meaning in the index, those that are
    /// listed apart.
    fn n_unresolved(&self, difference: &Difference, found: &BrokenUses) -> Result<u64> {
        let mut names: BTreeMap<(&str, bool), BTreeSet<&RepoPath>> = BTreeMap::new();
        for change in difference.gone() {
            if let Some((file, symbol)) = difference.old(change) {
                let name = (last_name(&symbol.name), symbol.parent.is_some());
                names.entry(name).or_default().insert(&file.path);
            }
        }
        let mut listed: HashMap<(&RepoPath, &str), u64> = HashMap::new();
        for one in found.all.iter().chain(&found.doubtful) {
            let name = last_name(&one.symbol);
            let n_lines = 1 + one.also.len() as u64;
            *listed.entry((&one.path, name)).or_default() += n_lines;
        }
        let mut n_unresolved = 0;
        for ((name, is_member), homes) in names.into_iter().take(MAX_NAMES) {
            for place in self.read.unbound_places(name)? {
                let may_mean_one = homes.iter().any(|home| may_name(&place.path, home));
                if place.is_member == is_member && may_mean_one {
                    let known = listed.get(&(&place.path, name)).copied().unwrap_or(0);
                    n_unresolved += u64::from(place.count).saturating_sub(known);
                }
            }
        }
        Ok(n_unresolved)
    }
}

/// Adds the places of names in their own file, where no scope binds it any more.
fn add_own(
    worlds: &Worlds<'_>,
    bound: &BoundFile<'_>,
    own: &HashMap<(String, usize), Option<HashSet<u32>>>,
    (words, found): (&[&str], &Occurrences),
    lost: &mut BTreeMap<(RepoPath, Lost), Vec<Spot>>,
) {
    for ((name, change), references) in own {
        let of_name = |place: &&Occurrence| words[place.word] == name;
        for place in found.places.iter().filter(of_name) {
            let mut it = Lost::Change(*change);
            let (kind, provenance) = match (place.role, references) {
                (OccurrenceRole::Global(kind), None) => (Some(kind), Provenance::Resolved),
                (OccurrenceRole::Use { reference, kind }, None) => {
                    let used = bound.facts.references.get(reference as usize);
                    let is_lexical = used.is_some_and(|it| it.target == Target::Lexical);
                    let now = bound.now.references.get(reference as usize);
                    if !is_lexical || !now.is_some_and(|it| is_unbound(*it)) {
                        continue;
                    }
                    (Some(kind), Provenance::Resolved)
                }
                (OccurrenceRole::Export { export }, None) => {
                    let now = bound.now.exports.get(export as usize);
                    let listed = bound.facts.exports.get(export as usize);
                    let is_here = listed.is_some_and(|it| it.specifier.is_empty());
                    if !is_here || !now.is_some_and(|it| is_unbound(*it)) {
                        continue;
                    }
                    (None, Provenance::Resolved)
                }
                (OccurrenceRole::Use { reference, kind }, Some(references))
                    if references.contains(&reference) =>
                {
                    let now = bound.now.references[reference as usize];
                    it = worlds.lost_change(*change, now);
                    (Some(kind), Provenance::Member)
                }
                _ => continue,
            };
            let spot = Spot {
                start: place.start_byte,
                line: place.line,
                kind,
                provenance,
                module_line: None,
                from: None,
            };
            lost.entry((bound.path.clone(), it)).or_default().push(spot);
        }
    }
}

/// Returns the meaning that a name of an import or export list lost: it had one among the earlier files and has none
/// now.
fn lost_by(worlds: &Worlds<'_>, before: Meaning, now: Meaning, is_missing: bool) -> Option<Lost> {
    if !is_unbound(now) {
        return None;
    }
    let is_provable = is_missing || matches!(now, Meaning::Dangling(_));
    match before {
        Meaning::Definition(definition, _) => match worlds.gone.get(&definition) {
            Some(change) => Some(Lost::Change(*change)),
            None => is_provable.then_some(Lost::Definition(definition)),
        },
        Meaning::Module(file) => is_provable.then_some(Lost::Module(file)),
        _ => None,
    }
}

pub(super) fn is_unbound(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Unresolved | Meaning::Dangling(_))
}

fn is_typescript(path: &RepoPath) -> bool {
    let ends = [".ts", ".tsx", ".mts", ".cts"];
    ends.iter().any(|end| path.as_str().ends_with(end))
}

/// Returns the last name of a chain: `open` of `app.open`.
pub(super) fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the first byte of a line (from 1) that is no white space.
fn start_of_line(text: &str, line: u32) -> u32 {
    let before = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1) as usize);
    let start: usize = before.map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    let indent = rest.len() - rest.trim_start().len();
    u32::try_from((start + indent).min(text.len())).unwrap_or(u32::MAX)
}

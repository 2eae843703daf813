//! Every place where a name occurs in the indexed files, each with its meaning for one definition.
//!
//! The index stores one row for all uses of a definition in another; the places are found again here: the files that
//! hold the word are read from the disk, parsed, and their names bound. The counts of the meanings add up: each occurrence of the word
//! has exactly one.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::Uses;
use super::components::component_tags;
use super::files_with_name::{MAX_READ_BYTES, is_one_word};
use super::name_forms::NameForm;
use super::unbound_uses::may_name;
use crate::error::{Error, Result};
use crate::link::name_binder::{DefinitionId, FileMeanings, Meaning, NameBinder};
use crate::model::{Family, FileId, Provenance, RepoPath, SkipReason, Span, SymbolId, SymbolKind};
use crate::store::{FileSummary, SymbolRow};
use crate::syntax::{self, CodeSignal, OccurrenceRole, Occurrences, TestCase, UseKind};

/// Files that are read for one name.
const MAX_FILES: usize = 5_000;

/// Bytes of a line that are shown.
const MAX_LINE_BYTES: usize = 200;

/// The places of one name.
#[derive(Clone, Debug, Default)]
pub struct NameOccurrences {
    /// The places, by path, then by position.
    pub all: Vec<NameOccurrence>,
    /// How many files hold the word.
    pub n_files: u64,
    /// How many of them could not be read as they were indexed, or were too many.
    pub n_unsearched: u64,
}

/// One place where a name occurs, or where a definition is used under another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameOccurrence {
    /// The file.
    pub path: RepoPath,
    /// Line, from 1.
    pub line: u32,
    /// The line, without its indentation, at most 200 bytes of it.
    pub text: String,
    /// The definition around the place, by its qualified name.
    pub within: Option<String>,
    /// Its meaning for the definition that is searched for.
    pub meaning: OccurrenceMeaning,
    /// Whether another name stands there: `b()` after `import { a as b }`. Not an occurrence of the name then.
    pub is_alias: bool,
    /// Whether the file is of a programming language, and not a document, data or settings.
    pub is_in_code: bool,
    /// Whether the name stands alone or behind `this->`, so that the member it may be is one of the class around.
    pub is_of_receiver: bool,
}

/// The meaning of an occurrence of a name for one definition of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OccurrenceMeaning {
    /// A use of the definition.
    Use(UseKind, Provenance),
    /// An import of it.
    Import,
    /// An export of it by another file: `export { f } from './f'`.
    ReExport,
    /// Its own name where it is defined.
    OwnDefinition,
    /// The name of another definition, a parameter, a variable, a property.
    OtherDefinition,
    /// A use or an import whose meaning is not known: it may be this definition.
    Unbound,
    /// An import of the name, or a use of that import, from a file of the repository that does not have it.
    Dangling,
    /// A use of something else of this name, code of another family of languages among them.
    OtherTarget,
    /// A use of something outside the repository.
    External,
    /// In a comment.
    Comment,
    /// In a string.
    Text,
    /// In a file that is read as text alone.
    Prose,
}

/// The definition that the places are sorted by.
struct OccurrenceTarget<'a> {
    name: &'a str,
    targets: HashSet<DefinitionId>,
    /// Definitions that the targets may be used in place of.
    dispatch: DispatchUses,
    /// All definitions of their names in their files: an import or export of one means each, `interface Foo` and `const Foo`.
    imported: HashSet<DefinitionId>,
    /// Where their names stand.
    named_at: HashSet<(&'a str, u32)>,
    /// Whether it is a member, which is reached through an object.
    is_member: bool,
    /// Whether it is an identifier: another name, `create-item-label`, is used in quotes or in markup.
    is_word: bool,
    /// The module of another package that declares them, as importers write it: `x` of `declare module 'x' { … }`.
    ambient_module: Option<String>,
    /// The kinds of the targets.
    kinds: HashSet<SymbolKind>,
    /// Its file.
    home: Option<&'a RepoPath>,
    /// Whether no other file can name it.
    is_confined: bool,
    /// The file whose places are sorted.
    in_file: Cell<Option<FileId>>,
}

/// The uses by dispatch of each definition.
type DispatchUses = HashMap<DefinitionId, UsesByDispatch>;

/// Which uses of one definition may be uses of another.
#[derive(Clone, Copy)]
struct UsesByDispatch {
    provenance: Provenance,
    /// Whether they have to be calls.
    by_calls: bool,
    /// Whether they have to be of a member of an object.
    by_objects: bool,
    /// Whether they have to be in another file than that of the definition.
    from_other_files: bool,
}

impl OccurrenceTarget<'_> {
    /// Whether uses of a definition may be uses of the targets.
    fn has(&self, definition: DefinitionId) -> bool {
        self.targets.contains(&definition) || self.dispatch.contains_key(&definition)
    }

    /// Whether the form in which the name stands at a byte of a file may be that of a target.
    fn has_form(&self, path: &RepoPath, text: &str, start: usize) -> bool {
        let family = syntax::by_path(path).family();
        let Some(family @ (Family::Rust | Family::C)) = family else {
            return true;
        };
        let form = NameForm::in_text(text, start, self.name);
        let mut kinds = self.kinds.iter();
        self.kinds.is_empty() || kinds.any(|kind| form.may_mean(*kind, family))
    }

    /// Whether the name that begins at a byte of an import may be that of a target: in Rust a method is never imported, and behind
    /// `store::{self, …}` no function.
    fn may_be_imported(&self, path: &RepoPath, text: &str, start: usize) -> bool {
        if syntax::by_path(path).family() != Some(Family::Rust) {
            return true;
        }
        let behind = text.get(start + self.name.len()..).unwrap_or_default();
        let is_self = behind
            .trim_start()
            .strip_prefix("::")
            .and_then(|it| it.trim_start().strip_prefix('{'))
            .is_some();
        let mut kinds = self.kinds.iter();
        self.kinds.is_empty()
            || kinds.any(|kind| match kind {
                SymbolKind::Method | SymbolKind::Property | SymbolKind::Field => false,
                SymbolKind::Function | SymbolKind::Constant | SymbolKind::Macro => !is_self,
                _ => true,
            })
    }

    /// Returns the meaning of a use of a definition; `None` where it uses none of the targets.
    fn used(
        &self,
        definition: DefinitionId,
        kind: UseKind,
        provenance: Provenance,
    ) -> Option<OccurrenceMeaning> {
        if self.targets.contains(&definition) {
            return Some(OccurrenceMeaning::Use(kind, provenance));
        }
        let by = self.dispatch.get(&definition)?;
        // Of another overload the calls alone that may mean either.
        let is_other = by.provenance == Provenance::Overload && provenance != Provenance::Overload;
        let is_refused = is_other
            || by.by_calls && kind != UseKind::Call
            || by.by_objects && provenance == Provenance::Resolved
            || by.from_other_files && self.in_file.get() == Some(definition.0);
        (!is_refused).then(|| OccurrenceMeaning::Use(kind, provenance.max(by.provenance)))
    }
}

impl Uses<'_> {
    /// Finds the places where `name` occurs, classified by their relation to `targets`: the definitions of that name that
    /// are one to their users (overloads, merged declarations), or none. Reads and parses each file that holds the
    /// word: some 0.3 s a megabyte.
    pub fn occurrences(&self, name: &str, targets: &[SymbolRow]) -> Result<NameOccurrences> {
        self.occurrences_within(name, targets, usize::MAX)
    }

    /// Does [`Self::occurrences`] until `max_bytes` of files are read, the ones of the targets first; the other files, and those that are
    /// larger by themselves, are counted as unread.
    pub fn occurrences_within(
        &self,
        name: &str,
        targets: &[SymbolRow],
        max_bytes: usize,
    ) -> Result<NameOccurrences> {
        let mut wanted = self.wanted(name, targets)?;
        let (dispatch, rows) = self.dispatch_of(targets)?;
        wanted.dispatch = dispatch;
        let mut files = self.files_to_read(name, targets.iter().map(|it| it.id).chain(rows))?;
        if max_bytes < usize::MAX {
            let is_own = |file: &FileSummary| targets.iter().any(|it| it.path == file.path);
            files.sort_by_key(|file| !is_own(file));
        }
        let (mut n_bytes, mut n_looked_at) = (0, 0);
        let binder = self.binder();
        let mut occurrences = NameOccurrences {
            n_files: files.len() as u64,
            ..NameOccurrences::default()
        };
        for (at, file) in files.iter().enumerate() {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let is_within =
                at < MAX_FILES && (max_bytes == usize::MAX || n_looked_at < MAX_READ_BYTES);
            let text = is_within.then(|| self.sources.read(&file.path, file.content));
            let Some(text) = text.flatten() else {
                occurrences.n_unsearched += 1;
                continue;
            };
            n_looked_at += text.len();
            // One that is too large by itself leaves the time to the other files.
            if n_bytes >= max_bytes || text.len() > max_bytes {
                let has_word = syntax::starts(&text, name).next().is_some();
                occurrences.n_unsearched += u64::from(has_word);
                continue;
            }
            n_bytes += text.len();
            self.of_file(file, &text, binder, &wanted, &mut occurrences.all)?;
        }
        self.add_bridges(&wanted, targets, &mut occurrences.all)?;
        Ok(occurrences)
    }

    /// Finds the places of the name of some definitions, as [`Self::occurrences_within`] does; of a component also the unresolved
    /// tags that are written like its file, and not each `default`.
    pub fn occurrences_of(
        &self,
        targets: &[SymbolRow],
        max_bytes: usize,
    ) -> Result<NameOccurrences> {
        let first = &targets[0];
        let mut found = self.occurrences_within(&first.name, targets, max_bytes)?;
        let Some(tags) = component_tags(first) else {
            return Ok(found);
        };
        found
            .all
            .retain(|it| it.meaning != OccurrenceMeaning::Unbound);
        for tag in &tags {
            let mut of_tag = self.occurrences_within(tag, targets, max_bytes)?;
            of_tag
                .all
                .retain(|it| it.meaning == OccurrenceMeaning::Unbound);
            found.all.extend(of_tag.all);
            found.n_files += of_tag.n_files;
            found.n_unsearched += of_tag.n_unsearched;
        }
        found
            .all
            .sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
        Ok(found)
    }

    /// Adds the uses by bridges, whose lines hold another name: `fetch('/users')` for the handler of the route.
    fn add_bridges(
        &self,
        wanted: &OccurrenceTarget<'_>,
        targets: &[SymbolRow],
        all: &mut Vec<NameOccurrence>,
    ) -> Result<()> {
        let mut files: Vec<FileId> = Vec::new();
        for target in targets {
            let edges = self.read.edges_into(target.id)?.into_iter();
            let bridges = edges.filter(|it| it.provenance == Provenance::Bridge);
            files.extend(bridges.map(|it| it.src_file));
        }
        files.sort_unstable();
        files.dedup();
        let n_named = all.len();
        for file in files {
            let Some(path) = self.read.path_of(file)? else {
                continue;
            };
            for place in self.binder().bridges_of(file)? {
                if wanted.targets.contains(&place.target) {
                    all.push(NameOccurrence {
                        text: self.line(&path, place.line)?,
                        path: path.clone(),
                        line: place.line,
                        within: place.within,
                        meaning: OccurrenceMeaning::Use(UseKind::Call, Provenance::Bridge),
                        is_alias: true,
                        is_in_code: true,
                        is_of_receiver: false,
                    });
                }
            }
        }
        if all.len() > n_named {
            all.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
        }
        Ok(())
    }

    /// Returns the definitions that `targets` may be used in place of: `Base.open` of `Child.open`; and their rows.
    fn dispatch_of(&self, targets: &[SymbolRow]) -> Result<(DispatchUses, Vec<SymbolId>)> {
        let mut uses = DispatchUses::default();
        let mut rows = Vec::new();
        let all = self.dispatch_relations(targets)?;
        for (&definition, &provenance) in &all.related {
            let ids = self.read.symbol_ids(definition.0)?;
            if let Some(row) = ids.get(definition.1 as usize) {
                let by_calls = self.holds_function(definition, *row, provenance)?;
                let by = UsesByDispatch {
                    provenance,
                    by_calls,
                    by_objects: all.by_objects.contains(&definition),
                    from_other_files: all.from_other_files.contains(&definition),
                };
                uses.insert(definition, by);
                rows.push(*row);
            }
        }
        Ok((uses, rows))
    }

    /// Returns the properties that tell the uses of `targets` from other places of their name.
    fn wanted<'t>(&self, name: &'t str, targets: &'t [SymbolRow]) -> Result<OccurrenceTarget<'t>> {
        let mut wanted = OccurrenceTarget {
            name,
            targets: HashSet::new(),
            dispatch: HashMap::default(),
            imported: HashSet::new(),
            named_at: HashSet::new(),
            is_member: self.is_any_member(targets)?,
            is_word: is_one_word(name),
            ambient_module: None,
            kinds: targets.iter().map(|target| target.kind).collect(),
            home: targets.first().map(|target| &target.path),
            is_confined: match targets {
                [only] => self.is_confined(only)?,
                _ => false,
            },
            in_file: Cell::new(None),
        };
        // Symbols of a file are read once: a changed file may have thousands of targets.
        let mut by_file: HashMap<&RepoPath, Vec<&SymbolRow>> = HashMap::default();
        for target in targets {
            by_file.entry(&target.path).or_default().push(target);
            let at = (target.path.as_str(), target.name_line);
            wanted.named_at.insert(at);
        }
        for (path, targets) in by_file {
            let Some(file) = self.read.file(path.as_str())? else {
                continue;
            };
            let ordinals = targets.iter().map(|it| (file.id, it.ordinal));
            wanted.targets.extend(ordinals);
            let (on_top, members): (Vec<&SymbolRow>, Vec<&SymbolRow>) =
                targets.into_iter().partition(|it| it.parent.is_none());
            let names: HashSet<&str> = on_top.iter().map(|it| it.qualified_name.as_str()).collect();
            let symbols = self.read.symbols_of(file.id)?;
            if let Some(member) = members.first() {
                wanted.ambient_module = ambient_module(&symbols, member);
            }
            if !names.is_empty() {
                let all = symbols.into_iter();
                let same = all.filter(|it| names.contains(it.qualified_name.as_str()));
                wanted.imported.extend(same.map(|it| (file.id, it.ordinal)));
            }
        }
        Ok(wanted)
    }

    /// Returns the places of a script that are worth a second look, each with its text; none of a file that is not as it was indexed. Reads and
    /// parses the file.
    pub fn signals(&self, path: &RepoPath) -> Result<Vec<(CodeSignal, String)>> {
        let file = self.read.file(path.as_str())?;
        // Code that was not written by hand is not to be reviewed.
        let is_by_hand =
            |file: &FileSummary| file.skip.is_none_or(|skip| skip == SkipReason::Masked);
        let Some(file) = file.filter(is_by_hand) else {
            return Ok(Vec::new());
        };
        let Some(text) = self.sources.read(path, file.content) else {
            return Ok(Vec::new());
        };
        let lines: Vec<&str> = text.lines().collect();
        let found = syntax::signals(path, &text, &self.budget).into_iter();
        let with_text = found.map(|signal| {
            let line = lines.get(signal.line as usize - 1);
            let text = line.map_or("", |it| it.trim()).to_owned();
            (signal, text)
        });
        Ok(with_text.collect())
    }

    /// Finds the tests that use one of `targets`: those of `paths[n]` are given to `on_file` with `n`, until it returns false. A file
    /// that differs from the index now has none. Facts of the files that several of them import are read once.
    pub fn test_cases(
        &self,
        paths: &[&RepoPath],
        targets: &[SymbolRow],
        mut on_file: impl FnMut(usize, Vec<TestCase>) -> bool,
    ) -> Result<()> {
        let Some(first) = targets.first() else {
            return Ok(());
        };
        let wanted = self.wanted(&first.name, targets)?;
        let binder = self.binder();
        for (at, path) in paths.iter().enumerate() {
            let file = self.read.file(path.as_str())?;
            let read = file.and_then(|file| Some((self.sources.read(path, file.content)?, file)));
            let mut cases = Vec::new();
            if let Some((text, file)) = read {
                let mut all = Vec::new();
                // The meanings are kept: all places of a name are asked for next.
                let bound = binder.of_file(file.id)?;
                self.bound.borrow_mut().insert(file.id, bound);
                self.of_file(&file, &text, binder, &wanted, &mut all)?;
                let uses = all
                    .iter()
                    .filter(|it| matches!(it.meaning, OccurrenceMeaning::Use(..)));
                let mut lines: Vec<u32> = uses.map(|it| it.line).collect();
                lines.dedup();
                let text = (file.content, || Some(text));
                cases = syntax::test_cases(path, text, &lines, &self.budget);
                if cases.is_empty() {
                    cases = self.marked_tests(file.id, &lines)?;
                }
            }
            if !on_file(at, cases) {
                break;
            }
        }
        Ok(())
    }

    /// Returns a line of a file as it was indexed, without its indentation; empty where it differs now.
    pub fn line(&self, path: &RepoPath, line: u32) -> Result<String> {
        let Some(file) = self.read.file(path.as_str())? else {
            return Ok(String::new());
        };
        let text = self.sources.read(path, file.content).unwrap_or_default();
        let before = line.saturating_sub(1) as usize;
        let line = text.split('\n').nth(before).unwrap_or_default();
        Ok(brief_line(line))
    }

    /// Returns the lines of the uses of `name` in one definition of a file (`None`: outside all of them), each once; empty
    /// where there are not `count` places of the word, so that some of them must be something else. Reads the file and
    /// parses nothing.
    pub fn lines_of_uses(
        &self,
        path: &RepoPath,
        within: Option<&SymbolRow>,
        name: &str,
        count: u32,
    ) -> Result<Vec<u32>> {
        let Some(file) = self.read.file(path.as_str())? else {
            return Ok(Vec::new());
        };
        let Some(text) = self.sources.read(path, file.content) else {
            return Ok(Vec::new());
        };
        let symbols = self.read.symbols_of(file.id)?;
        let within = within.map(|symbol| symbol.ordinal);
        let mut lines = Vec::new();
        for (start, line) in lines_of(&text, name) {
            let innermost = innermost(&symbols, start).map(|symbol| symbol.ordinal);
            if innermost == within {
                lines.push(line);
            }
        }
        let is_each = u32::try_from(lines.len()) == Ok(count);
        lines.dedup();
        Ok(if is_each { lines } else { Vec::new() })
    }

    /// Whether one of some definitions is reached through an object; of several of Svelte the first tells it.
    fn is_any_member(&self, targets: &[SymbolRow]) -> Result<bool> {
        if targets.iter().any(|target| target.parent.is_some()) {
            return Ok(true);
        }
        let is_of_svelte = |target: &&SymbolRow| target.path.extension() == Some("svelte");
        let Some(target) = targets.iter().find(is_of_svelte) else {
            return Ok(false);
        };
        let file = self.read.file(target.path.as_str())?;
        let facts = file.map(|file| self.read.facts(file.id)).transpose()?;
        Ok(facts
            .flatten()
            .is_some_and(|facts| facts.is_of_instance(target.ordinal)))
    }

    /// Returns the files that hold the word, and those that use a target under another name.
    fn files_to_read(
        &self,
        name: &str,
        targets: impl Iterator<Item = SymbolId>,
    ) -> Result<Vec<FileSummary>> {
        let mut files = if let Some(files) = self.files_with_name(name)? {
            files
        } else {
            let rows = self.read.file_rows()?;
            let mut all = Vec::with_capacity(rows.len());
            for row in rows.iter() {
                if row.skip.is_none_or(SkipReason::keeps_text) {
                    all.extend(self.read.file(row.path.as_str())?);
                }
            }
            all
        };
        let mut known: HashSet<FileId> = files.iter().map(|file| file.id).collect();
        // Uses by another name, `b()` after `import { a as b }` elsewhere, have an edge all the same.
        for target in targets {
            for edge in self.read.edges_into(target)? {
                if known.insert(edge.src_file)
                    && let Some(path) = self.read.path_of(edge.src_file)?
                {
                    files.extend(self.read.file(path.as_str())?);
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by_key(|file| file.id);
        Ok(files)
    }

    fn of_file(
        &self,
        file: &FileSummary,
        text: &str,
        binder: &NameBinder<'_>,
        wanted: &OccurrenceTarget<'_>,
        all: &mut Vec<NameOccurrence>,
    ) -> Result<()> {
        wanted.in_file.set(Some(file.id));
        let has_word = syntax::starts(text, wanted.name).next().is_some();
        let Some(language) = syntax::by_id(&file.language) else {
            return Ok(());
        };
        let is_structured = file.skip != Some(SkipReason::Minified);
        if !has_word && !is_structured {
            return Ok(());
        }
        let known = self.bound.borrow().get(&file.id).cloned();
        let mut bound = known.map_or_else(|| binder.of_file(file.id), Ok)?;
        bound.auto_imported = binder.auto_imported(file.id, wanted.name);
        let reaches = |meaning: &Meaning| {
            let found = meaning.definition();
            found.is_some_and(|found| wanted.has(found))
        };
        // Without the word only another name for the definition makes the file worth parsing.
        if !has_word && !bound.references.iter().any(reaches) {
            return Ok(());
        }
        let found = syntax::occurrences(language, text, wanted.name, &self.budget);
        let Some(found) = found else {
            return Err(Error::cancelled());
        };
        let symbols = self.read.symbols_of(file.id)?;
        let may_name = wanted.home.is_none_or(|home| {
            may_name(&file.path, home) && (!wanted.is_confined || file.path == *home)
        });
        let imports_ambient = wanted.ambient_module.as_deref().is_some_and(|module| {
            let mut imports = found.facts.imports.iter();
            imports.any(|it| it.specifier == module)
        });
        let mut places: Vec<(u32, u32, OccurrenceMeaning, bool)> = Vec::new();
        for place in &found.places {
            // `retries` of `{ retries }` is the variable and the key.
            let mut at_place = found.uses.iter().filter(|it| it.0 == place.start_byte);
            let reaching =
                at_place.find(|it| bound.references.get(it.2 as usize).is_some_and(reaches));
            let role = reaching.map_or(place.role, |it| OccurrenceRole::Use {
                reference: it.2,
                kind: it.3,
            });
            let meaning = meaning_of(role, &bound, wanted);
            let is_own = wanted.named_at.contains(&(file.path.as_str(), place.line));
            let meaning = match meaning {
                _ if bound.is_text => OccurrenceMeaning::Prose,
                _ if !wanted.is_word && is_of_any_name(place.role) => match may_name {
                    _ if is_own => OccurrenceMeaning::OwnDefinition,
                    true => OccurrenceMeaning::Unbound,
                    false => meaning,
                },
                OccurrenceMeaning::Unbound | OccurrenceMeaning::Dangling if !may_name => {
                    OccurrenceMeaning::OtherTarget
                }
                OccurrenceMeaning::Unbound
                    if !wanted.has_form(&file.path, text, place.start_byte as usize) =>
                {
                    OccurrenceMeaning::OtherTarget
                }
                OccurrenceMeaning::Unbound
                    if matches!(place.role, OccurrenceRole::Import { .. })
                        && !wanted.may_be_imported(&file.path, text, place.start_byte as usize) =>
                {
                    OccurrenceMeaning::OtherTarget
                }
                // The package is not here, and its declaration is.
                OccurrenceMeaning::External if imports_ambient => OccurrenceMeaning::Unbound,
                OccurrenceMeaning::OtherDefinition if is_own => OccurrenceMeaning::OwnDefinition,
                OccurrenceMeaning::Use(UseKind::Reference, _)
                    if is_own
                        && is_assigned(text, place.start_byte as usize + wanted.name.len()) =>
                {
                    OccurrenceMeaning::OwnDefinition
                }
                meaning => meaning,
            };
            places.push((place.start_byte, place.line, meaning, false));
        }
        places.extend(aliases(&found, &bound, wanted));
        places.sort_by_key(|(start, ..)| *start);
        for (start, line, meaning, is_alias) in places {
            let within = innermost(&symbols, start);
            // A definition that calls the one it overrides does not run itself.
            let is_own = within.is_some_and(|it| wanted.targets.contains(&(file.id, it.ordinal)));
            let meaning = match meaning {
                OccurrenceMeaning::Use(_, Provenance::Dispatch) if is_own => {
                    OccurrenceMeaning::OtherTarget
                }
                meaning => meaning,
            };
            all.push(NameOccurrence {
                path: file.path.clone(),
                line,
                text: line_text_at(text, start as usize),
                within: within.map(|symbol| symbol.qualified_name.clone()),
                meaning,
                is_alias,
                is_in_code: language.is_code,
                is_of_receiver: is_of_receiver(text, start as usize),
            });
        }
        Ok(())
    }
}

/// Whether a word that is no identifier may name a definition by its role: in quotes, as a part of markup.
fn is_of_any_name(role: OccurrenceRole) -> bool {
    matches!(
        role,
        OccurrenceRole::Text
            | OccurrenceRole::Key
            | OccurrenceRole::OtherName
            | OccurrenceRole::Unknown
    )
}

/// Returns the module that a symbol is declared in: `x` of `declare module 'x' { … }`.
fn ambient_module(symbols: &[SymbolRow], member: &SymbolRow) -> Option<String> {
    let mut around = symbols.iter().filter(|it| {
        let is_around = it.kind == SymbolKind::Namespace && it.span.contains(&member.span);
        is_around && it.signature.contains(['"', '\''])
    });
    around.next().map(|it| it.name.clone())
}

/// Whether a name stands alone or behind `this->`.
fn is_of_receiver(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end();
    before.ends_with("this->") || !before.ends_with(['.', ':']) && !before.ends_with("->")
}

/// Returns the uses of the targets by other names than their own: `b()` after `import { a as b }`.
fn aliases(
    found: &Occurrences,
    bound: &FileMeanings,
    wanted: &OccurrenceTarget<'_>,
) -> Vec<(u32, u32, OccurrenceMeaning, bool)> {
    let named: HashSet<u32> = found.places.iter().map(|place| place.start_byte).collect();
    let mut all = Vec::new();
    for (start, line, reference, kind) in &found.uses {
        let meaning = bound.references.get(*reference as usize);
        if let Some(Meaning::Definition(definition, provenance)) = meaning
            && !named.contains(start)
            && let Some(meaning) = wanted.used(*definition, *kind, *provenance)
        {
            all.push((*start, *line, meaning, true));
        }
    }
    all
}

/// Classifies one place by its relation to the targets.
fn meaning_of(
    role: OccurrenceRole,
    bound: &FileMeanings,
    wanted: &OccurrenceTarget<'_>,
) -> OccurrenceMeaning {
    let sorted =
        |meaning: Option<&Meaning>, own: &dyn Fn(Provenance) -> OccurrenceMeaning| match meaning {
            Some(Meaning::Definition(definition, provenance)) => {
                if wanted.targets.contains(definition) || wanted.imported.contains(definition) {
                    own(*provenance)
                } else {
                    OccurrenceMeaning::OtherTarget
                }
            }
            Some(Meaning::Module(_) | Meaning::NoDefinition) => OccurrenceMeaning::OtherTarget,
            Some(Meaning::Text) => OccurrenceMeaning::Text,
            Some(Meaning::External | Meaning::Inherited) => OccurrenceMeaning::External,
            Some(Meaning::Dangling(_)) => OccurrenceMeaning::Dangling,
            Some(Meaning::KeywordArgument) if !wanted.is_member => OccurrenceMeaning::OtherTarget,
            Some(Meaning::KeywordArgument | Meaning::Unbound) | None => OccurrenceMeaning::Unbound,
        };
    match role {
        OccurrenceRole::Use { reference, kind } => {
            let meaning = bound.references.get(reference as usize);
            if let Some(Meaning::Definition(definition, provenance)) = meaning {
                let meaning = wanted.used(*definition, kind, *provenance);
                return meaning.unwrap_or(OccurrenceMeaning::OtherTarget);
            }
            if let Some(members) = bound.of_union.get(&reference) {
                let mut used = members
                    .iter()
                    .filter_map(|it| wanted.used(*it, kind, Provenance::Dispatch));
                return used.next().unwrap_or(OccurrenceMeaning::OtherTarget);
            }
            sorted(meaning, &|provenance| {
                OccurrenceMeaning::Use(kind, provenance)
            })
        }
        OccurrenceRole::Import { import, name } => {
            let names = bound.imports.get(import as usize);
            let meaning = names.and_then(|names| names.get(name as usize));
            sorted(meaning, &|_| OccurrenceMeaning::Import)
        }
        OccurrenceRole::Export { export } => {
            let meaning = bound.exports.get(export as usize);
            sorted(meaning, &|_| OccurrenceMeaning::ReExport)
        }
        OccurrenceRole::Definition => OccurrenceMeaning::OtherDefinition,
        OccurrenceRole::Key if wanted.is_member => OccurrenceMeaning::Unbound,
        OccurrenceRole::Key
        | OccurrenceRole::Local
        | OccurrenceRole::Unbound(_)
        | OccurrenceRole::OtherName => OccurrenceMeaning::OtherTarget,
        OccurrenceRole::Global(kind) => sorted(bound.auto_imported.as_ref(), &|provenance| {
            OccurrenceMeaning::Use(kind, provenance)
        }),
        OccurrenceRole::Unknown => OccurrenceMeaning::Unbound,
        OccurrenceRole::Comment => OccurrenceMeaning::Comment,
        OccurrenceRole::Text => OccurrenceMeaning::Text,
        OccurrenceRole::Prose => OccurrenceMeaning::Prose,
    }
}

/// Whether the name that ends at a byte is assigned to: `open` in `exports.open = …`, which defines it.
fn is_assigned(text: &str, end: usize) -> bool {
    let behind = text.get(end..).unwrap_or_default().trim_start();
    let is_comparison = behind.starts_with("==") || behind.starts_with("=>");
    behind.starts_with('=') && !is_comparison
}

/// Returns each occurrence of a word, in order: its first byte and its line (from 1).
pub(super) fn lines_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = (u32, u32)> + 't {
    let (mut line, mut counted) = (1_u32, 0_usize);
    syntax::starts(text, word).map(move |start| {
        let newlines = text[counted..start as usize].matches('\n').count();
        line += u32::try_from(newlines).unwrap_or(u32::MAX);
        counted = start as usize;
        (start, line)
    })
}

/// Returns the innermost definition around a byte.
pub fn innermost(symbols: &[SymbolRow], at: u32) -> Option<&SymbolRow> {
    let holds = |span: &Span| span.start_byte <= at && at < span.end_byte;
    let around = symbols.iter().filter(|symbol| holds(&symbol.span));
    around.min_by_key(|symbol| symbol.span.end_byte - symbol.span.start_byte)
}

/// Returns the line around a byte without its indentation; where it is too long, the part around the byte.
pub(super) fn line_text_at(text: &str, at: usize) -> String {
    let from = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let to = text[at..]
        .find('\n')
        .map_or(text.len(), |newline| at + newline);
    if to - from <= MAX_LINE_BYTES {
        return brief_line(&text[from..to]);
    }
    let begin = at.saturating_sub(MAX_LINE_BYTES / 2).max(from);
    let begin = (begin..=at).find(|at| text.is_char_boundary(*at));
    brief_line(&text[begin.unwrap_or(at)..to])
}

/// Returns the beginning of a line, without its indentation.
fn brief_line(line: &str) -> String {
    let line = line.trim();
    let end = line.len().min(MAX_LINE_BYTES);
    let end = (0..=end).rev().find(|at| line.is_char_boundary(*at));
    line[..end.unwrap_or(0)].to_owned()
}

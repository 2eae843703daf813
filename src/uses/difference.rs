//! Definitions that differ between two states of some files, from the text of both.
//!
//! `graph::changes` compares; the uses that a change breaks are found in `broken`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::RemovedDefinition;
use super::changed_file::{ChangedFile, FileSide};
use super::declarators::{OwnTexts, n_bytes_before, own_texts};
use super::primary_constructors::leave_out_other_forms;
use super::syntax_errors::take_hidden;
use super::unfollowed_files::UnfollowedFiles;
use crate::error::{Error, Result};
use crate::graph::changes::{ChangeKind, DefinitionVersion, compare, is_cut};
use crate::ir::{ExportKind, FileFacts};
use crate::model::indexing_rules::is_minified;
use crate::model::{
    Analysis, Budget, ContentId, Family, RepoPath, Symbol, SymbolFlags, SymbolKind,
};
use crate::store::Read;
use crate::syntax::{self, Heads};

/// Changed files whose definitions are compared.
const MAX_FILES: usize = 5_000;

/// A file that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePair {
    /// Its text as it would be indexed; `None` where it is not there.
    pub old: Option<Arc<str>>,
    /// Its text in the new state.
    pub new: Option<Arc<str>>,
}

impl FilePair {
    /// Whether definitions are looked for in both states: not in documents, nor in minified code, of which an index has none.
    /// Costs a pass over the texts.
    pub fn has_definitions(&self, path: &RepoPath) -> bool {
        let is_code = syntax::by_path(path).analysis() != Analysis::Text;
        let mut texts = [&self.old, &self.new].into_iter().flatten();
        is_code && !texts.any(|text| is_minified(text.as_bytes()))
    }
}

/// Indexes of the two states, whose facts need not be extracted again.
pub struct IndexedStates<'k> {
    /// That of the old state.
    pub old: Option<&'k Read<'k>>,
    /// That of the new state.
    pub new: Option<&'k Read<'k>>,
    /// Returns the bytes of a file in the old (`true`) or the new state. Rows of others are not used.
    pub content: &'k dyn Fn(&RepoPath, bool) -> Option<ContentId>,
}

impl IndexedStates<'_> {
    /// Returns the facts of one state of a file; `None` where they have to be extracted.
    fn facts(&self, path: &RepoPath, is_old: bool) -> Result<Option<FileFacts>> {
        let read = if is_old { self.old } else { self.new };
        let (Some(read), Some(content)) = (read, (self.content)(path, is_old)) else {
            return Ok(None);
        };
        let row = read.file(path.as_str())?;
        // Of a file that was not analysed as a whole the index has less.
        let row = row.filter(|row| row.content == content && row.skip.is_none());
        // Facts of another version are not those that the other state has.
        let row = row.filter(|row| row.facts_version == syntax::row_version(path));
        let Some(row) = row else {
            return Ok(None);
        };
        if read.exported_names(row.id)?.is_none() {
            // Nothing is in it.
            return Ok(Some(FileFacts::default()));
        }
        Ok(read.facts_with_places(row.id)?)
    }
}

/// A definition in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionPlace {
    /// Its file, an index into [`Difference::files`].
    pub file: usize,
    /// Its declarations, as indexes into the file's symbols: several where it is overloaded.
    pub symbols: Vec<u32>,
}

/// A definition that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolChange {
    /// The kind of change: added, removed, another signature.
    pub kind: ChangeKind,
    /// As it was; `None` where it was added.
    pub old: Option<DefinitionPlace>,
    /// As it is; `None` where it was removed.
    pub new: Option<DefinitionPlace>,
    /// Of one that was moved or renamed, the share of tokens that both have, in percent.
    pub alike_percent: usize,
}

/// A name that a file passes on from another module, and did not before, or no longer does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReExport {
    /// The file, an index into [`Difference::files`].
    pub file: usize,
    /// The name that it offers; `*` for all of the other module.
    pub name: String,
    /// The other module, as written.
    pub specifier: String,
    /// Whether it is new.
    pub is_added: bool,
    /// Its line, in the state that has it.
    pub line: u32,
}

/// The definitions that differ between two states.
#[derive(Debug, Default)]
pub struct Difference {
    /// The files that differ and are analysed, by path.
    pub files: Vec<ChangedFile>,
    /// The definitions, by file and line: those that are gone by their old place.
    pub changes: Vec<SymbolChange>,
    /// The re-exports that came or went, by file.
    pub re_exports: Vec<ReExport>,
    /// Of each definition that may be there without being found, its file, an index into [`Self::files`]: syntax errors hide it.
    pub(super) hidden: Vec<usize>,
    /// Whether there were more files than are compared.
    pub is_cut: bool,
}

impl Difference {
    /// Compares files, which are sorted by path. Costs the extraction of the states whose facts are not known, about 0.3 s a
    /// megabyte, on two threads.
    pub fn of(
        files: Vec<(RepoPath, FilePair)>,
        indexed: Option<&IndexedStates<'_>>,
        budget: &Budget,
    ) -> Result<Self> {
        let mut files: Vec<(RepoPath, FilePair)> = files
            .into_iter()
            .filter(|(path, texts)| texts.old != texts.new && texts.has_definitions(path))
            .collect();
        let is_cut = files.len() > MAX_FILES;
        files.truncate(MAX_FILES);
        let mut unread = Vec::with_capacity(files.len());
        for (path, texts) in files {
            let known = |text: &Option<Arc<str>>, is_old: bool| match (text, indexed) {
                (Some(_), Some(indexed)) => indexed.facts(&path, is_old),
                _ => Ok(None),
            };
            let facts = (known(&texts.old, true)?, known(&texts.new, false)?);
            unread.push((path, texts, facts));
        }
        let is_unknown =
            |text: &Option<Arc<str>>, facts: &Option<FileFacts>| text.is_some() && facts.is_none();
        let n_extracted: usize = unread
            .iter()
            .map(|(_, texts, (old, new))| {
                usize::from(is_unknown(&texts.old, old)) + usize::from(is_unknown(&texts.new, new))
            })
            .sum();
        tracing::debug!(n_files = unread.len(), n_extracted, "compared");
        // What is to be extracted is shared out evenly.
        unread.sort_by_key(|(.., (old, new))| old.is_some() && new.is_some());
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (at, one) in unread.into_iter().enumerate() {
            if at % 2 == 0 { &mut first } else { &mut second }.push(one);
        }
        let read = |files: Vec<UnreadFile>| -> Result<Vec<ChangedFile>> {
            let each = files.into_iter().map(|(path, texts, (old, new))| {
                let old = side_of(&path, texts.old, old, budget)?;
                let new = side_of(&path, texts.new, new, budget)?;
                Ok(ChangedFile::of(path, old, new, budget))
            });
            each.collect()
        };
        let (first, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| read(second));
            let first = read(first);
            let second = second.join();
            (
                first,
                second.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        });
        let mut files = first?;
        files.extend(second?);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self {
            is_cut,
            ..Self::between(files, budget)
        })
    }

    /// Compares the two states of files, which are sorted by path.
    pub(super) fn between(files: Vec<ChangedFile>, budget: &Budget) -> Self {
        let mut changes = changes(&files, budget);
        let hidden = take_hidden(&files, &mut changes);
        let re_exports = re_exports(&files);
        Self {
            files,
            changes,
            re_exports,
            hidden,
            is_cut: false,
        }
    }

    /// Returns the file and the first declaration of a definition as it was.
    pub fn old(&self, change: &SymbolChange) -> Option<(&ChangedFile, &Symbol)> {
        let place = change.old.as_ref()?;
        let file = &self.files[place.file];
        Some((file, &file.old.facts.symbols[place.symbols[0] as usize]))
    }

    /// Returns the file and the first declaration of a definition as it is.
    pub fn new_of(&self, change: &SymbolChange) -> Option<(&ChangedFile, &Symbol)> {
        let place = change.new.as_ref()?;
        let file = &self.files[place.file];
        Some((file, &file.new.facts.symbols[place.symbols[0] as usize]))
    }

    /// Returns the changes, as indexes, of declarations without code whose definition changed alike: the prototype of a function of C
    /// and the function are one definition.
    pub fn declared_elsewhere(&self) -> HashSet<usize> {
        let is_declared = |change: &SymbolChange| {
            let (old, new) = (self.old(change), self.new_of(change));
            let symbols = old.into_iter().chain(new).map(|it| it.1);
            let mut flags = symbols.map(|it| it.flags);
            flags.all(|it| it.contains(SymbolFlags::DECLARATION_ONLY))
        };
        let key = |change: &SymbolChange| {
            let name =
                |side: Option<(&ChangedFile, &Symbol)>| side.map(|it| it.1.qualified_name.clone());
            (
                change.kind,
                name(self.old(change)),
                name(self.new_of(change)),
            )
        };
        let all = || self.changes.iter().enumerate();
        let defined: BTreeSet<_> = all()
            .filter(|(_, it)| !is_declared(it))
            .map(|(_, it)| key(it))
            .collect();
        all()
            .filter(|(_, it)| is_declared(it) && defined.contains(&key(it)))
            .map(|(at, _)| at)
            .collect()
    }

    /// Returns the name of a definition that was moved or renamed, as it was and as it is: with its namespaces where nothing else differs.
    pub fn names(&self, change: &SymbolChange) -> Option<(String, String)> {
        let ((old_file, old), (new_file, new)) = (self.old(change)?, self.new_of(change)?);
        let names = (old.qualified_name.clone(), new.qualified_name.clone());
        if old_file.path != new_file.path || names.0 != names.1 {
            return Some(names);
        }
        let named = |namespace: &str, name: String| match namespace {
            "" => name,
            around => format!("{around}.{name}"),
        };
        let (before, now) = (
            old_file.old.namespace_of(old),
            new_file.new.namespace_of(new),
        );
        if before == now {
            return Some(names);
        }
        Some((named(before, names.0), named(now, names.1)))
    }

    /// Whether a definition was a member of a type, declared in it or outside of it: `open` of `impl Store { fn open(&self) {} }`.
    pub(super) fn was_member(&self, change: &SymbolChange) -> bool {
        let Some(place) = &change.old else {
            return false;
        };
        let file = &self.files[place.file];
        let (facts, symbol) = (&file.old.facts, place.symbols[0]);
        let is_of_svelte = file.path.extension() == Some("svelte");
        let mut owners = facts.owners.iter();
        facts.symbols[symbol as usize].parent.is_some()
            || owners.any(|it| it.symbol == symbol)
            || is_of_svelte && facts.is_of_instance(symbol)
    }

    /// Whether the uses of a definition that changed are not bound: its language is outlined only.
    pub fn is_outlined(&self, change: &SymbolChange) -> bool {
        let place = change.old.as_ref().or(change.new.as_ref());
        place.is_some_and(|place| {
            let path = &self.files[place.file].path;
            syntax::by_path(path).analysis() == Analysis::Outline
        })
    }

    /// Returns the definitions that are gone and whose uses are bound.
    pub fn gone(&self) -> impl Iterator<Item = &SymbolChange> {
        let all = self.changes.iter();
        all.filter(|change| change.is_gone() && !self.is_outlined(change))
    }

    /// Returns the changed file at a path, with its place.
    pub fn file(&self, path: &RepoPath) -> Option<(usize, &ChangedFile)> {
        let at = self
            .files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()?;
        Some((at, &self.files[at]))
    }
}

impl SymbolChange {
    /// Whether uses of the definition as it was mean nothing now.
    pub fn is_gone(&self) -> bool {
        matches!(
            self.kind,
            ChangeKind::Removed | ChangeKind::Moved | ChangeKind::Renamed | ChangeKind::Unexported
        )
    }
}

/// A file with both texts and the facts that are known.
type UnreadFile = (RepoPath, FilePair, (Option<FileFacts>, Option<FileFacts>));

/// Extracts one state of a file.
pub(super) fn side(path: &RepoPath, text: Option<Arc<str>>, budget: &Budget) -> Result<FileSide> {
    side_of(path, text, None, budget)
}

fn side_of(
    path: &RepoPath,
    text: Option<Arc<str>>,
    known: Option<FileFacts>,
    budget: &Budget,
) -> Result<FileSide> {
    let Some(text) = text else {
        return Ok(FileSide::default());
    };
    let facts = if let Some(facts) = known {
        facts
    } else {
        let extracted = syntax::extract(syntax::by_path(path), &text, true, budget);
        extracted.ok_or_else(Error::cancelled)?.facts
    };
    Ok(FileSide {
        facts,
        text,
        is_there: true,
        code: None,
    })
}

fn changes(files: &[ChangedFile], budget: &Budget) -> Vec<SymbolChange> {
    let (mut old, mut old_at) = (Vec::new(), Vec::new());
    let (mut new, mut new_at) = (Vec::new(), Vec::new());
    let (own_old, own_new) = (own_texts(files, true), own_texts(files, false));
    for at in 0..files.len() {
        versions(files, (at, true), &own_old, &mut old, &mut old_at);
        versions(files, (at, false), &own_new, &mut new, &mut new_at);
    }
    add_heads(files, (&mut old, &old_at), (&mut new, &new_at), budget);
    // All declarations of the name that the one at a place has: overloads are one definition.
    let place = |all: &[DefinitionVersion<'_>], places: &[(usize, u32)], at: usize| {
        let (file, _) = places[at];
        let of_file = all[..=at].iter().rposition(|one| one.path != all[at].path);
        let first = of_file.map_or(0, |before| before + 1);
        let declarations = all[first..].iter().zip(&places[first..]);
        let same = declarations
            .take_while(|(one, _)| one.path == all[at].path)
            .filter(|(one, _)| {
                one.qualified_name == all[at].qualified_name
                    && one.namespace == all[at].namespace
                    && one.is_told_by_call() == all[at].is_told_by_call()
            });
        DefinitionPlace {
            file,
            symbols: same.map(|(_, (_, symbol))| *symbol).collect(),
        }
    };
    let mut all: Vec<SymbolChange> = compare(&old, &new)
        .into_iter()
        .map(|change| SymbolChange {
            kind: change.kind,
            old: change.old.map(|at| place(&old, &old_at, at)),
            new: change.new.map(|at| place(&new, &new_at, at)),
            alike_percent: change.alike_percent,
        })
        .collect();
    leave_out_other_forms(files, &mut all);
    all.sort_by_key(|change| {
        let place = change.old.as_ref().or(change.new.as_ref());
        let place = place.map(|it| (it.file, it.symbols[0]));
        (place, change.old.is_none())
    });
    all
}

fn versions<'a>(
    files: &'a [ChangedFile],
    (file, is_old): (usize, bool),
    own: &'a OwnTexts,
    all: &mut Vec<DefinitionVersion<'a>>,
    places: &mut Vec<(usize, u32)>,
) {
    let ChangedFile { path, old, new } = &files[file];
    let side = if is_old { old } else { new };
    let first = all.len();
    let mut exports = side.facts.exports.iter();
    let default = exports.find(|it| it.name == "default" && it.specifier.is_empty());
    let default = default.map(|it| it.local.as_str());
    for (ordinal, symbol) in side.facts.symbols.iter().enumerate() {
        let (from, to) = (
            symbol.span.start_byte as usize,
            symbol.span.end_byte as usize,
        );
        let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
        let own_text = own.get(&(file, ordinal)).map(String::as_str);
        let is_whole = |text: &&str| n_bytes_before(side.facts.family, text, symbol).is_none();
        let signature = own_text.filter(is_whole);
        let signature = signature.map(|it| it.trim_end_matches(';'));
        all.push(DefinitionVersion {
            path,
            name: &symbol.name,
            qualified_name: &symbol.qualified_name,
            namespace: side.namespace_of(symbol),
            kind: symbol.kind,
            // Members come and go with what they are members of.
            exported: symbol.exported || symbol.parent.is_some(),
            is_default: symbol.parent.is_none() && default == Some(symbol.name.as_str()),
            signature: signature.unwrap_or(&symbol.signature),
            head: None,
            text: own_text.unwrap_or_else(|| side.code().get(from..to).unwrap_or_default()),
            members: Vec::new(),
        });
        places.push((file, ordinal));
        if let Some(parent) = symbol.parent {
            let around = &side.facts.symbols[parent as usize];
            let outer = &around.span;
            let n_before = match own.get(&(file, parent)) {
                Some(own_text) => n_bytes_before(side.facts.family, own_text, around),
                None => Some(0),
            };
            if let Some(n_before) = n_before
                && outer.contains(&symbol.span)
                && outer != &symbol.span
            {
                let start = outer.start_byte as usize;
                let members = &mut all[first + parent as usize].members;
                members.push(from - start + n_before..to - start + n_before);
            }
        }
    }
    for one in &mut all[first..] {
        one.members.sort_by_key(|it| (it.start, it.end));
    }
}

/// Versions with their places: file and symbol.
type PlacedVersions<'v, 'a> = (&'v mut Vec<DefinitionVersion<'a>>, &'v [(usize, u32)]);

/// Adds the whole heads of definitions whose signatures are cut in one state or the other: facts keep the first bytes.
fn add_heads<'a>(
    files: &'a [ChangedFile],
    (old, old_at): PlacedVersions<'_, 'a>,
    (new, new_at): PlacedVersions<'_, 'a>,
    budget: &Budget,
) {
    let mut cut: HashSet<(usize, &str)> = HashSet::new();
    let mut texts: HashMap<(usize, &str), [Vec<&str>; 2]> = HashMap::new();
    for (is_old, all, places) in [(true, &*old, old_at), (false, &*new, new_at)] {
        for (one, (file, _)) in all.iter().zip(places) {
            let key = (*file, one.qualified_name);
            if is_partial(one.signature, one.kind) {
                cut.insert(key);
            }
            texts.entry(key).or_default()[usize::from(is_old)].push(one.text);
        }
    }
    // Heads tell how definitions differ that both states have.
    cut.retain(|key| {
        let [new, old] = &texts[key];
        !new.is_empty() && !old.is_empty() && new != old
    });
    for (is_old, all, places) in [(true, old, old_at), (false, new, new_at)] {
        let mut of_file: Option<(usize, Option<Heads>)> = None;
        for (one, (at, symbol)) in all.iter_mut().zip(places) {
            if !cut.contains(&(*at, one.qualified_name)) {
                continue;
            }
            let file = &files[*at];
            let side = if is_old { &file.old } else { &file.new };
            if of_file.as_ref().is_none_or(|(known, _)| known != at) {
                let language = syntax::by_path(&file.path);
                of_file = Some((*at, Heads::of(language, &side.text, budget)));
            }
            let heads = of_file.as_ref().and_then(|(_, heads)| heads.as_ref());
            let span = &side.facts.symbols[*symbol as usize].span;
            let end = heads.and_then(|heads| heads.end(span));
            one.head = end.and_then(|end| side.code().get(span.start_byte as usize..end as usize));
        }
    }
}

/// Whether a signature shows less or more than the head of its definition: it is cut, or has a comment, whose end is seen in the text alone.
pub(super) fn is_partial(signature: &str, kind: SymbolKind) -> bool {
    let marks = ["//", "/*", "#"];
    is_cut(signature, kind) || marks.iter().any(|it| signature.contains(it))
}

fn re_exports(files: &[ChangedFile]) -> Vec<ReExport> {
    let mut all = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let lists = [&file.old, &file.new].map(|side| {
            // An include of C takes names in, and nobody calls that a re-export.
            let passes_on = side.facts.family != Family::C;
            let exports = side.facts.exports.iter().filter(|export| {
                passes_on
                    && matches!(
                        export.kind,
                        ExportKind::From | ExportKind::Star | ExportKind::Namespace
                    )
            });
            let row = |export: &crate::ir::Export| {
                let key = (export.name.clone(), export.specifier.clone());
                (key, export.line)
            };
            exports
                .map(row)
                .collect::<std::collections::BTreeMap<_, _>>()
        });
        // A module that came or went as a whole does not pass names on in its own right.
        if !file.old.is_there || !file.new.is_there {
            continue;
        }
        // One that a syntax error hides.
        let may_be_there = |is_added: bool, specifier: &str| {
            let other = if is_added { &file.old } else { &file.new };
            other.facts.has_errors && other.code().contains(specifier)
        };
        for (is_added, (one, other)) in [
            (false, (&lists[0], &lists[1])),
            (true, (&lists[1], &lists[0])),
        ] {
            for ((name, specifier), line) in one {
                let is_kept = other.contains_key(&(name.clone(), specifier.clone()));
                // From another module under the same name: it is offered as before.
                let is_redirected = name != "*" && other.keys().any(|(it, _)| it == name);
                if !is_kept && !is_redirected && !may_be_there(is_added, specifier) {
                    all.push(ReExport {
                        file: at,
                        name: name.clone(),
                        specifier: specifier.clone(),
                        is_added,
                        line: *line,
                    });
                }
            }
        }
    }
    all
}

impl RemovedDefinition {
    /// Returns a definition that is gone, without its uses.
    pub(super) fn of(difference: &Difference, change: &SymbolChange) -> Option<Self> {
        let (file, symbol) = difference.old(change)?;
        let now = difference.new_of(change).zip(difference.names(change));
        Some(Self {
            path: file.path.clone(),
            qualified_name: symbol.qualified_name.clone(),
            kind: symbol.kind,
            line: symbol.name_line,
            change: change.kind,
            now: now.map(|((file, it), names)| (file.path.clone(), names.1, it.name_line)),
            uses: Vec::new(),
            n_unresolved: 0,
            unresolved_at: Vec::new(),
            unfollowed: UnfollowedFiles::default(),
        })
    }

    /// Returns the members that went with a type, without their uses.
    pub(super) fn members(&self, difference: &Difference, change: &SymbolChange) -> Vec<Self> {
        let place = change.old.as_ref();
        let place = place.filter(|_| change.kind == ChangeKind::Removed && self.kind.is_type());
        let Some(place) = place else {
            return Vec::new();
        };
        let inside = format!("{}.", self.qualified_name);
        let all = difference.files[place.file].old.facts.symbols.iter();
        let members = all.filter(|it| it.qualified_name.starts_with(&inside));
        let members = members.map(|it| Self {
            path: self.path.clone(),
            qualified_name: it.qualified_name.clone(),
            kind: it.kind,
            line: it.name_line,
            change: change.kind,
            now: None,
            uses: Vec::new(),
            n_unresolved: 0,
            unresolved_at: Vec::new(),
            unfollowed: UnfollowedFiles::default(),
        });
        members.collect()
    }
}

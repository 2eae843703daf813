//! Every definition and every bound use of one file, with their places: what an index for other tools is made of.
//!
//! An edge stands for all uses of one definition in another; here each has its own range. Unbound uses and local names are
//! left out.

use std::collections::HashSet;

use super::Uses;
use crate::error::{Error, Result};
use crate::ir::{FileFacts, Reference, ReferenceKind, Target};
use crate::link::name_binder::{DefinitionId, FileMeanings, Meaning};
use crate::model::{Family, FileId, LineStarts, SkipReason, Symbol, SymbolKind};
use crate::store::FileSummary;
use crate::syntax::{self, OccurrenceRole, Occurrences, UseKind};

/// The definitions and bound uses of one file.
#[derive(Clone, Debug)]
pub struct FileUses {
    /// The lines of the text that all places are of.
    pub lines: LineStarts,
    /// Its definitions, in the order of their first byte, as the rows of the index count them.
    pub symbols: Vec<Symbol>,
    /// The name of each definition; where the text does not show it (`default`), its first byte and nothing more.
    pub names: Vec<ByteRange>,
    /// Its uses that are bound, in source order.
    pub uses: Vec<PlacedUse>,
}

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A name that stands for something of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlacedUse {
    /// The name.
    pub place: ByteRange,
    /// Its meaning.
    pub target: UseTarget,
    /// The part that it plays.
    pub role: UseRole,
}

/// The part that a use plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UseRole {
    /// In the list of an import, or the module that it names.
    Import,
    /// A class of which an instance is made: `new Store()`.
    Instance,
    /// Any other.
    Other,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UseTarget {
    /// A definition.
    Definition(DefinitionId),
    /// A file as a module.
    File(FileId),
}

impl Uses<'_> {
    /// Reads one file and binds all names in it; `None` where it differs from the index now, or holds no definitions by its
    /// nature (a document, minified code). Costs its extraction and linking, some 0.5 s a megabyte.
    ///
    /// # Errors
    /// `cancelled`, and those of an index that can't be read.
    pub fn file_uses(&self, file: &FileSummary) -> Result<Option<FileUses>> {
        let language = syntax::by_id(&file.language).filter(|language| language.is_code);
        let (Some(language), None) = (
            language,
            file.skip.filter(|it| *it != SkipReason::Generated),
        ) else {
            return Ok(None);
        };
        let Some(text) = self.sources.read(&file.path, file.content) else {
            return Ok(None);
        };
        let binder = self.binder();
        let bound = binder.of_file(file.id)?;
        let Some(known) = binder.facts(file.id) else {
            return Ok(None);
        };
        let words = words_of(&known);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some(found) = syntax::occurrences_of(language, &text, &words, &self.budget) else {
            return Err(Error::cancelled());
        };
        let names = found
            .facts
            .symbols
            .iter()
            .map(|symbol| name_of(symbol, &text, &words, &found));
        let names: Vec<ByteRange> = names.collect();
        let names_of: HashSet<ByteRange> = names.iter().copied().collect();
        let mut uses = uses_of(&text, &words, &found, &bound, &names_of);
        let lines = LineStarts::of(&text);
        uses.extend(self.modules(file.id, (&text, &lines), &known)?);
        uses.retain(|used| used.role == UseRole::Import || !names_of.contains(&used.place));
        uses.sort_unstable();
        uses.dedup();
        Ok(Some(FileUses {
            names,
            uses,
            symbols: found.facts.symbols,
            lines,
        }))
    }

    /// Returns the modules that the imports of a file name, where each is a file here: `'./store'` with its quotes.
    fn modules(
        &self,
        file: FileId,
        (text, lines): (&str, &LineStarts),
        facts: &FileFacts,
    ) -> Result<Vec<PlacedUse>> {
        let mut modules = Vec::new();
        for (import, target) in facts.imports.iter().zip(self.read.import_targets(file)?) {
            let line = import.line.saturating_sub(1) as usize;
            let (Some(target), Some(start)) = (target.filter(|it| it.row() > 0), lines.start(line))
            else {
                continue;
            };
            let line = text.get(start as usize..).unwrap_or_default();
            let line = line.lines().next().unwrap_or_default();
            let Some(at) = line
                .find(&import.specifier)
                .filter(|_| !import.specifier.is_empty())
            else {
                continue;
            };
            let [start, end] = [at, at + import.specifier.len()]
                .map(|at| start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)));
            modules.push(PlacedUse {
                place: quoted(text, ByteRange { start, end }),
                target: UseTarget::File(target.file()),
                role: UseRole::Import,
            });
        }
        Ok(modules)
    }

    /// Returns the classes, interfaces and traits that the definitions of a file extend or implement: the place of the
    /// definition among those of the file, and the base.
    ///
    /// # Errors
    /// Those of an index that can't be read.
    pub fn bases_of(&self, file: FileId) -> Result<Vec<(u32, DefinitionId)>> {
        let binder = self.binder();
        let Some(facts) = binder.facts(file) else {
            return Ok(Vec::new());
        };
        let is_base = |at: usize| facts.references[at].kind == ReferenceKind::Heritage;
        if !(0..facts.references.len()).any(is_base) {
            return Ok(Vec::new());
        }
        let bound = binder.of_names(file, is_base)?;
        let mut bases = Vec::new();
        for (reference, meaning) in facts.references.iter().zip(&bound.references) {
            if reference.kind == ReferenceKind::Heritage
                && let (Some(of), Some(base)) = (reference.symbol, meaning.definition())
                && has_members(&facts, of)
            {
                bases.push((of, base));
            }
        }
        bases.sort_unstable();
        bases.dedup();
        Ok(bases)
    }
}

fn has_members(facts: &FileFacts, symbol: u32) -> bool {
    let symbol = facts.symbols.get(symbol as usize);
    symbol.is_some_and(|symbol| {
        matches!(
            symbol.kind,
            SymbolKind::Class | SymbolKind::Interface | SymbolKind::Enum | SymbolKind::Type
        )
    })
}

/// The names of a file's definitions, those in the lists of its imports and exports, and those that may be local, each once.
fn words_of(facts: &FileFacts) -> Vec<String> {
    let mut words: Vec<String> = facts.symbols.iter().map(|it| it.name.clone()).collect();
    for name in facts.imports.iter().flat_map(|import| &import.names) {
        words.push(name.imported.clone());
        words.push(name.local.clone());
    }
    for export in &facts.exports {
        words.push(export.name.clone());
        words.push(export.local.clone());
    }
    let values = facts.references.iter();
    words.extend(values.filter_map(|used| value_of(facts, used).map(str::to_owned)));
    words.retain(|word| word.chars().any(|c| c.is_alphanumeric() || c == '_'));
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether a member stands in a pattern, where it is bound to a local name as well: `const { html } = page`.
fn is_in_pattern(text: &str, start: usize, word: &str) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end();
    let after = text.get(start + word.len()..).unwrap_or_default();
    before.ends_with(['{', ',']) && after.trim_start().starts_with(['}', ',', '='])
}

/// The name of a use that is bound to an expression in its file.
fn value_of<'f>(facts: &'f FileFacts, used: &Reference) -> Option<&'f str> {
    match used.target {
        Target::Value(_) => Some(facts.exprs.name_of(used.name)),
        _ => None,
    }
}

/// Finds the name of a definition on its line.
fn name_of(symbol: &Symbol, text: &str, words: &[&str], found: &Occurrences) -> ByteRange {
    let length = u32::try_from(symbol.name.len()).unwrap_or(u32::MAX);
    let is_inside = |start: u32| (symbol.span.start_byte..symbol.span.end_byte).contains(&start);
    let mut places = found.places.iter().filter(|place| {
        place.line == symbol.name_line
            && words[place.word] == symbol.name
            && is_inside(place.start_byte)
    });
    let first = places.clone().next();
    let named = places
        .find(|place| place.role == OccurrenceRole::Definition)
        .or(first);
    let Some(place) = named else {
        return nameless(symbol, text);
    };
    quoted(
        text,
        ByteRange {
            start: place.start_byte,
            end: place.start_byte.saturating_add(length),
        },
    )
}

/// A name with its quotes, where it stands in quotes: `'aria-label'` as the name of a property.
fn quoted(text: &str, name: ByteRange) -> ByteRange {
    let before = text.get(..name.start as usize);
    let before = before.and_then(|it| it.chars().next_back());
    let after = text.get(name.end as usize..);
    let after = after.and_then(|it| it.chars().next());
    let n_quotes = u32::from(before == after && matches!(before, Some('\'' | '"' | '`')));
    ByteRange {
        start: name.start - n_quotes,
        end: name.end + n_quotes,
    }
}

/// The place of a definition whose name is no word of the text: `default`, `[Symbol.iterator]`.
fn nameless(symbol: &Symbol, text: &str) -> ByteRange {
    let start = symbol.span.start_byte;
    let inside = text.get(start as usize..symbol.span.end_byte as usize);
    let inside = inside.unwrap_or_default();
    let first_line = inside.lines().next().unwrap_or_default();
    let (at, length) = match first_line.find(&symbol.name) {
        Some(at) if !symbol.name.is_empty() => (at, symbol.name.len()),
        _ => (0, 0),
    };
    let at = start.saturating_add(u32::try_from(at).unwrap_or(0));
    ByteRange {
        start: at,
        end: at.saturating_add(u32::try_from(length).unwrap_or(0)),
    }
}

fn uses_of(
    text: &str,
    words: &[&str],
    found: &Occurrences,
    bound: &FileMeanings,
    names: &HashSet<ByteRange>,
) -> Vec<PlacedUse> {
    let mut all = Vec::new();
    if bound.is_text {
        return all;
    }
    // Local names, which a value was bound to, have no definition here: `html` after `const { html } = page`.
    let starts: HashSet<u32> = names.iter().map(|name| name.start).collect();
    let is_script = found.facts.family == Family::Ecmascript;
    let of_locals = found.places.iter().filter(|place| match place.role {
        _ if !is_script => false,
        OccurrenceRole::Definition | OccurrenceRole::Key => !starts.contains(&place.start_byte),
        OccurrenceRole::Use { reference, .. } => {
            let used = found.facts.references.get(reference as usize);
            used.is_some_and(|used| matches!(used.target, Target::Member { .. }))
                && is_in_pattern(text, place.start_byte as usize, words[place.word])
        }
        _ => false,
    });
    let locals: HashSet<&str> = of_locals.map(|place| words[place.word]).collect();
    for (start, _, reference, kind) in &found.uses {
        let Some(used) = found.facts.references.get(*reference as usize) else {
            continue;
        };
        if value_of(&found.facts, used).is_some_and(|name| locals.contains(name)) {
            continue;
        }
        let meaning = bound.references.get(*reference as usize);
        let of_union = bound.of_union.get(reference).into_iter().flatten();
        let of_union = of_union.map(|it| UseTarget::Definition(*it));
        let target = meaning.copied().and_then(target_of);
        for target in target.into_iter().chain(of_union) {
            let name = found.facts.exprs.name_of(used.name);
            let end = start.saturating_add(length_at(text, *start, name));
            all.push(PlacedUse {
                place: ByteRange { start: *start, end },
                target,
                role: match kind {
                    UseKind::New => UseRole::Instance,
                    _ => UseRole::Other,
                },
            });
        }
    }
    for place in &found.places {
        let meaning = match place.role {
            OccurrenceRole::Import { import, name } => {
                let names = bound.imports.get(import as usize);
                names.and_then(|names| names.get(name as usize))
            }
            OccurrenceRole::Export { export } => bound.exports.get(export as usize),
            _ => None,
        };
        if let Some(target) = meaning.copied().and_then(target_of) {
            let length = u32::try_from(words[place.word].len()).unwrap_or(u32::MAX);
            all.push(PlacedUse {
                place: ByteRange {
                    start: place.start_byte,
                    end: place.start_byte.saturating_add(length),
                },
                target,
                role: match place.role {
                    OccurrenceRole::Import { .. } => UseRole::Import,
                    _ => UseRole::Other,
                },
            });
        }
    }
    all
}

fn target_of(meaning: Meaning) -> Option<UseTarget> {
    match meaning {
        Meaning::Definition(definition, _) => Some(UseTarget::Definition(definition)),
        Meaning::Module(module) if module.row() > 0 => Some(UseTarget::File(module.file())),
        _ => None,
    }
}

/// The length of the name that stands at a place: `name`, or another name for the same.
fn length_at(text: &str, start: u32, name: &str) -> u32 {
    let rest = text.get(start as usize..).unwrap_or_default();
    let length = if rest.starts_with(name) {
        name.len()
    } else {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    };
    u32::try_from(length).unwrap_or(u32::MAX)
}

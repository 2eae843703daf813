//! The places in a file where a name occurs as a word, each with the part it plays there.
//!
//! Finds the lines of an edge again, which the index does not store, and the places that are no use at all:
//! comments, strings, other definitions. `link` tells which definition a use means.

use super::lang::ecmascript::ReadOptions;
use super::lang::{ecmascript, frontend};
use super::lines::Lines;
use super::{FileShape, Language, component};
use crate::ir::FileFacts;
use crate::model::Budget;
use crate::model::hash::HashMap;

/// One place where a word occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The word, an index into those that were asked for.
    pub word: usize,
    /// First byte.
    pub start_byte: u32,
    /// Line, from 1.
    pub line: u32,
    /// The part it plays.
    pub role: OccurrenceRole,
}

/// The part that a word plays at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OccurrenceRole {
    /// A use that the facts of the file hold.
    Use {
        /// Index into [`FileFacts::references`].
        reference: u32,
        /// How it is used.
        kind: UseKind,
    },
    /// In the list of an import: `a` in `import { a as b } from 'm'`.
    Import {
        /// Index into [`FileFacts::imports`].
        import: u32,
        /// Index into its names.
        name: u32,
    },
    /// In the list of an export: `a` in `export { a } from 'm'`.
    Export {
        /// Index into [`FileFacts::exports`].
        export: u32,
    },
    /// The name of a definition, a parameter, a local variable or a property: `a` in `const a = 1`, `{ a: 1 }`.
    Definition,
    /// A use that a local scope binds: the last `a` in `function f(a) { return a }`.
    Local,
    /// A bare name that nothing in the file binds and that begins a chain: `window` in `window.open()`.
    Global(UseKind),
    /// A bare name that nothing in the file binds, where no other file can bind it either: `gone` in Python's `gone()`.
    Unbound(UseKind),
    /// The key of a destructured property or an attribute: `a` in `const { a } = x`, `<B a={1}>`.
    Key,
    /// Part of another identifier, `job` in `$job`, or a keyword: `type` in `import type { A } from 'm'`.
    OtherName,
    /// In a comment.
    Comment,
    /// In a string, a regular expression or text between tags.
    Text,
    /// In a file that is read as text alone: a document, a style sheet, a language without a grammar.
    Prose,
    /// In code that could not be read.
    Unknown,
}

/// How a definition is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseKind {
    /// `f()`, `<F/>`
    Call,
    /// `new F()`
    New,
    /// `let x: F`
    Type,
    /// `class C extends F`
    Extends,
    /// `class C implements F`
    Implements,
    /// `@f`
    Decorator,
    /// In a template of a component: `@click="f"`.
    Template,
    /// Any other use of a value: `run(f)`.
    Reference,
}

/// The occurrences of a word in one file.
#[derive(Debug, Default)]
pub struct Occurrences {
    /// The facts of the file, as extraction gives them.
    pub facts: FileFacts,
    /// Each place where one of the words occurs: word by word, each in source order.
    pub places: Vec<Occurrence>,
    /// Every use of any name in the file: first byte, line, reference and kind. A use by an alias is found here:
    /// `b()` after `import { a as b }`.
    pub uses: Vec<(u32, u32, u32, UseKind)>,
}

/// Finds the places where `word` occurs in `source`; `None` where the budget ended. A word ends where a letter,
/// a digit or `_` ends, as with `grep -w`. Costs as much as extraction, some 0.3 s a megabyte of code.
pub fn occurrences(
    language: &Language,
    source: &str,
    word: &str,
    budget: &Budget,
) -> Option<Occurrences> {
    occurrences_of(language, source, &[word], budget)
}

/// Finds the places of several words as [`occurrences`] does, for the cost of one. Without any word [`Occurrences::uses`] are
/// found all the same.
pub fn occurrences_of(
    language: &Language,
    source: &str,
    words: &[&str],
    budget: &Budget,
) -> Option<Occurrences> {
    let lines = Lines::new(source);
    let line_at = |start: u32| u32::try_from(lines.line_at(start) + 1).unwrap_or(u32::MAX);
    if let FileShape::Component(framework) = language.shape {
        return component::occurrences(framework, &lines, words, budget);
    }
    if language.shape == FileShape::Page {
        return component::page_occurrences(&lines, words, budget);
    }
    if let Some(frontend) = frontend(language.shape) {
        let parsed = frontend.read_positioned(source, budget)?;
        let places = places_of(source, words)
            .into_iter()
            .map(|(word, start_byte, end)| Occurrence {
                word,
                start_byte,
                line: line_at(start_byte),
                role: parsed.role(source, start_byte, end),
            });
        let uses = parsed.uses();
        let uses = uses.map(|(start, reference, kind)| (start, line_at(start), reference, kind));
        return Some(Occurrences {
            places: places.collect(),
            uses: uses.collect(),
            facts: parsed.file.facts,
        });
    }
    let FileShape::Script(dialect) = language.shape else {
        let all = places_of(source, words)
            .into_iter()
            .map(|(word, start_byte, _)| Occurrence {
                word,
                start_byte,
                line: line_at(start_byte),
                role: OccurrenceRole::Prose,
            });
        return Some(Occurrences {
            places: all.collect(),
            ..Occurrences::default()
        });
    };
    let options = ReadOptions {
        keeps_positions: true,
        ..ReadOptions::default()
    };
    let mut parsed = ecmascript::read_positioned(dialect, source, options, budget)?;
    let templates = component::add_inline(&lines, &mut parsed.script, true, budget)?;
    let role = |start: u32, end: u32| {
        let role = parsed.role(source, start, end);
        let mut around = templates.iter().filter(|it| it.holds(start));
        match around.next().and_then(|it| it.role(start, end)) {
            // A template is a string to the script.
            Some(inner) if role == OccurrenceRole::Text => inner,
            _ => role,
        }
    };
    let place = |(word, start_byte, end)| Occurrence {
        word,
        start_byte,
        line: line_at(start_byte),
        role: role(start_byte, end),
    };
    let places = places_of(source, words).into_iter().map(place).collect();
    let mut uses: Vec<(u32, u32, u32, UseKind)> = parsed
        .uses()
        .map(|(start, reference, kind)| (start, line_at(start), reference, kind))
        .collect();
    for (start, reference) in templates.iter().flat_map(component::AngularTemplate::uses) {
        uses.push((start, line_at(start), reference, UseKind::Template));
    }
    uses.sort_unstable_by_key(|it| it.0);
    Some(Occurrences {
        places,
        uses,
        facts: parsed.script.facts,
    })
}

/// Fewer words are searched for one by one.
const MANY_WORDS: usize = 16;

/// Returns each place of each word, word by word: the word's index, first byte and end.
pub(super) fn places_of(source: &str, words: &[&str]) -> Vec<(usize, u32, u32)> {
    let mut places = Vec::new();
    let mut plain = HashMap::default();
    for (at, word) in words.iter().enumerate() {
        if words.len() > MANY_WORDS && word.chars().all(is_word_char) {
            plain.insert(*word, at);
        } else {
            let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
            places.extend(
                starts(source, word).map(|start| (at, start, start.saturating_add(length))),
            );
        }
    }
    if !plain.is_empty() {
        // One pass for all of them: a generated file has tens of thousands.
        let mut start = 0;
        for piece in source.split(|c| !is_word_char(c)) {
            if let Some(at) = plain.get(piece) {
                let [first, end] =
                    [start, start + piece.len()].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
                places.push((*at, first, end));
            }
            start += piece.len();
            start += source[start..].chars().next().map_or(0, char::len_utf8);
        }
        places.sort_unstable();
    }
    places
}

/// Whether a character may be part of a word, as [`starts`] takes it.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the first byte of each place where `word` occurs as a word.
pub fn starts<'a>(source: &'a str, word: &'a str) -> impl Iterator<Item = u32> + 'a {
    // `b-c` is no part of `a-b-c`.
    let has_hyphen = word.contains('-');
    let is_word_char = move |c: char| is_word_char(c) || has_hyphen && c == '-';
    source.match_indices(word).filter_map(move |(at, found)| {
        let before = source[..at].chars().next_back();
        let after = source[at + found.len()..].chars().next();
        let is_whole = !before.is_some_and(is_word_char) && !after.is_some_and(is_word_char);
        is_whole.then(|| u32::try_from(at).unwrap_or(u32::MAX))
    })
}

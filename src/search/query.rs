//! Query text → terms: words and their parts, phrases, qualified names, paths.
//!
//! Any text is a query; nothing in it is an operator.

use std::collections::HashSet;

use super::Hit;
use super::literal::{self, QueryLiteral};
use super::notation::{dotted, has_file_extension, has_sign, is_set_off};
use super::requested_roles::RequestedRoles;
use crate::store::token;

/// Bytes of a query that are read; the rest is left out.
const MAX_QUERY_BYTES: usize = 16 << 10;

/// How many different terms of a query are looked up, in their order; the ranking keeps the rarest.
pub(super) const MAX_TERMS: usize = 256;

/// The longest phrase that is looked for, in words.
const MAX_PHRASE_WORDS: usize = 32;

/// The fewest plain words that are tried as a phrase.
pub(super) const MIN_PLAIN_PHRASE_WORDS: usize = 3;

/// The most neighbours that may be one name.
const MAX_JOINED_WORDS: usize = 3;

/// How many quoted phrases are looked for.
pub(super) const MAX_PHRASES: usize = 8;

/// A question of up to so many words is short.
pub(super) const FEW_WORDS: usize = 3;

/// English words that say nothing about code. They are left out while other words remain.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "before", "both", "but", "by", "can", "could", "did", "do", "does", "doesn", "don", "during",
    "each", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its",
    "more", "most", "my", "no", "not", "of", "on", "only", "or", "other", "our", "same", "should",
    "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "via", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "without", "would", "you", "your",
];

/// One distinct word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueryWord {
    /// As written, where it stands first.
    pub text: String,
    /// Its normal form.
    pub norm: String,
    /// Its parts; empty where it is one part.
    pub parts: Vec<String>,
    /// Whether it says nothing about code.
    pub is_stop: bool,
    /// Whether it is written like a name: in parts, between backticks, or called.
    pub is_name: bool,
    /// As written, where a sign in front makes it another name than its normal form: `$el`.
    pub signed: Option<String>,
}

/// A run of words that is looked for as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    /// The words and their parts, split as the rows are.
    pub text: String,
    /// Whether the query quotes it.
    pub is_quoted: bool,
}

/// The terms of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    text: String,
    pub(super) words: Vec<QueryWord>,
    pub(super) terms: Vec<String>,
    pub(super) phrases: Vec<Phrase>,
    literals: Vec<QueryLiteral>,
    pub(super) whole: String,
    pub(super) qualified: Vec<Vec<String>>,
    pub(super) paths: Vec<Vec<String>>,
    pub(super) requested: RequestedRoles,
}

impl Query {
    /// Returns the text as given, without white space around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has no word, and is no name that is written in signs (`$`, `_`): there is nothing to look for.
    pub fn is_without_words(&self) -> bool {
        self.words.is_empty() && !self.text.chars().all(|c| matches!(c, '$' | '_'))
    }

    /// Whether each of its words is a single letter or digit, which the index has as a name alone: `T`, `x`.
    pub fn has_single_letters_alone(&self) -> bool {
        self.words.iter().all(|word| word.norm.len() <= 1)
    }

    /// Returns the words and parts that are looked for, in their order, each once.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// Returns the texts that may be meant as they stand.
    pub fn literals(&self) -> &[QueryLiteral] {
        &self.literals
    }

    /// Returns the texts that the question says are meant as they stand: quotations and flags.
    pub fn quotations(&self) -> impl Iterator<Item = &QueryLiteral> {
        self.literals.iter().filter(|literal| literal.is_explicit)
    }

    /// Returns the content words, as written, that none of these hits holds.
    pub fn missing<'a>(&self, hits: impl IntoIterator<Item = &'a Hit>) -> Vec<String> {
        let held = hits.into_iter().fold(0, |held, hit| held | hit.held_words);
        let words = self.content_words().into_iter().take(64).enumerate();
        words
            .filter(|(at, _)| held & (1 << at) == 0)
            // Single letters are not told apart in the index.
            .filter(|(_, word)| word.text.chars().nth(1).is_some())
            .map(|(_, word)| word.text.clone())
            .collect()
    }

    /// Returns the content words, as written, that a hit holds.
    pub fn held(&self, hit: &Hit) -> Vec<&str> {
        let words = self.content_words().into_iter().take(64).enumerate();
        words
            .filter(|(at, _)| hit.held_words & (1 << at) != 0)
            .map(|(_, word)| word.text.as_str())
            .collect()
    }

    /// Returns the words that are no stop words; all words where there are no others.
    pub(super) fn content_words(&self) -> Vec<&QueryWord> {
        let telling: Vec<&QueryWord> = self.words.iter().filter(|word| !word.is_stop).collect();
        if telling.is_empty() {
            self.words.iter().collect()
        } else {
            telling
        }
    }
}

impl Query {
    /// Returns the name (a normal form) that stands alone beside a path; `None` where anything else does.
    pub(super) fn behind_path(&self) -> Option<String> {
        if self.paths.is_empty() {
            return None;
        }
        let mut others = self
            .text
            .split_whitespace()
            .filter(|run| !run.contains('/') && !has_file_extension(run));
        let name = token::normal_form(others.next()?);
        (others.next().is_none() && !name.is_empty()).then_some(name)
    }

    /// Returns the words that stand beside each other with no stop word between, as their nearest parts.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut before: Option<String> = None;
        for word in token::words(&self.text).into_iter().take(MAX_TERMS) {
            if is_stop(&word.norm) {
                before = None;
                continue;
            }
            let first = word.parts.first().unwrap_or(&word.norm).clone();
            let last = word.parts.last().unwrap_or(&word.norm).clone();
            if let Some(before) = before.replace(last)
                && before.len() > 1
                && first.len() > 1
            {
                pairs.push((before, first));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Returns two and three neighbours written as one, in their order, each once: a question about a code path may
    /// mean `CodePath`. Stop words alone make no name; names that are terms anyway are left out.
    pub(super) fn joined(&self) -> Vec<String> {
        let words = token::words(&self.text);
        let norms: Vec<&str> = words.iter().map(|word| word.norm.as_str()).collect();
        let mut seen: HashSet<String> = self.terms.iter().cloned().collect();
        let runs = (2..=MAX_JOINED_WORDS).flat_map(|n| norms.windows(n));
        runs.filter(|run| run.iter().all(|word| word.len() > 1))
            .filter(|run| !run.iter().all(|word| is_stop(word)))
            .map(<[&str]>::concat)
            .filter(|name| name.len() <= token::MAX_WORD_BYTES && seen.insert(name.clone()))
            .collect()
    }

    /// Returns the words and their parts, stop words as well, without their endings.
    pub(super) fn stems(&self) -> HashSet<&str> {
        let words = self.words.iter();
        let forms = words.flat_map(|word| std::iter::once(&word.norm).chain(&word.parts));
        forms.map(|form| token::stem(form)).collect()
    }
}

/// Parses `text`; `None` where it is nothing but white space. A text without a letter or digit is a query that finds
/// nothing.
pub fn parse(text: &str) -> Option<Query> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let mut end = text.len().min(MAX_QUERY_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let read = &text[..end];
    let words = distinct_words(read);
    let (qualified, paths) = dotted(read);
    Some(Query {
        text: text.to_owned(),
        terms: terms(read, &words),
        phrases: phrases(read),
        literals: literal::of(read),
        whole: token::normal_form(read),
        requested: RequestedRoles::of(words.iter().map(|word| word.norm.as_str()), read),
        words,
        qualified,
        paths,
    })
}

/// Returns whether a word in its normal form says nothing about code.
pub(super) fn is_stop(norm: &str) -> bool {
    STOP_WORDS.binary_search(&norm).is_ok()
}

fn distinct_words(text: &str) -> Vec<QueryWord> {
    let mut found: Vec<QueryWord> = Vec::new();
    for word in token::words(text) {
        let has_sign = has_sign(word.text);
        let is_name = !word.parts.is_empty() || (!has_sign && is_set_off(text, word.text));
        let signed = has_sign.then(|| word.text.to_owned());
        if let Some(known) = found.iter_mut().find(|known| known.norm == word.norm) {
            known.is_name |= is_name;
            known.signed = known.signed.take().or(signed);
        } else if found.len() < MAX_TERMS {
            found.push(QueryWord {
                text: word.text.to_owned(),
                is_stop: is_stop(&word.norm),
                norm: word.norm,
                parts: word.parts,
                is_name,
                signed,
            });
        }
    }
    found
}

/// Returns the terms worth looking up: no stop words and no single letters while others remain.
fn terms(text: &str, words: &[QueryWord]) -> Vec<String> {
    let mut all: Vec<String> = words
        .iter()
        .flat_map(|word| std::iter::once(&word.norm).chain(&word.parts))
        .cloned()
        .collect();
    all.extend(hyphenated(text));
    let mut seen = HashSet::new();
    all.retain(|term| seen.insert(term.clone()));
    all.truncate(MAX_TERMS);
    let telling: Vec<String> = all
        .iter()
        .filter(|term| !is_stop(term) && (term.len() > 1 || !term.is_ascii()))
        .cloned()
        .collect();
    if telling.is_empty() { all } else { telling }
}

/// Returns hyphenated words as one: `keep-alive` also looks for `KeepAlive`.
fn hyphenated(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '$')))
        .filter(|run| run.trim_matches('-').contains('-'))
        .map(token::normal_form)
        .filter(|norm| norm.len() > 1 && norm.len() <= token::MAX_WORD_BYTES)
}

fn phrases(text: &str) -> Vec<Phrase> {
    let mut found: Vec<Phrase> = Vec::new();
    let mut add = |part: &str, is_quoted: bool, fewest: usize| {
        let n_words = token::words(part).len();
        if (fewest..=MAX_PHRASE_WORDS).contains(&n_words) {
            let mut out = String::new();
            token::index_text(part, &mut out);
            let text = out.trim_end().to_owned();
            if !found.iter().any(|known| known.text == text) {
                found.push(Phrase { text, is_quoted });
            }
        }
    };
    for part in quoted_parts(text).take(MAX_PHRASES) {
        add(part, true, 2);
    }
    add(text, false, MIN_PLAIN_PHRASE_WORDS);
    found
}

/// Returns the texts between double quotes, straight or curly.
pub(super) fn quoted_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(['"', '\u{201c}', '\u{201d}'])
        .enumerate()
        // The text after the last mark is not closed by another.
        .filter(|(at, _)| at % 2 == 1)
        .map(|(_, part)| part)
}

/// Returns whether the components stand in the path in this order, others between them or not; the last may
/// lack its extension.
pub(super) fn is_path(wanted: &[String], path: &str) -> bool {
    let path = path.to_lowercase();
    let mut parts = path.split('/');
    let last = wanted.len().saturating_sub(1);
    for (at, wanted) in wanted.iter().enumerate() {
        let is_part = |part: &str| {
            part == wanted.as_str()
                || (at == last
                    && part
                        .strip_prefix(wanted.as_str())
                        .is_some_and(|rest| rest.starts_with('.')))
        };
        if !parts.any(is_part) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Query, STOP_WORDS, is_path, parse};

    fn query(text: &str) -> Query {
        parse(text).unwrap()
    }

    #[test]
    fn the_stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn words_and_their_parts_are_terms_and_stop_words_are_not() {
        assert_eq!(
            query("where is getUserName validated").terms,
            ["getusername", "get", "user", "name", "validated"]
        );
        assert_eq!(query("where is it").terms, ["where", "is", "it"]);
        assert_eq!(query("v-model").terms, ["model", "vmodel"]);
    }

    #[test]
    fn neighbours_may_be_one_name() {
        assert_eq!(
            query("code path analysis").joined(),
            ["codepath", "pathanalysis", "codepathanalysis"]
        );
        // Stop words make names with others (`onError`); a single letter makes none.
        assert_eq!(
            query("fails on error").joined(),
            ["failson", "onerror", "failsonerror"]
        );
        assert!(query("the v-model").joined().is_empty());
        assert!(query("keep-alive").joined().is_empty(), "a term already");
    }

    #[test]
    fn white_space_is_no_query_and_punctuation_finds_nothing() {
        for empty in ["", " ", "\t\n\u{a0}"] {
            assert!(parse(empty).is_none(), "{empty:?}");
        }
        for bare in ["!?", "\"", "***", "\0", "🦀"] {
            assert!(query(bare).terms.is_empty(), "{bare:?}");
        }
    }

    #[test]
    fn quoted_text_and_three_plain_words_are_phrases() {
        let found = query("say \"not found\" please");
        assert_eq!(found.phrases[0].text, "not found");
        assert!(found.phrases[0].is_quoted && !found.phrases[1].is_quoted);
        assert!(query("two words").phrases.is_empty());
        assert_eq!(
            query("call getName now").phrases[0].text,
            "call getname get name now"
        );
    }

    #[test]
    fn a_name_may_stand_beside_a_path() {
        let behind = |text: &str| query(text).behind_path();
        assert_eq!(behind("router/route.js all").as_deref(), Some("all"));
        assert_eq!(behind("getName src/user.ts").as_deref(), Some("getname"));
        for other in ["router/route.js", "src/a.ts two words", "route all"] {
            assert_eq!(behind(other), None, "{other}");
        }
    }

    #[test]
    fn neighbours_are_pairs_and_stop_words_part_them() {
        let pairs = query("nested refs of the userName cache entry").pairs();
        let pairs: Vec<(&str, &str)> = pairs
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(
            pairs,
            [("cache", "entry"), ("name", "cache"), ("nested", "refs")]
        );
    }

    #[test]
    fn a_huge_query_is_bounded() {
        let text: String = (0..5_000).fold(String::new(), |text, n| text + &format!("w{n} "));
        let found = query(&text);
        assert!(found.terms.len() <= super::MAX_TERMS);
        assert!(query(&"é".repeat(20_000)).text().len() == 40_000);
    }

    #[test]
    fn a_path_in_the_question_is_found_at_component_borders() {
        let is = |wanted: &str, path: &str| {
            let parts: Vec<String> = wanted.split('/').map(str::to_owned).collect();
            is_path(&parts, path)
        };
        assert!(is("renderer.ts", "packages/runtime-core/src/renderer.ts"));
        assert!(is(
            "runtime-core/src",
            "packages/runtime-core/src/renderer.ts"
        ));
        assert!(is("src/renderer", "packages/runtime-core/src/Renderer.ts"));
        assert!(is(
            "runtime-core/renderer",
            "packages/runtime-core/src/renderer.ts"
        ));
        assert!(!is(
            "renderer/runtime-core",
            "packages/runtime-core/src/renderer.ts"
        ));
        assert!(!is("render", "src/renderer.ts"));
    }
}

//! Channels: each finds chunks by one signal and says how strongly.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::channel_scores::ChannelScores;
use super::filter::ChunkFilter;
use super::query::{FEW_WORDS, Query, is_path};
use super::text::{self, TextFound};
use super::{fuzzy, history, literal};
use crate::model::{Budget, ChunkId, Sources};
use crate::store::text::{all_in_columns, quoted};
use crate::store::{Read, StoreResult, SymbolRow, token};

/// Chunks that the text channel hands on; all of those with the last one's score go with it.
const MAX_TEXT_HITS: usize = 400;

/// Definitions of one name that are handed on.
const MAX_DEFINITIONS: usize = 60;

/// Chunks that one phrase may hand on; a phrase in more is a habit of speech.
const MAX_PHRASE_HITS: usize = 400;

/// Definitions whose names may hold all the words; words that more names share single nothing out.
const MAX_PART_HITS: usize = 400;

/// How strongly words that stand together as in the question are the question, where it does not quote them.
const PLAIN_PHRASE: f64 = 0.9;

/// How strongly a name of another case or with other separators is the question, of 1.
const OTHER_STYLE: f64 = 0.92;

/// The hits of all channels.
#[derive(Debug, Default)]
pub(super) struct ChannelHits {
    /// The chunks that are worth weighing.
    pub chunks: HashMap<ChunkId, ChannelScores>,
    /// All that the words of the question are in.
    pub text: TextFound,
    /// How strongly history speaks for files, by path.
    pub history: BTreeMap<String, f64>,
    /// How strongly the question's meaning speaks for chunks.
    pub meaning: HashMap<ChunkId, f64>,
    /// Receivers of qualified names that no symbol has, in normal form: `app` of `app.close`.
    pub owners: Vec<String>,
}

/// Runs every channel and returns the strengths of each chunk.
pub(super) fn collect(
    read: &Read<'_>,
    query: &Query,
    allowed: &ChunkFilter,
    sources: &dyn Sources,
    budget: &Budget,
) -> StoreResult<ChannelHits> {
    let text = text::find(read, query, allowed)?;
    let mut chunks: HashMap<ChunkId, ChannelScores> = HashMap::new();
    for (chunk, score) in text.top(MAX_TEXT_HITS) {
        chunks.entry(chunk).or_default().text = score / text.best;
    }
    let owners = whole_name(read, query, allowed, &mut chunks)?;
    let mut history = BTreeMap::new();
    if !budget.is_cancelled() {
        words(read, query, allowed, &mut chunks)?;
        parts(read, query, allowed, &mut chunks)?;
        phrases(read, query, allowed, &mut chunks)?;
        for (row, n) in literal::find(read, query.literals(), allowed, sources, budget)? {
            let scores = chunks.entry(row).or_default();
            scores.n_literals = n;
            scores.phrase = scores.phrase.max(PLAIN_PHRASE);
            let known = text.chunks.get(&row);
            scores.text = known.map_or(0.0, |known| known.score / text.best);
        }
        history = history::files(read, query)?;
    }
    for (chunk, scores) in &mut chunks {
        scores.coverage = text.chunks.get(chunk).map_or(0.0, |found| found.coverage);
    }
    Ok(ChannelHits {
        chunks,
        text,
        history,
        meaning: HashMap::new(),
        owners,
    })
}

/// Finds the definitions whose name is the whole question, also as `Class.method` and behind a path. Returns the
/// receivers of qualified names in a sentence that no symbol has: a wish for an `app.close` that does not exist yet
/// means `app`.
fn whole_name(
    read: &Read<'_>,
    query: &Query,
    allowed: &ChunkFilter,
    found: &mut HashMap<ChunkId, ChannelScores>,
) -> StoreResult<Vec<String>> {
    let [same, other] = read.first_named(&query.whole, query.text(), MAX_DEFINITIONS)?;
    for (definitions, whole) in [(same, 1.0), (other, OTHER_STYLE)] {
        add_scores(read, &definitions, allowed, found, |scores| {
            scores.whole = scores.whole.max(whole);
        })?;
    }
    if let Some(name) = query.behind_path() {
        let mut named = read.symbols_named(&name)?;
        let paths = &query.paths;
        named.retain(|symbol| paths.iter().any(|path| is_path(path, symbol.path.as_str())));
        add_scores(read, &named, allowed, found, |scores| {
            scores.whole = 1.0;
        })?;
    }
    // A qualified name in a sentence is its subject, and the answer may be elsewhere.
    let is_short = query.content_words().len() <= FEW_WORDS;
    let mut owners = Vec::new();
    for name in &query.qualified {
        let Some(last) = name.last() else { continue };
        let named = read.symbols_qualified(last, |qualified| {
            let parts: Vec<String> = qualified.split('.').map(token::normal_form).collect();
            parts.ends_with(name)
        })?;
        if named.is_empty() && !is_short {
            owners.extend(name.first().cloned());
        }
        add_scores(read, &named, allowed, found, |scores| {
            if is_short {
                scores.whole = 1.0;
            } else {
                scores.identifier = 1.0;
            }
        })?;
    }
    Ok(owners)
}

/// Finds the definitions whose name is one of the words, and where a word is nothing that is known
/// here, those whose name is nearly it.
fn words(
    read: &Read<'_>,
    query: &Query,
    allowed: &ChunkFilter,
    found: &mut HashMap<ChunkId, ChannelScores>,
) -> StoreResult<()> {
    let telling = query.content_words();
    let is_short = telling.len() <= FEW_WORDS;
    for (at, word) in telling.iter().enumerate() {
        let n_named = read.n_named(&word.norm, MAX_DEFINITIONS + 1)? as usize;
        // One word of many that happens to name half the methods says little.
        if (1..=MAX_DEFINITIONS).contains(&n_named) {
            let named = read.symbols_named(&word.norm)?;
            let identifier = if word.is_name {
                share_of_namesakes(&named)
            } else {
                0.0
            };
            add_scores(read, &named, allowed, found, |scores| {
                scores.name = 1.0;
                scores.identifier = scores.identifier.max(identifier);
            })?;
        }
        if let Some(written) = word.signed.as_ref().filter(|_| n_named > 0) {
            signed(read, &word.norm, written, allowed, found)?;
        }
        if is_short && n_named == 0 && read.document_frequency(&quoted(&word.norm), 1)? == 0 {
            for (norm, likeness) in fuzzy::nearest(read, &word.norm)? {
                let named = read.symbols_named(&norm)?;
                add_scores(read, &named, allowed, found, |scores| {
                    scores.fuzzy = scores.fuzzy.max(likeness);
                    scores.fuzzy_words |= u32::try_from(at)
                        .ok()
                        .and_then(|at| 1_u64.checked_shl(at))
                        .unwrap_or(0);
                })?;
            }
        }
    }
    Ok(())
}

/// Finds the definitions that are written with the same sign in front.
fn signed(
    read: &Read<'_>,
    norm: &str,
    written: &str,
    allowed: &ChunkFilter,
    found: &mut HashMap<ChunkId, ChannelScores>,
) -> StoreResult<()> {
    let [same, _] = read.first_named(norm, written, MAX_DEFINITIONS + 1)?;
    if same.len() > MAX_DEFINITIONS {
        return Ok(());
    }
    let identifier = share_of_namesakes(&same);
    add_scores(read, &same, allowed, found, |scores| {
        scores.identifier = scores.identifier.max(identifier);
    })
}

/// Returns the share of a name's meaning that falls to one of its definitions: the more files define it, the smaller.
/// A declaration and a definition of one name in one file count once.
#[allow(clippy::cast_precision_loss, reason = "a name has few definitions")]
fn share_of_namesakes(named: &[SymbolRow]) -> f64 {
    let files: HashSet<&str> = named.iter().map(|symbol| symbol.path.as_str()).collect();
    1.0 / (files.len().max(1) as f64).sqrt()
}

/// Finds the definitions whose name holds all words of a short question.
fn parts(
    read: &Read<'_>,
    query: &Query,
    allowed: &ChunkFilter,
    found: &mut HashMap<ChunkId, ChannelScores>,
) -> StoreResult<()> {
    let telling = query.content_words();
    if telling.len() > FEW_WORDS {
        return Ok(());
    }
    // `not an entry` is said, not named.
    #[allow(clippy::cast_precision_loss, reason = "a question has few words")]
    let share_of_words = telling.len() as f64 / query.words.len() as f64;
    let wanted: HashSet<&str> = telling
        .iter()
        .flat_map(|word| {
            let whole = word.parts.is_empty().then_some(&word.norm);
            word.parts.iter().chain(whole)
        })
        .filter(|part| part.len() > 1)
        .map(|part| token::stem(part))
        .collect();
    let terms: Vec<&str> = query
        .terms()
        .iter()
        .map(String::as_str)
        .filter(|term| wanted.contains(token::stem(term)))
        .collect();
    if terms.is_empty() {
        return Ok(());
    }
    let rows = read.text_rows(&all_in_columns("symbol", &terms), MAX_PART_HITS + 1)?;
    if rows.len() > MAX_PART_HITS {
        return Ok(());
    }
    for row in rows.into_iter().filter(|row| allowed.has(*row)) {
        let Some(name) = read.symbol_of_chunk(row)? else {
            continue;
        };
        let share = share_of_parts(&name, &wanted) * share_of_words;
        if share > 0.0 {
            let scores = found.entry(row).or_default();
            scores.parts = scores.parts.max(share);
        }
    }
    Ok(())
}

/// Returns which share of a name's parts the wanted ones are; 0 where one of them is missing.
fn share_of_parts(name: &str, wanted: &HashSet<&str>) -> f64 {
    let words = token::words(name);
    let parts: Vec<&str> = words
        .iter()
        .flat_map(token::Word::smallest)
        .map(token::stem)
        .collect();
    if !wanted.iter().all(|part| parts.contains(part)) {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "a name has few parts")]
    let share = wanted.len() as f64 / parts.len().max(1) as f64;
    share.min(1.0)
}

fn phrases(
    read: &Read<'_>,
    query: &Query,
    allowed: &ChunkFilter,
    found: &mut HashMap<ChunkId, ChannelScores>,
) -> StoreResult<()> {
    for phrase in &query.phrases {
        let rows = read.text_rows(&quoted(&phrase.text), MAX_PHRASE_HITS + 1)?;
        if rows.len() > MAX_PHRASE_HITS {
            continue;
        }
        for row in rows.into_iter().filter(|row| allowed.has(*row)) {
            let scores = found.entry(row).or_default();
            scores.phrase = if phrase.is_quoted {
                1.0
            } else {
                scores.phrase.max(PLAIN_PHRASE)
            };
        }
    }
    Ok(())
}

fn add_scores(
    read: &Read<'_>,
    definitions: &[SymbolRow],
    allowed: &ChunkFilter,
    found: &mut HashMap<ChunkId, ChannelScores>,
    how: impl Fn(&mut ChannelScores),
) -> StoreResult<()> {
    for symbol in definitions.iter().take(MAX_DEFINITIONS) {
        if let Some(chunk) = read.chunk_at(symbol.path.as_str(), symbol.name_line)?
            && allowed.has(chunk)
        {
            how(found.entry(chunk).or_default());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::share_of_parts;

    #[test]
    fn a_name_is_made_of_the_words_when_it_has_them_all() {
        let share = |name: &str, wanted: &[&str]| {
            let wanted: HashSet<&str> = wanted.iter().copied().collect();
            share_of_parts(name, &wanted)
        };
        assert!((share("isKnownHtmlAttr", &["html", "attr"]) - 0.5).abs() < 1e-9);
        assert!((share("HtmlAttrs", &["html", "attr"]) - 1.0).abs() < 1e-9);
        assert!(share("htmlElement", &["html", "attr"]) <= 0.0);
    }
}

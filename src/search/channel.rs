//! Channels: each finds chunks by one signal and says how strongly.
//!
//! Refuses to weigh one channel against another.

use std::collections::{HashMap, HashSet};

use globset::GlobBuilder;

use super::query::Query;
use super::{ContentType, Filters, Reason, Reasons, fuzzy, is_prose};
use crate::model::Budget;
use crate::store::text::{any_of, quoted};
use crate::store::{FileSummary, Read, StoreResult, SymbolRow};

/// Terms that are looked up, the rarest first.
const MAX_TERMS: usize = 48;

/// A term in more than this share of the chunks tells nothing while rarer terms remain.
const COMMON_SHARE: f64 = 0.25;

/// Chunks that the text channel hands on; all of those with the last one's score go with it.
const MAX_TEXT_HITS: usize = 400;

/// Definitions of one name that are handed on.
const MAX_DEFINITIONS: usize = 60;

/// Chunks that one phrase may hand on; a phrase in more is a habit of speech.
const MAX_PHRASE_HITS: usize = 400;

/// Words of a query up to which a misspelt name is looked for.
const MAX_FUZZY_WORDS: usize = 3;

/// What the channels found of one chunk. Each strength lies between 0 and 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strength {
    /// BM25 as a share of the best.
    pub text: f64,
    /// The whole question is this definition's name.
    pub whole: f64,
    /// A word of the question is this definition's name.
    pub name: f64,
    /// The definition's name is nearly a word of the question.
    pub fuzzy: f64,
    /// It holds the question, or a quoted part of it, as it stands.
    pub phrase: f64,
    /// Which signals these are.
    pub reasons: Reasons,
}

/// Which chunks may be found.
pub(super) struct Allowed(Option<HashSet<i64>>);

impl Allowed {
    /// Returns what the filters leave; `None` where they leave nothing.
    pub(super) fn of(read: &Read<'_>, filters: &Filters) -> StoreResult<Option<Self>> {
        if *filters == Filters::default() {
            return Ok(Some(Self(None)));
        }
        let fits = fits(filters);
        let files: Vec<i64> = read
            .files_under("")?
            .iter()
            .filter(|file| fits(file))
            .map(|file| file.id)
            .collect();
        if files.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self(Some(read.chunks_of(&files)?))))
    }

    fn has(&self, chunk: i64) -> bool {
        self.0.as_ref().is_none_or(|chunks| chunks.contains(&chunk))
    }
}

/// Returns the test of a file by the filters.
pub(super) fn fits(filters: &Filters) -> impl Fn(&FileSummary) -> bool {
    let is_path = path_filter(filters.path.as_deref());
    move |file| {
        let is_kind = filters
            .content_type
            .is_none_or(|kind| (kind == ContentType::Prose) == is_prose(&file.language));
        let is_language = filters
            .language
            .as_ref()
            .is_none_or(|language| language.eq_ignore_ascii_case(&file.language));
        is_kind && is_language && is_path(file.path.as_str())
    }
}

/// Runs every channel and returns what each found of each chunk.
pub(super) fn collect(
    read: &Read<'_>,
    query: &Query,
    allowed: &Allowed,
    budget: &Budget,
) -> StoreResult<HashMap<i64, Strength>> {
    let mut found = HashMap::new();
    text(read, query, allowed, &mut found)?;
    whole_name(read, query, allowed, &mut found)?;
    if !budget.is_cancelled() {
        words(read, query, allowed, &mut found)?;
        phrases(read, query, allowed, &mut found)?;
    }
    found.retain(|_, strength| strength.reasons != Reasons::default());
    Ok(found)
}

fn text(
    read: &Read<'_>,
    query: &Query,
    allowed: &Allowed,
    found: &mut HashMap<i64, Strength>,
) -> StoreResult<()> {
    let n_chunks = read.n_chunks()?;
    let mut terms: Vec<(u64, &str)> = Vec::new();
    for term in query.terms() {
        let n = read.document_frequency(term)?;
        if n > 0 {
            terms.push((n, term));
        }
    }
    terms.sort_unstable();
    #[allow(
        clippy::cast_precision_loss,
        reason = "counts of chunks are far below 2^52"
    )]
    let is_common = |n: u64| n as f64 > n_chunks as f64 * COMMON_SHARE;
    if terms.iter().any(|(n, _)| !is_common(*n)) {
        terms.retain(|(n, _)| !is_common(*n));
    }
    terms.truncate(MAX_TERMS);
    if terms.is_empty() {
        return Ok(());
    }
    let mut hits = read.text_hits(&any_of(terms.iter().map(|(_, term)| *term)))?;
    hits.retain(|hit| allowed.has(hit.chunk));
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    if let Some(last) = hits.get(MAX_TEXT_HITS) {
        // Only whole classes of equal scores are left out: a row's number never decides.
        let floor = last.score;
        hits.retain(|hit| hit.score >= floor);
    }
    let best = hits.first().map_or(1.0, |hit| hit.score);
    for hit in hits {
        let strength: &mut Strength = found.entry(hit.chunk).or_default();
        strength.text = hit.score / best;
        strength.reasons.add(Reason::Fts);
    }
    Ok(())
}

/// Finds the definitions whose name is the whole question, also as `Class.method`.
fn whole_name(
    read: &Read<'_>,
    query: &Query,
    allowed: &Allowed,
    found: &mut HashMap<i64, Strength>,
) -> StoreResult<()> {
    let mut definitions = read.symbols_named(&query.whole)?;
    for name in &query.qualified {
        let Some(last) = name.last() else { continue };
        let mut named = read.symbols_named(last)?;
        named.retain(|symbol| {
            let parts: Vec<String> = symbol
                .qualified_name
                .split('.')
                .map(crate::store::token::normal_form)
                .collect();
            parts.ends_with(name)
        });
        definitions.extend(named);
    }
    mark(read, &definitions, allowed, found, |strength| {
        strength.whole = 1.0;
        strength.reasons.add(Reason::Exact);
        strength.reasons.add(Reason::Symbol);
    })
}

/// Finds the definitions whose name is one of the words, and where a word is nothing that is known
/// here, those whose name is nearly it.
fn words(
    read: &Read<'_>,
    query: &Query,
    allowed: &Allowed,
    found: &mut HashMap<i64, Strength>,
) -> StoreResult<()> {
    let telling = query.telling_words();
    let is_short = telling.len() <= MAX_FUZZY_WORDS;
    for word in &telling {
        let named = read.symbols_named(&word.norm)?;
        // One word of many that happens to name half the methods says little.
        if !named.is_empty() && named.len() <= MAX_DEFINITIONS {
            mark(read, &named, allowed, found, |strength| {
                strength.name = 1.0;
                strength.reasons.add(Reason::Symbol);
            })?;
        }
        if is_short && named.is_empty() && read.document_frequency(&word.norm)? == 0 {
            for (norm, likeness) in fuzzy::nearest(read, &word.norm)? {
                let named = read.symbols_named(&norm)?;
                mark(read, &named, allowed, found, |strength| {
                    strength.fuzzy = strength.fuzzy.max(likeness);
                    strength.reasons.add(Reason::Symbol);
                })?;
            }
        }
    }
    Ok(())
}

fn phrases(
    read: &Read<'_>,
    query: &Query,
    allowed: &Allowed,
    found: &mut HashMap<i64, Strength>,
) -> StoreResult<()> {
    for phrase in &query.phrases {
        let rows = read.text_rows(&quoted(&phrase.text))?;
        if rows.len() > MAX_PHRASE_HITS {
            continue;
        }
        for row in rows.into_iter().filter(|row| allowed.has(*row)) {
            let strength = found.entry(row).or_default();
            strength.phrase = if phrase.is_quoted {
                1.0
            } else {
                strength.phrase.max(0.6)
            };
            strength.reasons.add(Reason::Fts);
        }
    }
    Ok(())
}

fn mark(
    read: &Read<'_>,
    definitions: &[SymbolRow],
    allowed: &Allowed,
    found: &mut HashMap<i64, Strength>,
    how: impl Fn(&mut Strength),
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

/// Returns the test for a path: a glob where it has one of its marks, else a directory or file.
fn path_filter(text: Option<&str>) -> impl Fn(&str) -> bool + use<> {
    let wanted = text.map(|text| {
        let text = text.trim_start_matches("./").trim_matches('/').to_owned();
        // As in an ignore file, a pattern without `/` is about names, at any depth.
        let pattern = if text.contains('/') {
            text.clone()
        } else {
            format!("**/{text}")
        };
        let glob = text
            .contains(['*', '?', '[', '{'])
            .then(|| {
                let mut builder = GlobBuilder::new(&pattern);
                builder.literal_separator(true).build().ok()
            })
            .flatten()
            .map(|glob| glob.compile_matcher());
        (text, glob)
    });
    move |path| match &wanted {
        None => true,
        Some((text, _)) if text.is_empty() => true,
        // A pattern that fits a directory fits what is in it.
        Some((_, Some(glob))) => {
            let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
            glob.is_match(path) || ends.into_iter().any(|directory| glob.is_match(directory))
        }
        Some((text, None)) => path
            .strip_prefix(text.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::path_filter;

    #[test]
    fn a_path_filter_is_a_directory_a_file_or_a_glob() {
        let fits = |text, path| path_filter(Some(text))(path);
        assert!(
            fits("src", "src/a.ts") && fits("./src/", "src/a.ts") && fits("src/a.ts", "src/a.ts")
        );
        assert!(!fits("src", "srcs/a.ts") && !fits("rc", "src/a.ts"));
        assert!(fits("src/*.ts", "src/a.ts") && !fits("src/*.ts", "src/b/a.ts"));
        assert!(fits("*.ts", "src/b/a.ts") && fits("packages/*/src", "packages/a/src/b.ts"));
        assert!(fits("**/*.ts", "src/b/a.ts") && fits("src/**", "src/b/a.ts"));
        assert!(
            !fits("src/[", "src/a.ts"),
            "a broken glob is a name that no file has"
        );
        assert!(path_filter(None)("anything"));
    }
}

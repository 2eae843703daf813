//! Shared by the tools that search: a question, its filters, and the output form of a hit.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysed::{BINARY, EMPTY, SECRET};
use super::answer::{Cursor, FreshnessFields};
use super::places::{Defaults, KnownBy, omit_default_hops};
use super::ranking::{self, RankingOutput};
use crate::config::{Config, LowConfidence};
use crate::error::{Code, Error, Result};
use crate::graph::neighborhood::neighborhood;
use crate::model::{RepoPath, SkipReason, Sources as _, shell_word};
use crate::search::snippet::{self, Snippet};
use crate::search::{
    self, Confidence, Filters, Hit, Level, PageRequest, Query, QueryLiteral, QuestionMeaning,
};
use crate::workspace::{SymbolRow, View, language, language_of};

/// How deep the ranked list goes for paging.
pub(super) const DEPTH: usize = 500;

/// Results that get a code window by default; the rest get their signature.
const N_COMPACT: usize = 3;

/// Characters of a question that are echoed.
const MAX_ECHO: usize = 1_000;

/// Entries of a list of paths, and bytes of one.
const MAX_PATHS: usize = 50;
const MAX_PATH_BYTES: usize = 4_096;

/// Which files are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ContentTypeInput {
    /// Everything but documents.
    Code,
    /// Markdown, text, reStructuredText, AsciiDoc.
    Prose,
}

/// How much of a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SnippetMode {
    /// Nothing.
    None,
    /// The signature.
    Headline,
    /// The best lines.
    Compact,
    /// All of it, within bounds.
    Full,
}

impl ContentTypeInput {
    /// Returns the search room's type for it.
    pub(super) fn meaning(self) -> search::ContentType {
        match self {
            Self::Code => search::ContentType::Code,
            Self::Prose => search::ContentType::Prose,
        }
    }
}

/// The output form of a hit.
pub(super) struct RenderedHit {
    /// Its text.
    pub(super) preview: String,
    /// The words of the question in it, in bytes.
    pub(super) matches: Vec<[usize; 2]>,
    /// The definition that the match lies in.
    pub(super) definition: Option<EnclosingDefinition>,
    /// How many quoted texts of the question it holds.
    pub(super) n_literal: usize,
    /// How much of it that is.
    pub(super) mode: Snippet,
    /// Whether it must be read anew.
    pub(super) is_stale: bool,
}

/// The definition that a match lies in.
pub(super) struct EnclosingDefinition {
    /// Its name with those around it.
    pub(super) symbol: String,
    /// The kind.
    pub(super) kind: &'static str,
    /// The line of its name.
    pub(super) line: u32,
    signature: String,
}

/// A neighbour of a file that was found.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NearOutput {
    pub(crate) source_path: String,
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edge_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) direction: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hops: Option<u32>,
    #[serde(flatten)]
    pub(crate) known_by: KnownBy,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

/// Values of the fields that the entries of `related` leave out, `hops` being 1.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NearDefaults {
    pub(crate) edge_type: &'static str,
    pub(crate) direction: &'static str,
    #[serde(flatten)]
    pub(crate) edges: Defaults,
}

impl NearDefaults {
    /// Takes the values that most entries have out of them: the commonest edge type with its direction. `None` for an
    /// empty list.
    pub(super) fn taken_from(related: &mut [NearOutput]) -> Option<Self> {
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for kind in related.iter().filter_map(NearOutput::kind) {
            *counts.entry(kind).or_default() += 1;
        }
        let ((edge_type, direction), _) = counts.into_iter().max_by_key(|(_, n)| *n)?;
        let edges = Defaults::of_edges(&related.first()?.source_path, []);
        for near in related {
            near.known_by.leave_out(&edges);
            near.edge_type = near.edge_type.filter(|own| *own != edge_type);
            near.direction = near.direction.filter(|own| *own != direction);
        }
        Some(Self {
            edge_type,
            direction,
            edges,
        })
    }
}

impl NearOutput {
    fn kind(&self) -> Option<(&'static str, &'static str)> {
        Some((self.edge_type?, self.direction?))
    }
}

/// How likely the wanted place is among the results.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceOutput {
    /// high: at least .9 of such answers hold the wanted file; low: questions without an answer here look the same.
    pub(crate) level: &'static str,
    /// The measured share of such answers whose results hold it, of questions that have an answer (TOOLS.md).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<f64>,
    /// name, words, history, none.
    pub(crate) basis: &'static str,
}

/// Returns the confidence of a first page of hits, and how many of them the user wants to see of it
/// (`search.low_confidence`).
pub(super) fn confidence<'a>(
    view: &View<'_>,
    config: &Config,
    mut shown: impl Iterator<Item = &'a Hit>,
) -> (ConfidenceOutput, usize) {
    let first = shown.next();
    let n_results = first.iter().count() + shown.count();
    let mut found = Confidence::of(first, n_results);
    if !view.read.meta().complete {
        found = found.unmeasured();
    }
    let n_wanted = match config.low_confidence {
        LowConfidence::Top1 if found.level == Level::Low => 1,
        LowConfidence::Empty if found.level == Level::Low => 0,
        _ => usize::MAX,
    };
    let output = ConfidenceOutput {
        level: found.level.as_str(),
        value: found.value,
        basis: found.basis.as_str(),
    };
    (output, n_wanted)
}

/// Says how many results were left out because of their confidence; nothing where none were.
pub(super) fn say_left_out(n_left_out: usize, freshness_fields: &mut FreshnessFields) {
    match n_left_out {
        0 => {}
        1 => freshness_fields
            .say("1 result of low confidence is left out (`search.low_confidence`)."),
        n => freshness_fields.say(&format!(
            "{n} results of low confidence are left out (`search.low_confidence`)."
        )),
    }
}

/// Returns at most `max` neighbours of the files, up to `depth` edges away, the nearest first.
pub(super) fn near(
    view: &View<'_>,
    files: &[RepoPath],
    depth: u32,
    max: usize,
) -> Result<Vec<NearOutput>> {
    let found = neighborhood(view.read, &view.roles, files, depth, max, view.budget)?;
    Ok(found
        .into_iter()
        .filter(|near| !view.is_gone(&near.path))
        .map(|near| NearOutput {
            source_path: near.source.to_string(),
            stale: view.is_chain_stale(near.source.as_str(), 0)
                || view.is_chain_stale(near.path.as_str(), near.hops),
            path: near.path.to_string(),
            edge_type: Some(near.edge_type),
            direction: Some(near.direction.as_str()),
            hops: omit_default_hops(near.hops),
            known_by: KnownBy::of(near.source.as_str(), near.provenance),
        })
        .collect())
}

/// Reads a question.
///
/// # Errors
/// `invalid_argument` for an empty one.
pub(super) fn question(text: &str) -> Result<Query> {
    search::parse(text).ok_or_else(|| {
        Error::invalid(
            "`query` is empty",
            "say in words what to look for, or give a name or a path",
        )
    })
}

/// The hits of a question, and the models that their order rests on.
pub(super) struct RankedHits {
    /// The hits, best first, without files that are known to be gone.
    pub(super) hits: Vec<Hit>,
    /// `None` where the user configured no model.
    pub(super) ranking: Option<RankingOutput>,
}

/// Returns the request for a page of so many hits, by the settings.
pub(super) fn page_request<'a>(
    view: &'a View<'_>,
    config: &Config,
    limit: usize,
    max_of_a_file: usize,
) -> PageRequest<'a> {
    PageRequest {
        limit,
        max_of_a_file,
        is_explained: false,
        fuses_by_rank: config.fuses_by_rank,
        recency: config.recency,
        marks: view.marks,
        meaning: None,
        meaning_weight: config.models.embed.weight,
    }
}

/// Ranks the hits of a question; models that the user configured are asked where they are to count.
///
/// # Errors
/// Those of filters that leave no file.
pub(super) fn ranked(
    view: &View<'_>,
    query: &Query,
    filters: &Filters,
    wanted: PageRequest<'_>,
) -> Result<RankedHits> {
    check_filters(view, filters)?;
    if query.is_without_words() {
        return Ok(RankedHits {
            hits: Vec::new(),
            ranking: None,
        });
    }
    let (meaning, state) = view.meaning(query.text(), wanted.is_explained);
    // A model that puts results in order sees the same ones on every page.
    let n_reranked = view.rerank_bounds().map_or(0, |(top, _)| top + 1);
    let wanted = PageRequest {
        limit: wanted.limit.max(n_reranked),
        meaning: meaning.as_ref().map(|it| it as &dyn QuestionMeaning),
        ..wanted
    };
    let mut hits = search::search(view.read, query, filters, wanted, view, view.budget)?;
    hits.retain(|hit| !view.is_gone(&hit.chunk.path));
    let reranked = ranking::rerank(view, query, &mut hits);
    Ok(RankedHits {
        hits,
        ranking: RankingOutput::of(state, reranked),
    })
}

/// Says that a question has no answer, and in how many files one was looked for.
pub(super) fn say_nothing_found(
    view: &View<'_>,
    query: &Query,
    filters: &Filters,
    freshness_fields: &mut FreshnessFields,
) -> Result<()> {
    let is_without_words = query.is_without_words();
    if is_without_words || query.has_single_letters_alone() {
        let shown = shell_word(&crate::workspace::cut_argument(query.text()));
        let why = if is_without_words {
            "The query has no word to search for (words have at most 64 characters)"
        } else {
            "Single letters are found as names of definitions alone"
        };
        freshness_fields.say(&format!(
            "{why}; text as it stands is found with `match: literal` (codelens grep {shown} --match literal)."
        ));
        return Ok(());
    }
    let n_files = search::n_matching(view.read, filters)?;
    if n_files == 0 {
        freshness_fields.say(if view.read.counts()?.files == 0 {
            EMPTY
        } else if search::have_skip(view.read, filters, SkipReason::Binary)? {
            BINARY
        } else if search::have_skip(view.read, filters, SkipReason::Secret)? {
            SECRET
        } else {
            "No text of these files is in the index; `match: literal` (codelens grep TEXT --match literal) finds lines of them."
        });
        return Ok(());
    }
    let found = if *filters == search::Filters::default() {
        "No indexed file contains any of these words"
    } else {
        "No file that passes the filters contains any of these words"
    };
    freshness_fields.say_nothing_found(found, n_files);
    Ok(())
}

/// Returns whether a hit stands behind the place where a page ended.
pub(super) fn is_behind(hit: &Hit, after: Option<&Cursor>) -> bool {
    after.is_none_or(|last| {
        let key = (
            Reverse(points(hit)),
            hit.chunk.path.as_str(),
            hit.chunk.span.start_line,
        );
        key > (Reverse(last.score), last.path.as_str(), last.line)
    })
}

/// Returns the parts of a question that none of some hits holds: quotations, in quotes, then words. Reads the files of the hits where it
/// has quotations.
pub(super) fn missing<'a>(
    view: &View<'_>,
    query: &Query,
    hits: &(impl Iterator<Item = &'a Hit> + Clone),
) -> Vec<String> {
    let words = query.missing(hits.clone());
    let is_in_chunk = |hit: &Hit, literal: &QueryLiteral| {
        let chunk = &hit.chunk;
        let text = view.read(&chunk.path, chunk.content);
        let (from, to) = (chunk.span.start_byte as usize, chunk.span.end_byte as usize);
        let part = text.as_deref().and_then(|text| text.get(from..to));
        part.is_some_and(|part| literal.count(part) > 0)
    };
    let is_missing = |literal: &&QueryLiteral| {
        let is_word = words.iter().any(|word| word == literal.text());
        !is_word && !hits.clone().any(|hit| is_in_chunk(hit, literal))
    };
    let quotations = query.quotations().filter(is_missing);
    let mut missing: Vec<String> = quotations
        .map(|literal| format!("\"{}\"", literal.text()))
        .collect();
    missing.extend(words);
    missing
}

/// Returns the place behind a hit.
pub(super) fn cursor_at(hit: &Hit) -> Cursor {
    Cursor {
        score: points(hit),
        path: hit.chunk.path.to_string(),
        line: hit.chunk.span.start_line,
    }
}

/// Converts a hit to its output form; `rank` is its place in the whole answer, from 0. Reads its file.
pub(super) fn hit_output(
    view: &View<'_>,
    query: &Query,
    mode: Option<SnippetMode>,
    hit: &Hit,
    rank: usize,
) -> Result<RenderedHit> {
    let chunk = &hit.chunk;
    let source = view.read(&chunk.path, chunk.content);
    let mode = match mode {
        None if rank < N_COMPACT => Snippet::Compact,
        None | Some(SnippetMode::Headline) => Snippet::Headline,
        Some(SnippetMode::None) => Snippet::None,
        Some(SnippetMode::Compact) => Snippet::Compact,
        Some(SnippetMode::Full) => Snippet::Full,
    };
    let text = source.as_deref().unwrap_or_default();
    let definition = definition(view, query, hit, text)?;
    let signature = definition.as_ref().map(|it| it.signature.as_str());
    let preview = snippet::preview(chunk, source.as_deref(), query, mode, signature);
    Ok(RenderedHit {
        definition,
        n_literal: snippet::n_literal(chunk, text, query),
        preview: preview.text,
        matches: preview
            .matches
            .iter()
            .map(|at| [at.start, at.end])
            .collect(),
        mode,
        // A file whose bytes are not the indexed ones is stale, even where the detection saw no difference.
        is_stale: source.is_none() || view.is_stale(chunk.path.as_str()),
    })
}

/// Returns the innermost definition that the best line of a hit lies in; for a line above one, such as its comment, that
/// one, and for a chunk whose file can't be read its first.
fn definition(
    view: &View<'_>,
    query: &Query,
    hit: &Hit,
    text: &str,
) -> Result<Option<EnclosingDefinition>> {
    let chunk = &hit.chunk;
    let first = chunk.symbol.as_ref().map(|symbol| EnclosingDefinition {
        symbol: symbol.qualified_name.clone(),
        kind: symbol.kind.as_str(),
        line: symbol.start_line,
        signature: symbol.signature.clone(),
    });
    let line = snippet::match_line(chunk, text, query);
    let (Some(line), Some(file)) = (line, view.read.file(chunk.path.as_str())?) else {
        return Ok(first);
    };
    let symbols = view.read.symbols_of(file.id)?;
    let around = symbols
        .iter()
        .filter(|it| it.span.start_line <= line && line <= it.span.end_line)
        .min_by_key(|it| (it.span.end_line - it.span.start_line, Reverse(it.ordinal)));
    let is_within = |it: &&SymbolRow| it.span.start_line >= chunk.span.start_line;
    let below = symbols
        .iter()
        .filter(|it| line < it.span.start_line && it.span.start_line <= chunk.span.end_line)
        .min_by_key(|it| it.span.start_line);
    let found = around.filter(is_within).or(below).or(around);
    Ok(found.map_or(first, |found| {
        Some(EnclosingDefinition {
            symbol: found.qualified_name.clone(),
            kind: found.kind.as_str(),
            line: found.name_line,
            signature: found.signature.clone(),
        })
    }))
}

/// Refuses filters that leave no file: an answer without results would read as "there is no such code".
fn check_filters(view: &View<'_>, filters: &Filters) -> Result<()> {
    check_language(view, filters.language.as_deref())?;
    let of_path = Filters {
        paths: filters.paths.clone(),
        ..Filters::default()
    };
    if !filters.paths.is_empty() && search::first_match(view.read, &of_path)?.is_none() {
        return Err(no_file_left(&filters.paths));
    }
    Ok(())
}

/// Returns the language that a caller names: by its own name, else by an extension of its files, `ts` for `typescript`.
pub(super) fn named_language(name: Option<String>) -> Option<String> {
    let name = name?;
    if language(&name.to_ascii_lowercase()).is_some() {
        return Some(name);
    }
    let file = RepoPath::new(&format!("a.{}", name.to_ascii_lowercase()));
    let found = file.map(|file| language_of(&file)).filter(|it| it.is_code);
    Some(found.map_or(name, |it| it.id.to_owned()))
}

/// Refuses a language of which there is no file.
pub(super) fn check_language(view: &View<'_>, language: Option<&str>) -> Result<()> {
    let filters = Filters {
        language: language.map(str::to_owned),
        ..Filters::default()
    };
    let Some(language) = language else {
        return Ok(());
    };
    if search::first_match(view.read, &filters)?.is_some() {
        return Ok(());
    }
    let known: Vec<String> = view.read.languages()?.into_keys().collect();
    Err(Error::invalid(
        format!(
            "no indexed file is in the language `{}`",
            crate::workspace::cut_argument(language)
        ),
        format!("languages here: {}", known.join(", ")),
    ))
}

/// Refuses a list of paths that is too long.
pub(super) fn check_paths(paths: &[String]) -> Result<()> {
    if paths.len() <= MAX_PATHS && paths.iter().all(|path| path.len() <= MAX_PATH_BYTES) {
        return Ok(());
    }
    let message = if paths.len() > MAX_PATHS {
        format!("`path` has {} entries, of at most {MAX_PATHS}", paths.len())
    } else {
        format!("an entry of `path` is longer than {MAX_PATH_BYTES} bytes")
    };
    Err(Error::invalid(
        message,
        "name a directory above them, or use a glob such as `src/**/*.ts`",
    ))
}

/// Returns the error for paths and globs that leave no file.
pub(super) fn no_file_left(paths: &[String]) -> Error {
    let shown: Vec<String> = paths
        .iter()
        .map(|path| format!("`{}`", cut_text(path).escape_debug()))
        .collect();
    Error::new(
        Code::PathNotFound,
        format!("no indexed file is below or matches {}", shown.join(", ")),
        "pass directories or files relative to the root of the repository, or globs such as `src/**/*.ts`; `!glob` leaves files out",
    )
}

/// A text that came from outside, cut so that echoing it costs little.
pub(super) fn cut_text(text: &str) -> String {
    match text.char_indices().nth(MAX_ECHO) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The weight as a whole number, so that a cursor compares exactly.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a weight lies between 0 and 9"
)]
fn points(hit: &Hit) -> u32 {
    (hit.sort_key * 10_000.0).round() as u32
}

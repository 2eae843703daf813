//! `cl_search`: from a question in words to places in the code.
//!
//! Refuses to know how hits are ranked.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Currency, Cursor, MAX_LIST_BYTES, fitting};
use super::schema::{clamp, number};
use super::{Call, Tool};
use crate::error::{Code, Error, Result};
use crate::search::snippet::{self, Snippet};
use crate::search::{self, Filters, Hit, Query, Sources as _};
use crate::workspace::View;

/// How deep the ranked list goes for paging.
const DEPTH: usize = 500;

/// Results that get a code window by default; the rest get their signature.
const N_COMPACT: usize = 3;

/// `cl_search`.
pub struct Search;

/// Which files are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ContentType {
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

/// Input of `cl_search`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchInput {
    /// Words, names in any case style, Class.method, a path, an error message; "quoted" for a phrase. Naming the package or area helps.
    pub query: String,
    /// Results at most (default 5).
    #[arg(long, short = 'n', allow_negative_numbers = true)]
    #[serde(
        default,
        deserialize_with = "number",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<i64>,
    /// `nextCursor` of the page before.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Only code, or only documents.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ContentType>")]
    pub content_type: Option<ContentType>,
    /// Add up to 10 files that the results import or that import them.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub related: bool,
    /// How much of each result is shown.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<SnippetMode>,
    /// Only files below this directory, or matching this glob.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only files of this language (typescript, javascript, vue, markdown, …).
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// Places in the code, the best first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchOutput {
    index_id: String,
    query: String,
    count: u64,
    results: Vec<ResultOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<Vec<RelatedOutput>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(flatten)]
    currency: Currency,
}

/// One place.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultOutput {
    handle: String,
    path: String,
    lines: String,
    score: f64,
    why: String,
    preview: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// A file that a result imports, or that imports it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedOutput {
    source_path: String,
    path: String,
    edge_type: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

impl Tool for Search {
    const NAME: &'static str = "cl_search";
    const TITLE: &'static str = "Find code by words, names, paths or messages";
    const ABOUT: &'static str = "Finds where something is done: give a question in words, a name in any style, Class.method, a path or an \
        error message. Returns the best places with handles for cl_expand. `stale` results must be read with cl_expand.";
    const EXAMPLES: &'static str = "codelens search \"where is the session validated\"\ncodelens search Store.open -n 10 --snippet full\n\
        codelens search \"retry backoff\" --path packages/http --json";
    type Input = SearchInput;
    type Output = SearchOutput;

    fn run(input: SearchInput, call: &Call<'_>) -> Result<SearchOutput> {
        let Some(query) = search::parse(&input.query) else {
            return Err(Error::invalid(
                "`query` is empty",
                "say in words what to look for, or give a name or a path",
            ));
        };
        let filters = Filters {
            content_type: input.content_type.map(|kind| match kind {
                ContentType::Code => search::ContentType::Code,
                ContentType::Prose => search::ContentType::Prose,
            }),
            path: input.path.clone().filter(|path| !path.is_empty()),
            language: input.language.clone(),
        };
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        workspace.query(&call.interrupt, |view| {
            answer(view, &input, &query, &filters)
        })
    }
}

fn answer(
    view: &View<'_>,
    input: &SearchInput,
    query: &Query,
    filters: &Filters,
) -> Result<SearchOutput> {
    let limit = clamp(input.limit, 5, 1..=50);
    let asked = format!(
        "{:?}",
        (
            &input.query,
            input.content_type,
            &input.path,
            &input.language
        )
    );
    let after = match &input.cursor {
        Some(text) => Some(Cursor::read(text, &asked, view.index_id)?),
        None => None,
    };
    check_filters(view, filters)?;
    let mut ranked = search::search(view.read, query, filters, DEPTH, view.budget)?;
    ranked.retain(|hit| !view.is_gone(&hit.chunk.path));
    let is_later = |hit: &&Hit| {
        after.as_ref().is_none_or(|last| {
            let key = (
                std::cmp::Reverse(points(hit)),
                hit.chunk.path.as_str(),
                hit.chunk.span.start_line,
            );
            key > (std::cmp::Reverse(last.score), last.path.as_str(), last.line)
        })
    };
    let rest: Vec<&Hit> = ranked.iter().filter(is_later).collect();
    let offset = ranked.len() - rest.len();
    let mut results: Vec<ResultOutput> = rest
        .iter()
        .take(limit)
        .enumerate()
        .map(|(at, hit)| result(view, query, input.snippet, hit, offset + at))
        .collect();
    let n_fit = fitting(&results, MAX_LIST_BYTES);
    let truncated = n_fit < results.len();
    results.truncate(n_fit);
    let next_cursor = (rest.len() > results.len())
        .then(|| rest.get(results.len().wrapping_sub(1)))
        .flatten()
        .map(|last| {
            let cursor = Cursor {
                score: points(last),
                path: last.chunk.path.to_string(),
                line: last.chunk.span.start_line,
            };
            cursor.text(&asked, view.index_id)
        });
    let related = if input.related {
        Some(related(view, &results)?)
    } else {
        None
    };
    let mut currency = Currency::of(view);
    if results
        .iter()
        .any(|result| result.stale && !view.freshness.is_stale(&result.path))
    {
        // Bytes changed behind the detection, or in a way that no stat shows.
        currency.mark_moved();
    }
    Ok(SearchOutput {
        index_id: view.index_id.to_owned(),
        query: brief(&input.query, 1_000),
        count: results.len() as u64,
        results,
        next_cursor,
        related,
        truncated,
        currency,
    })
}

/// Refuses filters that leave no file: an answer without results would read as "there is no such code".
fn check_filters(view: &View<'_>, filters: &Filters) -> Result<()> {
    let of_language = Filters {
        language: filters.language.clone(),
        ..Filters::default()
    };
    let of_path = Filters {
        path: filters.path.clone(),
        ..Filters::default()
    };
    if let Some(language) = &filters.language
        && search::first_left(view.read, &of_language)?.is_none()
    {
        let known: Vec<String> = view.read.languages()?.into_keys().collect();
        return Err(Error::invalid(
            format!(
                "no indexed file is in the language `{}`",
                language.escape_debug()
            ),
            format!("languages here: {}", known.join(", ")),
        ));
    }
    if let Some(path) = &filters.path
        && search::first_left(view.read, &of_path)?.is_none()
    {
        return Err(Error::new(
            Code::PathNotFound,
            format!(
                "no indexed file is below or matches `{}`",
                path.escape_debug()
            ),
            "pass a directory or file relative to the root of the repository, or a glob such as `src/**/*.ts`",
        ));
    }
    Ok(())
}

fn result(
    view: &View<'_>,
    query: &Query,
    mode: Option<SnippetMode>,
    hit: &Hit,
    rank: usize,
) -> ResultOutput {
    let chunk = &hit.chunk;
    let source = view.read(&chunk.path, chunk.content);
    let mode = match mode {
        None if rank < N_COMPACT => Snippet::Compact,
        None | Some(SnippetMode::Headline) => Snippet::Headline,
        Some(SnippetMode::None) => Snippet::None,
        Some(SnippetMode::Compact) => Snippet::Compact,
        Some(SnippetMode::Full) => Snippet::Full,
    };
    ResultOutput {
        handle: chunk.handle.to_string(),
        path: chunk.path.to_string(),
        lines: format!("{}-{}", chunk.span.start_line, chunk.span.end_line),
        score: hit.score,
        why: hit.reasons.to_string(),
        preview: snippet::preview(chunk, source.as_deref(), query, mode),
        symbol: chunk
            .symbol
            .as_ref()
            .map(|symbol| symbol.qualified_name.clone()),
        kind: chunk.symbol.as_ref().map(|symbol| symbol.kind.as_str()),
        // What can't be read as it was indexed differs, whatever the detection saw.
        stale: source.is_none() || view.freshness.is_stale(chunk.path.as_str()),
    }
}

/// Lists neighbours of the results in turn, so that the first result does not take all the room.
fn related(view: &View<'_>, results: &[ResultOutput]) -> Result<Vec<RelatedOutput>> {
    const MAX_RELATED: usize = 10;
    let mut sources: Vec<&str> = results.iter().map(|result| result.path.as_str()).collect();
    let mut seen = std::collections::BTreeSet::new();
    sources.retain(|path| seen.insert(*path));
    let mut lists = Vec::new();
    for source in sources {
        let imports = view.read.imports_of(source)?;
        let importers = view.read.importers_of(source)?;
        let both = imports
            .into_iter()
            .map(|path| (path, "imports"))
            .chain(importers.into_iter().map(|path| (path, "imported_by")));
        lists.push((source, both.collect::<Vec<_>>().into_iter()));
    }
    let mut found = Vec::new();
    let mut is_growing = true;
    while is_growing && found.len() < MAX_RELATED {
        is_growing = false;
        for (source, list) in &mut lists {
            let next = list.find(|(path, _)| !seen.contains(path.as_str()));
            if let Some((path, edge_type)) = next
                && found.len() < MAX_RELATED
            {
                is_growing = true;
                if found
                    .iter()
                    .any(|known: &RelatedOutput| known.path == path.as_str())
                {
                    continue;
                }
                found.push(RelatedOutput {
                    source_path: (*source).to_owned(),
                    stale: view.freshness.is_stale(path.as_str()),
                    path: path.to_string(),
                    edge_type,
                });
            }
        }
    }
    Ok(found)
}

/// A text that came from outside, cut so that echoing it costs little.
fn brief(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The score as a whole number, so that a cursor compares exactly.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score lies between 0 and 1"
)]
fn points(hit: &Hit) -> u32 {
    (hit.score * 10_000.0).round() as u32
}

//! The files that a question leads to, with previews of their best places and the graph around them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ExploreInput, ExploreOutput, brief};
use crate::config::Config;
use crate::error::Result;
use crate::model::RepoPath;
use crate::model::sanitize::one_line;
use crate::search::snippet::Snippet;
use crate::search::{Hit, Query};
use crate::tools::answer::{Cursor, MAX_LIST_BYTES, is_zero, length, truncate_to_bytes};
use crate::tools::hits::{self, NearDefaults, RankedHits};
use crate::tools::notes::{self, NoteOutput, NotedPlace};
use crate::tools::number::clamp;
use crate::workspace::View;

/// The most bytes that the neighbours may take.
const MAX_NEAR_BYTES: usize = MAX_LIST_BYTES / 3;

/// Bytes of the sentences about a list.
const MAX_BRIEF_BYTES: usize = 600;

/// The rank from which on a result is shown by its signature.
const BY_SIGNATURE: usize = usize::MAX;

/// A file with its hits, best first.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileHitsOutput {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
    pub(crate) results: Vec<LocationOutput>,
}

/// One place.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LocationOutput {
    pub(crate) handle: String,
    pub(crate) lines: String,
    pub(crate) score: f64,
    pub(crate) why: String,
    pub(crate) preview: String,
    /// Where the words of the question are in `preview`: from and to, in bytes of UTF-8. With `highlight` alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) matches: Vec<[usize; 2]>,
    /// The definition that the match lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    /// The line of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// As in `cl_search`.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) literal: u64,
    /// Where the preview does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    /// As in `cl_search`.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) notes: u64,
    /// Further hits of the file, on its last result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) collapsed: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

/// A file's hits, best first: those that are shown and those that are not.
struct Group<'a> {
    hits: Vec<&'a Hit>,
    n_shown: usize,
}

impl FileHitsOutput {
    /// Returns the sentence that names its best place.
    pub(super) fn place(&self) -> String {
        let best = self.results.first();
        let (symbol, line) = best.map_or((None, None), |it| (it.symbol.as_deref(), it.line));
        if let (Some(symbol), Some(line)) = (symbol, line) {
            return format!("First: `{symbol}` in {}:{line}.", self.path);
        }
        let lines = best.map_or("", |it| it.lines.as_str());
        format!("First: {}:{lines}.", self.path)
    }

    pub(super) fn n_results(&self) -> usize {
        self.results.len()
    }
}

/// Answers a question with files.
pub(super) fn answer(
    view: &View<'_>,
    input: &ExploreInput,
    query: &Query,
    config: &Config,
) -> Result<ExploreOutput> {
    let limit = clamp(input.limit, 8, 1..=50);
    let max_files = clamp(input.max_files, 6, 1..=20).min(limit);
    let max_of_a_file = clamp(input.max_results_per_file, 3, 1..=10);
    let depth = u32::try_from(clamp(input.related_depth, 1, 0..=3)).unwrap_or(1);
    let max_related = clamp(input.max_related, 20, 0..=100);
    let asked = format!(
        "{:?}",
        ("explore", &input.query, input.content_type, &input.path)
    );
    let after = match &input.cursor {
        Some(text) => Some(Cursor::decode(text, &asked, view.index_id)?),
        None => None,
    };
    let filters = input.filters();
    let wanted = hits::page_request(view, config, hits::DEPTH, usize::MAX);
    let RankedHits {
        hits: ranked,
        ranking,
    } = hits::ranked(view, query, &filters, wanted)?;
    let all = group(&ranked);
    // A file stands where its best hit does.
    let mut page: Vec<Group<'_>> = all
        .into_iter()
        .filter(|group| hits::is_behind(group.hits[0], after.as_ref()))
        .collect();
    let has_more = page.len() > max_files;
    page.truncate(max_files);
    share_out(&mut page, limit, max_of_a_file);
    // A later page would speak of itself alone.
    let (confidence, missing, n_left_out) = if after.is_some() {
        (None, Vec::new(), 0)
    } else {
        let shown = || {
            let groups = page.iter();
            groups.flat_map(|group| group.hits.iter().take(group.n_shown).copied())
        };
        let missing = hits::missing(view, query, &shown());
        let n_shown = shown().count();
        let (confidence, n_wanted) = hits::confidence(view, config, shown());
        keep(&mut page, n_wanted);
        (Some(confidence), missing, n_shown.saturating_sub(n_wanted))
    };
    let mut bytes = 0;
    let mut files: Vec<FileHitsOutput> = Vec::new();
    let mut is_cut = false;
    for group in &page {
        let (file, n_bytes) = file(view, query, input, group, files.len())?;
        if bytes + n_bytes > MAX_LIST_BYTES - MAX_NEAR_BYTES && !files.is_empty() {
            is_cut = true;
            break;
        }
        bytes += n_bytes;
        files.push(file);
    }
    let paths: Vec<RepoPath> = page[..files.len()]
        .iter()
        .map(|group| group.hits[0].chunk.path.clone())
        .collect();
    let mut related = if depth == 0 || max_related == 0 {
        Vec::new()
    } else {
        hits::near(view, &paths, depth, max_related)?
    };
    let n_near = related.len();
    truncate_to_bytes(&mut related, MAX_NEAR_BYTES);
    let next_cursor = (has_more || is_cut)
        .then(|| page.get(files.len().wrapping_sub(1)))
        .flatten()
        .map(|last| hits::cursor_at(last.hits[0]).encode(&asked, view.index_id));
    let mut output = ExploreOutput::new(view);
    if files
        .iter()
        .any(|file| file.stale && !view.is_stale(&file.path))
    {
        output.freshness_fields.mark_moved();
    }
    hits::say_left_out(n_left_out, &mut output.freshness_fields);
    if ranked.is_empty() && after.is_none() {
        hits::say_nothing_found(view, query, &filters, &mut output.freshness_fields)?;
    }
    let shortened = page
        .iter()
        .zip(&files)
        .any(|(group, file)| file.results.len() < group.n_shown);
    output.query = Some(hits::cut_text(query.text()));
    output.count = Some(files.iter().map(|file| file.n_results() as u64).sum());
    output.notes = add_notes(view, &mut files)?;
    output.files = Some(files);
    output.truncated = is_cut || shortened || related.len() < n_near;
    output.defaults = NearDefaults::taken_from(&mut related);
    output.related = Some(related);
    output.confidence = confidence;
    output.missing = missing;
    output.ranking = ranking;
    output.next_cursor = next_cursor;
    if after.is_none() {
        output.brief = brief::lines(&output, input, MAX_BRIEF_BYTES);
    }
    Ok(output)
}

/// Counts the saved records about each result, and names the first of them.
fn add_notes(view: &View<'_>, files: &mut [FileHitsOutput]) -> Result<Vec<NoteOutput>> {
    let places = files.iter().flat_map(|file| {
        let results = file.results.iter();
        results.map(|result| (file.path.as_str(), result.symbol.as_deref()))
    });
    let bound = notes::bound(view, false, places)?;
    let mut places: Vec<NotedPlace> = Vec::new();
    for file in files {
        for result in &mut file.results {
            let lines = notes::line_range(&result.lines);
            result.notes = bound.count(&file.path, lines, true);
            places.push((file.path.clone(), lines));
        }
    }
    Ok(notes::notes_at(
        view,
        &bound,
        &places,
        false,
        MAX_BRIEF_BYTES,
    ))
}

/// Groups hits by file, in the order of the files' best hits.
fn group(ranked: &[Hit]) -> Vec<Group<'_>> {
    let mut place: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for hit in ranked {
        let at = *place.entry(&hit.chunk.path).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group {
                hits: Vec::new(),
                n_shown: 0,
            });
        }
        groups[at].hits.push(hit);
    }
    groups
}

/// Gives each file its best hit, then the room that is left to the best of the others.
fn share_out(page: &mut [Group<'_>], limit: usize, max_of_a_file: usize) {
    let mut rest: Vec<(usize, &Hit)> = Vec::new();
    for (at, group) in page.iter_mut().enumerate() {
        group.n_shown = 1;
        let more = group.hits[1..].iter().take(max_of_a_file - 1);
        rest.extend(more.map(|hit| (at, *hit)));
    }
    // Stable: within a file the order stays, equals go by file.
    rest.sort_by(|a, b| b.1.sort_key.total_cmp(&a.1.sort_key).then(a.0.cmp(&b.0)));
    for (at, _) in rest.into_iter().take(limit.saturating_sub(page.len())) {
        page[at].n_shown += 1;
    }
}

/// Keeps the first results of a page.
fn keep(page: &mut Vec<Group<'_>>, n_wanted: usize) {
    let mut n_left = n_wanted;
    page.retain_mut(|group| {
        group.n_shown = group.n_shown.min(n_left);
        n_left -= group.n_shown;
        group.n_shown > 0
    });
}

/// Converts a file to its output form, as far as one file may go, and how many bytes that takes.
fn file(
    view: &View<'_>,
    query: &Query,
    input: &ExploreInput,
    group: &Group<'_>,
    rank: usize,
) -> Result<(FileHitsOutput, usize)> {
    let path = group.hits[0].chunk.path.to_string();
    let mut results: Vec<LocationOutput> = group.hits[..group.n_shown]
        .iter()
        .enumerate()
        .map(|(at, hit)| {
            let rank = if at == 0 { rank } else { BY_SIGNATURE };
            result(view, query, input, hit, rank)
        })
        .collect::<Result<_>>()?;
    truncate_to_bytes(&mut results, MAX_LIST_BYTES - MAX_NEAR_BYTES);
    let n_folded = group.hits.len() - results.len();
    if let Some(last) = results.last_mut() {
        last.collapsed = (n_folded > 0).then_some(n_folded as u64);
    }
    let file = FileHitsOutput {
        stale: view.is_stale(&path) || results.iter().any(|result| result.stale),
        path,
        results,
    };
    let n_bytes = length(&file);
    Ok((file, n_bytes))
}

fn result(
    view: &View<'_>,
    query: &Query,
    input: &ExploreInput,
    hit: &Hit,
    rank: usize,
) -> Result<LocationOutput> {
    let chunk = &hit.chunk;
    let shown = hits::hit_output(view, query, input.snippet, hit, rank)?;
    let signature = chunk
        .symbol
        .as_ref()
        .map(|symbol| one_line(&symbol.signature).into_owned())
        .filter(|text| !text.is_empty() && !shows(&shown.preview, text, shown.mode));
    let definition = shown.definition;
    Ok(LocationOutput {
        handle: chunk.handle.to_string(),
        lines: format!("{}-{}", chunk.span.start_line, chunk.span.end_line),
        score: hit.coverage,
        why: hit.reasons.to_string(),
        preview: shown.preview,
        matches: if input.highlight {
            shown.matches
        } else {
            Vec::new()
        },
        line: definition.as_ref().map(|it| it.line),
        symbol: definition.map(|it| it.symbol),
        literal: shown.n_literal as u64,
        signature,
        notes: 0,
        collapsed: None,
        stale: shown.is_stale,
    })
}

/// Whether a preview already shows a signature.
fn shows(preview: &str, signature: &str, mode: Snippet) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    mode != Snippet::None && plain(preview).contains(&plain(signature))
}

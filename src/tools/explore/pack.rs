//! A pack: the texts of whole definitions within a token budget, and a list of those that did not fit.
//!
//! Candidates are laid in one order and each goes in where it fits, so the same tree and question give the same bytes.
//! Whole definitions come first; the found ones that do not fit go in by their signatures.

use schemars::JsonSchema;
use serde::Serialize;

use super::brief;
use super::candidates::{self, Candidates, PackCandidate, PackRole, Why};
use super::cards;
use super::source::SourceReader;
use super::targets;
use super::{ExploreInput, ExploreOutput, Include};
use crate::error::Result;
use crate::model::RepoPath;
use crate::search::{Hit, PageRequest, Query};
use crate::tools::answer::{MAX_REPLY_BYTES, truncate_to_bytes};
use crate::tools::hits::{self, NearDefaults};
use crate::tools::schema::clamp;
use crate::workspace::View;

/// Bytes of a token.
const TOKEN_BYTES: usize = 4;

/// One definition takes at most a third of a budget; the first that was found two thirds, and all of it where it is the only one.
const MAX_PART: usize = 3;
const MAX_FIRST_PART: usize = 2;

/// The share that the surroundings of found definitions take at most.
const MAX_AROUND: usize = 2;

/// The share that is kept for the signatures of found definitions that do not fit whole.
const SIGNATURES_SHARE: usize = 10;

/// Shares of a budget that are kept for the list of omitted definitions, for sentences at most, and for related files.
const OMITTED_SHARE: usize = 25;
const BRIEF_SHARE: usize = 10;
const RELATED_SHARE: usize = 4;

/// Cards take at most this share where parts are wanted too.
const CARDS_SHARE: usize = 2;

/// Omitted definitions that are listed.
const MAX_OMITTED: usize = 50;

/// Bytes of the question that is echoed, of what brought a part, of a missing word, and how many of those are listed.
const MAX_ECHO: usize = 120;
const MAX_BECAUSE: usize = 32;
const MAX_WORD: usize = 40;
const MAX_MISSING: usize = 10;

/// The most bytes that a sentence takes with its quotes.
const SENTENCE_BYTES: usize = 164;

/// A definition of a pack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartOutput {
    handle: String,
    pub(super) path: String,
    pub(super) lines: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symbol: Option<String>,
    #[schemars(with = "String")]
    pub(super) role: PackRole,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// The words of the question that it holds, or the handle of the definition that it stands around.
    pub(super) because: String,
    /// Of the edge that leads here.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'static str>,
    /// The line of the first use, in a caller or a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The title of a test that is no definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<String>,
    /// Names of the members, of a header.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<String>,
    /// Exact lines of the file; absent where the file is not as it was indexed, and without `source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Of `text`, at 4 bytes.
    pub(super) tokens: u64,
    /// Whether the definition goes on: `text` has its comment and signature, or a part between its members.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

impl PartOutput {
    pub(super) fn handle(&self) -> &str {
        &self.handle
    }
}

/// A definition that is no part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct OmittedDefinitionOutput {
    handle: String,
    path: String,
    lines: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    #[schemars(with = "String")]
    role: PackRole,
    /// What its text would take.
    tokens: u64,
    #[schemars(with = "String")]
    why: Why,
}

/// Answers a question with a pack.
pub(super) fn of_query(
    view: &View<'_>,
    input: &ExploreInput,
    query: &Query,
) -> Result<ExploreOutput> {
    let source = SourceReader::of(view);
    let filters = input.filters();
    let wanted = PageRequest {
        limit: hits::DEPTH,
        max_of_a_file: usize::MAX,
        is_explained: false,
    };
    let ranked = hits::ranked(view, query, &filters, wanted)?;
    let found = candidates::of_hits(&source, input, query, &ranked)?;
    let mut output = ExploreOutput::new(view);
    output.query = Some(cut(query.text(), MAX_ECHO));
    let counted = ranked.iter().filter(|hit| hit.share >= candidates::CUTOFF);
    let missing = query.missing(counted).into_iter();
    output.missing = missing
        .map(|word| cut(&word, MAX_WORD))
        .take(MAX_MISSING)
        .collect();
    if ranked.is_empty() {
        hits::say_nothing_found(view, &filters, &mut output.freshness_fields)?;
    }
    related(view, input, &ranked, &mut output)?;
    fill(&source, input, &found, output)
}

/// Answers about targets with cards and a pack.
pub(super) fn of_targets(
    view: &View<'_>,
    input: &ExploreInput,
    targets: &[String],
) -> Result<ExploreOutput> {
    let source = SourceReader::of(view);
    let mut units = Vec::new();
    let mut seeds = Vec::new();
    let mut list = Vec::new();
    for text in targets {
        let target = targets::find(&source, text)?;
        if input.includes(Include::Source) {
            let found = target.units(&source)?;
            units.extend(found.into_iter().map(|unit| (unit, text.clone())));
        }
        seeds.extend(target.symbol().cloned());
        list.push(cards::card(&source, input, text, &target)?);
    }
    // The surroundings go on the cards where no source is asked for.
    let around = if input.includes(Include::Source) {
        seeds.as_slice()
    } else {
        &[]
    };
    let found = candidates::of_units(&source, input, units, around)?;
    let mut output = ExploreOutput::new(view);
    for card in &list {
        if card.is_stale() {
            output.freshness_fields.mark_moved();
        }
    }
    let budget = budget(input);
    let n_cards = list.len();
    let max_bytes = if found.list.is_empty() {
        budget * 4 / 5
    } else {
        budget / CARDS_SHARE
    };
    cards::shorten(&mut list, max_bytes);
    output.truncated = list.len() < n_cards;
    output.cards = Some(list);
    fill(&source, input, &found, output)
}

/// Adds the files around the hits where the caller says how many.
fn related(
    view: &View<'_>,
    input: &ExploreInput,
    ranked: &[Hit],
    output: &mut ExploreOutput,
) -> Result<()> {
    if input.related_depth.is_none() && input.max_related.is_none() {
        return Ok(());
    }
    let depth = u32::try_from(clamp(input.related_depth, 1, 0..=3)).unwrap_or(1);
    let max = clamp(input.max_related, 20, 0..=100);
    let mut files: Vec<RepoPath> = Vec::new();
    for hit in ranked {
        if files.len() < 6 && !files.contains(&hit.chunk.path) {
            files.push(hit.chunk.path.clone());
        }
    }
    let mut near = if depth == 0 || max == 0 {
        Vec::new()
    } else {
        hits::near(view, &files, depth, max)?
    };
    let n_near = near.len();
    truncate_to_bytes(&mut near, budget(input) / RELATED_SHARE);
    output.truncated |= near.len() < n_near;
    output.defaults = NearDefaults::taken_from(&mut near);
    output.related = Some(near);
    Ok(())
}

/// Returns the bytes that an answer may take.
fn budget(input: &ExploreInput) -> usize {
    let tokens = clamp(input.budget, 4_000, 300..=12_000);
    (tokens * TOKEN_BYTES).min(MAX_REPLY_BYTES)
}

/// Lays the candidates into the budget of an answer that has everything else.
fn fill(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    found: &Candidates,
    mut output: ExploreOutput,
) -> Result<ExploreOutput> {
    let budget = budget(input);
    output.budget = Some(clamp(input.budget, 4_000, 300..=12_000) as u64);
    output.duplicates = found.n_duplicates;
    output.parts = Some(Vec::new());
    output.omitted = Some(Vec::new());
    // The longest that these can be.
    output.tokens = Some(99_999);
    output.overhead = Some(99_999);
    output.omitted_total = Some(found.list.len() as u64);
    let n_sentences = brief::most_lines(&output, input);
    let brief_bytes = (budget / BRIEF_SHARE).min(n_sentences * SENTENCE_BYTES);
    let fixed = length(&output) + r#""truncated":true,"brief":[],"#.len();
    let room = budget.saturating_sub(fixed + brief_bytes + budget / OMITTED_SHARE);
    let filled = lay(source, input, &found.list, room, budget)?;
    if filled.parts.iter().any(|part| part.stale) {
        output.freshness_fields.mark_moved();
    }
    output.parts = Some(filled.parts);
    output.omitted_total = Some(filled.omitted.len() as u64);
    output.brief = brief::lines(&output, input, brief_bytes);
    let mut left = budget.saturating_sub(length(&output) + r#""truncated":true,"#.len());
    let mut listed: Vec<OmittedDefinitionOutput> = Vec::new();
    let n_omitted = filled.omitted.len();
    for omitted in filled.omitted.into_iter().take(MAX_OMITTED) {
        let n_bytes = length(&omitted) + 1;
        if n_bytes > left {
            break;
        }
        left -= n_bytes;
        listed.push(omitted);
    }
    output.truncated |= listed.len() < n_omitted;
    output.omitted = Some(listed);
    count_tokens(&mut output);
    Ok(output)
}

/// Says how many tokens the answer has, its own digits among them.
fn count_tokens(output: &mut ExploreOutput) {
    let of_parts: u64 = output.parts.iter().flatten().map(|part| part.tokens).sum();
    for _ in 0..4 {
        let tokens = length(output).div_ceil(TOKEN_BYTES) as u64;
        if output.tokens == Some(tokens) {
            break;
        }
        output.tokens = Some(tokens);
        output.overhead = Some(tokens.saturating_sub(of_parts));
    }
}

/// The parts of a pack, and the definitions that are none.
struct Filled {
    parts: Vec<PartOutput>,
    omitted: Vec<OmittedDefinitionOutput>,
}

/// Lays each candidate, in order, where it fits: whole, and at the end, in the room that is kept for them, the others by their
/// comments and signatures. Both lists of the result are in the order of value.
fn lay(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    list: &[PackCandidate],
    room: usize,
    budget: usize,
) -> Result<Filled> {
    let n_found = list
        .iter()
        .filter(|it| it.role.is_found() && it.excluded.is_none())
        .count();
    let mut space = Space {
        budget,
        room: if n_found > 1 {
            room - room / SIGNATURES_SHARE
        } else {
            room
        },
        n_bytes: 0,
        n_around: 0,
    };
    let mut parts: Vec<(&PackCandidate, PartOutput)> = Vec::new();
    let mut left: Vec<(&PackCandidate, Why)> = Vec::new();
    let mut is_first = true;
    for candidate in list {
        if let Some(why) = candidate.excluded {
            left.push((candidate, why));
            continue;
        }
        let is_found = candidate.role.is_found();
        let max = match (n_found, is_first && is_found) {
            (1, true) => budget,
            (_, true) => budget / MAX_PART * MAX_FIRST_PART,
            (_, false) => budget / MAX_PART,
        };
        is_first = false;
        let whole = part(source, input, candidate)?;
        let chosen = if space.take(&whole, max) {
            Some(whole)
        } else if is_found {
            None
        } else {
            shortened(source, input, candidate)?.filter(|short| space.take(short, max))
        };
        match chosen {
            Some(chosen) => parts.push((candidate, chosen)),
            None => left.push((candidate, Why::Budget)),
        }
    }
    space.room = room;
    left.sort_by(|(a, _), (b, _)| by_value(a, b));
    let mut omitted = Vec::new();
    for (candidate, why) in left {
        let is_wanted = why == Why::Budget && candidate.role.is_found();
        let short = if is_wanted {
            shortened(source, input, candidate)?.filter(|it| space.take(it, budget / MAX_PART))
        } else {
            None
        };
        match short {
            Some(short) => parts.push((candidate, short)),
            None => omitted.push(omission(source, candidate, why)?),
        }
    }
    parts.sort_by(|(a, _), (b, _)| by_value(a, b));
    Ok(Filled {
        parts: parts.into_iter().map(|(_, part)| part).collect(),
        omitted,
    })
}

/// Orders candidates by role, then by value, then by place.
fn by_value(a: &PackCandidate, b: &PackCandidate) -> std::cmp::Ordering {
    let place = |it: &PackCandidate| (it.unit.path.clone(), it.unit.lines);
    (a.role.cmp(&b.role))
        .then(b.value.total_cmp(&a.value))
        .then_with(|| place(a).cmp(&place(b)))
}

/// The bytes that parts may take and have taken.
struct Space {
    budget: usize,
    room: usize,
    n_bytes: usize,
    /// Of them for the surroundings of found definitions.
    n_around: usize,
}

impl Space {
    /// Takes the bytes of a part. Returns whether it fits, being of at most `max` bytes.
    fn take(&mut self, part: &PartOutput, max: usize) -> bool {
        let size = length(part) + 1;
        let is_around = !part.role.is_found();
        let fits = size <= max
            && self.n_bytes + size <= self.room
            && (!is_around || self.n_around + size <= self.budget / MAX_AROUND);
        if fits {
            self.n_bytes += size;
            self.n_around += if is_around { size } else { 0 };
        }
        fits
    }
}

/// Returns a part with the comment and the signature of a definition; `None` where they are the whole.
fn shortened(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    candidate: &PackCandidate,
) -> Result<Option<PartOutput>> {
    let mut short = candidate.clone();
    short.unit.reduce();
    if short.unit.lines == candidate.unit.lines {
        return Ok(None);
    }
    part(source, input, &short).map(Some)
}

fn part(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    candidate: &PackCandidate,
) -> Result<PartOutput> {
    let unit = &candidate.unit;
    let text = source.text(&unit.path)?;
    let is_moved = text.is_none();
    let text = text
        .filter(|_| input.includes(Include::Source))
        .map(|text| text.lines(unit.lines.0, unit.lines.1).to_owned());
    Ok(PartOutput {
        handle: unit.handle.to_string(),
        path: unit.path.to_string(),
        lines: lines(unit.lines),
        symbol: unit.symbol.as_ref().map(|it| it.qualified_name.clone()),
        role: candidate.role,
        score: candidate.score,
        because: cut(&candidate.because, MAX_BECAUSE),
        provenance: candidate.provenance.map(crate::model::Provenance::as_str),
        line: candidate.line,
        test: candidate.test.clone(),
        members: candidate.members.clone(),
        tokens: tokens(text.as_deref().unwrap_or_default()),
        text,
        truncated: unit.is_cut,
        stale: is_moved || source.view.is_stale(unit.path.as_str()),
    })
}

fn omission(
    source: &SourceReader<'_>,
    candidate: &PackCandidate,
    why: Why,
) -> Result<OmittedDefinitionOutput> {
    let unit = &candidate.unit;
    let text = source.text(&unit.path)?;
    Ok(OmittedDefinitionOutput {
        handle: unit.handle.to_string(),
        path: unit.path.to_string(),
        lines: lines(unit.lines),
        symbol: unit.symbol.as_ref().map(|it| it.qualified_name.clone()),
        role: candidate.role,
        tokens: text.map_or(0, |text| tokens(text.lines(unit.lines.0, unit.lines.1))),
        why,
    })
}

fn lines((first, last): (u32, u32)) -> String {
    format!("{first}-{last}")
}

fn tokens(text: &str) -> u64 {
    text.len().div_ceil(TOKEN_BYTES) as u64
}

/// Returns how many bytes a value takes on the wire.
pub(super) fn length<T: Serialize>(value: &T) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

/// Returns a text cut at a character, with a sign that it goes on.
pub(super) fn cut(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(max_bytes)])
}

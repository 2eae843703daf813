//! A pack: the texts of whole definitions within a token budget, and a list of those that did not fit.
//!
//! Candidates are laid in one order and each goes in where it fits, so the same tree and question give the same bytes.
//! Whole definitions come first; the found ones that do not fit go in by their signatures.

use super::brief;
use super::candidates::{self, Candidates};
use super::cards;
use super::fit::fit;
use super::part::{OmittedDefinitionOutput, cut};
use super::source::SourceReader;
use super::targets;
use super::{ExploreInput, ExploreOutput, Include};
use crate::config::Config;
use crate::error::Result;
use crate::model::RepoPath;
use crate::search::{Hit, Query};
use crate::tools::answer::{BYTES_PER_SOURCE_TOKEN, MAX_REPLY_BYTES, length, truncate_to_bytes};
use crate::tools::hits::{self, NearDefaults, RankedHits};
use crate::tools::notes::{self, NotedPlace};
use crate::tools::number::clamp;
use crate::workspace::View;

/// The parts of a budget that are kept for the list of omitted definitions, for sentences at most, and for related files: one in so many.
const OMITTED_DIVISOR: usize = 25;
const BRIEF_DIVISOR: usize = 10;
const RELATED_DIVISOR: usize = 4;

/// Cards take at most one part in so many of a budget where parts are wanted too.
const CARDS_DIVISOR: usize = 2;

/// Files whose neighbours are listed, and files of a question that have a card.
const MAX_RELATED_FILES: usize = 6;
const MAX_FILE_CARDS: usize = 5;

/// Omitted definitions that are listed.
const MAX_OMITTED: usize = 50;

/// Bytes of the question that is echoed, of a missing word, and how many of those are listed.
const MAX_ECHO_BYTES: usize = 120;
const MAX_WORD_BYTES: usize = 40;
const MAX_MISSING: usize = 10;

/// The most bytes that a sentence takes with its quotes.
const SENTENCE_BYTES: usize = 164;

/// Answers a question with a pack.
pub(super) fn of_query(
    view: &View<'_>,
    input: &ExploreInput,
    query: &Query,
    config: &Config,
) -> Result<ExploreOutput> {
    let source = SourceReader::of(view);
    let filters = input.filters();
    let wanted = hits::page_request(view, config, hits::DEPTH, usize::MAX);
    let RankedHits {
        hits: mut ranked,
        ranking,
    } = hits::ranked(view, query, &filters, wanted)?;
    let mut output = ExploreOutput::new(view);
    output.query = Some(cut(query.text(), MAX_ECHO_BYTES));
    let counted = ranked.iter().filter(|hit| hit.share >= candidates::CUTOFF);
    let missing = query.missing(counted).into_iter();
    output.missing = missing
        .map(|word| cut(&word, MAX_WORD_BYTES))
        .take(MAX_MISSING)
        .collect();
    let counted = ranked.iter().filter(|hit| hit.share >= candidates::CUTOFF);
    let (confidence, n_wanted) = hits::confidence(view, config, counted);
    output.confidence = Some(confidence);
    output.ranking = ranking;
    if ranked.is_empty() {
        hits::say_nothing_found(view, query, &filters, &mut output.freshness_fields)?;
    }
    hits::say_left_out(
        ranked.len().saturating_sub(n_wanted),
        &mut output.freshness_fields,
    );
    ranked.truncate(n_wanted);
    let found = candidates::of_hits(&source, input, query, &ranked)?;
    related(view, input, &ranked, &mut output)?;
    if let Some(histories) = input.histories(view, config)? {
        let mut list = Vec::new();
        for path in first_files(&ranked, MAX_FILE_CARDS) {
            let target = targets::PackTarget::File(path.clone());
            list.push(cards::card(
                &source,
                input,
                path.as_str(),
                &target,
                Some(&histories),
            )?);
        }
        add_cards(list, budget_bytes(input) / CARDS_DIVISOR, &mut output);
        output.history = Some(histories.held());
    }
    fill(&source, input, &found, output)
}

/// Answers about targets with cards and a pack.
pub(super) fn of_targets(
    view: &View<'_>,
    input: &ExploreInput,
    targets: &[String],
    config: &Config,
) -> Result<ExploreOutput> {
    let histories = input.histories(view, config)?;
    let source = SourceReader::of(view);
    let mut items = Vec::new();
    let mut roots = Vec::new();
    let mut list = Vec::new();
    for text in targets {
        let target = targets::find(&source, text)?;
        if input.includes(Include::Source) {
            let found = target.items(&source)?;
            items.extend(found.into_iter().map(|item| (item, text.clone())));
        }
        roots.extend(target.symbol().cloned());
        list.push(cards::card(
            &source,
            input,
            text,
            &target,
            histories.as_ref(),
        )?);
    }
    // The surroundings go on the cards where no source is asked for.
    let around = if input.includes(Include::Source) {
        roots.as_slice()
    } else {
        &[]
    };
    let found = candidates::of_items(&source, input, items, around)?;
    let mut output = ExploreOutput::new(view);
    output.history = histories.map(|it| it.held());
    let budget = budget_bytes(input);
    let max_bytes = if found.list.is_empty() {
        budget * 4 / 5
    } else {
        budget / CARDS_DIVISOR
    };
    add_cards(list, max_bytes, &mut output);
    fill(&source, input, &found, output)
}

/// Adds cards, cut to a number of bytes.
fn add_cards(mut list: Vec<cards::CardOutput>, max_bytes: usize, output: &mut ExploreOutput) {
    if list.iter().any(cards::CardOutput::is_stale) {
        output.freshness_fields.mark_moved();
    }
    let n_cards = list.len();
    cards::shorten(&mut list, max_bytes);
    output.truncated |= list.len() < n_cards;
    output.cards = Some(list);
}

/// Returns the files of the best hits.
fn first_files(ranked: &[Hit], n: usize) -> Vec<RepoPath> {
    let mut files: Vec<RepoPath> = Vec::new();
    for hit in ranked {
        if files.len() < n && !files.contains(&hit.chunk.path) {
            files.push(hit.chunk.path.clone());
        }
    }
    files
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
    let files = first_files(ranked, MAX_RELATED_FILES);
    let mut near = if depth == 0 || max == 0 {
        Vec::new()
    } else {
        hits::near(view, &files, depth, max)?
    };
    let n_near = near.len();
    truncate_to_bytes(&mut near, budget_bytes(input) / RELATED_DIVISOR);
    output.truncated |= near.len() < n_near;
    output.defaults = NearDefaults::taken_from(&mut near);
    output.related = Some(near);
    Ok(())
}

/// Returns the tokens that an answer may take.
fn budget_tokens(input: &ExploreInput) -> usize {
    clamp(input.budget, 4_000, 300..=12_000)
}

/// Returns the bytes that an answer may take.
fn budget_bytes(input: &ExploreInput) -> usize {
    (budget_tokens(input) * BYTES_PER_SOURCE_TOKEN).min(MAX_REPLY_BYTES)
}

/// Lays the candidates into the budget of an answer that has everything else.
fn fill(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    found: &Candidates,
    mut output: ExploreOutput,
) -> Result<ExploreOutput> {
    let budget = budget_bytes(input);
    add_records(source, input, found, &mut output)?;
    output.budget = Some(budget_tokens(input) as u64);
    output.duplicates = found.n_duplicates;
    output.parts = Some(Vec::new());
    output.omitted = Some(Vec::new());
    // The longest that these can be.
    output.tokens = Some(99_999);
    output.overhead = Some(99_999);
    output.omitted_total = Some(found.list.len() as u64);
    let n_sentences = brief::most_lines(&output, input);
    let brief_bytes = (budget / BRIEF_DIVISOR).min(n_sentences * SENTENCE_BYTES);
    let fixed = length(&output) + r#""truncated":true,"brief":[],"#.len();
    let room = budget.saturating_sub(fixed + brief_bytes + budget / OMITTED_DIVISOR);
    let filled = fit(source, input, &found.list, room, budget)?;
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

/// Looks up the saved records about the candidates and the cards: counts, titles, and texts and documents where they are asked
/// for.
fn add_records(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    found: &Candidates,
    output: &mut ExploreOutput,
) -> Result<()> {
    let view = source.view;
    let items = found.list.iter().map(|candidate| {
        let item = &candidate.item;
        let symbol = item.symbol.as_ref();
        (
            item.path.as_str(),
            symbol.map(|it| it.qualified_name.as_str()),
        )
    });
    let cards = output.cards.iter().flatten();
    let cards = cards.filter_map(|card| Some((card.path.as_deref()?, card.symbol.as_deref())));
    let is_asked = input.includes(Include::Notes) || input.includes(Include::Documents);
    let bound = notes::bound(view, is_asked, items.chain(cards))?;
    let mut places: Vec<NotedPlace> = Vec::new();
    for card in output.cards.iter_mut().flatten() {
        let (Some(path), Some(counts)) = (&card.path, &mut card.counts) else {
            continue;
        };
        let lines = card.lines.as_deref().and_then(notes::line_range);
        let n_notes = bound.count(path, lines, true);
        counts.notes = (n_notes > 0).then_some(n_notes);
        places.push((path.clone(), lines));
    }
    let items = found.list.iter().filter(|it| it.role.is_found());
    places.extend(items.map(|it| (it.item.path.to_string(), Some(it.item.lines))));
    let with_text = input.includes(Include::Notes);
    let divisor = if with_text {
        RELATED_DIVISOR
    } else {
        BRIEF_DIVISOR
    };
    let max_bytes = budget_bytes(input) / divisor;
    output.notes = notes::notes_at(view, &bound, &places, with_text, max_bytes);
    if input.includes(Include::Documents) {
        let is_project = matches!(input.targets.as_slice(), [only] if only == ".");
        let words = output.query.as_deref().unwrap_or_default().to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric());
        let words: Vec<String> = words
            .filter(|word| word.chars().count() > 3)
            .map(str::to_owned)
            .collect();
        let mut documents = notes::documents_at(view, &bound, &places, is_project, &words)?;
        truncate_to_bytes(&mut documents, budget_bytes(input) / RELATED_DIVISOR);
        output.documents = Some(documents);
    }
    // Set once: an answer has one pack.
    drop(source.bound.set(bound));
    Ok(())
}

/// Says how many tokens the answer has, its own digits among them.
fn count_tokens(output: &mut ExploreOutput) {
    let of_parts: u64 = output.parts.iter().flatten().map(|part| part.tokens).sum();
    for _ in 0..4 {
        let tokens = length(output).div_ceil(BYTES_PER_SOURCE_TOKEN) as u64;
        if output.tokens == Some(tokens) {
            break;
        }
        output.tokens = Some(tokens);
        output.overhead = Some(tokens.saturating_sub(of_parts));
    }
}

//! Orders the hits of all channels: each chunk by itself, then by its file and by past commits.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::channel::ChannelHits;
use super::channel_scores::ChannelScores;
use super::coverage::{Coverage, NamedWords};
use super::explain::{ScoreBreakdown, Signal};
use super::query::Query;
use super::scorer::{Scored, Scorer};
use super::{Filters, Hit, PageRequest, history, meaning};
use crate::model::{ChunkId, FileId, SymbolKind};
use crate::store::{ChunkBrief, Read, StoreResult, token};

/// Weight of the history channel, relative to the best score.
const HISTORY: f64 = 0.5;
/// Share of the next best chunk of the same file that is added to a score; each further one counts half as much.
const SAME_FILE: f64 = 0.25;
const SAME_FILE_DECAY: f64 = 0.5;

/// Weight of the logarithm of the length of a definition, among those of its file: a definition of four lines loses
/// an eighth, one of sixty gains as much.
const LENGTH_WEIGHT: f64 = 0.1;
const USUAL_LINES: f64 = 15.0;
const FEWEST_LINES: u32 = 4;
const MOST_LINES: u32 = 60;
/// Lines that a chunk between definitions counts as.
const LINES_WITHOUT_SYMBOL: u32 = 8;
/// A further part of a function that another part stands for.
const FURTHER_PART: f64 = 0.5;
/// A definition that another file has in the same words.
const COPY: f64 = 0.5;

/// The most that a recent change adds, relative to the best score: less than the step from the first to the second rank of
/// rank fusion (1/61 − 1/62, a sixtieth of the first).
const RECENCY: f64 = 0.01;

/// Number of best chunks whose coverage of the query closes the history channel.
const N_COVERING: usize = 3;

/// Files that history alone brings in, the strongest first.
const MAX_FILES_OF_HISTORY: usize = 30;

/// Scores the hits, orders them and loads the requested page.
pub(super) fn rank(
    read: &Read<'_>,
    query: &Query,
    filters: &Filters,
    found: &ChannelHits,
    wanted: PageRequest<'_>,
) -> StoreResult<Vec<Hit>> {
    let mut scorer = Scorer::new(read, query, filters, found, wanted.marks);
    let mut scored = Vec::with_capacity(found.chunks.len());
    for (row, strength) in &found.chunks {
        if let Some(chunk) = read.chunk_brief(*row)? {
            scored.push(scorer.score(*row, chunk, strength));
        }
    }
    sort(&mut scored);
    add_same_file(&mut scored, &scorer);
    sort(&mut scored);
    add_history(read, query, found, &mut scorer, &mut scored)?;
    sort(&mut scored);
    if wanted.meaning_weight > 0 {
        let weight = f64::from(wanted.meaning_weight) / 1_000.0;
        add_meaning(read, query, found, &mut scorer, &mut scored, weight)?;
        sort(&mut scored);
    }
    choose_within_files(&mut scored, &scorer);
    if wanted.fuses_by_rank {
        fuse_by_rank(&mut scored);
    }
    if !scorer.is_look_up && !query.phrases.iter().any(|phrase| phrase.is_quoted) {
        demote_duplicates(&mut scored);
    }
    if wanted.recency > 0 {
        add_recency(read, query, found, &mut scored, wanted.recency)?;
    }
    sort_by_tier(&mut scored);
    let ranks = wanted
        .is_explained
        .then(|| ScoreBreakdown::ranks(scored.iter().map(|scored| &scored.breakdown)));
    let best = scored
        .iter()
        .map(|scored| scored.score)
        .max_by(f64::total_cmp)
        .filter(|best| *best > 0.0)
        .unwrap_or(1.0);
    let coverage = Coverage::of(query, &found.text.terms);
    let mut of_file: HashMap<FileId, usize> = HashMap::new();
    scored.retain(|scored| {
        let n = of_file.entry(scored.chunk.file).or_default();
        *n += 1;
        scored.score > 0.0 && *n <= wanted.max_of_a_file
    });
    let mut hits = Vec::with_capacity(wanted.limit.min(scored.len()));
    for scored in scored.into_iter().take(wanted.limit) {
        if let Some(chunk) = read.chunk(scored.row)? {
            let path = chunk.path.as_str();
            let held = found.text.chunks.get(&scored.row).map_or(0, |it| it.held);
            let strength = found.chunks.get(&scored.row).copied();
            let strength = strength.unwrap_or_default();
            let named = if strength.whole > 0.0 {
                NamedWords::of(&chunk)
            } else {
                NamedWords::default()
            };
            let covered = coverage.covered(held, &strength, &named);
            let share = (scored.score / best * 10_000.0).round() / 10_000.0;
            hits.push(Hit {
                coverage: covered.share,
                sort_key: f64::from(scored.tier) + share,
                tier: scored.tier,
                share,
                held_words: covered.words,
                reasons: scored.breakdown.reasons(names_path(query, path)),
                explanation: ranks.as_ref().map(|ranks| {
                    let mut explanation = scored.breakdown.explain(ranks, best);
                    if let Some(strength) = found.meaning.get(&scored.row) {
                        let stronger = found.meaning.values().filter(|other| *other > strength);
                        explanation.show_meaning(1 + stronger.count());
                    }
                    explanation
                }),
                chunk,
            });
        }
    }
    // Rounding may have made equals: their order is by path and line as well.
    hits.sort_by(|a, b| {
        b.sort_key
            .total_cmp(&a.sort_key)
            .then_with(|| a.chunk.path.cmp(&b.chunk.path))
            .then_with(|| a.chunk.span.start_line.cmp(&b.chunk.span.start_line))
    });
    Ok(hits)
}

/// Replaces each score by the sum of `1 / (60 + rank)` over the signals that found the chunk.
fn fuse_by_rank(scored: &mut [Scored]) {
    let ranks = ScoreBreakdown::ranks(scored.iter().map(|scored| &scored.breakdown));
    for scored in scored.iter_mut() {
        scored.breakdown = scored.breakdown.by_rank(&ranks);
        scored.score = scored.breakdown.score();
    }
    sort(scored);
}

fn sort(scored: &mut [Scored]) {
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.chunk.path.cmp(&b.chunk.path))
            .then_with(|| a.chunk.start_line.cmp(&b.chunk.start_line))
    });
}

/// Puts chunks that hold a quoted text before the rest, and generated data behind it.
fn sort_by_tier(scored: &mut [Scored]) {
    // Stable: within a tier the order stays.
    scored.sort_by_key(|scored| Reverse(scored.tier));
}

/// Lets the chunks of a file speak for each other; `scored` is in order. A question for a name is after one
/// place, not after the file that says it most.
fn add_same_file(scored: &mut [Scored], scorer: &Scorer<'_>) {
    if scorer.is_look_up {
        return;
    }
    let mut others: HashMap<FileId, (f64, f64)> = HashMap::new();
    for chunk in scored.iter() {
        let (sum, weight) = others.entry(chunk.chunk.file).or_insert((0.0, 0.0));
        *sum += chunk.score * *weight;
        *weight = if *weight > 0.0 {
            *weight * SAME_FILE_DECAY
        } else {
            1.0
        };
    }
    for chunk in scored {
        let (sum, _) = others[&chunk.chunk.file];
        chunk.add(Signal::File, SAME_FILE * sum);
    }
}

/// Chooses which places stand for each file; `scored` is in order and stays so, and the best place of a file
/// has the score that the best had. Of two that say as much, the one with more in it is where something is
/// done, and a function that is cut up stands for itself once.
fn choose_within_files(scored: &mut [Scored], scorer: &Scorer<'_>) {
    if scorer.is_look_up {
        // A name is asked for: each definition answers once.
        demote_further_parts(scored, |_| true);
        return;
    }
    let mut best: HashMap<FileId, (f64, f64)> = HashMap::new();
    for chunk in scored.iter_mut() {
        let before = chunk.score;
        chunk.add(Signal::File, before * (length_factor(&chunk.chunk) - 1.0));
        let (_, after) = best
            .entry(chunk.chunk.file)
            .or_insert((before, f64::NEG_INFINITY));
        *after = after.max(chunk.score);
    }
    for chunk in scored.iter_mut() {
        let (before, after) = best[&chunk.chunk.file];
        chunk.add(Signal::File, before - after);
    }
    sort(scored);
    demote_further_parts(scored, SymbolKind::is_function);
}

/// Demotes what is a further part of a definition that a better place stands for; `stands` chooses the kinds that stand for themselves
/// once. `scored` is in order and stays so.
fn demote_further_parts(scored: &mut [Scored], stands: impl Fn(SymbolKind) -> bool) {
    let mut seen = HashSet::new();
    for chunk in scored.iter_mut() {
        if let (Some((kind, _)), Some((symbol, _))) = (chunk.chunk.symbol, chunk.chunk.extent)
            && stands(kind)
            && !seen.insert((chunk.chunk.file, symbol))
        {
            chunk.add(Signal::File, chunk.score * (FURTHER_PART - 1.0));
        }
    }
    sort(scored);
}

/// Demotes definitions that a better place has in the same words: code that is checked in twice, or built into the
/// repository, is read once. Short definitions may well stand in many places. `scored` is in order and stays so.
fn demote_duplicates(scored: &mut [Scored]) {
    let mut first: HashMap<i64, FileId> = HashMap::new();
    for chunk in scored.iter_mut() {
        let is_long = |(_, lines)| lines >= FEWEST_LINES;
        if !chunk.chunk.extent.is_some_and(is_long) {
            continue;
        }
        let of = *first.entry(chunk.chunk.digest).or_insert(chunk.chunk.file);
        if of != chunk.chunk.file {
            chunk.add(Signal::Copy, chunk.score * (COPY - 1.0));
        }
    }
    sort(scored);
}

/// The factor for the length of the definition of a chunk, around 1.
fn length_factor(chunk: &ChunkBrief) -> f64 {
    let lines = chunk
        .extent
        .map_or(LINES_WITHOUT_SYMBOL, |(_, lines)| lines);
    let lines = f64::from(lines.clamp(FEWEST_LINES, MOST_LINES));
    1.0 + LENGTH_WEIGHT * (lines / USUAL_LINES).ln()
}

/// Adds the history score of files, as far as the code leaves the question open; `scored` is in order.
fn add_history(
    read: &Read<'_>,
    query: &Query,
    found: &ChannelHits,
    scorer: &mut Scorer<'_>,
    scored: &mut Vec<Scored>,
) -> StoreResult<()> {
    if found.history.is_empty() {
        return Ok(());
    }
    let open = open_share(read, query, found, scored)?;
    if open <= 0.0 {
        return Ok(());
    }
    bring_in(read, found, scorer, scored)?;
    let weight = HISTORY * open * scored.first().map_or(1.0, |first| first.score);
    for chunk in scored {
        if let Some(strength) = found.history.get(&chunk.chunk.path) {
            let factor = chunk.breakdown.of_file();
            chunk.add(Signal::History, weight * strength * factor);
        }
    }
    Ok(())
}

/// Adds the strength of meaning, as far as the code leaves the question open; `scored` is in order. Chunks that no other signal found come in.
fn add_meaning(
    read: &Read<'_>,
    query: &Query,
    found: &ChannelHits,
    scorer: &mut Scorer<'_>,
    scored: &mut Vec<Scored>,
    weight: f64,
) -> StoreResult<()> {
    if found.meaning.is_empty() {
        return Ok(());
    }
    let open = open_share(read, query, found, scored)?;
    if open <= 0.0 {
        return Ok(());
    }
    let weight = meaning::WEIGHT * weight * open * scored.first().map_or(1.0, |first| first.score);
    let known: HashSet<ChunkId> = scored.iter().map(|scored| scored.row).collect();
    for row in found.meaning.keys().filter(|row| !known.contains(row)) {
        if let Some(chunk) = read.chunk_brief(*row)? {
            let text = found.text.chunks.get(row);
            let strength = ChannelScores::of_text(text, found.text.best);
            scored.push(scorer.score(*row, chunk, &strength));
        }
    }
    for chunk in scored {
        if let Some(strength) = found.meaning.get(&chunk.row) {
            let factor = chunk.breakdown.of_file();
            chunk.add(Signal::Vector, weight * strength * factor);
        }
    }
    Ok(())
}

/// Returns how far the best chunks leave the question open to signals other than its words (past commits, meaning, recent
/// changes), from 0 to 1; `scored` is in order.
fn open_share(
    read: &Read<'_>,
    query: &Query,
    found: &ChannelHits,
    scored: &[Scored],
) -> StoreResult<f64> {
    let covered = |scored: &Scored| found.text.chunks.get(&scored.row).map(|text| text.coverage);
    let coverage = scored.iter().take(N_COVERING).filter_map(covered);
    let coverage = coverage.fold(0.0, f64::max);
    let mut names = HashSet::new();
    for word in query.content_words().iter().take(2) {
        if read.has_symbol_named(&word.norm)? {
            names.insert(word.norm.as_str());
        }
    }
    Ok(history::open_share(query, coverage, |word| {
        names.contains(word)
    }))
}

/// Lets files that were changed lately go before others of nearly the same score, as far as the code leaves the question open;
/// `scored` is in order and stays so. Ages count from the index's commit.
fn add_recency(
    read: &Read<'_>,
    query: &Query,
    found: &ChannelHits,
    scored: &mut [Scored],
    thousandths: u32,
) -> StoreResult<()> {
    let open = open_share(read, query, found, scored)?;
    let head_s = read.head_time()?.filter(|_| read.has_history());
    let (Some(head_s), Some(best)) = (head_s, scored.first().map(|first| first.score)) else {
        return Ok(());
    };
    let weight = RECENCY * f64::from(thousandths) / 1_000.0 * open * best;
    if weight <= 0.0 {
        return Ok(());
    }
    let changed = read.newest_changes()?;
    for chunk in scored.iter_mut() {
        if let Some(changed_s) = changed.get(&chunk.chunk.path) {
            let share = history::recency(head_s.saturating_sub(*changed_s));
            chunk.add(Signal::Recency, weight * share);
        }
    }
    sort(scored);
    Ok(())
}

/// Brings in the best chunk of each file that history names and no other signal did.
fn bring_in(
    read: &Read<'_>,
    found: &ChannelHits,
    scorer: &mut Scorer<'_>,
    scored: &mut Vec<Scored>,
) -> StoreResult<()> {
    let known: HashSet<&str> = scored
        .iter()
        .map(|scored| scored.chunk.path.as_str())
        .collect();
    let mut missing: Vec<(&str, f64)> = found
        .history
        .iter()
        .filter(|(path, _)| !known.contains(path.as_str()))
        .map(|(path, strength)| (path.as_str(), *strength))
        .collect();
    missing.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    missing.truncate(MAX_FILES_OF_HISTORY);
    let mut new = Vec::new();
    for (path, _) in missing {
        let Some(file) = read.file(path)? else {
            continue;
        };
        let mut best: Option<Scored> = None;
        for row in read.chunks_of(&[file.id])? {
            // Without a word of the question it would be shown for nothing that a reader can see.
            let Some(text) = found.text.chunks.get(&row) else {
                continue;
            };
            if let Some(chunk) = read.chunk_brief(row)? {
                let strength = ChannelScores::of_text(Some(text), found.text.best);
                let chunk = scorer.score(row, chunk, &strength);
                let key = |scored: &Scored| (scored.score, Reverse(scored.chunk.start_line));
                if best.as_ref().is_none_or(|best| key(&chunk) > key(best)) {
                    best = Some(chunk);
                }
            }
        }
        new.extend(best);
    }
    scored.extend(new);
    Ok(())
}

fn names_path(query: &Query, path: &str) -> bool {
    token::words(path).iter().any(|word| {
        std::iter::once(&word.norm)
            .chain(&word.parts)
            .any(|part| part.len() > 2 && query.terms().contains(part))
    })
}

#[cfg(test)]
mod tests {
    use super::names_path;
    use crate::search::parse;

    #[test]
    fn a_word_of_the_question_may_be_in_the_path() {
        let query = parse("scheduler flush").unwrap();
        assert!(names_path(&query, "src/scheduler.ts") && !names_path(&query, "src/queue.ts"));
    }
}

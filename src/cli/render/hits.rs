//! The results of a search.

use super::embed::embed_build;
use super::graph::{self, Entry};
use super::text::{count, put};
use super::{Rest, footer, memory, said};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible};
use crate::tools::answer::FreshnessFields;
use crate::tools::explore::ExploreOutput;
use crate::tools::explore::list::LocationOutput;
use crate::tools::hits::{ConfidenceOutput, NearDefaults, NearOutput};
use crate::tools::ranking::RankingOutput;
use crate::tools::search::{ExplainOutput, HitOutput, SearchOutput};

/// Returns the hits, best first, each with its place, name, reasons and preview.
pub(super) fn search(found: &SearchOutput, screen: &Screen) -> String {
    let mut text = String::new();
    let hits = &found.results;
    if hits.is_empty() {
        text += &nothing_found(&found.query, &found.freshness_fields, screen);
    }
    let last_literal = hits.iter().rposition(|hit| hit.literal > 0);
    for (place, hit) in hits.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        if last_literal.is_some_and(|last| place == last + 1) {
            let rest = "The results below do not hold the query as it stands.";
            put!(text, "{}\n\n", screen.paint(FAINT, rest));
        }
        text += &heading(hit, screen);
        text += &hit
            .explain
            .as_ref()
            .map_or(String::new(), |it| explanation(it, screen));
        text += &preview(&hit.preview, &hit.matches, screen);
    }
    text += &missing(
        found.confidence.as_ref(),
        found.count,
        &found.missing,
        screen,
    );
    if let Some(ranking) = &found.ranking {
        let reference = found.freshness_fields.reference.as_deref();
        text += &models(ranking, reference, screen);
    }
    let defaults = found.defaults.as_ref().and_then(|it| it.near.as_ref());
    text += &neighbours(found.related.as_deref(), defaults, screen);
    let rest = Rest {
        is_cut: found.truncated,
        cursor: found.next_cursor.as_deref(),
        ..Rest::default()
    };
    text + &footer(rest, screen)
}

/// Returns a line for each model of the user's that should have counted and did not. `reference` names the commit that was asked about.
fn models(ranking: &RankingOutput, reference: Option<&str>, screen: &Screen) -> String {
    let meaning = ranking.vector.as_ref().map_or(String::new(), |vector| {
        let why = vector.why.unwrap_or_default();
        match (vector.state, why) {
            ("partial", _) => format!(
                "{} of {} chunks have a vector, so meaning {}; `{}` makes the others",
                count(vector.have.unwrap_or_default()),
                count(vector.of.unwrap_or_default()),
                if vector.counts {
                    "counts for those alone"
                } else {
                    "does not count yet"
                },
                embed_build(reference)
            ),
            ("off", "weight") | ("whole", _) => String::new(),
            _ => format!("meaning does not count: {why} (`codelens embed status` tells more)"),
        }
    });
    let order = match ranking.rerank {
        Some("timeout") => {
            "the model of [rerank] did not answer in time: the order is the search's"
        }
        Some("failed") => "the model of [rerank] failed: the order is the search's",
        _ => "",
    };
    let mut text = String::new();
    for line in [meaning.as_str(), order] {
        if !line.is_empty() {
            put!(text, "\n{}\n", screen.paint(FAINT, line));
        }
    }
    text
}

/// Returns the files with their hits, best first, and their neighbours.
pub(super) fn explore(found: &ExploreOutput, screen: &Screen) -> String {
    let mut text = String::new();
    let files = found.files.as_deref().unwrap_or_default();
    if files.is_empty() {
        let query = found.query.as_deref().unwrap_or_default();
        text += &nothing_found(query, &found.freshness_fields, screen);
    }
    for (place, file) in files.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        let path = visible(&file.path);
        text += &screen.paint(STRONG, &path);
        text += &stale(file.stale, screen);
        text.push('\n');
        for hit in &file.results {
            text += &place_in_file(&path, hit, screen);
            text += &preview(&hit.preview, &hit.matches, screen);
        }
        let folded: u64 = file.results.iter().filter_map(|hit| hit.collapsed).sum();
        if folded > 0 {
            let matches = if folded == 1 { "match" } else { "matches" };
            let more = format!("  {} more {matches} in this file", count(folded));
            put!(text, "{}\n", screen.paint(FAINT, &more));
        }
    }
    let n_results = found.count.unwrap_or_default();
    text += &missing(found.confidence.as_ref(), n_results, &found.missing, screen);
    text += &memory::noted(&found.notes, found.documents.as_deref(), screen);
    text += &neighbours(found.related.as_deref(), found.defaults.as_ref(), screen);
    let rest = Rest {
        is_cut: found.truncated,
        cursor: found.next_cursor.as_deref(),
        ..Rest::default()
    };
    text + &footer(rest, screen)
}

fn neighbours(
    related: Option<&[NearOutput]>,
    defaults: Option<&NearDefaults>,
    screen: &Screen,
) -> String {
    let related = related.unwrap_or_default().iter();
    let entries: Vec<(&str, Entry<'_>)> = related
        .map(|near| (near.source_path.as_str(), Entry::near(near, defaults)))
        .collect();
    graph::neighbours(&entries, screen)
}

/// Returns the line for an empty result: the query and the files that were searched; `nothing found yet` while the index is
/// not complete.
fn nothing_found(query: &str, fields: &FreshnessFields, screen: &Screen) -> String {
    let is_fresh = fields.freshness == "fresh";
    let found = if is_fresh {
        "nothing found"
    } else {
        "nothing found yet"
    };
    let mut text = screen.paint(FAINT, &format!("{found} for “{}”", visible(query)));
    if is_fresh && !fields.note.is_empty() {
        text += &screen.paint(FAINT, &format!(": {}", said(&fields.note)));
    }
    text + "\n"
}

/// Returns how little is to be expected of the results, and the words that none of them holds, as lines.
fn missing(
    confidence: Option<&ConfidenceOutput>,
    n_results: u64,
    words: &[String],
    screen: &Screen,
) -> String {
    let mut text = String::new();
    if confidence.is_some_and(|it| it.level == "low" && it.basis != "none") {
        let low = "low confidence: what was asked for may not be in this repository";
        text = screen.paint(CARE, low) + "\n";
    }
    // That nothing was found is said already.
    if n_results > 0 && !words.is_empty() {
        let words: Vec<_> = words.iter().map(|word| visible(word)).collect();
        let line = format!("No result holds: {}", words.join(", "));
        put!(text, "\n{}\n", screen.paint(CARE, &line));
    }
    text
}

/// Returns the line that a hit is shown at: that of its definition, else its first.
fn line_of(line: Option<u32>, lines: &str) -> String {
    match line {
        Some(line) => line.to_string(),
        None => visible(lines.split('-').next().unwrap_or_default()).into_owned(),
    }
}

fn place_in_file(path: &str, hit: &LocationOutput, screen: &Screen) -> String {
    let place = format!("{path}:{}", line_of(hit.line, &hit.lines));
    let mut line = format!("  {}\n", screen.paint(PLACE, &place));
    if let Some(signature) = &hit.signature {
        let signature = visible(signature);
        let signature = screen.fit(&signature, screen.width.saturating_sub(4));
        put!(line, "    {}\n", screen.paint(STRONG, &signature));
    }
    line
}

/// Returns the mark of results that must be read anew.
pub(super) fn stale(is_stale: bool, screen: &Screen) -> String {
    if is_stale {
        format!("  {}", screen.paint(CARE, "stale"))
    } else {
        String::new()
    }
}

fn heading(hit: &HitOutput, screen: &Screen) -> String {
    let place = format!("{}:{}", visible(&hit.path), line_of(hit.line, &hit.lines));
    let mut line = screen.paint(PLACE, &place);
    if let Some(kind) = hit.kind {
        put!(line, "  {}", screen.paint(FAINT, &visible(kind)));
    }
    if let Some(symbol) = &hit.symbol {
        put!(line, " {}", screen.paint(STRONG, &visible(symbol)));
    }
    if hit.explain.is_some() {
        let why = visible(hit.why.as_deref().unwrap_or_default());
        let reasons = format!("{:.2} {why}", hit.score.unwrap_or_default());
        put!(line, "  {}", screen.paint(FAINT, reasons.trim_end()));
    }
    line + &stale(hit.stale, screen) + "\n"
}

/// Returns a line with the parts of the score.
fn explanation(explain: &ExplainOutput, screen: &Screen) -> String {
    let signals = explain
        .signals
        .iter()
        .map(|it| format!("{} #{} +{:.2}", visible(it.name), it.rank, it.adds));
    let factors = explain.factors.iter();
    let factors = factors.map(|(name, factor)| format!("{} ×{factor:?}", visible(name)));
    let parts: Vec<String> = signals.chain(factors).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("    {}\n", screen.paint(FAINT, &parts.join("  ")))
}

/// Returns the preview of a hit, indented, with its `matches` strong.
fn preview(preview: &str, matches: &[[usize; 2]], screen: &Screen) -> String {
    let mut text = String::new();
    let mut start = 0;
    for line in preview.trim_end_matches('\n').split('\n') {
        if preview.is_empty() {
            break;
        }
        let shown = emphasise(line, start, matches, screen);
        text += format!("    {shown}").trim_end();
        text.push('\n');
        start += line.len() + 1;
    }
    text
}

/// Returns a line of a preview with the words strong that match; `start` is where the line begins in the preview, in
/// bytes, and `matches` are pairs of bytes of the preview.
pub(super) fn emphasise(
    line: &str,
    start: usize,
    matches: &[[usize; 2]],
    screen: &Screen,
) -> String {
    let mut text = String::new();
    let mut done = 0;
    for [from, to] in matches {
        let (Some(from), Some(to)) = (from.checked_sub(start), to.checked_sub(start)) else {
            continue;
        };
        if let (Some(before), Some(word)) = (line.get(done..from), line.get(from..to)) {
            text += &visible(before);
            text += &screen.paint(STRONG, &visible(word));
            done = to;
        }
    }
    text + &visible(line.get(done..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::preview;
    use crate::cli::screen::Screen;

    const COLOURED: Screen = Screen {
        width: 80,
        is_terminal: true,
        is_coloured: true,
        links: None,
    };

    #[test]
    fn matches_are_strong_and_asterisks_of_the_code_stay() {
        let shown = preview("f(**queue);\né = job ** 2", &[[4, 9], [17, 20]], &COLOURED)
            .replace("\u{1b}[1m", "<")
            .replace("\u{1b}[0m", ">");
        assert_eq!(shown, "    f(**<queue>);\n    é = <job> ** 2\n");
    }

    #[test]
    fn ranges_that_are_none_are_passed_over() {
        let shown = preview("é", &[[1, 9], [5, 2], [0, 1]], &COLOURED);
        assert_eq!(shown, "    é\n");
    }
}

//! What the channels found, weighed into one order.
//!
//! The weights come from a study of ranking signals on commit localisation and symbol lookup in public
//! repositories; where it found no difference between strengths, the rounder number stands. Refuses to
//! know how a signal was found.

use std::collections::HashMap;

use super::channel::Strength;
use super::class::PathClass;
use super::query::Query;
use super::{ContentType, Filters, Hit, Reason, is_prose};
use crate::model::ChunkKind;
use crate::store::{ChunkRow, Read, StoreResult, token};

/// The whole question is the name of the definition.
const WHOLE: f64 = 2.5;
/// The definition's name is nearly a word that nothing else knows.
const FUZZY: f64 = 1.5;
/// The question, or a quoted part of it, stands in the text.
const PHRASE: f64 = 1.0;
/// A quoted part does: on top of that.
const QUOTED: f64 = 1.0;
/// One of few words is the name of the definition.
const NAME_AMONG_FEW: f64 = 0.5;
/// One of many words is.
const NAME_AMONG_MANY: f64 = 0.05;
/// Up to so many words are few.
const FEW_WORDS: usize = 3;
/// A path in the question is the file's.
const PATH: f64 = 0.6;

/// Tests, examples, fixtures: a question that does not name them is about the code.
const TEST_FACTOR: f64 = 0.3;
/// Documents, data, configuration.
const OTHER_THAN_CODE_FACTOR: f64 = 0.4;
/// Generated and declaration files.
const GENERATED_FACTOR: f64 = 0.5;
/// Code between definitions: lists of imports name much and define nothing.
const GAP_FACTOR: f64 = 0.7;
/// What other modules can use, before what they can't.
const EXPORTED_FACTOR: f64 = 1.05;

/// Chunks of one file among the hits.
const MAX_OF_A_FILE: usize = 2;

/// Loads what was found, weighs it and puts it in order.
pub(super) fn rank(
    read: &Read<'_>,
    query: &Query,
    filters: &Filters,
    found: HashMap<i64, Strength>,
    limit: usize,
) -> StoreResult<Vec<Hit>> {
    let mut hits = Vec::with_capacity(found.len());
    for (row, strength) in found {
        if let Some(chunk) = read.chunk(row)? {
            hits.push(weigh(query, filters, chunk, strength));
        }
    }
    hits.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.chunk.path.cmp(&b.chunk.path))
            .then_with(|| a.chunk.span.start_line.cmp(&b.chunk.span.start_line))
    });
    let mut of_file: HashMap<String, usize> = HashMap::new();
    hits.retain(|hit| {
        let n = of_file
            .entry(hit.chunk.path.as_str().to_owned())
            .or_default();
        *n += 1;
        *n <= MAX_OF_A_FILE
    });
    hits.truncate(limit);
    let best = hits.first().map_or(1.0, |hit| hit.score);
    for hit in &mut hits {
        hit.score = (hit.score / best * 10_000.0).round() / 10_000.0;
    }
    // Rounding may have made equals: their order is by path and line as well.
    hits.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.chunk.path.cmp(&b.chunk.path))
            .then_with(|| a.chunk.span.start_line.cmp(&b.chunk.span.start_line))
    });
    Ok(hits)
}

fn weigh(query: &Query, filters: &Filters, chunk: ChunkRow, strength: Strength) -> Hit {
    let path = chunk.path.as_str();
    let mut reasons = strength.reasons;
    let name = if query.telling_words().len() <= FEW_WORDS {
        NAME_AMONG_FEW
    } else {
        NAME_AMONG_MANY
    };
    let mut score = strength.text
        + WHOLE * strength.whole
        + FUZZY * strength.fuzzy
        + PHRASE * strength.phrase
        + name * strength.name;
    if query.paths.iter().any(|wanted| is_path(wanted, path)) {
        score += PATH;
        reasons.add(Reason::Path);
    } else if names_path(query, path) {
        // Its weight is that of the path's column in the text index.
        reasons.add(Reason::Path);
    }
    let class = PathClass::of(path, is_prose(&chunk.language), chunk.is_generated);
    let wants = query.wants;
    if strength.phrase >= 1.0 {
        // Quoted words are meant as they stand, wherever that is.
        return Hit {
            chunk,
            score: score + QUOTED,
            reasons,
        };
    }
    if class.is_test && !wants.tests {
        score *= TEST_FACTOR;
    }
    let asks_prose = wants.prose || filters.content_type == Some(ContentType::Prose);
    if (class.is_prose && !asks_prose) || (class.is_data && !wants.data && !asks_prose) {
        score *= OTHER_THAN_CODE_FACTOR;
    }
    if class.is_generated && !wants.generated {
        score *= GENERATED_FACTOR;
    }
    if chunk.kind == ChunkKind::Gap {
        score *= GAP_FACTOR;
    }
    if chunk.symbol.as_ref().is_some_and(|symbol| symbol.exported) {
        score *= EXPORTED_FACTOR;
    }
    Hit {
        chunk,
        score,
        reasons,
    }
}

/// Returns whether the components stand in the path one after the other; the last may lack its
/// extension.
fn is_path(wanted: &[String], path: &str) -> bool {
    let path = path.to_lowercase();
    let parts: Vec<&str> = path.split('/').collect();
    let last = wanted.len().saturating_sub(1);
    parts.windows(wanted.len()).any(|window| {
        window
            .iter()
            .zip(wanted)
            .enumerate()
            .all(|(at, (part, wanted))| {
                *part == wanted.as_str()
                    || (at == last
                        && part
                            .strip_prefix(wanted.as_str())
                            .is_some_and(|rest| rest.starts_with('.')))
            })
    })
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
    use super::{is_path, names_path};
    use crate::search::parse;

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
        assert!(!is(
            "runtime-core/renderer",
            "packages/runtime-core/src/renderer.ts"
        ));
        assert!(!is("render", "src/renderer.ts"));
    }

    #[test]
    fn a_word_of_the_question_may_be_in_the_path() {
        let query = parse("scheduler flush").unwrap();
        assert!(names_path(&query, "src/scheduler.ts") && !names_path(&query, "src/queue.ts"));
    }
}

//! Names of symbols that are nearly a word that was typed.
//!
//! Likeness is the Dice coefficient of the words' trigrams, with the ends marked; a swap of two neighbouring letters
//! counts as one edit.

use std::collections::HashSet;

use crate::store::{Read, StoreResult};

/// Likeness from which a name is handed on; from the study of ranking signals.
const MIN_LIKENESS: f64 = 0.55;

/// Names that are handed on for one word.
const MAX_NAMES: usize = 8;

/// The shortest word that can be misspelt: of shorter ones everything is nearly everything.
const MIN_BYTES: usize = 4;

/// Returns the names nearest to `word` (a normal form), with their likeness, best first, then by name.
/// Costs one pass over the names of about its length.
pub(super) fn nearest(read: &Read<'_>, word: &str) -> StoreResult<Vec<(String, f64)>> {
    if word.len() < MIN_BYTES {
        return Ok(Vec::new());
    }
    let slack = 2.max(word.len() / 4);
    let names = read.normal_forms(word.len().saturating_sub(slack).max(2), word.len() + slack)?;
    let mut found: Vec<(String, f64)> = names
        .into_iter()
        .map(|name| {
            let likeness = likeness(word, &name);
            (name, likeness)
        })
        .filter(|(_, likeness)| *likeness >= MIN_LIKENESS)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(MAX_NAMES);
    Ok(found)
}

fn likeness(a: &str, b: &str) -> f64 {
    let dice = dice(a, b);
    if dice < MIN_LIKENESS && is_one_edit(a, b) {
        // Short words lose most of their trigrams by one edit.
        return MIN_LIKENESS;
    }
    dice
}

fn dice(a: &str, b: &str) -> f64 {
    let (a, b) = (trigrams(a), trigrams(b));
    let shared = a.intersection(&b).count();
    #[allow(clippy::cast_precision_loss, reason = "a word has few trigrams")]
    let share = (2 * shared) as f64 / (a.len() + b.len()) as f64;
    share
}

fn trigrams(word: &str) -> HashSet<[char; 3]> {
    let marked: Vec<char> = std::iter::once('^')
        .chain(word.chars())
        .chain(std::iter::once('$'))
        .collect();
    marked.windows(3).map(|w| [w[0], w[1], w[2]]).collect()
}

/// Returns whether one insertion, deletion, change, or swap of neighbours leads from one to the other.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (long, short) = if a.len() >= b.len() {
        (&a, &b)
    } else {
        (&b, &a)
    };
    if long.len() - short.len() > 1 {
        return false;
    }
    let front = long.iter().zip(short).take_while(|(x, y)| x == y).count();
    let (long, short) = (&long[front..], &short[front..]);
    match (long, short) {
        ([], []) => true,
        ([_, rest @ ..], other) if long.len() > short.len() => rest == other,
        ([one, two, rest @ ..], [other, next, end @ ..]) if one == next && two == other => {
            rest == end
        }
        ([_, rest @ ..], [_, end @ ..]) => rest == end,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{MIN_LIKENESS, is_one_edit, likeness};

    #[test]
    fn typing_errors_are_near_and_other_words_are_not() {
        for (typed, name) in [
            ("patchkeydchildren", "patchkeyedchildren"),
            ("creatrenderer", "createrenderer"),
            ("quueejob", "queuejob"),
            ("recieve", "receive"),
        ] {
            assert!(likeness(typed, name) >= MIN_LIKENESS, "{typed}");
        }
        for (typed, name) in [
            ("scheduler", "renderer"),
            ("parse", "mount"),
            ("flush", "queue"),
        ] {
            assert!(likeness(typed, name) < MIN_LIKENESS, "{typed}");
        }
    }

    #[test]
    fn a_swap_is_one_edit() {
        assert!(
            is_one_edit("form", "from") && is_one_edit("for", "fork") && is_one_edit("cat", "car")
        );
        assert!(!is_one_edit("abcd", "dcba") && !is_one_edit("ab", "abcd"));
    }
}

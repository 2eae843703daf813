//! Sentences of doc comments: they name things with nouns, and no clause stands in for one.
//!
//! `Returns what a call gives.` is a fault; `Returns the result type of a call.` is not.

use std::collections::BTreeMap;

use super::rules::Source;

/// Beginnings of sentences that leave their noun out.
const BEGINNINGS: [&str; 9] = [
    "What ",
    "Whose ",
    "That which ",
    "The one ",
    "Returns what ",
    "Returns whether what ",
    "Says what ",
    "Tells what ",
    "Refuses to know ",
];

/// The most times that a room may say "what" in 1,000 words of its doc comments.
const MAX_RATE: usize = 4;

/// Words that a room has at least before its rate says anything.
const MIN_WORDS: usize = 500;

/// Returns the faults: forbidden beginnings with their places, and rooms that say "what" too often.
pub(super) fn faults(sources: &[Source<'_>]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut rooms: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for source in sources {
        let room = source.path.split(['/', '.']).next().unwrap_or_default();
        let (n_words, n_what) = rooms.entry(room).or_default();
        for (line, text, is_start) in doc_lines(source.text) {
            let words = text.split(|c: char| !c.is_alphanumeric());
            for word in words.filter(|word| !word.is_empty()) {
                *n_words += 1;
                *n_what += usize::from(word.eq_ignore_ascii_case("what"));
            }
            let forbidden = sentences(text, is_start)
                .find(|sentence| BEGINNINGS.iter().any(|begin| sentence.starts_with(begin)));
            faults.extend(
                forbidden.map(|sentence| {
                    format!("{}:{line}: name the thing: `{sentence}`", source.path)
                }),
            );
        }
    }
    for (room, (n_words, n_what)) in rooms {
        if n_words >= MIN_WORDS && n_what * 1000 >= MAX_RATE * n_words {
            faults.push(format!(
                "`{room}` says \"what\" {n_what} times in {n_words} words"
            ));
        }
    }
    faults
}

/// Lines of doc comments: number, text, and whether a sentence begins with it.
fn doc_lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut is_start = true;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let line = line.trim_start();
        let Some(doc) = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
        else {
            is_start = true;
            return None;
        };
        let doc = doc.trim();
        let starts = std::mem::replace(&mut is_start, doc.is_empty() || ends_sentence(doc));
        Some((at + 1, doc, starts))
    })
}

fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', ':', '!', '?'])
}

/// The sentences that begin in a line.
fn sentences(line: &str, is_start: bool) -> impl Iterator<Item = &str> {
    let later = line
        .match_indices(". ")
        .map(move |(at, _)| line[at + 2..].trim_start());
    is_start.then_some(line).into_iter().chain(later)
}

#[cfg(test)]
mod tests {
    use super::{Source, faults};

    fn of(text: &str) -> Vec<String> {
        faults(&[Source {
            path: "link/a.rs",
            text,
        }])
    }

    #[test]
    fn a_clause_in_place_of_a_noun_is_a_fault() {
        let found =
            of("//! What it is.\nfn a() {}\n/// A thing. Returns what it has.\nfn b() {}\n");
        assert_eq!(
            found,
            [
                "link/a.rs:1: name the thing: `What it is.`",
                "link/a.rs:3: name the thing: `Returns what it has.`",
            ]
        );
    }

    #[test]
    fn a_sentence_that_goes_on_and_plain_comments_are_none() {
        let found =
            of("//! Says it of a thing\n//! What is no beginning.\n// What stands in code.\n");
        assert_eq!(found, [] as [&str; 0]);
    }

    #[test]
    fn a_room_may_say_it_rarely() {
        let plain = "/// A value of a type is kept with its name and place.\n".repeat(60);
        assert_eq!(of(&plain), [] as [&str; 0]);
        let often = plain + &"/// It keeps what is left.\n".repeat(4);
        assert_eq!(of(&often), ["`link` says \"what\" 4 times in 740 words"]);
    }
}

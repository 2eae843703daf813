//! The order in which a first build reads files: those that the question is likely to be about come first.
//!
//! An incomplete index answers from the files that were read so far. Does not decide which files are read; see `plan`.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::candidate::Candidate;
use crate::model::RepoPath;
use crate::model::file_role::{by_directories, by_name};
use crate::model::path_class::PathClass;
use crate::store::token;

/// How many words of a question are looked for in paths.
const MAX_WORDS: usize = 64;

/// Names of data that tools write for people to look at or to check in.
const BULKY_EXTENSIONS: &[&str] = &["csv", "json", "lock", "map", "snap", "svg", "tsv", "xml"];

/// How likely a file is to be asked for, the likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likely {
    Source,
    Test,
    Prose,
    Data,
}

/// Whether a file is code by its name and its directories: the configuration of the test runners is not read yet.
fn is_code(path: &str) -> bool {
    by_name(path)
        .unwrap_or_else(|| by_directories(path))
        .is_code()
}

/// Where a file stands in the order: smaller keys are read earlier.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OrderKey {
    is_generated: bool,
    n_words: Reverse<usize>,
    likely: Likely,
    path: RepoPath,
}

impl OrderKey {
    /// Returns the place of a file for a question with these stems.
    pub(super) fn of(candidate: &Candidate, wanted: &HashSet<String>) -> Self {
        let path = candidate.path.as_str();
        let class = PathClass::of(path, false, candidate.has_generated_attribute);
        let likely = if class.is_data {
            Likely::Data
        } else if class.is_prose {
            Likely::Prose
        } else if !is_code(path) {
            Likely::Test
        } else {
            Likely::Source
        };
        Self {
            is_generated: class.is_generated || (class.is_data && is_bulky(candidate)),
            n_words: Reverse(n_words(path, wanted)),
            likely,
            path: candidate.path.clone(),
        }
    }
}

/// Returns the stems of the words that tell something: `flush the queueJob` gives `flush`, `queue`, `job` and
/// `queuejob`.
pub(super) fn stems(words: &str) -> HashSet<String> {
    let words = token::words(words).into_iter().take(MAX_WORDS);
    words
        .flat_map(|word| std::iter::once(word.norm).chain(word.parts))
        // The shortest words of a language (`of`, `the`) would bring files forward for nothing.
        .filter(|word| word.len() > 2)
        .map(|word| token::stem(&word).to_owned())
        .collect()
}

fn n_words(path: &str, wanted: &HashSet<String>) -> usize {
    if wanted.is_empty() {
        return 0;
    }
    let words = token::words(path);
    let forms = words
        .iter()
        .flat_map(|word| std::iter::once(&word.norm).chain(&word.parts));
    let held: HashSet<&str> = forms
        .map(|form| token::stem(form))
        .filter(|stem| wanted.contains(*stem))
        .collect();
    held.len()
}

/// Returns whether data is more than a person writes: from 64 KiB on.
fn is_bulky(candidate: &Candidate) -> bool {
    const BULKY_BYTES: u64 = 64 << 10;
    let name = candidate.path.file_name();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    candidate.stat.size_bytes >= BULKY_BYTES && BULKY_EXTENSIONS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::{OrderKey, stems};
    use crate::model::{FileStat, RepoPath};
    use crate::reconcile::candidate::Candidate;

    fn in_order(question: &str, mut files: Vec<(&'static str, u64)>) -> Vec<&'static str> {
        let wanted = stems(question);
        files.sort_by_key(|(path, size_bytes)| {
            let candidate = Candidate {
                path: RepoPath::new(path).unwrap(),
                stat: FileStat {
                    size_bytes: *size_bytes,
                    mtime_ns: 0,
                    ctime_ns: 0,
                    inode: 0,
                },
                blob: None,
                has_generated_attribute: false,
                known: None,
                is_forced: true,
            };
            OrderKey::of(&candidate, &wanted)
        });
        files.into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn source_is_read_before_tests_documents_and_data() {
        let files = vec![
            ("docs/guide.md", 9),
            ("package.json", 9),
            ("test/cart.ts", 9),
            ("src/cart.ts", 9),
            ("dist/cart.js", 9),
            ("src/api.d.ts", 9),
        ];
        assert_eq!(
            in_order("", files),
            [
                "src/cart.ts",
                "test/cart.ts",
                "docs/guide.md",
                "package.json",
                "dist/cart.js",
                "src/api.d.ts"
            ]
        );
    }

    #[test]
    fn words_of_the_question_in_the_path_come_first_but_not_for_generated_data() {
        let files = vec![
            ("www/cart-tax-line.json", 1 << 20),
            ("src/a.ts", 9),
            ("src/cart/tax-lines.ts", 9),
            ("src/cart/a.ts", 9),
            ("test/taxes.ts", 9),
        ];
        assert_eq!(
            in_order("where is the cart tax line done", files),
            [
                "src/cart/tax-lines.ts",
                "src/cart/a.ts",
                "test/taxes.ts",
                "src/a.ts",
                "www/cart-tax-line.json"
            ]
        );
    }
}

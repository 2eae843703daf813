//! Search among saved records: by the share of a question's words that each holds.
//!
//! The words of an error message that differ from one occurrence to the next (paths, numbers, addresses in memory, quoted names)
//! only break ties: the same failure of another file is found.

use std::collections::HashMap;

use super::query::is_stop;
use crate::model::RecordId;
use crate::store::token;

/// The longest question, in bytes.
const MAX_BYTES: usize = 8_000;

/// The most words of a question that are looked up.
const MAX_WORDS: usize = 64;

/// The least share of the question that a record has to hold.
pub const FLOOR: f64 = 0.5;

/// The longest text between quotes that is taken for a name.
const MAX_QUOTED: usize = 120;

/// A question to the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallQuery {
    words: Vec<RecallWord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RecallWord {
    norm: String,
    /// Whether it differs from one occurrence of a failure to the next.
    is_volatile: bool,
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// Its number.
    pub id: RecordId,
    /// The share of the question that it holds, from 0 to 1.
    pub score: f64,
    /// The words of the question that it holds.
    pub words: Vec<String>,
    /// The share of the volatile words that it holds.
    volatile: f64,
}

impl RecallQuery {
    /// Parses a question; one without words finds nothing.
    pub fn parse(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_BYTES)];
        let (stable, volatile) = split(text);
        let mut words: Vec<RecallWord> = Vec::new();
        for (text, is_volatile) in [(stable, false), (volatile, true)] {
            for word in token::words(&text) {
                for part in word.smallest() {
                    let is_known = words.iter().any(|known| known.norm == part);
                    let is_short = part.len() == 1 && part.is_ascii();
                    if !is_known && !is_short && !is_stop(part) && words.len() < MAX_WORDS {
                        words.push(RecallWord {
                            norm: part.to_owned(),
                            is_volatile,
                        });
                    }
                }
            }
        }
        // A question of names alone is about those.
        if words.iter().filter(|word| !word.is_volatile).count() < 2 {
            for word in &mut words {
                word.is_volatile = false;
            }
        }
        Self { words }
    }

    /// Returns the records that hold at least [`FLOOR`] of the question, the best first, at most `limit`, and how many there
    /// are. `holding` gives the numbers of the records that hold a word.
    ///
    /// # Errors
    /// Those of `holding`.
    pub fn recall<E>(
        &self,
        n_records: u64,
        limit: usize,
        mut holding: impl FnMut(&str) -> Result<Vec<RecordId>, E>,
    ) -> Result<(Vec<Recalled>, u64), E> {
        let mut found: HashMap<RecordId, Recalled> = HashMap::new();
        let (mut whole, mut n_volatile) = (0.0, 0.0);
        for word in &self.words {
            let ids = holding(&word.norm)?;
            let weight = weight(ids.len() as u64, n_records);
            if word.is_volatile {
                n_volatile += 1.0;
            } else {
                whole += weight;
            }
            for id in ids {
                let entry = found.entry(id).or_insert_with(|| Recalled {
                    id,
                    score: 0.0,
                    words: Vec::new(),
                    volatile: 0.0,
                });
                entry.words.push(word.norm.clone());
                if word.is_volatile {
                    entry.volatile += 1.0;
                } else {
                    entry.score += weight;
                }
            }
        }
        let mut found: Vec<Recalled> = found
            .into_values()
            .map(|it| Recalled {
                score: round(it.score / f64::max(whole, 1.0)),
                volatile: it.volatile / f64::max(n_volatile, 1.0),
                ..it
            })
            .filter(|it| it.score >= FLOOR)
            .collect();
        found.sort_by(|a, b| {
            (b.score.total_cmp(&a.score))
                .then(b.volatile.total_cmp(&a.volatile))
                .then(b.id.cmp(&a.id))
        });
        let total = found.len() as u64;
        found.truncate(limit);
        Ok((found, total))
    }
}

/// Returns the weight of a word, from 1 for one that every record holds to 2 for one that few do. A word that none holds may be
/// a name of this occurrence, and has the least.
fn weight(n_holding: u64, n_records: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some thousand records")]
    let (n_holding, n_records) = (n_holding as f64, n_records.max(1) as f64);
    if n_holding == 0.0 {
        return 1.0;
    }
    1.0 + (n_records / n_holding).ln().max(0.0) / (n_records + 1.0).ln()
}

fn round(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// Splits a text into its stable words and those that differ from one occurrence of a failure to the next.
fn split(text: &str) -> (String, String) {
    let (mut stable, mut volatile) = (String::new(), String::new());
    let (mut at, mut before) = (0, ' ');
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (n_bytes, is_stable) = if let Some(n_bytes) = quoted(rest, before) {
            (n_bytes, false)
        } else if is_delimiter(c) {
            (c.len_utf8(), true)
        } else {
            let n_bytes = run_length(rest);
            (n_bytes, !is_volatile(&rest[..n_bytes]))
        };
        let out = if is_stable {
            &mut stable
        } else {
            &mut volatile
        };
        out.push_str(&rest[..n_bytes]);
        out.push(' ');
        before = rest[..n_bytes].chars().next_back().unwrap_or(' ');
        at += n_bytes;
    }
    (stable, volatile)
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || "()[]{}<>,;=|\"`\u{2018}\u{201c}".contains(c)
}

/// Returns the length of the run of characters without a delimiter that a text begins with, at least one character.
fn run_length(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let opens = c == '\'' && !before.is_alphanumeric();
        if at > 0 && (is_delimiter(c) || opens) {
            return at;
        }
        before = c;
    }
    text.len()
}

/// Returns where a quoted name ends that a text begins with; `before` is the character before it.
fn quoted(text: &str, before: char) -> Option<usize> {
    let open = text.chars().next()?;
    let close = match open {
        '"' | '`' => open,
        // The apostrophe of `can't` opens nothing.
        '\'' if !before.is_alphanumeric() => '\'',
        '\u{2018}' => '\u{2019}',
        '\u{201c}' => '\u{201d}',
        _ => return None,
    };
    let inner = &text[open.len_utf8()..];
    let at = inner.find(close)?;
    let is_name = at <= MAX_QUOTED && !inner[..at].contains('\n');
    is_name.then(|| open.len_utf8() + at + close.len_utf8())
}

/// Whether a run without white space is a path, a number, an address or a digest.
fn is_volatile(run: &str) -> bool {
    let core = run.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '\\');
    let n_digits = core.chars().filter(char::is_ascii_digit).count();
    let n_letters = core.chars().filter(|c| c.is_alphabetic()).count();
    let is_path = core.contains(['/', '\\']) && n_letters > 0;
    let is_file = core.rsplit_once('.').is_some_and(|(stem, end)| {
        let end = end.split(':').next().unwrap_or_default();
        let is_extension = (1..=5).contains(&end.len()) && end.chars().all(char::is_alphanumeric);
        let is_known = EXTENSIONS.contains(&end);
        !stem.is_empty() && is_extension && is_known
    });
    let is_number = n_digits > 0 && n_letters * 2 <= n_digits;
    let hex = core
        .strip_prefix("0x")
        .or_else(|| core.strip_prefix("0X"))
        .unwrap_or(core);
    let is_hex = (hex.len() < core.len() || hex.len() >= 7 && n_digits > 0)
        && !hex.is_empty()
        && hex.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    is_path || is_file || is_number || is_hex
}

/// Endings by which a name is that of a file.
const EXTENSIONS: &[&str] = &[
    "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "go", "gradle", "h", "hpp", "html",
    "ini", "java", "js", "json", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "mts", "php",
    "py", "rb", "rs", "scss", "sh", "sql", "svelte", "toml", "ts", "tsx", "vue", "xml", "yaml",
];

#[cfg(test)]
mod tests {
    use crate::model::RecordId;

    use super::RecallQuery;

    fn stable(text: &str) -> Vec<String> {
        let words = RecallQuery::parse(text).words.into_iter();
        let stable = words.filter(|word| !word.is_volatile);
        stable.map(|word| word.norm).collect()
    }

    #[test]
    fn what_differs_between_occurrences_is_left_out() {
        let one = stable(
            "TypeError: Cannot read properties of undefined (reading 'map') at src/App.tsx:10:5 (0x7f3a, 1234)",
        );
        let two = stable(
            "TypeError: Cannot read properties of undefined (reading \"length\") at lib/deep/View.tsx:7:99 (0xdead, 9)",
        );
        assert_eq!(one, two);
        assert!(one.contains(&"undefined".to_owned()), "{one:?}");
        assert!(!one.contains(&"map".to_owned()), "{one:?}");
        assert_eq!(
            stable("can't open it isn't there `x`"),
            stable("can't open it isn't there `y`")
        );
    }

    #[test]
    fn a_question_of_names_alone_is_about_them() {
        assert_eq!(stable("'pyjwt' \"decode\""), ["pyjwt", "decode"]);
        assert_eq!(stable("src/queue.ts"), ["src", "queue", "ts"]);
        assert!(stable("").is_empty());
    }

    #[test]
    fn the_share_of_the_question_decides() {
        let query = RecallQuery::parse("socket hang up while uploading");
        let holding = |word: &str| -> Result<Vec<RecordId>, ()> {
            Ok(match word {
                "socket" | "hang" => vec![RecordId::new(1), RecordId::new(2)],
                "uploading" => vec![RecordId::new(1)],
                _ => Vec::new(),
            })
        };
        let (found, total) = query.recall(10, 5, holding).unwrap();
        assert_eq!(found.first().map(|it| it.id.row()), Some(1));
        assert!(total >= 1);
        let (none, _) = RecallQuery::parse("colour of the page header is wrong")
            .recall(10, 5, holding)
            .unwrap();
        assert!(none.is_empty());
    }
}

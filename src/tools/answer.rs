//! What all answers share: how current they are, how long they may be, and where the next page begins.
//!
//! Refuses to know what an answer is about.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Code, Error, Result};
use crate::model::{FreshnessState, UnknownReason};
use crate::workspace::View;

/// The most bytes that the lists of one reply may take: 20,000 tokens of 4 bytes, less room for what
/// stands around them.
pub const MAX_LIST_BYTES: usize = 76_000;

/// How current an answer is; flat in every answer of a query tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Currency {
    /// `fresh`: this call proved that the index equals the work tree; `partial`: files are pending;
    /// `unknown`: the proof could not be finished.
    pub freshness: &'static str,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness_reason: Option<&'static str>,
    /// How many files differ from the index.
    #[serde(skip_serializing_if = "is_zero")]
    pub pending_files: u64,
    /// The revision of the index.
    pub generation: u64,
}

impl Currency {
    /// Returns what a view knows of itself.
    pub fn of(view: &View<'_>) -> Self {
        let reason = match view.freshness.state {
            FreshnessState::Unknown(reason) => Some(reason.as_str()),
            FreshnessState::Fresh | FreshnessState::Partial => None,
        };
        Self {
            freshness: view.freshness.as_str(),
            freshness_reason: reason,
            pending_files: view.freshness.n_pending(),
            generation: view.read.meta().generation,
        }
    }
}

impl Currency {
    /// Takes the proof back: files changed while the answer was made.
    pub fn mark_moved(&mut self) {
        self.freshness = "unknown";
        self.freshness_reason = Some(UnknownReason::Moved.as_str());
    }
}

/// Where a page ended: enough to go on after it, also in another generation. On the wire
/// `<digest>.<score>.<line>.<path>`, short since each answer carries one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Score of the last result, in ten-thousandths.
    pub score: u32,
    /// Its path.
    pub path: String,
    /// Its first line.
    pub line: u32,
}

impl Cursor {
    /// Returns the cursor as text that is bound to a question (everything that decides what is listed)
    /// and an index.
    pub fn text(&self, asked: &str, index_id: &str) -> String {
        let digest = digest(asked, index_id);
        format!("{digest}.{}.{}.{}", self.score, self.line, self.path)
    }

    /// Reads a cursor of the same question and index.
    ///
    /// # Errors
    /// `bad_cursor` for any other.
    pub fn read(text: &str, asked: &str, index_id: &str) -> Result<Self> {
        let parse = || {
            let mut parts = text.splitn(4, '.');
            let bound = parts.next()?;
            let score = parts.next()?.parse().ok()?;
            let line = parts.next()?.parse().ok()?;
            let path = parts.next()?.to_owned();
            (bound == digest(asked, index_id)).then_some(Self { score, path, line })
        };
        parse().ok_or_else(|| {
            Error::new(
                Code::BadCursor,
                "the cursor belongs to another query, other filters or another index",
                "repeat the call without `cursor`",
            )
        })
    }
}

/// Returns how many of the items fit into a reply, at least one.
pub fn fitting<T: Serialize>(items: &[T], max_bytes: usize) -> usize {
    let mut bytes = 0;
    let n = items
        .iter()
        .take_while(|item| {
            bytes += serde_json::to_vec(item).map_or(0, |text| text.len() + 1);
            bytes <= max_bytes
        })
        .count();
    n.max(1).min(items.len())
}

/// Returns a time as RFC 3339 in UTC.
pub fn time(ms: i64) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(ms).ok()?.to_string())
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn digest(asked: &str, index_id: &str) -> String {
    let both = format!("{index_id} {asked}");
    blake3::hash(both.as_bytes()).to_hex()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Cursor, fitting, time};

    #[test]
    fn a_cursor_is_read_back_only_for_its_own_question() {
        let cursor = Cursor {
            score: 9_876,
            path: "ü/a.b.ts".to_owned(),
            line: 7,
        };
        let text = cursor.text("q", "idx_1");
        assert_eq!(Cursor::read(&text, "q", "idx_1").unwrap(), cursor);
        assert!(Cursor::read(&text, "r", "idx_1").is_err());
        assert!(Cursor::read(&text, "q", "idx_2").is_err());
        for bad in ["", "zz", "a.b.c.d", "...", "ü"] {
            assert!(Cursor::read(bad, "q", "idx_1").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_reply_is_cut_at_whole_items() {
        let items = vec!["x".repeat(98); 10];
        assert_eq!(fitting(&items, 303), 3);
        assert_eq!(fitting(&items, 1), 1);
        assert_eq!(fitting(&items, 100_000), 10);
        assert_eq!(fitting::<String>(&[], 1), 0);
    }

    #[test]
    fn times_are_rfc_3339() {
        assert_eq!(time(1_000).as_deref(), Some("1970-01-01T00:00:01Z"));
    }
}

//! The parts that all answers share: how current they are, how long they may be, and where the next page begins.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Code, Error, Result};
use crate::model::{Freshness, FreshnessState, Proof, UnknownReason};
use crate::workspace::{View, cut_argument};

/// The most bytes of text that a reply may take: JSON full of paths takes 2.0 to 2.4 bytes a token, and clients cut
/// replies of more than 25,000 tokens, some of more than 20,000.
pub const MAX_REPLY_BYTES: usize = 44_000;

/// The most bytes that the lists of one reply may take: a reply, less room for its other fields.
pub const MAX_LIST_BYTES: usize = MAX_REPLY_BYTES - 6_000;

/// Tokens of an answer of `cl_map` and `cl_changes` whose caller names no `budget`.
pub(super) const DEFAULT_BUDGET_TOKENS: usize = 3_000;

/// Bytes that count as a token in an answer of lists: these are full of paths and names, which take more tokens than prose.
pub(super) const BYTES_PER_LIST_TOKEN: usize = 2;

/// Bytes that count as a token in an answer with source text.
pub(super) const BYTES_PER_SOURCE_TOKEN: usize = 4;

/// How current an answer is; flat in every answer of a query tool.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FreshnessFields {
    /// `fresh`: it is proved that the index equals the work tree, or the commit that was asked for; `partial`: `pendingFiles` differ
    /// from the index; `unknown`: the proof could not be finished.
    pub freshness: &'static str,
    /// Why `freshness` is `unknown`: `budget`, `busy`, `moved` and others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness_reason: Option<&'static str>,
    /// How many files differ from the index.
    #[serde(skip_serializing_if = "is_zero")]
    pub pending_files: u64,
    /// Of how many files of the work tree, where not all are up and all were seen.
    #[serde(skip_serializing_if = "is_zero")]
    pub total_files: u64,
    /// The commit that was asked for, as it was named.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The commit that `ref` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_sha: Option<String>,
    /// `commit`: the files are those of a commit, which never change; `watch`: every file was looked at less than a minute
    /// ago and the kernel told of no change since; absent where this call looked at every file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<&'static str>,
    /// The state of an index that is not complete, or why a list is empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The generation of the index that was read: it rises with each change of the rows that answers rest on, and equal generations of an
    /// index give equal answers.
    pub generation: u64,
}

impl FreshnessFields {
    /// Returns the freshness fields of a view.
    pub fn of(view: &View<'_>) -> Self {
        let reason = match view.freshness.state {
            FreshnessState::Unknown(reason) => Some(reason.as_str()),
            FreshnessState::Fresh | FreshnessState::Partial => None,
        };
        let meta = view.read.meta();
        let pending_files = view.freshness.n_pending();
        let mut freshness_fields = Self {
            freshness: view.freshness.as_str(),
            freshness_reason: reason,
            pending_files,
            total_files: if pending_files > 0 {
                view.freshness.n_files
            } else {
                0
            },
            reference: view.revision.map(|revision| cut_argument(&revision.name)),
            head_sha: view.revision.map(|revision| revision.commit.to_string()),
            proof: match (view.revision, view.freshness.proof) {
                (Some(_), _) => Some("commit"),
                (None, Proof::Watch) => Some("watch"),
                (None, Proof::Stat) => None,
            },
            note: state(view.freshness, meta.complete).unwrap_or_default(),
            generation: meta.generation,
        };
        if let Some(sentence) = view.pull_note {
            freshness_fields.say(sentence);
        }
        match view.n_filtered() {
            0 => {}
            n => freshness_fields.say(&format!(
                "{n} files of the commit are read as git stores them: a checkout runs a filter (Git LFS) over them."
            )),
        }
        freshness_fields
    }

    /// Adds a sentence behind the state of the index.
    pub fn say(&mut self, sentence: &str) {
        if !self.note.is_empty() && !sentence.is_empty() {
            self.note.push(' ');
        }
        self.note += sentence;
    }

    /// Adds a note that nothing was found, and in how many files: `n_files` are those that were looked through, `what`
    /// names the subject (`No place in`).
    pub fn say_nothing_found(&mut self, what: &str, n_files: u64) {
        let files = match n_files {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        let sentence = if self.freshness == "fresh" {
            format!("{what}; looked through {files}.")
        } else {
            format!("{what} so far; looked through the {files} that are read.")
        };
        self.say(&sentence);
    }
}

/// Returns the state of an index that is not known to equal the work tree, as a sentence: `The index is 46 % built: …`.
/// `was_complete` tells whether every file was read once.
fn state(freshness: &Freshness, was_complete: bool) -> Option<String> {
    let n_pending = freshness.pending.len() as u64;
    let (n_files, n_queued) = (freshness.n_files, freshness.n_queued);
    let next = "Ask again: it goes on from here; `codelens refresh` (cl_refresh) completes it.";
    let done = |n_left: u64| 100 * n_files.saturating_sub(n_left) / n_files.max(1);
    Some(match freshness.state {
        FreshnessState::Fresh => return None,
        FreshnessState::Partial if freshness.n_missing == n_pending && n_pending > 0 => format!(
            "The bytes of {n_pending} of {n_files} files of the commit are not in this clone, and what is in them is missing here. \
             Nothing is fetched: `git fetch --refetch` or a checkout brings them."
        ),
        _ if !was_complete && n_files == 0 => {
            format!("The index is not complete: not every file was looked at yet. {next}")
        }
        _ if !was_complete => format!(
            "The index is {} % built: {n_pending} of {n_files} files are not read yet, and what is in them is missing here. {next}",
            done(n_pending).min(99)
        ),
        FreshnessState::Partial if n_pending > 0 => format!(
            "{n_pending} of {n_files} files changed, or may have, and are not read again yet: what is said of them may be of before. {next}"
        ),
        FreshnessState::Partial => format!(
            "The index is {} % built: all files are read, but the imports and calls of {n_queued} of {n_files} are not followed yet: \
             callers and relations are missing here. {next}",
            done(n_queued).min(99)
        ),
        FreshnessState::Unknown(reason) => format!(
            "The index is not proved to equal the work tree: {}. Ask again, or call cl_refresh.",
            reason.sentence()
        ),
    })
}

/// Puts the state of an index that is not fresh before all else of an answer.
pub(super) fn put_state_first(answer: Value) -> Value {
    const STATE: [&str; 6] = [
        "note",
        "summary",
        "freshness",
        "freshnessReason",
        "pendingFiles",
        "totalFiles",
    ];
    let Value::Object(mut fields) = answer else {
        return answer;
    };
    let is_fresh = |fields: &Map<String, Value>| match fields.get("freshness") {
        Some(freshness) => freshness == "fresh",
        None => true,
    };
    if is_fresh(&fields) {
        return Value::Object(fields);
    }
    let mut ordered = Map::new();
    for key in STATE {
        if let Some(value) = fields.shift_remove(key) {
            ordered.insert(key.to_owned(), value);
        }
    }
    ordered.append(&mut fields);
    Value::Object(ordered)
}

impl FreshnessFields {
    /// Takes the proof back: files changed while the answer was made.
    pub fn mark_moved(&mut self) {
        self.freshness = "unknown";
        self.freshness_reason = Some(UnknownReason::Moved.as_str());
        self.proof = None;
    }
}

/// The lists that a cursor goes on with. Each is cut to its size before its cursor is made.
const PAGED: [&str; 3] = ["results", "sites", "files"];

/// Cuts an answer that is longer than [`MAX_REPLY_BYTES`]: the longest list first, at its end, and only then the longest
/// text. It says `truncated`.
pub(super) fn cap(mut answer: Value) -> Value {
    loop {
        let n_bytes = length(&answer);
        if n_bytes <= MAX_REPLY_BYTES {
            return answer;
        }
        let excess = n_bytes - MAX_REPLY_BYTES;
        let Value::Object(fields) = &mut answer else {
            return answer;
        };
        let mut lists = Vec::new();
        cuttable_lists(fields, &mut lists);
        let by_bytes = |list: &[Value]| list.iter().map(|item| length(item) + 1).sum::<usize>();
        if let Some(list) = lists.into_iter().max_by_key(|list| by_bytes(list)) {
            let kept = by_bytes(list).saturating_sub(excess);
            let n_kept = if kept == 0 {
                0
            } else {
                n_within_bytes(list, kept)
            };
            list.truncate(n_kept.min(list.len() - 1));
        } else {
            let mut texts = Vec::new();
            texts_of(fields, &mut texts);
            let texts = texts.into_iter();
            let Some(text) = texts
                .max_by_key(|text| text.len())
                .filter(|it| !it.is_empty())
            else {
                return answer;
            };
            let kept = text.len() - (excess / 6 + 1).min(text.len());
            text.truncate(text.floor_char_boundary(kept));
        }
        fields.insert("truncated".to_owned(), Value::Bool(true));
    }
}

/// Returns how many bytes of JSON a value takes, without writing them anywhere.
pub fn length(value: &impl Serialize) -> usize {
    let mut n_bytes = ByteCount(0);
    serde_json::to_writer(&mut n_bytes, value).map_or(0, |()| n_bytes.0)
}

/// Counts what is written to it.
struct ByteCount(usize);

impl std::io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Collects the texts that are in no list.
fn texts_of<'a>(fields: &'a mut Map<String, Value>, texts: &mut Vec<&'a mut String>) {
    for value in fields.values_mut() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Object(inner) => texts_of(inner, texts),
            _ => {}
        }
    }
}

/// Collects the lists that may be cut, also those of objects within the answer.
fn cuttable_lists<'a>(fields: &'a mut Map<String, Value>, lists: &mut Vec<&'a mut Vec<Value>>) {
    for (key, value) in fields {
        match value {
            Value::Array(list) if !list.is_empty() && !PAGED.contains(&key.as_str()) => {
                lists.push(list);
            }
            Value::Object(inner) => cuttable_lists(inner, lists),
            _ => {}
        }
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
    /// Returns the cursor as text that is bound to a question (all inputs that decide on the list) and an index.
    pub fn encode(&self, asked: &str, index_id: &str) -> String {
        let digest = digest(asked, index_id);
        format!("{digest}.{}.{}.{}", self.score, self.line, self.path)
    }

    /// Reads a cursor of the same question and index.
    ///
    /// # Errors
    /// `bad_cursor` for any other.
    pub fn decode(text: &str, asked: &str, index_id: &str) -> Result<Self> {
        let parse = || {
            let mut parts = text.splitn(4, '.');
            let bound = parts.next()?;
            let score = parts.next()?.parse().ok()?;
            let line = parts.next()?.parse().ok()?;
            let path = parts.next()?.to_owned();
            (bound == digest(asked, index_id)).then_some(Self { score, path, line })
        };
        parse().ok_or_else(Self::foreign)
    }

    /// Returns the error for a cursor of another question.
    pub(super) fn foreign() -> Error {
        Error::new(
            Code::BadCursor,
            "the cursor belongs to another query, other filters or another index",
            "repeat the call without `cursor`",
        )
    }
}

/// Returns how many of the items fit into a reply, at least one.
pub fn n_within_bytes<T: Serialize>(items: &[T], max_bytes: usize) -> usize {
    let mut bytes = 0;
    let n = items
        .iter()
        .take_while(|item| {
            bytes += length(item) + 1;
            bytes <= max_bytes
        })
        .count();
    n.max(1).min(items.len())
}

/// Shortens a list to the items that fit into a reply, at least one.
pub fn truncate_to_bytes<T: Serialize>(items: &mut Vec<T>, max_bytes: usize) {
    items.truncate(n_within_bytes(items, max_bytes));
}

/// Returns a time as RFC 3339 in UTC.
pub fn time(ms: i64) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(ms).ok()?.to_string())
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
pub(super) fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn digest(asked: &str, index_id: &str) -> String {
    let both = format!("{index_id} {asked}");
    blake3::hash(both.as_bytes()).to_hex()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Cursor, MAX_REPLY_BYTES, cap, n_within_bytes, put_state_first, time};

    #[test]
    fn a_cursor_is_read_back_only_for_its_own_question() {
        let cursor = Cursor {
            score: 9_876,
            path: "ü/a.b.ts".to_owned(),
            line: 7,
        };
        let text = cursor.encode("q", "idx_1");
        assert_eq!(Cursor::decode(&text, "q", "idx_1").unwrap(), cursor);
        assert!(Cursor::decode(&text, "r", "idx_1").is_err());
        assert!(Cursor::decode(&text, "q", "idx_2").is_err());
        for bad in ["", "zz", "a.b.c.d", "...", "ü"] {
            assert!(Cursor::decode(bad, "q", "idx_1").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_reply_is_cut_at_whole_items() {
        let items = vec!["x".repeat(98); 10];
        assert_eq!(n_within_bytes(&items, 303), 3);
        assert_eq!(n_within_bytes(&items, 1), 1);
        assert_eq!(n_within_bytes(&items, 100_000), 10);
        assert_eq!(n_within_bytes::<String>(&[], 1), 0);
    }

    #[test]
    fn a_reply_has_its_most_bytes() {
        let list = |n: usize| vec![json!({"path": "é\u{1}".repeat(20)}); n];
        let paged = json!({"results": list(50), "callers": list(900), "nextCursor": "c",
            "changeSet": {"removed": list(700)}, "summary": "s"});
        for long in [
            paged,
            json!({"notes": "\u{1}".repeat(16_000), "items": list(200)}),
            json!({"notes": "é".repeat(80_000)}),
            json!({"checks": [{"detail": "x".repeat(90_000)}]}),
        ] {
            let n_results = long["results"].as_array().map(Vec::len);
            let cut = cap(long);
            let n_bytes = serde_json::to_string(&cut).unwrap().len();
            assert!(n_bytes <= MAX_REPLY_BYTES, "{n_bytes}");
            assert_eq!(cut["truncated"], true);
            assert_eq!(cut["results"].as_array().map(Vec::len), n_results);
        }
        let short = json!({"items": list(3)});
        assert_eq!(cap(short.clone()), short);
    }

    #[test]
    fn the_state_of_an_index_that_is_not_fresh_comes_first() {
        let keys = |value: Value| -> Vec<String> {
            let value = put_state_first(value);
            value.as_object().unwrap().keys().cloned().collect()
        };
        let answer = |freshness| {
            json!({"indexId": "i", "results": [], "freshness": freshness, "pendingFiles": 2,
                "totalFiles": 9, "note": "n"})
        };
        assert_eq!(keys(answer("fresh"))[0], "indexId");
        assert_eq!(
            keys(answer("partial")),
            [
                "note",
                "freshness",
                "pendingFiles",
                "totalFiles",
                "indexId",
                "results"
            ]
        );
    }

    #[test]
    fn times_are_rfc_3339() {
        assert_eq!(time(1_000).as_deref(), Some("1970-01-01T00:00:01Z"));
    }
}

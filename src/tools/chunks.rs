//! `codelens chunks`: a file in pieces, for programs that read it part by part. No tool of agents, which page through
//! a file with `cl_expand`.

use std::sync::Arc;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::Number;
use super::{Call, Tool, ToolSpec};
use crate::error::{Error, Result};
use crate::model::{Budget, LineStarts, RepoPath};
use crate::workspace::{ChunkPlace, cut_argument, outside};

/// The most windows of one answer; more are refused with a size that gives fewer.
const MAX_WINDOWS: usize = 100_000;

/// The question for the pieces of a file. Not in [`super::TOOLS`].
pub const CHUNKS: ToolSpec = ToolSpec::of::<Chunks>();

/// `codelens chunks`.
pub struct Chunks;

/// Input of `codelens chunks`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChunksInput {
    /// File, relative to the repository.
    pub path: String,
    /// Bytes of a window; without it the chunks are definitions and the lines between them.
    #[arg(long, allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Number<1>>,
    /// Bytes that a window repeats of the one before (default 0).
    #[arg(long, allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Number<0>>,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A file in pieces.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChunksOutput {
    pub(crate) path: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) head_sha: Option<String>,
    /// Bytes of the file.
    pub(crate) total_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) overlap: Option<u64>,
    /// In the order of the file. Without an overlap they hold each of its bytes once.
    pub(crate) chunks: Vec<ChunkOutput>,
}

/// A piece of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChunkOutput {
    pub(crate) index: usize,
    /// First byte, from 0.
    pub(crate) start: u64,
    /// The byte behind the last.
    pub(crate) end: u64,
    /// First line, from 1.
    pub(crate) start_line: u64,
    /// Last line, inclusive.
    pub(crate) end_line: u64,
    /// Names this piece in other tools, as long as its code stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) handle: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    /// The definition that it is, or a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
}

impl Tool for Chunks {
    const NAME: &'static str = "cl_chunks";
    const TITLE: &'static str = "List the chunks of a file, by definition or by size";
    const ABOUT: &'static str = "Lists the chunks that a file is cut into: definitions and the lines between them, with the handles that `codelens expand` takes, \
        or with --size windows of so many bytes, each of whole characters. Without --overlap the chunks hold each byte of the file once. Read from the disk, or from \
        the commit of --ref; no index is needed.";
    const EXAMPLES: &'static str = "codelens chunks src/store.ts\ncodelens chunks src/store.ts --size 5000 --overlap 200 --json\ncodelens chunks src/store.ts --ref main";
    const TAKES_REF: bool = true;
    const IS_CAPPED: bool = false;
    type Input = ChunksInput;
    type Output = ChunksOutput;

    fn run(input: ChunksInput, call: &Call<'_>) -> Result<ChunksOutput> {
        let window = window(&input)?;
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let path = RepoPath::normalise(&input.path).ok_or_else(|| outside(&input.path))?;
        let bytes = workspace.bytes(&path, call.revision)?;
        let lines = SourceLines::of(&bytes);
        let chunks: Vec<ChunkOutput> = if let Some((size, overlap)) = window {
            let step = size - overlap;
            if bytes.len().div_ceil(step) > MAX_WINDOWS {
                let least = overlap + bytes.len().div_ceil(MAX_WINDOWS);
                return Err(Error::invalid(
                    format!("`{path}` has more than {MAX_WINDOWS} windows of {size} bytes"),
                    format!("pass a `size` of at least {least}"),
                ));
            }
            windows(&bytes, size, overlap)
                .into_iter()
                .map(|range| lines.chunk(range))
                .collect()
        } else {
            let budget = Budget::unlimited(Arc::clone(&call.interrupt));
            let pieces = workspace.pieces(&path, &bytes, &budget)?;
            let of_piece = |piece: &ChunkPlace| ChunkOutput {
                handle: Some(piece.handle.to_string()),
                kind: Some(piece.kind.as_str()),
                symbol: piece.symbol.clone(),
                ..lines.chunk(lines.bytes(piece.lines))
            };
            pieces.iter().map(of_piece).collect()
        };
        let numbered = |(index, chunk)| ChunkOutput { index, ..chunk };
        Ok(ChunksOutput {
            path: path.to_string(),
            reference: call.revision.map(|revision| cut_argument(&revision.name)),
            head_sha: call.revision.map(|revision| revision.commit.to_string()),
            total_bytes: bytes.len() as u64,
            size: window.map(|(size, _)| size as u64),
            overlap: window.map(|(_, overlap)| overlap as u64),
            chunks: chunks.into_iter().enumerate().map(numbered).collect(),
        })
    }
}

/// Returns size and overlap of the windows that are asked for.
fn window(input: &ChunksInput) -> Result<Option<(usize, usize)>> {
    let bytes = |number: i64| usize::try_from(number).ok();
    let wrong = |message: &str| {
        Err(Error::invalid(
            message,
            "for example `size` 5000 with `overlap` 200",
        ))
    };
    let Some(size) = input.size else {
        return match input.overlap {
            Some(_) => wrong("`overlap` is of windows, and `size` is not given"),
            None => Ok(None),
        };
    };
    let Some(size) = bytes(size.get()).filter(|size| *size > 0) else {
        return wrong("`size` is below 1");
    };
    match bytes(input.overlap.map_or(0, Number::get)) {
        None => wrong("`overlap` is below 0"),
        Some(overlap) if overlap >= size => wrong("`overlap` is not smaller than `size`"),
        Some(overlap) => Ok(Some((size, overlap))),
    }
}

/// Returns windows of about `size` bytes, each of whole characters: `size` 2 gives `h`, `é`, `y` of `héy`, since `é` takes
/// two bytes. One character longer than `size` is a window all the same.
fn windows(bytes: &[u8], size: usize, overlap: usize) -> Vec<(usize, usize)> {
    let mut windows = Vec::new();
    let (mut start, mut done) = (0, 0);
    while done < bytes.len() {
        let mut end = boundary_before(bytes, (start + size).min(bytes.len()));
        if end <= done {
            end = boundary_after(bytes, done + 1);
        }
        windows.push((start, end));
        let next = boundary_before(bytes, end - overlap.min(end));
        start = if next > start { next } else { end };
        done = end;
    }
    windows
}

/// The bytes behind the first of a character of UTF-8.
fn is_inside(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80)
}

/// Returns the last place up to `at` where a character begins. A character has at most four bytes: what looks like a
/// longer one is no UTF-8, and is cut where it was asked.
fn boundary_before(bytes: &[u8], at: usize) -> usize {
    let places = at.saturating_sub(3)..=at;
    places.rev().find(|at| !is_inside(bytes, *at)).unwrap_or(at)
}

fn boundary_after(bytes: &[u8], at: usize) -> usize {
    let places = at..=(at + 3).min(bytes.len());
    places
        .into_iter()
        .find(|at| !is_inside(bytes, *at))
        .unwrap_or(at)
}

/// The lines of the bytes that are cut.
struct SourceLines {
    lines: LineStarts,
    n_bytes: usize,
}

impl SourceLines {
    fn of(bytes: &[u8]) -> Self {
        Self {
            lines: LineStarts::of_bytes(bytes),
            n_bytes: bytes.len(),
        }
    }

    /// Returns the bytes of whole lines, the last line's end included.
    fn bytes(&self, (from, to): (u32, u32)) -> (usize, usize) {
        let start = |line: usize| {
            let start = self.lines.start(line).map(|start| start as usize);
            start.unwrap_or(self.n_bytes)
        };
        (start((from as usize).saturating_sub(1)), start(to as usize))
    }

    /// Returns the line of a byte, from 1.
    fn line(&self, at: usize) -> u64 {
        self.lines.number_at(at).into()
    }

    fn chunk(&self, (start, end): (usize, usize)) -> ChunkOutput {
        ChunkOutput {
            index: 0,
            start: start as u64,
            end: end as u64,
            start_line: self.line(start),
            end_line: self.line(end.saturating_sub(1).max(start)),
            handle: None,
            kind: None,
            symbol: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::windows;

    #[test]
    fn a_window_ends_between_characters() {
        let text = "héy";
        assert_eq!(windows(text.as_bytes(), 2, 0), [(0, 1), (1, 3), (3, 4)]);
        assert_eq!(windows(text.as_bytes(), 1, 0), [(0, 1), (1, 3), (3, 4)]);
        assert_eq!(windows(b"abcdef", 4, 2), [(0, 4), (2, 6)]);
        assert_eq!(windows(b"", 4, 2), []);
        // No UTF-8: cut where it was asked.
        assert_eq!(windows(&[0x80; 9], 8, 0), [(0, 8), (8, 9)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn windows_without_an_overlap_hold_each_byte_once(text in ".{0,400}", size in 1_usize..64) {
            let cut = windows(text.as_bytes(), size, 0);
            let pieces: Vec<&str> = cut.iter().map(|(start, end)| &text[*start..*end]).collect();
            prop_assert_eq!(&pieces.concat(), &text);
            prop_assert!(pieces.iter().all(|piece| piece.len() <= size.max(4)));
        }

        #[test]
        fn windows_with_an_overlap_leave_no_byte_out(bytes in proptest::collection::vec(any::<u8>(), 0..400), size in 2_usize..64, overlap in 1_usize..64) {
            let overlap = overlap % size;
            let cut = windows(&bytes, size, overlap);
            let mut end = 0;
            for (at, window) in cut.iter().enumerate() {
                prop_assert!(window.0 <= end && window.1 > end, "{at}: {window:?} after {end}");
                end = window.1;
            }
            prop_assert_eq!(end, bytes.len());
        }
    }
}

//! Which lines of a file differ from `HEAD`.
//!
//! No filter is run: where a filter driver converts a file, all of it differs.

use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};

use crate::model::RepoPath;

use super::Repo;

impl Repo {
    /// Returns the lines of a file of the work tree that differ from `HEAD`, as (first, last), from 1, in
    /// order. Where lines were only removed, last is the line before them and first the line behind.
    /// Line ends do not count.
    ///
    /// `None` where `HEAD` has no such file or one of the two can't be read or is larger than `limit`
    /// bytes. Costs about a millisecond for a file of thousand lines.
    pub fn changed_lines(&self, path: &RepoPath, limit: u64) -> Option<Vec<(u32, u32)>> {
        let before = self.committed(path, limit)?;
        let after = self.source.read(path, limit).ok()?.bytes;
        let (before, after) = (unix_lines(before), unix_lines(after));
        let input = InternedInput::new(before.as_slice(), after.as_slice());
        let diff = diff_with_slider_heuristics(Algorithm::Histogram, &input);
        Some(
            diff.hunks()
                .map(|hunk| (hunk.after.start + 1, hunk.after.end))
                .collect(),
        )
    }

    /// Returns the bytes of a regular file in `HEAD` as they are stored there; `None` where there is none, or it is larger
    /// than `limit`.
    pub fn committed(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
        let tree = self.head_commit().ok()??.tree().ok()?;
        let entry = tree.lookup_entry_by_path(path.as_str()).ok()??;
        let size = self.inner.find_header(entry.oid()).ok()?.size();
        let is_file = entry.mode().is_blob();
        let mut object = (is_file && size <= limit).then(|| entry.object().ok())??;
        Some(std::mem::take(&mut object.data))
    }
}

/// Returns how many lines of `after` are new, and how many of `before` are gone. Line ends do not count.
pub fn n_changed_lines(before: &str, after: &str) -> (u32, u32) {
    let (before, after) = (
        unix_lines(before.as_bytes().to_vec()),
        unix_lines(after.as_bytes().to_vec()),
    );
    let input = InternedInput::new(before.as_slice(), after.as_slice());
    let diff = diff_with_slider_heuristics(Algorithm::Histogram, &input);
    (diff.count_additions(), diff.count_removals())
}

fn unix_lines(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.windows(2).any(|pair| pair == b"\r\n") {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

//! Whether one file has to be read.

use std::collections::HashSet;

use crate::model::{
    BlobId, ContentId, FileId, FileStat, FoundFile, RepoPath, SkipReason, indexing_rules,
};
use crate::store::FileRow;
use crate::syntax;

/// A file that has to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where it is.
    pub path: RepoPath,
    /// The result of `lstat`; of a file of a commit the size alone.
    pub stat: FileStat,
    /// Which bytes the commit has there; `None` for a file of the work tree.
    pub blob: Option<BlobId>,
    /// Whether an attribute marks it as generated.
    pub has_generated_attribute: bool,
    /// The indexed row; `None` for a new file.
    pub known: Option<Box<IndexedFile>>,
    /// Whether it has to be written even if the bytes are those indexed.
    pub is_forced: bool,
}

/// The indexed row of a file that has to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// The row.
    pub row: FileId,
    /// The bytes.
    pub content: ContentId,
}

/// How files are compared with their rows.
#[derive(Clone, Copy, Debug)]
pub struct RowComparison<'a> {
    /// A larger file is to be left out.
    pub max_file_bytes: u64,
    /// Whether the attribute is asked for even if the row is current.
    pub recheck: bool,
    /// Files whose equal stat proves nothing.
    pub doubted: &'a HashSet<RepoPath>,
}

impl Candidate {
    /// Compares a file with its row; `None` where nothing has to be done.
    pub(super) fn of(
        row: Option<&FileRow>,
        file: FoundFile,
        rules: &RowComparison<'_>,
        has_generated_attribute: &mut dyn FnMut(&RepoPath) -> bool,
    ) -> Option<Self> {
        let new = |file: FoundFile, known, is_forced, has_generated_attribute| Self {
            path: file.path,
            stat: file.stat,
            blob: file.blob,
            has_generated_attribute,
            known,
            is_forced,
        };
        let Some(row) = row else {
            let has_generated_attribute = has_generated_attribute(&file.path);
            return Some(new(file, None, true, has_generated_attribute));
        };
        let has_generated_attribute = if rules.recheck {
            has_generated_attribute(&file.path)
        } else {
            row.has_generated_attribute
        };
        let size_bytes = match file.blob {
            // Equal bytes have the size of the row; whatever has others is read anyway.
            Some(_) => row.size_bytes,
            None => file.stat.size_bytes,
        };
        let is_forced = row.facts_version != syntax::row_version(&file.path)
            || has_generated_attribute != row.has_generated_attribute
            || is_misjudged(row, size_bytes > rules.max_file_bytes);
        let (is_same, proves_content) = match (file.blob, row.stat) {
            (Some(blob), _) => (row.blob == Some(blob), true),
            (None, Some(known)) => (
                known.stat == file.stat,
                known.proves_content && !rules.doubted.contains(&file.path),
            ),
            (None, None) => (false, false),
        };
        let is_missing = row.skip == Some(SkipReason::MissingBlob);
        if !is_forced && is_same && !is_missing && (proves_content || is_unread(row)) {
            return None;
        }
        let known = Some(Box::new(IndexedFile {
            row: row.id,
            content: row.content,
        }));
        // Of a file that was not read nothing is indexed that could tell whether the row still holds.
        let is_forced = is_forced || is_missing || is_unread(row);
        Some(new(file, known, is_forced, has_generated_attribute))
    }
}

/// Returns whether another size was the limit when the file was read.
fn is_misjudged(row: &FileRow, is_too_large: bool) -> bool {
    match row.skip {
        Some(SkipReason::TooLarge) => !is_too_large,
        // Judged before the size is.
        Some(SkipReason::Secret | SkipReason::Unreadable | SkipReason::MissingBlob) => false,
        _ => is_too_large,
    }
}

/// Returns whether the file was left out for its name or its size alone: an equal stat proves that this
/// still holds.
fn is_unread(row: &FileRow) -> bool {
    match row.skip {
        Some(SkipReason::TooLarge) => true,
        Some(SkipReason::Secret) => indexing_rules::is_secret_name(&row.path),
        _ => false,
    }
}

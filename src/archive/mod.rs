//! Archives of files (zip, tar) that are asked like repositories: their files, and the reasons to refuse one.
//!
//! An archive is not trusted. It is read twice: once to the end, to check every name, size and kind of entry, and a second time to hand its
//! files out. Nothing is unpacked into a directory: whoever takes the files decides where they go. Knows nothing of git.
//!
//! ```text
//! project.zip ── Archive::open ── check ──> CheckedArchive ── read_files ──> (path, size, bytes) …
//! ```

mod check;
mod entry;
mod error;
mod format;
mod names;

pub use check::{CheckedArchive, OnFile, Strip};
pub use error::ArchiveError;
pub use format::{Archive, is_name, name_of};

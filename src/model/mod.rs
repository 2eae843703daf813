//! The nouns that every room shares.
//!
//! This room knows no I/O, no clock but [`Budget`]'s, and no other room.

mod analysis;
mod budget;
pub mod build_constraint;
pub mod builtin_table;
mod chunk;
pub mod edge;
mod family;
mod file_mark;
pub mod file_role;
pub mod freshness;
pub mod handles;
pub mod hash;
pub mod id;
pub mod indexing_rules;
pub mod ini;
mod likeness;
mod line_starts;
mod lru_cache;
pub mod markup;
pub mod path;
pub mod path_class;
mod row;
pub mod sanitize;
pub mod secret;
mod shell;
pub mod size;
pub mod snapshot;
mod sources;
pub mod symbol;
pub mod uri;
mod vector;
pub mod visited;
mod word_set;

pub use analysis::Analysis;
pub use budget::Budget;
pub use builtin_table::{BuiltinSet, BuiltinTable};
pub use chunk::{Chunk, ChunkKind};
pub use edge::{Direction, EdgeKind, Provenance};
pub use family::Family;
pub use file_mark::{FileMark, MarkWord};
pub use file_role::FileRole;
pub use freshness::{Freshness, FreshnessState, Proof, SkipReason, UnknownReason};
pub use id::{BlobId, CommitId, ContentId, Handle, HandleKind};
pub use likeness::likeness;
pub use line_starts::LineStarts;
pub use lru_cache::{LruCache, MAX_COMPARISON_BYTES, cache_lookups};
pub use path::RepoPath;
pub use row::{ChunkId, FileId, ModuleId, PastCommitId, PastPathId, RecordId, SymbolId, UnitId};
pub use shell::shell_word;
pub use snapshot::{
    BUNDLE_SOURCE, Branch, COMMIT_SOURCE, CommitLinks, FileStat, FoundFile, Snapshot,
};
pub use sources::Sources;
pub use symbol::{Span, Symbol, SymbolFlags, SymbolKind};
pub use vector::QuantizedVector;
pub use word_set::{KeptWords, WordSet, WordSets};

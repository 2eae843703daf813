//! The uses of definitions, place by place: every line that names one, the ways in which it leaves its file, and the
//! uses that dangle when it is gone.
//!
//! The index holds one edge for all uses of a definition in another; the single places behind an edge are found again
//! here, from the text of the files and the rules that made the edge. Nothing is written.

mod arguments;
mod broken;
mod collisions;
mod counterparts;
mod difference;
mod difference_cache;
mod exposure;
mod locals;
mod mentions;
mod naming_tests;
mod removed;

pub use broken::{Broken, BrokenReason, BrokenUses};
pub use collisions::{BranchSide, Collision, CollisionKind, LineMerge};
pub use difference::{ChangedFile, DefinitionPlace, Difference, FilePair, ReExport, SymbolChange};
pub use exposure::Exposure;
pub use locals::FunctionLocals;
pub use mentions::{Mention, MentionPart, Mentions};
pub use removed::{DanglingUse, EarlierText, RemovedDefinition};

pub use crate::graph::changes::ChangeKind;
pub use crate::syntax::{LocalName, TestCase, UseKind};

use crate::model::{Budget, Sources};
use crate::store::Read;

/// Finds uses in one generation of an index.
pub struct Uses<'a> {
    /// The rows.
    pub read: &'a Read<'a>,
    /// The text of the files that the rows are of.
    pub sources: &'a dyn Sources,
    /// Ends the search when its call is cancelled. It has no deadline: half of the uses would be a wrong answer.
    pub budget: Budget,
}

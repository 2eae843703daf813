//! The uses of definitions, place by place: every line that names one, the ways in which it leaves its file, and the
//! uses that dangle when it is gone. And what a change breaks: `difference` finds the definitions that changed, `broken` the uses that
//! are wrong now.
//!
//! The index holds one edge for all uses of a definition in another; the single places behind an edge are found again
//! here, from the text of the files and the rules that made the edge. Nothing is written.

mod arguments;
mod before_after;
mod broken;
mod broken_use;
mod called_outside;
mod changed_file;
mod collisions;
mod components;
mod dangling_names;
mod declaration_lines;
mod declarators;
mod difference;
mod difference_cache;
mod dispatch_starts;
mod extension_methods;
mod file_uses;
mod files_to_bind;
mod files_with_name;
mod fitting_interfaces;
mod function_locals;
mod go_assertions;
mod hidden_after_move;
mod implicit_callers;
mod importers;
mod inherited_members;
mod lost_implementations;
mod modifiers;
mod moved_imports;
mod name_forms;
mod name_occurrences;
mod narrowing;
mod new_requirements;
mod offered_packages;
mod overrides;
mod primary_constructors;
mod removed_definitions;
mod removed_modules;
mod restrictions;
mod suppressed_lines;
mod syntax_errors;
mod tests_by_name;
mod unbound_uses;
mod unchecked_heads;
mod unchecked_keys;
mod unchecked_parameters;
mod unchecked_uses;
mod undeclared_modules;
mod unfollowed_files;
mod union_members;
mod unknown_places;
mod unread_files;
mod unseen_names;
mod words_of_files;

pub use broken_use::{BrokenReason, BrokenUse, BrokenUses, Refusal};
pub use changed_file::ChangedFile;
pub use collisions::{BranchSide, Collision, CollisionKind, LineMerge};
pub use difference::{
    DefinitionPlace, Difference, FilePair, IndexedStates, ReExport, SymbolChange,
};
pub use dispatch_starts::UserDispatch;
pub use file_uses::{ByteRange, FileUses, PlacedUse, UseRole, UseTarget};
pub use function_locals::FunctionLocals;
pub use implicit_callers::ImplicitCaller;
pub use importers::Exposure;
pub use modifiers::Visibility;
pub use name_occurrences::{NameOccurrence, NameOccurrences, OccurrenceMeaning, innermost};
pub use offered_packages::offered_packages;
pub use removed_definitions::{DanglingUse, EarlierText, RemovedDefinition};
pub use unbound_uses::may_name;
pub use unchecked_parameters::has_overloads;
pub use unchecked_uses::UncheckedUses;
pub use unfollowed_files::UnfollowedFiles;

pub use crate::graph::changes::ChangeKind;
pub use crate::link::name_binder::DefinitionId;
pub use crate::syntax::{LocalName, TestCase, UseKind};

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::link::name_binder::{FileMeanings, NameBinder, Overlay};
use crate::model::hash::HashMap;
use crate::model::{Budget, FileId, RepoPath, Sources};
use crate::store::{FileSummary, Read};

/// Finds uses in one generation of an index.
pub struct Uses<'a> {
    /// The rows.
    pub read: &'a Read<'a>,
    /// The text of the files that the rows are of.
    pub sources: &'a dyn Sources,
    /// Ends the search when its call is cancelled. It has no deadline: half of the uses would be a wrong answer.
    pub budget: Budget,
    /// Binds over the index, with the facts of the files that were looked at.
    binder: OnceCell<NameBinder<'a>>,
    /// The meanings in files that the next search reads again.
    bound: RefCell<HashMap<FileId, FileMeanings>>,
    /// The files of code that are left out or reduced.
    left_out: OnceCell<Vec<RepoPath>>,
    /// The files that hold the word that was looked for last.
    last_word: RefCell<Option<(String, Rc<[FileSummary]>)>>,
}

impl<'a> Uses<'a> {
    /// Returns the search over some rows. A caller that searches for several things keeps it: the facts of a file are loaded once.
    pub fn new(read: &'a Read<'a>, sources: &'a dyn Sources, budget: Budget) -> Self {
        Self {
            read,
            sources,
            budget,
            binder: OnceCell::new(),
            bound: RefCell::default(),
            left_out: OnceCell::new(),
            last_word: RefCell::default(),
        }
    }

    fn binder(&self) -> &NameBinder<'a> {
        let make = || NameBinder::new(self.read, Overlay::default());
        self.binder.get_or_init(make)
    }
}

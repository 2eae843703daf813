//! Files that hold the name of a definition and in which nothing is known of it.

use std::collections::HashSet;

use super::Uses;
use super::unbound::may_name;
use crate::error::Result;
use crate::model::{Analysis, FileId, RepoPath};
use crate::store::{SymbolRow, token};
use crate::syntax::by_path;

/// Definitions of one name whose users are looked at: a name that more have is in most files for another one.
const MAX_NAMESAKES: usize = 16;

impl Uses<'_> {
    /// Returns how many files of code hold the name of definitions, although the index knows no use of it there, no place of unknown
    /// meaning and no definition: it may stand in a comment, or in code that could not be read. 0 where more than
    /// 16 definitions have the name. Reads no file.
    pub fn n_unread_files(&self, targets: &[SymbolRow]) -> Result<u64> {
        let first = &targets[0];
        let norm = token::normal_form(&first.name);
        let namesakes = self.read.symbols_named(&norm)?;
        if namesakes.len() > MAX_NAMESAKES {
            return Ok(0);
        }
        let mut known: HashSet<FileId> = HashSet::new();
        let mut paths: HashSet<RepoPath> = HashSet::new();
        for namesake in namesakes {
            let edges = self.read.edges_into(namesake.id)?;
            known.extend(edges.iter().map(|it| it.src_file));
            paths.insert(namesake.path);
        }
        let places = self.read.unbound_places(&first.name)?;
        paths.extend(places.into_iter().map(|it| it.path));
        let files = self.read.files_with_word(&norm)?;
        let is_unknown = files.iter().filter(|it| {
            !known.contains(&it.id)
                && !paths.contains(&it.path)
                && by_path(&it.path).analysis() == Analysis::Full
                && may_name(&it.path, &first.path)
        });
        Ok(is_unknown.count() as u64)
    }
}

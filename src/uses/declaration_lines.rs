//! The text of a file as it was indexed, and the line in it that declares a definition.

use std::sync::Arc;

use super::Uses;
use super::before_after::start_of_line;
use super::name_occurrences::line_text_at;
use crate::error::Result;
use crate::link::name_binder::DefinitionId;
use crate::model::RepoPath;
use crate::store::SymbolRow;

/// A definition in the text of its file.
pub(super) struct Declaration {
    pub(super) path: RepoPath,
    pub(super) row: SymbolRow,
    /// The text of the file.
    pub(super) text: Arc<str>,
}

impl Declaration {
    /// Returns the line of the name, with its number: `(3, "class Disk implements Store {")`.
    pub(super) fn line(&self) -> (u32, String) {
        let start = start_of_line(&self.text, self.row.name_line);
        (self.row.name_line, line_text_at(&self.text, start as usize))
    }
}

impl Uses<'_> {
    /// Returns the text of a file as it was indexed; `None` where it differs now.
    pub(super) fn text_of(&self, path: &RepoPath) -> Result<Option<Arc<str>>> {
        let file = self.read.file(path.as_str())?;
        Ok(file.and_then(|file| self.sources.read(path, file.content)))
    }

    /// Returns the declaration of a definition; `None` where the text of its file differs now.
    pub(super) fn declaration(&self, of: DefinitionId) -> Result<Option<Declaration>> {
        let Some(path) = self.read.path_of(of.0)? else {
            return Ok(None);
        };
        let rows = self.read.symbols_of(of.0)?;
        let row = rows.into_iter().find(|it| it.ordinal == of.1);
        let text = self.text_of(&path)?;
        Ok(row
            .zip(text)
            .map(|(row, text)| Declaration { path, row, text }))
    }
}

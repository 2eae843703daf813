//! The names that a function binds, read from its file when they are asked for.

use super::Uses;
use crate::error::Result;
use crate::store::SymbolRow;
use crate::syntax::{self, LocalName};

/// The answer to a question for the names of a function.
pub enum FunctionLocals {
    /// The names, by line.
    Found(Vec<LocalName>),
    /// It is no function that a grammar reads.
    NoFunction,
    /// The file is not as it was indexed.
    Moved,
}

impl Uses<'_> {
    /// Returns the parameters, variables and inner functions of a function. Reads and parses its file.
    pub fn locals(&self, symbol: &SymbolRow) -> Result<FunctionLocals> {
        let Some(file) = self.read.file(symbol.path.as_str())? else {
            return Ok(FunctionLocals::Moved);
        };
        let Some(text) = self.sources.read(&symbol.path, file.content) else {
            return Ok(FunctionLocals::Moved);
        };
        let language = syntax::by_path(&symbol.path);
        let found = syntax::locals(language, &text, &symbol.span, &self.budget);
        Ok(found.map_or(FunctionLocals::NoFunction, FunctionLocals::Found))
    }
}

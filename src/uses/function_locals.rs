//! The names that a function binds, read from its file when they are asked for.

use super::Uses;
use crate::error::Result;
use crate::model::Analysis;
use crate::store::SymbolRow;
use crate::syntax::{self, LocalName};

/// The answer to a question for the names of a function.
pub enum FunctionLocals {
    /// The names, by line.
    Found(Vec<LocalName>),
    /// It is no function.
    NoFunction,
    /// Names in it are not read: its language is outlined only.
    NotRead,
    /// There was no time to read it.
    OutOfTime,
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
        let is_function = symbol.kind.is_function();
        if language.analysis() != Analysis::Full && is_function {
            return Ok(FunctionLocals::NotRead);
        }
        let found = syntax::locals(language, &text, &symbol.span, &self.budget);
        Ok(match found {
            Some(found) => FunctionLocals::Found(found),
            None if self.budget.is_spent() => FunctionLocals::OutOfTime,
            None if is_function => FunctionLocals::NotRead,
            None => FunctionLocals::NoFunction,
        })
    }
}

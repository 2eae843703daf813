//! The text and the definitions of files, each read once for an answer.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::Result;
use crate::model::{RepoPath, Sources as _};
use crate::workspace::{BoundRecords, SymbolRow, View};

/// Reads files of one view.
pub(super) struct SourceReader<'v> {
    pub(super) view: &'v View<'v>,
    texts: RefCell<HashMap<RepoPath, Option<Rc<LinedText>>>>,
    symbols: RefCell<HashMap<RepoPath, Rc<Vec<SymbolRow>>>>,
    /// The saved records about the answer, once it is known which code may be in it.
    pub(super) bound: OnceCell<BoundRecords>,
}

/// The text of a file, cut at its line ends.
pub(super) struct LinedText {
    text: Arc<str>,
    /// Where each line begins; the last entry is the end of the text.
    starts: Vec<usize>,
}

impl<'v> SourceReader<'v> {
    pub(super) fn of(view: &'v View<'v>) -> Self {
        Self {
            view,
            texts: RefCell::default(),
            symbols: RefCell::default(),
            bound: OnceCell::new(),
        }
    }

    /// Returns how many saved records are bound to lines of a file, or to the file.
    pub(super) fn n_notes(&self, path: &str, lines: Option<(u32, u32)>) -> u64 {
        let bound = self.bound.get();
        bound.map_or(0, |bound| bound.count(path, lines, true))
    }

    /// Returns the text of a file; `None` where its bytes are not those that were indexed.
    pub(super) fn text(&self, path: &RepoPath) -> Result<Option<Rc<LinedText>>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return Ok(known.clone());
        }
        let file = self.view.read.file(path.as_str())?;
        let text = file.and_then(|file| self.view.read(path, file.content));
        let text = text.map(|text| Rc::new(LinedText::of(text)));
        self.texts.borrow_mut().insert(path.clone(), text.clone());
        Ok(text)
    }

    /// Returns the definitions of a file, in source order.
    pub(super) fn symbols(&self, path: &RepoPath) -> Result<Rc<Vec<SymbolRow>>> {
        if let Some(known) = self.symbols.borrow().get(path) {
            return Ok(Rc::clone(known));
        }
        let found = match self.view.read.file(path.as_str())? {
            Some(file) => self.view.read.symbols_of(file.id)?,
            None => Vec::new(),
        };
        let found = Rc::new(found);
        self.symbols
            .borrow_mut()
            .insert(path.clone(), Rc::clone(&found));
        Ok(found)
    }
}

impl LinedText {
    fn of(text: Arc<str>) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    /// Returns the text of some lines, from 1, with their line ends; empty beyond the end of the file.
    pub(super) fn lines(&self, first: u32, last: u32) -> &str {
        let at = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        let from = at((first as usize).saturating_sub(1));
        self.text
            .get(from..at(last as usize).max(from))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::LinedText;

    #[test]
    fn lines_are_whole_with_their_ends() {
        let text = LinedText::of("one\ntwo\r\nthree".into());
        assert_eq!(text.lines(1, 1), "one\n");
        assert_eq!(text.lines(2, 3), "two\r\nthree");
        assert_eq!(text.lines(3, 9), "three");
        assert_eq!(text.lines(4, 9), "");
        assert_eq!(LinedText::of("".into()).lines(1, 1), "");
    }
}

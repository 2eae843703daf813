//! Definitions that one state of a file may have without their being found in it: it has syntax errors, behind which definitions are
//! read as parts of others or not at all.

use std::collections::HashSet;

use super::broken_use::last_name;
use super::changed_file::{ChangedFile, FileSide};
use super::difference::{Difference, SymbolChange};
use crate::graph::changes::ChangeKind;
use crate::graph::tokens::tokens;
use crate::model::{RepoPath, Symbol};

impl Difference {
    /// Returns how many definitions may be there unchanged in files with syntax errors; `is_wanted` chooses among the files.
    pub fn n_hidden(&self, is_wanted: impl Fn(&RepoPath) -> bool) -> u64 {
        let homes = self.hidden.iter().map(|at| &self.files[*at].path);
        homes.filter(|path| is_wanted(path)).count() as u64
    }

    /// Returns the changed files whose syntax errors may hide definitions, by path: those that had none before, and those that lack some.
    pub fn with_errors(&self) -> impl Iterator<Item = &RepoPath> {
        let all = self.files.iter().enumerate();
        all.filter(|(at, it)| it.has_new_errors() || self.hidden.contains(at))
            .map(|(_, it)| &it.path)
    }
}

impl ChangedFile {
    /// Whether the file has syntax errors now and had none.
    pub(super) fn has_new_errors(&self) -> bool {
        let had = self.old.is_there && self.old.facts.has_errors;
        self.new.is_there && self.new.facts.has_errors && !had
    }
}

/// Takes the changes out of `changes` that nobody can tell for syntax errors, and returns the file of each definition among them.
pub(super) fn take_hidden(files: &[ChangedFile], changes: &mut Vec<SymbolChange>) -> Vec<usize> {
    let mut hidden = Vec::new();
    let mut names: HashSet<(usize, String)> = HashSet::new();
    changes.retain(|change| {
        let is_hidden = match (&change.old, change.kind) {
            (Some(place), kind) => {
                let file = &files[place.file];
                let symbol = &file.old.facts.symbols[place.symbols[0] as usize];
                let is_in_doubt = match kind {
                    ChangeKind::Removed | ChangeKind::Moved | ChangeKind::Renamed => {
                        may_have(&file.new, &file.old, symbol)
                    }
                    ChangeKind::Unexported => file.has_new_errors(),
                    _ => false,
                };
                if is_in_doubt {
                    hidden.push(place.file);
                    names.insert((place.file, last_name(&symbol.name).to_owned()));
                }
                is_in_doubt
            }
            _ => false,
        };
        !is_hidden
    });
    // A definition that was read as a part of another one, or could not be read before.
    changes.retain(|change| {
        let Some(place) = change
            .new
            .as_ref()
            .filter(|_| change.kind == ChangeKind::Added)
        else {
            return true;
        };
        let file = &files[place.file];
        let symbol = &file.new.facts.symbols[place.symbols[0] as usize];
        if names.contains(&(place.file, last_name(&symbol.name).to_owned())) {
            return false;
        }
        let was_there = may_have(&file.old, &file.new, symbol);
        if was_there {
            hidden.push(place.file);
        }
        !was_there
    });
    hidden
}

/// Whether a state of a file may have a definition that is found in the `other` state alone: it has syntax errors, and the text of it names
/// the definition; where both have errors, behind the word that it follows where it is found, e.g. `fn open`.
fn may_have(side: &FileSide, other: &FileSide, symbol: &Symbol) -> bool {
    if !side.is_there || !side.facts.has_errors {
        return false;
    }
    let name = last_name(&symbol.name);
    let text = other.code();
    let (start, end) = (
        symbol.span.start_byte as usize,
        symbol.span.end_byte as usize,
    );
    let definition = text.get(start..end).unwrap_or_default();
    let Some(before) = word_before(definition, name) else {
        // Nothing that is written, like `default`.
        return true;
    };
    let mut last = "";
    tokens(side.code()).any(|token| {
        let is_behind = !other.facts.has_errors || last == before;
        last = token;
        token == name && is_behind
    })
}

/// Returns the token in front of a name in a definition; empty where it begins with the name.
fn word_before<'t>(definition: &'t str, name: &str) -> Option<&'t str> {
    let mut last = "";
    for token in tokens(definition) {
        if token == name {
            return Some(last);
        }
        last = token;
    }
    None
}

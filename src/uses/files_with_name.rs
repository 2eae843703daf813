//! Files that hold the name of a definition as a word, and how many of them are known to have no use, no definition and no mention of it.
//!
//! Files whose uses the index does not have at all are the matter of `unfollowed_files`.

use std::collections::HashSet;
use std::rc::Rc;

use super::Uses;
use super::importers::Exposure;
use super::unbound_uses::may_name;
use crate::error::Result;
use crate::model::{Analysis, FileId, RepoPath};
use crate::store::{FileSummary, SymbolRow, token};
use crate::syntax::by_path;

/// Bytes of files that are looked through for a name, where its places are not asked for: some 10 ms.
pub(super) const MAX_READ_BYTES: usize = 16 << 20;

/// Definitions of one name whose users are looked at: a name that more have is in most files for another one.
const MAX_NAMESAKES: usize = 16;

impl Uses<'_> {
    /// Returns how many files of code hold the name of definitions, although the index knows no use of it there, no import, no place of unknown
    /// meaning and no definition: it may stand in a comment, or in code that could not be read. 0 where more than
    /// 16 definitions have the name. Reads the files that may hold it, since the index folds the endings of words; beyond 16 MB
    /// of them every file counts.
    pub fn n_unexplained_files(&self, targets: &[SymbolRow], exposure: &Exposure) -> Result<u64> {
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
        let passing = exposure.importers.iter().chain(&exposure.reexporters);
        paths.extend(passing.map(|it| it.0.clone()));
        let places = self.read.unbound_places(&first.name)?;
        paths.extend(places.into_iter().map(|it| it.path));
        let files = self.files_with_word(&norm)?;
        let is_unknown = files.iter().filter(|it| {
            !known.contains(&it.id)
                && !paths.contains(&it.path)
                && by_path(&it.path).analysis() == Analysis::Full
                && may_name(&it.path, &first.path)
        });
        let (mut n_files, mut n_bytes) = (0, 0);
        for file in is_unknown {
            if n_bytes >= MAX_READ_BYTES {
                n_files += 1;
                continue;
            }
            let found = self.name_in_file(file, &first.name);
            n_bytes += found.n_read;
            n_files += u64::from(found.is_there);
        }
        Ok(n_files)
    }

    /// Returns the files that hold a word, with any ending, by their paths. The last list is kept: one question asks for it several times.
    pub(super) fn files_with_word(&self, norm: &str) -> Result<Rc<[FileSummary]>> {
        if let Some((known, files)) = &*self.last_word.borrow()
            && known == norm
        {
            return Ok(Rc::clone(files));
        }
        let files: Rc<[FileSummary]> = self.read.files_with_word(norm)?.into();
        let kept = (norm.to_owned(), Rc::clone(&files));
        *self.last_word.borrow_mut() = Some(kept);
        Ok(files)
    }

    /// Returns the files that may hold a name, by their paths: every file that has its word, with any ending, or all words of a name
    /// that is none itself, `create-item-label`. `None` for a name that the index has no words of.
    pub(super) fn files_with_name(&self, name: &str) -> Result<Option<Vec<FileSummary>>> {
        let words = words(name).map(token::normal_form);
        let is_posted = |norm: &String| (2..=token::MAX_WORD_BYTES).contains(&norm.len());
        let mut found: Option<Vec<FileSummary>> = None;
        for norm in words.filter(is_posted) {
            let files = self.files_with_word(&norm)?;
            found = Some(match found {
                None => files.to_vec(),
                Some(mut before) => {
                    let with_this: HashSet<FileId> = files.iter().map(|it| it.id).collect();
                    before.retain(|it| with_this.contains(&it.id));
                    before
                }
            });
        }
        Ok(found)
    }
}

/// Whether a name is one word, as identifiers are: `create-item-label` is none.
pub(super) fn is_one_word(name: &str) -> bool {
    words(name).count() < 2
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '#'));
    name.split(is_between).filter(|it| !it.is_empty())
}

//! The entries of one directory, of which only so many are held at once.
//!
//! Refuses to know which of them belong.

use std::io;
use std::path::Path;

use super::WorkTree;
use super::content::is_dot_git;
use super::ignore::RuleFiles;
use super::opened::{Entry, Kind, Opened};
use crate::model::FileStat;

/// Entries that are held. Of a larger directory the rest is read as it is asked for.
const MAX_HELD: usize = 8_192;

/// Which entries a directory has that say something of all others.
#[derive(Clone, Copy, Default)]
pub(super) struct Special {
    /// What git keeps a repository in, or says where it is.
    pub(super) dot_git: bool,
    pub(super) rules: RuleFiles,
    pub(super) gitattributes: bool,
}

/// An open directory.
pub(super) struct Listing {
    pub(super) special: Special,
    held: std::vec::IntoIter<Entry>,
    dir: Opened,
}

impl Listing {
    /// Opens a directory of the work tree (empty: the root) and looks through it.
    ///
    /// # Errors
    /// Those of [`WorkTree::list`].
    pub(super) fn open(tree: &WorkTree, dir: &Path) -> io::Result<Self> {
        Self::holding(tree, dir, MAX_HELD)
    }

    fn holding(tree: &WorkTree, path: &Path, max_held: usize) -> io::Result<Self> {
        let mut special = Special::default();
        let mut dir = tree.list(path)?;
        let mut held = Vec::new();
        while held.len() < max_held {
            let Some(entry) = dir.next() else {
                break;
            };
            let entry = entry?;
            special.see(&entry);
            held.push(entry);
        }
        if held.len() == max_held {
            let mut again = tree.list(path)?;
            while let Some(entry) = again.next() {
                special.see(&entry?);
            }
        }
        Ok(Self {
            special,
            held: held.into_iter(),
            dir,
        })
    }

    /// Returns the next entry, in the file system's order. After an error there may be further ones.
    pub(super) fn next(&mut self) -> Option<io::Result<Entry>> {
        match self.held.next() {
            Some(entry) => Some(Ok(entry)),
            None => self.dir.next(),
        }
    }

    /// Returns the stat of the entry of that name, following no link; `None` where it is no regular file.
    pub(super) fn stat(&self, name: &[u8]) -> io::Result<Option<FileStat>> {
        self.dir.stat(name)
    }
}

impl Special {
    fn see(&mut self, entry: &Entry) {
        self.dot_git |= is_dot_git(&entry.name);
        let file = (entry.kind == Kind::File).then_some(&entry.name[..]);
        self.rules.git |= file == Some(b".gitignore");
        self.rules.own |= file == Some(b".codelensignore");
        self.gitattributes |= file == Some(b".gitattributes");
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Listing;
    use crate::git::WorkTree;

    #[test]
    fn whatever_is_held_all_is_listed_and_what_is_special_is_known_first() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let mut wanted: Vec<String> = (0..20).map(|n| format!("f{n}")).collect();
        wanted.extend([".gitignore".to_owned(), ".gitattributes".to_owned()]);
        for name in &wanted {
            std::fs::write(inner.join(name), "").unwrap();
        }
        // A directory of that name is none that has rules.
        std::fs::create_dir(inner.join(".codelensignore")).unwrap();
        wanted.push(".codelensignore".to_owned());
        wanted.sort();
        let tree = WorkTree::open(dir.path(), &[]).unwrap();
        for max_held in [1, 7, 22, 23, 24, 1_000] {
            let mut listing = Listing::holding(&tree, Path::new("inner"), max_held).unwrap();
            let special = listing.special;
            assert!(special.rules.git && special.gitattributes, "{max_held}");
            assert!(!special.rules.own && !special.dot_git, "{max_held}");
            let mut names: Vec<String> = std::iter::from_fn(|| listing.next())
                .map(|entry| String::from_utf8(entry.unwrap().name).unwrap())
                .collect();
            names.sort();
            assert_eq!(names, wanted, "{max_held}");
        }
    }
}

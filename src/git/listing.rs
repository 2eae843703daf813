//! The entries of one directory, of which only so many are held at once.
//!
//! Refuses to know which of them belong.

use std::io;
use std::path::Path;

use cap_std::fs::{DirEntry, FileType, ReadDir};

use super::WorkTree;
use super::content::{is_dot_git, is_gone};
use super::ignore::RuleFiles;

/// Entries that are held. Of a larger directory the rest is read as it is asked for.
const MAX_HELD: usize = 8_192;

/// An entry that was there when it was listed.
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) kind: FileType,
    pub(super) at: DirEntry,
}

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
    held: Vec<Entry>,
    rest: ReadDir,
}

impl Listing {
    /// Opens a directory of the work tree (empty: the root) and looks through it.
    ///
    /// # Errors
    /// Those of [`WorkTree::list`].
    pub(super) fn open(tree: &WorkTree, dir: &Path) -> io::Result<Self> {
        Self::holding(tree, dir, MAX_HELD)
    }

    fn holding(tree: &WorkTree, dir: &Path, max_held: usize) -> io::Result<Self> {
        let mut special = Special::default();
        let mut rest = tree.list(dir)?;
        let mut held = Vec::new();
        while held.len() < max_held {
            let Some(entry) = next(&mut rest) else {
                break;
            };
            let entry = entry?;
            special.see(&entry);
            held.push(entry);
        }
        if held.len() == max_held {
            let mut again = tree.list(dir)?;
            while let Some(entry) = next(&mut again) {
                special.see(&entry?);
            }
        }
        Ok(Self {
            special,
            held,
            rest,
        })
    }

    /// Returns the entries, in the file system's order. After an error there may be further ones.
    pub(super) fn entries(self) -> impl Iterator<Item = io::Result<Entry>> {
        let mut rest = self.rest;
        let rest = std::iter::from_fn(move || next(&mut rest));
        self.held.into_iter().map(Ok).chain(rest)
    }
}

impl Special {
    fn see(&mut self, entry: &Entry) {
        self.dot_git |= is_dot_git(&entry.name);
        let file = entry.kind.is_file().then_some(&entry.name[..]);
        self.rules.git |= file == Some(b".gitignore");
        self.rules.own |= file == Some(b".codelensignore");
        self.gitattributes |= file == Some(b".gitattributes");
    }
}

/// Returns the next entry that is still there.
fn next(entries: &mut ReadDir) -> Option<io::Result<Entry>> {
    loop {
        let entry = match entries.next()? {
            Ok(entry) => entry,
            Err(e) => return Some(Err(e)),
        };
        let kind = entry.file_type().and_then(|kind| {
            // There are file systems that list names without their kinds.
            let is_known = kind.is_file() || kind.is_dir() || kind.is_symlink();
            if is_known {
                return Ok(kind);
            }
            entry.metadata().map(|meta| meta.file_type())
        });
        match kind {
            Ok(kind) => {
                return Some(Ok(Entry {
                    name: entry.file_name().into_encoded_bytes(),
                    kind,
                    at: entry,
                }));
            }
            Err(e) if is_gone(&e) => {}
            Err(e) => return Some(Err(e)),
        }
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
            let listing = Listing::holding(&tree, Path::new("inner"), max_held).unwrap();
            let special = listing.special;
            assert!(special.rules.git && special.gitattributes, "{max_held}");
            assert!(!special.rules.own && !special.dot_git, "{max_held}");
            let mut names: Vec<String> = listing
                .entries()
                .map(|entry| String::from_utf8(entry.unwrap().name).unwrap())
                .collect();
            names.sort();
            assert_eq!(names, wanted, "{max_held}");
        }
    }
}

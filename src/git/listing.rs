//! The entries of one directory, of which only so many are held at once.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::WorkTree;
use super::content::is_dot_git;
use super::directories::{DirectoryEntries, EntryNames, Pass};
use super::ignore::RuleFiles;
use super::open_directory::{
    DirEntry, EntryKind, Identity, OpenDirectory, SeenFile, identity_at, stat_at,
};

/// Entries that are held. Of a larger directory the rest is read as it is asked for.
const MAX_HELD: usize = 8_192;

/// Which entries a directory has that say something of all others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Special {
    /// `.git`: a repository, or a file that says where it is.
    pub(super) dot_git: bool,
    pub(super) rules: RuleFiles,
    pub(super) gitattributes: bool,
}

/// A directory that is looked at.
pub(super) struct Listing<'a> {
    tree: &'a WorkTree,
    contents: DirectoryEntries,
    /// `None` where all was known without it.
    dir: Option<OpenDirectory>,
    /// Whether there is nothing after the names that are held.
    is_whole: bool,
    /// Which directory it is, where a pass asks.
    identity: Option<Identity>,
}

impl<'a> Listing<'a> {
    /// Opens a directory of the work tree (empty: the root; else with a slash at its end) and looks through it, unless `pass` knows what is in it.
    ///
    /// # Errors
    /// Those of [`WorkTree::list`].
    pub(super) fn open(
        tree: &'a WorkTree,
        dir: &[u8],
        pass: Option<&Pass<'_>>,
    ) -> io::Result<Self> {
        Self::holding(tree, dir, pass, MAX_HELD)
    }

    fn holding(
        tree: &'a WorkTree,
        path: &[u8],
        pass: Option<&Pass<'_>>,
        max_held: usize,
    ) -> io::Result<Self> {
        let known = pass.and_then(|pass| pass.look_up(path, || identity_at(tree.root(), path)));
        if let Some((identity, contents)) = known {
            return Ok(Self {
                tree,
                contents,
                dir: None,
                is_whole: true,
                identity: Some(identity),
            });
        }
        let place = Path::new(os_str(path));
        let mut dir = tree.list(place)?;
        let identity = pass.and_then(|_| dir.identity());
        let claim = pass.and_then(|pass| pass.claim(&dir, identity?));
        let (mut special, mut names, mut n_held) = (Special::default(), EntryNames::default(), 0);
        while n_held < max_held {
            let Some(entry) = dir.next() else {
                break;
            };
            let DirEntry { name, kind } = entry?;
            special.see(&name, kind);
            names.push(&name, kind);
            n_held += 1;
        }
        let is_whole = n_held < max_held;
        if !is_whole {
            let mut again = tree.list(place)?;
            while let Some(entry) = again.next() {
                let DirEntry { name, kind } = entry?;
                special.see(&name, kind);
            }
        }
        let contents = DirectoryEntries {
            special,
            names: Arc::new(names),
        };
        if let (Some(pass), Some(claim), true) = (pass, claim, is_whole) {
            pass.keep(path, &dir, &claim, &contents);
        }
        Ok(Self {
            tree,
            contents,
            dir: Some(dir),
            is_whole,
            identity,
        })
    }

    /// Returns the entries that tell something about all others.
    pub(super) fn special(&self) -> Special {
        self.contents.special
    }

    /// Returns which directory it is; `None` where no pass asked, or the system can't tell.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Returns the first entries, in the file system's order.
    pub(super) fn names(&self) -> Arc<EntryNames> {
        Arc::clone(&self.contents.names)
    }

    /// Returns the next entry after [`Self::names`]. After an error there may be further ones.
    pub(super) fn next(&mut self) -> Option<io::Result<DirEntry>> {
        match &mut self.dir {
            Some(dir) if !self.is_whole => dir.next(),
            _ => None,
        }
    }

    /// Returns the stat of the entry of that name, at `path`, following no link; `None` where it is no regular file.
    pub(super) fn stat(&self, name: &[u8], path: &[u8]) -> io::Result<Option<SeenFile>> {
        match &self.dir {
            Some(dir) => dir.stat(name),
            // Opening a directory costs more than the way to its files. Where a link came in its place meanwhile, its
            // target's stat is told and nothing read.
            None => stat_at(self.tree.root(), path),
        }
    }
}

impl Special {
    /// Takes an entry into account.
    pub(super) fn see(&mut self, name: &[u8], kind: EntryKind) {
        self.dot_git |= is_dot_git(name);
        let file = (kind == EntryKind::File).then_some(name);
        self.rules.git |= file == Some(b".gitignore");
        self.rules.own |= file == Some(b".codelensignore");
        self.gitattributes |= file == Some(b".gitattributes");
    }
}

#[cfg(unix)]
pub(super) fn os_str(path: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(path)
}

#[cfg(not(unix))]
pub(super) fn os_str(path: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(path).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::Listing;
    use crate::git::{Directories, WorkTree};

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
            let mut listing = Listing::holding(&tree, b"inner/", None, max_held).unwrap();
            let special = listing.special();
            assert!(special.rules.git && special.gitattributes, "{max_held}");
            assert!(!special.rules.own && !special.dot_git, "{max_held}");
            let held = listing.names();
            let held = held.iter().map(|(name, _)| name.to_owned());
            let rest = std::iter::from_fn(|| listing.next()).map(|entry| entry.unwrap().name);
            let mut names: Vec<String> = held
                .chain(rest)
                .map(|name| String::from_utf8(name).unwrap())
                .collect();
            names.sort();
            assert_eq!(names, wanted, "{max_held}");
        }
    }

    #[test]
    fn only_what_was_listed_to_its_end_is_remembered() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..5 {
            std::fs::write(dir.path().join(format!("f{n}")), "").unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
        let tree = WorkTree::open(dir.path(), &[]).unwrap();
        let is_noted = tree.list(Path::new("")).unwrap().notes_changes();
        for (max_held, is_whole) in [(1, false), (5, false), (6, true)] {
            let known = Directories::new(Duration::ZERO);
            let pass = known.begin();
            drop(Listing::holding(&tree, b"", Some(&pass), max_held).unwrap());
            assert_eq!(
                known.n_kept(),
                usize::from(is_noted && is_whole),
                "{max_held}"
            );
        }
    }
}

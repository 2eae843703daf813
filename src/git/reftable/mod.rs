//! References of a repository that keeps them in tables (`git init --ref-format=reftable`), which the git library
//! can't read. Files of references are left to the library.
//!
//! A directory `reftable` holds `tables.list` and the tables that it names, oldest first: a later one overrides.
//! Nothing is kept from call to call, and nothing is written. Logs of references are not read.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::GitError;
use super::content::read_outside;

mod table;
#[cfg(test)]
mod tests;

use table::{Damage, RefTable, RefValue};

/// The longest `tables.list`, in bytes: some thousand tables. Git merges them from a dozen on.
const MAX_LIST_BYTES: u64 = 64 << 10;

/// How large the tables of one directory are together at most, in bytes: about a million references.
const MAX_TABLE_BYTES: u64 = 128 << 20;

/// How many references of one kind are listed.
const MAX_LISTED: usize = 1_000_000;

/// How long all their names are together at most, in bytes.
const MAX_NAMES_BYTES: usize = 128 << 20;

/// How often `tables.list` is read again when git has merged a table away meanwhile.
const MAX_TRIES: usize = 5;

/// How many symbolic references may follow each other, as in git.
const MAX_DEPTH: usize = 5;

/// The references that one work tree sees.
pub(super) struct Reftable {
    /// Branches, tags and those of remotes; `HEAD` of the main work tree too.
    shared: Stack,
    /// `HEAD` and the like of a linked work tree.
    own: Option<Stack>,
}

/// A reference that was followed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Followed {
    /// Full name of the reference at the end, e.g. `refs/heads/main` for a `HEAD` on branch `main`.
    pub(super) name: String,
    /// Object that it points to; `None` where it does not exist, as a branch before its first commit.
    pub(super) id: Option<ObjectId>,
}

/// The tables of one directory, oldest first.
struct Stack {
    dir: PathBuf,
    tables: Vec<(String, RefTable)>,
}

impl Reftable {
    /// Reads the tables of a work tree's repository; `None` where its references are files.
    pub(super) fn of(repo: &gix::Repository) -> Result<Option<Self>, GitError> {
        if !is_used_by(repo) {
            return Ok(None);
        }
        let hash = repo.object_hash();
        let (own, common) = (repo.git_dir(), repo.common_dir());
        let shared = Stack::read(common.join("reftable"), hash)?;
        let own = (own != common)
            .then(|| Stack::read(own.join("reftable"), hash))
            .transpose()?;
        Ok(Some(Self { shared, own }))
    }

    /// Follows a reference by its full name; `None` where there is none. The target of a symbolic one need not exist.
    pub(super) fn follow(&self, name: &str) -> Result<Option<Followed>, GitError> {
        let mut name = name.as_bytes().to_vec();
        for depth in 0..=MAX_DEPTH {
            let stack = self.stack_of(&name);
            let id = match stack.find(&name)? {
                Some(RefValue::Symbolic(target)) => {
                    name = target;
                    continue;
                }
                Some(RefValue::Object(id)) => Some(id),
                Some(RefValue::Deleted) | None if depth == 0 => return Ok(None),
                Some(RefValue::Deleted) | None => None,
            };
            let name = name.to_str_lossy().into_owned();
            return Ok(Some(Followed { name, id }));
        }
        Err(failed(format!(
            "more than {MAX_DEPTH} symbolic references follow each other in {}",
            self.shared.dir.display()
        )))
    }

    /// Follows `HEAD`, which every work tree has.
    pub(super) fn head(&self) -> Result<Followed, GitError> {
        let dir = &self.own.as_ref().unwrap_or(&self.shared).dir;
        self.follow("HEAD")?
            .ok_or_else(|| failed(format!("{} has no HEAD", dir.display())))
    }

    /// Replaces the reference at the start of a revision by the id of its object, e.g. `main~2` → `4b825dc…~2`; a
    /// revision that starts with no reference stays as it is.
    pub(super) fn with_ids(&self, revision: &str) -> Result<String, GitError> {
        let end = revision
            .char_indices()
            .find(|(at, c)| matches!(c, '~' | '^' | ':') || revision[*at..].starts_with("@{"))
            .map_or(revision.len(), |(at, _)| at);
        let (name, rest) = revision.split_at(end);
        let name = if name == "@" { "HEAD" } else { name };
        // The order of git's `gitrevisions`.
        let places = [
            ("", ""),
            ("refs/", ""),
            ("refs/tags/", ""),
            ("refs/heads/", ""),
            ("refs/remotes/", ""),
            ("refs/remotes/", "/HEAD"),
        ];
        for (before, after) in places {
            let followed = self.follow(&format!("{before}{name}{after}"))?;
            if let Some(id) = followed.and_then(|followed| followed.id) {
                return Ok(format!("{}{rest}", id.to_hex()));
            }
        }
        Ok(revision.to_owned())
    }

    /// Lists the references below a prefix that all work trees share, e.g. `refs/heads/`, by their names without it.
    pub(super) fn below(&self, prefix: &str) -> Result<BTreeMap<String, RefTarget>, GitError> {
        self.shared.below(prefix.as_bytes())
    }

    /// Returns the tables that hold a reference: a linked work tree has some for itself, see `gitrepository-layout`.
    fn stack_of(&self, name: &[u8]) -> &Stack {
        let is_own = !name.starts_with(b"refs/")
            || ["refs/bisect/", "refs/worktree/", "refs/rewritten/"]
                .iter()
                .any(|prefix| name.starts_with(prefix.as_bytes()));
        match &self.own {
            Some(own) if is_own => own,
            _ => &self.shared,
        }
    }
}

/// The target of a listed reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RefTarget {
    /// An object, which may be a tag.
    Object(ObjectId),
    /// Another reference, by its full name.
    Symbolic(String),
}

/// Whether a repository's references are in tables.
pub(super) fn is_used_by(repo: &gix::Repository) -> bool {
    let storage = repo.config_snapshot().string("extensions.refStorage");
    storage.is_some_and(|format| format == "reftable")
}

impl Stack {
    fn read(dir: PathBuf, hash: gix::hash::Kind) -> Result<Self, GitError> {
        for _ in 0..MAX_TRIES {
            let names = listed(&dir)?;
            if let Some(tables) = tables(&dir, names, hash)? {
                return Ok(Self { dir, tables });
            }
        }
        Err(failed(format!(
            "{} names a table that is not there",
            dir.join("tables.list").display()
        )))
    }

    fn find(&self, wanted: &[u8]) -> Result<Option<RefValue>, GitError> {
        for (file, table) in self.tables.iter().rev() {
            let mut found = None;
            let read = table.each(|name, value| match name.cmp(wanted) {
                std::cmp::Ordering::Less => ControlFlow::Continue(()),
                std::cmp::Ordering::Equal => {
                    found = Some(value);
                    ControlFlow::Break(())
                }
                std::cmp::Ordering::Greater => ControlFlow::Break(()),
            });
            read.map_err(|damage| damaged(&self.dir.join(file), &damage))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn below(&self, prefix: &[u8]) -> Result<BTreeMap<String, RefTarget>, GitError> {
        let mut found = BTreeMap::new();
        let (mut n_bytes, mut is_too_much) = (0, false);
        for (file, table) in &self.tables {
            let read = table.each(|name, value| {
                let Some(name) = name.strip_prefix(prefix) else {
                    return if name > prefix {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    };
                };
                n_bytes += name.len();
                let name = name.to_str_lossy().into_owned();
                match value {
                    RefValue::Deleted => drop(found.remove(&name)),
                    RefValue::Object(id) => drop(found.insert(name, RefTarget::Object(id))),
                    RefValue::Symbolic(target) => {
                        let target = target.to_str_lossy().into_owned();
                        n_bytes += target.len();
                        found.insert(name, RefTarget::Symbolic(target));
                    }
                }
                is_too_much = found.len() > MAX_LISTED || n_bytes > MAX_NAMES_BYTES;
                if is_too_much {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            read.map_err(|damage| damaged(&self.dir.join(file), &damage))?;
            if is_too_much {
                return Err(failed(format!(
                    "{} holds more than {MAX_LISTED} references",
                    self.dir.display()
                )));
            }
        }
        Ok(found)
    }
}

/// Reads the names of the tables of a directory, oldest first.
fn listed(dir: &Path) -> Result<Vec<String>, GitError> {
    let path = dir.join("tables.list");
    let bytes = read(&path, MAX_LIST_BYTES)?
        .ok_or_else(|| failed(format!("{} is missing", path.display())))?;
    let is_name = |name: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
        name.bytes().all(is_plain) && !name.starts_with('.')
    };
    let text = std::str::from_utf8(&bytes).ok();
    let lines = text.map(|text| text.lines().collect::<Vec<_>>());
    let names = lines.filter(|names| names.iter().all(|name| !name.is_empty() && is_name(name)));
    let names = names.ok_or_else(|| failed(format!("{} is damaged", path.display())))?;
    Ok(names.into_iter().map(ToOwned::to_owned).collect())
}

/// Reads tables; `None` where one is gone.
fn tables(
    dir: &Path,
    names: Vec<String>,
    hash: gix::hash::Kind,
) -> Result<Option<Vec<(String, RefTable)>>, GitError> {
    let mut left = MAX_TABLE_BYTES;
    let mut tables = Vec::new();
    for name in names {
        let path = dir.join(&name);
        let Some(bytes) = read(&path, left)? else {
            return Ok(None);
        };
        left -= bytes.len() as u64;
        let table = RefTable::new(bytes, hash).map_err(|damage| damaged(&path, &damage))?;
        tables.push((name, table));
    }
    Ok(Some(tables))
}

fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
    let bytes = match read_outside(path, limit + 1) {
        // Another process may have removed it since its metadata were read.
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => {
            return Err(GitError::Head {
                source: Box::new(e),
            });
        }
        Ok(bytes) => bytes,
    };
    if bytes
        .as_ref()
        .is_some_and(|bytes| bytes.len() as u64 > limit)
    {
        return Err(failed(format!("{} is too large", path.display())));
    }
    Ok(bytes)
}

fn damaged(path: &Path, damage: &Damage) -> GitError {
    failed(format!("{} {damage}", path.display()))
}

fn failed(why: String) -> GitError {
    GitError::Head { source: why.into() }
}

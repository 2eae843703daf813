//! Names of commits, as people write them, to commits.
//!
//! One name is one commit: ranges, searches through history and objects that are no commit are refused, each by its
//! reason. Nothing is fetched.

use std::collections::BTreeSet;

use crate::model::CommitId;

use super::error::boxed;
use super::reftable::Reftable;
use super::{GitError, Repo};

/// The longest name, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// How many names of references are read to find one that is like another.
const MAX_NAMES: usize = 20_000;

/// Why a name is not that of one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCommit {
    /// Nothing has that name here.
    Unknown,
    /// The digits begin the names of several objects.
    Ambiguous,
    /// It names a file, a directory or a tag of one.
    OtherObject,
    /// It names several commits: `main..feature`, `HEAD^!`.
    Range,
    /// It searches (`:/text`), names a file of a commit (`HEAD:src/a.ts`), or is a path (`../shop`).
    Search,
    /// It is empty, too long or begins with `-`.
    NoName,
}

impl Repo {
    /// Returns the commit that a branch, a tag, a remote-tracking branch, a commit's own name or the beginning of one
    /// names, also with steps back: `main`, `v1.2`, `origin/main`, `e2bede96`, `HEAD~3`.
    pub fn commit_named(&self, name: &str) -> Result<CommitId, NoCommit> {
        let is_odd = name.trim().is_empty() || name.len() > MAX_NAME_BYTES;
        if is_odd || name.starts_with('-') || name.contains(char::is_control) {
            return Err(NoCommit::NoName);
        }
        let is_path = name == ".." || name.starts_with("./") || name.starts_with("../");
        if is_path || name.ends_with("/..") || name.contains("/../") {
            return Err(NoCommit::Search);
        }
        let has_end = |ends: [&str; 3]| ends.iter().any(|end| name.contains(end));
        if name.contains("..") || name.starts_with('^') || has_end(["^!", "^@", "^-"]) {
            return Err(NoCommit::Range);
        }
        if name.contains(':') || name.contains("{/") {
            return Err(NoCommit::Search);
        }
        // The library trusts an unchanged time of packed-refs, which two writes within one tick of the clock have.
        drop(self.inner.refs.force_refresh_packed_buffer());
        let table = Reftable::of(&self.inner).map_err(|_| NoCommit::Unknown)?;
        let found = match table {
            Some(table) => {
                let name = table.with_ids(name).map_err(|_| NoCommit::Unknown)?;
                self.inner.rev_parse_single(name.as_str())
            }
            None => self.inner.rev_parse_single(name),
        };
        let id = found.map_err(|_| {
            if self.is_ambiguous(name) {
                NoCommit::Ambiguous
            } else {
                NoCommit::Unknown
            }
        })?;
        let object = id.object().map_err(|_| NoCommit::Unknown)?;
        let commit = object.peel_to_commit().map_err(|_| NoCommit::OtherObject)?;
        CommitId::new(&commit.id.to_hex().to_string()).ok_or(NoCommit::Unknown)
    }

    /// Whether the digits at the start of a name begin the names of several objects.
    fn is_ambiguous(&self, name: &str) -> bool {
        let end = name.find(['~', '^', '@']).unwrap_or(name.len());
        let Ok(prefix) = gix::hash::Prefix::from_hex(&name[..end]) else {
            return false;
        };
        matches!(
            self.inner.objects.lookup_prefix(prefix, None),
            Ok(Some(Err(())))
        )
    }

    /// Returns the short names of branches, tags and remote-tracking branches, sorted; not more than some thousands.
    pub fn reference_names(&self) -> Result<BTreeSet<String>, GitError> {
        let kinds = ["refs/heads/", "refs/tags/", "refs/remotes/"];
        let mut names = BTreeSet::new();
        if let Some(table) = Reftable::of(&self.inner)? {
            for kind in kinds {
                let below = table.below(kind)?;
                names.extend(below.into_keys().take(MAX_NAMES));
            }
            return Ok(names);
        }
        let failed = |source| GitError::Head {
            source: boxed(source),
        };
        let references = self.inner.references().map_err(failed)?;
        for kind in kinds {
            let named = references.prefixed(kind).map_err(failed)?;
            let named = named.take(MAX_NAMES).filter_map(Result::ok);
            names.extend(named.map(|reference| reference.name().shorten().to_string()));
        }
        Ok(names)
    }
}

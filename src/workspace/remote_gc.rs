//! Which indexes of a store go, and the parts that no index names.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::remotes::{RemoteInUse, invalid_object};
use super::{Workspace, now_ms};
use crate::error::{Code, Error, Result};
use crate::git::Repo;
use crate::remote::{Deadline, MAX_MANIFEST_BYTES, RemoteManifest, RemoteObject};

/// How long a part may wait for the manifest that names it: a push uploads parts first.
const GRACE: Duration = Duration::from_hours(24);

/// The objects that one garbage collection of a remote removed, or would remove.
#[derive(Clone, Debug, Default)]
pub struct RemoteCollected {
    /// The remote.
    pub remote: String,
    /// The number of indexes that are kept.
    pub n_kept: u64,
    /// The number of indexes that were removed.
    pub n_removed: u64,
    /// The number of parts that were removed.
    pub n_parts: u64,
    /// The size of those parts, in bytes.
    pub bytes: u64,
}

impl Workspace {
    /// Removes from a store the indexes of this repository that are older than `age`, but for those of branches as this
    /// clone knows them, and parts that no index names. With `is_dry_run` nothing is removed.
    ///
    /// # Errors
    /// Those of the store; `refused` where it can't list all.
    pub fn collect_remote(
        &self,
        remote: Option<&str>,
        age: Duration,
        is_dry_run: bool,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<RemoteCollected> {
        let repo = self.repo()?;
        let RemoteInUse { remote, place } = self.remote_in_use(&repo, remote)?;
        let wait = Deadline::new(None, Arc::clone(interrupt));
        let mut done = RemoteCollected {
            remote: remote.name().to_owned(),
            ..RemoteCollected::default()
        };
        // Parts first: one that is uploaded later is not in the list, whoever names it.
        let (objects, is_whole) = remote.list(&place.family(), &wait)?;
        if !is_whole {
            return Err(Error::new(
                Code::Refused,
                format!(
                    "remote `{}` has more objects than are looked at",
                    done.remote
                ),
                "remove old ones with the tools of the store; its rules for old objects do that too",
            ));
        }
        let is_old = |object: &RemoteObject, age: Duration| {
            let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            now_ms().saturating_sub(object.modified_ms) > age
        };
        let tips = tips_of(&repo)?;
        let mut named = HashSet::new();
        for object in &objects {
            let Some((_, commit)) = place.any_commit_of(&object.name) else {
                continue;
            };
            let is_tip = place.commit_of(&object.name).is_some() && tips.contains(commit.as_str());
            if is_old(object, age) && !is_tip {
                done.n_removed += 1;
                if !is_dry_run {
                    remote.delete(&object.name, &wait)?;
                }
                continue;
            }
            let Some(bytes) = remote.get(&object.name, MAX_MANIFEST_BYTES, &wait)? else {
                continue;
            };
            // Its parts can't be told from others: nothing is removed before somebody looked at it.
            let manifest = RemoteManifest::parse(&bytes, &commit)
                .map_err(|what| invalid_object(&remote, &what))?;
            named.extend(manifest.parts.into_iter().map(|part| part.digest));
            done.n_kept += 1;
        }
        for object in &objects {
            let digest = place.digest_of(&object.name);
            if digest.is_none_or(|it| named.contains(it)) || !is_old(object, GRACE) {
                continue;
            }
            done.n_parts += 1;
            done.bytes += object.bytes;
            if !is_dry_run {
                remote.delete(&object.name, &wait)?;
            }
        }
        Ok(done)
    }
}

/// Returns the commits of local and remote-tracking branches.
fn tips_of(repo: &Repo) -> Result<HashSet<String>> {
    let branches = repo.branches()?;
    let remote = branches.remote.values().flatten();
    let tips = branches.local.values().chain(remote);
    Ok(tips.map(ToString::to_string).collect())
}

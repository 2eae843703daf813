//! Which indexes of a store go, and the parts that no index names.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::remotes::RemoteInUse;
use super::{Workspace, now_ms};
use crate::error::{Code, Error, Result};
use crate::git::Repo;
use crate::model::CommitId;
use crate::remote::{
    BundlePart, Deadline, MAX_MANIFEST_BYTES, Remote, RemoteFault, RemoteManifest, RemoteObject,
    StorePrefix,
};

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
    /// The number of those that had lost parts, however old they were.
    pub n_incomplete: u64,
    /// Manifests that can't be read, by their names, and why: while there are any, no part is removed.
    pub unreadable: Vec<(String, String)>,
    /// The number of parts that were removed.
    pub n_parts: u64,
    /// The size of those parts, in bytes.
    pub bytes: u64,
}

impl Workspace {
    /// Removes from a store the indexes of this repository that are older than `age`, but for those of branches as this
    /// clone knows them; indexes that have lost parts, which nobody could take in and no push would replace; and parts that no index
    /// names. With `is_dry_run` nothing is removed.
    ///
    /// A push of a commit whose parts are being removed may end meanwhile: its manifest is looked for behind that, and goes too.
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
        let (objects, is_whole) = remote.list(&place.clone_family_prefix(), &wait)?;
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
        let listed: HashSet<&str> = objects
            .iter()
            .filter_map(|it| place.digest_of(&it.name))
            .collect();
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
            let parts = match parts_of(&remote, &object.name, &commit, &wait)? {
                ReadManifest::Gone => continue,
                ReadManifest::Unreadable(why) => {
                    done.unreadable.push((object.name.clone(), why));
                    continue;
                }
                ReadManifest::Parts(parts) => parts,
            };
            let may_lack = parts.iter().any(|it| !listed.contains(it.digest.as_str()));
            if may_lack && lacks_parts(&remote, &place, &parts, &wait)? {
                done.n_removed += 1;
                done.n_incomplete += 1;
                if !is_dry_run {
                    remote.delete(&object.name, &wait)?;
                }
                continue;
            }
            named.extend(parts.into_iter().map(|part| part.digest));
            done.n_kept += 1;
        }
        if !done.unreadable.is_empty() {
            // Their parts can't be told from others.
            return Ok(done);
        }
        let mut removed = HashSet::new();
        for object in &objects {
            let Some(digest) = place.digest_of(&object.name) else {
                continue;
            };
            if named.contains(digest) || !is_old(object, GRACE) {
                continue;
            }
            done.n_parts += 1;
            done.bytes += object.bytes;
            if !is_dry_run {
                remote.delete(&object.name, &wait)?;
                removed.insert(digest);
            }
        }
        if !removed.is_empty() {
            let known: HashSet<&str> = objects.iter().map(|it| it.name.as_str()).collect();
            let is_torn = |part: &BundlePart| removed.contains(part.digest.as_str());
            // The list was whole a moment ago; of a longer one now, the rest is seen by the next call.
            for object in remote.list(&place.clone_family_prefix(), &wait)?.0 {
                let commit = place.any_commit_of(&object.name);
                let Some((_, commit)) = commit.filter(|_| !known.contains(object.name.as_str()))
                else {
                    continue;
                };
                if let ReadManifest::Parts(parts) = parts_of(&remote, &object.name, &commit, &wait)?
                    && parts.iter().any(is_torn)
                    && lacks_parts(&remote, &place, &parts, &wait)?
                {
                    remote.delete(&object.name, &wait)?;
                    done.n_removed += 1;
                    done.n_incomplete += 1;
                }
            }
        }
        Ok(done)
    }
}

/// A manifest of the list when it is read.
enum ReadManifest {
    Gone,
    Unreadable(String),
    Parts(Vec<BundlePart>),
}

/// Reads the parts that a manifest names.
fn parts_of(
    remote: &Remote,
    name: &str,
    commit: &CommitId,
    wait: &Deadline,
) -> Result<ReadManifest> {
    let bytes = match remote.get(name, MAX_MANIFEST_BYTES, wait) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(ReadManifest::Gone),
        Err(error) => {
            return match error.fault {
                RemoteFault::Object(why) => Ok(ReadManifest::Unreadable(why)),
                _ => Err(error.into()),
            };
        }
    };
    Ok(match RemoteManifest::parse(&bytes, commit) {
        Ok(manifest) => ReadManifest::Parts(manifest.all_parts().cloned().collect()),
        Err(why) => ReadManifest::Unreadable(why),
    })
}

fn lacks_parts(
    remote: &Remote,
    place: &StorePrefix,
    parts: &[BundlePart],
    wait: &Deadline,
) -> Result<bool> {
    let are_there = remote.has_parts(parts, |digest| place.part(digest), wait)?;
    Ok(!are_there)
}

/// Returns the commits of local and remote-tracking branches.
fn tips_of(repo: &Repo) -> Result<HashSet<String>> {
    let branches = repo.branches()?;
    let remote = branches.remote.values().flatten();
    let tips = branches.local.values().chain(remote);
    Ok(tips.map(ToString::to_string).collect())
}

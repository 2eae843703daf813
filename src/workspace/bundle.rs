//! Carries an index of a clean commit from one machine to another.
//!
//! Nothing uncommitted leaves, and an imported index is only a seed: no answer is given from it before each of its
//! files was compared with the work tree.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::prune::HousekeepingTrigger;
use super::run_history::RunRecorder;
use super::{IndexStatus, Revision, Workspace, cache, key_of, verify_import};
use crate::error::{Code, Error, Result};
use crate::git::Repo;
use crate::machine;
use crate::model::{
    BUNDLE_SOURCE, Branch, Budget, CommitId, FreshnessState, Snapshot, UnknownReason,
};
use crate::reconcile::{self, seed};
use crate::store::bundle::{self, BundleOrigin, Header};
use crate::store::{Index, IndexKey, Pointer, ReaderLock, SCHEMA_VERSION, StoreError, key};

/// Told how far it is: files while an index is built or verified, bytes while it is packed or unpacked.
pub struct OnBundle<'a> {
    /// Files done, and in all.
    pub files: reconcile::OnProgress<'a>,
    /// Bytes done, and in all.
    pub bytes: &'a dyn Fn(u64, u64),
}

/// A bundle that was written.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The commit.
    pub commit: String,
    /// How many files are indexed in it.
    pub n_files: u64,
    /// Its size.
    pub bytes: u64,
    /// The size of the index, unpacked.
    pub database_bytes: u64,
    /// Its BLAKE3 digest, in hexadecimal.
    pub digest: String,
}

/// A bundle that was taken in.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The commit.
    pub commit: String,
    /// The index that new ones can start from.
    pub index_id: String,
    /// How many files it has.
    pub n_files: u64,
    /// How many files were extracted again; `None` if that was not asked for.
    pub n_verified: Option<u64>,
    /// How many files were left out, since their bytes could not be had here.
    pub n_left_out: u64,
}

impl Workspace {
    /// Writes the index of the commit that is checked out, with nothing changed, to a file; brings it up first. Where files of the
    /// work tree hold other bytes than git stores (a filter, a bit that hides edits), it is made of those that git stores.
    ///
    /// # Errors
    /// `refused` where files differ from the commit; `invalid_argument` where `commit` names another one.
    pub fn export_bundle(
        self: &Arc<Self>,
        target: &Path,
        commit: &str,
        interrupt: &Arc<AtomicBool>,
        on: &OnBundle<'_>,
    ) -> Result<Exported> {
        let budget = Budget::unlimited(Arc::clone(interrupt));
        let repo = self.repo()?;
        let snapshot = repo.snapshot()?;
        let head = snapshot.head.as_ref().ok_or_else(|| {
            let hint = "commit something first";
            Error::new(Code::Refused, "there is no commit yet", hint)
        })?;
        if repo.commit_named(commit).as_ref() != Ok(head) {
            return Err(Error::invalid(
                format!(
                    "`{}` is not the commit that is checked out",
                    commit.escape_debug()
                ),
                "check it out in a work tree of its own (`git worktree add DIR COMMIT`), and pass `--repo DIR`",
            ));
        }
        refuse_changes(&repo, &budget)?;
        self.export_clean(&repo, &snapshot, target, interrupt, on)
    }

    /// Does [`Self::export_bundle`] for the work tree, of which no file differs from the commit.
    pub(super) fn export_clean(
        self: &Arc<Self>,
        repo: &Repo,
        snapshot: &Snapshot,
        target: &Path,
        interrupt: &Arc<AtomicBool>,
        on: &OnBundle<'_>,
    ) -> Result<Exported> {
        let budget = Budget::unlimited(Arc::clone(interrupt));
        let head = snapshot.head.as_ref().ok_or_else(moved)?;
        if !repo.holds_what_git_stores(&budget)? {
            let revision = Revision {
                name: head.to_string(),
                commit: head.clone(),
            };
            return self.export_commit(&revision, target, interrupt, on);
        }
        if self.refresh(None, false, interrupt, on.files)?.status != IndexStatus::Ready {
            return Err(moved());
        }
        let key = key_of(repo, snapshot.clone());
        let is_still_so = || {
            refuse_changes(repo, &budget)?;
            Ok(repo.snapshot()? == *snapshot)
        };
        self.write_bundle(repo, &key, head, target, &is_still_so, interrupt, on)
    }

    /// Writes the index of a commit, whatever is checked out, to a file; builds it first. Its files are those that git
    /// stores: nothing of the work tree is in it.
    ///
    /// # Errors
    /// `refused` where this clone has not all bytes of the commit.
    pub(super) fn export_commit(
        self: &Arc<Self>,
        revision: &Revision,
        target: &Path,
        interrupt: &Arc<AtomicBool>,
        on: &OnBundle<'_>,
    ) -> Result<Exported> {
        let repo = self.repo_at_commit(&revision.commit)?;
        self.refresh(Some(revision), false, interrupt, on.files)?;
        let key = key_of(&repo, repo.snapshot()?);
        let commit = &revision.commit;
        self.write_bundle(&repo, &key, commit, target, &|| Ok(true), interrupt, on)
    }

    /// Writes the index of `key`, which was just brought up, to a file, if its copy is proved to be of the files that
    /// `repo` asks.
    #[expect(
        clippy::too_many_arguments,
        reason = "the index, its commit, and where it goes"
    )]
    fn write_bundle(
        &self,
        repo: &Repo,
        key: &IndexKey,
        head: &CommitId,
        target: &Path,
        is_still_so: &dyn Fn() -> Result<bool>,
        interrupt: &Arc<AtomicBool>,
        on: &OnBundle<'_>,
    ) -> Result<Exported> {
        let budget = Budget::unlimited(Arc::clone(interrupt));
        let (index, _) = self.index_for(repo, key)?;
        let pointer = Pointer {
            build: key::new_build(),
            ..index.pointer().clone()
        };
        let home = self.home.repo(&pointer.repo_id);
        let lock =
            ReaderLock::acquire_shared(&home.reader_lock_path(&pointer.index_id, &pointer.build))?;
        let source = index.pointer().clone();
        self.keep(index);
        let copy = Index::seeded(&home, pointer.clone(), &home, source);
        // Another process may have indexed a change between the look at the work tree and the copy.
        let proved = copy.map_err(Error::from).and_then(|copy| {
            let detection = reconcile::detect(repo, &copy, &budget)?;
            let now = reconcile::inspect(repo, detection, &budget, UnknownReason::Moved);
            if !is_still_so()? {
                return Err(moved());
            }
            match now.freshness.state {
                FreshnessState::Fresh => Ok(()),
                _ if now.freshness.n_missing > 0 => Err(missing_bytes(now.freshness.n_missing)),
                _ => Err(moved()),
            }
        });
        if let Err(error) = proved {
            crate::store::remove::discard(&home, &pointer);
            return Err(error);
        }
        let origin = BundleOrigin {
            layout: cache::layout(),
            commit: head.to_string(),
            clone_family: repo.clone_family(),
        };
        let total = home.bytes(&pointer);
        let on_bytes = |done| stop_if(interrupt).map(|()| (on.bytes)(done, total));
        let written = bundle::write(&home, &pointer, origin, target, &on_bytes);
        drop(lock);
        let written = written.map_err(|error| cancelled_or(interrupt, error))?;
        Ok(Exported {
            commit: written.header.commit,
            n_files: written.header.n_files,
            bytes: written.bytes,
            database_bytes: written.header.database_bytes,
            digest: written.digest,
        })
    }

    /// Imports a bundle as an index that others can start from; one of the same commit is replaced. With `is_verified`
    /// every file is extracted again and compared with the bundle's rows.
    ///
    /// # Errors
    /// `invalid_argument` for a file that is no bundle of this repository and version, that is damaged, or whose rows
    /// differ from its files.
    pub fn import_bundle(
        self: &Arc<Self>,
        source: &Path,
        is_verified: bool,
        interrupt: &Arc<AtomicBool>,
        on: &OnBundle<'_>,
    ) -> Result<Imported> {
        let repo = self.repo()?;
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        let recorder = RunRecorder::of_transfer(self, "bundle", &name);
        recorder.begin();
        let taken = self.take_in(&repo, source, is_verified, interrupt, on);
        match &taken {
            Ok(done) => recorder.finish_done(done.n_files, 0, 0),
            Err(error) => recorder.finish_failed(error),
        }
        self.start_housekeeping(HousekeepingTrigger::Refresh { is_new: true });
        taken
    }

    /// Does [`Self::import_bundle`] without making room afterwards.
    pub(super) fn take_in(
        &self,
        repo: &Repo,
        source: &Path,
        is_verified: bool,
        interrupt: &Arc<AtomicBool>,
        on: &OnBundle<'_>,
    ) -> Result<Imported> {
        let budget = Budget::unlimited(Arc::clone(interrupt));
        let header = bundle::header(source)?;
        self.accept(repo, &header)
            .map_err(|what| Error::from(StoreError::Bundle { what }))?;
        let commit = CommitId::new(&header.commit);
        let key = IndexKey {
            repo_id: repo.repo_id(),
            worktree_id: BUNDLE_SOURCE.to_owned(),
            snapshot: Snapshot {
                branch: Branch::Detached,
                head: commit.clone(),
            },
        };
        let home = self.home.repo(&key.repo_id);
        seed::prepare(repo, &home)?;
        let pointer = || Pointer {
            index_id: key.index_id(),
            build: key::new_build(),
            repo_id: key.repo_id.clone(),
            worktree_id: key.worktree_id.clone(),
            work_dir: repo.work_dir().to_owned(),
            branch: None,
            head_sha: Some(header.commit.clone()),
            schema_version: SCHEMA_VERSION,
        };
        let is_the_one = |now: &Header| {
            let changed = || "it changed while it was read".to_owned();
            (*now == header).then_some(()).ok_or_else(changed)
        };
        let total = Cell::new(header.database_bytes);
        let on_bytes = |done| stop_if(interrupt).map(|()| (on.bytes)(done, total.get()));
        let (mut index, _, manifest) =
            bundle::read(&home, &pointer(), source, &is_the_one, &on_bytes)
                .map_err(|error| cancelled_or(interrupt, error))?;
        let mut n_left_out = 0;
        if let Some(commit) = commit.filter(|_| is_verified) {
            let theirs = index.pointer().clone();
            let verified = verify_import::rebuild_and_compare(
                repo,
                &commit,
                &index,
                || seed::empty(&home, &pointer()),
                &budget,
                on.files,
            );
            drop(index);
            crate::store::remove::discard(&home, &theirs);
            // The facts that were extracted here replace the imported ones.
            (index, n_left_out) = verified?;
        }
        let published = seed::publish(&self.home, &index);
        let made = index.pointer().clone();
        drop(index);
        if let Err(error) = published {
            crate::store::remove::discard(&home, &made);
            return Err(error.into());
        }
        let n_files = manifest.len() as u64;
        Ok(Imported {
            commit: header.commit,
            index_id: made.index_id,
            n_files: n_files - n_left_out,
            n_verified: is_verified.then_some(n_files - n_left_out),
            n_left_out,
        })
    }

    /// Says why a bundle is not wanted here, as far as its header tells.
    fn accept(&self, repo: &Repo, header: &Header) -> std::result::Result<(), String> {
        if header.layout != cache::layout() {
            return Err(
                "it was made by a version of codelens that says other things of files".to_owned(),
            );
        }
        let is_known = CommitId::new(&header.commit).is_some_and(|id| repo.has_commit(&id));
        let is_kin = header.clone_family.is_some() && header.clone_family == repo.clone_family();
        if !is_known && !is_kin {
            return Err("it is of another repository".to_owned());
        }
        self.check_room_for(header.database_bytes)
    }

    /// Checks that an index of that size has room here.
    ///
    /// # Errors
    /// Why it has none.
    pub(super) fn check_room_for(&self, database_bytes: u64) -> std::result::Result<(), String> {
        if database_bytes > self.rules.repo_bytes.min(self.rules.total_bytes) {
            return Err(format!(
                "its index takes {database_bytes} bytes, more than the quota for indexes"
            ));
        }
        let free = machine::free_bytes(self.home.root());
        // Twice: its first reader copies it.
        if free.is_some_and(|free| free / 2 < database_bytes) {
            return Err(format!(
                "there is too little space for an index of {database_bytes} bytes"
            ));
        }
        Ok(())
    }
}

fn refuse_changes(repo: &Repo, budget: &Budget) -> Result<()> {
    let dirty = repo.dirty_to_git(budget)?;
    if budget.is_cancelled() {
        return Err(Error::cancelled());
    }
    let Some(first) = dirty.paths.first() else {
        return Ok(());
    };
    Err(Error::new(
        Code::Refused,
        format!(
            "{} from the commit, {first} first: a bundle holds nothing uncommitted",
            match dirty.paths.len() {
                1 => "1 file differs".to_owned(),
                n => format!("{n} files differ"),
            }
        ),
        "commit, stash or ignore them; or export from a clean work tree (`git worktree add DIR HEAD`, `--repo DIR`)",
    ))
}

fn moved() -> Error {
    Error::new(
        Code::Refused,
        "files changed while the bundle was made",
        "run it again when nothing writes in the work tree",
    )
}

fn missing_bytes(n_files: u64) -> Error {
    Error::new(
        Code::Refused,
        format!("the bytes of {n_files} files of the commit are not in this clone"),
        "fetch them (`git fetch --refetch`, or check the commit out), then run it again",
    )
}

fn stop_if(interrupt: &AtomicBool) -> std::io::Result<()> {
    if interrupt.load(Ordering::Relaxed) {
        return Err(std::io::Error::other("cancelled"));
    }
    Ok(())
}

fn cancelled_or(interrupt: &AtomicBool, error: StoreError) -> Error {
    if interrupt.load(Ordering::Relaxed) {
        return Error::cancelled();
    }
    error.into()
}

//! Indexes that are shared over object stores: which one is wanted, and the way there and back.
//!
//! An index of a store is a bundle, and what [`super::bundle`] says of one holds: it is checked, and it is only a seed.

use std::cell::Cell;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use super::prune::HousekeepingTrigger;
use super::remote_candidates::{PassedOver, RemoteCandidates, TrustedKeys, is_incomplete};
use super::remote_differences::TransferFile;
use super::run_history::RunRecorder;
use super::{OnBundle, Revision, Workspace, cache, view};
use crate::config::RemoteEntry;
use crate::error::{Code, Error, Result};
use crate::git::Repo;
use crate::model::{Budget, CommitId};
use crate::reconcile::seed;
use crate::remote::{
    Address, BundlePart, Created, Deadline, MAX_MANIFEST_BYTES, PART_BYTES, Remote, RemoteError,
    RemoteFault, RemoteManifest, RemoteUse, SigningKey, StorePrefix,
};
use crate::store::{Index, IndexKey};

/// How often a question looks whether the one before it has its index.
const TRY_STEP: Duration = Duration::from_millis(20);

/// Incomplete indexes of a store that are passed over before a pull is given up.
const MAX_INCOMPLETE: usize = 3;

/// Bytes of an index that are unpacked and checked in a millisecond, on a slow machine.
const CHECKED_BYTES_A_MS: u64 = 20_000;

/// Told how far a transfer is.
pub struct OnTransfer<'a> {
    /// Of the bundle that is made, or taken in.
    pub bundle: OnBundle<'a>,
    /// Bytes of it that were carried, and in all.
    pub carried: &'a dyn Fn(u64, u64),
}

/// An index that is in a store.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// The remote.
    pub remote: String,
    /// The commit.
    pub commit: String,
    /// Whether this call put it there; the one that is there already stays as it is.
    pub is_new: bool,
    /// How many files are indexed in it.
    pub n_files: u64,
    /// How long its bundle is.
    pub bytes: u64,
    /// Bytes that this call uploaded.
    pub uploaded_bytes: u64,
    /// The commit whose bundle it is the difference to; `None` of a whole one.
    pub base: Option<String>,
    /// Whether it took the place of an index that had lost parts.
    pub is_mended: bool,
}

/// Whether a pull brought an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    /// It was taken in.
    Taken,
    /// There is an index of that commit here.
    Present,
    /// The store has none of this repository and version.
    Nothing,
}

/// An index that came from a store, or is here already.
#[derive(Clone, Debug)]
pub struct Pulled {
    /// The remote.
    pub remote: String,
    /// Whether it came from there.
    pub state: PullState,
    /// The commit that it is of.
    pub commit: Option<String>,
    /// How many files differ between that commit and the wanted one; `None` where this clone can't tell.
    pub n_differing: Option<u64>,
    /// The index that new ones can start from.
    pub index_id: Option<String>,
    /// How many files it has.
    pub n_files: u64,
    /// How many bytes were downloaded.
    pub bytes: u64,
    /// How many files were extracted again; `None` if that was not asked for.
    pub n_verified: Option<u64>,
    /// Better starts that could not be used.
    pub passed_over: Vec<PassedOver>,
}

/// A store that was opened, and where the indexes of a repository are in it.
pub(super) struct RemoteInUse {
    pub(super) remote: Remote,
    pub(super) place: StorePrefix,
}

/// An index of a store that is the best start for a commit.
pub(super) struct Nearest {
    pub(super) commit: CommitId,
    pub(super) manifest: RemoteManifest,
    pub(super) n_differing: Option<usize>,
}

impl Workspace {
    /// Puts the index of a commit into a store, unless it has one; brings the index up first.
    ///
    /// # Errors
    /// `invalid_argument` for a remote or commit that there is not; those of the store.
    pub fn push(
        self: &Arc<Self>,
        remote: Option<&str>,
        commit: &str,
        interrupt: &Arc<AtomicBool>,
        on: &OnTransfer<'_>,
    ) -> Result<Pushed> {
        let revision = self.revision(commit)?.ok_or_else(|| unknown(commit))?;
        let (name, address) = self.remote_named(remote)?;
        let repo = self.repo()?;
        refuse_inside(&repo, &address)?;
        let place = place_of(&repo)?;
        let wait = Deadline::new(None, Arc::clone(interrupt));
        let remote = Remote::open(&name, &address, RemoteUse::Writing)?;
        let key = SigningKey::from_environment().map_err(|fault| RemoteError {
            remote: name.clone(),
            doing: "sign an index",
            fault,
            code: None,
        })?;
        let manifest_name = place.manifest(revision.commit.as_str());
        let pushed = |manifest: &RemoteManifest, is_new, uploaded_bytes| Pushed {
            remote: name.clone(),
            commit: revision.commit.to_string(),
            is_new,
            n_files: manifest.files,
            bytes: manifest.bytes,
            uploaded_bytes,
            base: manifest.base.as_ref().map(|base| base.commit.clone()),
            is_mended: false,
        };
        let name_of = |digest: &str| place.part(digest);
        let mut is_mended = false;
        if let Some(bytes) = remote.get(&manifest_name, MAX_MANIFEST_BYTES, &wait)? {
            let manifest = read_manifest(&remote, &bytes, &revision.commit)?;
            let parts: Vec<BundlePart> = manifest.all_parts().cloned().collect();
            match remote.has_parts(&parts, name_of, &wait) {
                // A garbage collection beside the push that named them took some.
                Ok(false) => {
                    remote.delete(&manifest_name, &wait)?;
                    is_mended = true;
                }
                Err(error) if error.fault == RemoteFault::Cancelled => return Err(error.into()),
                // Whoever may not look can't tell.
                _ => return Ok(pushed(&manifest, false, 0)),
            }
        }
        let whole = TransferFile(self.home.transfer_path());
        let done = self.export_for_push(&revision, &whole.0, interrupt, &on.bundle)?;
        let mut manifest =
            RemoteManifest::new(done.commit, done.digest, done.n_files, done.database_bytes);
        manifest.bytes = done.bytes;
        manifest.parts = parts_of(&whole.0).map_err(|error| local(&error))?;
        let difference = self.difference_for_push(
            (&repo, &revision),
            (&remote, &place),
            (&whole.0, &manifest),
            &wait,
        )?;
        let upload = |file: &Path, manifest: &mut RemoteManifest| {
            if let Some(key) = &key {
                key.sign(manifest);
            }
            upload_index(
                (&remote, &place),
                (&manifest_name, manifest),
                file,
                on.carried,
                &wait,
            )
        };
        if let Some((file, mut manifest)) = difference {
            let (created, n_uploaded) = upload(&file.0, &mut manifest)?;
            let base = manifest.base.iter().flat_map(|base| base.parts.clone());
            let base: Vec<BundlePart> = base.collect();
            let is_base_gone = matches!(remote.has_parts(&base, name_of, &wait), Ok(false));
            if created == Created::Present || !is_base_gone {
                return Ok(Pushed {
                    is_mended,
                    ..pushed(&manifest, created == Created::New, n_uploaded)
                });
            }
            // A garbage collection took the base before the manifest named its parts.
            remote.delete(&manifest_name, &wait)?;
        }
        let (created, n_uploaded) = upload(&whole.0, &mut manifest)?;
        Ok(Pushed {
            is_mended,
            ..pushed(&manifest, created == Created::New, n_uploaded)
        })
    }

    /// Takes in the index of a store that is the best start for a commit, or for the work tree. With `is_verified`
    /// every file is extracted again and compared.
    ///
    /// # Errors
    /// `invalid_argument` for a remote or commit that there is not, and for an object that is no bundle of this
    /// repository; those of the store.
    pub fn pull(
        self: &Arc<Self>,
        remote: Option<&str>,
        commit: &str,
        is_verified: bool,
        interrupt: &Arc<AtomicBool>,
        on: &OnTransfer<'_>,
    ) -> Result<Pulled> {
        let name = remote.or_else(|| Some(self.remotes.first()?.name.as_str()));
        let recorder = RunRecorder::of_transfer(self, "pull", name.unwrap_or_default());
        recorder.begin();
        let outcome = self.pull_noted(remote, commit, is_verified, interrupt, on);
        match &outcome {
            Ok(done) => recorder.finish_done(done.n_files, 0, done.bytes),
            Err(error) => recorder.finish_failed(error),
        }
        outcome
    }

    fn pull_noted(
        self: &Arc<Self>,
        remote: Option<&str>,
        commit: &str,
        is_verified: bool,
        interrupt: &Arc<AtomicBool>,
        on: &OnTransfer<'_>,
    ) -> Result<Pulled> {
        let revision = self.revision(commit)?.ok_or_else(|| unknown(commit))?;
        let (name, address) = self.remote_named(remote)?;
        let repo = self.repo()?;
        let pulled = |state, nearest: Option<&Nearest>| Pulled {
            remote: name.clone(),
            state,
            commit: nearest.map(|it| it.commit.to_string()),
            n_differing: nearest.and_then(|it| Some(it.n_differing? as u64)),
            index_id: None,
            n_files: 0,
            bytes: 0,
            n_verified: None,
            passed_over: Vec::new(),
        };
        let is_here = |commit: &CommitId| !is_verified && self.has_index_of(&repo, commit);
        if is_here(&revision.commit) {
            return Ok(Pulled {
                commit: Some(revision.commit.to_string()),
                n_differing: Some(0),
                ..pulled(PullState::Present, None)
            });
        }
        let wait = Deadline::new(None, Arc::clone(interrupt));
        let remote = Remote::open(&name, &address, RemoteUse::Reading)?;
        let keys = TrustedKeys::parse(&self.trusted_keys)?;
        let place = place_of(&repo)?;
        let mut candidates =
            RemoteCandidates::new(&repo, &remote, place, &revision.commit, keys, &wait);
        let mut n_incomplete = 0;
        let (nearest, taken) = loop {
            let Some(nearest) = candidates.next()? else {
                return Ok(pulled(PullState::Nothing, None));
            };
            if is_here(&nearest.commit) {
                return Ok(Pulled {
                    passed_over: candidates.into_passed(),
                    ..pulled(PullState::Present, Some(&nearest))
                });
            }
            match self.take_from(&repo, &remote, &nearest, is_verified, &wait, interrupt, on) {
                Ok(taken) => break (nearest, taken),
                Err(error) if is_incomplete(&error) && n_incomplete < MAX_INCOMPLETE => {
                    n_incomplete += 1;
                    candidates.pass_over(&nearest.commit, error);
                }
                Err(error) => return Err(error),
            }
        };
        self.start_housekeeping(HousekeepingTrigger::Refresh { is_new: true });
        Ok(Pulled {
            index_id: Some(taken.index_id),
            n_files: taken.n_files,
            bytes: nearest.manifest.total_bytes(),
            n_verified: taken.n_verified,
            passed_over: candidates.into_passed(),
            ..pulled(PullState::Taken, Some(&nearest))
        })
    }

    /// Takes in the best start for the index of `key` from the first remote that has one, where there is no other start
    /// and the user's settings say so. Returns a sentence about stores that failed. Takes at most half of the time that is left.
    pub(super) fn seed_from_remotes(
        &self,
        repo: &Repo,
        key: &IndexKey,
        budget: &Budget,
    ) -> Option<String> {
        let commit = key.snapshot.head.as_ref()?;
        if !self.pulls || self.remotes.is_empty() {
            return None;
        }
        let left = budget.remaining().map_or(Duration::MAX, |left| left / 2);
        let until = Instant::now() + left.min(self.remote_timeout);
        // Of several questions at once one goes; the others find its index.
        let _alone = self.alone_until(until, budget)?;
        let is_needed = || {
            let home = self.home.repo(&key.repo_id);
            home.pointer(&key.index_id()).is_none()
                && seed::nearest(repo, &self.home, key).is_none()
        };
        if !is_needed() {
            return None;
        }
        let time = until.saturating_duration_since(Instant::now());
        let wait = Deadline::new(Some(time), budget.interrupt());
        let mut failed = Vec::new();
        for entry in &self.remotes {
            match self.seed_from(repo, entry, commit, time, &wait, budget) {
                Ok(true) => return None,
                Ok(false) => {}
                Err(_) if budget.is_cancelled() => return None,
                Err(error) => {
                    tracing::warn!(%error, "no index from this remote");
                    failed.push(format!("{} ({})", error.message, error.hint));
                }
            }
        }
        (!failed.is_empty()).then(|| {
            format!(
                "No index came from a remote, so it is built here: {}.",
                failed.join("; ")
            )
        })
    }

    /// Waits until no other question takes an index in, and no longer than that.
    fn alone_until(&self, until: Instant, budget: &Budget) -> Option<MutexGuard<'_, ()>> {
        loop {
            match self.pulling.try_lock() {
                Ok(alone) => return Some(alone),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            if Instant::now() >= until || budget.is_cancelled() {
                return None;
            }
            std::thread::sleep(TRY_STEP);
        }
    }

    /// Takes in the best start that one remote has. Returns whether there was one.
    fn seed_from(
        &self,
        repo: &Repo,
        entry: &RemoteEntry,
        commit: &CommitId,
        time: Duration,
        wait: &Deadline,
        budget: &Budget,
    ) -> Result<bool> {
        let address = address_of(entry)?;
        let remote = Remote::open(&entry.name, &address, RemoteUse::Question)?;
        let keys = TrustedKeys::parse(&self.trusted_keys)?;
        let place = place_of(repo)?;
        let mut candidates = RemoteCandidates::new(repo, &remote, place, commit, keys, wait);
        let on = OnTransfer {
            bundle: OnBundle {
                files: &|_, _| (),
                bytes: &|_, _| (),
            },
            carried: &|_, _| (),
        };
        let interrupt = budget.interrupt();
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        while let Some(nearest) = candidates.next()? {
            if nearest.manifest.database_bytes / CHECKED_BYTES_A_MS > time_ms {
                return Err(Error::new(
                    Code::Refused,
                    format!(
                        "remote `{}`: its index of {} bytes is too large to be checked in the time of a question",
                        entry.name, nearest.manifest.database_bytes
                    ),
                    "run `codelens pull` once",
                ));
            }
            match self.take_from(repo, &remote, &nearest, false, wait, &interrupt, &on) {
                Ok(_) => return Ok(true),
                Err(error) if is_incomplete(&error) => {
                    candidates.pass_over(&nearest.commit, error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the object, where it comes from, and how long it may take"
    )]
    fn take_from(
        &self,
        repo: &Repo,
        remote: &Remote,
        nearest: &Nearest,
        is_verified: bool,
        wait: &Deadline,
        interrupt: &Arc<AtomicBool>,
        on: &OnTransfer<'_>,
    ) -> Result<super::Imported> {
        let place = place_of(repo)?;
        let manifest = &nearest.manifest;
        // The bundle itself lies on the disk until it is unpacked.
        let n_packed = manifest.total_bytes();
        self.check_room_for(manifest.database_bytes.saturating_add(n_packed))
            .map_err(|what| invalid_object(remote, &what))?;
        seed::prepare(repo, &self.home.repo(&repo.repo_id()))?;
        let mut carried = 0;
        let mut on_bytes = |n_bytes: u64| {
            carried += n_bytes;
            (on.carried)(carried, manifest.total_bytes());
        };
        let transfer = self.bundle_of((remote, &place), manifest, &mut on_bytes, wait)?;
        self.take_in(repo, &transfer.0, is_verified, interrupt, &on.bundle)
    }

    /// Makes the bundle of a commit: of the work tree with nothing changed from its own index, of any other commit from
    /// what git stores.
    fn export_for_push(
        self: &Arc<Self>,
        revision: &Revision,
        target: &Path,
        interrupt: &Arc<AtomicBool>,
        on: &OnBundle<'_>,
    ) -> Result<super::Exported> {
        let repo = self.repo()?;
        let snapshot = repo.snapshot()?;
        let is_head = snapshot.head.as_ref() == Some(&revision.commit);
        let budget = Budget::unlimited(Arc::clone(interrupt));
        if is_head && !self.is_bare && repo.dirty_to_git(&budget)?.paths.is_empty() {
            return self.export_clean(&repo, &snapshot, target, interrupt, on);
        }
        self.export_commit(revision, target, interrupt, on)
    }

    fn has_index_of(&self, repo: &Repo, commit: &CommitId) -> bool {
        let home = self.home.repo(&repo.repo_id());
        let mut pointers = home.pointers().into_iter();
        pointers.any(|pointer| {
            // One that was never complete has less than the store's.
            pointer.head().as_ref() == Some(commit)
                && pointer.schema_version == crate::store::SCHEMA_VERSION
                && Index::open(&home, pointer)
                    .is_ok_and(|index| index.read().is_ok_and(|read| read.meta().complete))
        })
    }

    /// Opens a remote by its name, or the only one there is, to look at the indexes of a repository.
    pub(super) fn remote_in_use(&self, repo: &Repo, name: Option<&str>) -> Result<RemoteInUse> {
        let (name, address) = self.remote_named(name)?;
        Ok(RemoteInUse {
            place: place_of(repo)?,
            remote: Remote::open(&name, &address, RemoteUse::Reading)?,
        })
    }

    /// Returns a remote by its name, or the only one there is.
    fn remote_named(&self, name: Option<&str>) -> Result<(String, Address)> {
        let names = || {
            let names = self.remotes.iter().map(|it| it.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let entry = match (name, self.remotes.as_slice()) {
            (Some(name), remotes) => {
                remotes.iter().find(|it| it.name == name).ok_or_else(|| {
                    let hint = match remotes {
                        [] => "`codelens remote add NAME URL` adds one".to_owned(),
                        _ => format!("name one of these: {}", names()),
                    };
                    Error::invalid(
                        format!("there is no remote `{}`", view::cut_argument(name)),
                        hint,
                    )
                })?
            }
            (None, [only]) => only,
            (None, []) => {
                return Err(Error::invalid(
                    "there is no remote",
                    "add one: `codelens remote add NAME URL`, e.g. `codelens remote add team s3://bucket/indexes`",
                ));
            }
            (None, _) => {
                return Err(Error::invalid(
                    "there are several remotes",
                    format!("name one with `--remote`: {}", names()),
                ));
            }
        };
        Ok((entry.name.clone(), address_of(entry)?))
    }
}

/// Uploads a bundle in parts, then its manifest. Returns whether that is new, and how many bytes were uploaded.
fn upload_index(
    (remote, place): (&Remote, &StorePrefix),
    (name, manifest): (&str, &RemoteManifest),
    file: &Path,
    on_carried: &dyn Fn(u64, u64),
    wait: &Deadline,
) -> Result<(Created, u64)> {
    let part = |at: usize| part_of(file, at, manifest.parts[at].bytes);
    let name_of = |digest: &str| place.part(digest);
    let (carried, uploaded) = (Cell::new(0), Cell::new(0));
    let on_part = |bytes: u64, created| {
        carried.set(carried.get() + bytes);
        if created == Created::New {
            uploaded.set(uploaded.get() + bytes);
        }
        on_carried(carried.get().min(manifest.bytes), manifest.bytes);
    };
    remote.upload(&manifest.parts, name_of, part, on_part, wait)?;
    let created = remote.create(name, manifest.to_bytes(), wait)?;
    if created == Created::New && uploaded.get() < manifest.bytes {
        // Parts of an earlier try may have been collected before the manifest named them.
        remote.upload(&manifest.parts, name_of, part, |_, _| (), wait)?;
    }
    Ok((created, uploaded.get()))
}

fn read_manifest(remote: &Remote, bytes: &[u8], commit: &CommitId) -> Result<RemoteManifest> {
    RemoteManifest::parse(bytes, commit).map_err(|what| invalid_object(remote, &what))
}

/// Returns the error for an object that is not what it should be.
pub(super) fn invalid_object(remote: &Remote, what: &str) -> Error {
    RemoteError {
        remote: remote.name().to_owned(),
        doing: "use an object",
        fault: RemoteFault::Object(what.to_owned()),
        code: None,
    }
    .into()
}

pub(super) fn local(error: &std::io::Error) -> Error {
    Error::new(
        Code::Io,
        format!(
            "a bundle on its way failed on this machine: {}",
            error.kind()
        ),
        "check the free space and the permissions of the data directory (cl_doctor names it), then run it again",
    )
}

fn unknown(commit: &str) -> Error {
    Error::invalid(
        format!(
            "`{}` is the name of no commit here",
            view::cut_argument(commit)
        ),
        "pass a branch, tag or commit that this clone has; nothing is fetched",
    )
}

/// Returns an address of a store as it is kept, e.g. `s3://bucket/indexes`.
///
/// # Errors
/// `invalid_argument` for any other text, and for one that could hold a credential. The text is not repeated.
pub fn checked_address(url: &str) -> Result<String> {
    parsed(url, "the address").map(|address| address.to_string())
}

fn address_of(entry: &RemoteEntry) -> Result<Address> {
    parsed(
        &entry.url,
        &format!("the address of remote `{}`", entry.name),
    )
}

fn parsed(url: &str, what: &str) -> Result<Address> {
    Address::parse(url).map_err(|why| {
        Error::invalid(
            format!("{what} is not taken: {why}"),
            "give s3://BUCKET/PATH, gs://BUCKET/PATH, az://CONTAINER/PATH, https://HOST/PATH or file:///DIRECTORY; credentials come from the environment alone",
        )
    })
}

fn place_of(repo: &Repo) -> Result<StorePrefix> {
    let clone_family = repo.clone_family().ok_or_else(|| {
        Error::new(
            Code::Refused,
            "this repository has neither a remote nor its first commit, by which other clones would find its indexes",
            "`git remote add origin URL`, or fetch its history (`git fetch --unshallow`)",
        )
    })?;
    Ok(StorePrefix::new(&clone_family, &cache::layout()))
}

/// Refuses a directory that belongs to the repository: nothing is written there.
fn refuse_inside(repo: &Repo, address: &Address) -> Result<()> {
    let Some(directory) = address.directory() else {
        return Ok(());
    };
    // The directory itself may not be there yet.
    let real = directory
        .ancestors()
        .find_map(|it| Some((it.canonicalize().ok()?, directory.strip_prefix(it).ok()?)))
        .map(|(real, rest)| real.join(rest));
    let places = repo.directories();
    let is_inside = |path: &PathBuf| places.iter().any(|place| path.starts_with(place));
    if is_inside(&directory) || real.as_ref().is_some_and(is_inside) {
        return Err(Error::new(
            Code::Refused,
            "the directory of the remote is inside the repository, where nothing is written",
            "take a directory outside: `codelens remote remove NAME`, then add it with another one",
        ));
    }
    Ok(())
}

/// Returns the parts of a bundle.
pub(super) fn parts_of(path: &Path) -> std::io::Result<Vec<BundlePart>> {
    let mut file = File::open(path)?;
    let mut parts = Vec::new();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        std::io::Read::by_ref(&mut file)
            .take(PART_BYTES)
            .read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(parts);
        }
        parts.push(BundlePart {
            digest: blake3::hash(&bytes).to_hex().to_string(),
            bytes: bytes.len() as u64,
        });
    }
}

/// Returns the bytes of a part.
fn part_of(path: &Path, at: usize, n_bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(at as u64 * PART_BYTES))?;
    let mut bytes = Vec::new();
    file.take(n_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the digest that a bundle ends with, in hexadecimal; empty for one that is shorter than that.
pub(super) fn digest_at_end(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let Some(at) = length.checked_sub(32) else {
        return Ok(String::new());
    };
    file.seek(SeekFrom::Start(at))?;
    let mut end = [0; 32];
    file.read_exact(&mut end)?;
    Ok(blake3::Hash::from_bytes(end).to_hex().to_string())
}

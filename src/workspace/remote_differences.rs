//! Indexes of a store that are kept as the difference to one that it has already.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::remote_candidates::{RemoteCandidates, TrustedKeys};
use super::remotes::{digest_at_end, invalid_object, local, parts_of};
use super::{Revision, Workspace};
use crate::error::Result;
use crate::git::Repo;
use crate::machine;
use crate::remote::{
    BundlePart, Deadline, MAX_DIFFERENCE_BYTES, Remote, RemoteManifest, StorePrefix,
};
use crate::store::bundle;

/// From how many differing files on no difference is tried: it would save little.
const MAX_DIFFERING: usize = 2_000;

/// The smallest bundle of which a difference is tried: of a smaller one the second object costs more than it saves.
const MIN_BYTES: u64 = 256 << 10;

/// A bundle on its way, which is deleted when it goes.
pub(super) struct TransferFile(pub(super) PathBuf);

impl Drop for TransferFile {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

impl Workspace {
    /// Returns a bundle as the difference to the nearest one that the store has, with its manifest; `None` where that saves less than half, or
    /// no such bundle can be had: it is uploaded whole then.
    pub(super) fn difference_for_push(
        &self,
        (repo, revision): (&Repo, &Revision),
        (remote, place): (&Remote, &StorePrefix),
        (whole, manifest): (&Path, &RemoteManifest),
        wait: &Deadline,
    ) -> Result<Option<(TransferFile, RemoteManifest)>> {
        if manifest.bytes < MIN_BYTES || manifest.database_bytes > bundle::MAX_PREFIX_BYTES {
            return Ok(None);
        }
        let keys = TrustedKeys::parse(&self.trusted_keys)?;
        let commit = &revision.commit;
        let mut candidates = RemoteCandidates::new(repo, remote, place.clone(), commit, keys, wait);
        let nearest = candidates.next().ok().flatten();
        let is_near = |n: Option<usize>| n.is_some_and(|n| n <= MAX_DIFFERING);
        // Whatever the store says, no more is read than a difference can be made of.
        let is_short = |it: &RemoteManifest| {
            it.database_bytes <= bundle::MAX_PREFIX_BYTES && it.bytes <= MAX_DIFFERENCE_BYTES
        };
        let nearest = nearest.filter(|it| is_near(it.n_differing) && is_short(&it.manifest));
        let Some(nearest) = nearest else {
            return Ok(None);
        };
        let base = nearest.manifest.as_base();
        if self.check_room_for(base.bytes + manifest.bytes).is_err() {
            return Ok(None);
        }
        let parts = (base.parts.as_slice(), base.digest.as_str());
        let Ok(base_file) = self.fetched((remote, place), parts, &mut |_| (), wait) else {
            return Ok(None);
        };
        let target = TransferFile(self.home.transfer_path());
        let against = (base_file.0.as_path(), base.digest.as_str());
        let written = bundle::write_difference(whole, against, &target.0);
        let written = written.inspect_err(|error| {
            tracing::info!(%error, "no difference could be made");
        });
        let Ok(written) = written else {
            return Ok(None);
        };
        if written.bytes.saturating_mul(2) > manifest.bytes {
            return Ok(None);
        }
        let manifest = RemoteManifest {
            bytes: written.bytes,
            digest: written.digest,
            parts: parts_of(&target.0).map_err(|error| local(&error))?,
            base: Some(base),
            ..manifest.clone()
        };
        Ok(Some((target, manifest)))
    }

    /// Downloads the bundle that a manifest describes; of a difference its base, too, and puts them together. `on_bytes` is told how many
    /// bytes were read.
    pub(super) fn bundle_of(
        &self,
        (remote, place): (&Remote, &StorePrefix),
        manifest: &RemoteManifest,
        on_bytes: &mut dyn FnMut(u64),
        wait: &Deadline,
    ) -> Result<TransferFile> {
        let parts = (manifest.parts.as_slice(), manifest.digest.as_str());
        let file = self.fetched((remote, place), parts, on_bytes, wait)?;
        let header = bundle::header(&file.0)?;
        let base = manifest.base.as_ref();
        if header.commit != manifest.commit
            || header.database_bytes != manifest.database_bytes
            || header.base.as_deref() != base.map(|base| base.digest.as_str())
        {
            return Err(another(remote));
        }
        let Some(base) = base else {
            return Ok(file);
        };
        let parts = (base.parts.as_slice(), base.digest.as_str());
        let base_file = self.fetched((remote, place), parts, on_bytes, wait)?;
        let target = TransferFile(self.home.transfer_path());
        bundle::apply_difference(&file.0, (&base_file.0, &base.digest), &target.0)?;
        Ok(target)
    }

    /// Downloads a bundle by its parts, and compares the digest at its end.
    fn fetched(
        &self,
        (remote, place): (&Remote, &StorePrefix),
        (parts, digest): (&[BundlePart], &str),
        on_bytes: &mut dyn FnMut(u64),
        wait: &Deadline,
    ) -> Result<TransferFile> {
        let transfer = TransferFile(self.home.transfer_path());
        let mut file = machine::create_private(&transfer.0).map_err(|error| local(&error))?;
        let write = |bytes: &[u8]| {
            file.write_all(bytes)?;
            on_bytes(bytes.len() as u64);
            Ok(())
        };
        remote.download(parts, |digest| place.part(digest), write, wait)?;
        drop(file);
        let end = digest_at_end(&transfer.0).map_err(|error| local(&error))?;
        if end != digest {
            return Err(another(remote));
        }
        Ok(transfer)
    }
}

fn another(remote: &Remote) -> crate::error::Error {
    invalid_object(remote, "its bundle is another than its manifest says")
}

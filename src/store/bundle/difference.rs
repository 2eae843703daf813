//! A bundle as the difference to another one, and back.
//!
//! For stores: the indexes of two commits near each other differ by some per cent of their bytes. Both frames are held in memory.

use std::io;
use std::path::Path;

use super::format::{self, TRANSIENT_LEVEL};
use super::{Written, create_private, refused};
use crate::store::{StoreResult, io_error};

/// Writes a bundle as the difference to `base`, whose digest is `base_digest`.
///
/// # Errors
/// Where a file can't be read or written, and [`crate::store::StoreError::Bundle`] for one that is no whole bundle, or longer than
/// [`format::MAX_PREFIX_BYTES`].
pub fn write_difference(
    whole: &Path,
    (base, base_digest): (&Path, &str),
    target: &Path,
) -> StoreResult<Written> {
    let (_, prefix) = format::unpacked(base, None)?;
    let (mut header, frame) = format::unpacked(whole, None)?;
    header.base = Some(base_digest.to_owned());
    let (digest, bytes) = create_private(target)
        .and_then(|out| format::write_difference(&out, &header, &frame, &prefix))
        .map_err(io_error("write the bundle", target))?;
    Ok(Written {
        header,
        digest,
        bytes,
    })
}

/// Writes the whole bundle that a difference and the bundle that it is against make.
///
/// # Errors
/// Where a file can't be read or written, and [`crate::store::StoreError::Bundle`] for two files of which one is not what [`write_difference`]
/// took or gave.
pub fn apply_difference(
    difference: &Path,
    (base, base_digest): (&Path, &str),
    target: &Path,
) -> StoreResult<()> {
    let (_, prefix) = format::unpacked(base, None)?;
    let (mut header, frame) = format::unpacked(difference, Some(&prefix))?;
    drop(prefix);
    if header.base.take().as_deref() != Some(base_digest) {
        return Err(refused("it is a difference to another bundle"));
    }
    let n_listed = usize::try_from(header.manifest_bytes).unwrap_or(usize::MAX);
    let (manifest, mut database) = frame.split_at(n_listed.min(frame.len()));
    create_private(target)
        .and_then(|out| {
            let frame = (manifest, &mut database as &mut dyn io::Read);
            format::write(&out, &header, frame, TRANSIENT_LEVEL, &|_| Ok(()))
        })
        .map_err(io_error("write the bundle", target))?;
    Ok(())
}

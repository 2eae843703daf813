//! Remembered directories as bytes, for another process of the same machine to go on with.
//!
//! ```text
//! for each directory: length of its path (4 bytes), the path, device, inode, size, mtime, ctime (8 bytes each),
//! length of its names (4 bytes), the names as they are held; numbers have the lowest byte first
//! ```

use std::sync::Arc;

use super::directories::{DirectoryEntries, EntryNames};
use super::listing::Special;
use super::open_directory::Identity;
use crate::model::FileStat;

/// Appends a directory.
pub(super) fn put(into: &mut Vec<u8>, path: &[u8], identity: &Identity, names: &EntryNames) {
    let stat = identity.stat;
    put_text(into, path);
    for number in [identity.device, stat.inode, stat.size_bytes] {
        into.extend_from_slice(&number.to_le_bytes());
    }
    for time in [stat.mtime_ns, stat.ctime_ns] {
        into.extend_from_slice(&time.to_le_bytes());
    }
    put_text(into, names.packed());
}

/// Takes the next directory; `None` at the end, and where the bytes are none.
pub(super) fn take(from: &mut &[u8]) -> Option<(Box<[u8]>, Identity, DirectoryEntries)> {
    let path = take_text(from)?.into();
    let [device, inode, size_bytes] = [take_8(from)?, take_8(from)?, take_8(from)?];
    let stat = FileStat {
        size_bytes: u64::from_le_bytes(size_bytes),
        mtime_ns: i64::from_le_bytes(take_8(from)?),
        ctime_ns: i64::from_le_bytes(take_8(from)?),
        inode: u64::from_le_bytes(inode),
    };
    let names = EntryNames::of_packed(take_text(from)?);
    let mut special = Special::default();
    for (name, kind) in names.iter() {
        special.see(name, kind);
    }
    let identity = Identity {
        device: u64::from_le_bytes(device),
        stat,
    };
    let names = Arc::new(names);
    Some((path, identity, DirectoryEntries { special, names }))
}

fn put_text(into: &mut Vec<u8>, text: &[u8]) {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    into.extend_from_slice(&length.to_le_bytes());
    into.extend_from_slice(text);
}

fn take_text<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = from.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (text, rest) = rest.split_at_checked(length)?;
    *from = rest;
    Some(text)
}

fn take_8(from: &mut &[u8]) -> Option<[u8; 8]> {
    let (bytes, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(*bytes)
}

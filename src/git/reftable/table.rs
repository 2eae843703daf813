//! One file of a reftable: its header, blocks and records, as git's `reftable.adoc` describes them.
//!
//! Every length is checked against the block that it lies in, and keys must ascend: a damaged file is an error,
//! never another reference.

use std::ops::ControlFlow;

use gix::ObjectId;

/// The longest name of a reference, or target of a symbolic one, in bytes.
const MAX_NAME_BYTES: usize = 4 << 10;

/// Bytes before the records of a block: its type and its length.
const BLOCK_HEADER: usize = 4;

/// Value of a reference in one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RefValue {
    /// Hides the value that an older table has.
    Deleted,
    /// The object that the reference points to; for a tag object the tag, not the commit that it is on.
    Object(ObjectId),
    /// Full name of the reference that it stands for, e.g. `refs/heads/main` for `HEAD`.
    Symbolic(Vec<u8>),
}

/// A reason why a table can't be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub(super) struct Damage(pub(super) &'static str);

/// A table whose header and footer were checked.
pub(super) struct RefTable {
    bytes: Vec<u8>,
    /// Length of the header: 24 bytes, or 28 in version 2.
    header: usize,
    /// Blocks start at multiples of it; 0 where they follow each other.
    block_size: usize,
    hash: gix::hash::Kind,
}

/// A cursor over bytes that fails at their end.
struct ByteCursor<'a> {
    bytes: &'a [u8],
}

impl RefTable {
    /// Checks the frame of a table whose object ids must be of `hash`.
    pub(super) fn new(mut bytes: Vec<u8>, hash: gix::hash::Kind) -> Result<Self, Damage> {
        if !bytes.starts_with(b"REFT") {
            return Err(Damage("does not begin as a table of references"));
        }
        let header = match bytes.get(4) {
            Some(1) => 24,
            Some(2) => 28,
            _ => return Err(Damage("is of a version other than 1 and 2")),
        };
        let footer_start = bytes
            .len()
            .checked_sub(header + 44)
            .ok_or(Damage("is truncated"))?;
        let (blocks, footer) = bytes.split_at(footer_start);
        if blocks.len() < header {
            return Err(Damage("is truncated"));
        }
        let (summed, sum) = footer.split_at(footer.len() - 4);
        if footer[..header] != blocks[..header] || crc32(summed).to_be_bytes() != sum {
            return Err(Damage("has a footer that does not belong to it"));
        }
        let is_of_hash = match (header, hash) {
            (24, _) => hash == gix::hash::Kind::Sha1,
            (_, gix::hash::Kind::Sha1) => &bytes[24..28] == b"sha1",
            (_, gix::hash::Kind::Sha256) => &bytes[24..28] == b"s256",
            _ => false,
        };
        if !is_of_hash {
            return Err(Damage("has object ids of another hash than the repository"));
        }
        let block_size = number(&bytes[5..8]);
        bytes.truncate(footer_start);
        Ok(Self {
            bytes,
            header,
            block_size,
            hash,
        })
    }

    /// Gives each reference, in ascending order of names, until `take` breaks. Blocks of objects, of logs and of
    /// indices are passed over.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&[u8], RefValue) -> ControlFlow<()>,
    ) -> Result<(), Damage> {
        let mut start = 0;
        let mut name = Vec::new();
        loop {
            let head = if start == 0 { self.header } else { start };
            match self.bytes.get(head) {
                Some(b'r') => {}
                Some(b'o' | b'g' | b'i') | None => return Ok(()),
                Some(_) => return Err(Damage("has a block of an unknown type")),
            }
            let length = self
                .bytes
                .get(head + 1..head + BLOCK_HEADER)
                .map(number)
                .ok_or(Damage("ends in a block's header"))?;
            let end = start + length;
            let block = self
                .bytes
                .get(head + BLOCK_HEADER..end)
                .ok_or(Damage("has a block that ends beyond it"))?;
            if self.block_size > 0 && length > self.block_size {
                return Err(Damage("has a block that is larger than its blocks are"));
            }
            if self.records(block, &mut name, &mut take)?.is_break() {
                return Ok(());
            }
            // A block that is not padded is followed by the next one, or the end, at once.
            let is_padded = self.block_size > 0 && self.bytes.get(end) == Some(&0);
            start = if is_padded {
                start + self.block_size
            } else {
                end
            };
        }
    }

    /// Gives the records of a block of references. `name` is that of the record before, also from the block before.
    fn records(
        &self,
        block: &[u8],
        name: &mut Vec<u8>,
        take: &mut impl FnMut(&[u8], RefValue) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Damage> {
        let (rest, n_restarts) = block
            .split_last_chunk::<2>()
            .ok_or(Damage("has a block without restart points"))?;
        let n_restarts = number(n_restarts);
        let records = rest
            .len()
            .checked_sub(3 * n_restarts)
            .filter(|_| n_restarts > 0)
            .ok_or(Damage("has more restart points than a block holds"))?;
        let mut cursor = ByteCursor {
            bytes: &rest[..records],
        };
        let mut is_first = true;
        while !cursor.bytes.is_empty() {
            let n_shared = cursor.varint()?;
            let suffix_and_type = cursor.varint()?;
            let suffix = cursor.take(suffix_and_type >> 3)?;
            if n_shared > name.len() || (is_first && n_shared > 0) {
                return Err(Damage("shares more of a name than there is"));
            }
            if n_shared + suffix.len() > MAX_NAME_BYTES {
                return Err(Damage("has a name of more than 4,096 bytes"));
            }
            if suffix <= &name[n_shared..] {
                return Err(Damage("has names out of order"));
            }
            is_first = false;
            name.truncate(n_shared);
            name.extend_from_slice(suffix);
            // The update that wrote it: tables are in the order of their updates already.
            cursor.varint()?;
            let value = match suffix_and_type & 7 {
                0 => RefValue::Deleted,
                1 => self.object(&mut cursor)?,
                2 => {
                    let tag = self.object(&mut cursor)?;
                    self.object(&mut cursor)?;
                    tag
                }
                3 => {
                    let length = cursor.varint()?;
                    if length > MAX_NAME_BYTES {
                        return Err(Damage("has a target of more than 4,096 bytes"));
                    }
                    RefValue::Symbolic(cursor.take(length)?.to_vec())
                }
                _ => return Err(Damage("has a value of an unknown type")),
            };
            if take(name, value).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn object(&self, cursor: &mut ByteCursor<'_>) -> Result<RefValue, Damage> {
        let id = cursor.take(self.hash.len_in_bytes())?;
        let id =
            ObjectId::try_from(id).map_err(|_| Damage("has an object id of another length"))?;
        Ok(RefValue::Object(id))
    }
}

impl<'a> ByteCursor<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(n)
            .ok_or(Damage("has a record that ends beyond its block"))?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads a number of seven bits a byte, the highest first, as in packs (`OFS_DELTA`).
    fn varint(&mut self) -> Result<usize, Damage> {
        let mut value = 0_usize;
        for _ in 0..10 {
            let byte = self.take(1)?[0];
            value = value
                .checked_mul(128)
                .and_then(|value| value.checked_add(usize::from(byte & 0x7f)))
                .ok_or(Damage("has a number that is too large"))?;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            value = value
                .checked_add(1)
                .ok_or(Damage("has a number that is too large"))?;
        }
        Err(Damage("has a number that is too large"))
    }
}

/// Reads a big-endian number of at most three bytes.
fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |value, byte| value << 8 | usize::from(*byte))
}

/// The checksum of zlib and of footers: CRC-32 with the reflected polynomial `0xEDB88320`. Meant for some 70 bytes.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

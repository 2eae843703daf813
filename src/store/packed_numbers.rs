//! Numbers in packed values, as postcard writes them: seven bits a byte, the lowest first; those with a sign in zigzag.

use rusqlite::ffi;
use serde::{Deserialize, Serialize};

/// Adds a number, or several as a tuple or a list.
pub(super) fn put(to: &mut Vec<u8>, value: impl Serialize) {
    let packed = postcard::to_extend(&value, std::mem::take(to));
    *to = packed.expect("numbers can be written");
}

/// Takes what [`put`] added; `None` for other bytes.
pub(super) fn take<'a, T: Deserialize<'a>>(from: &mut &'a [u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(from).ok()?;
    *from = rest;
    Some(value)
}

/// Returns the error of values that cannot be unpacked. The index is set aside and built anew then: rows that cannot be read cannot be
/// deleted either.
pub(super) fn damage(what: &str) -> rusqlite::Error {
    let code = ffi::Error::new(ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(code, Some(what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{put, take};

    #[test]
    fn numbers_are_packed_in_seven_bits_a_byte() {
        for n in [0, 1, 127, 128, 16_383, 16_384, u64::MAX >> 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, n);
            let mut rest = bytes.as_slice();
            assert_eq!((take(&mut rest), rest), (Some(n), &[][..]));
            assert_eq!(take::<u64>(&mut &bytes[..bytes.len() - 1]), None);
        }
        // 65 bits.
        let bits = [[0xff; 9].as_slice(), &[2]].concat();
        assert_eq!(take::<u64>(&mut &bits[..]), None);
        assert_eq!(take::<u64>(&mut &[0x80; 11][..]), None);
    }
}

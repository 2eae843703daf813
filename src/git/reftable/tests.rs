//! Tables that git would not write.

use std::ops::ControlFlow;

use gix::hash::Kind;

use super::table::{Damage, RefTable, RefValue, crc32};

/// A record: bytes of the name shared, the rest of it, the type of the value and the value.
type Record<'a> = (u8, &'a [u8], u8, &'a [u8]);

/// A table with one block, with room for a mistake in each record.
fn table(records: &[Record<'_>], n_restarts: u8) -> Vec<u8> {
    let mut body = Vec::new();
    for (n_shared, suffix, kind, value) in records {
        let length = u8::try_from(suffix.len()).unwrap();
        body.extend([*n_shared, length << 3 | kind]);
        body.extend_from_slice(suffix);
        body.push(0);
        body.extend_from_slice(value);
    }
    body.extend([0, 0, 28, 0, n_restarts]);
    let mut header = b"REFT\x01\0\0\0".to_vec();
    header.extend([0; 16]);
    let length = u8::try_from(header.len() + 4 + body.len()).unwrap();
    let blocks = [&header[..], &[b'r', 0, 0, length], &body].concat();
    let summed = [&header[..], &[0; 40]].concat();
    let sum = crc32(&summed).to_be_bytes();
    [&blocks[..], &summed, &sum].concat()
}

fn read(bytes: Vec<u8>) -> Result<Vec<(Vec<u8>, RefValue)>, Damage> {
    let mut found = Vec::new();
    RefTable::new(bytes, Kind::Sha1)?.each(|name, value| {
        found.push((name.to_vec(), value));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

const ID: [u8; 20] = [7; 20];

fn sound() -> Vec<u8> {
    let head = b"\x0frefs/heads/main";
    let records: [Record<'_>; 3] = [
        (0, b"HEAD", 3, head),
        (0, b"refs/heads/aged", 0, b""),
        (11, b"main", 1, &ID),
    ];
    table(&records, 1)
}

#[test]
fn reads_what_the_format_describes() {
    let found = read(sound()).unwrap();
    let names: Vec<&[u8]> = found.iter().map(|(name, _)| name.as_slice()).collect();
    assert_eq!(
        names,
        [&b"HEAD"[..], b"refs/heads/aged", b"refs/heads/main"]
    );
    assert_eq!(found[0].1, RefValue::Symbolic(b"refs/heads/main".to_vec()));
    assert_eq!(found[1].1, RefValue::Deleted);
    assert_eq!(
        found[2].1,
        RefValue::Object(ID.as_slice().try_into().unwrap())
    );
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}

#[test]
fn every_truncation_is_an_error() {
    let whole = sound();
    for length in 0..whole.len() {
        assert!(read(whole[..length].to_vec()).is_err(), "{length} bytes");
    }
}

#[test]
fn no_changed_byte_is_a_panic_or_a_name_out_of_order() {
    let whole = sound();
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, whole[at] ^ 1] {
            let mut changed = whole.clone();
            changed[at] = value;
            if let Ok(found) = read(changed) {
                assert!(found.is_sorted_by(|one, two| one.0 < two.0), "byte {at}");
            }
        }
    }
}

#[test]
fn mistakes_in_records_are_errors() {
    let long = [0xff; 12];
    for (records, n_restarts) in [
        (vec![(0, &b"b"[..], 1, &ID[..]), (0, b"a", 1, &ID)], 1),
        (vec![(0, b"a", 1, &ID), (0, b"a", 1, &ID)], 1),
        (vec![(1, b"a", 1, &ID)], 1),
        (vec![(0, b"a", 1, &ID), (9, b"b", 1, &ID)], 1),
        (vec![(0, b"a", 1, &ID[..19])], 1),
        (vec![(0, b"a", 2, &ID)], 1),
        (vec![(0, b"a", 3, b"\x09short")], 1),
        (vec![(0, b"a", 3, &long)], 1),
        (vec![(0, b"a", 4, &ID)], 1),
        (vec![(0, b"a", 1, &ID)], 0),
        (vec![(0, b"a", 1, &ID)], 200),
    ] {
        let found = read(table(&records, n_restarts));
        assert!(found.is_err(), "{records:?}: {found:?}");
    }
}

#[test]
fn ids_of_another_hash_are_refused() {
    assert!(RefTable::new(sound(), Kind::Sha256).is_err());
}

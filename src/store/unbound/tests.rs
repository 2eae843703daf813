//! Packed unbound names: what is packed comes back, damage is an error, and no name is left of a file that is gone.

use super::{
    GROUP_FILES, N_BUCKETS, StoredUnbound, UnboundForm, UnboundList, UnboundRow, bucket_of,
    name_key, pack, row_of, unpack,
};
use crate::model::{FileId, RepoPath};
use crate::store::remove::tests::{made, prepared};
use crate::store::{Index, UnboundPlace};

fn stored(name: i64, file: i64, form: u8, uses: (u32, u32)) -> StoredUnbound {
    StoredUnbound {
        name,
        file: FileId::new(file),
        form: UnboundForm::from_bits(form).unwrap(),
        count: uses.0,
        line: uses.1,
    }
}

/// Uses in one row, with the bounds of each field.
fn various() -> Vec<StoredUnbound> {
    let (bucket, first) = (63 << 42, 128 * 9);
    vec![
        stored(bucket, first, 0, (1, 0)),
        stored(bucket, first, 5, (u32::MAX, u32::MAX)),
        stored(bucket, first + 1, 1, (2, 300)),
        stored(bucket, first + 127, 3, (1, 127)),
        stored(bucket + 1, first + 127, 2, (1, 128)),
        stored((1 << 48) - 1, first + 3, 4, (7, 1)),
    ]
}

fn unpacked(row: i64, packed: &[u8]) -> rusqlite::Result<Vec<StoredUnbound>> {
    let mut found = Vec::new();
    unpack(row, packed, |one| found.push(one))?;
    Ok(found)
}

#[test]
fn packed_uses_are_unpacked_as_they_were() {
    let uses = various();
    let row = row_of(uses[0].file, uses[0].name);
    assert_eq!(row, 9 * N_BUCKETS + 63);
    for n in 1..=uses.len() {
        assert_eq!(unpacked(row, &pack(&uses[..n])).unwrap(), uses[..n]);
    }
    // Six bytes for the name, two for each use in a file near the one before.
    let near: Vec<_> = (0..20).map(|n| stored(5, n, 3, (1, 9))).collect();
    assert_eq!(pack(&near).len(), 6 + 2 * 20);
}

#[test]
fn damaged_uses_are_an_error_or_other_uses() {
    let uses = various();
    let row = row_of(uses[0].file, uses[0].name);
    let packed = pack(&uses);
    for n in 0..packed.len() {
        // Behind a name the bytes of fewer names end.
        if let Ok(found) = unpacked(row, &packed[..n]) {
            assert!(found == uses[..4] || found == uses[..5], "{n} bytes of it");
        }
    }
    for at in 0..packed.len() {
        for byte in 0..=u8::MAX {
            let mut changed = packed.clone();
            changed[at] = byte;
            for found in unpacked(row, &changed).unwrap_or_default() {
                assert_eq!(row_of(found.file, found.name), row);
                assert!(found.count > 0);
            }
        }
    }
    for row in [row - 1, row + 1, i64::MAX, i64::MIN] {
        assert!(unpacked(row, &packed).is_err(), "{row}");
    }
    assert!(unpacked(1 << 62, &pack(&[stored(1, 1, 1, (1, 1))])).is_err());
}

fn row(name: &str, form: UnboundForm, count: u32, line: u32) -> UnboundRow {
    UnboundRow {
        name: name.to_owned(),
        form,
        count,
        line,
    }
}

/// Returns the places of a name: path, form, count and line.
fn places(index: &Index, name: &str) -> Vec<(String, u8, u32, u32)> {
    let read = index.read().unwrap();
    let found = read.unbound_places(name).unwrap();
    assert_eq!(read.unbound_places(name).unwrap(), found, "what is kept");
    let fields = |it: UnboundPlace| {
        (
            it.path.as_str().to_owned(),
            it.form.bits(),
            it.count,
            it.line,
        )
    };
    found.into_iter().map(fields).collect()
}

fn n_rows(index: &Index) -> usize {
    let read = index.read().unwrap();
    read.unbound(UnboundList::All, |_| true).unwrap().len()
}

#[test]
fn names_are_found_by_name_and_by_file_and_go_with_their_file() {
    const CALL: UnboundForm = UnboundForm::CALL;
    const MEMBER: UnboundForm = UnboundForm::MEMBER;
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = made(dir.path());
    let mut index = Index::open(&home, pointer).unwrap();
    let n_files = 3 * GROUP_FILES;
    let path = |n: i64| format!("f{:04}.go", 9999 - n);
    let mut writer = index.writer().unwrap();
    for n in 1..=n_files {
        writer.replace_file(&prepared(&path(n))).unwrap();
    }
    let mut link = |n: i64, rows: &[UnboundRow]| {
        let id = FileId::new(n);
        writer.set_links(id, &[], rows, &[], &[]).unwrap();
    };
    // Back and forth between groups.
    for n in [300, 1, 127, 128, 2] {
        link(n, &[row("open", CALL, 1, 7), row("open", MEMBER, 2, 3)]);
        link(n, &[row("open", CALL, 1, 7), row("close", MEMBER, 2, 3)]);
    }
    link(3, &[row("describe", CALL, 1, 1)]);
    writer.commit(true).unwrap();
    let found = places(&index, "open");
    let wanted = [300, 128, 127, 2, 1].map(|n| (path(n), 1, 1, 7));
    assert_eq!(found, wanted, "by path");
    assert_eq!(places(&index, "close").len(), 5);
    assert_eq!(places(&index, "shut"), []);
    let read = index.read().unwrap();
    let names = read.unbound_in(FileId::new(128)).unwrap();
    assert!(names.has("open") && names.has("close") && !names.has("describe"));
    assert!(!read.unbound_in(FileId::new(4)).unwrap().has("open"));
    let calls = |n, name| read.calls_unbound(FileId::new(n), name).unwrap();
    assert!(calls(3, "describe") && calls(1, "open"));
    assert!(!calls(1, "describe") && !calls(4, "describe") && !calls(1, "close"));
    drop(read);

    // One that is removed before its group is written, and one of a group that is not read.
    let mut writer = index.writer().unwrap();
    writer
        .set_links(FileId::new(2), &[], &[row("it", CALL, 3, 3)], &[], &[])
        .unwrap();
    for n in [2, 300, 1] {
        let path = RepoPath::new(&path(n)).unwrap();
        writer.remove_file(&path).unwrap();
    }
    writer.commit(true).unwrap();
    assert_eq!(places(&index, "it"), []);
    assert_eq!(places(&index, "open").len(), 2);
    assert_eq!(n_rows(&index), 5);

    // Another file gets the id of the last one, and no names.
    let mut writer = index.writer().unwrap();
    for n in [3, 127, 128] {
        writer
            .set_links(FileId::new(n), &[], &[], &[], &[])
            .unwrap();
    }
    drop(writer);
    assert_eq!(n_rows(&index), 5, "what is not committed was not written");
    let mut writer = index.writer().unwrap();
    for n in [3, 127, 128] {
        writer
            .set_links(FileId::new(n), &[], &[], &[], &[])
            .unwrap();
    }
    writer.commit(true).unwrap();
    assert_eq!(n_rows(&index), 0);
    let dump = index.read().unwrap().dump().unwrap();
    assert!(!dump.contains("unbound\t") && dump.contains("unbound names of no file\t0"));
}

#[test]
fn a_name_is_found_in_any_bucket() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = made(dir.path());
    let mut index = Index::open(&home, pointer).unwrap();
    let mut writer = index.writer().unwrap();
    let names: Vec<String> = (0..400).map(|n| format!("name{n}")).collect();
    let rows = names.iter().map(|name| row(name, UnboundForm::CALL, 1, 1));
    let rows: Vec<UnboundRow> = rows.collect();
    for n in 1..=GROUP_FILES {
        writer.replace_file(&prepared(&format!("{n}.go"))).unwrap();
        let some = if n % 60 == 0 { &rows[..] } else { &[] };
        writer
            .set_links(FileId::new(n), &[], some, &[], &[])
            .unwrap();
    }
    writer.commit(true).unwrap();
    let buckets = names.iter().map(|name| bucket_of(name_key(name)));
    assert_eq!(buckets.collect::<std::collections::BTreeSet<_>>().len(), 64);
    for name in &names {
        assert_eq!(places(&index, name).len(), 2, "{name}");
    }
}

#[test]
fn an_index_with_damaged_names_is_built_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = made(dir.path());
    let mut index = Index::open(&home, pointer).unwrap();
    let mut writer = index.writer().unwrap();
    writer.replace_file(&prepared("a.go")).unwrap();
    let row_id = row_of(FileId::new(1), name_key("open"));
    writer
        .run("INSERT INTO unbound VALUES(?1, x'01')", [row_id])
        .unwrap();
    let refused = writer.remove_file(&RepoPath::new("a.go").unwrap());
    assert!(refused.unwrap_err().is_corrupt());
    writer.commit(true).unwrap();
    let read = index.read().unwrap();
    assert!(read.unbound_places("open").unwrap_err().is_corrupt());
    assert!(read.unbound_in(FileId::new(1)).unwrap_err().is_corrupt());
}

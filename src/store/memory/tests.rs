//! Records are kept, replaced by name, found by place and word, and never lost to another version.

use rusqlite::Connection;

use super::record::{RecordKind, SavedItem, SavedRecord, WrittenBy};
use super::{MEMORY_VERSION, RecordStore, RecordSubjects, path};
use crate::model::{ContentId, RecordId};
use crate::store::{Home, RepoHome, StoreError};

fn home(dir: &std::path::Path) -> RepoHome {
    let repo = Home::at(dir, &[]).unwrap().repo("r");
    repo.create(std::path::Path::new("/x/.git"), None).unwrap();
    repo
}

fn item(path: &str) -> SavedItem {
    SavedItem {
        handle: "sym_0000000000000001".to_owned(),
        path: path.to_owned(),
        symbol: Some(("Store.open".to_owned(), "method".to_owned())),
        lines: Some((3, 9)),
        content: ContentId::of(b"x"),
        digests: vec![1, u64::MAX],
        exact: Some(ContentId::of(b"y")),
    }
}

fn new(name: &str, now_ms: i64) -> SavedRecord {
    SavedRecord {
        name: Some(name.to_owned()),
        title: name.to_owned(),
        text: Some("why it waits".to_owned()),
        pinned: now_ms > 1,
        index_id: format!("idx_{now_ms}"),
        branch: Some("main".to_owned()),
        ..SavedRecord::new(RecordKind::Context, now_ms)
    }
}

#[test]
fn a_saved_record_is_read_back_and_replaced_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    assert!(RecordStore::open_existing(&home).unwrap().is_none());
    let mut store = RecordStore::open(&home).unwrap();
    let first = store.save(&new("a", 1), &[item("a.ts")]).unwrap().unwrap();
    let again = store.save(&new("a", 2), &[item("a.ts")]).unwrap().unwrap();
    assert_eq!(
        (first.id, &first.uid, first.created_ms),
        (again.id, &again.uid, again.created_ms)
    );
    assert_eq!((again.updated_ms, again.n_items), (2, 1));
    let note = SavedRecord {
        kind: RecordKind::Note,
        ..new("a", 3)
    };
    let note = store.save(&note, &[]).unwrap().unwrap();
    assert_ne!(note.id, first.id, "a name belongs to a kind");
    drop(store);
    let store = RecordStore::open_existing(&home).unwrap().unwrap();
    assert_eq!(store.items(again.id).unwrap(), [item("a.ts")]);
    assert_eq!(store.pinned_indexes().unwrap(), ["idx_2", "idx_3"]);
    assert_eq!(store.damage().unwrap(), None);
    assert_eq!(store.revision().unwrap(), 3);
}

#[test]
fn records_are_looked_up_by_place_and_word() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = RecordStore::open(&home(dir.path())).unwrap();
    let one = store
        .save(&new("a", 1), &[item("src/a.ts")])
        .unwrap()
        .unwrap();
    let two = store
        .save(&new("b", 1), &[item("lib/\"b\\.ts")])
        .unwrap()
        .unwrap();
    let about = |places: &RecordSubjects| store.about(places, 10).unwrap();
    let of_path = |path: &str| RecordSubjects {
        paths: vec![path.to_owned()],
        ..RecordSubjects::default()
    };
    assert_eq!(about(&of_path("src/a.ts")), [one.id]);
    assert_eq!(about(&of_path("lib/\"b\\.ts")), [two.id]);
    assert_eq!(about(&of_path("src")), [] as [RecordId; 0]);
    assert_eq!(store.below("src", 10).unwrap(), [one.id]);
    let of_symbol = RecordSubjects {
        symbols: vec!["Store.open".to_owned()],
        ..RecordSubjects::default()
    };
    assert_eq!(about(&of_symbol), [two.id, one.id]);
    let of_content = RecordSubjects {
        contents: vec![ContentId::of(b"x").to_string()],
        ..RecordSubjects::default()
    };
    assert_eq!(about(&of_content), [two.id, one.id]);
    assert_eq!(store.holding("waiting").unwrap(), [one.id, two.id]);
    assert_eq!(store.holding("nothing").unwrap(), [] as [RecordId; 0]);
    assert!(store.rename(one.id, "zebra").unwrap());
    assert!(!store.rename(one.id, "b").unwrap());
    assert_eq!(store.holding("zebra").unwrap(), [one.id]);
    assert!(store.remove(one.id).unwrap() && !store.remove(one.id).unwrap());
    assert_eq!(store.holding("waiting").unwrap(), [two.id]);
}

#[test]
fn a_full_memory_loses_superseded_records_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = RecordStore::open(&home(dir.path())).unwrap();
    let first = store.save(&new("first", 1), &[]).unwrap().unwrap();
    store
        .connection
        .execute_batch(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})
             INSERT INTO record(uid, kind, title, by, approved, index_id, pinned, created_ms, updated_ms)
             SELECT 'mem_' || i, 1, 'x', 0, 1, '', 0, 1, 1 FROM n",
            super::MAX_RECORDS - 1
        ))
        .unwrap();
    assert!(store.save(&new("more", 2), &[]).unwrap().is_none());
    // One of the same name takes no room.
    assert!(store.save(&new("first", 2), &[]).unwrap().is_some());
    let other = store.by_name("mem_7").unwrap()[0].id;
    assert!(store.supersede(other, first.id).unwrap());
    assert!(store.save(&new("more", 2), &[]).unwrap().is_some());
    assert!(store.by_name("mem_7").unwrap().is_empty());
    assert_eq!(store.count(None).unwrap(), super::MAX_RECORDS);
}

#[test]
fn an_import_replaces_imports_and_contexts_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = RecordStore::open(&home(dir.path())).unwrap();
    let note = SavedRecord {
        kind: RecordKind::Note,
        ..new("own", 1)
    };
    let own = store.save(&note, &[]).unwrap().unwrap();
    let imported = |record: &SavedRecord, text: &str| {
        let record = SavedRecord {
            by: WrittenBy::Import,
            approved: false,
            text: Some(text.to_owned()),
            ..record.clone()
        };
        (record, Vec::new(), None)
    };
    let failure = SavedRecord {
        kind: RecordKind::Failure,
        uid: "mem_00000000000000ff".to_owned(),
        name: None,
        ..new("f", 1)
    };
    let mut fix = SavedRecord {
        kind: RecordKind::Fix,
        uid: "mem_00000000000000fe".to_owned(),
        name: None,
        ..new("x", 1)
    };
    fix.title = "fix".to_owned();
    let mut fix = imported(&fix, "repaired");
    fix.2 = Some(failure.uid.clone());
    let list = [imported(&own, "other"), fix, imported(&failure, "one")];
    assert_eq!(store.save_imported(&list).unwrap().unwrap().len(), 2);
    assert_eq!(store.with_id(own.id).unwrap().unwrap().text, own.text);
    let again = [imported(&failure, "two")];
    assert_eq!(store.save_imported(&again).unwrap().unwrap().len(), 1);
    let found = store.by_name(&failure.uid).unwrap();
    assert_eq!(found[0].text.as_deref(), Some("two"));
    assert!(!found[0].approved);
}

#[test]
fn a_newer_or_damaged_file_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    let store = RecordStore::open(&home).unwrap();
    store
        .connection
        .pragma_update(None, "user_version", MEMORY_VERSION + 1)
        .unwrap();
    drop(store);
    let refused = RecordStore::open(&home).unwrap_err();
    assert!(matches!(refused, StoreError::Version { .. }), "{refused}");
    let noise = vec![7_u8; 8_192];
    std::fs::write(path(&home), &noise).unwrap();
    let refused = RecordStore::open(&home).unwrap_err();
    assert!(refused.is_corrupt(), "{refused}");
    assert_eq!(std::fs::read(path(&home)).unwrap(), noise);
}

/// Writes a file of version 1 with one context.
fn version_1(home: &RepoHome) {
    let file = Connection::open(path(home)).unwrap();
    file.execute_batch(super::open::MIGRATIONS[0]).unwrap();
    file.execute_batch(
        "INSERT INTO context VALUES(7, 'login', 'checked twice', 1, 'idx_1', 'main', 'abc', 5, 6);
         INSERT INTO item VALUES(7, 0, 'sym_0000000000000001', 'a.ts', 'Store.open', 'method', 3, 9, zeroblob(32), x'0100000000000000');
         PRAGMA user_version = 1;",
    )
    .unwrap();
}

#[test]
fn a_file_of_version_1_is_migrated() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    version_1(&home);
    // To read it is enough.
    let store = RecordStore::open_existing(&home).unwrap().unwrap();
    let found = store.by_name("login").unwrap();
    let record = &found[0];
    assert_eq!(
        (record.id, record.kind, record.text.as_deref()),
        (RecordId::new(7), RecordKind::Context, Some("checked twice"))
    );
    assert_eq!((record.created_ms, record.updated_ms), (5, 6));
    assert!(record.approved && record.pinned && record.uid.starts_with("mem_"));
    let items = store.items(RecordId::new(7)).unwrap();
    assert_eq!(
        (items[0].digests.as_slice(), items[0].exact),
        (&[1][..], None)
    );
    assert_eq!(store.holding("twice").unwrap(), [RecordId::new(7)]);
    drop(store);
    let again = RecordStore::open(&home).unwrap();
    assert_eq!(again.by_name("login").unwrap(), found);
}

#[test]
fn a_file_of_version_1_that_can_not_be_written_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    version_1(&home);
    let file = path(&home);
    let store = RecordStore::prepared(
        Connection::open_with_flags(&file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap(),
        &file,
    )
    .unwrap();
    let copy = store.migrated_copy(&file).unwrap();
    assert_eq!(copy.by_name("login").unwrap()[0].id, RecordId::new(7));
    assert_eq!(copy.items(RecordId::new(7)).unwrap().len(), 1);
    assert_eq!(copy.holding("twice").unwrap(), [RecordId::new(7)]);
}

#[test]
fn two_that_save_at_once_both_succeed() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    std::thread::scope(|scope| {
        for at in 0..4 {
            let home = &home;
            scope.spawn(move || {
                for n in 0..10 {
                    let mut store = RecordStore::open(home).unwrap();
                    let name = format!("{at}-{n}");
                    store
                        .save(&new(&name, 1), &[item("a.ts")])
                        .unwrap()
                        .unwrap();
                }
            });
        }
    });
    let store = RecordStore::open(&home).unwrap();
    assert_eq!(store.count(None).unwrap(), 40);
    assert_eq!(store.damage().unwrap(), None);
    assert_eq!(store.holding("waits").unwrap().len(), 40);
}

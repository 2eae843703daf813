//! Freezing and waking, by the files that are there.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{
    Freezing, FrozenHeader, base_bytes, bases, freeze, frozen_path, is_frozen, sweep_bases,
};
use crate::store::remove::{remove, sweep, tests::made};
use crate::store::{Index, Pointer, RepoHome, StoreError, key};

/// An index with some MiB of rows that no compression makes small.
fn filled(dir: &Path) -> (RepoHome, Pointer) {
    let (home, pointer) = made(dir);
    let mut index = Index::open(&home, pointer.clone()).unwrap();
    note(&mut index, "0", 3 << 20);
    drop(index);
    (home, pointer)
}

fn note(index: &mut Index, name: &str, n_bytes: usize) {
    let piece = |n: usize| blake3::hash(format!("{name}{n}").as_bytes()).to_hex();
    let mut noise: String = (0..n_bytes.div_ceil(64))
        .map(|n| piece(n).to_string())
        .collect();
    noise.truncate(n_bytes);
    let mut writer = index.writer().unwrap();
    writer.set_meta(name, &noise).unwrap();
    writer.commit(true).unwrap();
}

fn copied(home: &RepoHome, source: &Pointer, digit: &str) -> Pointer {
    let pointer = Pointer {
        index_id: format!("idx_{}", digit.repeat(32)),
        build: key::new_build(),
        ..source.clone()
    };
    let mut index = Index::seeded(home, pointer.clone(), home, source.clone()).unwrap();
    note(&mut index, digit, 20_000);
    drop(index);
    home.publish(&pointer, true).unwrap();
    pointer
}

fn frozen(home: &RepoHome, pointer: &Pointer) -> u64 {
    match freeze(home, pointer, || false).unwrap() {
        Freezing::Done(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

fn generation(home: &RepoHome, pointer: &Pointer, name: &str) -> Option<usize> {
    let index = Index::open(home, pointer.clone()).unwrap();
    assert_eq!(index.damage().unwrap(), None);
    let value: rusqlite::Result<String> =
        index
            .connection()
            .query_row("SELECT value FROM meta WHERE key = ?1", [name], |row| {
                row.get(0)
            });
    value.ok().map(|value| value.len())
}

fn age(path: &Path) {
    let old = SystemTime::now() - Duration::from_hours(2);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(old)
        .unwrap();
}

fn database(home: &RepoHome, pointer: &Pointer) -> PathBuf {
    home.database(&pointer.index_id, &pointer.build)
}

#[test]
fn a_frozen_index_is_small_and_wakes_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (home, first) = filled(dir.path());
    let second = copied(&home, &first, "2");
    let reader_lock_path = home.reader_lock_path(&second.index_id, &second.build);
    age(&reader_lock_path);
    let used = home.last_used_ms(&second);
    frozen(&home, &first);
    // The log is emptied first, so the bytes are those behind it.
    let bytes = home.bytes(&second);
    assert!(
        frozen(&home, &second) * 10 > bytes * 9,
        "the second differs by little"
    );
    assert_eq!(bases(&home).len(), 1);
    assert!(base_bytes(&home) > 3 << 20);
    assert!(is_frozen(&home, &second) && !database(&home, &second).exists());
    assert!(frozen_path(&home, &second).metadata().unwrap().len() < 100_000);
    assert_eq!(home.last_used_ms(&second), used, "freezing is no use");
    assert_eq!(home.bytes(&second) >> 20, bytes >> 20, "bytes awake");
    assert_eq!(
        freeze(&home, &second, || false).unwrap(),
        Freezing::Needless
    );
    // A look leaves it frozen, a use wakes it.
    let peeked = Index::peek(&home, second.clone()).unwrap().unwrap();
    assert_eq!(peeked.read().unwrap().meta().index_id, second.index_id);
    drop(peeked);
    assert!(is_frozen(&home, &second));
    let is_draft = |name: &str| name.starts_with(".draft");
    assert!(super::files(&home, is_draft).is_empty());
    assert_eq!(generation(&home, &second, "2"), Some(20_000));
    assert_eq!(generation(&home, &second, "0"), Some(3 << 20));
    assert!(!is_frozen(&home, &second) && !frozen_path(&home, &second).exists());
    // It can be written, and freezes again.
    note(
        &mut Index::open(&home, second.clone()).unwrap(),
        "more",
        30_000,
    );
    frozen(&home, &second);
    assert_eq!(generation(&home, &second, "more"), Some(30_000));
    assert!(home.orphans(Duration::ZERO).is_empty());
}

#[test]
fn an_index_in_use_stays_awake() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = filled(dir.path());
    let index = Index::open(&home, pointer.clone()).unwrap();
    assert_eq!(freeze(&home, &pointer, || false).unwrap(), Freezing::InUse);
    drop(index);
    assert_eq!(freeze(&home, &pointer, || true).unwrap(), Freezing::Needed);
    frozen(&home, &pointer);
    let small = tempfile::tempdir().unwrap();
    let (home, pointer) = made(small.path());
    assert_eq!(
        freeze(&home, &pointer, || false).unwrap(),
        Freezing::Needless
    );
}

#[test]
fn another_index_starts_from_a_frozen_one() {
    let dir = tempfile::tempdir().unwrap();
    let (home, first) = filled(dir.path());
    frozen(&home, &first);
    let second = copied(&home, &first, "2");
    assert_eq!(generation(&home, &second, "0"), Some(3 << 20));
    assert!(is_frozen(&home, &first), "it is not woken for that");
}

#[test]
fn indexes_that_differ_have_bases_of_their_own_which_go_with_the_last() {
    let dir = tempfile::tempdir().unwrap();
    let (home, first) = filled(dir.path());
    let other = Pointer {
        index_id: format!("idx_{}", "3".repeat(32)),
        build: key::new_build(),
        ..first.clone()
    };
    note(
        &mut Index::create(&home, other.clone()).unwrap(),
        "other",
        3 << 20,
    );
    home.publish(&other, true).unwrap();
    frozen(&home, &first);
    frozen(&home, &other);
    assert_eq!(bases(&home).len(), 2);
    for path in bases(&home) {
        age(&path);
    }
    assert_eq!(sweep_bases(&home), 0);
    remove(&home, &other, || false).unwrap();
    assert!(sweep_bases(&home) > 3 << 20);
    assert_eq!(bases(&home).len(), 1);
    assert_eq!(generation(&home, &first, "0"), Some(3 << 20));
}

#[test]
fn a_damaged_frozen_index_is_unusable_and_said_to_be() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = filled(dir.path());
    frozen(&home, &pointer);
    let path = frozen_path(&home, &pointer);
    let whole = std::fs::read(&path).unwrap();
    let is_refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let error = Index::open(&home, pointer.clone()).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        assert!(!database(&home, &pointer).exists());
    };
    is_refused(b"");
    is_refused(&whole[..whole.len() / 2]);
    for at in [
        0,
        20,
        60,
        FrozenHeader::BYTES - 1,
        FrozenHeader::BYTES + 20,
        whole.len() - 1,
    ] {
        let mut altered = whole.clone();
        altered[at] ^= 1;
        is_refused(&altered);
    }
    std::fs::write(&path, &whole).unwrap();
    let base = bases(&home).remove(0);
    let mut altered = std::fs::read(&base).unwrap();
    altered[5_000] ^= 1;
    std::fs::write(&base, altered).unwrap();
    is_refused(&whole);
    std::fs::remove_file(&base).unwrap();
    is_refused(&whole);
    assert!(home.orphans(Duration::ZERO).is_empty(), "no draft is left");
    assert!(
        home.stale_builds(
            &Pointer {
                build: key::new_build(),
                ..pointer
            },
            Duration::ZERO
        )
        .len()
            == 1
    );
}

#[test]
fn what_a_killed_process_left_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = filled(dir.path());
    let awake = std::fs::read(database(&home, &pointer)).unwrap();
    frozen(&home, &pointer);
    // Killed before the database was removed, or after it was woken: the database counts.
    std::fs::write(database(&home, &pointer), &awake).unwrap();
    note(
        &mut Index::open(&home, pointer.clone()).unwrap(),
        "later",
        10_000,
    );
    assert!(
        !frozen_path(&home, &pointer).exists(),
        "it is of no use any more"
    );
    assert_eq!(generation(&home, &pointer, "later"), Some(10_000));
    frozen(&home, &pointer);
    assert_eq!(generation(&home, &pointer, "later"), Some(10_000));
    // A frozen build that no pointer names.
    let stray = home
        .dir()
        .join(format!("{}.{}.frozen", pointer.index_id, key::new_build()));
    std::fs::write(&stray, "x").unwrap();
    assert!(sweep(&home, Duration::ZERO) > 0);
    assert!(!stray.exists() && database(&home, &pointer).exists());
}

#[test]
fn processes_that_wake_an_index_at_once_share_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = filled(dir.path());
    for _ in 0..5 {
        frozen(&home, &pointer);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(generation(&home, &pointer, "0"), Some(3 << 20)));
            }
        });
        assert!(home.orphans(Duration::ZERO).is_empty());
    }
}

#[cfg(unix)]
#[test]
fn where_nothing_can_be_written_a_frozen_index_is_read_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = filled(dir.path());
    frozen(&home, &pointer);
    let set = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(home.dir(), mode).unwrap();
    };
    set(0o500);
    // Some users may write everywhere.
    let is_read_only = File::create(home.dir().join("probe")).is_err();
    let index = Index::open(&home, pointer.clone()).unwrap();
    assert_eq!(index.is_immutable(), is_read_only);
    assert_eq!(index.read().unwrap().meta().index_id, pointer.index_id);
    assert_eq!(is_frozen(&home, &pointer), is_read_only);
    set(0o700);
}

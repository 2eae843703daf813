//! Reading files and nothing but files, inside the work tree and nowhere else.

use std::os::unix::fs::symlink;

use crate::git::{ReadError, WorkTree};

use super::{Fixture, make_fifo, path};

fn open(f: &Fixture) -> WorkTree {
    WorkTree::open(&f.root, &[]).unwrap()
}

#[test]
fn a_regular_file_is_read_with_its_stat() {
    let f = Fixture::new();
    f.write("d/e/a.ts", "let a");
    let tree = open(&f);
    let read = tree.read(&path("d/e/a.ts"), 5).unwrap();
    assert_eq!(read.bytes, b"let a");
    assert!(read.stable);
    assert_eq!(Some(read.stat), tree.stat(&path("d/e/a.ts")).unwrap());
    let scanned = f.scan().files;
    assert_eq!(scanned[0].stat, read.stat);
    assert!(read.stat.mtime_ns <= read.read_at_ns);
    let too_large = tree.read(&path("d/e/a.ts"), 4);
    assert!(matches!(too_large, Err(ReadError::TooLarge { size: 5 })));
}

#[test]
fn links_and_special_files_are_not_read() {
    let f = Fixture::new();
    let outside = f.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), "s").unwrap();
    f.write("d/a", "1");
    symlink("d/a", f.root.join("inner")).unwrap();
    symlink(outside.join("secret"), f.root.join("outer")).unwrap();
    symlink(&outside, f.root.join("dir_link")).unwrap();
    symlink("d", f.root.join("inner_dir")).unwrap();
    make_fifo(&f.root.join("fifo"));
    let tree = open(&f);
    for name in ["inner", "outer", "dir_link", "fifo", "d"] {
        let read = tree.read(&path(name), 100);
        assert!(matches!(read, Err(ReadError::NotAFile)), "{name}: {read:?}");
        assert_eq!(tree.stat(&path(name)).unwrap(), None, "{name}");
    }
    for name in [
        "dir_link/secret",
        "inner_dir/a",
        "absent",
        "d/a/b",
        "no/such",
    ] {
        let read = tree.read(&path(name), 100);
        assert!(matches!(read, Err(ReadError::Missing)), "{name}: {read:?}");
        assert_eq!(tree.stat(&path(name)).unwrap(), None, "{name}");
    }
    for name in [".git/config", ".GIT/config", "d/.git", ".git"] {
        let read = tree.read(&path(name), 100);
        assert!(matches!(read, Err(ReadError::Outside)), "{name}: {read:?}");
    }
}

#[test]
fn resolving_follows_links_that_stay_inside() {
    let f = Fixture::new();
    f.write("d/a", "1");
    let secret = f.beside("secret");
    std::fs::write(&secret, "s").unwrap();
    symlink("../d/a", f.root.join("d/relative")).unwrap();
    symlink(f.root.join("d/a"), f.root.join("absolute")).unwrap();
    symlink("d", f.root.join("dir")).unwrap();
    symlink(&secret, f.root.join("outer")).unwrap();
    symlink(".git", f.root.join("meta")).unwrap();
    symlink("loop", f.root.join("loop")).unwrap();
    let tree = open(&f);
    for name in ["d/a", "d/relative", "absolute", "dir/a", "dir/relative"] {
        assert_eq!(tree.resolve(&path(name)).unwrap(), path("d/a"), "{name}");
    }
    for name in ["outer", "meta/config", ".git/config", "meta"] {
        let found = tree.resolve(&path(name));
        assert!(
            matches!(found, Err(ReadError::Outside)),
            "{name}: {found:?}"
        );
    }
    assert!(matches!(tree.resolve(&path("no")), Err(ReadError::Missing)));
    assert!(matches!(tree.resolve(&path("loop")), Err(ReadError::Io(_))));
}

#[test]
fn many_threads_read_through_one_handle() {
    let f = Fixture::new();
    for n in 0..50 {
        f.write(&format!("d{}/f{n}", n % 5), &n.to_string());
    }
    let tree = open(&f);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let tree = tree.clone();
            scope.spawn(move || {
                for n in 0..50 {
                    let read = tree.read(&path(&format!("d{}/f{n}", n % 5)), 10).unwrap();
                    assert_eq!(read.bytes, n.to_string().as_bytes());
                }
            });
        }
    });
}

#[test]
fn a_file_replaced_while_it_is_read_is_never_content_from_elsewhere() {
    let f = Fixture::new();
    let secret = f.beside("secret");
    std::fs::write(&secret, "secret").unwrap();
    f.write("d/a", "inside").write("inside", "inside");
    let other = f.beside("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("a"), "secret").unwrap();
    let tree = open(&f);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(relaxed) {
                std::fs::rename(f.root.join("d"), f.root.join("e")).unwrap();
                symlink(&other, f.root.join("d")).unwrap();
                std::fs::remove_file(f.root.join("d")).unwrap();
                std::fs::rename(f.root.join("e"), f.root.join("d")).unwrap();
            }
        });
        for _ in 0..3_000 {
            if let Ok(read) = tree.read(&path("d/a"), 100) {
                assert_eq!(read.bytes, b"inside");
            }
        }
        stop.store(true, relaxed);
    });
}

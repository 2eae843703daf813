//! Walks that remember directories against walks that list every one of them.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Fixture, unlimited};
use crate::git::open_directory::identity_at;
use crate::git::{Directories, Scan};

/// Longer than the tick of the clock that stamps files, except on ext2 to ext4 with small inodes (whole seconds).
const TICK: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_millis(50);

fn scan(f: &Fixture, known: &Arc<Directories>) -> Scan {
    let repo = f.repo().with_directories(Arc::clone(known));
    let (scan, _) = repo.scan_and_dirty(&unlimited()).unwrap();
    assert!(scan.complete);
    scan
}

/// Returns which of `paths` are known without being listed.
fn known_of(f: &Fixture, known: &Directories, paths: &[&str]) -> Vec<bool> {
    let repo = f.repo();
    let pass = known.begin();
    let is_known = |path: &&str| {
        let (root, path) = (repo.source().work_tree().unwrap().root(), path.as_bytes());
        pass.look_up(path, || identity_at(root, path)).is_some()
    };
    paths.iter().map(is_known).collect()
}

/// Whether directories are remembered at all where the tests run.
fn notes_changes(f: &Fixture) -> bool {
    let repo = f.repo();
    repo.source()
        .work_tree()
        .unwrap()
        .list(Path::new(""))
        .unwrap()
        .notes_changes()
}

#[test]
fn what_changed_in_a_remembered_directory_is_seen() {
    let f = Fixture::new();
    f.write("a.ts", "1")
        .write("src/b.ts", "1")
        .write("src/deep/c.ts", "1")
        .write("lib/d.ts", "1")
        .commit_all();
    let root = &f.root;
    let steps: [(&str, &dyn Fn()); 19] = [
        ("nothing", &|| ()),
        ("a new file", &|| {
            f.write("src/new.ts", "1");
        }),
        ("a file less", &|| {
            std::fs::remove_file(root.join("src/new.ts")).unwrap();
        }),
        ("a new directory", &|| {
            f.write("src/more/e.ts", "1");
        }),
        ("another name", &|| {
            std::fs::rename(root.join("src/b.ts"), root.join("src/B.ts")).unwrap();
        }),
        ("a directory that moved", &|| {
            std::fs::rename(root.join("src/deep"), root.join("lib/deep")).unwrap();
        }),
        ("another one in its place", &|| {
            std::fs::create_dir(root.join("src/deep")).unwrap();
            std::fs::write(root.join("src/deep/other.ts"), "1").unwrap();
        }),
        ("two that change places", &|| {
            std::fs::rename(root.join("src/deep"), root.join("aside")).unwrap();
            std::fs::rename(root.join("lib/deep"), root.join("src/deep")).unwrap();
            std::fs::rename(root.join("aside"), root.join("lib/deep")).unwrap();
        }),
        ("ignore rules", &|| {
            f.write("lib/.gitignore", "d*\n!deep\n");
        }),
        ("other ignore rules, in place", &|| {
            f.write("lib/.gitignore", "o*\n");
        }),
        ("own ignore rules", &|| {
            f.write(".codelensignore", "src/more\n");
        }),
        ("attributes", &|| {
            f.write("lib/.gitattributes", "* linguist-generated\n");
        }),
        ("a repository inside", &|| {
            std::fs::create_dir_all(root.join("lib/deep/.git/objects")).unwrap();
        }),
        ("none inside", &|| {
            std::fs::remove_dir_all(root.join("lib/deep/.git")).unwrap();
        }),
        ("a link in the place of a directory", &|| {
            std::fs::rename(root.join("lib/deep"), f.beside("away")).unwrap();
            symlink(f.beside("away"), root.join("lib/deep")).unwrap();
        }),
        ("a file in the place of a link", &|| {
            std::fs::remove_file(root.join("lib/deep")).unwrap();
            std::fs::write(root.join("lib/deep"), "1").unwrap();
        }),
        ("times set back", &|| {
            let dir = std::fs::File::open(root.join("src")).unwrap();
            let before = dir.metadata().unwrap().modified().unwrap();
            f.write("src/later.ts", "1");
            dir.set_modified(before).unwrap();
        }),
        ("another commit", &|| {
            f.commit_all();
        }),
        ("a directory that can't be entered", &|| {
            let closed = std::fs::Permissions::from_mode(0o000);
            std::fs::set_permissions(root.join("src/more"), closed).unwrap();
        }),
    ];
    let known = Arc::new(Directories::new(TICK));
    for (what, step) in steps {
        std::thread::sleep(PAUSE);
        assert_eq!(scan(&f, &known), f.scan(), "before {what}");
        step();
        assert_eq!(scan(&f, &known), f.scan(), "right after {what}");
        assert_eq!(scan(&f, &known), f.scan(), "again after {what}");
    }
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(root.join("src/more"), open).unwrap();
}

#[test]
fn only_what_rests_is_remembered_and_only_as_long_as_it_is_there() {
    let f = Fixture::new();
    f.write("src/a.ts", "1").write("lib/b.ts", "1").commit_all();
    let dirs = ["", "src/", "lib/"];
    let known = Arc::new(Directories::new(TICK));
    std::thread::sleep(PAUSE);
    f.write("src/c.ts", "1");
    scan(&f, &known);
    let is_noted = notes_changes(&f);
    assert_eq!(known_of(&f, &known, &["", "lib/"]), [is_noted; 2]);
    std::thread::sleep(PAUSE);
    scan(&f, &known);
    assert_eq!(known_of(&f, &known, &dirs), [is_noted; 3]);
    // The bytes of a file do not concern its directory.
    f.write("src/c.ts", "2");
    assert_eq!(known_of(&f, &known, &dirs), [is_noted; 3]);
    std::fs::remove_file(f.root.join("src/c.ts")).unwrap();
    assert_eq!(known_of(&f, &known, &dirs), [is_noted, false, is_noted]);
    std::fs::remove_dir_all(f.root.join("lib")).unwrap();
    std::thread::sleep(PAUSE);
    scan(&f, &known);
    assert_eq!(known.n_kept(), if is_noted { 2 } else { 0 });
    if cfg!(target_os = "linux") {
        // Where a path with a name below may be longer than the system takes at once.
        let deep = "x".repeat(199) + "/";
        let (short, long) = (deep.repeat(17), deep.repeat(18));
        f.write(&format!("{long}a.ts"), "1");
        std::thread::sleep(PAUSE);
        assert_eq!(scan(&f, &known), f.scan());
        assert_eq!(known_of(&f, &known, &[&short, &long]), [is_noted, false]);
    }
    // With a tick of an hour nothing of all this has settled.
    let careful = Arc::new(Directories::new(Duration::from_hours(1)));
    scan(&f, &careful);
    assert_eq!(careful.n_kept(), 0);
    let small = Arc::new(Directories::new(TICK).of_at_most(300));
    scan(&f, &small);
    assert!(small.n_kept() <= 1, "{} are kept", small.n_kept());
}

#[test]
fn a_file_that_comes_or_goes_right_after_a_walk_is_seen_by_the_next() {
    let f = Fixture::new();
    f.write("src/a.ts", "1").commit_all();
    let known = Arc::new(Directories::new(TICK));
    for n in 0..60 {
        // About as long as a directory takes to settle, a little less and a little more.
        std::thread::sleep(TICK / 2 + TICK / 20 * (n % 20));
        let path = f.root.join(format!("src/f{}.ts", n % 3));
        scan(&f, &known);
        if std::fs::remove_file(&path).is_err() {
            std::fs::write(&path, "1").unwrap();
        }
        let found = scan(&f, &known);
        assert_eq!(found, f.scan(), "change {n}");
    }
}

#[test]
fn files_that_come_and_go_during_walks_are_never_missed_afterwards() {
    let f = Fixture::new();
    for dir in 0..8 {
        f.write(&format!("d{dir}/a.ts"), "1");
    }
    f.commit_all();
    let known = Arc::new(Directories::new(TICK));
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let root = &f.root;
        let ends = &ends;
        scope.spawn(move || {
            let mut n = 0_u64;
            while !ends.load(Ordering::Relaxed) {
                let path = root.join(format!("d{}/f{}.ts", n % 8, n / 8 % 3));
                if std::fs::remove_file(&path).is_err() {
                    std::fs::write(&path, "1").unwrap();
                }
                n += 1;
                // Now and then long enough for all to settle.
                let pause = if n.is_multiple_of(40) {
                    TICK * 2
                } else {
                    TICK / 10
                };
                std::thread::sleep(pause);
            }
        });
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1) {
            scan(&f, &known);
        }
        ends.store(true, Ordering::Relaxed);
    });
    assert_eq!(scan(&f, &known), f.scan());
}

#[test]
fn another_process_goes_on_with_what_was_remembered() {
    let f = Fixture::new();
    for n in 0..300 {
        f.write(&format!("d{n}/deep/a.ts"), "1");
    }
    f.write("d1/.gitignore", "*.log\n").commit_all();
    if !notes_changes(&f) {
        return;
    }
    std::thread::sleep(PAUSE);
    let first = Arc::new(Directories::new(TICK));
    let before = scan(&f, &first);
    let bytes = first.to_bytes().expect("there are many");
    let second = Arc::new(Directories::of_bytes(TICK, &bytes));
    assert_eq!(second.n_kept(), first.n_kept());
    assert_eq!(known_of(&f, &second, &["", "d7/", "d7/deep/"]), [true; 3]);
    assert_eq!(scan(&f, &second), before);
    assert_eq!(second.to_bytes(), None, "nothing was listed anew");
    // A change in between is seen, an ignored file is none.
    f.write("d7/deep/new.ts", "1").write("d1/x.log", "1");
    std::fs::remove_dir_all(f.root.join("d9")).unwrap();
    let third = Arc::new(Directories::of_bytes(TICK, &bytes));
    assert_eq!(
        known_of(&f, &third, &["d7/deep/", "d8/deep/"]),
        [false, true]
    );
    let now = scan(&f, &third);
    assert_eq!(now, scan(&f, &Arc::new(Directories::new(TICK))));
    assert_ne!(now, before);
    // Bytes that are not whole are none.
    for cut in [1, 40, bytes.len() / 2, bytes.len() - 1] {
        let known = Arc::new(Directories::of_bytes(TICK, &bytes[..cut]));
        assert_eq!(known.n_kept(), 0, "{cut}");
        assert_eq!(scan(&f, &known), now);
    }
}

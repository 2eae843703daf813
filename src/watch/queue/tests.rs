//! Each kind of change in a watched directory is in the queue when the call that made it has returned.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt, symlink};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::QueueWatch;
use crate::model::RepoPath;
use crate::model::visited::{ChangedDirectories, DirectoryId, Visited, VisitedDirectory};
use crate::watch::{WatchCoverage, WatchError};

/// A watched work tree `w` with `w/src/deep`, and a directory `out` beside it.
struct Scene {
    dir: tempfile::TempDir,
    watch: QueueWatch,
}

impl Scene {
    fn new() -> Self {
        Self::limited_to(1_000)
    }

    fn limited_to(limit: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for path in ["w/src/deep", "w/lib", "out", "git"] {
            std::fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        for path in [
            "w/a",
            "w/src/a",
            "w/src/b",
            "w/src/deep/a",
            "w/lib/a",
            "out/a",
            "git/index",
        ] {
            std::fs::write(dir.path().join(path), "text").unwrap();
        }
        let root = dir.path().join("w");
        let watch =
            QueueWatch::start_limited(&root, Duration::from_millis(1), limit, || true).unwrap();
        Self { dir, watch }
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.dir.path().join(path)
    }

    /// Returns the directories as a look would find them now.
    fn visited(&self) -> Visited {
        let mut directories = Vec::new();
        let mut left = vec![String::new()];
        while let Some(path) = left.pop() {
            let place = self.at("w").join(&path);
            let meta = place.metadata().unwrap();
            for entry in place.read_dir().unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    left.push(format!("{path}{}/", entry.file_name().to_str().unwrap()));
                }
            }
            directories.push(VisitedDirectory {
                path: path.into_bytes().into(),
                id: Some(DirectoryId {
                    device: meta.dev(),
                    inode: meta.ino(),
                }),
            });
        }
        Visited {
            directories,
            ..Visited::default()
        }
    }

    fn cover(&self) {
        let visited = self.visited();
        self.watch
            .cover(&visited.directories, &self.at("git"))
            .unwrap();
    }

    /// Returns whether `change` is told once it has returned, and that nothing else is.
    fn tells(&self, change: impl FnOnce()) -> bool {
        self.cover();
        let (moment, _) = self.watch.moment().unwrap();
        assert!(self.watch.is_unchanged(&moment));
        change();
        !self.watch.is_unchanged(&moment)
    }
}

fn append(path: &Path) -> File {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"more").unwrap();
    file
}

#[test]
fn each_kind_of_change_is_told_at_once() {
    let s = Scene::new();
    let at = |path: &str| s.at(path);
    let exchange = |a: &str, b: &str| {
        renameat_with(CWD, at(a), CWD, at(b), RenameFlags::EXCHANGE).unwrap();
    };
    let mode = |path: &str, mode| {
        std::fs::set_permissions(
            at(path),
            <std::fs::Permissions as PermissionsExt>::from_mode(mode),
        )
        .unwrap();
    };
    let steps: [(&str, &dyn Fn()); 24] = [
        ("a write", &|| std::fs::write(at("w/a"), "other").unwrap()),
        ("an append that is still open", &|| {
            drop(append(&at("w/src/deep/a")));
        }),
        ("a file cut", &|| {
            let file = OpenOptions::new().write(true).open(at("w/a")).unwrap();
            file.set_len(1).unwrap();
        }),
        ("times set back", &|| {
            let file = OpenOptions::new().write(true).open(at("w/src/a")).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }),
        ("a new file", &|| std::fs::write(at("w/new"), "").unwrap()),
        ("a file less", &|| {
            std::fs::remove_file(at("w/new")).unwrap();
        }),
        ("a mode of a file", &|| mode("w/src/a", 0o600)),
        ("a mode of a directory", &|| mode("w/src", 0o700)),
        ("a mode of the root", &|| mode("w", 0o700)),
        ("a link", &|| symlink("a", at("w/l")).unwrap()),
        ("a file renamed", &|| {
            std::fs::rename(at("w/a"), at("w/c")).unwrap();
        }),
        ("a file renamed over another", &|| {
            std::fs::rename(at("w/c"), at("w/src/b")).unwrap();
        }),
        ("a file moved in", &|| {
            std::fs::rename(at("out/a"), at("w/a")).unwrap();
        }),
        ("a file moved out", &|| {
            std::fs::rename(at("w/a"), at("out/a")).unwrap();
        }),
        ("files exchanged", &|| exchange("out/a", "w/lib/a")),
        ("directories exchanged", &|| exchange("w/lib", "w/src")),
        ("a directory renamed", &|| {
            std::fs::rename(at("w/lib"), at("w/lib2")).unwrap();
        }),
        ("a write in a renamed directory", &|| {
            std::fs::write(at("w/lib2/deep/a"), "x").unwrap();
        }),
        ("a directory moved out", &|| {
            std::fs::rename(at("w/lib2"), at("out/lib2")).unwrap();
        }),
        ("a directory moved in", &|| {
            std::fs::rename(at("out/lib2"), at("w/lib")).unwrap();
        }),
        ("a write in a moved directory", &|| {
            std::fs::write(at("w/lib/deep/a"), "y").unwrap();
        }),
        ("a new directory", &|| {
            std::fs::create_dir_all(at("w/n/m")).unwrap();
        }),
        ("a write in a new directory", &|| {
            std::fs::write(at("w/n/m/a"), "x").unwrap();
        }),
        ("a tree less", &|| {
            std::fs::remove_dir_all(at("w/n")).unwrap();
        }),
    ];
    for (name, change) in steps {
        assert!(s.tells(change), "{name}");
    }
    assert!(!s.tells(|| assert_eq!(std::fs::read(s.at("w/src/a")).unwrap(), b"text")));
    assert!(!s.tells(|| std::fs::write(s.at("out/a"), "x").unwrap()));
    assert!(!s.tells(|| assert!(s.at("w/src").read_dir().unwrap().next().is_some())));
}

#[test]
fn files_that_had_no_name_are_told_of_and_their_directory_is_doubted() {
    let s = Scene::new();
    s.cover();
    let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::TMPFILE;
    let opened = rustix::fs::open(s.at("w/src"), flags, rustix::fs::Mode::RUSR);
    let Ok(file) = opened else {
        println!("skipped: the file system makes no files without names");
        return;
    };
    let (moment, _) = s.watch.moment().unwrap();
    assert!(rustix::io::write(&file, b"x").is_ok());
    assert!(!s.watch.is_unchanged(&moment), "a write");
    let (moment, _) = s.watch.moment().unwrap();
    let own = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
    let follow = rustix::fs::AtFlags::SYMLINK_FOLLOW;
    rustix::fs::linkat(CWD, own, CWD, s.at("w/src/named"), follow).unwrap();
    assert!(!s.watch.is_unchanged(&moment), "its name");
    drop(file);
    let (_, doubts) = s.watch.moment().unwrap();
    assert!(doubts.has(&RepoPath::new("src/named").unwrap()));
    assert!(!doubts.has(&RepoPath::new("a").unwrap()));
}

#[test]
fn a_file_that_was_written_and_closed_is_doubted_until_a_later_look() {
    let s = Scene::new();
    s.cover();
    let path = RepoPath::new("src/a").unwrap();
    let file = append(&s.at("w/src/a"));
    let (_, doubts) = s.watch.moment().unwrap();
    assert!(doubts.is_empty(), "it is still open");
    drop(file);
    let (moment, doubts) = s.watch.moment().unwrap();
    assert!(doubts.has(&path) && !doubts.has(&RepoPath::new("src/b").unwrap()));
    drop(append(&s.at("w/src/b")));
    let (later, _) = s.watch.moment().unwrap();
    s.watch.clear_doubts(&moment);
    let (_, doubts) = s.watch.moment().unwrap();
    assert!(!doubts.has(&path) && doubts.has(&RepoPath::new("src/b").unwrap()));
    s.watch.clear_doubts(&later);
    assert!(s.watch.moment().unwrap().1.is_empty());
}

#[test]
fn writes_through_other_names_are_not_told() {
    let s = Scene::new();
    std::fs::hard_link(s.at("w/src/a"), s.at("out/linked")).unwrap();
    assert!(
        !s.tells(|| drop(append(&s.at("out/linked")))),
        "why such files are looked at"
    );
    let open = OpenOptions::new().append(true).open(s.at("out/a")).unwrap();
    std::fs::hard_link(s.at("out/a"), s.at("w/came")).unwrap();
    std::fs::remove_file(s.at("out/a")).unwrap();
    assert!(
        !s.tells(|| (&open).write_all(b"x").unwrap()),
        "a risk that stays"
    );
}

#[test]
fn a_directory_is_covered_once_it_was_watched_before_the_look() {
    let s = Scene::new();
    let (early, _) = s.watch.moment().unwrap();
    let visited = s.visited();
    assert_eq!(
        s.watch.coverage(&visited, Some(&early)),
        WatchCoverage::Missing
    );
    s.cover();
    assert_eq!(
        s.watch.coverage(&visited, Some(&early)),
        WatchCoverage::Late
    );
    assert_eq!(s.watch.coverage(&visited, None), WatchCoverage::Late);
    let (moment, _) = s.watch.moment().unwrap();
    let covered = s.watch.coverage(&visited, Some(&moment));
    if let WatchCoverage::Useless(reason) = covered {
        println!("skipped: {reason}");
        return;
    }
    assert_eq!(covered, WatchCoverage::Whole);
    // Again: nothing was added.
    s.cover();
    assert_eq!(
        s.watch.coverage(&visited, Some(&moment)),
        WatchCoverage::Whole
    );
    assert_eq!(s.watch.n_directories(), 5);
    // Another directory under a known path is another directory.
    std::fs::rename(s.at("w/lib"), s.at("out/lib")).unwrap();
    std::fs::create_dir(s.at("w/lib")).unwrap();
    let visited = s.visited();
    let (moment, _) = s.watch.moment().unwrap();
    assert_eq!(
        s.watch.coverage(&visited, Some(&moment)),
        WatchCoverage::Missing
    );
    s.cover();
    assert_eq!(
        s.watch.n_directories(),
        5,
        "the one that left is watched no longer"
    );
    assert!(!s.tells(|| std::fs::write(s.at("out/lib/a"), "x").unwrap()));
    assert!(s.tells(|| std::fs::write(s.at("w/lib/a"), "x").unwrap()));
    // A file system that tells nothing, below.
    let proc = VisitedDirectory {
        path: Box::from(*b"../../../../../../../../proc/self/"),
        id: Path::new("/proc/self")
            .metadata()
            .ok()
            .map(|meta| DirectoryId {
                device: meta.dev(),
                inode: meta.ino(),
            }),
    };
    let mut visited = s.visited();
    visited
        .directories
        .push(VisitedDirectory { id: None, ..proc });
    let (moment, _) = s.watch.moment().unwrap();
    assert!(matches!(
        s.watch.coverage(&visited, Some(&moment)),
        WatchCoverage::Useless(WatchError::NotTelling(_))
    ));
}

#[test]
fn of_git_s_own_files_the_staging_area_counts_and_locks_do_not() {
    let s = Scene::new();
    assert!(!s.tells(|| std::fs::write(s.at("git/index.lock"), "x").unwrap()));
    assert!(s.tells(|| std::fs::rename(s.at("git/index.lock"), s.at("git/index")).unwrap()));
    let before = s.watch.n_changes();
    std::fs::write(s.at("git/FETCH_HEAD"), "x").unwrap();
    drop(s.watch.moment());
    assert!(s.watch.n_changes() > before, "a hint all the same");
}

#[test]
fn after_an_overflow_each_directory_is_watched_anew() {
    let s = Scene::new();
    s.cover();
    let visited = s.visited();
    let (moment, _) = s.watch.moment().unwrap();
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    if limit > 100_000 {
        println!("skipped: the queue takes {limit} events");
        return;
    }
    // Nobody reads meanwhile: the thread that tells would.
    let state = s.watch.queue.lock();
    for n in 0..limit / 2 {
        let path = s.at(&format!("w/f{}", n % 7));
        File::create(&path).unwrap();
        std::fs::remove_file(path).unwrap();
    }
    drop(state);
    assert!(!s.watch.is_unchanged(&moment));
    let (moment, _) = s.watch.moment().unwrap();
    assert_eq!(
        s.watch.coverage(&visited, Some(&moment)),
        WatchCoverage::Missing
    );
    s.cover();
    let (moment, _) = s.watch.moment().unwrap();
    assert!(matches!(
        s.watch.coverage(&s.visited(), Some(&moment)),
        WatchCoverage::Whole | WatchCoverage::Useless(_)
    ));
    assert!(s.tells(|| std::fs::write(s.at("w/src/deep/a"), "x").unwrap()));
}

#[test]
fn more_directories_than_the_limit_are_refused() {
    let s = Scene::limited_to(4);
    let visited = s.visited();
    assert_eq!(
        s.watch.cover(&visited.directories, &s.at("git")),
        Err(WatchError::TooMany(4, 4))
    );
}

#[test]
fn a_burst_of_changes_is_told_once_and_reading_never() {
    let s = Scene::new();
    let (sender, told) = channel();
    let quiet = Duration::from_millis(60);
    let watch = QueueWatch::start(&s.at("w"), quiet, move || sender.send(()).is_ok()).unwrap();
    watch.cover(&s.visited().directories, &s.at("git")).unwrap();
    let soon = Duration::from_secs(20);
    let at_rest = || while told.recv_timeout(Duration::from_millis(300)).is_ok() {};
    for n in 0..50 {
        std::fs::write(s.at(&format!("w/f{n}")), "x").unwrap();
    }
    told.recv_timeout(soon).unwrap();
    at_rest();
    let n_changes = watch.n_changes();
    assert_eq!(std::fs::read(s.at("w/a")).unwrap(), b"text");
    assert!(told.recv_timeout(Duration::from_millis(300)).is_err());
    assert_eq!(watch.n_changes(), n_changes);
    // Whoever reads the queue, the thread tells.
    std::fs::write(s.at("w/src/deep/a"), "2").unwrap();
    drop(watch.moment());
    told.recv_timeout(soon).unwrap();
    at_rest();
    // A directory that is added later is watched from then on.
    std::fs::create_dir(s.at("w/below")).unwrap();
    at_rest();
    watch.cover(&s.visited().directories, &s.at("git")).unwrap();
    std::fs::write(s.at("w/below/b"), "2").unwrap();
    told.recv_timeout(soon).unwrap();
    drop(watch);
    assert!(told.recv_timeout(soon).is_err(), "the thread ends");
}

/// A change, with the directories that it names.
type ChangedStep<'a> = (&'a str, &'a dyn Fn(), Option<&'a [&'a str]>);

#[test]
fn a_change_of_files_names_their_directory_and_any_other_concerns_all() {
    let s = Scene::new();
    let at = |path: &str| s.at(path);
    let exchange = |a: &str, b: &str| {
        renameat_with(CWD, at(a), CWD, at(b), RenameFlags::EXCHANGE).unwrap();
    };
    let steps: [ChangedStep<'_>; 15] = [
        ("nothing", &|| (), Some(&[])),
        ("a write", &|| drop(append(&at("w/a"))), Some(&[""])),
        (
            "writes in two",
            &|| drop((append(&at("w/src/a")), append(&at("w/lib/a")))),
            Some(&["lib/", "src/"]),
        ),
        (
            "a file moved",
            &|| std::fs::rename(at("w/a"), at("w/src/deep/c")).unwrap(),
            Some(&["", "src/deep/"]),
        ),
        (
            "a link",
            &|| symlink("a", at("w/src/l")).unwrap(),
            Some(&["src/"]),
        ),
        (
            "the staging area",
            &|| std::fs::write(at("git/index"), "x").unwrap(),
            None,
        ),
        (
            "files exchanged",
            &|| exchange("w/lib/a", "w/src/a"),
            Some(&["lib/", "src/"]),
        ),
        (
            "a directory renamed",
            &|| std::fs::rename(at("w/lib"), at("w/lib2")).unwrap(),
            None,
        ),
        (
            "a write in it, by its new path",
            &|| drop(append(&at("w/lib2/a"))),
            Some(&["lib2/"]),
        ),
        (
            "directories exchanged",
            &|| exchange("w/lib2", "w/src"),
            None,
        ),
        (
            "a write in one of them",
            &|| drop(append(&at("w/src/a"))),
            Some(&["src/"]),
        ),
        (
            "a new directory",
            &|| std::fs::create_dir(at("w/new")).unwrap(),
            None,
        ),
        (
            "a directory less",
            &|| std::fs::remove_dir(at("w/new")).unwrap(),
            None,
        ),
        (
            "a file of rules",
            &|| std::fs::write(at("w/src/.gitignore"), "x").unwrap(),
            None,
        ),
        (
            "the same, in capitals",
            &|| std::fs::write(at("w/.GitAttributes"), "x").unwrap(),
            None,
        ),
    ];
    for (name, change, wanted) in steps {
        s.cover();
        let (from, _) = s.watch.moment().unwrap();
        change();
        let (to, _) = s.watch.moment().unwrap();
        let found = s.watch.changed_between(&from, &to);
        let wanted = wanted.map(|paths| {
            ChangedDirectories::new(paths.iter().map(|path| Box::from(path.as_bytes())))
        });
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn a_directory_under_another_path_than_it_was_added_with_is_not_covered() {
    let s = Scene::new();
    s.cover();
    std::fs::rename(s.at("w/lib"), s.at("w/lib2")).unwrap();
    let (moment, _) = s.watch.moment().unwrap();
    let visited = s.visited();
    let coverage = |moment| s.watch.coverage(&visited, Some(moment));
    assert_eq!(coverage(&moment), WatchCoverage::Missing);
    // A write that is told by the old path, after the look began.
    drop(append(&s.at("w/lib2/a")));
    drop(s.watch.moment());
    s.cover();
    assert!(matches!(
        coverage(&moment),
        WatchCoverage::Whole | WatchCoverage::Useless(_)
    ));
    let (now, _) = s.watch.moment().unwrap();
    assert_eq!(s.watch.changed_between(&moment, &now), None);
}

#[test]
fn changes_in_very_many_directories_concern_all() {
    let s = Scene::new();
    for n in 0..=super::MAX_CHANGED {
        std::fs::create_dir(s.at(&format!("w/d{n}"))).unwrap();
    }
    s.cover();
    let (from, _) = s.watch.moment().unwrap();
    for n in 0..=super::MAX_CHANGED {
        std::fs::write(s.at(&format!("w/d{n}/a")), "x").unwrap();
    }
    let (to, _) = s.watch.moment().unwrap();
    assert_eq!(s.watch.changed_between(&from, &to), None);
    std::fs::write(s.at("w/d7/a"), "y").unwrap();
    let (later, _) = s.watch.moment().unwrap();
    let found = s.watch.changed_between(&to, &later).unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [b"d7/"]);
}

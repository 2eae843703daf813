//! Law `fresh_is_proved`: an answer that is called fresh misses no change that was made before the question, whether it
//! rests on a look at each file or on the kernel's queue. Law `watch_equals_stat`: both find the same.
//!
//! Only the risks that `docs/freshness.md` names are left; the negative controls show them.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codelens::model::visited::TELLING_FILE_SYSTEMS;
use codelens::model::{ContentId, FreshnessState, Proof};
use codelens::workspace::doctor::repository::of_repository;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};

use super::Bench;
use super::git_steps::{GROUNDS, ground};
use super::steps::step;
use crate::support::Dice;
use crate::support::Repo;

/// How long the watch may take to be of use.
const SOON: Duration = Duration::from_secs(30);

type Contents = BTreeMap<String, ContentId>;

/// A repository with a server's bench.
struct Scene {
    bench: Bench,
    repo: Repo,
}

impl Scene {
    /// Returns a scene of some files; `None`, with a word about it, where no file system tells of each change.
    #[expect(clippy::print_stdout, reason = "a run says what it leaves out")]
    fn new() -> Option<Self> {
        let is_telling = |place: &PathBuf| {
            let found = rustix::fs::statfs(place);
            found.is_ok_and(|found| TELLING_FILE_SYSTEMS.contains(&found.f_type))
        };
        let places = [std::env::temp_dir(), PathBuf::from("/dev/shm")];
        let Some(place) = places.iter().find(|place| is_telling(place)) else {
            println!("skipped: {places:?} are on file systems that need not tell of each change");
            return None;
        };
        let repo = Repo::new_below(place, Vec::new());
        for path in [
            "a.ts",
            "src/a.ts",
            "src/b.ts",
            "src/deep/a.ts",
            "lib/a.ts",
            "docs/a.md",
        ] {
            repo.write(path, format!("export const one = '{path}'\n"));
        }
        repo.git(&["add", "."]);
        repo.git(&["commit", "--quiet", "-m", "one"]);
        Some(Self {
            bench: Bench::serving(),
            repo,
        })
    }

    fn at(&self, path: &str) -> PathBuf {
        self.repo.path().join(path)
    }

    /// Asks until an answer is fresh, and returns its entry for each file.
    fn ask(&self) -> (Contents, Proof) {
        asked(&self.bench, &self.repo.path())
    }

    /// Asks until an answer rests on the watch.
    fn hold(&self, when: &str) -> Contents {
        let begun = Instant::now();
        loop {
            let (contents, proof) = self.ask();
            if proof == Proof::Watch {
                return contents;
            }
            if begun.elapsed() > SOON {
                let checks = of_repository(&self.bench.at(&self.repo.path())).checks;
                panic!("before {when}: no answer rests on the watch: {checks:?}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the files that belong, by git and the disk.
    fn truth(&self) -> Contents {
        let listed = self
            .repo
            .git(&["ls-files", "--cached", "--others", "--exclude-standard"]);
        let mut truth = Contents::new();
        for path in listed.lines() {
            let file = self.at(path);
            if file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                truth.insert(
                    path.to_owned(),
                    ContentId::of(&std::fs::read(file).unwrap()),
                );
            }
        }
        truth
    }
}

fn asked(bench: &Bench, place: &Path) -> (Contents, Proof) {
    loop {
        let answer = bench.at(place).query(&Arc::default(), |view| {
            let rows = view.read.file_rows()?;
            let contents = rows.iter().map(|row| (row.path.to_string(), row.content));
            Ok((contents.collect(), view.freshness.clone()))
        });
        let (contents, freshness) = answer.unwrap();
        if freshness.state == FreshnessState::Fresh {
            return (contents, freshness.proof);
        }
    }
}

fn append(path: &Path) -> File {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"export const more = 1\n").unwrap();
    file
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of changes")]
fn no_kind_of_change_is_missed() {
    let Some(s) = Scene::new() else { return };
    let outside = s.repo.path().parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let (at, git) = (
        |path: &str| s.at(path),
        |args: &[&str]| drop(s.repo.git(args)),
    );
    let out = |name: &str| outside.join(name);
    let exchange = |a: PathBuf, b: PathBuf| {
        rustix::fs::renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
    };
    let rename = |a: PathBuf, b: PathBuf| std::fs::rename(a, b).unwrap();
    std::fs::write(out("rules"), "docs/\n").unwrap();
    let rules = out("rules").display().to_string();
    let steps: [(&str, &dyn Fn()); 37] = [
        ("a write", &|| {
            s.repo.write("a.ts", "export const two = 2\n");
        }),
        ("an append", &|| drop(append(&at("src/a.ts")))),
        ("a write of equal length with its time set back", &|| {
            let before = at("lib/a.ts").metadata().unwrap();
            let text = s.repo.read("lib/a.ts").replace("one", "two");
            s.repo.write("lib/a.ts", text);
            let file = OpenOptions::new().write(true).open(at("lib/a.ts")).unwrap();
            file.set_modified(before.modified().unwrap()).unwrap();
        }),
        ("a file cut", &|| {
            OpenOptions::new()
                .write(true)
                .open(at("a.ts"))
                .unwrap()
                .set_len(6)
                .unwrap();
        }),
        ("a new file", &|| s.repo.write("src/new.ts", "1")),
        ("a file less", &|| {
            std::fs::remove_file(at("src/new.ts")).unwrap();
        }),
        ("a file renamed", &|| rename(at("src/b.ts"), at("src/c.ts"))),
        ("a file renamed over another", &|| {
            rename(at("src/c.ts"), at("src/a.ts"));
        }),
        ("files exchanged", &|| {
            exchange(at("src/a.ts"), at("lib/a.ts"));
        }),
        ("a tree of new directories", &|| {
            s.repo.write("x/y/z/a.ts", "1");
        }),
        ("a file in it", &|| s.repo.write("x/y/z/b.ts", "1")),
        ("a directory renamed", &|| rename(at("x/y"), at("x/w"))),
        ("a write in it", &|| s.repo.write("x/w/z/b.ts", "2")),
        ("a directory moved out", &|| rename(at("x/w"), out("w"))),
        ("a directory moved in", &|| rename(out("w"), at("lib/w"))),
        ("a write in it", &|| s.repo.write("lib/w/z/b.ts", "3")),
        ("directories exchanged", &|| exchange(at("lib"), at("src"))),
        ("a file in place of a directory", &|| {
            std::fs::remove_dir_all(at("x")).unwrap();
            s.repo.write("x", "1");
        }),
        ("a file that had no name", &|| {
            let made = rustix::fs::open(at("src"), OFlags::WRONLY | OFlags::TMPFILE, Mode::RUSR);
            let Ok(file) = made else { return };
            rustix::io::write(&file, b"export const three = 3\n").unwrap();
            let own = format!("/proc/self/fd/{}", file.as_raw_fd());
            let to = at("src/named.ts");
            rustix::fs::linkat(CWD, own, CWD, to, AtFlags::SYMLINK_FOLLOW).unwrap();
        }),
        ("a hard link that comes in", &|| {
            std::fs::write(out("linked"), "1").unwrap();
            std::fs::hard_link(out("linked"), at("linked.ts")).unwrap();
        }),
        ("a write through its other name", &|| {
            drop(append(&out("linked")));
        }),
        ("one name less", &|| {
            std::fs::remove_file(out("linked")).unwrap();
        }),
        ("ignore rules", &|| {
            s.repo.write(".gitignore", "*.md\n/untracked.ts\n");
        }),
        ("an ignored file", &|| s.repo.write("untracked.ts", "1")),
        ("ignore rules less", &|| {
            std::fs::remove_file(at(".gitignore")).unwrap();
        }),
        ("rules in git's directory", &|| {
            s.repo.write(".git/info/exclude", "untracked.ts\n");
        }),
        ("rules that git's settings name", &|| {
            git(&["config", "core.excludesFile", &rules]);
        }),
        ("another text of those", &|| {
            std::fs::write(out("rules"), "x\n").unwrap();
        }),
        ("files staged", &|| git(&["add", "."])),
        ("a commit", &|| git(&["commit", "--quiet", "-m", "two"])),
        ("references packed", &|| git(&["pack-refs", "--all"])),
        ("another tree for the commit", &|| {
            git(&["replace", "HEAD", "HEAD~1"]);
        }),
        ("its own again", &|| git(&["replace", "-d", "HEAD"])),
        ("another commit checked out", &|| {
            git(&["checkout", "--quiet", "-b", "other", "HEAD~1"]);
        }),
        ("a branch checked out", &|| {
            git(&["checkout", "--quiet", "main"]);
        }),
        ("a reset", &|| {
            git(&["reset", "--quiet", "--hard", "HEAD~1"]);
        }),
        ("more changes than the queue takes", &|| {
            for n in 0..12_000 {
                s.repo.write(&format!("f{}.ts", n % 3), n.to_string());
                std::fs::remove_file(at(&format!("f{}.ts", n % 3))).unwrap();
            }
            s.repo.write("src/deep/a.ts", "after all\n");
        }),
    ];
    for (name, change) in steps {
        s.hold(name);
        change();
        let (found, _) = s.ask();
        assert_eq!(found, s.truth(), "{name}");
    }
    // What nothing was changed for is told by the watch alone.
    assert_eq!(s.hold("the end"), s.truth());
}

#[test]
fn after_an_edit_only_its_directory_is_looked_at() {
    let Some(s) = Scene::new() else { return };
    let mut n_by_watch = 0;
    for n in 0..20 {
        s.hold("an edit");
        let path = ["a.ts", "src/a.ts", "lib/a.ts"][n % 3];
        match n % 4 {
            0 => drop(append(&s.at(path))),
            1 => s.repo.write(path, format!("export const edit = {n}\n")),
            2 => s
                .repo
                .write(&format!("src/new{n}.ts"), "export const made = 1\n"),
            _ => std::fs::remove_file(s.at(&format!("src/new{}.ts", n - 1))).unwrap(),
        }
        let (found, proof) = s.ask();
        assert_eq!(found, s.truth(), "edit {n}");
        n_by_watch += usize::from(proof == Proof::Watch);
    }
    // Work in the background may be in the way of some.
    assert!(n_by_watch >= 10, "{n_by_watch} of 20");
}

/// A program that maps a file, stores the given bytes at its beginning, and ends at an empty line.
const MAPPING: &str = "import mmap, sys
with open(sys.argv[1], 'r+b') as file: mapped = mmap.mmap(file.fileno(), 0)
for line in sys.stdin:
    if not line.strip(): break
    mapped[0:1] = line.strip().encode()
    print(flush=True)
";

#[expect(
    clippy::disallowed_methods,
    reason = "stores to a mapping take another program"
)]
fn mapping(file: &Path) -> Option<Child> {
    let mut python = Command::new("python3");
    python.arg("-c").arg(MAPPING).arg(file);
    python
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()
}

#[test]
fn stores_to_a_mapped_file_are_found_once_it_is_unmapped() {
    let Some(s) = Scene::new() else { return };
    s.hold("a mapping");
    let Some(mut python) = mapping(&s.at("a.ts")) else {
        println!("skipped: no python3");
        return;
    };
    let mut input = python.stdin.take().unwrap();
    let mut output = BufReader::new(python.stdout.take().unwrap());
    let mut store = |text: &str| {
        writeln!(input, "{text}").unwrap();
        assert!(output.read_line(&mut String::new()).unwrap() > 0);
    };
    store("A");
    // A look that reads the file, and longer than a tick after it one that finds its stat settled.
    s.repo.write("lib/a.ts", "1");
    s.ask();
    std::thread::sleep(Duration::from_millis(2_100));
    s.repo.write("lib/a.ts", "2");
    s.hold("another store");
    store("B");
    drop(input);
    python.wait().unwrap();
    let (found, _) = s.ask();
    assert!(s.repo.read("a.ts").starts_with('B'));
    assert_eq!(found, s.truth());
}

#[test]
fn the_risks_that_stay_are_those_that_are_named() {
    let Some(s) = Scene::new() else { return };
    let outside = s.repo.path().parent().unwrap().join("linked");
    let is_missed = |what: &str| {
        let (found, proof) = s.ask();
        let is_missed = found != s.truth();
        assert!(!is_missed || proof == Proof::Watch, "{what}");
        // Whoever looks at each file finds it.
        let beside = s.bench.beside();
        let stat = beside.open(None, &[s.repo.path()]).unwrap();
        let rows = stat
            .query(&Arc::default(), |view| Ok(view.read.file_rows()?))
            .unwrap();
        let rows: Contents = rows
            .iter()
            .map(|row| (row.path.to_string(), row.content))
            .collect();
        assert_eq!(rows, s.truth(), "{what}");
        is_missed
    };
    s.hold("a hard link");
    std::fs::hard_link(s.at("a.ts"), &outside).unwrap();
    drop(append(&outside));
    assert!(is_missed("a write through a link made after the last look"));
    s.hold("a write by another name");
    std::fs::remove_file(&outside).unwrap();
    std::fs::write(&outside, "1").unwrap();
    let mut open = OpenOptions::new().append(true).open(&outside).unwrap();
    std::fs::hard_link(&outside, s.at("came.ts")).unwrap();
    std::fs::remove_file(&outside).unwrap();
    s.hold("a write to a file opened by another name");
    open.write_all(b"2").unwrap();
    assert!(is_missed(
        "a write to a file that was opened by another name"
    ));
}

/// The versions of the files that a writer writes: those that were complete, and those that were begun.
#[derive(Default)]
struct Versions {
    done: Mutex<HashMap<usize, u64>>,
    begun: Mutex<HashMap<usize, u64>>,
    /// Where the directory that moves is, by number.
    moved: AtomicU64,
}

const N_FILES: usize = 12;

fn path_of(file: usize) -> String {
    format!("d{}/deep/f{file}.ts", file % 3)
}

fn text_of(file: usize, version: u64) -> String {
    format!("export function f{file}v{version}() {{ return {version} }}\n")
}

/// Writes until it is told to stop.
fn writes(s: &Scene, versions: &Versions, stop: &AtomicBool, seed: u64) {
    let mut dice = Dice::new(seed);
    let aside = s.repo.path().parent().unwrap().join("aside");
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..=dice.below(4) {
            if dice.below(8) == 0 {
                let now = versions.moved.load(Ordering::SeqCst);
                let place = |n: u64| s.at(&format!("m{n}"));
                std::fs::rename(place(now), place(now + 1)).unwrap();
                versions.moved.store(now + 1, Ordering::SeqCst);
                continue;
            }
            let file = dice.below(N_FILES);
            let version = {
                let mut begun = versions.begun.lock().unwrap();
                let version = begun.entry(file).or_default();
                *version += 1;
                *version
            };
            let (path, text) = (s.at(&path_of(file)), text_of(file, version));
            match dice.below(5) {
                0 | 1 => std::fs::write(&path, &text).unwrap(),
                2 => {
                    std::fs::write(&aside, &text).unwrap();
                    std::fs::rename(&aside, &path).unwrap();
                }
                3 => {
                    std::fs::write(&aside, &text).unwrap();
                    rustix::fs::renameat_with(CWD, &aside, CWD, &path, RenameFlags::EXCHANGE)
                        .unwrap();
                }
                _ => {
                    std::fs::remove_file(&path).unwrap();
                    std::fs::write(&path, &text).unwrap();
                }
            }
            versions.done.lock().unwrap().insert(file, version);
        }
        if dice.below(20) == 0 {
            s.repo
                .git(&["commit", "--quiet", "--all", "--allow-empty", "-m", "more"]);
        }
        std::thread::sleep(Duration::from_millis([0, 0, 1, 20, 150][dice.below(5)]));
    }
}

/// Asks while files are written, and returns how many answers rest on a look and on the watch.
fn races(s: &Scene, versions: &Versions, until: Instant) -> (u64, u64) {
    let (mut by_stat, mut by_watch) = (0, 0);
    while Instant::now() < until {
        let done = versions.done.lock().unwrap().clone();
        let moved = versions.moved.load(Ordering::SeqCst);
        let (found, proof) = s.ask();
        let begun = versions.begun.lock().unwrap().clone();
        for file in 0..N_FILES {
            let least = done.get(&file).copied().unwrap_or(0);
            let most = begun.get(&file).copied().unwrap_or(0);
            let Some(content) = found.get(&path_of(file)) else {
                assert!(most > least, "{file} is missed, {proof:?}");
                continue;
            };
            let is_of = |version| *content == ContentId::of(text_of(file, version).as_bytes());
            // While it is written it may be in between.
            assert!(
                most > least || is_of(least),
                "{file} is older than {least}, {proof:?}"
            );
            assert!(
                !(0..least).any(is_of),
                "{file} is older than {least}, {proof:?}"
            );
        }
        let is_old = |path: &&String| {
            let place = path
                .strip_prefix('m')
                .and_then(|rest| rest.split('/').next());
            place.is_some_and(|n| n.parse::<u64>().unwrap() < moved)
        };
        assert_eq!(
            found.keys().find(is_old),
            None,
            "gone before m{moved}, {proof:?}"
        );
        match proof {
            Proof::Stat => by_stat += 1,
            Proof::Watch => by_watch += 1,
        }
    }
    (by_stat, by_watch)
}

#[test]
fn fresh_is_proved() {
    let Some(s) = Scene::new() else { return };
    let seconds = std::env::var("CODELENS_RACE_SECONDS").map_or(6, |text| text.parse().unwrap());
    for file in 0..N_FILES {
        s.repo.write(&path_of(file), text_of(file, 0));
    }
    s.repo.write("m0/in/a.ts", "export const a = 1\n");
    s.repo.git(&["add", "."]);
    s.repo.git(&["commit", "--quiet", "-m", "files"]);
    s.hold("the race");
    let (versions, stop) = (Versions::default(), AtomicBool::new(false));
    let until = Instant::now() + Duration::from_secs(seconds);
    let (by_stat, by_watch) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| writes(&s, &versions, &stop, seconds));
        let other = scope.spawn(|| races(&s, &versions, until));
        let found = races(&s, &versions, until);
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        let more = other.join().unwrap();
        (found.0 + more.0, found.1 + more.1)
    });
    println!("{by_stat} answers by a look at each file, {by_watch} by the watch");
    assert!(by_stat > 0 && by_watch > 0);
    assert_eq!(s.hold("the end"), s.truth());
}

#[test]
fn watch_equals_stat() {
    let steps = std::env::var("CODELENS_PROOF_STEPS").map_or(60, |text| text.parse().unwrap());
    let mut n_by_watch = 0;
    for seed in 0..2 {
        let mut dice = Dice::new(40 + seed);
        let repo = ground(GROUNDS[usize::try_from(seed).unwrap() % GROUNDS.len()]);
        let bench = Bench::serving();
        let mut done = Vec::new();
        for n in 0..steps {
            done.push(step(&repo, &mut dice, n));
            let tail = &done[done.len().saturating_sub(5)..];
            if n % 3 == 0 {
                std::thread::sleep(Duration::from_millis(150));
            }
            let ask = |bench: &Bench| {
                let workspace = bench.at(&repo.path());
                workspace.query(&Arc::default(), |view| {
                    let generation = view.read.meta().generation;
                    let freshness = view.freshness.clone();
                    Ok((
                        view.index_id.to_owned(),
                        generation,
                        view.read.dump()?,
                        freshness,
                    ))
                })
            };
            let (Ok(by_watch), Ok(_)) = (ask(&bench), ask(&bench)) else {
                continue;
            };
            n_by_watch += u64::from(by_watch.3.proof == Proof::Watch);
            if by_watch.3.state != FreshnessState::Fresh {
                continue;
            }
            let beside = bench.beside();
            let stat = beside.open(None, &[repo.path()]).unwrap();
            let by_stat = stat.query(&Arc::default(), |view| {
                Ok((
                    view.index_id.to_owned(),
                    view.read.meta().generation,
                    view.read.dump()?,
                ))
            });
            let by_stat = by_stat.unwrap();
            assert_eq!((by_watch.0, by_watch.1), (by_stat.0, by_stat.1), "{tail:?}");
            super::assert_same(&by_watch.2, &by_stat.2, &format!("{tail:?}"));
        }
    }
    println!("{n_by_watch} answers by the watch");
}

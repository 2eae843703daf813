//! Damage, full disks and places that may not be written: the next call works without a person, and its answer is right.
//!
//! Every file of the data directory is cut, blanked, overwritten and replaced, the disk fills up, write permission to the data
//! directory and the repository goes away, and clocks are wrong. Mounts and other users are left out, and said so, where they
//! can't be had.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::checks::{Checks, setting};
use crate::known_repo::World;
use crate::product::{Client, Product, Reply, builds, copy_folder};
use crate::questions::{Question, every_question, find, outline, text};
use crate::support::{Dice, walk};

const NOBODY: u32 = 65_534;

/// A way to damage a file; `NotFound` where it can't be done to it.
type Damage = fn(&Path, &mut Dice) -> io::Result<()>;

const DAMAGES: [(&str, Damage); 10] = [
    ("cut anywhere", |path, dice| {
        let file = File::options().write(true).open(path)?;
        file.set_len(dice.below(size(path)?.max(1)) as u64)
    }),
    ("cut to nothing", |path, _| {
        File::options().write(true).open(path)?.set_len(0)
    }),
    ("blank tail", |path, dice| {
        let mut bytes = fs::read(path)?;
        let at = dice.below(bytes.len().max(1));
        bytes[at..].fill(0);
        fs::write(path, bytes)
    }),
    ("blank pages", |path, dice| {
        overwrite_pages(path, dice, |_| 0)
    }),
    ("garbage pages", |path, dice| {
        overwrite_pages(path, dice, any_byte)
    }),
    ("garbage", |path, dice| {
        let n = size(path)?.max(50);
        fs::write(path, (0..n).map(|_| any_byte(dice)).collect::<Vec<_>>())
    }),
    ("foreign text", |path, _| {
        size(path)?;
        fs::write(path, "this is somebody else's\n")
    }),
    ("foreign database", |path, _| {
        fs::remove_file(path)?;
        let database = Connection::open(path).unwrap();
        database
            .execute_batch("CREATE TABLE meta(key TEXT, value TEXT)")
            .unwrap();
        Ok(())
    }),
    ("removed", |path, _| fs::remove_file(path)),
    ("directory", |path, _| {
        fs::remove_file(path)?;
        fs::create_dir(path)?;
        fs::write(path.join("content"), "mine")
    }),
];

fn size(path: &Path) -> io::Result<usize> {
    Ok(usize::try_from(fs::metadata(path)?.len()).unwrap())
}

fn any_byte(dice: &mut Dice) -> u8 {
    u8::try_from(dice.below(256)).unwrap()
}

/// Overwrites a tenth of the pages, never the first one.
fn overwrite_pages(path: &Path, dice: &mut Dice, byte: fn(&mut Dice) -> u8) -> io::Result<()> {
    let mut bytes = fs::read(path)?;
    let n_pages = bytes.len() / 4096;
    if n_pages < 2 {
        return Err(io::ErrorKind::NotFound.into());
    }
    for page in dice.sample(1..n_pages, (n_pages / 10).max(1)) {
        bytes[page * 4096..][..4096].fill_with(|| byte(dice));
    }
    fs::write(path, bytes)
}

/// A repository with a good data directory, copied for each fault.
struct Faults {
    checks: Checks,
    dice: Dice,
    world: World,
    good: PathBuf,
    home: PathBuf,
}

impl Faults {
    fn new(test: &'static str) -> Self {
        let checks = Checks::new(test, 1);
        let world = World::new(checks.seed, 120, 2, 60);
        let (good, home) = (world.root().join("good"), world.root().join("data"));
        for branch in ["side1", "main"] {
            world.switch(branch);
            Product::new(&world.path, &good).must(&["refresh"]);
        }
        let dice = Dice::new(checks.seed as u64);
        Self {
            checks,
            dice,
            world,
            good,
            home,
        }
    }

    /// Returns the folder of the repository in a new copy of the good data directory.
    fn fresh_home(&self) -> PathBuf {
        if self.home.exists() {
            fs::remove_dir_all(&self.home).unwrap();
        }
        copy_folder(&self.good, &self.home);
        let mut repos = fs::read_dir(self.home.join("repos")).unwrap();
        repos.next().unwrap().unwrap().path()
    }

    fn product(&self) -> Product {
        Product::new(&self.world.path, &self.home).patient()
    }

    /// Checks some answers against the truth.
    fn right(&mut self, when: &str, n: usize) -> bool {
        self.right_by(&self.product(), when, n)
    }

    fn right_by(&mut self, product: &Product, when: &str, n: usize) -> bool {
        let state = self.world.state();
        let questions = every_question(&state, 4, &mut self.dice);
        let questions = self.dice.sample(questions, n).into_iter();
        let wrong = questions.filter(|it| !it.check(&self.checks, when, product, &state));
        wrong.count() == 0
    }

    fn whole(&self, when: &str) {
        self.product().is_whole(&self.checks, when);
    }

    /// Returns the identity of the index that is checked out.
    fn index_id(&self) -> String {
        let current = Product::new(&self.world.path, &self.good).call("cl_current", &json!({}));
        current.value["indexId"].as_str().unwrap().to_owned()
    }

    /// Checks that an answer of an index that can't be brought up is not called fresh and shows nothing wrong.
    fn honest(&self, when: &str, question: &Question, reply: &Reply) {
        let wrong = question.wrong(&reply.value, &[&self.world.state()]);
        let what = format!("{when}: {question} is not fresh and shows nothing wrong");
        let is_honest = reply.freshness() == "unknown" && wrong.is_empty();
        self.checks.that(what, is_honest, (&wrong, &reply.value));
    }

    fn stale_but_honest(&self, when: &str, product: &Product) {
        let outlines = [outline("known/d0"), outline("known/d1")];
        for question in [Question::Callers(1), find("base003")]
            .iter()
            .chain(&outlines)
        {
            let reply = question.ask(product);
            let what = format!("{when}: {question} is answered");
            if self.checks.that(what, !reply.is_error(), &reply.value) {
                self.honest(when, question, &reply);
            }
        }
    }

    /// Kills a writer, so that a log with unmerged rows stays.
    fn leave_a_log(&self, log: &Path) {
        let length = || size(log).unwrap_or(0);
        for _ in 0..20 {
            self.world.renew(70);
            let product = Product::new(&self.world.path, &self.home);
            let mut writer = product.command(&["refresh"]).spawn().unwrap();
            for _ in 0..2000 {
                if length() > 100_000 {
                    break;
                }
                sleep(Duration::from_micros(500));
            }
            writer.kill().unwrap();
            writer.wait().unwrap();
            if length() > 0 {
                return;
            }
        }
    }

    /// Damages a file of the index that is checked out in one way, and checks what comes of it.
    fn damage(&mut self, kind: &str, way: &str, damage: Damage) {
        let folder = self.fresh_home();
        let id = self.index_id();
        let pointer: Value =
            serde_json::from_slice(&fs::read(folder.join(format!("{id}.json"))).unwrap()).unwrap();
        let build = pointer["build"].as_str().unwrap();
        let path = folder.join(match kind {
            "repo.json" => kind.to_owned(),
            "json" | "write" => format!("{id}.{kind}"),
            _ => format!("{id}.{build}.{kind}"),
        });
        if kind.starts_with("db-") {
            self.leave_a_log(&path);
        }
        match damage(&path, &mut self.dice) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            done => done.unwrap(),
        }
        let when = format!("{kind}, {way}");
        if self.dice.chance(50) {
            self.world.edit();
        }
        if self.right(&when, 6) {
            self.whole(&when);
        }
    }
}

/// Whether a command line can be run and succeeds.
fn succeeds(line: &str) -> bool {
    let words: Vec<_> = line.split(' ').collect();
    let ran = Command::new(words[0]).args(&words[1..]).output();
    ran.is_ok_and(|ran| ran.status.success())
}

#[test]
#[ignore = "slow"]
fn damaged_files_are_replaced() {
    let mut faults = Faults::new("damaged files");
    let n_rounds = setting("ROUNDS", 0);
    for kind in "db json write open repo.json db-wal db-shm".split(' ') {
        for (way, damage) in DAMAGES {
            // Without rounds a third of all, once.
            if n_rounds == 0 && faults.dice.chance(70) {
                continue;
            }
            let is_random =
                way.contains("page") || way.contains("tail") || way.contains("anywhere");
            for _ in 0..if is_random { n_rounds.max(1) } else { 1 } {
                faults.damage(kind, way, damage);
            }
        }
    }
    faults.checks.end();
}

#[test]
#[ignore = "slow"]
fn older_layouts_are_rebuilt_and_newer_ones_left_alone() {
    let mut faults = Faults::new("layouts");
    for version in [1, 99_999] {
        faults.fresh_home();
        let database = builds(&faults.home, &faults.index_id()).remove(0);
        let connection = Connection::open(&database).unwrap();
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
        drop(connection);
        if version == 1 {
            faults.right("an older layout", 6);
            faults.whole("an older layout");
            continue;
        }
        let code = find("base001").ask(&faults.product()).code().to_owned();
        let is_left = code == "newer_schema" && database.exists();
        faults
            .checks
            .that("a newer layout is left alone, and said", is_left, code);
        let force = json!({"force": true});
        faults
            .product()
            .is_ready(&faults.checks, "a newer layout", &force);
        faults.right("after a newer layout", 6);
    }
    faults.checks.end();
}

/// A mounted place; it is unmounted with this.
struct Mount(PathBuf);

impl Mount {
    fn new(options: &str, place: &Path) -> Option<Self> {
        let line = format!("mount {options} {}", place.display());
        succeeds(&line).then(|| Self(place.to_owned()))
    }

    /// Makes a folder read-only.
    fn read_only(place: &Path) -> Option<Self> {
        let mount = Self::new(&format!("--bind {}", place.display()), place)?;
        let is_read_only = succeeds(&format!("mount -o remount,ro,bind {}", place.display()));
        is_read_only.then_some(mount)
    }

    /// Returns how many bytes are free.
    fn free(&self) -> usize {
        let disk = rustix::fs::statvfs(&self.0).unwrap();
        usize::try_from(disk.f_bavail * disk.f_frsize).unwrap()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        assert!(succeeds(&format!("umount -l {}", self.0.display())));
    }
}

/// A disk gets full while an index is built, brought up and rebuilt.
#[test]
#[ignore = "slow"]
fn a_full_disk_is_said_and_survived() {
    let mut faults = Faults::new("a full disk");
    let place = faults.world.root().join("small");
    fs::create_dir(&place).unwrap();
    let Some(disk) = Mount::new("-t tmpfs -o size=200k tmpfs", &place) else {
        return eprintln!("left out: a full disk, since nothing can be mounted here");
    };
    faults.home = place.join("home");
    fs::create_dir(&faults.home).unwrap();
    for n in 0..3 {
        let reply = faults.product().call("cl_refresh", &json!({}));
        let what = format!("build {n}: an error of the disk");
        faults.checks.that(what, reply.code() == "io", &reply.value);
        let reply = find("base001").ask(&faults.product());
        let is_other_error = reply.is_error() && reply.code() != "io";
        let is_honest = !is_other_error && reply.freshness() != "fresh";
        let what = format!("question {n}: not fresh, or an error of the disk");
        faults.checks.that(what, is_honest, &reply.value);
    }
    let used: usize = walk(&place).iter().map(|path| size(path).unwrap()).sum();
    faults
        .checks
        .that("failed builds do not fill the disk", used < 300_000, used);
    assert!(
        Mount::new("-o remount,size=40m", &place)
            .map(std::mem::forget)
            .is_some()
    );
    faults.right("when there is room again", 6);
    faults.whole("when there is room again");
    let filler = place.join("filler");
    for n in 0..3 {
        let n_left = 4096 + faults.dice.below(146_000);
        fs::write(&filler, vec![b'x'; disk.free() - n_left]).unwrap();
        for _ in 0..8 {
            faults.world.edit();
        }
        for question in [find("base002"), Question::Callers(2), outline("known/d0")] {
            let reply = question.ask(&faults.product());
            let when = format!("full while in use {n}");
            if reply.is_error() || reply.freshness() == "fresh" {
                let is_right = question.is_right(&reply, &faults.world.state());
                let is_honest = is_right || reply.code() == "io";
                let what = format!("{when}: {question} is right or an error of the disk");
                faults.checks.that(what, is_honest, &reply.value);
            } else {
                faults.honest(&when, &question, &reply);
            }
        }
        faults.product().call("cl_refresh", &json!({"force": true}));
        fs::remove_file(&filler).unwrap();
        faults.right(&format!("room again {n}"), 6);
        faults.whole(&format!("room again {n}"));
    }
    faults.checks.end();
}

/// The data directory or the repository lies on a file system that is mounted to be read only.
#[test]
#[ignore = "slow"]
fn read_only_places_are_read() {
    let mut faults = Faults::new("read-only places");
    faults.fresh_home();
    faults.right("before it is read-only", 2);
    let (home, repo) = (faults.home.clone(), faults.world.path.clone());
    let Some(mount) = Mount::read_only(&home) else {
        eprintln!("left out: read-only places, since nothing can be mounted here");
        return faults.checks.end();
    };
    faults.right("read-only data directory", 6);
    faults.world.edit();
    faults.stale_but_honest("read-only data directory and an edit", &faults.product());
    drop(mount);
    let mount = Mount::read_only(&repo).unwrap();
    faults.right("read-only repository and an edit", 6);
    faults.right("read-only repository", 6);
    drop(mount);
    faults.home = faults.world.root().join("empty");
    fs::create_dir(&faults.home).unwrap();
    let mount = Mount::read_only(&faults.home).unwrap();
    let reply = find("base001").ask(&faults.product());
    let is_said = reply.code() == "io" && !text(&reply.value["error"], "hint").is_empty();
    let what = "read-only and empty: an error that tells the next step";
    faults.checks.that(what, is_said, &reply.value);
    drop(mount);
    faults.checks.end();
}

/// The data directory or the repository belongs to another user.
#[test]
#[ignore = "slow"]
fn files_of_another_user_are_read() {
    let mut faults = Faults::new("another user");
    let root = faults.world.root().to_owned();
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    mode(&root, 0o755);
    let as_nobody = format!("setpriv --reuid {NOBODY} --clear-groups");
    if !succeeds(&format!("{as_nobody} true")) {
        return eprintln!("left out: another user, since this one can't become it");
    }
    faults.fresh_home();
    assert!(succeeds(&format!("chmod -R a+rX,go-w {}", root.display())));
    faults.right("before it is another's", 2);
    let nobody = faults.product().behind(&as_nobody);
    faults.right_by(&nobody, "another's data directory", 4);
    faults.world.edit();
    faults.stale_but_honest("another's data directory and an edit", &nobody);
    faults.right("and its owner goes on", 2);
    // Permission to a folder and a file is lost, and comes back.
    faults.home = root.join("mine");
    fs::create_dir(&faults.home).unwrap();
    chown(&faults.home, Some(NOBODY), None).unwrap();
    let nobody = faults.product().behind(&as_nobody);
    let state = faults.world.state();
    find("base001").check(&faults.checks, "another's repository", &nobody, &state);
    // The folders of a data directory that was restored are one's own, the files in them are another's.
    for bits in [0o600, 0o644] {
        for path in walk(&faults.home) {
            chown(&path, Some(0), None).unwrap();
            mode(&path, bits);
        }
        let when = format!("files of another user, mode {bits:o}");
        find("base001").check(&faults.checks, &when, &nobody, &state);
        nobody.is_ready(&faults.checks, &when, &json!({}));
        nobody.is_whole(&faults.checks, &when);
    }
    let closed = faults.world.path.join("known/d1");
    mode(&closed, 0o700);
    let reply = outline("known/d0").ask(&nobody);
    let is_unknown = reply.freshness() == "unknown";
    faults
        .checks
        .that("a folder that can't be listed", is_unknown, &reply.value);
    mode(&closed, 0o755);
    outline("known/d1").check(&faults.checks, "and again it can", &nobody, &state);
    faults.checks.end();
}

fn set_time(path: &Path, time: SystemTime) {
    File::open(path).unwrap().set_modified(time).unwrap();
}

/// Times of files lie in the future and the past, of sources and of the data directory.
#[test]
#[ignore = "slow"]
fn wrong_clocks_hide_nothing() {
    let mut faults = Faults::new("clocks");
    let folder = faults.fresh_home();
    faults.right("before the clock jumps", 2);
    let year = Duration::from_hours(24 * 400);
    for (shift, time) in [
        ("later", SystemTime::now() + year),
        ("earlier", SystemTime::now() - year),
    ] {
        for path in walk(&folder) {
            set_time(&path, time);
        }
        let files = faults.world.state().files;
        for path in faults.dice.sample(files.keys(), 30) {
            set_time(&faults.world.path.join(path), time);
        }
        faults.right(&format!("times a year {shift}"), 4);
        let before = faults.world.state();
        faults.world.renew_quietly(5);
        let after = faults.world.state();
        let changed = after
            .files
            .iter()
            .filter(|(path, file)| before.files[*path] != **file);
        for (path, _) in changed {
            set_time(&faults.world.path.join(path), time);
        }
        faults.right(&format!("edits at times a year {shift}"), 6);
    }
    faults.whole("after the clock jumped");
    faults
        .product()
        .is_ready(&faults.checks, "after the clock jumped", &json!({}));
    faults.checks.end();
}

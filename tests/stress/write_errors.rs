//! Writes that fail: whichever it is and with whatever error, the call says so, and the next one is right.
//!
//! In each phase (a first build, a build from another index, a repair, a save, bundles, …) the writes are counted, then one of
//! them fails: with no space, no quota, an I/O error, no permission or a read-only place; alone, or with all that follow. After
//! each: an error of the contract, the last good index answers while nothing can be written, nothing lies around, and the next
//! call works and answers as an index that is built from nothing. The writes fail in `fail_writes.c`, which is preloaded.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use rusqlite::Connection;
use rustix::io::Errno;
use serde_json::{Value, json};

use crate::checks::{Checks, setting};
use crate::known_repo::World;
use crate::product::{Client, Product, Reply, copy_folder};
use crate::questions::{Question, find, outline, text};
use crate::support::{Dice, Ran, on_each_core};

/// Errors of a write of bytes, then those of a change of names alone.
const ERRORS: [(&str, Errno); 5] = [
    ("EIO", Errno::IO),
    ("ENOSPC", Errno::NOSPC),
    ("EDQUOT", Errno::DQUOT),
    ("EACCES", Errno::ACCESS),
    ("EROFS", Errno::ROFS),
];

/// Fields in which two answers of equal indexes may differ.
const VOLATILE: &str =
    "generation nextCursor proof lastIndexedAt indexes totalIndexes bytes backlog memory";

/// Phases: the branches that are indexed, steps before the call, the call, and the line that has to work after it if another.
///
/// `NOTES` stands for a long text, `OUT` for the folder of exports.
const PHASES: &str = "
build                   |                  | switch main                                     | refresh
build by a question     |                  | switch main                                     | search base001 --limit 5
seed                    | main             | switch side1                                    | refresh
seed by a question      | main             | switch side1                                    | search base001 --limit 5
copy                    | main             | worktree                                        | refresh
reconcile               | main             | edit                                            | refresh
reconcile by a question | main             | edit                                            | search base001 --limit 5
settle                  | main             | edit, search base001                            | search base001 --limit 5
rebuild                 | main             |                                                 | refresh --force
first save              | main             |                                                 | save new --path known/d1/f001.ts
save                    | main             | save kept --path known/d0/f000.ts --notes NOTES | save new --path known/d1/f001.ts --notes NOTES
load                    | main             | save kept --path known/d0/f000.ts --notes NOTES | load kept
remove a context        | main             | save kept --path known/d0/f000.ts --notes NOTES | context rm kept | context list
export                  | main             |                                                 | bundle export OUT/made
import                  | main             | bundle export BUNDLE, forget                    | bundle import BUNDLE
import and verify       | main             | bundle export BUNDLE, forget                    | bundle import BUNDLE --verify
prune                   | side1 side2 main |                                                 | prune --max-bytes 1
drop                    | side1 main       |                                                 | drop --branch side1 | current
doctor                  | main             |                                                 | doctor";

/// A write that fails.
struct Point {
    at: usize,
    what: String,
    error: (&'static str, Errno),
    goes_on: bool,
}

/// The beginning of a phase, in the work tree and the data directory, and its call.
struct Scene {
    line: String,
    /// The line that has to work afterwards, before anything is asked.
    then: String,
    /// The data directory that is there before.
    home: Option<PathBuf>,
    repo: PathBuf,
    /// Whether there is an index of the commit that is checked out, which can answer.
    has_index: bool,
    /// Whether a context `kept` was saved before, and stays.
    keeps: bool,
}

/// Returns the questions that are asked everywhere.
fn asked() -> [Question; 3] {
    [find("base001"), Question::Callers(1), outline("known/d0")]
}

/// A repository whose answers are known, and the library that lets writes fail.
struct WriteErrors {
    checks: Checks,
    world: World,
    library: PathBuf,
    n_places: AtomicUsize,
}

impl WriteErrors {
    fn new(test: &'static str) -> Self {
        let chance = SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_micros();
        let checks = Checks::new(test, chance as usize);
        let world = World::new(checks.seed, 40, 3, 10);
        let library = world.root().join("fail_writes.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stress/fail_writes.c");
        let mut compiler = Command::new("cc");
        compiler
            .args(["-O1", "-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .arg("-ldl");
        assert!(compiler.status().unwrap().success());
        Self {
            checks,
            world,
            library,
            n_places: AtomicUsize::default(),
        }
    }

    /// Returns a new directory: for a data directory in it, and with room for exports.
    fn place(&self) -> PathBuf {
        let n = self.n_places.fetch_add(1, Ordering::Relaxed);
        let place = self.world.root().join(format!("place{n}"));
        fs::create_dir_all(place.join("out")).unwrap();
        place
    }

    /// Returns the product with writes that fail in its place.
    fn failing(&self, repo: &Path, place: &Path) -> Product {
        let below = format!("{0}/data:{0}/out", place.display());
        let product = product(repo, place).set("LD_PRELOAD", &self.library.display());
        product.set("FAIL_BELOW", &below)
    }

    /// Returns a place with the indexes of these branches, the last of them checked out.
    fn refreshed(&self, branches: &[&str]) -> PathBuf {
        let place = self.place();
        for branch in branches {
            self.world.switch(branch);
            product(&self.world.path, &place).must(&["refresh"]);
        }
        place
    }

    fn edited(&self) {
        self.world.edit();
        self.world.add(44);
        self.world.delete();
        self.world.rename();
    }

    /// Sets the scene of a row of [`PHASES`].
    fn scene(&self, row: &[&str]) -> Scene {
        let bundle = self.place().join("bundle").display().to_string();
        let filled = |line: &str| line.replace("BUNDLE", &bundle).replace("NOTES", &notes());
        let branches: Vec<_> = row[1].split_whitespace().collect();
        let place = self.refreshed(&branches);
        let mut scene = Scene {
            line: filled(row[3]),
            then: filled(row.last().unwrap()),
            home: (!branches.is_empty()).then(|| place.join("data")),
            repo: self.world.path.clone(),
            has_index: !branches.is_empty(),
            keeps: matches!(row[0], "save" | "load"),
        };
        for step in row[2].split(", ") {
            match step.split_once(' ').unwrap_or((step, "")) {
                ("", _) => {}
                ("edit", _) => self.edited(),
                ("forget", _) => (scene.home, scene.has_index) = (None, false),
                ("worktree", _) => {
                    let tree = self.world.add_worktree("linked", self.checks.seed);
                    (scene.repo, scene.has_index) = (tree.path, false);
                }
                ("switch", branch) => {
                    self.world.switch(branch);
                    scene.has_index = false;
                }
                _ => {
                    let words: Vec<_> = step.split(' ').map(filled).collect();
                    product(&scene.repo, &place).must(&words);
                }
            }
        }
        scene
    }

    fn phase(&self, row: &[&str], n_points: usize, dice: &mut Dice) {
        let (phase, scene) = (row[0], self.scene(row));
        let new = self.place();
        product(&scene.repo, &new).must(&["refresh"]);
        let wanted = answers(&scene, &new);
        let counted = self.copied(&scene);
        let log = counted.join("log");
        let traced = self
            .failing(&scene.repo, &counted)
            .set("FAIL_LOG", &log.display());
        run_line(&traced, &scene.line, &counted);
        let writes = fs::read_to_string(log).unwrap_or_default();
        let writes: Vec<&str> = writes
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        self.checks
            .that(format!("{phase}: writes are seen"), !writes.is_empty(), ());
        let points = points(&writes, n_points, dice);
        on_each_core(points.len(), |at| {
            let point = &points[at];
            let on = if point.goes_on { " and on" } else { "" };
            let when = format!(
                "{phase}, {} at write {} ({}){on}",
                point.error.0, point.at, point.what
            );
            self.checks
                .part(&when, || self.fail(&when, &scene, point, &wanted));
        });
        eprintln!("{phase}: {} of {} writes", points.len(), writes.len());
    }

    fn copied(&self, scene: &Scene) -> PathBuf {
        let place = self.place();
        if let Some(home) = &scene.home {
            copy_folder(home, &place.join("data"));
        } else {
            fs::create_dir(place.join("data")).unwrap();
        }
        place
    }

    /// Lets one write fail, and looks at the consequences.
    fn fail(&self, when: &str, scene: &Scene, point: &Point, wanted: &[Value]) {
        let that = |what: &str, holds, seen: &Value| {
            self.checks.that(format!("{when}: {what}"), holds, seen)
        };
        let place = self.copied(scene);
        let failing = |at: usize, on: bool| {
            let product = self
                .failing(&scene.repo, &place)
                .set("FAIL_AT", &at)
                .set("FAIL_ON", &u8::from(on));
            product.set("FAIL_ERRNO", &point.error.1.raw_os_error())
        };
        let ran = run_line(&failing(point.at, point.goes_on), &scene.line, &place);
        self.judge(when, scene, &ran, &wanted[3]);
        self.nothing_lies_around(when, &place);
        if scene.has_index {
            // Nothing at all can be written now: the last good index answers.
            for question in asked() {
                let reply = question.ask(&failing(1, true));
                let what = format!("{question} is answered while nothing can be written");
                if that(&what, !reply.is_error(), &reply.value) {
                    self.honest(&format!("{when}: {what}"), &question, &reply);
                }
            }
        }
        let product = product(&scene.repo, &place);
        let again = run_line(&product, &scene.then, &place);
        that("the next call works", again.code == 0, &json!(again.stderr));
        product.is_whole(&self.checks, when);
        if scene.keeps {
            let value = product.call("cl_load", &json!({"name": "kept"})).value;
            let is_there = value["context"]["notes"] == notes();
            that(
                "the context that was saved before is there",
                is_there,
                &value,
            );
        }
        let what = format!("{when}: the next answers are those of a new index");
        let answers = answers(scene, &place);
        self.checks
            .that(what, answers == wanted, (&answers, wanted));
        self.nothing_lies_around(&format!("{when} and the next calls"), &place);
        fs::remove_dir_all(place).unwrap();
    }

    /// Checks the output of a call whose write failed.
    fn judge(&self, when: &str, scene: &Scene, ran: &Ran, stats: &Value) {
        let that = |what: &str, holds| self.checks.that(format!("{when}: {what}"), holds, ran);
        let has_panicked = ran.stderr.contains("panicked");
        that("no panic", !has_panicked && matches!(ran.code, 0 | 1));
        if ran.code != 0 && scene.line != "doctor" {
            let last = ran.stderr.lines().last().unwrap_or_default();
            let error = serde_json::from_str::<Value>(last).unwrap_or_default()["error"].take();
            let (hint, message) = (text(&error, "hint"), text(&error, "message"));
            that("the code is right", error["code"] == "io");
            let mut steps = ["disk", "space", "permission"].into_iter();
            that(
                "the next step is said",
                steps.any(|word| hint.contains(word)),
            );
            let root = self.world.root().to_str().unwrap();
            let is_private = !message.is_empty() && !message.contains(root);
            that("no place of the machine is named", is_private);
            that("nothing else is said", ran.stdout.trim().is_empty());
            return;
        }
        let Ok(value) = serde_json::from_str::<Value>(&ran.stdout) else {
            that("an answer is JSON", false);
            return;
        };
        if scene.line.starts_with("search") {
            let now = Instant::now();
            let (begun, ended) = (now, now);
            self.honest(
                when,
                &asked()[0],
                &Reply {
                    value,
                    begun,
                    ended,
                },
            );
        } else if scene.line.starts_with("refresh") {
            let n_files = &stats["counts"]["files"];
            let is_whole = n_files.is_u64() && value["totalFiles"] == *n_files;
            let is_honest = value["status"] != "ready" || is_whole;
            that("an index that is called ready has all files", is_honest);
        }
    }

    /// Checks that an answer that is called fresh is right, and that nothing else is wrong.
    fn honest(&self, when: &str, question: &Question, reply: &Reply) {
        let (state, value) = (self.world.state(), &reply.value);
        if reply.freshness() == "fresh" {
            self.checks.that(
                format!("{when} is right"),
                question.is_right(reply, &state),
                value,
            );
            return;
        }
        let is_said = matches!(text(value, "freshnessReason"), "io" | "busy");
        self.checks.that(
            format!("{when}: it is said why it is not fresh"),
            is_said,
            value,
        );
        let wrong = question.wrong(value, &[&state]);
        self.checks.that(
            format!("{when}: nothing is wrong"),
            wrong.is_empty(),
            (&wrong, value),
        );
    }

    /// Returns the number of the last run that was noted; 0 if there was none. A write that was cut off can be taken back.
    fn last_run(&self, when: &str, place: &Path) -> i64 {
        if !place.join("data/library.db").exists() {
            return 0;
        }
        // In a copy: whoever opens the file takes the write back.
        let opened = tempfile::tempdir_in(place).unwrap();
        for name in names(&place.join("data"))
            .into_iter()
            .filter(|name| name.starts_with("library.db"))
        {
            fs::copy(place.join("data").join(&name), opened.path().join(&name)).unwrap();
        }
        let runs = Connection::open(opened.path().join("library.db")).unwrap();
        let check: String = runs
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        self.checks
            .that(format!("{when}: the runs are whole"), check == "ok", &check);
        // The disk may have been full before the table was made.
        let has_runs: bool = runs
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE name = 'run'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        let last = || {
            runs.query_row("SELECT coalesce(max(id), 0) FROM run", [], |row| row.get(0))
                .unwrap()
        };
        if has_runs { last() } else { 0 }
    }

    /// Checks that every file belongs to an index that is there.
    fn nothing_lies_around(&self, when: &str, place: &Path) {
        let mut strange = names(&place.join("out"));
        strange.retain(|name| name != "made");
        let home = place.join("data");
        // The journal of a write that could not even be taken back stays until the file is opened again.
        let known = [
            "repos",
            "housekeeping",
            "library.db",
            "library.db-journal",
            "usage.db",
            "usage.db-journal",
            "runs",
        ];
        strange.extend(
            names(&home)
                .into_iter()
                .filter(|name| !known.contains(&name.as_str())),
        );
        // Beside the runs lie the locks of those that were not seen to end, and of one that could not be noted.
        let last = self.last_run(when, place);
        let is_lock = |name: &String| (1..last + 2).any(|run| *name == format!("{run}.lock"));
        strange.extend(
            names(&home.join("runs"))
                .into_iter()
                .filter(|name| !is_lock(name)),
        );
        for folder in names(&home.join("repos")) {
            let folder = home.join("repos").join(folder);
            let files = names(&folder);
            let mut builds = BTreeSet::new();
            for name in &files {
                if let (true, Some(id)) = (name.starts_with("idx_"), name.strip_suffix(".json")) {
                    let pointer: Value =
                        serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap();
                    builds.insert(format!("{id}.{}", pointer["build"].as_str().unwrap()));
                }
            }
            strange.extend(files.into_iter().filter(|name| {
                let (stem, end) = name.rsplit_once('.').unwrap_or(("", name));
                let is_ours = name.starts_with("contexts.db") || matches!(end, "json" | "write");
                name.starts_with('.') || !(is_ours || builds.contains(stem))
            }));
        }
        self.checks.that(
            format!("{when}: nothing lies around"),
            strange.is_empty(),
            &strange,
        );
    }

    /// Asks a server before, while and after nothing can be written.
    fn serves_through(&self, place: &Path, (error, number): (&str, Errno)) {
        let switch = place.join("fails");
        let product = self
            .failing(&self.world.path, place)
            .set("FAIL_ERRNO", &number.raw_os_error());
        let server = product
            .set("FAIL_WHILE", &switch.display())
            .serve(&place.join("log"));
        for n in 0..2 {
            let when = format!("server, {error} {n}");
            let state = self.world.state();
            for question in asked() {
                let reply = question.ask(&server);
                let is_right = question.shown(&reply) == question.truth(&state);
                self.checks
                    .that(format!("{when}: {question} before"), is_right, &reply.value);
            }
            fs::write(&switch, "").unwrap();
            self.edited();
            if n > 0 {
                self.world.commit(false);
            }
            for question in asked() {
                let reply = question.ask(&server);
                let when = format!("{when}: {question} while nothing can be written");
                if reply.is_error() {
                    // There is no index of a commit that was made just now.
                    self.checks.that(
                        format!("{when} is an error of the contract"),
                        n > 0 && reply.code() == "io",
                        &reply.value,
                    );
                } else {
                    self.honest(&when, &question, &reply);
                }
            }
            let save = json!({"name": "n", "items": [{"path": "known/d0/f000.ts"}]});
            for (tool, arguments) in [("cl_refresh", json!({"force": true})), ("cl_save", save)] {
                let reply = server.call(tool, &arguments);
                let what = format!("{when}: {tool} while nothing can be written");
                self.checks.that(what, reply.code() == "io", &reply.value);
            }
            fs::remove_file(&switch).unwrap();
            let state = self.world.state();
            for question in asked() {
                // A task in the background may have the index open as it was.
                let mut replies = (0..3).map(|_| question.ask(&server));
                let fresh = replies.find(|reply| reply.freshness() == "fresh");
                let is_right = fresh.is_some_and(|reply| question.is_right(&reply, &state));
                let what = format!("{when}: {question} afterwards");
                self.checks.that(what, is_right, ());
            }
            let value = server.call("cl_refresh", &json!({})).value;
            self.checks.that(
                format!("{when}: refresh"),
                value["status"] == "ready",
                &value,
            );
        }
    }
}

/// Returns the answers by which an index is known.
fn answers(scene: &Scene, place: &Path) -> Vec<Value> {
    let asked = [
        ("cl_map", json!({"all": true, "limit": 200})),
        (
            "cl_search",
            json!({"query": "base001", "limit": 50, "snippet": "full"}),
        ),
        ("cl_impact", json!({"symbol": "base001"})),
        ("cl_stats", json!({})),
    ];
    let product = product(&scene.repo, place);
    let answers = asked.into_iter().map(|(tool, arguments)| {
        let mut value = product.call(tool, &arguments).value;
        value
            .as_object_mut()
            .unwrap()
            .retain(|key, _| VOLATILE.split(' ').all(|it| it != key));
        value
    });
    answers.collect()
}

/// Returns the product with the data directory of a place.
fn product(repo: &Path, place: &Path) -> Product {
    Product::new(repo, &place.join("data")).patient()
}

/// Runs a line as it is written, with `OUT` for the folder of exports.
fn run_line(product: &Product, line: &str, place: &Path) -> Ran {
    let line = line.replace("OUT", place.join("out").to_str().unwrap());
    product.run(&line.split(' ').chain(["--json"]).collect::<Vec<_>>())
}

/// Returns notes of nearly the most bytes that a context may have.
fn notes() -> String {
    "x".repeat(3900)
}

/// Returns the names in a folder; none if it is not there.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Chooses among the writes: each kind of them and the last one, `n` in all; all in both ways if `n` is 0.
fn points(writes: &[&str], n: usize, dice: &mut Dice) -> Vec<Point> {
    let mut chosen: BTreeSet<usize> = (1..=writes.len()).collect();
    if n > 0 && writes.len() > n {
        let kinds: BTreeSet<&str> = writes.iter().copied().collect();
        let all = std::mem::take(&mut chosen);
        for kind in kinds {
            chosen.extend(dice.sample(all.iter().filter(|at| writes[**at - 1] == kind), 1));
        }
        chosen.insert(writes.len());
        let n_more = n.saturating_sub(chosen.len());
        let rest: Vec<usize> = all.difference(&chosen).copied().collect();
        chosen.extend(dice.sample(rest, n_more));
    }
    let mut points = Vec::new();
    for at in chosen {
        let what = writes[at - 1];
        let errors: &[(&str, Errno)] = match what {
            "open" => &[ERRORS[0], ERRORS[3], ERRORS[4]],
            "create" | "mkdir" | "rename" | "link" => &ERRORS,
            _ => &ERRORS[..3],
        };
        let ways = if n == 0 {
            vec![false, true]
        } else {
            vec![dice.chance(50)]
        };
        points.extend(ways.into_iter().map(|goes_on| Point {
            at,
            what: what.to_owned(),
            error: *dice.pick(errors),
            goes_on,
        }));
    }
    points
}

/// Lets `CODELENS_STRESS_POINTS` writes of each phase fail, or of `CODELENS_STRESS_PHASE` alone.
#[test]
#[ignore = "slow"]
fn a_write_that_fails_is_said_and_survived() {
    let errors = WriteErrors::new("writes that fail");
    let mut dice = Dice::new(errors.checks.seed as u64);
    let only = std::env::var("CODELENS_STRESS_PHASE").ok();
    for row in PHASES.trim().lines() {
        let row: Vec<&str> = row.split('|').map(str::trim).collect();
        if only.as_ref().is_none_or(|only| only == row[0]) {
            errors.checks.part(row[0], || {
                errors.phase(&row, setting("POINTS", 7), &mut dice);
            });
        }
    }
    errors.checks.end();
}

#[test]
#[ignore = "slow"]
fn a_server_lives_through_writes_that_fail() {
    let errors = WriteErrors::new("a server and writes that fail");
    let place = errors.refreshed(&["main"]);
    for error in ERRORS {
        errors
            .checks
            .part(error.0, || errors.serves_through(&place, error));
    }
    let log = fs::read_to_string(place.join("log")).unwrap();
    errors
        .checks
        .that("no panic", !log.contains("panicked"), &log);
    errors.nothing_lies_around("server", &place);
    errors.checks.end();
}

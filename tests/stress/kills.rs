//! Processes that are killed at any moment: the next call works without a person, and its answer is right.
//!
//! A first build, a build that starts from another index, the repair after many edits, a rebuild, a question's own repair,
//! and commands that remove and save are killed, at random times and (where strace is there) at each kind of write. After each
//! kill the index is checked by `doctor` and against the known truth, and nothing may pile up.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::checks::{Checks, setting};
use crate::known_repo::World;
use crate::product::{Client, Product, builds, pointers_and_builds};
use crate::questions::{every_question, outline, text};
use crate::support::{Dice, walk};

/// System calls that write.
const WRITES: &str = "write,pwrite64,fsync,fdatasync,rename,renameat2,link,linkat,unlink,unlinkat,ftruncate,openat,mkdir,flock";

const SCENES: [&str; 9] = [
    "first build",
    "seeded build",
    "many edits",
    "switch",
    "rebuild",
    "question",
    "prune",
    "drop",
    "save",
];

/// A repository, a data directory that lives through all of it, and the times that commands take.
struct Kills {
    checks: Checks,
    dice: Dice,
    world: World,
    home: PathBuf,
    durations: BTreeMap<&'static str, Duration>,
    n_killed: usize,
}

impl Kills {
    fn new() -> Self {
        let checks = Checks::new("kills", 1);
        let world = World::new(checks.seed, 160, 3, 100);
        let (home, dice) = (world.root().join("data"), Dice::new(checks.seed as u64));
        let kills = Self {
            checks,
            dice,
            world,
            home,
            durations: BTreeMap::new(),
            n_killed: 0,
        };
        kills.product().must(&["refresh"]);
        let notes = ["--notes", "kept through all of it", "--pinned"];
        kills
            .product()
            .must(&[&["save", "kept", "--path", "known/d0/f000.ts"], &notes[..]].concat());
        kills
    }

    fn product(&self) -> Product {
        Product::new(&self.world.path, &self.home).patient()
    }

    /// Sets a scene; returns the command that is to be killed in it.
    fn set(&mut self, scene: &str) -> Vec<String> {
        let world = &self.world;
        let words = |line: &str| line.split(' ').map(str::to_owned).collect();
        let refresh_or_search =
            |dice: &mut Dice| words(["refresh", "search base001"][dice.below(2)]);
        match scene {
            "first build" => {
                let files = walk(&self.home.join("repos")).into_iter();
                let is_index = |path: &PathBuf| {
                    path.file_name()
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .starts_with("idx_")
                };
                files
                    .filter(is_index)
                    .for_each(|path| std::fs::remove_file(path).unwrap());
                refresh_or_search(&mut self.dice)
            }
            "seeded build" => {
                world.edit();
                world.commit(self.dice.chance(30));
                refresh_or_search(&mut self.dice)
            }
            "many edits" => {
                world.renew(60);
                words("refresh")
            }
            "switch" => {
                let branch = world.state().branch;
                let others = ["main", "side1", "side2"]
                    .into_iter()
                    .filter(|name| *name != branch);
                world.switch(self.dice.sample(others, 1)[0]);
                refresh_or_search(&mut self.dice)
            }
            "rebuild" => words("refresh --force"),
            "question" => {
                match self.dice.below(4) {
                    0 => world.edit(),
                    1 => world.delete(),
                    2 => world.rename(),
                    _ => world.add(160),
                }
                let questions = ["search base001", "impact base002", "map known/d1"];
                words(questions[self.dice.below(3)])
            }
            "prune" => {
                world.edit();
                world.commit(false);
                self.product().call("cl_refresh", &json!({}));
                let most = [1, 10_000_000][self.dice.below(2)];
                words(&format!("prune --older-than-days 1 --max-bytes {most}"))
            }
            "drop" => {
                let branches = self.dice.sample(["main", "side1", "side2"], 2);
                for branch in &branches {
                    world.switch(branch);
                    self.product().call("cl_refresh", &json!({}));
                }
                words(&format!("drop --branch {}", branches[0]))
            }
            _ => {
                let name = format!("context-{}", self.dice.below(9));
                words(&format!(
                    "save {name} --path known/d1/f001.ts --notes {}",
                    "x".repeat(3900)
                ))
            }
        }
    }

    /// Kills a command at a random time, as long as it took when it was not killed.
    fn at_random(&mut self, scene: &'static str) {
        let words = self.set(scene);
        let begun = Instant::now();
        let mut process = self.product().command(&words).spawn().unwrap();
        if let Some(time) = self.durations.get(scene) {
            sleep(*time * u32::try_from(self.dice.below(1100)).unwrap() / 1000);
            process.kill().unwrap();
        }
        let status = process.wait().unwrap();
        self.durations
            .entry(scene)
            .or_insert_with(|| begun.elapsed());
        self.n_killed += usize::from(status.signal().is_some());
        self.verify(&format!("{scene} {}", words[0]));
    }

    /// Kills a command at some of the places where it writes, of each kind.
    fn at_writes(&mut self, scene: &str, n_each: usize) {
        let log = self.world.root().join("strace.log");
        let traced = format!("strace -f -qq -o {} -e trace={WRITES}", log.display());
        let words = self.set(scene);
        self.product()
            .behind(&traced)
            .command(&words)
            .status()
            .unwrap();
        let log = String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned();
        let calls: Vec<&str> = log
            .lines()
            .filter_map(|line| line.split_once(' ')?.1.trim_start().split_once('('))
            .map(|it| it.0)
            .collect();
        self.checks
            .that(format!("{scene}: writes are seen"), !calls.is_empty(), &log);
        for call in WRITES.split(',') {
            let n_calls = calls.iter().filter(|it| **it == call).count();
            if n_calls == 0 {
                continue;
            }
            // The first calls begin something, the last ones make it count.
            let middle = 1 + self.dice.below(n_calls);
            for at in self.dice.sample([1, middle, n_calls], n_each) {
                let inject = format!("trace={call} -e inject={call}:signal=KILL:when={at}");
                let killing = format!("strace -f -qq -o /dev/null -e {inject}");
                let words = self.set(scene);
                let status = self
                    .product()
                    .behind(&killing)
                    .command(&words)
                    .status()
                    .unwrap();
                self.n_killed += usize::from(!matches!(status.code(), Some(0..=2)));
                self.verify(&format!("{scene} {} at {call} {at} of {n_calls}", words[0]));
            }
        }
    }

    /// Checks the answers of the next calls.
    fn verify(&mut self, when: &str) {
        self.product().is_whole(&self.checks, when);
        let server = self.product().serve(&self.home.with_extension("log"));
        let state = self.world.state();
        let questions = every_question(&state, 5, &mut self.dice);
        for question in self.dice.sample(questions, 12) {
            question.check(&self.checks, when, &server, &state);
        }
        drop(server);
        let kept = self
            .product()
            .call("cl_load", &json!({"name": "kept"}))
            .value;
        self.checks.that(
            format!("{when}: the saved context is there"),
            kept["context"]["name"] == "kept",
            &kept,
        );
        for (pointers, builds) in pointers_and_builds(&self.home) {
            self.checks.that(
                format!("{when}: builds do not pile up"),
                builds <= pointers + 6,
                (builds, pointers),
            );
        }
    }

    /// Checks that one refresh leaves one build of the commit that is checked out.
    fn end(&self) {
        self.product().is_ready(&self.checks, "at last", &json!({}));
        let current = self.product().call("cl_current", &json!({})).value;
        let builds = builds(&self.home, text(&current, "indexId"));
        let what = "one build is left of the commit";
        self.checks.that(what, builds.len() == 1, builds);
        let state = self.world.state();
        outline("known/d0").check(&self.checks, "at last", &self.product(), &state);
        self.checks
            .that("something was killed", self.n_killed > 0, self.n_killed);
        eprintln!("{} killed", self.n_killed);
        self.checks.end();
    }
}

#[test]
#[ignore = "slow"]
fn the_call_after_a_kill_is_right() {
    let mut kills = Kills::new();
    let n_each = setting("STEPS", 1);
    let has_strace = std::process::Command::new("strace")
        .arg("--version")
        .output()
        .is_ok();
    if has_strace && n_each > 0 {
        for scene in SCENES {
            kills.at_writes(scene, n_each);
        }
    } else {
        eprintln!("without strace: random moments only");
    }
    for n in 0..setting("KILLS", 12) {
        kills.at_random(SCENES[n % SCENES.len()]);
    }
    kills.end();
}

//! Many processes on one repository that changes under them: every answer is checked against the files on the disk.
//!
//! Servers and single commands ask, others refresh and rebuild without end, while one actor edits, commits, amends,
//! resets and switches branches; a linked work tree has servers and an actor of its own. First one server works
//! alone, then all; both rates are printed, and nothing timed is checked.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::checks::{Checks, setting};
use crate::judge::Judge;
use crate::known_repo::World;
use crate::product::{Client, Product, Server, pointers_and_builds};
use crate::questions::{any_question, every_question};
use crate::support::Dice;

const ROLES: [&str; 8] = [
    "server",
    "tree server",
    "server 2",
    "command",
    "refresh",
    "refresh --force",
    "tree server 2",
    "watcher",
];

/// The processes, the actors and the judge of their answers.
struct Scene<'a> {
    world: &'a World,
    tree: &'a World,
    home: PathBuf,
    n_files: usize,
    checks: &'a Checks,
    judge: Judge<'a>,
    stop: AtomicBool,
}

impl<'a> Scene<'a> {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn product(&self, world: &World) -> Product {
        Product::new(&world.path, &self.home)
    }

    fn server(&self, world: &World) -> Server {
        self.product(world).serve(&self.home.with_extension("log"))
    }

    /// Plays a role until all stop; returns the times that its questions took.
    fn play(&self, role: usize, who: &str, seed: usize) -> Vec<Duration> {
        let dice = Dice::new(seed as u64);
        match role % ROLES.len() {
            0 | 2 => self.asks(who, &self.server(self.world), self.world, dice),
            1 | 6 => self.asks(who, &self.server(self.tree), self.tree, dice),
            3 => self.asks(who, &self.product(self.world), self.world, dice),
            4 => self.refreshes(who, false),
            5 => self.refreshes(who, true),
            _ => self.watches(who),
        }
    }

    fn asks(
        &self,
        who: &str,
        client: &dyn Client,
        world: &'a World,
        mut dice: Dice,
    ) -> Vec<Duration> {
        let mut times = Vec::new();
        while self.goes_on() {
            let question = any_question(world, &mut dice);
            let reply = question.ask(client);
            times.push(reply.ended - reply.begun);
            self.judge.answer(who, world, &question, &reply);
        }
        times
    }

    fn refreshes(&self, who: &str, is_forced: bool) -> Vec<Duration> {
        let product = self.product(self.world);
        while self.goes_on() {
            let reply = product.call("cl_refresh", &json!({"force": is_forced}));
            let what = format!("{who} is no error");
            if self.checks.that(what, !reply.is_error(), &reply.value) {
                self.judge.current(who, self.world, &reply);
            }
            sleep(Duration::from_millis(200));
        }
        Vec::new()
    }

    /// Asks about the index itself.
    fn watches(&self, who: &str) -> Vec<Duration> {
        let server = self.server(self.world);
        while self.goes_on() {
            for tool in ["cl_stats", "cl_doctor"] {
                let reply = server.call(tool, &json!({}));
                let is_whole = tool == "cl_stats" || reply.value["integrityOk"] == true;
                let is_good = !reply.is_error() && is_whole;
                let what = format!("{who}: {tool} is no error and all is whole");
                self.checks.that(what, is_good, &reply.value);
            }
            sleep(Duration::from_millis(500));
        }
        Vec::new()
    }

    /// Changes a work tree until all stop.
    fn acts(&self, world: &World, branches: &[&str], seed: usize) {
        let mut dice = Dice::new(seed as u64);
        let pace = setting("PACE_MS", 1000);
        while self.goes_on() {
            match dice.below(25) {
                0..10 => world.edit(),
                10 | 11 => world.add(self.n_files),
                12 | 13 => world.delete(),
                14 | 15 => world.rename(),
                16..19 => world.commit(false),
                19 => world.commit(true),
                20..24 => world.switch(branches[dice.below(branches.len())]),
                _ => world.back(),
            }
            if dice.chance(10) {
                world.check();
            }
            let pause = pace * dice.pick(&[0, 5, 30, 100]) / 100;
            sleep(Duration::from_millis(pause as u64));
        }
    }

    /// Does something that stops all others where it breaks off.
    fn guard<T: Default>(&self, who: &str, act: impl FnOnce() -> T) -> T {
        self.checks.part(who, act).unwrap_or_else(|| {
            self.stop.store(true, Ordering::Relaxed);
            T::default()
        })
    }

    /// Lets so many processes work beside the actors.
    fn phase(&self, time: Duration, n_processes: usize) {
        self.stop.store(false, Ordering::Relaxed);
        let n_steps = || self.world.eras().len() + self.tree.eras().len();
        let seed = |n: usize| (self.checks.seed * 1000 + n_processes) * 100 + n;
        let (begun, steps_before) = (Instant::now(), n_steps());
        std::thread::scope(|scope| {
            let roles: Vec<_> = (0..n_processes)
                .map(|n| {
                    let who = format!("{} of {n_processes} ({n})", ROLES[n % ROLES.len()]);
                    scope.spawn(move || (self.guard(&who, || self.play(n, &who, seed(n))), who))
                })
                .collect();
            let acts = |who, world, branches: &'static [&str], seed| {
                scope.spawn(move || self.guard(who, || self.acts(world, branches, seed)))
            };
            acts("actor", self.world, &["main", "side1", "side2"], seed(98));
            if n_processes > 1 {
                acts("tree actor", self.tree, &["tree-linked"], seed(99));
            }
            while self.goes_on() && begun.elapsed() < time {
                sleep(Duration::from_millis(50));
            }
            self.stop.store(true, Ordering::Relaxed);
            let (took, n_steps) = (begun.elapsed(), n_steps() - steps_before);
            let mut n_answers = 0;
            for role in roles {
                let (mut times, who) = role.join().unwrap();
                times.sort();
                n_answers += times.len();
                if let Some(longest) = times.last() {
                    let (n, median) = (times.len(), times[times.len() / 2]);
                    eprintln!("  {who}: {n} calls, median {median:.0?}, longest {longest:.0?}");
                }
            }
            eprintln!(
                "{n_processes} processes: {n_answers} answers and {n_steps} steps in {took:.1?}"
            );
        });
    }

    /// When all is quiet, everything is fresh and right, and nothing is left over.
    fn settles(&self, n_processes: usize) {
        for world in [self.world, self.tree] {
            world.check();
            let server = self.server(world);
            for question in every_question(&world.state(), 20, &mut Dice::new(1)) {
                let mut reply = question.ask(&server);
                for _ in 0..5 {
                    if reply.freshness() != "fresh" {
                        sleep(Duration::from_millis(500));
                        reply = question.ask(&server);
                    }
                }
                let is_fresh = reply.freshness() == "fresh";
                self.checks.that(
                    format!("when all is quiet, {question} is fresh"),
                    is_fresh,
                    &reply.value,
                );
                self.judge.answer("last", world, &question, &reply);
            }
            self.product(world)
                .is_ready(self.checks, "at last", &json!({}));
        }
        let (pointers, builds) = pointers_and_builds(&self.home)[0];
        // A server keeps the last four indexes open. A build that was replaced or pruned meanwhile stays as long as it is open, and is
        // swept by the housekeeping that finds it closed and ten minutes old: there may be no more than can have been open.
        self.checks.that(
            "builds do not pile up",
            builds <= pointers + 4 * n_processes,
            (builds, pointers),
        );
    }
}

#[test]
#[ignore = "slow"]
fn answers_of_many_processes_are_right() {
    let checks = Checks::new("processes", 1);
    let n_files = setting("FILES", 100);
    let world = World::new(checks.seed, n_files, 3, 60);
    let tree = world.add_worktree("linked", checks.seed + 1);
    let home = world.root().join("data");
    let judge = Judge::new(&checks);
    let scene = Scene {
        world: &world,
        tree: &tree,
        home,
        n_files,
        checks: &checks,
        judge,
        stop: AtomicBool::default(),
    };
    scene.product(&world).call("cl_refresh", &json!({}));
    let time = Duration::from_secs(setting("SECONDS", 12) as u64);
    let n_processes = setting("PROCESSES", 8);
    scene.phase(time / 4, 1);
    scene.phase(time, n_processes);
    scene.settles(n_processes);
    scene.judge.end();
    checks.end();
}

//! Four servers ask eight refs while branches are switched, committed, amended and pruned: no wrong answer, no error.
//!
//! Each commit has a function of its own name in one file. Every answer about a ref names its commit: it has to be one that
//! the ref led to while the call ran, and to list the functions that git has there. Then values that no client should send as
//! a ref, a base, a head or `with` are sent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use regex::Regex;
use serde_json::{Value, json};

use crate::checks::{Checks, setting};
use crate::product::{Client, Product, Reply, Server};
use crate::questions::text;
use crate::support::{Dice, Repo};

const BRANCHES: [&str; 5] = ["main", "one", "two", "three", "four"];
const REFS: [&str; 8] = [
    "main", "one", "two", "three", "four", "v1", "HEAD", "HEAD~1",
];
const N_FILES: usize = 40;
const REFUSED: [&str; 5] = [
    "invalid_argument",
    "path_not_found",
    "bad_cursor",
    "outside_repo",
    "protocol",
];
/// A step takes effect before it is noted, at most by this.
const NOTED_WITHIN: Duration = Duration::from_secs(5);

/// Names of functions.
type Names = BTreeSet<String>;

/// The repository, the commits of each ref over time, and the answers.
struct Scene<'a> {
    checks: &'a Checks,
    repo: Repo,
    home: PathBuf,
    stop: AtomicBool,
    n_commits: AtomicUsize,
    /// Answers about a ref, each with its tool and its ref, judged when all steps are noted.
    of_refs: Mutex<Vec<(&'static str, &'static str, Reply)>>,
    /// Answers about two refs.
    of_changes: Mutex<Vec<Reply>>,
    /// For each ref its commits, each with the time from which it led there.
    led: Mutex<BTreeMap<&'static str, Vec<(Instant, String)>>>,
    /// The functions of each commit.
    functions: Mutex<BTreeMap<String, Names>>,
}

impl<'a> Scene<'a> {
    fn new(checks: &'a Checks) -> Self {
        let repo = Repo::new(Vec::new());
        let scene = Self {
            checks,
            home: repo.dir.path().join("data"),
            repo,
            stop: AtomicBool::default(),
            n_commits: AtomicUsize::default(),
            of_refs: Mutex::default(),
            of_changes: Mutex::default(),
            led: Mutex::default(),
            functions: Mutex::default(),
        };
        scene
            .repo
            .write("own.ts", "export function own() { return 1 }\n");
        for n in 0..N_FILES {
            let text = format!(
                "import {{ own }} from './own'\nexport function fixed{n}() {{ return own() }}\n"
            );
            scene.repo.write(&format!("file{n}.ts"), text);
        }
        scene.commit(&[]);
        // `HEAD~1` is there whatever a branch is set back to.
        scene.commit(&[]);
        scene.repo.git(&["tag", "v1"]);
        for branch in &BRANCHES[1..] {
            scene.repo.git(&["branch", branch]);
        }
        scene.commit(&[]);
        scene.note();
        scene
    }

    fn server(&self) -> Server {
        Product::new(&self.repo.path(), &self.home)
            .patient()
            .serve(&self.home.with_extension("log"))
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn commit(&self, more: &[&str]) {
        let n = self.n_commits.fetch_add(1, Ordering::Relaxed);
        let text = self.repo.read("own.ts");
        self.repo.write(
            "own.ts",
            format!("{text}export function made{n}() {{ return {n} }}\n"),
        );
        self.repo.git(&["add", "-A"]);
        self.repo
            .git(&[&["commit", "-q", "-m", &format!("commit {n}")], more].concat());
    }

    /// Notes where each ref leads now.
    fn note(&self) {
        let now = Instant::now();
        let function = Regex::new(r"function (\w+)").unwrap();
        for name in REFS {
            let commit = self.repo.git(&["rev-parse", &format!("{name}^{{commit}}")]);
            let mut led = self.led.lock().unwrap();
            let led = led.entry(name).or_default();
            if led.last().is_none_or(|(_, last)| *last != commit) {
                led.push((now, commit.clone()));
            }
            let mut functions = self.functions.lock().unwrap();
            functions.entry(commit).or_insert_with_key(|commit| {
                let text = self.repo.git(&["show", &format!("{commit}:own.ts")]);
                function
                    .captures_iter(&text)
                    .map(|found| found[1].to_owned())
                    .collect()
            });
        }
    }

    /// Asks until all stop.
    fn asks(&self, seed: usize) {
        let mut dice = Dice::new(seed as u64);
        let server = self.server();
        while self.goes_on() {
            let name = *dice.pick(&REFS);
            let (tool, arguments) = match dice.below(4) {
                0 => (
                    "cl_map",
                    json!({"ref": name, "path": "own.ts", "all": true}),
                ),
                1 => (
                    "cl_search",
                    json!({"ref": name, "query": "own", "path": "own.ts", "limit": 50}),
                ),
                2 => ("cl_impact", json!({"ref": name, "symbol": "own"})),
                _ => {
                    let base = *dice.pick(&REFS);
                    (
                        "cl_changes",
                        json!({"base": base, "head": name, "include": ["body"], "budget": 20_000, "limit": 500}),
                    )
                }
            };
            let reply = server.call(tool, &arguments);
            if self.checks.that(
                format!("{tool} {arguments} is no error"),
                !reply.is_error(),
                &reply.value,
            ) {
                match tool {
                    "cl_changes" => self.of_changes.lock().unwrap().push(reply),
                    _ => self.of_refs.lock().unwrap().push((tool, name, reply)),
                }
            }
        }
    }

    /// Switches, commits, amends, resets and prunes until all stop.
    fn acts(&self) {
        let mut dice = Dice::new(self.checks.seed as u64);
        let product = Product::new(&self.repo.path(), &self.home);
        while self.goes_on() {
            match dice.below(10) {
                0..4 => drop(self.repo.git(&["switch", "-q", *dice.pick(&BRANCHES)])),
                4..7 => self.commit(&[]),
                7 => self.commit(&["--amend"]),
                8 => {
                    let current = self.repo.git(&["branch", "--show-current"]);
                    let others = BRANCHES.iter().filter(|it| **it != current);
                    self.repo
                        .git(&["branch", "-f", dice.sample(others, 1)[0], "v1"]);
                }
                _ => {
                    let ran = product.run(&["prune", "--json"]);
                    self.checks.that("prune is no error", ran.code == 0, ran);
                }
            }
            self.note();
            sleep(Duration::from_millis(*dice.pick(&[0, 100, 400])));
        }
    }

    fn run(&self, time: Duration) {
        std::thread::scope(|scope| {
            for n in 0..4 {
                scope.spawn(move || {
                    self.checks.part(&format!("server {n}"), || {
                        self.asks(self.checks.seed * 10 + n);
                    })
                });
            }
            scope.spawn(|| self.checks.part("actor", || self.acts()));
            sleep(time);
            self.stop.store(true, Ordering::Relaxed);
        });
        self.judge_refs();
        self.judge_changes();
    }

    /// Whether a ref may have led to a commit while an answer about it was made.
    fn led_to(&self, name: &str, commit: &str, reply: &Reply) -> bool {
        let led = &self.led.lock().unwrap()[name];
        led.iter().enumerate().any(|(at, (since, to))| {
            let until = led.get(at + 1).map(|next| next.0);
            to == commit
                && *since <= reply.ended + NOTED_WITHIN
                && until.is_none_or(|until| until >= reply.begun)
        })
    }

    fn judge_refs(&self) {
        let functions = self.functions.lock().unwrap();
        for (tool, name, reply) in &*self.of_refs.lock().unwrap() {
            let value = &reply.value;
            let commit = text(value, "headSha");
            let is_there = self.led_to(name, commit, reply);
            self.checks.that(
                format!("{tool} says a commit that {name} led to"),
                is_there,
                value,
            );
            if let ("cl_map", Some(known)) = (*tool, functions.get(commit)) {
                let symbols = value["files"][0]["symbols"].as_array().unwrap();
                let found: Names = symbols
                    .iter()
                    .map(|symbol| text(symbol, "name").to_owned())
                    .collect();
                let what = format!("the functions of {commit}");
                self.checks.that(what, found == *known, (&found, known));
            }
        }
    }

    fn judge_changes(&self) {
        let functions = self.functions.lock().unwrap();
        for Reply { value, .. } in &*self.of_changes.lock().unwrap() {
            let (old, new) = (text(&value["base"], "sha"), text(&value["head"], "sha"));
            if let (Some(before), Some(after)) = (functions.get(old), functions.get(new)) {
                let rows = value["changes"].as_array().unwrap();
                let names = |kind: &str, of: &dyn Fn(&Value) -> String| -> Names {
                    rows.iter()
                        .filter(|row| row["change"] == *kind)
                        .map(of)
                        .collect()
                };
                let symbol = |row: &Value| text(row, "symbol").to_owned();
                let former = |row: &Value| text(&row["from"], "symbol").to_owned();
                let added = &names("added", &symbol) | &names("renamed", &symbol);
                let removed = &names("removed", &symbol) | &names("renamed", &former);
                let what = format!("changes of {old}..{new}");
                let is_right = added == after - before && removed == before - after;
                self.checks.that(what, is_right, value);
            }
        }
    }

    /// Sends values that no client should send: each is refused by a code or harmless, and the server goes on.
    fn refuses(&self) {
        let server = self.server();
        let short = |value: &Value| value.to_string().chars().take(40).collect::<String>();
        let odd = json!([
            1,
            true,
            [],
            {},
            ["main"],
            "",
            " ",
            "-x",
            "--output=/etc/passwd",
            "main..one",
            "main...one",
            "^main",
            "nope",
            "HEAD~99999",
            "a".repeat(100_000),
            "main\0",
            "main\n",
            ":/text",
            "HEAD:own.ts",
            "@{-1}x",
            "\u{1f600}",
            "../../etc",
            "0".repeat(40),
            "v1^{tree}"
        ]);
        let odder =
            json!([-1, 1.5, 1e30, [""], ["nope"], [1], vec!["worktrees"; 1000], [{"a": 1}]]);
        let (odd, odder) = (odd.as_array().unwrap(), odder.as_array().unwrap());
        for field in [
            "base", "head", "with", "path", "include", "cursor", "budget", "limit",
        ] {
            for value in odd.iter().chain(odder) {
                let reply = server.call("cl_changes", &json!({field: value}));
                let is_known = !reply.is_error() || REFUSED.contains(&reply.code());
                self.checks.that(
                    format!("cl_changes {field}={} is refused by a code", short(value)),
                    is_known,
                    &reply.value,
                );
            }
        }
        for (tool, arguments) in [
            ("cl_search", json!({"query": "own"})),
            ("cl_map", json!({})),
            ("cl_impact", json!({"symbol": "own"})),
            ("cl_related", json!({"path": "own.ts"})),
            ("cl_explore", json!({"query": "own"})),
            ("cl_current", json!({})),
            ("cl_refresh", json!({})),
            ("cl_expand", json!({"path": "own.ts"})),
        ] {
            for value in odd {
                let mut arguments = arguments.clone();
                arguments["ref"] = value.clone();
                let reply = server.call(tool, &arguments);
                let is_refused = REFUSED.contains(&reply.code());
                self.checks.that(
                    format!("{tool} ref={} is refused by a code", short(value)),
                    is_refused,
                    &reply.value,
                );
            }
        }
        let reply = server.call("cl_map", &json!({"ref": "main"}));
        self.checks
            .that("the server goes on", !reply.is_error(), &reply.value);
    }
}

#[test]
#[ignore = "slow"]
fn answers_about_refs_are_of_commits_they_led_to() {
    let checks = Checks::new("refs", 1);
    let scene = Scene::new(&checks);
    checks.part("eight refs", || {
        scene.run(Duration::from_secs(setting("SECONDS", 8) as u64));
    });
    let n_answers = (
        scene.of_refs.lock().unwrap().len(),
        scene.of_changes.lock().unwrap().len(),
    );
    eprintln!("{n_answers:?} answers over {:?} commits", scene.n_commits);
    checks.part("odd input", || scene.refuses());
    checks.end();
}

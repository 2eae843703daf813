//! The laws of the design, each by its name.

mod agreement;
mod ambient;
mod barrels;
mod bridges;
mod caches;
mod commits;
mod git_steps;
mod histories;
mod meaning;
mod memory;
#[cfg(target_os = "linux")]
mod no_clock;
#[cfg(target_os = "linux")]
mod no_network;
mod one_model;
mod proofs;
mod replay;
mod steps;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use codelens::config::{Config, ModelSettings};
use codelens::tools::{self, Call};
use codelens::workspace::{IndexStatus, Patience, Question, Workspace, Workspaces};

use serde_json::{Value, json};

use crate::support::{Cli, Dice, Fixture, Repo, number, on_each_core};

/// A data directory of its own, with the work trees that are open in it.
pub(crate) struct Bench {
    _dir: tempfile::TempDir,
    spaces: Workspaces,
}

impl Bench {
    pub(crate) fn new(budget_ms: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = Config {
            budget_ms,
            first_build_ms: budget_ms,
            ..Config::at(dir.path().join("home"))
        };
        Self {
            _dir: dir,
            // Of the file systems where that is done only ext2 to ext4 with small inodes (whole seconds) have a coarser clock.
            spaces: Workspaces::new(config).remembering_directories(Duration::from_millis(20)),
        }
    }

    /// Returns a bench whose work trees are those of a server: watched, and brought up in the background.
    pub(crate) fn serving() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = Config {
            budget_ms: 60_000,
            first_build_ms: 60_000,
            watch_debounce_ms: 1,
            ..Config::at(dir.path().join("home"))
        };
        Self {
            _dir: dir,
            spaces: Workspaces::new(config).for_server(),
        }
    }

    /// Returns a bench with these models.
    pub(crate) fn with_models(models: ModelSettings) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = Config {
            budget_ms: 60_000,
            first_build_ms: 60_000,
            watch_debounce_ms: 1,
            models,
            ..Config::at(dir.path().join("home"))
        };
        Self {
            _dir: dir,
            spaces: Workspaces::new(config),
        }
    }

    /// Returns a server over the same data directory.
    pub(crate) fn server(&self) -> Workspaces {
        self.beside().for_server()
    }

    /// Returns a bench over the same data directory that looks at every file in each call.
    pub(crate) fn beside(&self) -> Workspaces {
        Workspaces::new(self.spaces.config().clone())
    }

    pub(crate) fn at(&self, place: &Path) -> Arc<Workspace> {
        self.spaces.open(None, &[place.to_owned()]).unwrap()
    }

    /// Brings the index fully up and returns how many files were read, with every row.
    pub(crate) fn refreshed(&self, place: &Path) -> (u64, String) {
        let workspace = self.at(place);
        let done = workspace
            .refresh(None, false, &Arc::default(), &|_, _| ())
            .unwrap();
        assert_eq!(done.status, IndexStatus::Ready);
        (done.n_indexed, self.dump(place))
    }

    /// Brings the index of a commit fully up and returns how many files were read, with every row.
    pub(crate) fn refreshed_at(&self, place: &Path, commit: &str) -> (u64, String) {
        let workspace = self.at(place);
        let revision = workspace.revision(commit).unwrap().unwrap();
        let done = workspace
            .refresh(Some(&revision), false, &Arc::default(), &|_, _| ())
            .unwrap();
        assert_eq!(done.status, IndexStatus::Ready);
        (done.n_indexed, self.dump_at(place, commit))
    }

    /// Returns every row of a commit as a query sees it.
    pub(crate) fn dump_at(&self, place: &Path, commit: &str) -> String {
        let workspace = self.at(place);
        let revision = workspace.revision(commit).unwrap().unwrap();
        let interrupt = Arc::default();
        let question = Question {
            revision: Some(&revision),
            ..Question::from(&interrupt)
        };
        let dumped = workspace.query(question, |view| {
            assert_eq!(view.freshness.as_str(), "fresh");
            Ok(view.read.dump()?)
        });
        dumped.unwrap()
    }

    /// Returns the answers of the query tools to some questions, without the fields that tell how a row came.
    pub(crate) fn answers(&self, place: &Path) -> Vec<String> {
        let questions = [
            ("cl_search", json!({"query": "work1 f1", "limit": 20})),
            ("cl_search", json!({"query": "does two", "related": true})),
            ("cl_map", json!({"all": true})),
            ("cl_related", json!({"path": "src/f1.ts", "limit": 50})),
            ("cl_impact", json!({"path": "lib/f2.ts", "depth": 3})),
            ("cl_impact", json!({"path": "lib/f2.py", "depth": 3})),
            ("cl_related", json!({"path": "src/f1.py", "limit": 50})),
            ("cl_impact", json!({"symbol": "work7"})),
        ];
        let ask = |(name, input): (&str, Value)| match asked(&self.spaces, place, name, input) {
            Ok(mut answer) => {
                let fields = answer.as_object_mut().unwrap();
                for volatile in ["generation", "nextCursor"] {
                    fields.remove(volatile);
                }
                format!("{name}: {answer}")
            }
            Err(error) => format!("{name}: {error}"),
        };
        questions.map(ask).to_vec()
    }

    /// Returns every row as a query sees it.
    pub(crate) fn dump(&self, place: &Path) -> String {
        self.at(place)
            .query(&Arc::default(), |view| Ok(view.read.dump()?))
            .unwrap()
    }
}

/// Returns the answer of a tool about a work tree.
pub(crate) fn asked(
    spaces: &Workspaces,
    place: &Path,
    name: &str,
    input: Value,
) -> codelens::error::Result<Value> {
    let call = Call {
        workspaces: spaces,
        places: &[place.to_owned()],
        cwd: None,
        interrupt: Arc::default(),
        progress: &|_| (),
        patience: Patience::Configured,
        author: codelens::workspace::Author::default(),
        revision: None,
    };
    (tools::by_name(name).unwrap().call)(input, &call)
}

/// Random walks over small repositories: after each step the index that was brought up equals one that is built from nothing.
pub(crate) struct Walks {
    pub(crate) n_repositories: usize,
    pub(crate) n_steps: usize,
    /// The most changes between two questions.
    pub(crate) n_at_once: usize,
    pub(crate) first_seed: u64,
}

impl Walks {
    /// Walks over each repository: `make` fills it, and each `step` changes it and tells what it did.
    /// Returns how many rows of all its indexes `is_counted`.
    /// Fails where an index that was brought up differs from a rebuilt one.
    pub(crate) fn rebuilt_equally(
        &self,
        make: impl Fn(&Repo, &mut Dice),
        step: impl Fn(&Repo, &mut Dice) -> String,
        is_counted: impl Fn(&str) -> bool,
    ) -> usize {
        let mut n_counted = 0;
        for seed in 0..self.n_repositories {
            let mut dice = Dice::new(seed as u64 + self.first_seed);
            let package = "//- /package.json\n{\"name\":\"walks\"}\n//- commit base\n";
            let repo = Fixture::parse(package).build();
            make(&repo, &mut dice);
            let bench = Bench::new(60_000);
            bench.refreshed(&repo.path());
            for n in 0..self.n_steps {
                let changes = 0..=dice.below(self.n_at_once);
                let done: Vec<String> = changes.map(|_| step(&repo, &mut dice)).collect();
                let (_, dump) = bench.refreshed(&repo.path());
                let when = format!("seed {seed}, step {n}, after {}", done.join(", "));
                assert_same(&dump, &rebuilt(&repo.path()), &when);
                n_counted += dump.lines().filter(|line| is_counted(line)).count();
            }
        }
        n_counted
    }
}

/// Returns every row of an index that was built from nothing.
pub(crate) fn rebuilt(place: &Path) -> String {
    Bench::new(60_000).refreshed(place).1
}

/// Fails with the first lines that differ.
pub(crate) fn assert_same(found: &str, wanted: &str, when: &str) {
    if found == wanted {
        return;
    }
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (found, wanted) = (lines(found), lines(wanted));
    let only = |a: &[String], b: &[String]| {
        let known: std::collections::HashSet<&String> = b.iter().collect();
        let left: Vec<&String> = a
            .iter()
            .filter(|line| !known.contains(line))
            .take(8)
            .collect();
        left.into_iter().cloned().collect::<Vec<_>>().join("\n  ")
    };
    panic!(
        "{when}: the index differs from one built from nothing\n only reconciled:\n  {}\n only rebuilt:\n  {}",
        only(&found, &wanted),
        only(&wanted, &found)
    );
}

#[test]
fn rebuild_equals_reconcile_on_every_step_of_the_fixtures() {
    for name in ["shop", "ledger", "kiosk", "attic"] {
        let fixture = Fixture::load(name);
        let bench = Bench::new(60_000);
        let mut repo = fixture.begin();
        let mut at = 0;
        while repo.play(1) > 0 {
            at += 1;
            let (_, dump) = bench.refreshed(&repo.path());
            assert_same(&dump, &rebuilt(&repo.path()), &format!("{name}, step {at}"));
        }
    }
}

#[test]
fn budget_converges_and_says_what_is_pending_until_then() {
    let repo = Fixture::load("shop").build();
    let bench = Bench::new(0);
    let workspace = bench.at(&repo.path());
    let ask = || {
        workspace
            .query(&Arc::default(), |view| {
                Ok((view.freshness.as_str(), view.freshness.pending.len()))
            })
            .unwrap()
    };
    let (first, _) = ask();
    assert_ne!(first, "fresh", "nothing can be proved without time");
    let patient = Bench::new(60_000);
    let (n, wanted) = patient.refreshed(&repo.path());
    assert!(n > 0);
    workspace
        .refresh(None, false, &Arc::default(), &|_, _| ())
        .unwrap();
    let found = workspace
        .query(&Arc::default(), |view| Ok(view.read.dump()?))
        .unwrap();
    assert_same(&found, &wanted, "after a query without time and a refresh");
}

#[test]
fn no_ghosts() {
    let repo = Fixture::parse(
        "//- /src/keep.ts\nexport function keeper() {}\n//- /src/gone.ts\nexport function poltergeist() {}\n//- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    let hits = |word: &str| {
        let answer = cli.json(&["search", word]);
        assert_eq!(answer["freshness"], "fresh");
        let paths: Vec<String> = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().to_owned())
            .collect();
        paths
    };
    assert_eq!(hits("poltergeist"), ["src/gone.ts"]);
    std::fs::rename(
        repo.path().join("src/gone.ts"),
        repo.path().join("src/moved.ts"),
    )
    .unwrap();
    assert_eq!(hits("poltergeist"), ["src/moved.ts"]);
    std::fs::remove_file(repo.path().join("src/moved.ts")).unwrap();
    assert!(hits("poltergeist").is_empty());
    let error = cli.fails(&["map", "src/moved.ts"], 1);
    assert!(error.contains("no file or directory"), "{error}");
}

#[test]
fn an_edit_that_keeps_size_and_mtime_is_seen() {
    let repo = Fixture::parse("//- /a.ts\nexport const before = 1;\n//- commit base\n").build();
    let cli = Cli::new(repo.path());
    assert_eq!(
        cli.json(&["map", "a.ts"])["files"][0]["symbols"][0]["name"],
        "before"
    );
    let path = repo.path().join("a.ts");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::fs::write(&path, "export const behind = 1;\n").unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
    let answer = cli.json(&["map", "a.ts"]);
    assert_eq!(answer["files"][0]["symbols"][0]["name"], "behind");
    assert_eq!(answer["freshness"], "fresh");
}

#[test]
fn reading_never_writes_source() {
    let repo = Fixture::load("shop").build();
    let before = listing(&repo.path());
    let cli = Cli::new(repo.path().join("packages"));
    for args in [
        &["current"][..],
        &["refresh"],
        &["search", "price"],
        &["map"],
        &["expand", "package.json"],
        &["explore", "price"],
        &["related", "packages/catalog/src/money.ts"],
        &["impact", "addMoney"],
        &["impact", "--changes"],
        &["stats"],
        &["doctor"],
        &["refresh", "--force"],
    ] {
        cli.json(args);
    }
    assert_eq!(listing(&repo.path()), before);
}

#[test]
fn order_is_total() {
    let repo = Fixture::load("shop").build();
    let answers = |cli: &Cli| {
        [
            &["search", "price", "-n", "50"][..],
            &["search", "cart total discount", "-n", "50"],
            &["search", "stock", "-n", "50"],
            &["search", "export function", "-n", "50", "--related"],
            &["explore", "price", "--related-depth", "3"],
            &[
                "explore",
                "export function",
                "-n",
                "50",
                "--max-files",
                "20",
            ],
            &["related", "packages/catalog/src/money.ts", "--depth", "5"],
            &["related", "packages/catalog/src/index.ts", "--depth", "3"],
            &["impact", "addMoney", "--depth", "5"],
            &["impact", "--path", "packages/catalog/src/product-store.ts"],
            &["impact", "--changes"],
        ]
        .map(|args| {
            let mut answer = cli.json(args);
            let object = answer.as_object_mut().unwrap();
            assert_eq!(object["freshness"], "fresh");
            object.remove("generation");
            object.remove("nextCursor");
            answer.to_string()
        })
    };
    let one = Cli::new(repo.path());
    let first = answers(&one);
    assert_eq!(answers(&one), first);
    // Rows that were written in another order: from an older commit on, and by an edit there and back.
    let other = Cli::new(repo.path());
    let text = repo.read("package.json");
    repo.write("package.json", "{}");
    other.json(&["refresh"]);
    repo.write("package.json", text);
    assert_eq!(answers(&other), first);
}

/// Every file with its size and times, `.git` included.
fn listing(root: &Path) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                left.push(entry.path());
            }
            found.insert(entry.path(), (meta.len(), meta.modified().unwrap()));
        }
    }
    found
}

#[test]
fn rebuild_equals_reconcile_when_a_file_comes_that_an_import_waited_for() {
    let repo = Fixture::parse(
        "//- /main.ts\nimport './src/a#b'\nimport './lib'\nimport '@app/late'\nimport 'react'\n\
         //- /lib/package.json\n{\"main\":\"../dist/x.js\"}\n\
         //- /tsconfig.json\n{\"compilerOptions\":{\"paths\":{\"@app/*\":[\"./app/*\"]}}}\n//- commit base\n",
    )
    .build();
    let bench = Bench::new(60_000);
    bench.refreshed(&repo.path());
    for path in ["src/a#b.ts", "dist/x.js", "app/late.ts"] {
        repo.write(path, "export {}\n");
        let carried = bench.dump(&repo.path());
        assert_same(&carried, &rebuilt(&repo.path()), path);
        assert!(
            carried.contains(&format!("\t1\t\"{path}\"")),
            "{path} is not linked:\n{carried}"
        );
    }
    std::fs::remove_file(repo.path().join("app/late.ts")).unwrap();
    assert_same(&bench.dump(&repo.path()), &rebuilt(&repo.path()), "removed");
}

#[test]
fn budget_converges_when_attributes_come_and_go_under_it() {
    let repo = Fixture::load("shop").build();
    let bench = Bench::new(60_000);
    bench.refreshed(&repo.path());
    let hasty = bench.at(&repo.path());
    repo.write(".gitattributes", "*.ts linguist-generated\n");
    // Stopped at once: what it did and did not do must not look like either state.
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(true));
    drop(hasty.refresh(None, false, &stop, &|_, _| ()));
    repo.write(".gitattributes", "");
    let (_, carried) = bench.refreshed(&repo.path());
    assert_same(&carried, &rebuilt(&repo.path()), "attributes taken back");
}

#[test]
fn a_comment_at_the_top_of_a_long_file_costs_nothing() {
    let repo = Fixture::parse("//- /a.ts\nexport {}\n//- commit base\n").build();
    let functions: String = (0..30_000).fold(String::from("// licence\n"), |text, n| {
        text + &format!("function f{n}() {{}}\n")
    });
    repo.write("a.ts", functions);
    // With a search to the top for each definition this takes minutes, and the runner ends it.
    let (n, dump) = Bench::new(60_000).refreshed(&repo.path());
    assert_eq!(n, 1);
    assert_eq!(
        dump.lines()
            .filter(|line| line.starts_with("symbol"))
            .count(),
        30_000
    );
}

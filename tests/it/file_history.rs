//! Commits, co-change and owners of files, against `git log`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Cli, Dice, Fixture, Repo};

/// Authors as commits name them, with their addresses; the mailmap makes four people of them.
const AUTHORS: [(&str, &str); 6] = [
    ("Ann Lee", "ann@x.org"),
    ("ann", "ann@old.net"),
    ("bob", "bob@x.org"),
    ("Bob B.", "bob@home.org"),
    ("Cleo", "cleo@x.org"),
    ("@dora", "dora@x.org"),
];

const MAILMAP: &str = "# people\nAnn Lee <ann@x.org> <ann@old.net>\nBob Brown <bob@x.org>\n\
    Bob Brown <bob@x.org> Bob B. <bob@home.org>\n";

/// A repository of `n_steps` commits: edits of one to five files, moves with and without edits, a commit of forty files, branches and merges.
fn generated(n_steps: usize, seed: u64) -> Repo {
    let repo = Repo::new(Vec::new());
    let mut numbers = Dice::new(seed);
    repo.write(".mailmap", MAILMAP);
    let mut files: Vec<String> = (0..40).map(|n| format!("src/d{}/f{n}.ts", n % 4)).collect();
    let mut n_lines = 0;
    let mut lines = |n: usize| {
        let mut text = String::new();
        for _ in 0..n {
            n_lines += 1;
            let _ = writeln!(text, "export const name{n_lines} = {};", n_lines * 7919);
        }
        text
    };
    for file in &files {
        repo.write(file, lines(12));
    }
    let commit = |numbers: &mut Dice, subject: &str| {
        let (name, address) = AUTHORS[numbers.below(AUTHORS.len())];
        repo.git(&["add", "--all"]);
        repo.git(&[
            "commit",
            "--quiet",
            "--message",
            subject,
            "--author",
            &format!("{name} <{address}>"),
        ]);
    };
    commit(&mut numbers, "first");
    for step in 0..n_steps {
        match numbers.below(12) {
            0 | 1 => {
                let at = numbers.below(files.len());
                let to = format!("lib/e{}/g{step}.ts", step % 3);
                let text = repo.read(&files[at]);
                std::fs::remove_file(repo.path().join(&files[at])).unwrap();
                let more = if step % 2 == 0 {
                    lines(2)
                } else {
                    String::new()
                };
                repo.write(&to, text + &more);
                files[at] = to;
                commit(&mut numbers, "refactor: move a file");
            }
            2 if step > 3 => {
                // A branch that changes files while the first line goes on.
                let (one, other) = (numbers.below(files.len()), numbers.below(files.len()));
                repo.git(&["checkout", "--quiet", "-b", &format!("b{step}")]);
                repo.write(&files[one], repo.read(&files[one]) + &lines(1));
                commit(&mut numbers, "feat: on a branch");
                repo.git(&["checkout", "--quiet", "-"]);
                if one != other {
                    repo.write(&files[other], repo.read(&files[other]) + &lines(1));
                    commit(&mut numbers, "fix: on the first line");
                }
                repo.git(&[
                    "merge",
                    "--quiet",
                    "--no-ff",
                    "--message",
                    "merge",
                    &format!("b{step}"),
                ]);
            }
            3 if step % 4 == 0 => {
                for file in &files {
                    repo.write(file, repo.read(file) + &lines(1));
                }
                commit(&mut numbers, "style: everything");
            }
            n => {
                for at in 0..=(n % 5) {
                    // Neighbours go together more often than chance.
                    let file = &files[(numbers.below(6) * 6 + at) % files.len()];
                    repo.write(file, repo.read(file) + &lines(1));
                }
                commit(
                    &mut numbers,
                    if n % 3 == 0 {
                        "fix: a bug"
                    } else {
                        "feat: more"
                    },
                );
            }
        }
    }
    repo
}

/// The commits of a file as git lists them, the newest first, with their authors.
fn log(repo: &Repo, path: &str) -> Vec<(String, String)> {
    let text = repo.git(&[
        "log",
        "--follow",
        "--no-merges",
        "--format=%H%x09%aN",
        "--",
        path,
    ]);
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(sha, name)| (sha.to_owned(), name.to_owned()))
        .collect()
}

/// The commits that changed at most 30 files.
fn small(repo: &Repo) -> BTreeSet<String> {
    let text = repo.git(&[
        "log",
        "--no-merges",
        "-M",
        "--name-only",
        "--format=commit %H",
    ]);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut at = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("commit ") {
            Some(sha) => {
                sha.clone_into(&mut at);
                counts.insert(at.clone(), 0);
            }
            None => *counts.get_mut(&at).unwrap() += 1,
        }
    }
    counts
        .into_iter()
        .filter(|(_, n)| *n <= 30)
        .map(|(sha, _)| sha)
        .collect()
}

fn cards(cli: &Cli, paths: &[String]) -> Value {
    let mut arguments = vec![
        "explore",
        "--include",
        "history,owners,metrics",
        "--budget",
        "12000",
        "--targets",
    ];
    arguments.extend(paths.iter().map(String::as_str));
    cli.json(&arguments)
}

fn agrees_with_git(repo: &Repo, cli: &Cli) {
    let listed = repo.git(&["ls-files", "*.ts"]);
    let paths: Vec<String> = listed.lines().map(str::to_owned).collect();
    let logs: BTreeMap<&String, Vec<(String, String)>> =
        paths.iter().map(|path| (path, log(repo, path))).collect();
    let small = small(repo);
    let counted = |path: &String| -> BTreeSet<&String> {
        let shas = logs[path].iter().map(|(sha, _)| sha);
        shas.filter(|sha| small.contains(*sha)).collect()
    };
    let (mut n_moved, mut n_together) = (0, 0);
    for some in paths.chunks(10) {
        let value = cards(cli, some);
        assert_eq!(value["history"]["complete"], true, "{value}");
        for (path, card) in some.iter().zip(value["cards"].as_array().unwrap()) {
            let log = &logs[path];
            n_moved += usize::from(path.starts_with("lib"));
            assert_eq!(card["history"]["commits"], log.len(), "{path}: {card}");
            assert_eq!(card["metrics"]["commits"], log.len(), "{path}");
            let last = card["history"]["last"]["sha"].as_str().unwrap();
            assert!(log[0].0.starts_with(last), "{path}: {last}");
            let mut of_authors: BTreeMap<&str, usize> = BTreeMap::new();
            for (_, name) in log {
                *of_authors.entry(name).or_default() += 1;
            }
            let mut wanted: Vec<(&str, usize)> = of_authors.into_iter().collect();
            wanted.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
            wanted.truncate(3);
            let owners = card["owners"].as_array().unwrap().iter();
            let found: Vec<(&str, usize)> = owners
                .map(|it| {
                    (
                        it["name"].as_str().unwrap(),
                        usize::try_from(it["commits"].as_u64().unwrap()).unwrap(),
                    )
                })
                .collect();
            assert_eq!(found, wanted, "{path}");
            let own = counted(path);
            let others = paths.iter().filter(|other| *other != path);
            let mut wanted: Vec<(usize, &String)> = others
                .map(|other| (own.intersection(&counted(other)).count(), other))
                .filter(|(n, _)| *n > 0)
                .collect();
            wanted.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
            wanted.truncate(3);
            let wanted: Vec<Value> = wanted
                .into_iter()
                .map(|(n, other)| json!({"path": other, "together": n, "of": own.len()}))
                .collect();
            n_together += wanted.len();
            let found = card["history"]["coChange"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            assert_eq!(found, wanted, "{path}");
        }
    }
    assert!(n_moved > 3 && n_together > 50, "{n_moved} {n_together}");
}

#[test]
fn history_of_files_is_that_of_git_log() {
    let repo = generated(70, 7);
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    agrees_with_git(&repo, &cli);
    // Carried on by difference, with other names, and a head that went back.
    repo.write(
        ".mailmap",
        "Annette <ann@x.org>\nAnnette <ann@x.org> <ann@old.net>\n",
    );
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "names"]);
    cli.json(&["refresh"]);
    agrees_with_git(&repo, &cli);
    repo.git(&["reset", "--quiet", "--hard", "HEAD~20"]);
    cli.json(&["refresh"]);
    agrees_with_git(&repo, &cli);
}

const SMALL: &str = "\
//- /.github/CODEOWNERS
*.ts @org/all
/src/ann.ts @ann mail@x.org
//- /src/ann.ts
export const ann = 1;
//- /src/bob.ts
import { ann } from './ann';
export const bob = ann;
//- commit base
//- /src/ann.ts
export const ann = 2;
//- commit hotfix
";

fn card(cli: &Cli, target: &str) -> Value {
    cards(cli, &[target.to_owned()])["cards"][0].clone()
}

#[test]
fn owners_of_the_repository_come_first_and_can_be_left_out() {
    let repo = Fixture::parse(SMALL).build();
    let mut cli = Cli::new(repo.path());
    let ann = card(&cli, "src/ann.ts");
    assert_eq!(
        ann["owners"][0],
        json!({"name": "@ann", "from": "codeowners"})
    );
    assert_eq!(ann["owners"][1]["commits"], 2, "{ann}");
    assert_eq!(ann["owners"][1]["share"], 1.0, "{ann}");
    assert!(!ann.to_string().contains("mail@"), "{ann}");
    assert_eq!(ann["history"]["fixes"], 1);
    assert_eq!(ann["history"]["commits90"], 2);
    assert_eq!(ann["history"]["last"]["subject"], "hotfix");
    let metrics = json!({"lines": 1, "dependents": 1, "dependencies": 0, "exported": 1, "commits": 2, "commits90": 2, "fixes": 1, "churn": 66, "cluster": "src"});
    assert_eq!(ann["metrics"], metrics);
    // Of a definition it is the file's.
    assert_eq!(card(&cli, "ann")["metrics"], metrics);
    let bob = card(&cli, "src/bob.ts");
    assert_eq!(bob["owners"][0]["name"], "@org/all");
    assert_eq!(
        bob["history"]["coChange"],
        json!([
            {"path": ".github/CODEOWNERS", "together": 1, "of": 1}, {"path": "src/ann.ts", "together": 1, "of": 1}
        ])
    );
    // A file that no commit has.
    repo.write("src/new.ts", "export const fresh = 1;\n");
    let new = card(&cli, "src/new.ts");
    assert_eq!(
        new["history"],
        json!({"commits": 0, "commits90": 0, "fixes": 0})
    );
    assert_eq!(new["metrics"]["churn"], 0, "{new}");
    let printed = cli
        .run(&[
            "explore",
            "--targets",
            "src/ann.ts",
            "--include",
            "owners,history,metrics",
        ])
        .stdout;
    assert!(printed.contains("owner: @ann (CODEOWNERS)"), "{printed}");
    assert!(
        printed.contains("2 commits (2 in the 90 days before the last one, 1 fix)"),
        "{printed}"
    );
    cli.set("CODELENS_OWNERS", "off");
    let ann = card(&cli, "src/ann.ts");
    assert!(
        ann["owners"].is_null() && ann["history"]["commits"] == 2,
        "{ann}"
    );
}

#[test]
fn a_question_has_cards_of_the_first_files() {
    let repo = Fixture::parse(SMALL).build();
    let cli = Cli::new(repo.path());
    let value = cli.json(&["explore", "bob", "--include", "history"]);
    let paths: Vec<&str> = value["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert!(paths.contains(&"src/bob.ts"), "{value}");
    assert!(value["cards"][0]["history"]["commits"].is_u64(), "{value}");
    // Without them an answer has neither.
    let value = cli.json(&["explore", "bob", "--include", "callers"]);
    assert!(
        value["cards"].is_null() && value["history"].is_null(),
        "{value}"
    );
}

#[test]
fn a_shallow_clone_says_that_its_history_is_not_all() {
    let repo = Fixture::parse(SMALL).build();
    let place = repo.dir.path().join("shallow");
    let from = format!("file://{}", repo.path().display());
    repo.git(&[
        "clone",
        "--quiet",
        "--depth",
        "1",
        &from,
        place.to_str().unwrap(),
    ]);
    let cli = Cli::new(&place);
    let value = cards(&cli, &["src/ann.ts".to_owned()]);
    assert_eq!(value["history"]["complete"], false, "{value}");
    assert_eq!(value["history"]["commits"], 1, "{value}");
    assert_eq!(value["cards"][0]["history"]["commits"], 0, "{value}");
}

#[test]
fn metrics_name_the_files_that_use_one_another() {
    // Two groups that share one use; the directory of the first has files of both.
    let mut text = String::new();
    for (group, directory) in [("red", "src/red"), ("blue", "src/blue")] {
        for n in 0..5 {
            let place = if group == "blue" && n == 4 {
                "src/red/extra"
            } else {
                directory
            };
            let uses: String = (0..n).fold(String::new(), |uses, other| {
                uses + &format!("import {{ {group}{other} }} from '../{group}/{group}{other}';\n")
            });
            let uses = if place == "src/red/extra" {
                uses.replace("../", "../../")
            } else {
                uses
            };
            let calls: Vec<String> = (0..n).map(|other| format!("{group}{other}()")).collect();
            let _ = writeln!(
                text,
                "//- /{place}/{group}{n}.ts\n{uses}export function {group}{n}(): unknown {{\n  return [{}];\n}}",
                calls.join(", ")
            );
        }
    }
    text += "//- /src/main.ts\nimport { red0 } from './red/red0';\nred0();\n//- /alone.md\n# Alone\n//- commit base\n";
    let repo = Fixture::parse(&text).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let cluster = |cli: &Cli, path: &str| card(cli, path)["metrics"]["cluster"].clone();
    for (path, wanted) in [
        ("src/red/red0.ts", "src/red"),
        ("src/red/red4.ts", "src/red"),
        ("src/main.ts", "src/red"),
        ("src/blue/blue1.ts", "src/blue"),
        ("src/red/extra/blue4.ts", "src/blue"),
        ("alone.md", "."),
    ] {
        assert_eq!(cluster(&cli, path), wanted, "{path}");
    }
    // The same in an index that came another way.
    let other = Cli::new(repo.path());
    let before = repo.read("src/red/red0.ts");
    repo.write("src/red/red0.ts", "export const red0 = 1;\n");
    other.json(&["refresh"]);
    repo.write("src/red/red0.ts", before);
    assert_eq!(
        cards(&other, &["src/main.ts".to_owned()])["cards"],
        cards(&cli, &["src/main.ts".to_owned()])["cards"]
    );
}

//! Records hold exactly where the code that they are about is the same, whatever git did.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Cli, Dice, Fixture, Repo, walk};

const BASE: &str = "\
//- /src/queue.ts
export function queueJob(job: string) {
  const place = jobs.indexOf(job);
  jobs.splice(place, 0, job);
  return flush(place);
}
export function flush(place: number) {
  const taken = jobs.slice(place);
  for (const job of taken) run(job);
  return taken.length;
}
const jobs: string[] = [];
//- /src/run.ts
export function run(job: string) {
  const started = Date.now();
  console.log(job, started);
  return started;
}
//- /docs/design.md
# Design

Jobs are queued.
//- commit base
";

/// Saves a note on a definition; returns its identifier.
fn note(cli: &Cli, symbol: &str, text: &str) -> String {
    let handle = cli.handle(symbol);
    let args = [
        "save", "--kind", "note", "--handle", &handle, "--notes", text,
    ];
    cli.json(&args)["id"].as_str().unwrap().to_owned()
}

/// Returns a record as it is judged now.
fn record(cli: &Cli, id: &str) -> Value {
    let found = cli.json(&["load", id]);
    assert_eq!(found["freshness"], "fresh", "{found}");
    assert_eq!(found["total"], 1, "{found}");
    found["results"][0].clone()
}

fn verdict(cli: &Cli, id: &str) -> String {
    record(cli, id)["verdict"].as_str().unwrap().to_owned()
}

fn edit(repo: &Repo, path: &str, from: &str, to: &str) {
    let text = repo.read(path);
    assert!(text.contains(from), "{path}: {from}");
    repo.write(path, text.replace(from, to));
}

#[test]
fn a_note_holds_where_its_code_is_the_same() {
    let mut repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let id = note(&cli, "queueJob", "The place is where the job already is.");
    let start = record(&cli, &id);
    assert_eq!(
        (&start["verdict"], &start["verification"], &start["author"]),
        (
            &json!("holds"),
            &json!("none"),
            &json!({"by": "agent", "approved": true})
        )
    );
    assert_eq!(start["branch"], "main");
    // Fifty lines above.
    let text = repo.read("src/queue.ts");
    repo.write("src/queue.ts", "// more\n".repeat(50) + &text);
    let moved = record(&cli, &id);
    assert_eq!(moved["verdict"], "holds");
    assert_eq!(moved["items"][0]["state"], "moved");
    assert_eq!(moved["items"][0]["lines"], "51-55");
    // A stash takes the lines away, and brings them back.
    repo.git(&["stash"]);
    assert_eq!(record(&cli, &id)["items"][0]["state"], "same");
    repo.git(&["stash", "pop"]);
    assert_eq!(verdict(&cli, &id), "holds");
    // Another name of the file, on another branch.
    repo.then("//- branch feature\n//- rename /src/queue.ts /src/jobs.ts\n//- commit renamed\n");
    let renamed = record(&cli, &id);
    assert_eq!(
        (&renamed["verdict"], &renamed["items"][0]["path"]),
        (&json!("holds"), &json!("src/jobs.ts"))
    );
    let signals = renamed["signals"].to_string();
    assert!(signals.contains("anchors 1/1 same"), "{signals}");
    assert!(signals.contains("recorded 1 commit ago"), "{signals}");
    // The body.
    edit(
        &repo,
        "src/jobs.ts",
        "jobs.splice(place, 0, job);",
        "jobs.splice(place, 1, job);",
    );
    let changed = record(&cli, &id);
    assert_eq!(changed["verdict"], "check");
    assert!(
        changed["warnings"]
            .to_string()
            .contains("anchor changed: src/jobs.ts:51-55"),
        "{changed}"
    );
    // Indentation alone is a change; white space at line ends is none.
    repo.git(&["checkout", "-q", "src/jobs.ts"]);
    edit(&repo, "src/jobs.ts", "  const place", "    const place");
    assert_eq!(verdict(&cli, &id), "check");
    repo.git(&["checkout", "-q", "src/jobs.ts"]);
    edit(&repo, "src/jobs.ts", "indexOf(job);", "indexOf(job);  ");
    assert_eq!(verdict(&cli, &id), "holds");
    repo.git(&["checkout", "-q", "src/jobs.ts"]);
    // An amended commit: content decides.
    repo.git(&["commit", "-q", "--amend", "-m", "other words"]);
    assert_eq!(verdict(&cli, &id), "holds");
    // Deleted.
    let text = repo.read("src/jobs.ts");
    let from = text.find("export function queueJob").unwrap();
    let to = text.find("export function flush").unwrap();
    repo.write("src/jobs.ts", format!("{}{}", &text[..from], &text[to..]));
    let gone = record(&cli, &id);
    assert_eq!(gone["verdict"], "stale");
    assert!(
        gone["warnings"].to_string().contains("anchor missing: "),
        "{gone}"
    );
    repo.git(&["commit", "-q", "-a", "-m", "without"]);
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(verdict(&cli, &id), "holds");
}

#[test]
fn ancestry_only_warns() {
    let mut repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    repo.then("//- branch feature\n//- /src/extra.ts\nexport function extra(one: number) {\n  const two = one + one;\n  return two * one;\n}\n//- commit extra\n");
    let id = note(&cli, "extra", "Only here.");
    let shared = note(&cli, "run", "Prints.");
    repo.git(&["checkout", "-q", "main"]);
    let away = record(&cli, &id);
    assert_eq!(away["verdict"], "stale", "{away}");
    let here = record(&cli, &shared);
    assert_eq!(here["verdict"], "holds");
    // Main goes on: the branch is rebased, and its commit is another one.
    repo.then("//- /src/other.ts\nexport const other = 1;\n//- commit other\n");
    let diverged = record(&cli, &shared);
    assert!(
        diverged["warnings"]
            .to_string()
            .contains("recorded on feature, diverged"),
        "{diverged}"
    );
    repo.git(&["checkout", "-q", "feature"]);
    repo.git(&["rebase", "-q", "main"]);
    assert_eq!(verdict(&cli, &id), "holds");
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    let rebased = record(&cli, &id);
    assert_eq!(rebased["verdict"], "holds");
    assert!(
        rebased["warnings"].to_string().contains("commit is gone"),
        "{rebased}"
    );
    // A squash merge keeps the content.
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--squash", "feature"]);
    repo.git(&["commit", "-q", "-m", "squashed"]);
    assert_eq!(verdict(&cli, &id), "holds");
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(verdict(&cli, &id), "stale");
}

/// Returns the text of a function and its place in the work tree, found by its first line.
fn function_in(repo: &Repo, name: &str) -> Option<(String, String)> {
    let head = format!("export function {name}(");
    let mut files: Vec<_> = walk(&repo.path().join("src"));
    files.sort();
    files
        .into_iter()
        .filter(|path| path.is_file())
        .find_map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let from = text.find(&head)?;
            let to = from + text[from..].find("\n}\n")? + 3;
            let place = path.strip_prefix(repo.path()).unwrap();
            Some((
                place.to_str().unwrap().to_owned(),
                text[from..to].to_owned(),
            ))
        })
}

fn body(name: &str, version: usize) -> String {
    format!(
        "export function {name}(one: number) {{\n  const {name}First = one + {version};\n  const {name}Second = {name}First * 2;\n  \
         log('{name}', {name}Second);\n  return {name}Second - {name}First;\n}}\n"
    )
}

#[test]
fn verdicts_equal_those_of_the_full_texts_on_random_histories() {
    let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
    let repo = Fixture::parse("//- /README.md\nx\n//- commit base\n").build();
    for (at, name) in names.iter().enumerate() {
        let path = format!("src/part{}.ts", at / 2);
        let before = if at % 2 == 0 {
            String::new()
        } else {
            repo.read(&path)
        };
        repo.write(&path, before + &body(name, 0));
    }
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "functions"]);
    let cli = Cli::new(repo.path());
    let mut then: BTreeMap<String, (&str, String)> = BTreeMap::new();
    for name in names {
        let id = note(&cli, name, &format!("About {name}."));
        then.insert(id, (name, function_in(&repo, name).unwrap().1));
    }
    let mut numbers = Dice::new(11);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for step in 0..45 {
        let name = names[numbers.below(names.len())];
        let found = function_in(&repo, name);
        match (numbers.below(9), found) {
            (0 | 1, Some((path, text))) => {
                edit(&repo, &path, &text, &body(name, 1 + numbers.below(2)));
            }
            (2, Some((path, text))) => edit(&repo, &path, &text, ""),
            (3, Some((path, _))) => {
                let text = repo.read(&path);
                repo.write(&path, format!("// {step}\n{text}"));
            }
            (4, Some((path, _))) => {
                let to = format!("src/moved{step}.ts");
                repo.write(&to, repo.read(&path));
                std::fs::remove_file(repo.path().join(path)).unwrap();
            }
            (5, None) => repo.write(&format!("src/back{step}.ts"), body(name, 0)),
            (6, _) => {
                repo.git(&["add", "-A"]);
                repo.git(&["commit", "-q", "--allow-empty", "-m", "step"]);
                repo.git(&["checkout", "-q", "-b", &format!("b{step}")]);
            }
            (7, _) => {
                repo.git(&["add", "-A"]);
                repo.git(&["commit", "-q", "--allow-empty", "--amend", "-m", "amended"]);
            }
            (8, _) => {
                repo.git(&["add", "-A"]);
                repo.git(&["commit", "-q", "--allow-empty", "-m", "step"]);
                let branches = repo.git(&["branch", "--format=%(refname:short)"]);
                let branches: Vec<&str> = branches.lines().collect();
                repo.git(&["checkout", "-q", branches[numbers.below(branches.len())]]);
            }
            _ => continue,
        }
        let answer = cli.json(&["load", "--kind", "note", "-n", "50"]);
        assert_eq!(answer["freshness"], "fresh");
        let results = answer["results"].as_array().unwrap();
        let of_id = |id: &str| {
            let found = results.iter().find(|it| it["id"] == id);
            found.map_or("stale", |it| it["verdict"].as_str().unwrap())
        };
        for (id, (name, text)) in &then {
            let wanted: &[&str] = match function_in(&repo, name) {
                Some((_, now)) if now == *text => &["holds"],
                // In another file, much of it has to be as it was.
                Some(_) => &["check", "stale"],
                None => &["stale"],
            };
            let verdict = of_id(id);
            assert!(
                wanted.contains(&verdict),
                "step {step}, {name}: {verdict}, wanted {wanted:?}"
            );
            *seen.entry(wanted[0]).or_default() += 1;
        }
    }
    assert!(
        seen.len() == 3 && seen.values().all(|n| *n > 10),
        "{seen:?}"
    );
}

#[test]
fn failures_and_fixes_are_found_together() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let failure = cli.json(&[
        "save", "--kind", "failure", "--notes",
        "TypeError: Cannot read properties of undefined (reading 'indexOf')\nat src/queue.ts:2:22. Tried an empty array.",
    ]);
    assert_eq!(failure["verification"], "none");
    let failure = failure["id"].as_str().unwrap().to_owned();
    let run = cli.handle("queueJob");
    let fix = cli.json(&[
        "save",
        "--kind",
        "fix",
        "--fixes",
        &failure,
        "--handle",
        &run,
        "--notes",
        "The array is declared above its first use.",
        "--test",
        "npm test",
        "--passed",
    ]);
    assert_eq!(fix["verification"], "claimed");
    let found = cli.json(&[
        "load",
        "--query",
        "Cannot read properties of undefined (reading 'map') at lib/x.ts:99:1",
    ]);
    let results = found["results"].as_array().unwrap();
    assert_eq!(
        (&results[0]["id"], &results[1]["id"]),
        (&json!(failure), &fix["id"]),
        "{found}"
    );
    assert_eq!(results[0]["fixedBy"], json!([fix["id"]]));
    assert_eq!(results[1]["fixes"], failure);
    assert_eq!(
        results[1]["test"],
        json!({"command": "npm test", "passed": true})
    );
    assert!(
        results[1]["warnings"]
            .to_string()
            .contains("claimed, not verified")
    );
    assert!(results[0]["score"].as_f64().unwrap() > 0.5);
    // Another record of the same failure is named.
    let again = cli.json(&[
        "save",
        "--kind",
        "failure",
        "--notes",
        "TypeError: Cannot read properties of undefined (reading 'x') at src/a.ts:1:1",
    ]);
    assert_eq!(again["similar"][0]["id"], failure, "{again}");
    let none = cli.json(&["load", "--query", "colours of the page header"]);
    assert_eq!((&none["results"], &none["total"]), (&json!([]), &json!(0)));
    assert!(none["note"].as_str().unwrap().contains("3 in all"));
    let about = cli.json(&["load", "--about", "src/queue.ts"]);
    assert_eq!(about["results"][0]["id"], fix["id"], "{about}");
    let about = cli.json(&["load", "--about", "src", "--kind", "fix"]);
    assert_eq!(about["total"], 1);
    // Under another path, and edited.
    repo.git(&["mv", "src/queue.ts", "src/jobs.ts"]);
    edit(&repo, "src/jobs.ts", "taken.length", "taken.length + 0");
    let about = cli.json(&["load", "--about", "src/jobs.ts"]);
    assert_eq!(about["results"][0]["id"], fix["id"], "{about}");
    let elsewhere = cli.json(&["load", "--about", "docs/design.md"]);
    assert_eq!(elsewhere["results"], json!([]));
}

#[test]
fn a_record_that_is_none_is_refused() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let note = note(&cli, "run", "Prints.");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let long = "x".repeat(4_001);
    for (args, part) in [
        (vec!["--kind", "note", "--notes", "x"], "it needs `items`"),
        (
            vec!["--kind", "note", "--path", "src/run.ts"],
            "needs `notes`",
        ),
        (
            vec!["--kind", "note", "--path", "src/run.ts", "--notes", &token],
            "a token",
        ),
        (
            vec!["--kind", "failure", "--notes", &long],
            "longer than 4000",
        ),
        (vec!["--kind", "failure"], "needs `notes`"),
        (
            vec!["--kind", "fix", "--notes", "x", "--fixes", &note],
            "names a note",
        ),
        (
            vec![
                "--kind",
                "fix",
                "--notes",
                "x",
                "--fixes",
                "mem_0000000000000000",
            ],
            "nothing is saved",
        ),
        (
            vec!["--kind", "failure", "--notes", "x", "--fixes", &note],
            "has no `fixes`",
        ),
        (
            vec![
                "--kind",
                "mark",
                "--path",
                "src/run.ts",
                "--notes",
                "two words",
            ],
            "one word",
        ),
        (
            vec!["--kind", "document"],
            "it is not said where the document is",
        ),
        (
            vec!["--kind", "document", "--document", "../x.md"],
            "not a path inside",
        ),
        (
            vec!["--kind", "document", "--document", "none.md"],
            "none.md",
        ),
        (
            vec!["--kind", "document", "--url", "http://example.org"],
            "https",
        ),
        (
            vec!["--kind", "document", "--url", "https://a:b@example.org"],
            "https",
        ),
        (
            vec!["--kind", "fix", "--notes", "x", "--passed"],
            "no `command`",
        ),
        (vec!["--notes", "x"], "needs a `name`"),
    ] {
        let said = cli.fails(&[&["save"], args.as_slice(), &["--json"]].concat(), 1);
        assert!(said.contains(part), "{args:?}: {said}");
    }
    assert_eq!(cli.run(&["save", "--kind", "memo"]).code, 2);
    let said = cli.fails(&["load"], 1);
    assert!(said.contains("none of"), "{said}");
    let many: Vec<String> = (0..201).map(|_| "--path=src/run.ts".to_owned()).collect();
    let mut args = vec!["save", "many"];
    args.extend(many.iter().map(String::as_str));
    assert!(cli.fails(&args, 1).contains("201 items"));
}

#[test]
fn a_damaged_memory_is_kept_aside_and_said() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    note(&cli, "run", "Prints.");
    let file = walk(&cli.home())
        .into_iter()
        .find(|path| path.ends_with("contexts.db"));
    let file = file.expect("records are kept");
    std::fs::write(&file, vec![3; 9_000]).unwrap();
    // Questions are answered all the same; memory itself is said to be damaged.
    assert_eq!(cli.json(&["search", "queueJob"])["freshness"], "fresh");
    assert!(
        cli.fails(&["load", "--kind", "note"], 1)
            .contains("damaged")
    );
    let saved = cli.json(&["save", "again", "--notes", "x"]);
    assert!(
        saved["note"]
            .as_str()
            .unwrap()
            .contains("contexts.db.damaged-"),
        "{saved}"
    );
    let kept = walk(&cli.home());
    let kept = kept
        .iter()
        .find(|path| path.to_string_lossy().contains("contexts.db.damaged-"));
    assert_eq!(std::fs::read(kept.unwrap()).unwrap(), vec![3; 9_000]);
    assert_eq!(cli.json(&["load", "again"])["context"]["notes"], "x");
}

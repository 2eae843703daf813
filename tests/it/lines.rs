//! Every line: `cl_search` with `match` literal or regex, and `codelens grep`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

const QUEUE: &str = "\
//- /src/queue.ts
// queueJob is told of here
export function queueJob(job: string) {
  const label = `queueJob ${job}`;
  return label + 'queueJob';
}
/* TODO: queueJob */
//- /src/app.ts
import { queueJob } from './queue';
export const go = () => queueJob('x');
//- /src/app.spec.ts
import { queueJob } from './queue';
it('runs', () => queueJob('y'));
//- /src/jobs.py
def queueJob(job):
    \"\"\"queueJob of Python.\"\"\"
    return f\"{queueJob} queueJob\"
//- /docs/guide.md
# queueJob
//- /yarn.lock
queueJob@1.0.0:
//- /.env
KEY=queueJob
//- commit one
";

fn repo() -> (Repo, Cli) {
    let repo = Fixture::parse(QUEUE).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

/// Returns `path:lines` of each result.
fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    results
        .iter()
        .map(|it| {
            format!(
                "{}:{}",
                it["path"].as_str().unwrap(),
                it["lines"].as_str().unwrap()
            )
        })
        .collect()
}

#[test]
fn every_line_is_listed_with_its_definition() {
    let (_repo, cli) = repo();
    let answer = cli.json(&["search", "queueJob", "--match", "literal"]);
    assert_eq!(
        places(&answer),
        [
            "docs/guide.md:1",
            "src/app.spec.ts:1",
            "src/app.spec.ts:2",
            "src/app.ts:1",
            "src/app.ts:2",
            "src/jobs.py:1",
            "src/jobs.py:2",
            "src/jobs.py:3",
            "src/queue.ts:1",
            "src/queue.ts:2",
            "src/queue.ts:3",
            "src/queue.ts:4",
            "src/queue.ts:6",
        ]
    );
    assert_eq!(
        (&answer["total"], &answer["count"]),
        (&json!(13), &json!(13))
    );
    assert_eq!(
        (&answer["complete"], &answer["searchedFiles"]),
        (&json!(true), &json!(5))
    );
    assert_eq!(answer["unsearched"], json!({"lockFile": 1, "secret": 1}));
    assert_eq!(answer["defaults"], json!({"why": "literal"}));
    let at = |place: usize| &answer["results"][place];
    assert_eq!(at(9)["symbol"], "queueJob");
    assert_eq!(at(9)["preview"], "export function queueJob(job: string) {");
    assert!(at(9)["handle"].as_str().unwrap().starts_with("sym_"));
    assert_eq!(at(10)["symbol"], "queueJob");
    assert!(at(10)["handle"].is_null(), "a handle is told once");
    assert!(at(12)["symbol"].is_null());
    let opened = cli.json(&["expand", "--handle", at(9)["handle"].as_str().unwrap()]);
    assert_eq!(opened["startLine"], 2);
}

#[test]
fn a_scope_leaves_code_comments_or_strings() {
    let (_repo, cli) = repo();
    let of = |scope: &str| {
        let line = ["grep", "queueJob", "--scope", scope, "--path", "src"];
        let answer = cli.json(&line);
        assert_eq!(answer["complete"], true);
        places(&answer)
    };
    assert_eq!(
        of("code"),
        [
            "src/app.spec.ts:1",
            "src/app.spec.ts:2",
            "src/app.ts:1",
            "src/app.ts:2",
            "src/jobs.py:1",
            "src/jobs.py:3",
            "src/queue.ts:2"
        ]
    );
    assert_eq!(of("comments"), ["src/queue.ts:1", "src/queue.ts:6"]);
    assert_eq!(
        of("strings"),
        [
            "src/jobs.py:2",
            "src/jobs.py:3",
            "src/queue.ts:3",
            "src/queue.ts:4"
        ]
    );
    let answer = cli.json(&["grep", "queueJob", "--scope", "comments"]);
    assert_eq!(answer["unsearched"]["noGrammar"], 1);
    assert_eq!(answer["complete"], false);
    assert!(answer["note"].as_str().unwrap().contains("without `scope`"));
}

#[test]
fn paths_are_a_list_of_which_some_are_left_out() {
    let (repo, cli) = repo();
    let of = |line: &[&str]| {
        let answer = cli.json(&[&["grep", "queueJob", "--scope", "code"], line].concat());
        places(&answer).len()
    };
    assert_eq!(of(&["--path", "src"]), 7);
    assert_eq!(of(&["--path", "src/*.ts", "--path", "!*.spec.ts"]), 3);
    assert_eq!(
        of(&[
            "--path",
            "!src/queue.ts",
            "--path",
            "!docs",
            "--path",
            "!*.py"
        ]),
        4
    );
    assert_eq!(of(&["--language", "Python"]), 2);
    let absolute = repo.path().join("src/queue.ts").display().to_string();
    assert_eq!(of(&["--path", &absolute]), 1);
    assert_eq!(of(&["--path", "src", "--path", &format!("!{absolute}")]), 6);
    // A lock file is searched where it is named.
    let named = cli.json(&["grep", "queueJob", "--path", "yarn.lock"]);
    assert_eq!(places(&named), ["yarn.lock:1"]);
    let said = cli.fails(&["grep", "x", "--path", "nowhere"], 1);
    assert!(
        said.contains("no indexed file is below or matches `nowhere`"),
        "{said}"
    );
    let said = cli.fails(&["grep", "x", "--path", "scr/queue.ts"], 1);
    assert!(said.contains("did you mean `src/queue.ts`"), "{said}");
    let said = cli.fails(&["grep", "x", "--path", "!../x"], 1);
    assert!(said.contains("not a path inside"), "{said}");
    // The same list narrows a search by words.
    let words = cli.json(&[
        "search",
        "queueJob",
        "--path",
        "src",
        "--path",
        "!src/queue.ts",
        "-n",
        "50",
    ]);
    assert!(!places(&words).is_empty());
    assert!(
        places(&words)
            .iter()
            .all(|place| !place.starts_with("src/queue.ts"))
    );
}

#[test]
fn the_disk_is_searched_and_not_the_index() {
    let (repo, mut cli) = repo();
    cli.set("CODELENS_BUDGET_MS", "0");
    repo.write("src/new.ts", "export const queueJobNow = 1;\n");
    repo.write(
        "src/app.ts",
        "// moved\nexport const go = () => queueJob('z');\n",
    );
    std::fs::remove_file(repo.path().join("src/app.spec.ts")).unwrap();
    let answer = cli.json(&["grep", "queueJob", "--path", "src/*.ts"]);
    let places = places(&answer);
    assert!(places.contains(&"src/app.ts:2".to_owned()), "{places:?}");
    assert!(
        !places
            .iter()
            .any(|place| place.starts_with("src/app.spec.ts"))
    );
    if answer["freshness"] == "unknown" {
        assert_eq!(
            answer["complete"], false,
            "a list of files that is not proved may lack some"
        );
    } else {
        assert!(places.contains(&"src/new.ts:1".to_owned()), "{answer}");
    }
    let moved = answer["results"].as_array().unwrap().iter();
    for result in moved.filter(|it| it["path"] == "src/app.ts" && answer["freshness"] != "fresh") {
        assert_eq!(result["stale"], true);
        assert!(
            result["symbol"].is_null(),
            "of other bytes than the index has"
        );
    }
}

#[test]
fn pages_are_joined_by_a_cursor() {
    let (_repo, cli) = repo();
    let ask = |more: &[&str]| cli.json(&[&["grep", "queueJob", "-n", "5"], more].concat());
    let mut all = Vec::new();
    let mut page = ask(&[]);
    loop {
        all.extend(places(&page));
        assert_eq!(page["total"], 13);
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        page = ask(&["--cursor", cursor]);
    }
    assert_eq!(all, places(&cli.json(&["grep", "queueJob"])));
    let cursor = ask(&[])["nextCursor"].as_str().unwrap().to_owned();
    let said = cli.fails(&["grep", "other", "--cursor", &cursor], 1);
    assert!(said.contains("belongs to another query"), "{said}");
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one pass, whose steps are read in order"
)]
fn what_can_not_be_searched_for_is_said() {
    let (_repo, cli) = repo();
    let mut session = Session::of(cli.command(&["serve"]));
    let mut id = 0;
    let mut ask = |input: Value| {
        id += 1;
        let params = json!({"name": "cl_search", "arguments": input});
        session.ask(id, "tools/call", &params)["result"]["structuredContent"].clone()
    };
    for (input, part) in [
        (json!({"query": "a(b", "match": "regex"}), "unclosed group"),
        (json!({"query": "a(?=b)", "match": "regex"}), "look-around"),
        (
            json!({"query": "(a)\\1", "match": "regex"}),
            "backreferences",
        ),
        (
            json!({"query": "(\\w{500}){500}", "match": "regex"}),
            "too large",
        ),
        (
            json!({"query": "x".repeat(1_001), "match": "literal"}),
            "1001 characters",
        ),
        (json!({"query": "", "match": "literal"}), "empty"),
        (json!({"query": "x", "match": "glob"}), "field `match`"),
        (json!({"query": "x", "match": 1}), "field `match`"),
        (
            json!({"query": "x", "match": "regex", "scope": "tests"}),
            "field `scope`",
        ),
        (
            json!({"query": "x", "scope": "code"}),
            "`scope` has a meaning for lines alone",
        ),
        (
            json!({"query": "x", "contextLines": 2}),
            "`contextLines` has a meaning",
        ),
        (
            json!({"query": "x", "match": "regex", "contextLines": "two"}),
            "field `contextLines`",
        ),
        (
            json!({"query": "x", "match": "regex", "path": [1]}),
            "field `path[0]`",
        ),
        (
            json!({"query": "x", "match": "regex", "path": {"a": 1}}),
            "field `path`",
        ),
        (json!({"query": "x", "path": vec!["a"; 51]}), "51 entries"),
        (
            json!({"query": "x", "match": "regex", "language": "klingon"}),
            "klingon",
        ),
        (
            json!({"query": "x", "match": "literal", "regex": true}),
            "given twice",
        ),
        (
            json!({"query": "x", "regex": "maybe"}),
            "unknown field `regex`",
        ),
        (
            json!({"query": "x", "match": "regex", "cursor": "zz"}),
            "cursor",
        ),
    ] {
        let error = ask(input.clone())["error"].clone();
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{input}: {error}");
        assert!(
            !error["hint"].as_str().unwrap_or_default().is_empty(),
            "{input}"
        );
    }
    for (input, total) in [
        (json!({"pattern": "queueJob", "regex": true}), 13),
        (
            json!({"query": "queueJob", "regex": "false", "limit": "500"}),
            13,
        ),
        (
            json!({"query": "queueJob", "match": "regex", "path": "src/queue.ts"}),
            5,
        ),
        (
            json!({"query": "queueJob", "match": "regex", "path": "[\"src/queue.ts\"]"}),
            5,
        ),
        (
            json!({"query": "queueJob", "match": "regex", "path": []}),
            13,
        ),
        (
            json!({"query": "queueJob", "match": "regex", "context_lines": 99_999_999_999_i64}),
            13,
        ),
        (json!({"query": "no such text", "match": "literal"}), 0),
        (json!({"query": "job\\) \\{\\n", "match": "regex"}), 0),
        (
            json!({"query": "go = .*\\n", "match": "regex", "snippet": "full", "explain": true}),
            1,
        ),
    ] {
        let answer = ask(input.clone());
        assert_eq!(answer["total"], total, "{input}: {answer}");
    }
    let nothing = ask(json!({"query": "no such text", "match": "literal"}));
    assert_eq!(
        nothing["note"],
        "No line matches in the 5 files that were searched."
    );
    let over = ask(json!({"query": "x", "match": "literal", "snippet": "full", "related": true}));
    assert_eq!(over["ignored"], json!(["related", "snippet"]));
}

#[test]
fn grep_prints_lines_and_tells_the_rest_aside() {
    let (_repo, cli) = repo();
    let ran = cli.run(&["grep", "TODO", "--context-lines", "1"]);
    assert_eq!(
        ran.stdout,
        "src/queue.ts-5-}\nsrc/queue.ts:6:/* TODO: queueJob */\n"
    );
    assert!(
        ran.stderr
            .contains("1 line matches in the 5 files searched"),
        "{}",
        ran.stderr
    );
    let ran = cli.run(&["grep", "nothing of the kind"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 0));
    assert!(
        ran.stderr.contains("No line matches in the 5 files"),
        "{}",
        ran.stderr
    );
}

/// Patterns of several kinds: words, classes, ends of lines, alternatives, what matches nowhere and everywhere.
const PATTERNS: &[&str] = &[
    "import",
    r"\bstore\b",
    r"^\s*return\b",
    r"\)\s*;$",
    "export (default|const)",
    "[A-Z]{2,}",
    r"\d+",
    "é|ü|ß",
    r"(?i)TODO",
    r"^$",
    r"\s+$",
    "[^a-z]open",
    r"=>\s*\{",
    r"'[^']*'",
    r"\.\w+\(",
    "zzzzz",
    r"(?-u)\w{12,}",
    r"\x20{4}",
    "a.c",
    r"\S",
];

/// Returns the lines of some files that match, one by one.
fn one_by_one(root: &Path, files: &[String], pattern: &str) -> Vec<(String, u64)> {
    let regex = regex::bytes::RegexBuilder::new(pattern)
        .crlf(true)
        .multi_line(true)
        .build()
        .unwrap();
    let mut found = Vec::new();
    for path in files {
        let bytes = std::fs::read(root.join(path)).unwrap();
        for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            if regex.is_match(text) {
                found.push((path.clone(), line));
            }
        }
    }
    found
}

/// Returns ripgrep's matches in the same files, where it is installed.
fn by_ripgrep(root: &Path, files: &[String], pattern: &str) -> Option<Vec<(String, u64)>> {
    let mut rg = Command::new("rg");
    rg.args([
        "--no-config",
        "--no-heading",
        "--with-filename",
        "-n0",
        "--crlf",
        "--color=never",
        "-e",
        pattern,
        "--",
    ]);
    let output = rg.args(files).current_dir(root).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let place = |line: &str| {
        let (path, rest) = line.split_once('\0')?;
        Some((path.to_owned(), rest.split(':').next()?.parse().ok()?))
    };
    let mut found: Vec<(String, u64)> = text.lines().filter_map(place).collect();
    found.sort();
    Some(found)
}

#[test]
fn grep_equals_ripgrep() {
    for name in ["agora", "ledger", "shop"] {
        let fixture = std::fs::read_to_string(format!("fixtures/{name}.repo")).unwrap();
        let repo = Fixture::parse(&fixture).build();
        let cli = Cli::new(repo.path());
        let listed = cli.json(
            &["grep", "", "--match", "regex", "-n", "1"]
                .map(|it| if it.is_empty() { "^" } else { it }),
        );
        assert_eq!(listed["freshness"], "fresh");
        let mut by_file: BTreeMap<String, u64> = BTreeMap::new();
        let mut whole = Vec::new();
        for &pattern in PATTERNS {
            let mut found = Vec::new();
            let mut cursor = None::<String>;
            loop {
                let mut line = vec!["grep", pattern, "-n", "200"];
                line.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor]));
                let page = cli.json(&line);
                for result in page["results"].as_array().unwrap() {
                    let line: u64 = result["lines"].as_str().unwrap().parse().unwrap();
                    found.push((result["path"].as_str().unwrap().to_owned(), line));
                }
                assert_eq!(page["complete"], true);
                cursor = page["nextCursor"].as_str().map(str::to_owned);
                if cursor.is_none() {
                    assert_eq!(page["total"], found.len());
                    break;
                }
            }
            whole.push(found);
        }
        // A line with a letter is in each file that has text: the files that were searched.
        let at = PATTERNS
            .iter()
            .position(|pattern| *pattern == r"\S")
            .unwrap();
        for (path, _) in &whole[at] {
            *by_file.entry(path.clone()).or_default() += 1;
        }
        let files: Vec<String> = by_file.into_keys().collect();
        assert!(files.len() > 5, "{name}");
        for (pattern, found) in PATTERNS.iter().zip(&whole) {
            assert_eq!(
                *found,
                one_by_one(&repo.path(), &files, pattern),
                "{name}: {pattern}"
            );
            if let Some(wanted) = by_ripgrep(&repo.path(), &files, pattern) {
                assert_eq!(*found, wanted, "{name}: {pattern}");
            }
        }
        // What was not searched is the complement.
        let n_files = Command::new("git")
            .args(["ls-files", "-co", "--exclude-standard"])
            .current_dir(repo.path())
            .output()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap();
        // Git lists what was deleted as well.
        let is_there = |path: &&str| repo.path().join(path).symlink_metadata().is_ok();
        let n_files = n_files.lines().filter(is_there).count() as u64;
        let unsearched = listed["unsearched"].as_object().into_iter().flatten();
        let n_unsearched: u64 = unsearched.filter_map(|(_, n)| n.as_u64()).sum();
        assert_eq!(
            listed["searchedFiles"].as_u64().unwrap() + n_unsearched,
            n_files,
            "{name}"
        );
    }
}

//! What a caller gets for what it may send: answers that can be given back, errors that say what next.

use serde_json::{Value, json};

use crate::support::{Cli, Fixture, Repo};

fn store() -> (Repo, Cli) {
    let repo = Fixture::parse(
        "//- /src/store.ts\n/** Keeps things. */\nexport class Store {\n  open() { return 1 }\n}\n\
         //- /src/app.ts\nimport { Store } from './store'\nexport const app = new Store().open()\n\
         //- /docs/guide.md\n# Guide\n\nOpen the store with care.\n//- /.env\nTOKEN=1\n//- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    (repo, cli)
}

/// Runs a command that must fail and returns its error.
fn error(cli: &Cli, args: &[&str]) -> Value {
    let with_json: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let said = cli.fails(&with_json, 1);
    let value: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let error = value["error"].clone();
    let text = error.to_string();
    assert!(!text.contains("SELECT") && !text.contains("/tmp"), "{text}");
    assert_ne!(error["hint"], json!(""), "{text}");
    error
}

#[test]
fn a_wrong_call_is_told_what_is_wrong_and_what_next() {
    let (_repo, cli) = store();
    for (args, code) in [
        (&["search", ""][..], "invalid_argument"),
        (&["search", " \n"], "invalid_argument"),
        (&["search", "store", "--path", "nowhere"], "path_not_found"),
        (
            &["search", "store", "--language", "klingon"],
            "invalid_argument",
        ),
        (&["search", "store", "--cursor", "x"], "bad_cursor"),
        (&["map", "nowhere.ts"], "path_not_found"),
        (&["map", "../outside"], "outside_repo"),
        (&["map", ".env"], "not_indexed"),
        (&["expand", ".env"], "not_indexed"),
        (&["expand", "src"], "path_not_found"),
        (&["expand", "/etc/passwd"], "outside_repo"),
        (&["expand", ".git/config"], "outside_repo"),
        (
            &["expand", "src/store.ts", "--start-line", "99"],
            "invalid_argument",
        ),
        (
            &["expand", "--handle", "sym_0123456789abcdef"],
            "unknown_handle",
        ),
        (&["expand", "--handle", "nonsense"], "unknown_handle"),
    ] {
        assert_eq!(error(&cli, args)["code"], code, "{args:?}");
    }
}

#[test]
fn what_looks_like_a_query_language_is_plain_words() {
    let (_repo, cli) = store();
    for query in [
        "store AND NOT (open OR",
        "\"",
        "*",
        "col:store",
        "NEAR(a b)",
        "^store",
        "-store",
        "store*",
        "'; DROP TABLE file",
        "\u{7}\u{1b}[31m",
        "🦀",
        "a\u{202e}b",
        "%s%n",
        "{}",
        "..",
    ] {
        let ran = cli.run(&["search", "--json", "--", query]);
        assert_eq!(ran.code, 0, "{query}: {}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["freshness"], "fresh", "{query}");
        assert_eq!(answer["query"], query);
    }
}

#[test]
fn handles_and_places_can_be_given_back() {
    let (repo, cli) = store();
    let hit = cli.json(&["search", "Store.open"])["results"][0].clone();
    assert_eq!(hit["path"], "src/store.ts");
    let chunk = hit["handle"].as_str().unwrap();
    let symbol = cli.json(&["map", "src/store.ts"])["files"][0]["symbols"][1].clone();
    assert_eq!(symbol["name"], "Store.open");
    let symbol = symbol["handle"].as_str().unwrap();
    let text = |args: &[&str]| cli.json(args)["content"].as_str().unwrap().to_owned();
    assert_eq!(
        text(&["expand", "--handle", symbol]),
        "  open() { return 1 }\n"
    );
    assert!(text(&["expand", chunk]).contains("class Store"));
    assert_eq!(
        text(&["expand", "src/store.ts:3"]),
        "  open() { return 1 }\n}\n"
    );
    assert_eq!(
        text(&["expand", "src/store.ts:2-2"]),
        "export class Store {\n"
    );
    // The same code keeps its handle when lines above it come.
    let before = repo.read("src/store.ts");
    repo.write("src/store.ts", format!("const added = 1\n\n{before}"));
    let moved = cli.json(&["expand", "--handle", symbol]);
    assert_eq!(moved["content"], "  open() { return 1 }\n");
    assert_eq!(moved["startLine"], 5);
    repo.write("src/store.ts", "export {}\n");
    assert_eq!(
        error(&cli, &["expand", "--handle", symbol])["code"],
        "unknown_handle"
    );
}

#[test]
fn an_empty_file_is_read_as_what_it_is() {
    let (repo, cli) = store();
    repo.write("empty.ts", "");
    let answer = cli.json(&["expand", "empty.ts"]);
    assert_eq!(
        (&answer["content"], &answer["totalLines"]),
        (&json!(""), &json!(0))
    );
    assert_eq!(answer["truncated"], false);
}

#[test]
fn pages_follow_each_other_without_gap_or_repetition() {
    let (repo, cli) = store();
    for n in 0..12 {
        repo.write(
            &format!("src/m{n:02}.ts"),
            format!("export function gather{n}() {{ return 'gather' }}\n"),
        );
    }
    let mut seen: Vec<String> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["search", "gather", "-n", "5"];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = cli.json(&args);
        for hit in page["results"].as_array().unwrap() {
            seen.push(format!("{}:{}", hit["path"], hit["lines"]));
        }
        let Some(next) = page["nextCursor"].as_str() else {
            break;
        };
        cursor = Some(next.to_owned());
    }
    let whole = cli.json(&["search", "gather", "-n", "50"]);
    let wanted: Vec<String> = whole["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| format!("{}:{}", hit["path"], hit["lines"]))
        .collect();
    assert_eq!(seen, wanted);
    assert!(seen.len() >= 12);
    let cursor = cursor.unwrap();
    assert_eq!(
        error(&cli, &["search", "other", "--cursor", &cursor])["code"],
        "bad_cursor"
    );
}

#[test]
fn unreadable_index_is_rebuilt() {
    let (_repo, cli) = store();
    let files = |ending: &str| {
        let mut files = cli.index_files();
        files.retain(|path| path.to_string_lossy().ends_with(ending));
        files
    };
    let works = |what: &str| {
        let answer = cli.json(&["search", "Store.open"]);
        let found = (&answer["results"][0]["path"], &answer["freshness"]);
        assert_eq!(found, (&json!("src/store.ts"), &json!("fresh")), "{what}");
    };
    works("new");
    for (ending, bytes) in [
        (".db", &b"garbage"[..]),
        (".db", b""),
        (".json", b"x"),
        (".json", b""),
        (".json", b"{}"),
    ] {
        for file in files(ending) {
            std::fs::write(file, bytes).unwrap();
        }
        works(&format!("{ending} {bytes:?}"));
    }
    for file in files(".db") {
        std::fs::remove_file(file).unwrap();
    }
    works("deleted");
}

#[test]
fn the_data_directory_is_never_inside_the_repository() {
    let (repo, cli) = store();
    for place in ["data", ".git/data"] {
        let mut command = cli.command(&["search", "store"]);
        command.env("CODELENS_HOME", repo.path().join(place));
        let ran = command.output().unwrap();
        assert_eq!(ran.status.code(), Some(1));
        assert!(!repo.path().join(place).exists(), "{place}");
    }
}

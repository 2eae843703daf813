//! Every kind of input that a caller may send: answers that can be given back, errors that say what next.

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

/// Returns a repository of many files whose names, calls and texts are alike, so that every list is long.
fn large() -> (Repo, Cli) {
    let repo = Repo::new(Vec::new());
    let name = "aVeryLongNameOfAFunctionThatIsCalledFromEverywhere".repeat(2);
    repo.write(
        "src/common.ts",
        format!("export function {name}() {{ return '\u{1}\u{202e}' }}\n"),
    );
    for n in 0..420 {
        repo.write(
            &format!("packages/some-package-{}/src/module-number-{n}.ts", n % 9),
            format!(
                "import {{ {name} }} from '../../../src/common'\n// é\u{1}\n\
                 export function user{n}() {{ return {name}() }}\nexport const other{n} = () => any{n}.{name}()\n"
            ),
        );
    }
    let cli = Cli::new(repo.path());
    (repo, cli)
}

#[test]
fn no_reply_is_longer_than_44_000_bytes() {
    let (_repo, cli) = large();
    let name = "aVeryLongNameOfAFunctionThatIsCalledFromEverywhere".repeat(2);
    let question = format!("{name} ").repeat(40);
    let items: Vec<String> = (0..180)
        .map(|n| format!("packages/some-package-{}/src/module-number-{n}.ts", n % 9))
        .collect();
    let mut save = vec!["save", "all"];
    for item in &items {
        save.extend(["--path", item]);
    }
    let notes = "\u{1}".repeat(4_000);
    save.extend(["--notes", &notes]);
    for args in [
        &["search", &question, "-n", "50", "--snippet", "full"][..],
        &[
            "explore",
            &question,
            "-n",
            "50",
            "--snippet",
            "full",
            "--max-files",
            "20",
            "--max-related",
            "100",
        ],
        &["impact", &name, "-n", "500", "--depth", "5", "--sites"],
        &["impact", &name, "-n", "500", "--depth", "5"],
        &["related", "src/common.ts", "-n", "500", "--depth", "3"],
        &["map", "--all", "--limit", "200", "--budget", "20000"],
        &["expand", "src/common.ts"],
        &save,
        &["load", "all"],
        &["stats"],
        &["current"],
        &["doctor"],
    ] {
        let ran = cli.run(&[args, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{args:.60?} {}", ran.stderr);
        let n_bytes = ran.stdout.trim_end().len();
        assert!(n_bytes <= 44_000, "{:?}: {n_bytes} bytes", args[0]);
        if n_bytes > 37_000 {
            let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
            let goes_on = answer["nextCursor"].is_string() || answer["truncated"] == true;
            assert!(goes_on, "{:?}", args[0]);
        }
    }
}

#[test]
fn an_answer_from_a_part_of_the_index_says_so_first_and_denies_nothing() {
    let (_repo, cli) = large();
    let none = ["--budget-ms", "0"];
    let found = cli.json(&[&["search", "other7"][..], &none].concat());
    let fields: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(fields[..2], ["note", "freshness"], "{found}");
    assert_ne!(found["freshness"], "fresh");
    let found = cli.run(&[&["search", "other7"][..], &none].concat()).stdout;
    assert!(!found.contains("nothing found for"), "{found}");
    let found = cli.json(&[&["impact", "noSuchName"][..], &none].concat());
    let summary = found["summary"].as_str().unwrap();
    assert!(summary.starts_with("The index is "), "{summary}");
    assert!(summary.contains("found yet"), "{summary}");
    // Without a budget of its own the question waits.
    let found = cli.json(&["impact", "noSuchName"]);
    assert_eq!(found["freshness"], "fresh", "{found}");
    let summary = found["summary"].as_str().unwrap();
    assert!(summary.starts_with("No definition is named"), "{summary}");
    let found = cli.json(&["search", "zzqqxx"]);
    assert_eq!(
        found["note"],
        "No indexed file contains any of these words; looked through 421 files."
    );
    // The index has single letters as names alone.
    let found = cli.json(&["search", "T"]);
    let note = found["note"].as_str().unwrap();
    assert!(note.starts_with("Single letters are found"), "{note}");
    for name in ["::", "Router::"] {
        let refused = cli.run(&["impact", name]);
        assert!(refused.stderr.contains("ends without a name"), "{name}");
    }
}

#[test]
fn text_that_is_meant_as_it_stands_comes_first() {
    let repo = Fixture::parse(
        "//- /src/shard.ts\nexport function shard(n: number) { return shard(n - 1) }\n\
         //- /src/options.ts\nexport const options = [\n  ['--shard <n>', 'part of all'],\n  ['--shards', 'other'],\n]\n\
         //- /src/resolve.ts\n/** Failed components resolve later: to resolve is to find. */\nexport class Failed {\n  resolve() { return 'component' }\n}\n\
         //- /src/warn.ts\nexport function warn() { throw new Error('Failed to resolve component: x') }\n\
         //- /src/flags.d.ts\ndeclare const __DEV__: boolean\ndeclare const __TEST__: boolean\ndeclare const __SUSPENSE__: boolean\n\
         //- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    for (question, path) in [
        ("--shard", "src/options.ts"),
        ("where is --shard read?", "src/options.ts"),
        ("\"Failed to resolve component\"", "src/warn.ts"),
        ("Failed to resolve component", "src/warn.ts"),
    ] {
        let found = cli.json(&["search", question, "-n", "9"]);
        let first = &found["results"][0];
        assert_eq!(first["path"], path, "{found}");
        assert_eq!(first["literal"], 1, "{first}");
        for other in &found["results"].as_array().unwrap()[1..] {
            assert!(other["literal"].is_null(), "{other}");
        }
    }
    let found = cli.json(&["search", "__SUSPENSE__"]);
    let first = &found["results"][0];
    assert_eq!(
        (&first["symbol"], &first["line"]),
        (&json!("__SUSPENSE__"), &json!(3))
    );
    assert_eq!(first["score"], 1.0);
    // Rubbish has no 1.00.
    let found = cli.json(&["search", "oauth token shard"]);
    assert_eq!(found["missing"], json!(["oauth", "token"]));
    assert_eq!(found["confidence"]["basis"], "words");
    // A name beside words that are nowhere leaves those missing.
    let found = cli.json(&["search", "__SUSPENSE__ oauth"]);
    assert_eq!(found["missing"], json!(["oauth"]), "{found}");
    assert!(found["results"][0]["score"].as_f64().unwrap() < 1.0);
    assert!(
        found["results"][0]["score"].as_f64().unwrap() < 0.5,
        "{found}"
    );
    // Options of the command still are options.
    let found = cli.json(&["search", "-n", "1", "--shard"]);
    assert_eq!(found["count"], 1);
    assert!(!cli.fails(&["search", "--limit", "many", "x"], 2).is_empty());
}

#[test]
fn a_query_of_signs_alone_has_no_answer_and_says_what_to_type() {
    let repo = Fixture::parse(
        "//- /src/page.js\nconst $ = (id) => document.getElementById(id)\nexport const one = $('a')\n//- commit base\n",
    )
    .build();
    let cli = Cli::new(repo.path());
    for query in ["!!! ???", "*", "🦀"] {
        for tool in ["search", "explore"] {
            let answer = cli.json(&[tool, query]);
            assert_eq!(answer["count"], 0, "{tool} {query}: {answer}");
            let note = answer["note"].as_str().unwrap();
            let typed = format!("codelens grep '{query}' --match literal");
            assert!(note.contains("no word") && note.contains(&typed), "{note}");
        }
    }
    // A name may be written in signs.
    let answer = cli.json(&["search", "$"]);
    assert_eq!(answer["results"][0]["symbol"], "$", "{answer}");
}

#[test]
fn a_language_is_named_by_an_extension_too() {
    let (_repo, cli) = store();
    for args in [
        &["search", "store", "--language", "ts"][..],
        &["grep", "Store", "--language", "TS"],
        &["symbols", "Store", "--language", "ts"],
    ] {
        let named: Vec<&str> = args.iter().copied().take(args.len() - 1).collect();
        let whole = cli.json(&[&named[..], &["typescript"]].concat());
        let short = cli.json(args);
        let list = |answer: &Value| {
            answer["results"]
                .as_array()
                .or(answer["symbols"].as_array())
                .map(Vec::len)
        };
        assert!(list(&short).unwrap() > 0, "{args:?}: {short}");
        assert_eq!(list(&short), list(&whole), "{args:?}");
    }
    let said = error(&cli, &["search", "store", "--language", "nosuch"]);
    assert!(
        said["message"].as_str().unwrap().contains("`nosuch`"),
        "{said}"
    );
}

#[test]
fn two_forms_of_one_answer_are_refused() {
    let (_repo, cli) = store();
    let said = cli.fails(&["changes", "--format", "sarif", "--json"], 2);
    assert!(
        said.contains("--format") && said.contains("--json"),
        "{said}"
    );
    let said = error(&cli, &["changes", "main..fix"]);
    let hint = said["hint"].as_str().unwrap();
    assert!(hint.contains("codelens changes main --head fix"), "{hint}");
}

#[test]
fn a_quotation_that_nothing_holds_is_missing() {
    let text = "//- /src/a.ts\nexport function open() { return 'it was not found' }\n\
                export function wait() { return 'found: not yet' }\n//- commit base\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let missing = |query: &str| cli.json(&["search", query])["missing"].clone();
    assert!(missing("\"not found\" open").is_null());
    assert_eq!(missing("\"found not\" open")[0], "\"found not\"");
}

#[test]
fn a_decorated_definition_has_the_line_of_its_name() {
    let text = "//- /a.py\n@cached\n@traced\ndef load():\n    pass\n\ndef plain():\n    pass\n//- commit base\n";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let symbols = cli.json(&["map", "a.py"])["files"][0]["symbols"].clone();
    let lines = |at: usize| {
        (
            symbols[at]["startLine"].as_u64(),
            symbols[at]["line"].as_u64(),
        )
    };
    assert_eq!(lines(0), (Some(1), Some(3)));
    assert_eq!(lines(1), (Some(6), None));
    let found = cli.json(&["impact", "load"]);
    assert_eq!(found["target"]["line"], 3);
}

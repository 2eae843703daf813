//! Settings: the file, the environment, flags, in this order.

use serde_json::Value;

use crate::support::{Cli, Fixture};

fn setting(cli: &Cli, args: &[&str], name: &str) -> (String, String) {
    let shown = cli.json(&[&["config", "show"], args].concat());
    let settings = shown["settings"].as_array().unwrap();
    let found = settings.iter().find(|setting| setting["name"] == name);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let found = found.unwrap();
    (text(&found["value"]), text(&found["source"]))
}

fn pair(value: &str, source: &str) -> (String, String) {
    (value.to_owned(), source.to_owned())
}

#[test]
fn the_nearer_source_wins_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("codelens.toml");
    let mut cli = Cli::new(dir.path());
    cli.set("CODELENS_CONFIG", file.to_str().unwrap());
    assert_eq!(setting(&cli, &[], "budget_ms"), pair("500", "default"));
    std::fs::write(
        &file,
        "budget_ms = 900\nhousekeeping = false\nunused_days = 99999\n",
    )
    .unwrap();
    assert_eq!(setting(&cli, &[], "budget_ms"), pair("900", "file"));
    assert_eq!(setting(&cli, &[], "housekeeping"), pair("off", "file"));
    assert_eq!(
        setting(&cli, &[], "unused_days"),
        pair("3650", "file"),
        "the bound"
    );
    cli.set("CODELENS_BUDGET_MS", "70");
    assert_eq!(
        setting(&cli, &[], "budget_ms"),
        pair("70", "environment (CODELENS_BUDGET_MS)")
    );
    assert_eq!(
        setting(&cli, &["--budget-ms", "8"], "budget_ms"),
        pair("8", "flag")
    );
    let shown = cli.run(&["config", "show"]).stdout;
    assert!(
        shown.contains("70 ms") && shown.contains("0 to 600000"),
        "{shown}"
    );
}

#[test]
fn a_setting_that_means_nothing_is_refused_by_every_command() {
    let repo = Fixture::parse("//- /a.ts\nexport const a = 1;\n//- commit one\n").build();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("codelens.toml");
    let mut cli = Cli::new(repo.path());
    let path = file.to_str().unwrap();
    cli.set("CODELENS_CONFIG", path);
    for (text, part) in [
        ("budget = 1", "`budget`"),
        ("budgetms = 1", "`codelens config show` lists the settings"),
        (
            "budget_ms = -5",
            "is not a whole number of milliseconds from 0 to 600000",
        ),
        ("budget_ms = \"soon\"", path),
        ("housekeeping = 7", "on or off"),
        ("budget_ms = ", "line 1: a value is missing"),
    ] {
        std::fs::write(&file, text).unwrap();
        for command in [&["config", "show"][..], &["search", "a"]] {
            let said = cli.fails(command, 1);
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}

#[test]
fn the_settings_of_housekeeping_are_kept_to() {
    let mut repo = Fixture::parse("//- /a.ts\nexport const a = 1;\n//- commit one\n").build();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("codelens.toml");
    std::fs::write(&file, "superseded_indexes = 0\n").unwrap();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_CONFIG", file.to_str().unwrap());
    for n in 0..3 {
        repo.then(&format!(
            "//- /a.ts\nexport const a{n} = 1;\n//- commit c{n}\n"
        ));
        cli.json(&["refresh"]);
    }
    assert_eq!(cli.json(&["stats"])["totalIndexes"], 1);
}

const LARGE: &str = "export const large = 1\n";

#[test]
fn a_repository_says_which_of_its_files_matter() {
    let repo = Fixture::parse(
        "//- /a.ts\nexport const a = 1\n//- /vendor/b.ts\nexport const b = 1\n//- /c.snap\nc\n//- commit one\n",
    )
    .build();
    repo.write("large.ts", LARGE.repeat(200));
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "large"]);
    let mut cli = Cli::new(repo.path());
    let files = |cli: &Cli| cli.json(&["refresh"])["totalFiles"].clone();
    let large = |cli: &Cli| cli.json(&["stats"])["skippedByReason"]["tooLarge"].clone();
    assert_eq!((files(&cli), large(&cli)), (4.into(), Value::Null));
    repo.write(
        ".codelens.toml",
        "exclude = [\"vendor/\", \"*.snap\"]\nmax_file_bytes = 2000\nhome = \"/tmp/elsewhere\"\nspeed = 9\n",
    );
    // `a.ts`, `large.ts` (counted, left out) and the file itself.
    assert_eq!((files(&cli), large(&cli)), (3.into(), 1.into()));
    assert_eq!(cli.json(&["search", "b"])["freshness"], "fresh");
    assert_eq!(
        setting(&cli, &[], "exclude"),
        pair("vendor/ *.snap", "repository")
    );
    assert_eq!(
        setting(&cli, &[], "max_file_bytes"),
        pair("2000", "repository")
    );
    let warnings = cli.json(&["config", "show"])["warnings"].clone();
    assert!(
        warnings[0].as_str().unwrap().contains("`home`"),
        "{warnings}"
    );
    assert!(
        warnings[1].as_str().unwrap().contains("`speed`"),
        "{warnings}"
    );
    let doctor = cli.run(&["doctor"]);
    assert_eq!(doctor.code, 1, "a fault is not ticked: {doctor:?}");
    for part in [
        ".codelens.toml, line 3: `home` is passed over",
        ".codelens.toml, line 4: `speed` is passed over",
        "correct `.codelens.toml`",
    ] {
        assert!(doctor.stdout.contains(part), "{doctor:?}");
    }
    // A `.codelensignore` outweighs it, and so does the user.
    repo.write(".codelensignore", "!*.snap\n");
    assert_eq!(files(&cli), 5);
    std::fs::remove_file(repo.path().join(".codelensignore")).unwrap();
    cli.set("CODELENS_REPOSITORY_FILE", "off");
    assert_eq!((files(&cli), large(&cli)), (5.into(), Value::Null));
    cli.set("CODELENS_REPOSITORY_FILE", "on");
    assert_eq!((files(&cli), large(&cli)), (3.into(), 1.into()));
    // Nothing outside of the work tree is read, and nothing that is no settings stops an answer.
    std::fs::remove_file(repo.path().join(".codelens.toml")).unwrap();
    let outside = repo.dir.path().join("outside.toml");
    std::fs::write(&outside, "exclude = [\"*\"]\n").unwrap();
    std::os::unix::fs::symlink(&outside, repo.path().join(".codelens.toml")).unwrap();
    assert_eq!(files(&cli), 4);
    std::fs::remove_file(repo.path().join(".codelens.toml")).unwrap();
    repo.write(".codelens.toml", b"\xff\x00[[");
    assert_eq!(files(&cli), 5);
}

const WORDS: &str = "//- /store.ts
/** Opens the store. */
export function openStore(): void {}

export function closeStore(): void {}
//- /mixed.py
def open_mixed():
    return 1
//- commit base
";

/// The settings of searching, watching and symbols: each is shown, takes its words, and refuses others with the list of them.
#[test]
fn new_settings_are_shown_and_refuse_what_they_do_not_take() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("codelens.toml");
    let mut cli = Cli::new(dir.path());
    cli.set("CODELENS_CONFIG", file.to_str().unwrap());
    for (name, default) in [
        ("search.low_confidence", "keep"),
        ("search.fusion", "gated"),
        ("memory.unasked", "titles"),
        ("symbols", "all"),
        ("watch.debounce_ms", "300"),
    ] {
        assert_eq!(setting(&cli, &[], name), pair(default, "default"));
    }
    std::fs::write(
        &file,
        "symbols = \"python, go\"\n[search]\nlow_confidence = \"top1\"\nfusion = \"rrf\"\n[memory]\nunasked = \"count\"\n[watch]\ndebounce_ms = 99999\n",
    )
    .unwrap();
    for (name, value) in [
        ("search.low_confidence", "top1"),
        ("search.fusion", "rrf"),
        ("memory.unasked", "count"),
        ("symbols", "python,go"),
        ("watch.debounce_ms", "10000"),
    ] {
        assert_eq!(setting(&cli, &[], name), pair(value, "file"), "{name}");
    }
    let huge = format!("symbols = \"{}\"", "python,".repeat(5_000));
    for (text, part) in [
        ("symbols = 7", "all, none, or some of typescript"),
        ("symbols = [\"go\"]", "all, none, or some of typescript"),
        ("symbols = \"cobol\"", "all, none, or some of typescript"),
        ("symbols = \"\"", "all, none, or some of typescript"),
        (huge.as_str(), "all, none, or some of typescript"),
        ("search.low_confidence = true", "keep, top1, empty"),
        ("search.low_confidence = \"all\"", "keep, top1, empty"),
        ("search.low_confidence = \"\"", "keep, top1, empty"),
        ("search.fusion = \"best\"", "gated, rrf"),
        ("search = \"rrf\"", "`search`"),
        ("search.speed = 1", "`search.speed`"),
        ("watch.debounce_ms = \"soon\"", "milliseconds"),
        ("watch.debounce_ms = -1", "milliseconds"),
        ("watch.debounce_ms = \"\"", "milliseconds"),
    ] {
        std::fs::write(&file, text).unwrap();
        let said = cli.fails(&["config", "show"], 1);
        assert!(said.contains(part), "{text}: {said}");
    }
    std::fs::remove_file(&file).unwrap();
    cli.set("CODELENS_SYMBOLS", "none");
    assert_eq!(
        setting(&cli, &[], "symbols"),
        pair("none", "environment (CODELENS_SYMBOLS)")
    );
}

#[test]
fn languages_are_read_to_the_symbol_as_the_user_says() {
    let repo = Fixture::parse(WORDS).build();
    let mut cli = Cli::new(repo.path());
    let names = |cli: &Cli| -> Vec<String> {
        let found = cli.json(&["map", "--name", "o"]);
        let found = found["symbols"].as_array().unwrap().iter();
        found
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&cli), ["open_mixed", "openStore", "closeStore"]);
    cli.set("CODELENS_SYMBOLS", "python");
    assert_eq!(names(&cli), ["open_mixed"]);
    // The text is still found, and the answer says how deep the file is read.
    let found = cli.json(&["search", "openStore"]);
    assert_eq!(found["results"][0]["path"], "store.ts");
    let map = cli.json(&["map", "store.ts"]);
    assert_eq!(map["analysed"]["languages"]["typescript"], 1, "{map}");
    cli.set("CODELENS_SYMBOLS", "all");
    assert_eq!(names(&cli), ["open_mixed", "openStore", "closeStore"]);
}

#[test]
fn an_answer_of_low_confidence_is_shown_as_the_user_says() {
    let repo = Fixture::parse(WORDS).build();
    let mut cli = Cli::new(repo.path());
    let rare = "oauth renewal of tokens where the store";
    let kept = cli.json(&["search", rare]);
    assert_eq!(kept["confidence"]["level"], "low", "{kept}");
    assert!(kept["count"].as_u64().unwrap() > 0);
    for (value, n) in [("top1", 1), ("empty", 0)] {
        for command in ["search", "explore"] {
            let args = [command, rare, "--low-confidence", value];
            let found = cli.json(&args);
            assert_eq!(found["count"], n, "{found}");
            assert_eq!(found["missing"], kept["missing"]);
            if n == 0 {
                let note = found["note"].as_str().unwrap();
                assert!(note.contains("low confidence"), "{note}");
                assert!(!note.contains("No file holds"), "{note}");
            }
        }
    }
    let packed = cli.json(&[
        "explore",
        rare,
        "--include",
        "source",
        "--low-confidence",
        "empty",
    ]);
    assert_eq!(packed["parts"], Value::Array(Vec::new()), "{packed}");
    // A name is sure, whatever the setting.
    cli.set("CODELENS_LOW_CONFIDENCE", "empty");
    let named = cli.json(&["search", "openStore"]);
    assert_eq!(named["confidence"]["level"], "high", "{named}");
    assert_eq!(named["confidence"]["basis"], "name");
    assert!(named["count"].as_u64().unwrap() > 0);
    assert!(
        !cli.fails(&["search", rare, "--low-confidence", "some"], 2)
            .is_empty()
    );
}

#[test]
fn signals_can_be_summed_by_rank() {
    let repo = Fixture::parse(WORDS).build();
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_FUSION", "rrf");
    let found = cli.json(&["search", "openStore", "--explain"]);
    let first = &found["results"][0];
    assert_eq!(first["symbol"], "openStore");
    let adds = first["explain"]["signals"].as_array().unwrap().iter();
    let sum: f64 = adds.map(|it| it["adds"].as_f64().unwrap()).sum();
    assert!((sum - first["explain"]["weight"].as_f64().unwrap()).abs() < 1e-3);
    // The default is the other one, and both find the same places.
    let places = |value: &Value| -> std::collections::BTreeSet<String> {
        let results = value["results"].as_array().unwrap().iter();
        results
            .map(|hit| format!("{}:{}", hit["path"], hit["lines"]))
            .collect()
    };
    cli.set("CODELENS_FUSION", "");
    let gated = cli.json(&["search", "openStore", "--explain"]);
    assert_eq!(places(&gated), places(&found));
    assert_ne!(gated["results"][0]["explain"], first["explain"]);
}

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
    cli.set("CODELENS_CONFIG", file.to_str().unwrap());
    for (text, part) in [
        ("budget = 1", "`budget`"),
        ("budget_ms = \"soon\"", "`budget_ms` in codelens.toml"),
        ("housekeeping = 7", "on or off"),
        ("budget_ms = ", "line 1"),
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
    assert_eq!(doctor.code, 0, "a warning, never a failure: {doctor:?}");
    assert!(
        doctor.stdout.contains("`home` is passed over"),
        "{doctor:?}"
    );
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

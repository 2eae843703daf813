//! `doctor` after every other command, and locks, settings files, indexes and names that stop nothing.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::time::{Duration, SystemTime};

use crate::support::{Cli, Fixture};

const ONE: &str =
    "//- /src/a.ts\nexport function open() { return 1; }\n//- /b.py\nx = 1\n//- commit one\n";

/// Returns the failed checks of `doctor`, but for the room on this machine's disk.
fn failed(cli: &Cli) -> Vec<String> {
    let ran = cli.run(&["doctor", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = value["checks"].as_array().unwrap().iter();
    checks
        .filter(|check| check["ok"] == false && check["name"] != "free space")
        .map(ToString::to_string)
        .collect()
}

#[test]
fn all_is_well_after_every_command() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    let bundle = repo.dir.path().join("one.bundle");
    let bundle = bundle.to_str().unwrap();
    let saved = repo.dir.path().join("saved.json");
    for line in [
        &["doctor"][..],
        &["current"],
        &["search", "open"],
        &["explore", "open"],
        &["map"],
        &["expand", "src/a.ts"],
        &["impact", "open"],
        &["related", "src/a.ts"],
        &["refresh"],
        &["refresh", "--force"],
        &["stats"],
        &["save", "here", "--path", "src/a.ts", "--pinned"],
        &["load", "here"],
        &["context", "list"],
        &["context", "export"],
        &["view"],
        &["list"],
        &["cache", "key"],
        &["bundle", "export", bundle],
        &["bundle", "import", bundle],
        &["config", "show"],
        &["install", "--client", "cursor"],
        &["install", "--guide", "AGENTS.md"],
        &["uninstall"],
        &["prune"],
        &["man"],
        &["completions", "bash"],
    ] {
        let ran = cli.run(line);
        assert_eq!(ran.code, 0, "{line:?}: {ran:?}");
        if line == ["context", "export"] {
            std::fs::write(&saved, ran.stdout).unwrap();
            cli.json(&["context", "import", saved.to_str().unwrap()]);
        }
        assert_eq!(failed(&cli), Vec::<String>::new(), "after {line:?}");
    }
    std::fs::write(cli.home().join("notes.txt"), "mine").unwrap();
    assert!(failed(&cli)[0].contains("notes.txt"));
}

#[test]
fn counts_are_the_same_wherever_they_are_shown() {
    let repo = Fixture::parse(
        "//- /a.ts\nexport function a() {}\n//- /b.ts\nimport { a } from './a';\nexport const b = () => a();\n//- commit one\n",
    )
    .build();
    let mut cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let view = cli.json(&["view"]);
    let (stats, list) = (cli.json(&["stats"]), cli.json(&["list"]));
    assert_eq!(stats["counts"]["edges"], view["edges"]);
    assert_eq!(stats["bytes"], list["repositories"][0]["bytes"]);
    let root = repo.path().canonicalize().unwrap();
    assert_eq!(
        list["repositories"][0]["path"],
        root.display().to_string(),
        "the work tree, not its `.git`"
    );
    repo.git(&["checkout", "--quiet", "--detach"]);
    cli.json(&["save", "here", "--notes", "n"]);
    let shown = cli.run(&["context", "list"]).stdout;
    assert!(shown.contains("detached"), "{shown}");
    let said = cli.run(&["view"]).stdout;
    assert!(said.contains("open it in a browser: "), "{said}");
    cli.set("COLUMNS", "100");
    let said = cli.fails(&["install", "--client", "AGENTS.md"], 2);
    assert!(said.contains("claude-code"), "{said}");
}

#[test]
fn a_lock_that_a_killed_git_left_behind_stops_nothing() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    let lock = repo.path().join(".git/index.lock");
    let file = std::fs::File::create(&lock).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_hours(1))
        .unwrap();
    drop(file);
    assert_eq!(cli.json(&["refresh"])["status"], "ready");
    assert_eq!(cli.json(&["search", "open"])["freshness"], "fresh");
    let said = cli.run(&["doctor"]);
    assert!(said.stdout.contains("no process holds it"), "{said:?}");
    assert!(lock.exists(), "nothing of git is touched");
    std::fs::File::create(&lock).unwrap();
    let said = cli.fails(&["refresh"], 1);
    assert!(said.contains("index.lock"), "a young one is git's: {said}");
}

#[cfg(target_os = "linux")]
#[test]
fn settings_in_the_default_place_that_mean_nothing_are_a_warning() {
    let repo = Fixture::parse(ONE).build();
    let mut cli = Cli::new(repo.path());
    let dir = cli.home().with_file_name(".config").join("codelens");
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("codelens.toml");
    let large = "\n".repeat(100_000);
    for (text, part) in [
        (
            &b"[server]\nport = 80\n"[..],
            "line 1: there is no setting `server`",
        ),
        (b"x y", "line 1"),
        (b"\xff\xfe", "cannot be read"),
        (large.as_bytes(), "64 KiB"),
    ] {
        std::fs::write(&file, text).unwrap();
        let ran = cli.run(&["search", "open", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
        let doctor = cli.run(&["doctor"]);
        assert!(doctor.stdout.contains(part), "{doctor:?}");
        assert!(
            doctor.stdout.contains("correct codelens.toml"),
            "{doctor:?}"
        );
        assert_eq!(doctor.code, 1, "a fault is not ticked: {doctor:?}");
        assert!(cli.run(&["config", "show"]).stdout.contains(part));
    }
    std::fs::write(&file, "budget_ms = 777\ncolour = 1\n").unwrap();
    let shown = cli.json(&["config", "show"]);
    assert!(
        shown["settings"].to_string().contains("\"777\""),
        "the rest of it counts"
    );
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert_eq!(cli.run(&["search", "open"]).code, 0);
    cli.set("CODELENS_CONFIG", file.to_str().unwrap());
    let said = cli.fails(&["search", "open"], 1);
    assert!(said.contains("cannot be read"), "a named one: {said}");
}

#[test]
fn an_index_of_a_newer_version_is_replaced_by_the_command_that_doctor_names() {
    let repo = Fixture::parse(ONE).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let find = || {
        let mut files = cli.index_files();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "db"));
        files
    };
    let file = find().remove(0);
    let mut database = std::fs::File::options().write(true).open(&file).unwrap();
    // `user_version`, in SQLite's header.
    database.seek(SeekFrom::Start(60)).unwrap();
    database.write_all(&99_999_u32.to_be_bytes()).unwrap();
    drop(database);
    for line in [&["search", "open"][..], &["refresh"]] {
        let said = cli.fails(line, 1);
        assert!(said.contains("codelens refresh --force"), "{said}");
    }
    assert!(file.exists(), "it is another version's");
    let found = failed(&cli).join("\n");
    assert!(found.contains("codelens refresh --force"), "{found}");
    assert_eq!(cli.json(&["refresh", "--force"])["status"], "ready");
    assert_eq!(cli.json(&["search", "open"])["freshness"], "fresh");
    assert_eq!(failed(&cli), Vec::<String>::new());
}

#[test]
fn a_name_of_100_000_characters_hides_no_definition_after_it() {
    let name = "a".repeat(100_000);
    let text = format!("export const {name} = 1;\nexport function after() {{}}\nafter();\n");
    let repo = Fixture::parse(ONE).build();
    repo.write("long.ts", text);
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let outline = cli.json(&["map", "long.ts"]);
    let symbols = outline["files"][0]["symbols"].as_array().unwrap();
    assert!(symbols.iter().any(|symbol| symbol["name"] == "after"));
    assert_eq!(cli.json(&["impact", "after"])["callers"][0]["line"], 3);
    assert_eq!(failed(&cli), Vec::<String>::new());
}

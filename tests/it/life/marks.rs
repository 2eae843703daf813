//! Marks that a person lets count, and files that were changed lately, in the order of search results.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Cli, Fixture, Repo};

const TWINS: &str = "\
//- /src/a.ts
/** Sends the parcels of a customer to the depot. */
export function sendParcelsFirst(depot: string) {
  return depot + 'first';
}
//- /src/b.ts
/** Sends the parcels of a customer to the depot. */
export function sendParcelsAgain(depot: string) {
  return depot + 'again';
}
//- /src/train.ts
export const timetable = ['train'];
";

/// A question of which no file holds all words.
const QUESTION: &str = "parcels of a customer to the depot by train timetable";

fn start() -> (Repo, Cli, std::path::PathBuf) {
    // Words that few of the files hold.
    let others: String = (0..12).fold(String::new(), |text, n| {
        text + &format!("//- /src/other{n}.ts\nexport const other{n} = 'nothing of it {n}';\n")
    });
    let repo = Fixture::parse(&format!("{TWINS}{others}//- commit base\n")).build();
    let file = repo.dir.path().join("config/codelens.toml");
    let mut cli = Cli::new(repo.path());
    cli.set("CODELENS_CONFIG", file.to_str().unwrap());
    (repo, cli, file)
}

fn order(cli: &Cli) -> Vec<String> {
    let found = cli.json(&["search", QUESTION]);
    let results = found["results"].as_array().unwrap().iter();
    let paths = results.map(|it| it["path"].as_str().unwrap().to_owned());
    paths
        .filter(|path| ["src/a.ts", "src/b.ts"].contains(&path.as_str()))
        .collect()
}

/// Runs a command as a person does, at a terminal; returns what it prints.
fn at_a_terminal(cli: &Cli, line: &str) -> Option<String> {
    Command::new("script").arg("--version").output().ok()?;
    let binary = env!("CARGO_BIN_EXE_codelens");
    let asked = cli.command::<&str>(&[]);
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{binary} {line}"), "/dev/null"]);
    command.env_clear().stdin(std::process::Stdio::null());
    for (name, value) in asked.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.current_dir(asked.get_current_dir().unwrap());
    let ran = command.output().ok()?;
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

fn mark(cli: &Cli, word: &str, path: &str) -> String {
    let saved = cli.json(&["mark", word, "--path", path]);
    saved["id"].as_str().unwrap().to_owned()
}

#[test]
fn marks_count_where_a_person_wrote_them_into_the_settings() {
    let (repo, cli, file) = start();
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"]);
    let id = mark(&cli, "ignore", "src/a.ts");
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"], "a mark labels");
    // A program can't make it count.
    let said = cli.fails(&["mark", "apply", &id], 1);
    assert!(said.contains("at a terminal") && !file.exists(), "{said}");
    let place = repo.path().canonicalize().unwrap();
    let entry = |path: &str, word: &str| {
        format!(
            "[[mark]]\nrepo = {:?}\npath = \"{path}\"\nword = \"{word}\"\n",
            place.to_str().unwrap()
        )
    };
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    if let Some(printed) = at_a_terminal(&cli, &format!("mark apply {id}")) {
        assert!(printed.contains("src/a.ts counts as ignore"), "{printed}");
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            entry("src/a.ts", "ignore")
        );
        let noted = at_a_terminal(&cli, "note add --path src/b.ts 'By a person.' --json").unwrap();
        let noted: Value = serde_json::from_str(noted.trim()).unwrap();
        let noted = cli.json(&["load", noted["id"].as_str().unwrap()]);
        assert_eq!(noted["results"][0]["author"]["by"], "person", "{noted}");
        let again = at_a_terminal(&cli, &format!("mark apply {id}")).unwrap();
        assert!(again.contains("they count already"), "{again}");
        // What is there stays as it is.
        std::fs::write(&file, "# mine\nbudget_ms = 900 # slow disk\n").unwrap();
        at_a_terminal(&cli, &format!("mark apply {id}")).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            format!(
                "# mine\nbudget_ms = 900 # slow disk\n\n{}",
                entry("src/a.ts", "ignore")
            )
        );
        refused(&cli, &file);
    }
    std::fs::write(&file, entry("src/a.ts", "ignore")).unwrap();
    assert_eq!(
        order(&cli),
        ["src/b.ts", "src/a.ts"],
        "behind, and not hidden"
    );
    let found = cli.json(&["search", QUESTION, "--explain"]);
    let results = found["results"].as_array().unwrap();
    let last = results.iter().find(|it| it["path"] == "src/a.ts").unwrap();
    assert_eq!(last["explain"]["factors"]["ignored"], 0.2, "{found}");
    for word in ["test", "generated", "config", "documentation"] {
        std::fs::write(&file, entry("src/a.ts", word)).unwrap();
        assert_eq!(order(&cli), ["src/b.ts", "src/a.ts"], "{word}");
    }
    // Of a directory, and of another repository.
    std::fs::write(&file, entry("src", "generated")).unwrap();
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"]);
    std::fs::write(
        &file,
        entry("src/a.ts", "test").replace("/repo\"", "/other\""),
    )
    .unwrap();
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"]);
    // Every line and every file is found all the same.
    let lines = |cli: &Cli| cli.json(&["search", "--match", "literal", "depot"]);
    let before = lines(&cli);
    std::fs::write(&file, entry("src/a.ts", "ignore")).unwrap();
    assert_eq!(lines(&cli), before);
    let shown = cli.json(&["config", "show"]);
    assert_eq!(shown["marks"][0]["path"], "src/a.ts", "{shown}");
    assert!(
        cli.run(&["config", "show"])
            .stdout
            .contains("counts as ignore")
    );
    // The repository itself has no say.
    std::fs::write(&file, "").unwrap();
    repo.write(".codelens.toml", entry("src/a.ts", "ignore"));
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"]);
    let warnings = cli.json(&["config", "show"])["warnings"].to_string();
    assert!(warnings.contains("`mark` is passed over"), "{warnings}");
    for (text, part) in [
        ("mark = 1", "no table"),
        (
            "[[mark]]\nrepo = \"x\"\npath = \"a\"\nword = \"test\"",
            "absolute",
        ),
        (
            "[[mark]]\nrepo = \"/x\"\npath = \"a\"\nword = \"mine\"",
            "counts nowhere",
        ),
        (
            "[[mark]]\nrepo = \"/x\"\npath = [\"a\"]\nword = \"test\"",
            "no `path`",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        assert!(cli.fails(&["search", "x"], 1).contains(part), "{text}");
    }
}

/// Marks that have no place in the order, and settings that can't be written.
fn refused(cli: &Cli, file: &Path) {
    let own = mark(cli, "reviewed", "src/a.ts");
    let of_lines = cli.json(&["mark", "test", "--handle", &cli.handle("sendParcelsFirst")]);
    let before = std::fs::read_to_string(file).unwrap();
    for (id, part) in [
        (own.as_str(), "counts nowhere"),
        (of_lines["id"].as_str().unwrap(), "marks no whole file"),
        ("mem_0000000000000000", "nothing is saved"),
    ] {
        let said = at_a_terminal(cli, &format!("mark apply {id}")).unwrap();
        assert!(said.contains(part), "{id}: {said}");
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), before);
}

#[test]
fn files_that_were_changed_lately_go_before_equals_where_that_is_wished() {
    let (repo, mut cli, file) = start();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    // A minute after the other one: too little to be told apart.
    repo.write("src/b.ts", repo.read("src/b.ts") + "\n");
    repo.git(&["commit", "--quiet", "--all", "--message", "more"]);
    cli.json(&["refresh"]);
    let of_b = |cli: &Cli| -> Value {
        let found = cli.json(&["search", QUESTION, "--explain"]);
        let mut results = found["results"].as_array().unwrap().iter();
        let of_b = results.find(|it| it["path"] == "src/b.ts");
        of_b.unwrap().clone()
    };
    let first = of_b(&cli);
    std::fs::write(&file, "[search]\nrecency = 1.0\n").unwrap();
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"], "of the same day");
    dated(&repo, "src/b.ts", "2024-08-01T00:00:00+0000");
    cli.json(&["refresh"]);
    std::fs::write(&file, "").unwrap();
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"], "off by default");
    std::fs::write(&file, "search.recency = 0.2\n").unwrap();
    assert_eq!(order(&cli), ["src/b.ts", "src/a.ts"]);
    let found = of_b(&cli);
    let signals = found["explain"]["signals"].as_array().unwrap();
    let recency = signals.iter().find(|it| it["name"] == "recency").unwrap();
    assert!(recency["adds"].as_f64().unwrap() <= 0.01, "{found}");
    assert_eq!(
        found["score"], first["score"],
        "the share of the question is the same"
    );
    // A question for a name is after one place, and the repository has no say.
    let named = |cli: &Cli| cli.json(&["search", "sendParcelsFirst"])["results"][0]["path"].clone();
    assert_eq!(named(&cli), "src/a.ts");
    std::fs::write(&file, "").unwrap();
    repo.write(".codelens.toml", "[search]\nrecency = 1.0\n");
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"]);
    // Another commit that is checked out has other ages.
    std::fs::remove_file(repo.path().join(".codelens.toml")).unwrap();
    std::fs::write(&file, "search.recency = 1\n").unwrap();
    dated(&repo, "src/a.ts", "2024-12-01T00:00:00+0000");
    cli.json(&["refresh"]);
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"]);
    repo.git(&["checkout", "--quiet", "HEAD~1"]);
    cli.json(&["refresh"]);
    assert_eq!(order(&cli), ["src/b.ts", "src/a.ts"]);
    cli.set("CODELENS_RECENCY", "0");
    assert_eq!(order(&cli), ["src/a.ts", "src/b.ts"]);
}

/// Commits a change of a file with a date of its own.
fn dated(repo: &Repo, path: &str, date: &str) {
    repo.write(path, repo.read(path) + "\n");
    let ran = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "commit.gpgSign=false",
        ])
        .args(["commit", "--quiet", "--all", "--message", "more"])
        .current_dir(repo.path())
        .env("GIT_COMMITTER_DATE", date)
        .env("GIT_AUTHOR_DATE", date)
        .status();
    assert!(ran.unwrap().success());
}

#[test]
fn the_weight_of_recency_is_a_number_from_0_to_1() {
    let (_repo, mut cli, file) = start();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let shown = |cli: &Cli| -> Value {
        let shown = cli.json(&["config", "show"]);
        let settings = shown["settings"].as_array().unwrap().iter();
        let found = settings.clone().find(|it| it["name"] == "search.recency");
        found.unwrap().clone()
    };
    let default = shown(&cli);
    assert_eq!(
        (&default["value"], &default["source"], &default["bounds"]),
        (&json!("0.0"), &json!("default"), &json!("0.0 to 1.0"))
    );
    for (text, value) in [
        ("0.25", "0.25"),
        ("1", "1.0"),
        ("\"0.5\"", "0.5"),
        ("99999999999999999999.0", "1.0"),
        ("-3", "0.0"),
        ("0.12345", "0.123"),
        ("inf", "1.0"),
    ] {
        std::fs::write(&file, format!("search.recency = {text}\n")).unwrap();
        assert_eq!(shown(&cli)["value"], value, "{text}");
    }
    for text in ["\"soon\"", "true", "\"\"", "[0.5]", "nan", "{ a = 1 }"] {
        std::fs::write(&file, format!("search.recency = {text}\n")).unwrap();
        let said = cli.fails(&["search", "x"], 1);
        assert!(
            said.contains("a number from 0 to 1") && said.contains("codelens.toml"),
            "{text}: {said}"
        );
    }
    std::fs::write(&file, "search.recent = 1\n").unwrap();
    assert!(
        cli.fails(&["config", "show"], 1)
            .contains("`search.recent`")
    );
    std::fs::remove_file(&file).unwrap();
    cli.set("CODELENS_RECENCY", "x".repeat(100_000));
    assert!(cli.fails(&["search", "x"], 1).contains("CODELENS_RECENCY"));
}

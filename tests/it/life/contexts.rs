//! Saved contexts are found again, or said not to be there.

use serde_json::{Value, json};

use crate::support::{Cli, Fixture, walk};

const BASE: &str = "\
//- /src/store.ts
/** Keeps what was said. */
export class Store {
  private said: string[] = [];
  open(name: string) {
    this.said.push(name);
    return this.said.length;
  }
  close() {
    this.said.length = 0;
    return 'closed';
  }
}
//- /src/format.ts
export function format(value: number) {
  const text = value.toFixed(2);
  const parts = text.split('.');
  return parts.join(',');
}
//- /src/parse.ts
export function parse(text: string) {
  const parts = text.split(',');
  const value = Number(parts.join('.'));
  return value;
}
export function unused(one: number) {
  const twice = one + one;
  const thrice = twice + one;
  return thrice;
}
//- /docs/guide.md
# Guide

Read this first.
//- commit base
";

/// Returns the handle of a symbol.
fn handle(cli: &Cli, path: &str, name: &str) -> String {
    let map = cli.json(&["map", path, "--all"]);
    let files = map["files"].as_array().unwrap();
    let mut symbols = files
        .iter()
        .flat_map(|file| file["symbols"].as_array().unwrap());
    let found = symbols.find(|symbol| symbol["name"] == name);
    found.unwrap_or_else(|| panic!("{name}: {map}"))["handle"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Returns the items of a context as (path, symbol, lines, state).
fn states(cli: &Cli, name: &str) -> Vec<(String, String, String, String)> {
    let loaded = cli.json(&["load", name]);
    assert_eq!(loaded["freshness"], "fresh", "{loaded}");
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    loaded["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (
                text(&item["path"]),
                text(&item["symbol"]),
                text(&item["lines"]),
                text(&item["state"]),
            )
        })
        .collect()
}

fn row(path: &str, symbol: &str, lines: &str, state: &str) -> (String, String, String, String) {
    (
        path.to_owned(),
        symbol.to_owned(),
        lines.to_owned(),
        state.to_owned(),
    )
}

#[test]
fn saved_code_is_found_where_it_is_now() {
    let mut repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let open = handle(&cli, "src/store.ts", "Store.open");
    let close = handle(&cli, "src/store.ts", "Store.close");
    let format = handle(&cli, "src/format.ts", "format");
    let parse = handle(&cli, "src/parse.ts", "parse");
    let unused = handle(&cli, "src/parse.ts", "unused");
    let saved = cli.json(&[
        "save",
        "work",
        "--handle",
        &open,
        "--path",
        "docs/guide.md",
        "--handle",
        &close,
        "--handle",
        &format,
        "--handle",
        &parse,
        "--handle",
        &unused,
        "--notes",
        "closing is wrong",
    ]);
    let id = saved["id"].as_str().unwrap();
    assert!(id.starts_with("mem_") && id.len() == 20, "{saved}");
    assert_eq!(
        saved,
        json!({"id": id, "kind": "context", "name": "work", "pinned": false, "itemCount": 6})
    );
    assert_eq!(
        states(&cli, "work"),
        [
            row("src/store.ts", "Store.open", "4-7", "same"),
            row("docs/guide.md", "-", "-", "same"),
            row("src/store.ts", "Store.close", "8-11", "same"),
            row("src/format.ts", "format", "1-5", "same"),
            row("src/parse.ts", "parse", "1-5", "same"),
            row("src/parse.ts", "unused", "6-10", "same"),
        ]
    );
    repo.then(
        "\
//- branch later
//- rename /src/format.ts /src/text/format.ts
//- /src/store.ts
// A line above.
export class Store {
  private said: string[] = [];
  close() {
    this.said = [];
    return 'closed';
  }
  open(name: string) {
    this.said.push(name);
    return this.said.length;
  }
}
//- /src/parse.ts
export function read(text: string) {
  const parts = text.split(',');
  const value = Number(parts.join('.'));
  return value;
}
//- remove /docs
//- commit later
",
    );
    assert_eq!(
        states(&cli, "work"),
        [
            row("src/store.ts", "Store.open", "8-11", "moved"),
            row("docs/guide.md", "-", "-", "missing"),
            row("src/store.ts", "Store.close", "4-7", "changed"),
            row("src/text/format.ts", "format", "1-5", "moved"),
            row("src/parse.ts", "read", "1-5", "changed"),
            row("src/parse.ts", "unused", "-", "missing"),
        ]
    );
    // What was found has handles that are taken everywhere.
    let loaded = cli.json(&["load", "work"]);
    let read = cli.json(&[
        "expand",
        "--handle",
        loaded["items"][3]["handle"].as_str().unwrap(),
    ]);
    assert_eq!(read["path"], "src/text/format.ts");
    assert_eq!(loaded["context"]["notes"], "closing is wrong");
    assert_eq!(loaded["context"]["branch"], "main");
    repo.then("//- checkout main\n");
    assert!(
        states(&cli, "work")
            .iter()
            .all(|(.., state)| state == "same")
    );
}

#[test]
fn what_was_saved_outlives_every_index() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let open = handle(&cli, "src/store.ts", "Store.open");
    cli.json(&["save", "work", "--handle", &open]);
    cli.json(&["refresh", "--force"]);
    for entry in walk(&cli.home()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("idx_") && entry.extension().is_some_and(|end| end == "db") {
            std::fs::write(&entry, vec![1_u8; 40_000]).unwrap();
        } else if name.starts_with("idx_") {
            std::fs::remove_file(&entry).unwrap();
        }
    }
    assert_eq!(
        states(&cli, "work"),
        [row("src/store.ts", "Store.open", "4-7", "same")]
    );
}

#[test]
fn nothing_is_saved_by_halves() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    for (args, code) in [
        (
            vec![
                "save",
                "x",
                "--path",
                "src/store.ts",
                "--handle",
                "sym_0000000000000000",
            ],
            "unknown_handle",
        ),
        (
            vec![
                "save",
                "x",
                "--path",
                "src/store.ts",
                "--path",
                "src/none.ts",
            ],
            "path_not_found",
        ),
        (vec!["save", "x", "--path", "../x.ts"], "outside_repo"),
        (vec!["save", "x", "--path", "src"], "not_indexed"),
        (vec!["save", "x"], "invalid_argument"),
        (vec!["save", " ", "--notes", "n"], "invalid_argument"),
    ] {
        let said = cli.fails(&[args.as_slice(), &["--json"]].concat(), 1);
        let error: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(error["error"]["code"], code, "{args:?}: {said}");
    }
    assert_eq!(cli.json(&["context", "list"]), json!({"contexts": []}));
    let said = cli.fails(&["load", "x"], 1);
    assert!(said.contains("nothing is saved"), "{said}");
}

#[test]
fn contexts_are_listed_renamed_removed_and_carried_elsewhere() {
    let repo = Fixture::parse(BASE).build();
    let mut cli = Cli::new(repo.path());
    cli.json(&["save", "one", "--path", "src/store.ts", "--pinned"]);
    cli.json(&["save", "two", "--notes", "only words"]);
    cli.json(&["context", "rename", "two", "three"]);
    assert!(
        cli.fails(&["context", "rename", "three", "one"], 1)
            .contains("is taken")
    );
    let names = |list: &Value| -> Vec<String> {
        let contexts = list["contexts"].as_array().unwrap().iter();
        contexts
            .map(|context| context["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&cli.json(&["context", "list"])), ["one", "three"]);
    let export = cli.run(&["context", "export", "one"]).stdout;
    let file = repo.dir.path().join("export.json");
    std::fs::write(&file, &export).unwrap();
    assert_eq!(
        cli.json(&["context", "rm", "one"]),
        json!({"removed": "one"})
    );
    assert_eq!(names(&cli.json(&["context", "list"])), ["three"]);
    // Another clone, another place.
    let other = Fixture::parse(BASE).build();
    cli.go(other.path());
    assert_eq!(names(&cli.json(&["context", "list"])), Vec::<String>::new());
    assert_eq!(
        cli.json(&["context", "import", file.to_str().unwrap()]),
        json!({"imported": ["one"]})
    );
    assert_eq!(states(&cli, "one"), [row("src/store.ts", "-", "-", "same")]);
    std::fs::write(
        &file,
        export.replace("\"path\": \"src", "\"path\": \"../src"),
    )
    .unwrap();
    let said = cli.fails(&["context", "import", file.to_str().unwrap()], 1);
    assert!(said.contains("no export"), "{said}");
}

#[test]
fn what_another_version_saved_is_found_in_a_file_that_is_the_same() {
    let repo = Fixture::parse(BASE).build();
    let cli = Cli::new(repo.path());
    let found = cli.json(&["search", "guide", "--path", "docs"]);
    let chunk = found["results"][0]["handle"].as_str().unwrap();
    assert!(chunk.starts_with("chk_"), "{found}");
    cli.json(&["save", "work", "--handle", chunk]);
    let same = [row("docs/guide.md", "-", "1-3", "same")];
    assert_eq!(states(&cli, "work"), same);
    let contexts = walk(&cli.home());
    let contexts = contexts.iter().find(|path| path.ends_with("contexts.db"));
    let db = rusqlite::Connection::open(contexts.expect("contexts are kept")).unwrap();
    let n = db.execute("UPDATE item SET handle = 'chk_0123456789abcdef'", []);
    assert_eq!(n, Ok(1));
    drop(db);
    assert_eq!(states(&cli, "work"), same);
    let path = repo.path().join("docs/guide.md");
    std::fs::write(path, "# Guide\n\nRead that first.\n").unwrap();
    assert_eq!(states(&cli, "work")[0].3, "missing");
}

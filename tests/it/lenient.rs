//! Input as people and agents write it: paths from where they are, absolute paths, names like calls, numbers as text, other
//! names of fields.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

const TWO_PACKAGES: &str = "\
//- /packages/core/src/queue.ts
export function queueJob() { return 1; }
//- /packages/core/src/app.ts
import { queueJob } from './queue';
export const go = () => queueJob();
//- /packages/web/src/page.ts
export function page() { return 2; }
//- /src/queue.ts
export function rootQueue() { return 3; }
//- commit one
";

fn repo() -> (Repo, Cli) {
    let repo = Fixture::parse(TWO_PACKAGES).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

fn first_path(value: &Value) -> &str {
    let lists = ["files", "results", "targets"];
    let entry = lists.iter().find_map(|list| value[list].get(0));
    entry.or(value.get("target")).unwrap_or(value)["path"]
        .as_str()
        .unwrap_or_default()
}

#[test]
fn relative_paths_belong_to_the_working_directory() {
    let (repo, mut cli) = repo();
    cli.go(repo.path().join("packages/core/src"));
    let wanted = "packages/core/src/queue.ts";
    for line in [
        &["map", "queue.ts"][..],
        &["map", "./queue.ts"],
        &["map", "../src//queue.ts"],
        &["expand", "queue.ts"],
        &["expand", "queue.ts:1-1"],
        &["impact", "--path", "queue.ts"],
        &["search", "queue", "--path", "."],
        &["search", "queue", "--path", "./"],
        &["search", "queue", "--path", "./q*.ts"],
    ] {
        assert_eq!(first_path(&cli.json(line)), wanted, "{line:?}");
    }
    let near = cli.json(&["related", "./queue.ts"]);
    assert_eq!(first_path(&near), "packages/core/src/app.ts");
    let page = cli.run(&["view", ".", "--output", "-"]).stdout;
    assert!(page.contains("\"src/queue.ts\"") || page.contains(wanted));
    assert!(!page.contains("page.ts"), "only the directory is drawn");
    cli.json(&["save", "here", "--path", "queue.ts"]);
    assert_eq!(cli.json(&["load", "here"])["items"][0]["path"], wanted);
}

#[test]
fn a_path_from_the_root_is_taken_where_the_nearer_one_is_not_there() {
    let (repo, mut cli) = repo();
    cli.go(repo.path().join("packages/core"));
    let path = |line: &[&str]| first_path(&cli.json(line)).to_owned();
    assert_eq!(
        path(&["map", "packages/web/src/page.ts"]),
        "packages/web/src/page.ts"
    );
    assert_eq!(
        path(&["map", "src/queue.ts"]),
        "packages/core/src/queue.ts",
        "the nearer one first"
    );
    assert_eq!(
        path(&["search", "page", "--path", "packages/web/*/page.ts"]),
        "packages/web/src/page.ts"
    );
    let said = cli.fails(&["map", "../../../elsewhere.ts"], 1);
    assert!(said.contains("not a path inside the repository"), "{said}");
    let said = cli.fails(&["map", "./nowhere.ts"], 1);
    assert!(said.contains("packages/core/nowhere.ts"), "{said}");
}

#[cfg(unix)]
#[test]
fn absolute_paths_are_taken_inside_the_repository_alone() {
    let (repo, cli) = repo();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(repo.path(), &link).unwrap();
    let deep = elsewhere.path().join("deep");
    std::os::unix::fs::symlink(repo.path().join("packages/core"), &deep).unwrap();
    let wanted = "packages/core/src/queue.ts";
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    for given in [
        text(&repo.path().join(wanted)),
        text(&link.join(wanted)),
        text(&deep.join("src/queue.ts")),
        format!(
            "{}/./packages/web/../core/src/queue.ts",
            repo.path().display()
        ),
        format!("{}/", repo.path().join(wanted).display()),
    ] {
        assert_eq!(first_path(&cli.json(&["map", &given])), wanted, "{given}");
    }
    let whole = cli.json(&["map", &text(&repo.path())]);
    assert_eq!(whole["fileCount"], 4);
    for given in [
        text(elsewhere.path()),
        "/etc/passwd".to_owned(),
        "/".repeat(5000) + "x",
        format!("{}/../{wanted}", repo.path().display()),
        format!("{}-other/a.ts", repo.path().display()),
        format!("{}/.git/config", repo.path().display()),
        "/a".repeat(2000),
    ] {
        let said = cli.fails(&["map", &given], 1);
        assert!(said.contains("not a path inside"), "{given}: {said}");
    }
    let said = cli.fails(&["map", "packages\\core\\src\\queue.ts"], 1);
    assert!(
        said.contains("did you mean `packages/core/src/queue.ts`"),
        "{said}"
    );
    let said = cli.fails(&["map", "C:\\work\\queue.ts"], 1);
    assert!(said.contains("no file or directory"), "{said}");
}

#[test]
fn a_path_without_its_beginning_is_answered_with_the_whole_one() {
    let (_repo, cli) = repo();
    for line in [
        &["map", "core/src"][..],
        &["search", "nothing", "--path", "core/src"],
        &["view", "core/src"],
    ] {
        let said = cli.fails(line, 1);
        assert!(
            said.contains("no file or directory") || said.contains("no indexed file"),
            "{line:?}: {said}"
        );
    }
    let said = cli.fails(&["map", "core/src", "--json"], 1);
    assert!(said.contains("did you mean `packages/core/src`"), "{said}");
    let said = cli.fails(&["map", "Packages/Core/SRC"], 1);
    assert!(said.contains("did you mean `packages/core/src`"), "{said}");
}

#[test]
fn an_agent_may_write_paths_numbers_and_names_in_its_own_way() {
    let (repo, cli) = repo();
    let mut session = Session::of(cli.command(&["serve"]));
    let mut id = 0;
    let mut ask = |tool: &str, input: Value| {
        id += 1;
        let reply = session.ask(id, "tools/call", &json!({"name": tool, "arguments": input}));
        reply["result"]["structuredContent"].clone()
    };
    let wanted = "packages/core/src/queue.ts";
    let absolute = repo.path().join(wanted).display().to_string();
    assert_eq!(
        first_path(&ask("cl_map", json!({"path": absolute}))),
        wanted
    );
    assert_eq!(
        first_path(&ask("cl_expand", json!({"file_path": absolute}))),
        wanted
    );
    let outside = ask("cl_expand", json!({"path": "/etc/passwd"}));
    assert_eq!(outside["error"]["code"], "outside_repo");
    let cwd = ask("cl_map", json!({"path": "./packages/core/src/queue.ts"}));
    assert_eq!(first_path(&cwd), wanted);
    let found = ask("cl_search", json!({"q": "queue", "limit": "1"}));
    assert_eq!(found["count"], 1, "{found}");
    let found = ask(
        "cl_impact",
        json!({"symbol": "queueJob()", "include_tests": "false", "sites": "true"}),
    );
    assert_eq!(found["target"]["symbol"], "queueJob", "{found}");
    assert!(found["sites"].is_array(), "{found}");
    for (tool, input) in [
        ("cl_search", json!({"query": "x", "limit": "five"})),
        ("cl_search", json!({"query": "x", "limit": ""})),
        ("cl_search", json!({"query": "x", "q": "y"})),
        ("cl_search", json!({"query": "x", "related": "maybe"})),
        ("cl_search", json!({"query": "x", "path": 7})),
        ("cl_search", json!({"query": "x", "limti": 1})),
        ("cl_map", json!({"path": [["a"]]})),
        ("cl_map", json!({"file": {"a": 1}})),
    ] {
        let found = ask(tool, input.clone());
        assert_eq!(
            found["error"]["code"], "invalid_argument",
            "{input}: {found}"
        );
    }
    let huge = ask(
        "cl_search",
        json!({"query": "queue", "limit": "9".repeat(500)}),
    );
    assert!(
        huge["count"].as_u64() > Some(1) || huge["error"]["code"] == "invalid_argument",
        "{huge}"
    );
    let huge = ask(
        "cl_map",
        json!({"path": format!("/{}", "a/".repeat(100_000))}),
    );
    assert_eq!(huge["error"]["code"], "outside_repo");
    let empty = ask("cl_impact", json!({"symbol": "()"}));
    assert!(empty["target"].is_null(), "{empty}");
}

#[test]
fn a_repository_that_is_not_there_is_an_error() {
    let (_repo, cli) = repo();
    let said = cli.fails(&["current", "--repo", "/no/such/place"], 1);
    assert!(
        said.contains("there is no directory `/no/such/place`"),
        "{said}"
    );
    assert!(said.contains("pass `--repo`: a path"), "{said}");
    let outside = tempfile::tempdir().unwrap();
    let mut nowhere = Cli::new(outside.path());
    nowhere.go(outside.path());
    assert_eq!(nowhere.json(&["current"])["inGitRepo"], false);
}

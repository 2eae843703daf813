//! Git's settings of the user, which a server reads anew for each question although it keeps the repository open.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture};

const FILES: &str = "\
//- /src/a.ts
export const a = 1;
//- commit one
//- /docs/b.ts
export const b = 1;
";

/// The files that an answer of the server lists, asked often enough for the repository to be kept.
fn listed(session: &mut Session, id: &mut u64) -> Vec<String> {
    let params = json!({"name": "cl_map", "arguments": {"view": "files"}});
    let mut answers: Vec<Value> = (0..3)
        .map(|_| {
            *id += 1;
            session.ask(*id, "tools/call", &params)
        })
        .map(|mut answer| answer["result"]["structuredContent"]["files"].take())
        .collect();
    let last = answers.pop().unwrap();
    assert_eq!(answers, [last.clone(), last.clone()], "nothing changed");
    let files = last.as_array().expect("a list of files").clone();
    let path = |file: &Value| file["path"].as_str().unwrap().to_owned();
    files.iter().map(path).collect()
}

fn write(place: &Path, name: &str, text: &str) {
    std::fs::write(place.join(name), text).unwrap();
}

#[test]
fn files_that_the_users_settings_take_in_are_read_in_each_call() {
    let repo = Fixture::parse(FILES).build();
    let cli = Cli::new(repo.path());
    let account = tempfile::tempdir().unwrap();
    let at = account.path();
    let settings = "[include]\n\tpath = ~/more\n[includeIf \"onbranch:other\"]\n\tpath = other\n";
    write(at, ".gitconfig", settings);
    write(at, "docs", "docs/\n");
    write(at, "src", "src/\n");
    let mut command = cli.command(&["serve"]);
    command.env("HOME", at);
    let mut session = Session::of(command);
    let mut id = 0;
    let both = ["docs/b.ts", "src/a.ts"];
    assert_eq!(listed(&mut session, &mut id), both);
    // A file that was not there, its change, its end.
    let excludes = |name: &str| {
        let rules = at.join(name);
        format!("[core]\n\texcludesFile = {}\n", rules.display())
    };
    write(at, "more", &excludes("docs"));
    assert_eq!(listed(&mut session, &mut id), ["src/a.ts"]);
    write(at, "more", &excludes("src"));
    assert_eq!(listed(&mut session, &mut id), both, "`src` is tracked");
    write(at, "more", &excludes("docs"));
    assert_eq!(listed(&mut session, &mut id), ["src/a.ts"]);
    std::fs::remove_file(at.join("more")).unwrap();
    assert_eq!(listed(&mut session, &mut id), both);
    // One whose condition comes true.
    write(at, "other", &excludes("docs"));
    assert_eq!(listed(&mut session, &mut id), both);
    repo.git(&["switch", "--quiet", "-c", "other"]);
    assert_eq!(listed(&mut session, &mut id), ["src/a.ts"]);
    // The settings themselves.
    write(at, ".gitconfig", "");
    assert_eq!(listed(&mut session, &mut id), both);
    assert_eq!(session.close().2, Some(0));
}

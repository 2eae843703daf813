//! Changes between two states, each case a repository in `fixtures/changes` whose name is a sentence. Lines that begin with
//! `//= ` say what is found between the commit `base` and the work tree: a kind of change with file and name (`< from`), a
//! broken use (`broken path:line change name +further lines`), a collision with the branch after `with`.

use std::path::Path;

use serde_json::Value;

use crate::support::{Cli, Fixture, Repo};

fn word(value: &Value) -> &str {
    value.as_str().filter(|it| !it.is_empty()).unwrap_or("-")
}

/// Returns the answer in the words of the fixtures.
fn found(answer: &Value) -> Vec<String> {
    let list = |key: &str| answer[key].as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for one in list("changes") {
        let from = &one["from"];
        let is_elsewhere = !from["evidence"].is_null();
        let from = match (word(&from["path"]), word(&from["symbol"])) {
            _ if !is_elsewhere => String::new(),
            ("-", name) => format!(" < {name}"),
            (path, _) => format!(" < {path}"),
        };
        let (change, path, symbol) = (&one["change"], &one["path"], &one["symbol"]);
        all.push(format!(
            "{} {} {}{from}",
            word(change),
            word(path),
            word(symbol)
        ));
    }
    for one in list("broken") {
        let also: Vec<String> = one["also"]
            .as_array()
            .into_iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        let also = match also.as_slice() {
            [] => String::new(),
            lines => format!(" +{}", lines.join(",")),
        };
        all.push(format!(
            "broken {}:{} {} {}{also}",
            word(&one["path"]),
            one["line"],
            word(&one["uses"]["change"]),
            word(&one["uses"]["symbol"])
        ));
    }
    for one in list("collisions") {
        all.push(format!(
            "collision {} {} {} {} {}",
            word(&one["kind"]),
            word(&one["path"]),
            word(&one["symbol"]),
            word(&one["ours"]),
            word(&one["theirs"])
        ));
    }
    if let Some(n) = answer["unresolved"].as_u64() {
        all.push(format!("unresolved {n}"));
    }
    all
}

/// Returns the fixture's repository and its expectations.
fn parsed(text: &str) -> (Repo, Vec<String>) {
    let (said, steps): (Vec<&str>, Vec<&str>) = text
        .split_inclusive('\n')
        .partition(|line| line.starts_with("//= "));
    let said = said.iter().map(|line| line[4..].trim().to_owned());
    (Fixture::parse(&steps.concat()).build(), said.collect())
}

#[test]
fn each_fixture_of_changes_is_told_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/changes");
    let mut faults = Vec::new();
    let mut n_fixtures = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (repo, said) = parsed(&std::fs::read_to_string(&path).unwrap());
        let cli = Cli::new(repo.path());
        let base = repo.commit("base").to_owned();
        let mut args = vec!["changes", &base, "--budget", "20000"];
        let with = said.iter().find_map(|line| line.strip_prefix("with "));
        args.extend(with.iter().flat_map(|name| ["--with", name]));
        let answer = cli.json(&args);
        let mut wanted: Vec<String> = said
            .iter()
            .filter(|line| !line.starts_with("with "))
            .cloned()
            .collect();
        let mut found = found(&answer);
        if with.is_some() {
            // The other lists have fixtures of their own.
            found.retain(|line| line.starts_with("collision"));
        }
        found.sort();
        wanted.sort();
        n_fixtures += 1;
        let missing: Vec<_> = wanted.iter().filter(|it| !found.contains(it)).collect();
        let more: Vec<_> = found.iter().filter(|it| !wanted.contains(it)).collect();
        if found != wanted {
            let name = path.file_stem().unwrap().to_string_lossy();
            faults.push(format!("{name}\n  missing {missing:#?}\n  more {more:#?}"));
        }
    }
    assert!(n_fixtures > 10);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

//! The tables of built-in names: each row has a use whose answer is another one without the row.
//!
//! The cases of a language stand in `fixtures/builtins`: after a line `=== NAME NAME` the text of a case for each of these names,
//! in which `NAME` stands for it (of `Arc.clone` for `Arc`, and `METHOD` for `clone`), with expectations (see `answers`). Text before the first case stands at the beginning of each.
//! The names stand there once more on purpose: a row that is taken out of a table makes its case fail, and one that comes in
//! without a case is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::answers::Answers;
use crate::model::builtin_table::row_use::{self, BuiltinRow};

/// Returns the cases in a file: the name of each, and its text.
fn cases(file: &str) -> Vec<(String, String)> {
    let mut cases = Vec::new();
    let (head, rest) = file.split_once("\n=== ").unwrap();
    let mut open_names = String::new();
    for part in rest.split("\n=== ") {
        let (names, text) = part.split_once('\n').unwrap_or((part, ""));
        open_names = format!("{open_names} {names}");
        if text.is_empty() {
            // More names follow.
            continue;
        }
        for name in open_names.split_whitespace() {
            let (first, second) = name.split_once('.').unwrap_or((name, ""));
            let text = text.replace("PATH", &name.replace('.', "::"));
            let text = text.replace("NAME", first).replace("METHOD", second);
            cases.push((name.to_owned(), format!("{head}\n{text}\n")));
        }
        open_names.clear();
    }
    cases
}

/// Fails unless each expectation of the cases in a file holds, and each row of the tables of a language, by the beginning of
/// their titles, is needed for one.
fn check(file: &str, language: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/builtins");
    let file = fs::read_to_string(path.join(file)).unwrap();
    let answers = Answers::new();
    let mut wrong = Vec::new();
    let cases = cases(&file);
    let mut users: BTreeMap<BuiltinRow, Vec<usize>> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, (_, text)) in cases.iter().enumerate() {
        let (answer, asked) = row_use::asked(|| answers.to(text));
        let faults = answer.iter().filter(|it| it.found != it.wanted);
        wrong.extend(faults.map(|it| format!("{} is {}", it.line, it.found)));
        for row in asked.into_iter().filter(|row| row.0.starts_with(language)) {
            users.entry(row).or_default().push(at);
        }
        found.push(answer);
    }
    let mut needed = BTreeSet::new();
    for (row, mut users) in users {
        // Most likely it is the case that is about the name.
        let name = row.1.trim_end_matches("()");
        users.sort_by_key(|at| !cases[*at].0.split('.').any(|it| it == name));
        let needs = |at: usize| row_use::without(row, || answers.to(&cases[at].1)) != found[at];
        if users.into_iter().any(needs) {
            needed.insert(row);
        }
    }
    let tables = row_use::tables();
    for (title, names) in tables.iter().filter(|it| it.0.starts_with(language)) {
        let distinct: BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{title}: a name twice");
        let free = names.iter().filter(|it| !needed.contains(&(*title, **it)));
        let free: Vec<&str> = free.copied().collect();
        if !free.is_empty() {
            wrong.push(format!("{title}: no case needs {}", free.join(" ")));
        }
    }
    let unasked = titles(language).into_iter();
    let unasked = unasked.filter(|title| !tables.contains_key(title.as_str()));
    wrong.extend(unasked.map(|title| format!("{title}: no case asks it")));
    assert!(
        wrong.is_empty(),
        "{} faults:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn rows_of_rust_are_needed() {
    check("rust.txt", "Rust: ");
}

#[test]
fn rows_of_csharp_are_needed() {
    check("csharp.txt", "C#: ");
}

#[test]
fn rows_of_java_are_needed() {
    check("java.txt", "Java: ");
}

#[test]
fn rows_of_go_are_needed() {
    check("go.txt", "Go: ");
}

#[test]
fn rows_of_c_are_needed() {
    check("c.txt", "C: ");
}

#[test]
fn rows_of_cpp_are_needed() {
    check("cpp.txt", "C++: ");
}

#[test]
fn rows_of_python_are_needed() {
    check("python.txt", "Python: ");
}

#[test]
fn rows_of_typescript_are_needed() {
    check("typescript.txt", "TypeScript: ");
}

/// The titles of the tables of a language, as the sources write them.
fn titles(language: &str) -> Vec<String> {
    let mut titles = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(path).unwrap();
            let tables = ["BuiltinTable::new(", "BuiltinSet::new("];
            let tables = tables.iter().flat_map(|it| text.split(it).skip(1));
            let written =
                tables.filter_map(|table| table.trim_start().strip_prefix('"')?.split('"').next());
            titles.extend(
                written
                    .filter(|it| it.starts_with(language))
                    .map(str::to_owned),
            );
        }
    }
    assert!(!titles.is_empty(), "{language} has tables");
    titles
}

//! The layout holds: which room names which, one door for each foreign library, no cycle, every file
//! opens with its purpose and stays short.
//!
//! The compiler checks none of this inside one crate.

mod cycles;
mod lexer;
mod paths;
mod rules;
mod samples;
mod sentences;
mod table;
mod words;

use std::path::Path;

use rules::Source;

/// The folders of tests in Rust.
const TESTS: [&str; 2] = ["tests/it", "tests/stress"];

/// Returns every Rust file under a folder of the project, with its path from there, sorted.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(&root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_rooms_keep_to_the_table() {
    let files = rust_files("src");
    assert!(
        files.iter().any(|(path, _)| path == "lib.rs"),
        "no sources were found"
    );
    let sources: Vec<_> = files
        .iter()
        .map(|(path, text)| Source { path, text })
        .collect();
    let faults = rules::faults(&sources);
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn no_more_than_three_files_import_one_another_in_a_circle() {
    let files = rust_files("src");
    let sources: Vec<_> = files
        .iter()
        .map(|(path, text)| Source { path, text })
        .collect();
    let faults = cycles::faults(&sources);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_type_name_has_one_meaning() {
    let files = rust_files("src");
    let sources: Vec<_> = files
        .iter()
        .map(|(path, text)| Source { path, text })
        .collect();
    let faults = words::faults(&sources);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn doc_sentences_name_their_things() {
    let files = rust_files("src");
    let sources: Vec<_> = files
        .iter()
        .map(|(path, text)| Source { path, text })
        .collect();
    let mut faults = sentences::faults(&sources);
    for folder in TESTS {
        let tests = rust_files(folder);
        let tests: Vec<_> = tests
            .iter()
            .map(|(path, text)| Source { path, text })
            .collect();
        faults.extend(sentences::faults(&tests));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_tests_are_short_and_say_what_they_are() {
    let files = TESTS.map(rust_files);
    for files in &files {
        assert!(
            files.iter().any(|(path, _)| path == "main.rs"),
            "no tests were found"
        );
    }
    let faults: Vec<_> = files
        .iter()
        .flatten()
        .flat_map(|(path, text)| rules::shape(&Source { path, text }))
        .collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Names that the project's own folder may hold; files of editors and tools that start with a dot aside.
const TOP_LEVEL: [&str; 22] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "TOOLS.md",
    "build.rs",
    "clippy.toml",
    "deny.toml",
    "docs",
    "examples",
    "fixtures",
    "fuzz",
    "npm",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "scripts",
    "src",
    "tests",
];

#[test]
fn nothing_was_left_lying_about() {
    let strays: Vec<_> = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.') && name.as_str() != "target")
        .filter(|name| !TOP_LEVEL.contains(&name.as_str()))
        .collect();
    assert!(strays.is_empty(), "not known to the project: {strays:?}");
}

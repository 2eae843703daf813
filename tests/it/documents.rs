//! README, CONTRIBUTING and docs: every command in them is one that the program takes, and every link leads to a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use codelens::cli;

/// The documents, with their paths.
fn documents() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "scripts/README.md",
    ]
    .iter()
    .map(|name| root.join(name))
    .collect();
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    paths.extend(docs.map(|entry| entry.unwrap().path()));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// Commands of this program in the code blocks of a document, as words: `$ codelens map src | tail -2` is `[codelens, map, src]`.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            found.extend(parts(line).into_iter().filter(|words| {
                words.first().is_some_and(|first| first == "codelens") && words.len() > 1
            }));
        }
    }
    found
}

/// Splits a line as a shell does, as far as the documents need it: at `|`, `&&`, `;` and `>`, up to `#`, with double quotes.
fn parts(line: &str) -> Vec<Vec<String>> {
    let line = line
        .trim()
        .trim_start_matches("- run: ")
        .trim_start_matches("run: ");
    let line = line.trim_start_matches("- ").trim_start_matches("$ ");
    let mut all = vec![Vec::new()];
    let (mut word, mut is_quoted, mut was_quoted) = (String::new(), false, false);
    let end = |word: &mut String, was_quoted: &mut bool, all: &mut Vec<Vec<String>>| {
        if !word.is_empty() || *was_quoted {
            all.last_mut().unwrap().push(std::mem::take(word));
        }
        *was_quoted = false;
    };
    for sign in line.chars() {
        match sign {
            '"' => (is_quoted, was_quoted) = (!is_quoted, true),
            _ if is_quoted => word.push(sign),
            '#' if word.is_empty() => break,
            '|' | '&' | ';' | '>' => {
                end(&mut word, &mut was_quoted, &mut all);
                all.push(Vec::new());
            }
            sign if sign.is_whitespace() => end(&mut word, &mut was_quoted, &mut all),
            sign => word.push(sign),
        }
    }
    end(&mut word, &mut was_quoted, &mut all);
    all
}

#[test]
fn every_command_in_the_documents_is_taken() {
    let mut n_commands = 0;
    for (path, text) in documents() {
        for words in commands(&text) {
            n_commands += 1;
            let taken = cli::parse(words.iter().map(OsString::from));
            assert!(taken.is_ok(), "{}: `{}`", path.display(), words.join(" "));
        }
    }
    assert!(n_commands > 20, "only {n_commands} commands were found");
}

#[test]
fn every_link_in_the_documents_leads_to_a_file() {
    let mut n_links = 0;
    for (path, text) in documents() {
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let (target, after) = after.split_once(')').unwrap();
            rest = after;
            if target.contains("://") || target.starts_with('#') {
                continue;
            }
            n_links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let found = path.parent().unwrap().join(file);
            assert!(found.exists(), "{}: {target}", path.display());
            let headings = std::fs::read_to_string(&found).unwrap_or_default();
            let has_anchor = headings
                .lines()
                .filter(|line| line.starts_with('#'))
                .map(|line| line.trim_start_matches('#'))
                .any(|heading| heading.trim().to_lowercase().replace(' ', "-") == anchor);
            assert!(
                anchor.is_empty() || has_anchor,
                "{}: {target}",
                path.display()
            );
        }
    }
    assert!(n_links > 20, "only {n_links} links were found");
}

#[test]
fn a_shell_line_is_split_into_commands() {
    let words = |line: &str| parts(line).concat();
    assert_eq!(
        words("$ codelens search \"a b\" -n 3   # c"),
        ["codelens", "search", "a b", "-n", "3"]
    );
    assert_eq!(
        parts("git switch -c x && codelens refresh").last().unwrap(),
        &["codelens", "refresh"]
    );
}

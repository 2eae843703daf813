//! One file of each language under `fixtures/outline`, with the symbols that people expect of it.

use std::path::PathBuf;

use crate::ir::FileFacts;
use crate::model::{Budget, RepoPath};
use crate::syntax::lang::outline::OutlineLanguage;
use crate::syntax::language::FileShape;
use crate::syntax::{by_path, extract};

fn facts(language: OutlineLanguage, source: &str) -> FileFacts {
    let budget = Budget::unlimited(std::sync::Arc::default());
    language.frontend().read(source, &budget).unwrap().facts
}

/// Returns a line for each symbol, e.g. `+ class Store: class Store < Base // Keeps.`: whether other files see it, its kind,
/// its qualified name, its lines, its signature and its documentation; then a line for each import.
fn outline(facts: &FileFacts) -> String {
    let mut lines = Vec::new();
    for it in &facts.symbols {
        let mark = if it.exported { "+" } else { "-" };
        let doc = match it.doc.as_str() {
            "" => String::new(),
            doc => format!(" // {}", doc.replace('\n', " / ")),
        };
        lines.push(format!(
            "{mark} {} {} {}-{}: {}{doc}",
            it.kind.as_str(),
            it.qualified_name,
            it.span.start_line,
            it.span.end_line,
            it.signature
        ));
    }
    let imports = facts.imports.iter();
    lines.extend(imports.map(|it| format!("import {} {}", it.line, it.specifier)));
    lines.join("\n") + "\n"
}

/// Returns each sample with its language.
fn samples() -> Vec<(OutlineLanguage, PathBuf, String)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/outline");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let language = by_path(&RepoPath::new(name).unwrap());
        if let FileShape::Outline(outline) = language.shape {
            let source = std::fs::read_to_string(&path).unwrap();
            all.push((outline, path, source));
        }
    }
    all
}

#[test]
fn definitions_are_outlined() {
    let mut seen = Vec::new();
    for (language, path, source) in samples() {
        seen.push(language);
        let facts = facts(language, &source);
        assert!(!facts.has_errors, "the sample is broken: {path:?}");
        assert!(facts.references.is_empty() && facts.exports.is_empty());
        let found = outline(&facts);
        let expected = path.with_extension("outline");
        if std::env::var_os("CODELENS_UPDATE").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        let expected = std::fs::read_to_string(expected).unwrap();
        assert_eq!(found, expected, "{path:?}");
    }
    for language in OutlineLanguage::ALL {
        assert!(seen.contains(language), "{language:?} has no sample");
    }
}

#[test]
fn broken_and_deep_code_is_read_as_far_as_it_goes() {
    let budget = Budget::unlimited(std::sync::Arc::default());
    for (_, path, source) in samples() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let language = by_path(&RepoPath::new(name).unwrap());
        let n_lines = source.lines().count();
        // Each line missing once, and each end.
        for at in 0..n_lines {
            let lines = || source.lines().enumerate();
            let without: String = lines()
                .filter(|it| it.0 != at)
                .flat_map(|it| [it.1, "\n"])
                .collect();
            let until: String = lines()
                .take_while(|it| it.0 <= at)
                .flat_map(|it| [it.1, "\n"])
                .collect();
            for text in [&without, until.trim_end()] {
                let extraction = extract(language, text, true, &budget).unwrap();
                let symbols = &extraction.facts.symbols;
                assert!(symbols.is_sorted_by_key(|it| it.span.start_byte));
                for (at, symbol) in symbols.iter().enumerate() {
                    assert!(symbol.parent.is_none_or(|parent| (parent as usize) < at));
                    assert!(symbol.span.end_byte as usize <= text.len());
                    assert!(symbol.signature.len() <= 240 && !symbol.name.is_empty());
                }
            }
        }
        for (open, close) in [
            ("(", ")"),
            ("{", "}"),
            ("[", "]"),
            ("class A {", "}"),
            ("def a\n", "end\n"),
        ] {
            for n in [50, 3_000] {
                let deep = format!("{}{}", open.repeat(n), close.repeat(n));
                extract(language, &deep, true, &budget).unwrap();
                extract(language, &open.repeat(n), true, &budget).unwrap();
            }
        }
        for text in [
            "",
            "\0",
            "é",
            "\u{feff}x",
            "'",
            "\"",
            "<<~A\n",
            "`",
            "#",
            "@",
            "\"\"\"",
        ] {
            extract(language, text, true, &budget).unwrap();
        }
    }
}

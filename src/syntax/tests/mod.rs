//! Tests of the room as a whole: what it says about small files of every form.

mod angular;
mod chunks;
mod commonjs;
mod definitions;
mod hints;
mod laws;
mod literal_types;
mod locals;
mod modules;
mod templates;
mod uses;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{by_path, extract};
use crate::model::{Budget, Extraction, FileFacts, Hint, Local, RepoPath};

pub(super) fn read(path: &str, source: &str) -> Extraction {
    let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
    let language = by_path(&RepoPath::new(path).unwrap());
    extract(language, source, true, &budget).unwrap()
}

/// One line a symbol: `kind qualified.name [*] lines [^parent]`, `*` for an exported one.
pub(super) fn symbols(path: &str, source: &str) -> String {
    let symbols = read(path, source).facts.symbols;
    symbols.iter().fold(String::new(), |mut out, symbol| {
        let mark = if symbol.exported { "*" } else { "" };
        let (kind, name) = (symbol.kind.as_str(), &symbol.qualified_name);
        let (from, to) = (symbol.span.start_line, symbol.span.end_line);
        write!(out, "{kind} {name}{mark} {from}-{to}").unwrap();
        if let Some(parent) = symbol.parent {
            write!(out, " ^{}", symbols[parent as usize].name).unwrap();
        }
        out + "\n"
    })
}

/// One line an import: `line kind specifier: imported>local …`.
pub(super) fn imports(path: &str, source: &str) -> String {
    read(path, source)
        .facts
        .imports
        .iter()
        .fold(String::new(), |mut out, import| {
            let mark = if import.type_only { " type" } else { "" };
            write!(
                out,
                "{} {}{mark} {}:",
                import.line,
                import.kind.as_str(),
                import.specifier
            )
            .unwrap();
            for name in &import.names {
                let mark = if name.type_only { "type " } else { "" };
                write!(out, " {mark}{}>{}", name.imported, name.local).unwrap();
            }
            out + "\n"
        })
}

/// One line an export: `kind name = local [from specifier]`.
pub(super) fn exports(path: &str, source: &str) -> String {
    read(path, source)
        .facts
        .exports
        .iter()
        .fold(String::new(), |mut out, export| {
            let mark = if export.type_only { " type" } else { "" };
            write!(
                out,
                "{}{mark} {} = {}",
                export.kind.as_str(),
                export.name,
                export.local
            )
            .unwrap();
            if !export.specifier.is_empty() {
                write!(out, " from {}", export.specifier).unwrap();
            }
            out + "\n"
        })
}

/// One line a use: `kind receiver.name in symbol`.
pub(super) fn uses(path: &str, source: &str) -> String {
    let facts = read(path, source).facts;
    facts
        .references
        .iter()
        .fold(String::new(), |mut out, used| {
            write!(out, "{} ", used.kind.as_str()).unwrap();
            if !used.receiver.is_empty() {
                write!(out, "{}.", used.receiver).unwrap();
            }
            let symbol = used
                .symbol
                .map_or("-", |at| &facts.symbols[at as usize].qualified_name);
            writeln!(out, "{} in {symbol}", used.name).unwrap();
            out
        })
}

fn hint(facts: &FileFacts, hint: &Hint) -> String {
    let mut out = format!("{} {}", hint.kind.as_str(), hint.of);
    if let Some(root) = hint.root {
        write!(out, " of {}", facts.symbols[root as usize].qualified_name).unwrap();
    }
    out
}

fn symbol_name(facts: &FileFacts, symbol: Option<u32>) -> &str {
    symbol.map_or("-", |at| &facts.symbols[at as usize].qualified_name)
}

/// One line a hint that a name can be looked up by: `owner name: kind of [of symbol]`.
pub(super) fn owned(path: &str, source: &str) -> String {
    let facts = read(path, source).facts;
    let mut out = String::new();
    for one in facts.hints.iter().filter(|one| !one.local) {
        let owner = symbol_name(&facts, one.symbol);
        writeln!(out, "{owner} {}: {}", one.name, hint(&facts, one)).unwrap();
    }
    out
}

/// One line a reference that begins with a local name or an expression: `receiver.name: hint`, `= symbol` for
/// one of the file's, `-` for what is unknown.
pub(super) fn locals(path: &str, source: &str) -> String {
    let facts = read(path, source).facts;
    let mut out = String::new();
    for used in &facts.references {
        let local = match used.local {
            Local::No => continue,
            Local::Unknown => "-".to_owned(),
            Local::Hint(at) => hint(&facts, &facts.hints[at as usize]),
            Local::Symbol(at) => format!("= {}", facts.symbols[at as usize].qualified_name),
        };
        let dot = if used.receiver.is_empty() { "" } else { "." };
        writeln!(out, "{}{dot}{}: {local}", used.receiver, used.name).unwrap();
    }
    out
}

/// Compares line by line, so that a failure shows the line.
pub(super) fn same(found: &str, expected: &str) {
    let trim = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect()
    };
    assert_eq!(trim(found), trim(expected));
}

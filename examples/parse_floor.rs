//! The floor under a build: reads files, parses them with tree-sitter, and does nothing else.
//!
//! ```text
//! git ls-files | cargo run --release --example parse_floor -- REPO [THREADS]
//! ```
//!
//! Paths come on standard input, one a line, relative to REPO; what no grammar here reads is passed over. The grammars and
//! the allocator under them are those of the product. Prints one JSON object: how many files and bytes were
//! parsed, on how many threads. What it cost is for whoever started it to measure; see `scripts/bench.py`.

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use codelens::model::Budget;
use codelens::syntax;
use tree_sitter::{Language, Parser};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let repo = PathBuf::from(
        args.next()
            .ok_or("usage: parse_floor REPO [THREADS] < PATHS")?,
    );
    let n_threads = match args.next() {
        Some(n) => n.to_string_lossy().parse::<usize>()?.max(1),
        None => 1,
    };
    let paths: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let work: Vec<(Language, &str)> = paths
        .iter()
        .filter_map(|path| Some((grammar(path)?, path.as_str())))
        .collect();
    // The product's first parser sets the allocator of all parsers of the process.
    if let Some(language) = syntax::by_id("javascript") {
        let budget = Budget::unlimited(Arc::default());
        drop(syntax::extract(language, "let a", true, &budget));
    }

    let (next, n_bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let parse = || parse_all(&repo, &work, &next, &n_bytes);
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(parse)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    writeln!(
        std::io::stdout(),
        r#"{{"files":{},"bytes":{},"threads":{n_threads}}}"#,
        work.len(),
        n_bytes.into_inner()
    )?;
    Ok(())
}

/// Reads and parses files until none is left, and counts their bytes.
fn parse_all(
    repo: &Path,
    work: &[(Language, &str)],
    next: &AtomicUsize,
    n_bytes: &AtomicU64,
) -> Result<(), String> {
    let mut parser = Parser::new();
    while let Some((language, path)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
        let source = std::fs::read(repo.join(path)).map_err(|error| format!("{path}: {error}"))?;
        parser
            .set_language(language)
            .map_err(|error| format!("{path}: {error}"))?;
        let tree = parser
            .parse(&source, None)
            .ok_or_else(|| format!("{path}: not parsed"))?;
        std::hint::black_box(tree.root_node().end_byte());
        n_bytes.fetch_add(source.len() as u64, Ordering::Relaxed);
    }
    Ok(())
}

/// Returns the grammar of a file by the product's own table of languages; components and prose have none.
fn grammar(path: &str) -> Option<Language> {
    let path = codelens::model::RepoPath::new(path)?;
    match syntax::by_path(&path).id {
        "typescript" => Some(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        "tsx" => Some(tree_sitter_typescript::LANGUAGE_TSX.into()),
        "javascript" => Some(tree_sitter_javascript::LANGUAGE.into()),
        _ => None,
    }
}

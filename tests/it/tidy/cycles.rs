//! Knots: files that import one another in a circle, so that none can be read without the others.
//!
//! Imports by `use` and by paths count; those of a folder's `mod.rs` to its own children do not: it lists them.

use std::collections::{BTreeMap, BTreeSet};

use super::lexer::tokens;
use super::paths;
use super::rules::{Source, module};

/// Files that may form a knot.
const MAX_FILES: usize = 3;

/// Knots that are still to be untied, as paths of modules from `src/`, sorted. The list may only shrink.
const KNOWN: &[&[&str]] = &[];

/// Imports between files, by the paths of their modules.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns a fault for each knot of more than three files that is not a known one or a part of one, and for each known one
/// that is smaller by now.
pub(crate) fn faults(sources: &[Source<'_>]) -> Vec<String> {
    let imports = imports(sources);
    let knots: Vec<Vec<&str>> = knots(&imports)
        .into_iter()
        .filter(|knot| knot.len() > MAX_FILES)
        .collect();
    let new = knots.iter().filter(|knot| {
        let covers = |known: &&&[&str]| knot.iter().all(|file| known.contains(file));
        !KNOWN.iter().any(|known| covers(&known))
    });
    let new = new.map(|knot| {
        let files = knot.join(", ");
        format!("these files import one another in a circle: {files}")
    });
    let untied = KNOWN
        .iter()
        .filter(|known| !knots.iter().any(|knot| knot == *known));
    let untied = untied.map(|known| {
        let first = known[0];
        format!("the known knot around {first} is smaller now: shorten its entry, or take it out")
    });
    new.chain(untied).collect()
}

/// Returns the files that each file imports, tests apart.
pub(crate) fn imports(sources: &[Source<'_>]) -> Imports {
    let is_test = |path: &str| path.split('/').any(|it| it == "tests" || it == "tests.rs");
    let sources: Vec<_> = sources.iter().filter(|it| !is_test(it.path)).collect();
    let modules: BTreeSet<String> = sources.iter().map(|it| module(it.path).join("/")).collect();
    let mut imports = Imports::new();
    for source in sources {
        let own = module(source.path);
        let product = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        let named = paths::of(&tokens(product), &own).inside;
        let targets = named.iter().filter_map(|named| {
            let lengths = (1..=named.segments.len()).rev();
            let mut prefixes = lengths.map(|n| named.segments[..n].join("/"));
            prefixes.find(|prefix| modules.contains(prefix))
        });
        let own = own.join("/");
        let targets = targets.filter(|target| *target != own).collect();
        imports.insert(own, targets);
    }
    imports
}

/// Returns the sets of more than one file in which each can be reached from each, files and sets sorted.
pub(crate) fn knots(imports: &Imports) -> Vec<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|file| (file.as_str(), reachable(imports, file)))
        .collect();
    let mut knots: BTreeSet<Vec<&str>> = BTreeSet::new();
    for (file, there) in &reached {
        if there.contains(file) {
            let back = there.iter().copied();
            knots.insert(back.filter(|it| reached[it].contains(file)).collect());
        }
    }
    knots.into_iter().collect()
}

/// Returns the files that a file reaches by one import or more.
fn reachable<'a>(imports: &'a Imports, file: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![file];
    while let Some(at) = open.pop() {
        for next in imports.get(at).into_iter().flatten() {
            if found.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    found
}

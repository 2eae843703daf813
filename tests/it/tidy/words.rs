//! Words: one meaning for each type name of the crate.
//!
//! Sentences of doc comments are checked by their neighbour `sentences`.

use std::collections::BTreeMap;

use super::rules::Source;

/// Folders whose subfolders or files are the languages and forms of one notion: `go::Lowering` and
/// `java::Lowering` have one meaning, so a name may be declared once in each.
const PARALLEL: [&str; 3] = ["syntax/lang/", "syntax/component/", "resolve/"];

/// Returns the faults: type names that several files declare, apart from tests and the parallel folders.
pub(super) fn faults(sources: &[Source<'_>]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !is_test(source.path)) {
        for name in source.text.lines().filter_map(declared) {
            places.entry(name).or_default().push(source.path);
        }
    }
    places
        .into_iter()
        .filter(|(_, paths)| paths.len() > 1 && !are_parallel(paths))
        .map(|(name, paths)| format!("`{name}` has several meanings: {}", paths.join(", ")))
        .collect()
}

fn is_test(path: &str) -> bool {
    path.split('/')
        .any(|part| part == "tests" || part == "tests.rs")
}

/// Returns the type that a line at the margin declares, e.g. `pub struct Page {` → `Page`.
fn declared(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (kind, rest) = line.split_once(' ')?;
    matches!(kind, "struct" | "enum" | "type" | "trait" | "union")
        .then(|| rest.split(|c: char| !c.is_alphanumeric()).next())
        .flatten()
}

/// Returns whether files belong to different branches of one parallel folder.
fn are_parallel(paths: &[&str]) -> bool {
    PARALLEL.iter().any(|folder| {
        let mut branches: Vec<_> = paths
            .iter()
            .map(|path| path.strip_prefix(folder)?.split('/').next())
            .collect();
        branches.sort_unstable();
        let n = branches.len();
        branches.dedup();
        branches.len() == n && branches.iter().all(Option::is_some)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> = files
            .iter()
            .map(|&(path, text)| Source { path, text })
            .collect();
        faults(&sources)
    }

    #[test]
    fn a_name_that_two_files_declare_is_a_fault() {
        let twice = [
            ("git/a.rs", "pub(super) struct Found {\n"),
            ("store/b.rs", "enum Found<'a> {\n"),
        ];
        assert_eq!(
            of(&twice),
            ["`Found` has several meanings: git/a.rs, store/b.rs"]
        );
        let in_one_path = [
            ("git/a.rs", "pub(in crate::git) trait Found: Sized {\n"),
            ("git/b.rs", "pub type Found = u32;\n"),
        ];
        assert_eq!(of(&in_one_path).len(), 1);
    }

    #[test]
    fn languages_tests_and_associated_types_may_share_names() {
        assert!(
            of(&[
                ("syntax/lang/go/a.rs", "struct Local {\n"),
                ("syntax/lang/java/b.rs", "pub(super) struct Local;\n"),
                ("git/tests/c.rs", "struct Local;\n"),
                ("git/d.rs", "impl X for Y {\n    type Local = u8;\n"),
            ])
            .is_empty()
        );
        assert!(
            !of(&[
                ("syntax/lang/go/a.rs", "struct Local {\n"),
                ("syntax/lang/go/b.rs", "struct Local;\n"),
            ])
            .is_empty()
        );
    }
}

//! Repositories as text, with the expected target of each specifier in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Resolution, Resolver, SourceFiles, is_config, kept};
use crate::ir::{FileFacts, ImportKind};
use crate::model::RepoPath;

/// Files that exist only as text.
pub(super) struct TextFiles(pub(super) BTreeMap<String, Vec<u8>>);

impl SourceFiles for TextFiles {
    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn is_dir(&self, path: &str) -> bool {
        let start = format!("{path}/");
        self.0.keys().any(|file| file.starts_with(&start))
    }

    fn files_in(&self, directory: &str) -> Vec<String> {
        let all = self.0.keys();
        let own = all.filter(|path| crate::model::path::parent(path) == directory);
        own.cloned().collect()
    }

    fn paths(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn units(&self, prefix: &str) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for (path, bytes) in &self.0 {
            let text = String::from_utf8_lossy(bytes);
            let clause = |line: &'_ str| {
                let clause = line.strip_prefix("package ");
                let clause = clause.or_else(|| line.strip_prefix("namespace "));
                clause.map(str::to_owned)
            };
            let clause = text.lines().find_map(clause);
            let facts = FileFacts {
                units: clause.into_iter().collect(),
                ..FileFacts::default()
            };
            let units = super::units(&RepoPath::new(path).unwrap(), &facts);
            keys.extend(units.into_iter().map(|it| it.0));
        }
        keys.retain(|key| key.starts_with(prefix));
        keys.sort();
        keys.dedup();
        keys
    }

    fn has_unit(&self, key: &str) -> bool {
        self.units(key).iter().any(|it| it == key)
    }

    fn read_config(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.0.get(path)?;
        let path = RepoPath::new(path)?;
        is_config(&path).then(|| kept(&path, bytes).into_owned())
    }

    fn configs(&self) -> Vec<String> {
        let configs = self
            .0
            .keys()
            .filter(|path| is_config(&RepoPath::new(path).unwrap()));
        configs.cloned().collect()
    }
}

/// Reads a repository: `//- /path` begins a file, `//- a b c` are empty files.
pub(super) fn files(text: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = None;
    for line in text.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("//- /") {
            files.insert(path.to_owned(), Vec::new());
            open = Some(path.to_owned());
        } else if let Some(paths) = line.strip_prefix("//- ") {
            files.extend(paths.split(' ').map(|path| (path.to_owned(), Vec::new())));
            open = None;
        } else if let Some(bytes) = open.as_ref().and_then(|path| files.get_mut(path)) {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
    }
    files
}

pub(super) fn show(resolution: &Resolution) -> String {
    match resolution {
        Resolution::File(path) => path.to_string(),
        Resolution::Unit(key) => key.clone(),
        Resolution::External => "external".to_owned(),
        Resolution::Missing => "missing".to_owned(),
    }
}

/// Asserts each line `from specifier result` of `expected`, asked in this order, in the opposite one,
/// and each alone.
pub(super) fn check(repository: &str, expected: &str) {
    check_files(files(repository), ImportKind::Static, expected);
}

pub(super) fn check_files(files: BTreeMap<String, Vec<u8>>, kind: ImportKind, expected: &str) {
    let files: Arc<dyn SourceFiles> = Arc::new(TextFiles(files));
    let lines: Vec<Vec<&str>> = expected
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|line| !line.is_empty())
        .collect();
    assert!(!lines.is_empty());
    let ask = |resolver: &Resolver, line: &[&str]| {
        let &[from, specifier, _] = line else {
            panic!("three words: {line:?}");
        };
        let found = resolver.resolve(&RepoPath::new(from).unwrap(), specifier, kind);
        format!("{from} {specifier} {}", show(&found))
    };
    let wanted: Vec<String> = lines.iter().map(|line| line.join(" ")).collect();
    let forth = Resolver::new(Arc::clone(&files));
    let found: Vec<String> = lines.iter().map(|line| ask(&forth, line)).collect();
    assert_eq!(found, wanted);
    let back = Resolver::new(Arc::clone(&files));
    let mut found: Vec<String> = lines.iter().rev().map(|line| ask(&back, line)).collect();
    found.reverse();
    assert_eq!(found, wanted, "asked backwards");
    for (line, wanted) in lines.iter().zip(&wanted) {
        assert_eq!(
            &ask(&Resolver::new(Arc::clone(&files)), line),
            wanted,
            "asked alone"
        );
    }
}

//! Names of entries: which of them are paths of a repository.

use super::ArchiveError;
use crate::model::RepoPath;

/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 1_024;

/// The most directories around a file.
const MAX_DEPTH: usize = 64;

/// The meaning of the name of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EntryName {
    /// `src/main.c`, also written `./src/main.c`.
    Path(RepoPath),
    /// The root of all entries: `./`.
    Root,
    /// Bytes that are not UTF-8: no path that an answer could name.
    NotUtf8,
}

/// Reads the name of an entry.
///
/// # Errors
/// [`ArchiveError::Entry`] for a name that is no relative path, leads out, enters `.git`, or is too long.
pub(super) fn entry_name(name: &[u8]) -> Result<EntryName, ArchiveError> {
    let Ok(text) = std::str::from_utf8(name) else {
        return Ok(EntryName::NotUtf8);
    };
    let refused = |what| Err(ArchiveError::of_entry(what, name));
    if text.starts_with('/') || text.contains(['\\', '\0']) || has_drive(text) {
        return refused("a path that is not relative");
    }
    let mut path = text;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path = path.trim_end_matches('/');
    if path.is_empty() || path == "." {
        return Ok(EntryName::Root);
    }
    if path.len() > MAX_PATH_BYTES {
        return refused("a path of more than 1,024 bytes");
    }
    if path.split('/').count() > MAX_DEPTH {
        return refused("a path of more than 64 parts");
    }
    if path.split('/').any(|it| it.eq_ignore_ascii_case(".git")) {
        return refused("a path into .git");
    }
    match RepoPath::new(path) {
        Some(path) => Ok(EntryName::Path(path)),
        None => refused("a path that leads elsewhere"),
    }
}

/// Whether a name begins with the letter of a drive: `C:/Windows`.
fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{EntryName, entry_name};
    use crate::model::RepoPath;

    #[test]
    fn names_that_are_relative_paths_are_taken() {
        for (name, path) in [
            ("src/a.c", Some("src/a.c")),
            ("./src/a.c", Some("src/a.c")),
            ("src/", Some("src")),
            ("./", None),
            ("a..b/c", Some("a..b/c")),
        ] {
            let expected = path.map_or(EntryName::Root, |it| {
                EntryName::Path(RepoPath::new(it).unwrap())
            });
            assert_eq!(entry_name(name.as_bytes()).unwrap(), expected, "{name}");
        }
        assert_eq!(entry_name(b"a/\xff").unwrap(), EntryName::NotUtf8);
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let long = "a/".repeat(65) + "b";
        let longer = "a".repeat(1_025);
        for name in [
            "/etc/passwd",
            "../a",
            "a/../../b",
            "a//b",
            "a/./b",
            "C:/a",
            "c:a",
            "a\\..\\b",
            "a\0b",
            ".git/config",
            "a/.GIT/hooks/x",
            &long,
            &longer,
        ] {
            assert!(entry_name(name.as_bytes()).is_err(), "{name}");
        }
    }
}

//! Repository-relative paths.
//!
//! Does not know where the repository is: a [`RepoPath`] is a name, not a place on a disk.

use std::fmt;

/// A path relative to the root of a work tree: `/`-separated UTF-8, never empty, absolute, or with
/// an empty, `.` or `..` component.
///
/// Invariant: joining it to the root with the file system's own rules can name only something below
/// the root, as long as no component is a symbolic link.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Box<str>);

impl RepoPath {
    /// Returns the path as given, or `None` where it breaks the invariant.
    pub fn new(path: &str) -> Option<Self> {
        // Parts are only looked at where one could be wrong: every row of every detection comes through here.
        let bytes = path.as_bytes();
        let is_odd = |pair: &[u8]| pair[0] == b'/' && matches!(pair[1], b'/' | b'.');
        let odd = bytes.windows(2).fold(false, |odd, pair| odd | is_odd(pair))
            | matches!(bytes.first(), None | Some(b'/' | b'.'))
            | matches!(bytes.last(), Some(b'/'));
        let has_odd = || path.split('/').any(|part| matches!(part, "" | "." | ".."));
        if path.contains('\0') || odd && has_odd() {
            return None;
        }
        Some(Self(path.into()))
    }

    /// Returns the path that a person or an agent means by `text`: `./a//b/` is `a/b`. `None` for anything absolute,
    /// with `..`, or empty after that.
    pub fn normalise(text: &str) -> Option<Self> {
        if text.starts_with('/') {
            return None;
        }
        let parts: Vec<&str> = text
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        Self::new(&parts.join("/"))
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the last component.
    pub fn file_name(&self) -> &str {
        file_name(&self.0)
    }

    /// Returns the directory's path, empty for a file at the root.
    pub fn directory(&self) -> &str {
        parent(&self.0)
    }

    /// Returns the text after the last dot of the file name; `None` for `.name` and for a name with no dot. The case
    /// is kept.
    pub fn extension(&self) -> Option<&str> {
        let name = self.file_name();
        match name.rfind('.') {
            None | Some(0) => None,
            Some(at) => Some(&name[at + 1..]),
        }
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.0)
    }
}

impl AsRef<str> for RepoPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Whether a path is another one or below it.
pub fn is_at_or_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the last component of `path`.
pub fn file_name(path: &str) -> &str {
    path.rfind('/').map_or(path, |at| &path[at + 1..])
}

/// Returns the directory around `path`; the root is around itself.
pub fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

/// Returns the directory `dir` and those around it, the nearest first, the root last.
pub fn upwards(dir: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(dir), |dir| (!dir.is_empty()).then(|| parent(dir)))
}

#[cfg(test)]
mod tests {
    use super::{RepoPath, is_at_or_below};

    #[test]
    fn a_directory_ends_at_a_slash() {
        assert!(is_at_or_below("src/a.ts", "src") && is_at_or_below("src", "src"));
        assert!(!is_at_or_below("srcs/a.ts", "src") && !is_at_or_below("src", "src/a.ts"));
    }

    #[test]
    fn only_names_below_the_root_are_paths() {
        for bad in [
            "", "/a", "a/", "a//b", "./a", "..", "a/../b", "a/./b", "a\0b",
        ] {
            assert!(RepoPath::new(bad).is_none(), "{bad:?}");
        }
        for good in ["a", "a/b.ts", ".env", "a b/ü", "-x", "a\\b"] {
            assert!(RepoPath::new(good).is_some(), "{good:?}");
        }
    }

    #[test]
    fn normalising_forgives_what_is_harmless_and_nothing_else() {
        let normal = |text| RepoPath::normalise(text).map(|p| p.to_string());
        assert_eq!(normal("./src//a.ts"), Some("src/a.ts".into()));
        assert_eq!(normal("src/"), Some("src".into()));
        assert_eq!(normal("src/../a"), None);
        assert_eq!(normal("/src"), None);
        assert_eq!(normal("."), None);
    }

    #[test]
    fn extension_is_of_the_name_alone() {
        let ext = |text| RepoPath::new(text).unwrap().extension().map(str::to_owned);
        assert_eq!(ext("a.b/c"), None);
        assert_eq!(ext("a/.env"), None);
        assert_eq!(ext("a/x.d.ts"), Some("ts".into()));
    }
}

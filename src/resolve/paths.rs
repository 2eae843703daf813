//! Arithmetic on repository-relative paths, `""` being the root.
//!
//! Knows only text: whether anything stands at a path is the files' matter.

pub(super) use crate::model::path::{parent, upwards};

/// Directories of packages that are there to be looked at or tested with.
pub(super) const SAMPLE_DIRECTORIES: [&str; 15] = [
    "fixture",
    "fixtures",
    "__fixtures__",
    "example",
    "examples",
    "playground",
    "playgrounds",
    "test",
    "tests",
    "__tests__",
    "template",
    "templates",
    "demo",
    "demos",
    "sandbox",
];

/// Returns `relative` seen from the directory `dir`, without `.`, `..` and empty parts; `None` where
/// it leaves the root.
pub(super) fn join(dir: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Returns the rest of `path` below the directory `dir`, empty for `dir` itself; `None` where it lies elsewhere.
pub(super) fn below<'a>(path: &'a str, dir: &str) -> Option<&'a str> {
    if dir.is_empty() {
        return Some(path);
    }
    match path.strip_prefix(dir)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::{below, join, upwards};

    #[test]
    fn joining_never_leaves_the_root() {
        assert_eq!(join("a/b", "../c/./d"), Some("a/c/d".into()));
        assert_eq!(join("a", ".."), Some(String::new()));
        assert_eq!(join("a", "../.."), None);
        assert_eq!(join("", "./a//b/"), Some("a/b".into()));
    }

    #[test]
    fn the_root_is_above_everything() {
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(upwards("").collect::<Vec<_>>(), [""]);
        assert_eq!(below("a/b", ""), Some("a/b"));
        assert_eq!(below("a/b", "a"), Some("b"));
        assert_eq!(below("a", "a"), Some(""));
        assert_eq!(below("ab", "a"), None);
    }
}

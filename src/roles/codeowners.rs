//! `CODEOWNERS`: who a repository says is to review which files.
//!
//! The last line that matches counts. Sections and negations of other hosts than GitHub are passed over.

use crate::model::RepoPath;

/// Where it may be; the first that is there counts.
pub const PLACES: [&str; 4] = [
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitlab/CODEOWNERS",
];

/// Lines that are read.
const MAX_LINES: usize = 20_000;

/// The owners of files by patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeOwners(Vec<(OwnedPaths, Vec<String>)>);

/// The files that a line is about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OwnedPaths {
    /// Components of the pattern.
    components: Vec<String>,
    /// Whether it begins at the root.
    is_anchored: bool,
    /// Whether it ends with `/`: it is about all files below directories.
    is_directory: bool,
}

impl CodeOwners {
    /// Reads the text of the file: a pattern and names on each line, e.g. `/src/ @org/core @ann`. Addresses are left out.
    pub fn parse(text: &str) -> Self {
        let mut all = Vec::new();
        for line in text.lines().take(MAX_LINES) {
            let line = line.split(" #").next().unwrap_or_default().trim();
            if line.starts_with(['#', '!', '[', '^']) {
                continue;
            }
            let mut words = line.split_whitespace();
            let Some(pattern) = words.next() else {
                continue;
            };
            // An address is personal; a name begins with `@` and has no other.
            let owners = words.filter(|word| !word.get(1..).is_some_and(|rest| rest.contains('@')));
            all.push((
                OwnedPaths::new(pattern),
                owners.map(str::to_owned).collect(),
            ));
        }
        Self(all)
    }

    /// Returns the owners of a file, as the file lists them; none where no line matches, or the last one names nobody.
    pub fn of(&self, path: &RepoPath) -> &[String] {
        let path: Vec<&str> = path.as_str().split('/').collect();
        let mut lines = self.0.iter().rev();
        let found = lines.find(|(owned, _)| owned.has(&path));
        found.map_or(&[], |(_, owners)| owners)
    }
}

impl OwnedPaths {
    fn new(pattern: &str) -> Self {
        let trimmed = pattern.trim_matches('/');
        let components: Vec<String> = match trimmed {
            "" => Vec::new(),
            some => some.split('/').map(str::to_owned).collect(),
        };
        Self {
            // As in an ignore file: a slash before the end ties it to the root.
            is_anchored: pattern.trim_end_matches('/').contains('/') || components.is_empty(),
            is_directory: pattern.ends_with('/'),
            components,
        }
    }

    fn has(&self, path: &[&str]) -> bool {
        let starts = if self.is_anchored {
            0..1
        } else {
            0..path.len()
        };
        starts
            .into_iter()
            .any(|at| self.matches(&self.components, &path[at..]))
    }

    /// Whether the pattern matches the path, or a directory above it; `docs/*` is about the files in `docs` alone.
    fn matches(&self, pattern: &[String], path: &[&str]) -> bool {
        match (pattern, path) {
            ([], []) => !self.is_directory,
            ([], _) => self
                .components
                .last()
                .is_none_or(|last| last != "*" || self.is_directory),
            ([first, rest @ ..], _) if first == "**" => {
                (0..=path.len()).any(|n| self.matches(rest, &path[n..]))
            }
            (_, []) => false,
            ([first, rest @ ..], [name, below @ ..]) => {
                is_named(first.as_bytes(), name.as_bytes()) && self.matches(rest, below)
            }
        }
    }
}

/// Whether a name matches a pattern with `*` and `?`.
fn is_named(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(byte) if *byte == b'?' || *byte == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => match star {
                Some((star_at, from)) => {
                    star = Some((star_at, from + 1));
                    at = star_at + 1;
                    in_name = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::CodeOwners;
    use crate::model::RepoPath;

    #[test]
    fn the_last_line_that_matches_names_the_owners() {
        let owners = CodeOwners::parse(
            "# all\n* @all\n*.js @js @org/js\n/build/ @build\ndocs/* @docs  # flat\napps/ @apps\n/src/**/test @tests\n\
             /src/free.ts\n[Section]\nlib mail@x.org @lib\n",
        );
        for (path, wanted) in [
            ("a.ts", &["@all"][..]),
            ("deep/a.js", &["@js", "@org/js"]),
            ("build/logs/a.log", &["@build"]),
            ("x/build/a.log", &["@all"]),
            ("docs/a.md", &["@docs"]),
            ("docs/deep/a.md", &["@all"]),
            ("x/apps/y/z.ts", &["@apps"]),
            ("apps", &["@all"]),
            ("src/a/b/test/c.ts", &["@tests"]),
            ("src/test/c.ts", &["@tests"]),
            ("src/free.ts", &[]),
            ("lib/a.ts", &["@lib"]),
        ] {
            let path = RepoPath::new(path).unwrap();
            assert_eq!(owners.of(&path), wanted, "{path}");
        }
        assert!(
            CodeOwners::parse("")
                .of(&RepoPath::new("a").unwrap())
                .is_empty()
        );
    }
}

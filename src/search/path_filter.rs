//! Paths and globs that narrow a search: `src`, `**/*.ts`, `!**/*.spec.ts`.

use globset::{GlobBuilder, GlobMatcher};

use crate::model::path::is_at_or_below;

/// The files that a list of directories, files and globs leaves; those of an entry that begins with `!` are left out. Without
/// other entries every file is left.
#[derive(Debug, Default)]
pub struct PathFilter {
    included: Vec<FilterEntry>,
    excluded: Vec<FilterEntry>,
}

/// One entry of the list.
#[derive(Debug)]
struct FilterEntry {
    text: String,
    /// Where it has one of the marks of a glob.
    glob: Option<GlobMatcher>,
}

impl PathFilter {
    /// Reads a list. A broken glob is a name that no file has.
    pub fn new<T: AsRef<str>>(list: &[T]) -> Self {
        let mut filter = Self::default();
        for text in list {
            let text = text.as_ref().trim();
            match text.strip_prefix('!') {
                Some(text) => filter.excluded.push(FilterEntry::new(text)),
                None => filter.included.push(FilterEntry::new(text)),
            }
        }
        filter
    }

    /// Returns whether it leaves a file.
    pub fn has(&self, path: &str) -> bool {
        let is_included =
            self.included.is_empty() || self.included.iter().any(|entry| entry.has(path));
        is_included && !self.excluded.iter().any(|entry| entry.has(path))
    }

    /// Returns whether an entry names the file itself, and not only a directory that it is in: `yarn.lock`, `*.lock`,
    /// `dist/*.min.js`.
    pub fn names(&self, path: &str) -> bool {
        self.included.iter().any(|entry| entry.names(path))
    }
}

impl FilterEntry {
    fn new(text: &str) -> Self {
        let text = text.trim_start_matches("./").trim_matches('/');
        let text = if text == "." { "" } else { text }.to_owned();
        // As in an ignore file, a pattern without `/` is about names, at any depth.
        let pattern = if text.contains('/') {
            text.clone()
        } else {
            format!("**/{text}")
        };
        let glob = text
            .contains(['*', '?', '[', '{'])
            .then(|| {
                let mut builder = GlobBuilder::new(&pattern);
                builder.literal_separator(true).build().ok()
            })
            .flatten()
            .map(|glob| glob.compile_matcher());
        Self { text, glob }
    }

    fn has(&self, path: &str) -> bool {
        match &self.glob {
            _ if self.text.is_empty() => true,
            // A pattern that matches a directory matches its content.
            Some(glob) => {
                let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
                // A file may have such a name: `{brace}.ts`.
                is_at_or_below(path, &self.text)
                    || glob.is_match(path)
                    || ends.into_iter().any(|directory| glob.is_match(directory))
            }
            None => is_at_or_below(path, &self.text),
        }
    }

    fn names(&self, path: &str) -> bool {
        let last = self.text.rsplit('/').next().unwrap_or_default();
        match &self.glob {
            Some(glob) => {
                path == self.text || !last.chars().all(|c| c == '*') && glob.is_match(path)
            }
            None => path == self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PathFilter;

    #[test]
    fn a_path_filter_is_a_directory_a_file_or_a_glob() {
        let fits = |text, path| PathFilter::new(&[text]).has(path);
        assert!(
            fits("src", "src/a.ts") && fits("./src/", "src/a.ts") && fits("src/a.ts", "src/a.ts")
        );
        assert!(!fits("src", "srcs/a.ts") && !fits("rc", "src/a.ts"));
        assert!(fits("src/*.ts", "src/a.ts") && !fits("src/*.ts", "src/b/a.ts"));
        assert!(fits("*.ts", "src/b/a.ts") && fits("packages/*/src", "packages/a/src/b.ts"));
        assert!(fits("**/*.ts", "src/b/a.ts") && fits("src/**", "src/b/a.ts"));
        assert!(fits(".", "a") && fits("./", "a") && fits("", "a"));
        assert!(
            !fits("src/[", "src/a.ts"),
            "a broken glob is a name that no file has"
        );
        assert!(PathFilter::new::<&str>(&[]).has("anything"));
    }

    #[test]
    fn an_exclamation_mark_leaves_files_out() {
        let fits = |list: &[&str], path| PathFilter::new(list).has(path);
        let list = ["src", "*.md", "!*.spec.ts", "!src/old"];
        assert!(fits(&list, "src/a.ts") && fits(&list, "b/c.md"));
        for path in ["src/a.spec.ts", "src/old/a.ts", "lib/a.ts"] {
            assert!(!fits(&list, path), "{path}");
        }
        assert!(fits(&["!src"], "lib/a.ts") && !fits(&["!src"], "src/a.ts"));
        assert!(!fits(&["!"], "a"), "all is left out");
    }

    #[test]
    fn a_file_is_named_by_itself_or_by_its_ending() {
        let names = |text, path| PathFilter::new(&[text]).names(path);
        for text in [
            "web/yarn.lock",
            "./web/yarn.lock",
            "*.lock",
            "web/*.lock",
            "**/yarn.lock",
        ] {
            assert!(names(text, "web/yarn.lock"), "{text}");
        }
        for text in ["web", "", "web/**", "**", "*", "!web/yarn.lock"] {
            assert!(!names(text, "web/yarn.lock"), "{text}");
        }
    }
}

//! The kind of content of a file, judged by its path: code, documentation, data, generated. For tests and examples see
//! `file_role`.

const DOCUMENT_DIRECTORIES: &[&str] = &["doc", "docs", "website", "www"];

const GENERATED_DIRECTORIES: &[&str] = &[
    "__generated__",
    "bower_components",
    "dist",
    "generated",
    "node_modules",
    "third-party",
    "third_party",
    "vendor",
    "vendored",
];

/// Ends of directory names with the same meaning (`deno_dist`).
const GENERATED_DIRECTORY_ENDS: &[&str] = &["-dist", "_dist"];

const PROSE_EXTENSIONS: &[&str] = &["adoc", "asciidoc", "markdown", "md", "mdx", "rst", "txt"];

const DATA_EXTENSIONS: &[&str] = &[
    "arb",
    "cfg",
    "conf",
    "css",
    "csv",
    "env",
    "ftl",
    "htm",
    "html",
    "ini",
    "json",
    "json5",
    "jsonc",
    "less",
    "lock",
    "po",
    "pot",
    "properties",
    "resx",
    "sass",
    "scss",
    "snap",
    "strings",
    "stringsdict",
    "svg",
    "toml",
    "tsv",
    "webmanifest",
    "xcstrings",
    "xlf",
    "xliff",
    "xml",
    "yaml",
    "yml",
];

/// The kinds of content of a file. More than one may be true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathClass {
    /// Prose, or anything in a directory of documents.
    pub is_prose: bool,
    /// Data, configuration, markup or style.
    pub is_data: bool,
    /// Generated, minified, vendored, or declarations without code.
    pub is_generated: bool,
}

impl PathClass {
    /// Returns the class of a path. `is_prose` and `is_generated` are known from the content.
    pub fn of(path: &str, is_prose: bool, is_generated: bool) -> Self {
        let lower = path.to_ascii_lowercase();
        let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let mut class = Self {
            is_generated: is_generated || is_generated_name(name),
            ..Self::default()
        };
        for part in directories.split('/') {
            class.is_prose |= DOCUMENT_DIRECTORIES.contains(&part);
            class.is_generated |= GENERATED_DIRECTORIES.contains(&part)
                || GENERATED_DIRECTORY_ENDS
                    .iter()
                    .any(|end| part.ends_with(end));
        }
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        class.is_prose |= is_prose || PROSE_EXTENSIONS.contains(&extension);
        class.is_data = DATA_EXTENSIONS.contains(&extension) || name.starts_with('.');
        class
    }
}

fn is_generated_name(name: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts", ".map"]
        .iter()
        .any(|end| name.ends_with(end))
        || [".min.", ".generated.", ".gen.", "_generated.", ".pb."]
            .iter()
            .any(|mark| name.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::PathClass;

    fn class(path: &str) -> String {
        let found = PathClass::of(path, false, false);
        [
            (found.is_prose, 'p'),
            (found.is_data, 'd'),
            (found.is_generated, 'g'),
        ]
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, letter)| letter)
        .collect()
    }

    #[test]
    fn a_path_tells_what_a_file_is_for() {
        for (path, wanted) in [
            ("src/latest.ts", ""),
            ("src/contest/index.ts", ""),
            ("lib/spec.ts", ""),
            ("README.md", "p"),
            ("docs/a.js", "p"),
            ("package.json", "d"),
            ("locale/de/LC_MESSAGES/django.po", "d"),
            (".eslintrc", "d"),
            ("src/a.d.ts", "g"),
            ("dist/vue.js", "g"),
            ("deno_dist/mod.ts", "g"),
            ("src/redist/mod.ts", ""),
            ("a.min.js", "g"),
            ("Test/Fixtures/a.json", "d"),
        ] {
            assert_eq!(class(path), wanted, "{path}");
        }
        assert!(PathClass::of("a.ts", false, true).is_generated);
        assert!(PathClass::of("NOTES", true, false).is_prose);
    }
}

//! What a file is for, judged by its path: code, test, documentation, data, generated.
//!
//! Refuses to know languages and file contents beyond the flags that it is given.

/// Directories whose files exercise or show code rather than being it.
const TEST_DIRECTORIES: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__test__",
    "__tests__",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "mocks",
    "playground",
    "playgrounds",
    "sample",
    "samples",
    "spec",
    "specs",
    "test",
    "test-cases",
    "testcase",
    "testcases",
    "testdata",
    "testing",
    "tests",
];

/// Ends of directory names with the same meaning (`sfc-playground`).
const TEST_DIRECTORY_ENDS: &[&str] = &[
    "-benchmarks",
    "-demo",
    "-e2e",
    "-examples",
    "-fixtures",
    "-playground",
    "-tests",
];

/// What stands before the extension of a test file (`a.spec.ts`, `a_test.go`).
const TEST_MARKS: &[&str] = &[
    "bench", "e2e", "mock", "snap", "spec", "stories", "test", "test-d", "testd", "tests",
];

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
    "cfg",
    "conf",
    "css",
    "csv",
    "env",
    "htm",
    "html",
    "ini",
    "json",
    "json5",
    "jsonc",
    "less",
    "lock",
    "properties",
    "sass",
    "scss",
    "snap",
    "svg",
    "toml",
    "tsv",
    "webmanifest",
    "xml",
    "yaml",
    "yml",
];

/// What a file is for. More than one may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four independent findings about one path"
)]
pub struct PathClass {
    /// A test, an example, a fixture, a benchmark.
    pub is_test: bool,
    /// Prose, or anything in a directory of documents.
    pub is_prose: bool,
    /// Data, configuration, markup or style.
    pub is_data: bool,
    /// Generated, minified, vendored, or declarations without code.
    pub is_generated: bool,
}

impl PathClass {
    /// Returns the class of a path. `is_prose` and `is_generated` are what is known from the content.
    pub fn of(path: &str, is_prose: bool, is_generated: bool) -> Self {
        let lower = path.to_ascii_lowercase();
        let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let mut class = Self {
            is_generated: is_generated || is_generated_name(name),
            is_test: is_test_name(name, path),
            ..Self::default()
        };
        for part in directories.split('/') {
            class.is_test |= TEST_DIRECTORIES.contains(&part)
                || TEST_DIRECTORY_ENDS.iter().any(|end| part.ends_with(end));
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

fn is_test_name(lower: &str, path: &str) -> bool {
    let stem = lower.rsplit_once('.').map_or(lower, |(stem, _)| stem);
    let marked = TEST_MARKS.iter().any(|mark| {
        stem.strip_suffix(mark)
            .is_some_and(|rest| rest.ends_with(['.', '_', '-']) && rest.len() > 1)
    });
    // `UserServiceTest.java`, `ParserTests.cs`: only with that capital, else `latest.ts` is a test.
    let camel = path.rsplit_once('.').is_some_and(|(stem, extension)| {
        matches!(extension, "java" | "kt" | "cs" | "swift" | "php" | "scala")
            && (stem.ends_with("Test") || stem.ends_with("Tests"))
    });
    marked || camel || stem.starts_with("test_") || stem == "conftest"
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
            (found.is_test, 't'),
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
            ("src/a.spec.ts", "t"),
            ("pkg/a_test.go", "t"),
            ("test_a.py", "t"),
            ("src/UserTest.java", "t"),
            ("packages/x/__tests__/a.ts", "t"),
            ("packages-private/sfc-playground/src/main.ts", "t"),
            ("examples/auth/index.js", "t"),
            ("README.md", "p"),
            ("docs/a.js", "p"),
            ("package.json", "d"),
            (".eslintrc", "d"),
            ("src/a.d.ts", "g"),
            ("dist/vue.js", "g"),
            ("deno_dist/mod.ts", "g"),
            ("src/redist/mod.ts", ""),
            ("a.min.js", "g"),
            ("Test/Fixtures/a.json", "td"),
        ] {
            assert_eq!(class(path), wanted, "{path}");
        }
        assert!(PathClass::of("a.ts", false, true).is_generated);
        assert!(PathClass::of("NOTES", true, false).is_prose);
    }
}

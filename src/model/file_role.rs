//! The purpose of a file: production code, a test, support for tests, or an example.
//!
//! Knows the conventions of paths. Configurations and contents are weighed in `roles`.

/// The purpose of a file. The order is that of lists: code that changes with a definition comes before the tests that
/// check it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileRole {
    /// Production code, and all that is none of the others.
    #[default]
    Code,
    /// An example, a playground, a benchmark, code of the documentation.
    Example,
    /// Support for tests: fixtures, mocks, setup.
    TestSupport,
    /// A file that a test runner runs.
    Test,
}

impl FileRole {
    /// Returns whether it is production code.
    pub fn is_code(self) -> bool {
        self == Self::Code
    }

    /// Returns the word for it in a list of files, where a file that has none is meant to be expected: code among code, a
    /// test among tests.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Code | Self::Test => None,
            Self::TestSupport => Some("test support"),
            Self::Example => Some("example"),
        }
    }

    /// Returns whether it is a test or helps tests.
    pub fn is_of_tests(self) -> bool {
        matches!(self, Self::Test | Self::TestSupport)
    }
}

const TEST_DIRECTORIES: &[&str] = &[
    "__test__",
    "__tests__",
    "e2e",
    "spec",
    "specs",
    "test",
    "test-cases",
    "testcase",
    "testcases",
    "testing",
    "tests",
];

/// Ends of directory names with the same meaning.
const TEST_ENDS: &[&str] = &[
    "-e2e",
    "-tests",
    // Projects of .NET: `Acme.Db.Tests`.
    ".functionaltests",
    ".integrationtests",
    ".test",
    ".tests",
    ".unittests",
];

const SUPPORT_DIRECTORIES: &[&str] = &[
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "fixture",
    "fixtures",
    "mocks",
    "snapshots",
    "testdata",
];

const SUPPORT_ENDS: &[&str] = &["-fixtures", "-snapshots"];

const EXAMPLE_DIRECTORIES: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "doc",
    "docs",
    "example",
    "examples",
    "playground",
    "playgrounds",
    "sample",
    "samples",
    "website",
    "www",
];

const EXAMPLE_ENDS: &[&str] = &[
    "-benchmarks",
    "-demo",
    "-demos",
    "-example",
    "-examples",
    "-playground",
    ".benchmarks",
    ".examples",
    ".samples",
];

/// Ends of names before the extension: `a.spec.ts`, `a_test.go`.
const STEM_SUFFIXES: &[(&str, FileRole)] = &[
    ("bench", FileRole::Example),
    ("cy", FileRole::Test),
    ("e2e", FileRole::Test),
    ("mock", FileRole::TestSupport),
    ("snap", FileRole::TestSupport),
    ("spec", FileRole::Test),
    ("stories", FileRole::Example),
    ("test", FileRole::Test),
    ("test-d", FileRole::Test),
    ("testd", FileRole::Test),
    ("tests", FileRole::Test),
];

/// Directories that hold the sources of a package.
const SOURCE_DIRECTORIES: &[&str] = &["lib", "source", "src"];

/// Returns the role that the name of a file has by convention: `a.spec.ts` is a test.
pub fn by_name(path: &str) -> Option<FileRole> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let stem = lower
        .rsplit_once('.')
        .map_or(lower.as_str(), |(stem, _)| stem);
    let by_suffix = STEM_SUFFIXES.iter().find(|(suffix, _)| {
        stem.strip_suffix(suffix).is_some_and(|rest| {
            let between: &[char] = if *suffix == "cy" {
                &['.']
            } else {
                &['.', '_', '-']
            };
            rest.ends_with(between) && rest.len() > 1
        })
    });
    if let Some((_, role)) = by_suffix {
        return Some(*role);
    }
    // `UserServiceTest.java`, `ParserTests.cs`: only with that capital, else `latest.ts` is a test.
    let is_camel = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        matches!(extension, "java" | "kt" | "cs" | "swift" | "php" | "scala")
            && (stem.ends_with("Test") || stem.ends_with("Tests"))
            || extension == "java" && is_java_test(stem)
    });
    // Django's default.
    let is_tests_module = name == "tests.py";
    if is_camel || is_tests_module || stem.starts_with("test_") {
        Some(FileRole::Test)
    } else if stem == "conftest" {
        Some(FileRole::TestSupport)
    } else {
        None
    }
}

/// Returns the role that the directories of a file give it: the innermost of tests and examples; support for tests
/// wins wherever it stands, e.g. `test/fixtures/example/a.ts`.
pub fn by_directories(path: &str) -> FileRole {
    let directories = path
        .rsplit_once('/')
        .map_or("", |(directories, _)| directories);
    let directories = outside_of_package(path, directories);
    let mut role = FileRole::Code;
    for part in directories.to_ascii_lowercase().split('/') {
        let is = |names: &[&str], ends: &[&str]| {
            names.contains(&part) || ends.iter().any(|end| part.ends_with(end))
        };
        if is(SUPPORT_DIRECTORIES, SUPPORT_ENDS) && role != FileRole::Example {
            return FileRole::TestSupport;
        } else if is(TEST_DIRECTORIES, TEST_ENDS) {
            role = FileRole::Test;
        } else if is(EXAMPLE_DIRECTORIES, EXAMPLE_ENDS) {
            role = FileRole::Example;
        }
    }
    role
}

/// Returns the directories around the package that a file is in: those of a package are named after whoever wrote it, so
/// that `src/main/java/com/example/demo` is no example.
fn outside_of_package<'a>(path: &str, directories: &'a str) -> &'a str {
    let extension = path.rsplit_once('.').map_or("", |it| it.1);
    if !matches!(extension, "java" | "kt" | "scala" | "groovy") {
        return directories;
    }
    let mut before = [""; 2];
    let mut at = 0;
    for part in directories.split('/') {
        // `src/test/java`, else the usual beginnings of names of packages.
        let is_root = before[0] == "src" && matches!(part, "java" | "kotlin" | "scala" | "groovy");
        if is_root || matches!(part, "com" | "org" | "net" | "io" | "edu" | "gov") {
            return directories[..at].trim_end_matches('/');
        }
        before = [before[1], part];
        at += part.len() + 1;
    }
    directories
}

/// Names of tests in Java beside `ParserTest` and `ParserTests`: `ParserIT`, `ParserTestCase`, `TestParser`.
fn is_java_test(stem: &str) -> bool {
    let is_word = |rest: &str| rest.starts_with(|c: char| c.is_uppercase());
    stem.ends_with("TestCase")
        || stem
            .strip_suffix("IT")
            .is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase()))
        || stem.strip_prefix("Test").is_some_and(is_word)
}

/// Returns whether a file lies in a directory of tests that is among sources, as code about tests does too
/// (`src/mcp/test/tools.ts`); `__tests__` never means that.
pub fn is_test_dir_inside_sources(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut is_source = false;
    for part in lower
        .rsplit_once('/')
        .map_or("", |(directories, _)| directories)
        .split('/')
    {
        if SOURCE_DIRECTORIES.contains(&part) {
            is_source = true;
        } else if is_source && TEST_DIRECTORIES.contains(&part) {
            return !part.starts_with("__") && part != "e2e";
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::FileRole::{Code, Example, Test, TestSupport};
    use super::{by_directories, by_name, is_test_dir_inside_sources};

    #[test]
    fn a_name_may_tell_what_a_file_is_for() {
        for (path, wanted) in [
            ("src/latest.ts", None),
            ("lib/spec.ts", None),
            ("src/a.spec.ts", Some(Test)),
            ("pkg/a_test.go", Some(Test)),
            ("test_a.py", Some(Test)),
            ("conftest.py", Some(TestSupport)),
            ("src/UserTest.java", Some(Test)),
            ("src/latestTest.ts", None),
            ("src/LoginIT.java", Some(Test)),
            ("src/ParserTests.cs", Some(Test)),
            ("src/TestLogin.java", Some(Test)),
            ("src/UNIT.java", None),
            ("src/Testing.java", None),
            ("a.bench.ts", Some(Example)),
            ("legacy.js", None),
            ("a.cy.ts", Some(Test)),
            ("x_cy.ts", None),
        ] {
            assert_eq!(by_name(path), wanted, "{path}");
        }
    }

    #[test]
    fn directories_tell_what_is_in_them() {
        for (path, wanted) in [
            ("src/contest/index.ts", Code),
            ("packages/x/__tests__/a.ts", Test),
            ("packages-private/sfc-playground/src/main.ts", Example),
            ("examples/auth/index.js", Example),
            ("examples/auth/test/index.js", Test),
            ("Test/Fixtures/a.json", TestSupport),
            ("tests/fixtures/examples/a.ts", TestSupport),
            ("docs/a.js", Example),
            ("test.ts", Code),
            ("src/main/java/org/acme/samples/A.java", Code),
            ("src/test/java/com/example/A.java", Test),
            ("app/src/main/java/demo/A.java", Code),
            ("examples/src/main/java/com/acme/A.java", Example),
            ("tests/com/acme/A.java", Test),
            ("src/Acme.Db.Tests/A.cs", Test),
            ("src/Acme.Samples/A.cs", Example),
        ] {
            assert_eq!(by_directories(path), wanted, "{path}");
        }
        assert!(is_test_dir_inside_sources(
            "packages/a/src/mcp/test/tools.ts"
        ));
        assert!(!is_test_dir_inside_sources("packages/a/test/src/tools.ts"));
        assert!(!is_test_dir_inside_sources("src/__tests__/a.ts"));
    }
}

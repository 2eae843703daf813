//! Tests by their names: `foo.test.ts`, `foo.spec.ts`, `__tests__/foo.ts`, `test/foo.js` for `foo.ts`; `foo_test.rb` for `foo.rb`,
//! `FooTests.swift` for `Foo.swift`.
//!
//! A guess by convention, for where no edge leads.

use crate::model::{Direction, RepoPath};
use crate::roles::Roles;
use crate::store::{Read, StoreResult};

/// Directories that hold tests.
const TEST_DIRECTORIES: [&str; 6] = ["__tests__", "__test__", "test", "tests", "spec", "specs"];

/// Directories of tests below those, which no source has.
const TEST_KINDS: [&str; 4] = ["feature", "functional", "integration", "unit"];

/// Directories whose files help tests and are none.
const HELPER_DIRECTORIES: [&str; 6] = [
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "fixtures",
    "mocks",
    "snapshots",
];

/// Directories that the path of a test leaves out.
const SOURCE_DIRECTORIES: [&str; 3] = ["src", "lib", "source"];

/// Words of the name of a test between its stem and its extension.
const TEST_WORDS: [&str; 5] = ["test", "tests", "spec", "specs", "test-d"];

/// Extensions of scripts.
const SCRIPTS: [&str; 10] = [
    "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte",
];

/// The conventions of languages in which no edge leads from a test to the code that it tests.
struct Convention {
    /// Extensions of files that test one another.
    extensions: &'static [&'static str],
    /// Directories that the path of a test leaves out, beside `SOURCE_DIRECTORIES`.
    sources: &'static [&'static str],
    /// Ends of the names of tests, which begin with a capital: `FooTest`.
    camel_suffixes: &'static [&'static str],
}

const CONVENTIONS: [Convention; 8] = [
    Convention {
        extensions: &["rb"],
        sources: &["app"],
        camel_suffixes: &[],
    },
    Convention {
        extensions: &["php"],
        sources: &["app"],
        camel_suffixes: &["Test", "Tests"],
    },
    // Of Java alone the uses in tests are bound.
    Convention {
        extensions: &["kt", "kts", "scala", "groovy", "java"],
        sources: &["main", "kotlin", "java", "scala", "groovy"],
        camel_suffixes: &["Test", "Tests", "Spec", "Suite"],
    },
    Convention {
        extensions: &["swift"],
        sources: &["sources"],
        camel_suffixes: &["Test", "Tests", "Spec"],
    },
    Convention {
        extensions: &["dart"],
        sources: &[],
        camel_suffixes: &[],
    },
    Convention {
        extensions: &["ex", "exs"],
        sources: &[],
        camel_suffixes: &[],
    },
    Convention {
        extensions: &["lua"],
        sources: &[],
        camel_suffixes: &[],
    },
    Convention {
        extensions: &["zig"],
        sources: &[],
        camel_suffixes: &[],
    },
];

/// A path, split into the parts that a convention compares.
#[derive(Debug, PartialEq, Eq)]
struct PathParts {
    /// Directories, those of tests and sources left out, in lower case.
    directories: Vec<String>,
    /// The name without that word and the extension, in lower case.
    stem: String,
    is_test: bool,
    /// The first extension of its language.
    language: &'static str,
    is_java: bool,
}

impl PathParts {
    /// Returns `None` for files that are no code, or only support tests.
    fn of(path: &str) -> Option<Self> {
        let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
        let is_it = |it: &&Convention| it.extensions.contains(&extension.as_str());
        let convention = CONVENTIONS.iter().find(is_it);
        let language = match convention {
            Some(convention) => convention.extensions[0],
            None if SCRIPTS.contains(&extension.as_str()) => SCRIPTS[0],
            None => return None,
        };
        let (sources, camel_suffixes) =
            convention.map_or((&[][..], &[][..]), |it| (it.sources, it.camel_suffixes));
        let name = path.rsplit('/').next()?;
        let (stem, _) = name.rsplit_once('.')?;
        let camel = camel_suffixes.iter().find_map(|word| {
            let rest = stem.strip_suffix(word)?;
            let is_name = rest.starts_with(char::is_uppercase);
            is_name.then_some(rest)
        });
        let lower = path.to_ascii_lowercase();
        let directories = lower.rsplit_once('/').map_or("", |it| it.0);
        let stem = stem.to_ascii_lowercase();
        let is_declaration = stem.rsplit_once('.').is_some_and(|(_, last)| last == "d");
        if is_declaration {
            return None;
        }
        let parts: Vec<&str> = directories
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        if parts.iter().any(|part| HELPER_DIRECTORIES.contains(part)) {
            return None;
        }
        let plain = TEST_WORDS.iter().find_map(|word| {
            let rest = stem.strip_suffix(word)?;
            rest.strip_suffix(['.', '_', '-'])
                .filter(|rest| !rest.is_empty())
        });
        let plain = plain.map(str::to_owned);
        let plain = plain.or_else(|| camel.map(str::to_ascii_lowercase));
        let is_below = parts.iter().any(|part| TEST_DIRECTORIES.contains(part));
        let is_left_out = |part: &str| {
            TEST_DIRECTORIES.contains(&part)
                || SOURCE_DIRECTORIES.contains(&part)
                || sources.contains(&part)
                || convention.is_some() && is_below && TEST_KINDS.contains(&part)
        };
        // `Tests/NetworkTests/ClientTests.swift` for `Sources/Network/Client.swift`.
        let named = |part: &str| match part.strip_suffix("tests") {
            Some(module) if is_below && !module.is_empty() && language == "swift" => {
                module.to_owned()
            }
            _ => part.to_owned(),
        };
        let parts = parts.iter().filter(|part| !is_left_out(part));
        Some(Self {
            directories: parts.map(|part| named(part)).collect(),
            is_test: plain.is_some() || is_below,
            stem: plain.unwrap_or(stem),
            language,
            is_java: extension == "java",
        })
    }

    fn is_above(&self, other: &Self) -> bool {
        other.directories.starts_with(&self.directories)
    }

    /// Whether one may test the other without an edge between them.
    fn may_test(&self, other: &Self) -> bool {
        self.language == other.language && !(self.is_java && other.is_java)
    }
}

/// Returns the tests of a file by their names, by path; none for a test. One pass over the paths of the
/// index.
pub fn tests_of(read: &Read<'_>, roles: &Roles<'_>, path: &RepoPath) -> StoreResult<Vec<RepoPath>> {
    let Some(source) = PathParts::of(path.as_str()).filter(|named| !named.is_test) else {
        return Ok(Vec::new());
    };
    let files = read.files_named(&source.stem)?;
    let mut tests = choose_tests(path, &source, files);
    tests.retain(|test| roles.is_test(test));
    Ok(tests)
}

/// Returns the tests of a file that nothing but their names tells of, by path: those of [`tests_of`] that are not known yet and do
/// not import the file. A test that imports it has its uses bound: those of other definitions are no tests of the one asked about.
pub fn tests_by_name_alone(
    read: &Read<'_>,
    roles: &Roles<'_>,
    path: &RepoPath,
    is_known: impl Fn(&RepoPath) -> bool,
) -> StoreResult<Vec<RepoPath>> {
    let mut tests = tests_of(read, roles, path)?;
    tests.retain(|test| !is_known(test));
    if let (false, Some(file)) = (tests.is_empty(), read.file(path.as_str())?) {
        for importer in read.import_neighbors(file.id, Direction::In)? {
            let importer = read.path_of(importer)?;
            tests.retain(|test| importer.as_ref() != Some(test));
        }
    }
    Ok(tests)
}

/// Returns the files that a test is of by its name, by path; none for a file that is no test. One pass, too.
pub fn sources_of_test(
    read: &Read<'_>,
    roles: &Roles<'_>,
    path: &RepoPath,
) -> StoreResult<Vec<RepoPath>> {
    let Some(test) = PathParts::of(path.as_str()).filter(|named| named.is_test) else {
        return Ok(Vec::new());
    };
    let mut sources = choose_tested(&test, read.files_named(&test.stem)?);
    sources.retain(|source| roles.is_code(source));
    Ok(sources)
}

/// Chooses the tests of `path` among files whose names begin alike: those in the same place, and those
/// further up while no other file below that place has this name.
fn choose_tests(path: &RepoPath, source: &PathParts, files: Vec<RepoPath>) -> Vec<RepoPath> {
    let mut named = of_stem(&source.stem, files);
    named.retain(|(file, _)| file != path);
    let is_only = |test: &PathParts| {
        !named
            .iter()
            .any(|(_, other)| !other.is_test && test.may_test(other) && test.is_above(other))
    };
    named
        .iter()
        .filter(|(_, test)| test.is_test && test.may_test(source))
        .filter(|(_, test)| {
            test.directories == source.directories || (test.is_above(source) && is_only(test))
        })
        .map(|(file, _)| file.clone())
        .collect()
}

/// Chooses the files that have `test` among their tests.
fn choose_tested(test: &PathParts, files: Vec<RepoPath>) -> Vec<RepoPath> {
    let mut sources = of_stem(&test.stem, files);
    sources.retain(|(_, source)| !source.is_test && test.is_above(source));
    sources.retain(|(_, source)| source.may_test(test));
    let is_only = sources.len() == 1;
    sources.retain(|(_, source)| is_only || test.directories == source.directories);
    sources.into_iter().map(|(file, _)| file).collect()
}

fn of_stem(stem: &str, files: Vec<RepoPath>) -> Vec<(RepoPath, PathParts)> {
    files
        .into_iter()
        .filter_map(|file| {
            let named = PathParts::of(file.as_str())?;
            (named.stem == stem).then_some((file, named))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{PathParts, choose_tested, choose_tests};
    use crate::model::RepoPath;

    fn tests_of(path: &str, files: &[&str]) -> Vec<String> {
        let source = PathParts::of(path).unwrap();
        let path = RepoPath::new(path).unwrap();
        let files = files.iter().map(|path| RepoPath::new(path).unwrap());
        let all: Vec<RepoPath> = files.chain([path.clone()]).collect();
        let found = choose_tests(&path, &source, all.clone());
        for file in &all {
            // The other way says the same.
            let test = PathParts::of(file.as_str()).filter(|named| named.is_test);
            let is_tested =
                test.is_some_and(|test| choose_tested(&test, all.clone()).contains(&path));
            assert_eq!(found.contains(file), is_tested, "{file} of {path}");
        }
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_test_has_the_name_of_what_it_tests() {
        for (source, test) in [
            ("src/foo.ts", "src/foo.test.ts"),
            ("src/foo.ts", "src/foo.spec.tsx"),
            ("src/foo.ts", "src/__tests__/foo.ts"),
            ("lib/foo.ts", "test/foo.js"),
            ("lib/deep/foo.ts", "test/foo.js"),
            ("src/Foo.vue", "tests/foo-test.js"),
            ("pkg/a/src/x/foo.ts", "pkg/a/__tests__/x/foo.spec.ts"),
            ("button/index.tsx", "button/__tests__/index.test.tsx"),
            ("lib/acme/foo.rb", "test/acme/foo_test.rb"),
            ("app/models/user.rb", "spec/models/user_spec.rb"),
            ("src/Http/Client.php", "tests/Unit/Http/ClientTest.php"),
            ("app/Models/User.php", "tests/Feature/UserTest.php"),
            (
                "a/src/main/kotlin/b/Foo.kt",
                "a/src/test/kotlin/b/FooTest.kt",
            ),
            (
                "a/src/main/java/b/Foo.java",
                "a/src/test/groovy/b/FooSpec.groovy",
            ),
            (
                "Sources/Net/Client.swift",
                "Tests/NetTests/ClientTests.swift",
            ),
            ("lib/src/foo.dart", "test/foo_test.dart"),
            ("lib/a/foo.ex", "test/a/foo_test.exs"),
        ] {
            assert_eq!(tests_of(source, &[test]), [test], "{source}");
        }
    }

    #[test]
    fn a_name_alone_is_not_enough() {
        for (source, other) in [
            ("src/foo.ts", "src/foobar.test.ts"),
            ("src/foo.ts", "src/foo.ts.snap"),
            ("pkg/a/src/foo.ts", "pkg/b/test/foo.ts"),
            ("src/foo.ts", "test/fixtures/foo.ts"),
            ("src/foo.ts", "src/foo.d.ts"),
            ("src/foo.ts", "docs/foo.md"),
            ("lib/foo.rb", "test/foo_test.php"),
            ("src/main/java/a/Foo.java", "src/test/java/a/FooTest.java"),
            (
                "Sources/Net/Client.swift",
                "Tests/WebTests/ClientTests.swift",
            ),
            ("src/con.php", "tests/contest.php"),
        ] {
            assert!(tests_of(source, &[other]).is_empty(), "{source} {other}");
        }
        // Two files of this name: the test may be of the other one.
        let files = ["test/foo.js", "lib/b/foo.js"];
        assert!(tests_of("lib/a/foo.js", &files).is_empty());
        assert_eq!(tests_of("lib/foo.js", &files), ["test/foo.js"]);
    }
}

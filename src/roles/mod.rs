//! The purpose of the files of an index, by evidence: the configuration of the test runner, imports of a test
//! framework or its globals in use, file names, and directory names last. `cargo`, `jvm` and `scripts` also tell the commands of
//! tests, and `codeowners` who reviews a file.
//!
//! A configuration is kept as the files that it declares (see [`kept`]) and weighed when a question is asked, so that
//! its change changes roles without touching another row. The declaration is a function of the configuration's bytes;
//! nothing of it is run.

mod cargo;
pub mod codeowners;
mod config;
mod glob;
mod jvm;
mod runner;
mod scripts;
mod test_definitions;
#[cfg(test)]
mod tests;
mod text;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

pub use crate::model::FileRole;

use crate::ir::FileFacts;
use crate::model::file_role::{by_directories, by_name, is_test_dir_inside_sources};
use crate::model::path::is_at_or_below;
use crate::model::{Budget, RepoPath, SymbolFlags, SymbolKind, ini};
use crate::store::{KnownRoles, Read};
use crate::syntax;
use runner::{Compiled, FileIndex, PathPattern, Runner, RunnerEvidence, Suite};

/// Bytes of a configuration that is read.
const MAX_CONFIG_BYTES: usize = 1 << 19;

/// Tests of one file that a command names; of more the whole file is run, of Go its package.
const MAX_NAMED_TESTS: usize = 5;

/// Suites of one repository.
const MAX_SUITES: usize = 2_000;

/// Modules that offer tests, and their runner.
const FRAMEWORKS: &[(&str, Runner)] = &[
    ("vitest", Runner::Vitest),
    ("@jest/globals", Runner::Jest),
    ("@playwright/test", Runner::Playwright),
    ("@playwright/experimental-ct-react", Runner::Playwright),
    ("@playwright/experimental-ct-vue", Runner::Playwright),
    ("mocha", Runner::Mocha),
    ("ava", Runner::Ava),
    ("tap", Runner::Tap),
    ("node:test", Runner::Node),
    ("bun:test", Runner::Other),
    ("cypress", Runner::Other),
    ("tape", Runner::Other),
    ("uvu", Runner::Other),
    ("@japa/runner", Runner::Other),
];

/// Names by which frameworks offer tests.
const TEST_NAMES: &[&str] = &["describe", "it", "suite", "test"];

/// Beginnings of the names of namespaces and packages with the attributes and annotations of tests.
const ATTRIBUTES: &[&str] = &[
    "Microsoft.VisualStudio.TestTools.UnitTesting",
    "NUnit.Framework",
    "TUnit",
    "Xunit",
    "org.junit",
    "org.testng",
];

/// Beginnings of the names of modules that only tests are written with.
const HELPERS: &[&str] = &[
    "@angular/core/testing",
    "@nestjs/testing",
    "@testing-library/",
    "@vue/test-utils",
    "chai",
    "enzyme",
    "sinon",
    "supertest",
];

/// Returns the suites that a file declares, in the form that the index keeps; `None` where it is no configuration of tests,
/// or declares nothing. A function of path and text alone. Costs the parsing of a script of that name, nothing for others.
pub fn kept(path: &RepoPath, text: &str) -> Option<String> {
    if text.len() > MAX_CONFIG_BYTES {
        return None;
    }
    // A row that a budget cut short would be wrong for good; the parser has bounds of its own.
    let suites = declared(path, text, &Budget::unlimited(Arc::default()));
    (!suites.is_empty()).then(|| serde_json::to_string(&suites).expect("texts can be written"))
}

fn declared(path: &RepoPath, text: &str, budget: &Budget) -> Vec<Suite> {
    let (home, name) = (path.directory(), path.file_name());
    let json = || serde_json::from_str::<Value>(text).unwrap_or_default();
    match name {
        "package.json" => of_manifest(home, &json()),
        ".mocharc.json" | ".mocharc.jsonc" => config::mocha(home, &config::of_json(&json()))
            .into_iter()
            .collect(),
        ".mocharc.yml" | ".mocharc.yaml" => {
            config::mocha(home, &text::yaml(text)).into_iter().collect()
        }
        ".taprc" => vec![config::files(
            Runner::Tap,
            home,
            text::yaml(text).get("include"),
        )],
        "jest.config.json" | "jest-e2e.json" => {
            let mut found = Vec::new();
            config::jest_config(home, &config::of_json(&json()), &mut found);
            found
        }
        "Cargo.toml" => vec![cargo::suite(home, text)],
        "pytest.ini" | ".pytest.ini" | "tox.ini" => of_pytest_ini(home, text, "pytest"),
        "setup.cfg" => of_pytest_ini(home, text, "tool:pytest"),
        "pytest.toml" | ".pytest.toml" => of_pytest_toml(home, text, &["pytest"]),
        "pyproject.toml" => of_pytest_toml(home, text, &["tool.pytest", "tool.pytest.ini_options"]),
        "pom.xml" => jvm::declared(home, name, text),
        _ if name.ends_with(".gradle") || name.ends_with(".gradle.kts") => {
            jvm::declared(home, name, text)
        }
        _ => match config::runner_of(name) {
            Some(runner) => {
                let values = syntax::literals(path, text, budget);
                config::suites(runner, home, name, &values)
            }
            None => Vec::new(),
        },
    }
}

fn of_manifest(home: &str, manifest: &Value) -> Vec<Suite> {
    let mut found = Vec::new();
    let member = |name: &str| manifest.get(name).filter(|it| it.is_object());
    if let Some(jest) = member("jest") {
        config::jest_config(home, &config::of_json(jest), &mut found);
    }
    if let Some(mocha) = member("mocha") {
        found.extend(config::mocha(home, &config::of_json(mocha)));
    }
    for (name, runner, files) in [
        ("ava", Runner::Ava, "files"),
        ("tap", Runner::Tap, "include"),
    ] {
        if let Some(own) = member(name) {
            found.push(config::files(runner, home, config::of_json(own).get(files)));
        }
    }
    let scripts = manifest.get("scripts").and_then(Value::as_object);
    let lines = scripts
        .into_iter()
        .flat_map(|it| it.values())
        .filter_map(Value::as_str);
    found.extend(scripts::suites(home, lines));
    found
}

fn of_pytest_ini(home: &str, text: &str, section: &str) -> Vec<Suite> {
    if !ini::has_section(text, section) {
        return Vec::new();
    }
    let words = |key: &str| -> Vec<String> {
        let value = ini::value(text, section, key).unwrap_or_default();
        value.split_whitespace().map(str::to_owned).collect()
    };
    vec![of_pytest(home, words("python_files"), &words("testpaths"))]
}

/// Reads the first of `sections` that is there.
fn of_pytest_toml(home: &str, text: &str, sections: &[&str]) -> Vec<Suite> {
    let suite = sections.iter().find_map(|section| {
        let names = text::section_values(text, section, "python_files")?;
        let paths = text::section_values(text, section, "testpaths").unwrap_or_default();
        Some(of_pytest(home, names, &paths))
    });
    suite.into_iter().collect()
}

fn of_pytest(home: &str, mut names: Vec<String>, paths: &[String]) -> Suite {
    if names.is_empty() {
        names = ["test_*.py", "*_test.py"].map(str::to_owned).to_vec();
    }
    let roots: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            // Of a pattern the part before its first sign.
            let start = path.split(['*', '?', '[']).next().unwrap_or_default();
            let start = if start.len() < path.len() {
                start.rsplit_once('/').map_or("", |it| it.0)
            } else {
                start
            };
            // Nothing is left of the repository itself: `.` at its top.
            match config::absolute(home, start).strip_prefix('/') {
                None | Some("") => Some(String::new()),
                Some(inside) => RepoPath::normalise(inside).map(|it| it.to_string()),
            }
        })
        .collect();
    let glob =
        |pattern: &String| PathPattern::Glob(config::absolute(home, &format!("**/{pattern}")));
    Suite {
        runner: Runner::Pytest,
        origin: RunnerEvidence::Config,
        home: home.to_owned(),
        roots: if roots.is_empty() {
            vec![home.to_owned()]
        } else {
            roots
        },
        include: names.iter().map(glob).collect(),
        exclude: ["**/{venv,build,dist,node_modules}/**", "**/.*/**"]
            .map(|pattern| PathPattern::Glob(config::absolute(home, pattern)))
            .to_vec(),
        is_open: false,
        package: None,
    }
}

/// Returns whether a file of this name configures tests, as far as its name tells.
fn is_config(path: &RepoPath) -> bool {
    config::runner_of(path.file_name()).is_some()
}

/// The roles of the files of one index.
pub struct Roles<'a> {
    read: &'a Read<'a>,
    suites: OnceCell<Vec<Compiled>>,
    /// The builds of Maven and Gradle, which tell no roles.
    builds: OnceCell<Vec<Suite>>,
    /// Shared with others who ask the same index: most files are asked about again.
    known: Arc<Mutex<KnownRoles>>,
    /// The roles of the definitions in files that may hold tests among their code.
    inside: RefCell<HashMap<RepoPath, Rc<[FileRole]>>>,
}

/// Evidence in a script's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Content {
    /// The runner of the framework that it takes tests from.
    framework: Option<Runner>,
    /// Whether it calls `describe` or `it` as globals.
    has_globals: bool,
    /// Whether it imports a framework for any purpose, or a module that only tests are written with; of C#, Java and Rust whether
    /// it has tests.
    helps: bool,
}

impl<'a> Roles<'a> {
    /// Returns the roles of an index. Rows are read when they are needed, and once.
    pub fn new(read: &'a Read<'a>) -> Self {
        Self {
            read,
            suites: OnceCell::new(),
            builds: OnceCell::new(),
            known: read.known_roles(),
            inside: RefCell::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, KnownRoles> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a runner runs the file, as far as is known.
    pub fn is_test(&self, path: &RepoPath) -> bool {
        self.of(path) == FileRole::Test
    }

    /// Returns whether the file is neither test nor example, nor helps tests.
    pub fn is_code(&self, path: &RepoPath) -> bool {
        self.of(path).is_code()
    }

    /// Returns the role of a file. Costs some microseconds, and a look at its row where its path leaves it open.
    pub fn of(&self, path: &RepoPath) -> FileRole {
        if let Some(known) = self.known().whole(path) {
            return known;
        }
        let content = || self.content(path);
        let role = role(path, self.suites(), self, content);
        self.known().add_whole(path, role);
        role
    }

    /// Returns the role of a file as far as configurations and its path tell: for lists of many files, at a tenth of the cost.
    pub fn by_path(&self, path: &RepoPath) -> FileRole {
        let text = path.as_str();
        if by_name(text).is_some() || !by_directories(text).is_code() {
            return self.of(path);
        }
        if let Some(known) = self.known().by_path(path) {
            return known;
        }
        let role = role(path, self.suites(), self, Content::default);
        self.known().add_by_path(path, role);
        role
    }

    /// Returns the command that runs a test file, from the root of the repository: `npx vitest run src/a.spec.ts`; of tests among
    /// code, of Go and of Java only `tests` in it, each by its first line and name, where there are any. `None` where it is not
    /// evident: no runner or several are configured for it, or its path would have to be quoted. Nothing is run here.
    pub fn command(&self, path: &RepoPath, tests: &[(u32, &str)]) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
        let text = path.as_str();
        if !text.chars().all(is_plain) || text.starts_with('-') {
            return None;
        }
        if syntax::has_inline_tests(path) {
            let lines: Vec<u32> = tests.iter().map(|it| it.0).collect();
            return self.cargo_command(path, &lines);
        }
        if !self.is_test(path) {
            return None;
        }
        let tests: Vec<&str> = tests.iter().map(|it| it.1).collect();
        if syntax_of(path) == FileSyntax::Go {
            let directory = path.directory();
            let package = if directory.is_empty() {
                ".".to_owned()
            } else {
                format!("./{directory}")
            };
            return Some(match tests.as_slice() {
                [] => format!("go test {package}"),
                // Of many the package is as good.
                tests if tests.len() > MAX_NAMED_TESTS => format!("go test {package}"),
                tests => format!("go test {package} -run '^({})$'", tests.join("|")),
            });
        }
        if syntax_of(path) == FileSyntax::CSharp {
            return self.dotnet_command(path);
        }
        if path.extension() == Some("java") {
            let is_file = |path: &str| self.read.file(path).is_ok_and(|it| it.is_some());
            return jvm::command(self.builds(), text, &tests, is_file);
        }
        let suites: Vec<&Compiled> = self.suites().iter().filter(|it| it.runs(text)).collect();
        // The innermost configuration runs it.
        let home = suites.iter().map(|it| it.suite.home.as_str());
        let home = home.max_by_key(|home| home.len())?;
        let mut runners = suites
            .iter()
            .filter(|it| it.suite.home == home)
            .map(|it| it.suite.runner);
        let runner = runners.next()?;
        if runners.any(|other| other != runner) || !home.chars().all(is_plain) {
            return None;
        }
        let command = runner.command()?;
        if home.is_empty() {
            return Some(format!("{command} {text}"));
        }
        let inside = text.strip_prefix(home)?.strip_prefix('/')?;
        Some(format!("cd {home} && {command} {inside}"))
    }

    /// Returns the command for the tests of a class: `dotnet test src/Db.Tests --filter FullyQualifiedName~StoreTests`. `None` where
    /// the file has no or several classes with tests, or lies in no project.
    fn dotnet_command(&self, path: &RepoPath) -> Option<String> {
        let file = self.read.file(path.as_str()).ok()??;
        let facts = self.read.declared_facts(file.id).ok()??;
        let mut classes = classes_with_tests(&facts);
        let (class, None) = (classes.next()?, classes.next()) else {
            return None;
        };
        let mut directory = path.directory();
        loop {
            if self.read.has_file_in(directory, ".csproj").ok()? {
                break;
            }
            directory = match directory.rsplit_once('/') {
                Some((before, _)) => before,
                None if directory.is_empty() => return None,
                None => "",
            };
        }
        let project = if directory.is_empty() { "." } else { directory };
        Some(format!(
            "dotnet test {project} --filter FullyQualifiedName~{class}"
        ))
    }

    fn suites(&self) -> &[Compiled] {
        self.suites.get_or_init(|| {
            let suites = self.declared().filter(|it| !it.runner.is_jvm());
            compiled(suites.take(MAX_SUITES).collect())
        })
    }

    fn builds(&self) -> &[Suite] {
        self.builds
            .get_or_init(|| self.declared().filter(|it| it.runner.is_jvm()).collect())
    }

    /// All suites that configurations declare; one that can't be read is none.
    fn declared(&self) -> impl Iterator<Item = Suite> {
        let rows = self.read.runners().unwrap_or_default();
        let declared = rows.into_iter().filter_map(|(path, text)| {
            let is_fixture = by_directories(path.as_str()) == FileRole::TestSupport;
            let suites: Vec<Suite> = serde_json::from_str(&text).ok()?;
            (!is_fixture).then_some(suites)
        });
        declared.flatten()
    }

    fn content(&self, path: &RepoPath) -> Content {
        let Ok(Some(file)) = self.read.file(path.as_str()) else {
            return Content::default();
        };
        let specifiers = self.read.specifiers_of(file.id).unwrap_or_default();
        let is_framework = |it: &String| FRAMEWORKS.iter().any(|(name, _)| name == it);
        let mut content = Content::default();
        if matches!(syntax_of(path), FileSyntax::CSharp | FileSyntax::Java) {
            let is_apart = !by_directories(path.as_str()).is_code();
            let may_test = is_apart || specifiers.iter().any(|it| offers_attributes(it));
            let facts = may_test.then(|| self.read.declared_facts(file.id).ok().flatten());
            let facts = facts.flatten();
            content.helps = facts.is_some_and(|it| classes_with_tests(&it).next().is_some());
            return content;
        }
        if syntax_of(path) == FileSyntax::Rust {
            let facts = self.read.declared_facts(file.id).ok().flatten();
            content.helps = facts.is_none_or(|it| may_be_tests(&it));
            return content;
        }
        if specifiers.iter().any(is_framework) {
            let facts = self.read.declared_facts(file.id).ok().flatten();
            content = facts.map_or_else(Content::default, |facts| imported(&facts));
        }
        let is_helper = |it: &String| HELPERS.iter().any(|name| it.starts_with(name));
        content.helps |= specifiers.iter().any(is_helper);
        let mut names = ["describe", "it"].iter();
        content.has_globals = names.any(|name| {
            let is_called = self.read.calls_unbound(file.id, name);
            is_called.unwrap_or_default()
        });
        content
    }
}

impl FileIndex for Roles<'_> {
    fn has_file(&self, fits: &dyn Fn(&str) -> bool) -> bool {
        // Rows that can't be read tell nothing against a pattern.
        let Ok(rows) = self.read.file_rows() else {
            return true;
        };
        rows.iter().any(|row| fits(row.path.as_str()))
    }
}

/// Whether a namespace or package has the attributes that make a method a test.
fn offers_attributes(specifier: &str) -> bool {
    let rest = ATTRIBUTES.iter().find_map(|it| specifier.strip_prefix(it));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Leaves out files that another suite tells more about, and prepares the rest for matching.
fn compiled(suites: Vec<Suite>) -> Vec<Compiled> {
    let configured: Vec<(Runner, String)> = suites
        .iter()
        .filter(|suite| suite.origin != RunnerEvidence::Script)
        .map(|suite| (suite.runner, suite.home.clone()))
        .collect();
    let is_told = |suite: &Suite| {
        let own = (suite.runner, suite.home.clone());
        suite.origin == RunnerEvidence::Script && configured.contains(&own)
    };
    let rest = suites.into_iter().filter(|suite| !is_told(suite));
    rest.map(Compiled::new).collect()
}

/// Whether another configuration, in a project's own directory, says which files the project runs.
fn is_yielded(suite: &Compiled, suites: &[Compiled], path: &str) -> bool {
    suite.suite.origin == RunnerEvidence::Workspace
        && suites.iter().any(|other| {
            other.suite.origin == RunnerEvidence::Config
                && other.suite.runner == suite.suite.runner
                && other.suite.home.len() > suite.suite.home.len()
                && is_at_or_below(path, &other.suite.home)
        })
}

/// Returns the names of the types of a file whose methods are tests.
fn classes_with_tests(facts: &FileFacts) -> impl Iterator<Item = &str> {
    let symbols = facts.symbols.iter();
    let tests = symbols.filter(|it| it.flags.contains(SymbolFlags::TEST));
    let mut last = None;
    let classes = tests.filter_map(move |it| {
        let is_new = it.parent != last;
        last = it.parent;
        it.parent.filter(|_| is_new)
    });
    classes.map(|at| facts.symbols[at as usize].name.as_str())
}

/// Whether a file of Rust has tests, or has no functions of which it could be seen: those that a macro makes are not.
fn may_be_tests(facts: &FileFacts) -> bool {
    let of_tests = SymbolFlags::TEST | SymbolFlags::TEST_ONLY;
    let mut functions = facts
        .symbols
        .iter()
        .filter(|it| matches!(it.kind, SymbolKind::Function | SymbolKind::Method));
    let has_functions = functions.next().is_some();
    !has_functions || facts.symbols.iter().any(|it| it.flags.intersects(of_tests))
}

fn imported(facts: &FileFacts) -> Content {
    let mut content = Content::default();
    for import in &facts.imports {
        let specifier = import.specifier.as_str();
        let known = FRAMEWORKS.iter().find(|(name, _)| *name == specifier);
        let Some((_, runner)) = known.filter(|_| !import.type_only) else {
            continue;
        };
        content.helps = true;
        let takes_tests = import.names.iter().any(|name| {
            !name.type_only
                && (TEST_NAMES.contains(&name.imported.as_str())
                    || matches!(name.imported.as_str(), "default" | "*"))
        });
        if takes_tests {
            content.framework = Some(*runner);
        }
    }
    content
}

/// How a file is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileSyntax {
    Script,
    /// A component, which no runner runs by itself.
    Component,
    Python,
    Go,
    CSharp,
    Java,
    Rust,
    Other,
    /// No code.
    Data,
}

fn syntax_of(path: &RepoPath) -> FileSyntax {
    match path.extension().unwrap_or_default() {
        "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => FileSyntax::Script,
        "vue" | "svelte" => FileSyntax::Component,
        "py" => FileSyntax::Python,
        "go" => FileSyntax::Go,
        "cs" => FileSyntax::CSharp,
        "java" => FileSyntax::Java,
        "rs" => FileSyntax::Rust,
        _ if syntax::by_path(path).is_code => FileSyntax::Other,
        _ => FileSyntax::Data,
    }
}

/// Returns the role of a file whose tests are known by the attributes of their methods, a project of tests by its directory.
fn role_by_attributes(has_tests: impl FnOnce() -> bool, by_place: FileRole) -> FileRole {
    if has_tests() {
        FileRole::Test
    } else {
        by_place
    }
}

/// Returns the role of a file by all evidence; `content` is asked where neither configuration nor language decide.
fn role(
    path: &RepoPath,
    suites: &[Compiled],
    index: &dyn FileIndex,
    content: impl FnOnce() -> Content,
) -> FileRole {
    let text = path.as_str();
    let family = syntax_of(path);
    let by_directory = by_directories(text);
    let by_name = by_name(text);
    let helped = if by_directory == FileRole::Test {
        FileRole::TestSupport
    } else {
        by_directory
    };
    match family {
        FileSyntax::Data => {
            return if by_name == Some(FileRole::TestSupport) {
                FileRole::TestSupport
            } else {
                helped
            };
        }
        // The go command runs these, and no others.
        FileSyntax::Go if text.ends_with("_test.go") => return FileRole::Test,
        FileSyntax::Go => return helped,
        FileSyntax::Component => return by_name.unwrap_or(helped),
        FileSyntax::CSharp | FileSyntax::Java => {
            let has_tests = || by_directory != FileRole::TestSupport && content().helps;
            // A runner finds tests of Java by their names, too.
            let is_java = family == FileSyntax::Java;
            let by_place = if is_java { by_directory } else { helped };
            return by_name.unwrap_or_else(|| role_by_attributes(has_tests, by_place));
        }
        // `reaching_tests.rs` may be code about tests: a test has some.
        FileSyntax::Rust if by_name == Some(FileRole::Test) && by_directory.is_code() => {
            return if content().helps {
                FileRole::Test
            } else {
                FileRole::Code
            };
        }
        FileSyntax::Rust | FileSyntax::Other => return by_name.unwrap_or(by_directory),
        FileSyntax::Script | FileSyntax::Python => {}
    }
    let is_own = |suite: &&Compiled| match suite.suite.runner {
        Runner::Pytest => family == FileSyntax::Python,
        Runner::Cargo => false,
        _ => family == FileSyntax::Script,
    };
    let covering: Vec<&Compiled> = suites
        .iter()
        .filter(is_own)
        .filter(|suite| suite.covers(text) && !is_yielded(suite, suites, text))
        .collect();
    // `python_files = *.py` does not make `conftest.py` a test.
    let is_helper = family == FileSyntax::Python && by_name == Some(FileRole::TestSupport);
    if !is_helper && covering.iter().any(|suite| suite.runs(text)) {
        return FileRole::Test;
    }
    // A runner that is known, and does not run it.
    let is_left_out = |fits: &dyn Fn(Runner) -> bool| {
        covering
            .iter()
            .any(|suite| fits(suite.suite.runner) && !suite.is_open(index))
    };
    let is_known = is_left_out(&|_| true);
    if family == FileSyntax::Python {
        return match by_name {
            Some(FileRole::Test) if !is_known => FileRole::Test,
            Some(FileRole::Test) => FileRole::TestSupport,
            Some(other) => other,
            None => helped,
        };
    }
    if is_config(path) {
        return helped;
    }
    let content = content();
    let is_test = match content.framework {
        Some(runner) => !is_left_out(&|it| it == runner),
        None => content.has_globals && !is_left_out(&Runner::has_globals),
    };
    if is_test || by_name == Some(FileRole::Test) && !is_known {
        return FileRole::Test;
    }
    let takes_part = content.framework.is_some() || content.has_globals || content.helps;
    match (by_name, by_directory) {
        (Some(FileRole::Test), FileRole::Example) => FileRole::Example,
        // Code about tests, by no evidence but the name of its directory.
        (None, FileRole::Test) if is_test_dir_inside_sources(text) && !takes_part => FileRole::Code,
        // Where no runner is known at all, the name of the directory is the evidence that is left.
        (None, FileRole::Test) if !suites.iter().any(|suite| is_own(&suite)) => FileRole::Test,
        (Some(FileRole::Test), _) | (None, FileRole::Test) => FileRole::TestSupport,
        (None, FileRole::Code) if takes_part && is_known && !is_below_source_dir(text) => {
            FileRole::TestSupport
        }
        (Some(role), _) | (None, role) => role,
    }
}

fn is_below_source_dir(path: &str) -> bool {
    path.split('/')
        .any(|part| matches!(part, "src" | "lib" | "source"))
}

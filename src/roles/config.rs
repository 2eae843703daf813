//! Configuration files of test runners for JavaScript and TypeScript → the files that they run.
//!
//! Nothing of a configuration is executed. Where it names no files, the runner's documented defaults hold.

use serde_json::Value;

use super::glob::{escaped, is_pattern};
use super::runner::{PathPattern, Runner, RunnerEvidence, Suite};
use crate::syntax::Literal;

/// Suites of one configuration file.
const MAX_SUITES: usize = 200;

const VITEST_INCLUDE: &[&str] = &["**/*.{test,spec}.?(c|m)[jt]s?(x)"];
const VITEST_TYPES: &[&str] = &["**/*.{test,spec}-d.?(c|m)[jt]s?(x)"];
const DEFAULT_EXCLUDE: &[&str] = &["**/node_modules/**", "**/.git/**"];
const JEST_INCLUDE: &[&str] = &[
    "**/__tests__/**/*.?([mc])[jt]s?(x)",
    "**/?(*.)+(spec|test).?([mc])[jt]s?(x)",
];
const PLAYWRIGHT_INCLUDE: &[&str] = &["**/*.@(spec|test).?(c|m)[jt]s?(x)"];
const AVA_INCLUDE: &[&str] = &[
    "{,src/,source/}test.{cjs,mjs,js,ts}",
    "**/test-*.{cjs,mjs,js,ts}",
    "**/*.{spec,test}.{cjs,mjs,js,ts}",
    "**/{test,tests,__tests__}/**/*.{cjs,mjs,js,ts}",
];
const AVA_EXCLUDE: &[&str] = &[
    "**/node_modules/**",
    "**/_*",
    "**/_*/**",
    "**/{helper,fixture,helpers,fixtures,__helpers__,__fixtures__,__helper__,__fixture__}/**",
];
const TAP_INCLUDE: &[&str] = &[
    "**/{test,tests,__tests__}/**/*.{cjs,mjs,js,jsx,cts,mts,ts,tsx}",
    "**/*.{test,tests,spec}.{cjs,mjs,js,jsx,cts,mts,ts,tsx}",
    "**/{test,tests,spec}.{cjs,mjs,js,jsx,cts,mts,ts,tsx}",
];
const TAP_EXCLUDE: &[&str] = &[
    "**/node_modules/**",
    "**/{fixture,fixtures,tap-snapshots}/**",
];
const NODE_INCLUDE: &[&str] = &[
    "**/*{.,-,_}test.?(c|m)[jt]s",
    "**/test-*.?(c|m)[jt]s",
    "**/test.?(c|m)[jt]s",
    "**/test/**/*.?(c|m)[jt]s",
];

/// Members of an object that make it a configuration of Jest.
const JEST_MEMBERS: &[&str] = &[
    "testMatch",
    "testRegex",
    "testPathIgnorePatterns",
    "roots",
    "rootDir",
    "projects",
    "preset",
    "transform",
    "testEnvironment",
    "displayName",
    "moduleNameMapper",
    "setupFiles",
    "setupFilesAfterEnv",
    "collectCoverageFrom",
];

/// Returns the runner that a script of this name configures. Vite's configuration is one of Vitest where it has `test`.
pub(super) fn runner_of(name: &str) -> Option<Runner> {
    let (stem, extension) = name.rsplit_once('.')?;
    if !matches!(extension, "js" | "ts" | "mjs" | "mts" | "cjs" | "cts") {
        return None;
    }
    let is = |tool: &str, kind: &str| {
        stem.strip_prefix(tool).is_some_and(|rest| {
            (rest.starts_with('.') || rest.starts_with('-'))
                && rest[1..].split('.').any(|part| part == kind)
        })
    };
    if is("vitest", "config")
        || is("vite", "config")
        || is("vitest", "workspace")
        || is("vitest", "projects")
    {
        Some(Runner::Vitest)
    } else if is("playwright", "config") {
        Some(Runner::Playwright)
    } else if is("jest", "config") || stem == "jest" {
        Some(Runner::Jest)
    } else if stem == ".mocharc" {
        Some(Runner::Mocha)
    } else if is("karma", "conf") || is("karma", "config") {
        Some(Runner::Karma)
    } else if is("ava", "config") {
        Some(Runner::Ava)
    } else {
        None
    }
}

/// Returns the suites that a configuration of `runner` in the directory `home` declares; `values` are the objects and lists
/// that it writes out.
pub(super) fn suites(runner: Runner, home: &str, name: &str, values: &[Literal]) -> Vec<Suite> {
    let mut found = match runner {
        Runner::Vitest => vitest(home, name, values),
        Runner::Jest => jest(home, values),
        Runner::Playwright => playwright(home, values),
        Runner::Mocha => values
            .iter()
            .take(1)
            .filter_map(|it| mocha(home, it))
            .collect(),
        Runner::Karma => values.iter().filter_map(|it| karma(home, it)).collect(),
        Runner::Ava => values
            .iter()
            .take(1)
            .map(|it| files(Runner::Ava, home, it.get("files")))
            .collect(),
        Runner::Tap => values
            .iter()
            .take(1)
            .map(|it| files(Runner::Tap, home, it.get("include")))
            .collect(),
        Runner::Node
        | Runner::Pytest
        | Runner::Cargo
        | Runner::Maven
        | Runner::Gradle
        | Runner::Other => Vec::new(),
    };
    found.truncate(MAX_SUITES);
    found
}

/// Returns the suite of a runner whose configuration names no files.
pub(super) fn default_suite(
    runner: Runner,
    origin: RunnerEvidence,
    home: &str,
    root: &str,
) -> Suite {
    let (include, exclude) = match runner {
        Runner::Vitest => (VITEST_INCLUDE, DEFAULT_EXCLUDE),
        Runner::Jest => (JEST_INCLUDE, DEFAULT_EXCLUDE),
        Runner::Playwright => (PLAYWRIGHT_INCLUDE, DEFAULT_EXCLUDE),
        Runner::Ava => (AVA_INCLUDE, AVA_EXCLUDE),
        Runner::Tap => (TAP_INCLUDE, TAP_EXCLUDE),
        Runner::Node => (NODE_INCLUDE, DEFAULT_EXCLUDE),
        Runner::Mocha => (&["test/*.{js,cjs,mjs}"] as &[&str], DEFAULT_EXCLUDE),
        Runner::Karma
        | Runner::Pytest
        | Runner::Cargo
        | Runner::Maven
        | Runner::Gradle
        | Runner::Other => (&[] as &[&str], DEFAULT_EXCLUDE),
    };
    let globs = |patterns: &[&str]| -> Vec<PathPattern> {
        let patterns = patterns.iter();
        patterns
            .map(|pattern| PathPattern::Glob(absolute(root, pattern)))
            .collect()
    };
    Suite {
        runner,
        origin,
        home: home.to_owned(),
        roots: vec![root.to_owned()],
        include: globs(include),
        exclude: globs(exclude),
        is_open: false,
        package: None,
    }
}

/// Returns a suite of files and directories that are named by patterns relative to `home`. A directory stands for the
/// scripts below it.
pub(super) fn named_files(runner: Runner, home: &str, patterns: &[String]) -> Suite {
    let mut suite = default_suite(runner, RunnerEvidence::Config, home, home);
    suite.include.clear();
    for pattern in patterns {
        if let Some(pattern) = pattern.strip_prefix('!') {
            suite
                .exclude
                .push(PathPattern::Glob(absolute(home, pattern)));
            continue;
        }
        let pattern = absolute(home, pattern);
        if !is_pattern(&pattern) && !has_extension(&pattern) {
            let all = format!("{}/**/*.?(c|m)[jt]s?(x)", pattern.trim_end_matches('/'));
            suite.include.push(PathPattern::Glob(all));
        } else {
            suite.include.push(PathPattern::Glob(pattern));
        }
    }
    suite.roots = vec![String::new()];
    suite
}

/// Returns a suite of Mocha: of a directory it runs the files, of those below it only where it is told to.
pub(super) fn mocha_specs(
    home: &str,
    specs: &[String],
    extensions: &[String],
    is_recursive: bool,
    ignored: &[String],
) -> Suite {
    let extensions: Vec<&str> = if extensions.is_empty() {
        vec!["js", "cjs", "mjs"]
    } else {
        extensions
            .iter()
            .map(|it| it.trim_start_matches('.'))
            .collect()
    };
    let default = ["./test".to_owned()];
    let (specs, origin) = if specs.is_empty() {
        (&default[..], RunnerEvidence::Script)
    } else {
        (specs, RunnerEvidence::Config)
    };
    let below = if is_recursive { "**/" } else { "" };
    let include = specs.iter().map(|spec| {
        let path = absolute(home, spec);
        PathPattern::Glob(if is_pattern(&path) || has_extension(&path) {
            path
        } else {
            let directory = path.trim_end_matches('/');
            format!("{directory}/{below}*.{{{}}}", extensions.join(","))
        })
    });
    let mut suite = Suite {
        include: include.collect(),
        ..default_suite(Runner::Mocha, origin, home, home)
    };
    suite.exclude.extend(
        ignored
            .iter()
            .map(|it| PathPattern::Glob(absolute(home, it))),
    );
    suite
}

/// Joins a pattern to a directory of the repository, as an absolute one: `(a, ../b/*.ts)` → `/b/*.ts`.
pub(super) fn absolute(directory: &str, pattern: &str) -> String {
    if pattern.starts_with('/') {
        return pattern.to_owned();
    }
    let mut parts: Vec<&str> = directory
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    let mut rest = pattern;
    loop {
        if let Some(behind) = rest.strip_prefix("./") {
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("../") {
            parts.pop();
            rest = behind;
        } else {
            break;
        }
    }
    let mut path = String::new();
    for part in parts {
        path.push('/');
        path.push_str(&escaped(part));
    }
    if !matches!(rest, "" | ".") {
        path.push('/');
        path.push_str(rest);
    }
    path
}

/// Returns the directory of the repository that `text`, seen from `directory`, stands for.
fn directory(directory: &str, text: &str) -> String {
    let text = text.trim_end_matches('/');
    let text = if text == ".." { "../" } else { text };
    let path = absolute(directory, text).replace('\\', "");
    path.trim_matches('/').to_owned()
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_start_matches('.').contains('.')
}

/// Texts and patterns of a list, and whether there may be more of them.
#[derive(Default)]
struct LiteralList {
    items: Vec<Literal>,
    is_open: bool,
}

impl LiteralList {
    /// Reads a list of patterns; `defaults` stands for the runner's own constant. Of a conditional value all branches
    /// are taken, or for `is_exclude` none: a file that is run at times is a test.
    fn read(value: &Literal, defaults: &[&str], is_exclude: bool) -> Self {
        let mut listed = Self::default();
        listed.add(value, defaults, is_exclude);
        listed
    }

    fn add(&mut self, value: &Literal, defaults: &[&str], is_exclude: bool) {
        match value {
            Literal::Text(_) | Literal::Pattern(_) | Literal::Object(_) => {
                self.items.push(value.clone());
            }
            Literal::List(list) => {
                for item in list {
                    self.add(item, defaults, is_exclude);
                }
            }
            Literal::Spread(inner) => self.add(inner, defaults, is_exclude),
            Literal::Either(branches) => {
                for branch in branches.iter().filter(|_| !is_exclude) {
                    self.add(branch, defaults, is_exclude);
                }
            }
            Literal::Name(name) if is_default_name(name) => {
                let defaults = defaults.iter();
                self.items
                    .extend(defaults.map(|it| Literal::Text((*it).to_owned())));
            }
            Literal::Name(name) if name == "undefined" => {}
            Literal::Flag(_) | Literal::Name(_) | Literal::Unknown => self.is_open = true,
        }
    }

    fn texts(&self) -> Vec<String> {
        let texts = self.items.iter().filter_map(Literal::text);
        texts.map(str::to_owned).collect()
    }
}

/// `configDefaults.exclude`, `defaultInclude` of Vitest.
fn is_default_name(name: &str) -> bool {
    name.starts_with("configDefaults.") || matches!(name, "defaultInclude" | "defaultExclude")
}

fn vitest(home: &str, name: &str, values: &[Literal]) -> Vec<Suite> {
    let mut found = Vec::new();
    if name.starts_with("vitest.workspace") || name.starts_with("vitest.projects") {
        for value in values.iter().filter(|it| matches!(it, Literal::List(_))) {
            projects_of_vitest(home, value, None, &mut found);
        }
        return found;
    }
    let mut is_configured = false;
    for value in values {
        let Some(test @ Literal::Object(_)) = value.get("test") else {
            continue;
        };
        is_configured = true;
        let root = value.get("root").and_then(Literal::text);
        let root = root.map_or_else(|| home.to_owned(), |root| directory(home, root));
        match test.get("projects").or_else(|| test.get("workspace")) {
            Some(projects @ Literal::List(list)) if !list.is_empty() => {
                projects_of_vitest(&root, projects, Some(test), &mut found);
            }
            _ => found.push(vitest_suite(home, &root, test, None)),
        }
    }
    if !is_configured && name.starts_with("vitest.") {
        found.push(default_suite(
            Runner::Vitest,
            RunnerEvidence::Config,
            home,
            home,
        ));
    }
    found
}

fn projects_of_vitest(
    home: &str,
    projects: &Literal,
    base: Option<&Literal>,
    found: &mut Vec<Suite>,
) {
    let listed = LiteralList::read(projects, &[], false);
    for item in listed.items.iter().take(MAX_SUITES) {
        match item {
            Literal::Text(pattern) => found.extend(workspace(Runner::Vitest, home, pattern)),
            Literal::Object(_) => {
                let empty = Literal::Object(Vec::new());
                let test = item.get("test").unwrap_or(&empty);
                let root = item.get("root").or_else(|| test.get("root"));
                let root = root.and_then(Literal::text);
                let root = root.map_or_else(|| home.to_owned(), |root| directory(home, root));
                let extends = item.get("extends") == Some(&Literal::Flag(true));
                found.push(vitest_suite(home, &root, test, base.filter(|_| extends)));
            }
            _ => {}
        }
    }
}

/// Returns the suite of the directories that a list of projects names.
fn workspace(runner: Runner, home: &str, pattern: &str) -> Option<Suite> {
    if pattern.starts_with('!') {
        return None;
    }
    let pattern = pattern.strip_prefix("<rootDir>/").unwrap_or(pattern);
    let mut directory = absolute(home, pattern);
    if has_extension(&directory)
        && let Some((parent, _)) = directory.rsplit_once('/')
    {
        directory = parent.to_owned();
    }
    let directory = directory.trim_end_matches('/');
    let mut suite = default_suite(runner, RunnerEvidence::Workspace, home, "");
    for pattern in &mut suite.include {
        if let PathPattern::Glob(text) = pattern {
            *text = format!("{directory}{text}");
        }
    }
    suite.roots = vec![home.to_owned()];
    Some(suite)
}

fn vitest_suite(home: &str, root: &str, test: &Literal, base: Option<&Literal>) -> Suite {
    let member = |name: &str| {
        let own = test.get(name);
        own.or_else(|| base.and_then(|base| base.get(name)))
    };
    let dir = member("dir").and_then(Literal::text);
    let dir = dir.map_or_else(|| root.to_owned(), |dir| directory(root, dir));
    let mut suite = default_suite(Runner::Vitest, RunnerEvidence::Config, home, &dir);
    if let Some(include) = member("include") {
        let listed = LiteralList::read(include, VITEST_INCLUDE, false);
        suite.include = globs(&dir, &listed.texts());
        suite.is_open = listed.is_open;
    }
    if let Some(typecheck) = member("typecheck")
        && typecheck.get("enabled") == Some(&Literal::Flag(true))
    {
        let types = match typecheck.get("include") {
            Some(include) => LiteralList::read(include, VITEST_TYPES, false).texts(),
            None => owned(VITEST_TYPES),
        };
        suite.include.extend(globs(&dir, &types));
    }
    if let Some(exclude) = member("exclude") {
        let texts = LiteralList::read(exclude, DEFAULT_EXCLUDE, true).texts();
        suite.exclude = globs(root, &texts);
        // A directory may be named without its content.
        let inside: Vec<String> = texts
            .iter()
            .map(|it| format!("{}/**", it.trim_end_matches('/')))
            .collect();
        suite.exclude.extend(globs(root, &inside));
    }
    // Files above the configuration's directory are reached only by patterns that name them.
    let reaches_out = suite.include.iter().any(
        |pattern| matches!(pattern, PathPattern::Glob(text) if !text.starts_with(&absolute(&dir, ""))),
    );
    if reaches_out {
        suite.roots = vec![String::new()];
    }
    suite
}

fn globs(directory: &str, patterns: &[String]) -> Vec<PathPattern> {
    let patterns = patterns.iter();
    patterns
        .map(|pattern| PathPattern::Glob(absolute(directory, pattern)))
        .collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn jest(home: &str, values: &[Literal]) -> Vec<Suite> {
    let mut found = Vec::new();
    let is_config = |value: &&Literal| JEST_MEMBERS.iter().any(|name| value.get(name).is_some());
    let configs: Vec<&Literal> = values.iter().filter(is_config).collect();
    if configs.is_empty() {
        found.push(default_suite(
            Runner::Jest,
            RunnerEvidence::Config,
            home,
            home,
        ));
    }
    for config in configs {
        jest_config(home, config, &mut found);
    }
    found
}

pub(super) fn jest_config(home: &str, config: &Literal, found: &mut Vec<Suite>) {
    let Some(projects) = config.get("projects") else {
        found.push(jest_suite(home, config));
        return;
    };
    for item in LiteralList::read(projects, &[], false)
        .items
        .iter()
        .take(MAX_SUITES)
    {
        match item {
            Literal::Text(pattern) => found.extend(workspace(Runner::Jest, home, pattern)),
            Literal::Object(_) => found.push(jest_suite(home, item)),
            _ => {}
        }
    }
}

fn jest_suite(home: &str, config: &Literal) -> Suite {
    let root = config.get("rootDir").and_then(Literal::text);
    let root = root.map_or_else(|| home.to_owned(), |root| directory(home, root));
    let mut suite = default_suite(Runner::Jest, RunnerEvidence::Config, home, &root);
    let base = if root.is_empty() {
        String::new()
    } else {
        format!("/{root}")
    };
    let regex = |text: &str| PathPattern::Regex(text.replace("<rootDir>", &regex::escape(&base)));
    if let Some(value) = config.get("testMatch") {
        let listed = LiteralList::read(value, JEST_INCLUDE, false);
        suite.include.clear();
        suite.is_open = listed.is_open;
        for text in listed.texts() {
            let (is_not, text) = match text.strip_prefix('!') {
                Some(rest) => (true, rest.to_owned()),
                None => (false, text),
            };
            let glob = match text.strip_prefix("<rootDir>") {
                Some(rest) => format!("{}{rest}", absolute(&root, "")),
                None => absolute(&root, &text),
            };
            if is_not {
                suite.exclude.push(PathPattern::Glob(glob));
            } else {
                suite.include.push(PathPattern::Glob(glob));
            }
        }
    } else if let Some(value) = config.get("testRegex") {
        let listed = LiteralList::read(value, &[], false);
        suite.is_open = listed.is_open;
        let patterns = listed.items.iter().filter_map(|item| match item {
            Literal::Text(text) | Literal::Pattern(text) => Some(regex(text)),
            _ => None,
        });
        suite.include = patterns.collect();
    }
    if let Some(value) = config.get("testPathIgnorePatterns") {
        let texts = LiteralList::read(value, &[], true).texts();
        suite.exclude.extend(texts.iter().map(|text| regex(text)));
    }
    if let Some(value) = config.get("roots") {
        let listed = LiteralList::read(value, &[], false);
        let place = |text: &String| {
            directory(
                &root,
                text.trim_start_matches("<rootDir>").trim_start_matches('/'),
            )
        };
        let roots: Vec<String> = listed.texts().iter().map(place).collect();
        if !roots.is_empty() {
            suite.roots = roots;
        }
    }
    suite
}

fn playwright(home: &str, values: &[Literal]) -> Vec<Suite> {
    let members = ["testDir", "testMatch", "projects"];
    let mut base: Option<&Literal> = None;
    let mut projects: Vec<&Literal> = Vec::new();
    let mut listed = Vec::new();
    for value in values {
        if value.get("projects").is_some() && base.is_none() {
            base = Some(value);
        } else if members.iter().any(|name| value.get(name).is_some()) {
            // `config.projects.push({ … })`.
            projects.push(value);
        }
    }
    if let Some(list) = base.and_then(|base| base.get("projects")) {
        listed = LiteralList::read(list, &[], false).items;
    }
    let listed = listed.iter().filter(|it| matches!(it, Literal::Object(_)));
    let all: Vec<&Literal> = listed.chain(projects.iter().copied()).collect();
    let empty = Literal::Object(Vec::new());
    let base = base.unwrap_or(&empty);
    if all.is_empty() {
        return vec![playwright_suite(home, base, base)];
    }
    all.into_iter()
        .map(|project| playwright_suite(home, project, base))
        .collect()
}

fn playwright_suite(home: &str, project: &Literal, base: &Literal) -> Suite {
    let member = |name: &str| project.get(name).or_else(|| base.get(name));
    let dir = member("testDir");
    let root = dir.and_then(Literal::text);
    let root = root.map_or_else(|| home.to_owned(), |dir| directory(home, dir));
    let mut suite = default_suite(Runner::Playwright, RunnerEvidence::Config, home, &root);
    // Its patterns are about whole paths.
    let patterns = |listed: &LiteralList| -> Vec<PathPattern> {
        let patterns = listed.items.iter().filter_map(|item| match item {
            Literal::Text(text) if text.starts_with('/') => Some(PathPattern::Glob(text.clone())),
            Literal::Text(text) if text.starts_with("**/") => {
                Some(PathPattern::Glob(format!("/{text}")))
            }
            Literal::Text(text) => Some(PathPattern::Glob(format!(
                "/**/{}",
                text.trim_start_matches("./")
            ))),
            Literal::Pattern(text) => Some(PathPattern::Regex(text.clone())),
            _ => None,
        });
        patterns.collect()
    };
    if let Some(value) = member("testMatch") {
        let listed = LiteralList::read(value, PLAYWRIGHT_INCLUDE, false);
        suite.include = patterns(&listed);
        suite.is_open = listed.is_open;
    }
    if let Some(value) = member("testIgnore") {
        suite
            .exclude
            .extend(patterns(&LiteralList::read(value, &[], true)));
    }
    suite.is_open |= dir.is_some_and(|dir| dir.text().is_none());
    suite
}

pub(super) fn mocha(home: &str, config: &Literal) -> Option<Suite> {
    let Literal::Object(_) = config else {
        return None;
    };
    let texts = |names: &[&str]| {
        let mut found = Vec::new();
        for name in names {
            if let Some(value) = config.get(name) {
                found.extend(LiteralList::read(value, &[], false).texts());
            }
        }
        found
    };
    let is_recursive = config.get("recursive") == Some(&Literal::Flag(true));
    let suite = mocha_specs(
        home,
        &texts(&["spec", "spec-files", "_"]),
        &texts(&["extension", "extensions"]),
        is_recursive,
        &texts(&["ignore", "exclude"]),
    );
    Some(suite)
}

/// Karma loads sources and tests alike: only patterns that speak of tests are taken.
fn karma(home: &str, config: &Literal) -> Option<Suite> {
    let listed = LiteralList::read(config.get("files")?, &[], false);
    let texts = listed.items.iter().filter_map(|item| match item {
        Literal::Text(text) => Some(text.as_str()),
        Literal::Object(_) => item.get("pattern").and_then(Literal::text),
        _ => None,
    });
    let is_of_tests = |text: &&str| text.contains("test") || text.contains("spec");
    let texts: Vec<String> = texts.filter(is_of_tests).map(str::to_owned).collect();
    let suite = named_files(Runner::Karma, home, &texts);
    Some(Suite {
        is_open: true,
        ..suite
    })
    .filter(|suite| !suite.include.is_empty())
}

/// Returns the suite of a runner that is given its files, or has defaults.
pub(super) fn files(runner: Runner, home: &str, value: Option<&Literal>) -> Suite {
    match value.map(|value| LiteralList::read(value, &[], false)) {
        Some(listed) if !listed.items.is_empty() => Suite {
            is_open: listed.is_open,
            ..named_files(runner, home, &listed.texts())
        },
        _ => default_suite(runner, RunnerEvidence::Config, home, home),
    }
}

/// Returns a JSON value as one of a script.
pub(super) fn of_json(value: &Value) -> Literal {
    match value {
        Value::String(text) => Literal::Text(text.clone()),
        Value::Bool(flag) => Literal::Flag(*flag),
        Value::Array(list) => Literal::List(list.iter().map(of_json).collect()),
        Value::Object(members) => {
            let members = members.iter();
            Literal::Object(
                members
                    .map(|(name, value)| (name.clone(), of_json(value)))
                    .collect(),
            )
        }
        Value::Null | Value::Number(_) => Literal::Unknown,
    }
}

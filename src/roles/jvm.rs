//! Builds of Maven and Gradle → the commands that run single tests of theirs.
//!
//! Modules are read literally. Which sources belong to which module is told by directories; for imports see `resolve`.

use std::fmt::Write as _;

use super::MAX_NAMED_TESTS;
use super::runner::{Runner, RunnerEvidence, Suite};
use crate::model::path::{file_name, is_at_or_below, parent};

/// Modules of one build file that are read.
const MAX_MODULES: usize = 5_000;

/// Returns the build that a file declares: `pom.xml`, `build.gradle`, `settings.gradle`.
pub(super) fn declared(home: &str, name: &str, text: &str) -> Vec<Suite> {
    let stem = name
        .strip_suffix(".gradle")
        .or_else(|| name.strip_suffix(".gradle.kts"));
    let (runner, origin, roots) = match (name, stem) {
        ("pom.xml", _) => (Runner::Maven, RunnerEvidence::Config, maven_modules(text)),
        (_, Some("settings")) => (
            Runner::Gradle,
            RunnerEvidence::Workspace,
            // Projects that lie elsewhere have other names than their directories.
            if text.contains("projectDir") {
                vec!["*".to_owned()]
            } else {
                Vec::new()
            },
        ),
        (_, Some("build")) => (Runner::Gradle, RunnerEvidence::Config, Vec::new()),
        _ => return Vec::new(),
    };
    vec![Suite {
        runner,
        origin,
        home: home.to_owned(),
        roots,
        include: Vec::new(),
        exclude: Vec::new(),
        is_open: false,
        package: None,
    }]
}

/// Returns the directories of the modules that a `pom.xml` lists, relative to it.
fn maven_modules(text: &str) -> Vec<String> {
    let mut modules = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |it| it.1);
        } else if let Some(module) = rest.strip_prefix("<module>") {
            let (name, after) = module.split_once('<').unwrap_or((module, ""));
            let name = name
                .trim()
                .trim_end_matches("/pom.xml")
                .trim_end_matches('/');
            if modules.len() < MAX_MODULES && !name.contains('$') {
                modules.push(name.to_owned());
            }
            rest = after;
        } else {
            rest = &rest[1..];
        }
    }
    modules
}

/// Returns the command that runs a test file, or `tests` of it by their names. `None` where no build is known, or two.
pub(super) fn command(
    builds: &[Suite],
    path: &str,
    tests: &[&str],
    is_file: impl Fn(&str) -> bool,
) -> Option<String> {
    let around: Vec<&Suite> = builds
        .iter()
        .filter(|it| it.home.is_empty() || is_at_or_below(path, &it.home))
        .collect();
    let configs = around
        .iter()
        .filter(|it| it.origin == RunnerEvidence::Config);
    let module = configs
        .map(|it| it.home.as_str())
        .max_by_key(|it| it.len())?;
    let here = around
        .iter()
        .filter(|it| it.home == module && it.origin == RunnerEvidence::Config);
    let mut runners = here.map(|it| it.runner);
    let runner = runners.next()?;
    if runners.any(|other| other != runner) {
        return None;
    }
    let class = file_name(path).strip_suffix(".java")?;
    let is_maven = runner == Runner::Maven;
    let root = if is_maven {
        reactor(&around, module)
    } else {
        let settings = around
            .iter()
            .filter(|it| it.origin == RunnerEvidence::Workspace);
        let settings = settings.max_by_key(|it| it.home.len());
        if settings.is_some_and(|it| !it.roots.is_empty() && it.home != module) {
            return None;
        }
        settings.map_or(module, |it| it.home.as_str())
    };
    let inside = module.strip_prefix(root)?.trim_start_matches('/');
    let name = if is_maven { "mvnw" } else { "gradlew" };
    let wrapper = if root.is_empty() {
        name.to_owned()
    } else {
        format!("{root}/{name}")
    };
    let tool = match (is_file(&wrapper), is_maven) {
        (true, _) => format!("./{name}"),
        (false, true) => "mvn".to_owned(),
        (false, false) => "gradle".to_owned(),
    };
    // Those of a class inside have its name before theirs.
    let are_named = tests.len() <= MAX_NAMED_TESTS && tests.iter().all(|it| !it.contains(' '));
    let tests = if are_named { tests } else { &[] };
    let command = if is_maven {
        maven(&tool, inside, class, tests)
    } else {
        gradle(&tool, inside, class, tests, source_set(path, module))
    };
    Some(if root.is_empty() {
        command
    } else {
        format!("cd {root} && {command}")
    })
}

/// Returns the directory from which Maven builds a module with others: the outermost that lists it, or lists one that does.
fn reactor<'a>(around: &[&'a Suite], module: &'a str) -> &'a str {
    let mut root = module;
    while !root.is_empty() {
        let lists = |it: &&&Suite| {
            let inside = root.strip_prefix(it.home.as_str());
            let inside = inside.map(|it| it.trim_start_matches('/'));
            it.runner == Runner::Maven
                && it.home.len() < root.len()
                && inside.is_some_and(|inside| it.roots.iter().any(|module| module == inside))
        };
        match around.iter().find(lists) {
            Some(parent) => root = &parent.home,
            None => break,
        }
    }
    root
}

fn maven(tool: &str, inside: &str, class: &str, tests: &[&str]) -> String {
    let module = if inside.is_empty() {
        String::new()
    } else {
        format!(" -pl {inside}")
    };
    let methods = if tests.is_empty() {
        String::new()
    } else {
        format!("#{}", tests.join("+"))
    };
    // Failsafe runs these, behind the packaging.
    if class.ends_with("IT") {
        return format!("{tool}{module} -Dit.test={class}{methods} verify");
    }
    format!("{tool}{module} -Dtest={class}{methods} test")
}

fn gradle(tool: &str, inside: &str, class: &str, tests: &[&str], set: &str) -> String {
    let project = if inside.is_empty() {
        String::new()
    } else {
        format!(":{}:", inside.replace('/', ":"))
    };
    let mut command = format!("{tool} {project}{set}");
    if tests.is_empty() {
        let _ = write!(command, " --tests {class}");
    }
    for test in tests {
        let _ = write!(command, " --tests {class}.{test}");
    }
    command
}

/// Returns the task of the sources that a file is of: `integrationTest` for `src/integrationTest/java`.
fn source_set<'a>(path: &'a str, module: &str) -> &'a str {
    let inside = path.strip_prefix(module).unwrap_or(path);
    let mut parts = inside.trim_start_matches('/').split('/');
    match (parts.next(), parts.next()) {
        (Some("src"), Some(set)) if parent(path).contains(&format!("src/{set}/java")) => set,
        _ => "test",
    }
}

#[cfg(test)]
mod tests {
    use super::{command, declared};
    use crate::model::RepoPath;
    use crate::roles::runner::Suite;

    fn builds(files: &[(&str, &str)]) -> Vec<Suite> {
        let all = files.iter().flat_map(|(path, text)| {
            let path = RepoPath::new(path).unwrap();
            declared(path.directory(), path.file_name(), text)
        });
        all.collect()
    }

    #[test]
    fn a_test_is_run_by_its_module() {
        let maven = builds(&[
            (
                "pom.xml",
                "<modules><!-- <module>old</module> --><module>core</module></modules>",
            ),
            ("core/pom.xml", "<modules><module>db</module></modules>"),
            ("core/db/pom.xml", ""),
            ("old/pom.xml", ""),
        ]);
        let run = |builds: &[Suite], path: &str, tests: &[&str]| {
            command(builds, path, tests, |it| it == "gradlew").unwrap_or_default()
        };
        for (path, tests, wanted) in [
            (
                "src/test/java/a/ATest.java",
                &[][..],
                "mvn -Dtest=ATest test",
            ),
            (
                "core/db/src/test/java/a/ATest.java",
                &["opens", "closes"],
                "mvn -pl core/db -Dtest=ATest#opens+closes test",
            ),
            (
                "core/src/test/java/a/AIT.java",
                &[],
                "mvn -pl core -Dit.test=AIT verify",
            ),
            (
                "old/src/test/java/ATest.java",
                &[],
                "cd old && mvn -Dtest=ATest test",
            ),
        ] {
            assert_eq!(run(&maven, path, tests), wanted);
        }
        let gradle = builds(&[
            ("settings.gradle.kts", "include(\":core:db\")"),
            ("build.gradle", ""),
            ("core/db/build.gradle.kts", ""),
        ]);
        for (path, tests, wanted) in [
            (
                "src/test/java/a/ATest.java",
                &[][..],
                "./gradlew test --tests ATest",
            ),
            (
                "core/db/src/test/java/a/ATest.java",
                &["opens"],
                "./gradlew :core:db:test --tests ATest.opens",
            ),
            (
                "core/db/src/integrationTest/java/a/ATest.java",
                &[],
                "./gradlew :core:db:integrationTest --tests ATest",
            ),
        ] {
            assert_eq!(run(&gradle, path, tests), wanted);
        }
        let both = builds(&[("pom.xml", ""), ("build.gradle", "")]);
        assert_eq!(
            command(&both, "src/test/java/ATest.java", &[], |_| false),
            None
        );
        assert_eq!(command(&[], "ATest.java", &[], |_| false), None);
    }
}

//! A test runner as its configuration declares it, and the files that it runs.

use std::cell::OnceCell;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::cargo::CargoPackage;
use super::glob::Glob;
use crate::model::path::is_at_or_below;

/// Bytes that one compiled regular expression may take.
const MAX_REGEX_BYTES: usize = 1 << 18;

/// A test runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Runner {
    Vitest,
    Jest,
    Playwright,
    Mocha,
    Karma,
    Ava,
    Tap,
    Node,
    Pytest,
    Cargo,
    Maven,
    Gradle,
    /// One whose configuration is not read.
    Other,
}

impl Runner {
    /// Returns the command that runs single files, in front of their paths; `None` where there is no one such command.
    pub(super) fn command(self) -> Option<&'static str> {
        Some(match self {
            Self::Vitest => "npx vitest run",
            Self::Jest => "npx jest",
            Self::Playwright => "npx playwright test",
            Self::Mocha => "npx mocha",
            Self::Ava => "npx ava",
            Self::Tap => "npx tap",
            Self::Node => "node --test",
            Self::Pytest => "python -m pytest",
            Self::Cargo | Self::Karma | Self::Maven | Self::Gradle | Self::Other => return None,
        })
    }

    /// Returns whether it builds code of the Java virtual machine: it runs classes, not files.
    pub(super) fn is_jvm(self) -> bool {
        matches!(self, Self::Maven | Self::Gradle)
    }

    /// Returns whether it makes `describe` and `it` global.
    pub(super) fn has_globals(self) -> bool {
        matches!(self, Self::Vitest | Self::Jest | Self::Mocha | Self::Karma)
    }
}

/// How it is known that a runner is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RunnerEvidence {
    /// A configuration file, or a member of `package.json`.
    Config,
    /// A project that a configuration lists by its directory: a configuration in there says more.
    Workspace,
    /// A command in `package.json`: a configuration beside it says more.
    Script,
}

/// Files that a runner runs. Patterns match absolute paths, `/` being the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Suite {
    pub(super) runner: Runner,
    pub(super) origin: RunnerEvidence,
    /// The directory of the configuration.
    pub(super) home: String,
    /// The directories that it looks into.
    pub(super) roots: Vec<String>,
    pub(super) include: Vec<PathPattern>,
    pub(super) exclude: Vec<PathPattern>,
    /// Whether something of `include` or `roots` could not be read, so that it may run more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_open: bool,
    /// The package, of a runner that is told packages and not files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) package: Option<CargoPackage>,
}

/// A pattern of paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PathPattern {
    /// Matches whole paths.
    Glob(String),
    /// Matches a part of the path.
    Regex(String),
}

/// A suite whose patterns can be matched.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) suite: Suite,
    patterns: OnceCell<PathPatterns>,
    /// Whether it runs a file of the index at all; see [`Self::is_open`].
    runs_any: OnceCell<bool>,
}

#[derive(Debug)]
struct PathPatterns {
    include: Vec<Matcher>,
    exclude: Vec<Matcher>,
    /// Whether a pattern of `include` can't be matched.
    is_open: bool,
}

#[derive(Debug)]
enum Matcher {
    Glob(Glob),
    Regex(Regex),
}

impl Compiled {
    pub(super) fn new(suite: Suite) -> Self {
        Self {
            suite,
            patterns: OnceCell::new(),
            runs_any: OnceCell::new(),
        }
    }

    /// Returns whether a file lies where the runner looks.
    pub(super) fn covers(&self, path: &str) -> bool {
        let mut roots = self.suite.roots.iter();
        roots.any(|root| root.is_empty() || is_at_or_below(path, root))
    }

    /// Returns whether it runs the file.
    pub(super) fn runs(&self, path: &str) -> bool {
        if !self.covers(path) {
            return false;
        }
        let absolute = format!("/{path}");
        let patterns = self.patterns();
        patterns.include.iter().any(|it| it.matches(&absolute))
            && !patterns.exclude.iter().any(|it| it.matches(&absolute))
    }

    /// Returns whether it may run files that are not known. Patterns that match no file of `index` were not understood.
    pub(super) fn is_open(&self, index: &dyn FileIndex) -> bool {
        self.suite.is_open
            || self.patterns().is_open
            || !*self
                .runs_any
                .get_or_init(|| index.has_file(&|path| self.runs(path)))
    }

    fn patterns(&self) -> &PathPatterns {
        self.patterns.get_or_init(|| {
            let read = |patterns: &[PathPattern]| -> Vec<Option<Matcher>> {
                patterns.iter().map(Matcher::new).collect()
            };
            let include = read(&self.suite.include);
            PathPatterns {
                is_open: include.iter().any(Option::is_none),
                include: include.into_iter().flatten().collect(),
                exclude: read(&self.suite.exclude).into_iter().flatten().collect(),
            }
        })
    }
}

/// The files that suites may run.
pub(super) trait FileIndex {
    /// Returns whether there is a file whose path fits.
    fn has_file(&self, fits: &dyn Fn(&str) -> bool) -> bool;
}

impl Matcher {
    fn new(pattern: &PathPattern) -> Option<Self> {
        match pattern {
            PathPattern::Glob(pattern) => Glob::new(pattern).map(Self::Glob),
            PathPattern::Regex(pattern) => {
                // JavaScript lets a slash be marked.
                let pattern = pattern.replace("\\/", "/");
                let mut builder = regex::RegexBuilder::new(&pattern);
                let built = builder
                    .size_limit(MAX_REGEX_BYTES)
                    .dfa_size_limit(MAX_REGEX_BYTES);
                built.build().ok().map(Self::Regex)
            }
        }
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Self::Glob(glob) => glob.matches(path),
            Self::Regex(regex) => regex.is_match(path),
        }
    }
}

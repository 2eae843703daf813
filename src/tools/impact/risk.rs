//! Figures about the risk of a change: how often its files changed and were repaired, by whom, together with which others, and
//! which of its definitions no test reaches. Counts with their basis; no score, and zero never means safe.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;

use super::test_gaps::{TestGapOutput, test_gaps};
use super::{ImpactFigures, ImpactQuestion};
use crate::config::Config;
use crate::error::Result;
use crate::model::sanitize::one_line;
use crate::model::{CommitId, RepoPath};
use crate::tools::affected::Affected;
use crate::tools::answer::truncate_to_bytes;
use crate::tools::file_history::{
    CoChangeOutput, FileHistories, HeldCommitsOutput, LastCommitOutput, OwnerOutput, last,
};
use crate::tools::places::uses;
use crate::workspace::{SymbolRow, View};

/// Files of the targets that are told of.
const MAX_FILES: usize = 20;

/// Bytes that their list may take.
const MAX_FILE_BYTES: usize = 12_000;

/// Files that a file was changed together with, and subjects of fixes, that are listed of it.
const MAX_TOGETHER: usize = 5;
const MAX_SUBJECTS: usize = 3;

/// Files that are listed as left out of a change, and the evidence that it takes: so many common commits, their share in thousandths, and so many
/// of the newest ones without an exception. Without the last, half of the files that are named are named wrongly.
const MAX_MISSING: usize = 3;
const MIN_TOGETHER: usize = 5;
const MIN_TOGETHER_PER_MILLE: usize = 500;
const MIN_IN_A_ROW: usize = 5;

/// Signals that are listed, and bytes of their lines.
const MAX_SIGNALS: usize = 30;
const MAX_TEXT_BYTES: usize = 160;

/// Reviewers that are listed.
const MAX_REVIEWERS: usize = 3;

/// Files that declare a package.
const PACKAGE_FILES: [&str; 5] = [
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pyproject.toml",
    "pom.xml",
];

/// The risk of a change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RiskOutput {
    pub(crate) files: Vec<FileRiskOutput>,
    pub(crate) files_total: u64,
    /// Files that such changes usually touch too; only of a set of changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) missing_co_change: Option<Vec<MissingOutput>>,
    pub(crate) test_gaps: Vec<TestGapOutput>,
    /// Definitions beyond those that were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test_gaps_unchecked: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reviewers: Option<Vec<ReviewerOutput>>,
    pub(crate) blast: BlastOutput,
    /// Places of the files to look at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) signals: Vec<CodeSignalOutput>,
    pub(crate) history: HeldCommitsOutput,
}

/// A file of the change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileRiskOutput {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commits90: Option<u64>,
    /// The percentage of files with fewer commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) churn: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fixes: Option<FixesOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owners: Option<Vec<OwnerOutput>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) co_change: Vec<CoChangeOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_change: Option<LastCommitOutput>,
}

/// Commits that repaired a file, by their subjects.
#[derive(Debug, Serialize)]
pub(crate) struct FixesOutput {
    pub(crate) count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<String>,
    pub(crate) subjects: Vec<String>,
}

/// A file that is not among the changes, though `with` was mostly changed together with it.
#[derive(Debug, Serialize)]
pub(crate) struct MissingOutput {
    pub(crate) path: String,
    pub(crate) with: String,
    pub(crate) together: u64,
    pub(crate) of: u64,
}

/// A place that is worth a second look, by one rule of the syntax.
#[derive(Debug, Serialize)]
pub(crate) struct CodeSignalOutput {
    pub(crate) kind: &'static str,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) text: String,
}

/// Somebody to ask for a review.
#[derive(Debug, Serialize)]
pub(crate) struct ReviewerOutput {
    pub(crate) name: String,
    /// codeowners or commits.
    pub(crate) basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) share: Option<f64>,
}

/// How far the change reaches.
#[derive(Debug, Serialize)]
pub(crate) struct BlastOutput {
    pub(crate) files: u64,
    pub(crate) tests: u64,
    /// Packages of these files, where the repository has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) packages: Option<u64>,
}

/// Returns the risk of changing some definitions, or of a set of changes.
pub(super) fn risk(
    view: &View<'_>,
    asked: &ImpactQuestion<'_>,
    targets: &[SymbolRow],
    affected: &Affected,
    found: &ImpactFigures,
    config: &Config,
) -> Result<RiskOutput> {
    let histories = FileHistories::of(view, config)?;
    let is_of_changes = asked.input.asks_changes();
    let mut paths: Vec<&RepoPath> = if is_of_changes {
        asked.changed_paths().collect()
    } else {
        targets.iter().map(|target| &target.path).collect()
    };
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(*path));
    let n_files = paths.len();
    let changed: HashSet<&str> = asked.changes.iter().map(|it| it.path.as_str()).collect();
    let missing = is_of_changes.then(|| missing(&histories, &paths, &changed, asked.base));
    let files = paths.iter().take(MAX_FILES);
    let mut files: Vec<FileRiskOutput> = files.map(|path| file_risk(&histories, path)).collect();
    if !files.is_empty() {
        truncate_to_bytes(&mut files, MAX_FILE_BYTES);
    }
    let (test_gaps, n_unchecked) = test_gaps(view, targets)?;
    Ok(RiskOutput {
        files,
        files_total: n_files as u64,
        missing_co_change: missing,
        test_gaps,
        test_gaps_unchecked: (n_unchecked > 0).then_some(n_unchecked as u64),
        reviewers: reviewers(&histories, &paths),
        blast: BlastOutput {
            files: found.n_files as u64,
            tests: (found.n_tests + found.n_named_tests) as u64,
            packages: n_packages(view, affected)?,
        },
        signals: signals(view, &paths)?,
        history: histories.held(),
    })
}

/// Finds the signals in the first files that are code.
fn signals(view: &View<'_>, paths: &[&RepoPath]) -> Result<Vec<CodeSignalOutput>> {
    let uses = uses(view);
    let mut found = Vec::new();
    let code = paths.iter().filter(|path| view.roles.is_code(path));
    for path in code.take(MAX_FILES) {
        for (signal, text) in uses.signals(path)? {
            if found.len() == MAX_SIGNALS {
                return Ok(found);
            }
            let end = text.floor_char_boundary(MAX_TEXT_BYTES);
            found.push(CodeSignalOutput {
                kind: signal.kind,
                path: path.to_string(),
                line: signal.line,
                text: one_line(&text[..end]).into_owned(),
            });
        }
    }
    Ok(found)
}

fn file_risk(histories: &FileHistories, path: &RepoPath) -> FileRiskOutput {
    let history = histories.history(path.as_str(), MAX_TOGETHER);
    let known = histories.known();
    let fixes = known.map(|known| {
        let fixes = known.commits(path.as_str()).filter(|it| it.is_fix);
        let fixes: Vec<_> = fixes.collect();
        let newest = fixes.iter().take(MAX_SUBJECTS);
        FixesOutput {
            count: fixes.len() as u64,
            last: fixes.first().and_then(|fix| last(fix)).map(|it| it.date),
            subjects: newest
                .map(|fix| one_line(&fix.subject).into_owned())
                .collect(),
        }
    });
    FileRiskOutput {
        path: path.to_string(),
        commits: history.as_ref().map(|it| it.commits),
        commits90: history.as_ref().map(|it| it.commits90),
        churn: known.map(|it| it.churn(path.as_str()) as u64),
        fixes,
        owners: histories.owners(path),
        last_change: history.as_ref().and_then(|it| it.last.clone()),
        co_change: history.map(|it| it.co_change).unwrap_or_default(),
    }
}

/// Finds the files that were changed in at least five and at least half of the commits of a changed file, the last five among them, and are not
/// changed now; each with the file that speaks for it the most.
fn missing(
    histories: &FileHistories,
    paths: &[&RepoPath],
    changed: &HashSet<&str>,
    base: Option<&CommitId>,
) -> Vec<MissingOutput> {
    // The commits of the change itself are no evidence.
    let known = histories.known();
    let earlier = base.and_then(|base| known?.reachable(base));
    let mut best: BTreeMap<String, (usize, usize, &RepoPath)> = BTreeMap::new();
    for path in paths {
        let co_changes = known.map(|it| it.co_changes(path.as_str(), earlier.as_ref()));
        for other in co_changes.into_iter().flatten() {
            let is_evident = other.together >= MIN_TOGETHER
                && other.together * 1_000 >= other.of * MIN_TOGETHER_PER_MILLE
                && other.in_a_row >= MIN_IN_A_ROW
                && !changed.contains(other.path.as_str());
            if is_evident {
                let known = best.entry(other.path).or_insert((0, 1, path));
                // a / b > c / d, in whole numbers.
                if other.together * known.1 > known.0 * other.of {
                    *known = (other.together, other.of, path);
                }
            }
        }
    }
    let mut found: Vec<(String, (usize, usize, &RepoPath))> = best.into_iter().collect();
    found
        .sort_by_key(|(_, (together, of, _))| (Reverse(together * 1_000 / of), Reverse(*together)));
    let found = found.into_iter().take(MAX_MISSING);
    found
        .map(|(path, (together, of, with))| MissingOutput {
            path,
            with: with.to_string(),
            together: together as u64,
            of: of as u64,
        })
        .collect()
}

/// Returns who may review: those that `CODEOWNERS` names, then the authors of the most commits; `None` where names are not to be shown, or
/// nothing is known yet.
fn reviewers(histories: &FileHistories, paths: &[&RepoPath]) -> Option<Vec<ReviewerOutput>> {
    let named = histories.named_owners(paths);
    let authors = histories.authors(paths);
    if authors.is_none() && named.is_empty() {
        return None;
    }
    let all = named.into_iter().chain(authors.into_iter().flatten());
    let shown = all.take(MAX_REVIEWERS).map(|it| ReviewerOutput {
        basis: it.from.unwrap_or("commits"),
        name: it.name,
        share: it.share,
    });
    Some(shown.collect())
}

/// Returns how many packages the affected files are in; `None` where the repository has one or none.
fn n_packages(view: &View<'_>, affected: &Affected) -> Result<Option<u64>> {
    let mut roots = BTreeSet::new();
    for name in PACKAGE_FILES {
        for file in view.read.files_named(name)? {
            if file.file_name() == name {
                let root = file.as_str().strip_suffix(name).unwrap_or_default();
                roots.insert(root.to_owned());
            }
        }
    }
    let packages = affected.files.iter().filter_map(|file| {
        let within = |root: &&String| file.0.as_str().starts_with(root.as_str());
        roots.iter().filter(within).max_by_key(|root| root.len())
    });
    let packages: BTreeSet<&String> = packages.collect();
    Ok((roots.len() > 1).then_some(packages.len() as u64))
}

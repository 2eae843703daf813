//! Cards: a definition, a file or a directory with its place, its signature and how far it reaches.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::clusters;
use super::pack_item::PackItem;
use super::part::cut;
use super::source::SourceReader;
use super::targets::PackTarget;
use super::{ExploreInput, Include};
use crate::error::{Code, Result};
use crate::graph::impact::{no_dispatch, walk};
use crate::graph::related::{Relation, neighbours};
use crate::model::sanitize::one_line;
use crate::model::{Direction, EdgeKind, RepoPath};
use crate::tools::analysed::{is_outlined, lesser_analysis};
use crate::tools::answer::length;
use crate::tools::file_history::{FileHistories, FileHistoryOutput, OwnerOutput};
use crate::tools::impact::{ReachCounts, counts};
use crate::tools::places::{TargetOutput, places, target, uses};
use crate::workspace::SymbolRow;

/// Entries of a list of a card.
const MAX_LISTED: usize = 10;

/// Files that are listed as changed together with a target.
const MAX_TOGETHER: usize = 3;

/// Bytes of the first line of a comment, and of the target as it was given.
const MAX_TEXT: usize = 160;

/// One target.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardOutput {
    pub(crate) target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) handle: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    /// First line of its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) doc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, u64>>")]
    pub(crate) counts: Option<TargetCountsOutput>,
    /// Each `path:line` of the first use, with the definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) callers: Option<Vec<String>>,
    /// Each `path:line` of a definition that it calls, with its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) callees: Option<Vec<String>>,
    /// As `callers`, in tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tests: Option<Vec<String>>,
    /// Each `path:line` of a definition that it names and does not call; of a file, the files that it imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) imports: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) owners: Option<Vec<OwnerOutput>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) history: Option<FileHistoryOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub(crate) metrics: Option<MetricsOutput>,
    /// Definitions that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<BTreeMap<String, serde_json::Value>>")]
    pub(crate) candidates: Vec<TargetOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub(crate) error: Option<ErrorOutput>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stale: bool,
}

/// How far a target reaches; only the counts that its kind has.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct TargetCountsOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) callers: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) callees: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dependents: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unresolved: Option<u64>,
    /// Saved records about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notes: Option<u64>,
    /// Of a directory, a glob or the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) files: Option<u64>,
    /// Definitions of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symbols: Option<u64>,
}

/// Counts of a file; those of its commits are absent while these are being read.
#[derive(Debug, Serialize)]
pub(crate) struct MetricsOutput {
    pub(crate) lines: u64,
    /// Files that import it, and those that it imports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dependents: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dependencies: Option<u64>,
    /// Definitions that other files can use.
    pub(crate) exported: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commits90: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fixes: Option<u64>,
    /// The share of the index's files that have fewer commits, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) churn: Option<u64>,
    /// The directory that names the files which use one another more than the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cluster: Option<String>,
}

/// The reason that nothing is said of a target.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorOutput {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl CardOutput {
    pub(super) fn is_stale(&self) -> bool {
        self.stale
    }
}

/// Returns the card of a target, which was given as `text`.
pub(super) fn card(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    text: &str,
    target: &PackTarget,
    histories: Option<&FileHistories>,
) -> Result<CardOutput> {
    let mut shown = CardOutput {
        target: cut(text, MAX_TEXT),
        ..CardOutput::default()
    };
    if let (Some(histories), Some(path)) = (histories, target.path()) {
        if input.includes(Include::Owners) {
            shown.owners = histories.owners(path);
        }
        if input.includes(Include::History) {
            shown.history = histories.history(path.as_str(), MAX_TOGETHER);
        }
        if input.includes(Include::Metrics) {
            shown.metrics = Some(metrics(source, histories, path)?);
        }
    }
    match target {
        PackTarget::Symbol(found) => of_symbol(source, input, found, shown),
        PackTarget::File(path) => of_file(source, input, path, shown),
        PackTarget::Files { paths, n_files } => Ok(CardOutput {
            path: (paths.len() as u64 == *n_files || !text.contains('*'))
                .then(|| cut(text, MAX_TEXT)),
            counts: Some(TargetCountsOutput {
                files: Some(*n_files),
                ..TargetCountsOutput::default()
            }),
            ..shown
        }),
        PackTarget::Ambiguous(found) => {
            let hint = "pass the handle of one of `candidates`, or `path#name`";
            Ok(CardOutput {
                error: Some(ErrorOutput {
                    code: Code::InvalidArgument.as_str(),
                    message: format!("{} definitions have this name", found.len()),
                    hint: hint.to_owned(),
                }),
                candidates: candidates(found),
                ..shown
            })
        }
        PackTarget::Unknown(error, near) => Ok(CardOutput {
            error: Some(ErrorOutput {
                code: error.code.as_str(),
                message: error.message.clone(),
                hint: error.hint.clone(),
            }),
            candidates: candidates(near),
            ..shown
        }),
    }
}

fn metrics(
    source: &SourceReader<'_>,
    histories: &FileHistories,
    path: &RepoPath,
) -> Result<MetricsOutput> {
    let view = source.view;
    let row = view.read.file(path.as_str())?;
    let around = |direction| -> Result<Option<u64>> {
        let found = match &row {
            Some(row) => view.read.stated_imports(row.id, direction)?.len(),
            None => 0,
        };
        Ok((lesser_analysis(path).is_none() || found > 0).then_some(found as u64))
    };
    let symbols = source.symbols(path)?;
    let history = histories.history(path.as_str(), 0);
    Ok(MetricsOutput {
        lines: row.as_ref().map_or(0, |row| u64::from(row.n_lines)),
        dependents: around(Direction::In)?,
        dependencies: around(Direction::Out)?,
        exported: symbols.iter().filter(|it| it.exported).count() as u64,
        commits: history.as_ref().map(|it| it.commits),
        commits90: history.as_ref().map(|it| it.commits90),
        fixes: history.as_ref().map(|it| it.fixes),
        churn: histories.known().map(|it| it.churn(path.as_str()) as u64),
        cluster: clusters::cluster(view, path)?,
    })
}

fn candidates(found: &[SymbolRow]) -> Vec<TargetOutput> {
    found.iter().take(MAX_LISTED).map(target).collect()
}

fn of_symbol(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    found: &[SymbolRow],
    shown: CardOutput,
) -> Result<CardOutput> {
    let view = source.view;
    let symbol = &found[0];
    let ReachCounts {
        callers,
        callees,
        tests,
        dependents,
        unresolved,
    } = counts(view, found)?;
    let signature = one_line(&symbol.signature).into_owned();
    let is_bound = !is_outlined(&symbol.path);
    let known = |n: u64| (is_bound || n > 0).then_some(n);
    // Of a definition whose uses are not known an empty list would claim that there are none.
    let listed = |include, list: &dyn Fn() -> Result<Vec<String>>| -> Result<_> {
        let list = input.includes(include).then(list).transpose()?;
        Ok(list.filter(|list| is_bound || !list.is_empty()))
    };
    Ok(CardOutput {
        handle: Some(symbol.handle.to_string()),
        path: Some(symbol.path.to_string()),
        lines: Some(format!(
            "{}-{}",
            symbol.span.start_line, symbol.span.end_line
        )),
        symbol: Some(symbol.qualified_name.clone()),
        kind: Some(symbol.kind.as_str()),
        signature: (!signature.is_empty()).then_some(signature),
        doc: doc(source, symbol)?,
        counts: Some(TargetCountsOutput {
            callers: known(callers),
            callees: known(callees),
            tests: known(tests),
            dependents: known(dependents),
            unresolved: (unresolved > 0).then_some(unresolved),
            ..TargetCountsOutput::default()
        }),
        callers: listed(Include::Callers, &|| users(source, found, false))?,
        tests: listed(Include::Tests, &|| users(source, found, true))?,
        callees: listed(Include::Callees, &|| used(source, found, true))?,
        imports: listed(Include::Imports, &|| used(source, found, false))?,
        stale: view.is_stale(symbol.path.as_str()),
        ..shown
    })
}

/// Returns the places that use a definition directly, in tests or elsewhere.
fn users(source: &SourceReader<'_>, found: &[SymbolRow], in_tests: bool) -> Result<Vec<String>> {
    let view = source.view;
    let (starts, _) = uses(view).walk_starts(found)?;
    let reached = walk(
        view.read,
        &starts,
        Direction::In,
        1,
        view.budget,
        &mut no_dispatch,
    )?;
    let mut placed = places(view, &reached.places)?;
    placed.retain(|it| it.role(view).is_of_tests() == in_tests && !view.is_gone(&it.path));
    let shown = placed.iter().take(MAX_LISTED).map(|place| {
        let name = place.symbol.as_ref().map(|it| it.qualified_name.as_str());
        format!(
            "{}:{} {}",
            place.path,
            place.reached.line,
            name.unwrap_or("(module)")
        )
    });
    Ok(shown.collect())
}

/// Returns the definitions that a definition calls, or those that it names and does not call.
fn used(source: &SourceReader<'_>, found: &[SymbolRow], is_called: bool) -> Result<Vec<String>> {
    let view = source.view;
    let mut shown = Vec::new();
    for symbol in found {
        let mut edges = view.read.edges_out_of(symbol.id)?;
        edges.retain(|edge| (edge.kind == EdgeKind::Calls) == is_called);
        edges.sort_by_key(|edge| (edge.line, edge.dst));
        for edge in edges {
            if let Some(used) = view.read.symbol_by_id(edge.dst)? {
                let line = format!("{}:{} {}", used.path, used.name_line, used.qualified_name);
                if !shown.contains(&line) && shown.len() < MAX_LISTED {
                    shown.push(line);
                }
            }
        }
    }
    Ok(shown)
}

fn of_file(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    path: &RepoPath,
    shown: CardOutput,
) -> Result<CardOutput> {
    let view = source.view;
    let around = |relation, direction| {
        neighbours(
            view.read,
            &view.roles,
            path,
            relation,
            direction,
            1,
            view.budget,
        )
    };
    let importers = around(Relation::Imports, Direction::In)?.found;
    let tests = around(Relation::Tests, Direction::In)?.found;
    let is_bound = lesser_analysis(path).is_none();
    let list = |found: Vec<crate::graph::related::Neighbour>| -> Option<Vec<String>> {
        let paths = found.into_iter().take(MAX_LISTED);
        let list: Vec<String> = paths.map(|near| near.path.to_string()).collect();
        (is_bound || !list.is_empty()).then_some(list)
    };
    let known = |n: usize| (is_bound || n > 0).then_some(n as u64);
    let n_lines = view
        .read
        .file(path.as_str())?
        .map_or(0, |file| file.n_lines);
    Ok(CardOutput {
        handle: Some(format!("rel:{path}")),
        path: Some(path.to_string()),
        lines: (n_lines > 0).then(|| format!("1-{n_lines}")),
        kind: Some("file"),
        counts: Some(TargetCountsOutput {
            dependents: known(importers.len()),
            tests: known(tests.len()),
            symbols: known(source.symbols(path)?.len()),
            ..TargetCountsOutput::default()
        }),
        callers: Some(importers)
            .filter(|_| input.includes(Include::Callers))
            .and_then(list),
        tests: Some(tests)
            .filter(|_| input.includes(Include::Tests))
            .and_then(list),
        imports: if input.includes(Include::Imports) {
            list(around(Relation::Imports, Direction::Out)?.found)
        } else {
            None
        },
        stale: view.is_stale(path.as_str()),
        ..shown
    })
}

/// Returns the first sentence-like line of the comment above a definition, without its marks.
fn doc(source: &SourceReader<'_>, symbol: &SymbolRow) -> Result<Option<String>> {
    let Some(text) = source.text(&symbol.path)? else {
        return Ok(None);
    };
    let (first, _) = PackItem::of_symbol(source, symbol)?.lines;
    let above = (first..symbol.span.start_line).map(|line| text.lines(line, line).trim());
    let is_mark = |c: char| matches!(c, '/' | '*' | '#' | '!' | ' ' | '\t');
    let mut lines = above
        .filter(|line| !line.starts_with('@') && !line.starts_with("#["))
        .map(|line| {
            line.trim_start_matches(is_mark)
                .trim_end_matches("*/")
                .trim()
        });
    let found =
        lines.find(|line| line.chars().any(char::is_alphanumeric) && !line.starts_with('@'));
    Ok(found.map(|line| cut(&one_line(line), MAX_TEXT)))
}

/// Cuts cards to a number of bytes: first their lists, then their comments and signatures, then the last cards. At least one stays.
pub(super) fn shorten(cards: &mut Vec<CardOutput>, max_bytes: usize) {
    let size = |cards: &Vec<CardOutput>| length(cards);
    for n_listed in [5, 2, 0] {
        if size(cards) <= max_bytes {
            return;
        }
        for card in cards.iter_mut() {
            let lists = [
                &mut card.callers,
                &mut card.callees,
                &mut card.tests,
                &mut card.imports,
            ];
            for list in lists.into_iter().flatten() {
                list.truncate(n_listed);
            }
            if let Some(history) = &mut card.history {
                history.co_change.truncate(n_listed);
            }
            card.candidates.truncate(n_listed);
        }
    }
    if size(cards) > max_bytes {
        for card in cards.iter_mut() {
            card.doc = None;
            card.signature = None;
        }
    }
    while size(cards) > max_bytes && cards.len() > 1 {
        cards.pop();
    }
}

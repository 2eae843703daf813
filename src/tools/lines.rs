//! `cl_search` with `match` literal or regex: every line, from the files on the disk.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Call;
use super::answer::{Cursor, FreshnessFields, MAX_LIST_BYTES, n_within_bytes};
use super::hits;
use super::number::clamp;
use super::search::{HitDefaultsOutput, HitOutput, SearchInput, SearchOutput};
use crate::error::{Error, Result};
use crate::lines::{
    self, LineMatches, LinePattern, LineQuery, MatchedLine, PatternError, Syntax, Unsearched,
};
use crate::model::{Budget, FreshnessState, RepoPath, SkipReason};
use crate::search::PathFilter;
use crate::uses::innermost;
use crate::workspace::{SymbolRow, View, language_of};

/// Lines of a page whose caller names no limit.
const DEFAULT_LIMIT: usize = 50;

/// Most lines of a page.
pub(super) const MAX_LIMIT: usize = 200;

/// Most lines before and behind a match.
const MAX_CONTEXT: usize = 10;

/// How long files are read for one answer, where the caller names no other time.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// How the query is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// By its words: the best places.
    Words,
    /// As it stands: every line.
    Literal,
    /// As a regular expression: every line.
    Regex,
}

/// Where a match lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum MatchScope {
    /// Anywhere.
    All,
    /// Neither in a comment nor in a string.
    Code,
    /// In a comment.
    Comments,
    /// In a string, a regular expression or text between tags.
    Strings,
}

/// Totals of an answer with every line.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineSearchOutput {
    /// Lines that match, on all pages.
    pub(crate) total: u64,
    /// Whether the pages together hold every matching line of the files that were searched.
    pub(crate) complete: bool,
    pub(crate) searched_files: u64,
    /// Files that were not searched, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) unsearched: BTreeMap<&'static str, u64>,
    /// Fields of the input that have no meaning with `match`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ignored: Vec<&'static str>,
}

impl MatchScope {
    fn meaning(self) -> Option<lines::SourceRegion> {
        match self {
            Self::All => None,
            Self::Code => Some(lines::SourceRegion::Code),
            Self::Comments => Some(lines::SourceRegion::Comment),
            Self::Strings => Some(lines::SourceRegion::String),
        }
    }
}

/// Returns how a query for lines is written; `None` for words.
///
/// # Errors
/// `invalid_argument` for fields that lines alone have.
pub(super) fn syntax(input: &SearchInput) -> Result<Option<Syntax>> {
    match input.r#match {
        Some(Match::Literal) => Ok(Some(Syntax::Literal)),
        Some(Match::Regex) => Ok(Some(Syntax::Regex)),
        None | Some(Match::Words) => {
            let given = [
                ("scope", input.scope.is_some()),
                ("contextLines", input.context_lines.is_some()),
            ];
            match given.iter().find(|(_, is_given)| *is_given) {
                None => Ok(None),
                Some((field, _)) => Err(Error::invalid(
                    format!("`{field}` has a meaning for lines alone"),
                    "pass `match: literal` or `match: regex` with it, or leave it out",
                )),
            }
        }
    }
}

/// Answers with every line that matches.
pub(super) fn search(input: &SearchInput, syntax: Syntax, call: &Call<'_>) -> Result<SearchOutput> {
    let pattern = LinePattern::new(&input.query, syntax).map_err(|error| refused(&error))?;
    let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
    call.query(&workspace, &input.query, |view| {
        answer(view, input, syntax, &pattern)
    })
}

fn refused(error: &PatternError) -> Error {
    let hint = match error {
        PatternError::Empty => "give the text or the pattern to look for",
        PatternError::TooLong { .. } => "look for a part of it",
        PatternError::Syntax { .. } => {
            "the syntax is that of Rust's regex: no look-around, no back-references; for text as it stands pass `match` \"literal\""
        }
        PatternError::TooLarge => "repeat less: `\\w{1,50}` in place of `\\w{1,5000}`",
    };
    Error::invalid(format!("`query`: {error}"), hint)
}

fn answer(
    view: &View<'_>,
    input: &SearchInput,
    syntax: Syntax,
    pattern: &LinePattern,
) -> Result<SearchOutput> {
    let scope = input.scope.and_then(MatchScope::meaning);
    let n_context = clamp(input.context_lines, 0, 0..=MAX_CONTEXT);
    let key = (
        &input.query,
        input.r#match,
        scope,
        &input.path,
        &input.language,
    );
    let asked = format!("{key:?}");
    let after = match &input.cursor {
        Some(text) => Some(Cursor::decode(text, &asked, view.index_id)?),
        None => None,
    };
    let filter = PathFilter::new(&input.path);
    let is_in_language = |path: &RepoPath| {
        let wanted = input.language.as_ref();
        wanted.is_none_or(|wanted| wanted.eq_ignore_ascii_case(language_of(path).id))
    };
    let files = view.files_to_search(
        |path| filter.has(path.as_str()) && is_in_language(path),
        |path| filter.names(path.as_str()),
    )?;
    if files.is_empty() {
        hits::check_language(view, input.language.as_deref())?;
        if !input.path.is_empty() {
            return Err(hits::no_file_left(&input.path));
        }
    }
    let limit = TIME_LIMIT.max(view.budget.remaining().unwrap_or_default());
    let budget = Budget::within(limit, view.budget.interrupt());
    let found = lines::search(
        &files,
        &view.text_now(),
        &LineQuery {
            pattern,
            scope,
            n_context,
            limit: clamp(input.limit, DEFAULT_LIMIT, 1..=MAX_LIMIT),
            max_bytes: MAX_LIST_BYTES,
            after: after
                .as_ref()
                .map(|after| (after.path.as_str(), after.line)),
            budget: &budget,
        },
    );
    if budget.is_cancelled() {
        return Err(Error::cancelled());
    }
    let mut results = results(view, &found.lines, input.highlight)?;
    let n_fit = n_within_bytes(&results, MAX_LIST_BYTES);
    let is_cut = n_fit < results.len();
    results.truncate(n_fit);
    let next_cursor = (found.has_more || is_cut)
        .then(|| found.lines.get(results.len().wrapping_sub(1)))
        .flatten()
        .map(|last| cursor_at(last).encode(&asked, view.index_id));
    let mut freshness_fields = FreshnessFields::of(view);
    say_what_is_missing(&found, files.len(), &mut freshness_fields);
    let why = match syntax {
        Syntax::Literal => "literal",
        Syntax::Regex => "regex",
    };
    Ok(SearchOutput {
        index_id: view.index_id.to_owned(),
        query: hits::cut_text(&input.query),
        count: results.len() as u64,
        defaults: (!results.is_empty()).then(|| HitDefaultsOutput::why(why)),
        results,
        lines: Some(LineSearchOutput {
            total: found.total,
            // A list of files that is not proved may lack some.
            complete: found.is_complete()
                && !matches!(view.freshness.state, FreshnessState::Unknown(_)),
            searched_files: found.n_files,
            unsearched: unsearched(&found, view.n_unreadable_names()),
            ignored: ignored(input),
        }),
        confidence: None,
        missing: Vec::new(),
        ranking: None,
        next_cursor,
        related: None,
        truncated: false,
        freshness_fields,
    })
}

/// Returns how many files were not searched, by reason, those with names that are not UTF-8 included.
fn unsearched(found: &LineMatches, n_unreadable_names: u64) -> BTreeMap<&'static str, u64> {
    let all = found.unsearched.iter();
    let nameless =
        (n_unreadable_names > 0).then(|| (SkipReason::NonUtf8Name.as_str(), n_unreadable_names));
    let all = all.map(|(reason, n)| (reason.as_str(), *n));
    all.chain(nameless).collect()
}

/// Returns the fields of the input that are passed over.
fn ignored(input: &SearchInput) -> Vec<&'static str> {
    let given = [
        ("contentType", input.content_type.is_some()),
        ("explain", input.explain),
        ("related", input.related),
        ("snippet", input.snippet.is_some()),
    ];
    let given = given.into_iter().filter(|(_, is_given)| *is_given);
    given.map(|(field, _)| field).collect()
}

fn say_what_is_missing(
    found: &LineMatches,
    n_files: usize,
    freshness_fields: &mut FreshnessFields,
) {
    let count = |reason| found.unsearched.get(&reason).copied().unwrap_or_default();
    let n_left = count(Unsearched::Budget);
    if n_left > 0 {
        freshness_fields.say(&format!(
            "The time was up: {n_left} of {n_files} files are not searched; narrow `path`, or pass a larger `budgetMs`."
        ));
    }
    let n_unjudged = count(Unsearched::NoGrammar);
    if n_unjudged > 0 {
        let files = match n_unjudged {
            1 => "1 file holds matches where no grammar tells code, comments and strings apart"
                .to_owned(),
            n => format!(
                "{n} files hold matches where no grammar tells code, comments and strings apart"
            ),
        };
        freshness_fields.say(&format!("{files}: they are found without `scope`."));
    }
    if found.total == 0 && n_left == 0 {
        let files = match found.n_files {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        freshness_fields.say(&format!(
            "No line matches in the {files} that were searched."
        ));
    }
}

/// Converts the lines to their output form, with the innermost definition around each where the index has these bytes. The
/// handle stands with the first line of a definition alone.
fn results(view: &View<'_>, lines: &[MatchedLine], with_matches: bool) -> Result<Vec<HitOutput>> {
    let mut results = Vec::with_capacity(lines.len());
    let mut known: Option<(&MatchedLine, Option<Vec<SymbolRow>>)> = None;
    let mut last_handle = None;
    for line in lines {
        if known.as_ref().is_none_or(|(of, _)| of.path != line.path) {
            let row = view.read.file(line.path.as_str())?;
            let row = row.filter(|row| row.content == line.content);
            let symbols = row.map(|row| view.read.symbols_of(row.id)).transpose()?;
            known = Some((line, symbols));
        }
        let symbols = known.as_ref().and_then(|(_, symbols)| symbols.as_deref());
        let symbol = symbols.and_then(|symbols| innermost(symbols, line.start_byte));
        let handle = symbol.map(|symbol| symbol.handle);
        let is_first = handle != last_handle;
        last_handle = handle;
        let first = symbol.filter(|_| is_first);
        let (from, to) = line.lines;
        results.push(HitOutput {
            handle: first.map(|symbol| symbol.handle.to_string()),
            path: line.path.to_string(),
            lines: if from == to {
                from.to_string()
            } else {
                format!("{from}-{to}")
            },
            preview: line.text.clone(),
            matches: if with_matches {
                line.matches.clone()
            } else {
                Vec::new()
            },
            symbol: symbol.map(|symbol| symbol.qualified_name.clone()),
            kind: first.map(|symbol| symbol.kind.as_str()),
            before: line.before.clone(),
            after: line.behind.clone(),
            stale: symbols.is_none(),
            ..HitOutput::default()
        });
    }
    super::search::add_notes(view, &mut results)?;
    Ok(results)
}

fn cursor_at(line: &MatchedLine) -> Cursor {
    Cursor {
        score: 0,
        path: line.path.to_string(),
        line: line.lines.0,
    }
}

//! `cl_changes`: definitions that differ between two states of the repository, and the uses that break.
//!
//! The head is asked through its index; of the base only the files that differ are read, from git.

mod answer_cache;
pub(crate) mod collisions;
pub(crate) mod entries;
mod gather;
mod page;
pub(crate) mod reach;
mod reached_tests;

use std::sync::Arc;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{
    BYTES_PER_LIST_TOKEN, DEFAULT_BUDGET_TOKENS, FreshnessFields, is_zero, length,
    truncate_to_bytes,
};
use super::impact::{are, count, not_compared, unreadable_names};
use super::number::{Number, clamp};
use super::{Call, Tool};
use crate::error::{Error, Result};
use crate::model::RepoPath;
use crate::model::path::is_at_or_below;
use crate::uses::UncheckedUses;
use crate::workspace::{Comparison, ComparisonSide, Question, StateIndex, View, missing, outside};
use answer_cache::AnswerKey;
use collisions::{CollisionOutput, Opposite};
use entries::{BrokenOutput, ChangeEntry, ChangeOutput, ComparedFileOutput, ListedChanges};
use gather::Gathered;
use page::{Page, PagedList};
use reach::TestOutput;
use reached_tests::ReachedTests;

/// Paths that are named of the files which are not indexed yet.
const MAX_PENDING: usize = 20;

/// Names that `with` takes.
const MAX_OTHERS: usize = 20;

/// `cl_changes`.
pub struct Changes;

/// A part of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum AnswerPart {
    /// Changes of bodies alone.
    Body,
    /// Tests that reach the changes, with their titles.
    Tests,
    /// How many places use each changed definition.
    Callers,
    /// The text of changed definitions.
    Source,
}

/// Input of `cl_changes`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangesInput {
    /// Default: the merge base with the default branch.
    #[arg(
        help = "Compare with this branch, tag or commit [default: the merge base with the default branch]"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The work tree.
    #[arg(
        long,
        help = "Compare up to this branch, tag or commit [default: the work tree]"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Branches or work trees.
    #[arg(
        long,
        value_delimiter = ',',
        help = "Branches or work trees whose changes may collide with these"
    )]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// Files or directories.
    #[arg(long, help = "Only changes of these files or directories")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// All but source.
    #[arg(
        long,
        value_delimiter = ',',
        help = "Parts of the answer [default: all but source]"
    )]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<AnswerPart>,
    /// Tokens.
    #[arg(
        long,
        allow_negative_numbers = true,
        help = "Tokens of the answer at most"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Number>,
    /// Entries.
    #[arg(
        long,
        short = 'n',
        allow_negative_numbers = true,
        help = "Entries of each list at most"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Number>,
    /// `nextCursor` of the page before.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// Definitions added, removed or changed.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangesOutput {
    pub(crate) index_id: String,
    #[schemars(with = "serde_json::Value")]
    pub(crate) base: StateOutput,
    #[schemars(with = "serde_json::Value")]
    pub(crate) head: StateOutput,
    pub(crate) summary: String,
    /// Uses at the head of what the changes took away, or calls that pass too few arguments now.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) broken: Vec<BrokenOutput>,
    pub(crate) broken_total: u64,
    /// The exported ones first, changes of bodies behind them, tests last.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) changes: Vec<ChangeOutput>,
    pub(crate) changes_total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) collisions: Option<Vec<CollisionOutput>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) collisions_total: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) tests: Vec<TestOutput>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) tests_total: u64,
    /// Whether users behind the last step were not followed to tests. The summary says it.
    #[serde(skip)]
    pub(crate) is_deeper: bool,
    /// Further test files that hold a changed name, in languages whose uses are not followed. The summary says it.
    #[serde(skip)]
    pub(crate) n_unfollowed_tests: u64,
    #[schemars(with = "Vec<serde_json::Value>")]
    pub(crate) files: Vec<ComparedFileOutput>,
    pub(crate) files_total: u64,
    /// Whether every use in reach was bound: an empty `broken` of a complete answer means that there is none.
    pub(crate) complete: bool,
    /// Uses of the names of definitions that are gone whose meaning is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unresolved: u64,
    /// Those of them that meant what is gone; a base from outside may have a member of the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "serde_json::Value")]
    pub(crate) unresolved_at: Vec<BrokenOutput>,
    /// Changed files whose definitions are not compared: of a language without analysis, generated, or not indexed.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "serde_json::Value")]
    pub(crate) not_analysed: u64,
    /// Changed files whose definitions are compared and whose uses are not known: of a language that is outlined.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "serde_json::Value")]
    pub(crate) outlined: u64,
    /// Definitions that are not found in files with syntax errors and may be there: they are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "serde_json::Value")]
    pub(crate) unread: u64,
    /// Changed files with syntax errors that may hide definitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "serde_json::Value")]
    pub(crate) syntax_errors: Vec<String>,
    /// Changed files that the index does not have as they are yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "serde_json::Value")]
    pub(crate) pending: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    #[serde(flatten)]
    pub(crate) freshness_fields: FreshnessFields,
}

/// One side.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateOutput {
    /// As it is called.
    pub(crate) name: String,
    /// Its commit; that of `HEAD` for a work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sha: Option<String>,
    /// Whether it is a work tree, with its edits.
    #[serde(skip)]
    pub(crate) is_work_tree: bool,
}

impl StateOutput {
    fn of(side: &ComparisonSide) -> Self {
        Self {
            name: side.name.clone(),
            sha: side.commit.as_ref().map(ToString::to_string),
            is_work_tree: side.is_work_tree,
        }
    }
}

impl Tool for Changes {
    const NAME: &'static str = "cl_changes";
    const TITLE: &'static str = "Review a branch";
    const ABOUT: &'static str = "Definitions changed since `base`, broken uses, tests that reach it; `with`: where it collides with other branches.";
    const EXAMPLES: &'static str = "codelens changes\ncodelens changes main... --with feature,worktrees\ncodelens changes v1.2 --head v1.3 --include body\ncodelens changes --format markdown --exit-code";
    type Input = ChangesInput;
    type Output = ChangesOutput;

    fn run(input: ChangesInput, call: &Call<'_>) -> Result<ChangesOutput> {
        let mut paths = Vec::new();
        for text in &input.path {
            if !matches!(text.as_str(), "" | "." | "./" | "/") {
                paths.push(RepoPath::normalise(text).ok_or_else(|| outside(text))?);
            }
        }
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let (base, head) = workspace.states(input.base.as_deref(), input.head.as_deref())?;
        if input.with.len() > MAX_OTHERS {
            return Err(Error::invalid(
                format!(
                    "field `with`: {} names, and at most {MAX_OTHERS} are compared",
                    input.with.len()
                ),
                "ask about some of them at a time, or pass `worktrees` for all work trees",
            ));
        }
        let others = workspace.others(&input.with)?;
        let comparison = workspace.compare(base, head, &call.interrupt)?;
        let opposites = collisions::opposites(&workspace, &comparison, others, &call.interrupt)?;
        let words = input.path.join(" ");
        let revision = comparison.head.revision();
        let mut doubtful = Vec::new();
        for path in &paths {
            let mut differing = comparison.files.iter();
            let is_known = differing.any(|file| is_at_or_below(file.path.as_str(), path.as_str()))
                || workspace.has_file(path, revision.as_ref())?;
            if !is_known {
                doubtful.push(path.clone());
            }
        }
        workspace.with_index_of(&comparison.base, |base| {
            let asked = ChangesQuestion {
                input: &input,
                paths: &paths,
                doubtful: &doubtful,
                comparison: &comparison,
                opposites: &opposites,
                base,
            };
            call.with_question(&words, |question| {
                let question = Question {
                    revision: revision.as_ref(),
                    ..question
                };
                workspace.query(question, |view| cached_answer(view, &asked))
            })
        })
    }
}

fn cached_answer(view: &View<'_>, asked: &ChangesQuestion<'_>) -> Result<ChangesOutput> {
    let key = AnswerKey::of(view, asked);
    let known = key.as_ref().and_then(|key| key.answer(view));
    if let Some(known) = known {
        return Ok(known);
    }
    asked.check_paths(view)?;
    let find = || Gathered::of(view, asked);
    let gathered = match &key {
        Some(key) => key.gathered(asked.comparison, find)?,
        None => Arc::new(find()?),
    };
    let made = answer(view, asked, &gathered)?;
    if let Some(key) = key {
        key.keep(&made);
    }
    Ok(made)
}

/// A question with what was read for it beside the index.
struct ChangesQuestion<'a> {
    input: &'a ChangesInput,
    paths: &'a [RepoPath],
    /// Those that are no file of either state: directories where nothing differs, or mistyped.
    doubtful: &'a [RepoPath],
    comparison: &'a Comparison,
    opposites: &'a [Opposite],
    /// The index of the base, where there is one.
    base: Option<&'a StateIndex<'a>>,
}

impl ChangesQuestion<'_> {
    fn is_wanted(&self, path: &str) -> bool {
        let mut paths = self.paths.iter();
        self.paths.is_empty() || paths.any(|asked| is_at_or_below(path, asked.as_str()))
    }

    /// Makes sure that each path is one of either state: `No file differs` of a mistyped path would be false.
    fn check_paths(&self, view: &View<'_>) -> Result<()> {
        for path in self.doubtful {
            let is_known = view.freshness.as_str() != "fresh"
                || view
                    .read
                    .files_under(path.as_str())?
                    .iter()
                    .next()
                    .is_some();
            if !is_known {
                return Err(missing(path));
            }
        }
        Ok(())
    }

    fn has(&self, part: AnswerPart) -> bool {
        match self.input.include.as_slice() {
            [] => part != AnswerPart::Source,
            parts => parts.contains(&part),
        }
    }

    /// Returns everything that decides which changes are listed.
    fn digest(&self) -> String {
        let sha = |state: &ComparisonSide| state.commit.as_ref().map(ToString::to_string);
        format!(
            "changes {:?} {:?} {:?} {}",
            sha(&self.comparison.base),
            (
                &self.comparison.head.is_work_tree,
                sha(&self.comparison.head)
            ),
            self.paths,
            self.has(AnswerPart::Body)
        )
    }
}

/// A part of the bytes that are left: numerator and denominator.
type Share = (usize, usize);

/// The share of the broken uses, those that are not proved among them.
const BROKEN_SHARE: Share = (3, 10);

/// The same on a page that has no changes to show.
const REST_OF_BROKEN_SHARE: Share = (4, 5);

const CHANGES_SHARE: Share = (3, 5);

const COLLISIONS_SHARE: Share = (1, 2);

const TESTS_SHARE: Share = (2, 3);

const ALL: Share = (1, 1);

/// The bytes that an answer has left for its lists.
struct ByteBudget {
    left: usize,
}

impl ByteBudget {
    fn share(&self, (n, of): Share) -> usize {
        self.left * n / of
    }

    /// Shortens a list to its share; the rest of that is left for the lists behind it.
    fn fit<T: Serialize>(&mut self, list: &mut Vec<T>, share: Share) {
        truncate_to_bytes(list, self.share(share));
        self.spend(list);
    }

    fn spend<T: Serialize>(&mut self, list: &[T]) {
        self.left = self.left.saturating_sub(length(&list));
    }

    /// Returns the part of a list that a page shows: behind what pages before have shown, at most `limit` entries within its share.
    fn fit_page<T: Serialize>(
        &mut self,
        page: &mut Page,
        (list, share): (PagedList, Share),
        mut all: Vec<T>,
        limit: usize,
    ) -> Vec<T> {
        let n_all = all.len();
        page.skip(list, &mut all);
        all.truncate(limit);
        self.fit(&mut all, share);
        page.note(list, all.len(), n_all);
        all
    }

    /// Shortens the lists of broken uses, which share a part: one that exceeds it takes nothing from the lists behind it.
    fn fit_broken<T: Serialize>(
        &mut self,
        proved: &mut Vec<T>,
        unproved: &mut Vec<T>,
        share: Share,
    ) {
        let left = self.share(share);
        let mut part = Self { left };
        part.fit(proved, ALL);
        part.fit(unproved, ALL);
        self.left -= left - part.left;
    }
}

fn answer(
    view: &View<'_>,
    asked: &ChangesQuestion<'_>,
    gathered: &Gathered,
) -> Result<ChangesOutput> {
    let input = asked.input;
    let comparison = asked.comparison;
    let limit = clamp(input.limit, 200, 1..=500);
    let listed = ListedChanges::of(view, asked, gathered)?;
    let digest = asked.digest();
    let mut page = Page::read(input.cursor.as_deref(), &digest, view.index_id)?;
    let reach = reach::ChangesReach::of(view, asked, gathered, &listed)?;
    let collisions = collisions::find(view, asked, gathered)?;
    let mut freshness_fields = FreshnessFields::of(view);
    let is_fresh = freshness_fields.freshness == "fresh";
    if !gathered.pending.is_empty() && is_fresh {
        freshness_fields.mark_moved();
    }
    let mut budget = ByteBudget {
        left: BYTES_PER_LIST_TOKEN * clamp(input.budget, DEFAULT_BUDGET_TOKENS, 500..=20_000),
    };
    let mut broken = entries::broken(view, asked, gathered, &gathered.broken.all)?;
    let mut unresolved_at = entries::broken(view, asked, gathered, &gathered.broken.doubtful)?;
    let n_doubtful = unresolved_at.len();
    let (n_broken, broken_total) = (broken.len(), broken.len() as u64);
    page.skip(PagedList::Broken, &mut broken);
    page.skip(PagedList::Unresolved, &mut unresolved_at);
    broken.truncate(limit);
    unresolved_at.truncate(limit);
    let rest = listed.after(page.last_change());
    let is_rest = rest.is_empty() && !page.is_first();
    let share = [BROKEN_SHARE, REST_OF_BROKEN_SHARE][usize::from(is_rest)];
    budget.fit_broken(&mut broken, &mut unresolved_at, share);
    page.note(PagedList::Broken, broken.len(), n_broken);
    page.note(PagedList::Unresolved, unresolved_at.len(), n_doubtful);
    let shown = rest.iter().take(limit);
    let mut changes = shown
        .map(|one| entries::change(view, asked, gathered, one, &reach))
        .collect::<Result<Vec<_>>>()?;
    truncate_to_bytes(&mut changes, budget.share(CHANGES_SHARE));
    page.note_changes(end_page(&mut changes, &rest));
    budget.spend(&changes);
    let collisions_total = collisions.as_ref().map(|it| it.all.len() as u64);
    let unchecked_there = collisions.as_ref().map(|it| it.unchecked);
    let unchecked_there = unchecked_there.unwrap_or_default();
    let share = (PagedList::Collisions, COLLISIONS_SHARE);
    let collisions = collisions.map(|it| budget.fit_page(&mut page, share, it.all, limit));
    let tests = reach::tests(view, asked, &reach)?;
    let tests_total = reach.tests.all.len() as u64;
    let tests = budget.fit_page(&mut page, (PagedList::Tests, TESTS_SHARE), tests, limit);
    let files = entries::files(asked);
    let files_total = files.len() as u64;
    let files = budget.fit_page(&mut page, (PagedList::Files, ALL), files, limit);
    let next_cursor = page.next(&digest, view.index_id);
    let n_unreadable = view.n_unreadable_names();
    let is_cut = gathered.broken.is_cut || !comparison.is_complete || n_unreadable > 0;
    let unchecked = gathered.unchecked;
    let of_tests = || tests_sentence(&reach.tests, gathered.n_outlined > 0);
    let findings = [
        listed.summary(gathered, broken_total),
        not_compared(unchecked),
        asked
            .has(AnswerPart::Tests)
            .then(of_tests)
            .filter(|_| files_total > 0)
            .unwrap_or_default(),
        collisions_sentence(collisions_total, unchecked_there),
        unreadable_names(n_unreadable),
    ];
    let note = state_sentence(&mut freshness_fields, gathered);
    Ok(ChangesOutput {
        index_id: view.index_id.to_owned(),
        base: StateOutput::of(&comparison.base),
        head: StateOutput::of(&comparison.head),
        summary: with_note(&note, &findings.concat()),
        complete: is_fresh && !is_cut && gathered.is_complete(asked, unchecked + unchecked_there),
        broken,
        broken_total,
        changes_total: listed.all.len() as u64,
        changes,
        collisions,
        collisions_total,
        tests,
        tests_total,
        is_deeper: reach.tests.is_deeper,
        n_unfollowed_tests: reach.tests.n_unfollowed,
        files,
        files_total,
        unresolved: gathered.broken.n_unresolved,
        unresolved_at,
        not_analysed: gathered.n_not_analysed,
        outlined: gathered.n_outlined,
        unread: gathered.n_hidden,
        syntax_errors: first_paths(&gathered.with_errors),
        pending: first_paths(&gathered.pending),
        truncated: next_cursor.is_some(),
        next_cursor,
        freshness_fields,
    })
}

fn first_paths(paths: &[RepoPath]) -> Vec<String> {
    let shown = paths.iter().take(MAX_PENDING);
    shown.map(ToString::to_string).collect()
}

fn with_note(note: &str, summary: &str) -> String {
    let between = if note.is_empty() { "" } else { " " };
    format!("{note}{between}{summary}")
}

/// Ends a page with the last change of a line, so that the next page begins with another line. Returns that change; `None` where no
/// page follows.
fn end_page<'r>(
    changes: &mut Vec<ChangeOutput>,
    rest: &[&'r ChangeEntry],
) -> Option<&'r ChangeEntry> {
    while changes.len() > 1
        && changes.len() < rest.len()
        && rest[changes.len() - 1].key() == rest[changes.len()].key()
    {
        changes.pop();
    }
    let last = changes.len().checked_sub(1)?;
    (changes.len() < rest.len()).then(|| rest[last])
}

/// Counts the collisions, and says which changes of the other side were not compared with the uses here; empty where no other side was
/// asked for.
fn collisions_sentence(total: Option<u64>, unchecked: UncheckedUses) -> String {
    let found = total.map_or_else(String::new, |n| format!(" {}.", count(n, "collision")));
    match not_compared(unchecked) {
        none if none.is_empty() => found,
        said => format!("{found} Changes of the other side:{said}"),
    }
}

/// Returns the sentence on the state of the index, which begins the summary; empty for a fresh one.
fn state_sentence(freshness: &mut FreshnessFields, gathered: &Gathered) -> String {
    let note = std::mem::take(&mut freshness.note);
    if !note.is_empty() || gathered.pending.is_empty() {
        return note;
    }
    let n = gathered.pending.len() as u64;
    format!(
        "{} {} not indexed yet: the lists may lack some.",
        count(n, "changed file"),
        are(n)
    )
}

/// Says how many test files reach the changes by uses, and how many more may through other definitions of the changed files. Of outlined files
/// nobody knows that none does.
fn tests_sentence(tests: &ReachedTests, has_outlined: bool) -> String {
    let n_possible = tests.n_possible();
    let bound = tests.all.len() as u64 - n_possible;
    if has_outlined && (bound, n_possible, tests.n_unfollowed) == (0, 0, 0) {
        return String::new();
    }
    let reach = if bound == 1 { "reaches" } else { "reach" };
    let possible = match n_possible {
        0 => String::new(),
        n => format!(
            "; {n} more {} other exports of the changed files",
            if n == 1 { "uses" } else { "use" }
        ),
    };
    let unfollowed = match tests.n_unfollowed {
        0 => String::new(),
        n => format!(
            "; {n} more of languages whose uses are not followed {} a changed name",
            if n == 1 { "holds" } else { "hold" }
        ),
    };
    let within = if tests.is_deeper {
        format!(" within {} steps", reach::DEPTH)
    } else {
        String::new()
    };
    format!(
        " {} {reach} what changed{within}{possible}{unfollowed}.",
        count(bound, "test file")
    )
}

//! The checked-out branch, the content of an index, and the checks of `doctor`.

use std::collections::BTreeMap;

use super::skipped::add_skipped;
use super::text::{
    Facts, bytes, count, duration, list, most_first, plural, put, short, table, wrap,
};
use super::{AnswerText, RenderedText, said};
use crate::cli::command_names::in_error;
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, STRONG, Screen, visible};
use crate::model::{BUNDLE_SOURCE, COMMIT_SOURCE, SkipReason};
use crate::tools::doctor::{CheckOutput, DoctorOutput};
use crate::tools::index_state::{
    CurrentOutput, IndexOutput, MemoryCountsOutput, RefreshOutput, StatsOutput, UsageOutput,
};

/// The checked-out branch and commit, and the state of their index.
impl AnswerText for CurrentOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        if !self.in_git_repo {
            let told = "not inside a git work tree (--repo PATH names one)";
            return format!("{}\n", screen.paint(CARE, told)).into();
        }
        let mut facts = Facts::on(screen);
        facts.add("repository", visible_or_empty(self.repo.as_deref()));
        if let Some(archive) = &self.archive {
            facts.add("archive", visible(archive));
        }
        let asked = IndexSubject {
            reference: self.reference.as_deref(),
            branch: self.branch.as_deref(),
            head: self.head_sha.as_deref(),
        };
        facts.add(asked.word(), asked.text(screen));
        let worktree = self.worktree.as_deref();
        let worktree = worktree.filter(|worktree| *worktree != COMMIT_SOURCE);
        facts.add("work tree", visible_or_empty(worktree));
        let status = self.status.unwrap_or_default();
        let seed = self.seed_from.as_deref().filter(|_| status == "missing");
        let mut index = screen.paint(if status == "ready" { GOOD } else { CARE }, status);
        let pending = plural(self.pending_files, "file");
        if self.pending_files > 0 && seed.is_none() {
            put!(index, ", {pending} pending");
        }
        let id = visible_or_empty(self.index_id.as_deref());
        put!(index, "  {}", screen.paint(FAINT, &id));
        facts.add("index", index.trim_end());
        facts.add(
            "changes",
            match self.dirty_files {
                None => "not known: the work tree could not be compared".to_owned(),
                Some(0) => "none".to_owned(),
                Some(1) => "1 file differs from HEAD".to_owned(),
                Some(dirty) => format!("{} files differ from HEAD", count(dirty)),
            },
        );
        facts.add("indexed", visible_or_empty(self.last_indexed_at.as_deref()));
        if status == "missing" {
            let next = match seed {
                None => "the first question builds it, or `codelens refresh`".to_owned(),
                Some(seed) => format!(
                    "the next question about it starts it from {}, where {pending} may differ",
                    visible(seed)
                ),
            };
            facts.add("next", next);
        }
        facts.finish().into()
    }
}

impl AnswerText for RefreshOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let mut did = format!("indexed {}", plural(self.indexed_files, "file"));
        if self.deleted_files > 0 {
            put!(did, ", removed {}", count(self.deleted_files));
        }
        let is_ready = self.status == "ready";
        let mut facts = Facts::on(screen);
        let mut elapsed = duration(self.elapsed_ms);
        if let Some(cpu_ms) = self.cpu_ms {
            put!(elapsed, ", {} of CPU", duration(cpu_ms));
        }
        let status = screen.paint(if is_ready { GOOD } else { CARE }, self.status);
        facts.add("index", format!("{status}: {did} in {elapsed}"));
        let asked = IndexSubject {
            reference: self.reference.as_deref(),
            branch: self.branch.as_deref(),
            head: self.head_sha.as_deref(),
        };
        facts.add(asked.word(), asked.text(screen));
        let mut holds = Vec::new();
        if self.total_files > 0 {
            holds.push(plural(self.total_files, "file"));
        }
        holds.push(plural(self.total_chunks, "chunk"));
        facts.add("holds", holds.join(", "));
        add_skipped(&mut facts, &self.skipped_by_reason, self.total_files);
        facts.add(
            "started from",
            visible_or_empty(self.seeded_from.as_deref()),
        );
        facts.add("remote", self.note.as_deref().map_or(String::new(), said));
        if !is_ready {
            let missing = SkipReason::MissingBlob.as_str();
            let next = if self.skipped_by_reason.contains_key(missing) {
                "`git fetch --refetch` or a checkout brings the missing blobs"
            } else {
                "files changed meanwhile: run it again"
            };
            facts.add("next", next);
        }
        facts.finish().into()
    }
}

/// Calls of servers, of all repositories of the data directory.
fn add_usage(facts: &mut Facts<'_>, usage: &UsageOutput) {
    let n_calls: u64 = usage.calls.values().sum();
    let since = visible_or_empty(usage.since.as_deref());
    facts.add(
        "calls",
        format!("{} of servers since {since}", count(n_calls)),
    );
    let listed = |counts: &BTreeMap<String, u64>| {
        let mut counts: Vec<_> = counts.iter().collect();
        counts.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), (*name).clone()));
        let counts = counts.into_iter();
        let counts = counts.map(|(name, n)| format!("{} {}", visible(name), count(*n)));
        counts.collect::<Vec<_>>().join(", ")
    };
    facts.add("by tool", listed(&usage.calls));
    if let (Some(half), Some(most)) = (usage.p50_ms, usage.p95_ms) {
        let (half, most) = (count(half), count(most));
        facts.add(
            "took",
            format!("half of them up to {half} ms, 95 of 100 up to {most} ms"),
        );
    }
    facts.add("answers", listed(&usage.freshness));
    if usage.tokens_out > 0 {
        facts.add("tokens", count(usage.tokens_out));
    }
    let n_lookups = usage.cache_hits + usage.cache_misses;
    if n_lookups > 0 {
        let hits = count(usage.cache_hits);
        facts.add(
            "kept",
            format!("{hits} of {} values were used again", count(n_lookups)),
        );
    }
    facts.add("errors", listed(&usage.errors));
}

/// The counts of the index, and the list of others.
impl AnswerText for StatsOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let mut facts = Facts::on(screen);
        facts.add("index", visible(&self.index_id));
        facts.add(
            "branch",
            match self.branch.as_deref() {
                Some(branch) => screen.paint(STRONG, &visible(branch)),
                None => String::new(),
            },
        );
        let counts = &self.counts;
        let holds = [
            plural(counts.files, "file"),
            plural(counts.chunks, "chunk"),
            plural(counts.symbols, "definition"),
        ];
        facts.add("holds", holds.join(", "));
        // Files that wait have imports and calls that are not followed yet.
        let so_far = if self.backlog > 0 { " so far" } else { "" };
        let relations = count(counts.edges);
        facts.add("relations", format!("{relations} between files{so_far}"));
        if counts.unresolved > 0 {
            let lead = if counts.unresolved == 1 {
                "leads"
            } else {
                "lead"
            };
            let n_lost = count(counts.unresolved);
            facts.add(
                "imports",
                format!("{n_lost} {lead} to no indexed file{so_far}"),
            );
        }
        facts.add("languages", list(&most_first(&self.languages)));
        add_skipped(&mut facts, &self.skipped_by_reason, counts.files);
        facts.add(
            "size",
            match self.total_indexes {
                0 | 1 => bytes(self.bytes),
                n => format!("{} of all {n} indexes", bytes(self.bytes)),
            },
        );
        if let Some(MemoryCountsOutput { records }) = &self.memory {
            let records = records.iter().map(|(kind, n)| plural(*n, kind));
            facts.add("records", records.collect::<Vec<_>>().join(", "));
        }
        if let Some(vectors) = &self.vectors {
            let have = format!("{} of {}", count(vectors.have), plural(vectors.of, "chunk"));
            let (model, size) = (visible(&vectors.model), bytes(vectors.bytes));
            facts.add("vectors", format!("{have}, by {model}, {size}"));
        }
        if self.backlog > 0 {
            let waits = format!("{} to bring up", plural(self.backlog, "file"));
            facts.add("backlog", screen.paint(CARE, &waits));
        }
        facts.add("indexed", visible_or_empty(self.last_indexed_at.as_deref()));
        match &self.usage {
            Some(usage) if usage.calls.is_empty() => {
                facts.add("calls", "no calls of servers counted yet");
            }
            Some(usage) => add_usage(&mut facts, usage),
            None => {}
        }
        if let Some(run) = &self.last_run {
            let (id, kind, status) = (run.id, visible(&run.kind), super::runs::status(run));
            let files = plural(run.files, "file");
            facts.add(
                "last run",
                format!("{id}: {kind} {status}, {files} (`codelens runs --id {id}`)"),
            );
        }
        let mut text = facts.finish();
        if !self.indexes.is_empty() {
            let rows = self.indexes.iter().map(|index| index_row(index, screen));
            let heading = ["branch", "commit", "size", "last used", "", "index"];
            text.push('\n');
            text += &table(screen, &heading, &rows.collect::<Vec<_>>());
        }
        if self.total_indexes > self.indexes.len() as u64 {
            let line = format!("{} indexes in all", count(self.total_indexes));
            put!(text, "{}\n", screen.paint(FAINT, &line));
        }
        text.into()
    }
}

/// Each check with its finding, and the repair of failed ones.
impl AnswerText for DoctorOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let head = format!(
            "codelens {}, schema {}, SQLite {}",
            self.code_version, self.schema_version, self.sqlite_version
        );
        let mut text = format!("{}\n", screen.paint(STRONG, &head));
        text += &screen.paint(FAINT, &format!("data in {}", visible(&self.data_dir)));
        text += "\n\n";
        let names = self.checks.iter().map(|check| check.name.chars().count());
        let width = names.max().unwrap_or_default();
        for check in &self.checks {
            text += &self::check(check, width, screen);
        }
        let failed = self.checks.iter().filter(|check| !check.ok).count() as u64;
        let verdict = match failed {
            0 => screen.paint(GOOD, "all is well"),
            failed => screen.paint(BAD, &format!("{} failed", plural(failed, "check"))),
        };
        put!(text, "\n{verdict}\n");
        text.into()
    }

    fn has_failed(&self) -> bool {
        self.checks.iter().any(|check| !check.ok)
    }
}

fn check(check: &CheckOutput, width: usize, screen: &Screen) -> String {
    let indent = " ".repeat(width + 4);
    let room = if screen.is_terminal {
        screen.width.saturating_sub(width + 4).max(20)
    } else {
        usize::MAX
    };
    let mark = if check.ok {
        screen.paint(GOOD, "✓")
    } else {
        screen.paint(BAD, "✗")
    };
    let detail = wrap(&said(&check.detail), room).join(&format!("\n{indent}"));
    let line = format!("{mark} {:width$}  {detail}", check.name);
    let mut text = format!("{}\n", line.trim_end());
    if let Some(fix) = check.fix.as_deref().filter(|_| !check.ok) {
        // A command is not broken: it is there to be copied.
        put!(
            text,
            "{indent}{} {}\n",
            screen.paint(CARE, "fix:"),
            visible(&in_error("", fix)[1])
        );
    }
    text
}

/// The branch or commit that an index is of.
#[derive(Clone, Copy)]
struct IndexSubject<'a> {
    /// The commit that was asked for, as it was named.
    reference: Option<&'a str>,
    branch: Option<&'a str>,
    head: Option<&'a str>,
}

impl IndexSubject<'_> {
    fn word(self) -> &'static str {
        match self.reference {
            None => "branch",
            Some(_) => "commit",
        }
    }

    fn text(self, screen: &Screen) -> String {
        let commit = match self.head {
            Some(head) => visible(&short(head)).into_owned(),
            None => "no commit yet".to_owned(),
        };
        match self.reference.or(self.branch) {
            Some(name) => format!(
                "{}  {}",
                screen.paint(STRONG, &visible(name)),
                screen.paint(FAINT, &commit)
            ),
            None => format!("{} at {commit}", screen.paint(STRONG, "detached")),
        }
    }
}

/// Returns a text that a terminal may show; empty where there is none.
fn visible_or_empty(text: Option<&str>) -> String {
    visible(text.unwrap_or_default()).into_owned()
}

/// Returns the day of a time.
pub(super) fn day(time: &str) -> &str {
    time.split_once('T').map_or(time, |(day, _)| day)
}

/// Returns the branch that an index, or a context, is of.
pub(super) fn branch_of(branch: Option<&str>, worktree: &str) -> String {
    match branch {
        None if worktree == COMMIT_SOURCE => "commit".to_owned(),
        None if worktree == BUNDLE_SOURCE => "imported".to_owned(),
        None => "detached".to_owned(),
        Some(branch) => visible(branch).into_owned(),
    }
}

/// Digits of an identity that tell it apart on a terminal; output for a program is never cut.
const ID_WIDTH: usize = 14;

fn index_row(index: &IndexOutput, screen: &Screen) -> Vec<String> {
    let marks = [
        (index.active, "active"),
        (index.pinned, "pinned"),
        (index.frozen, "frozen"),
    ];
    let marks = marks.into_iter().filter(|(is_set, _)| *is_set);
    let marks: Vec<&str> = marks.map(|(_, mark)| mark).collect();
    vec![
        branch_of(index.branch.as_deref(), &index.worktree),
        short(&visible_or_empty(index.head_sha.as_deref())),
        bytes(index.bytes),
        visible_or_empty(index.last_used_at.as_deref().map(day)),
        marks.join(", "),
        screen.fit(&visible(&index.index_id), ID_WIDTH).into_owned(),
    ]
}

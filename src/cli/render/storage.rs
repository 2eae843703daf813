//! Saved contexts, indexes that were kept or removed, and settings.

use serde::Serialize;

use super::memory::{reasons, record};
use super::state::{branch_of, day};
use super::text::{Facts, bytes, plural, put, short, table};
use super::{AnswerText, RenderedText, Rest, footer, said, state};
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, STRONG, Screen, visible, visible_lines};
use crate::tools::answer::time;
use crate::tools::memory::{ContextOutput, LoadOutput, LoadedOutput, RecordOutput};
use crate::tools::prune::{DropOutput, PruneOutput};
use crate::workspace::{Exported, Imported, RepositoryEntry};

/// A context with its items, or records with their verdicts.
impl AnswerText for LoadOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let note = self.note.as_deref().unwrap_or_default();
        let mut text = state(self.freshness, self.freshness_reason, note, screen);
        let mut rest = Rest {
            is_cut: self.truncated,
            ..Rest::default()
        };
        if let Some(saved) = &self.context {
            text += &context(
                &ContextText {
                    saved,
                    record: self.record.as_ref(),
                    items: self.items.as_deref().unwrap_or_default(),
                },
                screen,
            );
        } else {
            let results = self.results.as_deref().unwrap_or_default();
            let records: Vec<String> = results.iter().map(|it| record(it, screen)).collect();
            text += &records.join("\n");
            rest.total = self.total.unwrap_or_default();
            let n_shown = results.len() as u64;
            if rest.total > n_shown {
                put!(text, "\n{n_shown} of {}\n", rest.total);
            }
            if !note.is_empty() {
                put!(text, "{}\n", said(note));
            }
        }
        text += &footer(rest, screen);
        text.into()
    }
}

/// A context with its items.
pub(in crate::cli) struct ContextText<'a> {
    /// As it was saved.
    pub(in crate::cli) saved: &'a ContextOutput,
    /// As it is judged now.
    pub(in crate::cli) record: Option<&'a RecordOutput>,
    /// Its items.
    pub(in crate::cli) items: &'a [LoadedOutput],
}

/// Returns a context with its items.
pub(in crate::cli) fn context(context: &ContextText<'_>, screen: &Screen) -> String {
    let saved = context.saved;
    let mut facts = Facts::on(screen);
    facts.add("context", screen.paint(STRONG, &visible(&saved.name)));
    let head = saved.head_sha.as_deref().unwrap_or_default();
    let at = format!(
        "{}  {}",
        branch_of(saved.branch.as_deref(), ""),
        short(&visible(head))
    );
    facts.add("saved on", at.trim_end());
    facts.add(
        "saved",
        visible(saved.updated_at.as_deref().unwrap_or_default()),
    );
    if saved.pinned {
        facts.add("pinned", "yes");
    }
    if let Some(record) = context.record {
        let reasons: Vec<&str> = reasons(record).collect();
        let verdict = match reasons.as_slice() {
            [] => record.verdict.to_owned(),
            reasons => format!("{}: {}", record.verdict, reasons.join("; ")),
        };
        facts.add("verdict", visible(&verdict));
    }
    let mut text = facts.finish();
    if let Some(notes) = saved.notes.as_deref().filter(|notes| !notes.is_empty()) {
        put!(text, "\n{}\n", visible_lines(notes));
    }
    if !context.items.is_empty() {
        text.push('\n');
    }
    for item in context.items {
        text += &line(item, screen);
    }
    text
}

fn line(item: &LoadedOutput, screen: &Screen) -> String {
    let mut line = visible(&item.path).into_owned();
    if let Some(lines) = &item.lines {
        put!(line, ":{lines}");
    }
    if let Some(symbol) = &item.symbol {
        put!(line, "  {}", screen.paint(STRONG, &visible(symbol)));
    }
    let style = match item.state {
        "same" => GOOD,
        "missing" => BAD,
        _ => CARE,
    };
    if !item.state.is_empty() {
        put!(line, "  {}", screen.paint(style, item.state));
    }
    if item.stale {
        line += " (not looked for everywhere yet)";
    }
    put!(line, "  {}\n", screen.paint(FAINT, &visible(&item.handle)));
    if let Some(preview) = item.preview.as_deref().filter(|it| !it.is_empty()) {
        put!(line, "    {}\n", visible(preview));
    }
    line
}

/// Returns the list of contexts.
pub(in crate::cli) fn contexts(contexts: &[ContextOutput], screen: &Screen) -> String {
    if contexts.is_empty() {
        return "no saved contexts in this repository; `codelens save NAME …` saves one\n"
            .to_owned();
    }
    let row = |context: &ContextOutput| {
        let saved = context.updated_at.as_deref().map_or("", day);
        let pinned = if context.pinned { "pinned" } else { "" };
        vec![
            visible(&context.name).into_owned(),
            context.item_count.to_string(),
            branch_of(context.branch.as_deref(), ""),
            short(&visible(context.head_sha.as_deref().unwrap_or_default())),
            visible(saved).into_owned(),
            pinned.to_owned(),
        ]
    };
    let rows: Vec<_> = contexts.iter().map(row).collect();
    table(
        screen,
        &["name", "items", "branch", "commit", "saved", ""],
        &rows,
    )
}

/// The indexes that were removed, or would be.
impl AnswerText for PruneOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let mut text = String::new();
        let rows = self.deleted_indexes.iter().map(|index| {
            vec![
                branch_of(index.branch.as_deref(), &index.worktree),
                short(&visible(index.head_sha.as_deref().unwrap_or_default())),
                bytes(index.bytes),
                index.reason.to_owned(),
                visible(&index.repo).into_owned(),
            ]
        });
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            text += &table(screen, &["branch", "commit", "size", "why", "of"], &rows);
            text.push('\n');
        }
        let indexes = match self.total {
            1 => "1 index".to_owned(),
            n => format!("{n} indexes"),
        };
        let verb = if self.dry_run {
            "would remove"
        } else {
            "removed"
        };
        let freed = bytes(self.bytes_freed);
        let vectors = match self.deleted_vectors {
            0 => String::new(),
            n => format!(" and {} of text that no index holds", plural(n, "vector")),
        };
        put!(text, "{verb} {indexes}{vectors}, {freed}\n");
        if self.skipped > 0 {
            let line = format!("{} more in use by a process, kept", self.skipped);
            put!(text, "{}\n", screen.paint(FAINT, &line));
        }
        text.into()
    }
}

impl AnswerText for DropOutput {
    fn render(&self, _: &Screen) -> RenderedText {
        let id = visible(&self.index_id);
        format!("dropped {id}, {}\n", bytes(self.bytes_freed)).into()
    }
}

/// Returns every repository with indexes; `place` is the data directory.
pub(in crate::cli) fn repositories(
    place: &str,
    repositories: &[RepositoryEntry],
    screen: &Screen,
) -> String {
    let place = visible(place);
    if repositories.is_empty() {
        return format!("no indexes in {place}\n");
    }
    let row = |repository: &RepositoryEntry| {
        let used = repository.last_used_ms.and_then(time);
        vec![
            visible(&repository.path).into_owned(),
            repository.state.to_owned(),
            match repository.n_commit_indexes {
                0 => repository.n_indexes.to_string(),
                n => format!("{} ({n} of commits)", repository.n_indexes),
            },
            bytes(repository.bytes),
            used.as_deref().map_or("", day).to_owned(),
            match repository.n_contexts {
                0 => String::new(),
                n => n.to_string(),
            },
            match repository.n_prunable {
                0 => String::new(),
                n => format!("{n}, {}", bytes(repository.prunable_bytes)),
            },
        ]
    };
    let rows: Vec<_> = repositories.iter().map(row).collect();
    let heading = [
        "work tree",
        "state",
        "indexes",
        "size",
        "last used",
        "contexts",
        "prune removes",
    ];
    let mut text = table(screen, &heading, &rows);
    let total = repositories.iter().map(|repository| repository.bytes).sum();
    put!(text, "\n{} in {place}\n", bytes(total));
    text
}

/// The settings, and the file that they come from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct SettingsOutput {
    pub(in crate::cli) workspaces: Vec<GroupOutput>,
    pub(in crate::cli) marks: Vec<MarkOutput>,
    pub(in crate::cli) warnings: Vec<String>,
    pub(in crate::cli) file: String,
    pub(in crate::cli) file_exists: bool,
    pub(in crate::cli) settings: Vec<SettingOutput>,
}

/// Repositories that are asked together.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct GroupOutput {
    pub(in crate::cli) name: String,
    pub(in crate::cli) repos: Vec<String>,
}

/// A file that a word counts for.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct MarkOutput {
    pub(in crate::cli) repo: String,
    pub(in crate::cli) path: String,
    pub(in crate::cli) word: &'static str,
}

/// A setting with its value.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct SettingOutput {
    pub(in crate::cli) name: &'static str,
    pub(in crate::cli) value: String,
    pub(in crate::cli) unit: &'static str,
    /// The flag, variable or file that it has the value from.
    pub(in crate::cli) source: String,
    pub(in crate::cli) bounds: String,
    pub(in crate::cli) variable: Option<&'static str>,
    pub(in crate::cli) about: &'static str,
}

/// Returns the settings.
pub(in crate::cli) fn settings(output: &SettingsOutput, screen: &Screen) -> String {
    let row = |setting: &SettingOutput| {
        let shown = visible(&setting.value).into_owned();
        vec![
            setting.name.to_owned(),
            match (setting.unit, shown.parse()) {
                ("", _) => shown,
                ("bytes", Ok(n)) => bytes(n),
                (unit, _) => format!("{shown} {unit}"),
            },
            visible(&setting.source).into_owned(),
            setting.about.to_owned(),
            setting.bounds.clone(),
        ]
    };
    let rows: Vec<_> = output.settings.iter().map(row).collect();
    let mut text = table(
        screen,
        &["setting", "value", "from", "for", "bounds"],
        &rows,
    );
    let there = if output.file_exists {
        ""
    } else {
        " (not there)"
    };
    let file = visible(&output.file);
    put!(text, "\nfile: {file}{there}\n");
    for group in &output.workspaces {
        let repos: Vec<_> = group.repos.iter().map(|it| visible(it)).collect();
        put!(
            text,
            "workspace {}: {}\n",
            visible(&group.name),
            repos.join(", ")
        );
    }
    for mark in &output.marks {
        let (path, repo) = (visible(&mark.path), visible(&mark.repo));
        put!(text, "mark: {path} of {repo} counts as {}\n", mark.word);
    }
    for warning in &output.warnings {
        let warning = screen.paint(CARE, &visible(warning));
        put!(text, "{warning}\n");
    }
    text
}

/// Returns the result of writing a bundle to `file`.
pub(in crate::cli) fn exported(done: &Exported, file: &str) -> String {
    format!(
        "wrote {}: {} at {}, {} ({} unpacked)\ndigest {}\n",
        visible(file),
        plural(done.n_files, "file"),
        short(&done.commit),
        bytes(done.bytes),
        bytes(done.database_bytes),
        done.digest
    )
}

/// Returns the result of importing a bundle.
pub(in crate::cli) fn imported(done: &Imported) -> String {
    let files = plural(done.n_files, "file");
    let mut text = format!("imported {files} of commit {}", short(&done.commit));
    if done.n_verified.is_some() {
        text += ", each extracted again: all as the bundle says";
    }
    text.push('\n');
    if done.n_left_out > 0 {
        let left_out = plural(done.n_left_out, "file");
        put!(
            text,
            "left out {left_out}: secrets, or bytes that are not in this clone\n"
        );
    }
    text + "next: `codelens refresh` (a new index starts from the nearest one; nothing is answered from the bundle itself)\n"
}

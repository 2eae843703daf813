//! The checked-out branch, the content of an index, and the checks of `doctor`.

use serde_json::Value;

use super::text::{Facts, Fields, add, bytes, count, duration, list, plural, short, table, wrap};
use crate::cli::screen::{BAD, CARE, FAINT, GOOD, STRONG, Screen, visible};
use crate::model::{BUNDLE_SOURCE, COMMIT_SOURCE};

/// Returns the checked-out branch and commit, and the state of their index.
pub(super) fn current(value: &Value, screen: &Screen) -> String {
    if !value.is_true("inGitRepo") {
        return format!(
            "{}\n",
            screen.paint(CARE, "not inside a git work tree (--repo PATH names one)")
        );
    }
    let mut facts = Facts::on(screen);
    facts.add("repository", visible(value.text("repo")));
    facts.add(what_is_asked(value), checked_out(value, screen));
    let worktree = Some(value.text("worktree")).filter(|worktree| *worktree != COMMIT_SOURCE);
    facts.add("worktree", visible(worktree.unwrap_or_default()));
    let status = value.text("status");
    let seed = value.text("seedFrom");
    let is_seeded = status == "missing" && !seed.is_empty();
    let word = if is_seeded { "not built yet" } else { status };
    let mut index = screen.paint(if status == "ready" { GOOD } else { CARE }, &visible(word));
    let pending = value.number("pendingFiles");
    if pending > 0 && !is_seeded {
        add(
            &mut index,
            format_args!(", {} pending", plural(pending, "file")),
        );
    }
    add(
        &mut index,
        format_args!("  {}", screen.paint(FAINT, &visible(value.text("indexId")))),
    );
    facts.add("index", index.trim_end());
    facts.add(
        "changes",
        match value.number("dirtyFiles") {
            _ if value["dirtyFiles"].is_null() => {
                "not known: the work tree could not be compared".to_owned()
            }
            0 => "none".to_owned(),
            1 => "1 file differs from HEAD".to_owned(),
            dirty => format!("{} files differ from HEAD", count(dirty)),
        },
    );
    facts.add("indexed", visible(value.text("lastIndexedAt")));
    if status == "missing" {
        let next = if seed.is_empty() {
            "the first question builds it, or `codelens refresh`".to_owned()
        } else {
            format!(
                "the next question starts it from {}, and reads {}",
                visible(seed),
                plural(pending, "file")
            )
        };
        facts.add("next", next);
    }
    facts.finish()
}

/// Returns the result of a refresh.
pub(super) fn refresh(value: &Value, screen: &Screen) -> String {
    let mut did = vec![format!(
        "indexed {}",
        plural(value.number("indexedFiles"), "file")
    )];
    let deleted = value.number("deletedFiles");
    if deleted > 0 {
        did.push(format!("removed {}", count(deleted)));
    }
    let status = value.text("status");
    let is_ready = status == "ready";
    let mut facts = Facts::on(screen);
    let mut elapsed = duration(value.number("elapsedMs"));
    if value["cpuMs"].is_u64() {
        let cpu = duration(value.number("cpuMs"));
        add(&mut elapsed, format_args!(", {cpu} of CPU"));
    }
    facts.add(
        "index",
        format!(
            "{}: {} in {elapsed}",
            screen.paint(if is_ready { GOOD } else { CARE }, &visible(status)),
            did.join(", ")
        ),
    );
    facts.add(what_is_asked(value), checked_out(value, screen));
    let mut holds = Vec::new();
    let files = value.number("totalFiles");
    if files > 0 {
        holds.push(plural(files, "file"));
    }
    holds.push(plural(value.number("totalChunks"), "chunk"));
    facts.add("holds", holds.join(", "));
    facts.add("left out", left_out(value));
    facts.add("started from", visible(value.text("seededFrom")));
    facts.add("remote", visible(value.text("note")));
    if !is_ready {
        facts.add("next", "files changed meanwhile: run it again");
    }
    facts.finish()
}

/// Returns the counts of the index, and the list of others.
pub(super) fn stats(value: &Value, screen: &Screen) -> String {
    let mut facts = Facts::on(screen);
    facts.add("index", visible(value.text("indexId")));
    facts.add(what_is_asked(value), checked_out(value, screen));
    let counts = &value["counts"];
    let kinds = [
        ("files", "file"),
        ("chunks", "chunk"),
        ("symbols", "definition"),
    ];
    let holds: Vec<_> = kinds
        .into_iter()
        .filter(|(key, _)| counts[key].is_u64())
        .map(|(key, noun)| plural(counts.number(key), noun))
        .collect();
    facts.add("holds", holds.join(", "));
    if counts["edges"].is_u64() {
        facts.add(
            "relations",
            format!("{} between files", count(counts.number("edges"))),
        );
    }
    let unresolved = counts.number("unresolved");
    if unresolved > 0 {
        let imports = plural(unresolved, "import");
        facts.add(
            "unresolved",
            format!("{imports} of files that are not indexed"),
        );
    }
    facts.add("languages", list(&languages(value)));
    facts.add("left out", left_out(value));
    if value["bytes"].is_u64() {
        facts.add("size", bytes(value.number("bytes")));
    }
    let records = value["memory"]["records"].as_object();
    let records = records.into_iter().flatten();
    let records: Vec<String> = records
        .map(|(kind, n)| plural(n.as_u64().unwrap_or_default(), kind))
        .collect();
    if !records.is_empty() {
        facts.add("memory", records.join(", "));
    }
    let backlog = value.number("backlog");
    if backlog > 0 {
        let waits = format!("{} to bring up", plural(backlog, "file"));
        facts.add("backlog", screen.paint(CARE, &waits));
    }
    facts.add("indexed", visible(value.text("lastIndexedAt")));
    let mut text = facts.finish();
    let indexes = value.items("indexes");
    if !indexes.is_empty() {
        let rows: Vec<_> = indexes
            .iter()
            .map(|index| index_row(index, screen))
            .collect();
        let heading = ["branch", "commit", "size", "last used", "", "index"];
        text.push('\n');
        text += &table(screen, &heading, &rows);
    }
    let total = value.number("totalIndexes");
    let shown = u64::try_from(indexes.len()).unwrap_or(u64::MAX);
    if total > shown {
        let line = format!(
            "{} in all",
            plural(total, "index").replace("indexs", "indexes")
        );
        add(&mut text, format_args!("{}\n", screen.paint(FAINT, &line)));
    }
    text
}

/// Returns each check with its finding, and the repair of failed ones.
pub(super) fn doctor(value: &Value, screen: &Screen) -> String {
    let mut head = vec![format!("codelens {}", visible(value.text("codeVersion")))];
    for (name, key) in [("schema", "schemaVersion"), ("SQLite", "sqliteVersion")] {
        match &value[key] {
            Value::String(said) => head.push(format!("{name} {}", visible(said))),
            Value::Number(said) => head.push(format!("{name} {said}")),
            _ => {}
        }
    }
    let mut text = format!("{}\n", screen.paint(STRONG, &head.join(", ")));
    let data_dir = value.text("dataDir");
    if !data_dir.is_empty() {
        text += &screen.paint(FAINT, &format!("data in {}", visible(data_dir)));
        text.push('\n');
    }
    text.push('\n');
    let checks = value.items("checks");
    let width = checks
        .iter()
        .map(|check| visible(check.text("name")).chars().count())
        .max()
        .unwrap_or_default();
    let indent = " ".repeat(width + 4);
    let room = if screen.is_terminal {
        screen.width.saturating_sub(width + 4).max(20)
    } else {
        usize::MAX
    };
    for check in checks {
        let mark = if check.is_true("ok") {
            screen.paint(GOOD, "✓")
        } else {
            screen.paint(BAD, "✗")
        };
        let name = visible(check.text("name")).into_owned();
        let detail = wrap(&visible(check.text("detail")), room).join(&format!("\n{indent}"));
        text += format!("{mark} {name:width$}  {detail}").trim_end();
        text.push('\n');
        let fix = check.text("fix");
        if !fix.is_empty() && !check.is_true("ok") {
            // A command is not broken: it is there to be copied.
            add(
                &mut text,
                format_args!("{indent}{} {}\n", screen.paint(CARE, "fix:"), visible(fix)),
            );
        }
    }
    let failed = checks.iter().filter(|check| !check.is_true("ok")).count();
    let verdict = match failed {
        0 => screen.paint(GOOD, "all is well"),
        failed => {
            let failed = u64::try_from(failed).unwrap_or(u64::MAX);
            screen.paint(BAD, &format!("{} failed", plural(failed, "check")))
        }
    };
    text + &format!("\n{verdict}\n")
}

/// Returns the word for what an index is of.
fn what_is_asked(value: &Value) -> &'static str {
    if value.text("ref").is_empty() {
        "branch"
    } else {
        "commit"
    }
}

fn checked_out(value: &Value, screen: &Screen) -> String {
    let commit = short(value.text("headSha"));
    let commit = match (commit.is_empty(), value.get("headSha")) {
        (false, _) => visible(&commit).into_owned(),
        (true, Some(_)) => "no commit yet".to_owned(),
        (true, None) => String::new(),
    };
    let branch = value.text("branch");
    let name = value.text("ref");
    if !name.is_empty() && !commit.is_empty() {
        return format!(
            "{}  {}",
            screen.paint(STRONG, &visible(name)),
            screen.paint(FAINT, &commit)
        );
    }
    if branch.is_empty() {
        return if commit.is_empty() {
            String::new()
        } else {
            format!("{} at {commit}", screen.paint(STRONG, "detached"))
        };
    }
    let branch = screen.paint(STRONG, &visible(branch));
    if commit.is_empty() {
        branch
    } else {
        format!("{branch}  {}", screen.paint(FAINT, &commit))
    }
}

fn left_out(value: &Value) -> String {
    let reasons: Vec<_> = value
        .counts("skippedByReason")
        .into_iter()
        .filter(|(_, number)| *number > 0)
        .map(|(reason, number)| (words(reason), number))
        .collect();
    let total = value.number("skipped");
    match (reasons.is_empty(), total) {
        (true, 0) => String::new(),
        (true, total) => plural(total, "file"),
        (false, 0) => list(&reasons),
        (false, total) => format!("{} ({})", plural(total, "file"), list(&reasons)),
    }
}

/// Returns the day of a time.
fn day(time: &str) -> &str {
    time.split_once('T').map_or(time, |(day, _)| day)
}

/// Returns a name of the wire as words (`tooLarge` as `too large`).
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        if character.is_uppercase() {
            words.push(' ');
            words.extend(character.to_lowercase());
        } else {
            words.push(character);
        }
    }
    words
}

/// Returns the files of each language, from an object of counts or a list of objects.
fn languages(value: &Value) -> Vec<(&str, u64)> {
    let mut languages = value.counts("languages");
    for item in value.items("languages") {
        let name = [item.text("language"), item.text("name")];
        if let Some(name) = name.into_iter().find(|name| !name.is_empty()) {
            languages.push((name, item.number("files")));
        }
    }
    languages
}

/// Returns the branch that an index, or a context, is of.
pub(super) fn branch_of(value: &Value) -> String {
    match value.text("branch") {
        "" if value.text("worktree") == COMMIT_SOURCE => "commit".to_owned(),
        "" if value.text("worktree") == BUNDLE_SOURCE => "imported".to_owned(),
        "" => "detached".to_owned(),
        branch => visible(branch).into_owned(),
    }
}

/// Digits of an identity that tell it apart on a terminal; output for a program is never cut.
const ID_WIDTH: usize = 14;

fn index_row(index: &Value, screen: &Screen) -> Vec<String> {
    let marks: Vec<_> = [("active", "active"), ("pinned", "pinned")]
        .into_iter()
        .filter(|(key, _)| index.is_true(key))
        .map(|(_, mark)| mark)
        .collect();
    vec![
        branch_of(index),
        short(&visible(index.text("headSha"))),
        bytes(index.number("bytes")),
        visible(day(index.text("lastUsedAt"))).into_owned(),
        marks.join(", "),
        screen
            .fit(&visible(index.text("indexId")), ID_WIDTH)
            .into_owned(),
    ]
}

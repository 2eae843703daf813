//! `codelens watch`: the index following the work tree, an event a line, until it is interrupted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::progress::Spinner;
use super::run::{listen_for_interrupts, named_repo, named_settings};
use super::screen::{BAD, CARE, FAINT, GOOD, PLACE, STRONG, Screen, visible};
use super::{flags, output};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::ContentId;
use crate::tools::answer::time;
use crate::workspace::{Workspace, Workspaces, now_ms};

const ABOUT: &str = "\
Keeps the index of what is checked out up to date while files change, and says what was read: a line for each change. It ends with Ctrl-C.

An agent's server does the same by itself; this is to look at it, and to keep an index warm where no server runs.";

/// How many paths are named in a line.
const MAX_NAMED: usize = 4;

/// How often interrupts and hints are looked for.
const TICK: Duration = Duration::from_millis(50);

/// How often the work tree is looked at although no change was told.
const SURE: Duration = Duration::from_secs(30);

/// Returns the command.
pub(super) fn command() -> Command {
    Command::new("watch")
        .about("Show the index following the work tree")
        .long_about(ABOUT)
        .arg(
            Arg::new("interval_ms")
                .long("interval-ms")
                .value_name("N")
                .value_parser(value_parser!(u64).range(50..=600_000))
                .default_value("1000")
                .help("How often to look where the system tells no changes, in milliseconds"),
        )
        .after_help("Examples:\n  codelens watch\n  codelens watch --jsonl | jq .changed")
}

/// The state behind an answer.
#[derive(Default)]
struct WatchState {
    branch: String,
    head: String,
    index_id: String,
    freshness: &'static str,
    n_pending: u64,
    files: BTreeMap<String, ContentId>,
}

/// Follows the work tree.
pub(super) fn run(matches: &ArgMatches, cwd: Option<&PathBuf>) -> ExitCode {
    let interrupt = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupt);
    match follow(matches, cwd, &interrupt) {
        Err(error) if !interrupt.load(Ordering::Relaxed) => {
            output::failure(&error, flags::is_json(matches))
        }
        Ok(code) if !interrupt.load(Ordering::Relaxed) => code,
        _ => ExitCode::from(output::INTERRUPTED),
    }
}

fn follow(
    matches: &ArgMatches,
    cwd: Option<&PathBuf>,
    interrupt: &Arc<AtomicBool>,
) -> Result<ExitCode> {
    let workspaces = Workspaces::new(Config::load(&named_settings(matches))?).for_server();
    let places: Vec<PathBuf> = named_repo(matches, cwd)
        .or_else(|| cwd.cloned())
        .into_iter()
        .collect();
    let workspace = workspaces.open(None, &places)?;
    let interval = Duration::from_millis(
        *matches
            .get_one::<u64>("interval_ms")
            .expect("it has a default"),
    );
    let is_json = flags::is_json(matches) || flags::is_jsonl(matches);
    let screen = Screen::of_stdout().linked_to(workspace.work_dir());
    let spinner = Spinner::start(
        "looking at the work tree",
        is_json || flags::verbosity(matches) > 0,
    );
    let mut known: Option<WatchState> = None;
    loop {
        let begun = Instant::now();
        let n_changes = workspace.n_changes();
        let state = match look(&workspace, interrupt) {
            Ok(state) => state,
            Err(_) if interrupt.load(Ordering::Relaxed) => return Err(Error::cancelled()),
            Err(error) => return Err(error),
        };
        let event = event(known.as_ref(), &state, begun.elapsed());
        if let Some(event) = &event {
            let text = if is_json {
                format!("{event}\n")
            } else {
                line(event, &screen)
            };
            let mut code = ExitCode::SUCCESS;
            spinner.pause_for(|| code = output::data(&text));
            if output::is_closed() {
                return Ok(code);
            }
        }
        spinner.say(&format!(
            "watching {}: {} files, {}",
            visible(&state.branch),
            state.files.len(),
            state.freshness
        ));
        let is_settled = state.freshness == "fresh";
        known = Some(state);
        let rest = match (is_settled, workspace.n_changes().is_some()) {
            (false, _) => TICK,
            (true, true) => SURE,
            (true, false) => interval,
        };
        while begun.elapsed() < rest
            && workspace.n_changes() == n_changes
            && !interrupt.load(Ordering::Relaxed)
        {
            std::thread::sleep(TICK);
        }
        if interrupt.load(Ordering::Relaxed) {
            return Err(Error::cancelled());
        }
    }
}

fn look(workspace: &Arc<Workspace>, interrupt: &Arc<AtomicBool>) -> Result<WatchState> {
    let (index_id, snapshot) = workspace.identity()?;
    let branch = snapshot.branch.name().unwrap_or("(detached)").to_owned();
    let head = snapshot
        .head
        .map(|head| head.to_string())
        .unwrap_or_default();
    workspace.query(interrupt, |view| {
        let files = view.read.all_files()?;
        Ok(WatchState {
            branch: branch.clone(),
            head: head.clone(),
            index_id: index_id.clone(),
            freshness: view.freshness.as_str(),
            n_pending: view.freshness.n_pending(),
            files: files
                .into_iter()
                .map(|file| (file.path.to_string(), file.content))
                .collect(),
        })
    })
}

/// Returns the change; `None` where there is none.
fn event(known: Option<&WatchState>, now: &WatchState, took: Duration) -> Option<Value> {
    let nothing = WatchState::default();
    let before = known.unwrap_or(&nothing);
    let (mut added, mut changed) = (Vec::new(), Vec::new());
    for (path, content) in &now.files {
        match before.files.get(path) {
            None => added.push(path),
            Some(known) if known != content => changed.push(path),
            Some(_) => {}
        }
    }
    let removed: Vec<&String> = before
        .files
        .keys()
        .filter(|path| !now.files.contains_key(*path))
        .collect();
    let is_same =
        before.head == now.head && before.branch == now.branch && before.freshness == now.freshness;
    if known.is_some() && is_same && added.is_empty() && changed.is_empty() && removed.is_empty() {
        return None;
    }
    let first = known.is_none();
    Some(json!({
        "at": time(now_ms()),
        "event": if first { "start" } else if before.head != now.head || before.branch != now.branch { "checkout" } else { "change" },
        "branch": now.branch,
        "headSha": now.head,
        "indexId": now.index_id,
        "freshness": now.freshness,
        "pendingFiles": now.n_pending,
        "files": now.files.len(),
        "added": if first { Vec::new() } else { added },
        "changed": changed,
        "removed": removed,
        "elapsedMs": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    }))
}

fn line(event: &Value, screen: &Screen) -> String {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let clock = text("at").get(11..19).unwrap_or_default();
    let mut parts = vec![screen.paint(FAINT, clock)];
    if text("event") != "change" {
        let head: String = text("headSha").chars().take(10).collect();
        parts.push(screen.paint(STRONG, &visible(text("branch"))));
        parts.push(screen.paint(FAINT, &head));
    }
    for (key, sign, style) in [
        ("changed", "~", CARE),
        ("added", "+", GOOD),
        ("removed", "-", BAD),
    ] {
        let paths: Vec<&str> = event[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let named = paths.iter().take(MAX_NAMED);
        parts.extend(named.map(|path| {
            format!(
                "{} {}",
                screen.paint(style, sign),
                screen.paint(PLACE, &visible(path))
            )
        }));
        if paths.len() > MAX_NAMED {
            parts.push(screen.paint(style, &format!("{sign} {} more", paths.len() - MAX_NAMED)));
        }
    }
    if text("event") == "start" {
        parts.push(format!("{} files", event["files"]));
    }
    let pending = event["pendingFiles"].as_u64().unwrap_or_default();
    let freshness = if pending > 0 {
        format!("{}, {pending} pending", text("freshness"))
    } else {
        text("freshness").to_owned()
    };
    let style = if text("freshness") == "fresh" {
        GOOD
    } else {
        CARE
    };
    parts.push(screen.paint(style, &freshness));
    parts.push(screen.paint(FAINT, &format!("{} ms", event["elapsedMs"])));
    parts.join("  ") + "\n"
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{WatchState, event};
    use crate::model::ContentId;

    fn state(head: &str, files: &[(&str, &str)]) -> WatchState {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), ContentId::of(text.as_bytes())));
        WatchState {
            head: head.to_owned(),
            freshness: "fresh",
            files: files.collect(),
            ..WatchState::default()
        }
    }

    #[test]
    fn an_event_says_what_differs_and_nothing_is_none() {
        let one = state("1", &[("a", "x"), ("b", "x")]);
        let first = event(None, &one, Duration::ZERO).unwrap();
        assert_eq!(
            (&first["event"], first["files"].as_u64()),
            (&"start".into(), Some(2))
        );
        assert_eq!(event(Some(&one), &one, Duration::ZERO), None);
        let two = state("2", &[("a", "y"), ("c", "x")]);
        let next = event(Some(&one), &two, Duration::ZERO).unwrap();
        assert_eq!(next["event"], "checkout");
        assert_eq!(next["changed"], serde_json::json!(["a"]));
        assert_eq!(next["added"], serde_json::json!(["c"]));
        assert_eq!(next["removed"], serde_json::json!(["b"]));
    }
}

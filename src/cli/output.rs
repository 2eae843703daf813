//! Standard output and standard error: data on the one, everything else on the other.
//!
//! Survives a reader that closes its end.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use serde_json::{Map, Value, json};

use super::command_names::in_error;
use super::screen::{self, Screen};
use crate::error::{Code, Error};
use crate::model::sanitize;

/// The exit code of a command that was interrupted, as shells expect it.
pub(super) const INTERRUPTED: u8 = 130;

/// Sets when colours are used: `always`, `never`, else where the stream and the environment
/// (`NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM`) allow them.
pub(super) fn choose_colours(when: &str) {
    match when {
        "always" => ColorChoice::Always,
        "never" => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
    .write_global();
}

/// Explains wrong usage on standard error, or answers a call for help on standard output.
pub(super) fn usage(refused: &clap::Error) -> ExitCode {
    // Whoever closed the stream does not want to read it.
    drop(refused.print());
    ExitCode::from(u8::try_from(refused.exit_code()).unwrap_or(2))
}

/// Writes data to standard output as it is: exact text of a file, for a pipe or a file.
pub(super) fn exact(text: &str) -> ExitCode {
    let mut stream = io::stdout().lock();
    let written = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
    outcome(written)
}

/// Writes JSON to standard output, in full: text that resembles a style belongs to it. On a terminal hidden characters
/// are written as JSON escapes, which is the same value.
fn json(text: &str) -> ExitCode {
    if !io::stdout().is_terminal() {
        return exact(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && sanitize::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(shown, "\\u{unit:04x}").expect("a string takes whatever is written");
            }
        } else {
            shown.push(c);
        }
    }
    exact(&shown)
}

/// Writes data to standard output. A reader that closed its end has enough.
pub(super) fn data(text: &str) -> ExitCode {
    let stdout = io::stdout();
    let choice = AutoStream::choice(&stdout);
    let mut stream = AutoStream::new(stdout.lock(), choice);
    let written = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
    outcome(written)
}

/// Whether a reader closed its end: nothing more need be written.
pub(super) fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Returns a text as standard output gets it: with colours or without.
pub(super) fn for_stdout(text: &str) -> String {
    if AutoStream::choice(&io::stdout()) == ColorChoice::Never {
        anstream::adapter::strip_str(text).to_string()
    } else {
        text.to_owned()
    }
}

/// Writes a value as it is asked for: in one piece, or a line for each entry of its lists and a last one for the rest.
pub(super) fn value(value: &Value, is_lines: bool) -> ExitCode {
    if is_lines {
        json(&lines(value))
    } else {
        json(&format!("{value}\n"))
    }
}

/// Returns each entry of an answer's lists as a line that says of which list it is, then all else.
fn lines(value: &Value) -> String {
    let mut text = String::new();
    let mut rest = Map::new();
    for (key, part) in value.as_object().into_iter().flatten() {
        let is_list = |items: &Vec<Value>| !items.is_empty() && items.iter().all(Value::is_object);
        match part.as_array().filter(|items| is_list(items)) {
            Some(items) => {
                for item in items {
                    let mut line = Map::from_iter([("list".to_owned(), Value::from(key.as_str()))]);
                    line.extend(item.as_object().cloned().unwrap_or_default());
                    text += &Value::Object(line).to_string();
                    text.push('\n');
                }
            }
            None => drop(rest.insert(key.clone(), part.clone())),
        }
    }
    text + &format!("{}\n", Value::Object(rest))
}

fn outcome(written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            IS_CLOSED.store(true, Ordering::Relaxed);
            ExitCode::SUCCESS
        }
        Err(error) => failure(
            &Error::new(
                Code::Io,
                format!("standard output could not be written: {}", error.kind()),
                "check where the output goes, then run the command again",
            )
            .because(error),
            false,
        ),
    }
}

/// Explains an error on standard error, as the bare object if `is_json`.
pub(super) fn failure(error: &Error, is_json: bool) -> ExitCode {
    let text = if is_json {
        let object = json!({"error": error.to_json()});
        format!("{object}\n")
    } else {
        let screen = Screen::of_stderr();
        let [message, hint] = in_error(&error.message, &error.hint);
        let error_line = format!(
            "{} {}\n",
            screen.paint(screen::BAD.bold(), "error:"),
            screen::visible(&message)
        );
        let hint_line = format!(
            "{} {}\n",
            screen.paint(screen::GOOD.bold(), "hint:"),
            screen::visible(&hint)
        );
        if error.hint.is_empty() {
            error_line
        } else {
            error_line + &hint_line
        }
    };
    eprint_note(&text);
    ExitCode::FAILURE
}

/// Writes a note to standard error, beside the data; nobody has to read it.
pub(super) fn eprint_note(text: &str) {
    drop(anstream::stderr().write_all(text.as_bytes()));
}

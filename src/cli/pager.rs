//! Long output on a terminal goes through the user's pager.

use std::io::{IsTerminal, Write as _, stdin, stdout};
use std::process::{Command, ExitCode, Stdio};

use super::output;

/// Writes text to standard output, through a pager if it does not fit on the screen and `is_wanted`.
pub(super) fn show(text: &str, is_wanted: bool) -> ExitCode {
    let height = terminal_size::terminal_size_of(stdout())
        .map_or(usize::MAX, |(_, height)| usize::from(height.0));
    let is_long = text.lines().count() + 1 > height;
    if !is_wanted || !is_long || !stdout().is_terminal() || !stdin().is_terminal() {
        return output::data(text);
    }
    match words(|name| std::env::var(name).ok()) {
        Some(words) if paged(&words, text) => ExitCode::SUCCESS,
        _ => output::data(text),
    }
}

/// Returns the words of the pager: `CODELENS_PAGER`, else `PAGER`, else `less`; `None` where it is said to be none.
fn words(variable: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let said = variable("CODELENS_PAGER").or_else(|| variable("PAGER"));
    let said = said.unwrap_or_else(|| if cfg!(windows) { "more" } else { "less" }.to_owned());
    let words: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
    let is_none = words
        .first()
        .is_none_or(|word| word == "cat" || word == "none");
    (!is_none).then_some(words)
}

fn paged(words: &[String], text: &str) -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the pager is the user's own program, named by the environment"
    )]
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::piped());
    // As git does it: end if all fits, keep colours, leave the text on the screen.
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut pager) = command.spawn() else {
        return false;
    };
    if let Some(mut stream) = pager.stdin.take() {
        // A reader that leaves the pager early has seen enough.
        drop(stream.write_all(output::for_stdout(text).as_bytes()));
    }
    pager.wait().is_ok()
}

#[cfg(test)]
mod tests {
    use super::words;

    fn pager(own: Option<&str>, general: Option<&str>) -> Option<Vec<String>> {
        words(|name| {
            if name == "CODELENS_PAGER" {
                own
            } else {
                general
            }
            .map(str::to_owned)
        })
    }

    #[test]
    fn the_pager_is_the_one_that_is_named() {
        assert_eq!(pager(None, Some("less -S")).unwrap(), ["less", "-S"]);
        assert_eq!(pager(Some("most"), Some("less")).unwrap(), ["most"]);
        assert_eq!(pager(Some(""), Some("less")), None);
        assert_eq!(pager(None, Some("cat")), None);
        assert!(pager(None, None).is_some());
    }
}

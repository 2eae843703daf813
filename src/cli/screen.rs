//! The terminal or file that output goes to: its width, its colours, and characters that must not reach it.

use std::borrow::Cow;
use std::io::{IsTerminal, stderr, stdout};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::links;
use crate::model::sanitize;

/// Paths and other names that lead somewhere.
pub(super) const PLACE: Style = AnsiColor::Cyan.on_default();
/// Names and headings.
pub(super) const STRONG: Style = Style::new().bold();
/// Secondary text.
pub(super) const FAINT: Style = Style::new().dimmed();
/// A good state.
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// A state that needs care.
pub(super) const CARE: Style = AnsiColor::Yellow.on_default();
/// A failure.
pub(super) const BAD: Style = AnsiColor::Red.on_default();

/// The width where there is no terminal, in columns.
const PLAIN_WIDTH: usize = 100;

/// The terminal or file that output goes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    /// Columns.
    pub(super) width: usize,
    /// Whether somebody looks at it.
    pub(super) is_terminal: bool,
    /// Whether colours are shown.
    pub(super) is_coloured: bool,
    /// The work tree that places lead into when they are clicked; `None` where that is not shown.
    pub(super) links: Option<&'static Path>,
}

impl Screen {
    /// Returns where data goes.
    pub(super) fn of_stdout() -> Self {
        let stdout = stdout();
        let size = terminal_size::terminal_size_of(&stdout);
        Self {
            width: size.map_or(PLAIN_WIDTH, |(width, _)| usize::from(width.0).max(20)),
            is_terminal: stdout.is_terminal(),
            is_coloured: AutoStream::choice(&stdout) != ColorChoice::Never,
            links: None,
        }
    }

    /// Returns where everything else goes.
    pub(super) fn of_stderr() -> Self {
        let stderr = stderr();
        Self {
            width: PLAIN_WIDTH,
            is_terminal: stderr.is_terminal(),
            is_coloured: AutoStream::choice(&stderr) != ColorChoice::Never,
            links: None,
        }
    }

    /// Makes places lead into a work tree, where the output is a terminal that is known to show such links.
    #[must_use]
    pub(super) fn linked_to(mut self, work_dir: &Path) -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        if self.is_terminal && self.is_coloured && links::are_shown(variable) {
            // Once in a process, which ends soon.
            self.links = Some(Box::leak(work_dir.to_owned().into_boxed_path()));
        }
        self
    }

    /// Returns the text in a style, or as it is where colours are not shown. A place leads to its file.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        if !self.is_coloured || text.is_empty() {
            return text.to_owned();
        }
        let painted = format!("{style}{text}{style:#}");
        match self
            .links
            .filter(|_| style == PLACE)
            .and_then(|root| links::target(root, text))
        {
            Some(uri) => links::link(&uri, &painted),
            None => painted,
        }
    }

    /// Returns the text cut to `width` columns on a terminal; output for a program is never cut.
    pub(super) fn fit<'a>(&self, text: &'a str, width: usize) -> Cow<'a, str> {
        if !self.is_terminal || text.chars().count() <= width {
            return Cow::Borrowed(text);
        }
        let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
        cut.push('…');
        Cow::Owned(cut)
    }
}

/// Returns the text on one line with everything escaped that a terminal would obey or hide: control
/// characters and marks that turn the direction of writing.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    sanitize::one_line(text)
}

/// Does the same and keeps the lines. A carriage return at the end of a line belongs to it and is
/// dropped.
pub(super) fn visible_lines(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        return Cow::Owned(visible_lines(&text.replace("\r\n", "\n")).into_owned());
    }
    sanitize::visible(text, |character| matches!(character, '\t' | '\n'))
}

#[cfg(test)]
mod tests {
    use super::{Screen, visible, visible_lines};

    #[test]
    fn a_terminal_is_never_commanded_by_a_repository() {
        assert_eq!(visible("a\u{1b}[2Jb\nc\u{9b}"), "a\\u{1b}[2Jb\\nc\\u{9b}");
        assert_eq!(visible("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(visible("tab\tand é stay"), "tab\tand é stay");
        assert_eq!(visible_lines("a\r\nb\rc\n"), "a\nb\\rc\n");
    }

    #[test]
    fn only_a_terminal_gets_cut_text() {
        let mut screen = Screen {
            width: 80,
            is_terminal: true,
            is_coloured: false,
            links: None,
        };
        assert_eq!(screen.fit("abcdef", 4), "abc…");
        assert_eq!(screen.fit("abcd", 4), "abcd");
        screen.is_terminal = false;
        assert_eq!(screen.fit("abcdef", 4), "abcdef");
    }
}

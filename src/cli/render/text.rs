//! Writing figures, facts and tables.

use std::collections::BTreeMap;

use crate::cli::screen::{FAINT, STRONG, Screen, visible};
pub(super) use crate::model::size::size as bytes;

/// Returns counts by name, most first, then by name.
pub(super) fn most_first<N: AsRef<str>>(counts: &BTreeMap<N, u64>) -> Vec<(&str, u64)> {
    let counts = counts.iter().map(|(name, count)| (name.as_ref(), *count));
    let mut counts: Vec<_> = counts.collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Adds to a text what `format!` makes of the rest: `put!(text, "{n} files")`.
macro_rules! put {
    ($text:expr, $($written:tt)*) => {{
        use std::fmt::Write as _;
        write!($text, $($written)*).expect("a text in memory takes all that is added")
    }};
}

pub(super) use put;

/// Returns a number with its thousands set apart.
pub(in crate::cli) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number with its noun.
pub(in crate::cli) fn plural(number: u64, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        count(number),
        if number == 1 { "" } else { "s" }
    )
}

/// Returns a duration in the unit that fits.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// Returns the first digits of a commit, as people know it.
pub(super) fn short(commit: &str) -> String {
    commit.chars().take(10).collect()
}

/// Returns named counts in one line (`7 binary, 1 secret`).
pub(super) fn list(counts: &[(impl AsRef<str>, u64)]) -> String {
    counts
        .iter()
        .map(|(name, number)| format!("{} {}", count(*number), visible(name.as_ref())))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Lines of a name and a text, in two columns.
pub(super) struct Facts<'a> {
    screen: &'a Screen,
    rows: Vec<(&'static str, String)>,
}

impl<'a> Facts<'a> {
    /// Returns no lines yet.
    pub(super) fn on(screen: &'a Screen) -> Self {
        Self {
            screen,
            rows: Vec::new(),
        }
    }

    /// Adds a line unless there is nothing to say.
    pub(super) fn add(&mut self, name: &'static str, said: impl Into<String>) {
        let said = said.into();
        if !said.is_empty() {
            self.rows.push((name, said));
        }
    }

    /// Returns the lines.
    pub(super) fn finish(self) -> String {
        let width = self.rows.iter().map(|(name, _)| name.len()).max();
        let width = width.unwrap_or_default();
        let mut text = String::new();
        for (name, said) in self.rows {
            let name = self.screen.paint(FAINT, &format!("{name:width$}"));
            put!(text, "{name}  {said}\n");
        }
        text
    }
}

/// From how many columns on only the first column of a table is broken.
const ROOMY: usize = 70;

/// Returns a table that fits the screen, its heading emphasised.
pub(super) fn table(screen: &Screen, heading: &[&str], rows: &[Vec<String>]) -> String {
    use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
    // A column without a value says nothing.
    let is_told = |column: &usize| {
        rows.iter()
            .any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()))
    };
    let told: Vec<usize> = (0..heading.len()).filter(is_told).collect();
    let heading = told.iter().map(|column| heading[*column]);
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| told.iter().map(|column| row[*column].clone()).collect())
        .collect();
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(heading);
    if screen.is_terminal {
        table.set_width(u16::try_from(screen.width).unwrap_or(u16::MAX));
    }
    table.add_rows(rows);
    let is_wide = screen.width >= ROOMY;
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        // Names give way first; figures and dates are not broken while there is room.
        if place > 0 && is_wide {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let drawn = table.trim_fmt();
    let (heading, rest) = drawn.split_once('\n').unwrap_or((&drawn, ""));
    format!("{}\n{rest}\n", screen.paint(STRONG, heading))
}

/// Returns the text broken at spaces into lines of at most `width` columns; a longer word stands alone.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, duration, plural, wrap};

    #[test]
    fn figures_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(bytes(1_023), "1023 B");
        assert_eq!(bytes(1_024), "1.0 KiB");
        assert_eq!(bytes(29 * 1_048_576), "29.0 MiB");
        assert_eq!(bytes(u64::MAX), "16777215.9 TiB");
        assert_eq!(duration(999), "999 ms");
        assert_eq!(duration(1_250), "1.2 s");
        assert_eq!(duration(125_000), "2 min 5 s");
    }

    #[test]
    fn text_is_broken_at_spaces() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("unbreakable x", 4), ["unbreakable", "x"]);
        assert_eq!(wrap("", 4), [""]);
    }
}

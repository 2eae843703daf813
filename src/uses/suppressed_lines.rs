//! Lines of TypeScript on which the compiler reports nothing, because a comment above says so: `// @ts-expect-error`, `// @ts-ignore`,
//! and all of a file that begins with `// @ts-nocheck`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::Uses;
use super::broken_use::{BrokenUse, BrokenUses};
use super::difference::Difference;
use crate::error::{Error, Result};
use crate::model::{Budget, Family, RepoPath};
use crate::syntax::{self, Language};

const DIRECTIVES: [&str; 2] = ["@ts-expect-error", "@ts-ignore"];

/// The lines of one file on which the compiler reports nothing.
#[derive(Default)]
struct SuppressedLines {
    /// Lines, from 1.
    lines: BTreeSet<u32>,
    /// Whether it is every line.
    is_whole_file: bool,
}

impl Uses<'_> {
    /// Takes uses on lines whose errors a comment suppresses for unresolved ones: they may have been errors all along.
    pub(super) fn doubt_suppressed(
        &self,
        difference: &Difference,
        found: &mut BrokenUses,
    ) -> Result<()> {
        let mut of_files: HashMap<RepoPath, SuppressedLines> = HashMap::new();
        for one in std::mem::take(&mut found.all) {
            if !of_files.contains_key(&one.path) {
                let lines = self.suppressed_lines(difference, &one.path)?;
                of_files.insert(one.path.clone(), lines);
            }
            let suppressed = &of_files[&one.path];
            let (doubtful, kept) = split(one, |line| suppressed.has(line));
            found.doubtful.extend(doubtful);
            found.all.extend(kept);
        }
        Ok(())
    }

    fn suppressed_lines(
        &self,
        difference: &Difference,
        path: &RepoPath,
    ) -> Result<SuppressedLines> {
        let language = syntax::by_path(path);
        if language.family() != Some(Family::Ecmascript) {
            return Ok(SuppressedLines::default());
        }
        let text: Option<Arc<str>> = if let Some((_, file)) = difference.file(path) {
            Some(Arc::clone(&file.new.text))
        } else {
            let row = self.read.file(path.as_str())?;
            row.and_then(|row| self.sources.read(path, row.content))
        };
        match text {
            Some(text) => SuppressedLines::of(language, &text, &self.budget),
            None => Ok(SuppressedLines::default()),
        }
    }
}

impl SuppressedLines {
    /// Finds the lines below the directives of a text. Parses it where one may stand in it.
    fn of(language: &'static Language, text: &str, budget: &Budget) -> Result<Self> {
        let mut found = Self {
            is_whole_file: is_unchecked(text),
            ..Self::default()
        };
        if !DIRECTIVES.iter().any(|it| text.contains(it)) {
            return Ok(found);
        }
        let code = syntax::blank_comments(language, text, budget).ok_or_else(Error::cancelled)?;
        let lines: Vec<&str> = text.lines().collect();
        let mut start = 0;
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let in_line = directive(line).map(|column| start + column);
            start += line.len();
            let is_comment = |byte: usize| code.as_bytes().get(byte) != text.as_bytes().get(byte);
            if !in_line.is_some_and(is_comment) {
                continue;
            }
            let is_between = |line: &&&str| line.trim().is_empty() || line.trim().starts_with("//");
            let n_between = lines[at + 1..].iter().take_while(is_between).count();
            let next = u32::try_from(at + 1 + n_between).map(|it| it + 1);
            found.lines.extend(next);
        }
        Ok(found)
    }

    fn has(&self, line: u32) -> bool {
        self.is_whole_file || self.lines.contains(&line)
    }
}

/// Returns where in a line a directive stands at the beginning of a comment, or of the last line of one.
fn directive(line: &str) -> Option<usize> {
    let at = DIRECTIVES.iter().find_map(|it| line.find(it))?;
    let before = line[..at].trim_end();
    let is_of_block = before.is_empty() || before.ends_with('*');
    let is_begun = before.ends_with("//") || is_of_block && line[at..].contains("*/");
    is_begun.then_some(at)
}

/// Whether a comment at the beginning of a text says that the compiler checks nothing in it.
fn is_unchecked(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let mut comments = lines.by_ref().take_while(|line| {
        line.is_empty()
            || ["//", "/*", "*", "#!"]
                .iter()
                .any(|it| line.starts_with(it))
    });
    comments.any(|line| {
        let said = line.trim_start_matches(['/', '*']).trim_start();
        said.starts_with("@ts-nocheck")
    })
}

/// Splits a use at its suppressed lines: those, and the others. Where an import is suppressed, so is all that it binds.
fn split(
    one: BrokenUse,
    is_suppressed: impl Fn(u32) -> bool,
) -> (Option<BrokenUse>, Option<BrokenUse>) {
    let lines = one.lines();
    if !lines.iter().any(|it| is_suppressed(it.0)) {
        return (None, Some(one));
    }
    if one.kind.is_none() && is_suppressed(one.line) {
        return (Some(one), None);
    }
    let (doubtful, kept): (Vec<_>, Vec<_>) = lines.into_iter().partition(|it| is_suppressed(it.0));
    let part = |mut lines: Vec<_>| {
        let also = lines.split_off(lines.len().min(1));
        lines.pop().map(|(line, text, kind)| BrokenUse {
            line,
            text,
            kind,
            also,
            ..one.clone()
        })
    };
    (part(doubtful), part(kept))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::SuppressedLines;
    use crate::model::{Budget, RepoPath};
    use crate::syntax;

    #[test]
    fn directives_suppress_the_next_line_of_code() {
        let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
        let language = syntax::by_path(&RepoPath::normalise("a.ts").unwrap());
        for (text, wanted) in [
            ("// @ts-expect-error\na()\nb()", vec![2]),
            ("a() // @ts-ignore\nb()", vec![2]),
            ("/// @ts-ignore: why\n\n// more\na()\nb()", vec![4]),
            ("/* @ts-expect-error */\na()", vec![2]),
            ("/**\n * why\n * @ts-ignore\n */\na()", vec![]),
            ("/* why\n@ts-ignore */\na()", vec![3]),
            ("// see @ts-ignore\na()", vec![]),
            ("g('// @ts-ignore')\na()", vec![]),
            ("g(`\n// @ts-ignore\n${a()}`)", vec![]),
            ("// why\n// @ts-nocheck\na()\nb()", vec![1, 2, 3, 4]),
            ("a()\n// @ts-nocheck\nb()", vec![]),
        ] {
            let found = SuppressedLines::of(language, text, &budget).unwrap();
            let n_lines = u32::try_from(text.lines().count()).unwrap();
            let lines: Vec<u32> = (1..=n_lines).filter(|it| found.has(*it)).collect();
            assert_eq!(lines, wanted, "{text}");
        }
    }
}

//! Tests that name a definition without a use that is bound to it: in their text, or by the name of their file.
//!
//! `expect(page).toMatchAriaSnapshot()` on a value whose type is not known, `to-match-aria-snapshot.spec.ts`.

use std::collections::HashSet;

use super::Uses;
use super::name_occurrences::{innermost, lines_of};
use crate::error::{Error, Result};
use crate::model::{Analysis, FileId, FileRole, RepoPath, Span, SymbolFlags};
use crate::roles::Roles;
use crate::store::{SymbolRow, token};
use crate::syntax::{self, TestCase};

/// Tests that are read to see whether they name it in their text.
const MAX_READ: usize = 60;

/// Tests that name a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamingTests {
    /// Those that have its name first, then those with a use of the name that could not be bound, then those that write it in a
    /// string or a comment; of each the nearest first.
    pub paths: Vec<RepoPath>,
    /// Whether there may be more: they were too many to be read.
    pub is_cut: bool,
}

impl Uses<'_> {
    /// Returns the title of the test or group around a line (from 1): `queue > pushes` of a script, else the name of the test;
    /// of a script with `name` that around all lines that hold it. `None` where there is none, or the file is not as it was indexed. Costs the parsing of the file, unless its tests were asked for lately.
    pub fn test_around(
        &self,
        path: &RepoPath,
        line: u32,
        name: Option<&str>,
    ) -> Result<Option<String>> {
        let Some(file) = self.read.file(path.as_str())? else {
            return Ok(None);
        };
        if name.is_none()
            && let [case] = self.marked_tests(file.id, &[line])?.as_slice()
        {
            return Ok(Some(case.title.clone()));
        }
        let read = || self.sources.read(path, file.content);
        let mut lines = vec![line];
        if name.is_some() || !self.sources.is_proved() {
            let Some(text) = read() else {
                return Ok(None);
            };
            let named = name.into_iter().flat_map(|name| lines_of(&text, name));
            lines.extend(named.map(|(_, line)| line));
        }
        let text = (file.content, read);
        Ok(syntax::test_title(path, text, &lines, &self.budget))
    }

    /// Returns the definitions around some lines (from 1) that are tests by their marks or names, `#[test] fn opens()`, each
    /// once, in source order. The title is its name behind those around it.
    pub(super) fn marked_tests(&self, file: FileId, lines: &[u32]) -> Result<Vec<TestCase>> {
        let Some(facts) = self.read.facts_with_places(file)? else {
            return Ok(Vec::new());
        };
        let is_around = |span: &Span, line| (span.start_line..=span.end_line).contains(&line);
        let of_line = |line: u32| {
            let tests = facts.symbols.iter().filter(|symbol| {
                symbol.flags.contains(SymbolFlags::TEST) && is_around(&symbol.span, line)
            });
            tests.min_by_key(|symbol| symbol.span.end_byte - symbol.span.start_byte)
        };
        let mut cases = Vec::new();
        for test in lines.iter().filter_map(|line| of_line(*line)) {
            let mut titles = vec![test.name.clone()];
            let mut at = test.parent;
            while let Some(around) = at.and_then(|it| facts.symbols.get(it as usize)) {
                titles.insert(0, around.name.clone());
                at = around.parent;
            }
            let line = test.name_line;
            let title = syntax::joined_titles(&titles);
            cases.extend(title.map(|title| TestCase { line, title }));
        }
        cases.sort();
        cases.dedup();
        Ok(cases)
    }

    /// Returns the title and the lines of the innermost test around a line (from 1) of a script. `None` where there is none, or
    /// the file is not as it was indexed. Reads and parses the file.
    pub fn test_block(&self, path: &RepoPath, line: u32) -> Result<Option<(String, u32, u32)>> {
        let Some(file) = self.read.file(path.as_str())? else {
            return Ok(None);
        };
        let text = self.sources.read(path, file.content);
        Ok(text.and_then(|text| {
            let text = (file.content, || Some(text));
            syntax::test_block(path, text, line, &self.budget)
        }))
    }

    /// Finds the tests that name `target`; `known` are left out. A test does not name it whose uses of the name are bound to
    /// something else, or that lies nearer to another definition of this name and kind. Reads at most 60 files.
    pub fn tests_naming(
        &self,
        roles: &Roles<'_>,
        target: &SymbolRow,
        known: &HashSet<RepoPath>,
    ) -> Result<NamingTests> {
        let mut found = NamingTests::default();
        let name = target.name.rsplit('.').next().unwrap_or(&target.name);
        let (home, norm) = (&target.path, token::normal_form(name));
        // Tests of examples and of tests are not looked for; a word of the language says too little.
        let is_sought = is_telling(name) && roles.is_code(home);
        if !is_sought || norm.len() > token::MAX_WORD_BYTES {
            return Ok(found);
        }
        let alike = self.read.symbols_named(&norm)?.into_iter().filter(|other| {
            other.path != *home
                && (other.kind, other.exported) == (target.kind, target.exported)
                && !other.path.as_str().contains(".d.")
                && roles.is_code(&other.path)
        });
        let others: Vec<RepoPath> = alike.map(|other| other.path).collect();
        let is_nearest = |path: &RepoPath| {
            let own = distance(home, path);
            !others.iter().any(|other| distance(other, path) < own)
        };
        let is_new = |path: &RepoPath| {
            let may_test = path != home && roles.is_test(path) || roles.may_hold_tests(path);
            may_test && !known.contains(path) && is_nearest(path)
        };
        let rows = self.read.file_rows()?;
        let named = rows.iter().filter(|row| {
            let name = row.path.file_name();
            let stem = name.split('.').next().unwrap_or(name);
            // The names of all files are compared.
            let may_be_named = !stem.is_ascii() || stem.len() >= norm.len();
            let is_named = may_be_named && token::normal_form(stem) == norm;
            is_named && roles.is_test(&row.path) && is_new(&row.path)
        });
        found.paths = named.map(|row| row.path.clone()).collect();
        let unbound = self.read.unbound_places(name)?.into_iter();
        let mut unbound: Vec<RepoPath> = unbound
            .map(|place| place.path)
            .filter(|path| is_new(path) && !found.paths.contains(path))
            .collect();
        unbound.sort_by_cached_key(|path| (distance(home, path), path.clone()));
        unbound.dedup();
        let mut n_read = 0;
        for path in unbound {
            let mut is_naming = roles.is_test(&path);
            if !is_naming && n_read < MAX_READ {
                n_read += 1;
                is_naming = self.is_in_inline_test(roles, &path, name)?;
            } else if !is_naming {
                found.is_cut = true;
            }
            found.paths.extend(is_naming.then_some(path));
        }
        let is_new = |path: &RepoPath| roles.is_test(path) && is_new(path);
        self.add_texts(name, &norm, home, &is_new, &mut found)?;
        Ok(found)
    }

    /// Returns the files that hold a name as a word, in code or anywhere else; `None` for a name that is too long to be looked for.
    pub fn files_naming(&self, name: &str) -> Result<Option<Vec<RepoPath>>> {
        let norm = token::normal_form(name.rsplit('.').next().unwrap_or(name));
        if norm.len() > token::MAX_WORD_BYTES {
            return Ok(None);
        }
        let files = self.read.files_with_word(&norm)?.into_iter();
        Ok(Some(files.map(|file| file.path).collect()))
    }

    /// Whether a test among the code of a file has the name. Reads the file.
    fn is_in_inline_test(&self, roles: &Roles<'_>, path: &RepoPath, name: &str) -> Result<bool> {
        let Some(file) = self.read.file(path.as_str())? else {
            return Ok(false);
        };
        let Some(text) = self.sources.read(path, file.content) else {
            return Ok(false);
        };
        let symbols = self.read.symbols_of(file.id)?;
        let is_in_test = |start: u32| {
            let around = innermost(&symbols, start).map(|symbol| symbol.ordinal);
            roles.of_definition(path, around) == FileRole::Test
        };
        Ok(syntax::starts(&text, name).any(is_in_test))
    }

    /// Adds the tests that write the name in a string or a comment; in a language without facts, anywhere.
    fn add_texts(
        &self,
        name: &str,
        norm: &str,
        home: &RepoPath,
        is_new: &dyn Fn(&RepoPath) -> bool,
        found: &mut NamingTests,
    ) -> Result<()> {
        let known: HashSet<RepoPath> = found.paths.iter().cloned().collect();
        let mut holding = self.read.files_with_word(norm)?;
        holding.retain(|file| !known.contains(&file.path) && is_new(&file.path));
        holding.sort_by_cached_key(|file| (distance(home, &file.path), file.path.clone()));
        found.is_cut |= holding.len() > MAX_READ;
        for file in holding.iter().take(MAX_READ) {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            if !self.name_in_file(file, name).is_there {
                continue;
            }
            let text = self
                .sources
                .read(&file.path, file.content)
                .unwrap_or_default();
            let is_analysed = syntax::by_path(&file.path).analysis() == Analysis::Full;
            let holds = if is_analysed {
                is_in_text(&text, name)
            } else {
                syntax::starts(&text, name).next().is_some()
            };
            if holds {
                found.paths.push(file.path.clone());
            }
        }
        Ok(())
    }
}

/// Whether a name is no word of the language that people write: `queueJob`, `_get`, `Page2`, and not `track`.
fn is_telling(name: &str) -> bool {
    let rest = name.get(1..).unwrap_or_default();
    let has = |fits: fn(char) -> bool| rest.chars().any(fits);
    name.contains('_')
        || has(char::is_numeric)
        || has(char::is_uppercase) && has(char::is_lowercase)
}

/// Whether a script has the name in a string or a comment. Template text counts, `${…}` included.
fn is_in_text(text: &str, name: &str) -> bool {
    let bytes = text.as_bytes();
    let mut starts = syntax::starts(text, name)
        .map(|start| start as usize)
        .peekable();
    let mut at = 0;
    while starts.peek().is_some() {
        let rest = &bytes[at.min(bytes.len())..];
        let (skipped, end): (usize, usize) = match rest {
            [] => return false,
            [b'/', b'/', ..] => (2, find(rest, b"\n")),
            [b'/', b'*', ..] => (2, find(rest, b"*/")),
            [quote @ (b'"' | b'\'' | b'`'), ..] => (1, closing(rest, *quote)),
            _ => (0, 0),
        };
        if skipped == 0 {
            at += 1;
            continue;
        }
        while let Some(start) = starts.next_if(|start| *start < at + end) {
            if start > at {
                return true;
            }
        }
        at += end.max(1);
    }
    false
}

/// Returns the place behind the first `mark` in `bytes`, from its third byte on.
fn find(bytes: &[u8], mark: &[u8]) -> usize {
    let inner = bytes.get(2..).unwrap_or_default();
    let found = inner.windows(mark.len()).position(|window| window == mark);
    found.map_or(bytes.len(), |at| at + 2 + mark.len())
}

/// Returns the length of a string: to its closing quote, or the end of the line where only a template goes on.
fn closing(bytes: &[u8], quote: u8) -> usize {
    let mut is_escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        if *byte == quote && !is_escaped || *byte == b'\n' && quote != b'`' {
            return at + 1;
        }
        is_escaped = *byte == b'\\' && !is_escaped;
    }
    bytes.len()
}

/// Returns how many directories lie between two files.
fn distance(a: &RepoPath, b: &RepoPath) -> usize {
    let parts = |path: &RepoPath| -> Vec<String> {
        let directory = path.directory().split('/').filter(|part| !part.is_empty());
        directory.map(str::to_owned).collect()
    };
    let (a, b) = (parts(a), parts(b));
    let n_common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    a.len() + b.len() - 2 * n_common
}

#[cfg(test)]
mod tests {
    use super::{is_in_text, is_telling};

    #[test]
    fn a_name_in_a_string_or_comment_is_text() {
        for text in [
            "it('queueJob runs', f)",
            "// see queueJob",
            "/* a\n queueJob */ x",
            "f(`a\n${queueJob}`)",
            "x = \"it's\" // queueJob",
            "'a\\' queueJob'",
        ] {
            assert!(is_in_text(text, "queueJob"), "{text}");
        }
        for text in [
            "queueJob()",
            "'a'; queueJob('b')",
            "'a\nqueueJob",
            "'queueJobs'",
            "",
            "/* ",
        ] {
            assert!(!is_in_text(text, "queueJob"), "{text}");
        }
    }

    #[test]
    fn words_of_a_language_do_not_tell() {
        for name in ["queueJob", "_get", "is_a", "Page2", "KeepAlive", "toRaw"] {
            assert!(is_telling(name), "{name}");
        }
        for name in ["track", "Flask", "URL", "get"] {
            assert!(!is_telling(name), "{name}");
        }
    }
}

//! Names in the types of doc comments, `@param {Job} job`: uses as in an annotation, in files that have no types of their own.
//!
//! Finds the names; what a type as a whole means is in `doc_types`.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::doc_types::{COMMENT_BYTES, typed};
use super::frame::{Frame, IdentifierRole, byte};
use super::jsdoc::add_doc_import;
use super::lower_type;
use super::member_uses::member_of;
use super::names::{is_chain, is_import_name};
use super::pending::NamePlace;
use crate::ir::ReferenceKind;
use crate::syntax::occurrences::OccurrenceRole;

/// Tags with a type in braces behind them.
const TYPED_TAGS: &[&str] = &[
    "arg",
    "argument",
    "augments",
    "const",
    "constant",
    "enum",
    "exception",
    "extends",
    "implements",
    "member",
    "param",
    "private",
    "prop",
    "property",
    "protected",
    "public",
    "return",
    "returns",
    "satisfies",
    "template",
    "this",
    "throws",
    "type",
    "typedef",
    "var",
    "yield",
    "yields",
];

/// Words of types that are no names of definitions.
const TYPE_WORDS: &[&str] = &[
    "any",
    "as",
    "asserts",
    "bigint",
    "boolean",
    "extends",
    "false",
    "function",
    "in",
    "infer",
    "is",
    "keyof",
    "never",
    "new",
    "null",
    "number",
    "object",
    "readonly",
    "string",
    "symbol",
    "this",
    "true",
    "typeof",
    "undefined",
    "unique",
    "unknown",
    "void",
];

/// A name in a type of a doc comment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DocName<'t> {
    /// Its bytes in the comment.
    range: Range<usize>,
    form: DocForm<'t>,
}

/// The form in which a name stands in a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DocForm<'t> {
    /// `Job`, `jobs.Job`, `typeof job`
    Used { receiver: &'t str, is_value: bool },
    /// `B` of `import('m').A.B`, where the path is `A`.
    Imported { module: &'t str, path: &'t str },
    /// `job` of `{ job: Job }`, `B` of `@import { A as B } from 'm'`
    Declared,
    /// A type parameter: `T` of `@template T`.
    Local,
    /// In quotes, or a member of a type without a name.
    Unknown,
}

/// Records the names in the types of a comment as uses.
pub(super) fn doc_uses(b: &mut FileBuilder<'_>, comment: Node<'_>, frame: &Frame) {
    let text = b.text(comment);
    if !b.grammar.untyped || text.len() > COMMENT_BYTES || !is_doc(text) {
        return;
    }
    for name in definitions(text) {
        b.scopes.bind(name, 0, false);
        b.doc_definitions.insert(name);
    }
    let first_line = byte(comment.start_position().row) + 1;
    for DocName { range, form } in doc_names(text) {
        let newlines = text[..range.start]
            .bytes()
            .filter(|it| *it == b'\n')
            .count();
        let line = first_line + byte(newlines);
        let place = |at: usize| NamePlace {
            line,
            start: byte(comment.start_byte() + at),
        };
        let named = (&text[range.clone()], place(range.start));
        match form {
            DocForm::Used { receiver, is_value } => {
                if let Some(root) = receiver.split('.').next().filter(|it| !it.is_empty()) {
                    let at = range.start - 1 - receiver.len();
                    let around = Frame {
                        role: IdentifierRole::Root,
                        ..*frame
                    };
                    b.add_reference(root, "", ReferenceKind::Value, &around, place(at));
                }
                let kind = if is_value {
                    ReferenceKind::Value
                } else {
                    ReferenceKind::Type
                };
                b.add_reference(named.0, receiver, kind, frame, named.1);
            }
            DocForm::Imported { module, path } => {
                if !b.imports.iter().any(|it| it.specifier == module) {
                    add_doc_import(b, module, &[], line);
                }
                let mut object = lower_type::types(b).imported("*", module);
                for part in path.split('.').filter(|it| !it.is_empty()) {
                    object = b.exprs.member(object, part);
                }
                member_of(b, object, named, ReferenceKind::Type, frame);
            }
            DocForm::Declared | DocForm::Local | DocForm::Unknown => {}
        }
    }
}

/// Returns the role of a word in a comment of a file without types, by its first byte there; `None` outside of types.
pub(super) fn role_in_comment(text: &str, at: usize) -> Option<OccurrenceRole> {
    if !is_doc(text) {
        return None;
    }
    if text.len() > COMMENT_BYTES {
        return Some(OccurrenceRole::Unknown);
    }
    let all = doc_names(text);
    let found = all.iter().find(|it| it.range.contains(&at))?;
    Some(match found.form {
        _ if found.range.start != at => OccurrenceRole::OtherName,
        DocForm::Declared => OccurrenceRole::Definition,
        DocForm::Local => OccurrenceRole::Local,
        DocForm::Used { .. } | DocForm::Imported { .. } | DocForm::Unknown => {
            OccurrenceRole::Unknown
        }
    })
}

fn is_doc(text: &str) -> bool {
    text.starts_with("/**") && text.contains('@')
}

/// Returns the names of types that a comment defines: `@callback Name`, `@typedef {A} Name` of no import.
fn definitions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (tag, behind) in tags(text) {
        if !matches!(tag, "typedef" | "callback") {
            continue;
        }
        let name = match braced(text, behind) {
            Some(inner) if text[inner.clone()].trim_start().starts_with("import(") => continue,
            Some(inner) => inner.end + 1,
            None => behind,
        };
        let rest = text[name..].trim_start();
        let end = rest.find(|c| !is_import_name(c)).unwrap_or(rest.len());
        if end > 0 {
            found.push(&rest[..end]);
        }
    }
    found
}

/// Returns each tag of a comment with the byte behind it: `param` of `@param`. Marks inside its braces are no tags.
fn tags(text: &str) -> Vec<(&str, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = text[at..].find('@') {
        let start = at + next + 1;
        let end = text[start..]
            .find(|c: char| !c.is_ascii_alphabetic())
            .map_or(text.len(), |it| start + it);
        let is_tag = text[..start - 1].ends_with([' ', '\t', '\n', '*']);
        at = end.max(start);
        if is_tag && end > start {
            found.push((&text[start..end], end));
            if let Some(inner) = braced(text, end) {
                at = inner.end;
            }
        }
    }
    found
}

/// Returns the bytes between the braces that come next.
fn braced(text: &str, from: usize) -> Option<Range<usize>> {
    let (inner, rest) = typed(&text[from..])?;
    let end = text.len() - rest.len() - 1;
    Some(end - inner.len()..end)
}

/// Returns the names in all types of a comment, in order.
fn doc_names(text: &str) -> Vec<DocName<'_>> {
    let mut reader = DocReader {
        text,
        found: Vec::new(),
        type_params: HashSet::new(),
    };
    for (tag, behind) in tags(text) {
        if tag == "import" {
            reader.import_tag(behind);
            continue;
        }
        if !TYPED_TAGS.contains(&tag) {
            continue;
        }
        let inner = braced(text, behind);
        if let Some(inner) = inner.clone() {
            reader.read_type(inner);
        } else if matches!(tag, "augments" | "extends" | "implements") {
            // The braces may be left out.
            let line = text[behind..].find(['\n', '*']);
            reader.read_type(behind..line.map_or(text.len(), |it| behind + it));
        }
        if tag == "template" {
            reader.type_parameters(inner.map_or(behind, |it| it.end + 1));
        }
    }
    let DocReader {
        mut found,
        type_params,
        ..
    } = reader;
    for name in &mut found {
        let is_bare = matches!(name.form, DocForm::Used { receiver: "", .. });
        if is_bare && type_params.contains(&text[name.range.clone()]) {
            name.form = DocForm::Local;
        }
    }
    found.sort_by_key(|it| it.range.start);
    found
}

/// The names that were read so far.
struct DocReader<'t> {
    text: &'t str,
    found: Vec<DocName<'t>>,
    type_params: HashSet<&'t str>,
}

impl<'t> DocReader<'t> {
    fn push(&mut self, range: Range<usize>, form: DocForm<'t>) {
        self.found.push(DocName { range, form });
    }

    /// Returns the end of the name that begins at a byte; the byte itself where none does.
    fn name_end(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        let is_begun = rest.starts_with(|c: char| is_import_name(c) && !c.is_numeric());
        let end = rest.find(|c| !is_import_name(c)).unwrap_or(rest.len());
        if is_begun { start + end } else { start }
    }

    /// Reads the names of the type in `range`.
    fn read_type(&mut self, range: Range<usize>) {
        let (mut at, mut word) = (range.start, "");
        while at < range.end {
            let first = self.text[at..].chars().next().unwrap_or(' ');
            if matches!(first, '"' | '\'' | '`') {
                let inner = at + 1;
                let length = self.text[inner..range.end].find(first);
                let end = length.map_or(range.end, |it| inner + it);
                self.push(inner..end, DocForm::Unknown);
                (at, word) = (end + 1, "");
                continue;
            }
            let end = self.name_end(at).min(range.end);
            if end == at {
                if !first.is_whitespace() {
                    word = "";
                }
                // Digits and what hangs on them are no name.
                let is_part = |c: char| is_import_name(c) && is_import_name(first);
                let length = self.text[at..].find(|c| !is_part(c)).unwrap_or(0);
                at += length.max(first.len_utf8());
                continue;
            }
            let name = &self.text[at..end];
            if name == "import"
                && let Some(end) = self.imported_type(end, range.end)
            {
                (at, word) = (end, "");
                continue;
            }
            at = self.name_chain(at, range.end, word);
            word = name;
        }
    }

    /// Reads the chain of names that begins at `start`, behind the word `before` of the type. Returns its end.
    fn name_chain(&mut self, start: usize, limit: usize, before: &str) -> usize {
        let text = self.text;
        let mut end = self.name_end(start).min(limit);
        let mut last = start;
        while text[end..limit].starts_with('.') && self.name_end(end + 1) > end + 1 {
            last = end + 1;
            end = self.name_end(last).min(limit);
        }
        let lead = text[..start].trim_end();
        let next = text[end..limit].trim_start();
        let is_key = next.starts_with(':') && !lead.ends_with('?')
            || next.starts_with("?:")
            || next.starts_with('(')
            || next.starts_with("is ")
            || before == "asserts";
        let name = &text[last..end];
        let form = match () {
            () if last == start && is_key => DocForm::Declared,
            () if last == start && TYPE_WORDS.contains(&name) => return end,
            () if before == "infer" || next.starts_with("in ") => {
                self.type_params.insert(name);
                DocForm::Local
            }
            () if lead.ends_with('.') && !lead.ends_with("...") => DocForm::Unknown,
            () => DocForm::Used {
                receiver: &text[start..last.saturating_sub(1).max(start)],
                is_value: before == "typeof",
            },
        };
        self.push(last..end, form);
        end
    }

    /// Reads `('m').A.B` behind `import`. Returns its end.
    fn imported_type(&mut self, behind: usize, limit: usize) -> Option<usize> {
        let (inner, _) = self.text[behind..limit]
            .trim_start()
            .strip_prefix('(')?
            .split_once(')')?;
        let module = inner.trim().trim_matches(['"', '\'', '`']);
        let mut end = behind + self.text[behind..limit].find(')')? + 1;
        let path = end + 1;
        while self.text[end..limit].starts_with('.') && self.name_end(end + 1) > end + 1 {
            let start = end + 1;
            end = self.name_end(start).min(limit);
            let path = &self.text[path..start.saturating_sub(1).max(path)];
            let form = if is_chain(path) || path.is_empty() {
                DocForm::Imported { module, path }
            } else {
                DocForm::Unknown
            };
            self.push(start..end, form);
        }
        Some(end)
    }

    /// Reads `T, U` and `[T=Job]` behind `@template`.
    fn type_parameters(&mut self, behind: usize) {
        let text = self.text;
        let mut at = behind;
        loop {
            let skipped = |c: char| matches!(c, ' ' | '\t' | '[');
            at += text[at..].find(|c| !skipped(c)).unwrap_or(0);
            if text[at..].starts_with("const ") {
                at += "const ".len();
            }
            let end = self.name_end(at);
            if end == at {
                return;
            }
            self.type_params.insert(&text[at..end]);
            self.push(at..end, DocForm::Local);
            at = end;
            let rest = text[at..].trim_start();
            if rest.starts_with('=')
                && let Some(close) = text[at..].find([']', '\n'])
            {
                self.read_type(at..at + close);
                at += close + 1;
            }
            let rest = text[at..].trim_start_matches([' ', ']']);
            match rest.strip_prefix(',') {
                Some(rest) => at = text.len() - rest.len(),
                None => return,
            }
        }
    }

    /// Reads `{ A, B as C } from 'm'`, `D from 'm'` behind `@import`.
    fn import_tag(&mut self, behind: usize) {
        let Some((names, rest)) = self.text[behind..].split_once(" from ") else {
            return;
        };
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let module = quote.and_then(|quote| rest[1..].split(quote).next());
        let Some(module) = module else { return };
        let (mut at, end, mut is_listed) = (behind, behind + names.len(), false);
        let mut before = "";
        while at < end {
            let name_end = self.name_end(at).min(end);
            if name_end == at {
                let first = self.text[at..].chars().next().unwrap_or(' ');
                is_listed = first == '{' || is_listed && first != '}';
                at += first.len_utf8();
                continue;
            }
            let name = &self.text[at..name_end];
            let form = match before {
                "as" if is_listed => Some(DocForm::Declared),
                _ if name == "as" => None,
                _ if is_listed => Some(DocForm::Imported { module, path: "" }),
                _ => Some(DocForm::Used {
                    receiver: "",
                    is_value: false,
                }),
            };
            if let Some(form) = form {
                self.push(at..name_end, form);
            }
            before = name;
            at = name_end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DocForm, doc_names};

    fn read(text: &str) -> Vec<String> {
        let all = doc_names(text).into_iter().map(|it| {
            let name = &text[it.range];
            match it.form {
                DocForm::Used { receiver: "", .. } => name.to_owned(),
                DocForm::Used { receiver, .. } => format!("{receiver}/{name}"),
                DocForm::Imported { module, path } => format!("{module}:{path}:{name}"),
                DocForm::Declared => format!("{name}="),
                DocForm::Local => format!("<{name}>"),
                DocForm::Unknown => format!("?{name}"),
            }
        });
        all.collect()
    }

    #[test]
    fn names_are_found_in_types_of_every_form() {
        for (text, expected) in [
            ("/** @param {Job} job a Job */", vec!["Job"]),
            ("/** @type {!Array.<?ns.Job>} */", vec!["Array", "ns/Job"]),
            (
                "/** @returns {import('./a.js').A.B[]} */",
                vec!["./a.js::A", "./a.js:A:B"],
            ),
            (
                "/** @type {{ job?: Job, run(a: A): B, 'c': C }} */",
                vec!["job=", "Job", "run=", "a=", "A", "B", "?c", "C"],
            ),
            (
                "/** @template {Base} T, [U=Other]\n * @param {T | U | (job: unknown) => job is Job} a */",
                vec![
                    "Base", "<T>", "<U>", "Other", "<T>", "<U>", "job=", "job=", "Job",
                ],
            ),
            (
                "/** @type {A extends B ? C : D} */",
                vec!["A", "B", "C", "D"],
            ),
            ("/** @type {Row['id']} */", vec!["Row", "?id"]),
            (
                "/** @import D, { A as B, C } from './a' */",
                vec!["D", "./a::A", "B=", "./a::C"],
            ),
            ("/** @extends Base<Job> */", vec!["Base", "Job"]),
            (
                "/** see {@link Job}, a@type {Job}; @example {Job} */",
                vec![],
            ),
            ("/** @type { */", vec![]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}

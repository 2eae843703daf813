//! Names that macros paste together: `#define XX(name) fs__##name()` with `XX(open)` uses `fs__open`.
//!
//! Followed where the macro and its call with literal arguments stand in one file; see `macros` for the names that a macro's text
//! has as they are.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{ReferenceKind, Target, pasted_names};

/// The least bytes of a pasted name that a macro has to write out: fewer tell nothing.
const MIN_LITERAL_BYTES: usize = 2;

/// Names that one macro pastes which are kept.
const MAX_NAMES: usize = 16;

/// A macro that pastes names of its arguments.
#[derive(Clone, Debug)]
pub(super) struct PastingMacro<'t> {
    parameters: Vec<&'t str>,
    /// The parts of each name, and whether it is called.
    names: Vec<(Vec<&'t str>, bool)>,
    /// The parts of the function's name that it is the head of: `#define TEST(name) int run_##name(void)`.
    head: Option<Vec<&'t str>>,
}

impl<'t> PastingMacro<'t> {
    /// Reads the text of a macro; `None` where it pastes nothing and is no head of a function.
    pub(super) fn of(text: &'t str, parameters: Vec<&'t str>) -> Option<Self> {
        let chains = chains_of(text);
        let has_parameter = |parts: &[&str]| parts.iter().any(|it| parameters.contains(it));
        let head = head_of(text, &chains).filter(|parts| has_parameter(parts));
        let names = chains
            .into_iter()
            .filter(|it| it.parts.len() > 1 && has_parameter(&it.parts))
            .map(|it| {
                let is_called = it.is_called(text);
                (it.parts, is_called)
            })
            .take(MAX_NAMES);
        let names: Vec<(Vec<&str>, bool)> = names.collect();
        (!names.is_empty() || head.is_some()).then_some(Self {
            parameters,
            names,
            head,
        })
    }

    /// Puts the arguments of a call into the parts of a name; `None` where that is not a name.
    fn pasted(&self, parts: &[&str], arguments: &[&str]) -> Option<String> {
        let mut name = String::new();
        for part in parts {
            let at = self.parameters.iter().position(|it| it == part);
            name.push_str(match at {
                Some(at) => arguments.get(at)?,
                None => part,
            });
        }
        let is_name = name
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'_')
            && name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        is_name.then_some(name)
    }

    /// The name of the function that a call of the macro is the head of.
    pub(super) fn function(&self, arguments: &[&str]) -> Option<String> {
        self.pasted(self.head.as_deref()?, arguments)
    }
}

/// Returns the parts of the name before the parameters that a macro ends in: `run_test_##name` of `… int run_test_##name(void)`.
fn head_of<'t>(text: &str, chains: &[PastedParts<'t>]) -> Option<Vec<&'t str>> {
    let text = text.trim_end_matches(is_blank);
    let open = text.strip_suffix(')')?.rfind('(')?;
    let before = text[..open].trim_end_matches(is_blank).len();
    let name = chains.iter().find(|it| it.end == before)?;
    // A type stands before it, else it is a call.
    let around = text[..name.start].trim_end_matches(is_blank);
    let is_typed =
        around.ends_with(|it: char| it.is_ascii_alphanumeric() || it == '_' || it == '*');
    is_typed.then(|| name.parts.clone())
}

/// Names of a macro's text with `##` between them, or one alone.
struct PastedParts<'t> {
    parts: Vec<&'t str>,
    start: usize,
    end: usize,
}

impl PastedParts<'_> {
    /// Whether a parenthesis follows in the text.
    fn is_called(&self, text: &str) -> bool {
        let behind = text[self.end..].trim_start_matches(is_blank);
        behind.starts_with('(')
    }

    /// Whether the text declares the name, and does not use it: `int prefix##_open(`.
    fn is_declared(&self, text: &str) -> bool {
        let before = text[..self.start].trim_end_matches(is_blank);
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let word = before.rsplit(|it| !is_part(it)).next().unwrap_or_default();
        let is_used = matches!(
            word,
            "return" | "else" | "do" | "case" | "goto" | "sizeof" | "struct" | "union" | "enum"
        );
        !word.is_empty() && !is_used
    }

    /// Returns the patterns of the names that calls may make: the literal parts before and behind the arguments.
    fn patterns(&self, parameters: &[&str]) -> Option<Vec<String>> {
        let is_argument = |it: &&&str| parameters.contains(*it);
        let n_arguments = self.parts.iter().filter(is_argument).count();
        let literal = |part: &[&str]| part.concat();
        let first = self.parts.iter().position(|it| is_argument(&it))?;
        let last = self.parts.iter().rposition(|it| is_argument(&it))?;
        let (before, behind) = (
            literal(&self.parts[..first]),
            literal(&self.parts[last + 1..]),
        );
        if before.len().max(behind.len()) < MIN_LITERAL_BYTES {
            return None;
        }
        Some(pasted_names(&before, &behind, n_arguments == 1))
    }
}

/// Returns the runs of names in a macro's text that `##` joins.
fn chains_of(text: &str) -> Vec<PastedParts<'_>> {
    let mut chains: Vec<PastedParts<'_>> = Vec::new();
    let mut last_end = 0;
    for (start, name) in identifiers(text) {
        let between = text[last_end..start].trim_matches(is_blank);
        let end = start + name.len();
        last_end = end;
        match chains.last_mut() {
            Some(chain) if between == "##" => {
                chain.parts.push(name);
                chain.end = end;
            }
            _ => chains.push(PastedParts {
                parts: vec![name],
                start,
                end,
            }),
        }
    }
    chains
}

fn is_blank(it: char) -> bool {
    it.is_ascii_whitespace() || it == '\\'
}

/// Returns the identifiers of a text with their places, without those in strings.
fn identifiers(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let is_part = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_';
        if byte == b'"' || byte == b'\'' {
            at += 1;
            while at < bytes.len() && bytes[at] != byte {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
        } else if is_part(&byte) {
            let len = bytes[at..].iter().take_while(|it| is_part(it)).count();
            if !byte.is_ascii_digit() {
                found.push((at, &text[at..at + len]));
            }
            at += len;
        } else {
            at += 1;
        }
    }
    found
}

impl<'t> Lowering<'t> {
    /// Records the patterns of the names that calls of a macro may make in any file: `fs__##` of `#define XX(name) fs__##name()`. Nobody
    /// knows which names these are; whoever asks for one of them has to hear of the macro.
    pub(super) fn use_patterns(&mut self, body: Node<'t>, text: &'t str, parameters: &[&'t str]) {
        let Some(at) = text.find("##") else { return };
        for chain in chains_of(text) {
            if chain.parts.len() > 1
                && !chain.is_declared(text)
                && let Some(patterns) = chain.patterns(parameters)
            {
                let at = body.start_byte() + at;
                for pattern in patterns {
                    self.push_use(&pattern, Target::Unknown, ReferenceKind::Call, at);
                }
            }
        }
    }

    /// Records the names that a call of a macro pastes.
    pub(super) fn use_pasted(&mut self, call: Node<'t>, name: &str) {
        let Some(list) = self.field(call, self.grammar.fields.arguments) else {
            return;
        };
        let Some(found) = self.pasting.get(name).cloned() else {
            return;
        };
        let arguments = self.children(list);
        let texts: Vec<&str> = arguments.iter().map(|it| self.text(*it)).collect();
        let Some(first) = arguments
            .first()
            .filter(|it| self.kind(**it) != Kind::Comment)
        else {
            return;
        };
        for (parts, is_called) in &found.names {
            if let Some(pasted) = found.pasted(parts, &texts) {
                let kind = if *is_called {
                    ReferenceKind::Call
                } else {
                    ReferenceKind::Value
                };
                self.push_use(&pasted, Target::Lexical, kind, first.start_byte());
            }
        }
    }
}

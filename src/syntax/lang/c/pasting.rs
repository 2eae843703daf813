//! Names that macros paste together: `#define XX(name) fs__##name()` with `XX(open)` uses `fs__open`.
//!
//! Followed where the macro and its call with literal arguments stand in one file; see `macros` for the names that a macro's text
//! has as they are.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{ReferenceKind, Target};

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
        let mut chains: Vec<(Vec<&'t str>, usize)> = Vec::new();
        let mut last_end = 0;
        for (start, name) in identifiers(text) {
            let between = text[last_end..start].trim_matches(is_blank);
            let is_pasting = between == "##" && !chains.is_empty();
            last_end = start + name.len();
            match chains.last_mut() {
                Some((parts, end)) if is_pasting => {
                    parts.push(name);
                    *end = last_end;
                }
                _ => chains.push((vec![name], last_end)),
            }
        }
        let has_parameter = |parts: &[&str]| parts.iter().any(|it| parameters.contains(it));
        let head = head_of(text, &chains).filter(|parts| has_parameter(parts));
        let names = chains
            .into_iter()
            .filter(|(parts, _)| parts.len() > 1 && has_parameter(parts))
            .map(|(parts, end)| {
                let is_called = text[end..].trim_start_matches(is_blank).starts_with('(');
                (parts, is_called)
            })
            .take(MAX_NAMES);
        let names: Vec<(Vec<&str>, bool)> = names.collect();
        (!names.is_empty() || head.is_some()).then_some(Self {
            parameters,
            names,
            head,
        })
    }

    /// Puts the arguments of a call into the parts of a name; `None` where that is none.
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
fn head_of<'t>(text: &str, chains: &[(Vec<&'t str>, usize)]) -> Option<Vec<&'t str>> {
    let text = text.trim_end_matches(is_blank);
    let open = text.strip_suffix(')')?.rfind('(')?;
    let before = text[..open].trim_end_matches(is_blank).len();
    let parts = chains.iter().find(|(_, end)| *end == before)?;
    // A type stands before it, else it is a call.
    let start = before.checked_sub(parts.0.iter().map(|it| it.len()).sum())?;
    let around = text[..start].trim_end_matches(|it: char| is_blank(it) || it == '#');
    let is_typed =
        around.ends_with(|it: char| it.is_ascii_alphanumeric() || it == '_' || it == '*');
    is_typed.then(|| parts.0.clone())
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

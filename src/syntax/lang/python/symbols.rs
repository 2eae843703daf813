//! Symbols while a file is read, with their signatures and docs.

use tree_sitter::Node;

use super::builders::{BuilderId, Param, SymbolBuilder};
use super::grammar::Kind;
use super::lowering::Lowering;
use super::scopes::ScopeIdx;
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::signature::{DOC_BYTES, SIGNATURE_BYTES, cut, fold};

/// The most parameters of a function that are read.
pub(super) const MAX_PARAMS: usize = 100;

impl<'t> Lowering<'t> {
    /// Adds a symbol whose span is that of `node`.
    pub(super) fn add_symbol(
        &mut self,
        name: &'t str,
        kind: SymbolKind,
        node: Node<'t>,
        name_node: Node<'t>,
        scope: ScopeIdx,
        parent: Option<BuilderId>,
    ) -> BuilderId {
        let qualified_name = match parent {
            Some(parent) => format!(
                "{}.{name}",
                self.builders[parent as usize].symbol.qualified_name
            ),
            None => name.to_owned(),
        };
        let start = node.start_byte();
        let (comment, lead) = self.comment_above(start);
        let id = u32::try_from(self.builders.len()).unwrap_or(u32::MAX);
        self.builders.push(SymbolBuilder {
            symbol: Symbol {
                name: name.to_owned(),
                qualified_name,
                kind,
                span: span_of(node),
                name_line: line_of(name_node),
                exported: false,
                flags: SymbolFlags::empty(),
                signature: String::new(),
                doc: comment,
                parent: None,
            },
            lead: offset(lead),
            parent,
            scope,
            type_params: Vec::new(),
            function: None,
            class: None,
        });
        id
    }

    /// Returns the parameters of a function or a lambda.
    pub(super) fn params(&self, node: Node<'t>) -> Vec<Param<'t>> {
        let fields = self.grammar.fields;
        let Some(list) = self.field(node, fields.parameters) else {
            return Vec::new();
        };
        let mut params = Vec::new();
        for child in self.children(list).into_iter().take(MAX_PARAMS) {
            let (mut name, mut n_stars) = (child, 0);
            match self.kind(child) {
                Kind::Identifier | Kind::ListSplatPattern | Kind::DictionarySplatPattern => {}
                Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                    let Some(inner) = self.field(child, fields.name) else {
                        continue;
                    };
                    name = inner;
                }
                Kind::TypedParameter => {
                    let Some(inner) = child.named_child(0) else {
                        continue;
                    };
                    name = inner;
                }
                _ => continue,
            }
            match self.kind(name) {
                Kind::ListSplatPattern => n_stars = 1,
                Kind::DictionarySplatPattern => n_stars = 2,
                _ => {}
            }
            if n_stars > 0 {
                let Some(inner) = name.named_child(0) else {
                    continue;
                };
                name = inner;
            }
            params.push(Param {
                name: self.text(name),
                node: name,
                annotation: self.field(child, fields.type_),
                default: self.field(child, fields.value),
                n_stars,
            });
        }
        params
    }

    /// Returns the text of a definition up to its result type, parameters or bases.
    pub(super) fn head(&self, node: Node<'t>) -> String {
        let fields = self.grammar.fields;
        let last = [
            fields.return_type,
            fields.parameters,
            fields.superclasses,
            fields.type_parameters,
            fields.name,
        ]
        .into_iter()
        .find_map(|field| self.field(node, field));
        let end = last.map_or(node.end_byte(), |it| it.end_byte());
        let text = self.source.get(node.start_byte()..end).unwrap_or_default();
        fold(text, SIGNATURE_BYTES)
    }

    /// Returns the docstring that a body begins with, without its quotes and indentation.
    pub(super) fn docstring(&self, body: Node<'t>) -> Option<String> {
        let first = (0..body.named_child_count())
            .filter_map(|at| body.named_child(u32::try_from(at).unwrap_or(u32::MAX)))
            .find(|child| self.kind(*child) != Kind::Comment)?;
        let string = match self.kind(first) {
            Kind::ExpressionStatement => first.named_child(0)?,
            Kind::Str => first,
            _ => return None,
        };
        if self.kind(string) != Kind::Str {
            return None;
        }
        Some(clean_doc(self.string_text(string)?))
    }

    /// Returns the comment lines directly above byte `start`, and the byte at which they begin.
    fn comment_above(&self, start: usize) -> (String, usize) {
        let before = self.source.get(..start).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let indent = &before[line..];
        if !indent.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return (String::new(), start);
        }
        let (mut at, mut lead, mut lines) = (line, start, Vec::new());
        while at > 0 {
            let begin = before[..at - 1].rfind('\n').map_or(0, |at| at + 1);
            let text = before[begin..at].trim_end();
            let Some(comment) = text
                .strip_prefix(indent)
                .and_then(|text| text.strip_prefix('#'))
            else {
                break;
            };
            if comment.starts_with('!') || lines.len() >= 200 {
                break;
            }
            lead = begin + indent.len();
            let comment = comment.trim_start_matches([':', '#']).trim();
            let is_remark = ["type:", "noqa", "pylint:", "pragma:", "fmt:", "-*-"]
                .iter()
                .any(|mark| comment.starts_with(mark));
            if !is_remark {
                lines.push(comment);
            }
            at = begin;
        }
        lines.reverse();
        let mut doc = lines.join("\n").trim().to_owned();
        cut(&mut doc, DOC_BYTES);
        (doc, lead)
    }
}

/// Removes the indentation that all lines but the first share, as `inspect.cleandoc` does.
fn clean_doc(text: &str) -> String {
    let end = text.floor_char_boundary(2 * DOC_BYTES);
    let text = &text[..end];
    let margin = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.lines().enumerate() {
        let line = match at {
            0 => line.trim_start(),
            _ => line.get(margin..).unwrap_or_else(|| line.trim_start()),
        };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let mut out = out.trim().to_owned();
    cut(&mut out, DOC_BYTES);
    out
}

/// Returns the line of a node, from 1.
pub(super) fn line_of(node: Node<'_>) -> u32 {
    offset(node.start_position().row + 1)
}

//! Symbols while a file is read, with their signatures and docs.

use tree_sitter::Node;

use super::lowering::Lowering;
use super::scopes::{ScopeIdx, Site};
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::use_recorder::{offset, span_of};
use crate::syntax::signature::{DOC_BYTES, SIGNATURE_BYTES, cut, fold};

/// A symbol in the order in which it was met, an index into the drafts of a file.
pub(super) type DraftId = u32;

/// A symbol with the syntax that lowering needs of it.
#[derive(Debug)]
pub(super) struct Draft<'t> {
    pub(super) symbol: Symbol,
    /// The byte at which the comments above begin.
    pub(super) lead: u32,
    pub(super) parent: Option<DraftId>,
    /// The scope that the definition stands in.
    pub(super) scope: ScopeIdx,
    /// Type parameters in their order.
    pub(super) type_params: Vec<&'t str>,
    pub(super) function: Option<Function<'t>>,
    pub(super) class: Option<Class<'t>>,
}

/// The syntax of a function.
#[derive(Debug)]
pub(super) struct Function<'t> {
    /// `function_definition`
    pub(super) node: Node<'t>,
    /// The same, or `decorated_definition`.
    pub(super) whole: Node<'t>,
    /// Its own scope.
    pub(super) inner: ScopeIdx,
    pub(super) params: Vec<Param<'t>>,
    /// Values that it returns.
    pub(super) returns: Vec<Node<'t>>,
    /// Values that it yields, and whether all elements of the value are (`yield from`).
    pub(super) yields: Vec<(Node<'t>, bool)>,
    /// Its `@overload` stubs.
    pub(super) overloads: Vec<Node<'t>>,
    pub(super) is_fixture: bool,
    /// Whether the first parameter is the receiver.
    pub(super) has_receiver: bool,
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param<'t> {
    pub(super) name: &'t str,
    pub(super) node: Node<'t>,
    pub(super) annotation: Option<Node<'t>>,
    pub(super) default: Option<Node<'t>>,
    /// Number of asterisks.
    pub(super) n_stars: u8,
}

/// The syntax of a class.
#[derive(Debug)]
pub(super) struct Class<'t> {
    /// `class_definition`
    pub(super) node: Node<'t>,
    pub(super) inner: ScopeIdx,
    pub(super) attributes: Vec<Attribute<'t>>,
}

/// One place that gives an attribute a value.
#[derive(Clone, Debug)]
pub(super) struct Attribute<'t> {
    pub(super) name: &'t str,
    /// The statement.
    pub(super) node: Node<'t>,
    pub(super) place: AttributePlace,
    pub(super) site: Site<'t>,
}

/// The place of an assignment to an attribute, the one that says most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AttributePlace {
    /// `class A: x: T`
    ClassAnnotation,
    /// `self.x: T`
    Annotation,
    /// `class A: x = value`
    ClassBody,
    /// `self.x = value` in `__init__`
    Constructor,
    /// `self.x = value` in another method.
    Method,
}

impl<'t> Lowering<'t> {
    /// Adds a symbol whose span is that of `node`.
    pub(super) fn add_draft(
        &mut self,
        name: &'t str,
        kind: SymbolKind,
        node: Node<'t>,
        name_node: Node<'t>,
        scope: ScopeIdx,
        parent: Option<DraftId>,
    ) -> DraftId {
        let qualified_name = match parent {
            Some(parent) => format!(
                "{}.{name}",
                self.drafts[parent as usize].symbol.qualified_name
            ),
            None => name.to_owned(),
        };
        let start = node.start_byte();
        let (comment, lead) = self.comment_above(start);
        let id = u32::try_from(self.drafts.len()).unwrap_or(u32::MAX);
        self.drafts.push(Draft {
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
        use super::grammar::Kind;
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

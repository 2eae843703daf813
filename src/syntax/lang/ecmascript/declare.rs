//! Definitions, and those with a statement of their own: types, namespaces.
//!
//! Knows how a definition becomes a symbol. Refuses to know who may import it: that is settled when the
//! whole file was seen. Functions and classes are in `functions`.

use tree_sitter::Node;

use super::hints::Owner;
use super::kinds::Kind;
use super::role::Place;
use super::walk::{Draft, Frame, Naming, Outer, Walk, line_of, span_of};
use crate::ir::{Export, ExportKind, Slot};
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature::{self, doc_above};

/// Longest name of a symbol in bytes; what is longer is no name that anyone looks for.
const NAME_BYTES: usize = 256;
/// Longest prefix of a qualified name; deeper definitions keep this one, so that the names of a file are
/// not longer than the file.
const PREFIX_BYTES: usize = 600;

/// What a definition says about itself.
#[derive(Clone, Debug)]
pub(super) struct Definition<'s> {
    pub(super) name: &'s str,
    pub(super) kind: SymbolKind,
    pub(super) name_line: u32,
    pub(super) signature: String,
    /// Under which name it stands.
    pub(super) naming: u32,
    pub(super) private: bool,
    pub(super) overload: bool,
    /// Whether it is as public as its parent.
    pub(super) member: bool,
}

impl Definition<'_> {
    /// Returns a definition of which only the kind and name are out of the ordinary.
    pub(super) fn new(name: &str, kind: SymbolKind, name_line: u32, naming: u32) -> Definition<'_> {
        Definition {
            name,
            kind,
            name_line,
            signature: String::new(),
            naming,
            private: false,
            overload: false,
            member: false,
        }
    }
}

/// How much was noted of a file at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    pub(super) uses: usize,
    pub(super) hints: usize,
    /// Names that were bound.
    pub(super) bindings: usize,
}

impl<'a> Walk<'a> {
    /// Records a definition and enters it: what is inside `frame` belongs to it. Returns its index; `None`
    /// for a name that is empty or too long.
    pub(super) fn define(
        &mut self,
        definition: Definition<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) -> Option<u32> {
        let Definition { name, .. } = definition;
        if name.is_empty() || name.len() > NAME_BYTES {
            return None;
        }
        let naming = &self.namings[definition.naming as usize];
        let (parent, prefix_len) = (naming.parent, naming.prefix.len());
        let qualified_name = if prefix_len == 0 {
            name.to_owned()
        } else {
            format!("{}.{name}", naming.prefix)
        };
        let inner = parent.is_some() || prefix_len > 0;
        let member =
            definition.member || naming.members || naming.ambient || (inner && outer.exported);
        let (mut span, mut lead_start) = (outer.span, outer.span.start_byte);
        let mut taken = None;
        while let Some(last) = self.drafts.last() {
            let fits = last.overload
                && !definition.overload
                && last.symbol.qualified_name == qualified_name
                && last.symbol.parent == parent;
            if !fits {
                break;
            }
            span.start_byte = last.symbol.span.start_byte;
            span.start_line = last.symbol.span.start_line;
            lead_start = span.start_byte;
            taken = self.drafts.pop();
        }
        let index = u32::try_from(self.drafts.len()).ok()?;
        if let Some(first) = &taken {
            self.take_over(first, index);
        }
        for used in self.uses.iter_mut().skip(outer.mark) {
            used.symbol = Some(index);
        }
        let (doc, lead) = self.doc(lead_start);
        let own_naming = u32::try_from(self.namings.len()).ok()?;
        let prefix = if prefix_len > PREFIX_BYTES {
            self.namings[definition.naming as usize].prefix.clone()
        } else {
            qualified_name.clone()
        };
        self.namings.push(Naming {
            prefix,
            parent: Some(index),
            members: false,
            ambient: false,
        });
        if parent.is_none() && qualified_name == name {
            self.tops.insert(name.to_owned(), index);
        }
        self.drafts.push(Draft {
            symbol: Symbol {
                name: name.to_owned(),
                qualified_name,
                kind: definition.kind,
                span,
                name_line: definition.name_line,
                exported: outer.exported && !inner,
                flags: flags_of(&definition.signature),
                signature: definition.signature,
                doc,
                parent,
            },
            lead,
            naming: own_naming,
            member,
            private: definition.private,
            overload: definition.overload,
            overloaded: taken.is_some(),
            n_before: Noted {
                uses: self.uses.len(),
                hints: self.hints.len(),
                // Its own is the last one.
                bindings: self.scopes.n_bound().saturating_sub(1),
            },
        });
        frame.symbol = Some(index);
        frame.naming = own_naming;
        Some(index)
    }

    /// Gives what was noted within overloads, from the first of them on, to the definition in their place;
    /// decorators in between stay where they are.
    fn take_over(&mut self, first: &Draft, index: u32) {
        for used in &mut self.uses[first.n_before.uses..] {
            used.symbol = used.symbol.map(|symbol| symbol.min(index));
        }
        self.scopes.take_over(first.n_before.bindings, index);
        for raw in &mut self.hints[first.n_before.hints..] {
            raw.symbol = raw.symbol.map(|symbol| symbol.min(index));
            if let Owner::Member(Some(owner), path) = &mut raw.owner {
                // Which of the heads is meant depends on what they are given.
                let slots = self.exprs.arena.slots(*path);
                if matches!(slots.first(), Some(Slot::Param(_))) {
                    raw.origin = None;
                }
                *owner = index.min(*owner);
            }
        }
    }

    fn doc(&mut self, start: u32) -> (String, u32) {
        if self.last_doc.0 != start {
            let (doc, lead) = doc_above(self.source, &self.comments, start);
            self.last_doc = (start, doc, lead);
        }
        (self.last_doc.1.clone(), self.last_doc.2)
    }

    /// Returns the statement around a definition: that of the parent where there is one, else `node`.
    pub(super) fn statement(&self, node: Node<'_>, parent: &Frame) -> Outer {
        let mut outer = self.outers[parent.outer as usize];
        if parent.outer == 0 || outer.shared {
            outer.mark = self.uses.len();
            outer.span = span_of(node);
        }
        outer
    }

    /// Returns the text of a definition up to `end`, without what decorates it.
    pub(super) fn head(&self, node: Node<'_>, end: usize) -> &'a str {
        let mut start = node.start_byte();
        if self.source.as_bytes().get(start) == Some(&b'@') {
            let mut cursor = node.walk();
            let first = node.children(&mut cursor).find(|child| {
                !matches!(self.grammar.kind(*child), Kind::Decorator | Kind::Comment)
            });
            start = first.map_or(start, |child| child.start_byte());
        }
        self.between(start, end)
    }

    /// Returns where the body of a definition begins, or its end where it has none.
    pub(super) fn body_start(&self, node: Node<'_>) -> usize {
        let body = node.child_by_field_id(self.grammar.fields.body);
        body.map_or(node.end_byte(), |body| body.start_byte())
    }

    pub(super) fn signature_of(&self, node: Node<'_>) -> String {
        signature::of_head(self.head(node, self.body_start(node)))
    }

    pub(super) fn name_of(&self, node: Node<'_>) -> Option<(&'a str, u32)> {
        let name = node.child_by_field_id(self.grammar.fields.name)?;
        Some((self.text(name), line_of(name)))
    }

    /// `export default` of a definition that has `local` as its name.
    pub(super) fn export_local(&mut self, outer: &Outer, scope: u32, local: &str, type_only: bool) {
        if !outer.exported || scope != 0 {
            return;
        }
        self.exports.push(Export {
            kind: ExportKind::Local,
            name: if outer.default { "default" } else { local }.to_owned(),
            local: local.to_owned(),
            specifier: String::new(),
            type_only,
            line: outer.span.start_line,
        });
    }

    /// `interface I {}`, `type T = …`, `enum E {}`
    pub(super) fn type_definition(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let Some((name, line)) = self.name_of(node) else {
            return;
        };
        let outer = self.statement(node, parent);
        let scope = frame.scope;
        frame.in_type = frame.kind != Kind::EnumDeclaration;
        self.scopes.bind(name, scope, true);
        let kind = match frame.kind {
            Kind::Interface => SymbolKind::Interface,
            Kind::TypeAlias => SymbolKind::Type,
            _ => SymbolKind::Enum,
        };
        let mut definition = Definition::new(name, kind, line, frame.naming);
        definition.signature = self.signature_of(node);
        let defined = self.define(definition, &outer, frame);
        if let Some(symbol) = defined {
            self.scopes.bound_symbol(symbol);
            self.namings[frame.naming as usize].members = true;
            self.export_local(&outer, scope, name, kind != SymbolKind::Enum);
            frame.place = Place::Value(frame.naming);
        }
        self.open(frame, ScopeKind::Block);
        let fields = &self.grammar.fields;
        match (frame.kind, defined) {
            (Kind::Interface, Some(symbol)) => {
                self.bases(node, symbol, frame);
                self.callable(node.child_by_field_id(fields.body), symbol, frame);
            }
            (Kind::TypeAlias, Some(symbol)) => {
                self.alias(node, symbol, frame);
                self.callable(node.child_by_field_id(fields.value), symbol, frame);
            }
            _ => {}
        }
    }

    /// `namespace N {}`, `declare module 'm' {}`
    pub(super) fn namespace(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let Some((text, line)) = self.name_of(node) else {
            return;
        };
        let name = text.trim_matches(['"', '\'', '`']);
        let outer = self.statement(node, parent);
        let scope = frame.scope;
        if name == text {
            self.scopes
                .bind(name.split('.').next().unwrap_or(name), scope, true);
        }
        self.enter_namespace((name, line), node, &outer, frame);
        self.export_local(&outer, scope, name, false);
    }

    fn enter_namespace(
        &mut self,
        (name, line): (&str, u32),
        node: Node<'_>,
        outer: &Outer,
        frame: &mut Frame,
    ) {
        let mut definition = Definition::new(name, SymbolKind::Namespace, line, frame.naming);
        definition.signature = self.signature_of(node);
        let ambient = outer.ambient;
        if self.define(definition, outer, frame).is_some() {
            self.namings[frame.naming as usize].ambient = ambient;
        }
        self.open(frame, ScopeKind::Top);
    }

    /// `declare …`, `declare global {}`
    pub(super) fn ambient(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        let mut outer = self.statement(node, parent);
        outer.ambient = true;
        let global = node.child(1).filter(|word| self.text(*word) == "global");
        if let Some(word) = global {
            let end = word.end_byte();
            self.enter_namespace(("global", line_of(word)), node, &outer, frame);
            if let Some(draft) = self.drafts.last_mut() {
                draft.symbol.signature =
                    signature::of_head(self.source.get(node.start_byte()..end).unwrap_or_default());
            }
            return;
        }
        frame.outer = self.push_outer(outer);
    }

    /// Keeps a statement for the definitions in it.
    pub(super) fn push_outer(&mut self, outer: Outer) -> u32 {
        self.outers.push(outer);
        u32::try_from(self.outers.len() - 1).unwrap_or(0)
    }

    /// Keeps a node as the statement around the definitions in it.
    pub(super) fn outer(&mut self, node: Node<'_>, parent: &Frame) -> u32 {
        let outer = self.statement(node, parent);
        self.push_outer(outer)
    }
}

/// What the signature of a definition says beside its kind: `static load()`, `(a) =>`.
fn flags_of(signature: &str) -> SymbolFlags {
    let head = signature.split(['(', '=', ':', '<']).next();
    let mut words = head.unwrap_or_default().split_whitespace();
    // The last word is the name.
    let is_static = words.next_back().is_some() && words.any(|it| it == "static");
    if is_static {
        SymbolFlags::STATIC
    } else if signature.ends_with("=>") {
        SymbolFlags::LEXICAL_THIS
    } else {
        SymbolFlags::empty()
    }
}

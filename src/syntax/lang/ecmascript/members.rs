//! Members of classes, interfaces, enums and objects.
//!
//! Knows when a member is worth a symbol: always in a type, in an object where it is a function.
//! Refuses to know what a member's type is.

use tree_sitter::Node;

use super::declare::Definition;
use super::hints::Rank;
use super::kinds::Kind;
use super::role::Place;
use super::walk::{Frame, Naming, Outer, Walk, line_of, span_of};
use super::worth::Worth;
use crate::ir::{BaseKind, PathId};
use crate::model::SymbolKind;
use crate::syntax::scope::ScopeKind;
use crate::syntax::signature;

/// Longest computed name that is kept as written.
const COMPUTED_BYTES: usize = 60;

impl<'a> Walk<'a> {
    /// A member of whatever stands around it.
    pub(super) fn member(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame) {
        frame.place = Place::None;
        let owner = match (parent.kind, parent.place) {
            (Kind::ClassBody, _) => parent.symbol.map(|_| parent.naming),
            (Kind::InterfaceBody | Kind::EnumBody, _) => Some(parent.naming),
            (Kind::ObjectType, Place::Value(naming)) | (Kind::Object, Place::Members(naming)) => {
                Some(naming)
            }
            (Kind::ObjectType, Place::Within(naming)) => {
                self.literal_member(node, frame, naming);
                None
            }
            (Kind::Object, Place::ExportMembers) => {
                return self.export_member(node, frame);
            }
            _ => None,
        };
        match owner {
            Some(naming) if frame.kind == Kind::Pair => self.pair(node, frame, naming),
            Some(naming) if frame.kind == Kind::EnumAssignment => {
                if let Some(name) = node.child_by_field_id(self.grammar.fields.name) {
                    let entered = self.enum_member(node, name, &Frame { naming, ..*parent });
                    frame.symbol = entered.or(frame.symbol);
                }
            }
            Some(naming) => self.typed_member(node, frame, parent, naming),
            None => {}
        }
        let symbol = frame.symbol.filter(|_| frame.symbol != parent.symbol);
        match frame.kind {
            Kind::MethodDefinition => {
                self.open(frame, ScopeKind::Function);
                if symbol.is_none() {
                    self.scopes.bind("this", frame.scope, false);
                }
                self.take_expected(node, frame.scope, parent);
                self.enter_function(node, symbol, frame);
            }
            Kind::MethodSignature | Kind::AbstractMethodSignature => {
                self.open(frame, ScopeKind::Block);
                self.declared_result(node, symbol, frame);
            }
            _ => {}
        }
    }

    /// A member of a class, an interface or a type, or a method of an object.
    fn typed_member(&mut self, node: Node<'_>, frame: &mut Frame, parent: &Frame, naming: u32) {
        let fields = self.grammar.fields;
        let name_node = node
            .child_by_field_id(fields.name)
            .or_else(|| node.child_by_field_id(fields.property));
        let Some(name_node) = name_node else { return };
        let Some(name) = self.key(name_node) else {
            return;
        };
        let words = self.head(node, name_node.start_byte());
        let has = |word: &str| words.split_whitespace().any(|w| w == word);
        let value_node = node.child_by_field_id(fields.value);
        let value = value_node.map(|v| self.worth(v));
        let in_body = parent.kind == Kind::ClassBody;
        let kind = match frame.kind {
            Kind::PublicField | Kind::FieldDefinition => match value {
                Some(Worth::Function(_)) => SymbolKind::Method,
                _ => SymbolKind::Field,
            },
            Kind::PropertySignature => SymbolKind::Property,
            _ if has("get") || has("set") => SymbolKind::Property,
            _ if in_body && name == "constructor" => SymbolKind::Constructor,
            _ => SymbolKind::Method,
        };
        let mut outer = self.statement(
            node,
            &Frame {
                outer: 0,
                ..*parent
            },
        );
        if in_body && let Some(decorated) = self.decorated.take() {
            outer.span.start_byte = decorated.span.start_byte;
            outer.span.start_line = decorated.span.start_line;
            outer.mark = decorated.mark;
        }
        let mut definition = Definition::new(&name, kind, line_of(name_node), naming);
        definition.private = has("private") || name.starts_with('#');
        definition.overload = in_body && frame.kind == Kind::MethodSignature;
        definition.member = true;
        definition.signature = match (kind, value) {
            (SymbolKind::Field, _) => self.value_signature(node, &name_node, ""),
            (_, Some(Worth::Function(inner))) => {
                signature::of_head(self.head(node, self.body_start(inner)))
            }
            _ => self.signature_of(node),
        };
        if matches!(kind, SymbolKind::Field | SymbolKind::Property)
            && frame.kind != Kind::MethodDefinition
        {
            let written = node.child_by_field_id(fields.type_);
            let found = self.written(written, value_node, outer.span.start_byte as usize);
            self.member_hint(naming, &name, found, parent);
        }
        let defined = self.define(definition, &outer, frame);
        let written = node.child_by_field_id(fields.type_);
        self.expect_written(written, value_node);
        if let Some(symbol) = defined {
            self.callable(written, symbol, parent);
            if let Some(Worth::Function(inner)) = value {
                self.bodies.insert(inner.id(), symbol);
            }
        }
        if matches!(value, Some(Worth::Object(_))) {
            frame.place = Place::Value(frame.naming);
        } else if kind != SymbolKind::Method && self.is_literal_type(written) {
            frame.place = Place::Within(frame.naming);
        }
    }

    /// A member of a type that is written out inside another, `naming`.
    fn literal_member(&mut self, node: Node<'_>, frame: &mut Frame, naming: u32) {
        let fields = self.grammar.fields;
        let name = node.child_by_field_id(fields.name);
        let Some(name) = name.and_then(|name| self.key(name)) else {
            return;
        };
        let written = node.child_by_field_id(fields.type_);
        if self.is_literal_type(written) {
            frame.place = Place::Within(self.subnaming(naming, &name));
            return;
        }
        if frame.kind == Kind::PropertySignature {
            let found = self.written(written, None, node.start_byte());
            self.member_hint(naming, &name, found, frame);
        }
        let owner = self.member_of(naming, &name);
        self.member_parameters(node, &owner, frame);
    }

    /// `key: value` in an object that has a name.
    fn pair(&mut self, node: Node<'_>, frame: &mut Frame, naming: u32) {
        let fields = self.grammar.fields;
        let (Some(key_node), Some(value)) = (
            node.child_by_field_id(fields.key),
            node.child_by_field_id(fields.value),
        ) else {
            return;
        };
        let kind = match self.worth(value) {
            Worth::Function(_) => SymbolKind::Method,
            Worth::Class(_) => SymbolKind::Class,
            Worth::Object(_) => {
                if let Some(name) = self.key(key_node) {
                    frame.place = Place::Value(self.subnaming(naming, &name));
                }
                return;
            }
            _ => {
                if let Some(name) = self.key(key_node) {
                    let found = self.written(None, Some(value), node.start_byte());
                    self.member_hint(naming, &name, found, frame);
                }
                return;
            }
        };
        let Some(name) = self.key(key_node) else {
            return;
        };
        let outer = Outer {
            span: span_of(node),
            mark: self.uses.len(),
            ..Outer::default()
        };
        let mut definition = Definition::new(&name, kind, line_of(key_node), naming);
        definition.member = true;
        definition.signature = signature::of_head(self.value_head(node, value));
        let Some(symbol) = self.define(definition, &outer, frame) else {
            return;
        };
        match self.worth(value) {
            Worth::Function(body) => {
                self.bodies.insert(body.id(), symbol);
            }
            _ => frame.place = Place::Value(frame.naming),
        }
    }

    /// A name that may be a string: a member where an enum has it. Never looks inside, where the quotes are nodes, too.
    pub(super) fn written_name(&mut self, node: Node<'_>, parent: &Frame) -> bool {
        if parent.kind == Kind::EnumBody {
            self.enum_member(node, node, parent);
        }
        false
    }

    /// `{ f }` in an object that has a name.
    pub(super) fn shorthand_member(&mut self, name: &'a str, frame: &Frame) {
        if let Place::Members(naming) = frame.place {
            let origin = self.exprs.name(name);
            self.member_hint(naming, name, Some((Some(origin), Rank::Initial)), frame);
        }
    }

    /// `{ ...a }` in an object that has a name.
    pub(super) fn spread(&mut self, node: Node<'_>, parent: &Frame) {
        let Place::Members(naming) = parent.place else {
            return;
        };
        if let (Some(value), (symbol, PathId::EMPTY)) = (node.named_child(0), self.place_of(naming))
        {
            let found = self.origin(value);
            self.built_on(found, BaseKind::Extends, symbol, parent);
        }
    }

    /// `[key: string]: A` in a class, an interface or a type: what it has by any other name.
    pub(super) fn index_signature(&mut self, node: Node<'_>, frame: &Frame, parent: &Frame) {
        let naming = match (parent.kind, parent.place) {
            (Kind::ClassBody, _) if parent.symbol.is_some() => parent.naming,
            (Kind::InterfaceBody, _) => parent.naming,
            (Kind::ObjectType, Place::Value(naming)) => naming,
            _ => return,
        };
        if let (Some(written), (Some(symbol), PathId::EMPTY)) = (
            node.child_by_field_id(self.grammar.fields.type_),
            self.place_of(naming),
        ) {
            let found = self.types().by_any_name(written, 0);
            self.built_on(found, BaseKind::Extends, Some(symbol), frame);
        }
    }

    /// Returns a naming one name further in.
    pub(super) fn subnaming(&mut self, naming: u32, name: &str) -> u32 {
        let around = &self.namings[naming as usize];
        let prefix = if around.prefix.is_empty() {
            name.to_owned()
        } else if around.prefix.len() + name.len() > 600 {
            around.prefix.clone()
        } else {
            format!("{}.{name}", around.prefix)
        };
        let parent = around.parent;
        self.namings.push(Naming {
            prefix,
            parent,
            members: true,
            ambient: false,
        });
        u32::try_from(self.namings.len() - 1).unwrap_or(0)
    }

    /// `A`, `A = 1` in an enum. Returns the symbol.
    pub(super) fn enum_member(
        &mut self,
        node: Node<'_>,
        name_node: Node<'_>,
        parent: &Frame,
    ) -> Option<u32> {
        let name = self.key(name_node)?;
        let outer = Outer {
            span: span_of(node),
            mark: self.uses.len(),
            ..Outer::default()
        };
        let kind = SymbolKind::EnumMember;
        let mut definition = Definition::new(&name, kind, line_of(name_node), parent.naming);
        definition.signature = signature::of_value(self.text(node), None);
        let mut frame = *parent;
        self.define(definition, &outer, &mut frame)
    }

    /// `constructor(private a: A)` is a field too.
    pub(super) fn parameter_property(&mut self, node: Node<'_>, parent: &Frame) {
        let Some(pattern) = node.child_by_field_id(self.grammar.fields.pattern) else {
            return;
        };
        let marks = self.head(node, pattern.start_byte());
        let has = |word: &str| marks.split_whitespace().any(|w| w == word);
        let is_field = ["public", "private", "protected", "readonly"]
            .into_iter()
            .any(has);
        if !is_field || self.grammar.kind(pattern) != Kind::Identifier {
            return;
        }
        let class = parent
            .symbol
            .and_then(|constructor| self.drafts[constructor as usize].symbol.parent)
            .map(|class| self.drafts[class as usize].naming);
        let Some(naming) = class else { return };
        let outer = Outer {
            span: span_of(node),
            mark: self.uses.len(),
            ..Outer::default()
        };
        let name = self.text(pattern);
        let found = self.written(
            node.child_by_field_id(self.grammar.fields.type_),
            node.child_by_field_id(self.grammar.fields.value),
            node.start_byte(),
        );
        self.member_hint(naming, name, found, parent);
        let mut definition = Definition::new(name, SymbolKind::Field, line_of(pattern), naming);
        definition.private = has("private");
        definition.member = true;
        definition.signature = signature::of_value(self.head(node, node.end_byte()), None);
        let mut inside = *parent;
        self.define(definition, &outer, &mut inside);
    }

    /// Returns the name that a key gives; `None` for one that is computed at run time.
    pub(super) fn key(&self, node: Node<'_>) -> Option<String> {
        let text = self.text(node);
        match self.grammar.kind(node) {
            Kind::Str => Some(text.trim_matches(['"', '\'']).to_owned()),
            Kind::ComputedName => {
                let inner = text.trim_matches(['[', ']']).trim();
                let plain = inner.len() <= COMPUTED_BYTES
                    && inner
                        .chars()
                        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
                plain.then(|| format!("[{inner}]"))
            }
            _ => Some(text.to_owned()),
        }
    }

    /// `@f` before a member of a class: the member begins with it.
    pub(super) fn decorator(&mut self, node: Node<'_>) {
        let mark = self.uses.len();
        let span = span_of(node);
        self.decorated.get_or_insert(Outer {
            span,
            mark,
            ..Outer::default()
        });
    }
}

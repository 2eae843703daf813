//! Macros: as symbols, with the names that their bodies call. Functions whose head is a macro are in `macro_functions`.
//!
//! The body of a macro is text to the grammar: the names before a parenthesis are read as calls, those that are written as
//! constants are, and a name that is the whole body as values; those of its parameters and of members are left out.

use tree_sitter::Node;

use super::declarations::DeclarationPlace;
use super::grammar::Kind;
use super::lowering::Lowering;
use super::pasting::PastingMacro;
use crate::ir::{ReferenceKind, Target};
use crate::model::{SymbolFlags, SymbolKind};
use crate::syntax::signature;

/// Bytes of a macro's body that are read.
const MAX_BODY_BYTES: usize = 16 << 10;

impl<'t> Lowering<'t> {
    /// Adds the symbol of `#define NAME(…) body`, and the calls in its body.
    pub(super) fn define_macro(&mut self, node: Node<'t>) {
        let fields = self.grammar.fields;
        let Some(name) = self.field(node, fields.name) else {
            return;
        };
        let body = self.field(node, fields.value);
        let is_function = self.kind(node) == Kind::PreprocFunctionDef;
        if !is_function && body.is_none_or(|body| self.text(body).trim().is_empty()) {
            // An include guard, or a switch.
            return;
        }
        let head_end = match (is_function, body) {
            (true, Some(body)) => body.start_byte(),
            _ => node.end_byte(),
        };
        let head = self
            .source
            .get(node.start_byte()..head_end)
            .unwrap_or_default();
        let signature = if is_function {
            signature::of_head(head.trim_end_matches('\\'))
        } else {
            signature::of_value(head.trim_end(), None)
        };
        let text = self.text(name);
        let symbol = self.add_symbol(
            text.to_owned(),
            name,
            if is_function {
                SymbolKind::Macro
            } else {
                SymbolKind::Constant
            },
            node,
            &DeclarationPlace {
                is_macro: true,
                ..DeclarationPlace::default()
            },
            signature,
        );
        let made = &mut self.facts.symbols[symbol as usize];
        text.clone_into(&mut made.qualified_name);
        made.flags |= SymbolFlags::MACRO;
        self.export(text, self.line_at(name.start_byte()));
        self.pasting.remove(text);
        let Some(body) = body else { return };
        let outer = self.symbol.replace(symbol);
        let body_text = self.text(body);
        let body_text =
            &body_text[..body_text.floor_char_boundary(MAX_BODY_BYTES.min(body_text.len()))];
        let parameters: Vec<&str> = self
            .field(node, fields.parameters)
            .map(|it| {
                self.children(it)
                    .into_iter()
                    .map(|it| self.text(it))
                    .collect()
            })
            .unwrap_or_default();
        self.use_body(body, &parameters);
        self.bind_opened_namespaces(symbol, body_text);
        self.use_patterns(body, body_text, &parameters);
        if is_function && let Some(found) = PastingMacro::of(body_text, parameters) {
            self.pasting.insert(text, found);
        }
        self.symbol = outer;
    }

    fn use_body(&mut self, body: Node<'t>, parameters: &[&str]) {
        let text = self.text(body);
        let end = text.floor_char_boundary(MAX_BODY_BYTES.min(text.len()));
        let bytes = &text.as_bytes()[..end];
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if bytes[at..].starts_with(b"/*") {
                let end = text[at + 2..end].find("*/");
                at = end.map_or(bytes.len(), |it| at + it + 4);
                continue;
            }
            if bytes[at..].starts_with(b"//") {
                let end = text[at..end].find('\n');
                at = end.map_or(bytes.len(), |it| at + it);
                continue;
            }
            if byte == b'"' || byte == b'\'' {
                at += 1;
                while at < bytes.len() && bytes[at] != byte {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                continue;
            }
            if !(byte.is_ascii_alphabetic() || byte == b'_') {
                // Digits and their suffixes are no names.
                let skipped = if byte.is_ascii_digit() {
                    bytes[at..]
                        .iter()
                        .take_while(|it| it.is_ascii_alphanumeric())
                        .count()
                } else {
                    1
                };
                at += skipped;
                continue;
            }
            let len = bytes[at..]
                .iter()
                .take_while(|it| it.is_ascii_alphanumeric() || **it == b'_')
                .count();
            let name = &text[at..at + len];
            let before = text[..at].trim_end();
            let behind = text[at + len..].trim_start();
            let is_free = !before.ends_with(['.', ':', '#'])
                && !before.ends_with("->")
                && !behind.starts_with("##");
            let kind = if behind.starts_with('(') {
                Some(ReferenceKind::Call)
            } else {
                // Other names may be those of variables of the macro, or of members in an initializer.
                let is_last =
                    behind.is_empty() || behind.starts_with("//") || behind.starts_with("/*");
                let is_value = is_constant_name(name) || before.is_empty() && is_last;
                is_value.then_some(ReferenceKind::Value)
            };
            if let Some(kind) = kind
                && is_free
                && !parameters.contains(&name)
                && !is_word(name)
            {
                self.push_use(name, Target::Lexical, kind, body.start_byte() + at);
            }
            at += len;
        }
    }
}

/// Whether a name is written as those of macros and constants are: `STRIPE_LEN`.
fn is_constant_name(name: &str) -> bool {
    let is_capital = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    name.len() > 1 && name != "NULL" && name.bytes().all(is_capital)
}

/// Words before a parenthesis that call nothing.
fn is_word(name: &str) -> bool {
    matches!(
        name,
        "if" | "while"
            | "for"
            | "switch"
            | "return"
            | "sizeof"
            | "defined"
            | "do"
            | "else"
            | "case"
            | "int"
            | "char"
            | "void"
            | "long"
            | "unsigned"
            | "const"
            | "typeof"
            | "__typeof__"
            | "__attribute__"
            | "alignof"
            | "static_cast"
            | "reinterpret_cast"
            | "const_cast"
            | "dynamic_cast"
            | "decltype"
            | "catch"
            | "new"
            | "delete"
            | "offsetof"
    )
}

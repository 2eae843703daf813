//! Uses of names.
//!
//! Knows every place where a name is used and what stands before it. Refuses to know what it means; the
//! names that a local scope binds are taken out when the whole file was seen.

use tree_sitter::Node;

use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::role::{Mode, Place};
use super::walk::{Frame, Walk, byte};
use crate::ir::ReferenceKind;

/// Longest name of a use in bytes.
const NAME_BYTES: usize = 256;
/// Longest receiver in bytes.
const RECEIVER_BYTES: usize = 120;

/// Names that begin a rune of Svelte behind a `$`.
const RUNES: &[&str] = &[
    "state", "derived", "effect", "props", "bindable", "inspect", "host",
];

/// One use, before local names are taken out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use<'a> {
    pub(super) name: &'a str,
    /// As written; `?` for an expression, empty for none.
    pub(super) receiver: &'a str,
    pub(super) kind: ReferenceKind,
    pub(super) symbol: Option<u32>,
    pub(super) scope: u32,
    pub(super) line: u32,
    /// First byte of the name.
    pub(super) start: u32,
    /// Whether it begins a chain: then it counts only where the file itself binds it.
    pub(super) root: bool,
    /// Where its receiver comes from, if that is an expression: an index into [`Walk::hints`].
    pub(super) hint: Option<u32>,
}

/// Line and first byte of a name.
#[derive(Clone, Copy, Debug)]
struct NamePlace {
    line: u32,
    start: u32,
}

impl NamePlace {
    /// Returns the place of a node that is a name, or begins with one.
    fn at_start(node: Node<'_>) -> Self {
        Self {
            line: byte(node.start_position().row) + 1,
            start: byte(node.start_byte()),
        }
    }
}

impl<'a> Walk<'a> {
    /// An identifier. Never looks inside.
    pub(super) fn name(&mut self, node: Node<'_>, frame: &Frame) -> bool {
        let text = self.text(node);
        if frame.mode == Mode::Callee && node.start_byte() == self.defining {
            return false;
        }
        let kind = match (frame.kind, frame.mode) {
            (_, Mode::Skip | Mode::Label) => return false,
            (Kind::Shorthand, _) => {
                if frame.place == Place::ExportMembers {
                    self.export_name(text, text, node);
                } else {
                    self.shorthand_member(text, frame);
                }
                ReferenceKind::Value
            }
            (_, Mode::Bind) => {
                self.scopes.bind(text, frame.scope, false);
                return false;
            }
            (_, Mode::BindVar) => {
                let scope = self.scopes.hoisted(frame.scope);
                self.scopes.bind(text, scope, false);
                return false;
            }
            (_, Mode::Heritage) => ReferenceKind::Heritage,
            (Kind::TypeIdentifier, _) | (_, Mode::TypeQuery) => ReferenceKind::Type,
            (_, Mode::Callee) => ReferenceKind::Call,
            (_, Mode::New) => ReferenceKind::New,
            (_, Mode::Decorator) => ReferenceKind::Decorator,
            (_, Mode::Jsx) if text.starts_with(|c: char| c.is_lowercase()) => return false,
            (_, Mode::Jsx) => ReferenceKind::Jsx,
            _ if frame.mode == Mode::Value && self.is_element(node) => ReferenceKind::Jsx,
            _ => ReferenceKind::Value,
        };
        self.use_of(text, "", kind, frame, NamePlace::at_start(node));
        false
    }

    /// The function that a definition is made by calling (`defineGetter(a, 'b', …)`): it is called by what is
    /// around, not by what it defines.
    pub(super) fn callee_of_definition(&mut self, callee: Node<'_>, around: &Frame) {
        if self.grammar.kind(callee) == Kind::Identifier {
            let place = NamePlace::at_start(callee);
            self.use_of(self.text(callee), "", ReferenceKind::Call, around, place);
            self.defining = callee.start_byte();
        }
    }

    /// A chain of names: its last name is used, and what begins it. Returns whether to look inside.
    pub(super) fn chain(&mut self, node: Node<'_>, frame: &Frame) -> bool {
        let text = self.text(node);
        if self.import_type(text, node, frame) {
            return false;
        }
        let (receiver, name) = split_chain(text);
        let is_type = frame.kind == Kind::NestedTypeIdentifier;
        let kind = match frame.mode {
            Mode::Heritage => ReferenceKind::Heritage,
            _ if is_type => ReferenceKind::Type,
            Mode::TypeQuery => ReferenceKind::Type,
            Mode::Callee => ReferenceKind::Call,
            Mode::New => ReferenceKind::New,
            Mode::Decorator => ReferenceKind::Decorator,
            Mode::Jsx => ReferenceKind::Jsx,
            _ if frame.mode == Mode::Value && self.is_element(node) => ReferenceKind::Jsx,
            _ => ReferenceKind::Value,
        };
        let line = byte(node.end_position().row) + 1;
        let start = byte(node.end_byte() - name.len());
        // What begins a type's chain has no node that is looked at.
        if frame.kind != Kind::MemberExpression {
            let root = receiver.split('.').next().unwrap_or(receiver);
            self.use_of(
                root,
                "",
                ReferenceKind::Value,
                &Frame {
                    mode: Mode::Root,
                    ..*frame
                },
                NamePlace {
                    line,
                    start: byte(node.start_byte()),
                },
            );
        }
        self.use_of(name, receiver, kind, frame, NamePlace { line, start });
        if receiver == "?"
            && !matches!(kind, ReferenceKind::Value | ReferenceKind::Type)
            && let Some(object) = node.child(0)
            && let Some(origin) = self.origin(object)
        {
            let hint = self.hint(Owner::Expression, Some(origin), Rank::Initial, frame);
            if let Some(used) = self.uses.last_mut() {
                used.hint = Some(hint);
            }
        }
        frame.kind == Kind::MemberExpression
    }

    /// Whether a name is that of an element in a template.
    fn is_element(&self, node: Node<'_>) -> bool {
        !self.elements.is_empty() && self.elements.binary_search(&node.start_byte()).is_ok()
    }

    fn use_of(
        &mut self,
        name: &'a str,
        receiver: &'a str,
        kind: ReferenceKind,
        frame: &Frame,
        place: NamePlace,
    ) {
        let skipped = receiver.is_empty() && matches!(name, "require" | "arguments");
        if name.is_empty() || name.len() > NAME_BYTES || skipped {
            return;
        }
        self.uses.push(Use {
            name,
            receiver,
            kind,
            symbol: frame.symbol,
            scope: frame.scope,
            line: place.line,
            start: place.start,
            root: frame.mode == Mode::Root && receiver.is_empty(),
            hint: None,
        });
    }
}

impl Use<'_> {
    /// Returns the use of `a` that `$a` is in a component of Svelte.
    pub(super) fn of_store(self) -> Option<Self> {
        let name = self
            .name
            .strip_prefix('$')
            .filter(|_| self.receiver.is_empty())?;
        let is_rune = RUNES.contains(&name);
        (!is_rune && !name.is_empty()).then(|| Self {
            name,
            start: self.start + 1,
            root: false,
            kind: ReferenceKind::Value,
            ..self
        })
    }
}

/// Splits `a.b.c` into `a.b` and `c`. The first is `?` where it is no chain of names.
fn split_chain(text: &str) -> (&str, &str) {
    let n_ascii = text
        .bytes()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#'))
        .count();
    let before = &text[..text.len() - n_ascii];
    // A letter beyond ASCII is rare enough to look again.
    let before = if before.ends_with(is_name_char) {
        before.trim_end_matches(is_name_char)
    } else {
        before
    };
    let name = &text[before.len()..];
    let receiver = before
        .trim_end()
        .trim_end_matches('.')
        .trim_end_matches('?');
    let receiver = receiver.trim_end();
    (if is_chain(receiver) { receiver } else { "?" }, name)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '\u{200c}' | '\u{200d}')
}

/// Returns whether a text is a chain of names, perhaps with `?` and `!` in it.
pub(super) fn is_chain(text: &str) -> bool {
    let begins = text.starts_with(|c: char| is_name_char(c) && !c.is_ascii_digit());
    begins
        && text.len() <= RECEIVER_BYTES
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || b >= 0x80
                || matches!(b, b'_' | b'$' | b'#' | b'.' | b'?' | b'!')
        })
}

/// Returns a receiver without the marks that do not change what it names (`a?.b!` is `a.b`).
pub(super) fn plain_receiver(receiver: &str) -> String {
    if receiver == "?" || !receiver.contains(['?', '!']) {
        return receiver.to_owned();
    }
    receiver
        .chars()
        .filter(|c| !matches!(c, '?' | '!'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{plain_receiver, split_chain};

    #[test]
    fn a_chain_is_split_at_its_last_name() {
        for (text, expected) in [
            ("a.b", ("a", "b")),
            ("this.db.open", ("this.db", "open")),
            ("a?.b", ("a", "b")),
            ("this.#x", ("this", "#x")),
            ("f(a.b)\n  .then", ("?", "then")),
            ("'a'.b", ("?", "b")),
            ("(a).b", ("?", "b")),
            ("1.5.toFixed", ("?", "toFixed")),
        ] {
            assert_eq!(split_chain(text), expected, "{text}");
        }
        assert_eq!(plain_receiver("a?.b!"), "a.b");
    }
}

//! Small forms that one node tells by itself: `'m'` of `require('m')`, the key of a property, the head of a definition.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::frame::line_of;
use super::kinds::Kind;
use crate::ir::ImportKind;
use crate::syntax::signature;

/// Longest computed name that is kept as written.
const COMPUTED_BYTES: usize = 60;

/// Returns the left and the right side of an assignment.
pub(super) fn sides<'t>(b: &FileBuilder<'_>, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let fields = &b.grammar.fields;
    let left = node.child_by_field_id(fields.left)?;
    Some((left, node.child_by_field_id(fields.right)?))
}

/// The text of a definition up to `end`, without its decorators.
pub(super) fn head<'a>(b: &FileBuilder<'a>, node: Node<'_>, end: usize) -> &'a str {
    let mut start = node.start_byte();
    if b.source.as_bytes().get(start) == Some(&b'@') {
        let mut cursor = node.walk();
        let first = node
            .children(&mut cursor)
            .find(|child| !matches!(b.grammar.kind(*child), Kind::Decorator | Kind::Comment));
        start = first.map_or(start, |child| child.start_byte());
    }
    b.between(start, end)
}

/// Returns where the body of a definition begins, or its end where it has none.
pub(super) fn body_start(b: &FileBuilder<'_>, node: Node<'_>) -> usize {
    let body = node.child_by_field_id(b.grammar.fields.body);
    body.map_or(node.end_byte(), |body| body.start_byte())
}

pub(super) fn signature_of(b: &FileBuilder<'_>, node: Node<'_>) -> String {
    signature::of_head(head(b, node, body_start(b, node)))
}

pub(super) fn name_of<'a>(b: &FileBuilder<'a>, node: Node<'_>) -> Option<(&'a str, u32)> {
    let name = node.child_by_field_id(b.grammar.fields.name)?;
    Some((b.text(name), line_of(name)))
}

/// Returns the module of `require('m')`, `require.resolve('m')` or `import('m')`, with its line.
pub(super) fn module_call<'a>(
    b: &FileBuilder<'a>,
    call: Node<'_>,
) -> Option<(ImportKind, &'a str, u32)> {
    if b.grammar.kind(call) != Kind::CallExpression {
        return None;
    }
    let function = call.child(0)?;
    let kind = match b.grammar.kind(function) {
        Kind::ImportKeyword => ImportKind::Dynamic,
        Kind::Identifier if b.text(function) == "require" => ImportKind::Require,
        Kind::MemberExpression if b.text(function) == "require.resolve" => {
            ImportKind::RequireResolve
        }
        _ => return None,
    };
    let arguments = call.child_by_field_id(b.grammar.fields.arguments)?;
    let mut cursor = arguments.walk();
    let first = arguments
        .named_children(&mut cursor)
        .find(|child| b.grammar.kind(*child) != Kind::Comment)?;
    Some((kind, string_literal(b, first)?, line_of(first)))
}

/// Functions of test runners whose first argument is a module.
const MODULE_FUNCTIONS: [&str; 11] = [
    "createMockFromModule",
    "doMock",
    "doUnmock",
    "dontMock",
    "importActual",
    "importMock",
    "mock",
    "requireActual",
    "requireMock",
    "setMock",
    "unmock",
];

/// Returns the module that a call names to a test runner, `jest.mock('m')` or `vi.importActual('m')`, with its line; `None` where it need
/// not be there: `jest.mock('m', make, { virtual: true })`.
pub(super) fn mocked_module<'a>(b: &FileBuilder<'a>, call: Node<'_>) -> Option<(&'a str, u32)> {
    let function = call.child(0)?;
    if b.grammar.kind(function) != Kind::MemberExpression {
        return None;
    }
    let (runner, name) = b.text(function).split_once('.')?;
    if !matches!(runner, "jest" | "vi" | "vitest") || !MODULE_FUNCTIONS.contains(&name) {
        return None;
    }
    let arguments = call.child_by_field_id(b.grammar.fields.arguments)?;
    let mut cursor = arguments.walk();
    let is_argument = |child: &Node<'_>| b.grammar.kind(*child) != Kind::Comment;
    let mut each = arguments.named_children(&mut cursor).filter(is_argument);
    let module = each.next()?;
    let is_virtual = each.nth(1).is_some_and(|it| b.text(it).contains("virtual"));
    let specifier = string_literal(b, module)?;
    (!is_virtual).then(|| (specifier, line_of(module)))
}

/// The text of a string; `None` for anything but a string without substitutions.
pub(super) fn string_literal<'a>(b: &FileBuilder<'a>, node: Node<'_>) -> Option<&'a str> {
    let text = b.text(node);
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    match b.grammar.kind(node) {
        Kind::Str => Some(inner),
        Kind::TemplateString if !inner.contains("${") => Some(inner),
        _ => None,
    }
}

/// Returns a name, without the quotes that it may have in a list.
pub(super) fn unquoted<'a>(b: &FileBuilder<'a>, node: Node<'_>) -> &'a str {
    b.text(node).trim_matches(['"', '\''])
}

/// Returns the object literal that an expression is, in brackets or not.
pub(super) fn object_literal<'n>(b: &FileBuilder<'_>, value: Node<'n>) -> Option<Node<'n>> {
    match b.grammar.kind(value) {
        Kind::Object => Some(value),
        Kind::Parenthesized => object_literal(b, value.named_child(0)?),
        _ => None,
    }
}

/// Returns the name that a key gives; `None` for one that is computed at run time.
pub(super) fn property_key(b: &FileBuilder<'_>, node: Node<'_>) -> Option<String> {
    let text = b.text(node);
    match b.grammar.kind(node) {
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

/// The export and the module of `require('m').a`; the export is `*` for `require('m')`.
pub(super) fn member_of_module<'a>(
    b: &FileBuilder<'a>,
    module: Node<'_>,
) -> Option<(&'a str, &'a str)> {
    if let Some((_, specifier, _)) = module_call(b, module) {
        return Some(("*", specifier));
    }
    let (_, specifier, _) = module_call(b, module.child(0)?)?;
    let property = module.child_by_field_id(b.grammar.fields.property)?;
    Some((b.text(property), specifier))
}

/// Returns whether a value is none: `null`, `undefined`, `void 0`.
pub(super) fn is_absent(b: &FileBuilder<'_>, node: Node<'_>) -> bool {
    matches!(b.grammar.kind(node), Kind::Null | Kind::Undefined)
        || matches!(b.text(node), "void 0" | "false")
}

/// Returns whether `type` stands right after the first word of a statement.
pub(super) fn is_type_only(node: Node<'_>) -> bool {
    node.child(1)
        .is_some_and(|word| matches!(word.kind(), "type" | "typeof") && !word.is_named())
}

/// Returns whether a name in a list is marked `type`.
pub(super) fn is_type_specifier(node: Node<'_>) -> bool {
    node.child_count() > 1
        && node
            .child(0)
            .is_some_and(|word| matches!(word.kind(), "type" | "typeof") && !word.is_named())
}

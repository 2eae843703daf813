//! Lowers expressions: `new Store().open(x)` → `Call { Member { Construct { Store }, open }, [x] }`.
//!
//! Local names stay names here; `resolve_locals` replaces them when the whole file was seen.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::builtins::Builtin;
use super::kinds::Kind;
use super::lower_type::{self, GIVEN, is_holder};
use super::names::is_chain;
use super::{doc_types, nodes, patterns};
use crate::ir::{Expr, ExprId, ImportKind};

/// Expressions inside expressions that are lowered.
const MAX_DEPTH: usize = 64;

/// Returns the types and the arguments that a call gives, those that have a name: types, new instances, and names that
/// begin as those of classes do.
fn call_args(b: &mut FileBuilder<'_>, call: Node<'_>, depth: usize) -> (Vec<ExprId>, Vec<ExprId>) {
    let fields = b.grammar.fields;
    let mut types = match call.child_by_field_id(fields.type_arguments) {
        Some(types) => lower_type::types(b).given(types, 0),
        None => Vec::new(),
    };
    let mut args = match call.child_by_field_id(fields.arguments) {
        Some(arguments) => value_args(b, arguments, depth),
        None => Vec::new(),
    };
    for one in &mut types {
        if !b.exprs.is_instance(*one) {
            *one = b.exprs.unknown();
        }
    }
    for all in [&mut types, &mut args] {
        while all.last().is_some_and(|one| b.exprs.is_unknown(*one)) {
            all.pop();
        }
    }
    (types, args)
}

fn value_args(b: &mut FileBuilder<'_>, arguments: Node<'_>, depth: usize) -> Vec<ExprId> {
    let mut cursor = arguments.walk();
    let all = arguments.named_children(&mut cursor);
    let all = all.filter(|one| b.grammar.kind(*one) != Kind::Comment);
    let all = all.take_while(|one| b.grammar.kind(*one) != Kind::Spread);
    let all: Vec<Node<'_>> = all.take(GIVEN).collect();
    all.into_iter()
        .map(|one| {
            let found = match b.grammar.kind(one) {
                Kind::NewExpression => lower_expr(b, one),
                // `memo(observer(Page))`
                Kind::CallExpression => {
                    let call = lower_at(b, one, depth);
                    return call
                        .filter(|it| b.exprs.is_call_with_args(*it))
                        .unwrap_or_else(|| b.exprs.unknown());
                }
                Kind::Identifier | Kind::MemberExpression if is_class(b.text(one)) => {
                    lower_expr(b, one)
                }
                _ => None,
            };
            let exprs = &b.exprs;
            let found = found.filter(|it| exprs.is_new(*it) || exprs.is_chain(*it));
            found.unwrap_or_else(|| b.exprs.unknown())
        })
        .collect()
}

/// Returns where a value comes from; `None` where that is no name.
pub(super) fn lower_expr(b: &mut FileBuilder<'_>, value: Node<'_>) -> Option<ExprId> {
    lower_at(b, value, 0)
}

fn lower_at(b: &mut FileBuilder<'_>, node: Node<'_>, depth: usize) -> Option<ExprId> {
    if depth > MAX_DEPTH {
        return None;
    }
    let depth = depth + 1;
    let fields = b.grammar.fields;
    let field = |id: u16| node.child_by_field_id(id);
    match b.grammar.kind(node) {
        Kind::Identifier | Kind::This => Some(b.exprs.name(b.text(node))),
        Kind::MemberExpression => {
            let text = b.text(node);
            if is_chain(text) {
                return Some(b.exprs.chain(text));
            }
            let property = field(fields.property)?;
            let object = lower_at(b, node.child(0)?, depth)?;
            Some(b.exprs.member(object, b.text(property)))
        }
        Kind::Subscript => {
            let object = lower_at(b, node.child(0)?, depth)?;
            subscript(b, object, node.named_child(1)?)
        }
        Kind::CallExpression => {
            if let Some((kind, module, _)) = nodes::module_call(b, node) {
                let is_value = matches!(kind, ImportKind::Require | ImportKind::Dynamic);
                return is_value.then(|| lower_type::types(b).imported("*", module));
            }
            let callee = node.child(0)?;
            if b.text(callee) == "Promise.all"
                && let Some(list) = field(fields.arguments)?.named_child(0)
                && b.grammar.kind(list) == Kind::Array
            {
                return Some(promised_list(b, list, depth));
            }
            if Builtin::ReturnsArgument.has(b.text(callee)) {
                let arguments = field(fields.arguments)?;
                return lower_at(b, arguments.named_child(0)?, depth);
            }
            let callee = lower_at(b, callee, depth)?;
            let (types, args) = call_args(b, node, depth);
            Some(b.exprs.call(callee, &types, &args))
        }
        Kind::NewExpression => new_expression(b, node, depth),
        // `[...items]`, like `Array.from(items)`, has the elements of `items`.
        Kind::Array => {
            let only = node
                .named_child(0)
                .filter(|_| node.named_child_count() == 1)?;
            let is_spread = b.grammar.kind(only) == Kind::Spread;
            lower_at(b, only.named_child(0).filter(|_| is_spread)?, depth)
        }
        Kind::Parenthesized => {
            if b.grammar.untyped
                && let Some(written) = doc_types::type_tag(b, node.start_byte())
            {
                return doc_types::doc_type(b, written);
            }
            lower_at(b, node.named_child(0)?, depth)
        }
        Kind::AwaitExpression | Kind::NonNull => lower_at(b, node.named_child(0)?, depth),
        Kind::AsExpression => match node.named_child(1) {
            Some(written) => lower_type::lower_type(b, written),
            // `as const`
            None => lower_at(b, node.named_child(0)?, depth),
        },
        Kind::TypeAssertion => lower_type::lower_type(b, node.named_child(0)?.named_child(0)?),
        Kind::Satisfies => match lower_at(b, node.named_child(0)?, depth) {
            None => lower_type::lower_type(b, node.named_child(1)?),
            found => found,
        },
        Kind::Assignment => lower_at(b, field(fields.right)?, depth),
        Kind::Binary => {
            let operator = b.text(field(fields.operator)?);
            let (left, right) = (field(fields.left)?, field(fields.right)?);
            match operator {
                "||" | "??" => either_operand(b, left, right, true, depth),
                "&&" => lower_at(b, right, depth),
                _ => None,
            }
        }
        Kind::Ternary => {
            let count = u32::try_from(node.named_child_count()).ok()?;
            let (yes, no) = (
                node.named_child(count.checked_sub(2)?)?,
                node.named_child(count.checked_sub(1)?)?,
            );
            match instanceof_ternary(b, node, yes) {
                None => either_operand(b, yes, no, false, depth),
                found => found,
            }
        }
        _ => None,
    }
}

/// Returns the list that `Promise.all([…])` promises, up to a spread, which moves the items behind it.
fn promised_list(b: &mut FileBuilder<'_>, list: Node<'_>, depth: usize) -> ExprId {
    let mut items = Vec::new();
    for (_, item) in patterns::parts(list) {
        match b.grammar.kind(item) {
            Kind::Comment => {}
            Kind::Spread => break,
            _ => items.push(lower_at(b, item, depth).unwrap_or_else(|| b.exprs.unknown())),
        }
    }
    b.exprs.add(Expr::Tuple(items.into()))
}

/// `object[index]`
fn subscript(b: &mut FileBuilder<'_>, object: ExprId, index: Node<'_>) -> Option<ExprId> {
    match nodes::string_literal(b, index) {
        Some(name) if is_chain(name) && !name.contains('.') => Some(b.exprs.member(object, name)),
        Some(_) => None,
        // A constant may be the key of one member: that is seen when all names are.
        None if b.grammar.kind(index) == Kind::Identifier => {
            let key = b.exprs.arena.name(b.text(index));
            Some(b.exprs.keyed(object, key))
        }
        None => Some(b.exprs.element(object)),
    }
}

/// `new Class<Given>(…)`
fn new_expression(b: &mut FileBuilder<'_>, node: Node<'_>, depth: usize) -> Option<ExprId> {
    let fields = b.grammar.fields;
    let class = node.child_by_field_id(fields.constructor)?;
    let given = node.child_by_field_id(fields.type_arguments);
    let text = b.text(class);
    // `new Map<K, V>()` is the container type, unless the file has a class of that name.
    if let Some(given) = given
        && is_holder(text)
        && b.scopes.number(text).is_none()
    {
        return lower_type::types(b).generic(text, given, 0);
    }
    let of = lower_at(b, class, depth)?;
    let given = given.filter(|_| is_chain(text));
    let given = given.map_or_else(Vec::new, |given| lower_type::types(b).given(given, 0));
    let of = b.exprs.specialized(of, &given);
    Some(b.exprs.construct(of))
}

/// The value of `a || b`, `a ?? b` and `test ? a : b`: the union of both; one alone where the other is a placeholder;
/// for `a || new B()` (`made`) the new instance.
fn either_operand(
    b: &mut FileBuilder<'_>,
    left: Node<'_>,
    right: Node<'_>,
    made: bool,
    depth: usize,
) -> Option<ExprId> {
    let (one, other) = (lower_at(b, left, depth), lower_at(b, right, depth));
    match (one, other) {
        (_, Some(new)) if made && b.exprs.is_new(new) => Some(new),
        (Some(one), Some(other)) => Some(b.exprs.either([one, other])),
        (Some(one), None) if is_placeholder(b, right) => Some(one),
        (None, Some(other)) if is_placeholder(b, left) => Some(other),
        _ => None,
    }
}

/// `a instanceof A ? a : …`: both are an `A`.
fn instanceof_ternary(b: &mut FileBuilder<'_>, ternary: Node<'_>, yes: Node<'_>) -> Option<ExprId> {
    let test = b.text(ternary.named_child(0)?);
    let (value, class) = test.split_once(" instanceof ")?;
    let class = class.trim();
    (value.trim() == b.text(yes) && is_chain(class)).then(|| {
        let class = b.exprs.chain(class);
        b.exprs.instance(class)
    })
}

/// Returns whether a value stands in for one that is missing.
fn is_placeholder(b: &FileBuilder<'_>, node: Node<'_>) -> bool {
    nodes::is_absent(b, node) || matches!(b.text(node), "{}" | "[]")
}

/// Whether a name or the last one of a chain begins as that of a class.
fn is_class(text: &str) -> bool {
    let last = text.rsplit('.').next().unwrap_or(text);
    is_chain(text) && last.starts_with(|c: char| c.is_ascii_uppercase())
}

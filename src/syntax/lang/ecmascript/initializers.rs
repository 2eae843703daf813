//! Classifies initializers: whether `const x = …` defines a function, a class, an object, or a plain value.

use tree_sitter::Node;

use super::builder::FileBuilder;
use super::builtins::Builtin;
use super::kinds::Kind;
use super::nodes;
use crate::model::SymbolKind;
use crate::syntax::signature;

/// Parentheses, casts and calls around a value that are unwrapped.
const UNWRAP_STEPS: usize = 32;

/// Arguments of a call that are looked at for the function it wraps.
const WRAPPED_ARGUMENTS: u32 = 3;

/// The kind of an initializer, with the node that defines the symbol.
#[derive(Clone, Copy, Debug)]
pub(super) enum Initializer<'t> {
    /// A function.
    Function(Node<'t>),
    /// A call that is given a function and returns one.
    Wrapped(Node<'t>),
    /// A class.
    Class(Node<'t>),
    /// An object literal, or a call that is given one.
    Object(Node<'t>),
    /// `require('m')`, with a member of it, or `await import('m')`.
    Module(Node<'t>),
    /// Another name.
    Name(Node<'t>),
    /// `a = …`
    Assignment(Node<'t>),
    /// Something else.
    Other,
}

impl Initializer<'_> {
    /// Whether it is a function or a class itself.
    pub(super) fn is_function_or_class(self) -> bool {
        matches!(self, Self::Function(_) | Self::Class(_))
    }
}

/// Records that the body of a function belongs to `symbol`, until the walk enters it.
pub(super) fn own_body(b: &mut FileBuilder<'_>, initializer: Initializer<'_>, symbol: u32) {
    if let Initializer::Function(body) | Initializer::Wrapped(body) = initializer {
        b.bodies.insert(body.id(), symbol);
    }
}

/// Returns the signature of a name bound to a value that is no function.
pub(super) fn value_signature(
    b: &FileBuilder<'_>,
    node: Node<'_>,
    name: &Node<'_>,
    keyword: &str,
) -> String {
    let text = if keyword.is_empty() {
        nodes::head(b, node, node.end_byte())
    } else {
        b.between(name.start_byte(), node.end_byte())
    };
    // The text ends with the node, but starts after its decorators.
    let start = node.end_byte() - text.len();
    let type_node = node.child_by_field_id(b.grammar.fields.type_);
    let type_end = type_node.map(|t| t.end_byte().saturating_sub(start) + keyword.len());
    let near = &text[..text.floor_char_boundary(1_000)];
    let whole = format!("{keyword}{near}");
    signature::of_value(&whole, type_end.filter(|&end| end <= whole.len()))
}

/// Returns the text of a definition up to the body of its value, or all where that has none.
pub(super) fn value_head<'a>(b: &FileBuilder<'a>, node: Node<'_>, value: Node<'_>) -> &'a str {
    let end = match classify(b, value) {
        Initializer::Function(body) | Initializer::Wrapped(body) | Initializer::Class(body) => {
            nodes::body_start(b, body)
        }
        _ => node.end_byte().min(node.start_byte() + 200),
    };
    let text = b.source.as_bytes();
    let end = (node.start_byte()..=end.min(text.len()))
        .rev()
        .find(|&at| b.source.is_char_boundary(at))
        .unwrap_or(end);
    b.between(node.start_byte(), end)
}

/// Classifies an initializer, through parentheses, casts and wrapping calls: `memo(() => …)` is a function.
pub(super) fn classify<'t>(b: &FileBuilder<'_>, value: Node<'t>) -> Initializer<'t> {
    let mut node = value;
    for _ in 0..UNWRAP_STEPS {
        let kind = b.grammar.kind(node);
        let inner = match kind {
            _ if kind.is_function_value() => return Initializer::Function(node),
            Kind::ClassExpression => return Initializer::Class(node),
            Kind::Object => return Initializer::Object(node),
            Kind::Identifier => return Initializer::Name(node),
            Kind::Assignment => return Initializer::Assignment(node),
            Kind::MemberExpression => {
                return match node.child(0) {
                    Some(call) if nodes::module_call(b, call).is_some() => {
                        Initializer::Module(node)
                    }
                    _ => Initializer::Other,
                };
            }
            Kind::CallExpression if nodes::module_call(b, node).is_some() => {
                return Initializer::Module(node);
            }
            Kind::CallExpression => return classify_call(b, node),
            Kind::Parenthesized
            | Kind::AsExpression
            | Kind::Satisfies
            | Kind::NonNull
            | Kind::AwaitExpression => node.named_child(0),
            // `<T>value`: the type stands first.
            Kind::TypeAssertion => node.named_child(1),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return Initializer::Other,
        }
    }
    Initializer::Other
}

fn classify_call<'t>(b: &FileBuilder<'_>, call: Node<'t>) -> Initializer<'t> {
    let fields = &b.grammar.fields;
    let callee = call.child_by_field_id(fields.function).map(|f| b.text(f));
    let Some(arguments) = call.child_by_field_id(fields.arguments) else {
        return Initializer::Other;
    };
    let callee = callee.unwrap_or_default();
    // `list.map(…)` computes; `React.memo(…)` and `_.debounce(…)` wrap.
    let (object, name) = callee.rsplit_once('.').unwrap_or(("", callee));
    let wraps = !Builtin::Runner.has(name)
        && callee.len() < 80
        && (object.is_empty()
            || matches!(object, "_" | "lodash")
            || (object.starts_with(char::is_uppercase) && Builtin::Wrapper.has(name)));
    for at in 0..WRAPPED_ARGUMENTS {
        let Some(argument) = arguments.named_child(at) else {
            break;
        };
        match b.grammar.kind(argument) {
            kind if kind.is_function_value() => {
                return if wraps {
                    Initializer::Wrapped(argument)
                } else {
                    Initializer::Other
                };
            }
            Kind::Object if object.is_empty() || callee == "Object.freeze" => {
                return Initializer::Object(argument);
            }
            Kind::CallExpression if wraps => {
                if let Initializer::Wrapped(inner) = classify_inner_call(b, argument) {
                    return Initializer::Wrapped(inner);
                }
            }
            _ => {}
        }
    }
    Initializer::Other
}

/// `memo(forwardRef(function () {}))`: one call further in, and no more.
fn classify_inner_call<'t>(b: &FileBuilder<'_>, call: Node<'t>) -> Initializer<'t> {
    let fields = &b.grammar.fields;
    let callee = call
        .child_by_field_id(fields.function)
        .map_or("", |f| b.text(f));
    let first = call
        .child_by_field_id(fields.arguments)
        .and_then(|arguments| arguments.named_child(0))
        .filter(|argument| b.grammar.kind(*argument).is_function_value());
    match first {
        Some(inner) if Builtin::Wrapper.has(callee.rsplit('.').next().unwrap_or(callee)) => {
            Initializer::Wrapped(inner)
        }
        _ => Initializer::Other,
    }
}

/// Returns whether a function is the argument of a call that is known to return one like it.
pub(super) fn is_known_wrapper(b: &FileBuilder<'_>, function: Node<'_>) -> bool {
    // The callee ends where the arguments begin; `memo<Props>(` has types before them.
    let before = b.between(
        function.start_byte().saturating_sub(80),
        function.start_byte(),
    );
    let before = before.trim_end().trim_end_matches("async").trim_end();
    let Some(callee) = before.strip_suffix('(') else {
        return false;
    };
    let callee = callee.split('<').next().unwrap_or(callee);
    let name = callee
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    name.is_some_and(|name| Builtin::Wrapper.has(name))
}

/// The kind of symbol that an exported value is.
pub(super) fn kind_of(initializer: Initializer<'_>) -> SymbolKind {
    match initializer {
        Initializer::Function(_) | Initializer::Wrapped(_) => SymbolKind::Function,
        Initializer::Class(_) => SymbolKind::Class,
        _ => SymbolKind::Constant,
    }
}

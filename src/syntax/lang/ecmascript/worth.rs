//! What a value makes of the name it is bound to.
//!
//! Knows the calls that wrap functions and those that only run them. Refuses to know names.

use tree_sitter::Node;

use super::kinds::Kind;
use super::walk::Walk;

/// Steps from a value to what is inside its parentheses, casts and calls.
const UNWRAP_STEPS: usize = 32;
/// Arguments of a call that are looked at for the function it wraps.
const WRAPPED_ARGUMENTS: u32 = 3;
/// Calls that run a function later or at once rather than return one like it.
const RUNNERS: &[&str] = &[
    "setTimeout",
    "setInterval",
    "setImmediate",
    "requestAnimationFrame",
    "computed",
    "ref",
    "watch",
    "watchEffect",
    "effect",
    "useMemo",
    "describe",
    "it",
    "test",
    "Promise",
    "queueMicrotask",
    "nextTick",
    "signal",
    "reactive",
    "shallowRef",
    "customRef",
    "useState",
    "useReducer",
    "Array",
    "Object",
    "require",
    "expect",
    "atom",
    "derived",
    "writable",
    "readable",
    "createContext",
];
/// Calls that return a function like the one they are given, known enough to believe it of a local name.
const WRAPPERS: &[&str] = &[
    "useCallback",
    "memo",
    "forwardRef",
    "debounce",
    "throttle",
    "once",
    "memoize",
    "useEvent",
    "promisify",
    "partial",
    "curry",
    "bind",
    "withCtx",
    "markRaw",
    "defineComponent",
    "observer",
    "cache",
];

/// What a value makes of its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Worth<'t> {
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

impl Walk<'_> {
    /// Returns what a value makes of the name it is bound to.
    pub(super) fn worth<'t>(&self, value: Node<'t>) -> Worth<'t> {
        let mut node = value;
        for _ in 0..UNWRAP_STEPS {
            let kind = self.grammar.kind(node);
            let inner = match kind {
                _ if kind.is_function_value() => return Worth::Function(node),
                Kind::ClassExpression => return Worth::Class(node),
                Kind::Object => return Worth::Object(node),
                Kind::Identifier => return Worth::Name(node),
                Kind::Assignment => return Worth::Assignment(node),
                Kind::MemberExpression => {
                    return match node.child(0) {
                        Some(call) if self.module_call(call).is_some() => Worth::Module(node),
                        _ => Worth::Other,
                    };
                }
                Kind::CallExpression if self.module_call(node).is_some() => {
                    return Worth::Module(node);
                }
                Kind::CallExpression => return self.worth_of_call(node),
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
                None => return Worth::Other,
            }
        }
        Worth::Other
    }

    fn worth_of_call<'t>(&self, call: Node<'t>) -> Worth<'t> {
        let fields = &self.grammar.fields;
        let callee = call
            .child_by_field_id(fields.function)
            .map(|f| self.text(f));
        let Some(arguments) = call.child_by_field_id(fields.arguments) else {
            return Worth::Other;
        };
        let callee = callee.unwrap_or_default();
        // `list.map(…)` computes; `React.memo(…)` and `_.debounce(…)` wrap.
        let (object, name) = callee.rsplit_once('.').unwrap_or(("", callee));
        let wraps = !RUNNERS.contains(&name)
            && callee.len() < 80
            && (object.is_empty()
                || matches!(object, "_" | "lodash")
                || (object.starts_with(char::is_uppercase) && WRAPPERS.contains(&name)));
        for at in 0..WRAPPED_ARGUMENTS {
            let Some(argument) = arguments.named_child(at) else {
                break;
            };
            match self.grammar.kind(argument) {
                kind if kind.is_function_value() => {
                    return if wraps {
                        Worth::Wrapped(argument)
                    } else {
                        Worth::Other
                    };
                }
                Kind::Object if object.is_empty() || callee == "Object.freeze" => {
                    return Worth::Object(argument);
                }
                Kind::CallExpression if wraps => {
                    if let Worth::Wrapped(inner) = self.worth_of_inner_call(argument) {
                        return Worth::Wrapped(inner);
                    }
                }
                _ => {}
            }
        }
        Worth::Other
    }

    /// `memo(forwardRef(function () {}))`: one call further in, and no more.
    fn worth_of_inner_call<'t>(&self, call: Node<'t>) -> Worth<'t> {
        let fields = &self.grammar.fields;
        let callee = call
            .child_by_field_id(fields.function)
            .map_or("", |f| self.text(f));
        let first = call
            .child_by_field_id(fields.arguments)
            .and_then(|arguments| arguments.named_child(0))
            .filter(|argument| self.grammar.kind(*argument).is_function_value());
        match first {
            Some(inner) if WRAPPERS.contains(&callee.rsplit('.').next().unwrap_or(callee)) => {
                Worth::Wrapped(inner)
            }
            _ => Worth::Other,
        }
    }

    /// Returns whether a function is the argument of a call that is known to return one like it.
    pub(super) fn is_known_wrapper(&self, function: Node<'_>) -> bool {
        // The callee ends where the arguments begin; `memo<Props>(` has types before them.
        let before = self.between(
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
        name.is_some_and(|name| WRAPPERS.contains(&name))
    }
}

//! What an expression is, as far as linking follows it.
//!
//! Refuses to know how that is found out.

use std::rc::Rc;

use super::facts::Loaded;
use super::generic::Given;
use super::library::Def;
use crate::model::SymbolKind;

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The definition or module itself.
    Thing(Def),
    /// Something whose type is the definition.
    Instance(Def),
    /// As that, of a type that was given others.
    Generic(Def, Rc<Given>),
    /// Something that holds such: a list, a set, a map.
    Holder(Rc<Value>),
    /// Something whose members are such, whatever their names.
    Keyed(Rc<Value>),
    /// A function that gives this when it is called.
    Giver(Rc<Value>),
    /// One of several, which none but the running code knows.
    Any(Rc<[Value]>),
    /// A literal inside a literal, or a type that a comment defines, which are no definitions: the file,
    /// whose member it is, and the names that lead to it.
    Literal(i64, Option<u32>, Rc<str>),
}

impl Value {
    /// Whether it is something whose type is a definition.
    pub(super) fn is_instance(&self) -> bool {
        matches!(self, Self::Instance(_) | Self::Generic(..))
    }

    /// The same without the types that its own was given.
    pub(super) fn plain(&self) -> Self {
        match self {
            Self::Generic(def, _) => Self::Instance(*def),
            other => other.clone(),
        }
    }

    /// An instance of it, where it is a type; itself otherwise.
    pub(super) fn instance(self) -> Self {
        match self {
            Self::Thing(def) => Self::Instance(def),
            Self::Any(all) => all
                .iter()
                .cloned()
                .map(Self::instance)
                .reduce(Self::or)
                .unwrap_or(Self::Any(all)),
            other => other,
        }
    }

    /// Either this or the other.
    pub(super) fn or(self, other: Self) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for one in [self, other] {
            let parts = match one {
                Self::Any(parts) => parts.to_vec(),
                one => vec![one],
            };
            for part in parts {
                if !all.contains(&part) {
                    all.push(part);
                }
            }
        }
        match all.len() {
            1 => all.swap_remove(0),
            _ => Self::Any(all.into()),
        }
    }
}

/// The members of holders that hold the same.
const SAME: [&str; 14] = [
    "filter",
    "slice",
    "concat",
    "reverse",
    "sort",
    "values",
    "splice",
    "toSorted",
    "toReversed",
    "toSpliced",
    "copyWithin",
    "fill",
    "flat",
    "add",
];
/// The members of holders that give one of what they hold.
const ONE: [&str; 8] = [
    "find", "findLast", "at", "pop", "shift", "get", "next", "deref",
];

/// Returns what a member of a holder gives.
pub(super) fn of_holder(held: &Rc<Value>, name: &str) -> Option<Value> {
    if SAME.contains(&name) {
        return Some(Value::Giver(Rc::new(Value::Holder(Rc::clone(held)))));
    }
    ONE.contains(&name).then(|| Value::Giver(Rc::clone(held)))
}

/// `f.call`, `f.apply` and `f.bind` are ways to call `f`.
pub(super) fn function_member(
    loaded: &Loaded,
    at: u32,
    name: &str,
    value: &Value,
) -> Option<Value> {
    if !matches!(
        loaded.symbol(at).kind,
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constant
    ) {
        return None;
    }
    match name {
        "call" | "apply" => Some(value.clone()),
        "bind" => Some(Value::Giver(Rc::new(value.clone()))),
        _ => None,
    }
}

//! How well values of Java fit parameters, as far as names of the standard library tell (The Java Language Specification,
//! 4.10 and 5.3).
//!
//! For example a `short[]` fits `Object` and no `int[]`, a `StringReader` is a `Reader`, and `Double.NaN` is a `double`.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::fits::{
    ANY_OBJECT, CONVERTED, EXACT, Fit, POSSIBLE, SAME_SHAPE, SIMILAR, WEAKLY_CONVERTED, is_boxed,
    is_primitive, unboxed, widened,
};
use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::{Expr, ExprId, SymbolIdx};
use crate::model::{BuiltinTable, ModuleId, SymbolKind};

/// Constants of the standard library by their types.
static CONSTANTS: BuiltinTable<&str> = BuiltinTable::new(
    "Java: constants",
    &[
        ("Boolean", "Boolean.FALSE Boolean.TRUE"),
        ("byte", "Byte.MAX_VALUE Byte.MIN_VALUE"),
        ("char", "Character.MAX_VALUE Character.MIN_VALUE"),
        (
            "double",
            "Double.MAX_VALUE Double.MIN_NORMAL Double.MIN_VALUE Double.NEGATIVE_INFINITY Double.NaN \
             Double.POSITIVE_INFINITY Math.E Math.PI",
        ),
        (
            "float",
            "Float.MAX_VALUE Float.MIN_NORMAL Float.MIN_VALUE Float.NEGATIVE_INFINITY Float.NaN \
             Float.POSITIVE_INFINITY",
        ),
        ("int", "Integer.MAX_VALUE Integer.MIN_VALUE"),
        ("long", "Long.MAX_VALUE Long.MIN_VALUE"),
        ("short", "Short.MAX_VALUE Short.MIN_VALUE"),
    ],
);

/// Whether a value needs a box, or has to leave one, to become the argument of a parameter: a method that takes it as it is comes
/// first.
pub(super) fn needs_boxing(arg: Option<&Type>, param: Option<&Type>) -> bool {
    let Some(Type::ExternalType(arg)) = arg else {
        return false;
    };
    match param {
        Some(Type::ExternalType(param)) => {
            !is_literal(arg) && is_primitive(&arg.name) != is_primitive(&param.name)
        }
        // A type parameter.
        None => is_primitive(&arg.name),
        _ => false,
    }
}

/// Whether a value may be the argument of a parameter `T[]`: arrays of primitive values are none of those.
pub(super) fn may_be_array_of_objects(arg: Option<&Type>) -> bool {
    match arg {
        Some(Type::Container(_, element)) => !is_primitive_type(element),
        Some(Type::ExternalType(of)) => is_literal(of),
        Some(arg) => arg.symbol().is_none(),
        None => true,
    }
}

/// Whether two types are one without their type arguments: `List<T>` and `List<Row>` (The Java Language Specification, 4.6).
pub(super) fn is_same_erasure(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::ExternalType(one), Type::ExternalType(other)) => one.name == other.name,
        (Type::Container(..), Type::Container(..)) => true,
        _ => one == other || one.symbol().is_some() && one.symbol() == other.symbol(),
    }
}

pub(super) fn is_primitive_type(of: &Type) -> bool {
    matches!(of, Type::ExternalType(of) if is_primitive(&of.name))
}

/// Returns how well a value of a type of the standard library fits another one.
pub(super) fn fit_of_external(arg: &ExternalType, param: &ExternalType) -> Fit {
    let (arg, param) = (&*arg.name, &*param.name);
    if arg == param {
        return Some(EXACT);
    }
    let has_box = |name: &str| BOXED_NUMBERS.contains(&name) || is_single(name);
    match (is_primitive(arg), is_primitive(param)) {
        (true, true) => widened(arg, param),
        (true, false) if is_boxed(arg, param) => Some(CONVERTED),
        (true, false) => boxed(arg).and_then(|class| {
            let is_taken = param == "Object" || takes_plain(class, param).is_some();
            is_taken.then_some(ANY_OBJECT)
        }),
        (false, true) if is_boxed(param, arg) => Some(CONVERTED),
        (false, true) => {
            let inner = unboxed(arg).filter(|_| has_box(arg))?;
            widened(inner, param).map(|_| WEAKLY_CONVERTED)
        }
        _ if param == "Object" => Some(ANY_OBJECT),
        _ if has_box(arg) || matches!(arg, "String" | "Class") => takes_plain(arg, param),
        // Classes that nothing extends.
        _ if has_box(param) || matches!(param, "String" | "Class") => Some(POSSIBLE),
        _ if is_named_below(arg, param) => Some(SIMILAR),
        _ => Some(POSSIBLE),
    }
}

/// The boxes of numbers.
const BOXED_NUMBERS: [&str; 6] = ["Byte", "Short", "Integer", "Long", "Float", "Double"];

/// Whether it is a box that is no number.
fn is_single(name: &str) -> bool {
    matches!(name, "Boolean" | "Character")
}

/// `null` and lambdas, which have no type of their own.
pub(super) fn is_literal(of: &ExternalType) -> bool {
    matches!(&*of.name, "null" | "lambda")
}

fn boxed(primitive: &str) -> Option<&'static str> {
    let all = BOXED_NUMBERS.iter().copied();
    all.chain(["Boolean", "Character"])
        .find(|class| is_boxed(primitive, class))
}

/// Returns how well a value of a class that nothing extends fits another class.
fn takes_plain(arg: &str, param: &str) -> Fit {
    let is_taken = match param {
        "Number" => BOXED_NUMBERS.contains(&arg),
        "Comparable" => arg != "Class",
        "Serializable" | "Constable" => true,
        "CharSequence" => return (arg == "String").then_some(SAME_SHAPE),
        "AnnotatedElement" | "GenericDeclaration" | "Type" => {
            return (arg == "Class").then_some(SAME_SHAPE);
        }
        _ => false,
    };
    is_taken.then_some(WEAKLY_CONVERTED)
}

/// Whether a class of the standard library is below another, by their names.
pub(super) fn is_named_below(arg: &str, param: &str) -> bool {
    let ends = |ends: &[&str]| ends.iter().any(|end| arg.ends_with(end));
    let is_text = || {
        matches!(
            arg,
            "CharBuffer" | "Segment" | "StringBuffer" | "StringBuilder"
        )
    };
    let is_list = || arg.ends_with("List") || matches!(arg, "Stack" | "Vector");
    let is_collection = || is_list() || ends(&["Collection", "Deque", "Queue", "Set"]);
    // A `StringReader` is a `Reader`.
    arg.len() > param.len() && arg.ends_with(param)
        || match param {
            "AnnotatedElement" | "Member" => matches!(arg, "Constructor" | "Field" | "Method"),
            "Appendable" => is_text() || ends(&["PrintStream", "Writer"]),
            "AutoCloseable" | "Closeable" => ends(&["Channel", "Reader", "Stream", "Writer"]),
            "CharSequence" => is_text(),
            "Collection" | "Iterable" => is_collection(),
            "Executor" => arg.ends_with("ExecutorService"),
            "List" => is_list(),
            "Map" => matches!(arg, "Hashtable" | "Properties"),
            "Number" => ends(&["BigDecimal", "BigInteger", "Integer", "Long", "Adder"]),
            "OutputStream" => arg == "PrintStream",
            "Readable" => arg.ends_with("Reader"),
            "Throwable" => ends(&["Error", "Exception"]),
            _ => false,
        }
}

impl Linker<'_, '_> {
    /// Where a method that is named without arguments is one of several, `this::add` with `add(Row)` and `add(Row, int)`: whether all of them
    /// are in one class. `None` for one that is alone.
    pub(super) fn overloads_of_reference(&self, found: &Type) -> Option<bool> {
        let Type::Definition(Def::Symbol(in_file, at)) = found else {
            return None;
        };
        let loaded = self.cache.get(*in_file)?;
        let class = loaded.symbol(*at).parent?;
        if loaded.symbol(*at).kind != SymbolKind::Method {
            return None;
        }
        let own = (*in_file, *at);
        let others = self.methods_like(&loaded, *at).into_iter();
        let others = others.filter(|it| {
            *it != own && (self.n_params_of(*it) != self.n_params_of(own) || self.differ(own, *it))
        });
        let is_beside = |it: (ModuleId, SymbolIdx)| {
            it.0 == *in_file && loaded.symbol(it.1).parent == Some(class)
        };
        others.map(is_beside).min()
    }

    /// Returns the type of a constant of an external class, as an argument: a `double` for `Double.NaN`. That of any other is not known.
    pub(super) fn external_constant(
        &self,
        file: &Rc<LinkedFile>,
        arg: ExprId,
        this: Option<&Type>,
    ) -> Type {
        let known = || {
            let Expr::Member { object, name } = file.expr(arg) else {
                return None;
            };
            let Type::ExternalType(class) = self.infer(file, *object, this)? else {
                return None;
            };
            let name = file.facts.exprs.name_of(*name);
            CONSTANTS.get(&format!("{}.{name}", class.name)).copied()
        };
        known().map_or(Type::External, ExternalType::plain)
    }

    /// Returns how well an element of an array fits an element of another: primitive ones are never converted.
    pub(super) fn fit_of_elements(&self, arg: &Type, param: &Type, depth: usize) -> Fit {
        if is_primitive_type(arg) || is_primitive_type(param) {
            return (arg == param).then_some(EXACT);
        }
        self.fit(Some(arg), Some(param), depth + 1)
    }

    /// Returns how well a value of a class of the repository fits an external class that is no class of all values.
    pub(super) fn fit_to_external_class(&self, arg: &Type, name: &str, depth: usize) -> Fit {
        let kind = arg.symbol().and_then(|(file, at)| self.kind(file, at));
        if self.extends_external(arg, name, depth)
            || name == "Enum" && matches!(kind, Some(SymbolKind::Enum | SymbolKind::EnumMember))
        {
            return Some(SIMILAR);
        }
        self.may_extend_external_class(arg, depth)
            .then_some(POSSIBLE)
    }

    /// Whether something external stands above a class of the repository of which it is not known what it is built on.
    fn may_extend_external_class(&self, arg: &Type, depth: usize) -> bool {
        let Some((in_file, class)) = arg.symbol().filter(|_| depth < 8) else {
            return true;
        };
        let Some(loaded) = self.cache.get(in_file) else {
            return true;
        };
        loaded
            .bases(class)
            .any(|base| match self.infer(&loaded, base, None) {
                Some(Type::ExternalType(base)) => !base.has_known_methods(),
                Some(base) if base.symbol().is_some() => {
                    base != *arg && self.may_extend_external_class(&base, depth + 1)
                }
                _ => true,
            })
    }
}

//! Overloads: of several methods of one name the one that takes the arguments of a call.
//!
//! By the number of arguments, then by those whose types are evident, as far as code shows them: a literal, `new A()`, a
//! declared variable. Methods of a class come before those of its bases, methods with a fixed number of parameters
//! before those that take any number (The Java Language Specification, 15.12.2).

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::{ExprId, PathId, Slot, SymbolIdx};
use crate::model::{SymbolFlags, SymbolKind};

/// How many methods of one name are compared.
const MAX_CANDIDATES: usize = 64;

/// How many classes are looked through for methods of one name, and how far up a hierarchy.
const MAX_CLASSES: usize = 64;

/// Primitive types of numbers, each of which takes a value of those before it; `char` is one for `int` and further ones.
const NUMBERS: [&str; 6] = ["byte", "short", "int", "long", "float", "double"];

/// The classes of primitive values.
const BOXES: [(&str, &str); 8] = [
    ("byte", "Byte"),
    ("short", "Short"),
    ("int", "Integer"),
    ("long", "Long"),
    ("float", "Float"),
    ("double", "Double"),
    ("char", "Character"),
    ("boolean", "Boolean"),
];

/// A method, by its file and place.
type Method = (i64, SymbolIdx);

/// How well an argument fits a parameter, from 0 on; `None` where it does not.
type Fit = Option<u32>;

impl Linker<'_, '_> {
    /// Returns of the methods that share the name of `found`, in its class and the bases of that, the one that takes these
    /// arguments; `found` where none is known to. `object` is the receiver of the method.
    pub(super) fn overload(
        &self,
        found: Type,
        object: Option<&Type>,
        file: &Rc<LinkedFile>,
        args: &[ExprId],
        this: Option<&Type>,
    ) -> Type {
        let (found, is_undecided) = if self.rules().has_includes {
            self.included_overload(found, file, args, this)
        } else {
            self.chosen(found, object, file, args, this)
        };
        self.is_undecided.set(is_undecided);
        found
    }

    /// As [`Self::overload`], with whether the arguments fit others as well.
    fn chosen(
        &self,
        found: Type,
        object: Option<&Type>,
        file: &Rc<LinkedFile>,
        args: &[ExprId],
        this: Option<&Type>,
    ) -> (Type, bool) {
        let Type::Definition(Def::Symbol(in_file, at)) = found else {
            return (found, false);
        };
        let Some(loaded) = self.cache.get(in_file) else {
            return (found, false);
        };
        if loaded.symbol(at).kind != SymbolKind::Method {
            return (found, false);
        }
        let args: Vec<Option<Type>> = args
            .iter()
            .map(|arg| self.infer(file, *arg, this))
            .collect();
        let own = loaded.overloads(at);
        if own.len() == 1
            && self
                .fit_of_method((in_file, at), object, &args, false)
                .is_some()
        {
            return (found, false);
        }
        let all = self.methods_like(&loaded, at);
        if all.len() < 2 {
            return (found, false);
        }
        for is_variadic in [false, true] {
            let mut best: Vec<(u32, Method)> = Vec::new();
            for method in &all {
                let fit = self.fit_of_method(*method, object, &args, is_variadic);
                if let Some(fit) = fit {
                    let known = best.first().map(|(known, _)| *known);
                    if known.is_none_or(|known| fit > known) {
                        best.clear();
                    }
                    if known.is_none_or(|known| fit >= known) {
                        best.push((fit, *method));
                    }
                }
            }
            if let [(_, first), others @ ..] = best.as_slice() {
                let mut others = others.iter();
                let is_undecided = others.any(|(_, other)| self.differ(*first, *other));
                return (
                    Type::Definition(Def::Symbol(first.0, first.1)),
                    is_undecided,
                );
            }
        }
        // None fits by what is known of the types: the number of arguments decides.
        let has_arity = |(in_file, at): &&Method| {
            let loaded = self.cache.get(*in_file);
            loaded.is_some_and(|it| n_params(&it, *at) == args.len())
        };
        let mut by_arity = all.iter().filter(has_arity);
        match by_arity.next() {
            Some(first) => (
                Type::Definition(Def::Symbol(first.0, first.1)),
                by_arity.any(|other| self.differ(*first, *other)),
            ),
            None => (found, true),
        }
    }

    /// Whether two methods are overloads, not one method that is declared in a class and in its base: a parameter of theirs has
    /// different types.
    fn differ(&self, one: Method, other: Method) -> bool {
        let type_of = |(in_file, at): Method, index: u8| {
            let loaded = self.cache.get(in_file)?;
            self.infer(&loaded, loaded.value(at, Slot::Param(index))?, None)
        };
        (0..u8::MAX)
            .map(|index| (type_of(one, index), type_of(other, index)))
            .take_while(|(one, other)| one.is_some() || other.is_some())
            .any(|pair| matches!(pair, (Some(one), Some(other)) if one != other))
    }

    /// Returns the methods of the name of one, from its class on upwards.
    fn methods_like(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx) -> Vec<Method> {
        let Some(class) = loaded.symbol(at).parent else {
            return vec![(loaded.file, at)];
        };
        let name = loaded.lookup_name(at);
        let mut all = Vec::new();
        let mut seen = vec![(loaded.file, class)];
        let mut next = 0;
        while let Some(&(in_file, class)) = seen.get(next) {
            next += 1;
            let Some(loaded) = self.cache.get(in_file) else {
                continue;
            };
            for method in loaded.members(class, &name) {
                if loaded.symbol(*method).kind == SymbolKind::Method && all.len() < MAX_CANDIDATES {
                    all.push((in_file, *method));
                }
            }
            for base in loaded.bases(class) {
                if let Some(base) = self.infer(&loaded, base, None).and_then(|it| it.symbol())
                    && !seen.contains(&base)
                    && seen.len() < MAX_CLASSES
                {
                    seen.push(base);
                }
            }
        }
        all
    }

    fn fit_of_method(
        &self,
        (in_file, at): Method,
        object: Option<&Type>,
        args: &[Option<Type>],
        is_variadic: bool,
    ) -> Fit {
        let loaded = self.cache.get(in_file)?;
        let n_params = n_params(&loaded, at);
        let takes_any = loaded.symbol(at).flags.contains(SymbolFlags::VARIADIC);
        let is_fit = if is_variadic {
            takes_any && args.len() + 1 >= n_params
        } else {
            args.len() == n_params
        };
        if !is_fit {
            return None;
        }
        let mut sum = 0;
        for (index, arg) in args.iter().enumerate() {
            let is_rest = is_variadic && index + 1 >= n_params;
            let index = index.min(n_params.checked_sub(1)?);
            let slot = Slot::Param(u8::try_from(index).ok()?);
            let value = loaded.value(at, slot)?;
            let mut param = self.infer(&loaded, value, object);
            if is_rest && let Some(Type::Container(_, element)) = &param {
                param = Some((**element).clone());
            }
            sum += self.fit(arg.as_ref(), param.as_ref(), 0)?;
        }
        Some(sum)
    }

    /// Returns how well a value fits a type.
    fn fit(&self, arg: Option<&Type>, param: Option<&Type>, depth: usize) -> Fit {
        const UNKNOWN: Fit = Some(2);
        if depth > 8 {
            return UNKNOWN;
        }
        let (Some(arg), Some(param)) = (arg, param) else {
            // A type parameter takes any object, and a primitive value in a box.
            return UNKNOWN;
        };
        if arg == param {
            return Some(9);
        }
        match (arg, param) {
            (Type::Union(all), _) => all
                .iter()
                .map(|one| self.fit(Some(one), Some(param), depth + 1))
                .max()
                .flatten(),
            (_, Type::Union(_) | Type::External) => UNKNOWN,
            (Type::External | Type::ExternalMethod(..), param) => {
                Some(if param.symbol().is_some() { 0 } else { 2 })
            }
            (Type::ExternalType(arg), Type::ExternalType(param)) => external_fit(arg, param),
            (Type::Container(_, arg), Type::Container(_, param)) => {
                self.fit(Some(arg), Some(param), depth + 1)
            }
            (Type::Container(..), Type::ExternalType(param)) => is_object(&param.name).then_some(1),
            (Type::ExternalType(arg), Type::Container(..)) => (&*arg.name == "null").then_some(4),
            (Type::Container(..), _) | (_, Type::Container(..)) => None,
            (Type::ExternalType(arg), _) => match &*arg.name {
                "null" | "lambda" => Some(4),
                name if is_primitive(name) || is_plain(name) => None,
                _ => Some(0),
            },
            (_, Type::ExternalType(param)) => match &*param.name {
                name if is_object(name) => Some(1),
                name if is_primitive(name) || is_plain(name) => None,
                name => self
                    .extends_external(arg, name, depth)
                    .then_some(5)
                    .or(Some(0)),
            },
            _ => self.distance(arg, param),
        }
    }

    /// Returns how near a class is above another; `None` where it is not.
    fn distance(&self, arg: &Type, param: &Type) -> Fit {
        let (from, to) = (arg.symbol()?, param.symbol()?);
        let mut seen = vec![(from, 0_u32)];
        let mut next = 0;
        while let Some(&((in_file, class), depth)) = seen.get(next) {
            next += 1;
            if (in_file, class) == to {
                return Some(8_u32.saturating_sub(depth).max(3));
            }
            let Some(loaded) = self.cache.get(in_file) else {
                continue;
            };
            for base in loaded.bases(class) {
                if let Some(base) = self.infer(&loaded, base, None).and_then(|it| it.symbol())
                    && seen.iter().all(|(it, _)| *it != base)
                    && seen.len() < MAX_CLASSES
                {
                    seen.push((base, depth + 1));
                }
            }
        }
        None
    }

    /// Whether a class of the repository is built on one from outside, by name.
    fn extends_external(&self, arg: &Type, name: &str, depth: usize) -> bool {
        let Some((in_file, class)) = arg.symbol().filter(|_| depth < 8) else {
            return false;
        };
        let Some(loaded) = self.cache.get(in_file) else {
            return false;
        };
        loaded.bases(class).any(|base| {
            let base = self.infer(&loaded, base, None);
            base.is_some_and(|base| match &base {
                Type::ExternalType(base) => &*base.name == name,
                base => base != arg && self.extends_external(base, name, depth + 1),
            })
        })
    }
}

/// Returns the number of parameters of a method.
pub(super) fn n_params(loaded: &LinkedFile, at: SymbolIdx) -> usize {
    let has = |index: usize| {
        let slot = Slot::Param(u8::try_from(index).unwrap_or(u8::MAX));
        let path = loaded.below(PathId::EMPTY, slot);
        path.is_some() && loaded.values(Some(at), path).next().is_some()
    };
    (0..255).take_while(|index| has(*index)).count()
}

fn external_fit(arg: &ExternalType, param: &ExternalType) -> Fit {
    let (arg, param) = (&*arg.name, &*param.name);
    if arg == param {
        return Some(9);
    }
    let box_of = |name: &str| BOXES.iter().find(|it| it.0 == name).map(|it| it.1);
    let boxed_in = |name: &str| BOXES.iter().find(|it| it.1 == name).map(|it| it.0);
    match (arg, param) {
        ("null", param) => (!is_primitive(param)).then_some(if is_object(param) { 3 } else { 4 }),
        ("lambda", param) => {
            (!is_primitive(param) && !is_plain(param) && !is_object(param)).then_some(4)
        }
        _ if is_primitive(arg) && is_primitive(param) => widened(arg, param),
        _ if is_primitive(arg) => {
            let is_box = box_of(arg) == Some(param);
            is_box.then_some(4).or(is_object(param).then_some(1))
        }
        _ if is_primitive(param) => boxed_in(arg).and_then(|arg| {
            if arg == param {
                Some(4)
            } else {
                widened(arg, param).map(|_| 3)
            }
        }),
        (_, "Object") => Some(1),
        ("String", "CharSequence") => Some(6),
        _ if is_plain(arg) => is_object(param).then_some(3),
        _ if is_plain(param) => Some(0),
        _ => Some(2),
    }
}

/// Returns how well a primitive value fits another type of such.
fn widened(arg: &str, param: &str) -> Fit {
    let rank = |name: &str| NUMBERS.iter().position(|it| *it == name);
    let to = rank(param)?;
    let from = if arg == "char" { 1 } else { rank(arg)? };
    let steps = u32::try_from(to.checked_sub(from)?).ok()?;
    (arg != "char" || to > 1).then_some(8_u32.saturating_sub(steps).max(5))
}

fn is_primitive(name: &str) -> bool {
    name == "void" || BOXES.iter().any(|it| it.0 == name)
}

/// Whether a class of the standard library has no classes below it.
fn is_plain(name: &str) -> bool {
    name == "String" || name == "Class" || BOXES.iter().any(|it| it.1 == name)
}

/// Whether a type of the standard library takes boxes, strings and more.
fn is_object(name: &str) -> bool {
    matches!(
        name,
        "Object" | "Number" | "Comparable" | "Serializable" | "CharSequence" | "Constable"
    )
}

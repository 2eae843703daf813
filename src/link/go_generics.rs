//! External generic types and functions of Go: `atomic.Pointer[Store]`, `slices.Clone(stores)`.
//!
//! A result that may hold a type of the repository is unknown, unless the tables say what it is. Interfaces of the standard
//! library are in `go_std`.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::generics::is_variable;
use super::linker::Linker;
use super::types::{ExternalType, Substitution, Type};
use crate::ir::{ContainerKind, Expr, ExprId};
use crate::model::{BuiltinSet, BuiltinTable};

/// The result of a generic function of the standard library.
#[derive(Clone, Copy, Debug)]
enum GoResult {
    /// The first argument.
    Argument,
    /// An element of the first argument.
    Element,
    /// A slice of the elements of the first argument.
    Slice,
    /// A sequence of the elements of the first argument: `iter.Seq`.
    Elements,
    /// A sequence of the keys of the first argument.
    Keys,
    /// A sequence of the keys and elements of the first argument: `iter.Seq2`.
    Pairs,
    /// A sequence of slices like the first argument.
    Chunks,
    /// A function that returns the next element of the first argument, and one that stops.
    Pull,
}

/// Generic functions by package and name.
static FUNCTIONS: BuiltinTable<GoResult> = BuiltinTable::new(
    "Go: generic functions",
    &[
        (
            GoResult::Argument,
            "cmp.Or maps.Clone maps.Collect slices.AppendSeq slices.Clip slices.Clone slices.Compact \
             slices.CompactFunc slices.Concat slices.Delete slices.DeleteFunc slices.Grow slices.Insert \
             slices.Repeat slices.Replace sync.OnceValue sync.OnceValues",
        ),
        (
            GoResult::Element,
            "slices.Max slices.MaxFunc slices.Min slices.MinFunc",
        ),
        (
            GoResult::Slice,
            "slices.Collect slices.Sorted slices.SortedFunc slices.SortedStableFunc",
        ),
        (GoResult::Elements, "maps.Values slices.Values"),
        (GoResult::Keys, "maps.Keys"),
        (GoResult::Pairs, "maps.All slices.All slices.Backward"),
        (GoResult::Chunks, "slices.Chunk"),
        (GoResult::Pull, "iter.Pull"),
    ],
);

/// Packages of the standard library with generic functions whose results hold what they are given. Functions of the others return
/// external types.
static GENERIC_PACKAGES: BuiltinSet = BuiltinSet::new(
    "Go: packages with generic functions",
    "cmp iter maps slices sync unique weak",
);

/// Methods of generic types of the standard library that return the type argument.
static METHODS: BuiltinSet = BuiltinSet::new(
    "Go: methods that return the type argument",
    "Handle.Value Pointer.Load Pointer.Swap Pointer.Value",
);

/// Whether the path of an import is that of a package of the standard library: its first element has no dot.
fn is_standard(specifier: &str) -> bool {
    let first = specifier.split('/').next().unwrap_or(specifier);
    !first.contains('.')
}

/// Returns the package and name that `package.Name` means in a file, by the import.
fn imported_name(file: &LinkedFile, expr: ExprId) -> Option<(&str, &str)> {
    let Expr::Member { object, name } = file.expr(expr) else {
        return None;
    };
    let Expr::Name { name: package, .. } = file.expr(*object) else {
        return None;
    };
    let exprs = &file.facts.exprs;
    let specifier = file.import_specifier(exprs.name_of(*package))?;
    Some((specifier, exprs.name_of(*name)))
}

impl Linker<'_, '_> {
    /// The type `base[args]` where `base` is external: as any other external type where all arguments are.
    pub(super) fn external_generic(
        &self,
        file: &Rc<LinkedFile>,
        base: ExprId,
        args: Rc<[Option<Type>]>,
    ) -> Type {
        let is_external = |arg: &Option<Type>| arg.as_ref().is_some_and(|it| self.is_external(it));
        if args.iter().all(is_external) {
            return Type::External;
        }
        match imported_name(file, base) {
            Some((specifier, name)) if is_standard(specifier) => ExternalType::with(name, args),
            Some((specifier, name)) => ExternalType::with(&format!("{specifier}.{name}"), args),
            None => ExternalType::with("", args),
        }
    }

    /// The result of a method of an external generic type, or of a function in a field of it.
    pub(super) fn external_generic_result(of: &ExternalType, method: &str) -> Type {
        let name = format!("{}.{method}", of.name);
        let known = METHODS.has(&name).then(|| of.element()).flatten();
        known.unwrap_or_else(Type::unknown)
    }

    /// The result of calling a function of an external package; `None` where the callee is no such function.
    pub(super) fn external_call(
        &self,
        file: &Rc<LinkedFile>,
        callee: ExprId,
        call: Rc<Substitution>,
    ) -> Option<Type> {
        let (specifier, name) = imported_name(file, callee)?;
        let around = self.call.replace(Some(call));
        let found = self.external_function_result(specifier, name);
        self.call.replace(around);
        Some(found)
    }

    fn external_function_result(&self, specifier: &str, name: &str) -> Type {
        if is_standard(specifier) {
            let function = format!("{specifier}.{name}");
            if let Some(result) = FUNCTIONS.get(&function) {
                return self
                    .generic_function_result(*result)
                    .unwrap_or_else(Type::unknown);
            }
            if !GENERIC_PACKAGES.has(specifier) {
                return Type::External;
            }
        }
        let Some(call) = self.call() else {
            return Type::External;
        };
        let indexes = |n: usize| (0..n).map(|at| u8::try_from(at).unwrap_or(u8::MAX));
        let mut args = indexes(call.args.len()).map(|at| self.argument(at));
        let mut types = indexes(call.types.len()).map(|at| self.written_type(at));
        let is_external = |one: Option<Type>| one.is_some_and(|one| self.is_external(&one));
        if args.all(is_external) && types.all(is_external) {
            return Type::External;
        }
        Type::unknown()
    }

    /// The result of a generic function, for the call that is being evaluated.
    fn generic_function_result(&self, result: GoResult) -> Option<Type> {
        let first = self.value(self.argument(0)?)?;
        if self.is_external(&first) {
            return Some(Type::External);
        }
        let of = |kind: ContainerKind, element: Type| Type::Container(kind, Rc::new(element));
        Some(match result {
            GoResult::Argument => first,
            GoResult::Element => self.element(&first)?,
            GoResult::Slice => of(ContainerKind::Sequence, self.element(&first)?),
            GoResult::Elements => of(ContainerKind::Stream, self.element(&first)?),
            GoResult::Keys => of(ContainerKind::Stream, self.key(&first)?),
            GoResult::Pairs => {
                let pair = [self.key(&first), self.element(&first)];
                of(ContainerKind::Map, Type::Tuple(pair.into()))
            }
            GoResult::Chunks => of(ContainerKind::Stream, first),
            GoResult::Pull => {
                let next = Type::Tuple([self.element(&first), Some(Type::External)].into());
                let stop = Type::Callable(Rc::new(Type::Tuple(Rc::default())));
                Type::Tuple([Some(Type::Callable(Rc::new(next))), Some(stop)].into())
            }
        })
    }

    /// The type of a value, through the variable that holds it.
    pub(super) fn value(&self, of: Type) -> Option<Type> {
        let Type::Definition(Def::Symbol(file, at)) = of else {
            return Some(of);
        };
        let loaded = self.cache.get(file)?;
        if is_variable(loaded.symbol(at).kind) {
            return self.declared_type(&loaded, at, None);
        }
        Some(of)
    }

    /// Whether no part of a type is of the repository or unknown.
    fn is_external(&self, of: &Type) -> bool {
        if self.step().is_none() {
            return false;
        }
        match of {
            Type::External => true,
            Type::Container(_, one) | Type::Callable(one) => self.is_external(one),
            Type::Tuple(all) => {
                let is_external =
                    |one: &Option<Type>| one.as_ref().is_some_and(|it| self.is_external(it));
                all.iter().all(is_external)
            }
            Type::Union(all) => !all.is_empty() && all.iter().all(|one| self.is_external(one)),
            Type::Definition(Def::Symbol(file, at))
                if self.kind(*file, *at).is_some_and(is_variable) =>
            {
                let held = self.value(of.clone());
                held.is_some_and(|held| held != *of && self.is_external(&held))
            }
            _ => false,
        }
    }
}

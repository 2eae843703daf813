//! Functions as values in C#: which lambdas and methods a delegate takes.
//!
//! A lambda is the type `lambda` with an argument for each parameter and one for its result: a tuple of no items for a block that
//! returns nothing, of one for a block that returns a value, of two for an asynchronous function.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::fits::{CONVERTED, SAME_SHAPE, SIMILAR, WEAKLY_CONVERTED};
use super::linker::Linker;
use super::overloads::n_params;
use super::types::{ExternalType, Type};
use crate::ir::{Slot, SymbolIdx};
use crate::model::{BuiltinSet, SymbolFlags, SymbolKind};

/// The name of the type of lambdas.
pub(super) const LAMBDA: &str = "lambda";

/// Types of the standard library whose values are functions.
static DELEGATES: BuiltinSet = BuiltinSet::new(
    "C#: delegates",
    "Action AsyncCallback Comparison Converter Delegate EventHandler Expression Func MulticastDelegate \
     ParameterizedThreadStart Predicate RequestDelegate SendOrPostCallback ThreadStart TimerCallback \
     WaitCallback",
);

impl ExternalType {
    /// Whether values of it are functions, as its name tells: `RetryHandler`.
    pub(super) fn is_delegate_by_name(&self) -> bool {
        let ends = ["Delegate", "Handler", "Callback"];
        ends.iter().any(|end| self.name.ends_with(end))
    }

    /// The number of parameters of the functions of a type, where it is a delegate.
    fn n_delegate_params(&self) -> Option<usize> {
        match &*self.name {
            "Func" => self.args.len().checked_sub(1),
            "Action" => Some(self.args.len()),
            "Comparison" | "EventHandler" => Some(2),
            "Predicate" | "Converter" => Some(1),
            "Expression" => match self.args.last()? {
                Some(Type::ExternalType(of)) => of.n_delegate_params(),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Linker<'_, '_> {
    /// Whether values of a type are functions.
    pub(super) fn is_delegate(&self, found: &Type) -> bool {
        match found {
            Type::ExternalType(of) => DELEGATES.has(&of.name),
            _ => found
                .symbol()
                .is_some_and(|(file, at)| self.kind(file, at) == Some(SymbolKind::Type)),
        }
    }

    /// The type of a parameter of a method, a delegate or a constructor for a function that is handed to it; of several constructors
    /// what those say that take a function there.
    pub(super) fn callback_parameter(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        index: u8,
        this: &Type,
    ) -> Option<Type> {
        if loaded.symbol(at).kind != SymbolKind::Constructor {
            return self.parameter_of(loaded, at, index, this);
        }
        let all = loaded.overloads(at).iter();
        let all = all.filter_map(|at| self.parameter_of(loaded, *at, index, this));
        let all: Vec<Type> = all.collect();
        if let [only] = all.as_slice() {
            return Some(only.clone());
        }
        let functions = all.into_iter().filter(|it| self.is_delegate(it));
        functions.reduce(Type::or)
    }

    /// The type of a parameter; of one that a `params` array takes that of its elements.
    fn parameter_of(
        &self,
        loaded: &Rc<LinkedFile>,
        at: SymbolIdx,
        index: u8,
        this: &Type,
    ) -> Option<Type> {
        let is_variadic = loaded.symbol(at).flags.contains(SymbolFlags::VARIADIC);
        let last = n_params(loaded, at).checked_sub(1)?;
        if !is_variadic || usize::from(index) < last {
            let value = loaded.value(at, Slot::Param(index))?;
            return self.infer(loaded, value, Some(this));
        }
        let value = loaded.value(at, Slot::Param(u8::try_from(last).ok()?))?;
        match self.infer(loaded, value, Some(this))? {
            Type::Container(_, element) => Some((*element).clone()),
            all => self.element(&all),
        }
    }

    /// Returns how well a lambda fits a parameter; `None` where it does not.
    pub(super) fn fit_of_lambda(&self, lambda: &ExternalType, param: &Type) -> Option<u32> {
        let n_params_of_lambda = lambda.args.len().checked_sub(1);
        let result = LambdaResult::of(lambda);
        let Type::ExternalType(of) = param else {
            let (file, at) = param.symbol()?;
            if self.kind(file, at) != Some(SymbolKind::Type) {
                return None;
            }
            let loaded = self.cache.get(file)?;
            let is_other = n_params_of_lambda.is_some_and(|n| n != n_params(&loaded, at));
            let returns = loaded.value(at, Slot::Return).is_some();
            let is_refused = result == LambdaResult::Nothing && returns;
            return (!is_other && !is_refused).then_some(SIMILAR);
        };
        if !DELEGATES.has(&of.name) {
            // A type that is not known, or a type parameter.
            return of.is_delegate_by_name().then_some(WEAKLY_CONVERTED);
        }
        if let (Some(n), Some(wanted)) = (n_params_of_lambda, of.n_delegate_params())
            && n != wanted
        {
            return None;
        }
        let Some(returned) = of.delegate_kind() else {
            return Some(CONVERTED);
        };
        match (result, returned) {
            (LambdaResult::Nothing, Returned::Value(_))
            | (LambdaResult::Value, Returned::Nothing) => None,
            (LambdaResult::Task, Returned::Value(Some(of))) => match of {
                Type::ExternalType(of) if matches!(&*of.name, "Task" | "ValueTask") => {
                    Some(SAME_SHAPE)
                }
                Type::ExternalType(_) | Type::Container(..) => None,
                of if of.symbol().is_some() => None,
                _ => Some(CONVERTED),
            },
            (LambdaResult::Unknown, Returned::Value(_))
            | (LambdaResult::Nothing | LambdaResult::Value, _) => Some(SIMILAR),
            _ => Some(CONVERTED),
        }
    }

    /// A method as the function that it is a value of: its shape, where one method has the name.
    pub(super) fn shape_of_method(&self, method: &Type) -> Rc<ExternalType> {
        let plain = || ExternalType {
            name: LAMBDA.into(),
            module: None,
            args: Rc::default(),
        };
        let Type::Definition(Def::Symbol(file, at)) = method else {
            return Rc::new(plain());
        };
        let shape = self.cache.get(*file).and_then(|loaded| {
            let is_only = loaded.overloads(*at).len() == 1;
            let n = n_params(&loaded, *at);
            is_only.then(|| ExternalType {
                name: LAMBDA.into(),
                module: None,
                args: vec![None; n + 1].into(),
            })
        });
        Rc::new(shape.unwrap_or_else(plain))
    }

    /// Whether a value of an external type can be one of the same type with other type arguments: as far as both are known,
    /// these are equal or built on one another.
    pub(super) fn type_args_fit(
        &self,
        arg: &ExternalType,
        param: &ExternalType,
        depth: usize,
    ) -> bool {
        if arg.args.len() != param.args.len() {
            let is_counted = DELEGATES.has(&arg.name);
            return !is_counted && (arg.args.is_empty() || param.args.is_empty());
        }
        arg.args
            .iter()
            .zip(param.args.iter())
            .all(|pair| match pair {
                (Some(arg), Some(param)) => {
                    self.fit(Some(arg), Some(param), depth + 1)
                        .is_some_and(|fit| fit > 0)
                        || self
                            .fit(Some(param), Some(arg), depth + 1)
                            .is_some_and(|fit| fit > 0)
                }
                _ => true,
            })
    }
}

/// The result of a lambda, as far as its form tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LambdaResult {
    Unknown,
    Nothing,
    Value,
    Task,
}

impl LambdaResult {
    fn of(lambda: &ExternalType) -> Self {
        match lambda.args.last() {
            Some(Some(Type::Tuple(items))) => match items.len() {
                0 => Self::Nothing,
                1 => Self::Value,
                _ => Self::Task,
            },
            _ => Self::Unknown,
        }
    }
}

/// The result of the functions of a delegate.
enum Returned<'a> {
    Nothing,
    Value(Option<&'a Type>),
}

impl ExternalType {
    fn delegate_kind(&self) -> Option<Returned<'_>> {
        match &*self.name {
            "Func" | "Converter" => Some(Returned::Value(self.args.last()?.as_ref())),
            "Predicate" | "Comparison" => Some(Returned::Value(None)),
            "Action" | "EventHandler" => Some(Returned::Nothing),
            "Expression" => match self.args.last()? {
                Some(Type::ExternalType(of)) => of.delegate_kind(),
                _ => None,
            },
            _ => None,
        }
    }
}

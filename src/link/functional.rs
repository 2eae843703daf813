//! Functions as values in Java: which lambdas a functional interface takes.
//!
//! A lambda is the type `lambda` with an argument for each parameter and one for its result: a tuple of no items for a block that
//! returns nothing, of one for a value, of two for an expression that may stand alone (`() -> run()`).

use super::delegates::LAMBDA;
use super::linker::Linker;
use super::overloads::n_params;
use super::types::Type;
use crate::ir::Slot;
use crate::model::SymbolKind;

/// Functional interfaces of the standard library: their number of parameters, and whether they return something.
const FUNCTIONS: &[(&str, usize, bool)] = &[
    ("BiConsumer", 2, false),
    ("BiFunction", 2, true),
    ("BiPredicate", 2, true),
    ("BinaryOperator", 2, true),
    ("BooleanSupplier", 0, true),
    ("Callable", 0, true),
    ("Comparator", 2, true),
    ("Consumer", 1, false),
    ("DoubleFunction", 1, true),
    ("DoubleSupplier", 0, true),
    ("DoubleUnaryOperator", 1, true),
    ("Executable", 0, false),
    ("FileFilter", 1, true),
    ("Function", 1, true),
    ("IntBinaryOperator", 2, true),
    ("IntConsumer", 1, false),
    ("IntFunction", 1, true),
    ("IntPredicate", 1, true),
    ("IntSupplier", 0, true),
    ("IntUnaryOperator", 1, true),
    ("LongConsumer", 1, false),
    ("LongFunction", 1, true),
    ("LongSupplier", 0, true),
    ("LongUnaryOperator", 1, true),
    ("PrivilegedAction", 0, true),
    ("PrivilegedExceptionAction", 0, true),
    ("Predicate", 1, true),
    ("Runnable", 0, false),
    ("Supplier", 0, true),
    ("ThrowingSupplier", 0, true),
    ("ToDoubleFunction", 1, true),
    ("ToIntFunction", 1, true),
    ("ToLongFunction", 1, true),
    ("UnaryOperator", 1, true),
];

/// How well a lambda fits a parameter by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShapeFit {
    Fits(u32),
    Refused,
}

impl Linker<'_, '_> {
    /// Returns how well a lambda fits a parameter by its shape; `None` where its shape or that of the parameter is not known.
    pub(super) fn fit_of_shape(&self, arg: &Type, param: &Type) -> Option<ShapeFit> {
        let Type::ExternalType(lambda) = arg else {
            return None;
        };
        if &*lambda.name != LAMBDA || lambda.args.is_empty() {
            return None;
        }
        let (n_wanted, returns) = self.shape_of_interface(param)?;
        let n_params = lambda.args.len() - 1;
        let results = match lambda.args.last() {
            Some(Some(Type::Tuple(items))) => items.len(),
            _ => return None,
        };
        if n_params != n_wanted || results == 0 && returns || results == 1 && !returns {
            return Some(ShapeFit::Refused);
        }
        Some(ShapeFit::Fits(if returns { 6 } else { 5 }))
    }

    /// The number of parameters of a functional interface, and whether it returns something.
    fn shape_of_interface(&self, param: &Type) -> Option<(usize, bool)> {
        if let Type::ExternalType(of) = param {
            let known = FUNCTIONS.iter().find(|it| it.0 == &*of.name)?;
            return Some((known.1, known.2));
        }
        let (file, at) = param.symbol()?;
        if self.kind(file, at) != Some(SymbolKind::Interface) {
            return None;
        }
        let loaded = self.cache.get(file)?;
        let n_params = n_params(&loaded, at);
        let returns = loaded.value(at, Slot::Return).is_some();
        // One without parameters that returns nothing may as well have no method of its own.
        (n_params > 0 || returns).then_some((n_params, returns))
    }
}

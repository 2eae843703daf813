//! Functions as values in Java: which lambdas a functional interface takes.
//!
//! A lambda is the type `lambda` with an argument for each parameter and one for its result: a tuple of no items for a block that
//! returns nothing, of one for a value, of two for an expression that may stand alone (`() -> run()`).

use super::csharp_delegates::LAMBDA;
use super::fits::{SAME_SHAPE, SIMILAR};
use super::linker::Linker;
use super::overloads::n_params;
use super::types::Type;
use crate::ir::Slot;
use crate::model::{BuiltinTable, SymbolKind};

/// Functional interfaces of the standard library: their number of parameters, and whether they return something.
static FUNCTIONS: BuiltinTable<(usize, bool)> = BuiltinTable::new(
    "Java: functional interfaces",
    &[
        ((0, false), "Executable Runnable"),
        (
            (0, true),
            "BooleanSupplier Callable DoubleSupplier IntSupplier LongSupplier PrivilegedAction \
             PrivilegedExceptionAction Supplier ThrowingSupplier",
        ),
        ((1, false), "Consumer IntConsumer LongConsumer"),
        (
            (1, true),
            "DoubleFunction DoubleUnaryOperator FileFilter Function IntFunction IntPredicate IntUnaryOperator \
             LongFunction LongUnaryOperator Predicate ToDoubleFunction ToIntFunction ToLongFunction \
             UnaryOperator",
        ),
        ((2, false), "BiConsumer"),
        (
            (2, true),
            "BiFunction BiPredicate BinaryOperator Comparator IntBinaryOperator",
        ),
    ],
);

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
        Some(ShapeFit::Fits(if returns { SAME_SHAPE } else { SIMILAR }))
    }

    /// The number of parameters of a functional interface, and whether it returns something.
    fn shape_of_interface(&self, param: &Type) -> Option<(usize, bool)> {
        if let Type::ExternalType(of) = param {
            return FUNCTIONS.get(&of.name).copied();
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

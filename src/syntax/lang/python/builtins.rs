//! Python's builtins and the types of its standard library, as tables.

use crate::model::{BuiltinSet, BuiltinTable};

/// The meaning of a type of the standard library in an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeForm {
    /// A value of which nothing is known: `int`, `Any`, `Literal["a"]`.
    Opaque,
    /// The type in brackets: `Optional[T]`, `ClassVar[T]`, `Awaitable[T]`.
    First,
    /// Any of the types in brackets.
    Union,
    /// Elements of the type at this place in the brackets.
    Container(usize),
    /// `tuple[A, B]`, `tuple[A, ...]`
    Tuple,
    /// The class itself: `type[A]`.
    Class,
    /// `Callable[[A], B]`
    Callable,
    /// `Coroutine[A, B, T]`: the type at this place in the brackets, once awaited.
    Argument(usize),
    /// `Self`
    Receiver,
}

/// Types of `builtins`, `typing`, `collections` and their like by their last names.
static TYPES: BuiltinTable<TypeForm> = BuiltinTable::new(
    "Python: types",
    &[
        (
            TypeForm::Opaque,
            "int str float bool bytes bytearray complex object None Any Literal LiteralString NoReturn Never \
             AnyStr Hashable Sized Text TypeGuard TypeIs memoryview slice range ModuleType",
        ),
        (
            TypeForm::First,
            "Optional ClassVar Final Annotated Required NotRequired ReadOnly Awaitable InitVar Mapped Unpack \
             Future Task",
        ),
        (TypeForm::Union, "Union"),
        (
            TypeForm::Container(0),
            "list List set Set frozenset FrozenSet Sequence MutableSequence Iterable Iterator Collection \
             Container Generator AsyncIterator AsyncIterable AsyncGenerator deque Deque AbstractSet MutableSet \
             Reversible KeysView ContextManager AbstractContextManager AsyncContextManager \
             AbstractAsyncContextManager WeakSet Counter ValuesView",
        ),
        (
            TypeForm::Container(1),
            "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict WeakValueDictionary \
             WeakKeyDictionary ChainMap",
        ),
        (TypeForm::Tuple, "tuple Tuple"),
        (TypeForm::Class, "type Type"),
        (TypeForm::Callable, "Callable"),
        (TypeForm::Argument(2), "Coroutine"),
        (TypeForm::Receiver, "Self"),
    ],
);

/// Returns the meaning of a type of the standard library by its last name.
pub(super) fn type_form(name: &str) -> Option<TypeForm> {
    TYPES.get(name).copied()
}

/// The result of calling a function of the standard library, by its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltinResult {
    /// `super()`
    Super,
    /// `cast(T, value)`: a value of the type.
    Cast,
    /// `partial(f)`, `copy(a)`, `create_task(a())`: the argument itself.
    Same,
    /// `list(a)`, `sorted(a)`: a container of the same elements.
    Elements,
    /// `next(a)`, `max(a)`: an element.
    Element,
    /// `enumerate(a)`
    Enumerate,
    /// `zip(a, b)`
    Zip,
    /// `getattr(a, "name")`
    GetAttribute,
    /// `NewType("A", B)`: the second argument.
    Second,
    /// `type(a)`
    ClassOf,
}

/// Functions of `builtins`, `typing`, `functools` and `copy` by their last names.
static FUNCTIONS: BuiltinTable<BuiltinResult> = BuiltinTable::new(
    "Python: functions",
    &[
        (BuiltinResult::Super, "super"),
        (BuiltinResult::Cast, "cast"),
        (
            BuiltinResult::Same,
            "partial partialmethod copy deepcopy lru_cache cache create_task ensure_future wait_for shield run \
             proxy closing aclosing nullcontext",
        ),
        (
            BuiltinResult::Elements,
            "list tuple set frozenset sorted reversed iter deque",
        ),
        (BuiltinResult::Element, "next max min anext"),
        (BuiltinResult::Enumerate, "enumerate"),
        (BuiltinResult::Zip, "zip"),
        (BuiltinResult::GetAttribute, "getattr"),
        (BuiltinResult::Second, "NewType"),
        (BuiltinResult::ClassOf, "type"),
    ],
);

/// Returns the meaning of a function of the standard library by its last name.
pub(super) fn function(name: &str) -> Option<BuiltinResult> {
    FUNCTIONS.get(name).copied()
}

/// Operators by the methods that they call.
static OPERATORS: BuiltinTable<&str> = BuiltinTable::new(
    "Python: operators",
    &[
        ("__add__", "+"),
        ("__sub__", "-"),
        ("__mul__", "*"),
        ("__truediv__", "/"),
        ("__floordiv__", "//"),
        ("__mod__", "%"),
        ("__matmul__", "@"),
        ("__pow__", "**"),
        ("__and__", "&"),
        ("__xor__", "^"),
        ("__lshift__", "<<"),
        ("__rshift__", ">>"),
    ],
);

/// Returns the method that a binary operator calls on its left side.
pub(super) fn operator_method(operator: &str) -> Option<&'static str> {
    OPERATORS.get(operator).copied()
}

/// Modules whose names are those of the tables above.
static MODULES: BuiltinSet = BuiltinSet::new(
    "Python: modules",
    "typing typing_extensions collections collections.abc functools copy contextlib asyncio dataclasses weakref \
     types builtins",
);

/// Whether names imported from a module are those of the tables above.
pub(super) fn is_typing_module(specifier: &str) -> bool {
    MODULES.has(specifier)
}

/// Names of `typing` that other modules have of their own.
static COMMON_TYPES: BuiltinSet = BuiltinSet::new(
    "Python: types of common names",
    "Future Task Counter Container Collection",
);

/// Whether a module passes a name of `typing` on, by its own name: `Self` of `from ..util.typing import Self`.
pub(super) fn passes_typing_on(specifier: &str, name: &str) -> bool {
    let module = specifier.rsplit('.').next().unwrap_or_default();
    let is_for_types = ["typing", "compat"].iter().any(|it| module.contains(it));
    is_for_types && !COMMON_TYPES.has(name)
}

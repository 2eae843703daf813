//! Python's builtins and the types of its standard library, as tables.

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

/// Returns the meaning of a type of `builtins`, `typing`, `collections` and their like by its last name.
pub(super) fn type_form(name: &str) -> Option<TypeForm> {
    use TypeForm::{Argument, Callable, Class, Container, First, Opaque, Receiver, Tuple, Union};
    Some(match name {
        "int" | "str" | "float" | "bool" | "bytes" | "bytearray" | "complex" | "object"
        | "None" | "Any" | "Literal" | "LiteralString" | "NoReturn" | "Never" | "AnyStr"
        | "Hashable" | "Sized" | "Text" | "TypeGuard" | "TypeIs" | "memoryview" | "slice"
        | "range" | "ModuleType" => Opaque,
        "Optional" | "ClassVar" | "Final" | "Annotated" | "Required" | "NotRequired"
        | "ReadOnly" | "Awaitable" | "InitVar" | "Mapped" | "Unpack" | "Future" | "Task" => First,
        "Union" => Union,
        "list"
        | "List"
        | "set"
        | "Set"
        | "frozenset"
        | "FrozenSet"
        | "Sequence"
        | "MutableSequence"
        | "Iterable"
        | "Iterator"
        | "Collection"
        | "Container"
        | "Generator"
        | "AsyncIterator"
        | "AsyncIterable"
        | "AsyncGenerator"
        | "deque"
        | "Deque"
        | "AbstractSet"
        | "MutableSet"
        | "Reversible"
        | "KeysView"
        | "ContextManager"
        | "AbstractContextManager"
        | "AsyncContextManager"
        | "AbstractAsyncContextManager"
        | "WeakSet"
        | "Counter"
        | "ValuesView" => Container(0),
        "dict"
        | "Dict"
        | "Mapping"
        | "MutableMapping"
        | "defaultdict"
        | "DefaultDict"
        | "OrderedDict"
        | "WeakValueDictionary"
        | "WeakKeyDictionary"
        | "ChainMap" => Container(1),
        "tuple" | "Tuple" => Tuple,
        "type" | "Type" => Class,
        "Callable" => Callable,
        "Coroutine" => Argument(2),
        "Self" => Receiver,
        _ => return None,
    })
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

/// Returns the meaning of a function of `builtins`, `typing`, `functools` and `copy` by its last name.
pub(super) fn function(name: &str) -> Option<BuiltinResult> {
    Some(match name {
        "super" => BuiltinResult::Super,
        "cast" => BuiltinResult::Cast,
        "partial" | "partialmethod" | "copy" | "deepcopy" | "lru_cache" | "cache"
        | "create_task" | "ensure_future" | "wait_for" | "shield" | "run" | "proxy" | "closing"
        | "aclosing" | "nullcontext" => BuiltinResult::Same,
        "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "iter" | "deque" => {
            BuiltinResult::Elements
        }
        "next" | "max" | "min" | "anext" => BuiltinResult::Element,
        "enumerate" => BuiltinResult::Enumerate,
        "zip" => BuiltinResult::Zip,
        "getattr" => BuiltinResult::GetAttribute,
        "NewType" => BuiltinResult::Second,
        "type" => BuiltinResult::ClassOf,
        _ => return None,
    })
}

/// Returns the method that a binary operator calls on its left side.
pub(super) fn operator_method(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "__add__",
        "-" => "__sub__",
        "*" => "__mul__",
        "/" => "__truediv__",
        "//" => "__floordiv__",
        "%" => "__mod__",
        "@" => "__matmul__",
        "**" => "__pow__",
        "&" => "__and__",
        "^" => "__xor__",
        "<<" => "__lshift__",
        ">>" => "__rshift__",
        _ => return None,
    })
}

/// Returns whether names imported from a module are those of the tables above.
pub(super) fn is_typing_module(specifier: &str) -> bool {
    matches!(
        specifier,
        "typing"
            | "typing_extensions"
            | "collections"
            | "collections.abc"
            | "functools"
            | "copy"
            | "contextlib"
            | "asyncio"
            | "dataclasses"
            | "weakref"
            | "types"
            | "builtins"
    )
}

/// Returns whether a module passes a name of `typing` on, by its own name: `Self` of `from ..util.typing import Self`.
pub(super) fn passes_typing_on(specifier: &str, name: &str) -> bool {
    let module = specifier.rsplit('.').next().unwrap_or_default();
    let is_for_types = ["typing", "compat"].iter().any(|it| module.contains(it));
    let is_common = matches!(
        name,
        "Future" | "Task" | "Counter" | "Container" | "Collection"
    );
    is_for_types && !is_common
}

//! Names of the language and of common libraries that have a meaning of their own: one table.
//!
//! `Promise<Job>` is lowered to `Job` because `Promise` is a [`Builtin::FirstArgument`].

use crate::model::BuiltinSet;

/// The rule that a name follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// A type without members that anyone defines, which the grammar does not know as such: `Date`.
    PlainType,
    /// A generic type that stands for its first type argument: `Promise<Job>` → `Job`.
    FirstArgument,
    /// A container of its first type argument: `Set<Job>`.
    ElementsFirst,
    /// A container of its second type argument: `Map<Key, Job>`.
    ElementsSecond,
    /// An index signature of its second type argument: `Record<string, Job>`.
    ValuesSecond,
    /// A function that returns its first argument, or a container of the same elements: `Object.freeze`.
    ReturnsArgument,
    /// A method that calls its callback with each element: `jobs.map((job) => …)`.
    CallbackElement,
    /// A method that calls its callback with two elements: `jobs.sort((a, b) => …)`.
    CallbackPair,
    /// A method that calls its callback with the result so far and an element: `jobs.reduce((sum, job) => …)`.
    CallbackFold,
    /// A function that runs its argument, later or at once: `const a = setTimeout(() => …)` defines no function `a`.
    Runner,
    /// A function that returns one like its argument, well known enough to define a local function: `memo(() => …)`.
    Wrapper,
}

/// The names that follow each rule, in the order of the rules.
static NAMES: [BuiltinSet; 11] = [
    BuiltinSet::new(
        "TypeScript: plain types",
        "bigint Object Function Array Date RegExp Error String Number Boolean",
    ),
    BuiltinSet::new(
        "TypeScript: types that stand for their argument",
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable Omit Pick ThisType NoInfer",
    ),
    BuiltinSet::new(
        "TypeScript: containers",
        "Array ReadonlyArray Set ReadonlySet WeakSet Iterable Iterator IterableIterator AsyncIterable \
         AsyncIterableIterator Generator AsyncGenerator ArrayLike",
    ),
    BuiltinSet::new("TypeScript: maps", "Map ReadonlyMap WeakMap"),
    BuiltinSet::new("TypeScript: records", "Record Object"),
    BuiltinSet::new(
        "TypeScript: functions that return their argument",
        "Object.freeze Object.values Array.from Promise.all Promise.resolve",
    ),
    BuiltinSet::new(
        "TypeScript: methods that take a function of an element",
        "forEach map filter some every find findIndex findLast findLastIndex flatMap",
    ),
    BuiltinSet::new(
        "TypeScript: methods that take a function of two elements",
        "sort toSorted",
    ),
    BuiltinSet::new(
        "TypeScript: methods that take a function of a result and an element",
        "reduce reduceRight",
    ),
    BuiltinSet::new(
        "TypeScript: functions that run their argument",
        "setTimeout setInterval setImmediate requestAnimationFrame computed ref watch watchEffect effect useMemo \
         describe it test Promise queueMicrotask nextTick signal reactive shallowRef customRef useState \
         useReducer Array Object require expect atom derived writable readable createContext",
    ),
    BuiltinSet::new(
        "TypeScript: functions that wrap their argument",
        "useCallback memo forwardRef debounce throttle once memoize useEvent promisify partial curry bind \
         withCtx markRaw defineComponent observer cache",
    ),
];

impl Builtin {
    /// Whether a name follows the rule. `name` may be the text of any expression.
    pub(super) fn has(self, name: &str) -> bool {
        NAMES[self as usize].has(name)
    }
}

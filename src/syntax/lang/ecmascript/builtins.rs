//! Names of the language and of common libraries that have a meaning of their own: one table.
//!
//! `Promise<Job>` is lowered to `Job` because `Promise` is a [`Builtin::FirstArgument`].

use std::sync::OnceLock;

use crate::model::hash::HashMap;

/// The rule that a name follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// A type without members that anyone defines: `string`.
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

/// The names that follow each rule.
const NAMES: [(Builtin, &str); 11] = [
    (
        Builtin::PlainType,
        "string number boolean bigint symbol any unknown never void null undefined object \
                 true false Object Function Array Date RegExp Error String Number Boolean const",
    ),
    (
        Builtin::FirstArgument,
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable Omit Pick ThisType \
                 NoInfer",
    ),
    (
        Builtin::ElementsFirst,
        "Array ReadonlyArray Set ReadonlySet WeakSet Iterable Iterator IterableIterator \
                 AsyncIterable AsyncIterableIterator Generator AsyncGenerator ArrayLike",
    ),
    (Builtin::ElementsSecond, "Map ReadonlyMap WeakMap"),
    (Builtin::ValuesSecond, "Record Object object"),
    (
        Builtin::ReturnsArgument,
        "Object.freeze Object.values Array.from Promise.all Promise.resolve",
    ),
    (
        Builtin::CallbackElement,
        "forEach map filter some every find findIndex findLast findLastIndex flatMap",
    ),
    (Builtin::CallbackPair, "sort toSorted"),
    (Builtin::CallbackFold, "reduce reduceRight"),
    (
        Builtin::Runner,
        "setTimeout setInterval setImmediate requestAnimationFrame computed ref watch \
                 watchEffect effect useMemo describe it test Promise queueMicrotask nextTick signal \
                 reactive shallowRef customRef useState useReducer Array Object require expect atom \
                 derived writable readable createContext",
    ),
    (
        Builtin::Wrapper,
        "useCallback memo forwardRef debounce throttle once memoize useEvent promisify \
                 partial curry bind withCtx markRaw defineComponent observer cache",
    ),
];

impl Builtin {
    /// Whether a name follows the rule. `name` may be the text of any expression: one longer than all names costs nothing.
    pub(super) fn has(self, name: &str) -> bool {
        /// For each name the rules that it follows, as bits; and the bytes of the longest name.
        static RULES: OnceLock<(HashMap<&'static str, u16>, usize)> = OnceLock::new();
        let (rules, longest) = RULES.get_or_init(|| {
            let mut rules = HashMap::default();
            for (rule, names) in NAMES {
                for name in names.split(' ') {
                    *rules.entry(name).or_default() |= rule.bit();
                }
            }
            let longest = rules.keys().map(|name| name.len()).max().unwrap_or(0);
            (rules, longest)
        });
        name.len() <= *longest && rules.get(name).is_some_and(|bits| bits & self.bit() != 0)
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

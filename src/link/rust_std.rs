//! Methods of the standard library of Rust: their results and the parameters of their callbacks, by the type
//! arguments of the receiver.
//!
//! The names of types and methods alone count, since popular crates use the same ones (`HashMap`, `lock`, `iter`).
//! Results of other external types are external, unless they contain values of the repository.

use std::rc::Rc;

use super::file::Access;
use super::implementations::is_common;
use super::linker::Linker;
use super::path_names::{Wanted, payload};
use super::types::{ExternalType, Type};

/// Types that dereference to their contents.
const TRANSPARENT: &[&str] = &[
    "Arc",
    "AsMut",
    "AsRef",
    "Borrow",
    "Box",
    "CachePadded",
    "Cow",
    "Deref",
    "DerefMut",
    "Guard",
    "Into",
    "LazyCell",
    "LazyLock",
    "Lazy",
    "ManuallyDrop",
    "MappedMutexGuard",
    "MutexGuard",
    "OwnedMutexGuard",
    "Pin",
    "PeekMut",
    "Rc",
    "Ref",
    "RefMut",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Saved",
    "ThinBox",
    "ToOwned",
    "UniqueRc",
];

/// Types whose contents are reached by a method: `Mutex<T>.lock()`.
const CELLS: &[&str] = &[
    "Mutex",
    "RwLock",
    "RefCell",
    "Cell",
    "OnceCell",
    "OnceLock",
    "ReentrantMutex",
    "UnsafeCell",
    "Weak",
    "ArcSwap",
    "FairMutex",
];

/// Maps: the type arguments are those of keys and values.
const MAPS: &[&str] = &[
    "HashMap",
    "BTreeMap",
    "IndexMap",
    "FxHashMap",
    "FxIndexMap",
    "AHashMap",
    "DashMap",
    "FnvHashMap",
    "Entry",
    "OccupiedEntry",
    "VacantEntry",
    "FxBuildHasher",
    "SlotMap",
    "HopSlotMap",
];

/// The result of a method of the standard library, by the types of its receiver and arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RustMethodResult {
    /// The contained value, the first type argument: `Option<T>.unwrap()` → `T`.
    Held,
    /// The second type argument.
    Second,
    /// A value of the same type.
    Same,
    /// An optional contained value: `Vec<T>.pop()` → `Option<T>`.
    Maybe,
    /// An optional element.
    MaybeElement,
    /// An iterator over the elements.
    Elements,
    /// An iterator over the contained values, for a map its values.
    Values,
    /// An iterator over the keys of a map.
    Keys,
    /// The same type with the result of the first function argument: `Option<T>.map(f)`.
    Mapped,
    /// The result of the first function argument.
    Returned,
    /// The result of the second function argument, else the first argument: `map_or(0, f)`.
    ReturnedBySecond,
    /// An iterator over the elements of the first function argument's results: `flat_map`.
    Flattened,
    /// An iterator over the contents of the optional results of the first function argument.
    FilterMapped,
    /// An iterator of (index, element) pairs: `enumerate`.
    Numbered,
    /// An iterator over pairs with the elements of the argument.
    Zipped,
    /// A `Result` of the contained value: `Mutex<T>.lock()`.
    Fallible,
    /// A type without type arguments: `usize`, `bool`, `String`.
    Plain(&'static str),
    /// The first argument.
    Given,
    /// An iterator over the elements of the elements: `flatten`.
    Flat,
    /// A sequence of slices: `windows`, `chunks`.
    Parts,
    /// A pair of values of the same type: `split_at`.
    Two,
}

use RustMethodResult::{
    Elements, Fallible, FilterMapped, Flat, Flattened, Given, Held, Keys, Mapped, Maybe,
    MaybeElement, Numbered, Parts, Plain, Returned, ReturnedBySecond, Same, Second, Two, Values,
    Zipped,
};

/// Methods by name; the result follows the same rule for every type that has one.
const METHODS: &[(&str, RustMethodResult)] = &[
    ("?", Held),
    ("unwrap", Held),
    ("expect", Held),
    ("unwrap_or", Held),
    ("unwrap_or_default", Held),
    ("unwrap_or_else", Held),
    ("unwrap_unchecked", Held),
    ("get_or_insert", Held),
    ("get_or_insert_with", Held),
    ("get_or_init", Held),
    ("or_insert", Held),
    ("or_insert_with", Held),
    ("or_insert_with_key", Held),
    ("or_default", Held),
    ("insert_entry", Same),
    ("unwrap_err", Second),
    ("expect_err", Second),
    ("await", Held),
    ("ok", Maybe),
    ("ok_or", Fallible),
    ("ok_or_else", Fallible),
    ("map", Mapped),
    ("map_err", Same),
    ("map_or", ReturnedBySecond),
    ("map_or_else", ReturnedBySecond),
    ("map_or_default", Returned),
    ("and_then", Returned),
    ("then", Returned),
    ("filter_map", FilterMapped),
    ("find_map", Returned),
    ("map_while", FilterMapped),
    ("flat_map", Flattened),
    ("flatten", Flat),
    ("fold", Given),
    ("try_fold", Given),
    ("as_ref", Same),
    ("as_mut", Same),
    ("as_deref", Same),
    ("as_deref_mut", Same),
    ("as_slice", Same),
    ("as_mut_slice", Same),
    ("as_pin_mut", Same),
    ("borrow", Held),
    ("borrow_mut", Held),
    ("by_ref", Same),
    ("chain", Same),
    ("clone", Same),
    ("cloned", Same),
    ("collect", Same),
    ("copied", Same),
    ("cycle", Same),
    ("deref", Same),
    ("deref_mut", Same),
    ("filter", Same),
    ("fuse", Same),
    ("inspect", Same),
    ("inspect_err", Same),
    ("into", Same),
    ("into_boxed_slice", Same),
    ("into_vec", Same),
    ("modify_if", Same),
    ("and_modify", Same),
    ("or", Same),
    ("or_else", Same),
    ("peekable", Same),
    ("rev", Same),
    ("skip", Same),
    ("skip_while", Same),
    ("sorted", Same),
    ("sorted_by", Same),
    ("sorted_by_key", Same),
    ("split_off", Same),
    ("step_by", Same),
    ("take_while", Same),
    ("to_owned", Same),
    ("to_vec", Same),
    ("try_borrow", Fallible),
    ("try_borrow_mut", Fallible),
    ("lock", Fallible),
    ("try_lock", Fallible),
    ("read", Fallible),
    ("write", Fallible),
    ("try_read", Fallible),
    ("try_write", Fallible),
    ("upgrade", Maybe),
    ("downgrade", Same),
    ("load", Held),
    ("load_full", Held),
    ("into_inner", Held),
    ("get_ref", Held),
    ("entry", Same),
    ("enumerate", Numbered),
    ("zip", Zipped),
    ("iter", Elements),
    ("iter_mut", Elements),
    ("into_iter", Elements),
    ("drain", Elements),
    ("par_iter", Elements),
    ("par_iter_mut", Elements),
    ("into_par_iter", Elements),
    ("extract_if", Elements),
    ("values", Values),
    ("values_mut", Values),
    ("into_values", Values),
    ("keys", Keys),
    ("into_keys", Keys),
    ("windows", Parts),
    ("chunks", Parts),
    ("chunks_exact", Parts),
    ("split_at", Two),
    ("split_at_mut", Two),
    ("partition", Two),
    ("first", Maybe),
    ("first_mut", Maybe),
    ("last_mut", Maybe),
    ("get", Maybe),
    ("get_mut", Maybe),
    ("pop", Maybe),
    ("pop_front", Maybe),
    ("pop_back", Maybe),
    ("front", Maybe),
    ("back", Maybe),
    ("front_mut", Maybe),
    ("back_mut", Maybe),
    ("peek", Maybe),
    ("peek_mut", Maybe),
    ("recv", Fallible),
    ("try_recv", Fallible),
    ("last", MaybeElement),
    ("next", MaybeElement),
    ("next_back", MaybeElement),
    ("next_if", MaybeElement),
    ("nth", MaybeElement),
    ("find", MaybeElement),
    ("max", MaybeElement),
    ("max_by", MaybeElement),
    ("max_by_key", MaybeElement),
    ("min", MaybeElement),
    ("min_by", MaybeElement),
    ("min_by_key", MaybeElement),
    ("reduce", MaybeElement),
    ("remove", Maybe),
    ("swap_remove", Held),
    ("insert", Maybe),
    ("replace", Same),
    ("take", Same),
    ("[]", Held),
    ("+", Same),
    ("len", Plain("usize")),
    ("count", Plain("usize")),
    ("position", Plain("Option<usize>")),
    ("is_empty", Plain("bool")),
    ("contains", Plain("bool")),
    ("contains_key", Plain("bool")),
    ("is_some", Plain("bool")),
    ("is_none", Plain("bool")),
    ("is_ok", Plain("bool")),
    ("is_err", Plain("bool")),
    ("any", Plain("bool")),
    ("all", Plain("bool")),
    ("to_string", Plain("String")),
    ("join", Plain("String")),
];

/// Traits of the standard library with all methods that only they declare. Those that most types have, e.g. `clone`, are
/// known by [`is_common`].
const TRAITS: &[(&str, &[&str])] = &[
    ("Any", &["downcast_mut", "downcast_ref", "is"]),
    ("Clone", &["clone_from"]),
    ("Copy", &["clone_from"]),
    ("Debug", &[]),
    ("Default", &["default"]),
    ("Display", &[]),
    ("Eq", &[]),
    ("Error", &["cause", "description", "downcast_ref", "source"]),
    ("Hash", &["hash_slice"]),
    ("Ord", &["clamp"]),
    ("PartialEq", &[]),
    ("PartialOrd", &[]),
    ("RefUnwindSafe", &[]),
    ("Send", &[]),
    ("Sized", &[]),
    ("Sync", &[]),
    ("Unpin", &[]),
    ("UnwindSafe", &[]),
];

/// Whether a type is a trait of the standard library that has no such method: `name_long()` of `Debug`.
fn lacks_method(of: &str, name: &str) -> bool {
    let method = name.strip_suffix("()").unwrap_or(name);
    let known = TRAITS.iter().find(|it| it.0 == of);
    known.is_some_and(|it| !it.1.contains(&method)) && !is_known(method) && !is_common(name)
}

/// Whether a method is one of the standard library.
pub(super) fn is_known(method: &str) -> bool {
    METHODS.iter().any(|it| it.0 == method)
        || matches!(
            method,
            "for_each"
                | "sum"
                | "product"
                | "unzip"
                | "sort"
                | "retain"
                | "try_for_each"
                | "cmp"
                | "eq"
                | "size_hint"
        )
}

/// Names of constructors: `Vec::new`.
fn is_maker(name: &str) -> bool {
    matches!(
        name,
        "new"
            | "with_capacity"
            | "default"
            | "from"
            | "from_iter"
            | "with_hasher"
            | "empty"
            | "once"
            | "repeat"
    )
}

impl ExternalType {
    fn is_map(&self) -> bool {
        MAPS.contains(&&*self.name) && self.args.len() > 1
    }

    fn is_transparent(&self) -> bool {
        TRANSPARENT.contains(&&*self.name)
    }

    /// The type of the contained value: the last type argument of a map, else the first one.
    fn held(&self) -> Option<Type> {
        self.arg(usize::from(self.is_map()))
    }
}

impl Linker<'_, '_> {
    /// A member of an external value: a method, a part that a pattern destructures, or a member of its contents.
    pub(super) fn standard_member(&self, of: &Rc<ExternalType>, name: &str) -> Option<Type> {
        self.step()?;
        if of.is_transparent()
            && let Some(inner) = of.arg(0)
            && let Some(found) = self.declared(&inner, Access::Name(name))
            && !matches!(found, Type::Callable(_))
            && (!found.is_external() || name != "clone()")
        {
            return Some(found);
        }
        if let Some((variant, _)) = payload(name) {
            return match (variant, &*of.name) {
                ("Err", "Result") | ("Continue", "ControlFlow") => of.arg(1),
                ("Some" | "Ok" | "Ready" | "Break" | "Borrowed" | "Owned" | "Reverse", _) => {
                    of.arg(0)
                }
                _ => outer_value(of),
            };
        }
        if let Some(method) = name.strip_suffix("()") {
            if !is_known(method)
                && let Some(found) = self.by_extension(Some(&of.name), method)
            {
                return Some(found);
            }
            if lacks_method(&of.name, name) {
                return None;
            }
            return Some(Type::ExternalMethod(Rc::clone(of), method.into()));
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return of.arg(0).or_else(|| outer_value(of));
        }
        let (bare, _) = Wanted::of(name);
        Some(ExternalType::named(bare))
    }

    /// The element type of an external value.
    pub(super) fn standard_element(&self, of: &Rc<ExternalType>) -> Option<Type> {
        self.step()?;
        if of.is_transparent()
            && let Some(inner) = of.arg(0)
        {
            return self.implemented_element(&inner);
        }
        if of.is_map() {
            return Some(Type::Tuple(Rc::clone(&of.args)));
        }
        of.arg(0).or_else(|| outer_value(of))
    }

    /// The result type of a method of an external value.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of result")]
    pub(super) fn standard_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        self.step()?;
        let name = &*of.name;
        if of.args.is_empty() && is_maker(method) {
            return Some(self.standard_made(of, method));
        }
        let Some((_, gives)) = METHODS.iter().find(|it| it.0 == method) else {
            return outer_value(of);
        };
        let same = || Some(Type::ExternalType(Rc::clone(of)));
        let element = || self.standard_element(of);
        let iterator = |one: Option<Type>| Some(ExternalType::with("Iterator", vec![one]));
        let maybe = |one: Option<Type>| Some(ExternalType::with("Option", vec![one]));
        let is_cell = CELLS.contains(&name);
        let found = match gives {
            Held if method == "await" => match name {
                "Future" | "BoxFuture" | "JoinHandle" | "LocalBoxFuture" => of.arg(0),
                "Pin" | "Box" => {
                    let inner = of.arg(0)?;
                    let inner = self.declared(&inner, Access::Name("await()"))?;
                    self.return_type(&inner, None, None)
                }
                _ => return same(),
            },
            Held if method == "unwrap" && name == "Guard" => return same(),
            Held => of.held(),
            Second => of.arg(1),
            Same if name == "Cell" && method == "replace" => of.arg(0),
            Same if method == "map_err" => {
                let made = self.returned_by(0);
                Some(ExternalType::with(name, vec![of.arg(0), made]))
            }
            Same if name == "Entry" || method != "take" => return same(),
            Same => return same(),
            Maybe if name == "Result" && method == "ok" => maybe(of.arg(0)),
            Maybe if is_cell && method == "get" && name == "Cell" => of.arg(0),
            Maybe if is_cell && method == "get_mut" => {
                Some(ExternalType::with("Guard", vec![of.arg(0)]))
            }
            Maybe if method == "remove" && matches!(name, "Vec" | "VecDeque") => of.held(),
            Maybe if method == "insert" && name == "Option" => of.held(),
            Maybe if method == "insert" && matches!(name, "Vec" | "HashSet" | "BTreeSet") => {
                Some(ExternalType::with("bool", Vec::new()))
            }
            Maybe => maybe(of.held()),
            MaybeElement if of.is_map() => maybe(element()),
            MaybeElement => maybe(of.arg(0)),
            Elements => iterator(element()),
            Values => iterator(of.held()),
            Keys => iterator(of.arg(0)),
            Mapped => {
                let mut args = of.args.to_vec();
                let made = self.returned_by(0);
                if args.is_empty() {
                    args.push(None);
                }
                args[0] = made;
                Some(ExternalType::with(
                    if name == "Result" || name == "Option" {
                        name
                    } else {
                        "Iterator"
                    },
                    args,
                ))
            }
            Returned => self.returned_by(0),
            ReturnedBySecond => self.returned_by(1).or_else(|| self.argument(0)),
            Flattened => {
                let inner = self.returned_by(0)?;
                iterator(self.implemented_element(&inner))
            }
            FilterMapped => {
                let inner = self.returned_by(0);
                let held = match inner {
                    Some(Type::ExternalType(inner)) => inner.arg(0),
                    _ => None,
                };
                iterator(held)
            }
            Numbered => {
                let number = Some(ExternalType::with("usize", Vec::new()));
                iterator(Some(Type::Tuple([number, of.arg(0)].into())))
            }
            Zipped => {
                let other = self
                    .argument(0)
                    .and_then(|it| self.implemented_element(&it));
                iterator(Some(Type::Tuple([of.arg(0), other].into())))
            }
            Fallible if is_cell => Some(ExternalType::with("Guard", vec![of.arg(0)])),
            Fallible if matches!(method, "read" | "write" | "lock") && !is_cell => {
                return outer_value(of);
            }
            Fallible => Some(ExternalType::with(
                "Result",
                vec![of.arg(0), self.argument(0)],
            )),
            Plain(name) => Some(ExternalType::with(name, Vec::new())),
            Given => self.argument(0),
            Flat => {
                let inner = of.arg(0)?;
                match name {
                    "Option" | "Result" => Some(inner),
                    _ => iterator(self.implemented_element(&inner)),
                }
            }
            Parts => iterator(same()),
            Two => Some(Type::Tuple([same(), same()].into())),
        };
        found.or_else(|| outer_value(of))
    }

    /// `Arc::new(store)`, `Vec::new()`
    fn standard_made(&self, of: &Rc<ExternalType>, method: &str) -> Type {
        let name = &*of.name;
        let holds_given = TRANSPARENT.contains(&name)
            || CELLS.contains(&name)
            || matches!(name, "Reverse" | "Wrapping");
        let given = self.argument(0);
        if matches!(name, "Lazy" | "LazyLock" | "LazyCell") {
            return ExternalType::with(name, vec![self.returned_by(0)]);
        }
        if holds_given && matches!(method, "new" | "from") && given.is_some() {
            return ExternalType::with(name, vec![given]);
        }
        if matches!(method, "from" | "from_iter")
            && holds(name)
            && let Some(given) = given
        {
            return ExternalType::with(name, vec![self.implemented_element(&given)]);
        }
        Type::ExternalType(Rc::clone(of))
    }

    /// The result of the function that is argument `at` of the call.
    fn returned_by(&self, at: u8) -> Option<Type> {
        let function = self.argument(at)?;
        match &function {
            Type::Callable(result) => Some((**result).clone()),
            function => self.return_type(function, None, None),
        }
    }

    /// The type of the callback at argument `index` of a method; its type arguments are the parameters of the
    /// callback.
    pub(super) fn standard_callback(&self, of: &Rc<ExternalType>, method: &str, index: u8) -> Type {
        let element = || self.standard_element(of);
        let params = match (method, &*of.name) {
            ("map_err" | "or_else" | "unwrap_or_else" | "inspect_err" | "is_err_and", "Result") => {
                vec![of.arg(1)]
            }
            ("map_or_else", "Result") if index == 0 => vec![of.arg(1)],
            ("and_modify", _) => vec![of.held()],
            ("retain" | "retain_mut" | "extract_if", _) if of.is_map() => of.args.to_vec(),
            ("fold" | "try_fold" | "scan", _) => vec![self.argument(0), of.arg(0)],
            (
                "sort_by" | "sort_unstable_by" | "max_by" | "min_by" | "reduce" | "sorted_by"
                | "dedup_by",
                _,
            ) => {
                vec![of.arg(0), of.arg(0)]
            }
            ("or_insert_with" | "or_insert_with_key", _)
            | (_, "Option" | "Result" | "Iterator") => {
                vec![of.arg(0)]
            }
            _ => vec![element()],
        };
        ExternalType::with("fn", params)
    }
}

/// The type of the content of an external value: external too, unless a type argument is of the repository.
fn outer_value(of: &ExternalType) -> Option<Type> {
    (of.has_external_args() && !holds(&of.name)).then_some(Type::External)
}

/// Whether values of a type may contain values of the repository.
fn holds(name: &str) -> bool {
    TRANSPARENT.contains(&name)
        || CELLS.contains(&name)
        || MAPS.contains(&name)
        || matches!(
            name,
            "Option"
                | "Result"
                | "Vec"
                | "VecDeque"
                | "HashSet"
                | "BTreeSet"
                | "IndexSet"
                | "BinaryHeap"
                | "LinkedList"
                | "Iterator"
                | "IntoIterator"
                | "[]"
                | "SmallVec"
                | "ArrayVec"
                | "Receiver"
                | "Sender"
                | "Future"
                | "Stream"
                | "Peekable"
                | "FxHashSet"
                | "Iter"
                | "IntoIter"
                | "ThreadLocal"
                | "PhantomData"
                | "Poll"
                | "ControlFlow"
                | "Some"
                | "Ok"
                | "Err"
                | "None"
                | "Guard"
                | "DoubleEndedIterator"
                | "ExactSizeIterator"
                | "Any"
                | "Entry"
                | "Chain"
                | "Map"
                | "Filter"
                | "Zip"
                | "BoxFuture"
                | "JoinHandle"
        )
}

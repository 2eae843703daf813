//! Types of the standard library of Rust: the results of their methods and the parameters of their callbacks, in terms of their type
//! arguments.
//!
//! Crates that are much used name their types and methods alike (`HashMap`, `lock`, `iter`), so that the name alone counts.
//! Of any other type from outside the results are from outside, where nothing of the repository is in it.

use std::rc::Rc;

use super::file::Access;
use super::implementations::is_common;
use super::linker::Linker;
use super::path_names::{Wanted, payload};
use super::types::{ExternalType, Type};

/// Types that have the members of their contents.
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

/// Types that hold a value behind a call.
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

/// Types of keys and values.
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
enum Gives {
    /// The value that is held: the first type argument.
    Held,
    /// The second type argument.
    Second,
    /// A value of the same type.
    Same,
    /// An optional held value.
    Maybe,
    /// An optional element.
    MaybeElement,
    /// An iterator over the elements.
    Elements,
    /// An iterator over the held values, the values of a map.
    Values,
    /// An iterator over the keys of a map.
    Keys,
    /// The same type, of the first function's result.
    Mapped,
    /// The result of the first function.
    Returned,
    /// The result of the second function, or the first argument.
    ReturnedBySecond,
    /// An iterator over the elements of the first function's result.
    Flattened,
    /// An iterator over the optional results of the first function.
    FilterMapped,
    /// The result of the first function, behind the same type: a step of a chain.
    Numbered,
    /// An iterator over pairs with the elements of the argument.
    Zipped,
    /// A result of the held value.
    Fallible,
    /// A number, a truth value, a text.
    Plain(&'static str),
    /// The first argument.
    Given,
    /// An iterator over elements that are held in elements.
    Flat,
    /// A sequence of sequences: windows, chunks.
    Parts,
    /// Two values of the same type.
    Two,
}

use Gives::{
    Elements, Fallible, FilterMapped, Flat, Flattened, Given, Held, Keys, Mapped, Maybe,
    MaybeElement, Numbered, Parts, Plain, Returned, ReturnedBySecond, Same, Second, Two, Values,
    Zipped,
};

/// Methods that mean the same in each type that has them.
const METHODS: &[(&str, Gives)] = &[
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

/// Names of functions that make a value of a type from outside.
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
    fn arg(&self, at: usize) -> Option<Type> {
        self.args.get(at)?.clone()
    }

    fn is_map(&self) -> bool {
        MAPS.contains(&&*self.name) && self.args.len() > 1
    }

    fn is_transparent(&self) -> bool {
        TRANSPARENT.contains(&&*self.name)
    }

    /// The value that it holds: the last type argument of a map, else the first one.
    fn held(&self) -> Option<Type> {
        self.arg(usize::from(self.is_map()))
    }

    fn made(name: &str, args: Vec<Option<Type>>) -> Type {
        Type::ExternalType(Rc::new(Self {
            name: name.into(),
            args: args.into(),
        }))
    }
}

impl Linker<'_, '_> {
    /// The member of a value from outside: a method, a part that a pattern takes, or that of what it holds.
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

    /// One element of a value from outside.
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

    /// The result of a method of a value from outside.
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
        let iterator = |one: Option<Type>| Some(ExternalType::made("Iterator", vec![one]));
        let maybe = |one: Option<Type>| Some(ExternalType::made("Option", vec![one]));
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
                Some(ExternalType::made(name, vec![of.arg(0), made]))
            }
            Same if name == "Entry" || method != "take" => return same(),
            Same => return same(),
            Maybe if name == "Result" && method == "ok" => maybe(of.arg(0)),
            Maybe if is_cell && method == "get" && name == "Cell" => of.arg(0),
            Maybe if is_cell && method == "get_mut" => {
                Some(ExternalType::made("Guard", vec![of.arg(0)]))
            }
            Maybe if method == "remove" && matches!(name, "Vec" | "VecDeque") => of.held(),
            Maybe if method == "insert" && name == "Option" => of.held(),
            Maybe if method == "insert" && matches!(name, "Vec" | "HashSet" | "BTreeSet") => {
                Some(ExternalType::made("bool", Vec::new()))
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
                Some(ExternalType::made(
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
                let number = Some(ExternalType::made("usize", Vec::new()));
                iterator(Some(Type::Tuple([number, of.arg(0)].into())))
            }
            Zipped => {
                let other = self
                    .argument(0)
                    .and_then(|it| self.implemented_element(&it));
                iterator(Some(Type::Tuple([of.arg(0), other].into())))
            }
            Fallible if is_cell => Some(ExternalType::made("Guard", vec![of.arg(0)])),
            Fallible if matches!(method, "read" | "write" | "lock") && !is_cell => {
                return outer_value(of);
            }
            Fallible => Some(ExternalType::made(
                "Result",
                vec![of.arg(0), self.argument(0)],
            )),
            Plain(name) => Some(ExternalType::made(name, Vec::new())),
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
            return ExternalType::made(name, vec![self.returned_by(0)]);
        }
        if holds_given && matches!(method, "new" | "from") && given.is_some() {
            return ExternalType::made(name, vec![given]);
        }
        if matches!(method, "from" | "from_iter")
            && holds(name)
            && let Some(given) = given
        {
            return ExternalType::made(name, vec![self.implemented_element(&given)]);
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

    /// The function that a method of a value from outside is given at a place: its type arguments are its parameters.
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
        ExternalType::made("fn", params)
    }
}

/// The content of a value from outside: from outside too, where no type argument is of the repository.
fn outer_value(of: &ExternalType) -> Option<Type> {
    let is_outer = |one: &Option<Type>| one.as_ref().is_some_and(Type::is_external);
    (of.args.iter().all(is_outer) && !holds(&of.name)).then_some(Type::External)
}

/// Whether values of a type may hold such of the repository.
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

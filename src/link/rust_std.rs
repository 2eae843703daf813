//! Methods of the standard library of Rust: their results and the parameters of their callbacks, by the type
//! arguments of the receiver.
//!
//! The names of types and methods alone count, since popular crates use the same ones (`HashMap`, `lock`, `iter`).
//! Results of other external types are external, unless they contain values of the repository.

use std::rc::Rc;

use super::file::Access;
use super::linker::Linker;
use super::path_names::{Wanted, payload};
use super::rust_impls::is_common;
use super::types::{ExternalType, Type};
use crate::model::{BuiltinSet, BuiltinTable};

/// Types whose contents are reached by a method: `Mutex<T>.lock()`.
static CELLS: BuiltinSet = BuiltinSet::new(
    "Rust: cells",
    "Mutex RwLock RefCell Cell OnceCell OnceLock ReentrantMutex UnsafeCell Weak ArcSwap FairMutex",
);

/// Maps: the type arguments are those of keys and values.
static MAPS: BuiltinSet = BuiltinSet::new(
    "Rust: maps",
    "HashMap BTreeMap IndexMap FxHashMap FxIndexMap AHashMap DashMap FnvHashMap Entry OccupiedEntry VacantEntry \
     SlotMap HopSlotMap",
);

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
    /// An optional result of the first function argument: `is_open.then(f)`.
    MaybeReturned,
    /// An optional index.
    Position,
    /// The result of a thread, or one text.
    Joined,
    /// An optional value of the type argument that the call writes: `any.downcast_ref::<Job>()`.
    MaybeWritten,
    /// A `Result` of it: `text.parse::<Level>()`.
    WrittenResult,
    /// The type that the call writes, with the elements: `jobs.collect::<Vec<_>>()`.
    Collected,
}

use RustMethodResult::{
    Collected, Elements, Fallible, FilterMapped, Flat, Flattened, Given, Held, Joined, Keys,
    Mapped, Maybe, MaybeElement, MaybeReturned, MaybeWritten, Numbered, Parts, Plain, Position,
    Returned, ReturnedBySecond, Same, Second, Two, Values, WrittenResult, Zipped,
};

/// Methods by name; the result follows the same rule for every type that has one.
static METHODS: BuiltinTable<RustMethodResult> = BuiltinTable::new(
    "Rust: methods",
    &[
        (
            Held,
            "? unwrap expect unwrap_or unwrap_or_default unwrap_or_else unwrap_unchecked get_or_insert \
             get_or_insert_with get_or_init or_insert or_insert_with or_insert_with_key or_default await borrow \
             borrow_mut load load_full into_inner get_ref swap_remove [] get_or_insert_default into_mut make_mut unwrap_or_clone",
        ),
        (
            Same,
            "insert_entry map_err as_ref as_mut as_deref as_deref_mut as_slice as_mut_slice as_pin_mut by_ref \
             chain clone cloned copied cycle deref deref_mut filter fuse inspect inspect_err into \
             into_boxed_slice into_vec and_modify or or_else peekable rev skip skip_while sorted \
             sorted_by sorted_by_key split_off step_by take_while to_owned to_vec downgrade entry replace take take_if xor +",
        ),
        (Second, "unwrap_err expect_err"),
        (
            Maybe,
            "ok upgrade first first_mut last_mut get get_mut pop pop_front pop_back front back front_mut \
             back_mut peek peek_mut remove insert",
        ),
        (
            Fallible,
            "ok_or ok_or_else try_borrow try_borrow_mut lock try_lock read write try_read try_write recv \
             try_recv try_unwrap",
        ),
        (Mapped, "map"),
        (ReturnedBySecond, "map_or map_or_else try_fold"),
        (Returned, "map_or_default and_then find_map"),
        (MaybeReturned, "then"),
        (FilterMapped, "filter_map map_while"),
        (Flattened, "flat_map"),
        (Flat, "flatten"),
        (Given, "fold"),
        (Numbered, "enumerate"),
        (Zipped, "zip"),
        (
            Elements,
            "iter iter_mut into_iter drain par_iter par_iter_mut into_par_iter extract_if range range_mut splice",
        ),
        (Values, "values values_mut into_values"),
        (Keys, "keys into_keys"),
        (
            Parts,
            "windows chunks chunks_exact chunks_mut chunks_exact_mut rchunks chunk_by",
        ),
        (Two, "split_at split_at_mut partition"),
        (
            MaybeElement,
            "last next next_back next_if nth nth_back find rfind max max_by max_by_key min min_by min_by_key reduce next_if_eq pop_first pop_last first_key_value last_key_value \
             get_key_value remove_entry",
        ),
        (Plain("usize"), "len count"),
        (Position, "position rposition"),
        (
            Plain("bool"),
            "is_empty contains contains_key is_some is_none is_ok is_err any all",
        ),
        (Plain("String"), "to_string"),
        (Joined, "join"),
        (MaybeWritten, "downcast_ref downcast_mut"),
        (WrittenResult, "downcast parse"),
        (Collected, "collect"),
    ],
);

/// Traits of the standard library whose methods are all known: [`TRAIT_METHODS`], and those that most types have, e.g. `clone`,
/// known by [`is_common`].
static TRAITS: BuiltinSet = BuiltinSet::new(
    "Rust: traits",
    "Any Clone Copy Debug Default Display Eq Error Hash Ord PartialEq PartialOrd RefUnwindSafe Send Sized Sync Unpin \
     UnwindSafe",
);

/// Their methods that they alone declare.
static TRAIT_METHODS: BuiltinSet = BuiltinSet::new(
    "Rust: methods of traits",
    "Any.is Clone.clone_from Copy.clone_from Default.default Error.cause \
     Error.description Error.source Hash.hash_slice Ord.clamp",
);

/// Whether a type is a trait of the standard library that has no such method: `name_long()` of `Debug`.
fn lacks_method(of: &str, name: &str) -> bool {
    let method = name.strip_suffix("()").unwrap_or(name);
    TRAITS.has(of)
        && !TRAIT_METHODS.has(&format!("{of}.{method}"))
        && !is_known(method)
        && !is_common(name)
}

/// Methods whose results no rule says.
static OTHER_METHODS: BuiltinSet = BuiltinSet::new(
    "Rust: methods of unknown results",
    "for_each sum product unzip sort retain try_for_each cmp eq size_hint",
);

/// Whether a method is one of the standard library.
pub(super) fn is_known(method: &str) -> bool {
    METHODS.get(method).is_some() || OTHER_METHODS.has(method)
}

/// Whether a method gives a value of the receiver's type, whatever its callback gives: `map_err`, `filter`.
pub(super) fn keeps_type(method: &str) -> bool {
    METHODS.get(method) == Some(&Same) && !matches!(method, "or" | "or_else" | "chain" | "xor")
}

/// Names of constructors: `Vec::new`.
static MAKERS: BuiltinSet = BuiltinSet::new(
    "Rust: constructors",
    "new with_capacity default from from_iter with_hasher",
);

/// Functions of pointers that are called by their paths: `Arc::clone(&store)`.
static ASSOCIATED: BuiltinSet = BuiltinSet::new(
    "Rust: functions of pointers",
    "clone downgrade make_mut get_mut try_unwrap unwrap_or_clone into_inner",
);

/// The result of a function of the standard library that is no method.
#[derive(Clone, Copy, Debug)]
enum FunctionResult {
    /// The first argument, or a value of its type: `mem::take(&mut jobs)`.
    Argument,
    /// An iterator over values of the type of the first argument.
    Iterator,
    /// A thread or task that gives the result of the first argument.
    Thread,
    /// A `Result` of the type argument that the call writes: `serde_json::from_str::<Job>(text)`.
    WrittenResult,
}

/// Functions by their names, from whatever module they are.
static FUNCTIONS: BuiltinTable<FunctionResult> = BuiltinTable::new(
    "Rust: functions",
    &[
        (
            FunctionResult::Argument,
            "take replace black_box identity min max block_on",
        ),
        (FunctionResult::Iterator, "once repeat"),
        (FunctionResult::Thread, "spawn spawn_blocking"),
        (
            FunctionResult::WrittenResult,
            "from_str from_slice from_reader from_value",
        ),
    ],
);

/// Functions whose result is never their argument.
const NEVER_GIVEN: &[&str] = &[
    "align_of_val",
    "drop",
    "eq",
    "forget",
    "ptr_eq",
    "size_of_val",
    "swap",
    "to_string",
    "to_string_pretty",
    "to_value",
    "to_vec",
    "to_vec_pretty",
    "to_writer",
    "to_writer_pretty",
    "type_name_of_val",
];

impl ExternalType {
    fn is_map(&self) -> bool {
        MAPS.has(&self.name) && self.args.len() > 1
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
        // `State(store)` of a `State<Store>`
        if let (Some((variant, "0")), [arg]) = (payload(name), &*of.args)
            && *variant == *of.name
        {
            return arg.clone().or_else(|| Some(Type::unknown()));
        }
        if let Some(found) = self.pointed_member(of, name) {
            return Some(found);
        }
        if let Some((variant, _)) = payload(name) {
            return match (variant, &*of.name) {
                ("Err", "Result") | ("Continue", "ControlFlow") => of.arg(1),
                ("Some" | "Ok" | "Ready" | "Break" | "Borrowed" | "Owned" | "Reverse", _) => {
                    of.arg(0)
                }
                ("Occupied" | "Vacant", "Entry") => {
                    let args = Rc::clone(&of.args);
                    Some(ExternalType::with(&format!("{variant}Entry"), args))
                }
                _ => external_value(of).or_else(|| Some(Type::unknown())),
            };
        }
        if let Some(method) = name.strip_suffix("()") {
            if !is_known(method)
                && let Some(found) = self.by_extension(Some(of), method)
            {
                return Some(found);
            }
            if lacks_method(&of.name, name) {
                return None;
            }
            if let Some(unknown) = self.member_behind(of, name) {
                return Some(unknown);
            }
            return Some(Type::ExternalMethod(Rc::clone(of), method.into()));
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            // The payload of a variant, `Entry::Occupied(entry)`: whose type arguments are not known.
            let is_of_variant = of.args.is_empty() && of.name.starts_with(char::is_uppercase);
            let external = || external_value(of).filter(|_| !is_of_variant);
            return of.arg(0).or_else(external).or(Some(Type::unknown()));
        }
        let (bare, wanted) = Wanted::of(name);
        if wanted == Wanted::Qualifier || bare.starts_with(char::is_uppercase) {
            let around = Type::ExternalType(Rc::clone(of));
            return Some(ExternalType::item_of(&around, bare));
        }
        if let Some(unknown) = self.member_behind(of, name) {
            return Some(unknown);
        }
        Some(ExternalType::plain(bare))
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
        of.arg(0).or_else(|| external_value(of))
    }

    /// The result type of a method of an external value.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of result")]
    pub(super) fn standard_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        self.step()?;
        let name = &*of.name;
        if of.args.is_empty() {
            if let Some(receiver) = self.receiver_of_path(of, method) {
                return self.standard_result(&receiver, method);
            }
            if MAKERS.has(method) {
                return Some(self.standard_made(of, method));
            }
        } else if of.is_transparent() && MAKERS.has(method) {
            // `Arc::<Store>::new(store)`
            return Some(Type::ExternalType(Rc::clone(of)));
        }
        let Some(gives) = METHODS.get(method) else {
            return external_value(of).and_then(|_| self.rust_external_result());
        };
        let same = || Some(Type::ExternalType(Rc::clone(of)));
        let element = || self.standard_element(of);
        let iterator = |one: Option<Type>| Some(ExternalType::with("Iterator", vec![one]));
        let maybe = |one: Option<Type>| Some(ExternalType::with("Option", vec![one]));
        let is_cell = CELLS.has(name);
        let found = match gives {
            Held if method == "await" => match name {
                "Future" | "BoxFuture" | "LocalBoxFuture" => of.arg(0),
                // Of a task of tokio, which may have ended early.
                "JoinHandle" => Some(ExternalType::with("Result", vec![of.arg(0)])),
                "Pin" | "Box" => {
                    let inner = of.arg(0)?;
                    let inner = self.declared(&inner, Access::Name("await()"))?;
                    self.return_type(&inner, None, None)
                }
                _ => return same(),
            },
            Held if method == "unwrap" && name == "Guard" => return same(),
            Held if method == "into_inner" => match name {
                // Of a poisoned lock it is an error.
                "Mutex" | "RwLock" => Some(ExternalType::with("Guard", vec![of.arg(0)])),
                "OnceCell" | "OnceLock" | "Arc" | "Rc" => maybe(of.arg(0)),
                _ => of.held(),
            },
            Held => of.held(),
            Second => of.arg(1),
            Same if matches!(method, "replace" | "take") && matches!(name, "Cell" | "RefCell") => {
                of.arg(0)
            }
            Same if method == "take" && is_cell => maybe(of.arg(0)),
            Same if method == "downgrade" && matches!(name, "Arc" | "Rc") => {
                Some(ExternalType::with("Weak", Rc::clone(&of.args)))
            }
            Same if method == "map_err" => {
                let made = self.returned_by(0);
                Some(ExternalType::with(name, vec![of.arg(0), made]))
            }
            Same if method == "entry" => Some(ExternalType::with("Entry", Rc::clone(&of.args))),
            Same => return same(),
            Maybe if name.ends_with("Entry") => of.held(),
            Maybe if name == "Result" && method == "ok" => maybe(of.arg(0)),
            Maybe if method == "get" && matches!(name, "Cell" | "UnsafeCell") => of.arg(0),
            Maybe if is_cell && method == "get_mut" => {
                Some(ExternalType::with("Guard", vec![of.arg(0)]))
            }
            Maybe if method == "remove" && matches!(name, "Vec" | "VecDeque") => of.held(),
            Maybe if method == "insert" && name == "Option" => of.held(),
            Maybe if method == "insert" && matches!(name, "Vec" | "HashSet" | "BTreeSet") => {
                Some(ExternalType::with("bool", Vec::new()))
            }
            Maybe => maybe(of.held()),
            MaybeElement if name.ends_with("Entry") => element(),
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
            MaybeReturned => maybe(self.returned_by(0)),
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
                return external_value(of);
            }
            Fallible => {
                let other = match method {
                    "ok_or_else" => self.returned_by(0),
                    _ => self.argument(0),
                };
                Some(ExternalType::with("Result", vec![of.arg(0), other]))
            }
            Position => maybe(Some(ExternalType::with("usize", Vec::new()))),
            MaybeWritten => maybe(self.written_type(0)),
            WrittenResult => {
                let other = Some(ExternalType::with("Error", Vec::new()));
                Some(ExternalType::with(
                    "Result",
                    vec![self.written_type(0), other],
                ))
            }
            Collected => return self.collected(of),
            Joined if matches!(name, "JoinHandle" | "ScopedJoinHandle") => {
                Some(ExternalType::with("Result", vec![of.arg(0)]))
            }
            Joined => Some(ExternalType::with("String", Vec::new())),
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
        found.or_else(|| external_value(of).and_then(|_| self.rust_external_result()))
    }

    /// The result of an external function, or of a struct or variant that is called.
    pub(super) fn function_result(&self, of: &Rc<ExternalType>) -> Option<Type> {
        if of.name.starts_with(char::is_uppercase) {
            // `Json(row)`
            let given = of.is_transparent().then(|| self.argument(0)).flatten();
            return Some(match given {
                Some(given) => of.with_args([Some(given)].into()),
                None => Type::ExternalType(Rc::clone(of)),
            });
        }
        let found = match FUNCTIONS.get(&of.name) {
            Some(FunctionResult::Argument) => self.argument(0),
            Some(FunctionResult::Iterator) => {
                Some(ExternalType::with("Iterator", [self.argument(0)]))
            }
            Some(FunctionResult::Thread) => {
                let result = self.returned_by(0).or_else(|| self.argument(0));
                Some(ExternalType::with("JoinHandle", [result]))
            }
            Some(FunctionResult::WrittenResult) => self
                .written_type(0)
                .map(|it| ExternalType::with("Result", [Some(it)])),
            None if NEVER_GIVEN.contains(&&*of.name) => Some(Type::External),
            None => return self.rust_external_result(),
        };
        Some(found.unwrap_or(Type::External))
    }

    /// The result of an external function or method of which no rule says anything: external too, unless a callback that is
    /// passed may give a value of the repository, or an argument is one, which comes back: `statement.query_map([], |row| Job::of(row))`,
    /// `arena.alloc(job)`; or the call writes a type of the repository.
    pub(super) fn rust_external_result(&self) -> Option<Type> {
        let call = self.call();
        let (n_args, n_written) = call.map_or((0, 0), |call| (call.args.len(), call.types.len()));
        let is_callback_of_repository = |at: usize| {
            let given = u8::try_from(at).ok().and_then(|at| self.argument(at));
            match given {
                Some(Type::Callable(result)) => !is_wholly_external(&result),
                _ => false,
            }
        };
        // `table.fetch::<Job>()`
        let is_written = |at: usize| {
            let written = u8::try_from(at).ok().and_then(|at| self.written_type(at));
            written.is_some_and(|it| !is_wholly_external(&it))
        };
        let may_return = (0..n_args).any(is_callback_of_repository)
            || (0..n_written).any(is_written)
            || self.has_own_argument();
        (!may_return).then_some(Type::External)
    }

    /// The type of parameter `index` of an external method of which no rule says anything, or of the callback that it takes:
    /// external too, if it is the first. Behind it a callback may be given an argument of the call: `parts.fold(Job::new(), |job, part| …)`.
    pub(super) fn rust_external_parameter(index: u8) -> Option<Type> {
        (index == 0).then_some(Type::External)
    }

    /// The receiver of a function of a pointer that is called by its path: `store` of `Arc::clone(&store)`.
    fn receiver_of_path(&self, of: &ExternalType, method: &str) -> Option<Rc<ExternalType>> {
        if !of.is_transparent() || !ASSOCIATED.has(method) {
            return None;
        }
        match self.argument(0)? {
            Type::ExternalType(given) if given.name == of.name && !given.args.is_empty() => {
                Some(given)
            }
            // `Arc::clone(self)` of `self: &Arc<Self>`
            given if !given.is_external() => {
                match ExternalType::with(&of.name, vec![Some(given)]) {
                    Type::ExternalType(pointer) => Some(pointer),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `Arc::new(store)`, `Vec::new()`
    fn standard_made(&self, of: &Rc<ExternalType>, method: &str) -> Type {
        let name = &*of.name;
        let holds_given =
            of.is_transparent() || CELLS.has(name) || matches!(name, "Reverse" | "Wrapping");
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

    /// The result of `collect()`: the container that the call writes, with the elements of the iterator; as good as the
    /// iterator where it writes none.
    fn collected(&self, of: &Rc<ExternalType>) -> Option<Type> {
        let same = || Some(Type::ExternalType(Rc::clone(of)));
        let Some(written) = self.written_type(0) else {
            return same();
        };
        let Type::ExternalType(container) = &written else {
            return Some(written);
        };
        if container.args.iter().any(Option::is_some) || container.args.is_empty() {
            return Some(written);
        }
        match (of.arg(0), container.is_map()) {
            (Some(Type::Tuple(pair)), true) => Some(ExternalType::with(&container.name, pair)),
            (Some(one), false) if !matches!(&*container.name, "Result" | "Option") => {
                Some(ExternalType::with(&container.name, [Some(one)]))
            }
            _ => same(),
        }
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
fn external_value(of: &ExternalType) -> Option<Type> {
    let is_external = |arg: &Option<Type>| arg.as_ref().is_some_and(is_wholly_external);
    let is_value = of.args.iter().all(is_external) && !holds(&of.name) && !of.is_transparent();
    is_value.then_some(Type::External)
}

/// Whether neither a type nor any type argument in it is of the repository.
fn is_wholly_external(found: &Type) -> bool {
    match found {
        Type::ExternalType(of) => of.args.iter().flatten().all(is_wholly_external),
        Type::Tuple(items) => items.iter().flatten().all(is_wholly_external),
        Type::Callable(result) => is_wholly_external(result),
        found => found.is_external(),
    }
}

/// Types whose values may contain values of the repository, beside the tables above.
static HOLDERS: BuiltinSet = BuiltinSet::new(
    "Rust: types that hold",
    "Option Result Vec VecDeque HashSet BTreeSet IndexSet BinaryHeap LinkedList Iterator IntoIterator [] \
     SmallVec ArrayVec Receiver Sender Future Stream Peekable FxHashSet Iter IntoIter ThreadLocal PhantomData \
     Poll ControlFlow DoubleEndedIterator ExactSizeIterator Chain Map Filter Zip \
     BoxFuture JoinHandle",
);

/// Whether values of a type may contain values of the repository.
pub(super) fn holds(name: &str) -> bool {
    CELLS.has(name) || MAPS.has(name) || HOLDERS.has(name)
}

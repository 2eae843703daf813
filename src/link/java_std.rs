//! Methods of Java's standard library: their results and the parameters of their callbacks, by the type arguments of the
//! receiver, e.g. an `Item` for `List<Item>.get(0)`.
//!
//! The name of a method alone counts. The result of any other method is unknown.

use std::rc::Rc;

use super::linker::Linker;
use super::types::{ExternalType, Type};

/// The result of a method of the standard library.
#[derive(Clone, Copy, Debug)]
enum JavaMethodResult {
    /// The type argument at a place; the last one where there are fewer.
    Argument(usize),
    /// The last type argument.
    Last,
    /// A value of the same type.
    Same,
    /// A value of this type with the last type argument.
    Of(&'static str),
    /// A value of this type with the type argument at a place.
    OfArgument(&'static str, usize),
    /// A value of this type with all type arguments.
    OfAll(&'static str),
    /// A value of the same type, whose elements the first function argument returns.
    Mapped,
    /// A stream of the elements of the streams that the first function argument returns.
    Flattened,
    /// The result of the function argument at a place.
    Returned(usize),
}

use JavaMethodResult::{Argument, Flattened, Last, Mapped, Of, OfAll, OfArgument, Returned, Same};

/// Methods by name; the result follows the same rule for every type that has one.
const METHODS: &[(&str, JavaMethodResult)] = &[
    ("get", Last),
    ("getFirst", Last),
    ("getLast", Last),
    ("getOrDefault", Last),
    ("put", Last),
    ("putIfAbsent", Last),
    ("computeIfAbsent", Last),
    ("computeIfPresent", Last),
    ("compute", Last),
    ("merge", Last),
    ("remove", Last),
    ("removeFirst", Last),
    ("removeLast", Last),
    ("set", Last),
    ("peek", Last),
    ("peekFirst", Last),
    ("peekLast", Last),
    ("poll", Last),
    ("pollFirst", Last),
    ("pollLast", Last),
    ("pop", Last),
    ("take", Last),
    ("element", Last),
    ("first", Last),
    ("last", Last),
    ("next", Last),
    ("previous", Last),
    ("elementAt", Last),
    ("firstElement", Last),
    ("lastElement", Last),
    ("orElse", Last),
    ("orElseGet", Last),
    ("orElseThrow", Last),
    ("join", Last),
    ("call", Last),
    ("apply", Last),
    ("getValue", Last),
    ("getKey", Argument(0)),
    ("getObject", Last),
    ("getIfAvailable", Last),
    ("getIfUnique", Last),
    ("getBody", Last),
    ("block", Last),
    ("getContent", Of("List")),
    ("getRecords", Of("List")),
    ("newInstance", Last),
    ("cast", Last),
    ("iterator", Of("Iterator")),
    ("listIterator", Of("Iterator")),
    ("descendingIterator", Of("Iterator")),
    ("stream", Of("Stream")),
    ("parallelStream", Of("Stream")),
    ("values", Of("Collection")),
    ("keySet", OfArgument("Set", 0)),
    ("entrySet", OfAll("Set<Entry>")),
    ("entries", OfAll("Set<Entry>")),
    ("firstEntry", OfAll("Entry")),
    ("lastEntry", OfAll("Entry")),
    ("pollFirstEntry", OfAll("Entry")),
    ("subList", Same),
    ("subSet", Same),
    ("headSet", Same),
    ("tailSet", Same),
    ("subMap", Same),
    ("headMap", Same),
    ("tailMap", Same),
    ("reversed", Same),
    ("filter", Same),
    ("sorted", Same),
    ("distinct", Same),
    ("limit", Same),
    ("skip", Same),
    ("takeWhile", Same),
    ("dropWhile", Same),
    ("parallel", Same),
    ("sequential", Same),
    ("unordered", Same),
    ("onClose", Same),
    ("or", Same),
    ("thenComparing", Same),
    ("whenComplete", Same),
    ("exceptionally", Same),
    ("findFirst", Of("Optional")),
    ("findAny", Of("Optional")),
    ("min", Of("Optional")),
    ("max", Of("Optional")),
    ("reduce", Of("Optional")),
    ("toList", Of("List")),
    ("collect", Of("List")),
    ("map", Mapped),
    ("thenApply", Mapped),
    ("flatMap", Flattened),
    ("thenCompose", Flattened),
];

/// Static methods of the standard library whose result follows from their arguments.
const STATIC_METHODS: &[(&str, &str, JavaMethodResult)] = &[
    ("Optional", "map", Mapped),
    ("AccessController", "doPrivileged", Returned(0)),
];

/// Interfaces of the standard library that classes often implement, with all methods that they have.
const CLOSED: &[(&str, &[&str])] = &[
    ("AutoCloseable", &["close"]),
    ("Callable", &["call"]),
    ("Cloneable", &[]),
    ("Closeable", &["close"]),
    ("Comparable", &["compareTo"]),
    ("Iterable", &["forEach", "iterator", "spliterator"]),
    ("RandomAccess", &[]),
    ("Runnable", &["run"]),
    ("Serializable", &[]),
];

/// Interfaces of Spring Data and MyBatis-Plus for rows of a type, with the place of that among their type arguments.
const REPOSITORIES: &[(&str, usize)] = &[
    ("BaseMapper", 0),
    ("CrudRepository", 0),
    ("ElasticsearchRepository", 0),
    ("IService", 0),
    ("JpaRepository", 0),
    ("ListCrudRepository", 0),
    ("ListPagingAndSortingRepository", 0),
    ("MongoRepository", 0),
    ("PagingAndSortingRepository", 0),
    ("Repository", 0),
    ("ServiceImpl", 1),
];

/// The methods of those.
const REPOSITORY_METHODS: &[(&str, JavaMethodResult)] = &[
    ("findById", OfArgument("Optional", 0)),
    ("findOne", OfArgument("Optional", 0)),
    ("findAll", OfArgument("List", 0)),
    ("findAllById", OfArgument("List", 0)),
    ("save", Argument(0)),
    ("saveAll", OfArgument("List", 0)),
    ("saveAllAndFlush", OfArgument("List", 0)),
    ("saveAndFlush", Argument(0)),
    ("getById", Argument(0)),
    ("getOne", Argument(0)),
    ("getReferenceById", Argument(0)),
    ("insert", Argument(0)),
    ("list", OfArgument("List", 0)),
    ("listByIds", OfArgument("List", 0)),
    ("selectById", Argument(0)),
    ("selectList", OfArgument("List", 0)),
    ("selectOne", Argument(0)),
];

/// Classes whose methods give the object itself; so do those of every `…Builder`.
const FLUENT: &[&str] = &[
    "BDDMyOngoingStubbing",
    "OngoingStubbing",
    "StringBuffer",
    "Stubber",
    "ToStringHelper",
];

/// Methods that give their first argument: `verify(store).open()`.
const OF_ARGUMENT: &[&str] = &["checkNotNull", "requireNonNull", "spy", "verify"];

/// Methods by the class of their result, from whatever class they are.
const BY_NAME: &[(&str, &str)] = &[
    ("doAnswer", "Stubber"),
    ("doCallRealMethod", "Stubber"),
    ("doNothing", "Stubber"),
    ("doReturn", "Stubber"),
    ("doThrow", "Stubber"),
    ("toStringHelper", "ToStringHelper"),
];

/// Methods that take a class and give an instance of it.
const BY_CLASS: &[&str] = &[
    "convertValue",
    "fromJson",
    "getBean",
    "getForObject",
    "mock",
    "parseObject",
    "readValue",
    "toBean",
    "treeToValue",
    "unwrap",
];

/// The types of collectors into maps: of lists of the elements, and of what a function makes of each.
const GROUPING: &str = "Collector<List>";
const MAPPING: &str = "Collector<Map>";

/// Functional interfaces whose last type argument is their result, not a parameter.
const WITH_RESULT: &[&str] = &[
    "Function",
    "BiFunction",
    "Supplier",
    "Callable",
    "UnaryOperator",
    "BinaryOperator",
];

/// Methods by their result type, for overloads that are chosen by it; the same for every type that has one.
const PLAIN_RESULTS: &[(&str, &[&str])] = &[
    (
        "String",
        &[
            "concat",
            "format",
            "formatted",
            "intern",
            "join",
            "repeat",
            "replace",
            "replaceAll",
            "replaceFirst",
            "strip",
            "substring",
            "toLowerCase",
            "toString",
            "toUpperCase",
            "trim",
            "getName",
            "getSimpleName",
        ],
    ),
    (
        "int",
        &[
            "compareTo",
            "hashCode",
            "indexOf",
            "intValue",
            "lastIndexOf",
            "length",
            "ordinal",
            "parseInt",
            "size",
        ],
    ),
    (
        "boolean",
        &[
            "booleanValue",
            "contains",
            "endsWith",
            "equals",
            "equalsIgnoreCase",
            "hasNext",
            "isBlank",
            "isEmpty",
            "matches",
            "parseBoolean",
            "startsWith",
        ],
    ),
    (
        "long",
        &["currentTimeMillis", "longValue", "nanoTime", "parseLong"],
    ),
    ("HttpHeaders", &["getHeaders"]),
    ("HttpStatusCode", &["getStatusCode"]),
    ("double", &["doubleValue", "parseDouble"]),
    ("char", &["charAt", "charValue"]),
];

/// Whether the result of a method is known by its name alone, from whatever class it is imported.
pub(super) fn has_usual_result(method: &str) -> bool {
    OF_ARGUMENT.contains(&method)
        || BY_CLASS.contains(&method)
        || matches!(method, "when" | "given")
        || BY_NAME.iter().any(|it| it.0 == method)
}

impl ExternalType {
    /// Whether it is known to have no member of a name: `Comparable` has no `open()`.
    pub(super) fn lacks(&self, name: &str) -> bool {
        let closed = CLOSED.iter().find(|it| it.0 == &*self.name);
        closed.is_some_and(|(_, methods)| {
            let method = name.strip_suffix("()");
            method.is_none_or(|method| !methods.contains(&method))
        })
    }

    /// Returns the parameter of the functional interface: an `Item` for `Consumer<Item>`.
    pub(super) fn parameter(&self, index: usize) -> Option<Type> {
        let has_result = WITH_RESULT.contains(&&*self.name) && self.args.len() > 1;
        let n_params = self.args.len() - usize::from(has_result);
        let at = index.min(n_params.checked_sub(1)?);
        self.args.get(at)?.clone()
    }

    /// Returns the function that a method of it takes: its parameter is an element.
    pub(super) fn parameter_of(&self, method: &str) -> Option<Type> {
        let is_map = self.args.len() == 2;
        let args: Rc<[Option<Type>]> = match method {
            "computeIfAbsent" => Rc::from([self.args.first()?.clone(), None]),
            // `forEach((key, value) -> …)`
            _ if is_map => Rc::clone(&self.args),
            _ => Rc::from([self.args.last()?.clone()]),
        };
        Some(Self::with("Consumer", args))
    }
}

impl Linker<'_, '_> {
    /// The result type of a method of an external type, for the call that is being evaluated.
    pub(super) fn external_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        let known = if of.args.is_empty() {
            self.static_result(of, method)
        } else {
            self.generic_result(of, method)
        };
        known
            .or_else(|| self.usual_result(of, method))
            .or_else(|| self.outer_result(of, method))
    }

    /// The result of calling a method that is imported by its name: `import static org.mockito.Mockito.verify`.
    pub(super) fn imported_result(&self, of: &Rc<ExternalType>) -> Option<Type> {
        if !of.args.is_empty() {
            return None;
        }
        self.usual_result(of, &of.name)
    }

    /// The result of methods that libraries are full of, by their names.
    fn usual_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        if OF_ARGUMENT.contains(&method) || method == "when" && &*of.name == "Stubber" {
            return self.argument(0);
        }
        if matches!(method, "when" | "given") && (&*of.name == "Mockito" || &*of.name == method) {
            return Some(ExternalType::named("OngoingStubbing"));
        }
        let named = BY_NAME.iter().find(|it| it.0 == method);
        if let Some((_, class)) = named {
            return Some(ExternalType::named(class));
        }
        let is_fluent = of.args.is_empty()
            && (of.name.ends_with("Builder") || FLUENT.contains(&&*of.name))
            && !matches!(method, "build" | "get" | "toString")
            && !PLAIN_RESULTS.iter().any(|it| it.1.contains(&method));
        if is_fluent {
            return Some(Type::ExternalType(Rc::clone(of)));
        }
        self.made_of_class(method)
    }

    /// `context.getBean(Store.class)`, `mapper.readValue(text, Store.class)`
    fn made_of_class(&self, method: &str) -> Option<Type> {
        if !BY_CLASS.contains(&method) {
            return None;
        }
        let n_args = self.call().map_or(0, |call| call.args.len());
        let mut args = (0..n_args).filter_map(|at| self.argument(u8::try_from(at).ok()?));
        args.find_map(|arg| match arg {
            Type::ExternalType(class) if &*class.name == "Class" => class.element(),
            _ => None,
        })
    }

    /// The result type of a method without receiver or arguments from the repository: external, too.
    fn outer_result(&self, of: &ExternalType, method: &str) -> Option<Type> {
        let plain = PLAIN_RESULTS.iter().find(|it| it.1.contains(&method));
        if let Some((name, _)) = plain {
            return Some(ExternalType::named(name));
        }
        let n_args = self.call().map_or(0, |call| call.args.len());
        let mut args = (0..n_args).map(|at| self.argument(u8::try_from(at).ok()?));
        let is_external = |arg: Option<Type>| arg.is_some_and(|arg| arg.is_external());
        (of.has_external_args() && args.all(is_external)).then_some(Type::External)
    }

    /// The result type of a method of a generic type: `Map<K, V>.get()` → `V`.
    fn generic_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        let one = |at: usize| of.args.get(at).cloned().flatten();
        let last = || of.args.last().cloned().flatten();
        let rows = REPOSITORIES.iter().find(|it| it.0 == &*of.name);
        if let Some((_, at)) = rows
            && let Some(found) = REPOSITORY_METHODS.iter().find(|it| it.0 == method)
        {
            return match found.1 {
                OfArgument(name, _) => Some(ExternalType::with(name, [one(*at)])),
                _ => one(*at),
            };
        }
        if method == "collect"
            && let Some(map) = self.collected_map(last())
        {
            return Some(map);
        }
        let found = METHODS.iter().find(|it| it.0 == method)?;
        match found.1 {
            Argument(at) => one(at.min(of.args.len() - 1)),
            Last => last(),
            Same => Some(Type::ExternalType(Rc::clone(of))),
            Of(name) => Some(ExternalType::with(name, [last()])),
            OfArgument(name, at) => Some(ExternalType::with(name, [one(at)])),
            OfAll("Set<Entry>") => {
                let entry = ExternalType::with("Entry", Rc::clone(&of.args));
                Some(ExternalType::with("Set", [Some(entry)]))
            }
            OfAll(name) => Some(ExternalType::with(name, Rc::clone(&of.args))),
            Mapped => {
                let result = self.returned_by_argument(0)?;
                Some(ExternalType::with(&of.name, [Some(result)]))
            }
            Flattened => self.returned_by_argument(0),
            Returned(at) => self.returned_by_argument(at),
        }
    }

    /// The map that a collector of `Collectors` makes of elements.
    fn collected_map(&self, element: Option<Type>) -> Option<Type> {
        let Type::ExternalType(collector) = self.argument(0)? else {
            return None;
        };
        let value = match &*collector.name {
            GROUPING => Some(ExternalType::with("List", [element])),
            MAPPING => collector.element(),
            _ => return None,
        };
        Some(ExternalType::with("Map", [None, value]))
    }

    /// `List.of(a, b)`, `Optional.of(a)`, `Arrays.asList(a)`, `Objects.requireNonNull(a)`
    #[expect(clippy::match_same_arms, reason = "each arm is a case of its own")]
    fn static_result(&self, of: &ExternalType, method: &str) -> Option<Type> {
        if let Some(found) = STATIC_METHODS
            .iter()
            .find(|it| it.0 == &*of.name && it.1 == method)
            && let Returned(at) = found.2
        {
            return self.returned_by_argument(at);
        }
        let n_args = self.call().map_or(0, |call| call.args.len());
        if &*of.name == "Collectors" {
            return match method {
                "groupingBy" | "groupingByConcurrent" | "partitioningBy" if n_args == 1 => {
                    Some(ExternalType::with(GROUPING, [None]))
                }
                "toMap" | "toConcurrentMap" => {
                    let value = self.returned_by_argument(1)?;
                    Some(ExternalType::with(MAPPING, [Some(value)]))
                }
                _ => None,
            };
        }
        let holder = match (&*of.name, method) {
            (
                "Objects" | "Preconditions",
                "requireNonNull" | "checkNotNull" | "requireNonNullElse",
            ) => {
                return self.argument(0);
            }
            ("Arrays", "stream") | ("Stream", "of" | "ofNullable") => "Stream",
            ("Arrays", "asList") | ("List", "of") => "List",
            ("Set", "of") => "Set",
            ("Optional", "of" | "ofNullable") => "Optional",
            (
                "Collections",
                "singletonList"
                | "singleton"
                | "unmodifiableList"
                | "unmodifiableSet"
                | "unmodifiableCollection"
                | "synchronizedList",
            )
            | ("List" | "Set", "copyOf") => "List",
            ("CompletableFuture", "completedFuture") => "CompletableFuture",
            _ => return None,
        };
        let first = self.argument(0)?;
        let held = match (&first, method) {
            (Type::Container(_, element), _) => Some((**element).clone()),
            (
                Type::ExternalType(one),
                "unmodifiableList"
                | "unmodifiableSet"
                | "unmodifiableCollection"
                | "synchronizedList"
                | "copyOf",
            ) => one.element(),
            _ => Some(first),
        };
        Some(ExternalType::with(holder, [held]))
    }

    /// The result type of the function argument at a place.
    fn returned_by_argument(&self, at: usize) -> Option<Type> {
        let function = self.argument(u8::try_from(at).ok()?)?;
        self.return_type(&function, None, None)
    }
}

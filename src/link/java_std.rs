//! Methods of Java's standard library: their results and the parameters of their callbacks, by the type arguments of the
//! receiver, e.g. an `Item` for `List<Item>.get(0)`.
//!
//! The name of a method alone counts. The result of any other method is unknown.

use std::rc::Rc;

use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::ContainerKind;
use crate::model::{BuiltinSet, BuiltinTable};

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
}

use JavaMethodResult::{Argument, Flattened, Last, Mapped, Of, OfAll, OfArgument, Same};

/// Methods by name; the result follows the same rule for every type that has one.
static METHODS: BuiltinTable<JavaMethodResult> = BuiltinTable::new(
    "Java: methods",
    &[
        (
            Last,
            "get getFirst getLast getOrDefault put putIfAbsent computeIfAbsent computeIfPresent compute merge \
             remove removeFirst removeLast set peek peekFirst peekLast poll pollFirst pollLast pop take element \
             first last next previous elementAt firstElement lastElement orElse orElseGet orElseThrow join call \
             apply getValue getObject getIfAvailable getIfUnique getBody block newInstance cast",
        ),
        (Argument(0), "getKey"),
        (Of("List"), "getContent getRecords toList collect"),
        (Of("Iterator"), "iterator listIterator descendingIterator"),
        (Of("Stream"), "stream parallelStream"),
        (Of("Collection"), "values"),
        (OfArgument("Set", 0), "keySet"),
        (OfAll("Set<Entry>"), "entrySet entries"),
        (OfAll("Entry"), "firstEntry lastEntry pollFirstEntry"),
        (
            Same,
            "subList subSet headSet tailSet subMap headMap tailMap reversed filter sorted distinct limit skip \
             takeWhile dropWhile parallel sequential unordered onClose or thenComparing whenComplete \
             exceptionally",
        ),
        (Of("Optional"), "findFirst findAny min max reduce"),
        (Mapped, "map thenApply thenApplyAsync handle handleAsync"),
        (Flattened, "flatMap thenCompose"),
    ],
);

/// The result of a static method of the standard library.
#[derive(Clone, Copy, Debug)]
enum StaticResult {
    /// The first argument.
    Argument,
    /// The result of the function that is the first argument.
    Returned,
    /// A collector into a map of lists of the elements, where the first argument is the only one.
    Grouping,
    /// A collector into a map of the results of the second argument.
    Mapping,
    /// A value of this type that holds the first argument, or the elements of an array.
    Of(&'static str),
    /// A value of this type that holds the elements of the first argument.
    Copy(&'static str),
    /// A value of this type that holds the result of the first argument.
    OfReturned(&'static str),
    /// A value of this type, whose elements are not known.
    Some(&'static str),
    /// A value of the class itself.
    Itself,
}

/// Static methods of the standard library.
static STATIC_METHODS: BuiltinTable<StaticResult> = BuiltinTable::new(
    "Java: static methods",
    &[
        (
            StaticResult::Argument,
            "Objects.requireNonNullElse Objects.requireNonNullElseGet",
        ),
        (StaticResult::Returned, "AccessController.doPrivileged"),
        (
            StaticResult::Grouping,
            "Collectors.groupingBy Collectors.groupingByConcurrent Collectors.partitioningBy",
        ),
        (
            StaticResult::Mapping,
            "Collectors.toMap Collectors.toConcurrentMap",
        ),
        (
            StaticResult::Of("Stream"),
            "Arrays.stream Stream.of Stream.ofNullable Stream.iterate",
        ),
        (
            StaticResult::Of("List"),
            "Arrays.asList List.of Collections.singletonList Collections.singleton",
        ),
        (StaticResult::Of("Set"), "Set.of"),
        (
            StaticResult::Of("Optional"),
            "Optional.of Optional.ofNullable",
        ),
        (
            StaticResult::Of("CompletableFuture"),
            "CompletableFuture.completedFuture",
        ),
        (
            StaticResult::OfReturned("CompletableFuture"),
            "CompletableFuture.supplyAsync",
        ),
        (StaticResult::OfReturned("Stream"), "Stream.generate"),
        (
            StaticResult::Itself,
            "IntStream.range IntStream.rangeClosed LongStream.range LongStream.rangeClosed",
        ),
        (
            StaticResult::Itself,
            "BigDecimal.valueOf BigInteger.valueOf Boolean.valueOf Byte.valueOf Calendar.getInstance \
             Character.valueOf Double.valueOf Float.valueOf Instant.now Integer.valueOf LocalDate.now LocalDate.of \
             LocalDateTime.now LocalDateTime.of Long.valueOf Path.of Short.valueOf String.copyValueOf String.valueOf",
        ),
        (StaticResult::Some("List"), "Collections.emptyList"),
        (
            StaticResult::Some("Map"),
            "Collections.emptyMap Collections.singletonMap Map.of",
        ),
        (StaticResult::Some("Optional"), "Optional.empty"),
        (StaticResult::Some("Path"), "Paths.get"),
        (StaticResult::Some("Set"), "Collections.emptySet"),
        (StaticResult::Some("Stream"), "Stream.empty"),
        (
            StaticResult::OfReturned("ThreadLocal"),
            "ThreadLocal.withInitial",
        ),
        (
            StaticResult::Copy("List"),
            "Collections.unmodifiableList Collections.unmodifiableSet Collections.unmodifiableCollection \
             Collections.synchronizedList List.copyOf Set.copyOf",
        ),
    ],
);

/// Interfaces of the standard library that classes often implement, and whose methods are all known: [`CLOSED_METHODS`].
static CLOSED: BuiltinSet = BuiltinSet::new(
    "Java: interfaces with known methods",
    "AutoCloseable Callable Cloneable Closeable Comparable Iterable RandomAccess Runnable Serializable",
);

/// The methods of those.
static CLOSED_METHODS: BuiltinSet = BuiltinSet::new(
    "Java: methods of interfaces",
    "AutoCloseable.close Callable.call Closeable.close Comparable.compareTo Iterable.forEach Iterable.iterator \
     Iterable.spliterator Runnable.run",
);

/// Interfaces of Spring Data and MyBatis-Plus for rows of a type, with the place of that among their type arguments.
static REPOSITORIES: BuiltinTable<usize> = BuiltinTable::new(
    "Java: repositories",
    &[
        (
            0,
            "BaseMapper CrudRepository ElasticsearchRepository IService JpaRepository ListCrudRepository \
             ListPagingAndSortingRepository MongoRepository PagingAndSortingRepository Repository",
        ),
        (1, "ServiceImpl"),
    ],
);

/// The methods of those.
static REPOSITORY_METHODS: BuiltinTable<JavaMethodResult> = BuiltinTable::new(
    "Java: methods of repositories",
    &[
        (OfArgument("Optional", 0), "findById findOne"),
        (
            OfArgument("List", 0),
            "findAll findAllById saveAll saveAllAndFlush list listByIds selectList",
        ),
        (
            Argument(0),
            "save saveAndFlush getById getOne getReferenceById insert selectById selectOne",
        ),
    ],
);

/// Classes whose methods give the object itself; so do those of every `…Builder`.
static FLUENT: BuiltinSet = BuiltinSet::new(
    "Java: fluent classes",
    "BDDMyOngoingStubbing OngoingStubbing StringBuffer Stubber ToStringHelper",
);

/// Methods that give their first argument: `verify(store).open()`.
static OF_ARGUMENT: BuiltinSet = BuiltinSet::new(
    "Java: methods that give their argument",
    "checkNotNull requireNonNull spy verify",
);

/// Methods by the class of their result, from whatever class they are.
static BY_NAME: BuiltinTable<&str> = BuiltinTable::new(
    "Java: methods by the class of their result",
    &[
        (
            "Stubber",
            "doAnswer doCallRealMethod doNothing doReturn doThrow",
        ),
        ("ToStringHelper", "toStringHelper"),
    ],
);

/// Methods that take a class and give an instance of it.
static BY_CLASS: BuiltinSet = BuiltinSet::new(
    "Java: methods that take a class",
    "convertValue fromJson getBean getForObject mock parseObject readValue toBean treeToValue unwrap",
);

/// The types of collectors into maps: of lists of the elements, and of what a function makes of each.
const GROUPING: &str = "Collector<List>";
const MAPPING: &str = "Collector<Map>";

/// Functional interfaces whose last type argument is their result; of several it is no parameter.
static WITH_RESULT: BuiltinSet = BuiltinSet::new(
    "Java: functions with a result",
    "Function BiFunction Supplier Callable UnaryOperator BinaryOperator PrivilegedAction PrivilegedExceptionAction",
);

/// Methods by their result type, for overloads that are chosen by it; the same for every type that has one.
static PLAIN_RESULTS: BuiltinTable<&str> = BuiltinTable::new(
    "Java: methods by their results",
    &[
        (
            "String",
            "concat format formatted intern join repeat replace replaceAll replaceFirst strip substring \
             toLowerCase toString toUpperCase trim getName getSimpleName",
        ),
        ("Class", "getClass"),
        ("Path", "toPath"),
        ("byte", "byteValue"),
        ("short", "shortValue"),
        ("float", "floatValue parseFloat"),
        ("byte[]", "getBytes readAllBytes toByteArray"),
        ("char[]", "toCharArray"),
        ("String[]", "split"),
        (
            "int",
            "compareTo hashCode indexOf intValue lastIndexOf length ordinal parseInt size",
        ),
        (
            "boolean",
            "booleanValue contains endsWith equals equalsIgnoreCase hasNext isBlank isEmpty matches parseBoolean \
             startsWith",
        ),
        ("long", "currentTimeMillis longValue nanoTime parseLong"),
        ("HttpHeaders", "getHeaders"),
        ("HttpStatusCode", "getStatusCode"),
        ("double", "doubleValue parseDouble"),
        ("char", "charAt charValue"),
    ],
);

/// Whether the result of a method is known by its name alone, from whatever class it is imported.
pub(super) fn has_usual_result(method: &str) -> bool {
    OF_ARGUMENT.has(method)
        || BY_CLASS.has(method)
        || matches!(method, "when" | "given")
        || BY_NAME.get(method).is_some()
}

impl ExternalType {
    /// Whether it is an interface of the standard library whose methods are all known.
    pub(super) fn has_known_methods(&self) -> bool {
        CLOSED.has(&self.name)
    }

    /// Whether it is known to have no member of a name: `Comparable` has no `open()`.
    pub(super) fn lacks(&self, name: &str) -> bool {
        let is_method = |method: &str| CLOSED_METHODS.has(&format!("{}.{method}", self.name));
        CLOSED.has(&self.name) && !name.strip_suffix("()").is_some_and(is_method)
    }

    /// Returns the parameter of the functional interface: an `Item` for `Consumer<Item>`.
    pub(super) fn parameter(&self, index: usize) -> Option<Type> {
        let has_result = WITH_RESULT.has(&self.name) && self.args.len() > 1;
        let n_params = self.args.len() - usize::from(has_result);
        let at = index.min(n_params.checked_sub(1)?);
        self.args.get(at)?.clone()
    }

    /// Returns the function that a method of it takes: its parameter is an element.
    fn parameter_of(&self, method: &str) -> Option<Type> {
        let is_map = self.args.len() == 2;
        let args: Rc<[Option<Type>]> = match method {
            "computeIfAbsent" => Rc::from([self.args.first()?.clone(), None]),
            // Two values of one key.
            "merge" => Rc::from([self.args.last()?.clone()]),
            // `handle((value, error) -> …)`
            "handle" | "handleAsync" | "whenComplete" | "whenCompleteAsync" => {
                Rc::from([self.args.last()?.clone(), None])
            }
            // `forEach((key, value) -> …)`
            _ if is_map => Rc::clone(&self.args),
            _ => Rc::from([self.args.last()?.clone()]),
        };
        Some(Self::with("Consumer", args))
    }
}

/// Static methods that take a function of the elements of their first argument, and those of the first argument itself.
static CALLBACKS: BuiltinTable<bool> = BuiltinTable::new(
    "Java: static methods that take a function",
    &[
        (
            true,
            "Arrays.sort Collections.sort Collections.max Collections.min",
        ),
        (false, "Stream.iterate"),
    ],
);

impl Linker<'_, '_> {
    /// The function that a method of an external type takes, for the call that is being evaluated.
    pub(super) fn external_callback(&self, of: &ExternalType, method: &str) -> Option<Type> {
        if !of.args.is_empty() {
            return of.parameter_of(method);
        }
        let of_elements = CALLBACKS.get(&format!("{}.{method}", of.name))?;
        let first = self.argument(0)?;
        let parameter = if *of_elements {
            self.element(&first)
        } else {
            Some(first)
        };
        Some(ExternalType::with("Consumer", [parameter]))
    }

    /// The result type of a method of an external type, for the call that is being evaluated.
    pub(super) fn external_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        let known = if of.args.is_empty() {
            self.static_result(of, method)
        } else {
            self.generic_result(of, method)
        };
        known
            .or_else(|| self.usual_result(of, method))
            .or_else(|| self.named_method_result(of, method))
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
        if OF_ARGUMENT.has(method) || method == "when" && &*of.name == "Stubber" {
            return self.argument(0);
        }
        if matches!(method, "when" | "given") && (&*of.name == "Mockito" || &*of.name == method) {
            return Some(ExternalType::plain("OngoingStubbing"));
        }
        if let Some(class) = BY_NAME.get(method) {
            return Some(ExternalType::plain(class));
        }
        let is_fluent = of.args.is_empty()
            && (of.name.ends_with("Builder") || FLUENT.has(&of.name))
            && !matches!(method, "build" | "get" | "toString")
            && PLAIN_RESULTS.get(method).is_none();
        if is_fluent {
            return Some(Type::ExternalType(Rc::clone(of)));
        }
        // `IntStream.range(0, 3).mapToObj(i -> jobs.get(i))`, `executor.submit(() -> job)`
        let holder = match method {
            "mapToObj" => Some("Stream"),
            "submit" => Some("Future"),
            _ => None,
        };
        if let Some(holder) = holder
            && let Some(made) = self.returned_by_argument(0)
        {
            return Some(ExternalType::with(holder, [Some(made)]));
        }
        self.made_of_class(method)
    }

    /// `context.getBean(Store.class)`, `mapper.readValue(text, Store.class)`
    fn made_of_class(&self, method: &str) -> Option<Type> {
        if !BY_CLASS.has(method) {
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
    fn named_method_result(&self, of: &ExternalType, method: &str) -> Option<Type> {
        if let Some(name) = PLAIN_RESULTS.get(method) {
            let element = name.strip_suffix("[]").map(ExternalType::plain);
            return Some(match element {
                Some(element) => Type::Container(ContainerKind::Sequence, Rc::new(element)),
                None => ExternalType::plain(name),
            });
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
        if let Some(at) = REPOSITORIES.get(&of.name)
            && let Some(found) = REPOSITORY_METHODS.get(method)
        {
            return match *found {
                OfArgument(name, _) => Some(ExternalType::with(name, [one(*at)])),
                _ => one(*at),
            };
        }
        if method == "collect"
            && let Some(map) = self.collected_map(last())
        {
            return Some(map);
        }
        match *METHODS.get(method)? {
            Argument(at) => one(at.min(of.args.len() - 1)),
            Last if method == "peek" && of.name.ends_with("Stream") => {
                Some(Type::ExternalType(Rc::clone(of)))
            }
            Last => last(),
            Same => Some(Type::ExternalType(Rc::clone(of))),
            // `reduce(first, operator)`
            Of("Optional")
                if method == "reduce" && self.call().is_some_and(|it| it.args.len() > 1) =>
            {
                last()
            }
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
    fn static_result(&self, of: &ExternalType, method: &str) -> Option<Type> {
        let n_args = self.call().map_or(0, |call| call.args.len());
        let (holder, is_copy) = match *STATIC_METHODS.get(&format!("{}.{method}", of.name))? {
            StaticResult::Argument => return self.argument(0),
            StaticResult::Returned => return self.returned_by_argument(0),
            StaticResult::Grouping if n_args == 1 => {
                return Some(ExternalType::with(GROUPING, [None]));
            }
            // What another collector makes of each group is not known.
            StaticResult::Grouping => return Some(ExternalType::with(MAPPING, [None])),
            StaticResult::Mapping => {
                let value = self.returned_by_argument(1)?;
                return Some(ExternalType::with(MAPPING, [Some(value)]));
            }
            StaticResult::Itself => return Some(ExternalType::plain(&of.name)),
            StaticResult::Some(holder) => return Some(ExternalType::with(holder, [None])),
            StaticResult::OfReturned(holder) => {
                let made = self.returned_by_argument(0)?;
                return Some(ExternalType::with(holder, [Some(made)]));
            }
            StaticResult::Of(holder) => (holder, false),
            StaticResult::Copy(holder) => (holder, true),
        };
        let held = self.argument(0).and_then(|first| match &first {
            Type::Container(_, element) => Some((**element).clone()),
            Type::ExternalType(one) if is_copy => one.element(),
            _ => Some(first),
        });
        Some(ExternalType::with(holder, [held]))
    }

    /// The result type of the function argument at a place.
    fn returned_by_argument(&self, at: usize) -> Option<Type> {
        let function = self.argument(u8::try_from(at).ok()?)?;
        match &function {
            Type::ExternalType(of) if WITH_RESULT.has(&of.name) => of.element(),
            _ => self.return_type(&function, None, None),
        }
    }
}

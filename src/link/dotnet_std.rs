//! Members of .NET's standard library: results of methods and properties, and the parameters of callbacks, by the type arguments of
//! the receiver, e.g. an `Item` for `list.First()` with a `List<Item>`.
//!
//! The name of a member alone counts. The result of any other member is unknown.

use std::rc::Rc;

use super::csharp_delegates::LAMBDA;
use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::{ANONYMOUS, split_generic_name};
use crate::model::{BuiltinSet, BuiltinTable};

/// The result of a member of the standard library.
#[derive(Clone, Copy, Debug)]
enum DotnetResult {
    /// The type argument at a place.
    Argument(usize),
    /// An element, as a loop gives it: a pair of a dictionary.
    Element,
    /// The last type argument.
    Last,
    /// A value of the same type.
    Same,
    /// A sequence of the elements.
    Sequence,
    /// A value of this type with the last type argument.
    Of(&'static str),
    /// A value of this type with the first type argument.
    OfFirst(&'static str),
    /// A task that gives the last type argument.
    Task,
    /// A sequence of the values that the last function argument returns.
    Mapped,
    /// A sequence of the elements of the sequences that the first function argument returns.
    Flattened,
    /// A map from the values that the first function argument returns to the elements.
    Keyed(&'static str),
    /// A sequence of lists of the elements.
    Chunks,
    /// A sequence of pairs with the elements of the argument, or of the results of the last function argument.
    Zipped,
    /// The first argument, else an element: `jobs.Aggregate(sum, (sum, job) => …)`.
    Folded,
    /// The type argument that the call writes: `OfType<Item>()`.
    Written,
    /// A sequence of it.
    WrittenSequence,
    /// A task that gives it.
    WrittenTask,
}

use DotnetResult::{
    Argument, Chunks, Element, Flattened, Folded, Keyed, Last, Mapped, Of, OfFirst, Same, Sequence,
    Task, Written, WrittenSequence, WrittenTask, Zipped,
};

/// Methods of generic types by name; the result follows the same rule for every type that has one.
static METHODS: BuiltinTable<DotnetResult> = BuiltinTable::new(
    "C#: methods",
    &[
        (
            Element,
            "First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt ElementAtOrDefault MinBy MaxBy",
        ),
        (
            Last,
            "Find FindLast Peek Pop Dequeue GetOrAdd AddOrUpdate GetValueOrDefault GetResult",
        ),
        (
            Written,
            "GetRequiredService GetService GetRequiredKeyedService GetKeyedService CreateInstance              GetServiceOrCreateInstance For ForPartsOf Of Get GetValue Deserialize Resolve ResolveOptional              GetFeature GetRequiredFeature GetExport GetExportedValue GetCustomAttribute",
        ),
        (
            WrittenTask,
            "GetFromJsonAsync ReadFromJsonAsync DeserializeAsync",
        ),
        (
            Task,
            "FirstAsync FirstOrDefaultAsync SingleAsync SingleOrDefaultAsync LastAsync FindAsync",
        ),
        (Of("Task<List>"), "ToListAsync ToArrayAsync"),
        (Same, "ConfigureAwait GetAwaiter Where AsNoTracking Include"),
        (Of("Task"), "AsTask"),
        (
            Sequence,
            "OrderBy OrderByDescending ThenBy ThenByDescending Order Distinct DistinctBy Skip SkipLast SkipWhile \
             Take TakeLast TakeWhile Reverse Concat Union Except Intersect Append Prepend DefaultIfEmpty \
             AsEnumerable GetConsumingEnumerable OrderDescending UnionBy ExceptBy IntersectBy AsParallel",
        ),
        (Of("IQueryable"), "AsQueryable"),
        (Of("IReadOnlyList"), "AsReadOnly"),
        (
            Of("List"),
            "FindAll GetRange ToList ToArray ToImmutableArray ToImmutableList",
        ),
        (Of("HashSet"), "ToHashSet"),
        (Of("IEnumerator"), "GetEnumerator"),
        (Mapped, "Select ConvertAll Join GroupJoin"),
        (Zipped, "Zip"),
        (Chunks, "Chunk"),
        (Folded, "Aggregate"),
        (Flattened, "SelectMany"),
        (Keyed("IEnumerable<IGrouping>"), "GroupBy ToLookup"),
        (Keyed("Dictionary"), "ToDictionary"),
        (
            WrittenSequence,
            "OfType Cast GetServices GetKeyedServices GetCustomAttributes GetExports GetExportedValues",
        ),
    ],
);

/// Properties of generic types by name.
static PROPERTIES: BuiltinTable<DotnetResult> = BuiltinTable::new(
    "C#: properties",
    &[
        (Last, "Value Result Current CurrentValue"),
        (Argument(0), "Key Item1"),
        (Of("ICollection"), "Values"),
        (OfFirst("ICollection"), "Keys"),
        (Argument(1), "Item2"),
    ],
);

/// Types whose elements are pairs in a loop.
static PAIRS: BuiltinSet = BuiltinSet::new(
    "C#: types whose elements are pairs",
    "Dictionary IDictionary IReadOnlyDictionary ConcurrentDictionary SortedDictionary ImmutableDictionary \
     SortedList FrozenDictionary",
);

/// Types of the standard library that are used everywhere: which methods they have is known to everyone.
static WELL_KNOWN: BuiltinSet = BuiltinSet::new(
    "C#: types that everyone knows",
    "Array List HashSet Task ValueTask Type StringBuilder Stream Exception Guid DateTime TimeSpan DateTimeOffset \
     Func Action IEnumerable IEnumerator",
);

/// Types of the standard library without type parameters, whose methods return no argument: `text.Append(row).Append(1)`.
const PLAIN_TYPES: &[&str] = &[
    "BitConverter",
    "Console",
    "Convert",
    "Debug",
    "Encoding",
    "Exception",
    "File",
    "Guid",
    "Math",
    "Path",
    "Stream",
    "StringBuilder",
    "StringWriter",
    "TextWriter",
    "Trace",
    "bool",
    "byte",
    "char",
    "decimal",
    "double",
    "float",
    "int",
    "long",
    "object",
    "string",
    "String",
];

/// The name of the type of a function that an external method takes where nothing is known of its parameters.
const CALLBACK: &str = "callback";

/// Structures of the standard library that make others of themselves: `TimeSpan.FromSeconds(1)`.
static VALUES: BuiltinSet = BuiltinSet::new(
    "C#: structures",
    "DateOnly DateTime DateTimeOffset Guid TimeOnly TimeSpan",
);

/// The first words of the names of their methods that do: `Add` of `AddDays`.
static MAKERS: BuiltinSet = BuiltinSet::new(
    "C#: first words of makers",
    "Add From Negate New Parse Subtract",
);

/// Their members that are values of the same structure.
static VALUES_OF_ITSELF: BuiltinSet = BuiltinSet::new(
    "C#: members of structures",
    "Zero MaxValue MinValue Empty Now UtcNow Today Date",
);

/// Properties by their type; the same for every type that has one.
static PLAIN_PROPERTIES: BuiltinTable<&str> = BuiltinTable::new(
    "C#: properties by their types",
    &[
        ("long", "Ticks"),
        ("int", "Length Count"),
        ("string", "Message Name FullName"),
    ],
);

/// Types that are known to be no sequence.
static SINGLES: BuiltinSet = BuiltinSet::new(
    "C#: types that are no sequence",
    "CancellationToken DateTime DateTimeOffset Guid TimeSpan Type Uri",
);

/// Interfaces that take any sequence.
static SEQUENCES: BuiltinSet = BuiltinSet::new(
    "C#: interfaces of sequences",
    "IEnumerable ICollection IReadOnlyCollection IList IReadOnlyList",
);

/// Methods that set an argument to an element.
static SETTERS: BuiltinSet = BuiltinSet::new(
    "C#: methods that set their argument",
    "TryGetValue TryRemove TryPeek TryPop TryDequeue TryTake",
);

/// Methods whose arguments are of the type arguments of the receiver, in their order: `rules.Add(rule => …)`.
static ADDERS: BuiltinSet = BuiltinSet::new(
    "C#: methods that take elements",
    "Add AddFirst AddLast Enqueue Push TryAdd",
);

/// Methods by their result type, for overloads that are chosen by it; the same for every type that has one.
static PLAIN_RESULTS: BuiltinTable<&str> = BuiltinTable::new(
    "C#: methods by their results",
    &[
        (
            "string",
            "ToString Substring Trim TrimStart TrimEnd ToLower ToUpper ToLowerInvariant ToUpperInvariant Format \
             Join PadLeft PadRight ReadToEnd ReadLine ReadAllText",
        ),
        (
            "bool",
            "Any All Contains ContainsKey StartsWith EndsWith Equals IsNullOrEmpty IsNullOrWhiteSpace \
             TryGetValue MoveNext SequenceEqual",
        ),
        ("int", "IndexOf LastIndexOf GetHashCode CompareTo Count"),
        ("Type", "GetType"),
    ],
);

impl Type {
    /// Whether it is a parameter of an external method of which nothing is known, but that a lambda there takes an element of the receiver.
    pub(super) fn is_assumed_callback(&self) -> bool {
        matches!(self, Self::ExternalType(of) if &*of.name == CALLBACK)
    }
}

impl ExternalType {
    /// Whether everyone knows the type of a name: a type of the repository that has the name too is hardly meant where no using directive
    /// brings it.
    pub(super) fn is_known_everywhere(name: &str) -> bool {
        WELL_KNOWN.has(name) || SEQUENCES.has(name) || PAIRS.has(name) || SINGLES.has(name)
    }

    pub(super) fn is_interface_of_sequences(name: &str) -> bool {
        SEQUENCES.has(name)
    }

    /// Whether types of the standard library have a method of a name, which an external value so may have.
    pub(super) fn is_usual_method(name: &str) -> bool {
        METHODS.get(name).is_some() || PLAIN_RESULTS.get(name).is_some() || SETTERS.has(name)
    }

    /// Whether everyone knows which methods a type has.
    pub(super) fn is_well_known(name: &str) -> bool {
        WELL_KNOWN.has(name)
    }

    fn has_pairs(&self) -> bool {
        self.args.len() == 2 && PAIRS.has(&self.name)
    }

    fn last(&self) -> Option<Type> {
        self.args.last()?.clone()
    }

    /// An element that a loop gives.
    pub(super) fn looped(&self) -> Option<Type> {
        if self.has_pairs() {
            return Some(Self::with("KeyValuePair", Rc::clone(&self.args)));
        }
        if &*self.name == "IGrouping" {
            return self.arg(1);
        }
        self.last()
    }

    /// A member: a method, or the value of a property; `None` for a property of an anonymous object of which nothing is known.
    pub(super) fn dotnet_member(self: &Rc<Self>, name: &str) -> Option<Type> {
        if let Some(names) = self.name.strip_prefix(ANONYMOUS)
            && let Some(at) = names.split(' ').position(|it| it == name)
        {
            return self.arg(at);
        }
        Some(self.external_member(name))
    }

    fn external_member(self: &Rc<Self>, name: &str) -> Type {
        if let Some(method) = name.strip_suffix("()") {
            return Type::ExternalMethod(Rc::clone(self), method.into());
        }
        if let Some((plain, _)) = split_generic_name(name) {
            // `System.Func<Item>`
            return Self::plain(plain);
        }
        let found = PROPERTIES.get(name);
        let value = found.filter(|_| !self.args.is_empty()).and_then(|it| {
            Some(match *it {
                Argument(at) => self.arg(at)?,
                OfFirst(name) => Self::with(name, [self.arg(0)]),
                Of(name) => Self::with(name, [self.last()]),
                _ => self.last()?,
            })
        });
        value.unwrap_or_else(|| match name {
            _ if VALUES.has(&self.name) && VALUES_OF_ITSELF.has(name) => {
                Type::ExternalType(Rc::clone(self))
            }
            "Empty" if matches!(&*self.name, "string" | "String") => Self::plain("string"),
            "None" if &*self.name == "CancellationToken" => Type::ExternalType(Rc::clone(self)),
            "Token" if &*self.name == "CancellationTokenSource" => Self::plain("CancellationToken"),
            "CompletedTask" if matches!(&*self.name, "Task" | "ValueTask") => {
                Type::ExternalType(Rc::clone(self))
            }
            _ => match PLAIN_PROPERTIES.get(name) {
                Some(plain) => Self::plain(plain),
                None if self.has_external_args() => Type::External,
                // It is external, its value may be a type argument.
                None => Type::ExternalMethod(Rc::clone(self), name.into()),
            },
        })
    }

    /// The result of calling it: an `Item` for `Func<Key, Item>`.
    pub(super) fn delegate_result(&self) -> Option<Type> {
        match &*self.name {
            "Func" | "Converter" => self.last(),
            "Expression" => match self.last()? {
                Type::ExternalType(of) => of.delegate_result(),
                _ => None,
            },
            _ => None,
        }
    }

    /// A parameter of the function: an `Item` for `Action<Item>`.
    pub(super) fn delegate_parameter(&self, index: usize) -> Option<Type> {
        match &*self.name {
            "Func" | "Converter" => (index + 1 < self.args.len()).then(|| self.arg(index))?,
            "Action" | "Predicate" | "Comparison" | CALLBACK => {
                self.arg(index.min(self.args.len().checked_sub(1)?))
            }
            "EventHandler" if index == 1 => self.arg(0),
            "Expression" => match self.last()? {
                Type::ExternalType(of) => of.delegate_parameter(index),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is known to be no sequence where one is asked for.
    pub(super) fn is_no_sequence(&self, other: &Self) -> bool {
        SINGLES.has(&self.name) && SEQUENCES.has(&other.name)
    }
}

/// Whether a type is a view of an array or a text, whose parts are such views.
fn is_span(name: &str) -> bool {
    matches!(name, "Memory" | "ReadOnlyMemory" | "ReadOnlySpan" | "Span")
}

/// The first word of a name: `Add` of `AddDays`.
fn first_word(name: &str) -> &str {
    let mut capitals = name.match_indices(|c: char| c.is_ascii_uppercase());
    let second = capitals.nth(1);
    &name[..second.map_or(name.len(), |it| it.0)]
}

impl Linker<'_, '_> {
    /// The function that a method of an external type takes as its argument at `index`; the value of an argument that it sets.
    pub(super) fn dotnet_callback(
        &self,
        of: &Rc<ExternalType>,
        method: &str,
        index: u8,
    ) -> Option<Type> {
        if of.args.is_empty() {
            return None;
        }
        // The function of two parameters, and the elements of the first argument.
        let function =
            |one: Option<Type>, two: Option<Type>| ExternalType::with("Action", [one, two]);
        let other = || self.argument(0).and_then(|it| self.key(&it));
        match (method, index) {
            _ if SETTERS.has(method) => of.last(),
            _ if ADDERS.has(method) => of.arg(usize::from(index)),
            ("Insert" | "TryGet" | "TryFind", 1) | ("TryRead", 0) => of.last(),
            ("GetOrAdd", 1) => Some(ExternalType::with("Func", [of.arg(0), of.last()])),
            ("AddOrUpdate", _) => Some(ExternalType::with("Action", [of.arg(0), of.last()])),
            ("Join" | "GroupJoin", 2) => Some(function(other(), None)),
            ("Join", 3) | ("Zip", 1) => Some(function(of.looped(), other())),
            ("GroupJoin", 3) => {
                let group = ExternalType::with("IEnumerable", [other()]);
                Some(function(of.looped(), Some(group)))
            }
            ("Aggregate", 0) | ("Sort", _) => Some(function(of.looped(), of.looped())),
            ("Aggregate", 1) => Some(function(self.argument(0), of.looped())),
            ("Aggregate", _) => Some(function(self.argument(0), None)),
            ("GroupBy" | "GroupJoin", 1) if self.n_params_of_argument(index) == Some(2) => {
                let group = ExternalType::with("IEnumerable", [of.looped()]);
                Some(function(None, Some(group)))
            }
            // One element, whatever the function returns, and something else.
            _ => Some(ExternalType::with(CALLBACK, [of.looped(), None])),
        }
    }

    /// The result type of a method of an external type, for the call that is being evaluated.
    pub(super) fn dotnet_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        let known = METHODS.get(method).copied();
        if let Some(Written | WrittenSequence | WrittenTask) = known
            && let Some(written) = self.written_type(0)
        {
            return Some(match known {
                Some(WrittenSequence) => ExternalType::with("IEnumerable", [Some(written)]),
                Some(WrittenTask) => ExternalType::with("Task", [Some(written)]),
                _ => written,
            });
        }
        if &*of.name == "Task" && of.args.is_empty() && method == "FromResult" {
            return Some(ExternalType::with("Task", [self.argument(0)]));
        }
        if !of.args.is_empty()
            && let Some(known) = known
        {
            return self.dotnet_generic(of, known);
        }
        if let Some(found) = self.dotnet_static_result(of, method) {
            return Some(found);
        }
        if matches!(method, "Invoke") {
            return of.delegate_result();
        }
        if VALUES.has(&of.name) && MAKERS.has(first_word(method)) {
            return Some(Type::ExternalType(Rc::clone(of)));
        }
        if is_span(&of.name) && (method == "Slice" || method.starts_with("Trim")) {
            return Some(Type::ExternalType(Rc::clone(of)));
        }
        if let Some(name) = PLAIN_RESULTS.get(method) {
            return Some(ExternalType::plain(name));
        }
        let has_written = self.written_type(0).is_some_and(|it| !it.is_external());
        let may_be_own =
            has_written || !PLAIN_TYPES.contains(&&*of.name) && self.has_own_argument();
        (of.has_external_args() && !may_be_own).then_some(Type::External)
    }

    /// The result of a static method that gives what it is given, or an element of a sequence: `Assert.Single(jobs)`.
    fn dotnet_static_result(&self, of: &ExternalType, method: &str) -> Option<Type> {
        match (&*of.name, method) {
            ("Interlocked", "Exchange" | "CompareExchange") | ("Volatile", "Read") => {
                self.argument(0)
            }
            (
                "Assert",
                "IsType" | "IsAssignableFrom" | "Throws" | "ThrowsAny" | "ThrowsExactly"
                | "ThrowsException",
            ) => self.written_type(0),
            ("Assert", "Single") | ("Enumerable" | "Queryable", _) => {
                let known = METHODS.get(method).copied();
                let known = known.filter(|it| matches!(it, Element | Sequence | Chunks | Of(_)))?;
                let sequence = match self.value(self.argument(0)?)? {
                    Type::ExternalType(of) if !of.args.is_empty() => of,
                    Type::Container(_, element) => Rc::new(ExternalType {
                        name: "Array".into(),
                        module: None,
                        args: [Some((*element).clone())].into(),
                    }),
                    _ => return None,
                };
                self.dotnet_generic(&sequence, known)
            }
            _ => None,
        }
    }

    fn dotnet_generic(&self, of: &Rc<ExternalType>, known: DotnetResult) -> Option<Type> {
        let one = of.looped();
        let task = |value: Option<Type>| ExternalType::with("Task", [value]);
        Some(match known {
            Argument(at) => of.arg(at)?,
            Element => one?,
            Last => of.last()?,
            Same if of.has_pairs() => ExternalType::with("IEnumerable", [one]),
            Same => Type::ExternalType(Rc::clone(of)),
            Sequence => ExternalType::with("IEnumerable", [one]),
            Of("Task<List>") => task(Some(ExternalType::with("List", [one]))),
            Of(name) => ExternalType::with(name, [one]),
            OfFirst(name) => ExternalType::with(name, [of.arg(0)]),
            Task => task(one),
            Flattened => {
                let n_args = self.call().map_or(0, |call| call.args.len());
                let element = if n_args > 1 {
                    // The second function makes something of each pair.
                    self.result_of_last()?
                } else {
                    self.key(&self.result_of_argument(0)?)?
                };
                ExternalType::with("IEnumerable", [Some(element)])
            }
            Keyed("Dictionary") => {
                let n_args = self.call().map_or(0, |call| call.args.len());
                let value = if n_args > 1 {
                    self.result_of_argument(1)
                } else {
                    one
                };
                ExternalType::with("Dictionary", [self.result_of_argument(0), value])
            }
            Keyed(_) => {
                // A second function makes something of each element, or of each group.
                let is_plain = self.call().is_none_or(|it| it.args.len() < 2);
                let element = one.filter(|_| is_plain);
                let group = ExternalType::with("IGrouping", [self.result_of_argument(0), element]);
                ExternalType::with("IEnumerable", [Some(group)])
            }
            Chunks => {
                let list = ExternalType::with("List", [one]);
                ExternalType::with("IEnumerable", [Some(list)])
            }
            Zipped if self.call().is_some_and(|it| it.args.len() == 1) => {
                let other = self.argument(0).and_then(|it| self.key(&it));
                let pair = Type::Tuple([one, other].into());
                ExternalType::with("IEnumerable", [Some(pair)])
            }
            Mapped | Zipped => ExternalType::with("IEnumerable", [Some(self.result_of_last()?)]),
            Folded => match self.call()?.args.len() {
                1 => one?,
                2 => self.argument(0)?,
                _ => self.result_of_last()?,
            },
            Written | WrittenSequence | WrittenTask => return None,
        })
    }

    /// The number of parameters of the function that is an argument of the call.
    fn n_params_of_argument(&self, at: u8) -> Option<usize> {
        match self.argument(at)? {
            Type::ExternalType(of) if &*of.name == LAMBDA => of.args.len().checked_sub(1),
            _ => None,
        }
    }

    fn result_of_last(&self) -> Option<Type> {
        let n_args = self.call()?.args.len();
        self.result_of_argument(n_args.checked_sub(1)?)
    }

    fn result_of_argument(&self, at: usize) -> Option<Type> {
        let function = self.argument(u8::try_from(at).ok()?)?;
        self.return_type(&function, None, None)
    }
}

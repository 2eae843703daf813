//! Members of .NET's standard library: results of methods and properties, and the parameters of callbacks, by the type arguments of
//! the receiver, e.g. an `Item` for `list.First()` with a `List<Item>`.
//!
//! The name of a member alone counts. The result of any other member is unknown.

use std::rc::Rc;

use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::split_generic_name;

/// The result of a member of the standard library.
#[derive(Clone, Copy, Debug)]
enum DotnetResult {
    /// The type argument at a place.
    Argument(usize),
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
    /// The type argument that the call writes: `OfType<Item>()`.
    Written,
    /// A sequence of it.
    WrittenSequence,
}

use DotnetResult::{
    Argument, Flattened, Keyed, Last, Mapped, Of, OfFirst, Same, Sequence, Task, Written,
    WrittenSequence,
};

/// Methods of generic types by name; the result follows the same rule for every type that has one.
const METHODS: &[(&str, DotnetResult)] = &[
    ("First", Last),
    ("FirstOrDefault", Last),
    ("Last", Last),
    ("LastOrDefault", Last),
    ("Single", Last),
    ("SingleOrDefault", Last),
    ("ElementAt", Last),
    ("ElementAtOrDefault", Last),
    ("MinBy", Last),
    ("MaxBy", Last),
    ("Find", Last),
    ("FindLast", Last),
    ("Peek", Last),
    ("Pop", Last),
    ("Dequeue", Last),
    ("GetOrAdd", Last),
    ("AddOrUpdate", Last),
    ("GetValueOrDefault", Last),
    ("GetResult", Last),
    ("GetRequiredService", Written),
    ("GetService", Written),
    ("FirstAsync", Task),
    ("FirstOrDefaultAsync", Task),
    ("SingleAsync", Task),
    ("SingleOrDefaultAsync", Task),
    ("LastAsync", Task),
    ("FindAsync", Task),
    ("ToListAsync", Of("Task<List>")),
    ("ToArrayAsync", Of("Task<List>")),
    ("ConfigureAwait", Same),
    ("GetAwaiter", Same),
    ("AsTask", Of("Task")),
    ("Where", Same),
    ("OrderBy", Sequence),
    ("OrderByDescending", Sequence),
    ("ThenBy", Sequence),
    ("ThenByDescending", Sequence),
    ("Order", Sequence),
    ("Distinct", Sequence),
    ("DistinctBy", Sequence),
    ("Skip", Sequence),
    ("SkipLast", Sequence),
    ("SkipWhile", Sequence),
    ("Take", Sequence),
    ("TakeLast", Sequence),
    ("TakeWhile", Sequence),
    ("Reverse", Sequence),
    ("Concat", Sequence),
    ("Union", Sequence),
    ("Except", Sequence),
    ("Intersect", Sequence),
    ("Append", Sequence),
    ("Prepend", Sequence),
    ("DefaultIfEmpty", Sequence),
    ("AsEnumerable", Sequence),
    ("AsQueryable", Of("IQueryable")),
    ("AsNoTracking", Same),
    ("Include", Same),
    ("AsReadOnly", Of("IReadOnlyList")),
    ("FindAll", Of("List")),
    ("GetRange", Of("List")),
    ("ToList", Of("List")),
    ("ToArray", Of("List")),
    ("ToHashSet", Of("HashSet")),
    ("ToImmutableArray", Of("List")),
    ("ToImmutableList", Of("List")),
    ("GetEnumerator", Of("IEnumerator")),
    ("GetConsumingEnumerable", Sequence),
    ("Select", Mapped),
    ("ConvertAll", Mapped),
    ("SelectMany", Flattened),
    ("GroupBy", Keyed("IEnumerable<IGrouping>")),
    ("ToLookup", Keyed("IEnumerable<IGrouping>")),
    ("ToDictionary", Keyed("Dictionary")),
    ("OfType", WrittenSequence),
    ("Cast", WrittenSequence),
];

/// Properties of generic types by name.
const PROPERTIES: &[(&str, DotnetResult)] = &[
    ("Value", Last),
    ("Result", Last),
    ("Current", Last),
    ("Key", Argument(0)),
    ("Values", Of("ICollection")),
    ("Keys", OfFirst("ICollection")),
    ("Item1", Argument(0)),
    ("Item2", Argument(1)),
];

/// Types whose elements are pairs in a loop.
const PAIRS: &[&str] = &[
    "Dictionary",
    "IDictionary",
    "IReadOnlyDictionary",
    "ConcurrentDictionary",
    "SortedDictionary",
    "ImmutableDictionary",
    "SortedList",
    "FrozenDictionary",
];

/// Types of the standard library that are used everywhere: which methods they have is known to everyone.
const WELL_KNOWN: &[&str] = &[
    "Array",
    "List",
    "HashSet",
    "Task",
    "ValueTask",
    "Type",
    "StringBuilder",
    "Stream",
    "Exception",
    "Guid",
    "DateTime",
    "TimeSpan",
    "DateTimeOffset",
    "Func",
    "Action",
    "IEnumerable",
    "IEnumerator",
    "null",
    "lambda",
];

/// Structures of the standard library that make others of themselves: `TimeSpan.FromSeconds(1)`.
const VALUES: &[&str] = &[
    "DateOnly",
    "DateTime",
    "DateTimeOffset",
    "Guid",
    "TimeOnly",
    "TimeSpan",
];

/// The beginnings of the names of their methods that do.
const MAKERS: &[&str] = &["Add", "From", "Negate", "New", "Parse", "Subtract"];

/// Methods by their result type, for overloads that are chosen by it; the same for every type that has one.
const PLAIN_RESULTS: &[(&str, &[&str])] = &[
    (
        "string",
        &[
            "ToString",
            "Substring",
            "Trim",
            "TrimStart",
            "TrimEnd",
            "ToLower",
            "ToUpper",
            "ToLowerInvariant",
            "ToUpperInvariant",
            "Format",
            "Join",
            "PadLeft",
            "PadRight",
            "ReadToEnd",
            "ReadLine",
            "ReadAllText",
        ],
    ),
    (
        "bool",
        &[
            "Any",
            "All",
            "Contains",
            "ContainsKey",
            "StartsWith",
            "EndsWith",
            "Equals",
            "IsNullOrEmpty",
            "IsNullOrWhiteSpace",
            "TryGetValue",
            "MoveNext",
            "SequenceEqual",
        ],
    ),
    (
        "int",
        &[
            "IndexOf",
            "LastIndexOf",
            "GetHashCode",
            "CompareTo",
            "Count",
        ],
    ),
    ("Type", &["GetType"]),
];

impl ExternalType {
    fn has_pairs(&self) -> bool {
        self.args.len() == 2 && PAIRS.contains(&&*self.name)
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

    /// A member: a method, or the value of a property.
    pub(super) fn dotnet_member(self: &Rc<Self>, name: &str) -> Type {
        if let Some(method) = name.strip_suffix("()") {
            return Type::ExternalMethod(Rc::clone(self), method.into());
        }
        if let Some((plain, _)) = split_generic_name(name) {
            // `System.Func<Item>`
            return Self::named(plain);
        }
        let found = PROPERTIES.iter().find(|it| it.0 == name);
        let value = found.filter(|_| !self.args.is_empty()).and_then(|it| {
            Some(match it.1 {
                Argument(at) => self.arg(at)?,
                OfFirst(name) => Self::with(name, [self.arg(0)]),
                Of(name) => Self::with(name, [self.last()]),
                _ => self.last()?,
            })
        });
        value.unwrap_or(match name {
            "Zero" | "MaxValue" | "MinValue" | "Empty" | "Now" | "UtcNow" | "Today" | "Date"
                if VALUES.contains(&&*self.name) =>
            {
                Type::ExternalType(Rc::clone(self))
            }
            "None" if &*self.name == "CancellationToken" => Type::ExternalType(Rc::clone(self)),
            "Token" if &*self.name == "CancellationTokenSource" => Self::named("CancellationToken"),
            "CompletedTask" if matches!(&*self.name, "Task" | "ValueTask") => {
                Type::ExternalType(Rc::clone(self))
            }
            "Ticks" => Self::named("long"),
            "Length" | "Count" => Self::named("int"),
            "Message" | "Name" | "FullName" => Self::named("string"),
            _ => Type::External,
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
            "Action" | "Predicate" | "Comparison" => {
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
        let is_single = matches!(
            &*self.name,
            "CancellationToken"
                | "DateTime"
                | "DateTimeOffset"
                | "Guid"
                | "TimeSpan"
                | "Type"
                | "Uri"
        );
        let takes_all = matches!(
            &*other.name,
            "IEnumerable" | "ICollection" | "IReadOnlyCollection" | "IList" | "IReadOnlyList"
        );
        is_single && takes_all
    }

    /// Whether a value of it may be one of another type from outside, as far as names tell.
    pub(super) fn may_be(&self, other: &Self) -> bool {
        let is_word = |name: &str| name.starts_with(char::is_lowercase);
        if self.name == other.name || &*other.name == "object" || is_lifted(&self.name, &other.name)
        {
            return true;
        }
        if is_word(&self.name) || is_word(&other.name) {
            return false;
        }
        let is_known = WELL_KNOWN.contains(&&*self.name) || self.has_pairs();
        let takes_all = matches!(
            &*other.name,
            "IEnumerable" | "ICollection" | "IReadOnlyCollection" | "IList" | "IReadOnlyList"
        );
        if is_known {
            return takes_all && !self.args.is_empty();
        }
        if is_interface(&self.name) {
            // A method for another interface is hardly meant.
            return takes_all && !self.args.is_empty();
        }
        // Which types from outside are built on which is not known.
        !WELL_KNOWN.contains(&&*other.name) || takes_all && !self.args.is_empty()
    }
}

/// Whether a name is that of an interface by the convention of .NET: `IDbCommand`.
fn is_interface(name: &str) -> bool {
    let rest = name.strip_prefix('I');
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether the second name is that of the struct behind the first, or the other way round: `int` and `Int32`.
fn is_lifted(one: &str, other: &str) -> bool {
    let pair = |word: &str, class: &str| {
        matches!(
            (word, class),
            ("int", "Int32") | ("long", "Int64") | ("bool", "Boolean") | ("string", "String")
        )
    };
    pair(one, other) || pair(other, one)
}

impl Linker<'_, '_> {
    /// The function that a method of an external type takes as its argument at `index`; the value of an argument that it sets.
    pub(super) fn dotnet_callback(of: &Rc<ExternalType>, method: &str, index: u8) -> Option<Type> {
        if of.args.is_empty() {
            return None;
        }
        match (method, index) {
            ("TryGetValue" | "TryRemove" | "TryPeek" | "TryPop" | "TryDequeue" | "TryTake", _) => {
                of.last()
            }
            ("GetOrAdd", 1) => Some(ExternalType::with("Func", [of.arg(0), of.last()])),
            ("Aggregate", _) => None,
            // One element, whatever the function returns.
            _ => {
                let element = of.looped();
                Some(ExternalType::with("Action", [element]))
            }
        }
    }

    /// The result type of a method of an external type, for the call that is being evaluated.
    pub(super) fn dotnet_result(&self, of: &Rc<ExternalType>, method: &str) -> Option<Type> {
        let known = METHODS.iter().find(|it| it.0 == method).map(|it| it.1);
        if let Some(Written | WrittenSequence) = known {
            let written = self.written_type(0);
            return match known {
                Some(WrittenSequence) => Some(ExternalType::with("IEnumerable", [written])),
                _ => written,
            };
        }
        if &*of.name == "Task" && of.args.is_empty() && method == "FromResult" {
            return Some(ExternalType::with("Task", [self.argument(0)]));
        }
        if !of.args.is_empty()
            && let Some(known) = known
        {
            return self.dotnet_generic(of, known);
        }
        if matches!(method, "Invoke") {
            return of.delegate_result();
        }
        if VALUES.contains(&&*of.name) && MAKERS.iter().any(|it| method.starts_with(it)) {
            return Some(Type::ExternalType(Rc::clone(of)));
        }
        let plain = PLAIN_RESULTS.iter().find(|it| it.1.contains(&method));
        if let Some((name, _)) = plain {
            return Some(ExternalType::named(name));
        }
        let has_written = self.written_type(0).is_some_and(|it| !it.is_external());
        (of.has_external_args() && !has_written).then_some(Type::External)
    }

    fn dotnet_generic(&self, of: &Rc<ExternalType>, known: DotnetResult) -> Option<Type> {
        let one = of.looped();
        let task = |value: Option<Type>| ExternalType::with("Task", [value]);
        Some(match known {
            Argument(at) => of.arg(at)?,
            Last => of.last()?,
            Same if of.has_pairs() => ExternalType::with("IEnumerable", [one]),
            Same => Type::ExternalType(Rc::clone(of)),
            Sequence => ExternalType::with("IEnumerable", [one]),
            Of("Task<List>") => task(Some(ExternalType::with("List", [one]))),
            Of(name) => ExternalType::with(name, [one]),
            OfFirst(name) => ExternalType::with(name, [of.arg(0)]),
            Task => task(one),
            Mapped => ExternalType::with("IEnumerable", [Some(self.result_of_last()?)]),
            Flattened => {
                let inner = self.result_of_argument(0)?;
                let element = self.key(&inner)?;
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
                let group = ExternalType::with("IGrouping", [self.result_of_argument(0), one]);
                ExternalType::with("IEnumerable", [Some(group)])
            }
            Written | WrittenSequence => return None,
        })
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

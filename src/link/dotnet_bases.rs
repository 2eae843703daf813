//! Base types of .NET's types: whether a value of an external type is one of another, `this Stream` for a `MemoryStream`.
//!
//! Names alone count. The methods of types are in `dotnet_members`, the types of members in `dotnet_std`.

use super::types::{ExternalType, Type};
use crate::model::BuiltinTable;

/// The classes and interfaces that types are built on whose other bases are known to be none, and those of interfaces: of other classes
/// it is not known which they are built on.
static BASES: BuiltinTable<&str> = BuiltinTable::new(
    "C#: base types",
    &[
        (
            "ICollection IDictionary IEnumerable IReadOnlyCollection IReadOnlyDictionary",
            "ConcurrentDictionary Dictionary FrozenDictionary ImmutableDictionary SortedDictionary SortedList",
        ),
        ("IReadOnlySet ISet", "HashSet"),
        ("IAsyncDisposable IDisposable", "Stream"),
        ("IAsyncResult IDisposable", "Task"),
        ("ICloneable IComparable IConvertible IEquatable", "string"),
        (
            "IComparable IConvertible IEquatable IFormattable ValueType",
            "byte decimal double float int long sbyte short uint ulong ushort",
        ),
        ("IComparable IConvertible IEquatable ValueType", "bool char"),
        (
            "IComparable IEquatable IFormattable ValueType",
            "DateTime DateTimeOffset Guid TimeSpan",
        ),
        ("ICustomAttributeProvider MemberInfo", "Type"),
        ("ISerializable", "Exception"),
        ("IConfiguration", "IConfigurationRoot IConfigurationSection"),
        ("IHostEnvironment", "IWebHostEnvironment"),
        ("IQueryable", "IOrderedQueryable"),
    ],
);

/// Methods that most types which everyone knows have.
const METHODS_OF_ALL: [&str; 10] = [
    "Close",
    "CompareTo",
    "Dispose",
    "DisposeAsync",
    "Equals",
    "GetHashCode",
    "GetType",
    "GetTypeCode",
    "ToString",
    "TryFormat",
];

/// Methods of dictionaries, each of some of them at least.
const METHODS_OF_DICTIONARIES: [&str; 19] = [
    "Add",
    "AddOrUpdate",
    "AddRange",
    "Clear",
    "Contains",
    "ContainsKey",
    "ContainsValue",
    "CopyTo",
    "GetEnumerator",
    "GetOrAdd",
    "Remove",
    "RemoveRange",
    "SetItem",
    "SetItems",
    "TryAdd",
    "TryGetKey",
    "TryGetValue",
    "TryRemove",
    "TryUpdate",
];

/// Methods of strings.
const METHODS_OF_STRING: [&str; 28] = [
    "Clone",
    "Contains",
    "CopyTo",
    "EndsWith",
    "EnumerateRunes",
    "GetEnumerator",
    "IndexOf",
    "IndexOfAny",
    "Insert",
    "IsNormalized",
    "LastIndexOf",
    "LastIndexOfAny",
    "Normalize",
    "PadLeft",
    "PadRight",
    "Remove",
    "Replace",
    "ReplaceLineEndings",
    "Split",
    "StartsWith",
    "Substring",
    "ToCharArray",
    "ToLower",
    "ToUpper",
    "Trim",
    "TrimEnd",
    "TrimStart",
    "TryCopyTo",
];

/// How far it is known that a value of one type is one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImplicitConversion {
    /// It is none.
    Never,
    /// It may be one.
    Doubtful,
    /// It is one, or most likely is.
    Likely,
}

impl ExternalType {
    /// Whether it is an interface, by its name: `IDisposable`, unlike `IPAddress`.
    pub(super) fn is_interface(&self) -> bool {
        is_interface(&self.name) && !self.name.chars().nth(2).is_some_and(char::is_uppercase)
    }

    /// Returns whether a value of it is one of another external type, without a cast.
    pub(super) fn converts_to(&self, other: &Self) -> ImplicitConversion {
        let (own, wanted) = (&*self.name, &*other.name);
        if own == wanted
            || wanted == "object"
            || is_lifted(own, wanted)
            || has_base(own, wanted)
                // `Array` alone is the name of the class.
                && (!Self::is_interface_of_sequences(wanted) || !self.args.is_empty())
            || is_named_after(own, wanted)
        {
            return ImplicitConversion::Likely;
        }
        if matches!(own, "String" | "string") && matches!(wanted, "IEnumerable" | "ReadOnlySpan") {
            // One of characters alone; the span since C# 14.
            let is_of_char =
                |it: &Type| matches!(it, Type::ExternalType(of) if &*of.name == "char");
            let is_other = other.element().is_some_and(|it| !is_of_char(&it));
            return if is_other {
                ImplicitConversion::Never
            } else {
                ImplicitConversion::Doubtful
            };
        }
        let is_word = |name: &str| name.starts_with(char::is_lowercase);
        if is_word(own) || is_word(wanted) {
            return ImplicitConversion::Never;
        }
        let is_sequence = Self::is_interface_of_sequences(wanted) && !self.args.is_empty();
        let is_known = Self::is_known_everywhere(own);
        if is_known || is_interface(own) {
            // A class is none that an interface is, but for its own.
            return if is_sequence && !is_single(own) {
                ImplicitConversion::Likely
            } else if is_known || !is_interface(wanted) {
                ImplicitConversion::Never
            } else {
                ImplicitConversion::Doubtful
            };
        }
        if is_sequence || !Self::is_well_known(wanted) {
            // Which external types are built on which is not known.
            ImplicitConversion::Likely
        } else if is_sealed(wanted) {
            ImplicitConversion::Never
        } else {
            ImplicitConversion::Doubtful
        }
    }
}

/// Whether the values of a type have a method of a name, which hides those that are written for their interfaces; `None` where only some
/// versions of .NET have it.
pub(super) fn has_own_method(type_: &ExternalType, method: &str) -> Option<bool> {
    let name = &*type_.name;
    let is_word = name.starts_with(char::is_lowercase);
    if !is_word && !ExternalType::is_known_everywhere(name) {
        return Some(false);
    }
    let is_of_dictionaries = has_base(name, "IDictionary");
    let own: &[&str] = match name {
        "String" | "string" => &METHODS_OF_STRING,
        "Type" => &[
            "GetCustomAttributes",
            "GetCustomAttributesData",
            "IsDefined",
        ],
        _ if is_of_dictionaries => &METHODS_OF_DICTIONARIES,
        _ => &[],
    };
    let is_new = matches!(name, "Dictionary" | "SortedDictionary" | "SortedList")
        && ["EnsureCapacity", "TryAdd"].contains(&method);
    match METHODS_OF_ALL.contains(&method) || own.contains(&method) {
        _ if is_new => None,
        has_it => Some(has_it),
    }
}

/// Whether a type is known to be built on another.
fn has_base(name: &str, base: &str) -> bool {
    let known = BASES.get(name);
    known.is_some_and(|all| all.split(' ').any(|it| it == base))
}

/// Whether the names of two types tell that one is built on the other, by the conventions of .NET: `ServiceCollection` on
/// `IServiceCollection`, `HttpRequestException` on `Exception`.
fn is_named_after(name: &str, base: &str) -> bool {
    let is_last_word = |it: &str| base == it && name.len() > it.len() && name.ends_with(it);
    is_interface(base) && base[1..] == *name || is_last_word("Exception") || is_last_word("Stream")
}

/// Whether a name is that of an interface by the convention of .NET: `IDbCommand`.
fn is_interface(name: &str) -> bool {
    let rest = name.strip_prefix('I');
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether the type arguments of a type are not those of elements.
fn is_single(name: &str) -> bool {
    matches!(name, "Action" | "Func" | "Task" | "ValueTask")
}

/// Whether a type that everyone knows has none built on it.
fn is_sealed(name: &str) -> bool {
    matches!(
        name,
        "Action"
            | "Array"
            | "DateTime"
            | "DateTimeOffset"
            | "Func"
            | "Guid"
            | "StringBuilder"
            | "TimeSpan"
            | "ValueTask"
    )
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

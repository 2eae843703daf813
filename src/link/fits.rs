//! How well an argument fits a parameter, and how numbers fit each other.

/// Primitive types of numbers, each of which takes a value of those before it, but `decimal` none of `float` and `double`; `char` is one for `int` and further ones.
const NUMBERS: [&str; 7] = ["byte", "short", "int", "long", "float", "double", "decimal"];

/// The classes of primitive values.
pub(super) const BOXES: [(&str, &str); 18] = [
    ("byte", "Byte"),
    ("short", "Short"),
    ("int", "Integer"),
    ("long", "Long"),
    ("float", "Float"),
    ("double", "Double"),
    ("char", "Character"),
    ("boolean", "Boolean"),
    ("bool", "Boolean"),
    ("char", "Char"),
    ("decimal", "Decimal"),
    ("float", "Single"),
    ("int", "Int32"),
    ("long", "Int64"),
    ("short", "Int16"),
    ("uint", "UInt32"),
    ("ulong", "UInt64"),
    ("ushort", "UInt16"),
];

/// How well an argument fits a parameter: the higher, the better; `None` where it does not. Between two of these, a step further
/// away is one less: a base of the base is `SUBCLASS - 1`.
pub(super) type Fit = Option<u32>;

/// The same type.
pub(super) const EXACT: u32 = 9;

/// A class and itself, of which the parameter may name another part; one less for each step to a base, and for a wider number.
pub(super) const SUBCLASS: u32 = 8;

/// As [`SUBCLASS`], however far the base is.
pub(super) const DISTANT_BASE: u32 = 3;

/// As [`SUBCLASS`], however wide the number is: `byte` to `double`.
pub(super) const WIDEST_NUMBER: u32 = 5;

/// `String` to `CharSequence`, as many items in a tuple, a lambda with a result where one is asked for.
pub(super) const SAME_SHAPE: u32 = 6;

/// An array to `IEnumerable`, a `FileStream` to `Stream`, a lambda that fits.
pub(super) const SIMILAR: u32 = 5;

/// `int` to `Integer`, `null` to a class, a lambda to a delegate of which the rest is not known.
pub(super) const CONVERTED: u32 = 4;

/// `int` to `Long`, `null` to `Object`, a string to `Comparable`, a lambda to a type that is called a callback.
pub(super) const WEAKLY_CONVERTED: u32 = 3;

/// Nothing is known of one of both.
pub(super) const UNKNOWN: u32 = 2;

/// Any value to `Object`.
pub(super) const ANY_OBJECT: u32 = 1;

/// Types of which nothing proves that they don't fit: a class of the repository to an external one.
pub(super) const POSSIBLE: u32 = 0;

/// Returns how well a primitive value fits another type of such.
pub(super) fn widened(arg: &str, param: &str) -> Fit {
    if param == "decimal" && matches!(arg, "float" | "double") {
        return None;
    }
    let rank = |name: &str| NUMBERS.iter().position(|it| *it == name);
    let to = rank(param)?;
    let from = if arg == "char" { 1 } else { rank(arg)? };
    let steps = u32::try_from(to.checked_sub(from)?).ok()?;
    (arg != "char" || to > 1).then_some(SUBCLASS.saturating_sub(steps).max(WIDEST_NUMBER))
}

/// Whether a class is the box of a primitive type.
pub(super) fn is_boxed(name: &str, class: &str) -> bool {
    BOXES.contains(&(name, class))
}

/// Returns the primitive type that a class is the box of.
pub(super) fn unboxed(class: &str) -> Option<&'static str> {
    BOXES.iter().find(|it| it.1 == class).map(|it| it.0)
}

pub(super) fn is_primitive(name: &str) -> bool {
    name == "void" || BOXES.iter().any(|it| it.0 == name)
}

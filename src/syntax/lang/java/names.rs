//! The names by which members of a class are looked up.

/// The name of constructors.
pub(super) const CONSTRUCTOR: &str = "<init>()";

/// Returns the name by which methods are looked up, apart from fields and types: `open()`.
pub(super) fn method_name(name: &str) -> String {
    format!("{name}()")
}

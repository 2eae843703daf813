//! The calls that a family of languages makes by itself, as data of the family.

use crate::model::Symbol;

/// The calls that a family of languages makes by itself.
pub(in crate::syntax) struct ImplicitCalls {
    /// The last names of annotations after which a definition is called as before: `@property`, `@Override`, `#[inline]`; none for a
    /// family without annotations, whose files are not parsed for them.
    pub(in crate::syntax) plain_annotations: Option<&'static [&'static str]>,
    /// Returns how a definition is called by its name, in words that follow "it is": "an entry point of a program".
    pub(in crate::syntax) by_name: fn(&Symbol) -> Option<&'static str>,
}

/// The words for the function that a program begins with.
pub(super) const ENTRY_POINT: &str = "an entry point of a program";

//! Names as callers write them: `Store.open`, `A::b`, `A#b`.

use super::{SymbolRow, View, normal_form};
use crate::error::Result;

impl View<'_> {
    /// Returns the definitions whose last name is that of `name`, in any case: those of `open` for `Store.open`.
    ///
    /// # Errors
    /// Those of the index.
    pub fn symbols_like(&self, name: &str) -> Result<Vec<SymbolRow>> {
        Ok(self.read.symbols_named(&normal_form(&last_name(name)))?)
    }
}

/// Returns the last name of a qualified one: `open` of `Store.open`.
pub fn last_name(name: &str) -> String {
    let wanted = dotted(name);
    wanted.rsplit('.').next().unwrap_or(&wanted).to_owned()
}

/// Returns whether a definition has a name, in full or from a part of it on: `Store.open` and `db.Store.open` have `Store.open`.
/// `wanted` is [`dotted`].
pub fn is_named(symbol: &SymbolRow, wanted: &str) -> bool {
    symbol.qualified_name == wanted
        || symbol
            .qualified_name
            .strip_suffix(wanted)
            .is_some_and(|before| before.ends_with('.'))
}

/// Returns a name with a dot before each member, in any language's notation: `A::b`, `A#b`, `A.prototype.b`.
/// In `A.#b` and `#b` the mark is part of the name.
pub fn dotted(name: &str) -> String {
    let name = name.replace("::", ".").replace(".prototype.", ".");
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let is_between = c == '#' && !out.is_empty() && !out.ends_with('.');
        out.push(if is_between { '.' } else { c });
    }
    out
}

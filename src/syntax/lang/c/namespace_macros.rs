//! Macros that open a namespace: `#define LIB_BEGIN_NAMESPACE namespace lib {`, and the files that they stand in.
//!
//! A file often uses those of another one: `link` puts both together.

use super::lowering::Lowering;
use crate::ir::{Expr, Slot, SymbolIdx};

impl Lowering<'_> {
    /// Records the namespaces that the text of a macro opens.
    pub(super) fn bind_opened_namespaces(&mut self, macro_symbol: SymbolIdx, text: &str) {
        if !text.contains("namespace") {
            return;
        }
        for space in opened_by(text) {
            self.bind_all_of(Some(macro_symbol), space);
        }
    }

    /// Records that a macro stands by itself in the file and may open a namespace.
    pub(super) fn open_namespace_of_macro(&mut self, name: &str) {
        if self.is_cpp && name.contains("NAMESPACE") {
            self.bind_all_of(None, &format!("macro {name}"));
        }
    }

    fn bind_all_of(&mut self, owner: Option<SymbolIdx>, name: &str) {
        let name = self.facts.exprs.name(name);
        let value = self.add(Expr::Name { name, scope: None });
        self.bind_slots(owner, &[Slot::All], value);
    }
}

/// Returns the named namespaces that the text of a macro opens, without inline ones: `lib` of `namespace lib { inline namespace v1 {`.
fn opened_by(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut words = text
        .split(|it: char| it.is_whitespace() || it == '\\')
        .filter(|it| !it.is_empty());
    let mut before = "";
    while let Some(word) = words.next() {
        if word == "namespace" && before != "inline" {
            let name = words.next().unwrap_or_default();
            let name = name.split('{').next().unwrap_or_default();
            let is_part = |it: &str| {
                !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
            };
            let parts: Vec<&str> = name.split("::").collect();
            if parts.iter().all(|it| is_part(it)) {
                found.extend(parts);
            }
        }
        before = word;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::opened_by;

    #[test]
    fn reads_the_namespaces_of_a_macro() {
        assert_eq!(
            opened_by("\\ namespace lib { \\ inline namespace v9 {"),
            ["lib"]
        );
        assert_eq!(opened_by("namespace a::b {"), ["a", "b"]);
        assert!(opened_by("} }").is_empty());
        assert!(opened_by("namespace {").is_empty());
    }
}

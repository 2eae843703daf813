//! The form in which a name stands in code, alone, behind a dot or behind a path, called or not, and the definitions that it
//! rules out: in Rust `.map(…)` is no use of a function `map`, nor `row.size` one of a method `size`.

use crate::model::{Family, SymbolKind};
use crate::store::{UnboundForm, UnboundPlace};

/// The punctuation before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// `.` or `->`
    Dot,
    /// `::`
    Path,
}

/// The form of one place of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameForm {
    before: Before,
    is_called: bool,
}

impl NameForm {
    /// Returns the form of an unbound use.
    pub(super) fn of(place: &UnboundPlace) -> Self {
        let before = if place.is_member() {
            Before::Dot
        } else if place.form.contains(UnboundForm::PATH) {
            Before::Path
        } else {
            Before::Nothing
        };
        Self {
            before,
            is_called: place.form.contains(UnboundForm::CALL),
        }
    }

    /// Reads the form of the name that begins at a byte of a file of Rust, C or C++.
    pub(super) fn in_text(text: &str, start: usize, name: &str) -> Self {
        let before = text.get(..start).unwrap_or_default().trim_end();
        let behind = text.get(start + name.len()..).unwrap_or_default();
        let behind = behind.trim_start();
        let is_range = before.ends_with("..") && !before.ends_with("...");
        Self {
            before: if before.ends_with("::") {
                Before::Path
            } else if before.ends_with("->") || before.ends_with('.') && !is_range {
                Before::Dot
            } else {
                Before::Nothing
            },
            // With type arguments: `parse::<u8>()`, `get<Row>()`.
            is_called: behind.starts_with(['(', '<']) || behind.starts_with("::<"),
        }
    }

    /// Whether a name in this form may mean a definition of a kind, in a language.
    pub(super) fn may_mean(self, kind: SymbolKind, family: Family) -> bool {
        match (family, kind) {
            (Family::Rust, SymbolKind::Method) => match self.before {
                Before::Nothing => false,
                Before::Dot => self.is_called,
                Before::Path => true,
            },
            (Family::Rust, SymbolKind::Property | SymbolKind::Field) => true,
            (Family::Rust, _) | (Family::C, SymbolKind::Function) => self.before != Before::Dot,
            // A field of that name.
            (Family::C, SymbolKind::Method) => self.before != Before::Dot || self.is_called,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NameForm;
    use crate::model::{Family, SymbolKind};

    fn may(text: &str, kind: SymbolKind, family: Family) -> bool {
        let start = text.find("open").unwrap();
        NameForm::in_text(text, start, "open").may_mean(kind, family)
    }

    #[test]
    fn methods_of_rust_are_called_or_named_by_a_path() {
        for text in [
            "a.open()",
            "a\n  .open::<u8>()",
            "Store::open",
            "Store::open(a)",
        ] {
            assert!(may(text, SymbolKind::Method, Family::Rust), "{text}");
        }
        for text in ["a.open", "open", "open()", "run(open)", "0..open()"] {
            assert!(!may(text, SymbolKind::Method, Family::Rust), "{text}");
        }
    }

    #[test]
    fn functions_are_no_members_in_rust_and_c() {
        for family in [Family::Rust, Family::C] {
            for text in ["open()", "run(open)", "db::open(1)", "0..open()"] {
                assert!(may(text, SymbolKind::Function, family), "{text}");
            }
            for text in ["a.open()", "a.open", "a\n  .open()"] {
                assert!(!may(text, SymbolKind::Function, family), "{text}");
            }
        }
        assert!(!may("a->open(1)", SymbolKind::Function, Family::C));
        assert!(may("open(1)", SymbolKind::Method, Family::C));
        assert!(!may("a->open = 1", SymbolKind::Method, Family::C));
        assert!(may("a.open()", SymbolKind::Function, Family::Go));
    }
}

//! Patterns of the names that a macro of C pastes of a literal part and its arguments, where only its calls tell which names these are:
//! `fs__##` for `#define XX(name) fs__##name()`.
//!
//! A macro is called in any file, so that facts hold the pattern as the name of a use; whoever asks for `fs__open` looks the patterns up
//! that its name fits.

/// The sign that joins the parts of a name.
const PASTE: &str = "##";

/// Returns the pattern of names that begin with `literal`; `is_one` where one argument is all that follows.
pub fn pasted_prefix(literal: &str, is_one: bool) -> String {
    let rest = if is_one { "" } else { PASTE };
    format!("{literal}{PASTE}{rest}")
}

/// Returns the pattern of names that end in `literal`; `is_one` where one argument is all that stands before.
pub fn pasted_suffix(literal: &str, is_one: bool) -> String {
    let rest = if is_one { "" } else { PASTE };
    format!("{rest}{PASTE}{literal}")
}

/// Returns the patterns that a name fits, each with the argument that makes it of one: `open` for `fs__##` of `fs__open`; `None` where
/// several arguments do.
pub fn pasted_patterns(name: &str) -> Vec<(String, Option<&str>)> {
    let mut all = Vec::new();
    if !name.is_ascii() {
        return all;
    }
    for at in 1..name.len() {
        let (before, behind) = name.split_at(at);
        all.push((pasted_prefix(before, true), Some(behind)));
        all.push((pasted_prefix(before, false), None));
        all.push((pasted_suffix(behind, true), Some(before)));
        all.push((pasted_suffix(behind, false), None));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{pasted_patterns, pasted_prefix, pasted_suffix};

    #[test]
    fn a_name_fits_the_patterns_of_its_ends() {
        let all = pasted_patterns("fs__open");
        let argument = |pattern: &str| all.iter().find(|it| it.0 == pattern).map(|it| it.1);
        assert_eq!(argument(&pasted_prefix("fs__", true)), Some(Some("open")));
        assert_eq!(argument(&pasted_prefix("fs__", false)), Some(None));
        assert_eq!(argument(&pasted_suffix("_open", true)), Some(Some("fs_")));
        assert_eq!(argument(&pasted_prefix("fs__open", true)), None);
        assert_eq!(argument(&pasted_suffix("_close", true)), None);
    }
}

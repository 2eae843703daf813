//! Patterns of the names that a macro of C pastes of literal parts and its arguments, where only its calls tell which names these are:
//! `fs__##` for `#define XX(name) fs__##name()`, `uv_##_t` for `uv_##name##_t`.
//!
//! A macro is called in any file, so that facts hold the pattern as the name of a use; whoever asks for `fs__open` looks the patterns up
//! that its name fits. A pattern with two ends has a second one of its beginning alone, so that a name is not looked up by each
//! pair of ends.

/// The sign that joins the parts of a name.
const PASTE: &str = "##";

/// A pattern that a name fits, with the argument that makes the name of it: `open` for `fs__##` of `fs__open`; `None` where several
/// arguments do.
pub type PastedPattern<'n> = (String, Option<&'n str>);

/// Returns the patterns of names that begin with `before` and end in `behind`; `is_one` where one argument is all that stands between.
pub fn pasted_names(before: &str, behind: &str, is_one: bool) -> Vec<String> {
    let mut all = vec![pattern(before, behind, is_one)];
    if !before.is_empty() && !behind.is_empty() {
        all.push(beginning(before));
    }
    all
}

fn pattern(before: &str, behind: &str, is_one: bool) -> String {
    let rest = if is_one { "" } else { PASTE };
    format!("{before}{PASTE}{rest}{behind}")
}

/// Returns the pattern of names that begin with a literal and end in one as well.
fn beginning(before: &str) -> String {
    format!("{before}{PASTE}*")
}

/// Returns the patterns with one literal end that a name fits.
pub fn pasted_patterns(name: &str) -> Vec<PastedPattern<'_>> {
    let mut all = Vec::new();
    for at in ends_of(name) {
        let (before, behind) = name.split_at(at);
        all.push((pattern(before, "", true), Some(behind)));
        all.push((pattern(before, "", false), None));
        all.push((pattern("", behind, true), Some(before)));
        all.push((pattern("", behind, false), None));
    }
    all
}

/// Returns the patterns of the beginnings of a name, each with its bytes: where one is known, [`pasted_between`] has those with both ends.
pub fn pasted_beginnings(name: &str) -> impl Iterator<Item = (String, usize)> {
    ends_of(name).map(|at| (beginning(&name[..at]), at))
}

/// Returns the patterns with two literal ends that a name fits, of which the first one has `n` bytes.
pub fn pasted_between(name: &str, n: usize) -> Vec<PastedPattern<'_>> {
    let mut all = Vec::new();
    for at in ends_of(name).filter(|at| *at > n) {
        let (before, argument, behind) = (&name[..n], &name[n..at], &name[at..]);
        all.push((pattern(before, behind, true), Some(argument)));
        all.push((pattern(before, behind, false), None));
    }
    all
}

/// Returns the places at which a name may be cut.
fn ends_of(name: &str) -> std::ops::Range<usize> {
    1..if name.is_ascii() { name.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{pasted_beginnings, pasted_between, pasted_names, pasted_patterns};

    #[test]
    fn a_name_fits_the_patterns_of_its_ends() {
        let all = pasted_patterns("fs__open");
        let argument = |before: &str, behind: &str, is_one: bool| {
            let pattern = pasted_names(before, behind, is_one).remove(0);
            all.iter().find(|it| it.0 == pattern).map(|it| it.1)
        };
        assert_eq!(argument("fs__", "", true), Some(Some("open")));
        assert_eq!(argument("fs__", "", false), Some(None));
        assert_eq!(argument("", "_open", true), Some(Some("fs_")));
        assert_eq!(argument("fs__open", "", true), None);
        assert_eq!(argument("", "_close", true), None);
    }

    #[test]
    fn a_name_fits_a_pattern_by_both_of_its_ends() {
        let fits = |name: &str, before: &str, behind: &str| {
            let made = pasted_names(before, behind, true);
            let begins = pasted_beginnings(name).filter(|it| made.contains(&it.0));
            let mut all = begins.flat_map(|it| pasted_between(name, it.1));
            all.any(|it| made.contains(&it.0))
        };
        assert!(fits("uv_tcp_t", "uv_", "_t"));
        assert!(!fits("uv_run", "uv_", "_t"));
        assert!(!fits("uv_t", "uv_", "_t"));
        assert!(!fits("uv__t", "uv_", "_t"));
    }
}

//! Which of several branches of a condition is read, where their code excludes each other: the first one that a build for Linux may see,
//! and for one macro the same one throughout a file.
//!
//! `#ifdef _WIN32` / `int open_all() {` / `#else` / `int main() {` / `#endif` → the second.

use crate::model::hash::HashMap;

/// Macros that a build for Linux does not have.
const UNDEFINED: &[&str] = &[
    "_WIN32",
    "WIN32",
    "_WIN64",
    "WIN64",
    "__WIN32__",
    "_WINDOWS",
    "_MSC_VER",
    "__APPLE__",
    "__CYGWIN__",
    "__MINGW32__",
    "__BORLANDC__",
];

/// The macros of a file that are taken as defined, or as not defined, by the branches that were chosen.
#[derive(Debug, Default)]
pub(super) struct BranchChoices {
    known: HashMap<String, bool>,
}

impl BranchChoices {
    /// Records that the branch at a place is read, of a condition with these directives.
    pub(super) fn note(&mut self, directives: &[(&str, &str)], at: usize) {
        for (place, (word, condition)) in directives.iter().enumerate().take(at + 1) {
            if let Some((name, is_defined)) = single(word, condition) {
                let is_defined = is_defined == (place == at);
                self.known.entry(name.to_owned()).or_insert(is_defined);
            }
        }
    }

    /// Whether branches that were chosen before leave out the branch at a place.
    pub(super) fn contradicts(&self, directives: &[(&str, &str)], at: usize) -> bool {
        is_seen(directives, at, &|name| self.known.get(name).copied()) == Some(false)
    }

    /// Whether the branch at a place is left out by branches that were chosen before, or in a build for Linux.
    pub(super) fn is_impossible(&self, directives: &[(&str, &str)], at: usize) -> bool {
        let value = |name: &str| {
            let known = self.known.get(name).copied();
            known.or_else(|| UNDEFINED.contains(&name).then_some(false))
        };
        is_seen(directives, at, &value) == Some(false)
    }
}

/// Whether the branch at a place is seen; `None` where that is not known.
fn is_seen(
    directives: &[(&str, &str)],
    at: usize,
    value: &dyn Fn(&str) -> Option<bool>,
) -> Option<bool> {
    let mut seen = Some(true);
    for (place, (word, condition)) in directives.iter().enumerate().take(at + 1) {
        let holds = holds(word, condition, value);
        let holds = if place == at {
            holds
        } else {
            holds.map(|it| !it)
        };
        seen = both(seen, holds);
    }
    seen
}

/// Whether the condition of a directive holds.
fn holds(word: &str, condition: &str, value: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    match word {
        "else" => Some(true),
        "ifdef" | "elifdef" => value(name_of(condition)?),
        "ifndef" | "elifndef" => value(name_of(condition)?).map(|it| !it),
        _ => {
            let code = code_of(condition);
            let mut any = Some(false);
            for part in code.split("||") {
                let mut all = Some(true);
                for atom in part.split("&&") {
                    let atom = macro_of(atom)
                        .and_then(|(name, is_defined)| value(name).map(|it| it == is_defined));
                    all = both(all, atom);
                }
                // `a || b` is no `!(!a && !b)` where one of them is not known.
                any = both(any.map(|it| !it), all.map(|it| !it)).map(|it| !it);
            }
            any
        }
    }
}

/// Whether two things that may not be known hold.
fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Returns the one macro that a condition asks for, and whether it holds where that is defined: `!defined(A)` → `A`, `false`.
fn single<'t>(word: &str, condition: &'t str) -> Option<(&'t str, bool)> {
    match word {
        "ifdef" | "elifdef" => Some((name_of(condition)?, true)),
        "ifndef" | "elifndef" => Some((name_of(condition)?, false)),
        "if" | "elif" => macro_of(code_of(condition)),
        _ => None,
    }
}

/// Returns the text before a comment.
fn code_of(condition: &str) -> &str {
    let end = [condition.find("/*"), condition.find("//")];
    let end = end.into_iter().flatten().min();
    condition[..end.unwrap_or(condition.len())].trim()
}

/// Returns the name at the head of a text: `A` of `A /* comment */`.
fn name_of(text: &str) -> Option<&str> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let end = text.find(|it| !is_part(it)).unwrap_or(text.len());
    (end > 0 && !text.starts_with(|it: char| it.is_ascii_digit())).then(|| &text[..end])
}

/// Returns the macro that a part of a condition asks for, and whether it holds where that is defined: `defined(A)`, `!A`.
fn macro_of(part: &str) -> Option<(&str, bool)> {
    let part = part.trim();
    let (part, is_defined) = match part.strip_prefix('!') {
        Some(rest) if !rest.starts_with('=') => (rest.trim(), false),
        _ => (part, true),
    };
    let inner = match part.strip_prefix("defined") {
        Some(rest) if rest.starts_with(['(', ' ', '\t']) => {
            let rest = rest.trim();
            rest.strip_prefix('(')
                .and_then(|it| it.strip_suffix(')'))
                .unwrap_or(rest)
                .trim()
        }
        _ => part,
    };
    let name = name_of(inner)?;
    (name.len() == inner.len()).then_some((name, is_defined))
}

#[cfg(test)]
mod tests {
    use super::BranchChoices;

    #[test]
    fn leaves_out_branches_of_other_systems() {
        let choices = BranchChoices::default();
        let is_out = |condition| choices.is_impossible(&[("if", condition), ("else", "")], 0);
        assert!(is_out("defined(_WIN32)"));
        assert!(is_out("defined(_WIN32) || defined __APPLE__ // or so"));
        assert!(is_out("HAVE_POLL && defined(_MSC_VER)"));
        assert!(!is_out("defined(_WIN32) || HAVE_POLL"));
        assert!(!is_out("!defined(_WIN32)"));
        assert!(!is_out("(defined(_WIN32))"));
        let other = [("ifndef", "_WIN32"), ("else", "")];
        assert!(!choices.is_impossible(&other, 0) && choices.is_impossible(&other, 1));
    }

    #[test]
    fn chooses_one_way_throughout_a_file() {
        let mut choices = BranchChoices::default();
        choices.note(&[("ifdef", "FAST"), ("else", "")], 0);
        assert!(choices.contradicts(&[("ifndef", "FAST /* slow */")], 0));
        assert!(choices.contradicts(&[("if", "defined(FAST)"), ("else", "")], 1));
        assert!(!choices.contradicts(&[("ifdef", "FAST")], 0));
        assert!(!choices.contradicts(&[("ifdef", "_WIN32")], 0));
    }
}

//! Tells from a commit's message whether it repairs a fault. English alone.

/// Words of a subject that say so.
const WORDS: [&str; 17] = [
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "fixup",
    "bug",
    "bugs",
    "bugfix",
    "bugfixes",
    "hotfix",
    "hotfixes",
    "revert",
    "reverts",
    "reverted",
    "reverting",
    "regress",
    "regressed",
];

/// Words that close an issue when its number follows.
const CLOSING: [&str; 9] = [
    "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
];

/// Returns whether the subject has one of the words fix, bug, regress, revert and hotfix, or their forms, or the message closes an issue:
/// `fix(ssr): …`, `Revert "…"`, `closes #12`.
pub(super) fn is_fix(message: &str) -> bool {
    let subject = message.lines().next().unwrap_or_default();
    let mut words = subject.split(|c: char| !c.is_alphanumeric());
    let is_word = |word: &str| {
        let word = word.to_ascii_lowercase();
        WORDS.contains(&word.as_str()) || word.starts_with("regression")
    };
    words.any(is_word) || closes_an_issue(message)
}

/// Whether a closing word stands before a number of an issue: `fix #12`, `closes: org/repo#12`, `resolves https://…/issues/12`.
fn closes_an_issue(message: &str) -> bool {
    let words: Vec<&str> = message.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let word = pair[0].trim_matches(|c: char| !c.is_alphanumeric());
        let is_closing = CLOSING.iter().any(|it| it.eq_ignore_ascii_case(word));
        is_closing && is_issue(pair[1])
    })
}

fn is_issue(word: &str) -> bool {
    let starts_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let by_number = word.split_once('#').is_some_and(|(before, number)| {
        let is_repository = |c: char| c.is_alphanumeric() || "/._-([".contains(c);
        before.chars().all(is_repository) && starts_with_digit(number)
    });
    let by_address = word.split_once("/issues/");
    by_number || by_address.is_some_and(|(_, number)| starts_with_digit(number))
}

#[cfg(test)]
mod tests {
    use super::is_fix;

    #[test]
    fn a_fix_is_told_by_its_message() {
        for message in [
            "fix(ssr): escape names",
            "Revert \"feat: lazy\"",
            "a bug in parsing",
            "repair regressions of 3.2",
            "feat: props\n\nCloses #12",
            "handle null (closes vuejs/core#12)",
            "handle null\n\nresolves: https://github.com/a/b/issues/12",
            "HOTFIX: typo",
        ] {
            assert!(is_fix(message), "{message}");
        }
        for message in [
            "feat: add prefix and suffix",
            "debugging helpers",
            "see #12",
            "close the file",
            "docs: name the issue\n\nthis fixes the docs",
            "",
            "fixture for tests",
        ] {
            assert!(!is_fix(message), "{message}");
        }
    }
}

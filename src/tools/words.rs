//! What `cl_impact` says of its findings in words.
//!
//! Never that a change is safe: what can't be bound or seen is said. Refuses to count.

/// The figures of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Definitions that were asked about.
    pub(super) n_targets: usize,
    /// Places that use one of them directly.
    pub(super) n_direct: usize,
    /// Files that are reached, tests apart.
    pub(super) n_files: usize,
    /// Tests that are reached.
    pub(super) n_tests: usize,
    /// Tests that are only named after a file.
    pub(super) n_named_tests: usize,
    /// Uses of the names that are bound to nothing.
    pub(super) n_unbound: u64,
    /// Whether the index is not known to be complete.
    pub(super) is_partial: bool,
}

/// Returns the finding in a sentence.
pub(super) fn summary(found: &Found) -> String {
    let named = match found.n_named_tests {
        0 => String::new(),
        n => format!("; {} only by name", count(n as u64, "more test file")),
    };
    let said = match (found.n_targets, found.n_direct, found.n_unbound) {
        (0, _, _) => return "no definition is there or changed: nothing to follow".to_owned(),
        (_, 0, _) if found.is_partial => {
            "unknown: the index is not complete yet, and what it holds has no use of it".to_owned()
        }
        (_, 0, 0) => {
            "no use is bound to it, and no unbound use has its name; dynamic uses can't be seen"
                .to_owned()
        }
        (_, 0, n) => format!(
            "unknown: no use is bound to it, but {} with its name could not be bound",
            count(n, "use")
        ),
        (_, n, _) => format!(
            "{}; {} and {} are reached",
            count(n as u64, "direct caller"),
            count(found.n_files as u64, "file"),
            count(found.n_tests as u64, "test file")
        ),
    };
    said + &named
}

/// Returns how far the answer can be relied on.
pub(super) fn note(found: &Found) -> String {
    if found.is_partial {
        return "the index is not complete yet (see `freshness`): call again, or cl_refresh first"
            .to_owned();
    }
    match found.n_unbound {
        0 => "confidence is the measured precision of the weakest kind of edge on the way; uses by computed names or from outside the repository can't be seen".to_owned(),
        n => format!(
            "{} of {} could not be bound (the receiver's type is not evident): search for the name before you rely on this list",
            count(n, "use"),
            if found.n_targets == 1 { "this name" } else { "these names" },
        ),
    }
}

fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{Found, note, summary};

    #[test]
    fn nothing_found_is_never_said_to_be_safe() {
        let mut found = Found {
            n_targets: 1,
            ..Found::default()
        };
        assert!(summary(&found).contains("dynamic uses can't be seen"));
        found.n_unbound = 3;
        assert!(summary(&found).starts_with("unknown: "));
        assert!(note(&found).starts_with("3 uses of this name could not be bound"));
        found.is_partial = true;
        assert!(summary(&found).starts_with("unknown: the index is not complete"));
        assert!(note(&found).contains("cl_refresh"));
        found.is_partial = false;
        found.n_direct = 1;
        found.n_tests = 2;
        found.n_named_tests = 1;
        let said = summary(&found);
        assert_eq!(
            said,
            "1 direct caller; 0 files and 2 test files are reached; 1 more test file only by name"
        );
    }
}

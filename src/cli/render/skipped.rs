//! Files that were left out of an index, and those of which a part is indexed, in words.

use std::collections::BTreeMap;

use super::text::{Facts, count, most_first, plural};
use crate::cli::screen::visible;
use crate::model::SkipReason;
use crate::workspace::reason_in_words;

const NESTED_REPOSITORY: &str = "nestedRepository";

/// Adds a row for files that were left out, and one for those of which a part is indexed. `n_files` counts all files, these
/// among them: `3 of the 705 files (2 binary, 1 lock file)`.
pub(super) fn add_skipped(
    facts: &mut Facts<'_>,
    by_reason: &BTreeMap<&'static str, u64>,
    n_files: u64,
) {
    for (heading, is_reduced) in [("left out", false), ("reduced", true)] {
        let counts = most_first(by_reason).into_iter();
        let counts: Vec<_> = counts
            .filter(|(name, number)| *number > 0 && keeps_text(name) == is_reduced)
            .collect();
        if counts.is_empty() {
            continue;
        }
        // Repositories inside this one are none of its files.
        let (nested, counts): (Vec<_>, Vec<_>) = counts
            .into_iter()
            .partition(|(name, _)| *name == NESTED_REPOSITORY);
        let total: u64 = counts.iter().map(|(_, number)| number).sum();
        let files = plural(n_files, "file");
        let of_files =
            (total > 0).then(|| format!("{} of the {files} ({})", count(total), reasons(&counts)));
        let nested = (!nested.is_empty()).then(|| reasons(&nested));
        let said: Vec<String> = of_files.into_iter().chain(nested).collect();
        facts.add(heading, said.join(", "));
    }
}

/// Returns counts by reason in words: `7 binary, 2 lock files`.
pub(super) fn reasons(counts: &[(&str, u64)]) -> String {
    let one = |(name, number): &(&str, u64)| {
        let words = visible(&reason_in_words(name)).into_owned();
        match *name {
            NESTED_REPOSITORY if *number != 1 => {
                format!("{} nested repositories", count(*number))
            }
            "lockFile" | "symlink" | "missingBlob" | "nonUtf8Name" | "secret" => {
                plural(*number, &words)
            }
            _ => format!("{} {words}", count(*number)),
        }
    };
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Returns a reason of one file: `left out: binary`, `reduced: minified`.
pub(super) fn reason(name: &str) -> String {
    let verb = if keeps_text(name) {
        "reduced"
    } else {
        "left out"
    };
    format!("{verb}: {}", visible(&reason_in_words(name)))
}

/// Whether a file is left out for a reason, and not read in part.
pub(super) fn is_left_out(name: &str) -> bool {
    !keeps_text(name)
}

fn keeps_text(name: &str) -> bool {
    let reason = SkipReason::ALL.iter().find(|it| it.as_str() == name);
    reason.is_some_and(|it| it.keeps_text())
}

//! The finding of `cl_impact` in a sentence or two.
//!
//! Never says that a change is safe: uses that could not be bound, and ways that no index sees, are named.

use std::fmt::Write as _;

use crate::model::sanitize::one_line;
use crate::uses::{ImplicitCaller, UncheckedUses, UnfollowedFiles};

/// The figures of an answer.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct ImpactFigures {
    /// Definitions that were asked about.
    pub(super) n_targets: usize,
    /// Whether they are overloads of one method, asked by their name.
    pub(super) is_overloaded: bool,
    /// Types and methods that implement the one that was asked about.
    pub(super) n_implementing: usize,
    /// Whether there may be more of them: candidates were left out.
    pub(super) may_implement_more: bool,
    /// Places that use one of them directly.
    pub(super) n_direct: usize,
    /// Those of them that call a method which it overrides or implements, or one that overrides or implements it.
    pub(super) n_dispatched: usize,
    /// Files that are reached, tests apart.
    pub(super) n_files: usize,
    /// Tests that are reached.
    pub(super) n_tests: usize,
    /// Helpers of tests that are reached: fixtures, settings of a runner.
    pub(super) n_support: usize,
    /// Tests that are only named after a file.
    pub(super) n_named_tests: usize,
    /// Tests that only name a definition.
    pub(super) n_mentioning_tests: usize,
    /// Whether tests that only name a definition were not looked for: there are too many definitions.
    pub(super) is_without_naming_tests: bool,
    /// Examples that are reached.
    pub(super) n_examples: usize,
    /// Files of code and tests that dispatch of a caller reaches alone.
    pub(super) n_by_dispatch: (usize, usize),
    /// Uses of the names that could not be bound.
    pub(super) n_unbound: u64,
    /// The same for the names of callers from which others are reached.
    pub(super) n_unbound_indirect: u64,
    /// Files that hold the name and were not read for its uses.
    pub(super) n_unsearched: u64,
    /// How many uses of the name are taken for something outside the repository, and where the first is.
    pub(super) external: Option<(u64, String)>,
    /// How many files import it and have no known use of it.
    pub(super) n_importers: u64,
    /// Definitions that are in files which are outlined only.
    pub(super) n_outlined: usize,
    /// Files of code that hold the word of a definition without a known use, in other languages whose calls are not followed.
    pub(super) n_other_code: u64,
    /// Files whose uses of code are not known and that hold the name of a definition.
    pub(super) unfollowed: UnfollowedFiles,
    /// Those that hold the name of one that is gone and of which no use is known.
    pub(super) unfollowed_of_removed: UnfollowedFiles,
    /// Places of the word and files that hold it, where all definitions are outlined only.
    pub(super) n_words: (u64, u64),
    /// Definitions that the changes took away.
    pub(super) n_removed: usize,
    /// Uses that still name them.
    pub(super) n_dangling: u64,
    /// Those of them in test files.
    pub(super) n_dangling_tests: u64,
    /// Those of them that may mean a member of a base from outside the repository.
    pub(super) n_doubtful: u64,
    /// Further uses of their names whose meaning is not known.
    pub(super) n_unresolved: u64,
    /// Changes that are not compared with their uses.
    pub(super) unchecked: UncheckedUses,
    /// Steps that were followed.
    pub(super) depth: u32,
    /// Whether the uncommitted changes were asked about.
    pub(super) is_of_changes: bool,
    /// Whether the index is not known to be complete.
    pub(super) is_partial: bool,
}

/// The finding for definitions in files that are outlined.
const OUTLINED: &str = "Outline only: callers are not followed in files of this language.";

/// Returns the callers that no line shows, in words that follow "but": "the test runner calls it".
pub(super) fn implicit(callers: &[ImplicitCaller]) -> String {
    let mut said = Vec::new();
    let mut annotations = Vec::new();
    let (mut calling, mut using) = (Vec::new(), Vec::new());
    for caller in callers {
        match caller {
            ImplicitCaller::TestRunner => {
                said.push("it is a test, which the test runner calls".to_owned());
            }
            ImplicitCaller::Language(words) | ImplicitCaller::StandardInterface(words) => {
                said.push(format!("it is {words}"));
            }
            ImplicitCaller::Annotation(text) => annotations.push(format!("`{}`", one_line(text))),
            ImplicitCaller::ExternalBase(base) => calling.push(format!("`{base}`")),
            ImplicitCaller::Members(1, name) => {
                said.push(format!("its member `{name}` is used: ask about that"));
            }
            ImplicitCaller::Members(n, name) => said.push(format!(
                "{n} of its members are used, such as `{name}`: ask about these"
            )),
            ImplicitCaller::ExternalBaseOfProperty(base) => using.push(format!("`{base}`")),
            ImplicitCaller::FittingInterface(name, path, n_more) => {
                let more = match n_more {
                    0 => String::new(),
                    n => format!(" and {}", count(*n as u64, "other interface")),
                };
                said.push(format!(
                    "it may be used through `{name}` ({path}){more}, which it fits: ask about that"
                ));
            }
        }
    }
    for (bases, verb) in [(calling, "called"), (using, "used")] {
        let are = are(bases.len() as u64);
        if let Some((last, others)) = bases.split_last() {
            let others = others.join(", ");
            let or = if others.is_empty() { "" } else { " or " };
            said.push(format!(
                "it may be {verb} through {others}{or}{last}, which {are} not defined here"
            ));
        }
    }
    if !annotations.is_empty() {
        said.push(format!(
            "it is marked with {}: what that registers may call it",
            annotations.join(", ")
        ));
    }
    said.join("; ")
}

/// Returns the finding; `implicit` are callers that no line shows.
pub(super) fn summary(found: &ImpactFigures, implicit: &str) -> String {
    let mut said: Vec<String> = Vec::new();
    said.extend(gone(found));
    let steps = format!(
        "{} {}",
        found.depth,
        if found.depth == 1 { "step" } else { "steps" }
    );
    said.push(match (found.n_targets, found.n_direct, found.n_unbound) {
        (0, _, _) if found.n_removed > 0 => return said.join(" "),
        (0, _, _) if found.is_partial => "No definition of it is read yet.".to_owned(),
        (0, _, _) if found.is_of_changes => "No changed definitions.".to_owned(),
        (0, _, _) => "No definitions are known in this file.".to_owned(),
        (_, 0, _) if found.is_partial => format!(
            "Unknown: the index is not complete; no use {}was found in the files indexed so far.",
            if found.n_removed > 0 { "of what else changed " } else { "" }
        ),
        (n, 0, _) if found.n_outlined == n => match found.n_words {
            (0, _) => OUTLINED.to_owned(),
            (n, n_files) => format!(
                "{OUTLINED} The word occurs at {} in {} (`mentions`).",
                count(n, "other place"),
                count(n_files, "file")
            ),
        },
        (_, 0, 0) if found.n_unsearched > 0 => format!(
            "No uses found in the files that were read for it{}; {} {} the word: pass `sites` to read them all.",
            match implicit {
                "" => String::new(),
                implicit => format!(", but {implicit}"),
            },
            count(found.n_unsearched, "more file"),
            if found.n_unsearched == 1 { "holds" } else { "hold" }
        ),
        (_, 0, 0) if !implicit.is_empty() => format!(
            "No uses found in code, but {implicit}. (Calls by computed names and from other repositories are not visible.)"
        ),
        (_, 0, 0) if found.n_removed > 0 => "No use was found of what else changed.".to_owned(),
        (_, 0, 0) => "No uses found in code. (Calls by computed names and from other repositories are not visible.)".to_owned(),
        (_, 0, n) => unknown_uses(found, n, implicit),
        (_, n, _) => {
            let mut reached = vec![count(found.n_files as u64, "file")];
            let tests = count(found.n_tests as u64, "test file");
            reached.push(tests);
            if found.n_support > 0 {
                reached.push(count(found.n_support as u64, "test support file"));
            }
            if found.n_examples > 0 {
                reached.push(count(found.n_examples as u64, "example file"));
            }
            let last = reached.pop().unwrap_or_default();
            let dispatched = match found.n_dispatched {
                0 => String::new(),
                n => format!(" ({n} by dispatch)"),
            };
            let what = if found.n_removed > 0 {
                "What else changed has "
            } else {
                ""
            };
            format!(
                "{what}{}{dispatched}. Affects {} and {last} ({steps}).",
                count(n as u64, "direct caller"),
                reached.join(", "),
            )
        }
    });
    if found.n_direct > 0 && !implicit.is_empty() {
        said.push(format!("Beside these {implicit}."));
    }
    said.extend(without_uses(found));
    said.extend(beside_callers(found));
    said.extend(unfollowed(found));
    if found.n_by_dispatch != (0, 0) {
        let (n_files, n_tests) = found.n_by_dispatch;
        said.push(format!(
            "{} and {} more may be reached by dispatch (`byDispatch`).",
            count(n_files as u64, "file"),
            count(n_tests as u64, "test file")
        ));
    }
    if found.n_named_tests > 0 {
        said.push(format!(
            "{} only by name.",
            count(found.n_named_tests as u64, "test file")
        ));
    }
    if found.n_mentioning_tests > 0 {
        let n = found.n_mentioning_tests as u64;
        let files = match found.n_tests + found.n_named_tests {
            0 => count(n, "test file"),
            _ => count(n, "more test file"),
        };
        let name = if n == 1 { "names" } else { "name" };
        said.push(format!("{files} {name} it without a bound use."));
    } else if found.is_without_naming_tests && found.n_tests + found.n_named_tests == 0 {
        said.push(
            "Tests that only name a definition: cl_related with `types: [tests]`.".to_owned(),
        );
    }
    said.join(" ")
}

/// Returns the sentences about the places that may hide a use where none is known: uses of the name on objects from outside the repository, and
/// imports.
fn without_uses(found: &ImpactFigures) -> Vec<String> {
    if found.n_direct > 0 || found.n_unbound > 0 {
        return Vec::new();
    }
    let external = found.external.as_ref().map(|(n, first)| {
        let at = if *n == 1 { "at" } else { "first at" };
        format!(
            "{} of this name {} taken for a member of something outside the repository ({at} {first}).",
            count(*n, "use"),
            are(*n)
        )
    });
    let importing = (found.n_importers > 0).then(|| {
        let n = found.n_importers;
        let verb = if n == 1 { "imports" } else { "import" };
        format!("{} {verb} it (`importedBy`).", count(n, "file"))
    });
    external.into_iter().chain(importing).collect()
}

/// Returns the sentence about unresolved uses, where no use is known.
fn unknown_uses(found: &ImpactFigures, n_places: u64, implicit: &str) -> String {
    let name = if found.n_targets == 1 || found.is_overloaded {
        "this name"
    } else {
        "a name that is defined there"
    };
    let beside = match implicit {
        "" => String::new(),
        implicit => format!(" Beside that {implicit}."),
    };
    format!(
        "Unknown: {} of {name} {} not resolved (`unresolved`).{beside}",
        count(n_places, "use"),
        are(n_places)
    )
}

/// Returns the sentences about definitions that the changes took away.
fn gone(found: &ImpactFigures) -> Vec<String> {
    let mut said = Vec::new();
    if found.n_removed > 0 {
        let n_gone = found.n_removed as u64;
        let gone = format!("{} {} gone", count(n_gone, "definition"), are(n_gone));
        said.push(match found.n_dangling {
            0 if found.n_unresolved > 0 => format!(
                "{gone} (removed, renamed or moved): no use is left that is proved, and {} of their names {} unresolved.",
                count(found.n_unresolved, "use"),
                are(found.n_unresolved)
            ),
            0 => match in_unfollowed(
                word_of(found.n_removed > 1),
                &found.unfollowed_of_removed,
            ) {
                Some(files) => {
                    format!("{gone} (removed, renamed or moved): no use is left in code that is followed. {files}")
                }
                None => format!("{gone} (removed, renamed or moved): no use is left that could be found."),
            },
            n => format!(
                "{gone} (removed, renamed or moved): {} {} left{} (`changeSet.removed`){}.",
                count(n, "use"),
                are(n),
                match found.n_dangling_tests {
                    0 => String::new(),
                    n_tests => format!(", {n_tests} of them in tests"),
                },
                doubt(n, found.n_doubtful)
            ),
        });
    }
    let unchecked = not_compared(found.unchecked);
    if !unchecked.is_empty() {
        said.push(unchecked.trim_start().to_owned());
    }
    said
}

/// Returns the sentences about what stands beside the callers: overloads that were asked together, and implementations.
fn beside_callers(found: &ImpactFigures) -> impl Iterator<Item = String> {
    let overloads = found.is_overloaded.then(|| {
        format!(
            "{} overloads together: the `handle` of one asks about it alone.",
            found.n_targets
        )
    });
    let implementing = match found.n_implementing {
        0 => None,
        1 if !found.may_implement_more => Some("1 definition implements it.".to_owned()),
        n if !found.may_implement_more => Some(format!("{n} definitions implement it.")),
        1 => Some("At least 1 definition implements it.".to_owned()),
        n => Some(format!("At least {n} definitions implement it.")),
    };
    overloads.into_iter().chain(implementing)
}

/// Returns the sentences about files whose calls are not followed, beside the finding for definitions in them.
fn unfollowed(found: &ImpactFigures) -> impl Iterator<Item = String> {
    let has_word = found.n_other_code > 0 && found.n_targets > 0 && found.n_direct == 0;
    let occurrences = has_word.then(|| {
        format!(
            "The word occurs in {} of languages whose calls are not followed (cl_search).",
            count(found.n_other_code, "file")
        )
    });
    let is_said = found.n_outlined == found.n_targets && !found.is_partial;
    let outlined = (found.n_outlined > 0 && !is_said).then(|| {
        format!(
            "Callers of {} are not followed: outline only (`analysed`).",
            count(found.n_outlined as u64, "definition")
        )
    });
    let files = Some(&found.unfollowed).filter(|_| found.n_targets > 0);
    let files = files.and_then(|it| in_unfollowed(word_of(found.n_targets > 1), it));
    occurrences.into_iter().chain(files).chain(outlined)
}

/// Names what is looked for: the word of one definition, or of one among several.
fn word_of(is_of_several: bool) -> &'static str {
    if is_of_several {
        "The word of one"
    } else {
        "The word"
    }
}

/// Says how many files hold a word whose uses are not known there, and names one; `None` where none does.
pub(in crate::tools) fn in_unfollowed(word: &str, found: &UnfollowedFiles) -> Option<String> {
    let first = one_line(found.first.as_ref()?.as_str()).into_owned();
    Some(format!(
        "{word} is in {} whose uses of code are not known ({first}).",
        count(found.n_files, "file")
    ))
}

/// Says how many files are not read as their names are not UTF-8; empty for none.
pub(in crate::tools) fn unreadable_names(n: u64) -> String {
    match n {
        0 => String::new(),
        1 => " Not read: 1 file whose name is not UTF-8.".to_owned(),
        n => format!(" Not read: {n} files whose names are not UTF-8."),
    }
}

/// Returns how far the answer can be relied on; empty where nothing speaks against it.
pub(super) fn note(found: &ImpactFigures) -> String {
    if found.is_partial {
        return "More may be known when the index is up to date (`freshness`): ask again, or call cl_refresh."
            .to_owned();
    }
    if found.n_outlined > 0 && found.n_outlined == found.n_targets && found.n_unbound == 0 {
        return match found.n_direct {
            0 => "Zero callers is not proved: nothing is known of uses in files that are outlined only.",
            _ => "There may be more callers: nothing is known of uses in files that are outlined only.",
        }
        .to_owned();
    }
    let uses = unproved(found);
    if found.n_direct == 0 || found.n_unsearched == 0 {
        return uses;
    }
    let unread = unread(found.n_unsearched, "name");
    let said = format!(
        "{uses} {unread}: pass `sites` to read {}.",
        if found.n_unsearched == 1 {
            "it"
        } else {
            "them"
        }
    );
    said.trim_start().to_owned()
}

/// Returns how many files hold a word and were not read: `2 more files hold the name and were not read`.
pub(super) fn unread(n: u64, noun: &str) -> String {
    let (hold, were) = if n == 1 {
        ("holds", "was")
    } else {
        ("hold", "were")
    };
    format!(
        "{} {hold} the {noun} and {were} not read",
        count(n, "more file")
    )
}

/// Returns how many uses are not proved; empty where there is none.
fn unproved(found: &ImpactFigures) -> String {
    match found.n_unbound {
        0 if found.n_unbound_indirect > 0 => format!(
            "More files and tests may be reached: {} of the callers' names may lead to them (type unknown).",
            count(found.n_unbound_indirect, "use"),
        ),
        0 if found.unfollowed.n_files > 0 && found.n_direct == 0 => {
            "Zero callers is not proved: files whose uses are not known hold the name.".to_owned()
        }
        0 if found.n_unsearched > 0 && found.n_direct == 0 => {
            "Zero callers is not proved: not every file that holds the name was read.".to_owned()
        }
        0 => String::new(),
        n if found.n_direct == 0 && found.n_targets > 0 => format!(
            "Zero callers is not proved: {} of the name {} unresolved.",
            count(n, "use"),
            are(n)
        ),
        n => format!(
            "There may be more callers: {} of {} {} unresolved.",
            count(n, "use"),
            if found.n_targets == 1 {
                "this name"
            } else {
                "these names"
            },
            are(n),
        ),
    }
}

/// Says how many of the places that still name a removed member are not proved to be broken; empty for none.
pub(super) fn doubt(n: u64, n_doubtful: u64) -> String {
    let of_them = match n_doubtful {
        0 => return String::new(),
        all if all == n => String::new(),
        some => format!(" at {some} of them"),
    };
    format!(
        "; what that means{of_them} is not known: a base from outside the repository may have a member of the name"
    )
}

/// Says which changes were not compared with their uses, with a blank before; empty for none.
pub(in crate::tools) fn not_compared(unchecked: UncheckedUses) -> String {
    let mut said = String::new();
    if unchecked.n_parameter_lists > 0 {
        let _ = write!(
            said,
            " Calls were not compared with {}: they may be broken.",
            count(unchecked.n_parameter_lists, "changed parameter list")
        );
    }
    if unchecked.n_counted_lists > 0 {
        let _ = write!(
            said,
            " Calls were compared with {} by the number of arguments alone: others may be broken.",
            count(unchecked.n_counted_lists, "changed parameter list")
        );
    }
    if unchecked.n_types > 0 {
        let _ = write!(
            said,
            " Uses of fields were not looked for, which {} may have lost.",
            match unchecked.n_types {
                1 => "1 changed type or object".to_owned(),
                n => format!("{n} changed types or objects"),
            }
        );
    }
    if unchecked.n_bases > 0 {
        let _ = write!(
            said,
            " Uses through a base were not looked for, which {} lost.",
            count(unchecked.n_bases, "changed type")
        );
    }
    if unchecked.n_requirements > 0 {
        let _ = write!(
            said,
            " Values were not compared with {} that got a required member: they may lack it.",
            count(unchecked.n_requirements, "type")
        );
    }
    if unchecked.n_embedding > 0 {
        let _ = write!(
            said,
            " Uses of members were not looked for, which {} had by embedding.",
            count(unchecked.n_embedding, "changed type")
        );
    }
    if unchecked.n_read_only > 0 {
        let _ = write!(
            said,
            " Assignments were not compared with {} that became read-only.",
            count(unchecked.n_read_only, "member")
        );
    }
    if unchecked.n_left_out > 0 {
        let _ = write!(
            said,
            " {} {} left out of a usual build now: uses of what it defines may be broken.",
            count(unchecked.n_left_out, "file"),
            are(unchecked.n_left_out)
        );
    }
    if unchecked.n_called_outside > 0 {
        let _ = write!(
            said,
            " {} may be called by the language or through an interface from outside.",
            count(unchecked.n_called_outside, "removed definition")
        );
    }
    if unchecked.n_through_interfaces > 0 {
        let _ = write!(
            said,
            " {} may be used through an interface that its type fits.",
            count(unchecked.n_through_interfaces, "removed member")
        );
    }
    said
}

/// Returns the verb for a number of things: 1 is, 2 are.
pub(in crate::tools) fn are(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// Returns a number with its noun: `1 file`, `2 files`.
pub(in crate::tools) fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{ImpactFigures, ImplicitCaller, implicit, note, summary};

    #[test]
    fn nothing_found_is_never_said_to_be_safe() {
        let mut found = ImpactFigures {
            n_targets: 1,
            depth: 2,
            ..ImpactFigures::default()
        };
        assert!(summary(&found, "").contains("not visible"));
        assert_eq!(note(&found), "");
        found.n_unbound = 3;
        assert!(summary(&found, "").starts_with("Unknown: 3 uses of this name are not resolved"));
        assert!(note(&found).contains("not proved"));
        found.n_unbound_indirect = 5;
        found.n_unbound = 0;
        assert!(note(&found).starts_with("More files and tests may be reached: 5 uses"));
        found.n_unbound_indirect = 0;
        found.n_unbound = 3;
        found.is_partial = true;
        assert!(summary(&found, "").starts_with("Unknown: the index is not complete"));
        assert!(note(&found).contains("cl_refresh"));
        found.is_partial = false;
        found.n_direct = 1;
        found.n_tests = 2;
        found.n_named_tests = 1;
        let said = summary(&found, "");
        assert_eq!(
            said,
            "1 direct caller. Affects 0 files and 2 test files (2 steps). 1 test file only by name."
        );
        assert_eq!(
            note(&found),
            "There may be more callers: 3 uses of this name are unresolved."
        );
    }

    #[test]
    fn callers_of_outlined_definitions_are_not_counted() {
        let mut found = ImpactFigures {
            n_targets: 1,
            n_outlined: 1,
            n_words: (3, 2),
            depth: 2,
            ..ImpactFigures::default()
        };
        assert_eq!(
            summary(&found, ""),
            "Outline only: callers are not followed in files of this language. The word occurs at 3 other places in 2 files \
             (`mentions`)."
        );
        assert!(note(&found).contains("not proved"));
        found.n_targets = 3;
        found.n_direct = 1;
        assert!(summary(&found, "").contains("Callers of 1 definition are not followed"));
    }

    #[test]
    fn callers_that_no_line_shows_are_named() {
        let found = ImpactFigures {
            n_targets: 1,
            depth: 2,
            ..ImpactFigures::default()
        };
        let callers = [
            ImplicitCaller::Language("a special method"),
            ImplicitCaller::ExternalBase("Sized".to_owned()),
            ImplicitCaller::Annotation("@app.route('/')".to_owned()),
        ];
        let said = summary(&found, &implicit(&callers));
        assert!(
            said.starts_with(
                "No uses found in code, but it is a special method; it may be called through `Sized`, which is not defined here; it is marked with `@app.route('/')`: what that registers may call it. (Calls"
            ),
            "{said}"
        );
        let said = summary(
            &ImpactFigures {
                n_unbound: 1,
                ..found.clone()
            },
            &implicit(&[ImplicitCaller::TestRunner]),
        );
        assert!(
            said.ends_with("Beside that it is a test, which the test runner calls."),
            "{said}"
        );
        let said = summary(
            &ImpactFigures {
                n_unsearched: 2,
                ..found
            },
            &implicit(&[ImplicitCaller::TestRunner]),
        );
        assert!(
            said.starts_with(
                "No uses found in the files that were read for it, but it is a test, which the test runner calls; 2 more files hold the word"
            ),
            "{said}"
        );
    }

    #[test]
    fn removed_definitions_come_first() {
        let mut found = ImpactFigures {
            n_removed: 1,
            n_dangling: 45,
            is_of_changes: true,
            ..ImpactFigures::default()
        };
        assert_eq!(
            summary(&found, ""),
            "1 definition is gone (removed, renamed or moved): 45 uses are left (`changeSet.removed`)."
        );
        found = ImpactFigures {
            is_of_changes: true,
            ..ImpactFigures::default()
        };
        assert_eq!(summary(&found, ""), "No changed definitions.");
    }
}

//! Reports of test runners: how many tests ran, and how many of them failed. `JUnit` XML and TAP.

/// The tests of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReportCounts {
    /// Tests that ran.
    pub(super) n_tests: u64,
    /// Tests that failed, and tests that were planned and did not run.
    pub(super) n_failed: u64,
}

impl ReportCounts {
    /// Whether a test ran and none failed.
    pub(super) fn has_passed(self) -> bool {
        self.n_tests > 0 && self.n_failed == 0
    }
}

/// Returns the tests of a report; `None` for text that is not a report, is cut off, or holds no test.
pub(super) fn counts_of(text: &str) -> Option<ReportCounts> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let counts = if text.starts_with('<') {
        of_junit(text)?
    } else {
        of_tap(text)?
    };
    (counts.n_tests > 0).then_some(counts)
}

/// Counts the elements `testcase` and, in them, `failure` and `error`; of skipped tests nothing is known.
fn of_junit(text: &str) -> Option<ReportCounts> {
    let mut counts = ReportCounts::default();
    let (mut depth, mut is_report) = (0_u32, false);
    let (mut has_failed, mut is_skipped, mut in_case) = (false, false, false);
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>"), ("!", ">")];
        if let Some((begin, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            rest = &rest[begin.len()..];
            rest = &rest[rest.find(end)? + end.len()..];
            continue;
        }
        let end = tag_end(rest)?;
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let is_closing = tag.starts_with('/');
        let is_empty = tag.ends_with('/');
        let name = tag.trim_start_matches('/');
        let name = name.split([' ', '\t', '\r', '\n', '/']).next()?;
        match name {
            "testsuites" | "testsuite" => is_report = true,
            "testcase" if !is_closing => {
                (in_case, has_failed, is_skipped) = (true, false, false);
            }
            "failure" | "error" if in_case => has_failed = true,
            // A suite that could not be loaded has an error of its own.
            "error" | "failure" if !is_closing => counts.n_failed += 1,
            "skipped" if in_case => is_skipped = true,
            _ => {}
        }
        if is_closing {
            depth = depth.checked_sub(1)?;
        } else if !is_empty {
            depth += 1;
        }
        if name == "testcase" && (is_closing || is_empty) {
            in_case = false;
            counts.n_tests += u64::from(!is_skipped);
            counts.n_failed += u64::from(has_failed);
        }
    }
    // A report that is cut off says nothing.
    (is_report && depth == 0).then_some(counts)
}

/// Returns where a tag ends; a `>` within quotes does not end it.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// Counts `ok` and `not ok` against the plan `1..N`; `# TODO` and `# SKIP` are no failures.
fn of_tap(text: &str) -> Option<ReportCounts> {
    let mut counts = ReportCounts::default();
    let mut planned: Option<u64> = None;
    let mut n_lines = 0;
    for line in text.lines() {
        let line = line.trim_end();
        if let Some(plan) = line.strip_prefix("1..") {
            let digits = plan.split_whitespace().next().unwrap_or_default();
            planned = Some(digits.parse().ok()?);
        } else if line.starts_with("Bail out!") {
            counts.n_failed += 1;
        }
        let (is_ok, words) = match (line.strip_prefix("not ok"), line.strip_prefix("ok")) {
            (Some(words), _) => (false, words),
            (None, Some(words)) => (true, words),
            _ => continue,
        };
        if !(words.is_empty() || words.starts_with(' ')) {
            continue;
        }
        n_lines += 1;
        let directive = words
            .rsplit_once('#')
            .map(|(_, word)| word.trim().to_ascii_lowercase());
        let is_directive = |begin| {
            directive
                .as_ref()
                .is_some_and(|word| word.starts_with(begin))
        };
        counts.n_tests += u64::from(!is_directive("skip"));
        counts.n_failed += u64::from(!is_ok && !is_directive("todo") && !is_directive("skip"));
    }
    counts.n_failed += planned?.saturating_sub(n_lines);
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::{ReportCounts, counts_of};

    fn counts(text: &str) -> Option<(u64, u64)> {
        counts_of(text).map(|ReportCounts { n_tests, n_failed }| (n_tests, n_failed))
    }

    #[test]
    fn junit_is_counted() {
        let passed = "<?xml version=\"1.0\"?><testsuites><testsuite name=\"a > b\" tests=\"2\"><testcase name=\"x\"/><testcase name='y'>\
            <system-out><![CDATA[<failure>]]></system-out></testcase><!-- <failure/> --></testsuite></testsuites>";
        assert_eq!(counts(passed), Some((2, 0)));
        let failed = "<testsuite><testcase name=\"x\"><failure message=\"m\">text</failure></testcase><testcase><skipped/></testcase></testsuite>";
        assert_eq!(counts(failed), Some((1, 1)));
        let broken = "<testsuite><error>no module</error><testcase/></testsuite>";
        assert_eq!(counts(broken), Some((1, 1)));
        for none in [
            "<testsuite><testcase/>",
            "<html><testcase/></html>",
            "<testsuites></testsuites>",
            "<testsuite><testcase><skipped/></testcase></testsuite>",
            "<testsuite",
            "<",
        ] {
            assert_eq!(counts(none), None, "{none}");
        }
    }

    #[test]
    fn tap_is_counted_against_its_plan() {
        assert_eq!(
            counts("TAP version 13\n1..2\nok 1 - a\nok 2\n"),
            Some((2, 0))
        );
        assert_eq!(counts("ok 1\nnot ok 2 - b\n1..2\n"), Some((2, 1)));
        assert_eq!(counts("1..3\nok 1\nnot ok 2 # TODO later\n"), Some((2, 1)));
        assert_eq!(counts("1..2\nok 1 # SKIP no network\nok 2\n"), Some((1, 0)));
        assert_eq!(counts("1..1\nok 1\nBail out! gone\n"), Some((1, 1)));
        for none in ["", "okay then", "ok 1\n", "1..0\n", "1..x\nok 1"] {
            assert_eq!(counts(none), None, "{none}");
        }
    }
}

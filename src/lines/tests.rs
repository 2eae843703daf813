//! Searching files that are in memory.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::{
    Bytes, LineMatches, LinePattern, LineQuery, LineSource, Searched, SourceRegion, Syntax, search,
};
use crate::model::indexing_rules::skip_reason;
use crate::model::{Budget, RepoPath, SkipReason};

struct InMemory(Vec<(&'static str, String)>);

impl LineSource for InMemory {
    fn read(&self, file: &Searched) -> Result<Bytes, Option<SkipReason>> {
        let found = self.0.iter().find(|(path, _)| *path == file.path.as_str());
        let bytes = found.ok_or(None)?.1.clone().into_bytes();
        let skip = skip_reason(&file.path, &bytes, false, false);
        Ok(Bytes { bytes, skip })
    }

    fn decode(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).replace("secret", "******")
    }
}

#[derive(Clone, Copy)]
struct Asked {
    scope: Option<SourceRegion>,
    n_context: usize,
    limit: usize,
    after: Option<(&'static str, u32)>,
}

const ALL: Asked = Asked {
    scope: None,
    n_context: 0,
    limit: 1_000,
    after: None,
};

fn found(files: &[(&'static str, &str)], pattern: &LinePattern, asked: Asked) -> LineMatches {
    let source = InMemory(
        files
            .iter()
            .map(|(path, text)| (*path, (*text).to_owned()))
            .collect(),
    );
    let paths: Vec<Searched> = files.iter().map(|(path, _)| searched(path)).collect();
    let budget = Budget::unlimited(Arc::default());
    let how = LineQuery {
        pattern,
        scope: asked.scope,
        n_context: asked.n_context,
        limit: asked.limit,
        max_bytes: 10_000,
        after: asked.after,
        budget: &budget,
    };
    search(&paths, &source, &how)
}

fn searched(path: &str) -> Searched {
    Searched {
        path: RepoPath::new(path).unwrap(),
        has_generated_attribute: false,
        is_named: false,
        skip: None,
    }
}

fn regex(text: &str) -> LinePattern {
    LinePattern::new(text, Syntax::Regex).unwrap()
}

/// Returns `lines:text` of each result in one file.
fn matched_lines(text: &str, pattern: &str) -> Vec<String> {
    let found = found(&[("a.txt", text)], &regex(pattern), ALL);
    assert_eq!(found.total, found.lines.len() as u64);
    let shown = found.lines.iter().map(|line| {
        let (from, to) = line.lines;
        format!("{from}-{to}:{}", line.text)
    });
    shown.collect()
}

#[test]
fn each_line_is_listed_once() {
    assert_eq!(matched_lines("ab\n a a\n\nb", "a"), ["1-1:ab", "2-2: a a"]);
    assert_eq!(matched_lines("x\r\ny\r\n", "x$"), ["1-1:x"]);
    assert_eq!(matched_lines("a\n\nb\n", "^"), ["1-1:a", "2-2:", "3-3:b"]);
    assert_eq!(matched_lines("a\n\nb", "x*"), ["1-1:a", "2-2:", "3-3:b"]);
    assert_eq!(matched_lines("", "x*"), [""; 0]);
    assert_eq!(matched_lines("\n", "x*"), ["1-1:"]);
    assert_eq!(matched_lines("é é\nü", "é|ü"), ["1-1:é é", "2-2:ü"]);
}

#[test]
fn a_match_over_several_lines_counts_once() {
    assert_eq!(
        matched_lines("f(\n  1)\nx\nf(\n2)", "f\\(\\s*\\n\\s*\\d"),
        ["1-2:f(\n  1)", "4-5:f(\n2)"]
    );
    assert_eq!(matched_lines("a\nb", "a\\n"), ["1-1:a"]);
    assert_eq!(
        matched_lines("<a\n> <b\n>", "<[\\s\\S]*?>"),
        ["1-3:<a\n> <b\n>"]
    );
}

#[test]
fn context_is_told_once() {
    let text = "1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10\n11";
    let asked = Asked {
        n_context: 2,
        ..ALL
    };
    let found = found(&[("a.txt", text)], &regex("x"), asked);
    let shown: Vec<(&[String], &str, &[String])> = found
        .lines
        .iter()
        .map(|line| {
            (
                line.before.as_slice(),
                line.text.as_str(),
                line.behind.as_slice(),
            )
        })
        .collect();
    let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    assert_eq!(shown[0], (&*texts(&["1", "2"]), "x3", &*texts(&["4"])));
    assert_eq!(shown[1], (&*texts(&[]), "x5", &*texts(&["6", "7"])));
    assert_eq!(shown[2], (&*texts(&["8", "9"]), "x10", &*texts(&["11"])));
}

#[test]
fn a_scope_judges_each_match() {
    let files = [
        ("a.ts", "x(); // x\n// x\nconst s = 'x' + `${x}`;\n"),
        ("b.css", "x"),
        ("c.vue", "<template>x</template>\n<script>\nx\n</script>\n"),
        ("d.ts", "y"),
    ];
    let lines = |scope| {
        let asked = Asked {
            scope: Some(scope),
            ..ALL
        };
        let found = found(&files, &regex("x"), asked);
        assert_eq!(
            found.unsearched.values().sum::<u64>(),
            2,
            "{:?}",
            found.unsearched
        );
        assert_eq!(found.n_files, 2);
        assert!(!found.is_complete());
        let lines = found.lines.iter();
        lines
            .map(|line| format!("{}:{}", line.path, line.lines.0))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(SourceRegion::Code), ["a.ts:1", "a.ts:3", "c.vue:3"]);
    assert_eq!(lines(SourceRegion::Comment), ["a.ts:1", "a.ts:2"]);
    assert_eq!(lines(SourceRegion::String), ["a.ts:3"]);
}

#[test]
fn secrets_are_not_found() {
    let files = [("a.txt", "secret\nnot a secret: key\n")];
    assert_eq!(found(&files, &regex("secret"), ALL).total, 0);
    let found = found(&files, &regex("key"), ALL);
    assert_eq!(found.lines[0].text, "not a ******: key");
}

#[test]
fn what_is_not_searched_is_counted() {
    let minified = "x=1;".repeat(2_000);
    let files = [
        ("a.bin", "x\0"),
        ("b.min.js", minified.as_str()),
        ("c.ts", "// @generated\nx"),
        ("yarn.lock", "x"),
    ];
    let all = found(&files, &regex("x"), ALL);
    let reasons: Vec<_> = all
        .unsearched
        .iter()
        .map(|(reason, n)| (reason.as_str(), *n))
        .collect();
    assert_eq!(reasons, [("binary", 1), ("minified", 1), ("lockFile", 1)]);
    assert_eq!((all.total, all.n_files, all.is_complete()), (1, 1, true));
    let source = InMemory(vec![("yarn.lock", "x".to_owned())]);
    let named = Searched {
        is_named: true,
        skip: Some(Some(SkipReason::LockFile)),
        ..searched("yarn.lock")
    };
    let ended = Budget::within(Duration::ZERO, Arc::default());
    let endless = Budget::unlimited(Arc::default());
    for (budget, wanted) in [(&endless, (1, 0)), (&ended, (0, 1))] {
        let how = LineQuery {
            pattern: &regex("x"),
            scope: None,
            n_context: 0,
            limit: 9,
            max_bytes: 99,
            after: None,
            budget,
        };
        let found = search(std::slice::from_ref(&named), &source, &how);
        let n_left = found.unsearched.values().sum::<u64>();
        assert_eq!((found.total, n_left), wanted);
        assert_eq!(found.is_complete(), n_left == 0);
    }
}

#[test]
fn a_long_line_is_cut_around_its_first_match() {
    let text = format!(
        "{}é needle {}\nneedle{}",
        "é".repeat(500),
        "y".repeat(900),
        "z".repeat(9_000)
    );
    let found = found(&[("a.txt", &text)], &regex("needle"), ALL);
    for line in &found.lines {
        assert!(line.text.len() <= super::MAX_PREVIEW_BYTES);
        let [from, to] = line.matches[0];
        assert_eq!(&line.text[from..to], "needle");
    }
    assert!(found.lines[0].text.starts_with('…') && found.lines[0].text.ends_with('…'));
    assert!(found.lines[1].text.starts_with("needle"));
}

#[test]
fn pages_make_up_the_whole() {
    let text = "x\ny\n".repeat(50);
    let files = [
        ("a", text.as_str()),
        ("b", ""),
        ("c", text.as_str()),
        ("d", "x"),
    ];
    let pattern = regex("x");
    let whole = found(&files, &pattern, ALL).lines;
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page = found(
            &files,
            &pattern,
            Asked {
                limit: 7,
                after,
                ..ALL
            },
        );
        assert_eq!(page.total, 101);
        let last = page.lines.last().unwrap();
        let path = files.iter().find(|(path, _)| *path == last.path.as_str());
        after = path.map(|(path, _)| (*path, last.lines.0));
        pages.extend(page.lines.clone());
        if !page.has_more {
            break;
        }
    }
    assert_eq!(pages.len(), 101);
    assert_eq!(pages, whole);
}

proptest! {
    /// A line is found if, and only if, it matches by itself.
    #[test]
    fn a_search_equals_one_line_by_line(
        text in "([ab .\\n]|\r\n|é){0,60}",
        pattern in "(\\^|\\$|a|b|\\.|\\[\\^a\\]|\\\\s|\\\\b|é|a\\*|\\(a\\|b\\)\\+){1,4}",
    ) {
        let Ok(pattern) = LinePattern::new(&pattern, Syntax::Regex) else { return Ok(()) };
        let found = found(&[("a.txt", &text)], &pattern, ALL);
        let lines: Vec<u32> = found.lines.iter().map(|line| line.lines.0).collect();
        let mut wanted = Vec::new();
        for (line, text) in (1..).zip(text.split_inclusive('\n')) {
            let end = text.strip_suffix('\n').unwrap_or(text).len();
            if pattern.find(text.as_bytes(), 0..end).is_some() {
                wanted.push(line);
            }
        }
        prop_assert_eq!(lines, wanted);
    }
}

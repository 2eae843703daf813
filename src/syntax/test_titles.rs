//! The titles of the tests around a line: `queue > pushes` within `describe('queue', () => { it('pushes', …) })`.

use std::sync::Arc;

use tree_sitter::{Language, Node, Tree};

use super::lang::ecmascript::kinds::Grammar;
use super::lang::frontend;
use super::language::{self, FileShape};
use super::parse::{Parsed, parse};
use crate::model::{Budget, ContentId, LruCache, RepoPath};

/// Letters of a title that are shown, those of the tests around it counted in.
const MAX_LETTERS: usize = 80;

/// Functions that tests and groups of them are made with; their variants (`it.skip`, `test.describe`) begin with one.
const FUNCTIONS: &[&str] = &[
    "bench",
    "context",
    "describe",
    "fdescribe",
    "fit",
    "it",
    "specify",
    "suite",
    "test",
    "xdescribe",
    "xit",
    "xtest",
];

/// Kinds of nodes that may be tests or groups of them.
const TEST_NODES: [&str; 6] = [
    "call_expression",
    "class_declaration",
    "class_definition",
    "function_declaration",
    "function_definition",
    "method_declaration",
];

/// How many files' tests are kept for the next question about them, and how many tests of one file at most.
const MAX_FILES: usize = 128;
const MAX_KEPT_TESTS: usize = 2_000;

/// A test or group with the rows that it spans.
struct TestSpan {
    first_row: usize,
    last_row: usize,
    /// How many tests and groups are around it.
    depth: usize,
    title: String,
}

/// The tests and groups of the files that were asked about last, each before those inside of it. A question about a change asks about the
/// same test files again and again, and parsing them was half of its cost.
static KNOWN: LruCache<(FileShape, ContentId), Arc<[TestSpan]>> = LruCache::new(MAX_FILES);

/// Returns the title of the innermost test or group around all of some lines (from 1), behind those of the groups that it
/// is in: of two lines in `describe('queue', …)`, each in a test of its own, `queue`. Lines outside all tests do not count.
/// `None` where there is none, or the file is no script. Costs the reading of the text of these bytes and its parsing, unless it was
/// asked about lately.
pub fn test_title(
    path: &RepoPath,
    source: (ContentId, impl FnOnce() -> Option<Arc<str>>),
    lines: &[u32],
    budget: &Budget,
) -> Option<String> {
    let spans = tests_of_script(path, source, budget)?;
    let all = lines.iter().filter_map(|line| line.checked_sub(1));
    let all = all.map(|row| tests_around(&spans, row as usize));
    let common = all
        .filter(|around| !around.is_empty())
        .reduce(|mut common, around| {
            let n_common = common
                .iter()
                .zip(&around)
                .take_while(|(a, b)| a.title == b.title)
                .count();
            common.truncate(n_common);
            common
        });
    joined_titles(&titles(&common?))
}

/// A test or a group of tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestCase {
    /// Its first line, from 1.
    pub line: u32,
    /// Its title, behind those of the groups that it is in; of Python, Go and Java its name.
    pub title: String,
}

/// Returns the innermost test around each of some lines (from 1), each once, in source order: of JavaScript the call that
/// makes it, of Python the function whose name begins with `test`, of Go the one that takes a `*testing.T`, of Java the method
/// with an annotation for it. Costs the parsing of the file, unless it was asked about lately.
pub fn test_cases(
    path: &RepoPath,
    source: (ContentId, impl FnOnce() -> Option<Arc<str>>),
    lines: &[u32],
    budget: &Budget,
) -> Vec<TestCase> {
    let Some(spans) = tests_of(language::by_path(path).shape, source, budget) else {
        return Vec::new();
    };
    let rows = lines.iter().filter_map(|line| line.checked_sub(1));
    let mut cases: Vec<TestCase> = rows
        .filter_map(|row| {
            let around = tests_around(&spans, row as usize);
            Some(TestCase {
                line: line_of(around.last()?.first_row),
                title: joined_titles(&titles(&around))?,
            })
        })
        .collect();
    cases.sort();
    cases.dedup();
    cases
}

/// Returns the lines (from 1) of the innermost test or group around a line of a script, and its title: `it('adds', …)` with its
/// callback. `None` where there is none.
pub fn test_block(
    path: &RepoPath,
    source: (ContentId, impl FnOnce() -> Option<Arc<str>>),
    line: u32,
    budget: &Budget,
) -> Option<(String, u32, u32)> {
    let spans = tests_of_script(path, source, budget)?;
    let around = tests_around(&spans, line.checked_sub(1)? as usize);
    let span = around.last()?;
    let title = joined_titles(std::slice::from_ref(&span.title))?;
    Some((title, line_of(span.first_row), line_of(span.last_row)))
}

fn line_of(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

fn titles(around: &[&TestSpan]) -> Vec<String> {
    around.iter().map(|span| span.title.clone()).collect()
}

/// Returns the tests and groups of a script; `None` for any other file, and where the budget ended.
fn tests_of_script(
    path: &RepoPath,
    source: (ContentId, impl FnOnce() -> Option<Arc<str>>),
    budget: &Budget,
) -> Option<Arc<[TestSpan]>> {
    let shape = language::by_path(path).shape;
    matches!(shape, FileShape::Script(_))
        .then(|| tests_of(shape, source, budget))
        .flatten()
}

/// Returns the tests and groups of a file; `None` for a language whose tests have no titles, and where the budget ended.
fn tests_of(
    shape: FileShape,
    (content, source): (ContentId, impl FnOnce() -> Option<Arc<str>>),
    budget: &Budget,
) -> Option<Arc<[TestSpan]>> {
    let grammar = match (shape, frontend(shape)) {
        (FileShape::Script(dialect), _) => &Grammar::of(dialect).language,
        (FileShape::Python | FileShape::Go | FileShape::Java, Some(own)) => own.grammar(),
        _ => return None,
    };
    let key = (shape, content);
    if let Some(known) = KNOWN.get(&key) {
        return Some(known);
    }
    let source = source()?;
    let Parsed::Tree(tree) = parse(grammar, &source, budget) else {
        return None;
    };
    let spans: Arc<[TestSpan]> = all_tests(&tree, grammar, &source).into();
    if spans.len() <= MAX_KEPT_TESTS {
        KNOWN.insert(key, Arc::clone(&spans));
    }
    Some(spans)
}

/// Returns the tests and groups of a tree, each before those inside of it.
fn all_tests(tree: &Tree, grammar: &Language, source: &str) -> Vec<TestSpan> {
    let kinds = TEST_NODES.map(|kind| grammar.id_for_node_kind(kind, true));
    let mut spans: Vec<TestSpan> = Vec::new();
    // The ends of those around the node that is visited.
    let mut around: Vec<usize> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if kinds.contains(&node.kind_id())
            && let Some(title) = title(node, source)
        {
            while around.last().is_some_and(|end| *end <= node.start_byte()) {
                around.pop();
            }
            spans.push(TestSpan {
                first_row: node.start_position().row,
                last_row: node.end_position().row,
                depth: around.len(),
                title,
            });
            around.push(node.end_byte());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return spans;
            }
        }
    }
}

/// Returns the tests and groups around a row, the outermost first; of several on one line the last.
fn tests_around(spans: &[TestSpan], row: usize) -> Vec<&TestSpan> {
    let mut around: Vec<&TestSpan> = Vec::new();
    for span in spans {
        if (span.first_row..=span.last_row).contains(&row) {
            around.truncate(span.depth);
            around.push(span);
        }
    }
    around
}

/// Returns the title of a call that makes a test or a group.
fn title(node: Node<'_>, source: &str) -> Option<String> {
    if matches!(node.kind(), "function_definition" | "class_definition") {
        let name = node.child_by_field_name("name")?;
        let name = source.get(name.byte_range())?;
        return name
            .to_ascii_lowercase()
            .starts_with("test")
            .then(|| name.to_owned());
    }
    // Of Go and Java.
    if matches!(node.kind(), "function_declaration" | "method_declaration") {
        let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
        let modifiers = node.named_child(0);
        let is_annotated = modifiers.is_some_and(|it| {
            let mut cursor = it.walk();
            let mut all = it.named_children(&mut cursor);
            it.kind() == "modifiers" && all.any(|it| is_test_annotation(text(it)))
        });
        let takes_test = || {
            let parameters = node.child_by_field_name("parameters").map_or("", text);
            node.kind() == "function_declaration" && parameters.contains("*testing.")
        };
        let name = text(node.child_by_field_name("name")?);
        let is_test =
            is_annotated || (name.starts_with("Test") || name.starts_with("Fuzz")) && takes_test();
        return is_test.then(|| name.to_owned());
    }
    // A class inside of another one, of Java.
    let is_nested = |node: Node<'_>| node.parent().is_some_and(|it| it.kind() == "class_body");
    if node.kind() == "class_declaration" && is_nested(node) {
        let name = node.child_by_field_name("name")?;
        return source.get(name.byte_range()).map(str::to_owned);
    }
    if node.kind() != "call_expression" {
        return None;
    }
    let mut callee = node.child_by_field_name("function")?;
    // `it.each(rows)('adds %i', …)`, `test.describe('…')`
    loop {
        callee = match callee.kind() {
            "call_expression" => callee.child_by_field_name("function")?,
            "member_expression" => callee.child_by_field_name("object")?,
            _ => break,
        };
    }
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
    if callee.kind() != "identifier" || !FUNCTIONS.contains(&text(callee)) {
        return None;
    }
    let arguments = node.child_by_field_name("arguments")?;
    // Those of Go, where `test(t, want)` is any call, are of another kind.
    if arguments.kind() != "arguments" {
        return None;
    }
    let first = arguments.named_child(0)?;
    let title = match first.kind() {
        "string" | "template_string" => {
            let quoted = text(first);
            quoted.get(1..quoted.len().checked_sub(1)?)?.to_owned()
        }
        // `describe(Queue, …)`
        "identifier" | "member_expression" => text(first).to_owned(),
        _ => return None,
    };
    arguments.named_child(1)?;
    Some(title.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns whether an annotation of Java makes a method a test that is run by its name: `@Test`, `@ParameterizedTest(name = "a")`.
fn is_test_annotation(annotation: &str) -> bool {
    let name = annotation.trim_start_matches('@');
    let name = name.split('(').next().unwrap_or(name).trim();
    matches!(
        name.rsplit('.').next(),
        Some("Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate")
    )
}

/// Joins titles from the outermost to the innermost; where they are too long the innermost is kept. `None` of none.
pub fn joined_titles(titles: &[String]) -> Option<String> {
    let (last, before) = titles.split_last()?;
    let mut shown: String = last.chars().take(MAX_LETTERS).collect();
    if shown.len() < last.len() {
        shown.push('…');
        return Some(shown);
    }
    for title in before.iter().rev() {
        if title.chars().count() + shown.chars().count() + 3 > MAX_LETTERS {
            return Some(format!("… > {shown}"));
        }
        shown = format!("{title} > {shown}");
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{MAX_LETTERS, test_cases, test_title};
    use crate::model::{Budget, ContentId, RepoPath};

    fn text_of(source: &str) -> (ContentId, impl FnOnce() -> Option<Arc<str>>) {
        (ContentId::of(source.as_bytes()), || Some(source.into()))
    }

    fn at(source: &str, line: u32) -> Option<String> {
        let path = RepoPath::new("a.spec.ts").unwrap();
        test_title(
            &path,
            text_of(source),
            &[line],
            &Budget::unlimited(Arc::default()),
        )
    }

    #[test]
    fn the_titles_around_a_line_are_its_label() {
        let source = "import { f } from './f'
const before = f()
describe('queue', () => {
  beforeEach(() => { f() })
  it.each([1, 2])(`pushes
    %i`, async n => {
    f(n)
  })
  test.skip(\"doesn't\", function () { f() })
})
test.describe(Queue.name, () => { test('it', () => f()) })
test('alone')
";
        assert_eq!(at(source, 2), None);
        assert_eq!(at(source, 4).as_deref(), Some("queue"));
        assert_eq!(at(source, 7).as_deref(), Some("queue > pushes %i"));
        assert_eq!(at(source, 9).as_deref(), Some("queue > doesn't"));
        assert_eq!(at(source, 11).as_deref(), Some("Queue.name > it"));
        assert_eq!(at(source, 12), None);
        assert_eq!(at(source, 99), None);
        assert_eq!(at("describe('", 1), None);
    }

    #[test]
    fn the_tests_around_lines_are_told_apart() {
        let cases = |path: &str, source: &str, lines: &[u32]| {
            let path = RepoPath::new(path).unwrap();
            let budget = Budget::unlimited(Arc::default());
            let cases = test_cases(&path, text_of(source), lines, &budget);
            cases
                .into_iter()
                .map(|case| format!("{}:{}", case.line, case.title))
                .collect::<Vec<_>>()
        };
        let source = "describe('queue', () => {
  it('pushes', () => {
    f(1)
    f(2)
  })
  it('pops', () => f(3))
  f(4)
})
f(5)
";
        assert_eq!(
            cases("a.spec.ts", source, &[6, 4, 3, 7, 9, 0, 99]),
            ["1:queue", "2:queue > pushes", "6:queue > pops"]
        );
        let source = "class TestStore:
    def test_open(self):
        run()
    def helper(self):
        run()
@fixture
def test_alone():
    run()
";
        assert_eq!(
            cases("test_a.py", source, &[3, 8]),
            ["2:TestStore > test_open", "7:test_alone"]
        );
        let source = "func TestOpen(t *testing.T) {
\tt.Run(\"a\", func(t *testing.T) { test(run, 1) })
}
func helper() { run() }
";
        assert_eq!(cases("a_test.go", source, &[2, 4]), ["1:TestOpen"]);
        let source = "class ATest {
  @DisplayName(\"x\") @org.junit.jupiter.api.Test
  void opens() { run(); }
  @BeforeEach void setUp() { run(); }
  @Nested class B { @ParameterizedTest(name = \"a\") void closes(int n) { run(); } }
}
";
        assert_eq!(
            cases("ATest.java", source, &[3, 4, 5]),
            ["2:opens", "5:B > closes"]
        );
        assert!(cases("a.md", "x", &[1]).is_empty() && cases("a.py", "def (", &[1]).is_empty());
    }

    #[test]
    fn a_long_title_keeps_its_innermost() {
        let source = format!(
            "describe('{}', () => {{ it('short', () => {{}}) }})",
            "é".repeat(200)
        );
        assert_eq!(at(&source, 1).as_deref(), Some("… > short"));
        let source = format!("it('{}', () => {{}})", "é".repeat(200));
        assert_eq!(at(&source, 1).unwrap().chars().count(), MAX_LETTERS + 1);
    }
}

//! The titles of the tests around a line: `queue > pushes` within `describe('queue', () => { it('pushes', …) })`.

use tree_sitter::Node;

use super::lang::ecmascript::kinds::Grammar;
use super::language::{self, Shape};
use super::parse::{Parsed, parse};
use crate::model::{Budget, RepoPath};

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

/// Returns the title of the innermost test or group around all of some lines (from 1), behind those of the groups that it
/// is in: of two lines in `describe('queue', …)`, each in a test of its own, `queue`. Lines outside all tests do not count.
/// `None` where there is none, or the file is no script. Costs the parsing of the file.
pub fn test_title(path: &RepoPath, source: &str, lines: &[u32], budget: &Budget) -> Option<String> {
    let Shape::Script(dialect) = language::by_path(path).shape else {
        return None;
    };
    let Parsed::Tree(tree) = parse(&Grammar::of(dialect).language, source, budget) else {
        return None;
    };
    let all = lines.iter().filter_map(|line| line.checked_sub(1));
    let all = all.map(|row| titles_around(tree.root_node(), source, row as usize));
    let common = all
        .filter(|titles| !titles.is_empty())
        .reduce(|mut common, titles| {
            let n_common = common
                .iter()
                .zip(&titles)
                .take_while(|(a, b)| a == b)
                .count();
            common.truncate(n_common);
            common
        });
    joined(&common?)
}

/// Returns the lines (from 1) of the innermost test or group around a line of a script, and its title: `it('adds', …)` with its
/// callback. `None` where there is none.
pub fn test_block(
    path: &RepoPath,
    source: &str,
    line: u32,
    budget: &Budget,
) -> Option<(String, u32, u32)> {
    let Shape::Script(dialect) = language::by_path(path).shape else {
        return None;
    };
    let Parsed::Tree(tree) = parse(&Grammar::of(dialect).language, source, budget) else {
        return None;
    };
    let around = tests_around(tree.root_node(), source, line.checked_sub(1)? as usize);
    let (title, node) = around.into_iter().next_back()?;
    let line_of = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    let (first, last) = (node.start_position().row, node.end_position().row);
    Some((joined(&[title])?, line_of(first), line_of(last)))
}

/// Returns the titles around a row, the outermost first.
fn titles_around(root: Node<'_>, source: &str, row: usize) -> Vec<String> {
    let around = tests_around(root, source, row).into_iter();
    around.map(|(title, _)| title).collect()
}

/// Returns the tests and groups around a row with their titles, the outermost first.
fn tests_around<'t>(root: Node<'t>, source: &str, row: usize) -> Vec<(String, Node<'t>)> {
    let mut titles = Vec::new();
    let mut node = root;
    let is_around =
        |node: &Node<'_>| (node.start_position().row..=node.end_position().row).contains(&row);
    loop {
        titles.extend(title(node, source).map(|title| (title, node)));
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).filter(is_around).collect();
        // Of several on one line the one that is a test.
        let next = children
            .iter()
            .max_by_key(|child| holds_test(**child, source));
        node = match next {
            Some(next) => *next,
            None => break,
        };
    }
    titles
}

/// Returns whether a node is a test, or a statement of nothing else.
fn holds_test(node: Node<'_>, source: &str) -> bool {
    title(node, source).is_some()
        || node.kind() == "expression_statement"
            && node
                .named_child(0)
                .is_some_and(|call| title(call, source).is_some())
}

/// Returns the title of a call that makes a test or a group.
fn title(node: Node<'_>, source: &str) -> Option<String> {
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

/// Joins titles from the outermost to the innermost; where they are too long the innermost is kept.
fn joined(titles: &[String]) -> Option<String> {
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

    use super::{MAX_LETTERS, test_title};
    use crate::model::{Budget, RepoPath};

    fn at(source: &str, line: u32) -> Option<String> {
        let path = RepoPath::new("a.spec.ts").unwrap();
        test_title(&path, source, &[line], &Budget::unlimited(Arc::default()))
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

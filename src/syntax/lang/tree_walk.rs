//! A walk over the nodes of a syntax tree, without recursion: code nests as deep as it likes.

use std::ops::ControlFlow;

use tree_sitter::{Node, Tree};

/// Visits a node and all below it in source order, each before its children, until `visit` breaks; returns the value that it
/// broke with. `Continue(false)` passes over the nodes below the one that is visited.
pub(in crate::syntax) fn each_node<'t, B>(
    root: Node<'t>,
    mut visit: impl FnMut(Node<'t>) -> ControlFlow<B, bool>,
) -> Option<B> {
    let mut cursor = root.walk();
    loop {
        match visit(cursor.node()) {
            ControlFlow::Break(found) => return Some(found),
            ControlFlow::Continue(goes_below) => {
                if goes_below && cursor.goto_first_child() {
                    continue;
                }
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

/// Visits the comments of a tree in source order: the nodes that `is_comment` names, each of which begins with `//` or `/*` in
/// `source`. Passes over all nodes without such a mark, most of a file.
pub(in crate::syntax) fn each_comment<'t>(
    root: Node<'t>,
    source: &str,
    is_comment: impl Fn(Node<'t>) -> bool,
    mut visit: impl FnMut(Node<'t>),
) {
    let bytes = source.as_bytes();
    let slashes = source.match_indices('/').map(|(at, _)| at);
    let mut marks = slashes
        .filter(|at| matches!(bytes.get(at + 1), Some(b'/' | b'*')))
        .peekable();
    each_node(root, |node| {
        let range = node.byte_range();
        while marks.next_if(|at| *at < range.start).is_some() {}
        let Some(mark) = marks.peek() else {
            return ControlFlow::Break(());
        };
        let mut goes_below = *mark < range.end;
        if goes_below && is_comment(node) {
            visit(node);
            goes_below = false;
        }
        ControlFlow::Continue(goes_below)
    });
}

/// Returns the number of bytes in errors of a tree.
pub(in crate::syntax) fn n_errors(tree: &Tree) -> usize {
    let mut n = 0;
    each_node(tree.root_node(), |node| {
        let is_error = node.is_error() || node.is_missing();
        if is_error {
            n += 1 + node.byte_range().len();
        }
        ControlFlow::<(), bool>::Continue(!is_error && node.has_error())
    });
    n
}

/// Returns whether a node is a word of the language: `type` in `import type { A } from 'm'`, not in `{ type: 1 }`.
pub(in crate::syntax) fn is_keyword(node: Node<'_>) -> bool {
    !node.is_named() && !node.is_missing() && node.kind().starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use tree_sitter::Parser;

    use super::{each_comment, each_node};

    #[test]
    fn comments_are_those_of_a_walk_over_all_nodes() {
        let source = "/* a */ class A { // b\n String s = \"http://x\"; /** c */ int f(int /* d */ n) { return n / 2; /* e */ } }\n// f";
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_java::LANGUAGE.into())
            .unwrap();
        let tree = parser.parse(source, None).unwrap();
        let mut all = Vec::new();
        each_node(tree.root_node(), |node| {
            if node.kind().ends_with("_comment") {
                all.push(node.byte_range());
            }
            std::ops::ControlFlow::<(), bool>::Continue(true)
        });
        let mut found = Vec::new();
        let is_comment = |node: tree_sitter::Node<'_>| node.kind().ends_with("_comment");
        each_comment(tree.root_node(), source, is_comment, |node| {
            found.push(node.byte_range());
        });
        assert_eq!(found.len(), 6);
        assert_eq!(found, all);
    }
}

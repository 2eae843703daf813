//! Ends of the heads of definitions: where does the body of `class Store extends Base {` begin?
//!
//! Facts keep the first bytes of a signature; who compares whole ones asks here.

use std::collections::VecDeque;

use tree_sitter::{Node, Tree};

use super::Language;
use super::lang::ecmascript::kinds::Grammar;
use super::lang::frontend;
use super::language::FileShape;
use super::parse::{Parsed, parse};
use crate::model::{Budget, Span};

/// Nodes that are looked at for the body of one definition.
const MAX_NODES: usize = 200;

/// The syntax tree of one file.
pub struct Heads {
    tree: Tree,
}

impl Heads {
    /// Parses a file; `None` for documents, components and other text, or where the budget ended.
    pub fn of(language: &Language, source: &str, budget: &Budget) -> Option<Self> {
        let parsed = match language.shape {
            FileShape::Script(dialect) => parse(&Grammar::of(dialect).language, source, budget),
            shape => frontend(shape)?.parse(source, budget),
        };
        match parsed {
            Parsed::Tree(tree) => Some(Self { tree }),
            Parsed::TooHard | Parsed::Ended => None,
        }
    }

    /// Returns the byte at which the body of the definition at `span` begins, the end of `span` where it has none.
    pub fn end(&self, span: &Span) -> Option<u32> {
        let (start, end) = (span.start_byte as usize, span.end_byte as usize);
        let root = self.tree.root_node();
        let outermost = root.descendant_for_byte_range(start, end)?;
        let mut next: VecDeque<Node<'_>> = VecDeque::from([outermost]);
        for _ in 0..MAX_NODES {
            let Some(node) = next.pop_front() else { break };
            // Overloads and their implementation are one definition, which is no node of its own.
            if node.end_byte() <= start || node.start_byte() >= end {
                continue;
            }
            if let Some(body) = node.child_by_field_name("body")
                && node.start_byte() >= start
                && body.end_byte() <= end
            {
                return u32::try_from(body.start_byte()).ok();
            }
            let mut cursor = node.walk();
            next.extend(node.named_children(&mut cursor));
        }
        u32::try_from(end).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Heads;
    use crate::model::Budget;
    use crate::syntax;

    /// Returns the head of each definition of a file.
    fn heads(path: &str, source: &str) -> Vec<String> {
        let path = crate::model::RepoPath::new(path).unwrap();
        let language = syntax::by_path(&path);
        let budget = Budget::unlimited(std::sync::Arc::default());
        let heads = Heads::of(language, source, &budget).unwrap();
        let symbols = syntax::extract(language, source, true, &budget)
            .unwrap()
            .facts
            .symbols;
        let each = symbols.iter().map(|symbol| {
            let end = heads.end(&symbol.span).unwrap() as usize;
            source[symbol.span.start_byte as usize..end]
                .trim()
                .to_owned()
        });
        each.collect()
    }

    #[test]
    fn a_head_ends_where_the_body_begins() {
        let source = "export function open(read = () => { return 1 }): { a: 1 } { return { a: 1 } }\n\
                      export const close = async (at: number) => { return at }\n\
                      class Store extends Base<{ a: 1 }> { size(): number { return 1 } }\n\
                      interface Row extends Base { a: 1 }\n";
        assert_eq!(
            heads("a.ts", source),
            [
                "export function open(read = () => { return 1 }): { a: 1 }",
                "export const close = async (at: number) =>",
                "class Store extends Base<{ a: 1 }>",
                "size(): number",
                "interface Row extends Base",
                "a: 1"
            ]
        );
        assert_eq!(
            heads(
                "a.py",
                "class A(B):\n    def put(self, key: str) -> int:\n        return 1\n"
            ),
            ["class A(B):", "def put(self, key: str) -> int:"]
        );
    }
}

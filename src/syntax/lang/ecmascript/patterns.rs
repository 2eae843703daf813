//! What a pattern takes out of a value: `{ a, b: [c] }`.
//!
//! Knows the way from the value to each name. Refuses to know what the value is.

use tree_sitter::Node;

use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::walk::{Frame, Walk};
use crate::ir::ExprId;

/// Names that a pattern may bind with a hint.
const PATTERN_NAMES: usize = 200;
/// Patterns inside patterns that are looked at.
const PATTERN_DEPTH: usize = 8;

impl<'a> Walk<'a> {
    /// Says of the names that a pattern takes out of a value where they come from.
    pub(super) fn pattern_hints(
        &mut self,
        pattern: Node<'_>,
        origin: ExprId,
        rank: Rank,
        owner: impl Fn(&'a str) -> Owner<'a>,
        frame: &Frame,
    ) {
        for (name, steps) in self.steps(pattern) {
            let origin = self.taken(origin, &steps);
            self.hint(owner(name), Some(origin), rank, frame);
        }
    }

    /// The names that a pattern takes out of a member whose type is written.
    pub(super) fn taken_apart(
        &mut self,
        pattern: Node<'_>,
        key: &str,
        found: Option<ExprId>,
        frame: &Frame,
    ) {
        let Some(origin) = found else { return };
        for (name, steps) in self.steps(pattern) {
            if steps.first() == Some(&Some(key)) {
                let origin = self.taken(origin, &steps[1..]);
                let owner = Owner::Binding(name, frame.scope);
                self.hint(owner, Some(origin), Rank::Written, frame);
            }
        }
    }

    /// `{ a = new A() }`
    pub(super) fn member_default(&mut self, node: Node<'_>, frame: &Frame) {
        let Some((left, right)) = self.sides(node) else {
            return;
        };
        let made = self.origin(right);
        let made = made.filter(|found| self.exprs.is_new(*found));
        if made.is_some() && self.grammar.kind(left) == Kind::ShorthandPattern {
            let owner = Owner::Assigned(self.text(left), frame.scope);
            self.hint(owner, made, Rank::Assigned, frame);
        }
    }

    /// Returns what some steps lead to from a value.
    fn taken(&mut self, value: ExprId, steps: &[Option<&str>]) -> ExprId {
        steps.iter().fold(value, |object, step| match step {
            Some(name) => self.exprs.member(object, name),
            None => self.exprs.element(object),
        })
    }

    /// Returns the names that a pattern binds, each with the steps from the value to it: names of members, `None` for an
    /// element.
    fn steps(&self, pattern: Node<'_>) -> Vec<(&'a str, Vec<Option<&'a str>>)> {
        let fields = &self.grammar.fields;
        let mut names = Vec::new();
        let mut open = vec![(pattern, Vec::new())];
        while let Some((node, steps)) = open.pop() {
            if names.len() >= PATTERN_NAMES || steps.len() > PATTERN_DEPTH {
                break;
            }
            let kind = self.grammar.kind(node);
            match kind {
                Kind::Identifier => names.push((self.text(node), steps)),
                Kind::ShorthandPattern => {
                    let mut steps = steps;
                    steps.push(Some(self.text(node)));
                    names.push((self.text(node), steps));
                }
                Kind::PairPattern => {
                    let key = node.child_by_field_id(fields.key);
                    let value = node.child_by_field_id(fields.value);
                    if let (Some(key), Some(value)) = (key, value)
                        && self.grammar.kind(key) == Kind::PropertyIdentifier
                    {
                        let mut steps = steps;
                        steps.push(Some(self.text(key)));
                        open.push((value, steps));
                    }
                }
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    open.extend(
                        node.child_by_field_id(fields.left)
                            .map(|left| (left, steps)),
                    );
                }
                Kind::ObjectPattern | Kind::ArrayPattern => {
                    let mut cursor = node.walk();
                    let from = open.len();
                    for child in node.named_children(&mut cursor) {
                        let mut steps = steps.clone();
                        if kind == Kind::ArrayPattern {
                            steps.push(None);
                        }
                        open.push((child, steps));
                    }
                    open[from..].reverse();
                }
                _ => {}
            }
        }
        names
    }
}

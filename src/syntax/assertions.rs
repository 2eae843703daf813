//! Assertions of Go that a type satisfies an interface: `var _ Store = (*Disk)(nil)`.
//!
//! Found by their syntax; what the names mean is told by whoever asks.

use tree_sitter::Node;

use super::Language;
use super::lang::frontend;
use super::language::FileShape;
use super::parse::{Parsed, parse};
use crate::model::Budget;

/// Steps from a value to the name of its type.
const MAX_STEPS: usize = 16;

/// An assertion, by the first bytes of the last names of both types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceAssertion {
    /// Its first byte.
    pub start: u32,
    /// Line, from 1.
    pub line: u32,
    /// The name of the interface.
    pub interface: u32,
    /// The name of the type.
    pub type_: u32,
}

/// Returns the assertions at the top of a file, in their order; none in other languages. `None` where the budget ended.
pub fn interface_assertions(
    language: &Language,
    source: &str,
    budget: &Budget,
) -> Option<Vec<InterfaceAssertion>> {
    // What no file of Go without one holds.
    if language.shape != FileShape::Go || !source.contains("_ ") {
        return Some(Vec::new());
    }
    let tree = match parse(frontend(language.shape)?.grammar(), source, budget) {
        Parsed::Tree(tree) => tree,
        Parsed::TooHard => return Some(Vec::new()),
        Parsed::Ended => return None,
    };
    let mut all = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "var_declaration" | "var_spec_list" => open.push(child),
                "var_spec" => all.extend(assertion(child, source)),
                _ => {}
            }
        }
    }
    all.sort_by_key(|it: &InterfaceAssertion| it.start);
    Some(all)
}

fn assertion(spec: Node<'_>, source: &str) -> Option<InterfaceAssertion> {
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
    let name = spec.child_by_field_name("name")?;
    let interface = name_of_type(spec.child_by_field_name("type")?, &text)?;
    let value = spec.child_by_field_name("value")?.named_child(0)?;
    let type_ = name_of_type(value, &text)?;
    let byte = |node: Node<'_>| u32::try_from(node.start_byte()).ok();
    (text(name) == "_").then_some(())?;
    Some(InterfaceAssertion {
        start: byte(spec)?,
        line: u32::try_from(spec.start_position().row).ok()? + 1,
        interface: byte(interface)?,
        type_: byte(type_)?,
    })
}

/// Returns the last name of a type, or of the type that a value is made of: `Disk` of `(*disk.Disk)(nil)`, `&Disk{}`, `new(Disk)`.
fn name_of_type<'t>(node: Node<'t>, text: &impl Fn(Node<'t>) -> &'t str) -> Option<Node<'t>> {
    let mut at = node;
    for _ in 0..MAX_STEPS {
        at = match at.kind() {
            "identifier" | "type_identifier" | "field_identifier" => return Some(at),
            "qualified_type" => at.child_by_field_name("name")?,
            "selector_expression" => at.child_by_field_name("field")?,
            "unary_expression" | "index_expression" => at.child_by_field_name("operand")?,
            "type_conversion_expression"
            | "composite_literal"
            | "generic_type"
            | "type_instantiation_expression" => at.child_by_field_name("type")?,
            "call_expression" => {
                let function = at.child_by_field_name("function")?;
                if text(function) == "new" {
                    at.child_by_field_name("arguments")?.named_child(0)?
                } else {
                    function
                }
            }
            "parenthesized_expression" | "parenthesized_type" | "pointer_type" | "type_elem" => {
                at.named_child(0)?
            }
            _ => return None,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::interface_assertions;
    use crate::model::{Budget, RepoPath};
    use crate::syntax::by_path;

    #[test]
    fn both_types_are_found() {
        let source = "package p\n\
            var _ Store = (*Disk)(nil)\n\
            var _ io.Closer = &disk.Disk{}\n\
            var (\n\
            \t_ Store = new(Disk)\n\
            \t_ Rows[int] = Disk{}\n\
            \tother Store = Disk{}\n\
            \t_ Store = Plain(0)\n\
            )\n\
            var _ = Disk{}\n\
            func f() { var _ Store = Disk{} }\n";
        let path = RepoPath::new("a.go").unwrap();
        let budget = Budget::unlimited(Arc::default());
        let found = interface_assertions(by_path(&path), source, &budget).unwrap();
        let word = |at: u32| {
            let rest = &source[at as usize..];
            let end = rest.find(|c: char| !c.is_alphanumeric());
            &rest[..end.unwrap_or(rest.len())]
        };
        let found: Vec<(u32, &str, &str)> = found
            .iter()
            .map(|it| (it.line, word(it.interface), word(it.type_)))
            .collect();
        let wanted = [
            (2, "Store", "Disk"),
            (3, "Closer", "Disk"),
            (5, "Store", "Disk"),
            (6, "Rows", "Disk"),
            (8, "Store", "Plain"),
        ];
        assert_eq!(found, wanted);
    }
}

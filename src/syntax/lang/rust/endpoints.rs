//! Functions and classes that Python calls, by the attributes of `PyO3`.
//!
//! The attributes: <https://pyo3.rs/main/function.html>, <https://pyo3.rs/main/module.html>, <https://pyo3.rs/main/class.html>.

use tree_sitter::Node;

use super::super::endpoints::{EndpointBuilder, each_node};
use crate::ir::{EndpointRole, FileFacts, python_module_key, python_native_key};

/// The attributes, each with whether its item is a module.
const ATTRIBUTES: [(&str, bool); 3] = [
    ("pyfunction", false),
    ("pyclass", false),
    ("pymodule", true),
];

/// Attributes of one item that are looked at.
const MAX_ATTRIBUTES: usize = 20;

/// Adds what a file offers to Python to its facts.
pub(super) fn add(source: &str, root: Node<'_>, facts: &mut FileFacts) {
    if !ATTRIBUTES.iter().any(|it| source.contains(it.0)) {
        return;
    }
    let mut items = Vec::new();
    each_node(root, |node| {
        if matches!(
            node.kind(),
            "function_item" | "struct_item" | "enum_item" | "mod_item"
        ) {
            items.push(node);
        }
    });
    let mut builder = EndpointBuilder::new(source, facts);
    for item in items {
        let attributes = attributes_of(&builder, item);
        let offered = ATTRIBUTES
            .iter()
            .find(|it| attributes.iter().any(|text| has_word(text, it.0)));
        let (Some((_, is_module)), Some(name)) = (offered, item.child_by_field_name("name")) else {
            continue;
        };
        let Some(symbol) = builder.defined_at(name) else {
            continue;
        };
        let given = attributes.iter().find_map(|text| given_name(text));
        let known = given.unwrap_or_else(|| builder.text(name));
        let key = if *is_module {
            python_module_key(known)
        } else {
            python_native_key(known)
        };
        builder.add(EndpointRole::Offer { key }, Some(symbol), item);
    }
}

/// Returns the attributes above an item.
fn attributes_of<'s>(builder: &EndpointBuilder<'s, '_>, item: Node<'_>) -> Vec<&'s str> {
    let mut found = Vec::new();
    let mut above = item.prev_sibling();
    while let Some(node) = above.filter(|_| found.len() < MAX_ATTRIBUTES) {
        match node.kind() {
            "attribute_item" => found.push(builder.text(node)),
            "line_comment" | "block_comment" => {}
            _ => break,
        }
        above = node.prev_sibling();
    }
    found
}

/// Whether a text has a word: `pyclass` of `#[cfg_attr(feature = "python", pyo3::pyclass(frozen))]`.
fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|it| it == word)
}

/// Returns the name that an attribute gives its item: `open` of `#[pyo3(name = "open")]`.
fn given_name(attribute: &str) -> Option<&str> {
    attribute.match_indices("name").find_map(|(at, word)| {
        let before = &attribute[..at];
        let value = attribute[at + word.len()..]
            .trim_start()
            .strip_prefix('=')?;
        let value = value.trim_start().strip_prefix('"')?;
        let is_whole = before.ends_with(|c: char| !c.is_alphanumeric() && c != '_');
        // Of `signature = (name = "x")` the name is that of a parameter.
        let (mut depth, mut opened) = (0_usize, None);
        for (place, c) in before.char_indices().rev() {
            match c {
                ')' => depth += 1,
                '(' if depth == 0 => {
                    opened = Some(place);
                    break;
                }
                '(' => depth -= 1,
                _ => {}
            }
        }
        let head = before[..opened?].trim_end();
        let is_of_python = ["pyo3", "pyclass", "pyfunction", "pymodule"];
        let is_name = is_whole && is_of_python.iter().any(|it| head.ends_with(it));
        is_name.then(|| value.split('"').next()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::given_name;

    #[test]
    fn an_attribute_gives_a_name() {
        for (attribute, name) in [
            ("#[pyo3(name = \"open\")]", Some("open")),
            ("#[pyclass(frozen, name=\"Row\")]", Some("Row")),
            ("#[pyclass(rename = \"x\", qualname = \"y\")]", None),
            ("#[serde(name = \"x\")]", None),
            ("#[pyo3(signature = (path, name = \"main\"))]", None),
            (
                "#[cfg_attr(feature = \"py\", pyo3(name = \"open\"))]",
                Some("open"),
            ),
            ("#[pyfunction]", None),
        ] {
            assert_eq!(given_name(attribute), name, "{attribute}");
        }
    }
}

//! Routes of Spring, and methods that functions of C stand behind (JNI).

use tree_sitter::Node;

use super::super::endpoints::{
    EndpointBuilder, MAX_NESTING, RouteAt, children, each_node, fields, method_of_word, route_path,
};
use crate::ir::{EndpointRole, FileFacts, LINKAGE_KEY, LinkageReach, Router};
use crate::model::SymbolKind;

/// Annotations of methods in Spring that say a path, with the method of HTTP; empty where an argument says it.
const MAPPINGS: [(&str, &str); 6] = [
    ("GetMapping", "GET"),
    ("PostMapping", "POST"),
    ("PutMapping", "PUT"),
    ("PatchMapping", "PATCH"),
    ("DeleteMapping", "DELETE"),
    ("RequestMapping", ""),
];

struct EndpointReader<'s, 'f> {
    builder: EndpointBuilder<'s, 'f>,
}

/// Adds the endpoints of a compilation unit to its facts.
pub(super) fn add(source: &str, root: Node<'_>, facts: &mut FileFacts) {
    let has_routes = source.contains("Mapping(") || source.contains("Mapping\n");
    let has_natives = source.contains(" native ");
    if !has_routes && !has_natives {
        return;
    }
    let mut classes = Vec::new();
    let mut natives = Vec::new();
    each_node(root, |node| match node.kind() {
        "class_declaration" if has_routes => classes.push(node),
        "method_declaration" if has_natives => natives.push(node),
        _ => {}
    });
    let builder = EndpointBuilder::new(source, facts);
    let mut reader = EndpointReader { builder };
    for class in classes {
        reader.controller(class);
    }
    for method in natives {
        reader.native(method);
    }
}

impl<'s> EndpointReader<'s, '_> {
    fn text(&self, node: Node<'_>) -> &'s str {
        self.builder.text(node)
    }

    /// Returns the annotations of a declaration, with their names.
    fn annotations<'t>(&self, declaration: Node<'t>) -> Vec<(&'s str, Node<'t>)> {
        let modifiers = children(declaration)
            .into_iter()
            .find(|it| it.kind() == "modifiers");
        let all = modifiers.map(children).unwrap_or_default().into_iter();
        let all = all.filter(|it| matches!(it.kind(), "annotation" | "marker_annotation"));
        all.filter_map(|it| Some((self.text(it.child_by_field_name("name")?), it)))
            .collect()
    }

    /// Returns an argument of an annotation by one of its names; `value` is also the one without a name.
    fn argument<'t>(&self, annotation: Node<'t>, names: &[&str]) -> Option<Node<'t>> {
        let list = annotation.child_by_field_name("arguments")?;
        children(list).into_iter().find_map(|it| {
            if it.kind() != "element_value_pair" {
                return names.contains(&"value").then_some(it);
            }
            let (key, value) = fields(it, "key", "value")?;
            names.contains(&self.text(key)).then_some(value)
        })
    }

    /// Returns the texts of an argument: one, or those of a list; an empty one where it is not given. `None` where one is computed.
    fn texts(&self, value: Option<Node<'_>>) -> Option<Vec<String>> {
        match value {
            Some(value) => self.texts_of(value, 0),
            None => Some(vec![String::new()]),
        }
    }

    fn texts_of(&self, value: Node<'_>, depth: usize) -> Option<Vec<String>> {
        match value.kind() {
            _ if depth > MAX_NESTING => None,
            "string_literal" => {
                let text = self.text(value).trim_matches('"');
                (!text.contains(['\\', '$'])).then(|| vec![text.to_owned()])
            }
            "element_value_array_initializer" => {
                let all = children(value).into_iter();
                let all = all.map(|it| self.texts_of(it, depth + 1));
                let all: Option<Vec<Vec<String>>> = all.collect();
                Some(all?.concat())
            }
            _ => None,
        }
    }

    fn controller(&mut self, class: Node<'_>) {
        let annotations = self.annotations(class);
        let is_controller = |it: &(&str, Node<'_>)| matches!(it.0, "RestController" | "Controller");
        if !annotations.iter().any(is_controller) {
            return;
        }
        let mapping = annotations.iter().find(|it| it.0 == "RequestMapping");
        let prefixes = match mapping {
            None => vec![String::new()],
            Some((_, mapping)) => match self.texts(self.argument(*mapping, &["value", "path"])) {
                Some(prefixes) => prefixes.iter().filter_map(|it| route_path(it)).collect(),
                None => return,
            },
        };
        let Some(body) = class.child_by_field_name("body") else {
            return;
        };
        for method in children(body) {
            if method.kind() != "method_declaration" {
                continue;
            }
            let name = method.child_by_field_name("name");
            let Some(symbol) = name.and_then(|it| self.builder.defined_at(it)) else {
                continue;
            };
            for (name, annotation) in self.annotations(method) {
                let Some((_, verb)) = MAPPINGS.iter().find(|it| it.0 == name) else {
                    continue;
                };
                let verbs = if verb.is_empty() {
                    self.verbs(annotation)
                } else {
                    vec![*verb]
                };
                let paths = self.texts(self.argument(annotation, &["value", "path"]));
                for path in paths.unwrap_or_default() {
                    for prefix in &prefixes {
                        if self.builder.is_full() {
                            return;
                        }
                        for method in &verbs {
                            let route = RouteAt {
                                method,
                                prefix,
                                path: &path,
                                router: Router::Root,
                                handler: None,
                                symbol: Some(symbol),
                            };
                            self.builder.add_route(route, annotation);
                        }
                    }
                }
            }
        }
    }

    /// The methods of `@RequestMapping(method = RequestMethod.GET)`; without, every method.
    fn verbs(&self, annotation: Node<'_>) -> Vec<&'static str> {
        let Some(value) = self.argument(annotation, &["method"]) else {
            return vec![""];
        };
        let words = match value.kind() {
            "element_value_array_initializer" => children(value),
            _ => vec![value],
        };
        let last = |it: Node<'_>| self.text(it).rsplit('.').next().unwrap_or_default();
        words
            .into_iter()
            .filter_map(|it| method_of_word(last(it)))
            .collect()
    }

    /// `static native long open(String path);` → `Java_org_rocksdb_RocksDB_open`
    fn native(&mut self, method: Node<'_>) {
        let modifiers = children(method)
            .into_iter()
            .find(|it| it.kind() == "modifiers");
        let is_native =
            modifiers.is_some_and(|it| self.text(it).split_whitespace().any(|it| it == "native"));
        let Some(name) = method.child_by_field_name("name").filter(|_| is_native) else {
            return;
        };
        let Some(symbol) = self.builder.defined_at(name) else {
            return;
        };
        let facts = &self.builder.facts;
        let own = &facts.symbols[symbol as usize];
        let package = facts.units.first().map_or("", String::as_str);
        let mut class = Vec::new();
        let mut around = own.parent;
        while let Some(at) = around {
            class.insert(0, facts.symbols[at as usize].name.as_str());
            around = facts.symbols[at as usize].parent;
        }
        let mut path = package.replace('.', "/");
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(&class.join("$"));
        let mut function = format!("Java_{}_{}", mangled(&path), mangled(&own.name));
        let is_overloaded = facts.symbols.iter().enumerate().any(|(at, it)| {
            at != symbol as usize
                && it.parent == own.parent
                && it.kind == SymbolKind::Method
                && it.name == own.name
                && it.signature.contains("native ")
        });
        if is_overloaded {
            let Some(types) = self.descriptor(method) else {
                return;
            };
            function.push_str("__");
            function.push_str(&mangled(&types));
        }
        let role = EndpointRole::Use {
            key: format!("{LINKAGE_KEY}{function}"),
            reach: LinkageReach::Repository,
        };
        self.builder.add(role, Some(symbol), name);
    }

    /// Returns the descriptor of the parameters of a method, as far as their types are those of the language: `JLjava/lang/String;`.
    fn descriptor(&self, method: Node<'_>) -> Option<String> {
        let mut out = String::new();
        for parameter in children(method.child_by_field_name("parameters")?) {
            if parameter.kind() != "formal_parameter" {
                return None;
            }
            let mut written = self.text(parameter.child_by_field_name("type")?);
            while let Some(element) = written.strip_suffix("[]") {
                out.push('[');
                written = element.trim_end();
            }
            out.push_str(match written {
                "boolean" => "Z",
                "byte" => "B",
                "char" => "C",
                "short" => "S",
                "int" => "I",
                "long" => "J",
                "float" => "F",
                "double" => "D",
                "String" => "Ljava/lang/String;",
                "Object" => "Ljava/lang/Object;",
                _ => return None,
            });
        }
        Some(out)
    }
}

/// Returns a name as JNI writes it in that of a function: `a_b/C` → `a_1b_C`.
fn mangled(name: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for unit in name.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'/') => out.push('_'),
            Ok(b'_') => out.push_str("_1"),
            Ok(b';') => out.push_str("_2"),
            Ok(b'[') => out.push_str("_3"),
            Ok(byte) if byte.is_ascii_alphanumeric() => out.push(byte.into()),
            _ => {
                let _ = write!(out, "_0{unit:04x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::mangled;

    #[test]
    fn names_of_native_functions_are_mangled() {
        assert_eq!(mangled("org/a_b/C$D"), "org_a_1b_C_00024D");
        assert_eq!(mangled("[JLjava/lang/String;"), "_3JLjava_lang_String_2");
    }
}

//! Values that a script writes out: the literals of a configuration file that nothing has to be run for.
//!
//! Follows constants of the file, spreads, `path.join(__dirname, …)` and its like. Anything else that is computed is
//! [`Literal::Unknown`].

use std::collections::HashMap;

use tree_sitter::Node;

use super::lang::ecmascript::kinds::Grammar;
use super::language::{self, FileShape};
use super::parse::{Parsed, parse};
use crate::model::path::parent;
use crate::model::{Budget, RepoPath};

/// Nodes that one file's values are made of.
const MAX_NODES: u32 = 20_000;

/// Levels of values in one another, the values of names counted in.
const MAX_DEPTH: u32 = 40;

/// A value as it is written. Paths are absolute, `/` standing for the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// `'a'`, `` `a` ``, `path.join(__dirname, 'a')`.
    Text(String),
    /// The source of a regular expression.
    Pattern(String),
    /// `true`, `false`.
    Flag(bool),
    /// `[a, b]`.
    List(Vec<Literal>),
    /// `{ a: b }`, later members over earlier ones.
    Object(Vec<(String, Literal)>),
    /// `...a` in a list.
    Spread(Box<Literal>),
    /// One of several: `a ? b : c`.
    Either(Vec<Literal>),
    /// A name or a member of one that the file does not define: `configDefaults.exclude`.
    Name(String),
    /// Anything else.
    Unknown,
}

impl Literal {
    /// Returns the member `name` of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let mut found = members.iter().rev().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value)
    }

    /// Returns the text of a text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Returns the objects and lists of a script that are in no other one, in the order they are written; none where the file is
/// no script or can't be parsed. Costs its parsing.
pub fn literals(path: &RepoPath, source: &str, budget: &Budget) -> Vec<Literal> {
    let FileShape::Script(dialect) = language::by_path(path).shape else {
        return Vec::new();
    };
    let Parsed::Tree(tree) = parse(&Grammar::of(dialect).language, source, budget) else {
        return Vec::new();
    };
    let mut reader = LiteralReader {
        source,
        directory: format!("/{}", parent(path.as_str())),
        constants: HashMap::new(),
        left: MAX_NODES,
    };
    let mut found = Vec::new();
    reader.constants(tree.root_node());
    reader.outermost(tree.root_node(), &mut found);
    found
}

struct LiteralReader<'a, 't> {
    source: &'a str,
    directory: String,
    /// The values of `const a = …`, at whatever level they are.
    constants: HashMap<&'a str, Node<'t>>,
    left: u32,
}

impl<'a, 't> LiteralReader<'a, 't> {
    fn of(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn constants(&mut self, root: Node<'t>) {
        let mut open = vec![root];
        let mut n_seen = 0_u32;
        while let Some(node) = open.pop() {
            n_seen += 1;
            if n_seen > MAX_NODES {
                return;
            }
            if node.kind() == "variable_declarator"
                && let (Some(name), Some(value)) = (field(node, "name"), field(node, "value"))
                && name.kind() == "identifier"
            {
                let name = self.of(name);
                self.constants.insert(name, value);
            }
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor));
        }
    }

    fn outermost(&mut self, root: Node<'t>, found: &mut Vec<Literal>) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            if matches!(node.kind(), "object" | "array") {
                found.push(self.value(node, MAX_DEPTH));
                continue;
            }
            let mut cursor = node.walk();
            let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
            open.extend(children.into_iter().rev());
        }
    }

    fn value(&mut self, node: Node<'t>, depth: u32) -> Literal {
        let (Some(left), Some(depth)) = (self.left.checked_sub(1), depth.checked_sub(1)) else {
            return Literal::Unknown;
        };
        self.left = left;
        match node.kind() {
            "string" => Literal::Text(unescaped(self.of(node))),
            "template_string" => self.template(node, depth),
            "regex" => field(node, "pattern").map_or(Literal::Unknown, |pattern| {
                Literal::Pattern(self.of(pattern).to_owned())
            }),
            "true" => Literal::Flag(true),
            "false" => Literal::Flag(false),
            "array" => {
                let children = children(node);
                let values = children.into_iter().map(|child| match child.kind() {
                    "spread_element" => Literal::Spread(Box::new(self.first_of(child, depth))),
                    _ => self.value(child, depth),
                });
                Literal::List(values.collect())
            }
            "object" => self.object(node, depth),
            "identifier" | "member_expression" => self.referenced_value(node, depth),
            "call_expression" | "new_expression" => self.call(node, depth),
            "ternary_expression" => {
                let mut branch = |name| {
                    field(node, name).map_or(Literal::Unknown, |branch| self.value(branch, depth))
                };
                Literal::Either(vec![branch("consequence"), branch("alternative")])
            }
            "binary_expression" => self.binary(node, depth),
            "arrow_function" | "function_expression" => {
                field(node, "body").map_or(Literal::Unknown, |body| self.value(body, depth))
            }
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "await_expression" => self.first_of(node, depth),
            _ => Literal::Unknown,
        }
    }

    fn first_of(&mut self, node: Node<'t>, depth: u32) -> Literal {
        match children(node).first() {
            Some(first) => self.value(*first, depth),
            None => Literal::Unknown,
        }
    }

    fn template(&mut self, node: Node<'t>, depth: u32) -> Literal {
        let mut text = String::new();
        for part in children(node) {
            match part.kind() {
                "template_substitution" => match self.first_of(part, depth) {
                    Literal::Text(inner) => text.push_str(&inner),
                    _ => return Literal::Unknown,
                },
                "escape_sequence" => text.push_str(&unescaped(&format!("'{}'", self.of(part)))),
                _ => text.push_str(self.of(part)),
            }
        }
        Literal::Text(text)
    }

    fn object(&mut self, node: Node<'t>, depth: u32) -> Literal {
        let mut members = Vec::new();
        for child in children(node) {
            match child.kind() {
                "pair" => {
                    let (Some(key), Some(value)) = (field(child, "key"), field(child, "value"))
                    else {
                        continue;
                    };
                    let name = match key.kind() {
                        "string" => unescaped(self.of(key)),
                        _ => self.of(key).to_owned(),
                    };
                    members.push((name, self.value(value, depth)));
                }
                "shorthand_property_identifier" => {
                    members.push((
                        self.of(child).to_owned(),
                        self.referenced_value(child, depth),
                    ));
                }
                "spread_element" => {
                    if let Literal::Object(inner) = self.first_of(child, depth) {
                        members.extend(inner);
                    }
                }
                _ => {}
            }
        }
        Literal::Object(members)
    }

    fn referenced_value(&mut self, node: Node<'t>, depth: u32) -> Literal {
        let name = self.of(node);
        match name {
            "__dirname" | "import.meta.dirname" => return Literal::Text(self.directory.clone()),
            // Its parent is the directory.
            "__filename" | "import.meta.filename" | "import.meta.url" => {
                return Literal::Text(join(&self.directory, "config"));
            }
            _ => {}
        }
        if let Some(value) = self.constants.get(name).copied() {
            return self.value(value, depth);
        }
        let object = field(node, "object").zip(field(node, "property"));
        if let Some((object, property)) = object
            && let Literal::Object(members) = self.value(object, depth)
        {
            let property = self.of(property);
            let known = Literal::Object(members);
            return known.get(property).cloned().unwrap_or(Literal::Unknown);
        }
        Literal::Name(name.to_owned())
    }

    fn binary(&mut self, node: Node<'t>, depth: u32) -> Literal {
        let operator = field(node, "operator").map_or("", |operator| self.of(operator));
        let mut side =
            |name| field(node, name).map_or(Literal::Unknown, |side| self.value(side, depth));
        let (left, right) = (side("left"), side("right"));
        match (operator, left, right) {
            ("+", Literal::Text(left), Literal::Text(right)) => Literal::Text(left + &right),
            ("&&", _, right) => Literal::Either(vec![right]),
            ("||" | "??", left, right) => Literal::Either(vec![left, right]),
            _ => Literal::Unknown,
        }
    }

    /// Reads the calls that make paths. Of any other call the objects among its arguments are its value, the later over the
    /// earlier: `defineConfig({ … })`.
    fn call(&mut self, node: Node<'t>, depth: u32) -> Literal {
        let callee = field(node, "function").or_else(|| field(node, "constructor"));
        let callee = callee.map_or("", |callee| self.of(callee));
        let arguments = field(node, "arguments").map(children).unwrap_or_default();
        let values: Vec<Literal> = arguments
            .into_iter()
            .map(|argument| self.value(argument, depth))
            .collect();
        let texts: Option<Vec<&str>> = values.iter().map(Literal::text).collect();
        let name = callee.rsplit('.').next().unwrap_or(callee);
        if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
            let whole = |from: &str| {
                texts
                    .iter()
                    .fold(from.to_owned(), |at, text| join(&at, text))
            };
            let path = match (name, texts.as_slice()) {
                ("resolve", _) => Some(whole(&self.directory)),
                ("join", [first, ..]) if first.starts_with('/') => {
                    let rest = texts[1..].iter();
                    Some(rest.fold((*first).to_owned(), |at, text| {
                        join(&at, text.trim_start_matches('/'))
                    }))
                }
                ("join", _) => Some(texts.join("/")),
                ("dirname", [path]) => Some(join(path, "..")),
                ("URL", [path, from]) => Some(join(&join(from, ".."), path)),
                ("fileURLToPath" | "normalize" | "normalizePath" | "toString", [path]) => {
                    Some((*path).to_owned())
                }
                _ => None,
            };
            if let Some(path) = path {
                return Literal::Text(path);
            }
        }
        if callee == "process.cwd" {
            return Literal::Text(self.directory.clone());
        }
        let mut members = Vec::new();
        let mut is_object = false;
        for value in values {
            match value {
                Literal::Object(more) => {
                    is_object = true;
                    members.extend(more);
                }
                Literal::List(list) if callee.starts_with("define") => return Literal::List(list),
                _ => {}
            }
        }
        if is_object {
            Literal::Object(members)
        } else {
            Literal::Unknown
        }
    }
}

/// Joins `path` to the absolute path `from`, unless it is absolute itself.
fn join(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = if path.starts_with('/') {
        Vec::new()
    } else {
        from.split('/').filter(|part| !part.is_empty()).collect()
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let all = node.named_children(&mut cursor);
    all.filter(|child| child.kind() != "comment").collect()
}

/// Returns the text of a string without its quotes. Of the escapes those that paths and patterns need are read.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    chars.next();
    chars.next_back();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|c| match c {
                'n' => '\n',
                't' => '\t',
                c => c,
            })),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Literal, literals};
    use crate::model::{Budget, RepoPath};

    fn read(source: &str) -> Vec<Literal> {
        let path = RepoPath::new("web/vitest.config.ts").unwrap();
        literals(&path, source, &Budget::unlimited(Arc::default()))
    }

    #[test]
    fn constants_spreads_and_paths_are_followed() {
        let source = "const base = path.join(__dirname, '..');
            const more = ['a', 'b'];
            const shared = { c: /x\\.ts$/ };
            export default defineConfig(() => ({
              testDir: path.join(base, 'e2e'), url: fileURLToPath(new URL('./src', import.meta.url)),
              list: [...more, ...defaults.exclude, `${base}/z`], ...shared, base,
              one: process.env.CI ? 'x' : 'y', computed: make(),
            }));";
        let found = read(source);
        let config = found.last().unwrap();
        let text = |name: &str| config.get(name).and_then(Literal::text).unwrap_or("?");
        assert_eq!(text("testDir"), "/e2e");
        assert_eq!(text("url"), "/web/src");
        assert_eq!(text("base"), "/");
        assert_eq!(
            config.get("c"),
            Some(&Literal::Pattern("x\\.ts$".to_owned()))
        );
        assert_eq!(config.get("computed"), Some(&Literal::Unknown));
        let Some(Literal::List(list)) = config.get("list") else {
            panic!("{config:?}");
        };
        assert_eq!(list.len(), 3);
        let Literal::Spread(defaults) = &list[1] else {
            panic!("{list:?}");
        };
        assert_eq!(**defaults, Literal::Name("defaults.exclude".to_owned()));
        assert!(matches!(config.get("one"), Some(Literal::Either(both)) if both.len() == 2));
    }

    #[test]
    fn values_that_contain_themselves_end() {
        for source in [
            "const a = [...a, b]; const b = { b };",
            "const a = { ...a, x: a.x }; module.exports = { a };",
            "export default {{{{",
            "const a = `${a}`; f([a]);",
        ] {
            read(source);
        }
        let deep = format!("f({}{})", "[".repeat(5_000), "]".repeat(5_000));
        read(&deep);
        let wide = "const a = [1,1]; ".to_owned()
            + &(0..30).fold(String::new(), |all, n| {
                format!("{all}const a{} = [...a{n}, ...a{n}];", n + 1)
            });
        read(&wide.replace("a0", "a"));
    }
}

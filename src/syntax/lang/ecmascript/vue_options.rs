//! The names that a component of Vue gives to its template: its options (`methods`, `data`, `setup()` …) and the
//! properties that `defineProps` declares.
//!
//! Reads the syntax tree of a script that was walked. Does not know templates; see `component`.

use tree_sitter::Node;

use super::kinds::Kind;
use super::occurrences::PositionedScript;

/// Levels of calls and casts around an object or a macro that are looked through.
const MAX_LEVELS: usize = 4;

/// The names of one script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::syntax) struct VueOptions {
    /// Names of the instance, from the options.
    pub(in crate::syntax) members: Vec<(String, VueMember)>,
    /// Names of elements, each with the name of the file for it: `components: { 'foo-bar': Foo }`.
    pub(in crate::syntax) components: Vec<(String, String)>,
    /// Names that `defineProps` declares.
    pub(in crate::syntax) props: Vec<String>,
}

/// The kind of a name of the instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::syntax) enum VueMember {
    /// A definition in the options, by its qualified name: `default.methods.load`.
    Definition(String),
    /// A name of the file: `setup() { return { load } }` with an imported `load`.
    FileName(String),
    /// A value of the instance alone: a property, a field of `data()`.
    Value,
}

impl PositionedScript {
    /// Returns the names that the script gives to a template. `source` is the text that was parsed.
    pub(in crate::syntax) fn vue_options(&self, source: &str) -> VueOptions {
        let mut found = VueOptions::default();
        let Some(tree) = &self.tree else {
            return found;
        };
        let reader = VueOptionsReader {
            script: self,
            source,
            root: tree.root_node(),
        };
        let mut cursor = reader.root.walk();
        for statement in reader.root.named_children(&mut cursor) {
            match self.grammar.kind(statement) {
                Kind::ExportStatement => {
                    let value = statement.child_by_field_id(self.grammar.fields.value);
                    if let Some(options) = value.and_then(|value| reader.object(value, 0)) {
                        reader.options(options, &mut found);
                    }
                }
                Kind::ExpressionStatement | Kind::LexicalDeclaration => {
                    if let Some(call) = reader.call_of(statement, "defineProps", 0) {
                        reader.props(call, &mut found.props);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

struct VueOptionsReader<'t> {
    script: &'t PositionedScript,
    source: &'t str,
    root: Node<'t>,
}

impl<'t> VueOptionsReader<'t> {
    fn kind(&self, node: Node<'_>) -> Kind {
        self.script.grammar.kind(node)
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn children(node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).collect()
    }

    /// Returns the object that is a value, or that the call or cast in its place is given: `defineComponent({})`.
    fn object(&self, value: Node<'t>, level: usize) -> Option<Node<'t>> {
        if level > MAX_LEVELS {
            return None;
        }
        let fields = &self.script.grammar.fields;
        let inner = match self.kind(value) {
            Kind::Object => return Some(value),
            Kind::CallExpression => value.child_by_field_id(fields.arguments)?.named_child(0)?,
            Kind::AsExpression | Kind::Satisfies | Kind::Parenthesized => value.named_child(0)?,
            _ => return None,
        };
        self.object(inner, level + 1)
    }

    /// Returns the members of an object: their keys and values; no value for a method or a shorthand.
    fn members(&self, object: Node<'t>) -> Vec<(&'t str, Node<'t>, Option<Node<'t>>)> {
        let fields = &self.script.grammar.fields;
        let member = |node: Node<'t>| match self.kind(node) {
            Kind::Pair => {
                let key = node.child_by_field_id(fields.key)?;
                let key = self.text(key).trim_matches(['"', '\'']);
                Some((key, node, node.child_by_field_id(fields.value)))
            }
            Kind::MethodDefinition => {
                let name = node.child_by_field_id(fields.name)?;
                Some((self.text(name), node, None))
            }
            Kind::Shorthand => Some((self.text(node), node, None)),
            _ => None,
        };
        Self::children(object)
            .into_iter()
            .filter_map(member)
            .collect()
    }

    fn options(&self, options: Node<'t>, found: &mut VueOptions) {
        for (key, node, value) in self.members(options) {
            match (key, value) {
                ("components", Some(value)) if self.kind(value) == Kind::Object => {
                    for (name, node, value) in self.members(value) {
                        let named = match value {
                            Some(value) if self.kind(value) == Kind::Identifier => self.text(value),
                            None if self.kind(node) == Kind::Shorthand => name,
                            _ => continue,
                        };
                        found.components.push((name.to_owned(), named.to_owned()));
                    }
                }
                ("methods" | "computed", Some(value)) if self.kind(value) == Kind::Object => {
                    for (name, node, value) in self.members(value) {
                        let path = format!("default.{key}.{name}");
                        let member = self.member(&path, name, node, value);
                        found.members.push((name.to_owned(), member));
                    }
                }
                ("props" | "inject", Some(value)) => {
                    let names = self.keys(value).into_iter();
                    let values = names.map(|name| (name.to_owned(), VueMember::Value));
                    found.members.extend(values);
                }
                ("data", _) => {
                    let returned = self.returned(value.unwrap_or(node));
                    for (name, ..) in returned.map_or_else(Vec::new, |it| self.members(it)) {
                        found.members.push((name.to_owned(), VueMember::Value));
                    }
                }
                ("setup", _) => self.setup(value.unwrap_or(node), found),
                _ => {}
            }
        }
    }

    fn member(&self, path: &str, name: &str, node: Node<'t>, value: Option<Node<'t>>) -> VueMember {
        let symbols = &self.script.script.facts.symbols;
        if symbols.iter().any(|symbol| symbol.qualified_name == path) {
            return VueMember::Definition(path.to_owned());
        }
        match value {
            Some(value) if self.kind(value) == Kind::Identifier => {
                VueMember::FileName(self.text(value).to_owned())
            }
            None if self.kind(node) == Kind::Shorthand => VueMember::FileName(name.to_owned()),
            _ => VueMember::Value,
        }
    }

    /// The names that `setup()` returns: its own definitions and variables, or names of the file.
    fn setup(&self, function: Node<'t>, found: &mut VueOptions) {
        let Some(returned) = self.returned(function) else {
            return;
        };
        let locals = self.locals(function);
        for (name, node, value) in self.members(returned) {
            let inner = match value {
                Some(value) if self.kind(value) == Kind::Identifier => self.text(value),
                None if self.kind(node) == Kind::Shorthand => name,
                _ => {
                    found.members.push((name.to_owned(), VueMember::Value));
                    continue;
                }
            };
            let path = format!("default.setup.{inner}");
            let symbols = &self.script.script.facts.symbols;
            let member = if symbols.iter().any(|symbol| symbol.qualified_name == path) {
                VueMember::Definition(path)
            } else if locals.contains(&inner) {
                VueMember::Value
            } else {
                VueMember::FileName(inner.to_owned())
            };
            found.members.push((name.to_owned(), member));
        }
    }

    fn body(&self, function: Node<'t>) -> Option<Node<'t>> {
        function.child_by_field_id(self.script.grammar.fields.body)
    }

    /// Returns the object that a function returns at its end.
    fn returned(&self, function: Node<'t>) -> Option<Node<'t>> {
        let body = self.body(function)?;
        if self.kind(body) != Kind::StatementBlock {
            return self.object(body, 0);
        }
        let mut statements = Self::children(body).into_iter();
        let returned = statements.rfind(|it| self.kind(*it) == Kind::ReturnStatement)?;
        self.object(returned.named_child(0)?, 0)
    }

    /// Returns the names that a function binds: parameters and variables.
    fn locals(&self, function: Node<'t>) -> Vec<&'t str> {
        let fields = &self.script.grammar.fields;
        let mut open: Vec<Node<'t>> = Vec::new();
        open.extend(function.child_by_field_id(fields.parameters));
        for statement in self.body(function).map_or_else(Vec::new, Self::children) {
            match self.kind(statement) {
                Kind::LexicalDeclaration | Kind::VariableDeclaration => {
                    let all = Self::children(statement);
                    open.extend(
                        all.iter()
                            .filter_map(|it| it.child_by_field_id(fields.name)),
                    );
                }
                Kind::FunctionDeclaration | Kind::ClassDeclaration => {
                    open.extend(statement.child_by_field_id(fields.name));
                }
                _ => {}
            }
        }
        let mut names = Vec::new();
        while let Some(node) = open.pop() {
            if matches!(
                self.kind(node),
                Kind::Identifier | Kind::ShorthandPattern | Kind::TypeIdentifier
            ) {
                names.push(self.text(node));
            } else {
                open.extend(Self::children(node));
            }
        }
        names
    }

    /// Returns the names in a list of strings, the keys of an object.
    fn keys(&self, value: Node<'t>) -> Vec<&'t str> {
        match self.object(value, 0) {
            Some(object) => self.members(object).into_iter().map(|it| it.0).collect(),
            None => Self::children(value)
                .into_iter()
                .filter(|it| self.kind(*it) == Kind::Str)
                .map(|it| self.text(it).trim_matches(['"', '\'']))
                .collect(),
        }
    }

    /// Returns a call of a function in a statement, through declarations and other calls.
    fn call_of(&self, node: Node<'t>, name: &str, level: usize) -> Option<Node<'t>> {
        if level > MAX_LEVELS {
            return None;
        }
        let fields = &self.script.grammar.fields;
        let kind = self.kind(node);
        if kind == Kind::CallExpression {
            let callee = node.child_by_field_id(fields.function)?;
            if self.text(callee) == name {
                return Some(node);
            }
            let arguments = node.child_by_field_id(fields.arguments)?;
            return self.call_of(arguments.named_child(0)?, name, level + 1);
        }
        match kind {
            Kind::VariableDeclarator => {
                self.call_of(node.child_by_field_id(fields.value)?, name, level + 1)
            }
            Kind::ExpressionStatement | Kind::LexicalDeclaration => {
                let mut children = Self::children(node).into_iter();
                children.find_map(|child| self.call_of(child, name, level + 1))
            }
            _ => None,
        }
    }

    /// The names that `defineProps` is given, as a value or as a type.
    fn props(&self, call: Node<'t>, props: &mut Vec<String>) {
        let fields = &self.script.grammar.fields;
        if let Some(value) = call
            .child_by_field_id(fields.arguments)
            .and_then(|arguments| arguments.named_child(0))
        {
            props.extend(self.keys(value).into_iter().map(str::to_owned));
        }
        let types = call.child_by_field_id(fields.type_arguments);
        let mut open: Vec<Node<'t>> = types.into_iter().collect();
        let mut seen: Vec<&str> = Vec::new();
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::PropertySignature | Kind::MethodSignature => {
                    let name = node.child_by_field_id(fields.name);
                    let name = name.map(|name| self.text(name).trim_matches(['"', '\'']));
                    props.extend(name.map(str::to_owned));
                }
                Kind::TypeIdentifier if !seen.contains(&self.text(node)) => {
                    seen.push(self.text(node));
                    open.extend(self.type_body(self.text(node)));
                }
                _ => open.extend(Self::children(node)),
            }
        }
    }

    /// Returns the members of an interface or a type of the file.
    fn type_body(&self, name: &str) -> Vec<Node<'t>> {
        let fields = &self.script.grammar.fields;
        let mut found = Vec::new();
        for statement in Self::children(self.root) {
            let inner = statement.child_by_field_id(fields.declaration);
            let node = inner.unwrap_or(statement);
            let own = node.child_by_field_id(fields.name);
            if matches!(self.kind(node), Kind::Interface | Kind::TypeAlias)
                && own.is_some_and(|own| self.text(own) == name)
            {
                let all = Self::children(node).into_iter();
                found.extend(all.filter(|child| Some(*child) != own));
            }
        }
        found
    }
}

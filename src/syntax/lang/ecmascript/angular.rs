//! Classes of Angular: what their decorators say of templates, selectors and what a template can use.
//!
//! Reads the syntax tree of a script that was walked. Does not know templates; see `component`.

use std::ops::Range;

use tree_sitter::Node;

use super::finish::LoweredScript;
use super::kinds::{Grammar, Kind};
use crate::ir::{Directive, Import, ImportKind};
use crate::model::SymbolKind;

/// The module that offers the decorators.
const ANGULAR: &str = "@angular/core";
/// Names in the lists of one class that are kept.
const MAX_NAMES: usize = 1_000;
/// Levels of a list of imports that are looked into: `[...A, b(() => C)]`.
const MAX_LEVELS: usize = 20;

/// A template inside a string, or the bindings of the host element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::syntax) struct InlineTemplate {
    /// The class, an index into the file's symbols.
    pub(in crate::syntax) symbol: u32,
    /// The bytes between the quotes, or those of the object of bindings.
    pub(in crate::syntax) range: Range<usize>,
    /// The bindings of the host element, `host: { '(drop)': 'onDrop($event)' }`; `None` for a template.
    pub(in crate::syntax) host: Option<Vec<HostBinding>>,
}

/// A binding of the host element of a component or a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::syntax) struct HostBinding {
    /// The bytes of its expression, between the quotes.
    pub(in crate::syntax) value: Range<usize>,
    /// Whether it is run on an event, `'(drop)'`, and may be several statements.
    pub(in crate::syntax) is_event: bool,
}

/// Adds the directives of a script to its facts, with the imports of their templates.
pub(super) fn directives(
    grammar: &'static Grammar,
    source: &str,
    root: Node<'_>,
    script: &mut LoweredScript,
) {
    if !source.contains(ANGULAR) {
        return;
    }
    let imports = script.facts.imports.iter();
    let from_angular = imports.filter(|import| import.specifier == ANGULAR);
    let names = from_angular.flat_map(|import| &import.names);
    let decorators: Vec<(String, String)> = names
        .filter(|name| {
            let all = ["Component", "Directive", "Pipe", "NgModule"];
            all.contains(&name.imported.as_str())
        })
        .map(|name| (name.local.clone(), name.imported.clone()))
        .collect();
    if decorators.is_empty() {
        return;
    }
    let mut reader = DecoratorReader {
        grammar,
        source,
        decorators,
        script,
    };
    let mut cursor = root.walk();
    for statement in root.named_children(&mut cursor) {
        reader.statement(statement);
    }
}

struct DecoratorReader<'s> {
    grammar: &'static Grammar,
    source: &'s str,
    /// Names of the file for decorators, with those that Angular has for them.
    decorators: Vec<(String, String)>,
    script: &'s mut LoweredScript,
}

impl<'s> DecoratorReader<'s> {
    fn kind(&self, node: Node<'_>) -> Kind {
        self.grammar.kind(node)
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn children(node: Node<'_>) -> Vec<Node<'_>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).collect()
    }

    fn statement(&mut self, statement: Node<'_>) {
        let fields = &self.grammar.fields;
        let declared = statement.child_by_field_id(fields.declaration);
        let declared = declared.or_else(|| statement.child_by_field_id(fields.value));
        let class = declared.unwrap_or(statement);
        if !matches!(
            self.kind(class),
            Kind::ClassDeclaration | Kind::AbstractClass
        ) {
            return;
        }
        let Some(name) = class.child_by_field_id(fields.name) else {
            return;
        };
        let name = self.text(name);
        let mut symbols = self.script.facts.symbols.iter();
        let symbol = symbols.position(|symbol| {
            symbol.kind == SymbolKind::Class && symbol.parent.is_none() && symbol.name == name
        });
        let Some(symbol) = symbol.and_then(|at| u32::try_from(at).ok()) else {
            return;
        };
        let before = Self::children(statement);
        let own = Self::children(class);
        let own = own.into_iter().filter(|_| declared.is_some());
        for decorator in before.into_iter().chain(own) {
            if self.kind(decorator) == Kind::Decorator {
                self.decorator(decorator, class, symbol);
            }
        }
    }

    /// Returns the name and the first argument of a decorator that is called.
    fn called<'t>(&self, decorator: Node<'t>) -> Option<(&'s str, Option<Node<'t>>)> {
        let fields = &self.grammar.fields;
        let inner = decorator.named_child(0)?;
        if self.kind(inner) != Kind::CallExpression {
            return Some((self.text(inner), None));
        }
        let name = inner.child_by_field_id(fields.function)?;
        let arguments = inner.child_by_field_id(fields.arguments)?;
        Some((self.text(name), arguments.named_child(0)))
    }

    fn decorator(&mut self, decorator: Node<'_>, class: Node<'_>, symbol: u32) {
        let Some((name, options)) = self.called(decorator) else {
            return;
        };
        let Some((_, what)) = self.decorators.iter().find(|it| it.0 == name) else {
            return;
        };
        let what = what.clone();
        let mut directive = Directive {
            symbol,
            is_pipe: what == "Pipe",
            inputs: self.inputs(class),
            ..Directive::default()
        };
        let members = options.map_or_else(Vec::new, |options| self.members(options));
        for (key, value) in members {
            match (what.as_str(), key) {
                ("Component" | "Directive", "selector") | ("Pipe", "name") => {
                    let selector = self.string(value).map(|range| &self.source[range]);
                    selector
                        .unwrap_or_default()
                        .clone_into(&mut directive.selector);
                }
                ("Component", "imports") | ("NgModule", "exports") => {
                    self.names(value, 0, &mut directive.imports);
                }
                ("Component", "templateUrl") => {
                    let Some(url) = self.string(value) else {
                        continue;
                    };
                    let url = &self.source[url];
                    let is_relative = url.starts_with(['.', '/']);
                    let specifier = format!("{}{url}", if is_relative { "" } else { "./" });
                    directive.template.clone_from(&specifier);
                    let row = u32::try_from(value.start_position().row).unwrap_or(u32::MAX);
                    self.script.facts.imports.push(Import {
                        specifier,
                        kind: ImportKind::Template,
                        type_only: false,
                        line: row.saturating_add(1),
                        names: Vec::new(),
                    });
                }
                ("Component", "template") => {
                    if let Some(range) = self.string(value) {
                        let host = None;
                        self.script.templates.push(InlineTemplate {
                            symbol,
                            range,
                            host,
                        });
                    }
                }
                ("Component" | "Directive", "host") => {
                    let range = value.byte_range();
                    let host = Some(self.host_bindings(value));
                    self.script.templates.push(InlineTemplate {
                        symbol,
                        range,
                        host,
                    });
                }
                _ => {}
            }
        }
        self.script.facts.directives.push(directive);
    }

    /// Returns the members of an object that have values: their keys and values.
    fn members<'t>(&self, object: Node<'t>) -> Vec<(&'s str, Node<'t>)> {
        let fields = &self.grammar.fields;
        let mut found = Vec::new();
        for pair in Self::children(object) {
            if self.kind(pair) == Kind::Pair
                && let Some(key) = pair.child_by_field_id(fields.key)
                && let Some(value) = pair.child_by_field_id(fields.value)
            {
                found.push((self.text(key).trim_matches(['"', '\'']), value));
            }
        }
        found
    }

    /// Returns the bindings of an object of them; a key without brackets gives an attribute its text.
    fn host_bindings(&self, object: Node<'_>) -> Vec<HostBinding> {
        let members = self.members(object).into_iter();
        let bindings = members.filter_map(|(key, value)| {
            let is_event = key.starts_with('(');
            let value = self.string(value)?;
            (is_event || key.starts_with('[')).then_some(HostBinding { value, is_event })
        });
        bindings.take(MAX_NAMES).collect()
    }

    /// Returns the bytes between the quotes of a string or a template literal.
    fn string(&self, value: Node<'_>) -> Option<Range<usize>> {
        let is_string = matches!(self.kind(value), Kind::Str | Kind::TemplateString);
        let range = value.byte_range();
        (is_string && range.len() >= 2).then(|| range.start + 1..range.end - 1)
    }

    /// Adds the names in a list, in what is spread into it, and what a call there is given.
    fn names(&self, value: Node<'_>, level: usize, names: &mut Vec<String>) {
        if level > MAX_LEVELS || names.len() >= MAX_NAMES {
            return;
        }
        if self.kind(value) == Kind::Identifier {
            names.push(self.text(value).to_owned());
            return;
        }
        for child in Self::children(value) {
            self.names(child, level + 1, names);
        }
    }

    /// Returns the members that a template sets or listens to: `@Input() a`, `b = output()`.
    fn inputs(&self, class: Node<'_>) -> Vec<(String, String)> {
        let fields = &self.grammar.fields;
        let mut found = Vec::new();
        let Some(body) = class.child_by_field_id(fields.body) else {
            return found;
        };
        // The decorators of a method stand before it.
        let mut before: Vec<Node<'_>> = Vec::new();
        for member in Self::children(body) {
            if self.kind(member) == Kind::Decorator {
                before.push(member);
                continue;
            }
            let own = Self::children(member).into_iter();
            let mut decorators = std::mem::take(&mut before);
            decorators.extend(own.filter(|it| self.kind(*it) == Kind::Decorator));
            let Some(name) = member.child_by_field_id(fields.name) else {
                continue;
            };
            let name = self.text(name);
            let mut called = decorators.iter().filter_map(|it| self.called(*it));
            let decorated = called.find(|it| matches!(it.0, "Input" | "Output"));
            let options = match decorated {
                Some((_, options)) => Some(options.into_iter().collect()),
                None => self.signal(member),
            };
            if let Some(options) = options
                && found.len() < MAX_NAMES
            {
                let alias = options.last().and_then(|options| self.alias(*options));
                found.push((alias.unwrap_or(name).to_owned(), name.to_owned()));
            }
        }
        found
    }

    /// Returns the objects that `input()`, `output()` or `model()` is given where it makes a field; `None` for another field.
    fn signal<'t>(&self, member: Node<'t>) -> Option<Vec<Node<'t>>> {
        let fields = &self.grammar.fields;
        let value = member.child_by_field_id(fields.value)?;
        if self.kind(value) != Kind::CallExpression {
            return None;
        }
        let function = self.text(value.child_by_field_id(fields.function)?);
        let function = function.strip_suffix(".required").unwrap_or(function);
        if !matches!(
            function,
            "input" | "output" | "model" | "outputFromObservable"
        ) {
            return None;
        }
        let arguments = value.child_by_field_id(fields.arguments)?;
        let mut given = Self::children(arguments);
        given.retain(|argument| self.kind(*argument) == Kind::Object);
        Some(given)
    }

    /// Returns the name that options give: `'a'`, `{ alias: 'a' }`.
    fn alias(&self, options: Node<'_>) -> Option<&'s str> {
        if let Some(range) = self.string(options) {
            return Some(&self.source[range]).filter(|alias| !alias.is_empty());
        }
        let mut members = self.members(options).into_iter();
        let (_, value) = members.find(|it| it.0 == "alias")?;
        self.string(value).map(|range| &self.source[range])
    }
}

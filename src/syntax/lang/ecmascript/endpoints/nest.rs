//! Controllers of Nest: classes whose decorators say which requests their methods answer.

use tree_sitter::Node;

use super::super::super::endpoints::{RouteAt, children, fields, route_path};
use super::EndpointReader;
use crate::ir::Router;

/// Decorators of methods in Nest that take a path.
const NEST_METHODS: [(&str, &str); 8] = [
    ("Get", "GET"),
    ("Post", "POST"),
    ("Put", "PUT"),
    ("Patch", "PATCH"),
    ("Delete", "DELETE"),
    ("Head", "HEAD"),
    ("Options", "OPTIONS"),
    ("All", ""),
];

impl<'s> EndpointReader<'s, '_, '_> {
    /// The routes of a controller of Nest.
    pub(super) fn controller(&mut self, class: Node<'_>) {
        let around = class.parent().filter(|it| it.kind() == "export_statement");
        let decorators = children(class)
            .into_iter()
            .chain(around.map(children).unwrap_or_default());
        let decorators: Vec<Node<'_>> = decorators.filter(|it| it.kind() == "decorator").collect();
        let prefix = decorators.iter().find_map(|it| {
            let (name, argument) = self.decorator(*it)?;
            (name == "Controller").then_some(argument)
        });
        let prefix = match prefix {
            None => return,
            Some(None) => Some(String::new()),
            Some(Some(argument)) if argument.kind() == "object" => {
                match self.option(argument, "path") {
                    // A version is a part of the path, where one is set.
                    _ if self.option(argument, "version").is_some() => None,
                    Some(path) => self.literal(path),
                    None => Some(String::new()),
                }
            }
            Some(Some(argument)) => self.literal(argument),
        };
        let Some(prefix) = prefix.and_then(|it| route_path(&it)) else {
            return;
        };
        let Some(body) = class.child_by_field_name("body") else {
            return;
        };
        let mut open: Vec<Node<'_>> = Vec::new();
        for member in children(body) {
            if member.kind() == "decorator" {
                open.push(member);
                continue;
            }
            let own = children(member);
            let own = own.into_iter().filter(|it| it.kind() == "decorator");
            let all: Vec<Node<'_>> = std::mem::take(&mut open).into_iter().chain(own).collect();
            let name = member.child_by_field_name("name");
            let symbol = name.and_then(|it| self.builder.defined_at(it));
            if symbol.is_none() {
                continue;
            }
            for decorator in all {
                let Some((name, argument)) = self.decorator(decorator) else {
                    continue;
                };
                let Some((_, method)) = NEST_METHODS.iter().find(|it| it.0 == name) else {
                    continue;
                };
                let path = match argument {
                    None => Some(String::new()),
                    Some(argument) => self.literal(argument),
                };
                if let Some(path) = path {
                    let route = RouteAt {
                        method,
                        prefix: &prefix,
                        path: &path,
                        router: Router::Global,
                        handler: None,
                        symbol,
                    };
                    self.builder.add_route(route, decorator);
                }
            }
        }
    }

    /// Returns the name of a decorator and its first argument.
    fn decorator<'t>(&self, decorator: Node<'t>) -> Option<(&'s str, Option<Node<'t>>)> {
        let call = decorator.named_child(0)?;
        let (callee, arguments) = fields(call, "function", "arguments")?;
        Some((self.text(callee), arguments.named_child(0)))
    }
}

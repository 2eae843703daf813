//! Routes of Express, Fastify and Nest, and requests by `fetch`, axios and supertest.

mod nest;

use tree_sitter::Node;

use super::super::endpoints::{
    EndpointBuilder, HOLE, RouteAt, children, each_node, fields, is_server_name, is_too_long,
    method_of, method_of_word, names_in, request_path, route_path, short,
};
use super::super::held_texts::{Binds, HeldTexts, ScopeKinds};
use crate::ir::{FileFacts, HttpObject, ImportKind, MountTarget, Router, SymbolIdx};
use crate::model::hash::HashMap;

/// Words of which a file with endpoints has one, if it calls none of [`METHOD_CALLS`].
const WORDS: [&str; 3] = ["fetch", "axios", "@nestjs"];

/// Methods of servers, routers and clients.
const METHOD_CALLS: [&str; 11] = [
    ".get",
    ".post",
    ".put",
    ".patch",
    ".delete",
    ".head",
    ".options",
    ".use",
    ".route",
    ".register",
    ".all",
];

/// Calls that make servers, routers and clients.
const MAKERS: [&str; 4] = ["axios.create", "express(", "Router(", "astify("];

/// Beginnings of paths, of which such a file has one, if it has none of [`has_address`].
const PATHS: [&str; 4] = ["'/", "\"/", "`/", "@nestjs"];

/// Calls that make a server.
const SERVERS: [&str; 6] = [
    "express()",
    "fastify(",
    "Fastify(",
    "require('express')()",
    "require(\"express\")()",
    "new Hono()",
];

/// Calls that make a router.
const ROUTERS: [&str; 7] = [
    "express.Router(",
    "Router(",
    "new Router(",
    "new express.Router(",
    "require('express').Router(",
    "require(\"express\").Router(",
    "PromiseRouter(",
];

/// The nodes that hold names.
static SCOPES: ScopeKinds = ScopeKinds {
    functions: &[
        "function_declaration",
        "function_expression",
        "function",
        "arrow_function",
        "method_definition",
        "generator_function",
        "generator_function_declaration",
    ],
    classes: &["class_body"],
    blocks: &[
        "statement_block",
        "for_statement",
        "for_in_statement",
        "catch_clause",
    ],
    conditions: &[
        "if_statement",
        "else_clause",
        "switch_case",
        "switch_default",
        "while_statement",
        "do_statement",
        "try_statement",
        "ternary_expression",
    ],
    receivers: &["this."],
};

/// Nodes of a pattern that are names.
const PATTERN_NAMES: [&str; 2] = ["identifier", "shorthand_property_identifier_pattern"];

/// The value of a name of the file, as far as endpoints need it.
enum Made {
    Server,
    Router { prefix: String },
}

struct EndpointReader<'s, 't, 'f> {
    builder: EndpointBuilder<'s, 'f>,
    made: HashMap<String, Made>,
    texts: HeldTexts<'s, 't>,
    /// The modules that names stand for: `const users = require('./users')`.
    modules: HashMap<&'s str, Option<String>>,
    /// Names of axios.
    axios: Vec<String>,
    /// Names of supertest.
    supertest: Vec<String>,
    is_nest: bool,
}

/// Adds the endpoints of a script to its facts.
pub(in crate::syntax) fn add(source: &str, root: Node<'_>, facts: &mut FileFacts) {
    let has = |words: &[&str]| words.iter().any(|it| source.contains(it));
    let has_requests =
        (has(&PATHS) || has_address(source)) && (has(&WORDS) || calls_method(source));
    if !has(&MAKERS) && !has_requests {
        return;
    }
    let named = |module: &str| {
        let imports = facts.imports.iter().filter(|it| it.specifier == module);
        let names = imports.flat_map(|it| &it.names);
        let whole = names.filter(|it| matches!(it.imported.as_str(), "default" | "*"));
        whole.map(|it| it.local.clone()).collect::<Vec<_>>()
    };
    let mut axios = named("axios");
    axios.extend(["axios", "$axios", "this.$axios", "this.axios"].map(str::to_owned));
    let supertest = named("supertest");
    let is_nest = facts
        .imports
        .iter()
        .any(|it| it.specifier.starts_with("@nestjs/"));
    let mut calls = Vec::new();
    let mut classes = Vec::new();
    let mut reader = EndpointReader {
        builder: EndpointBuilder::new(source, facts),
        made: HashMap::default(),
        texts: HeldTexts::new(source, &SCOPES),
        modules: HashMap::default(),
        axios,
        supertest,
        is_nest,
    };
    let mut given = Vec::new();
    // The byte behind the `var` that is read.
    let mut var_end = 0;
    each_node(root, |node| {
        reader.texts.enter(node);
        match node.kind() {
            "call_expression" => calls.push(node),
            "class_declaration" if is_nest => classes.push(node),
            "variable_declaration" => var_end = node.end_byte(),
            "lexical_declaration" => var_end = node.start_byte(),
            "variable_declarator" => {
                let is_var = node.start_byte() < var_end;
                let binds = if is_var {
                    Binds::Function
                } else {
                    Binds::Block
                };
                reader.bind(node, ("name", "value"), binds);
                given.push((node, "name", "value"));
            }
            "public_field_definition" => {
                reader.bind_field(node);
                given.push((node, "name", "value"));
            }
            "assignment_expression" => {
                reader.bind(node, ("left", "right"), Binds::Declared);
                given.push((node, "left", "right"));
            }
            _ => reader.hide(node),
        }
    });
    reader.texts.settle();
    for (node, name, value) in given {
        reader.made(node, name, value);
    }
    for class in classes {
        reader.controller(class);
    }
    for call in calls {
        reader.call(call);
    }
}

/// Whether a text has a literal that begins with an address: `` `${API}/users` ``, `'http://localhost/users'`, not
/// `// see https://example.org`.
fn has_address(source: &str) -> bool {
    if source.contains("`${") && source.contains("}/") {
        return true;
    }
    source.match_indices("://").any(|(at, _)| {
        let before = &source[..at];
        let before = before
            .strip_suffix("https")
            .or_else(|| before.strip_suffix("http"));
        before.is_some_and(|it| it.ends_with(['\'', '"', '`']))
    })
}

/// Whether a text may call one of [`METHOD_CALLS`]: `.get(`, `.get<T>(`, `.get?.(`, not `.getItem(`.
fn calls_method(source: &str) -> bool {
    METHOD_CALLS.iter().any(|name| {
        let mut calls = source.match_indices(name);
        calls.any(|(at, _)| {
            let behind = source[at + name.len()..].trim_start();
            behind.starts_with(['(', '<', '?'])
        })
    })
}

impl<'s, 'tree> EndpointReader<'s, 'tree, '_> {
    fn text(&self, node: Node<'_>) -> &'s str {
        self.builder.text(node)
    }

    /// Notes the value that a name is given.
    fn bind(&mut self, node: Node<'tree>, (name, value): (&str, &str), binds: Binds) {
        let value = node.child_by_field_name(value);
        let Some(name) = node.child_by_field_name(name) else {
            return;
        };
        if matches!(name.kind(), "identifier" | "member_expression") {
            let held = SCOPES.name(self.text(name));
            match value {
                _ if held.name.contains('.') => {}
                Some(_) => self.texts.add(held, node, value, binds),
                None => self.texts.declare(held, node, binds),
            }
        } else {
            let names = names_in(name, &PATTERN_NAMES);
            self.texts.hide(names.into_iter(), binds);
        }
    }

    /// Notes the value of a field: `url = '/users'` in a class.
    fn bind_field(&mut self, node: Node<'tree>) {
        if let Some(name) = node.child_by_field_name("name") {
            let mut held = SCOPES.name(self.text(name));
            held.is_member = true;
            match node.child_by_field_name("value") {
                Some(value) => self.texts.add(held, node, Some(value), Binds::Declared),
                None => self.texts.declare(held, node, Binds::Declared),
            }
        }
    }

    /// Notes the names that a node gives values which are not known: parameters, of a loop.
    fn hide(&mut self, node: Node<'tree>) {
        let (part, binds) = match node.kind() {
            "formal_parameters" => (Some(node), Binds::Function),
            "arrow_function" | "catch_clause" => {
                (node.child_by_field_name("parameter"), Binds::Block)
            }
            "for_in_statement" => (node.child_by_field_name("left"), Binds::Block),
            "augmented_assignment_expression" | "update_expression" => {
                (node.named_child(0), Binds::Declared)
            }
            _ => return,
        };
        if let Some(part) = part.filter(|it| it.kind() == "member_expression") {
            let held = SCOPES.name(self.text(part));
            self.texts.add(held, node, None, binds);
        } else if let Some(part) = part {
            let names = names_in(part, &PATTERN_NAMES);
            self.texts.hide(names.into_iter(), binds);
        }
    }

    /// Notes a name that is given a server, a router, a client or a module.
    fn made(&mut self, node: Node<'_>, name: &str, value: &str) {
        let Some((name, value)) = fields(node, name, value) else {
            return;
        };
        let name_text = self.text(name);
        let key = if node.kind() == "public_field_definition" {
            format!("this.{name_text}")
        } else {
            name_text.to_owned()
        };
        if !matches!(value.kind(), "call_expression" | "new_expression") {
            return;
        }
        let text = self.text(value);
        if let Some(module) = self.required_module(value) {
            // A name of two modules stands for none.
            let known = self
                .modules
                .entry(name_text)
                .or_insert(Some(module.clone()));
            *known = known.take().filter(|it| *it == module);
        } else if SERVERS.iter().any(|it| text.starts_with(it)) {
            self.builder
                .add_object(HttpObject::Server, String::new(), name);
            self.made.insert(key, Made::Server);
        } else if ROUTERS.iter().any(|it| text.starts_with(it)) {
            let options = value.child_by_field_name("arguments");
            let options = options.and_then(|it| it.named_child(0));
            let prefix = options.and_then(|it| self.option(it, "prefix"));
            let prefix = prefix.and_then(|it| self.literal(it));
            let prefix = prefix.and_then(|it| route_path(&it)).unwrap_or_default();
            self.builder
                .add_object(HttpObject::Router, prefix.clone(), name);
            self.made.insert(key, Made::Router { prefix });
        } else if let Some(base) = self.client(value) {
            self.builder.add_object(HttpObject::Client, base, name);
        }
    }

    /// Returns the module of `require('./users')`.
    fn required_module(&self, call: Node<'_>) -> Option<String> {
        let (callee, arguments) = fields(call, "function", "arguments")?;
        let module = arguments
            .named_child(0)
            .filter(|_| self.text(callee) == "require");
        self.literal(module?)
    }

    /// Returns the path that requests of a new client begin with: `/api` for `axios.create({ baseURL: '/api' })`.
    fn client(&self, call: Node<'_>) -> Option<String> {
        let callee = call.child_by_field_name("function")?;
        let (object, name) = self.text(callee).rsplit_once('.')?;
        if name != "create" || !self.axios.iter().any(|it| it == object) {
            return None;
        }
        let options = call.child_by_field_name("arguments")?.named_child(0);
        let base = options.and_then(|it| self.option(it, "baseURL"));
        let Some(base) = base else {
            return Some(String::new());
        };
        // One that leads elsewhere is none of ours; one that is not known has no path.
        match self.literal(base) {
            Some(text) if text.trim_start_matches(HOLE).is_empty() => Some(String::new()),
            Some(text) => request_path(&text, true),
            None => Some(String::new()),
        }
    }

    /// Returns a member of an object literal.
    fn option<'t>(&self, object: Node<'t>, key: &str) -> Option<Node<'t>> {
        if object.kind() != "object" {
            return None;
        }
        let pairs = children(object).into_iter();
        let mut pairs = pairs.filter(|it| it.kind() == "pair");
        let pair = pairs.find(|it| {
            let name = it.child_by_field_name("key");
            name.is_some_and(|it| self.text(it).trim_matches(['\'', '"']) == key)
        })?;
        pair.child_by_field_name("value")
    }

    /// Returns a text as it is written, with a hole for each value that is put in; `None` for anything else, and for one that is too
    /// long for a path.
    fn literal(&self, node: Node<'_>) -> Option<String> {
        if is_too_long(node) {
            return None;
        }
        short(self.value_of(node)?)
    }

    fn value_of(&self, node: Node<'_>) -> Option<String> {
        match node.kind() {
            "string" => {
                let text = self.text(node);
                let inner = text.get(1..text.len().saturating_sub(1))?;
                (!inner.contains('\\')).then(|| inner.to_owned())
            }
            "template_string" => {
                let mut out = String::new();
                let mut at = node.start_byte() + 1;
                let end = node.end_byte().saturating_sub(1);
                for child in children(node) {
                    if child.kind() == "template_substitution" {
                        out.push_str(self.builder.source.get(at..child.start_byte())?);
                        let inner = child.named_child(0).map_or("", |it| self.text(it));
                        match self.held(inner, child) {
                            Some(text) => out.push_str(&text),
                            None => out.push(HOLE),
                        }
                        at = child.end_byte();
                    }
                }
                out.push_str(self.builder.source.get(at..end)?);
                (!out.contains('\\')).then_some(out)
            }
            "binary_expression" => {
                let operator = node.child_by_field_name("operator")?;
                if self.text(operator) != "+" {
                    return None;
                }
                let (left, right) = fields(node, "left", "right")?;
                let part = |it: Node<'_>| self.literal(it).unwrap_or_else(|| HOLE.to_string());
                let out = part(left) + &part(right);
                (out.chars().any(|it| it != HOLE)).then_some(out)
            }
            "parenthesized_expression" => self.literal(node.named_child(0)?),
            "identifier" | "member_expression" => self.held(self.text(node), node),
            _ => None,
        }
    }

    /// Returns the text that a name holds at a node.
    fn held(&self, name: &str, at: Node<'_>) -> Option<String> {
        self.texts.text(name, at, |value| self.literal(value))
    }

    fn call(&mut self, call: Node<'_>) {
        if self.builder.is_full() {
            return;
        }
        let Some((callee, arguments)) = fields(call, "function", "arguments") else {
            return;
        };
        if arguments.kind() != "arguments" {
            return;
        }
        let arguments = children(arguments);
        // `await api.post<T>(…)` is read as a call of `await api.post`.
        let callee = match callee.kind() {
            "await_expression" => callee.named_child(0).unwrap_or(callee),
            _ => callee,
        };
        match callee.kind() {
            "identifier" => self.function_call(call, callee, &arguments),
            "member_expression" => {
                if let Some((object, name)) = fields(callee, "object", "property") {
                    self.member_call(call, object, self.text(name), &arguments);
                }
            }
            _ => {}
        }
    }

    /// `fetch('/users')`, `axios({ method: 'post', url: '/users' })`
    fn function_call(&mut self, call: Node<'_>, callee: Node<'_>, arguments: &[Node<'_>]) {
        let name = self.text(callee);
        let Some(first) = arguments.first() else {
            return;
        };
        if name == "fetch" {
            self.fetch(call, arguments);
        } else if self.axios.iter().any(|it| it == name) {
            if first.kind() == "object" {
                self.configured(call, *first);
            } else {
                self.fetch(call, arguments);
            }
        }
    }

    /// The method that the options of a request say; `None` where they are computed.
    fn method_option(&self, options: Node<'_>) -> Option<&'static str> {
        if options.kind() != "object" {
            return None;
        }
        if let Some(method) = self.option(options, "method") {
            method_of_word(&self.literal(method)?)
        } else {
            let mut parts = children(options).into_iter();
            let is_known = parts.all(|it| it.kind() == "pair" || self.text(it) == "signal");
            is_known.then_some("GET")
        }
    }

    /// `fetch('/users', { method: 'POST' })`, and axios in the same form.
    fn fetch(&mut self, call: Node<'_>, arguments: &[Node<'_>]) {
        let Some(path) = arguments.first().and_then(|it| self.literal(*it)) else {
            return;
        };
        let method = match arguments.get(1) {
            None => Some("GET"),
            Some(options) => self.method_option(*options),
        };
        // `fetch('api/users')` of a page at the root.
        let is_relative = arguments[0].kind() == "string";
        if let (Some(method), Some(path)) = (method, request_path(&path, is_relative)) {
            self.builder
                .add_request(method, (String::new(), path), None, call);
        }
    }

    /// `axios({ method: 'post', url: '/users' })`
    fn configured(&mut self, call: Node<'_>, options: Node<'_>) {
        let Some(method) = self.method_option(options) else {
            return;
        };
        let url = self.option(options, "url");
        let url = url.and_then(|it| self.literal(it));
        if let Some(path) = url.and_then(|it| request_path(&it, false)) {
            self.builder
                .add_request(method, (String::new(), path), None, call);
        }
    }

    fn member_call(
        &mut self,
        call: Node<'_>,
        object: Node<'_>,
        name: &str,
        arguments: &[Node<'_>],
    ) {
        match name {
            "use" => self.mount(call, object, arguments),
            "register" => self.register(call, object, arguments),
            "setGlobalPrefix" if self.is_nest => {
                let prefix = arguments.first().and_then(|it| self.literal(*it));
                let prefix = prefix.and_then(|it| route_path(&it));
                let target = MountTarget::Global;
                self.builder
                    .add_mount(Router::Root, prefix, false, target, call);
            }
            "route" => self.fastify_route(call, object, arguments),
            "fetch" if matches!(self.text(object), "window" | "globalThis" | "self") => {
                self.fetch(call, arguments);
            }
            "request" if self.axios.iter().any(|it| it == self.text(object)) => {
                if let Some(options) = arguments.first() {
                    self.configured(call, *options);
                }
            }
            "all" => self.verb(call, object, "", arguments),
            _ => {
                if let Some(method) = method_of(name) {
                    self.verb(call, object, method, arguments);
                }
            }
        }
    }

    /// `router.get('/users', list)`, `axios.get('/users')`, `router.route('/users').get(list)`
    fn verb(&mut self, call: Node<'_>, object: Node<'_>, method: &str, arguments: &[Node<'_>]) {
        if let [paths, handlers @ ..] = arguments
            && paths.kind() == "array"
            && !handlers.is_empty()
        {
            for path in children(*paths) {
                if let Some(path) = self.literal(path) {
                    self.route(call, object, method, &path, handlers);
                }
            }
            return;
        }
        if object.kind() == "call_expression" {
            if let Some((router, path)) = self.chained(object) {
                self.route(call, router, method, &path, arguments);
            } else if let Some(callee) = object.child_by_field_name("function")
                && self.supertest.iter().any(|it| it == self.text(callee))
                && let Some(path) = arguments.first().and_then(|it| self.literal(*it))
                && let Some(path) = request_path(&path, false)
                && !method.is_empty()
            {
                self.builder
                    .add_request(method, (String::new(), path), None, call);
            }
            return;
        }
        let Some(path) = arguments.first().and_then(|it| self.literal(*it)) else {
            return;
        };
        let text = self.text(object);
        if self.axios.iter().any(|it| it == text) {
            if let Some(path) = request_path(&path, false)
                && !method.is_empty()
            {
                self.builder
                    .add_request(method, (String::new(), path), None, call);
            }
            return;
        }
        if self.made.contains_key(text) || arguments.iter().any(|it| is_function(*it)) {
            self.route(call, object, method, &path, &arguments[1..]);
            return;
        }
        if self.parameter_of(object).is_some() {
            if arguments.len() > 1 {
                self.route(call, object, method, &path, &arguments[1..]);
            }
            return;
        }
        // A client that another file may have made.
        if object.kind() == "identifier"
            && !method.is_empty()
            && let Some(path) = request_path(&path, true)
            && let Some(client) = self.builder.reference(object)
        {
            self.builder
                .add_request(method, (String::new(), path), Some(client), call);
        }
    }

    /// Returns the router and the path of `router.route('/users').get(list)`, without the last call.
    fn chained<'t>(&self, mut call: Node<'t>) -> Option<(Node<'t>, String)> {
        for _ in 0..10 {
            let callee = call.child_by_field_name("function")?;
            let (object, name) = fields(callee, "object", "property")?;
            if self.text(name) == "route" {
                let arguments = call.child_by_field_name("arguments")?;
                let path = self.literal(arguments.named_child(0)?)?;
                return Some((object, path));
            }
            if object.kind() != "call_expression" {
                return None;
            }
            call = object;
        }
        None
    }

    fn route(
        &mut self,
        call: Node<'_>,
        object: Node<'_>,
        method: &str,
        path: &str,
        handlers: &[Node<'_>],
    ) {
        let (router, prefix) = match self.router(object) {
            Some(found) => found,
            None if is_server_name(self.text(object)) => (Router::Unknown, String::new()),
            None => return,
        };
        let handler = handlers.last().and_then(|it| handler(*it));
        let named = handler.filter(|it| matches!(it.kind(), "identifier" | "member_expression"));
        let symbol = self.builder.symbol_at(call.start_byte());
        let symbol = symbol.or_else(|| self.variable(object));
        let route = RouteAt {
            method,
            prefix: &prefix,
            path,
            router,
            handler: named,
            symbol,
        };
        self.builder.add_route(route, call);
    }

    /// The variable of the file that holds an object.
    fn variable(&self, object: Node<'_>) -> Option<SymbolIdx> {
        self.builder.top_level(self.text(object))
    }

    /// Returns the router that a name holds, with the prefix that it was made with.
    fn router(&mut self, object: Node<'_>) -> Option<(Router, String)> {
        let text = self.text(object);
        match self.made.get(text) {
            Some(Made::Server) => return Some((Router::Root, String::new())),
            Some(Made::Router { prefix }) => {
                let variable = self.variable(object);
                let holder = variable.or_else(|| self.builder.symbol_at(object.start_byte()));
                return Some((Router::Symbol(holder?), prefix.clone()));
            }
            None => {}
        }
        let Some(parameter) = self.parameter_of(object) else {
            // A server or a router that another file makes.
            let is_imported = object.kind() == "identifier" && self.is_imported(text);
            if !is_imported {
                return None;
            }
            let reference = self.builder.reference(object)?;
            return Some((Router::Imported(reference), String::new()));
        };
        if text == "app" {
            return Some((Router::Root, String::new()));
        }
        let holder = self.builder.symbol_at(parameter.start_byte() + 1)?;
        Some((Router::Symbol(holder), String::new()))
    }

    /// Whether a name is one of another file of the repository.
    fn is_imported(&self, name: &str) -> bool {
        let imports = self.builder.facts.imports.iter();
        let mut own = imports.filter(|it| it.specifier.starts_with(['.', '@', '~', '#']));
        own.any(|it| it.names.iter().any(|it| it.local == name))
    }

    /// Returns the parameters of the function around that take a server or a router by a name.
    fn parameter_of<'t>(&self, object: Node<'t>) -> Option<Node<'t>> {
        let name = self.text(object);
        if !matches!(
            name,
            "app" | "server" | "fastify" | "instance" | "router" | "f"
        ) {
            return None;
        }
        let mut at = object.parent();
        while let Some(node) = at {
            if let Some(parameters) = node.child_by_field_name("parameters") {
                let mut all = children(parameters).into_iter();
                let is_name = |it: Node<'_>| {
                    let text = self.text(it);
                    text == name || text.split([':', '=']).next().map(str::trim) == Some(name)
                };
                if all.any(is_name) {
                    return Some(node);
                }
            }
            if let Some(parameter) = node.child_by_field_name("parameter")
                && self.text(parameter) == name
            {
                return Some(node);
            }
            at = node.parent();
        }
        None
    }

    /// `app.use('/api', router)`
    fn mount(&mut self, call: Node<'_>, object: Node<'_>, arguments: &[Node<'_>]) {
        let Some((parent, own)) = self.router(object) else {
            return;
        };
        let (prefix, rest) = match arguments {
            [] => return,
            [only] => (Some(String::new()), [*only].to_vec()),
            [first, rest @ ..] if is_path(*first) => (self.literal(*first), rest.to_vec()),
            all => (Some(String::new()), all.to_vec()),
        };
        let prefix = prefix.and_then(|it| route_path(&it));
        let prefix = prefix.map(|it| own + &it);
        for target in rest {
            self.mount_one(call, parent, prefix.clone(), target);
        }
    }

    /// `app.register(routes, { prefix: '/api' })`
    fn register(&mut self, call: Node<'_>, object: Node<'_>, arguments: &[Node<'_>]) {
        let Some((parent, own)) = self.router(object) else {
            return;
        };
        let Some(target) = arguments.first() else {
            return;
        };
        let prefix = match arguments.get(1) {
            None => Some(String::new()),
            Some(options) if options.kind() == "object" => match self.option(*options, "prefix") {
                Some(prefix) => self.literal(prefix).and_then(|it| route_path(&it)),
                None => Some(String::new()),
            },
            Some(_) => None,
        };
        self.mount_one(call, parent, prefix.map(|it| own + &it), *target);
    }

    fn mount_one(
        &mut self,
        call: Node<'_>,
        parent: Router,
        prefix: Option<String>,
        target: Node<'_>,
    ) {
        let found = match target.kind() {
            "identifier" | "member_expression" => {
                let local = self.builder.reference(target).map(MountTarget::Reference);
                let text = self.text(target);
                if self.made.contains_key(text) {
                    self.variable(target).map(MountTarget::Symbol).or(local)
                } else {
                    self.required(text).or(local)
                }
            }
            "call_expression" => {
                let callee = target.child_by_field_name("function");
                let argument = target.child_by_field_name("arguments");
                let argument = argument.and_then(|it| it.named_child(0));
                match (callee.map(|it| self.text(it)), argument) {
                    (Some("require"), Some(module)) => {
                        let module = self.literal(module);
                        module.and_then(|it| self.import(&it))
                    }
                    (Some(_), _) => callee
                        .and_then(|it| self.builder.reference(it))
                        .map(MountTarget::Reference),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(found) = found {
            self.builder.add_mount(parent, prefix, false, found, call);
        }
    }

    /// The module that a name stands for as a whole: `const users = require('./users')`.
    fn required(&self, name: &str) -> Option<MountTarget> {
        if let Some(module) = self.modules.get(name) {
            return self.import(module.as_ref()?);
        }
        let all = self.builder.facts.imports.iter();
        let at = all.into_iter().position(|import| {
            matches!(import.kind, ImportKind::Require | ImportKind::Static)
                && import.specifier.starts_with('.')
                && import
                    .names
                    .iter()
                    .any(|it| it.local == name && matches!(it.imported.as_str(), "*" | "default"))
        })?;
        u32::try_from(at).ok().map(MountTarget::Import)
    }

    fn import(&self, specifier: &str) -> Option<MountTarget> {
        let mut all = self.builder.facts.imports.iter();
        let at = all.position(|it| it.specifier == specifier)?;
        u32::try_from(at).ok().map(MountTarget::Import)
    }

    /// `fastify.route({ method: 'GET', url: '/users', handler: list })`
    fn fastify_route(&mut self, call: Node<'_>, object: Node<'_>, arguments: &[Node<'_>]) {
        let [options] = arguments else {
            return;
        };
        let method = self.option(*options, "method");
        let method = method.and_then(|it| self.literal(it));
        let method = method.and_then(|it| method_of_word(&it));
        let url = self.option(*options, "url");
        let url = url.and_then(|it| self.literal(it));
        if let (Some(method), Some(url)) = (method, url) {
            let handler: Vec<_> = self.option(*options, "handler").into_iter().collect();
            self.route(call, object, method, &url, &handler);
        }
    }
}

/// Returns the handler behind the functions that wrap it: `list` of `wrap(list)` and of `list.bind(users)`.
fn handler(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..4 {
        match at.kind() {
            "call_expression" => {
                let callee = at.child_by_field_name("function")?;
                let object = callee.child_by_field_name("object");
                let is_bind = callee.kind() == "member_expression"
                    && callee
                        .child_by_field_name("property")
                        .is_some_and(|it| it.byte_range().len() == 4);
                at = match object {
                    Some(object) if is_bind => object,
                    _ => *children(at.child_by_field_name("arguments")?).last()?,
                };
            }
            "array" => at = *children(at).last()?,
            _ => return Some(at),
        }
    }
    None
}

/// Whether an argument is a function that is written there.
fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "function"
    )
}

/// Whether an argument is a text.
fn is_path(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "string" | "template_string" | "binary_expression"
    )
}

#[cfg(test)]
mod tests {
    use super::calls_method;

    #[test]
    fn a_method_is_called_by_its_whole_name() {
        for source in [
            "a.get('/x')",
            "a.post<T>(b)",
            "a\n  .use (c)",
            "a.head?.(d)",
        ] {
            assert!(calls_method(source), "{source}");
        }
        for source in ["a.getItem('/x')", "a.all", "a.options.b", "a.useId()"] {
            assert!(!calls_method(source), "{source}");
        }
    }
}

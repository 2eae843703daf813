//! Routes of `FastAPI`, Flask and Django, and requests by requests, httpx and the test clients of these frameworks.

mod django;

use tree_sitter::Node;

use super::super::endpoints::{
    EndpointBuilder, HOLE, RouteAt, children, each_node, fields, is_server_name, is_too_long,
    method_of, method_of_word, names_in, request_path, route_path, short,
};
use super::super::held_texts::{Binds, HeldTexts, ScopeKinds};
use super::native_calls;
use crate::ir::{
    FileFacts, HttpObject, Import, ImportKind, MountTarget, Router, SymbolIdx, named_segment,
};
use crate::model::hash::HashMap;

/// Words of which a file with endpoints has one.
const WORDS: [&str; 14] = [
    "fastapi",
    "flask",
    "django",
    "rest_framework",
    "requests",
    "httpx",
    "starlette",
    "client.",
    "ROOT_URLCONF",
    ".route(",
    ".get(\"/",
    ".get('/",
    ".post(\"/",
    ".post('/",
];

/// Classes and functions that make a server.
const SERVERS: [&str; 2] = ["FastAPI", "Flask"];

/// Classes that make a router, with the argument that has its prefix.
const ROUTERS: [(&str, &str); 2] = [("APIRouter", "prefix"), ("Blueprint", "url_prefix")];

/// Classes of Django REST framework that make routes for what is registered with them.
const REST_ROUTERS: [&str; 2] = ["DefaultRouter", "SimpleRouter"];

/// Calls that make a client, by their last names.
const CLIENTS: [&str; 7] = [
    "Session",
    "Client",
    "AsyncClient",
    "TestClient",
    "APIClient",
    "test_client",
    "AsyncTestClient",
];

/// Parameters that are clients by convention of the test frameworks.
const CLIENT_FIXTURES: [&str; 4] = ["client", "async_client", "test_client", "api_client"];

/// The nodes that hold names.
static SCOPES: ScopeKinds = ScopeKinds {
    functions: &["function_definition", "lambda"],
    classes: &["class_definition"],
    blocks: &["block"],
    conditions: &[],
    receivers: &["self.", "cls."],
};

/// The value of a name of the file, as far as endpoints need it.
enum Made {
    Server,
    Router {
        prefix: Option<String>,
    },
    RestRouter,
    /// A client, with the path that its requests begin with; `None` where it leads elsewhere.
    Client {
        base: Option<String>,
    },
}

struct EndpointReader<'s, 't, 'f> {
    builder: EndpointBuilder<'s, 'f>,
    made: HashMap<&'s str, Made>,
    texts: HeldTexts<'s, 't>,
    is_django: bool,
    /// Calls of `include` in Django, by the list of the file that they take.
    included_lists: HashMap<&'s str, Vec<Node<'t>>>,
    is_test: bool,
}

/// Adds the endpoints of a module to its facts.
pub(super) fn add(source: &str, root: Node<'_>, facts: &mut FileFacts) {
    native_calls::add(source, root, facts);
    if !WORDS.iter().any(|it| source.contains(it)) {
        return;
    }
    let mut calls = Vec::new();
    let mut decorated = Vec::new();
    let imports_of = |module: &str| {
        let mut all = facts.imports.iter();
        all.any(|it| it.specifier == module || it.specifier.starts_with(&format!("{module}.")))
    };
    let is_django = imports_of("django") || imports_of("rest_framework");
    let is_test = facts
        .symbols
        .iter()
        .any(|it| it.name.starts_with("test") || it.name.starts_with("Test"));
    let mut reader = EndpointReader {
        builder: EndpointBuilder::new(source, facts),
        made: HashMap::default(),
        texts: HeldTexts::new(source, &SCOPES),
        is_django,
        included_lists: HashMap::default(),
        is_test,
    };
    let mut given = Vec::new();
    let mut typed = Vec::new();
    let mut attributes = Vec::new();
    each_node(root, |node| {
        reader.texts.enter(node);
        match node.kind() {
            "call" => calls.push(node),
            "decorated_definition" => decorated.push(node),
            "assignment" => {
                reader.bind(node);
                given.extend(fields(node, "left", "right"));
            }
            "as_pattern" => {
                if let (Some(value), Some(name)) = (node.named_child(0), node.named_child(1)) {
                    reader.hide(name);
                    given.push((name, value));
                }
            }
            "typed_parameter" => typed.push(node),
            "attribute" if is_django && source[node.byte_range()].ends_with("urls") => {
                attributes.push(node);
            }
            "parameters" | "lambda_parameters" => reader.hide(node),
            "for_statement" | "for_in_clause" | "augmented_assignment" => {
                if let Some(names) = node.child_by_field_name("left") {
                    reader.hide(names);
                }
            }
            "named_expression" => {
                if let Some(name) = node.child_by_field_name("name") {
                    reader.hide(name);
                }
            }
            _ => {}
        }
    });
    reader.texts.settle();
    for (name, value) in given {
        reader.made(name, value);
    }
    for parameter in typed {
        reader.parameter(parameter);
    }
    if is_django {
        for call in &calls {
            reader.include(*call);
        }
    }
    for attribute in attributes {
        reader.rest_urls(attribute);
    }
    for definition in decorated {
        reader.definition(definition);
    }
    for call in calls {
        reader.call(call);
    }
}

impl<'s, 'tree> EndpointReader<'s, 'tree, '_> {
    fn text(&self, node: Node<'_>) -> &'s str {
        self.builder.text(node)
    }

    /// Notes the value that a name is given.
    fn bind(&mut self, node: Node<'tree>) {
        let Some(left) = node.child_by_field_name("left") else {
            return;
        };
        if !matches!(left.kind(), "identifier" | "attribute") {
            self.hide(left);
            return;
        }
        let mut name = SCOPES.name(self.text(left));
        // Of a class that it stands in directly, and seen by its methods through the object alone.
        name.is_member |= self.texts.is_in_class(node);
        let value = node.child_by_field_name("right");
        self.texts.add(name, node, value, Binds::Function);
    }

    /// Notes names that are given values which are not known.
    fn hide(&mut self, part: Node<'tree>) {
        if part.kind() == "attribute" {
            let name = SCOPES.name(self.text(part));
            self.texts.add(name, part, None, Binds::Function);
            return;
        }
        let names = match part.kind() {
            "parameters" | "lambda_parameters" => children(part)
                .into_iter()
                .map(|it| match it.kind() {
                    // Its type and its value are names of others.
                    "typed_parameter" => it.named_child(0).unwrap_or(it),
                    _ => it.child_by_field_name("name").unwrap_or(it),
                })
                .flat_map(|it| names_in(it, &["identifier"]))
                .collect(),
            _ => names_in(part, &["identifier"]),
        };
        self.texts.hide(names.into_iter(), Binds::Function);
    }

    /// Notes a name that is given a server, a router or a client.
    fn made(&mut self, name: Node<'_>, value: Node<'_>) {
        let name_text = self.text(name);
        if value.kind() == "string" {
            let Some(text) = self.literal(value).filter(|it| !it.contains(HOLE)) else {
                return;
            };
            if name_text == "ROOT_URLCONF" {
                let target = self.module(&text, name);
                let prefix = Some(String::new());
                self.builder
                    .add_mount(Router::Root, prefix, false, target, name);
            }
            return;
        }
        let value = match value.kind() {
            "await" => value.named_child(0).unwrap_or(value),
            _ => value,
        };
        let Some(callee) = value
            .child_by_field_name("function")
            .filter(|_| value.kind() == "call")
        else {
            return;
        };
        let callee_text = self.text(callee);
        let last = callee_text.rsplit('.').next().unwrap_or(callee_text);
        let made = if SERVERS.contains(&last) {
            self.builder
                .add_object(HttpObject::Server, String::new(), name);
            Made::Server
        } else if let Some((_, argument)) = ROUTERS.iter().find(|it| it.0 == last) {
            let prefix = match self.keyword(value, argument) {
                None => Some(String::new()),
                Some(prefix) => self.prefix(prefix),
            };
            if let Some(prefix) = &prefix {
                self.builder
                    .add_object(HttpObject::Router, prefix.clone(), name);
            }
            Made::Router { prefix }
        } else if REST_ROUTERS.contains(&last) {
            Made::RestRouter
        } else if CLIENTS.contains(&last) && self.is_client(callee_text) {
            let base = match self.keyword(value, "base_url") {
                None => Some(String::new()),
                Some(base) => match self.literal(base) {
                    Some(text) if text.trim_start_matches(HOLE).is_empty() => Some(String::new()),
                    Some(text) => request_path(&text, true),
                    None => Some(String::new()),
                },
            };
            Made::Client { base }
        } else {
            return;
        };
        self.made.insert(name_text, made);
    }

    /// Whether a call makes a client of a library that is known.
    fn is_client(&self, callee: &str) -> bool {
        if let Some((module, name)) = callee.rsplit_once('.') {
            matches!(module, "httpx" | "requests" | "requests.sessions") || name == "test_client"
        } else {
            let imports = self.builder.facts.imports.iter();
            let known = [
                "httpx",
                "requests",
                "fastapi.testclient",
                "starlette.testclient",
            ];
            let mut from = imports.filter(|it| {
                known.contains(&it.specifier.as_str())
                    || it.specifier.starts_with("django.test")
                    || it.specifier.starts_with("rest_framework.test")
            });
            from.any(|it| it.names.iter().any(|name| name.local == callee))
        }
    }

    /// A parameter whose type is a client.
    fn parameter(&mut self, node: Node<'_>) {
        let (Some(name), Some(written)) = (node.named_child(0), node.child_by_field_name("type"))
        else {
            return;
        };
        let written = self.text(written);
        let last = written.rsplit('.').next().unwrap_or(written);
        let name = self.text(name);
        if CLIENTS.contains(&last) && self.is_client(written) && !self.made.contains_key(name) {
            let base = Some(String::new());
            self.made.insert(name, Made::Client { base });
        }
    }

    /// Returns the module that a text names.
    fn module(&mut self, name: &str, node: Node<'_>) -> MountTarget {
        let imports = &mut self.builder.facts.imports;
        let at = u32::try_from(imports.len()).unwrap_or(u32::MAX);
        imports.push(Import {
            specifier: name.to_owned(),
            kind: ImportKind::Implied,
            type_only: false,
            line: u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX),
            names: Vec::new(),
        });
        MountTarget::Import(at)
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
                let mut out = String::new();
                for child in children(node) {
                    match child.kind() {
                        "string_content" => out.push_str(self.text(child)),
                        "interpolation" => {
                            let inner = child.named_child(0).map_or("", |it| self.text(it));
                            match self.held(inner, child) {
                                Some(text) => out.push_str(&text),
                                None => out.push(HOLE),
                            }
                        }
                        _ => {}
                    }
                }
                let is_plain = self.text(node).starts_with(['"', '\'', 'f', 'F', 'r']);
                (is_plain && !out.contains('\\')).then_some(out)
            }
            "concatenated_string" => {
                let parts: Option<Vec<String>> = children(node)
                    .into_iter()
                    .map(|it| self.literal(it))
                    .collect();
                Some(parts?.concat())
            }
            "binary_operator" => {
                let operator = node.child_by_field_name("operator")?;
                let (left, right) = fields(node, "left", "right")?;
                if self.text(operator) == "%" {
                    let text = self.literal(left)?;
                    let hole = HOLE.to_string();
                    return Some(text.replace("%s", &hole).replace("%d", &hole));
                }
                if self.text(operator) != "+" {
                    return None;
                }
                let part = |it: Node<'_>| self.literal(it).unwrap_or_else(|| HOLE.to_string());
                let out = part(left) + &part(right);
                out.chars().any(|it| it != HOLE).then_some(out)
            }
            "parenthesized_expression" => self.literal(node.named_child(0)?),
            "identifier" | "attribute" => self.held(self.text(node), node),
            "call" => {
                // '/users/{}'.format(id)
                let callee = node.child_by_field_name("function")?;
                let (object, name) = fields(callee, "object", "attribute")?;
                if self.text(name) != "format" {
                    return None;
                }
                let text = self.literal(object)?;
                let mut out = String::new();
                let mut rest = text.as_str();
                while let Some((before, behind)) = rest.split_once('{') {
                    out.push_str(before);
                    out.push(HOLE);
                    rest = behind.split_once('}')?.1;
                }
                Some(out + rest)
            }
            _ => None,
        }
    }

    /// Returns the text that a name holds at a node.
    fn held(&self, name: &str, at: Node<'_>) -> Option<String> {
        self.texts.text(name, at, |value| self.literal(value))
    }

    /// Returns the prefix of a router: a text, or the name of a value.
    fn prefix(&self, node: Node<'_>) -> Option<String> {
        match self.literal(node) {
            Some(text) => route_path(&text),
            None if matches!(node.kind(), "identifier" | "attribute") => {
                Some(named_segment(self.text(node)))
            }
            None => None,
        }
    }

    /// Returns the name of the value that a text begins with: `settings.API` of `f"{settings.API}/users"`.
    fn before(&self, node: Node<'_>) -> String {
        let first = match node.kind() {
            "string" => children(node)
                .into_iter()
                .find(|it| matches!(it.kind(), "interpolation" | "string_content"))
                .filter(|it| it.kind() == "interpolation")
                .and_then(|it| it.named_child(0)),
            "binary_operator" => {
                let mut first = Some(node);
                while let Some(whole) = first.filter(|it| it.kind() == "binary_operator") {
                    first = whole.child_by_field_name("left");
                }
                first
            }
            _ => None,
        };
        match first {
            Some(it) if matches!(it.kind(), "identifier" | "attribute") => self.text(it).to_owned(),
            _ => String::new(),
        }
    }

    fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
        let list = call.child_by_field_name("arguments");
        let list = list.filter(|it| it.kind() == "argument_list");
        let all = list.map(children).unwrap_or_default();
        all.into_iter()
            .filter(|it| it.kind() != "keyword_argument")
            .collect()
    }

    /// Returns the value of an argument that is given by its name.
    fn keyword<'t>(&self, call: Node<'t>, name: &str) -> Option<Node<'t>> {
        let list = call.child_by_field_name("arguments")?;
        let all = children(list).into_iter();
        let mut named = all.filter(|it| it.kind() == "keyword_argument");
        let found = named.find(|it| {
            let own = it.child_by_field_name("name");
            own.is_some_and(|it| self.text(it) == name)
        })?;
        found.child_by_field_name("value")
    }

    /// Returns an argument by its place or its name.
    fn argument<'t>(&self, call: Node<'t>, at: usize, name: &str) -> Option<Node<'t>> {
        let positional = Self::arguments(call).get(at).copied();
        positional.or_else(|| self.keyword(call, name))
    }

    /// Returns the router that a name holds, with the prefix that it was made with; `None` where that is computed.
    fn router(&mut self, object: Node<'_>) -> Option<(Router, String)> {
        let text = self.text(object);
        let Some(made) = self.made.get(text) else {
            if object.kind() != "identifier" || !self.is_imported(text) {
                return None;
            }
            let reference = self.builder.reference(object)?;
            return Some((Router::Imported(reference), String::new()));
        };
        match made {
            Made::Server => Some((Router::Root, String::new())),
            Made::Router { prefix } => {
                let variable = self.builder.top_level(text);
                let around = variable.or_else(|| self.builder.symbol_at(object.start_byte()));
                Some((Router::Symbol(around?), prefix.clone()?))
            }
            Made::RestRouter => {
                let variable = self.builder.top_level(text)?;
                Some((Router::Symbol(variable), String::new()))
            }
            Made::Client { .. } => None,
        }
    }

    /// Does [`Self::router`]; of a server that is made elsewhere an unknown one.
    fn router_or_unknown(&mut self, object: Node<'_>) -> Option<(Router, String)> {
        let is_server = is_server_name(self.text(object));
        let known = self.router(object);
        known.or_else(|| is_server.then(|| (Router::Unknown, String::new())))
    }

    /// Whether a name is one that the file imports from a module.
    fn is_imported(&self, name: &str) -> bool {
        let mut imports = self.builder.facts.imports.iter();
        imports.any(|it| {
            it.names
                .iter()
                .any(|it| it.local == name && it.imported != "*")
        })
    }

    /// `@app.get('/users')`, `@app.route('/users', methods=['POST'])`
    fn definition(&mut self, node: Node<'_>) {
        let Some(function) = node.child_by_field_name("definition") else {
            return;
        };
        let Some(name) = function.child_by_field_name("name") else {
            return;
        };
        let Some(symbol) = self.builder.defined_at(name) else {
            return;
        };
        for decorator in children(node) {
            if decorator.kind() == "decorator"
                && let Some(call) = decorator.named_child(0)
                && call.kind() == "call"
                && let Some(callee) = call.child_by_field_name("function")
                && let Some((object, verb)) = fields(callee, "object", "attribute")
            {
                self.decorated(call, object, self.text(verb), symbol);
            }
        }
    }

    fn decorated(&mut self, call: Node<'_>, object: Node<'_>, verb: &str, symbol: SymbolIdx) {
        let Some(path) = self
            .argument(call, 0, "path")
            .or_else(|| self.keyword(call, "rule"))
            .and_then(|it| self.literal(it))
        else {
            return;
        };
        let methods: Vec<&str> = match verb {
            "route" | "api_route" => match self.keyword(call, "methods") {
                None => vec!["GET"],
                Some(list) => self.methods_of(list),
            },
            _ => method_of(verb).into_iter().collect(),
        };
        if methods.is_empty() {
            return;
        }
        self.add_routes(call, object, &methods, &path, (None, Some(symbol)));
    }

    /// Adds a route for each of some methods; what answers is a use of a handler, or a definition.
    fn add_routes(
        &mut self,
        call: Node<'_>,
        object: Node<'_>,
        methods: &[&str],
        path: &str,
        (handler, symbol): (Option<Node<'_>>, Option<SymbolIdx>),
    ) {
        let Some((router, prefix)) = self.router_or_unknown(object) else {
            return;
        };
        for method in methods {
            let route = RouteAt {
                method,
                prefix: &prefix,
                path,
                router,
                handler,
                symbol,
            };
            self.builder.add_route(route, call);
        }
    }

    /// `app.add_url_rule('/users', view_func=list_users)` of Flask
    fn url_rule(&mut self, call: Node<'_>, object: Node<'_>) {
        let path = self.argument(call, 0, "rule");
        let Some(path) = path.and_then(|it| self.literal(it)) else {
            return;
        };
        let view = self.argument(call, 2, "view_func");
        let made = view.and_then(|it| it.child_by_field_name("function"));
        let handler = match (view, made) {
            (Some(view), Some(callee)) => match fields(callee, "object", "attribute") {
                // `Users.as_view('users')`
                Some((object, name)) if self.text(name) == "as_view" => Some(object),
                // `login_required(list_users)`
                _ => Self::arguments(view).first().copied(),
            },
            _ => view,
        };
        // A view that is a class answers to the methods that it has.
        let methods = match self.keyword(call, "methods") {
            None if made.is_some() => vec![""],
            None => vec!["GET"],
            Some(list) => self.methods_of(list),
        };
        self.add_routes(call, object, &methods, &path, (handler, None));
    }

    /// Returns the methods of `['GET', 'POST']`.
    fn methods_of(&self, list: Node<'_>) -> Vec<&'static str> {
        if !matches!(list.kind(), "list" | "tuple" | "set") {
            return Vec::new();
        }
        let words = children(list).into_iter();
        let words = words.filter_map(|it| self.literal(it));
        words.filter_map(|it| method_of_word(&it)).collect()
    }

    fn call(&mut self, call: Node<'_>) {
        if self.builder.is_full() {
            return;
        }
        let Some(callee) = call.child_by_field_name("function") else {
            return;
        };
        if callee.kind() == "identifier" {
            let is_regex = self.text(callee) == "re_path";
            if self.is_django && (is_regex || self.text(callee) == "path") {
                self.django_path(call, is_regex);
            }
            return;
        }
        let Some((object, name)) = fields(callee, "object", "attribute") else {
            return;
        };
        match self.text(name) {
            "include_router" => self.include_router(call, object),
            "register_blueprint" => self.register_blueprint(call, object),
            "add_url_rule" => self.url_rule(call, object),
            "register" => self.rest_register(call, object),
            "request" => {
                let Some(word) = self.argument(call, 0, "method") else {
                    return;
                };
                let method = self.literal(word).and_then(|it| method_of_word(&it));
                if let Some(method) = method {
                    self.request(call, object, method, 1);
                }
            }
            verb => {
                if let Some(method) = method_of(verb) {
                    self.request(call, object, method, 0);
                }
            }
        }
    }

    /// `requests.get(f'{BASE}/users')`
    fn request(&mut self, call: Node<'_>, object: Node<'_>, method: &str, at: usize) {
        let is_decorator = call.parent().is_some_and(|it| it.kind() == "decorator");
        if is_decorator {
            return;
        }
        let text = self.text(object);
        let is_fixture = CLIENT_FIXTURES.contains(&text) || text == "self.client";
        let base = match self.made.get(text) {
            Some(Made::Client { base: Some(base) }) => Some(base.clone()),
            Some(_) => None,
            None => {
                let is_library = matches!(text, "requests" | "httpx");
                (is_library || self.is_test && is_fixture).then(String::new)
            }
        };
        let Some(base) = base else {
            return;
        };
        let path = self
            .argument(call, at, "url")
            .or_else(|| self.keyword(call, "path"));
        let Some(path) = path else {
            return;
        };
        let before = self.before(path);
        // The tests of a server name no host: a value that is put in is a part of the path.
        if is_fixture && before.starts_with("self.") && self.held(&before, path).is_none() {
            return;
        }
        let is_relative = self.made.contains_key(text);
        let path = self.literal(path);
        if let Some(path) = path.and_then(|it| request_path(&it, is_relative)) {
            let path = base + &path;
            self.builder.add_request(method, (before, path), None, call);
        }
    }

    /// `app.include_router(users.router, prefix='/users')`
    fn include_router(&mut self, call: Node<'_>, object: Node<'_>) {
        let (parent, own) = self.parent(object);
        let prefix = match self.keyword(call, "prefix") {
            None => Some(String::new()),
            Some(prefix) => self.prefix(prefix),
        };
        let target = self.argument(call, 0, "router");
        let target = target.and_then(|it| self.target(it));
        if let Some(target) = target {
            let prefix = prefix.zip(own).map(|(prefix, own)| own + &prefix);
            self.builder.add_mount(parent, prefix, false, target, call);
        }
    }

    /// The router on which another one is mounted, with its own prefix.
    fn parent(&mut self, object: Node<'_>) -> (Router, Option<String>) {
        if let Some((router, prefix)) = self.router(object) {
            return (router, Some(prefix));
        }
        let text = self.text(object);
        // A parameter. Others are made with a prefix that is computed.
        let is_server = matches!(text, "app" | "application") && !self.made.contains_key(text);
        (Router::Root, is_server.then(String::new))
    }

    fn target(&mut self, node: Node<'_>) -> Option<MountTarget> {
        let text = self.text(node);
        if self.made.contains_key(text) {
            return self.builder.top_level(text).map(MountTarget::Symbol);
        }
        self.builder.reference(node).map(MountTarget::Reference)
    }

    /// `app.register_blueprint(users, url_prefix='/users')`
    fn register_blueprint(&mut self, call: Node<'_>, object: Node<'_>) {
        let (parent, own) = self.parent(object);
        let given = self.keyword(call, "url_prefix");
        let replaces = given.is_some();
        let prefix = match given {
            None => Some(String::new()),
            Some(prefix) => self.prefix(prefix),
        };
        let target = Self::arguments(call).first().copied();
        if let Some(target) = target.and_then(|it| self.target(it)) {
            let prefix = prefix.zip(own).map(|(prefix, own)| own + &prefix);
            self.builder
                .add_mount(parent, prefix, replaces, target, call);
        }
    }
}

//! Endpoints of a file: routes, requests, functions of other languages. Each front end finds its own in the tree; this has the
//! parts that they share.
//!
//! Only files that hold a word of the tables are looked through.

use std::cell::OnceCell;

use tree_sitter::Node;

use crate::ir::{
    Endpoint, EndpointRole, Expr, ExprId, FileFacts, HttpObject, HttpRoute, Mount, MountTarget,
    NameId, Request, Router, SymbolIdx, Target,
};
use crate::model::Symbol;
use crate::model::hash::HashMap;

/// Endpoints of one file that are kept.
pub(in crate::syntax) const MAX_ENDPOINTS: usize = 4_000;

/// Nodes deep in one another that are looked through.
const MAX_DEPTH: usize = 400;

/// Nodes of one pattern that are looked through for its names.
const MAX_PATTERN_NODES: usize = 2_000;

/// Calls and lists in one another that one value may be made by: `r.Group("/a").Group("/b")`.
pub(super) const MAX_NESTING: usize = 100;

/// The longest path, and the longest text that one is read from as it is written: with it nesting has an end, too, and so have values
/// that double from line to line.
const MAX_PATH_BYTES: usize = 1_000;

/// A value that is put into a text: `${id}`. No source file has it in a literal.
pub(super) const HOLE: char = '\u{1}';

/// The methods of HTTP, by the names that functions for them have.
const METHODS: [(&str, &str); 7] = [
    ("get", "GET"),
    ("post", "POST"),
    ("put", "PUT"),
    ("patch", "PATCH"),
    ("delete", "DELETE"),
    ("head", "HEAD"),
    ("options", "OPTIONS"),
];

/// Returns the method that a function is named after: `GET` for `get`.
pub(super) fn method_of(name: &str) -> Option<&'static str> {
    let mut all = METHODS.iter();
    all.find(|it| it.0 == name).map(|it| it.1)
}

/// Returns the method that a word is: `GET` for `get` and `GET`.
pub(super) fn method_of_word(word: &str) -> Option<&'static str> {
    let mut all = METHODS.iter();
    all.find(|it| it.0.eq_ignore_ascii_case(word))
        .map(|it| it.1)
}

/// Whether a name is that of a server by convention. One of another name has a prefix, where nothing is known of it.
pub(super) fn is_server_name(name: &str) -> bool {
    matches!(name, "app" | "application" | "server") || name.ends_with("_app")
}

/// Returns the innermost definition around a byte.
pub(in crate::syntax) fn symbol_at(symbols: &[Symbol], byte: usize) -> Option<SymbolIdx> {
    let byte = u32::try_from(byte).ok()?;
    let at = symbols
        .iter()
        .rposition(|it| it.span.start_byte <= byte && byte < it.span.end_byte)?;
    SymbolIdx::try_from(at).ok()
}

/// Adds endpoints to the facts of one file.
pub(super) struct EndpointBuilder<'s, 'f> {
    pub(super) source: &'s str,
    pub(super) facts: &'f mut FileFacts,
    /// The references by their names, once one was looked for.
    references: OnceCell<HashMap<NameId, Vec<usize>>>,
    /// The places of those that are kept.
    kept: HashMap<usize, u32>,
}

impl<'s, 'f> EndpointBuilder<'s, 'f> {
    pub(super) fn new(source: &'s str, facts: &'f mut FileFacts) -> Self {
        Self {
            source,
            facts,
            references: OnceCell::new(),
            kept: HashMap::default(),
        }
    }

    /// Returns the text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the innermost definition around a byte.
    pub(super) fn symbol_at(&self, byte: usize) -> Option<SymbolIdx> {
        symbol_at(&self.facts.symbols, byte)
    }

    /// Returns the definition of a name that begins around a node: the function whose name the node is.
    pub(super) fn defined_at(&self, name: Node<'_>) -> Option<SymbolIdx> {
        let at = self.symbol_at(name.start_byte())?;
        (self.facts.symbols[at as usize].name == self.text(name)).then_some(at)
    }

    /// Returns the definition of a name at the top level of the file.
    pub(super) fn top_level(&self, name: &str) -> Option<SymbolIdx> {
        let mut all = self.facts.symbols.iter();
        let at = all.position(|it| it.parent.is_none() && it.name == name)?;
        u32::try_from(at).ok()
    }

    /// Keeps the use of a name, or of a member of one, for endpoints. Returns its place among those.
    pub(super) fn reference(&mut self, node: Node<'_>) -> Option<u32> {
        let at = self.recorded(node)?;
        self.keep(at)
    }

    /// Keeps the reference at an index for endpoints. Returns its place among those.
    fn keep(&mut self, at: usize) -> Option<u32> {
        if let Some(known) = self.kept.get(&at) {
            return Some(*known);
        }
        let used = self.facts.references.get(at)?;
        let all = &mut self.facts.endpoint_uses;
        if all.len() >= MAX_ENDPOINTS {
            return None;
        }
        let place = u32::try_from(all.len()).ok()?;
        all.push(used.clone());
        self.kept.insert(at, place);
        Some(place)
    }

    /// Does [`Self::reference`] for the first use of a method: `Open` or `Open()`, as some languages name it.
    pub(super) fn method_reference(&mut self, name: &str) -> Option<u32> {
        let called = format!("{name}()");
        let first = |name: &str| self.references_to(name).first().copied();
        let at = [first(name), first(&called)].into_iter().flatten().min();
        self.keep(at?)
    }

    /// Returns the indexes of the references to a name, in their order.
    fn references_to(&self, name: &str) -> &[usize] {
        let by_name = || {
            let mut all: HashMap<NameId, Vec<usize>> = HashMap::default();
            for (at, used) in self.facts.references.iter().enumerate() {
                all.entry(used.name).or_default().push(at);
            }
            all
        };
        let all = self.references.get_or_init(by_name);
        let name = self.facts.exprs.find_name(name);
        name.and_then(|it| all.get(&it)).map_or(&[], Vec::as_slice)
    }

    /// Whether the use of a name, or of a member of one, is known: no parameter and no loop gives it its value.
    pub(super) fn is_recorded(&self, node: Node<'_>) -> bool {
        let around = self.symbol_at(node.start_byte());
        let found = self.recorded(node);
        found.is_some_and(|at| self.facts.references[at].symbol == around)
    }

    /// Returns the index of the reference that the use of a name, or of a member of one, was recorded as.
    fn recorded(&self, node: Node<'_>) -> Option<usize> {
        let text: String = self.text(node).split_whitespace().collect();
        let (receiver, name) = match text.rsplit_once('.') {
            Some((receiver, name)) => (Some(receiver), name),
            None => (None, text.as_str()),
        };
        let around = self.symbol_at(node.start_byte());
        let all = || {
            let all = self.references_to(name).iter();
            all.map(|at| (*at, &self.facts.references[*at]))
        };
        let found = all().filter(|(_, it)| match (it.target, receiver) {
            (Target::Member { receiver: at, .. }, Some(receiver)) => {
                chain(self.facts, at).is_some_and(|it| it == receiver)
            }
            (Target::Value(at), Some(receiver)) => {
                member_chain(self.facts, at).is_some_and(|it| it == receiver)
            }
            (Target::Member { .. } | Target::Markup(_) | Target::Unknown, _) => false,
            (_, receiver) => receiver.is_none(),
        });
        let mut found: Vec<_> = found.collect();
        if found.is_empty() && receiver.is_some() {
            // Of a local variable the facts hold the value: `h.list` of `const h = new Users()`.
            let members = all().filter(|(_, it)| {
                it.symbol == around
                    && matches!(it.target, Target::Member { receiver, .. } if chain(self.facts, receiver).is_none())
            });
            found = members.collect();
            if found.len() > 1 {
                let line = node.start_position().row + 1;
                found.retain(|(_, it)| it.line as usize == line);
            }
            if found.len() > 1 {
                return None;
            }
        }
        let near = found.iter().find(|it| it.1.symbol == around);
        let one = near.or(match found.as_slice() {
            [one] => Some(one),
            _ => None,
        });
        Some(one?.0)
    }

    /// Whether no more endpoints are kept.
    pub(super) fn is_full(&self) -> bool {
        self.facts.endpoints.len() >= MAX_ENDPOINTS
    }

    /// Adds an endpoint at a node.
    pub(super) fn add(&mut self, role: EndpointRole, symbol: Option<SymbolIdx>, node: Node<'_>) {
        if !self.is_full() {
            let line = u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX);
            let endpoint = Endpoint { role, symbol, line };
            self.facts.endpoints.push(endpoint);
        }
    }

    /// Adds a route whose path has the parameters of its framework; not one that takes paths of any length.
    pub(super) fn add_route(&mut self, route: RouteAt<'_, '_>, node: Node<'_>) {
        if self.is_full() {
            return;
        }
        let Some(path) = route_path(route.path) else {
            return;
        };
        let role = EndpointRole::Route(HttpRoute {
            method: route.method.to_owned(),
            prefix: route.prefix.to_owned(),
            path,
            router: route.router,
            handler: route.handler.and_then(|it| self.reference(it)),
        });
        self.add(role, route.symbol, node);
    }

    /// Adds a route that a call registers, with a router and its prefix.
    pub(super) fn add_registered(
        &mut self,
        call: Node<'_>,
        method: &str,
        (router, prefix): &(Router, String),
        path: &str,
        handler: Option<Node<'_>>,
    ) {
        let route = RouteAt {
            method,
            prefix,
            path,
            router: *router,
            handler,
            symbol: self.symbol_at(call.start_byte()),
        };
        self.add_route(route, call);
    }

    /// Adds a router under a prefix.
    pub(super) fn add_mount(
        &mut self,
        parent: Router,
        prefix: Option<String>,
        replaces: bool,
        target: MountTarget,
        node: Node<'_>,
    ) {
        let role = EndpointRole::Mount(Mount {
            prefix,
            replaces,
            parent,
            target,
        });
        let symbol = self.symbol_at(node.start_byte());
        self.add(role, symbol, node);
    }

    /// Adds an object that others use for routes or requests, where it is a definition of the file's top level.
    pub(super) fn add_object(&mut self, kind: HttpObject, path: String, name: Node<'_>) {
        let name_text = self.text(name);
        if let Some(symbol) = self.top_level(name_text) {
            self.add(EndpointRole::Object { kind, path }, Some(symbol), name);
        }
    }

    /// Adds a request to a literal address. `before` is the name of the value that is put in before the path.
    pub(super) fn add_request(
        &mut self,
        method: &str,
        (before, path): (String, String),
        client: Option<u32>,
        node: Node<'_>,
    ) {
        let role = EndpointRole::Request(Request {
            method: method.to_owned(),
            path,
            before,
            client,
        });
        let symbol = self.symbol_at(node.start_byte());
        self.add(role, symbol, node);
    }
}

/// A route as its framework writes it.
#[derive(Clone, Copy)]
pub(super) struct RouteAt<'a, 't> {
    /// `GET`; empty for every method.
    pub(super) method: &'a str,
    /// The prefix of the router, without parameters of the framework's syntax.
    pub(super) prefix: &'a str,
    /// The path as written.
    pub(super) path: &'a str,
    pub(super) router: Router,
    /// The handler, where it is named.
    pub(super) handler: Option<Node<'t>>,
    /// The definition that answers, where it is not named.
    pub(super) symbol: Option<SymbolIdx>,
}

/// Returns the names of a chain of members: `users.list`; `None` where it begins with anything but a name or the receiver.
fn chain(facts: &FileFacts, at: ExprId) -> Option<String> {
    match facts.exprs.get(at) {
        Expr::Name { name, .. } => Some(facts.exprs.name_of(*name).to_owned()),
        Expr::Receiver { .. } => Some("this".to_owned()),
        Expr::Member { object, name } => {
            let object = chain(facts, *object)?;
            Some(format!("{object}.{}", facts.exprs.name_of(*name)))
        }
        Expr::Instance { of } => chain(facts, *of),
        _ => None,
    }
}

/// Returns the names before the last one of a chain.
fn member_chain(facts: &FileFacts, at: ExprId) -> Option<String> {
    match facts.exprs.get(at) {
        Expr::Member { object, .. } => chain(facts, *object),
        _ => None,
    }
}

/// Nodes of a file that hold others, such as its functions. Asking a node for its parent costs a walk over the nodes beside it.
#[derive(Default)]
pub(super) struct NestedNodes<'t> {
    /// In the order of their beginnings, each with the place of the one around it.
    all: Vec<(Node<'t>, Option<usize>)>,
}

impl<'t> NestedNodes<'t> {
    /// Adds the one that begins next.
    pub(super) fn push(&mut self, node: Node<'t>) {
        let around = self.holding(self.all.len(), node);
        self.all.push((node, around));
    }

    /// Returns the innermost one around a node, other than itself.
    pub(super) fn around(&self, node: Node<'_>) -> Option<Node<'t>> {
        self.innermost(node).map(|at| self.get(at))
    }

    /// Does [`Self::around`], and returns its place.
    pub(super) fn innermost(&self, node: Node<'_>) -> Option<usize> {
        let begun = |(it, _): &(Node<'t>, _)| it.start_byte() <= node.start_byte();
        self.holding(self.all.partition_point(begun), node)
    }

    /// Returns the one at a place.
    pub(super) fn get(&self, place: usize) -> Node<'t> {
        self.all[place].0
    }

    /// Returns the place of the one around that at a place.
    pub(super) fn outer(&self, place: usize) -> Option<usize> {
        self.all[place].1
    }

    /// The innermost one of the first `n_begun` that holds a node.
    fn holding(&self, n_begun: usize, node: Node<'_>) -> Option<usize> {
        let mut place = n_begun.checked_sub(1);
        while let Some(at) = place {
            let (one, around) = self.all[at];
            // A list of one statement has the bytes of that.
            let is_itself = one.id() == node.id();
            if one.end_byte() >= node.end_byte() && !is_itself {
                return Some(at);
            }
            place = around;
        }
        None
    }
}

/// Calls `visit` with each node of a tree, parents first, as far as a bound of depth allows.
pub(super) fn each_node<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    each_node_while(root, |node| {
        visit(node);
        true
    });
}

/// Does [`each_node`] as long as `visit` says that it goes on.
fn each_node_while<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        if node.is_named() && !visit(node) {
            return;
        }
        if depth < MAX_DEPTH && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}

/// Returns two fields of a node where it has both: the function and the arguments of a call.
pub(super) fn fields<'t>(node: Node<'t>, one: &str, other: &str) -> Option<(Node<'t>, Node<'t>)> {
    let one = node.child_by_field_name(one)?;
    Some((one, node.child_by_field_name(other)?))
}

/// Whether a node is too long for the text of a path.
pub(super) fn is_too_long(node: Node<'_>) -> bool {
    node.byte_range().len() > MAX_PATH_BYTES
}

/// Returns the names in a part of a tree by their kinds, such as those of a pattern; of one that holds code of its own without end, not all.
pub(super) fn names_in<'t>(root: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut n_left = MAX_PATTERN_NODES;
    each_node_while(root, |node| {
        if kinds.contains(&node.kind()) {
            found.push(node);
        }
        n_left -= 1;
        n_left > 0
    });
    found
}

/// Returns a text unless it is too long for a path.
pub(super) fn short(text: String) -> Option<String> {
    (text.len() <= MAX_PATH_BYTES).then_some(text)
}

/// Returns the named children of a node without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let all = node.named_children(&mut cursor);
    all.filter(|it| !it.kind().ends_with("comment")).collect()
}

/// Returns the path of a route with `{}` for each parameter, `None` where it takes paths of any length or only may have a part:
/// `/users/:id`, `/users/{id:int}`, `/users/<int:id>` → `/users/{}`.
pub(super) fn route_path(written: &str) -> Option<String> {
    if written.len() > MAX_PATH_BYTES {
        return None;
    }
    let mut out = String::new();
    for segment in written.split('/').filter(|it| !it.is_empty()) {
        out.push('/');
        let mut rest = segment.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '{' | '<' => {
                    let end = if c == '{' { '}' } else { '>' };
                    let inner: String = rest.by_ref().take_while(|it| *it != end).collect();
                    let is_open = inner.starts_with('*')
                        || inner.ends_with('?')
                        || inner.ends_with(":path")
                        || inner.starts_with("path:")
                        || inner.starts_with("re:");
                    if is_open {
                        return None;
                    }
                    out.push_str("{}");
                }
                ':' => {
                    let mut n = 0;
                    while rest
                        .next_if(|it| it.is_alphanumeric() || *it == '_')
                        .is_some()
                    {
                        n += 1;
                    }
                    if rest.peek() == Some(&'(') {
                        // A pattern for the parameter.
                        for c in rest.by_ref() {
                            if c == ')' {
                                break;
                            }
                        }
                    }
                    if n == 0 {
                        return None;
                    }
                    out.push_str("{}");
                }
                '*' | '?' | '(' | ')' | '+' | '[' | ']' | '^' | '$' | '|' | '\\' | HOLE => {
                    return None;
                }
                c => out.push(c),
            }
        }
    }
    Some(out)
}

/// Returns the path of a request without host and query, with `{}` for each value that is put in and for each number; `None` where it
/// leaves the repository or is not known. `is_relative` allows one that begins without a slash.
///
/// `http://localhost:3000/users/7?all=1` → `/users/{}`.
pub(super) fn request_path(written: &str, is_relative: bool) -> Option<String> {
    let mut rest = written;
    if let Some(behind) = rest.strip_prefix(HOLE) {
        // An address that is configured: `${API}/users`.
        rest = behind;
        if !rest.starts_with('/') {
            return None;
        }
    } else if let Some((scheme, behind)) = rest.split_once("://") {
        if !matches!(scheme, "http" | "https") {
            return None;
        }
        let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
        if !is_own_host(&behind[..end]) {
            return None;
        }
        rest = &behind[end..];
    }
    if rest.starts_with("//") {
        return None;
    }
    let is_host_alone = rest.is_empty() && written.contains("://");
    if !rest.starts_with('/') && !is_relative && !is_host_alone {
        return None;
    }
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let mut out = String::new();
    for segment in rest[..end].split('/').filter(|it| !it.is_empty()) {
        out.push('/');
        if is_number(segment) {
            out.push_str("{}");
        } else if matches!(segment, "." | "..") || segment.contains(['{', '}', ' ', '*']) {
            return None;
        } else {
            let holes = segment.split(HOLE);
            out.push_str(&holes.collect::<Vec<_>>().join("{}"));
        }
    }
    Some(out)
}

/// Whether a host may be a service of the repository: this machine, one without a domain as in a network of containers, or one that is
/// put in.
fn is_own_host(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    let is_local = matches!(name, "127.0.0.1" | "0.0.0.0" | "[") || name.ends_with(".localhost");
    is_local || host.contains(HOLE) || !name.contains('.')
}

/// Whether a segment stands for a number or a UUID that a parameter takes.
fn is_number(segment: &str) -> bool {
    let is_uuid = segment.len() == 36
        && segment.bytes().filter(|it| *it == b'-').count() == 4
        && segment
            .bytes()
            .all(|it| it.is_ascii_hexdigit() || it == b'-');
    is_uuid || segment.bytes().all(|it| it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{HOLE, request_path, route_path};

    #[test]
    fn parameters_of_every_framework_are_one() {
        for (written, path) in [
            ("/users/:id", Some("/users/{}")),
            ("/users/:id(\\d+)/posts", Some("/users/{}/posts")),
            ("users/<int:id>/", Some("/users/{}")),
            ("/users/{id:int}", Some("/users/{}")),
            ("/files/{name}.json", Some("/files/{}.json")),
            ("/", Some("")),
            ("/files/*", None),
            ("/files/{rest:path}", None),
            ("/files/<path:rest>", None),
            ("/users/:id?", None),
        ] {
            assert_eq!(route_path(written).as_deref(), path, "{written}");
        }
    }

    #[test]
    fn a_request_keeps_its_path_alone() {
        let hole = |text: &str| text.replace('$', &HOLE.to_string());
        for (written, path) in [
            ("/users/$/posts?page=$", Some("/users/{}/posts")),
            ("$/users", Some("/users")),
            ("http://localhost:3000/users/7", Some("/users/{}")),
            ("http://users-service/users#top", Some("/users")),
            ("http://$:$/users", Some("/users")),
            ("https://api.example.com/users", None),
            ("//cdn.example.com/users", None),
            ("users", None),
            ("$users", None),
            ("/users$", Some("/users{}")),
        ] {
            assert_eq!(
                request_path(&hole(written), false).as_deref(),
                path,
                "{written}"
            );
        }
        assert_eq!(request_path("users", true).as_deref(), Some("/users"));
    }
}

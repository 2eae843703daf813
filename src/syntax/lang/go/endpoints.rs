//! Routes of Gin and chi, and calls of functions of C (cgo).

use tree_sitter::Node;

use super::super::endpoints::{
    EndpointBuilder, MAX_ENDPOINTS, MAX_NESTING, NestedNodes, children, each_node, fields,
    is_too_long, method_of, method_of_word, route_path, short,
};
use crate::ir::{EndpointRole, FileFacts, LINKAGE_KEY, LinkageReach, MountTarget, Router};
use crate::model::hash::{HashMap, HashSet};

/// The packages of frameworks whose routes are read.
const FRAMEWORKS: [&str; 2] = ["gin-gonic/gin", "go-chi/chi"];

/// A router with the prefix that it has in the file.
type RouterAt = (Router, String);

struct EndpointReader<'s, 'f, 't> {
    builder: EndpointBuilder<'s, 'f>,
    functions: NestedNodes<'t>,
    /// Routers, by the function around and the name of the variable.
    routers: HashMap<(usize, &'s str), RouterAt>,
}

/// Adds the endpoints of a file to its facts.
pub(super) fn add(source: &str, root: Node<'_>, facts: &mut FileFacts) {
    let is_cgo = facts.imports.iter().any(|it| it.specifier == "C");
    let is_cgo = is_cgo || source.contains("import \"C\"");
    let has_routes = facts
        .imports
        .iter()
        .any(|it| FRAMEWORKS.iter().any(|name| it.specifier.contains(name)));
    if !is_cgo && !has_routes {
        return;
    }
    let mut calls = Vec::new();
    let mut made = Vec::new();
    let mut functions = NestedNodes::default();
    let mut preamble = "";
    each_node(root, |node| match node.kind() {
        "call_expression" => calls.push(node),
        "function_declaration" | "method_declaration" | "func_literal" => functions.push(node),
        "short_var_declaration" | "assignment_statement" => made.push(node),
        "import_declaration" if is_cgo => {
            let text = source.get(node.byte_range()).unwrap_or_default();
            if text.contains("\"C\"") {
                preamble = comment_before(source, node);
            }
        }
        _ => {}
    });
    let mut reader = EndpointReader {
        builder: EndpointBuilder::new(source, facts),
        functions,
        routers: HashMap::default(),
    };
    if is_cgo {
        reader.natives(&calls, preamble);
    }
    if has_routes {
        for node in made {
            reader.made(node);
        }
        for call in calls {
            reader.call(call);
        }
    }
}

/// Returns the comments right above a declaration.
fn comment_before<'s>(source: &'s str, node: Node<'_>) -> &'s str {
    let mut first = node;
    while let Some(before) = first.prev_sibling() {
        let is_next = before.end_position().row + 1 >= first.start_position().row;
        if before.kind() != "comment" || !is_next {
            break;
        }
        first = before;
    }
    source
        .get(first.start_byte()..node.start_byte())
        .unwrap_or_default()
}

impl<'s> EndpointReader<'s, '_, '_> {
    fn text(&self, node: Node<'_>) -> &'s str {
        self.builder.text(node)
    }

    fn literal(&self, node: Node<'_>) -> Option<&'s str> {
        let is_text = matches!(
            node.kind(),
            "interpreted_string_literal" | "raw_string_literal"
        );
        if is_too_long(node) {
            return None;
        }
        let text = self.text(node);
        let inner = text.get(1..text.len().saturating_sub(1))?;
        (is_text && !inner.contains('\\')).then_some(inner)
    }

    /// `C.open(path)`
    fn natives(&mut self, calls: &[Node<'_>], preamble: &str) {
        let headers: Vec<String> = preamble
            .lines()
            .filter_map(|line| {
                let line = line.trim().trim_start_matches("//").trim();
                let rest = line.strip_prefix('#')?.trim().strip_prefix("include")?;
                let name = rest.trim().strip_prefix(['"', '<'])?;
                Some(name.split(['"', '>']).next()?.to_owned())
            })
            .collect();
        let mut known = HashSet::default();
        for call in calls {
            let Some(callee) = call.child_by_field_name("function") else {
                continue;
            };
            let Some(name) = self.text(callee).strip_prefix("C.") else {
                continue;
            };
            let symbol = self.builder.symbol_at(call.start_byte());
            if !known.insert((symbol, name)) || is_defined(preamble, name) {
                continue;
            }
            let role = EndpointRole::Use {
                key: format!("{LINKAGE_KEY}{name}"),
                reach: LinkageReach::Headers(headers.clone()),
            };
            self.builder.add(role, symbol, *call);
        }
    }

    /// `api := r.Group("/api")`
    fn made(&mut self, node: Node<'_>) {
        let Some((left, right)) = fields(node, "left", "right") else {
            return;
        };
        let (left, right) = (children(left), children(right));
        if let ([name], [value]) = (left.as_slice(), right.as_slice())
            && self.routers.len() < MAX_ENDPOINTS
            && let Some(router) = self.router(*value, 0)
        {
            let around = self.functions.around(node).map_or(0, |it| it.start_byte());
            self.routers.insert((around, self.text(*name)), router);
        }
    }

    /// Returns the router that an expression is, which stands `depth` deep in another one.
    fn router(&self, value: Node<'_>, depth: usize) -> Option<RouterAt> {
        if depth > MAX_NESTING {
            return None;
        }
        match value.kind() {
            "identifier" => self.variable(value, depth),
            "call_expression" => {
                let callee = value.child_by_field_name("function")?;
                match self.text(callee) {
                    "gin.Default" | "gin.New" => return Some((Router::Root, String::new())),
                    "chi.NewRouter" | "chi.NewMux" => return self.new_chi(value),
                    _ => {}
                }
                let (object, name) = fields(callee, "operand", "field")?;
                let arguments = children(value.child_by_field_name("arguments")?);
                let (router, prefix) = self.router(object, depth + 1)?;
                match self.text(name) {
                    "Group" => {
                        let own = route_path(self.literal(*arguments.first()?)?)?;
                        Some((router, short(prefix + &own)?))
                    }
                    "With" | "Use" => Some((router, prefix)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A router of chi is a server, unless the function around gives it back: then it is mounted by who calls that.
    fn new_chi(&self, value: Node<'_>) -> Option<RouterAt> {
        let around = self.functions.around(value);
        let gives_back = around.is_some_and(|it| {
            let result = it.child_by_field_name("result");
            result.is_some_and(|it| {
                matches!(self.text(it), "http.Handler" | "chi.Router" | "*chi.Mux")
            })
        });
        let name = around.and_then(|it| it.child_by_field_name("name"));
        match name.filter(|_| gives_back) {
            Some(name) if self.text(name) != "main" => {
                let symbol = self.builder.defined_at(name)?;
                Some((Router::Symbol(symbol), String::new()))
            }
            _ => Some((Router::Root, String::new())),
        }
    }

    fn variable(&self, name: Node<'_>, depth: usize) -> Option<RouterAt> {
        let text = self.text(name);
        let mut around = self.functions.around(name);
        while let Some(function) = around {
            if let Some(known) = self.routers.get(&(function.start_byte(), text)) {
                return Some(known.clone());
            }
            if let Some(written) = self.parameter(function, text) {
                return self.given(function, written, depth);
            }
            around = self.functions.around(function);
        }
        self.routers.get(&(0, text)).cloned()
    }

    /// Returns the type of a parameter of a function.
    fn parameter(&self, function: Node<'_>, name: &str) -> Option<&'s str> {
        let parameters = children(function.child_by_field_name("parameters")?);
        let parameter = parameters.into_iter().find(|it| {
            let mut cursor = it.walk();
            it.children_by_field_name("name", &mut cursor)
                .any(|it| self.text(it) == name)
        })?;
        Some(self.text(parameter.child_by_field_name("type")?))
    }

    /// The router that a function takes: of `r.Route("/users", func(r chi.Router) {…})` the one around, with the prefix.
    fn given(&self, function: Node<'_>, written: &str, depth: usize) -> Option<RouterAt> {
        if written == "*gin.Engine" {
            return Some((Router::Root, String::new()));
        }
        let is_router = matches!(
            written,
            "*gin.RouterGroup" | "gin.IRouter" | "gin.IRoutes" | "chi.Router" | "*chi.Mux"
        );
        if !is_router {
            return None;
        }
        if function.kind() != "func_literal" {
            let name = function.child_by_field_name("name")?;
            let symbol = self.builder.defined_at(name)?;
            return Some((Router::Symbol(symbol), String::new()));
        }
        let call = function.parent()?.parent()?;
        let callee = call.child_by_field_name("function")?;
        let (object, name) = fields(callee, "operand", "field")?;
        let (router, prefix) = self.router(object, depth + 1)?;
        match self.text(name) {
            "Group" => Some((router, prefix)),
            "Route" => {
                let arguments = children(call.child_by_field_name("arguments")?);
                let own = route_path(self.literal(*arguments.first()?)?)?;
                Some((router, short(prefix + &own)?))
            }
            _ => None,
        }
    }

    fn call(&mut self, call: Node<'_>) {
        if self.builder.is_full() {
            return;
        }
        let Some((callee, arguments)) = fields(call, "function", "arguments") else {
            return;
        };
        let arguments = children(arguments);
        if let Some((object, field)) = fields(callee, "operand", "field") {
            let name = self.text(field);
            let lower = name.to_ascii_lowercase();
            let verb = if name == "Any" {
                Some("")
            } else if name == name.to_ascii_uppercase() {
                method_of_word(name)
            } else {
                method_of(&lower).filter(|_| name != lower)
            };
            let path = arguments.first().and_then(|it| self.literal(*it));
            if let (Some(method), Some(path)) = (verb, path) {
                if let Some(router) = self.router(object, 0) {
                    let named = arguments.last().copied().filter(|it| {
                        matches!(it.kind(), "identifier" | "selector_expression")
                            && arguments.len() > 1
                    });
                    self.builder
                        .add_registered(call, method, &router, path, named);
                }
                return;
            }
            if name == "Mount" {
                let router = self.router(object, 0);
                if let (Some(path), Some((parent, prefix)), Some(target)) =
                    (path, router, arguments.get(1))
                {
                    self.mount(call, parent, &prefix, Some(path), *target);
                }
                return;
            }
        }
        // `registerUsers(api.Group("/users"))`
        let router = arguments.iter().find_map(|it| self.router(*it, 0));
        if let (Some((parent, prefix)), Some(target)) = (router, self.builder.reference(callee)) {
            let target = MountTarget::Reference(target);
            self.builder
                .add_mount(parent, Some(prefix), false, target, call);
        }
    }

    /// `r.Mount("/users", users())`
    fn mount(
        &mut self,
        call: Node<'_>,
        parent: Router,
        prefix: &str,
        path: Option<&str>,
        target: Node<'_>,
    ) {
        let callee = target.child_by_field_name("function");
        let Some(target) = callee.and_then(|it| self.builder.reference(it)) else {
            return;
        };
        let own = path.and_then(route_path);
        let prefix = own.map(|own| format!("{prefix}{own}"));
        let target = MountTarget::Reference(target);
        self.builder.add_mount(parent, prefix, false, target, call);
    }
}

/// Whether the code above `import "C"` has a function of a name: `static int open(int n) {`.
fn is_defined(preamble: &str, name: &str) -> bool {
    preamble.lines().any(|line| {
        let Some((before, behind)) = line.split_once(name) else {
            return false;
        };
        let is_declared = before
            .trim()
            .trim_start_matches("//")
            .chars()
            .next()
            .is_some_and(char::is_alphabetic)
            && before.ends_with([' ', '*', '\t'])
            && !before.contains(['(', '=', ';'])
            && !before.trim_start().starts_with("return ");
        is_declared && behind.trim_start().starts_with('(') && !line.trim_end().ends_with(';')
    })
}

#[cfg(test)]
mod tests {
    use super::is_defined;

    #[test]
    fn functions_above_the_import_hide_those_of_the_directory() {
        let preamble = "/*\n#include <a.h>\nstatic int\nmine(int n) {\nstatic int own(int n) {\n  return other(n);\n}\nint far(void);\n*/";
        assert!(is_defined(preamble, "own"));
        assert!(!is_defined(preamble, "other"));
        assert!(!is_defined(preamble, "far"));
    }
}

//! Routes of the minimal APIs of ASP.NET, and methods that functions of C stand behind (P/Invoke).

use tree_sitter::Node;

use super::super::endpoints::{
    EndpointBuilder, MAX_ENDPOINTS, MAX_NESTING, NestedNodes, children, each_node, fields,
    is_too_long, route_path, short,
};
use crate::ir::{EndpointRole, FileFacts, LINKAGE_KEY, LinkageReach, MountTarget, Router};
use crate::model::hash::HashMap;

/// Functions that register a route, with their methods.
const MAPS: [(&str, &str); 5] = [
    ("MapGet", "GET"),
    ("MapPost", "POST"),
    ("MapPut", "PUT"),
    ("MapPatch", "PATCH"),
    ("MapDelete", "DELETE"),
];

/// Libraries of operating systems: their functions are no functions of the repository.
const SYSTEM: [&str; 19] = [
    "advapi32",
    "bcrypt",
    "comctl32",
    "crypt32",
    "dbghelp",
    "gdi32",
    "iphlpapi",
    "kernel32",
    "libc",
    "libdl",
    "libpthread",
    "ncrypt",
    "ntdll",
    "ole32",
    "oleaut32",
    "psapi",
    "shell32",
    "user32",
    "ws2_32",
];

struct EndpointReader<'s, 'f, 't> {
    builder: EndpointBuilder<'s, 'f>,
    functions: NestedNodes<'t>,
    /// Groups of routes, by the function around and the name of the variable.
    groups: HashMap<(usize, &'s str), (Router, String)>,
    /// Constants that are texts.
    texts: HashMap<&'s str, Option<&'s str>>,
}

/// Adds the endpoints of a compilation unit to its facts.
pub(super) fn add(source: &str, root: Node<'_>, facts: &mut FileFacts) {
    let has_natives = source.contains("DllImport") || source.contains("LibraryImport");
    let has_routes = source.contains(".Map");
    if !has_natives && !has_routes {
        return;
    }
    let builder = EndpointBuilder::new(source, facts);
    let mut reader = EndpointReader {
        builder,
        functions: NestedNodes::default(),
        groups: HashMap::default(),
        texts: HashMap::default(),
    };
    let mut natives = Vec::new();
    let mut calls = Vec::new();
    each_node(root, |node| match node.kind() {
        "method_declaration" | "local_function_statement" | "constructor_declaration" => {
            reader.functions.push(node);
            if has_natives {
                natives.push(node);
            }
        }
        "invocation_expression" if has_routes => calls.push(node),
        "variable_declarator" => {
            let name = node.child_by_field_name("name").map(|it| reader.text(it));
            let value = children(node).last().copied();
            if let (Some(name), Some(value)) = (name, value) {
                if let Some(text) = reader.literal(value) {
                    // A name with two texts has none.
                    let known = reader.texts.entry(name).or_insert(Some(text));
                    *known = known.filter(|it| *it == text);
                } else if has_routes
                    && reader.groups.len() < MAX_ENDPOINTS
                    && let Some(group) = reader.group(value, 0)
                {
                    let key = (reader.around(node), name);
                    reader.groups.insert(key, group);
                }
            }
        }
        _ => {}
    });
    for method in natives {
        reader.native(method);
    }
    for call in calls {
        reader.call(call);
    }
}

impl<'s> EndpointReader<'s, '_, '_> {
    fn text(&self, node: Node<'_>) -> &'s str {
        self.builder.text(node)
    }

    /// Returns the first byte of the function around a node; 0 for code outside of all.
    fn around(&self, node: Node<'_>) -> usize {
        let function = self.functions.around(node);
        function.map_or(0, |it| it.start_byte())
    }

    fn literal(&self, node: Node<'_>) -> Option<&'s str> {
        match node.kind() {
            _ if is_too_long(node) => None,
            "string_literal" => {
                let text = self.text(node).trim_matches('"');
                (!text.contains('\\')).then_some(text)
            }
            "identifier" => self.texts.get(self.text(node)).copied().flatten(),
            _ => None,
        }
    }

    /// Returns the object, the name and the arguments of a call of a member.
    fn member_call<'t>(&self, call: Node<'t>) -> Option<(Node<'t>, &'s str, Vec<Node<'t>>)> {
        if call.kind() != "invocation_expression" {
            return None;
        }
        let callee = call.child_by_field_name("function")?;
        let (object, name) = fields(callee, "expression", "name")?;
        let arguments = children(call.child_by_field_name("arguments")?);
        let values = arguments.into_iter().filter_map(|it| it.named_child(0));
        Some((object, self.text(name), values.collect()))
    }

    /// Returns the router that an expression is, with its prefix: `app.MapGroup("/api").WithTags("a")`.
    /// It stands `depth` deep in another one.
    fn group(&self, value: Node<'_>, depth: usize) -> Option<(Router, String)> {
        if depth > MAX_NESTING {
            return None;
        }
        if value.kind() == "identifier" {
            let name = self.text(value);
            let known = self.groups.get(&(self.around(value), name)).cloned();
            return known.or_else(|| self.server(value, name));
        }
        let (object, name, arguments) = self.member_call(value)?;
        if name == "MapGroup" {
            let (router, prefix) = self.group(object, depth + 1)?;
            let own = route_path(self.literal(*arguments.first()?)?)?;
            return Some((router, short(prefix + &own)?));
        }
        if name == "Build" || name.starts_with("Map") {
            return None;
        }
        // Calls that say more of a group give it back: `WithTags`, `HasApiVersion`.
        self.group(object, depth + 1)
    }

    /// A server by its usual name in a program, or a parameter that is one.
    fn server(&self, at: Node<'_>, name: &str) -> Option<(Router, String)> {
        let mut around = self.functions.around(at);
        while let Some(function) = around {
            let parameters = function.child_by_field_name("parameters");
            for parameter in parameters.map(children).unwrap_or_default() {
                let own = parameter.child_by_field_name("name");
                if own.is_none_or(|it| self.text(it) != name) {
                    continue;
                }
                let written = parameter.child_by_field_name("type");
                return match written.map(|it| self.text(it)) {
                    Some("WebApplication") => Some((Router::Root, String::new())),
                    Some("IEndpointRouteBuilder" | "RouteGroupBuilder") => {
                        let name = function.child_by_field_name("name")?;
                        let symbol = self.builder.defined_at(name)?;
                        Some((Router::Symbol(symbol), String::new()))
                    }
                    _ => None,
                };
            }
            around = self.functions.around(function);
        }
        (name == "app").then(|| (Router::Root, String::new()))
    }

    /// `api.MapGet("/items", GetItems)`, `app.MapGroup("/api").MapItems()`
    fn call(&mut self, call: Node<'_>) {
        if self.builder.is_full() {
            return;
        }
        let Some((object, name, arguments)) = self.member_call(call) else {
            return;
        };
        if let Some((_, method)) = MAPS.iter().find(|it| it.0 == name) {
            let path = arguments.first().and_then(|it| self.literal(*it));
            let Some((path, group)) = path.zip(self.group(object, 0)) else {
                return;
            };
            let handler = arguments.get(1).copied();
            let named =
                handler.filter(|it| matches!(it.kind(), "identifier" | "member_access_expression"));
            self.builder
                .add_registered(call, method, &group, path, named);
        } else if name.starts_with("Map")
            && name != "MapGroup"
            && arguments.is_empty()
            && let Some((parent, prefix)) = self.group(object, 0)
            && let Some(target) = self.builder.method_reference(name)
        {
            let target = MountTarget::Reference(target);
            self.builder
                .add_mount(parent, Some(prefix), false, target, call);
        }
    }

    /// `[DllImport("git2")] static extern int git_open();`
    fn native(&mut self, method: Node<'_>) {
        let lists = children(method).into_iter();
        let lists = lists.filter(|it| it.kind() == "attribute_list");
        let attribute = lists.flat_map(children).find(|it| {
            let name = it.child_by_field_name("name");
            let name = name.map_or("", |it| self.text(it));
            let last = name.rsplit('.').next().unwrap_or(name);
            matches!(
                last,
                "DllImport" | "DllImportAttribute" | "LibraryImport" | "LibraryImportAttribute"
            )
        });
        let (Some(attribute), Some(name)) = (attribute, method.child_by_field_name("name")) else {
            return;
        };
        let Some(symbol) = self.builder.defined_at(name) else {
            return;
        };
        let arguments = children(attribute).into_iter();
        let list = arguments.filter(|it| it.kind() == "attribute_argument_list");
        let arguments: Vec<Node<'_>> = list.flat_map(children).collect();
        let library = arguments
            .first()
            .and_then(|it| self.literal(it.named_child(0)?));
        let is_system = library.is_some_and(|it| {
            let it = it.rsplit(['/', '\\']).next().unwrap_or(it);
            let stem = it.split('.').next().unwrap_or(it).to_ascii_lowercase();
            SYSTEM.contains(&stem.as_str())
        });
        if is_system {
            return;
        }
        let entry = arguments
            .iter()
            .find(|it| self.text(**it).trim_start().starts_with("EntryPoint"));
        let function = match entry {
            None => self.text(name),
            Some(entry) => {
                let value = children(*entry).last().copied();
                match value.and_then(|it| self.literal(it)) {
                    Some(text) => text,
                    None => return,
                }
            }
        };
        let role = EndpointRole::Use {
            key: format!("{LINKAGE_KEY}{function}"),
            reach: LinkageReach::Repository,
        };
        self.builder.add(role, Some(symbol), name);
    }
}

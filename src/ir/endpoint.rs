//! Endpoints: the places where a file offers something to files of other languages, or asks for something, by a name that both
//! write out: the route of a request, the symbol of a native function, the statement of a mapper.
//!
//! Both sides meet in a unit whose key is made of that name: a file that offers belongs to it, one that asks imports it.
//! `link::bridges` binds the two.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{FileFacts, Import, ImportIdx, ImportKind, SymbolIdx};

/// The beginning of the keys of units in which endpoints meet, and of the specifiers of imports that lead there. No name of a
/// file is looked up in them.
pub const BRIDGE: &str = "bridge:";

/// The specifier of the unit of the files that mount routers under a prefix.
pub const MOUNTS: &str = "bridge:http mounts";

/// The beginning of the specifiers of names with external linkage: `bridge:c sqlite3_open`. They lead to the unit of C that the
/// name belongs to.
pub const LINKAGE: &str = "bridge:c ";

/// The beginning of the keys of names with external linkage.
pub const LINKAGE_KEY: &str = "c ";

/// The beginning of the specifiers of packages of Java: `bridge:java com.acme`.
pub const JAVA_PACKAGE: &str = "bridge:java ";

/// The beginning of the specifiers of services of Protocol Buffers: `bridge:proto helloworld.Greeter`.
pub const PROTOBUF_SERVICE: &str = "bridge:proto ";

/// The beginning of the specifiers of files of Protocol Buffers, by their last name: `bridge:proto-file helloworld.proto`.
pub const PROTOBUF_FILE: &str = "bridge:proto-file ";

/// The beginning of the specifiers of native modules of Python, by their own names: `bridge:py-module _rust`.
pub const PYTHON_MODULE: &str = "bridge:py-module ";

/// The specifier of the unit of the files that offer functions and classes to Python.
pub const PYTHON_NATIVES: &str = "bridge:py-natives";

/// Returns the key of a native module of Python: `py-module _rust`.
pub fn python_module_key(module: &str) -> String {
    format!("py-module {module}")
}

/// Returns the key under which a function or a class is offered to Python: `py-natives#load`.
pub fn python_native_key(name: &str) -> String {
    format!("py-natives#{name}")
}

/// Returns the key of a function or a class of a native module: `py-module _rust#load`.
pub fn python_use_key(module: &str, name: &str) -> String {
    format!("py-module {module}#{name}")
}

/// Returns the unit of a key, whose members stand behind `#`: `bridge:py-natives` of `py-natives#load`.
pub fn unit_of_key(key: &str) -> String {
    let unit = key.split('#').next().unwrap_or(key);
    format!("{BRIDGE}{unit}")
}

/// Returns the key of a service of a package, which is empty where a file names none: `proto helloworld.Greeter`.
pub fn protobuf_service_key(package: &str, service: &str) -> String {
    let dot = if package.is_empty() { "" } else { "." };
    format!("proto {package}{dot}{service}")
}

/// Returns the key of a method of a service by its full name: `proto helloworld.Greeter#SayHello`.
pub fn protobuf_method_key(service: &str, method: &str) -> String {
    format!("proto {service}#{method}")
}

/// Returns the key of a message or an enumeration of a file: `proto-file helloworld.proto#Outer_Inner`.
pub fn protobuf_message_key(file: &str, message: &str) -> String {
    format!("proto-file {file}#{message}")
}

/// Returns the key of a member of a class of Java by the name of the class: `java com.acme#UserMapper.find`. `None` for a class
/// without a package.
pub fn java_member_key(class: &str, member: &str) -> Option<String> {
    let (package, class) = class.rsplit_once('.')?;
    Some(format!("java {package}#{class}.{member}"))
}

/// A place where a file offers something to other languages, or asks for something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The side that it takes.
    pub role: EndpointRole,
    /// The definition that offers or asks; of a router or a client the variable that holds it.
    pub symbol: Option<SymbolIdx>,
    /// Its line.
    pub line: u32,
}

/// The side that an endpoint takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndpointRole {
    /// `app.get('/users/:id', show)`: a handler of requests.
    Route(HttpRoute),
    /// `app.use('/api', router)`: a router under a prefix.
    Mount(Mount),
    /// `const router = express.Router()`, `const api = axios.create({ baseURL: '/api' })`: an object that others use for routes or
    /// requests.
    Object {
        /// Its kind.
        kind: HttpObject,
        /// The path that its routes or requests begin with, empty where none is known.
        path: String,
    },
    /// `api.get('/users')`: a request.
    Request(Request),
    /// A use of what has this key.
    Use {
        /// The kind and the name.
        key: String,
        /// Where it may be.
        reach: LinkageReach,
    },
    /// A definition that is used under this key.
    Offer {
        /// The kind and the name.
        key: String,
    },
}

/// The kind of an object that makes requests, or takes routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HttpObject {
    /// `express()`
    Server,
    /// `express.Router()`
    Router,
    /// `axios.create()`
    Client,
}

/// A handler of requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRoute {
    /// `GET`; empty for every method.
    pub method: String,
    /// The prefix that its router was made with: `/users` of `APIRouter(prefix='/users')`.
    pub prefix: String,
    /// The path below that, with `{}` for each parameter: `/{}/posts`.
    pub path: String,
    /// The router that it is registered with.
    pub router: Router,
    /// The use of the handler, an index into [`FileFacts::endpoint_uses`], where it is named. Otherwise it is the symbol of the
    /// endpoint.
    pub handler: Option<u32>,
}

/// The object that routes are registered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Router {
    /// A server: paths are whole.
    Root,
    /// A variable that holds a router, or the function that has it as its parameter.
    Symbol(SymbolIdx),
    /// An object that another file makes, an index into [`FileFacts::endpoint_uses`].
    Imported(u32),
    /// The file, whose list of routes is mounted as a whole.
    File,
    /// A server whose prefix another file may set for all routes.
    Global,
    /// An object that is not known: its routes answer somewhere, and stand in the way of others.
    Unknown,
}

/// A router under a prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The prefix, with that of the parent's construction; `None` where it is computed.
    pub prefix: Option<String>,
    /// Whether the prefix stands in place of the one that the router was made with.
    pub replaces: bool,
    /// The router that it is mounted on.
    pub parent: Router,
    /// The router.
    pub target: MountTarget,
}

/// The router that is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MountTarget {
    /// The definition that a use leads to, an index into [`FileFacts::endpoint_uses`].
    Reference(u32),
    /// The routers of the file that an import leads to.
    Import(ImportIdx),
    /// A definition of the file.
    Symbol(SymbolIdx),
    /// All routers of [`Router::Global`].
    Global,
}

/// A request to a literal path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// `GET`.
    pub method: String,
    /// The path without host and query, with `{}` for each value that is put in: `/users/{}`.
    pub path: String,
    /// The value that is put in before the path, where it is a name: `settings.API` of `f"{settings.API}/users"`.
    pub before: String,
    /// The use of the client, an index into [`FileFacts::endpoint_uses`], where another file may have made it.
    pub client: Option<u32>,
}

/// Where the definition may be that a key stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkageReach {
    /// Anywhere in the repository.
    Repository,
    /// In the directory of the file, or behind these headers.
    Headers(Vec<String>),
}

impl Endpoint {
    /// The keys of the units that an endpoint is found in.
    fn offered(&self) -> Vec<String> {
        match &self.role {
            EndpointRole::Route(route) => {
                let whole = route_key(&format!("{}{}", route.prefix, route.path));
                // A mount may replace the prefix.
                vec![whole, route_key(&route.path)]
            }
            EndpointRole::Mount(_) => vec![MOUNTS.to_owned()],
            EndpointRole::Offer { key } => vec![unit_of_key(key)],
            EndpointRole::Object { .. } | EndpointRole::Request(_) | EndpointRole::Use { .. } => {
                Vec::new()
            }
        }
    }

    /// The keys of the units in which the other side is looked for.
    fn asked(&self) -> Vec<String> {
        match &self.role {
            EndpointRole::Request(request) => {
                let mut all = request_keys(&request.path);
                all.push(MOUNTS.to_owned());
                all
            }
            EndpointRole::Use { key, .. } => {
                // Members are found in their packages.
                let mut all = vec![unit_of_key(key)];
                if all[0].starts_with(PYTHON_MODULE) {
                    all.push(PYTHON_NATIVES.to_owned());
                }
                all
            }
            _ => Vec::new(),
        }
    }
}

impl FileFacts {
    /// Returns the keys of the units in which others find the endpoints of the file.
    pub fn offered_bridges(&self) -> BTreeSet<String> {
        self.endpoints.iter().flat_map(Endpoint::offered).collect()
    }

    /// Adds an import for each unit in which an endpoint of the file looks for the other side, where it has none.
    pub fn import_bridges(&mut self) {
        if self.endpoints.is_empty() {
            return;
        }
        let specifiers = self.imports.iter().map(|it| &it.specifier);
        let bridges = specifiers.filter(|it| it.starts_with(BRIDGE));
        let mut known: BTreeSet<String> = bridges.cloned().collect();
        for endpoint in &self.endpoints {
            for specifier in endpoint.asked() {
                if known.insert(specifier.clone()) {
                    self.imports.push(Import {
                        specifier,
                        kind: ImportKind::Scope,
                        type_only: false,
                        line: endpoint.line,
                        names: Vec::new(),
                    });
                }
            }
        }
    }
}

/// Returns the segments of a path: `users` and `{}` of `/users/{}/`.
fn segments(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|it| !it.is_empty())
}

/// Returns the key of a route: its path from the last literal segment on, `users/{}` for `/api/users/{}`, so that it does not
/// depend on prefixes that other files add.
pub fn route_key(path: &str) -> String {
    let all: Vec<&str> = segments(path).collect();
    let last = all.iter().rposition(|it| !it.contains("{}"));
    match last {
        Some(last) => format!("{BRIDGE}http {}", all[last..].join("/")),
        None => format!("{BRIDGE}http /{}", all.join("/")),
    }
}

/// Returns the keys of the routes that a request for a path may mean: that of the whole path, and those of routes that begin behind
/// its last literal segment.
pub fn request_keys(path: &str) -> Vec<String> {
    let whole = route_key(path);
    let all: Vec<&str> = segments(path).collect();
    let last = all.iter().rposition(|it| !it.contains("{}"));
    let from = last.map_or(0, |last| last + 1);
    let mut keys = vec![whole];
    for at in from..=all.len() {
        let key = format!("{BRIDGE}http /{}", all[at..].join("/"));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Returns a segment that stands for the value of a name, in the prefix of a router and before the path of a request: `<settings.API>`.
pub fn named_segment(name: &str) -> String {
    if name.is_empty() {
        String::new()
    } else {
        format!("/<{name}>")
    }
}

/// Joins a prefix and a path: `/api/users` for `/api/` and `users`; empty segments are left out.
pub fn join_paths(prefix: &str, path: &str) -> String {
    let mut out = String::new();
    for segment in segments(prefix).chain(segments(path)) {
        out.push('/');
        out.push_str(segment);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{join_paths, request_keys, route_key};

    #[test]
    fn a_request_is_looked_for_under_the_keys_of_its_routes() {
        assert_eq!(route_key("/api/users/{}"), "bridge:http users/{}");
        assert_eq!(route_key("/{}/"), "bridge:http /{}");
        assert_eq!(route_key(""), "bridge:http /");
        let keys = request_keys("/api/users/{}");
        // Of a router under `/api/users` the routes `/{}`, of one under `/api/users/{}` the route `/`.
        assert_eq!(
            keys,
            ["bridge:http users/{}", "bridge:http /{}", "bridge:http /"]
        );
        assert_eq!(join_paths("/api/", "users/"), "/api/users");
        assert_eq!(join_paths("", "/"), "");
    }
}

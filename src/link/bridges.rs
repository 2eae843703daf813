//! Binds uses of other languages by the names that both sides write: a request to the handler of its route, a declaration to the
//! function that it stands for.
//!
//! Endpoints meet in units: who asks imports the unit of a name, and the files that offer it are the files of the unit. Where
//! several definitions match, or the prefix of a router is not known, nothing is bound.

use std::rc::Rc;

use super::file::LinkedFile;
use super::linker::Linker;
use super::lookup::UseMeaning;
use super::path_names::SymbolKey;
use crate::ir::{
    BRIDGE, Endpoint, EndpointRole, HttpObject, HttpRoute, JAVA_PACKAGE, LINKAGE, LinkageReach,
    MOUNTS, MountTarget, PROTOBUF_FILE, PROTOBUF_SERVICE, PYTHON_MODULE, Request, Router,
    SymbolIdx, join_paths, named_segment, python_native_key, request_keys, unit_of_key,
};
use crate::model::hash::{HashMap, HashSet};
use crate::model::path::{file_name, is_at_or_below, parent};
use crate::model::{Family, ModuleId, RepoPath, SymbolFlags, SymbolKind, file_role};
use crate::store::interface::HTTP_OBJECTS;

/// How deep routers are mounted on one another.
const MAX_MOUNTS: usize = 8;

/// Prefixes under which one router is mounted.
const MAX_PREFIXES: usize = 64;

/// Places that are looked at for them.
const MAX_STEPS: usize = 200;

/// A use of a definition of another language.
pub(super) struct BridgeUse {
    pub(super) from: Option<SymbolIdx>,
    pub(super) to: SymbolKey,
    pub(super) line: u32,
}

/// A router that is mounted on another one.
struct ResolvedMount {
    parent: RouterId,
    /// With that of the parent's construction; `None` where it is computed.
    prefix: Option<String>,
    /// Whether the prefix stands in place of the one that the router was made with.
    replaces: bool,
    /// Of a mount of a file, whether its routers are mounted with it; else its own list of routes alone is.
    has_routers: bool,
}

/// The mounts of a repository.
#[derive(Default)]
struct MountTable {
    by_target: HashMap<RouterId, Vec<ResolvedMount>>,
    /// Memo of [`Self::prefixes`], by router and the prefix that it was made with.
    known: HashMap<(RouterId, String), Rc<[String]>>,
}

/// A router, by its definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum RouterId {
    Root,
    One(SymbolKey),
    /// The routes of a file; of a mount all routers of it.
    File(ModuleId),
    Global,
}

impl Linker<'_, '_> {
    /// Returns the uses of other languages in the file.
    pub(super) fn bridges(&self) -> Vec<BridgeUse> {
        let mut mounts = None;
        let mut all = Vec::new();
        for endpoint in &self.file.facts.endpoints {
            let found = match &endpoint.role {
                EndpointRole::Request(request) => {
                    self.route_of(request, endpoint.symbol, &mut mounts)
                }
                EndpointRole::Use { key, reach } => self.offer_of(key, reach),
                _ => None,
            };
            all.extend(found.map(|to| BridgeUse {
                from: endpoint.symbol,
                to,
                line: endpoint.line,
            }));
        }
        all
    }

    /// The files that offer something under the key of a unit.
    fn offering(&self, unit: &str) -> Vec<Rc<LinkedFile>> {
        let unit_of = self.file.target_of(unit);
        let Some(files) = unit_of.and_then(|unit| self.cache.get(unit)) else {
            return Vec::new();
        };
        let files = files.files_of_unit().iter();
        let loaded: Vec<_> = files.filter_map(|file| self.cache.get(*file)).collect();
        for file in &loaded {
            file.record_name(unit);
        }
        loaded
    }

    /// Returns the handler of the route that answers a request of a definition: of a route for its method before one for all. Of several
    /// the one that the definition holds, else the one of the file, if that is a test, which may have a server of its own. `None` where several are left.
    fn route_of(
        &self,
        request: &Request,
        asking: Option<SymbolIdx>,
        mounts: &mut Option<MountTable>,
    ) -> Option<SymbolKey> {
        let base = match request.client {
            Some(client) => match self.object(&Rc::clone(&self.file), client)? {
                (_, HttpObject::Client, base) => base,
                _ => return None,
            },
            None => String::new(),
        };
        // The value that is put in before the path may be an address, or a prefix that a server has by the same name.
        let whole = join_paths(&base, &request.path);
        let named = join_paths(&named_segment(&request.before), &request.path);
        let mut exact: Vec<SymbolKey> = Vec::new();
        let mut of_all: Vec<SymbolKey> = Vec::new();
        let mut is_unknown = false;
        for key in request_keys(&request.path) {
            for file in self.offering(&key) {
                let mut answered: Vec<&HttpRoute> = Vec::new();
                for endpoint in &file.facts.endpoints {
                    let EndpointRole::Route(route) = &endpoint.role else {
                        continue;
                    };
                    let is_method = route.method.is_empty() || route.method == request.method;
                    if !is_method || !whole.ends_with(&route.path) {
                        continue;
                    }
                    if route.router == Router::Unknown {
                        is_unknown |= route.path == whole;
                        continue;
                    }
                    match self.is_at(&file, route, [&whole, &named], mounts) {
                        Some(true) => {}
                        Some(false) => continue,
                        None => {
                            // Where nothing is said of its prefix, it may have none; the list at the root of a router has one.
                            let own = join_paths(&route.prefix, &route.path);
                            is_unknown |= own == whole && !own.is_empty();
                            continue;
                        }
                    }
                    // Of two routes of one router for the same the first answers.
                    let is_later = answered.iter().any(|it| {
                        (it.router, &it.method, &it.prefix, &it.path)
                            == (route.router, &route.method, &route.prefix, &route.path)
                            && !matches!(it.router, Router::Root)
                            && file.facts.family != Family::Go
                    });
                    answered.push(route);
                    if is_later {
                        continue;
                    }
                    let Some(place) = self.handler(&file, endpoint, route) else {
                        is_unknown = true;
                        continue;
                    };
                    let matching = if route.method.is_empty() {
                        &mut of_all
                    } else {
                        &mut exact
                    };
                    if !matching.contains(&place) {
                        matching.push(place);
                    }
                }
            }
        }
        let mut found = if exact.is_empty() { of_all } else { exact };
        // A handler that asks for its own route asks another server.
        found.retain(|it| asking.is_none_or(|asking| *it != (self.file.file, asking)));
        let is_test = self.is_test_file();
        let own = found.iter().filter(|it| is_test && it.0 == self.file.file);
        let own: Vec<SymbolKey> = own.copied().collect();
        let held = own.iter().filter(|it| {
            let around = |at: &SymbolIdx| self.file.symbol(*at).parent;
            let mut holders = std::iter::successors(Some(it.1), around);
            asking.is_some_and(|asking| holders.any(|it| it == asking))
        });
        let held: Vec<SymbolKey> = held.copied().collect();
        // A route whose router or handler is not known answers all the same.
        let all = if is_unknown { Vec::new() } else { found };
        let mut chosen = [held, own, all].into_iter();
        let chosen = chosen.find(|it| !it.is_empty())?;
        <[SymbolKey; 1]>::try_from(chosen).ok().map(|[one]| one)
    }

    /// Whether the file is a test, by its path or the names of its functions.
    fn is_test_file(&self) -> bool {
        let path = self.cache.path_of(self.file.file);
        let by_path = path.is_some_and(|path| {
            let by_name = file_role::by_name(path.as_str());
            let role = by_name.unwrap_or_else(|| file_role::by_directories(path.as_str()));
            role.is_of_tests()
        });
        let mut symbols = self.file.facts.symbols.iter();
        by_path || symbols.any(|it| it.name.starts_with("test") || it.name.starts_with("Test"))
    }

    /// The definition that answers the requests of a route.
    fn handler(
        &self,
        file: &Rc<LinkedFile>,
        endpoint: &Endpoint,
        route: &HttpRoute,
    ) -> Option<SymbolKey> {
        let named = route.handler.and_then(|at| self.bound_in(file, at));
        let router = match route.router {
            Router::Symbol(at) => Some(at),
            Router::Imported(at) => {
                return named.or_else(|| {
                    let own = endpoint.symbol.map(|at| (file.file, at));
                    own.or_else(|| self.bound_in(file, at))
                });
            }
            Router::Root | Router::File | Router::Global | Router::Unknown => None,
        };
        let own = endpoint.symbol.or(router).map(|at| (file.file, at));
        named.or(own)
    }

    /// The definition that a use of an endpoint of a file leads to.
    fn bound_in(&self, file: &Rc<LinkedFile>, reference: u32) -> Option<SymbolKey> {
        let linker = Linker::new(self.cache, Rc::clone(file));
        let used = file.facts.endpoint_uses.get(reference as usize)?;
        match linker.bind(used) {
            UseMeaning::Bound(bound) => Some(bound.to),
            UseMeaning::External
            | UseMeaning::KeywordArgument
            | UseMeaning::FieldOfUnnamedStruct
            | UseMeaning::OfUnion(_)
            | UseMeaning::Unknown => None,
        }
    }

    /// The server, router or client that a reference of a file leads to, with the path that it was made with.
    fn object(
        &self,
        file: &Rc<LinkedFile>,
        reference: u32,
    ) -> Option<(SymbolKey, HttpObject, String)> {
        let place = self.bound_in(file, reference)?;
        let loaded = self.cache.get(place.0)?;
        loaded.record_name(HTTP_OBJECTS);
        let mut all = loaded.facts.endpoints.iter();
        all.find_map(|it| match &it.role {
            EndpointRole::Object { kind, path } if it.symbol == Some(place.1) => {
                Some((place, *kind, path.clone()))
            }
            _ => None,
        })
    }

    /// Whether a route answers under one of two paths; `None` where no place is known at which its router is mounted.
    fn is_at(
        &self,
        file: &Rc<LinkedFile>,
        route: &HttpRoute,
        paths: [&str; 2],
        mounts: &mut Option<MountTable>,
    ) -> Option<bool> {
        let Some((router, own)) = self.router(file, route.router, &route.prefix) else {
            return Some(false);
        };
        // Nobody mounts a server: the other files need not be read.
        let prefixes = if router == RouterId::Root {
            [own].into()
        } else {
            let mounts = mounts.get_or_insert_with(|| self.mounts());
            mounts.prefixes(router, own)
        };
        let mut answered = prefixes.iter().map(|it| join_paths(it, &route.path));
        let is_there = answered.any(|it| paths.contains(&it.as_str()));
        let is_mounted = !prefixes.is_empty()
            || mounts
                .as_ref()
                .is_some_and(|it| it.of(router).next().is_some());
        is_mounted.then_some(is_there)
    }

    /// The router of a file, with the prefix that it was made with.
    fn router(
        &self,
        file: &Rc<LinkedFile>,
        router: Router,
        prefix: &str,
    ) -> Option<(RouterId, String)> {
        let place = match router {
            Router::Root => RouterId::Root,
            Router::Global => RouterId::Global,
            Router::Unknown => return None,
            Router::File => RouterId::File(file.file),
            Router::Symbol(at) => RouterId::One((file.file, at)),
            Router::Imported(at) => {
                let (place, kind, path) = self.object(file, at)?;
                let place = match kind {
                    HttpObject::Server => RouterId::Root,
                    HttpObject::Router => RouterId::One(place),
                    HttpObject::Client => return None,
                };
                return Some((place, path));
            }
        };
        Some((place, prefix.to_owned()))
    }

    /// All mounts of the repository.
    fn mounts(&self) -> MountTable {
        let mut all = MountTable::default();
        for file in self.offering(MOUNTS) {
            for endpoint in &file.facts.endpoints {
                let EndpointRole::Mount(mount) = &endpoint.role else {
                    continue;
                };
                let target = match mount.target {
                    MountTarget::Reference(at) => self.bound_in(&file, at).map(RouterId::One),
                    MountTarget::Import(at) => file.target(at).map(RouterId::File),
                    MountTarget::Symbol(at) => Some(RouterId::One((file.file, at))),
                    MountTarget::Global => Some(RouterId::Global),
                };
                let (Some(target), Some((parent, own))) =
                    (target, self.router(&file, mount.parent, ""))
                else {
                    continue;
                };
                let prefix = mount.prefix.as_ref();
                let of_target = all.by_target.entry(target).or_default();
                of_target.push(ResolvedMount {
                    parent,
                    prefix: prefix.map(|prefix| join_paths(&own, prefix)),
                    replaces: mount.replaces,
                    has_routers: file.facts.family != Family::Python,
                });
            }
        }
        all
    }

    /// Returns the definition of a key; `None` where there are several.
    fn offer_of(&self, key: &str, reach: &LinkageReach) -> Option<SymbolKey> {
        let specifier = format!("{BRIDGE}{key}");
        if let Some(name) = specifier.strip_prefix(LINKAGE) {
            return self.linked_function(&specifier, name, reach);
        }
        if let Some((package, member)) = specifier.split_once('#')
            && package.starts_with(JAVA_PACKAGE)
        {
            return self.java_member(package, member);
        }
        let (unit, member) = specifier.split_once('#')?;
        if unit.starts_with(PYTHON_MODULE) {
            return self.python_native(unit, member);
        }
        let found = if unit.starts_with(PROTOBUF_FILE) {
            self.messages_of(unit, member, reach)
        } else if unit.starts_with(PROTOBUF_SERVICE) {
            self.methods_of(unit, member)
        } else {
            Vec::new()
        };
        self.nearest(&found)
    }

    /// The messages and enumerations of a name in the files of Protocol Buffers whose paths end as `reach` has it.
    fn messages_of(&self, unit: &str, name: &str, reach: &LinkageReach) -> Vec<SymbolKey> {
        let LinkageReach::Headers(paths) = reach else {
            return Vec::new();
        };
        // `A_B` is the message `A_B`, or `B` in `A`.
        let ends = name.match_indices('_').map(|(at, _)| &name[at + 1..]);
        let own_names: Vec<&str> = ends.chain([name]).collect();
        let mut found = Vec::new();
        for file in self.offering(unit) {
            for own_name in &own_names {
                file.record_name(own_name);
            }
            let path = self.cache.path_of(file.file);
            if !path.is_some_and(|path| paths.iter().any(|it| is_header(path.as_str(), it))) {
                continue;
            }
            let symbols = file.facts.symbols.iter().zip(0..);
            let named = symbols.filter(|(it, _)| {
                matches!(it.kind, SymbolKind::Class | SymbolKind::Enum)
                    && it.qualified_name.replace('.', "_") == name
            });
            found.extend(named.map(|(_, at)| (file.file, at)));
        }
        found
    }

    /// The methods of a name in the services of a full name.
    fn methods_of(&self, service: &str, name: &str) -> Vec<SymbolKey> {
        let mut found = Vec::new();
        let service = service.strip_prefix(BRIDGE).unwrap_or(service);
        for (file, owner) in self.offered_as(service) {
            let Some(file) = self.cache.get(file) else {
                continue;
            };
            file.record_name(name);
            let symbols = file.facts.symbols.iter().zip(0..);
            let named = symbols.filter(|(it, _)| it.parent == Some(owner) && it.name == name);
            found.extend(named.map(|(_, at)| (file.file, at)));
        }
        found
    }

    /// The definitions that are offered under a key.
    fn offered_as(&self, key: &str) -> Vec<SymbolKey> {
        let mut found = Vec::new();
        for file in self.offering(&unit_of_key(key)) {
            let endpoints = file.facts.endpoints.iter();
            let same = endpoints.filter(|it| match &it.role {
                EndpointRole::Offer { key: own } => own == key,
                _ => false,
            });
            found.extend(same.filter_map(|it| Some((file.file, it.symbol?))));
        }
        found
    }

    /// The function or class of Rust that a module of Python has by a name: the only one, else the only one below the directory in which
    /// the module is made.
    fn python_native(&self, module: &str, name: &str) -> Option<SymbolKey> {
        let modules = self.offered_as(module.strip_prefix(BRIDGE)?);
        if modules.is_empty() {
            return None;
        }
        let found = self.offered_as(&python_native_key(name));
        if let [one] = found.as_slice() {
            return Some(*one);
        }
        let made_in: Vec<String> = modules
            .iter()
            .filter_map(|it| self.directory_of(it.0))
            .collect();
        let mut near = found.iter().filter(|it| {
            let own = self.directory_of(it.0);
            own.is_some_and(|own| made_in.iter().any(|it| is_at_or_below(&own, it)))
        });
        let one = near.next()?;
        near.next().is_none().then_some(*one)
    }

    /// Chooses among places: the only one, else the only one in the directory of the file.
    fn nearest(&self, found: &[SymbolKey]) -> Option<SymbolKey> {
        if let [one] = found {
            return Some(*one);
        }
        let own = self.directory_of(self.file.file)?;
        let mut near = found
            .iter()
            .filter(|it| self.directory_of(it.0).as_ref() == Some(&own));
        let one = near.next()?;
        near.next().is_none().then_some(*one)
    }

    /// The method of the one type of a package of Java: `UserMapper.find`.
    fn java_member(&self, package: &str, member: &str) -> Option<SymbolKey> {
        let (class, method) = member.split_once('.')?;
        let mut found = None;
        for file in self.offering(package) {
            file.record_name(class);
            let types = file.top_level(class).iter();
            let types = types.filter(|at| file.symbol(**at).kind == SymbolKind::Interface);
            for owner in types {
                let mut members = file.facts.symbols.iter();
                let at = members.position(|it| it.parent == Some(*owner) && it.name == method);
                let Some(at) = at.and_then(|at| SymbolIdx::try_from(at).ok()) else {
                    continue;
                };
                if found.is_some() {
                    return None;
                }
                found = Some((file.file, at));
            }
        }
        found
    }

    /// The function of C that a name with external linkage stands for: its definition, else where `reach` is narrow its declaration.
    fn linked_function(&self, unit: &str, name: &str, reach: &LinkageReach) -> Option<SymbolKey> {
        let own_directory = self.directory_of(self.file.file)?;
        let mut definitions = Vec::new();
        let mut declarations = Vec::new();
        let mut is_declared_in_reach = false;
        let mut files = Vec::new();
        for file in self.offering(unit) {
            if file.facts.family == Family::C {
                files.push((self.cache.path_of(file.file)?, file));
            }
        }
        let paths: Vec<&str> = files.iter().map(|it| it.0.as_str()).collect();
        let included: HashSet<&str> = match reach {
            LinkageReach::Repository => HashSet::default(),
            LinkageReach::Headers(headers) => {
                let found = headers.iter();
                let found = found.filter_map(|it| header(&paths, &own_directory, it));
                found.collect()
            }
        };
        for (path, file) in &files {
            file.record_name(name);
            let is_near = match reach {
                LinkageReach::Repository => true,
                LinkageReach::Headers(_) => {
                    parent(path.as_str()) == own_directory || included.contains(path.as_str())
                }
            };
            for at in file.top_level(name) {
                let symbol = file.symbol(*at);
                if symbol.kind != SymbolKind::Function || symbol.parent.is_some() {
                    continue;
                }
                let is_declaration = symbol.flags.contains(SymbolFlags::DECLARATION_ONLY);
                let is_header = !is_source(path.as_str());
                let by_header = is_header && matches!(reach, LinkageReach::Headers(_));
                if !symbol.exported && !by_header {
                    continue;
                }
                is_declared_in_reach |= is_near;
                if is_declaration {
                    declarations.push(((file.file, *at), is_near));
                } else {
                    let is_below = is_at_or_below(path.as_str(), &own_directory);
                    definitions.push(((file.file, *at), is_near, is_below));
                }
            }
        }
        if !is_declared_in_reach {
            return None;
        }
        let near: Vec<SymbolKey> = definitions
            .iter()
            .filter(|it| it.1)
            .map(|it| it.0)
            .collect();
        // A copy of the library that lies with the file.
        let below: Vec<SymbolKey> = definitions
            .iter()
            .filter(|it| it.2)
            .map(|it| it.0)
            .collect();
        let all: Vec<SymbolKey> = definitions.iter().map(|it| it.0).collect();
        let found = [near, below, all].into_iter().find(|it| !it.is_empty());
        match (found, reach) {
            (Some(found), _) => <[SymbolKey; 1]>::try_from(found).ok().map(|[one]| one),
            (None, LinkageReach::Headers(_)) => {
                let mut near = declarations.iter().filter(|it| it.1).map(|it| it.0);
                let first = near.next()?;
                near.all(|it| it.0 == first.0).then_some(first)
            }
            (None, LinkageReach::Repository) => None,
        }
    }
}

/// Returns the header that `#include` means in a file of a directory: the one at that path from there, else the only one whose path ends
/// so.
fn header<'p>(paths: &[&'p str], directory: &str, included: &str) -> Option<&'p str> {
    let (mut from, mut rest) = (directory, included);
    while let Some(behind) = rest.strip_prefix("../") {
        (from, rest) = (parent(from), behind);
    }
    let from_there = RepoPath::normalise(join_paths(from, rest).trim_start_matches('/'));
    let from_there = from_there.as_ref().map(RepoPath::as_str);
    let exact = paths.iter().find(|it| Some(**it) == from_there);
    let mut ending = paths.iter().filter(|it| is_header(it, included));
    let only = ending.next().filter(|_| ending.next().is_none());
    exact.or(only).copied()
}

/// Whether a path is that of a header as `#include` names it: `src/db/open.h` for `db/open.h` and `../db/open.h`.
fn is_header(path: &str, included: &str) -> bool {
    let included = included.trim_start_matches("./").trim_start_matches("../");
    path.strip_suffix(included)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether a file of C is compiled by itself.
fn is_source(path: &str) -> bool {
    let extension = file_name(path).rsplit_once('.').map(|it| it.1);
    matches!(extension, Some("c" | "cc" | "cpp" | "cxx" | "m" | "mm"))
}

impl MountTable {
    /// The prefixes under which a router answers, with the prefix that it was made with, as far as they are known.
    fn prefixes(&mut self, router: RouterId, own: String) -> Rc<[String]> {
        let key = (router, own);
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let found: Rc<[String]> = self.find_prefixes(router, &key.1).into();
        self.known.insert(key, Rc::clone(&found));
        found
    }

    fn find_prefixes(&self, router: RouterId, own: &str) -> Vec<String> {
        let mut all = Vec::new();
        // A router may be mounted on itself, and often under one prefix: each place is gone on from once.
        let mut seen: HashSet<(RouterId, String)> = HashSet::default();
        let mut open = vec![(router, own.to_owned(), 0)];
        while let Some((router, own, depth)) = open.pop() {
            if all.len() >= MAX_PREFIXES {
                break;
            }
            if router == RouterId::Root {
                all.push(join_paths("", &own));
                continue;
            }
            let mut is_mounted = false;
            for it in self.of(router) {
                is_mounted = true;
                let (Some(prefix), true) = (&it.prefix, depth < MAX_MOUNTS) else {
                    continue;
                };
                let added = if it.replaces {
                    prefix.clone()
                } else {
                    join_paths(prefix, &own)
                };
                let next = (it.parent, added);
                if seen.len() < MAX_STEPS && !seen.contains(&next) {
                    open.push((next.0, next.1.clone(), depth + 1));
                    seen.insert(next);
                }
            }
            if router == RouterId::Global && !is_mounted {
                all.push(join_paths("", &own));
            }
        }
        all
    }

    /// The mounts of a router, and those of all routers of its file.
    fn of(&self, router: RouterId) -> impl Iterator<Item = &ResolvedMount> {
        let of_file = match router {
            RouterId::One((file, _)) => self.by_target.get(&RouterId::File(file)),
            _ => None,
        };
        let of_file = of_file.into_iter().flatten();
        let own = self.by_target.get(&router).into_iter().flatten();
        own.chain(of_file.filter(|it| it.has_routers))
    }
}

#[cfg(test)]
mod tests {
    use super::{header, is_header};

    #[test]
    fn a_header_is_the_end_of_a_path() {
        assert!(is_header("src/db/open.h", "db/open.h"));
        assert!(is_header("db/open.h", "../db/open.h"));
        assert!(!is_header("src/xdb/open.h", "db/open.h"));
    }

    #[test]
    fn of_several_versions_of_a_header_the_one_from_the_file_counts() {
        let paths = ["v1/gl/include/gl.h", "v2/gl/include/gl.h", "v2/only.h"];
        for (directory, included, found) in [
            ("v2", "gl/include/gl.h", Some("v2/gl/include/gl.h")),
            ("v2/go", "../gl/include/gl.h", Some("v2/gl/include/gl.h")),
            ("v2", "./only.h", Some("v2/only.h")),
            ("v3", "gl/include/gl.h", None),
            ("v3", "only.h", Some("v2/only.h")),
            ("", "v1/gl/include/gl.h", Some("v1/gl/include/gl.h")),
            ("", "..", None),
            ("", "", None),
        ] {
            assert_eq!(
                header(&paths, directory, included),
                found,
                "{directory} {included}"
            );
        }
    }
}

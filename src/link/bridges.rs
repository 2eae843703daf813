//! Binds uses of other languages by the names that both sides write: a request to the handler of its route, a declaration to the
//! function that it stands for.
//!
//! Endpoints meet in units: who asks imports the unit of a name, and the files that offer it are the files of the unit. Where
//! several definitions match, or the prefix of a router is not known, nothing is bound.

use std::rc::Rc;

use super::file::LinkedFile;
use super::linker::Linker;
use super::lookup::UseMeaning;
use super::path_names::Place;
use crate::ir::{
    BRIDGE, Endpoint, EndpointRole, LINKAGE, MOUNTS, Mount, MountTarget, Reach, Request, Route,
    Router, SymbolIdx, join_paths, request_keys,
};
use crate::model::path::{file_name, parent};
use crate::model::{Family, ModuleId, SymbolFlags, SymbolKind};
use crate::store::interface::CLIENTS;

/// How deep routers are mounted on one another.
const MAX_MOUNTS: usize = 8;

/// Prefixes under which one router is mounted.
const MAX_PREFIXES: usize = 64;

/// A use of a definition of another language.
pub(super) struct BridgeUse {
    pub(super) from: Option<SymbolIdx>,
    pub(super) to: Place,
    pub(super) line: u32,
}

/// A router that is mounted, with what it is mounted on.
struct ResolvedMount {
    file: Rc<LinkedFile>,
    mount: Mount,
    target: RouterTarget,
}

/// The routers that a mount takes.
#[derive(PartialEq, Eq)]
enum RouterTarget {
    One(Place),
    OfFile(ModuleId),
    Global,
}

impl Linker<'_, '_> {
    /// Returns the uses of other languages in the file.
    pub(super) fn bridges(&self) -> Vec<BridgeUse> {
        let mut mounts = None;
        let mut all = Vec::new();
        for endpoint in &self.file.facts.endpoints {
            let found = match &endpoint.role {
                EndpointRole::Request(request) => self.route_of(request, &mut mounts),
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

    /// The one handler of the route that a request goes to: of a route for its method before one for all.
    fn route_of(
        &self,
        request: &Request,
        mounts: &mut Option<Vec<ResolvedMount>>,
    ) -> Option<Place> {
        let base = match request.client {
            Some(client) => self.base_of_client(client)?,
            None => String::new(),
        };
        let whole = join_paths(&base, &request.path);
        let mut exact: Vec<Place> = Vec::new();
        let mut of_all: Vec<Place> = Vec::new();
        for key in request_keys(&request.path) {
            for file in self.offering(&key) {
                for endpoint in &file.facts.endpoints {
                    let EndpointRole::Route(route) = &endpoint.role else {
                        continue;
                    };
                    let is_method = route.method.is_empty() || route.method == request.method;
                    if !is_method || !whole.ends_with(&join_paths("", &route.path)) {
                        continue;
                    }
                    if !self.is_at(&file, route, &whole, mounts) {
                        continue;
                    }
                    let Some(place) = self.handler(&file, endpoint, route) else {
                        // A route whose handler is not known answers all the same.
                        return None;
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
        let found = if exact.is_empty() { of_all } else { exact };
        match found.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// The definition that answers the requests of a route.
    fn handler(&self, file: &Rc<LinkedFile>, endpoint: &Endpoint, route: &Route) -> Option<Place> {
        let named = route.handler.and_then(|at| self.bound_in(file, at));
        let router = match route.router {
            Router::Symbol(at) => Some(at),
            Router::Root | Router::File | Router::Global => None,
        };
        let own = endpoint.symbol.or(router).map(|at| (file.file, at));
        named.or(own)
    }

    /// The definition that a reference of a file leads to.
    fn bound_in(&self, file: &Rc<LinkedFile>, reference: u32) -> Option<Place> {
        let linker = Linker::new(self.cache, Rc::clone(file));
        let used = file.facts.references.get(reference as usize)?;
        match linker.bind(used) {
            UseMeaning::Bound(bound) => Some(bound.to),
            UseMeaning::External | UseMeaning::Unknown => None,
        }
    }

    /// The path that requests of a client begin with, where the client is known to be one.
    fn base_of_client(&self, reference: u32) -> Option<String> {
        let file = Rc::clone(&self.file);
        let (file, at) = self.bound_in(&file, reference)?;
        let loaded = self.cache.get(file)?;
        loaded.record_name(CLIENTS);
        let mut all = loaded.facts.endpoints.iter();
        all.find_map(|it| match &it.role {
            EndpointRole::Client { base } if it.symbol == Some(at) => Some(base.clone()),
            _ => None,
        })
    }

    /// Whether a route answers under a path.
    fn is_at(
        &self,
        file: &Rc<LinkedFile>,
        route: &Route,
        whole: &str,
        mounts: &mut Option<Vec<ResolvedMount>>,
    ) -> bool {
        let path = join_paths(&route.prefix, &route.path);
        if route.router == Router::Root {
            return path == whole;
        }
        let mounts = mounts.get_or_insert_with(|| self.mounts());
        prefixes(mounts, file, route.router, &route.prefix, MAX_MOUNTS)
            .iter()
            .any(|prefix| join_paths(prefix, &route.path) == whole)
    }

    /// All mounts of the repository.
    fn mounts(&self) -> Vec<ResolvedMount> {
        let mut all = Vec::new();
        for file in self.offering(MOUNTS) {
            for endpoint in &file.facts.endpoints {
                let EndpointRole::Mount(mount) = &endpoint.role else {
                    continue;
                };
                let target = match mount.target {
                    MountTarget::Reference(at) => self.bound_in(&file, at).map(RouterTarget::One),
                    MountTarget::Import(at) => file.target(at).map(RouterTarget::OfFile),
                    MountTarget::Symbol(at) => Some(RouterTarget::One((file.file, at))),
                    MountTarget::Global => Some(RouterTarget::Global),
                };
                all.extend(target.map(|target| ResolvedMount {
                    file: Rc::clone(&file),
                    mount: mount.clone(),
                    target,
                }));
            }
        }
        all
    }

    /// The one definition that a key stands for.
    fn offer_of(&self, key: &str, reach: &Reach) -> Option<Place> {
        let specifier = format!("{BRIDGE}{key}");
        if let Some(name) = specifier.strip_prefix(LINKAGE) {
            return self.linked_function(&specifier, name, reach);
        }
        let mut found = None;
        for file in self.offering(&specifier) {
            for endpoint in &file.facts.endpoints {
                let is_it = matches!(&endpoint.role, EndpointRole::Offer { key: it } if it == key);
                let Some(at) = endpoint.symbol.filter(|_| is_it) else {
                    continue;
                };
                let place = (file.file, at);
                if found.is_some_and(|known| known != place) {
                    return None;
                }
                found = Some(place);
            }
        }
        found
    }

    /// The function of C that a name with external linkage stands for: its definition, else where `reach` is narrow its declaration.
    fn linked_function(&self, unit: &str, name: &str, reach: &Reach) -> Option<Place> {
        let own_directory = self.directory(self.file.file)?;
        let mut definitions = Vec::new();
        let mut declarations = Vec::new();
        let mut is_declared_in_reach = false;
        for file in self.offering(unit) {
            if file.facts.family != Family::C {
                continue;
            }
            file.record_name(name);
            let path = self.cache.path_of(file.file)?;
            let is_near = match reach {
                Reach::Repository => true,
                Reach::Headers(headers) => {
                    parent(path.as_str()) == own_directory
                        || headers.iter().any(|it| is_header(path.as_str(), it))
                }
            };
            for at in file.top_level(name) {
                let symbol = file.symbol(*at);
                if symbol.kind != SymbolKind::Function || symbol.parent.is_some() {
                    continue;
                }
                let is_declaration = symbol.flags.contains(SymbolFlags::DECLARATION_ONLY);
                let is_header = !is_source(path.as_str());
                if !symbol.exported && !(is_header && matches!(reach, Reach::Headers(_))) {
                    continue;
                }
                is_declared_in_reach |= is_near;
                if is_declaration {
                    declarations.push(((file.file, *at), is_near));
                } else {
                    definitions.push(((file.file, *at), is_near));
                }
            }
        }
        if !is_declared_in_reach {
            return None;
        }
        let near = |all: &[(Place, bool)]| {
            let near: Vec<Place> = all.iter().filter(|it| it.1).map(|it| it.0).collect();
            near
        };
        let all: Vec<Place> = definitions.iter().map(|it| it.0).collect();
        let candidates = [near(&definitions), all];
        let found = candidates.into_iter().find(|it| !it.is_empty());
        match (found, reach) {
            (Some(found), _) => <[Place; 1]>::try_from(found).ok().map(|[one]| one),
            (None, Reach::Headers(_)) => near(&declarations).first().copied(),
            (None, Reach::Repository) => None,
        }
    }

    fn directory(&self, file: ModuleId) -> Option<String> {
        let path = self.cache.path_of(file)?;
        Some(parent(path.as_str()).to_owned())
    }
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

/// The prefixes under which a router answers, with the prefix that it was made with, as far as they are known.
fn prefixes(
    mounts: &[ResolvedMount],
    file: &LinkedFile,
    router: Router,
    own: &str,
    depth: usize,
) -> Vec<String> {
    let is_target = |target: &RouterTarget| match (target, router) {
        (RouterTarget::One(place), Router::Symbol(at)) => *place == (file.file, at),
        (RouterTarget::OfFile(it), Router::Symbol(_) | Router::File) => *it == file.file,
        (RouterTarget::Global, Router::Global) => true,
        _ => false,
    };
    let mut all = Vec::new();
    let mut is_mounted = false;
    if router == Router::Root {
        all.push(join_paths("", own));
        return all;
    }
    for it in mounts.iter().filter(|it| is_target(&it.target)) {
        is_mounted = true;
        let (Some(prefix), true) = (&it.mount.prefix, depth > 0) else {
            continue;
        };
        let added = if it.mount.replaces {
            prefix.clone()
        } else {
            join_paths(prefix, own)
        };
        all.extend(prefixes(
            mounts,
            &it.file,
            it.mount.parent,
            &added,
            depth - 1,
        ));
        if all.len() > MAX_PREFIXES {
            break;
        }
    }
    if router == Router::Global && !is_mounted {
        all.push(join_paths("", own));
    }
    all.truncate(MAX_PREFIXES);
    all
}

#[cfg(test)]
mod tests {
    use super::is_header;

    #[test]
    fn a_header_is_the_end_of_a_path() {
        assert!(is_header("src/db/open.h", "db/open.h"));
        assert!(is_header("db/open.h", "../db/open.h"));
        assert!(!is_header("src/xdb/open.h", "db/open.h"));
    }
}

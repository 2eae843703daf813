//! The interface fingerprint of a file: hashes of everything that other files can see of it, so that an edit of a
//! function's body makes no other file be linked again, and a changed member only the files that looked it up.
//!
//! The names of a file are spread over buckets; the buckets of one file that another one looked at are kept as one
//! mask. A changed fingerprint is one of the three causes of the link queue (`link_queue`).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rusqlite::OptionalExtension as _;

use super::Writer;
use super::facts::unpack_declared;
use super::symbols::symbol_handles;
use crate::ir::{
    Binding, EndpointRole, ExportKind, Expr, ExprId, FileFacts, Fingerprints, ImportKind, MOUNTS,
    MountTarget, PathId, Router, Slot, SymbolIdx, Target, join_paths, route_key, unit_of_key,
};
use crate::model::hash::fnv1a;
use crate::model::{Family, FileId, SymbolKind};

/// Buckets of names: with [`RESIDUAL`] they are the 48 bits that SQLite keeps in six bytes, the sign aside.
const N_BUCKETS: u64 = 47;

/// The bucket of everything without a name of its own: stars, `module.exports =`, the kind of module, directives.
pub const RESIDUAL: u64 = 1 << N_BUCKETS;

/// The name whose bucket stands for the list of a unit's files; no definition has it.
pub const UNIT_FILES: &str = "";

/// The name whose bucket stands for the servers, routers and clients of HTTP that a file makes.
pub const HTTP_OBJECTS: &str = "bridge:http objects";

/// Returns the bucket of a name of the top level, as a mask with one bit. It is written to disk.
pub fn bucket(name: &str) -> u64 {
    1 << (name_hash(name) % N_BUCKETS)
}

/// The hash behind the bucket of a name.
pub fn name_hash(name: &str) -> u64 {
    fnv1a(name)
}

/// The buckets of the names that a file exports, as a mask: it exports no other name but `default` and itself.
pub fn exported_names(facts: &FileFacts) -> u64 {
    let exports = facts.exports.iter().map(|export| match export.kind {
        ExportKind::Star | ExportKind::Assignment => RESIDUAL,
        _ => bucket(&export.name),
    });
    // A type that a comment imports is exported, too.
    let imports = facts.imports.iter();
    let commented = imports
        .filter(|import| import.kind == ImportKind::TypeQuery)
        .flat_map(|import| &import.names)
        .map(|name| bucket(&name.local));
    exports.chain(commented).fold(0, |mask, at| mask | at)
}

/// Returns the bucket of the outermost definition around each symbol, by its place; a member of a type that is declared
/// elsewhere has that of its [name in its unit](FileFacts::unit_member_name).
pub fn symbol_buckets(facts: &FileFacts) -> Vec<u64> {
    let mut buckets: Vec<u64> = Vec::with_capacity(facts.symbols.len());
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let outer = symbol
            .parent
            .and_then(|parent| buckets.get(parent as usize).copied());
        let own = || match facts.unit_member_name(at) {
            Some(name) => bucket(&name),
            None => bucket(&symbol.name),
        };
        buckets.push(outer.unwrap_or_else(own));
    }
    buckets
}

/// A hash for each bucket that holds a name other files can see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceFingerprint(BTreeMap<u64, u64>);

impl InterfaceFingerprint {
    /// The fingerprint of a file, with its symbols' handles.
    pub fn of(facts: &FileFacts, handles: &[u64]) -> Self {
        let mut hashers: BTreeMap<u64, DefaultHasher> = BTreeMap::new();
        let is_seen = visible(facts);
        let is_seen_at = |at: Option<u32>| at.is_none_or(|at| is_seen[at as usize]);
        let buckets = symbol_buckets(facts);
        for (at, symbol) in facts.symbols.iter().enumerate() {
            let own = buckets[at];
            if is_seen[at] {
                let this = (symbol.is_static(), symbol.has_lexical_this());
                let row = (&symbol.qualified_name, symbol.kind, symbol.exported);
                (1_u8, row, this, handles.get(at)).hash(hashers.entry(own).or_default());
                // `target.open = …` is looked up by both of its names.
                if symbol.parent.is_none()
                    && facts.owner(at).is_none()
                    && let Some((first, _)) = symbol.qualified_name.split_once('.')
                {
                    let other = hashers.entry(bucket(first)).or_default();
                    (6_u8, row, this, handles.get(at)).hash(other);
                }
            }
        }
        for import in &facts.imports {
            for name in &import.names {
                let row = (&import.specifier, import.kind, &name.imported);
                (2_u8, row).hash(hashers.entry(bucket(&name.local)).or_default());
            }
        }
        for export in &facts.exports {
            let at = match export.kind {
                ExportKind::Star | ExportKind::Assignment => RESIDUAL,
                _ => bucket(&export.name),
            };
            let row = (export.kind, &export.name, &export.local, &export.specifier);
            (3_u8, row).hash(hashers.entry(at).or_default());
        }
        if facts.family == Family::Go
            && let Some(constraint) = facts.units.get(1)
        {
            // It decides which files can use these names.
            for export in &facts.exports {
                let own = hashers.entry(bucket(&export.name)).or_default();
                (9_u8, constraint).hash(own);
            }
        }
        if facts.is_common_js() {
            4_u8.hash(hashers.entry(RESIDUAL).or_default());
        }
        let symbol = |at: u32| &facts.symbols[at as usize];
        if let Some(all) = &facts.all {
            let all: Vec<&str> = all.iter().map(|it| facts.exprs.name_of(*it)).collect();
            (8_u8, all).hash(hashers.entry(RESIDUAL).or_default());
        }
        let fingerprints = Fingerprints::of(facts);
        let is_value = |it: &&Binding| it.assignment(&facts.exprs).is_none();
        let values = facts.bindings.iter().filter(is_value);
        for binding in values.filter(|it| is_seen_at(it.owner)) {
            let at = match binding.owner {
                Some(owner) => buckets[owner as usize],
                None => bucket(first_name(facts, binding.path)),
            };
            let owner = binding.owner.map(|at| &symbol(at).qualified_name);
            let path = fingerprints.path(binding.path);
            let row = (5_u8, owner, path, fingerprints.expr(binding.value));
            row.hash(hashers.entry(at).or_default());
        }
        for directive in &facts.directives {
            let name = &symbol(directive.symbol).qualified_name;
            let row = (&directive.selector, directive.is_pipe, &directive.template);
            let names = (&directive.imports, &directive.inputs);
            (7_u8, name, row, names).hash(hashers.entry(RESIDUAL).or_default());
        }
        for (at, hash) in endpoint_hashes(facts, &fingerprints) {
            hash.hash(hashers.entry(at).or_default());
        }
        Self(
            hashers
                .into_iter()
                .map(|(bucket, hasher)| (bucket, hasher.finish()))
                .collect(),
        )
    }

    /// Returns the buckets that hold anything, as a mask.
    pub fn buckets(&self) -> u64 {
        self.0.keys().fold(0, |mask, at| mask | at)
    }

    /// Returns the buckets in which two fingerprints differ, as a mask.
    pub fn difference(&self, other: &Self) -> u64 {
        let differs = |a: &Self, b: &Self| {
            let found = a.0.iter().filter(|(at, hash)| b.0.get(at) != Some(hash));
            found.fold(0, |mask, (at, _)| mask | at)
        };
        differs(self, other) | differs(other, self)
    }
}

impl Writer<'_> {
    /// Returns the fingerprint of a file before it is written anew; `None` where it had no facts.
    pub(super) fn stored_fingerprint(
        &mut self,
        file: FileId,
    ) -> rusqlite::Result<Option<InterfaceFingerprint>> {
        let packed: Option<Vec<u8>> = self
            .tx()
            .prepare_cached("SELECT declared FROM facts WHERE file = ?1")?
            .query_row([file], |row| row.get(0))
            .optional()?;
        let Some(facts) = packed.and_then(|packed| unpack_declared(&packed)) else {
            return Ok(None);
        };
        let handles = symbol_handles(self.tx(), file)?;
        Ok(Some(InterfaceFingerprint::of(&facts, &handles)))
    }

    /// Queues the files that were linked by names whose fingerprints differ.
    pub(super) fn queue_dependents_of_change(
        &mut self,
        file: FileId,
        before: Option<&InterfaceFingerprint>,
        now: Option<&InterfaceFingerprint>,
    ) -> rusqlite::Result<()> {
        match (before, now) {
            (None, None) => Ok(()),
            (Some(before), Some(now)) => match before.difference(now) {
                0 => Ok(()),
                mask => self.queue_dependents_on(file.into(), Some(mask)),
            },
            // A file that came or went has no buckets in common with before: whoever asked for it is linked again.
            _ => self.queue_dependents_on(file.into(), None),
        }
    }
}

/// Returns the buckets in which others look for the endpoints of a file, with their hashes. Structural: an edit that moves places in
/// the facts changes none.
fn endpoint_hashes(facts: &FileFacts, fingerprints: &Fingerprints) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    let name_of = |at: SymbolIdx| &facts.symbols[at as usize].qualified_name;
    for endpoint in &facts.endpoints {
        let mut hasher = DefaultHasher::new();
        10_u8.hash(&mut hasher);
        endpoint.symbol.map(name_of).hash(&mut hasher);
        let reference = |at: u32, hasher: &mut DefaultHasher| {
            let used = &facts.endpoint_uses[at as usize];
            (facts.name(used), used.kind, used.symbol.map(name_of)).hash(hasher);
            std::mem::discriminant(&used.target).hash(hasher);
            match used.target {
                Target::Value(expr) => fingerprints.expr(expr).hash(hasher),
                Target::Member { receiver, .. } => fingerprints.expr(receiver).hash(hasher),
                Target::Symbol(at) => name_of(at).hash(hasher),
                Target::Lexical | Target::Markup(_) | Target::Unknown => {}
            }
        };
        let router = |router: Router, hasher: &mut DefaultHasher| {
            std::mem::discriminant(&router).hash(hasher);
            match router {
                Router::Symbol(at) => name_of(at).hash(hasher),
                Router::Imported(at) => reference(at, hasher),
                Router::Root | Router::File | Router::Global | Router::Unknown => {}
            }
        };
        let buckets = match &endpoint.role {
            EndpointRole::Route(route) => {
                (&route.method, &route.prefix, &route.path).hash(&mut hasher);
                router(route.router, &mut hasher);
                if let Some(handler) = route.handler {
                    reference(handler, &mut hasher);
                }
                let whole = join_paths(&route.prefix, &route.path);
                bucket(&route_key(&whole)) | bucket(&route_key(&route.path))
            }
            EndpointRole::Mount(mount) => {
                (&mount.prefix, mount.replaces).hash(&mut hasher);
                router(mount.parent, &mut hasher);
                match mount.target {
                    MountTarget::Reference(at) => reference(at, &mut hasher),
                    MountTarget::Import(at) => {
                        facts.imports[at as usize].specifier.hash(&mut hasher);
                    }
                    MountTarget::Symbol(at) => name_of(at).hash(&mut hasher),
                    MountTarget::Global => {}
                }
                bucket(MOUNTS)
            }
            EndpointRole::Object { kind, path } => {
                (kind, path).hash(&mut hasher);
                bucket(HTTP_OBJECTS)
            }
            EndpointRole::Offer { key } => {
                key.hash(&mut hasher);
                bucket(&unit_of_key(key))
            }
            EndpointRole::Request(_) | EndpointRole::Use { .. } => continue,
        };
        let mut rest = buckets;
        while rest != 0 {
            all.push((rest & rest.wrapping_neg(), hasher.finish()));
            rest &= rest - 1;
        }
    }
    all
}

/// Returns which definitions other files can reach, by their place: not those in the body of a function, except when
/// they leave it (`return new Inner()`). Members that are assigned to a function from outside are no part of its body.
fn visible(facts: &FileFacts) -> Vec<bool> {
    use SymbolKind::{Constructor, Field, Method, Property};
    let mut leaves = vec![false; facts.symbols.len()];
    loop {
        let mut is_seen: Vec<bool> = Vec::with_capacity(facts.symbols.len());
        for (at, symbol) in facts.symbols.iter().enumerate() {
            let outer = symbol.parent.map(|parent| {
                let is_body = facts.symbols[parent as usize].kind.is_function()
                    && !matches!(symbol.kind, Method | Property | Field | Constructor);
                is_seen[parent as usize] && !is_body
            });
            is_seen.push(leaves[at] || outer.unwrap_or(true));
        }
        let mut found = false;
        for binding in &facts.bindings {
            if binding.owner.is_none_or(|at| is_seen[at as usize]) {
                each_symbol(facts, binding.value, &mut |at| {
                    if !is_seen[at as usize] {
                        found |= !std::mem::replace(&mut leaves[at as usize], true);
                    }
                });
            }
        }
        if !found {
            return is_seen;
        }
    }
}

/// Calls `visit` with each symbol that an expression is or is made of.
fn each_symbol(facts: &FileFacts, expr: ExprId, visit: &mut impl FnMut(u32)) {
    match facts.exprs.get(expr) {
        Expr::Symbol(at) => visit(*at),
        expr => expr.each_part(|part| each_symbol(facts, part, visit)),
    }
}

/// Returns the first name of a path.
fn first_name(facts: &FileFacts, path: PathId) -> &str {
    match facts.exprs.slots(path).first() {
        Some(Slot::Member(name) | Slot::Key(name)) => facts.exprs.name_of(*name),
        _ => "",
    }
}

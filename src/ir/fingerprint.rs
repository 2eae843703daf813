//! Structural hashes of expressions, so that an edit that moves ids changes no fingerprint.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{Expr, ExprId, FileFacts, PathId, Slot};

/// The hash of each expression and path of a file. Symbols count by their qualified names, imports by their requests.
///
/// Costs one pass over the expressions.
#[derive(Debug)]
pub struct Fingerprints {
    exprs: Vec<u64>,
    paths: Vec<u64>,
}

impl Fingerprints {
    /// Hashes the expressions and paths of a file.
    pub fn of(facts: &FileFacts) -> Self {
        let arena = &facts.exprs;
        let mut paths = vec![0];
        for (parent, slot) in arena.paths() {
            let mut hasher = DefaultHasher::new();
            paths[parent.0 as usize].hash(&mut hasher);
            std::mem::discriminant(slot).hash(&mut hasher);
            match slot {
                Slot::Member(name) | Slot::Key(name) => arena.name_of(*name).hash(&mut hasher),
                Slot::Param(at) | Slot::TypeParamBound(at) | Slot::TypeParamDefault(at) => {
                    at.hash(&mut hasher);
                }
                Slot::Base(kind) => kind.hash(&mut hasher),
                Slot::Return | Slot::All | Slot::Assigned => {}
            }
            paths.push(hasher.finish());
        }
        let mut exprs: Vec<u64> = Vec::with_capacity(arena.exprs().len());
        for expr in arena.exprs() {
            let mut hasher = DefaultHasher::new();
            std::mem::discriminant(expr).hash(&mut hasher);
            expr.each_part(|part| exprs[part.0 as usize].hash(&mut hasher));
            let symbol = expr.symbols().map(|at| &facts.symbols[at as usize]);
            symbol.map(|it| &it.qualified_name).hash(&mut hasher);
            match expr {
                Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Named { name, .. } => {
                    arena.name_of(*name).hash(&mut hasher);
                }
                Expr::ComputedMember { key, .. } => arena.name_of(*key).hash(&mut hasher),
                Expr::Imported { import, name } => {
                    let import = &facts.imports[*import as usize];
                    (&import.specifier, import.kind).hash(&mut hasher);
                    arena.name_of(*name).hash(&mut hasher);
                }
                Expr::Container { kind, .. } => kind.hash(&mut hasher),
                Expr::TypeParam {
                    index, has_bound, ..
                } => (index, has_bound).hash(&mut hasher),
                Expr::Item { index, .. } | Expr::Param { index, .. } | Expr::Argument { index } => {
                    index.hash(&mut hasher);
                }
                Expr::Call { types, .. } => types.len().hash(&mut hasher),
                _ => {}
            }
            exprs.push(hasher.finish());
        }
        Self { exprs, paths }
    }

    /// Returns the hash of an expression.
    pub fn expr(&self, id: ExprId) -> u64 {
        self.exprs[id.0 as usize]
    }

    /// Returns the hash of a path.
    pub fn path(&self, id: PathId) -> u64 {
        self.paths[id.0 as usize]
    }
}

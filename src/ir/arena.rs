//! The expressions, names and paths of one file, each kept once.

use serde::{Deserialize, Serialize};

use super::names::NameTable;
use super::{
    Binding, Expr, ExprId, ImportIdx, NameId, PathId, Reference, Slot, SymbolIdx, Target,
    TemplateNameKind,
};
use crate::model::hash::IdTable;

/// Expressions of one file that are kept at most; later ones are unknown.
const MAX_EXPRS: usize = 1 << 20;

/// The expressions, names and paths of one file. Equal ones have equal ids; parts have lower ids than wholes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExprArena {
    names: NameTable,
    exprs: Vec<Expr>,
    /// The parent and the last slot of each path but the empty one.
    paths: Vec<(PathId, Slot)>,
    #[serde(skip)]
    expr_ids: IdTable,
    /// Whether that table lacks expressions.
    #[serde(skip)]
    is_renumbered: bool,
    #[serde(skip)]
    path_ids: IdTable,
}

impl PartialEq for ExprArena {
    fn eq(&self, other: &Self) -> bool {
        (&self.names, &self.exprs, &self.paths) == (&other.names, &other.exprs, &other.paths)
    }
}

impl Eq for ExprArena {}

impl ExprArena {
    /// Returns the id of a name, new or known.
    pub fn name(&mut self, name: &str) -> NameId {
        self.names.add(name)
    }

    /// Returns the id of an expression, new or known; that of [`Expr::Unknown`] where the file has too many.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        let exprs = &self.exprs;
        if std::mem::take(&mut self.is_renumbered) {
            let all = index(exprs.len());
            self.expr_ids.put_all(all, |id| &exprs[id as usize]);
        }
        let expr = if exprs.len() < MAX_EXPRS {
            expr
        } else {
            Expr::Unknown
        };
        let new = index(exprs.len());
        let known = self
            .expr_ids
            .find_or_put(&expr, new, |id| &exprs[id as usize]);
        if let Some(known) = known {
            return ExprId(known);
        }
        self.exprs.push(expr);
        ExprId(new)
    }

    /// The union of `all`: the part itself where there is only one, unknown where there is none.
    pub fn union(&mut self, all: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut parts: Vec<ExprId> = Vec::new();
        for one in all {
            match self.get(one) {
                Expr::Union(inner) => {
                    for part in inner {
                        if !parts.contains(part) {
                            parts.push(*part);
                        }
                    }
                }
                _ if parts.contains(&one) => {}
                _ => parts.push(one),
            }
        }
        match parts.as_slice() {
            [] => self.add(Expr::Unknown),
            [one] => *one,
            _ => self.add(Expr::Union(parts.into())),
        }
    }

    /// The union of the first `max` different known values of `all`; unknown where it would have more than twice as many
    /// parts, because unions of unions could double in size at each step.
    pub fn union_of_known(&mut self, all: impl IntoIterator<Item = ExprId>, max: usize) -> ExprId {
        let unknown = self.add(Expr::Unknown);
        let mut known: Vec<ExprId> = Vec::new();
        for one in all {
            if one != unknown && !known.contains(&one) && known.len() < max {
                known.push(one);
            }
        }
        let union = self.union(known);
        match self.get(union) {
            Expr::Union(parts) if parts.len() > 2 * max => unknown,
            _ => union,
        }
    }

    /// Adds `object.name`; unknown where the object is.
    pub fn member_of_known(&mut self, object: ExprId, name: &str) -> ExprId {
        if matches!(self.get(object), Expr::Unknown) {
            return object;
        }
        let name = self.name(name);
        self.add(Expr::Member { object, name })
    }

    /// Adds a value that is `first` where that is known when it is evaluated, else `other`.
    pub fn fallback_of_known(&mut self, first: ExprId, other: ExprId) -> ExprId {
        let unknown = self.add(Expr::Unknown);
        if first == unknown || first == other {
            return other;
        }
        if other == unknown {
            return first;
        }
        self.add(Expr::Fallback {
            variable: unknown,
            first,
            other,
        })
    }

    /// Adds a value of a type; unknown where the type is.
    pub fn instance_of_known(&mut self, of: ExprId) -> ExprId {
        if matches!(self.get(of), Expr::Unknown) {
            return of;
        }
        self.add(Expr::Instance { of })
    }

    /// Adds an instance of the type that a name means in every file: `int` of Java.
    pub fn instance_of_name(&mut self, name: &str) -> ExprId {
        let name = self.name(name);
        let of = self.add(Expr::Name { name, scope: None });
        self.add(Expr::Instance { of })
    }

    /// Adds the value that a callee passes to a parameter of a lambda by its place; unknown where the callee is.
    pub fn param_of_known(&mut self, callee: ExprId, index: usize) -> ExprId {
        match u8::try_from(index) {
            Ok(index) if !matches!(self.get(callee), Expr::Unknown) => {
                self.add(Expr::Param { callee, index })
            }
            _ => self.add(Expr::Unknown),
        }
    }

    /// Adds an element of an object that is iterated or indexed: of `[a, b]`, whose elements are lowered, that expression
    /// itself. Unknown where the object is.
    pub fn element_of_known(&mut self, object: ExprId) -> ExprId {
        match self.get(object) {
            Expr::Unknown => object,
            Expr::Container { element, .. } => *element,
            _ => self.add(Expr::Element { object }),
        }
    }

    /// Returns the id of the path that ends with `slot` below `parent`, new or known.
    pub fn path(&mut self, parent: PathId, slot: Slot) -> PathId {
        let paths = &self.paths;
        let path = (parent, slot);
        let new = index(paths.len());
        let known = self
            .path_ids
            .find_or_put(&path, new, |at| &paths[at as usize]);
        if known.is_none() {
            self.paths.push(path);
        }
        PathId(known.unwrap_or(new) + 1)
    }

    /// Returns the id of the path of these slots, new or known.
    pub fn path_of(&mut self, slots: impl IntoIterator<Item = Slot>) -> PathId {
        let mut at = PathId::EMPTY;
        for slot in slots {
            at = self.path(at, slot);
        }
        at
    }

    /// Copies all names, paths and expressions of another arena. `change` maps each expression on the way (already
    /// renumbered); parents use the result. Costs a pass over the other arena.
    pub fn adopt(
        &mut self,
        other: &Self,
        mut change: impl FnMut(&mut Self, Expr) -> Expr,
    ) -> Adopted {
        let names: Vec<NameId> = other.names().map(|name| self.name(name)).collect();
        let slot = |slot: Slot| match slot {
            Slot::Member(name) => Slot::Member(names[name.0 as usize]),
            Slot::Key(name) => Slot::Key(names[name.0 as usize]),
            other => other,
        };
        let mut paths = vec![PathId::EMPTY];
        for (parent, last) in &other.paths {
            paths.push(self.path(paths[parent.0 as usize], slot(*last)));
        }
        let mut exprs: Vec<ExprId> = Vec::with_capacity(other.exprs.len());
        for expr in &other.exprs {
            let expr = expr.with(|name| names[name.0 as usize], |part| exprs[part.0 as usize]);
            let expr = change(self, expr);
            exprs.push(self.add(expr));
        }
        Adopted {
            names,
            paths,
            exprs,
        }
    }

    /// Returns a chain of members with another beginning.
    pub fn with_root(&mut self, chain: ExprId, root: ExprId) -> ExprId {
        match *self.get(chain) {
            Expr::Member { object, name } => {
                let object = self.with_root(object, root);
                self.add(Expr::Member { object, name })
            }
            _ => root,
        }
    }

    /// The root of a chain of members: `a` of `a.b.c`.
    pub fn root(&self, chain: ExprId) -> ExprId {
        match self.get(chain) {
            Expr::Member { object, .. } => self.root(*object),
            _ => chain,
        }
    }

    /// Puts names and expressions in another order: `names` and `exprs` are their ids, each once, and parts stay before wholes.
    /// Returns where they are now. Look-ups of names need [`Self::rebuild_index`] afterwards.
    pub(super) fn reorder(&mut self, names: &[NameId], exprs: &[ExprId]) -> Adopted {
        let mut new_names = vec![NameId(0); names.len()];
        for (new, old) in (0..).zip(names) {
            new_names[old.0 as usize] = NameId(new);
        }
        let mut new_exprs = vec![ExprId(0); exprs.len()];
        for (new, old) in (0..).zip(exprs) {
            new_exprs[old.0 as usize] = ExprId(new);
        }
        let moved = Adopted {
            names: new_names,
            paths: (0..=index(self.paths.len())).map(PathId).collect(),
            exprs: new_exprs,
        };
        self.names.reorder(names);
        let ordered = exprs.iter().map(|old| {
            self.get(*old)
                .with(|it| moved.name(it), |it| moved.expr(it))
        });
        self.exprs = ordered.collect();
        for (_, last) in &mut self.paths {
            if let Slot::Member(name) | Slot::Key(name) = last {
                *name = moved.name(*name);
            }
        }
        self.path_ids = IdTable::default();
        self.is_renumbered = true;
        moved
    }

    /// Takes out the names and expressions from these numbers on. Look-ups of names need [`Self::rebuild_index`] afterwards.
    pub(super) fn split_off(&mut self, n_names: usize, n_exprs: usize) -> ArenaTail {
        self.is_renumbered = true;
        ArenaTail {
            names: self.names.split_off(n_names),
            exprs: self.exprs.split_off(n_exprs),
        }
    }

    /// Puts back what [`Self::split_off`] took.
    pub(super) fn append(&mut self, tail: ArenaTail) {
        self.is_renumbered = true;
        self.names.append(&tail.names);
        self.exprs.extend(tail.exprs);
    }

    /// Returns an expression. Panics where the id is of another arena and out of range.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Returns a name. Panics where the id is of another arena and out of range.
    pub fn name_of(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// Returns the parent and the last slot of a path; `None` for the empty one.
    pub fn last(&self, path: PathId) -> Option<(PathId, Slot)> {
        let at = (path.0 as usize).checked_sub(1)?;
        Some(self.paths[at])
    }

    /// Returns the slots of a path, first to last.
    pub fn slots(&self, path: PathId) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut at = path;
        while let Some((parent, slot)) = self.last(at) {
            slots.push(slot);
            at = parent;
        }
        slots.reverse();
        slots
    }

    /// Returns all expressions, each after its parts.
    pub fn exprs(&self) -> impl ExactSizeIterator<Item = &Expr> {
        self.exprs.iter()
    }

    /// Returns all names, by their ids.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter()
    }

    /// Returns the parent and the last slot of each path but the empty one, by their ids from 1.
    pub fn paths(&self) -> &[(PathId, Slot)] {
        &self.paths
    }

    /// Rebuilds the intern tables after deserialization.
    pub fn rebuild_index(&mut self) {
        self.names.rebuild_index();
        let paths = &self.paths;
        let all = index(paths.len());
        self.path_ids.put_all(all, |at| &paths[at as usize]);
    }

    /// Returns the id of a name; `None` where the arena does not have it.
    pub fn find_name(&self, name: &str) -> Option<NameId> {
        self.names.find(name)
    }

    /// Returns the id of the path that ends with `slot` below `parent`; `None` where the arena does not have it.
    pub fn find_path(&self, parent: PathId, slot: Slot) -> Option<PathId> {
        let value_of = |at| &self.paths[at as usize];
        let found = self.path_ids.find(&(parent, slot), value_of);
        found.map(|at: u32| PathId(at + 1))
    }

    /// Gives the symbols that expressions name new indexes.
    pub fn renumber(&mut self, new: impl Fn(SymbolIdx) -> SymbolIdx) {
        self.renumber_by(|expr| expr.renumber(&new));
    }

    /// Gives the imports that expressions name new indexes.
    pub fn renumber_imports(&mut self, new: impl Fn(ImportIdx) -> ImportIdx) {
        self.renumber_by(|expr| {
            if let Expr::Imported { import, .. } = expr {
                *import = new(*import);
            }
        });
    }

    fn renumber_by(&mut self, change: impl FnMut(&mut Expr)) {
        self.exprs.iter_mut().for_each(change);
        // Few arenas get another expression then.
        self.is_renumbered = true;
    }

    /// Returns whether every id inside is one of this arena, and each expression stands after its parts: whoever reads
    /// facts from a file follows ids without asking.
    pub fn is_sound(&self, n_symbols: usize, n_imports: usize) -> bool {
        let is_below = |at: u32, n: usize| (at as usize) < n;
        let is_name = |name: NameId| is_below(name.0, self.names.len());
        let is_path = |path: PathId, n: usize| (path.0 as usize) <= n;
        let paths = self.paths.iter().enumerate().all(|(at, (parent, slot))| {
            is_path(*parent, at)
                && !matches!(slot, Slot::Member(name) | Slot::Key(name) if !is_name(*name))
        });
        paths
            && self.exprs.iter().enumerate().all(|(at, expr)| {
                let mut is_ordered = true;
                expr.each_part(|part| is_ordered &= is_below(part.0, at));
                let names = expr.name().is_none_or(is_name);
                let import = match expr {
                    Expr::Imported { import, .. } => is_below(*import, n_imports),
                    _ => true,
                };
                is_ordered
                    && names
                    && import
                    && expr.symbols().is_none_or(|at| is_below(at, n_symbols))
            })
    }

    /// Returns whether an id is one of this arena.
    pub fn has(&self, id: ExprId) -> bool {
        (id.0 as usize) < self.exprs.len()
    }

    /// Returns whether an id is one of this arena.
    pub fn has_name(&self, id: NameId) -> bool {
        (id.0 as usize) < self.names.len()
    }

    /// Returns whether an id is one of this arena.
    pub fn has_path(&self, id: PathId) -> bool {
        (id.0 as usize) <= self.paths.len()
    }
}

/// The last names and expressions of an arena; their ids are those in the whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ArenaTail {
    names: NameTable,
    exprs: Vec<Expr>,
}

/// Where the names, paths and expressions of an arena are in the one that took them over, each by its old id.
#[derive(Debug)]
pub struct Adopted {
    names: Vec<NameId>,
    paths: Vec<PathId>,
    exprs: Vec<ExprId>,
}

impl Adopted {
    /// Returns the new id of a name.
    pub fn name(&self, old: NameId) -> NameId {
        self.names[old.0 as usize]
    }

    /// Returns the new id of an expression.
    pub fn expr(&self, old: ExprId) -> ExprId {
        self.exprs[old.0 as usize]
    }

    /// Returns a binding with new ids.
    pub fn binding(&self, old: Binding) -> Binding {
        Binding {
            owner: old.owner,
            path: self.paths[old.path.0 as usize],
            value: self.expr(old.value),
        }
    }

    /// Returns a reference with new ids.
    pub fn reference(&self, old: &Reference) -> Reference {
        let target = match old.target {
            Target::Value(value) => Target::Value(self.expr(value)),
            Target::Member {
                receiver,
                is_inferred,
            } => Target::Member {
                receiver: self.expr(receiver),
                is_inferred,
            },
            Target::Markup(TemplateNameKind::Attribute(Some(element))) => {
                Target::Markup(TemplateNameKind::Attribute(Some(self.name(element))))
            }
            target => target,
        };
        Reference {
            name: self.name(old.name),
            target,
            ..old.clone()
        }
    }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).expect("a file has fewer facts than u32 can count")
}

//! Builds expressions in normal form: the call of a `Callable` is its result, a member of a union the union of the members.

use crate::ir::{ContainerKind, Expr, ExprArena, ExprId, NameId};

/// Expressions inside expressions that are followed.
const MAX_DEPTH: u8 = 100;

/// Things that one value may be.
const ALTERNATIVES: usize = 8;

/// Expressions in the making.
#[derive(Debug, Default)]
pub(super) struct ExprBuilder {
    pub(super) arena: ExprArena,
    /// Expressions inside each of the arena's.
    depths: Vec<u8>,
}

/// The first part of an expression: `a` of `a.b()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// A name that is no type.
    Value,
    /// A new instance of a class that has a name.
    New,
    /// A type, or something that holds or returns instances of one.
    Type,
    /// Nothing is known of it.
    Unknown,
}

impl ExprBuilder {
    /// Returns an expression; the unknown one where it is made of too much.
    pub(super) fn add(&mut self, expr: Expr) -> ExprId {
        let expr = match self.depth(&expr) {
            MAX_DEPTH.. => Expr::Unknown,
            _ => expr,
        };
        let id = self.arena.add(expr);
        self.measure();
        id
    }

    fn depth(&self, expr: &Expr) -> u8 {
        let mut depth = 0;
        expr.each_part(|part| depth = depth.max(self.depths[part.0 as usize].saturating_add(1)));
        depth
    }

    fn measure(&mut self) {
        for at in self.depths.len()..self.arena.exprs().len() {
            let at = ExprId(u32::try_from(at).expect("an arena counts by u32"));
            self.depths.push(self.depth(self.arena.get(at)));
        }
    }

    pub(super) fn get(&self, id: ExprId) -> &Expr {
        self.arena.get(id)
    }

    pub(super) fn unknown(&mut self) -> ExprId {
        self.add(Expr::Unknown)
    }

    pub(super) fn is_unknown(&self, id: ExprId) -> bool {
        *self.get(id) == Expr::Unknown
    }

    /// Returns a name that is looked up where it stands: `a`, `this`, `super`.
    pub(super) fn name(&mut self, name: &str) -> ExprId {
        let scope = None;
        let expr = match name {
            "this" => Expr::Receiver { scope },
            "super" => Expr::Super { scope },
            name => Expr::Name {
                name: self.arena.name(name),
                scope,
            },
        };
        self.add(expr)
    }

    /// A chain of names: `a.b`, `a?.b!`.
    pub(super) fn chain(&mut self, chain: &str) -> ExprId {
        let mut names = chain.split(['.', '?', '!']).filter(|name| !name.is_empty());
        let first = self.name(names.next().unwrap_or_default());
        names.fold(first, |object, name| self.member(object, name))
    }

    /// Does the same to each thing that something may be.
    fn each(&mut self, of: ExprId, make: impl Fn(&mut Self, ExprId) -> ExprId) -> ExprId {
        match self.get(of).clone() {
            Expr::Unknown => of,
            Expr::Union(all) => {
                let all: Vec<ExprId> = all.iter().map(|one| make(self, *one)).collect();
                self.either(all)
            }
            _ => make(self, of),
        }
    }

    /// A union; its first parts where there are too many.
    pub(super) fn either(&mut self, all: impl IntoIterator<Item = ExprId>) -> ExprId {
        let union = self.arena.union(all);
        self.measure();
        match self.get(union).clone() {
            Expr::Union(all) if all.len() > ALTERNATIVES => {
                self.add(Expr::Union(all[..ALTERNATIVES].into()))
            }
            _ => union,
        }
    }

    /// Returns each thing that something may be.
    pub(super) fn apart(&self, id: ExprId) -> Vec<ExprId> {
        match self.get(id) {
            Expr::Union(all) => all.to_vec(),
            _ => vec![id],
        }
    }

    pub(super) fn member(&mut self, object: ExprId, name: &str) -> ExprId {
        let name = self.arena.name(name);
        self.member_by(object, name)
    }

    pub(super) fn member_by(&mut self, object: ExprId, name: NameId) -> ExprId {
        self.each(object, |exprs, object| match *exprs.get(object) {
            Expr::Imported { import, name: all } if exprs.arena.name_of(all) == "*" => {
                exprs.add(Expr::Imported { import, name })
            }
            _ => exprs.add(Expr::Member { object, name }),
        })
    }

    pub(super) fn element(&mut self, object: ExprId) -> ExprId {
        self.each(object, |exprs, object| match *exprs.get(object) {
            Expr::Container { element, .. } => element,
            _ => exprs.add(Expr::Element { object }),
        })
    }

    /// Returns the item at a place of a list; any element where the list is not written out.
    pub(super) fn item(&mut self, object: ExprId, at: u8) -> ExprId {
        match self.get(object) {
            Expr::Tuple(all) => all.get(usize::from(at)).copied(),
            _ => return self.element(object),
        }
        .unwrap_or_else(|| self.unknown())
    }

    pub(super) fn keyed(&mut self, object: ExprId, key: NameId) -> ExprId {
        self.each(object, |exprs, object| {
            exprs.add(Expr::ComputedMember { object, key })
        })
    }

    pub(super) fn call(&mut self, callee: ExprId, types: &[ExprId], args: &[ExprId]) -> ExprId {
        self.each(callee, |exprs, callee| match *exprs.get(callee) {
            Expr::Callable { result } => result,
            _ => exprs.add(Expr::Call {
                callee,
                types: types.into(),
                args: args.into(),
            }),
        })
    }

    pub(super) fn construct(&mut self, class: ExprId) -> ExprId {
        self.each(class, |exprs, class| exprs.add(Expr::Construct { class }))
    }

    pub(super) fn parameter(&mut self, callee: ExprId, index: u8) -> ExprId {
        self.each(callee, |exprs, callee| {
            exprs.add(Expr::Param { callee, index })
        })
    }

    pub(super) fn instance(&mut self, of: ExprId) -> ExprId {
        self.add(Expr::Instance { of })
    }

    /// A generic type with its type arguments; the type itself where there are none.
    pub(super) fn specialized(&mut self, base: ExprId, args: &[ExprId]) -> ExprId {
        if args.is_empty() {
            return base;
        }
        let args = args.into();
        self.add(Expr::Specialized { base, args })
    }

    /// A container of elements; `None` where these are no instances of one type.
    pub(super) fn container(&mut self, kind: ContainerKind, element: ExprId) -> Option<ExprId> {
        self.are_instances(element)
            .then(|| self.add(Expr::Container { kind, element }))
    }

    /// Returns a function with this result; `None` where that is no instance.
    pub(super) fn callable(&mut self, result: ExprId) -> Option<ExprId> {
        self.are_instances(result)
            .then(|| self.add(Expr::Callable { result }))
    }

    /// Whether it is an instance of one type.
    pub(super) fn is_instance(&self, id: ExprId) -> bool {
        matches!(self.get(id), Expr::Instance { .. })
    }

    /// Whether it is an instance of a type, or one of several.
    fn are_instances(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Union(all) => all.iter().all(|one| self.is_instance(*one)),
            _ => self.is_instance(id),
        }
    }

    /// Whether it holds elements, or is first of all something that does.
    pub(super) fn is_sequence(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Union(all) => self.is_sequence(all[0]),
            Expr::Container { kind, .. } => *kind == ContainerKind::Sequence,
            _ => false,
        }
    }

    /// Whether it is a name or a chain of names.
    pub(super) fn is_chain(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Member { object, .. } => self.is_chain(*object),
            Expr::Name { .. } | Expr::Receiver { .. } | Expr::Super { .. } | Expr::Symbol(_) => {
                true
            }
            _ => false,
        }
    }

    /// The first part of an expression; of a union that of the first alternative.
    pub(super) fn start(&self, id: ExprId) -> Start {
        match self.get(id) {
            Expr::Unknown => Start::Unknown,
            Expr::Instance { .. } | Expr::Container { .. } | Expr::Callable { .. } => Start::Type,
            Expr::Construct { class } => {
                let (class, _) = self.generic(*class);
                if self.is_chain(class) || matches!(self.get(class), Expr::Argument { .. }) {
                    Start::New
                } else {
                    self.start(class)
                }
            }
            Expr::Union(all) => self.start(all[0]),
            Expr::Member { object: one, .. }
            | Expr::Element { object: one }
            | Expr::ComputedMember { object: one, .. }
            | Expr::Item { object: one, .. }
            | Expr::Entered { object: one }
            | Expr::Call { callee: one, .. }
            | Expr::Param { callee: one, .. }
            | Expr::Specialized { base: one, .. } => self.start(*one),
            _ => Start::Value,
        }
    }

    /// Whether the first thing that it may be is an instance of a type.
    pub(super) fn is_base(&self, id: ExprId) -> bool {
        match self.get(id) {
            Expr::Union(all) => self.is_instance(all[0]),
            _ => self.is_instance(id),
        }
    }

    /// A type in the place of a base: the types themselves instead of instances of them.
    pub(super) fn bases(&mut self, id: ExprId) -> ExprId {
        self.each(id, |exprs, one| match *exprs.get(one) {
            Expr::Instance { of } => of,
            _ => one,
        })
    }

    /// A generic type apart from its type arguments.
    pub(super) fn generic(&self, of: ExprId) -> (ExprId, &[ExprId]) {
        match self.get(of) {
            Expr::Specialized { base, args } => (*base, args),
            _ => (of, &[]),
        }
    }

    /// Whether it is made by `new` from a class that has a name.
    pub(super) fn is_new(&self, id: ExprId) -> bool {
        matches!(self.get(id), Expr::Construct { class } if self.is_chain(self.generic(*class).0))
    }

    /// Whether it is a call that is given something which is known: `observer(Page)`.
    pub(super) fn is_call_with_args(&self, id: ExprId) -> bool {
        matches!(self.get(id), Expr::Call { args, .. } if !args.is_empty())
    }
}

//! One pending expression with its local names replaced by the values they are bound to; see `resolve_locals`.

use super::expr_builder::Start;
use super::pending::{PendingBinding, ValueOwner};
use super::resolve_locals::LocalResolver;
use super::type_params::type_around;
use crate::ir::{Expr, ExprId, NameId};
use crate::syntax::scope::Lookup;

/// The scope and symbol of a pending binding, in which the names of its expression are looked up.
pub(super) struct BindingSite<'s, 'w, 'a> {
    resolver: &'s mut LocalResolver<'w, 'a>,
    at: u32,
    depth: usize,
    /// Whether the binding is of a parameter of a callback.
    is_inner: bool,
}

impl<'s, 'w, 'a> BindingSite<'s, 'w, 'a> {
    pub(super) fn new(
        resolver: &'s mut LocalResolver<'w, 'a>,
        at: u32,
        depth: usize,
        is_inner: bool,
    ) -> Self {
        Self {
            resolver,
            at,
            depth,
            is_inner,
        }
    }

    fn binding(&self) -> &'w PendingBinding<'w> {
        &self.resolver.bindings[self.at as usize]
    }

    fn written(&self, id: ExprId) -> &'w Expr {
        self.resolver.builder.exprs.get(id)
    }

    /// The expression with its local names replaced.
    pub(super) fn value(&mut self, id: ExprId) -> Option<ExprId> {
        self.any(id, false)
    }

    /// The same for a base.
    pub(super) fn base(&mut self, id: ExprId) -> Option<ExprId> {
        self.any(id, true)
    }

    /// Resolves each alternative of a union. A type that cannot be resolved is left out; of a value with an unknown
    /// alternative nothing is known.
    fn any(&mut self, id: ExprId, is_base: bool) -> Option<ExprId> {
        let exprs = &self.resolver.builder.exprs;
        let mut found = Vec::new();
        for part in exprs.apart(id) {
            let is_chain = is_base && exprs.is_chain(exprs.generic(part).0);
            let known = if is_chain {
                self.base_name(part)
            } else {
                self.one(part)
            };
            match known {
                Some(part) => found.push(part),
                None if is_chain || exprs.start(part) == Start::Type => {}
                None => return None,
            }
        }
        (!found.is_empty()).then(|| self.resolver.exprs.either(found))
    }

    /// A base that has a name, which may be one of a type that is declared for all files.
    fn base_name(&mut self, of: ExprId) -> Option<ExprId> {
        self.type_name(of, |site, local| {
            let is_chain = site.resolver.exprs.is_chain(local);
            is_chain.then_some(local)
        })
    }

    fn one(&mut self, id: ExprId) -> Option<ExprId> {
        Some(match *self.written(id) {
            Expr::Tuple(ref all) => {
                let all = self.given(all).into();
                self.resolver.exprs.add(Expr::Tuple(all))
            }
            Expr::Unknown
            | Expr::Item { .. }
            | Expr::LoopVariable { .. }
            | Expr::Entered { .. }
            | Expr::Fallback { .. }
            | Expr::Callee { .. }
            | Expr::Accessor { .. }
            | Expr::Bounded { .. }
            | Expr::Named { .. } => return None,
            Expr::Union(_) => self.value(id)?,
            Expr::Name { name, .. } => {
                let name = self.resolver.text(name);
                self.first(name, false)?
            }
            Expr::Receiver { .. } => self.first("this", false)?,
            Expr::Super { .. } => self.first("super", false)?,
            Expr::Symbol(at) => self.resolver.exprs.add(Expr::Symbol(at)),
            Expr::Argument { index } => self.resolver.exprs.add(Expr::Argument { index }),
            Expr::TypeParam { index, .. } => self.type_parameter(index)?,
            Expr::Imported { import, name } => self.imported(import, name)?,
            Expr::Member { object, name } => {
                let object = self.one(object)?;
                let name = self.resolver.interned(name);
                self.resolver.exprs.member_by(object, name)
            }
            Expr::Element { object } => {
                let object = self.one(object)?;
                self.resolver.exprs.element(object)
            }
            Expr::ComputedMember { object, key } => {
                let object = self.one(object)?;
                let binding = self.binding();
                if self.resolver.is_constant(key, binding) {
                    let key = self.resolver.interned(key);
                    self.resolver.exprs.keyed(object, key)
                } else {
                    self.resolver.exprs.element(object)
                }
            }
            Expr::Call {
                callee,
                ref types,
                ref args,
            } => {
                let callee = self.one(callee)?;
                let (types, args) = (self.given_to_call(types), self.given_to_call(args));
                self.resolver.exprs.call(callee, &types, &args)
            }
            Expr::Construct { class } => {
                let (class, given) = self.resolver.builder.exprs.generic(class);
                let class = self.one(class)?;
                let given = self.given(given);
                let class = self.resolver.exprs.specialized(class, &given);
                self.resolver.exprs.construct(class)
            }
            Expr::Param { callee, index } => {
                let callee = self.one(callee)?;
                self.resolver.exprs.parameter(callee, index)
            }
            Expr::Instance { of } => self.instance(of)?,
            Expr::Container { kind, element } => {
                let element = self.one(element)?;
                self.resolver.exprs.container(kind, element)?
            }
            Expr::Callable { result } => {
                let result = self.one(result)?;
                self.resolver.exprs.callable(result)?
            }
            Expr::Specialized { base, .. } => self.one(base)?,
        })
    }

    /// An instance of a type. A local name of a type is bound to an instance already, such as the bound of a type
    /// parameter.
    fn instance(&mut self, of: ExprId) -> Option<ExprId> {
        if let Expr::TypeParam { index, .. } = *self.written(of) {
            let of = self.type_parameter(index)?;
            return Some(self.resolver.exprs.instance(of));
        }
        let (chain, _) = self.resolver.builder.exprs.generic(of);
        let is_name = matches!(self.written(chain), Expr::Name { .. });
        if let (true, Some((name, scope))) = (is_name, self.local_root(chain)) {
            return self.local(name, scope);
        }
        let of = self.type_name(of, |_, _| None)?;
        Some(self.resolver.exprs.instance(of))
    }

    /// A chain of names with its type arguments in the place of a type; `local` makes a type of a local one.
    fn type_name(
        &mut self,
        of: ExprId,
        local: impl Fn(&mut Self, ExprId) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let (chain, given) = self.resolver.builder.exprs.generic(of);
        if let Some((name, scope)) = self.local_root(chain) {
            let found = self.local(name, scope)?;
            let found = self.members_of(chain, found);
            return local(self, found);
        }
        let root = self.root(chain);
        let found = match *self.written(root) {
            Expr::Name { name, .. } => {
                let name = self.resolver.text(name);
                self.first(name, true)?
            }
            _ => self.one(root)?,
        };
        let found = self.members_of(chain, found);
        let given = self.given(given);
        Some(self.resolver.exprs.specialized(found, &given))
    }

    fn root(&self, chain: ExprId) -> ExprId {
        self.resolver.builder.exprs.arena.root(chain)
    }

    /// Returns the members that a chain takes of its root, of another one.
    fn members_of(&mut self, chain: ExprId, root: ExprId) -> ExprId {
        match *self.written(chain) {
            Expr::Member { object, name } => {
                let object = self.members_of(object, root);
                let name = self.resolver.interned(name);
                self.resolver.exprs.member_by(object, name)
            }
            _ => root,
        }
    }

    /// Returns the local name that a chain begins with, and its scope.
    fn local_root(&self, chain: ExprId) -> Option<(&'w str, u32)> {
        let name = match *self.written(self.root(chain)) {
            Expr::Name { name, .. } => self.resolver.text(name),
            Expr::Receiver { .. } => "this",
            Expr::Super { .. } => "super",
            _ => return None,
        };
        match self.resolver.scopes.lookup(name, self.binding().scope) {
            Lookup::Local(scope) => Some((name, scope)),
            _ => None,
        }
    }

    /// The root of a chain.
    fn first(&mut self, name: &str, is_type: bool) -> Option<ExprId> {
        let scope = self.binding().symbol;
        match self.resolver.scopes.lookup(name, self.binding().scope) {
            Lookup::Local(scope) => self.local(name, scope),
            Lookup::NestedSymbol(symbol) => Some(self.resolver.exprs.add(Expr::Symbol(symbol))),
            // A value of the run time's; a type may be declared for all files.
            Lookup::Unresolved if !is_type && !matches!(name, "this" | "super") => None,
            Lookup::FileScope | Lookup::Unresolved => Some(self.resolver.name(name, scope)),
        }
    }

    fn local(&mut self, name: &str, scope: u32) -> Option<ExprId> {
        if let Some(own) = self.own_type_parameter(name, scope) {
            return Some(own);
        }
        let found = self.resolver.local(name, scope, self.depth + 1)?;
        let all = self.resolver.exprs.apart(found).into_iter();
        let all: Vec<ExprId> = all.filter_map(|one| self.within(one)).collect();
        (!all.is_empty()).then(|| self.resolver.exprs.either(all))
    }

    /// The value of a local name at this site: a type parameter has no bound in the parameters of a callback, and no
    /// other local name is known there.
    fn within(&mut self, found: ExprId) -> Option<ExprId> {
        let of = match *self.resolver.exprs.get(found) {
            Expr::Instance { of } => of,
            _ => found,
        };
        match *self.resolver.exprs.get(of) {
            Expr::TypeParam { owner, index, .. } => {
                // Types inside types have their own.
                let around = type_around(self.resolver.symbols, self.binding().symbol);
                let own = self.resolver.exprs.add(Expr::TypeParam {
                    owner,
                    index,
                    has_bound: !self.is_inner,
                });
                (around == Some(owner)).then(|| self.resolver.exprs.instance(own))
            }
            _ => (!self.is_inner).then_some(found),
        }
    }

    /// A type parameter of the function whose return type this is: a call may infer it.
    fn own_type_parameter(&mut self, name: &str, scope: u32) -> Option<ExprId> {
        let index = *self.resolver.own.get(&self.resolver.key(name, scope))?;
        let ValueOwner::Member(Some(owner), _) = self.binding().owner else {
            return None;
        };
        self.resolver.is_returned(self.at).then(|| {
            let of = self.resolver.exprs.add(Expr::TypeParam {
                owner,
                index,
                has_bound: true,
            });
            self.resolver.exprs.instance(of)
        })
    }

    /// A type parameter of the type around.
    fn type_parameter(&mut self, index: u8) -> Option<ExprId> {
        let owner = type_around(self.resolver.symbols, self.binding().symbol)?;
        Some(self.resolver.exprs.add(Expr::TypeParam {
            owner,
            index,
            has_bound: true,
        }))
    }

    /// The export of a module, by the first import of it.
    fn imported(&mut self, module: u32, name: NameId) -> Option<ExprId> {
        let module = self.resolver.builder.modules.get(module as usize)?;
        let mut imports = self.resolver.builder.imports.iter();
        let import = imports.position(|it| it.specifier == *module)?;
        let import = u32::try_from(import).ok()?;
        let name = self.resolver.interned(name);
        Some(self.resolver.exprs.add(Expr::Imported { import, name }))
    }

    /// Type arguments.
    fn given(&mut self, all: &[ExprId]) -> Vec<ExprId> {
        let all = all.iter().map(|one| match self.value(*one) {
            Some(one) => one,
            None => self.resolver.exprs.unknown(),
        });
        all.collect()
    }

    /// Arguments of a call. Local names in them mean nothing to the callee's file and become unknown.
    fn given_to_call(&mut self, all: &[ExprId]) -> Vec<ExprId> {
        let mut all: Vec<ExprId> = all
            .iter()
            .map(|one| {
                let is_known = self.begins_in_file(*one);
                let found = is_known.then(|| self.value(*one)).flatten();
                found.unwrap_or_else(|| self.resolver.exprs.unknown())
            })
            .collect();
        while all
            .last()
            .is_some_and(|it| self.resolver.exprs.is_unknown(*it))
        {
            all.pop();
        }
        all
    }

    /// Whether a chain, an instance of one or a new one begins with a name of the file, or a call is given such a value.
    fn begins_in_file(&self, id: ExprId) -> bool {
        let of = match *self.written(id) {
            Expr::Construct { class: of } | Expr::Instance { of } => of,
            Expr::Call { ref args, .. } => {
                return args.iter().any(|arg| self.begins_in_file(*arg));
            }
            _ => id,
        };
        let (chain, _) = self.resolver.builder.exprs.generic(of);
        match *self.written(self.root(chain)) {
            Expr::Name { name, .. } => self.resolver.is_constant(name, self.binding()),
            _ => false,
        }
    }
}

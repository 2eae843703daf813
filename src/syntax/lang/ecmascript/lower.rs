//! From an origin, where all local names before it are followed, to an expression of the file.
//!
//! Refuses to know how an origin was found.

use super::origin::{ARGUMENT, HintKind, OWN_TYPE_PARAMETER, Origin, TYPE_PARAMETER, key_of};
use super::settled::Settled;
use super::walk::Draft;
use crate::ir::{
    BaseKind, ContainerKind, Expr, ExprArena, ExprId, Import, ImportIdx, PathId, Slot, SymbolIdx,
};
use crate::model::SymbolKind;

/// Makes the expressions of one file.
pub(super) struct Lowering<'w> {
    pub(super) arena: ExprArena,
    imports: &'w [Import],
    drafts: &'w [Draft],
}

/// Where an origin stands.
#[derive(Clone, Copy)]
struct Context {
    /// The innermost symbol around it.
    scope: Option<SymbolIdx>,
    /// Whether type parameters stand for their bounds where nothing is given.
    has_bound: bool,
}

impl<'w> Lowering<'w> {
    pub(super) fn new(imports: &'w [Import], drafts: &'w [Draft]) -> Self {
        Self {
            arena: ExprArena::default(),
            imports,
            drafts,
        }
    }

    /// Returns the expression that is held under `name` of `scope`, or is in it.
    pub(super) fn settled(
        &mut self,
        settled: &Settled<'_>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> ExprId {
        let is_inner = name.starts_with('(') && name.contains('.');
        let context = Context {
            scope,
            has_bound: !is_inner,
        };
        self.any(&settled.origin, settled.root, context)
    }

    /// Returns the path that a name of what is written about a member stands for: `a.b`, `(1).(0)`, `return`.
    pub(super) fn path(&mut self, name: &str) -> PathId {
        let mut path = PathId::EMPTY;
        for part in name.split('.') {
            let slot = self.slot(part);
            path = self.arena.path(path, slot);
        }
        path
    }

    fn slot(&mut self, part: &str) -> Slot {
        if let Some(at) = parameter(part) {
            return Slot::Param(at);
        }
        if let Some(key) = key_of(part) {
            return Slot::Key(self.arena.name(key));
        }
        let mark = part.strip_prefix([TYPE_PARAMETER, OWN_TYPE_PARAMETER]);
        if let Some(number) = mark {
            let default = number.strip_suffix('=');
            if let Ok(at) = default.unwrap_or(number).parse() {
                return match default {
                    Some(_) => Slot::TypeParamDefault(at),
                    None => Slot::TypeParamBound(at),
                };
            }
        }
        match part {
            "return" => Slot::Return,
            "extends" => Slot::Base(BaseKind::Extends),
            "implements" => Slot::Base(BaseKind::Implements),
            name => Slot::Member(self.arena.name(name)),
        }
    }

    /// Returns a member of a receiver that is written as a chain of names.
    pub(super) fn chain(&mut self, mut from: ExprId, names: &str) -> ExprId {
        for name in names.split('.').filter(|name| !name.is_empty()) {
            from = self.step(
                from,
                name,
                Context {
                    scope: None,
                    has_bound: true,
                },
            );
        }
        from
    }

    /// Returns what a name means that no local scope binds, as written in `scope`.
    pub(super) fn name(&mut self, name: &str, scope: Option<SymbolIdx>) -> ExprId {
        let expr = match name {
            "this" => Expr::Receiver { scope },
            "super" => Expr::Super { scope },
            name => Expr::Name {
                name: self.arena.name(name),
                scope: self.namespace(scope),
            },
        };
        self.arena.add(expr)
    }

    /// The namespace around a symbol, whose names are in scope without being members.
    fn namespace(&self, scope: Option<SymbolIdx>) -> Option<SymbolIdx> {
        let mut at = scope;
        while let Some(symbol) = at {
            let found = &self.drafts[symbol as usize].symbol;
            if found.kind == SymbolKind::Namespace {
                break;
            }
            at = found.parent;
        }
        at
    }

    fn any(&mut self, origin: &Origin<'_>, root: Option<SymbolIdx>, context: Context) -> ExprId {
        let first = self.one(origin, root, context);
        if origin.others.is_empty() {
            return first;
        }
        let mut all = vec![first];
        for other in &origin.others {
            all.push(self.one(other, root, context));
        }
        self.arena.union(all)
    }

    fn one(&mut self, origin: &Origin<'_>, root: Option<SymbolIdx>, context: Context) -> ExprId {
        let (chain, steps) = origin.of.split_once(':').unwrap_or((&origin.of, ""));
        let mut found = if let Some(module) = origin.module {
            self.imported(chain, module)
        } else {
            let mut names = chain.split('.');
            let first = names.next().unwrap_or_default();
            let mut found = match root {
                Some(root) => self.arena.add(Expr::Symbol(root)),
                None => self.first(first, context),
            };
            for name in names.filter(|name| !name.is_empty()) {
                found = self.step(found, name, context);
            }
            if !origin.given.is_empty() {
                let args: Vec<ExprId> = origin
                    .given
                    .iter()
                    .map(|one| match one {
                        Some(one) => self.any(one, None, context),
                        None => self.arena.add(Expr::Unknown),
                    })
                    .collect();
                let base = found;
                let args = args.into();
                found = self.arena.add(Expr::Specialized { base, args });
            }
            self.of_kind(origin.kind, found)
        };
        for step in steps.split('.').filter(|step| !step.is_empty()) {
            found = self.step(found, step, context);
        }
        found
    }

    fn of_kind(&mut self, kind: HintKind, named: ExprId) -> ExprId {
        let expr = match kind {
            HintKind::Value | HintKind::Base | HintKind::Import => return named,
            HintKind::New => Expr::Construct { class: named },
            HintKind::Call => call(named),
            HintKind::Type => Expr::Instance { of: named },
            HintKind::Element | HintKind::Keyed => {
                let element = self.arena.add(Expr::Instance { of: named });
                let kind = match kind {
                    HintKind::Element => ContainerKind::Sequence,
                    _ => ContainerKind::IndexSignature,
                };
                Expr::Container { kind, element }
            }
            HintKind::Gives => Expr::Callable {
                result: self.arena.add(Expr::Instance { of: named }),
            },
        };
        self.arena.add(expr)
    }

    fn imported(&mut self, name: &str, module: &str) -> ExprId {
        let at = self.imports.iter().position(|it| it.specifier == module);
        let expr = match at.and_then(|at| ImportIdx::try_from(at).ok()) {
            Some(import) => Expr::Imported {
                import,
                name: self.arena.name(name),
            },
            None => Expr::Unknown,
        };
        self.arena.add(expr)
    }

    fn first(&mut self, name: &str, context: Context) -> ExprId {
        let number = |mark: char| name.strip_prefix(mark).and_then(|it| it.parse::<u8>().ok());
        let owned = |owner: Option<SymbolIdx>, index: u8| match owner {
            Some(owner) => Expr::TypeParam {
                owner,
                index,
                has_bound: context.has_bound,
            },
            None => Expr::Unknown,
        };
        let expr = if let Some(index) = number(TYPE_PARAMETER) {
            owned(
                super::generics::type_around(self.drafts, context.scope),
                index,
            )
        } else if let Some(index) = number(OWN_TYPE_PARAMETER) {
            owned(context.scope, index)
        } else if let Some(index) = number(ARGUMENT) {
            Expr::Argument { index }
        } else {
            return self.name(name, context.scope);
        };
        self.arena.add(expr)
    }

    fn step(&mut self, object: ExprId, step: &str, context: Context) -> ExprId {
        let expr = if let Some(index) = parameter(step) {
            Expr::Param {
                callee: object,
                index,
            }
        } else if let Some(inside) = step.strip_prefix('(') {
            let inside = inside.strip_suffix(')').unwrap_or(inside);
            return self.given_call(object, inside, context);
        } else {
            match step {
                "[]" => Expr::Element { object },
                "{}" => Expr::Construct { class: object },
                step => match key_of(step) {
                    Some(key) => Expr::Keyed {
                        object,
                        key: self.arena.name(key),
                    },
                    None => Expr::Member {
                        object,
                        name: self.arena.name(step),
                    },
                },
            }
        };
        self.arena.add(expr)
    }

    /// `<A>new B,value C` between the brackets of a call.
    fn given_call(&mut self, callee: ExprId, inside: &str, context: Context) -> ExprId {
        let (types, args) = match inside.strip_prefix('<').and_then(super::calls::close) {
            Some((types, args)) => (types, args),
            None => ("", inside),
        };
        let types = self.given(types, context);
        let args = self.given(args, context);
        self.arena.add(Expr::Call {
            callee,
            types,
            args,
        })
    }

    fn given(&mut self, all: &str, context: Context) -> Box<[ExprId]> {
        if all.is_empty() {
            return Box::default();
        }
        let all = super::brackets::split(all, b',').unwrap_or_default();
        let all = all.into_iter().map(|one| self.written(one, context));
        all.collect()
    }

    /// One thing that is given, as it is written in a step: `Type`, `new Type`, `value a/b`, each with what it is given.
    fn written(&mut self, text: &str, context: Context) -> ExprId {
        let mut all = Vec::new();
        for one in text.split(" | ") {
            let (word, of) = one.split_once(' ').unwrap_or(("type", one));
            let Some((kind, _)) = HintKind::ALL.iter().find(|it| it.1 == word) else {
                continue;
            };
            if of.is_empty() {
                continue;
            }
            let (chain, types) = match of.split_once('<') {
                Some((chain, rest)) => (chain, rest.strip_suffix('>').unwrap_or(rest)),
                None => (of, ""),
            };
            let chain = chain.replace('/', ".");
            let (first, names) = chain.split_once('.').unwrap_or((&chain, ""));
            let mut found = self.first(first, context);
            found = self.chain(found, names);
            if of.contains('<') {
                let args = self.given(types, context);
                let base = found;
                found = self.arena.add(Expr::Specialized { base, args });
            }
            all.push(self.of_kind(*kind, found));
        }
        self.arena.union(all)
    }
}

fn call(callee: ExprId) -> Expr {
    Expr::Call {
        callee,
        types: Box::default(),
        args: Box::default(),
    }
}

/// The number of a step to a parameter: `(0)`.
fn parameter(step: &str) -> Option<u8> {
    step.strip_prefix('(')?.strip_suffix(')')?.parse().ok()
}

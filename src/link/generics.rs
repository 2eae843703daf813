//! Type parameters: `T` in a member of a `List<Item>` is `Item`.
//!
//! Type arguments are not inferred where none are written and no argument of the call tells them.

use std::rc::Rc;

use super::cache::Def;
use super::file::LinkedFile;
use super::file_tables::{Genericity, is_generic};
use super::linker::Linker;
use super::rules;
use super::types::{Substitution, Type};
use crate::ir::{Expr, ExprId, Slot, SymbolIdx};
use crate::model::{ModuleId, SymbolKind};

/// The type argument for a type parameter in one place.
enum TypeArgument {
    /// One of a known type.
    Known(Type),
    /// One of an unknown type.
    Unknown,
    /// None is passed.
    Nothing,
}

impl TypeArgument {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => Self::Known(one.or(other)),
            (Self::Known(one), _) | (_, Self::Known(one)) => Self::Known(one),
            (Self::Nothing, other) => other,
            (one, _) => one,
        }
    }
}

impl Linker<'_, '_> {
    /// The type arguments and arguments of the call that is being evaluated.
    pub(super) fn call(&self) -> Option<Rc<Substitution>> {
        self.call.borrow().clone()
    }

    /// An argument of the call that is being evaluated.
    pub(super) fn argument(&self, index: u8) -> Option<Type> {
        self.step()?;
        let call = self.call()?;
        self.nth(&call, &call.args, index)
    }

    /// A type argument that the call which is being evaluated writes: `Item` in `OfType<Item>()`.
    pub(super) fn written_type(&self, index: u8) -> Option<Type> {
        self.step()?;
        let call = self.call()?;
        self.nth(&call, &call.types, index)
    }

    /// The type of a type parameter. Of a type: the type argument that `this` passes, else its bound or default. Of a
    /// function: inferred from the call, else its bound.
    ///
    /// In Go an external bound tells nothing of a type of the repository that satisfies it: `any`, `fmt.Stringer`.
    pub(super) fn type_parameter(
        &self,
        file: &Rc<LinkedFile>,
        owner: SymbolIdx,
        index: u8,
        has_bound: bool,
        this: Option<&Type>,
    ) -> Option<Type> {
        self.step()?;
        let (found, is_bound) = self.bound_or_argument(file, owner, index, has_bound, this)?;
        if is_bound && found.is_external() && rules::of(file).is_go() {
            return Some(Type::unknown());
        }
        Some(found)
    }

    /// The type argument for a type parameter, else its bound, and whether it is that.
    fn bound_or_argument(
        &self,
        file: &Rc<LinkedFile>,
        owner: SymbolIdx,
        index: u8,
        has_bound: bool,
        this: Option<&Type>,
    ) -> Option<(Type, bool)> {
        let bound_of = |found: Option<Type>| Some((found?, true));
        let by = |owner: SymbolIdx, slot: Slot| {
            let value = file.value(owner, slot)?;
            self.infer(file, value, None)
        };
        if let Some(named) = file.facts.owner(owner as usize) {
            // The type parameters of a method are those of its receiver's type.
            let of = self.infer(file, named, None)?;
            let Some((there, at)) = of.symbol() else {
                return Some((external_type_argument(&of, this?, index)?, false));
            };
            let given = this.map_or(TypeArgument::Unknown, |this| {
                self.type_argument_for(this, (there, at), index)
            });
            if let TypeArgument::Known(known) = given {
                return Some((known, false));
            }
            let there = self.cache.get(there)?;
            let bound = there.value(at, Slot::TypeParamBound(index))?;
            return bound_of(self.infer(&there, bound, None));
        }
        if !is_generic(file.symbol(owner).kind) {
            if let Some(call) = self.call()
                && let Some(found) = self.nth(&call, &call.types, index)
            {
                return Some((found, false));
            }
            if !has_bound && rules::of(file).is_go() {
                return None;
            }
            let bound = by(owner, Slot::TypeParamBound(index));
            return bound_of(bound.or_else(|| by(owner, Slot::TypeParamDefault(index))));
        }
        let given = match this {
            Some(this) => self.type_argument_for(this, (file.file, owner), index),
            // A free function may have been called with any type.
            None => TypeArgument::Unknown,
        };
        let is_given = !matches!(given, TypeArgument::Nothing);
        if let TypeArgument::Known(known) = given {
            return Some((known, false));
        }
        let heads = if has_bound {
            file.overloads(owner)
        } else {
            &[]
        };
        let by_any = |slot: Slot| {
            let mut values = heads.iter().filter_map(|at| file.value(*at, slot));
            self.infer(file, values.next()?, None)
        };
        let default = || by_any(Slot::TypeParamDefault(index));
        let default = (!is_given).then(default).flatten();
        bound_of(default.or_else(|| by_any(Slot::TypeParamBound(index))))
    }

    /// Finds the type argument that a type passes to `ancestor`, itself or a base: in `class Rows extends List<Row>`,
    /// `Rows` passes `Row` to `List`.
    fn type_argument_for(
        &self,
        found: &Type,
        owner: (ModuleId, SymbolIdx),
        index: u8,
    ) -> TypeArgument {
        let (file, at) = match found {
            Type::Union(all) => {
                let each = all
                    .iter()
                    .map(|one| self.type_argument_for(one, owner, index));
                return each.fold(TypeArgument::Nothing, TypeArgument::or);
            }
            Type::Instance(Def::Symbol(file, at)) | Type::Specialized(Def::Symbol(file, at), _) => {
                (*file, *at)
            }
            _ => return TypeArgument::Nothing,
        };
        let (Some(()), Some(loaded)) = (self.step(), self.cache.get(file)) else {
            return TypeArgument::Unknown;
        };
        if file == owner.0 && loaded.overloads(at).contains(&owner.1) {
            return match found {
                Type::Specialized(_, given) if usize::from(index) < given.types.len() => {
                    let found = self.nth(given, &given.types, index);
                    found.map_or(TypeArgument::Unknown, TypeArgument::Known)
                }
                _ => TypeArgument::Nothing,
            };
        }
        let key = ((file, at), owner);
        if self.open_type_args.borrow().contains(&key) {
            return TypeArgument::Nothing;
        }
        let heads = loaded.overloads(at).iter();
        for base in heads.flat_map(|at| loaded.bases(*at)) {
            self.open_type_args.borrow_mut().push(key);
            let made = self.base_with_arguments(&loaded, base, found);
            self.open_type_args.borrow_mut().pop();
            let Some(made) = made else {
                continue;
            };
            if made.unspecialized() != found.unspecialized() {
                let given = self.type_argument_for(&made, owner, index);
                if !matches!(given, TypeArgument::Nothing) {
                    return given;
                }
            }
        }
        TypeArgument::Nothing
    }

    /// The type that `this` extends or implements by an expression of `file`, with the type arguments that are written there.
    pub(super) fn base_with_arguments(
        &self,
        file: &Rc<LinkedFile>,
        base: ExprId,
        this: &Type,
    ) -> Option<Type> {
        let made = self.infer(file, base, Some(this))?.instance();
        Some(match (made, first_specialized(file, base)) {
            (Type::Instance(def), Some(types)) => {
                Type::Specialized(def, self.substitution(file, types, &[], Some(this)))
            }
            (made, _) => made,
        })
    }

    /// Evaluates one of the things that were given.
    fn nth(&self, given: &Substitution, all: &[ExprId], index: u8) -> Option<Type> {
        let written = *all.get(usize::from(index))?;
        let file = self.cache.get(given.file)?;
        let outer = self.call.replace(given.call.clone());
        let found = self.infer(&file, written, given.this.as_ref());
        self.call.replace(outer);
        found
    }

    /// Returns the type of a field or variable whose declared type has type arguments or parameters; `object` is the
    /// object that it is a member of.
    pub(super) fn held_by_generic(&self, found: &Type, object: Option<&Type>) -> Option<Type> {
        self.held_if(found, object, |it| it.has_args || it.has_class_param)
    }

    /// As [`Self::held_by_generic`], only where a type parameter is in it.
    pub(super) fn held_by_type_parameter(
        &self,
        found: &Type,
        object: Option<&Type>,
    ) -> Option<Type> {
        self.held_if(found, object, |it| it.has_class_param)
    }

    fn held_if(
        &self,
        found: &Type,
        object: Option<&Type>,
        is_asked: impl Fn(Genericity) -> bool,
    ) -> Option<Type> {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return None;
        };
        let loaded = self.cache.get(*file)?;
        let symbol = loaded.symbol(*at);
        if !is_variable(symbol.kind) {
            return None;
        }
        let value = loaded
            .values(symbol.parent, Some(loaded.path(*at)))
            .next()?;
        is_asked(loaded.genericity_of(value)).then(|| self.infer(&loaded, value, object))?
    }
}

/// Finds the type argument that an external value passes to the type `of`, which an `impl` block is for: `Row` of an
/// `Option<Row>` in `impl<T> OrFail<T> for Option<T>`.
fn external_type_argument(of: &Type, this: &Type, index: u8) -> Option<Type> {
    match (of, this) {
        (Type::ExternalType(of), Type::ExternalType(this)) if of.name == this.name => {
            this.arg(usize::from(index))
        }
        (of, Type::External) if of.is_external() => Some(Type::External),
        _ => None,
    }
}

/// The type arguments of the first alternative of an expression.
fn first_specialized(file: &LinkedFile, expr: ExprId) -> Option<&[ExprId]> {
    match file.expr(expr) {
        Expr::Specialized { args, .. } => Some(args),
        Expr::Union(all) => first_specialized(file, *all.first()?),
        _ => None,
    }
}

/// Whether it may hold different things.
pub(super) fn is_variable(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Constant | Field | Property | Variable)
}

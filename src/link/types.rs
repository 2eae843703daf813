//! Types of expressions, as far as linking needs them.
//!
//! `infer` computes them.

use std::rc::Rc;

use super::cache::Def;
use crate::ir::{ContainerKind, ExprId, PathId, SymbolIdx};
use crate::model::{FileId, ModuleId};

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "reads best as it is")]
pub(super) enum Type {
    /// The definition or module itself: a class, a function, a variable by its name.
    Definition(Def),
    /// An instance of the definition: a value of a class, an interface, an alias.
    Instance(Def),
    /// An instance with type arguments: a `List<Item>`.
    Specialized(Def, Rc<Substitution>),
    /// A container of elements of one type.
    Container(ContainerKind, Rc<Type>),
    /// Values in fixed places, `None` for one of which nothing is known.
    Tuple(Rc<[Option<Type>]>),
    /// A function that gives this when it is called.
    Callable(Rc<Type>),
    /// A method that nobody writes and that stands for a definition, with the type that calling it returns.
    Accessor(Def, Option<Rc<Type>>),
    /// An object literal, or a type that is written out, which is no definition: the file, the symbol in which it stands and
    /// the path there.
    AnonymousObject(ModuleId, Option<SymbolIdx>, PathId),
    /// Something external, or made of such: nothing here is a member of it.
    External,
    /// An external class, or a value of it: only its name and type arguments are known.
    ExternalType(Rc<ExternalType>),
    /// A method of such a class, by its name.
    ExternalMethod(Rc<ExternalType>, Rc<str>),
    /// One of several, which none but the running code knows.
    Union(Rc<[Type]>),
}

/// A class, or a value of a class, that is outside of the repository. Two are equal by their names and type arguments.
#[derive(Clone, Debug, Eq)]
pub(super) struct ExternalType {
    /// Its name without that of its package: `List`.
    pub(super) name: Rc<str>,
    /// The path of the module that code takes it from, in Rust: `std::time` of `Duration`. `None` where no code says it.
    pub(super) module: Option<Rc<str>>,
    /// Its type arguments, `None` for one of which nothing is known.
    pub(super) args: Rc<[Option<Type>]>,
}

impl PartialEq for ExternalType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.args == other.args
    }
}

/// The type arguments and arguments of one generic type or call, as expressions of the file that wrote them: evaluated when
/// a type parameter is asked for. `List<Item>` has `types: [Item]`, `wrap(new A())` has `args: [new A()]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Substitution {
    /// The file in which it is written.
    pub(super) file: ModuleId,
    /// Type arguments, by the index of their type parameter.
    pub(super) types: Rc<[ExprId]>,
    /// The arguments of a call, by their places.
    pub(super) args: Rc<[ExprId]>,
    /// The receiver of the member in which it is written.
    pub(super) this: Option<Type>,
    /// The call that was being evaluated where it is written.
    pub(super) call: Option<Rc<Substitution>>,
}

impl Type {
    /// One of which nothing is known, in place of an external one.
    pub(super) fn unknown() -> Self {
        Self::Union(Rc::default())
    }

    /// Itself; where it is [`Self::unknown`] another type, unless that is external.
    pub(super) fn or_if_unknown(self, other: impl FnOnce() -> Option<Self>) -> Self {
        match self {
            Self::Union(all) if all.is_empty() => {
                let other = other().filter(|it| !it.is_external());
                other.unwrap_or(Self::Union(all))
            }
            known => known,
        }
    }

    /// Of several things it may be, the one that is of the repository, where there is one and the others are not.
    pub(super) fn inside(&self) -> Option<Self> {
        let Self::Union(all) = self else {
            return None;
        };
        let mut inside = all.iter().filter(|one| !one.is_external());
        match (inside.next(), inside.next()) {
            (Some(one), None) => Some(one.clone()),
            _ => None,
        }
    }

    /// Whether it is external.
    pub(super) fn is_external(&self) -> bool {
        matches!(
            self,
            Self::External | Self::ExternalType(_) | Self::ExternalMethod(..)
        )
    }

    /// Whether it is something whose type is a definition.
    pub(super) fn is_instance(&self) -> bool {
        matches!(self, Self::Instance(_) | Self::Specialized(..))
    }

    /// The definition that it is, or is an instance of: file and place.
    pub(super) fn symbol(&self) -> Option<(ModuleId, SymbolIdx)> {
        match self {
            Self::Definition(Def::Symbol(file, at))
            | Self::Instance(Def::Symbol(file, at))
            | Self::Specialized(Def::Symbol(file, at), _) => Some((*file, *at)),
            _ => None,
        }
    }

    /// The definition, with its file as the index numbers it.
    pub(super) fn definition(&self) -> Option<(FileId, SymbolIdx)> {
        self.symbol().map(|(module, at)| (module.file(), at))
    }

    /// The same without the types that its own was given.
    pub(super) fn unspecialized(&self) -> Self {
        match self {
            Self::Specialized(def, _) => Self::Instance(*def),
            other => other.clone(),
        }
    }

    /// An instance of it, where it is a type; itself otherwise.
    pub(super) fn instance(self) -> Self {
        match self {
            Self::Definition(def) => Self::Instance(def),
            Self::Union(all) => all
                .iter()
                .cloned()
                .map(Self::instance)
                .reduce(Self::or)
                .unwrap_or(Self::Union(all)),
            other => other,
        }
    }

    /// Either this or the other.
    pub(super) fn or(self, other: Self) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for one in [self, other] {
            let parts = match one {
                Self::Union(parts) => parts.to_vec(),
                one => vec![one],
            };
            for part in parts {
                if !all.contains(&part) {
                    all.push(part);
                }
            }
        }
        match all.len() {
            1 => all.swap_remove(0),
            _ => Self::Union(all.into()),
        }
    }
}

/// Maps the alternatives of a union; the union of the results.
pub(super) fn each(all: &[Type], then: impl Fn(&Type) -> Option<Type>) -> Option<Type> {
    all.iter().filter_map(then).reduce(Type::or)
}

//! One expression, or one type, of a file.

use serde::{Deserialize, Serialize};

/// A symbol, an index into [`super::FileFacts::symbols`].
pub type SymbolIdx = u32;
/// An import, an index into [`super::FileFacts::imports`].
pub type ImportIdx = u32;

/// An expression of an [`super::ExprArena`]; equal expressions of one arena have equal ids.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ExprId(pub u32);

/// A name of an [`super::ExprArena`]; equal names of one arena have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// The kind of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContainerKind {
    /// Iterating and indexing give elements: `T[]`, `Set<T>`, `list[T]`, and the values of `Map<K, T>`.
    Sequence,
    /// A loop gives elements first, not positions: a channel.
    Stream,
    /// Keys and values: the element is a tuple of both, of which indexing gives the second.
    Map,
    /// Every member is an element, whatever its name: `Record<K, T>`, `{ [key: string]: T }`.
    IndexSignature,
}

/// An expression or a type of one file, reduced to the parts that name resolution uses.
///
/// `const { open } = load(store).files[0]` binds `open` to
/// `Member(Element(Member(Call(Name load, [Name store]), files)), open)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// Nothing is known of it.
    Unknown,
    /// A name that no local scope binds, looked up in the namespaces around `scope`, then in the file: `store`.
    Name {
        /// The name.
        name: NameId,
        /// The innermost symbol around it.
        scope: Option<SymbolIdx>,
    },
    /// The receiver of the members around `scope`: `this`, `self`.
    Receiver {
        /// The innermost symbol around it.
        scope: Option<SymbolIdx>,
    },
    /// The base of the class around `scope`: `super`.
    Super {
        /// The innermost symbol around it.
        scope: Option<SymbolIdx>,
    },
    /// A symbol of this file, whatever its name: a function inside a function.
    Symbol(SymbolIdx),
    /// An export of an imported module, where the import is an expression: `require('./m').open`. The name `*` is the
    /// module itself.
    Imported {
        /// The import.
        import: ImportIdx,
        /// The name there.
        name: NameId,
    },
    /// `object.name`
    Member {
        /// The object.
        object: ExprId,
        /// The member's name.
        name: NameId,
    },
    /// One element of an iterated or indexed object: `object[i]`, `for (const one of object)`.
    Element {
        /// The object.
        object: ExprId,
    },
    /// The loop's first variable: in Go map key, sequence index, channel element (`for k, v := range m`), in C++ and C#
    /// the element, by the protocol of loops (`for (auto& one : list)`, `foreach (var one in list)`).
    LoopVariable {
        /// The iterated object.
        object: ExprId,
    },
    /// `object[KEY]` with a constant as key: the member declared under it (`{ [KEY]: open }`), else an element.
    ComputedMember {
        /// The object.
        object: ExprId,
        /// The constant's name.
        key: NameId,
    },
    /// Item `index` of an object that is destructured by position: `const [one] = object`, `a, b = object`.
    Item {
        /// The object.
        object: ExprId,
        /// From 0.
        index: u8,
    },
    /// `callee(…)`
    Call {
        /// The callee.
        callee: ExprId,
        /// The type arguments: `callee<A>()`.
        types: Box<[ExprId]>,
        /// Its arguments by position; [`Expr::Unknown`] for one of which nothing is known.
        args: Box<[ExprId]>,
    },
    /// `new class(…)`
    Construct {
        /// The class.
        class: ExprId,
    },
    /// A value of the named type: an annotation.
    Instance {
        /// The type.
        of: ExprId,
    },
    /// A generic type with its type arguments: `Map<Key, Item>`.
    Specialized {
        /// The generic type.
        base: ExprId,
        /// The type arguments; [`Expr::Unknown`] for those that name no type.
        args: Box<[ExprId]>,
    },
    /// Something that contains elements.
    Container {
        /// The kind of container.
        kind: ContainerKind,
        /// One of them.
        element: ExprId,
    },
    /// Values in fixed places: `[A, B]`, `tuple[A, B]`.
    Tuple(Box<[ExprId]>),
    /// A function that returns this: `() => T`.
    Callable {
        /// The type that calling it returns.
        result: ExprId,
    },
    /// Parameter `index` of a callee: the contextual type of a callback.
    Param {
        /// The callee.
        callee: ExprId,
        /// From 0.
        index: u8,
    },
    /// The value that `with object as name` binds, by the protocol of the language.
    Entered {
        /// The context manager.
        object: ExprId,
    },
    /// Type parameter `index` of a class, an interface, a type or a function.
    TypeParam {
        /// The type or function that declares it.
        owner: SymbolIdx,
        /// From 0.
        index: u8,
        /// Whether an unbound parameter falls back to its bound; false for a callback that is passed on, whose caller
        /// decides.
        has_bound: bool,
    },
    /// Argument `index` of the call whose result this is.
    Argument {
        /// From 0.
        index: u8,
    },
    /// One of several.
    Union(Box<[ExprId]>),
    /// `first` where that is known, else `other`: for `x: Base = value` the value, else the annotation; for the result of
    /// `def build(cls: type[T]) -> T` an instance of the first argument, else of the bound of `T`.
    Fallback {
        /// A name that may be that of a type variable in another file: where it names a type, only `other` counts.
        /// [`Expr::Unknown`] where there is no such condition.
        variable: ExprId,
        /// The value that is preferred.
        first: ExprId,
        /// The value where nothing is known of the first.
        other: ExprId,
    },
    /// The definition that a call calls: of several by that name the one that takes its arguments.
    Callee {
        /// An [`Expr::Call`].
        call: ExprId,
    },
    /// A method that nobody writes and that stands for a definition: `withName()`, which Lombok makes for a field `name`.
    Accessor {
        /// The definition.
        of: ExprId,
        /// The type that calling it returns.
        result: ExprId,
    },
    /// A type that has the members of its bounds and may have others: `T::Output` of a trait with `type Output: Debug`, which a function may
    /// bind further (`T: Tool<Output: Text>`).
    Bounded {
        /// The bounds.
        by: ExprId,
    },
    /// An argument that is given by the name of its parameter: `open(size: 3)`.
    Named {
        /// The parameter.
        name: NameId,
        /// The argument.
        value: ExprId,
    },
}

impl Expr {
    /// Calls `visit` with each expression that this one is made of.
    pub fn each_part(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Self::Unknown
            | Self::Name { .. }
            | Self::Receiver { .. }
            | Self::Super { .. }
            | Self::Symbol(_)
            | Self::Imported { .. }
            | Self::TypeParam { .. }
            | Self::Argument { .. } => {}
            Self::Member { object, .. }
            | Self::Element { object }
            | Self::LoopVariable { object }
            | Self::ComputedMember { object, .. }
            | Self::Item { object, .. }
            | Self::Entered { object }
            | Self::Callee { call: object } => visit(*object),
            Self::Call {
                callee,
                types,
                args,
            } => {
                visit(*callee);
                types.iter().chain(args).for_each(|one| visit(*one));
            }
            Self::Construct { class: one }
            | Self::Instance { of: one }
            | Self::Container { element: one, .. }
            | Self::Callable { result: one }
            | Self::Bounded { by: one }
            | Self::Param { callee: one, .. } => visit(*one),
            Self::Accessor { of, result } => [*of, *result].into_iter().for_each(visit),
            Self::Named { value, .. } => visit(*value),
            Self::Specialized { base, args } => {
                visit(*base);
                args.iter().for_each(|one| visit(*one));
            }
            Self::Tuple(all) | Self::Union(all) => all.iter().for_each(|one| visit(*one)),
            Self::Fallback {
                variable,
                first,
                other,
            } => [*variable, *first, *other].into_iter().for_each(visit),
        }
    }

    /// Returns the symbol that it names itself: one of the file, or the one around a name.
    pub fn symbols(&self) -> Option<SymbolIdx> {
        match self {
            Self::Name { scope, .. } | Self::Receiver { scope } | Self::Super { scope } => *scope,
            Self::Symbol(at) | Self::TypeParam { owner: at, .. } => Some(*at),
            _ => None,
        }
    }

    /// Returns the name that it holds itself, not in a part.
    pub fn name(&self) -> Option<NameId> {
        match self {
            Self::Name { name, .. }
            | Self::Member { name, .. }
            | Self::Named { name, .. }
            | Self::Imported { name, .. }
            | Self::ComputedMember { key: name, .. } => Some(*name),
            _ => None,
        }
    }

    /// Returns it with other names and parts.
    pub(super) fn with(
        &self,
        name_of: impl Fn(NameId) -> NameId,
        part_of: impl Fn(ExprId) -> ExprId,
    ) -> Self {
        let parts = |all: &[ExprId]| all.iter().map(|one| part_of(*one)).collect();
        match self {
            Self::Name { name, scope } => Self::Name {
                name: name_of(*name),
                scope: *scope,
            },
            Self::Imported { import, name } => Self::Imported {
                import: *import,
                name: name_of(*name),
            },
            Self::Member { object, name } => Self::Member {
                object: part_of(*object),
                name: name_of(*name),
            },
            Self::Element { object } => Self::Element {
                object: part_of(*object),
            },
            Self::LoopVariable { object } => Self::LoopVariable {
                object: part_of(*object),
            },
            Self::ComputedMember { object, key } => Self::ComputedMember {
                object: part_of(*object),
                key: name_of(*key),
            },
            Self::Item { object, index } => Self::Item {
                object: part_of(*object),
                index: *index,
            },
            Self::Call {
                callee,
                types,
                args,
            } => Self::Call {
                callee: part_of(*callee),
                types: parts(types),
                args: parts(args),
            },
            Self::Construct { class } => Self::Construct {
                class: part_of(*class),
            },
            Self::Instance { of } => Self::Instance { of: part_of(*of) },
            Self::Specialized { base, args } => Self::Specialized {
                base: part_of(*base),
                args: parts(args),
            },
            Self::Container { kind, element } => Self::Container {
                kind: *kind,
                element: part_of(*element),
            },
            Self::Tuple(all) => Self::Tuple(parts(all)),
            Self::Callable { result } => Self::Callable {
                result: part_of(*result),
            },
            Self::Param { callee, index } => Self::Param {
                callee: part_of(*callee),
                index: *index,
            },
            Self::Entered { object } => Self::Entered {
                object: part_of(*object),
            },
            Self::Union(all) => Self::Union(parts(all)),
            Self::Fallback {
                variable,
                first,
                other,
            } => Self::Fallback {
                variable: part_of(*variable),
                first: part_of(*first),
                other: part_of(*other),
            },
            Self::Callee { call } => Self::Callee {
                call: part_of(*call),
            },
            Self::Accessor { of, result } => Self::Accessor {
                of: part_of(*of),
                result: part_of(*result),
            },
            Self::Bounded { by } => Self::Bounded { by: part_of(*by) },
            Self::Named { name, value } => Self::Named {
                name: name_of(*name),
                value: part_of(*value),
            },
            Self::Unknown
            | Self::Receiver { .. }
            | Self::Super { .. }
            | Self::Symbol(_)
            | Self::TypeParam { .. }
            | Self::Argument { .. } => self.clone(),
        }
    }

    /// Gives the symbol that it names its new index.
    pub(super) fn renumber(&mut self, new: &impl Fn(SymbolIdx) -> SymbolIdx) {
        match self {
            Self::Name { scope, .. } | Self::Receiver { scope } | Self::Super { scope } => {
                *scope = scope.map(new);
            }
            Self::Symbol(at) | Self::TypeParam { owner: at, .. } => *at = new(*at),
            _ => {}
        }
    }
}

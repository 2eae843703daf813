//! Values of symbols and of the file: each under a path of slots.

use serde::{Deserialize, Serialize};

use super::{ExprId, NameId, SymbolIdx};

/// A path of slots, an index into the paths of an [`super::ExprArena`]; the path of no slot is 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct PathId(pub u32);

impl PathId {
    /// The path of no slot: the owner itself.
    pub const EMPTY: Self = Self(0);
}

/// How something is built on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BaseKind {
    /// `extends`, a base class.
    Extends,
    /// `implements`
    Implements,
}

/// One place of an owner that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Slot {
    /// A member, or a name of the file.
    Member(NameId),
    /// The member that was given under a constant as its key: `object[KEY] = value`.
    Key(NameId),
    /// The return value.
    Return,
    /// Its parameter, from 0.
    Param(u8),
    /// A base; the one slot that may hold several values, each true beside the others.
    Base(BaseKind),
    /// The bound of a type parameter: `T extends Bound`.
    TypeParamBound(u8),
    /// The default of a type parameter: `T = Default`.
    TypeParamDefault(u8),
    /// All names of a module: `use a::*`; may hold several values, as a base does.
    All,
}

/// A value that an owner holds.
///
/// `class Store { db: Db }` has one binding: owner `Store`, path `[Member db]`, value `Instance(Name Db)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The class, function, object or namespace that holds it; `None` for the file.
    pub owner: Option<SymbolIdx>,
    /// The path: `[Member a, Member b]` for `{ a: { b: value } }`, `[Param 1, Param 0]` for the first parameter of the
    /// callback that is the second one.
    pub path: PathId,
    /// The value.
    pub value: ExprId,
}

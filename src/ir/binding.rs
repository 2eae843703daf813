//! What a symbol, or the file, holds: under a path of slots a value.

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
    /// What it returns.
    Return,
    /// Its parameter, from 0.
    Param(u8),
    /// What it is built on; the one slot that may hold several values, each true beside the others.
    Base(BaseKind),
    /// What bounds its type parameter: `T extends Bound`.
    TypeParamBound(u8),
    /// What its type parameter is where nothing is given: `T = Default`.
    TypeParamDefault(u8),
}

/// A value that an owner holds.
///
/// `class Store { db: Db }` has one binding: owner `Store`, path `[Member db]`, value `Instance(Name Db)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The class, function, object or namespace that holds it; `None` for the file.
    pub owner: Option<SymbolIdx>,
    /// Where in it: `[Member a, Member b]` for `{ a: { b: value } }`, `[Param 1, Param 0]` for what a function is given
    /// that is the second argument.
    pub path: PathId,
    /// What it holds.
    pub value: ExprId,
}

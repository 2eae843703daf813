//! Values of symbols and of the file: each under a path of slots.

use serde::{Deserialize, Serialize};

use super::{Expr, ExprArena, ExprId, NameId, SymbolIdx};
use crate::model::{Family, SymbolKind};

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

impl BaseKind {
    /// Whether a definition of a kind has the members of such a base. A class of TypeScript has none of an interface that it
    /// implements: `class Flow implements Closable {}` has no `close`.
    pub fn gives_members(self, family: Family, kind: SymbolKind) -> bool {
        (self, family, kind) != (Self::Implements, Family::Ecmascript, SymbolKind::Class)
    }
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
    /// An assignment in the code of the owner, no value of its own: `server.handle = open` as a pair of what is assigned to and
    /// of the function that it gets. Calls of a field or variable may run any function that some code assigns to it.
    Assigned,
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

impl Binding {
    /// Returns the field or variable and the function that it gets, where it is an assignment; see [`Slot::Assigned`].
    pub fn assignment(&self, exprs: &ExprArena) -> Option<(ExprId, ExprId)> {
        let (_, Slot::Assigned) = exprs.last(self.path)? else {
            return None;
        };
        match exprs.get(self.value) {
            Expr::Tuple(pair) => Some((*pair.first()?, *pair.get(1)?)),
            _ => None,
        }
    }
}

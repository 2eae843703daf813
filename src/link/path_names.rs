//! Names as paths and members write them in the facts: the kind wanted of each, and the definition found.

use std::rc::Rc;

use super::types::Type;
use crate::ir::SymbolIdx;
use crate::model::{ModuleId, SymbolKind};

/// A definition, by its file and its index among the symbols of that.
pub(super) type SymbolKey = (ModuleId, SymbolIdx);

/// The traits of a type, as values of them.
pub(super) type Traits = Rc<[Type]>;

/// Kind of thing that a name of a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    /// A module, crate or type with names below it: `store::`.
    Qualifier,
    /// `log!`
    Macro,
    /// The last of a path.
    Last,
}

impl Wanted {
    /// Splits a name of the facts into that of the source and the kind wanted.
    pub(super) fn of(name: &str) -> (&str, Self) {
        if let Some(bare) = name.strip_suffix("::") {
            (bare, Self::Qualifier)
        } else if let Some(bare) = name.strip_suffix('!') {
            (bare, Self::Macro)
        } else {
            (name.strip_suffix("()").unwrap_or(name), Self::Last)
        }
    }

    /// How well a definition of some kind fits: less is better; `None` where it is not.
    pub(super) fn rank(self, kind: SymbolKind) -> Option<u8> {
        use SymbolKind::{Class, Enum, Interface, Macro, Namespace, Type};
        match (self, kind) {
            (Self::Macro, Macro) | (Self::Qualifier, Namespace) => Some(0),
            (Self::Qualifier, Class | Enum | Interface | Type) | (Self::Last, Namespace) => Some(1),
            (Self::Macro | Self::Qualifier, _) | (_, Macro) => None,
            (Self::Last, _) => Some(0),
        }
    }
}

/// The outcome of looking a name up in a module.
#[derive(Clone, Debug)]
pub(super) enum NameLookup {
    /// Of this type.
    Found(Type),
    /// Something that is not known.
    Unknown,
    /// The module does not have it.
    Absent,
}

impl NameLookup {
    pub(super) fn known(self) -> Option<Type> {
        match self {
            Self::Found(found) => Some(found),
            _ => None,
        }
    }
}

/// Splits `Some(0)` into its name and index.
pub(super) fn payload(name: &str) -> Option<(&str, &str)> {
    let (variant, place) = name.strip_suffix(')')?.split_once('(')?;
    (!place.is_empty()).then_some((variant, place))
}

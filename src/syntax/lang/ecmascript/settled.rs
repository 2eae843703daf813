//! Where a value comes from when the local names before it are followed.
//!
//! Refuses to know which names are local.

use super::origin::HintKind;
use super::origin::{ORIGIN_BYTES, Origin};

/// An origin that begins with no local name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settled<'a> {
    pub(super) origin: Origin<'a>,
    pub(super) root: Option<u32>,
    /// Where its `this` is meant; `None` where it has none.
    pub(super) symbol: Option<u32>,
}

impl Settled<'_> {
    /// What is either this or the other; this alone where one hint can't say both.
    pub(super) fn or(self, other: Self) -> Self {
        let symbol = self.symbol.or(other.symbol);
        let is_one = self.root == other.root && other.symbol.is_none_or(|at| symbol == Some(at));
        if !is_one {
            return self;
        }
        Settled {
            origin: self.origin.or(other.origin),
            root: self.root,
            symbol,
        }
    }
}

/// Puts what a local name is in the place of that name, which an origin begins with.
pub(super) fn join<'a>(base: Settled<'a>, origin: &Origin<'a>) -> Option<Settled<'a>> {
    let (chain, steps) = match origin.of.split_once(':') {
        Some((chain, steps)) => (chain, steps),
        None => (&*origin.of, ""),
    };
    let members = chain.split_once('.').map_or("", |(_, rest)| rest);
    let Settled {
        origin: mut found,
        root,
        symbol,
    } = base;
    let names = |text: &'_ str| -> Vec<String> {
        text.split('.')
            .filter(|step| !step.is_empty())
            .map(str::to_owned)
            .collect()
    };
    match origin.kind {
        HintKind::Value | HintKind::Call => {
            for name in names(members) {
                found = found.then(&name);
            }
            if origin.kind == HintKind::Call {
                found = found.then("()");
            }
        }
        HintKind::New | HintKind::Base => {
            for name in names(members) {
                found = found.then(&name);
            }
            if origin.kind == HintKind::New {
                found = found.then("{}");
            } else if found.is_plain(HintKind::Value) {
                found.kind = origin.kind;
            } else {
                return None;
            }
        }
        // A type parameter is what it is bound by.
        HintKind::Type if members.is_empty() => {}
        HintKind::Element | HintKind::Keyed | HintKind::Gives if members.is_empty() => {
            if !found.is_plain(HintKind::Type) {
                return None;
            }
            found.kind = origin.kind;
        }
        _ => return None,
    }
    for step in names(steps) {
        found = found.then(&step);
    }
    (found.of.len() <= ORIGIN_BYTES).then_some(Settled {
        origin: found,
        root,
        symbol,
    })
}

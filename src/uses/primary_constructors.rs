//! Constructors of C# that change their form alone: `class Store { public Store(Db db) … }` and `class Store(Db db)` take the same
//! arguments.
//!
//! Facts have no symbol for the second form, so that the first one seems to be removed or added.

use super::changed_file::{ChangedFile, FileSide};
use super::difference::SymbolChange;
use crate::graph::changes::ChangeKind;
use crate::model::{Family, Symbol, SymbolFlags, SymbolKind};

/// Leaves out the constructors that the other state has behind the name of their class, with the same parameters.
pub(super) fn leave_out_other_forms(files: &[ChangedFile], changes: &mut Vec<SymbolChange>) {
    changes.retain(|change| {
        let (place, is_old) = match (change.kind, &change.old, &change.new) {
            (ChangeKind::Removed, Some(old), _) => (old, true),
            (ChangeKind::Added, _, Some(new)) => (new, false),
            _ => return true,
        };
        let file = &files[place.file];
        let (own, other) = if is_old {
            (&file.old, &file.new)
        } else {
            (&file.new, &file.old)
        };
        let is_alone = place.symbols.len() == 1;
        !is_alone || !has_other_form(own, place.symbols[0], other, !is_old)
    });
}

/// Whether the class of a constructor has its parameters behind its own name in the other state. The second form is public: where the
/// first one comes after it, it has to be.
fn has_other_form(own: &FileSide, at: u32, other: &FileSide, comes_after: bool) -> bool {
    let symbols = &own.facts.symbols;
    let constructor = &symbols[at as usize];
    if own.facts.family != Family::CSharp
        || constructor.kind != SymbolKind::Constructor
        || constructor.flags.contains(SymbolFlags::STATIC)
    {
        return false;
    }
    let head = constructor.signature.split('(').next().unwrap_or_default();
    let is_public = head.split_whitespace().any(|word| word == "public");
    let class = constructor.parent.and_then(|it| symbols.get(it as usize));
    let (Some(class), Some(own)) = (class, parameters(constructor)) else {
        return false;
    };
    let mut others = other.facts.symbols.iter();
    (is_public || !comes_after)
        && others.any(|it| {
            it.kind == class.kind
                && it.qualified_name == class.qualified_name
                && parameters(it).is_some_and(|it| it == own)
        })
}

/// Returns the parameters in a signature, behind the name and the type parameters, with one blank between words; `None` where there are none, or it is
/// cut.
fn parameters(symbol: &Symbol) -> Option<String> {
    let signature = symbol.signature.as_str();
    let mut rest = signature;
    let behind = loop {
        let at = rest.find(symbol.name.as_str())?;
        let (before, found) = rest.split_at(at);
        let behind = &found[symbol.name.len()..];
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        if !before.ends_with(is_part) && !behind.starts_with(is_part) {
            break behind.trim_start();
        }
        rest = behind;
    };
    let behind = match behind.strip_prefix('<') {
        Some(types) => types.get(end_of_list(types)? + 1..)?.trim_start(),
        None => behind,
    };
    let list = behind.strip_prefix('(')?;
    let list = &list[..end_of_list(list)?];
    Some(list.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The place of the bracket that ends a list which has begun.
fn end_of_list(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' if depth == 0 => return Some(at),
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

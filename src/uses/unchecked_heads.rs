//! Changes of what a type is built on and made of, whose uses nobody compares with them: bases that it lost, type parameters, the parameters of
//! records and constructors.

use std::collections::BTreeSet;

use super::arguments::parenthesised;
use super::changed_file::ChangedFile;
use super::difference::{DefinitionPlace, Difference};
use crate::graph::changes::ChangeKind;
use crate::graph::tokens::{is_word, tokens};
use crate::model::{Family, RepoPath, Symbol, SymbolKind};

/// Words in the head of a type that are no names.
const MODIFIERS: [&str; 22] = [
    "abstract",
    "async",
    "case",
    "class",
    "data",
    "default",
    "enum",
    "export",
    "extends",
    "file",
    "final",
    "implements",
    "interface",
    "internal",
    "partial",
    "private",
    "protected",
    "public",
    "readonly",
    "record",
    "sealed",
    "static",
];

/// How many heads of types there are whose uses are not compared with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UncheckedHeads {
    /// Types that lost a base, and in Rust an implementation of a trait.
    pub(super) n_bases: u64,
    /// Type parameters, parameters of records and constructors that are others than before.
    pub(super) n_parameter_lists: u64,
}

impl Difference {
    /// Counts the heads of types that changed; `is_wanted` chooses among the files.
    pub(super) fn unchecked_heads(
        &self,
        places: &[(&DefinitionPlace, &DefinitionPlace)],
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> UncheckedHeads {
        let mut found = UncheckedHeads::default();
        for (old, new) in places {
            let (was, is) = (&self.files[old.file], &self.files[new.file]);
            let first = |file: &ChangedFile, place: &DefinitionPlace, of_old: bool| {
                let side = if of_old { &file.old } else { &file.new };
                side.facts.symbols.get(place.symbols[0] as usize).cloned()
            };
            let (Some(before), Some(now)) = (first(was, old, true), first(is, new, false)) else {
                continue;
            };
            let family = was.old.facts.family;
            if is_generic(family) && n_type_parameters(&before) != n_type_parameters(&now) {
                found.n_parameter_lists += 1;
            }
            if !matches!(before.kind, SymbolKind::Class | SymbolKind::Interface) {
                continue;
            }
            let has_bases = matches!(
                family,
                Family::CSharp | Family::Ecmascript | Family::Java | Family::Python
            );
            if has_bases && !names(&before, family).is_subset(&names(&now, family)) {
                found.n_bases += 1;
            }
            let is_made_by_head = matches!(family, Family::CSharp | Family::Java);
            let list = |it: &Symbol| parenthesised(&it.signature);
            if is_made_by_head && list(&before) != list(&now) {
                found.n_parameter_lists += 1;
            }
        }
        for change in self.gone().filter(|it| it.kind == ChangeKind::Removed) {
            if let Some((file, symbol)) = self.old(change) {
                let is_counted = symbol.kind == SymbolKind::Constructor && is_wanted(&file.path);
                found.n_parameter_lists += u64::from(is_counted);
            }
        }
        for file in self.files.iter().filter(|it| is_wanted(&it.path)) {
            let is_rust = file.old.facts.family == Family::Rust && file.new.is_there;
            if file.old.is_there && is_rust {
                let (before, now) = (
                    implementations(&file.old.text),
                    implementations(&file.new.text),
                );
                found.n_bases += before.difference(&now).count() as u64;
            }
        }
        found
    }
}

fn is_generic(family: Family) -> bool {
    matches!(
        family,
        Family::CSharp | Family::Ecmascript | Family::Go | Family::Java | Family::Rust
    )
}

/// Returns the number of type parameters of a definition: 2 of `Pair<A, B>`, of `func Map[K, V any]`.
fn n_type_parameters(symbol: &Symbol) -> usize {
    let name = symbol.name.as_str();
    let behind = symbol.signature.split_once(name).map_or("", |it| it.1);
    let close = match behind.chars().next() {
        Some('<') => '>',
        Some('[') => ']',
        _ => return 0,
    };
    let (mut depth, mut n) = (0_usize, 1);
    for c in behind.chars() {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => n += 1,
            _ => {}
        }
        if depth == 0 && c == close {
            break;
        }
    }
    n
}

/// Returns the names in the head of a type beside its own: bases, and what those are made of.
fn names(symbol: &Symbol, family: Family) -> BTreeSet<&str> {
    let head = symbol.signature.split('{').next().unwrap_or_default();
    // Those of Python stand in the parentheses.
    let parameters = head.find('(').zip(head.rfind(')'));
    let parameters = parameters.filter(|_| family != Family::Python);
    let (before, behind) = parameters.map_or((head, ""), |(from, to)| {
        (&head[..from], head.get(to + 1..).unwrap_or_default())
    });
    tokens(before)
        .chain(tokens(behind))
        .filter(|it| is_word(it) && *it != symbol.name && !MODIFIERS.contains(it))
        .collect()
}

/// Returns the heads of the implementations of traits in a text, each on one line: `impl Display for Store`.
fn implementations(text: &str) -> BTreeSet<String> {
    let heads = text.match_indices("impl").filter_map(|(at, _)| {
        let is_first = text[..at].ends_with('\n') || text[..at].trim_end().ends_with(['}', ';']);
        let head = text[at..].split('{').next()?;
        let words: Vec<&str> = head.split_whitespace().collect();
        (is_first && words.contains(&"for") && words.len() < 40).then(|| words.join(" "))
    });
    heads.collect()
}

#[cfg(test)]
mod tests {
    use super::implementations;

    #[test]
    fn implementations_of_traits_are_told_by_their_heads() {
        let text = "struct V;\nimpl Tr\n  for V {}\nimpl V { fn implied() {} }\n";
        let found: Vec<String> = implementations(text).into_iter().collect();
        assert_eq!(found, ["impl Tr for V"]);
    }
}

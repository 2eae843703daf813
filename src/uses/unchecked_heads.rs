//! Changes of what a type is built on and made of, whose uses nobody compares with them: bases that it lost, type parameters, the parameters of
//! records and constructors.

use std::collections::BTreeSet;

use super::changed_file::{ChangedFile, FileSide, place_of};
use super::difference::{DefinitionPlace, Difference};
use super::unchecked_parameters::parameter_types;
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

/// The longest head of an implementation that is read.
const MAX_HEAD_BYTES: usize = 4_000;

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
            let before = &was.old.facts.symbols[old.symbols[0] as usize];
            let now = &is.new.facts.symbols[new.symbols[0] as usize];
            let family = was.old.facts.family;
            if is_generic(family) && n_type_parameters(before) != n_type_parameters(now) {
                found.n_parameter_lists += 1;
            }
            if !matches!(before.kind, SymbolKind::Class | SymbolKind::Interface) {
                continue;
            }
            let has_bases = matches!(
                family,
                Family::CSharp | Family::Ecmascript | Family::Java | Family::Python
            );
            if has_bases && !names(before, family).is_subset(&names(now, family)) {
                found.n_bases += 1;
            }
        }
        found.n_parameter_lists += self.n_constructors_gone(places, &is_wanted);
        found.n_bases += self.n_implementations_gone(&is_wanted);
        found
    }

    /// Returns how many implementations of traits of Rust no changed file has any more.
    fn n_implementations_gone(&self, is_wanted: impl Fn(&RepoPath) -> bool) -> u64 {
        let of_rust = |it: &&ChangedFile| it.path.extension() == Some("rs");
        let files = || self.files.iter().filter(of_rust);
        let now: BTreeSet<String> = files()
            .flat_map(|it| implementations(&it.new.text))
            .collect();
        // Those of a file that is gone went with their types.
        let kept = files().filter(|it| it.new.is_there && is_wanted(&it.path));
        let before = kept.flat_map(|it| implementations(&it.old.text));
        before.filter(|it| !now.contains(it)).count() as u64
    }

    /// Returns how many lists of parameters a class of C# or Java was made with and is not any more: those of constructors, and of its head.
    fn n_constructors_gone(
        &self,
        places: &[(&DefinitionPlace, &DefinitionPlace)],
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> u64 {
        let mut classes: BTreeSet<(usize, u32)> = BTreeSet::new();
        for (old, _) in places {
            classes.insert((old.file, old.symbols[0]));
        }
        let removed = self.gone().filter(|it| it.kind == ChangeKind::Removed);
        for change in removed {
            if let (Some((_, symbol)), Some(place)) = (self.old(change), &change.old)
                && symbol.kind == SymbolKind::Constructor
            {
                classes.extend(symbol.parent.map(|class| (place.file, class)));
            }
        }
        let mut n_gone = 0;
        for (at, class) in classes {
            let file = &self.files[at];
            let is_made_by_head = matches!(file.old.facts.family, Family::CSharp | Family::Java);
            let symbol = &file.old.facts.symbols[class as usize];
            if !is_made_by_head || symbol.kind != SymbolKind::Class || !is_wanted(&file.path) {
                continue;
            }
            if let Some(now) = place_of(&file.new.facts.symbols, symbol) {
                let (before, now) = (made_with(&file.old, class), made_with(&file.new, now));
                n_gone += before.difference(&now).count() as u64;
            }
        }
        n_gone
    }
}

/// Returns the types of the parameters with which a class is made, of each way.
fn made_with(side: &FileSide, class: u32) -> BTreeSet<Vec<String>> {
    let symbols = &side.facts.symbols;
    let own = &symbols[class as usize];
    let constructors = symbols
        .iter()
        .filter(|it| it.kind == SymbolKind::Constructor && it.parent == Some(class));
    let mut lists: BTreeSet<Vec<String>> = constructors
        .map(|it| parameter_types(&it.signature, &it.name))
        .collect();
    let head = own.signature.split([':', '{']).next().unwrap_or_default();
    let behind = head.split_once(own.name.as_str()).map_or("", |it| it.1);
    if behind.starts_with(['(', '<']) && behind.contains('(') {
        lists.insert(parameter_types(head, &own.name));
    }
    lists
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
        let before = &text[..at];
        let is_first = before.ends_with('\n') || before.trim_end().ends_with(['}', ';']);
        let behind = &text[at..];
        let near = &behind[..behind.floor_char_boundary(MAX_HEAD_BYTES)];
        let head = near.split('{').next().filter(|_| is_first)?;
        let words: Vec<&str> = head.split_whitespace().collect();
        (words.contains(&"for") && words.len() < 40).then(|| words.join(" "))
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

//! Names that code uses and that are no definitions, which a changed definition or component lost: keys of objects and of types that are
//! written in place, properties of components.

use std::collections::BTreeSet;

use super::changed_file::{ChangedFile, FileSide};
use super::difference::Difference;
use super::unchecked_uses::between_members;
use crate::graph::tokens::{is_word, tokens};
use crate::model::{RepoPath, Symbol, SymbolKind};

/// The longest text behind a word that is looked through for its brackets.
const MAX_REGION_BYTES: usize = 20_000;

/// Calls of Python that make a type of the names in their strings.
const TYPE_MAKERS: [&str; 5] = ["namedtuple(", "Enum(", "Flag(", "TypedDict(", "NamedTuple("];

/// Words behind which a component says which properties, events and slots it has.
const COMPONENT_WORDS: [&str; 7] = [
    "defineProps",
    "defineEmits",
    "defineModel",
    "defineSlots",
    "defineExpose",
    "props:",
    "emits:",
];

impl Difference {
    /// Returns how many components of Vue and Svelte lost a word of those that say which properties, events and slots they have, or a member of
    /// a type in them: templates that use one are not compared with that.
    pub(super) fn n_components_with_fewer_properties(
        &self,
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> u64 {
        let is_component =
            |path: &RepoPath| matches!(path.extension(), Some("vue" | "svelte" | "astro"));
        let mut of_types = BTreeSet::new();
        for change in self.gone() {
            if let Some((file, symbol)) = self.old(change) {
                let is_member = matches!(symbol.kind, SymbolKind::Property | SymbolKind::Field);
                if is_member && is_component(&file.path) && file.new.is_there {
                    of_types.insert(&file.path);
                }
            }
        }
        let lost = |file: &&ChangedFile| {
            file.old.is_there
                && file.new.is_there
                && (of_types.contains(&file.path)
                    || !properties(&file.old.text).is_subset(&properties(&file.new.text)))
        };
        let files = self.files.iter();
        let components = files.filter(|it| is_component(&it.path) && is_wanted(&it.path));
        components.filter(lost).count() as u64
    }
}

/// Returns the names that a component takes from whoever uses it.
fn properties(text: &str) -> BTreeSet<&str> {
    let mut all = BTreeSet::new();
    for word in COMPONENT_WORDS {
        for (at, _) in text.match_indices(word) {
            for part in regions_behind(&text[at + word.len()..]) {
                all.extend(keys_of_type(part));
                all.extend(keys_of_value(part));
                all.extend(quoted_words(part));
            }
        }
    }
    for (at, _) in text.match_indices("$props()") {
        let before = &text[..at];
        let start = before.rfind("let ").or_else(|| before.rfind("const "));
        let pattern = start.map_or("", |start| &before[start..]);
        all.extend(tokens(pattern).filter(|it| is_word(it)));
    }
    for word in ["export let ", "<slot name=\""] {
        let behind = text
            .match_indices(word)
            .map(|(at, _)| &text[at + word.len()..]);
        all.extend(behind.filter_map(|it| tokens(it).next()));
    }
    all
}

/// Returns the texts in the brackets that directly follow, at most two of them: `<{ size: number }>` and `()`.
fn regions_behind(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while found.len() < 2 {
        let start = rest.trim_start();
        let Some(region) = bracketed(start) else {
            break;
        };
        found.push(region);
        rest = &start[region.len()..];
    }
    found
}

/// Returns the text that begins with a bracket up to the one that closes it; `None` where it begins with none.
fn bracketed(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // `=>` closes nothing.
            '>' if last == '=' => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = c;
        if depth == 0 || at > MAX_REGION_BYTES {
            return (at > 0).then(|| &text[..at + c.len_utf8()]);
        }
    }
    None
}

/// Returns the names of one of JavaScript's and TypeScript's definitions that are keys: of an object, `limit` of `{ limit: 3 }` and `{ limit }`, of a
/// type that is written in place, `{ label: string }`, the texts that a type has for values, `'small' | 'large'`; of a function those that its
/// head and the objects have that it returns.
pub(super) fn keys_of_script<'s>(side: &'s FileSide, declarations: &[u32]) -> BTreeSet<&'s str> {
    keys_of(side, declarations, |part, all| match part {
        DefinitionPart::Head(head) => {
            for (at, _) in head.match_indices('{') {
                all.extend(bracketed(&head[at..]).into_iter().flat_map(keys_of_type));
            }
        }
        DefinitionPart::Returned(object) => all.extend(keys_of_value(object)),
        DefinitionPart::Own(text, kind) => {
            all.extend(keys_of_value(text));
            if !is_value(kind) {
                all.extend(keys_of_type(text));
            }
            if kind == SymbolKind::Type {
                all.extend(quoted_words(text));
            }
        }
    })
}

/// Returns the names of one of Python's definitions that are keys: `"limit"` of `{"limit": 3}` in a value or in what a function returns, and the
/// names that a call makes a type of, `namedtuple("Point", "x y")`.
pub(super) fn keys_of_python<'s>(side: &'s FileSide, declarations: &[u32]) -> BTreeSet<&'s str> {
    keys_of(side, declarations, |part, all| match part {
        DefinitionPart::Returned(object) => all.extend(quoted_keys(object)),
        DefinitionPart::Own(text, kind) if is_value(kind) => {
            all.extend(quoted_keys(text));
            if TYPE_MAKERS.iter().any(|it| text.contains(it)) {
                all.extend(tokens(text).filter(|it| is_word(it)));
            }
        }
        DefinitionPart::Head(_) | DefinitionPart::Own(..) => {}
    })
}

/// A part of a definition that may have keys.
enum DefinitionPart<'s> {
    /// The head of a function.
    Head(&'s str),
    /// An object that a function returns.
    Returned(&'s str),
    /// A text of any other definition that is no definition in it, with the kind of that.
    Own(&'s str, SymbolKind),
}

/// Returns the keys that `add` takes from the parts of some definitions.
fn keys_of<'s>(
    side: &'s FileSide,
    declarations: &[u32],
    add: impl Fn(DefinitionPart<'s>, &mut BTreeSet<&'s str>),
) -> BTreeSet<&'s str> {
    let mut all = BTreeSet::new();
    for at in declarations {
        let Some(symbol) = side.facts.symbols.get(*at as usize) else {
            continue;
        };
        if symbol.kind.is_function() {
            let (head, body) = head_and_body(side, symbol);
            add(DefinitionPart::Head(head), &mut all);
            for object in returned_objects(body) {
                add(DefinitionPart::Returned(object), &mut all);
            }
        } else {
            for text in between_members(side, *at, symbol) {
                add(DefinitionPart::Own(text, symbol.kind), &mut all);
            }
        }
    }
    all
}

fn is_value(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Constant | SymbolKind::Variable)
}

/// Returns the head of a function, up to its body, and the rest.
fn head_and_body<'s>(side: &'s FileSide, symbol: &Symbol) -> (&'s str, &'s str) {
    let (start, end) = (
        symbol.span.start_byte as usize,
        symbol.span.end_byte as usize,
    );
    let text = side.text.get(start..end).unwrap_or_default();
    // The signature is the head with one blank between words.
    let n_words = symbol
        .signature
        .split_whitespace()
        .map(str::len)
        .sum::<usize>();
    let mut n_seen = 0;
    let head = text.char_indices().find(|(_, c)| {
        n_seen += if c.is_whitespace() { 0 } else { c.len_utf8() };
        n_seen > n_words
    });
    text.split_at(head.map_or(text.len(), |it| it.0))
}

/// Returns the texts of the objects that a body returns: behind `return` and `=>`, or the whole of it.
fn returned_objects(body: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let last_in_brackets = body.rfind("=> (");
    for word in ["return", "=>"] {
        for (at, _) in body.match_indices(word) {
            let rest = body[at + word.len()..].trim_start().trim_start_matches('(');
            let rest = rest.trim_start();
            // `=> {` begins a body.
            let is_given = word == "return" || last_in_brackets.is_some_and(|last| last >= at);
            let is_object = rest.starts_with('{') && is_given;
            found.extend(bracketed(rest).filter(|_| is_object));
        }
    }
    found
}

/// Returns the words in front of a colon: `label` of `{ label?: string }`.
fn keys_of_type(text: &str) -> Vec<&str> {
    picked(text, 3, |it| {
        let is_key = it[1] == ":" || it[1] == "?" && it[2] == ":";
        (is_word(it[0]) && is_key).then_some(it[0])
    })
}

/// Returns the keys of objects: `limit` of `{ limit: 3 }`, `{ limit }` and `{ limit() {} }`.
fn keys_of_value(text: &str) -> Vec<&str> {
    picked(text, 3, |it| {
        let is_first = matches!(it[0], "{" | ",");
        let is_key = is_first && is_word(it[1]) && matches!(it[2], ":" | "," | "}" | "(");
        is_key.then_some(it[1])
    })
}

/// Returns the keys in quotes: `limit` of `{"limit": 3}`.
fn quoted_keys(text: &str) -> Vec<&str> {
    picked(text, 4, |it| quoted(it).filter(|_| it[3] == ":"))
}

/// Returns the words that stand in quotes alone.
fn quoted_words(text: &str) -> Vec<&str> {
    picked(text, 3, quoted)
}

/// Returns the word that tokens begin with in quotes.
fn quoted<'s>(signs: &[&'s str]) -> Option<&'s str> {
    (is_quote(signs[0]) && is_word(signs[1]) && signs[2] == signs[0]).then_some(signs[1])
}

/// Returns the tokens that `pick` chooses among each `n` that follow each other.
fn picked<'s>(
    text: &'s str,
    n: usize,
    pick: impl Fn(&[&'s str]) -> Option<&'s str>,
) -> Vec<&'s str> {
    let signs: Vec<&str> = tokens(text).collect();
    signs.windows(n).filter_map(pick).collect()
}

fn is_quote(sign: &str) -> bool {
    matches!(sign, "'" | "\"" | "`")
}

#[cfg(test)]
mod tests {
    use super::{bracketed, properties, returned_objects};

    #[test]
    fn properties_of_components_are_read_where_they_are_said() {
        let of = |text: &str| properties(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(
            of("defineProps<{ size: number; on?: () => void }>()"),
            "on size"
        );
        assert_eq!(of("const p = defineProps(['a', 'b'])"), "a b");
        assert_eq!(of("let { x, y = 1 } = $props()"), "1 let x y");
        assert_eq!(of("export let user\nlet own"), "user");
        assert_eq!(of("const size = 1"), "");
    }

    #[test]
    fn returned_objects_are_whole() {
        assert_eq!(
            returned_objects("if (a) return { b: { c } }\n d()"),
            ["{ b: { c } }"]
        );
        assert_eq!(returned_objects("() => ({ a })"), ["{ a }"]);
        assert_eq!(returned_objects("() => { a() }"), [] as [&str; 0]);
        assert_eq!(
            bracketed("<{ f: () => void }>()"),
            Some("<{ f: () => void }>")
        );
    }
}

//! Differences between two states of the code, definition by definition: added, removed, moved, renamed, changed.
//!
//! Compares what the caller hands over; which files differ, and who uses a definition, is found out elsewhere.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::definition_text::{
    without_attributes, without_comments, without_export, without_hash_comment,
};
use super::tokens::{folded, have_common_word, is_word, tokens};
use crate::model::{RepoPath, SymbolKind};

/// The share of tokens that two definitions have in common to be one that was renamed or moved, in percent.
const MIN_ALIKE_PERCENT: usize = 60;

/// Definitions with fewer tokens than this are too short to be told from others by them.
const MIN_TOKENS: usize = 6;

/// Members with fewer tokens than this are not told from those of other types by them: `id: string`, `int Count { get; set; }`.
const MIN_TOKENS_OF_MEMBERS: usize = 12;

/// The least share of words that both versions of a renamed definition have: marks alone (`(`, `,`, `=>`) are alike in any two
/// short ones.
const MIN_ALIKE_WORDS_PERCENT: usize = 50;

/// The least number of words in both versions of a renamed definition whose names have none in common: one-line initialisers are
/// alike in any two.
const MIN_WORDS_OF_STRANGERS: usize = 6;

/// Pairs of removed and added definitions that are compared by their tokens.
const MAX_PAIRS: usize = 200_000;

/// A definition in one of the two states.
#[derive(Clone, Debug)]
pub struct DefinitionVersion<'a> {
    /// Its file.
    pub path: &'a RepoPath,
    /// Its own name.
    pub name: &'a str,
    /// Its name with those around it: `Store.open`.
    pub qualified_name: &'a str,
    /// The namespace or package that it says it belongs to, where its name has that in it.
    pub namespace: &'a str,
    /// The kind.
    pub kind: SymbolKind,
    /// Whether another module can use it.
    pub exported: bool,
    /// Whether it is the default export.
    pub is_default: bool,
    /// The definition without its body; may be cut to its first bytes, with `…` behind them.
    pub signature: &'a str,
    /// The whole of it, where that is known.
    pub head: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
    /// The places of its members in `text`, in source order: what changes in one of them is a change of that one alone.
    pub members: Vec<Range<usize>>,
}

impl DefinitionVersion<'_> {
    /// Whether it is a method that a field may share its name with: `size()` of Java.
    pub fn is_told_by_call(&self) -> bool {
        self.kind.is_function() && self.path.extension() == Some("java")
    }
}

/// How a definition differs between the two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only the new state has it.
    Added,
    /// Only the old state has it.
    Removed,
    /// Another file or another namespace has it, under the same name.
    Moved,
    /// It has another name.
    Renamed,
    /// Other modules can't use it any more.
    Unexported,
    /// Other modules can use it now, and its signature is as it was.
    Exported,
    /// Its signature differs.
    Signature,
    /// Its text differs, not its signature.
    Body,
}

/// A definition that differs, by its places in the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefinitionChange {
    /// The kind of change: added, removed, another signature.
    pub kind: ChangeKind,
    /// Its place in the old list; `None` for one that was added.
    pub old: Option<usize>,
    /// Its place in the new list; `None` for one that was removed.
    pub new: Option<usize>,
    /// Of one that was moved or renamed, the share of tokens that both have, in percent; 100 elsewhere.
    pub alike_percent: usize,
}

/// Compares the definitions of two states. The lists hold those of the files that differ; the same lists give the same
/// changes.
///
/// A definition is the same where file, qualified name and namespace are; a type and a value of one name are two. One that is gone
/// was *moved* or *renamed* where an added one of the same kind has the same text but for white space and the name, else
/// where at least 60% of their tokens are alike (of a renamed one also half of the words), the owner has the same name, and no
/// other added one is more alike.
/// Members of a definition that is gone or added are not listed apart.
pub fn compare(
    old: &[DefinitionVersion<'_>],
    new: &[DefinitionVersion<'_>],
) -> Vec<DefinitionChange> {
    let (old_names, new_names) = (by_name(old), by_name(new));
    let mut changes = Vec::new();
    let mut gone = Vec::new();
    for (key, places) in &old_names {
        let Some(kept) = new_names.get(key) else {
            gone.extend(places.iter().copied());
            continue;
        };
        for (old_places, new_places) in declarations(old, places, new, kept) {
            match (old_places.first(), new_places.first()) {
                (Some(at), Some(new_at)) => {
                    let kind = change_of_kept(&pick(old, &old_places), &pick(new, &new_places));
                    changes.extend(kind.map(|kind| DefinitionChange {
                        kind,
                        old: Some(*at),
                        new: Some(*new_at),
                        alike_percent: 100,
                    }));
                }
                (Some(at), None) => changes.push(DefinitionChange {
                    kind: ChangeKind::Removed,
                    old: Some(*at),
                    new: None,
                    alike_percent: 100,
                }),
                (None, Some(at)) => changes.push(DefinitionChange {
                    kind: ChangeKind::Added,
                    old: None,
                    new: Some(*at),
                    alike_percent: 100,
                }),
                (None, None) => {}
            }
        }
    }
    changes.sort_by_key(|change| (change.old, change.new));
    let mut came: Vec<usize> = new_names
        .iter()
        .filter(|(key, _)| !old_names.contains_key(*key))
        .flat_map(|(_, places)| places.iter().copied())
        .collect();
    came.sort_unstable();
    gone.sort_unstable();
    // Overloads are one definition.
    let gone = outermost(old, &firsts(old, &gone));
    let came = firsts(new, &came);
    let successors = find_moved_and_renamed((old, &old_names), (new, &new_names), &gone, &came);
    for at in &gone {
        let successor = successors.get(at).copied();
        let kind = match successor {
            None => ChangeKind::Removed,
            Some((new_at, _)) if old[*at].name == new[new_at].name => ChangeKind::Moved,
            Some(_) => ChangeKind::Renamed,
        };
        changes.push(DefinitionChange {
            kind,
            old: Some(*at),
            new: successor.map(|it| it.0),
            alike_percent: successor.map_or(100, |it| it.1),
        });
    }
    let taken: HashSet<usize> = successors.into_values().map(|it| it.0).collect();
    for at in outermost(new, &came) {
        if !taken.contains(&at) {
            changes.push(DefinitionChange {
                kind: ChangeKind::Added,
                old: None,
                new: Some(at),
                alike_percent: 100,
            });
        }
    }
    changes
}

/// The key by which a definition is the same in both states: file, qualified name, namespace, and in Java whether it is called, since a
/// field and a method may share a name there.
type DefinitionKey<'a> = (&'a RepoPath, &'a str, &'a str, bool);

fn key<'a>(one: &DefinitionVersion<'a>) -> DefinitionKey<'a> {
    let name = one.qualified_name;
    (one.path, name, one.namespace, one.is_told_by_call())
}

/// The places of the declarations of each definition in one state.
type PlacesByName<'a> = BTreeMap<DefinitionKey<'a>, Vec<usize>>;

fn by_name<'a>(all: &[DefinitionVersion<'a>]) -> PlacesByName<'a> {
    let mut found = PlacesByName::new();
    for (at, one) in all.iter().enumerate() {
        found.entry(key(one)).or_default().push(at);
    }
    found
}

/// Pairs the declarations of one name in both states: types with types and values with values where a state has both.
fn declarations(
    old: &[DefinitionVersion<'_>],
    old_places: &[usize],
    new: &[DefinitionVersion<'_>],
    new_places: &[usize],
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let is_type =
        |one: &DefinitionVersion<'_>| matches!(one.kind, SymbolKind::Interface | SymbolKind::Type);
    let split = |all: &[DefinitionVersion<'_>], places: &[usize]| -> (Vec<usize>, Vec<usize>) {
        places.iter().partition(|at| is_type(&all[**at]))
    };
    let (old_types, old_values) = split(old, old_places);
    let (new_types, new_values) = split(new, new_places);
    let has_both = |types: &[usize], values: &[usize]| !types.is_empty() && !values.is_empty();
    if has_both(&old_types, &old_values) || has_both(&new_types, &new_values) {
        return vec![(old_types, new_types), (old_values, new_values)];
    }
    vec![(old_places.to_vec(), new_places.to_vec())]
}

/// Returns the first declaration of each name among places in ascending order.
fn firsts(all: &[DefinitionVersion<'_>], places: &[usize]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let is_first = |at: &usize| seen.insert(key(&all[*at]));
    places.iter().copied().filter(is_first).collect()
}

fn pick<'v, 'a>(
    all: &'v [DefinitionVersion<'a>],
    places: &[usize],
) -> Vec<&'v DefinitionVersion<'a>> {
    places.iter().map(|at| &all[*at]).collect()
}

/// Compares the declarations of one definition before and after.
fn change_of_kept(
    old: &[&DefinitionVersion<'_>],
    new: &[&DefinitionVersion<'_>],
) -> Option<ChangeKind> {
    let exported = |all: &[&DefinitionVersion<'_>]| all.iter().any(|one| one.exported);
    let texts = |all: &[&DefinitionVersion<'_>]| all.iter().map(|one| one.text).collect::<String>();
    let is_exported_now = match (exported(old), exported(new)) {
        (true, false) => return Some(ChangeKind::Unexported),
        (before, now) => now && !before,
    };
    if !is_exported_now && old.len() == new.len() && texts(old) == texts(new) {
        return None;
    }
    let has_heads = old.iter().chain(new).all(|one| one.head.is_some());
    let heads = |all: &[&DefinitionVersion<'_>]| {
        let each = all
            .iter()
            .map(|one| folded(&head(one, has_heads), one.path));
        each.collect::<Vec<_>>()
    };
    let defaults = |all: &[&DefinitionVersion<'_>]| all.iter().any(|one| one.is_default);
    let overloads = |all: &[&DefinitionVersion<'_>]| {
        let each = all.iter().filter_map(|one| {
            // Each but the last, which is the implementation, is a signature to its end.
            let last = overloads(one).last().cloned()?;
            Some(folded(&without_comments(&one.text[..last.end]), one.path))
        });
        each.collect::<Vec<_>>()
    };
    let is_called_otherwise = heads(old) != heads(new)
        || !is_exported_now && defaults(old) != defaults(new)
        || overloads(old) != overloads(new);
    if is_called_otherwise {
        return Some(ChangeKind::Signature);
    }
    if is_exported_now {
        return Some(ChangeKind::Exported);
    }
    let bodies = |all: &[&DefinitionVersion<'_>]| {
        let each = all.iter().map(|one| folded(&own_text(one), one.path));
        each.collect::<Vec<_>>()
    };
    (bodies(old) != bodies(new)).then_some(ChangeKind::Body)
}

/// Returns the places of the lines, all but the first, that declare a function: those of its overloads, `function read(path: string): string`.
fn overloads(one: &DefinitionVersion<'_>) -> Vec<Range<usize>> {
    // Those of Python are definitions of their own.
    let may_have = one.kind.is_function() && !is_python(one.path);
    let Some((_, last)) = one.text.rsplit_once('\n').filter(|_| may_have) else {
        return Vec::new();
    };
    // What is in the body stands further in than its end.
    let indent = &last[..last.len() - last.trim_start().len()];
    let declares = |line: &str| {
        let rest = line.strip_prefix(indent).unwrap_or(line);
        let mut words = tokens(rest).take(8);
        let is_word = |it: &str| it.chars().all(char::is_alphanumeric);
        words.find(|word| *word == one.name || !is_word(word)) == Some(one.name)
            && !rest.starts_with(char::is_whitespace)
    };
    let mut at = 0;
    let mut found = Vec::new();
    for line in one.text.split_inclusive('\n') {
        if at > 0 && declares(line) {
            found.push(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    // Behind a decorator or an attribute the first of them is the definition itself.
    let has_decorator = one.text.starts_with(['@', '#', '[']);
    found.drain(..usize::from(has_decorator && !found.is_empty()));
    found
}

/// Returns the signature of a definition without comments and without a value that it shows; of a type alias all but its members.
fn head<'v>(one: &'v DefinitionVersion<'_>, is_whole: bool) -> Cow<'v, str> {
    if one.kind == SymbolKind::Type {
        return Cow::Owned(without_comments(&own_text(one)));
    }
    let signature = one
        .head
        .filter(|_| is_whole)
        .map_or(one.signature, without_export);
    let end = is_value(one.kind).then(|| value_at(signature)).flatten();
    let head = &signature[..end.unwrap_or(signature.len())];
    if is_python(one.path) {
        let lines: Vec<&str> = head.lines().map(without_hash_comment).collect();
        return Cow::Owned(format!("{} {}", decorators(one.text), lines.join("\n")));
    }
    let has_comment = head.contains("//") || head.contains("/*");
    if one.path.extension() == Some("rs") && (has_comment || head.contains("#[")) {
        Cow::Owned(without_attributes(&without_comments(head)).to_owned())
    } else if has_comment {
        Cow::Owned(without_comments(head))
    } else {
        Cow::Borrowed(head)
    }
}

fn is_python(path: &RepoPath) -> bool {
    matches!(path.extension(), Some("py" | "pyi"))
}

/// Returns the decorators in front of a definition of Python, without comments: `@property` changes how it is used.
fn decorators(text: &str) -> String {
    if !text.starts_with('@') {
        return String::new();
    }
    let begins = |line: &str| {
        let words = ["def ", "async ", "class "];
        words.iter().any(|word| line.trim_start().starts_with(word))
    };
    let lines = text.lines().take_while(|line| !begins(line));
    let lines: Vec<&str> = lines.map(without_hash_comment).collect();
    lines.join("\n")
}

fn is_value(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Field
            | SymbolKind::Property
            | SymbolKind::EnumMember
    )
}

/// Whether the signature of a definition is cut, so that what differs may be behind its end.
pub fn is_cut(signature: &str, kind: SymbolKind) -> bool {
    let has_value = is_value(kind) && value_at(signature).is_some();
    signature.ends_with('…') && kind != SymbolKind::Type && !has_value
}

/// Returns where the value of `name: Type = value` begins: its `=` outside of brackets, no part of `=>` or `==`.
fn value_at(signature: &str) -> Option<usize> {
    let bytes = signature.as_bytes();
    let mut depth = 0_i32;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'=' if depth == 0 => {
                let next = bytes.get(at + 1);
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                if !matches!(next, Some(b'=' | b'>'))
                    && !matches!(before, Some(b'=' | b'!' | b'<' | b'>'))
                {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the text of a definition without its members, the comments above them and above its overloads, and the marks between
/// them.
fn own_text<'v>(one: &'v DefinitionVersion<'_>) -> Cow<'v, str> {
    let overloads = overloads(one)
        .into_iter()
        .map(|line| line.start..line.start);
    let mut cuts: Vec<Range<usize>> = one.members.iter().cloned().chain(overloads).collect();
    if cuts.is_empty() {
        return Cow::Borrowed(one.text);
    }
    cuts.sort_by_key(|it| (it.start, it.end));
    let mut own = String::with_capacity(one.text.len());
    let mut at = 0;
    for cut in &cuts {
        let Some(before) = one.text.get(at..cut.start) else {
            continue;
        };
        own.push_str(without_last_comment(before, is_python(one.path)));
        own.push(' ');
        at = cut.end;
        let rest = one.text.get(at..).unwrap_or_default();
        let mark = rest.trim_start();
        if !cut.is_empty() && mark.starts_with([',', ';']) {
            at += rest.len() - mark.len() + 1;
        }
    }
    own.push_str(one.text.get(at..).unwrap_or_default());
    Cow::Owned(own)
}

/// Cuts the comments off at the end of a text: those that document what is behind it.
fn without_last_comment(text: &str, is_python: bool) -> &str {
    let mut rest = text.trim_end();
    loop {
        let line = rest.rfind('\n').map_or(0, |newline| newline + 1);
        let begins = |mark: &str| rest[line..].trim_start().starts_with(mark);
        let start = if rest.ends_with("*/") {
            rest.rfind("/*")
        } else if begins("//") || begins("# ") || is_python && begins("#") {
            Some(line)
        } else {
            None
        };
        match start {
            Some(start) => rest = rest[..start].trim_end(),
            None => return rest,
        }
    }
}

/// Leaves out the members of definitions that are in the list themselves.
fn outermost(all: &[DefinitionVersion<'_>], places: &[usize]) -> Vec<usize> {
    let listed: HashSet<(&RepoPath, &str)> = places
        .iter()
        .map(|at| (all[*at].path, all[*at].qualified_name))
        .collect();
    let is_inside = |at: &usize| {
        let one = &all[*at];
        let mut around = one.qualified_name;
        while let Some((outer, _)) = around.rsplit_once('.') {
            if listed.contains(&(one.path, outer)) {
                return true;
            }
            around = outer;
        }
        false
    };
    places.iter().copied().filter(|at| !is_inside(at)).collect()
}

/// Finds for each definition that is gone the added one that it became, with how alike both are in percent; each added one at
/// most once.
fn find_moved_and_renamed(
    (old, old_names): (&[DefinitionVersion<'_>], &PlacesByName<'_>),
    (new, new_names): (&[DefinitionVersion<'_>], &PlacesByName<'_>),
    gone: &[usize],
    came: &[usize],
) -> HashMap<usize, (usize, usize)> {
    let kinds = |all: &[DefinitionVersion<'_>], places: &[usize]| -> HashSet<SymbolKind> {
        places.iter().map(|at| all[*at].kind).collect()
    };
    // Tokens cost most: those of a kind without a counterpart are compared with nothing.
    let (gone_kinds, come_kinds) = (kinds(old, gone), kinds(new, came));
    let of_both = |all: &[DefinitionVersion<'_>], places: &[usize]| -> Vec<usize> {
        let is_of_both = |at: &usize| {
            let kind = &all[*at].kind;
            gone_kinds.contains(kind) && come_kinds.contains(kind)
        };
        places.iter().copied().filter(is_of_both).collect()
    };
    let (gone, came) = (of_both(old, gone), of_both(new, came));
    let old_bags: Vec<Bag<'_>> = gone.iter().map(|at| Bag::of(old, old_names, *at)).collect();
    let new_bags: Vec<Bag<'_>> = came.iter().map(|at| Bag::of(new, new_names, *at)).collect();
    let mut by_owner: HashMap<(SymbolKind, &str), Vec<usize>> = HashMap::new();
    let mut by_content: HashMap<(SymbolKind, &TokenCounts<'_>), Vec<usize>> = HashMap::new();
    let mut by_own_name: HashMap<(SymbolKind, &str), Vec<usize>> = HashMap::new();
    for (m, new_at) in came.iter().enumerate() {
        let other = &new[*new_at];
        by_owner
            .entry((other.kind, owner(other)))
            .or_default()
            .push(m);
        by_content
            .entry((other.kind, &new_bags[m].counts))
            .or_default()
            .push(m);
        by_own_name
            .entry((other.kind, other.name))
            .or_default()
            .push(m);
    }
    let mut pairs = Vec::new();
    let mut n_compared = 0;
    for (n, at) in gone.iter().enumerate() {
        let one = &old[*at];
        // Equal and namesakes first: they are compared however many others there are.
        let none = Vec::new();
        let near = [
            by_content.get(&(one.kind, &old_bags[n].counts)),
            by_own_name.get(&(one.kind, one.name)),
        ];
        let mut candidates: Vec<usize> = near.into_iter().flatten().flatten().copied().collect();
        // With another owner only equal ones count, which are among those.
        let others = by_owner.get(&(one.kind, owner(one))).unwrap_or(&none);
        if n_compared + others.len() <= MAX_PAIRS {
            candidates.extend(others);
        }
        candidates.sort_unstable();
        candidates.dedup();
        n_compared += candidates.len();
        for m in candidates {
            let other = &new[came[m]];
            let alike = old_bags[n].alike_percent(&new_bags[m]);
            let is_of_same_owner = owner(one) == owner(other);
            if alike < MIN_ALIKE_PERCENT || alike < 100 && !is_of_same_owner {
                continue;
            }
            // The same file under another name is likelier than another file under the same name; without either, little
            // text says little. Many types have a member of a short text: in another one it is another one.
            let is_same_file = one.path == other.path;
            let (is_near, min_tokens) = if owner(one).is_empty() && owner(other).is_empty() {
                (is_same_file || one.name == other.name, MIN_TOKENS)
            } else {
                (is_same_file && is_of_same_owner, MIN_TOKENS_OF_MEMBERS)
            };
            if !is_near && old_bags[n].n_tokens < min_tokens {
                continue;
            }
            if one.name != other.name && alike < 100 {
                let (old_bag, new_bag) = (&old_bags[n], &new_bags[m]);
                let is_by_marks = old_bag.alike_words_percent(new_bag) < MIN_ALIKE_WORDS_PERCENT;
                let is_short = old_bag.n_shared(new_bag, is_word) < MIN_WORDS_OF_STRANGERS;
                if is_by_marks || is_short && !have_common_word(one.name, other.name) {
                    continue;
                }
            }
            let nearness = (unlikeness(one.name, other.name), one.path != other.path);
            pairs.push((100 - alike, nearness, *at, came[m]));
        }
    }
    pairs.sort_unstable();
    let mut found = HashMap::new();
    let mut taken = HashSet::new();
    for (unlike, _, at, new_at) in pairs {
        if !found.contains_key(&at) && taken.insert(new_at) {
            found.insert(at, (new_at, 100 - unlike));
        }
    }
    found
}

/// Returns the name of what a definition is a member of; empty at the top level.
fn owner<'a>(one: &DefinitionVersion<'a>) -> &'a str {
    one.qualified_name
        .rsplit_once('.')
        .map_or("", |(owner, _)| owner)
}

/// Tokens with how often each occurs, sorted.
type TokenCounts<'v> = [(&'v str, usize)];

/// The tokens of a definition, of each of its declarations, its own name apart.
struct Bag<'v> {
    counts: Box<TokenCounts<'v>>,
    n_tokens: usize,
}

impl<'v> Bag<'v> {
    /// Returns those of the definition that has a declaration `at` a place of one state.
    fn of(all: &[DefinitionVersion<'v>], names: &PlacesByName<'_>, at: usize) -> Self {
        let first = &all[at];
        let places = names
            .get(&key(first))
            .map_or(&[] as &[usize], Vec::as_slice);
        let declarations = places.iter().map(|at| &all[*at]);
        let declarations = declarations.filter(|it| it.kind == first.kind);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut n_tokens = 0;
        for token in declarations.flat_map(|it| tokens(it.text)) {
            if token != first.name {
                *counts.entry(token).or_default() += 1;
                n_tokens += 1;
            }
        }
        let mut counts: Box<TokenCounts<'v>> = counts.into_iter().collect();
        counts.sort_unstable();
        Self { counts, n_tokens }
    }

    /// The share of the tokens of both that are in both, in percent (the Sørensen–Dice coefficient). Short definitions
    /// have to be equal.
    fn alike_percent(&self, other: &Self) -> usize {
        let all = self.n_tokens + other.n_tokens;
        let (fewer, more) = (
            self.n_tokens.min(other.n_tokens),
            self.n_tokens.max(other.n_tokens),
        );
        // At most all of the smaller one is in both.
        if all == 0 || 200 * fewer < MIN_ALIKE_PERCENT * all {
            return 0;
        }
        if fewer < MIN_TOKENS && (fewer != more || self.counts != other.counts) {
            return 0;
        }
        200 * self.n_shared(other, |_| true) / all
    }

    /// The same share among words alone.
    fn alike_words_percent(&self, other: &Self) -> usize {
        let n_words = |bag: &Self| -> usize {
            let words = bag.counts.iter().filter(|(token, _)| is_word(token));
            words.map(|(_, n)| *n).sum()
        };
        match n_words(self) + n_words(other) {
            0 => 0,
            all => 200 * self.n_shared(other, is_word) / all,
        }
    }

    /// How many tokens both have, of those that `counts` chooses.
    fn n_shared(&self, other: &Self, counts: impl Fn(&str) -> bool) -> usize {
        let (mut shared, mut at) = (0, 0);
        for (token, n) in self.counts.iter().filter(|(token, _)| counts(token)) {
            while at < other.counts.len() && other.counts[at].0 < *token {
                at += 1;
            }
            if let Some((found, m)) = other.counts.get(at)
                && found == token
            {
                shared += (*n).min(*m);
            }
        }
        shared
    }
}

/// Counts the characters of an old name between the beginning and the end that it has in common with a new one: `raw` is wholly in both
/// `rawName` and `rawExp`. Among definitions that are equal otherwise the pair with the fewest counts.
fn unlikeness(old: &str, new: &str) -> usize {
    let n_begin = old
        .chars()
        .zip(new.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let (n_old, n_new) = (old.chars().count(), new.chars().count());
    let n_rest = n_old.min(n_new) - n_begin;
    let ends = old.chars().rev().zip(new.chars().rev());
    let n_end = ends.take(n_rest).take_while(|(a, b)| a == b).count();
    n_old - n_begin - n_end
}

#[cfg(test)]
mod tests {
    use super::{DefinitionVersion, compare};
    use crate::model::{RepoPath, SymbolKind};

    /// Writes the changes between definitions written as `path name: text`, one a line.
    fn changes(old: &[&str], new: &[&str]) -> Vec<String> {
        let parse = |all: &[&str]| -> Vec<(RepoPath, String, String)> {
            let one = |text: &&str| {
                let (head, body) = text.split_once(": ").unwrap();
                let (path, name) = head.split_once(' ').unwrap();
                (
                    RepoPath::new(path).unwrap(),
                    name.to_owned(),
                    body.to_owned(),
                )
            };
            all.iter().map(one).collect()
        };
        let (old, new) = (parse(old), parse(new));
        let versions = |all: &[(RepoPath, String, String)]| -> Vec<DefinitionVersion<'static>> {
            all.iter()
                .map(|(path, qualified, text)| {
                    let path: &'static RepoPath = Box::leak(Box::new(path.clone()));
                    let qualified: &'static str = Box::leak(qualified.clone().into_boxed_str());
                    let text: &'static str = Box::leak(text.clone().into_boxed_str());
                    DefinitionVersion {
                        path,
                        name: qualified.rsplit('.').next().unwrap(),
                        qualified_name: qualified,
                        namespace: "",
                        kind: SymbolKind::Function,
                        exported: text.starts_with("export "),
                        is_default: text.starts_with("export default "),
                        head: None,
                        signature: text.split('{').next().unwrap(),
                        text,
                        members: Vec::new(),
                    }
                })
                .collect()
        };
        let (old, new) = (versions(&old), versions(&new));
        let name = |all: &[DefinitionVersion<'_>], at: Option<usize>| {
            at.map_or("-".to_owned(), |at| {
                format!("{} {}", all[at].path, all[at].qualified_name)
            })
        };
        let found = compare(&old, &new);
        found
            .iter()
            .map(|it| {
                format!(
                    "{:?} {} → {}",
                    it.kind,
                    name(&old, it.old),
                    name(&new, it.new)
                )
            })
            .collect()
    }

    #[test]
    fn a_definition_of_the_same_place_and_name_is_kept() {
        let old = [
            "a.ts f: function f() { return 1 }",
            "a.ts g: function g(a) { x }",
        ];
        let new = [
            "a.ts f: function f() {  return 1  }",
            "a.ts g: function g(a, b) { x }",
        ];
        assert_eq!(changes(&old, &new), ["Signature a.ts g → a.ts g"]);
        let new = [
            "a.ts f: function f() { return 2 }",
            "a.ts g: function g(a) { x }",
        ];
        assert_eq!(changes(&old, &new), ["Body a.ts f → a.ts f"]);
    }

    #[test]
    fn a_renamed_definition_is_found_by_its_text() {
        let old = ["a.ts f: function f(job) { queue.push(job); flush(); f(1) }"];
        let new = ["a.ts g: function g(job) { queue.push(job); flush(); g(1) }"];
        assert_eq!(changes(&old, &new), ["Renamed a.ts f → a.ts g"]);
        let new = ["a.ts g: function g(job) { queue.push(job, 2); flush() }"];
        assert_eq!(changes(&old, &new), ["Renamed a.ts f → a.ts g"]);
        let new = ["a.ts g: function g(a) { return other + things * 3 }"];
        assert_eq!(
            changes(&old, &new),
            ["Removed a.ts f → -", "Added - → a.ts g"]
        );
    }

    #[test]
    fn all_declarations_of_a_renamed_definition_are_compared() {
        let old = [
            "a.d.ts f: declare function f(job: Job): void",
            "a.d.ts f: declare function f(name: string, wait: number): Promise<Job>",
        ];
        let new = [
            "a.d.ts g: declare function g(name: string, wait: number): Promise<Job>",
            "a.d.ts g: declare function g(job: Job): void",
        ];
        assert_eq!(changes(&old, &new), ["Renamed a.d.ts f → a.d.ts g"]);
    }

    #[test]
    fn of_equal_definitions_the_likest_name_is_the_new_one_else_the_first() {
        let old = ["a.ts raw: let raw: string = read(1)"];
        let new = [
            "a.ts other: let other: string = read(1)",
            "a.ts rawName: let rawName: string = read(1)",
            "a.ts rawOf: let rawOf: string = read(1)",
        ];
        let found = changes(&old, &new);
        assert_eq!(found[0], "Renamed a.ts raw → a.ts rawName");
    }

    #[test]
    fn a_moved_definition_keeps_its_name() {
        let old = ["a.ts f: function f(job) { queue.push(job); flush() }"];
        let new = ["b.ts f: function f(job) { queue.push(job); flush() }"];
        assert_eq!(changes(&old, &new), ["Moved a.ts f → b.ts f"]);
    }

    #[test]
    fn members_go_with_their_class() {
        let old = [
            "a.ts C: class C { m() { a; b; c } }",
            "a.ts C.m: m() { a; b; c }",
        ];
        assert_eq!(changes(&old, &[]), ["Removed a.ts C → -"]);
    }

    #[test]
    fn an_export_that_is_taken_back_is_told() {
        let old = ["a.ts f: export function f() {}"];
        let new = ["a.ts f: function f() {}"];
        assert_eq!(changes(&old, &new), ["Unexported a.ts f → a.ts f"]);
    }

    #[test]
    fn short_definitions_have_to_be_equal() {
        let old = ["a.ts A: const A = 1"];
        assert_eq!(changes(&old, &["a.ts B: const B = 2"]).len(), 2);
        assert_eq!(
            changes(&old, &["a.ts B: const B = 1"]),
            ["Renamed a.ts A → a.ts B"]
        );
    }

    #[test]
    fn short_members_of_other_types_are_others() {
        let old = [
            "a.ts A.id: id: string",
            "a.ts A.m: m() { a; b; c; d; e; f }",
        ];
        let new = [
            "a.ts B.id: id: string",
            "a.ts B.m: m() { a; b; c; d; e; f }",
        ];
        assert_eq!(
            changes(&old, &new),
            [
                "Removed a.ts A.id → -",
                "Moved a.ts A.m → a.ts B.m",
                "Added - → a.ts B.id"
            ]
        );
        let old = ["a.ts A.id: id: string"];
        assert_eq!(changes(&old, &["b.ts A.id: id: string"]).len(), 2);
        assert_eq!(
            changes(&old, &["a.ts A.key: key: string"]),
            ["Renamed a.ts A.id → a.ts A.key"]
        );
    }

    #[test]
    fn of_equal_ones_the_likest_name_is_the_new_one() {
        let old = [
            "a.ts xFrameOptions: string | undefined",
            "a.ts origin: string | undefined",
        ];
        let new = ["a.ts xFrameOpt: string | undefined"];
        assert_eq!(
            changes(&old, &new),
            [
                "Renamed a.ts xFrameOptions → a.ts xFrameOpt",
                "Removed a.ts origin → -"
            ]
        );
    }

    #[test]
    fn short_look_alikes_of_other_names_are_others() {
        let old =
            ["a.ts clearCache: const clearCache = (): void => { cache = Object.create(null) }"];
        let new = ["b.ts nullObject: const nullObject = (): Any => Object.create(null)"];
        assert_eq!(changes(&old, &new).len(), 2);
        let new =
            ["a.ts nullObject: const nullObject = (): Any => { cache = Object.create(null) }"];
        assert_eq!(changes(&old, &new).len(), 2);
        let new =
            ["a.ts resetCache: const resetCache = (): Any => { cache = Object.create(null) }"];
        assert_eq!(
            changes(&old, &new),
            ["Renamed a.ts clearCache → a.ts resetCache"]
        );
    }

    #[test]
    fn marks_in_common_make_no_rename() {
        let old = [
            "a.rs SENTENCES: const SENTENCES: [&str; 5] = [\"note\", \"summary\", \"hint\", \"message\", \"detail\"];",
        ];
        let new = [
            "a.rs BEFORE: const BEFORE: [&str; 8] = [\"pass\", \"as\", \"or\", \"the\", \"with\", \"without\", \"larger\"];",
        ];
        assert_eq!(
            changes(&old, &new),
            ["Removed a.rs SENTENCES → -", "Added - → a.rs BEFORE"]
        );
    }
}

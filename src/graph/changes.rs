//! Differences between two states of the code, definition by definition: added, removed, moved, renamed, changed.
//!
//! Compares what the caller hands over; which files differ, and who uses a definition, is found out elsewhere.

use std::collections::HashMap;

use crate::model::{RepoPath, SymbolKind};

/// The share of tokens that two definitions have in common to be one that was renamed or moved, in percent.
const MIN_ALIKE_PERCENT: usize = 60;

/// Definitions with fewer tokens than this are too short to be told from others by them.
const MIN_TOKENS: usize = 6;

/// Pairs of removed and added definitions that are compared by their tokens.
const MAX_PAIRS: usize = 200_000;

/// A definition in one of the two states.
#[derive(Clone, Debug)]
pub struct Version<'a> {
    /// Its file.
    pub path: &'a RepoPath,
    /// Its own name.
    pub name: &'a str,
    /// Its name with those around it: `Store.open`.
    pub qualified_name: &'a str,
    /// The kind.
    pub kind: SymbolKind,
    /// Whether another module can use it.
    pub exported: bool,
    /// The definition without its body.
    pub signature: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// How a definition differs between the two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only the new state has it.
    Added,
    /// Only the old state has it.
    Removed,
    /// Another file has it, under the same name.
    Moved,
    /// It has another name.
    Renamed,
    /// Other modules can't use it any more.
    Unexported,
    /// Its signature differs.
    Signature,
    /// Its text differs, not its signature.
    Body,
}

/// A definition that differs, by its places in the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// How.
    pub kind: ChangeKind,
    /// Its place in the old list; `None` for one that was added.
    pub old: Option<usize>,
    /// Its place in the new list; `None` for one that was removed.
    pub new: Option<usize>,
}

/// Compares the definitions of two states. The lists hold those of the files that differ; the same lists give the same
/// changes.
///
/// A definition is the same where file and qualified name are. One that is gone was *moved* or *renamed* where an added
/// one of the same kind has the same text but for white space and the name, else where at least 60% of their tokens are
/// alike and no other added one is more so. Members of a definition that is gone are not listed apart.
pub fn compare(old: &[Version<'_>], new: &[Version<'_>]) -> Vec<Change> {
    let by_name = |all: &[Version<'_>]| {
        let mut found: HashMap<(String, String), Vec<usize>> = HashMap::new();
        for (at, one) in all.iter().enumerate() {
            let key = (one.path.to_string(), one.qualified_name.to_owned());
            found.entry(key).or_default().push(at);
        }
        found
    };
    let (old_names, new_names) = (by_name(old), by_name(new));
    let key = |one: &Version<'_>| (one.path.to_string(), one.qualified_name.to_owned());
    let mut changes = Vec::new();
    let mut gone = Vec::new();
    for (at, one) in old.iter().enumerate() {
        let key = key(one);
        // Overloads are one definition.
        if old_names[&key][0] != at {
            continue;
        }
        let Some(kept) = new_names.get(&key) else {
            gone.push(at);
            continue;
        };
        let kind = of_kept(&pick(old, &old_names[&key]), &pick(new, kept));
        changes.extend(kind.map(|kind| Change {
            kind,
            old: Some(at),
            new: Some(kept[0]),
        }));
    }
    let came: Vec<usize> = new
        .iter()
        .enumerate()
        .filter(|(at, one)| {
            let key = key(one);
            !old_names.contains_key(&key) && new_names[&key][0] == *at
        })
        .map(|(at, _)| at)
        .collect();
    let gone: Vec<usize> = outermost(old, &gone);
    let successors = successors(old, new, &gone, &came);
    for at in &gone {
        let new_at = successors.get(at).copied();
        let kind = match new_at {
            None => ChangeKind::Removed,
            Some(new_at) if old[*at].name == new[new_at].name => ChangeKind::Moved,
            Some(_) => ChangeKind::Renamed,
        };
        changes.push(Change {
            kind,
            old: Some(*at),
            new: new_at,
        });
    }
    let taken: Vec<usize> = successors.into_values().collect();
    let fresh: Vec<usize> = came.into_iter().filter(|at| !taken.contains(at)).collect();
    for at in outermost(new, &fresh) {
        changes.push(Change {
            kind: ChangeKind::Added,
            old: None,
            new: Some(at),
        });
    }
    changes
}

fn pick<'v, 'a>(all: &'v [Version<'a>], places: &[usize]) -> Vec<&'v Version<'a>> {
    places.iter().map(|at| &all[*at]).collect()
}

/// Compares the declarations of one definition before and after.
fn of_kept(old: &[&Version<'_>], new: &[&Version<'_>]) -> Option<ChangeKind> {
    let exported = |all: &[&Version<'_>]| all.iter().any(|one| one.exported);
    if exported(old) && !exported(new) {
        return Some(ChangeKind::Unexported);
    }
    let differs = |of: &dyn Fn(&Version<'_>) -> String| {
        let texts = |all: &[&Version<'_>]| all.iter().map(|one| of(one)).collect::<Vec<_>>();
        texts(old) != texts(new)
    };
    if differs(&|one| folded(one.signature)) {
        return Some(ChangeKind::Signature);
    }
    differs(&|one| folded(one.text)).then_some(ChangeKind::Body)
}

/// Leaves out the members of definitions that are in the list themselves.
fn outermost(all: &[Version<'_>], places: &[usize]) -> Vec<usize> {
    let listed: std::collections::HashSet<(&RepoPath, &str)> = places
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

/// Finds for each definition that is gone the added one that it became, each added one at most once.
fn successors(
    old: &[Version<'_>],
    new: &[Version<'_>],
    gone: &[usize],
    came: &[usize],
) -> HashMap<usize, usize> {
    let mut pairs = Vec::new();
    if gone.len().saturating_mul(came.len()) <= MAX_PAIRS {
        let bags = |all: &[Version<'_>], places: &[usize]| -> Vec<Bag> {
            places.iter().map(|at| Bag::of(&all[*at])).collect()
        };
        let (old_bags, new_bags) = (bags(old, gone), bags(new, came));
        for (n, at) in gone.iter().enumerate() {
            for (m, new_at) in came.iter().enumerate() {
                let (one, other) = (&old[*at], &new[*new_at]);
                let alike = old_bags[n].alike_percent(&new_bags[m]);
                if one.kind != other.kind || alike < MIN_ALIKE_PERCENT {
                    continue;
                }
                // The same file under another name is likelier than another file under the same name.
                let nearness = (one.path != other.path, one.name != other.name);
                pairs.push((100 - alike, nearness, *at, *new_at));
            }
        }
    }
    pairs.sort_unstable();
    let mut found = HashMap::new();
    let mut taken = std::collections::HashSet::new();
    for (_, _, at, new_at) in pairs {
        if !found.contains_key(&at) && taken.insert(new_at) {
            found.insert(at, new_at);
        }
    }
    found
}

/// The tokens of a definition with how often each occurs, its own name apart.
struct Bag {
    counts: HashMap<String, usize>,
    n_tokens: usize,
}

impl Bag {
    fn of(version: &Version<'_>) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut n_tokens = 0;
        for token in tokens(version.text).filter(|token| *token != version.name) {
            *counts.entry(token.to_owned()).or_default() += 1;
            n_tokens += 1;
        }
        Self { counts, n_tokens }
    }

    /// The share of the tokens of both that are in both, in percent (the Sørensen–Dice coefficient). Short definitions
    /// have to be equal.
    fn alike_percent(&self, other: &Self) -> usize {
        let (smaller, larger) = if self.counts.len() <= other.counts.len() {
            (self, other)
        } else {
            (other, self)
        };
        let shared: usize = smaller
            .counts
            .iter()
            .map(|(token, n)| (*n).min(larger.counts.get(token).copied().unwrap_or(0)))
            .sum();
        let all = self.n_tokens + other.n_tokens;
        let is_equal = 2 * shared == all;
        if all == 0 || !is_equal && self.n_tokens.min(other.n_tokens) < MIN_TOKENS {
            return 0;
        }
        200 * shared / all
    }
}

/// Splits a text into words and single marks.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// Returns a text with every run of white space as one blank.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Version, compare};
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
        let versions = |all: &[(RepoPath, String, String)]| -> Vec<Version<'static>> {
            all.iter()
                .map(|(path, qualified, text)| {
                    let path: &'static RepoPath = Box::leak(Box::new(path.clone()));
                    let qualified: &'static str = Box::leak(qualified.clone().into_boxed_str());
                    let text: &'static str = Box::leak(text.clone().into_boxed_str());
                    Version {
                        path,
                        name: qualified.rsplit('.').next().unwrap(),
                        qualified_name: qualified,
                        kind: SymbolKind::Function,
                        exported: text.starts_with("export "),
                        signature: text.split('{').next().unwrap(),
                        text,
                    }
                })
                .collect()
        };
        let (old, new) = (versions(&old), versions(&new));
        let name = |all: &[Version<'_>], at: Option<usize>| {
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
}

//! Parameter lists that changed and whose calls nobody compares with them, overloads that are gone among them: definitions go by
//! their qualified name, so that such a change is one of the signature.

use std::collections::BTreeSet;

use super::arguments::{is_counted, parenthesised};
use super::difference::{Difference, FileSide};
use crate::model::{Family, RepoPath, Symbol};
use crate::syntax;

impl Difference {
    /// Returns how many parameter lists changed whose calls are not compared with them: overloads that are there in the old state
    /// alone, of a language whose arguments are not counted, behind a decorator that may change them, or with fewer parameters than before.
    /// `is_wanted` chooses among the files.
    pub(super) fn n_unchecked_parameters(&self, is_wanted: impl Fn(&RepoPath) -> bool) -> u64 {
        let mut n_unchecked = 0;
        let elsewhere = self.declared_elsewhere();
        for (at, change) in self.changes.iter().enumerate() {
            let (Some(old), Some(new)) = (&change.old, &change.new) else {
                continue;
            };
            if elsewhere.contains(&at) {
                continue;
            }
            let (was, is) = (&self.files[old.file], &self.files[new.file]);
            let is_followed = syntax::by_path(&was.path).family().is_some();
            if change.is_gone() || !is_followed || !(is_wanted(&was.path) || is_wanted(&is.path)) {
                continue;
            }
            if has_overloads(&was.path) {
                let before = parameters(&was.old, &old.symbols);
                let now = parameters(&is.new, &new.symbols);
                n_unchecked += before.difference(&now).count() as u64;
            } else {
                let is_unchecked = if is_counted(&was.path) {
                    is_behind_decorator(&is.new, &new.symbols)
                        || loses_parameters((&was.old, &old.symbols), (&is.new, &new.symbols))
                } else {
                    true
                };
                let before = lists(&was.old, &old.symbols);
                let is_changed = before != lists(&is.new, &new.symbols);
                n_unchecked += u64::from(is_unchecked && is_changed);
            }
        }
        n_unchecked
    }
}

/// Returns the parts in parentheses of the signature of each declaration that is called; of Rust the types of its parameters.
fn lists(side: &FileSide, declarations: &[u32]) -> Vec<Option<String>> {
    let called = symbols(side, declarations).filter(|it| it.kind.is_function());
    let list = |it: &Symbol| match side.facts.family {
        Family::Rust => Some(rust_parameters(&it.signature, &it.name)),
        _ => parenthesised(&it.signature),
    };
    called.map(list).collect()
}

/// Returns the types of the parameters of a function of Rust, `&self,&View,usize` of `pub(super) fn shown<'a>(&'a self, view: &View<'_>,
/// depth: usize)`: without names, lifetimes and blanks, on which no call depends.
fn rust_parameters(signature: &str, name: &str) -> String {
    let types = parameter_texts(signature, name).into_iter().map(|it| {
        let type_ = it.split_once(": ").map_or(it.as_str(), |(_, type_)| type_);
        let mut bare = String::new();
        let mut rest = type_.chars().peekable();
        while let Some(c) = rest.next() {
            if c == '\'' {
                while rest.next_if(|c| c.is_alphanumeric() || *c == '_').is_some() {}
                while rest.next_if(|c| matches!(c, ',' | ' ')).is_some() {}
            } else if !c.is_whitespace() {
                bare.push(c);
            }
        }
        bare.replace("<>", "")
    });
    types
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join(",")
}

fn is_behind_decorator(side: &FileSide, declarations: &[u32]) -> bool {
    let mut texts = symbols(side, declarations).filter_map(|symbol| {
        let span = symbol.span;
        side.text
            .get(span.start_byte as usize..span.end_byte as usize)
    });
    texts.any(syntax::has_opaque_decorator)
}

/// Returns the symbols that a file declares at these places.
fn symbols<'s>(side: &'s FileSide, declarations: &'s [u32]) -> impl Iterator<Item = &'s Symbol> {
    let all = declarations.iter();
    all.filter_map(|at| side.facts.symbols.get(*at as usize))
}

/// Whether definitions of one name are told apart by their parameters in the language of a file. A header may be of C++.
pub fn has_overloads(path: &RepoPath) -> bool {
    match syntax::by_path(path).family() {
        Some(Family::Java | Family::CSharp) => true,
        Some(Family::C) => path.extension() != Some("c"),
        _ => false,
    }
}

/// Returns the types of the parameters of each declaration that is called, in words.
fn parameters(side: &FileSide, declarations: &[u32]) -> BTreeSet<Vec<String>> {
    let called = symbols(side, declarations).filter(|it| it.kind.is_function());
    called
        .map(|it| parameter_types(&it.signature, &it.name))
        .collect()
}

/// Whether a call that was right may pass too many arguments now, or one by a name that is gone: of calls with too few alone the
/// places are found.
fn loses_parameters(old: (&FileSide, &[u32]), new: (&FileSide, &[u32])) -> bool {
    let lists = |(side, declarations)| {
        let called = symbols(side, declarations).filter(|it| it.kind.is_function());
        let all: Vec<Vec<String>> = called.map(|it| names(&it.signature, &it.name)).collect();
        all
    };
    let is_by_name = new.0.facts.family == Family::Python;
    let (before, now) = (lists(old), lists(new));
    before.iter().any(|before| {
        !now.iter().any(|now| {
            before.len() <= now.len() && (!is_by_name || before.iter().all(|it| now.contains(it)))
        })
    })
}

/// Returns the names of the parameters that stand in parentheses behind the name: `[path, mode]` of `open(path: str, *, mode="r")`. Marks
/// are none.
fn names(signature: &str, name: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let all = parameter_texts(signature, name).into_iter();
    let names = all.map(|it| {
        let text = it.trim_start_matches(['*', '.', ' ']);
        text.split(|c| !is_word(c))
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    names.filter(|it| !it.is_empty()).collect()
}

/// Returns the types of the parameters that stand in parentheses behind the name: `[String, List<A,B>]` of
/// `void put(final String name, List<A, B> all)`. Words and marks in front of the name of a parameter are its type.
pub(super) fn parameter_types(signature: &str, name: &str) -> Vec<String> {
    let all = parameter_texts(signature, name);
    all.iter().filter_map(|it| type_of(it)).collect()
}

/// Returns the parameters that stand in parentheses behind the name, as they are written; the signature where there are none.
fn parameter_texts(signature: &str, name: &str) -> Vec<String> {
    let behind = signature
        .match_indices(name)
        // `put = async (a) => …` of TypeScript, too.
        .map(|(at, _)| signature[at + name.len()..].trim_start_matches([' ', '=']))
        .map(|rest| rest.strip_prefix("async ").unwrap_or(rest))
        .map(behind_type_parameters)
        .find(|rest| rest.starts_with('('));
    let Some(rest) = behind else {
        return vec![signature.to_owned()];
    };
    let (mut found, mut one, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in rest.chars() {
        match c {
            // Of an arrow.
            '>' if one.ends_with(['=', '-']) => {}
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || c == ',' && depth == 1 {
            found.push(std::mem::take(&mut one));
        } else if !(c == '(' && depth == 1) {
            one.push(c);
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// Returns a signature from where the type parameters end that it begins with: `(a: A)` of `<A: Fn() -> B>(a: A)`.
fn behind_type_parameters(rest: &str) -> &str {
    if !rest.starts_with('<') {
        return rest;
    }
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !matches!(before, '-' | '=') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return rest[at + 1..].trim_start();
        }
        before = c;
    }
    rest
}

/// Returns the type of a parameter without its name, its default and blanks; `None` of an empty one.
fn type_of(parameter: &str) -> Option<String> {
    let declared = parameter.split('=').next().unwrap_or_default().trim();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let without_name = declared.trim_end_matches(is_word).trim_end();
    // A word alone is a type.
    let kept = if without_name.is_empty() {
        declared
    } else {
        without_name
    };
    let words = kept.split_whitespace().filter(|word| *word != "final");
    let kept: String = words.collect();
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::{names, parameter_types, rust_parameters};

    #[test]
    fn parameters_have_names() {
        let found = |signature: &str| names(signature, "put").join(" ");
        assert_eq!(
            found("def put(self, *, path: str = f(1, 2), **rest)"),
            "self path rest"
        );
        assert_eq!(found("put(a: Map<A, B>, b?: string, ...c: X[])"), "a b c");
        assert_eq!(found("put = async (a: () => void, b: B)"), "a b");
        assert_eq!(found("def put()"), "");
    }

    #[test]
    fn parameters_of_rust_have_no_names_and_lifetimes() {
        let found = |signature: &str| rust_parameters(signature, "put");
        assert_eq!(
            found(
                "pub(super) fn put<'a, F: Fn(u8) -> T>(&'a self, view: &View<'_, 'a, T>, mut f: F) -> (u8, u8)"
            ),
            "&self,&View<T>,F"
        );
        assert_eq!(
            found("fn put(&self, all: &View<T>, g: F)"),
            "&self,&View<T>,F"
        );
        assert_eq!(found("fn put(text: &'static str)"), "&str");
        assert_eq!(
            found("fn put(view: &View<'_>)"),
            found("fn put(other: &View)")
        );
        assert_eq!(found("pub fn put()"), "");
    }

    #[test]
    fn parameters_are_told_by_their_types() {
        let found = |signature: &str| parameter_types(signature, "put").join(" | ");
        assert_eq!(found("void put()"), "");
        assert_eq!(
            found("public static void put(final String name, List<A, B> all)"),
            "String | List<A,B>"
        );
        assert_eq!(
            found("void put(String key)"),
            found("void put(String name)")
        );
        assert_ne!(found("void put(String key)"), found("void put(long key)"));
        assert_eq!(found("int put(int, char *text = \"a\")"), "int | char*");
        assert_eq!(found("input put (int a)"), "int");
        assert_eq!(found("put"), "put");
    }
}

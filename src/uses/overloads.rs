//! Overloads that are gone while others of their name are left: definitions go by their qualified name, so that such a change
//! is one of the signature.

use std::collections::BTreeSet;

use super::difference::{Difference, FileSide};
use crate::model::{Family, RepoPath, Symbol};
use crate::syntax;

impl Difference {
    /// Returns how many overloads of definitions that both states have are there in the old state alone: removed, renamed, or with
    /// other types of parameters. Whether their uses still fit one of those that are left is not looked at.
    pub fn n_gone_overloads(&self) -> u64 {
        let mut n_gone = 0;
        for change in &self.changes {
            let (Some(old), Some(new)) = (&change.old, &change.new) else {
                continue;
            };
            let (was, is) = (&self.files[old.file], &self.files[new.file]);
            if !has_overloads(&was.path) || change.is_gone() {
                continue;
            }
            let before = parameters(&was.old, &old.symbols);
            let now = parameters(&is.new, &new.symbols);
            // One that has no other of its name is no overload.
            if before.len() > 1 {
                n_gone += before.difference(&now).count() as u64;
            }
        }
        n_gone
    }
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
    let is_called = |symbol: &&Symbol| symbol.kind.is_function();
    let all = declarations.iter();
    let symbols = all.filter_map(|at| side.facts.symbols.get(*at as usize));
    symbols
        .filter(is_called)
        .map(|it| types(&it.signature, &it.name))
        .collect()
}

/// Returns the types of the parameters that stand in parentheses behind the name: `[String, List<A,B>]` of
/// `void put(final String name, List<A, B> all)`. Words and marks in front of the name of a parameter are its type.
fn types(signature: &str, name: &str) -> Vec<String> {
    let behind = signature
        .match_indices(name)
        .map(|(at, _)| signature[at + name.len()..].trim_start())
        .find(|rest| rest.starts_with('('));
    let Some(rest) = behind else {
        return vec![signature.to_owned()];
    };
    let (mut found, mut one, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in rest.chars() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || c == ',' && depth == 1 {
            found.extend(type_of(&one));
            one.clear();
        } else if !(c == '(' && depth == 1) {
            one.push(c);
        }
        if depth == 0 {
            break;
        }
    }
    found
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
    use super::types;

    #[test]
    fn parameters_are_told_by_their_types() {
        let found = |signature: &str| types(signature, "put").join(" | ");
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

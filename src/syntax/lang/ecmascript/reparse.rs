//! Code that the grammar cannot read as it is written is parsed again with a few bytes replaced: call signatures without
//! `;` between them, and exports named by words of the language, `export { f as delete }`.

use tree_sitter::Tree;

use super::kinds::Grammar;
use crate::model::Budget;
use crate::syntax::parse::{Parsed, parse};

/// Words of the language that no variable can be named by, but an export can: `export { f as delete }`.
const RESERVED: &str = "break case catch class const continue debugger delete do else enum export extends false finally for \
    function if import in instanceof new null return super switch this throw true try typeof var void \
    while with";

/// Returns the tree of a script in which call signatures stand below each other without a `;`, or names are offered and
/// taken that are words of the language, where that is what keeps it from being read: `(a: A): [A]` and
/// `<B>(b: B): [B]` in the next line are to the parser one type with an index, and `export { f as delete }` is none of
/// its statements. Places are those of the script itself.
pub(super) fn reread(grammar: &Grammar, source: &str, budget: &Budget) -> Option<Tree> {
    let ended = with_ends(source);
    let named = with_names(ended.as_deref().unwrap_or(source));
    match parse(&grammar.language, &named.or(ended)?, budget) {
        Parsed::Tree(tree) if !tree.root_node().has_error() => Some(tree),
        _ => None,
    }
}

/// Returns the source with a `;` in the place of the blank that begins a line, where that line goes on with `<` and
/// the one before ends with `]`; `None` where there is no such line.
fn with_ends(source: &str) -> Option<String> {
    let mut out = String::with_capacity(source.len());
    let mut ends_with_bracket = false;
    let mut found = false;
    for line in source.split_inclusive('\n') {
        let inner = line.trim_start_matches([' ', '\t']);
        if ends_with_bracket && inner.len() < line.len() && inner.starts_with('<') {
            out.push(';');
            out.push_str(&line[1..]);
            found = true;
        } else {
            out.push_str(line);
        }
        if !inner.trim_end().is_empty() {
            ends_with_bracket = line.trim_end().ends_with(']');
        }
    }
    found.then_some(out)
}

/// Returns the source with other words of the same length in the place of those of the language that names are offered
/// or taken by; `None` where there are none.
fn with_names(source: &str) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (start, _) in source.match_indices('{') {
        let before = source[..start].trim_end();
        let before = before.strip_suffix("type").unwrap_or(before).trim_end();
        if !before.ends_with("export") && !before.ends_with("import") {
            continue;
        }
        let end = source[start..]
            .find('}')
            .map_or(start + 1, |end| start + end);
        let mut from = start + 1;
        for one in source[from..end].split_inclusive(',') {
            let (name, other) = one.split_once(" as ").unwrap_or((one, ""));
            let other_from = from + name.len() + " as ".len();
            for (word, from) in [(name, from), (other, other_from)] {
                let at = from + word.len() - word.trim_start().len();
                let word = word.trim_end_matches(',').trim();
                if !other.is_empty() && RESERVED.split(' ').any(|it| it == word) {
                    out.push_str(&source[done..at]);
                    out.extend(std::iter::repeat_n('_', word.len()));
                    done = at + word.len();
                }
            }
            from += one.len();
        }
    }
    out.push_str(&source[done..]);
    (done > 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::with_names;

    #[test]
    fn only_names_that_modules_share_are_written_otherwise() {
        for (source, expected) in [
            (
                "export { a as delete, b, c as if };",
                Some("export { a as ______, b, c as __ };"),
            ),
            (
                "import type {new as a} from 'm'",
                Some("import type {___ as a} from 'm'"),
            ),
            ("const a = { b: c as const }; export { d as e }", None),
            (
                "export {\n  f as return,\n}\nlet x = y as null",
                Some("export {\n  f as ______,\n}\nlet x = y as null"),
            ),
            ("export {", None),
        ] {
            assert_eq!(with_names(source).as_deref(), expected, "{source}");
        }
    }
}

//! Code that the grammar cannot read as it is written is parsed again with a few bytes replaced: call signatures without
//! `;` between them, exports named by words of the language, `export { f as delete }`, and types of packages with type arguments,
//! `import("vue").Ref<string>`.

use tree_sitter::Tree;

use super::kinds::Grammar;
use crate::model::Budget;
use crate::syntax::parse::{Parsed, error_bytes, parse};

/// Words of the language that no variable can be named by, but an export can: `export { f as delete }`.
const RESERVED: &str = "break case catch class const continue debugger delete do else enum export extends false finally for \
    function if import in instanceof new null return super switch this throw true try typeof var void \
    while with";

/// How far the type parameters of a call signature are read.
const MAX_TYPE_PARAMS_BYTES: usize = 4_096;

/// Returns the tree of a script in which call signatures stand below each other without a `;`, or names are offered and
/// taken that are words of the language, where fewer bytes of it stay unread than in `first`: `(a: A): [A]` and
/// `<B>(b: B): [B]` in the next line are to the parser one type with an index, and `export { f as delete }` is none of
/// its statements. Places are those of the script itself.
pub(super) fn reread(
    grammar: &Grammar,
    source: &str,
    first: &Tree,
    budget: &Budget,
) -> Option<Tree> {
    let ended = with_ends(source);
    let named = with_names(ended.as_deref().unwrap_or(source));
    let named = named.or(ended);
    let typed = with_import_types(named.as_deref().unwrap_or(source));
    match parse(&grammar.language, &typed.or(named)?, budget) {
        Parsed::Tree(tree) if error_bytes(&tree) < error_bytes(first) => Some(tree),
        _ => None,
    }
}

/// Returns the source with a `;` in the place of the blank that begins a line, where that line goes on with the type parameters of a
/// call signature and a type may end before it; `None` where there is no such line. Blank lines and comments may stand between.
fn with_ends(source: &str) -> Option<String> {
    let mut out = String::with_capacity(source.len());
    let mut ends_type = false;
    let mut in_comment = false;
    let mut found = false;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let inner = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_comment = in_comment || inner.starts_with("//") || inner.starts_with("/*");
        in_comment = is_comment && !inner.starts_with("//") && !inner.ends_with("*/");
        if ends_type && !is_comment && indent > 0 && is_signature(&source[start + indent..]) {
            out.push(';');
            out.push_str(&line[1..]);
            found = true;
        } else {
            out.push_str(line);
        }
        if !inner.is_empty() && !is_comment {
            let code = inner.split("//").next().unwrap_or_default().trim_end();
            let may_end = |it: char| it.is_alphanumeric() || "_$>])}'\"`".contains(it);
            ends_type = code.ends_with(may_end) && !code.ends_with("=>");
        }
        start += line.len();
    }
    found.then_some(out)
}

/// Whether a text begins like a call signature with type parameters, `<A, B>(`; elements of JSX mostly do not.
fn is_signature(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut last = b' ';
    for (at, byte) in text.bytes().enumerate().take(MAX_TYPE_PARAMS_BYTES) {
        match byte {
            b'<' => depth += 1,
            b'>' if last != b'=' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && text[at + 1..].trim_start().starts_with('(');
        }
        last = byte;
    }
    false
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

/// Returns the source with a name of the same length in the place of a package whose type has type arguments: `import("vue")` of
/// `import("vue").Ref<string>`; `None` where there is none. A file of the repository is left as it is.
fn with_import_types(source: &str) -> Option<String> {
    const OPENING: &str = "import(";
    let mut out = String::new();
    let mut done = 0;
    for (start, _) in source.match_indices(OPENING) {
        let rest = &source[start + OPENING.len()..];
        let Some(quote) = rest.chars().next().filter(|it| matches!(it, '"' | '\'')) else {
            continue;
        };
        let Some((package, behind)) = rest[1..].split_once(quote) else {
            continue;
        };
        let is_package = !package.starts_with('.') && !package.contains('\n');
        let Some(path) = behind.strip_prefix(").").filter(|_| is_package) else {
            continue;
        };
        let is_of_path = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '.');
        if path.trim_start_matches(is_of_path).starts_with('<') {
            let end = source.len() - path.len() - 1;
            out.push_str(&source[done..start]);
            out.extend(std::iter::repeat_n('_', end - start));
            done = end;
        }
    }
    out.push_str(&source[done..]);
    (done > 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{with_ends, with_import_types, with_names};

    #[test]
    fn packages_of_types_with_arguments_become_names() {
        let after = |source: &str| with_import_types(source);
        assert_eq!(
            after("let a: import(\"vue\").Ref<A>").as_deref(),
            Some("let a: _____________.Ref<A>")
        );
        assert_eq!(after("let a: import(\"vue\").Ref"), None);
        assert_eq!(after("let a: import('./vue').Ref<A>"), None);
    }

    #[test]
    fn a_signature_below_a_type_is_set_apart_from_it() {
        for (source, expected) in [
            (
                "{\n  (a): [A]\n  <B>(b): C\n\n  // two\n  /* three\n   */\n  <D extends (x: E) => F>(d): G\n}",
                Some(
                    "{\n  (a): [A]\n; <B>(b): C\n\n  // two\n  /* three\n   */\n; <D extends (x: E) => F>(d): G\n}",
                ),
            ),
            (
                "{\n  (a): A // first\n  <\n    B,\n  >(b): B\n}",
                Some("{\n  (a): A // first\n; <\n    B,\n  >(b): B\n}"),
            ),
            (
                "<ul>\n  <li>(one)</li>\n  <li>two</li>\n</ul>\n",
                Some("<ul>\n; <li>(one)</li>\n  <li>two</li>\n</ul>\n"),
            ),
            (
                "f(\n  <T>(a: T) => a)\nconst f = () =>\n  <T>(a: T) => a\n",
                None,
            ),
            ("a <\n  b", None),
        ] {
            assert_eq!(with_ends(source).as_deref(), expected, "{source}");
        }
    }

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

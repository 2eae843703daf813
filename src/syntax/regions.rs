//! Code, comment or string: which of them a byte of a file is in.
//!
//! Reads the syntax tree at single bytes; which names are used there is told by `occurrences`.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::component;
use super::lang::ecmascript::kinds::{Dialect, Grammar};
use super::lang::frontend;
use super::parse::{Parsed, parse};
use super::{FileShape, Language};
use crate::model::Budget;

/// How far above a leaf the string or comment around it begins: `escape_sequence` in `string_fragment` in `string`.
const MAX_ANCESTORS: usize = 3;

/// Nodes of comments, in all grammars.
pub(super) const COMMENTS: &[&str] = &[
    "comment",
    "line_comment",
    "block_comment",
    "html_comment",
    "hash_bang_line",
    "documentation_comment",
    "multiline_comment",
];

/// Nodes of text: strings, regular expressions, text between tags.
const STRINGS: &[&str] = &[
    "string",
    "string_literal",
    "raw_string_literal",
    "interpreted_string_literal",
    "verbatim_string_literal",
    "interpolated_string_expression",
    "template_string",
    "template_literal_type",
    "char_literal",
    "character_literal",
    "rune_literal",
    "system_lib_string",
    "regex",
    "string_content",
    "quoted_content",
    "string_value",
    "string_lit",
    "template_literal",
    "line_string_literal",
    "multi_line_string_literal",
    "multiline_string",
    "multiline_string_literal",
    "raw_string",
    "encapsed_string",
    "heredoc_body",
    "nowdoc_body",
    "ansi_c_string",
    "charlist",
    "sigil",
    "string_array",
    "jsx_text",
    "html_character_reference",
];

/// Nodes of code inside strings: `${…}` in a template, `{…}` in an f-string.
const SUBSTITUTIONS: &[&str] = &[
    "template_substitution",
    "template_type",
    "interpolation",
    "string_interpolation",
    "interpolated_expression",
    "command_substitution",
    "expansion",
    "simple_expansion",
    "template_interpolation",
];

/// The part of a source that a byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceRegion {
    /// Neither a comment nor a string; substitutions in templates are code.
    Code,
    /// A comment.
    Comment,
    /// A string, a regular expression, text between tags of JSX.
    String,
}

/// A parsed file, to be asked about single bytes.
pub struct SourceRegions {
    parts: Vec<GrammarRegion>,
}

/// A part of a file with one grammar.
pub(super) struct GrammarRegion {
    pub(super) bytes: Range<usize>,
    /// Its tree; bytes count from the start of the file.
    pub(super) tree: Tree,
}

impl SourceRegions {
    /// Returns the scope of a byte; `None` where no grammar reads it: the template of a component, a style, broken code.
    pub fn at(&self, byte: usize) -> Option<SourceRegion> {
        let part = self.parts.iter().find(|part| part.bytes.contains(&byte))?;
        let root = part.tree.root_node();
        match root.descendant_for_byte_range(byte, byte + 1) {
            Some(node) => region_of(node),
            None => Some(SourceRegion::Code),
        }
    }
}

/// Parses a file for its comments, strings and code; `None` where there is no grammar for it, where it costs too much to parse, and where
/// the budget ended. Costs some 0.2 s a megabyte.
pub fn source_regions(language: &Language, source: &str, budget: &Budget) -> Option<SourceRegions> {
    parts(language, source, budget).map(|parts| SourceRegions { parts })
}

/// Parses the parts of a file; `None` where there is no grammar for it, where it costs too much to parse, and where the
/// budget ended.
pub(super) fn parts(
    language: &Language,
    source: &str,
    budget: &Budget,
) -> Option<Vec<GrammarRegion>> {
    let part = |grammar: &tree_sitter::Language, text: &str, bytes: Range<usize>| {
        let Parsed::Tree(tree) = parse(grammar, text, budget) else {
            return None;
        };
        Some(GrammarRegion { bytes, tree })
    };
    let whole = 0..source.len();
    let of_script = |dialect: Dialect| &Grammar::of(dialect).language;
    let parts = match language.shape {
        FileShape::Script(dialect) => vec![part(of_script(dialect), source, whole)?],
        FileShape::Python
        | FileShape::Go
        | FileShape::Java
        | FileShape::CSharp
        | FileShape::Rust
        | FileShape::C
        | FileShape::Cpp
        | FileShape::Outline(_) => {
            let Parsed::Tree(tree) = frontend(language.shape)?.parse(source, budget) else {
                return None;
            };
            vec![GrammarRegion { bytes: whole, tree }]
        }
        FileShape::Component(framework) => component::scripts(framework, source)
            .into_iter()
            .map(|(dialect, text, bytes)| part(of_script(dialect), &text, bytes))
            .collect::<Option<_>>()?,
        FileShape::Page | FileShape::Document(_) | FileShape::Plain => return None,
    };
    Some(parts)
}

/// Returns the scope of a node; `None` in broken code.
pub(super) fn region_of(leaf: Node<'_>) -> Option<SourceRegion> {
    let mut at = Some(leaf);
    for depth in 0..=MAX_ANCESTORS {
        let Some(node) = at else { break };
        let kind = node.kind();
        if COMMENTS.contains(&kind) {
            return Some(SourceRegion::Comment);
        }
        if SUBSTITUTIONS.contains(&kind) {
            return Some(SourceRegion::Code);
        }
        // A keyword may have the same name: `string` is also a type.
        if node.is_named() && STRINGS.contains(&kind) {
            return Some(SourceRegion::String);
        }
        if node.is_error() && depth < 2 {
            // A token of its own in broken code may be anything: the text behind a quote that nothing closes.
            return None;
        }
        at = node.parent();
    }
    Some(SourceRegion::Code)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{SourceRegion, source_regions};
    use crate::model::{Budget, RepoPath};
    use crate::syntax::by_path;

    /// Returns a letter for each place of `x`: c(ode), k (comment), s(tring), - (no grammar).
    fn letters(path: &str, source: &str) -> String {
        let path = RepoPath::new(path).unwrap();
        let budget = Budget::unlimited(Arc::default());
        let Some(scopes) = source_regions(by_path(&path), source, &budget) else {
            return "none".to_owned();
        };
        let letter = |(at, _): (usize, &str)| match scopes.at(at) {
            Some(SourceRegion::Code) => 'c',
            Some(SourceRegion::Comment) => 'k',
            Some(SourceRegion::String) => 's',
            None => '-',
        };
        source.match_indices('x').map(letter).collect()
    }

    #[test]
    fn strings_comments_and_code_are_told_apart() {
        for (path, source, wanted) in [
            ("a.ts", "x // x\n/* x */ 'x' + \"\\x41x\"", "ckksss"),
            ("a.ts", "`x ${x + `x${x}`} x`", "scscs"),
            ("a.ts", "const a = /x\\x/x;", "sss"),
            ("a.ts", "type T = `x${x}`; let y: 'x' = x as any", "scsc"),
            ("a.tsx", "<a x='x'>x {x} &x;</a>", "csscs"),
            ("a.js", "#!x\nx", "kc"),
            ("a.js", "import x from 'x'", "cs"),
            ("a.py", "x # x\n'''x'''\nf'x{x!r:x}' + b'\\x41'", "ckssccs"),
            (
                "a.vue",
                "<template>x {{ x }}</template><script>x // x\n</script><style>x</style>",
                "--ck-",
            ),
            (
                "a.svelte",
                "<script lang=\"ts\">let x: X = 'x'</script><p>{x}</p>",
                "cs-",
            ),
            ("a.ts", "x = 1;\nf('x", "c-"),
            ("A.java", "x x /* x */ \"x\" // x", "ccksk"),
            ("a.md", "x", "none"),
            ("a.css", "/* x */", "none"),
        ] {
            assert_eq!(letters(path, source), wanted, "{path}: {source}");
        }
    }

    #[test]
    fn broken_and_empty_files_have_scopes() {
        assert_eq!(letters("a.ts", ""), "");
        assert_eq!(letters("a.ts", "}}}} x ((( `${ x").len(), 2);
        assert_eq!(letters("a.vue", "<script>"), "");
        assert_eq!(letters("a.vue", "x"), "-");
    }
}

//! The code of a file without its comments: of `open() // now` it is `open()`, each byte in its place.
//!
//! Reads comments from the syntax tree, so that `"// no"` is a string; `regions` tells what single bytes are.

use std::ops::{ControlFlow, Range};

use tree_sitter::Node;

use super::lang::tree_walk::each_node;
use super::regions::{COMMENTS, GrammarRegion, parts};
use super::{FileShape, Language};
use crate::model::Budget;

/// Words by which a comment tells the compiler or the runner of a test something.
const DIRECTIVES: &[&str] = &["go:", "+build", "export ", "@jest-", "@vitest-", "@jsx"];

/// Returns the text of a file with a blank for each byte of its comments; line breaks stay. Comments that direct a compiler (`//go:embed`,
/// the C code above `import "C"`) are code. `None` where no grammar reads the file, or the budget ended. Costs some 0.2 s a megabyte.
pub fn blank_comments(language: &Language, source: &str, budget: &Budget) -> Option<String> {
    let parts = parts(language, source, budget)?;
    let mut comments: Vec<Range<usize>> = Vec::new();
    for part in &parts {
        add_comments(part, source, &mut comments);
    }
    if matches!(language.shape, FileShape::Component(_)) {
        add_comments_of_markup(&parts, source, &mut comments);
    }
    let mut bytes = source.as_bytes().to_vec();
    for comment in comments {
        for byte in bytes.get_mut(comment).into_iter().flatten() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).ok()
}

fn add_comments(part: &GrammarRegion, source: &str, comments: &mut Vec<Range<usize>>) {
    each_node(part.tree.root_node(), |node| {
        let kind = node.kind();
        if COMMENTS.contains(&kind) && kind != "hash_bang_line" {
            let text = source.get(node.byte_range()).unwrap_or_default();
            if !is_directive(node, text, source) {
                comments.push(with_braces(node).unwrap_or_else(|| node.byte_range()));
            }
            return ControlFlow::Continue(false);
        }
        if kind == "preproc_arg" {
            // The grammar takes the rest of the line for the value of a macro.
            let text = source.get(node.byte_range()).unwrap_or_default();
            if let Some(at) = text.find("//").filter(|_| !text.contains('"')) {
                comments.push(node.start_byte() + at..node.end_byte());
            }
        }
        ControlFlow::<(), bool>::Continue(true)
    });
}

/// Returns the bytes of `{/* … */}` around a comment of JSX, which is nothing but the comment.
fn with_braces(comment: Node<'_>) -> Option<Range<usize>> {
    let around = comment
        .parent()
        .filter(|it| it.kind() == "jsx_expression")?;
    (around.named_child_count() == 1).then(|| around.byte_range())
}

fn is_directive(comment: Node<'_>, text: &str, source: &str) -> bool {
    let inner = text.trim_start_matches(['/', '*', ' ', '\t', '\n', '\r']);
    let is_word = DIRECTIVES.iter().any(|it| inner.starts_with(it));
    let is_of_c = || {
        let next = comment.next_sibling();
        let next = next.filter(|it| it.kind() == "import_declaration");
        let text = next.and_then(|it| source.get(it.byte_range()));
        text.is_some_and(|it| it.contains("\"C\""))
    };
    is_word || is_of_c()
}

/// Adds `<!-- … -->` outside of the scripts of a component.
fn add_comments_of_markup(
    scripts: &[GrammarRegion],
    source: &str,
    comments: &mut Vec<Range<usize>>,
) {
    let mut from = 0;
    while let Some(start) = source[from..].find("<!--").map(|at| from + at) {
        let end = source[start..].find("-->");
        let end = end.map_or(source.len(), |at| start + at + "-->".len());
        if !scripts.iter().any(|it| it.bytes.contains(&start)) {
            comments.push(start..end);
        }
        from = end;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::blank_comments;
    use crate::model::{Budget, RepoPath};
    use crate::syntax::by_path;

    #[test]
    fn comments_of_each_language_are_blank() {
        for (path, source, wanted) in [
            ("a.ts", "a() // x\n/* x\n x */ '// y'", "a()\n\n'// y'"),
            ("a.ts", "#!/bin/node\na", "#!/bin/node\na"),
            ("a.tsx", "<a>{/* x */}{y}</a>", "<a>{y}</a>"),
            (
                "a.ts",
                "/** @jest-environment jsdom */",
                "/** @jest-environment jsdom */",
            ),
            ("a.py", "# x\na = '# y' # x", "a = '# y'"),
            (
                "a.rs",
                "/// x\n//! x\nfn a() { /* x /* x */ */ b!(c /* x */) }",
                "fn a() {  b!(c ) }",
            ),
            (
                "a.go",
                "// x\npackage a\n//go:embed b\nvar c string",
                "package a\n//go:embed b\nvar c string",
            ),
            (
                "a.go",
                "package a\n\n// int b;\nimport \"C\"",
                "package a\n\n// int b;\nimport \"C\"",
            ),
            (
                "A.java",
                "/** x */ class A { int a; // x\n }",
                "class A { int a;\n }",
            ),
            ("a.cs", "/// <x/>\nclass A { /* x */ }", "class A {  }"),
            (
                "a.c",
                "#define A 1 // x\n#define B \"//\"\n/* x */ int a;",
                "#define A 1\n#define B \"//\"\n int a;",
            ),
            (
                "a.vue",
                "<template><!-- x --><p/></template><script>a // x\n'<!--'</script>",
                "<template><p/></template><script>a\n'<!--'</script>",
            ),
            ("a.rb", "# x\ndef a; end", "def a; end"),
        ] {
            let path = RepoPath::new(path).unwrap();
            let found = blank_comments(by_path(&path), source, &Budget::unlimited(Arc::default()));
            let found = found.unwrap();
            assert_eq!(found.len(), source.len(), "{path}");
            let bare = |text: &str| text.replace([' ', '\n'], "");
            assert_eq!(bare(&found), bare(wanted), "{path}: {found}");
        }
    }
}

//! Calls of a definition that no line of a repository writes: by the language itself, or by code that a decorator, an
//! annotation or an attribute hands it to.
//!
//! Each family has a table; tests are told by [`SymbolFlags::TEST`](crate::model::SymbolFlags).

use tree_sitter::Node;

use super::lang::ecmascript;
use super::lang::ecmascript::kinds::Grammar;
use super::lang::{ImplicitCalls, frontend};
use super::language::{self, FileShape};
use super::parse::{Parsed, parse};
use crate::model::{Budget, RepoPath, Symbol};

/// Characters of an annotation that are kept.
const MAX_CHARS: usize = 60;

fn table(shape: FileShape) -> &'static ImplicitCalls {
    match frontend(shape) {
        Some(frontend) => frontend.implicit,
        None => &ecmascript::IMPLICIT,
    }
}

/// Returns how the language calls a definition by its name, in words that follow "it is": "a special method, …".
pub fn called_by_name(path: &RepoPath, symbol: &Symbol) -> Option<&'static str> {
    (table(language::by_path(path).shape).by_name)(symbol)
}

/// Returns the decorators, annotations and attributes of a definition that may hand it to other code, as they are written:
/// `@app.route("/")`. Costs the parsing of the file; empty
/// for components, and for languages without annotations, which are not parsed, like scripts that have no `@` but in names of packages
/// and in documentation.
pub fn handing_annotations(
    path: &RepoPath,
    source: &str,
    symbol: &Symbol,
    budget: &Budget,
) -> Vec<String> {
    let shape = language::by_path(path).shape;
    let Some(plain) = table(shape).plain_annotations else {
        return Vec::new();
    };
    let parsed = match (shape, frontend(shape)) {
        (FileShape::Script(_), _) if !may_have_decorators(source) => return Vec::new(),
        (FileShape::Script(dialect), _) => parse(&Grammar::of(dialect).language, source, budget),
        (_, Some(frontend)) => frontend.parse(source, budget),
        _ => return Vec::new(),
    };
    let Parsed::Tree(tree) = parsed else {
        return Vec::new();
    };
    let annotations = annotations_of(tree.root_node(), symbol).into_iter();
    let texts = annotations.filter_map(|node| source.get(node.byte_range()));
    texts
        .filter(|text| !plain.contains(&annotation_name(text)))
        .map(shortened)
        .collect()
}

/// Whether a script may have a decorator; in doubt it has. Parsing it for nothing was a fifth of a question about one of its functions.
fn may_have_decorators(source: &str) -> bool {
    source.lines().any(|line| {
        let is_mark = |(at, _): (usize, &str)| {
            let before = &line[..at];
            // `from '@scope/name'`
            let is_in_quotes = before.ends_with(['\'', '"', '`']);
            // ` * @param`, `/** @internal */`, `// @ts-ignore`
            let is_documentation = before.trim_start().starts_with(['*', '/']);
            !is_in_quotes && (!is_documentation || before.contains("*/"))
        };
        line.match_indices('@').any(is_mark)
    })
}

fn is_annotation(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "decorator" | "annotation" | "marker_annotation" | "attribute_item"
    )
}

/// Returns the annotations of a definition: within its span, or right before it.
fn annotations_of<'t>(root: Node<'t>, symbol: &Symbol) -> Vec<Node<'t>> {
    let (start, end) = (
        symbol.span.start_byte as usize,
        symbol.span.end_byte as usize,
    );
    let Some(node) = root.descendant_for_byte_range(start, end.saturating_sub(1).max(start)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.start_byte() < start || child.start_byte() >= end {
            continue;
        }
        let mut inner = child.walk();
        match child.kind() {
            _ if is_annotation(child) => found.push(child),
            "modifiers" => found.extend(
                child
                    .named_children(&mut inner)
                    .filter(|it| is_annotation(*it)),
            ),
            // C#: `[HttpGet("a"), Authorize]`.
            "attribute_list" => found.extend(
                child
                    .named_children(&mut inner)
                    .filter(|it| it.kind() == "attribute"),
            ),
            _ => {}
        }
    }
    // Before `export class Store`, before a member of a class.
    let mut at = node;
    while let Some(around) = at
        .parent()
        .filter(|it| matches!(it.kind(), "export_statement" | "decorated_definition"))
    {
        let mut cursor = around.walk();
        found.extend(
            around
                .named_children(&mut cursor)
                .filter(|it| is_annotation(*it)),
        );
        at = around;
    }
    let mut before = at.prev_named_sibling();
    while let Some(annotation) = before.filter(|it| is_annotation(*it) && at.start_byte() >= start)
    {
        found.push(annotation);
        before = annotation.prev_named_sibling();
    }
    found.sort_by_key(Node::start_byte);
    found.dedup_by_key(|it| it.start_byte());
    found
}

/// Returns the last name of an annotation: `route` of `@app.route("/")`, `get` of `#[rocket::get("/")]`.
fn annotation_name(text: &str) -> &str {
    let text = text.trim_start_matches(['@', '#', '[', ' ']);
    let path = text.split(['(', '=', ']', ' ']).next().unwrap_or(text);
    path.rsplit(['.', ':']).next().unwrap_or(path)
}

fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = text.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{called_by_name, handing_annotations, may_have_decorators};
    use crate::model::{Budget, RepoPath};
    use crate::syntax::{by_path, extract};

    /// Returns the annotations of each definition that has some, and the words for those that the language calls.
    fn told(path: &str, source: &str) -> Vec<String> {
        let path = RepoPath::new(path).unwrap();
        let budget = Budget::unlimited(Arc::default());
        let extraction = extract(by_path(&path), source, true, &budget).unwrap();
        let mut told = Vec::new();
        for symbol in &extraction.facts.symbols {
            let annotations = handing_annotations(&path, source, symbol, &budget);
            let by_name = called_by_name(&path, symbol).map(|_| "by name".to_owned());
            let all: Vec<String> = annotations.into_iter().chain(by_name).collect();
            if !all.is_empty() {
                told.push(format!("{}: {}", symbol.qualified_name, all.join(" ")));
            }
        }
        told
    }

    #[test]
    fn a_script_without_decorators_is_told_by_its_text() {
        for plain in [
            "",
            "import { a } from '@scope/a'\n/** @internal */\nfunction f() {}\n",
            "/**\n * @param a\n */\n// @ts-ignore\nf()\n",
        ] {
            assert!(!may_have_decorators(plain), "{plain}");
        }
        for decorated in [
            "@dec class A {}\n",
            "/** @see B */ @dec\nclass A {}\n",
            "class A { @dec() a() {} }\n",
            "export @dec class A {}\n",
            "class A {\n  a = 'x'; @dec b() {}\n}\n",
        ] {
            assert!(may_have_decorators(decorated), "{decorated}");
        }
    }

    #[test]
    fn annotations_that_hand_a_definition_on_are_told() {
        let source = "@app.route('/', methods=['GET'])\n@login\ndef index(x): pass\n\nclass Store:\n    @property\n    def size(self): pass\n    def __len__(self): pass\n\n@fixture\ndef db(): pass\n";
        assert_eq!(
            told("a.py", source),
            [
                "index: @app.route('/', methods=['GET']) @login",
                "Store.__len__: by name",
                "db: @fixture"
            ]
        );
        let source = "class A {\n  @Override public void run(@Nullable String a) {}\n  @Bean\n  public Db db() { return null; }\n  public static void main(String[] a) {}\n}\n";
        assert_eq!(told("A.java", source), ["A.db: @Bean", "A.main: by name"]);
        let source = "class A {\n  [HttpGet(\"a\"), Authorize]\n  public int Get() => 1;\n  [Obsolete] void Old() {}\n  public int Plain() => 2;\n}\n";
        assert_eq!(told("A.cs", source), ["A.Get: HttpGet(\"a\") Authorize"]);
        let source = "#[inline]\nfn a() {}\n\n#[get(\"/\")]\nasync fn index() {}\nfn main() {}\n";
        assert_eq!(
            told("a.rs", source),
            ["index: #[get(\"/\")]", "main: by name"]
        );
        let source = "@Component({ selector: 'a' })\nexport class A {\n  @Input() name = 1\n  @HostListener('x')\n  listen() {}\n  other() {}\n}\n";
        assert_eq!(
            told("a.ts", source),
            [
                "A: @Component({ selector: 'a' })",
                "A.name: @Input()",
                "A.listen: @HostListener('x')"
            ]
        );
        let source = "package a\nfunc init() {}\nfunc main() {}\nfunc (s Store) String() string { return \"\" }\nfunc open() {}\n";
        assert_eq!(
            told("a.go", source),
            ["init: by name", "main: by name", "Store.String: by name"]
        );
    }

    #[test]
    fn methods_of_interfaces_of_the_standard_library_are_called_by_name() {
        let names = [
            "Header",
            "WriteHeader",
            "Flush",
            "Hijack",
            "WithAttrs",
            "WithGroup",
            "Enabled",
            "IsDir",
            "ModTime",
            "Sys",
            "ReadDir",
            "ReadAt",
            "WriteString",
            "Less",
            "Swap",
            "MarshalText",
            "GobEncode",
            "MarshalXML",
            "Set",
            "IsBoolFlag",
            "Deadline",
            "Done",
            "BeginTx",
            "LastInsertId",
            "RowsAffected",
            "SetDeadline",
            "Accept",
        ];
        for name in names {
            let source = format!("package a\nfunc (s Store) {name}() {{}}\nfunc {name}() {{}}\n");
            assert_eq!(told("a.go", &source), [format!("Store.{name}: by name")]);
        }
        assert_eq!(
            told("a.go", "package a\nfunc (s Store) Open1() {}\n"),
            [""; 0]
        );
    }
}

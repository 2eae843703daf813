//! Laws that hold for any bytes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proptest::prelude::*;

use super::super::{LANGUAGES, by_id, by_path, extract};
use super::read;
use crate::ir::{Extraction, Slot, Target};
use crate::model::{Budget, RepoPath};

/// Snippets that are joined, cut and mixed.
const PARTS: &[&str] = &[
    "function f(a, {b}) { return a }\n",
    "class A extends B { m() {} #x = 1; static {} }\n",
    "export default ",
    "export const x = () => {",
    "}\n",
    "{",
    "(",
    ")",
    "[",
    "]",
    "`${",
    "<script>",
    "</script>\n",
    "<template>",
    "<Foo a={",
    "/>",
    "/** doc */\n",
    "// c\n",
    "\n",
    "\r\n",
    "\r",
    "é💡",
    "\u{feff}",
    "\0",
    "exports.a = b.c = function () {}\n",
    "module.exports = { a, b() {} }\n",
    "import { a as b } from 'm'\n",
    "# h\n",
    "===\n",
    "enum E { A, B = 1 }\n",
    "interface I { a: string }\n",
    "type T<U> = U extends infer V ? V : never\n",
    "namespace N { export let z }\n",
    "@dec() ",
    "var app = exports = module.exports = {};\n",
    "app.use = ",
    "Foo.prototype = {",
    "get x() {}, ",
    "a: ",
    "function f(): void;\n",
    "m(a: A): void\n",
    "@d(e) m(a?: B) { c() }\n",
    "class K { m(a: A): void; m(a: B): C; @d(e) m() {} n() { o() } }\n",
    "?.",
    "!",
    "=",
    "'",
    "\"",
    "\\",
    "declare global {",
    "async ",
    "for (var i of ",
    "case 1:",
    "/** @param {Foo} a @returns {B[]} @typedef {import('m').X} Y */\n",
    "const { p, q: [r] } = await f().g(",
    "this.x = a.b || new C()\n",
    "xs.map((x: X<Y>[]) => ",
    "return this\n",
    "f(p?: A | null): Promise<B> {",
    "z.forEach(function (z) { z.b(); z = z.c;",
    "class D<T extends E> extends F.G implements H { constructor(private i: T) {} }\n",
];

fn check(extraction: &Extraction, source: &str) {
    let size = u32::try_from(source.len()).unwrap();
    let n_lines =
        source.split('\n').count() - usize::from(source.is_empty() || source.ends_with('\n'));
    let (mut at, mut line) = (0, 1);
    for chunk in &extraction.chunks {
        assert_eq!((chunk.span.start_byte, chunk.span.start_line), (at, line));
        assert!(chunk.span.end_byte > at && chunk.span.end_line >= line);
        let n_bytes = chunk.span.end_byte - chunk.span.start_byte;
        assert!(n_bytes <= 8_192 || chunk.span.start_line == chunk.span.end_line);
        (at, line) = (chunk.span.end_byte, chunk.span.end_line + 1);
    }
    assert_eq!((at, line as usize - 1), (size, n_lines));
    let symbols = &extraction.facts.symbols;
    let mut parts = std::collections::HashSet::new();
    for chunk in &extraction.chunks {
        assert!(
            chunk
                .symbol
                .is_none_or(|symbol| (symbol as usize) < symbols.len())
        );
        assert!(parts.insert((chunk.symbol, chunk.kind, chunk.part)));
    }
    for (index, symbol) in symbols.iter().enumerate() {
        let span = symbol.span;
        assert!(span.start_byte <= span.end_byte && span.end_byte <= size);
        assert!(source.is_char_boundary(span.start_byte as usize));
        assert!(1 <= span.start_line && span.start_line <= span.end_line);
        assert!((span.end_line as usize) <= source.split('\n').count());
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < index));
        assert!(symbol.signature.len() <= 240 && symbol.doc.len() <= 2_000);
        assert!(index == 0 || symbols[index - 1].span.start_byte <= span.start_byte);
        let named = extraction
            .chunks
            .iter()
            .any(|c| c.names.contains(&symbol.qualified_name));
        assert!(
            named || symbol.name == "default",
            "{}",
            symbol.qualified_name
        );
    }
    let is_symbol = |symbol: Option<u32>| symbol.is_none_or(|at| (at as usize) < symbols.len());
    let exprs = &extraction.facts.exprs;
    assert!(exprs.is_sound(symbols.len(), extraction.facts.imports.len()));
    for used in &extraction.facts.references {
        assert!(is_symbol(used.symbol) && used.count > 0 && exprs.has_name(used.name));
        match used.target {
            Target::Symbol(symbol) => assert!(is_symbol(Some(symbol))),
            Target::Value(expr) | Target::Member { receiver: expr, .. } => assert!(exprs.has(expr)),
            Target::Lexical | Target::Unknown | Target::Markup(_) => {}
        }
    }
    for binding in &extraction.facts.bindings {
        assert!(is_symbol(binding.owner) && exprs.has(binding.value));
        assert!(exprs.has_path(binding.path) && !exprs.slots(binding.path).is_empty());
    }
}

/// A script says at most one thing of a name; each script of a component speaks for itself.
fn check_owned(extraction: &Extraction, path: &str) {
    let mut owned = std::collections::HashSet::new();
    for binding in &extraction.facts.bindings {
        let last = extraction.facts.exprs.last(binding.path);
        let many = matches!(last, Some((_, Slot::Base(_))));
        let component = path.ends_with("vue") || path.ends_with("svelte");
        assert!(
            many || component || owned.insert((binding.owner, binding.path)),
            "{binding:?}"
        );
    }
}

const PATHS: &[&str] = &[
    "a.ts", "a.tsx", "a.js", "a.vue", "a.svelte", "a.md", "a.rst", "a.adoc", "a.json", "a.java",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_covered_once_and_says_the_same_twice(
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..60),
        noise in any::<String>(),
        at in 0..PATHS.len(),
    ) {
        let source = parts.concat() + &noise + &parts.concat();
        let found = read(PATHS[at], &source);
        check(&found, &source);
        check_owned(&found, PATHS[at]);
        prop_assert_eq!(found, read(PATHS[at], &source));
    }

    #[test]
    fn brackets_without_sense_are_read(source in "[\\[\\](){}<>=;,.a\n'`\"$]{0,400}", at in 0..PATHS.len()) {
        check(&read(PATHS[at], &source), &source);
    }
}

fn nest(opens: &[&str], n: usize) {
    for open in opens {
        for path in ["a.tsx", "a.js"] {
            let source = open.repeat(n);
            check(&read(path, &source), &source);
        }
    }
}

const OPENS: &[&str] = &[
    "[",
    "(",
    "{",
    "a(",
    "function f(){",
    "x=>",
    "a?",
    "!",
    "`${",
    "<a>",
    "class A{m(){",
    "a.b(",
    "({a:",
    "type A=[",
    "if(a)",
    "f({a(b){",
    "const f:(a:",
];

#[test]
fn nesting_has_no_bottom() {
    nest(OPENS, 500);
    nest(&["["], 100_000);
    let chain = format!("a{};\n", ".b()".repeat(20_000));
    assert!(!read("a.ts", &chain).facts.references.is_empty());
    let n = 20_000;
    let typed = format!(
        "const f: {}A{} = (a) => a.b();\n",
        "(a: ".repeat(n),
        ") => void".repeat(n)
    );
    check(&read("a.ts", &typed), &typed);
    let deep = "function f() {\n".repeat(1_000) + &"}\n".repeat(1_000);
    let found = read("a.js", &deep);
    check(&found, &deep);
    // Two levels of the tree for each function.
    assert!(found.facts.symbols.len() > 900);
}

#[test]
#[ignore = "slow"]
fn nesting_of_every_form_has_no_bottom() {
    nest(OPENS, 100_000);
}

#[test]
fn broken_code_says_what_can_be_read() {
    let source =
        "export function a() { return }\nconst = ;\nexport class B { m( { }\nfunction c() {}\n";
    let found = read("a.ts", source);
    assert!(found.facts.has_errors);
    let names: Vec<_> = found
        .facts
        .symbols
        .iter()
        .map(|s| s.name.as_str())
        .collect();
    assert!(names.contains(&"a"), "{names:?}");
}

#[test]
fn files_that_are_not_written_by_hand_have_lines_alone() {
    let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
    let found = extract(
        by_id("javascript").unwrap(),
        "function f() {}\n",
        false,
        &budget,
    )
    .unwrap();
    assert!(found.facts.symbols.is_empty());
    assert_eq!(found.chunks.len(), 1);
}

#[test]
fn a_spent_budget_says_nothing_and_the_next_file_is_read_whole() {
    let spent = Budget::within(Duration::ZERO, Arc::new(AtomicBool::new(false)));
    let source = "export const a = () => 1\n".repeat(20_000);
    let language = by_path(&RepoPath::new("a.ts").unwrap());
    assert_eq!(extract(language, &source, true, &spent), None);
    let short = Budget::within(Duration::from_millis(3), Arc::new(AtomicBool::new(false)));
    assert_eq!(extract(language, &source, true, &short), None);
    assert_eq!(read("a.ts", "let b = 1").facts.symbols.len(), 1);
}

#[test]
fn an_empty_file_has_no_chunks_in_any_language() {
    for language in LANGUAGES {
        let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
        let found = extract(language, "", true, &budget).unwrap();
        assert!(found.chunks.is_empty(), "{}", language.id);
    }
}

#[test]
fn broken_code_at_the_start_of_a_block_lies_in_the_block() {
    let part = "</script>\n<script>?.exports.a = b.c = function () {}\n# h\n";
    for path in PATHS {
        for source in [part.repeat(2), format!("\n\n{}", part.repeat(3))] {
            let found = read(path, &source);
            check(&found, &source);
            check_owned(&found, path);
        }
    }
    let found = read("a.vue", &part.repeat(2));
    let symbols = &found.facts.symbols;
    let symbol = symbols
        .iter()
        .find(|it| it.qualified_name == "b.c")
        .unwrap();
    assert_eq!((symbol.span.start_line, symbol.span.start_byte), (2, 18));
}

//! How files are cut.

use super::{read, same};
use std::fmt::Write as _;

/// One line a chunk: `from-to kind symbol#part: names`.
fn chunks(path: &str, source: &str) -> String {
    let found = read(path, source);
    found.chunks.iter().fold(String::new(), |mut out, chunk| {
        let owner = chunk
            .symbol
            .map_or("-", |at| &found.facts.symbols[at as usize].qualified_name);
        let (from, to) = (chunk.span.start_line, chunk.span.end_line);
        writeln!(
            out,
            "{from}-{to} {} {owner}#{}: {}",
            chunk.kind.as_str(),
            chunk.part,
            chunk.names.join(" ")
        )
        .unwrap();
        out
    })
}

#[test]
fn a_definition_takes_its_comments_and_small_ones_stand_together() {
    let source = "\
import a from 'a'
import b from 'b'

/** One. */
export function one() {
  return 1
}

const x = 1
const y = 2
type Z = 3

run()
// two
function two() {
}
";
    same(
        &chunks("a.ts", source),
        "1-3 gap -#0:
         4-8 definition one#0: one
         9-12 definition x#0: x y Z
         13-13 gap -#1:
         14-16 definition two#0: two",
    );
}

#[test]
fn a_long_class_is_cut_by_members() {
    let method =
        |name: &str, n: usize| format!("  {name}() {{\n{}  }}\n\n", "    work()\n".repeat(n));
    let source = format!(
        "class A {{\n  x = 1\n  y = 2\n\n{}{}{}{}}}\n",
        method("small", 0),
        method("big", 40),
        method("tiny", 0),
        method("huge", 70),
    );
    let found = chunks("a.ts", &source);
    same(
        &found,
        "1-7 definition A#0: A A.x A.y A.small
         8-53 definition A.big#0: A.big A.tiny
         54-90 definition A.huge#0: A.huge
         91-127 definition A.huge#1:",
    );
}

#[test]
fn a_long_function_has_parts_of_which_the_first_has_the_doc() {
    let source = format!(
        "/** Doc. */\nfunction f() {{\n{}}}\n",
        "  a()\n\n".repeat(80)
    );
    let found = read("a.ts", &source);
    assert!(found.chunks.len() >= 3);
    for (part, chunk) in found.chunks.iter().enumerate() {
        assert_eq!(chunk.symbol, Some(0));
        assert_eq!(chunk.part as usize, part);
        assert_eq!(chunk.signature, "function f()");
        assert_eq!(chunk.doc, if part == 0 { "Doc." } else { "" });
        assert_eq!(chunk.names.len(), usize::from(part == 0));
    }
}

#[test]
fn documents_are_cut_at_headings() {
    let source = "\
---
title: x
---
intro
# A
text
## B
```sh
# no heading
```
### C ###
c
Setext
======
d

Title
-----
e
";
    same(
        &chunks("a.md", source),
        "1-4 text -#0:
         5-6 text -#1: A
         7-10 text -#2: A B
         11-16 text -#3: A B C
         17-19 text -#4: A Title",
    );
    let rst = "=====\nTitle\n=====\n\nA\n-\n\nPart\n----\ntext\n\nDeep\n~~~~\nx\n";
    same(
        &chunks("a.rst", rst),
        "1-7 text -#0: Title\n 8-11 text -#1: Title Part\n 12-14 text -#2: Title Part Deep",
    );
    let adoc = "= Doc\n\n== One\ntext\n----\n== no\n----\n== Two\nx\n";
    same(
        &chunks("a.adoc", adoc),
        "1-7 text -#0: Doc One\n 8-9 text -#1: Doc Two",
    );
}

#[test]
fn other_text_is_cut_at_quiet_lines_and_by_bytes() {
    let source = format!(
        "{}\n{}\n{}",
        "a\n".repeat(45),
        "b\n".repeat(45),
        "c".repeat(20_000)
    );
    let found = read("a.txt", &source).chunks;
    assert!(
        found
            .iter()
            .all(|c| c.span.end_line - c.span.start_line < 60)
    );
    let last = found.last().unwrap();
    assert_eq!(last.span.start_line, last.span.end_line);
    assert_eq!(found[0].span.end_line, 46);
}

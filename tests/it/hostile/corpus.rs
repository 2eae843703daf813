//! Contents and names that no one writes by hand, each made by a function: the corpus is code, not files.
//!
//! Sizes are those that a check of every change can afford. `CODELENS_HOSTILE=full` makes them as large as they are meant to
//! be: a million files, 50 MB on a line.
#![allow(
    clippy::too_many_lines,
    clippy::format_collect,
    reason = "these are tables"
)]

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Whether everything is made in its full size.
pub(super) fn is_full() -> bool {
    std::env::var_os("CODELENS_HOSTILE").is_some_and(|value| value == "full")
}

/// Returns `small`, or in full size `full`.
pub(super) fn scaled(small: usize, full: usize) -> usize {
    if is_full() { full } else { small }
}

/// A file: its name, its bytes, and the reason for which it is left out or reduced.
pub(super) type Content = (&'static str, Vec<u8>, Option<&'static str>);

const CODE: &str = "export function alpha(beta: number) { return beta }\n";

fn around(before: &str, after: &str, n: usize) -> Vec<u8> {
    [before.repeat(n), after.repeat(n)].concat().into_bytes()
}

fn utf16(text: &str, big_endian: bool, mark: bool) -> Vec<u8> {
    let units = mark
        .then_some(0xfeff)
        .into_iter()
        .chain(text.encode_utf16());
    let pair = |unit: u16| {
        if big_endian {
            unit.to_be_bytes()
        } else {
            unit.to_le_bytes()
        }
    };
    units.flat_map(pair).collect()
}

/// Nesting that has no sense.
pub(super) fn nested() -> Vec<Content> {
    let n = scaled(20_000, 100_000);
    vec![
        ("deep/brackets.ts", around("[", "]", n), Some("minified")),
        ("deep/brackets-in-lines.ts", around("[\n", "]\n", n), None),
        ("deep/open-braces.js", "{\n".repeat(n).into_bytes(), None),
        ("deep/calls.js", around("a(\n", ")\n", n), None),
        (
            "deep/functions.ts",
            around("function f() {\n", "}\n", n / 4),
            None,
        ),
        ("deep/elements.tsx", around("<a>\n", "</a>\n", n), None),
        (
            "deep/open-elements.jsx",
            "<a b={\n".repeat(n).into_bytes(),
            None,
        ),
        ("deep/templates.js", around("`${\n", "}`\n", n), None),
        (
            "deep/types.ts",
            ["type A = ", &"{ a:\n".repeat(n)].concat().into_bytes(),
            None,
        ),
        (
            "deep/conditions.ts",
            "if (a) x ? y :\n".repeat(n / 2).into_bytes(),
            None,
        ),
        ("deep/unary.js", "!\n".repeat(n).into_bytes(), None),
        (
            "deep/chain.ts",
            format!("a{}", ".b()\n".repeat(n)).into_bytes(),
            None,
        ),
        ("deep/lists.json", around("[\n", "]\n", n), None),
        (
            "deep/objects.json",
            ["{\"a\":\n".repeat(n), "1".into(), "}\n".repeat(n)]
                .concat()
                .into_bytes(),
            None,
        ),
        (
            "deep/quotes.md",
            [">".repeat(n / 4), " a\n".into()].concat().into_bytes(),
            None,
        ),
        (
            "deep/lists.md",
            (0..400)
                .map(|n| format!("{}- a\n", " ".repeat(2 * n)))
                .collect::<String>()
                .into_bytes(),
            None,
        ),
        (
            "deep/template.vue",
            [
                b"<template>\n".to_vec(),
                around("<div>\n", "</div>\n", n),
                b"</template>\n".to_vec(),
            ]
            .concat(),
            None,
        ),
        (
            "deep/brackets.go",
            [b"package a\nvar x = \n".to_vec(), around("(\n", ")\n", n)].concat(),
            None,
        ),
        (
            "deep/blocks.go",
            [
                b"package a\nfunc f() {\n".to_vec(),
                around("if a {\n", "}\n", n / 2),
            ]
            .concat(),
            None,
        ),
        (
            "deep/structs.go",
            [
                b"package a\ntype T ".to_vec(),
                around("struct { a\n", "}\n", n / 2),
            ]
            .concat(),
            None,
        ),
        (
            "deep/closures.go",
            [
                b"package a\nvar x = ".to_vec(),
                around("func() {\n", "}()\n", n / 4),
            ]
            .concat(),
            None,
        ),
        (
            "deep/chain.go",
            format!("package a\nvar x = a{}", ".b().\n".repeat(n)).into_bytes(),
            None,
        ),
        (
            "deep/pointers.go",
            format!("package a\nvar x {}", "*\n[]".repeat(n / 2)).into_bytes(),
            None,
        ),
        (
            "deep/classes.java",
            around("class A extends A {\n", "}\n", n / 4),
            None,
        ),
        (
            "deep/blocks.java",
            [b"class A { void f() {\n".to_vec(), around("{\n", "}\n", n)].concat(),
            None,
        ),
        (
            "deep/lambdas.java",
            format!("class A {{ F f = {}", "a ->\n".repeat(n / 2)).into_bytes(),
            None,
        ),
        (
            "deep/anonymous.java",
            [
                b"class A { void f() {\n".to_vec(),
                around("new A() { void f() {\n", "}}\n", n / 8),
            ]
            .concat(),
            None,
        ),
        (
            "deep/generics.java",
            [b"class A { ".to_vec(), around("A<\n", ">\n", n / 2)].concat(),
            None,
        ),
        (
            "deep/chain.java",
            format!("class A {{ Object x = a{}", ".b()\n".repeat(n)).into_bytes(),
            None,
        ),
        (
            "deep/annotations.java",
            [b"class A { ".to_vec(), around("@A(\n", ")\n", n / 2)].concat(),
            None,
        ),
        (
            "deep/classes.cs",
            around("class A : A {\n", "}\n", n / 4),
            None,
        ),
        (
            "deep/namespaces.cs",
            around("namespace A {\n", "}\n", n / 4),
            None,
        ),
        (
            "deep/blocks.cs",
            [b"class A { void F() {\n".to_vec(), around("{\n", "}\n", n)].concat(),
            None,
        ),
        (
            "deep/lambdas.cs",
            format!("class A {{ F f = {}", "a =>\n".repeat(n / 2)).into_bytes(),
            None,
        ),
        (
            "deep/generics.cs",
            [b"class A { ".to_vec(), around("A<\n", ">\n", n / 2)].concat(),
            None,
        ),
        (
            "deep/chain.cs",
            format!("class A {{ object x = a{}", ".B()\n".repeat(n)).into_bytes(),
            None,
        ),
        (
            "deep/conditions.cs",
            [
                b"class A {\n".to_vec(),
                around("#if A\n", "#endif\n", n / 8),
            ]
            .concat(),
            None,
        ),
        (
            "deep/blocks.rs",
            [b"fn f() { ".to_vec(), around("{\n", "}\n", n)].concat(),
            None,
        ),
        (
            "deep/macros.rs",
            [b"fn f() { ".to_vec(), around("a!(\n", ")\n", n / 2)].concat(),
            None,
        ),
        (
            "deep/modules.rs",
            around("mod a { impl A {\n", "} }\n", n / 4),
            None,
        ),
        (
            "deep/uses.rs",
            [b"use ".to_vec(), around("a::{\n", "}\n", n / 2)].concat(),
            None,
        ),
        (
            "deep/types.rs",
            [b"type A = ".to_vec(), around("A<\n", ">\n", n / 2)].concat(),
            None,
        ),
        (
            "deep/chain.rs",
            format!("fn f() {{ a{}", ".b()?\n".repeat(n)).into_bytes(),
            None,
        ),
        (
            "deep/closures.rs",
            format!("fn f() {{ a({}", "|b|\n".repeat(n)).into_bytes(),
            None,
        ),
        (
            "deep/blocks.c",
            [b"void f(void) { ".to_vec(), around("{\n", "}\n", n)].concat(),
            None,
        ),
        (
            "deep/conditions.c",
            around("#ifdef A\nint f(void) {\n", "}\n#endif\n", n / 4),
            None,
        ),
        (
            "deep/declarator.c",
            [
                b"int ".to_vec(),
                around("(*\n", ")\n", n / 2),
                b";".to_vec(),
            ]
            .concat(),
            None,
        ),
        (
            "deep/namespaces.cc",
            around("namespace a { class B {\n", "}; }\n", n / 4),
            None,
        ),
        (
            "deep/templates.cc",
            [b"A<int> a = ".to_vec(), around("A<\n", ">\n", n / 2)].concat(),
            None,
        ),
        (
            "deep/vexing.cc",
            [
                b"void f() { A a(".to_vec(),
                around("B(\n", ")\n", n),
                b"); }\n".to_vec(),
            ]
            .concat(),
            None,
        ),
        (
            "deep/scopes.cc",
            format!("void f() {{ {}b(); }}\n", "a::\n".repeat(n)).into_bytes(),
            None,
        ),
        (
            "deep/chain.cc",
            format!("void f() {{ a{}", "->b()\n".repeat(n)).into_bytes(),
            None,
        ),
        (
            "deep/lambdas.cc",
            [
                b"void f() { a(".to_vec(),
                around("[](int b) { c(\n", "); }\n", n / 4),
            ]
            .concat(),
            None,
        ),
        ("deep/comment.js", "/*\n".repeat(n).into_bytes(), None),
        ("deep/strings.js", "'\n\"\n`\n".repeat(n).into_bytes(), None),
    ]
}

/// Routes and requests that are nested or repeated without sense.
pub(super) fn endpoints() -> Vec<Content> {
    let n = scaled(20_000, 200_000);
    let sum = |before: &str| {
        let text = format!("{before}'/a'{})\n", "\n + '/a'".repeat(n));
        text.into_bytes()
    };
    let lines = |line: &dyn Fn(usize) -> String| {
        let all: String = (0..n / 2).map(line).collect();
        all.into_bytes()
    };
    vec![
        ("http/sum.js", sum("fetch("), None),
        ("http/sum.py", sum("import requests\nrequests.get("), None),
        (
            "http/parentheses.py",
            [
                b"import requests\nrequests.get(".to_vec(),
                around("(\n", ")\n", n),
            ]
            .concat(),
            None,
        ),
        (
            "http/groups.go",
            format!(
                "package a\nimport \"github.com/gin-gonic/gin\"\nfunc f() {{\n r := gin.Default()\n x := r{}\n}}\n",
                ".\nGroup(\"/a\")".repeat(n)
            )
            .into_bytes(),
            None,
        ),
        (
            "http/groups.cs",
            format!("var g = app{};\n", "\n.MapGroup(\"/a\")".repeat(n)).into_bytes(),
            None,
        ),
        (
            "http/lists.java",
            [
                b"@RestController class A { @GetMapping(".to_vec(),
                around("{\n", "}\n", n),
                b") void alpha() {} }".to_vec(),
            ]
            .concat(),
            None,
        ),
        (
            "http/routes.js",
            lines(&|at| format!("const app{at} = express(); app{at}.get('/a{at}', b{at})\n")),
            None,
        ),
        (
            "http/clients.js",
            lines(&|at| format!("a{at}.get('/a{at}')\n")),
            None,
        ),
        (
            "http/mounts.js",
            format!(
                "import express from 'express'\nconst r = express.Router()\nr.get('/users', alpha)\n{}fetch('/a/users')\n",
                "r.use('/a', r)\n".repeat(100)
            )
            .into_bytes(),
            None,
        ),
        (
            "http/doubled.py",
            format!(
                "import requests\na0 = '/aaaaaaa'\n{}",
                (1..60)
                    .map(|at| format!("a{at} = f'{{a{0}}}{{a{0}}}'\n", at - 1))
                    .collect::<String>()
            )
            .into_bytes(),
            None,
        ),
        (
            "http/doubled.js",
            format!(
                "import axios from 'axios'\nconst a0 = '/aaaaaaa'\n{}",
                (1..60)
                    .map(|at| format!("const a{at} = `${{a{0}}}${{a{0}}}`\n", at - 1))
                    .collect::<String>()
            )
            .into_bytes(),
            None,
        ),
        (
            "http/chain.go",
            format!(
                "package a\nimport \"github.com/gin-gonic/gin\"\nfunc f() {{\nr0 := gin.Default()\n{}}}\n",
                (1..n / 2)
                    .map(|at| format!("r{at} := r{}.Group(\"/abcdefghij\")\n", at - 1))
                    .collect::<String>()
            )
            .into_bytes(),
            None,
        ),
        (
            "http/product.java",
            format!(
                "@RestController @RequestMapping({{{0}}}) class A {{ @GetMapping({{{0}}}) void alpha() {{}} }}\n",
                "\"/a\",\n".repeat(n / 4)
            )
            .into_bytes(),
            None,
        ),
        (
            "http/statements.xml",
            [
                b"<mapper namespace=\"a.B\">\n".to_vec(),
                lines(&|at| format!("<select id=\"a{at}\">1</select>\n")),
            ]
            .concat(),
            None,
        ),
    ]
}

/// Lines, names and strings that are too long.
pub(super) fn long() -> Vec<Content> {
    let n = scaled(1 << 20, 50_000_000);
    let wide = scaled(300_000, 1_900_000);
    let reason = if is_full() { "tooLarge" } else { "minified" };
    vec![
        (
            "long/line.js",
            "x=1;".repeat(n / 4).into_bytes(),
            Some(reason),
        ),
        (
            "long/line.go",
            format!("package a\nvar x = {}", "x+1+".repeat(n / 4)).into_bytes(),
            Some(reason),
        ),
        (
            "long/line.java",
            format!("class A {{ int x = {}", "x+1+".repeat(n / 4)).into_bytes(),
            Some(reason),
        ),
        (
            "long/line.rs",
            format!("const A: u8 = {}", "x+1+".repeat(n / 4)).into_bytes(),
            Some(reason),
        ),
        (
            "long/globs.rs",
            (0..400)
                .map(|i| {
                    format!(
                        "mod a{i} {{ pub use super::a{}::*; fn f() {{ alpha() }} }}\n",
                        (i + 1) % 400
                    )
                })
                .collect::<String>()
                .into_bytes(),
            None,
        ),
        (
            "long/line.c",
            format!("int a = {}", "x+1+".repeat(n / 4)).into_bytes(),
            Some(reason),
        ),
        (
            "long/macros.cc",
            "FOO(a) BAR class BAZ QUX\n".repeat(n / 24).into_bytes(),
            None,
        ),
        (
            "long/partial.cs",
            (0..400)
                .map(|i| format!("partial class A : A {{ void Alpha(this A{i} a) {{ a.Alpha(); Alpha(a); }} }}\n"))
                .collect::<String>()
                .into_bytes(),
            None,
        ),
        (
            "long/generated.go",
            format!(
                "// Code generated by it. DO NOT EDIT.\npackage a\n{}",
                "func alpha() { alpha() }\n".repeat(3_000)
            )
            .into_bytes(),
            Some("generated"),
        ),
        (
            "long/overloads.java",
            (0..400)
                .map(|i| format!("class A{i} extends A {{ void alpha(A{i} a) {{ alpha(a); }} }}\n"))
                .collect::<String>()
                .into_bytes(),
            None,
        ),
        (
            "long/too-large.ts",
            CODE.repeat((3 << 20) / CODE.len()).into_bytes(),
            Some("tooLarge"),
        ),
        (
            "long/name.ts",
            format!("export const {} = 1\n", "a".repeat(wide)).into_bytes(),
            None,
        ),
        (
            "long/string.ts",
            format!("export const s = '{}'\n", "b".repeat(wide)).into_bytes(),
            Some("minified"),
        ),
        (
            "long/names.ts",
            (0..500)
                .map(|i| format!("export const {}{i} = {i}\n", "n".repeat(900)))
                .collect::<String>()
                .into_bytes(),
            None,
        ),
        ("long/words.md", "w".repeat(wide).into_bytes(), None),
        ("long/blank.ts", "\n".repeat(wide).into_bytes(), None),
        (
            "long/spaces.ts",
            format!("{}\n", " ".repeat(900))
                .repeat(wide / 900)
                .into_bytes(),
            None,
        ),
        (
            "long/cell.json",
            format!("{{\"a\": \"{}\"}}", "c".repeat(wide)).into_bytes(),
            Some("minified"),
        ),
        (
            "long/parameters.ts",
            format!(
                "export function many(\n{}) {{}}\n",
                "a,\n".repeat(wide / 30)
            )
            .into_bytes(),
            None,
        ),
        (
            "long/imports.ts",
            (0..2_000)
                .map(|i| format!("import {{ a{i} }} from './m{i}'\n"))
                .collect::<String>()
                .into_bytes(),
            None,
        ),
        (
            "long/same-name.js",
            "function alpha() { alpha() }\n".repeat(3_000).into_bytes(),
            None,
        ),
    ]
}

/// Bytes that are no plain text.
pub(super) fn encoded() -> Vec<Content> {
    let with = |bytes: &[u8]| [CODE.as_bytes(), bytes, CODE.as_bytes()].concat();
    let nfc = "export const caf\u{e9} = 1\n";
    let nfd = "export const cafe\u{301} = 1\n";
    vec![
        ("code/invalid.ts", with(b"// \xff\xfe \xc3( \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82\n"), None),
        ("code/latin1.js", with(b"// caf\xe9\n"), None),
        ("code/utf16-le-mark.ts", utf16(CODE, false, true), Some("binary")),
        ("code/utf16-be-mark.ts", utf16(CODE, true, true), Some("binary")),
        ("code/utf16-le.ts", utf16(CODE, false, false), Some("binary")),
        ("code/utf16-be.ts", utf16(CODE, true, false), Some("binary")),
        ("code/nul.ts", with(b"\0"), Some("binary")),
        ("code/late-nul.ts", [CODE.repeat(200).as_bytes(), b"\0"].concat(), None),
        ("code/bom.ts", ["\u{feff}", CODE].concat().into_bytes(), None),
        ("code/cr.ts", CODE.replace('\n', "\r").repeat(9).into_bytes(), None),
        ("code/crlf.ts", CODE.replace('\n', "\r\n").into_bytes(), None),
        ("code/mixed.ts", format!("{CODE}\r\n{CODE}\r{CODE}\n\r").into_bytes(), None),
        ("code/ls-ps.ts", CODE.replace('\n', "\u{2028}\u{2029}").repeat(9).into_bytes(), None),
        ("code/tabs.ts", "\t\t\texport const tabs = 1\n\x0b\x0c".as_bytes().to_vec(), None),
        ("code/bidi.ts", "if (a /*\u{202e} } \u{2066}if (admin)\u{2069} \u{2066} begin */) { alpha() }\n".into(), None),
        ("code/zero-width.ts", "export const a\u{200b}b\u{200d}c\u{feff}d = 1 // \u{e0041}\u{e0042}\n".into(), None),
        ("code/escapes.ts", "// \x1b]0;owned\x07 \x1b[2J\x1b[31m \u{9b}31m \x08\x7f\nexport const escapes = '\x1b[0m'\n".into(), None),
        ("code/nfc.ts", nfc.into(), None),
        ("code/nfd.ts", nfd.into(), None),
        ("code/surrogates.json", br#"{"a": "\ud800\udc00\ud800", "\udfff": 1}"#.to_vec(), None),
        ("code/empty.ts", Vec::new(), None),
        ("code/one-byte.ts", vec![0xff], None),
    ]
}

/// Configuration that means nothing, or itself.
pub(super) fn configured() -> Vec<Content> {
    let text = "s".repeat(scaled(200_000, 1_900_000));
    let file = |name, text: &str| (name, text.as_bytes().to_vec(), None);
    vec![
        file(
            "tsconfig.json",
            r#"{"extends": "./b/tsconfig.json", "compilerOptions": {"paths": {"__proto__": ["x"], "*": ["*", "../*", "/etc/*"], "constructor/*": ["a/*"]}}}"#,
        ),
        file(
            "b/tsconfig.json",
            r#"{"extends": ["../tsconfig.json", "./tsconfig.json", "/etc/passwd", "..", ""], "references": [{"path": ".."}, {"path": "."}]}"#,
        ),
        file(
            "c/tsconfig.json",
            r#"{"extends": 1, "compilerOptions": [], "files": {"a": 1}, "references": "x"}"#,
        ),
        file("d/tsconfig.json", "{{{{ // \"a\": \n"),
        ("e/tsconfig.json", vec![0xff, 0xfe, b'{', b'}'], None),
        (
            "f/tsconfig.json",
            format!("{{\"extends\": \"{text}\"}}").into_bytes(),
            Some("minified"),
        ),
        file(
            "package.json",
            r##"{"name": "__proto__", "workspaces": ["..", "/", "**", "package.json", "a/*/*/*"], "main": "../../../etc/passwd",
            "exports": {".": {"import": "./package.json", "__proto__": {"default": "../x"}}, "./*": "./*", "./a/*": "../../*"}, "imports": {"#a": "#b", "#b": "#a", "#c/*": "../*"}}"##,
        ),
        file(
            "b/package.json",
            r#"{"name": "b", "exports": {"a": {"a": {"a": {"a": "./self"}}}}, "dependencies": {"b": "*"}}"#,
        ),
        file(
            "c/package.json",
            r#"{"name": 1, "exports": [[[[[null]]]], "workspaces": {"packages": 3}, "hasOwnProperty": 1}"#,
        ),
        file("d/package.json", "null"),
        (
            "g/package.json",
            format!("{{\"name\":\n\"{}\"}}", "[\n".repeat(20_000)).into_bytes(),
            None,
        ),
        file(
            "pnpm-workspace.yaml",
            "packages:\n  - '**'\n  - '../..'\n  - *a\n  - &a [*a]\n",
        ),
        file(
            ".codelens.toml",
            "exclude = [\"[\", \"**/**/**/**/**/**/a\"]\nmaxFileBytes = -1\n",
        ),
        file(
            "use.ts",
            "import a from '#a'; import b from 'b/__proto__'; import c from '__proto__'; import d from './b'; import e from 'constructor/x';\nimport f from '../../../../etc/passwd'; import g from '/etc/passwd'; import h from ''; import i from '#c/x'; require('b'); a(b, c, d, e, f, g, h, i)\n",
        ),
    ]
}

/// Names that a shell, a URL or another system would stumble over.
pub(super) fn names() -> Vec<Vec<u8>> {
    let long = "n".repeat(240) + ".ts";
    let mut names: Vec<Vec<u8>> = [
        "with space.ts",
        "new\nline.ts",
        "quote'\".ts",
        "-dash.ts",
        "--help",
        "caf\u{e9}.ts",
        "cafe\u{301}.ts",
        "CON.ts",
        "aux",
        "nul.js",
        "a:b.ts",
        "back\\slash.ts",
        "star*.ts",
        "[bracket].ts",
        "{brace}.ts",
        "dollar$(x).ts",
        "`tick`.ts",
        "semi;colon.ts",
        "percent%2e.ts",
        "hash#a.ts",
        "question?.ts",
        "trailing.",
        "trailing ",
        "\u{202e}st.exe",
        "zero\u{200b}.ts",
        "tab\t.ts",
        "esc\x1b[31m.ts",
        "...",
        "~",
        "a.ts~",
        "rel:a.ts",
        "sym_0123456789abcdef",
        "1-2",
        "Case.ts",
        "case.ts",
        ".gitmodules",
        "@x.ts",
        "10",
        long.as_str(),
    ]
    .iter()
    .map(|name| name.as_bytes().to_vec())
    .collect();
    names.push(b"bytes\xff\xfe.ts".to_vec());
    names.push(b"\xc3(.js".to_vec());
    names
}

/// Writes files below `root`.
pub(super) fn write(root: &Path, contents: &[Content]) {
    for (name, bytes, _) in contents {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Writes a file for each name below `root`.
pub(super) fn write_names(root: &Path) {
    std::fs::create_dir_all(root).unwrap();
    for (n, name) in names().iter().enumerate() {
        let path = root.join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, format!("export const alpha{n} = {n}\n")).unwrap();
    }
}

/// Makes entries that are neither files nor directories below `root`, and links to `outside`. Returns how many links and how many
/// special files there are.
pub(super) fn write_specials(root: &Path, outside: &Path) -> (u64, u64) {
    std::fs::create_dir_all(root).unwrap();
    let link = |to: &Path, name: &str| symlink(to, root.join(name)).unwrap();
    link(Path::new("loop-b"), "loop-a");
    link(Path::new("loop-a"), "loop-b");
    link(Path::new("self"), "self");
    link(Path::new("."), "here");
    link(Path::new(".."), "up");
    link(outside, "out");
    link(&outside.join("secret.ts"), "out.ts");
    link(Path::new("/"), "root");
    link(Path::new("/etc/passwd"), "passwd.ts");
    link(Path::new("/proc/self/environ"), "environ.ts");
    link(Path::new("/dev/zero"), "zero.ts");
    link(Path::new("../.git/config"), "config.ts");
    let mut n_specials = 0;
    let mut made = |program: &str, args: &[&str]| {
        let status = Command::new(program).args(args).current_dir(root).status();
        n_specials += u64::from(status.is_ok_and(|status| status.success()));
    };
    made("mkfifo", &["pipe.ts"]);
    made("mknod", &["null.ts", "c", "1", "3"]);
    let socket = std::os::unix::net::UnixListener::bind(root.join("socket.ts"));
    (12, n_specials + u64::from(socket.is_ok()))
}

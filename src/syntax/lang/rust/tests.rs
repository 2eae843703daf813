//! The facts of single files of Rust.

use crate::ir::{FileFacts, ImportKind};
use crate::model::{Budget, SymbolFlags};
use crate::syntax::OccurrenceRole;

fn facts(source: &str) -> FileFacts {
    let budget = Budget::unlimited(std::sync::Arc::default());
    super::FRONTEND.read(source, &budget).unwrap().facts
}

#[test]
fn symbols_have_the_kinds_of_what_they_declare() {
    let facts = facts(
        "//! The store.\n\n/// Keeps rows.\n#[derive(Clone)]\npub struct Store<K> { pub db: Db, n: u32 }\n\
         pub enum Kind {\n\t/// First.\n\tA, B(u32) }\npub union Bits { a: u8 }\npub trait Open: Send {\n\tfn open(&self) -> u32;\n\tfn name(&self) {}\n}\n\
         type Alias = Store<u32>;\npub const LIMIT: usize = 5;\nstatic mut COUNT: u32 = 0;\n\
         impl<K> Store<K> {\n\tpub const MAX: u8 = 1;\n\t/** Makes. */\n\tpub fn new() -> Self { fn inner() {} inner() }\n\tfn hide(self) {}\n}\n\
         impl<K> Open for Store<K> { fn open(&self) -> u32 { 1 } }\npub(crate) fn near() {}\n\
         pub mod sub { pub fn far() {} }\n#[macro_export]\nmacro_rules! log { () => {} }\n\
         #[cfg(test)]\nmod tests { #[tokio::test(flavor = \"x\")] async fn works() {} }\n",
    );
    let found: Vec<String> = facts
        .symbols
        .iter()
        .map(|it| {
            let mark = if it.exported { "+" } else { "-" };
            format!(
                "{mark} {} {}: {}",
                it.kind.as_str(),
                it.qualified_name,
                it.signature
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "+ class Store: pub struct Store<K>",
            "+ enum Kind: pub enum Kind",
            "+ enumMember Kind.A: A",
            "+ enumMember Kind.B: B",
            "+ class Bits: pub union Bits",
            "+ interface Open: pub trait Open: Send",
            "+ method Open.open: fn open(&self) -> u32",
            "+ method Open.name: fn name(&self)",
            "- type Alias: type Alias = Store<u32>",
            "+ constant LIMIT: pub const LIMIT: usize = 5",
            "- variable COUNT: static mut COUNT: u32 = 0",
            "+ constant Store.MAX: pub const MAX: u8 = 1",
            "+ method Store.new: pub fn new() -> Self",
            "- function Store.new.inner: fn inner()",
            "- method Store.hide: fn hide(self)",
            "+ method Store.open: fn open(&self) -> u32",
            "- function near: pub(crate) fn near()",
            "+ namespace sub: pub mod sub",
            "+ function sub.far: pub fn far()",
            "+ macro log: macro_rules! log",
            "- namespace tests: mod tests",
            "- function tests.works: async fn works()",
        ]
    );
    assert_eq!(facts.symbols[0].doc, "Keeps rows.");
    assert_eq!(facts.symbols[0].span.start_line, 4);
    assert_eq!(facts.symbols[2].doc, "First.");
    assert_eq!(facts.symbols[12].doc, "Makes.");
    let tests = facts.symbols.iter();
    let tests = tests.filter(|it| it.flags.contains(SymbolFlags::TEST));
    assert_eq!(
        tests.map(|it| it.name.as_str()).collect::<Vec<_>>(),
        ["works"]
    );
}

#[test]
fn paths_of_use_are_seen_from_the_file() {
    let facts = facts(
        "mod a;\nuse a::X;\nuse crate::{b::{self, Y as Z}, c::*};\npub use super::d::W;\nuse Kind::*;\nenum Kind {}\n\
         use std::io as stdio;\nuse stdio::Read;\nmod tests {\n\tuse super::*;\n\tuse super::a::V;\n\tuse super::super::e::U;\n\tmod g;\n}\n",
    );
    let found: Vec<String> = facts
        .imports
        .iter()
        .filter(|it| it.kind != ImportKind::Scope)
        .map(|it| {
            let names: Vec<String> = it
                .names
                .iter()
                .map(|name| format!("{}={}", name.local, name.imported))
                .collect();
            format!("{} {} {}", it.line, it.specifier, names.join(","))
        })
        .collect();
    assert_eq!(
        found,
        [
            "1 mod a a=*",
            "2 self::a::X X=X",
            "3 crate::b b=b",
            "3 crate::b::Y Z=Y",
            "3 crate::c =*",
            "4 super::d::W W=W",
            "5 self::Kind =*",
            "7 std::io stdio=io",
            "8 std::io::Read Read=Read",
            "11 self::a::V V=V",
            "12 super::e::U U=U",
            "13 mod tests::g tests.g=*",
        ]
    );
}

#[test]
fn broken_and_deep_code_is_read_as_far_as_it_goes() {
    for source in [
        "",
        "fn",
        "impl",
        "impl X for { fn }",
        "use ;",
        "use a::{b::{c::{",
        "mod",
        "fn f( { x!(( }",
        "struct S { a: struct {",
        "fn é() { é!(é.é()) }",
        "macro_rules! { }",
        "fn f() { let (a, = b; match { } }",
        "#[path = ] mod x;",
    ] {
        facts(source);
    }
    for (open, close) in [
        ("(", ")"),
        ("a!(", ")"),
        ("{", "}"),
        ("f(", ")"),
        ("|x| ", ""),
        ("&", ""),
    ] {
        let deep = format!(
            "fn f() {{ {}1{} }}\n",
            open.repeat(3_000),
            close.repeat(3_000)
        );
        facts(&deep);
    }
    facts(&format!(
        "type T = {}u8{};",
        "Vec<".repeat(3_000),
        ">".repeat(3_000)
    ));
    facts(&format!("use {}x;", "a::".repeat(3_000)));
    facts(&format!(
        "use {}x{};",
        "{a, ".repeat(3_000),
        "}".repeat(3_000)
    ));
    facts(&format!("fn f() {{ a{}; }}", ".b()".repeat(3_000)));
}

#[test]
fn a_name_of_a_use_belongs_to_the_import_with_its_alias() {
    let budget = Budget::unlimited(std::sync::Arc::default());
    let source = "use a::{\n    b::open as first,\n    c::open as second,\n    d::open,\n};\n";
    let language = crate::syntax::by_id("rust").unwrap();
    let found = crate::syntax::occurrences(language, source, "open", &budget).unwrap();
    let facts = facts(source);
    let named: Vec<_> = found
        .places
        .iter()
        .map(|place| match place.role {
            OccurrenceRole::Import { import, .. } => {
                facts.imports[import as usize].names[0].local.as_str()
            }
            _ => "",
        })
        .collect();
    assert_eq!(named, ["first", "second", "open"]);
}

//! The facts of single files of Go.

use crate::ir::FileFacts;
use crate::model::Budget;

fn facts(source: &str) -> FileFacts {
    let budget = Budget::unlimited(std::sync::Arc::default());
    super::FRONTEND.read(source, &budget).unwrap().facts
}

fn symbols(source: &str) -> Vec<String> {
    let facts = facts(source);
    let all = facts.symbols.iter();
    all.map(|it| {
        let mark = if it.exported { "+" } else { "-" };
        format!(
            "{mark} {} {}: {}",
            it.kind.as_str(),
            it.qualified_name,
            it.signature
        )
    })
    .collect()
}

#[test]
fn symbols_have_the_kinds_of_what_they_declare() {
    let found = symbols(
        "package store\n\n// Store keeps.\ntype Store[K comparable] struct {\n\t*Base\n\tn int\n}\n\
         type Opener interface {\n\tOpen(name string) error\n}\ntype (\n\tAlias = Store[int]\n\tnames []string\n)\n\
         const A, b = 1, 2\nvar C = Open()\nfunc Open() *Store[int] { return nil }\n\
         func (s *Store[K]) Close() (err error) { type local int; return }\nfunc (n names) len() int { return 0 }\n",
    );
    assert_eq!(
        found,
        [
            "+ class Store: type Store[K comparable] struct",
            "- field Store.n: n int",
            "+ interface Opener: type Opener interface",
            "+ method Opener.Open: Open(name string) error",
            "+ type Alias: type Alias = Store[int]",
            "- class names: type names []string",
            "+ constant A: const A, b = 1, 2",
            "- constant b: const A, b = 1, 2",
            "+ variable C: var C = Open()",
            "+ function Open: func Open() *Store[int]",
            "+ method Store.Close: func (s *Store[K]) Close() (err error)",
            "- method names.len: func (n names) len() int",
        ]
    );
    let facts = facts("package a\n\n// Doc.\n//\n//nolint\nfunc F() {}\n");
    assert_eq!(facts.symbols[0].doc, "Doc.");
    assert_eq!(facts.units, ["a"]);
}

#[test]
fn imports_are_known_by_alias_or_usual_name() {
    let facts = facts(
        "package a\nimport \"fmt\"\nimport (\n\tx \"a/b\"\n\t_ \"c\"\n\t. \"d\"\n\t\"gopkg.in/yaml.v3\"\n\t\"e/go-redis/v9\"\n)\n",
    );
    let names: Vec<(&str, Vec<&str>)> = facts
        .imports
        .iter()
        .map(|it| {
            (
                it.specifier.as_str(),
                it.names.iter().map(|name| name.local.as_str()).collect(),
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            ("fmt", vec!["fmt"]),
            ("a/b", vec!["x"]),
            ("c", vec![]),
            ("d", vec![]),
            ("gopkg.in/yaml.v3", vec!["yaml"]),
            ("e/go-redis/v9", vec!["redis"]),
        ]
    );
}

#[test]
fn broken_and_deep_code_is_read_as_far_as_it_goes() {
    for source in [
        "",
        "package",
        "func (",
        "package a\nfunc f( { x := \n}",
        "package a\ntype T struct { a struct { b struct {",
        "package a\nfunc (x) m() {}\nfunc (x 1) m() {}\nvar , = \nimport 5\n",
        "package é\nfunc é() { é.é() }",
    ] {
        facts(source);
    }
    let deep = format!(
        "package a\nvar x = {}1{}\n",
        "(".repeat(5_000),
        ")".repeat(5_000)
    );
    facts(&deep);
    let calls = format!("package a\nvar x = f{}\n", "()".repeat(5_000));
    facts(&calls);
}

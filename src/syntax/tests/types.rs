//! The value that a written type describes, in code and in comments.

use super::owned;

/// Types as they stand in code and in comments, with what they say.
const TYPES: &[(&str, &str)] = &[
    (": Foo", "type Foo"),
    ("Foo | null | undefined", "type Foo"),
    ("| Foo\n  | null", "type Foo"),
    ("Foo | Bar", "type Foo | type Bar"),
    ("Foo | string | (() => Bar)", "type Foo | gives Bar"),
    ("(Foo | Bar) & { a: Baz }", "type Foo | type Bar"),
    ("Foo | Foo[]", "type Foo | element Foo"),
    ("Promise<Foo | void>", "type Foo"),
    ("Foo<Bar, Baz<Qux>>", "type Foo<Bar,Baz<Qux>>"),
    (
        "Foo<string, Bar[] | Baz>[]",
        "element Foo<,element Bar | type Baz>",
    ),
    ("Foo<string, () => Bar>", "type Foo<,gives Bar>"),
    ("Foo<string>", "type Foo<>"),
    ("ns.Foo", "type ns.Foo"),
    ("Foo[]", "element Foo"),
    ("readonly (Foo | null)[]", "element Foo"),
    ("Set<Foo>", "element Foo"),
    ("Map<string, Foo<X>>", "element Foo<X>"),
    ("Record<string, Foo>", "keyed Foo"),
    ("{ [key: string]: Foo | undefined }", "keyed Foo"),
    ("{ readonly [K in Keys]?: Foo<K>; }", "keyed Foo<K>"),
    ("{ [key: string]: Foo; bar: Baz }", ""),
    ("{ [Symbol.iterator]: Foo }", ""),
    ("Foo & { [symbol]: Bar }", "type Foo"),
    ("Record<string, Foo>[string]", "type Foo"),
    ("Record<string, Foo> & { bar: Baz }", ""),
    ("Record<string, Foo> | Bar", "keyed Foo | type Bar"),
    ("Foo[][]", ""),
    ("Array<{ a: Foo }>", ""),
    ("() => Foo", "gives Foo"),
    ("(a: A) => Promise<Foo | void>", "gives Foo"),
    ("() => void", ""),
    ("() => () => Foo", ""),
    ("<T>(a: T) => Foo", ""),
    ("(a: Foo) => Bar", "gives Bar"),
    ("((a: Foo) => Bar)[]", ""),
    ("string", ""),
    ("{ a: Foo }", ""),
    ("x is Foo", ""),
    ("A extends B ? C : D", "type C | type D"),
    (
        "A extends B ? C[] : A extends E ? never : D | null",
        "element C | type D",
    ),
    ("A extends { b?: B } ? string : D", "type D"),
    ("A extends (infer B)[] ? B : D", ""),
    ("A extends B ? (c: C) => D : E", "gives D | type E"),
    ("Foo<A extends B ? C : D>", "type Foo<C | type D>"),
    ("A | (B extends C ? D : E)", "type A | type D | type E"),
    ("Foo & { a: 1 }", "type Foo"),
    ("Foo & Bar", "type Foo | type Bar"),
    ("typeof foo.bar", "value foo.bar"),
    ("InstanceType<typeof Foo>", "type Foo"),
    ("ReturnType<typeof f>", "call f"),
    ("Foo['bar']", "type Foo:bar"),
    ("Foo[number]", "type Foo:[]"),
    ("this", "value this"),
    ("import(\"./a\")", "import * from ./a"),
];

/// Types as they stand in comments alone.
const DOC_TYPES: &[(&str, &str)] = &[
    ("Foo<", ""),
    ("Foo-bar", ""),
    ("function(Foo): Bar", ""),
    ("module:foo.Bar", ""),
    ("*", ""),
    ("Promise.<Array.<Foo>>", "element Foo"),
    ("{\n * [key: string]:\n *   Foo\n * }", "keyed Foo"),
    ("", ""),
    ("import('./a').Foo<Bar>", "import Foo from ./a"),
    ("?Foo", "type Foo"),
    ("!Foo=", "type Foo"),
    ("Array.<Foo>", "element Foo"),
    ("...Foo", "element Foo"),
];

fn said_in(file: &str, source: &str) -> String {
    let all = owned(file, source);
    let said = all.lines().find_map(|line| line.strip_prefix("I a: "));
    said.unwrap_or_default().to_owned()
}

#[test]
fn a_type_is_one_name_or_nothing() {
    let before = "import { foo } from 'm';\nfunction f() {}\n";
    for (text, expected) in TYPES.iter().chain(DOC_TYPES) {
        let text = text.trim_start_matches(':');
        let source = format!("{before}class I {{\n/** @type {{{text}}} */\na = null }}");
        assert_eq!(said_in("a.js", &source), *expected, "{text} in a comment");
    }
    for (text, expected) in TYPES {
        let text = text.trim_start_matches(':');
        let source = format!("{before}interface I {{ a: {text} }}");
        assert_eq!(said_in("a.ts", &source), *expected, "{text}");
    }
}

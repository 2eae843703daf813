//! What a written type says about a value, read from its text alone.
//!
//! Knows the words for "one of these, or nothing" and "many of these" in TypeScript and in doc comments.
//! Refuses to know what a name stands for.

use super::brackets::{branches, pieces, result, split};
use super::imports::imported;
use super::origin::HintKind;
use super::origin::Origin;
use super::uses::is_chain;

/// Longest type that is read.
const TYPE_BYTES: usize = 400;
/// Longest literal type whose members are read.
const LITERAL_BYTES: usize = 8_000;
/// Types inside types that are looked at.
const TYPE_DEPTH: usize = 6;
/// Types of the language that have no members anyone defines.
const PLAIN: &[&str] = &[
    "string",
    "number",
    "boolean",
    "bigint",
    "symbol",
    "any",
    "unknown",
    "never",
    "void",
    "null",
    "undefined",
    "object",
    "true",
    "false",
    "Object",
    "Function",
    "Array",
    "Date",
    "RegExp",
    "Error",
    "String",
    "Number",
    "Boolean",
    "const",
];
/// Types that are, to a reader, the first type they are given.
const TRANSPARENT: &[&str] = &[
    "Promise",
    "PromiseLike",
    "Awaited",
    "Readonly",
    "Partial",
    "Required",
    "NonNullable",
    "Omit",
    "Pick",
    "ThisType",
    "NoInfer",
];
/// Types that hold many of the first type they are given.
const MANY_FIRST: &[&str] = &[
    "Array",
    "ReadonlyArray",
    "Set",
    "ReadonlySet",
    "WeakSet",
    "Iterable",
    "Iterator",
    "IterableIterator",
    "AsyncIterable",
    "AsyncIterableIterator",
    "Generator",
    "AsyncGenerator",
    "ArrayLike",
];
/// Types that hold many of the second.
const MANY_SECOND: &[&str] = &["Map", "ReadonlyMap", "WeakMap"];
/// Types whose members are of the second, by any name.
const KEYED: &[&str] = &["Record", "Object", "object"];

/// Returns what a type says about a value of it; `None` where that is no single thing with a name.
pub(super) fn of_type(text: &str) -> Option<Origin<'_>> {
    let text = text.trim_start();
    let text = text.strip_prefix(':').unwrap_or(text);
    if text.len() > TYPE_BYTES {
        return None;
    }
    read(text, 0)
}

/// Returns whether a class of the language's own says by what it is given what it holds or promises.
pub(super) fn is_holder(class: &str) -> bool {
    class == "Promise" || MANY_FIRST.contains(&class) || MANY_SECOND.contains(&class)
}

/// Returns what holds values of a type by any name.
pub(super) fn keyed(text: &str) -> Option<Origin<'_>> {
    held(of_type(text)?, HintKind::Keyed)
}

/// Returns whether a generic type is, to a reader, the first type that it is given.
pub(super) fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name)
}

/// Returns the members of the literal types in an intersection, each with its type.
pub(super) fn members_of(text: &str) -> Vec<(&str, &str)> {
    if text.len() > LITERAL_BYTES {
        return Vec::new();
    }
    let parts = split(text, b'&').unwrap_or_else(|| vec![text]);
    let literals = parts.into_iter().filter_map(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.strip_prefix('{')?.strip_suffix('}')
    });
    let members = literals.flat_map(pieces);
    members
        .filter_map(|member| {
            let (key, written) = member.split_once(':')?;
            // Lines of a comment begin with a star.
            let key = key.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '?' | '"'));
            is_chain(key).then_some((key, written))
        })
        .collect()
}

fn read(text: &str, depth: usize) -> Option<Origin<'_>> {
    if depth > TYPE_DEPTH {
        return None;
    }
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("...") {
        return many(read(rest, depth + 1)?);
    }
    // `!T`, `?T` and `T=` stand in doc comments.
    let text = text.trim_start_matches(['!', '?', '|', '&']);
    let text = text.trim_end_matches(['=', '!', '?']).trim();
    if text.is_empty() {
        return None;
    }
    if text.starts_with('{') {
        return by_any_name(text, depth);
    }
    if text.starts_with('(')
        && let Some(result) = result(text)
    {
        return held(read(result, depth + 1)?, HintKind::Gives);
    }
    if let Some(branches) = branches(text) {
        return one_of(&branches, depth);
    }
    for mark in [b'|', b'&'] {
        let parts = split(text, mark)?;
        if parts.len() > 1 {
            return one_of(&parts, depth);
        }
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return read(inner, depth + 1);
    }
    for word in ["readonly ", "asserts "] {
        if let Some(rest) = text.strip_prefix(word) {
            return read(rest, depth + 1);
        }
    }
    if let Some(rest) = text.strip_prefix("typeof ") {
        let value = read(rest, depth + 1)?;
        return Some(value.turned(HintKind::Type, HintKind::Value));
    }
    if let Some(rest) = text.strip_suffix(']') {
        return indexed(rest, depth);
    }
    if text.starts_with("import(") {
        return imported(text);
    }
    if let Some(rest) = text.strip_suffix('>') {
        return generic(rest, depth);
    }
    if text == "this" {
        return Some(Origin::new(HintKind::Value, "this"));
    }
    (is_chain(text) && !PLAIN.contains(&text)).then(|| Origin::new(HintKind::Type, text))
}

/// What has a name among the parts of a union or an intersection: a part that is a plain value, a literal or
/// a function has no members that anyone defines.
fn one_of<'a>(parts: &[&'a str], depth: usize) -> Option<Origin<'a>> {
    let parts = parts.iter().filter(|part| !is_nothing(part.trim()));
    named(parts.copied(), depth + 1).reduce(Origin::or)
}

/// What of the parts has a name: members by any name only where no other part may declare members.
fn named<'a>(
    parts: impl Iterator<Item = &'a str> + Clone,
    depth: usize,
) -> impl Iterator<Item = Origin<'a>> {
    let mut others = parts.clone();
    let is_open = others.any(|part| part.contains('{') && read(part, depth).is_none());
    parts
        .filter_map(move |part| read(part, depth))
        .filter(move |one| !is_open || one.kind != HintKind::Keyed)
}

fn many(one: Origin<'_>) -> Option<Origin<'_>> {
    held(one, HintKind::Element)
}

fn held(one: Origin<'_>, kind: HintKind) -> Option<Origin<'_>> {
    let plain = one.is_plain(HintKind::Type);
    plain.then_some(Origin { kind, ..one })
}

/// `{ [key: string]: T }`, `{ [K in Keys]?: T }`
fn by_any_name(text: &str, depth: usize) -> Option<Origin<'_>> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?;
    let members = pieces(inside).into_iter().map(str::trim);
    let mut members = members.filter(|member| !member.is_empty());
    let (member, None) = (members.next()?, members.next()) else {
        return None;
    };
    let member = member.strip_prefix("readonly ").unwrap_or(member);
    let (key, rest) = member.trim_start().strip_prefix('[')?.split_once(']')?;
    // `[symbol]: T` is one member, under a name that is computed.
    if !key.contains(':') && !key.contains(" in ") {
        return None;
    }
    let written = rest.trim_start_matches(['?', '+', '-', ' ']);
    held(
        read(written.strip_prefix(':')?, depth + 1)?,
        HintKind::Keyed,
    )
}

/// `T[]`, `T['a']`, `T[number]`; `text` is without its last bracket.
fn indexed(text: &str, depth: usize) -> Option<Origin<'_>> {
    let (object, index) = text.rsplit_once('[')?;
    let index = index.trim();
    let object = read(object, depth + 1)?;
    if index.is_empty() {
        return many(object);
    }
    if matches!(index, "number" | "string") {
        return Some(object.then("[]"));
    }
    let quoted = index.trim_matches(['"', '\'']);
    (quoted.len() + 2 == index.len() && is_chain(quoted)).then(|| object.then(quoted))
}

/// `T<U, V>`; `text` is without its last bracket.
fn generic(text: &str, depth: usize) -> Option<Origin<'_>> {
    let (name, arguments) = text.split_once('<')?;
    let name = name.trim().trim_end_matches('.');
    let argument = |at: usize| {
        let all = split(arguments, b',')?;
        read(all.get(at)?, depth + 1)
    };
    if TRANSPARENT.contains(&name) {
        return argument(0);
    }
    if MANY_FIRST.contains(&name) {
        return many(argument(0)?);
    }
    if MANY_SECOND.contains(&name) {
        return many(argument(1)?);
    }
    if KEYED.contains(&name) {
        return held(argument(1)?, HintKind::Keyed);
    }
    match name {
        "InstanceType" => {
            let class = argument(0)?;
            class.is_plain(HintKind::Value).then_some(Origin {
                kind: HintKind::Type,
                ..class
            })
        }
        "ReturnType" => Some(argument(0)?.then("()")),
        _ => (is_chain(name) && !PLAIN.contains(&name)).then(|| {
            let given = pieces(arguments)
                .into_iter()
                .map(|one| read(one, depth + 1));
            Origin::new(HintKind::Type, name).given(given)
        }),
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "null" | "undefined" | "void" | "never" | "false" | "")
}

#[cfg(test)]
mod tests {
    use super::of_type;

    #[test]
    fn a_type_is_one_name_or_nothing() {
        for (text, expected) in [
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
            ("import('./a').Foo<Bar>", "import Foo from ./a"),
            ("import(\"./a\")", "import * from ./a"),
            ("?Foo", "type Foo"),
            ("!Foo=", "type Foo"),
            ("Array.<Foo>", "element Foo"),
            ("...Foo", "element Foo"),
            ("Foo<", ""),
            ("", ""),
        ] {
            let found = of_type(text).map_or(String::new(), |origin| {
                format!("{} {}", origin.kind.as_str(), origin.text())
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}

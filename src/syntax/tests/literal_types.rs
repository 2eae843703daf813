//! Types that are written out inside others: which definitions they make, and what is known of their members.

use super::{owned, same, symbols};

#[test]
fn what_a_type_is_made_of_are_its_own_members() {
    let source = "\
type Both = A & { b: B; c(): C } & ({ d: D });
type Frozen = Readonly<{ e: E }>;
type Nested = Partial<Readonly<A & { f: F }>>;
interface Heir extends A, Readonly<Omit<B, 'x'> & {
  /** where's it; this, that: all */
  g: G // it's; here: there
}> { h: H }
";
    same(
        &symbols("a.ts", source),
        "type Both 1-1
         property Both.b 1-1 ^Both
         method Both.c 1-1 ^Both
         property Both.d 1-1 ^Both
         type Frozen 2-2
         property Frozen.e 2-2 ^Frozen
         type Nested 3-3
         property Nested.f 3-3 ^Nested
         interface Heir 4-7
         property Heir.g 6-6 ^Heir
         property Heir.h 7-7 ^Heir",
    );
    same(
        &owned("a.ts", source),
        "Both extends: base A
         Both b: type B
         Both.c return: type C
         Both d: type D
         Frozen e: type E
         Nested extends: base A
         Nested f: type F
         Heir extends: base A
         Heir extends: base B
         Heir g: type G
         Heir h: type H",
    );
}

#[test]
fn a_member_that_only_some_values_have_is_known_and_no_definition() {
    let source = "\
type Either = { kind: 'a'; s: S } | { kind: 'b'; s: S; t: T };
type Mixed = A & ({ u: U } | { v: V });
interface Deep { a: { b: { s: S }; t?: T } }
class C { o: { s: S } = make(); p?: Readonly<{ t: T }>; m(): { x: X } {} }
";
    same(
        &symbols("a.ts", source),
        "type Either 1-1
         type Mixed 2-2
         interface Deep 3-3
         property Deep.a 3-3 ^Deep
         class C 4-4
         field C.o 4-4 ^C
         field C.p 4-4 ^C
         method C.m 4-4 ^C",
    );
    same(
        &owned("a.ts", source),
        "Either s: type S
         Either t: type T
         Mixed extends: base A
         Mixed u: type U
         Mixed v: type V
         Deep.a b.s: type S
         Deep.a t: type T
         C.o s: type S
         C.p t: type T",
    );
}

#[test]
fn what_stands_in_a_type_without_being_part_of_it_gives_it_nothing() {
    let source = "\
type Held = Map<string, { a: A }> & Pick<B, 'x' | 'y'> & Omit<C, keyof { d: D }>;
type Call = (o: { e: E }) => { f: F };
type Listed = Array<{ g: G }>;
type Mapped = { [K in keyof H]: { i: I } };
type Cond = J extends { k: K } ? { l: L } : { m: M };
interface Heir extends Map<string, { n: N }> {}
const cast = x as { o: O };
";
    same(
        &symbols("a.ts", source),
        "type Held 1-1
         type Call 2-2
         type Listed 3-3
         type Mapped 4-4
         type Cond 5-5
         interface Heir 6-6
         constant cast 7-7",
    );
    let known = owned("a.ts", source);
    let members = ["a", "d", "e", "f", "g", "i", "k", "l", "m", "n", "o"];
    for member in members {
        assert!(!known.contains(&format!(" {member}: ")), "{known}");
    }
}

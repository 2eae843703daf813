//! The values that local names and expressions are followed to.

use super::{locals, owned, read, same};
use crate::ir::Slot;

#[test]
fn elements_and_promises_hand_on_what_they_hold() {
    let source = "\
import { xs, p, T } from 'm';
function f(as: A[], m: Map<string, B>) {
  for (const a of as) { a.x() }
  for (const k in as) { k.x() }
  for (const { c } of xs) { c.x() }
  as.forEach(d => d.x());
  as.filter(Boolean).map((e: E) => e.x());
  xs.some(function (g) { g.x() });
  m.forEach(h => { h.x() });
  p.then(({ i }) => i.x());
  this.ys.map(y => y.x());
  for (const z of Array.from(m)) z.x();
  as.sort((r, s) => r.x() - s.x());
  as.reduce((t, u) => t.x(u.x()), new T());
  xs.reduceRight((v, w) => v.x(w.x()));
}
";
    same(
        &locals("a.ts", source),
        ".x: type A
         .x: -
         .c: value xs:[]
         .x: value xs:[].c
         .forEach: element A
         .map: element A:filter.()
         .filter: element A
         .x: type E
         .x: value xs:[]
         .forEach: element B
         .x: type B
         .i: value p
         .x: value p.i
         .x: value this.ys:[]
         .sort: element A
         .reduce: element A
         .x: new T",
    );
}

#[test]
fn what_an_object_is_said_to_be_is_expected_of_its_functions() {
    let source = "\
export const a = { on: (b) => b.x() } as A;
export function f() { return { on(c) { c.x() } } satisfies B }
export const d = { on: e => e.x() } as const;
";
    same(
        &locals("a.ts", source),
        ".on: type A
         .x: type A:on.(0)
         .on: type B
         .x: type B:on.(0)
         .x: -",
    );
}

#[test]
fn names_of_one_spelling_are_told_apart_by_their_scopes() {
    let source = "\
import { A, B, store } from 'm';
describe('a', () => { const x = new A(); x.run() });
describe('b', () => { const x = new B(); x.run() });
function f(store: A) { store.open(); return () => { const store = new B(); store.open() } }
function g(store) { store.open(); store() }
function h() { let x = new A(); function i(x) { x.run() } x.run(); i(x) }
function j() { let x; x = new A(); x.run(); var y = new A(); var y = new B(); y.run() }
store.open();
";
    same(
        &locals("a.ts", source),
        ".run: new A
         .run: new B
         .open: type A
         .open: new B
         .open: -
         .run: -
         .run: new A
         i: = h.i
         .run: new A
         .run: new A | new B",
    );
    let facts = read("a.ts", source).facts;
    let is_owned = |slot| matches!(slot, Some((_, Slot::Return | Slot::Param(0))));
    let mut bindings = facts.bindings.iter();
    assert!(bindings.all(|binding| is_owned(facts.exprs.last(binding.path))));
}

#[test]
fn a_local_alias_of_a_function_can_be_called() {
    let source = "\
import { g, C, use } from 'm';
function f(cb: Cb) {
  const a = g, b = a, { open } = use(), K = C;
  function inner() {}
  const d = inner;
  a(); b(1); open(); new K(); cb(); d(); inner.call(); d.call();
}
function lazy() { const { x, y: z } = require('./m'); const m = require('./n'); x(); z.w(); m.q() }
async function late() { const m = await import('./o'); m.q(); const { r } = await import('./p'); r() }
";
    same(
        &locals("a.ts", source),
        ".open: call use
         inner: = f.inner
         a: value g
         b: value g
         open: call use:open
         K: value C
         d: value inner of f.inner
         .call: value inner of f.inner
         .call: value inner of f.inner
         x: import x from ./m
         .w: import y from ./m
         z: import y from ./m
         .q: import * from ./n
         .q: import * from ./o
         r: import r from ./p",
    );
}

#[test]
fn this_is_that_of_the_symbol_or_unknown() {
    let source = "\
class C {
  m() {
    const self = this, { db } = this;
    this.a(); self.b(); db.c(); this.db.d();
    on(function () { this.e(); self.f() });
    on(() => this.g());
    on(function () { this.h() }.bind(this));
    on({ i() { this.j() } });
  }
}
function typed(this: C) { this.m() }
";
    same(
        &locals("a.ts", source),
        ".db: value this
         .b: value this
         .c: value this.db
         .e: -
         .f: value this
         .bind: -
         .i: -
         .j: -
         .m: type C",
    );
}

#[test]
fn type_parameters_are_what_bounds_them() {
    let source = "\
class C<T extends A> { x: T; m<U extends B, V>(u: U, v: V, t: T) { u.a(); v.a(); t.a() } }
";
    same(
        &owned("a.ts", source),
        "C %0: type A
         C x: type %0
         C.m (0): type B
         C.m (2): type %0",
    );
    same(&locals("a.ts", source), ".a: type B\n .a: -\n .a: type %0");
}

#[test]
fn what_a_type_is_given_stands_with_it() {
    let source = "\
class List<T, U = D> extends Base<T> implements I<Map<string, U>> {
  all: T[];
  first(): T | undefined {}
  by<V>(v: V): List<V, U> {}
  each(cb: (one: T, as: (two: U) => void) => void) {}
  inner() { class Own<T> { x: T }; class Other<W> { y: T } return (t: T) => t.x() }
}
type Alias<T> = () => List<T>;
class Made { list = new List<A.B, C[]>(); kept: Record<string, List<A | B>>; plain: List<string> }
";
    same(
        &owned("a.ts", source),
        "List extends: base Base<%0>
         List implements: base I<element %1>
         List %1=: type D
         List all: element %0
         List.first return: type %0
         List.by ^0: value &0
         List.by return: type List<^0,%1>
         List.each (0).(0): type %0
         List.each (0).(1).(0): type %1
         List.inner.Own x: type %0
         Alias extends: gives List<%0>
         Made list: new List<A.B,element C>
         Made kept: keyed List<A | type B>
         Made plain: type List<>",
    );
    same(&locals("a.ts", source), ".x: type %0");
}

#[test]
fn what_a_call_is_given_stands_with_it_where_it_has_a_name() {
    let source = "\
import { A, f, ns } from 'm';
function own<T extends A, U>(a: Type<T>, b: () => U, c: T[]): Map<T, U> {}
function plain<T>(a: T): void {}
function g(local) {
  class Inner {}
  f(new A()).x(); f(ns.B, 'a', A).y(); f<A, string>(local).z(); f(new Inner(), local, a).w(); f(new local.C()).v();
  f(new A(), ...local).u();
}
";
    same(
        &owned("a.ts", source),
        "own (0): type Type<A>
         own ^0=: type A
         own ^0: new &0
         own ^1: call &1
         own return: element ^1",
    );
    same(
        &locals("a.ts", source),
        ".x: value f:(new A)
         .y: value f:(value ns.B,,value A)
         .z: value f:(<A>)
         .w: call f
         Inner: = g.Inner
         .v: call f
         .C: -
         .u: value f:(new A)",
    );
}

//! Uses of names, and which are left out.

use super::{read, same, uses};

#[test]
fn every_kind_of_use_has_its_word() {
    let source = "\
import { Base, Prop, dec, tag, T } from 'm';
@dec({ a: Prop })
class C extends Base<T> implements I, ns.J {
  @dec run(a: T): typeof tag { return this.db.open(a).then(tag`x`) }
}
const e = <Foo.Bar x={Prop}><div/><Baz /></Foo.Bar>;
new C(); new ns.D();
";
    same(
        &uses("a.tsx", source),
        "decorator dec in C
         value ?.a in C
         value Prop in C
         heritage Base in C
         type T in C
         heritage I in C
         heritage ns.J in C
         decorator dec in C.run
         type T in C.run
         typeQuery tag in C.run
         call ?.then in C.run
         call this.db.open in C.run
         value this.db in C.run
         call tag in C.run
         value ?.x in e
         jsx Foo.Bar in e
         value Prop in e
         value ?.div in e
         jsx Baz in e
         new C in -
         new ns.D in -",
    );
}

#[test]
fn names_of_local_scopes_are_left_out() {
    let source = "\
import { outer, hidden } from 'm';
function f(a, { b, c: [d] }, ...rest) {
  const e = a + b + d + rest;
  for (const i of e) { use(i) }
  try { outer() } catch (err) { log(err) }
  if (e) { var late = 1; function inner() {} }
  late; inner2();
  function inner2() { inner2() }
  const hidden = 1;
  hidden.x;
  { let outer = 1; outer }
  return <T,>(x: T) => x
}
const g = x => x + g(1);
label: for (;;) { break label }
";
    same(
        &uses("a.ts", source),
        "call use in f
         call outer in f
         call log in f
         call inner2 in f
         call inner2 in f.inner2
         value ?.x in f
         call g in g",
    );
}

#[test]
fn type_parameters_and_labels_of_types_are_left_out() {
    let source = "\
type A<T> = T extends Array<infer U> ? U : Other;
type B = { [K in Keys]: K };
type C = [label: X, other?: Y];
function isS(v: unknown): v is S { return true }
type D = (arg: P) => Q;
";
    same(
        &uses("a.ts", source),
        "type Array in A
         type Other in A
         type Keys in B
         type X in C
         type Y in C
         type S in isS
         type P in D
         type Q in D",
    );
}

#[test]
fn a_use_in_a_callback_belongs_to_the_symbol_around() {
    let facts = read(
        "a.js",
        "function f() { list.forEach(() => { g() }) }\nh()\n",
    )
    .facts;
    let found: Vec<_> = facts
        .references
        .iter()
        .map(|r| (facts.name(r), r.symbol, r.line))
        .collect();
    assert_eq!(
        found,
        [("forEach", Some(0), 1), ("g", Some(0), 1), ("h", None, 2)]
    );
}

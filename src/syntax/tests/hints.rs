//! Annotations and other evidence of the types and values of names.

use super::{locals, owned, read, same};

#[test]
fn a_parameter_is_of_the_type_that_stands_behind_it() {
    let source = "\
import { N, G } from 'm';
class C { constructor(private db: Db, readonly n = new N()) {} }
function f(a: A, b?: ns.B | null, { c, d: { e } }: P, g = new G(), [h]: H[], ...i: I[]) {
  a.x(); b.x(); c.x(); e.x(); g.x(); h.x(); i.x();
}
function g({ k, l: m }: { k: K; l: L[] }, x: string, y: A | B, z) { k.x(); m.x(); x.x(); y.x(); z.x() }
";
    same(
        &owned("a.ts", source),
        "C.constructor (0): type Db
         C db: type Db
         C n: new N
         f (0): type A
         f (1): type ns.B
         f (2): type P
         g (2): type A | type B",
    );
    same(
        &locals("a.ts", source),
        ".d: type P
         .e: type P:d
         .c: type P
         .x: type A
         .x: type ns.B
         .x: type P:c
         .x: type P:d.e
         .x: new G
         .x: type H
         .x: -
         .x: type K
         .x: element L
         .x: -
         .x: type A | type B",
    );
}

#[test]
fn a_variable_is_what_it_begins_with_unless_its_type_is_written() {
    let source = "\
import { A, f, ns } from 'm';
export const top: A = f();
export const made = new ns.A(), called = await f(), alias = ns.a;
export const { one, two: [three] } = f();
const cast = f() as A, lit = 1, checked = {} satisfies A;
function g() {
  const a = new A(), b = f(), c = ns.a, d: A = f(), e = f().x, h = e;
  const { i, j: k } = ns.a, m = a ?? new A(), n = l ? f() : null, o = JSON.parse('');
  const p = f()[0], q = ns['b'], r = (await f()).y;
  a.x(); b.x(); c.x(); d.x(); e.x(); h.x(); i.x(); k.x(); m.x(); n.x(); o.x(); p.x(); q.x(); r.x();
}
";
    same(
        &owned("a.ts", source),
        "- top: type A
         - made: new ns.A
         - called: call f
         - alias: value ns.a
         - one: call f:one
         - three: call f:two.[]
         - cast: type A
         - checked: type A",
    );
    same(
        &locals("a.ts", source),
        ".two: call f
         .one: call f
         .x: call f
         .j: value ns.a
         .i: value ns.a
         .y: call f
         .x: new A
         .x: call f
         .x: value ns.a
         .x: type A
         .x: call f:x
         .x: value ns.a.i
         .x: value ns.a.j
         .x: -
         .x: call f:[]
         .x: value ns.b
         .x: call f:y",
    );
}

#[test]
fn an_expression_before_a_dot_has_an_origin_too() {
    let source = "\
import { A, f, xs } from 'm';
class C extends A { m() { this.b().c(); super.d().e(); (this as A).g() } }
new A().b().c();
f().a.b();
(x as A).b();
xs[0].b();
xs.map(g).b();
(await import('./n')).b();
document.querySelector('a').b();
";
    same(
        &locals("a.ts", source),
        ".c: call this.b
         .e: call super.d
         .g: type A
         .c: new A:b.()
         .b: new A
         .b: call f:a
         .a: call f
         .b: type A
         .b: value xs:[]
         .b: call xs.map
         .b: import * from ./n
         .b: -",
    );
}

#[test]
fn members_have_the_types_of_their_declarations_and_assignments() {
    let source = "\
class C {
  a: A; b = new B(); c?: X[] = []; static d = e.f; #g: G | undefined; h = (x) => x; other: string = f();
  get p(): P { return this.#g } get q() { return this.a } set r(v: R) {}
  constructor(k: K, l) { this.k = k; this.l = l; this.m = new M(); this.n = null; this.n = mk(); this.o = new M(); this.o = new K() }
  init() { this.m = new M(); e.items.forEach(function () { this.z = new M() }) }
}
interface I { a: A; b?: { c: B }; m(): A; readonly s: Set<A> }
type T = { a: A };
function mk() {}
class K {} class M {} class B {}
";
    same(
        &owned("a.ts", source),
        "C a: type A
         C b: new B
         C c: element X
         C #g: type G
         C p: type P
         C q: value this.a
         C.constructor (0): type K
         C k: type K
         C m: new M
         C n: call mk
         C o: new M | new K
         I a: type A
         I.b c: type B
         I.m return: type A
         I s: element A
         T a: type A",
    );
}

#[test]
fn object_literals_say_what_their_members_are() {
    let source = "\
import { a, A, rest } from 'm';
export const o = { a, b: a.c, d: new A(), e: { f: a }, g() { return new A() }, h: () => a, i: 1, ...rest };
export default { a, j: A };
";
    same(
        &owned("a.ts", source),
        "o a: value a
         o b: value a.c
         o d: new A
         o e.f: value a
         o.g return: new A
         o.h return: value a
         o extends: base rest
         default a: value a
         default j: value A",
    );
}

#[test]
fn a_function_returns_what_is_written_or_what_all_its_returns_are() {
    let source = "\
function a(): A { return x }
async function b(): Promise<B | undefined> {}
function c() { if (d) { return new C() } return new C() }
function d() { if (d) { return new C() } return new D() }
function e() { return; }
const g = () => a();
const h = function () { const x = new C(); const y = () => { return 1 }; return x };
class C { chain() { this.x(); return this } *gen() { return new C() } typed(): this { return this } }
class D {}
function i<T extends C>(t: T): T { return t }
function j(): A | D {}
function over(a: string): A; function over(a: number): A; function over(a) { return 1 }
function differ(a: string): A; function differ(a: number): D; function differ(a) { return 1 }
const memoed = useMemo(() => new C());
function k() { { const r = new C(); return r } const r = new D(); return r }
function l() { function inner() {} return inner }
";
    same(
        &owned("a.ts", source),
        "a return: type A
         b return: type B
         c return: new C
         d return: new C | new D
         g return: call a
         h return: new C
         C.chain return: value this
         C.typed return: value this
         i (0): type C
         i ^0=: type C
         i ^0: value &0
         i return: type ^0
         j return: type A | type D
         over return: type A
         differ return: type A | type D
         k return: new C | new D
         l return: value inner of l.inner",
    );
}

#[test]
fn what_a_class_is_built_on_is_told_one_by_one() {
    let source = "\
import B, { I } from 'm';
class C extends B implements I, ns.J<K> {}
class D extends mix(B) {}
interface E extends I, ns.J {}
type F = I & ns.J & { a: 1 };
type G = I | B;
type H = typeof obj;
const L = class extends B {};
function f() { class M extends C {} return new M() }
const obj = 1, ns = 1;
";
    same(
        &owned("a.ts", source),
        "C extends: base B
         C implements: base I
         C implements: base ns.J<K>
         E extends: base I
         E extends: base ns.J
         F extends: base I
         F extends: base ns.J
         G extends: base I | base B
         H extends: base obj
         L extends: base B
         f.M extends: base C
         f return: new M of f.M",
    );
}

#[test]
fn types_in_doc_comments_count_in_javascript() {
    let source = "\
/** @typedef {import('./compiler')} Compiler */
/** @typedef {import(\"./types\").Options} Options */
/** @typedef {Object} Entry
 * @property {Options} options
 */
/** @import { A, B as C } from './ab' */
/**
 * @param {Compiler} compiler the compiler
 * @param {Options=} options
 * @param {import('./x').X} x
 * @returns {Promise<A>} a
 */
function f(compiler, options, x) { compiler.run(); options.get(); x.y() }
class P {
  constructor() {
    /** @type {Map<string, A>} */
    this.map = new Map();
    /** @type {C | undefined} */
    this.c = undefined;
  }
  /** @param {A} a */
  apply(a, b = new P()) { a.x(); b.x(); const c = /** @type {C} */ (a.y); c.x() }
  /** @type {A} */
  field = null;
}
/** @type {A} */
const top = g();
exports.made = new P();
";
    same(
        &owned("a.js", source),
        "- Entry.options: type Options
         f return: type A
         P map: element A
         P c: type C
         P field: type A
         - top: type A
         - made: new P",
    );
    same(
        &locals("a.js", source),
        ".Options: import * from ./types
         .A: import * from ./ab
         .B: import * from ./ab
         .X: import * from ./x
         .run: type Compiler
         .get: type Options
         .y: import X from ./x
         .x: type A
         .x: new P
         .y: type A
         .x: type C",
    );
    same(
        &super::imports("a.js", source),
        "1 type-query type ./compiler: type *>Compiler
         2 type-query type ./types: type Options>Options
         6 type-query type ./ab: type A>A type B>C
         7 type-query type ./x:",
    );
    same(&owned("a.ts", "/** @returns {A} */\nfunction f() {}"), "");
}

#[test]
fn prototypes_and_objects_are_what_is_assigned_to_them() {
    let source = "\
var util = require('util');
var B = require('./b');
function A(opts) { this.b = new B(opts); this.run() }
util.inherits(A, B);
A.prototype.run = function run() { return this.b.go() };
A.prototype.cache = new Cache();
A.create = function () { return new A() };
A.first = A.create();
var app = exports = module.exports = {};
app.handle = function handle() { this.run() };
app.router = new B();
function D() {}
D.prototype = Object.create(A.prototype);
";
    same(
        &owned("a.js", source),
        "A b: new B
         A extends: base B
         A.run return: call this.b.go
         A.create return: new A
         A first: call A.create
         app router: new B
         D extends: base A",
    );
}

#[test]
fn equal_uses_are_kept_once_with_their_number() {
    let facts = read("a.ts", "function f() { g(); g();\n g() }\ng();\n").facts;
    let found: Vec<_> = facts
        .references
        .iter()
        .map(|used| (used.symbol, used.line, used.count))
        .collect();
    assert_eq!(found, [(Some(0), 1, 3), (None, 3, 1)]);
}

#[test]
fn what_may_be_one_of_several_things_is_all_of_them() {
    let source = "\
import { A, B, f } from 'm';
function g(a: A | B | string, b: (A | B) & { c: 1 }, c: A | A[]) {
  const d = x ? f() : a, e = a instanceof A ? a : f(), h = x ? new A() : unknown, i = new (f())(), { j } = d;
  a.x(); b.x(); c.x(); d.x(); e.x(); h.x(); i.x(); j.x();
}
";
    same(
        &locals("a.ts", source),
        ".j: call f | type A | type B
         .x: type A | type B
         .x: type A | element A
         .x: call f | type A | type B
         .x: type A
         .x: -
         .x: call f:{}
         .x: call f:j | type A:j | type B:j",
    );
}

#[test]
fn a_pattern_in_javascript_is_of_the_type_in_its_place() {
    let source = "\
/** @typedef {A & { b: B, c?: (x: X) => C }} Both */
/**
 * @param {A} first
 * @param {Both} rest of it
 * @param {{ d: D }} last
 */
function f(first, { b, e: { g } }, { d } = {}) { first.x(); b.x(); g.x(); d.x() }
function h() { const M = require('./m'); new M().x(); const { N } = require('./m'); new N().x() }
";
    same(
        &owned("a.js", source),
        "- Both.extends: base A\n         - Both.b: type B\n         - Both.c: gives C",
    );
    same(
        &locals("a.js", source),
        ".e: type Both
         .g: type Both:e
         .b: type Both
         .x: type A
         .x: type Both:b
         .x: type Both:e.g
         .x: type D
         .x: import * from ./m:{}
         M: import * from ./m
         .x: import N from ./m:{}
         N: import N from ./m",
    );
}

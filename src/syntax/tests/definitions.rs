//! Definitions of every form.

use super::{read, same, symbols};
use crate::ir::Target;

#[test]
fn functions_and_names_bound_to_them() {
    let source = "\
export function a(x) { const n = 1; function inner() {} const arrow = () => 1; }
const b = async () => 1;
export const C = memo(() => { helper() });
const D = React.forwardRef<A, B>(function D2(props, ref) { return null });
const list = items.map(x => x + 1);
let v = 1, w = function () {};
async function* gen() {}
function curry() { return function named() {} }
export const { p, q: { r }, ...rest } = load();
setTimeout(() => { var hidden = 1; const cb = useCallback(() => {}, []) });
";
    same(
        &symbols("a.tsx", source),
        "function a* 1-1
         function a.inner 1-1 ^a
         function a.arrow 1-1 ^a
         function b 2-2
         function C* 3-3
         function D 4-4
         constant list 5-5
         variable v 6-6
         function w 6-6
         function gen 7-7
         function curry 8-8
         function curry.named 8-8 ^curry
         constant p* 9-9
         constant r* 9-9
         constant rest* 9-9
         function cb 10-10",
    );
}

#[test]
fn signatures_that_end_with_their_line() {
    let source = "\
export interface Factory {
  <A>(a: A): [A]
  <A, B>(a: A, b: B): [A, B]

  <A, B, C>(a: A, b: B, c: C): [A, B, C]
}
export function create() {}
";
    assert!(!read("a.ts", source).facts.has_errors);
    same(
        &symbols("a.ts", source),
        "interface Factory* 1-6
         function create* 7-7",
    );
}

#[test]
fn classes_with_every_kind_of_member() {
    let source = "\
@Injectable()
export abstract class A<T> extends B implements I, J<T> {
  static x = 1;
  private y?: string;
  #z = 2;
  handle = () => {};
  constructor(private readonly db: Db, plain: number) { super() }
  get size() { return 1 }
  set size(v) {}
  @log()
  /** Doc. */
  protected async run(a: string): Promise<void> {}
  abstract stop(): void;
  over(a: string): void;
  over(a: number): void;
  over(a: any) {}
  ['computed']() {}
  [Symbol.iterator]() {}
}
const K = class Inner { m() {} };
class Hidden { open() {} }
";
    same(
        &symbols("a.ts", source),
        "class A* 1-19
         field A.x* 3-3 ^A
         field A.y 4-4 ^A
         field A.#z 5-5 ^A
         method A.handle* 6-6 ^A
         constructor A.constructor* 7-7 ^A
         field A.db 7-7 ^A
         property A.size* 8-8 ^A
         property A.size* 9-9 ^A
         method A.run* 10-12 ^A
         method A.stop* 13-13 ^A
         method A.over* 14-16 ^A
         method A.[Symbol.iterator]* 18-18 ^A
         class K 20-20
         method K.m 20-20 ^K
         class Hidden 21-21
         method Hidden.open 21-21 ^Hidden",
    );
    let facts = read("a.ts", source).facts;
    let class = &facts.symbols[0];
    assert_eq!(
        class.signature,
        "abstract class A<T> extends B implements I, J<T>"
    );
    assert_eq!(class.name_line, 2);
    let run = facts.symbols.iter().find(|s| s.name == "run").unwrap();
    assert_eq!(
        run.signature,
        "protected async run(a: string): Promise<void>"
    );
}

#[test]
fn types_and_namespaces() {
    let source = "\
export interface I extends J { a?: string; m(): void; new (): I; readonly [k: string]: any }
type T = { x: number; f(): void };
export const enum E { A, B = 2, 'C-d' = 3 }
export namespace N { export const one = 1; const two = 2; export function f() {} export namespace M { export class C { c() {} } } }
declare module 'm' { export function g(): void; interface Aug { z: 1 } }
declare global { interface Window { w: 1 } }
declare function decl(a: string): void;
declare function decl(a: number): void;
declare const version: string;
export declare namespace Amb { const k: string }
";
    same(
        &symbols("a.ts", source),
        "interface I* 1-1
         property I.a* 1-1 ^I
         method I.m* 1-1 ^I
         type T 2-2
         property T.x 2-2 ^T
         method T.f 2-2 ^T
         enum E* 3-3
         enumMember E.A* 3-3 ^E
         enumMember E.B* 3-3 ^E
         enumMember E.C-d* 3-3 ^E
         namespace N* 4-4
         constant N.one* 4-4 ^N
         constant N.two 4-4 ^N
         function N.f* 4-4 ^N
         namespace N.M* 4-4 ^N
         class N.M.C* 4-4 ^M
         method N.M.C.c* 4-4 ^C
         namespace m 5-5
         function m.g 5-5 ^m
         interface m.Aug 5-5 ^m
         property m.Aug.z 5-5 ^Aug
         namespace global 6-6
         interface global.Window 6-6 ^global
         property global.Window.w 6-6 ^Window
         function decl 7-7
         function decl 8-8
         constant version 9-9
         namespace Amb* 10-10
         constant Amb.k* 10-10 ^Amb",
    );
}

#[test]
fn members_of_named_objects() {
    let source = "\
export const o = { m() {}, n: () => {}, data: 1, deep: { f() {} }, get g() { return 1 }, K: class { z() {} } };
const store = defineStore('s', { actions: { add() {} } });
call({ anonymous() {} });
function f() { const local = { inner() {} }; return { returned() {} } }
export default { name: 'x', setup() { const go = () => {} }, methods: { hi() {} } } as Options;
";
    same(
        &symbols("a.ts", source),
        "constant o* 1-1
         method o.m* 1-1 ^o
         method o.n* 1-1 ^o
         method o.deep.f* 1-1 ^o
         property o.g* 1-1 ^o
         class o.K* 1-1 ^o
         method o.K.z* 1-1 ^K
         constant store 2-2
         method store.actions.add 2-2 ^store
         function f 4-4
         method f.local.inner 4-4 ^f
         method f.returned 4-4 ^f
         module default* 5-5
         method default.setup* 5-5 ^default
         function default.setup.go 5-5 ^setup
         method default.methods.hi* 5-5 ^default",
    );
}

#[test]
fn an_object_behind_a_cast_is_a_named_object() {
    let source = "\
export const a: Record<string, Function> = <any>{ m() {}, n: () => {} };
const b = { m() {} } as unknown as B, c = ({ m() {} }) satisfies C, d = <D<E>>(<F>{ m() {} }), e = { m() {} }!;
";
    same(
        &symbols("a.ts", source),
        "constant a* 1-1
         method a.m* 1-1 ^a
         method a.n* 1-1 ^a
         constant b 2-2
         method b.m 2-2 ^b
         constant c 2-2
         method c.m 2-2 ^c
         constant d 2-2
         method d.m 2-2 ^d
         constant e 2-2
         method e.m 2-2 ^e",
    );
}

#[test]
fn default_exports_have_a_name() {
    let first = |source: &str| {
        symbols("a.ts", source)
            .lines()
            .next()
            .unwrap_or("")
            .to_owned()
    };
    assert_eq!(
        first("export default function () {}"),
        "function default* 1-1"
    );
    assert_eq!(first("export default function f() {}"), "function f* 1-1");
    assert_eq!(first("export default class Foo {}"), "class Foo* 1-1");
    assert_eq!(first("export default class {}"), "class default* 1-1");
    assert_eq!(first("export default () => 1"), "function default* 1-1");
    assert_eq!(
        first("export default defineConfig({ a: 1 })"),
        "module default* 1-1"
    );
    assert_eq!(first("const a = 1; export default a"), "constant a* 1-1");
    assert_eq!(first("class A {} export { A as B }"), "class A* 1-1");
    assert_eq!(first("class A {} export = A"), "class A* 1-1");
    assert_eq!(
        first("abstract class A {} export default A"),
        "class A* 1-1"
    );
}

#[test]
fn overloads_are_one_symbol_with_their_implementation() {
    let source = "\
/** Doc. */
export function f(a: string): void
export function f(a: number): void
export function f(a: any) { g() }
";
    same(&symbols("a.ts", source), "function f* 2-4");
    let facts = read("a.ts", source).facts;
    assert_eq!(facts.symbols[0].doc, "Doc.");
    assert_eq!(facts.exports.len(), 1);
    assert!(facts.references.iter().all(|used| used.symbol == Some(0)));
}

#[test]
fn an_overload_in_a_block_of_its_own_is_bound_to_the_implementation() {
    let source = "\
function f(a: string): void;
{ f(1); function f(a: number): void; }
function f(a: any) { g() }
";
    let facts = read("a.ts", source).facts;
    let bound: Vec<_> = facts
        .references
        .iter()
        .filter(|used| facts.name(used) == "f")
        .map(|used| used.target)
        .collect();
    assert!(!bound.is_empty());
    for target in bound {
        assert!(
            matches!(target, Target::Symbol(at) if facts.symbols[at as usize].name == "f"),
            "{target:?}"
        );
    }
}

#[test]
fn a_decorator_between_overloads_parts_them_not() {
    let source = "\
class C {
  m(a: A): Promise<B>
  m(a: A[]): Promise<B[]>
  @d()
  m(a: A | A[]) { return e() }
}
";
    same(&symbols("a.ts", source), "class C 1-6\n method C.m 2-5 ^C");
    let facts = read("a.ts", source).facts;
    let of = |name: &str| {
        let used = facts
            .references
            .iter()
            .filter(|used| facts.name(used) == name);
        used.map(|used| used.symbol).collect::<Vec<_>>()
    };
    for name in ["A", "B", "Promise", "d", "e"] {
        assert_eq!(of(name), [Some(1)], "{name}");
    }
}

#[test]
fn signatures_and_docs_are_words_alone() {
    let source = "\
/**
 * Opens it.
 */
export const open = async <T>(
  path: string, // where
): Promise<T> => { return 1 }
// One.
// Two.
export const LIMIT: number = 5
const table = { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: 1, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: 2 }
";
    let symbols = read("a.ts", source).facts.symbols;
    assert_eq!(symbols[0].doc, "Opens it.");
    assert!(
        symbols[0]
            .signature
            .starts_with("const open = async <T>( path: string,")
    );
    assert!(symbols[0].signature.ends_with("): Promise<T> =>"));
    assert_eq!(symbols[0].span.start_line, 4);
    assert_eq!(symbols[1].doc, "One.\nTwo.");
    assert_eq!(symbols[1].signature, "const LIMIT: number = 5");
    assert!(symbols[2].signature.len() <= 240 && symbols[2].signature.ends_with('…'));
}

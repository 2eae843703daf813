//! Imports and exports of the language's own modules, and components.

use super::{exports, imports, read, same, symbols, uses};

#[test]
fn imports_of_every_form() {
    let source = "\
/// <reference path=\"./env.d.ts\" />
import './effect';
import a, { b as c, type T, default as d } from './m';
import * as ns from \"ns\";
import type { U } from './types';
import type from './oddly-named';
import x = require('x');
const e = require('e'), { f, g: h } = require('f');
const i = require('i').j;
const { k } = await import('./k');
const lazy = () => import(`./lazy`);
require.resolve('r');
type V = import('./v').W.Z | typeof import('./w'); f(y as import('./y').Y);
export { l as m } from './l';
export * from './all';
export * as n from './n';
export type { O } from './o';
const debug = require('debug')('x');
jest.mock('./p'); await vi.importActual(`./q`); jest.mock(\"r\", f, { virtual: true }); a.mock('s');
";
    same(
        &imports("a.ts", source),
        "1 reference-path ./env.d.ts:
         2 import ./effect:
         3 import ./m: default>a b>c type T>T default>d
         4 import ns: *>ns
         5 import type ./types: U>U
         6 import ./oddly-named: default>type
         7 require x: *>x
         8 require e: *>e
         8 require f: f>f g>h
         9 require i: j>i
         10 dynamic ./k: k>k
         11 dynamic ./lazy:
         12 require-resolve r:
         13 type-query type ./v: type W>
         13 type-query type ./w:
         13 type-query type ./y: type Y>
         14 re-export ./l: l>m
         15 re-export ./all: *>*
         16 re-export ./n: *>n
         17 re-export type ./o: type O>O
         18 require debug:
         19 mock ./p:
         19 mock ./q:",
    );
    same(
        &exports("a.ts", source),
        "from m = l from ./l
         star * = * from ./all
         namespace n = * from ./n
         from type O = O from ./o",
    );
    same(
        &symbols("a.ts", source),
        "function lazy 11-11\n type V 13-13\n constant debug 18-18",
    );
}

#[test]
fn exports_of_this_file() {
    let source = "\
export const a = 1, b = () => 2;
export default function main() {}
export class C {}
export type T = 1;
export enum E { X }
function f() {}
export { f as g, type I };
interface I {}
export abstract class D {}
";
    same(
        &exports("a.ts", source),
        "local a = a
         local b = b
         local default = main
         local C = C
         local type T = T
         local E = E
         local g = f
         local type I = I
         local D = D",
    );
    for path in ["a.ts", "a.js"] {
        same(
            &exports(
                path,
                "export { default } from './a'; export { default as X } from './b';",
            ),
            "from default = default from ./a\n from X = default from ./b",
        );
        same(
            &exports(path, "export default async (a) => {}"),
            "local default = default",
        );
    }
    same(
        &exports("a.ts", "export default interface I {}"),
        "local type default = I",
    );
    same(&exports("a.ts", "export = foo"), "assignment export= = foo");
    same(
        &exports("a.ts", "export default { a() {} }"),
        "local default = default",
    );
    same(
        &exports("a.js", "const a = 1\nexport { a as default }"),
        "local default = a",
    );
}

#[test]
fn a_vue_component_with_a_setup_script() {
    let source = "\
<template>
  <foo-bar @click=\"go\"><Baz v-if=\"a > 1\" /></foo-bar>
</template>

<script lang=\"ts\">
export const shared = 1
</script>

<script setup lang=\"ts\">
import FooBar from './FooBar.vue'
const count = ref(0)
function go(): void { helper() }
</script>

<style>.a { color: red }</style>
";
    same(
        &symbols("src/A.vue", source),
        "module default* 1-15
         constant shared* 6-6
         constant count 11-11
         function go 12-12",
    );
    same(
        &imports("A.vue", source),
        "10 import ./FooBar.vue: default>FooBar",
    );
    same(
        &exports("A.vue", source),
        "local default = default\n local shared = shared",
    );
    same(
        &uses("A.vue", source),
        "jsx FooBar in default
         call go in default
         jsx Baz in default
         value a in default
         call ref in count
         call helper in go",
    );
    let chunks = read("A.vue", source).chunks;
    let lines: Vec<_> = chunks
        .iter()
        .map(|c| (c.kind.as_str(), c.span.start_line, c.span.end_line))
        .collect();
    assert_eq!(lines.first(), Some(&("text", 1, 4)));
    assert_eq!(lines.last(), Some(&("text", 14, 15)));
    assert!(chunks.iter().any(|c| c.names == ["go"]));
}

#[test]
fn components_with_an_options_object_and_of_svelte() {
    let vue = "<script>\nexport default { methods: { hi() {} } }\n</script>\n";
    same(
        &symbols("A.vue", vue),
        "module default* 2-2\n method default.methods.hi* 2-2 ^default",
    );
    let svelte = "\
<script context=\"module\">
  export function load() {}
</script>
<script lang='ts'>
  import X from './X.svelte'
  export let name: string = '<script>'
</script>
<X {name} />
";
    same(
        &exports("A.svelte", svelte),
        "local default = default\n local load = load",
    );
    same(
        &symbols("A.svelte", svelte),
        "module default* 1-8\n function load* 2-2\n variable name 6-6",
    );
    same(
        &uses("A.svelte", svelte),
        "jsx X in default\n value name in default",
    );
    assert!(read("A.vue", "<template><div/>").facts.exports.len() == 1);
}

#[test]
fn names_that_are_words_of_the_language_are_names() {
    let source = "\
import { return as ret, a } from './m';
function f() { ret() }
export { f as delete, a as if };
export { new as made } from './n';
";
    same(
        &imports("a.ts", source),
        "1 import ./m: return>ret a>a
         4 re-export ./n: new>made",
    );
    same(
        &exports("a.ts", source),
        "local delete = f
         local if = a
         from made = new from ./n",
    );
}

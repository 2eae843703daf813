//! Templates of components: the uses in them, and the part of each word.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::super::{OccurrenceRole, UseKind, by_path, occurrences};
use super::{locals, read, same, uses};
use crate::model::{Budget, RepoPath};

/// One line a place of a word: `line role`.
pub(super) fn roles(path: &str, source: &str, word: &str) -> String {
    let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
    let language = by_path(&RepoPath::new(path).unwrap());
    let found = occurrences(language, source, word, &budget).unwrap();
    assert_eq!(
        found.facts,
        read(path, source).facts,
        "one reading, one set of facts"
    );
    found.places.iter().fold(String::new(), |mut out, place| {
        let role = match place.role {
            OccurrenceRole::Use { reference, kind } => {
                let used = &found.facts.references[reference as usize];
                format!("{kind:?} {}", found.facts.name(used))
            }
            OccurrenceRole::Import { .. } => "Import".to_owned(),
            OccurrenceRole::Export { .. } => "Export".to_owned(),
            role => format!("{role:?}"),
        };
        writeln!(out, "{} {role}", place.line).unwrap();
        out
    })
}

/// One line a use of a template: `line kind receiver.name`.
pub(super) fn template(path: &str, source: &str) -> String {
    let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
    let language = by_path(&RepoPath::new(path).unwrap());
    let found = occurrences(language, source, "x", &budget).unwrap();
    let mut out = String::new();
    for (start, line, reference, kind) in &found.uses {
        if *kind != UseKind::Template {
            continue;
        }
        let used = &found.facts.references[*reference as usize];
        let receiver = super::receiver(&found.facts, used);
        let name = found.facts.name(used);
        let place = &source[*start as usize..];
        let mark = if place.starts_with(name) {
            ""
        } else {
            " renamed"
        };
        let kind = used.kind.as_str();
        writeln!(out, "{line} {kind} {receiver}{name}{mark}").unwrap();
    }
    out
}

const SETUP: &str = "\
<script setup lang=\"ts\">
import MyComp from './MyComp.vue'
import * as ns from './ns'
import { go, load, list, ok, text, pick, vFocus, name, foo, fooBar } from './m'
defineProps<{ title: string }>()
</script>
";

fn vue(template: &str) -> String {
    format!("{SETUP}<template>\n{template}\n</template>\n")
}

#[test]
fn directives_and_interpolations_of_vue_are_code() {
    let source = vue("\
<div :a=\"load(text)\" @click=\"go\" v-if=\"ok\">
  {{ text }} <b v-html=\"load()\" v-else-if=\"!ok\" />
  <i v-on:keyup.enter=\"go(1); load()\" @x=\"(e) => go(e, $event)\" v-bind=\"text\" />
  <input v-model.trim=\"name\" v-focus v-show=\"ok\" :[name]=\"ok\" :foo :foo-bar />
</div>");
    same(
        &template("A.vue", &source),
        "8 call load
         8 value text
         8 call go
         8 value ok
         9 value text
         9 call load
         9 value ok
         10 call go
         10 call load
         10 call go
         10 value text
         11 value name
         11 value vFocus renamed
         11 value ok
         11 value name
         11 value ok
         11 value foo
         11 value fooBar renamed",
    );
    assert!(uses("A.vue", &source).contains("call load in default"));
}

#[test]
fn names_of_loops_and_slots_of_vue_are_local() {
    let source = vue("\
<li v-for=\"({ name, x }, i) in list\" :key=\"name + i\" @click=\"pick(name)\">{{ name }}</li>
<p>{{ name }}</p>
<my-comp v-slot=\"{ text }\" :a=\"text\">{{ text }}</my-comp>
<MyComp><template #head=\"{ ok = name }\">{{ ok }}</template>{{ ok }}</MyComp>
<ul v-for=\"load in load.items\">{{ load }}</ul>");
    same(
        &template("A.vue", &source),
        "8 value ?.name
         8 value ?.x
         8 value list
         8 call pick
         9 value name
         10 jsx MyComp renamed
         10 value text
         10 jsx MyComp renamed
         11 jsx MyComp
         11 value name
         11 value ok
         11 jsx MyComp
         12 value load
         12 value load.items",
    );
    same(
        &roles("A.vue", &source, "name"),
        "4 Import
         8 Template name
         8 Local
         8 Local
         8 Local
         9 Template name
         11 Template name",
    );
    same(
        &roles("A.vue", &source, "MyComp"),
        "2 Import\n 2 Text\n 11 Template MyComp\n 11 Template MyComp",
    );
}

#[test]
fn elements_of_vue_that_are_components() {
    let source = vue("\
<MyComp/><my-comp></my-comp><ns.Part>{{ title }}</ns.Part>
<div/><slot/><component :is=\"MyComp\"/><Other/><text/><foo/>");
    same(
        &template("A.vue", &source),
        "8 jsx MyComp
         8 jsx MyComp renamed
         8 jsx MyComp renamed
         8 value ns
         8 jsx ns.Part
         8 jsx ns.Part
         9 value MyComp
         9 jsx Other
         9 jsx foo",
    );
    same(
        &roles("A.vue", &source, "Part"),
        "8 Template Part\n 8 Template Part",
    );
    // A property is a name of the instance.
    same(&roles("A.vue", &source, "title"), "5 Definition\n 8 Local");
}

#[test]
fn words_of_markup_have_their_parts() {
    let source = vue(
        "<!-- go -->\n<a go=\"go\" :go=\"1\" @go=\"2\">go</a>\n<x v-pre :a=\"go\">{{ go }}</x>",
    );
    let source = source + "<style>go { a: go }</style>\n";
    same(
        &roles("A.vue", &source, "go"),
        "4 Import
         8 Comment
         9 Key
         9 Text
         9 Key
         9 Key
         9 Text
         10 Text
         10 Text
         12 Prose
         12 Prose",
    );
}

#[test]
fn styles_of_vue_use_variables() {
    let source = vue("<a/>") + "<style>a { b: v-bind(text); c: v-bind('name.x') }</style>\n";
    same(
        &template("A.vue", &source),
        "10 value text\n 10 value name\n 10 value name.x",
    );
}

#[test]
fn options_of_vue_are_the_names_of_its_template() {
    let source = "\
<template>
  <p @click=\"load\" :a=\"total\">{{ count }} {{ helper }} {{ outer }} {{ inner() }} {{ seen }}</p>
  <the-box/><Other/>
</template>
<script>
import { helper, outer } from './m'
import Box from './Box.vue'
export default {
  components: { TheBox: Box },
  props: ['seen'],
  data() { return { count: 0 } },
  setup() {
    function inner() {}
    return { inner, outer }
  },
  methods: { load() { this.total } },
  computed: { total() {} },
}
</script>
";
    same(
        &locals("A.vue", source),
        "load: = default.methods.load
         total: = default.computed.total
         helper: -
         inner: = default.setup.inner
         inner: = default.setup.inner",
    );
    same(
        &template("A.vue", source),
        "2 call load
         2 value total
         2 value helper
         2 value outer
         2 call inner
         3 jsx Box renamed
         3 jsx Other",
    );
}

#[test]
fn a_template_that_can_not_be_read_is_unknown() {
    let source = vue("<p :a=\"go(\" :b=\"go()\">{{ load( }} {{ go }}</p>");
    same(
        &roles("A.vue", &source, "go"),
        "4 Import\n 8 Unknown\n 8 Template go\n 8 Template go",
    );
    same(&roles("A.vue", &source, "load"), "4 Import\n 8 Unknown");
    assert!(read("A.vue", &source).facts.has_errors);
    let source = format!("{SETUP}<template lang=\"pug\">\np(@click=\"go\")\n</template>\n");
    same(&roles("A.vue", &source, "go"), "4 Import\n 8 Unknown");
    let source = vue("<p @click=\"go\">{{ load }}</p><a b=\"go>");
    same(
        &roles("A.vue", &source, "go"),
        "4 Import\n 8 Template go\n 8 Unknown",
    );
}

#[test]
fn hostile_markup_of_vue_is_read_in_time() {
    let n = 100_000;
    for part in [
        "<a>",
        "<a b=\"",
        "</a>",
        "{{",
        "{{ a }}",
        "<li v-for=\"a in b\">",
        "<template #a=\"{ b }\">",
        "<A :b=\"c",
        "<!--",
        "<",
        "<a b='{{'>",
        "@a=\"(\"",
    ] {
        let source = format!(
            "<template>{}</template><script setup>a()</script>",
            part.repeat(n)
        );
        read("A.vue", &source);
    }
}

const SVELTE: &str = "\
<script lang=\"ts\">
import Comp from './Comp.svelte'
import { page, go, load, list, ok, text, fade, name, wait } from './m'
let own = $state(0)
$page.url
</script>
";

fn svelte(template: &str) -> String {
    format!("{SVELTE}\n{template}\n")
}

#[test]
fn expressions_and_directives_of_svelte_are_code() {
    let source = svelte("\
<p title=\"a {text} b\" on:click={go} onclick={() => go(1)} {name} {...list} class:ok>{load(own)}</p>
<input bind:value={own} bind:checked use:go={text} transition:fade style:color={name} class:x={ok} />
{@html text}{@render load()}{/* go */}{$page.url}{@debug ok}
<Comp onclick={go} a=\"{ok ? \"x\" : text}\"/><Comp.Sub/><svelte:component this={Comp} />");
    same(
        &template("A.svelte", &source),
        "8 value text
         8 call go
         8 call go
         8 value name
         8 value list
         8 value ok
         8 call load
         8 value own
         9 value own
         9 value checked
         9 call go
         9 value text
         9 call fade
         9 value name
         9 value ok
         10 value text
         10 call load
         10 value page
         10 value $page.url
         10 value ok
         11 jsx Comp
         11 call go
         11 value ok
         11 value text
         11 value Comp
         11 jsx Comp.Sub
         11 value Comp",
    );
    same(
        &roles("A.svelte", &source, "page"),
        "3 Import\n 5 Reference page\n 10 Template page",
    );
    same(&roles("A.svelte", &source, "Sub"), "11 Template Sub");
    let go = roles("A.svelte", &source, "go");
    assert!(go.contains("10 Comment"), "{go}");
}

#[test]
fn names_of_blocks_of_svelte_are_local() {
    let source = svelte(
        "\
{#each list as { name, x }, i (name)}{name}{i}{:else}{name}{/each}
{#if ok}{@const text = load(1)}{text}{:else if text}{ok}{:else}{text}{/if}
{#await wait(ok) then name}{name}{:catch go}{go}{/await}{go}
{#await wait}{ok}{:then ok}{ok}{/await}
{#key name}{name}{/key}
{#snippet row(name, go)}{name}{go(ok)}{/snippet}{@render row(name)}
<Comp let:name={text} let:ok>{name}{text}{ok}</Comp>{ok}
{#each list as X[] as name}{name}{/each}{#each { length: 3 }, go}{go}{/each}",
    );
    same(
        &template("A.svelte", &source),
        "8 value list
         8 value ?.name
         8 value ?.x
         8 value name
         9 value ok
         9 call load
         9 value text
         9 value ok
         9 value text
         10 call wait
         10 value ok
         10 value go
         11 value wait
         11 value ok
         12 value name
         12 value name
         13 value ok
         13 value name
         14 jsx Comp
         14 value name
         14 jsx Comp
         14 value ok
         15 value list
         15 type X",
    );
    same(
        &roles("A.svelte", &source, "Comp"),
        "2 Import\n 2 Text\n 14 Template Comp\n 14 Template Comp",
    );
}

#[test]
fn markup_of_svelte_that_can_not_be_read_is_unknown() {
    let source = svelte("<p a={go(}>{ok}</p>{load(name}{text}");
    same(&roles("A.svelte", &source, "go"), "3 Import\n 8 Unknown");
    let source = svelte("<p>{load(1 +)}{text}</p>");
    same(&roles("A.svelte", &source, "load"), "3 Import\n 8 Unknown");
    same(
        &roles("A.svelte", &source, "text"),
        "3 Import\n 8 Template text",
    );
}

#[test]
fn hostile_markup_of_svelte_is_read_in_time() {
    let n = 100_000;
    for part in [
        "<a>",
        "<a b={",
        "{",
        "{{",
        "{a}",
        "{#if a}",
        "{#each a as b}",
        "{/if}",
        "{:else}",
        "{`${",
        "<A let:b>",
        "<A {...b}>",
        "{#snippet a(",
        "</A>",
        "{'",
    ] {
        read(
            "A.svelte",
            &format!("<script>a()</script>{}", part.repeat(n)),
        );
    }
}

//! Templates of Angular: the uses in them, in files of their own and in strings.

use super::templates::{roles, template};
use super::{imports, locals, same, uses};

#[test]
fn bindings_of_angular_are_members_of_the_instance() {
    let source = "\
<a [b]=\"load(text)\" (click)=\"go($event); open = true\" title=\"{{ text }}!\" #ref [(ngModel)]=\"name\">
  {{ user?.name | async }} {{ ref.value }} {{ a || b }}
</a>
<my-box [size]=\"2\" myTip *myIf=\"ok\"></my-box>";
    same(
        &template("a.html", source),
        "1 call this.load
         1 value this.text
         1 call this.go
         1 value this.open
         1 value this.text
         1 jsx [.ngModel
         1 value this.name
         2 value this.user
         2 value this.user.name
         2 call |.async
         2 value ?.value
         2 value this.a
         2 value this.b
         4 jsx <.my-box
         4 value <my-box.size
         4 value <my-box.myTip
         4 jsx [.myIf
         4 value this.ok",
    );
}

#[test]
fn names_of_blocks_and_structural_directives_are_local() {
    let source = "\
@for (x of xs; track x.id; let i = $index) { {{ x }} {{ i }} } @empty { {{ x }} }
@if (user$ | async; as u) { {{ u.name }} } @else if (no) { {{ u }} }
@let y = xs.length; {{ y }}
@switch (kind) { @case (one) { {{ two }} } @default { a@if.b } }
<li *ngFor=\"let x of xs; index as i; trackBy: by\">{{ x }}{{ i }}</li>
<li *ngIf=\"ok as k; else no\">{{ k }}</li>
<ng-template #no let-z=\"v\">{{ z }}</ng-template>
<b>{n, plural, =1 {one {{ m }}} other {many}}</b> } {{ end }}";
    same(
        &template("a.html", source),
        "1 value this.xs
         1 value ?.id
         1 value this.x
         2 value this.user$
         2 call |.async
         2 value ?.name
         2 value this.u
         3 value this.xs
         3 value this.xs.length
         4 value this.kind
         4 value this.one
         4 value this.two
         5 value this.xs
         5 value this.by
         6 value this.ok
         8 value this.n
         8 value this.m
         8 value this.end",
    );
}

const INLINE: &str = "\
import { Component } from '@angular/core';
const load = 1;
@Component({
  selector: 'a-b',
  template: `
    <p (click)=\"load()\">{{ load }} load</p>
  `
})
export class B { load() { return this.load } }
";

#[test]
fn a_template_in_a_string_is_code_of_its_class() {
    same(
        &roles("a.ts", INLINE, "load"),
        "2 Definition
         6 Template load
         6 Template load
         6 Text
         9 Definition
         9 Reference load",
    );
    let found = uses("a.ts", INLINE);
    assert!(found.contains("call this.load in B\n"), "{found}");
}

#[test]
fn the_file_of_a_template_is_imported() {
    let source = "\
import { Component } from '@angular/core'
@Component({ templateUrl: 'a.html' }) export class A {}";
    same(
        &imports("a.ts", source),
        "1 import @angular/core: Component>Component
         2 template ./a.html:",
    );
    let other = "function Component(a) {}\n@Component({ templateUrl: 'a.html' }) class A {}";
    same(&imports("a.ts", other), "");
}

#[test]
fn broken_markup_of_angular_is_text() {
    for source in [
        "<a [b]=\"c",
        "{{ a | }} {{ b",
        "@if (a { @for () {} } @let = 1; @let b = c",
        "@for (a of) { @if (;as b) {",
        "<a *ngFor=\"let of; of as\" *=\"\" [ ]=\"x\" ( )=\"y\" [(=\"z\" # let-></b></a>",
        "}}}}{{{{ {n, plural, { { {",
        "<a [b]=\"é | ü : | ||\">{{ 'a }} b' }}",
        "@@@if(((a))){",
        "@",
        "<a #",
        "@else if",
    ] {
        template("a.html", source);
        let inline = source.replace('`', "");
        let inline = INLINE.replace("<p", &format!("{inline}<p"));
        roles("a.ts", &inline, "load");
    }
    let deep = "@if (a) {".repeat(5_000) + &"<a-b>".repeat(5_000);
    template("a.html", &deep);
    let wide = "{{ a | b: c | d }}".repeat(2_000);
    template("a.html", &wide);
}

#[test]
fn pages_of_other_tools_are_text() {
    for source in [
        "{% if a %}{{ b }}{% endif %}",
        "<p>a</p>",
        "<%= a %> {{ b }}",
    ] {
        same(&template("a.html", source), "");
        same(
            &roles("a.html", source, "b"),
            &"1 Prose\n".repeat(source.matches(" b ").count()),
        );
    }
}

#[test]
fn what_a_block_binds_is_known_by_the_instance() {
    same(
        &locals(
            "a.html",
            "@for (x of xs; track x) { {{ x.go() }} } <b *ngFor=\"let y of a.b\">{{ y.go() }}</b>",
        ),
        ".go: value this.xs:[]
         .go: value this.a.b:[]",
    );
}

#[test]
fn templates_of_go_are_none_of_angular() {
    for source in [
        "<a href=\"{{ .Link }}\">{{ title }}</a>",
        "{{- with title -}}{{ title }}",
        "{{ partial \"head\" . }}{{ title }}",
        "{{/* note */}}{{ title }}",
        "{{ $x := 1 }}{{ title }}",
    ] {
        same(&template("a.html", source), "");
    }
    same(
        &template("a.html", "{{ .5 * size }} {{ -width }} {{ title }}"),
        "1 value this.size
         1 value this.width
         1 value this.title",
    );
}

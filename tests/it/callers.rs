//! Who calls a definition, through everything that may stand between them: each repository is a few lines
//! that say it all.

use std::fmt::Write;

use serde_json::Value;

use crate::support::{Cli, Fixture};

/// Returns `path caller` of each direct caller of a definition, and the files that it reaches.
fn impact(files: &str, symbol: &str, path: &str) -> (Vec<String>, Vec<String>) {
    let repo = Fixture::parse(&format!("{files}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let said: Value = cli.json(&["impact", symbol, "--path", path, "--depth", "2"]);
    let texts = |list: &str, text: &dyn Fn(&Value) -> Option<String>| {
        let mut found: Vec<String> = said[list]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(text)
            .collect();
        found.sort();
        found
    };
    let callers = texts("callers", &|it| {
        let name = it["symbol"].as_str().unwrap_or_default();
        it["hops"]
            .is_null()
            .then(|| format!("{} {name}", it["path"].as_str().unwrap()))
    });
    let files = texts("affectedFiles", &|it| {
        Some(it["path"].as_str().unwrap().to_owned())
    });
    (callers, files)
}

fn callers(files: &str, symbol: &str, path: &str) -> Vec<String> {
    impact(files, symbol, path).0
}

#[test]
fn a_member_of_a_class_is_not_one_of_its_instances() {
    let files = "\
//- /base.ts
export class Base {
  read() {}
  static read() {}
}
//- /use.ts
import { Base } from './base';
class Made extends Base {
  static read() { const made = new Made(); made.read(); return made }
  static other() { this.read(); super.read() }
  again() { super.read() }
}
export function outside() { new Base().read() }
";
    assert_eq!(
        callers(files, "Made.read", "use.ts"),
        ["use.ts Made.other"],
        "`made.read()` is the one that it inherits"
    );
    // Without the static one the name has one definition.
    let only = files
        .replace("  static read() {}\n", "")
        .replace("static other() { this.read(); super.read() }", "");
    assert_eq!(
        callers(&only, "Base.read", "base.ts"),
        ["use.ts Made.again", "use.ts Made.read", "use.ts outside"]
    );
}

#[test]
fn what_may_be_several_things_is_bound_where_all_that_have_the_member_share_it() {
    let files = "\
//- /a.ts
export class Base { run() {} }
export class A extends Base { own() {} }
export class B extends Base { own() {} }
export type Either = A | B;
export type Less = Pick<A, 'run'> & { x: number };
//- /use.ts
import { A, B, type Either, type Less } from './a';
export function one(a: A | B | string) { a.run() }
export function two(a: Either) { a.run() }
export function three(a: Less | null) { a?.run() }
export function four(flag: boolean) { const a = flag ? new A() : new B(); a.run() }
export function five(a: unknown) { const it = a instanceof A ? a : one(a); it.run() }
export function six(a: A | B) { a.own() }
";
    assert_eq!(
        callers(files, "Base.run", "a.ts"),
        [
            "use.ts five",
            "use.ts four",
            "use.ts one",
            "use.ts three",
            "use.ts two"
        ]
    );
    // A member that each of them has by itself is that of each.
    assert_eq!(callers(files, "A.own", "a.ts"), ["use.ts six"]);
    assert_eq!(callers(files, "B.own", "a.ts"), ["use.ts six"]);
}

#[test]
fn a_module_that_is_a_class_offers_what_is_put_on_it() {
    let files = "\
//- /lib/index.js
class Compiler { run() {} }
module.exports = Compiler;
module.exports.make = make;
function make() { return new Compiler() }
//- /types.d.ts
export declare class Compiler { run(): void }
//- /package.json
{ \"name\": \"it\", \"types\": \"types.d.ts\", \"main\": \"lib/index.js\" }
//- /test/deep/run.js
const Compiler = require('../../');
function inside() { const Own = require('../..'); new Own().run(); new (require('../../lib'))().run() }
function outside() { Compiler.make().run() }
";
    assert_eq!(
        callers(files, "make", "lib/index.js"),
        ["lib/index.js (module)", "test/deep/run.js outside"]
    );
    assert_eq!(
        callers(files, "Compiler.run", "lib/index.js"),
        ["test/deep/run.js inside", "test/deep/run.js outside"]
    );
}

#[test]
fn types_in_doc_comments_are_followed_where_a_parameter_is_taken_apart() {
    let files = "\
//- /store.js
class Store { open() {} shut() {} }
module.exports = Store;
//- /types.js
/** @typedef {import('./store')} Store */
/** @typedef {{ store: Store, name?: string }} Context */
/** @typedef {Context & { more: Store }} Wider */
/** @typedef {Store} Alias */
//- /use.js
/** @typedef {import('./types').Context} Context */
/** @typedef {import('./types').Wider} Wider */
/** @typedef {import('./types').Alias} Alias */
/**
 * @param {string} first the first
 * @param {Context} context the second
 */
function one(first, { store }) { store.open() }
/** @param {Wider} wider */
function two(wider) { wider.store.open(); wider.more.shut() }
/** @param {Alias} alias */
function three(alias) { alias.open() }
";
    assert_eq!(
        callers(files, "Store.open", "store.js"),
        ["use.js one", "use.js three", "use.js two"]
    );
    assert_eq!(callers(files, "Store.shut", "store.js"), ["use.js two"]);
}

#[test]
fn a_value_that_is_made_by_a_call_passes_a_change_on_to_who_calls_it() {
    let files = "\
//- /make.ts
export function make() { return () => 1 }
//- /made.ts
import { make } from './make';
export const made = make();
export class Holder { held = make() }
export const { apart } = make() as any;
//- /calls.ts
import { made } from './made';
export function calls() { made() }
//- /hands.ts
import { made } from './made';
export const list = [made];
//- /news.ts
import { Holder } from './made';
export function news() { return new Holder() }
//- /types.ts
import type { Holder } from './made';
export function types(holder: Holder) { return holder }
";
    let (callers, files) = impact(files, "make", "make.ts");
    assert_eq!(
        callers,
        ["made.ts (module)", "made.ts Holder.held", "made.ts made"],
        "what is taken apart belongs to the module"
    );
    assert_eq!(files, ["calls.ts", "made.ts", "news.ts"]);
}

#[test]
fn members_of_types_that_are_written_out_inside_others_have_callers() {
    let files = "\
//- /logger.ts
export interface Logger { warn(said: string): void }
export class Store { save(): void {} }
//- /types.ts
import type { Logger, Store } from './logger';
export interface Base { name: string }
export type Options = Base & { logger: Logger; nested: { store: Store } };
export interface Resolved extends Readonly<Omit<Options, 'name'> & { own: Logger }> { other: number }
export type Kinds = { kind: 'a'; store: Store } | { kind: 'b'; store: Store };
//- /use.ts
import type { Store } from './logger';
import type { Options, Resolved, Kinds } from './types';
export function inherited(o: Resolved) { o.logger.warn('a') }
export function own({ own }: Resolved) { own.warn('a') }
export function intersection(o: Options) { o.logger.warn('a') }
export function nested(o: Options) { o.nested.store.save() }
export function either(o: Kinds) { o.store.save() }
export class K {
  both: { logger: Options['logger']; store: Store } = make();
  field() { this.both.store.save() }
}
";
    assert_eq!(
        callers(files, "Logger.warn", "logger.ts"),
        ["use.ts inherited", "use.ts intersection", "use.ts own"]
    );
    assert_eq!(
        callers(files, "Store.save", "logger.ts"),
        ["use.ts K.field", "use.ts either", "use.ts nested"]
    );
}

#[test]
fn what_a_generic_type_holds_has_callers() {
    let files = "\
//- /line.ts
export class Line { text() {} next(): Line { return this } }
export class Other { text() {} }
//- /list.ts
import type { Line } from './line';
export interface IList<T> { readonly first: T; get(at: number): T | undefined; forEach(each: (one: T) => void): void }
export class List<T> implements IList<T> {
  first: T;
  constructor(private all: T[]) {}
  get(at: number): T | undefined { return this.all[at] }
  forEach(each: (one: T) => void) {}
  self(): this { return this }
}
export class Sub<U> extends List<U> { own(): U { return this.first } }
export class Lines extends Sub<Line> {}
export interface Box<T = Line> { value: T; inner: Box<T>; gives: () => T }
export type Alias<T> = Sub<T>;
export type Later<T> = () => Promise<T>;
export class Bound<T extends Line> { constructor(private one: T) {} inside() { this.one.text() } }
//- /use.ts
import type { Line, Other } from './line';
import { type Alias, type Box, type IList, type Later, Lines, List, type Sub } from './list';
class Has { lines: IList<Line>; others: List<Other>; box: Box<List<Line>>; made = new List<Line>([]) }
export function method(has: Has) { has.lines.get(1)!.text() }
export function field(has: Has) { has.made.first.next().text() }
export function handed(has: Has) { has.lines.forEach(line => line.text()) }
export function taken(has: Has) { const { value } = has.box; const line = value.get(1); if (line) line.text() }
export function inherited(all: Lines) { all.self().own().text() }
export function passed(all: Sub<Line>) { all.get(0)?.text() }
export function named(all: Alias<Line>) { all.own().text() }
export function looped(all: Lines) { for (const line of all) line.text() }
export function standard(box: Box) { box.inner.value.text(); box.gives().text() }
export async function called(later: Later<Line>) { (await later()).text() }
export function unknown_given(one: Box<string>, other: Box<Missing>) { one.value.text(); other.value.text() }
export function other(has: Has) { has.others.first.text() }
export function nothing(all: List<string>) { all.first.text() }
";
    let mut of_line: Vec<&str> =
        "method field handed taken inherited passed named looped standard called"
            .split(' ')
            .collect();
    of_line.sort_unstable();
    let mut expected: Vec<String> = of_line
        .iter()
        .map(|name| format!("use.ts {name}"))
        .collect();
    expected.insert(0, "list.ts Bound.inside".to_owned());
    assert_eq!(callers(files, "Line.text", "line.ts"), expected);
    assert_eq!(callers(files, "Other.text", "line.ts"), ["use.ts other"]);
}

#[test]
fn what_a_generic_function_gives_by_what_it_is_given_has_callers() {
    let files = "\
//- /lib.ts
export class Line { text() {} }
export class Emitter<T> { last: T }
export abstract class Disposable { protected register<T extends object>(one: T): T { return one } }
export type Type<T> = new (...all: any[]) => T;
export class Injector {
  get<T>(type: Type<T>): T { return null! }
  load<T>(type: new () => T): Promise<T> { return null! }
  named<T>(name: string): T { return null! }
}
export function wrap<T>(one: T): Emitter<T> { return null! }
export const same = <T>(one: T): T => one;
export function bound<T extends Line>(name?: string): T { return null! }
export interface IService { text(): void }
export const IService = decorate<IService>('service');
export function decorate<T>(name: string): { of: T } { return null! }
//- /use.ts
import { Line, Emitter, Disposable, type Injector, wrap, same, bound, IService } from './lib';
class Own extends Disposable {
  line = this.register(new Line());
  emitter = this.register(new Emitter<Line>());
  kept() { this.line.text() }
  generic() { this.emitter.last.text() }
}
export function by_class(all: Injector) { all.get(Line).text() }
export async function by_constructor(all: Injector) { (await all.load(Line)).text() }
export function by_type(all: Injector) { all.named<Line>('a').text() }
export function wrapped() { wrap(new Line()).last.text() }
export function handed_on() { const line = same(new Line()); line.text() }
export function by_bound() { bound('a').text() }
export function unknown(all: Injector, name: string) { all.named(name).text(); all.get(name).text(); same(name).text() }
export function service(one: IService) { one.text() }
";
    assert_eq!(
        callers(files, "Line.text", "lib.ts"),
        [
            "use.ts Own.generic",
            "use.ts Own.kept",
            "use.ts by_bound",
            "use.ts by_class",
            "use.ts by_constructor",
            "use.ts by_type",
            "use.ts handed_on",
            "use.ts wrapped"
        ]
    );
    assert_eq!(
        callers(files, "IService.text", "lib.ts"),
        ["use.ts service"]
    );
}

#[test]
fn what_a_type_of_functions_gives_has_callers() {
    let files = "\
//- /all.ts
export class Line { text() {} }
export type Make = (from: string) => Line;
export interface Call { (): Line }
export interface Has { make: () => Line; option?: () => Promise<Line> }
export class Own { field: () => Line; kept = (): Line => new Line() }
export function alias(make: Make) { make('').text() }
export function signature(call: Call) { call().text() }
export function members(has: Has) { has.make().text() }
export async function optional(has: Has) { const line = await has.option?.(); line?.text() }
export function fields(own: Own) { own.field().text() }
export function written(make: () => Line | null) { make()!.text() }
export function nothing(make: () => void, other: () => string) { make().text(); other().text() }
";
    assert_eq!(
        callers(files, "Line.text", "all.ts"),
        [
            "all.ts alias",
            "all.ts fields",
            "all.ts members",
            "all.ts optional",
            "all.ts signature",
            "all.ts written"
        ]
    );
}

#[test]
fn a_barrel_may_be_as_wide_as_a_package() {
    let mut files = String::new();
    let mut barrel = String::new();
    for n in 0..1_000 {
        writeln!(files, "//- /all/m{n}.ts\nexport function f{n}() {{}}").unwrap();
        writeln!(barrel, "export * from './m{n}'").unwrap();
    }
    write!(files, "//- /all/index.ts\n{barrel}").unwrap();
    files.push_str("//- /use.ts\nimport { f999 } from './all'\nexport function use() { f999() }\n");
    assert_eq!(callers(&files, "f999", "all/m999.ts"), ["use.ts use"]);
}

#[test]
fn barrels_that_pass_a_name_on_for_ever_are_left() {
    let mut files = String::from("//- /m3000.ts\nexport function end() {}\n");
    for n in 0..3_000 {
        writeln!(files, "//- /m{n}.ts\nexport * from './m{}'", n + 1).unwrap();
    }
    for (name, n) in [("near", 2_950), ("far", 0)] {
        let use_it =
            format!("import {{ end }} from './m{n}'\nexport function {name}() {{ end() }}");
        writeln!(files, "//- /{name}.ts\n{use_it}").unwrap();
    }
    assert_eq!(callers(&files, "end", "m3000.ts"), ["near.ts near"]);
}

#[test]
fn line_and_provenance_of_a_caller_are_of_one_use() {
    let files = "\
//- /p/Out.java
package p;
class Out {
  void put(String text) {}
}
//- /p/Use.java
package p;
class Use extends Out {
  void run(Out out) {
    out.put(\"a\");
    put(\"b\");
    out.put(\"c\");
  }
}
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let said: Value = cli.json(&["impact", "Out.put", "--path", "p/Out.java"]);
    let caller = &said["callers"][0];
    assert_eq!(caller["symbol"], "Use.run", "{said}");
    assert_eq!(caller["line"], 5, "{said}");
    assert_eq!(caller["text"], "put(\"b\");", "{said}");
    assert_eq!(caller["also"], serde_json::json!([4, 6]), "{said}");
    let own = caller["provenance"].as_str();
    let known = own.or_else(|| said["defaults"]["provenance"].as_str());
    assert_eq!(known.unwrap_or("resolved"), "resolved", "{said}");
}

#[test]
fn names_of_another_family_of_languages_are_no_uses() {
    let files = "\
//- /go.mod
module shop
//- /shop.go
package shop
type Row struct{}
func (r Row) Error() string { return \"\" }
func show() { missing.Error() }
//- /web/vendor.js
export function run(a) { throw new Error(a.Error()) }
//- /web/App.vue
<script>
export default { methods: { go(a) { a.Error() } } }
</script>
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let paths = |said: &Value| -> Vec<String> {
        let all = said["unresolved"].as_array().cloned().unwrap_or_default();
        let paths = all.iter().map(|it| it["path"].as_str().unwrap().to_owned());
        paths.collect()
    };
    let said = cli.json(&["impact", "Row.Error", "--path", "shop.go"]);
    assert_eq!(paths(&said), ["shop.go"], "{said}");
    assert_eq!(said["unresolvedTotal"], 1, "{said}");
    let said = cli.json(&["impact", "Row.Error", "--path", "shop.go", "--sites"]);
    assert_eq!(paths(&said), ["shop.go"], "{said}");
    assert_eq!(said["unresolvedTotal"], 1, "{said}");
    assert_eq!(said["otherMentions"]["otherTargets"], 3, "{said}");
}

#[test]
fn what_overrides_a_method_of_a_class_from_outside_may_be_called_by_it() {
    let files = "\
//- /p/Base.java
package p;
import other.Runner;
class Base extends Runner {
  public void run() {}
}
//- /p/Middle.java
package p;
class Middle extends Base {}
//- /p/Last.java
package p;
class Last extends Middle {
  public void run() {}
  @Override public void stop() {}
  void own() {}
}
//- /p/Watch.java
package p;
@Aspect
class Watch {
  @Before(\"@annotation(other.Timed)\")
  public void begin() {}
  @After(POINT)
  public void end() {}
}
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let through = "it may be called through `Runner`, which is not defined here";
    for (name, path, wanted) in [
        ("Last.run", "p/Last.java", through),
        ("Last.stop", "p/Last.java", through),
        (
            "Watch.begin",
            "p/Watch.java",
            "it is marked with `@Before(\"@annotation(other.Timed)\")`: what that registers may call it",
        ),
        (
            "Watch.end",
            "p/Watch.java",
            "it is marked with `@After(POINT)`: what that registers may call it",
        ),
    ] {
        let said = cli.json(&["impact", name, "--path", path]);
        let start = format!("No uses found in code, but {wanted}");
        let summary = said["summary"].as_str().unwrap();
        assert!(summary.starts_with(&start), "{name}: {summary}");
    }
    let said = cli.json(&["impact", "Last.own", "--path", "p/Last.java"]);
    let summary = said["summary"].as_str().unwrap();
    assert!(summary.starts_with("No uses found in code. ("), "{summary}");
}

#[test]
fn zero_uses_are_said_only_after_reading_who_names_it() {
    let files = "\
//- /a.js
function helper() { return 1 }
function unused() { return 2 }
//- /b.js
register(helper)
";
    let repo = Fixture::parse(&format!("{files}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "helper"]);
    assert_eq!(said["completeness"]["unresolvedSites"], 1, "{said}");
    assert_eq!(said["unresolved"][0]["path"], "b.js", "{said}");
    let summary = said["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("Unknown: 1 use of this name is not resolved"),
        "{summary}"
    );
    let said = cli.json(&["impact", "unused"]);
    let summary = said["summary"].as_str().unwrap();
    assert!(summary.starts_with("No uses found in code."), "{summary}");
}

#[test]
fn a_constant_of_rust_reaches_whoever_names_it() {
    let files = "\
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
mod settings;
mod file;
//- /src/settings.rs
pub const fn number(n: u32) -> u32 { n }
pub const LIMIT: u32 = number(3);
//- /src/file.rs
use crate::settings::LIMIT;
pub fn parse(n: u32) -> bool { n < LIMIT }
";
    let (callers, files) = impact(files, "number", "src/settings.rs");
    assert_eq!(callers, ["src/settings.rs LIMIT"]);
    assert_eq!(files, ["src/file.rs", "src/settings.rs"]);
}

#[test]
fn members_of_csharp_that_a_base_from_outside_may_call_are_told() {
    let files = "\
//- /Clock.cs
using System;
namespace Acme;
public class Clock : TimeProvider, IDisposable, IParsable<Clock> {
  public override long GetTimestamp() => 1;
  protected internal override void Tick() {}
  public void Dispose() {}
  public void Named() {}
  internal void Wind() {}
  internal virtual void Stop() {}
  public static void Reset() {}
  public static Clock Parse(string text) => null;
}
public class Options { public object TimeProvider { get; set; } }
//- /Pages.cs
using Microsoft.AspNetCore.Mvc;
namespace Acme.Web;
public class Root : ControllerBase { protected void Ready() {} }
public class Pages : Root { private void Load() {} }
public class Shown : Clock { private void Load() {} }
//- /Other/Plan.java
package other;
class Plan extends Runner { public static void reset() {} public void run() {} }
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    for (name, is_called) in [
        ("Clock.GetTimestamp", true),
        ("Clock.Tick", true),
        ("Clock.Dispose", true),
        ("Clock.Named", true),
        ("Clock.Wind", false),
        ("Clock.Stop", false),
        ("Clock.Reset", false),
        ("Clock.Parse", true),
        ("Plan.run", true),
        ("Plan.reset", false),
        ("Pages", true),
        ("Shown", false),
    ] {
        let said = cli.json(&["impact", name]);
        let summary = said["summary"].as_str().unwrap();
        assert!(
            summary.starts_with("No uses found in code"),
            "{name}: {summary}"
        );
        let is_told = summary.contains("it may be called through `");
        assert_eq!(is_told, is_called, "{name}: {summary}");
        assert!(
            !summary.contains("IParsable") || name == "Clock.Parse",
            "{name}: {summary}"
        );
    }
}

#[test]
fn callers_through_a_base_are_told_beside_others_where_the_base_has_the_method() {
    let files = "\
//- /Reader.java
import java.io.Closeable;
class Reader extends Source implements Closeable {
  public void begin() {}
  public void close() {}
  @Override public int size() { return 1; }
  static void use(Reader reader) { reader.begin(); reader.close(); reader.size(); }
}
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    for (name, base) in [
        ("Reader.begin", None),
        ("Reader.close", Some("Closeable")),
        ("Reader.size", Some("Source")),
    ] {
        let said = cli.json(&["impact", name]);
        let summary = said["summary"].as_str().unwrap();
        let told = summary.split_once("Beside these it may be called through `");
        let told = told.and_then(|(_, rest)| rest.split('`').next());
        assert_eq!(told, base, "{name}: {summary}");
        assert!(summary.starts_with("1 direct caller"), "{name}: {summary}");
    }
}

#[test]
fn a_base_is_the_type_that_the_file_means_by_its_name() {
    let files = "\
//- /a/Items.java
package a;
import java.util.ListIterator;
class Items implements ListIterator<String> { public int previousIndex() { return 0; } }
//- /a/Sender.java
package a;
class Sender implements Producer { public void flush() {} }
//- /a/Producer.java
package a;
interface Producer {}
//- /demo/Demo.java
package demo;
class Demo { static class ListIterator {} }
//- /demo/Producer.java
package demo;
class Producer extends Thread {}
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    for (name, base) in [
        ("Items.previousIndex", Some("`ListIterator`")),
        ("Sender.flush", None),
    ] {
        let said = cli.json(&["impact", name]);
        let summary = said["summary"].as_str().unwrap();
        let told = summary.split_once("it may be called through ");
        let told = told.map(|it| it.1.split(',').next().unwrap());
        assert_eq!(told, base, "{name}: {summary}");
    }
}

#[test]
fn a_method_of_rust_is_called_through_its_own_trait_alone() {
    let files = "\
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub trait Store: Send + Sync + Iterator {
    fn open(&self);
}
pub struct Disk;
impl Disk {
    pub fn own(&self) {}
}
unsafe impl Send for Disk {}
impl Store for Disk {
    fn open(&self) {}
}
impl std::fmt::Display for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { Ok(()) }
}
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    for (name, base) in [
        ("Store.open", None),
        ("Disk.open", None),
        ("Disk.own", None),
        ("Disk.fmt", Some("`Display`")),
    ] {
        let said = cli.json(&["impact", name]);
        let summary = said["summary"].as_str().unwrap();
        let told = summary.split_once("it may be called through ");
        let told = told.map(|it| it.1.split(',').next().unwrap());
        assert_eq!(told, base, "{name}: {summary}");
    }
}

#[test]
fn a_type_that_a_function_bounds_further_is_of_unknown_type() {
    let files = "\
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
use std::fmt::Debug;
pub trait Text { fn render(&self) -> String; }
pub trait Tool { type Output: Debug; fn run() -> Self::Output; }
pub struct Answer<T: Tool> { pub output: T::Output }
pub fn ask<T: Tool>() -> Answer<T> { Answer { output: T::run() } }
pub fn shown<T: Tool<Output: Text>>() -> String { ask::<T>().output.render() }
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let said = cli.json(&["impact", "Text.render", "--sites"]);
    let lines: Vec<i64> = said["unresolved"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["line"].as_i64().unwrap())
        .collect();
    assert_eq!(lines, [6], "{said}");
}

#[test]
fn a_place_whose_form_rules_a_definition_out_is_no_possible_use() {
    let files = "\
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub struct Row { pub size: u32 }
impl Row { pub fn size(&self) -> u32 { self.size } }
pub fn map(n: u32) -> u32 { n }
pub mod uses;
//- /src/uses.rs
fn run<T>(one: T, size: u32) {
    one.size;
    one.size();
    one.map(size);
    vec![one.size, size];
    unknown!(one.map(1), map);
}
//- /list.c
struct list { int (*next)(int n); };
int next(int n) { return n; }
int step(struct list *list) { return list->next(1) + gone(1)->next(2); }
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    for (name, path, lines) in [
        ("Row.size", "src/lib.rs", &[3][..]),
        ("map", "src/lib.rs", &[6][..]),
        ("next", "list.c", &[][..]),
    ] {
        for sites in [&["--sites"][..], &[][..]] {
            let asked = [&["impact", name, "--path", path], sites].concat();
            let said = cli.json(&asked);
            let found = said["unresolved"].as_array();
            let found = found.into_iter().flatten().map(|it| it["line"].as_u64());
            let found: Vec<u64> = found.flatten().collect();
            assert_eq!(found, lines, "{name}: {said}");
        }
    }
}

#[test]
fn a_qualified_call_of_a_virtual_method_is_no_dispatch() {
    let files = "\
//- /store.h
class Store {
 public:
  virtual void Save();
  void Flush();
};
class Disk : public Store {
 public:
  void Save() override;
};
//- /store.cc
#include \"store.h\"
void Store::Save() {}
void Store::Flush() { Save(); this->Save(); }
void Disk::Save() { Store::Save(); }
//- /main.cc
#include \"store.h\"
void Run(Store* store) { store->Save(); }
void Bind(Store* store) { Take(&Store::Save, store); }
";
    let (found, _) = impact(files, "Disk.Save", "store.cc");
    assert_eq!(
        found,
        ["main.cc Bind", "main.cc Run", "store.cc Store.Flush"]
    );
    let (found, _) = impact(files, "Store.Save", "store.cc");
    assert!(
        found.contains(&"store.cc Disk.Save".to_owned()),
        "{found:?}"
    );
}

#[test]
fn names_of_modules_and_blocks_are_no_names_for_all_files() {
    let files = "\
//- /module.ts
export {}
interface Settings { a: number }
declare const HIDDEN: number
declare global {
  const SEEN: number
}
//- /script.ts
[1].forEach(() => {
  type Inner = number
})
//- /page.vue
<script lang=\"ts\">
interface Opts { b: number }
</script>
//- /env.d.ts
declare module 'untyped' {
  import { X } from 'x'
  export default X
}
declare const MODE: string
//- /use.ts
export const all = [HIDDEN, SEEN, MODE]
export function use(a: Settings, b: Inner, c: Opts) {}
";
    for (name, file) in [
        ("Settings", "module.ts"),
        ("HIDDEN", "module.ts"),
        ("Inner", "script.ts"),
        ("Opts", "page.vue"),
    ] {
        assert_eq!(
            callers(files, name, file),
            [""; 0],
            "{name} is its file's own"
        );
    }
    assert_eq!(callers(files, "SEEN", "module.ts"), ["use.ts all"]);
    assert_eq!(callers(files, "MODE", "env.d.ts"), ["use.ts all"]);
}

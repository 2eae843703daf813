//! Users of definitions that another one stands for, in languages whose attributes override as methods do: fields, definitions of
//! one name in several branches, components that a call wraps; and the same users among the lines of `sites`.

use serde_json::Value;

use crate::dispatch::callers;
use crate::support::{Cli, Fixture};

const FIELDS: &str = "\
//- /a.py
class Base:
    name = 'a'
    __kind = 1
    @property
    def title(self): return self.name
    def show(self): return self.title
    def kind(self): return self.__kind
class Child(Base):
    name = 'b'
    title = 'c'
    __kind = 2
    def __init__(self):
        self.size = 1
class Other:
    name = 'c'
def by_base(base: Base): return base.name
def by_other(other: Other): return other.name
//- /a.ts
export interface Shape { label: string }
export class Base implements Shape {
  label = 'a';
  get title() { return this.label }
  static made = 1;
}
export class Child extends Base {
  label = 'b';
  get title() { return 'c' }
  static made = 2;
}
export function byShape(shape: Shape) { return shape.label }
export function byBase(base: Base) { return base.title }
export function byClass() { return Base.made }
";

#[test]
fn fields_override_fields() {
    assert_eq!(
        callers(FIELDS, "a.py", 9),
        ["a.py Base.title dispatch", "a.py by_base dispatch"]
    );
    assert_eq!(callers(FIELDS, "a.py", 10), ["a.py Base.show dispatch"]);
    assert_eq!(
        callers(FIELDS, "a.py", 11),
        [""; 0],
        "each class has its own"
    );
    assert_eq!(callers(FIELDS, "a.py", 15), ["a.py by_other member"]);
    assert_eq!(
        callers(FIELDS, "a.ts", 8),
        ["a.ts Base.title dispatch", "a.ts byShape dispatch"]
    );
    assert_eq!(callers(FIELDS, "a.ts", 9), ["a.ts byBase dispatch"]);
    assert_eq!(callers(FIELDS, "a.ts", 10), [""; 0], "the class is named");
}

const BRANCHES: &str = "\
//- /a.py
import sys
try:
    from fast import Row
except ImportError:
    class Row:
        def read(self): pass
if sys.platform == 'win32':
    def open(path): pass
else:
    def open(path): pass
class Disk:
    if sys.platform == 'win32':
        def sync(self): pass
    else:
        def sync(self): pass
def run(disk: Disk):
    open('a')
    disk.sync()
    Row().read()
def test():
    def inner(): pass
    inner()
    def inner(): pass
//- /b.py
from a import Row, open
def go():
    open('b')
    Row().read()
";

#[test]
fn definitions_in_branches_are_alternatives() {
    assert_eq!(
        callers(BRANCHES, "a.py", 8),
        ["a.py run resolved", "b.py go resolved"]
    );
    assert_eq!(
        callers(BRANCHES, "a.py", 10),
        ["a.py run alternative", "b.py go alternative"]
    );
    assert_eq!(callers(BRANCHES, "a.py", 15), ["a.py run alternative"]);
    assert_eq!(
        callers(BRANCHES, "a.py", 6),
        ["a.py run member", "b.py go member"]
    );
    assert_eq!(callers(BRANCHES, "a.py", 23), [""; 0], "it is not called");
}

const WRAPPED: &str = "\
//- /page.jsx
import { connect } from 'react-redux'
import { withRouter } from 'react-router'
function Page() { return null }
function select(state) { return state }
export default withRouter(connect(select)(Page))
//- /row.jsx
import { memo } from 'react'
import Page from './page'
const PlainRow = () => null
export const Row = memo(PlainRow)
const Named = memo(function Named() { return null })
export default memo(Page)
export { Named }
//- /store.js
import { createStore } from 'redux'
function Reducer(state) { return state }
export const store = createStore(Reducer)
//- /app.jsx
import Page from './page'
import Memo, { Row, Named } from './row'
import { store } from './store'
export function App() { store.run(); return <Page><Row /><Named /></Page> }
export function Old() { return <Memo /> }
";

#[test]
fn components_have_the_users_of_their_wrappers() {
    assert_eq!(
        callers(WRAPPED, "page.jsx", 3),
        [
            "app.jsx App dispatch",
            "app.jsx Old dispatch",
            "page.jsx default resolved",
            "row.jsx default dispatch"
        ]
    );
    assert_eq!(
        callers(WRAPPED, "row.jsx", 3),
        ["app.jsx App dispatch", "row.jsx Row resolved"]
    );
    assert_eq!(callers(WRAPPED, "row.jsx", 5), ["app.jsx App resolved"]);
    assert_eq!(
        callers(WRAPPED, "page.jsx", 4),
        ["page.jsx default resolved"],
        "the function that makes the wrapper is given it"
    );
    assert_eq!(
        callers(WRAPPED, "store.js", 2),
        ["store.js store resolved"],
        "a value that is no component stands for none"
    );
}

/// Returns `path:line use provenance` of each line that uses a definition, and the number of those that may.
fn lines(files: &str, name: &str, path: &str) -> Vec<String> {
    let repo = Fixture::parse(&format!("{files}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let said: Value = cli.json(&["impact", name, "--path", path, "--sites"]);
    let usual = said["defaults"]["provenance"].as_str().unwrap_or_default();
    let list = said["sites"].as_array().unwrap().iter();
    let mut found: Vec<String> = list
        .map(|it| {
            format!(
                "{}:{} {} {}",
                it["path"].as_str().unwrap(),
                it["line"],
                it["use"].as_str().unwrap(),
                it["provenance"].as_str().unwrap_or(usual)
            )
        })
        .collect();
    found.extend((said["unresolvedTotal"] != 0).then(|| said["unresolvedTotal"].to_string()));
    found
}

#[test]
fn sites_have_the_lines_of_uses_by_dispatch() {
    assert_eq!(
        lines(FIELDS, "Child.name", "a.py"),
        ["a.py:5 reference dispatch", "a.py:16 reference dispatch"]
    );
    assert_eq!(
        lines(WRAPPED, "PlainRow", "row.jsx"),
        ["app.jsx:4 call dispatch", "row.jsx:4 reference resolved"]
    );
}

const OUTSIDE: &str = "\
//- /models.py
class User:
    def follow(self): pass
    def path(self): pass
//- /views.py
import sys
from flask_login import current_user
def view():
    current_user.follow()
    return sys.path
";

#[test]
fn values_of_packages_may_be_of_the_repository() {
    assert_eq!(lines(OUTSIDE, "User.follow", "models.py"), ["1"]);
    assert_eq!(
        lines(OUTSIDE, "User.path", "models.py"),
        [""; 0],
        "the package has that member"
    );
}

const MERGED: &str = "\
//- /foo.ts
export interface Foo { open(): void }
export const Foo = { make(): Foo { return null as any } }
//- /use.ts
import { Foo } from './foo'
export interface Bar extends Foo {}
export class Disk implements Foo { open() {} }
export class Made extends Foo {}
export type Of = typeof Foo
export const one: Foo = Foo.make()
export { Foo }
";

#[test]
fn types_and_values_of_one_name_are_told_apart() {
    let repo = Fixture::parse(&format!("{MERGED}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let map: Value = cli.json(&["map", "foo.ts", "--all"]);
    let symbols = map["files"][0]["symbols"].as_array().unwrap();
    let sites = |line: u64| {
        let found = symbols.iter().find(|it| it["startLine"] == line).unwrap();
        let handle = found["handle"].as_str().unwrap();
        let said: Value = cli.json(&["impact", "--handle", handle, "--sites"]);
        let list = said["sites"].as_array().unwrap().iter();
        let in_use = list.filter(|it| it["path"] == "use.ts");
        let said = in_use.map(|it| format!("{} {}", it["line"], it["use"].as_str().unwrap()));
        said.collect::<Vec<_>>()
    };
    assert_eq!(
        sites(1),
        [
            "1 import",
            "2 extends",
            "3 implements",
            "6 type",
            "7 reexport"
        ]
    );
    assert_eq!(
        sites(2),
        [
            "1 import",
            "4 extends",
            "5 type",
            "6 reference",
            "7 reexport"
        ]
    );
}

const INNER: &str = "\
//- /config.py
def load(): pass
//- /main.py
def run():
    from config import load
    return load()
def again():
    from config import load as read
    return read()
";

#[test]
fn imports_inside_of_functions_are_lines_of_their_names() {
    assert_eq!(
        lines(INNER, "load", "config.py"),
        [
            "main.py:2 import resolved",
            "main.py:3 call member",
            "main.py:5 import resolved",
            "main.py:6 call member"
        ]
    );
}

const BY_CLASS: &str = "\
//- /base.py
class Base:
    def save(self):
        pass
    @classmethod
    def make(cls):
        pass
//- /kinds.py
from base import Base
class First(Base):
    def save(self):
        Base.save(self)
    @classmethod
    def make(cls):
        pass
class Second(Base):
    def save(self):
        pass
//- /use.py
from base import Base
from kinds import First, Second
def through_object(one: Base):
    one.save()
def through_class(one):
    Second.save(one)
def made():
    Base.make()
";

#[test]
fn a_method_that_is_called_through_its_class_is_no_other() {
    let second = callers(BY_CLASS, "kinds.py", 9);
    assert_eq!(
        second,
        [
            "use.py through_class resolved",
            "use.py through_object dispatch"
        ]
    );
    let first = callers(BY_CLASS, "kinds.py", 3);
    assert_eq!(first, ["use.py through_object dispatch"]);
    let base = callers(BY_CLASS, "base.py", 2);
    assert_eq!(
        base,
        [
            "kinds.py First.save resolved",
            "use.py through_object member"
        ]
    );
    // `cls.make()` runs the method of whatever class `cls` is: those through a class count.
    let made = callers(BY_CLASS, "kinds.py", 5);
    assert_eq!(made, ["use.py made dispatch"]);
}

const LITERALS: &str = "\
//- /types.ts
export interface Base { open(): void }
export interface Store extends Base { open(): void; size: () => number }
//- /noop.ts
import type { Store } from './types'
export const noop: Store = {
  open() {},
  size: () => 0,
}
export const plain = {
  open() {},
}
export const sure = {
  open() {},
} satisfies Partial<Store>
export function local() {
  const inner: Store = {
    open() {},
    size: () => 0,
  }
  return inner
}
//- /use.ts
import type { Base, Store } from './types'
export function use(store: Store) { store.open(); store.size() }
export function base(it: Base) { it.open() }
";

#[test]
fn methods_of_a_literal_have_the_callers_of_its_type() {
    let of_open = [
        "noop.ts local dispatch",
        "noop.ts sure.open dispatch",
        "use.ts base dispatch",
        "use.ts use dispatch",
    ];
    assert_eq!(callers(LITERALS, "noop.ts", 3), of_open);
    assert_eq!(
        callers(LITERALS, "noop.ts", 4),
        ["noop.ts local dispatch", "use.ts use dispatch"]
    );
    assert_eq!(callers(LITERALS, "noop.ts", 7), [""; 0], "without a type");
    assert_eq!(
        callers(LITERALS, "noop.ts", 14),
        [
            "noop.ts local dispatch",
            "noop.ts noop.open dispatch",
            "noop.ts sure.open dispatch",
            "use.ts base dispatch",
            "use.ts use dispatch",
        ],
        "of a function"
    );
}

#[test]
fn a_member_may_be_used_through_an_interface_that_its_type_fits() {
    let files = "\
//- /a.ts
export interface Loader { load(id: string): string; close?(): void; size: number }
export interface Unused { load(): void }
export const run = (it: Loader) => it.load('a') + it.size
export class Whole { size = 1; load(id: string) { return id } static close() {} }
export class Part { load(id: string) { return id } }
export class Own implements Loader { size = 1; load(id: string) { return id } }
export const value = { size: 1, load: (id: string) => id }
export const direct = new Whole().load('b')
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    for (name, is_told) in [
        ("Whole.load", true),
        ("Whole.size", true),
        ("Part.load", false),
        ("Own.size", false),
        ("value.load", true),
    ] {
        let said = cli.json(&["impact", name]);
        let summary = said["summary"].as_str().unwrap();
        let member = name.split_once('.').unwrap().1;
        let told = format!("it may be used through `Loader.{member}` (a.ts), which it fits");
        assert_eq!(summary.contains(&told), is_told, "{name}: {summary}");
    }
}

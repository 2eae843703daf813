//! The rules of the evaluator, one source text each: what stands before a dot.

use super::answers::check_types;

#[test]
fn a_name_is_what_it_is_bound_to() {
    check_types(
        "//- a.ts
export class Db { open() {} }
export const db = new Db()
//- b.ts
import { db, Db } from './a'
import * as all from './a'
db.open() //> type typeof db
Db.prototype //> type typeof Db
all.db //> type module
function use() {
  const local = db
  local.open() //> type typeof db
}
",
    );
}

#[test]
fn an_instance_is_what_was_annotated_or_constructed() {
    check_types(
        "//- a.ts
class Db { open() {} }
interface Shape { draw(): void }
function a(x: Db) {
  x.open() //> type Db
}
function b(x: Db | null) {
  x.open() //> type Db
}
function c(x: Shape | Db) {
  x.draw() //> type Shape | Db
}
function d(x: unknown) {
  x.draw() //> type ?
}
function e() {
  new Db().open() //> type Db
}
",
    );
}

#[test]
fn a_call_is_what_the_function_returns() {
    check_types(
        "//- a.ts
class Db { open(): Db { return this } close() {} }
function make() { return new Db() }
function all(): Db[] { return [] }
const later = async () => new Db()
make().open() //> type Db
all().map(x => x) //> type Db[]
make().open().close() //> type Db
async function use() {
  (await later()).open() //> type Db
}
",
    );
}

#[test]
fn an_element_is_what_its_container_holds() {
    check_types(
        "//- a.ts
class Db { a() {} b() {} c() {} d() {} e() {} f() {} }
function use(list: Db[], map: Map<string, Db>, record: Record<string, Db>) {
  list[0].a() //> type Db
  for (const one of list) one.b() //> type Db
  list.filter(x => x)[0].c() //> type Db
  list.find(x => x).d() //> type Db
  map.get('a').e() //> type Db
  record.anything.f() //> type Db
}
",
    );
}

#[test]
fn a_generic_type_gives_its_members_what_it_is_given() {
    check_types(
        "//- a.ts
class Item { a() {} b() {} c() {} }
class List<T> { first(): T; all: T[] }
class Items extends List<Item> {}
function use(list: List<Item>, items: Items) {
  list.first().a() //> type Item
  list.all[0].b() //> type Item
  items.first().c() //> type Item
}
",
    );
}

#[test]
fn the_receiver_is_an_instance_of_the_class_around() {
    check_types(
        "//- a.ts
class Base { run() {} }
class Job extends Base {
  db = new Base()
  run() {
    this.run() //> type Job
    super.run() //> type Base
    this.db.run() //> type typeof Job.db
  }
  later() {
    const inner = () => this.run() //> type Job
  }
  static make() {
    this.make() //> type typeof Job
  }
}
",
    );
}

#[test]
fn a_callback_is_given_what_its_caller_says() {
    check_types(
        "//- a.ts
class Job { run() {} }
function each(cb: (job: Job) => void) {}
each(job => {
  job.run() //> type Job
})
",
    );
}

#[test]
fn an_argument_says_what_a_type_parameter_stands_for() {
    check_types(
        "//- a.ts
class Job { run() {} stop() {} }
function made<T>(type: new () => T): T { return new type() }
function same<T>(one: T): T { return one }
made(Job).run() //> type Job
same(new Job()).stop() //> type Job
",
    );
}

#[test]
fn fields_of_a_struct_without_a_name_are_no_embedded_types() {
    check_types(
        "//- go.mod
module example.com/a
//- a.go
package a
type Config struct{}
type Holder struct{ Config }
func unnamed(rows []struct{ Config *Config }) {
	_ = rows[0].Config //> means parameter
}
func embedded(h Holder) {
	_ = h.Config //> means Config
}
",
    );
}

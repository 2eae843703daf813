//! Callers of definitions that stand for each other where code runs, by the class by which each is known: of a method and of
//! what it overrides, of overloads, of definitions for other platforms.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Cli, Fixture};

/// Returns `path caller class` of each direct caller of the definition at a line.
pub(crate) fn callers(files: &str, path: &str, line: u64) -> Vec<String> {
    let repo = Fixture::parse(&format!("{files}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let map: Value = cli.json(&["map", path, "--all"]);
    let handle = handle_at(&map, line).unwrap_or_else(|| panic!("{path}:{line} in {map}"));
    let said: Value = cli.json(&["impact", "--handle", &handle, "--depth", "1"]);
    let usual = said["defaults"]["provenance"].as_str().unwrap_or_default();
    let list = said["callers"].as_array().unwrap().iter();
    let mut found: Vec<String> = list
        .map(|it| {
            let text = |field: &str| it[field].as_str();
            format!(
                "{} {} {}",
                text("path").unwrap(),
                text("symbol").unwrap_or_default(),
                text("provenance").unwrap_or(usual)
            )
        })
        .collect();
    found.sort();
    found
}

/// Returns the handle of the first method or function that begins at a line, else of the first definition there.
fn handle_at(map: &Value, line: u64) -> Option<String> {
    let symbols = map["files"][0]["symbols"].as_array()?;
    let mut here = symbols.iter().filter(|it| it["startLine"] == line);
    let is_run = |it: &&Value| {
        matches!(
            it["kind"].as_str(),
            Some("method" | "function" | "constructor")
        )
    };
    let found = here.clone().find(is_run).or_else(|| here.next());
    Some(found?["handle"].as_str()?.to_owned())
}

const JAVA: &str = "\
//- /p/Store.java
package p;
public interface Store<K> {
  void open(K key);
  default void warm() {}
}
//- /p/Base.java
package p;
abstract class Base implements Store<String> {
  public void open(String key) {}
  public void open(int n) {}
  private void hidden() {}
  static void make() {}
}
//- /p/Disk.java
package p;
class Disk extends Base {
  @Override public void open(String key) { super.open(key); }
  private void hidden() {}
  static void make() {}
}
//- /p/Other.java
package p;
class Other {
  public void open(String key) {}
}
//- /p/Use.java
package p;
class Use {
  void byInterface(Store<String> s) { s.open(\"a\"); s.warm(); }
  void byBase(Base s) { s.open(\"a\"); }
  void byClass(Disk s) { s.open(\"a\"); }
  void other(Other s) { s.open(\"a\"); }
  void number(Disk s) { s.open(1); }
  void made(Runner r) {
    r.run(new Store<String>() {
      public void open(String key) {}
    });
  }
}
//- /p/Runner.java
package p;
class Runner {
  void run(Store<String> s) { s.open(\"x\"); }
}
";

#[test]
fn callers_of_an_interface_may_call_what_implements_it() {
    assert_eq!(
        callers(JAVA, "p/Disk.java", 3),
        [
            "p/Runner.java Runner.run dispatch",
            "p/Use.java Use.byBase dispatch",
            "p/Use.java Use.byClass member",
            "p/Use.java Use.byInterface dispatch",
        ]
    );
    assert_eq!(
        callers(JAVA, "p/Store.java", 3),
        [
            "p/Disk.java Disk.open dispatch",
            "p/Runner.java Runner.run member",
            "p/Use.java Use.byBase dispatch",
            "p/Use.java Use.byClass dispatch",
            "p/Use.java Use.byInterface member",
        ]
    );
    assert_eq!(
        callers(JAVA, "p/Use.java", 10),
        [
            "p/Runner.java Runner.run dispatch",
            "p/Use.java Use.byInterface dispatch",
        ],
        "a class without a name implements it"
    );
}

#[test]
fn what_no_call_dispatches_has_its_own_callers_alone() {
    assert_eq!(
        callers(JAVA, "p/Base.java", 4),
        ["p/Use.java Use.number member"],
        "another overload"
    );
    assert_eq!(callers(JAVA, "p/Disk.java", 4), [""; 0], "private");
    assert_eq!(callers(JAVA, "p/Disk.java", 5), [""; 0], "static");
    assert_eq!(
        callers(JAVA, "p/Other.java", 3),
        ["p/Use.java Use.other member"],
        "another class with such a method"
    );
}

#[test]
fn an_overload_that_calls_another_has_its_own_callers_in_reach() {
    let files = "\
//- /p/Json.java
package p;
class Json {
  void add(String text) {}
  void add(int number) { add(\"a\"); }
}
//- /p/Use.java
package p;
class Use { void run(Json json) { json.add(1); } }
";
    let repo = Fixture::parse(&format!("{files}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let map: Value = cli.json(&["map", "p/Json.java", "--all"]);
    let handle = handle_at(&map, 3).unwrap();
    let said: Value = cli.json(&["impact", "--handle", &handle, "--depth", "2"]);
    let files = said["affectedFiles"].to_string();
    assert!(files.contains("p/Use.java"), "{files}");
}

#[test]
fn overloads_that_the_arguments_do_not_decide_share_a_caller() {
    let files = "\
//- /p/Json.java
package p;
class Json {
  void add(String text) {}
  void add(int number) {}
  void add(String name, int number) {}
}
//- /p/Use.java
package p;
class Use {
  void known(Json json) { json.add(\"a\"); }
  void unknown(Json json, Missing it) { json.add(it.value()); }
}
";
    assert_eq!(
        callers(files, "p/Json.java", 3),
        [
            "p/Use.java Use.known member",
            "p/Use.java Use.unknown overload"
        ]
    );
    assert_eq!(
        callers(files, "p/Json.java", 4),
        ["p/Use.java Use.unknown overload"]
    );
    assert_eq!(callers(files, "p/Json.java", 5), [""; 0]);
}

const GO: &str = "\
//- /go.mod
module example.com/a
//- /store/store.go
package store

import \"io\"

type Options struct{}
type Opener interface {
	Open(name string, opts *Options) error
	io.Closer
}
type Small interface{ Close() error }
type Wrong interface {
	Open(name int, opts *Options) error
}
//- /disk/disk.go
package disk

import \"example.com/a/store\"

type Base struct{}

func (b *Base) Close() error { return nil }

type Disk struct{ *Base }

func (d *Disk) Open(path string, opts *store.Options) error { return nil }

type Other struct{}

func (o Other) Open(path string) error { return nil }
//- /main.go
package main

import (
	\"example.com/a/disk\"
	\"example.com/a/store\"
)

func byInterface(o store.Opener, w store.Wrong) {
	o.Open(\"a\", nil)
	w.Open(1, nil)
}
func byType(d *disk.Disk, o disk.Other) {
	d.Open(\"a\", nil)
	o.Open(\"a\")
}
func closes(s store.Small) { s.Close() }
//- /os_linux.go
package main

func sync() {}

func run() { sync() }
//- /os_windows.go
package main

func sync() {}
";

#[test]
fn interfaces_of_go_embed_those_of_the_standard_library() {
    let files = "\
//- /go.mod
module example.com/a
//- /a.go
package a

import (
	\"fmt\"
	\"io\"
)

type Closing interface {
	Open1()
	io.Closer
}
type Reading interface {
	Open2()
	io.Reader
}
type Writing interface {
	Open3()
	io.Writer
}
type Naming interface {
	Open4()
	fmt.Stringer
}
type Disk struct{}

func (d Disk) Open1()                            {}
func (d Disk) Open2()                            {}
func (d Disk) Open3()                            {}
func (d Disk) Open4()                            {}
func (d Disk) Close() error                      { return nil }
func (d Disk) Read(b []byte) (n int, err error)  { return 0, nil }
func (d Disk) Write(b []byte) (n int, err error) { return 0, nil }
func (d Disk) String() string                    { return \"\" }

type Lacking struct{}

func (l Lacking) Open1() {}

func run(c Closing, r Reading, w Writing, n Naming) {
	c.Open1()
	r.Open2()
	w.Open3()
	n.Open4()
}
";
    for line in 26..=29 {
        assert_eq!(
            callers(files, "a.go", line),
            ["a.go run dispatch"],
            "{line}"
        );
    }
    assert_eq!(callers(files, "a.go", 37), [""; 0], "without Close()");
}

#[test]
fn types_of_go_implement_interfaces_by_their_method_sets() {
    assert_eq!(
        callers(GO, "disk/disk.go", 11),
        ["main.go byInterface dispatch", "main.go byType member"],
        "the method that closes is promoted"
    );
    assert_eq!(
        callers(GO, "store/store.go", 7),
        ["main.go byInterface member", "main.go byType dispatch"]
    );
    assert_eq!(
        callers(GO, "disk/disk.go", 15),
        ["main.go byType member"],
        "another number of parameters"
    );
    assert_eq!(
        callers(GO, "store/store.go", 12),
        ["main.go byInterface member"],
        "a parameter of another type"
    );
    assert_eq!(callers(GO, "disk/disk.go", 7), ["main.go closes dispatch"]);
}

const RUST: &str = "\
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub mod disk;
pub mod flag;
//- /src/flag.rs
pub trait Flag: std::fmt::Debug {
    fn name_long(&self) -> &'static str;
    fn make() -> Self where Self: Sized;
    fn twice(&self) -> usize { self.name_long().len() * 2 }
}
pub fn by_object(flag: &dyn Flag) { flag.name_long(); }
pub fn by_bound<T: Flag>(flag: T) { flag.name_long(); T::make(); }
//- /src/disk.rs
use crate::flag::Flag as Named;
#[derive(Debug)]
pub struct Disk;
#[derive(Debug)]
pub struct Tape;
impl Named for Disk {
    fn name_long(&self) -> &'static str { \"disk\" }
    fn make() -> Self { Disk }
}
impl Named for Tape {
    fn name_long(&self) -> &'static str { \"tape\" }
    fn make() -> Self { Tape }
    fn twice(&self) -> usize { 0 }
}
pub struct Other;
impl Other {
    pub fn name_long(&self) {}
}
pub trait Label { fn name_long(&self); }
impl Label for u8 { fn name_long(&self) {} }
pub fn by_type(disk: Disk, other: Other) { disk.name_long(); other.name_long(); }
pub fn by_label(label: &dyn Label) { label.name_long(); }
";

#[test]
fn methods_of_impl_blocks_have_the_callers_of_their_trait() {
    assert_eq!(
        callers(RUST, "src/disk.rs", 7),
        [
            "src/disk.rs by_type member",
            "src/flag.rs Flag.twice dispatch",
            "src/flag.rs by_bound dispatch",
            "src/flag.rs by_object dispatch",
        ]
    );
    assert_eq!(
        callers(RUST, "src/flag.rs", 2),
        [
            "src/disk.rs by_type dispatch",
            "src/flag.rs Flag.twice member",
            "src/flag.rs by_bound member",
            "src/flag.rs by_object member",
        ]
    );
    assert_eq!(
        callers(RUST, "src/disk.rs", 12),
        ["src/flag.rs by_bound dispatch"],
        "a function without a receiver"
    );
    assert_eq!(
        callers(RUST, "src/disk.rs", 17),
        ["src/disk.rs by_type member"],
        "a method of no trait"
    );
    assert_eq!(
        callers(RUST, "src/disk.rs", 20),
        ["src/disk.rs by_label dispatch"],
        "a trait for a type of the language"
    );
}

#[test]
fn definitions_for_other_platforms_have_the_callers_of_the_usual_one() {
    assert_eq!(
        callers(GO, "os_windows.go", 3),
        ["os_linux.go run alternative"]
    );
    assert_eq!(callers(GO, "os_linux.go", 3), ["os_linux.go run resolved"]);
}

#[test]
fn variables_for_other_builds_have_the_users_of_the_usual_one() {
    let text = "//- /go.mod\nmodule example.com/a\n//- /all.go\n//go:build !small\n\npackage a\n\nvar Plain = 1\n\
        //- /small.go\n//go:build small\n\npackage a\n\nvar Plain = 2\n//- /use.go\npackage a\n\nfunc run() int { return Plain }\n";
    assert_eq!(callers(text, "small.go", 5), ["use.go run alternative"]);
    assert_eq!(callers(text, "all.go", 5), ["use.go run resolved"]);
}

#[test]
fn classes_of_other_languages_override_too() {
    let files = "\
//- /a.ts
export interface Store { open(): void }
export class Disk implements Store { open() {} #close() {} }
export class Fast extends Disk { open() { super.open() } #close() {} }
export class Other { open() {} }
//- /use.ts
import { Disk, type Store } from './a';
export function byInterface(s: Store) { s.open() }
export function byClass(s: Disk) { s.open() }
//- /a.py
class Base:
    def __init__(self): pass
    def open(self): pass
class Disk(Base):
    def __init__(self): pass
    def open(self): pass
def by_base(s: Base): s.open()
def by_class(s: Disk): s.open()
def make(): return Base()
";
    assert_eq!(
        callers(files, "a.ts", 3),
        ["use.ts byClass dispatch", "use.ts byInterface dispatch"]
    );
    assert_eq!(
        callers(files, "a.ts", 1),
        [
            "a.ts Fast.open dispatch",
            "use.ts byClass dispatch",
            "use.ts byInterface member",
        ]
    );
    assert_eq!(callers(files, "a.ts", 4), [""; 0]);
    assert_eq!(
        callers(files, "a.py", 6),
        ["a.py by_base dispatch", "a.py by_class member"]
    );
    assert_eq!(callers(files, "a.py", 5), [""; 0], "it runs `Base()` not");
}

const CONDITIONS: &str = "\
//- /Cargo.toml
[package]
name = 'shop'
//- /src/lib.rs
pub struct Disk;
#[cfg(unix)]
pub fn open(path: &str) {}
#[cfg(windows)]
pub fn open(path: &str) {}
impl Disk {
    #[cfg(unix)]
    pub fn sync(&self) {}
    #[cfg(not(unix))]
    pub fn sync(&self) {}
}
pub struct Row<T>(T);
impl Row<u8> { pub fn read(&self) -> u8 { 0 } }
impl Row<u16> { pub fn read(&self) -> u16 { 0 } }
pub fn run(disk: &Disk, row: &Row<u8>) {
    open(\"a\");
    disk.sync();
    row.read();
}
pub fn is_open() -> bool {
    #[cfg(unix)]
    fn imp() -> bool { true }
    #[cfg(not(unix))]
    fn imp() -> bool { false }
    imp()
}
";

#[test]
fn definitions_under_exclusive_conditions_are_alternatives() {
    assert_eq!(
        callers(CONDITIONS, "src/lib.rs", 2),
        ["src/lib.rs run resolved"]
    );
    assert_eq!(
        callers(CONDITIONS, "src/lib.rs", 4),
        ["src/lib.rs run alternative"]
    );
    assert_eq!(
        callers(CONDITIONS, "src/lib.rs", 9),
        ["src/lib.rs run alternative"]
    );
    assert_eq!(
        callers(CONDITIONS, "src/lib.rs", 14),
        [""; 0],
        "of another type"
    );
    assert_eq!(
        callers(CONDITIONS, "src/lib.rs", 21),
        ["src/lib.rs is_open alternative"],
        "inside of a function"
    );
    assert_eq!(
        callers(CONDITIONS, "src/lib.rs", 23),
        ["src/lib.rs is_open resolved"]
    );
}

#[test]
fn dispatch_is_followed_at_each_step() {
    let files = "\
//- /a.ts
export function sign(): void {}
export abstract class Store { abstract open(): void }
export class Disk extends Store { open() { sign() } }
//- /use.ts
import { type Store } from './a';
export function run(s: Store) { s.open() }
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let said: Value = cli.json(&["impact", "sign"]);
    assert_eq!(said["affectedFiles"].as_array().unwrap().len(), 1, "{said}");
    assert_eq!(
        said["byDispatch"]["files"],
        serde_json::json!(["use.ts"]),
        "{said}"
    );
    let summary = said["summary"].as_str().unwrap();
    assert!(
        summary.contains("1 file and 0 test files more may be reached by dispatch"),
        "{said}"
    );
}

#[test]
fn unknown_uses_of_callers_are_counted() {
    let files = "\
//- /a.ts
export function sign(): void {}
export class Disk { open() { sign() } }
//- /use.ts
export function run(s: any) { s.open() }
//- commit all
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let said: Value = cli.json(&["impact", "sign"]);
    assert_eq!(said["completeness"]["unresolvedVia"], 1, "{said}");
    let note = said["confidenceNote"].as_str().unwrap();
    assert!(
        note.starts_with("More files and tests may be reached"),
        "{note}"
    );
}

const SLOTS: &str = "\
//- /go.mod
module example.com/a
//- /server/server.go
package server

type Server struct {
	Handle  func(string) error
	Counted func()
	next    *Server
	opened  bool
}

var Default = fallback

var Hook func()

func fallback(name string) error { return nil }

func (s *Server) Serve() {
	if s.Handle != nil {
		s.Handle(\"a\")
	}
	s.next.Counted()
}
func byDefault() { Default(\"b\") }
func RunHook()   { Hook() }
//- /main.go
package main

import \"example.com/a/server\"

type store struct{ opened bool }

func (s *store) open(name string) error { return nil }
func count()                            {}
func hook()                             {}
func other()                            {}
func named() bool                       { return true }

func literal(s *store) *server.Server {
	return &server.Server{Handle: s.open}
}
func assigned(s *server.Server) {
	one := count
	s.Counted = one
	server.Hook = hook
}
func local(s *server.Server, flag bool) {
	held := other
	held()
	s.opened = flag
}
func result(s *store) { s.opened = named() }
//- commit base
";

#[test]
fn calls_of_a_field_run_the_functions_that_are_assigned_to_it() {
    let server = "server/server.go";
    for (what, path, line, wanted) in [
        (
            "a method value in a literal, seen from another package",
            "main.go",
            7,
            [
                "main.go literal member",
                "server/server.go Server.Serve dispatch",
            ],
        ),
        (
            "by way of a local name",
            "main.go",
            8,
            [
                "main.go assigned resolved",
                "server/server.go Server.Serve dispatch",
            ],
        ),
        (
            "a variable of another package; code that assigns to it runs nothing",
            "main.go",
            9,
            [
                "main.go assigned resolved",
                "server/server.go RunHook dispatch",
            ],
        ),
        (
            "the initial value of a variable",
            server,
            14,
            [
                "server/server.go Default resolved",
                "server/server.go byDefault dispatch",
            ],
        ),
    ] {
        assert_eq!(callers(SLOTS, path, line), wanted, "{what}");
    }
    // A local variable is none, and a result is not the function that gave it.
    assert_eq!(callers(SLOTS, "main.go", 10), ["main.go local resolved"]);
    assert_eq!(callers(SLOTS, "main.go", 11), ["main.go result resolved"]);
}

#[test]
fn an_interface_lists_the_types_that_satisfy_it() {
    let repo = Fixture::parse(&format!("{GO}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let said = |name: &str, path: &str| -> Value {
        cli.json(&["impact", name, "--path", path])["implementedBy"].clone()
    };
    // One of the methods is that of an embedded type.
    assert_eq!(
        said("Opener", "store/store.go"),
        serde_json::json!(["disk/disk.go:9 Disk"])
    );
    assert_eq!(
        said("Small", "store/store.go"),
        serde_json::json!(["disk/disk.go:5 Base"])
    );
    assert_eq!(
        said("Opener.Open", "store/store.go"),
        serde_json::json!(["disk/disk.go:11 Disk.Open"])
    );
    assert_eq!(said("Wrong", "store/store.go"), Value::Null);
    assert_eq!(said("Disk", "disk/disk.go"), Value::Null);
}

#[test]
fn implementations_are_counted_and_all_are_listed_on_demand() {
    let mut text = String::from(
        "//- /go.mod\nmodule example.com/many\n\n//- /store.go\npackage many\n\ntype Store interface{ Open() error }\n",
    );
    for n in 0..120 {
        write!(
            text,
            "//- /disk_{n:03}_of_a_package_with_long_names.go\npackage many\n\ntype Disk{n} struct{{}}\n\nfunc (d *Disk{n}) Open() error {{ return nil }}\n",
        )
        .unwrap();
    }
    let repo = Fixture::parse(&format!("{text}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    for name in ["Store", "Store.Open"] {
        let said = cli.json(&["impact", name, "--path", "store.go"]);
        let n_listed = said["implementedBy"].as_array().unwrap().len();
        assert!(
            n_listed < 120 && said["truncated"] == true,
            "{name}: {n_listed}"
        );
        let summary = said["summary"].as_str().unwrap();
        assert!(
            summary.contains("120 definitions implement it."),
            "{summary}"
        );
        let said = cli.json(&["impact", name, "--path", "store.go", "--limit", "500"]);
        assert_eq!(
            said["implementedBy"].as_array().unwrap().len(),
            120,
            "{name}"
        );
    }
}

#[test]
fn overloads_that_are_asked_by_name_are_told() {
    let text = "//- /A.java\nclass A { void run(int n) {} void run(String s) {} void one() {} }\n//- /B.java\nclass B { void f(A a) { a.run(1); a.run(\"s\"); a.one(); } }\n";
    let repo = Fixture::parse(&format!("{text}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let summary = |name: &str| {
        cli.json(&["impact", name])["summary"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(
        summary("A.run").contains("2 overloads together"),
        "{}",
        summary("A.run")
    );
    assert!(
        !summary("A.one").contains("overload"),
        "{}",
        summary("A.one")
    );
}

const CPP: &str = "\
//- /store.h
class Store {
 public:
  virtual ~Store() = default;
  virtual int Open(int id) = 0;
  virtual int Warm(int id);
  int Open(int id, int flags);
};
//- /store.cc
#include \"store.h\"
int Store::Warm(int id) { return id; }
int Store::Open(int id, int flags) { return flags; }
//- /disk.h
#include \"store.h\"
class Disk : public Store {
 public:
  int Open(int id) override;
  int Warm(int id) override;
};
//- /disk.cc
#include \"disk.h\"
int Disk::Open(int id) { return id; }
int Disk::Warm(int id) { return id; }
//- /use.cc
#include \"store.h\"
int by_base(Store* store) { return store->Open(1); }
int warm(Store* store) { return store->Warm(1); }
int flags(Store* store) { return store->Open(1, 2); }
";

#[test]
fn a_method_defined_out_of_line_overrides_as_its_declaration_does() {
    let open = callers(CPP, "disk.cc", 2);
    assert_eq!(open, ["use.cc by_base dispatch"]);
    let warm = callers(CPP, "disk.cc", 3);
    assert_eq!(warm, ["use.cc warm dispatch"]);
    let declared = callers(CPP, "disk.h", 4);
    assert_eq!(declared, open);
    let base = callers(CPP, "store.cc", 3);
    assert_eq!(base, ["use.cc flags member"]);
}

const PLATFORMS: &str = "\
//- /include/loop.h
int loop_init(int n);
int loop_size(int n);
//- /src/unix/loop.c
#include \"loop.h\"
int loop_init(int n) { return n; }
//- /src/win/loop.c
#include \"loop.h\"
int loop_init(int n) { return n + 1; }
//- /src/size.c
#include \"loop.h\"
int loop_size(int n) { return n; }
//- /test/use.c
#include \"loop.h\"
int use(int n) { return loop_init(n) + loop_size(n); }
";

#[test]
fn uses_of_a_declaration_are_those_of_its_definitions() {
    for path in ["src/unix/loop.c", "src/win/loop.c"] {
        let found = callers(PLATFORMS, path, 2);
        assert_eq!(found, ["test/use.c use alternative"], "{path}");
    }
    let declared = callers(PLATFORMS, "include/loop.h", 1);
    assert_eq!(declared, ["test/use.c use resolved"]);
    let declared = callers(PLATFORMS, "include/loop.h", 2);
    assert_eq!(declared, ["test/use.c use resolved"]);
}

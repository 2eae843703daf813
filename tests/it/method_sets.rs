//! Types of Go and the interfaces that they satisfy where outside types or written-out types have a part in it.

use serde_json::Value;

use crate::dispatch::callers;
use crate::support::{Cli, Fixture};

const OUTSIDE: &str = "\
//- /go.mod
module example.com/a
//- /a.go
package a

import (
	\"io\"

	\"example.org/suture/v4\"
)

type Composite interface {
	io.WriteCloser
	Open1() int
}
type Served interface {
	suture.Service
	Open2() int
}
type Takes interface{ Open3(f func(n int) error) int }
type Gives interface{ Open4() func() error }
type Waits interface{ Open5(c <-chan struct{}) (<-chan int, error) }
type Info interface {
	IsDir() bool
	Open6() int
}
type Locked interface {
	Lock()
	Open7() int
}
type Running interface {
	Run() error
	Open8() int
}
type Synced interface {
	Sync() error
	Open10() int
}
type Generic[T any] interface{ Open9(all []T) map[string]T }

type A struct{}

func (A) Write(b []byte) (n int, err error)         { return 0, nil }
func (A) Close() error                              { return nil }
func (A) Open1() int                                { return 1 }
func (A) Open2() int                                { return 1 }
func (A) Open3(each func(int) error) int            { return 1 }
func (A) Open4() (f func() error)                   { return nil }
func (A) Open5(<-chan struct{}) (<-chan int, error) { return nil, nil }
func (A) Open9(all []int) map[string]int            { return nil }

//- /c.go
package a

import (
	\"os\"
	\"sync\"

	\"example.org/suture/v4\"
)

type B struct{ os.FileInfo }

func (B) Open6() int { return 1 }

type C struct{ *suture.Supervisor }

func (*C) Open8() int { return 1 }

type D struct{ sync.RWMutex }

func (*D) Open7() int { return 1 }
func (*D) Open8() int { return 1 }

type E struct{ D }
type G struct{ *os.File }
type Names []string

func (G) Open10() int     { return 1 }
func (Names) Open10() int { return 1 }

func (*E) Open7() int { return 1 }

func run(a Composite, b Served, c Takes, d Gives, e Waits, f Info, g Locked, h Running, i Generic[int], j Synced) {
	a.Open1()
	b.Open2()
	c.Open3(nil)
	d.Open4()
	e.Open5(nil)
	f.Open6()
	g.Open7()
	h.Open8()
	i.Open9(nil)
	j.Open10()
}
//- /b.go
package a

import \"io\"

type F struct{ IsDir io.Closer }

func (F) Open1() int                        { return 1 }
func (F) Open3(each func(string) error) int { return 1 }
func (F) Open4() func() int                 { return nil }
func (F) Open5(chan struct{}) (<-chan int, error) {
	return nil, nil
}
func (F) Open6() int                  { return 1 }
func (F) Open7() int                  { return 1 }
func (F) Open8() int                  { return 1 }
func (F) Open9(all []int) map[int]int { return nil }
";

/// Returns the file of `OUTSIDE` with a line that begins with a text, and that line.
fn outside_line(head: &str) -> (&'static str, u64) {
    for part in OUTSIDE.split("//- /").skip(2) {
        let (path, source) = part.split_once('\n').unwrap();
        if let Some(at) = source.lines().position(|it| it.starts_with(head)) {
            return (path, at as u64 + 1);
        }
    }
    panic!("{head}")
}

#[test]
fn types_of_go_may_satisfy_what_outside_types_decide() {
    for head in [
        "func (A) Open1",  // `io.WriteCloser`, whose methods are known
        "func (A) Open2",  // `suture.Service`, whose methods are not
        "func (A) Open3",  // a function as a parameter
        "func (A) Open4",  // and as a result
        "func (A) Open5",  // channels with a direction
        "func (A) Open9",  // a type parameter in a type
        "func (B) Open6",  // `IsDir` of the embedded `os.FileInfo`
        "func (*C) Open8", // `Run`, which `*suture.Supervisor` may have
        "func (*D) Open7", // `Lock` of the embedded `sync.RWMutex`
        "func (G) Open10", // `Sync` of the embedded `*os.File`
        "func (*E) Open7", // the same, of a type that is embedded
    ] {
        let (path, line) = outside_line(head);
        let found = callers(OUTSIDE, path, line);
        assert_eq!(found, ["c.go run dispatch"], "{head}");
    }
}

#[test]
fn types_of_go_satisfy_nothing_by_too_few_or_other_methods() {
    for head in [
        "func (F) Open1", // no `Write` and `Close`
        "func (F) Open3", // a function of other parameters
        "func (F) Open4", // and of another result
        "func (F) Open5", // a channel without a direction
        "func (F) Open6", // a field `IsDir`
        "func (F) Open7", // no `Lock`
        "func (F) Open8", // no `Run`
        "func (F) Open9", // another key
    ] {
        let (path, line) = outside_line(head);
        assert_eq!(callers(OUTSIDE, path, line), [""; 0], "{head}");
    }
    // `sync.RWMutex` has no `Run`, and a slice embeds nothing.
    for head in ["func (*D) Open8", "func (Names) Open10"] {
        let (path, line) = outside_line(head);
        assert_eq!(callers(OUTSIDE, path, line), [""; 0], "{head}");
    }
}

#[test]
fn an_interface_lists_types_that_have_methods_from_outside() {
    let repo = Fixture::parse(&format!("{OUTSIDE}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let said = |name: &str| -> Value { cli.json(&["impact", name])["implementedBy"].clone() };
    let line = |head: &str, name: &str| {
        let (path, line) = outside_line(head);
        format!("{path}:{line} {name}")
    };
    for (interface, wanted) in [
        ("Composite", vec![line("type A struct", "A")]),
        ("Served", vec![line("type A struct", "A")]),
        ("Info", vec![line("type B struct", "B")]),
        (
            "Locked",
            vec![line("type D struct", "D"), line("type E struct", "E")],
        ),
        ("Running", vec![line("type C struct", "C")]),
        ("Synced", vec![line("type G struct", "G")]),
        ("Generic", vec![line("type A struct", "A")]),
        ("Info.Open6", vec![line("func (B) Open6", "B.Open6")]),
    ] {
        assert_eq!(said(interface), serde_json::json!(wanted), "{interface}");
    }
    // Nobody declares it: it is that of an embedded type.
    assert_eq!(said("Locked.Lock"), Value::Null);
}

const PROMOTED: &str = "\
//- /go.mod
module example.com/a
//- /a.go
package a

type Store interface {
	Open() error
	Close() error
}

type base struct{}

func (*base) Close() error { return nil }

type memory struct{ *base }

func (memory) Open() error { return nil }

type cached struct{ memory }

func (cached) Close() error { return nil }

type lone struct{}

func (lone) Close() error { return nil }

func run(s Store) error { return s.Close() }
";

#[test]
fn promoted_methods_are_called_through_the_interfaces_of_the_types_around() {
    let line = |head: &str| {
        let source = PROMOTED.split_once("/a.go\n").unwrap().1;
        source.lines().position(|it| it.starts_with(head)).unwrap() as u64 + 1
    };
    for (head, wanted) in [
        ("func (*base) Close", vec!["a.go run dispatch"]),
        ("func (cached) Close", vec!["a.go run dispatch"]),
        ("func (lone) Close", vec![]),
    ] {
        assert_eq!(callers(PROMOTED, "a.go", line(head)), wanted, "{head}");
    }
    let repo = Fixture::parse(&format!("{PROMOTED}//- commit all\n")).build();
    let answer = Cli::new(repo.path()).json(&["impact", "Store.Close"]);
    let wanted = [
        format!("a.go:{} base.Close", line("func (*base) Close")),
        format!("a.go:{} cached.Close", line("func (cached) Close")),
    ];
    assert_eq!(answer["implementedBy"], serde_json::json!(wanted));
}

#[test]
fn types_that_satisfy_an_interface_may_be_more_than_are_compared() {
    let types = |n: usize| -> String {
        let one = |at| format!("type T{at} struct{{}}\nfunc (T{at}) Close() {{}}\n");
        (0..n).map(one).collect()
    };
    let said = |n: usize| {
        let text = format!(
            "//- /go.mod\nmodule example.com/a\n//- /a.go\npackage a\n\
             type Store interface {{\n\tClose()\n\tOpen()\n}}\n\
             func (T1) Open() {{}}\nfunc (T2) Open() {{}}\n{}//- commit all\n",
            types(n)
        );
        let repo = Fixture::parse(&text).build();
        let answer = Cli::new(repo.path()).json(&["impact", "Store"]);
        answer["summary"].as_str().unwrap_or_default().to_owned()
    };
    let few = said(10);
    assert!(few.contains("2 definitions implement it."), "{few}");
    assert!(!few.contains("At least"), "{few}");
    let many = said(301);
    assert!(
        many.contains("At least 2 definitions implement it."),
        "{many}"
    );
}

//! C and C++ before preprocessing: files that conditions choose among, files that are included for their text, names that macros paste
//! together.

use serde_json::Value;

use crate::dispatch::callers;
use crate::support::{Cli, Fixture};

const CHOSEN: &str = r#"
//- /ae.c
#include "ae.h"
#ifdef HAVE_EPOLL
#include "ae_epoll.c"
#else
#include "ae_select.c"
#endif
int ae_create(int n) { return api_create(n); }
#ifdef HAVE_CLOCK
static int now(void) { return 1; }
#else
static int now(void) { return 2; }
#endif
int ae_now(void) { return now(); }
//- /ae.h
int ae_create(int n);
//- /ae_epoll.c
static int api_create(int n) { return n; }
//- /ae_select.c
static int api_create(int n) { return n + 1; }
static int own(int n) { return api_create(n); }
//- /other.c
static int api_create(int n) { return n + 2; }
int other(int n) { return api_create(n); }
//- /over.cc
#include "over.h"
#include "more.h"
int use(const char* text) { return put(1) + put(text) + put(1, 2); }
//- /over.h
#pragma once
inline int put(int n) { return n; }
//- /more.h
#pragma once
inline int put(const char* text) { return 0; }
inline int put(int n, int m) { return n; }
"#;

#[test]
fn definitions_that_a_condition_chooses_are_alternatives() {
    let chosen = callers(CHOSEN, "ae_epoll.c", 1);
    assert_eq!(chosen, ["ae.c ae_create resolved"]);
    let second = callers(CHOSEN, "ae_select.c", 1);
    assert_eq!(
        second,
        ["ae.c ae_create alternative", "ae_select.c own resolved"]
    );
    // No file includes it beside them.
    let other = callers(CHOSEN, "other.c", 1);
    assert_eq!(other, ["other.c other resolved"]);
    for line in [9, 11] {
        let found = callers(CHOSEN, "ae.c", line);
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert!(found[0].starts_with("ae.c ae_now "), "{found:?}");
    }
    // Other parameters: one program has all three.
    let texts = callers(CHOSEN, "more.h", 2);
    assert_eq!(texts, ["over.cc use resolved"]);
    let pairs = callers(CHOSEN, "more.h", 3);
    assert_eq!(pairs, ["over.cc use resolved"]);
}

const PLATFORMS: &str = r#"
//- /include/system.h
typedef int file_t;
int tty_open(file_t fd);
#ifdef __linux__
int count(int n);
#else
#define count(n) 0
#endif
#ifdef HAVE_MACROS
#define tell(n) 1
#else
int tell(int n);
#endif
//- /src/unix/tty.c
#include "system.h"
int tty_open(int fd) { return fd; }
//- /src/win/tty.c
#include "system.h"
int tty_open(file_t fd) { return fd + 1; }
//- /src/linux.c
#include "system.h"
int count(int n) { return n; }
int tell(int n) { return n; }
//- /src/main.c
#include "system.h"
int main(void) { return tty_open(1) + count(1) + tell(1); }
//- /tools/start.c
int start_all(long n);
int run(void) { return start_all(1); }
//- /lib/first.c
int start_all(int n) { return n; }
//- /more/second.c
int start_all(long n) { return n + 1; }
//- /test/pump.c
static void write_it(int n);
void pump(void) { write_it(1); }
static void write_it(int n) {}
//- /test/other.c
void write_it(long n) {}
"#;

#[test]
fn functions_of_c_are_those_of_their_declaration_whatever_their_parameters_are() {
    let alternative = ["src/main.c main alternative"];
    assert_eq!(callers(PLATFORMS, "src/unix/tty.c", 2), alternative);
    assert_eq!(callers(PLATFORMS, "src/win/tty.c", 2), alternative);
    // The declaration stands in the file of the call, and no definition includes it.
    let run = ["tools/start.c run alternative"];
    assert_eq!(callers(PLATFORMS, "lib/first.c", 1), run);
    assert_eq!(callers(PLATFORMS, "more/second.c", 1), run);
}

#[test]
fn a_function_and_a_macro_in_another_branch_have_the_users_of_each_other() {
    let alternative = ["src/main.c main alternative"];
    let resolved = ["src/main.c main resolved"];
    assert_eq!(callers(PLATFORMS, "src/linux.c", 2), resolved);
    assert_eq!(callers(PLATFORMS, "include/system.h", 6), alternative);
    assert_eq!(callers(PLATFORMS, "src/linux.c", 3), alternative);
    assert_eq!(callers(PLATFORMS, "include/system.h", 9), resolved);
}

#[test]
fn a_declaration_is_offered_that_holds_the_uses_of_several_definitions() {
    let repo = Fixture::parse(&format!("{PLATFORMS}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let said: Value = cli.json(&["impact", "tty_open"]);
    let list = said["candidates"].as_array().unwrap().iter();
    let paths: Vec<&str> = list.map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        ["src/unix/tty.c", "src/win/tty.c", "include/system.h"]
    );
    // The prototype and the function behind it are one.
    let said: Value = cli.json(&["impact", "write_it", "--path", "test/pump.c"]);
    assert_eq!(said["callers"][0]["symbol"], "pump", "{said}");
}

#[test]
fn an_include_that_several_files_fit_is_named_with_each() {
    let files = "\
//- /core/core.h
#include <files.h>
//- /os/unix/files.h
int open_file(void);
//- /os/windows/files.h
int open_file(void);
//- /os/windows/alone.h
int alone;
//- commit base
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let note = |path: &str, types: &str| {
        let said: Value = cli.json(&["related", path, "--types", types]);
        said["note"].as_str().unwrap_or_default().to_owned()
    };
    let told = "May import it: 1 include that several files fit (core/core.h:1).";
    assert_eq!(note("os/unix/files.h", "imported_by"), told);
    assert_eq!(note("os/windows/files.h", "imported_by"), told);
    let more = "It may import more: 1 include that several files fit (<files.h>).";
    assert_eq!(note("core/core.h", "imports"), more);
    let none = note("os/windows/alone.h", "imported_by");
    assert!(none.starts_with("No imports"), "{none}");
}

const FRAGMENT: &str = r#"
//- /server.h
void get_command(void);
//- /string.c
#include "server.h"
void get_command(void) {}
//- /commands.def
void (*table[])(void) = { get_command };
//- /commands.c
#include "server.h"
#include "commands.def"
//- commit base
"#;

#[test]
fn a_fragment_is_linked_again_when_its_includer_changes() {
    let repo = Fixture::parse(FRAGMENT).build();
    let cli = Cli::new(repo.path());
    let users = |cli: &Cli| {
        cli.json(&["refresh"]);
        let said: Value = cli.json(&["impact", "get_command", "--path", "string.c"]);
        let list = said["callers"].as_array().unwrap().iter();
        let paths = list.map(|it| it["path"].as_str().unwrap().to_owned());
        paths.collect::<Vec<String>>()
    };
    assert_eq!(users(&cli), ["commands.def"]);

    // The includer does not see the name any more, then it does not include the fragment.
    repo.write("commands.c", "#include \"commands.def\"\n");
    assert!(users(&cli).is_empty());
    repo.write(
        "commands.c",
        "#include \"commands.def\"\n#include \"server.h\"\n",
    );
    assert_eq!(users(&cli), ["commands.def"]);
    repo.write("commands.c", "#include \"server.h\"\n");
    assert!(users(&cli).is_empty());

    // Another file includes it, whose header offers the name later.
    repo.write("all.c", "#include \"all.h\"\n#include \"commands.def\"\n");
    repo.write("all.h", "int n;\n");
    assert!(users(&cli).is_empty());
    repo.write("all.h", "#include \"server.h\"\n");
    assert_eq!(users(&cli), ["commands.def"]);
    std::fs::remove_file(repo.path().join("all.c")).unwrap();
    assert!(users(&cli).is_empty());
}

const PASTED: &str = r#"
//- /run.h
#define RUN(name) fs__##name(1)
#define ALL(prefix) prefix##_everywhere(prefix##_of, 1)
#define MAKE(name) int made_##name(int n)
#define JOIN(a, b) a##b
#define TYPE(name) fs__##name##_t
//- /fs.c
#include "run.h"
int fs__open(int n) { return n; }
int fs__close(int n) { return n; }
int fs__row_t(int n) { return n; }
int rows_everywhere(int n) { return n; }
int made_row(int n) { return n; }
int plain(int n) { return n; }
//- /use.c
#include "run.h"
int use(void) { return RUN(open) + ALL(rows); }
MAKE(row);
TYPE(row) rows;
"#;

#[test]
fn names_that_a_macro_of_another_file_pastes_are_never_said_to_be_unused() {
    let repo = Fixture::parse(&format!("{PASTED}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let unknown = |name: &str| {
        let said: Value = cli.json(&["impact", name]);
        let list = said["unresolved"].as_array().cloned().unwrap_or_default();
        let summary = said["summary"].as_str().unwrap_or_default();
        assert_eq!(
            list.is_empty(),
            summary.starts_with("No uses found"),
            "{said}"
        );
        let lines = list.iter();
        lines
            .map(|it| format!("{}:{}", it["path"].as_str().unwrap(), it["line"]))
            .collect::<Vec<String>>()
    };
    assert_eq!(unknown("fs__open"), ["run.h:1"]);
    assert_eq!(unknown("rows_everywhere"), ["run.h:2"]);
    // A name with the literal end as well.
    assert_eq!(unknown("fs__row_t"), ["run.h:5"]);
    // No file has the word `close` that a call would have to give; a macro that declares a name does not use it; one that writes
    // nothing out may make any name.
    assert!(unknown("fs__close").is_empty());
    assert!(unknown("made_row").is_empty());
    assert!(unknown("plain").is_empty());
}

const TYPES: &str = r#"
//- /store.h
#pragma once
struct Row {
  int id;
  void (*run)(struct Row* row); /* called last */
};
class Store {
 public:
  explicit Store(int size,  // rows
                 int flags /* none */);
  int Open(int n);
  int now();
 private:
  int size_;
};
//- /store.cc
#include "store.h"
Store::Store(int size, int flags) : size_(size) {}
int Store::Open(int n) { return size_; }
int use(Row* row) { row->run(row); return row->id; }
//- /test/store_test.cc
#include "../store.h"
TEST(StoreTest, Opens) {
  Store store(1, 2);
}
TEST(OtherTest, StoreTest) {
  int id = 1;
}
//- commit base
"#;

#[test]
fn a_field_is_told_with_the_lines_that_name_it() {
    let repo = Fixture::parse(TYPES).build();
    let cli = Cli::new(repo.path());
    let places = |name: &str| {
        let said: Value = cli.json(&["impact", name]);
        let list = said["mentions"]["places"].as_array().cloned();
        let list = list.unwrap_or_default().into_iter().map(|it| {
            let text = |field: &str| it[field].as_str().unwrap().to_owned();
            format!("{}:{} {}", text("path"), it["line"], text("role"))
        });
        (
            said["summary"].as_str().unwrap().to_owned(),
            list.collect::<Vec<String>>(),
        )
    };
    let (summary, lines) = places("run");
    assert!(
        summary.contains("It is a field of `Row` (store.h:4)"),
        "{summary}"
    );
    assert_eq!(lines, ["store.h:4 field", "store.cc:4 use"]);
    let (summary, _) = places("Row.id");
    assert!(
        summary.contains("It is a field of `Row` (store.h:3)"),
        "{summary}"
    );
    // A local variable and a field of another type are none.
    for name in ["Store.id", "row"] {
        let (summary, _) = places(name);
        assert!(!summary.contains("a field"), "{name}: {summary}");
    }
}

#[test]
fn a_bare_name_is_the_field_of_the_class_around() {
    let files = "\
//- /rows.h
class Rows {
 public:
  int Size() { return size_ + this->size_; }
  int size_ = 0;
};
class Other {
 public:
  int Size();
  int size_ = 0;
};
//- /other.cc
#include \"rows.h\"
int Other::Size() { return size_ + this->size_; }
int Other::Both(Rows* rows) { return rows->size_; }
//- commit base
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    for (name, wanted) in [
        (
            "Rows.size_",
            &["rows.h:4 field", "other.cc:3 use", "rows.h:3 use"][..],
        ),
        (
            "Other.size_",
            &["rows.h:9 field", "other.cc:2 use", "other.cc:3 use"][..],
        ),
    ] {
        let said: Value = cli.json(&["impact", name]);
        let list = said["mentions"]["places"].as_array().unwrap().iter();
        let places = list.filter(|it| it["role"] != "definition").map(|it| {
            let text = |field: &str| it[field].as_str().unwrap().to_owned();
            format!("{}:{} {}", text("path"), it["line"], text("role"))
        });
        let places: Vec<String> = places.collect();
        assert_eq!(places, wanted, "{name}: {said}");
    }
}

#[test]
fn a_changed_constructor_reaches_the_tests_that_make_the_class() {
    let repo = Fixture::parse(TYPES).build();
    let cli = Cli::new(repo.path());
    repo.write(
        "store.cc",
        repo.read("store.cc")
            .replace("size_(size) {}", "size_(size + 1) {}"),
    );
    let said: Value = cli.json(&["changes"]);
    assert_eq!(said["tests"][0]["path"], "test/store_test.cc", "{said}");
}

#[test]
fn a_prototype_and_its_function_are_one_change() {
    let repo = Fixture::parse(TYPES).build();
    let cli = Cli::new(repo.path());
    for path in ["store.h", "store.cc"] {
        let text = repo.read(path).replace("Open(int n)", "Open(int n, int m)");
        repo.write(path, text);
    }
    let said: Value = cli.json(&["changes"]);
    let names = said["changes"].as_array().unwrap().iter();
    let names: Vec<String> = names
        .map(|it| {
            format!(
                "{} {}",
                it["path"].as_str().unwrap(),
                it["symbol"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(names, ["store.cc Store.Open"], "{said}");
    // A prototype that changes alone is told.
    let text = repo.read("store.h").replace("int now()", "int now(int n)");
    repo.write("store.h", text);
    let said: Value = cli.json(&["changes"]);
    let n = said["changes"].as_array().unwrap().len();
    assert_eq!(n, 2, "{said}");
}

#[test]
fn the_title_of_a_test_is_its_definition() {
    let repo = Fixture::parse(TYPES).build();
    let cli = Cli::new(repo.path());
    for name in ["StoreTest.Opens", "OtherTest.StoreTest"] {
        let said: Value = cli.json(&["impact", name]);
        assert_eq!(said["completeness"]["unresolvedSites"], 0, "{said}");
    }
    let map: Value = cli.json(&["map", "store.h", "--all"]);
    let text = map.to_string();
    assert!(
        text.contains("Store(int size, int flags )") || text.contains("Store(int size, int flags)"),
        "{text}"
    );
    assert!(!text.contains("rows"), "{text}");
}

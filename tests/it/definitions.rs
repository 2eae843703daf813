//! Definitions and files by what they are: `cl_expand` with `symbol`, the lists of `cl_map`, and the commands that stand for them.

use serde_json::{Value, json};

use crate::cli_and_mcp::Session;
use crate::support::{Cli, Fixture, Repo};

const STORES: &str = "\
//- /src/store.ts
/** Opens and
 *  closes. */
// twice
@sealed
export class Store {
  /** Opens it. */
  open(path: string) {
    return path;
  }
  close() {}
}
const before = 1; /* why */
export function pick(a: string): string;
export function pick(a: number): number;
export function pick(a: any) {
  return a;
}
//- /src/cache.ts
export class Cache {
  open() {}
}
//- /src/cache.spec.ts
import { Cache } from './cache';
new Cache().open();
//- /lib/store.py
# Keeps rows.
@dataclass
class Rows:
    def open(self):
        return 1
//- /docs/guide.md
# Guide
//- /yarn.lock
x@1:
//- commit one
";

fn repo() -> (Repo, Cli) {
    let repo = Fixture::parse(STORES).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    (repo, cli)
}

fn lines(value: &Value) -> String {
    format!(
        "{}:{}-{}",
        value["path"].as_str().unwrap_or_default(),
        value["startLine"],
        value["endLine"]
    )
}

#[test]
fn a_definition_is_read_by_its_name() {
    let (_repo, cli) = repo();
    for (line, wanted) in [
        (&["definition", "Store"][..], "src/store.ts:1-11"),
        (&["expand", "--symbol", "Store.open"], "src/store.ts:6-9"),
        (&["definition", "Store#open()"], "src/store.ts:6-9"),
        (
            &["definition", "open", "--path", "src/cache.ts"],
            "src/cache.ts:2-2",
        ),
        (
            &["definition", "open", "--path", "src/store.ts"],
            "src/store.ts:6-9",
        ),
        // Overloads are one.
        (&["definition", "pick"], "src/store.ts:13-17"),
        (&["definition", "Rows"], "lib/store.py:1-5"),
    ] {
        let found = cli.json(line);
        assert_eq!(lines(&found), wanted, "{line:?}: {found}");
    }
    let found = cli.json(&["definition", "Store.open"]);
    assert_eq!(
        (&found["symbol"], &found["kind"]),
        (&json!("Store.open"), &json!("method"))
    );
    assert!(
        found["content"]
            .as_str()
            .unwrap()
            .starts_with("  /** Opens it. */\n  open(")
    );
    assert!(found["handle"].as_str().unwrap().starts_with("sym_"));
}

#[test]
fn a_definition_is_found_where_it_moved() {
    let (repo, mut cli) = repo();
    cli.set("CODELENS_BUDGET_MS", "0");
    let text = repo.read("src/cache.ts");
    repo.write("src/cache.ts", format!("\n\n// new\n{text}"));
    assert_eq!(
        lines(&cli.json(&["definition", "Cache"])),
        "src/cache.ts:3-6"
    );
}

#[test]
fn a_name_of_several_definitions_is_not_guessed() {
    let (_repo, cli) = repo();
    let found = cli.json(&["definition", "open"]);
    assert!(found["content"].is_null());
    let candidates = found["candidates"].as_array().unwrap();
    let names: Vec<_> = candidates
        .iter()
        .map(|it| it["symbol"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        found["note"]
            .as_str()
            .unwrap()
            .contains("3 definitions are named `open`")
    );
    let near = cli.json(&["definition", "Stor"]);
    assert_eq!(near["candidates"][0]["symbol"], "Store", "{near}");
    assert!(
        near["note"]
            .as_str()
            .unwrap()
            .contains("No definition is named `Stor`")
    );
    let elsewhere = cli.json(&["definition", "Cache", "--path", "lib"]);
    assert_eq!(elsewhere["candidates"][0]["path"], "src/cache.ts");
    let none = cli.json(&["definition", "nothingOfTheKind"]);
    assert_eq!(none["candidates"], json!([]));
    let said = cli.run(&["definition", "open"]).stdout;
    assert!(said.contains("src/cache.ts:2"), "{said}");
}

#[test]
fn names_of_files_and_modules_name_what_is_in_them() {
    let files = "\
//- /web/posts/PostItem.vue
<template><p>1</p></template>
<script setup lang=\"ts\">
const a = 1
</script>
//- /web/posts/List.vue
<template><PostItem /></template>
<script setup lang=\"ts\">
import PostItem from './PostItem.vue'
</script>
//- /web/users/index.vue
<template><p>2</p></template>
//- /web/users.ts
export const users = 1
//- /shop/models/pages.py
class Page:
    def show(self):
        return 1
//- /shop/other.py
class Page:
    pass
//- commit one
";
    let repo = Fixture::parse(files).build();
    let cli = Cli::new(repo.path());
    let target = |name: &str| cli.json(&["impact", name])["target"].clone();
    let component = target("PostItem");
    assert_eq!(component["path"], "web/posts/PostItem.vue", "{component}");
    assert_eq!(target("post-item"), component);
    let callers = cli.json(&["impact", "PostItem"])["callers"].clone();
    assert_eq!(callers[0]["path"], "web/posts/List.vue", "{callers}");
    // A name that is written comes before that of a file without a capital.
    assert_eq!(target("users")["path"], "web/users.ts");
    for name in ["models.Page", "shop.models.Page", "pages.Page"] {
        assert_eq!(target(name)["path"], "shop/models/pages.py", "{name}");
    }
    assert_eq!(target("models.Page.show")["symbol"], "Page.show");
    assert_eq!(target("shop.Page")["path"], "shop/other.py");
    assert_eq!(target("views.Page"), json!(null));
}

#[test]
fn files_are_listed_with_their_sizes() {
    let (_repo, cli) = repo();
    let found = cli.json(&["list-files"]);
    assert_eq!(
        (&found["view"], &found["total"]),
        (&json!("files"), &json!(6))
    );
    let files = found["files"].as_array().unwrap();
    let paths: Vec<_> = files
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "docs/guide.md",
            "lib/store.py",
            "src/cache.spec.ts",
            "src/cache.ts",
            "src/store.ts",
            "yarn.lock"
        ]
    );
    assert_eq!(
        files[1],
        json!({"path": "lib/store.py", "language": "python", "bytes": 74, "lines": 5})
    );
    assert_eq!(files[5]["skipped"], "lockFile");
    let page = cli.json(&["list-files", "-n", "4"]);
    let cursor = page["nextCursor"].as_str().unwrap();
    let rest = cli.json(&["list-files", "-n", "4", "--cursor", cursor]);
    assert_eq!(rest["files"].as_array().unwrap().len(), 2);
    assert!(rest["nextCursor"].is_null());
    let some = cli.json(&["list-files", "src", "!*.spec.ts"]);
    assert_eq!(some["total"], 2);
    assert_eq!(
        cli.json(&["list-files", "--language", "python"])["total"],
        1
    );
    let said = cli.run(&["list-files", "lib"]).stdout;
    assert_eq!(said, "lib/store.py  python, 74 B, 5 lines\n");
}

#[test]
fn the_pieces_of_a_file_hold_each_byte_once() {
    let (repo, cli) = repo();
    repo.write("src/names.ts", "// Größe ✓\nexport const größe = '💡💡';\n");
    for path in [
        "src/store.ts",
        "lib/store.py",
        "docs/guide.md",
        "src/names.ts",
    ] {
        let bytes = std::fs::read(repo.path().join(path)).unwrap();
        for size in [None, Some(1), Some(7), Some(1_000_000)] {
            let size = size.map(|size: usize| size.to_string());
            let mut line = vec!["chunks", path];
            line.extend(size.iter().flat_map(|size| ["--size", size]));
            let found = cli.json(&line);
            assert_eq!(found["totalBytes"], bytes.len());
            let at = |it: &Value, key: &str| usize::try_from(it[key].as_u64().unwrap()).unwrap();
            let pieces = found["chunks"].as_array().unwrap().iter();
            let pieces: Vec<&[u8]> = pieces
                .map(|it| &bytes[at(it, "start")..at(it, "end")])
                .collect();
            assert_eq!(pieces.concat(), bytes, "{path} {size:?}");
            let is_whole = |piece: &&[u8]| std::str::from_utf8(piece).is_ok();
            assert!(pieces.iter().all(is_whole), "{path} {size:?}");
        }
    }
    let found = cli.json(&["chunks", "src/store.ts"]);
    let piece = found["chunks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["symbol"].is_string())
        .unwrap();
    let handle = piece["handle"].as_str().unwrap();
    let read = cli.json(&["expand", "--handle", handle]);
    assert_eq!(read["startLine"], piece["startLine"]);
    let of_head = cli.json(&["chunks", "src/store.ts", "--ref", "HEAD"]);
    assert_eq!(of_head["chunks"], found["chunks"]);
}

#[test]
fn pieces_that_cannot_be_are_refused_with_the_next_step() {
    let (repo, cli) = repo();
    repo.write("big.txt", "x".repeat(200_000));
    for (line, message) in [
        (&["chunks", "src/nothing.ts"][..], "there is no file"),
        (&["chunks", "../x"], "not a path inside"),
        (&["chunks", "src"], "is a directory"),
        (&["chunks", "src/store.ts", "--size", "0"], "below 1"),
        (
            &["chunks", "src/store.ts", "--overlap", "2"],
            "`--size` is not given",
        ),
        (
            &["chunks", "src/store.ts", "--size", "2", "--overlap", "2"],
            "not smaller",
        ),
        (
            &["chunks", "src/store.ts", "--size", "5", "--overlap", "-1"],
            "below 0",
        ),
        (&["chunks", "big.txt", "--size", "1"], "at least 2"),
        (&["chunks", "src/store.ts", "--ref", "none"], "none"),
    ] {
        let run = cli.run(line);
        assert_eq!(run.code, 1, "{line:?}");
        assert!(run.stderr.contains(message), "{line:?}: {}", run.stderr);
    }
    assert_eq!(cli.run(&["chunks", "src/store.ts", "--size", "x"]).code, 2);
}

#[test]
fn a_tree_counts_directories() {
    let (_repo, cli) = repo();
    let found = cli.json(&["tree", "--depth", "1"]);
    let tree = found["tree"].as_array().unwrap();
    assert_eq!(
        tree[0],
        json!({"path": ".", "files": 6, "lines": 28, "skipped": 1})
    );
    let below: u64 = tree[1..]
        .iter()
        .map(|it| it["files"].as_u64().unwrap())
        .sum();
    assert_eq!((below, &found["fileCount"]), (5, &json!(6)));
    assert_eq!(
        found["languages"][0],
        json!({"language": "typescript", "files": 3, "lines": 22})
    );
    let part = cli.json(&["tree", "src"]);
    assert_eq!(part["fileCount"], 3);
}

#[test]
fn definitions_are_listed_by_kind_and_name() {
    let (_repo, cli) = repo();
    let of = |line: &[&str]| {
        let found = cli.json(&[&["symbols"], line].concat());
        let symbols = found["symbols"].as_array().unwrap();
        assert_eq!(found["total"], symbols.len());
        let name = |it: &Value| {
            format!(
                "{}:{}",
                it["path"].as_str().unwrap(),
                it["name"].as_str().unwrap()
            )
        };
        symbols.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(
        of(&["--kind", "class"]),
        [
            "lib/store.py:Rows",
            "src/cache.ts:Cache",
            "src/store.ts:Store"
        ]
    );
    assert_eq!(
        of(&["OPEN", "--path", "src"]),
        ["src/cache.ts:Cache.open", "src/store.ts:Store.open"]
    );
    assert_eq!(of(&["^"]), [""; 0]);
    assert_eq!(
        of(&["--kind", "struct", "--language", "python"]),
        ["lib/store.py:Rows"]
    );
    let nothing = cli.json(&["symbols", "zzz"]);
    assert!(
        nothing["note"]
            .as_str()
            .unwrap()
            .contains("looked through 6 files"),
        "{nothing}"
    );
    let several = cli.json(&["map", "src/*.ts", "!*.spec.ts"]);
    assert_eq!(several["fileCount"], 2);
    let said = cli.run(&["symbols", "Cache", "--kind", "class"]).stdout;
    assert_eq!(said, "src/cache.ts:1  class Cache\n");
}

#[test]
fn what_can_not_be_listed_is_said() {
    let (_repo, cli) = repo();
    let mut session = Session::of(cli.command(&["serve"]));
    let mut id = 0;
    let mut ask = |tool: &str, input: &Value| {
        id += 1;
        let params = json!({"name": tool, "arguments": input});
        session.ask(id, "tools/call", &params)["result"]["structuredContent"].clone()
    };
    for (tool, input, part) in [
        ("cl_map", json!({"view": "list"}), "field `view`"),
        ("cl_map", json!({"view": 1}), "field `view`"),
        (
            "cl_map",
            json!({"view": "files", "kind": ["class"]}),
            "`kind` and `name` choose definitions",
        ),
        (
            "cl_map",
            json!({"kind": "klass"}),
            "no kind of definition is `klass`",
        ),
        ("cl_map", json!({"kind": 3}), "field `kind`"),
        (
            "cl_map",
            json!({"name": "x".repeat(201)}),
            "longer than 200",
        ),
        ("cl_map", json!({"name": ["x"]}), "field `name`"),
        ("cl_map", json!({"view": "files", "cursor": "zz"}), "cursor"),
        ("cl_map", json!({"cursor": "zz"}), "an outline has no pages"),
        (
            "cl_map",
            json!({"view": "tree", "path": "nowhere"}),
            "no indexed file",
        ),
        (
            "cl_map",
            json!({"view": "files", "language": "klingon"}),
            "klingon",
        ),
        (
            "cl_map",
            json!({"view": "tree", "depth": "deep"}),
            "field `depth`",
        ),
        ("cl_expand", json!({"symbol": ""}), "`symbol` is empty"),
        ("cl_expand", json!({"symbol": 7}), "field `symbol`"),
        (
            "cl_expand",
            json!({"symbol": "a", "handle": "sym_0000000000000000"}),
            "both given",
        ),
        (
            "cl_expand",
            json!({"symbol": "src/store.ts"}),
            "it is a file",
        ),
        (
            "cl_expand",
            json!({"symbol": "Store", "path": "../x"}),
            "not a path inside",
        ),
        (
            "cl_expand",
            json!({}),
            "exactly one of `path`, `symbol` and `handle`",
        ),
    ] {
        let error = ask(tool, &input)["error"].clone();
        assert!(
            error["message"].as_str().unwrap_or_default().contains(part)
                || error["hint"].as_str().unwrap_or_default().contains(part),
            "{input}: {error}"
        );
    }
    for (tool, input, field) in [
        (
            "cl_map",
            json!({"view": "tree", "depth": 99_999_999}),
            "tree",
        ),
        (
            "cl_map",
            json!({"view": "files", "limit": 99_999_999}),
            "files",
        ),
        ("cl_map", json!({"kind": [], "name": ""}), "symbols"),
        ("cl_map", json!({"path": ""}), "files"),
        (
            "cl_expand",
            json!({"symbol": "x".repeat(5_000)}),
            "candidates",
        ),
    ] {
        let found = ask(tool, &input);
        assert!(found[field].is_array(), "{input}: {found}");
    }
}

#[test]
fn callers_show_their_lines_and_tests_their_cases() {
    let text = "\
//- /src/queue.ts
/** Runs it later. */
export function queueJob(job: string) {
  return job;
}
//- /src/app.ts
import { queueJob } from './queue';
export const go = () => queueJob('x');
//- /src/queue.spec.ts
import { queueJob } from './queue';
describe('queue', () => {
  it('pushes', () => queueJob('a'));
  it('pops', () => queueJob('b'));
  it('idles', () => 1);
});
//- /py/job.py
def run_job():
    return 1
//- /py/test_job.py
from job import run_job
def test_it():
    run_job()
//- commit one
";
    let repo = Fixture::parse(text).build();
    let cli = Cli::new(repo.path());
    let found = cli.json(&["impact", "queueJob"]);
    let callers = found["callers"].as_array().unwrap();
    let app = callers
        .iter()
        .find(|it| it["path"] == "src/app.ts")
        .unwrap();
    assert_eq!(app["text"], "export const go = () => queueJob('x');");
    assert!(found["target"]["text"].is_null());
    let cases =
        json!([{"title": "queue > pushes", "line": 3}, {"title": "queue > pops", "line": 4}]);
    assert_eq!(found["affectedTests"][0]["cases"], cases, "{found}");
    let found = cli.json(&["trace", "queueJob"]);
    assert_eq!(
        found["target"]["text"],
        "export function queueJob(job: string) {\n  return job;\n}"
    );
    assert_eq!(found["depth"], 1);
    let found = cli.json(&["impact", "queueJob", "--source-lines", "0"]);
    assert!(
        found["callers"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["text"].is_null())
    );
    let found = cli.json(&["impact", "run_job"]);
    let cases = json!([{"title": "test_it", "line": 2}]);
    assert_eq!(found["affectedTests"][0]["cases"], cases, "{found}");
    for wrong in ["many", "1.5", ""] {
        let ran = cli.run(&["impact", "queueJob", "--source-lines", wrong]);
        assert_eq!(ran.code, 2, "{wrong}");
    }
}

const SEVERAL_PLACES: &str = "\
//- /block.h
class Block {
 public:
  explicit Block(int size);
  int put(int a) { return a; }
  int put(int a, int b);
};
//- /block.cc
#include \"block.h\"
Block::Block(int size) {}
int Block::put(int a, int b) { return a + b; }
int fill(Block& all) { return all.put(1) + all.put(1, 2); }
//- /table.cc
#include \"block.h\"
Block* open_block() { return new Block(4); }
int over(int a) { return a; }
int over(const char* a) { return 0; }
//- /log.c
#ifdef LOG
int note(int a) { return a; }
#else
inline int note(int a) { return 0; }
#endif
int twice(int a) { return note(a) + note(a); }
//- /Cargo.toml
[package]
name = \"ticks\"
version = \"0.1.0\"
//- /src/lib.rs
#[cfg(unix)]
pub fn now() -> u64 { 1 }
#[cfg(not(unix))]
pub fn now() -> u64 { 2 }
pub fn later() -> u64 { now() + 1 }
//- commit one
";

#[test]
fn a_class_and_its_constructors_and_alternatives_are_one() {
    let repo = Fixture::parse(SEVERAL_PLACES).build();
    let cli = Cli::new(repo.path());
    cli.json(&["refresh"]);
    let class = cli.json(&["impact", "Block"]);
    assert_eq!(class["target"]["path"], "block.h", "{class}");
    let callers: Vec<&str> = class["callers"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["symbol"].as_str())
        .collect();
    assert_eq!(
        callers,
        ["Block.Block", "Block.put", "fill", "open_block"],
        "{class}"
    );
    for (name, caller) in [("now", "later"), ("note", "twice"), ("Block::put", "fill")] {
        let found = cli.json(&["impact", name]);
        assert_eq!(found["callers"][0]["symbol"], caller, "{found}");
    }
    // Two functions of one program: nothing is guessed, and a path can't tell them apart.
    let over = cli.json(&["impact", "over"]);
    assert_eq!(over["candidates"].as_array().unwrap().len(), 2, "{over}");
    let said = over["summary"].as_str().unwrap();
    assert!(said.contains("pass the `handle` of one"), "{said}");
}

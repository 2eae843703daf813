//! Graphs as they look, in trees and drawings.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{GraphLanguage, drawing, page};
use crate::cli::screen::Screen;

fn shown(tool: &str, value: &Value, width: usize, is_coloured: bool) -> String {
    let screen = Screen {
        width,
        is_terminal: true,
        is_coloured,
        links: None,
    };
    page(tool, value, &screen).data
}

fn impact() -> Value {
    let place =
        |path: &str, symbol: &str, line: u32| json!({"path": path, "symbol": symbol, "line": line});
    let mut far = place("src/app.ts", "start", 40);
    far["hops"] = json!(2);
    far["via"] = json!("src/scheduler.ts#flush");
    far["stale"] = json!(true);
    let mut flush = place("src/scheduler.ts", "flush", 84);
    flush["provenance"] = json!("member");
    flush["also"] = json!([88]);
    json!({
        "target": {"handle": "sym_1", "path": "src/queue.ts", "symbol": "Queue.push", "line": 12, "kind": "method"},
        "summary": "2 direct callers. Affects 2 files and 1 test file (2 steps).",
        "confidenceNote": "3 more uses of this name may be callers (type unknown).",
        "defaults": {"provenance": "resolved", "confidence": 0.9},
        "callers": [flush, place("src/scheduler.ts", "(module)", 90), place("test/queue.ts", "it\u{1b}[2J", 3), far],
        "callees": [place("src/job.ts", "check", 7)],
        "unresolved": [{"path": "src/b.ts", "line": 3, "text": "x.push(1)"}, {"path": "src/b.ts", "line": 9, "text": "y.push()"}],
        "reexportedBy": ["src/index.ts:1"], "exportedFrom": ["jobs"],
        "affectedTests": [{"path": "test/queue.ts"}, {"path": "test/other.ts", "provenance": "path-heuristic"}],
        "completeness": {"unresolvedSites": 3}, "freshness": "fresh", "truncated": true, "totalCallers": 210})
}

#[test]
fn impact_goes_by_distance_and_file_with_tests_apart() {
    assert_snapshot!(shown("cl_impact", &impact(), 72, false), @r"
    src/queue.ts:12  Queue.push  method

    2 direct callers. Affects 2 files and 1 test file (2 steps).

    Callers
    └─ src/scheduler.ts:84  flush  also 88  member
       └─ :90  (module)

    Indirect callers (2 steps)
    └─ src/app.ts:40  start  stale

    Tests
    ├─ test/queue.ts:3  it\u{1b}[2J
    └─ test/other.ts  path-heuristic

    May be uses (type unknown)
    └─ src/b.ts:3  x.push(1)
       └─ :9  y.push()

    Re-exported by
    └─ src/index.ts:1

    Exported from jobs

    It uses
    └─ src/job.ts:7  check

    3 more uses of this name may be callers (type unknown).

    Shortened; more with `--limit N`.
    ");
}

#[test]
fn narrow_and_coloured_trees_say_the_same() {
    let narrow = shown("cl_impact", &impact(), 24, false);
    for line in narrow.lines().filter(|line| line.contains("─ ")) {
        assert!(line.chars().count() <= 24, "{line}");
    }
    assert!(narrow.contains("└─ src/scheduler.ts:84\n"), "{narrow}");
    assert!(narrow.contains("└─ test/other.ts  path-…\n"), "{narrow}");
    let coloured = shown("cl_impact", &impact(), 72, true);
    let mut plain = String::new();
    let mut parts = coloured.split('\u{1b}');
    plain.push_str(parts.next().unwrap());
    for part in parts {
        plain.push_str(part.split_once('m').unwrap().1);
    }
    assert_eq!(plain, shown("cl_impact", &impact(), 72, false));
}

#[test]
fn what_leads_further_hangs_on_what_is_before_it() {
    let near = |path: &str, edge: &str, way: &str, hops: u32, via: Option<&str>| json!({"path": path, "edgeType": edge, "direction": way, "hops": hops, "provenance": "resolved", "via": via});
    let value = json!({"results": [
        near("src/b.ts", "imported_by", "in", 1, None), near("src/d.ts", "imports", "out", 1, None),
        near("src/c.ts", "imported_by", "in", 2, Some("src/b.ts")),
        near("src/e.ts", "imported_by", "in", 3, Some("src/hidden.ts"))], "total": 4, "freshness": "fresh"});
    assert_snapshot!(shown("cl_related", &value, 72, false), @r"
    Imported by
    ├─ src/b.ts
    │  └─ src/c.ts
    └─ src/e.ts

    Imports
    └─ src/d.ts
    ");
    assert_snapshot!(drawing("cl_related", &value, "src/a.ts", GraphLanguage::Mermaid), @r#"
    flowchart RL
      n0[["src/a.ts"]]
      n1["src/b.ts"]
      n2["src/d.ts"]
      n3["src/c.ts"]
      n4["src/e.ts"]
      n1 -->|"imports"| n0
      n0 -->|"imports"| n2
      n3 -->|"imports"| n1
      n4 -.->|"imports, 3 steps"| n0
    "#);
}

#[test]
fn an_impact_is_drawn_as_chains_to_the_target() {
    assert_snapshot!(drawing("cl_impact", &impact(), "", GraphLanguage::Dot), @r#"
    digraph codelens {
      rankdir=RL;
      node [shape=box, fontname="sans-serif"];
      edge [fontname="sans-serif"];
      n0 [label="Queue.push\nsrc/queue.ts:12", style=bold];
      n1 [label="flush\nsrc/scheduler.ts:84"];
      n2 [label="(module)\nsrc/scheduler.ts:90"];
      n3 [label="it\\u{1b}[2J\ntest/queue.ts:3", style=rounded];
      n4 [label="start\nsrc/app.ts:40"];
      n5 [label="test/other.ts", style=rounded];
      n1 -> n0 [label="member"];
      n2 -> n0;
      n3 -> n0;
      n4 -> n1;
      n5 -> n0 [label="path-heuristic", style=dashed];
    }
    "#);
}

#[test]
fn what_was_explored_is_shown_by_file_with_what_is_around() {
    let value = json!({"query": "queue", "count": 2, "files": [
        {"path": "src/queue.ts", "results": [
            {"handle": "chk_1", "lines": "12-20", "score": 1.0, "why": "symbol", "preview": "push(job) {"},
            {"handle": "chk_2", "lines": "30-31", "score": 0.5, "why": "fts", "preview": "return",
             "signature": "function drain(queue: Queue): void", "collapsed": 4}]}],
        "related": [{"sourcePath": "src/queue.ts", "path": "src/app.ts", "edgeType": "calls", "direction": "in",
                     "hops": 1, "provenance": "resolved"},
                    {"sourcePath": "src/queue.ts", "path": "src/far.ts", "edgeType": "imports", "direction": "out",
                     "hops": 2, "provenance": "resolved", "stale": true}],
        "freshness": "fresh"});
    assert_snapshot!(shown("cl_explore", &value, 72, false), @r"
    src/queue.ts
      src/queue.ts:12
        push(job) {
      src/queue.ts:30
        function drain(queue: Queue): void
        return
      4 more matches in this file

    Related files
    └─ src/queue.ts
       ├─ Called by  src/app.ts
       └─ Imports  src/far.ts  2 steps away  stale
    ");
    for tool in ["cl_explore", "cl_related", "cl_impact"] {
        for odd in [
            json!(null),
            json!([]),
            json!({"results": 1, "callers": {}, "files": "x"}),
        ] {
            assert!(!shown(tool, &odd, 72, false).contains("null"), "{tool}");
        }
    }
}

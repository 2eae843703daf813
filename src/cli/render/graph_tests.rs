//! Graphs as they look, in trees and drawings.

use insta::assert_snapshot;

use super::{AnswerText, GraphLanguage, changes_graph};
use crate::cli::screen::Screen;
use crate::tools::answer::FreshnessFields;
use crate::tools::changes::ChangesOutput;
use crate::tools::changes::entries::{BrokenOutput, ChangeOutput, FromOutput, UsedOutput};
use crate::tools::explore::ExploreOutput;
use crate::tools::explore::list::{FileHitsOutput, LocationOutput};
use crate::tools::hits::NearOutput;
use crate::tools::impact::sites::LineOutput;
use crate::tools::impact::{ImpactOutput, ImpactTarget};
use crate::tools::places::{
    CalleeOutput, CallerOutput, Defaults, FilePlacesOutput, KnownBy, TargetOutput,
};
use crate::tools::related::{NeighbourOutput, RelatedOutput};

fn rendered(answer: &impl AnswerText, width: usize, is_coloured: bool) -> String {
    let screen = Screen {
        width,
        is_terminal: true,
        is_coloured,
        links: None,
    };
    answer.render(&screen).data
}

/// Returns an owned text, `Some` or plain.
fn text<T: From<String>>(text: &str) -> T {
    T::from(text.to_owned())
}

fn fresh() -> FreshnessFields {
    FreshnessFields {
        freshness: "fresh",
        ..FreshnessFields::default()
    }
}

fn known_by(provenance: &'static str) -> KnownBy {
    KnownBy {
        provenance: Some(provenance),
        ..KnownBy::default()
    }
}

fn impact() -> ImpactOutput {
    let caller = |path: &str, symbol: &str, line| CallerOutput {
        path: text(path),
        symbol: text(symbol),
        line,
        ..CallerOutput::default()
    };
    let line = |line, source: &str| LineOutput {
        path: text("src/b.ts"),
        line,
        text: text(source),
    };
    let test = |path: &str| FilePlacesOutput {
        path: text(path),
        ..FilePlacesOutput::default()
    };
    ImpactOutput {
        target: ImpactTarget::Known(TargetOutput {
            path: text("src/queue.ts"),
            symbol: text("Queue.push"),
            line: 12,
            kind: "method",
            ..TargetOutput::default()
        }),
        summary: text("2 direct callers. Affects 2 files and 1 test file (2 steps)."),
        confidence_note: text("There may be more callers: 3 uses of this name are unresolved."),
        defaults: Some(Defaults {
            provenance: "resolved",
            ..Defaults::default()
        }),
        callers: vec![
            CallerOutput {
                known_by: known_by("member"),
                also: vec![88],
                ..caller("src/scheduler.ts", "flush", 84)
            },
            caller("src/scheduler.ts", "(module)", 90),
            caller("test/queue.ts", "it\u{1b}[2J", 3),
            CallerOutput {
                hops: Some(2),
                via: text("src/scheduler.ts#flush"),
                stale: true,
                ..caller("src/app.ts", "start", 40)
            },
        ],
        callees: vec![CalleeOutput {
            path: text("src/job.ts"),
            symbol: text("check"),
            line: 7,
            ..CalleeOutput::default()
        }],
        unresolved: vec![line(3, "x.push(1)"), line(9, "y.push()")],
        reexported_by: vec![text("src/index.ts:1")],
        exported_from: vec![text("jobs")],
        affected_tests: vec![
            test("test/queue.ts"),
            FilePlacesOutput {
                known_by: known_by("path-heuristic"),
                ..test("test/other.ts")
            },
        ],
        truncated: true,
        freshness_fields: fresh(),
        ..ImpactOutput::default()
    }
}

#[test]
fn impact_goes_by_distance_and_file_with_tests_apart() {
    assert_snapshot!(rendered(&impact(), 72, false), @r"
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

    There may be more callers: 3 uses of this name are unresolved.

    Shortened; more with `--limit N`.
    ");
}

#[test]
fn narrow_and_coloured_trees_say_the_same() {
    let impact = impact();
    let narrow = rendered(&impact, 24, false);
    for line in narrow.lines().filter(|line| line.contains("─ ")) {
        assert!(line.chars().count() <= 24, "{line}");
    }
    assert!(narrow.contains("└─ src/scheduler.ts:84\n"), "{narrow}");
    assert!(narrow.contains("└─ test/other.ts  path-…\n"), "{narrow}");
    let coloured = rendered(&impact, 72, true);
    let mut plain = String::new();
    let mut parts = coloured.split('\u{1b}');
    plain.push_str(parts.next().unwrap());
    for part in parts {
        plain.push_str(part.split_once('m').unwrap().1);
    }
    assert_eq!(plain, rendered(&impact, 72, false));
}

#[test]
fn a_neighbour_hangs_on_the_one_before_it() {
    let near = |path: &str, edge_type, direction, hops, via: Option<&str>| NeighbourOutput {
        path: text(path),
        edge_type: Some(edge_type),
        direction: Some(direction),
        hops: Some(hops),
        provenance: Some("resolved"),
        via: via.map(text),
        ..NeighbourOutput::default()
    };
    let related = RelatedOutput {
        results: vec![
            near("src/b.ts", "imported_by", "in", 1, None),
            near("src/d.ts", "imports", "out", 1, None),
            near("src/c.ts", "imported_by", "in", 2, Some("src/b.ts")),
            near("src/e.ts", "imported_by", "in", 3, Some("src/hidden.ts")),
        ],
        total: 4,
        freshness_fields: fresh(),
        ..RelatedOutput::default()
    };
    assert_snapshot!(rendered(&related, 72, false), @r"
    Imported by
    ├─ src/b.ts
    │  └─ src/c.ts
    └─ src/e.ts

    Imports
    └─ src/d.ts
    ");
    let drawn = related.drawing("src/a.ts", GraphLanguage::Mermaid).unwrap();
    assert_snapshot!(drawn.unwrap(), @r#"
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
    let drawn = impact().drawing("", GraphLanguage::Dot).unwrap();
    assert_snapshot!(drawn.unwrap(), @r#"
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
fn several_definitions_of_a_name_are_not_drawn() {
    let ambiguous = ImpactOutput {
        candidates: Some(vec![TargetOutput {
            path: text("src/a.ts"),
            line: 3,
            ..TargetOutput::default()
        }]),
        ..impact()
    };
    let refused = ambiguous.drawing("", GraphLanguage::Dot).unwrap();
    assert_eq!(
        refused.unwrap_err().hint,
        "pass --path with one of src/a.ts:3"
    );
}

#[test]
fn explored_files_are_shown_with_their_neighbours() {
    let hit = |lines: &str, preview: &str| LocationOutput {
        lines: text(lines),
        preview: text(preview),
        ..LocationOutput::default()
    };
    let near = |path: &str, edge_type, direction, hops, stale| NearOutput {
        source_path: text("src/queue.ts"),
        path: text(path),
        edge_type: Some(edge_type),
        direction: Some(direction),
        hops: Some(hops),
        stale,
        ..NearOutput::default()
    };
    let found = ExploreOutput {
        query: text("queue"),
        count: Some(2),
        files: Some(vec![FileHitsOutput {
            path: text("src/queue.ts"),
            stale: false,
            results: vec![
                hit("12-20", "push(job) {"),
                LocationOutput {
                    signature: text("function drain(queue: Queue): void"),
                    collapsed: Some(4),
                    ..hit("30-31", "return")
                },
            ],
        }]),
        related: Some(vec![
            near("src/app.ts", "calls", "in", 1, false),
            near("src/far.ts", "imports", "out", 2, true),
        ]),
        freshness_fields: fresh(),
        ..ExploreOutput::default()
    };
    assert_snapshot!(rendered(&found, 72, false), @r"
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
}

#[test]
fn changed_definitions_come_first_and_broken_uses_lead_to_them() {
    let change =
        |handle: Option<&str>, symbol: &str, change, line, old: Option<&str>| ChangeOutput {
            handle: handle.map(text),
            path: text("a.ts"),
            symbol: text(symbol),
            kind: "function",
            change,
            line,
            from: old.map(|old| FromOutput {
                symbol: text(old),
                ..FromOutput::default()
            }),
            ..ChangeOutput::default()
        };
    let changes = ChangesOutput {
        changes: vec![
            change(Some("sym_1"), "open", "signature", 1, None),
            change(None, "shut", "renamed", 5, Some("close")),
        ],
        broken: vec![BrokenOutput {
            path: text("b.ts"),
            line: 3,
            symbol: text("run"),
            uses: UsedOutput {
                path: text("a.ts"),
                symbol: text("close"),
                ..UsedOutput::default()
            },
            provenance: "resolved",
            ..BrokenOutput::default()
        }],
        ..ChangesOutput::default()
    };
    let impact = ImpactOutput {
        target: ImpactTarget::Known(TargetOutput {
            path: text("a.ts"),
            symbol: text("open"),
            line: 1,
            ..TargetOutput::default()
        }),
        callers: vec![CallerOutput {
            path: text("b.ts"),
            symbol: text("run"),
            line: 2,
            ..CallerOutput::default()
        }],
        ..ImpactOutput::default()
    };
    let (nodes, edges) = changes_graph(&changes, &[(text("sym_1"), impact)]).unwrap();
    let shown: Vec<_> = nodes
        .iter()
        .map(|node| (node.name.as_str(), node.group.as_str(), node.hops))
        .collect();
    assert_eq!(shown[0], ("open", "signature", 1));
    assert_eq!(shown[1], ("shut", "renamed", 1));
    assert_eq!(shown[2], ("run", "broken", 2));
    let led: Vec<_> = edges
        .iter()
        .map(|edge| (edge.0, edge.1, edge.2.as_str()))
        .collect();
    assert_eq!(led, [(2, 1, "broken"), (3, 0, "calls")]);
}

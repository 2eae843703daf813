//! What is around a file, and what a change reaches, as trees.
//!
//! Refuses to know how it was found.

use serde_json::Value;

use super::footer;
use super::text::{Fields, add, plural};
use super::tree::{Line, Node, draw};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible};

/// Returns what a change reaches: callers by distance and file, tests apart, then what it uses.
pub(super) fn impact(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    for target in targets(value) {
        text += &definition(target, screen);
    }
    let summary = visible(value.text("summary"));
    if !summary.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        add(&mut text, format_args!("{gap}{summary}\n"));
    }
    let candidates = value.items("candidates");
    if !candidates.is_empty() {
        text.push('\n');
        for candidate in candidates {
            text += &definition(candidate, screen);
        }
    }
    let tests: Vec<&str> = value
        .items("affectedTests")
        .iter()
        .map(|test| test.text("path"))
        .collect();
    let is_test = |place: &&Value| tests.contains(&place.text("path"));
    let callers = value.items("callers");
    let furthest = callers.iter().map(|caller| caller.number("hops")).max();
    for hops in 1..=furthest.unwrap_or_default() {
        let there: Vec<&Value> = callers
            .iter()
            .filter(|caller| caller.number("hops") == hops && !is_test(caller))
            .collect();
        section(&mut text, &away(hops), &by_file(&there), screen);
    }
    let there: Vec<&Value> = callers.iter().filter(is_test).collect();
    let mut nodes = by_file(&there);
    let named = value.items("affectedTests").iter().filter(|test| {
        !there
            .iter()
            .any(|place| place.text("path") == test.text("path"))
    });
    nodes.extend(named.map(|test| leaf(&place(test), test)));
    section(&mut text, "tests", &nodes, screen);
    let callees: Vec<&Value> = value.items("callees").iter().collect();
    section(&mut text, "uses", &by_file(&callees), screen);
    let unresolved = value["completeness"].number("unresolvedSites");
    if unresolved > 0 {
        let note = visible(value.text("confidenceNote"));
        add(&mut text, format_args!("\n{}\n", screen.paint(CARE, &note)));
    }
    text + &footer(value, screen)
}

/// Returns what is around a file or definition: a tree for each kind of edge.
pub(super) fn related(value: &Value, screen: &Screen) -> String {
    let results = value.items("results");
    let mut text = String::new();
    if results.is_empty() {
        text += &screen.paint(FAINT, "nothing is bound to it, or by it");
        text.push('\n');
    }
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for result in results {
        let kind = (result.text("edgeType"), result.text("direction"));
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_unstable();
    for kind in kinds {
        let of_kind: Vec<&Value> = results
            .iter()
            .filter(|result| (result.text("edgeType"), result.text("direction")) == kind)
            .collect();
        section(&mut text, heading(kind), &chains(&of_kind), screen);
    }
    text.trim_start_matches('\n').to_owned() + &footer(value, screen)
}

/// Returns the definitions that an answer is about.
pub(super) fn targets(value: &Value) -> Vec<&Value> {
    match value.get("target") {
        Some(target) if target.is_object() => vec![target],
        _ => value.items("targets").iter().collect(),
    }
}

/// Returns how far something is, in words.
pub(super) fn away(hops: u64) -> String {
    match hops {
        1 => "callers".to_owned(),
        _ => format!("{} away", plural(hops, "edge")),
    }
}

fn heading<'a>(kind: (&'a str, &str)) -> &'a str {
    match kind {
        ("calls", "in") => "called by",
        ("references", "out") => "refers to",
        ("references", _) => "referred to by",
        ("imported_by", _) | ("imports", "in") => "imported by",
        ("tests", "out") => "tests what is in",
        ("tests", _) => "tested by",
        ("belongs_to", _) => "belongs to",
        (other, _) => other,
    }
}

fn section(text: &mut String, heading: &str, nodes: &[Node], screen: &Screen) {
    if !nodes.is_empty() {
        let heading = screen.paint(STRONG, &visible(heading));
        add(text, format_args!("\n{heading}\n{}", draw(nodes, screen)));
    }
}

fn definition(target: &Value, screen: &Screen) -> String {
    let line = format!(
        "{}  {}  {}",
        screen.paint(PLACE, &place(target)),
        screen.paint(STRONG, &visible(target.text("symbol"))),
        screen.paint(FAINT, &visible(target.text("kind"))),
    );
    line.trim_end().to_owned() + "\n"
}

/// Returns `path:line`, or the path where there is no line.
fn place(value: &Value) -> String {
    let path = visible(value.text("path"));
    match value.number("line") {
        0 => path.into_owned(),
        line => format!("{path}:{line}"),
    }
}

fn leaf(place: &str, value: &Value) -> Node {
    let provenance = match value.text("provenance") {
        "resolved" => "",
        other => other,
    };
    let mark = if value.is_true("stale") { "stale" } else { "" };
    Node {
        line: Line::default()
            .with(PLACE, place)
            .with(STRONG, &visible(value.text("symbol")))
            .with(FAINT, &visible(provenance))
            .with(CARE, mark),
        below: Vec::new(),
    }
}

/// Returns a branch for each file: its first place, and below it the others by their lines.
fn by_file(places: &[&Value]) -> Vec<Node> {
    let mut files: Vec<(&str, Node)> = Vec::new();
    for value in places {
        let path = value.text("path");
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, file)) => {
                let line = format!(":{}", value.number("line"));
                file.below.push(leaf(&line, value));
            }
            None => files.push((path, leaf(&place(value), value))),
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

/// Returns the trees of what leads to what; a neighbour whose way is not shown stands by itself.
fn chains(results: &[&Value]) -> Vec<Node> {
    let is_of = |result: &Value, via: &str| {
        !via.is_empty() && (result.text("handle") == via || result.text("path") == via)
    };
    let is_shown = |via: &str, hops: u64| {
        results
            .iter()
            .any(|result| is_of(result, via) && result.number("hops") < hops)
    };
    results
        .iter()
        .filter(|result| !is_shown(result.text("via"), result.number("hops")))
        .map(|result| chain(result, results))
        .collect()
}

fn chain(result: &Value, results: &[&Value]) -> Node {
    let mut node = leaf(&place(result), result);
    let follows = |next: &&&Value| {
        let via = next.text("via");
        let is_next =
            !via.is_empty() && (via == result.text("handle") || via == result.text("path"));
        // Chains grow by each step, so that they end.
        is_next && next.number("hops") == result.number("hops") + 1
    };
    node.below = results
        .iter()
        .filter(follows)
        .map(|next| chain(next, results))
        .collect();
    node
}

/// Returns the neighbours of what was explored, by the file they are neighbours of.
pub(super) fn neighbours(related: &[Value], screen: &Screen) -> String {
    let mut sources: Vec<(&str, Node)> = Vec::new();
    for near in related {
        let source = near.text("sourcePath");
        let kind = heading((near.text("edgeType"), near.text("direction")));
        let mut node = leaf(&place(near), near);
        node.line = Line::default().with(FAINT, &visible(kind));
        node.line = node
            .line
            .with(PLACE, &visible(near.text("path")))
            .with(FAINT, &far(near.number("hops")))
            .with(CARE, if near.is_true("stale") { "stale" } else { "" });
        match sources.iter_mut().find(|(known, _)| *known == source) {
            Some((_, known)) => known.below.push(node),
            None => sources.push((
                source,
                Node {
                    line: Line::default().with(PLACE, &visible(source)),
                    below: vec![node],
                },
            )),
        }
    }
    let mut text = String::new();
    let nodes: Vec<Node> = sources.into_iter().map(|(_, node)| node).collect();
    section(&mut text, "around them", &nodes, screen);
    text
}

fn far(hops: u64) -> String {
    if hops > 1 { away(hops) } else { String::new() }
}

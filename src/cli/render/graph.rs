//! The neighbours of a file, and the reach of a change, as trees.

use serde_json::Value;

use super::text::{Fields, add, count, entries, key, plural};
use super::tree::{StyledLine, TreeNode, draw};
use super::{footer, is_fresh};
use crate::cli::screen::{CARE, FAINT, PLACE, STRONG, Screen, visible, visible_lines};

/// Returns the reach of a change: definitions that are gone, callers by distance and file, unbound uses, tests apart,
/// then the definitions it uses.
pub(super) fn impact(value: &Value, screen: &Screen) -> String {
    let summary = visible(value.text("summary"));
    let is_first = !is_fresh(value);
    let mut text = String::new();
    if is_first && !summary.is_empty() {
        add(
            &mut text,
            format_args!("{}\n\n", screen.paint(CARE, &summary)),
        );
    }
    for target in targets(value) {
        text += &definition(target, screen);
    }
    if !is_first && !summary.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        add(&mut text, format_args!("{gap}{summary}\n"));
    }
    for key in ["candidates", "didYouMean"] {
        let found = value.items(key);
        if !found.is_empty() {
            let heading = if key == "candidates" {
                ""
            } else {
                "Did you mean\n"
            };
            add(&mut text, format_args!("\n{heading}"));
        }
        for one in found {
            text += &definition(one, screen);
        }
    }
    text += &removed(value, screen);
    let mentions = value["mentions"].items("places");
    section(
        &mut text,
        "Places of the name",
        &lines(mentions, "role"),
        screen,
    );
    let source = value["target"].text("text");
    if !source.is_empty() {
        add(&mut text, format_args!("\n{}\n", visible_lines(source)));
    }
    // Every line is more than the callers.
    let has_sites = value["sites"].is_array();
    if !has_sites {
        text += &callers(value, screen);
    }
    let sites = value.items("sites");
    section(&mut text, "Every use", &lines(sites, "use"), screen);
    let unresolved = value.items("unresolved");
    section(
        &mut text,
        "May be uses (type unknown)",
        &lines(unresolved, ""),
        screen,
    );
    if !has_sites {
        text += &exposure(value, screen);
        let callees = entries(value, "callees");
        let callees: Vec<&Value> = callees.iter().collect();
        section(&mut text, "It uses", &by_file(&callees), screen);
    }
    text += &other_mentions(value, screen);
    text += &super::risk::risk(&value["risk"], screen);
    let note = visible(value.text("confidenceNote"));
    if !note.is_empty() {
        add(&mut text, format_args!("\n{}\n", screen.paint(CARE, &note)));
    }
    text += &analysed(value, screen);
    text + &footer(value, screen)
}

/// Returns the callers by distance and file, then tests and examples.
fn callers(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    let affected = entries(value, "affectedTests");
    let tests: Vec<&str> = affected.iter().map(|test| test.text("path")).collect();
    // A file may hold tests among its code: then the place says whether it is in one.
    let files = entries(value, "affectedFiles");
    let is_code = |path: &str| files.iter().any(|file| file.text("path") == path);
    let is_test = |place: &&Value| {
        let path = place.text("path");
        tests.contains(&path) && (!place.text("test").is_empty() || !is_code(path))
    };
    let examples = entries(value, "affectedExamples");
    let is_example = |place: &&Value| {
        let path = place.text("path");
        examples.iter().any(|example| example.text("path") == path)
    };
    let mut callers = entries(value, "callers");
    if value["target"].text("text").is_empty() {
        // Lines of source are shown where more than the first was asked for.
        for caller in &mut callers {
            caller["text"] = Value::Null;
        }
    }
    let furthest = callers.iter().map(|caller| caller.number("hops")).max();
    for hops in 1..=furthest.unwrap_or_default() {
        let there: Vec<&Value> = callers
            .iter()
            .filter(|caller| {
                caller.number("hops") == hops && !is_test(caller) && !is_example(caller)
            })
            .collect();
        section(&mut text, &away(hops), &by_file(&there), screen);
    }
    let indirect = value.number("indirect");
    if indirect > 0 {
        let listed: Vec<&str> = callers.iter().map(|caller| caller.text("path")).collect();
        let files = entries(value, "affectedFiles");
        let files: Vec<&Value> = files
            .iter()
            .filter(|file| !listed.contains(&file.text("path")))
            .collect();
        let heading = format!("Further files ({})", plural(indirect, "indirect caller"));
        section(&mut text, &heading, &by_file(&files), screen);
    }
    let there: Vec<&Value> = callers.iter().filter(is_test).collect();
    let mut nodes = by_file(&there);
    let named = affected.iter().filter(|test| {
        !there
            .iter()
            .any(|place| place.text("path") == test.text("path"))
    });
    nodes.extend(named.map(|test| leaf(&place(test), test)));
    let n_naming = affected
        .iter()
        .filter(|test| test.text("basis") == "mention")
        .count() as u64;
    let more = value.number("mentioningTests").saturating_sub(n_naming);
    if more > 0 {
        nodes.push(plain(&format!("{} more name it", count(more))));
    }
    section(&mut text, "Tests", &nodes, screen);
    let used: Vec<&Value> = callers.iter().filter(is_example).collect();
    let mut nodes = by_file(&used);
    let beyond = examples.iter().filter(|example| {
        let path = example.text("path");
        !used.iter().any(|caller| caller.text("path") == path)
    });
    nodes.extend(beyond.map(|example| leaf(&place(example), example)));
    section(&mut text, "Examples", &nodes, screen);
    text
}

/// Returns how often the name stands for something else, where every line was asked for: `Other mentions, not listed:
/// 3 in comments, 11 in strings`.
fn other_mentions(value: &Value, screen: &Screen) -> String {
    let counts: Vec<String> = value
        .counts("otherMentions")
        .into_iter()
        .filter(|(_, n)| *n > 0)
        .map(|(key, n)| {
            let place = match key {
                "definitions" => "names of definitions",
                "otherTargets" => "uses of others of this name",
                "external" => "uses of something outside",
                "comments" => "in comments",
                "strings" => "in strings",
                _ => "in files without known uses",
            };
            format!("{} {place}", count(n))
        })
        .collect();
    if counts.is_empty() {
        return String::new();
    }
    let line = format!("Other mentions, not listed: {}", counts.join(", "));
    format!("\n{}\n", screen.paint(FAINT, &line))
}

/// Returns the definitions that implement an interface, and the ways in which a definition leaves its file.
fn exposure(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    for (key, heading) in [
        ("implementedBy", "Implemented by"),
        ("reexportedBy", "Re-exported by"),
        ("importedBy", "Imported by"),
    ] {
        let nodes: Vec<TreeNode> = texts(value, key).iter().map(|place| plain(place)).collect();
        section(&mut text, heading, &nodes, screen);
    }
    let packages = texts(value, "exportedFrom");
    if !packages.is_empty() {
        let packages = visible(&packages.join(", ")).into_owned();
        add(
            &mut text,
            format_args!(
                "\n{}\n",
                screen.paint(STRONG, &format!("Exported from {packages}"))
            ),
        );
    }
    text
}

/// Returns the definitions that the uncommitted changes took away, with the uses that still name them.
fn removed(value: &Value, screen: &Screen) -> String {
    let mut text = String::new();
    for one in value["changeSet"].items("removed") {
        let now = if one["now"].is_object() {
            format!(" → {} ({})", one["now"].text("symbol"), place(&one["now"]))
        } else {
            String::new()
        };
        let total = one.number("total");
        let heading = format!(
            "{} {} {}{now}: still named at {}{}",
            one.text("change"),
            one.text("symbol"),
            place(one),
            plural(total, "place"),
            match one.number("doubtful") {
                0 => String::new(),
                n => format!(" ({} of unknown meaning)", count(n)),
            }
        );
        let uses = one.items("stillNamedAt");
        let mut nodes = lines(uses, "use");
        let more = total.saturating_sub(uses.len() as u64);
        if more > 0 {
            nodes.push(plain(&format!("{} more", count(more))));
        }
        let heading = screen.paint(CARE, &visible(&heading));
        add(
            &mut text,
            format_args!("\n{heading}\n{}", draw(&nodes, screen)),
        );
    }
    text
}

/// Returns the sentence about files that are read as text alone.
pub(super) fn analysed(value: &Value, screen: &Screen) -> String {
    match value["analysed"].text("note") {
        "" => String::new(),
        note if value.text("summary").contains(note) => String::new(),
        note => format!("\n{}\n", screen.paint(FAINT, &visible(note))),
    }
}

/// Returns a branch for each file with its lines and their texts; `role` names the field with the kind of a line.
fn lines(places: &[Value], role: &str) -> Vec<TreeNode> {
    let mut files: Vec<(&str, TreeNode)> = Vec::new();
    for value in places {
        let text = |place: &str| TreeNode {
            line: StyledLine::default()
                .with(PLACE, place)
                .with(STRONG, &visible(value.text("text")))
                .with(FAINT, &visible(value.text(role))),
            below: Vec::new(),
        };
        let path = value.text("path");
        match files.last_mut().filter(|(known, _)| *known == path) {
            Some((_, file)) => file.below.push(text(&format!(":{}", value.number("line")))),
            None => files.push((path, text(&place(value)))),
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    value.items(key).iter().filter_map(Value::as_str).collect()
}

pub(super) fn plain(text: &str) -> TreeNode {
    TreeNode {
        line: StyledLine::default().with(PLACE, &visible(text)),
        below: Vec::new(),
    }
}

/// Returns the neighbours of a file or definition: a tree for each kind of edge.
pub(super) fn related(value: &Value, screen: &Screen) -> String {
    let results = entries(value, "results");
    let mut text = String::new();
    let note = visible(value.text("note"));
    if results.is_empty() && !note.is_empty() && is_fresh(value) {
        text += &screen.paint(FAINT, &note);
        text.push('\n');
    }
    for one in value.items("candidates") {
        text += &definition(one, screen);
    }
    for path in value.items("paths") {
        let steps = path.as_array().into_iter().flatten();
        let step = |step: &Value| {
            let place = match step["line"].as_u64() {
                Some(line) => format!("{}:{line}", step.text("path")),
                None => step.text("path").to_owned(),
            };
            format!("{place} {} {}", step.text("symbol"), step.text("edgeType"))
        };
        for line in steps.map(step) {
            text += &visible(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for result in &results {
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
    text += &analysed(value, screen);
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
        1 => "Callers".to_owned(),
        _ => format!("Indirect callers ({hops} steps)"),
    }
}

fn heading<'a>(kind: (&'a str, &str)) -> &'a str {
    match kind {
        ("calls", "in") => "Called by",
        ("references", "out") => "Refers to",
        ("references", _) => "Referred to by",
        ("imported_by", _) | ("imports", "in") => "Imported by",
        ("tests", "out") => "Tests of",
        ("tests", _) => "Tests",
        ("belongs_to", _) => "Belongs to",
        ("imports", _) => "Imports",
        ("calls", _) => "Calls",
        ("defines", _) => "Defines",
        ("exports", _) => "Exports",
        (other, _) => other,
    }
}

pub(super) fn section(text: &mut String, heading: &str, nodes: &[TreeNode], screen: &Screen) {
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

/// Returns the lines of a caller that uses a definition several times, or how often it does.
fn more_lines(value: &Value) -> String {
    let lines: Vec<String> = value
        .items("also")
        .iter()
        .map(ToString::to_string)
        .collect();
    match (lines.is_empty(), value.number("count")) {
        (false, _) => format!("also {}", lines.join(", ")),
        (true, 0) => String::new(),
        (true, n) => format!("{n} uses"),
    }
}

fn leaf(place: &str, value: &Value) -> TreeNode {
    let provenance = match (value.text("basis"), value.text("provenance")) {
        ("mention", _) => "names it",
        ("barrel", _) => "through a barrel",
        (_, "resolved") => "",
        (_, other) => other,
    };
    let mark = if value.is_true("stale") { "stale" } else { "" };
    let test = match value.text("symbol") {
        "" => value.text("test"),
        _ => "",
    };
    TreeNode {
        line: StyledLine::default()
            .with(PLACE, place)
            .with(STRONG, &visible(value.text("symbol")))
            .with(STRONG, &visible(test))
            .with(FAINT, &visible(value.text("text")))
            .with(FAINT, &more_lines(value))
            .with(FAINT, &visible(value.text("role")))
            .with(FAINT, &visible(provenance))
            .with(CARE, mark),
        below: Vec::new(),
    }
}

/// Returns a branch for each file: its first place, and below it the others by their lines.
fn by_file(places: &[&Value]) -> Vec<TreeNode> {
    let mut files: Vec<(&str, TreeNode)> = Vec::new();
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

/// Returns trees of chains; a neighbour whose way is not shown stands by itself.
fn chains(results: &[&Value]) -> Vec<TreeNode> {
    let is_of = |result: &Value, via: &str| !via.is_empty() && key(result) == via;
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

fn chain(result: &Value, results: &[&Value]) -> TreeNode {
    let mut node = leaf(&place(result), result);
    if result.text("via").is_empty() {
        node.line = node.line.with(FAINT, &far(result.number("hops")));
    }
    let follows = |next: &&&Value| {
        let via = next.text("via");
        let is_next = !via.is_empty() && via == key(result);
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

/// Returns the neighbours of explored files, by the file they are neighbours of.
pub(super) fn neighbours(related: &[Value], screen: &Screen) -> String {
    let mut sources: Vec<(&str, TreeNode)> = Vec::new();
    for near in related {
        let source = near.text("sourcePath");
        let kind = heading((near.text("edgeType"), near.text("direction")));
        let mut node = leaf(&place(near), near);
        node.line = StyledLine::default().with(FAINT, &visible(kind));
        node.line = node
            .line
            .with(PLACE, &visible(near.text("path")))
            .with(FAINT, &far(near.number("hops")))
            .with(CARE, if near.is_true("stale") { "stale" } else { "" });
        match sources.iter_mut().find(|(known, _)| *known == source) {
            Some((_, known)) => known.below.push(node),
            None => sources.push((
                source,
                TreeNode {
                    line: StyledLine::default().with(PLACE, &visible(source)),
                    below: vec![node],
                },
            )),
        }
    }
    let mut text = String::new();
    let nodes: Vec<TreeNode> = sources.into_iter().map(|(_, node)| node).collect();
    section(&mut text, "Related files", &nodes, screen);
    text
}

fn far(hops: u64) -> String {
    if hops > 1 {
        format!("{hops} steps away")
    } else {
        String::new()
    }
}

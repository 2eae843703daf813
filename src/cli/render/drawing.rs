//! A graph as text for programs that draw: Graphviz' DOT and Mermaid.
//!
//! Nodes are numbered, names stand only in labels, and labels are escaped: a file's or definition's name can't end a
//! label.

use serde_json::Value;

use super::graph::targets;
use super::text::{Fields, add, entries, key};
use crate::cli::screen::visible;

/// A language for graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum GraphLanguage {
    /// Graphviz.
    Dot,
    /// Mermaid's flowchart.
    Mermaid,
}

/// The graph to draw.
#[derive(Debug, Default)]
struct Graph {
    nodes: Vec<DrawnNode>,
    edges: Vec<DrawnEdge>,
}

#[derive(Debug)]
struct DrawnNode {
    /// Keys by which edges find their node.
    keys: Vec<String>,
    lines: Vec<String>,
    look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Asked,
    Plain,
    Test,
}

#[derive(Debug)]
struct DrawnEdge {
    from: usize,
    to: usize,
    label: String,
    is_certain: bool,
}

/// Returns the graph of an answer of `cl_impact` or `cl_related`; `asked` is the subject on the command line.
pub(in crate::cli) fn drawing(
    tool: &str,
    value: &Value,
    asked: &str,
    language: GraphLanguage,
) -> String {
    let graph = match tool {
        "cl_impact" => Graph::of_impact(value),
        _ => Graph::of_related(value, asked),
    };
    match language {
        GraphLanguage::Dot => graph.dot(),
        GraphLanguage::Mermaid => graph.mermaid(),
    }
}

impl Graph {
    /// The callers of the targets, each with an edge to the definition that it uses on the way.
    fn of_impact(value: &Value) -> Self {
        let mut graph = Self::default();
        let asked = targets(value);
        for target in &asked {
            graph.add(&[&key(target)], target, Look::Asked);
        }
        if asked.len() > 1 {
            // Which of them a place uses is not told: the edge leads to all of them together.
            graph.nodes.clear();
            let lines = asked.iter().map(|target| target.text("symbol").to_owned());
            graph.nodes.push(DrawnNode {
                keys: Vec::new(),
                lines: lines.take(12).collect(),
                look: Look::Asked,
            });
        }
        if graph.nodes.is_empty() {
            return graph;
        }
        let tests = entries(value, "affectedTests");
        let callers = entries(value, "callers");
        let is_test = |path: &str| tests.iter().any(|test| test.text("path") == path);
        for caller in &callers {
            let look = if is_test(caller.text("path")) {
                Look::Test
            } else {
                Look::Plain
            };
            let from = graph.add(&[&key(caller)], caller, look);
            graph.connect(from, caller.text("via"), 0, "", caller);
        }
        for test in &tests {
            let is_shown = callers
                .iter()
                .any(|caller| caller.text("path") == test.text("path"));
            if !is_shown {
                let from = graph.add(&[test.text("path")], test, Look::Test);
                graph.connect(from, "", 0, "", test);
            }
        }
        graph
    }

    /// The neighbours of a file or definition, each with an edge to the one before it on the way.
    fn of_related(value: &Value, asked: &str) -> Self {
        let mut graph = Self::default();
        let name = match value.text("symbol") {
            "" => asked.strip_prefix("rel:").unwrap_or(asked),
            symbol => symbol,
        };
        graph.nodes.push(DrawnNode {
            keys: vec![asked.to_owned(), name.to_owned()],
            lines: vec![name.to_owned()],
            look: Look::Asked,
        });
        for result in &entries(value, "results") {
            let is_test = result.text("edgeType") == "tests" && result.text("direction") == "in";
            let look = if is_test { Look::Test } else { Look::Plain };
            let near = graph.add(&[&key(result)], result, look);
            graph.connect(near, result.text("via"), 0, result.text("edgeType"), result);
        }
        graph
    }

    /// Returns the number of a node, which is added unless it is there.
    fn add(&mut self, keys: &[&str], value: &Value, look: Look) -> usize {
        let is_known = |node: &DrawnNode| keys.iter().any(|key| node.keys.iter().any(|k| k == key));
        if let Some(at) = self.nodes.iter().position(is_known) {
            return at;
        }
        let place = match value.number("line") {
            0 => value.text("path").to_owned(),
            line => format!("{}:{line}", value.text("path")),
        };
        let name = value.text("symbol").to_owned();
        self.nodes.push(DrawnNode {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            lines: [name, place]
                .into_iter()
                .filter(|line| !line.is_empty())
                .collect(),
            look,
        });
        self.nodes.len() - 1
    }

    /// Adds the edge of a neighbour to the node before it on the way, or to the node `root`.
    fn connect(&mut self, near: usize, via: &str, root: usize, kind: &str, value: &Value) {
        let before = self
            .nodes
            .iter()
            .position(|node| !via.is_empty() && node.keys.iter().any(|key| key == via));
        let is_hidden = before.is_none() && value.number("hops") > 1;
        let before = before.unwrap_or(root);
        let provenance = value.text("provenance");
        let mut words: Vec<&str> = Vec::new();
        let hops = format!("{} steps", value.number("hops"));
        words.extend([kind].into_iter().filter(|kind| !kind.is_empty()));
        if provenance != "resolved" {
            words.push(provenance);
        }
        if is_hidden {
            words.push(&hops);
        }
        // `imported_by` is `imports` read the other way.
        let is_inward = value.text("direction") != "out";
        let (from, to) = if is_inward {
            (near, before)
        } else {
            (before, near)
        };
        if words.first() == Some(&"imported_by") {
            words[0] = "imports";
        }
        let edge = DrawnEdge {
            from,
            to,
            label: words.join(", "),
            is_certain: matches!(provenance, "resolved" | "member") && !is_hidden,
        };
        let is_known = |known: &DrawnEdge| {
            (known.from, known.to, &known.label) == (edge.from, edge.to, &edge.label)
        };
        if from != to && !self.edges.iter().any(is_known) {
            self.edges.push(edge);
        }
    }

    fn dot(&self) -> String {
        let mut text = String::from(
            "digraph codelens {\n  rankdir=RL;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n",
        );
        for (at, node) in self.nodes.iter().enumerate() {
            let lines: Vec<String> = node.lines.iter().map(|line| dot_text(line)).collect();
            let look = match node.look {
                Look::Asked => ", style=bold",
                Look::Plain => "",
                Look::Test => ", style=rounded",
            };
            add(
                &mut text,
                format_args!("  n{at} [label=\"{}\"{look}];\n", lines.join("\\n")),
            );
        }
        for edge in &self.edges {
            let mut marks = Vec::new();
            if !edge.label.is_empty() {
                marks.push(format!("label=\"{}\"", dot_text(&edge.label)));
            }
            if !edge.is_certain {
                marks.push("style=dashed".to_owned());
            }
            let marks = if marks.is_empty() {
                String::new()
            } else {
                format!(" [{}]", marks.join(", "))
            };
            add(
                &mut text,
                format_args!("  n{} -> n{}{marks};\n", edge.from, edge.to),
            );
        }
        text + "}\n"
    }

    fn mermaid(&self) -> String {
        let mut text = String::from("flowchart RL\n");
        for (at, node) in self.nodes.iter().enumerate() {
            let lines: Vec<String> = node.lines.iter().map(|line| mermaid_text(line)).collect();
            let label = lines.join("<br>");
            let (open, close) = match node.look {
                Look::Asked => ("[[", "]]"),
                Look::Plain => ("[", "]"),
                Look::Test => ("(", ")"),
            };
            add(&mut text, format_args!("  n{at}{open}\"{label}\"{close}\n"));
        }
        for edge in &self.edges {
            let arrow = if edge.is_certain { "-->" } else { "-.->" };
            let label = if edge.label.is_empty() {
                String::new()
            } else {
                format!("|\"{}\"|", mermaid_text(&edge.label))
            };
            add(
                &mut text,
                format_args!("  n{} {arrow}{label} n{}\n", edge.from, edge.to),
            );
        }
        text
    }
}

/// Escapes a text for a quoted label of DOT.
fn dot_text(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Escapes a text for a quoted label of Mermaid, which has no escapes but entities written with `#`.
fn mermaid_text(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        if c.is_alphanumeric() || " ./:_-,()@$+=~!?".contains(c) {
            out.push(c);
        } else {
            add(&mut out, format_args!("#{};", u32::from(c)));
        }
    }
    out
}

//! A graph as text for programs that draw: Graphviz' DOT and Mermaid.
//!
//! Nodes are numbered, names stand only in labels, and labels are escaped: a file's or definition's name can't end a
//! label.

use super::graph::{Entry, ImpactEntries, neighbour_entries};
use super::text::put;
use crate::cli::screen::visible;
use crate::tools::impact::ImpactOutput;
use crate::tools::related::RelatedOutput;

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

/// Returns the graph of an answer of `cl_impact`.
pub(super) fn of_impact(answer: &ImpactOutput, language: GraphLanguage) -> String {
    Graph::of_impact(&ImpactEntries::of(answer)).written(language)
}

/// Returns the graph of an answer of `cl_related`; `asked` is the subject on the command line.
pub(super) fn of_related(answer: &RelatedOutput, asked: &str, language: GraphLanguage) -> String {
    Graph::of_related(answer, asked).written(language)
}

impl Graph {
    fn written(&self, language: GraphLanguage) -> String {
        match language {
            GraphLanguage::Dot => self.dot(),
            GraphLanguage::Mermaid => self.mermaid(),
        }
    }

    /// The callers of the targets, each with an edge to the definition that it uses on the way.
    fn of_impact(entries: &ImpactEntries<'_>) -> Self {
        let mut graph = Self::default();
        match entries.targets.as_slice() {
            [] => return graph,
            [target] => drop(graph.add(&target.key(), target, Look::Asked)),
            // Which of them a place uses is not told: the edge leads to all of them together.
            targets => {
                let lines = targets.iter().map(|target| target.symbol.to_owned());
                graph.nodes.push(DrawnNode {
                    keys: Vec::new(),
                    lines: lines.take(12).collect(),
                    look: Look::Asked,
                });
            }
        }
        let is_in = |places: &[Entry<'_>], path: &str| places.iter().any(|it| it.path == path);
        for caller in &entries.callers {
            let look = if is_in(&entries.tests, caller.path) {
                Look::Test
            } else {
                Look::Plain
            };
            let from = graph.add(&caller.key(), caller, look);
            graph.connect(from, caller);
        }
        for test in &entries.tests {
            if !is_in(&entries.callers, test.path) {
                let from = graph.add(test.path, test, Look::Test);
                graph.connect(from, test);
            }
        }
        graph
    }

    /// The neighbours of a file or definition, each with an edge to the one before it on the way.
    fn of_related(answer: &RelatedOutput, asked: &str) -> Self {
        let mut graph = Self::default();
        let name = match &answer.symbol {
            None => asked.strip_prefix("rel:").unwrap_or(asked),
            Some(symbol) => symbol,
        };
        graph.nodes.push(DrawnNode {
            keys: vec![asked.to_owned(), name.to_owned()],
            lines: vec![name.to_owned()],
            look: Look::Asked,
        });
        for result in &neighbour_entries(answer) {
            let is_test = result.edge_type == "tests" && result.direction == "in";
            let look = if is_test { Look::Test } else { Look::Plain };
            let near = graph.add(&result.key(), result, look);
            graph.connect(near, result);
        }
        graph
    }

    /// Returns the number of a node, which is added unless it is there.
    fn add(&mut self, key: &str, entry: &Entry<'_>, look: Look) -> usize {
        let is_known = |node: &DrawnNode| node.keys.iter().any(|known| known == key);
        if let Some(at) = self.nodes.iter().position(is_known) {
            return at;
        }
        let lines = [entry.symbol.to_owned(), entry.place()].into_iter();
        self.nodes.push(DrawnNode {
            keys: vec![key.to_owned()],
            lines: lines.filter(|line| !line.is_empty()).collect(),
            look,
        });
        self.nodes.len() - 1
    }

    /// Adds the edge of a neighbour to the node before it on the way, or to the first node.
    fn connect(&mut self, near: usize, entry: &Entry<'_>) {
        let before = self
            .nodes
            .iter()
            .position(|node| !entry.via.is_empty() && node.keys.iter().any(|key| key == entry.via));
        let is_hidden = before.is_none() && entry.hops > 1;
        let before = before.unwrap_or(0);
        let hops = format!("{} steps", entry.hops);
        // `imported_by` is `imports` read the other way.
        let mut words = vec![match entry.edge_type {
            "imported_by" => "imports",
            other => other,
        }];
        if entry.provenance != "resolved" {
            words.push(entry.provenance);
        }
        if is_hidden {
            words.push(&hops);
        }
        words.retain(|word| !word.is_empty());
        let is_inward = entry.direction != "out";
        let (from, to) = if is_inward {
            (near, before)
        } else {
            (before, near)
        };
        let edge = DrawnEdge {
            from,
            to,
            label: words.join(", "),
            is_certain: matches!(entry.provenance, "resolved" | "member") && !is_hidden,
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
            put!(text, "  n{at} [label=\"{}\"{look}];\n", lines.join("\\n"));
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
            put!(text, "  n{} -> n{}{marks};\n", edge.from, edge.to);
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
            put!(text, "  n{at}{open}\"{label}\"{close}\n");
        }
        for edge in &self.edges {
            let arrow = if edge.is_certain { "-->" } else { "-.->" };
            let label = if edge.label.is_empty() {
                String::new()
            } else {
                format!("|\"{}\"|", mermaid_text(&edge.label))
            };
            put!(text, "  n{} {arrow}{label} n{}\n", edge.from, edge.to);
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
            put!(out, "#{};", u32::from(c));
        }
    }
    out
}

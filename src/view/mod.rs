//! One page of HTML that draws a graph: it holds its data, its style and its script, and asks no network.
//!
//! Text from a repository goes in as data alone, encoded so that it can't end the element it stands in; the script
//! shows it as text.

use serde::Serialize;
use serde_json::Value;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: [&str; 3] = [
    include_str!("model.js"),
    include_str!("picture.js"),
    include_str!("page.js"),
];

/// The data of a page.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageData {
    /// How it is drawn.
    pub mode: Mode,
    /// The heading.
    pub title: String,
    /// The repository's name.
    pub repository: String,
    /// Branch, commit and how current the graph is, in one line.
    pub state: String,
    /// A sentence about the whole graph.
    pub note: String,
    /// The root of the work tree, for links into an editor.
    pub root: String,
    /// Where such links lead; none without one.
    pub editor: Option<String>,
    /// Files, or places in them.
    pub nodes: Vec<ViewNode>,
    /// Relations between the nodes.
    pub edges: Vec<ViewEdge>,
    /// The names of every provenance that an edge may have, in the order of their filters.
    pub provenances: Vec<&'static str>,
    /// The indexes of the repository, as `cl_stats` lists them.
    pub indexes: Value,
}

/// How a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Files in their directories.
    Map,
    /// Places by their distance from a change.
    Impact,
}

/// A file, or a place in one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ViewNode {
    /// The file.
    pub path: String,
    /// The definition; empty for a whole file.
    pub name: String,
    /// The kind of definition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// 1-based; 0 for a whole file.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u64,
    /// How large its box is.
    #[serde(skip_serializing_if = "is_zero")]
    pub weight: u64,
    /// Whether it is a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Steps from the definition or file that was asked about.
    pub hops: u64,
    /// The heading that the node is listed under, where nodes are definitions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Name, kind and line of its definitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<(String, &'static str, u32)>,
}

/// From, to, kind, provenance, how many uses, line of the first one (0 if none is known).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewEdge(
    pub usize,
    pub usize,
    pub String,
    pub String,
    pub u64,
    pub u32,
);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The editors that are known by name, and where their links lead.
pub const EDITORS: [(&str, &str); 5] = [
    ("vscode", "vscode://file{path}:{line}"),
    ("cursor", "cursor://file{path}:{line}"),
    ("windsurf", "windsurf://file{path}:{line}"),
    ("zed", "zed://file{path}:{line}"),
    ("idea", "idea://open?file={path}&line={line}"),
];

/// Returns the link template of an editor, by its name or as a template with `{path}` and `{line}`; `None` for
/// anything else and for schemes that would run as a script.
pub fn editor(name: &str) -> Option<String> {
    if let Some((_, template)) = EDITORS.iter().find(|(known, _)| *known == name) {
        return Some((*template).to_owned());
    }
    let (scheme, _) = name.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let runs = ["javascript", "data", "vbscript", "blob"];
    let is_safe = is_scheme && !runs.contains(&scheme.to_ascii_lowercase().as_str());
    (is_safe && name.contains("{path}")).then(|| name.to_owned())
}

/// Returns the page.
pub fn html(page: &PageData) -> String {
    let data = serde_json::to_string(page).expect("a page is plain data");
    let title = format!("{} · CodeLens", page.title);
    // Unknown to the authors of the repository's text.
    let seed = format!(
        "{data}{:?}{}",
        std::time::SystemTime::now(),
        std::process::id()
    );
    let nonce: String = blake3::hash(seed.as_bytes())
        .to_hex()
        .chars()
        .take(32)
        .collect();
    let script = SCRIPTS.concat();
    let parts = [
        ("nonce", nonce.as_str()),
        ("title", &escaped(&title)),
        ("style", STYLE),
        ("data", &inert(&data)),
        ("script", &script),
    ];
    filled(FRAME, &parts)
}

/// Replaces the names in `frame` with their parts, e.g. `{{style}}` with the style sheet. Names inside a part are not
/// replaced.
fn filled(frame: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = frame;
    while let Some((before, after)) = rest.split_once("{{") {
        page += before;
        let (name, behind) = after
            .split_once("}}")
            .expect("a name in the frame is closed");
        page += parts
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("", |(_, part)| part);
        rest = behind;
    }
    page + rest
}

/// Returns JSON in which nothing can end a script element, begin a comment or end a line of a script.
fn inert(json: &str) -> String {
    json.chars()
        .fold(String::with_capacity(json.len()), |mut text, c| {
            match c {
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    text.extend(["\\u".to_owned(), format!("{:04x}", u32::from(c))]);
                }
                _ => text.push(c),
            }
            text
        })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Mode, PageData, ViewEdge, ViewNode, editor, html};

    fn page(name: &str) -> PageData {
        PageData {
            mode: Mode::Map,
            title: name.to_owned(),
            repository: name.to_owned(),
            state: name.to_owned(),
            note: String::new(),
            root: "/r".to_owned(),
            editor: editor("vscode"),
            nodes: vec![ViewNode {
                path: name.to_owned(),
                ..ViewNode::default()
            }],
            edges: vec![ViewEdge(
                0,
                0,
                "calls".to_owned(),
                "resolved".to_owned(),
                1,
                1,
            )],
            provenances: vec!["resolved"],
            indexes: serde_json::json!([{"branch": name}]),
        }
    }

    #[test]
    fn no_name_ends_the_element_it_stands_in() {
        for name in [
            "</script><script>alert(1)</script>",
            "<!--<script>",
            "{{script}}",
            "</title><img src=x onerror=alert(1)>",
            "\u{2028}alert(1)",
        ] {
            let text = html(&page(name));
            assert_eq!(text.matches("</script").count(), 2, "{name}");
            assert_eq!(text.matches("<script").count(), 2, "{name}");
            assert!(!text.contains("<img") && !text.contains("<!--"), "{name}");
            let data = text.split_once("type=\"application/json\"").unwrap().1;
            let data = data
                .split_once('>')
                .unwrap()
                .1
                .split_once("</script>")
                .unwrap()
                .0;
            assert!(!data.contains(['\u{2028}', '<', '>', '&']), "{name}");
            let value: serde_json::Value = serde_json::from_str(data).unwrap();
            assert_eq!(
                value["nodes"][0]["path"], name,
                "what is shown is what it is called"
            );
        }
    }

    #[test]
    fn the_page_asks_for_nothing() {
        let text = html(&page("a"));
        for part in [
            "http:",
            "https:",
            "src=",
            "@import",
            "url(",
            "fetch(",
            "XMLHttpRequest",
            "innerHTML",
            "eval(",
        ] {
            assert!(!text.contains(part), "{part}");
        }
    }

    #[test]
    fn a_link_never_runs_a_script() {
        assert_eq!(editor("zed").unwrap(), "zed://file{path}:{line}");
        assert_eq!(
            editor("my-ed://open?f={path}").unwrap(),
            "my-ed://open?f={path}"
        );
        for refused in [
            "javascript:alert({path})",
            "JavaScript:{path}",
            " javascript:{path}",
            "data:text/html,{path}",
            "vim",
            "x://",
        ] {
            assert_eq!(editor(refused), None, "{refused}");
        }
    }
}

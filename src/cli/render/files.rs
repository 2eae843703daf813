//! The lists of an outline tool: files, directories, definitions.

use serde_json::Value;

use super::text::{Fields, add, bytes, count, plural};
use super::{footer, hits};
use crate::cli::screen::{FAINT, PLACE, STRONG, Screen, visible};

/// Returns a line for each entry of a list, and how many there are.
pub(super) fn list(value: &Value, screen: &Screen) -> String {
    let mut text = match value.text("view") {
        "files" => value
            .items("files")
            .iter()
            .map(|it| file(it, screen))
            .collect(),
        "tree" => tree(value, screen),
        _ => value
            .items("symbols")
            .iter()
            .map(|it| symbol(it, screen))
            .collect(),
    };
    if text.is_empty() {
        let note = visible(value.text("note")).into_owned();
        add(&mut text, format_args!("{}\n", screen.paint(FAINT, &note)));
    }
    let total = value.number("total");
    let shown = value.items("files").len().max(value.items("symbols").len());
    if total > shown as u64 {
        let line = format!("{} of {} shown", count(shown as u64), count(total));
        add(
            &mut text,
            format_args!("\n{}\n", screen.paint(FAINT, &line)),
        );
    }
    text += &super::graph::analysed(value, screen);
    text + &footer(value, screen)
}

/// Returns a line for each piece of a file: `src/store.ts:1-24  bytes 0-812  chk_0123456789abcdef  definition Store.open`.
pub(super) fn chunks(value: &Value, screen: &Screen) -> String {
    let path = visible(value.text("path"));
    let mut text = String::new();
    for chunk in value.items("chunks") {
        let (start, end) = (chunk.number("start"), chunk.number("end"));
        let lines = (chunk.number("startLine"), chunk.number("endLine"));
        let place = screen.paint(PLACE, &format!("{path}:{}-{}", lines.0, lines.1));
        let mut facts = vec![format!("bytes {start}-{end}")];
        facts.extend(["handle", "kind"].map(|key| visible(chunk.text(key)).into_owned()));
        facts.retain(|fact| !fact.is_empty());
        let facts = screen.paint(FAINT, &facts.join("  "));
        let symbol = match chunk.text("symbol") {
            "" => String::new(),
            symbol => format!(" {}", screen.paint(STRONG, &visible(symbol))),
        };
        add(&mut text, format_args!("{place}  {facts}{symbol}\n"));
    }
    let total = plural(value.items("chunks").len() as u64, "piece");
    let bytes = plural(value.number("totalBytes"), "byte");
    let total = screen.paint(FAINT, &format!("{total}, {bytes}"));
    add(&mut text, format_args!("\n{total}\n"));
    text
}

fn file(file: &Value, screen: &Screen) -> String {
    let path = screen.paint(PLACE, &visible(file.text("path")));
    let mut facts = vec![visible(file.text("language")).into_owned()];
    if let Some(size) = file["bytes"].as_u64() {
        facts.push(bytes(size));
    }
    facts.push(plural(file.number("lines"), "line"));
    let skipped = visible(file.text("skipped"));
    if !skipped.is_empty() {
        facts.push(format!("left out: {skipped}"));
    }
    let facts = screen.paint(FAINT, &facts.join(", "));
    format!("{path}  {facts}{}\n", hits::stale(file, screen))
}

fn symbol(symbol: &Value, screen: &Screen) -> String {
    let place = format!(
        "{}:{}",
        visible(symbol.text("path")),
        symbol.number("startLine")
    );
    let place = screen.paint(PLACE, &place);
    let kind = screen.paint(FAINT, &visible(symbol.text("kind")));
    let name = screen.paint(STRONG, &visible(symbol.text("name")));
    format!("{place}  {kind} {name}{}\n", hits::stale(symbol, screen))
}

/// Draws the directories, and the languages below them.
fn tree(value: &Value, screen: &Screen) -> String {
    let branches = value.items("tree");
    let mut text = String::new();
    let level = |branch: &Value| match branch.text("path") {
        "." => 0,
        path => path.split('/').count(),
    };
    // Whether another directory of each level follows.
    let mut goes_on: Vec<bool> = Vec::new();
    for (at, branch) in branches.iter().enumerate() {
        let own = level(branch);
        let rest = &branches[at + 1..];
        let next = rest.iter().map(&level).find(|other| *other <= own);
        goes_on.truncate(own);
        goes_on.resize(own + 1, false);
        goes_on[own] = next == Some(own);
        let mut lead = String::new();
        for outer in goes_on.iter().take(own).skip(1) {
            lead += if *outer { "│   " } else { "    " };
        }
        if own > 0 {
            lead += if goes_on[own] {
                "├── "
            } else {
                "└── "
            };
        }
        let path = visible(branch.text("path"));
        let name = path.rsplit('/').next().unwrap_or_default();
        let mut facts = vec![
            plural(branch.number("files"), "file"),
            plural(branch.number("lines"), "line"),
        ];
        if branch.number("skipped") > 0 {
            facts.push(format!("{} left out", count(branch.number("skipped"))));
        }
        let (name, facts) = (
            screen.paint(PLACE, name),
            screen.paint(FAINT, &facts.join(", ")),
        );
        add(&mut text, format_args!("{lead}{name}  {facts}\n"));
    }
    let languages: Vec<String> = value
        .items("languages")
        .iter()
        .map(|it| {
            format!(
                "{} {}",
                count(it.number("files")),
                visible(it.text("language"))
            )
        })
        .collect();
    if !languages.is_empty() {
        let line = screen.paint(
            FAINT,
            &format!("Files by language: {}", languages.join(", ")),
        );
        add(&mut text, format_args!("\n{line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::list;
    use crate::cli::screen::Screen;

    #[test]
    fn a_tree_is_drawn() {
        let screen = Screen {
            width: 80,
            is_terminal: false,
            is_coloured: false,
            links: None,
        };
        let branch = |path: &str, files: u64| json!({"path": path, "files": files, "lines": 10});
        let value = json!({"view": "tree", "freshness": "fresh",
            "tree": [branch(".", 4), branch("a", 2), branch("a/b", 1), branch("a/c", 1), branch("d", 2), branch("d/e", 1)],
            "languages": [{"language": "vue", "files": 4, "lines": 10}]});
        assert_eq!(
            list(&value, &screen),
            "\
.  4 files, 10 lines
├── a  2 files, 10 lines
│   ├── b  1 file, 10 lines
│   └── c  1 file, 10 lines
└── d  2 files, 10 lines
    └── e  1 file, 10 lines

Files by language: 4 vue
"
        );
    }
}

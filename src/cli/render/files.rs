//! The lists of an outline tool: files, directories, definitions.

use super::text::{bytes, count, plural, put};
use super::{AnswerText, RenderedText, Rest, footer, hits, said, skipped};
use crate::cli::screen::{FAINT, PLACE, STRONG, Screen, visible};
use crate::tools::chunks::ChunksOutput;
use crate::tools::map::{FilesOutput, MapOutput};
use crate::tools::map_lists::{BranchOutput, LanguageOutput, ListedFile, ListedSymbol};

/// Returns a line for each entry of a list, and how many there are.
pub(super) fn list(answer: &MapOutput, view: &str, screen: &Screen) -> String {
    let files = match &answer.files {
        Some(FilesOutput::Listed(files)) => files.as_slice(),
        Some(FilesOutput::Outlines(_)) | None => &[],
    };
    let symbols = answer.symbols.as_deref().unwrap_or_default();
    let mut text: String = match view {
        "files" => files.iter().map(|it| file(it, screen)).collect(),
        "tree" => tree(
            answer.tree.as_deref().unwrap_or_default(),
            answer.languages.as_deref().unwrap_or_default(),
            screen,
        ),
        _ => symbols.iter().map(|it| symbol(it, screen)).collect(),
    };
    if text.is_empty() {
        let note = said(&answer.freshness_fields.note);
        put!(text, "{}\n", screen.paint(FAINT, &note));
    }
    let total = answer.total.unwrap_or_default();
    let shown = files.len().max(symbols.len()) as u64;
    if total > shown {
        let line = format!("{} of {} shown", count(shown), count(total));
        put!(text, "\n{}\n", screen.paint(FAINT, &line));
    }
    text += &super::graph::analysed(answer.analysed.as_ref(), "", screen);
    let rest = Rest {
        is_cut: answer.truncated && answer.omitted.is_none(),
        total: match total {
            0 => answer.file_count,
            total => total,
        },
        cursor: answer.next_cursor.as_deref(),
        ..Rest::default()
    };
    text + &footer(rest, screen)
}

/// A line for each piece of a file: `src/store.ts:1-24  bytes 0-812  chk_0123456789abcdef  definition Store.open`.
impl AnswerText for ChunksOutput {
    fn render(&self, screen: &Screen) -> RenderedText {
        let path = visible(&self.path);
        let mut text = String::new();
        for chunk in &self.chunks {
            let (start, end) = (chunk.start_line, chunk.end_line);
            let place = screen.paint(PLACE, &format!("{path}:{start}-{end}"));
            let mut facts = vec![format!("bytes {}-{}", chunk.start, chunk.end)];
            facts.extend(chunk.handle.clone());
            facts.extend(chunk.kind.map(str::to_owned));
            let facts = screen.paint(FAINT, &facts.join("  "));
            let symbol = match &chunk.symbol {
                None => String::new(),
                Some(symbol) => format!(" {}", screen.paint(STRONG, &visible(symbol))),
            };
            put!(text, "{place}  {facts}{symbol}\n");
        }
        let total = plural(self.chunks.len() as u64, "chunk");
        let bytes = plural(self.total_bytes, "byte");
        let total = screen.paint(FAINT, &format!("{total}, {bytes}"));
        put!(text, "\n{total}\n");
        text.into()
    }
}

fn file(file: &ListedFile, screen: &Screen) -> String {
    let path = screen.paint(PLACE, &visible(&file.path));
    let is_left_out = file.skipped.is_some_and(skipped::is_left_out);
    let mut facts = Vec::new();
    if !is_left_out {
        facts.push(visible(&file.language).into_owned());
    }
    facts.extend(file.bytes.map(bytes));
    if !is_left_out {
        facts.push(plural(file.lines.into(), "line"));
    }
    facts.extend(file.skipped.map(skipped::reason));
    let facts = screen.paint(FAINT, &facts.join(", "));
    format!("{path}  {facts}{}\n", hits::stale(file.stale, screen))
}

fn symbol(listed: &ListedSymbol, screen: &Screen) -> String {
    let symbol = &listed.symbol;
    let place = format!("{}:{}", visible(&listed.path), symbol.name_line());
    let place = screen.paint(PLACE, &place);
    let kind = screen.paint(FAINT, symbol.kind.unwrap_or_default());
    let name = screen.paint(STRONG, &visible(&symbol.name));
    let written = listed.written_type.as_deref();
    let written = written.map_or_else(String::new, |it| format!(": {}", visible(it)));
    format!(
        "{place}  {kind} {name}{written}{}\n",
        hits::stale(listed.stale, screen)
    )
}

/// Draws the directories, and the languages below them.
fn tree(branches: &[BranchOutput], languages: &[LanguageOutput], screen: &Screen) -> String {
    let mut text = String::new();
    let level = |branch: &BranchOutput| match branch.path.as_str() {
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
        let path = visible(&branch.path);
        let name = path.rsplit('/').next().unwrap_or_default();
        let mut facts = vec![plural(branch.files, "file"), plural(branch.lines, "line")];
        if branch.skipped > 0 {
            facts.push(format!("{} left out or reduced", count(branch.skipped)));
        }
        let (name, facts) = (
            screen.paint(PLACE, name),
            screen.paint(FAINT, &facts.join(", ")),
        );
        put!(text, "{lead}{name}  {facts}\n");
    }
    let languages: Vec<String> = languages
        .iter()
        .map(|it| format!("{} {}", count(it.files), visible(&it.language)))
        .collect();
    if !languages.is_empty() {
        let line = screen.paint(
            FAINT,
            &format!("Files by language: {}", languages.join(", ")),
        );
        put!(text, "\n{line}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::tree;
    use crate::cli::screen::Screen;
    use crate::tools::map_lists::{BranchOutput, LanguageOutput};

    #[test]
    fn a_tree_is_drawn() {
        let screen = Screen {
            width: 80,
            is_terminal: false,
            is_coloured: false,
            links: None,
        };
        let branch = |path: &str, files| BranchOutput {
            path: path.to_owned(),
            files,
            lines: 10,
            skipped: 0,
        };
        let branches = [
            branch(".", 4),
            branch("a", 2),
            branch("a/b", 1),
            branch("a/c", 1),
            branch("d", 2),
            branch("d/e", 1),
        ];
        let languages = [LanguageOutput {
            language: "vue".to_owned(),
            files: 4,
            lines: 10,
        }];
        assert_eq!(
            tree(&branches, &languages, &screen),
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

//! Outlines and source text.

use super::hits::stale;
use super::text::{count, plural, put};
use super::{RenderedText, Rest, footer, said};
use crate::cli::screen::{FAINT, PLACE, STRONG, Screen, visible, visible_lines};
use crate::tools::expand::{CandidatesOutput, FileLinesOutput};
use crate::tools::map::{FilesOutput, MapOutput, OutlineOmissionsOutput, SymbolOutput};

/// Returns the outline: a heading for each file, below it a line for each symbol.
pub(super) fn map(outline: &MapOutput, screen: &Screen) -> String {
    let files = match &outline.files {
        Some(FilesOutput::Outlines(files)) => files.as_slice(),
        Some(FilesOutput::Listed(_)) | None => &[],
    };
    let mut text = String::new();
    for directory in &outline.directories {
        let tests = match directory.tests {
            0 => String::new(),
            n if n == directory.files => ", all of them tests".to_owned(),
            n => format!(", {} of them tests", count(n)),
        };
        let files = plural(directory.files, "file") + " with definitions";
        let path = screen.paint(PLACE, &format!("{}/", visible(&directory.path)));
        let facts = screen.paint(FAINT, &format!("{files}{tests}"));
        put!(text, "{path}  {facts}\n");
    }
    if !outline.directories.is_empty() && !files.is_empty() {
        text.push('\n');
    }
    if files.is_empty() && outline.analysed.is_none() {
        text += &screen.paint(FAINT, "No definitions indexed here.");
        text.push('\n');
    }
    for (place, file) in files.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        text += &screen.paint(PLACE, &visible(&file.path));
        text += &stale(file.stale, screen);
        text.push('\n');
        text += &symbols(&file.symbols, screen);
        if file.truncated {
            text += &screen.paint(FAINT, "  … more");
            text.push('\n');
        }
    }
    let omitted = outline.omitted.as_ref().map_or_else(Vec::new, omitted);
    if !omitted.is_empty() {
        let line = format!("Left out: {}", omitted.join(", ")) + more(outline.omitted.as_ref());
        put!(text, "\n{}\n", screen.paint(FAINT, &line));
    }
    text += &super::graph::analysed(outline.analysed.as_ref(), "", screen);
    let rest = Rest {
        // An outline names its omissions itself.
        is_cut: outline.truncated && outline.omitted.is_none(),
        total: outline.file_count,
        cursor: outline.next_cursor.as_deref(),
        ..Rest::default()
    };
    text + &footer(rest, screen)
}

/// Returns the options that show more of an outline: `--all` for definitions and files of kinds that it leaves out, else a larger
/// budget.
fn more(omissions: Option<&OutlineOmissionsOutput>) -> &'static str {
    let is_cut = omissions.is_some_and(|it| it.files + it.symbols + it.signatures > 0);
    let is_filtered =
        omissions.is_some_and(|it| it.test_files + it.example_files + it.unexported > 0);
    match (is_cut, is_filtered) {
        (false, _) => "; `--all` lists them.",
        (true, true) => ". More: `--budget N`, `--all`, or name a file or directory.",
        (true, false) => ". More: `--budget N`, or name a file or directory.",
    }
}

/// Returns how much an outline leaves out, by kind.
fn omitted(omissions: &OutlineOmissionsOutput) -> Vec<String> {
    let OutlineOmissionsOutput {
        files,
        test_files,
        example_files,
        symbols,
        signatures,
        unexported,
    } = omissions;
    let kinds = [
        (files, "file"),
        (test_files, "test file"),
        (example_files, "example file"),
        (symbols, "definition"),
        (signatures, "signature"),
        (unexported, "unexported definition"),
    ];
    let kinds = kinds.into_iter().filter(|(n, _)| **n > 0);
    kinds.map(|(n, noun)| plural(*n, noun)).collect()
}

fn symbols(symbols: &[SymbolOutput], screen: &Screen) -> String {
    let kind = |symbol: &SymbolOutput| symbol.kind.unwrap_or_default();
    let longest =
        |of: &dyn Fn(&SymbolOutput) -> usize| symbols.iter().map(of).max().unwrap_or_default();
    let number_width = longest(&|symbol| symbol.name_line().to_string().len());
    let kind_width = longest(&|symbol| kind(symbol).len());
    let used = number_width + kind_width + 6;
    let mut text = String::new();
    for symbol in symbols {
        let name = visible(&symbol.name);
        let signature = visible(symbol.signature.as_deref().unwrap_or_default());
        let said = if signature.is_empty() {
            name.clone().into_owned()
        } else if signature.contains(name.as_ref()) {
            signature.into_owned()
        } else {
            format!("{name}  {signature}")
        };
        let said = screen.fit(&said, screen.width.saturating_sub(used));
        let said = match said.split_once(name.as_ref()) {
            _ if symbol.exported == Some(false) => screen.paint(FAINT, &said),
            Some((before, after)) if !name.is_empty() => {
                format!("{before}{}{after}", screen.paint(STRONG, &name))
            }
            _ => said.into_owned(),
        };
        let line = screen.paint(FAINT, &format!("{:>number_width$}", symbol.name_line()));
        let kind = screen.paint(FAINT, &format!("{:kind_width$}", kind(symbol)));
        put!(text, "  {line}  {kind}  {said}\n");
    }
    text
}

pub(super) fn source(lines: &FileLinesOutput, screen: &Screen) -> RenderedText {
    let mut page = RenderedText::default();
    if screen.is_terminal || screen.is_coloured {
        page.data += &screen.paint(FAINT, &place(lines));
        page.data.push('\n');
        let width = lines.end_line.to_string().len();
        for (line, number) in lines.content.lines().zip(lines.start_line..) {
            let number = screen.paint(FAINT, &format!("{number:>width$}"));
            put!(page.data, "{number}  {}\n", visible_lines(line));
        }
    } else {
        page.data.clone_from(&lines.content);
    }
    if let Some(invalid) = lines.invalid_bytes {
        let bytes = plural(invalid, "byte");
        page.aside = format!("codelens: {bytes} not UTF-8, replaced\n");
    }
    if lines.truncated {
        let how = match lines.next_start_line {
            Some(next) => format!("continue with `--start-line {next}`"),
            None => "a larger --budget shows more".to_owned(),
        };
        let (end, total) = (lines.end_line, lines.total_lines);
        put!(
            page.aside,
            "codelens: stopped at line {end} of {total}; {how}\n"
        );
    }
    page
}

/// Returns the place of source text: `src/store.ts:3-9 of 120`.
pub(super) fn place(lines: &FileLinesOutput) -> String {
    let of = match lines.total_lines {
        0 => String::new(),
        total => format!(" of {}", count(total.into())),
    };
    let (start, end) = (lines.start_line, lines.end_line);
    format!("{}:{start}-{end}{of}", visible(&lines.path))
}

/// Returns the definitions that a name may mean.
pub(super) fn candidates(found: &CandidatesOutput, screen: &Screen) -> String {
    let mut text = format!("{}\n", said(&found.note));
    for candidate in &found.candidates {
        let place = format!("{}:{}", visible(&candidate.path), candidate.line);
        let handle = screen.paint(FAINT, &visible(&candidate.handle));
        let place = screen.paint(PLACE, &place);
        let (kind, symbol) = (candidate.kind, visible(&candidate.symbol));
        put!(text, "  {place}  {kind} {symbol}  {handle}\n");
    }
    text
}

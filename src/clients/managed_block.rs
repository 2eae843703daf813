//! A block of Markdown between two marks, and the guide that stands in it.

use serde_json::Value;

/// Instructions for agents on the tools; short, because every session reads them.
pub const GUIDE: &str = "\
## Finding code: codelens

This repository has a code index that follows the branch and the edits on disk (MCP server `codelens`, or the same as commands).

- Where is something, how does it work: `cl_search` with words or names; `cl_explore` for a first look at a topic.
- What is in a file or folder: `cl_map`. The code itself: `cl_expand` with a handle or path.
- Before you change or delete a definition: `cl_impact` (who calls it, which tests); around a file: `cl_related`.
- `freshness` says what an answer proves. Where it is `partial`, ask again or call `cl_refresh`; zero callers with unresolved sites
  means unknown, not unused.
- Use plain text search for exact strings in few known files, and for what is not code.";

const BEGIN: &str =
    "<!-- codelens:begin (written by `codelens install`, removed by `codelens uninstall`) -->";
const BEGIN_PREFIX: &str = "<!-- codelens:begin";
const END: &str = "<!-- codelens:end -->";

/// Returns the text between the two comments.
pub(super) fn find(text: &str) -> Option<Value> {
    let (start, end) = span(text)?;
    let block = text[start..end].replace("\r\n", "\n");
    let inside = block.strip_suffix('\n').unwrap_or(&block);
    let inside = inside.split_once('\n').map_or("", |(_, rest)| rest);
    let inside = inside.strip_suffix(END).unwrap_or(inside);
    Some(Value::String(inside.trim_end_matches('\n').to_owned()))
}

/// Returns the text with the block at its end.
pub(super) fn add(text: &str, block: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() {
        String::new()
    } else if text.ends_with('\n') {
        newline.to_owned()
    } else {
        newline.repeat(2)
    };
    let block = format!("{BEGIN}\n{block}\n{END}\n").replace('\n', newline);
    format!("{text}{gap}{block}")
}

/// Returns the text without the block, and without the empty line in front of it.
pub(super) fn remove(text: &str) -> String {
    let Some((start, end)) = span(text) else {
        return text.to_owned();
    };
    let before = &text[..start];
    let is_gap = before.ends_with("\n\n") || before.ends_with("\r\n\r\n");
    let before = if is_gap {
        before
            .strip_suffix("\r\n")
            .or_else(|| before.strip_suffix('\n'))
            .unwrap_or(before)
    } else {
        before
    };
    format!("{before}{}", &text[end..])
}

/// Returns where the block is, with its marks and the end of its last line. A mark without its other half is none.
fn span(text: &str) -> Option<(usize, usize)> {
    let start = text.find(BEGIN_PREFIX)?;
    if start > 0 && !text[..start].ends_with('\n') {
        return None;
    }
    let end = start + text[start..].find(END)? + END.len();
    let rest = &text[end..];
    let newline = if rest.starts_with("\r\n") {
        2
    } else {
        usize::from(rest.starts_with('\n'))
    };
    Some((start, end + newline))
}

#[cfg(test)]
mod tests {
    use super::{add, find, remove};

    #[test]
    fn a_block_goes_in_and_out() {
        for text in ["", "# Notes\n", "# Notes\r\n\r\nmore\r\n"] {
            let with = add(text, "a\n\nb");
            assert_eq!(find(&with).unwrap(), "a\n\nb", "{with:?}");
            assert_eq!(remove(&with), text);
        }
        let edited = add("# Notes", "a") + "after\n";
        assert_eq!(remove(&edited), "# Notes\nafter\n");
        assert_eq!(
            find("text <!-- codelens:begin --> <!-- codelens:end -->"),
            None
        );
    }
}

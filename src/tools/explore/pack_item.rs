//! Runs of whole lines that go into a pack as one: a definition with the comment above it, or a chunk outside of all definitions.

use super::source::{LinedText, SourceReader};
use crate::error::Result;
use crate::model::{ChunkKind, Handle, RepoPath, SymbolKind};
use crate::workspace::{ChunkRow, SymbolRow};

/// Lines that are looked through for the comment above a definition and for the end of its signature.
const MAX_HEAD_LINES: u32 = 40;

/// A comment of more lines is left out where a definition goes by its signature.
const MAX_DOC_LINES: u32 = 20;

/// Members that a header names.
const MAX_MEMBERS: usize = 20;

/// Whole lines of one file.
#[derive(Clone, Debug)]
pub(super) struct PackItem {
    pub(super) path: RepoPath,
    /// First and last line, from 1.
    pub(super) lines: (u32, u32),
    /// The comment and the signature, where they are less than the whole.
    pub(super) head: Option<(u32, u32)>,
    pub(super) handle: Handle,
    pub(super) symbol: Option<SymbolRow>,
    /// Whether the lines are less than the definition.
    pub(super) is_cut: bool,
}

impl PackItem {
    /// Returns a definition with the comment above it.
    pub(super) fn of_symbol(source: &SourceReader<'_>, symbol: &SymbolRow) -> Result<Self> {
        let (start, end) = (symbol.span.start_line, symbol.span.end_line);
        let (mut first, mut head) = (start, None);
        if let Some(text) = source.text(&symbol.path)? {
            first = first_of_comment(&text, start);
            let last = last_of_signature(&text, symbol);
            let from = if start - first > MAX_DOC_LINES {
                start
            } else {
                first
            };
            head = (last < end).then_some((from, last));
        }
        Ok(Self {
            path: symbol.path.clone(),
            lines: (first, end),
            head,
            handle: symbol.handle,
            symbol: Some(symbol.clone()),
            is_cut: false,
        })
    }

    /// Returns the item that a chunk stands for: the definition it is a part of, or its own lines where they hold whole
    /// definitions, lie between the members of a class, or belong to no definition.
    pub(super) fn of_chunk(source: &SourceReader<'_>, chunk: &ChunkRow) -> Result<Self> {
        let lines = (chunk.span.start_line, chunk.span.end_line);
        let own = |symbol: Option<SymbolRow>, is_cut| Self {
            path: chunk.path.clone(),
            lines,
            head: None,
            handle: chunk.handle,
            symbol,
            is_cut,
        };
        let Some(owner) = &chunk.symbol else {
            return Ok(own(None, false));
        };
        let symbols = source.symbols(&chunk.path)?;
        let is_owner = |it: &&SymbolRow| {
            (&it.qualified_name, it.kind, it.span.start_line)
                == (&owner.qualified_name, owner.kind, owner.start_line)
        };
        let Some(symbol) = symbols.iter().find(is_owner) else {
            return Ok(own(None, chunk.kind == ChunkKind::Definition));
        };
        let whole = Self::of_symbol(source, symbol)?;
        if symbol.kind == SymbolKind::Heading {
            return Ok(own(Some(symbol.clone()), false));
        }
        if lines.0 <= whole.lines.0 && lines.1 >= whole.lines.1 {
            // Short neighbours share a chunk.
            let is_beside = |it: &SymbolRow| {
                let at = it.span.start_line;
                lines.0 <= at && at <= lines.1 && (at < whole.lines.0 || whole.lines.1 < at)
            };
            let is_shared = symbols.iter().any(is_beside);
            return Ok(if is_shared {
                Self {
                    lines,
                    head: None,
                    ..whole
                }
            } else {
                whole
            });
        }
        if has_members(symbol, &symbols) {
            return Ok(own(Some(symbol.clone()), true));
        }
        Ok(whole)
    }

    /// Returns the lines of a class, an interface or an object above its first member, with the names of its members.
    pub(super) fn header(
        source: &SourceReader<'_>,
        symbol: &SymbolRow,
    ) -> Result<Option<(Self, Vec<String>)>> {
        let symbols = source.symbols(&symbol.path)?;
        let members: Vec<&SymbolRow> = symbols
            .iter()
            .filter(|it| it.parent == Some(symbol.ordinal))
            .collect();
        let (Some(text), Some(first)) = (source.text(&symbol.path)?, members.first()) else {
            return Ok(None);
        };
        let mut item = Self::of_symbol(source, symbol)?;
        let before = first_of_comment(&text, first.span.start_line).saturating_sub(1);
        let signature = item.head.map_or(symbol.name_line, |(_, last)| last);
        // What a class begins with besides members is not all worth it.
        let last = before.min(signature + 3).max(symbol.span.start_line);
        item.lines = (item.head.map_or(item.lines.0, |(first, _)| first), last);
        item.head = None;
        item.is_cut = true;
        let names = members
            .iter()
            .take(MAX_MEMBERS)
            .map(|it| it.name.clone())
            .collect();
        Ok(Some((item, names)))
    }

    /// Reduces the item to its comment and signature. Does nothing where it has none.
    pub(super) fn reduce(&mut self) {
        if let Some(head) = self.head.take() {
            self.lines = head;
            self.is_cut = true;
        }
    }

    pub(super) fn n_lines(&self) -> u32 {
        self.lines.1 - self.lines.0 + 1
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.lines.0 <= other.lines.1 && other.lines.0 <= self.lines.1
    }

    pub(super) fn contains(&self, other: &Self) -> bool {
        self.path == other.path && self.lines.0 <= other.lines.0 && other.lines.1 <= self.lines.1
    }
}

/// Whether a definition is a frame around others, which are found one by one.
pub(super) fn has_members(symbol: &SymbolRow, symbols: &[SymbolRow]) -> bool {
    !symbol.kind.is_function() && symbols.iter().any(|it| it.parent == Some(symbol.ordinal))
}

/// Returns the first line of the comment and the decorators right above a line, or the line itself.
fn first_of_comment(text: &LinedText, line: u32) -> u32 {
    let mut first = line;
    let mut is_inside = false;
    let lowest = line.saturating_sub(MAX_HEAD_LINES).max(1);
    for at in (lowest..line).rev() {
        let above = text.lines(at, at).trim();
        if is_inside {
            is_inside = !above.starts_with("/*");
        } else if above.ends_with("*/") {
            is_inside = !above.starts_with("/*");
            // A comment behind code belongs to that code.
            if is_inside && above.contains("/*") {
                break;
            }
        } else if !is_line_of_comment(above) {
            break;
        }
        if !is_inside {
            first = at;
        }
    }
    first
}

fn is_line_of_comment(line: &str) -> bool {
    const DIRECTIVES: [&str; 7] = ["#if", "#el", "#end", "#inc", "#def", "#und", "#!/"];
    line.starts_with("//")
        || line.starts_with('@')
        || line.starts_with('#') && !DIRECTIVES.iter().any(|word| line.starts_with(word))
}

/// Returns the line on which the signature of a definition ends.
fn last_of_signature(text: &LinedText, symbol: &SymbolRow) -> u32 {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let wanted = plain(&symbol.signature);
    let wanted = wanted.trim_end_matches('…');
    let last = symbol
        .span
        .end_line
        .min(symbol.span.start_line + MAX_HEAD_LINES);
    let mut seen = String::new();
    for line in symbol.span.start_line..=last {
        seen += &plain(text.lines(line, line));
        if line >= symbol.name_line && seen.contains(wanted) {
            return line;
        }
    }
    symbol.name_line
}

//! Single-file components: markup with scripts in it.
//!
//! Knows where the scripts of a Vue or Svelte file are and what the file as a whole offers. Refuses to know
//! templates, but for the components they name.

use super::chunk;
use super::ecmascript::kinds::Dialect;
use super::ecmascript::{self, Script};
use super::language::Framework;
use super::lines::Lines;
use super::text;
use crate::model::{
    Budget, Export, ExportKind, Extraction, Local, Reference, ReferenceKind, Symbol, SymbolKind,
};

/// Script blocks that are read; the others are text.
const MAX_BLOCKS: usize = 8;

/// A script block.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// First byte of the tag.
    open: usize,
    /// The script itself.
    from: usize,
    to: usize,
    /// One past the closing tag.
    close: usize,
    dialect: Dialect,
    /// Whether its names belong to each instance of the component and can't be imported.
    instance: bool,
}

/// Returns what a component says; `None` where the budget ended.
pub(super) fn read(framework: Framework, lines: &Lines<'_>, budget: &Budget) -> Option<Extraction> {
    let blocks = blocks(framework, lines.source);
    let mut script = Script::default();
    for block in &blocks {
        let blanked = blank(lines.source, block);
        merge(
            &mut script,
            ecmascript::read(block.dialect, &blanked, budget)?,
            block.instance,
        );
    }
    let whole = (lines.len() > 0)
        .then(|| offer_itself(&mut script, lines, &blocks))
        .flatten();
    script.facts.imports.sort_by_key(|import| import.line);
    script.facts.exports.sort_by_key(|export| export.line);
    template_uses(&mut script, lines, &blocks, whole);
    script.sort();
    let mut chunks = Vec::new();
    let mut at = 0;
    for block in &blocks {
        let from = lines.line_at(offset(block.open)).max(at);
        let to = (lines.line_at(offset(block.close.saturating_sub(1))) + 1).max(from);
        text::of_range(lines, (at, from), &[], &mut chunks);
        chunk::of_range(lines, (from, to), &script, whole, &mut chunks);
        at = to;
    }
    text::of_range(lines, (at, lines.len()), &[], &mut chunks);
    chunk::number(&mut chunks);
    Some(Extraction {
        facts: script.facts,
        chunks,
    })
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns the text with everything outside a block as blanks, so that offsets and lines stay.
fn blank(source: &str, block: &Block) -> String {
    let bytes = source.as_bytes();
    let empty = |b: &u8| {
        if matches!(b, b'\n' | b'\r') {
            char::from(*b)
        } else {
            ' '
        }
    };
    let mut out = String::with_capacity(source.len());
    out.extend(bytes[..block.from].iter().map(empty));
    out.push_str(&source[block.from..block.to]);
    out
}

fn merge(into: &mut Script, mut from: Script, instance: bool) {
    let shift = offset(into.facts.symbols.len());
    for symbol in &mut from.facts.symbols {
        symbol.parent = symbol.parent.map(|parent| parent + shift);
        symbol.exported &= !instance;
    }
    from.renumber(|symbol| symbol + shift);
    let shift = offset(into.facts.hints.len());
    for reference in &mut from.facts.references {
        if let Local::Hint(hint) = &mut reference.local {
            *hint += shift;
        }
    }
    if instance {
        from.facts.exports.clear();
    }
    into.leads.append(&mut from.leads);
    into.facts.symbols.append(&mut from.facts.symbols);
    into.facts.imports.append(&mut from.facts.imports);
    into.facts.exports.append(&mut from.facts.exports);
    into.facts.references.append(&mut from.facts.references);
    into.facts.hints.append(&mut from.facts.hints);
    into.facts.has_errors |= from.facts.has_errors;
}

/// Gives importers of the component something to name, unless a script exports a default itself. Returns
/// the index of that symbol, which spans the file.
fn offer_itself(script: &mut Script, lines: &Lines<'_>, blocks: &[Block]) -> Option<usize> {
    if script
        .facts
        .exports
        .iter()
        .any(|export| export.name == "default")
    {
        return None;
    }
    for symbol in &mut script.facts.symbols {
        symbol.parent = symbol.parent.map(|parent| parent + 1);
    }
    script.renumber(|symbol| symbol + 1);
    for reference in &mut script.facts.references {
        // What a script does when an instance is made, the component does.
        let byte_line = reference.line as usize;
        let instance = blocks.iter().any(|block| {
            let within = |at: usize| lines.line_at(offset(at)) + 1;
            block.instance && (within(block.from)..=within(block.to)).contains(&byte_line)
        });
        reference.symbol = reference.symbol.or(instance.then_some(0));
    }
    let symbol = Symbol {
        name: "default".to_owned(),
        qualified_name: "default".to_owned(),
        kind: SymbolKind::Module,
        span: lines.span(0, lines.len()),
        name_line: 1,
        exported: true,
        signature: String::new(),
        doc: String::new(),
        parent: None,
    };
    script.facts.symbols.insert(0, symbol);
    script.leads.insert(0, 0);
    script.facts.exports.push(Export {
        kind: ExportKind::Local,
        name: "default".to_owned(),
        local: "default".to_owned(),
        specifier: String::new(),
        type_only: false,
        line: 1,
    });
    Some(0)
}

/// Records the components that the template names: `<FooBar>`, and `<foo-bar>` as `FooBar`.
fn template_uses(script: &mut Script, lines: &Lines<'_>, blocks: &[Block], whole: Option<usize>) {
    let source = lines.source;
    let mut at = 0;
    let mut found = Vec::new();
    while let Some(next) = source[at..].find('<').map(|n| n + at) {
        at = next + 1;
        if let Some(block) = blocks.iter().find(|block| block.open == next) {
            at = block.close.max(at);
            continue;
        }
        if source[at..].starts_with("!--") {
            at = source[at..].find("-->").map_or(source.len(), |n| at + n);
            continue;
        }
        let rest = &source[at..];
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')))
            .unwrap_or(rest.len());
        if let Some((receiver, name)) = component_name(&rest[..end]) {
            found.push(Reference {
                name,
                receiver,
                kind: ReferenceKind::Jsx,
                symbol: whole.and_then(|whole| u32::try_from(whole).ok()),
                local: Local::No,
                line: offset(lines.line_at(offset(next)) + 1),
                count: 1,
            });
        }
        at += end;
    }
    script.facts.references.append(&mut found);
    script
        .facts
        .references
        .sort_by_key(|reference| reference.line);
}

fn component_name(tag: &str) -> Option<(String, String)> {
    if tag.starts_with(|c: char| c.is_ascii_uppercase()) {
        let (receiver, name) = tag.rsplit_once('.').unwrap_or(("", tag));
        return (!name.is_empty()).then(|| (receiver.to_owned(), name.to_owned()));
    }
    if !tag.contains('-') || !tag.starts_with(|c: char| c.is_ascii_lowercase()) || tag.contains('.')
    {
        return None;
    }
    let name: String = tag
        .split('-')
        .flat_map(|part| {
            let mut chars = part.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(chars)
        })
        .collect();
    Some((String::new(), name))
}

/// Returns the script blocks at the top of a file, in order.
fn blocks(framework: Framework, source: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(open) = source[at..].find('<').map(|n| n + at) {
        let rest = &source[open..];
        at = if rest.starts_with("<!--") {
            rest.find("-->").map_or(source.len(), |n| open + n + 3)
        } else if is_tag(rest, "<script") {
            let Some(block) = block(framework, source, open) else {
                break;
            };
            let close = block.close;
            if blocks.len() < MAX_BLOCKS {
                blocks.push(block);
            }
            close
        } else if is_tag(rest, "<style") {
            find_tag(source, open, "</style").map_or(source.len(), |(_, end)| end)
        } else if framework == Framework::Vue && is_tag(rest, "<template") {
            template_end(source, open)
        } else {
            open + 1
        };
    }
    blocks
}

/// Returns whether a text begins with a tag, whatever its case.
fn is_tag(text: &str, tag: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > tag.len()
        && bytes[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
        && matches!(bytes[tag.len()], b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns where a tag begins and where it ends, from a place on.
fn find_tag(source: &str, from: usize, tag: &str) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(open) = source[at..].find('<').map(|n| n + at) {
        if is_tag(&source[open..], tag) {
            return Some((open, tag_end(source, open).0));
        }
        at = open + 1;
    }
    None
}

/// Returns the byte after a tag's `>`, quotes respected, and whether it closes itself.
fn tag_end(source: &str, open: usize) -> (usize, bool) {
    let bytes = source.as_bytes();
    let mut quote = None;
    for at in open + 1..bytes.len() {
        match (quote, bytes[at]) {
            (None, b'>') => return (at + 1, bytes[at - 1] == b'/'),
            (None, b @ (b'"' | b'\'')) => quote = Some(b),
            (Some(q), b) if q == b => quote = None,
            _ => {}
        }
    }
    (source.len(), false)
}

/// Returns the end of a template with the templates inside.
fn template_end(source: &str, open: usize) -> usize {
    let (mut at, closed) = tag_end(source, open);
    let mut depth = usize::from(!closed);
    while depth > 0 {
        let Some(next) = source[at..].find('<').map(|n| n + at) else {
            return source.len();
        };
        let rest = &source[next..];
        let (end, closed) = if is_tag(rest, "<template") {
            let (end, closed) = tag_end(source, next);
            depth += usize::from(!closed);
            (end, true)
        } else if is_tag(rest, "</template") {
            depth -= 1;
            (tag_end(source, next).0, true)
        } else {
            (next + 1, true)
        };
        at = if closed { end } else { next + 1 };
    }
    at
}

fn block(framework: Framework, source: &str, open: usize) -> Option<Block> {
    let (from, closed) = tag_end(source, open);
    let tag = source[open..from].to_ascii_lowercase();
    let (to, close) = if closed {
        (from, from)
    } else {
        find_tag(source, from, "</script")?
    };
    let lang = attribute(&tag, "lang")
        .or_else(|| attribute(&tag, "type"))
        .unwrap_or("");
    let dialect = match lang.rsplit('/').next().unwrap_or(lang) {
        "ts" | "typescript" => Dialect::TypeScript,
        "tsx" => Dialect::Tsx,
        _ => Dialect::JavaScript,
    };
    let word = |name: &str| {
        tag.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
            .any(|word| word == name)
    };
    let instance = match framework {
        Framework::Vue => word("setup") || attribute(&tag, "setup").is_some(),
        Framework::Svelte => !(word("module") || attribute(&tag, "context") == Some("module")),
    };
    Some(Block {
        open,
        from,
        to,
        close,
        dialect,
        instance,
    })
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    tag.split_whitespace().find_map(|word| {
        let value = word.strip_prefix(name)?.strip_prefix('=')?;
        Some(value.trim_end_matches(['>', '/']).trim_matches(['"', '\'']))
    })
}

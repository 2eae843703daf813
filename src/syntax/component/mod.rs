//! Single-file components: markup with scripts in it.
//!
//! A file of Vue or Svelte is its scripts and a program that its template stands for; both are read by `ecmascript`, and
//! their facts are those of the file.

mod angular;
mod angular_facts;
mod blocks;
mod code;
mod markup;
mod markup_ranges;
mod names;
mod occurrences;
mod pipes;
mod program;
mod svelte;
mod template;
mod vue;

pub(super) use angular_facts::{
    AngularTemplate, add_inline, occurrences as page_occurrences, read_page,
};
pub use names::component_tags;
pub(super) use occurrences::occurrences;

use std::ops::Range;

use blocks::{Block, Blocks, blocks};
use markup_ranges::MarkupRanges;
use template::{Template, template};

use super::chunk;
use super::language::Framework;
use super::lines::Lines;
use super::text;
use crate::ir::{Binding, Export, ExportKind, Expr, Extraction, FileFacts, Slot};
use crate::model::{Budget, Symbol, SymbolFlags, SymbolKind};
use crate::syntax::lang::ecmascript::kinds::Dialect;
use crate::syntax::lang::ecmascript::{self, LoweredScript, PositionedScript, ReadOptions};

/// A component that was read.
struct Component {
    blocks: Blocks,
    /// The facts of the file.
    script: LoweredScript,
    /// The symbol that spans the file, where no script exports a default itself.
    whole: Option<usize>,
    parts: Vec<ScriptBlock>,
    template: Template,
    ranges: MarkupRanges,
}

/// A script block that was read.
struct ScriptBlock {
    block: Block,
    /// The text that was parsed: the file with everything else blank.
    text: String,
    parsed: PositionedScript,
    /// The places of its references, imports and exports among those of the file.
    references: Vec<u32>,
    imports: Vec<u32>,
    exports: Vec<Option<u32>>,
}

/// Returns the facts of a component; `None` where the budget ended.
pub(super) fn read(framework: Framework, lines: &Lines<'_>, budget: &Budget) -> Option<Extraction> {
    let component = component(framework, lines, false, budget)?;
    let Component { script, whole, .. } = component;
    let mut chunks = Vec::new();
    let mut at = 0;
    for block in &component.blocks.scripts {
        let from = lines.line_at(offset(block.open)).max(at);
        let to = (lines.line_at(offset(block.close.saturating_sub(1))) + 1).max(from);
        text::of_range(lines, (at, from), &[], &mut chunks);
        chunk::of_range(lines, (from, to), script.outline(), whole, &mut chunks);
        at = to;
    }
    text::of_range(lines, (at, lines.len()), &[], &mut chunks);
    chunk::number(&mut chunks);
    Some(Extraction {
        facts: script.facts,
        chunks,
    })
}

fn component(
    framework: Framework,
    lines: &Lines<'_>,
    keeps_positions: bool,
    budget: &Budget,
) -> Option<Component> {
    let blocks = blocks(framework, lines.source);
    let options = ReadOptions {
        keeps_positions,
        is_component: true,
        has_stores: framework == Framework::Svelte,
    };
    let mut parts = Vec::with_capacity(blocks.scripts.len());
    for block in &blocks.scripts {
        let text = blank(lines.source, block);
        let parsed = ecmascript::read_positioned(block.dialect, &text, options, budget)?;
        parts.push(ScriptBlock {
            block: block.clone(),
            text,
            parsed,
            references: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
        });
    }
    let mut ranges = MarkupRanges::default();
    let mut template = template(
        framework,
        lines,
        &blocks,
        &parts,
        &mut ranges,
        keeps_positions,
        budget,
    )?;
    let mut script = LoweredScript::default();
    for part in &mut parts {
        merge(&mut script, part, lines);
    }
    let whole = (lines.len() > 0)
        .then(|| offer_itself(&mut script, lines, &blocks.scripts))
        .flatten();
    if let (Framework::Svelte, Some(component)) = (framework, whole) {
        offer_instance(&mut script.facts, component, &parts);
    }
    script.facts.variables.sort();
    script.facts.variables.dedup();
    template.add_to(&mut script, lines);
    let facts = &mut script.facts;
    let imports = sorted(&mut facts.imports, |import| import.line);
    facts.exprs.renumber_imports(|at| imports[at as usize]);
    let exports = sorted(&mut facts.exports, |export| export.line);
    let references = sorted(&mut facts.references, |reference| reference.line);
    for part in &mut parts {
        for at in &mut part.references {
            *at = references[*at as usize];
        }
        for at in &mut part.imports {
            *at = imports[*at as usize];
        }
        for at in part.exports.iter_mut().flatten() {
            *at = exports[*at as usize];
        }
    }
    for at in template.references.iter_mut().flatten() {
        *at = references[*at as usize];
    }
    script.sort();
    for part in &parts {
        ecmascript::add_endpoints(&part.text, &part.parsed, &mut script.facts);
    }
    script.facts.import_bridges();
    Some(Component {
        blocks,
        script,
        whole,
        parts,
        template,
        ranges,
    })
}

/// Sorts facts by their lines. Returns the new place of each.
fn sorted<T>(all: &mut Vec<T>, line: impl Fn(&T) -> u32) -> Vec<u32> {
    let mut numbered: Vec<(usize, T)> = std::mem::take(all).into_iter().enumerate().collect();
    numbered.sort_by_key(|(_, one)| line(one));
    let mut places = vec![0; numbered.len()];
    for (new, (old, one)) in numbered.into_iter().enumerate() {
        places[old] = offset(new);
        all.push(one);
    }
    places
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

/// Returns the script blocks of a component: dialect, the file with everything else blank, and the bytes of the block.
pub(super) fn scripts(framework: Framework, source: &str) -> Vec<(Dialect, String, Range<usize>)> {
    let blocks = blocks(framework, source).scripts;
    let script = |block: Block| (block.dialect, blank(source, &block), block.from..block.to);
    blocks.into_iter().map(script).collect()
}

/// Adds the facts of a block to those of its file.
fn merge(into: &mut LoweredScript, part: &mut ScriptBlock, lines: &Lines<'_>) {
    let instance = part.block.instance;
    // Broken code may begin with the blanks that stand for what is before the block.
    let start = offset(part.block.from);
    let first_line = offset(lines.line_at(start) + 1);
    let from = &mut part.parsed.script;
    let shift = offset(into.facts.symbols.len());
    let mut symbols = from.facts.symbols.clone();
    for symbol in &mut symbols {
        symbol.parent = symbol.parent.map(|parent| parent + shift);
        symbol.exported &= !instance;
        if symbol.span.start_byte < start {
            (symbol.span.start_byte, symbol.span.start_line) = (start, first_line);
        }
    }
    from.renumber(|symbol| symbol + shift);
    let n_imports = offset(into.facts.imports.len());
    let adopted = into
        .facts
        .exprs
        .adopt(&from.facts.exprs, |_, expr| match expr {
            Expr::Imported { import, name } => Expr::Imported {
                import: import + n_imports,
                name,
            },
            expr => expr,
        });
    let references = from.facts.references.iter();
    let mut references: Vec<_> = references.map(|it| adopted.reference(it)).collect();
    let numbers = |from: usize, n: usize| (from..from + n).map(offset);
    part.references = numbers(into.facts.references.len(), references.len()).collect();
    part.imports = numbers(into.facts.imports.len(), from.facts.imports.len()).collect();
    let n_exports = from.facts.exports.len();
    part.exports = if instance {
        vec![None; n_exports]
    } else {
        let all = numbers(into.facts.exports.len(), n_exports);
        into.facts.exports.append(&mut from.facts.exports.clone());
        all.map(Some).collect()
    };
    into.leads
        .extend(from.leads.iter().map(|lead| *lead.max(&start)));
    into.facts.symbols.append(&mut symbols);
    into.facts
        .imports
        .extend(from.facts.imports.iter().cloned());
    into.facts.references.append(&mut references);
    let bindings = from.facts.bindings.iter();
    let bindings = bindings.map(|it| adopted.binding(*it));
    into.facts.bindings.extend(bindings);
    into.facts
        .variables
        .extend(from.facts.variables.iter().cloned());
    into.facts.has_errors |= from.facts.has_errors;
}

/// Gives an instance of a component of Svelte the members that its script exports: `dialog.open()` of `<Dialog bind:this={dialog}/>`
/// calls `export function open()`.
fn offer_instance(facts: &mut FileFacts, component: usize, parts: &[ScriptBlock]) {
    let component = offset(component);
    // `ReturnType<typeof Dialog>`
    let itself = facts.exprs.add(Expr::Symbol(component));
    let made = facts.exprs.add(Expr::Instance { of: itself });
    facts.bindings.push(Binding {
        owner: Some(component),
        path: facts.exprs.path_of([Slot::Return]),
        value: made,
    });
    for part in parts.iter().filter(|part| part.block.instance) {
        let exports = part.parsed.script.facts.exports.iter();
        for export in exports.filter(|it| it.kind == ExportKind::Local) {
            let is_in_block = |it: &Symbol| {
                let start = it.span.start_byte as usize;
                it.name == export.local && (part.block.from..part.block.to).contains(&start)
            };
            let mut symbols = facts.symbols.iter();
            let Some(at) = symbols.position(|it| it.parent.is_none() && is_in_block(it)) else {
                continue;
            };
            let value = facts.exprs.add(Expr::Symbol(offset(at)));
            let member = Slot::Member(facts.exprs.name(&export.name));
            facts.bindings.push(Binding {
                owner: Some(component),
                path: facts.exprs.path_of([member]),
                value,
            });
        }
    }
}

/// Gives importers of the component something to name, unless a script exports a default itself. Returns
/// the index of that symbol, which spans the file.
fn offer_itself(script: &mut LoweredScript, lines: &Lines<'_>, blocks: &[Block]) -> Option<usize> {
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
        flags: SymbolFlags::empty(),
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

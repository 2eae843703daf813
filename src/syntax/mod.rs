//! The facts of one file: symbols, imports, exports, uses, and the chunks it is cut into.
//!
//! The door to tree-sitter. `link` binds the names of other files. Every bound but [`Budget`] is a count, so that the same
//! bytes give the same facts on every machine.

mod arity;
mod assertions;
mod chunk;
mod comments;
mod component;
mod conflict_markers;
mod file_routes;
mod heads;
mod implicit;
mod lang;
mod language;
mod lines;
mod literal;
mod locals;
mod mybatis;
mod occurrences;
mod parse;
mod protocol_buffers;
mod regions;
mod scope;
mod signals;
mod signature;
mod test_titles;
#[cfg(test)]
mod tests;
mod text;

pub use arity::{
    Arities, Arity, FragmentContext, PassedArguments, arity_by_text, arity_of_python,
    has_opaque_decorator,
};
pub use assertions::{InterfaceAssertion, interface_assertions};
pub use comments::blank_comments;
pub use component::component_tags;
pub use file_routes::called_by_file_name;
pub use heads::Heads;
pub use implicit::{called_by_name, handing_annotations};
#[cfg(test)]
use language::LANGUAGES;
pub use language::{Language, by_id, by_path, languages, limit_symbols_to, row_version};
pub use literal::{Literal, literals};
pub use locals::{LocalKind, LocalName, locals};
pub use occurrences::{
    Occurrence, OccurrenceRole, Occurrences, UseKind, is_word_char, occurrences, occurrences_of,
    starts,
};
pub use regions::{SourceRegion, SourceRegions, source_regions};
pub use signals::{CodeSignal, signals};
pub use test_titles::{TestCase, joined_titles, test_block, test_cases, test_title};

use crate::ir::{Extraction, FileFacts};
use crate::model::{Budget, RepoPath};
use chunk::SymbolOutline;
use lang::ecmascript::ReadOptions;
use language::FileShape;

/// Returns whether tests may stand among the code of a file, by its language: `#[test] fn` in a source file.
pub fn has_inline_tests(path: &RepoPath) -> bool {
    lang::frontend(by_path(path).shape).is_some_and(|it| it.has_inline_tests)
}

/// Returns the facts of a file, or `None` where the budget ended first. Never fails on broken code: what can
/// be read is read, and `has_errors` says that there was more.
///
/// `structured` is false for files that are not written by hand (minified, generated): they are cut into
/// chunks of lines and nothing else. Costs about 0.25 s a megabyte of code, 10 ms a megabyte of text.
///
/// Invariant: the chunks cover each line exactly once; spans lie inside `source`; a symbol's parent has
/// a lower index. Sources of 4 GiB and more are not read.
pub fn extract(
    language: &Language,
    source: &str,
    structured: bool,
    budget: &Budget,
) -> Option<Extraction> {
    if budget.is_spent() {
        return None;
    }
    let mut extraction = extracted(language, source, structured, budget)?;
    let is_code =
        structured && !matches!(language.shape, FileShape::Plain | FileShape::Document(_));
    extraction.facts.has_errors |= is_code && conflict_markers::has_conflict(source);
    Some(extraction)
}

fn extracted(
    language: &Language,
    source: &str,
    structured: bool,
    budget: &Budget,
) -> Option<Extraction> {
    let lines = lines::Lines::new(source);
    let chunks_alone = |chunks| Extraction {
        chunks,
        ..Extraction::default()
    };
    match language.shape {
        _ if !structured => Some(chunks_alone(text::plain(&lines))),
        FileShape::Plain => {
            let mut facts = FileFacts::default();
            if language.id == "xml" {
                mybatis::add(source, &mut facts);
            }
            let chunks = text::plain(&lines);
            Some(Extraction { facts, chunks })
        }
        FileShape::Document(markup) => Some(chunks_alone(text::document(&lines, markup))),
        FileShape::Page => component::read_page(&lines, budget),
        FileShape::Component(framework) => component::read(framework, &lines, budget),
        FileShape::Python
        | FileShape::Go
        | FileShape::Java
        | FileShape::CSharp
        | FileShape::Rust
        | FileShape::C
        | FileShape::Cpp
        | FileShape::Outline(_) => {
            let mut file = lang::frontend(language.shape)?.read(source, budget)?;
            protocol_buffers::add(language.id, source, &mut file.facts);
            let outline = SymbolOutline {
                symbols: &file.facts.symbols,
                leads: &file.leads,
            };
            Some(Extraction {
                chunks: chunk::of_code(&lines, outline),
                facts: file.facts,
            })
        }
        FileShape::Script(dialect) => {
            let options = ReadOptions::default();
            let mut parsed = lang::ecmascript::read_positioned(dialect, source, options, budget)?;
            let mut script = std::mem::take(&mut parsed.script);
            component::add_inline(&lines, &mut script, false, budget)?;
            lang::ecmascript::add_endpoints(source, &parsed, &mut script.facts);
            protocol_buffers::add(language.id, source, &mut script.facts);
            let chunks = chunk::of_code(&lines, script.outline());
            Some(Extraction {
                facts: script.facts,
                chunks,
            })
        }
    }
}

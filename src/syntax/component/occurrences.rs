//! The part that a word plays at one place of a component: in a script, in an expression of the template, in its markup.

use std::ops::Range;

use super::markup_ranges::holds;
use super::program::ProgramPosition;
use super::{Component, component, offset};
use crate::model::Budget;
use crate::model::hash::HashMap;
use crate::syntax::language::Framework;
use crate::syntax::lines::Lines;
use crate::syntax::occurrences::{Occurrence, OccurrenceRole, Occurrences, UseKind, places_of};

/// Finds the places of words in a component; `None` where the budget ended.
pub(in crate::syntax) fn occurrences(
    framework: Framework,
    lines: &Lines<'_>,
    words: &[&str],
    budget: &Budget,
) -> Option<Occurrences> {
    let component = component(framework, lines, true, budget)?;
    let line_at = |start: u32| offset(lines.line_at(start) + 1);
    let places = places_of(lines.source, words)
        .into_iter()
        .map(|(word, start_byte, end)| Occurrence {
            word,
            start_byte,
            line: line_at(start_byte),
            role: component.role(start_byte, end),
        });
    let places = places.collect();
    let mut uses = component.uses();
    uses.sort_unstable_by_key(|it| it.0);
    let uses = uses
        .into_iter()
        .map(|(start, reference, kind)| (start, line_at(start), reference, kind));
    Some(Occurrences {
        places,
        uses: uses.collect(),
        facts: component.script.facts,
    })
}

impl Component {
    /// Returns every use by its first byte: reference of the file, and kind.
    fn uses(&self) -> Vec<(u32, u32, UseKind)> {
        let mut all = Vec::new();
        for part in &self.parts {
            for (start, reference, kind) in part.parsed.uses() {
                all.push((start, part.references[reference as usize], kind));
            }
        }
        let template = &self.template;
        for (start, reference, _) in template.program.parsed.uses() {
            let at = template.program.source_of(start);
            let of_file = template.references.get(reference as usize);
            if let (Some(at), Some(Some(reference))) = (at, of_file) {
                all.push((at, *reference, UseKind::Template));
            }
        }
        let opened: HashMap<u32, u32> = all.iter().map(|it| (it.0, it.1)).collect();
        for (name, opening) in &self.ranges.closings {
            // `<ns.Comp>` is a use of `Comp`, behind the dot.
            let within = template.program.name_in(*opening, name.len());
            if let Some(reference) = opened.get(&offset(opening + within)) {
                all.push((offset(name.start + within), *reference, UseKind::Template));
            }
        }
        all
    }

    fn role(&self, start: u32, end: u32) -> OccurrenceRole {
        let at = start as usize;
        let in_block = |range: &Range<usize>| range.contains(&at);
        for part in &self.parts {
            if in_block(&(part.block.from..part.block.to)) {
                return match part.parsed.role(&part.text, start, end) {
                    OccurrenceRole::Use { reference, kind } => OccurrenceRole::Use {
                        reference: part.references[reference as usize],
                        kind,
                    },
                    OccurrenceRole::Import { import, name } => OccurrenceRole::Import {
                        import: part.imports[import as usize],
                        name,
                    },
                    OccurrenceRole::Export { export } => part.exports[export as usize]
                        .map_or(OccurrenceRole::Definition, |export| {
                            OccurrenceRole::Export { export }
                        }),
                    role => role,
                };
            }
        }
        if let Some(role) = self.template_role(start, end) {
            return role;
        }
        if holds(&self.ranges.comments, at) || holds(&self.blocks.comments, at) {
            return OccurrenceRole::Comment;
        }
        if holds(&self.ranges.unreadable, at) {
            return OccurrenceRole::Unknown;
        }
        let mut closings = self.ranges.closings.iter();
        if let Some((name, opening)) = closings.find(|it| it.0.contains(&at)) {
            let opened = offset(opening + (at - name.start));
            return self
                .template_role(opened, opened + (end - start))
                .unwrap_or(OccurrenceRole::OtherName);
        }
        if self.ranges.keys.contains(&(at..end as usize)) {
            return OccurrenceRole::Key;
        }
        if holds(&self.ranges.keys, at) {
            return OccurrenceRole::OtherName;
        }
        if holds(&self.ranges.markup, at) {
            return OccurrenceRole::Text;
        }
        OccurrenceRole::Prose
    }

    /// Classifies a word in an expression of the template; `None` outside of them.
    fn template_role(&self, start: u32, end: u32) -> Option<OccurrenceRole> {
        let template = &self.template;
        let at = match template.program.place_of(start) {
            ProgramPosition::Outside => return None,
            ProgramPosition::Broken => return Some(OccurrenceRole::Unknown),
            ProgramPosition::Renamed => return Some(OccurrenceRole::OtherName),
            ProgramPosition::At(at) => at,
        };
        let length = end - start;
        let parsed = &template.program.parsed;
        Some(match parsed.role(&template.program.text, at, at + length) {
            OccurrenceRole::Use { reference, .. } => {
                let of_file = template.references.get(reference as usize);
                match of_file.copied().flatten() {
                    Some(reference) => OccurrenceRole::Use {
                        reference,
                        kind: UseKind::Template,
                    },
                    None => OccurrenceRole::Local,
                }
            }
            // The template imports and exports nothing: what is bound in it is local.
            OccurrenceRole::Import { .. } | OccurrenceRole::Export { .. } => {
                OccurrenceRole::Unknown
            }
            OccurrenceRole::Global(_) => OccurrenceRole::Global(UseKind::Template),
            role => role,
        })
    }
}

//! The uses in templates of Angular among the facts of their files: in a file of their own, or in strings of a script.

use std::ops::Range;

use super::angular::{self, MarkupName, MarkupNameKind};
use super::markup_ranges::{MarkupRanges, holds};
use super::program::{self, Program, ProgramPosition};
use super::{offset, sorted};
use crate::ir::{Expr, Extraction, FileFacts, Reference, Target, TemplateNameKind};
use crate::model::hash::HashMap;
use crate::model::{Budget, Chunk};
use crate::syntax::lang::ecmascript::{InlineTemplate, LoweredScript, PositionedUse};
use crate::syntax::lines::Lines;
use crate::syntax::occurrences::{Occurrence, OccurrenceRole, Occurrences, UseKind, places_of};
use crate::syntax::text;

/// Templates of one script that are read.
const MAX_TEMPLATES: usize = 100;

/// A template that was read.
pub(in crate::syntax) struct AngularTemplate {
    range: Range<usize>,
    program: Option<program::TemplateProgram>,
    names: Vec<MarkupName>,
    ranges: MarkupRanges,
    /// The places of the program's references, and of the names', among those of the file.
    references: Vec<Option<u32>>,
    named: Vec<u32>,
}

/// Returns the facts of a file of markup: nothing but its lines where it is no template of Angular. `None` where the
/// budget ended.
pub(in crate::syntax) fn read_page(lines: &Lines<'_>, budget: &Budget) -> Option<Extraction> {
    let chunks: Vec<Chunk> = text::plain(lines);
    let (facts, _) = page(lines, false, budget)?;
    Some(Extraction { facts, chunks })
}

fn page(
    lines: &Lines<'_>,
    keeps_positions: bool,
    budget: &Budget,
) -> Option<(FileFacts, Option<AngularTemplate>)> {
    let mut facts = FileFacts::default();
    if !may_be_template(lines.source) {
        return Some((facts, None));
    }
    let whole = InlineTemplate {
        symbol: 0,
        range: 0..lines.source.len(),
        host: None,
    };
    let mut template = AngularTemplate::read(lines, &whole, keeps_positions, budget)?;
    template.add_to(&mut facts, None, lines);
    facts.is_template = !facts.references.is_empty();
    let places = sorted(&mut facts.references, |reference| reference.line);
    template.renumber(&places);
    Some((facts, Some(template)))
}

/// Whether markup has a form that Angular knows, and none of what is made into pages elsewhere.
fn may_be_template(source: &str) -> bool {
    let others = ["{%", "<%", "{{#", "{{>", "<?php"];
    let own = ["{{", "]=\"", ")=\"", " *", "@if", "@for", "@switch", "@let"];
    let is_component = || {
        // An element with a hyphen may be a component's.
        source.split('<').skip(1).any(|rest| {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            rest[..end.unwrap_or(rest.len())].contains('-')
        })
    };
    !others.iter().any(|it| source.contains(it))
        && !is_go_template(source)
        && (own.iter().any(|it| source.contains(it)) || is_component())
}

/// Whether markup has an action of Go's `html/template` that can be no expression of Angular: `{{ .Title }}`, `{{- $x := 1 -}}`,
/// `{{ partial "head" . }}`, `{{/* note */}}`.
fn is_go_template(source: &str) -> bool {
    source.split("{{").skip(1).any(|rest| {
        let Some((action, _)) = rest.split_once("}}") else {
            return false;
        };
        let is_trimmed = action.ends_with(" -") || action.starts_with("- ");
        let words = action.trim_start_matches('-').trim_end_matches('-').trim();
        let is_field = words
            .strip_prefix('.')
            .is_some_and(|name| !name.starts_with(|c: char| c.is_ascii_digit()));
        is_trimmed
            || is_field
            || words.starts_with("/*")
            || words.ends_with(" .")
            || words.starts_with('$') && words.contains(":=")
    })
}

/// Adds the uses in the templates of a script to its facts; `None` where the budget ended.
pub(in crate::syntax) fn add_inline(
    lines: &Lines<'_>,
    script: &mut LoweredScript,
    keeps_positions: bool,
    budget: &Budget,
) -> Option<Vec<AngularTemplate>> {
    let mut templates = Vec::new();
    for inline in script.templates.iter().take(MAX_TEMPLATES) {
        let mut template = AngularTemplate::read(lines, inline, keeps_positions, budget)?;
        template.add_to(&mut script.facts, Some(inline.symbol), lines);
        templates.push(template);
    }
    if templates.is_empty() {
        return Some(templates);
    }
    let places = sorted(&mut script.facts.references, |reference| reference.line);
    for template in &mut templates {
        template.renumber(&places);
    }
    for position in &mut script.positions {
        if let PositionedUse::Of(at) = &mut position.used {
            *at = places[*at as usize];
        }
    }
    Some(templates)
}

/// Finds the places of words in a file of markup; `None` where the budget ended.
pub(in crate::syntax) fn occurrences(
    lines: &Lines<'_>,
    words: &[&str],
    budget: &Budget,
) -> Option<Occurrences> {
    let (facts, template) = page(lines, true, budget)?;
    let line_at = |start: u32| offset(lines.line_at(start) + 1);
    let places = places_of(lines.source, words)
        .into_iter()
        .map(|(word, start_byte, end)| {
            let role = template.as_ref().and_then(|it| it.role(start_byte, end));
            Occurrence {
                word,
                start_byte,
                line: line_at(start_byte),
                role: role.unwrap_or(OccurrenceRole::Prose),
            }
        });
    let places = places.collect();
    let mut uses = template.map_or_else(Vec::new, |template| template.uses());
    uses.sort_unstable_by_key(|it| it.0);
    let uses = uses.into_iter();
    let uses = uses.map(|(start, at)| (start, line_at(start), at, UseKind::Template));
    Some(Occurrences {
        places,
        uses: uses.collect(),
        facts,
    })
}

impl AngularTemplate {
    fn read(
        lines: &Lines<'_>,
        inline: &InlineTemplate,
        keeps_positions: bool,
        budget: &Budget,
    ) -> Option<Self> {
        let mut program = Program::of_instance(lines.source);
        let mut ranges = MarkupRanges::default();
        let range = inline.range.clone();
        let names = match &inline.host {
            Some(bindings) => angular::host(lines.source, bindings, &mut program, &mut ranges),
            None => angular::template(lines.source, range.clone(), &mut program, &mut ranges),
        };
        let program = if program.is_empty() {
            None
        } else {
            Some(program.read(&[], keeps_positions, false, budget)?)
        };
        Some(Self {
            range,
            program,
            names,
            ranges,
            references: Vec::new(),
            named: Vec::new(),
        })
    }

    /// Adds the references of the template to those of its file. `class` is whose template it is, where that is in the file.
    fn add_to(&mut self, facts: &mut FileFacts, class: Option<u32>, lines: &Lines<'_>) {
        if let Some(program) = &self.program {
            let own = &program.parsed.script.facts;
            let receiver = Expr::Receiver { scope: class };
            // What nobody binds is a member of the instance.
            let adopted = facts.exprs.adopt(&own.exprs, |exprs, expr| match expr {
                Expr::Name { name, .. } => Expr::Member {
                    object: exprs.add(receiver.clone()),
                    name,
                },
                Expr::Receiver { .. } => receiver.clone(),
                Expr::Super { .. } => Expr::Super { scope: class },
                Expr::Symbol(_) | Expr::Imported { .. } | Expr::TypeParam { .. } => Expr::Unknown,
                expr => expr,
            });
            let instance = facts.exprs.add(receiver.clone());
            for reference in &own.references {
                let mut reference = adopted.reference(reference);
                reference.symbol = class;
                reference.target = match reference.target {
                    Target::Lexical => Target::Member {
                        receiver: instance,
                        is_inferred: false,
                    },
                    Target::Symbol(_) => Target::Unknown,
                    target => target,
                };
                let line = program.line_of(lines, reference.line);
                let at = line.map(|line| {
                    reference.line = line;
                    facts.references.push(reference);
                    offset(facts.references.len() - 1)
                });
                self.references.push(at);
            }
            facts.has_errors |= program.has_broken;
        }
        let mut known: HashMap<(&str, &MarkupNameKind), u32> = HashMap::default();
        for name in &self.names {
            let text = &lines.source[name.range.clone()];
            let new = offset(facts.references.len());
            let at = *known.entry((text, &name.place)).or_insert(new);
            self.named.push(at);
            if at != new {
                facts.references[at as usize].count += 1;
                continue;
            }
            let place = match &name.place {
                MarkupNameKind::Element => TemplateNameKind::Element,
                MarkupNameKind::Attribute(element) => {
                    let element = element.as_ref().map(|it| facts.exprs.name(it));
                    TemplateNameKind::Attribute(element)
                }
                MarkupNameKind::Pipe => TemplateNameKind::Pipe,
            };
            facts.references.push(Reference {
                name: facts.exprs.name(text),
                target: Target::Markup(place),
                kind: name.kind,
                symbol: class,
                line: offset(lines.line_at(offset(name.range.start)) + 1),
                count: 1,
            });
        }
    }

    fn renumber(&mut self, places: &[u32]) {
        let all = self.references.iter_mut().flatten();
        for at in all.chain(&mut self.named) {
            *at = places[*at as usize];
        }
    }

    /// Whether a byte of the file is in the template.
    pub(in crate::syntax) fn holds(&self, at: u32) -> bool {
        self.range.contains(&(at as usize))
    }

    /// Returns every use by its first byte, with its reference.
    pub(in crate::syntax) fn uses(&self) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        for (name, at) in self.names.iter().zip(&self.named) {
            all.push((offset(name.range.start), *at));
        }
        if let Some(program) = &self.program {
            for (start, reference, _) in program.parsed.uses() {
                let of_file = self.references.get(reference as usize).copied().flatten();
                if let (Some(at), Some(reference)) = (program.source_of(start), of_file) {
                    all.push((at, reference));
                }
            }
        }
        all
    }

    /// Classifies a word of the template; `None` for text between tags and values of attributes that are no code.
    pub(in crate::syntax) fn role(&self, start: u32, end: u32) -> Option<OccurrenceRole> {
        let word = start as usize..end as usize;
        if let Some(role) = self.markup_name_role(&word) {
            return Some(role);
        }
        let mut closings = self.ranges.closings.iter();
        if let Some((name, opened)) = closings.find(|it| it.0.contains(&word.start)) {
            let from = opened + (word.start - name.start);
            return self.markup_name_role(&(from..from + word.len()));
        }
        if holds(&self.ranges.comments, word.start) {
            return Some(OccurrenceRole::Comment);
        }
        if holds(&self.ranges.unreadable, word.start) {
            return Some(OccurrenceRole::Unknown);
        }
        let program = self.program.as_ref()?;
        let at = match program.place_of(start) {
            ProgramPosition::Outside => return None,
            ProgramPosition::Broken => return Some(OccurrenceRole::Unknown),
            ProgramPosition::Renamed => return Some(OccurrenceRole::OtherName),
            ProgramPosition::At(at) => at,
        };
        let length = end - start;
        Some(match program.parsed.role(&program.text, at, at + length) {
            OccurrenceRole::Use { reference, .. } => {
                match self.references.get(reference as usize).copied().flatten() {
                    Some(reference) => OccurrenceRole::Use {
                        reference,
                        kind: UseKind::Template,
                    },
                    None => OccurrenceRole::Local,
                }
            }
            OccurrenceRole::Import { .. } | OccurrenceRole::Export { .. } => {
                OccurrenceRole::Unknown
            }
            role => role,
        })
    }

    /// Classifies a word in a name of the markup.
    fn markup_name_role(&self, word: &Range<usize>) -> Option<OccurrenceRole> {
        let mut names = self.names.iter().zip(&self.named);
        let (name, at) = names.find(|(name, _)| name.range.contains(&word.start))?;
        Some(if name.range == *word {
            OccurrenceRole::Use {
                reference: *at,
                kind: UseKind::Template,
            }
        } else {
            OccurrenceRole::OtherName
        })
    }
}

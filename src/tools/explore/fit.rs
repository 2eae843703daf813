//! Fits candidates into the budget of a pack. Definitions of one file that touch or lie within each other become one
//! part: a part takes some 200 bytes besides its text.

use std::cmp::{Ordering, Reverse};

use super::ExploreInput;
use super::candidates::{OmissionReason, PackCandidate, PackRole};
use super::part::{OmittedDefinitionOutput, PartOutput, omission, part};
use super::source::SourceReader;
use crate::error::Result;
use crate::tools::answer::length;

/// One definition takes at most a third of a budget; the first that was found two of these parts, and all of it where it is the only one.
const DEFINITION_DIVISOR: usize = 3;
const MAX_PARTS_OF_FIRST: usize = 2;

/// The part of a budget that the surroundings of found definitions take at most: one in so many.
const AROUND_DIVISOR: usize = 2;

/// The part of the room, one in so many, that is kept for the signatures of found definitions that do not fit whole.
const SIGNATURES_DIVISOR: usize = 10;

/// Lines between two definitions that become one part, at most.
const MAX_GAP: u32 = 3;

/// The parts of a pack, and the definitions that are none.
pub(super) struct Laid {
    pub(super) parts: Vec<PartOutput>,
    pub(super) omitted: Vec<OmittedDefinitionOutput>,
}

/// Lays each candidate, in order, where it fits: whole, and at the end, in the room that is kept for them, the others by their
/// comments and signatures. Both lists of the result are in the order of value.
pub(super) fn fit(
    source: &SourceReader<'_>,
    input: &ExploreInput,
    list: &[PackCandidate],
    room: usize,
    budget: usize,
) -> Result<Laid> {
    let n_found = list
        .iter()
        .filter(|it| it.role.is_found() && it.excluded.is_none())
        .count();
    let mut space = PackBuilder {
        source,
        input,
        budget,
        room: if n_found > 1 {
            room - room / SIGNATURES_DIVISOR
        } else {
            room
        },
        n_bytes: 0,
        n_around: 0,
        runs: Vec::new(),
    };
    let mut left: Vec<(&PackCandidate, OmissionReason)> = Vec::new();
    let mut is_first = true;
    for candidate in list {
        if let Some(why) = candidate.excluded {
            left.push((candidate, why));
            continue;
        }
        let is_found = candidate.role.is_found();
        let max = match (n_found, is_first && is_found) {
            (1, true) => budget,
            (_, true) => budget / DEFINITION_DIVISOR * MAX_PARTS_OF_FIRST,
            (_, false) => budget / DEFINITION_DIVISOR,
        };
        is_first = false;
        let is_laid = space.take(candidate.clone(), max)?
            || !is_found && space.take_signature(candidate, max)?;
        if !is_laid {
            left.push((candidate, OmissionReason::Budget));
        }
    }
    space.room = room;
    left.sort_by(|(a, _), (b, _)| by_value(a, b));
    let mut omitted = Vec::new();
    for (candidate, why) in left {
        let max = budget / DEFINITION_DIVISOR;
        let is_wanted = why == OmissionReason::Budget && candidate.role.is_found();
        let is_shown = space.shows(candidate);
        let is_laid = if is_shown {
            space.take(candidate.clone(), usize::MAX)?
        } else {
            is_wanted && space.take_signature(candidate, max)?
        };
        if !is_laid {
            let why = if is_shown {
                OmissionReason::Duplicate
            } else {
                why
            };
            omitted.push(omission(source, candidate, why)?);
        }
    }
    space.runs.sort_by(|a, b| by_value(a.first(), b.first()));
    Ok(Laid {
        parts: space.runs.into_iter().map(|run| run.part).collect(),
        omitted,
    })
}

/// Orders candidates by role, then by value, then by place; of two at one place the longer one first.
fn by_value(a: &PackCandidate, b: &PackCandidate) -> Ordering {
    let place = |it: &PackCandidate| {
        (
            it.item.path.clone(),
            it.item.lines.0,
            Reverse(it.item.lines.1),
        )
    };
    (a.role.cmp(&b.role))
        .then(b.value.total_cmp(&a.value))
        .then_with(|| place(a).cmp(&place(b)))
}

/// The bytes that parts may take and have taken.
struct PackBuilder<'a> {
    source: &'a SourceReader<'a>,
    input: &'a ExploreInput,
    budget: usize,
    room: usize,
    n_bytes: usize,
    /// Of them for the surroundings of found definitions.
    n_around: usize,
    runs: Vec<AdjacentRun>,
}

/// The lines of one part, and the candidates in them.
struct AdjacentRun {
    lines: (u32, u32),
    /// In the order of value; the first one stands for the run.
    candidates: Vec<PackCandidate>,
    part: PartOutput,
}

impl AdjacentRun {
    fn first(&self) -> &PackCandidate {
        &self.candidates[0]
    }

    /// Whether it is the comment and the signature of one definition.
    fn is_signature(&self) -> bool {
        self.candidates.len() == 1 && self.first().is_signature
    }

    fn holds(&self, candidate: &PackCandidate) -> bool {
        let item = &candidate.item;
        self.first().item.path == item.path
            && self.lines.0 <= item.lines.0
            && item.lines.1 <= self.lines.1
    }

    /// Whether the run lies within a candidate, or the other way round.
    fn nests(&self, candidate: &PackCandidate) -> bool {
        let (lines, item) = (self.lines, &candidate.item);
        let is_within = item.lines.0 <= lines.0 && lines.1 <= item.lines.1;
        self.holds(candidate) || self.first().item.path == item.path && is_within
    }

    /// Whether the run and a candidate stand beside each other, and neither is there for what it is to another definition.
    fn touches(&self, candidate: &PackCandidate) -> bool {
        let (lines, item) = (self.lines, &candidate.item);
        let is_plain = |it: &PackCandidate| {
            matches!(it.role, PackRole::Hit | PackRole::Neighbour) && !it.is_signature
        };
        self.first().item.path == item.path
            && lines.0 <= item.lines.1 + 1 + MAX_GAP
            && item.lines.0 <= lines.1 + 1 + MAX_GAP
            && is_plain(candidate)
            && self.candidates.iter().all(is_plain)
    }

    /// Whether the run has some of these lines of its file.
    fn overlaps(&self, lines: (u32, u32)) -> bool {
        self.lines.0 <= lines.1 && lines.0 <= self.lines.1
    }
}

impl PackBuilder<'_> {
    /// Whether all lines of a candidate are in a part.
    fn shows(&self, candidate: &PackCandidate) -> bool {
        self.runs
            .iter()
            .any(|run| run.holds(candidate) && !run.is_signature())
    }

    /// Takes the lines of a candidate, alone or with the parts that it touches. Returns whether it fits, being of at most `max`
    /// bytes itself.
    fn take(&mut self, candidate: PackCandidate, max: usize) -> Result<bool> {
        let own = part(self.source, self.input, &candidate, candidate.item.lines)?;
        let is_around = !candidate.role.is_found();
        if length(&own) >= max {
            return Ok(false);
        }
        let Some(joined) = self.runs_to_join(&candidate) else {
            return Ok(false);
        };
        let run = self.joined(&joined, candidate)?;
        let before: usize = joined
            .iter()
            .map(|at| length(&self.runs[*at].part) + 1)
            .sum();
        let size = (length(&run.part) + 1).saturating_sub(before);
        let fits = self.n_bytes + size <= self.room
            && (!is_around || self.n_around + size <= self.budget / AROUND_DIVISOR);
        if fits {
            self.n_bytes = self.n_bytes + length(&run.part) + 1 - before;
            self.n_around += if is_around { size } else { 0 };
            let mut at = 0;
            self.runs.retain(|_| {
                at += 1;
                !joined.contains(&(at - 1))
            });
            self.runs.push(run);
        }
        Ok(fits)
    }

    /// Returns the runs that become one part with a candidate: those that it nests with, and those beside it unless another
    /// part lies between. `None` where some of its lines would be there twice.
    fn runs_to_join(&self, candidate: &PackCandidate) -> Option<Vec<usize>> {
        let of_file = || {
            let runs = self.runs.iter().enumerate();
            runs.filter(|(_, run)| run.first().item.path == candidate.item.path)
        };
        let chosen = |is_joined: &dyn Fn(&AdjacentRun) -> bool| {
            let (joined, others): (Vec<_>, Vec<_>) = of_file().partition(|(_, run)| is_joined(run));
            let lines = joined.iter().fold(candidate.item.lines, |lines, (_, run)| {
                (lines.0.min(run.lines.0), lines.1.max(run.lines.1))
            });
            let is_twice = others.iter().any(|(_, run)| run.overlaps(lines));
            (!is_twice).then(|| joined.iter().map(|(at, _)| *at).collect())
        };
        chosen(&|run| run.nests(candidate) || run.touches(candidate))
            .or_else(|| chosen(&|run| run.nests(candidate)))
    }

    /// Takes a candidate by its comment and signature, where they are less than the whole.
    fn take_signature(&mut self, candidate: &PackCandidate, max: usize) -> Result<bool> {
        let mut short = candidate.clone();
        short.item.reduce();
        short.is_signature = short.item.lines != candidate.item.lines;
        if !short.is_signature {
            return Ok(false);
        }
        self.take(short, max)
    }

    /// Returns the run that a candidate and some runs become.
    fn joined(&self, runs: &[usize], candidate: PackCandidate) -> Result<AdjacentRun> {
        let mut lines = candidate.item.lines;
        let mut candidates = vec![candidate];
        for run in runs.iter().map(|at| &self.runs[*at]) {
            lines = (lines.0.min(run.lines.0), lines.1.max(run.lines.1));
            candidates.extend(run.candidates.iter().cloned());
        }
        candidates.sort_by(by_value);
        let mut part = part(self.source, self.input, &candidates[0], lines)?;
        let mut also: Vec<String> = Vec::new();
        for other in &candidates[1..] {
            let handle = other.item.handle.to_string();
            if handle != part.handle() && !also.contains(&handle) {
                also.push(handle);
            }
        }
        part.also = also;
        part.truncated = candidates.iter().any(|cut| {
            let is_whole = |it: &PackCandidate| !it.item.is_cut && it.item.contains(&cut.item);
            // Parts that were laid together may have all lines of the definition.
            let is_within = cut.item.symbol.as_ref().is_some_and(|symbol| {
                lines.0 <= symbol.span.start_line && symbol.span.end_line <= lines.1
            });
            cut.item.is_cut && !is_within && !candidates.iter().any(is_whole)
        });
        Ok(AdjacentRun {
            lines,
            candidates,
            part,
        })
    }
}

//! The counts of an answer about one definition, without its lists.

use super::reached::list_reached;
use super::{ImpactInput, ImpactOutput, sites};
use crate::error::Result;
use crate::graph::impact::{WalkStart, no_dispatch, walk};
use crate::model::Direction;
use crate::tools::places::{places, uses};
use crate::workspace::{SymbolRow, View};

/// How far a definition reaches, as `cl_impact` counts it at its defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tools) struct ReachCounts {
    /// Places that use it directly.
    pub(in crate::tools) callers: u64,
    /// Definitions that it uses.
    pub(in crate::tools) callees: u64,
    /// Test files that the graph reaches from it, or that are named after its file.
    pub(in crate::tools) tests: u64,
    /// Files of code that it reaches.
    pub(in crate::tools) dependents: u64,
    /// Uses of its name that could not be bound.
    pub(in crate::tools) unresolved: u64,
}

/// Counts the files and tests that one definition reaches; `targets` are its declarations.
pub(in crate::tools) fn counts(view: &View<'_>, targets: &[SymbolRow]) -> Result<ReachCounts> {
    let input = ImpactInput::default();
    let mut output = ImpactOutput::new(view, 2)?;
    let uses = uses(view);
    let (found, _) = list_reached(view, &uses, &input, targets, &mut output)?;
    sites::add(view, &uses, &input, targets, &mut output)?;
    let starts = WalkStart::of(targets.iter().map(|symbol| symbol.id));
    let used = walk(
        view.read,
        &starts,
        Direction::Out,
        1,
        view.budget,
        &mut no_dispatch,
    )?;
    Ok(ReachCounts {
        callers: found.n_direct as u64,
        callees: places(view, &used.places)?.len() as u64,
        tests: (found.n_tests + found.n_named_tests) as u64,
        dependents: found.n_files as u64,
        unresolved: output.completeness.unresolved_sites,
    })
}

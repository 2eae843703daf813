//! Where the changes meet those of other branches and work trees.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use super::ChangesQuestion;
use super::entries::word;
use super::gather::{Gathered, content, texts, texts_of};
use crate::error::{Error, Result};
use crate::model::sanitize::one_line;
use crate::model::{Budget, RepoPath};
use crate::tools::places::uses;
use crate::uses::{
    BranchSide, BrokenReason, Collision, CollisionKind, Difference, IndexedStates, LineMerge,
    UncheckedUses,
};
use crate::workspace::{
    Comparison, ComparisonSide, Other, View, Workspace, added_lines, cut_argument, merged_lines,
};

/// A branch or work tree to look for collisions with: both sides since the commit where they left each other.
pub(super) struct Opposite {
    name: String,
    theirs: Comparison,
    /// Our side; `None` where it is the comparison that is asked about.
    ours: Option<Comparison>,
}

/// A place where both sides meet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollisionOutput {
    /// The branch or work tree.
    pub(crate) with: String,
    /// `uses_changed`, `same_symbol`, `both_added` or `file_only`.
    pub(crate) kind: &'static str,
    pub(crate) path: String,
    /// Empty for a file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) symbol: String,
    /// The change on our side: a kind of change, or `uses`.
    pub(crate) ours: &'static str,
    pub(crate) theirs: &'static str,
    pub(crate) detail: String,
}

/// Compares each of the others with the commit where it and the head left each other.
pub(super) fn opposites(
    workspace: &Workspace,
    comparison: &Comparison,
    others: Vec<Other>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Vec<Opposite>> {
    let mut all = Vec::new();
    for other in others {
        let state = other.state();
        let name = state.name.clone();
        let (Some(own), Some(their)) = (&comparison.head.commit, &state.commit) else {
            continue;
        };
        let base = workspace.merge_base(own, their)?.ok_or_else(|| {
            Error::invalid(
                format!(
                    "`{}` has no commit in common with the head in this clone",
                    cut_argument(&name)
                ),
                "leave it out of `with`; in a shallow clone fetch more history first",
            )
        })?;
        let base = ComparisonSide {
            name: "merge base".to_owned(),
            commit: Some(base),
            is_work_tree: false,
        };
        let theirs = workspace.compare_other(base.clone(), &other, interrupt)?;
        let ours = if comparison.base.commit == base.commit {
            None
        } else {
            Some(workspace.compare(base, comparison.head.clone(), interrupt)?)
        };
        all.push(Opposite { name, theirs, ours });
    }
    Ok(all)
}

/// The collisions with all others, and how far they are known.
#[derive(Default)]
pub(super) struct Collisions {
    pub(super) all: Vec<CollisionOutput>,
    /// Changes of the others whose uses here nobody compares with them.
    pub(super) unchecked: UncheckedUses,
}

/// Finds the collisions; `None` where no other side was asked for.
pub(super) fn find(
    view: &View<'_>,
    asked: &ChangesQuestion<'_>,
    gathered: &Gathered,
) -> Result<Option<Collisions>> {
    if asked.input.with.is_empty() {
        return Ok(None);
    }
    let uses = uses(view);
    let mut collisions = Collisions::default();
    for opposite in asked.opposites {
        let own;
        let ours = match &opposite.ours {
            None => &*gathered.difference,
            Some(comparison) => {
                let indexed = IndexedStates {
                    old: asked.base.map(|base| &base.read),
                    new: Some(view.read),
                    content: &|path, is_old| content(&comparison.files, path, is_old),
                };
                own = Difference::kept(
                    texts(view, comparison, &|_| true)?.files,
                    Some(&indexed),
                    &uses.budget,
                )?;
                &own
            }
        };
        let budget = Budget::unlimited(view.budget.interrupt());
        let theirs = opposite.theirs.files.iter();
        let theirs = theirs.filter_map(|file| Some((file.path.clone(), texts_of(file)?)));
        let indexed = IndexedStates {
            old: asked.base.map(|base| &base.read),
            new: None,
            content: &|path, is_old| content(&opposite.theirs.files, path, is_old),
        };
        let theirs = Difference::kept(theirs.collect(), Some(&indexed), &budget)?;
        let lines = LineMerge {
            added: &added_lines,
            merged: &merged_lines,
        };
        let unchecked = theirs.unchecked_uses(|path| asked.is_wanted(path.as_str()));
        collisions.unchecked = collisions.unchecked + unchecked;
        let mut found = uses.collisions(ours, &theirs, &lines)?;
        add_files(opposite, asked.comparison, &mut found);
        found.sort_by(|a, b| (a.kind, &a.path, &a.symbol).cmp(&(b.kind, &b.path, &b.symbol)));
        for one in &found {
            if asked.is_wanted(one.path.as_str()) {
                collisions.all.push(collision_output(&opposite.name, one));
            }
        }
    }
    Ok(Some(collisions))
}

/// Adds the files that both sides changed, where no definition of them collides.
fn add_files(opposite: &Opposite, comparison: &Comparison, found: &mut Vec<Collision>) {
    let ours = opposite.ours.as_ref().unwrap_or(comparison);
    let known: BTreeSet<&RepoPath> = found.iter().map(|one| &one.path).collect();
    let theirs: BTreeMap<&RepoPath, _> = opposite
        .theirs
        .files
        .iter()
        .map(|file| (&file.path, &file.new))
        .collect();
    let mut files = Vec::new();
    for file in &ours.files {
        let Some(their) = theirs.get(&file.path) else {
            continue;
        };
        let content =
            |version: &Option<crate::workspace::FileVersion>| version.as_ref().map(|it| it.content);
        if content(&file.new) != content(their) && !known.contains(&file.path) {
            files.push(Collision {
                kind: CollisionKind::FileOnly,
                path: file.path.clone(),
                symbol: String::new(),
                ours: None,
                theirs: None,
                added: None,
            });
        }
    }
    found.extend(files);
}

fn collision_output(with: &str, one: &Collision) -> CollisionOutput {
    let of = |kind: Option<crate::uses::ChangeKind>, side: BranchSide| match (kind, &one.added) {
        (Some(kind), _) => word(kind),
        (None, Some((user, _))) if *user == side => "uses",
        (None, _) => "modified",
    };
    let detail = match (&one.added, one.kind) {
        (Some((side, broken)), _) => {
            let who = match side {
                BranchSide::Ours => "we",
                BranchSide::Theirs => "they",
            };
            let how = match broken.reason {
                BrokenReason::TooFewArguments { given, required } => {
                    format!(" with {given} of {required} arguments")
                }
                BrokenReason::TooManyArguments { given, most } => {
                    format!(" with {given} arguments, of which it takes {most}")
                }
                _ => String::new(),
            };
            format!(
                "{who} use it{how} at {}:{}: {}",
                broken.path,
                broken.line,
                one_line(&broken.text)
            )
        }
        (None, CollisionKind::SameSymbol) => "both sides changed it".to_owned(),
        (None, CollisionKind::BothAdded) => "both sides added one of this name".to_owned(),
        (None, _) => "both sides changed the file, not the same definition".to_owned(),
    };
    CollisionOutput {
        with: with.to_owned(),
        kind: match one.kind {
            CollisionKind::UsesChanged => "uses_changed",
            CollisionKind::SameSymbol => "same_symbol",
            CollisionKind::BothAdded => "both_added",
            CollisionKind::FileOnly => "file_only",
        },
        path: one.path.to_string(),
        symbol: one.symbol.clone(),
        ours: of(one.ours, BranchSide::Ours),
        theirs: of(one.theirs, BranchSide::Theirs),
        detail,
    }
}

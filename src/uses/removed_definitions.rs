//! Definitions that the uncommitted changes removed, renamed or moved, each with the uses that still name it.

use std::sync::Arc;

use super::Uses;
use super::broken::{MAX_FIELDS, is_field_of_python};
use super::difference::{Difference, FilePair, IndexedStates};
use super::unbound_uses::{may_mean, n_beside};
use super::unfollowed_files::UnfollowedFiles;
use crate::error::Result;
use crate::graph::changes::ChangeKind;
use crate::model::{RepoPath, SymbolKind};
use crate::syntax::UseKind;

/// Names that are looked for in files whose uses of code are not known.
const MAX_NAMES_UNFOLLOWED: usize = 100;

/// A definition that is gone from where it was.
#[derive(Clone, Debug)]
pub struct RemovedDefinition {
    /// Its file.
    pub path: RepoPath,
    /// Its name with those around it.
    pub qualified_name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// Line of its name in `HEAD`.
    pub line: u32,
    /// The change.
    pub change: ChangeKind,
    /// Where it is now: its file, qualified name and line.
    pub now: Option<(RepoPath, String, u32)>,
    /// The uses that still name it, by path and line.
    pub uses: Vec<DanglingUse>,
    /// Further uses of its name that are unresolved.
    pub n_unresolved: u64,
    /// Their lines as far as they are known: of each form of the name the first one in a file, and keywords of Python that may name it.
    pub unresolved_at: Vec<(RepoPath, u32)>,
    /// Files whose uses of code are not known and that hold its name, where no other use of it is known.
    pub unfollowed: UnfollowedFiles,
}

/// A use of a definition that is not there any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DanglingUse {
    /// The file.
    pub path: RepoPath,
    /// Line, from 1.
    pub line: u32,
    /// The line, without its indentation.
    pub text: String,
    /// How it is used; `None` for an import or an export.
    pub kind: Option<UseKind>,
    /// Whether it may mean a member of an external base, and nothing is broken.
    pub is_doubtful: bool,
}

impl RemovedDefinition {
    /// Returns how many of its uses are not proved to be broken.
    #[must_use]
    pub fn n_doubtful(&self) -> u64 {
        self.uses.iter().filter(|it| it.is_doubtful).count() as u64
    }
}

/// A changed file that can be analysed, as it is in `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierText {
    /// The file.
    pub path: RepoPath,
    /// Its text as it would be indexed; `None` where it was not there.
    pub text: Option<Arc<str>>,
}

impl Uses<'_> {
    /// Returns the differences between earlier texts and the files of the index.
    pub fn difference(&self, earlier: &[EarlierText]) -> Result<Arc<Difference>> {
        let mut files = Vec::with_capacity(earlier.len());
        for EarlierText { path, text } in earlier {
            let new = match self.read.file(path.as_str())? {
                Some(file) => match self.sources.read(path, file.content) {
                    None => continue,
                    text => text,
                },
                // A rule leaves it out of the index, or it is not indexed yet.
                None if self.sources.is_there(path) => continue,
                None => None,
            };
            let old = text.clone();
            files.push((path.clone(), FilePair { old, new }));
        }
        let content = |path: &RepoPath, _: bool| {
            let row = self.read.file(path.as_str()).ok().flatten();
            row.map(|row| row.content)
        };
        let indexed = IndexedStates {
            old: None,
            new: Some(self.read),
            content: &content,
        };
        Difference::kept(files, Some(&indexed), &self.budget)
    }

    /// Returns the definitions that are gone, by path and line, each with the uses that still name it; `with_members` those members too that
    /// went with their types, whose uses are told as unresolved ones. `is_wanted` chooses among the qualified names.
    pub fn removed(
        &self,
        earlier: &[EarlierText],
        with_members: bool,
        is_wanted: impl Fn(&RepoPath, &str) -> bool,
    ) -> Result<Vec<RemovedDefinition>> {
        // Files that are new take nothing away.
        if earlier.iter().all(|one| one.text.is_none()) {
            return Ok(Vec::new());
        }
        let difference = self.difference(earlier)?;
        let gone = |at: &usize| difference.changes[*at].is_gone();
        let places: Vec<usize> = (0..difference.changes.len()).filter(gone).collect();
        let mut removed: Vec<(usize, RemovedDefinition)> = places
            .into_iter()
            .flat_map(|at| {
                let change = &difference.changes[at];
                let one = RemovedDefinition::of(&difference, change);
                let with = one.as_ref().filter(|_| with_members);
                let members = with.map_or_else(Vec::new, |of| of.members(&difference, change));
                let own = one.map(|one| (at, one));
                own.into_iter()
                    .chain(members.into_iter().map(|one| (usize::MAX, one)))
            })
            .filter(|(_, one)| is_wanted(&one.path, &one.qualified_name))
            .collect();
        if removed.is_empty() {
            return Ok(Vec::new());
        }
        let broken = self.broken(&difference, None, &|_| true)?;
        let certain = broken.all.into_iter().map(|one| (one, false));
        let doubtful = broken.doubtful.into_iter().map(|one| (one, true));
        for (found, is_doubtful) in certain.chain(doubtful) {
            let Some(change) = found.change else { continue };
            let Some((_, one)) = removed.iter_mut().find(|(at, _)| *at == change) else {
                continue;
            };
            for (line, text, kind) in found.lines() {
                one.uses.push(DanglingUse {
                    path: found.path.clone(),
                    line,
                    text,
                    kind,
                    is_doubtful,
                });
            }
        }
        let mut n_fields = 0;
        for (_, one) in &mut removed {
            one.uses.sort();
            one.uses.dedup();
            let is_keyword = is_field_of_python(&one.path, one.kind);
            n_fields += usize::from(is_keyword);
            (one.n_unresolved, one.unresolved_at) =
                self.unresolved_beside(one, is_keyword && n_fields <= MAX_FIELDS)?;
            one.n_unresolved += u64::from(is_keyword && n_fields > MAX_FIELDS);
        }
        let unused = removed.iter_mut().map(|(_, one)| one);
        let unused = unused.filter(|one| one.uses.is_empty() && one.n_unresolved == 0);
        for one in unused.take(MAX_NAMES_UNFOLLOWED) {
            let name = one.qualified_name.rsplit('.').next();
            let name = name.unwrap_or(&one.qualified_name);
            one.unfollowed = self.unfollowed_naming(name, &one.path)?;
        }
        let mut all: Vec<RemovedDefinition> = removed.into_iter().map(|(_, one)| one).collect();
        all.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        Ok(all)
    }

    /// Returns how many uses of the name of a removed definition are unresolved in the index, those that it lists apart, with the lines that
    /// are known of them; with `has_keywords` the arguments that calls of Python pass by it.
    fn unresolved_beside(
        &self,
        one: &RemovedDefinition,
        has_keywords: bool,
    ) -> Result<(u64, Vec<(RepoPath, u32)>)> {
        let (owner, name) = match one.qualified_name.rsplit_once('.') {
            Some((owner, name)) => (Some(owner), name),
            None => (None, one.qualified_name.as_str()),
        };
        let mut places = self.read.unbound_places(name)?;
        places.retain(|it| may_mean(it, owner.is_some(), &one.path));
        let mut n_unresolved = 0;
        let mut lines = Vec::new();
        for of_file in places.chunk_by(|one, other| one.path == other.path) {
            let uses = one.uses.iter().filter(|it| it.path == of_file[0].path);
            let listed = uses.map(|it| it.line).collect();
            n_unresolved += n_beside(of_file, &listed);
            let others = of_file.iter().filter(|it| !listed.contains(&it.line));
            lines.extend(others.map(|it| (it.path.clone(), it.line)));
        }
        if has_keywords {
            let (keywords, n_more) = self.lines_of_keywords(name)?;
            let is_listed = |it: &(RepoPath, u32)| {
                one.uses
                    .iter()
                    .any(|used| (&used.path, used.line) == (&it.0, it.1))
            };
            let more: Vec<(RepoPath, u32)> =
                keywords.into_iter().filter(|it| !is_listed(it)).collect();
            n_unresolved += n_more + more.len() as u64;
            lines.extend(more);
        }
        lines.sort();
        lines.dedup();
        Ok((n_unresolved, lines))
    }
}

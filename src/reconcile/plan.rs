//! The difference between the indexed and the wanted manifest, as work to be done.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::candidate::{Candidate, RowComparison};
use super::{ReconcileError, Rows, commit, history, order};
use crate::git::{GitError, Repo, Scan, Source};
use crate::link;
use crate::model::visited::ChangedDirectories;
use crate::model::{Budget, ContentId, FoundFile, Freshness, RepoPath, SkipReason, indexing_rules};
use crate::store::{Index, Meta, Read};

/// The work that makes the index equal the work tree.
///
/// Invariant: empty if and only if they are equal, as far as the detection went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files that are not there any more, by path.
    pub remove: Vec<RepoPath>,
    /// Files that have to be read, the most recently changed first.
    pub replace: Vec<Candidate>,
}

/// The part of a work tree that may have changed since an earlier look found it equal to the rows.
#[derive(Clone, Debug)]
pub struct ChangedPart {
    /// The directories with changes.
    pub directories: ChangedDirectories,
    /// The generation of the rows that the look found equal.
    pub generation: u64,
    /// How many files the work tree had then.
    pub n_files: u64,
    /// Every `.gitattributes` of the work tree, sorted.
    pub attributes: Vec<RepoPath>,
}

/// A plan with the detection that it rests on.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that the proof rests on"
)]
pub struct Detection {
    /// The difference.
    pub plan: Plan,
    /// The generation that was compared.
    pub generation: u64,
    /// Whether every file was looked at, but for those that are known to be as they were.
    pub is_complete: bool,
    /// Whether files were left out of the look because the kernel told of no change of theirs.
    pub rests_on_watch: bool,
    /// Whether the index had seen every file once before.
    pub was_complete: bool,
    /// How many files wait to be linked: imports to resolve or names to bind.
    pub n_queued: u64,
    /// Whether a call before this one was killed between the rows and the list of whom they affect.
    pub link_queue_is_stale: bool,
    /// Indexed files below directories that can't be listed now: nobody knows whether they are there.
    pub hidden: Vec<RepoPath>,
    /// The digest of the attribute files, where it is another than the one indexed.
    pub new_attributes: Option<String>,
    /// Entries of the work tree that have no row (links, nested repositories and the like), in meta's form, where they
    /// differ from the noted ones.
    pub new_left_out: Option<String>,
    /// Files of the commit whose bytes are not in this clone; their rows say so.
    pub missing: Vec<RepoPath>,
    /// The manifest that the rows will prove of a commit when all is done, where it is not noted yet; see
    /// [`super::commit`].
    pub new_manifest: Option<String>,
    /// Whether the rows of past commits are those that can be reached from the index's commit. Makes no
    /// answer partial.
    pub has_history: bool,
    /// How many files the work tree has.
    pub n_files: u64,
}

impl Detection {
    /// Returns whether the index equals the work tree and nothing has to be noted.
    pub fn is_current(&self) -> bool {
        self.is_complete
            && self.was_complete
            && self.is_linked()
            && self.plan.is_empty()
            && self.hidden.is_empty()
            && self.missing.is_empty()
            && !self.has_news()
            && self.has_history
    }

    /// Returns whether every name is bound as the rows say.
    pub(super) fn is_linked(&self) -> bool {
        self.n_queued == 0 && !self.link_queue_is_stale
    }

    /// Returns a finding with what the look knows besides: how many files there are, how many of them have no bytes here, and
    /// its basis.
    pub(super) fn complete_finding(&self, finding: Freshness, n_missing: u64) -> Freshness {
        let finding = finding.among(self.n_seen()).without_bytes_of(n_missing);
        if self.rests_on_watch {
            finding.by_watch()
        } else {
            finding
        }
    }

    /// Returns how many files the work tree has; 0 where not every one was looked at.
    fn n_seen(&self) -> u64 {
        if self.is_complete { self.n_files } else { 0 }
    }

    /// Returns whether something has to be noted beside the rows.
    pub(super) fn has_news(&self) -> bool {
        self.new_attributes.is_some() || self.new_left_out.is_some() || self.new_manifest.is_some()
    }

    /// Compares the files that `scan` finds with their rows. The rows are read first: one whose file is missing
    /// then is of a file that went, not of one that came and was indexed meanwhile. Where a new index was made
    /// during the scan it is the other way round: such a file is left out then, as one is that comes after the call.
    pub(super) fn by(
        repo: &Repo,
        index: &Index,
        scan: impl FnOnce() -> Result<Scan, GitError>,
    ) -> Result<Self, ReconcileError> {
        let (meta, rows, n_queued) = {
            let read = index.read()?;
            let n_queued = read.n_queued()?;
            if let Some(manifest) = commit::manifest_digest(repo)?
                && read.meta().manifest == manifest
            {
                return Self::of_proved(repo, index, &read);
            }
            (read.meta().clone(), read.file_rows()?, n_queued)
        };
        let scan = scan()?;
        let left_out = left_out_text(&scan.skipped);
        let n_files = scan.files.len() as u64;
        Self::comparing(repo, index, (meta, rows, n_queued), scan, left_out, n_files)
    }

    /// Does [`Self::by`] for the files directly in some directories, where all others are known to be as the rows of
    /// generation `part.generation` say; `None` where the rows or more than those files have changed since.
    pub(super) fn of_part(
        repo: &Repo,
        index: &Index,
        part: &ChangedPart,
        budget: &Budget,
    ) -> Result<Option<Self>, ReconcileError> {
        let (meta, rows, n_queued) = {
            let read = index.read()?;
            if read.meta().generation != part.generation {
                return Ok(None);
            }
            let rows = read.file_rows_in(&part.directories)?;
            (read.meta().clone(), Arc::new(rows), read.n_queued()?)
        };
        let Some(mut scan) = repo.scan_within(&part.directories, budget)? else {
            return Ok(None);
        };
        scan.attributes.clone_from(&part.attributes);
        let left_out = meta.left_out.clone();
        let n_others = part.n_files.saturating_sub(rows.len() as u64);
        let n_files = n_others + scan.files.len() as u64;
        let rows = (meta, rows, n_queued);
        let detection = Self::comparing(repo, index, rows, scan, left_out, n_files)?;
        Ok(Some(Self {
            rests_on_watch: true,
            ..detection
        }))
    }

    fn comparing(
        repo: &Repo,
        index: &Index,
        (meta, rows, n_queued): (Meta, Rows, u64),
        scan: Scan,
        mut left_out: String,
        n_files: u64,
    ) -> Result<Self, ReconcileError> {
        let mut attributes = repo.attributes(&scan)?;
        if repo.source().is_commit() {
            let has_filter = |file: &&FoundFile| attributes.has_filter(&file.path);
            commit::note_filtered(&mut left_out, scan.files.iter().filter(has_filter).count());
        }
        let digest = attributes.digest().to_string();
        let is_new = meta.attributes.as_ref() != Some(&digest);
        let mut has_generated_attribute = |path: &RepoPath| attributes.is_generated(path);
        let max_file_bytes = repo.indexing_rules().max_file_bytes;
        // Another linker binds the same facts otherwise: nothing is extracted again.
        let is_linked_otherwise = !rows.is_empty() && meta.link_version != link::VERSION;
        let rules = RowComparison {
            max_file_bytes,
            recheck: is_new,
            doubted: &scan.doubted,
        };
        let mut plan = Plan::between(&rows, scan.files, &rules, &mut has_generated_attribute);
        let missing = commit::complete_sizes(repo.source(), &rows, &mut plan);
        let new_manifest = commit::manifest_digest(repo)?.filter(|_| missing.is_empty());
        if !meta.complete {
            plan.put_likely_first("");
        }
        if !scan.complete {
            // Paths that were not looked at may exist.
            plan.remove.clear();
        }
        let unreadable = scan.unreadable;
        let is_hidden = |path: &RepoPath| {
            let path = repo.work_dir().join(path.as_str());
            unreadable
                .iter()
                .any(|directory| path.starts_with(directory))
        };
        let (hidden, remove) = plan.remove.into_iter().partition(is_hidden);
        plan.remove = remove;
        Ok(Self {
            plan,
            generation: meta.generation,
            is_complete: scan.complete,
            rests_on_watch: false,
            was_complete: meta.complete,
            n_queued,
            link_queue_is_stale: meta.link_queue_is_stale || is_linked_otherwise,
            hidden,
            new_attributes: is_new.then_some(digest),
            new_left_out: (left_out != meta.left_out).then_some(left_out),
            missing,
            new_manifest,
            has_history: history::is_current(repo, index, &meta.history),
            n_files,
        })
    }

    /// Of an index that was proved to be the commit's: nothing has to be looked at.
    fn of_proved(repo: &Repo, index: &Index, read: &Read<'_>) -> Result<Self, ReconcileError> {
        let meta = read.meta();
        Ok(Self {
            plan: Plan::default(),
            generation: meta.generation,
            is_complete: true,
            rests_on_watch: false,
            was_complete: meta.complete,
            n_queued: read.n_queued()?,
            link_queue_is_stale: meta.link_queue_is_stale || meta.link_version != link::VERSION,
            hidden: Vec::new(),
            new_attributes: None,
            new_left_out: None,
            missing: Vec::new(),
            new_manifest: None,
            has_history: history::is_current(repo, index, &meta.history),
            n_files: read.counts()?.files,
        })
    }
}

impl Plan {
    /// Compares rows and files, both sorted by path.
    pub fn between(
        rows: &Rows,
        files: Vec<FoundFile>,
        rules: &RowComparison<'_>,
        has_generated_attribute: &mut dyn FnMut(&RepoPath) -> bool,
    ) -> Self {
        let mut plan = Self::default();
        let mut rows = rows.iter().peekable();
        for file in files {
            while let Some(row) = rows.next_if(|row| row.path < file.path) {
                plan.remove.push(row.path.clone());
            }
            let row = rows.next_if(|row| row.path == file.path);
            plan.replace
                .extend(Candidate::of(row, file, rules, has_generated_attribute));
        }
        plan.remove.extend(rows.map(|row| row.path.clone()));
        plan.replace.sort_unstable_by(|a, b| {
            let newest_first = b.stat.mtime_ns.cmp(&a.stat.mtime_ns);
            newest_first.then_with(|| a.path.cmp(&b.path))
        });
        plan
    }

    /// Returns whether nothing has to be done.
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.replace.is_empty()
    }

    /// Puts these files before the others, in the order they have.
    pub fn put_first(&mut self, paths: &HashSet<RepoPath>) {
        if !paths.is_empty() {
            self.replace
                .sort_by_key(|candidate| !paths.contains(&candidate.path));
        }
    }

    /// Puts the files first that a question is likely to be about, for a first build that may not come to its end:
    /// those with its words in their paths, then source before tests, documents and data, all before files that
    /// tools generate. Files alike go by path.
    pub fn put_likely_first(&mut self, words: &str) {
        let wanted = order::stems(words);
        self.replace
            .sort_by_cached_key(|candidate| order::OrderKey::of(candidate, &wanted));
    }

    /// Leaves out the files whose bytes turn out to be those indexed; stops early when the budget ends.
    pub fn drop_unchanged(&mut self, source: &Source, budget: &Budget) {
        self.replace.retain(|candidate| {
            let Some(known) = &candidate.known else {
                return true;
            };
            if candidate.is_forced || budget.is_spent() {
                return true;
            }
            source
                .read(&candidate.path, indexing_rules::MAX_FILE_BYTES)
                .map_or(true, |file| ContentId::of(&file.bytes) != known.content)
        });
    }
}

/// Returns the counts as they are kept in meta: `reason=count` joined by commas.
fn left_out_text(counts: &BTreeMap<SkipReason, u64>) -> String {
    let parts: Vec<String> = counts
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(reason, n)| format!("{}={n}", reason.as_str()))
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::{Arc, LazyLock};

    use super::{Plan, RowComparison};
    use crate::model::{ContentId, FileId, FileStat, FoundFile, RepoPath, SkipReason};
    use crate::store::{FileRow, StatRow};

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn stat(mtime_ns: i64) -> FileStat {
        FileStat {
            size_bytes: 1,
            mtime_ns,
            ctime_ns: mtime_ns,
            inode: 1,
        }
    }

    fn row(text: &str, mtime_ns: i64, proves_content: bool) -> FileRow {
        FileRow {
            id: FileId::new(1),
            path: path(text),
            content: ContentId::of(b"x"),
            facts_version: crate::syntax::row_version(&path(text)),
            has_generated_attribute: false,
            skip: None,
            size_bytes: 1,
            blob: None,
            stat: Some(StatRow {
                stat: stat(mtime_ns),
                proves_content,
            }),
        }
    }

    fn file(text: &str, mtime_ns: i64) -> FoundFile {
        FoundFile {
            path: path(text),
            stat: stat(mtime_ns),
            blob: None,
        }
    }

    fn rules(max_file_bytes: u64, recheck: bool) -> RowComparison<'static> {
        static NONE: LazyLock<HashSet<RepoPath>> = LazyLock::new(HashSet::new);
        RowComparison {
            max_file_bytes,
            recheck,
            doubted: &NONE,
        }
    }

    fn between(rows: Vec<FileRow>, files: Vec<FoundFile>) -> (Vec<String>, Vec<String>) {
        let plan = Plan::between(&Arc::new(rows), files, &rules(10, false), &mut |_| false);
        (
            plan.remove.iter().map(ToString::to_string).collect(),
            plan.replace.iter().map(|c| c.path.to_string()).collect(),
        )
    }

    #[test]
    fn equal_and_settled_stats_need_no_work() {
        for (mtime_ns, proves_content, n) in [(5, true, 0), (5, false, 1), (6, true, 1)] {
            let rows = vec![row("a.ts", 5, proves_content)];
            assert_eq!(between(rows, vec![file("a.ts", mtime_ns)]).1.len(), n);
        }
    }

    #[test]
    fn a_doubted_file_is_read_although_its_stat_is_equal() {
        let rows = Arc::new(vec![row("a.ts", 5, true), row("b.ts", 5, true)]);
        let doubted = HashSet::from([path("b.ts"), path("gone.ts")]);
        let rules = RowComparison {
            doubted: &doubted,
            ..rules(10, false)
        };
        let files = vec![file("a.ts", 5), file("b.ts", 5)];
        let plan = Plan::between(&rows, files, &rules, &mut |_| false);
        let read: Vec<_> = plan
            .replace
            .iter()
            .map(|c| (c.path.as_str(), c.is_forced))
            .collect();
        assert_eq!(read, [("b.ts", false)]);
    }

    #[test]
    fn what_is_gone_is_removed_and_what_is_new_is_read_newest_first() {
        let rows = vec![
            row("a.ts", 1, true),
            row("b.ts", 1, true),
            row("d.ts", 1, true),
        ];
        let files = vec![file("a.ts", 1), file("c.ts", 3), file("e.ts", 9)];
        let (remove, replace) = between(rows, files);
        assert_eq!(remove, ["b.ts", "d.ts"]);
        assert_eq!(replace, ["e.ts", "c.ts"]);
    }

    #[test]
    fn what_was_asked_for_is_read_before_what_is_newer() {
        let files =
            ["a.ts", "b.ts", "c.ts", "d.ts"].map(|name| file(name, i64::from(name.as_bytes()[0])));
        let mut plan = Plan::between(
            &Arc::default(),
            files.into(),
            &rules(10, false),
            &mut |_| false,
        );
        plan.put_first(&["a.ts", "b.ts", "gone.ts"].into_iter().map(path).collect());
        let order: Vec<_> = plan.replace.iter().map(|c| c.path.as_str()).collect();
        assert_eq!(order, ["b.ts", "a.ts", "d.ts", "c.ts"]);
    }

    #[test]
    fn another_version_of_the_extractor_reads_everything_again() {
        let mut old = row("a.ts", 1, true);
        old.facts_version -= 1;
        assert_eq!(between(vec![old], vec![file("a.ts", 1)]).1, ["a.ts"]);
    }

    #[test]
    fn another_limit_reads_those_again_that_it_concerns() {
        let rows = || {
            let mut large = row("b.ts", 1, true);
            large.skip = Some(SkipReason::TooLarge);
            vec![row("a.ts", 1, true), large]
        };
        let replaced = |max_file_bytes| -> Vec<String> {
            let files = vec![file("a.ts", 1), file("b.ts", 1)];
            let rows = Arc::new(rows());
            let plan = Plan::between(&rows, files, &rules(max_file_bytes, false), &mut |_| false);
            plan.replace.iter().map(|c| c.path.to_string()).collect()
        };
        assert_eq!(replaced(0), ["a.ts"]);
        assert_eq!(replaced(1), ["b.ts"]);
    }

    #[test]
    fn an_attribute_that_changed_reads_the_file_again() {
        let plan = Plan::between(
            &Arc::new(vec![row("a.ts", 1, true)]),
            vec![file("a.ts", 1)],
            &rules(10, true),
            &mut |_| true,
        );
        assert!(plan.replace[0].has_generated_attribute && plan.replace[0].is_forced);
    }
}

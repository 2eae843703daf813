//! Judging a record on the work tree: its items, its verdict, and the signs for and against it.

use std::cell::OnceCell;

use super::super::View;
use super::super::disk::Disk;
use super::items::{self, Loaded};
use crate::error::Result;
use crate::lifecycle::anchor::AnchorState;
use crate::lifecycle::verdict::{HeadRelation, Verdict, Verification};
use crate::model::sanitize::one_line;
use crate::model::{CommitId, ContentId, FreshnessState, RepoPath};
use crate::store::memory::WrittenBy;
use crate::store::{RecordStore, SavedItem, SavedRecord};

/// Commits that are counted back.
const MAX_COMMITS: usize = 1_000;

/// Anchors that are named in warnings.
const MAX_NAMED: usize = 5;

/// The longest file of the uncommitted ones that is compared.
const MAX_DIRTY_BYTES: u64 = 64 << 20;

/// A record with its items where they are now.
#[derive(Clone, Debug)]
pub struct JudgedRecord {
    /// The record.
    pub record: SavedRecord,
    /// Whether it holds.
    pub verdict: Verdict,
    /// How its test stands behind it.
    pub verification: String,
    /// Why it may apply.
    pub signals: Vec<String>,
    /// Why it may not.
    pub warnings: Vec<String>,
    /// Its items.
    pub items: Vec<Loaded>,
    /// Whether it, and the failure that it repairs, were written here or approved.
    pub approved: bool,
    /// The `uid` of the failure that it repairs.
    pub fixes: Option<String>,
    /// The fixes of a failure, the newest first.
    pub fixed_by: Vec<SavedRecord>,
    /// The share of the question that it holds.
    pub score: Option<f64>,
}

/// The judge of one call: the work tree is looked at once.
pub(super) struct Judge<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) disk: Disk<'a>,
    pub(super) store: &'a RecordStore,
    state: OnceCell<TreeState>,
}

/// The state of the work tree: the tree of its commit, and the digest of the changes; `None` where it can't be told.
type TreeState = Option<(Option<String>, Option<ContentId>)>;

impl<'a> Judge<'a> {
    pub(super) fn new(view: &'a View<'a>, store: &'a RecordStore) -> Self {
        Self {
            view,
            disk: Disk::of(view),
            store,
            state: OnceCell::new(),
        }
    }

    /// Returns the verdict on a record from its items alone.
    pub(super) fn verdict(
        &self,
        record: &SavedRecord,
        items: &[SavedItem],
    ) -> (Verdict, Vec<Loaded>) {
        let items: Vec<Loaded> = items
            .iter()
            .map(|item| items::loaded(&self.disk, item))
            .collect();
        let states: Vec<AnchorState> = items.iter().map(|item| item.found.state).collect();
        let mut verdict = Verdict::of(&states, record.superseded_by.is_some());
        // In an index that is not complete the moved item may not have been seen.
        let is_fresh = self.view.freshness.state == FreshnessState::Fresh;
        let is_missing = states.contains(&AnchorState::Missing);
        if verdict == Verdict::Stale && record.superseded_by.is_none() && is_missing && !is_fresh {
            verdict = Verdict::Check;
        }
        (verdict, items)
    }

    /// Returns whether a record, and the failure that it repairs, were written here or approved.
    pub(super) fn is_approved(&self, record: &SavedRecord) -> Result<bool> {
        let failure = record.fixes.map(|id| self.store.with_id(id)).transpose()?;
        Ok(record.approved && failure.flatten().is_none_or(|failure| failure.approved))
    }

    /// Judges a record. `words` are those of the question that it holds.
    pub(super) fn judge(&self, record: &SavedRecord, words: &[String]) -> Result<JudgedRecord> {
        let (verdict, items) = self.verdict(record, &self.store.items(record.id)?);
        let approved = self.is_approved(record)?;
        let verification = self.verification(record, &items);
        let commit = record
            .seen
            .as_ref()
            .and_then(|seen| seen.head_sha.as_deref());
        let (mut signals, mut warnings) = (Vec::new(), Vec::new());
        let of_state = |wanted: &[AnchorState]| -> Vec<&Loaded> {
            let has_state = |item: &&Loaded| wanted.contains(&item.found.state);
            items.iter().filter(has_state).collect()
        };
        if !items.is_empty() {
            let n_same = of_state(&[AnchorState::Same, AnchorState::Moved]).len();
            signals.push(format!("anchors {n_same}/{} same", items.len()));
        }
        for (state, words) in [
            (AnchorState::Changed, "anchor changed"),
            (AnchorState::Missing, "anchor missing"),
        ] {
            for item in of_state(&[state]).into_iter().take(MAX_NAMED) {
                let lines = item
                    .found
                    .lines
                    .map_or(String::new(), |(from, to)| format!(":{from}-{to}"));
                warnings.push(format!("{words}: {}{lines}", item.found.path));
            }
        }
        self.compare_heads(record, &mut signals, &mut warnings)?;
        if !words.is_empty() {
            signals.push(format!("words: {}", words.join(", ")));
        }
        match verification {
            Verification::Verified => signals.push("verified on this tree".to_owned()),
            Verification::Claimed => warnings.push("claimed, not verified".to_owned()),
            _ => {}
        }
        if let Some(by) = record.superseded_by {
            let by = self.store.with_id(by)?;
            let by = by.map_or_else(String::new, |by| format!(" by {}", by.uid));
            warnings.push(format!("superseded{by}"));
        }
        if !approved {
            warnings.push("imported, not approved".to_owned());
        }
        let failure = record.fixes.map(|id| self.store.with_id(id)).transpose()?;
        Ok(JudgedRecord {
            verdict,
            verification: verification.words(commit),
            signals,
            warnings,
            items,
            approved,
            fixes: failure.flatten().map(|failure| failure.uid),
            fixed_by: self.store.fixes_of(record.id)?,
            score: None,
            record: record.clone(),
        })
    }

    fn compare_heads(
        &self,
        record: &SavedRecord,
        signals: &mut Vec<String>,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let snapshot = self.view.repo.snapshot()?;
        if record.branch.is_some() && record.branch.as_deref() == snapshot.branch.name() {
            signals.push("recorded on this branch".to_owned());
        }
        match self.head_relation(record, snapshot.head.as_ref()) {
            HeadRelation::Ancestor(n) => {
                let n = n.map_or_else(|| format!("over {MAX_COMMITS}"), |n| n.to_string());
                let s = if n == "1" { "" } else { "s" };
                signals.push(format!("recorded {n} commit{s} ago"));
            }
            HeadRelation::Diverged => {
                let branch = record.branch.as_deref().map(one_line);
                let branch = branch.as_deref().unwrap_or("no branch");
                warnings.push(format!("recorded on {branch}, diverged"));
            }
            HeadRelation::Gone => warnings.push("commit is gone".to_owned()),
            HeadRelation::Same | HeadRelation::Descendant | HeadRelation::Unborn => {}
        }
        Ok(())
    }

    fn head_relation(&self, record: &SavedRecord, head: Option<&CommitId>) -> HeadRelation {
        let then = record.head_sha.as_deref();
        let (Some(then), Some(head)) = (then, head) else {
            return HeadRelation::Unborn;
        };
        let repo = self.view.repo;
        let Some(then) = CommitId::new(then).filter(|then| repo.has_commit(then)) else {
            return HeadRelation::Gone;
        };
        if then == *head {
            return HeadRelation::Same;
        }
        match repo.merge_base(&then, head) {
            Some(base) if base == then => {
                HeadRelation::Ancestor(repo.n_commits_between(&then, head, MAX_COMMITS))
            }
            Some(base) if base == *head => HeadRelation::Descendant,
            _ => HeadRelation::Diverged,
        }
    }

    fn verification(&self, record: &SavedRecord, items: &[Loaded]) -> Verification {
        let Some(seen) = &record.seen else {
            let claims = record.test.as_ref().and_then(|test| test.passed);
            return match claims {
                Some(true) => Verification::Claimed,
                _ => Verification::None,
            };
        };
        if seen.exit_code != 0 {
            return Verification::Failed;
        }
        let is_same =
            |item: &Loaded| matches!(item.found.state, AnchorState::Same | AnchorState::Moved);
        if seen.anchored && !items.is_empty() && items.iter().all(is_same) {
            return Verification::Verified;
        }
        let state = self.state.get_or_init(|| self.view.tree_state());
        match state {
            Some((tree, dirty)) if *tree == seen.tree && *dirty == seen.dirty => {
                Verification::Verified
            }
            _ => Verification::Changed,
        }
    }
}

impl View<'_> {
    /// Returns a record with its items where they are now.
    pub(super) fn judged(&self, record: &SavedRecord) -> Result<JudgedRecord> {
        let store = self.existing_records()?;
        let store = store.ok_or_else(|| super::unknown(&record.uid, &[]))?;
        Judge::new(self, &store)
            .judge(record, &[])
            .map_err(|error| super::of_records_or_index(error, &store))
    }

    /// Returns the root tree of the work tree, and the digest of the uncommitted changes, `None` where there are none;
    /// `None` where the changes could not be listed.
    pub(super) fn tree_state(&self) -> TreeState {
        let head = self.repo.snapshot().ok()?.head;
        let tree = head.as_ref().and_then(|head| self.repo.root_tree(head));
        let dirty = self.repo.dirty(self.budget).ok()?;
        if !dirty.complete {
            return None;
        }
        let mut text = Vec::new();
        for path in &dirty.paths {
            text.extend(path.as_str().as_bytes());
            text.push(0);
            text.extend(self.digest_of(path).as_bytes());
            text.push(0);
        }
        let is_clean = dirty.paths.is_empty();
        Some((tree, (!is_clean).then(|| ContentId::of(&text))))
    }

    fn digest_of(&self, path: &RepoPath) -> String {
        match self.repo.source().read(path, MAX_DIRTY_BYTES) {
            Ok(read) => ContentId::of(&read.bytes).to_string(),
            Err(_) => "gone".to_owned(),
        }
    }
}

impl JudgedRecord {
    /// Returns who wrote it, as answers say it.
    pub fn by(&self) -> WrittenBy {
        self.record.by
    }
}

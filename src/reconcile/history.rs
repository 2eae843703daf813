//! The rows of past commits: the newest that can be reached from the index's own commit, kept by set
//! difference.
//!
//! Which commits these are depends on that commit and on where the clone is cut off, on nothing else. They come after
//! files and links, never make an answer partial, and count only when all are there.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use super::ReconcileError;
use crate::git::{CommitRecord, History, Repo};
use crate::model::{Budget, CommitId, CommitLinks, PastCommitId};
use crate::store::history::{UNFINISHED, WITHOUT_NAMES, is_whole};
use crate::store::{CommitRow, Index, NewCommit, token};

/// How many commits are kept, merges included.
const MAX_COMMITS: usize = 2_000;

/// A commit that touched more files is about none of them.
const MAX_FILES: u32 = 30;

/// Commits in one transaction.
const BATCH_COMMITS: usize = 200;

/// From how many commits without a row on a reader is opened that gives the memory of object files back meanwhile.
const MANY_COMMITS: usize = 64;

/// Paths that are read ahead; further ones are read when they are written.
const MAX_PATHS_AHEAD: usize = 20_000;

/// Commits walked between two looks at the clock.
const CLOCK_STEP: usize = 64;

/// Returns whether the rows, of which `noted` is said, are the whole history of the index's commit.
pub(super) fn is_current(repo: &Repo, index: &Index, noted: &str) -> bool {
    // The mailmap is that of the commit, so it is the same where the commit is.
    let key = key(index, &repo.history().shallow_boundary());
    match noted.rsplit_once(' ') {
        Some((noted, mailmap)) => noted == key && mailmap != WITHOUT_NAMES,
        None => false,
    }
}

/// The history of a commit where no row is known of it, and where the clone was cut off then.
pub(super) struct Prefetched {
    border: String,
    wanted: HashMap<CommitId, CommitLinks>,
    records: HashMap<CommitId, CommitRecord>,
}

/// Reads the history of `head` for [`keep`], while files are read and linked; `None` where the budget ended, or it
/// is of no use any more. At most some MB beside the cache of objects.
pub(super) fn prefetch(
    mut history: History,
    head: Option<&CommitId>,
    budget: &Budget,
    is_useless: &AtomicBool,
) -> Option<Prefetched> {
    let wanted = newest(head.cloned(), MAX_COMMITS, |id| history.links(id), budget)?;
    history.use_mailmap_of(head);
    let mut records = HashMap::new();
    let mut n_paths = 0;
    for (id, _) in in_order(wanted.iter()) {
        if budget.is_spent() || is_useless.load(Ordering::Relaxed) {
            return None;
        }
        let record = history.record(id);
        n_paths += record.touched.len() + record.renamed.len();
        records.insert(id.clone(), record);
        if n_paths > MAX_PATHS_AHEAD {
            break;
        }
    }
    Some(Prefetched {
        border: history.shallow_boundary(),
        wanted,
        records,
    })
}

/// Brings the rows towards the history of the index's commit, until they are it or the budget is spent.
/// Returns whether they are. A commit that has a row costs about 1 µs, one that has none and was not read ahead
/// about 100.
pub(super) fn keep(
    repo: &Repo,
    index: &mut Index,
    ahead: Option<Prefetched>,
    budget: &Budget,
) -> Result<bool, ReconcileError> {
    let mut history = repo.history();
    let border = history.shallow_boundary();
    let ahead = ahead.filter(|ahead| ahead.border == border);
    let head = index.pointer().head();
    let mailmap = history.use_mailmap_of(head.as_ref());
    let key = format!("{} {mailmap}", key(index, &border));
    let (rows, noted) = {
        let read = index.read()?;
        let noted = read.meta().history.clone();
        if noted == key {
            return Ok(true);
        }
        (read.commits()?, noted)
    };
    let known: HashMap<&CommitId, &CommitRow> = rows.iter().map(|row| (&row.commit, row)).collect();
    // Where the clone is cut off somewhere else, no row tells the parents.
    let mut words = noted.split(' ');
    let is_same_clone = words.nth(1).is_some_and(|at| at == border);
    let is_same_mailmap = words.next().is_some_and(|it| it == mailmap) && words.next().is_none();
    let links = |id: &CommitId| match known.get(id) {
        Some(row) if is_same_clone => Some(row.links.clone()),
        _ => history.links(id),
    };
    let (wanted, mut records) = match ahead {
        Some(ahead) => (ahead.wanted, ahead.records),
        None => match newest(head, MAX_COMMITS, links, budget) {
            Some(wanted) => (wanted, HashMap::new()),
            None => return Ok(false),
        },
    };
    let stays = |row: &CommitRow| wanted.get(&row.commit) == Some(&row.links);
    let mut gone: Vec<PastCommitId> = rows
        .iter()
        .filter(|row| !stays(row))
        .map(|row| row.id)
        .collect();
    let mut renamed: Vec<&CommitRow> = rows
        .iter()
        .filter(|row| !is_same_mailmap && stays(row))
        .collect();
    let is_new = |id: &CommitId| !known.get(id).is_some_and(|row| stays(row));
    // In one order, so that two builds of one history are alike to the byte.
    let new = in_order(wanted.iter().filter(|(id, _)| is_new(id)));
    if new.len() > MANY_COMMITS {
        history = repo.open_history();
        history.use_mailmap_of(index.pointer().head().as_ref());
    }
    let mut new = new.into_iter().peekable();
    let mut counted = is_whole(&noted);
    loop {
        // Read before the transaction begins, so that it is short.
        let mut batch = Vec::new();
        while batch.len() < BATCH_COMMITS && !budget.is_spent() {
            let Some((id, links)) = new.next() else { break };
            let record = records.remove(id);
            let record = record.unwrap_or_else(|| history.record(id));
            batch.push((id, links, record));
        }
        let is_last = new.peek().is_none();
        let mut writer = index.writer()?;
        let has_gone = !gone.is_empty();
        for row in gone.drain(..) {
            writer.remove_commit(row)?;
        }
        for row in renamed.drain(..) {
            writer.set_author(row.id, &history.author(&row.commit))?;
        }
        for (id, links, record) in &batch {
            let mut words = String::new();
            token::index_text(&record.message, &mut words);
            writer.add_commit(&NewCommit {
                commit: id,
                links,
                words: &words,
                author: &record.author,
                subject: &record.subject,
                is_fix: record.is_fix,
                n_changed: record.n_changed,
                touched: &record.touched,
                is_weighted: record.n_changed.is_some_and(|n| n <= MAX_FILES),
                renamed: &record.renamed,
            })?;
        }
        if has_gone {
            writer.forget_past_paths()?;
        }
        let unfinished = format!("{UNFINISHED} {border} {mailmap}");
        writer.set_history(if is_last { &key } else { &unfinished })?;
        // Possible answers change when the rows begin to change, and when they are whole.
        writer.commit(is_last || counted)?;
        counted = false;
        if is_last || budget.is_spent() {
            return Ok(is_last);
        }
    }
}

/// Returns at most `n` commits that can be reached from `head`, the newest first by time, then by
/// identifier, with their links; `None` where the budget ended.
fn newest(
    head: Option<CommitId>,
    n: usize,
    links: impl Fn(&CommitId) -> Option<CommitLinks>,
    budget: &Budget,
) -> Option<HashMap<CommitId, CommitLinks>> {
    let mut found = HashMap::new();
    let mut seen: HashSet<CommitId> = head.iter().cloned().collect();
    let mut waiting = BinaryHeap::new();
    let push = |id: CommitId, waiting: &mut BinaryHeap<_>| {
        if let Some(links) = links(&id) {
            waiting.push((links.time_s, Reverse(id), links.parents));
        }
    };
    if let Some(id) = head {
        push(id, &mut waiting);
    }
    while let Some((time_s, Reverse(id), parents)) = waiting.pop() {
        if found.len() % CLOCK_STEP == 0 && budget.is_spent() {
            return None;
        }
        for parent in &parents {
            if seen.insert(parent.clone()) {
                push(parent.clone(), &mut waiting);
            }
        }
        found.insert(id, CommitLinks { time_s, parents });
        if found.len() >= n {
            break;
        }
    }
    Some(found)
}

/// Returns commits with the newest first, of equal times by identifier.
fn in_order<'a>(
    commits: impl Iterator<Item = (&'a CommitId, &'a CommitLinks)>,
) -> Vec<(&'a CommitId, &'a CommitLinks)> {
    let mut ordered: Vec<_> = commits.collect();
    ordered.sort_unstable_by(|a, b| (b.1.time_s, a.0).cmp(&(a.1.time_s, b.0)));
    ordered
}

/// Returns the key that is noted when the rows are the whole history, without the mailmap: the commit, and the shallow boundary.
fn key(index: &Index, border: &str) -> String {
    let head = index.pointer().head();
    let head = head.as_ref().map_or("unborn", CommitId::as_str);
    format!("{head} {border}")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use super::newest;
    use crate::model::{Budget, CommitId, CommitLinks};

    fn id(n: u8) -> CommitId {
        CommitId::from_bytes(&[n; 20]).unwrap()
    }

    /// Commits as (number, time, parents); returns the numbers of the newest.
    fn check(commits: &[(u8, i64, &[u8])], head: u8, n: usize) -> Vec<u8> {
        let all: HashMap<CommitId, CommitLinks> = commits
            .iter()
            .map(|(n, time_s, parents)| {
                let parents = parents.iter().copied().map(id).collect();
                let time_s = *time_s;
                (id(*n), CommitLinks { time_s, parents })
            })
            .collect();
        let budget = Budget::unlimited(Arc::default());
        let links = |id: &CommitId| all.get(id).cloned();
        let found = newest(Some(id(head)), n, links, &budget).unwrap();
        let mut numbers: Vec<u8> = found.keys().map(|id| id.to_bytes()[0]).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn the_newest_commits_are_those_of_this_head_alone() {
        let graph: &[(u8, i64, &[u8])] = &[
            (1, 10, &[]),
            (2, 20, &[1]),
            (3, 30, &[1]),
            (4, 40, &[2, 3]),
            (5, 50, &[2]),
        ];
        assert_eq!(check(graph, 4, 9), [1, 2, 3, 4]);
        assert_eq!(check(graph, 4, 2), [3, 4]);
        assert_eq!(check(graph, 5, 9), [1, 2, 5]);
    }

    #[test]
    fn of_equal_times_the_identifier_decides_and_what_is_missing_is_passed_over() {
        let graph: &[(u8, i64, &[u8])] = &[(4, 40, &[3, 2, 9]), (3, 30, &[]), (2, 30, &[])];
        assert_eq!(check(graph, 4, 2), [2, 4]);
        assert_eq!(check(graph, 4, 9), [2, 3, 4]);
        assert!(check(graph, 7, 9).is_empty());
    }
}

//! Verifies an imported bundle: extracts its files again and compares the result with its index.
//!
//! Tests that a saved record names are run by `memory::test_runs`.

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::git::{CommitFiles, Repo};
use crate::model::indexing_rules::MAX_FILE_BYTES;
use crate::model::{Budget, CommitId, ContentId, SkipReason};
use crate::reconcile::{OnProgress, prepare};
use crate::store::bundle::first_difference;
use crate::store::{FileRow, Index, PreparedFile, StoreError, StoreResult};

/// Files in one transaction.
const BATCH_FILES: usize = 64;

/// Makes an index of the files of `theirs` from their bytes, which come from the work tree or the commit, and
/// compares the two. Returns the new one, without edges and past commits, and how many files are not in it since
/// their bytes could not be had. On failure the new build is deleted.
///
/// # Errors
/// `invalid_argument` where `theirs` says something else of a file, and where the clone does not have the commit.
pub(super) fn rebuild_and_compare(
    repo: &Repo,
    commit: &CommitId,
    theirs: &Index,
    create: impl FnOnce() -> StoreResult<Index>,
    budget: &Budget,
    on_files: OnProgress<'_>,
) -> Result<(Index, u64)> {
    let Some(mut files) = repo.files_of(commit)? else {
        return Err(Error::invalid(
            "the bundle's commit is not in this clone, so that its files cannot be verified",
            "fetch it (`git fetch`), or import without `--verify`",
        ));
    };
    let mut ours = create()?;
    match compare(repo, &mut files, theirs, &mut ours, budget, on_files) {
        Ok(n_left_out) => Ok((ours, n_left_out)),
        Err(error) => {
            let pointer = ours.pointer().clone();
            let home = ours.home().clone();
            drop(ours);
            crate::store::remove::discard(&home, &pointer);
            Err(error)
        }
    }
}

fn compare(
    repo: &Repo,
    files: &mut CommitFiles<'_>,
    theirs: &Index,
    ours: &mut Index,
    budget: &Budget,
    on_files: OnProgress<'_>,
) -> Result<u64> {
    let theirs = theirs.read()?;
    let rows = theirs.all_files()?;
    let total = rows.len() as u64;
    let mut left_out = HashSet::new();
    for (n, batch) in rows.chunks(BATCH_FILES).enumerate() {
        let mut known = Vec::new();
        for row in batch {
            match bytes_of(repo, files, row) {
                Some(bytes) => known.push((row, bytes)),
                None => drop(left_out.insert(row.path.to_string())),
            }
        }
        let mut writer = ours.writer()?;
        for file in extract(known, budget) {
            match file {
                Some(file) => writer.replace_file(&file)?,
                None => return Err(Error::cancelled()),
            }
        }
        writer.commit(true)?;
        on_files(((n * BATCH_FILES + batch.len()) as u64).min(total), total);
    }
    let found = first_difference(&theirs, &ours.read()?, &|path| left_out.contains(path))?;
    if let Some(path) = found {
        let what = format!("what it says of {path:?} is not what the file says");
        return Err(StoreError::Bundle { what }.into());
    }
    ours.checkpoint(true);
    Ok(left_out.len() as u64)
}

/// Returns the bytes that a row is about; `None` where they are nowhere here, and for a file that was never read.
fn bytes_of(repo: &Repo, files: &mut CommitFiles<'_>, row: &FileRow) -> Option<Vec<u8>> {
    let is_read = !matches!(
        row.skip,
        Some(SkipReason::TooLarge | SkipReason::Unreadable | SkipReason::Secret)
    );
    let is_it = |bytes: &Vec<u8>| ContentId::of(bytes) == row.content;
    let on_disk = || {
        let read = repo.source().read(&row.path, MAX_FILE_BYTES).ok()?;
        Some(read.bytes).filter(is_it)
    };
    let committed = || files.read(&row.path, MAX_FILE_BYTES).ok().filter(is_it);
    is_read.then(|| on_disk().or_else(committed))?
}

/// Extracts files on all cores; `None` for each that the end of the budget left.
fn extract(files: Vec<(&FileRow, Vec<u8>)>, budget: &Budget) -> Vec<Option<PreparedFile>> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let each = files.len().div_ceil(cores.clamp(1, 8)).max(1);
    let mut parts: Vec<Vec<_>> = Vec::new();
    for file in files {
        match parts.last_mut().filter(|part| part.len() < each) {
            Some(part) => part.push(file),
            None => parts.push(vec![file]),
        }
    }
    let work = |part: Vec<(&FileRow, Vec<u8>)>| {
        part.into_iter()
            .map(|(row, bytes)| {
                prepare::of_bytes(&row.path, bytes, row.has_generated_attribute, budget)
            })
            .collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts
            .into_iter()
            .map(|part| scope.spawn(|| work(part)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("extraction does not panic"))
            .collect()
    })
}

//! The files of the work tree as they are now, or of a commit, for `lines` to search.

use crate::git::{FileRead, ReadError, Source};
use crate::lines::{Bytes, LineSource, Searched};
use crate::model::indexing_rules::{MAX_FILE_BYTES, is_secret_name, skip_reason};
use crate::model::{FreshnessState, RepoPath, SkipReason};
use crate::reconcile::prepare::decode;
use crate::syntax;

use super::View;
use crate::error::Result;

/// The work tree or the commit, read by many threads.
struct DiskFiles(Source);

impl View<'_> {
    /// Returns the text of the files as they are now.
    pub fn text_now(&self) -> impl LineSource + use<> {
        DiskFiles(self.repo.source().clone())
    }

    /// Returns the files of the work tree that pass a test, sorted by path: those of the index, and those that are known
    /// to be missing in it. `is_named` tells which of them the caller named.
    pub fn files_to_search(
        &self,
        fits: impl Fn(&RepoPath) -> bool,
        is_named: impl Fn(&RepoPath) -> bool,
    ) -> Result<Vec<Searched>> {
        let is_proved = self.freshness.state == FreshnessState::Fresh;
        let rows = self.read.file_rows()?;
        let indexed = rows.iter().filter(|row| fits(&row.path));
        let mut files: Vec<Searched> = indexed
            .map(|row| Searched {
                has_generated_attribute: row.has_generated_attribute,
                is_named: is_named(&row.path),
                skip: is_proved.then_some(row.skip),
                path: row.path.clone(),
            })
            .collect();
        let pending = self.freshness.pending.iter().filter(|path| fits(path));
        files.extend(pending.map(|path| Searched {
            has_generated_attribute: false,
            is_named: is_named(path),
            skip: None,
            path: path.clone(),
        }));
        // Of two entries the one of the index stays, which knows attributes.
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|later, first| later.path == first.path);
        Ok(files)
    }
}

impl LineSource for DiskFiles {
    fn read(&self, file: &Searched) -> std::result::Result<Bytes, Option<SkipReason>> {
        if is_secret_name(&file.path) {
            return Err(Some(SkipReason::Secret));
        }
        let read = || {
            self.0
                .read(&file.path, MAX_FILE_BYTES)
                .map_err(|error| reason(&error))
        };
        let mut found = read()?;
        if !found.stable {
            // Somebody wrote while it was read.
            found = read()?;
        }
        let FileRead { bytes, .. } = found;
        let skip = file.skip.unwrap_or_else(|| {
            let is_prose = syntax::by_path(&file.path).is_prose;
            skip_reason(&file.path, &bytes, file.has_generated_attribute, is_prose)
        });
        Ok(Bytes { bytes, skip })
    }

    fn decode(&self, bytes: &[u8]) -> String {
        decode(bytes)
    }
}

fn reason(error: &ReadError) -> Option<SkipReason> {
    match error {
        ReadError::NoBlob => Some(SkipReason::MissingBlob),
        ReadError::TooLarge { .. } => Some(SkipReason::TooLarge),
        ReadError::Io(_) => Some(SkipReason::Unreadable),
        ReadError::Missing | ReadError::NotAFile | ReadError::Outside => None,
    }
}

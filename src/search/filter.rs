//! Which files and chunks a search may find.

use super::path_filter::PathFilter;
use super::{ContentType, Filters, is_prose};
use crate::model::hash::HashSet;
use crate::model::{ChunkId, FileId};
use crate::store::{FileRow, Read, StoreResult};

/// Which chunks may be found.
pub(super) struct ChunkFilter(Option<HashSet<ChunkId>>);

impl ChunkFilter {
    /// The chunks of the files that pass the filters; `None` where no file does.
    pub(super) fn of(read: &Read<'_>, filters: &Filters) -> StoreResult<Option<Self>> {
        if *filters == Filters::default() {
            return Ok(Some(Self(None)));
        }
        let fits = FileFilter::of(read, filters)?;
        let under = read.files_under("")?;
        let files: Vec<FileId> = under
            .iter()
            .filter(|file| fits.has(file))
            .map(|file| file.id)
            .collect();
        if files.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self(Some(read.chunks_of(&files)?))))
    }

    /// Every chunk.
    #[cfg(test)]
    pub(super) fn all() -> Self {
        Self(None)
    }

    pub(super) fn has(&self, chunk: ChunkId) -> bool {
        self.0.as_ref().is_none_or(|chunks| chunks.contains(&chunk))
    }
}

/// The test of a file by the filters.
pub(super) struct FileFilter {
    paths: PathFilter,
    /// Those of the language that is asked for, where one is.
    in_language: Option<HashSet<FileId>>,
}

impl FileFilter {
    pub(super) fn of(read: &Read<'_>, filters: &Filters) -> StoreResult<Self> {
        let is_asked = filters.content_type.is_some() || filters.language.is_some();
        let fits = |language: &str| {
            let is_kind = filters
                .content_type
                .is_none_or(|kind| (kind == ContentType::Prose) == is_prose(language));
            let wanted = filters.language.as_ref();
            is_kind && wanted.is_none_or(|wanted| wanted.eq_ignore_ascii_case(language))
        };
        Ok(Self {
            paths: PathFilter::new(&filters.paths),
            in_language: is_asked.then(|| read.files_in(fits)).transpose()?,
        })
    }

    pub(super) fn has(&self, file: &FileRow) -> bool {
        let fits = self.in_language.as_ref();
        fits.is_none_or(|files| files.contains(&file.id)) && self.paths.has(file.path.as_str())
    }
}

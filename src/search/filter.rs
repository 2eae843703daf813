//! Which files and chunks a search may find.

use globset::GlobBuilder;

use super::{ContentType, Filters, is_prose};
use crate::model::hash::HashSet;
use crate::model::path::is_at_or_below;
use crate::store::{FileRow, Read, StoreResult};

/// Which chunks may be found.
pub(super) struct Allowed(Option<HashSet<i64>>);

impl Allowed {
    /// Returns the files that the filters leave; `None` where they leave none.
    pub(super) fn of(read: &Read<'_>, filters: &Filters) -> StoreResult<Option<Self>> {
        if *filters == Filters::default() {
            return Ok(Some(Self(None)));
        }
        let fits = Fits::of(read, filters)?;
        let under = read.files_under("")?;
        let files: Vec<i64> = under
            .iter()
            .filter(|file| fits.has(file))
            .map(|file| file.id)
            .collect();
        if files.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self(Some(read.chunks_of(&files)?))))
    }

    pub(super) fn has(&self, chunk: i64) -> bool {
        self.0.as_ref().is_none_or(|chunks| chunks.contains(&chunk))
    }
}

/// The test of a file by the filters.
pub(super) struct Fits {
    path: Box<dyn Fn(&str) -> bool>,
    /// Those of the language that is asked for, where one is.
    in_language: Option<HashSet<i64>>,
}

impl Fits {
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
            path: Box::new(path_filter(filters.path.as_deref())),
            in_language: is_asked.then(|| read.files_in(fits)).transpose()?,
        })
    }

    pub(super) fn has(&self, file: &FileRow) -> bool {
        let fits = self.in_language.as_ref();
        fits.is_none_or(|files| files.contains(&file.id)) && (self.path)(file.path.as_str())
    }
}

/// Returns the test for a path: a glob where it has one of its marks, else a directory or file.
fn path_filter(text: Option<&str>) -> impl Fn(&str) -> bool + use<> {
    let wanted = text.map(|text| {
        let text = text.trim_start_matches("./").trim_matches('/').to_owned();
        // As in an ignore file, a pattern without `/` is about names, at any depth.
        let pattern = if text.contains('/') {
            text.clone()
        } else {
            format!("**/{text}")
        };
        let glob = text
            .contains(['*', '?', '[', '{'])
            .then(|| {
                let mut builder = GlobBuilder::new(&pattern);
                builder.literal_separator(true).build().ok()
            })
            .flatten()
            .map(|glob| glob.compile_matcher());
        (text, glob)
    });
    move |path| match &wanted {
        None => true,
        Some((text, _)) if text.is_empty() => true,
        // A pattern that matches a directory matches its content.
        Some((_, Some(glob))) => {
            let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
            glob.is_match(path) || ends.into_iter().any(|directory| glob.is_match(directory))
        }
        Some((text, None)) => is_at_or_below(path, text),
    }
}

#[cfg(test)]
mod tests {
    use super::path_filter;

    #[test]
    fn a_path_filter_is_a_directory_a_file_or_a_glob() {
        let fits = |text, path| path_filter(Some(text))(path);
        assert!(
            fits("src", "src/a.ts") && fits("./src/", "src/a.ts") && fits("src/a.ts", "src/a.ts")
        );
        assert!(!fits("src", "srcs/a.ts") && !fits("rc", "src/a.ts"));
        assert!(fits("src/*.ts", "src/a.ts") && !fits("src/*.ts", "src/b/a.ts"));
        assert!(fits("*.ts", "src/b/a.ts") && fits("packages/*/src", "packages/a/src/b.ts"));
        assert!(fits("**/*.ts", "src/b/a.ts") && fits("src/**", "src/b/a.ts"));
        assert!(
            !fits("src/[", "src/a.ts"),
            "a broken glob is a name that no file has"
        );
        assert!(path_filter(None)("anything"));
    }
}

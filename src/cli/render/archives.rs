//! Archives as text.

use super::text::{bytes, plural};
use crate::cli::screen::visible;
use crate::workspace::{AddedArchive, StoredArchive};

/// Returns the result of adding an archive.
pub(in crate::cli) fn added_archive(added: &AddedArchive) -> String {
    let stored = &added.stored;
    let (name, repo) = (visible(&stored.name), visible(&stored.repo()).into_owned());
    if added.was_known {
        return format!("{name} has this version already\nnext: codelens map --repo {repo}\n");
    }
    let left_out = match added.n_unnamed {
        0 => String::new(),
        n => format!(
            "; {} left out, whose names are not UTF-8",
            plural(n, "file")
        ),
    };
    let next = if stored.n_versions > 1 {
        format!("codelens changes HEAD~1 --head HEAD --repo {repo}")
    } else {
        format!("codelens map --repo {repo}")
    };
    format!(
        "added {name}, version {}: {}, {}{left_out}\nnext: {next}\n",
        stored.n_versions,
        plural(added.n_files, "file"),
        bytes(added.n_bytes)
    )
}

/// Returns a line for each archive.
pub(in crate::cli) fn archives(found: &[StoredArchive]) -> String {
    if found.is_empty() {
        return "no archives yet; `codelens archive add FILE` adds one\n".to_owned();
    }
    let line = |it: &StoredArchive| {
        let versions = plural(it.n_versions as u64, "version");
        let digest = it.digest.get(..12).unwrap_or_default();
        format!(
            "{}  {versions}, the last {}\n",
            visible(&it.repo()),
            visible(digest)
        )
    };
    found.iter().map(line).collect()
}

/// Returns the result of removing an archive.
pub(in crate::cli) fn removed_archive(name: &str) -> String {
    format!(
        "removed {}; `codelens prune` removes its indexes\n",
        visible(name)
    )
}

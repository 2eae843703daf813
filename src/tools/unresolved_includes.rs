//! Includes of C and C++ that several files fit, so that none of them is known to be meant: `#include <files.h>` beside `unix/files.h` and
//! `windows/files.h`.

use crate::error::Result;
use crate::model::{Family, RepoPath};
use crate::workspace::{ImportTarget, View, family_of};

/// Includes that a sentence names.
const MAX_NAMED: usize = 3;

/// Returns a sentence on the includes of other files that may lead to a file of C or C++ and lead to none: `May import it: 1 include that
/// several files fit (src/core.h:55).` Empty where there are none.
pub(super) fn into(view: &View<'_>, file: &RepoPath) -> Result<String> {
    if family_of(file.as_str()) != Some(Family::C) {
        return Ok(String::new());
    }
    let all = view.read.missing_imports_with(file.file_name())?;
    let fits = all.iter().filter(|it| is_end_of(&it.specifier, file));
    let mut places: Vec<String> = fits.map(|it| format!("{}:{}", it.path, it.line)).collect();
    places.dedup();
    Ok(counted("May import it", &places))
}

/// Returns a sentence on the includes of a file that lead to none of several files: `It may import more: 1 include that several files fit
/// (<files.h>).` Empty where there are none.
pub(super) fn from(view: &View<'_>, file: &RepoPath) -> Result<String> {
    if family_of(file.as_str()) != Some(Family::C) {
        return Ok(String::new());
    }
    let Some(row) = view.read.file(file.as_str())? else {
        return Ok(String::new());
    };
    let missing = view.read.imports(row.id)?.into_iter();
    let missing = missing.filter(|it| it.target == Some(ImportTarget::Missing));
    let mut named: Vec<String> = missing.map(|it| it.specifier).collect();
    named.dedup();
    let files = view.read.files_under("")?;
    named.retain(|it| files.iter().any(|file| is_end_of(it, &file.path)));
    Ok(counted("It may import more", &named))
}

fn counted(what: &str, places: &[String]) -> String {
    let n = places.len();
    if n == 0 {
        return String::new();
    }
    let word = if n == 1 { "include" } else { "includes" };
    let more = if n > MAX_NAMED { ", …" } else { "" };
    let named = places[..n.min(MAX_NAMED)].join(", ");
    format!("{what}: {n} {word} that several files fit ({named}{more}).")
}

/// Whether the path of a file ends with the text behind an `#include`.
fn is_end_of(specifier: &str, path: &RepoPath) -> bool {
    let text = specifier.trim_matches(['<', '>']);
    let end = text.trim_start_matches("../").trim_start_matches("./");
    let before = path.as_str().strip_suffix(end);
    before.is_some_and(|it| it.is_empty() || it.ends_with('/'))
}

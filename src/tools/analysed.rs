//! How much of the files that a question touches is analysed: an answer from definitions and edges says nothing of files
//! that are outlined or read as text alone.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::is_zero;
use crate::error::Result;
use crate::model::{RepoPath, SkipReason};
use crate::workspace::{Analysis, View, language, language_of};

/// The answer to a question about binary files alone.
pub(super) const BINARY: &str =
    "Binary files are indexed by their names alone; no tool here reads them.";

/// The answer to a question about secrets alone.
pub(super) const SECRET: &str =
    "Files whose names or bytes look like secrets are read by no tool here.";

/// The answer to any question where the index holds nothing.
pub(super) const EMPTY: &str = "No file of the repository is in the index.";

/// Files by how deep they are analysed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AnalysedOutput {
    /// Files with definitions and edges.
    pub(crate) full: u64,
    /// Files with definitions alone: callers are not followed.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) outline: u64,
    /// Files of code that is searched as text alone.
    pub(crate) text: u64,
    /// Languages of the latter two, with their files.
    pub(crate) languages: BTreeMap<String, u64>,
    /// The consequence for the answer.
    pub(crate) note: String,
}

impl AnalysedOutput {
    /// Returns the levels of the files at or below a path (empty: everywhere); `None` where all code there is analysed.
    /// Data and documents count only where `path` is one of them.
    pub(super) fn of(view: &View<'_>, path: &str) -> Result<Option<Self>> {
        let file = view.read.file(path)?.filter(|_| !path.is_empty());
        let is_file = file.is_some();
        let skip = file.and_then(|row| row.skip);
        let is_without_text = skip.is_some_and(|skip| !skip.keeps_text());
        let unread = skip.and_then(|skip| match skip {
            SkipReason::Binary => Some(BINARY),
            SkipReason::Secret => Some(SECRET),
            _ => None,
        });
        let mut full = 0;
        let (mut outlined, mut texts) = (BTreeMap::new(), BTreeMap::new());
        for (id, n) in view.read.languages_under(path)? {
            let Some(language) = language(&id).filter(|language| language.is_code || is_file)
            else {
                continue;
            };
            match language.analysis() {
                Analysis::Full => full += n,
                Analysis::Outline => drop(outlined.insert(id, n)),
                Analysis::Text => drop(texts.insert(id, n)),
            }
        }
        if outlined.is_empty() && texts.is_empty() {
            return Ok(None);
        }
        let consequence = if is_without_text {
            "are indexed by their names alone; `codelens grep TEXT --match literal` (`match: literal` of cl_search) finds lines of them"
        } else {
            "are searched as text only: their definitions and calls are not known; use cl_search"
        };
        let notes = [
            note(
                &outlined,
                "are outlined only: callers are not followed; use cl_search",
            ),
            note(&texts, consequence),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        let (outline, text) = (outlined.values().sum(), texts.values().sum());
        outlined.append(&mut texts);
        Ok(Some(Self {
            full,
            outline,
            text,
            languages: outlined,
            note: match unread {
                Some(why) => why.to_owned(),
                None => format!("{}.", notes.join(". ")),
            },
        }))
    }

    /// Whether so many files are not analysed in full that an answer about all of them says little without the note: one for
    /// twenty whose definitions are known.
    pub(super) fn is_telling(&self) -> bool {
        20 * (self.text + self.outline) >= self.full + self.outline
    }

    /// Returns the sentence about files whose definitions, or whose uses, are not known.
    pub(super) fn note(&self) -> &str {
        &self.note
    }
}

/// Returns how a file is analysed whose uses are not followed, in words that follow "it is"; `None` for one whose uses are.
pub(super) fn lesser_analysis(path: &RepoPath) -> Option<&'static str> {
    match language_of(path).analysis() {
        Analysis::Full => None,
        Analysis::Outline => Some("outlined only"),
        Analysis::Text => Some("searched as text only"),
    }
}

/// Whether the definitions of a file are known and their uses are not.
pub(super) fn is_outlined(path: &RepoPath) -> bool {
    language_of(path).analysis() == Analysis::Outline
}

/// Says of the files in some languages: `Files in ruby (3), lua (1) and others are …`; `None` where there are none.
fn note(languages: &BTreeMap<String, u64>, consequence: &str) -> Option<String> {
    let mut names: Vec<(&String, &u64)> = languages.iter().collect();
    names.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), (*name).clone()));
    let listed: Vec<String> = names
        .iter()
        .take(3)
        .map(|(name, n)| format!("{name} ({n})"))
        .collect();
    let more = if names.len() > 3 { " and others" } else { "" };
    let listed = listed.join(", ");
    (!names.is_empty()).then(|| format!("Files in {listed}{more} {consequence}"))
}

//! How much of the files that a question touches is analysed: an answer from definitions and edges says nothing of files
//! that are read as text alone.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::is_zero;
use crate::error::Result;
use crate::workspace::{Analysis, View, language};

/// Files by how deep they are analysed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnalysedOutput {
    /// Files with definitions and edges.
    full: u64,
    /// Files with definitions alone.
    #[serde(skip_serializing_if = "is_zero")]
    outline: u64,
    /// Files of code that is searched as text alone.
    text: u64,
    /// Languages of the latter, with their files.
    languages: BTreeMap<String, u64>,
    /// The consequence for the answer.
    note: String,
}

impl AnalysedOutput {
    /// Returns the levels of the files at or below a path (empty: everywhere); `None` where all code there is analysed.
    /// Data and documents count only where `path` is one of them.
    pub(super) fn of(view: &View<'_>, path: &str) -> Result<Option<Self>> {
        let is_file = !path.is_empty() && view.read.has_file(path)?;
        let (mut full, mut outline, mut text) = (0, 0, 0);
        let mut languages = BTreeMap::new();
        for (id, n) in view.read.languages_under(path)? {
            let Some(language) = language(&id).filter(|language| language.is_code || is_file)
            else {
                continue;
            };
            match language.analysis() {
                Analysis::Full => full += n,
                Analysis::Outline => outline += n,
                Analysis::Text => {
                    text += n;
                    languages.insert(id, n);
                }
            }
        }
        if text == 0 {
            return Ok(None);
        }
        let note = note(&languages);
        Ok(Some(Self {
            full,
            outline,
            text,
            languages,
            note,
        }))
    }

    /// Whether so many files are read as text alone that an answer about all of them says little without the note: one in
    /// twenty.
    pub(super) fn is_telling(&self) -> bool {
        20 * self.text >= self.full + self.outline
    }

    /// Returns the sentence about files without definitions and edges.
    pub(super) fn note(&self) -> &str {
        &self.note
    }
}

fn note(languages: &BTreeMap<String, u64>) -> String {
    let mut names: Vec<(&String, &u64)> = languages.iter().collect();
    names.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), (*name).clone()));
    let listed: Vec<String> = names
        .iter()
        .take(3)
        .map(|(name, n)| format!("{name} ({n})"))
        .collect();
    let more = if names.len() > 3 { " and others" } else { "" };
    format!(
        "Files in {}{more} are searched as text only: their definitions and calls are not known; use cl_search.",
        listed.join(", ")
    )
}

//! Tests that name a definition without a use that is bound to it: in their text, or by the name of their file.
//!
//! `expect(page).toMatchAriaSnapshot()` on a value whose type is not known, `to-match-aria-snapshot.spec.ts`.

use std::collections::HashSet;

use super::Uses;
use crate::error::{Error, Result};
use crate::model::RepoPath;
use crate::roles::Roles;
use crate::store::token;
use crate::syntax;

/// Tests that are read to see whether they hold the name as it is written.
const MAX_READ: usize = 200;

/// Names that are looked for.
const MAX_NAMES: usize = 8;

/// Letters of the shortest name that is looked for: `on` and `id` say nothing.
const MIN_NAME: usize = 3;

/// Tests that name a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamingTests {
    /// Those named like it first, then the nearest.
    pub paths: Vec<RepoPath>,
    /// Whether some were too many to be read: they hold the words of the name, in whatever case.
    pub is_estimate: bool,
}

impl Uses<'_> {
    /// Returns the title of the test around a line (from 1) of a script: `queue > pushes`; `None` where there is none, or the
    /// file is not as it was indexed. Reads and parses the file.
    pub fn test_around(&self, path: &RepoPath, line: u32) -> Result<Option<String>> {
        let Some(file) = self.read.file(path.as_str())? else {
            return Ok(None);
        };
        let text = self.sources.read(path, file.content);
        Ok(text.and_then(|text| syntax::test_title(path, &text, line, &self.budget)))
    }

    /// Finds the tests that name one of `names`, which are defined in `home`; `known` are left out. Reads at most 200 files.
    pub fn tests_naming(
        &self,
        roles: &Roles<'_>,
        names: &[&str],
        home: &RepoPath,
        known: &HashSet<RepoPath>,
    ) -> Result<NamingTests> {
        let mut names: Vec<&str> = names
            .iter()
            .filter(|it| it.len() >= MIN_NAME)
            .copied()
            .collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MAX_NAMES);
        let norms: HashSet<String> = names.iter().map(|name| token::normal_form(name)).collect();
        let mut found = NamingTests::default();
        let is_new = |path: &RepoPath| path != home && !known.contains(path) && roles.is_test(path);
        let rows = self.read.file_rows()?;
        let named = rows.iter().filter(|row| {
            let name = row.path.file_name();
            let stem = name.split('.').next().unwrap_or(name);
            norms.contains(&token::normal_form(stem)) && is_new(&row.path)
        });
        found.paths = named.map(|row| row.path.clone()).collect();
        let mut holding = Vec::new();
        for norm in norms.iter().filter(|it| it.len() <= token::MAX_WORD_BYTES) {
            let files = self.read.files_with_word(norm)?.into_iter();
            holding.extend(files.filter(|file| is_new(&file.path)));
        }
        holding.sort_by_cached_key(|file| (distance(home, &file.path), file.path.clone()));
        holding.dedup_by_key(|file| file.id);
        holding.retain(|file| !found.paths.contains(&file.path));
        for (at, file) in holding.iter().enumerate() {
            if self.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let holds = if at < MAX_READ {
                let text = self
                    .sources
                    .read(&file.path, file.content)
                    .unwrap_or_default();
                names
                    .iter()
                    .any(|name| syntax::starts(&text, name).next().is_some())
            } else {
                found.is_estimate = true;
                true
            };
            if holds {
                found.paths.push(file.path.clone());
            }
        }
        Ok(found)
    }
}

/// Returns how many directories lie between two files.
fn distance(a: &RepoPath, b: &RepoPath) -> usize {
    let parts = |path: &RepoPath| -> Vec<String> {
        let directory = path.directory().split('/').filter(|part| !part.is_empty());
        directory.map(str::to_owned).collect()
    };
    let (a, b) = (parts(a), parts(b));
    let n_common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    a.len() + b.len() - 2 * n_common
}

//! Packages that a file imports, and that another repository offers.

use super::Uses;
use crate::error::Result;
use crate::link::offered::offered;
use crate::model::RepoPath;
use crate::store::{ImportTarget, Read};

/// The most imports of a file that are looked for elsewhere.
const MAX_SPECIFIERS: usize = 100;

/// Returns the specifiers, by their place, that a file like `from` of another repository may mean in the repository of an index, each with
/// the file behind it, where that is one. Costs a pass over all paths.
pub fn offered_packages(
    read: &Read<'_>,
    from: &RepoPath,
    specifiers: &[String],
) -> Result<Vec<(usize, Option<RepoPath>)>> {
    Ok(offered(read, from, specifiers)?)
}

impl Uses<'_> {
    /// Returns the imports of a file that lead out of its repository, as they are written, each once and in order.
    pub fn external_specifiers(&self, path: &RepoPath) -> Result<Vec<String>> {
        let Some(file) = self.read.file(path.as_str())? else {
            return Ok(Vec::new());
        };
        let Some(facts) = self.read.facts(file.id)? else {
            return Ok(Vec::new());
        };
        let imports = facts.imports.into_iter().zip(self.read.imports(file.id)?);
        let external = imports.filter(|(_, row)| row.target == Some(ImportTarget::External));
        let mut specifiers: Vec<String> = external.map(|(import, _)| import.specifier).collect();
        specifiers.sort_unstable();
        specifiers.dedup();
        specifiers.truncate(MAX_SPECIFIERS);
        Ok(specifiers)
    }
}

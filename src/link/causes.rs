//! Which imports may lead elsewhere after files came or went.
//!
//! Errs on the side of looking again: a specifier is looked at when any of its last segment's spellings
//! is a component of a path that came or went, when a manifest decides where it leads, or when it is not
//! relative and led into the repository. Refuses to resolve anything itself.

use std::collections::HashSet;

use super::components;
use crate::model::RepoPath;
use crate::store::{StoreError, Writer};

/// The paths of one transaction that came or went.
#[derive(Debug, Default)]
pub struct Causes {
    stems: HashSet<String>,
    all: bool,
}

impl Causes {
    /// Notes a path that came or went, or a configuration file that changed.
    pub fn add(&mut self, path: &RepoPath, is_config: bool) {
        self.all |= is_config;
        if !self.all {
            self.stems.extend(components(path).map(stem));
        }
    }

    /// Puts the files whose imports may lead elsewhere on the list of those to link.
    pub fn mark(&self, writer: &mut Writer<'_>) -> Result<(), StoreError> {
        if self.all {
            return writer.relink_all();
        }
        if self.stems.is_empty() {
            return Ok(());
        }
        let packages: HashSet<String> = writer
            .package_directories()?
            .iter()
            .map(|directory| stem(directory.rsplit('/').next().unwrap_or(directory)))
            .collect();
        for (file, specifier, is_external) in writer.specifiers()? {
            if self.touches(&specifier, is_external, &packages) {
                writer.relink(file)?;
            }
        }
        Ok(())
    }

    fn touches(&self, specifier: &str, is_external: bool, packages: &HashSet<String>) -> bool {
        let path = specifier.split('?').next().unwrap_or(specifier);
        let last = match path.trim_end_matches('/').rsplit('/').next() {
            None | Some("" | "." | "..") => return true,
            Some(last) => stem(last),
        };
        if self.stems.contains(&last) {
            return true;
        }
        if specifier.starts_with('.') {
            // The manifest of a directory may lead anywhere.
            return packages.contains(&last);
        }
        // What led out of the repository does so until something of its name comes; configuration, which
        // could lead it elsewhere, is not the matter here.
        !is_external || path.split('/').any(|part| self.stems.contains(&stem(part)))
    }

    /// Returns whether nothing came, went or changed.
    pub fn is_empty(&self) -> bool {
        !self.all && self.stems.is_empty()
    }

    /// Notes that what came and went was lost.
    pub fn add_all(&mut self) {
        self.all = true;
    }
}

/// Returns a name up to its first dot that is not at its start: `a`, `a.ts`, `a.d.ts` and `a.js` are one.
fn stem(name: &str) -> String {
    let from = usize::from(name.starts_with('.'));
    let end = name[from..].find('.').map_or(name.len(), |at| at + from);
    name[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Causes;
    use crate::model::RepoPath;

    fn touched(paths: &[&str], specifier: &str) -> bool {
        let mut causes = Causes::default();
        for path in paths {
            causes.add(&RepoPath::new(path).unwrap(), false);
        }
        causes.touches(specifier, false, &HashSet::from(["lib".to_owned()]))
    }

    #[test]
    fn a_specifier_is_looked_at_when_a_path_could_satisfy_it() {
        assert!(touched(&["src/a.ts"], "./a"));
        assert!(touched(&["src/a.d.ts"], "../a.js"));
        assert!(touched(&["src/a/index.ts"], "./a"));
        assert!(touched(&["src/a/index.ts"], "."));
        assert!(touched(&["src/a.ts"], "@scope/a"));
        assert!(touched(&["src/a.svg"], "./a.svg?raw"));
        assert!(touched(&["src/a#b.ts"], "./a#b") && touched(&["dist/x.js"], "./lib"));
        assert!(!touched(&["src/a.ts"], "./b"));
        let mut causes = Causes::default();
        causes.add(&RepoPath::new("src/a.ts").unwrap(), false);
        assert!(!causes.touches("react", true, &HashSet::new()));
        assert!(causes.touches("src/a", true, &HashSet::new()));
    }
}

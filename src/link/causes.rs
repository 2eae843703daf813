//! Which imports may lead elsewhere after files came or went.
//!
//! Errs on the side of looking again: a specifier is looked at when any of its last segment's spellings
//! is a component of a path that came or went, when a manifest decides where it leads, or when it leads into a
//! package of which a file came or went. Refuses to resolve anything itself.

use std::collections::BTreeSet;

use super::{Manifest, components};
use crate::model::RepoPath;
use crate::model::path::{file_name, parent, upwards};
use crate::model::table::HashSet;
use crate::resolve::AutoImports;
use crate::store::ImportTarget;

/// The paths of one transaction that came or went.
#[derive(Debug, Default)]
pub struct Causes {
    paths: Vec<RepoPath>,
    stems: HashSet<String>,
    all: bool,
    /// Whether what is imported by itself may differ, so that any name may mean something else.
    names: bool,
}

/// What of the repository decides which imports the paths may concern.
#[derive(Debug, Default)]
struct Reach {
    /// The last components of the directories that hold a `package.json`.
    packages: HashSet<String>,
    /// The files of the packages in which a path came or went.
    files: HashSet<i64>,
    /// Whether a configuration names one of the paths, so that any name may lead there.
    is_anywhere: bool,
}

impl Causes {
    /// Notes a path that came or went, or a configuration file that changed.
    pub fn add(&mut self, path: &RepoPath, is_config: bool) {
        self.all |= is_config;
        self.names |= AutoImports::is_config(path);
        if !self.all {
            self.stems
                .extend(components(path).map(|name| stem(name).to_owned()));
            self.paths.push(path.clone());
        }
    }

    /// Returns whether any import may lead elsewhere.
    pub(super) fn may_be_any(&self) -> bool {
        self.all
    }

    /// Returns the files of which one of these imports may lead elsewhere, `manifest` being all files there are now.
    pub(super) fn touched(
        &self,
        manifest: &Manifest,
        specifiers: Vec<(i64, String, ImportTarget)>,
    ) -> BTreeSet<i64> {
        let reach = self.reach(manifest);
        let touched = specifiers
            .into_iter()
            .filter(|(_, specifier, to)| self.touches(specifier, *to, &reach));
        touched.map(|(file, ..)| file).collect()
    }

    fn reach(&self, manifest: &Manifest) -> Reach {
        // What can't be read may name anything.
        let mut reach = Reach {
            is_anywhere: manifest.lacks_configs,
            ..Reach::default()
        };
        let mut directories = HashSet::default();
        for (path, config) in &manifest.configs {
            if file_name(path) == "package.json" {
                let directory = parent(path);
                reach.packages.insert(stem(file_name(directory)).to_owned());
                directories.insert(directory);
            } else {
                reach.is_anywhere |= self.is_named(config);
            }
        }
        if reach.is_anywhere {
            return reach;
        }
        let package_of = |path| {
            let mut above = upwards(parent(path));
            above.find(|directory| directories.contains(directory))
        };
        let affected: HashSet<Option<&str>> = self
            .paths
            .iter()
            .map(|path| package_of(path.as_str()))
            .collect();
        let own = manifest.files.iter();
        let own = own.filter(|(path, _)| affected.contains(&package_of(path)));
        reach.files = own.map(|(_, file)| *file).collect();
        reach
    }

    /// Returns whether a configuration names a file that came or went: by a name that stands after a slash.
    fn is_named(&self, config: &[u8]) -> bool {
        let text = String::from_utf8_lossy(config);
        self.paths.iter().any(|path| {
            let name = format!("/{}", stem(path.file_name()));
            text.contains(&name)
        })
    }

    fn touches(&self, specifier: &str, to: ImportTarget, reach: &Reach) -> bool {
        let path = specifier.split('?').next().unwrap_or(specifier);
        let last = match path.trim_end_matches('/').rsplit('/').next() {
            None | Some("" | "." | "..") => return true,
            Some(last) => stem(last),
        };
        if self.stems.contains(last) {
            return true;
        }
        if specifier.starts_with('.') {
            // The manifest of a directory may lead anywhere.
            return reach.packages.contains(last);
        }
        let is_within = match to {
            // What led out of the repository does so until something of its name comes; configuration, which
            // could lead it elsewhere, is not the matter here.
            ImportTarget::External => false,
            ImportTarget::Missing => true,
            ImportTarget::File(file) => reach.is_anywhere || reach.files.contains(&file),
        };
        is_within || path.split('/').any(|part| self.stems.contains(stem(part)))
    }

    /// Returns whether any name may mean something else, as far as that is known without the files.
    pub(super) fn may_be_any_name(&self) -> bool {
        self.names
    }

    /// Returns whether a path came or went that decides what is imported by itself.
    pub(super) fn come_under(&self, imports: &AutoImports) -> bool {
        self.paths.iter().any(|path| imports.covers(path.as_str()))
    }

    /// Returns whether nothing came, went or changed.
    pub fn is_empty(&self) -> bool {
        !self.all && self.stems.is_empty()
    }

    /// Notes that what came and went was lost.
    pub fn add_all(&mut self) {
        self.all = true;
        self.names = true;
    }
}

/// Returns a name up to its first dot that is not at its start: `a`, `a.ts`, `a.d.ts` and `a.js` are one.
fn stem(name: &str) -> &str {
    let from = usize::from(name.starts_with('.'));
    let end = name[from..].find('.').map_or(name.len(), |at| at + from);
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::{Causes, ImportTarget, Reach};
    use crate::model::RepoPath;

    const OWN: ImportTarget = ImportTarget::File(1);
    const OTHER: ImportTarget = ImportTarget::File(2);

    fn touched(paths: &[&str], specifier: &str, to: ImportTarget) -> bool {
        let mut causes = Causes::default();
        for path in paths {
            causes.add(&RepoPath::new(path).unwrap(), false);
        }
        let reach = Reach {
            packages: std::iter::once("lib".to_owned()).collect(),
            files: std::iter::once(1).collect(),
            is_anywhere: false,
        };
        causes.touches(specifier, to, &reach)
    }

    #[test]
    fn a_specifier_is_looked_at_when_a_path_could_satisfy_it() {
        let by_name = |paths: &[&str], specifier| touched(paths, specifier, OTHER);
        assert!(by_name(&["src/a.ts"], "./a"));
        assert!(by_name(&["src/a.d.ts"], "../a.js"));
        assert!(by_name(&["src/a/index.ts"], "./a"));
        assert!(by_name(&["src/a/index.ts"], "."));
        assert!(by_name(&["src/a.ts"], "@scope/a"));
        assert!(by_name(&["packages/a/src/index.ts"], "@scope/a/lib/b"));
        assert!(by_name(&["src/a.svg"], "./a.svg?raw"));
        assert!(by_name(&["src/a#b.ts"], "./a#b") && by_name(&["dist/x.js"], "./lib"));
        assert!(!by_name(&["src/a.ts"], "./b"));
    }

    #[test]
    fn a_name_is_looked_at_when_it_leads_into_a_package_of_which_a_file_came() {
        let came = |specifier, to| touched(&["src/a.ts"], specifier, to);
        assert!(came("pkg", OWN) && !came("pkg", OTHER));
        assert!(came("pkg", ImportTarget::Missing) && !came("react", ImportTarget::External));
        assert!(came("src/a", OTHER) && came("src/a", ImportTarget::External));
        assert!(!came("./b", OWN));
    }

    #[test]
    fn a_configuration_that_names_a_path_may_lead_anything_there() {
        let mut causes = Causes::default();
        causes.add(&RepoPath::new("b/main.ts").unwrap(), false);
        let paths = br#"{"compilerOptions": {"paths": {"lib": ["./a/main.ts", "./b/main.ts"]}}}"#;
        assert!(causes.is_named(paths));
        assert!(!causes.is_named(br#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#));
    }
}

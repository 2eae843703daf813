//! Which imports of JavaScript and TypeScript may lead elsewhere after paths came or went.
//!
//! An import is looked at when any spelling of its last segment is a component of such a path, when a manifest decides
//! where it leads, or when it leads into a package of which a file came or went. A changed configuration affects all.

use crate::model::RepoPath;
use crate::model::hash::HashSet;
use crate::model::path::{file_name, parent, upwards};
use crate::resolve::{Ecosystem, KnownTarget, PathChanges};

/// The imports that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports<'a> {
    /// Whether a configuration changed.
    all: bool,
    /// The stems of all components of the paths.
    stems: HashSet<&'a str>,
    /// The stems of the last components of the directories that hold a `package.json`.
    packages: HashSet<&'a str>,
    /// The files of the packages in which a path came or went.
    files: HashSet<&'a str>,
    /// Whether a configuration names one of the paths, so that any name may lead there.
    is_anywhere: bool,
}

impl<'a> AffectedImports<'a> {
    /// See [`AffectedImports::of`](crate::resolve::AffectedByEcosystem::of).
    pub(in crate::resolve) fn of(
        changes: &'a PathChanges,
        paths: impl Iterator<Item = &'a str>,
        configs: &[(&'a str, &'a [u8])],
        lacks_configs: bool,
    ) -> Self {
        let mut affected = Self {
            all: changes.configs(Ecosystem::Node).next().is_some(),
            ..Self::default()
        };
        if affected.all {
            return affected;
        }
        let parts = changes.paths.iter().flat_map(|it| it.as_str().split('/'));
        affected.stems = parts.map(stem).collect();
        // Files of other ecosystems can be imported by their own path alone.
        let own: Vec<&RepoPath> = changes
            .paths
            .iter()
            .filter(|path| Ecosystem::of_source(path.as_str()) == Ecosystem::Node)
            .collect();
        if own.is_empty() {
            return affected;
        }
        // An unreadable configuration may name anything.
        affected.is_anywhere = lacks_configs;
        let mut directories: HashSet<&str> = HashSet::default();
        for (path, config) in configs {
            if file_name(path) == "package.json" {
                let directory = parent(path);
                affected.packages.insert(stem(file_name(directory)));
                directories.insert(directory);
            } else if RepoPath::new(path)
                .is_some_and(|path| Ecosystem::of_config(&path) == Some(Ecosystem::Node))
            {
                affected.is_anywhere |= is_named(&own, config);
            }
        }
        if affected.is_anywhere {
            return affected;
        }
        let package_of = |path| {
            let mut above = upwards(parent(path));
            above.find(|directory| directories.contains(directory))
        };
        let changed: HashSet<Option<&str>> =
            own.iter().map(|path| package_of(path.as_str())).collect();
        affected.files = paths
            .filter(|path| changed.contains(&package_of(path)))
            .collect();
        affected
    }

    /// Returns whether an import that led to `target` may lead elsewhere.
    pub(in crate::resolve) fn contains(&self, specifier: &str, target: KnownTarget<'_>) -> bool {
        if self.all {
            return true;
        }
        if self.stems.is_empty() {
            return false;
        }
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
            return self.packages.contains(last);
        }
        let is_within = match target {
            // An external import stays external until a file of its name comes; configuration, which could redirect
            // it, is judged elsewhere.
            KnownTarget::External | KnownTarget::Unit => false,
            KnownTarget::Missing => true,
            KnownTarget::File(file) => self.is_anywhere || self.files.contains(file),
        };
        is_within || path.split('/').any(|part| self.stems.contains(stem(part)))
    }
}

/// Returns whether a configuration names a file that came or went: by a name that stands after a slash.
fn is_named(paths: &[&RepoPath], config: &[u8]) -> bool {
    let text = String::from_utf8_lossy(config);
    paths.iter().any(|path| {
        let name = format!("/{}", stem(path.file_name()));
        text.contains(&name)
    })
}

/// Returns a name up to its first dot that is not at its start: `a`, `a.ts`, `a.d.ts` and `a.js` are one.
fn stem(name: &str) -> &str {
    let from = usize::from(name.starts_with('.'));
    let end = name[from..].find('.').map_or(name.len(), |at| at + from);
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::{AffectedImports, is_named};
    use crate::model::RepoPath;
    use crate::resolve::{KnownTarget, PathChanges};

    const OWN: KnownTarget<'_> = KnownTarget::File("own.ts");
    const OTHER: KnownTarget<'_> = KnownTarget::File("other/x.ts");

    fn touched(paths: &[&str], specifier: &str, to: KnownTarget<'_>) -> bool {
        let mut changes = PathChanges::default();
        for path in paths {
            changes.add(&RepoPath::new(path).unwrap());
        }
        let configs: &[(&str, &[u8])] = &[("lib/package.json", b"{}"), ("other/package.json", b"")];
        let files = ["own.ts", "other/x.ts"].into_iter();
        AffectedImports::of(&changes, files, configs, false).contains(specifier, to)
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
        assert!(came("pkg", KnownTarget::Missing) && !came("react", KnownTarget::External));
        assert!(came("src/a", OTHER) && came("src/a", KnownTarget::External));
        assert!(!came("./b", OWN));
    }

    #[test]
    fn files_and_configuration_of_python_affect_no_names() {
        let came = |path, specifier| touched(&[path], specifier, OWN);
        assert!(!came("src/a.py", "pkg") && came("src/a.py", "./a.py?raw"));
        assert!(!came("api/setup.cfg", "./pkg") && came("api/setup.cfg", "./setup.cfg?raw"));
        let mut changes = PathChanges::default();
        changes.add_edited(&RepoPath::new("pyproject.toml").unwrap());
        let affected = AffectedImports::of(&changes, std::iter::empty(), &[], false);
        assert!(!affected.contains(".", OWN) && !affected.contains("pkg", KnownTarget::Missing));
    }

    #[test]
    fn a_configuration_that_names_a_path_may_lead_anything_there() {
        let path = RepoPath::new("b/main.ts").unwrap();
        let paths = br#"{"compilerOptions": {"paths": {"lib": ["./a/main.ts", "./b/main.ts"]}}}"#;
        assert!(is_named(&[&path], paths));
        assert!(!is_named(
            &[&path],
            br#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#
        ));
    }
}

//! Which imports of Java may lead elsewhere: those of a package that came into being or went, of a type whose file did, and
//! all where a build file changed.

use super::super::{Ecosystem, PathChanges};
use super::{is_source, packages};
use crate::model::hash::HashSet;

/// The imports that some changes may affect.
#[derive(Debug, Default)]
pub(in crate::resolve) struct AffectedImports {
    all: bool,
    /// The packages that came or went, in any module.
    packages: HashSet<String>,
    /// The names of types whose files came or went.
    types: HashSet<String>,
    /// The packages that those may be in, by their directories: `a.b.c`, `b.c` and `c` for `a/b/c`.
    directories: HashSet<String>,
}

impl AffectedImports {
    /// Prepares the look at imports.
    pub(in crate::resolve) fn of(changes: &PathChanges) -> Self {
        let package = |key: &String| {
            let of_module = || Some(key.strip_prefix("java#")?.rsplit_once('#')?.1);
            let package = key.strip_prefix("java:").or_else(of_module)?;
            Some(package.to_owned())
        };
        let mut affected = Self {
            all: changes.configs(Ecosystem::Java).next().is_some(),
            packages: changes.units().iter().filter_map(package).collect(),
            ..Self::default()
        };
        for path in changes.paths.iter().filter(|it| is_source(it.as_str())) {
            let name = path.file_name().trim_end_matches(".java");
            affected.types.insert(name.to_owned());
            let dotted = path.directory().replace('/', ".");
            let mut rest = dotted.as_str();
            while affected.directories.insert(rest.to_owned())
                && let Some((_, inner)) = rest.split_once('.')
            {
                rest = inner;
            }
        }
        affected
    }

    /// Returns whether an import may lead elsewhere.
    pub(in crate::resolve) fn contains(&self, specifier: &str) -> bool {
        self.all
            || !self.packages.is_empty() && packages(specifier).any(|it| self.packages.contains(it))
            || self.directories.contains(specifier)
            || !self.types.is_empty() && specifier.split('.').any(|it| self.types.contains(it))
    }
}

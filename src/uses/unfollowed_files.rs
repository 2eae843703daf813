//! Files that hold the name of a definition and whose uses of code are not bound, so that the word is all that is known: pages and
//! templates (`{{ channel.is_editable }}`), and code of languages that call those of the definition (Java from Scala).

use std::collections::BTreeSet;

use super::Uses;
use super::files_with_name::MAX_READ_BYTES;
use crate::error::Result;
use crate::model::{Analysis, Family, RepoPath};
use crate::syntax::{by_id, by_path};

/// The most names of several definitions that are looked for.
const MAX_NAMES: usize = 100;

/// Extensions of templates that are read as plain text.
const TEMPLATE_EXTENSIONS: &[&str] = &[
    "aspx", "cshtml", "erb", "ftl", "ftlh", "fxml", "gohtml", "haml", "j2", "jinja", "jinja2",
    "jsp", "jspx", "liquid", "mako", "razor", "slim", "tmpl", "tpl", "twig", "vm",
];

/// The files that hold a name without their uses being known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnfollowedFiles {
    /// How many there are.
    pub n_files: u64,
    /// The first one by its path.
    pub first: Option<RepoPath>,
}

impl Uses<'_> {
    /// Returns the pages, templates and files of code that may use a definition in `home` and hold its name, or of Java the property
    /// that an accessor reads: `pet.birthDate` calls `getBirthDate()`; among them those of [`Self::unread_naming`]. Reads the files that may hold
    /// it; beyond 16 MB of them every file counts.
    pub fn unfollowed_naming(&self, name: &str, home: &RepoPath) -> Result<UnfollowedFiles> {
        let is_wanted = |path: &RepoPath| is_template(path) || may_call(path, home);
        let mut paths = self.paths_naming(name, None, home, is_wanted)?;
        paths.extend(self.unread_naming(name, home)?);
        paths.sort();
        paths.dedup();
        Ok(UnfollowedFiles::of(paths))
    }

    /// Does [`Self::unfollowed_naming`] for code alone; with `owner` the files have to hold that word, too.
    pub fn unfollowed_code_naming(
        &self,
        name: &str,
        owner: Option<&str>,
        home: &RepoPath,
    ) -> Result<UnfollowedFiles> {
        let paths = self.paths_naming(name, owner, home, |path| may_call(path, home))?;
        Ok(UnfollowedFiles::of(paths))
    }

    /// Does [`Self::unfollowed_code_naming`] for several definitions, each given by its name and its home, and returns the files by path. Of
    /// more than 100 names every file of such code counts.
    pub fn unfollowed_code_of<'n>(
        &self,
        named: impl Iterator<Item = (&'n str, &'n RepoPath)>,
    ) -> Result<Vec<RepoPath>> {
        let languages = self.read.languages()?;
        let is_there = |home: &RepoPath| {
            let family = by_path(home).family();
            let mut ids = languages.keys().filter_map(|id| by_id(id));
            family.is_some_and(|family| ids.any(|it| it.calls_unfollowed(family)))
        };
        let named: BTreeSet<(&str, &RepoPath)> = named.filter(|it| is_there(it.1)).collect();
        let mut paths = BTreeSet::new();
        if named.len() > MAX_NAMES {
            let homes: BTreeSet<&RepoPath> = named.iter().map(|it| it.1).collect();
            let files = self.read.files_under("")?;
            let may_call = |path: &RepoPath| homes.iter().any(|home| may_call(path, home));
            let files = files.iter().map(|file| file.path.clone());
            return Ok(files.filter(may_call).collect());
        }
        for (name, home) in named {
            paths.extend(self.paths_naming(name, None, home, |path| may_call(path, home))?);
        }
        Ok(paths.into_iter().collect())
    }

    fn paths_naming(
        &self,
        name: &str,
        owner: Option<&str>,
        home: &RepoPath,
        is_wanted: impl Fn(&RepoPath) -> bool,
    ) -> Result<Vec<RepoPath>> {
        let property = property_of_accessor(name, home);
        let mut paths: Vec<RepoPath> = Vec::new();
        for word in [Some(name), property.as_deref()].into_iter().flatten() {
            let mut n_bytes = 0;
            for file in self.files_with_name(word)?.unwrap_or_default() {
                if !is_wanted(&file.path) || paths.contains(&file.path) {
                    continue;
                }
                let mut has = |word: &str| {
                    let found = (n_bytes < MAX_READ_BYTES).then(|| self.name_in_file(&file, word));
                    n_bytes += found.map_or(0, |it| it.n_read);
                    found.is_none_or(|it| it.is_there)
                };
                if has(word) && owner.is_none_or(has) {
                    paths.push(file.path);
                }
            }
        }
        Ok(paths)
    }
}

impl UnfollowedFiles {
    /// Counts some files, each of which is there once.
    pub fn of(paths: Vec<RepoPath>) -> Self {
        Self {
            n_files: paths.len() as u64,
            first: paths.into_iter().min(),
        }
    }
}

/// Whether a file is code that may call definitions in `home`, and its calls are not followed.
fn may_call(path: &RepoPath, home: &RepoPath) -> bool {
    let Some(family) = by_path(home).family() else {
        return false;
    };
    // Notebooks, Cython, and documents with components are read as text.
    let extensions: &[&str] = match family {
        Family::Python => &["ipynb", "pxd", "pxi", "pyx"],
        Family::C => &["pxd", "pxi", "pyx"],
        Family::Ecmascript => &["mdx"],
        _ => &[],
    };
    let extension = path.extension();
    by_path(path).calls_unfollowed(family) || extension.is_some_and(|it| extensions.contains(&it))
}

/// Whether a file is a page or a template whose calls are not followed; those of programming languages are counted with these.
fn is_template(path: &RepoPath) -> bool {
    let language = by_path(path);
    let is_named = || {
        path.extension()
            .is_some_and(|it| TEMPLATE_EXTENSIONS.contains(&it))
    };
    let is_markup = matches!(language.id, "html" | "pug") || is_named();
    is_markup && !language.is_code && language.analysis() == Analysis::Text
}

/// Returns the property of an accessor of Java by the names of beans: `birthDate` of `getBirthDate`.
fn property_of_accessor(name: &str, home: &RepoPath) -> Option<String> {
    if by_path(home).family() != Some(Family::Java) {
        return None;
    }
    let mut prefixes = ["get", "is", "set"].into_iter();
    let property = prefixes.find_map(|it| name.strip_prefix(it))?;
    let first = property.chars().next().filter(|it| it.is_uppercase())?;
    let rest = &property[first.len_utf8()..];
    Some(format!("{}{rest}", first.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::{is_template, may_call, property_of_accessor};
    use crate::model::RepoPath;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn pages_and_templates_are_told_by_their_extension() {
        for text in ["a/list.html", "a.jinja2", "mail.txt.j2", "b.ftl", "c.pug"] {
            assert!(is_template(&path(text)), "{text}");
        }
        for text in ["a.py", "App.vue", "a.md", "a.css", "data.json"] {
            assert!(!is_template(&path(text)), "{text}");
        }
    }

    #[test]
    fn code_of_another_language_may_call() {
        let may = |from: &str, home: &str| may_call(&path(from), &path(home));
        assert!(may("LocalLog.scala", "LogSegment.java") && may("a.kt", "A.java"));
        assert!(may("a.ipynb", "a.py") && may("a.pyx", "a.c") && may("a.mdx", "a.tsx"));
        assert!(!may("LocalLog.scala", "segment.go") && !may("A.java", "B.java"));
    }

    #[test]
    fn an_accessor_of_java_reads_a_property() {
        let of = |name: &str, home: &str| property_of_accessor(name, &path(home));
        assert_eq!(of("getBirthDate", "Pet.java").as_deref(), Some("birthDate"));
        assert_eq!(of("isNew", "Pet.java").as_deref(), Some("new"));
        assert_eq!(of("getter", "Pet.java"), None);
        assert_eq!(of("getBirthDate", "pet.py"), None);
    }
}

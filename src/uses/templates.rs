//! Pages and templates that hold the name of a definition: `{{ channel.is_editable }}`. Their uses of code are not bound, so that the
//! word is all that is known.

use super::Uses;
use super::files_with_name::MAX_READ_BYTES;
use crate::error::Result;
use crate::model::{Analysis, Family, RepoPath};
use crate::syntax::{by_path, starts};

/// Extensions of templates that are read as plain text.
const TEMPLATE_EXTENSIONS: &[&str] = &[
    "aspx", "cshtml", "erb", "ftl", "ftlh", "fxml", "gohtml", "haml", "j2", "jinja", "jinja2",
    "jsp", "jspx", "liquid", "mako", "razor", "slim", "tmpl", "tpl", "twig", "vm",
];

/// The pages and templates that hold a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamingTemplates {
    /// How many there are.
    pub n_files: u64,
    /// The first one by its path.
    pub first: Option<RepoPath>,
}

impl Uses<'_> {
    /// Returns the pages and templates that hold the name of a definition in `home`, or of Java the property that an accessor reads:
    /// `pet.birthDate` calls `getBirthDate()`. Reads the files that may hold it; beyond 16 MB of them every file counts.
    pub fn templates_naming(&self, name: &str, home: &RepoPath) -> Result<NamingTemplates> {
        let property = property_of_accessor(name, home);
        let mut paths: Vec<RepoPath> = Vec::new();
        for word in [Some(name), property.as_deref()].into_iter().flatten() {
            let mut n_bytes = 0;
            for file in self.files_with_name(word)?.unwrap_or_default() {
                if !is_template(&file.path) || paths.contains(&file.path) {
                    continue;
                }
                let text = (n_bytes < MAX_READ_BYTES)
                    .then(|| self.sources.read(&file.path, file.content))
                    .flatten();
                n_bytes += text.as_ref().map_or(0, |it| it.len());
                if text.is_none_or(|it| starts(&it, word).next().is_some()) {
                    paths.push(file.path);
                }
            }
        }
        Ok(NamingTemplates {
            n_files: paths.len() as u64,
            first: paths.into_iter().min(),
        })
    }
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
    use super::{is_template, property_of_accessor};
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
    fn an_accessor_of_java_reads_a_property() {
        let of = |name: &str, home: &str| property_of_accessor(name, &path(home));
        assert_eq!(of("getBirthDate", "Pet.java").as_deref(), Some("birthDate"));
        assert_eq!(of("isNew", "Pet.java").as_deref(), Some("new"));
        assert_eq!(of("getter", "Pet.java"), None);
        assert_eq!(of("getBirthDate", "pet.py"), None);
    }
}

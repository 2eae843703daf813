//! Repositories that belong together: tables `[[workspace]]` in the file of the user.
//!
//! ```toml
//! [[workspace]]
//! name = "shop"
//! repos = ["~/src/core", "~/src/api"]
//! ```

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::model::sanitize;

/// The name of the tables.
pub(super) const TABLE: &str = "workspace";

/// The most tables of a file.
const MAX_GROUPS: usize = 50;

/// The most repositories of a table: as many as one question is put to.
const MAX_REPOS: usize = 16;

/// The longest name.
const MAX_NAME: usize = 40;

const FIELDS: [&str; 2] = ["name", "repos"];

/// Repositories that are asked together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryGroup {
    /// Its name.
    pub name: String,
    /// Their directories, absolute.
    pub repos: Vec<PathBuf>,
}

/// Returns the groups of the value of [`TABLE`], and the error for the first invalid one. `home` is what `~/` stands for.
pub(super) fn read(
    value: &toml::Value,
    home: Option<&Path>,
) -> (Vec<RepositoryGroup>, Option<Error>) {
    let wrong = |what: String| {
        Error::invalid(
            format!("a [[{TABLE}]] in codelens.toml {what}"),
            format!(
                "each has a `name` and `repos`: 1 to {MAX_REPOS} absolute paths of repositories, or such that begin with `~/`"
            ),
        )
    };
    let Some(tables) = value.as_array() else {
        return (Vec::new(), Some(wrong("is no table".to_owned())));
    };
    let mut groups: Vec<RepositoryGroup> = Vec::new();
    let mut first =
        (tables.len() > MAX_GROUPS).then(|| wrong(format!("is one of more than {MAX_GROUPS}")));
    for table in tables.iter().take(MAX_GROUPS) {
        let group = one(table, home).and_then(|group| {
            let is_new = groups.iter().all(|known| known.name != group.name);
            is_new
                .then_some(group)
                .ok_or_else(|| "has the name of another one".to_owned())
        });
        match group {
            Ok(group) => groups.push(group),
            Err(what) => first = first.or_else(|| Some(wrong(what))),
        }
    }
    (groups, first)
}

fn one(table: &toml::Value, home: Option<&Path>) -> Result<RepositoryGroup, String> {
    let fields = table.as_table().ok_or("is no table")?;
    if let Some(other) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let other = sanitize::escaped_start(other, 60);
        return Err(format!("has an unknown field `{other}`"));
    }
    let name = fields.get("name").ok_or("has no `name`")?;
    let name = name.as_str().filter(|name| is_name(name)).ok_or_else(|| {
        format!("has an invalid `name`: at most {MAX_NAME} letters, digits, `-` and `_`")
    })?;
    let repos = fields.get("repos").ok_or("has no `repos`")?;
    let repos = repos.as_array().ok_or("has `repos` that are no list")?;
    if repos.is_empty() || repos.len() > MAX_REPOS {
        return Err(format!("has {} `repos`", repos.len()));
    }
    let mut dirs = Vec::new();
    for repo in repos {
        let text = repo
            .as_str()
            .ok_or("has something in `repos` that is no text")?;
        let dir = match (text.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(text),
        };
        if !dir.is_absolute() {
            return Err("has a path in `repos` that is not absolute".to_owned());
        }
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    Ok(RepositoryGroup {
        name: name.to_owned(),
        repos: dirs,
    })
}

fn is_name(name: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    name.len() <= MAX_NAME
        && name.bytes().all(is_word)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::read;

    fn parsed(text: &str) -> (Vec<super::RepositoryGroup>, Option<String>) {
        let table: toml::Table = text.parse().unwrap();
        let (groups, wrong) = read(&table["workspace"], Some(Path::new("/home/ann")));
        (groups, wrong.map(|it| it.message))
    }

    #[test]
    fn tables_are_groups_of_repositories() {
        let (groups, wrong) = parsed(
            "[[workspace]]\nname = 'shop'\nrepos = ['~/src/core', '/srv/api', '/srv/api']\n[[workspace]]\nname = 'x-1'\nrepos = ['/x']\n",
        );
        assert_eq!(wrong, None);
        assert_eq!(groups[0].name, "shop");
        let dirs = ["/home/ann/src/core", "/srv/api"].map(PathBuf::from);
        assert_eq!(groups[0].repos, dirs);
        assert_eq!(groups[1].name, "x-1");
    }

    #[test]
    fn tables_that_are_none_are_told_and_the_others_count() {
        let many = format!("name = 'a'\nrepos = [{}]", "'/x',".repeat(17));
        let long = format!("name = '{}'\nrepos = ['/x']", "a".repeat(41));
        for (fields, part) in [
            ("repos = ['/x']", "no `name`"),
            ("name = 'a'", "no `repos`"),
            ("name = 7\nrepos = ['/x']", "invalid `name`"),
            ("name = ''\nrepos = ['/x']", "invalid `name`"),
            ("name = 'a/b'\nrepos = ['/x']", "invalid `name`"),
            (&long, "invalid `name`"),
            ("name = 'a'\nrepos = '/x'", "no list"),
            ("name = 'a'\nrepos = []", "0 `repos`"),
            (&many, "17 `repos`"),
            ("name = 'a'\nrepos = [1]", "no text"),
            ("name = 'a'\nrepos = ['src/core']", "not absolute"),
            (
                "name = 'a'\nrepos = ['/x']\nroot = 1",
                "unknown field `root`",
            ),
            ("name = 'good'\nrepos = ['/x']", "name of another"),
        ] {
            let text =
                format!("[[workspace]]\nname = 'good'\nrepos = ['/x']\n[[workspace]]\n{fields}\n");
            let (groups, wrong) = parsed(&text);
            assert_eq!(groups.len(), 1, "{fields}");
            let said = wrong.unwrap();
            assert!(said.contains(part), "{fields}: {said}");
        }
        let table: toml::Table = "workspace = 7".parse().unwrap();
        assert!(read(&table["workspace"], None).1.is_some());
    }
}

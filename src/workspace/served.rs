//! Which repositories a server may be asked about, where that is not every one of the machine.

use std::path::{Path, PathBuf};

use crate::error::{Code, Error, Result};
use crate::git::Repo;

/// The repositories that a server was started for.
#[derive(Clone, Debug)]
pub struct Served {
    repositories: Vec<ServedRepository>,
}

#[derive(Clone, Debug)]
struct ServedRepository {
    name: String,
    dir: PathBuf,
}

impl Served {
    /// Returns the repositories around `places`, each once. A repository's name is that of its directory;
    /// a second one of the same name is `NAME-2`.
    ///
    /// # Errors
    /// `not_a_repo` for a place outside of git, `git` for one that can't be read.
    pub fn at(places: &[PathBuf]) -> Result<Self> {
        let mut repositories: Vec<ServedRepository> = Vec::new();
        for place in places {
            let repo = Repo::discover(place)?;
            let dir = canonical(repo.work_dir()).unwrap_or_else(|| repo.work_dir().to_owned());
            if repositories.iter().any(|known| known.dir == dir) {
                continue;
            }
            let name = name_for(&dir, &repositories);
            repositories.push(ServedRepository { name, dir });
        }
        Ok(Self { repositories })
    }

    /// Returns the directories `dirs` as they are, each once, with the names that [`Self::at`] would give them. One that is no
    /// repository is found out by whoever asks it.
    pub(super) fn unchecked(dirs: &[PathBuf]) -> Self {
        let mut repositories: Vec<ServedRepository> = Vec::new();
        for dir in dirs {
            let dir = canonical(dir).unwrap_or_else(|| dir.clone());
            if repositories.iter().all(|known| known.dir != dir) {
                let name = name_for(&dir, &repositories);
                repositories.push(ServedRepository { name, dir });
            }
        }
        Self { repositories }
    }

    /// Whether a path lies in one of the repositories.
    pub(super) fn holds(&self, path: &Path) -> bool {
        self.around(path).is_some()
    }

    /// Returns the names, in the order in which the repositories were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.repositories.iter().map(|known| known.name.as_str())
    }

    /// Returns the work tree of a name.
    pub fn by_name(&self, name: &str) -> Option<&Path> {
        let found = self.repositories.iter().find(|known| known.name == name);
        found.map(|known| known.dir.as_path())
    }

    /// Returns the work tree that a call is about: `named` by its name or a path in it, else the first of
    /// `places` that lies in one, else the only one.
    ///
    /// # Errors
    /// `outside_repo` where another one is named, `invalid_argument` where several are served and none is named.
    pub(super) fn select(&self, named: Option<&str>, places: &[PathBuf]) -> Result<&Path> {
        if let Some(named) = named {
            let found = self.by_name(named).or_else(|| {
                let base = places.iter().find_map(|place| self.around(place));
                match base.or_else(|| self.only()) {
                    Some(base) => self.around(&base.join(named)),
                    None if Path::new(named).is_absolute() => self.around(Path::new(named)),
                    None => None,
                }
            });
            return found.ok_or_else(|| {
                Error::new(
                    Code::OutsideRepo,
                    "the repository that `repo` names is not served here",
                    self.choice(),
                )
            });
        }
        let near = places.iter().find_map(|place| self.around(place));
        near.or_else(|| self.only()).ok_or_else(|| {
            Error::invalid(
                "several repositories are served here, and the call names none",
                self.choice(),
            )
        })
    }

    fn only(&self) -> Option<&Path> {
        match self.repositories.as_slice() {
            [only] => Some(&only.dir),
            _ => None,
        }
    }

    /// Returns the work tree that a path lies in.
    fn around(&self, path: &Path) -> Option<&Path> {
        let path = canonical(path)?;
        let around = self.repositories.iter().map(|known| known.dir.as_path());
        around
            .filter(|dir| path.starts_with(dir))
            .max_by_key(|dir| dir.components().count())
    }

    fn choice(&self) -> String {
        let names: Vec<_> = self.names().map(|name| format!("`{name}`")).collect();
        format!("pass `repo` as one of {}", names.join(", "))
    }
}

fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

/// Returns a name for `dir` that none of `taken` has, and that can stand in an address.
fn name_for(dir: &Path, taken: &[ServedRepository]) -> String {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    if name.is_empty() {
        "repository".clone_into(&mut name);
    }
    let is_free = |name: &str| taken.iter().all(|known| known.name != name);
    if is_free(&name) {
        return name;
    }
    let mut n = 2;
    loop {
        let numbered = format!("{name}-{n}");
        if is_free(&numbered) {
            return numbered;
        }
        n += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Served, ServedRepository, name_for};
    use crate::error::Code;

    fn served(dirs: &[&std::path::Path]) -> Served {
        let mut repositories = Vec::new();
        for dir in dirs {
            let name = name_for(dir, &repositories);
            let dir = std::fs::canonicalize(dir).unwrap();
            repositories.push(ServedRepository { name, dir });
        }
        Served { repositories }
    }

    #[test]
    fn a_call_reaches_only_what_is_served() {
        let root = tempfile::tempdir().unwrap();
        let dirs = ["a/core", "b/core", "c/other/src"].map(|dir| root.path().join(dir));
        for dir in &dirs {
            std::fs::create_dir_all(dir).unwrap();
        }
        let one = served(&[&dirs[0]]);
        let two = served(&[&dirs[0], &dirs[1]]);
        assert_eq!(two.names().collect::<Vec<_>>(), ["core", "core-2"]);
        let real = |dir: &PathBuf| std::fs::canonicalize(dir).unwrap();

        assert_eq!(one.select(None, &[]).unwrap(), real(&dirs[0]));
        assert_eq!(two.select(Some("core-2"), &[]).unwrap(), real(&dirs[1]));
        assert_eq!(
            two.select(None, &[dirs[1].clone()]).unwrap(),
            real(&dirs[1])
        );
        let by_path = dirs[1].display().to_string();
        assert_eq!(two.select(Some(&by_path), &[]).unwrap(), real(&dirs[1]));
        assert_eq!(one.select(Some("."), &[]).unwrap(), real(&dirs[0]));

        let unclear = two.select(None, &[dirs[2].clone()]).unwrap_err();
        assert_eq!(unclear.code, Code::InvalidArgument);
        assert!(
            unclear.hint.contains("`core`, `core-2`"),
            "{}",
            unclear.hint
        );
        let elsewhere = dirs[2].display().to_string();
        for other in [elsewhere.as_str(), "../../c/other", "nowhere", "/", ""] {
            let refused = two.select(Some(other), &[]).unwrap_err();
            assert_eq!(refused.code, Code::OutsideRepo, "{other}");
            assert!(
                !refused.message.contains("other/src"),
                "{}",
                refused.message
            );
        }
    }
}

//! Archives that are asked like repositories: each version of one is a commit of a bare repository in the data directory.
//!
//! ```text
//! <home>/archives/express.git   branch `archive`: one commit for each version, its message the digest of the file
//! ```

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::run_history::RunRecorder;
use super::view::cut_argument;
use super::{Workspace, Workspaces};
use crate::archive::{Archive, Strip, is_name};
use crate::error::{Code, Error, Result};
use crate::git::ArchiveRepository;
use crate::model::{CommitId, shell_word};
use crate::store::{Home, WriteLock};

/// In front of the name of an archive where a repository is named.
const PREFIX: &str = "archive:";

/// How long another process that takes the same archive in is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// An archive to take in.
#[derive(Clone, Debug)]
pub struct ArchiveToAdd {
    /// Its file.
    pub file: PathBuf,
    /// The name that it is asked by.
    pub name: String,
    /// Whether the directory around all files is left out.
    pub strip: Strip,
}

/// An archive that was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedArchive {
    /// The archive at its last version now.
    pub stored: StoredArchive,
    /// Whether this very file was the last version already: nothing was done.
    pub was_known: bool,
    /// Its files, where they were read.
    pub n_files: u64,
    /// Their bytes.
    pub n_bytes: u64,
    /// Files that were left out, because their names are not UTF-8.
    pub n_unnamed: u64,
}

/// An archive of the data directory, at its last version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredArchive {
    /// Its name.
    pub name: String,
    /// The commit of the last version.
    pub commit: CommitId,
    /// BLAKE3 of the file that it was, in hexadecimal.
    pub digest: String,
    /// The time of its newest file, in seconds since 1970.
    pub seconds: i64,
    /// How many versions there are; `HEAD~1` is the one before.
    pub n_versions: usize,
}

impl StoredArchive {
    /// Returns how it is named where a repository is: `archive:express`.
    pub fn repo(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }
}

/// Returns the name of the archive that a place stands for: `express` of `archive:express`.
pub fn name_in(place: &Path) -> Option<&str> {
    place.to_str()?.strip_prefix(PREFIX)
}

impl Workspaces {
    /// Takes an archive in: a new version where it is not the last one. The archive is checked whole before anything is written; a version
    /// is there whole or not at all.
    ///
    /// # Errors
    /// `invalid_argument` for a name that can't be one, `path_not_found`, `refused` for an archive that is damaged, too large, or holds an entry
    /// of a kind that is refused, `index_busy` where another process takes it in, `cancelled`, and `io` or `git` where it can't be stored.
    pub fn add_archive(
        &self,
        asked: &ArchiveToAdd,
        interrupt: &AtomicBool,
    ) -> Result<AddedArchive> {
        check_name(&asked.name)?;
        let home = self.home()?;
        home.create_archives()?;
        let file = asked.file.canonicalize();
        let file = file.unwrap_or_else(|_| asked.file.clone());
        let strip = match asked.strip {
            Strip::Nothing => "",
            Strip::First => " --strip 1",
            Strip::Common => " --strip auto",
        };
        let next_step = format!(
            "codelens archive add {} --name {}{strip}",
            shell_word(&file.display().to_string()),
            asked.name
        );
        let source = file.file_name().unwrap_or_default().to_string_lossy();
        let run =
            RunRecorder::of_archive(&home, &source, format!("{PREFIX}{}", asked.name), next_step);
        run.begin();
        match store(&home, asked, interrupt) {
            Ok(added) => {
                run.finish_done(added.n_files, 0, added.n_bytes);
                Ok(added)
            }
            Err(mut error) => {
                // The archive's own error knows no name.
                let named = format!("`{}`", cut_argument(&source));
                for subject in ["the archive ", "the file "] {
                    error.message = error.message.replacen(subject, &format!("{named} "), 1);
                }
                run.finish_failed(&error);
                Err(error)
            }
        }
    }

    /// Returns the archives of the data directory, by name.
    ///
    /// # Errors
    /// `io` where the directory can't be read, `git` for an archive that can't be read.
    pub fn archives(&self) -> Result<Vec<StoredArchive>> {
        let home = self.home()?;
        let entries = match std::fs::read_dir(home.archives()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable().because(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| unreadable().because(error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".git").map(str::to_owned));
        }
        names.sort_unstable();
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            found.extend(stored(&home, &name)?);
        }
        Ok(found)
    }

    /// Reads every file of the last version of each archive, and returns how many archives there are, and what is wrong with those that
    /// are damaged, by name.
    ///
    /// # Errors
    /// Those of [`Self::archives`].
    pub(super) fn damaged_archives(&self) -> Result<(usize, Vec<(String, String)>)> {
        let (home, archives) = (self.home()?, self.archives()?);
        let mut damaged = Vec::new();
        for archive in &archives {
            let found = match ArchiveRepository::damage(&home.archive(&archive.name)) {
                Ok(found) => found,
                Err(error) => Some(error.to_string()),
            };
            damaged.extend(found.map(|why| (archive.name.clone(), why)));
        }
        Ok((archives.len(), damaged))
    }

    /// Removes an archive with all its versions. Its indexes go with the next `prune`.
    ///
    /// # Errors
    /// `path_not_found` where there is none of the name, `io` where it can't be removed.
    pub fn remove_archive(&self, name: &str) -> Result<()> {
        let dir = self.archive_dir(name)?;
        let _lock = lock(&self.home()?, name)?;
        std::fs::remove_dir_all(&dir).map_err(|error| {
            let hint = "check the rights of the data directory, then run it again";
            Error::new(
                Code::Io,
                format!("the archive `{name}` can't be removed"),
                hint,
            )
            .because(error)
        })
    }

    /// Returns the git directory of an archive.
    ///
    /// # Errors
    /// `path_not_found` where there is none of the name.
    pub(super) fn archive_dir(&self, name: &str) -> Result<PathBuf> {
        let dir = self.home()?.archive(name);
        if is_name(name) && dir.join("HEAD").is_file() {
            return Ok(dir);
        }
        Err(Error::new(
            Code::PathNotFound,
            format!("there is no archive `{}`", cut_argument(name)),
            "`codelens archive list` lists them; `codelens archive add FILE` adds one",
        ))
    }

    fn home(&self) -> Result<Home> {
        Ok(Home::at(&self.config.home, &[])?)
    }
}

impl Workspace {
    /// Returns the name of the archive that this is, where it is one: `express`.
    pub fn archive(&self) -> Option<&str> {
        let directory = self.home.archives().canonicalize().ok()?;
        let file = self.work_dir.strip_prefix(directory).ok()?;
        file.to_str()?.strip_suffix(".git")
    }
}

/// Does [`Workspaces::add_archive`], whose run is noted.
fn store(home: &Home, asked: &ArchiveToAdd, interrupt: &AtomicBool) -> Result<AddedArchive> {
    let archive = Archive::open(&asked.file)?;
    let _lock = lock(home, &asked.name)?;
    if let Some(stored) = stored(home, &asked.name)?
        && stored.digest == archive.digest
    {
        return Ok(AddedArchive {
            stored,
            was_known: true,
            n_files: 0,
            n_bytes: 0,
            n_unnamed: 0,
        });
    }
    let checked = archive.check(asked.strip, interrupt)?;
    let mut tree = ArchiveRepository::open(&home.archive(&asked.name))?;
    checked.read_files(interrupt, &mut |path, size, bytes| {
        tree.add_file(path, size, bytes).map_err(Into::into)
    })?;
    tree.commit(&archive.digest, checked.newest_s)?;
    let (n_files, n_bytes, n_unnamed) = (checked.n_files, checked.n_bytes, checked.n_unnamed);
    let stored = stored(home, &asked.name)?.ok_or_else(unreadable)?;
    Ok(AddedArchive {
        stored,
        was_known: false,
        n_files,
        n_bytes,
        n_unnamed,
    })
}

/// Returns the last version of an archive; `None` where there is none yet.
fn stored(home: &Home, name: &str) -> Result<Option<StoredArchive>> {
    let dir = home.archive(name);
    if !dir.join("HEAD").is_file() {
        return Ok(None);
    }
    Ok(ArchiveRepository::state(&dir)?.map(|state| StoredArchive {
        name: name.to_owned(),
        commit: state.commit,
        digest: state.message,
        seconds: state.seconds,
        n_versions: state.n_commits,
    }))
}

fn lock(home: &Home, name: &str) -> Result<WriteLock> {
    let path = home.archive(name).with_extension("lock");
    WriteLock::take(&path, PATIENCE)?.ok_or_else(|| {
        Error::new(
            Code::IndexBusy,
            "another process takes an archive of this name in",
            "run it again in a moment",
        )
    })
}

fn check_name(name: &str) -> Result<()> {
    if is_name(name) {
        return Ok(());
    }
    Err(Error::invalid(
        format!(
            "`{}` is no name of an archive, which has letters, digits, `-`, `_` and `.`, at most 64 and no mark at the ends",
            cut_argument(name)
        ),
        "pass another one with --name",
    ))
}

fn unreadable() -> Error {
    Error::new(
        Code::Io,
        "the archives of the data directory can't be read",
        "check the rights of the data directory, then run it again",
    )
}

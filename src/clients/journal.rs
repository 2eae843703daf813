//! Changes of client configurations, each with the bytes of the file before: in the data directory, one record a file.
//!
//! ```text
//! <home>/clients/<digest of the path>.json      what was done
//! <home>/clients/<digest of the path>.before    the file as it was, if there was one
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk::{self, Problem};

/// An edit of one file, as it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditRecord {
    /// The client, or the name of the file that a guide was added to.
    pub(super) client: String,
    /// `user` or `project`.
    pub(super) scope: String,
    /// The root of the work tree, for files of the scope `project`.
    pub(super) project: Option<PathBuf>,
    /// The file as it is asked for.
    pub(super) file: PathBuf,
    /// The file that was written: links are followed.
    pub(super) target: PathBuf,
    /// Whether it was there before.
    pub(super) existed: bool,
    /// The byte offset of the first difference between before and after.
    pub(super) at: usize,
    /// How many bytes went there.
    pub(super) n_removed: usize,
    /// The text that was inserted.
    pub(super) inserted: String,
    /// Directories that were made, from the outside in.
    pub(super) directories: Vec<PathBuf>,
}

/// The records.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    directory: PathBuf,
}

impl Journal {
    /// Returns the records of a data directory.
    pub(super) fn at(home: &Path) -> Self {
        Self {
            directory: home.join("clients"),
        }
    }

    /// Returns the record of a file with the file's earlier bytes; `None` where no record can be read.
    pub(super) fn get(&self, target: &Path) -> Option<(EditRecord, Option<Vec<u8>>)> {
        self.read(&name_of(target))
    }

    /// Returns every record, in the order of their files.
    pub(super) fn all(&self) -> Vec<(EditRecord, Option<Vec<u8>>)> {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten();
        let names = entries.filter_map(Result::ok).filter_map(|entry| {
            entry
                .file_name()
                .to_str()?
                .strip_suffix(".json")
                .map(str::to_owned)
        });
        let mut found: Vec<_> = names.filter_map(|name| self.read(&name)).collect();
        found.sort_by(|(a, _), (b, _)| a.file.cmp(&b.file));
        found
    }

    /// Writes a record, in place of the one of the same file.
    pub(super) fn put(&self, record: &EditRecord, before: Option<&[u8]>) -> Result<(), Problem> {
        let name = name_of(&record.target);
        if let Some(before) = before {
            disk::write_private(&self.before(&name), before)?;
        }
        let text =
            serde_json::to_vec_pretty(record).map_err(|error| Problem::Text(error.to_string()))?;
        disk::write_private(&self.path(&name), &text)
    }

    /// Removes the record of a file.
    pub(super) fn forget(&self, target: &Path) {
        let name = name_of(target);
        // A record that is absent need not be removed.
        drop(std::fs::remove_file(self.path(&name)));
        drop(std::fs::remove_file(self.before(&name)));
        drop(std::fs::remove_dir(&self.directory));
    }

    /// Removes directories that were made for files that are gone. A directory that is still needed stays until the
    /// last of our files below it goes.
    pub(super) fn remove_directories(&self, mut made: Vec<PathBuf>) {
        made.sort_by_key(|directory| std::cmp::Reverse(directory.components().count()));
        made.dedup();
        for directory in made {
            if std::fs::remove_dir(&directory).is_ok() || !directory.exists() {
                continue;
            }
            let mut others = self.all().into_iter();
            let heir = others.find(|(record, _)| record.target.starts_with(&directory));
            if let Some((mut record, before)) = heir
                && !record.directories.contains(&directory)
            {
                record.directories.insert(0, directory);
                if let Err(problem) = self.put(&record, before.as_deref()) {
                    tracing::debug!(%problem, "a directory that was made for a client stays");
                }
            }
        }
    }

    /// Returns where the bytes of before are kept.
    pub(super) fn backup(&self, target: &Path) -> PathBuf {
        self.before(&name_of(target))
    }

    fn read(&self, name: &str) -> Option<(EditRecord, Option<Vec<u8>>)> {
        let record: EditRecord =
            serde_json::from_slice(&std::fs::read(self.path(name)).ok()?).ok()?;
        let before = if record.existed {
            Some(std::fs::read(self.before(name)).ok()?)
        } else {
            None
        };
        let n = before.as_ref().map_or(0, Vec::len);
        let is_sound = record
            .at
            .checked_add(record.n_removed)
            .is_some_and(|end| end <= n);
        is_sound.then_some((record, before))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.json"))
    }

    fn before(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.before"))
    }
}

fn name_of(target: &Path) -> String {
    let digest = blake3::hash(target.as_os_str().as_encoded_bytes());
    digest.to_hex().chars().take(24).collect()
}

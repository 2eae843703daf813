//! A digest of everything outside the work tree that decides which files belong to it: the root, rules of the user and
//! the system, and settings. Small, and read anew in each call.

use std::path::PathBuf;

use crate::model::ContentId;

use super::Repo;
use super::content::read_outside;

/// Of a larger file nothing is said.
const MAX_BYTES: u64 = 1 << 20;

impl Repo {
    /// Returns a digest of everything outside the work tree's directories, `HEAD` and the staging area that a [`super::Scan`]
    /// rests on: which directory the root is, git's settings (included files among them), and the files of rules that
    /// they name. `None` where that can't be told, and for a commit. Costs five reads of small files.
    pub fn rules_digest(&self) -> Option<ContentId> {
        let mut hasher = blake3::Hasher::new();
        let root = self.source.work_tree()?.id()?;
        hasher.update(&root.device.to_le_bytes());
        hasher.update(&root.inode.to_le_bytes());
        let rules = (self.case(), &self.indexing_rules, &self.drivers);
        hasher.update(format!("{rules:?}").as_bytes());
        let system =
            gix::attrs::Source::System.storage_location(&mut |name| std::env::var_os(name));
        let info = self.common_dir.join("info");
        let files = [
            system,
            self.user_file("core.attributesFile", "attributes"),
            self.user_file("core.excludesFile", "ignore"),
            Some(info.join("attributes")),
            Some(info.join("exclude")),
            Some(self.common_dir.join("shallow")),
        ];
        for file in files {
            hasher.update(&digest(file)?);
        }
        ContentId::from_bytes(hasher.finalize().as_bytes())
    }
}

/// Returns a digest of a file's path and bytes, or of its absence; `None` where it is too large or can't be read.
fn digest(file: Option<PathBuf>) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    if let Some(path) = file {
        hasher.update(path.as_os_str().as_encoded_bytes());
        let bytes = read_outside(&path, MAX_BYTES + 1).ok()?;
        if let Some(bytes) = bytes {
            if bytes.len() as u64 > MAX_BYTES {
                return None;
            }
            hasher.update(&[0, 1]);
            hasher.update(&bytes);
        }
    }
    Some(*hasher.finalize().as_bytes())
}

//! All that opening the repository of a work tree reads, so that a later call can tell whether it would open the same.
//!
//! Small: some files of settings by their bytes, the identities of three directories, one stat.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use gix::bstr::ByteSlice as _;
use gix::config::Source;

use crate::model::FileStat;

use super::content::{read_no_link, read_without_stat, stat_of};
use super::git_dir::link_target;
use super::{Repo, reftable};

/// With a longer file the repository is opened anew in each call.
const MAX_BYTES: u64 = 1 << 20;

/// The state of all that was read.
#[derive(PartialEq, Eq)]
pub(super) struct OpenedFrom {
    /// Files of the repository, none of them a link.
    own: Vec<FileContent>,
    /// Files of the user.
    users: Vec<FileContent>,
    /// Root of the work tree, git directory and common directory.
    directories: Vec<(PathBuf, OwnedDirectory)>,
    /// The file of packed references, which says what replaces what; its path, and `None` where there is none.
    packed: (PathBuf, Option<FileStat>),
}

/// A path with the bytes there; `None` where there is no file.
type FileContent = (PathBuf, Option<Vec<u8>>);

/// Which directory is at a path, and whose it is.
#[derive(PartialEq, Eq)]
struct OwnedDirectory {
    device: u64,
    inode: u64,
    owner: u32,
}

impl OpenedFrom {
    /// Reads what opening the repository at `root` reads, and the files that its settings take in. `None` where an equal
    /// state would not prove that nothing changed.
    pub(super) fn read(root: &Path, included: &[PathBuf]) -> Option<Self> {
        let link = root.join(".git");
        let git_dir = match link_target(&link, "gitdir: ") {
            Some(target) => root.join(target),
            None => link.clone(),
        };
        let common_dir = match link_target(&git_dir.join("commondir"), "") {
            Some(target) => git_dir.join(target),
            None => git_dir.clone(),
        };
        let mut environment = |name: &str| std::env::var_os(name);
        let users = [Source::System, Source::Git, Source::User]
            .into_iter()
            .filter_map(|source| source.storage_location(&mut environment));
        let users = users.chain(included.iter().cloned()).collect();
        let own = ["HEAD", "commondir", "config.worktree", "gitdir"];
        let own = own.map(|name| git_dir.join(name)).into_iter().chain([
            link,
            common_dir.join("config"),
            common_dir.join("shallow"),
            common_dir.join("objects/info/alternates"),
        ]);
        let packed = common_dir.join("packed-refs");
        let mut directories = vec![root.to_owned(), git_dir, common_dir];
        directories.dedup();
        Self::at(own.collect(), users, directories, packed)
    }

    /// Reads the same again.
    pub(super) fn read_again(&self) -> Option<Self> {
        let paths = |files: &[FileContent]| files.iter().map(|(path, _)| path.clone()).collect();
        let directories = self.directories.iter().map(|(path, _)| path.clone());
        let (own, users) = (paths(&self.own), paths(&self.users));
        Self::at(own, users, directories.collect(), self.packed.0.clone())
    }

    fn at(
        own: Vec<PathBuf>,
        users: Vec<PathBuf>,
        directories: Vec<PathBuf>,
        packed: PathBuf,
    ) -> Option<Self> {
        let own = contents(own, read_no_link)?;
        let users = contents(users, read_without_stat)?;
        let with_owner = |path: PathBuf| {
            let directory = owned_directory(&path)?;
            Some((path, directory))
        };
        let directories = directories.into_iter().map(with_owner);
        let directories = directories.collect::<Option<Vec<_>>>()?;
        let stat = settled_stat(&packed).ok()?;
        // The library reads what replaces which object when it is opened. Where that is packed, the stat above shows it.
        let replacements = packed.with_file_name("refs").join("replace");
        let has_replacements = replacements.symlink_metadata().is_ok();
        (!has_replacements).then_some(Self {
            own,
            users,
            directories,
            packed: (packed, stat),
        })
    }
}

/// Reads files of at most [`MAX_BYTES`]; `None` where one is larger, or can't be read.
fn contents(
    paths: Vec<PathBuf>,
    read: impl Fn(&Path, u64) -> io::Result<Option<Vec<u8>>>,
) -> Option<Vec<FileContent>> {
    let with_bytes = |path: PathBuf| {
        let bytes = read(&path, MAX_BYTES + 1).ok()?;
        let is_whole = bytes.as_ref().is_none_or(|it| it.len() as u64 <= MAX_BYTES);
        is_whole.then_some((path, bytes))
    };
    paths.into_iter().map(with_bytes).collect()
}

/// Returns the files that the settings of an open repository take in, whether or not their condition holds; `None` where
/// that can't be told.
pub(super) fn included_files(repo: &Repo) -> Option<Vec<PathBuf>> {
    // Its tables are read by each call; nothing would be won.
    if reftable::is_used_by(&repo.inner) {
        return None;
    }
    let config = repo.inner.config_snapshot();
    let mut files = Vec::new();
    for section in config.plumbing().sections() {
        let name = section.header().name().to_ascii_lowercase();
        if name != b"include" && name != b"includeif" {
            continue;
        }
        let meta = section.meta();
        // The repository's own are not followed, and lead anywhere.
        let is_users = matches!(meta.source, Source::System | Source::Git | Source::User);
        let file = meta.path.as_ref().filter(|_| is_users)?;
        for value in section.values("path") {
            files.push(resolve(value.to_str().ok()?, file)?);
        }
    }
    Some(files)
}

/// Returns the file that a path in a file of settings leads to.
fn resolve(path: &str, named_in: &Path) -> Option<PathBuf> {
    if let Some(below) = path.strip_prefix("~/") {
        return Some(std::env::home_dir()?.join(below));
    }
    let is_of_other = path.starts_with(['~', '%']);
    (!is_of_other).then(|| Some(named_in.parent()?.join(path)))?
}

/// Returns the stat of a file that proves its content later on; `None` where there is none.
fn settled_stat(path: &Path) -> io::Result<Option<FileStat>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_ns = now.map_or(0, |now| i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
    match path.symlink_metadata() {
        Ok(meta) => {
            let is_file = meta.is_file();
            let stat = stat_of(&cap_std::fs::Metadata::from_just_metadata(meta));
            let is_settled = is_file && stat.proves_content(now_ns);
            is_settled
                .then_some(Some(stat))
                .ok_or_else(|| io::ErrorKind::WouldBlock.into())
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

#[cfg(unix)]
fn owned_directory(path: &Path) -> Option<OwnedDirectory> {
    use std::os::unix::fs::MetadataExt as _;
    let meta = path.metadata().ok()?;
    Some(OwnedDirectory {
        device: meta.dev(),
        inode: meta.ino(),
        owner: meta.uid(),
    })
}

#[cfg(not(unix))]
fn owned_directory(_: &Path) -> Option<OwnedDirectory> {
    None
}

//! Reading and replacing one file of a client, through links, without a moment in which it is half written.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The largest file that is edited, in bytes: clients keep histories beside their servers.
const MAX_BYTES: u64 = 64 << 20;

/// How many links are followed.
const MAX_LINKS: usize = 16;

/// Why a file was left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The reason why the file's text can't be edited; in lower case, without a full stop.
    Text(String),
    /// It could not be read or written.
    Io(ErrorKind),
    /// It leads out of the repository by a link.
    Outside,
    /// Somebody else changed it at the same time.
    Changed,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(why) => f.write_str(why),
            Self::Io(kind) => write!(f, "it can't be read or written: {kind}"),
            Self::Outside => f.write_str("it is a link that leads out of the repository"),
            Self::Changed => {
                f.write_str("another program changed it at the same time: run the command again")
            }
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(error.kind())
    }
}

/// Returns the file that a path means in the end: links are followed, also one that leads to nothing yet.
pub(super) fn target(path: &Path) -> Result<PathBuf, Problem> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = std::fs::read_link(&path) else {
            return Ok(path);
        };
        path = path
            .parent()
            .map_or_else(|| next.clone(), |directory| directory.join(&next));
    }
    Err(Problem::Io(ErrorKind::InvalidInput))
}

/// Whether a file lies, or would lie, below a directory once all links are followed.
pub(super) fn is_below(file: &Path, root: &Path) -> bool {
    let existing = file
        .ancestors()
        .skip(1)
        .find_map(|directory| directory.canonicalize().ok());
    match (existing, root.canonicalize()) {
        (Some(existing), Ok(root)) => existing.starts_with(root),
        _ => false,
    }
}

/// Returns the bytes of a file; `None` where there is none.
pub(super) fn read(file: &Path) -> Result<Option<Vec<u8>>, Problem> {
    let meta = match std::fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !meta.is_file() {
        return Err(Problem::Text("it is not a file".to_owned()));
    }
    if meta.len() > MAX_BYTES {
        return Err(Problem::Text("it is too large to be edited".to_owned()));
    }
    Ok(Some(std::fs::read(file)?))
}

/// Replaces the bytes of a file, `None` to remove it, if they still are `expected`.
pub(super) fn replace(
    file: &Path,
    expected: Option<&[u8]>,
    bytes: Option<&[u8]>,
) -> Result<(), Problem> {
    if let (Some(directory), Some(_)) = (file.parent(), bytes) {
        std::fs::create_dir_all(directory)?;
    }
    if read(file)?.as_deref() != expected {
        return Err(Problem::Changed);
    }
    match bytes {
        Some(bytes) => write(file, bytes)?,
        None if expected.is_some() => std::fs::remove_file(file)?,
        None => {}
    }
    Ok(())
}

/// Writes a file for this user alone, with the directory it needs.
pub(super) fn write_private(file: &Path, bytes: &[u8]) -> Result<(), Problem> {
    if let Some(directory) = file.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
    }
    let temporary = beside(file);
    create(&temporary, true)?.write_all(bytes)?;
    std::fs::rename(&temporary, file)?;
    Ok(())
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let temporary = beside(file);
    let permissions = std::fs::metadata(file).ok().map(|meta| meta.permissions());
    let written = create(&temporary, permissions.is_some()).and_then(|mut handle| {
        handle.write_all(bytes)?;
        handle.sync_all()?;
        if let Some(permissions) = permissions.clone() {
            handle.set_permissions(permissions)?;
        }
        drop(handle);
        std::fs::rename(&temporary, file)
    });
    let Err(error) = written else {
        return Ok(());
    };
    // A temporary file that was never written need not be removed.
    drop(std::fs::remove_file(&temporary));
    if permissions.is_none() {
        return Err(error.into());
    }
    // A file that is mounted by itself, or whose directory is closed, can only be written in place.
    std::fs::write(file, bytes)?;
    Ok(())
}

fn create(file: &Path, is_private: bool) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(file)
}

/// Returns a name in the same directory that nobody else uses.
fn beside(file: &Path) -> PathBuf {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!(".{name}.codelens-{}-{nanos:x}", std::process::id()))
}

//! The file with the directories that a command remembered of a work tree, as bytes.
//!
//! ```text
//! listed-<work tree>.bin   magic (8 bytes), boot of the machine (36), BLAKE3 of the rest (32), the rest
//! ```
//!
//! One of another boot, or with one wrong byte, is no file.

use std::path::{Path, PathBuf};

use super::RepoHome;
use super::durable::boot;

const MAGIC: &[u8; 8] = b"CLDIRS01";

/// A larger file is neither read nor written, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// How the names of such files begin.
pub(super) const PREFIX: &str = "listed-";

/// Returns the bytes of a work tree; `None` where there are none of this boot of the machine.
pub fn read(home: &RepoHome, work_dir: &Path) -> Option<Vec<u8>> {
    let path = path(home, work_dir);
    let is_small = path.metadata().is_ok_and(|it| it.len() <= MAX_BYTES);
    let mut bytes = is_small.then(|| std::fs::read(&path).ok())??;
    let head = head(&[])?;
    let rest = bytes.get(head.len()..)?;
    let is_whole = bytes[..head.len()] == self::head(rest)?;
    is_whole.then(|| bytes.split_off(head.len()))
}

/// Writes the bytes of a work tree. Best effort: without it the next command lists every directory.
pub fn write(home: &RepoHome, work_dir: &Path, bytes: &[u8]) {
    let Some(head) = head(bytes).filter(|_| bytes.len() as u64 <= MAX_BYTES) else {
        return;
    };
    let draft = home.draft_path();
    let written = std::fs::write(&draft, [&head, bytes].concat());
    let written = written.and_then(|()| std::fs::rename(&draft, path(home, work_dir)));
    if let Err(error) = written {
        tracing::info!(%error, "the listed directories could not be kept");
        drop(std::fs::remove_file(&draft));
    }
}

/// Returns the bytes before `rest`; `None` where boots can't be told apart.
fn head(rest: &[u8]) -> Option<Vec<u8>> {
    let digest = blake3::hash(rest);
    Some([&MAGIC[..], boot()?.as_bytes(), digest.as_bytes()].concat())
}

fn path(home: &RepoHome, work_dir: &Path) -> PathBuf {
    let digest = blake3::hash(work_dir.as_os_str().as_encoded_bytes()).to_hex();
    home.dir().join(format!("{PREFIX}{}.bin", &digest[..16]))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{path, read, write};
    use crate::store::durable::boot;
    use crate::store::remove::tests::made;

    #[test]
    fn what_was_written_is_read_until_one_byte_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let (home, _) = made(dir.path());
        let (one, other) = (Path::new("/x"), Path::new("/y"));
        assert_eq!(read(&home, one), None);
        write(&home, one, b"directories");
        if boot().is_none() {
            return;
        }
        assert_eq!(read(&home, one).as_deref(), Some(&b"directories"[..]));
        assert_eq!(read(&home, other), None);
        let file = path(&home, one);
        let whole = std::fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut altered = whole.clone();
            altered[at] ^= 1;
            std::fs::write(&file, altered).unwrap();
            assert_eq!(read(&home, one), None, "{at}");
            std::fs::write(&file, &whole[..at]).unwrap();
            assert_eq!(read(&home, one), None, "{at}");
        }
        assert!(home.orphans(std::time::Duration::ZERO).is_empty());
    }
}

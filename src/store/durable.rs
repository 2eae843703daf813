//! Whether a build would outlive a power failure.
//!
//! A new build is written without waiting for the disk, because waiting takes longer than all else when a branch is
//! switched. Until it was forced out, its reader lock names the boot of the machine: a build with another boot's name
//! may have holes, and is not used. Where boots can't be told apart, the disk is waited for.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::OnceLock;

use super::{StoreResult, io_error};

const ON_DISK: &str = "on disk";

/// As long as any other note is.
const NOTE_BYTES: usize = 48;

/// Whether the bytes of a build are known to be on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// They are on the disk, and each change waits for it.
    OnDisk,
    /// They are at least in the memory of the operating system, which has not been started again since.
    SinceBoot,
    /// Some may be lost.
    Unknown,
}

/// Notes that a build is about to be written, by its reader lock.
pub(super) fn begin(reader_lock_path: &Path) -> StoreResult<Durability> {
    let (note, durability) = match boot() {
        Some(boot) => (boot, Durability::SinceBoot),
        None => (ON_DISK, Durability::OnDisk),
    };
    std::fs::write(reader_lock_path, note).map_err(io_error("write", reader_lock_path))?;
    Ok(durability)
}

/// Notes that a build was written since the machine started; where boots can't be told apart it has to be forced to the disk. The
/// earlier note is overwritten, at no time empty.
pub(super) fn note_this_boot(reader_lock_path: &Path) -> StoreResult<Durability> {
    let Some(boot) = boot() else {
        return Ok(Durability::OnDisk);
    };
    let was_on_disk = of(reader_lock_path) == Durability::OnDisk;
    let file = overwrite(reader_lock_path, boot)?;
    if was_on_disk {
        // The older note would vouch for bytes that the machine lost when it stopped.
        file.sync_data()
            .map_err(io_error("write", reader_lock_path))?;
    }
    Ok(Durability::SinceBoot)
}

/// Notes that all of a build was forced to the disk.
pub(super) fn reached_disk(reader_lock_path: &Path) -> StoreResult<()> {
    overwrite(reader_lock_path, ON_DISK).map(drop)
}

/// Overwrites the note without truncating it first: where nothing can be written, the older note has to stay.
fn overwrite(reader_lock_path: &Path, note: &str) -> StoreResult<std::fs::File> {
    let note = format!("{note:NOTE_BYTES$}");
    std::fs::File::options()
        .write(true)
        .open(reader_lock_path)
        .and_then(|mut file| file.write_all(note.as_bytes()).map(|()| file))
        .map_err(io_error("write", reader_lock_path))
}

/// Returns the durability that a reader lock states for its build.
pub(super) fn of(reader_lock_path: &Path) -> Durability {
    match read_small(reader_lock_path) {
        Ok(note) if note.starts_with(ON_DISK.as_bytes()) => Durability::OnDisk,
        Ok(note) if boot().is_some_and(|boot| note.trim_ascii_end() == boot.as_bytes()) => {
            Durability::SinceBoot
        }
        _ => Durability::Unknown,
    }
}

/// Reads a file of some hundred bytes, without the stat by which the standard library finds its length: these are read for
/// each question.
pub(super) fn read_small(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(1024);
    let file = std::fs::File::open(path)?;
    file.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the name of this boot of the machine (`man 4 random`); `None` where there is none.
pub(super) fn boot() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let id = text.trim();
        (id.len() == 36).then(|| format!("since boot {id}"))
    };
    BOOT.get_or_init(read).as_deref()
}

#[cfg(test)]
mod tests {
    use super::{Durability, begin, boot, of, reached_disk};

    #[test]
    fn what_another_boot_left_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let reader_lock_path = dir.path().join("x.open");
        assert_eq!(of(&reader_lock_path), Durability::Unknown);
        let begun = begin(&reader_lock_path).unwrap();
        assert_eq!(of(&reader_lock_path), begun);
        assert_eq!(begun == Durability::SinceBoot, boot().is_some());
        std::fs::write(
            &reader_lock_path,
            "since boot 00000000-0000-0000-0000-000000000000",
        )
        .unwrap();
        assert_eq!(of(&reader_lock_path), Durability::Unknown);
        // A power failure leaves an empty file of a note that was not written out.
        std::fs::write(&reader_lock_path, "").unwrap();
        assert_eq!(of(&reader_lock_path), Durability::Unknown);
        reached_disk(&reader_lock_path).unwrap();
        assert_eq!(of(&reader_lock_path), Durability::OnDisk);
    }
}

//! The file of an archive, and its format.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;

use super::ArchiveError;

/// The largest archive, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// Bytes of a block of a tar, which the first one tells its format in.
const TAR_BLOCK: u64 = 512;

/// The longest name.
const MAX_NAME: usize = 64;

/// The format of an archive, told by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArchiveFormat {
    Zip,
    Tar,
    TarGz,
    TarZst,
}

/// The open file of an archive.
#[derive(Debug)]
pub struct Archive {
    file: File,
    pub(super) format: ArchiveFormat,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub digest: String,
}

impl Archive {
    /// Opens the file at `path` and reads it once.
    ///
    /// # Errors
    /// [`ArchiveError::Read`] where it can't be read, [`ArchiveError::TooLarge`] above 2 GiB, [`ArchiveError::UnknownFormat`].
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let mut file = File::open(path).map_err(ArchiveError::Read)?;
        let meta = file.metadata().map_err(ArchiveError::Read)?;
        if !meta.is_file() {
            return Err(ArchiveError::UnknownFormat);
        }
        if meta.len() > MAX_BYTES {
            return Err(ArchiveError::TooLarge("2 GiB".to_owned()));
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(&file).map_err(ArchiveError::Read)?;
        let format = format_of(&mut file)?.ok_or(ArchiveError::UnknownFormat)?;
        Ok(Self {
            file,
            format,
            bytes: hasher.count(),
            digest: hasher.finalize().to_hex().to_string(),
        })
    }

    /// Returns the file, at its beginning.
    pub(super) fn rewound(&self) -> Result<&File, ArchiveError> {
        let mut file = &self.file;
        file.rewind().map_err(ArchiveError::Read)?;
        Ok(file)
    }
}

fn format_of(file: &mut File) -> Result<Option<ArchiveFormat>, ArchiveError> {
    file.rewind().map_err(ArchiveError::Read)?;
    let mut start = Vec::new();
    let block = file.take(TAR_BLOCK);
    { block }
        .read_to_end(&mut start)
        .map_err(ArchiveError::Read)?;
    Ok(match start.as_slice() {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(ArchiveFormat::Zip),
        [0x1f, 0x8b, ..] => Some(ArchiveFormat::TarGz),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(ArchiveFormat::TarZst),
        _ if start.get(257..262) == Some(b"ustar") => Some(ArchiveFormat::Tar),
        _ => None,
    })
}

/// Returns the name of an archive that is given none: `express-4.0` of `/tmp/express-4.0.tar.gz`. `None` where nothing of it can stand
/// in a name.
pub fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let endings = [".tar.gz", ".tar.zst", ".tgz", ".tzst", ".tar", ".zip"];
    let lower = name.to_ascii_lowercase();
    let ending = endings.iter().find(|it| lower.ends_with(*it));
    let stem = &name[..name.len() - ending.map_or(0, |it| it.len())];
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let kept: String = stem
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    let kept = kept.trim_matches(['.', '-']);
    let kept = &kept[..kept.len().min(MAX_NAME)];
    is_name(kept).then(|| kept.to_owned())
}

/// Whether a text can be the name of an archive, and of its directory.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty()
        && name.len() <= MAX_NAME
        && name.chars().all(plain)
        && !name.starts_with(['.', '-'])
        && !name.ends_with('.')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_name, name_of};

    #[test]
    fn an_archive_is_named_after_its_file() {
        for (path, name) in [
            ("/tmp/express-4.0.tar.gz", Some("express-4.0")),
            ("Drop 7.ZIP", Some("Drop-7")),
            ("a.b.tgz", Some("a.b")),
            (".zip", None),
            ("é.zip", None),
        ] {
            assert_eq!(name_of(Path::new(path)).as_deref(), name, "{path}");
        }
    }

    #[test]
    fn names_stay_within_their_directory() {
        assert!(is_name("express-4.0_b"));
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "-a",
            "a.",
            "a b",
            "a\\b",
            &"a".repeat(65),
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}

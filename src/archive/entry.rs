//! The entries of an archive, one after the other, in whatever format it is.

use std::fs::File;
use std::io::{self, BufReader, Read};

use tar::EntryType;

use super::ArchiveError;
use super::format::{Archive, ArchiveFormat};

/// The most entries of an archive.
const MAX_ENTRIES: usize = 100_000;

/// The most bytes of an entry that says something of the next one: a long name. They are held in memory.
const MAX_EXTENSION_BYTES: u64 = 1 << 20;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArchivedKind {
    File,
    Directory,
    /// One that is not taken: `a link`.
    Other(&'static str),
}

/// An entry of an archive; what it says of itself is not checked.
pub(super) struct ArchivedEntry<'r> {
    pub(super) name: &'r [u8],
    pub(super) kind: ArchivedKind,
    /// Its bytes when unpacked, as it says.
    pub(super) size: u64,
    /// When it was changed last, in seconds since 1970; 0 where that is not known.
    pub(super) modified_s: i64,
    /// Its bytes.
    pub(super) bytes: &'r mut dyn Read,
}

/// Called with each entry.
pub(super) type OnEntry<'f> = &'f mut dyn FnMut(ArchivedEntry<'_>) -> Result<(), ArchiveError>;

impl Archive {
    /// Goes through the entries in their order; at most `max_bytes` are unpacked.
    pub(super) fn each_entry(
        &self,
        max_bytes: u64,
        on_entry: OnEntry<'_>,
    ) -> Result<(), ArchiveError> {
        let file = self.rewound()?;
        if self.format == ArchiveFormat::Zip {
            return zip_entries(file, on_entry);
        }
        check_extensions(self.unpacked(max_bytes)?)?;
        tar_entries(self.unpacked(max_bytes)?, on_entry)
    }

    /// Returns the bytes of a tar, unpacked.
    fn unpacked(&self, max_bytes: u64) -> Result<Box<dyn Read + '_>, ArchiveError> {
        let file = BufReader::new(self.rewound()?);
        let damaged = |error: io::Error| ArchiveError::of_io(&error);
        let bytes: Box<dyn Read + '_> = match self.format {
            ArchiveFormat::TarGz => Box::new(flate2::read::MultiGzDecoder::new(file)),
            ArchiveFormat::TarZst => Box::new(zstd::Decoder::with_buffer(file).map_err(damaged)?),
            ArchiveFormat::Tar | ArchiveFormat::Zip => Box::new(file),
        };
        // Headers and gaps count too: a file of zeros is nothing but.
        Ok(Box::new(bytes.take(max_bytes)))
    }
}

fn zip_entries(file: &File, on_entry: OnEntry<'_>) -> Result<(), ArchiveError> {
    let damaged = |error: zip::result::ZipError| ArchiveError::Damaged(error.to_string());
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    if archive.len() > MAX_ENTRIES {
        return Err(too_many());
    }
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at).map_err(damaged)?;
        let name = entry.name_raw().to_owned();
        let kind = if entry.encrypted() {
            ArchivedKind::Other("an encrypted file")
        } else if entry.is_dir() {
            ArchivedKind::Directory
        } else {
            kind_of_mode(entry.unix_mode())
        };
        let (size, modified_s) = (entry.size(), entry.last_modified().map_or(0, seconds));
        drop(entry);
        let mut none = io::empty();
        let mut unpacked;
        let bytes: &mut dyn Read = if kind == ArchivedKind::File {
            unpacked = archive.by_index(at).map_err(damaged)?;
            &mut unpacked
        } else {
            &mut none
        };
        on_entry(ArchivedEntry {
            name: &name,
            kind,
            size,
            modified_s,
            bytes,
        })?;
    }
    Ok(())
}

/// Returns the kind of a file with these bits of Unix; most archives have none.
fn kind_of_mode(mode: Option<u32>) -> ArchivedKind {
    const KIND: u32 = 0o170_000;
    match mode.map_or(0, |mode| mode & KIND) {
        0 | 0o100_000 => ArchivedKind::File,
        0o040_000 => ArchivedKind::Directory,
        0o120_000 => ArchivedKind::Other("a link"),
        _ => ArchivedKind::Other("a device"),
    }
}

/// Returns the seconds since 1970 of a time that names no zone, taken for UTC.
fn seconds(time: zip::DateTime) -> i64 {
    let (year, month) = (i64::from(time.year()), i64::from(time.month()));
    // Days from a calendar date, by Howard Hinnant's `days_from_civil` (chrono-compatible low-level date algorithms).
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(time.day()) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    days * 86_400
        + i64::from(time.hour()) * 3_600
        + i64::from(time.minute()) * 60
        + i64::from(time.second())
}

/// Makes sure that no entry is large that the library reads whole to learn the name of the next one.
fn check_extensions(bytes: Box<dyn Read + '_>) -> Result<(), ArchiveError> {
    let damaged = |error: io::Error| ArchiveError::of_io(&error);
    let mut archive = tar::Archive::new(bytes);
    for (n, entry) in archive.entries().map_err(damaged)?.raw(true).enumerate() {
        if n > 2 * MAX_ENTRIES {
            return Err(too_many());
        }
        let entry = entry.map_err(damaged)?;
        let kind = entry.header().entry_type();
        let is_extension = matches!(
            kind,
            EntryType::GNULongName
                | EntryType::GNULongLink
                | EntryType::XHeader
                | EntryType::XGlobalHeader
        );
        if is_extension && entry.size() > MAX_EXTENSION_BYTES {
            return Err(ArchiveError::of_entry("a name of more than 1 MiB", b"-"));
        }
    }
    Ok(())
}

fn tar_entries(bytes: Box<dyn Read + '_>, on_entry: OnEntry<'_>) -> Result<(), ArchiveError> {
    let damaged = |error: io::Error| ArchiveError::of_io(&error);
    let mut archive = tar::Archive::new(bytes);
    for (n, entry) in archive.entries().map_err(damaged)?.enumerate() {
        if n >= MAX_ENTRIES {
            return Err(too_many());
        }
        let mut entry = entry.map_err(damaged)?;
        let kind = match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => ArchivedKind::File,
            EntryType::Directory => ArchivedKind::Directory,
            EntryType::Symlink | EntryType::Link => ArchivedKind::Other("a link"),
            // `git archive` writes its commit into one.
            EntryType::XGlobalHeader => continue,
            EntryType::GNUSparse => ArchivedKind::Other("a sparse file"),
            _ => ArchivedKind::Other("a device"),
        };
        let name = entry.path_bytes().into_owned();
        let modified = entry.header().mtime().unwrap_or(0);
        on_entry(ArchivedEntry {
            name: &name,
            kind,
            size: entry.size(),
            modified_s: i64::try_from(modified).unwrap_or(0),
            bytes: &mut entry,
        })?;
    }
    Ok(())
}

fn too_many() -> ArchiveError {
    ArchiveError::TooLarge("100,000 entries".to_owned())
}

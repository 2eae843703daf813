//! Documents that a person attached: copies in the data directory, each under the digest of its bytes.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::super::{View, Workspace};
use crate::error::{Code, Error, Result};
use crate::model::indexing_rules::is_secret_name;
use crate::model::{ContentId, RepoPath};
use crate::store::memory::DocumentLocation;
use crate::store::{RecordKind, RepoHome, SavedRecord};

/// The largest file that is copied, in bytes.
const MAX_COPY: u64 = 64 << 20;

/// The text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachedText {
    /// A file of the repository, by its path.
    File(String),
    /// A copy in the data directory: the name that the file had, and its text.
    Copy(String, String),
}

impl Workspace {
    /// Copies a file into the data directory. Returns the digest of its bytes and its name.
    ///
    /// # Errors
    /// `io` where it can't be read, `refused` for a file of secrets, `invalid_argument` for one that is too large.
    pub fn copy_document(&self, file: &Path) -> Result<DocumentLocation> {
        let name = file.file_name().map(|name| name.to_string_lossy());
        let name = name.unwrap_or_default().into_owned();
        if RepoPath::new(&name).is_none_or(|name| is_secret_name(&name)) {
            return Err(Error::new(
                Code::Refused,
                "a file of this name may hold secrets, or has no name",
                "attach a copy of it under another name, without the secrets",
            ));
        }
        let failed = |error: std::io::Error| {
            Error::new(
                Code::Io,
                format!(
                    "the document `{}` cannot be read or copied: {error}",
                    crate::workspace::cut_argument(&name)
                ),
                "pass the path of a file that you can read; the data directory has to be writable",
            )
            .because(error)
        };
        let mut bytes = Vec::new();
        let opened = fs::File::open(file).map_err(failed)?;
        opened
            .take(MAX_COPY + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > MAX_COPY {
            return Err(Error::invalid(
                format!("the document is larger than {} MiB", MAX_COPY >> 20),
                "attach its address with `codelens save --kind document --url …`",
            ));
        }
        let home = self.prepared_home()?;
        let digest = ContentId::of(&bytes);
        let to = copy_path(&home, &digest.to_string());
        let folder = to.parent().unwrap_or(home.dir());
        fs::create_dir_all(folder).map_err(failed)?;
        let draft = folder.join(format!(".draft-{digest}-{}", std::process::id()));
        fs::write(&draft, &bytes).map_err(failed)?;
        fs::rename(&draft, &to).map_err(failed)?;
        Ok(DocumentLocation::Copy(digest, name))
    }

    /// Returns the text of an attached document; of a link to a file of the repository its path.
    ///
    /// # Errors
    /// `invalid_argument` where there is no document of that name; `not_indexed` for one that is no text, or whose copy is gone.
    pub fn document_text(&self, name: &str) -> Result<AttachedText> {
        let (record, _) = self.saved_record(name, Some(RecordKind::Document))?;
        let closed = |message: String, hint: &str| Err(Error::new(Code::NotIndexed, message, hint));
        match record.document.map(|document| document.place) {
            Some(DocumentLocation::Path(path)) => Ok(AttachedText::File(path)),
            Some(DocumentLocation::Copy(digest, name)) => {
                let Some(bytes) = read_copy(&self.repo_home()?, &digest.to_string()) else {
                    return closed(
                        format!("the copy of `{}` is gone", name.escape_debug()),
                        "attach it again with `codelens doc attach`",
                    );
                };
                match String::from_utf8(bytes) {
                    Ok(text) if !text.contains('\0') => Ok(AttachedText::Copy(name, text)),
                    _ => closed(
                        format!("`{}` is no text", name.escape_debug()),
                        "open it yourself: its name and place are known, and nothing is extracted from it",
                    ),
                }
            }
            Some(DocumentLocation::Address(_)) | None => closed(
                "the document is an address, which is never fetched".to_owned(),
                "open it yourself",
            ),
        }
    }

    /// Removes the link to a document, and its copy where no other record needs it.
    ///
    /// # Errors
    /// `invalid_argument` where there is no document of that name.
    pub fn detach_document(&self, name: &str) -> Result<SavedRecord> {
        let record = self.remove_record(name, Some(RecordKind::Document))?;
        if let Some(DocumentLocation::Copy(digest, _)) =
            record.document.as_ref().map(|it| &it.place)
        {
            let is_needed = self.records()?.copies()?.contains(&digest.to_string());
            if !is_needed {
                let copy = copy_path(&self.repo_home()?, &digest.to_string());
                drop(fs::remove_file(copy));
            }
        }
        Ok(record)
    }
}

impl View<'_> {
    /// Returns whether a document is not where its record says: a file that is not in the tree, a copy that is gone or whose
    /// bytes are others. Of an address nothing is known.
    pub fn lacks_document(&self, place: &DocumentLocation) -> bool {
        match place {
            DocumentLocation::Address(_) => false,
            DocumentLocation::Path(path) => RepoPath::new(path)
                .is_none_or(|path| !matches!(self.repo.source().stat(&path), Ok(Some(_)))),
            DocumentLocation::Copy(digest, _) => !has_copy(&self.home, &digest.to_string()),
        }
    }
}

/// Returns whether a copy is there with its bytes.
pub(in crate::workspace) fn has_copy(home: &RepoHome, digest: &str) -> bool {
    read_copy(home, digest).is_some()
}

/// Returns the bytes of a copy; `None` where it is gone or has others than it was attached with.
fn read_copy(home: &RepoHome, digest: &str) -> Option<Vec<u8>> {
    let bytes = fs::read(copy_path(home, digest)).ok()?;
    (ContentId::of(&bytes).to_string() == digest).then_some(bytes)
}

fn copy_path(home: &RepoHome, digest: &str) -> PathBuf {
    home.dir().join("documents").join(digest)
}

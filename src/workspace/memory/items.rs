//! Items of records: the code that a caller names, as it is saved, and saved code where it is now.

use super::super::View;
use super::super::disk::Disk;
use super::super::view::{missing, outside, why_absent};
use crate::error::{Code, Error, Result};
use crate::lifecycle::anchor::{self, Anchor, AnchorFiles, AnchorState, AnchoredItem};
use crate::model::indexing_rules::is_secret_name;
use crate::model::{Handle, HandleKind, RepoPath, SkipReason};
use crate::store::SavedItem;

/// An item to save: a piece of code or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemToSave {
    /// A symbol or a chunk.
    Code(Handle),
    /// A whole file.
    File(RepoPath),
}

/// An item of a record, found again.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Where it is now.
    pub found: AnchoredItem,
    /// Its handle as it is written.
    pub handle: String,
    /// Its first line now.
    pub preview: Option<String>,
}

pub(super) fn saved(view: &View<'_>, disk: &Disk<'_>, wanted: &ItemToSave) -> Result<SavedItem> {
    let handle = match wanted {
        ItemToSave::File(path) => return saved_file(view, disk, path),
        ItemToSave::Code(handle) => *handle,
    };
    let found = place_of(view, handle)?.and_then(|(path, _)| {
        let file = disk.file(&path)?;
        let piece = file.pieces.iter().find(|piece| piece.handle == handle)?;
        Some(SavedItem {
            handle: handle.to_string(),
            path: path.to_string(),
            symbol: piece.symbol.clone(),
            lines: Some(piece.lines),
            content: file.content,
            digests: anchor::cut(&file.digests, piece.lines),
            exact: Some(anchor::exact(&file.text, piece.lines)),
        })
    });
    match found {
        Some(item) => Ok(item),
        None if view.freshness.as_str() != "fresh" => Err(Error::new(
            Code::IndexBusy,
            "the index is not complete yet: a handle may be of a file that is still to come",
            "run cl_refresh (`codelens refresh`), then call again",
        )),
        None => Err(unknown_handle(
            handle,
            "nothing was saved: search again, the code was removed or renamed",
        )),
    }
}

/// Returns the file of a handle's code, and the qualified name where it is a symbol's; `None` where the index has no such code.
pub(super) fn place_of(
    view: &View<'_>,
    handle: Handle,
) -> Result<Option<(RepoPath, Option<String>)>> {
    Ok(match handle.kind {
        HandleKind::Symbol => {
            let row = view.read.symbol_by_handle(handle)?;
            row.map(|row| (row.path, Some(row.qualified_name)))
        }
        HandleKind::Chunk => {
            let row = view.read.chunk_by_handle(handle)?;
            row.map(|row| (row.path, None))
        }
    })
}

pub(super) fn unknown_handle(handle: Handle, hint: &str) -> Error {
    Error::new(
        Code::UnknownHandle,
        format!("no code in this index has the handle `{handle}`"),
        hint,
    )
}

fn saved_file(view: &View<'_>, disk: &Disk<'_>, path: &RepoPath) -> Result<SavedItem> {
    if is_secret_name(path) {
        return Err(view.left_out(path, SkipReason::Secret));
    }
    if !matches!(view.repo.source().stat(path), Ok(Some(_))) {
        return Err(why_absent(view.repo, path));
    }
    let Some(file) = disk.file(path) else {
        return Err(view.left_out(path, SkipReason::TooLarge));
    };
    Ok(SavedItem {
        handle: format!("rel:{path}"),
        path: path.to_string(),
        symbol: None,
        lines: None,
        content: file.content,
        digests: Vec::new(),
        exact: None,
    })
}

pub(super) fn loaded(disk: &Disk<'_>, item: &SavedItem) -> Loaded {
    let Some(path) = RepoPath::new(&item.path) else {
        // Only an export that was written by hand holds such a path.
        return Loaded {
            found: AnchoredItem {
                state: AnchorState::Missing,
                handle: None,
                path: RepoPath::new("unknown").expect("a plain name is a path"),
                symbol: None,
                lines: None,
            },
            handle: item.handle.clone(),
            preview: None,
        };
    };
    let found = anchor::find(
        &Anchor {
            handle: Handle::parse(&item.handle),
            path,
            symbol: item.symbol.clone(),
            lines: item.lines,
            content: item.content,
            digests: item.digests.clone(),
            exact: item.exact,
        },
        disk,
    );
    let handle = match (found.state, found.handle) {
        (AnchorState::Missing, _) => item.handle.clone(),
        (_, Some(handle)) => handle.to_string(),
        (_, None) => format!("rel:{}", found.path),
    };
    let preview = found
        .lines
        .and_then(|(from, _)| disk.preview(&found.path, from));
    Loaded {
        found,
        handle,
        preview,
    }
}

/// Returns the item that a caller names.
///
/// # Errors
/// `unknown_handle` for text that is no handle, `outside_repo` for a path outside of the repository.
pub fn wanted(text: &str, is_handle: bool) -> Result<ItemToSave> {
    let path = if is_handle {
        if let Some(handle) = Handle::parse(text) {
            return Ok(ItemToSave::Code(handle));
        }
        text.strip_prefix("rel:").ok_or_else(|| {
            Error::new(
                Code::UnknownHandle,
                format!(
                    "`{}` is no handle",
                    text.chars().take(100).collect::<String>().escape_debug()
                ),
                "handles begin with sym_, chk_ or rel:; pass a file as `path`",
            )
        })?
    } else {
        text
    };
    let path = RepoPath::normalise(path).ok_or_else(|| outside(path))?;
    if path.as_str().is_empty() {
        return Err(missing(&path));
    }
    Ok(ItemToSave::File(path))
}

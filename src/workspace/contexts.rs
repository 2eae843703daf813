//! Saves code under a name and finds it again on any branch.

use std::sync::Arc;

use super::disk::Disk;
use super::view::{missing, outside, why_absent};
use super::{Question, View, Workspace};
use crate::error::{Code, Error, Result};
use crate::lifecycle::anchor::{self, Anchor, AnchorFiles, AnchorState, AnchoredItem};
use crate::lifecycle::portable;
use crate::model::indexing_rules::is_secret_name;
use crate::model::{Freshness, Handle, HandleKind, RepoPath, SkipReason};
use crate::reconcile::seed;
use crate::store::{Contexts, NewContext, SavedContext, SavedItem, StoreError};

/// The most items of a context.
pub const MAX_ITEMS: usize = 200;

/// The longest note, in bytes.
const MAX_NOTES: usize = 16_000;

/// The longest name, in bytes.
const MAX_NAME: usize = 200;

/// An item to save: a piece of code or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemToSave {
    /// A symbol or a chunk.
    Code(Handle),
    /// A whole file.
    File(RepoPath),
}

/// An item of a context, found again.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Where it is now.
    pub found: AnchoredItem,
    /// Its handle as it is written.
    pub handle: String,
    /// Its first line now.
    pub preview: Option<String>,
}

impl Workspace {
    /// Saves code under a name, all of it or nothing.
    ///
    /// # Errors
    /// `unknown_handle`, `path_not_found`, `outside_repo` or `not_indexed` for an item that is none.
    pub fn save_context<'q>(
        self: &Arc<Self>,
        name: &str,
        notes: Option<&str>,
        pinned: bool,
        wanted: &[ItemToSave],
        question: impl Into<Question<'q>>,
    ) -> Result<SavedContext> {
        check_name(name)?;
        if notes.is_some_and(|notes| notes.len() > MAX_NOTES) {
            return Err(Error::invalid(
                format!("the notes are longer than {MAX_NOTES} bytes"),
                "shorten them, or save them as a file and save that file's path",
            ));
        }
        if wanted.len() > MAX_ITEMS {
            return Err(Error::invalid(
                format!(
                    "{} items are more than the {MAX_ITEMS} that a context may have",
                    wanted.len()
                ),
                "save them under several names",
            ));
        }
        let new = self.query(question, |view| {
            let disk = Disk::of(view);
            let items = wanted
                .iter()
                .map(|wanted| saved(view, &disk, wanted))
                .collect::<Result<Vec<_>>>()?;
            let snapshot = view.repo.snapshot()?;
            Ok(NewContext {
                name: name.to_owned(),
                notes: notes.map(str::to_owned),
                pinned,
                index_id: view.index_id.to_owned(),
                branch: snapshot.branch.name().map(str::to_owned),
                head_sha: snapshot.head.as_ref().map(ToString::to_string),
                items,
                now_ms: super::now_ms(),
            })
        })?;
        self.contexts()?.save(&new).map_err(contexts_error)
    }

    /// Returns a context with its items where they are now. `show` makes the answer from them and from
    /// how current the index was in which moved ones were looked for.
    ///
    /// # Errors
    /// `invalid_argument` for a name that nothing was saved under, with those that there are.
    pub fn load_context<'q>(
        self: &Arc<Self>,
        name: &str,
        question: impl Into<Question<'q>>,
    ) -> Result<(SavedContext, Vec<Loaded>, Freshness, u64)> {
        let (context, items) = self.saved_context(name)?;
        self.query(question, |view| {
            let disk = Disk::of(view);
            let items = items.iter().map(|item| loaded(&disk, item)).collect();
            if view.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            let generation = view.read.meta().generation;
            Ok((context.clone(), items, view.freshness.clone(), generation))
        })
    }

    /// Returns a context and its items as they were saved.
    ///
    /// # Errors
    /// As [`Workspace::load_context`].
    pub fn saved_context(&self, name: &str) -> Result<(SavedContext, Vec<SavedItem>)> {
        let Some(contexts) = self.existing_contexts()? else {
            return Err(unknown(name, &[]));
        };
        match contexts.find(name)? {
            Some(context) => {
                let items = contexts.items(context.id)?;
                Ok((context, items))
            }
            None => Err(unknown(name, &contexts.all()?)),
        }
    }

    /// Returns every context of the repository, by name.
    pub fn saved_contexts(&self) -> Result<Vec<SavedContext>> {
        match self.existing_contexts()? {
            Some(contexts) => Ok(contexts.all()?),
            None => Ok(Vec::new()),
        }
    }

    /// Gives a context another name.
    ///
    /// # Errors
    /// `invalid_argument` where there is none of that name, or the other one is taken.
    pub fn rename_context(&self, from: &str, to: &str) -> Result<()> {
        check_name(to)?;
        self.saved_context(from)?;
        if !self.contexts()?.rename(from, to)? {
            return Err(Error::invalid(
                format!("`{}` is taken", to.escape_debug()),
                "choose another name, or remove that one with `codelens context rm`",
            ));
        }
        Ok(())
    }

    /// Removes a context.
    ///
    /// # Errors
    /// `invalid_argument` where there is none of that name.
    pub fn remove_context(&self, name: &str) -> Result<()> {
        self.saved_context(name)?;
        self.contexts()?.remove(name)?;
        Ok(())
    }

    /// Returns contexts as text that another repository or machine takes in; all of them without names.
    pub fn export_contexts(&self, names: &[String]) -> Result<String> {
        let mut chosen = Vec::new();
        if names.is_empty() {
            for context in self.saved_contexts()? {
                chosen.push(self.saved_context(&context.name)?);
            }
        }
        for name in names {
            chosen.push(self.saved_context(name)?);
        }
        Ok(portable::write(&chosen))
    }

    /// Takes in exported contexts, all or none; those of the same name are replaced. Returns their
    /// names.
    pub fn import_contexts(&self, text: &str) -> Result<Vec<String>> {
        let read = portable::read(text, MAX_ITEMS).map_err(|what| {
            Error::invalid(
                format!("this is no export of contexts: {what}"),
                "pass what `codelens context export` wrote",
            )
        })?;
        for (context, _) in &read {
            check_name(&context.name)?;
        }
        self.contexts()?.take_in(&read)?;
        Ok(read.into_iter().map(|(context, _)| context.name).collect())
    }

    pub(super) fn existing_contexts(&self) -> Result<Option<Contexts>> {
        let home = self.home.repo(&self.repo()?.repo_id());
        Contexts::open_existing(&home).map_err(contexts_error)
    }

    fn contexts(&self) -> Result<Contexts> {
        let repo = self.repo()?;
        let home = self.home.repo(&repo.repo_id());
        seed::prepare(&repo, &home)?;
        Contexts::open(&home).map_err(contexts_error)
    }
}

/// Turns a fault of the saved contexts into an error: they are never built anew.
fn contexts_error(error: StoreError) -> Error {
    let (code, message, hint) = match &error {
        StoreError::Version { found, wanted, .. } => (
            Code::NewerSchema,
            format!("the saved contexts have version {found}, this version knows {wanted}"),
            "update codelens",
        ),
        _ if error.is_corrupt() => (
            Code::Io,
            "the saved contexts are damaged".to_owned(),
            "`codelens doctor` names the file: put a copy in its place, or move it away and begin anew",
        ),
        _ => return error.into(),
    };
    Error::new(code, message, hint).because(error)
}

fn check_name(name: &str) -> Result<()> {
    let is_fine = !name.trim().is_empty()
        && name.trim() == name
        && name.len() <= MAX_NAME
        && !name.chars().any(char::is_control);
    if is_fine {
        return Ok(());
    }
    Err(Error::invalid(
        format!(
            "a name has 1 to {MAX_NAME} bytes, no control characters and no spaces at its ends"
        ),
        "choose a short name for what the items are about, for example `login-flow`",
    ))
}

fn unknown(name: &str, known: &[SavedContext]) -> Error {
    let names: Vec<String> = known
        .iter()
        .take(20)
        .map(|context| format!("`{}`", context.name))
        .collect();
    let hint = if names.is_empty() {
        "nothing is saved in this repository yet: cl_save (`codelens save NAME …`) does".to_owned()
    } else {
        format!("saved are {}", names.join(", "))
    };
    Error::invalid(
        format!("nothing is saved under the name `{}`", name.escape_debug()),
        hint,
    )
}

fn saved(view: &View<'_>, disk: &Disk<'_>, wanted: &ItemToSave) -> Result<SavedItem> {
    let handle = match wanted {
        ItemToSave::File(path) => return saved_file(view, disk, path),
        ItemToSave::Code(handle) => *handle,
    };
    let path = match handle.kind {
        HandleKind::Symbol => view.read.symbol_by_handle(handle)?.map(|row| row.path),
        HandleKind::Chunk => view.read.chunk_by_handle(handle)?.map(|row| row.path),
    };
    let found = path.and_then(|path| {
        let file = disk.file(&path)?;
        let piece = file.pieces.iter().find(|piece| piece.handle == handle)?;
        Some(SavedItem {
            handle: handle.to_string(),
            path: path.to_string(),
            symbol: piece.symbol.clone(),
            lines: Some(piece.lines),
            content: file.content,
            digests: anchor::cut(&file.digests, piece.lines),
        })
    });
    match found {
        Some(item) => Ok(item),
        None if view.freshness.as_str() != "fresh" => Err(Error::new(
            Code::IndexBusy,
            "the index is not complete yet: a handle may be of a file that is still to come",
            "run cl_refresh (`codelens refresh`), then call again",
        )),
        None => Err(Error::new(
            Code::UnknownHandle,
            format!("no code in this index has the handle `{handle}`"),
            "nothing was saved: search again, the code was removed or renamed",
        )),
    }
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
    })
}

fn loaded(disk: &Disk<'_>, item: &SavedItem) -> Loaded {
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
/// `unknown_handle` for text that is no handle, `outside_repo` for a path that is none.
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

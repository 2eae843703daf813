//! Files of the work tree as saved code is looked for in them: read and extracted once a call.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::View;
use crate::lifecycle::anchor::{AnchorFiles, FileNow, FilePiece, digests};
use crate::model::indexing_rules::{MAX_FILE_BYTES, is_secret_name};
use crate::model::sanitize::one_line;
use crate::model::{Budget, ContentId, Handle, HandleKind, RepoPath, handles};
use crate::reconcile::prepare;
use crate::store::token::normal_form;

/// The longest preview, in characters.
const MAX_PREVIEW: usize = 160;

/// The work tree during one call.
pub(super) struct Disk<'a> {
    view: &'a View<'a>,
    known: RefCell<HashMap<RepoPath, Option<Arc<FileNow>>>>,
}

impl<'a> Disk<'a> {
    pub(super) fn of(view: &'a View<'a>) -> Self {
        Self {
            view,
            known: RefCell::default(),
        }
    }

    /// Returns the first line with text among those from `line` on, as far as a list can show it.
    pub(super) fn preview(&self, path: &RepoPath, line: u32) -> Option<String> {
        let known = self.known(path)?;
        let first = known
            .text
            .lines()
            .skip(line.saturating_sub(1) as usize)
            .map(str::trim)
            .find(|line| !line.is_empty())?;
        let cut: String = first.chars().take(MAX_PREVIEW).collect();
        let mut shown = one_line(&cut).into_owned();
        if first.chars().nth(MAX_PREVIEW).is_some() {
            shown.push('…');
        }
        Some(shown)
    }

    fn known(&self, path: &RepoPath) -> Option<Arc<FileNow>> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let read = self.read(path).map(Arc::new);
        self.known.borrow_mut().insert(path.clone(), read.clone());
        read
    }

    fn read(&self, path: &RepoPath) -> Option<FileNow> {
        if is_secret_name(path) {
            return None;
        }
        let bytes = self
            .view
            .repo
            .source()
            .read(path, MAX_FILE_BYTES)
            .ok()?
            .bytes;
        let budget = Budget::unlimited(self.view.budget.interrupt());
        let (text, extraction, _) = prepare::extract(path, &bytes, false, &budget)?;
        let symbols = handles::symbol_handles(path, &extraction.facts.symbols);
        let chunks = handles::chunk_handles(path, &symbols, &extraction.chunks, &text);
        let name_of = |at: usize| {
            let symbol = extraction.facts.symbols.get(at)?;
            let kind = symbol.kind.as_str().to_owned();
            Some((symbol.qualified_name.clone(), kind))
        };
        let handle = |kind, hash| Handle { kind, hash };
        let symbols = extraction.facts.symbols.iter().zip(&symbols).enumerate();
        let mut pieces: Vec<FilePiece> = symbols
            .map(|(at, (symbol, hash))| FilePiece {
                handle: handle(HandleKind::Symbol, *hash),
                symbol: name_of(at),
                lines: (symbol.span.start_line, symbol.span.end_line),
            })
            .collect();
        pieces.extend(
            extraction
                .chunks
                .iter()
                .zip(chunks)
                .map(|(chunk, hash)| FilePiece {
                    handle: handle(HandleKind::Chunk, hash),
                    symbol: chunk.symbol.and_then(|at| name_of(at as usize)),
                    lines: (chunk.span.start_line, chunk.span.end_line),
                }),
        );
        Some(FileNow {
            content: ContentId::of(&bytes),
            digests: digests(&text),
            pieces,
            text,
        })
    }
}

impl AnchorFiles for Disk<'_> {
    fn file(&self, path: &RepoPath) -> Option<Arc<FileNow>> {
        self.known(path)
    }

    fn defining(&self, qualified: &str) -> Vec<RepoPath> {
        let last = qualified.rsplit('.').next().unwrap_or(qualified);
        let found = self.view.read.symbols_named(&normal_form(last));
        let mut paths: Vec<RepoPath> = found
            .unwrap_or_default()
            .into_iter()
            .filter(|symbol| symbol.qualified_name == qualified)
            .map(|symbol| symbol.path)
            .collect();
        paths.dedup();
        paths
    }

    fn holding(&self, content: ContentId) -> Vec<RepoPath> {
        self.view.read.files_holding(content).unwrap_or_default()
    }
}

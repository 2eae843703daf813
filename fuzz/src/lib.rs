//! What the fuzz targets share: a repository on the disk that is written anew for each input, and what must hold of
//! any extraction.
//!
//! Refuses to know how inputs are made. Everything is written below `CODELENS_FUZZ_DIR`, else below the system's
//! directory for temporary files (a file system in memory is ten times as fast).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use codelens::git::Repo;
use codelens::ir::{Extraction};
use codelens::model::{Budget, RepoPath};
use codelens::store::{Home, Index, IndexKey};

/// How many files of an input are written.
const MAX_FILES: usize = 16;

/// A git repository without commits, and a data directory, both of this process alone.
pub struct Place {
    root: PathBuf,
}

impl Place {
    /// Makes both.
    pub fn new() -> Self {
        let base = std::env::var_os("CODELENS_FUZZ_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let root = base.join(format!("codelens-fuzz-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&root));
        std::fs::create_dir_all(root.join("repo")).expect("the directory can be made");
        let place = Self { root };
        place.git(&["init", "--quiet"]);
        place
    }

    /// Returns the root of the work tree.
    pub fn work_dir(&self) -> PathBuf {
        self.root.join("repo")
    }

    /// Returns the data directory.
    pub fn home_dir(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Returns a directory for whatever else.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Runs git in the work tree.
    pub fn git(&self, args: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=f", "-c", "user.email=f@example.org"])
            .args(args)
            .current_dir(self.work_dir())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .status();
        assert!(status.is_ok_and(|status| status.success()), "git {args:?}");
    }

    /// Makes the work tree hold these files and no others.
    pub fn write(&self, files: &[(RepoPath, &str)]) {
        self.clear();
        for (path, text) in files {
            let file = self.work_dir().join(path.as_str());
            // A name that another file has for its directory, or that is too long for the system, is passed over.
            if file.parent().is_some_and(|parent| std::fs::create_dir_all(parent).is_ok()) {
                drop(std::fs::write(file, text));
            }
        }
    }

    /// Deletes every file of the work tree.
    pub fn clear(&self) {
        for entry in std::fs::read_dir(self.work_dir()).expect("the work tree is there").flatten() {
            if entry.file_name() == ".git" {
                continue;
            }
            let path = entry.path();
            drop(std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path)));
        }
    }

    /// Opens the repository as the product does.
    pub fn repo(&self) -> Repo {
        Repo::discover(&self.work_dir()).expect("it was just made")
    }

    /// Makes an empty index.
    pub fn index(&self, repo: &Repo) -> Index {
        let home = Home::at(&self.home_dir(), &repo.places()).expect("the data directory can be made");
        let key = IndexKey {
            repo_id: repo.repo_id(),
            worktree_id: repo.worktree_id(),
            snapshot: repo.snapshot().expect("it was just made"),
        };
        codelens::reconcile::seed::create_empty(repo, &home, &key).expect("an index can be made")
    }
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.root));
    }
}

/// Deletes a build that nobody published.
pub fn discard(index: Index) {
    let (home, pointer) = (index.home().clone(), index.pointer().clone());
    drop(index);
    codelens::store::seed::discard(&home, &pointer);
}

/// Returns a budget that nothing ends.
pub fn unlimited() -> Budget {
    Budget::unlimited(Arc::default())
}

/// Reads an input in the form of the fixtures: `//- /path` begins a file, `//- commit` ends a state. Returns the files
/// of each state, of which there are at most two; names of git's and whatever is no path are left out.
pub fn states(text: &str) -> Vec<Vec<(RepoPath, &str)>> {
    let mut states: Vec<Vec<(RepoPath, &str)>> = vec![Vec::new()];
    let mut rest = text;
    while let Some(at) = rest.find("//- ") {
        let block = &rest[at + 4..];
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        let end = body.find("//- ").unwrap_or(body.len());
        rest = &body[end..];
        let is_first = states.len() == 1;
        let state = states.last_mut().expect("there is one");
        if let Some(path) = head.trim_end().strip_prefix('/') {
            let is_ours = |path: &RepoPath| !path.as_str().to_ascii_lowercase().contains(".git") && path.as_str().len() < 200;
            if let Some(path) = RepoPath::new(path).filter(is_ours)
                && state.len() < MAX_FILES
            {
                state.retain(|(other, _)| *other != path);
                state.push((path, &body[..end]));
            }
        } else if head.starts_with("commit") && is_first {
            // What follows is written on top of what is there.
            let before = state.clone();
            states.push(before);
        }
    }
    states
}

/// Panics unless what was extracted can be of `source`.
pub fn check(extraction: &Extraction, source: &str) {
    let size = u32::try_from(source.len()).expect("inputs are small");
    let n_lines = source.split('\n').count() - usize::from(source.is_empty() || source.ends_with('\n'));
    let (mut at, mut line) = (0, 1);
    let symbols = &extraction.facts.symbols;
    let is_symbol = |symbol: Option<u32>| symbol.is_none_or(|at| (at as usize) < symbols.len());
    for chunk in &extraction.chunks {
        assert_eq!((chunk.span.start_byte, chunk.span.start_line), (at, line));
        assert!(chunk.span.end_byte > at && chunk.span.end_line >= line);
        assert!(is_symbol(chunk.symbol));
        (at, line) = (chunk.span.end_byte, chunk.span.end_line + 1);
    }
    assert_eq!((at, line as usize - 1), (size, n_lines));
    for (index, symbol) in symbols.iter().enumerate() {
        let span = symbol.span;
        assert!(span.start_byte <= span.end_byte && span.end_byte <= size);
        assert!(source.is_char_boundary(span.start_byte as usize));
        assert!(1 <= span.start_line && span.start_line <= span.end_line);
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < index));
        assert!(symbol.signature.len() <= 240 && symbol.doc.len() <= 2_000);
    }
    let hints = &extraction.facts.hints;
    for used in &extraction.facts.references {
        assert!(is_symbol(used.symbol) && used.count > 0);
        match used.local {
            Local::Symbol(symbol) => assert!(is_symbol(Some(symbol))),
            Local::Hint(hint) => assert!(hints[hint as usize].local),
            Local::No | Local::Unknown => {}
        }
    }
    for hint in hints {
        assert!(is_symbol(hint.symbol) && is_symbol(hint.root));
    }
}

//! Which files a repository marks as generated.
//!
//! The rules are those on disk, uncommitted ones included; `.gitattributes` files that are only in the staging area do
//! not count.

use std::path::{Path, PathBuf};

use gix::attrs::StateRef;
use gix::attrs::search::{MetadataCollection, Outcome};
use gix::bstr::ByteSlice;
use gix::glob::pattern::Case;

use crate::model::{ContentId, RepoPath};

use super::content::read_outside;
use super::{GitError, ReadError, Repo, Scan};

const MAX_BYTES: u64 = 100 << 20;
const GENERATED: &str = "linguist-generated";
const FILTER: &str = "filter";

/// The attributes of one state of the work tree.
pub struct Attributes {
    /// `None` where no rule mentions the attribute, which is the usual case.
    rules: Option<Box<(gix::attrs::Search, Outcome)>>,
    case: Case,
    digest: ContentId,
}

/// One file of rules.
struct AttributesFile {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Whether its patterns hold for the directory it is in, rather than everywhere.
    local: bool,
    /// Whether it may define macros.
    macros: bool,
}

impl Attributes {
    /// Returns whether `linguist-generated` is set (or `true`) for the file at `path`. Costs about 1 µs,
    /// and next to nothing where no rule mentions it.
    pub fn is_generated(&mut self, path: &RepoPath) -> bool {
        self.any(path, GENERATED, |state| match state {
            StateRef::Set => true,
            StateRef::Value(value) => value.as_bstr() == "true",
            StateRef::Unset | StateRef::Unspecified => false,
        })
    }

    /// Returns whether a checkout runs a filter driver over the file at `path`, as Git LFS has one. Costs as much as
    /// [`Self::is_generated`].
    pub fn has_filter(&mut self, path: &RepoPath) -> bool {
        self.any(path, FILTER, |state| matches!(state, StateRef::Value(_)))
    }

    /// Returns whether the attribute has a state for the file at `path` that `fits`.
    fn any(&mut self, path: &RepoPath, name: &str, fits: impl Fn(StateRef<'_>) -> bool) -> bool {
        let Some((search, outcome)) = self.rules.as_deref_mut() else {
            return false;
        };
        outcome.reset();
        let path = path.as_str().as_bytes().as_bstr();
        search.pattern_matching_relative_path(path, self.case, Some(false), outcome);
        outcome
            .iter_selected()
            .filter(|found| found.assignment.name.as_str() == name)
            .any(|found| fits(found.assignment.state))
    }

    /// Returns a digest of every rule that was read: equal digests mean equal answers.
    pub fn digest(&self) -> ContentId {
        self.digest
    }
}

impl Repo {
    /// Reads the attributes of the work tree that `scan` saw: the `.gitattributes` it lists,
    /// `info/attributes`, and the user's and the system's file. Costs about 15 µs a file.
    pub fn attributes(&self, scan: &Scan) -> Result<Attributes, GitError> {
        let sources = self.attribute_sources(scan)?;
        let mut hasher = blake3::Hasher::new();
        let case = self.case();
        hasher.update(&[u8::from(case == Case::Fold)]);
        for source in &sources {
            for part in [source.path.as_os_str().as_encoded_bytes(), &source.bytes] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        let digest = ContentId::from_bytes(hasher.finalize().as_bytes());
        let digest = digest.expect("a BLAKE3 hash has 32 bytes");
        let mentioned = |source: &AttributesFile| {
            source.bytes.contains_str(GENERATED) || source.bytes.contains_str(FILTER)
        };
        let rules = sources.iter().any(mentioned).then(|| search(sources));
        Ok(Attributes {
            rules: rules.map(Box::new),
            case,
            digest,
        })
    }

    /// Returns a digest of the rules that hold in every commit: those of the system, of the user and of
    /// `info/attributes`.
    ///
    /// # Errors
    /// [`GitError::Rules`] where one can't be read.
    pub fn outside_attributes(&self) -> Result<ContentId, GitError> {
        Ok(self.attributes(&Scan::default())?.digest())
    }

    /// Reads all files of rules, the strongest last.
    fn attribute_sources(&self, scan: &Scan) -> Result<Vec<AttributesFile>, GitError> {
        let mut sources = Vec::new();
        let system =
            gix::attrs::Source::System.storage_location(&mut |name| std::env::var_os(name));
        let user = self.user_file("core.attributesFile", "attributes");
        for path in system.into_iter().chain(user) {
            sources.extend(outside(path)?);
        }
        let mut local: Vec<&RepoPath> = scan.attributes.iter().collect();
        local.sort_by_key(|path| (path.as_str().matches('/').count(), path.as_str()));
        for path in local {
            match self.source.read(path, MAX_BYTES) {
                Ok(read) => sources.push(AttributesFile {
                    path: path.as_str().into(),
                    bytes: read.bytes,
                    local: true,
                    macros: path.directory().is_empty(),
                }),
                Err(ReadError::Missing | ReadError::NotAFile) => {}
                Err(error) => tracing::warn!(%path, %error, "attributes could not be read"),
            }
        }
        sources.extend(outside(self.common_dir.join("info").join("attributes"))?);
        Ok(sources)
    }
}

fn outside(path: PathBuf) -> Result<Option<AttributesFile>, GitError> {
    match read_outside(&path, MAX_BYTES) {
        Ok(bytes) => Ok(bytes.map(|bytes| AttributesFile {
            path,
            bytes,
            local: false,
            macros: true,
        })),
        Err(source) => Err(GitError::Rules { path, source }),
    }
}

fn search(sources: Vec<AttributesFile>) -> (gix::attrs::Search, Outcome) {
    let mut search = gix::attrs::Search::default();
    let mut known = MetadataCollection::default();
    for source in sources {
        let root = source.local.then_some(Path::new(""));
        let (bytes, path) = (&source.bytes, source.path.clone());
        let added = search.add_patterns_buffer(bytes, path, root, &mut known, source.macros);
        if let Err(error) = added {
            tracing::warn!(path = %source.path.display(), %error, "attributes could not be used");
        }
    }
    let mut outcome = Outcome::default();
    outcome.initialize_with_selection(&known, [GENERATED, FILTER]);
    (search, outcome)
}

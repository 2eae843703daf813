//! Which index of a store is the best start for a commit: candidates in order, each with its manifest, and those that were passed
//! over.
//!
//! Does not read bundles; see [`super::remotes`].

use std::collections::HashSet;

use super::remotes::{Nearest, invalid_object};
use crate::error::{Error, Result};
use crate::git::Repo;
use crate::model::CommitId;
use crate::remote::{
    self, Deadline, MAX_MANIFEST_BYTES, Remote, RemoteError, RemoteFault, RemoteManifest,
    StorePrefix,
};

/// Commits that are looked through for one that a store has.
const MAX_ANCESTORS: usize = 2_000;

/// Commits whose manifests are asked for one by one, in a store that can't list.
const MAX_PROBED: usize = 64;

/// Indexes of a store that are compared by the difference of their commits.
const MAX_COMPARED: usize = 16;

/// Manifests that are read before the search is given up.
const MAX_READ: usize = 32;

/// From how many differing files on an index is no better a start than another.
const MAX_DISTANCE: usize = 20_000;

/// An index of a store that was a better start, but could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// The commit that it is of.
    pub commit: String,
    /// Why it was passed over.
    pub reason: String,
}

/// The manifest of the nearest ancestor that has one in a store that can't list.
enum FirstAsked {
    /// No ancestor has one.
    Nothing,
    /// It can't be used.
    PassedOver,
    /// The index that it describes.
    Usable(Box<Nearest>),
}

/// The keys that manifests have to be signed with; `None` where every manifest is taken.
pub(super) struct TrustedKeys(Option<Vec<String>>);

impl TrustedKeys {
    /// Reads the setting `remote.trusted_keys`.
    ///
    /// # Errors
    /// `invalid_argument` for an invalid key.
    pub(super) fn parse(setting: &str) -> Result<Self> {
        if setting == "none" {
            return Ok(Self(None));
        }
        let keys = remote::public_keys(setting).ok_or_else(|| {
            Error::invalid(
                "remote.trusted_keys has an invalid key",
                "set it to public keys that `codelens remote key` printed, with commas between them, or to none",
            )
        })?;
        Ok(Self(Some(keys)))
    }

    fn trust(&self, manifest: &RemoteManifest) -> bool {
        let keys = self.0.as_ref();
        keys.is_none_or(|keys| remote::is_signed_by(manifest, keys))
    }
}

/// The commits of a store that come into question.
enum CandidateList {
    /// Nothing was asked for yet.
    Unknown,
    /// The store listed them: those near the wanted commit first, then the newest ones.
    Listed(Vec<CommitId>),
    /// The store can't list, or not in time: ancestors, to be asked for one after the other.
    Asked(Vec<CommitId>),
}

/// The indexes of a store that may be a start for a commit, the best one first.
pub(super) struct RemoteCandidates<'a> {
    repo: &'a Repo,
    remote: &'a Remote,
    place: StorePrefix,
    commit: &'a CommitId,
    keys: TrustedKeys,
    wait: &'a Deadline,
    source: CandidateList,
    tried: HashSet<CommitId>,
    passed: Vec<PassedOver>,
    /// The error of the first one that was passed over.
    fault: Option<Error>,
}

impl<'a> RemoteCandidates<'a> {
    pub(super) fn new(
        repo: &'a Repo,
        remote: &'a Remote,
        place: StorePrefix,
        commit: &'a CommitId,
        keys: TrustedKeys,
        wait: &'a Deadline,
    ) -> Self {
        Self {
            repo,
            remote,
            place,
            commit,
            keys,
            wait,
            source: CandidateList::Unknown,
            tried: HashSet::new(),
            passed: Vec::new(),
            fault: None,
        }
    }

    /// Returns the best index that was not returned yet; `None` where the store has none of this repository and version.
    ///
    /// # Errors
    /// Those of the store, and where it has indexes that were all passed over, why the first one was.
    pub(super) fn next(&mut self) -> Result<Option<Nearest>> {
        if matches!(self.source, CandidateList::Unknown) {
            let own = self.commit.clone();
            if self.tried.insert(own.clone())
                && let Some(found) = self.read(own, Some(0))?
            {
                return Ok(Some(found));
            }
            self.source = self.ask()?;
        }
        while self.tried.len() < MAX_READ {
            let found = match &self.source {
                CandidateList::Listed(listed) => {
                    let Some((commit, n_differing)) = self.best_of(listed) else {
                        break;
                    };
                    self.tried.insert(commit.clone());
                    self.read(commit, n_differing)?
                }
                _ => match self.first_asked()? {
                    FirstAsked::Usable(found) => Some(*found),
                    FirstAsked::PassedOver => None,
                    FirstAsked::Nothing => break,
                },
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        self.fault.take().map_or(Ok(None), Err)
    }

    /// Notes that an index can't be used.
    pub(super) fn pass_over(&mut self, commit: &CommitId, why: Error) {
        tracing::warn!(%commit, error = %why, "an index of a remote is passed over");
        self.passed.push(PassedOver {
            commit: commit.to_string(),
            reason: why.message.clone(),
        });
        self.fault.get_or_insert(why);
    }

    /// Returns those that were passed over, in the order of the search.
    pub(super) fn into_passed(self) -> Vec<PassedOver> {
        self.passed
    }

    /// Reads the manifest of a commit. `None` where there is none, and where it is passed over.
    fn read(&mut self, commit: CommitId, n_differing: Option<usize>) -> Result<Option<Nearest>> {
        let name = self.place.manifest(commit.as_str());
        match self.remote.get(&name, MAX_MANIFEST_BYTES, self.wait) {
            Ok(Some(bytes)) => Ok(self.judged(commit, &bytes, n_differing)),
            Ok(None) => Ok(None),
            Err(error) if matches!(error.fault, RemoteFault::Object(_)) => {
                self.pass_over(&commit, error.into());
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn judged(
        &mut self,
        commit: CommitId,
        bytes: &[u8],
        n_differing: Option<usize>,
    ) -> Option<Nearest> {
        let parsed = RemoteManifest::parse(bytes, &commit);
        let judged = parsed.and_then(|manifest| {
            if self.keys.trust(&manifest) {
                return Ok(manifest);
            }
            Err("its index is not signed by a key of remote.trusted_keys".to_owned())
        });
        match judged {
            Ok(manifest) => Some(Nearest {
                commit,
                manifest,
                n_differing,
            }),
            Err(what) => {
                self.pass_over(&commit, invalid_object(self.remote, &what));
                None
            }
        }
    }

    /// Asks the store for the commits that it has. A list may take half of the time that is left: the manifest is read after it.
    fn ask(&self) -> Result<CandidateList> {
        let ancestors = self.repo.ancestors(self.commit, MAX_ANCESTORS);
        let listed = match self.remote.list(&self.place.manifests(), &self.wait.half()) {
            Ok((listed, _)) => listed,
            Err(error) if self.goes_without(&error) => {
                let asked = ancestors.into_iter().take(MAX_PROBED);
                return Ok(CandidateList::Asked(asked.collect()));
            }
            Err(error) => return Err(error.into()),
        };
        let mut there: Vec<(CommitId, i64)> = listed
            .iter()
            .filter_map(|object| Some((self.place.commit_of(&object.name)?, object.modified_ms)))
            .collect();
        // The newest first; of the same time by name, so that the choice is the same each time.
        there.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.as_str().cmp(b.0.as_str())));
        let names: HashSet<&CommitId> = there.iter().map(|(commit, _)| commit).collect();
        let near = ancestors.iter().filter(|it| names.contains(it));
        let newest = there.iter().map(|(commit, _)| commit);
        let mut seen = HashSet::new();
        // Half of those that are compared at first are ancestors; the others may be of branches that are nearer.
        let first = near.clone().take(MAX_COMPARED / 2);
        let all = first
            .chain(newest.clone().take(MAX_READ))
            .chain(near)
            .chain(newest);
        let all = all.filter(|commit| seen.insert(*commit)).cloned();
        Ok(CandidateList::Listed(all.collect()))
    }

    /// Whether the search goes on without a list: a server refuses to list or answers with something else, or has not named any object
    /// in the time and the bytes that there are for it.
    fn goes_without(&self, error: &RemoteError) -> bool {
        match error.fault {
            RemoteFault::Unsupported
            | RemoteFault::NoStore
            | RemoteFault::Redirected
            | RemoteFault::Failed(_) => !self.remote.is_listable(),
            RemoteFault::TimedOut | RemoteFault::Object(_) => true,
            _ => false,
        }
    }

    /// Returns the listed commit that differs least from the wanted one, with the number of files. A clone without history knows no
    /// other commit: the newest one is as good a guess as any.
    fn best_of(&self, listed: &[CommitId]) -> Option<(CommitId, Option<usize>)> {
        let left = || listed.iter().filter(|it| !self.tried.contains(it));
        let known = left().filter(|it| self.repo.has_commit(it));
        let mut best: Option<(usize, &CommitId)> = None;
        for candidate in known.take(MAX_COMPARED) {
            let at_most = best.map_or(MAX_DISTANCE, |(n, _)| n);
            let distance = self.repo.tree_distance(candidate, self.commit, at_most);
            if let Some(n) = distance
                && best.is_none_or(|(least, _)| n < least)
            {
                best = Some((n, candidate));
            }
        }
        let best = best.map(|(n, commit)| (commit.clone(), Some(n)));
        best.or_else(|| Some((left().next()?.clone(), None)))
    }

    /// Reads the manifest of the nearest ancestor that has one.
    fn first_asked(&mut self) -> Result<FirstAsked> {
        let CandidateList::Asked(asked) = &mut self.source else {
            return Ok(FirstAsked::Nothing);
        };
        let asked = std::mem::take(asked);
        let left: Vec<CommitId> = asked
            .into_iter()
            .filter(|commit| !self.tried.contains(commit))
            .collect();
        let names: Vec<String> = left
            .iter()
            .map(|commit| self.place.manifest(commit.as_str()))
            .collect();
        let first = self
            .remote
            .first_of(&names, MAX_MANIFEST_BYTES, self.wait)?;
        let Some((at, bytes)) = first else {
            return Ok(FirstAsked::Nothing);
        };
        let mut left = left.into_iter().skip(at);
        let commit = left.next().expect("it was asked for");
        self.source = CandidateList::Asked(left.collect());
        self.tried.insert(commit.clone());
        let n_differing = self.repo.tree_distance(&commit, self.commit, MAX_DISTANCE);
        let Some(bytes) = bytes else {
            let what = invalid_object(self.remote, "its manifest is longer than it may be");
            self.pass_over(&commit, what);
            return Ok(FirstAsked::PassedOver);
        };
        let judged = self.judged(commit, &bytes, n_differing);
        Ok(judged.map_or(FirstAsked::PassedOver, |it| {
            FirstAsked::Usable(Box::new(it))
        }))
    }
}

/// Whether an index can't be taken in because its bundle is not whole in the store.
pub(super) fn is_incomplete(error: &Error) -> bool {
    let cause = std::error::Error::source(error);
    let fault = cause.and_then(|cause| Some(&cause.downcast_ref::<RemoteError>()?.fault));
    fault == Some(&RemoteFault::PartIsGone)
}

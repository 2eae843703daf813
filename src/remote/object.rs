//! The objects of an index in a store: their names, and the manifest.
//!
//! ```text
//! codelens/1/<family>/<layout>/<commit>.json     the manifest of a commit's index
//! codelens/1/<family>/parts/<digest>             a part of a bundle, by the BLAKE3 hash of its bytes
//! ```
//!
//! A bundle is uploaded in parts before its manifest, so that a manifest never names a part that is not there. One that is stored as the
//! difference to another names the parts of both, so that it needs no other manifest.

use serde::{Deserialize, Serialize};

use super::ManifestSignature;
use crate::model::CommitId;

/// How long a part is, but for the last one.
pub const PART_BYTES: u64 = 8 << 20;

/// The largest manifest: room for the parts of a bundle of 8 GiB.
pub const MAX_MANIFEST_BYTES: u64 = 256 << 10;

/// The largest bundle.
const MAX_BUNDLE_BYTES: u64 = 8 << 30;

/// The largest difference, and the largest bundle that one is to.
pub const MAX_DIFFERENCE_BYTES: u64 = 80 << 20;

/// The format of the names and of the manifest.
const FORMAT: u32 = 1;

/// A part of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundlePart {
    /// The BLAKE3 hash of its bytes, in hexadecimal.
    pub digest: String,
    /// How long it is.
    pub bytes: u64,
}

/// A whole bundle that another one is the difference to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BaseBundle {
    /// The commit whose index it was made as. Its manifest may be gone.
    pub commit: String,
    /// How long it is.
    pub bytes: u64,
    /// The digest that it ends with.
    pub digest: String,
    /// Its parts, in order.
    pub parts: Vec<BundlePart>,
}

/// The contents of a manifest: a bundle by its parts, or the difference to another one with the parts of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoteManifest {
    /// The format of the manifest.
    pub format: u32,
    /// The commit.
    pub commit: String,
    /// How many files are indexed.
    pub files: u64,
    /// How long the bundle is.
    pub bytes: u64,
    /// How long the index is, unpacked.
    pub database_bytes: u64,
    /// The digest that the bundle ends with.
    pub digest: String,
    /// Its parts, in order.
    pub parts: Vec<BundlePart>,
    /// The bundle that it is the difference to; `None` of a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseBundle>,
    /// Who made it, where somebody signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<ManifestSignature>,
}

impl RemoteManifest {
    /// Returns the manifest of a bundle with no parts yet.
    pub fn new(commit: String, digest: String, files: u64, database_bytes: u64) -> Self {
        Self {
            format: FORMAT,
            commit,
            files,
            bytes: 0,
            database_bytes,
            digest,
            parts: Vec::new(),
            base: None,
            signature: None,
        }
    }

    /// Reads the manifest of a commit.
    ///
    /// # Errors
    /// A sentence for one that [`Self::bytes`] could not have made.
    pub fn parse(bytes: &[u8], commit: &CommitId) -> Result<Self, String> {
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|_| "its manifest says nothing".to_owned())?;
        if manifest.format != FORMAT {
            return Err(format!(
                "its manifest has format {}, this version knows {FORMAT}",
                manifest.format
            ));
        }
        if manifest.commit != commit.as_str() {
            return Err("its manifest is of another commit".to_owned());
        }
        let bases = manifest.base.iter();
        let digests = bases.map(|base| &base.digest).chain([&manifest.digest]);
        let names = manifest.all_parts().map(|part| &part.digest);
        let is_commit = |base: &BaseBundle| CommitId::new(&base.commit).is_some();
        if !names.chain(digests).all(|it| is_digest(it))
            || !manifest.base.as_ref().is_none_or(is_commit)
        {
            return Err("its manifest names a part that cannot be".to_owned());
        }
        let base = manifest.base.as_ref();
        if !are_sized(&manifest.parts, manifest.bytes)
            || !base.is_none_or(|base| {
                let longest = manifest.bytes.max(base.bytes);
                are_sized(&base.parts, base.bytes) && longest <= MAX_DIFFERENCE_BYTES
            })
        {
            return Err("its manifest has parts of sizes that cannot be".to_owned());
        }
        Ok(manifest)
    }

    /// Returns its parts and those of the bundle that it is the difference to.
    pub fn all_parts(&self) -> impl Iterator<Item = &BundlePart> {
        let of_base = self.base.iter().flat_map(|base| &base.parts);
        self.parts.iter().chain(of_base)
    }

    /// Returns how many bytes have to be read to take it in.
    pub fn total_bytes(&self) -> u64 {
        self.bytes + self.base.as_ref().map_or(0, |base| base.bytes)
    }

    /// Returns the whole bundle that a further difference can be made to: this one, or the one that it is the difference to itself.
    pub fn as_base(&self) -> BaseBundle {
        self.base.clone().unwrap_or_else(|| BaseBundle {
            commit: self.commit.clone(),
            bytes: self.bytes,
            digest: self.digest.clone(),
            parts: self.parts.clone(),
        })
    }

    /// Returns the manifest as it is stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Whether the parts of a bundle are full but for the last one, and make so many bytes.
fn are_sized(parts: &[BundlePart], bytes: u64) -> bool {
    let is_full = |part: &BundlePart| part.bytes == PART_BYTES;
    let are_full = match parts.split_last() {
        Some((last, others)) => {
            others.iter().all(is_full) && (1..=PART_BYTES).contains(&last.bytes)
        }
        None => false,
    };
    // Summed after the sizes: two that cannot be could be more than the number takes.
    let total = || parts.iter().map(|part| part.bytes).sum::<u64>();
    are_full && bytes <= MAX_BUNDLE_BYTES && total() == bytes
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Where the indexes of a repository are in a store, for one version of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePrefix {
    clone_family: String,
    layout: String,
}

impl StorePrefix {
    /// Returns the place of a family of clones and a layout of the index; both are plain words.
    pub fn new(clone_family: &str, layout: &str) -> Self {
        Self {
            clone_family: clone_family.to_owned(),
            layout: layout.to_owned(),
        }
    }

    /// Returns the beginning of the names of everything of the family.
    pub fn clone_family_prefix(&self) -> String {
        format!("codelens/{FORMAT}/{}", self.clone_family)
    }

    /// Returns the beginning of the names of manifests.
    pub fn manifests(&self) -> String {
        format!("{}/{}", self.clone_family_prefix(), self.layout)
    }

    /// Returns the name of a commit's manifest.
    pub fn manifest(&self, commit: &str) -> String {
        format!("{}/{commit}.json", self.manifests())
    }

    /// Returns the name of a part.
    pub fn part(&self, digest: &str) -> String {
        format!("{}/parts/{digest}", self.clone_family_prefix())
    }

    /// Returns the commit whose manifest has that name, of this layout.
    pub fn commit_of(&self, name: &str) -> Option<CommitId> {
        let (layout, commit) = self.any_commit_of(name)?;
        (layout == self.layout).then_some(commit)
    }

    /// Returns the layout and the commit of the manifest of that name, whatever the layout.
    pub fn any_commit_of<'n>(&self, name: &'n str) -> Option<(&'n str, CommitId)> {
        let rest = name
            .strip_prefix(&self.clone_family_prefix())?
            .strip_prefix('/')?;
        let (layout, file) = rest.split_once('/')?;
        let commit = CommitId::new(file.strip_suffix(".json")?)?;
        Some((layout, commit))
    }

    /// Returns the digest of the part of that name.
    pub fn digest_of<'n>(&self, name: &'n str) -> Option<&'n str> {
        let rest = name.strip_prefix(&self.clone_family_prefix())?;
        rest.strip_prefix("/parts/").filter(|it| is_digest(it))
    }
}

#[cfg(test)]
mod tests {
    use super::{BundlePart, PART_BYTES, RemoteManifest, StorePrefix};
    use crate::model::CommitId;

    fn commit() -> CommitId {
        CommitId::new(&"a".repeat(40)).unwrap()
    }

    fn manifest() -> RemoteManifest {
        let part = |digit: &str, bytes| BundlePart {
            digest: digit.repeat(64),
            bytes,
        };
        RemoteManifest {
            bytes: PART_BYTES + 5,
            parts: vec![part("1", PART_BYTES), part("2", 5)],
            ..RemoteManifest::new(commit().to_string(), "3".repeat(64), 4, 90)
        }
    }

    #[test]
    fn a_manifest_is_read_as_it_is_written() {
        let manifest = manifest();
        assert_eq!(
            RemoteManifest::parse(&manifest.to_bytes(), &commit()),
            Ok(manifest)
        );
    }

    #[test]
    fn a_manifest_that_lies_is_refused() {
        let with = |change: &dyn Fn(&mut RemoteManifest)| {
            let mut manifest = manifest();
            change(&mut manifest);
            RemoteManifest::parse(&manifest.to_bytes(), &commit()).unwrap_err()
        };
        for (change, part) in [
            (
                &(|it: &mut RemoteManifest| it.format = 2) as &dyn Fn(&mut RemoteManifest),
                "format",
            ),
            (&|it| it.commit = "b".repeat(40), "another commit"),
            (&|it| it.digest = "../x".to_owned(), "cannot be"),
            (&|it| it.parts[0].digest = "A".repeat(64), "cannot be"),
            (&|it| it.parts[0].digest = "../../x".to_owned(), "cannot be"),
            (&|it| it.parts[0].bytes = 5, "sizes"),
            (&|it| it.parts[1].bytes = 0, "sizes"),
            (&|it| it.parts[1].bytes = PART_BYTES + 1, "sizes"),
            (&|it| it.parts.clear(), "sizes"),
            (&|it| it.bytes += 1, "sizes"),
        ] {
            let said = with(change);
            assert!(said.contains(part), "{part}: {said}");
        }
        for bytes in [&b""[..], b"{}", b"[]", b"null", b"{\"format\":1,\"x\":2}"] {
            assert!(RemoteManifest::parse(bytes, &commit()).is_err());
        }
    }

    #[test]
    fn names_are_read_back() {
        let place = StorePrefix::new("f00d", "s9f1");
        let commit = commit();
        let name = place.manifest(commit.as_str());
        assert_eq!(place.commit_of(&name), Some(commit.clone()));
        let other = StorePrefix::new("f00d", "s8f1");
        assert_eq!(other.commit_of(&name), None);
        assert_eq!(other.any_commit_of(&name), Some(("s9f1", commit)));
        let digest = "0".repeat(64);
        assert_eq!(place.digest_of(&place.part(&digest)), Some(digest.as_str()));
        for name in [
            "",
            "codelens/1/f00d/parts/x",
            "codelens/1/f00d/s9f1/x.json",
            "x",
        ] {
            assert_eq!(place.commit_of(name), None, "{name}");
            assert_eq!(place.digest_of(name), None, "{name}");
        }
    }
}

//! The differences that were compared last: a question that is asked again, or about another page, does not parse again.

use std::sync::Arc;

use super::difference::{Difference, FilePair, IndexedStates};
use crate::error::Result;
use crate::model::{Budget, ContentId, LruCache, MAX_COMPARISON_BYTES, RepoPath};

/// Differences that are kept.
const MAX_VALUES: usize = 4;

/// By the paths and bytes of both states.
static CACHE: LruCache<ContentId, Arc<Difference>> = LruCache::new(MAX_VALUES);

impl Difference {
    /// Compares files as [`Self::of`] does, or returns the comparison of the same files from before.
    pub fn kept(
        files: Vec<(RepoPath, FilePair)>,
        indexed: Option<&IndexedStates<'_>>,
        budget: &Budget,
    ) -> Result<Arc<Self>> {
        let (key, n_bytes) = key_of(&files);
        if let Some(known) = CACHE.get(&key) {
            return Ok(known);
        }
        let difference = Arc::new(Self::of(files, indexed, budget)?);
        // The facts of both states take ten times as much.
        if n_bytes <= MAX_COMPARISON_BYTES {
            CACHE.insert(key, Arc::clone(&difference));
        }
        Ok(difference)
    }
}

fn key_of(files: &[(RepoPath, FilePair)]) -> (ContentId, usize) {
    let (mut key, mut n_bytes) = (Vec::new(), 0);
    for (path, texts) in files {
        key.extend(ContentId::of(path.as_str().as_bytes()).as_bytes());
        for text in [&texts.old, &texts.new] {
            key.push(u8::from(text.is_some()));
            let text = text.as_deref().unwrap_or_default();
            n_bytes += text.len();
            key.extend(ContentId::of(text.as_bytes()).as_bytes());
        }
    }
    (ContentId::of(&key), n_bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::{Difference, FilePair};
    use crate::model::{Budget, RepoPath};

    #[test]
    fn the_same_texts_are_compared_once() {
        let budget = Budget::unlimited(Arc::new(AtomicBool::new(false)));
        let of = |old: Option<&str>, new: &str| {
            let path = RepoPath::normalise("kept-once/a.ts").unwrap();
            let texts = FilePair {
                old: old.map(Into::into),
                new: Some(new.into()),
            };
            Difference::kept(vec![(path, texts)], None, &budget).unwrap()
        };
        let first = of(Some("const a = 1"), "const a = 2");
        assert!(Arc::ptr_eq(&first, &of(Some("const a = 1"), "const a = 2")));
        assert!(!Arc::ptr_eq(&first, &of(Some(""), "const a = 2")));
        assert_eq!(of(None, "const a = 2").changes.len(), 1);
    }
}

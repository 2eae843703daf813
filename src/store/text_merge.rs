//! Merges the segments of the text index, in small steps.
//!
//! The words of a chunk that went stay in their segment until it is merged with another one. Questions wait for no merge: a
//! segment is rewritten by itself only when much of it is deleted (see [`super::schema::SCHEMA`]), so that an index that follows many
//! branches would grow. This takes the rest out while nobody asks.

use super::{ErrorContext as _, Index, StoreResult};

/// The key of `meta` that counts the chunks that were deleted since all segments were merged.
pub(super) const DEAD_CHUNKS: &str = "dead_chunks";

/// Deleted chunks, of a hundred that were written, from which on merging pays.
const MIN_DEAD_PERCENT: u64 = 10;

/// Fewer deleted chunks are not worth a merge.
const MIN_DEAD: u64 = 200;

/// Pages of 4 KiB that one step writes: some 20 ms.
const STEP_PAGES: i64 = 512;

/// Steps of one merge; some GiB.
const MAX_STEPS: usize = 2_000;

impl Index {
    /// Returns whether the text index holds so many words of deleted chunks that [`Self::merge_text`] is worth its time.
    ///
    /// # Errors
    /// Where the index can't be read.
    pub fn has_dead_text(&self) -> StoreResult<bool> {
        let read = self.read()?;
        let n_dead = read.meta().n_dead_chunks;
        Ok(n_dead >= MIN_DEAD && n_dead * 100 >= MIN_DEAD_PERCENT * (n_dead + read.n_chunks()?))
    }

    /// Merges all segments of the text index into one, step by step, each a transaction of its own, as long as `may_go_on`
    /// says so before it. Returns whether it came to the end; another call goes on from there. No answer changes. The caller holds the
    /// write lock. Costs about 10 ms a MiB of the text index.
    ///
    /// # Errors
    /// Where the index can't be written; what was merged before stays.
    pub fn merge_text(&mut self, may_go_on: impl FnMut() -> bool) -> StoreResult<bool> {
        self.merge_by(STEP_PAGES, may_go_on)
    }

    fn merge_by(
        &mut self,
        step_pages: i64,
        mut may_go_on: impl FnMut() -> bool,
    ) -> StoreResult<bool> {
        // The first step puts all segments together, in whatever state an earlier call left them.
        let mut n_pages = -step_pages;
        for _ in 0..MAX_STEPS {
            if !may_go_on() {
                return Ok(false);
            }
            let mut writer = self.writer()?;
            let before = writer.tx().total_changes();
            writer
                .tx()
                .prepare_cached("INSERT INTO text(text, rank) VALUES('merge', ?1)")
                .and_then(|mut statement| statement.execute([n_pages]))
                .context("merging the text index")?;
            // By the documentation of FTS5: a step that had nothing to merge changes fewer than two rows.
            let is_done = writer.tx().total_changes() - before < 2;
            if is_done {
                writer.set_meta(DEAD_CHUNKS, "0")?;
            }
            writer.commit(false)?;
            if is_done {
                return Ok(true);
            }
            n_pages = step_pages;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::{DEAD_CHUNKS, MIN_DEAD};
    use crate::store::Index;
    use crate::store::remove::tests::made;

    fn n_bytes(index: &Index) -> i64 {
        let count = "SELECT sum(length(block)) FROM text_data";
        let count = index.connection().query_row(count, [], |row| row.get(0));
        count.unwrap()
    }

    fn found(index: &Index, word: &str) -> Vec<i64> {
        let find = "SELECT rowid FROM text WHERE text MATCH ?1 ORDER BY rowid";
        let mut statement = index.connection().prepare(find).unwrap();
        let rows = statement.query_map([word], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// Writes chunks of the text index in several transactions, and deletes a third of them: of more, SQLite takes them out by itself.
    fn worn(index: &mut Index, n_chunks: i64) {
        for round in 0..6 {
            let writer = index.writer().unwrap();
            for n in (round..n_chunks).step_by(6) {
                let words: Vec<String> = (0..40).map(|k| format!("w{}", n * 7 + k * 131)).collect();
                writer
                    .tx()
                    .execute(
                        "INSERT INTO text(rowid, symbol, signature, doc, body, path) VALUES(?1, 'all', '', '', ?2, '')",
                        (n + 1, words.join(" ")),
                    )
                    .unwrap();
            }
            writer.commit(true).unwrap();
        }
        let mut writer = index.writer().unwrap();
        writer
            .tx()
            .execute("DELETE FROM text WHERE rowid % 3 = 0", [])
            .unwrap();
        writer.set_meta(DEAD_CHUNKS, &MIN_DEAD.to_string()).unwrap();
        writer.commit(true).unwrap();
    }

    #[test]
    fn a_merge_takes_the_words_of_deleted_chunks_out_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let (home, pointer) = made(dir.path());
        let mut index = Index::open(&home, pointer).unwrap();
        worn(&mut index, 6_000);
        assert!(index.has_dead_text().unwrap());
        let (before, all) = (n_bytes(&index), found(&index, "all"));
        let word = found(&index, "w77");
        assert_eq!(all.len(), 4_000);
        assert!(index.merge_text(|| true).unwrap());
        assert!(!index.has_dead_text().unwrap());
        assert_eq!((found(&index, "all"), found(&index, "w77")), (all, word));
        let after = n_bytes(&index);
        assert!(after * 5 < before * 4, "{before} bytes became {after}");
    }

    #[test]
    fn a_merge_that_makes_room_is_gone_on_with() {
        let dir = tempfile::tempdir().unwrap();
        let (home, pointer) = made(dir.path());
        let mut index = Index::open(&home, pointer).unwrap();
        worn(&mut index, 6_000);
        let all = found(&index, "all");
        let mut n_calls = 0;
        loop {
            n_calls += 1;
            let mut n_steps = 0;
            let is_done = index.merge_by(8, || {
                n_steps += 1;
                n_steps <= 2
            });
            assert_eq!(found(&index, "all"), all);
            if is_done.unwrap() {
                break;
            }
            assert!(n_calls < 100, "it comes to an end");
        }
        assert!(n_calls > 1, "one call was not enough");
        assert!(
            !index.merge_text(|| false).unwrap(),
            "it does nothing unasked"
        );
        assert!(!index.has_dead_text().unwrap());
    }
}

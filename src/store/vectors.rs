//! Vectors of chunks, in one file for all clones and branches of a repository.
//!
//! A vector belongs to a model and to the digest of a chunk's text, so a chunk that several branches have is embedded once. The
//! file holds nothing that could not be made again: a damaged one is moved aside.
//!
//! ```text
//! <home>/vectors/<family>.db
//! ```

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use super::chunk_rows::chunks_in;
use super::connection::{connect_writer, free_pages, side_file};
use super::durable::Durability;
use super::home::{VECTORS, create_private};
use super::{ErrorContext, Home, Read, RepoHome, StoreError, StoreResult, io_error};
use crate::model::hash::HashSet;
use crate::model::{ChunkId, QuantizedVector, SkipReason};

/// The version of the tables; a file of another version is made anew.
const VERSION: i64 = 1;

const TABLES: &str = "
CREATE TABLE model(
  id INTEGER PRIMARY KEY,
  source BLOB NOT NULL,
  name TEXT NOT NULL,
  probe BLOB NOT NULL
) STRICT;
CREATE TABLE vector(
  model INTEGER NOT NULL REFERENCES model(id) ON DELETE CASCADE,
  digest INTEGER NOT NULL,
  scale REAL NOT NULL,
  steps BLOB NOT NULL,
  PRIMARY KEY(model, digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta(revision INTEGER NOT NULL) STRICT;
INSERT INTO meta VALUES(0);
";

/// A model that vectors are of.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorModel {
    /// Its number in the file.
    pub id: i64,
    /// The digest of its address and name, or of its files.
    pub source: [u8; 32],
    /// Its name, for people.
    pub name: String,
    /// Its vector of the text that tells models apart.
    pub probe: Vec<f32>,
    /// How many vectors there are of it.
    pub n_vectors: u64,
}

/// A vector and the chunk's text that it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVector {
    /// The digest of the chunk's text.
    pub digest: i64,
    /// The vector.
    pub vector: QuantizedVector,
}

/// The vectors of one model for the chunks of one index, ready to be compared with a question.
#[derive(Debug)]
pub struct VectorTable {
    /// The chunks that have a vector, in no order.
    chunks: Vec<ChunkId>,
    scales: Vec<f32>,
    /// The steps of all vectors, one after the other.
    steps: Vec<u8>,
    dimensions: usize,
    /// How many chunks of the index should have one.
    n_wanted: usize,
}

/// A file of vectors.
#[derive(Debug)]
pub struct VectorStore {
    connection: Connection,
    path: PathBuf,
}

/// Returns where the vectors of a family are; `family` is a word of hexadecimal digits.
pub fn path(home: &Home, clone_family: &str) -> PathBuf {
    home.root().join(VECTORS).join(format!("{clone_family}.db"))
}

/// Returns the bytes that the vectors of a family take on the disk.
pub fn bytes(home: &Home, clone_family: &str) -> u64 {
    let path = path(home, clone_family);
    let files = ["", "-wal", "-shm"].map(|suffix| side_file(&path, suffix));
    files
        .iter()
        .map(|file| super::inventory::allocated(file))
        .sum()
}

/// Returns the families that have a file of vectors, sorted.
pub fn clone_families(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.root().join(VECTORS));
    let mut found: Vec<String> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".db")?.to_owned()))
        .collect();
    found.sort();
    found
}

/// Returns the repositories whose vectors are in the file of a family. One whose owner is not noted may be of any.
pub fn repositories_of(home: &Home, clone_family: &str) -> Vec<RepoHome> {
    let mut found = home.repos();
    found.retain(|repo| {
        repo.id() == clone_family
            || repo
                .owner()
                .is_none_or(|owner| owner.clone_family.as_deref() == Some(clone_family))
    });
    found
}

/// Removes files of vectors of families that no repository of the data directory is of, and damaged ones, that were not written for `age`.
/// Returns the bytes that the file system got back.
pub fn sweep(home: &Home, age: Duration) -> u64 {
    let mut known: Vec<String> = Vec::new();
    for repo in home.repos() {
        known.push(repo.id());
        known.extend(repo.owner().and_then(|owner| owner.clone_family));
    }
    let entries = std::fs::read_dir(home.root().join(VECTORS));
    let mut bytes = 0;
    for entry in entries.into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let clone_family = name.split('.').next().unwrap_or_default();
        let is_aside = name.contains(ASIDE);
        let is_old = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|since| since >= age));
        if is_old && (is_aside || !known.iter().any(|it| it == clone_family)) {
            bytes += super::remove::unlink(&entry.path());
        }
    }
    bytes
}

/// Is in the names of damaged files.
const ASIDE: &str = ".db.damaged-";

impl VectorStore {
    /// Opens the vectors of a family; the file is made where there is none. A damaged one, or one of another version, is moved aside.
    ///
    /// # Errors
    /// Where it can't be read or written.
    pub fn open(home: &Home, clone_family: &str, now_ms: i64) -> StoreResult<Self> {
        let path = path(home, clone_family);
        let directory = home.root().join(VECTORS);
        create_private(&directory)?;
        match Self::at(&path) {
            Err(error) if error.is_corrupt() || matches!(error, StoreError::Version { .. }) => {
                for suffix in ["", "-wal", "-shm"] {
                    let aside = format!("{clone_family}{ASIDE}{now_ms}{suffix}");
                    match std::fs::rename(side_file(&path, suffix), directory.join(aside)) {
                        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                            return Err(io_error("move aside", &path)(error));
                        }
                        _ => {}
                    }
                }
                Self::at(&path)
            }
            opened => opened,
        }
    }

    /// Opens the vectors of a family for questions; `None` where there are none, or the file can't be used.
    pub fn open_existing(home: &Home, clone_family: &str) -> Option<Self> {
        let path = path(home, clone_family);
        if !path.is_file() {
            return None;
        }
        let opened = Self::at(&path);
        let said = opened.inspect_err(|error| tracing::info!(%error, "the vectors can't be read"));
        said.ok()
    }

    fn at(path: &Path) -> StoreResult<Self> {
        let connection = connect_writer(path, Durability::OnDisk)?;
        let mut store = Self {
            connection,
            path: path.to_owned(),
        };
        store.prepare()?;
        Ok(store)
    }

    fn prepare(&mut self) -> StoreResult<()> {
        let doing = "preparing the vectors";
        let version = |connection: &Connection| {
            connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
        };
        if version(&self.connection).context(doing)? == 0 {
            let tx = self
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .context(doing)?;
            // Another process may have been first.
            if version(&tx).context(doing)? == 0 {
                tx.execute_batch(TABLES)
                    .and_then(|()| tx.pragma_update(None, "user_version", VERSION))
                    .context(doing)?;
            }
            tx.commit().context(doing)?;
        }
        let found = version(&self.connection).context(doing)?;
        if found != VERSION {
            return Err(StoreError::Version {
                path: self.path.clone(),
                found,
                wanted: VERSION,
            });
        }
        Ok(())
    }

    /// Returns a number that rises with each change of any vector.
    pub fn revision(&self) -> StoreResult<i64> {
        self.connection
            .query_row("SELECT revision FROM meta", [], |row| row.get(0))
            .context("reading the revision of the vectors")
    }

    /// Returns every model that there are vectors of, the oldest first.
    pub fn models(&self) -> StoreResult<Vec<VectorModel>> {
        let doing = "reading the models of the vectors";
        let mut statement = self
            .connection
            .prepare(
                "SELECT id, source, name, probe, (SELECT count(*) FROM vector v WHERE v.model = m.id) FROM model m ORDER BY id",
            )
            .context(doing)?;
        let rows = statement
            .query_map([], |row| {
                let probe: Vec<u8> = row.get(3)?;
                let components = probe.chunks_exact(4);
                Ok(VectorModel {
                    id: row.get(0)?,
                    source: row.get(1)?,
                    name: row.get(2)?,
                    probe: components
                        .map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]]))
                        .collect(),
                    n_vectors: row.get::<_, i64>(4)?.cast_unsigned(),
                })
            })
            .context(doing)?;
        rows.collect::<rusqlite::Result<_>>().context(doing)
    }

    /// Adds a model and returns its number.
    pub fn add_model(&self, source: &[u8; 32], name: &str, probe: &[f32]) -> StoreResult<i64> {
        let probe: Vec<u8> = probe.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.connection
            .execute(
                "INSERT INTO model(source, name, probe) VALUES(?1, ?2, ?3)",
                (source, name, probe),
            )
            .context("adding a model of vectors")?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Writes vectors of a model, in place of those that are there.
    pub fn write(&mut self, model: i64, vectors: &[NewVector]) -> StoreResult<()> {
        let doing = "writing vectors";
        let tx = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .context(doing)?;
        {
            let mut insert = tx
                .prepare_cached("INSERT OR REPLACE INTO vector VALUES(?1, ?2, ?3, ?4)")
                .context(doing)?;
            for new in vectors {
                let (scale, steps) = (f64::from(new.vector.scale()), new.vector.to_bytes());
                insert
                    .execute((model, new.digest, scale, steps))
                    .context(doing)?;
            }
        }
        tx.execute("UPDATE meta SET revision = revision + 1", [])
            .and_then(|_| tx.commit())
            .context(doing)
    }

    /// Returns the digests of the texts that have a vector of a model.
    pub fn digests(&self, model: i64) -> StoreResult<HashSet<i64>> {
        let doing = "reading vectors";
        let mut statement = self
            .connection
            .prepare_cached("SELECT digest FROM vector WHERE model = ?1")
            .context(doing)?;
        let rows = statement
            .query_map([model], |row| row.get(0))
            .context(doing)?;
        rows.collect::<rusqlite::Result<_>>().context(doing)
    }

    /// Removes every vector of a model, and the model; of all models where none is named. Returns how many vectors there were.
    pub fn clear(&mut self, model: Option<i64>) -> StoreResult<u64> {
        let doing = "removing vectors";
        let tx = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .context(doing)?;
        let n_gone = tx
            .execute("DELETE FROM vector WHERE ?1 IS NULL OR model = ?1", [model])
            .context(doing)?;
        tx.execute("DELETE FROM model WHERE ?1 IS NULL OR id = ?1", [model])
            .and_then(|_| tx.execute("UPDATE meta SET revision = revision + 1", []))
            .and_then(|_| tx.commit())
            .context(doing)?;
        self.shrink()?;
        Ok(n_gone as u64)
    }

    /// Returns the digests of the texts that have a vector of any model.
    pub fn all_digests(&self) -> StoreResult<HashSet<i64>> {
        let doing = "reading vectors";
        let mut statement = self
            .connection
            .prepare("SELECT digest FROM vector")
            .context(doing)?;
        let rows = statement.query_map([], |row| row.get(0)).context(doing)?;
        rows.collect::<rusqlite::Result<_>>().context(doing)
    }

    /// Returns how many vectors of all models belong to some texts.
    pub fn count_of(&self, digests: &HashSet<i64>) -> StoreResult<u64> {
        let doing = "counting vectors";
        if digests.is_empty() {
            return Ok(0);
        }
        let mut statement = self
            .connection
            .prepare("SELECT digest FROM vector")
            .context(doing)?;
        let mut rows = statement.query([]).context(doing)?;
        let mut n = 0;
        while let Some(row) = rows.next().context(doing)? {
            let digest: i64 = row.get(0).context(doing)?;
            n += u64::from(digests.contains(&digest));
        }
        Ok(n)
    }

    /// Removes the vectors of some texts, of all models. Returns how many there were.
    pub fn remove(&mut self, digests: &HashSet<i64>) -> StoreResult<u64> {
        let doing = "removing vectors";
        if digests.is_empty() {
            return Ok(0);
        }
        let models: Vec<i64> = self.models()?.iter().map(|model| model.id).collect();
        let tx = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .context(doing)?;
        let mut n_gone = 0;
        for model in models {
            for digest in digests {
                n_gone += tx
                    .prepare_cached("DELETE FROM vector WHERE model = ?1 AND digest = ?2")
                    .and_then(|mut statement| statement.execute((model, digest)))
                    .context(doing)?;
            }
        }
        if n_gone == 0 {
            return Ok(0);
        }
        tx.execute("UPDATE meta SET revision = revision + 1", [])
            .and_then(|_| tx.commit())
            .context(doing)?;
        self.shrink()?;
        Ok(n_gone as u64)
    }

    /// Gives the pages that are free back to the file system.
    fn shrink(&self) -> StoreResult<()> {
        free_pages(&self.connection)
            .and_then(|()| {
                let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
                self.connection.query_row(checkpoint, [], |_| Ok(()))
            })
            .context("shrinking the vectors")
    }

    /// Loads the vectors of a model for the chunks of an index. Costs some µs a vector of the family, of all branches.
    pub fn table(&self, model: i64, read: &Read<'_>) -> StoreResult<VectorTable> {
        let doing = "reading vectors";
        let wanted = read.chunks_with_digest()?;
        let mut find = self
            .connection
            .prepare_cached("SELECT scale, steps FROM vector WHERE model = ?1 AND digest = ?2")
            .context(doing)?;
        let mut table = VectorTable {
            chunks: Vec::with_capacity(wanted.len()),
            scales: Vec::with_capacity(wanted.len()),
            steps: Vec::new(),
            dimensions: 0,
            n_wanted: wanted.len(),
        };
        for (chunk, digest) in wanted {
            let found = find
                .query_row((model, digest), |row| {
                    Ok((row.get::<_, f64>(0)?, row.get::<_, Vec<u8>>(1)?))
                })
                .optional()
                .context(doing)?;
            let Some((scale, steps)) = found else {
                continue;
            };
            if table.dimensions == 0 {
                table.dimensions = steps.len();
            }
            if steps.len() != table.dimensions {
                return Err(StoreError::Corrupt {
                    path: self.path.clone(),
                    what: "vectors of one model differ in length".to_owned(),
                });
            }
            #[allow(clippy::cast_possible_truncation, reason = "it was written as an f32")]
            table.scales.push(scale as f32);
            table.chunks.push(chunk);
            table.steps.extend_from_slice(&steps);
        }
        Ok(table)
    }
}

impl VectorTable {
    /// Returns how many chunks of the index have a vector, and how many should.
    pub fn counts(&self) -> (usize, usize) {
        (self.chunks.len(), self.n_wanted)
    }

    /// Whether every chunk that should have a vector has one.
    pub fn is_whole(&self) -> bool {
        self.chunks.len() == self.n_wanted
    }

    /// Returns the cosine of each allowed chunk with a question, in no order; nothing where the question has another number of
    /// components.
    pub fn cosines(
        &self,
        question: &QuantizedVector,
        allowed: &dyn Fn(ChunkId) -> bool,
    ) -> Vec<(ChunkId, f32)> {
        if self.dimensions == 0 || question.dimensions() != self.dimensions {
            return Vec::new();
        }
        let vectors = self.steps.chunks_exact(self.dimensions);
        let rows = self.chunks.iter().zip(&self.scales).zip(vectors);
        rows.filter(|((chunk, _), _)| allowed(**chunk))
            .map(|((chunk, scale), steps)| (*chunk, question.cosine(steps, *scale)))
            .collect()
    }
}

impl Read<'_> {
    /// Takes the digests of all chunks out of `digests`. Costs a pass over the chunks.
    pub fn take_digests(&self, digests: &mut HashSet<i64>) -> StoreResult<()> {
        let doing = "reading the digests of chunks";
        let mut statement = self
            .tx
            .prepare_cached("SELECT packed FROM chunk")
            .context(doing)?;
        let mut rows = statement.query([]).context(doing)?;
        while !digests.is_empty()
            && let Some(row) = rows.next().context(doing)?
        {
            for chunk in chunks_in(row, 0).context(doing)? {
                digests.remove(&chunk.digest);
            }
        }
        Ok(())
    }

    /// Returns each chunk that a question in other words may be after, with the digest of its text: those of generated and minified
    /// files are left out.
    pub fn chunks_with_digest(&self) -> StoreResult<Vec<(ChunkId, i64)>> {
        let doing = "reading the digests of chunks";
        let left_out = [SkipReason::Generated, SkipReason::Minified].map(SkipReason::code);
        let mut statement = self
            .tx
            .prepare_cached(
                "SELECT c.packed FROM chunk c JOIN file f ON f.id = c.file WHERE f.skip IS NULL OR f.skip NOT IN (?1, ?2)",
            )
            .context(doing)?;
        let mut rows = statement.query(left_out).context(doing)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().context(doing)? {
            let chunks = chunks_in(row, 0).context(doing)?;
            found.extend(chunks.iter().map(|chunk| (chunk.id, chunk.digest)));
        }
        found.sort_unstable_by_key(|(id, _)| *id);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{NewVector, VectorStore, path};
    use crate::model::QuantizedVector;
    use crate::store::Home;

    fn vector(digest: i64, components: &[f32]) -> NewVector {
        NewVector {
            digest,
            vector: QuantizedVector::of(components).unwrap(),
        }
    }

    #[test]
    fn vectors_belong_to_their_model() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path(), &[]).unwrap();
        assert!(VectorStore::open_existing(&home, "aa").is_none());
        let mut store = VectorStore::open(&home, "aa", 0).unwrap();
        let one = store.add_model(&[1; 32], "small", &[0.6, 0.8]).unwrap();
        let two = store.add_model(&[1; 32], "small", &[0.8, 0.6]).unwrap();
        let before = store.revision().unwrap();
        store
            .write(one, &[vector(7, &[1.0, 0.0]), vector(-8, &[0.0, 1.0])])
            .unwrap();
        store.write(two, &[vector(7, &[0.0, 1.0])]).unwrap();
        assert!(store.revision().unwrap() > before);
        let counts = |store: &VectorStore| -> Vec<u64> {
            let models = store.models().unwrap();
            models.iter().map(|model| model.n_vectors).collect()
        };
        assert_eq!(counts(&store), [2, 1]);
        assert_eq!(store.models().unwrap()[1].probe, [0.8, 0.6]);
        // A second process sees them.
        let mut again = VectorStore::open_existing(&home, "aa").unwrap();
        assert_eq!(again.all_digests().unwrap().len(), 2);
        let gone = [-8, 9].into_iter().collect();
        assert_eq!(again.count_of(&gone).unwrap(), 1);
        assert_eq!(again.remove(&gone).unwrap(), 1);
        assert_eq!(counts(&store), [1, 1]);
        assert_eq!(again.count_of(&[7].into_iter().collect()).unwrap(), 2);
        assert_eq!(store.clear(Some(one)).unwrap(), 1);
        assert_eq!(store.digests(two).unwrap().len(), 1);
        assert_eq!(store.clear(None).unwrap(), 1);
        assert!(store.models().unwrap().is_empty());
    }

    #[test]
    fn room_of_removed_vectors_goes_back_to_the_file_system() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path(), &[]).unwrap();
        let mut store = VectorStore::open(&home, "aa", 0).unwrap();
        let model = store.add_model(&[1; 32], "small", &[1.0]).unwrap();
        let many: Vec<_> = (0..4_000).map(|at| vector(at, &[1.0; 256])).collect();
        store.write(model, &many).unwrap();
        let bytes = || super::bytes(&home, "aa");
        let before = bytes();
        let gone = (1_000..4_000).collect();
        let revision = store.revision().unwrap();
        assert_eq!(store.remove(&gone).unwrap(), 3_000);
        assert!(bytes() < before / 2, "{before} {}", bytes());
        assert_eq!(store.remove(&gone).unwrap(), 0);
        assert_eq!(
            store
                .remove(&crate::model::hash::HashSet::default())
                .unwrap(),
            0
        );
        assert!(store.revision().unwrap() > revision);
        let left = bytes();
        store.clear(None).unwrap();
        assert!(bytes() < left / 2, "{left} {}", bytes());
    }

    #[test]
    fn a_damaged_file_is_moved_aside() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path(), &[]).unwrap();
        drop(VectorStore::open(&home, "bb", 0).unwrap());
        std::fs::write(
            path(&home, "bb"),
            b"no database, but long enough to be read as one",
        )
        .unwrap();
        assert!(VectorStore::open_existing(&home, "bb").is_none());
        let store = VectorStore::open(&home, "bb", 5).unwrap();
        assert!(store.models().unwrap().is_empty());
        let names: Vec<_> = std::fs::read_dir(dir.path().join("vectors"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(names.contains(&"bb.db.damaged-5".to_owned()), "{names:?}");
        // A family that no repository is of.
        drop(store);
        assert!(super::sweep(&home, std::time::Duration::ZERO) > 0);
        assert!(!path(&home, "bb").exists());
    }
}

//! One consistent view of the rows of an index.

use std::cell::{RefCell, RefMut};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use rusqlite::{Connection, Transaction};

use super::chunk_rows::ChunkFiles;
use super::files::{self, RowCounts};
use super::packed_edges::KeptEdges;
use super::unbound::KeptUnbound;
use super::{ErrorContext, FileRow, StoreResult};
use crate::model::hash::{HashMap, HashSet};
use crate::model::visited::ChangedDirectories;
use crate::model::{FileId, FileRole, Handle, RepoPath};

/// Lists of the whole index, and the version of the data that they were read from.
#[derive(Debug, Default)]
pub(super) struct ReadCache {
    version: i64,
    rows: Option<Arc<Vec<FileRow>>>,
    /// The first bits of the handles of each file, sorted.
    file_bits: Option<Arc<Vec<(u64, FileId)>>>,
    importer_counts: Option<Arc<HashMap<FileId, u32>>>,
    counts: Option<RowCounts>,
    n_chunks: Option<u64>,
    roles: Arc<Mutex<KnownRoles>>,
    /// Chunks that match an expression of the text index, counted up to a bound.
    frequencies: HashMap<(Box<str>, u64), u64>,
}

/// Expressions whose chunks are kept counted: questions of one session have words in common.
const MAX_KEPT_FREQUENCIES: usize = 4_096;

/// The roles of files that were found out, by path: a function of all rows. Of more files than some ten thousand they are found out
/// anew.
#[derive(Debug, Default)]
pub struct KnownRoles {
    whole: HashMap<RepoPath, FileRole>,
    by_path: HashMap<RepoPath, FileRole>,
}

/// How many roles are kept.
const MAX_KEPT_ROLES: usize = 40_000;

impl KnownRoles {
    /// Returns the role of a file by all evidence.
    pub fn whole(&self, path: &RepoPath) -> Option<FileRole> {
        self.whole.get(path).copied()
    }

    /// Returns the role of a file by configurations and its path alone.
    pub fn by_path(&self, path: &RepoPath) -> Option<FileRole> {
        self.by_path.get(path).copied()
    }

    /// Keeps the role of a file by all evidence.
    pub fn add_whole(&mut self, path: &RepoPath, role: FileRole) {
        if self.whole.len() < MAX_KEPT_ROLES {
            self.whole.insert(path.clone(), role);
        }
    }

    /// Keeps the role of a file by configurations and its path alone.
    pub fn add_by_path(&mut self, path: &RepoPath, role: FileRole) {
        if self.by_path.len() < MAX_KEPT_ROLES {
            self.by_path.insert(path.clone(), role);
        }
    }
}

/// Files whose rows changed since somebody began to follow them.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    /// `None` where nobody follows, or where they are too many.
    list: Option<Vec<FileId>>,
}

impl ChangedFiles {
    /// Rows of more files are read anew.
    const MAX: usize = 256;

    /// Returns the empty list of somebody who follows.
    pub(super) fn none() -> Self {
        Self {
            list: Some(Vec::new()),
        }
    }

    pub(super) fn add(&mut self, file: FileId) {
        match &mut self.list {
            Some(list) if list.len() < Self::MAX => list.push(file),
            list => *list = None,
        }
    }

    pub(super) fn add_all(&mut self) {
        self.list = None;
    }

    pub(super) fn into_list(self) -> Option<Vec<FileId>> {
        self.list
    }
}

/// The rows of `meta`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The index these rows belong to.
    pub index_id: String,
    /// Rises with each transaction that changes possible answers.
    pub generation: u64,
    /// Whether every file was indexed at least once since the build began.
    pub complete: bool,
    /// When rows last changed, in milliseconds since the Unix epoch.
    pub last_indexed_ms: Option<i64>,
    /// The index it was copied from.
    pub seeded_from: Option<String>,
    /// The digest of the attribute files that the `marked` column rests on.
    pub attributes: Option<String>,
    /// Whether files came or went whose effect on imports is not queued yet.
    pub link_queue_is_stale: bool,
    /// The version of the linker that bound the names; 0 where none did.
    pub link_version: u32,
    /// Files of the work tree that have no row, by reason: `reason=count`, joined by commas.
    pub left_out: String,
    /// The proof that the rows are all files of a commit, as these versions and rules see them; empty where there is
    /// none.
    pub manifest: String,
    /// Of which commit the rows of past commits are the whole history; see [`super::history`].
    pub history: String,
    /// Chunks that were deleted since all segments of the text index were merged.
    pub n_dead_chunks: u64,
}

impl Meta {
    /// Returns the counts of the note of files without a row, each by its word; whatever is no count is passed over.
    pub fn left_out_counts(&self) -> impl Iterator<Item = (&str, u64)> {
        let parts = self.left_out.split(',');
        parts.filter_map(|part| {
            let (word, n) = part.split_once('=')?;
            Some((word, n.parse().ok()?))
        })
    }

    /// Returns the count of a word in the note of files without a row; 0 where it is not there.
    pub fn n_left_out(&self, word: &str) -> u64 {
        let mut counts = self.left_out_counts();
        counts.find(|it| it.0 == word).map_or(0, |it| it.1)
    }
}

/// A connection that reads an index, as long as that is open.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    kept: RefCell<ReadCache>,
}

impl Reader {
    pub(super) fn of(connection: Connection) -> Self {
        Self {
            connection,
            kept: RefCell::default(),
        }
    }

    /// Begins a view of one generation.
    pub fn read(&self) -> StoreResult<Read<'_>> {
        Read::begin(&self.connection, &self.kept)
    }
}

/// A view of one generation of one index.
#[derive(Debug)]
pub struct Read<'a> {
    pub(super) tx: Transaction<'a>,
    pub(super) chunk_files: RefCell<ChunkFiles>,
    meta: Meta,
    kept: &'a RefCell<ReadCache>,
    pub(super) kept_edges: RefCell<KeptEdges>,
    pub(super) kept_unbound: RefCell<KeptUnbound>,
}

impl<'a> Read<'a> {
    pub(super) fn begin(
        connection: &'a Connection,
        kept: &'a RefCell<ReadCache>,
    ) -> StoreResult<Self> {
        let tx = connection
            .unchecked_transaction()
            .context("beginning to read")?;
        let meta = read_meta(&tx)?;
        Ok(Self {
            tx,
            chunk_files: RefCell::default(),
            meta,
            kept,
            kept_edges: RefCell::default(),
            kept_unbound: RefCell::default(),
        })
    }

    /// Returns the meta rows of this generation.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns every file row, sorted by path. Kept in memory until another connection commits: whoever compared them
    /// with the work tree has paid for them.
    pub fn file_rows(&self) -> StoreResult<Arc<Vec<FileRow>>> {
        if let Some(rows) = &self.kept()?.rows {
            return Ok(Arc::clone(rows));
        }
        let rows = Arc::new(files::rows(&self.tx)?);
        self.kept()?.rows = Some(Arc::clone(&rows));
        Ok(rows)
    }

    /// Returns whether rows are kept, of this version of the data.
    pub(super) fn has_kept_rows(&self) -> bool {
        self.kept().is_ok_and(|kept| kept.rows.is_some())
    }

    /// Brings the kept file rows up to this version of the data, which differs from theirs by the rows of `changed` alone.
    pub(super) fn bring_rows_up(&self, changed: &[FileId]) -> StoreResult<()> {
        let before = self.kept.borrow_mut().rows.take();
        let Some(mut rows) = before else {
            return Ok(());
        };
        let list = Arc::make_mut(&mut rows);
        let changed: HashSet<FileId> = changed.iter().copied().collect();
        list.retain(|row| !changed.contains(&row.id));
        for file in changed {
            if let Some(row) = files::row_of(&self.tx, file)? {
                let at = list.partition_point(|other| other.path < row.path);
                list.insert(at, row);
            }
        }
        // Lists of the version before go here.
        self.kept()?.rows = Some(rows);
        Ok(())
    }

    /// Returns the rows of the files directly in some directories, sorted by path. Costs some µs a row; for the root a look at
    /// every path.
    pub fn file_rows_in(&self, directories: &ChangedDirectories) -> StoreResult<Vec<FileRow>> {
        let mut found = Vec::new();
        for directory in directories.iter() {
            // A path that is not UTF-8 has no row.
            if let Ok(directory) = std::str::from_utf8(directory) {
                found.extend(files::rows_in(&self.tx, directory)?);
            }
        }
        found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Returns the files that a handle with these first bits may be of, by path: one, and seldom one more. Keeps those of all files as
    /// [`Self::file_rows`] are kept.
    pub(super) fn files_with_bits(&self, bits: u64) -> StoreResult<Vec<FileId>> {
        let known = self.kept()?.file_bits.clone();
        let all = if let Some(all) = known {
            all
        } else {
            let rows = self.file_rows()?;
            let of_row = |row: &FileRow| (Handle::file_bits_of(&row.path), row.id);
            let mut all: Vec<_> = rows.iter().map(of_row).collect();
            // Stable: files with equal bits stay in the order of their paths.
            all.sort_by_key(|it| it.0);
            let all = Arc::new(all);
            self.kept()?.file_bits = Some(Arc::clone(&all));
            all
        };
        let from = all.partition_point(|it| it.0 < bits);
        let found = all[from..].iter().take_while(|it| it.0 == bits);
        Ok(found.map(|it| it.1).collect())
    }

    /// Returns the files that have symbols, each with the number of other files that import it. Kept as
    /// [`Self::file_rows`] are; costs about 2 µs a file.
    pub fn importer_counts(&self) -> StoreResult<Arc<HashMap<FileId, u32>>> {
        if let Some(importer_counts) = &self.kept()?.importer_counts {
            return Ok(Arc::clone(importer_counts));
        }
        let importers = self.count_importers()?;
        let with_number = |file| (file, importers.get(&file).copied().unwrap_or(0));
        let files = self.files_with_symbols()?;
        let importer_counts = Arc::new(files.into_iter().map(with_number).collect());
        self.kept()?.importer_counts = Some(Arc::clone(&importer_counts));
        Ok(importer_counts)
    }

    /// Returns how many rows there are of each kind. Kept as [`Self::file_rows`] are; costs some 2 µs a file.
    pub fn counts(&self) -> StoreResult<RowCounts> {
        if let Some(counts) = self.kept()?.counts {
            return Ok(counts);
        }
        let counts = files::counts(&self.tx)?;
        self.kept()?.counts = Some(counts);
        Ok(counts)
    }

    /// Returns how many chunks there are. Kept as [`Self::file_rows`] are.
    pub fn n_chunks(&self) -> StoreResult<u64> {
        if let Some(n_chunks) = self.kept()?.n_chunks {
            return Ok(n_chunks);
        }
        let n_chunks = self
            .tx
            .prepare_cached("SELECT ifnull(sum(n), 0) FROM chunk_run")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)))
            .map(i64::cast_unsigned)
            .context("counting chunks")?;
        self.kept()?.n_chunks = Some(n_chunks);
        Ok(n_chunks)
    }

    /// Returns how many chunks match an expression, as `count` does; kept as [`Self::file_rows`] are.
    pub(super) fn counted(
        &self,
        expression: &str,
        at_most: u64,
        count: impl FnOnce() -> StoreResult<u64>,
    ) -> StoreResult<u64> {
        let key = (Box::from(expression), at_most);
        if let Some(n) = self.kept()?.frequencies.get(&key) {
            return Ok(*n);
        }
        let n = count()?;
        let mut kept = self.kept()?;
        if kept.frequencies.len() >= MAX_KEPT_FREQUENCIES {
            kept.frequencies.clear();
        }
        kept.frequencies.insert(key, n);
        Ok(n)
    }

    /// Returns the roles that were found out from this version of the data, to read and to add to. Kept as [`Self::file_rows`] are.
    pub fn known_roles(&self) -> Arc<Mutex<KnownRoles>> {
        let kept = self.kept();
        kept.map_or_else(|_| Arc::default(), |kept| Arc::clone(&kept.roles))
    }

    /// Returns the lists of this version of the data. Lists of another version go first: they are as large as the
    /// repository has files.
    fn kept(&self) -> StoreResult<RefMut<'a, ReadCache>> {
        let version: i64 = self
            .tx
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .context("reading the data version")?;
        let mut kept = self.kept.borrow_mut();
        if kept.version != version {
            *kept = ReadCache {
                version,
                ..ReadCache::default()
            };
        }
        Ok(kept)
    }

    /// Returns the files of which `path` is the whole path, or the directory (empty: all).
    pub fn files_under(&self, path: &str) -> StoreResult<FilesUnder> {
        let rows = self.file_rows()?;
        let first_from = |start: &str| rows.partition_point(|row| row.path.as_str() < start);
        let below = if path.is_empty() {
            0..rows.len()
        } else {
            // `0` follows `/`: between them are exactly the paths that begin with the directory and a slash.
            first_from(&format!("{path}/"))..first_from(&format!("{path}0"))
        };
        let alone = rows
            .binary_search_by(|row| row.path.as_str().cmp(path))
            .ok();
        Ok(FilesUnder { rows, alone, below })
    }
}

/// The files at or below a path.
#[derive(Debug)]
pub struct FilesUnder {
    rows: Arc<Vec<FileRow>>,
    alone: Option<usize>,
    below: Range<usize>,
}

impl FilesUnder {
    /// Returns their rows, by path.
    pub fn iter(&self) -> impl Iterator<Item = &FileRow> {
        let alone = self.alone.map(|at| &self.rows[at]);
        alone.into_iter().chain(&self.rows[self.below.clone()])
    }
}

fn read_meta(connection: &Connection) -> StoreResult<Meta> {
    let mut statement = connection
        .prepare_cached("SELECT key, value FROM meta")
        .context("reading meta")?;
    let mut rows = statement
        .query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })
        .context("reading meta")?
        .collect::<Result<std::collections::BTreeMap<_, _>, _>>()
        .context("reading meta")?;
    Ok(Meta {
        index_id: rows.remove("index_id").unwrap_or_default(),
        generation: rows
            .get("generation")
            .and_then(|text| text.parse().ok())
            .unwrap_or(0),
        complete: rows.get("complete").is_some_and(|text| text == "1"),
        last_indexed_ms: rows
            .get("last_indexed_ms")
            .and_then(|text| text.parse().ok()),
        seeded_from: rows.remove("seeded_from"),
        attributes: rows.remove("attributes"),
        link_queue_is_stale: rows
            .get("link_queue_is_stale")
            .is_some_and(|text| text == "1"),
        link_version: rows
            .get("link_version")
            .and_then(|text| text.parse().ok())
            .unwrap_or(0),
        left_out: rows.remove("left_out").unwrap_or_default(),
        manifest: rows.remove("manifest").unwrap_or_default(),
        history: rows.remove(super::history::META).unwrap_or_default(),
        n_dead_chunks: rows
            .get(super::text_merge::DEAD_CHUNKS)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0),
    })
}

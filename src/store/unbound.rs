//! The uses of names that lead to no definition: those of 128 files and a 64th of all names in one row, packed to about 6 bytes each.
//!
//! A name is 48 bits of its hash; the highest six are its bucket. A row holds the names of one bucket in one group of files:
//!
//! ```text
//! each name     6 bytes of the hash, the lowest last
//! each use      step from the file before << 5 | form << 2 | has a count << 1 | is the last of its name; line; count, unless it is 1
//! ```
//!
//! Numbers are those of `packed_numbers`. The uses of a name are found in one row a group, those of a file in 64 rows that follow one another.
//! SQLite knows no files in packed uses: the writer takes those of a file out when it is deleted.

use rusqlite::Connection;

use super::kept_lists::KeptLists;
use super::packed_numbers::{damage, put, take};
use super::{ErrorContext, Read, StoreResult, Writer};
use crate::model::hash::{HashMap, HashSet};
use crate::model::{FileId, RepoPath};

/// Files whose uses lie together.
const GROUP_FILES: i64 = 128;

/// Rows of a group. With more a question after a name reads fewer other names, and a row has fewer uses of each.
const N_BUCKETS: i64 = 64;

/// Bits of a name below those of its bucket.
const BUCKET_SHIFT: u32 = 42;

const FORM_SHIFT: u64 = 2;
const FILE_SHIFT: u64 = 5;
const HAS_COUNT: u64 = 2;
const IS_LAST: u64 = 1;
const _: () = assert!(UnboundForm::all().bits() < 8);

bitflags::bitflags! {
    /// How a name that leads to no definition is written; as stored in an index.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct UnboundForm: u8 {
        /// It is called: `name()`.
        const CALL = 1;
        /// It is a member of something before it: `x.name`.
        const MEMBER = 1 << 1;
        /// It is the last name of a path, of a type or a module: `x::name`. Then it is no member.
        const PATH = 1 << 2;
    }
}

/// The uses of one name in one file that lead to no definition here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundRow {
    /// The name.
    pub name: String,
    /// How the uses are written.
    pub form: UnboundForm,
    /// How many uses there are.
    pub count: u32,
    /// Line of the first one.
    pub line: u32,
}

/// The uses of one name in one file that lead to no definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundPlace {
    /// The file.
    pub path: RepoPath,
    /// How the uses are written.
    pub form: UnboundForm,
    /// How many uses there are.
    pub count: u32,
    /// Line of the first one.
    pub line: u32,
}

impl UnboundPlace {
    /// Whether the name is a member of something before it.
    pub fn is_member(&self) -> bool {
        self.form.contains(UnboundForm::MEMBER)
    }
}

/// Names of one file that lead to no definition.
#[derive(Clone, Debug, Default)]
pub struct UnboundNames(HashSet<i64>);

impl UnboundNames {
    /// Whether a name is one of them.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name_key(name))
    }
}

/// An [`UnboundRow`] as it is kept; in the order of packed uses, where name, file and form tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoredUnbound {
    /// The name, by [`name_key`].
    pub(super) name: i64,
    /// The file.
    pub(super) file: FileId,
    /// How the uses are written.
    pub(super) form: UnboundForm,
    /// How many uses there are.
    pub(super) count: u32,
    /// Line of the first one.
    pub(super) line: u32,
}

/// Uses that are read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum UnboundList {
    /// Those of the names of a bucket.
    Bucket(i64),
    /// Those in the files of a group.
    Group(i64),
    /// Those of a bucket in a group.
    Row(i64),
    /// Those of the index.
    All,
}

/// Lists that a [`Read`] keeps unpacked.
pub(super) type KeptUnbound = KeptLists<UnboundList, StoredUnbound>;

/// The uses in a group of files, by file, while they are written.
#[derive(Debug)]
pub(super) struct UnboundGroup {
    group: i64,
    uses: HashMap<FileId, Vec<StoredUnbound>>,
    is_changed: bool,
}

/// Returns the number that an unbound name is kept by: 48 bits of its hash.
fn name_key(name: &str) -> i64 {
    let mut bytes = [0; 8];
    bytes[2..].copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..6]);
    i64::from_be_bytes(bytes)
}

fn group_of(file: FileId) -> i64 {
    file.row().div_euclid(GROUP_FILES)
}

fn bucket_of(name: i64) -> i64 {
    name >> BUCKET_SHIFT
}

/// Returns the row of a use.
fn row_of(file: FileId, name: i64) -> i64 {
    group_of(file) * N_BUCKETS + bucket_of(name)
}

/// Packs the uses of one row, which are sorted.
fn pack(uses: &[StoredUnbound]) -> Vec<u8> {
    let mut packed = Vec::new();
    for of_name in uses.chunk_by(|a, b| a.name == b.name) {
        packed.extend(&of_name[0].name.to_be_bytes()[2..]);
        let mut before = 0;
        for (n, one) in of_name.iter().enumerate() {
            let at = one.file.row().rem_euclid(GROUP_FILES);
            let step = (at - before).cast_unsigned();
            before = at;
            let has_count = u64::from(one.count != 1) * HAS_COUNT;
            let is_last = u64::from(n + 1 == of_name.len()) * IS_LAST;
            let form = u64::from(one.form.bits()) << FORM_SHIFT;
            put(&mut packed, step << FILE_SHIFT | form | has_count | is_last);
            put(&mut packed, one.line);
            if one.count != 1 {
                put(&mut packed, one.count);
            }
        }
    }
    packed
}

/// Calls `on_use` with each of the uses of a row, sorted.
///
/// # Errors
/// Damage; uses before it were handed on. The files may be none.
fn unpack(row: i64, packed: &[u8], mut on_use: impl FnMut(StoredUnbound)) -> rusqlite::Result<()> {
    let mut rest = packed;
    let mut before = None;
    while before.is_none() || !rest.is_empty() {
        let last = unpack_name(row, &mut rest, before, &mut on_use);
        before = Some(last.ok_or_else(|| damage("unbound names that cannot be unpacked"))?);
    }
    Ok(())
}

/// Takes the next name with its uses. Returns the name.
fn unpack_name(
    row: i64,
    rest: &mut &[u8],
    before: Option<i64>,
    on_use: &mut impl FnMut(StoredUnbound),
) -> Option<i64> {
    let (key, after) = rest.split_first_chunk::<6>()?;
    *rest = after;
    let mut bytes = [0; 8];
    bytes[2..].copy_from_slice(key);
    let name = i64::from_be_bytes(bytes);
    if bucket_of(name) != row.rem_euclid(N_BUCKETS) || before.is_some_and(|it| it >= name) {
        return None;
    }
    let first_file = row.div_euclid(N_BUCKETS).checked_mul(GROUP_FILES)?;
    let (mut at, mut last) = (0, None);
    loop {
        let head: u64 = take(rest)?;
        at = i64::try_from(head >> FILE_SHIFT).ok()?.checked_add(at)?;
        if at >= GROUP_FILES {
            return None;
        }
        let form = UnboundForm::from_bits_truncate((head >> FORM_SHIFT).to_le_bytes()[0] & 7);
        let one = StoredUnbound {
            name,
            file: FileId::new(first_file.checked_add(at)?),
            form,
            line: take(rest)?,
            count: match head & HAS_COUNT {
                0 => 1,
                _ => take(rest)?,
            },
        };
        let is_both = form.contains(UnboundForm::MEMBER | UnboundForm::PATH);
        if is_both || one.count == 0 || last.is_some_and(|it| it >= (one.file, form)) {
            return None;
        }
        on_use(one);
        if head & IS_LAST != 0 {
            return Some(name);
        }
        last = Some((one.file, form));
    }
}

/// Calls `on_use` with each use of a list, by row.
pub(super) fn each_unbound(
    connection: &Connection,
    list: UnboundList,
    mut on_use: impl FnMut(StoredUnbound),
) -> rusqlite::Result<()> {
    let (first, last) = match list {
        UnboundList::Bucket(bucket) => return each_of_bucket(connection, bucket, on_use),
        UnboundList::Group(group) => (group * N_BUCKETS, group * N_BUCKETS + N_BUCKETS - 1),
        UnboundList::Row(row) => (row, row),
        UnboundList::All => (i64::MIN, i64::MAX),
    };
    let mut statement = connection
        .prepare_cached("SELECT id, packed FROM unbound WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
    let mut rows = statement.query((first, last))?;
    while let Some(row) = rows.next()? {
        unpack(row.get(0)?, row.get_ref(1)?.as_blob()?, &mut on_use)?;
    }
    Ok(())
}

/// Calls `on_use` with the uses of a bucket; goes from one group that has rows to the next. Costs a look-up a group.
fn each_of_bucket(
    connection: &Connection,
    bucket: i64,
    mut on_use: impl FnMut(StoredUnbound),
) -> rusqlite::Result<()> {
    let mut statement = connection
        .prepare_cached("SELECT id, packed FROM unbound WHERE id >= ?1 ORDER BY id LIMIT 1")?;
    let mut from = Some(bucket);
    while let Some(first) = from {
        let mut rows = statement.query([first])?;
        let Some(row) = rows.next()? else {
            break;
        };
        let id: i64 = row.get(0)?;
        let here = id.rem_euclid(N_BUCKETS);
        if here == bucket {
            unpack(id, row.get_ref(1)?.as_blob()?, &mut on_use)?;
        }
        let group = id.div_euclid(N_BUCKETS) + i64::from(here >= bucket);
        from = group
            .checked_mul(N_BUCKETS)
            .and_then(|first| first.checked_add(bucket));
    }
    Ok(())
}

impl Read<'_> {
    /// Returns the uses of a name that lead to no definition, by file and form, in the order of the paths. Costs as much as a 64th of
    /// all unbound uses; those are kept for the next question.
    pub fn unbound_places(&self, name: &str) -> StoreResult<Vec<UnboundPlace>> {
        let key = name_key(name);
        let list = UnboundList::Bucket(bucket_of(key));
        let found = self.unbound(list, |it| it.name == key)?;
        let mut places = Vec::with_capacity(found.len());
        for of_file in found.chunk_by(|a, b| a.file == b.file) {
            let Some(path) = self.path_of(of_file[0].file)? else {
                continue;
            };
            places.extend(of_file.iter().map(|it| UnboundPlace {
                path: path.clone(),
                form: it.form,
                count: it.count,
                line: it.line,
            }));
        }
        places.sort_by(|a, b| (&a.path, a.line, a.form).cmp(&(&b.path, b.line, b.form)));
        Ok(places)
    }

    /// Returns whether a file calls a name that leads to no definition, and is no member: `describe()`.
    pub fn calls_unbound(&self, file: FileId, name: &str) -> StoreResult<bool> {
        let key = name_key(name);
        let mut is_called = false;
        each_unbound(&self.tx, UnboundList::Row(row_of(file, key)), |it| {
            is_called |= it.name == key && it.file == file && it.form == UnboundForm::CALL;
        })
        .context("looking an unbound name up")?;
        Ok(is_called)
    }

    /// Returns the names that a file calls, or asks a receiver for, and that lead to no definition. Costs as much as the uses of its
    /// group; those are kept for the next question.
    pub fn unbound_in(&self, file: FileId) -> StoreResult<UnboundNames> {
        let list = UnboundList::Group(group_of(file));
        let found = self.unbound(list, |it| it.file == file)?;
        Ok(UnboundNames(found.iter().map(|it| it.name).collect()))
    }

    /// Returns the uses of a list that are wanted, by row. The list is kept unpacked, unless it is long.
    pub(super) fn unbound(
        &self,
        list: UnboundList,
        is_wanted: impl Fn(&StoredUnbound) -> bool,
    ) -> StoreResult<Vec<StoredUnbound>> {
        let each =
            |list, on_use: &mut dyn FnMut(StoredUnbound)| each_unbound(&self.tx, list, on_use);
        let mut kept = self.kept_unbound.borrow_mut();
        let found = kept.wanted(list, is_wanted, each);
        found.context("reading unbound names")
    }
}

impl Writer<'_> {
    /// Makes the unbound names of a file equal `rows`. They are written with those of its group, when a file of another one comes or
    /// the transaction ends: files are linked in the order of their rows.
    pub(super) fn write_unbound(
        &mut self,
        file: FileId,
        rows: &[UnboundRow],
    ) -> rusqlite::Result<()> {
        let stored = rows.iter().map(|row| StoredUnbound {
            name: name_key(&row.name),
            file,
            form: row.form,
            count: row.count,
            line: row.line,
        });
        let mut wanted: Vec<StoredUnbound> = stored.collect();
        wanted.sort_unstable();
        wanted.dedup_by_key(|it| (it.name, it.form));
        let group = group_of(file);
        if self.unbound.as_ref().is_none_or(|it| it.group != group) {
            self.flush_unbound()?;
            let mut uses: HashMap<FileId, Vec<StoredUnbound>> = HashMap::default();
            each_unbound(self.tx(), UnboundList::Group(group), |it| {
                uses.entry(it.file).or_default().push(it);
            })?;
            self.unbound = Some(UnboundGroup {
                group,
                uses,
                is_changed: false,
            });
        }
        let known = self.unbound.as_mut().expect("it was just read");
        if known.uses.get(&file).map_or(&[][..], Vec::as_slice) != wanted {
            known.uses.insert(file, wanted);
            known.is_changed = true;
        }
        Ok(())
    }

    /// Writes the rows of the group that differ.
    pub(super) fn flush_unbound(&mut self) -> rusqlite::Result<()> {
        let Some(changed) = self.unbound.take().filter(|it| it.is_changed) else {
            return Ok(());
        };
        let mut wanted: Vec<StoredUnbound> = changed.uses.into_values().flatten().collect();
        wanted.sort_unstable();
        let first = changed.group * N_BUCKETS;
        let mut known: HashMap<i64, Vec<u8>> = self
            .tx()
            .prepare_cached("SELECT id, packed FROM unbound WHERE id BETWEEN ?1 AND ?2")?
            .query_map((first, first + N_BUCKETS - 1), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<Result<_, _>>()?;
        let mut upsert = self.tx().prepare_cached(
            "INSERT INTO unbound(id, packed) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET packed = excluded.packed",
        )?;
        for uses in wanted.chunk_by(|a, b| bucket_of(a.name) == bucket_of(b.name)) {
            let row = row_of(uses[0].file, uses[0].name);
            let packed = pack(uses);
            if known.remove(&row).as_ref() != Some(&packed) {
                upsert.execute((row, packed))?;
            }
        }
        let mut delete = self
            .tx()
            .prepare_cached("DELETE FROM unbound WHERE id = ?1")?;
        for row in known.into_keys() {
            delete.execute([row])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

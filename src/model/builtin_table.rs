//! Tables of the names that a language or its standard library defines, each with its meaning.
//!
//! In tests a row can be taken out, and the rows that are asked for are noted: see `row_use`.

use std::sync::OnceLock;

use super::hash::{HashMap, HashSet};

/// Bytes of the longest name of a table. A longer text, which may be any expression, costs no hash.
const MAX_NAME: usize = 64;

/// A map from names to their meanings, asked by hash.
///
/// ```
/// use codelens::model::BuiltinTable;
///
/// static NUMBERS: BuiltinTable<u8> = BuiltinTable::new("numbers", &[(1, "one uno"), (2, "two")]);
/// assert_eq!(NUMBERS.get("uno"), Some(&1));
/// assert_eq!(NUMBERS.get("three"), None);
/// ```
#[derive(Debug)]
pub struct BuiltinTable<T: 'static> {
    title: &'static str,
    groups: &'static [(T, &'static str)],
    rows: OnceLock<HashMap<&'static str, &'static T>>,
}

impl<T> BuiltinTable<T> {
    /// The table of these meanings, each with the names that have it, parted by one space. No other table has its title.
    pub const fn new(title: &'static str, groups: &'static [(T, &'static str)]) -> Self {
        Self {
            title,
            groups,
            rows: OnceLock::new(),
        }
    }

    /// Returns the meaning of a name; `None` where it has no row.
    pub fn get(&'static self, name: &str) -> Option<&'static T> {
        if name.len() > MAX_NAME {
            return None;
        }
        let rows = self.rows.get_or_init(|| self.all().collect());
        #[cfg(test)]
        row_use::note_table(self.title, || self.all().map(|row| row.0).collect());
        let (row, meaning) = rows.get_key_value(name)?;
        is_kept((self.title, row)).then_some(*meaning)
    }

    fn all(&'static self) -> impl Iterator<Item = (&'static str, &'static T)> {
        let groups = self.groups.iter();
        groups.flat_map(|(meaning, names)| words(names).map(move |name| (name, meaning)))
    }
}

/// A set of names, asked by hash.
///
/// ```
/// use codelens::model::BuiltinSet;
///
/// static PRIMES: BuiltinSet = BuiltinSet::new("primes", "two three five");
/// assert!(PRIMES.has("two") && !PRIMES.has("four"));
/// ```
#[derive(Debug)]
pub struct BuiltinSet {
    title: &'static str,
    names: &'static str,
    rows: OnceLock<HashSet<&'static str>>,
}

impl BuiltinSet {
    /// The set of these names, parted by one space. No other table has its title.
    pub const fn new(title: &'static str, names: &'static str) -> Self {
        Self {
            title,
            names,
            rows: OnceLock::new(),
        }
    }

    /// Whether a name is in the set.
    pub fn has(&'static self, name: &str) -> bool {
        if name.len() > MAX_NAME {
            return false;
        }
        let rows = self.rows.get_or_init(|| words(self.names).collect());
        #[cfg(test)]
        row_use::note_table(self.title, || words(self.names).collect());
        let row = rows.get(name);
        row.is_some_and(|row| is_kept((self.title, row)))
    }
}

fn words(names: &'static str) -> impl Iterator<Item = &'static str> {
    names.split(' ').filter(|it| !it.is_empty())
}

/// A row of a table: the title of the table, and the name.
pub type BuiltinRow = (&'static str, &'static str);

/// Whether a row is there: always, but in a test that takes it out.
#[cfg(not(test))]
const fn is_kept(_row: BuiltinRow) -> bool {
    true
}

#[cfg(test)]
use row_use::is_kept;

/// The rows that this thread asks for, and the one that is taken out.
#[cfg(test)]
pub mod row_use {
    use std::cell::{Cell, RefCell};
    use std::collections::{BTreeMap, BTreeSet};

    pub use super::BuiltinRow;

    thread_local! {
        static ASKED: RefCell<BTreeSet<BuiltinRow>> = const { RefCell::new(BTreeSet::new()) };
        static TABLES: RefCell<BTreeMap<&'static str, Vec<&'static str>>> =
            const { RefCell::new(BTreeMap::new()) };
        static DROPPED: Cell<Option<BuiltinRow>> = const { Cell::new(None) };
    }

    pub(super) fn is_kept(row: BuiltinRow) -> bool {
        ASKED.with_borrow_mut(|asked| asked.insert(row));
        DROPPED.get() != Some(row)
    }

    pub(super) fn note_table(title: &'static str, names: impl FnOnce() -> Vec<&'static str>) {
        TABLES.with_borrow_mut(|tables| {
            tables.entry(title).or_insert_with(names);
        });
    }

    /// Runs a computation. Returns its result, and the rows that it found in their tables.
    pub fn asked<R>(run: impl FnOnce() -> R) -> (R, BTreeSet<BuiltinRow>) {
        ASKED.take();
        let result = run();
        (result, ASKED.take())
    }

    /// Runs a computation as if a row were not in its table.
    pub fn without<R>(row: BuiltinRow, run: impl FnOnce() -> R) -> R {
        DROPPED.set(Some(row));
        let result = run();
        DROPPED.set(None);
        result
    }

    /// The names of each table, by its title, that this thread asked so far.
    pub fn tables() -> BTreeMap<&'static str, Vec<&'static str>> {
        TABLES.with_borrow(Clone::clone)
    }
}

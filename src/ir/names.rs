//! The names of one file, each kept once: one string with the end of each name, so that thousands of names are two
//! allocations.

use std::fmt;

use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::NameId;
use crate::model::hash::IdTable;

/// Names by their ids. Serialized as a list of strings.
#[derive(Clone, Debug, Default)]
pub(super) struct NameTable {
    text: String,
    /// The end of each name in the text.
    ends: Vec<u32>,
    ids: IdTable,
}

impl PartialEq for NameTable {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, &self.ends) == (&other.text, &other.ends)
    }
}

impl NameTable {
    /// Returns the id of a name, new or known.
    pub(super) fn add(&mut self, name: &str) -> NameId {
        let new = count(self.ends.len());
        let (text, ends) = (&self.text, &self.ends);
        if let Some(known) = self
            .ids
            .find_or_put(name, new, |id| text_of(text, ends, id))
        {
            return NameId(known);
        }
        self.push(name);
        NameId(new)
    }

    /// Returns the id of a name; `None` where the table does not have it.
    pub(super) fn find(&self, name: &str) -> Option<NameId> {
        let found = self
            .ids
            .find(name, |id| text_of(&self.text, &self.ends, id));
        found.map(NameId)
    }

    /// Returns a name. Panics where the id is out of range.
    pub(super) fn get(&self, id: NameId) -> &str {
        text_of(&self.text, &self.ends, id.0)
    }

    /// Returns the number of names.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns all names, by their ids.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let end = *end as usize;
            &self.text[std::mem::replace(&mut start, end)..end]
        })
    }

    /// Makes names known to [`Self::find`] in a table that was deserialized.
    pub(super) fn rebuild_index(&mut self) {
        let (text, ends) = (&self.text, &self.ends);
        self.ids
            .put_all(count(ends.len()), |id| text_of(text, ends, id));
    }

    /// Takes out the names from id `at` on, which then count from 0. They are unknown to [`Self::find`] until
    /// [`Self::rebuild_index`].
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let start = at.checked_sub(1).map_or(0, |last| self.ends[last]);
        let ends = self.ends.split_off(at).into_iter();
        self.ids = IdTable::default();
        Self {
            text: self.text.split_off(start as usize),
            ends: ends.map(|end| end - start).collect(),
            ids: IdTable::default(),
        }
    }

    /// Adds names behind the others, unknown to [`Self::find`] until [`Self::rebuild_index`].
    pub(super) fn append(&mut self, other: &Self) {
        other.iter().for_each(|name| self.push(name));
    }

    /// Puts the names in another order: `old` are their ids.
    pub(super) fn reorder(&mut self, old: &[NameId]) {
        let mut ordered = Self::default();
        for id in old {
            ordered.push(self.get(*id));
        }
        *self = ordered;
    }

    fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(count(self.text.len()));
    }
}

fn text_of<'a>(text: &'a str, ends: &[u32], id: u32) -> &'a str {
    let at = id as usize;
    let start = at.checked_sub(1).map_or(0, |before| ends[before]);
    &text[start as usize..ends[at] as usize]
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("the names of a file are shorter than u32 can count")
}

impl Serialize for NameTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for NameTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Names)
    }
}

/// Reads a list of names.
struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = NameTable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of names")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<NameTable, A::Error> {
        let mut table = NameTable::default();
        while names.next_element_seed(Name(&mut table))?.is_some() {}
        Ok(table)
    }
}

/// Reads one name into a table.
struct Name<'t>(&'t mut NameTable);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<(), E> {
        if self.0.text.len() + name.len() > u32::MAX as usize {
            return Err(E::custom("too many names"));
        }
        self.0.push(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::NameTable;

    #[test]
    fn a_table_is_read_back_with_its_ids() {
        let mut table = NameTable::default();
        let ids = ["store", "", "größe", "store"].map(|name| table.add(name));
        assert_eq!(ids.map(|id| id.0), [0, 1, 2, 0]);
        let written = serde_json::to_string(&table).unwrap();
        assert_eq!(written, r#"["store","","größe"]"#);
        let mut read: NameTable = serde_json::from_str(&written).unwrap();
        assert_eq!(read, table);
        assert_eq!(read.find("größe"), None);
        read.rebuild_index();
        assert_eq!(read.find("größe"), Some(ids[2]));
        assert_eq!(read.iter().collect::<Vec<_>>(), ["store", "", "größe"]);
        assert_eq!((read.get(ids[0]), read.len()), ("store", 3));
    }
}

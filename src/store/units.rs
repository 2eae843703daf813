//! Units of visibility that several files share: which files belong to which, and who is linked again when one joins or
//! leaves: one of the three causes of the link queue ([`super::link_queue`]).
//!
//! To the linker a unit is a file that re-exports its members (a barrel), with a row id below 0. `resolve::units` names them.

use rusqlite::OptionalExtension as _;

use super::interface::{InterfaceFingerprint, UNIT_FILES, bucket};
use super::{ErrorContext, Read, StoreResult, Writer};
use crate::model::{FileId, UnitId};

impl Writer<'_> {
    /// Returns the keys of the units that came into being or went since this was asked last.
    pub fn take_changed_units(&mut self) -> Vec<String> {
        std::mem::take(&mut self.changed_units)
    }

    /// Takes a file out of the units that it is in and that are not `wanted`. Those who looked there at a name that it
    /// offered are linked again. A unit without files goes.
    pub(super) fn leave_units(
        &mut self,
        file: FileId,
        fingerprint: Option<&InterfaceFingerprint>,
        wanted: &[(String, u8)],
    ) -> rusqlite::Result<()> {
        let known: Vec<(UnitId, (String, u8))> = self
            .tx()
            .prepare_cached(
                "SELECT u.id, u.key, m.rank FROM unit_file m JOIN unit u ON u.id = m.unit WHERE m.file = ?1",
            )?
            .query_map([file], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?
            .collect::<Result<_, _>>()?;
        for (unit, (key, _)) in known.iter().filter(|(_, known)| !wanted.contains(known)) {
            self.queue_dependents_on((*unit).into(), Some(seen_in(fingerprint)))?;
            self.tx()
                .prepare_cached("DELETE FROM unit_file WHERE unit = ?1 AND file = ?2")?
                .execute((unit, file))?;
            let is_left = self
                .tx()
                .prepare_cached("SELECT 1 FROM unit_file WHERE unit = ?1")?
                .exists([unit])?;
            if is_left {
                continue;
            }
            for statement in [
                "DELETE FROM dependency WHERE target = -?1",
                "UPDATE import SET target = NULL WHERE target = -?1",
                "DELETE FROM unit WHERE id = ?1",
            ] {
                self.tx().prepare_cached(statement)?.execute([unit])?;
            }
            self.changed_units.push(key.clone());
        }
        Ok(())
    }

    /// Puts a file into the units that it is not in yet. Those who looked there at a name that it exports are linked again.
    pub(super) fn join_units(
        &mut self,
        file: FileId,
        fingerprint: Option<&InterfaceFingerprint>,
        wanted: &[(String, u8)],
    ) -> rusqlite::Result<()> {
        for (key, rank) in wanted {
            let known: Option<UnitId> = self
                .tx()
                .prepare_cached("SELECT id FROM unit WHERE key = ?1")?
                .query_row([key], |row| row.get(0))
                .optional()?;
            let unit = if let Some(unit) = known {
                unit
            } else {
                self.changed_units.push(key.clone());
                let row = self
                    .tx()
                    .prepare_cached("INSERT INTO unit(key) VALUES(?1)")?
                    .insert([key])?;
                UnitId::new(row)
            };
            let n_new = self
                .tx()
                .prepare_cached(
                    "INSERT INTO unit_file(unit, file, rank) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING",
                )?
                .execute((unit, file, rank))?;
            if n_new > 0 && known.is_some() {
                self.queue_dependents_on(unit.into(), Some(seen_in(fingerprint)))?;
            }
        }
        Ok(())
    }
}

/// The buckets of what a unit has by one of its files.
fn seen_in(fingerprint: Option<&InterfaceFingerprint>) -> u64 {
    bucket(UNIT_FILES) | fingerprint.map_or(0, InterfaceFingerprint::buckets)
}

impl Read<'_> {
    /// Returns all units by their keys, in no order.
    pub fn units(&self) -> StoreResult<Vec<(String, UnitId)>> {
        self.tx
            .prepare_cached("SELECT key, id FROM unit")
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading units")
    }

    /// Returns the key of a unit; `None` where there is none.
    pub fn unit_key(&self, unit: UnitId) -> StoreResult<Option<String>> {
        self.tx
            .prepare_cached("SELECT key FROM unit WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([unit], |row| row.get(0)).optional())
            .context("reading units")
    }

    /// Returns the units that the names of a file belong to, in the order of their keys: without those of the names of its types, and
    /// those in which endpoints meet.
    pub fn units_of(&self, file: FileId) -> StoreResult<Vec<UnitId>> {
        self.tx
            .prepare_cached("SELECT u.id FROM unit_file m JOIN unit u ON u.id = m.unit WHERE m.file = ?1 AND u.key NOT GLOB 'cs=*' AND u.key NOT GLOB 'bridge:*' ORDER BY u.key")
            .and_then(|mut statement| statement.query_map([file], |row| row.get(0))?.collect())
            .context("reading units")
    }

    /// Returns whether usual builds leave a file out of its units: there it has a rank from 2 on.
    pub fn is_left_out_of_units(&self, file: FileId) -> StoreResult<bool> {
        self.tx
            .prepare_cached("SELECT 1 FROM unit_file WHERE file = ?1 AND rank >= 2")
            .and_then(|mut statement| statement.exists([file]))
            .context("reading units")
    }

    /// Returns the files of a unit with their ranks, those of low rank first, then by their paths.
    pub fn unit_files(&self, unit: UnitId) -> StoreResult<Vec<(FileId, u8)>> {
        self.tx
            .prepare_cached(
                "SELECT m.file, m.rank FROM unit_file m CROSS JOIN file f ON f.id = m.file WHERE m.unit = ?1 ORDER BY m.rank, f.path",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([unit], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            })
            .context("reading units")
    }
}

//! Row ids as values of SQLite: whole numbers.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};

use crate::model::{
    ChunkId, FileId, ModuleId, PastCommitId, PastPathId, RecordId, SymbolId, UnitId,
};

macro_rules! stored_as_numbers {
    ($($id:ident)*) => {$(
        impl ToSql for $id {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.row().into())
            }
        }

        impl FromSql for $id {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_i64().map(Self::new)
            }
        }
    )*};
}

stored_as_numbers!(ChunkId FileId ModuleId PastCommitId PastPathId RecordId SymbolId UnitId);

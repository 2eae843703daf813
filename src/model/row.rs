//! Row ids as types of their own: the row of a file can't be asked for as that of a symbol.
//!
//! They hold within one state of one index; a [`super::Handle`] outlives it.

/// Declares ids of the rows of one table, e.g. `FileId` for the rows of `file`.
macro_rules! row_ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(i64);

        impl $name {
            /// The id that no row has.
            pub const NONE: Self = Self(0);

            /// Returns the id of the row with this number.
            pub const fn new(row: i64) -> Self {
                Self(row)
            }

            /// Returns the number of the row.
            pub const fn row(self) -> i64 {
                self.0
            }
        }
    )*};
}

row_ids! {
    /// A row of `file`; below 0 a file of an overlay, which has none.
    FileId,
    /// A row of `symbol`.
    SymbolId,
    /// A row of `chunk`.
    ChunkId,
    /// A row of `unit`.
    UnitId,
    /// A module to the linker: a file by its row, or a unit of several files by its row below 0.
    ModuleId,
    /// A row of `commit`.
    PastCommitId,
    /// A row of `past_path`.
    PastPathId,
    /// A row of the saved records of a repository.
    RecordId,
}

impl ModuleId {
    /// Returns the file that it is. Of a unit, that is a row that no file has.
    pub const fn file(self) -> FileId {
        FileId(self.0)
    }

    /// Returns the unit that it is, where its row is below 0 and no file of an overlay has it.
    pub const fn unit(self) -> Option<UnitId> {
        if self.0 < 0 {
            Some(UnitId(-self.0))
        } else {
            None
        }
    }
}

impl From<FileId> for ModuleId {
    fn from(file: FileId) -> Self {
        Self(file.0)
    }
}

impl From<UnitId> for ModuleId {
    fn from(unit: UnitId) -> Self {
        Self(-unit.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{FileId, ModuleId, UnitId};

    #[test]
    fn a_module_is_a_file_or_a_unit() {
        let file = ModuleId::from(FileId::new(7));
        assert_eq!((file.file(), file.unit()), (FileId::new(7), None));
        let unit = ModuleId::from(UnitId::new(7));
        assert_eq!(unit.unit(), Some(UnitId::new(7)));
        assert_ne!(unit.file(), FileId::new(7));
    }
}

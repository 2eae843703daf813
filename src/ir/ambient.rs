//! Names that declarations of TypeScript give to all files: `declare const VERSION: string`, interfaces and types in a file that imports and
//! exports nothing, and what stands in `declare global {}`.

use super::FileFacts;

/// The unit of all files that declare such names; every file of code in TypeScript or JavaScript imports it.
pub const AMBIENT_UNIT: &str = "typescript:globals";

/// Begins the export under which a file offers such a name; no import can write it.
const PREFIX: &str = "global ";

/// Returns the name of the export by which a file offers a name to all others: `global VERSION`.
pub fn ambient_export(name: &str) -> String {
    format!("{PREFIX}{name}")
}

impl FileFacts {
    /// Whether the file offers names to all others.
    pub fn offers_ambient_names(&self) -> bool {
        self.exports.iter().any(|it| it.name.starts_with(PREFIX))
    }
}

//! Conditions on the column `kind` of the table `import`, for queries that leave out some kinds of import.

use crate::ir::ImportKind;

/// Kinds of rows of `import` that are a statement of the file: neither [`ImportKind::Implied`] nor [`ImportKind::Scope`].
pub(super) const IS_STATED: &str = "kind NOT IN (9, 12)";

/// Kinds of rows of `import` that lead to a module, each once: not [`ImportKind::Scope`], nor [`ImportKind::Fragment`], which
/// stands beside the row of its `#include`.
pub(super) const IS_LEADING: &str = "kind NOT IN (12, 13)";

const _: () = assert!(
    ImportKind::Implied as u8 == 9
        && ImportKind::Scope as u8 == 12
        && ImportKind::Fragment as u8 == 13
);

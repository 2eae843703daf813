//! Facts of Go.
//!
//! `declarations` finds the package clause, the imports and the symbols of the top level; `statements` walks through each of
//! them with the scopes around, binds local names where they are declared and records the uses; `expressions` and `types`
//! lower values, `reading` parses, `assignments` and `constraints` what a statement and a bound say of them; `endpoints` finds routes and requests. The unit of visibility is the package: names of its other files are not looked at here.

mod assignments;
mod constraints;
mod declarations;
mod endpoints;
mod expressions;
mod grammar;
mod lowering;
mod occurrences;
mod reading;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use super::frontend::{Frontend, LowerOptions, LoweredFile};
use super::implicit_calls::{ENTRY_POINT, ImplicitCalls};
use crate::model::Budget;
use crate::model::Family;
use crate::model::SymbolKind;

/// Methods of interfaces of the standard library.
const WELL_KNOWN: &[&str] = &[
    "Accept",
    "AppendBinary",
    "AppendText",
    "As",
    "Begin",
    "BeginTx",
    "BlockSize",
    "CheckNamedValue",
    "Close",
    "CloseNotify",
    "Columns",
    "Commit",
    "Deadline",
    "Done",
    "Enabled",
    "Err",
    "Error",
    "ExecContext",
    "Flush",
    "Format",
    "Glob",
    "GoString",
    "GobDecode",
    "GobEncode",
    "Handle",
    "Header",
    "Hijack",
    "Is",
    "IsBoolFlag",
    "IsDir",
    "IsValid",
    "LastInsertId",
    "Len",
    "Less",
    "LocalAddr",
    "Lock",
    "LogValue",
    "MarshalBinary",
    "MarshalJSON",
    "MarshalText",
    "MarshalXML",
    "MarshalXMLAttr",
    "ModTime",
    "Mode",
    "Name",
    "Network",
    "NumInput",
    "Open",
    "OpenConnector",
    "Pop",
    "Prepare",
    "PrepareContext",
    "Push",
    "QueryContext",
    "Read",
    "ReadAt",
    "ReadByte",
    "ReadDir",
    "ReadFile",
    "ReadFrom",
    "ReadRune",
    "RemoteAddr",
    "ResetSession",
    "Rollback",
    "RoundTrip",
    "RowsAffected",
    "Scan",
    "Seek",
    "ServeHTTP",
    "Set",
    "SetDeadline",
    "SetReadDeadline",
    "SetWriteDeadline",
    "Size",
    "Stat",
    "String",
    "Sub",
    "Swap",
    "Sys",
    "Temporary",
    "Timeout",
    "Unlock",
    "UnmarshalBinary",
    "UnmarshalJSON",
    "UnmarshalText",
    "UnmarshalXML",
    "UnmarshalXMLAttr",
    "UnreadByte",
    "UnreadRune",
    "Unwrap",
    "Value",
    "WithAttrs",
    "WithGroup",
    "Write",
    "WriteAt",
    "WriteByte",
    "WriteHeader",
    "WriteString",
    "WriteTo",
];

/// The calls that no source writes.
const IMPLICIT: ImplicitCalls = ImplicitCalls {
    plain_annotations: None,
    by_name: |symbol| match (symbol.kind, symbol.name.as_str()) {
        (SymbolKind::Function, "main") => Some(ENTRY_POINT),
        (SymbolKind::Function, "init") => Some("run when its package is loaded"),
        (SymbolKind::Method, name) if WELL_KNOWN.contains(&name) => {
            Some("named like a method of an interface of the standard library, which may call it")
        }
        _ => None,
    },
};

/// The front end of Go.
pub(super) const FRONTEND: Frontend = Frontend {
    family: Family::Go,
    has_inline_tests: false,
    implicit: &IMPLICIT,
    grammar: || &grammar::grammar().language,
    parse: Some(|source, budget| reading::parse(source, budget).into()),
    lower,
    endpoints: Some(endpoints::add),
    role_of: occurrences::role_of,
};

fn lower(
    source: &str,
    root: tree_sitter::Node<'_>,
    options: LowerOptions,
    budget: &Budget,
) -> Option<LoweredFile> {
    let mut lowering = lowering::Lowering::new(source, options.keeps_positions);
    let constraint = constraints::constraint(source);
    lowering.facts.is_alternative = constraint.is_some_and(constraints::leaves_out);
    lowering.facts.has_errors = root.has_error();
    let declared = lowering.declare(root);
    if lowering.facts.units.len() == 1 {
        lowering
            .facts
            .units
            .extend(constraint.map(ToOwned::to_owned));
    }
    for one in &declared {
        if budget.is_spent() {
            return None;
        }
        lowering.lower_declared(one);
    }
    Some(lowering.finish())
}

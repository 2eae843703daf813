//! Kinds of edges between files and symbols, and how an edge is known.

use serde::{Deserialize, Serialize};

use super::symbol::kinds;

kinds! {
    /// The relation that an edge states.
    EdgeKind {
        /// One file imports another.
        Imports = 0 "imports",
        /// One definition calls another.
        Calls = 1 "calls",
        /// One definition names another without calling it.
        References = 2 "references",
        /// A file or symbol defines a symbol.
        Defines = 3 "defines",
        /// A file exports a symbol.
        Exports = 4 "exports",
        /// A test exercises a file.
        Tests = 5 "tests",
    }
}

kinds! {
    /// How an edge is known, the strongest first. A chain is as strong as its weakest edge.
    Provenance {
        /// Bound through scopes, imports and re-exports to one definition.
        Resolved = 0 "resolved",
        /// A member bound through a receiver whose type is evident.
        Member = 1 "member",
        /// One definition of that name is in reach, nothing more.
        Name = 2 "name",
        /// A test file, by its name.
        PathHeuristic = 3 "path-heuristic",
    }
}

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
        /// A use of the declared member that may be this one, of a member that overrides it, or of a value that wraps it.
        Dispatch = 2 "dispatch",
        /// One of several overloads, where the types of the arguments do not decide.
        Overload = 3 "overload",
        /// A use of a definition that stands for this one in a build for another platform, or in another branch.
        Alternative = 4 "alternative",
        /// A request and the handler of its route, a declaration and the function of another language that it stands for: both
        /// sides write the same name.
        Bridge = 5 "bridge",
        /// A test that only names it.
        Name = 6 "name",
        /// A test file by its name; in `cl_changes` also one that uses other exports of a changed file.
        PathHeuristic = 7 "path-heuristic",
    }
}

/// Which way a relation is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From the file.
    Out,
    /// To the file.
    In,
}

impl Direction {
    /// Returns the word for it on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
        }
    }
}

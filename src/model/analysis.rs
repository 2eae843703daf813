//! How much of a language is understood.

use serde::{Deserialize, Serialize};

use super::symbol::kinds;

kinds! {
    /// How deep the files of a language are analysed.
    Analysis {
        /// Definitions, imports, and uses bound to definitions.
        Full = 0 "full",
        /// Definitions alone.
        Outline = 1 "outline",
        /// Words alone: searched, without definitions and edges.
        Text = 2 "text",
    }
}

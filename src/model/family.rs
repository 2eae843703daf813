//! Families of languages.

use serde::{Deserialize, Serialize};

/// Languages that resolve names by the same rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Family {
    /// TypeScript, JavaScript and what contains them.
    #[default]
    Ecmascript,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Rust.
    Rust,
    /// C and C++.
    C,
    /// Languages that are outlined: their names are not resolved.
    Outline,
    /// C#.
    CSharp,
}

impl Family {
    /// Its name in the table of confidences.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ecmascript => "ecmascript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Java => "java",
            Self::Rust => "rust",
            Self::C => "c",
            Self::Outline => "outline",
            Self::CSharp => "csharp",
        }
    }
}

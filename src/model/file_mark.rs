//! Words that a person gave to files in the settings, where they count in the order of search results. Marks that are saved as
//! records label only.

use std::path::PathBuf;

/// A word that counts in the order of search results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkWord {
    /// A test, or code for tests.
    Test,
    /// A document.
    Documentation,
    /// Configuration or data.
    Config,
    /// Written by a program.
    Generated,
    /// Behind other files, whatever it is; never left out.
    Ignore,
}

impl MarkWord {
    /// Every word.
    pub const ALL: [Self; 5] = [
        Self::Test,
        Self::Documentation,
        Self::Config,
        Self::Generated,
        Self::Ignore,
    ];

    /// Returns the word as people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Documentation => "documentation",
            Self::Config => "config",
            Self::Generated => "generated",
            Self::Ignore => "ignore",
        }
    }

    /// Returns the word that people write so; `None` for a word that counts nowhere.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.as_str() == text)
    }
}

/// A file or directory of a repository with its word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMark {
    /// The repository: its main work tree, or its git directory where it is bare.
    pub repo: PathBuf,
    /// The file or directory, from the root of the work tree.
    pub path: String,
    /// Its word.
    pub word: MarkWord,
}

impl FileMark {
    /// Returns whether the mark is of a file: `src/api` covers `src/api/client.ts`.
    pub fn covers(&self, file: &str) -> bool {
        let rest = file.strip_prefix(self.path.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::{FileMark, MarkWord};

    #[test]
    fn a_mark_covers_its_file_and_all_below_its_directory() {
        let mark = |path: &str| FileMark {
            repo: "/x".into(),
            path: path.to_owned(),
            word: MarkWord::Test,
        };
        assert!(mark("src/a.ts").covers("src/a.ts") && !mark("src/a.ts").covers("src/a.tsx"));
        assert!(mark("src/").covers("src/a.ts") && mark("src").covers("src/b/c.ts"));
        assert!(!mark("src").covers("srcs/a.ts"));
        for word in MarkWord::ALL {
            assert_eq!(MarkWord::parse(word.as_str()), Some(word));
        }
        assert_eq!(MarkWord::parse("reviewed"), None);
    }
}

//! A record: a text that somebody saved, with the code that it is about.

use crate::model::{ContentId, RecordId};

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// A named list of code with notes, to go on with later.
    Context,
    /// A remark about code.
    Note,
    /// A word that labels code: `test`, `generated`.
    Mark,
    /// A failure: the error, and the attempts at it.
    Failure,
    /// The repair of a failure.
    Fix,
    /// A document that belongs to code.
    Document,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Context,
        Self::Note,
        Self::Mark,
        Self::Failure,
        Self::Fix,
        Self::Document,
    ];

    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Note => "note",
            Self::Mark => "mark",
            Self::Failure => "failure",
            Self::Fix => "fix",
            Self::Document => "document",
        }
    }

    /// Returns the kind of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    pub(super) fn number(self) -> i64 {
        Self::ALL
            .iter()
            .zip(0..)
            .find(|(kind, _)| **kind == self)
            .map_or(0, |(_, at)| at)
    }

    pub(super) fn of_number(number: i64) -> Self {
        let at = usize::try_from(number).unwrap_or_default();
        Self::ALL.get(at).copied().unwrap_or(Self::Note)
    }
}

/// Who wrote a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrittenBy {
    /// A program, over MCP or a command without a terminal.
    #[default]
    Agent,
    /// A person at a terminal.
    Person,
    /// Somebody elsewhere: it was imported.
    Import,
}

impl WrittenBy {
    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
            Self::Import => "import",
        }
    }

    pub(super) fn number(self) -> i64 {
        match self {
            Self::Agent => 0,
            Self::Person => 1,
            Self::Import => 2,
        }
    }

    pub(super) fn of_number(number: i64) -> Self {
        match number {
            0 => Self::Agent,
            1 => Self::Person,
            _ => Self::Import,
        }
    }
}

/// The test that shows a fix, as its author named it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedTest {
    /// Its command.
    pub command: String,
    /// Whether the author says that it passed.
    pub passed: Option<bool>,
}

/// A run of a command that `codelens verify` saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenTestRun {
    /// The commit that was checked out; `None` when unborn.
    pub head_sha: Option<String>,
    /// The root tree of that commit.
    pub tree: Option<String>,
    /// The digest of the uncommitted changes; `None` where there were none.
    pub dirty: Option<ContentId>,
    /// The exit code; of a report 0 where every test passed, else 1.
    pub exit_code: i64,
    /// How long it took.
    pub took_ms: i64,
    /// Whether all items of the record were as they had been saved.
    pub anchored: bool,
}

/// The document that a record is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLink {
    /// Where it is.
    pub place: DocumentLocation,
    /// Its relation to the code: `specification`, `design`.
    pub relation: Option<String>,
    /// The place in it: a page, a heading.
    pub locator: Option<String>,
}

/// Where a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentLocation {
    /// A file of the repository, by its path.
    Path(String),
    /// An address, which is never fetched.
    Address(String),
    /// A copy in the data directory, by the digest of its bytes, with the name that the file had.
    Copy(ContentId, String),
}

/// One item as it was when it was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedItem {
    /// The handle that it had.
    pub handle: String,
    /// The file that it was in.
    pub path: String,
    /// The qualified name and the kind of the symbol that it is, or is a part of.
    pub symbol: Option<(String, String)>,
    /// First and last line, from 1; `None` for a whole file.
    pub lines: Option<(u32, u32)>,
    /// The bytes of the whole file.
    pub content: ContentId,
    /// The hashes of its lines, white space at both ends left out; of a whole file none.
    pub digests: Vec<u64>,
    /// The hash of its text, white space at the ends of lines left out; `None` for a whole file, and where an earlier version
    /// saved it.
    pub exact: Option<ContentId>,
}

/// A record without its items. To be saved, its `id` is 0 and its `uid` is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedRecord {
    /// Its number in this repository; kept when it is replaced.
    pub id: RecordId,
    /// Its name everywhere: `mem_` and 16 hexadecimal digits.
    pub uid: String,
    /// Its kind.
    pub kind: RecordKind,
    /// The name that it was given; one record of a kind has it.
    pub name: Option<String>,
    /// Its first line.
    pub title: String,
    /// Its text.
    pub text: Option<String>,
    /// Who wrote it.
    pub by: WrittenBy,
    /// The program that wrote it, as it calls itself.
    pub client: Option<String>,
    /// Whether a person here answers for it.
    pub approved: bool,
    /// The branch that was checked out; `None` when detached.
    pub branch: Option<String>,
    /// The commit; `None` when unborn.
    pub head_sha: Option<String>,
    /// The root tree of the commit.
    pub tree: Option<String>,
    /// The index that it was saved on.
    pub index_id: String,
    /// The failure that it repairs.
    pub fixes: Option<RecordId>,
    /// The record that came in its place.
    pub superseded_by: Option<RecordId>,
    /// The test that shows it.
    pub test: Option<NamedTest>,
    /// The last run that was seen.
    pub seen: Option<SeenTestRun>,
    /// The document that it is about.
    pub document: Option<DocumentLink>,
    /// Whether the index that it was saved on is kept.
    pub pinned: bool,
    /// When it was saved first, in milliseconds since the Unix epoch.
    pub created_ms: i64,
    /// When it was saved last.
    pub updated_ms: i64,
    /// How many items it has.
    pub n_items: u64,
}

impl SavedRecord {
    /// Returns a record of a kind that has nothing yet.
    pub fn new(kind: RecordKind, now_ms: i64) -> Self {
        Self {
            id: RecordId::NONE,
            uid: String::new(),
            kind,
            name: None,
            title: String::new(),
            text: None,
            by: WrittenBy::Agent,
            client: None,
            approved: true,
            branch: None,
            head_sha: None,
            tree: None,
            index_id: String::new(),
            fixes: None,
            superseded_by: None,
            test: None,
            seen: None,
            document: None,
            pinned: false,
            created_ms: now_ms,
            updated_ms: now_ms,
            n_items: 0,
        }
    }
}

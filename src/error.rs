//! The error that leaves the crate, sorted by the code that a client sees.
//!
//! Knows no room below: each composition root turns a room's own error into this type.

use std::fmt;

use serde_json::{Value, json};

/// Error codes of the tools' contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The place is not inside a git work tree.
    NotARepo,
    /// The named index does not exist.
    IndexMissing,
    /// Another process holds the lock that this call needs.
    IndexBusy,
    /// An argument is unknown, of the wrong type, or means nothing.
    InvalidArgument,
    /// The cursor belongs to another query, other filters or another index.
    BadCursor,
    /// The handle names nothing in this index.
    UnknownHandle,
    /// There is no such file or directory.
    PathNotFound,
    /// The path leads out of the work tree, or into `.git`.
    OutsideRepo,
    /// The file is there but left out of the index, with the reason.
    NotIndexed,
    /// The act is refused: the index is active, pinned or in use.
    Refused,
    /// The data was written by a newer version.
    NewerSchema,
    /// The caller stopped the call.
    Cancelled,
    /// The repository could not be read.
    Git,
    /// A file could not be read or written.
    Io,
    /// A fault of this program.
    Internal,
}

impl Code {
    /// Returns the word used on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotARepo => "not_a_repo",
            Self::IndexMissing => "index_missing",
            Self::IndexBusy => "index_busy",
            Self::InvalidArgument => "invalid_argument",
            Self::BadCursor => "bad_cursor",
            Self::UnknownHandle => "unknown_handle",
            Self::PathNotFound => "path_not_found",
            Self::OutsideRepo => "outside_repo",
            Self::NotIndexed => "not_indexed",
            Self::Refused => "refused",
            Self::NewerSchema => "newer_schema",
            Self::Cancelled => "cancelled",
            Self::Git => "git",
            Self::Io => "io",
            Self::Internal => "internal",
        }
    }
}

/// An error as a client sees it: the failure, its place, and the exact next step.
#[derive(Debug)]
pub struct Error {
    /// The code, which decides how a client reacts.
    pub code: Code,
    /// The failure and its place, in one lower-case line without a full stop, an absolute path or SQL.
    pub message: String,
    /// The next step.
    pub hint: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of everything above the doors.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Returns an error with its next step.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint.into(),
            source: None,
        }
    }

    /// Returns the error with its cause, which goes to the log and never to a client.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(cause.into());
        self
    }

    /// Returns an `invalid_argument`.
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message, hint)
    }

    /// Returns the error as every face shows it: `{"code", "message", "hint"}`.
    pub fn to_json(&self) -> Value {
        json!({
            "code": self.code.as_str(),
            "message": self.message,
            "hint": self.hint,
        })
    }

    /// Returns the error of a call that its caller stopped.
    pub fn cancelled() -> Self {
        Self::new(
            Code::Cancelled,
            "the call was cancelled",
            "call again; what was done so far is kept",
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|s| s.as_ref() as &(dyn std::error::Error + 'static))
    }
}

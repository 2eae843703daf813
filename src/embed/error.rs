//! Faults of models, without any text of their own: an answer may repeat a key or the code that was sent.

use crate::remote::ServerFault;

/// Why a model gave nothing that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    /// The server failed.
    #[error("{0}")]
    Server(ServerFault),
    /// The answer is not in the form of its protocol.
    #[error("the answer cannot be used: {0}")]
    Answer(&'static str),
    /// The files of a model on the disk can't be used.
    #[error("{0}")]
    Files(&'static str),
}

impl From<ServerFault> for ModelFault {
    fn from(fault: ServerFault) -> Self {
        Self::Server(fault)
    }
}

impl ModelFault {
    /// Whether the same request may succeed later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Server(fault) => match fault {
                ServerFault::TimedOut
                | ServerFault::Unreachable
                | ServerFault::Busy
                | ServerFault::Broken => true,
                ServerFault::Failed(status) => *status >= 500,
                ServerFault::Forbidden
                | ServerFault::TooLong
                | ServerFault::Configuration(_)
                | ServerFault::Cancelled => false,
            },
            Self::Answer(_) | Self::Files(_) => false,
        }
    }

    /// Returns its class in one word, as answers say it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Server(ServerFault::TimedOut) => "timeout",
            Self::Server(ServerFault::Configuration(_)) | Self::Files(_) => "settings",
            Self::Server(ServerFault::Busy) => "busy",
            _ => "failed",
        }
    }
}

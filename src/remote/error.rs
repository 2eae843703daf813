//! Faults of a store, without any text of its own: an answer of a store may repeat an address or a credential.

use std::fmt;

/// The class of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteFault {
    /// The store did not answer in time.
    TimedOut,
    /// Nobody is reached at its address.
    Unreachable,
    /// The credentials are missing or not taken.
    Forbidden,
    /// The address, or a variable of the environment, can't be used; which one is said.
    Configuration(&'static str),
    /// The store can't do what is asked.
    Unsupported,
    /// There is no such bucket, container or directory.
    NoStore,
    /// The disk of a directory is full, or may not be written to.
    Disk,
    /// A file of this machine could not be read or written.
    Local(std::io::ErrorKind),
    /// The object is not what its name or manifest says.
    Object(String),
    /// A part that a manifest names is not there.
    PartIsGone,
    /// The store sends to another server, which is not asked.
    Redirected,
    /// The store failed; its status, where it gave one.
    Failed(Option<u16>),
    /// The caller stopped it.
    Cancelled,
}

/// A step at a remote that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteError {
    /// The name of the remote.
    pub remote: String,
    /// The step: `list`, `read an object`.
    pub doing: &'static str,
    /// Its class.
    pub fault: RemoteFault,
    /// The word for it that the store gave, e.g. `AccessDenied`.
    pub code: Option<String>,
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            remote,
            doing,
            fault,
            code,
        } = self;
        write!(f, "remote `{remote}`: cannot {doing}: ")?;
        match fault {
            RemoteFault::TimedOut => f.write_str("the store did not answer in time"),
            RemoteFault::Unreachable => f.write_str("nobody answers at its address"),
            RemoteFault::Forbidden => {
                f.write_str("the store refuses the credentials, or finds none")
            }
            RemoteFault::Configuration(what) => f.write_str(what),
            RemoteFault::Unsupported => f.write_str("the store does not offer that"),
            RemoteFault::NoStore => f.write_str("the bucket, container or directory is not there"),
            RemoteFault::Disk => f.write_str("its disk is full, or may not be written to"),
            RemoteFault::Local(kind) => write!(f, "a file on this machine failed: {kind}"),
            RemoteFault::Object(what) => f.write_str(what),
            RemoteFault::PartIsGone => f.write_str("a part that its manifest names is not there"),
            RemoteFault::Redirected => {
                f.write_str("the store sends to another server, which is not asked")
            }
            RemoteFault::Failed(Some(status)) => {
                write!(f, "the store answered with status {status}")
            }
            RemoteFault::Failed(None) => f.write_str("the store failed"),
            RemoteFault::Cancelled => f.write_str("it was stopped"),
        }?;
        match code {
            Some(code) => write!(f, " ({code})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for RemoteError {}

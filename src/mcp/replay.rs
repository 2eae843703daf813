//! A session whose input is known in whole: for tests and for looking into a client's messages.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::io::AsyncReadExt as _;

use super::ending::{self, Lifetime};
use super::{Server, Shared, stdio};
use crate::error::Result;
use crate::tools::TOOLS;
use crate::workspace::Workspaces;

/// How much may wait to be read, in bytes.
const PIPE_BYTES: usize = 64 << 10;

/// Serves one session to a client that says `input` and closes. Returns all that it was told.
///
/// # Errors
/// `io` where the runtime can't be started.
pub fn replay(workspaces: Workspaces, repo: Option<PathBuf>, input: Vec<u8>) -> Result<Vec<u8>> {
    let shared = Shared::new(TOOLS.to_vec(), workspaces, Lifetime::default());
    let server = Server::new(Arc::new(shared), repo, None);
    let mut told = Vec::new();
    ending::run(async {
        let (output, mut client) = tokio::io::duplex(PIPE_BYTES);
        let stop = std::future::pending();
        let session = stdio::session(server, Arc::default(), Cursor::new(input), output, stop);
        // In memory nothing is lost on the way.
        let (read, ()) = tokio::join!(client.read_to_end(&mut told), session);
        drop(read);
        Ok(())
    })?;
    Ok(told)
}

//! The directory that a client works in, where its protocol revision still lets a server ask.
//!
//! Asked in the background after the handshake.
#![expect(
    deprecated,
    reason = "gone from the newest revision, alive in those that clients speak"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::Peer;
use tokio::sync::watch;

use super::uri::decode;

/// How long a client has to answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How long a call waits for the client's answer. A client that sends its first call right behind the
/// handshake would otherwise be answered from another directory than all its later calls.
const PATIENCE: Duration = Duration::from_millis(300);

/// The client's first root, as far as it is known.
#[derive(Clone, Default)]
pub(super) struct ClientRoots {
    state: Arc<watch::Sender<RootsState>>,
}

#[derive(Clone, Debug, Default)]
struct RootsState {
    n_asked: u64,
    is_asking: bool,
    root: Option<PathBuf>,
}

impl ClientRoots {
    /// Returns the roots that the client told an earlier server; the client is asked again only when it says that they
    /// changed.
    pub(super) fn told(root: Option<PathBuf>) -> Self {
        let roots = Self::default();
        roots.state.send_modify(|state| {
            state.n_asked = 1;
            state.root = root;
        });
        roots
    }

    /// Asks the client as [`Self::ask`] does, if nobody did so yet.
    pub(super) fn ask_first(&self, peer: Peer<RoleServer>) {
        if self.state.borrow().n_asked == 0 {
            self.ask(peer);
        }
    }

    /// Returns whether the client was asked and has not answered yet.
    pub(super) fn is_asking(&self) -> bool {
        self.state.borrow().is_asking
    }

    /// Returns the client's first root, as far as it told one.
    pub(super) fn known(&self) -> Option<PathBuf> {
        self.state.borrow().root.clone()
    }

    /// Asks the client for its roots if it has any to tell; returns at once.
    pub(super) fn ask(&self, peer: Peer<RoleServer>) {
        if !can_be_asked(&peer) {
            return;
        }
        let mut number = 0;
        self.state.send_modify(|state| {
            state.n_asked += 1;
            state.is_asking = true;
            number = state.n_asked;
        });
        let roots = self.clone();
        tokio::spawn(async move {
            let answer = tokio::time::timeout(TIMEOUT, peer.list_roots()).await;
            let root = match answer {
                Ok(Ok(list)) => Some(list.roots.iter().find_map(|root| file_path(&root.uri))),
                Ok(Err(error)) => {
                    tracing::debug!(%error, "the client did not tell its roots");
                    None
                }
                Err(_) => {
                    tracing::debug!("the client did not tell its roots in time");
                    None
                }
            };
            roots.state.send_modify(|state| {
                // Only the newest question counts.
                if state.n_asked == number {
                    state.is_asking = false;
                    if let Some(root) = root {
                        state.root = root;
                    }
                }
            });
        });
    }

    /// Returns the client's first root that is a directory of this machine. Waits shortly if the
    /// client was asked and has not answered yet.
    pub(super) async fn current(&self) -> Option<PathBuf> {
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| !state.is_asking);
        drop(tokio::time::timeout(PATIENCE, settled).await);
        self.known()
    }
}

fn can_be_asked(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|client| {
        client.capabilities.roots.is_some()
            && client.protocol_version < ProtocolVersion::V_2026_07_28
    })
}

/// Returns the path of a `file:` address of this machine, percent signs decoded.
fn file_path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let start = rest.find('/')?;
    let (host, path) = rest.split_at(start);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = decode(path.split(['?', '#']).next().unwrap_or(path))?;
    // `/C:/src` is how a drive is written there.
    let bytes = path.as_bytes();
    let is_drive = bytes.len() > 2 && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::file_path;

    #[test]
    fn file_addresses_become_paths() {
        let path = |uri| file_path(uri);
        assert_eq!(path("file:///a/b").as_deref(), Some(Path::new("/a/b")));
        assert_eq!(
            path("file://localhost/a%20b/%C3%A9").as_deref(),
            Some(Path::new("/a b/é"))
        );
        assert_eq!(path("FILE:/a#x").as_deref(), Some(Path::new("/a")));
        assert_eq!(
            path("file:///100%/x").as_deref(),
            Some(Path::new("/100%/x"))
        );
        assert_eq!(
            path("file:///c%3A/src").as_deref(),
            Some(Path::new("c:/src"))
        );
    }

    #[test]
    fn what_is_no_file_of_this_machine_is_left_alone() {
        for uri in [
            "https://example.org/a",
            "file://server/share",
            "file:relative",
            "file:///a%00b",
            "file:///%ff",
            "",
        ] {
            assert_eq!(file_path(uri), None, "{uri}");
        }
    }
}

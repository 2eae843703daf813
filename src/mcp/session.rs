//! The state of a session: how it was opened, and which requests are unanswered.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use tokio::sync::Notify;

/// A session; it may be one that another server began.
pub(super) struct Session {
    opening: Mutex<Opening>,
    asked: Mutex<HashSet<RequestId>>,
    n_handled: AtomicU64,
    n_unsent: AtomicUsize,
    sent: Notify,
    last: Mutex<Instant>,
    news: Notify,
    has_worked: AtomicBool,
}

/// A message of the client that counts for all later ones.
#[derive(Default)]
struct Opening {
    initialize: Option<ClientJsonRpcMessage>,
    initialized: Option<ClientJsonRpcMessage>,
    level: Option<ClientJsonRpcMessage>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            opening: Mutex::default(),
            asked: Mutex::default(),
            n_handled: AtomicU64::default(),
            n_unsent: AtomicUsize::default(),
            sent: Notify::new(),
            last: Mutex::new(Instant::now()),
            news: Notify::new(),
            has_worked: AtomicBool::default(),
        }
    }
}

impl Session {
    /// Notes a message of the client.
    pub(super) fn hear(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                lock(&self.asked).insert(request.id.clone());
            }
            // A cancelled request gets no answer.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    lock(&self.asked).remove(id);
                }
            }
            _ => {}
        }
        self.note(message);
    }

    /// Notes a message that the client sent to an earlier server.
    pub(super) fn note(&self, message: &ClientJsonRpcMessage) {
        let mut opening = lock(&self.opening);
        let place = match message {
            JsonRpcMessage::Request(request) => match &request.request {
                ClientRequest::InitializeRequest(_) => &mut opening.initialize,
                ClientRequest::SetLevelRequest(_) => &mut opening.level,
                _ => return,
            },
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ClientNotification::InitializedNotification(_) => &mut opening.initialized,
                _ => return,
            },
            _ => return,
        };
        *place = Some(message.clone());
    }

    /// Returns the messages that a new server has to receive first so that the session goes on with it.
    pub(super) fn opening(&self) -> Vec<ClientJsonRpcMessage> {
        let opening = lock(&self.opening);
        let said = [&opening.initialize, &opening.initialized, &opening.level];
        said.into_iter().flatten().cloned().collect()
    }

    /// Notes that so many bytes of the input were read, and each message in them was handed on.
    pub(super) fn note_handled(&self, n_bytes: u64) {
        if self.n_handled.swap(n_bytes, Ordering::AcqRel) != n_bytes {
            self.touch();
        }
    }

    /// Notes that there was something to do.
    pub(super) fn work(&self) {
        self.has_worked.store(true, Ordering::Release);
        self.touch();
    }

    /// Returns whether there was anything to do since the session came to this server.
    pub(super) fn has_worked(&self) -> bool {
        self.has_worked.load(Ordering::Acquire)
    }

    /// Returns whether of so many bytes of input nothing is half done, every request is answered, and the answers
    /// are written.
    pub(super) fn is_done_with(&self, n_bytes: u64) -> bool {
        self.n_handled.load(Ordering::Acquire) == n_bytes
            && lock(&self.asked).is_empty()
            && self.n_unsent() == 0
    }

    /// Notes a message that is about to be sent to the client.
    pub(super) fn answer(&self, message: &ServerJsonRpcMessage) {
        if let Some(id) = answered(message) {
            lock(&self.asked).remove(id);
        }
    }

    /// Notes that so many bytes are on their way to the client.
    pub(super) fn sending(&self, n_bytes: usize) {
        self.n_unsent.fetch_add(n_bytes, Ordering::AcqRel);
    }

    /// Notes that so many bytes were written.
    pub(super) fn note_sent(&self, n_bytes: usize) {
        self.n_unsent.fetch_sub(n_bytes, Ordering::AcqRel);
        self.sent.notify_one();
        self.touch();
    }

    /// Returns how many bytes are on their way to the client.
    pub(super) fn n_unsent(&self) -> usize {
        self.n_unsent.load(Ordering::Acquire)
    }

    /// Is done when something was written.
    pub(super) async fn sent(&self) {
        self.sent.notified().await;
    }

    /// Notes that something happened.
    fn touch(&self) {
        *lock(&self.last) = Instant::now();
        self.news.notify_one();
    }

    /// Is done when something happened since it was asked last.
    pub(super) async fn news(&self) {
        self.news.notified().await;
    }

    /// Returns how long nothing has happened.
    pub(super) fn quiet(&self) -> Duration {
        lock(&self.last).elapsed()
    }
}

/// Returns which answer a message of a client will get; `None` where it gets none.
pub(super) fn answer_of(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

/// Returns which request a message answers.
pub(super) fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// Returns whether a message gives a server something to do: one that only keeps a session alive does not.
pub(super) fn is_work(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    !matches!(request.request, ClientRequest::PingRequest(_))
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The transport over standard input and output: one message a line.
//!
//! Knows bounds, and which lines are no messages.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::message::{self, ParsedMessage};
use super::session::{self, Session};

/// How many bytes of answers may wait for a client that does not read them; until it does, nothing more is
/// read of it.
const MAX_UNSENT: usize = 16 * 1024 * 1024;

/// A transport that tells when its input closed, and that keeps anything but a request from opening a session: the
/// library would end the session there.
pub(super) struct StdioTransport<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    is_skipping: bool,
    has_ended: bool,
    waiting: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// Answers that another server gave already.
    given: Vec<RequestId>,
    n_taken: u64,
    is_open: bool,
    output: Option<Output>,
    session: Arc<Session>,
    closing: CancellationToken,
}

impl<R: AsyncRead + Unpin> StdioTransport<R> {
    /// Returns the transport between `input` and `output`, and a future that is done when everything is written after
    /// the transport was dropped. `closing` is cancelled when the input ends. The messages that opened `session` come
    /// first, and are not answered again.
    pub(super) fn new<W>(
        input: R,
        output: W,
        session: Arc<Session>,
        closing: CancellationToken,
    ) -> (Self, JoinHandle<()>)
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (output, written) = Output::to(output, Arc::clone(&session));
        let waiting = VecDeque::from(session.opening());
        let lines = Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_skipping: false,
            has_ended: false,
            given: waiting.iter().filter_map(session::answer_of).collect(),
            waiting,
            n_taken: 0,
            is_open: false,
            output: Some(output),
            session,
            closing,
        };
        (lines, written)
    }

    /// Reads the next line to its end; `None` at the end of the input. May be dropped while it waits: the part of a
    /// line that was read is kept.
    async fn next_line(&mut self) -> Option<LineOutcome> {
        loop {
            if self.line.is_empty() && !self.is_skipping {
                self.session.note_handled(self.n_taken);
            }
            let read = match self.input.fill_buf().await {
                Ok(read) => read,
                Err(error) => {
                    tracing::debug!(%error, "the input broke off");
                    return None;
                }
            };
            if read.is_empty() {
                // The text before the end of the input is a line, too.
                let is_line = !self.has_ended && !self.line.is_empty();
                self.has_ended = true;
                return is_line.then_some(LineOutcome::Whole);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            let n_taken = part.len() + usize::from(end.is_some());
            let was_skipping = self.is_skipping;
            if !was_skipping {
                if self.line.len() + part.len() > message::MAX_BYTES {
                    self.is_skipping = true;
                    self.line = Vec::new();
                } else {
                    self.line.extend_from_slice(part);
                }
            }
            self.input.consume(n_taken);
            self.n_taken += n_taken as u64;
            if end.is_some() {
                let is_long = self.is_skipping;
                self.is_skipping = false;
                return Some(if is_long {
                    LineOutcome::TooLong
                } else {
                    LineOutcome::Whole
                });
            }
        }
    }

    fn take_line(&mut self) -> ParsedMessage {
        let read = message::read(&self.line);
        self.line.clear();
        // A long line does not hold its room for ever.
        self.line.shrink_to(64 * 1024);
        read
    }

    /// Returns whether the client has this answer from another server.
    fn is_given(&mut self, message: &TxJsonRpcMessage<RoleServer>) -> bool {
        let id = session::answered(message);
        let at = self.given.iter().position(|given| Some(given) == id);
        at.map(|at| self.given.remove(at)).is_some()
    }

    fn refuse(&self, refusal: &TxJsonRpcMessage<RoleServer>) {
        if let Some(output) = &self.output {
            // Written by the other task: nothing here waits for it.
            drop(output.send(refusal));
        }
    }
}

enum LineOutcome {
    Whole,
    TooLong,
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for StdioTransport<R> {
    type Error = Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        let is_given = self.is_given(&item);
        self.session.answer(&item);
        let output = self.output.as_ref().filter(|_| !is_given);
        let written = output.map(|output| output.send(&item));
        async move {
            if is_given {
                return Ok(());
            }
            let closed = || Error::new(ErrorKind::NotConnected, "the output is closed");
            let written = written.ok_or_else(closed)?;
            written.await.unwrap_or_else(|_| Err(closed()))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                if !self.is_open {
                    let JsonRpcMessage::Request(request) = &message else {
                        tracing::debug!("passed over a message before the handshake");
                        continue;
                    };
                    self.is_open = opens_session(&request.request);
                }
                self.session.hear(&message);
                return Some(message);
            }
            if let Some(output) = &self.output {
                output.wait_for_room().await;
            }
            match self.next_line().await {
                None => {
                    self.closing.cancel();
                    return None;
                }
                Some(LineOutcome::TooLong) => self.refuse(&message::too_long()),
                Some(LineOutcome::Whole) => match self.take_line() {
                    ParsedMessage::Messages(messages) => {
                        if messages.iter().any(session::is_work) {
                            self.session.work();
                        }
                        self.waiting.extend(messages);
                    }
                    ParsedMessage::Refused(refusal) => self.refuse(&refusal),
                    ParsedMessage::Nothing => {}
                },
            }
        }
    }

    async fn close(&mut self) -> Result<()> {
        self.output = None;
        Ok(())
    }
}

/// Outgoing lines. They are written by a task of their own, so that none is left half written.
struct Output {
    lines: mpsc::UnboundedSender<(Vec<u8>, oneshot::Sender<Result<()>>)>,
    session: Arc<Session>,
}

impl Output {
    fn to<W: AsyncWrite + Send + Unpin + 'static>(
        mut output: W,
        session: Arc<Session>,
    ) -> (Self, JoinHandle<()>) {
        let (lines, mut queue) = mpsc::unbounded_channel::<(Vec<u8>, oneshot::Sender<_>)>();
        let sending = Arc::clone(&session);
        let written = tokio::spawn(async move {
            while let Some((line, written)) = queue.recv().await {
                let outcome = match output.write_all(&line).await {
                    Ok(()) => output.flush().await,
                    Err(error) => Err(error),
                };
                sending.note_sent(line.len());
                // Who asked may not wait for it.
                let _ignored = written.send(outcome);
            }
        });
        (Self { lines, session }, written)
    }

    /// Queues a message; the returned future is done when the message is written.
    fn send(&self, message: &TxJsonRpcMessage<RoleServer>) -> oneshot::Receiver<Result<()>> {
        let mut line = serde_json::to_vec(message).expect("a message is plain data");
        line.push(b'\n');
        self.session.sending(line.len());
        let (written, outcome) = oneshot::channel();
        // The task ends only after this sender is gone.
        let _sent = self.lines.send((line, written));
        outcome
    }

    /// Waits until the client has read enough of its output.
    async fn wait_for_room(&self) {
        while self.session.n_unsent() > MAX_UNSENT {
            self.session.sent().await;
        }
    }
}

/// Returns whether the library takes a session as begun with this request: with `initialize`, or with
/// the first one that brings all that it needs.
fn opens_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28)
                .is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

//! One call: runs off the runtime, reports progress, obeys cancellation, and always ends in a result.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Shared;
use crate::error::{Code, Error, Result};
use crate::tools::{Call, Progress};
use crate::workspace::{Author, Patience, WrittenBy};

/// How often at most a client is told how far a call is.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Work for a client that is about to run.
pub(super) struct CallRunner {
    /// The name in logs and errors.
    pub(super) name: &'static str,
    pub(super) places: Vec<PathBuf>,
    pub(super) shared: Arc<Shared>,
    /// The client, as it calls itself.
    pub(super) client: Option<String>,
}

impl CallRunner {
    /// Runs `work` to its end. It is told to stop when the client cancels or leaves; a panic is an error like any other,
    /// without its words. Without a `context` of the protocol nobody is told how far it is.
    ///
    /// # Errors
    /// Those of the work, `index_busy` where too much of it waits, `internal` for a panic.
    pub(super) async fn finish<T: Send + 'static>(
        self,
        context: Option<&RequestContext<RoleServer>>,
        work: impl FnOnce(&Call<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let name = self.name;
        let shared = Arc::clone(&self.shared);
        let Ok(_room) = shared.room.try_acquire() else {
            return Err(Error::new(
                Code::IndexBusy,
                "too many calls are waiting for their answers",
                "wait for some of them, then call again",
            ));
        };
        let begun = Instant::now();
        let interrupt = Arc::new(AtomicBool::new(false));
        let (tell, told) = watch::channel(None);
        let lifetime = shared.lifetime.clone();
        let stop_work = Arc::clone(&interrupt);
        // Over plain HTTP a client that leaves drops this future.
        let _left = StopWork(Arc::clone(&interrupt));
        let cancelled = context.map_or_else(CancellationToken::new, |it| it.ct.clone());
        let mut work = tokio::task::spawn_blocking(move || self.work(&interrupt, &tell, work));
        let token = context.and_then(|context| Some((context, context.meta.get_progress_token()?)));
        let mut meter = token.map(|(context, token)| {
            ProgressNotifier::new(context, token, told, lifetime.closing.clone())
        });
        let mut has_news = meter.is_some();
        let mut is_stopped = false;
        let outcome = loop {
            tokio::select! {
                outcome = &mut work => break outcome,
                () = either(&cancelled, &lifetime.stopping), if !is_stopped => {
                    is_stopped = true;
                    stop_work.store(true, Ordering::Relaxed);
                }
                is_news = news(meter.as_mut()), if has_news => {
                    has_news = is_news;
                    if let Some(meter) = &mut meter {
                        meter.send().await;
                    }
                }
            }
        };
        if let Some(meter) = &mut meter {
            meter.send().await;
        }
        let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(name, elapsed_ms, stopped = is_stopped, "call ended");
        outcome.unwrap_or_else(|fault| {
            tracing::error!(name, panicked = fault.is_panic(), "a call broke off");
            Err(Error::new(
                Code::Internal,
                format!("{name} failed by a fault of this program"),
                "call again; if it fails again, call cl_doctor and report what it says with the lines on stderr",
            ))
        })
    }

    fn work<T>(
        self,
        interrupt: &Arc<AtomicBool>,
        tell: &watch::Sender<Option<Progress>>,
        work: impl FnOnce(&Call<'_>) -> Result<T>,
    ) -> Result<T> {
        let _span = tracing::info_span!("call", tool = self.name).entered();
        let progress = |progress: Progress| {
            // Threads report out of order; the reported number only grows.
            tell.send_if_modified(|known| {
                let is_news = known.is_none_or(|known| progress.done > known.done);
                if is_news {
                    *known = Some(progress);
                }
                is_news
            });
        };
        let call = Call {
            workspaces: &self.shared.workspaces,
            places: &self.places,
            cwd: None,
            interrupt: Arc::clone(interrupt),
            progress: &progress,
            patience: Patience::Configured,
            author: Author {
                by: WrittenBy::Agent,
                client: self.client.as_deref(),
            },
            revision: None,
        };
        let outcome = work(&call);
        if let Err(error) = &outcome {
            match error.code {
                Code::Internal | Code::Git | Code::Io => {
                    tracing::warn!(%error, cause = cause(error), "call failed");
                }
                _ => tracing::debug!(%error, "call refused"),
            }
        }
        outcome
    }
}

/// Stops the work of a call when it is dropped.
struct StopWork(Arc<AtomicBool>);

impl Drop for StopWork {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Progress notifications of one call, for a client that gave a token.
struct ProgressNotifier {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    told: watch::Receiver<Option<Progress>>,
    last_sent: Option<Progress>,
    not_before: Instant,
    cancelled: CancellationToken,
    closing: CancellationToken,
    is_on: bool,
}

impl ProgressNotifier {
    fn new(
        context: &RequestContext<RoleServer>,
        token: ProgressToken,
        told: watch::Receiver<Option<Progress>>,
        closing: CancellationToken,
    ) -> Self {
        Self {
            peer: context.peer.clone(),
            token,
            told,
            last_sent: None,
            not_before: Instant::now(),
            cancelled: context.ct.clone(),
            closing,
            is_on: true,
        }
    }

    /// Waits until there is something to tell and time to tell it; returns whether there ever will be.
    /// May be dropped while it waits.
    async fn wait(&mut self) -> bool {
        tokio::time::sleep_until(self.not_before).await;
        self.told.changed().await.is_ok()
    }

    /// Tells the newest progress, unless it was told.
    async fn send(&mut self) {
        let newest = *self.told.borrow_and_update();
        let Some(progress) = newest.filter(|_| self.is_on && newest != self.last_sent) else {
            return;
        };
        self.last_sent = newest;
        self.not_before = Instant::now() + PROGRESS_INTERVAL;
        let mut param = ProgressNotificationParam::new(self.token.clone(), float(progress.done));
        if progress.total > 0 {
            param = param
                .with_total(float(progress.total))
                .with_message(format!("{} of {} files", progress.done, progress.total));
        }
        // A session that closes delivers no more notifications and would never answer here.
        tokio::select! {
            biased;
            () = either(&self.cancelled, &self.closing) => self.is_on = false,
            sent = self.peer.notify_progress(param) => self.is_on = sent.is_ok(),
        }
    }
}

/// Waits for the meter, or for ever where there is none.
async fn news(meter: Option<&mut ProgressNotifier>) -> bool {
    match meter {
        Some(meter) => meter.wait().await,
        None => std::future::pending().await,
    }
}

async fn either(one: &CancellationToken, other: &CancellationToken) {
    tokio::select! {
        () = one.cancelled() => {}
        () = other.cancelled() => {}
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of files stay far below 2^52"
)]
fn float(count: u64) -> f64 {
    count as f64
}

/// Returns the result of a call. It carries the value twice, as the protocol asks: structured, and as text
/// for clients that know no structure. An error is one, too.
pub(super) fn result(outcome: Result<Value>) -> CallToolResult {
    outcome.map_or_else(
        |error| CallToolResult::structured_error(told(&error)),
        CallToolResult::structured,
    )
}

/// Returns an error as a client reads it: `{"error": {"code", "message", "hint"}}`.
pub(super) fn told(error: &Error) -> Value {
    json!({"error": error.to_json()})
}

fn cause(error: &Error) -> String {
    std::iter::successors(std::error::Error::source(error), |cause| cause.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

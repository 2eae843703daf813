//! Log messages to a client about its calls, if it asked for them.
#![expect(
    deprecated,
    reason = "gone from the newest revision, alive in those that clients speak"
)]

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::json;

use crate::error::{Code, Error};

/// The log level of a client: set for its session, or named by a request. Until then it gets no logs.
#[derive(Default)]
pub(super) struct LogLevel {
    set: Mutex<Option<LoggingLevel>>,
}

impl LogLevel {
    pub(super) fn set(&self, level: LoggingLevel) {
        *self.set.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Tells the client how a call ended.
    pub(super) async fn tell(
        &self,
        context: &RequestContext<RoleServer>,
        name: &'static str,
        elapsed: Duration,
        error: Option<&Error>,
    ) {
        let Some(wanted) = self.wanted(context) else {
            return;
        };
        let level = match error.map(|error| error.code) {
            None => LoggingLevel::Debug,
            Some(Code::Internal) => LoggingLevel::Error,
            Some(Code::Git | Code::Io | Code::NewerSchema) => LoggingLevel::Warning,
            Some(_) => LoggingLevel::Info,
        };
        if weight(level) < weight(wanted) {
            return;
        }
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let mut data = json!({"call": name, "elapsedMs": elapsed_ms});
        if let Some(error) = error {
            data["error"] = json!({"code": error.code.as_str(), "message": error.message});
        }
        let message = LoggingMessageNotificationParam::new(level, data).with_logger("codelens");
        // A client that is gone hears nothing; a call must not hang on it.
        tokio::select! {
            () = context.ct.cancelled() => {}
            told = context.peer.notify_logging_message(message) => drop(told),
        }
    }

    fn wanted(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        if context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28) {
            return context.meta.log_level();
        }
        *self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how much a level weighs: those of the protocol, from the least.
fn weight(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

//! The time and the interruption of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When work must stop: at a time, or when somebody asks. The deadline that rooms check.
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    interrupt: Arc<AtomicBool>,
}

impl Budget {
    /// Returns a budget that ends after `limit`, or when `interrupt` is set.
    pub fn within(limit: Duration, interrupt: Arc<AtomicBool>) -> Self {
        Self {
            deadline: Instant::now().checked_add(limit),
            interrupt,
        }
    }

    /// Returns a budget that only `interrupt` ends.
    pub fn unlimited(interrupt: Arc<AtomicBool>) -> Self {
        Self {
            deadline: None,
            interrupt,
        }
    }

    /// Returns whether work must stop, for either reason.
    pub fn is_spent(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Returns whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns the time that is left; `None` where there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Returns the flag that ends it, for libraries that watch one.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }
}

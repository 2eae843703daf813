//! How far a long call is, on a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::tools::Progress;

/// A bar on standard error that appears when there is something to show for long enough.
pub(super) struct ProgressLine {
    doing: &'static str,
    unit: &'static str,
    is_on: bool,
    begun: Instant,
    delay: Duration,
    bar: OnceLock<ProgressBar>,
}

impl ProgressLine {
    /// Returns a bar that appears after `delay`, on a terminal, unless `is_quiet`. It names the work and its unit.
    pub(super) fn new(
        doing: &'static str,
        unit: &'static str,
        delay: Duration,
        is_quiet: bool,
    ) -> Self {
        Self {
            doing,
            unit,
            is_on: !is_quiet && stderr().is_terminal(),
            begun: Instant::now(),
            delay,
            bar: OnceLock::new(),
        }
    }

    /// Returns whether somebody would see the bar.
    pub(super) fn is_shown(&self) -> bool {
        self.is_on
    }

    /// Shows how far the call is; cheap, from any thread.
    pub(super) fn show(&self, progress: Progress) {
        if !self.is_on || progress.total == 0 || self.begun.elapsed() < self.delay {
            return;
        }
        let bar = self.bar.get_or_init(|| bar(self.doing, self.unit));
        bar.set_length(progress.total);
        // Threads report out of order.
        if progress.done > bar.position() {
            bar.set_position(progress.done);
        }
    }

    /// Shows how many bytes are done, in KiB.
    pub(super) fn show_bytes(&self, done: u64, total: u64) {
        self.show(Progress {
            done: done >> 10,
            total: total.div_ceil(1024),
        });
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(doing: &str, unit: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!(
        "{doing} {{bar:24}} {{pos}}/{{len}} {unit}, {{rate}}, {{left}} left"
    ))
    .expect("the template is well formed")
    .with_key(
        "rate",
        |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            out.write_fmt(format_args!("{:.0}/s", state.per_sec()))
                .unwrap_or_default();
        },
    )
    .with_key(
        "left",
        |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let seconds = state.eta().as_secs_f64().ceil();
            out.write_fmt(format_args!("{seconds:.0} s"))
                .unwrap_or_default();
        },
    )
    .progress_chars("━╸ ");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style);
    bar
}

/// A sign on standard error that something goes on of which nobody knows how long it takes.
pub(super) struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// Shows the current work, on a terminal, unless `is_quiet`.
    pub(super) fn start(doing: &str, is_quiet: bool) -> Self {
        if is_quiet || !stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg}").expect("the template is well formed"),
        );
        bar.set_message(doing.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(Some(bar))
    }

    /// Names the current work.
    pub(super) fn say(&self, doing: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(doing.to_owned());
        }
    }

    /// Makes room while something else is written.
    pub(super) fn pause_for(&self, write: impl FnOnce()) {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the sign away.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.clear();
    }
}

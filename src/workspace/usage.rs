//! How often servers were asked what, kept in memory and written down when nobody asks.
//!
//! A command that makes one call and ends is not counted, and nothing is written where there is no data directory yet.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Workspaces, now_ms};
use crate::model::cache_lookups;
use crate::store::Home;
use crate::store::usage::{self, UsageCounts};

/// How long it is quiet before counters are written.
const QUIET: Duration = Duration::from_secs(2);

/// The end of the last class, which longer calls are counted in too.
const LONGEST_MS: u64 = 600_000;

/// The upper ends, in milliseconds, of the classes that durations are counted in.
const DURATIONS_MS: [u64; 29] = [
    1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000,
    3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 60_000, LONGEST_MS,
];

/// A call that a server answered.
#[derive(Clone, Copy, Debug)]
pub struct CountedCall {
    /// The tool.
    pub tool: &'static str,
    /// How current its answer was, if it says so.
    pub freshness: Option<&'static str>,
    /// The code of its error.
    pub error: Option<&'static str>,
    /// The bytes of its answer.
    pub n_bytes: usize,
    /// How long it took.
    pub took: Duration,
}

/// Calls of servers since a date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Since when they are counted, in milliseconds since the Unix epoch.
    pub since_ms: i64,
    /// Calls by tool.
    pub calls: BTreeMap<String, u64>,
    /// Half of all calls took so many milliseconds at most, rounded up to the end of a class; ten minutes stand for all longer ones.
    pub p50_ms: Option<u64>,
    /// The same of 95 in 100.
    pub p95_ms: Option<u64>,
    /// Answers by how current they were.
    pub freshness: BTreeMap<String, u64>,
    /// Values that a server had kept from an earlier call.
    pub n_cache_hits: u64,
    /// Values that it had to make.
    pub n_cache_misses: u64,
    /// Tokens of all answers, at 4 bytes.
    pub n_tokens: u64,
    /// Refusals and failures by code.
    pub errors: BTreeMap<String, u64>,
}

/// Counters of this process that are not written yet.
#[derive(Default)]
pub(super) struct UsageCounters {
    pending: Mutex<PendingUsage>,
    is_waiting: AtomicBool,
}

#[derive(Default)]
struct PendingUsage {
    counts: UsageCounts,
    last_call: Option<Instant>,
    since_ms: i64,
    /// Hits and misses of caches that were counted already.
    counted_lookups: (u64, u64),
}

impl UsageCounters {
    fn lock(&self) -> MutexGuard<'_, PendingUsage> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, call: &CountedCall) {
        let mut pending = self.lock();
        if pending.counts.is_empty() {
            pending.since_ms = now_ms();
        }
        pending.last_call = Some(Instant::now());
        let ms = u64::try_from(call.took.as_millis()).unwrap_or(u64::MAX);
        let class = DURATIONS_MS.iter().find(|end| ms <= **end);
        let class = class.unwrap_or(&LONGEST_MS).to_string();
        let lookups = cache_lookups();
        let before = std::mem::replace(&mut pending.counted_lookups, lookups);
        let mut add = |kind, name: &str, n: u64| {
            if n > 0 {
                let count = pending.counts.entry((kind, name.to_owned())).or_default();
                *count = count.saturating_add(n);
            }
        };
        add("call", call.tool, 1);
        add("ms", &class, 1);
        add("total", "tokens", call.n_bytes.div_ceil(4) as u64);
        add("total", "cacheHits", lookups.0.saturating_sub(before.0));
        add("total", "cacheMisses", lookups.1.saturating_sub(before.1));
        if let Some(freshness) = call.freshness {
            add("freshness", freshness, 1);
        }
        if let Some(code) = call.error {
            add("error", code, 1);
        }
    }

    /// Writes the counters down; they stay pending where that fails.
    fn flush(&self, home: &Home) {
        let (counts, since_ms) = {
            let mut pending = self.lock();
            (std::mem::take(&mut pending.counts), pending.since_ms)
        };
        if counts.is_empty() || !home.root().is_dir() {
            return;
        }
        if let Err(error) = usage::add(home, &counts, since_ms) {
            tracing::info!(%error, "the counters of calls can't be written");
            let mut pending = self.lock();
            for (key, n) in counts {
                *pending.counts.entry(key).or_default() += n;
            }
            pending.since_ms = since_ms;
        }
    }

    /// Returns how long to wait until it is quiet enough to write; `None` if it is.
    fn wait(&self) -> Option<Duration> {
        let last = self.lock().last_call?;
        QUIET.checked_sub(last.elapsed()).filter(|it| !it.is_zero())
    }
}

impl Workspaces {
    /// Counts a call, if this process is a server. The counters are written when no call came for two seconds, and by
    /// [`Self::flush_usage`].
    pub fn count_call(&self, call: &CountedCall) {
        if !self.is_server {
            return;
        }
        self.usage.note(call);
        // Before a repository was opened nobody knows whether the data directory may be used.
        let Some(home) = self.usable_home() else {
            return;
        };
        if self.usage.is_waiting.swap(true, Ordering::AcqRel) {
            return;
        }
        let counters = Arc::clone(&self.usage);
        let spawned = std::thread::Builder::new()
            .name("usage".to_owned())
            .spawn(move || {
                while let Some(wait) = counters.wait() {
                    std::thread::sleep(wait);
                }
                counters.is_waiting.store(false, Ordering::Release);
                counters.flush(&home);
            });
        if spawned.is_err() {
            self.usage.is_waiting.store(false, Ordering::Release);
        }
    }

    /// Writes the counters of calls that are not written yet.
    pub fn flush_usage(&self) {
        if let Some(home) = self.usable_home() {
            self.usage.flush(&home);
        }
    }

    /// Returns the calls that servers of this data directory answered, those of this process that are not written yet included;
    /// `None` where there are none.
    pub fn usage(&self) -> Option<Usage> {
        let home = self.usable_home()?;
        let mut all = usage::stored(&home).unwrap_or_default();
        let pending = self.usage.lock();
        for ((kind, name), n) in &pending.counts {
            let key = ((*kind).to_owned(), name.clone());
            *all.counts.entry(key).or_default() += n;
        }
        if all.since_ms == 0 {
            all.since_ms = pending.since_ms;
        }
        (!all.counts.is_empty()).then(|| told(all.since_ms, &all.counts))
    }

    /// Whether counters wait to be written.
    pub(super) fn has_pending_usage(&self) -> bool {
        self.usage.is_waiting.load(Ordering::Acquire)
    }

    /// Returns the data directory, if a repository that it lies outside of was opened.
    fn usable_home(&self) -> Option<Home> {
        let open = self.opened();
        open.values().next().map(|workspace| workspace.home.clone())
    }
}

fn told(since_ms: i64, counts: &BTreeMap<(String, String), u64>) -> Usage {
    let of = |kind: &str| -> BTreeMap<String, u64> {
        let own = counts.iter().filter(|((it, _), _)| it == kind);
        own.map(|((_, name), n)| (name.clone(), *n)).collect()
    };
    let total = |name: &str| {
        let key = ("total".to_owned(), name.to_owned());
        counts.get(&key).copied().unwrap_or(0)
    };
    let durations: BTreeMap<u64, u64> = of("ms")
        .into_iter()
        .filter_map(|(end, n)| Some((end.parse().ok()?, n)))
        .collect();
    Usage {
        since_ms,
        calls: of("call"),
        p50_ms: quantile(&durations, 50),
        p95_ms: quantile(&durations, 95),
        freshness: of("freshness"),
        n_cache_hits: total("cacheHits"),
        n_cache_misses: total("cacheMisses"),
        n_tokens: total("tokens"),
        errors: of("error"),
    }
}

/// Returns the end of the class below which so many of 100 durations are.
fn quantile(durations: &BTreeMap<u64, u64>, percent: u64) -> Option<u64> {
    let total: u64 = durations.values().sum();
    let rank = (total * percent).div_ceil(100).max(1);
    let mut seen = 0;
    durations.iter().find_map(|(end, n)| {
        seen += n;
        (seen >= rank).then_some(*end)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::{CountedCall, UsageCounters, quantile, told};

    #[test]
    fn quantiles_are_ends_of_classes() {
        let durations = BTreeMap::from([(1, 50), (10, 45), (500, 5)]);
        assert_eq!(quantile(&durations, 50), Some(1));
        assert_eq!(quantile(&durations, 51), Some(10));
        assert_eq!(quantile(&durations, 95), Some(10));
        assert_eq!(quantile(&durations, 96), Some(500));
        assert_eq!(quantile(&BTreeMap::new(), 50), None);
        assert_eq!(quantile(&BTreeMap::from([(7, 1)]), 95), Some(7));
    }

    #[test]
    fn calls_add_up() {
        let counters = UsageCounters::default();
        let call = CountedCall {
            tool: "cl_search",
            freshness: Some("fresh"),
            error: None,
            n_bytes: 9,
            took: Duration::from_millis(4),
        };
        counters.note(&call);
        counters.note(&CountedCall {
            freshness: None,
            error: Some("bad_cursor"),
            n_bytes: 0,
            took: Duration::from_hours(1),
            ..call
        });
        assert!(counters.wait().is_some());
        let pending = counters.lock();
        let counts = pending.counts.iter();
        let counts = counts.map(|((kind, name), n)| (((*kind).to_owned(), name.clone()), *n));
        let usage = told(1, &counts.collect());
        assert_eq!(usage.calls["cl_search"], 2);
        assert_eq!((usage.p50_ms, usage.p95_ms), (Some(5), Some(600_000)));
        assert_eq!(
            (usage.freshness["fresh"], usage.errors["bad_cursor"]),
            (1, 1)
        );
        assert_eq!(usage.n_tokens, 3);
    }
}

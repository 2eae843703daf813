//! Which session was silent for the longest: clients that leave without a word must not lock others out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// When each session was used last.
#[derive(Default)]
pub(super) struct LastUsed {
    by_id: Mutex<HashMap<String, Instant>>,
}

impl LastUsed {
    /// Notes that a session was opened.
    pub(super) fn opened(&self, id: &str) {
        self.with(|by_id| by_id.insert(id.to_owned(), Instant::now()));
    }

    /// Notes that a session was spoken in; one that was never opened is no session.
    pub(super) fn used(&self, id: &str) {
        self.with(|by_id| {
            if let Some(last) = by_id.get_mut(id) {
                *last = Instant::now();
            }
        });
    }

    /// Forgets the session that was silent for the longest, and all that are not `open` any more; returns the
    /// former.
    pub(super) fn longest_silent(&self, open: impl Fn(&str) -> bool) -> Option<String> {
        self.with(|by_id| {
            by_id.retain(|id, _| open(id));
            let oldest = by_id.iter().min_by_key(|(_, last)| **last)?.0.clone();
            by_id.remove(&oldest);
            Some(oldest)
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<String, Instant>) -> T) -> T {
        act(&mut self.by_id.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::LastUsed;

    #[test]
    fn the_longest_silent_goes_first() {
        let sessions = LastUsed::default();
        for id in ["a", "b", "c", "gone"] {
            sessions.opened(id);
            // The clock has to move on between two of them.
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        sessions.used("a");
        sessions.used("never opened");
        let open = |id: &str| id != "gone";
        assert_eq!(sessions.longest_silent(open).as_deref(), Some("b"));
        assert_eq!(sessions.longest_silent(open).as_deref(), Some("c"));
        assert_eq!(sessions.longest_silent(open).as_deref(), Some("a"));
        assert_eq!(sessions.longest_silent(open), None);
    }
}

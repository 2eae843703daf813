//! A bound on the bytes that are in work at once.

use std::sync::{Condvar, Mutex, PoisonError};

/// How many bytes may be in work.
pub(super) struct Permits {
    all: u64,
    free: Mutex<u64>,
    freed: Condvar,
}

/// Some of them, given back on drop.
pub(super) struct Permit<'a> {
    of: &'a Permits,
    n_bytes: u64,
}

impl Permits {
    /// Returns permits for so many bytes.
    pub(super) fn new(all: u64) -> Self {
        Self {
            all,
            free: Mutex::new(all),
            freed: Condvar::new(),
        }
    }

    /// Waits until so many bytes may be taken up; more than there are take all.
    pub(super) fn take(&self, n_bytes: u64) -> Permit<'_> {
        let n_bytes = n_bytes.min(self.all);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free < n_bytes {
            free = self
                .freed
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *free -= n_bytes;
        Permit { of: self, n_bytes }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.of.free.lock().unwrap_or_else(PoisonError::into_inner) += self.n_bytes;
        self.of.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::Permits;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn no_more_is_in_work_than_there_are_permits() {
        let (permits, now, most) = (Permits::new(10), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for n in 0..8_u64 {
                let (permits, now, most) = (&permits, &now, &most);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let permit = permits.take(n * 3);
                        let held = now.fetch_add(permit.n_bytes, Ordering::SeqCst) + permit.n_bytes;
                        most.fetch_max(held, Ordering::SeqCst);
                        now.fetch_sub(permit.n_bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 10);
    }
}

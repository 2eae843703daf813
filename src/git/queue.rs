//! A stack of tasks that several threads work off, where a task yields further tasks.
//!
//! It lives for one walk.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The tasks to do, and how many are being done.
pub(super) struct Queue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

struct QueueState<T> {
    todo: Vec<T>,
    n_busy: usize,
    n_waiting: usize,
}

impl<T> Queue<T> {
    /// Returns a queue with one task.
    pub(super) fn new(first: T) -> Self {
        Self {
            state: Mutex::new(QueueState {
                todo: vec![first],
                n_busy: 0,
                n_waiting: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// Works off tasks until none is left and none can come. `work` adds to the list that it is given.
    pub(super) fn run(&self, mut work: impl FnMut(T, &mut Vec<T>)) {
        let mut found = Vec::new();
        while let Some(task) = self.take() {
            let done = TaskGuard {
                queue: self,
                found: &mut found,
            };
            work(task, done.found);
        }
    }

    fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.todo.pop() {
                state.n_busy += 1;
                return Some(task);
            }
            if state.n_busy == 0 {
                return None;
            }
            state.n_waiting += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.n_waiting -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands in a task's result when the task ends, even by a panic, so that no other thread waits for ever.
struct TaskGuard<'a, T> {
    queue: &'a Queue<T>,
    found: &'a mut Vec<T>,
}

impl<T> Drop for TaskGuard<'_, T> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.n_busy -= 1;
        state.todo.append(self.found);
        // Waking is a call of the system, even where nobody waits.
        if state.n_waiting > 0 {
            if state.todo.len() > 1 || state.n_busy == 0 {
                self.queue.changed.notify_all();
            } else if !state.todo.is_empty() {
                self.queue.changed.notify_one();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Queue;

    #[test]
    fn every_task_and_those_it_yields_are_done_once() {
        let queue = Queue::new(12_u32);
        let n_done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    queue.run(|depth, found| {
                        n_done.fetch_add(1, Ordering::Relaxed);
                        if depth > 0 {
                            found.extend([depth - 1, depth - 1]);
                        }
                    });
                });
            }
        });
        assert_eq!(n_done.into_inner(), (1 << 13) - 1);
    }
}

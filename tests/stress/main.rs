//! Stress tests: the built binary under kills, damage, full disks, writes that fail, many processes and moving refs.
//!
//! Each test takes seconds to minutes and measures time, so all are ignored by default and run one after the other:
//! `cargo test --release --test stress -- --ignored --nocapture --test-threads=1`. `tests/README.md` lists their variables.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests stop at the first surprise, start git and the built binary, and print their figures"
)]

mod checks;
mod faults;
#[cfg(target_os = "linux")]
mod idle;
mod judge;
mod kills;
mod known_repo;
mod processes;
mod product;
mod questions;
mod refs;
#[path = "../it/support/mod.rs"]
mod support;
#[cfg(target_os = "linux")]
mod write_errors;

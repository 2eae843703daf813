//! Integration tests: one binary, a module for each subject.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, and start git and the built binary"
)]

mod answers;
mod callers;
mod clients;
mod edges;
mod faces;
mod fixtures;
mod graph;
mod hardships;
mod hostile;
mod laws;
mod lenient;
mod life;
mod manual;
mod packs;
mod people;
mod plans;
mod ranking;
#[cfg(target_os = "linux")]
mod renewal;
mod roles;
mod shown;
mod support;
mod templates;
mod tidy;
mod types;
mod uses;

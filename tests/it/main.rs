//! Integration tests: one binary, a module for each subject.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, and start git and the built binary"
)]

mod answers;
mod faces;
mod fixtures;
mod laws;
mod manual;
mod support;
mod tidy;

//! codelens: a git-aware manager of per-branch code indexes for coding agents.

pub mod error;
pub mod config;
pub mod model;
pub mod store;

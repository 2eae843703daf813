//! codelens: a git-aware manager of per-branch code indexes for coding agents.

pub mod config;
pub mod error;
pub mod git;
pub mod link;
pub mod model;
pub mod reconcile;
pub mod resolve;
pub mod store;
pub mod syntax;

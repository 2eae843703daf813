//! codelens: a git-aware manager of per-branch code indexes for coding agents.

pub mod model;

//! Integration tests: one binary, a module for each subject.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, and start git and the built binary"
)]

mod acceptance;
mod archives;
mod callers;
mod chains;
mod changes;
mod cli_and_mcp;
mod cli_output;
mod clients;
mod crash_recovery;
mod definitions;
mod dispatch;
mod dispatch_csharp;
mod dispatch_members;
mod documents;
mod edges;
mod exports;
mod federation;
mod file_history;
mod fixtures;
mod git_settings;
mod graph;
mod graph_output;
mod hostile;
mod http_api;
#[cfg(target_os = "linux")]
mod idle_reexec;
mod laws;
mod lenient;
mod life;
mod lines;
mod manual;
mod messages;
mod method_sets;
mod packs;
mod preprocessing;
mod query_plans;
mod ranking;
mod refs;
mod risk;
mod roles;
mod support;
mod templates;
mod tidy;
mod tool_output;
mod toolsets;
mod uses;

//! CodeLens: a git-aware code index for coding agents.
//!
//! ```text
//!    cli ──┐                              arrows point at what is known
//!    mcp ──┴─► tools ─► workspace ─► reconcile ─┐
//!                │          │           │       ├─► git     (gix)          ┐
//!                │          │           └► link ┤   syntax  (tree-sitter)  │
//!                │          └───────────────────┤   resolve (module lookup)├─► ir ─► model
//!                └─► search, graph, lifecycle ──┴─► store   (SQLite)       ┘
//! ```
//!
//! [`remote`] is the way to object stores, where indexes are shared; nothing else opens a connection.
//!
//! [`roles`] says what files are for (tests, by what their runner is told to run; examples; code): `reconcile` keeps what
//! configurations declare, `search`, `graph` and the tools ask.
//!
//! [`lines`] finds every line that a pattern matches, in the files as they are on the disk; `workspace` reads them for it.
//!
//! [`graph`] walks the edges, [`uses`] compares two states and finds the places of uses, [`lifecycle`] decides which indexes go
//! and where saved code stands now, [`watch`] hears of changes from the kernel: `workspace` and the tools ask them. [`export`]
//! writes an index for other programs, [`embed`] asks models that the user configured, and [`archive`] reads zip and tar files that are asked like repositories. [`config`] holds settings, [`machine`] facts about the machine.
//!
//! Beside them stand [`clients`], the configuration files of agents, and [`view`], a page to look at: both know plain data and
//! no index, and `cli` alone names them.
//!
//! One idea carries the design: a new branch, a moved `HEAD`, a dirty file and a new version of the
//! extractor are the same event, namely that the manifest which is indexed differs from the one on the
//! disk. There is one path from difference to repair ([`reconcile`]), and nothing else writes rows but the verified import,
//! which reads the files of a bundle again to compare them with its rows.

pub mod archive;
pub mod cli;
pub mod clients;
pub mod config;
pub mod embed;
pub mod error;
pub mod export;
pub mod git;
pub mod graph;
pub mod ir;
pub mod lifecycle;
pub mod lines;
pub mod link;
pub mod machine;
pub mod mcp;
pub mod model;
pub mod reconcile;
pub mod remote;
pub mod resolve;
pub mod roles;
pub mod search;
pub mod store;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod tools;
pub mod uses;
pub mod view;
pub mod watch;
pub mod workspace;

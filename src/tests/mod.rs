//! Tests that need private items of several rooms.

mod answers;
mod builtins;
mod types;

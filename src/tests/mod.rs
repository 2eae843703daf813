//! Tests that need several rooms, and more of them than they show to others.

mod answers;
mod builtins;
mod types;

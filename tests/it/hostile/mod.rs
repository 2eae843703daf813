//! Repositories that mean harm, or that nobody would write by hand: whatever is in them, every tool answers in time,
//! nothing outside the work tree is shown, and skipped files are counted with their reasons.
//!
//! `CODELENS_HOSTILE=full` makes everything in its full size.

mod calls;
mod contents;
mod corpus;
mod fuzz_regressions;
mod git;
mod limits;
mod mutated;
mod quoted;
mod reach;
mod scale;
mod secrets;
mod shown;

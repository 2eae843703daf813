//! One folder a family of languages: how its syntax becomes facts.
//!
//! Refuses to know other files, and how a file is cut into chunks.

pub(in crate::syntax) mod ecmascript;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "read once the facts of all languages are typed")
)]
pub(in crate::syntax) mod python;

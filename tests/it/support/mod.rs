//! The ground that the tests stand on: repositories described as text, and the built binary.
//!
//! Files, git and a command line; nothing here calls the library.
#![allow(dead_code, unused_imports, reason = "each subject uses its own part")]

mod cli;
mod dice;
mod fake_model;
mod fixture;
mod repo;
mod rounds;
mod session;

pub(crate) use cli::{Cli, Ran, walk};
pub(crate) use dice::Dice;
pub(crate) use fake_model::{FakeModel, Manner};
pub(crate) use fixture::{Fixture, Step};
pub(crate) use repo::{Marker, Repo};
pub(crate) use rounds::{number, on_each_core};
pub(crate) use session::Session;

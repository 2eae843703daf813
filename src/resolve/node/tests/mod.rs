//! Repositories as text, and the files that specifiers in them stand for.

mod config;
mod hostile;
mod package;
mod path;

use crate::resolve::Resolution;
use crate::resolve::Resolver;
use crate::resolve::fixture::{TextFiles, check, check_files, files};

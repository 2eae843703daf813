//! The checks of `codelens doctor`: of one repository, and of the data directory that all repositories share.

pub mod data_dir;
pub mod repository;

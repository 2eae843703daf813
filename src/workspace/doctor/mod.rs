//! The checks of `codelens doctor`: of one repository, of models, and of the data directory that all repositories share.

pub mod data_dir;
pub mod models;
pub mod repository;

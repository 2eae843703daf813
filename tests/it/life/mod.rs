//! The life of kept data: saved contexts, and which indexes stay.

mod ask;
mod bundle;
mod ci;
mod contexts;
mod data_dir;
mod differences;
mod embed;
mod embed_refs;
mod freeze;
mod health;
mod listed_directories;
mod marks;
mod memory;
mod notes;
mod prune;
mod records;
mod remotes;
mod runs;
mod settings;
mod shared_indexes;
mod store_faults;
mod usage;

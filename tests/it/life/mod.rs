//! The life of what is kept: saved contexts, and which indexes stay.

mod bundle;
mod ci;
mod contexts;
mod health;
mod house;
mod prune;
mod settings;

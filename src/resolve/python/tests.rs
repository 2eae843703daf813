//! Repositories as text.

//! Tables by hash for extraction and linking, which look up millions of short names: with the standard library's
//! hash, a twentieth of their time went there.
//!
//! The hash is seeded at random for each process and table, so that no file can be written to collide in all of them.

/// A map by hash.
pub type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A set by hash.
pub type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;

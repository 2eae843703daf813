//! Object stores and servers of models that a user configured: the addresses that are taken, the objects of an index, and
//! the one way to the network.
//!
//! Knows nothing of an index but its bundle's bytes; `workspace` says which commit is wanted.

mod address;
mod connection;
mod error;
mod json_server;
mod object;
mod signature;
mod store;

pub use address::{Address, AddressError, Scheme};
pub use error::{RemoteError, RemoteFault};
pub use json_server::{JsonServer, ServerFault};
pub use object::{
    BaseBundle, BundlePart, MAX_DIFFERENCE_BYTES, MAX_MANIFEST_BYTES, PART_BYTES, RemoteManifest,
    StorePrefix,
};
pub use signature::{ManifestSignature, NewKeys, SigningKey, is_signed_by, new_keys, public_keys};
pub use store::{Created, Deadline, Remote, RemoteObject, RemoteUse};

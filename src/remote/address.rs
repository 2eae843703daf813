//! The address of a remote: which ones are taken, and why others are not.
//!
//! An address never holds a credential: it is stored, printed and logged.

use std::fmt;
use std::path::PathBuf;

use url::{Host, Url};

/// The longest address, in bytes.
const MAX_BYTES: usize = 1_000;

/// The kind of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Amazon S3, or a store with its protocol.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure Blob Storage.
    Az,
    /// A server of HTTP that takes `GET` and `PUT`.
    Http,
    /// A directory.
    File,
}

/// The address of a remote, without any credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    url: Url,
    scheme: Scheme,
}

/// Why an address is not taken. Never repeats the address: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is no address.
    #[error("it is no address of a store")]
    Malformed,
    /// It is longer than one may be.
    #[error("it is longer than 1,000 bytes")]
    TooLong,
    /// It has a scheme that no store has.
    #[error("its scheme is none of s3, gs, az, https and file")]
    Scheme,
    /// It has a user name or a password.
    #[error("it holds a user name or password, which would be stored and printed")]
    Credentials,
    /// It has a query or a fragment.
    #[error(
        "it has a part behind `?` or `#`, which may hold a key that would be stored and printed"
    )]
    Query,
    /// It names no bucket, container or host.
    #[error("it names no bucket, container or host")]
    NoBucket,
    /// It is http to another machine.
    #[error("it is http to another machine: nothing would be encrypted")]
    Unencrypted,
    /// It is no absolute path on this machine.
    #[error("it is no absolute path on this machine")]
    NoPath,
}

impl Address {
    /// Reads an address, e.g. `s3://bucket/team/indexes`.
    ///
    /// # Errors
    /// For text that is not an address, and for any that could hold a credential.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > MAX_BYTES {
            return Err(AddressError::TooLong);
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(AddressError::Malformed);
        }
        let url = Url::parse(text).map_err(|_| AddressError::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::Query);
        }
        let scheme = match url.scheme() {
            "s3" => Scheme::S3,
            "gs" => Scheme::Gs,
            "az" => Scheme::Az,
            "https" => Scheme::Http,
            "http" if is_loopback(&url) => Scheme::Http,
            "http" => return Err(AddressError::Unencrypted),
            "file" => Scheme::File,
            _ => return Err(AddressError::Scheme),
        };
        let host = url.host_str().unwrap_or_default();
        match scheme {
            Scheme::File => {
                let path = url.to_file_path().map_err(|()| AddressError::NoPath)?;
                if path.parent().is_none() {
                    return Err(AddressError::NoPath);
                }
            }
            _ if host.is_empty() => return Err(AddressError::NoBucket),
            Scheme::S3 | Scheme::Gs | Scheme::Az if url.port().is_some() => {
                return Err(AddressError::Malformed);
            }
            _ => {}
        }
        Ok(Self { url, scheme })
    }

    /// Returns the kind of the store.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the bucket, container or host.
    pub(super) fn bucket(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns the path within the bucket, decoded, without slashes at its ends; `None` if it is not UTF-8.
    pub(super) fn prefix(&self) -> Option<String> {
        object_store::path::Path::from_url_path(self.url.path())
            .ok()
            .map(String::from)
    }

    /// Returns the address of the server, with the path.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// Whether the store is reached without TLS, on this machine.
    pub(super) fn is_plain(&self) -> bool {
        self.url.scheme() == "http"
    }

    /// Whether the server is on this machine, by its name.
    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// Returns the directory of a `file` address.
    pub fn directory(&self) -> Option<PathBuf> {
        match self.scheme {
            Scheme::File => self.url.to_file_path().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

/// Whether a server is on this machine, by its name.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, AddressError, Scheme};

    #[test]
    fn each_kind_of_store_has_its_addresses() {
        for (text, scheme) in [
            ("s3://bucket", Scheme::S3),
            ("s3://bucket/team/indexes/", Scheme::S3),
            ("gs://bucket/x", Scheme::Gs),
            ("az://container/x%20y", Scheme::Az),
            ("https://artefacts.example.com:8443/codelens", Scheme::Http),
            ("http://127.0.0.1:8080/x", Scheme::Http),
            ("http://[::1]:8080/x", Scheme::Http),
            ("http://localhost/x", Scheme::Http),
            ("file:///srv/codelens", Scheme::File),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.scheme(), scheme, "{text}");
            let again = Address::parse(&address.to_string()).unwrap();
            assert_eq!(again, address, "{text}");
        }
        let address = Address::parse("az://container/x%20y/").unwrap();
        assert_eq!(address.prefix().unwrap(), "x y");
    }

    #[test]
    fn others_are_refused_with_the_reason() {
        let long = format!("s3://bucket/{}", "x".repeat(1_000));
        for (text, why) in [
            ("", AddressError::Malformed),
            ("team", AddressError::Malformed),
            ("/srv/codelens", AddressError::Malformed),
            ("s3://bucket/a b", AddressError::Malformed),
            ("s3://bucket/\u{1b}[31m", AddressError::Malformed),
            ("s3://bucket:99/x", AddressError::Malformed),
            (&long, AddressError::TooLong),
            ("ftp://host/x", AddressError::Scheme),
            ("ssh://host/x", AddressError::Scheme),
            ("s3://key:secret@bucket/x", AddressError::Credentials),
            ("https://user@host/x", AddressError::Credentials),
            ("https://:token@host/x", AddressError::Credentials),
            ("az://container/x?sig=abc", AddressError::Query),
            ("https://host/x#token", AddressError::Query),
            ("s3:///x", AddressError::NoBucket),
            ("http://example.com/x", AddressError::Unencrypted),
            ("http://127.0.0.1.example.com/x", AddressError::Unencrypted),
            ("file:///", AddressError::NoPath),
            ("file://server/share", AddressError::NoPath),
        ] {
            assert_eq!(Address::parse(text), Err(why), "{text}");
            let said = why.to_string();
            assert!(!said.contains("secret") && !said.contains("abc"), "{said}");
        }
    }
}

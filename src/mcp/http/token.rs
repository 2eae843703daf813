//! The secret that a client of the HTTP server shows.
//!
//! It is kept in the data directory, and its owner alone may read it.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::{Code, Error, Result};

/// The name of the file in the data directory.
const FILE: &str = "http-token";

/// Random bytes of a token that is made here.
const N_RANDOM_BYTES: usize = 32;

/// The fewest characters that one may have which is brought along.
const MIN_CHARS: usize = 16;

/// The most bytes of a file that are looked at.
const MAX_CHARS: usize = 4096;

/// A secret that opens the server. Its text is in no log: it is shown by [`AccessToken::reveal`] alone.
#[derive(Clone)]
pub struct AccessToken {
    text: String,
    file: Option<PathBuf>,
    is_new: bool,
}

impl AccessToken {
    /// Returns the token that is `text`, as an environment hands it over.
    ///
    /// # Errors
    /// `invalid_argument` for one that is short or can't stand in a header.
    pub fn of(text: &str) -> Result<Self> {
        let text = checked(text, "the token")?;
        Ok(Self {
            text,
            file: None,
            is_new: false,
        })
    }

    /// Returns the token in a file that its user alone may read.
    ///
    /// # Errors
    /// `io` where it can't be read, `invalid_argument` where others may read it or it holds no token.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).map_err(|error| {
            Error::new(
                Code::Io,
                format!("the file of the token can't be read: {error}"),
                "check the path and its permissions",
            )
            .because(error)
        })?;
        let text = String::from_utf8_lossy(&text[..text.len().min(MAX_CHARS)]).into_owned();
        if !is_private(path) {
            return Err(Error::invalid(
                "others may read the file of the token",
                "take the permission from them: `chmod 600 FILE`",
            ));
        }
        Ok(Self {
            text: checked(&text, "the file of the token")?,
            file: Some(path.to_owned()),
            is_new: false,
        })
    }

    /// Returns the token of the data directory; the first call makes it, readable for this user alone.
    ///
    /// # Errors
    /// `io` where it can't be written or read.
    pub fn of_home(home: &Path) -> Result<Self> {
        let path = home.join(FILE);
        match make(home, &path) {
            Ok(text) => Ok(Self {
                text,
                file: Some(path),
                is_new: true,
            }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Self::from_file(&path),
            Err(error) => Err(Error::new(
                Code::Io,
                "the token of the server can't be written to the data directory",
                "make the data directory writable, or bring a token: --token-file FILE",
            )
            .because(error)),
        }
    }

    /// Returns the secret itself.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Returns the file that holds it.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns whether this process made it.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns whether `shown` is the secret; takes the same time wherever they differ.
    pub(super) fn is(&self, shown: &[u8]) -> bool {
        // Equality of these hashes is of constant time, and tells nothing of lengths.
        blake3::hash(shown) == blake3::hash(self.text.as_bytes())
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

fn checked(text: &str, what: &str) -> Result<String> {
    let text = text.trim();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if text.len() < MIN_CHARS || !is_plain {
        return Err(Error::invalid(
            format!("{what} holds no token"),
            format!("a token is {MIN_CHARS} or more letters, digits or signs, without a space"),
        ));
    }
    Ok(text.to_owned())
}

fn make(home: &Path, path: &Path) -> std::io::Result<String> {
    let mut random = [0_u8; N_RANDOM_BYTES];
    getrandom::fill(&mut random).map_err(std::io::Error::other)?;
    let text = blake3::Hash::from_bytes(random).to_hex().to_string();
    std::fs::create_dir_all(home)?;
    // Written aside first: another process never reads half a token.
    let aside = home.join(format!("{FILE}.{}", std::process::id()));
    let written = private_file(&aside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()
    });
    let placed = written.and_then(|()| std::fs::hard_link(&aside, path));
    drop(std::fs::remove_file(&aside));
    placed.map(|()| text)
}

fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        drop(std::fs::remove_file(path));
        options.create_new(true).mode(0o600);
    }
    options.open(path)
}

fn is_private(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).is_ok_and(|found| found.permissions().mode().trailing_zeros() >= 6)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::AccessToken;

    #[test]
    fn the_first_start_makes_one_and_the_next_finds_it() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("below");
        let made = AccessToken::of_home(&place).unwrap();
        let found = AccessToken::of_home(&place).unwrap();
        assert!(made.is_new() && !found.is_new());
        assert_eq!(made.reveal(), found.reveal());
        assert_eq!(made.reveal().len(), 64);
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 1);
        assert!(!format!("{made:?}").contains(made.reveal()));
        let other = AccessToken::of_home(home.path()).unwrap();
        assert_ne!(made.reveal(), other.reveal());
    }

    #[test]
    fn only_the_whole_secret_opens() {
        let token = AccessToken::of("0123456789abcdef").unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for other in [
            &b""[..],
            b"0123456789abcde",
            b"0123456789abcdef ",
            b"0123456789abcdeF",
        ] {
            assert!(!token.is(other));
        }
        for bad in ["", "short", "sixteen or more words"] {
            assert!(AccessToken::of(bad).is_err(), "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let made = AccessToken::of_home(home.path()).unwrap();
        let path = made.file().unwrap();
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let refused = AccessToken::of_home(home.path()).unwrap_err();
        assert!(refused.hint.contains("chmod 600"));
    }
}

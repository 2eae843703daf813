//! Percent-encoding (RFC 3986): names and paths in URIs. Reading them back is for the protocols that take some.

use std::path::Path;

/// Returns a name as one segment of a URI: `a b/é` → `a%20b%2F%C3%A9`.
pub fn encode(name: &str) -> String {
    encode_except(name, b"-._~")
}

/// Returns a path as a relative URI: as [`encode`], and slashes stay.
pub fn encode_path(path: &str) -> String {
    encode_except(path, b"-._~/")
}

/// Returns the URI of a file: `file:///a%20b`. A path of Windows has a slash for each backslash: `file:///C:/a`.
pub fn file_uri(file: &Path) -> String {
    let path = file.to_string_lossy();
    if path.starts_with('/') {
        format!("file://{}", encode_except(&path, b"-._~/:"))
    } else {
        let path = path.replace('\\', "/");
        format!("file:///{}", encode_except(&path, b"-._~/:"))
    }
}

/// Encodes each byte that is no letter, no digit and not among `plain`.
fn encode_except(text: &str, plain: &[u8]) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let digits = [byte >> 4, byte & 15].map(|digit| char::from(HEX[usize::from(digit)]));
            out.push('%');
            out.extend(digits);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{encode, encode_path, file_uri};

    #[test]
    fn encodes_each_byte_that_is_not_plain() {
        assert_eq!(encode("a b/é~"), "a%20b%2F%C3%A9~");
        assert_eq!(encode_path("a b/c:d"), "a%20b/c%3Ad");
        assert_eq!(
            file_uri(Path::new("/a b/\u{1b}ü;x")),
            "file:///a%20b/%1B%C3%BC%3Bx"
        );
        assert_eq!(file_uri(Path::new(r"/a\b")), "file:///a%5Cb");
        assert_eq!(file_uri(Path::new(r"C:\a\b")), "file:///C:/a/b");
    }
}

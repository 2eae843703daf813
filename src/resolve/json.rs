//! JSON as configuration files hold it: with comments, trailing commas and a byte order mark.
//!
//! Knows nothing of the values' meaning. Unreadable text is no value, never an error: nesting beyond 127 levels counts
//! as unreadable.

use serde_json::{Map, Value};

/// Returns the object that `bytes` hold; `None` for anything else. Costs a copy of the text.
pub(super) fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value = serde_json::from_slice(bytes)
        .or_else(|_| serde_json::from_slice(&plain(bytes)))
        .ok()?;
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Returns `bytes` with comments and trailing commas blanked.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut comma = None;
    let mut at = 0;
    while at < out.len() {
        match out[at] {
            b'"' => {
                comma = None;
                at += 1;
                while at < out.len() && out[at] != b'"' {
                    at += if out[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'/' if matches!(out.get(at + 1), Some(b'/' | b'*')) => {
                let end = comment_end(&out, at);
                out[at..end].fill(b' ');
                at = end;
            }
            b',' => {
                comma = Some(at);
                at += 1;
            }
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
                at += 1;
            }
            byte => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                at += 1;
            }
        }
    }
    out
}

/// Returns where the comment that begins at `start` ends: at the end of its line, or after its mark.
fn comment_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start + 2..];
    let length = if bytes[start + 1] == b'/' {
        rest.iter().position(|&byte| byte == b'\n')
    } else {
        rest.windows(2)
            .position(|pair| pair == b"*/")
            .map(|n| n + 2)
    };
    length.map_or(bytes.len(), |length| start + 2 + length)
}

#[cfg(test)]
mod tests {
    use super::object;

    #[test]
    fn comments_and_trailing_commas_are_no_obstacle() {
        let text = "\u{feff}{ // one\n \"a\": [1, 2, /* , */ ], \"b\": \"// no /* comment\\\"\", }";
        let read = object(text.as_bytes()).unwrap();
        assert_eq!(read["a"], serde_json::json!([1, 2]));
        assert_eq!(read["b"], "// no /* comment\"");
    }

    #[test]
    fn garbage_is_no_object() {
        let deep = "[".repeat(100_000);
        for bad in [
            "",
            "{",
            "[]",
            "null",
            "{\"a\": \"",
            "/*",
            "//",
            "{\"a\"\\",
            &deep,
        ] {
            assert!(object(bad.as_bytes()).is_none(), "{bad:.20}");
        }
        assert!(object(&[0xff, 0xfe, 0]).is_none());
    }
}

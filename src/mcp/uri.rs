//! Reads names in URIs: `%xx` is a byte. See `model::uri` for writing them.

/// Returns the text with `%xx` replaced; `None` where that is no UTF-8 text or holds a NUL.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = (first == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::model::uri::encode;

    #[test]
    fn any_name_comes_back() {
        for name in ["login", "log in/out", "é%20", "100%", "a?b#c", "日本"] {
            let encoded = encode(name);
            assert!(!encoded.contains(['/', '?', '#', ' ']), "{encoded}");
            assert_eq!(decode(&encoded).as_deref(), Some(name));
        }
        assert_eq!(encode("a b/é"), "a%20b%2F%C3%A9");
        assert_eq!(decode("%00"), None);
        assert_eq!(decode("%ff"), None);
    }
}

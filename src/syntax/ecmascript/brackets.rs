//! Where the text of a type can be taken apart.
//!
//! Refuses to know what the parts mean.

/// Splits the inside of a literal type into its members.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'=' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b';' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Splits at a mark that stands in no bracket; `None` for a function's type and for brackets that do not close.
pub(super) fn split(text: &str, mark: u8) -> Option<Vec<&str>> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'=' && depth == 0 => return None,
            b'>' if at > 0 && bytes[at - 1] == b'=' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ if byte == mark && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return None;
    }
    parts.push(&text[from..]);
    if parts.len() > 1 && parts[0].trim().is_empty() {
        parts.remove(0);
    }
    Some(parts)
}

/// Returns what stands behind the `=>` of a function's type.
pub(super) fn result(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'=' && depth == 0 => return Some(&text[at + 1..]),
            b'>' if at > 0 && bytes[at - 1] == b'=' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

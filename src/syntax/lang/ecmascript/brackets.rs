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

/// Returns what `A extends B ? C : D` may come to; `None` for other types and for what is inferred.
pub(super) fn branches(text: &str) -> Option<[&str; 2]> {
    let (asked_of, rest) = text.split_once(" extends ")?;
    // No function's type, and no part of what stands in brackets.
    split(asked_of, b',')?;
    if text.contains("infer ") {
        return None;
    }
    let (mut asked, mut depth, mut from) = (0_usize, 0_usize, 0);
    let bytes = rest.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'=' => {}
            b'>' | b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b'?' if depth == 0 => {
                if asked == 0 {
                    from = at + 1;
                }
                asked += 1;
            }
            b':' if depth == 0 => {
                asked = asked.checked_sub(1)?;
                if asked == 0 {
                    return Some([&rest[from..at], &rest[at + 1..]]);
                }
            }
            _ => {}
        }
    }
    None
}

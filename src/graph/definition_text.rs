//! Texts of definitions without the parts that a comparison leaves out: comments, and words that say who may use them.

/// Cuts `# …` off a line; one in a string is left.
pub(super) fn without_hash_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, byte) in line.bytes().enumerate() {
        match (quote, byte) {
            (None, b'#') => return &line[..at],
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    line
}

/// Cuts the words off that make a definition visible to others: that is compared by itself.
pub(super) fn without_export(head: &str) -> &str {
    let mut rest = head.trim_start();
    for word in ["export", "default"] {
        let behind = rest.strip_prefix(word);
        if let Some(behind) = behind.filter(|it| it.starts_with(char::is_whitespace)) {
            rest = behind.trim_start();
        }
    }
    rest
}

/// Cuts the attributes of Rust off, `#[must_use]`: they are part of the text, not of the signature.
pub(super) fn without_attributes(head: &str) -> &str {
    let mut rest = head.trim_start();
    while let Some(attribute) = rest.strip_prefix("#[") {
        let mut depth = 1_usize;
        let end = attribute.char_indices().find(|(_, c)| {
            depth += usize::from(*c == '[');
            depth -= usize::from(*c == ']');
            depth == 0
        });
        match end {
            Some((at, _)) => rest = attribute[at + 1..].trim_start(),
            None => return rest,
        }
    }
    rest
}

/// Returns a text without `// …` and `/* … */`, those in strings apart.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '\'', '"', '`']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let (end, is_comment) = match found.as_bytes() {
            [b'/', b'/', ..] => (found.find('\n').unwrap_or(found.len()), true),
            [b'/', b'*', ..] => (found.find("*/").map_or(found.len(), |end| end + 2), true),
            [b'/', ..] => (1, false),
            [quote, ..] => {
                let bytes = found.bytes().enumerate().skip(1);
                let mut ends = bytes.filter(|(at, byte)| {
                    byte == quote && found.as_bytes()[at - 1] != b'\\'
                        || *byte == b'\n' && *quote != b'`'
                });
                (ends.next().map_or(found.len(), |(at, _)| at + 1), false)
            }
            [] => break,
        };
        if is_comment {
            out.push(' ');
        } else {
            out.push_str(&found[..end]);
        }
        rest = &found[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::without_attributes;

    #[test]
    fn attributes_are_no_part_of_a_head() {
        let head = "#[must_use]\n#[doc(alias = [\"a\"])]\nfn open()";
        assert_eq!(without_attributes(head), "fn open()");
    }
}

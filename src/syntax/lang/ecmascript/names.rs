//! Texts that are names: `a.b`, `this.#x`, `import('m').T`.

/// Longest left side that can be a chain of names.
const TARGET_BYTES: usize = 160;

/// Longest receiver in bytes.
const RECEIVER_BYTES: usize = 120;

/// Returns whether a text is a chain of names.
pub(super) fn is_path(text: &str) -> bool {
    text.len() <= TARGET_BYTES
        && text.split('.').all(|part| {
            part.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '#'))
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#'))
        })
}

/// Returns whether a character can stand in a name.
pub(super) fn is_import_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns the module and the name there of a type that is imported where it stands: `T` of `import('m').T`, `*` of
/// `import('m')`.
pub(super) fn import_of(text: &str) -> Option<(&str, &str)> {
    let (specifier, rest) = text.strip_prefix("import(")?.split_once(')')?;
    let specifier = specifier.trim();
    let module = specifier.trim_matches(['"', '\'', '`']);
    if module.is_empty() || module.len() + 2 != specifier.len() {
        return None;
    }
    let rest = rest.split('<').next().unwrap_or(rest).trim();
    let Some(name) = rest.strip_prefix('.') else {
        return rest.is_empty().then_some((module, "*"));
    };
    let name = name.trim();
    (is_chain(name) && !name.contains('.')).then_some((module, name))
}

/// Splits `a.b.c` into `a.b` and `c`. The first is `?` where it is no chain of names.
pub(super) fn split_chain(text: &str) -> (&str, &str) {
    let n_ascii = text
        .bytes()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#'))
        .count();
    let before = &text[..text.len() - n_ascii];
    // A letter beyond ASCII is rare enough to look again.
    let before = if before.ends_with(is_name_char) {
        before.trim_end_matches(is_name_char)
    } else {
        before
    };
    let name = &text[before.len()..];
    let receiver = before
        .trim_end()
        .trim_end_matches('.')
        .trim_end_matches('?');
    let receiver = receiver.trim_end();
    (if is_chain(receiver) { receiver } else { "?" }, name)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '\u{200c}' | '\u{200d}')
}

/// Returns whether a text is a chain of names, perhaps with `?` and `!` in it.
pub(super) fn is_chain(text: &str) -> bool {
    let begins = text.starts_with(|c: char| is_name_char(c) && !c.is_ascii_digit());
    begins
        && text.len() <= RECEIVER_BYTES
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || b >= 0x80
                || matches!(b, b'_' | b'$' | b'#' | b'.' | b'?' | b'!')
        })
}

/// A receiver without `?` and `!`, which do not change its meaning: `a?.b!` is `a.b`.
pub(super) fn plain_receiver(receiver: &str) -> String {
    if receiver == "?" || !receiver.contains(['?', '!']) {
        return receiver.to_owned();
    }
    receiver
        .chars()
        .filter(|c| !matches!(c, '?' | '!'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{plain_receiver, split_chain};

    #[test]
    fn a_chain_is_split_at_its_last_name() {
        for (text, expected) in [
            ("a.b", ("a", "b")),
            ("this.db.open", ("this.db", "open")),
            ("a?.b", ("a", "b")),
            ("this.#x", ("this", "#x")),
            ("f(a.b)\n  .then", ("?", "then")),
            ("'a'.b", ("?", "b")),
            ("(a).b", ("?", "b")),
            ("1.5.toFixed", ("?", "toFixed")),
        ] {
            assert_eq!(split_chain(text), expected, "{text}");
        }
        assert_eq!(plain_receiver("a?.b!"), "a.b");
    }
}

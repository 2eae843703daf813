//! Words of a command that somebody pastes into a shell.

/// Returns a word so that a shell reads it as one, and runs nothing in it: a file's name may be `$(rm x)`.
///
/// `/home/ann/my shop` → `'/home/ann/my shop'`; `src/a.ts` stays.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-@%+=:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn words_are_pasted_as_one() {
        for (word, written) in [
            ("/home/ann/shop", "/home/ann/shop"),
            ("/home/ann/my shop", "'/home/ann/my shop'"),
            ("it's $HOME", "'it'\\''s $HOME'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(word), written);
        }
    }
}

//! Texts of definitions as their tokens: lines that were broken elsewhere are equal, strings with other blanks are not.

use crate::model::RepoPath;

/// Returns whether a token is a word.
pub fn is_word(token: &str) -> bool {
    token.starts_with(is_word_char)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Splits a text into words and single marks.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = if is_word_char(first) {
            rest.find(|c| !is_word_char(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// Whether two names have a word in common: `parseUrl` and `read_url`.
pub fn have_common_word(one: &str, other: &str) -> bool {
    let words = words_of_name(one);
    words_of_name(other).iter().any(|it| words.contains(it))
}

/// Returns the words of a name in lower case, of more than one character: `parse` and `url` of `parseUrl`.
fn words_of_name(name: &str) -> Vec<String> {
    let (mut words, mut word, mut was_lower) = (Vec::new(), String::new(), false);
    for c in name.chars() {
        if !c.is_alphanumeric() || was_lower && c.is_uppercase() {
            words.push(std::mem::take(&mut word));
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        word.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    words.push(word);
    words.retain(|it| it.chars().nth(1).is_some());
    words
}

/// Returns a text with one blank between all tokens, and without a comma before a closing bracket, and what stands in quotes as it is
/// written: lines that were broken elsewhere give the same.
pub fn folded(text: &str, path: &RepoPath) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_comma_open = false;
    for token in tokens(text) {
        if is_comma_open && !matches!(token, ")" | "]" | "}") {
            out.push_str(" ,");
        }
        is_comma_open = token == ",";
        if !is_comma_open {
            out.push(' ');
            out.push_str(token);
        }
    }
    if is_comma_open {
        out.push_str(" ,");
    }
    if matches!(path.extension(), Some("py" | "pyi")) {
        add_indents(text, &mut out);
    }
    // `'a` is a lifetime in Rust.
    let quotes: &[u8] = match path.extension() {
        Some("rs") => b"\"",
        _ => b"\"'`",
    };
    for line in text.lines() {
        add_quoted(line, quotes, &mut out);
    }
    out
}

/// Adds how far the lines of a text of Python stand in, those in brackets apart: of `if a:\n  b()\nc()` the call of `c` does not depend on `a`.
fn add_indents(text: &str, out: &mut String) {
    let mut depth = 0_usize;
    for (n, line) in text.lines().enumerate() {
        let code = line.trim_start();
        // The first line of a definition is cut out of its file.
        if n > 0 && depth == 0 && !code.is_empty() && !code.starts_with('#') {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', line.len() - code.len()));
        }
        for byte in code.bytes() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// Adds what stands between quotes on a line, where there are blanks in it: they mean something. In a comment a quote may be an apostrophe.
fn add_quoted(line: &str, quotes: &[u8], out: &mut String) {
    let begins_comment = ["//", "/*", "*", "# "];
    if begins_comment
        .iter()
        .any(|it| line.trim_start().starts_with(it))
    {
        return;
    }
    let mut open: Option<(usize, u8)> = None;
    let mut bytes = line.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match open {
            Some(_) if byte == b'\\' => drop(bytes.next()),
            Some((start, quote)) if byte == quote => {
                let quoted = &line[start..at];
                if quoted.contains(char::is_whitespace) {
                    out.push('\0');
                    out.push_str(quoted);
                }
                open = None;
            }
            None if quotes.contains(&byte) => open = Some((at + 1, byte)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::folded;
    use crate::model::RepoPath;

    #[test]
    fn blanks_count_in_strings_alone() {
        let of = |text: &str, path: &str| folded(text, &RepoPath::new(path).unwrap());
        assert_eq!(of("f(a,\n  b,\n)", "a.ts"), of("f(a, b)", "a.ts"));
        assert_eq!(of("f('a b',\n'c')", "a.ts"), of("f('a b', 'c')", "a.ts"));
        assert_ne!(of("f('a  b')", "a.ts"), of("f('a b')", "a.ts"));
        assert_ne!(of("if a:\n  b\n  c", "a.py"), of("if a:\n  b\nc", "a.py"));
        assert_eq!(of("f(a,\n  b)", "a.py"), of("f(a,\n    b)", "a.py"));
        assert_ne!(of("x = \"*  **\"", "a.py"), of("x = \"* **\"", "a.py"));
        assert_ne!(
            of("x = \"\\\" a,b\"", "a.py"),
            of("x = \"\\\" a, b\"", "a.py")
        );
        assert_eq!(
            of("// don't  and can't", "a.c"),
            of("// don't and can't", "a.c")
        );
        assert_eq!(
            of("fn f<'a>(x: &'a  A)", "a.rs"),
            of("fn f<'a>(x: &'a A)", "a.rs")
        );
    }
}

//! Build constraints in a file: `//go:build windows && !cgo`.

/// Lines at the head of a file that are looked through for a constraint.
const MAX_LINES: usize = 400;

/// How deep parentheses are read.
const MAX_DEPTH: usize = 32;

/// Returns whether a build for Linux on amd64, without tags and cgo, leaves a file out.
pub(super) fn is_left_out(source: &str) -> bool {
    for line in source.lines().take(MAX_LINES) {
        let line = line.trim();
        if let Some(constraint) = line.strip_prefix("//go:build ") {
            let mut words = ConstraintWords(constraint.as_bytes(), 0);
            return !words.any(0).unwrap_or(true);
        }
        if line.starts_with("package ") {
            break;
        }
    }
    false
}

fn is_set(tag: &str) -> bool {
    matches!(tag, "linux" | "amd64" | "unix" | "gc")
        || tag
            .strip_prefix("go1.")
            .is_some_and(|minor| minor.parse::<u32>().is_ok())
}

struct ConstraintWords<'a>(&'a [u8], usize);

impl ConstraintWords<'_> {
    fn skip(&mut self, word: &[u8]) -> bool {
        while self.0.get(self.1).is_some_and(u8::is_ascii_whitespace) {
            self.1 += 1;
        }
        let is_next = self.0[self.1..].starts_with(word);
        if is_next {
            self.1 += word.len();
        }
        is_next
    }

    fn any(&mut self, depth: usize) -> Option<bool> {
        let mut is_true = self.all(depth)?;
        while self.skip(b"||") {
            is_true |= self.all(depth)?;
        }
        Some(is_true)
    }

    fn all(&mut self, depth: usize) -> Option<bool> {
        let mut is_true = self.one(depth)?;
        while self.skip(b"&&") {
            is_true &= self.one(depth)?;
        }
        Some(is_true)
    }

    fn one(&mut self, depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.skip(b"!") {
            return Some(!self.one(depth + 1)?);
        }
        if self.skip(b"(") {
            let is_true = self.any(depth + 1)?;
            return self.skip(b")").then_some(is_true);
        }
        let rest = &self.0[self.1..];
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let length = rest.iter().take_while(|byte| is_word(byte)).count();
        let tag = std::str::from_utf8(&rest[..length])
            .ok()
            .filter(|tag| !tag.is_empty())?;
        self.1 += length;
        Some(is_set(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::is_left_out;

    #[test]
    fn constraints_are_read_for_linux_on_amd64_without_tags() {
        for (constraint, left_out) in [
            ("linux", false),
            ("windows", true),
            ("!windows", false),
            ("ignore", true),
            ("unix && (arm64 || !cgo)", false),
            ("go1.21 && integration", true),
            ("darwin || linux", false),
            ("((", false),
            ("", false),
            ("é", false),
        ] {
            let source = format!("// x\n\n//go:build {constraint}\n\npackage a\n");
            assert_eq!(is_left_out(&source), left_out, "{constraint}");
        }
        assert!(!is_left_out("package a\n//go:build ignore\n"));
        assert!(!is_left_out(&format!("//go:build {}", "(".repeat(100))));
    }
}

//! Build constraints of Go: `windows && !cgo`.

/// How deep parentheses are read.
const MAX_DEPTH: usize = 32;

/// Evaluates a constraint; `meaning` says of each tag whether it is set, `None` where it may be either. `None` where the tags leave
/// it open, or the constraint is broken.
///
/// `linux || darwin` with `linux` set and `darwin` unknown → `Some(true)`.
pub fn evaluate(constraint: &str, meaning: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    let mut words = Words {
        text: constraint.as_bytes(),
        at: 0,
        meaning,
    };
    words.any(0)?
}

struct Words<'a> {
    text: &'a [u8],
    at: usize,
    meaning: &'a dyn Fn(&str) -> Option<bool>,
}

/// Whether a part holds, `None` where that is open; the outer `None` is a broken constraint.
type Part = Option<Option<bool>>;

impl Words<'_> {
    fn skip(&mut self, word: &[u8]) -> bool {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let is_next = self.text[self.at..].starts_with(word);
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    fn any(&mut self, depth: usize) -> Part {
        let mut holds = self.all(depth)?;
        while self.skip(b"||") {
            holds = match (holds, self.all(depth)?) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        Some(holds)
    }

    fn all(&mut self, depth: usize) -> Part {
        let mut holds = self.one(depth)?;
        while self.skip(b"&&") {
            holds = match (holds, self.one(depth)?) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        Some(holds)
    }

    fn one(&mut self, depth: usize) -> Part {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.skip(b"!") {
            return Some(self.one(depth + 1)?.map(|holds| !holds));
        }
        if self.skip(b"(") {
            let holds = self.any(depth + 1)?;
            return self.skip(b")").then_some(holds);
        }
        let rest = &self.text[self.at..];
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let length = rest.iter().take_while(|byte| is_word(byte)).count();
        let tag = std::str::from_utf8(&rest[..length])
            .ok()
            .filter(|tag| !tag.is_empty())?;
        self.at += length;
        Some((self.meaning)(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn tags_that_may_be_either_leave_a_constraint_open() {
        let meaning = |tag: &str| match tag {
            "linux" => Some(true),
            "windows" => Some(false),
            _ => None,
        };
        for (constraint, holds) in [
            ("linux || cgo", Some(true)),
            ("linux && cgo", None),
            ("windows && cgo", Some(false)),
            ("!(windows || cgo)", None),
            ("!windows", Some(true)),
            ("((linux", None),
            ("", None),
        ] {
            assert_eq!(evaluate(constraint, &meaning), holds, "{constraint}");
        }
    }
}

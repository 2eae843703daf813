//! Rust source → identifiers and punctuation with their lines.
//!
//! Knows just enough of the language to leave out comments, strings and character literals; refuses to
//! know syntax trees. A name inside a macro call counts like any other.

/// A token of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier or keyword, raw prefix removed.
    Word(String),
    /// `::`.
    Path,
    /// Any other character that is not white space.
    Sign(char),
}

/// A token with its 1-based line.
pub(crate) type Placed = (usize, Token);

/// Returns the tokens of a source text.
///
/// Unclosed literals end with the text: nothing is an error.
pub(crate) fn tokens(source: &str) -> Vec<Placed> {
    let mut lexer = Lexer {
        rest: source.chars().collect(),
        at: 0,
        line: 1,
        out: Vec::new(),
    };
    lexer.run();
    lexer.out
}

struct Lexer {
    rest: Vec<char>,
    at: usize,
    line: usize,
    out: Vec<Placed>,
}

impl Lexer {
    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            match c {
                '/' if self.peek(1) == Some('/') => self.skip_line(),
                '/' if self.peek(1) == Some('*') => self.skip_block(),
                '"' => self.skip_string(),
                '\'' => self.skip_quote(),
                _ if c.is_alphabetic() || c == '_' => self.word(),
                _ if c.is_ascii_digit() => self.skip_number(),
                ':' if self.peek(1) == Some(':') => {
                    self.out.push((self.line, Token::Path));
                    self.bump();
                    self.bump();
                }
                _ => {
                    if !c.is_whitespace() {
                        self.out.push((self.line, Token::Sign(c)));
                    }
                    self.bump();
                }
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn bump(&mut self) {
        if self.peek(0) == Some('\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.bump();
        }
    }

    fn skip_block(&mut self) {
        let mut depth = 0_usize;
        while self.peek(0).is_some() {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                _ => {
                    self.bump();
                    continue;
                }
            }
            self.bump();
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips a string with escapes; stands on its opening quote.
    fn skip_string(&mut self) {
        self.bump();
        while let Some(c) = self.peek(0) {
            self.bump();
            match c {
                '\\' => self.bump(),
                '"' => return,
                _ => {}
            }
        }
    }

    /// Skips a raw string; stands on its first `#` or its quote.
    fn skip_raw_string(&mut self) {
        let mut n_hashes = 0;
        while self.peek(0) == Some('#') {
            n_hashes += 1;
            self.bump();
        }
        self.bump();
        while let Some(c) = self.peek(0) {
            self.bump();
            if c == '"' && (0..n_hashes).all(|n| self.peek(n) == Some('#')) {
                (0..n_hashes).for_each(|_| self.bump());
                return;
            }
        }
    }

    /// Skips a character literal, or the quote alone where a lifetime begins.
    fn skip_quote(&mut self) {
        self.bump();
        if self.peek(0) == Some('\\') {
            self.bump();
            self.bump();
            while self.peek(0).is_some_and(|c| c != '\'') {
                self.bump();
            }
            self.bump();
        } else if self.peek(1) == Some('\'') {
            self.bump();
            self.bump();
        } else {
            while self
                .peek(0)
                .is_some_and(|c| c.is_alphanumeric() || c == '_')
            {
                self.bump();
            }
        }
    }

    fn skip_number(&mut self) {
        while self
            .peek(0)
            .is_some_and(|c| c.is_alphanumeric() || c == '_')
        {
            self.bump();
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self
            .peek(0)
            .is_some_and(|c| c.is_alphanumeric() || c == '_')
        {
            self.bump();
        }
        let word: String = self.rest[start..self.at].iter().collect();
        match (word.as_str(), self.peek(0)) {
            ("r" | "br" | "cr", Some('"')) => self.skip_raw_string(),
            ("r" | "br" | "cr", Some('#')) if matches!(self.peek(1), Some('"' | '#')) => {
                self.skip_raw_string();
            }
            // A raw identifier: what follows the mark is the word.
            ("r", Some('#')) => self.bump(),
            ("b", Some('\'')) => self.skip_quote(),
            ("b" | "c", Some('"')) => self.skip_string(),
            _ => self.out.push((self.line, Token::Word(word))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        let word = |(_, token)| match token {
            Token::Word(word) => Some(word),
            _ => None,
        };
        tokens(source).into_iter().filter_map(word).collect()
    }

    #[test]
    fn comments_strings_and_characters_hold_no_words() {
        let source = r###"
            a // x
            /* x /* x */ x */ b "x \" x" c r#"x " x"# d b"x" e 'x' f '\'' g '\u{1F600}' h
            r"x\" i br##"x "# x"## j
        "###;
        assert_eq!(
            words(source),
            ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        );
    }

    #[test]
    fn lifetimes_do_not_open_a_literal_and_raw_identifiers_keep_their_name() {
        assert_eq!(
            words("fn a<'x>(y: &'x r#type) { 'z: loop {} }"),
            ["fn", "a", "y", "type", "loop"]
        );
    }

    #[test]
    fn lines_are_counted_through_what_is_left_out() {
        let tokens = tokens("/* \n */ \"\n\" a::b");
        assert_eq!(
            tokens,
            [
                (3, Token::Word("a".into())),
                (3, Token::Path),
                (3, Token::Word("b".into()))
            ]
        );
    }
}

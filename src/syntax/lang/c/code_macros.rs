//! Text in the bodies of functions that the grammar can't read, so that one statement dissolves all that follows it: macros before a block,
//! types of several words and references as arguments of a macro, and conversions to types of the language. Also types as arguments of a macro
//! by itself outside of functions and classes, where its arguments are no parameters: `FLAG(int, size, 256, "bytes");`.
//!
//! `TRY {` → `    {`, `CHECK(unsigned short, 1)` → `CHECK(0             , 1)`, `THROWS(f(), Error&)` → `THROWS(f(), Error )`,
//! `if (unsigned(n) < m)` → `if (        (n) < m)`.

use super::tokens::{Token, TokenKind, TokenText, closed};

/// The most words of a type that is an argument.
const MAX_WORDS: usize = 8;

/// Text in code that is taken out.
#[derive(Debug, Default)]
pub(super) struct MisreadCode {
    /// The byte ranges of macros, conversions, and of the marks of references and pointers behind types.
    pub(super) macros: Vec<(usize, usize)>,
    /// The byte ranges of arguments, in the place of which a number stands.
    pub(super) arguments: Vec<(usize, usize)>,
}

/// Returns the text in code that is taken out.
pub(super) fn misread_in_code(tokens: &[Token], bytes: &[u8]) -> MisreadCode {
    let source = TokenText { tokens, bytes };
    let mut found = MisreadCode::default();
    // Whether each brace that is open is that of code.
    let mut open: Vec<bool> = Vec::new();
    let mut n_namespaces = 0;
    for (at, token) in tokens.iter().enumerate() {
        let is_in_code = open.last() == Some(&true);
        match token.kind {
            TokenKind::Sign(b'{') => {
                if open.len() == n_namespaces && source.begins_namespace(at) {
                    n_namespaces += 1;
                }
                open.push(is_in_code || source.begins_code(at));
            }
            TokenKind::Sign(b'}') => {
                open.pop();
                n_namespaces = n_namespaces.min(open.len());
            }
            TokenKind::Capitals if open.len() == n_namespaces && source.is_statement(at) => {
                source.types_in_arguments(at + 1, &mut found);
            }
            TokenKind::Capitals if is_in_code => {
                if source.is_before_block(at) {
                    found.macros.push((token.start, token.end));
                } else if source.sign(at + 1) == b'(' {
                    source.types_in_arguments(at + 1, &mut found);
                }
            }
            TokenKind::Name if is_in_code && source.is_conversion(at) => {
                found.macros.push((token.start, token.end));
            }
            _ => {}
        }
    }
    found
}

impl TokenText<'_> {
    /// Whether a brace outside of code begins the body of a function.
    fn begins_code(self, brace: usize) -> bool {
        let Some(before) = brace.checked_sub(1) else {
            return false;
        };
        self.sign(before) == b')'
            || matches!(
                self.text(before),
                "const" | "override" | "final" | "noexcept" | "try"
            )
    }

    /// Whether a brace outside of code is that of a namespace or of a linkage: `namespace a::b {`, `extern "C" {`.
    fn begins_namespace(self, brace: usize) -> bool {
        let mut at = brace;
        while let Some(before) = at.checked_sub(1)
            && (matches!(
                self.kind(before),
                Some(TokenKind::Name | TokenKind::Capitals)
            ) || self.sign(before) == b':')
        {
            at = before;
        }
        let before = at.checked_sub(1).map(|it| self.text(it));
        before == Some("namespace") || at == brace && before.is_some_and(|it| it.starts_with('"'))
    }

    /// Whether a macro with arguments that are no parameters is a statement by itself: one of them is a text, a number or a constant of the language.
    fn is_statement(self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or(b';', |it| self.sign(it));
        let end = closed(self.tokens, at + 1);
        matches!(before, b';' | b'{' | b'}')
            && self.sign(end) == b';'
            && end > at + 1
            && (at + 2..end).any(|it| {
                let is_constant = matches!(self.text(it), "true" | "false" | "nullptr");
                is_constant || matches!(self.sign(it), b'"' | b'0')
            })
    }

    /// Whether a macro without arguments stands between a statement and a block: `CATCH_ALL {`.
    fn is_before_block(self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|it| self.sign(it));
        self.sign(at + 1) == b'{' && matches!(before, Some(b'{' | b'}' | b';'))
    }

    /// Adds the arguments that are types: of several words, `unsigned short`, as no expression has two names side by side, or of the language, and
    /// the marks behind others, `Error&`, as no expression ends with one.
    fn types_in_arguments(self, parenthesis: usize, found: &mut MisreadCode) {
        let end = closed(self.tokens, parenthesis).saturating_sub(1);
        let mut first = parenthesis + 1;
        while first < end {
            let n_words = (first..end)
                .take(MAX_WORDS)
                .take_while(|at| self.kind(*at) == Some(TokenKind::Name))
                .count();
            let behind = first + n_words;
            let is_type = n_words > 1 || n_words == 1 && is_type_of_grammar(self.text(first));
            if is_type && matches!(self.sign(behind), b',' | b')') {
                let range = (self.tokens[first].start, self.tokens[behind - 1].end);
                found.arguments.push(range);
            }
            let begin = first;
            let mut depth = 0_usize;
            first = behind;
            while first < end {
                match self.sign(first) {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    b',' if depth == 0 => break,
                    _ => {}
                }
                first += 1;
            }
            let marks = (begin + 1..first.min(end)).rev();
            let marks = marks.take_while(|at| matches!(self.sign(*at), b'&' | b'*'));
            let ranges = marks.map(|at| (self.tokens[at].start, self.tokens[at].end));
            found.macros.extend(ranges);
            first += 1;
        }
    }

    /// Whether the name of a type is called in parentheses of its own, which reads like a declaration there: `if (unsigned(n) < m)`.
    fn is_conversion(self, at: usize) -> bool {
        let is_sized = matches!(self.text(at), "unsigned" | "signed" | "long" | "short");
        is_sized
            && at.checked_sub(1).is_some_and(|it| self.sign(it) == b'(')
            && self.sign(at + 1) == b'('
            && !matches!(self.sign(at + 2), b'*' | b'&' | b')')
    }
}

/// Whether the grammar takes a word for a type wherever it stands.
fn is_type_of_grammar(word: &str) -> bool {
    matches!(
        word,
        "bool" | "char" | "double" | "float" | "int" | "long" | "short" | "void"
    ) || word.ends_with("_t")
        && (word.starts_with("int") || word.starts_with("uint") || word.ends_with("size_t"))
}

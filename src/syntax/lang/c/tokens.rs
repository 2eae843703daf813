//! Tokens of a source before preprocessing, and its directives: read by the bytes, where the grammar can't help.

/// A token of code outside of comments, strings and directives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: TokenKind,
    /// Whether it is the first of its line.
    pub(super) begins_line: bool,
    /// Of a parenthesis that opens, the place behind the one that closes it; 0 for any other token, and where none closes it.
    closed_at: usize,
}

impl Token {
    fn new(start: usize, end: usize, kind: TokenKind, begins_line: bool) -> Self {
        Self {
            start,
            end,
            kind,
            begins_line,
            closed_at: 0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name in small letters, or mixed ones.
    Name,
    /// A name in capitals: `FOO_EXPORT`.
    Capitals,
    /// A word of the language that is no type.
    Keyword,
    /// `__attribute__`, `__declspec`, `alignas` and the like, with parentheses behind.
    Attribute,
    /// One sign.
    Sign(u8),
}

/// The tokens of a source with their text.
#[derive(Clone, Copy)]
pub(super) struct TokenText<'s> {
    pub(super) tokens: &'s [Token],
    pub(super) bytes: &'s [u8],
}

impl<'s> TokenText<'s> {
    pub(super) fn kind(self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|it| it.kind)
    }

    /// Returns the sign at a place; 0 for any other token, and for none.
    pub(super) fn sign(self, at: usize) -> u8 {
        match self.kind(at) {
            Some(TokenKind::Sign(sign)) => sign,
            _ => 0,
        }
    }

    /// Returns the text of a token; empty for none, and for a sign that is a part of a character.
    pub(super) fn text(self, at: usize) -> &'s str {
        let token = self.tokens.get(at);
        let text = token.and_then(|it| self.bytes.get(it.start..it.end));
        text.and_then(|it| std::str::from_utf8(it).ok())
            .unwrap_or_default()
    }
}

const KEYWORDS: &[&str] = &[
    "return",
    "else",
    "case",
    "goto",
    "if",
    "while",
    "for",
    "do",
    "switch",
    "sizeof",
    "new",
    "delete",
    "throw",
    "const",
    "static",
    "inline",
    "extern",
    "virtual",
    "typedef",
    "constexpr",
    "volatile",
    "register",
    "explicit",
    "friend",
    "using",
    "namespace",
    "template",
    "typename",
    "operator",
    "public",
    "private",
    "protected",
    "override",
    "final",
    "noexcept",
    "default",
    "break",
    "continue",
    "enum",
    "struct",
    "class",
    "union",
    "mutable",
    "thread_local",
    "co_return",
    "co_await",
    "co_yield",
    "and",
    "or",
    "not",
    "restrict",
];

/// Returns the tokens of a source.
pub(super) fn tokens(bytes: &[u8]) -> Vec<Token> {
    scan(bytes, |_, _| {})
}

/// Returns the directives of a source outside of comments, from their sign to their end: `#if A`.
pub(super) fn directives(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    scan(bytes, |start, end| found.push((start, end)));
    found
}

/// Returns the tokens of a source; `on_directive` is given the bytes of each directive.
pub(super) fn scan(bytes: &[u8], mut on_directive: impl FnMut(usize, usize)) -> Vec<Token> {
    let mut all = Vec::new();
    let mut at = 0;
    let mut begins_line = true;
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'\n' => {
                begins_line = true;
                at += 1;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'#' if begins_line => {
                // A directive with its further lines.
                let start = at;
                while at < bytes.len() {
                    let end = bytes[at..]
                        .iter()
                        .position(|it| *it == b'\n')
                        .map_or(bytes.len(), |it| at + it);
                    let line = bytes[at..end].trim_ascii_end();
                    at = (end + 1).min(bytes.len());
                    if !line.ends_with(b"\\") {
                        break;
                    }
                }
                on_directive(start, at);
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = bytes[at..]
                    .iter()
                    .position(|it| *it == b'\n')
                    .map_or(bytes.len(), |it| at + it);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = bytes[at + 2..].windows(2).position(|it| it == b"*/");
                at = end.map_or(bytes.len(), |it| at + it + 4);
            }
            b'"' | b'\'' => {
                let start = at;
                at += 1;
                while at < bytes.len() && bytes[at] != byte && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                all.push(Token::new(start, at, TokenKind::Sign(byte), begins_line));
                begins_line = false;
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                let len = bytes[at..]
                    .iter()
                    .take_while(|it| it.is_ascii_alphanumeric() || **it == b'_')
                    .count();
                let text = std::str::from_utf8(&bytes[at..at + len]).unwrap_or_default();
                if let Some(end) = raw_string_end(bytes, text, at + len) {
                    all.push(Token::new(at, end, TokenKind::Sign(b'"'), begins_line));
                    begins_line = false;
                    at = end;
                    continue;
                }
                all.push(Token::new(at, at + len, kind_of(text), begins_line));
                begins_line = false;
                at += len;
            }
            _ if byte.is_ascii_digit() => {
                let len = bytes[at..]
                    .iter()
                    .take_while(|it| {
                        it.is_ascii_alphanumeric() || matches!(**it, b'_' | b'.' | b'\'')
                    })
                    .count();
                all.push(Token::new(at, at + len, TokenKind::Sign(b'0'), begins_line));
                begins_line = false;
                at += len;
            }
            _ => {
                all.push(Token::new(at, at + 1, TokenKind::Sign(byte), begins_line));
                begins_line = false;
                at += 1;
            }
        }
    }
    match_parentheses(&mut all);
    all
}

/// Returns the end of a raw string whose quote stands at `at`, behind a prefix: `R"x({)x"`; `None` where there is none.
fn raw_string_end(bytes: &[u8], prefix: &str, at: usize) -> Option<usize> {
    let is_raw = matches!(prefix, "R" | "LR" | "uR" | "UR" | "u8R");
    if !is_raw || bytes.get(at) != Some(&b'"') {
        return None;
    }
    let rest = bytes.get(at + 1..)?;
    let open = rest.iter().take(17).position(|it| *it == b'(')?;
    let mut close = vec![b')'];
    close.extend(&rest[..open]);
    close.push(b'"');
    let end = rest.windows(close.len()).position(|it| it == close)?;
    Some(at + 1 + end + close.len())
}

/// Notes at each parenthesis where it is closed. A brace or a semicolon ends all that are open: the code is broken, or no call.
fn match_parentheses(tokens: &mut [Token]) {
    let mut open = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].kind {
            TokenKind::Sign(b'(') => open.push(at),
            TokenKind::Sign(b')') => {
                if let Some(opened) = open.pop() {
                    tokens[opened].closed_at = at + 1;
                }
            }
            TokenKind::Sign(b'{' | b';') => open.clear(),
            _ => {}
        }
    }
}

/// Returns the kind of a word.
pub(super) fn kind_of(text: &str) -> TokenKind {
    if matches!(
        text,
        "__attribute__" | "__attribute" | "__declspec" | "_Alignas" | "__asm__" | "__extension__"
    ) {
        return TokenKind::Attribute;
    }
    if KEYWORDS.contains(&text) {
        return TokenKind::Keyword;
    }
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_macro = text.len() >= 3
        && text.bytes().all(is_capital)
        && text.bytes().any(|it| it.is_ascii_uppercase());
    if is_macro
        || matches!(
            text,
            "__cdecl"
                | "__stdcall"
                | "__inline"
                | "__forceinline"
                | "__restrict"
                | "__extern_always_inline"
                | "__dead"
                | "__unused"
                | "__wur"
        )
    {
        TokenKind::Capitals
    } else {
        TokenKind::Name
    }
}

/// Returns the place behind the parenthesis that closes the one at `open`; `open` where none of these tokens does, or none opens.
/// `tokens` are all of a source, or its first ones.
pub(super) fn closed(tokens: &[Token], open: usize) -> usize {
    let at = tokens.get(open).map_or(0, |it| it.closed_at);
    if (1..=tokens.len()).contains(&at) {
        at
    } else {
        open
    }
}

/// Returns the word of a directive and where the text behind it begins: `ifdef` of `# ifdef HAVE_POLL`.
pub(super) fn word_of(directive: &str) -> Option<(&str, usize)> {
    let rest = directive.strip_prefix('#')?;
    let start = directive.len() - rest.trim_start().len();
    let word = &directive[start..];
    let end = word.find(|c: char| !c.is_ascii_alphabetic());
    let end = start + end.unwrap_or(word.len());
    Some((&directive[start..end], end))
}

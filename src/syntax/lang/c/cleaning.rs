//! Cleaning of a source before preprocessing, byte for byte: branches of conditions but the first, and macros that stand
//! where the grammar has no place for a name, become blanks.
//!
//! `class LOCKABLE Mutex {` → `class          Mutex {`. Lines and bytes keep their places.

/// How much of a source is cleaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cleaning {
    /// Macros that are attributes.
    Macros,
    /// These, and branches of conditions but the first.
    Branches,
}

/// Returns the source with blanks instead of what the grammar can't read.
pub(super) fn cleaned(source: &str, is_cpp: bool, depth: Cleaning) -> String {
    let mut bytes = source.as_bytes().to_vec();
    if depth == Cleaning::Branches {
        blank_branches(source, &mut bytes, is_cpp);
    }
    let tokens = tokens(&bytes);
    blank_macros(&tokens, &mut bytes);
    // Only whole tokens and lines were blanked.
    String::from_utf8(bytes).unwrap_or_else(|_| source.to_owned())
}

/// Whether a class is defined with a macro before its name: `struct FOO_EXPORT Options {`.
pub(super) fn has_class_macro(source: &str) -> bool {
    source.lines().any(|line| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("class" | "struct"))
            && words
                .next()
                .is_some_and(|it| kind_of(it) == TokenKind::Capitals)
            && words
                .next()
                .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
    })
}

fn blank(bytes: &mut [u8], start: usize, end: usize) {
    for byte in &mut bytes[start..end] {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// One condition around a line.
struct Condition {
    /// Whether the branch at hand is kept, as far as this condition goes.
    is_kept: bool,
    /// Whether a branch was kept before.
    had_kept: bool,
}

/// Blanks the directives of conditions, and each branch but the first that counts: that of `#if 0`, and in C that of
/// `#ifdef __cplusplus`, does not.
fn blank_branches(source: &str, bytes: &mut [u8], is_cpp: bool) {
    let mut conditions: Vec<Condition> = Vec::new();
    let mut start = 0;
    let mut in_comment = false;
    let mut lines = source.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let begin = start;
        start += line.len();
        let text = line.trim();
        let directive = text.strip_prefix('#').filter(|_| !in_comment);
        in_comment = ends_in_comment(text, in_comment);
        let Some(directive) = directive.map(str::trim_start) else {
            if conditions.iter().any(|it| !it.is_kept) {
                blank(bytes, begin, start);
            }
            continue;
        };
        let word_end = directive
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(directive.len());
        let (word, condition) = (&directive[..word_end], directive[word_end..].trim());
        match word {
            "if" | "ifdef" | "ifndef" => {
                let is_left_out = match word {
                    "if" => {
                        condition == "0"
                            || condition.starts_with("0 ")
                            || !is_cpp && condition.starts_with("defined(__cplusplus)")
                    }
                    "ifdef" => !is_cpp && condition == "__cplusplus",
                    _ => is_cpp && condition == "__cplusplus",
                };
                conditions.push(Condition {
                    is_kept: !is_left_out,
                    had_kept: !is_left_out,
                });
            }
            "else" | "elif" | "elifdef" | "elifndef" => {
                if let Some(last) = conditions.last_mut() {
                    last.is_kept = !last.had_kept;
                    last.had_kept = true;
                }
            }
            "endif" => {
                conditions.pop();
            }
            _ => {
                if conditions.iter().all(|it| it.is_kept) {
                    continue;
                }
            }
        }
        let mut whole = line;
        blank(bytes, begin, start);
        // A directive goes on behind a backslash.
        while whole.trim_end().ends_with('\\') {
            let Some(next) = lines.next() else { break };
            blank(bytes, start, start + next.len());
            start += next.len();
            whole = next;
        }
    }
}

fn ends_in_comment(line: &str, mut is_inside: bool) -> bool {
    let mut rest = line;
    loop {
        if is_inside {
            let Some(at) = rest.find("*/") else {
                return true;
            };
            rest = &rest[at + 2..];
            is_inside = false;
        } else {
            let Some(at) = rest.find("/*") else {
                return false;
            };
            if rest[..at].contains("//") || rest[..at].matches('"').count() % 2 == 1 {
                return false;
            }
            rest = &rest[at + 2..];
            is_inside = true;
        }
    }
}

/// A token of code outside of comments, strings and directives.
#[derive(Clone, Copy, Debug)]
struct Token {
    start: usize,
    end: usize,
    kind: TokenKind,
    /// Whether it is the first of its line.
    begins_line: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
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

fn tokens(bytes: &[u8]) -> Vec<Token> {
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
                all.push(Token {
                    start,
                    end: at,
                    kind: TokenKind::Sign(byte),
                    begins_line,
                });
                begins_line = false;
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                let len = bytes[at..]
                    .iter()
                    .take_while(|it| it.is_ascii_alphanumeric() || **it == b'_')
                    .count();
                let text = std::str::from_utf8(&bytes[at..at + len]).unwrap_or_default();
                all.push(Token {
                    start: at,
                    end: at + len,
                    kind: kind_of(text),
                    begins_line,
                });
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
                all.push(Token {
                    start: at,
                    end: at + len,
                    kind: TokenKind::Sign(b'0'),
                    begins_line,
                });
                begins_line = false;
                at += len;
            }
            _ => {
                all.push(Token {
                    start: at,
                    end: at + 1,
                    kind: TokenKind::Sign(byte),
                    begins_line,
                });
                begins_line = false;
                at += 1;
            }
        }
    }
    all
}

fn kind_of(text: &str) -> TokenKind {
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

/// Blanks macros that are attributes of a declaration, and those that stand alone on a line.
fn blank_macros(tokens: &[Token], bytes: &mut [u8]) {
    let sign = |at: usize| match tokens.get(at).map(|it| it.kind) {
        Some(TokenKind::Sign(sign)) => sign,
        _ => 0,
    };
    let is_name = |at: usize| {
        matches!(
            tokens.get(at).map(|it| it.kind),
            Some(TokenKind::Name | TokenKind::Capitals)
        )
    };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let has_arguments = sign(at + 1) == b'(';
        let behind = if has_arguments {
            closed(tokens, at + 1)
        } else {
            at + 1
        };
        match token.kind {
            TokenKind::Attribute => {
                blank(bytes, token.start, end_of(tokens, behind));
                at = behind;
                continue;
            }
            // `NFA::Step`: the name of a class.
            TokenKind::Capitals if is_qualifier(tokens, at) => {}
            TokenKind::Capitals => {
                let before = at.checked_sub(1).map(|it| tokens[it]);
                if is_attribute(tokens, before, at, behind, has_arguments)
                    || stands_alone(tokens, before, token, behind, sign(behind))
                {
                    blank(bytes, token.start, end_of(tokens, behind));
                    at = behind;
                    continue;
                }
            }
            TokenKind::Keyword
                if matches!(
                    &bytes[token.start..token.end],
                    b"class" | b"struct" | b"union"
                ) =>
            {
                // `class FOO_EXPORT Name {`, `class SCOPED_CAPABILITY(x) Name :`
                let mut next = at + 1;
                while is_name(next) {
                    let end = if sign(next + 1) == b'(' {
                        closed(tokens, next + 1)
                    } else {
                        next + 1
                    };
                    let is_more = is_name(end)
                        && !matches!(
                            tokens.get(end + 1).map(|it| it.kind),
                            Some(TokenKind::Sign(
                                b';' | b',' | b')' | b'=' | b'[' | b'(' | b'*' | b'&'
                            )) | None
                        );
                    if !is_more {
                        break;
                    }
                    blank(bytes, tokens[next].start, end_of(tokens, end));
                    next = end;
                }
                at = next;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns the place behind the parenthesis that closes the one at `open`.
fn closed(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Sign(b'(') => depth += 1,
            TokenKind::Sign(b')') => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            TokenKind::Sign(b'{' | b';') => break,
            _ => {}
        }
    }
    open
}

fn end_of(tokens: &[Token], behind: usize) -> usize {
    behind
        .checked_sub(1)
        .and_then(|last| tokens.get(last))
        .map_or(0, |it| it.end)
}

/// Whether a name stands right before `::`.
fn is_qualifier(tokens: &[Token], at: usize) -> bool {
    let is_colon =
        |at: usize| matches!(tokens.get(at), Some(it) if it.kind == TokenKind::Sign(b':'));
    is_colon(at + 1) && is_colon(at + 2) && tokens[at].end == tokens[at + 1].start
}

/// Whether a macro is an attribute of the declaration around it.
fn is_attribute(
    tokens: &[Token],
    before: Option<Token>,
    at: usize,
    behind: usize,
    has_arguments: bool,
) -> bool {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let ends = |at: usize| matches!(kind(at), Some(TokenKind::Sign(b';' | b'{' | b'=')));
    let before = before.map(|it| it.kind);
    match before {
        // `void f() EXCLUSIVE_LOCKS_REQUIRED(mu) {`, `int f(void) NORETURN;`
        Some(TokenKind::Sign(b')')) => {
            return ends(behind)
                || matches!(
                    kind(behind),
                    Some(TokenKind::Capitals | TokenKind::Attribute)
                )
                || matches!(kind(behind), Some(TokenKind::Sign(b':'))) && has_arguments;
        }
        // `Mutex mu GUARDED_BY(other);`
        Some(TokenKind::Name) if has_arguments && at >= 2 => {
            let is_typed = matches!(
                kind(at - 2),
                Some(
                    TokenKind::Name
                        | TokenKind::Capitals
                        | TokenKind::Keyword
                        | TokenKind::Sign(b'*' | b'&' | b'>')
                )
            );
            return is_typed && ends(behind) && kind(behind) != Some(TokenKind::Sign(b'{'));
        }
        _ => {}
    }
    let begins = matches!(
        before,
        None | Some(TokenKind::Sign(b';' | b'}' | b'{' | b':' | b')' | b'"') | TokenKind::Keyword)
    ) || tokens[at].begins_line
        && !matches!(before, Some(TokenKind::Sign(b',' | b'(' | b'=')))
        || at > 0 && matches!(before, Some(TokenKind::Name));
    if !begins {
        return false;
    }
    // `FOO_EXPORT Status Open(`: two names and more behind it; with one name behind it is the type.
    let mut n_names = 0_usize;
    let mut n_plain = usize::from(matches!(before, Some(TokenKind::Name)));
    let mut next = behind;
    while let Some(token) = tokens.get(next) {
        match token.kind {
            TokenKind::Name => {
                n_names += 1;
                n_plain += 1;
            }
            TokenKind::Capitals => n_names += 1,
            TokenKind::Keyword => n_plain += usize::from(has_arguments || n_names > 0),
            TokenKind::Sign(b'*' | b'&') if n_names > 0 => {}
            TokenKind::Sign(b':') if matches!(kind(next + 1), Some(TokenKind::Sign(b':'))) => {
                next += 1;
                n_names = n_names.saturating_sub(1);
            }
            TokenKind::Sign(b'<') if n_names > 0 => {
                n_names += 1;
                break;
            }
            _ => break,
        }
        next += 1;
        if n_names > 8 {
            break;
        }
    }
    let is_declared = matches!(
        kind(next),
        Some(TokenKind::Sign(
            b'(' | b';' | b'=' | b'[' | b',' | b'{' | b'<'
        ))
    );
    is_declared && (n_names >= 2 || n_names >= 1 && n_plain > n_names)
}

/// Whether a macro is alone on its line, with no sign that ends a statement: `Q_OBJECT`, `FOO_BEGIN_NAMESPACE`.
fn stands_alone(
    tokens: &[Token],
    before: Option<Token>,
    token: &Token,
    behind: usize,
    sign_behind: u8,
) -> bool {
    let is_open = before
        .is_none_or(|it| matches!(it.kind, TokenKind::Sign(b';' | b'}' | b'{' | b':' | b')')));
    let is_last = tokens.get(behind).is_none_or(|it| it.begins_line);
    let goes_on = matches!(
        sign_behind,
        b'{' | b';'
            | b'.'
            | b'-'
            | b'+'
            | b'*'
            | b'/'
            | b'='
            | b'<'
            | b'>'
            | b'&'
            | b'|'
            | b'?'
            | b':'
            | b','
            | b')'
            | b'('
            | b'"'
            | b'['
            | b'%'
            | b'^'
            | b'}'
    );
    token.begins_line && is_open && is_last && !(goes_on && sign_behind != b'}')
}

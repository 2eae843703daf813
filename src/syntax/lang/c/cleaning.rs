//! Cleaning of a source before preprocessing, byte for byte: branches of conditions that `branches` does not keep, and macros that
//! stand where the grammar has no place for a name, become blanks.
//!
//! `class LOCKABLE Mutex {` → `class          Mutex {`. Lines and bytes keep their places.

use super::branches::blank_branches;
use super::code_macros::misread_in_code;
use super::constructors::constructor_macros;
use super::listed_directives::listed_directives;
use super::tokens::{Token, TokenKind, closed, kind_of, tokens};

/// How much of a source is cleaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cleaning {
    /// Macros that are attributes.
    Macros,
    /// These, the directives of conditions, and branches that hold no whole statements.
    Branches,
}

/// Returns the source with blanks instead of what the grammar can't read, and how many bytes of code these were in branches of
/// conditions.
pub(super) fn cleaned(source: &str, is_cpp: bool, depth: Cleaning) -> (String, usize) {
    let mut bytes = source.as_bytes().to_vec();
    blank_macro_comments(source, &mut bytes);
    let n_lost = match depth {
        Cleaning::Macros => 0,
        Cleaning::Branches => blank_branches(source, &mut bytes, is_cpp),
    };
    for (start, end) in listed_directives(&bytes) {
        blank(&mut bytes, start, end);
    }
    let tokens = tokens(&bytes);
    blank_macros(&tokens, &mut bytes);
    // Only whole tokens, comments and lines were blanked.
    let text = String::from_utf8(bytes).unwrap_or_else(|_| source.to_owned());
    (text, n_lost)
}

/// The tokens of a source, with the bytes that are left of it without the macros that are attributes.
pub(super) struct BlankedMacros {
    pub(super) tokens: Vec<Token>,
    left: Vec<u8>,
}

impl BlankedMacros {
    /// Whether a token is among what was taken out.
    pub(super) fn is_gone(&self, token: &Token) -> bool {
        self.left[token.start] == b' '
    }
}

/// Returns the tokens of a source and which of them [`cleaned`] takes out as macros.
pub(super) fn blanked_macros(source: &str) -> BlankedMacros {
    let mut left = source.as_bytes().to_vec();
    let tokens = tokens(&left);
    blank_macros(&tokens, &mut left);
    BlankedMacros { tokens, left }
}

/// Whether a class is defined with a macro before its name: `struct FOO_EXPORT Options {`, `class FOO_EXPORT [[nodiscard]] Options {`.
pub(super) fn has_class_macro(source: &str) -> bool {
    source.lines().any(|line| {
        let is_attribute = |word: &&str| word.starts_with("[[") && word.ends_with("]]");
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("class" | "struct")) && {
            let mut names = words.filter(|it| !is_attribute(it));
            names
                .next()
                .is_some_and(|it| kind_of(it) == TokenKind::Capitals)
                && names
                    .next()
                    .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
        }
    })
}

pub(super) fn blank(bytes: &mut [u8], start: usize, end: usize) {
    for byte in &mut bytes[start..end] {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// Whether a comment stands inside a macro of several lines: the grammar ends the macro there.
pub(super) fn has_macro_comment(source: &str) -> bool {
    let mut is_inside = false;
    source.lines().any(|line| {
        let is_macro = is_inside || is_define(line);
        is_inside = is_macro && line.trim_end().ends_with('\\');
        is_macro && line.contains("/*")
    })
}

fn is_define(line: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#');
    directive.is_some_and(|it| it.trim_start().starts_with("define"))
}

/// Blanks the comments in macros of several lines: `#define FIELDS \`, `/* queue */ \`, `void* data;`.
fn blank_macro_comments(source: &str, bytes: &mut [u8]) {
    let mut start = 0;
    let mut macro_start = None;
    for line in source.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        if macro_start.is_none() && is_define(line) {
            macro_start = Some(begin);
        }
        let Some(first) = macro_start else { continue };
        if line.trim_end().ends_with('\\') {
            continue;
        }
        macro_start = None;
        let mut rest = first;
        while let Some(open) = source[rest..start].find("/*").map(|it| rest + it) {
            // One that goes on behind the macro is left.
            let Some(close) = source[open + 2..start].find("*/") else {
                break;
            };
            rest = open + 2 + close + 2;
            let is_quoted = source[first..open].matches('"').count() % 2 == 1;
            for byte in &mut bytes[open..rest] {
                if !is_quoted && !matches!(byte, b'\n' | b'\r' | b'\\') {
                    *byte = b' ';
                }
            }
        }
    }
}

/// Blanks macros before constructors and what the grammar can't read in code.
fn blank_by_place(tokens: &[Token], bytes: &mut [u8]) {
    for (start, end) in constructor_macros(tokens, bytes) {
        blank(bytes, start, end);
    }
    let misread = misread_in_code(tokens, bytes);
    for (start, end) in misread.macros {
        blank(bytes, start, end);
    }
    for (start, end) in misread.arguments {
        blank(bytes, start, end);
        bytes[start] = b'0';
    }
}

/// Blanks the macros between the keyword of a class and its name, from a token on: `class FOO_EXPORT Name {`, `class SCOPED_CAPABILITY(x) Name :`.
/// Returns the place behind them.
fn blank_class_macros(tokens: &[Token], bytes: &mut [u8], first: usize) -> usize {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let is_name = |at: usize| matches!(kind(at), Some(TokenKind::Name | TokenKind::Capitals));
    // `[[nodiscard]]`, which the grammar reads.
    let behind_attributes = |mut at: usize| {
        while [at, at + 1].map(kind) == [Some(TokenKind::Sign(b'[')); 2] {
            let is_end = |it: &usize| kind(*it) == Some(TokenKind::Sign(b']'));
            let Some(end) = (at + 2..tokens.len().min(at + 32)).find(is_end) else {
                break;
            };
            at = end + 2;
        }
        at
    };
    let mut next = behind_attributes(first);
    while is_name(next) {
        let end = if kind(next + 1) == Some(TokenKind::Sign(b'(')) {
            closed(tokens, next + 1)
        } else {
            next + 1
        };
        let name = behind_attributes(end);
        let is_more = is_name(name)
            && !matches!(
                kind(name + 1),
                Some(TokenKind::Sign(
                    b';' | b',' | b')' | b'=' | b'[' | b'(' | b'*' | b'&'
                )) | None
            );
        if !is_more {
            break;
        }
        blank(bytes, tokens[next].start, end_of(tokens, end));
        next = name;
    }
    next
}

/// Returns the end of a macro that says who may use the members behind it: `FOO_PRIVATE:`, `signals:`, and `slots` of `public slots:`.
fn access_macro_end(
    tokens: &[Token],
    bytes: &[u8],
    before: Option<Token>,
    at: usize,
) -> Option<usize> {
    let is_colon = |at: usize| {
        tokens
            .get(at)
            .is_some_and(|it| it.kind == TokenKind::Sign(b':'))
    };
    if !is_colon(at + 1) || is_colon(at + 2) {
        return None;
    }
    let token = tokens[at];
    let is_named =
        |name: &[u8]| token.kind == TokenKind::Capitals || &bytes[token.start..token.end] == name;
    match before?.kind {
        TokenKind::Sign(b';' | b'{' | b'}') if is_named(b"signals") => Some(tokens[at + 1].end),
        TokenKind::Keyword if is_named(b"slots") => {
            let before = before.map(|it| &bytes[it.start..it.end]);
            matches!(before, Some(b"public" | b"private" | b"protected")).then_some(token.end)
        }
        _ => None,
    }
}

/// Whether a macro stands before a conversion, which has no type there: `FOO_DEPRECATED operator bool() const`.
fn is_before_conversion(tokens: &[Token], bytes: &[u8], before: Option<Token>, at: usize) -> bool {
    let begins =
        before.is_none_or(|it| matches!(it.kind, TokenKind::Sign(b';' | b'{' | b'}' | b':')));
    let is_operator = tokens
        .get(at + 1)
        .is_some_and(|it| &bytes[it.start..it.end] == b"operator");
    let target = tokens.get(at + 2).map(|it| it.kind);
    begins
        && is_operator
        && matches!(
            target,
            Some(TokenKind::Name | TokenKind::Capitals | TokenKind::Keyword)
        )
}

/// Blanks macros that are attributes of a declaration, and those that stand alone on a line.
fn blank_macros(tokens: &[Token], bytes: &mut [u8]) {
    let sign = |at: usize| match tokens.get(at).map(|it| it.kind) {
        Some(TokenKind::Sign(sign)) => sign,
        _ => 0,
    };
    blank_by_place(tokens, bytes);
    let mut at = 0;
    // The token before the one at hand that was not blanked.
    let mut left: Option<Token> = None;
    while let Some(token) = tokens.get(at) {
        if bytes[token.start] == b' ' {
            at += 1;
            continue;
        }
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
            TokenKind::Name if is_numbered_attribute(tokens, bytes, at, behind) => {
                blank(bytes, token.start, end_of(tokens, behind));
                at = behind;
                continue;
            }
            TokenKind::Name | TokenKind::Capitals
                if let Some(end) = access_macro_end(tokens, bytes, left, at) =>
            {
                blank(bytes, token.start, end);
                at += 1;
                continue;
            }
            TokenKind::Name if is_behind_pointer(tokens, at) => {
                blank(bytes, token.start, token.end);
                at += 1;
                continue;
            }
            TokenKind::Capitals if is_before_conversion(tokens, bytes, left, at) => {
                blank(bytes, token.start, token.end);
                at += 1;
                continue;
            }
            // `NFA::Step`: the name of a class.
            TokenKind::Capitals if is_qualifier(tokens, at) => {}
            TokenKind::Capitals => {
                let before = at.checked_sub(1).map(|it| tokens[it]);
                // Behind an attribute that is blank: `ATTR_MALLOC ATTR_ALLOC_SIZE(1)`.
                let is_behind_blank = before.is_some_and(|it| bytes[it.start] == b' ');
                let before = if is_behind_blank && begins_declaration(left) {
                    left
                } else {
                    before
                };
                if let Some((start, end)) = types_behind_text(tokens, left, at, behind) {
                    // `TEMPLATE_TEST_CASE("opens", "[store]", int, Row<int>) {`
                    blank(bytes, start, end);
                    left = Some(tokens[behind - 1]);
                    at = behind;
                    continue;
                }
                if let Some(end) = declared_in_macro(tokens, left, at, behind) {
                    // `FOO_EXPORT(void f(int n)) {`
                    blank(bytes, token.start, tokens[at + 1].end);
                    blank(bytes, tokens[end].start, tokens[end].end);
                    at += 2;
                    left = None;
                    continue;
                }
                if is_attribute(tokens, before, at, behind, has_arguments)
                    || ends_parameter(tokens, bytes, at, behind)
                    || begins_parameter(tokens, bytes, at, behind)
                    || stands_alone(tokens, left, token, behind, sign(behind))
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
                let next = blank_class_macros(tokens, bytes, at + 1);
                left = Some(tokens[next - 1]);
                at = next;
                continue;
            }
            _ => {}
        }
        left = Some(*token);
        at += 1;
    }
}

/// Whether a macro in small letters is an attribute before the name of a function: `void printflike(1, 2) log(const char *, ...);`.
/// Its arguments are the numbers of parameters, which those of no declared function are.
fn is_numbered_attribute(tokens: &[Token], bytes: &[u8], at: usize, behind: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let is_numbered = behind > at + 3
        && tokens[at + 2..behind - 1]
            .iter()
            .all(|it| matches!(it.kind, TokenKind::Sign(b'0' | b',')));
    if !is_numbered || kind(behind) != Some(TokenKind::Name) {
        return false;
    }
    let Some(before) = at.checked_sub(1).map(|it| tokens[it]) else {
        return false;
    };
    match before.kind {
        TokenKind::Name | TokenKind::Sign(b'*' | b'&') => {
            kind(behind + 1) == Some(TokenKind::Sign(b'('))
        }
        // `static printflike(1, 2) void log(const char *, ...);`
        TokenKind::Keyword => matches!(
            &bytes[before.start..before.end],
            b"static" | b"extern" | b"inline"
        ),
        _ => false,
    }
}

/// Whether a macro in small letters stands between the result and the name of a function: `char * cdecl name(int n) {`. No expression has
/// two names behind a sign.
fn is_behind_pointer(tokens: &[Token], at: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let sign = |at: usize| match kind(at) {
        Some(TokenKind::Sign(sign)) => sign,
        _ => 0,
    };
    let Some(mut before) = at.checked_sub(1).filter(|it| sign(*it) == b'*') else {
        return false;
    };
    while sign(before) == b'*' && before > 0 {
        before -= 1;
    }
    let is_typed = matches!(kind(before), Some(TokenKind::Name | TokenKind::Capitals));
    is_typed
        && kind(at + 1) == Some(TokenKind::Name)
        && sign(at + 2) == b'('
        && matches!(sign(closed(tokens, at + 2)), b'{' | b';')
}

/// Whether a declarator in parentheses stands at a place, behind a type: `(*open)(int)`, `(open)(int)`.
fn is_declarator_in_parentheses(tokens: &[Token], open: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let mut at = open + 1;
    while kind(at) == Some(TokenKind::Sign(b'*')) {
        at += 1;
    }
    matches!(kind(at), Some(TokenKind::Name | TokenKind::Capitals))
        && kind(at + 1) == Some(TokenKind::Sign(b')'))
        && kind(at + 2) == Some(TokenKind::Sign(b'('))
        && kind(open) == Some(TokenKind::Sign(b'('))
}

/// Whether a macro and a type stand before a declarator in parentheses, which reads like a function named as the type is: `API int (*open)(int);`.
pub(super) fn has_macro_declarator(source: &str) -> bool {
    source.lines().any(|line| {
        if !line.contains(")(") {
            return false;
        }
        let mut words = line.split_whitespace();
        let is_macro = words
            .next()
            .is_some_and(|it| kind_of(it) == TokenKind::Capitals);
        let rest = line.split_once('(').filter(|_| is_macro).map(|it| it.1);
        rest.is_some_and(|rest| {
            let inner = rest.trim_start_matches(['*', ' ']);
            let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
            let behind = inner.trim_start_matches(is_part);
            behind.len() < inner.len() && behind.starts_with(")(")
        })
    })
}

/// Returns the arguments behind the last text among those of a macro that is the head of code: `, int, Row<int>` of
/// `TEMPLATE_TEST_CASE("opens", int, Row<int>) {`, which are types and so no arguments to the grammar.
fn types_behind_text(
    tokens: &[Token],
    before: Option<Token>,
    at: usize,
    behind: usize,
) -> Option<(usize, usize)> {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let begins = before.is_none_or(|it| matches!(it.kind, TokenKind::Sign(b';' | b'}' | b'{')));
    if !begins || behind <= at + 3 || kind(behind) != Some(TokenKind::Sign(b'{')) {
        return None;
    }
    let mut all = at + 2..behind - 1;
    let last = all.rfind(|at| kind(*at) == Some(TokenKind::Sign(b'"')))?;
    let is_argument = matches!(kind(last - 1), Some(TokenKind::Sign(b'(' | b',' | b'"')));
    let goes_on = kind(last + 1) == Some(TokenKind::Sign(b','));
    (is_argument && goes_on).then(|| (tokens[last + 1].start, tokens[behind - 1].start))
}

/// Returns the parenthesis that ends a macro around the head of a function: `FOO_EXPORT(void f(int n)) {`. `behind` is the place
/// behind it.
fn declared_in_macro(
    tokens: &[Token],
    before: Option<Token>,
    at: usize,
    behind: usize,
) -> Option<usize> {
    let sign = |at: usize| match tokens.get(at)?.kind {
        TokenKind::Sign(sign) => Some(sign),
        _ => None,
    };
    let begins = before.is_none_or(|it| matches!(it.kind, TokenKind::Sign(b';' | b'}' | b'{')));
    let is_head = behind > at + 4
        && matches!(sign(behind), Some(b'{' | b';'))
        && sign(behind - 2) == Some(b')');
    if !begins || !is_head {
        return None;
    }
    // A type, then a name before a parenthesis, which is closed right before that of the macro.
    let mut next = at + 2;
    let mut n_names = 0;
    loop {
        match tokens.get(next)?.kind {
            TokenKind::Name | TokenKind::Capitals => n_names += 1,
            TokenKind::Keyword | TokenKind::Sign(b'*' | b'&') => {}
            TokenKind::Sign(b'(') => break,
            _ => return None,
        }
        next += 1;
    }
    let is_named = matches!(tokens[next - 1].kind, TokenKind::Name);
    (n_names >= 2 && is_named && closed(tokens, next) == behind - 1).then_some(behind - 1)
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

/// Whether a declaration may begin behind a token, also with words that stand before its type: `static`.
fn begins_declaration(before: Option<Token>) -> bool {
    before.is_none_or(|it| {
        matches!(
            it.kind,
            TokenKind::Sign(b';' | b'{' | b'}' | b':') | TokenKind::Keyword
        )
    })
}

/// Returns the place behind a macro with arguments that a declaration goes on behind: `ATTR_ACCESS(1, 2) double`.
fn behind_further_macro(tokens: &[Token], at: usize) -> Option<usize> {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    if kind(at + 1) != Some(TokenKind::Sign(b'(')) {
        return None;
    }
    let end = closed(tokens, at + 1);
    let goes_on = matches!(
        kind(end),
        Some(TokenKind::Name | TokenKind::Capitals | TokenKind::Keyword | TokenKind::Attribute)
    );
    goes_on.then_some(end)
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
    // `[[nodiscard]] FOO_EXPORT int open(`
    let is_standard = at >= 2
        && [at - 1, at - 2]
            .iter()
            .all(|it| kind(*it) == Some(TokenKind::Sign(b']')));
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
        // `Stats stats[N] GUARDED_BY(mu);`, `char padding[N] UNUSED;`
        Some(TokenKind::Sign(b']')) if !is_standard => {
            return ends(behind) && kind(behind) != Some(TokenKind::Sign(b'{'));
        }
        _ => {}
    }
    let is_behind_type = is_behind_type(tokens, at);
    let begins = is_standard
        || is_behind_type
        || matches!(
            before,
            None | Some(
                TokenKind::Sign(b';' | b'}' | b'{' | b':' | b')' | b'"') | TokenKind::Keyword
            )
        )
        || tokens[at].begins_line && !matches!(before, Some(TokenKind::Sign(b',' | b'(' | b'=')))
        || at > 0 && matches!(before, Some(TokenKind::Name));
    if !begins {
        return false;
    }
    // `FOO_EXPORT Status Open(`: two names and more behind it; with one name behind it is the type.
    let mut n_names = 0_usize;
    let mut n_plain = usize::from(is_behind_type || matches!(before, Some(TokenKind::Name)));
    let mut next = behind;
    // `ATTR_NONNULL ATTR_ACCESS(1, 2) double f(`: the head of a function stands behind all macros.
    let mut is_head = false;
    while let Some(token) = tokens.get(next) {
        match token.kind {
            TokenKind::Name => {
                n_names += 1;
                n_plain += 1;
            }
            TokenKind::Capitals if let Some(end) = behind_further_macro(tokens, next) => {
                is_head = true;
                next = end;
                continue;
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
    // `FOO_EXPORT int (*open)(int);`: one name behind it is the type there.
    let is_typed = n_names >= 1 && is_declarator_in_parentheses(tokens, next);
    if is_head && (n_names < 2 || kind(next) != Some(TokenKind::Sign(b'('))) {
        return false;
    }
    is_declared && (n_names >= 2 || n_names >= 1 && n_plain > n_names || is_typed)
}

/// Whether a macro stands behind a type that ends in a sign: `Rows<int> FOO_INLINE pool::all() {`, `char* FOO_INLINE name() {`.
fn is_behind_type(tokens: &[Token], at: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let Some(last) = at.checked_sub(1) else {
        return false;
    };
    match kind(last) {
        Some(TokenKind::Sign(b'*' | b'&')) => {
            let type_ = last.checked_sub(1).and_then(kind);
            matches!(type_, Some(TokenKind::Name | TokenKind::Sign(b'>')))
        }
        Some(TokenKind::Sign(b'>')) => {
            let mut depth = 0_usize;
            for at in (0..=last).rev().take(256) {
                match kind(at) {
                    Some(TokenKind::Sign(b'>')) => depth += 1,
                    Some(TokenKind::Sign(b'<')) if depth == 1 => {
                        // `template <typename T> Row open(T from)`
                        let named = at.checked_sub(1).and_then(kind);
                        return matches!(named, Some(TokenKind::Name | TokenKind::Capitals));
                    }
                    Some(TokenKind::Sign(b'<')) => depth -= 1,
                    Some(TokenKind::Sign(b';' | b'{' | b'}')) | None => break,
                    _ => {}
                }
            }
            false
        }
        _ => false,
    }
}

/// Whether a macro stands behind the name of a parameter: `value(unsigned char x FOO_BUILTIN)`.
fn ends_parameter(tokens: &[Token], bytes: &[u8], at: usize, behind: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let Some(type_) = at.checked_sub(2) else {
        return false;
    };
    let name = &tokens[at - 1];
    let is_typed = matches!(
        kind(type_),
        Some(TokenKind::Name | TokenKind::Sign(b'*' | b'&' | b'>'))
    );
    // `unsigned char MASK`: the macro is the name.
    let is_named = name.kind == TokenKind::Name
        && !std::str::from_utf8(&bytes[name.start..name.end]).is_ok_and(is_primitive);
    is_typed && is_named && matches!(kind(behind), Some(TokenKind::Sign(b',' | b')')))
}

/// Whether a macro stands before the type of a parameter: `open(ATTR_UNUSED key_t key)`. No expression has two names side by side.
fn begins_parameter(tokens: &[Token], bytes: &[u8], at: usize, behind: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|it| it.kind);
    let before = at.checked_sub(1).and_then(kind);
    if !matches!(before, Some(TokenKind::Sign(b'(' | b','))) {
        return false;
    }
    let text = |at: usize| {
        let token = tokens.get(at);
        token.map_or(&b""[..], |it| &bytes[it.start..it.end])
    };
    let mut next = behind;
    // `DWORD const size`: the macro is the type.
    while matches!(text(next), b"const" | b"volatile") {
        next += 1;
    }
    if matches!(text(next), b"struct" | b"enum" | b"union") {
        return kind(next + 1) == Some(TokenKind::Name);
    }
    if kind(next) != Some(TokenKind::Name) {
        return false;
    }
    let is_language_type = std::str::from_utf8(text(next)).is_ok_and(is_primitive);
    while kind(next + 1) == Some(TokenKind::Sign(b':'))
        && kind(next + 2) == Some(TokenKind::Sign(b':'))
        && kind(next + 3) == Some(TokenKind::Name)
    {
        next += 3;
    }
    match kind(next + 1) {
        Some(TokenKind::Name) => true,
        Some(TokenKind::Sign(b',' | b')')) => is_language_type,
        Some(TokenKind::Sign(b'*' | b'&')) => {
            while matches!(
                kind(next + 1),
                Some(TokenKind::Sign(b'*' | b'&') | TokenKind::Keyword)
            ) {
                next += 1;
            }
            let name = usize::from(kind(next + 1) == Some(TokenKind::Name));
            matches!(
                kind(next + 1 + name),
                Some(TokenKind::Sign(b',' | b')' | b'['))
            )
        }
        _ => false,
    }
}

/// Whether a name is that of a type of the language.
pub(super) fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "char"
            | "double"
            | "float"
            | "int"
            | "long"
            | "short"
            | "signed"
            | "unsigned"
            | "void"
    )
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

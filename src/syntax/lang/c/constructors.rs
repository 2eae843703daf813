//! Macros before constructors, of any spelling: `CX Store(int n) : size(n), used(0) {}`.
//!
//! A constructor has no return type, so that each name before it is a macro. The grammar takes it for the type of a field and the
//! initializers for further fields, so that the class may swallow what follows it.

use super::tokens::{Token, TokenKind, TokenText, closed};
use crate::model::hash::HashMap;

/// A bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenBracket<'s> {
    /// The brace of a class, with its name.
    Class(&'s str),
    /// Any other brace.
    Brace,
    Paren,
}

/// The most tokens of a head that are looked at.
const MAX_HEAD_TOKENS: usize = 512;

/// The most macros before one constructor.
const MAX_MACROS: usize = 16;

/// Returns the byte ranges of the macros that stand before constructors, with their arguments.
pub(super) fn constructor_macros(tokens: &[Token], bytes: &[u8]) -> Vec<(usize, usize)> {
    let source = TokenText { tokens, bytes };
    let class_braces = source.class_braces();
    let mut open: Vec<OpenBracket<'_>> = Vec::new();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Sign(b'(') => open.push(OpenBracket::Paren),
            TokenKind::Sign(b')') => {
                open.pop_if(|it| *it == OpenBracket::Paren);
            }
            TokenKind::Sign(b'{') => {
                let class = class_braces.get(&at);
                open.push(class.map_or(OpenBracket::Brace, |name| OpenBracket::Class(name)));
            }
            TokenKind::Sign(b'}') => {
                // A parenthesis that is still open lacks its end in another branch of a condition.
                while open.pop() == Some(OpenBracket::Paren) {}
            }
            TokenKind::Name | TokenKind::Capitals if source.sign(at + 1) == b'(' => {
                let head = match open.last() {
                    Some(OpenBracket::Class(name)) if source.text(at) == *name => Some(at),
                    Some(OpenBracket::Brace) | None => source.out_of_line(at),
                    _ => None,
                };
                if let Some(head) = head {
                    found.extend(source.macros_before(head));
                }
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

impl<'s> TokenText<'s> {
    /// Returns the tokens up to the last one of a head that goes on at `at`.
    fn up_to_end_of_head(self, at: usize) -> &'s [Token] {
        &self.tokens[..self.tokens.len().min(at + MAX_HEAD_TOKENS)]
    }

    fn is_name(self, at: usize) -> bool {
        matches!(self.kind(at), Some(TokenKind::Name | TokenKind::Capitals))
    }

    /// Returns the braces that open the body of a class, with its name: `class EXPORT Store : public Base {`.
    fn class_braces(self) -> HashMap<usize, &'s str> {
        let mut found = HashMap::default();
        for at in 0..self.tokens.len() {
            let is_class = self.kind(at) == Some(TokenKind::Keyword)
                && matches!(self.text(at), "class" | "struct" | "union");
            let is_enum = at > 0 && self.text(at - 1) == "enum";
            if is_class
                && !is_enum
                && let Some((brace, name)) = self.class_body(at + 1)
            {
                found.insert(brace, name);
            }
        }
        found
    }

    /// Returns the brace and the name of the class whose head goes on at a token.
    fn class_body(self, mut at: usize) -> Option<(usize, &'s str)> {
        let head = self.up_to_end_of_head(at);
        let mut name = None;
        loop {
            match head.get(at)?.kind {
                TokenKind::Name | TokenKind::Capitals => {
                    name = Some(self.text(at));
                    at += 1;
                }
                TokenKind::Sign(b'(') => {
                    // The arguments of a macro; those of a function have the body behind them: `struct row next(void) {`.
                    name = None;
                    at = closed(head, at).max(at + 1);
                }
                TokenKind::Sign(b'<') => at = self.behind_angles(at)?,
                TokenKind::Sign(b':') if self.sign(at + 1) == b':' => at += 2,
                TokenKind::Sign(b'{') => return Some((at, name?)),
                TokenKind::Sign(b':') => break,
                // `final`, `alignas(8)`, `[[nodiscard]]`
                TokenKind::Keyword | TokenKind::Attribute | TokenKind::Sign(b'[' | b']') => at += 1,
                TokenKind::Sign(_) => return None,
            }
        }
        // The bases.
        let brace = (at..head.len()).find(|at| matches!(self.sign(*at), b'{' | b';'))?;
        (self.sign(brace) == b'{').then_some((brace, name?))
    }

    /// Returns the token behind the angle that closes the one at `open`.
    fn behind_angles(self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in open..self.up_to_end_of_head(open).len() {
            match self.sign(at) {
                b'<' => depth += 1,
                b'>' if depth == 1 => return Some(at + 1),
                b'>' => depth -= 1,
                b';' | b'{' => return None,
                _ => {}
            }
        }
        None
    }

    /// Returns the first token of the path whose last name, at `at`, is that of a constructor: `pool::pool(int n)`, `ns::pool::pool()`.
    fn out_of_line(self, at: usize) -> Option<usize> {
        let mut first = self.qualifier_before(at)?;
        if self.text(first) != self.text(at) {
            return None;
        }
        while let Some(before) = self.qualifier_before(first) {
            first = before;
        }
        Some(first)
    }

    /// Returns the name before `::` that stands right before a token.
    fn qualifier_before(self, at: usize) -> Option<usize> {
        let name = at.checked_sub(3)?;
        let is_path = self.sign(at - 1) == b':' && self.sign(at - 2) == b':' && self.is_name(name);
        // `if (a) ? b : ::pool` is none: the name stands beside the sign.
        (is_path && self.tokens[name].end == self.tokens[at - 2].start).then_some(name)
    }

    /// Returns the macros before the head of a constructor, the last one first; none where something else stands before it.
    fn macros_before(self, head: usize) -> Vec<(usize, usize)> {
        let mut macros = Vec::new();
        let mut behind = head;
        while let Some(last) = behind.checked_sub(1)
            && macros.len() < MAX_MACROS
        {
            match self.kind(last) {
                Some(TokenKind::Name | TokenKind::Capitals) => {
                    macros.push((self.tokens[last].start, self.tokens[last].end));
                    behind = last;
                }
                Some(TokenKind::Keyword)
                    if matches!(self.text(last), "explicit" | "inline" | "constexpr") =>
                {
                    behind = last;
                }
                Some(TokenKind::Sign(b')')) => {
                    // `DEPRECATED("by open") Store(int n)`
                    let opens = (0..last).rev().take(64);
                    let mut opens = opens.filter(|at| self.sign(*at) == b'(');
                    let named = opens.find(|at| closed(&self.tokens[..=last], *at) == last + 1);
                    let name = named.and_then(|it| it.checked_sub(1));
                    let Some(name) = name.filter(|it| self.is_name(*it)) else {
                        break;
                    };
                    macros.push((self.tokens[name].start, self.tokens[last].end));
                    behind = name;
                }
                _ => break,
            }
        }
        let before = behind.checked_sub(1).map(|it| self.tokens[it].kind);
        let begins = matches!(
            before,
            None | Some(
                TokenKind::Sign(b';' | b'{' | b'}' | b':' | b'>' | b']' | b')')
                    | TokenKind::Attribute
            )
        );
        if begins { macros } else { Vec::new() }
    }
}
